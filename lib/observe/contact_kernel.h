// SPDX-License-Identifier: MIT
// The inner loop of contact_search.c, compiled for several instruction sets: the distances of a few atoms to runs of
// consecutive points.
#ifndef OBS_CONTACT_KERNEL_H
#define OBS_CONTACT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OBS_CONTACT_LANES = 8,
    OBS_CONTACT_ROWS = 8,
    OBS_CONTACT_PADDING = 16, // numbers that can be read after the last point
};

// Points begin <= j < end, which can be near some of the rows, consecutive atoms of the other list.
struct obs_contact_run {
    uint32_t begin, end;
    uint32_t row;                  // the first one
    bool triangle;                 // begin is row + 1, and point j is compared with rows before j alone
    float at[3][OBS_CONTACT_ROWS]; // positions of the rows, moved opposite to the image; infinite after the last one
    int32_t image[3];              // of the points, relative to their wrapped positions
};

struct obs_contact_near {
    uint32_t run, row, point; // row: 0 for the first one of the run
};

// Returns the number of pairs with |x - at|^2 < inner2, which may be 0, and sets near[*found] to those between it and
// outer2, which must have space for all pairs of the runs. The errors of squares are less than 2^-20 of
// outer2, if positions are exact. x[k] can be read up to OBS_CONTACT_PADDING floats after the last point.
typedef size_t obs_contact_kernel(const float *const x[3], const struct obs_contact_run *run, size_t runs, float inner2,
                                  float outer2, struct obs_contact_near *near, size_t *found);

obs_contact_kernel obs_contact_kernel_avx2, obs_contact_kernel_plain;

#endif
