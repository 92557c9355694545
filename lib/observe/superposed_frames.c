// SPDX-License-Identifier: MIT
// Superposes frames on a structure in one pass, and verifies that atoms stay in their image of the cell. After the last
// frame, with --iterate, it superposes them on their mean structure.
#include "superposed_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "nearest_image.h"
#include "parts.h"

enum { BLOCK = OBS_SUPERPOSED_BLOCK, ROUNDS_MAX = 1000 };
#define CONVERGED 1e-9 // Å, of the root mean square change of the mean structure

// A frame in memory: the positions of the group, and then those of the atoms for the superposition if these are others.
struct obs_kept_frame {
    uint64_t index;    // number of the frame in its file
    double time, unit; // ps; Å per stored length
    struct trj_superposition best;
    bool failed; // no unique superposition
    float *x[3], *fit_x[3];
};

// ---------------------------------------------------------------------------------------------------------------- sums

static int sums_open(struct obs_position_sums *s, size_t count, struct trj_error *err) {
    s->count = count;
    for (int k = 0; k < 3; k++)
        if (!(s->mean[k] = trj_alloc(count, sizeof *s->mean[k], "means", err))) return -1;
    return (s->square = trj_alloc(count, sizeof *s->square, "sums", err)) ? 0 : -1;
}

static void sums_free(struct obs_position_sums *s) {
    for (int k = 0; k < 3; k++) free(s->mean[k]);
    free(s->square);
}

static void sums_clear(struct obs_position_sums *s, size_t from, size_t n) {
    for (int k = 0; k < 3; k++) memset(s->mean[k] + from, 0, n * sizeof *s->mean[k]);
    memset(s->square + from, 0, n * sizeof *s->square);
}

// Sets y to n superposed positions, Å.
static void place(double y[3][BLOCK], float *const x[3], size_t from, size_t n, double unit,
                  const struct trj_superposition *s) {
    for (int k = 0; k < 3; k++) {
        const double *r = s->rotation[k];
        for (size_t i = 0; i < n; i++)
            y[k][i] = r[0] * (x[0][from + i] * unit - s->from[0]) + r[1] * (x[1][from + i] * unit - s->from[1]) +
                      r[2] * (x[2][from + i] * unit - s->from[2]) + s->to[k];
    }
}

// Adds the positions of a frame; `frames` are those before it.
static void add(struct obs_position_sums *s, double y[3][BLOCK], size_t from, size_t n, uint64_t frames) {
    const double share = 1 / ((double)frames + 1);
    double *square = s->square + from;
    for (int k = 0; k < 3; k++) {
        double *mean = s->mean[k] + from;
        for (size_t i = 0; i < n; i++) {
            double d = y[k][i] - mean[i];
            mean[i] += d * share;
            square[i] += d * (y[k][i] - mean[i]);
        }
    }
}

static int add_exactly(struct obs_superposed *p, double y[3][BLOCK], size_t from, size_t n, struct trj_error *err) {
    for (size_t i = 0; i < n; i++) {
        const double x[3] = {y[0][i], y[1][i], y[2][i]};
        if (obs_exact_positions_add(&p->exact, from + i, x, err)) return -1;
    }
    return 0;
}

static size_t block_of(size_t count, size_t from) {
    return count - from < BLOCK ? count - from : BLOCK;
}

// ------------------------------------------------------------------------------------------------------------- a frame

static int begin(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    struct obs_superposed *p = o->own;
    return p->superposes ? obs_reference_begin(&p->fit, v, err) : 0;
}

// The value is the superposition.
enum { VALUES = sizeof(struct trj_superposition) / sizeof(double) };

static int compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_superposed *p = o->own;
    const struct obs_positions *unused;
    struct trj_superposition best = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (obs_view_whole(v, p->group.selection, false, &unused, err)) return -1;
    if (p->superposes && obs_reference_superpose(&p->fit, v, &best, err)) return -1;
    memcpy(value, &best, sizeof best);
    return 0;
}

static const struct obs_function function = {.name = "superposition", .begin = begin, .compute = compute};

