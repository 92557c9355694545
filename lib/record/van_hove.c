// SPDX-License-Identifier: MIT
// Keeps frames until their later frames come, follows atoms across cell borders, and pairs two frames as one.
#include "van_hove.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_basis.h"
#include "frame_gap.h"
#include "memory.h"

// Frames of a batch, and bytes of the frames of a batch, with several lags.
enum { BATCH = 64, BATCH_BYTES = 100000000 };

// A frame that is kept until its later frames come.
struct kept_frame {
    struct trj_frame frame;
    double step;          // largest step up to this frame, as in rdf_record
    int32_t (*image)[3];  // [atoms] n of each atom since the start of the series
    struct trj_cell cell; // as the frame had it; that of `frame` has the basis of the series
};

// An atom that is in both groups: its places in their lists and in the stream.
struct shared {
    uint32_t in_a, in_b, atom;
};

struct rdf_van_hove {
    const struct rdf_lag_list *lags;
    double *time;   // [lags] ps; NaN: unknown
    bool *formed;   // [lags] whether there was a pair of frames
    uint64_t batch; // frames
    const struct trj_stream_header *header;
    struct rdf_setup *setup;
    struct rdf_job one, both; // the jobs of one frame and of two frames
    struct trj_group *groups; // [2 groups] the second half lists the atoms of the later frame
    struct rdf_pair *pairs;
    struct shared **shared; // [pair_count][own]
    double *squares;
    uint64_t *possible, *own; // [pair_count] atoms that can be in both groups; that are, in the pair of frames
    uint64_t *with_itself, *moved;
    struct kept_frame *kept; // [made, up to ring] frame k of the series is in k mod ring, the largest lag + batch
    size_t made, capacity;
    uint64_t ring, count, done; // frames of the series; those before `done` have been paired with all earlier ones
    // While a batch is paired: the lag, the next later frame, and a frame that begins a new series after the batch.
    bool pairing, held;
    size_t lag;
    uint64_t next;
    struct trj_frame first; // the held frame
    const struct kept_frame *earlier, *later;
    struct trj_basis basis;         // of the cells of the series
    struct trj_frame frame;         // both frames
    const struct trj_gap *interval; // between the frames of a series
    struct trj_gap_tally gaps;
    bool paired; // frames have been paired
    double step;
    uint64_t breaks, longest;
};

static struct kept_frame *kept_at(const struct rdf_van_hove *v, uint64_t k) {
    return &v->kept[k % v->ring];
}

// ---- groups and pairs of two frames

static int make_groups(struct rdf_van_hove *v, struct trj_error *err) {
    const struct trj_stream_header *h = v->header;
    size_t n = h->group_count;
    if (h->atoms > UINT32_MAX / 2)
        return trj_fail(err, TRJ_BAD_DATA, "--lag: %zu atoms are too many; select fewer with trjcat -g", h->atoms);
    v->groups = trj_alloc(2 * n, sizeof *v->groups, "groups", err);
    if (!v->groups) return -1;
    for (size_t g = 0; g < n; g++) {
        struct trj_group *later = &v->groups[n + g];
        v->groups[g] = *later = h->groups[g];
        later->word += h->member_words;
        later->atoms = trj_alloc(later->count, sizeof *later->atoms, "groups", err);
        if (!later->atoms) return -1;
        for (size_t i = 0; i < later->count; i++) later->atoms[i] = h->groups[g].atoms[i] + (uint32_t)h->atoms;
    }
    return 0;
}

static int list_shared(struct shared **list, size_t count, const struct trj_group *a, const struct trj_group *b,
                       struct trj_error *err) {
    struct shared *to = *list = trj_alloc(count, sizeof *to, "groups", err);
    if (!to) return -1;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        bool step_a = a->atoms[i] <= b->atoms[j], step_b = b->atoms[j] <= a->atoms[i];
        if (step_a && step_b) *to++ = (struct shared){i, j, a->atoms[i]};
        i += step_a;
        j += step_b;
    }
    return 0;
}

