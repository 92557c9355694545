// SPDX-License-Identifier: MIT
// The torsion angle of four points.
#ifndef OBS_TORSION_ANGLE_H
#define OBS_TORSION_ANGLE_H

#include <math.h>

#include "vector_products.h"

// Returns the angle in degrees, from -180 to 180, of the vectors d[3] from each point to the next; NaN if three of the
// points are on a line. The sign is that of IUPAC: seen along the middle vector, a clockwise rotation from the first to
// the last one is positive. 0 is cis.
static inline double obs_torsion_angle(const double d[3][3]) {
    double first[3], last[3];
    trj_cross(d[0], d[1], first);
    trj_cross(d[1], d[2], last);
    double sine = trj_norm(d[1]) * trj_dot(d[0], last), cosine = trj_dot(first, last);
    if (!(trj_norm(first) > 0 && trj_norm(last) > 0)) return NAN;
    return atan2(sine, cosine) * (180 / 3.14159265358979323846);
}

#endif
