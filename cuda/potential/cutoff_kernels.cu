// SPDX-License-Identifier: MIT
// The kernels of the method cutoff, and their launches: images of atoms, blocks of points, and points of a list.

#include "check.cuh"
#include "cutoff_block.cuh"
#include "cutoff_kernels.h"
#include "cutoff_records.cuh"
#include "prefix_sum.h"

enum {
    POINT_THREADS = 128,
    RESIDENT = 2, // thread blocks of a multiprocessor
};
// The magnitudes of the contributions to a point that are computed in float64, and of the others, must not exceed this,
// so that sums are far below 2^63.
#define MAX_MAGNITUDE 0x1p60f

static_assert(sizeof(cuda_cutoff_args) + sizeof(cuda_cutoff_images) <= 4096, "limit of kernel arguments");

// ---- blocks of points

static __device__ struct block_memory divide_memory(const cuda_cutoff_args &c, char *all) {
    struct block_memory m;
    m.entry = (float *)all;
    m.record = (unsigned *)(m.entry + (c.chunk + 1) * STRIDE);
    m.rank = (unsigned short *)(m.record + c.entries);
    m.list = m.rank + c.entries;
    m.class_ = (unsigned char *)(m.list + PARTS * c.chunk);
    return m;
}

static size_t memory_of(unsigned chunk, unsigned entries) {
    return (chunk + 1) * STRIDE * sizeof(float) + entries * (sizeof(unsigned) + sizeof(unsigned short) + 1) +
           PARTS * chunk * sizeof(unsigned short);
}

static __device__ void set_block(const cuda_cutoff_args &c, struct place_of_block *b) {
    const unsigned columns = (unsigned)(c.plan.n[0] + POT_BLOCK - 1) / POT_BLOCK,
                   rows = (unsigned)(c.plan.n[1] + POT_BLOCK - 1) / POT_BLOCK;
    b->first[0] = (int)(blockIdx.x % columns) * POT_BLOCK;
    b->first[1] = (int)(blockIdx.x / columns % rows) * POT_BLOCK;
    b->first[2] = (int)(c.first_plane + blockIdx.x / columns / rows * POT_BLOCK);
    for (int k = 0; k < 3; k++) {
        b->n[k] = (unsigned)min(c.plan.n[k] - b->first[k], (int)POT_BLOCK);
        b->centre[k] = 0;
        for (int v = 0; v < 3; v++) b->centre[k] += ((double)b->first[v] + 3.5) * c.constants.step[v][k];
        b->low[k] = cell_along(c.plan, k, b->first[k] - c.plan.farthest[k]);
        b->high[k] = cell_along(c.plan, k, b->first[k] + POT_BLOCK - 1 + c.plan.farthest[k]);
    }
}

static __device__ struct lane_points points_of(const cuda_cutoff_args &c, const struct place_of_block &b) {
    const struct pot_cutoff_lattice &l = c.constants.vectors;
    const unsigned lane = threadIdx.x % 32;
    struct lane_points p = {.part = threadIdx.x / 32};
    const int3 from = part_of(p.part);
    p.x = 4 * (unsigned)from.x;
    p.y = 4 * (unsigned)from.y + 2 * (lane & 1);
    p.z = 2 * (unsigned)from.z + (lane >> 1 & 1);
    p.valid = 0;
    for (unsigned k = 0; k < EACH; k++)
        if (p.x + k % 4 < b.n[0] && p.y + k / 4 < b.n[1] && p.z < b.n[2]) p.valid |= 1u << k;
    for (unsigned j = 0; j < 2; j++) {
        p.shift_x[j] = l.shift_x[p.y + j + POT_BLOCK * p.z];
        p.shift_y[j] = l.shift_y[p.y + j + POT_BLOCK * p.z];
    }
    return p;
}

