// SPDX-License-Identifier: MIT
// Engines that compute the deviations of all pairs of frames (rmsd_pairs.h).
//
// The engines cuda and reference add products in float64, atom by atom, and give the same bytes. The engine cpu adds
// those of OBS_RMSD_BLOCK atoms in float32 (rmsd_kernel.h states the error), except for frames that are close to each
// other: there, the error of a small difference would be large.
#ifndef OBS_RMSD_ENGINE_H
#define OBS_RMSD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "rmsd_pairs.h"
#include "tool.h"
#include "whole_job.h"

enum { OBS_RMSD_PANELS = 4, OBS_RMSD_TILE = OBS_RMSD_PANELS * OBS_RMSD_COLUMNS };

// Up to OBS_RMSD_TILE successive frames: their deviations from the mean, as rows and as panels. The numbers of frames
// that do not exist are 0.
struct obs_rmsd_tile {
    float (*u)[3];                   // [OBS_RMSD_TILE][atoms]
    float (*v)[3][OBS_RMSD_COLUMNS]; // [OBS_RMSD_PANELS][atoms]
    struct obs_rmsd_row row[OBS_RMSD_TILE];
    struct obs_rmsd_panel panel[OBS_RMSD_PANELS];
    double deviation2[OBS_RMSD_TILE]; // sum |u|^2
    uint64_t index[OBS_RMSD_TILE];    // numbers of the frames in their files
    double time[OBS_RMSD_TILE];       // ps
};

struct obs_rmsd_job {
    size_t frames, atoms;
    bool rotates;                // each pair is superposed
    double total;                // sum of the weights
    struct obs_rmsd_tile **tile; // [tiles]
    size_t tiles;
    unsigned threads; // as in pool.h
    float *value;     // [frames][frames] result in Angstrom, whose diagonal is 0
};

extern const struct work_whole_engine obs_rmsd_engine_cpu, obs_rmsd_engine_reference; // rmsd_engine_cpu.c
extern const struct work_whole_engine obs_rmsd_engine_cuda; // cuda/observe/rmsd_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice obs_rmsd_engine_choices[]; // for option tables (ensemble_options.c); ends with NULL
extern const struct trj_engine *const obs_rmsd_engines[]; // of whole_job.h

// Computes the matrix with the engine that the options name, and prints statistics.
int obs_rmsd_engine_compute(const struct trj_engine_options *o, const struct obs_rmsd_job *job, struct trj_error *err);

#endif
