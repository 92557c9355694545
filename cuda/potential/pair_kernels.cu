// SPDX-License-Identifier: MIT
// A thread block adds the contributions of a slice of the charges to points of one block (lib/potential/pair_blocks.h).
// It takes the charges in tiles. For a tile, each thread finds the classes of some charges, and the far ones are copied
// to shared memory in the order of classes, so that all threads add one class at a time: its magic number is a
// constant, and its contributions are summed in int32. Charges are not sorted in space: with 448 charges of a protein
// in random order a tile has about 10 classes, and adding their sums in int64 costs less than 2 % of the time. On an
// H200, 64 to 104 registers and tiles of 256 to 448 charges differ by less than 3 %, except that 104 are 10 % slower.
//
// A thread has EACH points. If the first step of the lattice is parallel to x (ROWS), they are neighbours in a row, and
// share the squares of the differences along y and z, in the order that pair_term.h defines. Otherwise they are any
// points of the block.
//
// Sums are integers. They are added to device memory with atomic additions, whose order has no effect.
#include "pair_kernels.h"

#include "check.cuh"
#include "inverse_root.h"
#include "pair_block_shape.h"
#include "pair_class_rule.h"
#include "pair_kernel.h"
#include "pair_near_term.h"
#include "vector_plain.h"

enum {
    THREADS = 64, // of the 64 rows of a block
    TILE = 448,   // charges, at most POT_FAR_PARTIAL
    WARPS = THREADS / 32,
    WAVES = 16,         // of thread blocks on the GPU, so that the last one is short
    RESIDENT = 12,      // thread blocks of a multiprocessor
    LEAST_SLICE = 2048, // charges, so that the box of a block costs little
    ERROR_THREADS = 256,
};
static_assert((int)TILE <= (int)POT_FAR_PARTIAL, "sums of a tile must fit into int32");
static_assert(POT_FAR_CLASSES == 32, "a lane of a warp for each far class");
static_assert((int)POT_CLASSES <= (int)THREADS, "a thread for each class");

// ---- the contribution of a far charge

#define SPECIALISED static __device__ __forceinline__
#include "pair_far_term.h"

// ---- points

// The points of a block of which a thread block computes some.
struct points {
    uint64_t from[3];
    unsigned n[3];
    double low[3], high[3], centre[3];
    struct pot_pair_ranges ranges;
};

static __device__ void position_of(const cuda_pair_args &a, const struct points &b, unsigned x, unsigned y, unsigned z,
                                   double at[3]) {
    if (a.blocks.point) {
        for (int k = 0; k < 3; k++) at[k] = a.blocks.point[b.from[0] + x][k];
        return;
    }
    const struct trj_map_lattice &l = a.blocks.lattice;
    const double i[3] = {(double)(b.from[0] + x), (double)(b.from[1] + y), (double)(b.from[2] + z)};
    // As trj_map_lattice_position.
    for (int k = 0; k < 3; k++) at[k] = l.origin[k] + i[0] * l.step[0][k] + i[1] * l.step[1][k] + i[2] * l.step[2][k];
}

