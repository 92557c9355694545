// SPDX-License-Identifier: MIT
// Finds the atoms that have another atom within a distance. Atoms are sorted into a grid of small boxes along a reduced
// basis: the periodic vectors, completed by unit vectors that are orthogonal to them. For each atom, the boxes that can
// contain a neighbour are searched, nearest first, until one is found. Positions are wrapped for that, which rounds
// them. A distance whose difference from the radius is within the rounding error is computed again by the rule of
// neighbours.h.
#include "neighbours.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { FINEST = 4 }; // maximum number of boxes per radius; smaller boxes cost more visits than they save distances

struct point {
    double x[3]; // wrapped
    uint32_t atom;
};

struct offset {
    int by[3];
    double distance; // between the centres of the boxes
    bool sure;       // all atoms of one box are near all atoms of the other
};

struct step {    // along one vector
    int box;     // -1: outside the grid
    int periods; // number of periods between the boxes
};

// State of the atoms in a box: all are far, all are near, or each atom must be looked up.
enum box_state { UNKNOWN, FAR, NEAR, MIXED };

struct grid {
    const struct trj_frame *f;
    double radius, rounding; // Å
    double max, min;         // Å^2: larger squares are far and smaller ones near in spite of rounding
    bool periodic[3];
    double b[3][3], g[3][3]; // basis, reciprocal
    double t[3][3];          // b[k] = t[k][0] h[0] + t[k][1] h[1] + t[k][2] h[2]: whole numbers, 0 if k is not periodic
    double reach[3];         // maximum difference of the nearest image along periodic vectors, in units of b[k]
    double low[3];           // of the first box, in units of b[k]
    int n[3];                // boxes
    double scale[3];         // boxes per unit of b[k]
    struct point *points;    // [point_count] ordered by box
    size_t point_count;
    uint32_t *first; // [boxes + 1] number of the first point of each box
    unsigned char *state;
    struct offset *offsets; // nearest first
    size_t offset_count;
    int far[3];            // largest |by|
    struct step *steps[3]; // [2 far + 1] from the current box
};

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm(const double a[3]) {
    return sqrt(dot(a, a));
}

// ------------------------------------------------------------------------------------------------------------- basis

// Returns a unit vector orthogonal to the `count` vectors `across`, from the axis with the largest orthogonal part.
static void add_upright(double across[3][3], int count, double v[3]) {
    double best = -1;
    for (int axis = 0; axis < 3; axis++) {
        double u[3] = {axis == 0, axis == 1, axis == 2};
        for (int round = 0; round < 2; round++) // twice: the second round removes the rounding error of the first
            for (int i = 0; i < count; i++) {
                double along = dot(u, across[i]);
                for (int k = 0; k < 3; k++) u[k] -= along * across[i][k];
            }
        double length = norm(u);
        if (length <= best) continue;
        best = length;
        for (int k = 0; k < 3; k++) v[k] = u[k] / length;
    }
}

static int make_basis(struct grid *q, struct trj_error *err) {
    struct trj_cell cell = q->f->cell;
    double across[3][3];
    int count = 0;
    if (trj_cell_reduce(&cell, q->t, err)) return -1;
    for (int k = 0; k < 3; k++) {
        q->periodic[k] = cell.periodic & (1u << k);
        if (q->periodic[k]) memcpy(q->b[k], cell.h[k], sizeof q->b[k]);
    }
    for (int k = 0; k < 3; k++) { // an orthonormal basis of the span of the periodic vectors
        if (!q->periodic[k]) continue;
        double *u = across[count];
        memcpy(u, q->b[k], sizeof across[count]);
        for (int i = 0; i < count; i++) {
            double along = dot(u, across[i]);
            for (int c = 0; c < 3; c++) u[c] -= along * across[i][c];
        }
        double length = norm(u);
        for (int c = 0; c < 3; c++) u[c] /= length;
        count++;
    }
    for (int k = 0; k < 3; k++) {
        if (q->periodic[k]) continue;
        add_upright(across, count, q->b[k]);
        memcpy(across[count++], q->b[k], sizeof across[0]);
    }
    memcpy(cell.h, q->b, sizeof cell.h);
    cell.periodic = TRJ_PERIODIC_ALL;
    trj_cell_reciprocal(&cell, q->g);
    return 0;
}

