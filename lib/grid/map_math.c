// SPDX-License-Identifier: MIT
// Evaluates an expression over maps plane by plane, in two passes if the result needs a reference value of all planes.
#include "map_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_means.h"
#include "map_statistics.h"
#include "memory.h"
#include "number.h"
#include "units.h"

static const double KILOJOULE_PER_KILOCALORIE = 4.184;

// ---- opening

static int check_free_energy(struct trj_map_math *m, struct trj_error *err) {
    const struct trj_map_math_options *options = &m->options;
    double kt = TRJ_GAS_CONSTANT * options->temperature;
    if (isnan(options->temperature)) return 0;
    if (!(options->temperature > 0))
        return trj_fail(err, TRJ_USAGE, "--free-energy: invalid value %g K: must be above 0", options->temperature);
    if (!strcmp(options->energy_unit, "kcal/mol")) kt /= KILOJOULE_PER_KILOCALORIE;
    m->free_energy.kt = !strcmp(options->energy_unit, "kT") ? 1 : kt;
    m->two_passes = !strcmp(options->reference, "max") || !strcmp(options->reference, "mean");
    if (m->two_passes ||
        (trj_parse_real(options->reference, &m->free_energy.reference) && m->free_energy.reference > 0))
        return 0;
    return trj_fail(err, TRJ_USAGE, "--reference: invalid value '%s': expected max, mean or a number above 0",
                    options->reference);
}

static int parse(struct trj_map_math *m, struct trj_error *err) {
    struct trj_map_operands *o = &m->operands;
    const char **names = trj_alloc(o->count + 1, sizeof *names, "names", err);
    if (!names) return -1;
    for (size_t i = 0; i < o->count; i++) names[i] = o->operand[i].name;
    int rc = trj_map_expression_parse(&m->expression, m->options.expression, names, o->count, err);
    if (!rc && m->options.mask) {
        rc = trj_map_expression_parse(&m->mask, m->options.mask, names, o->count, err);
        if (rc) trj_fail_at(err, "--mask");
    }
    free(names);
    for (size_t i = 0; !rc && i < o->count; i++) {
        struct trj_map_operand *p = &o->operand[i];
        p->used = trj_map_expression_uses(m->expression, i) || (m->mask && trj_map_expression_uses(m->mask, i));
        if (!p->used)
            rc = trj_fail(err, TRJ_USAGE, "%s: the map %s is not used in the expression; leave it out", p->path,
                          p->name);
    }
    return rc;
}

static int check_like(const struct trj_map_math *m, struct trj_error *err) {
    for (size_t i = 0; m->options.like && i < m->operands.count; i++)
        if (!strcmp(m->options.like, "-") && !strcmp(m->operands.operand[i].path, "-"))
            return trj_fail(err, TRJ_USAGE, "--like: standard input is the map %s; give a file",
                            m->operands.operand[i].name);
    return 0;
}

// Sets the quantity and the unit of the result.
static int describe_texts(struct trj_map_math *m, struct trj_error *err) {
    const struct trj_map_operands *o = &m->operands;
    struct trj_map_unit *units = trj_alloc(o->count + 1, sizeof *units, "units", err), unit, condition;
    const char *quantity = NULL;
    if (!units) return -1;
    bool keeps = trj_map_expression_keeps_quantity(m->expression);
    bool same = true; // all operands have the quantity and the unit of the result
    for (size_t i = 0; i < o->count; i++) units[i] = trj_map_unit_parse(o->operand[i].reader->means.unit);
    int rc = trj_map_expression_unit(&unit, m->expression, units, err);
    if (!rc && m->mask && (rc = trj_map_expression_unit(&condition, m->mask, units, err))) trj_fail_at(err, "--mask");
    for (size_t i = 0; !rc && i < o->count; i++) {
        if (!trj_map_expression_uses(m->expression, i)) continue;
        const char *text = o->operand[i].reader->means.quantity;
        same = same && keeps && trj_map_unit_same(&unit, &units[i]) && (!quantity || !strcmp(quantity, text));
        quantity = text;
    }
    free(units);
    if (rc) return -1;
    bool energy = !isnan(m->options.temperature);
    m->full.quantity = trj_copy_text(energy ? "free energy" : same && quantity ? quantity : "", err);
    m->full.unit = m->full.quantity ? trj_copy_text(energy ? m->options.energy_unit : unit.text, err) : NULL;
    return m->full.unit ? 0 : -1;
}

