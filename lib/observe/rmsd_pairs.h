// SPDX-License-Identifier: MIT
// The deviation of two frames from the matrix of products of their coordinates. CPUs and GPUs use the same functions.
//
// Frames a and b are m + u and m + v, where m are the centred positions of a reference, and u and v the deviations from
// it after a superposition. The matrix, whose elements 3 r + c are sum a_r b_c over the atoms, is P + Q(a) + Q(b)' + D
// with P = sum m_r m_c, Q(a) = sum u_r m_c and D = sum u_r v_c. Only D is different for each pair.
//
// The best rotation need not be known: the smallest sum of squared distances is |a|^2 + |b|^2 - 2 l, where l is the
// largest eigenvalue of the symmetric 4 x 4 matrix N of superpose.h, whose trace is 0. It is the largest root of the
// characteristic polynomial, to which Newton's method descends from a number that is not less (D. L. Theobald, Acta
// Cryst. A 61, 478 (2005)). Above its largest root, a polynomial with real roots is convex. Such numbers are
// (|a|^2 + |b|^2) / 2, which is the unit of the matrix here, and sqrt(3) times the norm of the matrix.
#ifndef OBS_RMSD_PAIRS_H
#define OBS_RMSD_PAIRS_H

#include <math.h>

#include "host_and_device.h"

enum {
    OBS_RMSD_COLUMNS = 16, // frames of a panel, whose numbers are adjacent
    OBS_RMSD_STEPS = 60,   // of Newton's method, at most
};
#define OBS_RMSD_LAST_STEP 1e-13 // the next step would be about its square
// The least slope at x, in x^3. It is about 12 times the square of the relative distance from three equal roots, which
// the mirror image of a symmetric body has: nearer than 3e-6, rounding errors of value and slope would be the step.
#define OBS_RMSD_FLAT 1e-10

// A frame, and a panel of frames, which it is compared with.
struct obs_rmsd_row {
    double product[9]; // P + Q(a)
    double square;     // sum |m + u|^2
};
struct obs_rmsd_panel {
    double product[9][OBS_RMSD_COLUMNS]; // Q(b)'
    double square[OBS_RMSD_COLUMNS];
};

// Sets the coefficients of x^4 + c[2] x^2 + c[1] x + c[0] for the matrix m of products.
TRJ_HOST_DEVICE void obs_rmsd_set_polynomial(const double m[9], double c[3]) {
    double xx = m[0], xy = m[1], xz = m[2], yx = m[3], yy = m[4], yz = m[5], zx = m[6], zy = m[7], zz = m[8];
    // N has the diagonal n0 to n3, and these elements above it.
    double n0 = xx + yy + zz, n1 = xx - yy - zz, n2 = -xx + yy - zz, n3 = -xx - yy + zz, a = yz - zy, b = zx - xz,
           d = xy - yx, e = xy + yx, f = zx + xz, g = yz + zy;
    // Minors of rows 0 and 1, and of rows 2 and 3, of the columns 01, 02, 03, 12, 13 and 23.
    double s01 = n0 * n1 - a * a, s02 = n0 * e - b * a, s03 = n0 * f - d * a, s12 = a * e - b * n1,
           s13 = a * f - d * n1, s23 = b * f - d * e;
    double t01 = b * f - e * d, t02 = b * g - n2 * d, t03 = b * n3 - g * d, t12 = e * g - n2 * f, t13 = e * n3 - g * f,
           t23 = n2 * n3 - g * g;
    c[0] = s01 * t23 - s02 * t13 + s03 * t12 + s12 * t03 - s13 * t02 + s23 * t01;
    c[1] = -8 * (xx * (yy * zz - yz * zy) - xy * (yx * zz - yz * zx) + xz * (yx * zy - yy * zx));
    c[2] = -2 * (xx * xx + xy * xy + xz * xz + yx * yx + yy * yy + yz * yz + zx * zx + zy * zy + zz * zz);
}

// Returns a number that is not less than the largest root; the matrix is in units of (|a|^2 + |b|^2) / 2.
TRJ_HOST_DEVICE double obs_rmsd_first_root(double c2) {
    double bound = sqrt(-1.5 * c2);
    return bound < 1 ? bound : 1;
}

// Returns the change of x by a step of Newton's method, which is subtracted. The last step is the first one that is not
// above OBS_RMSD_LAST_STEP.
TRJ_HOST_DEVICE double obs_rmsd_step(double c0, double c1, double c2, double x) {
    double x2 = x * x, value = (x2 + c2) * x2 + c1 * x + c0, slope = (4 * x2 + 2 * c2) * x + c1;
    return slope > OBS_RMSD_FLAT * x2 * x ? value / slope : 0;
}

// Returns the sum of squared distances for the root in units of `half`, (|a|^2 + |b|^2) / 2.
TRJ_HOST_DEVICE double obs_rmsd_square(double half, double root) {
    double s = 2 * half * (1 - root);
    return s > 0 ? s : 0;
}

#endif
