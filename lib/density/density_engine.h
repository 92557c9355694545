// SPDX-License-Identifier: MIT
// Engines compute density maps. Each is one table of functions. All of them return the same integers, which
// density_job.h and gauss.h define; only the Gaussians of `reference` may differ, within the error bound.
#ifndef DEN_DENSITY_ENGINE_H
#define DEN_DENSITY_ENGINE_H

#include <stdint.h>

#include "density_job.h"
#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "tool.h"

struct den_engine {
    struct trj_engine kind;
    // The caller owns the job, which must outlive the engine.
    int (*open)(void **engine, const struct den_job *job, struct trj_error *err);
    // Adds a frame that den_job_check_frame has accepted. The engine may exchange *frame for another one, which the
    // caller can fill, so that it can keep several frames in flight. After a failure, only close may be called.
    int (*add)(void *engine, struct trj_frame *frame, struct trj_error *err);
    // Waits until all frames that were added are computed. Sets *values [n[2]][n[1]][n[0]] to the sums over the frames
    // since the last finish, in quanta; they belong to the engine, and are valid until the next call.
    int (*finish)(void *engine, const int64_t **values, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *stats);
    void (*close)(void *engine); // NULL is allowed
};

extern const struct den_engine den_engine_cpu;       // density_cpu.c: threads
extern const struct den_engine den_engine_reference; // density_reference.c: simple code, with which tests compare
extern const struct den_engine den_engine_cuda;      // cuda/density/density_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice den_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name

const char *den_engine_versions(void); // as trj_engine_versions, of these engines
// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct den_engine.
extern const struct trj_engine *const den_engines[];

#endif