static int describe(struct trj_map_math *m, struct trj_error *err) {
    const struct trj_map_operands *o = &m->operands;
    enum trj_map_kind kind = TRJ_MAP_FLOAT32;
    m->full.lattice = o->lattice;
    m->full.kind = TRJ_MAP_FLOAT64;
    for (size_t i = 0; i < o->count; i++) {
        const struct trj_map *map = &o->operand[i].reader->means;
        if (o->operand[i].reader->map.kind != TRJ_MAP_FLOAT32) kind = TRJ_MAP_FLOAT64;
        if (!i) m->full.meaning = map->meaning;
        if (m->full.meaning != map->meaning) m->full.meaning = TRJ_MAP_SAMPLES;
        m->full.components = map->components;
    }
    if (!isnan(m->options.temperature) || !trj_map_expression_keeps_quantity(m->expression))
        m->full.meaning = TRJ_MAP_SAMPLES;
    if (describe_texts(m, err) || trj_map_check(&m->full, err)) return -1;
    bool profile = m->options.profile != NULL, reduced = profile || m->options.project;
    int axis = profile || !reduced ? m->profile.axis : *m->options.project - 'x';
    enum trj_map_reduction_kind how = !strcmp(m->options.reduce, "mean")  ? TRJ_MAP_REDUCE_MEAN
                                      : !strcmp(m->options.reduce, "sum") ? TRJ_MAP_REDUCE_SUM
                                                                          : TRJ_MAP_REDUCE_INTEGRAL;
    const bool drop[3] = {(axis == 0) != profile, (axis == 1) != profile, (axis == 2) != profile};
    if (profile && m->profile.shape != TRJ_MAP_PLANES) {
        if (trj_map_reduction_open_shells(&m->reduction, &m->full, &m->profile, how, err)) return -1;
    } else if (reduced && trj_map_reduction_open(&m->reduction, &m->full, drop, how, err)) {
        return -1;
    }
    if (trj_map_copy(&m->map, reduced ? &m->reduction.map : &m->full, err)) return -1;
    m->map.kind = kind;
    return 0;
}

static int allocate(struct trj_map_math *m, struct trj_error *err) {
    m->slab_planes = trj_map_slab_planes(&m->full);
    size_t n = m->slab_planes * trj_map_plane_values(&m->full), count = m->operands.count;
    m->values = trj_alloc(count, sizeof *m->values, "maps", err);
    for (size_t i = 0; m->values && i < count; i++)
        if (!(m->values[i] = trj_alloc(n, sizeof **m->values, "a slab", err))) return -1;
    m->slab = m->values ? trj_alloc(n, sizeof *m->slab, "a slab", err) : NULL;
    if (!m->slab) return -1;
    if (m->reduction.sum) {
        m->reduced = trj_alloc(m->map.lattice.n[2], trj_map_plane_size(&m->reduction.map), "a projection", err);
        if (!m->reduced) return -1;
    }
    uint64_t bytes = m->full.lattice.n[2] * trj_map_plane_size(&m->full);
    return m->two_passes ? trj_map_store_open(&m->store, bytes, TRJ_MAP_STORE_MEMORY, err) : 0;
}

int trj_map_math_open(struct trj_map_math *m, const struct trj_map_math_options *options, char **arguments,
                      size_t count, struct trj_error *err) {
    const struct trj_map_reader_setup setup = {.origin = options->origin, .totals = options->totals};
    struct trj_map_lattice like;
    *m = (struct trj_map_math){.options = *options, .store = {.file = -1}};
    if (options->project && options->profile)
        return trj_fail(err, TRJ_USAGE, "--project and --profile: give one of them");
    if (options->profile && trj_map_profile_parse(&m->profile, options->profile, err)) return -1;
    if (check_free_energy(m, err)) return -1;
    if (trj_map_operands_name(&m->operands, arguments, count, err)) return -1;
    if (parse(m, err)) return -1;
    if (check_like(m, err)) return -1;
    if (options->like && trj_map_read_lattice(&like, options->like, &setup, err)) return -1;
    if (trj_map_operands_open(&m->operands, &setup, options->like ? &like : NULL, err)) return -1;
    bool any = false;
    for (size_t i = 0; i < m->operands.count; i++) {
        const struct trj_map_reader *r = m->operands.operand[i].reader;
        any = any || trj_map_are_summed_totals(&r->map, r->record.sum);
    }
    if (options->totals && !any) return trj_map_fail_totals(err);
    if (describe(m, err)) return -1;
    return allocate(m, err) ? -1 : 0;
}