static int make_pairs(struct rdf_van_hove *v, struct trj_error *err) {
    const struct rdf_job *one = &v->one;
    size_t n = one->pair_count;
    v->pairs = trj_alloc(n, sizeof *v->pairs, "pairs", err);
    v->shared = trj_alloc(n, sizeof *v->shared, "pairs", err);
    v->possible = trj_alloc(n, sizeof *v->possible, "pairs", err);
    v->own = trj_alloc(n, sizeof *v->own, "pairs", err);
    if (!v->pairs || !v->shared || !v->possible || !v->own) return -1;
    for (size_t p = 0; p < n; p++) {
        const struct rdf_pair *pair = &one->pairs[p];
        const struct trj_group *a = &one->groups[pair->a], *b = &one->groups[pair->b];
        v->pairs[p] = (struct rdf_pair){pair->a, (uint32_t)one->group_count + pair->b, 0};
        v->possible[p] = trj_group_overlap(a, b, NULL);
        if (rdf_pair_number(&v->pairs[p], v->groups, err) || list_shared(&v->shared[p], v->possible[p], a, b, err))
            return -1;
        v->setup->pairs[p].pairs = v->pairs[p].pairs - v->possible[p];
    }
    return 0;
}

int rdf_van_hove_open(struct rdf_van_hove **result, const struct rdf_lag_list *lags, const struct trj_gap *interval,
                      const struct trj_stream_header *h, const struct rdf_job *job, struct rdf_setup *setup,
                      struct trj_error *err) {
    if (h->open_system)
        return trj_fail(err, TRJ_USAGE,
                        "--lag: the number of atoms changes, so that atoms cannot be followed from frame to frame; "
                        "leave it out");
    for (size_t i = 0; i < h->movement_count; i++)
        if (h->movements[i].kind != TRJ_MOVED_WHOLE)
            return trj_fail(err, TRJ_BAD_DATA,
                            "--lag: each frame was moved by trjcat --%s, so that displacements between frames are not "
                            "those of the simulation; omit --centre and --fit",
                            trj_movement_name(h->movements[i].kind));
    struct rdf_van_hove *v = trj_alloc(1, sizeof *v, "frames", err);
    if (!v) return -1;
    v->lags = lags;
    v->interval = interval;
    v->header = h;
    v->setup = setup;
    v->one = *job;
    size_t counts = job->pair_count * job->bins.count,
           bytes = trj_frame_bytes(h->atoms) + h->atoms * sizeof(int32_t[3]);
    v->batch = lags->count < 2 || bytes > BATCH_BYTES ? 1 : BATCH_BYTES / bytes < BATCH ? BATCH_BYTES / bytes : BATCH;
    v->ring = lags->lag[lags->count - 1] + v->batch;
    v->squares = rdf_bins_squares(&job->bins, err);
    v->with_itself = v->squares ? trj_alloc(counts, sizeof *v->with_itself, "counts", err) : NULL;
    v->moved = v->with_itself ? trj_alloc(counts, sizeof *v->moved, "counts", err) : NULL;
    v->time = v->moved ? trj_alloc(lags->count, sizeof *v->time, "lags", err) : NULL;
    v->formed = v->time ? trj_alloc(lags->count, sizeof *v->formed, "lags", err) : NULL;
    for (size_t k = 0; v->formed && k < lags->count; k++) v->time[k] = NAN;
    if (!v->formed || make_groups(v, err) || make_pairs(v, err)) {
        rdf_van_hove_close(v);
        return -1;
    }
    v->both = *job;
    v->both.atoms = 2 * job->atoms;
    v->both.groups = v->groups;
    v->both.group_count = 2 * job->group_count;
    v->both.pairs = v->pairs;
    setup->lag = (struct rdf_lag){.frames = lags->lag[0], .time = NAN, .own = v->possible};
    *result = v;
    return 0;
}

