// SPDX-License-Identifier: MIT
// A record of a histogram stream: the counts of some frames, and properties of these frames.
#ifndef RDF_HIST_RECORD_H
#define RDF_HIST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "exact_sum.h"
#include "frame.h"
#include "frame_runs.h"
#include "hist_setup.h"
#include "job.h"

// Exact sums over the frames of a record for a pair of groups, at least one of which is dynamic. P is the number of
// pairs of different atoms (as rdf_pair.pairs); N is the product of the sizes of the groups, or half of it if pairs of
// a group with itself are unordered.
struct rdf_pair_sums {
    struct trj_exact_sum pairs, product; // of P, of N
    // of P/V and N/V, each rounded once, over the volume frames only, Å^-3
    struct trj_exact_sum pair_density, product_density;
    struct trj_exact_sum excluded, excluded_density; // of the excluded pairs among P; 0 without exclusion
};

__extension__ typedef __int128 rdf_wide;
__extension__ typedef unsigned __int128 rdf_unsigned_wide;
// Adds modulo 2^128.
static inline void rdf_wide_add(rdf_wide *to, rdf_wide x) {
    rdf_unsigned_wide sum = (rdf_unsigned_wide)x;
    sum += (rdf_unsigned_wide)to[0];
    *to = (rdf_wide)sum;
}
// Units of sums of waves: of products of amplitudes, and of lengths of wave vectors (1/Å).
#define RDF_WAVE_QUANTUM 0x1p-24
#define RDF_Q_QUANTUM    0x1p-40

struct rdf_record {
    uint64_t frames;
    uint64_t volume_frames;                      // frames with a cell volume
    struct trj_exact_sum volume, inverse_volume; // exact sums over the volume frames, Å^3 and Å^-3
    double volume_min, volume_max;               // over the volume frames; 0: none
    uint32_t periodic_all, periodic_any;         // TRJ_PERIODIC_ bits that all frames have, and that any frame has
    // Å: thickness along the direction that is not periodic, over frames periodic along the other two; 0: none
    double height_min, height_max;
    // Å: distances between opposite faces of the cell (across a, b, c), over the volume frames; 0: none, or unknown
    double spacing_min[3], spacing_max[3];
    double first_time, last_time; // ps: smallest and largest time of the frames; NaN: some time is unknown
    size_t run_count;
    struct trj_frame_run *runs;
    uint64_t *counts;   // [pair_count][bins.count]
    uint64_t *excluded; // [pair_count][bins.count] counts of excluded pairs; NULL without exclusion
    // Only with numbers of neighbours (neighbour_count.h):
    uint64_t *neighbours; // [pair_count][rdf_neighbour_row] atoms of A by their number of neighbours, then sums
    uint64_t transitions; // pairs of consecutive frames whose neighbours were compared; the later one is in the record
    struct trj_exact_sum transition_time; // ps between these frames; 0: unknown
    // Only with triplets (triplet.h):
    uint64_t *triplets; // [triplets.count][angles][distances]
    // [triplets.count] sum over the volume frames of the number of triplets of three different atoms over V^2, Å^-6
    struct trj_exact_sum *triplet_density;
    // Only with distances from surfaces (surface_search.h):
    uint64_t *surface;        // [pair_count][rdf_setup_surface_row] numbers of objects and pairs, counts of bins
    rdf_wide *surface_points; // [pair_count][bins.count] of points, times the pairs of their object
    // Only with waves (waves/wave_count.h), by lag and shell: [lag_count][shells], rows are rdf_setup_wave_row long.
    uint64_t *wave_vectors;  // number of vectors, one of each pair k and -k, summed over the frames
    rdf_wide *wave_lengths;  // sum of their lengths, in RDF_Q_QUANTUM
    rdf_wide *wave_products; // [pair_count] rows: sums of Re(rho_A(k) rho_B(k)*), in RDF_WAVE_QUANTUM
    // NULL without dynamic groups:
    uint64_t *group_atoms;           // [group_count] number of atoms, summed over the frames
    struct rdf_pair_sums *pair_sums; // [pair_count]
    // Only with a lag; `frames` and `runs` are then those of the earlier frames:
    uint64_t *moved; // [pair_count][bins.count] displacements of atoms in both groups
    uint64_t *own;   // [pair_count] number of these atoms, summed over the frames
    double step;     // largest displacement between consecutive frames along a cell vector, as a fraction of the cell
    // Only with a metric that has densities (rdf_metric_density):
    uint64_t density_frames;         // frames that have one
    struct trj_exact_sum *densities; // [pair_count] exact sums over these frames
};
// Above this step, close to half of the cell, the nearest image may be the wrong one. If of a million diffusing atoms
// one moves by half of the cell, several move this far.
#define RDF_MAX_STEP 0.45

// Adds the properties of a frame to the record, without counts. Fails with TRJ_BAD_DATA if the volume is out of the
// range of exact_sum.h.
int rdf_record_add_frame(struct rdf_record *r, const struct trj_frame *f, struct trj_error *err);
// Adds the number of pairs in the frame if a group is dynamic. Groups and pairs are those of the job, the first groups
// of which are those of the set-up; `own` [pair_count] pairs are an atom and itself (NULL: none).
int rdf_record_add_groups(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                          const uint64_t *own, const struct trj_frame *f, struct trj_error *err);
// Adds the densities of a frame, which is not projected, for the metric of the set-up. `heights` is work space.
int rdf_record_add_densities(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                             const struct trj_frame *f, struct rdf_heights *heights, struct trj_error *err);
// Allocates the zeroed members for neighbours and triplets, if the set-up has them.
int rdf_record_open_neighbours(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err);
int rdf_record_open_waves(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err);   // for waves
int rdf_record_open_surface(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err); // for surfaces
// Adds the number of excluded pairs [pair_count] in the frame, for dynamic groups. Call it after rdf_record_add_groups.
void rdf_record_add_excluded(struct rdf_record *r, const struct rdf_setup *s, const uint64_t *pairs,
                             const struct trj_frame *f);
// Allocates the zeroed members for dynamic groups.
int rdf_record_open_sums(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err);
// Returns a copy without the members that must be freed: without runs, and without data of groups, pairs and bins.
struct rdf_record rdf_record_without_arrays(const struct rdf_record *r);
// Adds the members that rdf_record_without_arrays copies. If the spacing of one record is unknown, so is the spacing of
// the sum.
void rdf_record_merge(struct rdf_record *to, const struct rdf_record *from);
// Adds to `to` the counts and the sums of groups and pairs of `from`, a record of the same set-up, if both contain
// them. Frame ranges are not added: see rdf_record_append_runs.
void rdf_record_add(struct rdf_record *to, const struct rdf_setup *s, const struct rdf_record *from);
// Appends the frame ranges of `from`, whose frames are later, with the same result as adding its frames one by one.
int rdf_record_append_runs(struct rdf_record *to, const struct rdf_record *from, struct trj_error *err);
void rdf_pair_sums_merge(struct rdf_pair_sums *to, const struct rdf_pair_sums *from);
// Returns whether these heights are equal within rounding.
bool rdf_same_height(double low, double high);
void rdf_record_free(struct rdf_record *r); // not r itself

#endif