// Finds the box of a block. All threads must call it.
static __device__ void find_box(const cuda_pair_args &a, size_t number, struct points *b) {
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
    double most[6]; // of -x and x, so that maxima give both ends
    for (int k = 0; k < 6; k++) most[k] = -INFINITY;
    for (unsigned i = threadIdx.x; i < b->n[0] * b->n[1] * b->n[2]; i += THREADS) {
        double at[3];
        position_of(a, *b, i % b->n[0], i / b->n[0] % b->n[1], i / b->n[0] / b->n[1], at);
        for (int k = 0; k < 3; k++) {
            most[k] = fmax(most[k], -at[k]);
            most[3 + k] = fmax(most[3 + k], at[k]);
        }
    }
    for (int k = 0; k < 6; k++) {
        for (int step = 16; step; step /= 2) most[k] = fmax(most[k], __shfl_xor_sync(0xffffffffu, most[k], step));
        if (threadIdx.x % 32 == 0) extent[threadIdx.x / 32][k] = most[k];
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
    pot_pair_find_ranges(&b->ranges, &a.pair, half_diagonal, near, a.exact);
}

// Returns the number of groups of EACH points of a block, of which a thread has one.
template <int EACH, bool ROWS> static __host__ __device__ unsigned groups_of(const unsigned n[3]) {
    return ROWS ? (n[0] + EACH - 1) / EACH * n[1] * n[2] : (n[0] * n[1] * n[2] + EACH - 1) / EACH;
}

// Returns the number of points that threads of a warp have at most. The first of them has group `first`.
template <int EACH, bool ROWS> static __device__ unsigned points_of_warp(const unsigned n[3], unsigned first) {
    if (first >= groups_of<EACH, ROWS>(n)) return 0;
    return ROWS && first >= n[0] / EACH * n[1] * n[2] ? n[0] % EACH : EACH;
}

// Sets the indices of point i of a group, and returns whether there is one; otherwise they are those of another point.
template <int EACH, bool ROWS>
static __device__ bool find_point(const struct points &b, unsigned group, unsigned i, unsigned index[3]) {
    if (ROWS) {
        // The remainders of rows come last, so that whole warps compute them.
        const unsigned of_row = b.n[0] / EACH, whole = of_row * b.n[1] * b.n[2];
        const unsigned row = group < whole ? group / of_row : group - whole,
                       x = (group < whole ? group % of_row : of_row) * EACH + i;
        index[0] = min(x, b.n[0] - 1);
        index[1] = row % b.n[1];
        index[2] = min(row / b.n[1], b.n[2] - 1);
        return x < b.n[0] && row < b.n[1] * b.n[2];
    }
    const unsigned all = b.n[0] * b.n[1] * b.n[2], at = group * EACH + i, point = min(at, all - 1);
    index[0] = point % b.n[0];
    index[1] = point / b.n[0] % b.n[1];
    index[2] = point / b.n[0] / b.n[1];
    return at < all;
}

// ---- tiles of charges

struct tile {
    float4 far[TILE];            // a and q of pair_term.h, in the order of classes
    unsigned short near[TILE];   // places in the tile, POT_NEAR before POT_SOFTENED
    unsigned count[POT_CLASSES]; // of charges
    unsigned total[POT_CLASSES]; // of the charges of all tiles
    unsigned begin[POT_CLASSES]; // in far, near
    unsigned classes;            // bit k: there are charges of class k
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
            double d = pot_pair_outside(b.low[k], b.high[k], a.at[k][first + i]);
            square = square + d * d;
        }
        kind[e] = pot_pair_class(&a.pair, &b.ranges, a.charge[first + i], square);
        rank[e] = atomicAdd(&t->count[kind[e]], 1u);
    }
    __syncthreads();
    if (threadIdx.x < POT_CLASSES) t->total[threadIdx.x] += t->count[threadIdx.x];
    if (threadIdx.x < 32) {
        const unsigned count = t->count[threadIdx.x];
        unsigned sum = count;
        for (unsigned step = 1; step < 32; step *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
            if (threadIdx.x >= step) sum += other;
        }
        t->begin[threadIdx.x] = sum - count;
        const unsigned classes = __ballot_sync(0xffffffffu, count != 0);
        if (threadIdx.x == 0) {
            t->classes = classes;
            t->begin[POT_NEAR] = 0;
            t->begin[POT_SOFTENED] = t->count[POT_NEAR];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < TILE / THREADS; e++) {
        if (kind[e] == POT_NOTHING) continue;
        unsigned i = e * THREADS + threadIdx.x, to = t->begin[kind[e]] + rank[e];
        if (kind[e] >= POT_FAR_CLASSES) {
            t->near[to] = (unsigned short)i;
            continue;
        }
        float local[3];
        for (int k = 0; k < 3; k++) local[k] = (float)((a.at[k][first + i] - b.centre[k]) * a.pair.far_scale);
        t->far[to] = make_float4(local[0], local[1], local[2], (float)(a.charge[first + i] * a.pair.far_charge));
    }
    __syncthreads();
}