void rdf_van_hove_close(struct rdf_van_hove *v) {
    if (!v) return;
    for (size_t g = v->header->group_count; v->groups && g < 2 * v->header->group_count; g++) free(v->groups[g].atoms);
    for (size_t p = 0; v->shared && p < v->one.pair_count; p++) free(v->shared[p]);
    for (size_t k = 0; k < v->made; k++) {
        trj_frame_free(&v->kept[k].frame);
        free(v->kept[k].image);
    }
    trj_frame_free(&v->frame);
    trj_frame_free(&v->first);
    free(v->time);
    free(v->formed);
    free(v->groups);
    free(v->pairs);
    free(v->shared);
    free(v->squares);
    free(v->possible);
    free(v->own);
    free(v->with_itself);
    free(v->moved);
    free(v->kept);
    free(v);
}

void rdf_van_hove_job(const struct rdf_van_hove *v, struct rdf_job *job) {
    *job = v->both;
    job->sample = &v->frame;
}

// ---- frames

// Fails if two frames differ in unit or periodicity.
static int check_like(const struct trj_frame *last, const struct trj_frame *f, struct trj_error *err) {
    if (last->unit != f->unit)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--lag: lengths are in units of %g Å here, of %g Å in the frame before; convert the files to "
                        "one format (trjcat --to)",
                        f->unit, last->unit);
    if (last->cell.periodic != f->cell.periodic)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "--lag: the periodic directions differ from those of the frame before; set them with trjcat --periodic");
    return 0;
}

static void fractions(const double g[3][3], const struct trj_frame *f, size_t atom, double s[3]) {
    double x[3];
    rdf_position(f, (uint32_t)atom, x);
    for (int k = 0; k < 3; k++) s[k] = g[k][0] * x[0] + g[k][1] * x[1] + g[k][2] * x[2];
}

// Sets the images of all atoms by their steps from the previous frame.
static void follow(struct rdf_van_hove *v, const struct kept_frame *last, struct kept_frame *now) {
    double from[3], to[3], g_from[3][3], g_to[3][3];
    trj_cell_reciprocal(&last->frame.cell, g_from);
    trj_cell_reciprocal(&now->frame.cell, g_to);
    for (size_t i = 0; i < now->frame.atoms; i++) {
        fractions(g_from, &last->frame, i, from);
        fractions(g_to, &now->frame, i, to);
        for (int k = 0; k < 3; k++) {
            double step = to[k] - from[k], cells = rint(step);
            now->image[i][k] = last->image[i][k] - (int32_t)cells;
            v->step = fmax(v->step, fabs(step - cells));
        }
    }
}

// Puts the atoms of the later frame after those of the earlier one, in the cell of the earlier frame.
static void place_later(struct rdf_van_hove *v) {
    const struct trj_frame *earlier = &v->earlier->frame, *later = &v->later->frame;
    size_t n = later->atoms;
    double g[3][3], s[3], change[3][3];
    bool same = true;
    trj_cell_reciprocal(&later->cell, g);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            bool period = earlier->cell.periodic & 1u << k;
            change[k][c] = period ? earlier->cell.h[k][c] - later->cell.h[k][c] : 0;
            same = same && change[k][c] == 0;
        }
    for (int c = 0; c < 3; c++) memcpy(v->frame.x[c] + n, later->x[c], n * sizeof *later->x[c]);
    for (size_t i = 0; !same && i < n; i++) {
        fractions(g, later, i, s);
        for (int c = 0; c < 3; c++) {
            double x = (double)later->x[c][i] * later->unit +
                       ((s[0] * change[0][c] + s[1] * change[1][c]) + s[2] * change[2][c]);
            v->frame.x[c][n + i] = (float)(x / later->unit);
        }
    }
}

static int make_both(struct rdf_van_hove *v, struct trj_error *err) {
    const struct trj_frame *earlier = &v->earlier->frame, *later = &v->later->frame;
    struct trj_frame *f = &v->frame;
    size_t n = earlier->atoms, words = v->header->member_words;
    if (trj_frame_resize(f, 2 * n, err) || trj_frame_resize_members(f, 2 * words, err)) return -1;
    f->index = earlier->index;
    f->source = earlier->source;
    f->step = earlier->step;
    f->time = earlier->time;
    f->unit = earlier->unit;
    f->cell = earlier->cell;
    for (int c = 0; c < 3; c++) memcpy(f->x[c], earlier->x[c], n * sizeof *f->x[c]);
    place_later(v);
    if (!words) return 0;
    memcpy(f->members, earlier->members, words * sizeof *f->members);
    memcpy(f->members + words, later->members, words * sizeof *f->members);
    return 0;
}

