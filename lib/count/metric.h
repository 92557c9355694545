// SPDX-License-Identifier: MIT
// Defines the coordinates by which the vector d from an atom of A to an image of an atom of B is counted. By default
// this is its length. w is a Cartesian axis, u and v are the other two in ascending order, d is that of the rule of
// job.h, and each operation is in float64, in this order, without contraction.
//
//   distance  first coordinate   r2 = (dx*dx + dy*dy) + dz*dz
//   plane     first coordinate   r2 = d_u*d_u + d_v*d_v, the lateral distance
//             second coordinate  |d_w|: bin q  iff  e[q]^2 <= d_w*d_w < e[q+1]^2,  e[q] = q * (window / second)
//             Pairs with |d_w| >= window do not count.
//   angle     first coordinate   r2 as of the distance
//             second coordinate  the cosine of the angle between d and the axis w: bin q is the last one with
//                                c[q]*|c[q]| * r2 <= d_w*|d_w|,  c[q] = q * (2 / second) - 1,  or 0 if there is none
//   body      as the angle, with d_w = (dx*ux + dy*uy) + dz*uz, where u is the axis w of the molecule that contains the
//             atom of A (bodies.h), rounded to float32
//   axis      first coordinate   r2 = d_w*d_w; the other two components are ignored
//
// A plane with an infinite window, and an axis, are counted in a projection: rdf_metric_project sets the components
// that are ignored to 0, and removes the periodicity along them, so that each pair has one image along them and the
// first coordinate is the distance. Engines receive projected frames, and count distances (rdf_metric_counts_distance).
// Whether a vector of the cell is in the plane or along w is decided, and frames are projected, after components of at
// most 1e-6 of the length of the vector, which are rounding errors, have become 0.
//
// In the plane, expected numbers of pairs follow from the pairs within the window, which rdf_metric_density counts in
// each frame: with W pairs of atoms and images along w with |d_w| < window (any number without a window), and the area
// A of the cell, uniformly distributed atoms have W/A * pi (r_hi^2 - r_lo^2) pairs in a bin, whatever the profile of
// the density along w is. W/A is W of one cell, because the vectors of the cell within the plane do not change d_w. If
// they do (in a cell whose vectors are not in the plane), heights are uniform, and W/A is the number of pairs of the
// groups times 2 window / V. For an axis it is the number of pairs over the length of the cell along w, and a bin has
// the width 2 (r_hi - r_lo), because d_w has two signs.
#ifndef RDF_METRIC_H
#define RDF_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "frame.h"
#include "group.h"

enum rdf_metric_kind {
    RDF_METRIC_DISTANCE,
    RDF_METRIC_PLANE,
    RDF_METRIC_AXIS,
    RDF_METRIC_ANGLE,
    RDF_METRIC_BODY,
    RDF_METRICS
};

#define RDF_MAX_WINDOW 1e8 // Å

// A zeroed struct is the distance.
struct rdf_metric {
    enum rdf_metric_kind kind;
    unsigned axis;   // w: 0, 1 or 2; 0 for the distance
    double window;   // Å, above 0, at most RDF_MAX_WINDOW; INFINITY: all heights; 0 for the other metrics
    uint64_t second; // bins of the second coordinate; 0 and 1: it has one bin
};

// Names of the metrics that have no second coordinate, as of an option: "xyz", "xy", "xz", "yz", "x", "y", "z".
bool rdf_metric_parse(struct rdf_metric *m, const char *name);
// Reads an axis and a number above 0, as "z:20".
bool rdf_metric_parse_axis(const char *text, unsigned *axis, uint64_t *number);
// Writes the metric as text, for messages and tables: "distance", "lateral distance in the plane xy".
enum { RDF_METRIC_TEXT = 120 };
const char *rdf_metric_text(char text[RDF_METRIC_TEXT], const struct rdf_metric *m);

// Fails with TRJ_USAGE if a member is out of range.
int rdf_metric_check(const struct rdf_metric *m, struct trj_error *err);

static inline uint64_t rdf_metric_second(const struct rdf_metric *m) {
    return m->second > 1 ? m->second : 1;
}
// Returns whether engines count the length of d, in projected frames or of the distance itself.
static inline bool rdf_metric_counts_distance(const struct rdf_metric *m) {
    return m->kind == RDF_METRIC_DISTANCE || m->kind == RDF_METRIC_AXIS ||
           (m->kind == RDF_METRIC_PLANE && m->window > 1e300);
}
// Returns whether the second coordinate is a cosine, so that a pair of atoms counts in both orders.
static inline bool rdf_metric_is_angle(const struct rdf_metric *m) {
    return m->kind == RDF_METRIC_ANGLE || m->kind == RDF_METRIC_BODY;
}
// Returns d_w of a vector d from atom i. With bodies, a frame of N atoms has 2 N places: place N + i contains the axis
// u of atom i.
static inline double rdf_metric_along(const struct rdf_metric *m, const struct trj_frame *f, size_t i,
                                      const double d[3]) {
    if (m->kind != RDF_METRIC_BODY) return d[m->axis];
    i += f->atoms / 2;
    return (d[0] * (double)f->x[0][i] + d[1] * (double)f->x[1][i]) + d[2] * (double)f->x[2][i];
}
// Returns whether records contain the densities of rdf_metric_density: for an axis, and for a plane without a second
// coordinate.
static inline bool rdf_metric_has_density(const struct rdf_metric *m) {
    return m->kind == RDF_METRIC_AXIS || (m->kind == RDF_METRIC_PLANE && m->second <= 1);
}

// Edges of the second coordinate, and the edge before which no pair counts.
double rdf_metric_edge(const struct rdf_metric *m, uint64_t q); // Å or a cosine; q in [0, second]
// Returns what the rule compares with for edge q: e^2 or c|c|.
double rdf_metric_bound(const struct rdf_metric *m, uint64_t q);

// Fails with TRJ_BAD_DATA if the metric is not defined in the cell: in a projection along w, if a periodic vector has
// components both along w and across it; for an axis also without a cell.
int rdf_metric_check_cell(const struct rdf_metric *m, const struct trj_cell *cell, struct trj_error *err);
// Returns whether rdf_metric_density takes heights as uniform in the cell.
bool rdf_metric_takes_uniform(const struct rdf_metric *m, const struct trj_cell *cell);
// Returns whether frames are projected.
bool rdf_metric_projects(const struct rdf_metric *m);
// Project a cell that rdf_metric_check_cell accepts, or a frame with such a cell. Do nothing for other metrics.
void rdf_metric_project_cell(const struct rdf_metric *m, struct trj_cell *cell);
void rdf_metric_project(const struct rdf_metric *m, struct trj_frame *f);

// The heights of the members of groups, sorted, from which rdf_metric_density counts pairs. Zeroed when new.
struct rdf_heights {
    size_t count, capacity;
    double *sorted; // Å
    size_t other_count, other_capacity;
    double *other;
};
void rdf_heights_free(struct rdf_heights *h); // not h itself

// Computes W/A (Å^-2), or for an axis the number of pairs over the length (Å^-1), of two groups of a frame that is not
// projected; `pairs` is their number of pairs of different atoms, and of a group with itself each pair counts once.
// *defined becomes false, and *density 0, if the plane of the cell has no area (the frame is not periodic along two
// vectors), or the axis no length.
int rdf_metric_density(double *density, const struct rdf_metric *m, const struct trj_group *a,
                       const struct trj_group *b, double pairs, const struct trj_frame *f, struct rdf_heights *h,
                       bool *defined, struct trj_error *err);

#endif
