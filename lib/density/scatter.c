// SPDX-License-Identifier: MIT
// Implements the kernels count, cic and ball on CPUs: each record adds to a few points.
#include <math.h>

#include "density_job.h"

// What is common to the points of a record.
struct scatter {
    const struct den_job *job;
    const struct trj_map_lattice *l;
    int64_t low, high; // planes
    int64_t *values;   // from plane `low` on
    double units;      // W
    struct trj_error *err;
};

// Returns the number of a point in the values.
static uint64_t number_of(const struct scatter *s, const int64_t point[3]) {
    const uint64_t *n = s->l->n;
    return (uint64_t)point[0] + n[0] * ((uint64_t)point[1] + n[1] * (uint64_t)(point[2] - s->low));
}

static int add(const struct scatter *s, uint64_t number, int64_t units) {
    int64_t sum, *value = &s->values[number];
    if (!__builtin_add_overflow(*value, units, &sum)) {
        *value = sum;
        return 0;
    }
    return trj_fail(s->err, TRJ_BAD_DATA,
                    "the sum at point %s exceeds 2^63 quanta; use fewer frames, or a larger bound of the weights",
                    trj_map_lattice_point_text(s->l, number + (uint64_t)s->low * trj_map_lattice_plane(s->l)).text);
}

// Returns the contribution to a point at distances d; 0 outside of the support.
static int64_t contribution(const struct scatter *s, const double d[3]) {
    if (s->job->kernel == DEN_CIC) {
        double w = s->units;
        double product = w * ((1 - fabs(d[0])) * (1 - fabs(d[1]))) * (1 - fabs(d[2]));
        return fabs(d[0]) < 1 && fabs(d[1]) < 1 && fabs(d[2]) < 1 ? (int64_t)den_round_even(product) : 0;
    }
    double v[3];
    for (int c = 0; c < 3; c++) v[c] = (d[0] * s->l->step[0][c] + d[1] * s->l->step[1][c]) + d[2] * s->l->step[2][c];
    double r2 = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
    return r2 <= s->job->radius * s->job->radius ? (int64_t)s->units : 0;
}

// Adds a record to all points within `far` of the nearest one; for cic, to the two points around the atom along each
// axis.
static int add_near(const struct scatter *s, const struct tile_lattice_record *r, const int32_t far[3]) {
    int64_t from[3], to[3], i[3];
    for (int k = 0; k < 3; k++) {
        int64_t low = k == 2 ? s->low : 0, high = k == 2 ? s->high : (int64_t)s->l->n[k];
        bool cic = s->job->kernel == DEN_CIC;
        from[k] = r->point[k] - (int64_t)(cic ? r->offset[k] < 0 : far[k]);
        to[k] = cic ? from[k] + 1 : r->point[k] + (int64_t)far[k];
        if (from[k] < low) from[k] = low;
        if (to[k] > high - 1) to[k] = high - 1;
    }
    for (i[2] = from[2]; i[2] <= to[2]; i[2]++)
        for (i[1] = from[1]; i[1] <= to[1]; i[1]++)
            for (i[0] = from[0]; i[0] <= to[0]; i[0]++) {
                double d[3];
                for (int k = 0; k < 3; k++) d[k] = (double)(i[k] - r->point[k]) - (double)r->offset[k];
                int64_t units = contribution(s, d);
                if (units && add(s, number_of(s, i), units)) return -1;
            }
    return 0;
}

void den_job_reach(const struct den_job *job, const struct trj_map_lattice *l, float reach[3]) {
    double g[3][3];
    trj_map_lattice_inverse(l, g);
    for (int k = 0; k < 3; k++) {
        double across = sqrt((g[k][0] * g[k][0] + g[k][1] * g[k][1]) + g[k][2] * g[k][2]);
        // The reach of a ball has a margin, so that rounding does not exclude a point.
        reach[k] = job->kernel == DEN_BALL ? (float)(job->radius * across * (1 + 1e-6) + 1e-6)
                                           : (float)(job->kernel == DEN_CIC);
    }
}

// Prefetches the value at the nearest point of a record, because in a map that is larger than the caches each addition
// would wait for memory.
static void prefetch(const struct scatter *s, const struct tile_lattice_record *r) {
    const int64_t point[3] = {r->point[0], r->point[1], r->point[2]};
    if (s->job->kernel == DEN_COUNT && point[2] >= s->low && point[2] < s->high)
        __builtin_prefetch(&s->values[number_of(s, point)], 1);
}

static int add_records(struct scatter *s, const struct tile_lattice_plan *plan, const struct tile_lattice_record *r,
                       size_t count) {
    enum { AHEAD = 16 };
    s->units = den_job_units(s->job, 1);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(s, &r[i + AHEAD]);
        if (plan->atoms->value) s->units = den_job_units(s->job, (double)r[i].value);
        const int64_t point[3] = {r[i].point[0], r[i].point[1], r[i].point[2]};
        if (s->job->kernel != DEN_COUNT) {
            if (add_near(s, &r[i], plan->farthest)) return -1;
        } else if (point[2] >= s->low && point[2] < s->high && add(s, number_of(s, point), (int64_t)s->units)) {
            return -1;
        }
    }
    return 0;
}

int den_count(const struct den_job *job, const struct trj_map_lattice *l, const struct tile_lattice_atoms *atoms,
              // NOLINTNEXTLINE(readability-non-const-parameter): `values` is changed through `s`
              const uint64_t *number, uint64_t low, uint64_t high, int64_t *values, struct trj_error *err) {
    enum { AHEAD = 32 };
    struct scatter s = {job, l, (int64_t)low, (int64_t)high, values, 1, err};
    uint64_t plane = trj_map_lattice_plane(l), first = low * plane, last = high * plane;
    int64_t units = (int64_t)den_job_units(job, 1);
    for (size_t i = 0; i < atoms->count; i++) {
        uint64_t ahead = i + AHEAD < atoms->count ? number[i + AHEAD] : last, to = number[i];
        if (ahead >= first && ahead < last) __builtin_prefetch(&values[ahead - first], 1);
        if (to < first || to >= last) continue;
        if (atoms->value) units = (int64_t)den_job_units(job, (double)atoms->value[i]);
        if (add(&s, to - first, units)) return -1;
    }
    return 0;
}

int den_scatter(const struct den_job *job, const struct trj_map_lattice *l, const struct tile_lattice_plan *plan,
                // NOLINTNEXTLINE(readability-non-const-parameter): `values` is changed through `s`
                uint64_t low, uint64_t high, int64_t *values, struct trj_error *err) {
    struct scatter s = {job, l, (int64_t)low, (int64_t)high, values, 1, err};
    const struct tile_lattice_record *r;
    size_t count;
    for (size_t chunk = 0; chunk < plan->chunks; chunk++)
        if (tile_lattice_plan_found(plan, chunk, &r, &count, err) || add_records(&s, plan, r, count)) return -1;
    return 0;
}
