// SPDX-License-Identifier: MIT
// Plans which atoms contribute to which points of a lattice (map_lattice.h), in any cell. An atom image that reaches
// the lattice becomes a record: its nearest point and its offset from that point. What an atom contributes to a point
// must be a function of the record and the point alone; then the result does not depend on the order of the records,
// on the partition of the lattice, or on threads.
//
// The arithmetic of a record is float64 without contraction, in this order. Let x be the position of the atom in Å
// (the stored float32, converted, times the unit of the frame), o the origin of the lattice, and g the rows of
// trj_map_lattice_inverse:
//     d_c = x_c - o_c,    u_k = (g_k0 d_0 + g_k1 d_1) + g_k2 d_2     (index along axis k, a real number)
// Periodic vectors h_v of the cell along which the lattice is not periodic give images. With integers n_v, which are 0
// for the other vectors:
//     t_vk = (g_k0 h_v0 + g_k1 h_v1) + g_k2 h_v2,    u_k + ((n_0 t_0k + n_1 t_1k) + n_2 t_2k) replaces u_k
// Then, along each axis,
//     p = floor(u + 0.5),    offset = (float)(u - p),    |offset| <= 1/2
// In an aligned lattice, the borders between two points are rounded as those of numpy.linspace, so that histograms of
// NumPy have the same bins: if |u - p| > 0.499999, with s = step_kk, the border b(i) = i s + (o_k - 0.5 s) and the
// position y = x_k (for images, x_k + ((n_0 h_0k + n_1 h_1k) + n_2 h_2k)), p - 1 replaces p if y < b(p), and p + 1 if y
// >= b(p + 1). Along a periodic axis of the lattice, p - n floor(p / n) replaces p (plus or minus n, if the division
// was rounded across an integer), and p + j n gives an image for each integer j.
//
// The support of a kind of atom is given as `reach`, a float32 for each axis. Point i is in the support if
//     |(float)(i - p) - offset| <= reach     (one float32 subtraction)
// along every axis. i - p is then at most floor(reach + 1/2) in magnitude. A record is kept if, along each axis, at
// least one point i within that limit is a point of the lattice.
//
// Records are sorted by the grid cells of their points (a counting sort), so that the records that reach a box of
// points are in a few ranges of consecutive records (tile_lattice_walk_next). These ranges also contain some records
// that do not reach the box.
//
// A plan is made in steps, which threads can share: tile_lattice_plan_start; tile_lattice_plan_find for each chunk of
// atoms; tile_lattice_plan_sort; tile_lattice_plan_place for each chunk.
#ifndef TILE_LATTICE_PLAN_H
#define TILE_LATTICE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "map_lattice.h"

struct tile_lattice_record {
    int32_t point[3]; // nearest point; outside the lattice for some images
    float offset[3];  // position minus that point, in index coordinates
    float value;      // of the atom, such as its weight
    uint32_t kind;    // of the atom; of numbered atoms, its index in the list
};

// The atoms of a frame, and what their records contain. (Records contain the value of an atom instead of its number,
// because looking up the values of 955,000 atoms in random order took a third of the time of computing their density.)
struct tile_lattice_atoms {
    const struct trj_frame *frame; // its cell must have passed trj_cell_restrict
    const uint32_t *list;          // [count] numbers of atoms in the frame; NULL: 0, 1, 2, ...
    size_t count;                  // at most UINT32_MAX
    const float *value;            // [count], such as a weight; NULL: 0
    const uint16_t *kind;          // [count], less than `kinds`; NULL: 0
    unsigned kinds;
    const float (*reach)[3]; // [kinds] in steps along each axis, 0 to TILE_LATTICE_REACH_MAX
    // [count] Å, finite and at most TRJ_FARTHEST: replace the coordinates of the frame, of which only the cell is then
    // used; the list must be NULL. NULL: the coordinates of the frame are used.
    const double (*position)[3];
    bool numbered; // `kind` of a record is the index of its atom in the list, for callers with more data per atom
    struct trj_map_slab slab; // the walk will visit only boxes within it: other records may be left out
};
// Fails with TRJ_BAD_DATA for an atom that is not finite or beyond TRJ_FARTHEST.
int tile_lattice_check_atoms(const struct tile_lattice_atoms *a, struct trj_error *err);
#define TILE_LATTICE_REACH_MAX  (1 << 20)
#define TILE_LATTICE_POINTS_MAX (1 << 30) // along an axis

struct tile_lattice_chunk; // records of a chunk of atoms

struct tile_lattice_plan {
    // The result, after all steps:
    size_t records;
    struct tile_lattice_record *record; // [records], sorted by grid cells
    // Members that the steps use:
    const struct tile_lattice_atoms *atoms;
    int64_t n[3];              // points
    int32_t farthest[3];       // largest floor(reach + 1/2)
    unsigned wrapped, images;  // TRJ_PERIODIC_ bits: periodic axes of the lattice; vectors whose n_v may differ from 0
    double origin[3], g[3][3]; // of the lattice
    bool aligned;              // whether the lattice is aligned
    double step[3], border[3]; // of an aligned lattice: s, and b(0)
    double shift[3][3];        // t_v
    double fraction[3][3];     // rows: fractional coordinates along the cell vectors
    double low[3], high[3];    // range of fractional coordinates of images that can reach the lattice
    unsigned shift_of_cell;    // a grid cell has 2^shift_of_cell points along each axis
    size_t cells[3];           // number of grid cells
    size_t kept_begin, kept_end; // grid cells whose records are kept
    uint32_t *first;             // [cells[0] cells[1] cells[2] + 1] first record of each grid cell
    size_t first_capacity, record_capacity;
    size_t chunks, chunk_capacity;
    struct tile_lattice_chunk *chunk; // [chunk_capacity]
};