// Makes the capacity enough for the next frame of the series.
static int make_slot(struct rdf_van_hove *v, struct trj_error *err) {
    if (v->count < v->made || v->made == v->ring) return 0;
    if (trj_grow(&v->kept, &v->capacity, v->made + 1, sizeof *v->kept, "frames", err)) return -1;
    struct kept_frame *next = &v->kept[v->made];
    *next = (struct kept_frame){.image = trj_alloc(v->header->atoms, sizeof *next->image, "a frame", err)};
    if (!next->image) return -1;
    v->made++;
    return 0;
}

// Adds a frame to the series, and exchanges its memory.
static int add_frame(struct rdf_van_hove *v, struct trj_frame *f, struct trj_error *err) {
    struct trj_cell cell = f->cell;
    if (!v->count) trj_basis_restart(&v->basis);
    if (trj_basis_follow(&v->basis, &f->cell, err)) return trj_fail_at(err, "--lag");
    if (make_slot(v, err)) return -1;
    struct kept_frame *now = kept_at(v, v->count);
    struct trj_frame spare = now->frame;
    now->cell = cell;
    now->frame = *f;
    *f = spare;
    if (v->count)
        follow(v, kept_at(v, v->count - 1), now);
    else
        memset(now->image, 0, v->header->atoms * sizeof *now->image);
    now->step = v->step;
    v->count++;
    if (v->count > v->longest) v->longest = v->count;
    return 0;
}

void rdf_van_hove_end(struct rdf_van_hove *v) {
    v->pairing = true;
    v->lag = 0;
    v->next = v->done;
}

int rdf_van_hove_take(struct rdf_van_hove *v, struct trj_frame *f, struct trj_error *err) {
    const struct trj_frame *last = v->count ? &kept_at(v, v->count - 1)->frame : NULL;
    if (rdf_job_check_frame(&v->one, f, err)) return -1;
    struct trj_gap gap = last ? trj_gap_between(last, f) : (struct trj_gap){TRJ_GAP_UNKNOWN, 0};
    if (last) trj_gap_tally_add(&v->gaps, &gap, last, f);
    if (v->paired && trj_gap_check(&v->gaps, v->interval, f, TRJ_GAP_MARGIN, err)) return trj_fail_at(err, "--lag");
    bool breaks = last && !(gap.length > 0 && trj_gap_same(v->interval, &gap, f));
    if (breaks) {
        v->breaks++;
        if (v->done < v->count) { // the series is paired first
            struct trj_frame spare = v->first;
            v->first = *f;
            *f = spare;
            v->held = true;
            rdf_van_hove_end(v);
            return 0;
        }
        v->count = v->done = 0;
    } else if (last && check_like(last, f, err)) {
        return -1;
    }
    if (add_frame(v, f, err)) return -1;
    if (v->count - v->done == v->batch) rdf_van_hove_end(v);
    return 0;
}

// Ends the batch, and begins the next series if a frame of it is held.
static int end_batch(struct rdf_van_hove *v, struct trj_error *err) {
    v->pairing = false;
    v->done = v->count;
    if (!v->held) return 0;
    v->held = false;
    v->count = v->done = 0;
    return add_frame(v, &v->first, err);
}

int rdf_van_hove_next(struct rdf_van_hove *v, struct trj_error *err) {
    while (v->pairing) {
        uint64_t lag = v->lags->lag[v->lag], later = v->next++;
        if (later == v->count) {
            v->next = v->done;
            if (++v->lag == v->lags->count && end_batch(v, err)) return -1;
        } else if (later >= lag) {
            v->later = kept_at(v, later);
            v->earlier = kept_at(v, later - lag);
            if (!v->formed[v->lag] && v->interval->unit == TRJ_GAP_TIME)
                v->time[v->lag] = v->later->frame.time - v->earlier->frame.time;
            v->paired = v->formed[v->lag] = true;
            return make_both(v, err) ? -1 : 1;
        }
    }
    return 0;
}

