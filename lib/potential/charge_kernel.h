// SPDX-License-Identifier: MIT
// The inner loop that spreads charges onto a mesh (charge_mesh.h). Each instruction set has its own file, and all
// perform the same operations: with the order n, the fraction w of an axis and the coefficients c of the spline,
//
//     weight[i] = (...(c[n-1][i] w + c[n-2][i]) w + ...) w + c[0][i]      i < n
//     integer   = round(weight_x[i] ((units weight_z[k]) weight_y[j]))    to nearest, ties to even
//
// in float64, without contraction into FMA. Rounding is the addition of 1.5 * 2^52, which requires that |integer| is
// below 2^51.
#ifndef POT_CHARGE_KERNEL_H
#define POT_CHARGE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum { POT_ORDER_MAX = 8 };

// A charge and its place on the mesh; the plane is known from its place in the list.
struct pot_mesh_charge {
    double fraction[3]; // 0 <= fraction < 1: distance from the mesh point at or before the charge, in steps
    double units;       // the charge, in units in which the weights above give quanta
    uint32_t x, y;      // this mesh point
};

struct pot_mesh_rows {
    unsigned order;
    double coefficient[POT_ORDER_MAX][POT_ORDER_MAX]; // [power][i]; 0 for i >= order
    // Sums of rows of points. Row y of a plane begins at row[...] after the plane. Each begins with the point -(order /
    // 2 - 1), and has POT_ORDER_MAX points more than the mesh, so that no vector has to be wrapped.
    int64_t *sum;
    const size_t *row; // [n[1] + order - 1] charges at y add to the rows row[y], row[y + 1], ...
};

// The planes to which charges of one plane add, and the numbers of their weights.
struct pot_mesh_planes {
    unsigned count;
    size_t plane[POT_ORDER_MAX];
    unsigned weight[POT_ORDER_MAX];
};

struct pot_charge_kernel {
    const char *name;
    void (*add)(const struct pot_mesh_rows *m, const struct pot_mesh_planes *planes, const struct pot_mesh_charge *c,
                size_t count);
};

extern const struct pot_charge_kernel pot_charge_kernel_avx512, pot_charge_kernel_avx2, pot_charge_kernel_plain;

#endif
