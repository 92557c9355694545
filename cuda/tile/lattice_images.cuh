// SPDX-License-Identifier: MIT
// The records of an atom on a lattice, as lib/tile/lattice_plan.h defines them, for kernels.
#ifndef CUDA_LATTICE_IMAGES_CUH
#define CUDA_LATTICE_IMAGES_CUH

#include "lattice_images.h"

// Returns the grid cell of a point along an axis.
static __device__ unsigned cell_along(const cuda_lattice_plan &p, int k, int point) {
    return (unsigned)min(max(point, 0), p.n[k] - 1) >> p.shift_of_cell;
}

// Returns the number of the grid cell of a point.
static __device__ unsigned cell_of(const cuda_lattice_plan &p, const int point[3]) {
    return cell_along(p, 0, point[0]) +
           p.cells[0] * (cell_along(p, 1, point[1]) + p.cells[1] * cell_along(p, 2, point[2]));
}

// Returns the nearest point along an axis.
static __device__ double nearest_point(const cuda_lattice_plan &p, int axis, double u, double position) {
    double point = floor(u + 0.5);
    if (!p.aligned || !(fabs(u - point) > 0.499999)) return point;
    if (position < point * p.step[axis] + p.border[axis]) return point - 1;
    return position >= (point + 1) * p.step[axis] + p.border[axis] ? point + 1 : point;
}

// Calls `take` with the point[3] and the offset[3] of each record of an atom at x, in Å, whose support contains points
// up to far[k] from the nearest one. The arithmetic is that of tile_lattice_plan_find.
template <typename Take>
static __device__ void for_images(const cuda_lattice_plan &p, const double x[3], const int far[3], Take take) {
    double d[3], u[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - p.origin[k];
    for (int k = 0; k < 3; k++) u[k] = (p.g[k][0] * d[0] + p.g[k][1] * d[1]) + p.g[k][2] * d[2];
    double first[3] = {0, 0, 0};
    unsigned count[3] = {1, 1, 1};
    for (int v = 0; v < 3; v++) {
        if (!(p.images >> v & 1)) continue;
        double centre = (p.fraction[v][0] * x[0] + p.fraction[v][1] * x[1]) + p.fraction[v][2] * x[2];
        double slack = 1e-12 * fabs(centre);
        first[v] = ceil(p.low[v] - centre - slack);
        double last = floor(p.high[v] - centre + slack);
        if (!(last >= first[v])) return;
        count[v] = (unsigned)(last - first[v]) + 1;
    }
    for (unsigned c = 0; c < count[2]; c++)
        for (unsigned b = 0; b < count[1]; b++)
            for (unsigned e = 0; e < count[0]; e++) {
                double n[3] = {first[0] + e, first[1] + b, first[2] + c};
                int point[3], low[3], high[3];
                float offset[3];
                bool reaches = true;
                for (int k = 0; k < 3; k++) {
                    double coordinate = u[k], position = x[k], whole, length = p.n[k];
                    if (p.images) {
                        coordinate += (n[0] * p.shift[0][k] + n[1] * p.shift[1][k]) + n[2] * p.shift[2][k];
                        position += (n[0] * p.h[0][k] + n[1] * p.h[1][k]) + n[2] * p.h[2][k];
                    }
                    reaches = reaches && fabs(coordinate) < 0x1p62; // excludes images that are too far away
                    whole = nearest_point(p, k, coordinate, position);
                    offset[k] = (float)(coordinate - whole);
                    low[k] = high[k] = 0;
                    if (p.wrapped >> k & 1) {
                        if (!(whole >= 0 && whole < length)) whole -= length * floor(whole / length);
                        if (whole < 0) whole += length;
                        if (whole >= length) whole -= length;
                        low[k] = -(int)(((long long)whole + far[k]) / p.n[k]);
                        high[k] = (int)((p.n[k] - 1 + far[k] - (long long)whole) / p.n[k]);
                    } else if (!(whole >= -far[k] && whole <= length - 1 + far[k])) {
                        reaches = false;
                    }
                    point[k] = (int)whole;
                }
                if (!reaches) continue;
                for (int z = low[2]; z <= high[2]; z++)
                    for (int y = low[1]; y <= high[1]; y++)
                        for (int w = low[0]; w <= high[0]; w++) {
                            const int index[3] = {point[0] + w * p.n[0], point[1] + y * p.n[1], point[2] + z * p.n[2]};
                            take(index, offset);
                        }
            }
}

#endif
