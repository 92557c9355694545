// SPDX-License-Identifier: MIT
// What profiles contain: numbers, masses and charges of atoms, and orientations of molecules or vectors.
#ifndef OBS_PROFILE_QUANTITIES_H
#define OBS_PROFILE_QUANTITIES_H

#include <stddef.h>

#include "error.h"
#include "observable.h"
#include "profile_geometry.h"
#include "system.h"

// The functions of profiles, which are no observables of a frame: number(A), mass(A), charge(A), dipole(A), vector(A,
// B). Their columns are densities, or means over what is in a bin. They end with NULL.
extern const struct obs_function *const obs_profile_functions[];

// A function adds rows of sums in a frame: the number of atoms, molecules or vectors in each bin, and those below.
enum { OBS_PROFILE_SUMS_MAX = 3 };
struct obs_profile_quantity {
    enum obs_profile_kind {
        OBS_PROFILE_DENSITY,     // the last sum, times `unit`, divided by the volume of the bin
        OBS_PROFILE_ORIENTATION, // sums of cos and of (3 cos^2 - 1)/2, of angles with the direction of the coordinate
    } kind;
    size_t sums;            // 1 to OBS_PROFILE_SUMS_MAX
    const char *count_name; // column of the numbers, such as "atoms"; NULL: the table does not contain them
    double unit;
    // Adds to sum[sums][bins]; *outside is increased by the number of those in no bin.
    int (*add)(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f, double *sum,
               double *outside, struct trj_error *err);
};

// Returns the quantity of one of the functions.
const struct obs_profile_quantity *obs_profile_quantity_of(const struct obs_function *f);

#endif
