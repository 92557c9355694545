// SPDX-License-Identifier: MIT
// A thread block adds the contributions of a slice of the charges to the points of one block
// (lib/potential/pair_blocks.h). It takes the charges in tiles. For a tile, each thread finds the classes of some
// charges, and the far and distant ones are copied to shared memory in the order of classes, so that all threads add
// one class at a time: its magic number is a constant, and its contributions are summed in int32. Charges are not
// sorted in space: a tile of a protein's charges in random order has only about ten classes.
//
// A thread computes the points of a group (GROUPED) or one point of a list. The contributions of a distant charge to a
// group are computed together. For a block with more groups than threads, the charges are read several times; if few
// groups are left, several threads share one. Most charges are distant, so that the loops over the others need not be
// fast.
//
// Sums are integers. They are added to device memory with atomic additions, whose order has no effect.
#include "pair_kernels.h"

#include "check.cuh"
#include "inverse_root.h"
#include "pair_block_shape.h"
#include "pair_class_rule.h"
#include "pair_groups.h"
#include "pair_kernel.h"
#include "pair_near_term.h"
#include "vector_plain.h"

// Number of charges in a tile. With 96 registers, tiles of 896 charges are faster than tiles of 448, because more
// charges of a class are added in one loop. GPUs of compute capability other than 9.x and 10.x have less shared memory:
// with 896 charges, fewer thread blocks would be resident.
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ / 100 == 9 || __CUDA_ARCH__ / 100 == 10
#define TILE 896
#else
#define TILE 448
#endif

enum {
    THREADS = 64, // one for each of the 64 groups of most blocks
    WARPS = THREADS / 32,
    WAVES = 16,          // of thread blocks on the GPU, so that the last one is short
    RESIDENT = 10,       // thread blocks resident on a multiprocessor; leaves 96 registers for a thread
    SLICE_CHARGES = 896, // about the smallest mean size of a slice, so that finding the box of a block costs little
    FAR_TOGETHER = 4,    // points whose far contributions are computed together
    ERROR_THREADS = 256,
};
static_assert(POT_MAGNITUDES == 32, "a lane of a warp for each magnitude");

// ---- the contributions of far and distant charges

#define SPECIALISED static __device__ __forceinline__
#include "pair_far_term.h"

// ---- points

// The points of a block, and the box around them.
struct points {
    uint64_t from[3];
    unsigned n[3];
    double low[3], high[3], centre[3];
    struct pot_pair_ranges ranges;
};

// Computes the position at indices relative to the first point of a block. For a lattice, they need not be integers.
static __device__ void position_of(const cuda_pair_args &a, const struct points &b, const double index[3],
                                   double position[3]) {
    if (a.blocks.point) {
        for (int k = 0; k < 3; k++) position[k] = a.blocks.point[b.from[0] + (uint64_t)index[0]][k];
        return;
    }
    const struct trj_map_lattice &l = a.blocks.lattice;
    double i[3];
    for (int k = 0; k < 3; k++) i[k] = (double)b.from[k] + index[k];
    // As trj_map_lattice_position.
    for (int k = 0; k < 3; k++)
        position[k] = l.origin[k] + i[0] * l.step[0][k] + i[1] * l.step[1][k] + i[2] * l.step[2][k];
}

