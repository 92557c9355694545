// SPDX-License-Identifier: MIT
// Kinetic energies and temperatures of groups, from velocities in the stream.
#include <string.h>

#include "functions.h"
#include "motion.h"
#include "system.h"

enum { GROUP, FREEDOM };

#define GAS_CONSTANT 8.31446261815324e-3 // kJ/(mol K), CODATA 2018
#define KJ_PER_MOL   1e-2                // of 1 u (Å/ps)^2

static int open_kinetic(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    const double *mass;
    if (!(h->motion & TRJ_HAS_VELOCITY))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream contains no velocities; request them: trjcat --carry mass,velocity");
    if (strcmp(h->motion_source[TRJ_MOTION_VELOCITY].unit, TRJ_VELOCITY_UNIT) != 0)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the unit of the velocities is unknown (%s); give a file that states it, such as TRR",
                        h->motion_source[TRJ_MOTION_VELOCITY].origin);
    return obs_system_need_property(s, "mass", o->argument[GROUP].selection, &mass, err);
}

static int open_temperature(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    if (!(o->argument[FREEDOM].number >= 1))
        return trj_fail(err, TRJ_USAGE, "the number of degrees of freedom must be at least 1");
    return open_kinetic(o, s, err);
}

// K = sum m v^2 / 2 in kJ/mol.
static int compute_kinetic(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct trj_motion *motion = obs_view_frame(v)->motion;
    size_t selection = o->argument[GROUP].selection;
    const struct obs_positions *p;
    const double *mass;
    double sum = 0;
    if (obs_view_positions(v, selection, &p, err) || obs_view_property(v, "mass", &mass, err)) return -1;
    if (!(trj_motion_has(motion) & TRJ_HAS_VELOCITY))
        return trj_fail(err, TRJ_BAD_DATA, "the frame contains no velocities; leave it out: trjcat -f");
    for (size_t i = 0; i < p->count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double u = (double)motion->velocity[k][p->atoms[i]] * motion->unit;
            square += u * u;
        }
        sum += mass[p->atoms[i]] * square;
    }
    *value = sum / 2 * KJ_PER_MOL;
    return 0;
}

static int compute_temperature(const struct obs_observable *o, struct obs_view *v, double *value,
                               struct trj_error *err) {
    if (compute_kinetic(o, v, value, err)) return -1;
    *value *= 2 / (o->argument[FREEDOM].number * GAS_CONSTANT);
    return 0;
}

static const struct obs_column energy[] = {{"", "kJ/mol"}}, temperature[] = {{"", "K"}};

const struct obs_function obs_kinetic = {
    .name = "kinetic",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = energy,
    .columns = 1,
    .formula = "kinetic energy: sum m v^2 / 2; velocities of a leap-frog integrator belong to half a step before or "
               "after the positions",
    .residues = OBS_RESIDUES_SINGLE,
    .carry = "mass,velocity",
    .open = open_kinetic,
    .compute = compute_kinetic,
};
const struct obs_function obs_temperature = {
    .name = "temperature",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}, {.name = "freedom", .kind = OBS_NUMBER}},
    .column = temperature,
    .columns = 1,
    .formula = "temperature: 2 K / (f R), where K is the kinetic energy and f the given number of degrees of freedom: "
               "3 for each atom, less one for each constraint and 3 for a fixed centre of mass",
    .why_never = "requires a number of degrees of freedom, which is unknown for residues",
    .carry = "mass,velocity",
    .open = open_temperature,
    .compute = compute_temperature,
};