// Starts a plan for the atoms of a frame; up to `chunks` threads will share the steps. *p must be zeroed, or have been
// used before; its memory is then reused. The lattice must have passed trj_map_lattice_check. *a must stay valid until
// the plan is complete. Fails with TRJ_BAD_DATA if an axis has more than TILE_LATTICE_POINTS_MAX points, if a periodic
// axis of the lattice is not a periodic vector of the cell (equal to a millionth of a step), or if more than 2^24
// images of an atom could reach the lattice.
int tile_lattice_plan_start(struct tile_lattice_plan *p, const struct trj_map_lattice *l,
                            const struct tile_lattice_atoms *a, size_t chunks, struct trj_error *err);
// Returns the approximate number of records that a plan will have after tile_lattice_plan_start, if atoms are
// distributed uniformly; for lattices that are not parallel to the cell, it is an upper limit.
double tile_lattice_plan_expected(const struct tile_lattice_plan *p);
// Returns the first atom of a chunk, or the number of atoms for chunk p->chunks.
static inline size_t tile_lattice_chunk_begin(const struct tile_lattice_plan *p, size_t chunk) {
    return (size_t)((uint64_t)p->atoms->count * chunk / p->chunks);
}
// Finds the records of a chunk, whose number is less than p->chunks. Errors are returned by tile_lattice_plan_sort.
void tile_lattice_plan_find(struct tile_lattice_plan *p, size_t chunk);
// Assigns a place to each record, after the records of all chunks have been found. Fails with the first error of
// tile_lattice_plan_find, in the order of the atoms: TRJ_BAD_DATA for a coordinate that is not finite or exceeds
// TRJ_FARTHEST; or if memory is not available, or if there are more than UINT32_MAX records.
int tile_lattice_plan_sort(struct tile_lattice_plan *p, struct trj_error *err);
// The steps of tile_lattice_plan_sort, so that threads can share them: start, which fails as it; count for each of the
// parts, which are ranges of grid cells; join; offsets for each part.
int tile_lattice_sort_start(struct tile_lattice_plan *p, struct trj_error *err);
size_t tile_lattice_sort_parts(const struct tile_lattice_plan *p);
void tile_lattice_sort_count(struct tile_lattice_plan *p, size_t part);
void tile_lattice_sort_join(struct tile_lattice_plan *p);
void tile_lattice_sort_offsets(struct tile_lattice_plan *p, size_t part);
// Copies the records of a chunk to their places.
void tile_lattice_plan_place(struct tile_lattice_plan *p, size_t chunk);
// Sets *record and *count to the records of a chunk, in the order of its atoms, after tile_lattice_plan_find; they
// belong to the plan. Fails with the error of tile_lattice_plan_find.
int tile_lattice_plan_found(const struct tile_lattice_plan *p, size_t chunk, const struct tile_lattice_record **record,
                            size_t *count, struct trj_error *err);
// Returns whether each atom has exactly one record, of which only the point is needed: the reach is 0, and the lattice
// is periodic along all axes. tile_lattice_points is then much faster than tile_lattice_plan_find.
bool tile_lattice_has_points(const struct tile_lattice_plan *p);
// For the atoms begin <= i < end of the list, sets number[i - begin] to the number of the point of their record, p_0 +
// n_0 (p_1 + n_1 p_2), or to UINT64_MAX if there is no record. Requires tile_lattice_plan_start. Fails with
// TRJ_BAD_DATA as tile_lattice_plan_sort.
int tile_lattice_points(const struct tile_lattice_plan *p, size_t begin, size_t end, uint64_t *number,
                        struct trj_error *err);
// Makes a plan in the calling thread, in one call.
int tile_lattice_plan_make(struct tile_lattice_plan *p, const struct trj_map_lattice *l,
                           const struct tile_lattice_atoms *a, struct trj_error *err);
void tile_lattice_plan_free(struct tile_lattice_plan *p);

// Returns floor(reach + 1/2), the largest |i - p| of a point i in the support.
static inline int32_t tile_lattice_farthest(float reach) {
    return (int32_t)((double)reach + 0.5);
}

// Iterates over ranges of consecutive records that contain all records that reach the points low[k] <= i_k <= high[k]
// of the lattice.
struct tile_lattice_walk {
    const struct tile_lattice_plan *plan;
    size_t low[3], high[3]; // grid cells
    size_t y, z;            // next ones
};
void tile_lattice_walk_start(struct tile_lattice_walk *w, const struct tile_lattice_plan *p, const int64_t low[3],
                             const int64_t high[3]);
// Returns false after the last range. Ranges are not empty: first <= record < end.
bool tile_lattice_walk_next(struct tile_lattice_walk *w, size_t *first, size_t *end);

#endif
