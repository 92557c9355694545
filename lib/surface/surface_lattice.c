// SPDX-License-Identifier: MIT
// Chooses the unit of areas and volumes, so that their sums are integers on every engine.
#include "surface_lattice.h"

#include <math.h>

int surf_lattice_check(const struct surf_setup *s, struct trj_error *err) {
    const struct trj_map *m = s->map, *c = s->colour;
    if (m->components != 1 || (c && c->components != 1))
        return trj_fail(err, TRJ_BAD_DATA,
                        "%u values at each point, expected 1; write a file for each, as orbmap -o '%%s.cube' does",
                        m->components != 1 ? m->components : c->components);
    if (c && !trj_map_lattice_same(&m->lattice, &c->lattice, 1e-3))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the map of the colours has a different lattice; interpolate it with mapmath --like");
    return 0;
}

// Returns the unit of areas, a power of two: the area of a triangle in a cell is at most a small multiple of it.
static double unit_of(const struct trj_map_lattice *l) {
    double max = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) max = fmax(max, fabs(l->step[k][i]));
    int exponent;
    frexp(max, &exponent);
    return ldexp(1, 2 * exponent);
}

void surf_lattice_set(struct surf_lattice *e, const struct trj_map *m, bool close) {
    const struct trj_map_lattice *l = &m->lattice;
    const double(*h)[3] = (const double(*)[3])l->step;
    double normal[3];
    for (unsigned axis = 0; axis < 3; axis++) {
        bool periodic = l->periodic & 1u << axis;
        e->image[axis] = periodic && !close;
        e->lead[axis] = !e->image[axis];
        e->n[axis] = (size_t)l->n[axis] + periodic + 2 * e->lead[axis];
    }
    e->words = (e->n[0] + 63) / 64;
    trj_map_lattice_inverse(l, e->inverse);
    e->unit = unit_of(l);
    e->voxel = trj_map_lattice_voxel(l);
    for (int i = 0; i < 3; i++)
        normal[i] = h[0][(i + 1) % 3] * h[1][(i + 2) % 3] - h[0][(i + 2) % 3] * h[1][(i + 1) % 3];
    e->mirrored = normal[0] * h[2][0] + normal[1] * h[2][1] + normal[2] * h[2][2] < 0;
}

int surf_lattice_fail_nan(const uint64_t point[3], struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "the value at point %llu, %llu, %llu is NaN; replace unknown values with mapmath --fill",
                    (unsigned long long)point[0], (unsigned long long)point[1], (unsigned long long)point[2]);
}

int surf_lattice_fail_large(struct trj_error *err) {
    return trj_fail(err, TRJ_FAILED,
                    "the mesh has more than %d vertices; use a map with fewer points, or another level",
                    SURF_VERTICES_MAX);
}

int surf_lattice_sum(const struct surf_lattice *e, struct surf_labels *pieces, surf_sum top, struct surf_summary *s,
                     struct trj_error *err) {
    surf_sum area = 0, content = (surf_sum)(e->n[2] - 1) * top;
    for (size_t i = 0; i < pieces->count; i++) {
        area += pieces->label[i].area;
        content += pieces->label[i].content;
        s->vertices += pieces->label[i].vertices;
        s->triangles += pieces->label[i].triangles;
    }
    s->area = (double)area / SURF_QUANTA * e->unit;
    s->volume = (double)content / SURF_QUANTA * e->voxel;
    s->euler = (int64_t)s->vertices - (int64_t)(s->triangles / 2);
    return surf_labels_sum(pieces, e->n[2] - 1, e->unit, e->voxel, &s->components, &s->component_count, err);
}
