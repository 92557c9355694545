// SPDX-License-Identifier: MIT
// Products and lengths of vectors, for arithmetic that CPUs and GPUs share.
#ifndef TRJ_VECTOR_PRODUCTS_H
#define TRJ_VECTOR_PRODUCTS_H

#include <math.h>

#include "host_and_device.h"

// Returns (a[0] b[0] + a[1] b[1]) + a[2] b[2], in this order.
TRJ_HOST_DEVICE double trj_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Sets c to the vector product of a and b.
TRJ_HOST_DEVICE void trj_cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

TRJ_HOST_DEVICE double trj_norm(const double a[3]) {
    return sqrt(trj_dot(a, a));
}

#endif
