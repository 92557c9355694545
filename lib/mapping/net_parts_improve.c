// SPDX-License-Identifier: MIT
// Improves the parts of a lattice: balanced k-means, in which pairs of parts exchange points, and swaps of two points.
//
// Both keep the sizes of all parts, because points only change places. Pairs of parts are those with near centres. The
// order of all steps depends on the input only.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "net_parts.h"

enum { NEAR = 20, MAX_SWEEPS = 50, MAX_SWAP_PART = 256 };

struct candidate {
    double cost;
    uint32_t id;
};

struct improver {
    struct net_parts *d;
    const struct net_points *p;
    unsigned squarings;         // of distances: the power is 2^squarings
    size_t largest;             // points of a part
    double *centre;             // [parts][dimensions]
    struct candidate *sorted;   // [parts] by one coordinate of the centres
    double *radius;             // [parts] distance up to which the part has met the others in this sweep; 0: none
    struct candidate *turn;     // [parts] their places in `sorted`, in the order of swaps
    uint32_t *changed;          // [parts] sweep in which the part changed last
    struct candidate *out, *in; // [largest] points of two parts
    double *cost;               // [2 * largest][2 * largest] of pairs of points of two parts
    double *change;             // [2 * largest] of the sums, if the point changes its part
    uint64_t *work;
};

static void improver_free(struct improver *m) {
    free(m->centre);
    free(m->sorted);
    free(m->radius);
    free(m->turn);
    free(m->changed);
    free(m->out);
    free(m->in);
    free(m->cost);
    free(m->change);
}

static double power_of(const struct improver *m, double distance) {
    for (unsigned i = 0; i < m->squarings; i++) distance *= distance;
    return distance;
}

// Returns the way from b to a along a dimension, of which the shorter one is taken.
static double difference(const struct net_points *p, unsigned k, double a, double b) {
    const double length = p->length[k];
    double d = a - b;
    if (d > length / 2) d -= length;
    if (d < -length / 2) d += length;
    return d;
}

static double cost_at_centre(const struct improver *m, uint32_t point, size_t part) {
    const unsigned n = m->p->dimensions;
    const int32_t *at = m->p->at + (size_t)point * n;
    const double *c = m->centre + part * n;
    double sum = 0;
    for (unsigned k = 0; k < n; k++) sum += fabs(difference(m->p, k, at[k], c[k]));
    return power_of(m, sum);
}

// Sets the centre to the mean of the positions nearest to the previous centre.
static void set_centre(struct improver *m, size_t part) {
    const unsigned n = m->p->dimensions;
    const size_t from = m->d->start[part], to = m->d->start[part + 1];
    double *c = m->centre + part * n;
    for (unsigned k = 0; k < n; k++) {
        const double length = m->p->length[k];
        double sum = 0;
        for (size_t i = from; i < to; i++) sum += difference(m->p, k, m->p->at[(size_t)m->d->order[i] * n + k], c[k]);
        c[k] += sum / (double)(to - from);
        if (m->p->length[k] == NET_NO_WRAP) continue;
        if (c[k] < 0) c[k] += length;
        if (c[k] >= length) c[k] -= length;
    }
}

static int improver_start(struct improver *m, struct trj_error *err) {
    const struct net_parts *d = m->d;
    const size_t n = m->p->dimensions;
    m->largest = 0;
    for (size_t i = 0; i < d->parts; i++)
        if (d->start[i + 1] - d->start[i] > m->largest) m->largest = d->start[i + 1] - d->start[i];
    m->centre = trj_alloc(d->parts * n, sizeof *m->centre, "centres", err);
    m->sorted = m->centre ? trj_alloc(d->parts, sizeof *m->sorted, "centres", err) : NULL;
    m->turn = m->sorted ? trj_alloc(d->parts, sizeof *m->turn, "parts", err) : NULL;
    m->radius = m->turn ? trj_alloc(d->parts, sizeof *m->radius, "parts", err) : NULL;
    m->changed = m->radius ? trj_alloc(d->parts, sizeof *m->changed, "centres", err) : NULL;
    m->out = m->changed ? trj_alloc(m->largest, sizeof *m->out, "points", err) : NULL;
    m->in = m->out ? trj_alloc(m->largest, sizeof *m->in, "points", err) : NULL;
    if (!m->in) return -1;
    for (size_t i = 0; i < d->parts; i++) {
        const int32_t *first = m->p->at + (size_t)d->order[(d->start[i] + d->start[i + 1]) / 2] * n;
        for (size_t k = 0; k < n; k++) m->centre[i * n + k] = first[k];
        set_centre(m, i);
    }
    return 0;
}

// ---- pairs of parts

static int compare_costs(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost) : (x->id > y->id) - (x->id < y->id);
}

