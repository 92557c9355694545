// SPDX-License-Identifier: MIT
// What displacements and velocities share: the arguments group, of and about, and the numbers of a frame, three parts
// for the directions.
#ifndef TCF_MOVING_UNITS_H
#define TCF_MOVING_UNITS_H

#include "signal.h"

// The first parameters of these functions; masses are needed for centres, and for `about`.
#define TCF_MOVING_PARAMETERS                                                                                          \
    {.name = "group", .kind = OBS_ATOMS},                                                                              \
        {.name = "of",                                                                                                 \
         .kind = OBS_CHOICE,                                                                                           \
         .standard = "atom",                                                                                           \
         .choices = TCF_UNITS,                                                                                         \
         .carry = "residue:mass,molecule:mass"},                                                                       \
    {                                                                                                                  \
        .name = "about", .kind = OBS_ATOMS, .standard = "", .carry = "mass"                                            \
    }

// Opens the signal of three parts. With `masses`, tcf_moving_mass is available. Fails as tcf_units_open.
struct tcf_signal *tcf_moving_open(struct obs_observable *o, struct obs_system *s, bool masses, struct trj_error *err);
void tcf_moving_close(struct obs_observable *o);
// Returns the masses [count] of the units.
const double *tcf_moving_mass(const struct obs_observable *o);
// Sets value[3][count] to the vectors of the units, relative to the centre of `about`.
int tcf_moving_compute(const struct obs_observable *o, struct obs_view *v, float *const vector[3], double unit,
                       double *value, struct trj_error *err);

#endif
