// SPDX-License-Identifier: MIT
// Contains the geometry of lattices: checks, inverse steps, and the relation to the unit cell of frames.
#include "map_lattice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double shortest_step(const struct trj_map_lattice *l) {
    return fmin(length_of(l->step[0]), fmin(length_of(l->step[1]), length_of(l->step[2])));
}

static struct trj_cell cell_of_steps(const struct trj_map_lattice *l) {
    struct trj_cell cell = {.periodic = TRJ_PERIODIC_ALL};
    memcpy(cell.h, l->step, sizeof cell.h);
    return cell;
}

static int check_points(const struct trj_map_lattice *l, struct trj_error *err) {
    uint64_t points = 1;
    for (int k = 0; k < 3; k++)
        if (!l->n[k] || __builtin_mul_overflow(points, l->n[k], &points) || points > TRJ_MAP_POINTS_MAX)
            return trj_fail(err, TRJ_BAD_DATA,
                            "invalid lattice of %llu x %llu x %llu points: expected at least 1 along each axis, and at "
                            "most 2^40 in total",
                            (unsigned long long)l->n[0], (unsigned long long)l->n[1], (unsigned long long)l->n[2]);
    return 0;
}

int trj_map_lattice_check(const struct trj_map_lattice *l, struct trj_error *err) {
    if (check_points(l, err)) return -1;
    for (int k = 0; k < 3; k++) {
        double length = length_of(l->step[k]);
        if (!(length >= TRJ_SHORTEST && length * (double)l->n[k] <= TRJ_FARTHEST))
            return trj_fail(err, TRJ_BAD_DATA,
                            "invalid lattice: axis %d has %llu steps of %g Å, expected steps of at least %g Å, and a "
                            "length of at most %g Å",
                            k, (unsigned long long)l->n[k], length, TRJ_SHORTEST, TRJ_FARTHEST);
        if (!(fabs(l->origin[k]) <= TRJ_FARTHEST))
            return trj_fail(err, TRJ_BAD_DATA,
                            "invalid lattice: the origin is %g %g %g Å, expected magnitudes of at most %g Å",
                            l->origin[0], l->origin[1], l->origin[2], TRJ_FARTHEST);
    }
    if (l->periodic & ~(unsigned)TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA, "invalid lattice: unknown periodic axes (%u)", l->periodic);
    struct trj_cell cell = cell_of_steps(l);
    return trj_cell_restrict(&cell, TRJ_PERIODIC_ALL, err) ? trj_fail_at(err, "steps of the lattice") : 0;
}

uint64_t trj_map_lattice_points(const struct trj_map_lattice *l) {
    return l->n[0] * l->n[1] * l->n[2];
}

uint64_t trj_map_lattice_plane(const struct trj_map_lattice *l) {
    return l->n[0] * l->n[1];
}

struct trj_map_slab trj_map_lattice_slab(const struct trj_map_lattice *l, struct trj_map_slab slab) {
    return slab.planes ? slab : (struct trj_map_slab){0, l->n[2]};
}

void trj_map_lattice_position(const struct trj_map_lattice *l, const double index[3], double position[3]) {
    for (int k = 0; k < 3; k++)
        position[k] = l->origin[k] + index[0] * l->step[0][k] + index[1] * l->step[1][k] + index[2] * l->step[2][k];
}

void trj_map_lattice_indices(const struct trj_map_lattice *l, uint64_t number, uint64_t index[3]) {
    index[0] = number % l->n[0];
    index[1] = number / l->n[0] % l->n[1];
    index[2] = number / l->n[0] / l->n[1];
}

void trj_map_lattice_point(const struct trj_map_lattice *l, uint64_t number, double position[3]) {
    uint64_t i[3];
    trj_map_lattice_indices(l, number, i);
    trj_map_lattice_position(l, (const double[3]){(double)i[0], (double)i[1], (double)i[2]}, position);
}

struct trj_map_point_text trj_map_lattice_point_text(const struct trj_map_lattice *l, uint64_t number) {
    struct trj_map_point_text t;
    uint64_t i[3];
    trj_map_lattice_indices(l, number, i);
    snprintf(t.text, sizeof t.text, "%llu, %llu, %llu", (unsigned long long)i[0], (unsigned long long)i[1],
             (unsigned long long)i[2]);
    return t;
}

void trj_map_lattice_inverse(const struct trj_map_lattice *l, double g[3][3]) {
    struct trj_cell cell = cell_of_steps(l);
    trj_cell_reciprocal(&cell, g);
}

