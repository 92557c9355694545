// SPDX-License-Identifier: MIT
// The B-splines and units of charges on a mesh (charge_mesh.h), which do not depend on the engine.
#ifndef POT_MESH_SPLINE_H
#define POT_MESH_SPLINE_H

#include <stdint.h>

#include "charge_kernel.h"
#include "error.h"

struct pot_mesh_spline {
    unsigned order;
    double coefficient[POT_ORDER_MAX][POT_ORDER_MAX]; // [power][i] of charge_kernel.h; 0 for i >= order
    double scale;                                     // units of charge_kernel.h in 1 e
    double largest;                                   // quanta that one charge adds to one point
};

// Sets the spline for a mesh of n points. Fails as pot_mesh_open for invalid arguments.
int pot_mesh_spline_set(struct pot_mesh_spline *s, const uint64_t n[3], unsigned order, double max_charge,
                        double quantum, struct trj_error *err);

#endif