// Finds the points of a block, and the box around them. All threads must call it.
static __device__ void find_box(const cuda_pair_args &a, size_t number, double radius, struct points *b) {
    __shared__ double extent[WARPS][6];
    uint64_t to[3] = {0, 1, 1};
    if (a.blocks.point) {
        b->from[0] = number * POT_BLOCK_OF_LIST;
        b->from[1] = b->from[2] = 0;
        to[0] = min((uint64_t)a.blocks.points, b->from[0] + POT_BLOCK_OF_LIST);
    } else {
        pot_block_find_box(&a.blocks, number, b->from, to);
    }
    for (int k = 0; k < 3; k++) b->n[k] = (unsigned)(to[k] - b->from[k]);
    double largest[6]; // of -x and x, so that maxima give both ends
    for (int k = 0; k < 6; k++) largest[k] = -INFINITY;
    for (unsigned i = threadIdx.x; i < b->n[0] * b->n[1] * b->n[2]; i += THREADS) {
        const double index[3] = {(double)(i % b->n[0]), (double)(i / b->n[0] % b->n[1]),
                                 (double)(i / b->n[0] / b->n[1])};
        double position[3];
        position_of(a, *b, index, position);
        for (int k = 0; k < 3; k++) {
            largest[k] = fmax(largest[k], -position[k]);
            largest[3 + k] = fmax(largest[3 + k], position[k]);
        }
    }
    for (int k = 0; k < 6; k++) {
        for (int step = 16; step; step /= 2)
            largest[k] = fmax(largest[k], __shfl_xor_sync(0xffffffffu, largest[k], step));
        if (threadIdx.x % 32 == 0) extent[threadIdx.x / 32][k] = largest[k];
    }
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        double low = extent[0][k], high = extent[0][3 + k];
        for (int w = 1; w < WARPS; w++) {
            low = fmax(low, extent[w][k]);
            high = fmax(high, extent[w][3 + k]);
        }
        b->low[k] = -low;
        b->high[k] = high;
    }
    double half_diagonal, near;
    pot_block_measure(b->low, b->high, b->centre, &half_diagonal, &near);
    pot_pair_find_ranges(&b->ranges, &a.pair, half_diagonal, near, radius, a.exact);
}

// Returns a coordinate along axis k in float32, relative to the centre of the block and multiplied by far_scale.
static __device__ float local_of(const cuda_pair_args &a, const struct points &b, int k, double x) {
    return (float)((x - b.centre[k]) * a.pair.far_scale);
}

// Returns the number of groups, or of points of a list.
template <bool GROUPED> static __device__ unsigned groups_of(const unsigned n[3], const unsigned extent[3]) {
    unsigned count = 1;
    for (int k = 0; k < 3; k++) count *= GROUPED ? (n[k] + extent[k] - 1) / extent[k] : n[k];
    return count;
}

// Sets the indices of the first point of a group in its block; if there is no such group, those of another one.
template <bool GROUPED>
static __device__ void find_first(const struct points &b, const unsigned extent[3], unsigned group, unsigned first[3]) {
    unsigned n[3];
    for (int k = 0; k < 3; k++) n[k] = GROUPED ? (b.n[k] + extent[k] - 1) / extent[k] : b.n[k];
    first[0] = group % n[0];
    first[1] = group / n[0] % n[1];
    first[2] = min(group / n[0] / n[1], n[2] - 1);
    for (int k = 0; k < 3 && GROUPED; k++) first[k] *= extent[k];
}

// Sets the indices of member i of a group, and returns true, if it is in the block; otherwise sets those of another
// point, and returns false.
template <bool GROUPED>
static __device__ bool find_point(const struct points &b, const struct pot_group_shape &g, const unsigned first[3],
                                  unsigned i, unsigned index[3]) {
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        index[k] = first[k] + (GROUPED ? i >> g.shift[k] & (g.extent[k] - 1) : 0);
        inside = inside && index[k] < b.n[k];
        index[k] = min(index[k], b.n[k] - 1);
    }
    return inside;
}

// Computes the position of member i of a group.
template <bool GROUPED>
static __device__ void position_in_group(const cuda_pair_args &a, const struct points &b,
                                         const struct pot_group_shape &g, const unsigned first[3], unsigned i,
                                         double position[3]) {
    unsigned index[3];
    find_point<GROUPED>(b, g, first, i, index);
    const double from[3] = {(double)index[0], (double)index[1], (double)index[2]};
    position_of(a, b, from, position);
}

// ---- tiles of charges

struct tile {
    float4 float32[TILE];        // a and q of pair_term.h of far and distant charges, in the order of classes
    unsigned short near[TILE];   // places in the tile, POT_NEAR before POT_SOFTENED
    unsigned count[POT_CLASSES]; // of charges
    unsigned total[POT_CLASSES]; // of the charges of all tiles
    unsigned begin[POT_CLASSES]; // in far, near
    unsigned far_classes;        // bit k: there are far charges of class k
    unsigned distant_classes;    // bit k: there are distant charges of class POT_DISTANT + k
};

