// SPDX-License-Identifier: MIT
// The counting kernel. A unit of work is a row of tiles with a segment of the columns. Warps take units from a counter
// in device memory, find the items of the row (search.cuh) and count them (float64.cuh, float32.cuh or second32.cuh).
//
// The histograms of a block, one for each part, are in shared memory, as counters of 32 bits. Before they can overflow,
// a warp adds them to 64-bit counters in device memory. Pairs too near an edge for float32 (edge_error_bound.h derives
// the bound) are not counted but set in bit masks, and resolved 32 at a time by the float64 rule (lib/count/job.h).
//
// A multiprocessor runs one block, of 768 threads (float64) or 1024 (others), so that all its warps share one
// histogram.
#include "count.h"

#include "check.cuh"
#include "float32.cuh"
#include "float64.cuh"
#include "search.cuh"
#include "second32.cuh"

// Returns the task of a unit and sets what the warp needs of its part and frame. Units ascend, so that the search
// begins at the task of the previous unit.
static __device__ const cuda_task &find_task(warp_state &s, unsigned long long unit) {
    const cuda_count_args &a = *s.a;
    unsigned task = s.own->task, part = s.own->part;
    while (task + 1 < a.task_count && unit >= a.tasks[task + 1].unit) task++;
    while (task >= a.part_end[part]) part++;
    __syncwarp();
    if (s.lane == 0) {
        s.own->task = task;
        s.own->part = part;
        s.own->histogram = shared_address(histogram_of(a, part));
        s.own->tag = make_tag(a.plan.sets[a.tasks[task].rows].frame, part);
    }
    __syncwarp();
    return a.tasks[task];
}

template <class A, bool PLAIN>
static __global__ void __launch_bounds__(A::THREADS, 1) count_kernel(const __grid_constant__ cuda_count_args args) {
    extern __shared__ __align__(16) unsigned char space[];
    warp_space *spaces = (warp_space *)space;
    for (unsigned k = threadIdx.x; k < args.parts * (args.window_bins + blockDim.x / 32); k += blockDim.x)
        histogram_of(args, 0)[k] = 0;
    __syncthreads();
    warp_state s;
    s.a = &args;
    s.own = spaces + threadIdx.x / 32;
    s.lane = threadIdx.x % 32;
    s.queued = s.since_flush = 0;
    if (s.lane == 0) {
        s.own->evaluated = s.own->resolved = 0;
        s.own->task = s.own->part = 0;
    }
    __syncwarp();
    for (;;) {
        unsigned long long unit = 0;
        if (s.lane == 0) unit = atomicAdd(args.next_unit, 1ull);
        unit = args.first_unit + __shfl_sync(FULL, unit, 0) * args.slices + args.slice;
        if (unit >= args.end_unit) break;
        const cuda_task &t = find_task(s, unit);
        begin_task(s, t);
        // All rows with one segment of the columns precede those with the next, so that the columns that warps read at
        // the same time fit into the L2 cache.
        unsigned long long within = unit - t.unit;
        unsigned rows = s.rows.set->boxes[0];
        if (within >= (unsigned long long)rows * t.segments) continue; // units include all atoms of dynamic groups
        s.row = s.rows.tile + (unsigned)(within % rows);
        count_row<A, PLAIN>(s, (unsigned)(within / rows), t.segments);
    }
    resolve<A>(args, s.own->queue, s.queued);
    if (s.lane == 0) {
        atomicAdd(&args.totals->evaluated, s.own->evaluated);
        atomicAdd(&args.totals->resolved, s.own->resolved + s.queued);
    }
    __syncthreads();
    for (unsigned part = 0; part < args.parts; part++) add_histogram(args, part, threadIdx.x, blockDim.x);
}

extern "C" void cuda_count_binning(cuda_count_args *a) {
    a->dr = (a->rmax - a->rmin) / (double)a->bins;
    a->inverse = 1 / a->dr;
    a->shift = a->rmin > 0;
    a->start = a->shift ? (float)(a->rmin / a->dr - 1) : 0;
    a->coarse = a->bins > CUDA_MAX_FINE_BINS;
}

