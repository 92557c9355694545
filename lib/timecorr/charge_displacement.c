// SPDX-License-Identifier: MIT
// conductivity: collective displacement of charges, whose slope gives the conductivity with all correlations between
// ions: sigma = d/dt <|P(t) - P(0)|^2> / (6 V k T), where P = sum q x with unwrapped positions.
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "signal.h"

enum { GROUP, TEMPERATURE };
enum { DIRECTIONS = 3 };

#define BOLTZMANN 1.380649e-23    // J/K
#define CHARGE    1.602176634e-19 // C

static int open_conductivity(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double temperature = o->argument[TEMPERATURE].number, *charge;
    const size_t selection = o->argument[GROUP].selection;
    const struct obs_selection *one = &s->selection[selection];
    double total = 0;
    if (!(temperature > 0))
        return trj_fail(err, TRJ_USAGE, "invalid temperature %g: expected a number of K above 0", temperature);
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones", one->text);
    if (tcf_signal_check_moves(s->header, err) || obs_system_need_property(s, "charge", selection, &charge, err))
        return -1;
    for (size_t i = 0; i < one->count; i++) total += charge[one->atoms[i]];
    if (fabs(total) > 1e-3)
        return trj_fail(err, TRJ_BAD_DATA,
                        "'%s' has the charge %.4g e, so that its displacement depends on the motion of the whole "
                        "system; select all ions and molecules",
                        one->text, total);
    struct tcf_signal *signal = tcf_signal_open(o, DIRECTIONS, 1, err);
    if (!signal) return -1;
    signal->differences = true;
    // C^2 and m^2/s of e^2 and Angstrom^2/ps, over J and the m^3 of an Angstrom^3
    signal->slope =
        (struct tcf_slope){"sigma", "S/m", CHARGE * CHARGE * 1e-8 / (1e-30 * BOLTZMANN * temperature), true};
    signal->note = "sigma: slope of the straight line by least squares, divided by 2 V k T for each direction";
    return tcf_signal_add_directions(signal, "e^2 Angstrom^2", 1, err);
}

static int compute_conductivity(const struct obs_observable *o, struct obs_view *v, double *value,
                                struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    const struct obs_system *s = obs_view_system(v);
    const struct obs_selection *one = &s->selection[o->argument[GROUP].selection];
    const double *charge;
    if (f->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA, "the frame has no cell that is periodic in all directions, and no volume");
    if (tcf_signal_check_unwrapped(v, err) || obs_view_property(v, "charge", &charge, err)) return -1;
    for (int k = 0; k < DIRECTIONS; k++) {
        value[k] = 0;
        for (size_t i = 0; i < one->count; i++)
            value[k] += charge[one->atoms[i]] * ((double)f->x[k][one->atoms[i]] * f->unit);
    }
    return 0;
}

static const struct obs_column columns[] = {
    {"total", "e^2 Angstrom^2"}, {"x", "e^2 Angstrom^2"}, {"y", "e^2 Angstrom^2"}, {"z", "e^2 Angstrom^2"}};

const struct obs_function tcf_conductivity = {
    .name = "conductivity",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}, {.name = "temperature", .kind = OBS_NUMBER}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "collective displacement of charges: mean over all start frames of |P(t + lag) - P(t)|^2, where P is the "
        "sum of q x of the group, which must be neutral, with unwrapped positions",
    .carry = "charge",
    .tool = "trjcorr",
    .open = open_conductivity,
    .compute = compute_conductivity,
    .close = tcf_signal_close,
};
