// SPDX-License-Identifier: MIT
// Computes the values of maps at given positions. The points whose values are needed are sorted by their number, so
// that one pass over the planes finds all of them.
#include "map_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"
#include "number.h"

// ---- positions

static int add_position(struct trj_map_positions *p, const double point[3], struct trj_error *err) {
    if (trj_grow(&p->position, &p->capacity, p->count + 1, sizeof *p->position, "positions", err)) return -1;
    memcpy(p->position[p->count++], point, sizeof *p->position);
    return 0;
}

// Returns whether the line begins with three finite numbers.
static bool parse_line(const char *p, double point[3]) {
    for (int k = 0; k < 3; k++) {
        while (trj_is_blank(*p) || (k && *p == ',')) p++;
        p = trj_scan_real(p, &point[k]);
        if (!p || !isfinite(point[k]) || (*p && !trj_is_blank(*p) && *p != ',')) return false;
    }
    return true;
}

static int read_positions(struct trj_map_positions *p, struct trj_input *in, struct trj_error *err) {
    struct trj_lines lines = {.in = in};
    size_t before = p->count;
    double point[3];
    int rc;
    while ((rc = trj_lines_next(&lines, err)) > 0) {
        const char *text = lines.text;
        while (trj_is_blank(*text)) text++;
        if (!*text || *text == '#') continue;
        if (!parse_line(text, point))
            return trj_lines_fail(&lines, err, "expected a position of three numbers, found '%.40s'", text);
        if (add_position(p, point, err)) return -1;
    }
    if (!rc && p->count == before) return trj_fail(err, TRJ_BAD_DATA, "contains no position");
    return rc;
}

int trj_map_positions_add(struct trj_map_positions *p, const char *text, struct trj_error *err) {
    struct trj_input *in;
    double point[3];
    if (trj_parse_reals(text, point, 3) == 3) return add_position(p, point, err);
    if (trj_input_open(&in, text, err)) {
        trj_error_append(err, "; expected X,Y,Z in Angstrom, or a file of positions");
        return -1;
    }
    int rc = read_positions(p, in, err) ? trj_fail_at(err, "%s", trj_input_name(in)) : 0;
    trj_input_close(in);
    return rc;
}

// ---- values

struct corner {
    uint64_t number; // of the point of the map
    size_t position;
    double weight;
};

struct trj_map_sampler {
    const struct trj_map *map;
    size_t count, corners, next; // positions; corners; corners whose planes were added
    uint64_t first;              // number of the first point of the next plane
    struct corner *corner;       // [corners] sorted
    double *values;              // [count][components]
};

static int compare_corners(const void *a, const void *b) {
    const struct corner *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

// Finds the one or two points along an axis from which the value at the index u is computed, and the weight of the
// second. Returns how many there are, or 0 if u is outside of the map.
static int find_points(const struct trj_map_lattice *l, int axis, enum trj_map_sampling how, double u,
                       uint64_t point[2], double *weight) {
    double last = (double)l->n[axis] - 1;
    if (how == TRJ_MAP_TRILINEAR) return trj_map_lattice_neighbours(l, axis, u, point, weight);
    if (!(l->periodic & 1u << axis)) {
        if (!(u >= -0.5 - TRJ_MAP_NEAR && u <= last + 0.5 + TRJ_MAP_NEAR)) return 0;
        u = fmin(fmax(u, 0), last);
    }
    return trj_map_lattice_neighbours(l, axis, floor(u + 0.5), point, weight);
}

static int find_corners(struct trj_map_sampler *s, size_t position, const double r[3], enum trj_map_sampling how,
                        double g[3][3], struct trj_error *err) {
    const struct trj_map_lattice *l = &s->map->lattice;
    uint64_t point[3][2] = {{0}};
    double weight[3] = {0};
    int count[3];
    for (int m = 0; m < 3; m++) {
        double u = 0;
        for (int i = 0; i < 3; i++) u += g[m][i] * (r[i] - l->origin[i]);
        count[m] = find_points(l, m, how, u, point[m], &weight[m]);
        if (!count[m])
            return trj_fail(
                err, TRJ_BAD_DATA,
                "position %zu, %g %g %g Å, is outside of the map: its index along axis %d is %.7g, expected "
                "%g to %g; leave it out",
                position, r[0], r[1], r[2], m, u, how == TRJ_MAP_NEAREST ? -0.5 : 0.0,
                (double)l->n[m] - (how == TRJ_MAP_NEAREST ? 0.5 : 1));
    }
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++)
            for (int x = 0; x < count[0]; x++)
                s->corner[s->corners++] =
                    (struct corner){.number = point[0][x] + l->n[0] * (point[1][y] + l->n[1] * point[2][z]),
                                    .position = position,
                                    .weight = (x ? weight[0] : 1 - weight[0]) * (y ? weight[1] : 1 - weight[1]) *
                                              (z ? weight[2] : 1 - weight[2])};
    return 0;
}

int trj_map_sampler_open(struct trj_map_sampler **result, const struct trj_map *map, const struct trj_map_positions *p,
                         enum trj_map_sampling how, struct trj_error *err) {
    struct trj_map_sampler *s = trj_alloc(1, sizeof *s, "positions", err);
    double g[3][3];
    if (!s) return -1;
    s->map = map;
    s->count = p->count;
    s->corner = trj_alloc(8 * p->count, sizeof *s->corner, "positions", err);
    s->values = s->corner ? trj_alloc(p->count * map->components, sizeof *s->values, "positions", err) : NULL;
    int rc = s->values ? 0 : -1;
    trj_map_lattice_inverse(&map->lattice, g);
    for (size_t i = 0; !rc && i < p->count; i++) rc = find_corners(s, i, p->position[i], how, g, err);
    if (rc) {
        trj_map_sampler_close(s);
        return -1;
    }
    qsort(s->corner, s->corners, sizeof *s->corner, compare_corners);
    *result = s;
    return 0;
}

void trj_map_sampler_close(struct trj_map_sampler *s) {
    if (!s) return;
    free(s->corner);
    free(s->values);
    free(s);
}

void trj_map_sampler_begin(struct trj_map_sampler *s) {
    s->next = 0;
    s->first = 0;
    memset(s->values, 0, s->count * s->map->components * sizeof *s->values);
}

void trj_map_sampler_add(struct trj_map_sampler *s, const double *values, uint64_t planes) {
    size_t components = s->map->components;
    uint64_t end = s->first + planes * trj_map_lattice_plane(&s->map->lattice);
    for (; s->next < s->corners && s->corner[s->next].number < end; s->next++) {
        const struct corner *c = &s->corner[s->next];
        const double *from = values + (c->number - s->first) * components;
        for (size_t i = 0; i < components; i++) s->values[c->position * components + i] += c->weight * from[i];
    }
    s->first = end;
}

const double *trj_map_sampler_values(const struct trj_map_sampler *s) {
    return s->values;
}