// Loads the charges first <= i < first + n. All threads must call it, and none may use the tile before.
static __device__ void load(const cuda_pair_args &a, const struct points &b, unsigned first, unsigned n,
                            struct tile *t) {
    unsigned kind[TILE / THREADS], rank[TILE / THREADS];
    for (unsigned i = threadIdx.x; i < POT_CLASSES; i += THREADS) t->count[i] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < TILE / THREADS; e++) {
        unsigned i = e * THREADS + threadIdx.x;
        kind[e] = POT_NOTHING;
        if (i >= n || a.charge[first + i] == 0) continue;
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double d = pot_pair_outside(b.low[k], b.high[k], a.position[k][first + i]);
            square = square + d * d;
        }
        kind[e] = pot_pair_class(&a.pair, &b.ranges, a.charge[first + i], square);
        rank[e] = atomicAdd(&t->count[kind[e]], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < POT_CLASSES; i += THREADS) t->total[i] += t->count[i];
    if (threadIdx.x < 32) {
        const unsigned far = t->count[threadIdx.x], distant = t->count[POT_DISTANT + threadIdx.x];
        unsigned sum = far + distant;
        for (unsigned step = 1; step < 32; step *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
            if (threadIdx.x >= step) sum += other;
        }
        t->begin[threadIdx.x] = sum - far - distant;
        t->begin[POT_DISTANT + threadIdx.x] = sum - distant;
        const unsigned far_classes = __ballot_sync(0xffffffffu, far != 0),
                       distant_classes = __ballot_sync(0xffffffffu, distant != 0);
        if (threadIdx.x == 0) {
            t->far_classes = far_classes;
            t->distant_classes = distant_classes;
            t->begin[POT_NEAR] = 0;
            t->begin[POT_SOFTENED] = t->count[POT_NEAR];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < TILE / THREADS; e++) {
        if (kind[e] == POT_NOTHING) continue;
        unsigned i = e * THREADS + threadIdx.x, to = t->begin[kind[e]] + rank[e];
        if (kind[e] >= POT_FLOAT32_CLASSES) {
            t->near[to] = (unsigned short)i;
            continue;
        }
        float local[3];
        for (int k = 0; k < 3; k++) local[k] = local_of(a, b, k, a.position[k][first + i]);
        const double scale = kind[e] < POT_DISTANT ? a.pair.far_charge : a.pair.distant_charge;
        t->float32[to] = make_float4(local[0], local[1], local[2], (float)(a.charge[first + i] * scale));
    }
    __syncthreads();
}

// ---- sums

// If a thread block has few groups, its threads form teams. Each team computes all groups, for its share of the
// charges.
struct team {
    unsigned number, shift; // 2^shift teams
};

// Returns the index of the first of team i's charges, of n charges in all.
static __device__ unsigned first_of_team(const struct team &t, unsigned i, unsigned n) {
    return n * i >> t.shift;
}

// Returns M of pair_term.h for class k. The quantum is a power of two, so that this is (float)(0x1.8p23 * quantum *
// 2^k).
static __device__ float magic_of(const cuda_pair_args &a, unsigned k) {
    return __uint_as_float(__float_as_uint((float)(0x1.8p23 * a.pair.quantum)) + (k << 23));
}

// Returns the sum, in quanta, of n contributions of class k from `bits`, the sum of the bits of z.
static __device__ unsigned long long sum_of(unsigned bits, unsigned n, float magic, unsigned k) {
    return (unsigned long long)(int)(bits - n * __float_as_uint(magic)) << k;
}

// Returns an upper bound of the sum of the magnitudes of n contributions of class k, in quanta.
static __device__ float bound_of(unsigned n, unsigned k) {
    return (float)n * __uint_as_float((127 + 22 + k) << 23);
}

