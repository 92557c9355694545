// SPDX-License-Identifier: MIT
// Sums the quantities of profiles in a frame, in the order of the atoms.
#include "profile_quantities.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "units.h"
#include "vectors.h"

enum { GROUP, FROM = 0, TO };

// ----------------------------------------------------------------------------------------------------- sums over atoms

static int add_atoms(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f,
                     const char *property, double *sum, double *outside, struct trj_error *err) {
    const size_t selection = o->argument[GROUP].selection, bins = f->geometry->bins;
    const struct obs_positions *p;
    const double *value = NULL;
    if (obs_view_positions(v, selection, &p, err) ||
        (property && obs_system_need_property(obs_view_system(v), property, selection, &value, err)))
        return -1;
    for (size_t i = 0; i < p->count; i++) {
        size_t bin = obs_profile_bin(f, p->x[i], NULL);
        if (bin == SIZE_MAX) {
            ++*outside;
            continue;
        }
        sum[bin]++;
        if (value) sum[bins + bin] += value[p->atoms[i]];
    }
    return 0;
}

static int add_number(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f,
                      double *sum, double *outside, struct trj_error *err) {
    return add_atoms(o, v, f, NULL, sum, outside, err);
}

static int open_mass(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double *mass;
    return obs_system_need_property(s, "mass", o->argument[GROUP].selection, &mass, err);
}

static int add_mass(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f, double *sum,
                    double *outside, struct trj_error *err) {
    return add_atoms(o, v, f, "mass", sum, outside, err);
}

static int open_charge(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double *charge;
    return obs_system_need_property(s, "charge", o->argument[GROUP].selection, &charge, err);
}

static int add_charge(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f,
                      double *sum, double *outside, struct trj_error *err) {
    return add_atoms(o, v, f, "charge", sum, outside, err);
}

// -------------------------------------------------------------------------------------------------------- orientations

// Adds the vector number `which` at a position.
static int add_vector(const struct obs_profile_frame *f, size_t which, const double x[3], const double vector[3],
                      double *sum, double *outside, struct trj_error *err) {
    const size_t bins = f->geometry->bins;
    double direction[3], length = trj_norm(vector);
    size_t bin = obs_profile_bin(f, x, direction);
    if (bin == SIZE_MAX) {
        ++*outside;
        return 0;
    }
    if (!(length > 0)) return trj_fail(err, TRJ_BAD_DATA, "vector %zu has no length; leave it out", which);
    if (!(trj_dot(direction, direction) > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "vector %zu is at the centre, where the direction from it is unknown; leave it out", which);
    double cosine = trj_dot(vector, direction) / length;
    sum[bin]++;
    sum[bins + bin] += cosine;
    sum[2 * bins + bin] += (3 * cosine * cosine - 1) / 2;
    return 0;
}

static int open_vector(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    return obs_vectors_check(s, o->argument[FROM].selection, o->argument[TO].selection, err);
}

static int add_vectors(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f,
                       double *sum, double *outside, struct trj_error *err) {
    const struct obs_positions *from, *to;
    const struct trj_lattice *lattice;
    if (obs_view_lattice(v, &lattice, err) || obs_view_positions(v, o->argument[FROM].selection, &from, err) ||
        obs_view_positions(v, o->argument[TO].selection, &to, err))
        return -1;
    for (size_t i = 0; i < from->count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = to->x[i][k] - from->x[i][k];
        trj_nearest_image(lattice, d);
        if (add_vector(f, i, from->x[i], d, sum, outside, err)) return -1;
    }
    return 0;
}

// Molecules are the units of a selection, which must not be single atoms.
static int open_dipole(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const size_t number = o->argument[GROUP].selection;
    if (open_mass(o, s, err) || open_charge(o, s, err) || obs_system_need_whole(s, number, err)) return -1;
    const struct obs_selection *one = &s->selection[number];
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones", one->text);
    uint32_t *atoms = trj_alloc(one->units, sizeof *atoms, "molecules", err);
    if (!atoms) return -1;
    size_t single = one->units;
    for (size_t i = 0; i < one->count; i++) atoms[one->unit[i]]++;
    for (size_t u = one->units; u-- > 0;)
        if (atoms[u] == 1) single = u;
    free(atoms);
    if (single == one->units) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "molecule %zu of '%s' consists of one atom, as far as bonds are known, and has no dipole moment; "
                    "select molecules, and give bonds: trjcat -t FILE --whole",
                    single, one->text);
}

// Sums over a molecule, in one thread.
struct molecule {
    double mass, charge, mass_x[3], charge_x[3];
};

struct molecules {
    struct molecule *molecule; // [units]
};

static void release(void *memory) {
    free(((struct molecules *)memory)->molecule);
}

