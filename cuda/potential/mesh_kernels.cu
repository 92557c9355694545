// SPDX-License-Identifier: MIT
// Spreads charges onto a mesh. Charges are sorted by brick (mesh_bricks.h), and a thread block adds the charges of a
// brick to a tile in shared memory, which it adds to the mesh in the end. Integer sums do not depend on the order, and
// the products are those of charge_kernel.h.
//
// No atomic operations are necessary in the tile: each warp owns every fourth plane (every second one for order 4), and
// adds one charge at a time. For order 8, each charge adds to 2 planes of a warp; lanes are 8 points of a row, the 2
// planes and 2 rows, and loop over the 8 rows. The bound is the bandwidth of shared memory, 16 bytes for each of 512
// points: 64 cycles of an SM for a charge, 0.25 ms for 1e6 charges on 132 SMs of 1.98 GHz. The float64 operations, 3
// for each point, need a third of this. Atomic additions to global memory took 5 ms.
#include "check.cuh"
#include "mesh_bricks.h"
#include "mesh_kernels.h"

enum { THREADS = 256, SCAN_THREADS = 1024, ROW_LANES = 16 };

// A tile of SIZE^3 points. Lanes of a half warp access the points of a row and other rows at the same time, which the
// strides place in different banks.
template <int ORDER> struct tile_shape {
    static constexpr int SIZE = CUDA_MESH_BRICK + ORDER - 1;
    static constexpr int ROW = ORDER == 4 ? 12 : SIZE;
    static constexpr int WARPS = ORDER == 4 ? 2 : 4, THREADS = 32 * WARPS;
    static constexpr int BATCH =
        THREADS / 4; // charges whose weights a block computes at a time: a thread for each axis
    // Planes of a warp are WARPS apart, which must be 8 modulo 16 numbers.
    static constexpr int PLANE = ORDER == 4 ? 132 : ORDER == 6 ? 170 : 226;
    static_assert(PLANE >= ROW * SIZE && WARPS * PLANE % 16 == 8, "planes must neither overlap nor share banks");
    // Lanes along a row, of planes, and of rows.
    static constexpr int X = ORDER == 4 ? 4 : 8, Z = 2, Y = 32 / (X * Z);
};

// ---- sorting

static __global__ void __launch_bounds__(THREADS) count_kernel(const __grid_constant__ cuda_mesh_args a) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffffu, i < a.count);
    if (i >= a.count) return;
    const double x[3] = {a.position[0][i], a.position[1][i], a.position[2][i]};
    if (!(fabs(a.charge[i]) <= a.max_charge)) *a.failed = 1;
    const struct pot_mesh_place place = pot_mesh_locate(&a.places, x);
    const uint32_t brick = cuda_mesh_brick_of(a.bricks, place.point);
    // Neighbours in the file are neighbours in space: one atomic operation for the lanes that have the same brick.
    const unsigned same = __match_any_sync(active, brick), lane = threadIdx.x % 32;
    const int leader = __ffs((int)same) - 1;
    uint32_t first = 0;
    if ((int)lane == leader) first = atomicAdd(&a.begin[brick], (uint32_t)__popc(same));
    a.brick[i] = brick;
    a.rank[i] = __shfl_sync(same, first, leader) + (uint32_t)__popc(same & ((1u << lane) - 1));
}

// Returns the sum of v over the preceding threads, and sets *all to the sum over the block.
static __device__ unsigned long long scan_block(unsigned long long v, unsigned long long *all) {
    __shared__ unsigned long long of_warp[SCAN_THREADS / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long sum = v;
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned long long other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    __syncthreads();
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        unsigned long long total = of_warp[lane];
        for (unsigned step = 1; step < 32; step *= 2) {
            const unsigned long long other = __shfl_up_sync(0xffffffffu, total, step);
            if (lane >= step) total += other;
        }
        of_warp[lane] = total;
    }
    __syncthreads();
    *all = of_warp[SCAN_THREADS / 32 - 1];
    return sum - v + (warp ? of_warp[warp - 1] : 0);
}

