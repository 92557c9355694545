// SPDX-License-Identifier: MIT
// Divides voxels into parts, because shells are about as wide as voxels, so that most voxels belong to several.
#include "map_shells.h"

#include <math.h>
#include <string.h>

#include "number.h"
#include "vector_products.h"

enum { SIDE = 4 }; // parts along each axis

int trj_map_profile_parse(struct trj_map_profile *p, const char *text, struct trj_error *err) {
    static const char cylinder[] = "cylinder:", sphere[] = "sphere@";
    const char *at = strchr(text, '@');
    size_t words = at ? (size_t)(at - text) : strlen(text);
    *p = (struct trj_map_profile){.has_centre = at != NULL};
    bool is_cylinder = !strncmp(text, cylinder, strlen(cylinder)), is_sphere = !strncmp(text, sphere, strlen(sphere));
    const char *axis = is_cylinder ? text + strlen(cylinder) : text;
    p->shape = is_cylinder ? TRJ_MAP_CYLINDER : is_sphere ? TRJ_MAP_SPHERE : TRJ_MAP_PLANES;
    bool has_axis = text + words == axis + 1 && *axis >= 'x' && *axis <= 'z';
    if (has_axis) p->axis = *axis - 'x';
    if ((has_axis || is_sphere) && !(at && p->shape == TRJ_MAP_PLANES) &&
        (!at || trj_parse_reals(at + 1, p->centre, 3) == 3)) {
        for (int k = 0; k < 3; k++)
            if (fabs(p->centre[k]) > TRJ_FARTHEST)
                return trj_fail(err, TRJ_USAGE, "--profile: the centre in '%s' is beyond %g Angstrom", text,
                                TRJ_FARTHEST);
        return 0;
    }
    return trj_fail(err, TRJ_USAGE,
                    "--profile: invalid value '%s': expected x, y, z, cylinder:AXIS, cylinder:AXIS@X,Y,Z or "
                    "sphere@X,Y,Z with a centre in Angstrom",
                    text);
}

// Returns the smallest distance between the centre and a face of the map that is parallel to the axis and not periodic;
// below 0 if it is outside. INFINITY if there is no such face.
static double distance_to_faces(const struct trj_map_shells *s) {
    const struct trj_map_lattice *l = &s->lattice;
    double g[3][3], d[3], smallest = INFINITY;
    trj_map_lattice_inverse(l, g);
    for (int c = 0; c < 3; c++) d[c] = s->centre[c] - l->origin[c];
    for (int k = 0; k < 3; k++) {
        if (l->periodic >> k & 1 || (s->profile.shape == TRJ_MAP_CYLINDER && k == s->profile.axis)) continue;
        double index = trj_dot(g[k], d), plane = 1 / trj_norm(g[k]);
        smallest = fmin(smallest, fmin(index + 0.5, (double)l->n[k] - 0.5 - index) * plane);
    }
    return smallest;
}

// Removes the component of a vector along the axis.
static void project(const struct trj_map_shells *s, double d[3]) {
    if (s->profile.shape != TRJ_MAP_CYLINDER) return;
    double along = trj_dot(d, s->along);
    for (int c = 0; c < 3; c++) d[c] -= along * s->along[c];
}

static void set_parts(struct trj_map_shells *s) {
    const struct trj_map_lattice *l = &s->lattice;
    for (int i = 0; i < TRJ_MAP_PARTS; i++) {
        const int n[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int c = 0; c < 3; c++) {
            s->part[i][c] = 0;
            for (int k = 0; k < 3; k++) s->part[i][c] += ((n[k] + 0.5) / SIDE - 0.5) * l->step[k][c];
        }
        project(s, s->part[i]);
    }
    s->reach = 0;
    for (int i = 0; i < 8; i++) {
        double corner[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) corner[c] += (i >> k & 1 ? 0.5 : -0.5) * l->step[k][c];
        project(s, corner);
        s->reach = fmax(s->reach, trj_norm(corner));
    }
}

int trj_map_shells_open(struct trj_map_shells *s, const struct trj_map_lattice *l, const struct trj_map_profile *p,
                        struct trj_error *err) {
    const struct trj_cell cell = trj_map_lattice_cell(l);
    *s = (struct trj_map_shells){.profile = *p, .lattice = *l};
    memcpy(s->centre, p->centre, sizeof s->centre);
    for (int c = 0; !p->has_centre && c < 3; c++) {
        s->centre[c] = l->origin[c];
        for (int k = 0; k < 3; k++) s->centre[c] += ((double)l->n[k] - 1) / 2 * l->step[k][c];
    }
    if (p->shape == TRJ_MAP_CYLINDER ? trj_lattice_project(&s->images, &cell, p->axis, s->along, err)
                                     : trj_lattice_make(&s->images, &cell, err))
        return -1;
    for (int k = 0; k < 3; k++) {
        double step[3];
        memcpy(step, l->step[k], sizeof step);
        project(s, step);
        if (p->shape != TRJ_MAP_CYLINDER || k != p->axis) s->width = fmax(s->width, trj_norm(step));
    }
    set_parts(s);
    double faces = distance_to_faces(s);
    s->limit = fmin(faces, trj_lattice_half_shortest(&s->images));
    if (s->limit >= s->width * (1 - 1e-9)) {
        s->count = (uint64_t)(s->limit / s->width * (1 + 1e-9));
        return 0;
    }
    if (faces < s->width)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--profile: the centre %.6g,%.6g,%.6g is %s; move it, so that the first shell, of %.4g "
                        "Angstrom, is in the map",
                        s->centre[0], s->centre[1], s->centre[2],
                        faces < 0 ? "outside of the map" : "at a face of the map", s->width);
    return trj_fail(err, TRJ_BAD_DATA,
                    "--profile: half of the period, %.4g Angstrom, is less than a shell, %.4g Angstrom; use a map with "
                    "more points",
                    s->limit, s->width);
}

unsigned trj_map_shells_find(const struct trj_map_shells *s, const uint64_t voxel[3],
                             struct trj_map_shell_parts in[TRJ_MAP_PARTS]) {
    const double index[3] = {(double)voxel[0], (double)voxel[1], (double)voxel[2]}, count = (double)s->count;
    double d[3];
    unsigned used = 0;
    trj_map_lattice_position(&s->lattice, index, d);
    for (int c = 0; c < 3; c++) d[c] -= s->centre[c];
    project(s, d);
    trj_nearest_image(&s->images, d);
    // The distance to the nearest image changes within a voxel by at most `reach`.
    if ((trj_norm(d) - s->reach) / s->width >= count) return 0;
    for (int i = 0; i < TRJ_MAP_PARTS; i++) {
        double x[3] = {d[0] + s->part[i][0], d[1] + s->part[i][1], d[2] + s->part[i][2]};
        trj_nearest_image(&s->images, x);
        double r = trj_norm(x) / s->width;
        if (!(r < count)) continue;
        unsigned k = 0;
        while (k < used && in[k].shell != (uint64_t)r) k++;
        if (k == used) in[used++] = (struct trj_map_shell_parts){.shell = (uint64_t)r};
        in[k].parts++;
    }
    return used;
}
