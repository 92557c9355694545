// SPDX-License-Identifier: MIT
// Charges and dipole moments of groups, and of all molecules in the cell.
#include <math.h>
#include <stdlib.h>

#include "functions.h"
#include "memory.h"
#include "system.h"

#define DEBYE 4.80320471 // 1 e Å in debye (CODATA 2018)

enum { GROUP, ORIGIN };
enum { ORIGIN_COM, ORIGIN_COG, ORIGIN_ZERO };

static int open_charge(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double *charge;
    return obs_system_need_property(s, "charge", o->argument[GROUP].selection, &charge, err);
}

static int open_dipole(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double *mass;
    size_t selection = o->argument[GROUP].selection;
    if (open_charge(o, s, err) || obs_system_need_whole(s, selection, err)) return -1;
    if (o->argument[ORIGIN].choice != ORIGIN_COM) return 0;
    if (!obs_system_need_property(s, "mass", selection, &mass, err)) return 0;
    if (err->status == TRJ_BAD_DATA) trj_error_append(err, ", or use origin=cog");
    return -1;
}

static int compute_charge(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_positions *p;
    const double *charge;
    size_t selection = o->argument[GROUP].selection;
    if (obs_view_positions(v, selection, &p, err) || obs_view_property(v, "charge", &charge, err)) return -1;
    *value = 0;
    for (size_t i = 0; i < p->count; i++) *value += charge[p->atoms[i]];
    return 0;
}

static int sum_dipole(const struct obs_observable *o, struct obs_view *v, bool molecules_only, double *value,
                      struct trj_error *err) {
    const struct obs_positions *p;
    const double *charge, *mass = NULL;
    double c[3] = {0, 0, 0};
    size_t selection = o->argument[GROUP].selection;
    if (obs_view_whole(v, selection, molecules_only, &p, err) || obs_view_property(v, "charge", &charge, err))
        return -1;
    if (!molecules_only && o->argument[ORIGIN].choice == ORIGIN_COM && obs_view_property(v, "mass", &mass, err))
        return -1;
    if (!molecules_only && o->argument[ORIGIN].choice != ORIGIN_ZERO) obs_centre(p, mass, c);
    for (int k = 0; k < 3; k++) value[k] = 0;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) value[k] += charge[p->atoms[i]] * (p->x[i][k] - c[k]);
    for (int k = 0; k < 3; k++) value[k] *= DEBYE;
    value[3] = sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
    return 0;
}

static int compute_dipole(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    return sum_dipole(o, v, false, value, err);
}

// Each molecule must be neutral: otherwise its dipole moment depends on the periodic image at which it is.
static int open_box_dipole(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[o->argument[GROUP].selection];
    const double *charge;
    if (open_charge(o, s, err) || obs_system_need_whole(s, o->argument[GROUP].selection, err) ||
        obs_system_need_property(s, "charge", o->argument[GROUP].selection, &charge, err))
        return -1;
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones", one->text);
    one = &s->selection[o->argument[GROUP].selection];
    double *total = trj_alloc(one->units, sizeof *total, "charges", err);
    if (!total) return -1;
    size_t charged = one->units;
    for (size_t i = 0; i < one->count; i++) total[one->unit[i]] += charge[one->atoms[i]];
    for (size_t u = one->units; u-- > 0;)
        if (fabs(total[u]) > 1e-3) charged = u;
    double amount = charged < one->units ? total[charged] : 0;
    free(total);
    if (charged == one->units) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "molecule %zu of '%s' has the charge %.4g e, so that the dipole moment depends on its periodic image; "
        "leave ions out, and make molecules whole (trjcat -t FILE --whole)",
        charged, one->text, amount);
}

static int compute_box_dipole(const struct obs_observable *o, struct obs_view *v, double *value,
                              struct trj_error *err) {
    return sum_dipole(o, v, true, value, err);
}

static const struct obs_column dipole[] = {{"x", "debye"}, {"y", "debye"}, {"z", "debye"}, {"total", "debye"}},
                               charge_column[] = {{"", "e"}};

const struct obs_function obs_charge = {
    .name = "charge",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = charge_column,
    .columns = 1,
    .formula = "sum of the charges of the group",
    .residues = OBS_RESIDUES_SINGLE,
    .carry = "charge",
    .open = open_charge,
    .compute = compute_charge,
};
const struct obs_function obs_dipole = {
    .name = "dipole",
    .parameter =
        {{.name = "group", .kind = OBS_ATOMS},
         {.name = "origin", .kind = OBS_CHOICE, .standard = "com", .choices = "com cog zero", .carry = "com:mass"}},
    .column = dipole,
    .columns = 4,
    .formula =
        "dipole moment: sum q (x - c) about the origin c, which is the centre of mass, the centre of geometry, or "
        "0, 0, 0; it depends on the origin if the group has a charge",
    .residues = OBS_RESIDUES_SINGLE,
    .carry = "charge",
    .open = open_dipole,
    .compute = compute_dipole,
};
const struct obs_function obs_box_dipole = {
    .name = "box_dipole",
    .parameter = {{.name = "group", .kind = OBS_ATOMS, .standard = "all"}},
    .column = dipole,
    .columns = 4,
    .formula = "dipole moment of all molecules of the group, which must be neutral and whole: sum q x",
    .why_never = "is the moment of the whole cell",
    .carry = "charge",
    .open = open_box_dipole,
    .compute = compute_box_dipole,
};
