// SPDX-License-Identifier: MIT
// Reads the potential in which ions are placed, with its unit and provenance.
#include "potential_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "single_map.h"

void pot_map_free(struct pot_map *m) {
    free(m->name);
    free(m->unit);
    free(m->value);
    trj_text_array_free(m->provenance);
    *m = (struct pot_map){.name = NULL};
}

struct filling {
    struct pot_map *map;
    uint64_t done; // points read
};

static int take_planes(void *arg, const void *values, uint64_t planes, struct trj_error *err) {
    struct filling *f = arg;
    uint64_t n = planes * trj_map_lattice_plane(&f->map->lattice);
    double *to = f->map->value + f->done;
    (void)err;
    memcpy(to, values, n * sizeof *to);
    for (uint64_t i = 0; i < n; i++) f->map->unknown += isnan(to[i]) != 0;
    f->done += n;
    return 0;
}

static int copy_provenance(struct pot_map *m, const struct trj_stream_header *origin, struct trj_error *err) {
    size_t n = origin ? origin->provenance_count : 0;
    if (!(m->provenance = trj_alloc(n + 1, sizeof *m->provenance, "provenance", err))) return -1;
    for (size_t i = 0; i < n; i++)
        if (!(m->provenance[i] = trj_copy_text(origin->provenance[i], err))) return -1;
    return 0;
}

static int read_map(void *owner, struct trj_map_reader *r, struct trj_error *err) {
    struct pot_map *m = owner;
    struct filling f = {.map = m};
    m->lattice = r->map.lattice;
    m->points = trj_map_lattice_points(&m->lattice);
    if (!(m->unit = trj_copy_text(r->means.unit, err)) || copy_provenance(m, r->origin, err) ||
        !(m->value = trj_alloc(m->points, sizeof *m->value, "a map", err)) ||
        trj_map_reader_pass(r, true, take_planes, &f, err))
        return -1;
    if (m->unknown < m->points) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "all %llu values are NaN; give another map", (unsigned long long)m->points);
}

int pot_map_read(struct pot_map *m, const char *path, struct trj_error *err) {
    return trj_single_map_read(path, NULL, &m->name, &m->notes, read_map, m, err);
}
