// SPDX-License-Identifier: MIT
// Overlaps of orbitals: C S C^T, with the overlap matrix S of the basis functions, which is computed in strips of rows,
// so that it is never in memory as a whole. Pairs of distant functions are left out.
#ifndef ORB_OVERLAP_H
#define ORB_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "gaussian_overlap.h"
#include "wave_function.h"

// Factors of functions, which are of one family, in the order of the sets (orb_function_sets.order).
struct orb_scaling {
    enum orb_family family;
    double *factor; // [functions]
};

struct orb_overlap_task {
    const struct orb_wave_function *w;
    const struct orb_function_sets *sets;
    size_t orbitals;
    const size_t *orbital; // [orbitals] ascending numbers
    bool of_one_spin;      // only pairs of equal spins are computed
    size_t scalings;
    const struct orb_scaling *scaling;
    // Gets each overlap once, with j <= i if the spins of both are equal. i and j are numbers of orbitals.
    void (*take)(void *arg, size_t scaling, size_t i, size_t j, double overlap);
    void *arg;
};

// Calls `take` in a fixed order: scaling by scaling.
int orb_overlaps(const struct orb_overlap_task *task, struct trj_error *err);

// Sets *trace to trace(P S) of a density matrix P of the functions, which is symmetric.
int orb_overlap_trace(const struct orb_function_sets *sets, const struct orb_scaling *scaling, const double *matrix,
                      double *trace, struct trj_error *err);

#endif
