// SPDX-License-Identifier: MIT
// Computes the conductivity from the collective displacement of charges (Einstein), sigma = d/dt <|P(t) - P(0)|^2> /
// (6 V k T) with P = sum q x and unwrapped positions, or from their current J = sum q v, the derivative of P (Green and
// Kubo), sigma = integral of <J(0) J(t)> / (3 V k T). Both contain all correlations between ions, and are equal in the
// limit of long times: J.-P. Hansen, I. R. McDonald, Theory of Simple Liquids, 4th ed., section 10.5. The spectrum of
// the current is the real part of the conductivity at a frequency (R. Kubo, J. Phys. Soc. Jpn. 12, 570 (1957), in the
// classical limit).
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "motion.h"
#include "signal.h"
#include "units.h"

enum { GROUP, TEMPERATURE, BY };
enum { EITHER, DISPLACEMENT, CURRENT }; // words of the argument `by`
enum { DIRECTIONS = 3 };

#define CHARGE  1.602176634e-19 // C
#define SQUARE  "e^2 Angstrom^2"
#define PRODUCT "e^2 Angstrom^2/ps^2"

static bool by_current(const struct obs_observable *o) {
    return !tcf_signal_of(o)->differences;
}

// Chooses what the stream permits, unless the user has chosen.
static int choose(unsigned *by, const struct obs_observable *o, const struct trj_stream_header *h,
                  struct trj_error *err) {
    *by = o->argument[BY].choice;
    if (*by == EITHER) *by = trj_movement_unwraps(h) ? DISPLACEMENT : h->motion & TRJ_HAS_VELOCITY ? CURRENT : EITHER;
    if (*by == CURRENT) return tcf_signal_check_velocities(h, err);
    if (*by == DISPLACEMENT && trj_movement_unwraps(h)) return tcf_signal_check_moves(h, err);
    return trj_fail(err, TRJ_BAD_DATA,
                    "the positions are those of periodic images, %s; unwrap them for the displacement of charges: "
                    "trjcat --unwrap fraction; or use their current, from a file with velocities: by=current, and "
                    "trjcat --carry charge,velocity",
                    *by == DISPLACEMENT ? "whose displacement is not known" : "and the stream has no velocities");
}

static int check_group(const struct obs_selection *one, const double *charge, struct trj_error *err) {
    double total = 0;
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones", one->text);
    for (size_t i = 0; i < one->count; i++) total += charge[one->atoms[i]];
    if (fabs(total) <= 1e-3) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "'%s' has the charge %.4g e, so that its displacement and its current depend on the motion of the "
                    "whole system; select all ions and molecules",
                    one->text, total);
}

// Adds the columns of products of currents. factor: S/m of e^2 Angstrom^2/ps in an Angstrom^3; NaN: unknown.
static int add_currents(struct tcf_signal *signal, double factor, struct trj_error *err) {
    static const char *const integrals[] = {"sigma", "sigma_x", "sigma_y", "sigma_z"};
    if (tcf_signal_add_directions(signal, PRODUCT, 1, err)) return -1;
    for (size_t k = 0; k < signal->columns && factor > 0; k++) {
        struct tcf_column *c = &signal->column[k];
        c->integral = integrals[k];
        c->integral_unit = "S/m";
        c->scale = k ? factor : factor / DIRECTIONS;
        c->per_volume = c->response = true;
        c->meaning = k ? "integral up to the lag, divided by V k T" : "integral up to the lag, divided by 3 V k T";
    }
    return 0;
}

static int open_conductivity(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const size_t selection = o->argument[GROUP].selection;
    const double *charge;
    double temperature;
    unsigned by;
    if (tcf_signal_temperature(&temperature, &o->argument[TEMPERATURE], s, err) || choose(&by, o, s->header, err) ||
        obs_system_need_property(s, "charge", selection, &charge, err) ||
        check_group(&s->selection[selection], charge, err))
        return -1;
    struct tcf_signal *signal = tcf_signal_open(o, DIRECTIONS, 1, err);
    if (!signal) return -1;
    signal->differences = by == DISPLACEMENT;
    signal->uses_temperature = true;
    if (isnan(temperature)) signal->warning = "the conductivity sigma requires the temperature; add --temperature T";
    // C^2 and m^2/s of e^2 and Angstrom^2/ps, over J and the m^3 of an Angstrom^3
    const double factor = CHARGE * CHARGE * 1e-8 / (1e-30 * TRJ_BOLTZMANN * temperature);
    if (by == CURRENT) {
        o->formula = "by current (Green and Kubo): mean over all start frames of J(t) J(t + lag), where J is the sum "
                     "of q v of the group, which must be neutral";
        signal->note = "sigma: integral of the total, divided by 3 V k T, of a direction by V k T, with the mean "
                       "volume; velocities of a leap-frog integrator belong to half a step before the positions, which "
                       "does not change their correlation";
        return add_currents(signal, factor, err);
    }
    o->formula = "by displacement (Einstein): mean over all start frames of |P(t + lag) - P(t)|^2, where P is the sum "
                 "of q x of the group, which must be neutral, with unwrapped positions";
    if (factor > 0) {
        signal->slope = (struct tcf_slope){"sigma", "S/m", factor, true};
        signal->note = "sigma: slope of the straight line by least squares, divided by 2 V k T for each direction";
    }
    return tcf_signal_add_directions(signal, SQUARE, 1, err);
}

static int compute_conductivity(const struct obs_observable *o, struct obs_view *v, double *value,
                                struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    const struct obs_system *s = obs_view_system(v);
    const struct obs_selection *one = &s->selection[o->argument[GROUP].selection];
    const bool current = by_current(o);
    const double *charge;
    if (tcf_signal_check_volume(f, err)) return -1;
    if ((current && tcf_signal_check_moving(f, err)) || obs_view_property(v, "charge", &charge, err)) return -1;
    const double unit = current ? f->motion->unit : f->unit;
    for (int k = 0; k < DIRECTIONS; k++) {
        const float *of = current ? f->motion->velocity[k] : f->x[k];
        value[k] = 0;
        for (size_t i = 0; i < one->count; i++) value[k] += charge[one->atoms[i]] * ((double)of[one->atoms[i]] * unit);
    }
    return 0;
}

static const struct obs_column columns[] = {{"total", SQUARE " or " PRODUCT},
                                            {"x", SQUARE " or " PRODUCT},
                                            {"y", SQUARE " or " PRODUCT},
                                            {"z", SQUARE " or " PRODUCT},
                                            {"sigma", "S/m"}};

const struct obs_function tcf_conductivity = {
    .name = "conductivity",
    .parameter = {{.name = "group", .kind = OBS_ATOMS},
                  {.name = "temperature", .kind = OBS_NUMBER, .standard = ""},
                  {.name = "by",
                   .kind = OBS_CHOICE,
                   .standard = "either",
                   .choices = "either displacement current",
                   .carry = "current:velocity"}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula = "charges that move, with all correlations between them: mean over all start frames of |P(t + lag) - "
               "P(t)|^2, where P is the sum of q x of the group, which must be neutral, with unwrapped positions (by "
               "displacement), or of J(t) J(t + lag), where J is the sum of q v (by current)",
    .carry = "charge",
    .tool = "trjcorr",
    .open = open_conductivity,
    .compute = compute_conductivity,
    .close = tcf_signal_close,
};
