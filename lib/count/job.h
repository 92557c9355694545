// SPDX-License-Identifier: MIT
// Defines what is counted, the job of an engine: bins, groups and pairs of groups. The rule is:
//
// For groups A and B of a frame, atoms i in A and j in B with i != j, and a lattice image n (three integers, 0 along
// directions that are not periodic):
//     d  = (x_j - x_i) + ((n0 a + n1 b) + n2 c)         float64, in this order, by component, no contraction
//     r2 = (dx*dx + dy*dy) + dz*dz
//     bin k  iff  edge[k]^2 <= r2 < edge[k+1]^2,        edge[k] = rmin + k * ((rmax - rmin) / bins)
// x are the stored float32 values, converted to float64 and multiplied by the frame's unit. If A and B are the same
// group, each unordered pair counts once; otherwise every ordered pair counts, also if the groups overlap. An atom and
// its own images never count here (own_images.h adds them, if they are requested).
//
// With a metric (metric.h), r2 is its first coordinate, and there may be a second one, whose bins q are counted
// separately: the pair is in cell q * bins + k. With an angle, a group with itself counts every ordered pair, because d
// and -d have different angles.
#ifndef RDF_JOB_H
#define RDF_JOB_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "metric.h"

enum { RDF_MAX_BINS = 10000000 };
#define RDF_MAX_COORDINATE                                                                                             \
    1e8 // Å: largest coordinate; larger values indicate damage. The limit bounds the rounding errors of the rule
#define RDF_MIN_RMAX  1e-10 // Å: smallest rmax, far above the underflow of squares in float32
#define RDF_MAX_CELLS 1e4   // rmax over cell width: engines store image numbers in 16 bits
// Maximum number of atoms, with their images, within rmax along all periodic vectors around one atom, if rmax exceeds
// the width of the cell. A liquid of 0.1 atoms per cubic Å reaches it at 860 Å. More atoms mean a wrong cell or unit,
// and counting would take too long. It is also the maximum number of images that are searched for one pair of atoms.
#define RDF_MAX_IMAGES      0x1p28
#define RDF_MAX_CELL_OFFSET 1e8 // coordinates over cell width: image numbers are ints

struct rdf_bins {
    double rmin, rmax; // Å
    uint64_t count;
    struct rdf_metric metric;
};

// Returns the number of cells, each of which has a count: bins of the first times bins of the second coordinate.
static inline uint64_t rdf_bins_cells(const struct rdf_bins *b) {
    return b->count * rdf_metric_second(&b->metric);
}

// Fails with TRJ_USAGE unless 0 <= rmin < rmax, RDF_MIN_RMAX <= rmax <= RDF_MAX_COORDINATE, there are 1 to RDF_MAX_BINS
// cells, and all edges differ.
int rdf_bins_check(const struct rdf_bins *b, struct trj_error *err);
// Chooses bins whose edges are short decimal numbers, for users who give no number of bins. rmin is kept, bins are
// 0.05 Å wide, and rmax = rmin + n * width is the last edge that does not exceed `limit` (Å). If n is less than
// RDF_MIN_BINS, the width is the largest of 0.02, 0.01, 0.005 ... Å for which n is at least RDF_MIN_BINS. If n exceeds
// RDF_MAX_BINS, the width is the smallest of 0.5, 5, 50 ... Å for which n is at most RDF_MAX_BINS. With `exact`, rmax
// is the limit: if it is not such an edge, there is one bin more, and all are slightly narrower. rdf_bins_check then
// rejects bins out of range.
enum { RDF_MIN_BINS = 100 };
void rdf_bins_choose(struct rdf_bins *b, double limit, bool exact);
double rdf_bins_edge(const struct rdf_bins *b, uint64_t k); // returns edge[k] (Å), k in [0, count]
// Returns an upper bound on the length of d (Å) for pairs that count.
static inline double rdf_bins_reach(const struct rdf_bins *b) {
    if (rdf_metric_counts_distance(&b->metric) || b->metric.kind != RDF_METRIC_PLANE) return b->rmax;
    double window = b->metric.window;
    return sqrt(b->rmax * b->rmax + window * window) * (1 + 1e-15);
}

// Returns the squared edges [count + 1], followed by the bounds of the second coordinate [second + 1] if it has one;
// the caller frees them with free().
double *rdf_bins_squares(const struct rdf_bins *b, struct trj_error *err);

// Returns the bin of a squared distance by the rule; bins->count if there is none. `squares` as above.
uint64_t rdf_bin_of(const struct rdf_bins *b, const double *squares, double r2);
// As rdf_bin_of, but starts at an estimate that is less than b->count and at most a few bins off; the squared edges
// decide.
static inline uint64_t rdf_bin_by(const struct rdf_bins *b, const double *squares, double r2, uint64_t guess) {
    if (!(r2 >= squares[0] && r2 < squares[b->count])) return b->count;
    while (r2 < squares[guess]) guess--;
    while (r2 >= squares[guess + 1]) guess++;
    return guess;
}

// Returns the cell of d by the rule; the number of cells if there is none. `squares` as above, `along` from
// rdf_metric_along.
uint64_t rdf_cell_of(const struct rdf_bins *b, const double *squares, const double d[3], double along);

struct rdf_pair {
    uint32_t a, b;  // groups; a == b: the group with itself
    uint64_t pairs; // N(N-1)/2, or N_A N_B - |A and B|; all atoms listed in a dynamic group count
};

