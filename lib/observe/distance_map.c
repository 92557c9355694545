// SPDX-License-Identifier: MIT
// Computes distance maps: for each pair of residues or atoms, the mean over frames of the smallest distance between an
// atom of one and an atom of the other, or for residues of the distance between their centres.
//
// Distances are added as integers in units of 2^-20 Å, whose sums do not depend on the order in which threads add them.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble.h"
#include "memory.h"
#include "nearest_image.h"
#include "pair_map.h"
#include "property.h"
#include "sums.h"
#include "table_merge.h"

#define UNIT         0x1p-20 // Å
#define DISTANCE_MAX 1e6     // Å: the sums of 10^7 frames are below 2^64 units

struct distance_map {
    struct obs_pair_map pairs;
    bool centres, of_mass[2];     // distances are those of centres
    uint64_t total;               // frames, after the last one
    uint32_t *first[2], *atom[2]; // atom[first[p] .. first[p + 1]] are the atoms of part p, as places in the selection
    atomic_uint_least64_t *sum;   // of each pair of parts, in units
};

// The centre of the atoms of a part, and the distance of the farthest of them; of centres, only these.
struct sphere {
    double centre[3], radius;
};

static struct sphere enclose(const struct distance_map *m, int side, size_t part, double (*x)[3]) {
    struct sphere s = {{0}, 0};
    const uint32_t *atom = m->atom[side] + m->first[side][part];
    const size_t n = m->first[side][part + 1] - m->first[side][part];
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) s.centre[k] += x[atom[i]][k] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = x[atom[i]][k] - s.centre[k];
        s.radius = fmax(s.radius, trj_norm(d));
    }
    return s;
}

// Sets the centres of parts, which must be whole.
static int find_centres(const struct distance_map *m, int side, struct sphere *s, struct obs_view *v,
                        struct trj_error *err) {
    const size_t selection = m->pairs.selection[side], count = m->pairs.parts[side].count;
    const double *mass = NULL;
    int rc = m->of_mass[side] ? obs_view_property(v, "mass", &mass, err) : 0;
    for (size_t p = 0; !rc && p < count; p++) {
        const uint32_t *first = m->first[side] + p;
        const struct obs_positions *atoms;
        char name[TRJ_RESIDUE_NAME];
        rc = obs_view_restrict(v, selection, m->atom[side] + first[0], first[1] - first[0], err);
        if (!rc) rc = obs_view_whole(v, selection, false, &atoms, err);
        if (!rc && !obs_centre(atoms, mass, s[p].centre)) rc = trj_fail(err, TRJ_BAD_DATA, "the atoms have no mass");
        if (!rc) continue;
        trj_residue_name(name, obs_view_system(v)->header, m->pairs.parts[side].first[p]);
        trj_fail_at(err, "residue %s", name);
    }
    obs_view_release(v, selection);
    return rc;
}

static double find_centre_distance(const struct sphere *a, const struct sphere *b, const struct trj_lattice *l) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = b->centre[k] - a->centre[k];
    trj_nearest_image(l, d);
    return trj_norm(d);
}

// Returns the smallest distance between atoms of two parts. If all vectors between their atoms are shorter than half of
// the cell with the image of the centres, this is the nearest image of all of them.
static double find_distance(const struct distance_map *m, size_t a, size_t b, const struct sphere *sa,
                            const struct sphere *sb, double (*xa)[3], double (*xb)[3], const struct trj_lattice *l) {
    double centres[3], shift[3], best = INFINITY;
    for (int k = 0; k < 3; k++) shift[k] = centres[k] = sb->centre[k] - sa->centre[k];
    trj_nearest_image(l, centres);
    for (int k = 0; k < 3; k++) shift[k] = centres[k] - shift[k];
    const bool common = trj_norm(centres) + sa->radius + sb->radius < l->half * (1 - 1e-9);
    for (uint32_t i = m->first[0][a]; i < m->first[0][a + 1]; i++)
        for (uint32_t j = m->first[1][b]; j < m->first[1][b + 1]; j++) {
            const double *y = xa[m->atom[0][i]], *z = xb[m->atom[1][j]];
            double d[3] = {z[0] - y[0] + shift[0], z[1] - y[1] + shift[1], z[2] - y[2] + shift[2]};
            if (!common) trj_nearest_image(l, d);
            const double square = trj_dot(d, d);
            best = square < best ? square : best;
        }
    return sqrt(best);
}

