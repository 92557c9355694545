// SPDX-License-Identifier: MIT
// Fourier transforms on GPUs that go on after a failure: the next GPU repeats a transform that has failed, and if none
// is left, the CPU does, if the job allows it. For the engine cuda, which supplies the transforms of one GPU.
#ifndef POT_TRANSFORM_FALLBACK_H
#define POT_TRANSFORM_FALLBACK_H

#include "error.h"
#include "pme_parts.h"

// Transforms on one of several devices.
struct pot_device_transform {
    // As pot_transform_method.open, on the first device that can be opened of those from number *next on. Sets *next to
    // the number after that of the last device that was tried; and to 0 if there is none from *next on, which is a
    // failure, too.
    int (*open)(void **state, const struct pot_job *job, unsigned *next, struct trj_error *err);
    // As those of pot_transform_method. A failure of `compute` leaves the charges as they are.
    int (*compute)(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err);
    void (*close)(void *state);
};

struct pot_transform_fallback;

// These implement the functions of a struct pot_transform_method. `device` and `cpu` must outlive the state. A failure
// of a device is passed to job->note, with what computes the transforms instead. Without job->cpu_may_finish, `cpu` is
// not used. If nothing is left, the functions fail with the error of the last device. Errors TRJ_USAGE and TRJ_BAD_DATA
// are not failures of a device: they are returned.
int pot_transform_fallback_open(struct pot_transform_fallback **state, const struct pot_device_transform *device,
                                const struct pot_transform_method *cpu, const struct pot_job *job,
                                struct trj_error *err);
int pot_transform_fallback_compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                                   const uint64_t size[3], double **potential, struct trj_error *err);
void pot_transform_fallback_close(void *state); // NULL is allowed

#endif
