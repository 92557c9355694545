// SPDX-License-Identifier: MIT
// Checks the description of a map once for all formats, because each of them can contain impossible sizes or values.
#include "map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const char *text_of(const char *text) {
    return text ? text : "";
}

static int check_text(const char *text, struct trj_error *err) {
    size_t n = 0;
    for (; text[n]; n++)
        if ((unsigned char)text[n] < ' ' || text[n] == 0x7f)
            return trj_fail(err, TRJ_BAD_DATA, "the name of the quantity or of its unit contains control characters");
    if (n <= TRJ_MAP_TEXT_MAX) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the name of the quantity or of its unit has over %d characters",
                    TRJ_MAP_TEXT_MAX);
}

static int check_numbers(const struct trj_map *m, struct trj_error *err) {
    int exponent;
    if ((unsigned)m->kind >= TRJ_MAP_KINDS || (unsigned)m->meaning >= TRJ_MAP_MEANINGS)
        return trj_fail(err, TRJ_BAD_DATA, "unknown kind or meaning of values (%u, %u); use a newer trjpipe",
                        (unsigned)m->kind, (unsigned)m->meaning);
    if (!m->components || m->components > TRJ_MAP_COMPONENTS_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "%u components of a value, expected 1 to %d", m->components,
                        TRJ_MAP_COMPONENTS_MAX);
    bool power = isfinite(m->quantum) && m->quantum > 0 && frexp(m->quantum, &exponent) == 0.5;
    if (m->kind == TRJ_MAP_QUANTA ? !power : m->quantum != 0)
        return trj_fail(err, TRJ_BAD_DATA, "invalid quantum %g: expected %s", m->quantum,
                        m->kind == TRJ_MAP_QUANTA ? "a power of two" : "0");
    if (!(m->error_bound >= 0) || !isfinite(m->error_bound))
        return trj_fail(err, TRJ_BAD_DATA, "invalid error bound %g: expected 0 or more", m->error_bound);
    return 0;
}

int trj_map_check(const struct trj_map *m, struct trj_error *err) {
    if (trj_map_lattice_check(&m->lattice, err) || check_numbers(m, err) || check_text(text_of(m->quantity), err) ||
        check_text(text_of(m->unit), err))
        return -1;
    uint64_t values = trj_map_lattice_plane(&m->lattice);
    if (values > TRJ_MAP_PLANE_MAX || values * trj_map_point_size(m) > TRJ_MAP_PLANE_MAX)
        return trj_fail(err, TRJ_BAD_DATA,
                        "a plane of %llu x %llu points with %zu bytes each is too large: expected at most 2^28 bytes; "
                        "use a coarser lattice",
                        (unsigned long long)m->lattice.n[0], (unsigned long long)m->lattice.n[1],
                        trj_map_point_size(m));
    return 0;
}

size_t trj_map_value_size(enum trj_map_kind kind) {
    return kind == TRJ_MAP_FLOAT32 ? sizeof(float) : 8;
}

size_t trj_map_point_size(const struct trj_map *m) {
    return m->components * trj_map_value_size(m->kind);
}

size_t trj_map_plane_size(const struct trj_map *m) {
    return trj_map_lattice_plane(&m->lattice) * trj_map_point_size(m);
}

uint64_t trj_map_plane_values(const struct trj_map *m) {
    return trj_map_lattice_plane(&m->lattice) * m->components;
}

uint64_t trj_map_slab_planes(const struct trj_map *m) {
    uint64_t planes = TRJ_MAP_SLAB / trj_map_plane_size(m);
    if (planes > m->lattice.n[2]) planes = m->lattice.n[2];
    return planes ? planes : 1;
}

void trj_map_to_real(const struct trj_map *m, const void *values, size_t n, double *to) {
    const float *f = values;
    const int64_t *quanta = values;
    const uint64_t *counts = values;
    switch (m->kind) {
    case TRJ_MAP_FLOAT32:
        for (size_t i = 0; i < n; i++) to[i] = (double)f[i];
        break;
    case TRJ_MAP_QUANTA:
        for (size_t i = 0; i < n; i++) to[i] = (double)quanta[i] * m->quantum;
        break;
    case TRJ_MAP_COUNTS:
        for (size_t i = 0; i < n; i++) to[i] = (double)counts[i];
        break;
    default:
        if (n) memcpy(to, values, n * sizeof *to);
    }
}

double trj_map_common_bound(double a, double b) {
    return a > 0 && b > 0 ? fmax(a, b) : 0;
}

int trj_map_copy(struct trj_map *to, const struct trj_map *from, struct trj_error *err) {
    *to = *from;
    to->quantity = trj_copy_text(text_of(from->quantity), err);
    to->unit = to->quantity ? trj_copy_text(text_of(from->unit), err) : NULL;
    if (to->unit) return 0;
    trj_map_free(to);
    return -1;
}

void trj_map_free(struct trj_map *m) {
    free(m->quantity);
    free(m->unit);
    m->quantity = m->unit = NULL;
}

int trj_map_check_same(const struct trj_map *a, const struct trj_map *b, struct trj_error *err) {
    const uint64_t *n = a->lattice.n, *o = b->lattice.n;
    if (memcmp(n, o, sizeof a->lattice.n) != 0)
        return trj_fail(err, TRJ_BAD_DATA, "expected %llu x %llu x %llu points, found %llu x %llu x %llu",
                        (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2],
                        (unsigned long long)o[0], (unsigned long long)o[1], (unsigned long long)o[2]);
    if (!trj_map_lattice_same(&a->lattice, &b->lattice, 0))
        return trj_fail(err, TRJ_BAD_DATA, "the origin, the steps or the periods of the lattice differ");
    if (strcmp(text_of(a->quantity), text_of(b->quantity)) != 0 || strcmp(text_of(a->unit), text_of(b->unit)) != 0)
        return trj_fail(err, TRJ_BAD_DATA, "expected the quantity '%s' in '%s', found '%s' in '%s'",
                        text_of(a->quantity), text_of(a->unit), text_of(b->quantity), text_of(b->unit));
    if (a->kind != b->kind || a->meaning != b->meaning || a->components != b->components || a->quantum != b->quantum)
        return trj_fail(err, TRJ_BAD_DATA, "values of another kind, meaning, quantum or number of components");
    return 0;
}