extern "C" double cuda_count_scale(const cuda_count_args *a, cuda_arithmetic arithmetic) {
    return arithmetic == CUDA_FLOAT64 ? CUDA_SCALE64 / a->dr : 1 / a->dr;
}

template <class A, bool PLAIN>
static void launch(const cuda_count_args &args, unsigned blocks, unsigned threads, size_t shared, cudaStream_t stream) {
    count_kernel<A, PLAIN><<<blocks, threads, shared, stream>>>(args);
}

// A kernel for windows that contain all bins from 0 on, and one for others.
struct variant {
    const void *kernel[2];
    void (*launch[2])(const cuda_count_args &, unsigned, unsigned, size_t, cudaStream_t);
    unsigned threads;
};
template <class A> static variant make_variant() {
    return {{(const void *)count_kernel<A, true>, (const void *)count_kernel<A, false>},
            {launch<A, true>, launch<A, false>},
            A::THREADS};
}
static const variant kernels[CUDA_ARITHMETICS] = {
    make_variant<float32>(),
    make_variant<float64>(),
    make_variant<second32<RDF_METRIC_PLANE>>(),
    make_variant<second32<RDF_METRIC_ANGLE>>(),
    make_variant<second32<RDF_METRIC_BODY>>(),
};

static size_t shared_bytes(unsigned parts, unsigned bins, unsigned threads) {
    return sizeof(warp_space) * (threads / 32) + parts * (bins + threads / 32) * sizeof(unsigned);
}

// Returns the number of parts that a launch counts at most. Their histograms take no more than PARTS_BINS counters, so
// that some shared memory is left to the L1 cache. `max` is the number of counters that fit into shared memory.
static unsigned max_parts(unsigned bins, unsigned warps, size_t max) {
    enum { PARTS_BINS = 8192 };
    size_t parts = (max < PARTS_BINS ? max : PARTS_BINS) / (bins + warps);
    return parts < 1 ? 1 : parts > CUDA_MAX_PARTS ? CUDA_MAX_PARTS : (unsigned)parts;
}

// Blocks are large, because their warps share one histogram; the rest of the shared memory is left to the L1 cache.
// They are smaller if the warp_spaces and the histogram do not fit. More bins than fit are divided into windows of
// equal size.
extern "C" int cuda_count_shape(cuda_shape *shape, cuda_arithmetic arithmetic, unsigned long long bins,
                                struct trj_error *err) {
    enum { FEW_BINS = 8192 }; // a window that should fit, even if blocks are smaller
    int device, max_shared, multiprocessors, blocks = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    unsigned want = bins < FEW_BINS ? (unsigned)bins : FEW_BINS, threads = kernels[arithmetic].threads;
    while (threads > 32 && shared_bytes(1, want, threads) > (size_t)max_shared) threads = threads / 64 * 32;
    size_t max = ((size_t)max_shared - shared_bytes(1, 0, threads)) / sizeof(unsigned);
    shape->arithmetic = arithmetic;
    shape->threads = threads;
    unsigned long long windows = (bins + max - 1) / max;
    shape->window = (unsigned)((bins + windows - 1) / windows);
    shape->parts = windows == 1 ? max_parts(shape->window, threads / 32, max) : 1;
    size_t shared = shared_bytes(shape->parts, shape->window, threads);
    for (const void *kernel : kernels[arithmetic].kernel)
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels[arithmetic].kernel[1], (int)threads,
                                                             shared_bytes(1, shape->window, threads)));
    shape->blocks = (unsigned)(blocks * multiprocessors);
    return 0;
}

extern "C" int cuda_count_launch(const cuda_count_args *args, const cuda_shape *shape, cudaStream_t stream,
                                 struct trj_error *err) {
    bool plain = args->window_bins == args->cells && args->shift == 0;
    kernels[shape->arithmetic].launch[!plain](*args, shape->blocks, shape->threads,
                                              shared_bytes(args->parts, args->window_bins, shape->threads), stream);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
