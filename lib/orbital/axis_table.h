// SPDX-License-Identifier: MIT
// Tables of x^i exp(-a x^2), and of its derivatives, at the points of a lattice along one axis, where x is the distance
// from the centre of a group of primitives. Points are divided into blocks of a fixed width, by their absolute indices.
// A group has only the blocks that it reaches, so that the memory grows with the number of atoms.
#ifndef ORB_AXIS_TABLE_H
#define ORB_AXIS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "combination.h"
#include "error.h"
#include "host_and_device.h"
#include "orbital_kernel.h"

struct orb_axis_group {
    uint32_t first, end; // its blocks
    uint32_t powers;
    size_t value, maximum; // its first ones
};

struct orb_axis {
    uint64_t n; // points origin + i step
    double origin, step;
    uint32_t width;  // points of a block
    uint32_t orders; // 1: values; 2: with first derivatives; 3: with second ones
    uint32_t blocks;
    struct orb_axis_group *group; // [groups]
    double *value;                // of a group: [blocks][orders][powers][width]; 0 after the end of the lattice
    double *maximum; // of a group: [1 + blocks][powers]: largest magnitude, over all orders, in all blocks and in each
    size_t values, maxima; // lengths of `value` and `maximum`
};

TRJ_HOST_DEVICE const double *orb_axis_value(const struct orb_axis *a, uint32_t group, uint32_t block, uint32_t order,
                                             uint32_t power) {
    const struct orb_axis_group *g = &a->group[group];
    return a->value + g->value +
           (((size_t)(block - g->first) * a->orders + order) * g->powers + power) * (size_t)a->width;
}
TRJ_HOST_DEVICE const double *orb_axis_maximum(const struct orb_axis *a, uint32_t group, uint32_t block) {
    const struct orb_axis_group *g = &a->group[group];
    return a->maximum + g->maximum + (size_t)(1 + block - g->first) * g->powers;
}

// Sets *high + *low to the distance of the first point from a centre, as a sum of two numbers, so that distances of
// points near the centre are exact.
TRJ_HOST_DEVICE void orb_axis_start(const struct orb_axis *a, double centre, double *high, double *low) {
    const double minus = -centre, sum = a->origin + minus, part = sum - a->origin;
    *high = sum;
    *low = (a->origin - (sum - part)) + (minus - part);
}

// Sets largest[powers] to the largest |x^power exp(-exponent x^2)| at the points, for each power.
void orb_axis_largest(const struct orb_axis *a, double centre, double exponent, uint32_t powers,
                      const struct orb_kernel *kernel, double *largest);
// Returns the largest x^power exp(-exponent x^2) of all x, to a few units in the last place.
double orb_axis_peak(double exponent, uint32_t power);
// Returns an upper bound of x^i exp(-exponent x^2) and of its derivatives for all x and for i < powers.
double orb_axis_bound(double exponent, uint32_t powers, uint32_t orders);

// Returns a distance from the centre beyond which x^i exp(-exponent x^2) and its derivatives are at most `need`, for
// i < powers; -1 if `need` is infinite.
double orb_axis_reach(double exponent, uint32_t powers, uint32_t orders, double need);

// Makes the table of axis `axis` (0 to 2). `far` [groups] has a distance from the centre for each group: blocks beyond
// it are left out; with -1, all are. Fails with TRJ_FAILED for lack of memory. Returns 1 and makes no table if it would
// have more than ORB_AXIS_VALUES values. The caller has set the members up to `orders`. Without a kernel (NULL), the
// groups are set, but value and maximum are NULL, for an engine that computes them elsewhere, by orb_axis_block.
#define ORB_AXIS_VALUES ((size_t)1 << 27)
int orb_axis_make(struct orb_axis *a, const struct orb_combinations *c, const struct orb_basis *b, int axis,
                  const double *far, const struct orb_kernel *kernel, struct trj_error *err);
void orb_axis_free(struct orb_axis *a);

// Returns the block that begins with the first point of the axis, of a group with this exponent and `powers` powers
// whose centre has this coordinate.
struct orb_axis_block orb_axis_block(const struct orb_axis *a, double centre, double exponent, uint32_t powers);

#endif
