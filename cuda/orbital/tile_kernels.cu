// SPDX-License-Identifier: MIT
// Computes tables along the axes, and orbitals from them.
#include "check.cuh"
#include "orbital_device.cuh"

// ---- tables

enum { AXIS_THREADS = 128 };

// A thread block computes the table of a group along an axis; one thread a point.
static __global__ void __launch_bounds__(AXIS_THREADS) compute_axes(const __grid_constant__ cuda_orbital_args a) {
    const unsigned axis = blockIdx.x % 3, group = blockIdx.x / 3;
    const orb_axis &table = a.axis[axis];
    const orb_axis_group &g = table.group[group];
    const unsigned width = table.width, lane = threadIdx.x % width;
    const double exponent = a.c.group[group].exponent;
    double high, low;
    orb_axis_start(&table, a.centre[a.c.group[group].centre][axis], &high, &low);
    // All lanes of a warp take part in each step, because they exchange their values.
    for (unsigned from = g.first; from < g.end; from += AXIS_THREADS / width) {
        const unsigned block = from + threadIdx.x / width;
        const bool there = block < g.end;
        const uint64_t index = (uint64_t)block * width + lane;
        const double x = fma((double)index, table.step, high) + low;
        double power[ORB_POWERS] = {0, 0, index < table.n ? trj_exp_of_negative(-exponent * (x * x)) : 0};
        for (unsigned p = 1; p < g.powers + table.orders - 1; p++) power[p + 2] = power[p + 1] * x;
        double *value = table.value + g.value + (size_t)(block - g.first) * table.orders * g.powers * width + lane;
        for (unsigned p = 0; p < g.powers; p++) {
            double largest = 0;
            for (unsigned order = 0; order < table.orders; order++) {
                double v = orb_derivative(order, p, exponent, power, 1);
                if (there) value[(order * g.powers + p) * width] = v;
                largest = fmax(largest, fabs(v));
            }
            for (unsigned step = width / 2; step; step /= 2)
                largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
            if (there && lane == 0) table.maximum[g.maximum + (size_t)(1 + block - g.first) * g.powers + p] = largest;
        }
    }
}

extern "C" int cuda_orbital_axes(const cuda_orbital_args *a, cudaStream_t stream, struct trj_error *err) {
    compute_axes<<<dim3(3 * (unsigned)a->c.groups), AXIS_THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

// ---- orbitals

// A thread block computes up to WARPS boxes with the same indices along y and z, one warp a box, CHUNK columns at a
// time: the product of X [columns][ORB_X] of each box and W [columns][ORB_Z ORB_Y], which the boxes share. Each thread
// has four points along x in the rows of one plane.
//
// Few columns reach a box, so that the time depends on latencies: the thread that tests a column keeps the places of
// its tables, and a chunk is large.
enum { YZ = ORB_Y * ORB_Z, WARPS = 8, THREADS = 32 * WARPS, CHUNK = 64, POINTS_X = 4 };

// A column that reaches a box.
struct reaching {
    const double *x;     // its power of x in the first box, which may be before its table
    const double *y, *z; // powers of y and z
    const orb_column_term *term;
    unsigned terms;
    unsigned boxes;  // a bit for each box that it reaches
    unsigned stride; // from X of a box to that of the next
};

struct tile_memory {
    double w[CHUNK][YZ];
    reaching column[CHUNK + THREADS];
    unsigned kept[WARPS];
};

// What the threads of a block share about its boxes.
struct tile_work {
    unsigned first, count; // boxes along x
    unsigned y, z;
};

// Sets what is needed to compute with a column, and a bit for each box that it reaches.
static __device__ __forceinline__ reaching test_column(const cuda_orbital_args &a, const tile_work &t,
                                                       const orb_column *column, double threshold) {
    const unsigned g = column->group;
    const orb_axis_group &x = a.axis[0].group[g], &y = a.axis[1].group[g], &z = a.axis[2].group[g];
    reaching r;
    r.boxes = 0;
    if (t.y < y.first || t.y >= y.end || t.z < z.first || t.z >= z.end) return r;
    const double *largest_y = orb_axis_maximum(&a.axis[1], g, t.y), *largest_z = orb_axis_maximum(&a.axis[2], g, t.z);
    r.term = a.c.term + column->first_term;
    r.terms = (unsigned)(column[1].first_term - column->first_term);
    double factor = 0;
    for (unsigned k = 0; k < r.terms; k++)
        factor += fabs(r.term[k].coefficient) * largest_y[r.term[k].power[0]] * largest_z[r.term[k].power[1]];
    for (unsigned i = 0; i < t.count; i++) {
        const unsigned box = t.first + i;
        if (box < x.first || box >= x.end) continue;
        if (factor * orb_axis_maximum(&a.axis[0], g, box)[column->power] > threshold) r.boxes |= 1u << i;
    }
    r.stride = x.powers * a.axis[0].orders * ORB_X;
    r.x = a.axis[0].value + x.value + column->power * ORB_X + ((ptrdiff_t)t.first - x.first) * r.stride;
    r.y = orb_axis_value(&a.axis[1], g, t.y, 0, 0);
    r.z = orb_axis_value(&a.axis[2], g, t.z, 0, 0);
    return r;
}

// Adds the first n columns of the list to the sums.
static __device__ __forceinline__ void add_columns(tile_memory &m, unsigned n, double (&sum)[ORB_Y][POINTS_X]) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = lane % 4 * POINTS_X, z = lane / 4;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n * YZ; i += THREADS) {
        const reaching &r = m.column[i / YZ];
        const double *y = r.y + i % ORB_Y, *along_z = r.z + i % YZ / ORB_Y;
        double w = 0;
        for (unsigned k = 0; k < r.terms; k++) {
            const orb_column_term term = r.term[k];
            w = fma(term.coefficient * along_z[term.power[1] * ORB_Z], y[term.power[0] * ORB_Y], w);
        }
        m.w[i / YZ][i % YZ] = w;
    }
    __syncthreads();