// Adds the contributions of a team's share of the distant charges of a tile to the sums of a group, and their bound to
// *bound.
template <int KIND, bool ALIGNED>
static __device__ __forceinline__ void add_distant(const cuda_pair_args &a, const struct pot_group_shape &g,
                                                   const struct tile &t, const struct team &team, const float centre[3],
                                                   unsigned long long (&sum)[POT_GROUP], float *bound) {
    for (unsigned classes = t.distant_classes; classes; classes &= classes - 1) {
        const unsigned k = (unsigned)__ffs((int)classes) - 1, all = t.count[POT_DISTANT + k],
                       begin = first_of_team(team, team.number, all);
        const float4 *charge = &t.float32[t.begin[POT_DISTANT + k] + begin];
        const float magic = magic_of(a, k);
        unsigned rest = first_of_team(team, team.number + 1, all) - begin;
        *bound += bound_of(rest, k);
        while (rest) {
            const unsigned n = min(rest, (unsigned)POT_FAR_PARTIAL);
            unsigned partial[POT_GROUP] = {};
#pragma unroll 4
            for (unsigned j = 0; j < n; j++) {
                const float4 c = charge[j];
                const float d[3] = {v_sub(centre[0], c.x), v_sub(centre[1], c.y), v_sub(centre[2], c.z)};
                struct distant_shared shared;
                distant_centre((enum pot_pair_kind)KIND, ALIGNED, &g, d, a.pair.far_square, c.w, &shared);
#pragma unroll
                for (int i = 0; i < POT_GROUP; i++)
                    partial[i] +=
                        __float_as_uint(distant_term((enum pot_pair_kind)KIND, ALIGNED, &g, &shared, i, magic));
            }
#pragma unroll
            for (int i = 0; i < POT_GROUP; i++) sum[i] += sum_of(partial[i], n, magic, k);
            charge += n;
            rest -= n;
        }
    }
}

// Adds the contributions of a team's share of the far charges of a tile to the sums of POINTS points, and returns their
// bound. If the points are those of a group that is ALIGNED, local[k][0] and local[k][1] are their coordinates along
// axis k; otherwise local[k][i] is that of point i.
template <int KIND, int POINTS, bool ALIGNED>
static __device__ __forceinline__ float add_far(const cuda_pair_args &a, const struct tile &t, const struct team &team,
                                                const float (&local)[3][ALIGNED ? 2 : POINTS],
                                                unsigned long long *sum) {
    float bound = 0;
    for (unsigned classes = t.far_classes; classes; classes &= classes - 1) {
        const unsigned k = (unsigned)__ffs((int)classes) - 1, all = t.count[k],
                       begin = first_of_team(team, team.number, all), end = first_of_team(team, team.number + 1, all);
        const float4 *charge = &t.float32[t.begin[k]];
        const float magic = magic_of(a, k);
        bound += bound_of(end - begin, k);
        for (unsigned from = begin; from < end; from += POT_FAR_PARTIAL) {
            const unsigned n = min(end - from, (unsigned)POT_FAR_PARTIAL);
            unsigned partial[POINTS] = {};
#pragma unroll 1
            for (unsigned j = 0; j < n; j++) {
                const float4 c = charge[from + j];
#pragma unroll
                for (int i = 0; i < POINTS; i++) {
                    const float dx = v_sub(local[0][ALIGNED ? i & 1 : i], c.x),
                                dy = v_sub(local[1][ALIGNED ? i >> 1 & 1 : i], c.y),
                                dz = v_sub(local[2][ALIGNED ? i >> 2 : i], c.z);
                    const float r2 = v_fma(dx, dx, v_fma(dy, dy, v_fma(dz, dz, a.pair.far_square)));
                    partial[i] += __float_as_uint(far_term((enum pot_pair_kind)KIND, r2, c.w, magic));
                }
            }
#pragma unroll
            for (int i = 0; i < POINTS; i++) sum[i] += sum_of(partial[i], n, magic, k);
        }
    }
    return bound;
}

// Returns the contribution x as an integer, and adds its magnitude to *magnitude.
static __device__ long long whole(double x, double *magnitude) {
    *magnitude += fabs(x);
    return __double2ll_rn(x);
}

// Adds the near charges of a tile to a point, and returns the sum of the magnitudes of their contributions.
static __device__ double add_near(const cuda_pair_args &a, const struct tile &t, const struct team &team,
                                  unsigned first, const double position[3], unsigned long long *sum) {
    const unsigned near = t.count[POT_NEAR], all = near + t.count[POT_SOFTENED];
    const double quanta = 1 / a.pair.quantum;
    double magnitude = 0;
    const unsigned end = first_of_team(team, team.number + 1, all);
    for (unsigned j = first_of_team(team, team.number, all); j < end; j++) {
        const unsigned i = first + t.near[j];
        double square[3];
        for (int k = 0; k < 3; k++) {
            double d = position[k] - a.position[k][i];
            square[k] = d * d;
        }
        const double r2 = (square[0] + square[1]) + square[2], charge = a.charge[i] * quanta;
        double x = pot_pair_near_inline(&a.pair, charge, r2, j >= near);
        // As pot_pair_near, which adds the contributions that are too large for a kernel of the CPU.
        if (a.pair.gauss > 0 && j < near && !(fabs(x) <= POT_NEAR_LARGE))
            x = pot_pair_near_inline(&a.pair, charge, r2, true);
        *sum += (unsigned long long)whole(x, &magnitude);
    }
    return magnitude;
}

