// SPDX-License-Identifier: MIT
// Opens the maps of an expression and reads them in step, and interpolates those on other lattices.
#include "map_operands.h"

#include <stdlib.h>
#include <string.h>

#include "map_expression.h"
#include "memory.h"

// Tolerance of positions, in steps: those in text formats and from float32 cells are rounded.
static const double SAME_LATTICE = 1e-3;

// ---- names

static int check_unique(const struct trj_map_operands *o, const struct trj_map_operand *p, struct trj_error *err) {
    for (size_t i = 0; i < o->count; i++) {
        if (!strcmp(o->operand[i].name, p->name))
            return trj_fail(err, TRJ_USAGE, "%s: the name %s is given twice; write NAME=FILE with another name",
                            p->path, p->name);
        if (!strcmp(p->path, "-") && !strcmp(o->operand[i].path, "-"))
            return trj_fail(err, TRJ_USAGE, "standard input is given twice; write its name twice in the expression");
    }
    return 0;
}

const char *trj_map_operand_path(const char *argument) {
    const char *equals = strchr(argument, '=');
    return equals && trj_map_expression_is_name(argument, (size_t)(equals - argument)) ? equals + 1 : argument;
}

static int add_operand(struct trj_map_operands *o, const char *argument, char *next, struct trj_error *err) {
    struct trj_map_operand *to = &o->operand[o->count];
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : 0;
    char automatic[2] = {*next, '\0'};
    to->path = trj_map_operand_path(argument);
    bool named = to->path != argument;
    if (equals && !named && strcspn(argument, "/.") > length)
        return trj_fail(
            err, TRJ_USAGE,
            "invalid name in '%s': expected a letter, then letters, digits and '_', and none of the words of "
            "expressions, such as log; write ./%s if this is the name of a file",
            argument, argument);
    if (!named && ++*next > 'z' + 1)
        return trj_fail(err, TRJ_USAGE, "%s: more than 26 files without a name; write NAME=FILE", argument);
    to->name = trj_copy_text(named ? argument : automatic, err);
    if (!to->name) return -1;
    if (named) to->name[length] = '\0';
    to->store.file = -1;
    int rc = check_unique(o, to, err);
    o->count++;
    return rc;
}

int trj_map_operands_name(struct trj_map_operands *o, char **arguments, size_t count, struct trj_error *err) {
    char next = 'a';
    o->operand = trj_alloc(count + 1, sizeof *o->operand, "maps", err);
    if (!o->operand) return -1;
    for (size_t i = 0; i < count; i++)
        if (add_operand(o, arguments[i], &next, err)) return -1;
    return count ? 0 : add_operand(o, "-", &next, err);
}

// ---- opening

static int fail_operand(const struct trj_map_operand *p, struct trj_error *err) {
    return trj_fail_at(err, "%s", strcmp(p->path, "-") != 0 ? p->path : "stdin");
}

static int open_file(struct trj_map_operand *p, const struct trj_map_reader_setup *setup, struct trj_error *err) {
    struct trj_input *in;
    if (trj_input_open(&in, p->path, err)) return -1;
    if (trj_map_reader_open(&p->reader, in, setup, err)) return fail_operand(p, err);
    p->slab_planes = trj_map_slab_planes(&p->reader->map);
    p->slab = trj_alloc(p->slab_planes, trj_map_plane_size(&p->reader->map), "a slab", err);
    return p->slab ? 0 : -1;
}

// Compares lattices without their periods, which many formats do not contain.
static bool same_lattice(const struct trj_map_lattice *a, struct trj_map_lattice b) {
    b.periodic = a->periodic;
    return trj_map_lattice_same(a, &b, SAME_LATTICE);
}

static int check_lattice(struct trj_map_operands *o, struct trj_map_operand *p, bool like, struct trj_error *err) {
    const struct trj_map *m = &p->reader->map;
    const uint64_t *n = o->lattice.n, *k = m->lattice.n;
    if (same_lattice(&o->lattice, m->lattice)) {
        // A map that is not periodic has no values at points outside of it.
        if (!like) o->lattice.periodic &= m->lattice.periodic;
        return 0;
    }
    if (like) {
        p->resampled = true;
        trj_map_resampling_open(&p->resampling, &p->reader->means, &o->lattice);
        return 0;
    }
    trj_error_set(
        err, TRJ_BAD_DATA,
        "its lattice differs from that of the first map: expected %llu x %llu x %llu points, found %llu x %llu x "
        "%llu%s; add --like FILE to interpolate all maps on the lattice of FILE",
        (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2], (unsigned long long)k[0],
        (unsigned long long)k[1], (unsigned long long)k[2],
        memcmp(n, k, sizeof m->lattice.n) != 0 ? "" : " with another origin or other steps");
    return fail_operand(p, err);
}

