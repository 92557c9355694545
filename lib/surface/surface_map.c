// SPDX-License-Identifier: MIT
// Passes planes of a map to a surface, in one pass if one level is given, else in several.
#include "surface_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_enclosing_level.h"
#include "map_statistics.h"
#include "map_store.h"
#include "memory.h"
#include "number.h"

// Reads a number before a unit, which is "" or follows it directly.
static bool parse_number(const char *text, const char *unit, double *value) {
    char number[64];
    size_t n = strlen(text), m = strlen(unit);
    if (n < m || n - m >= sizeof number || strcmp(text + n - m, unit) != 0) return false;
    memcpy(number, text, n - m);
    number[n - m] = 0;
    return trj_parse_real(number, value);
}

int surf_level_parse(struct surf_level *level, const char *text, struct trj_error *err) {
    static const char *const units[] = {"", "sigma", "%"}, plus_minus[] = "+-", sign[] = "\xc2\xb1";
    const char *number = text;
    *level = (struct surf_level){.kind = SURF_LEVEL_VALUE};
    if (!strncmp(text, plus_minus, 2) || !strncmp(text, sign, 2)) {
        level->both = true;
        number += 2;
    }
    while (level->kind <= SURF_LEVEL_PERCENT && !parse_number(number, units[level->kind], &level->value)) level->kind++;
    bool percent = level->kind == SURF_LEVEL_PERCENT;
    if (level->kind <= SURF_LEVEL_PERCENT && (!percent || (level->value > 0 && level->value < 100)) &&
        (!level->both || level->value > 0))
        return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--level: invalid level '%s': expected a number in the unit of the map, a multiple of sigma such "
                    "as 3sigma, a percentage of the integral such as 90%%, or one of these, above 0, after +-",
                    text);
}

// Returns the number by which values are divided to give the mean over the frames, as a density (map_means.h).
static double weight_of(const struct trj_map_reader *r) {
    return r->record.sum ? trj_exact_value(&r->record.weight) / r->factor : 1;
}

static int open_source(struct surf_source *s, struct trj_map_reader *r, struct trj_error *err) {
    if (s->reader || !r) return 0;
    s->reader = r;
    s->size = trj_map_plane_size(&r->map);
    return (s->plane = trj_alloc(s->size, 1, "a plane", err)) ? 0 : -1;
}

static void close_source(struct surf_source *s) {
    trj_map_store_close(&s->store);
    free(s->plane);
}

int surf_input_open(struct surf_input *in, struct trj_map_reader *r, struct trj_map_reader *colours,
                    struct trj_error *err) {
    in->weight = weight_of(r);
    in->colour_weight = colours ? weight_of(colours) : 1;
    in->map.kept = in->colours.kept = false;
    return open_source(&in->map, r, err) || open_source(&in->colours, colours, err) ? -1 : 0;
}

void surf_input_close(struct surf_input *in) {
    close_source(&in->map);
    close_source(&in->colours);
    *in = (struct surf_input){.weight = 0};
}

// Reads the next planes.
static int read_planes(struct surf_source *s, void *to, uint64_t planes, struct trj_error *err) {
    if (!trj_map_reader_read(s->reader, to, planes, err)) return 0;
    return trj_fail_at(err, "%s", trj_input_name(s->reader->in));
}

// Returns the next plane; NULL after an error, or if there is no map.
static const void *next_plane(struct surf_source *s, struct trj_error *err) {
    if (s->kept) return s->store.bytes + s->size * s->next++;
    return s->reader && !read_planes(s, s->plane, 1, err) ? s->plane : NULL;
}

