// SPDX-License-Identifier: MIT
// Computes heights in a periodic cell, for bilayers and for profiles.
#include "heights.h"

#define PI          3.14159265358979323846
#define LEAST_ORDER 0.05 // |<exp(2 pi i h/L)>| of heights h; 0 for atoms that fill the cell

int obs_heights_make(struct obs_heights *z, const struct trj_cell *cell, int axis, struct trj_error *err) {
    const double *a = cell->h[(axis + 1) % 3], *b = cell->h[(axis + 2) % 3];
    *z = (struct obs_heights){.area = 0};
    double *n = z->normal;
    trj_cross(a, b, n);
    z->area = trj_norm(n);
    if (!(z->area > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the cell vectors %c and %c are unknown or parallel; give the cell: "
                        "trjcat --cell",
                        'a' + (axis + 1) % 3, 'a' + (axis + 2) % 3);
    for (int k = 0; k < 3; k++) n[k] /= z->area;
    z->length = trj_dot(n, cell->h[axis]);
    if (z->length < 0) {
        z->length = -z->length;
        for (int k = 0; k < 3; k++) n[k] = -n[k];
    }
    if (cell->periodic >> axis & 1) z->period = z->length;
    return 0;
}

int obs_heights_find_centre(struct obs_heights *z, const struct obs_positions *p, const double *mass, const char *text,
                            double *nearest, struct trj_error *err) {
    double c = 0, s = 0, sum = 0, total = 0;
    z->centre = 0;
    for (size_t i = 0; i < p->count; i++) {
        double w = mass ? mass[p->atoms[i]] : 1;
        total += w;
        if (!(z->period > 0)) continue;
        double angle = 2 * PI * obs_height(z, p->x[i]) / z->period;
        c += w * cos(angle);
        s += w * sin(angle);
    }
    if (!(total > 0))
        return trj_fail(err, TRJ_BAD_DATA, "'%s' has no %s in this frame", text, p->count ? "mass" : "atom");
    if (z->period > 0 && hypot(c, s) < LEAST_ORDER * total)
        return trj_fail(err, TRJ_BAD_DATA, "'%s' fills the cell, so that it has no centre; give the lipids alone",
                        text);
    z->centre = atan2(s, c) * z->period / (2 * PI);
    for (size_t i = 0; i < p->count; i++) sum += (mass ? mass[p->atoms[i]] : 1) * obs_height(z, p->x[i]);
    z->centre += sum / total;
    *nearest = INFINITY;
    for (size_t i = 0; i < p->count; i++) *nearest = fmin(*nearest, fabs(obs_height(z, p->x[i])));
    return 0;
}