// Fails if an atom has moved by more than half of the cell since the frame before: then, a program has moved it to
// another periodic image, and its fluctuation would be one between images.
static int check_jumps(const struct obs_superposed *p, double y[3][BLOCK], size_t from, size_t n,
                       const struct trj_lattice *l, const struct trj_superposition *s, struct trj_error *err) {
    for (size_t i = 0; i < n; i++) {
        double step[3], d[3], length2 = 0;
        for (int k = 0; k < 3; k++) step[k] = y[k][i] - p->last[k][from + i];
        for (int k = 0; k < 3; k++) length2 += step[k] * step[k];
        if (length2 <= l->half * l->half) continue;
        // The cell is not rotated, so that the step is rotated back.
        for (int k = 0; k < 3; k++)
            d[k] = s->rotation[0][k] * step[0] + s->rotation[1][k] * step[1] + s->rotation[2][k] * step[2];
        trj_nearest_image(l, d);
        if (trj_dot(d, d) >= length2 * (1 - 1e-9)) continue;
        const struct obs_selection *one = &p->ensemble->system->selection[p->group.selection];
        return trj_fail(err, TRJ_BAD_DATA,
                        "atom %.0f moves by %.3g Angstrom from the frame before, but an image of it only by %.3g, so "
                        "that it is in another image of the cell; %s",
                        obs_atom_number(p->ensemble->system->header, one->atoms[from + i]), sqrt(length2),
                        sqrt(trj_dot(d, d)),
                        p->superposes ? "move all atoms to the images about those of --fit: trjcat --whole --centre "
                                        "SELECTION"
                                      : "superpose frames, without --fit none");
    }
    return 0;
}

// Copies coordinates of a selection.
static void gather(float *const x[3], const struct trj_frame *f, const struct obs_selection *one) {
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < one->count; i++) x[k][i] = f->x[k][one->atoms[i]];
}

static int keep(struct obs_superposed *p, const struct trj_frame *f, const struct trj_superposition *best,
                struct trj_error *err) {
    const struct obs_ensemble *e = p->ensemble;
    const size_t group = p->group.count, fit = p->fits_itself ? 0 : p->fit.count;
    if (trj_grow(&p->kept, &p->capacity, p->kept_frames + 1, sizeof *p->kept, "frames", err)) return -1;
    struct obs_kept_frame *kept = &p->kept[p->kept_frames++];
    *kept = (struct obs_kept_frame){.unit = f->unit, .best = *best, .time = f->time, .index = f->index};
    float *x = trj_alloc(3 * (group + fit), sizeof *x, "the positions of all frames", err);
    for (int k = 0; k < 3 && x; k++) {
        kept->x[k] = x + (size_t)k * group;
        kept->fit_x[k] = p->fits_itself ? kept->x[k] : x + 3 * group + (size_t)k * fit;
        memcpy(kept->x[k], p->x[k], group * sizeof *x);
    }
    if (x && !p->fits_itself) gather(kept->fit_x, f, &e->system->selection[p->fit.selection]);
    return x ? 0 : -1;
}

int obs_superposed_take(struct obs_superposed *p, const struct trj_frame *f, const double *value,
                        struct trj_error *err) {
    const struct obs_ensemble *e = p->ensemble;
    struct trj_superposition best;
    struct trj_lattice lattice = {.half = INFINITY};
    double y[3][BLOCK];
    memcpy(&best, value, sizeof best);
    if (f->cell.periodic && trj_lattice_make(&lattice, &f->cell, err)) return -1;
    gather(p->x, f, &e->system->selection[p->group.selection]);
    for (size_t from = 0, n; from < p->group.count; from += n) {
        n = block_of(p->group.count, from);
        place(y, p->x, from, n, f->unit, &best);
        if (e->frames > 1 && f->cell.periodic && check_jumps(p, y, from, n, &lattice, &best, err)) return -1;
        for (int k = 0; k < 3; k++) memcpy(p->last[k] + from, y[k], n * sizeof *y[k]);
        for (size_t i = 0; e->frames == 1 && i < n; i++)
            for (int k = 0; k < 3; k++) p->first[from + i][k] = y[k][i];
        if (!e->options->sums)
            add(&p->sums, y, from, n, e->frames - 1);
        else if (add_exactly(p, y, from, n, err))
            return -1;
    }
    return p->keeps ? keep(p, f, &best, err) : 0;
}