void trj_map_math_close(struct trj_map_math *m) {
    for (size_t i = 0; m->values && i < m->operands.count; i++) free(m->values[i]);
    free(m->values);
    free(m->slab);
    free(m->reduced);
    trj_map_store_close(&m->store);
    if (m->reduction.map.unit) trj_map_reduction_close(&m->reduction);
    trj_map_free(&m->full);
    trj_map_free(&m->map);
    trj_map_expression_free(m->expression);
    trj_map_expression_free(m->mask);
    trj_map_operands_close(&m->operands);
}

// ---- computing

int trj_map_math_next(struct trj_map_math *m, struct trj_error *err) {
    return trj_map_operands_next(&m->operands, err);
}

const struct trj_map_operand *trj_map_math_source(const struct trj_map_math *m) {
    const struct trj_map_operand *source = NULL;
    for (size_t i = 0; i < m->operands.count; i++) {
        const struct trj_map_operand *p = &m->operands.operand[i];
        if (!p->reader->origin) continue;
        if (source) return NULL;
        source = p;
    }
    return source;
}

void trj_map_math_record(const struct trj_map_math *m, struct trj_grid_record *record) {
    const struct trj_map_operand *source = trj_map_math_source(m);
    *record = source ? source->reader->record : (struct trj_grid_record){.frames = 0};
    record->sum = false;
    for (size_t i = 0; !record->atoms.count && i < m->operands.count; i++)
        if (m->operands.operand[i].reader) record->atoms = m->operands.operand[i].reader->record.atoms;
    record->atoms.orbitals = 0; // the values are those of the expression
}

// Computes planes of the result before a free energy.
static int evaluate(struct trj_map_math *m, uint64_t first, uint64_t planes, double *to, struct trj_error *err) {
    size_t n = planes * trj_map_plane_values(&m->full);
    for (size_t i = 0; i < m->operands.count; i++)
        if (trj_map_operands_read(&m->operands, i, first, planes, m->values[i], err)) return -1;
    const double *const *values = (const double *const *)m->values;
    trj_map_expression_evaluate(m->expression, values, n, to);
    if (!m->mask) return 0;
    // The values of the operands are no longer needed: the mask replaces those of the first.
    trj_map_expression_evaluate(m->mask, values, n, m->values[0]);
    for (size_t i = 0; i < n; i++)
        if (!(m->values[0][i] != 0) || isnan(m->values[0][i])) to[i] = NAN;
    return 0;
}

// Computes all values, and sets the reference.
static int first_pass(struct trj_map_math *m, struct trj_error *err) {
    uint64_t all = m->full.lattice.n[2], plane = trj_map_plane_size(&m->full);
    struct trj_map_statistics *s = trj_map_statistics_open(&m->full, err);
    int rc = s ? 0 : -1;
    for (uint64_t z = 0, some; !rc && z < all; z += some) {
        some = all - z < m->slab_planes ? all - z : m->slab_planes;
        double *to = (double *)(void *)(m->store.bytes + z * plane);
        rc = evaluate(m, z, some, to, err);
        if (!rc) trj_map_statistics_add(s, to, some * trj_map_plane_values(&m->full));
        trj_map_store_release(&m->store, z * plane, some * plane);
    }
    if (rc) {
        trj_map_statistics_close(s);
        return -1;
    }
    struct trj_map_summary summary = trj_map_statistics_summary(s);
    trj_map_statistics_close(s);
    m->free_energy.reference =
        *m->options.reference == 'm' && m->options.reference[1] == 'a' ? summary.max : summary.mean;
    if (m->free_energy.reference > 0) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "the %s of the values is %g, which cannot be the reference of a free energy; give a number above 0 with "
        "--reference",
        m->options.reference, m->free_energy.reference);
}

