// SPDX-License-Identifier: MIT
// The inner loop of placing ions: adds the potential of an ion to a row of points, and finds the lowest energy of the
// next ion there. For files of this folder and kernels.
#ifndef POT_ION_ROW_H
#define POT_ION_ROW_H

#include <math.h>
#include <stddef.h>

#include "host_and_device.h"

// An ion that was placed, and the next one. The squared distance of point i of a row from the ion is
// (along[i] + shift)^2 + across2.
struct pot_row_update {
    double charge; // potential of the ion at 1 Å, in the unit of the map
    double reach2; // Å^2: points nearer than this become NaN; above 0
    double sign;   // 1 or -1: that of the charge of the next ion
};

// Returns the new value of a point, for the charge and reach2 of a struct pot_row_update.
TRJ_HOST_DEVICE double pot_point_update(double value, double along, double shift, double across2, double charge,
                                        double reach2) {
    double d = along + shift, r2 = d * d + across2;
    double sum = value + charge / sqrt(r2);
    return r2 < reach2 ? (double)NAN : sum;
}

// Updates value[n], and returns the lowest value times `sign`; INFINITY if all are NaN.
double pot_row_update(const struct pot_row_update *u, double *value, const double *along, double shift, double across2,
                      size_t n);
// Returns the lowest value times `sign` of value[n]; INFINITY if all are NaN.
double pot_row_lowest(const double *value, double sign, size_t n);

#endif
