// SPDX-License-Identifier: MIT
// Adds values along axes as planes arrive, so that a projection or profile needs memory for its result alone.
#include "map_reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_unit.h"
#include "memory.h"

// Sets v to the unit vector normal to the other two axes, on the side of larger indices along `axis`. Returns the area
// of the parallelogram that the steps along the other two axes span.
static double normal_of(const struct trj_map_lattice *l, int axis, double v[3]) {
    const double *a = l->step[(axis + 1) % 3], *b = l->step[(axis + 2) % 3];
    for (int i = 0; i < 3; i++) v[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    double area = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), side = 0;
    for (int i = 0; i < 3; i++) side += v[i] * l->step[axis][i];
    for (int i = 0; i < 3; i++) v[i] /= side < 0 ? -area : area;
    return area;
}

double trj_map_plane_position(const struct trj_map_lattice *l, int axis, uint64_t plane) {
    double normal[3], position = 0;
    normal_of(l, axis, normal);
    for (int i = 0; i < 3; i++) position += normal[i] * (l->origin[i] + (double)plane * l->step[axis][i]);
    return position;
}

static double measure_of(const struct trj_map_lattice *l, const bool drop[3]) {
    double measure = 1;
    int dropped = 0, kept = 0;
    for (int k = 0; k < 3; k++) {
        dropped += drop[k];
        if (!drop[k]) kept = k;
    }
    if (dropped == 2) {
        double normal[3];
        return normal_of(l, kept, normal);
    }
    for (int k = 0; k < 3; k++)
        if (drop[k])
            measure =
                sqrt(l->step[k][0] * l->step[k][0] + l->step[k][1] * l->step[k][1] + l->step[k][2] * l->step[k][2]);
    return measure;
}

// Returns the meaning of the values of the result. Only sums of totals are totals again, over the joined voxels.
static enum trj_map_meaning meaning_of(enum trj_map_reduction_kind kind, enum trj_map_meaning meaning) {
    if (kind == TRJ_MAP_REDUCE_SUM) return meaning == TRJ_MAP_TOTALS ? TRJ_MAP_TOTALS : TRJ_MAP_SAMPLES;
    return kind == TRJ_MAP_REDUCE_MEAN && meaning != TRJ_MAP_TOTALS ? TRJ_MAP_MEANS : TRJ_MAP_SAMPLES;
}

// Describes the result in r->map.
static int describe(struct trj_map_reduction *r, const struct trj_map *map, struct trj_error *err) {
    struct trj_map_lattice *l = &r->map.lattice;
    int dropped = 0;
    if (trj_map_copy(&r->map, map, err)) return -1;
    r->map.kind = TRJ_MAP_FLOAT64;
    r->map.quantum = r->map.error_bound = 0;
    for (int k = 0; k < 3; k++) {
        if (!r->drop[k]) continue;
        dropped++;
        for (int i = 0; i < 3; i++) {
            l->origin[i] += (double)(l->n[k] - 1) / 2 * l->step[k][i];
            l->step[k][i] *= (double)l->n[k];
        }
        l->n[k] = 1;
    }
    if (r->kind == TRJ_MAP_REDUCE_INTEGRAL && map->meaning == TRJ_MAP_TOTALS)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the values are totals over the voxels, which are integrals already; use --reduce sum");
    r->map.meaning = meaning_of(r->kind, map->meaning);
    if (r->radial) {
        const uint64_t n[3] = {1, 1, r->shells.count};
        memcpy(l->n, n, sizeof n);
        l->periodic = 0;
        dropped = 3;
    }
    if (r->kind != TRJ_MAP_REDUCE_INTEGRAL || !*r->map.unit) return trj_map_check(&r->map, err);
    const char *name;
    r->measure /= pow(trj_map_unit_length(r->map.unit, &name), dropped);
    struct trj_map_unit unit = trj_map_unit_parse(r->map.unit), length = trj_map_unit_parse(name);
    unit = trj_map_unit_product(&unit, 1, &length, dropped);
    free(r->map.unit);
    r->map.unit = trj_copy_text(unit.text, err);
    return r->map.unit ? trj_map_check(&r->map, err) : -1;
}

static uint64_t result_values(const struct trj_map_reduction *r) {
    return trj_map_lattice_points(&r->map.lattice) * r->map.components;
}

static int open_sums(struct trj_map_reduction *r, const struct trj_map *map, struct trj_error *err) {
    if (describe(r, map, err)) return -1;
    uint64_t n = result_values(r);
    if (n > TRJ_MAP_PLANE_MAX / sizeof(double))
        return trj_fail(err, TRJ_BAD_DATA, "the projection has %llu values, expected at most 2^25; choose another axis",
                        (unsigned long long)n);
    r->sum = trj_alloc(n, sizeof *r->sum, "a projection", err);
    r->rest = r->sum ? trj_alloc(n, sizeof *r->rest, "a projection", err) : NULL;
    r->known = r->rest ? trj_alloc(n, sizeof *r->known, "a projection", err) : NULL;
    return r->known ? 0 : -1;
}

