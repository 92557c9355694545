// SPDX-License-Identifier: MIT
// The engines of potentials (work/map_engine.h); their jobs are struct pot_job. An engine has a function table for each
// method (potential_job.h), and opens that of the job. All of them return the same integers, except for the methods pme
// and fast, whose Fourier transforms differ by rounding, and for `reference`. `add` requires that job->frame is the
// frame, from pot_setup_frame.
#ifndef POT_POTENTIAL_ENGINE_H
#define POT_POTENTIAL_ENGINE_H

#include "map_engine.h"
#include "potential_job.h"
#include "tool.h"

extern const struct work_map_engine pot_engine_cpu;       // threads
extern const struct work_map_engine pot_engine_reference; // simple float64 sums, with which tests compare
extern const struct work_map_engine pot_engine_cuda; // cuda/potential/potential_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice pot_method_choices[]; // [POT_METHODS] as enum pot_method_kind; ends with a NULL name
extern const struct trj_choice pot_engine_choices[]; // names and descriptions; ends with a NULL name
// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct work_map_engine.
extern const struct trj_engine *const pot_engines[];

// Finds the layers of blocks of points along axis 2, of which the slab of a job consists (pot_job.slab): *count layers
// of *planes planes; the last one has the rest. Fails with TRJ_USAGE if no engine computes a part of the map.
int pot_layers_find(const struct pot_job *job, uint64_t *planes, uint64_t *count, struct trj_error *err);

// Functions of these engines. `open` of an engine calls pot_engine_open with its methods.
int pot_engine_open(void **engine, const struct pot_method *const methods[POT_METHODS], const void *job,
                    const struct work_resources *resources, struct trj_error *err);
int pot_engine_add(void *engine, struct trj_frame *frame, struct trj_error *err);
int pot_engine_finish(void *engine, const int64_t **values, struct trj_error *err);
int pot_engine_add_sums(void *engine, const int64_t *values, struct trj_error *err);
double pot_engine_error(const void *engine);
int pot_engine_arrays(void *engine, struct work_checkpoint_arrays *a, struct trj_error *err);
uint64_t pot_engine_bad_frame(const void *engine);
void pot_engine_stats(void *engine, struct trj_engine_stats *stats);
void pot_engine_close(void *engine);
// All members of such an engine but `kind` and `open`.
#define POT_ENGINE_FUNCTIONS                                                                                           \
    .add = pot_engine_add, .finish = pot_engine_finish, .arrays = pot_engine_arrays, .error = pot_engine_error,        \
    .bad_frame = pot_engine_bad_frame, .stats = pot_engine_stats, .close = pot_engine_close

// Returns the estimated time of a frame on one thread of the engine cpu, in s, if the engines return the same integers
// and error bounds for this job; otherwise NAN.
double pot_engine_seconds(const struct pot_job *job);

#endif
