// SPDX-License-Identifier: MIT
// The engines that correlate the frames of a stream with a map (work/map_engine.h); their jobs are struct cor_job. All
// of them return the same integer sums (cor_frames.h), to job->take. resources->threads is unused: job->frames.threads
// is the number of threads.
#ifndef COR_ENGINE_H
#define COR_ENGINE_H

#include <stdint.h>

#include "cor_frames.h"
#include "error.h"
#include "map_engine.h"
#include "tool.h"

// The caller owns what the members point to, and the job, which must outlive the engine.
struct cor_job {
    struct cor_frames_setup frames;
    size_t atoms; // of each frame
    // Takes the sums [frames.selections->count] of a frame, in the order of the frames, in the thread that calls the
    // engine.
    int (*take)(void *owner, uint64_t index, double time, const struct cor_sums *sums, struct trj_error *err);
    void *owner;
};

extern const struct work_map_engine cor_engine_cpu;  // cor_engine_cpu.c: threads
extern const struct work_map_engine cor_engine_cuda; // cuda/correlation/correlation_cuda.c; with TRJPIPE_CUDA

// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct work_map_engine.
extern const struct trj_engine *const cor_engines[];

// Returns the estimated time of a frame on one thread of the engine cpu, in s.
double cor_engine_seconds(const struct cor_job *job);

#endif
