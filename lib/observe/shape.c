// SPDX-License-Identifier: MIT
// Size and shape of a group: radius of gyration, its tensor, and what follows from the tensor's eigenvalues.
#include <math.h>

#include "functions.h"
#include "superpose.h"
#include "system.h"

enum { GROUP, WEIGHTS };

static int open_shape(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    const double *mass;
    if (!a[WEIGHTS].choice && obs_system_need_property(s, "mass", a[GROUP].selection, &mass, err)) {
        if (err->status == TRJ_BAD_DATA) trj_error_append(err, ", or use weights=none");
        return -1;
    }
    return obs_system_need_whole(s, a[GROUP].selection, err);
}

// Sets S = sum_i w_i (x_i - c)(x_i - c)^T / sum_i w_i, Å^2, about the centre c; as xx, yy, zz, xy, xz, yz. NaN for an
// empty group.
static int tensor(const struct obs_observable *o, struct obs_view *v, double t[6], struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    const struct obs_positions *p;
    const double *mass = NULL;
    double c[3], total = 0;
    for (int k = 0; k < 6; k++) t[k] = 0;
    if (obs_view_whole(v, a[GROUP].selection, false, &p, err) ||
        (!a[WEIGHTS].choice && obs_view_property(v, "mass", &mass, err)))
        return -1;
    obs_centre(p, mass, c);
    for (size_t i = 0; i < p->count; i++) {
        double w = mass ? mass[p->atoms[i]] : 1, d[3];
        for (int k = 0; k < 3; k++) d[k] = p->x[i][k] - c[k];
        t[0] += w * d[0] * d[0];
        t[1] += w * d[1] * d[1];
        t[2] += w * d[2] * d[2];
        t[3] += w * d[0] * d[1];
        t[4] += w * d[0] * d[2];
        t[5] += w * d[1] * d[2];
        total += w;
    }
    for (int k = 0; k < 6; k++) t[k] /= total;
    return 0;
}

static int compute_rg(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    double t[6];
    if (tensor(o, v, t, err)) return -1;
    *value = sqrt(t[0] + t[1] + t[2]);
    return 0;
}

static int compute_shape(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    double t[6], rotation[4][4], l[3];
    if (tensor(o, v, t, err)) return -1;
    double a[4][4] = {{t[0], t[3], t[4], 0}, {t[3], t[1], t[5], 0}, {t[4], t[5], t[2], 0}, {0, 0, 0, 0}};
    trj_diagonalise(a, rotation);
    // The matrix of three rows is extended by a zero, so that the fourth eigenvalue belongs to the fourth axis.
    for (int k = 0; k < 3; k++) l[k] = a[k][k];
    for (int k = 0; k < 3; k++)
        for (int j = k + 1; j < 3; j++)
            if (l[j] > l[k]) {
                double swap = l[j];
                l[j] = l[k];
                l[k] = swap;
            }
    double sum = l[0] + l[1] + l[2], products = l[0] * l[1] + l[1] * l[2] + l[2] * l[0];
    value[0] = l[0] - (l[1] + l[2]) / 2;
    value[1] = l[1] - l[2];
    value[2] = 1 - 3 * products / (sum * sum);
    return 0;
}

#define SHAPE_PARAMETERS                                                                                               \
    {                                                                                                                  \
        {.name = "group", .kind = OBS_ATOMS},                                                                          \
            {.name = "weights", .kind = OBS_CHOICE, .standard = "mass", .choices = "mass none", .carry = "mass:mass"}, \
    }

static const struct obs_column length[] = {{"", "Angstrom"}},
                               components[] = {{"xx", "Angstrom^2"}, {"yy", "Angstrom^2"}, {"zz", "Angstrom^2"},
                                               {"xy", "Angstrom^2"}, {"xz", "Angstrom^2"}, {"yz", "Angstrom^2"}},
                               shapes[] = {
                                   {"asphericity", "Angstrom^2"}, {"acylindricity", "Angstrom^2"}, {"anisotropy", ""}};

const struct obs_function obs_rg = {
    .name = "rg",
    .parameter = SHAPE_PARAMETERS,
    .column = length,
    .columns = 1,
    .formula = "radius of gyration: sqrt(sum w |x - c|^2 / sum w) about the centre c; w is the mass, or 1",
    .residues = OBS_RESIDUES_SINGLE,
    .open = open_shape,
    .compute = compute_rg,
};
const struct obs_function obs_rgtensor = {
    .name = "rgtensor",
    .parameter = SHAPE_PARAMETERS,
    .column = components,
    .columns = 6,
    .formula = "gyration tensor: sum w (x - c)(x - c)^T / sum w about the centre c",
    .residues = OBS_RESIDUES_SINGLE,
    .open = open_shape,
    .compute = tensor,
};
const struct obs_function obs_shape = {
    .name = "shape",
    .parameter = SHAPE_PARAMETERS,
    .column = shapes,
    .columns = 3,
    .formula =
        "from the eigenvalues l1 >= l2 >= l3 of the gyration tensor: asphericity l1 - (l2 + l3)/2, acylindricity "
        "l2 - l3, relative shape anisotropy 1 - 3 (l1 l2 + l2 l3 + l3 l1)/(l1 + l2 + l3)^2",
    .residues = OBS_RESIDUES_SINGLE,
    .open = open_shape,
    .compute = compute_shape,
};