int trj_map_lattice_neighbours(const struct trj_map_lattice *l, int axis, double u, uint64_t point[2], double *weight) {
    double n = (double)l->n[axis];
    bool periodic = l->periodic & 1u << axis;
    if (periodic)
        u -= floor(u / n) * n;
    else if (!(u >= -TRJ_MAP_NEAR && u <= n - 1 + TRJ_MAP_NEAR))
        return 0;
    double low = floor(u), part = u - low;
    if (part > 1 - TRJ_MAP_NEAR) {
        low++;
        part = 0;
    }
    if (part < TRJ_MAP_NEAR) part = 0;
    // Rounding can give a point that does not exist; along a periodic axis, n is an image of 0.
    if (low < 0) low = 0;
    if (low >= n) low = periodic ? 0 : n - 1;
    point[0] = (uint64_t)low;
    point[1] = point[0] + 1 < l->n[axis] ? point[0] + 1 : 0;
    *weight = part;
    return part > 0 ? 2 : 1;
}

double trj_map_lattice_voxel(const struct trj_map_lattice *l) {
    struct trj_cell cell = cell_of_steps(l);
    return trj_cell_volume(&cell);
}

struct trj_cell trj_map_lattice_cell(const struct trj_map_lattice *l) {
    struct trj_cell cell = {.periodic = l->periodic};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) cell.h[k][i] = (double)l->n[k] * l->step[k][i];
    return cell;
}

int trj_map_lattice_divide(struct trj_map_lattice *l, const struct trj_cell *cell, const uint64_t n[3],
                           struct trj_error *err) {
    *l = (struct trj_map_lattice){.periodic = cell->periodic};
    memcpy(l->n, n, sizeof l->n);
    if (check_points(l, err)) return -1;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) l->step[k][i] = cell->h[k][i] / (double)n[k];
    return trj_map_lattice_check(l, err);
}

int trj_map_lattice_cover(struct trj_map_lattice *l, const struct trj_cell *cell, double spacing,
                          struct trj_error *err) {
    uint64_t n[3];
    for (int k = 0; k < 3; k++) {
        double steps = ceil(length_of(cell->h[k]) / spacing - 1e-6);
        if (!(spacing > 0 && steps <= (double)TRJ_MAP_POINTS_MAX))
            return trj_fail(err, TRJ_BAD_DATA,
                            "a step of %g Å divides the cell into too many points; give a longer one", spacing);
        n[k] = steps > 1 ? (uint64_t)steps : 1;
    }
    return trj_map_lattice_divide(l, cell, n, err);
}

bool trj_map_lattice_same(const struct trj_map_lattice *a, const struct trj_map_lattice *b, double tolerance) {
    if (memcmp(a->n, b->n, sizeof a->n) != 0 || a->periodic != b->periodic) return false;
    // The difference of two positions is linear in the indices, so that it is largest at a corner.
    for (unsigned corner = 0; corner < 8; corner++) {
        double index[3], p[3], q[3];
        for (int k = 0; k < 3; k++) index[k] = corner & 1u << k ? (double)a->n[k] - 1 : 0;
        trj_map_lattice_position(a, index, p);
        trj_map_lattice_position(b, index, q);
        for (int k = 0; k < 3; k++) p[k] -= q[k];
        if (!(length_of(p) <= tolerance * shortest_step(a))) return false;
    }
    // With one point along an axis, the corners do not depend on its step.
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            if (!(fabs(a->step[k][i] - b->step[k][i]) <= tolerance * shortest_step(a))) return false;
    return true;
}

bool trj_map_lattice_is_aligned(const struct trj_map_lattice *l) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            if (i == k ? !(l->step[k][i] > 0) : l->step[k][i] != 0) return false;
    return true;
}

// Verifies that the periods of the lattice are vectors of the cell, to within a millionth of a step.
static int check_period(const struct trj_map_lattice *l, const struct trj_cell *cell, struct trj_error *err) {
    struct trj_cell period = trj_map_lattice_cell(l);
    for (int k = 0; k < 3; k++) {
        double apart = 0, step = 0;
        if (l->periodic & ~cell->periodic & 1u << k)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the cell is not periodic along vector %d, but the lattice is; give a fixed lattice "
                            "(--origin, --steps)",
                            k);
        for (int c = 0; c < 3 && l->periodic >> k & 1; c++) {
            apart += (period.h[k][c] - cell->h[k][c]) * (period.h[k][c] - cell->h[k][c]);
            step += l->step[k][c] * l->step[k][c];
        }
        if (apart <= 1e-12 * step) continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "the cell differs from that of the lattice, in vector %d by %.4g Å; add --fractional to move "
                        "the points with the cell, or give a fixed lattice (--origin, --steps)",
                        k, sqrt(apart));
    }
    return 0;
}

int trj_map_lattice_in_cell(struct trj_map_lattice *to, const struct trj_map_lattice *l, bool fractional,
                            const struct trj_cell *cell, struct trj_error *err) {
    *to = *l;
    if (!fractional) return check_period(l, cell, err);
    if (cell->periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the frame has no cell that is periodic in three directions, which --fractional requires; give "
                        "a cell, or a fixed lattice");
    return trj_map_lattice_divide(to, cell, l->n, err);
}
