// SPDX-License-Identifier: MIT
// Engines compute ligand maps. Each is one table of functions. All of them return the same integers, which ligand_job.h
// defines.
#ifndef LIG_LIGAND_ENGINE_H
#define LIG_LIGAND_ENGINE_H

#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "ligand_job.h"
#include "tool.h"

struct lig_engine {
    struct trj_engine kind;
    // The caller owns the job, which must outlive the engine.
    int (*open)(void **engine, const struct lig_job *job, struct trj_error *err);
    // Adds a frame. Fails with TRJ_BAD_DATA if its number of atoms, a coordinate or its cell does not fit, and, here or
    // in finish, if a sum exceeds LIG_SUM_MAX. The engine may exchange *frame for another one, which the caller can
    // fill, so that it can keep several frames in flight. After a failure, only close may be called.
    int (*add)(void *engine, struct trj_frame *frame, struct trj_error *err);
    // Waits until all frames that were added are computed. Sets *values [n[2]][n[1]][n[0]] to the sums over the frames
    // since the last finish, in quanta; they belong to the engine, and are valid until the next call.
    int (*finish)(void *engine, const int64_t **values, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *stats);
    void (*close)(void *engine); // NULL is allowed
};

extern const struct lig_engine lig_engine_cpu;  // ligand_cpu.c: threads
extern const struct lig_engine lig_engine_cuda; // cuda/ligand/ligand_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice lig_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name

const char *lig_engine_versions(void); // as trj_engine_versions, of these engines
// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct lig_engine.
extern const struct trj_engine *const lig_engines[];

#endif
