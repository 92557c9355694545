// SPDX-License-Identifier: MIT
// Engines correlate the frames of a stream with a map. An engine is a table of functions. All engines return the same
// integer sums (cor_frames.h).
#ifndef COR_ENGINE_H
#define COR_ENGINE_H

#include <stdint.h>

#include "cor_frames.h"
#include "density_engine.h"
#include "engine_choice.h"
#include "error.h"
#include "frame.h"

// The caller owns what the members point to, and the job, which must outlive the engine.
struct cor_job {
    struct cor_frames_setup frames;
    size_t atoms;        // of each frame
    const char *devices; // "0,2": GPUs to use; NULL: all
    bool cpu_may_finish; // whether the CPU computes the remaining frames if no GPU is left
    // Takes the sums [frames.selections->count] of a frame, in the order of the frames, in the thread that calls the
    // engine.
    int (*take)(void *owner, uint64_t index, double time, const struct cor_sums *sums, struct trj_error *err);
    void (*note)(void *owner, const char *text); // reports GPUs that are not used or have failed
    void *owner;
};

struct cor_engine {
    struct trj_engine kind;
    // Fails with TRJ_NO_ENGINE if the engine cannot run here, or cannot compute this job.
    int (*open)(void **engine, const struct cor_job *job, struct trj_error *err);
    // Adds a frame. The engine may exchange *frame for another one, which the caller can fill, so that it can keep
    // several frames in flight. After a failure only close is allowed.
    int (*add)(void *engine, struct trj_frame *frame, struct trj_error *err);
    // Waits until the sums of all frames have been taken.
    int (*finish)(void *engine, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *stats);
    void (*close)(void *engine); // NULL is allowed
};

extern const struct cor_engine cor_engine_cpu;  // cor_engine_cpu.c: threads
extern const struct cor_engine cor_engine_cuda; // cuda/correlation/correlation_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice cor_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name

const char *cor_engine_versions(void); // as trj_engine_versions, of these engines
// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct cor_engine.
extern const struct trj_engine *const cor_engines[];

#endif