// Computes the error bound of the block as cutoff_sum.c, and checks that the sums cannot overflow.
static __device__ void finish_block(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                    const struct block_static &s) {
    double error = (double)(long long)s.error / c.error_scale, capacity = s.magnitude;
    for (int k = 0; k < CLASSES; k++) {
        error += (double)s.total[CLASSES - 1 - k] * ldexp(c.quantum, k - 1);
        capacity += (double)s.total[CLASSES - 1 - k] * ldexp(1.0, 22 + k);
    }
    if (!(capacity <= MAX_MAGNITUDE)) *c.failed = 1;
    atomicMax(&r.found[2], (unsigned long long)__double_as_longlong(error));
}

template <int KIND, bool SKEW>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    add_blocks(const __grid_constant__ cuda_cutoff_args c, const __grid_constant__ cuda_cutoff_images r) {
    extern __shared__ __align__(16) char dynamic[];
    __shared__ struct block_static s;
    __shared__ struct place_of_block b;
    if (r.found[0] > r.capacity) return;
    const unsigned thread = threadIdx.x;
    const struct block_memory m = divide_memory(c, dynamic);
    s.far[thread] = s.exact[thread] = 0;
    if (thread < CLASSES) s.total[thread] = 0;
    if (thread < PARTS) s.cursor[thread] = (struct row_cursor){thread, 0, 0};
    // Entry `chunk` is far away from all points.
    if (thread < STRIDE) m.entry[c.chunk * STRIDE + thread] = thread < 16 ? 1e3f : 0;
    if (thread == 0) {
        set_block(c, &b);
        s.queued[0] = s.queued[1] = 0;
        s.error = 0;
        s.magnitude = 0;
    }
    __syncthreads();
    const struct lane_points p = points_of(c, b);
    const bool used = __any_sync(ALL, p.valid != 0);
    double point[3];
    long long exact = 0;
    float magnitude = 0;
    const unsigned own = 4 * (p.part & 1) + thread % 4 +
                         POT_BLOCK * (4 * (p.part >> 1 & 1) + thread / 4 % 4 +
                                      POT_BLOCK * (2 * (p.part >> 2) + thread / 16 % 2)); // with EXACT
    if (KIND == EXACT) point_position(c, b.first, own, point);
    const bool own_valid =
        own % POT_BLOCK < b.n[0] && own / POT_BLOCK % POT_BLOCK < b.n[1] && own / POT_BLOCK / POT_BLOCK < b.n[2];
    unsigned parity = 0;
    for (bool more = true; more;) {
        if (thread < CLASSES) s.count[thread] = 0;
        if (thread == 0) s.found = 0;
        __syncthreads();
        more = __syncthreads_or(find_candidates(c, r, b, m, s));
        const unsigned candidates = s.found;
        classify(c, r, b, m, s, candidates);
        __syncthreads();
        const unsigned n = sort_entries(m, s, candidates);
        for (unsigned first = 0; first < n; first += c.chunk, parity ^= 1) {
            const unsigned of_chunk = min(c.chunk, n - first);
            const struct block_context o = {c, r, b, m, s, m.record + first, parity};
            prepare_entry<SKEW>(c, r, b, m, s, o.record, of_chunk);
            __syncthreads();
            if (KIND == EXACT) {
                if (used) add_chunk_exactly(o, p, point, own_valid, &exact, &magnitude);
            } else if (used) {
                add_chunk<KIND == EXACT ? POT_KERNEL_COUNT : KIND, SKEW>(o, p, first, of_chunk);
            }
            __syncthreads();
            if (thread == 0) s.queued[parity ^ 1] = 0;
            if (KIND != EXACT) magnitude += resolve_pairs<KIND, SKEW>(o, of_chunk);
            if (s.queued[parity] > QUEUE) __syncthreads(); // they have read the entries
        }
        __syncthreads();
    }
    if (KIND == EXACT) s.exact[own] = exact;
    for (int step = 16; step; step /= 2) {
        const float other = __shfl_xor_sync(ALL, magnitude, step);
        magnitude = KIND == EXACT ? fmaxf(magnitude, other) : magnitude + other; // EXACT: that of one point
    }
    if (thread % 32 == 0 && magnitude > 0) {
        if (KIND == EXACT)
            atomicMax((int *)&s.magnitude, __float_as_int(magnitude)); // the order of positive numbers is that of bits
        else
            atomicAdd(&s.magnitude, magnitude);
    }
    __syncthreads();
    const unsigned x = (unsigned)b.first[0] + thread % POT_BLOCK,
                   y = (unsigned)b.first[1] + thread / POT_BLOCK % POT_BLOCK,
                   z = (unsigned)b.first[2] + thread / POT_BLOCK / POT_BLOCK;
    if (x < (unsigned)c.plan.n[0] && y < (unsigned)c.plan.n[1] && z < c.end_plane)
        c.values[x + (size_t)c.plan.n[0] * (y + (size_t)c.plan.n[1] * z)] +=
            (unsigned long long)s.far[thread] + (unsigned long long)s.exact[thread];
    if (thread == 0) finish_block(c, r, s);
}