static void release(void *memory) {
    free(*(struct sphere **)memory);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is that of obs_function.compute
static int compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct distance_map *m = o->own;
    const size_t rows = m->pairs.parts[0].count, columns = m->pairs.parts[1].count;
    const struct obs_positions *p[2] = {NULL, NULL};
    const struct trj_lattice *l;
    struct sphere **spheres = obs_view_scratch(v, m, sizeof *spheres, release, err);
    (void)value;
    if (!spheres || obs_view_lattice(v, &l, err)) return -1;
    if (!*spheres && !(*spheres = trj_alloc(rows + columns, sizeof **spheres, "residues", err))) return -1;
    for (int i = 0; i < 2; i++) {
        struct sphere *s = *spheres + (i ? rows : 0);
        if (m->centres ? find_centres(m, i, s, v, err) : obs_view_positions(v, m->pairs.selection[i], &p[i], err))
            return -1;
        for (size_t k = 0; !m->centres && k < m->pairs.parts[i].count; k++) s[k] = enclose(m, i, k, p[i]->x);
    }
    for (size_t a = 0; a < rows; a++)
        for (size_t b = m->pairs.same ? a + 1 : 0; b < columns; b++) {
            const struct sphere *sa = *spheres + a, *sb = *spheres + rows + b;
            double d =
                m->centres ? find_centre_distance(sa, sb, l) : find_distance(m, a, b, sa, sb, p[0]->x, p[1]->x, l);
            if (d > DISTANCE_MAX)
                return trj_fail(err, TRJ_BAD_DATA, "a distance of %g Angstrom is beyond the range of a map, %g", d,
                                DISTANCE_MAX);
            atomic_fetch_add_explicit(&m->sum[obs_pair_number(&m->pairs, a, b)], (uint64_t)(d / UNIT + 0.5),
                                      memory_order_relaxed);
        }
    return 0;
}

static const struct obs_function function = {.name = "mindist", .compute = compute};

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    (void)f, (void)value;
    return e->frames <= 10000000 ? 0 : trj_fail(err, TRJ_FAILED, "--map: more than 10000000 frames");
}

// Lists the atoms of each part.
static int list_atoms(struct distance_map *m, int side, struct trj_error *err) {
    const struct obs_parts *parts = &m->pairs.parts[side];
    const size_t atoms = parts->system->selection[m->pairs.selection[side]].count;
    uint32_t *first = m->first[side] = trj_alloc(parts->count + 2, sizeof *first, "residues", err);
    if (!first || !(m->atom[side] = trj_alloc(atoms, sizeof *m->atom[side], "atoms", err))) return -1;
    for (size_t i = 0; i < atoms; i++) first[parts->part[i] + 2]++;
    for (size_t p = 2; p <= parts->count; p++) first[p] += first[p - 1];
    for (size_t i = 0; i < atoms; i++) m->atom[side][first[parts->part[i] + 1]++] = (uint32_t)i;
    return 0;
}

static int open_map(struct obs_ensemble *e, struct trj_error *err) {
    struct distance_map *m = e->own = trj_alloc(1, sizeof *m, "a distance map", err);
    if (!m || obs_pair_map_open(&m->pairs, e, err) || list_atoms(m, 0, err) || list_atoms(m, 1, err)) return -1;
    m->centres = obs_map_of(e->expression.function) == OBS_MAP_CENTRES;
    for (int i = 0; i < 2; i++) m->of_mass[i] = m->centres && e->expression.argument[i].point.of_mass;
    m->pairs.same = m->pairs.same && m->of_mass[0] == m->of_mass[1];
    e->observable = (struct obs_observable){.text = trj_copy_text("--map", err), .function = &function, .own = m};
    m->sum = trj_alloc(m->pairs.parts[0].count * m->pairs.parts[1].count, sizeof *m->sum,
                       "a distance map; select fewer atoms, or add --per residue", err);
    return e->observable.text && m->sum ? 0 : -1;
}

