// SPDX-License-Identifier: MIT
// Finds where a charge is on a mesh, and its contributions to mesh points, by the operations of charge_mesh.h and
// charge_kernel.h, on CPUs and GPUs.
#ifndef POT_MESH_PLACE_H
#define POT_MESH_PLACE_H

#include <stdint.h>
#include <string.h>

#include "charge_kernel.h"
#include "host_and_device.h"
#include "map_lattice.h"

// The lattice constants from which places follow.
struct pot_mesh_places {
    double origin[3], g[3][3]; // of the lattice, and rows of trj_cell_reciprocal of its cell
    double size[3];            // number of mesh points
};

struct pot_mesh_place {
    uint32_t point[3];  // the mesh point at or before the charge
    double fraction[3]; // 0 <= fraction < 1: distance from it, in steps
};

static inline void pot_mesh_places_set(struct pot_mesh_places *p, const struct trj_map_lattice *l) {
    struct trj_cell cell = trj_map_lattice_cell(l);
    trj_cell_reciprocal(&cell, p->g);
    memcpy(p->origin, l->origin, sizeof p->origin);
    for (int k = 0; k < 3; k++) p->size[k] = (double)l->n[k];
}

TRJ_HOST_DEVICE double pot_mesh_floor(double x) { // as floor(), for |x| < 2^63; a function of libm without SSE4.1
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

// Sets the point and the fraction along axis k, for x - origin.
TRJ_HOST_DEVICE void pot_mesh_locate_axis(const struct pot_mesh_places *p, const double d[3], int k, uint32_t *point,
                                          double *fraction) {
    double s = (d[0] * p->g[k][0] + d[1] * p->g[k][1]) + d[2] * p->g[k][2];
    double u = (s - pot_mesh_floor(s)) * p->size[k];
    if (u >= p->size[k]) u = 0;
    int64_t whole = (int64_t)u;
    *point = (uint32_t)whole;
    *fraction = u - (double)whole;
}

TRJ_HOST_DEVICE struct pot_mesh_place pot_mesh_locate(const struct pot_mesh_places *p, const double x[3]) {
    struct pot_mesh_place place;
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - p->origin[k];
    for (int k = 0; k < 3; k++) pot_mesh_locate_axis(p, d, k, &place.point[k], &place.fraction[k]);
    return place;
}

// Returns weight i of an axis for the fraction w.
TRJ_HOST_DEVICE double pot_mesh_weight(const double coefficient[POT_ORDER_MAX][POT_ORDER_MAX], unsigned order,
                                       unsigned i, double w) {
    double sum = coefficient[order - 1][i];
    for (unsigned power = order - 1; power-- > 0;) sum = sum * w + coefficient[power][i];
    return sum;
}

// Returns the integer of weight_x * part, with part = (units weight_z) weight_y.
TRJ_HOST_DEVICE int64_t pot_mesh_quanta(double weight_x, double part) {
    double rounded = weight_x * part + 0x1.8p52;
    int64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits - 0x4338000000000000; // of 0x1.8p52
}

#endif
