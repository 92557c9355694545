// SPDX-License-Identifier: MIT
// Counts the atoms of a group about molecules: the spatial distribution function. Each molecule has axes and an origin
// (bodies.h), to which the lattice is fixed, and each counts like a frame of its own.
//
// For a molecule with the origin o and the axes a_0, a_1, a_2, each atom j of the group that is not in this molecule,
// and each lattice image n (0 along directions that are not periodic), in float64, in this order, without contraction:
//     d   = (x_j - o) + ((n0 a + n1 b) + n2 c)                            by component
//     p_k = (d_x a_kx + d_y a_ky) + d_z a_kz                              k = 0, 1, 2
//     point i_k  iff  edge[i_k] <= p_k < edge[i_k + 1],   edge[i] = i * step_k + (origin_k - 0.5 * step_k)
// x are the stored float32 values, converted to float64 and multiplied by the frame's unit.
#ifndef DEN_DENSITY_BODIES_H
#define DEN_DENSITY_BODIES_H

#include "density_engine.h"

// The engines of jobs with bodies, as den_engines: `cpu` uses a grid and threads, `reference` tests each image of each
// atom. There is none for GPUs.
extern const struct trj_engine *const den_bodies_engines[];
// Fails with TRJ_USAGE for cuda, a name of den_engine_choices.
int den_bodies_check(const char *engine, struct trj_error *err);

#endif