// Sorts the parts along the dimension in which the network is longest, so that near ones are found without a comparison
// of all.
static unsigned sort_centres(struct improver *m) {
    const unsigned n = m->p->dimensions;
    unsigned dimension[NET_COORDINATES_MAX];
    net_dimensions_by_extent(m->p, m->d->order, m->d->points, dimension);
    for (size_t i = 0; i < m->d->parts; i++)
        m->sorted[i] = (struct candidate){m->centre[i * n + dimension[0]], (uint32_t)i};
    qsort(m->sorted, m->d->parts, sizeof *m->sorted, compare_costs);
    return dimension[0];
}

static double centre_distance(const struct improver *m, size_t a, size_t b) {
    const unsigned n = m->p->dimensions;
    double sum = 0;
    for (unsigned k = 0; k < n; k++) sum += fabs(difference(m->p, k, m->centre[a * n + k], m->centre[b * n + k]));
    return sum;
}

static void keep_near(struct candidate near[NEAR], size_t *found, double distance, uint32_t part) {
    if (*found == NEAR && distance >= near[NEAR - 1].cost) return;
    size_t i = *found < NEAR ? (*found)++ : NEAR - 1;
    for (; i && near[i - 1].cost > distance; i--) near[i] = near[i - 1];
    near[i] = (struct candidate){distance, part};
}

// Lists the parts whose centres are nearest to that at `place` of the sorted list. Both directions are searched until
// the coordinate alone is farther away; around the border, if the dimension wraps.
static size_t list_near(struct improver *m, size_t place, unsigned k, struct candidate near[NEAR]) {
    const size_t parts = m->d->parts, part = m->sorted[place].id;
    const bool wraps = m->p->length[k] != NET_NO_WRAP;
    size_t found = 0;
    for (int side = 0; side < 2; side++)
        for (size_t step = 1; step <= (wraps ? (parts - (size_t)side) / 2 : parts - 1); step++) {
            if (!wraps && (side ? place < step : place + step >= parts)) break;
            const struct candidate *other = &m->sorted[side ? (place + parts - step) % parts : (place + step) % parts];
            const double along = fabs(difference(m->p, k, other->cost, m->sorted[place].cost));
            if (found == NEAR && along > near[NEAR - 1].cost) break;
            keep_near(near, &found, centre_distance(m, part, other->id), other->id);
        }
    return found;
}

static void swap_points(struct improver *m, size_t i, size_t j) {
    const uint32_t moved = m->d->order[i];
    m->d->order[i] = m->d->order[j];
    m->d->order[j] = moved;
}

static void spend(struct improver *m, uint64_t distances) {
    *m->work -= *m->work < distances ? *m->work : distances;
}

// ---- k-means

static size_t keep_below(struct candidate *list, size_t count, double limit) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].cost < limit) list[kept++] = list[i];
    return kept;
}

// Moves to part `a` the points of both that are nearer to its centre, by the difference of their costs.
static bool exchange(struct improver *m, size_t a, size_t b) {
    const struct net_parts *d = m->d;
    const size_t first = d->start[a], count = d->start[a + 1] - first;
    const size_t second = d->start[b], others = d->start[b + 1] - second;
    size_t done = 0, leaving, coming;
    double least_out = INFINITY, least_in = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const uint32_t point = d->order[first + i];
        const double change = cost_at_centre(m, point, b) - cost_at_centre(m, point, a);
        m->out[i] = (struct candidate){change, (uint32_t)(first + i)};
        if (change < least_out) least_out = change;
    }
    for (size_t i = 0; i < others; i++) {
        const uint32_t point = d->order[second + i];
        const double change = cost_at_centre(m, point, a) - cost_at_centre(m, point, b);
        m->in[i] = (struct candidate){change, (uint32_t)(second + i)};
        if (change < least_in) least_in = change;
    }
    spend(m, 2 * (count + others));
    if (!(least_out + least_in < 0)) return false;
    leaving = keep_below(m->out, count, -least_in);
    coming = keep_below(m->in, others, -least_out);
    qsort(m->out, leaving, sizeof *m->out, compare_costs);
    qsort(m->in, coming, sizeof *m->in, compare_costs);
    // A small margin keeps rounding errors from moving points back and forth.
    while (done < leaving && done < coming &&
           m->out[done].cost + m->in[done].cost < -1e-9 * (fabs(m->out[done].cost) + fabs(m->in[done].cost))) {
        swap_points(m, m->out[done].id, m->in[done].id);
        done++;
    }
    if (!done) return false;
    set_centre(m, a);
    set_centre(m, b);
    return true;
}

// ---- swaps

