// SPDX-License-Identifier: MIT
// The data of an image of an atom that the method cutoff uses, and how they are computed, for the CPU and for GPUs.
#ifndef POT_CUTOFF_IMAGE_H
#define POT_CUTOFF_IMAGE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cutoff_lattice.h"
#include "host_and_device.h"
#include "pot_kernel_value.h"

enum { POT_CUTOFF_CLASSES = 41 };
#define POT_CUTOFF_LARGEST 0x1p61 // quanta of a contribution that is computed in float64

struct pot_cutoff_image {
    float a, b, near;
    uint32_t atom;   // index in the frame
    double strength; // factor of the bounds; 0: no contribution
};

struct pot_cutoff_exact_image {
    double y[3], a, b; // position in Å, and the numbers of pot_kernel_values
};

// Sets the members of an image of an atom with the numbers a and b of pot_kernel_value.
TRJ_HOST_DEVICE void pot_cutoff_image_make(struct pot_cutoff_image *image, const struct pot_kernel *kernel,
                                           const struct pot_cutoff_constants *c, uint32_t atom, double a, double b) {
    bool inverse = pot_kernel_of_charge(kernel->kind) && kernel->kind != POT_KERNEL_TABLE; // 1/r is in units of rc
    image->a = (float)(inverse ? a / kernel->cutoff : a);
    image->b = 0;
    image->near = (float)c->near;
    image->atom = atom;
    image->strength = fabs(a);
    if (kernel->kind != POT_KERNEL_LJ) return;
    double u = b / kernel->square, sixth = (u * u) * u;
    if (c->near == 0) image->near = (float)u;
    image->a = (float)(a * (sixth * sixth));
    image->b = (float)(a * sixth);
    if (b == 0) image->strength = 0;
}

// Returns a bound on the magnitude of the contributions of an image at squared distances of at least `square` (0 to 1)
// and `near`; and sets *error to a bound on their errors, without the rounding to multiples of a quantum.
TRJ_HOST_DEVICE double pot_cutoff_image_bound(const struct pot_cutoff_constants *c, enum pot_kernel_kind kind, float a,
                                              float b, float near, double strength, double square, double *error) {
    if (kind != POT_KERNEL_LJ) {
        int bin = (int)(square * POT_BOUNDS);
        *error = strength * c->error[bin];
        return strength * c->bound[bin];
    }
    square = fmax(square, (double)near);
    double inverse = 1 / ((square * square) * square), bound = inverse * ((double)a * inverse + (double)b);
    *error = c->near > 1 ? 0 : bound * POT_STEEP_ERROR * (1 + c->shift / sqrt((double)near));
    return bound;
}

// Returns e such that 0 <= x < 2^e, for normal numbers the smallest one.
TRJ_HOST_DEVICE int pot_cutoff_exponent_above(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1022;
}

// Returns the exponent e of M for which contributions are multiples of the quantum, a power of two.
TRJ_HOST_DEVICE int pot_cutoff_lowest(double quantum) {
    return pot_cutoff_exponent_above(quantum) + 22 - 1;
}

// Returns the class of an image, the exponent of the bound on its contributions minus `lowest`; a class of
// POT_CUTOFF_CLASSES or more is too large.
TRJ_HOST_DEVICE int pot_cutoff_class(const struct pot_cutoff_constants *c, double bound, int lowest) {
    int exponent = pot_cutoff_exponent_above(bound * (1 + 0x1p-12));
    return exponent > lowest && c->near <= 1 ? exponent - lowest : 0;
}

// Rounds to an integer, ties to even, for |x| <= POT_CUTOFF_LARGEST.
TRJ_HOST_DEVICE int64_t pot_cutoff_round(double x) {
    return fabs(x) < 0x1p51 ? (int64_t)((x + 0x1.8p52) - 0x1.8p52) : (int64_t)x;
}

#endif
