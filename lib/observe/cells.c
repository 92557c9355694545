// SPDX-License-Identifier: MIT
// Observables of the cell: lengths and angles, volume, mass density.
#include <math.h>

#include "cell.h"
#include "functions.h"
#include "property.h"
#include "system.h"
#include "units.h"

static bool has_cell(const struct trj_frame *f) {
    return trj_cell_volume(&f->cell) > 0;
}

static int compute_cell(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    double cosine[3];
    (void)o;
    (void)err;
    for (int k = 0; k < 6; k++) value[k] = NAN;
    if (!has_cell(f)) return 0;
    trj_cell_shape(&f->cell, value, cosine);
    for (int k = 0; k < 3; k++) value[k + 3] = trj_degrees(cosine[k]);
    return 0;
}

static int compute_volume(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    (void)o;
    (void)err;
    *value = has_cell(f) ? trj_cell_volume(&f->cell) : NAN;
    return 0;
}

static int open_density(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    const double *mass;
    (void)o;
    if (h->atoms - h->centres != h->source_atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream contains %zu of %zu atoms, and the density requires all; leave out -g, or add -g "
                        "NAME=all",
                        h->atoms - h->centres, h->source_atoms);
    return trj_property_require(h, "mass", NULL, &mass, err);
}

static int compute_density(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct trj_stream_header *h = obs_view_system(v)->header;
    const double *mass;
    double total = 0;
    if (trj_property_require(h, "mass", NULL, &mass, err) || compute_volume(o, v, value, err)) return -1;
    for (size_t i = 0; i < h->atoms - h->centres; i++) total += mass[i];
    *value = TRJ_DENSITY_OF_U * total / *value;
    return 0;
}

static const struct obs_column shape[] = {{"a", "Angstrom"},    {"b", "Angstrom"},   {"c", "Angstrom"},
                                          {"alpha", "degrees"}, {"beta", "degrees"}, {"gamma", "degrees"}},
                               volume[] = {{"", "Angstrom^3"}}, density[] = {{"", "g/cm^3"}};

const struct obs_function obs_cell = {
    .name = "cell",
    .column = shape,
    .columns = 6,
    .formula = "lengths of the cell vectors, and the angles between them",
    .why_never = "describes the cell, which has no residues",
    .compute = compute_cell,
};
const struct obs_function obs_volume = {
    .name = "volume",
    .column = volume,
    .columns = 1,
    .formula = "volume of the cell, including any vacuum in it: |det H|",
    .why_never = "describes the cell, which has no residues",
    .compute = compute_volume,
};
const struct obs_function obs_density = {
    .name = "density",
    .column = density,
    .columns = 1,
    .formula = "mass of all atoms per volume of the cell, including any vacuum in it",
    .why_never = "describes the cell, which has no residues",
    .carry = "mass",
    .open = open_density,
    .compute = compute_density,
};