// ----------------------------------------------------------------------------------------------------- mean structures

static void superpose(struct obs_superposed *p, struct obs_kept_frame *kept, double (*moved)[3],
                      struct trj_error *err) {
    for (size_t i = 0; i < p->fit.count; i++)
        for (int k = 0; k < 3; k++) moved[i][k] = kept->fit_x[k][i] * kept->unit;
    kept->failed = trj_superpose(&kept->best, p->fit.x, moved, p->fit.weight, p->fit.count, err) != 0;
}

// Sums all frames for a block of atoms.
static void sum_block(const struct obs_superposed *p, struct obs_position_sums *s, bool fit, size_t from) {
    double y[3][BLOCK];
    size_t n = block_of(s->count, from);
    sums_clear(s, from, n);
    for (uint64_t t = 0; t < p->ensemble->frames; t++) {
        const struct obs_kept_frame *kept = &p->kept[t];
        place(y, fit ? kept->fit_x : kept->x, from, n, kept->unit, &kept->best);
        add(s, y, from, n, t);
    }
}

static void fit_item(void *arg, unsigned worker, size_t number) {
    struct obs_superposed *p = arg;
    (void)worker;
    sum_block(p, &p->fit_sums, true, number * BLOCK);
}

static void superpose_item(void *arg, unsigned worker, size_t frame) {
    struct obs_superposed *p = arg;
    struct trj_error unused;
    superpose(p, &p->kept[frame], p->moved[worker], &unused);
}

static void group_item(void *arg, unsigned worker, size_t number) {
    struct obs_superposed *p = arg;
    (void)worker;
    sum_block(p, &p->sums, false, number * BLOCK);
}

static size_t blocks_of(const struct obs_position_sums *s) {
    return (s->count + BLOCK - 1) / BLOCK;
}

// Replaces the reference by the mean structure. Returns the root mean square change.
static double replace_reference(struct obs_superposed *p) {
    double sum = 0;
    for (size_t i = 0; i < p->fit.count; i++)
        for (int k = 0; k < 3; k++) {
            double d = p->fit_sums.mean[k][i] - p->fit.x[i][k];
            sum += d * d;
            p->fit.x[i][k] += d;
        }
    return sqrt(sum / (double)p->fit.count);
}

static int open_rounds(struct obs_superposed *p, struct trj_error *err) {
    if (sums_open(&p->fit_sums, p->fit.count, err) || trj_item_pool_open(&p->pool, p->ensemble->threads, err))
        return -1;
    unsigned threads = trj_item_pool_threads(p->pool);
    if (!(p->moved = trj_alloc(threads, sizeof *p->moved, "threads", err))) return -1;
    for (unsigned i = 0; i < threads; i++)
        if (!(p->moved[i] = trj_alloc(p->fit.count, sizeof *p->moved[i], "positions", err))) return -1;
    return 0;
}

// Each round superposes all frames on the mean of the superposed frames, which reduces the sum of squared deviations,
// until the mean stays the same.
static int iterate(struct obs_superposed *p, struct trj_error *err) {
    if (open_rounds(p, err)) return -1;
    for (;;) {
        trj_item_pool_run(p->pool, blocks_of(&p->fit_sums), fit_item, p);
        if (replace_reference(p) <= CONVERGED) break;
        if (p->rounds++ == ROUNDS_MAX)
            return trj_fail(err, TRJ_BAD_DATA,
                            "--iterate: the mean structure still changes after %d rounds; select atoms for --fit that "
                            "keep their shape",
                            ROUNDS_MAX);
        trj_item_pool_run(p->pool, p->ensemble->frames, superpose_item, p);
        for (uint64_t t = 0; t < p->ensemble->frames; t++) {
            if (!p->kept[t].failed) continue;
            superpose(p, &p->kept[t], p->moved[0], err);
            return trj_fail_at(err, "--iterate: frame %llu on the mean structure", (unsigned long long)t);
        }
    }
    trj_item_pool_run(p->pool, blocks_of(&p->sums), group_item, p);
    return 0;
}