// One block replaces each count by the sum of the preceding counts, and lists the items. The upper half of a sum counts
// items.
static __global__ void __launch_bounds__(SCAN_THREADS) scan_kernel(const __grid_constant__ cuda_mesh_args a) {
    const uint32_t bricks = a.bricks[0] * a.bricks[1] * a.bricks[2];
    unsigned long long before = 0, all;
    for (uint32_t first = 0; first < bricks; first += SCAN_THREADS) {
        const uint32_t brick = first + threadIdx.x, count = brick < bricks ? a.begin[brick] : 0,
                       items = (count + CUDA_MESH_ITEM - 1) / CUDA_MESH_ITEM;
        const unsigned long long sum = before + scan_block((unsigned long long)items << 32 | count, &all);
        const uint32_t begin = (uint32_t)sum, end = begin + count;
        before += all;
        if (count > a.max_charges) *a.failed = 1;
        if (brick < bricks) a.begin[brick] = begin;
        for (uint32_t i = 0; i < items; i++) {
            const uint32_t from = begin + i * CUDA_MESH_ITEM;
            a.item[(uint32_t)(sum >> 32) + i] = {brick, from, min(from + CUDA_MESH_ITEM, end)};
        }
    }
    if (threadIdx.x == 0) *a.items = (uint32_t)(before >> 32);
}

static __global__ void __launch_bounds__(THREADS) order_kernel(const __grid_constant__ cuda_mesh_args a) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < a.count) a.order[a.begin[a.brick[i]] + a.rank[i]] = i;
}

// ---- spreading

template <int ORDER> struct charges {
    // Rows of 10 numbers begin in different banks; those of axis 2 are multiplied by the charge in units.
    double weight[tile_shape<ORDER>::BATCH][3][10];
    uint32_t corner[tile_shape<ORDER>::BATCH][3]; // its first point in the tile
};

// The charge of a thread, which is loaded while the block adds the charges before.
struct loaded {
    double d[3], units;
};

// Loads the charge of this thread, of up to BATCH.
static __device__ void load(const cuda_mesh_args &a, uint32_t first, uint32_t count, struct loaded *l) {
    const unsigned number = threadIdx.x / 3;
    if (number >= count) return;
    const uint32_t i = a.order[first + number];
    for (int k = 0; k < 3; k++) l->d[k] = a.position[k][i] - a.places.origin[k];
    l->units = a.charge[i] * a.spline.scale;
}

// Computes the weights of up to BATCH charges, one axis a thread.
template <int ORDER>
static __device__ void weigh(const cuda_mesh_args &a, const uint32_t begin[3], uint32_t count, const struct loaded &l,
                             struct charges<ORDER> *c) {
    const unsigned number = threadIdx.x / 3, axis = threadIdx.x % 3;
    double fraction;
    uint32_t point;
    if (number >= count) return;
    pot_mesh_locate_axis(&a.places, l.d, (int)axis, &point, &fraction);
    c->corner[number][axis] = point - (axis == 0 ? begin[0] : axis == 1 ? begin[1] : begin[2]);
#pragma unroll
    for (unsigned k = 0; k < ORDER; k++) {
        const double weight = pot_mesh_weight(a.spline.coefficient, ORDER, k, fraction);
        c->weight[number][axis][k] = axis == 2 ? l.units * weight : weight;
    }
}

// Adds a charge to the planes of the warp.
template <int ORDER>
static __device__ void add_charge(const struct charges<ORDER> &c, unsigned number, long long *tile) {
    using shape = tile_shape<ORDER>;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned x = lane % shape::X, y = lane / (shape::X * shape::Z), z0 = c.corner[number][2],
                   z = lane / shape::X % shape::Z * shape::WARPS + ((warp - z0) & (shape::WARPS - 1));
    if (x >= ORDER || z >= ORDER) return;
    long long *to = tile + (z0 + z) * shape::PLANE + (c.corner[number][1] + y) * shape::ROW + c.corner[number][0] + x;
    const double share = c.weight[number][2][z], weight = c.weight[number][0][x];
    long long sum[ORDER / shape::Y];
#pragma unroll
    for (int j = 0; j < ORDER / shape::Y; j++) sum[j] = to[j * shape::Y * shape::ROW];
#pragma unroll
    for (int j = 0; j < ORDER / shape::Y; j++)
        to[j * shape::Y * shape::ROW] =
            sum[j] + pot_mesh_quanta(weight, share * c.weight[number][1][y + (unsigned)(j * shape::Y)]);
}