// The nearest image v = sum f_k b_k of a displacement obeys |v . b_k| <= b_k . b_k / 2, since b_k would shorten it
// otherwise. With the inverse of the matrix of products b_j . b_k, whose elements are g_j . g_k, this bounds f_k.
static void bound_images(struct grid *q) {
    for (int k = 0; k < 3; k++) {
        q->reach[k] = INFINITY;
        if (!q->periodic[k]) continue;
        q->reach[k] = 0;
        for (int j = 0; j < 3; j++)
            if (q->periodic[j]) q->reach[k] += fabs(dot(q->g[k], q->g[j])) * dot(q->b[j], q->b[j]) / 2;
    }
}

// --------------------------------------------------------------------------------------------------------- positions

// Rounds down. Positions along the basis do not exceed TRJ_FARTHEST / TRJ_SHORTEST.
static double whole(double s) {
    double cut = (double)(int64_t)s;
    return cut - (cut > s);
}

// Computes the wrapped position of an atom along the basis, and the number of periods by which it was moved.
static void place(const struct grid *q, size_t atom, double s[3], double wraps[3], double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = (double)q->f->x[k][atom] * q->f->unit;
    for (int k = 0; k < 3; k++) {
        s[k] = dot(q->g[k], x);
        wraps[k] = q->periodic[k] ? whole(s[k]) : 0;
        s[k] -= wraps[k];
    }
    for (int k = 0; k < 3; k++) x[k] -= (wraps[0] * q->b[0][k] + wraps[1] * q->b[1][k]) + wraps[2] * q->b[2][k];
}

// Finds the largest coordinate of the atoms that take part, and the number of atoms in `targets`.
static int look_over(struct grid *q, const unsigned char *targets, const unsigned char *mask, double *largest,
                     struct trj_error *err) {
    *largest = 0;
    for (size_t i = 0; i < q->f->atoms; i++) {
        if (!targets[i] && !mask[i]) continue;
        if (trj_frame_check_far(q->f, i, err)) return -1;
        for (int k = 0; k < 3; k++) *largest = fmax(*largest, fabs((double)q->f->x[k][i] * q->f->unit));
        q->point_count += targets[i];
    }
    return 0;
}

// Returns the error bound of wrapped positions in Å: a few roundings of the largest terms of the sums, which are
// coordinates, and multiples of lattice vectors, which exceed their sum by up to |g_k| |h_k| in a skewed cell.
static void bound_rounding(struct grid *q, double largest) {
    double skew = 1, g[3][3];
    trj_cell_reciprocal(&q->f->cell, g);
    for (int k = 0; k < 3; k++) {
        if (!q->periodic[k]) continue;
        skew = fmax(skew, norm(g[k]) * norm(q->f->cell.h[k]));
        largest = fmax(largest, norm(q->f->cell.h[k]));
    }
    q->rounding = 256 * (DBL_EPSILON / 2) * skew * largest;
    double outer = q->radius + q->rounding, inner = q->radius - q->rounding, scale = 16 * DBL_EPSILON;
    q->max = outer * outer * (1 + scale);
    q->min = inner > 0 ? inner * inner * (1 - scale) : -1;
}

// -------------------------------------------------------------------------------------------------------------- boxes

// Chooses the size of the boxes: the radius, or a part of it if such a box has many atoms; larger if there would be
// more boxes than atoms.
static void size_boxes(struct grid *q, const double low[3], const double high[3]) {
    double span[3], volume = 1; // span in Å, between lattice planes
    for (int k = 0; k < 3; k++) {
        q->low[k] = q->periodic[k] ? 0 : low[k] - q->radius - q->rounding;
        span[k] = q->periodic[k] ? 1 / norm(q->g[k]) : high[k] + q->radius + q->rounding - q->low[k];
        volume *= fmax(span[k], 1);
    }
    double count = (double)q->point_count, in_radius = pow(q->radius, 3) * fmax(count / volume, 0.03);
    double parts = fmin(FINEST, fmax(1, ceil(cbrt(in_radius / 4))));
    double edge = fmax(q->radius / parts, 0.5 * cbrt(volume / count)), boxes = 1, max = 8 * count + 64;
    double n[3];
    for (int k = 0; k < 3; k++) {
        n[k] = fmin(fmax(floor(span[k] / edge), 1), 1 << 20);
        boxes *= n[k];
    }
    while (boxes > max) {
        int k = n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
        boxes /= n[k];
        n[k] = ceil(n[k] / 2);
        boxes *= n[k];
    }
    for (int k = 0; k < 3; k++) {
        q->n[k] = (int)n[k];
        q->scale[k] = q->periodic[k] ? n[k] : n[k] / span[k];
    }
}

