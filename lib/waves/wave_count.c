// SPDX-License-Identifier: MIT
// Keeps the amplitudes of earlier frames, because products with lags need both, and adds them in integers.
#include "wave_count.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_basis.h"
#include "frame_gap.h"
#include "job.h"
#include "memory.h"
#include "wave_vectors.h"

// The amplitudes of a frame, which later frames need.
struct kept {
    int64_t *rho; // [groups][2][vectors]
    size_t capacity;
    struct wav_vectors vectors; // only rows and shells
};

struct wav_counter {
    const struct wav_job *job;
    struct rdf_setup *setup;
    const struct wav_engine *engine;
    void *state;
    const struct work_share *share;
    struct wav_vectors vectors; // of this frame
    struct kept *kept;          // [largest lag + 1]: frame number t is at t % kept_count
    size_t kept_count;
    struct trj_frame last; // without coordinates
    struct trj_basis basis;
    const struct trj_gap *interval; // of a series
    struct trj_gap_tally tally;
    double elapsed;                  // ps: sum of the gaps within series, of which there are `gaps`
    uint64_t frames, series, breaks; // series: frames since the last break
    uint64_t gaps, longest;          // longest: series
    bool any;                        // frame has a vector in a shell
};

void wav_counter_close(struct wav_counter *c) {
    if (!c) return;
    for (size_t i = 0; c->kept && i < c->kept_count; i++) {
        free(c->kept[i].rho);
        wav_vectors_free(&c->kept[i].vectors);
    }
    wav_vectors_free(&c->vectors);
    free(c->kept);
    free(c);
}

int wav_counter_open(struct wav_counter **result, const struct wav_job *job, struct rdf_setup *setup,
                     const struct trj_gap *interval, const struct wav_engine *engine, void *state,
                     const struct work_share *share, struct trj_error *err) {
    const struct rdf_wave_setup *w = &setup->waves;
    struct wav_counter *c = trj_alloc(1, sizeof *c, "waves", err);
    if (!c) return -1;
    *c = (struct wav_counter){.job = job,
                              .setup = setup,
                              .engine = engine,
                              .state = state,
                              .share = share,
                              .interval = interval,
                              .basis.rotates = job->rotated};
    c->kept_count = (size_t)w->lags[w->lag_count - 1] + 1;
    c->kept = trj_alloc(c->kept_count, sizeof *c->kept, "the frames within the largest lag; give a smaller --lag", err);
    if (!c->kept || wav_vectors_open(&c->vectors, w, err)) {
        wav_counter_close(c);
        return -1;
    }
    *result = c;
    return 0;
}

int wav_counter_end(const struct wav_counter *c, void (*note)(const char *text), struct trj_error *err) {
    const struct rdf_wave_setup *w = &c->setup->waves;
    unsigned long long frames = c->frames, longest = c->longest, min = w->lags[0], max = w->lags[w->lag_count - 1];
    char text[240], gaps[TRJ_GAP_NOTE];
    if (!c->any)
        return trj_fail(err, TRJ_USAGE,
                        "--qmax: the reciprocal lattice has no vector with a length from %g to %g 1/Angstrom in any "
                        "frame; give a larger --qmax%s",
                        w->shells.rmin, w->shells.rmax, w->shells.rmin > 0 ? " or a smaller --qmin" : "");
    if (min >= longest)
        return trj_fail(err, TRJ_USAGE,
                        "--lag: no two frames are %llu frames apart: of %llu, at most %llu in sequence are evenly "
                        "spaced; give smaller lags",
                        min, frames, longest);
    if (c->kept_count > 1 && trj_gap_check(&c->tally, c->interval, &c->last, 0, err)) return trj_fail_at(err, "--lag");
    trj_gap_note(gaps, &c->tally, c->interval, &c->last, c->breaks, frames);
    if (*gaps) note(gaps);
    if (max >= longest) {
        snprintf(text, sizeof text,
                 "lags of %llu and more are not counted: of %llu frames, at most %llu in sequence are evenly spaced",
                 longest, frames, longest);
        note(text);
    }
    return 0;
}

// Finds whether the frame continues the series.
static void continue_series(struct wav_counter *c, const struct trj_frame *f) {
    struct trj_gap gap = c->frames ? trj_gap_between(&c->last, f) : (struct trj_gap){TRJ_GAP_UNKNOWN, 0};
    bool follows = c->frames && gap.length > 0 && trj_gap_same(c->interval, &gap, f);
    if (c->frames) trj_gap_tally_add(&c->tally, &gap, &c->last, f);
    c->breaks += c->kept_count > 1 && c->frames && !follows;
    if (!follows && !c->setup->waves.hkl) trj_basis_restart(&c->basis);
    c->series = follows ? c->series + 1 : 1;
    if (c->series > c->longest) c->longest = c->series;
    if (c->kept_count > 1 && follows && gap.unit == TRJ_GAP_TIME) {
        c->elapsed += gap.length;
        c->setup->waves.interval = c->elapsed / (double)++c->gaps;
    }
    c->last = (struct trj_frame){
        .index = f->index, .source = f->source, .step = f->step, .time = f->time, .unit = f->unit, .cell = f->cell};
    c->frames++;
}

static int copy(void **to, size_t *capacity, const void *from, size_t n, size_t size, struct trj_error *err) {
    if (trj_grow(to, capacity, n, size, "wave vectors", err)) return -1;
    if (n) memcpy(*to, from, n * size);
    return 0;
}