// The charges begin <= i < end of a thread block.
struct slice {
    unsigned begin, end;
};

// Returns the slice of a thread block. Slices consist of whole tiles.
static __device__ struct slice slice_of(const cuda_pair_args &a) {
    const unsigned long long tiles = (a.charges + TILE - 1) / TILE;
    const unsigned begin = (unsigned)(tiles * blockIdx.y / gridDim.y),
                   end = (unsigned)(tiles * (blockIdx.y + 1) / gridDim.y);
    return {begin * TILE, min(a.charges, end * TILE)};
}

// Adds the sums of a group to the values.
template <bool GROUPED>
static __device__ void add_to_values(const cuda_pair_args &a, const struct points &b, const struct pot_group_shape &g,
                                     const unsigned first[3], const unsigned long long *sum,
                                     const unsigned long long *others) {
    const uint64_t from = a.blocks.point ? b.from[0] : b.from[2], *n = a.blocks.lattice.n;
#pragma unroll
    for (unsigned i = 0; i < (GROUPED ? POT_GROUP : 1); i++) {
        unsigned index[3];
        if (!find_point<GROUPED>(b, g, first, i, index)) continue;
        const uint64_t plane = from + (a.blocks.point ? index[0] : index[2]);
        if (plane < a.first || plane >= a.end) continue;
        const uint64_t point =
            a.blocks.point ? plane : b.from[0] + index[0] + n[0] * (b.from[1] + index[1] + n[1] * plane);
        atomicAdd(&a.values[point], sum[i] + others[i]);
    }
}

// Adds the contributions of a slice of the charges to `groups` <= THREADS groups of a block, from number `from`. All
// threads must call it.
template <int KIND, bool GROUPED, bool ALIGNED>
static __device__ __forceinline__ void add_to_groups(const cuda_pair_args &a, const struct pot_group_shape &g,
                                                     const struct points &b, unsigned from, unsigned groups,
                                                     struct tile &t) {
    constexpr int POINTS = GROUPED ? POT_GROUP : 1;
    constexpr int TOGETHER = GROUPED && !ALIGNED ? FAR_TOGETHER : POINTS;
    unsigned shift = 0;
    while (THREADS >> (shift + 1) >= groups) shift++;
    const unsigned width = THREADS >> shift;
    const struct team team = {threadIdx.x / width, shift};
    const unsigned group = threadIdx.x % width;
    unsigned first[3];
    find_first<GROUPED>(b, g.extent, from + group, first);
    float centre[3], local[3][ALIGNED ? 2 : TOGETHER];
    if (GROUPED) {
        double middle[3], position[3];
        for (int k = 0; k < 3; k++) middle[k] = (double)first[k] + (g.extent[k] - 1) / 2.0;
        position_of(a, b, middle, position);
        for (int k = 0; k < 3; k++) centre[k] = local_of(a, b, k, position[k]);
    }
    if (ALIGNED)
        for (int end = 0; end < 2; end++) {
            const double index[3] = {(double)(first[0] + end), (double)(first[1] + end), (double)(first[2] + end)};
            double position[3];
            position_of(a, b, index, position);
            for (int k = 0; k < 3; k++) local[k][end] = local_of(a, b, k, position[k]);
        }
    for (unsigned i = threadIdx.x; i < POT_CLASSES; i += THREADS) t.total[i] = 0;
    // Modulo 2^64, as positions outside the block have any sums.
    unsigned long long sum[POINTS] = {};
    unsigned long long others[POINTS] = {}; // of near charges and, unless ALIGNED, of far charges; in local memory
    float bound = 0;                        // its rounding is far below the factor 2 that a.limit leaves
    const struct slice slice = slice_of(a);
    for (unsigned i = slice.begin; i < slice.end; i += TILE) {
        __syncthreads();
        load(a, b, i, min(slice.end - i, (unsigned)TILE), &t);
        if (group >= groups) continue;
        if constexpr (GROUPED) add_distant<KIND, ALIGNED>(a, g, t, team, centre, sum, &bound);
        if constexpr (ALIGNED) {
            bound += add_far<KIND, TOGETHER, true>(a, t, team, local, sum);
        } else if (t.far_classes) {
            float far_bound = 0;
#pragma unroll 1
            for (unsigned member = 0; member < POINTS; member += TOGETHER) {
#pragma unroll
                for (int m = 0; m < TOGETHER; m++) {
                    double position[3];
                    position_in_group<GROUPED>(a, b, g, first, member + m, position);
                    for (int k = 0; k < 3; k++) local[k][m] = local_of(a, b, k, position[k]);
                }
                far_bound = add_far<KIND, TOGETHER, false>(a, t, team, local, &others[member]);
            }
            bound += far_bound;
        }
        if (t.count[POT_NEAR] + t.count[POT_SOFTENED] == 0) continue;
        double largest = 0;
#pragma unroll 1
        for (unsigned member = 0; member < POINTS; member++) {
            double position[3];
            position_in_group<GROUPED>(a, b, g, first, member, position);
            const double magnitude = add_near(a, t, team, i, position, &others[member]);
            if (!(magnitude <= largest || isnan(largest))) largest = magnitude; // once NaN, always NaN
        }
        bound += (float)largest;
    }
    if (!((double)bound <= a.limit / (gridDim.y << team.shift))) *a.failed = 1;
    if (group < groups) add_to_values<GROUPED>(a, b, g, first, sum, others);
}