static int box_along(const struct grid *q, int k, double s) {
    double position = (s - q->low[k]) * q->scale[k];
    return position >= q->n[k] ? q->n[k] - 1 : position > 0 ? (int)position : 0;
}

static size_t box_number(const struct grid *q, const int box[3]) {
    return ((size_t)box[0] * (size_t)q->n[1] + (size_t)box[1]) * (size_t)q->n[2] + (size_t)box[2];
}

static size_t box_count(const struct grid *q) {
    return (size_t)q->n[0] * (size_t)q->n[1] * (size_t)q->n[2];
}

// Sorts n elements by their boxes: those in box b are (*order)[(*first)[b]] to (*order)[(*first)[b + 1] - 1].
static int sort_boxes(const uint32_t *box, size_t n, size_t boxes, uint32_t **first, uint32_t **order,
                      struct trj_error *err) {
    *order = NULL;
    if (!(*first = trj_alloc(boxes + 1, sizeof **first, "a grid", err)) ||
        !(*order = trj_alloc(n, sizeof **order, "a grid", err)))
        return -1;
    for (size_t i = 0; i < n; i++) (*first)[box[i]]++;
    // The sums give the ends of boxes; filling from the end turns them into starts.
    for (size_t b = 1; b <= boxes; b++) (*first)[b] += (*first)[b - 1];
    for (size_t i = n; i-- > 0;) (*order)[--(*first)[box[i]]] = (uint32_t)i;
    return 0;
}

static int fill(struct grid *q, const unsigned char *targets, struct trj_error *err) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, s[3], wraps[3];
    int rc = -1;
    size_t n = 0;
    uint32_t *order = NULL, *box = trj_alloc(q->point_count, sizeof *box, "atoms that are near", err);
    struct point *points = trj_alloc(q->point_count, sizeof *points, "atoms that are near", err);
    if (!box || !points) goto out;
    for (size_t i = 0; i < q->f->atoms; i++) {
        if (!targets[i]) continue;
        points[n].atom = (uint32_t)i;
        place(q, i, s, wraps, points[n++].x);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], s[k]);
            high[k] = fmax(high[k], s[k]);
        }
    }
    size_boxes(q, low, high);
    for (size_t i = 0; i < n; i++) {
        double x[3];
        int along[3];
        place(q, points[i].atom, s, wraps, x);
        for (int k = 0; k < 3; k++) along[k] = box_along(q, k, s[k]);
        box[i] = (uint32_t)box_number(q, along);
    }
    if (!(q->points = trj_alloc(n, sizeof *q->points, "atoms that are near", err)) ||
        sort_boxes(box, n, box_count(q), &q->first, &order, err))
        goto out;
    for (size_t i = 0; i < n; i++) q->points[i] = points[order[i]];
    rc = 0;
out:
    free(box);
    free(order);
    free(points);
    return rc;
}

static int by_distance(const void *a, const void *b) {
    const struct offset *x = a, *y = b;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

// Lists the boxes that can contain neighbours of atoms in a box. The difference of two points in boxes whose centres
// differ by c is c + sum u_k e_k with |u_k| <= 1, where e_k are the edges of a box.
static int list_offsets(struct grid *q, struct trj_error *err) {
    double e[3][3], half = 0;
    size_t capacity = 0;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) e[k][c] = q->b[k][c] / q->scale[k];
    for (int signs = 0; signs < 4; signs++) {
        double sum[3];
        for (int c = 0; c < 3; c++) sum[c] = e[0][c] + (signs & 1 ? 1 : -1) * e[1][c] + (signs & 2 ? 1 : -1) * e[2][c];
        half = fmax(half, norm(sum));
    }
    half = half * (1 + 1e-9) + 2 * q->rounding;
    for (int k = 0; k < 3; k++) {
        double boxes = (q->radius + 2 * q->rounding) * norm(q->g[k]);
        boxes = fmin(boxes, q->reach[k]) * q->scale[k] * (1 + 1e-9);
        q->far[k] = (int)fmin(floor(boxes) + 1, q->periodic[k] ? 1 << 20 : q->n[k]);
        q->steps[k] = trj_alloc(2 * (size_t)q->far[k] + 1, sizeof *q->steps[k], "a grid", err);
        if (!q->steps[k]) return -1;
    }
    int o[3];
    for (o[0] = -q->far[0]; o[0] <= q->far[0]; o[0]++)
        for (o[1] = -q->far[1]; o[1] <= q->far[1]; o[1]++)
            for (o[2] = -q->far[2]; o[2] <= q->far[2]; o[2]++) {
                double c[3];
                for (int k = 0; k < 3; k++) c[k] = o[0] * e[0][k] + o[1] * e[1][k] + o[2] * e[2][k];
                double distance = norm(c);
                if (distance - half > q->radius * (1 + 1e-9)) continue;
                if (trj_grow(&q->offsets, &capacity, q->offset_count + 1, sizeof *q->offsets, "a grid", err)) return -1;
                q->offsets[q->offset_count++] =
                    (struct offset){{o[0], o[1], o[2]}, distance, distance + half < q->radius * (1 - 1e-9)};
            }
    qsort(q->offsets, q->offset_count, sizeof *q->offsets, by_distance);
    return 0;
}