// ---- sums

// Adds the far charges of a tile, and the bound of their contributions to *bound.
template <int KIND, int EACH, bool ROWS>
static __device__ __forceinline__ void add_far(const cuda_pair_args &a, const struct tile &t,
                                               const float (&local)[3][EACH], long long (&sum)[EACH], float *bound) {
    const float square = a.pair.far_square;
    for (unsigned classes = t.classes; classes; classes &= classes - 1) {
        const unsigned k = (unsigned)__ffs((int)classes) - 1, n = t.count[k];
        const float4 *charge = &t.far[t.begin[k]];
        // The quantum is a power of two, so that this is (float)(0x1.8p23 * quantum * 2^k).
        const float magic = __uint_as_float(__float_as_uint((float)(0x1.8p23 * a.pair.quantum)) + (k << 23));
        unsigned partial[EACH] = {};
#pragma unroll 2
        for (unsigned j = 0; j < n; j++) {
            const float4 c = charge[j];
            float rest = 0;
            if (ROWS) {
                const float dy = v_sub(local[1][0], c.y), dz = v_sub(local[2][0], c.z);
                rest = v_fma(dy, dy, v_fma(dz, dz, square));
            }
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const float dx = v_sub(local[0][i], c.x);
                if (!ROWS) {
                    const float dy = v_sub(local[1][i], c.y), dz = v_sub(local[2][i], c.z);
                    rest = v_fma(dy, dy, v_fma(dz, dz, square));
                }
                const float r2 = v_fma(dx, dx, rest);
                partial[i] += __float_as_uint(far_term((enum pot_pair_kind)KIND, r2, c.w, magic));
            }
        }
        const unsigned bits = n * __float_as_uint(magic);
#pragma unroll
        for (int i = 0; i < EACH; i++) sum[i] += (long long)(int)(partial[i] - bits) * (1ll << k);
        *bound += (float)n * __uint_as_float((127 + 22 + k) << 23);
    }
}

// Returns the contribution x as an integer, and adds its magnitude to *magnitude.
static __device__ long long whole(double x, double *magnitude) {
    *magnitude += fabs(x);
    return __double2ll_rn(x);
}

// Adds the near charges of a tile to a point, and returns the sum of the magnitudes of their contributions.
static __device__ double add_near(const cuda_pair_args &a, const struct tile &t, unsigned first, const double at[3],
                                  long long *sum) {
    const unsigned near = t.count[POT_NEAR], all = near + t.count[POT_SOFTENED];
    const double quanta = 1 / a.pair.quantum;
    double magnitude = 0;
    for (unsigned j = 0; j < all; j++) {
        const unsigned i = first + t.near[j];
        double square[3];
        for (int k = 0; k < 3; k++) {
            double d = at[k] - a.at[k][i];
            square[k] = d * d;
        }
        const double r2 = (square[0] + square[1]) + square[2], charge = a.charge[i] * quanta;
        double x = pot_pair_near_anywhere(&a.pair, charge, r2, j >= near);
        // As pot_pair_near, which adds the contributions that are too large for a kernel of the CPU.
        if (a.pair.gauss > 0 && j < near && !(fabs(x) <= POT_NEAR_LARGE))
            x = pot_pair_near_anywhere(&a.pair, charge, r2, true);
        *sum += whole(x, &magnitude);
    }
    return magnitude;
}