// The blocks of points that a launch computes: for each region, or the list, a range of blocks with consecutive
// numbers. One launch computes the ranges of all faces, because one face has too few blocks to occupy a GPU.
struct block_ranges {
    unsigned count;
    size_t first[POT_REGIONS];   // number of the first block of points of each range
    unsigned begin[POT_REGIONS]; // blockIdx.x of the first thread block of each range
    unsigned blocks;             // number of blocks in all ranges
};

// Returns the number of the block of points that a thread block computes.
static __device__ size_t number_of(const struct block_ranges &r, unsigned block) {
    unsigned i = r.count - 1;
    while (r.begin[i] > block) i--;
    return r.first[i] + (block - r.begin[i]);
}

// The layouts of points, each with a kernel of its own. LIST: a list, without groups. FACES: several regions; a block
// finds the shape of its groups at run time, whether or not they are aligned. ALIGNED and SKEW: one region, with groups
// that are aligned (pair_groups.h) and need fewer operations, or that are not. The shape of a single region is read
// from the arguments of the kernel, which are in constant memory, and occupies no registers.
enum layout { LAYOUT_LIST, LAYOUT_FACES, LAYOUT_SKEW, LAYOUT_ALIGNED };

template <int KIND, int LAYOUT>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    pair_kernel(const __grid_constant__ cuda_pair_args a, const __grid_constant__ struct block_ranges r) {
    constexpr bool GROUPED = LAYOUT != LAYOUT_LIST;
    __shared__ struct tile t;
    __shared__ struct points b;
    const size_t number = number_of(r, blockIdx.x);
    const struct pot_group_shape &g = a.shape[LAYOUT == LAYOUT_FACES ? pot_block_find_region(&a.blocks, number) : 0];
    {
        struct points own;
        find_box(a, number, GROUPED ? g.radius : INFINITY, &own);
        if (threadIdx.x == 0) b = own;
        __syncthreads();
    }
    const unsigned groups = groups_of<GROUPED>(b.n, g.extent);
    for (unsigned from = 0; from < groups; from += THREADS) {
        __syncthreads();
        add_to_groups<KIND, GROUPED, LAYOUT == LAYOUT_ALIGNED>(a, g, b, from, min(groups - from, (unsigned)THREADS), t);
    }
    const uint64_t from = a.blocks.point ? b.from[0] : b.from[2];
    if (from >= a.first && from < a.end)
        for (unsigned i = threadIdx.x; i < POT_CLASSES; i += THREADS)
            atomicAdd(&a.counts[number * POT_CLASSES + i], t.total[i]);
}