// ------------------------------------------------------------------------------------------------------------ lookup

// Applies the rule. The image of `from` next to `to` follows from the periods by which both were moved, and from the
// periods between the boxes.
static bool is_near(const struct grid *q, size_t from, size_t to, const int periods[3]) {
    double s[3], x[3], from_wraps[3], to_wraps[3], n[3] = {0}, d[3];
    place(q, from, s, from_wraps, x);
    place(q, to, s, to_wraps, x);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) n[c] += (from_wraps[k] - to_wraps[k] - periods[k]) * q->t[k][c];
    const double(*h)[3] = q->f->cell.h;
    for (int c = 0; c < 3; c++) {
        double gap = (double)q->f->x[c][to] * q->f->unit - (double)q->f->x[c][from] * q->f->unit;
        d[c] = gap + ((n[0] * h[0][c] + n[1] * h[1][c]) + n[2] * h[2][c]);
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= q->radius * q->radius;
}

// Computes the steps from a box.
static void stand_in(struct grid *q, size_t number) {
    const int box[3] = {(int)(number / (size_t)q->n[2] / (size_t)q->n[1]),
                        (int)(number / (size_t)q->n[2] % (size_t)q->n[1]), (int)(number % (size_t)q->n[2])};
    for (int k = 0; k < 3; k++)
        for (int by = -q->far[k]; by <= q->far[k]; by++) {
            struct step *step = &q->steps[k][by + q->far[k]];
            int i = box[k] + by, n = q->n[k];
            step->periods = i < 0 ? -((n - 1 - i) / n) : i / n;
            step->box = step->periods && !q->periodic[k] ? -1 : i - step->periods * n;
        }
}

// Returns the box at an offset from the current one; SIZE_MAX: outside the grid.
static size_t neighbour(const struct grid *q, const struct offset *o, int periods[3]) {
    int box[3];
    for (int k = 0; k < 3; k++) {
        const struct step *step = &q->steps[k][o->by[k] + q->far[k]];
        if (step->box < 0) return SIZE_MAX;
        box[k] = step->box;
        periods[k] = step->periods;
    }
    return box_number(q, box);
}

static bool has_points(const struct grid *q, size_t box) {
    return box != SIZE_MAX && q->first[box] < q->first[box + 1];
}

// Determines the state of a box.
static enum box_state judge(struct grid *q, size_t box) {
    int periods[3];
    stand_in(q, box);
    for (size_t i = 0; i < q->offset_count; i++)
        if (has_points(q, neighbour(q, &q->offsets[i], periods)))
            return q->offsets[i].sure ? NEAR : MIXED; // sure offsets come first
    return FAR;
}

// Determines the state of all boxes, starting from those with points. This takes fewer steps if most boxes are far from
// all.
static void judge_all(struct grid *q, size_t boxes) {
    int periods[3];
    memset(q->state, FAR, boxes);
    for (size_t box = 0; box < boxes; box++) {
        if (!has_points(q, box)) continue;
        stand_in(q, box);
        for (size_t i = 0; i < q->offset_count; i++) {
            size_t other = neighbour(q, &q->offsets[i], periods);
            if (other != SIZE_MAX && q->state[other] != NEAR) q->state[other] = q->offsets[i].sure ? NEAR : MIXED;
        }
    }
}

static int make_states(struct grid *q, struct trj_error *err) {
    size_t boxes = box_count(q), taken = 0;
    if (!(q->state = trj_alloc(boxes, sizeof *q->state, "a grid", err))) return -1;
    for (size_t box = 0; box < boxes; box++) taken += has_points(q, box);
    if (taken < boxes / 8) judge_all(q, boxes);
    return 0;
}

// The points of a box in the surroundings of another box, as seen from that one.
struct surrounding {
    size_t box;
    int periods[3];
    double shift[3];
};

