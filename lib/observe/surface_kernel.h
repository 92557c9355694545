// SPDX-License-Identifier: MIT
// The inner loops of accessible_surface.c, compiled for several instruction sets: which atoms are near an atom, and
// which points of its sphere they cover. Results of float32 decide, except for the few that rounding errors could
// change.
#ifndef OBS_SURFACE_KERNEL_H
#define OBS_SURFACE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "contact_kernel.h"

enum {
    OBS_SURFACE_BLOCK = 16, // points that are adjacent on the sphere, and are tested together
    OBS_SURFACE_STEP = 4,   // atoms between two tests whether all points of a block are covered
};

// Atoms that can cover points of an atom, in one allocation of the caller.
struct obs_surface_atoms {
    float *x[4];     // Å: from the atom, by component; and minus the limit of u x along a unit vector u
    uint32_t *point; // of the search
    uint32_t *run;   // number of the run
    size_t count, capacity;
};

// An atom, for both kernels.
struct obs_surface_sphere {
    float reach2, half; // R^2; 1 / (2 R)
    float cutoff;       // R, and more than the errors of distances: others touch it within cutoff plus their reach
    float near2;        // Å^2: the limit of the first list
    float error;        // Å: bound on the errors of u x - limit
};

struct obs_surface_kernel {
    // Appends the points of the runs that touch the sphere of a row to the lists of near and of other atoms, which must
    // have space for all points of the runs and OBS_CONTACT_PADDING more. Runs count from `first`. The limit of a point
    // with reach r at a distance d is (R^2 + d^2 - r^2) / (2 R): it covers the points with u x > limit.
    void (*gather)(const float *const x[3], const float *reach, const struct obs_contact_run *run, size_t runs,
                   uint32_t first, size_t row, const struct obs_surface_sphere *sphere, struct obs_surface_atoms to[2]);
    // Returns the number of the points u that no atom covers, and sets bits of uncertain[blocks] for other points for
    // which errors decide. The bits of a block are its points, of which the last block has `last`.
    size_t (*expose)(const float (*u)[3][OBS_SURFACE_BLOCK], size_t blocks, unsigned last,
                     const struct obs_surface_atoms *atoms, float error, uint16_t *uncertain);
};

extern const struct obs_surface_kernel obs_surface_kernel_avx512, obs_surface_kernel_avx2, obs_surface_kernel_plain;

#endif