size_t rdf_van_hove_lag(const struct rdf_van_hove *v) {
    return v->lag;
}

double rdf_van_hove_time(const struct rdf_van_hove *v, size_t lag) {
    return v->time[lag];
}

const struct trj_cell *rdf_van_hove_cell(const struct rdf_van_hove *v) {
    return &v->earlier->cell;
}

const struct trj_frame *rdf_van_hove_earlier(const struct rdf_van_hove *v) {
    return &v->earlier->frame;
}

struct trj_frame *rdf_van_hove_both(struct rdf_van_hove *v) {
    return &v->frame;
}

int rdf_van_hove_check_series(const struct rdf_van_hove *v, uint64_t frames, char note[TRJ_GAP_NOTE],
                              struct trj_error *err) {
    *note = 0;
    // With several lags, this may be the reason why no two frames are as far apart as one of them.
    if (v->paired && trj_gap_check(&v->gaps, v->interval, &v->later->frame, 0, err)) return trj_fail_at(err, "--lag");
    for (size_t k = 0; k < v->lags->count; k++)
        if (!v->formed[k])
            return trj_fail(err, TRJ_BAD_DATA,
                            "no two frames are %llu frames apart: of %llu, at most %llu in sequence are evenly spaced; "
                            "give a smaller --lag",
                            (unsigned long long)v->lags->lag[k], (unsigned long long)frames,
                            (unsigned long long)v->longest);
    trj_gap_note(note, &v->gaps, v->interval, &v->later->frame, v->breaks, frames);
    return 0;
}

// ---- pairs i = j

static void count_atom(struct rdf_van_hove *v, const struct rdf_lattice *l, uint32_t atom, uint64_t *with_itself,
                       uint64_t *moved) {
    const struct rdf_bins *bins = &v->one.bins;
    uint32_t after = atom + (uint32_t)v->one.atoms;
    double from[3], to[3];
    int n[3];
    rdf_position(&v->frame, atom, from);
    rdf_position(&v->frame, after, to);
    rdf_count_pair(bins, v->squares, &v->frame, l, atom, from, after, with_itself);
    for (int k = 0; k < 3; k++) n[k] = v->later->image[atom][k] - v->earlier->image[atom][k];
    uint64_t bin = rdf_bin_of(bins, v->squares, rdf_r2(v->frame.cell.h, from, to, n));
    if (bin < bins->count) moved[bin]++;
}

int rdf_van_hove_count(struct rdf_van_hove *v, struct rdf_record *record, bool computes, struct trj_error *err) {
    struct rdf_lattice lattice;
    rdf_lattice_of(&lattice, &v->both, &v->frame);
    for (size_t p = 0; p < v->one.pair_count; p++) {
        const struct trj_group *a = &v->groups[v->pairs[p].a], *b = &v->groups[v->pairs[p].b];
        size_t first = p * v->one.bins.count;
        v->own[p] = 0;
        for (size_t i = 0; i < v->possible[p]; i++) {
            const struct shared *s = &v->shared[p][i];
            if (!trj_group_has(a, &v->frame, s->in_a) || !trj_group_has(b, &v->frame, s->in_b)) continue;
            if (computes) count_atom(v, &lattice, s->atom, v->with_itself + first, v->moved + first);
            v->own[p]++;
        }
    }
    if (!record->own && !(record->own = trj_alloc(v->one.pair_count, sizeof *record->own, "counts", err))) return -1;
    for (size_t p = 0; p < v->one.pair_count; p++) record->own[p] += v->own[p];
    record->step = v->later->step;
    return 0;
}

const uint64_t *rdf_van_hove_own(const struct rdf_van_hove *v) {
    return v->own;
}

void rdf_van_hove_finish(struct rdf_van_hove *v, uint64_t *counts, uint64_t *moved) {
    size_t n = v->one.pair_count * v->one.bins.count;
    for (size_t k = 0; k < n; k++) counts[k] -= v->with_itself[k];
    for (size_t k = 0; k < n; k++) moved[k] += v->moved[k];
    memset(v->with_itself, 0, n * sizeof *v->with_itself);
    memset(v->moved, 0, n * sizeof *v->moved);
}