static double mean(const void *own, size_t pair) {
    const struct distance_map *m = own;
    return (double)atomic_load_explicit(&m->sum[pair], memory_order_relaxed) * UNIT / (double)m->total;
}

static trj_wide sum(const void *own, size_t pair) {
    const struct distance_map *m = own;
    return (trj_wide)atomic_load_explicit(&m->sum[pair], memory_order_relaxed);
}

static void evaluate(double *value, const trj_wide *units, uint64_t frames) {
    *value = (double)*units * UNIT / (double)frames;
}

static bool is_valid(const trj_wide *units, uint64_t frames) {
    return *units >= 0 && *units <= (trj_wide)(DISTANCE_MAX / UNIT) * (trj_wide)frames;
}

const struct obs_sum_kind obs_distance_sums = {
    .name = "distances",
    .definition = "distances in units of 2^-20 Angstrom",
    .values = 1,
    .sums = 1,
    .column = {{"sum", "sum over frames", NULL}},
    .same_rows = true,
    .evaluate = evaluate,
    .is_valid = is_valid,
    .add = obs_sums_add_one,
};

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    struct distance_map *m = e->own;
    const struct obs_selection *one = e->system->selection;
    const struct obs_pair_values values = {mean, sum, m, &obs_distance_sums, {"distance", "mean distance", "Angstrom"}};
    if (!e->frames) return trj_fail(err, TRJ_BAD_DATA, "--map: the stream has no frame");
    m->total = e->frames;
    if (e->form == OBS_TABLE && m->centres)
        trj_table_comment(t, "distances of residues: mean over frames of %s, by the nearest image%s",
                          e->expression.text, m->pairs.same ? "; each pair is listed once, and 0 on the diagonal" : "");
    else if (e->form == OBS_TABLE)
        trj_table_comment(t,
                          "distances between '%s' and '%s': mean over frames of the smallest distance between %s, by "
                          "the nearest image%s",
                          one[m->pairs.selection[0]].text, one[m->pairs.selection[1]].text,
                          m->pairs.parts[0].residues ? "the selected atoms of both residues" : "both atoms",
                          m->pairs.same ? "; each pair is listed once, and 0 on the diagonal" : "");
    if (e->form == OBS_TABLE) trj_table_comment(t, OBS_FRAMES "%llu", (unsigned long long)e->frames);
    return obs_pair_map_write(&m->pairs, e, &values, t, err);
}

static void close_map(struct obs_ensemble *e) {
    struct distance_map *m = e->own;
    if (!m) return;
    obs_pair_map_free(&m->pairs);
    for (int i = 0; i < 2; i++) {
        free(m->first[i]);
        free(m->atom[i]);
    }
    free(m->sum);
    free(m);
}

static int save_map(struct obs_ensemble *e, struct work_checkpoint_arrays *a, struct trj_error *err) {
    const struct distance_map *m = e->own;
    const size_t row = m->pairs.parts[1].count;
    uint64_t *values = trj_alloc(row, sizeof *values, "a row of a distance map", err);
    int rc = values ? 0 : -1;
    for (size_t i = 0; !rc && i < m->pairs.parts[0].count; i++) {
        atomic_uint_least64_t *sum = m->sum + i * row;
        for (size_t k = 0; k < row; k++) values[k] = sum[k];
        rc = work_checkpoint_array(a, values, row, err);
        for (size_t k = 0; !rc && k < row; k++) sum[k] = values[k];
    }
    free(values);
    return rc;
}

const struct obs_ensemble_kind obs_distance_map = {open_map, take, write, close_map, save_map};