// Keeps all planes, and adds their values to statistics unless these are NULL.
static int keep_planes(struct surf_source *s, struct trj_map_statistics *statistics, struct trj_error *err) {
    if (!s->reader || (s->kept && !statistics)) return 0;
    const struct trj_map *m = &s->reader->map;
    const uint64_t n = m->lattice.n[2], values = trj_map_plane_values(m);
    if (!s->store.bytes && trj_map_store_open(&s->store, n * s->size, TRJ_MAP_STORE_MEMORY, err)) return -1;
    for (uint64_t k = 0, some; k < n; k += some) {
        some = n - k < trj_map_slab_planes(m) ? n - k : trj_map_slab_planes(m);
        unsigned char *planes = s->store.bytes + k * s->size;
        if (!s->kept && read_planes(s, planes, some, err)) return -1;
        for (uint64_t i = 0; statistics && i < some; i++)
            trj_map_statistics_add(statistics, planes + i * s->size, values);
        trj_map_store_release(&s->store, k * s->size, some * s->size);
    }
    s->kept = true;
    return 0;
}

int surf_input_keep(struct surf_input *in, struct trj_error *err) {
    return keep_planes(&in->map, NULL, err) || keep_planes(&in->colours, NULL, err) ? -1 : 0;
}

// Keeps all planes, and computes the levels from their statistics.
static int find_sigma_levels(struct surf_source *s, double multiple, double level[2], struct trj_error *err) {
    struct trj_map_statistics *statistics = trj_map_statistics_open(&s->reader->map, err);
    int rc = statistics ? keep_planes(s, statistics, err) : -1;
    if (!rc) {
        struct trj_map_summary found = trj_map_statistics_summary(statistics);
        level[0] = found.mean + multiple * found.sigma;
        level[1] = found.mean - multiple * found.sigma;
        if (!isfinite(level[0]))
            rc = trj_fail(err, TRJ_BAD_DATA, "%s: the map has no standard deviation; give a level in its unit",
                          trj_input_name(s->reader->in));
    }
    trj_map_statistics_close(statistics);
    return rc;
}

// Sets the levels, of which the second one is used if there are two surfaces, in the unit of the values in the file.
static int find_levels(struct surf_source *s, const struct surf_level *l, double weight, double level[2],
                       struct trj_error *err) {
    level[0] = l->value * weight;
    if (l->kind == SURF_LEVEL_SIGMA) return find_sigma_levels(s, l->value, level, err);
    if (l->kind == SURF_LEVEL_PERCENT) {
        if (keep_planes(s, NULL, err)) return -1;
        if (trj_map_enclosing_level(&level[0], &s->reader->map, s->store.bytes, l->value, err))
            return trj_fail_at(err, "%s", trj_input_name(s->reader->in));
    }
    level[1] = -level[0];
    return 0;
}

// Changes the signs of all values, which must be kept, so that the surface around the values below a level is the
// surface around the values above the negative level.
static void negate(struct surf_source *s) {
    const struct trj_map *m = &s->reader->map;
    uint64_t n = m->lattice.n[2] * trj_map_plane_values(m);
    if (m->kind == TRJ_MAP_FLOAT32) {
        float *v = (float *)(void *)s->store.bytes;
        for (uint64_t i = 0; i < n; i++) v[i] = -v[i];
    } else if (m->kind == TRJ_MAP_FLOAT64) {
        double *v = (double *)(void *)s->store.bytes;
        for (uint64_t i = 0; i < n; i++) v[i] = -v[i];
    } else {
        uint64_t *v = (uint64_t *)(void *)s->store.bytes; // of quanta, which are signed
        for (uint64_t i = 0; i < n; i++) v[i] = -v[i];
    }
}

static int add_planes(struct surf_builder *b, struct surf_source *map, struct surf_source *colours,
                      struct trj_error *err) {
    for (uint64_t k = 0; k < map->reader->map.lattice.n[2]; k++) {
        const void *values = next_plane(map, err);
        const void *other = values ? next_plane(colours, err) : NULL;
        if (!values || (colours->reader && !other)) return -1;
        if (surf_builder_add(b, values, other, err)) return trj_fail_at(err, "%s", trj_input_name(map->reader->in));
    }
    return 0;
}

