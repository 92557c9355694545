// SPDX-License-Identifier: MIT
// Passes planes of a map to a surface, in one pass if one level is given, else in several.
#include "surface_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_statistics.h"
#include "map_store.h"
#include "memory.h"
#include "number.h"

int surf_level_parse(struct surf_level *level, const char *text, struct trj_error *err) {
    static const char unit[] = "sigma";
    char number[64];
    size_t n = strlen(text), m = sizeof unit - 1;
    level->sigma = n > m && !strcmp(text + n - m, unit);
    if (level->sigma) n -= m;
    if (n < sizeof number) {
        memcpy(number, text, n);
        number[n] = 0;
        if (trj_parse_real(number, &level->value)) return 0;
    }
    return trj_fail(
        err, TRJ_USAGE,
        "--level: invalid level '%s': expected a number in the unit of the map, or a multiple of sigma such as 3sigma",
        text);
}

// Returns the number by which values are divided to give the mean over the frames, as a density (map_means.h).
static double weight_of(const struct trj_map_reader *r) {
    return r->record.sum ? trj_exact_value(&r->record.weight) / r->factor : 1;
}

// Gives the planes of a map, one after the other.
struct source {
    struct trj_map_reader *reader;
    struct trj_map_store store; // all planes; not open if they are not kept
    uint64_t next;
    size_t size;
    unsigned char *plane; // [size]
};

static int open_source(struct source *s, struct trj_map_reader *r, struct trj_error *err) {
    *s = (struct source){.reader = r};
    if (!r) return 0;
    s->size = trj_map_plane_size(&r->map);
    return (s->plane = trj_alloc(s->size, 1, "a plane", err)) ? 0 : -1;
}

static void close_source(struct source *s) {
    trj_map_store_close(&s->store);
    free(s->plane);
}

// Returns the next plane; NULL after an error, or if there is no map.
static const void *next_plane(struct source *s, struct trj_error *err) {
    if (s->store.bytes) return s->store.bytes + s->size * s->next++;
    if (s->reader && !trj_map_reader_read(s->reader, s->plane, 1, err)) return s->plane;
    if (s->reader) trj_fail_at(err, "%s", trj_input_name(s->reader->in));
    return NULL;
}

// Keeps all planes, and adds their values to statistics unless these are NULL.
static int keep_planes(struct source *s, struct trj_map_statistics *statistics, struct trj_error *err) {
    struct trj_map_store store = {0};
    if (s->store.bytes || !s->reader) return 0;
    const struct trj_map *m = &s->reader->map;
    if (trj_map_store_open(&store, m->lattice.n[2] * s->size, TRJ_MAP_STORE_MEMORY, err)) return -1;
    int rc = 0;
    for (uint64_t k = 0; !rc && k < m->lattice.n[2]; k++) {
        const void *plane = next_plane(s, err);
        rc = plane ? 0 : -1;
        if (rc) break;
        if (statistics) trj_map_statistics_add(statistics, plane, trj_map_plane_values(m));
        memcpy(store.bytes + k * s->size, plane, s->size);
        trj_map_store_release(&store, k * s->size, s->size);
    }
    s->store = store;
    return rc;
}

// Keeps all planes, and computes the level from their statistics.
static int find_level(struct source *s, double *level, struct trj_error *err) {
    struct trj_map_statistics *statistics = trj_map_statistics_open(&s->reader->map, err);
    int rc = statistics ? keep_planes(s, statistics, err) : -1;
    if (!rc) {
        struct trj_map_summary found = trj_map_statistics_summary(statistics);
        *level = found.mean + *level * found.sigma;
        if (!isfinite(*level))
            rc = trj_fail(err, TRJ_BAD_DATA, "%s: the map has no standard deviation; give a level in its unit",
                          trj_input_name(s->reader->in));
    }
    trj_map_statistics_close(statistics);
    return rc;
}

static int add_planes(struct surf_builder *b, struct source *map, struct source *colours, struct trj_error *err) {
    for (uint64_t k = 0; k < map->reader->map.lattice.n[2]; k++) {
        const void *values = next_plane(map, err);
        const void *other = values ? next_plane(colours, err) : NULL;
        if (!values || (colours->reader && !other)) return -1;
        if (surf_builder_add(b, values, other, err)) return trj_fail_at(err, "%s", trj_input_name(map->reader->in));
    }
    return 0;
}

// Computes a surface plane by plane.
static int build_by_planes(const struct surf_setup *setup, struct source *map, struct source *colours,
                           struct surf_summary *summary, struct trj_error *err) {
    struct surf_builder *b = NULL;
    int rc = surf_builder_open(&b, setup, err) ? trj_fail_at(err, "%s", trj_input_name(map->reader->in))
             : add_planes(b, map, colours, err) || surf_builder_finish(b, summary, err) ? -1
                                                                                        : 0;
    surf_builder_close(b);
    return rc;
}

// Computes a surface with an engine that needs all planes.
static int build_by_engine(const struct surf_build_options *options, const struct surf_setup *setup, struct source *map,
                           struct source *colours, struct surf_summary *summary, struct trj_error *err) {
    if (keep_planes(map, NULL, err) || keep_planes(colours, NULL, err)) return -1;
    if (options->engine->build(options->state, setup, map->store.bytes, colours->store.bytes, summary, err))
        return trj_fail_at(err, "%s", trj_input_name(map->reader->in));
    return 0;
}

int surf_map_build(struct trj_map_reader *r, struct trj_map_reader *colours, const struct surf_build_options *options,
                   struct surf_mesh *mesh, struct surf_summary *summary, double *level, struct trj_error *err) {
    struct source map = {NULL}, second = {NULL};
    double weight = weight_of(r), value = options->level.value;
    *level = options->level.sigma ? value : value * weight;
    int rc = open_source(&map, r, err) || open_source(&second, colours, err) ? -1 : 0;
    if (!rc && options->level.sigma) rc = find_level(&map, level, err);
    if (!rc) {
        const struct surf_setup setup = {.map = &r->map,
                                         .colour = colours ? &colours->map : NULL,
                                         .colour_weight = colours ? weight_of(colours) : 1,
                                         .level = *level,
                                         .close = options->close,
                                         .mesh = mesh,
                                         .only_mesh = options->only_mesh};
        rc = options->engine->build ? build_by_engine(options, &setup, &map, &second, summary, err)
                                    : build_by_planes(&setup, &map, &second, summary, err);
    }
    *level = *level / weight;
    close_source(&map);
    close_source(&second);
    return rc;
}