// ---- a list of points

// As pot_cutoff_sum_point. A thread block adds all images of all atoms to one point.
static __global__ void __launch_bounds__(POINT_THREADS) add_points(const __grid_constant__ cuda_cutoff_args c) {
    __shared__ unsigned long long total;
    __shared__ double magnitudes;
    const size_t number = c.first_point + blockIdx.x;
    const double point[3] = {c.point[number][0], c.point[number][1], c.point[number][2]};
    long long sum = 0;
    double magnitude = 0;
    if (threadIdx.x == 0) {
        total = 0;
        magnitudes = 0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < c.count; i += POINT_THREADS) {
        struct cuda_cutoff_exact e;
        double x[3], low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        if (!take_atom(c, i, x, &e.a, &e.b)) {
            *c.failed = 1;
            continue;
        }
        if (e.a == 0) continue;
        for (int v = 0; v < 3; v++) {
            if (!(c.periodic >> v & 1)) continue;
            const double *row = c.plan.fraction[v];
            double middle = 0, length = 0;
            for (int k = 0; k < 3; k++) {
                middle += row[k] * (point[k] - x[k]);
                length += row[k] * row[k];
            }
            const double range = c.kernel.cutoff * sqrt(length) + 1e-6 + 1e-12 * fabs(middle);
            low[v] = ceil(middle - range);
            high[v] = floor(middle + range);
        }
        for (double n2 = low[2]; n2 <= high[2]; n2++)
            for (double n1 = low[1]; n1 <= high[1]; n1++)
                for (double n0 = low[0]; n0 <= high[0]; n0++) {
                    long long whole;
                    for (int k = 0; k < 3; k++)
                        e.y[k] = x[k] + ((n0 * c.plan.h[0][k] + n1 * c.plan.h[1][k]) + n2 * c.plan.h[2][k]);
                    magnitude += exact_quanta(c, e, point, &whole);
                    sum += whole;
                }
    }
    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(ALL, sum, step);
        magnitude += __shfl_xor_sync(ALL, magnitude, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&total, (unsigned long long)sum);
        atomicAdd(&magnitudes, magnitude);
    }
    __syncthreads();
    if (threadIdx.x) return;
    if (!(magnitudes <= (double)MAX_MAGNITUDE)) *c.failed = 1;
    c.values[number] += total;
}

// ---- host

extern "C" int cuda_cutoff_scratch(size_t cells, size_t *bytes, struct trj_error *err) {
    unsigned *none = nullptr;
    CUDA_CHECK(cuda_prefix_sum(nullptr, bytes, none, none, cells + 1, 0));
    return 0;
}

extern "C" int cuda_cutoff_shape(cuda_cutoff_args *a, struct trj_error *err) {
    int device, max_shared;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    // Two thread blocks of a multiprocessor with 227 KiB; or one of the smallest multiprocessors, with 64 KiB.
    const bool large = max_shared >= 224 << 10;
    a->chunk = large ? 416 : 192;
    a->entries = large ? 3072 : 1024;
    return 0;
}