// Computes a surface plane by plane.
static int build_by_planes(const struct surf_setup *setup, struct surf_source *map, struct surf_source *colours,
                           struct surf_summary *summary, struct trj_error *err) {
    struct surf_builder *b = NULL;
    int rc = surf_builder_open(&b, setup, err) ? trj_fail_at(err, "%s", trj_input_name(map->reader->in))
             : add_planes(b, map, colours, err) || surf_builder_finish(b, summary, err) ? -1
                                                                                        : 0;
    surf_builder_close(b);
    return rc;
}

// Computes a surface with an engine that needs all planes.
static int build_by_engine(const struct surf_build_options *options, const struct surf_setup *setup,
                           struct surf_source *map, struct surf_source *colours, struct surf_summary *summary,
                           struct trj_error *err) {
    if (keep_planes(map, NULL, err) || keep_planes(colours, NULL, err)) return -1;
    if (options->engine->build(options->state, setup, map->store.bytes, colours->store.bytes, summary, err))
        return trj_fail_at(err, "%s", trj_input_name(map->reader->in));
    return 0;
}

// Builds one surface.
static int build(const struct surf_build_options *options, struct surf_input *in, double level, struct surf_mesh *mesh,
                 struct surf_summary *summary, struct trj_error *err) {
    struct surf_source *map = &in->map, *second = &in->colours;
    struct trj_map_reader *colours = second->reader;
    const struct surf_setup setup = {.map = &map->reader->map,
                                     .colour = colours ? &colours->map : NULL,
                                     .colour_weight = in->colour_weight,
                                     .level = level,
                                     .close = options->close,
                                     .mesh = mesh,
                                     .kept = map->kept && (!colours || second->kept),
                                     .only_mesh = options->only_mesh};
    map->next = second->next = 0;
    return options->engine->build ? build_by_engine(options, &setup, map, second, summary, err)
                                  : build_by_planes(&setup, map, second, summary, err);
}

static int build_both(const struct surf_build_options *options, struct surf_input *in, const double level[2],
                      struct surf_mesh *mesh, struct surf_result result[2], struct trj_error *err) {
    const struct trj_map_reader *r = in->map.reader;
    struct surf_mesh part;
    if (r->map.kind == TRJ_MAP_COUNTS)
        return trj_fail(err, TRJ_BAD_DATA, "%s: --level: the map has no negative values; leave out +-",
                        trj_input_name(r->in));
    if (surf_input_keep(in, err)) return -1;
    surf_mesh_start(&part);
    int rc = 0;
    for (int side = 0; !rc && side < 2; side++) {
        if (side) negate(&in->map);
        surf_mesh_clear(&part);
        rc = build(options, in, side ? -level[1] : level[0], mesh ? &part : NULL, &result[side].summary, err);
        if (!rc && mesh) rc = surf_mesh_append(mesh, &part, in->colours.reader ? NULL : &(float){side ? -1 : 1}, err);
    }
    surf_mesh_free(&part);
    return rc;
}

int surf_map_build(struct surf_input *in, const struct surf_build_options *options, struct surf_mesh *mesh,
                   struct surf_result result[2], struct trj_error *err) {
    double level[2];
    if (find_levels(&in->map, &options->level, in->weight, level, err)) return -1;
    int rc = options->level.both ? build_both(options, in, level, mesh, result, err)
                                 : build(options, in, level[0], mesh, &result[0].summary, err);
    for (int side = 0; !rc && side < 2; side++) result[side].level = level[side] / in->weight;
    return rc;
}

void surf_level_describe(char text[SURF_LEVEL_TEXT], const struct surf_level *level, const struct surf_result result[2],
                         const struct trj_map_reader *r) {
    char second[40] = "", fraction[80] = "";
    const char *unit = r->means.unit, *weights = trj_map_has_square_weights(&r->map) ? "squares" : "absolute values";
    if (level->both) snprintf(second, sizeof second, " and %.10g", result[1].level);
    if (level->kind == SURF_LEVEL_PERCENT)
        snprintf(fraction, sizeof fraction, "; %.10g %% of the integral of the %s", level->value, weights);
    snprintf(text, SURF_LEVEL_TEXT, "level: %.10g%s%s%s%s", result[0].level, second, *unit ? " " : "", unit, fraction);
}
