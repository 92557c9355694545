// SPDX-License-Identifier: MIT
// Centres, and distances, angles and torsions of points, which are atoms or centres.
#include <math.h>

#include "functions.h"
#include "system.h"
#include "torsion_angle.h"

static int compute_centre(struct obs_view *v, const struct obs_point *point, double *value, struct trj_error *err) {
    return obs_view_point(v, point, value, err);
}

static int open_com(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double *mass;
    size_t selection = o->argument->selection;
    return obs_system_need_property(s, "mass", selection, &mass, err) || obs_system_need_whole(s, selection, err) ? -1
                                                                                                                  : 0;
}

static int open_whole(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    return obs_system_need_whole(s, o->argument->selection, err);
}

static int compute_com(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_point point = {.selection = o->argument->selection, .of_mass = true};
    return compute_centre(v, &point, value, err);
}

static int compute_cog(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_point point = {.selection = o->argument->selection};
    return compute_centre(v, &point, value, err);
}

// Masses are verified once, so that a centre without them fails before the first frame.
static int open_points(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const double *mass;
    for (size_t i = 0; o->function->parameter[i].name; i++)
        if (o->function->parameter[i].kind == OBS_POINT && o->argument[i].point.of_mass &&
            obs_system_need_property(s, "mass", o->argument[i].point.selection, &mass, err))
            return -1;
    return 0;
}

// Sets d[count - 1] to the vectors from each point to the next, as shortest periodic images.
static int vectors(const struct obs_observable *o, struct obs_view *v, size_t count, double d[][3],
                   struct trj_error *err) {
    const struct trj_lattice *l;
    double x[3], before[3] = {0, 0, 0};
    if (obs_view_lattice(v, &l, err)) return -1;
    for (size_t i = 0; i < count; i++) {
        if (obs_view_point(v, &o->argument[i].point, x, err)) return -1;
        for (int k = 0; k < 3; k++) {
            if (i) d[i - 1][k] = x[k] - before[k];
            before[k] = x[k];
        }
        if (i) trj_nearest_image(l, d[i - 1]);
    }
    return 0;
}

static double degrees(double radians) {
    return radians * (180 / 3.14159265358979323846);
}

static int compute_distance(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    double d[1][3];
    if (vectors(o, v, 2, d, err)) return -1;
    *value = trj_norm(d[0]);
    return 0;
}

// atan2 is precise for all angles; the arc cosine is not near 0 and 180 degrees.
static int compute_angle(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    double d[2][3], c[3];
    if (vectors(o, v, 3, d, err)) return -1;
    trj_cross(d[0], d[1], c);
    *value = trj_norm(d[0]) > 0 && trj_norm(d[1]) > 0 ? degrees(atan2(trj_norm(c), -trj_dot(d[0], d[1]))) : NAN;
    return 0;
}

static int compute_torsion(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    double d[3][3];
    if (vectors(o, v, 4, d, err)) return -1;
    *value = obs_torsion_angle((const double(*)[3])d);
    return 0;
}

static int compute_end_to_end(const struct obs_observable *o, struct obs_view *v, double *value,
                              struct trj_error *err) {
    const struct obs_positions *p;
    double d[3];
    if (obs_view_whole(v, o->argument->selection, false, &p, err)) return -1;
    for (int k = 0; k < 3; k++) d[k] = p->count ? p->x[p->count - 1][k] - p->x[0][k] : NAN;
    *value = trj_norm(d);
    return 0;
}

static const struct obs_column position[] = {{"x", "Angstrom"}, {"y", "Angstrom"}, {"z", "Angstrom"}},
                               length[] = {{"", "Angstrom"}}, angle[] = {{"", "degrees"}};

const struct obs_function obs_com = {
    .name = "com",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = position,
    .columns = 3,
    .formula = "centre of mass: sum m x / sum m",
    .residues = OBS_RESIDUES_SINGLE,
    .carry = "mass",
    .open = open_com,
    .compute = compute_com,
};
const struct obs_function obs_cog = {
    .name = "cog",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = position,
    .columns = 3,
    .formula = "centre of geometry: the mean position of the atoms",
    .residues = OBS_RESIDUES_SINGLE,
    .open = open_whole,
    .compute = compute_cog,
};
const struct obs_function obs_distance = {
    .name = "distance",
    .parameter = {{.name = "a", .kind = OBS_POINT}, {.name = "b", .kind = OBS_POINT}},
    .column = length,
    .columns = 1,
    .formula = "distance between two points, by the shortest periodic image",
    .why_never = "has points as arguments, which are not divided into residues",
    .open = open_points,
    .compute = compute_distance,
};
const struct obs_function obs_angle = {
    .name = "angle",
    .parameter = {{.name = "a", .kind = OBS_POINT}, {.name = "b", .kind = OBS_POINT}, {.name = "c", .kind = OBS_POINT}},
    .column = angle,
    .columns = 1,
    .formula = "angle at the second of three points, with the shortest images of the vectors between them",
    .why_never = "has points as arguments, which are not divided into residues",
    .open = open_points,
    .compute = compute_angle,
};
const struct obs_function obs_torsion = {
    .name = "torsion",
    .parameter = {{.name = "a", .kind = OBS_POINT},
                  {.name = "b", .kind = OBS_POINT},
                  {.name = "c", .kind = OBS_POINT},
                  {.name = "d", .kind = OBS_POINT}},
    .cyclic = true,
    .column = angle,
    .columns = 1,
    .formula =
        "torsion angle of four points, from -180 to 180 degrees with the sign of IUPAC (0: cis), with the shortest "
        "images of the vectors between them",
    .why_never = "has points as arguments, which are not divided into residues",
    .open = open_points,
    .compute = compute_torsion,
};
const struct obs_function obs_end_to_end = {
    .name = "end_to_end",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = length,
    .columns = 1,
    .formula = "distance between the first and the last atom of a whole chain",
    .residues = OBS_RESIDUES_SINGLE,
    .open = open_whole,
    .compute = compute_end_to_end,
};
