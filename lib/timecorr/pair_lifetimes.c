// SPDX-License-Identifier: MIT
// hbond_lifetime and contact_lifetime: how long hydrogen bonds and contacts exist.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonded_pairs.h"
#include "contact_search.h"
#include "memory.h"
#include "pair_history.h"
#include "signal.h"
#include "start_frames.h"

enum { A, B, LIMIT };

struct lifetime {
    struct obs_observable bonds; // hbonds(a, b, criterion)
    bool open;
};

// Opens the signal of pairs, with its columns.
static struct tcf_signal *open_pairs(struct obs_observable *o, struct obs_system *s, const char *note,
                                     struct trj_error *err) {
    if (tcf_signal_check_images(s->header, o->function->name, err)) return NULL;
    struct tcf_signal *signal = tcf_signal_open(o, TCF_SET_PARTS, 0, err);
    if (!signal || !(signal->own = trj_alloc(1, sizeof(struct lifetime), "an expression", err)) ||
        tcf_signal_add_survival(signal, err))
        return NULL;
    signal->note = note;
    return signal;
}

static void close_lifetime(struct obs_observable *o) {
    struct tcf_signal *signal = tcf_signal_of(o);
    struct lifetime *l = signal ? signal->own : NULL;
    if (l && l->open) obs_observable_free(&l->bonds);
    tcf_signal_close(o);
}

// ------------------------------------------------------------------------------------------------------ hydrogen bonds

static int add_bond(void *arg, uint32_t donor, uint32_t acceptor, struct trj_error *err) {
    return tcf_pair_history_add(arg, donor, acceptor, err);
}

static int list_bonds(const struct obs_observable *o, struct obs_view *v, struct tcf_pair_history *h,
                      struct trj_error *err) {
    const struct lifetime *l = tcf_signal_of(o)->own;
    return obs_hbonds_visit(&l->bonds, v, add_bond, h, err);
}

static int open_hbond_lifetime(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    struct tcf_signal *signal =
        open_pairs(o, s,
                   "a bond is that of a donor and an acceptor, whichever hydrogen is between them; the continuous "
                   "lifetime depends on the interval between frames: gaps between frames are not seen",
                   err);
    if (!signal) return -1;
    struct lifetime *l = signal->own;
    const size_t size = strlen(a[A].text) + strlen(a[B].text) + strlen(a[LIMIT].text) + sizeof "hbonds(, , )";
    char *text = trj_alloc(size, 1, "an expression", err);
    if (!text) return -1;
    snprintf(text, size, "hbonds(%s, %s, %s)", a[A].text, a[B].text, a[LIMIT].text);
    l->open = true;
    int rc = obs_observable_open(&l->bonds, text, s, err);
    free(text);
    signal->list_pairs = list_bonds;
    return rc;
}

// ------------------------------------------------------------------------------------------------------------ contacts

struct contacts {
    const struct obs_positions *p[2];
    struct tcf_pair_history *history;
};

static int add_contact(void *arg, const struct obs_contact *c, struct trj_error *err) {
    const struct contacts *to = arg;
    const uint32_t a = to->p[0]->atoms[c->i], b = to->p[1]->atoms[c->j];
    const bool exchange = to->p[0] == to->p[1] && a > b; // in one group, a pair has no order
    return tcf_pair_history_add(to->history, exchange ? b : a, exchange ? a : b, err);
}

static int list_contacts(const struct obs_observable *o, struct obs_view *v, struct tcf_pair_history *h,
                         struct trj_error *err) {
    struct contacts to = {.history = h};
    struct obs_contact_search *search = obs_contact_search_of(v, o, err);
    if (!search || obs_contact_groups(v, o->argument[A].selection, o->argument[B].selection, to.p, err)) return -1;
    return obs_contacts_visit(search, obs_view_frame(v), to.p[0], to.p[1], o->argument[LIMIT].number, add_contact, &to,
                              err);
}

static int open_contact_lifetime(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    if (!(o->argument[LIMIT].number > 0))
        return trj_fail(err, TRJ_USAGE, "invalid radius %g: expected a number of Angstrom above 0",
                        o->argument[LIMIT].number);
    struct tcf_signal *signal = open_pairs(
        o, s, "the continuous lifetime depends on the interval between frames: gaps between frames are not seen", err);
    if (!signal) return -1;
    signal->list_pairs = list_contacts;
    return 0;
}

static const struct obs_column columns[] = {
    {"intermittent", ""}, {"tau_intermittent", "ps"}, {"continuous", ""}, {"tau_continuous", "ps"}};

const struct obs_function tcf_hbond_lifetime = {
    .name = "hbond_lifetime",
    .parameter = {{.name = "a", .kind = OBS_ATOMS},
                  {.name = "b", .kind = OBS_ATOMS},
                  {.name = "criterion",
                   .kind = OBS_WORD,
                   .choices = "gmx mda baker-hubbard wernet cpptraj vmd R:ANGLE"}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "fraction of the hydrogen bonds of hbonds(a, b, criterion) that also exist after the lag (intermittent), or "
        "that exist in all frames up to the lag (continuous): the sum over all start frames of these bonds, divided by "
        "the sum "
        "of the bonds at the start",
    .carry = "element",
    .tool = "trjcorr",
    .open = open_hbond_lifetime,
    .close = close_lifetime,
};
const struct obs_function tcf_contact_lifetime = {
    .name = "contact_lifetime",
    .parameter = {{.name = "a", .kind = OBS_ATOMS},
                  {.name = "b", .kind = OBS_ATOMS},
                  {.name = "radius", .kind = OBS_NUMBER}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "fraction of the pairs of atoms of a and b closer than the radius in Angstrom that are also closer after "
        "the lag (intermittent), or in all frames up to the lag (continuous): the sum over all start frames of these "
        "pairs, divided by the sum of the pairs at the start",
    .tool = "trjcorr",
    .open = open_contact_lifetime,
    .close = close_lifetime,
};
