// SPDX-License-Identifier: MIT
// Repeats a transform on the next device or on the CPU when one fails, because FFT libraries can run out of memory.
#include "transform_fallback.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

struct pot_transform_fallback {
    const struct pot_device_transform *device;
    const struct pot_transform_method *cpu;
    const struct pot_job *job;
    void *of_device, *of_cpu; // one is the open state, the other is NULL
    unsigned next;            // number of the device after the last one that was tried
};

static bool is_of_device(const struct trj_error *err) {
    return err->status == TRJ_NO_ENGINE;
}

static void note(const struct pot_transform_fallback *f, const struct trj_error *failure, const char *instead) {
    char text[sizeof failure->text + 64];
    snprintf(text, sizeof text, "%s: %s", failure->text, instead);
    if (f->job->note) f->job->note(f->job->note_arg, text);
}

// Opens the next device, or if there is none, the CPU, after the error in *err. If this succeeds, a note reports that
// error. In the first call, *err is empty.
static int open_next(struct pot_transform_fallback *f, struct trj_error *err) {
    struct trj_error failure = *err, other = {.text = ""};
    for (;;) {
        unsigned from = f->next;
        if (!f->device->open(&f->of_device, f->job, &f->next, &other)) {
            if (*failure.text) note(f, &failure, "another GPU computes the Fourier transforms");
            return 0;
        }
        f->of_device = NULL;
        if (!*failure.text || f->next > from) failure = other;
        if (!is_of_device(&failure) || f->next <= from) break;
    }
    *err = failure;
    if (!is_of_device(&failure) || !f->job->cpu_may_finish) return -1;
    if (f->cpu->open(&f->of_cpu, f->job, &other)) {
        f->of_cpu = NULL;
        if (other.status != TRJ_NO_ENGINE) *err = other; // without FFTW, the error of the device is kept
        return -1;
    }
    note(f, &failure, "FFTW computes the Fourier transforms on the CPU");
    return 0;
}

int pot_transform_fallback_open(struct pot_transform_fallback **state, const struct pot_device_transform *device,
                                const struct pot_transform_method *cpu, const struct pot_job *job,
                                struct trj_error *err) {
    struct pot_transform_fallback *f = trj_alloc(1, sizeof *f, "a Fourier transform", err);
    if (!f) return -1;
    f->device = device;
    f->cpu = cpu;
    f->job = job;
    *err = (struct trj_error){.text = ""};
    if (open_next(f, err)) {
        free(f);
        return -1;
    }
    *state = f;
    return 0;
}

int pot_transform_fallback_compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                                   const uint64_t size[3], double **potential, struct trj_error *err) {
    struct pot_transform_fallback *f = state;
    while (f->of_device) {
        if (!f->device->compute(f->of_device, l, charge, quantum, size, potential, err)) return 0;
        if (!is_of_device(err)) return -1;
        f->device->close(f->of_device);
        f->of_device = NULL;
        if (open_next(f, err)) return -1;
    }
    return f->cpu->compute(f->of_cpu, l, charge, quantum, size, potential, err);
}

void pot_transform_fallback_close(void *state) {
    struct pot_transform_fallback *f = state;
    if (!f) return;
    if (f->of_device) f->device->close(f->of_device);
    if (f->of_cpu) f->cpu->close(f->of_cpu);
    free(f);
}