int obs_superposed_finish(struct obs_superposed *p, struct trj_error *err) {
    return p->ensemble->options->iterate ? iterate(p, err) : 0;
}

// -------------------------------------------------------------------------------------------------------------- output

void obs_superposed_positions(const struct obs_superposed *p, uint64_t frame, size_t from, size_t n,
                              double y[3][BLOCK]) {
    const struct obs_kept_frame *kept = &p->kept[frame];
    place(y, kept->x, from, n, kept->unit, &kept->best);
}

void obs_superposed_identity(const struct obs_superposed *p, uint64_t frame, uint64_t *index, double *time) {
    *index = p->kept[frame].index;
    *time = p->kept[frame].time;
}

void obs_superposed_comment(const struct obs_superposed *p, struct trj_table *t) {
    const struct obs_ensemble *e = p->ensemble;
    const char *weights = p->fit.weight ? ", weighted by mass" : "", *fit;
    if (!p->superposes) {
        trj_table_comment(t, "superposition: none");
        return;
    }
    fit = e->system->selection[p->fit.selection].text;
    if (e->options->iterate)
        trj_table_comment(t, "superposition: '%s' on its mean structure, after %u rounds%s", fit, p->rounds, weights);
    else
        trj_table_comment(t, "superposition: '%s' on %s%s", fit,
                          e->options->reference ? e->options->reference : "the first frame", weights);
}

// --------------------------------------------------------------------------------------------------------- open, close

int obs_superposed_open(struct obs_superposed *p, struct obs_ensemble *e, const char *option, const char *selection,
                        bool keeps, struct trj_error *err) {
    const struct obs_ensemble_options *o = e->options;
    bool by_mass = !strcmp(o->weights, "mass");
    size_t group, fit;
    p->ensemble = e;
    p->keeps = keeps || o->iterate;
    e->observable =
        (struct obs_observable){.text = trj_copy_text(option, err), .function = &function, .columns = VALUES, .own = p};
    if (!e->observable.text) return -1;
    if (obs_system_select(e->system, selection, &group, err)) return trj_fail_at(err, "%s", option);
    if (obs_reference_open(&p->group, e->system, group, NULL, 0, by_mass, err)) return trj_fail_at(err, "%s", option);
    p->superposes = !o->fit || strcmp(o->fit, "none") != 0;
    fit = group;
    if (o->fit && p->superposes && obs_system_select(e->system, o->fit, &fit, err)) return trj_fail_at(err, "--fit");
    p->fits_itself = fit == group;
    if (p->superposes && (obs_reference_open(&p->fit, e->system, fit, o->reference, 0, by_mass, err) ||
                          obs_reference_check_superposition(&p->fit, e->system, "give --fit none", err)))
        return trj_fail_at(err, "--fit");
    for (int k = 0; k < 3; k++)
        if (!(p->x[k] = trj_alloc(p->group.count, sizeof *p->x[k], "positions", err)) ||
            !(p->last[k] = trj_alloc(p->group.count, sizeof *p->last[k], "positions", err)))
            return -1;
    if (!(p->first = trj_alloc(p->group.count, sizeof *p->first, "positions", err))) return -1;
    if (o->sums && obs_exact_positions_open(&p->exact, p->group.count, err)) return -1;
    return sums_open(&p->sums, p->group.count, err);
}

void obs_superposed_free(struct obs_superposed *p) {
    for (unsigned i = 0; p->moved && i < trj_item_pool_threads(p->pool); i++) free(p->moved[i]);
    free(p->moved);
    trj_item_pool_close(p->pool);
    for (size_t t = 0; t < p->kept_frames; t++) free(p->kept[t].x[0]);
    free(p->kept);
    for (int k = 0; k < 3; k++) {
        free(p->x[k]);
        free(p->last[k]);
    }
    free(p->first);
    sums_free(&p->sums);
    obs_exact_positions_free(&p->exact);
    sums_free(&p->fit_sums);
    obs_reference_free(&p->group);
    obs_reference_free(&p->fit);
}