// A thread for each block of points. Doubles that are not negative have the order of their bits.
static __global__ void __launch_bounds__(ERROR_THREADS) error_kernel(const __grid_constant__ cuda_pair_error a) {
    for (size_t b = (size_t)blockIdx.x * ERROR_THREADS + threadIdx.x; b < a.blocks;
         b += (size_t)gridDim.x * ERROR_THREADS) {
        size_t count[POT_CLASSES];
        for (int k = 0; k < POT_CLASSES; k++) count[k] = a.counts[b * POT_CLASSES + k];
        const double error = pot_pair_sum_error(&a.pair, a.term, count);
        atomicMax((unsigned long long *)a.error, (unsigned long long)__double_as_longlong(error));
    }
}

// ---- launches

template <int KIND, int LAYOUT>
static int launch(const cuda_pair_args *a, const struct block_ranges *r, cudaStream_t stream, struct trj_error *err) {
    int device, multiprocessors;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const unsigned wanted = (unsigned)multiprocessors * RESIDENT * WAVES, slices = wanted / r->blocks + 1,
                   max_slices = a->charges / SLICE_CHARGES + 1;
    pair_kernel<KIND, LAYOUT>
        <<<dim3(r->blocks, slices < max_slices ? slices : max_slices), THREADS, 0, stream>>>(*a, *r);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

template <int KIND>
static int launch_kind(const cuda_pair_args *a, const struct block_ranges *r, cudaStream_t stream,
                       struct trj_error *err) {
    if (a->blocks.point) return launch<KIND, LAYOUT_LIST>(a, r, stream, err);
    if (a->blocks.regions > 1) return launch<KIND, LAYOUT_FACES>(a, r, stream, err);
    if (a->shape[0].aligned) return launch<KIND, LAYOUT_ALIGNED>(a, r, stream, err);
    return launch<KIND, LAYOUT_SKEW>(a, r, stream, err);
}

static void add_blocks(struct block_ranges *r, size_t first, size_t end) {
    if (first >= end) return;
    r->first[r->count] = first;
    r->begin[r->count++] = r->blocks;
    r->blocks += (unsigned)(end - first);
}

// Adds the blocks of a region with points in the planes a->first <= i < a->end. Blocks of a layer have the same planes
// and consecutive numbers.
static void add_layers(struct block_ranges *r, const struct pot_region *region, const cuda_pair_args *a) {
    const uint64_t low = region->low[2], n = region->n[2], size = region->size[2], layers = region->blocks[2];
    const uint64_t from = a->first > low ? a->first - low : 0, to = a->end > low ? a->end - low : 0;
    if (from >= n || to <= from) return;
    const uint64_t first = from / size < layers ? from / size : layers - 1; // the last block may be larger
    const uint64_t end = (to + size - 1) / size < layers ? (to + size - 1) / size : layers;
    const size_t layer = (size_t)(region->blocks[0] * region->blocks[1]);
    add_blocks(r, region->first + (size_t)first * layer, region->first + (size_t)end * layer);
}

extern "C" int cuda_pair_add(const cuda_pair_args *a, cudaStream_t stream, struct trj_error *err) {
    struct block_ranges r = {};
    if (!a->charges || a->first >= a->end) return 0;
    if (a->blocks.point)
        add_blocks(&r, a->first / POT_BLOCK_OF_LIST, (a->end + POT_BLOCK_OF_LIST - 1) / POT_BLOCK_OF_LIST);
    for (int i = 0; i < a->blocks.regions; i++) add_layers(&r, &a->blocks.region[i], a);
    if (!r.blocks) return 0;
    switch (a->pair.kind) {
    case POT_PAIR_DIELECTRIC:
        return launch_kind<POT_PAIR_DIELECTRIC>(a, &r, stream, err);
    case POT_PAIR_SCREENED:
        return launch_kind<POT_PAIR_SCREENED>(a, &r, stream, err);
    default:
        return launch_kind<POT_PAIR_PLAIN>(a, &r, stream, err);
    }
}

extern "C" int cuda_pair_find_error(const cuda_pair_error *a, cudaStream_t stream, struct trj_error *err) {
    size_t blocks = (a->blocks + ERROR_THREADS - 1) / ERROR_THREADS;
    error_kernel<<<(unsigned)(blocks < 65536 ? blocks : 65536), ERROR_THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