// Performs swaps between two parts while one reduces the sum of the costs of all pairs in them.
static bool swap_best(struct improver *m, size_t a, size_t b) {
    const struct net_parts *d = m->d;
    const size_t count = d->start[a + 1] - d->start[a], others = d->start[b + 1] - d->start[b], all = count + others;
    bool any = false;
    size_t place[2 * MAX_SWAP_PART];
    for (size_t i = 0; i < all; i++) place[i] = i < count ? d->start[a] + i : d->start[b] + i - count;
    for (size_t i = 0; i < all; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): net_parts_swap has allocated it
        m->cost[i * all + i] = 0;
        for (size_t j = 0; j < i; j++)
            m->cost[i * all + j] = m->cost[j * all + i] =
                power_of(m, net_distance(m->p, d->order[place[i]], d->order[place[j]]));
    }
    spend(m, all * all / 2);
    for (size_t i = 0; i < all; i++) {
        double own = 0, other = 0;
        for (size_t j = 0; j < count; j++) *(i < count ? &own : &other) += m->cost[i * all + j];
        for (size_t j = count; j < all; j++) *(i < count ? &other : &own) += m->cost[i * all + j];
        m->change[i] = other - own;
    }
    for (size_t swaps = 0; swaps < all; swaps++) {
        double best = 0;
        size_t from = 0, to = 0;
        for (size_t i = 0; i < count; i++) {
            const double *row = m->cost + i * all;
            for (size_t j = count; j < all; j++) {
                const double change = m->change[i] + m->change[j] - 2 * row[j];
                if (change >= best) continue;
                best = change;
                from = i;
                to = j;
            }
        }
        if (!(best < -1e-9 * (fabs(m->change[from]) + fabs(m->change[to])))) return any;
        any = true;
        swap_points(m, place[from], place[to]);
        // The rows and columns of the two points change places, and all sums change by what the points contributed.
        for (size_t i = 0; i < all; i++) {
            if (i == from || i == to) continue;
            const double change = m->cost[i * all + to] - m->cost[i * all + from];
            m->change[i] += i < count ? -2 * change : 2 * change;
            m->cost[i * all + from] += change;
            m->cost[i * all + to] -= change;
            m->cost[from * all + i] = m->cost[i * all + from];
            m->cost[to * all + i] = m->cost[i * all + to];
        }
        for (int k = 0; k < 2; k++) {
            const size_t i = k ? to : from;
            double own = 0, other = 0;
            for (size_t j = 0; j < count; j++) *(i < count ? &own : &other) += m->cost[i * all + j];
            for (size_t j = count; j < all; j++) *(i < count ? &other : &own) += m->cost[i * all + j];
            m->change[i] = other - own;
        }
    }
    return any;
}

// Sorts the parts by their diameter, the largest first, and those of equal diameter by their number. The ids are places
// in the list of sorted centres.
static void sort_diameters(struct improver *m) {
    const struct net_parts *d = m->d;
    for (size_t i = 0; i < d->parts; i++) {
        const size_t part = m->sorted[i].id;
        const uint32_t diameter =
            net_part_diameter(m->p, d->order + d->start[part], d->start[part + 1] - d->start[part]);
        m->turn[i] = (struct candidate){-(double)diameter, (uint32_t)i};
    }
    qsort(m->turn, d->parts, sizeof *m->turn, compare_costs);
}

// Goes through pairs of near parts until no pair improves. Pairs of which no part has changed since the last sweep are
// left out.
static void sweep(struct improver *m, bool (*improve)(struct improver *, size_t, size_t)) {
    bool any = true;
    for (uint32_t number = 1; number <= MAX_SWEEPS && any && *m->work; number++) {
        const unsigned along = sort_centres(m);
        if (m->cost) sort_diameters(m);
        any = false;
        for (size_t i = 0; i < m->d->parts; i++) m->radius[i] = 0;
        for (size_t i = 0; i < m->d->parts && *m->work; i++) {
            struct candidate near[NEAR];
            const size_t place = m->cost ? m->turn[i].id : i;
            const size_t part = m->sorted[place].id, found = list_near(m, place, along, near);
            for (size_t j = 0; j < found && *m->work; j++) {
                const size_t other = near[j].id;
                if (m->radius[other] >= near[j].cost) continue; // the other one has met this part
                if (m->changed[part] + 1 < number && m->changed[other] + 1 < number) continue;
                if (!improve(m, part, other)) continue;
                m->changed[part] = m->changed[other] = number;
                any = true;
            }
            if (found) m->radius[part] = near[found - 1].cost;
        }
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): `work` is changed through `m`
int net_parts_exchange(struct net_parts *d, const struct net_points *p, unsigned squarings, uint64_t *work,
                       struct trj_error *err) {
    struct improver m = {.d = d, .p = p, .squarings = squarings, .work = work};
    const int rc = improver_start(&m, err);
    if (!rc) sweep(&m, exchange);
    improver_free(&m);
    return rc;
}

// NOLINTNEXTLINE(readability-non-const-parameter): `work` is changed through `m`
int net_parts_swap(struct net_parts *d, const struct net_points *p, unsigned squarings, uint64_t *work,
                   struct trj_error *err) {
    struct improver m = {.d = d, .p = p, .squarings = squarings, .work = work};
    int rc = improver_start(&m, err);
    if (!rc && m.largest <= MAX_SWAP_PART) {
        m.cost = trj_alloc(4 * m.largest * m.largest, sizeof *m.cost, "pairs", err);
        m.change = m.cost ? trj_alloc(2 * m.largest, sizeof *m.change, "points", err) : NULL;
        if (!m.change)
            rc = -1;
        else
            sweep(&m, swap_best);
    }
    improver_free(&m);
    return rc;
}
