// SPDX-License-Identifier: MIT
// The arithmetic of a surface, operation by operation, so that each engine computes the same bytes: float64 additions,
// subtractions, multiplications, divisions and square roots, each rounded to nearest, in the order of the source,
// without contraction into FMA. The last step rounds positions and normals to float32.
//
// The steps of an engine are: classify points (inside or outside), count vertices and triangles of each row, add the
// counts up to first numbers, and emit vertices and triangles of each row. No step depends on the order of rows.
#ifndef SURF_SURFACE_ARITHMETIC_H
#define SURF_SURFACE_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "surface_table.h"

// Functions that CUDA compiles for GPUs, too.
#ifdef __CUDACC__
#define SURF_INLINE static inline __host__ __device__
#else
#define SURF_INLINE static inline
#endif

// A vertex stays this fraction of a step away from both ends of its edge, so that no two vertices coincide, and no
// triangle is degenerate, if samples equal the level. The surface is displaced by at most this much.
#define SURF_MARGIN 0x1p-10

// Returns where the edge from a sample v0 to a sample v1 is cut, as a fraction of its length. One of them is above the
// level. The quotient is NaN if v0 is infinite: the vertex is then next to the other end.
SURF_INLINE double surf_fraction(double v0, double v1, double level) {
    double t = (level - v0) / (v1 - v0);
    if (!(t <= 1 - SURF_MARGIN)) return 1 - SURF_MARGIN;
    return t < SURF_MARGIN ? SURF_MARGIN : t;
}

SURF_INLINE double surf_between(double v0, double v1, double t) {
    return v0 + t * (v1 - v0);
}

// Computes the unit vector against a gradient. `gradient` has components along the indices, and rows of `inverse` are
// those of trj_map_lattice_inverse. Returns false if the gradient is 0 or not finite.
SURF_INLINE bool surf_normal(const double gradient[3], const double inverse[3][3], float normal[3]) {
    double v[3], max = 0;
    for (int i = 0; i < 3; i++) {
        v[i] = gradient[0] * inverse[0][i] + gradient[1] * inverse[1][i] + gradient[2] * inverse[2][i];
        double size = v[i] < 0 ? -v[i] : v[i];
        if (!(size <= max)) max = size; // also if it is NaN
    }
    if (!(max > 0 && max < HUGE_VAL)) return false;
    for (int i = 0; i < 3; i++) v[i] /= max;
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) normal[i] = (float)(-v[i] / length);
    return true;
}

// Sums are integers, so that they do not depend on the order of the triangles: multiples of 2^-40.
#define SURF_QUANTA 0x1p40
__extension__ typedef __int128 surf_sum;

// Rounds a number below 2^22 to a multiple of 2^-40.
SURF_INLINE int64_t surf_quanta(double x) {
    return (int64_t)(x * SURF_QUANTA + (x < 0 ? -0.5 : 0.5));
}

// What a triangle adds to the sums. Coordinates are indices relative to the first corner of its cell.
struct surf_share {
    int64_t area;    // in units of `unit`, Å^2
    int64_t shadow;  // its area projected along axis 2, times the sign of the normal
    int64_t content; // the integral of the index along axis 2 over the projected area
};

SURF_INLINE struct surf_share surf_share_of(double x[3][3], const double step[3][3], double unit) {
    double e[2][3], d[2][3], n[3];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) e[k][i] = x[k + 1][i] - x[0][i];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) d[k][i] = e[k][0] * step[0][i] + e[k][1] * step[1][i] + e[k][2] * step[2][i];
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        n[i] = d[0][a] * d[1][b] - d[0][b] * d[1][a];
    }
    double shadow = 0.5 * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
    double height = (x[0][2] + x[1][2] + x[2][2]) / 3;
    struct surf_share s;
    s.area = surf_quanta(0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / unit);
    s.shadow = surf_quanta(shadow);
    s.content = surf_quanta(height * shadow);
    return s;
}

// Returns the inside area of a square of a plane, in units of 2^-40: the area of the runs of inside corners with the
// cuts next to them, as in the faces of surface_table.h. Corners are counter-clockwise from (0, 0); side c, from corner
// c to the next one, is cut at cut[c] along its axis if its corners differ.
SURF_INLINE surf_sum surf_area_inside(const bool in[4], const double cut[4]) {
    const double place[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double x[8][2], twice = 0;
    if (in[0] == in[1] && in[1] == in[2] && in[2] == in[3]) return in[0] ? (surf_sum)SURF_QUANTA : 0;
    for (unsigned s = 0; s < 4; s++) {
        if (in[s] || !in[(s + 1) % 4]) continue;
        unsigned n = 0;
        for (unsigned c = s; !n || in[c % 4]; c++) {
            unsigned axis = c % 2, row = c % 4 == 2, column = c % 4 == 1;
            if (in[c % 4]) {
                x[n][0] = place[c % 4][0];
                x[n++][1] = place[c % 4][1];
            }
            if (in[c % 4] == in[(c + 1) % 4]) continue;
            x[n][axis] = cut[c % 4];
            x[n++][!axis] = axis ? column : row;
        }
        for (unsigned v = 0; v < n; v++) twice += x[v][0] * x[(v + 1) % n][1] - x[(v + 1) % n][0] * x[v][1];
    }
    return surf_quanta(0.5 * twice);
}

#endif
