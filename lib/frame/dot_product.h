// SPDX-License-Identifier: MIT
// The scalar product of vectors, for arithmetic that CPUs and GPUs share.
#ifndef TRJ_DOT_PRODUCT_H
#define TRJ_DOT_PRODUCT_H

#include "host_and_device.h"

// Returns (a[0] b[0] + a[1] b[1]) + a[2] b[2], in this order.
TRJ_HOST_DEVICE double trj_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif
