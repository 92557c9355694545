// SPDX-License-Identifier: MIT
// Repeats Fourier transforms that fail on a GPU: the next GPU repeats the transform, or, if no GPU is left and the job
// allows it, the CPU. The engine cuda uses these functions, and supplies the transforms on one GPU.
#ifndef POT_TRANSFORM_FALLBACK_H
#define POT_TRANSFORM_FALLBACK_H

#include "error.h"
#include "pme_parts.h"

// The functions of a transform on one of several devices.
struct pot_device_transform {
    // Opens a transform, as pot_transform_method.open, on a device whose number is at least *next: the first that can
    // be opened. Sets *next to the number of the last device that was tried, plus 1. Fails and sets *next to 0 if there
    // is no such device.
    int (*open)(void **state, const struct pot_job *job, unsigned *next, struct trj_error *err);
    // As in pot_transform_method. If `compute` fails, the charges are unchanged.
    int (*compute)(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err);
    void (*close)(void *state);
};

struct pot_transform_fallback;

// These implement the functions of a struct pot_transform_method. `device` and `cpu` must outlive the state. If a
// device fails, job->note receives the error, and what replaces the device. `cpu` is used only with
// job->cpu_may_finish. If no replacement is left, the functions fail with the error of the last device. Errors with
// another status than TRJ_NO_ENGINE do not concern a device: they are returned at once.
int pot_transform_fallback_open(struct pot_transform_fallback **state, const struct pot_device_transform *device,
                                const struct pot_transform_method *cpu, const struct pot_job *job,
                                struct trj_error *err);
int pot_transform_fallback_compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                                   const uint64_t size[3], double **potential, struct trj_error *err);
void pot_transform_fallback_close(void *state); // NULL is allowed

#endif
