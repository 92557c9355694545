// SPDX-License-Identifier: MIT
// The frames of a group, superposed on a structure or on their mean structure: what fluctuations and principal
// components have in common.
//
// Means and sums of squares are updated frame by frame (B. P. Welford, Technometrics 4, 419 (1962)), which loses no
// digits if atoms are far from the origin, in the order of the frames, so that results do not depend on the threads.
#ifndef OBS_SUPERPOSED_FRAMES_H
#define OBS_SUPERPOSED_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ensemble.h"
#include "item_pool.h"
#include "position_sums.h"
#include "reference.h"
#include "superpose.h"
#include "table_writer.h"

enum { OBS_SUPERPOSED_BLOCK = 512 }; // atoms whose positions are moved together, in a first-level cache

// Means over frames, and sums of squared deviations from them, of `count` atoms.
struct obs_position_sums {
    size_t count;
    double *mean[3], *square;
};

struct obs_kept_frame;

struct obs_superposed {
    struct obs_ensemble *ensemble;
    struct obs_reference group, fit; // group has no reference positions, only weights
    bool superposes, fits_itself;
    bool keeps;                       // the positions of all frames
    struct obs_position_sums sums;    // of the group; zeros with --sums
    struct obs_exact_positions exact; // of the group, with --sums
    double (*first)[3];               // [group.count] the first frame, superposed
    unsigned rounds;                  // of --iterate
    // For this file:
    struct obs_position_sums fit_sums;
    float *x[3];                 // [group.count] of the current frame
    double *last[3];             // [group.count] superposed, in the frame before
    struct obs_kept_frame *kept; // [kept_frames]
    size_t kept_frames, capacity;
    struct trj_item_pool *pool;
    double (**moved)[3]; // [threads][fit.count]
};

// Prepares the frames of a selection for the options --fit, --reference, --iterate and --weights, and sets
// e->observable. `option` begins errors: "--rmsf". With `keeps`, as with --iterate, the positions of all frames stay in
// memory. Fails with TRJ_USAGE or TRJ_BAD_DATA, with a remedy. obs_superposed_free frees, also after a failure.
int obs_superposed_open(struct obs_superposed *p, struct obs_ensemble *e, const char *option, const char *selection,
                        bool keeps, struct trj_error *err);
// The function `take` of obs_ensemble_kind.
int obs_superposed_take(struct obs_superposed *p, const struct trj_frame *f, const double *value,
                        struct trj_error *err);
// Superposes all frames on their mean structure, if --iterate is given. Then, `sums` is complete.
int obs_superposed_finish(struct obs_superposed *p, struct trj_error *err);
// Sets y to the positions, Å, of n atoms of a kept frame, of which `from` is the first.
void obs_superposed_positions(const struct obs_superposed *p, uint64_t frame, size_t from, size_t n,
                              double y[3][OBS_SUPERPOSED_BLOCK]);
// Sets the number of a kept frame in its file, and its time.
void obs_superposed_identity(const struct obs_superposed *p, uint64_t frame, uint64_t *index, double *time);
// Writes the comment that names the superposition.
void obs_superposed_comment(const struct obs_superposed *p, struct trj_table *t);
void obs_superposed_free(struct obs_superposed *p); // not p itself

#endif