// Adds the tile to the mesh. Lanes are points of a row.
template <int ORDER>
static __device__ void add_tile(const cuda_mesh_args &a, const uint32_t begin[3], const long long *tile) {
    using shape = tile_shape<ORDER>;
    const unsigned x = threadIdx.x % ROW_LANES;
    if (x >= shape::SIZE) return;
    const uint32_t to_x = cuda_mesh_tile_point(begin[0], x, ORDER, a.n[0]);
    for (unsigned row = threadIdx.x / ROW_LANES; row < shape::SIZE * shape::SIZE; row += shape::THREADS / ROW_LANES) {
        const unsigned y = row % shape::SIZE, z = row / shape::SIZE;
        const long long sum = tile[z * shape::PLANE + y * shape::ROW + x];
        const uint32_t to_y = cuda_mesh_tile_point(begin[1], y, ORDER, a.n[1]),
                       to_z = cuda_mesh_tile_point(begin[2], z, ORDER, a.n[2]);
        if (sum) atomicAdd(&a.values[((uint64_t)to_z * a.n[1] + to_y) * a.n[0] + to_x], (unsigned long long)sum);
    }
}

template <int ORDER>
static __global__ void __launch_bounds__(tile_shape<ORDER>::THREADS)
    spread_kernel(const __grid_constant__ cuda_mesh_args a) {
    using shape = tile_shape<ORDER>;
    __shared__ long long tile[shape::PLANE * shape::SIZE];
    __shared__ struct charges<ORDER> c;
    if (blockIdx.x >= *a.items) return;
    const struct cuda_mesh_item item = a.item[blockIdx.x];
    struct loaded l = {};
    uint32_t begin[3], count = min(item.end - item.first, (uint32_t)shape::BATCH);
    load(a, item.first, count, &l);
    cuda_mesh_brick_begin(a.bricks, item.brick, begin);
    for (unsigned i = threadIdx.x; i < shape::PLANE * shape::SIZE; i += shape::THREADS) tile[i] = 0;
    for (uint32_t first = item.first; first < item.end;) {
        const uint32_t next = first + count, next_count = min(item.end - next, (uint32_t)shape::BATCH);
        __syncthreads(); // the previous weights are no longer read
        weigh<ORDER>(a, begin, count, l, &c);
        __syncthreads();
        load(a, next, next_count, &l);
        for (unsigned i = 0; i < count; i++) {
            add_charge<ORDER>(c, i, tile);
            __syncwarp(); // other lanes read these sums for the next charge
        }
        first = next;
        count = next_count;
    }
    __syncthreads();
    add_tile<ORDER>(a, begin, tile);
}

// ---- launches

extern "C" int cuda_mesh_add(const cuda_mesh_args *a, cudaStream_t stream, struct trj_error *err) {
    const uint32_t bricks = a->bricks[0] * a->bricks[1] * a->bricks[2], blocks = (a->count + THREADS - 1) / THREADS,
                   nonempty = bricks < a->count ? bricks : a->count, items = nonempty + a->count / CUDA_MESH_ITEM;
    if (!a->count) return 0;
    CUDA_CHECK(cudaMemsetAsync(a->begin, 0, bricks * sizeof *a->begin, stream));
    count_kernel<<<blocks, THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    scan_kernel<<<1, SCAN_THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    order_kernel<<<blocks, THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    if (a->spline.order == 4)
        spread_kernel<4><<<items, tile_shape<4>::THREADS, 0, stream>>>(*a);
    else if (a->spline.order == 6)
        spread_kernel<6><<<items, tile_shape<6>::THREADS, 0, stream>>>(*a);
    else
        spread_kernel<8><<<items, tile_shape<8>::THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
