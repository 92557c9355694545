// SPDX-License-Identifier: MIT
// Rounds a map to integers of a quantum once, so that all later sums over its points are exact.
#include "cor_map.h"

#include <math.h>
#include <stdlib.h>

#include "map_store.h"
#include "memory.h"
#include "single_map.h"

void cor_map_free(struct cor_map *m) {
    free(m->name);
    free(m->unit);
    free(m->value);
    *m = (struct cor_map){0};
}

// Reads all values as float64, and their statistics.
static int read_values(struct trj_map_reader *r, struct trj_map_store *store, struct trj_map_summary *summary,
                       struct trj_error *err) {
    size_t values = trj_map_plane_values(&r->map);
    void *plane = trj_alloc(1, trj_map_plane_size(&r->map), "a plane", err);
    struct trj_map_statistics *statistics = trj_map_statistics_open(&r->means, err);
    int rc = plane && statistics ? 0 : -1;
    for (uint64_t k = 0; !rc && k < r->map.lattice.n[2]; k++) {
        double *to = (double *)(void *)store->bytes + k * values;
        rc = trj_map_reader_read(r, plane, 1, err);
        if (rc) break;
        trj_map_reader_to_real(r, plane, values, to);
        trj_map_statistics_add(statistics, to, values);
    }
    if (!rc) *summary = trj_map_statistics_summary(statistics);
    trj_map_statistics_close(statistics);
    free(plane);
    return rc;
}

static int check_values(const struct trj_map_summary *s, struct trj_error *err) {
    if (s->not_finite)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%llu values are not finite; replace them with mapmath --fill, or use another map",
                        (unsigned long long)s->not_finite);
    if (s->max > s->min) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "all values are %g: the correlation with a constant map is not defined; give another map", s->min);
}

static int quantise(struct cor_map *m, const double *values, struct trj_error *err) {
    int e;
    frexp(m->summary.max - m->summary.min, &e); // the range is at most 2^e
    m->quantum = ldexp(1, e - 31);
    m->offset = floor(m->summary.min / m->quantum);
    if (!(fabs(m->offset) < 0x1p52) || !(m->quantum > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the values, from %g to %g, differ too little to be compared; subtract a constant with mapmath",
                        m->summary.min, m->summary.max);
    if (!(m->value = trj_alloc(m->points, sizeof *m->value, "a map", err))) return -1;
    for (uint64_t i = 0; i < m->points; i++) m->value[i] = (uint32_t)(rint(values[i] / m->quantum) - m->offset);
    return 0;
}

static int read_map(void *owner, struct trj_map_reader *r, struct trj_error *err) {
    struct cor_map *m = owner;
    struct trj_map_store store = {0};
    m->lattice = r->map.lattice;
    m->lattice.periodic = 0;
    m->points = trj_map_lattice_points(&m->lattice);
    if (!(m->unit = trj_copy_text(r->means.unit, err))) return -1;
    int rc = trj_map_store_open(&store, m->points * sizeof(double), TRJ_MAP_STORE_MEMORY, err) ||
             read_values(r, &store, &m->summary, err) || check_values(&m->summary, err) ||
             quantise(m, (const double *)(const void *)store.bytes, err);
    trj_map_store_close(&store);
    return rc ? -1 : 0;
}

int cor_map_read(struct cor_map *m, const char *path, enum trj_map_origin origin, struct trj_error *err) {
    const struct trj_map_reader_setup setup = {.origin = origin};
    return trj_single_map_read(path, &setup, &m->name, NULL, read_map, m, err);
}

int cor_map_check_same(const struct cor_map *a, const struct cor_map *b, struct trj_error *err) {
    const struct trj_map_lattice *p = &a->lattice, *q = &b->lattice;
    static const char remedy[] = "interpolate one of them at the points of the other with mapmath --like";
    for (int k = 0; k < 3; k++)
        if (p->n[k] != q->n[k])
            return trj_fail(err, TRJ_BAD_DATA, "%s has %llu x %llu x %llu points, but %s has %llu x %llu x %llu; %s",
                            a->name, (unsigned long long)p->n[0], (unsigned long long)p->n[1],
                            (unsigned long long)p->n[2], b->name, (unsigned long long)q->n[0],
                            (unsigned long long)q->n[1], (unsigned long long)q->n[2], remedy);
    if (trj_map_lattice_same(p, q, 1e-3)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the points of %s, which begin at %g %g %g Angstrom, are not those of %s, which begin at %g %g %g "
                    "Angstrom; %s",
                    a->name, p->origin[0], p->origin[1], p->origin[2], b->name, q->origin[0], q->origin[1],
                    q->origin[2], remedy);
}
