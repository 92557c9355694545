// SPDX-License-Identifier: MIT
// The values of pot_kernel.h in float64, for the CPU and for GPUs.
#ifndef POT_KERNEL_VALUE_H
#define POT_KERNEL_VALUE_H

#include <math.h>

#include "elementary_exp.h"
#include "error_function_inline.h"
#include "host_and_device.h"
#include "pot_kernel.h"

TRJ_HOST_DEVICE bool pot_kernel_of_charge(enum pot_kernel_kind kind) {
    return kind != POT_KERNEL_LJ && kind != POT_KERNEL_BUCKINGHAM && kind != POT_KERNEL_COUNT;
}

// Sets a and b of pot_kernel_value. `radius` and `epsilon` are used by lj only.
TRJ_HOST_DEVICE void pot_kernel_numbers(enum pot_kernel_kind kind, const double parameter[3], double charge,
                                        double radius, double epsilon, double *a, double *b) {
    *a = pot_kernel_of_charge(kind) ? charge : 1;
    *b = 0;
    if (kind != POT_KERNEL_LJ) return;
    double s = (radius + parameter[0]) / 2;
    *a = 4 * sqrt(epsilon * parameter[1]);
    *b = s * s;
}

TRJ_HOST_DEVICE double pot_kernel_interpolate(const struct pot_kernel *k, double r) {
    size_t low = 0, high = k->rows - 1;
    if (!(r >= k->r[0] && r <= k->r[high])) return (double)NAN;
    double guess = (r - k->r[0]) / (k->r[high] - k->r[0]) * (double)high; // the row, if the rows are equidistant
    size_t bin = (size_t)guess < high ? (size_t)guess : high - 1;
    if (k->r[bin] <= r && r <= k->r[bin + 1]) {
        low = bin;
    } else {
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (k->r[middle] <= r)
                low = middle;
            else
                high = middle;
        }
    }
    double h = k->r[low + 1] - k->r[low], t = (r - k->r[low]) / h, s = 1 - t;
    return ((1 + 2 * t) * (s * s)) * k->f[low] + ((t * t) * (3 - 2 * t)) * k->f[low + 1] +
           (h * (t * s)) * (s * k->slope[low] - t * k->slope[low + 1]);
}

TRJ_HOST_DEVICE double pot_kernel_limited(double x) {
    return isinf(x) && x < 0 ? x : x > POT_LIMIT ? POT_LIMIT : x < -POT_LIMIT ? -POT_LIMIT : x;
}

TRJ_HOST_DEVICE double pot_kernel_value(const struct pot_kernel *k, double r2, double a, double b) {
    const double *c = k->c;
    double r, s;
    switch (k->kind) {
    case POT_KERNEL_RODRIGUES:
        s = 1 - r2 * c[0];
        return a * (s * s) / sqrt(r2);
    case POT_KERNEL_SHIFT:
        r = sqrt(r2);
        return a * ((1 / r - c[0]) + r * c[1]);
    case POT_KERNEL_REACTION:
        return a * ((1 / sqrt(r2) + c[0] * r2) - c[1]);
    case POT_KERNEL_ERFC:
        r = sqrt(r2);
        return a * pot_erfc_inline(c[0] * r) / r;
    case POT_KERNEL_YUKAWA:
        r = sqrt(r2);
        return a * trj_exp_inline(-c[0] * r) / r;
    case POT_KERNEL_LJ:
        s = b / r2;
        s = (s * s) * s;
        return a > 0 && b > 0 ? pot_kernel_limited(a * s * (s - 1)) : 0;
    case POT_KERNEL_BUCKINGHAM:
        s = c[0] * trj_exp_inline(-c[1] * sqrt(r2));
        return pot_kernel_limited(c[2] > 0 ? s - c[2] / ((r2 * r2) * r2) : s);
    case POT_KERNEL_TABLE:
        return a * pot_kernel_interpolate(k, sqrt(r2));
    default:
        return 1;
    }
}

#endif