#pragma unroll 2
    for (unsigned i = 0; i < n; i++) {
        const reaching &r = m.column[i];
        if (!(r.boxes >> warp & 1)) continue;
        const double *along_x = r.x + warp * r.stride + x, *from = &m.w[i][z * ORB_Y];
        const double2 x01 = *(const double2 *)along_x, x23 = *(const double2 *)(along_x + 2);
        const double v[POINTS_X] = {x01.x, x01.y, x23.x, x23.y};
#pragma unroll
        for (int y = 0; y < ORB_Y; y += 2) {
            const double2 by = *(const double2 *)&from[y];
#pragma unroll
            for (int k = 0; k < POINTS_X; k++) {
                sum[y][k] = fma(by.x, v[k], sum[y][k]);
                sum[y + 1][k] = fma(by.y, v[k], sum[y + 1][k]);
            }
        }
    }
    __syncthreads();
}

static __device__ void compute_orbital(const cuda_orbital_args &a, tile_memory &m, size_t orbital, const tile_work &t,
                                       double (&sum)[ORB_Y][POINTS_X]) {
    const size_t end = a.c.first_column[orbital + 1];
    const double threshold = a.threshold[orbital];
    unsigned pending = 0;
#pragma unroll
    for (int y = 0; y < ORB_Y; y++)
#pragma unroll
        for (int k = 0; k < POINTS_X; k++) sum[y][k] = 0;
    for (size_t from = a.c.first_column[orbital]; from < end; from += THREADS) {
        const size_t column = from + threadIdx.x;
        reaching r;
        r.boxes = 0;
        if (column < end) r = test_column(a, t, &a.c.column[column], threshold);
        unsigned more;
        const unsigned place = pending + rank_of<WARPS>(r.boxes != 0, m.kept, &more);
        if (r.boxes) m.column[place] = r;
        pending += more;
        __syncthreads();
        const bool is_last = from + THREADS >= end;
        while (pending >= CHUNK || (is_last && pending)) {
            const unsigned n = pending < CHUNK ? pending : CHUNK;
            add_columns(m, n, sum);
            pending -= n;
            const bool moves = threadIdx.x < pending;
            reaching next;
            if (moves) next = m.column[n + threadIdx.x];
            __syncthreads();
            if (moves) m.column[threadIdx.x] = next;
            __syncthreads();
        }
    }
}

// Stores the sums of an orbital, or multiplies the values by them.
static __device__ void store(const cuda_orbital_args &a, const tile_work &t, size_t orbital, bool multiplies,
                             const double (&sum)[ORB_Y][POINTS_X]) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t plane = (uint64_t)t.z * ORB_Z + lane / 4,
                   x = (uint64_t)(t.first + warp) * ORB_X + lane % 4 * POINTS_X;
    if (warp >= t.count || plane < a.first || plane >= a.first + a.count) return;
#pragma unroll
    for (int row = 0; row < ORB_Y; row++) {
        const uint64_t y = (uint64_t)t.y * ORB_Y + row;
        if (y >= a.job.n[1]) break;
        double *to = a.value + ((orbital * a.count + (plane - a.first)) * a.job.n[1] + y) * a.job.n[0];
#pragma unroll
        for (int k = 0; k < POINTS_X; k++)
            if (x + k < a.job.n[0]) to[x + k] = multiplies ? sum[row][k] * to[x + k] : sum[row][k];
    }
}

static __global__ void __launch_bounds__(THREADS, 2)
    compute_tiles(const __grid_constant__ cuda_orbital_args a, unsigned first_z, unsigned boxes_z, unsigned width) {
    __shared__ tile_memory m;
    const unsigned segments = (a.axis[0].blocks + width - 1) / width, place = blockIdx.x / segments,
                   row = place / a.axis[1].blocks;
    tile_work t;
    t.first = blockIdx.x % segments * width;
    t.count = a.axis[0].blocks - t.first < width ? a.axis[0].blocks - t.first : width;
    t.y = place % a.axis[1].blocks;
    t.z = first_z + row % boxes_z;
    const size_t orbital = row / boxes_z;
    double sum[ORB_Y][POINTS_X];
    compute_orbital(a, m, orbital, t, sum);
    store(a, t, orbital, false, sum);
    if (a.job.quantity != ORB_PRODUCT) return;
    compute_orbital(a, m, 1, t, sum);
    store(a, t, 0, true, sum);
}

extern "C" int cuda_orbital_tiles(const cuda_orbital_args *a, cudaStream_t stream, struct trj_error *err) {
    const unsigned first_z = (unsigned)(a->first / ORB_Z),
                   boxes_z = (unsigned)((a->first + a->count + ORB_Z - 1) / ORB_Z) - first_z;
    // Boxes along x are divided evenly.
    const unsigned along = a->axis[0].blocks, segments = (along + WARPS - 1) / WARPS,
                   width = (along + segments - 1) / segments;
    const size_t orbitals = a->job.quantity == ORB_PRODUCT ? 1 : a->job.orbitals;
    const size_t blocks = orbitals * boxes_z * a->axis[1].blocks * ((along + width - 1) / width);
    compute_tiles<<<dim3((unsigned)blocks), THREADS, 0, stream>>>(*a, first_z, boxes_z, width);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
