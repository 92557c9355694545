// SPDX-License-Identifier: MIT
// Sums of a map and of the simulated densities of frames. Blocks of a density are used as soon as they are computed,
// and not stored.
//
// With one selection, the sums are those of the whole model. With several, each has the sums of its own density over
// its own points (`whole` false), or of the density of the whole model over the points that its own atoms determine.
#ifndef COR_FRAMES_H
#define COR_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cor_map.h"
#include "cor_mask.h"
#include "cor_model.h"
#include "cor_selection.h"
#include "cor_sums.h"
#include "frame.h"

struct cor_frames_setup {
    const struct cor_map *map;
    const struct cor_mask *mask; // after cor_mask_apply
    const struct cor_model *model;
    const struct cor_selections *selections;
    bool divided; // the selections are parts of the model
    bool whole;   // the density of the whole model at the points of a selection; requires a local mask
    bool entropy; // the sums of the relative entropy are needed
    unsigned threads;
};

struct cor_frames;

// Opens the computation. *setup is copied; what it points to must stay valid. Fails with TRJ_USAGE if the radius of the
// mask exceeds the reach of the Gaussians, and as den_gauss_open.
int cor_frames_open(struct cor_frames **c, const struct cor_frames_setup *setup, struct trj_error *err);
// Computes the sums of each selection, sums[selections->count], in a frame, without periodic images. Sums of a
// selection whose Gaussians do not reach the map are 0, or those of the map alone for a mask that does not depend on
// atoms.
int cor_frames_add(struct cor_frames *c, const struct trj_frame *f, struct cor_sums *sums, struct trj_error *err);
// Fails with TRJ_BAD_DATA if an atom of the model is not finite or beyond TRJ_FARTHEST. cor_frames_add does this
// itself.
int cor_frames_check(const struct cor_frames_setup *setup, const struct trj_frame *f, struct trj_error *err);
// Fails with TRJ_BAD_DATA, because the simulated density is 2^43 quanta or more at a point.
int cor_frames_fail_overflow(struct trj_error *err);
unsigned cor_frames_threads(const struct cor_frames *c);
void cor_frames_close(struct cor_frames *c); // NULL is allowed

// Writes the simulated density of the whole model in a frame to a map file, whose ending determines the format.
// The file appears together with `main` (output.h). `provenance` ends with NULL. `note` gets each note of the writer.
int cor_frames_write(const struct cor_frames_setup *setup, const struct trj_frame *f, const char *path,
                     struct trj_output *main, char *const *provenance, void (*note)(void *owner, const char *text),
                     void *owner, struct trj_error *err);

// Returns the share of the weight of the model whose atoms are in a voxel of the map in a frame.
double cor_frames_within(const struct cor_frames_setup *setup, const struct trj_frame *f);
// Sets *quantum to the quantum of the simulated density of a model.
int cor_frames_quantum(const struct cor_model *m, double *quantum, struct trj_error *err);
// Returns the density, in quanta, that a selection must exceed at the points of the mask simulated:F.
int64_t cor_frames_above(const struct cor_frames_setup *setup, double quantum);

#endif
