// SPDX-License-Identifier: MIT
// What the engines of ligand maps derive from a frame: its lattice, the blocks of points, and its atoms.
#ifndef LIG_LIGAND_FRAME_H
#define LIG_LIGAND_FRAME_H

#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "lattice_plan.h"
#include "ligand_blocks.h"
#include "ligand_job.h"

struct lig_frame {
    const struct lig_job *job;
    struct trj_map_lattice lattice;
    struct lig_blocks blocks;
    struct tile_lattice_atoms atoms; // those that interact; count 0: there are none
    double factor;                   // of the correction for the cutoff; 1: none
    // Memory of `atoms`:
    float (*reach)[3]; // [kinds], all equal
    uint32_t *list;    // [members] of a dynamic group
    uint16_t *kind;
    float *value;
};

// Allocates memory; *f must be zero. The job must have been made, and outlive *f. After a failure lig_frame_close is
// required, too.
int lig_frame_open(struct lig_frame *f, const struct lig_job *job, struct trj_error *err);
// Sets the members for a frame, which must not change while they are used. Fails with TRJ_BAD_DATA if the number of
// atoms, a coordinate or the cell does not fit, or if the correction for the cutoff requires a periodic cell.
int lig_frame_set(struct lig_frame *f, const struct trj_frame *frame, struct trj_error *err);
// Returns the largest distance in Å at which atoms may interact with the ligand at a point, with a margin.
double lig_frame_reach(const struct lig_frame *f);
void lig_frame_close(struct lig_frame *f);

#endif
