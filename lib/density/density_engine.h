// SPDX-License-Identifier: MIT
// The engines of density maps (work/map_engine.h); their jobs are struct den_job. All of them return the same integers,
// which density_job.h and gauss.h define; only the Gaussians of `reference` may differ, within the error bound. `add`
// requires a frame that den_job_check_frame has accepted.
#ifndef DEN_DENSITY_ENGINE_H
#define DEN_DENSITY_ENGINE_H

#include "density_job.h"
#include "map_engine.h"
#include "map_pool.h"
#include "tool.h"

extern const struct work_map_engine den_engine_cpu;       // density_cpu.c: threads
extern const struct work_map_engine den_engine_reference; // density_reference.c: simple code, with which tests compare
extern const struct work_map_engine den_engine_cuda;      // cuda/density/density_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice den_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name

// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct work_map_engine.
extern const struct trj_engine *const den_engines[];

// Returns the estimated time of a frame on one thread of the engine cpu, in s.
double den_engine_seconds(const struct den_job *job, const struct trj_frame *f);
// The same for Gaussians of `atoms` atoms with this set-up.
double den_gauss_seconds(const struct den_gauss_setup *gauss, double atoms, const struct trj_map_lattice *l);

// Returns what the engine cuda gives to work_map_pool_open. If no device is left, the engine cpu computes the rest. The
// job must outlive the pool.
struct work_map_job den_map_job(const struct den_job *job);

#endif
