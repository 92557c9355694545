// SPDX-License-Identifier: MIT
// vacf: velocity autocorrelation functions of atoms or of centres of mass, from velocities in the stream.
#include <math.h>

#include "motion.h"
#include "moving_units.h"

enum { WEIGHTS = 3 };
enum { BY_NUMBER, BY_MASS };

#define UNIT       "Angstrom^2/ps^2"
#define CM2_PER_PS 10 // 1e-5 cm^2/s of 1 Angstrom^2/ps

static int open_vacf(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const bool by_mass = o->argument[WEIGHTS].choice == BY_MASS;
    double all = 0;
    if (tcf_signal_check_velocities(s->header, err)) return -1;
    struct tcf_signal *signal = tcf_moving_open(o, s, by_mass, err);
    if (!signal) return -1;
    for (size_t i = 0; i < signal->count[0]; i++) all += by_mass ? tcf_moving_mass(o)[i] : 1;
    signal->note = "velocities of a leap-frog integrator belong to half a step before the positions, which does not "
                   "change their correlation";
    if (tcf_signal_add_directions(signal, UNIT, 1 / all, err)) return -1;
    if (by_mass) return 0;
    struct tcf_column *total = &signal->column[0];
    total->integral = "D";
    total->integral_unit = "1e-5 cm^2/s";
    total->scale = CM2_PER_PS / 3.0;
    total->meaning = "diffusion coefficient up to the lag, the integral of the total divided by 3";
    return 0;
}

static int compute_vacf(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct trj_motion *motion = obs_view_frame(v)->motion;
    const struct tcf_signal *signal = tcf_signal_of(o);
    const size_t n = signal->count[0];
    if (tcf_signal_check_moving(obs_view_frame(v), err)) return -1;
    if (tcf_moving_compute(o, v, motion->velocity, motion->unit, value, err)) return -1;
    if (o->argument[WEIGHTS].choice != BY_MASS) return 0;
    for (size_t i = 0; i < 3 * n; i++) value[i] *= sqrt(tcf_moving_mass(o)[i % n]);
    return 0;
}

static const struct obs_column columns[] = {
    {"total", UNIT}, {"x", UNIT}, {"y", UNIT}, {"z", UNIT}, {"D", "1e-5 cm^2/s"}};

const struct obs_function tcf_vacf = {
    .name = "vacf",
    .parameter =
        {TCF_MOVING_PARAMETERS,
         {.name = "weights", .kind = OBS_CHOICE, .standard = "none", .choices = "none mass", .carry = "mass:mass"}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula = "velocity autocorrelation: mean over atoms, or centres of mass of residues or molecules, and all start "
               "frames of v(t) v(t + lag), weighted by mass on request, with v relative to that of the centre of mass "
               "of `about`, if that is given",
    .carry = "velocity",
    .tool = "trjcorr",
    .open = open_vacf,
    .compute = compute_vacf,
    .close = tcf_moving_close,
};