// Keeps rows and shells, which change with the cell.
static int keep_vectors(struct wav_vectors *to, const struct wav_vectors *from, struct trj_error *err) {
    void *rows = to->rows, *shell = to->shell;
    int rc = copy(&rows, &to->row_capacity, from->rows, from->row_count, sizeof *to->rows, err) ||
                     copy(&shell, &to->shell_capacity, from->shell, from->count, sizeof *to->shell, err)
                 ? -1
                 : 0;
    to->rows = rows;
    to->shell = shell;
    to->row_count = from->row_count;
    to->count = from->count;
    return rc;
}

static rdf_wide wide_of(double x, double quantum) {
    return (rdf_wide)nearbyint(x / quantum);
}

static int compare_rows(const struct wav_row *a, const struct wav_row *b) {
    return a->h != b->h ? (a->h > b->h) - (a->h < b->h) : (a->k > b->k) - (a->k < b->k);
}

struct sums {
    const struct wav_counter *c;
    const struct kept *earlier, *later;
    uint64_t *vectors;
    rdf_wide *lengths, *products; // of the lag; products: of the first pair
    size_t row;                   // from one pair to the next
};

static void add_vector(const struct sums *s, size_t from, size_t to) {
    const struct wav_counter *c = s->c;
    const struct kept *a = s->earlier, *b = s->later;
    uint32_t shell = b->vectors.shell[to];
    const double unit = ldexp(1, -(int)c->job->bits);
    if (shell == WAV_NONE || a->vectors.shell[from] == WAV_NONE) return;
    s->vectors[shell]++;
    s->lengths[shell] += wide_of(c->vectors.length[to], RDF_Q_QUANTUM);
    for (size_t p = 0; p < c->setup->pair_count; p++) {
        const struct rdf_pair *pair = &c->setup->pairs[p];
        const int64_t *x = a->rho + pair->a * 2 * a->vectors.count + from,
                      *y = b->rho + pair->b * 2 * b->vectors.count + to;
        double re = (double)x[0] * unit * ((double)y[0] * unit),
               im = (double)x[a->vectors.count] * unit * ((double)y[b->vectors.count] * unit);
        s->products[p * s->row + shell] += wide_of(re + im, RDF_WAVE_QUANTUM);
    }
}

// Adds the vectors that both frames have.
static void add_products(const struct sums *s) {
    const struct wav_vectors *a = &s->earlier->vectors, *b = &s->later->vectors;
    for (size_t i = 0, j = 0; i < a->row_count && j < b->row_count;) {
        const struct wav_row *x = &a->rows[i], *y = &b->rows[j];
        int order = compare_rows(x, y);
        if (order) {
            i += order < 0;
            j += order > 0;
            continue;
        }
        // Single vectors can have several rows with one h and k.
        int64_t x_end = x->l + (int64_t)x->count, y_end = y->l + (int64_t)y->count;
        for (int64_t l = x->l > y->l ? x->l : y->l; l < x_end && l < y_end; l++)
            add_vector(s, x->first + (size_t)(l - x->l), y->first + (size_t)(l - y->l));
        i += x_end <= y_end;
        j += y_end <= x_end;
    }
}

// Returns whether this process adds a product with the amplitudes of this frame.
static bool is_used(const struct wav_counter *c, uint64_t number) {
    for (size_t i = 0; i < c->kept_count; i++)
        if (work_share_computes(c->share, number + i)) return true;
    return false;
}

int wav_counter_add(struct wav_counter *c, const struct trj_frame *f, struct rdf_record *record,
                    struct trj_error *err) {
    const struct rdf_wave_setup *w = &c->setup->waves;
    const struct rdf_job no_distances = {.atoms = c->job->atoms, .bins = {.rmax = RDF_MIN_RMAX, .count = 1}};
    struct trj_cell cell = f->cell;
    if (rdf_job_check_frame(&no_distances, f, err)) return -1;
    const uint64_t number = c->frames;
    continue_series(c, f);
    // Lags compare indices h, k, l of frames, and single vectors have those of the first frame.
    if ((c->kept_count > 1 || w->hkl) && trj_basis_follow(&c->basis, &cell, err))
        return trj_fail_at(err, w->hkl ? "--vectors" : "--lag");
    if (wav_vectors_find(&c->vectors, w, &cell, err)) return -1;
    c->any = c->any || c->vectors.count;
    struct kept *now = &c->kept[c->frames % c->kept_count];
    size_t size = c->job->group_count * 2 * c->vectors.count, row = rdf_setup_wave_row(c->setup);
    if (keep_vectors(&now->vectors, &c->vectors, err) ||
        trj_grow(&now->rho, &now->capacity, size, sizeof *now->rho, "amplitudes", err) ||
        (size && is_used(c, number) && c->engine->amplitudes(c->state, f, &c->vectors, now->rho, err)))
        return -1;
    for (size_t i = 0; work_share_computes(c->share, number) && i < w->lag_count && w->lags[i] < c->series; i++) {
        const struct kept *earlier = &c->kept[(c->frames - w->lags[i]) % c->kept_count];
        size_t position = i * (size_t)w->shells.count;
        const struct sums s = {c,
                               earlier,
                               now,
                               record->wave_vectors + position,
                               record->wave_lengths + position,
                               record->wave_products + position,
                               row};
        add_products(&s);
    }
    return 0;
}
