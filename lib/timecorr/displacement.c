// SPDX-License-Identifier: MIT
// msd: mean square displacements of atoms, or of the centres of mass of molecules, from unwrapped positions.
#include "moving_units.h"
#include "signal.h"

#define CM2_PER_PS 10 // 1e-5 cm^2/s of 1 Angstrom^2/ps

static int open_msd(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    if (tcf_signal_check_moves(s->header, err)) return -1;
    struct tcf_signal *signal = tcf_moving_open(o, s, false, err);
    if (!signal) return -1;
    signal->differences = true;
    signal->slope = (struct tcf_slope){"D", "1e-5 cm^2/s", CM2_PER_PS, false};
    signal->note = "lag 0 has no displacement; D: slope of the straight line by least squares, divided by 2 for each "
                   "direction";
    return tcf_signal_add_directions(signal, "Angstrom^2", 1 / (double)signal->count[0], err);
}

static int compute_msd(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    if (tcf_signal_check_unwrapped(v, err)) return -1;
    return tcf_moving_compute(o, v, f->x, f->unit, value, err);
}

static const struct obs_column columns[] = {
    {"total", "Angstrom^2"}, {"x", "Angstrom^2"}, {"y", "Angstrom^2"}, {"z", "Angstrom^2"}};

const struct obs_function tcf_msd = {
    .name = "msd",
    .parameter = {TCF_MOVING_PARAMETERS},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula = "mean square displacement: mean over atoms, or centres of mass of residues or molecules, and all start "
               "frames of |x(t + lag) - x(t)|^2, with x relative to the centre of mass of `about`, if that is given",
    .tool = "trjcorr",
    .open = open_msd,
    .compute = compute_msd,
    .close = tcf_moving_close,
};