static int add_dipoles(const struct obs_observable *o, struct obs_view *v, const struct obs_profile_frame *f,
                       double *sum, double *outside, struct trj_error *err) {
    const struct obs_system *s = obs_view_system(v);
    const size_t number = o->argument[GROUP].selection;
    const struct obs_selection *one = &s->selection[number];
    const struct obs_positions *p;
    const double *mass, *charge;
    struct molecules *all = obs_view_scratch(v, o, sizeof *all, release, err);
    if (!all || obs_view_whole(v, number, true, &p, err) || obs_system_need_property(s, "mass", number, &mass, err) ||
        obs_system_need_property(s, "charge", number, &charge, err))
        return -1;
    if (!all->molecule && !(all->molecule = trj_alloc(one->units, sizeof *all->molecule, "molecules", err))) return -1;
    memset(all->molecule, 0, one->units * sizeof *all->molecule);
    for (size_t i = 0; i < p->count; i++) {
        struct molecule *m = &all->molecule[one->unit[i]];
        double w = mass[p->atoms[i]], q = charge[p->atoms[i]];
        m->mass += w;
        m->charge += q;
        for (int k = 0; k < 3; k++) {
            m->mass_x[k] += w * p->x[i][k];
            m->charge_x[k] += q * p->x[i][k];
        }
    }
    for (size_t u = 0; u < one->units; u++) {
        const struct molecule *m = &all->molecule[u];
        double x[3], dipole[3];
        if (!(m->mass > 0)) return trj_fail(err, TRJ_BAD_DATA, "molecule %zu of '%s' has no mass", u, one->text);
        for (int k = 0; k < 3; k++) {
            x[k] = m->mass_x[k] / m->mass;
            dipole[k] = m->charge_x[k] - m->charge * x[k];
        }
        if (add_vector(f, u, x, dipole, sum, outside, err)) return -1;
    }
    return 0;
}

// ----------------------------------------------------------------------------------------------------------- functions

#define PARAMETER_GROUP                                                                                                \
    {                                                                                                                  \
        { .name = "group", .kind = OBS_ATOMS }                                                                         \
    }

static const struct obs_column number_column[] = {{"number_density", "1/Angstrom^3"}},
                               mass_column[] = {{"mass_density", "g/cm^3"}},
                               charge_column[] = {{"charge_density", "e/Angstrom^3"}},
                               orientation_columns[] = {{"P1", ""}, {"P2", ""}};

static const struct obs_function number = {
    .name = "number",
    .parameter = PARAMETER_GROUP,
    .column = number_column,
    .columns = 1,
    .formula = "number of atoms in the bin, divided by its volume; mean over frames",
};
static const struct obs_function mass = {
    .name = "mass",
    .parameter = PARAMETER_GROUP,
    .column = mass_column,
    .columns = 1,
    .formula = "mass of the atoms in the bin, divided by its volume; mean over frames",
    .carry = "mass",
    .open = open_mass,
};
static const struct obs_function charge = {
    .name = "charge",
    .parameter = PARAMETER_GROUP,
    .column = charge_column,
    .columns = 1,
    .formula = "charge of the atoms in the bin, divided by its volume; mean over frames",
    .carry = "charge",
    .open = open_charge,
};
static const struct obs_function dipole = {
    .name = "dipole",
    .parameter = PARAMETER_GROUP,
    .column = orientation_columns,
    .columns = 2,
    .formula =
        "P1 = <cos a> and P2 = <(3 cos^2 a - 1)/2> over the molecules whose centres of mass are in the bin, in "
        "all frames, of the angle a between the dipole moment about this centre and the direction of the profile",
    .carry = "mass,charge",
    .open = open_dipole,
};
static const struct obs_function vector = {
    .name = "vector",
    .parameter = {{.name = "from", .kind = OBS_ATOMS}, {.name = "to", .kind = OBS_ATOMS}},
    .column = orientation_columns,
    .columns = 2,
    .formula =
        "P1 = <cos a> and P2 = <(3 cos^2 a - 1)/2> over the vectors from the atoms of the first group in the bin "
        "to those of the second in the same place, in all frames, of the angle a with the direction of the "
        "profile",
    .open = open_vector,
};

const struct obs_function *const obs_profile_functions[] = {&number, &mass, &charge, &dipole, &vector, NULL};

static const struct obs_profile_quantity quantities[] = {
    {OBS_PROFILE_DENSITY, 1, "atoms", 1, add_number},        {OBS_PROFILE_DENSITY, 2, NULL, TRJ_DENSITY_OF_U, add_mass},
    {OBS_PROFILE_DENSITY, 2, NULL, 1, add_charge},           {OBS_PROFILE_ORIENTATION, 3, "molecules", 1, add_dipoles},
    {OBS_PROFILE_ORIENTATION, 3, "vectors", 1, add_vectors},
};

const struct obs_profile_quantity *obs_profile_quantity_of(const struct obs_function *f) {
    size_t i = 0;
    while (obs_profile_functions[i] != f) i++;
    return &quantities[i];
}