int trj_map_operands_open(struct trj_map_operands *o, const struct trj_map_reader_setup *setup,
                          const struct trj_map_lattice *like, struct trj_error *err) {
    const struct trj_map_operand *first = NULL;
    size_t series = 0, used = 0;
    for (size_t i = 0; i < o->count; i++) {
        struct trj_map_operand *p = &o->operand[i];
        if (!p->used) continue;
        if (open_file(p, setup, err)) return -1;
        const struct trj_map *m = &p->reader->map;
        if (!first) {
            o->lattice = like ? *like : m->lattice;
            first = p;
        }
        if (m->components != first->reader->map.components) {
            trj_error_set(
                err, TRJ_BAD_DATA,
                "%u values for each point, but %u in the first map; give maps with equal numbers of components",
                m->components, first->reader->map.components);
            return fail_operand(p, err);
        }
        if (check_lattice(o, p, like, err)) return -1;
        series += p->reader->format->series;
        used++;
    }
    // The only map of a file is needed again if another file has several.
    for (size_t i = 0; i < o->count; i++)
        if (o->operand[i].reader && used > 1) o->operand[i].repeats = series > o->operand[i].reader->format->series;
    return 0;
}

// ---- reading

// Reads the next planes of the file as float64.
static int read_planes(struct trj_map_operand *p, uint64_t planes, double *to, struct trj_error *err) {
    const struct trj_map *m = &p->reader->map;
    for (uint64_t some; planes; planes -= some) {
        some = planes < p->slab_planes ? planes : p->slab_planes;
        if (trj_map_reader_read(p->reader, p->slab, some, err)) return fail_operand(p, err);
        uint64_t n = some * trj_map_plane_values(m);
        trj_map_reader_to_real(p->reader, p->slab, n, to);
        to += n;
    }
    return 0;
}

static int fill_store(struct trj_map_operand *p, struct trj_error *err) {
    const struct trj_map *m = &p->reader->map;
    uint64_t plane = trj_map_plane_values(m) * sizeof(double), all = m->lattice.n[2];
    if (!p->store.bytes && trj_map_store_open(&p->store, all * plane, TRJ_MAP_STORE_MEMORY, err)) return -1;
    for (uint64_t z = 0, some; z < all; z += some) {
        some = all - z < p->slab_planes ? all - z : p->slab_planes;
        if (read_planes(p, some, (double *)(void *)(p->store.bytes + z * plane), err)) return -1;
        trj_map_store_release(&p->store, z * plane, some * plane);
    }
    return 0;
}

// Moves one file to its next map. Sets *more to whether there is one.
static int next_map(struct trj_map_operands *o, struct trj_map_operand *p, bool *more, struct trj_error *err) {
    int rc = trj_map_reader_next(p->reader, err);
    if (rc < 0) return fail_operand(p, err);
    *more = rc > 0;
    if (!rc) return 0;
    if (o->maps && !p->resampled && p->repeats) {
        p->repeats = false;
        trj_map_store_close(&p->store);
    }
    return p->resampled || p->repeats ? fill_store(p, err) : 0;
}

int trj_map_operands_next(struct trj_map_operands *o, struct trj_error *err) {
    const struct trj_map_operand *ended = NULL;
    o->series = NULL;
    for (size_t i = 0; i < o->count; i++) {
        struct trj_map_operand *p = &o->operand[i];
        bool more;
        if (!p->reader) continue;
        if (next_map(o, p, &more, err)) return -1;
        if (more && !o->series) o->series = p;
        if (!more && (!ended || p->reader->maps > 1)) ended = p;
    }
    if (!o->series) return 0;
    if (ended && ended->reader->maps > 1) {
        trj_error_set(err, TRJ_BAD_DATA, "has %llu maps, but %s has more; give the same number, or one",
                      (unsigned long long)ended->reader->maps, o->series->path);
        return fail_operand(ended, err);
    }
    o->maps++;
    return 1;
}

int trj_map_operands_read(struct trj_map_operands *o, size_t operand, uint64_t first, uint64_t planes, double *to,
                          struct trj_error *err) {
    struct trj_map_operand *p = &o->operand[operand];
    uint64_t plane = trj_map_plane_values(&p->reader->map) * sizeof(double);
    const double *values = (const double *)(const void *)p->store.bytes;
    if (p->resampled) {
        p->outside += trj_map_resample(&p->resampling, values, first, planes, to);
        return 0;
    }
    if (!p->store.bytes) return read_planes(p, planes, to, err);
    memcpy(to, p->store.bytes + first * plane, planes * plane);
    trj_map_store_release(&p->store, first * plane, planes * plane);
    return 0;
}

void trj_map_operands_close(struct trj_map_operands *o) {
    for (size_t i = 0; i < o->count; i++) {
        trj_map_reader_close(o->operand[i].reader);
        trj_map_store_close(&o->operand[i].store);
        free(o->operand[i].slab);
        free(o->operand[i].name);
    }
    free(o->operand);
}
