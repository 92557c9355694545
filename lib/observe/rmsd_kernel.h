// SPDX-License-Identifier: MIT
// The inner loops of rmsd_engine_cpu.c, compiled for several instruction sets, which give the same bytes. The products
// D of rmsd_pairs.h, which are small, are computed in float32.
#ifndef OBS_RMSD_KERNEL_H
#define OBS_RMSD_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "rmsd_pairs.h"

enum {
    OBS_RMSD_ROWS = 2,    // rows that are computed together, because they read the same panel
    OBS_RMSD_BLOCK = 128, // atoms whose products are added in float32; the sums of blocks are added in float64
};

struct obs_rmsd_kernel {
    // Adds D of up to OBS_RMSD_BLOCK atoms for these rows. The error of a sum is less than
    // (atoms + 1) 2^-24 sum |u_r v_c|.
    void (*add)(const float (*const u[OBS_RMSD_ROWS])[3], const float (*v)[3][OBS_RMSD_COLUMNS], size_t atoms,
                double (*sum)[9][OBS_RMSD_COLUMNS]);
    // Sets the sums of squared distances of corresponding atoms after the best rotation, or without one.
    void (*squares)(const struct obs_rmsd_row *row, const struct obs_rmsd_panel *panel,
                    const double sum[9][OBS_RMSD_COLUMNS], bool rotate, double square[OBS_RMSD_COLUMNS]);
};

extern const struct obs_rmsd_kernel obs_rmsd_kernel_avx512, obs_rmsd_kernel_avx2, obs_rmsd_kernel_plain;

#endif
