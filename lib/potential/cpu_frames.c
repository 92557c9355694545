// SPDX-License-Identifier: MIT
// Opens the CPU's method only when a pool needs it, and takes charges from the frames of the stream.
#include "cpu_frames.h"

#include <math.h>

int pot_cpu_frames_open(struct pot_cpu_frames *c, const struct pot_job *job, const struct pot_method *method,
                        struct trj_error *err) {
    c->job = job;
    c->method = method;
    return pot_charges_copy(&c->charges, job->charges, err) || method->open(&c->state, job, err) ? -1 : 0;
}

int pot_cpu_frames_add(struct pot_cpu_frames *c, const struct trj_frame *frame, struct trj_error *err) {
    struct pot_frame f;
    if (pot_charges_in(&c->charges, frame, &f, err) ||
        c->job->frame_lattice(c->job->frame_lattice_owner, frame, &f.lattice, err))
        return -1;
    if (c->job->open_space) f.cell = (struct trj_cell){.periodic = 0};
    return c->method->add(c->state, &f, err);
}

double pot_cpu_frames_error(const struct pot_cpu_frames *c) {
    return c->method->error ? c->method->error(c->state) : NAN;
}

void pot_cpu_frames_close(struct pot_cpu_frames *c) {
    if (c->state) c->method->close(c->state);
    pot_charges_free(&c->charges);
    *c = (struct pot_cpu_frames){.state = NULL};
}