template <int KIND, int EACH, bool ROWS>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    pair_kernel(const __grid_constant__ cuda_pair_args a, size_t first_block, unsigned chunks) {
    __shared__ struct tile t;
    __shared__ struct points b;
    {
        struct points own;
        find_box(a, first_block + blockIdx.x / chunks, &own);
        if (threadIdx.x == 0) b = own;
        if (threadIdx.x < POT_CLASSES) t.total[threadIdx.x] = 0;
        __syncthreads();
    }
    const unsigned chunk = blockIdx.x % chunks * THREADS, group = chunk + threadIdx.x;
    if (chunk >= groups_of<EACH, ROWS>(b.n)) return;
    const unsigned points = points_of_warp<EACH, ROWS>(b.n, chunk + threadIdx.x / 32 * 32);
    const unsigned begin = (unsigned)((unsigned long long)a.charges * blockIdx.y / gridDim.y),
                   end = (unsigned)((unsigned long long)a.charges * (blockIdx.y + 1) / gridDim.y);
    float local[3][EACH];
    long long sum[EACH] = {}, near_sum[EACH] = {};
    float bound = 0; // its rounding is far below the factor 2 that a.limit leaves
#pragma unroll
    for (unsigned i = 0; i < EACH; i++) {
        unsigned index[3];
        double at[3];
        find_point<EACH, ROWS>(b, group, i, index);
        position_of(a, b, index[0], index[1], index[2], at);
        for (int k = 0; k < 3; k++) local[k][i] = (float)((at[k] - b.centre[k]) * a.pair.far_scale);
    }
    for (unsigned first = begin; first < end; first += TILE) {
        __syncthreads();
        load(a, b, first, min(end - first, (unsigned)TILE), &t);
        if (EACH > 1 && points == 1) {
            // The remainder of a row is one point if a lattice has one point more than a multiple of 8 along x, as for
            // multigrid methods.
            const float at[3][1] = {{local[0][0]}, {local[1][0]}, {local[2][0]}};
            long long one[1] = {sum[0]};
            add_far<KIND, 1, ROWS>(a, t, at, one, &bound);
            sum[0] = one[0];
        } else if (points) {
            add_far<KIND, EACH, ROWS>(a, t, local, sum, &bound);
        }
        if (t.count[POT_NEAR] + t.count[POT_SOFTENED] == 0) continue;
        double most = 0;
        // A loop over points that is not unrolled, with sums in local memory: few charges are near.
#pragma unroll 1
        for (unsigned i = 0; i < points; i++) {
            unsigned index[3];
            double at[3];
            find_point<EACH, ROWS>(b, group, i, index);
            position_of(a, b, index[0], index[1], index[2], at);
            const double magnitude = add_near(a, t, first, at, &near_sum[i]);
            if (!(magnitude <= most || isnan(most))) most = magnitude; // once NaN, always NaN
        }
        bound += (float)most;
    }
    if (!((double)bound <= a.limit / gridDim.y)) *a.failed = 1;
    const uint64_t from = a.blocks.point ? b.from[0] : b.from[2];
    if (chunk == 0 && threadIdx.x < POT_CLASSES && from >= a.first && from < a.end)
        atomicAdd(&a.counts[(first_block + blockIdx.x / chunks) * POT_CLASSES + threadIdx.x], t.total[threadIdx.x]);
#pragma unroll
    for (unsigned i = 0; i < EACH; i++) {
        unsigned index[3];
        if (!find_point<EACH, ROWS>(b, group, i, index)) continue;
        const uint64_t *n = a.blocks.lattice.n, plane = from + (a.blocks.point ? index[0] : index[2]);
        if (plane < a.first || plane >= a.end) continue;
        const uint64_t point =
            a.blocks.point ? plane : b.from[0] + index[0] + n[0] * (b.from[1] + index[1] + n[1] * plane);
        atomicAdd(&a.values[point], (unsigned long long)(sum[i] + near_sum[i]));
    }
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

// The blocks of a region that a launch computes; for a list, all blocks are one region.
struct range {
    size_t first, end;
    unsigned most[3]; // points of the largest block
};

template <int KIND, int EACH, bool ROWS>
static int launch(const cuda_pair_args *a, const struct range *r, unsigned multiprocessors, cudaStream_t stream,
                  struct trj_error *err) {
    unsigned chunks = (groups_of<EACH, ROWS>(r->most) + THREADS - 1) / THREADS;
    size_t blocks = r->end - r->first, wanted = (size_t)multiprocessors * RESIDENT * WAVES;
    size_t slices = (wanted + blocks - 1) / blocks, most = (a->charges + LEAST_SLICE - 1) / LEAST_SLICE;
    if (slices > most) slices = most;
    pair_kernel<KIND, EACH, ROWS>
        <<<dim3((unsigned)(blocks * chunks), (unsigned)slices), THREADS, 0, stream>>>(*a, r->first, chunks);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

// Chooses how threads share the points of a region.
template <int KIND>
static int launch_kind(const cuda_pair_args *a, const struct range *r, unsigned multiprocessors, cudaStream_t stream,
                       struct trj_error *err) {
    const double *step = a->blocks.lattice.step[0];
    const bool rows = !a->blocks.point && step[1] == 0 && step[2] == 0 && r->most[0] >= 8;
    const unsigned points = r->most[0] * r->most[1] * r->most[2];
    if (rows && points >= 8 * THREADS) return launch<KIND, 8, true>(a, r, multiprocessors, stream, err);
    if (rows) return launch<KIND, 4, true>(a, r, multiprocessors, stream, err);
    if (points >= 4 * THREADS) return launch<KIND, 4, false>(a, r, multiprocessors, stream, err);
    return launch<KIND, 1, false>(a, r, multiprocessors, stream, err);
}

static int launch_range(const cuda_pair_args *a, const struct range *r, cudaStream_t stream, struct trj_error *err) {
    int device, multiprocessors;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    switch (a->pair.kind) {
    case POT_PAIR_DIELECTRIC:
        return launch_kind<POT_PAIR_DIELECTRIC>(a, r, (unsigned)multiprocessors, stream, err);
    case POT_PAIR_SCREENED:
        return launch_kind<POT_PAIR_SCREENED>(a, r, (unsigned)multiprocessors, stream, err);
    default:
        return launch_kind<POT_PAIR_PLAIN>(a, r, (unsigned)multiprocessors, stream, err);
    }
}

extern "C" int cuda_pair_check(struct trj_error *err) {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, error_kernel));
    return 0;
}

