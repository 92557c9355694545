// SPDX-License-Identifier: MIT
// Engines compute the amplitudes of a frame by the rule in wave_amplitude.h. Each is one table of functions; all of
// them return the same integers.
#ifndef WAV_ENGINE_H
#define WAV_ENGINE_H

#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "group.h"
#include "wave_vectors.h"

struct wav_job {
    const struct trj_group *groups; // static; only those with used[group]
    const bool *used;
    size_t group_count;
    size_t atoms;        // of a frame
    unsigned bits;       // of amplitudes
    unsigned threads;    // 0: as many as the process may use
    const char *devices; // "0,2": GPUs; NULL: all
    bool rotated;        // frames are rotated (trjcat --fit)
};

struct wav_engine {
    struct trj_engine kind;
    // The caller owns the job, which must outlive the engine.
    int (*open)(void **engine, const struct wav_job *job, struct trj_error *err);
    // Sets rho[group][2][v->count], real and imaginary parts, of the groups that are used, in units of 2^-bits. Values
    // of vectors in no shell are undefined.
    int (*amplitudes)(void *engine, const struct trj_frame *f, const struct wav_vectors *v, int64_t *rho,
                      struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *stats); // sets workers, seconds and terms
    void (*close)(void *engine);                                 // NULL is allowed
};

extern const struct wav_engine wav_engine_reference; // one atom and one vector at a time
extern const struct wav_engine wav_engine_cpu;       // tiles, threads
extern const struct wav_engine wav_engine_cuda;      // cuda/waves: one GPU; in builds with TRJPIPE_CUDA

extern const struct trj_choice wav_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name
extern const struct trj_engine *const wav_engines[]; // the list of trj_engine_find; each is a struct wav_engine

// Opens the engine that `options` name, or for `auto` the best one that can run here; `note` reports those that cannot.
int wav_engine_open(const struct wav_engine **engine, void **state, const struct trj_engine_options *options,
                    const struct wav_job *job, void (*note)(const char *text), struct trj_error *err);

#endif
