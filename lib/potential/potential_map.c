// SPDX-License-Identifier: MIT
#include "potential_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void pot_map_free(struct pot_map *m) {
    free(m->name);
    free(m->unit);
    free(m->value);
    trj_text_array_free(m->provenance);
    *m = (struct pot_map){.name = NULL};
}

struct filling {
    struct pot_map *map;
    uint64_t at; // points read
};

static int take_planes(void *arg, const void *values, uint64_t planes, struct trj_error *err) {
    struct filling *f = arg;
    uint64_t n = planes * trj_map_lattice_plane(&f->map->lattice);
    double *to = f->map->value + f->at;
    (void)err;
    memcpy(to, values, n * sizeof *to);
    for (uint64_t i = 0; i < n; i++) f->map->unknown += isnan(to[i]) != 0;
    f->at += n;
    return 0;
}

static int copy_provenance(struct pot_map *m, const struct trj_stream_header *origin, struct trj_error *err) {
    size_t n = origin ? origin->provenance_count : 0;
    if (!(m->provenance = trj_alloc(n + 1, sizeof *m->provenance, "provenance", err))) return -1;
    for (size_t i = 0; i < n; i++)
        if (!(m->provenance[i] = trj_copy_text(origin->provenance[i], err))) return -1;
    return 0;
}

static int read_map(struct pot_map *m, struct trj_map_reader *r, struct trj_error *err) {
    struct filling f = {.map = m};
    int rc = trj_map_reader_next(r, err);
    if (rc <= 0) return rc < 0 ? rc : trj_fail(err, TRJ_BAD_DATA, "contains no map");
    if (r->map.components != 1)
        return trj_fail(err, TRJ_BAD_DATA, "each point has %u values, expected 1; give a map with one component",
                        r->map.components);
    m->lattice = r->map.lattice;
    m->points = trj_map_lattice_points(&m->lattice);
    if (!(m->unit = trj_copy_text(r->map.unit, err)) || copy_provenance(m, r->origin, err) ||
        !(m->value = trj_alloc(m->points, sizeof *m->value, "a map", err)) ||
        trj_map_reader_pass(r, true, take_planes, &f, err))
        return -1;
    if (m->unknown == m->points)
        return trj_fail(err, TRJ_BAD_DATA, "all %llu values are NaN; give another map", (unsigned long long)m->points);
    rc = trj_map_reader_next(r, err);
    m->notes = r->notes;
    return rc > 0 ? trj_fail(err, TRJ_BAD_DATA,
                             "contains several maps, expected one; select one with mapconv --record, or compute their "
                             "mean with mapsum --mean")
                  : rc;
}

int pot_map_read(struct pot_map *m, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_map_reader *r = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    if (!(m->name = trj_copy_text(trj_input_name(in), err))) {
        trj_input_close(in);
        return -1;
    }
    int rc = trj_map_reader_open(&r, in, NULL, err) || read_map(m, r, err) ? -1 : 0;
    trj_map_reader_close(r);
    return rc ? trj_fail_at(err, "%s", m->name) : 0;
}