// Sets the layers first <= i < end of blocks of a region that have points in the range. Blocks of a layer have the same
// planes, and consecutive numbers.
static void find_layers(const struct pot_region *region, const cuda_pair_args *a, uint64_t *first, uint64_t *end) {
    const uint64_t low = region->low[2], n = region->n[2], size = region->size[2], layers = region->blocks[2];
    const uint64_t from = a->first > low ? a->first - low : 0, to = a->end > low ? a->end - low : 0;
    *first = *end = 0;
    if (from >= n || to <= from) return;
    *first = from / size < layers ? from / size : layers - 1; // the last block may be larger
    *end = (to + size - 1) / size < layers ? (to + size - 1) / size : layers;
}

extern "C" int cuda_pair_add(const cuda_pair_args *a, cudaStream_t stream, struct trj_error *err) {
    if (!a->charges || a->first >= a->end) return 0;
    if (a->blocks.point) {
        struct range r = {a->first / POT_BLOCK_OF_LIST,
                          (a->end + POT_BLOCK_OF_LIST - 1) / POT_BLOCK_OF_LIST,
                          {POT_BLOCK_OF_LIST, 1, 1}};
        return launch_range(a, &r, stream, err);
    }
    for (int i = 0; i < a->blocks.regions; i++) {
        const struct pot_region *region = &a->blocks.region[i];
        struct range r;
        uint64_t first, end;
        for (int k = 0; k < 3; k++) {
            uint64_t last = region->n[k] - (region->blocks[k] - 1) * region->size[k];
            r.most[k] = (unsigned)(last > region->size[k] ? last : region->size[k]);
        }
        find_layers(region, a, &first, &end);
        r.first = region->first + (size_t)(first * region->blocks[0] * region->blocks[1]);
        r.end = region->first + (size_t)(end * region->blocks[0] * region->blocks[1]);
        if (r.first < r.end && launch_range(a, &r, stream, err)) return -1;
    }
    return 0;
}

extern "C" int cuda_pair_find_error(const cuda_pair_error *a, cudaStream_t stream, struct trj_error *err) {
    size_t blocks = (a->blocks + ERROR_THREADS - 1) / ERROR_THREADS;
    error_kernel<<<(unsigned)(blocks < 65536 ? blocks : 65536), ERROR_THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
