// SPDX-License-Identifier: MIT
// survival: how long atoms stay in a group that changes, such as the waters within 3.5 Angstrom of a protein.
#include <string.h>

#include "signal.h"
#include "start_frames.h"

static int open_survival(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[o->argument->selection];
    if (one->dynamic && tcf_signal_check_images(s->header, o->function->name, err)) return -1;
    struct tcf_signal *signal = tcf_signal_open(o, TCF_SET_PARTS, 0, err);
    if (!signal) return -1;
    signal->members = one->dynamic ? one->count : 1; // if the atoms are the same in all frames, one is enough
    if (tcf_signal_add_survival(signal, err)) return -1;
    if (!one->dynamic) {
        for (size_t i = 0; i < signal->columns; i++) signal->column[i].integral = NULL;
        signal->warning = "the atoms of the group are the same in all frames, so that the survival is 1 at every lag, "
                          "and there is no lifetime; select some that change, such as 'name OW and within 3.5 of "
                          "protein'";
        return 0;
    }
    signal->note =
        "the continuous survival depends on the interval between frames: absences between frames are not seen";
    return 0;
}

static int compute_survival(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const size_t selection = o->argument->selection;
    const struct obs_selection *one = &obs_view_system(v)->selection[selection];
    const struct obs_positions *p;
    if (!one->dynamic) {
        value[0] = 1;
        return 0;
    }
    if (obs_view_positions(v, selection, &p, err)) return -1;
    for (size_t i = 0, next = 0; i < one->count; i++) {
        const bool is = next < p->count && p->atoms[next] == one->atoms[i];
        value[i] = is;
        next += is;
    }
    return 0;
}

static const struct obs_column columns[] = {
    {"intermittent", ""}, {"tau_intermittent", "ps"}, {"continuous", ""}, {"tau_continuous", "ps"}};

const struct obs_function tcf_survival = {
    .name = "survival",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "fraction of the atoms of the dynamic group that also belong to it after the lag (intermittent), or that "
        "belong to it in all frames up to the lag (continuous): the sum over all start frames of these "
        "atoms, divided by the sum of the atoms at the start",
    .tool = "trjcorr",
    .open = open_survival,
    .compute = compute_survival,
    .close = tcf_signal_close,
};
