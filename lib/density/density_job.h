// SPDX-License-Identifier: MIT
// Defines a density map, the job of an engine: a sum over the atoms of a group, their images and frames, at the points
// of a lattice. All contributions are integer multiples of a quantum that follows from the set-up alone, so that the
// sum does not depend on the order of addition.
//
// Atom images, their nearest points p and offsets are those of lib/tile/lattice_plan.h. Let d_k = (i_k - p_k) -
// (double)offset_k for a point i, and W = round(weight * scale / quantum), to the nearest integer, ties to even. The
// contributions in units of the quantum, computed in float64 without contraction, are:
//     count  W to the point p: point i gets the atoms in its half-open voxel, -1/2 <= index - i < 1/2. In an
//            aligned lattice, this is the bin of numpy.histogramdd with the edges
//            numpy.arange(n + 1) * s + (o - 0.5 * s)
//     cic    round(W ((1 - |d_0|) (1 - |d_1|)) (1 - |d_2|)) to each point with |d_k| < 1 for all k
//            (cloud in cell: R. W. Hockney, J. W. Eastwood, Computer Simulation Using Particles, McGraw-Hill 1981)
//     ball   W to each point with (v_0 v_0 + v_1 v_1) + v_2 v_2 <= radius radius, where
//            v_c = (d_0 s_0c + d_1 s_1c) + d_2 s_2c with the steps s of the lattice
//     gauss  as lib/density/gauss.h states
// `scale` is 1 for count and cic, and 3 / (4 pi radius^3) for ball.
#ifndef DEN_DENSITY_JOB_H
#define DEN_DENSITY_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bodies.h"
#include "error.h"
#include "frame.h"
#include "gauss.h"
#include "group.h"
#include "map_lattice.h"

enum den_kernel { DEN_COUNT, DEN_CIC, DEN_BALL, DEN_GAUSS, DEN_KERNELS };

struct den_job {
    enum den_kernel kernel;
    size_t atoms; // in every frame
    const struct trj_group *group;
    const float *weight;             // [group->count]; NULL: 1
    const uint16_t *kind;            // [group->count] kinds of gauss; NULL: 0
    struct den_gauss_setup gauss;    // `bound` applies to the weights of all kernels; the rest is for kernel gauss
    double radius;                   // Å, for kernel ball
    double quantum;                  // of the result, from den_job_quantum
    double error_bound;              // of the result of one frame, from den_job_bound; 0: exact
    double max_images, max_relative; // limits for the cells of frames, within which error_bound holds
    // If `fractional`, the lattice divides the cell of each frame, with the origin 0, and only `n` of `lattice` is
    // used.
    bool fractional;
    struct trj_map_lattice lattice;
    struct trj_map_slab slab;  // the values are those of these planes (only engines with `slabs`, work/map_engine.h)
    struct trj_bodies *bodies; // molecules to which the lattice is fixed (density_bodies.h); NULL: it is fixed in space
};

// Sets job->quantum. For gauss it is den_gauss_quantum; for count without weights it is 1; otherwise it is 2^(e - 30),
// where 2^e is the smallest power of two that is not less than bound * scale. Fails with TRJ_BAD_DATA for an invalid
// set-up, or for a weight above the bound; the message then gives the atom.
#define DEN_UNITS_MAX ((int64_t)1 << 30) // largest |W|
int den_job_quantum(struct den_job *job, struct trj_error *err);
// Sets job->error_bound for Gaussians from the cell of the first frame. No value of a frame differs by more than this
// from the sum over atom images of weight * peak * exp(-r^2 / (2 sigma^2)), which is 0 beyond the cutoff (gauss.h). The
// bound is
//     images * (sum of |A| * max(relative error, exp(-cutoff^2 / 2)) + atoms * quantum / 2),
// where `images` bounds the number of images of an atom whose supports contain the same point. If rounding moves a
// point across the border of a support, the error of the contribution is at most exp(-cutoff^2 / 2) |A|. The relative
// error includes that of the position: 2^-25 steps, of which the rounding of float64 is less than half up to 10^6 steps
// from the lattice, times the largest slope of a Gaussian, 0.61 / sigma. If the cell may change, the bound also holds
// for cells in any orientation whose vectors are shorter by a factor of up to 1.5. Fails with TRJ_BAD_DATA if the bound
// is not finite.
int den_job_bound(struct den_job *job, const struct trj_cell *first, struct trj_error *err);
// Returns the scale of the weights of count, cic and ball.
double den_job_scale(const struct den_job *job);
// Returns W of count, cic and ball for a weight within the bound: an integer with |W| <= DEN_UNITS_MAX.
double den_job_units(const struct den_job *job, double weight);
// Returns x rounded to the nearest integer, ties to even. |x| must be at most 2^51.
static inline double den_round_even(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

// Returns the number of values: that of the points of the lattice, or of its slab.
uint64_t den_job_points(const struct den_job *job);
// Sets *l to the lattice of a frame. Fails with TRJ_BAD_DATA if the frame has no cell that the points can divide.
int den_job_lattice(const struct den_job *job, const struct trj_frame *f, struct trj_map_lattice *l,
                    struct trj_error *err);
// Checks what every engine requires of a frame: its number of atoms, finite coordinates of at most TRJ_FARTHEST, and
// its lattice; and that error_bound holds. Fails with TRJ_BAD_DATA.
int den_job_check_frame(const struct den_job *job, const struct trj_frame *f, struct trj_error *err);

// The members of the group in one frame. To be zeroed before the first use; its arrays are reused.
struct den_members {
    struct den_gauss_atoms atoms; // for the engines; the arrays belong to the job or to this struct
    uint32_t *list;
    float *weight;
    uint16_t *kind;
    size_t capacity;
};
// Sets m->atoms to the members of the group in frame f, with their weights and kinds.
int den_members_of(struct den_members *m, const struct den_job *job, const struct trj_frame *f, struct trj_error *err);
void den_members_free(struct den_members *m);

// Sets the reach of the records of count, cic and ball, for tile_lattice_plan_start.
void den_job_reach(const struct den_job *job, const struct trj_map_lattice *l, float reach[3]);
// Adds the contributions of count, cic and ball of a frame to the points low <= i_2 < high, which are values[high -
// low][n[1]][n[0]]. All chunks of `plan` must have been found (tile_lattice_plan_find), with the weights as values
// and the reach from den_job_reach. Fails as tile_lattice_plan_found, and with TRJ_BAD_DATA before a sum exceeds int64;
// the message gives the point.
int den_scatter(const struct den_job *job, const struct trj_map_lattice *l, const struct tile_lattice_plan *plan,
                uint64_t low, uint64_t high, int64_t *values, struct trj_error *err);
// Does the same for count, from number[atoms->count], the numbers of the points of the atoms (tile_lattice_points).
int den_count(const struct den_job *job, const struct trj_map_lattice *l, const struct tile_lattice_atoms *atoms,
              const uint64_t *number, uint64_t low, uint64_t high, int64_t *values, struct trj_error *err);

#endif