int trj_map_reduction_open(struct trj_map_reduction *r, const struct trj_map *map, const bool drop[3],
                           enum trj_map_reduction_kind kind, struct trj_error *err) {
    *r = (struct trj_map_reduction){.lattice = map->lattice, .kind = kind};
    memcpy(r->drop, drop, sizeof r->drop);
    r->measure = kind == TRJ_MAP_REDUCE_INTEGRAL ? measure_of(&map->lattice, drop) : 1;
    return open_sums(r, map, err);
}

int trj_map_reduction_open_shells(struct trj_map_reduction *r, const struct trj_map *map,
                                  const struct trj_map_profile *p, enum trj_map_reduction_kind kind,
                                  struct trj_error *err) {
    *r = (struct trj_map_reduction){.lattice = map->lattice, .kind = kind, .radial = true};
    if (trj_map_shells_open(&r->shells, &map->lattice, p, err)) return -1;
    r->measure = (kind == TRJ_MAP_REDUCE_INTEGRAL ? trj_map_lattice_voxel(&map->lattice) : 1) / TRJ_MAP_PARTS;
    return open_sums(r, map, err);
}

void trj_map_reduction_close(struct trj_map_reduction *r) {
    trj_map_free(&r->map);
    free(r->sum);
    free(r->rest);
    free(r->known);
}

// Adds a value with a weight, which is a small whole number.
static void add(struct trj_map_reduction *r, uint64_t to, double v, unsigned weight) {
    if (isnan(v)) {
        if (r->kind != TRJ_MAP_REDUCE_MEAN) r->sum[to] = v;
        return;
    }
    r->known[to] += weight;
    v *= weight;
    double sum = r->sum[to] + v;
    // With an infinite sum, the difference would be NaN.
    if (isfinite(sum)) r->rest[to] += fabs(r->sum[to]) >= fabs(v) ? (r->sum[to] - sum) + v : (v - sum) + r->sum[to];
    r->sum[to] = sum;
}

static void add_to_shells(struct trj_map_reduction *r, const double *values, uint64_t planes) {
    const uint64_t *n = r->lattice.n, components = r->map.components;
    struct trj_map_shell_parts in[TRJ_MAP_PARTS];
    for (uint64_t end = r->added + planes; r->added < end; r->added++)
        for (uint64_t j = 0; j < n[1]; j++)
            for (uint64_t i = 0; i < n[0]; i++, values += components) {
                const uint64_t voxel[3] = {i, j, r->added};
                unsigned count = trj_map_shells_find(&r->shells, voxel, in);
                for (unsigned k = 0; k < count; k++)
                    for (uint64_t c = 0; c < components; c++)
                        add(r, in[k].shell * components + c, values[c], in[k].parts);
            }
}

void trj_map_reduction_add(struct trj_map_reduction *r, const double *values, uint64_t planes) {
    const uint64_t *n = r->lattice.n, *m = r->map.lattice.n;
    uint64_t components = r->map.components;
    if (r->radial) {
        add_to_shells(r, values, planes);
        return;
    }
    for (uint64_t end = r->added + planes; r->added < end; r->added++)
        for (uint64_t j = 0; j < n[1]; j++)
            for (uint64_t i = 0; i < n[0]; i++) {
                uint64_t k = r->drop[2] ? 0 : r->added, row = r->drop[1] ? 0 : j, column = r->drop[0] ? 0 : i;
                uint64_t point = column + m[0] * (row + m[1] * k);
                for (uint64_t c = 0; c < components; c++) add(r, point * components + c, *values++, 1);
            }
}

void trj_map_reduction_take(struct trj_map_reduction *r, double *to) {
    uint64_t n = result_values(r);
    for (uint64_t i = 0; i < n; i++) {
        double sum = r->sum[i] + r->rest[i];
        to[i] = r->kind == TRJ_MAP_REDUCE_MEAN ? (r->known[i] ? sum / (double)r->known[i] : NAN) : sum * r->measure;
        if (isnan(to[i])) to[i] = NAN;
    }
    memset(r->sum, 0, n * sizeof *r->sum);
    memset(r->rest, 0, n * sizeof *r->rest);
    memset(r->known, 0, n * sizeof *r->known);
    r->added = 0;
}

double trj_map_reduction_position(const struct trj_map_reduction *r, uint64_t point) {
    if (r->radial) return ((double)point + 0.5) * r->shells.width;
    int axis = 0;
    while (axis < 2 && r->drop[axis]) axis++;
    return trj_map_plane_position(&r->lattice, axis, point);
}
