// SPDX-License-Identifier: MIT
// Contact maps: for each pair of residues or atoms, the share of frames in which they are in contact.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contact_search.h"
#include "ensemble.h"
#include "memory.h"
#include "pair_map.h"
#include "sums.h"
#include "table_merge.h"

enum { A, B, RADIUS, KIND }; // arguments of contacts()

struct contact_map {
    struct obs_pair_map pairs;
    uint64_t total; // frames, after the last one
    double radius;
    atomic_uint_least32_t *frames; // of each pair of parts, with a contact
};

// The pairs of a frame that were found already, in one thread.
struct found {
    uint32_t frame, *last; // [parts[0].count][parts[1].count] the last frame with a contact, counted from 1
    const struct contact_map *map;
};

static void release(void *memory) {
    free(((struct found *)memory)->last);
}

static int add(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct found *found = arg;
    const struct contact_map *m = found->map;
    size_t pair = obs_pair_number(&m->pairs, m->pairs.parts[0].part[c->i], m->pairs.parts[1].part[c->j]);
    (void)err;
    if (found->last[pair] == found->frame) return 0;
    found->last[pair] = found->frame;
    atomic_fetch_add_explicit(&m->frames[pair], 1, memory_order_relaxed);
    return 0;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is that of obs_function.compute
static int compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct contact_map *m = o->own;
    const struct obs_positions *p[2];
    struct obs_contact_search *search = obs_contact_search_of(v, o, err);
    struct found *found = search ? obs_view_scratch(v, m, sizeof *found, release, err) : NULL;
    (void)value;
    if (!found || obs_contact_groups(v, m->pairs.selection[0], m->pairs.selection[1], p, err)) return -1;
    found->map = m;
    if (!found->last &&
        !(found->last = trj_alloc(m->pairs.parts[0].count * m->pairs.parts[1].count, sizeof *found->last,
                                  "a contact map; select fewer atoms, or add --per residue", err)))
        return -1;
    found->frame++;
    return obs_contacts_visit(search, obs_view_frame(v), p[0], p[1], m->radius, add, found, err);
}

static const struct obs_function function = {.name = "contacts", .compute = compute};

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    (void)f, (void)value;
    return e->frames <= UINT32_MAX ? 0 : trj_fail(err, TRJ_FAILED, "--map: more than %u frames", UINT32_MAX);
}

static int open_map(struct obs_ensemble *e, struct trj_error *err) {
    const struct obs_argument *argument = e->expression.argument;
    struct contact_map *m = e->own = trj_alloc(1, sizeof *m, "a contact map", err);
    if (!m) return -1;
    if (argument[KIND].choice) return trj_fail(err, TRJ_USAGE, "--map: a map has hard contacts; leave 'soft' out");
    m->radius = argument[RADIUS].number;
    if (obs_pair_map_open(&m->pairs, e, err)) return -1;
    e->observable = (struct obs_observable){.text = trj_copy_text("--map", err), .function = &function, .own = m};
    m->frames = trj_alloc(m->pairs.parts[0].count * m->pairs.parts[1].count, sizeof *m->frames,
                          "a contact map; select fewer atoms, or add --per residue", err);
    return e->observable.text && m->frames ? 0 : -1;
}

// --------------------------------------------------------------------------------------------------------------- write

static double share(const void *own, size_t pair) {
    const struct contact_map *m = own;
    uint32_t frames = atomic_load_explicit(&m->frames[pair], memory_order_relaxed);
    return frames ? frames / (double)m->total : NAN;
}

static trj_wide sum(const void *own, size_t pair) {
    return atomic_load_explicit(&((const struct contact_map *)own)->frames[pair], memory_order_relaxed);
}

static void evaluate(double *value, const trj_wide *contacts, uint64_t frames) {
    *value = (double)*contacts / (double)frames;
}

static bool is_valid(const trj_wide *contacts, uint64_t frames) {
    return *contacts > 0 && *contacts <= (trj_wide)frames;
}

const struct obs_sum_kind obs_contact_sums = {
    .name = "contacts",
    .definition = "numbers of frames with a contact",
    .values = 1,
    .sums = 1,
    .column = {{"contact_frames", "number of frames with a contact", NULL}},
    .evaluate = evaluate,
    .is_valid = is_valid,
    .add = obs_sums_add_one,
};

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    struct contact_map *m = e->own;
    const struct obs_selection *one = e->system->selection;
    const struct obs_pair_values values = {
        share, sum, m, &obs_contact_sums, {"share", "share of the frames with a contact", NULL}};
    if (!e->frames) return trj_fail(err, TRJ_BAD_DATA, "--map: the stream has no frame");
    m->total = e->frames;
    if (e->form == OBS_TABLE) {
        trj_table_comment(
            t, "contacts of '%s' and '%s' closer than %g Angstrom; pairs that are never in contact are left out%s",
            one[m->pairs.selection[0]].text, one[m->pairs.selection[1]].text, m->radius,
            m->pairs.same ? "; each pair is listed once" : "");
        trj_table_comment(t, OBS_FRAMES "%llu", (unsigned long long)e->frames);
    }
    return obs_pair_map_write(&m->pairs, e, &values, t, err);
}

static void close_map(struct obs_ensemble *e) {
    struct contact_map *m = e->own;
    if (!m) return;
    obs_pair_map_free(&m->pairs);
    free(m->frames);
    free(m);
}

static int save_map(struct obs_ensemble *e, struct work_checkpoint_arrays *a, struct trj_error *err) {
    const struct contact_map *m = e->own;
    const size_t row = m->pairs.parts[1].count;
    uint64_t *values = trj_alloc(row, sizeof *values, "a row of a contact map", err);
    int rc = values ? 0 : -1;
    for (size_t i = 0; !rc && i < m->pairs.parts[0].count; i++) {
        atomic_uint_least32_t *frames = m->frames + i * row;
        for (size_t k = 0; k < row; k++) values[k] = frames[k];
        rc = work_checkpoint_array(a, values, row, err);
        for (size_t k = 0; !rc && k < row; k++) frames[k] = (uint32_t)values[k];
    }
    free(values);
    return rc;
}

const struct obs_ensemble_kind obs_contact_map = {open_map, take, write, close_map, save_map};