struct rdf_job {
    struct rdf_bins bins;
    size_t atoms; // in every frame; with bodies the number of places (metric.h)
    size_t group_count, pair_count;
    const struct trj_group *groups;
    const struct rdf_pair *pairs;
    const struct trj_frame *sample; // typical frame, from which an engine chooses sizes when it is opened; may be NULL
    unsigned threads;               // 0: as many as there are processors
    const char *devices;            // "0,2": the GPUs to use; NULL: all
    bool cpu_may_finish;            // the CPU may repeat the work of GPUs that failed
    // Reports a note; an engine calls it with note_arg in the thread that calls the engine. May be NULL.
    void (*note)(void *arg, const char *text);
    void *note_arg;
    // Returns the share of the input that has been read, 0 to 1, NAN if its size is unknown. An engine calls it with
    // share_arg in the thread that calls the engine, to estimate the time that is left. May be NULL.
    double (*share_read)(void *arg);
    void *share_arg;
    // Called with the counts [pairs][bins] of frames that rdf_engine.end_record ended with this tag; it adds them. An
    // engine calls it with deliver_arg in the thread that calls the engine, and keeps ownership of the counts. Unused
    // without end_record.
    void (*deliver)(void *arg, uint64_t tag, const uint64_t *counts);
    void *deliver_arg;
};

// Sets p->pairs. Fails with TRJ_BAD_DATA if the groups contain no pair of different atoms.
int rdf_pair_number(struct rdf_pair *p, const struct trj_group *groups, struct trj_error *err);
// Returns the number of pairs in a frame; it differs from p->pairs only for dynamic groups.
uint64_t rdf_pairs_in(const struct rdf_pair *p, const struct trj_group *groups, const struct trj_frame *f);

// Checks what every engine requires of a frame: its number of atoms, coordinates and cell vectors of at most
// RDF_MAX_COORDINATE, and an rmax within RDF_MAX_IMAGES and RDF_MAX_CELLS. Fails with TRJ_BAD_DATA.
int rdf_job_check_frame(const struct rdf_job *job, const struct trj_frame *f, struct trj_error *err);

// Returns a bound (Å) on the rounding error of the rule's float64 arithmetic in this frame, including positions wrapped
// into the cell. An engine that computes in another way must resolve distances that are nearer to an edge by the rule.
// The bound is 128 * 2^-53 of the largest term of a sum: coordinates, rmax, and lattice vectors n_k h_k, which in a
// skewed cell can be longer than their sum by a factor of up to |g_k| |h_k|.
double rdf_job_rounding(const struct rdf_job *job, const struct trj_frame *f);
// Sets the terms of this bound for engines that find the largest absolute coordinate c (Å) themselves: it is
// max(*min, *each * c).
void rdf_job_rounding_terms(const struct rdf_job *job, const struct trj_cell *cell, double *min, double *each);

// Returns whether a pair consists of two copies of one list (rdf_measurement_order), and its second coordinate is an
// angle with a Cartesian axis. Every pair of atoms then counts in both orders, with displacements d and -d, which the
// rule computes with equal r2 and opposite d_w: an engine may find both cells at once, as those of a group with itself.
// rdf_job_subtract_self_images does nothing for these pairs.
bool rdf_job_is_mirrored(const struct rdf_job *job, size_t pair);
// Returns the group that an engine takes as the second one of a pair: of a mirrored pair the first group.
uint32_t rdf_job_second_group(const struct rdf_job *job, size_t pair);

// Estimates the number of distances that an engine computes for a frame like job->sample: the pairs of tiles within
// rmax. Engines use it to choose sizes.
double rdf_job_pairs_near(const struct rdf_job *job);

// Counts all images of atoms i and j by the rule, and returns the number of images that were tested. `reach` is rmax
// plus rdf_job_rounding, g is from trj_cell_reciprocal, `squares` from rdf_bins_squares.
uint64_t rdf_count_images(const struct rdf_bins *bins, const double *squares, const struct trj_frame *f,
                          const double g[3][3], double reach, uint32_t i, uint32_t j, uint64_t *counts);

// Properties of a frame for rdf_count_pair.
struct rdf_lattice {
    double g[3][3], reach; // as for rdf_count_images
    double alone;          // squared distance (Å^2) up to which no other image can be within reach
};
void rdf_lattice_of(struct rdf_lattice *l, const struct rdf_job *job, const struct trj_frame *f);
// As rdf_count_images, but fast if only one image is within reach. `from` is the position of atom i (Å).
void rdf_count_pair(const struct rdf_bins *bins, const double *squares, const struct trj_frame *f,
                    const struct rdf_lattice *l, uint32_t i, const double from[3], uint32_t j, uint64_t *counts);

// Subtracts (modulo 2^64) the counts of atoms with their own images, for engines that include these for two overlapping
// groups. By the rule d = (x - x) + n . H, equal for all atoms. `counts` holds one number for each cell, and one more
// that counts pairs in no cell. `squares` is from rdf_bins_squares.
void rdf_job_subtract_self_images(const struct rdf_job *job, size_t pair, const struct trj_frame *f,
                                  const double *squares, uint64_t *counts);

// Finds the range low[k] <= n_k <= high[k] of all images n for which d + n . H can be within `reach` of the origin.
// extent[k] widens the range, in units of the cell. `reach` is rmax plus rdf_job_rounding, g is from
// trj_cell_reciprocal.
void rdf_image_range(const double g[3][3], const double d[3], double reach, const double extent[3], int low[3],
                     int high[3]);

// Sets d of the rule.
static inline void rdf_displacement(double d[3], const double h[3][3], const double from[3], const double to[3],
                                    const int n[3]) {
    for (int k = 0; k < 3; k++) d[k] = (to[k] - from[k]) + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
}
// Returns r2 of the rule, without a metric.
static inline double rdf_r2(const double h[3][3], const double from[3], const double to[3], const int n[3]) {
    double d[3];
    rdf_displacement(d, h, from, to, n);
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

static inline void rdf_position(const struct trj_frame *f, uint32_t atom, double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = (double)f->x[k][atom] * f->unit;
}

#endif
