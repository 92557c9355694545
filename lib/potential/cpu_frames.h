// SPDX-License-Identifier: MIT
// Computes frames of the stream by a method of the engine cpu, for devices that cannot compute them.
#ifndef POT_CPU_FRAMES_H
#define POT_CPU_FRAMES_H

#include "charges.h"
#include "error.h"
#include "frame.h"
#include "potential_job.h"

// To be zeroed. The job, of which the members for frames of the stream must be set, and the method must outlive it.
struct pot_cpu_frames {
    const struct pot_job *job;
    const struct pot_method *method;
    struct pot_charges charges;
    void *state; // of the method; NULL: not open
};

// After a failure, pot_cpu_frames_close is required, too.
int pot_cpu_frames_open(struct pot_cpu_frames *c, const struct pot_job *job, const struct pot_method *method,
                        struct trj_error *err);
// Adds a frame that pot_setup_frame has accepted. Fails as pot_method.add.
int pot_cpu_frames_add(struct pot_cpu_frames *c, const struct trj_frame *frame, struct trj_error *err);
double pot_cpu_frames_error(const struct pot_cpu_frames *c); // as pot_method.error
void pot_cpu_frames_close(struct pot_cpu_frames *c);         // it can be opened again; a zeroed one is allowed

#endif
