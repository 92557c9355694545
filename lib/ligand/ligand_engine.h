// SPDX-License-Identifier: MIT
// The engines of ligand maps (work/map_engine.h); their jobs are struct lig_job. All of them return the same integers,
// which ligand_job.h defines. `add` or `finish` fails with TRJ_BAD_DATA if a sum exceeds LIG_SUM_MAX.
#ifndef LIG_LIGAND_ENGINE_H
#define LIG_LIGAND_ENGINE_H

#include "ligand_job.h"
#include "map_engine.h"
#include "map_pool.h"
#include "tool.h"

extern const struct work_map_engine lig_engine_cpu;  // ligand_cpu.c: threads
extern const struct work_map_engine lig_engine_cuda; // cuda/ligand/ligand_cuda.c; in builds with TRJPIPE_CUDA

// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct work_map_engine.
extern const struct trj_engine *const lig_engines[];

// Returns the estimated time of a frame on one thread of the engine cpu, in s.
double lig_engine_seconds(const struct lig_job *job);

// Returns what the engine cuda gives to work_map_pool_open. If no device is left, the engine cpu computes the rest. The
// job must outlive the pool.
struct work_map_job lig_map_job(const struct lig_job *job);

#endif