// Computes planes of the result before a projection or profile.
static int compute_slab(struct trj_map_math *m, uint64_t first, uint64_t planes, struct trj_error *err) {
    uint64_t plane = trj_map_plane_size(&m->full);
    size_t n = planes * trj_map_plane_values(&m->full);
    if (m->two_passes)
        memcpy(m->slab, m->store.bytes + first * plane, planes * plane);
    else if (evaluate(m, first, planes, m->slab, err))
        return -1;
    if (!isnan(m->options.temperature)) trj_map_free_energy(&m->free_energy, m->slab, n);
    for (size_t i = 0; !isnan(m->options.fill) && i < n; i++)
        if (!isfinite(m->slab[i])) m->slab[i] = m->options.fill;
    return 0;
}

// Passes planes to the caller, as float32 if that is the kind of the map.
static int give(struct trj_map_math *m, double *values, uint64_t planes, trj_map_math_take *take, void *arg,
                struct trj_error *err) {
    size_t n = planes * trj_map_plane_values(&m->map);
    unsigned char *to = (unsigned char *)values;
    for (size_t i = 0; m->map.kind == TRJ_MAP_FLOAT32 && i < n; i++) {
        float f = (float)values[i];
        m->too_large += isinf(f) && !isinf(values[i]);
        memcpy(to + i * sizeof f, &f, sizeof f);
    }
    return take(arg, values, planes, err);
}

int trj_map_math_compute(struct trj_map_math *m, trj_map_math_take *take, void *arg, struct trj_error *err) {
    uint64_t all = m->full.lattice.n[2];
    if (m->two_passes && first_pass(m, err)) return -1;
    for (uint64_t z = 0, some; z < all; z += some) {
        some = all - z < m->slab_planes ? all - z : m->slab_planes;
        if (compute_slab(m, z, some, err)) return -1;
        if (m->reduction.sum)
            trj_map_reduction_add(&m->reduction, m->slab, some);
        else if (give(m, m->slab, some, take, arg, err))
            return -1;
    }
    if (!m->reduction.sum) return 0;
    trj_map_reduction_take(&m->reduction, m->reduced);
    return give(m, m->reduced, m->map.lattice.n[2], take, arg, err);
}

// ---- notes

void trj_map_math_notes(const struct trj_map_math *m, void (*note)(const char *file, const char *text)) {
    char text[TRJ_MAP_MEANS_NOTE];
    const struct trj_map_free_energy *g = &m->free_energy;
    for (size_t i = 0; i < m->operands.count; i++) {
        const struct trj_map_operand *p = &m->operands.operand[i];
        const char *file = trj_input_name(p->reader->in);
        for (size_t k = 0; k < p->reader->notes.count; k++) note(file, p->reader->notes.text[k]);
        if (*trj_map_means_note(text, &p->reader->means, &p->reader->map, "add --totals")) note(file, text);
        if (p->resampled && p->resampling.coarser)
            note(file,
                 "interpolated at points that are farther apart than those of the map: values between them have no "
                 "effect, and sums are not preserved");
        if (p->outside) {
            snprintf(text, sizeof text, "%llu point%s outside of the map: unknown (nan)",
                     (unsigned long long)p->outside, p->outside == 1 ? " is" : "s are");
            note(file, text);
        }
    }
    if (m->too_large) {
        snprintf(text, sizeof text,
                 "%llu value%s too large for float32, the type of the maps, and written as inf; multiply the "
                 "expression by a small number",
                 (unsigned long long)m->too_large, m->too_large == 1 ? " is" : "s are");
        note(NULL, text);
    }
    if (g->zero) {
        snprintf(text, sizeof text, "the free energy is inf at %llu point%s, where the value is 0",
                 (unsigned long long)g->zero, g->zero == 1 ? "" : "s");
        note(NULL, text);
    }
    if (g->negative) {
        snprintf(text, sizeof text, "the free energy is nan at %llu point%s, where the value is negative",
                 (unsigned long long)g->negative, g->negative == 1 ? "" : "s");
        note(NULL, text);
    }
}