static size_t list_surroundings(struct grid *q, size_t box, struct surrounding *list) {
    size_t n = 0;
    stand_in(q, box);
    for (size_t i = 0; i < q->offset_count; i++) {
        struct surrounding *r = &list[n];
        r->box = neighbour(q, &q->offsets[i], r->periods);
        if (!has_points(q, r->box)) continue;
        for (int c = 0; c < 3; c++)
            r->shift[c] = r->periods[0] * q->b[0][c] + r->periods[1] * q->b[1][c] + r->periods[2] * q->b[2][c];
        n++;
    }
    return n;
}

static bool look_up(const struct grid *q, size_t atom, const struct surrounding *list, size_t count) {
    double s[3], wraps[3], x[3];
    place(q, atom, s, wraps, x);
    for (const struct surrounding *r = list; r < list + count; r++) {
        const double y[3] = {x[0] - r->shift[0], x[1] - r->shift[1], x[2] - r->shift[2]};
        for (size_t p = q->first[r->box]; p < q->first[r->box + 1]; p++) {
            const double *z = q->points[p].x, d[3] = {y[0] - z[0], y[1] - z[1], y[2] - z[2]}, r2 = dot(d, d);
            if (r2 > q->max) continue;
            if (r2 < q->min || is_near(q, q->points[p].atom, atom, r->periods)) return true;
        }
    }
    return false;
}

// Returns the box that contains an atom; SIZE_MAX if it is too far from all boxes.
static size_t find_box(const struct grid *q, size_t atom) {
    double s[3], wraps[3], x[3];
    int along[3];
    place(q, atom, s, wraps, x);
    for (int k = 0; k < 3; k++) {
        if (!q->periodic[k] && (s[k] < q->low[k] || (s[k] - q->low[k]) * q->scale[k] > q->n[k])) return SIZE_MAX;
        along[k] = box_along(q, k, s[k]);
    }
    return box_number(q, along);
}

// The state of its box decides most atoms. The others are looked up, box by box.
static int mark(struct grid *q, const unsigned char *targets, unsigned char *mask, struct trj_error *err) {
    size_t n = 0, boxes = box_count(q);
    int rc = -1;
    uint32_t *first = NULL, *order = NULL;
    uint32_t *atoms = trj_alloc(q->f->atoms, sizeof *atoms, "atoms that may be near", err);
    uint32_t *box = trj_alloc(q->f->atoms, sizeof *box, "atoms that may be near", err);
    struct surrounding *list = trj_alloc(q->offset_count, sizeof *list, "a grid", err);
    if (!atoms || !box || !list) goto out;
    for (size_t i = 0; i < q->f->atoms; i++) {
        if (!mask[i] || targets[i]) continue;
        size_t position = find_box(q, i);
        if (position != SIZE_MAX && q->state[position] == UNKNOWN)
            q->state[position] = (unsigned char)judge(q, position);
        mask[i] = position != SIZE_MAX && q->state[position] != FAR;
        if (!mask[i] || q->state[position] == NEAR) continue;
        atoms[n] = (uint32_t)i;
        box[n++] = (uint32_t)position;
    }
    if (sort_boxes(box, n, boxes, &first, &order, err)) goto out;
    for (size_t b = 0; b < boxes; b++) {
        if (first[b] == first[b + 1]) continue;
        size_t count = list_surroundings(q, b, list);
        for (size_t i = first[b]; i < first[b + 1]; i++) {
            uint32_t atom = atoms[order[i]];
            mask[atom] = look_up(q, atom, list, count);
        }
    }
    rc = 0;
out:
    free(atoms);
    free(box);
    free(list);
    free(first);
    free(order);
    return rc;
}

int trj_neighbours_filter(const struct trj_frame *f, double radius, const unsigned char *targets, unsigned char *mask,
                          struct trj_error *err) {
    // A radius larger than every possible distance is replaced by the largest one.
    struct grid q = {.f = f, .radius = fmin(radius, 16 * TRJ_FARTHEST)};
    double largest;
    int rc = -1;
    if (look_over(&q, targets, mask, &largest, err)) return -1;
    if (!q.point_count) {
        memset(mask, 0, f->atoms);
        return 0;
    }
    if (make_basis(&q, err)) return -1;
    bound_images(&q);
    bound_rounding(&q, largest);
    if (!fill(&q, targets, err) && !list_offsets(&q, err) && !make_states(&q, err)) rc = mark(&q, targets, mask, err);
    free(q.points);
    free(q.first);
    free(q.state);
    free(q.offsets);
    for (int k = 0; k < 3; k++) free(q.steps[k]);
    return rc;
}