static unsigned launch_blocks(size_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

template <int KIND, bool SKEW>
static int launch(const cuda_cutoff_args *a, const cuda_cutoff_images *r, cudaStream_t stream, struct trj_error *err) {
    const size_t bytes = memory_of(a->chunk, a->entries);
    size_t blocks = launch_blocks(a->end_plane - a->first_plane, POT_BLOCK);
    for (int k = 0; k < 2; k++) blocks *= launch_blocks((size_t)a->plan.n[k], POT_BLOCK);
    if (blocks >> 31) {
        cuda_set_error(err, cudaErrorInvalidConfiguration, "too many blocks of points", __FILE__, __LINE__);
        return -1;
    }
    CUDA_CHECK(cudaFuncSetAttribute((const void *)add_blocks<KIND, SKEW>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)bytes));
    add_blocks<KIND, SKEW><<<(unsigned)blocks, THREADS, bytes, stream>>>(*a, *r);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

template <bool SKEW>
static int launch_kind(const cuda_cutoff_args *a, const cuda_cutoff_images *r, cudaStream_t stream,
                       struct trj_error *err) {
    if (a->constants.near > 1) return launch<EXACT, SKEW>(a, r, stream, err);
    switch (a->constants.vectors.kernel) {
    case POT_KERNEL_RODRIGUES:
        return launch<POT_KERNEL_RODRIGUES, SKEW>(a, r, stream, err);
    case POT_KERNEL_SHIFT:
        return launch<POT_KERNEL_SHIFT, SKEW>(a, r, stream, err);
    case POT_KERNEL_REACTION:
        return launch<POT_KERNEL_REACTION, SKEW>(a, r, stream, err);
    case POT_KERNEL_ERFC:
        return launch<POT_KERNEL_ERFC, SKEW>(a, r, stream, err);
    case POT_KERNEL_YUKAWA:
        return launch<POT_KERNEL_YUKAWA, SKEW>(a, r, stream, err);
    case POT_KERNEL_LJ:
        return launch<POT_KERNEL_LJ, SKEW>(a, r, stream, err);
    case POT_KERNEL_BUCKINGHAM:
        return launch<POT_KERNEL_BUCKINGHAM, SKEW>(a, r, stream, err);
    case POT_KERNEL_TABLE:
        return launch<POT_KERNEL_TABLE, SKEW>(a, r, stream, err);
    default:
        return launch<POT_KERNEL_COUNT, SKEW>(a, r, stream, err);
    }
}

extern "C" int cuda_cutoff_add(const cuda_cutoff_args *a, const cuda_cutoff_images *r, cudaStream_t stream,
                               struct trj_error *err) {
    const cuda_lattice_plan &p = a->plan;
    const size_t cells = (size_t)p.cells[0] * p.cells[1] * p.cells[2];
    size_t scratch = r->scratch_bytes;
    CUDA_CHECK(cudaMemsetAsync(r->next, 0, (cells + 1) * sizeof *r->next, stream));
    if (a->count) count_records<<<launch_blocks(a->count, RECORD_THREADS), RECORD_THREADS, 0, stream>>>(*a, *r);
    CUDA_CHECK(cudaGetLastError());
    keep_max<<<1, 1, 0, stream>>>(r->found);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cuda_prefix_sum(r->scratch, &scratch, r->next, r->first, cells + 1, stream));
    CUDA_CHECK(cudaMemcpyAsync(r->next, r->first, cells * sizeof *r->next, cudaMemcpyDeviceToDevice, stream));
    if (a->count) place_records<<<launch_blocks(a->count, RECORD_THREADS), RECORD_THREADS, 0, stream>>>(*a, *r);
    CUDA_CHECK(cudaGetLastError());
    return a->constants.vectors.skew ? launch_kind<true>(a, r, stream, err) : launch_kind<false>(a, r, stream, err);
}

extern "C" int cuda_cutoff_add_points(const cuda_cutoff_args *a, cudaStream_t stream, struct trj_error *err) {
    for (cuda_cutoff_args part = *a; part.first_point < a->end_point; part.first_point = part.end_point) {
        const size_t n = a->end_point - part.first_point, max_points = 1u << 30;
        part.end_point = part.first_point + (n < max_points ? n : max_points);
        add_points<<<(unsigned)(part.end_point - part.first_point), POINT_THREADS, 0, stream>>>(part);
        CUDA_CHECK(cudaGetLastError());
    }
    return 0;
}
