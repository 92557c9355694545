// SPDX-License-Identifier: MIT
// State of a warp of the counting kernel, and the step that counts one pair or queues it for the float64 rule.
//
// Shared memory of a block: one warp_space for each warp, then a histogram for each part. A histogram consists of
// window_bins counters of 32 bits, and one counter for each warp that takes pairs in no bin. Warps share only the
// histograms, by atomic additions, so that the kernel needs __syncthreads only after the histograms are cleared and
// before they are added to device memory; inside a warp, __syncwarp separates writes and reads of its warp_space.
#ifndef CUDA_WARP_CUH
#define CUDA_WARP_CUH

#include <math.h>

#include "count.h"
#include "pair_instructions.cuh"

#define FULL 0xffffffffu
static __device__ constexpr float MAGIC = 8388608.0f; // 2^23: low bits of 2^23 + t, rounded toward zero, are floor(t)
static __device__ constexpr float MAGIC_LESS_HALF = 8388607.5f;
static __device__ constexpr unsigned MAGIC_BITS = 0x4B000000u;

enum { LIST = 32, QUEUE = 64 };

// A work item: a tile of columns with an image that is within reach of the row. Made by one lane, counted by the warp.
struct warp_item {
    double q[3];     // centre of the row minus centre of the column's image, times the plan's scale
    double q2;       // |q|^2 plus the bias of squared distances (cuda_bias)
    float away[3];   // q in Å
    float margin;    // Å, more than the float32 error of differences of positions
    float threshold; // a pair with |h| above this is near an edge (edge_error_bound.h)
    unsigned column;
    // Image numbers 0 and 1 as halves of a word, which RDF_MAX_CELLS and images_start bound; then number 2, and in the
    // upper half warp_space.tag.
    int image[2];
    int inside;         // all pairs are within reach and no place is empty
    unsigned active[2]; // float64: patches that can have pairs in the window (float64::patches)
};

struct __align__(16) near_pair {
    unsigned i, j; // places
    int image[2];  // as in struct warp_item
};

struct warp_space {
    union {
        float4 stage[CUDA_TILE]; // float32: position of an atom of the column, w: its place
        unsigned masks[4][32];   // float64: near pairs
    };
    near_pair queue[QUEUE];
    warp_item list[LIST];
    unsigned long long evaluated, resolved; // kept by lane 0
    // Of the warp; here, because registers are short.
    unsigned task, part;
    unsigned histogram; // address in shared memory, of the part
    unsigned tag;       // frame and part of the task: those of its queued pairs (make_tag)
};

// Frame and part of a queued pair, in 16 bits. A pair can therefore wait in the queue until there are 32, while its
// warp goes on to other frames: a launch of small frames has few pairs a row.
enum { TAG_FRAME_BITS = 10 };
static_assert(CUDA_MAX_FRAMES <= 1 << TAG_FRAME_BITS && CUDA_MAX_PARTS <= 1 << (16 - TAG_FRAME_BITS), "too few bits");

static __device__ __forceinline__ unsigned make_tag(unsigned frame, unsigned part) {
    return (frame | part << TAG_FRAME_BITS) << 16;
}
static __device__ __forceinline__ unsigned tag_frame(const near_pair &e) {
    return (unsigned)e.image[1] >> 16 & ((1u << TAG_FRAME_BITS) - 1);
}
static __device__ __forceinline__ unsigned tag_part(const near_pair &e) {
    return (unsigned)e.image[1] >> (16 + TAG_FRAME_BITS);
}

// One set of a task.
struct side {
    const cuda_set *set;
    unsigned tile; // number of its first tile in the plan's arrays
};

// Distances outside which no pair is in the window of bins.
struct reach {
    double low, high; // Å
    const cuda_frame *frame;
};

struct warp_state {
    const cuda_count_args *a;
    warp_space *own;
    unsigned lane, queued, since_flush;
    side rows, columns;
    bool self;
    double slack;
    reach within;
    unsigned row; // tile, in the plan's arrays
};

// Returns the histogram of a part of the block.
static __device__ __forceinline__ unsigned *histogram_of(const cuda_count_args &a, unsigned part) {
    extern __shared__ __align__(16) unsigned char space[];
    const unsigned warps = blockDim.x / 32;
    return (unsigned *)((warp_space *)space + warps) + part * (a.window_bins + warps);
}

static __device__ __forceinline__ float root(float x) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

static __device__ __forceinline__ float reciprocal_root(float x) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// Constants of the binning, kept in registers.
struct binning {
    float start;
    unsigned bits;      // of 2^23 + the first bin
    unsigned discard;   // counter of this warp after the histogram: one address for all lanes is one access
    unsigned histogram; // shared-memory address
};

static __device__ __forceinline__ binning make_binning(const warp_state &s) {
    binning b;
    b.start = s.a->start;
    b.bits = MAGIC_BITS + s.a->shift + s.a->window_first;
    b.discard = s.a->window_bins + threadIdx.x / 32;
    b.histogram = s.own->histogram;
    return b;
}

// Counts a pair at squared distance r2 (in units of dr^2) unless it is near an edge; then adds `bit` to the mask
// instead. The mask is a float, which holds 24 such bits: float32 additions run in parallel with the integer and
// compare instructions, which limit the speed. A pair in no bin, or near an edge, increments the discard counter, which
// avoids a branch; from a predicated increment the compiler would make one. PLAIN: the window contains all bins from 0,
// so that only its upper end is tested. INSIDE: the pair is known to be in a bin or near an edge.
template <bool PLAIN, bool INSIDE>
static __device__ __forceinline__ void count_one(const binning &b, float r2, float threshold, float bit, float *mask) {
    float t = root(r2);
    if (!PLAIN) t -= b.start;
    float floored = __fadd_rz(t, MAGIC), h = t + (MAGIC_LESS_HALF - floored);
    unsigned address;
    if (INSIDE) {
        address = PLAIN ? 4 * __float_as_uint(floored) + (b.histogram - 4 * MAGIC_BITS)
                        : 4 * (__float_as_uint(floored) - b.bits) + b.histogram;
        discard_near(h, threshold, bit, mask, 4 * b.discard + b.histogram, &address);
    } else {
        move_near(h, threshold, bit, mask, &floored);
        if (PLAIN) {
            floored = fminf(floored, __uint_as_float(MAGIC_BITS + b.discard));
            address = 4 * __float_as_uint(floored) + (b.histogram - 4 * MAGIC_BITS);
        } else {
            address = 4 * min(__float_as_uint(floored) - b.bits, b.discard) + b.histogram;
        }
    }
    increment_shared(address);
}

// Computes d by the rule of lib/count/job.h, of a pair of these atoms; built without contraction (-fmad=false).
static __device__ __forceinline__ void exact_displacement(const cuda_plan &p, const cuda_frame &f, const near_pair &e,
                                                          const unsigned atom[2], double d[3]) {
    const int *wi = p.wrap + 3 * (size_t)e.i, *wj = p.wrap + 3 * (size_t)e.j;
    double n[3];
    const int image[3] = {(short)e.image[0], e.image[0] >> 16, (short)e.image[1]};
    for (int k = 0; k < 3; k++) n[k] = (double)(image[k] + wj[k] - wi[k]);
    for (int c = 0; c < 3; c++) {
        const float *x = f.x + c * f.capacity;
        double xi = (double)x[atom[0]] * f.unit, xj = (double)x[atom[1]] * f.unit;
        d[c] = (xj - xi) + ((n[0] * f.h[0][c] + n[1] * f.h[1][c]) + n[2] * f.h[2][c]);
    }
}

static __device__ __forceinline__ double edge2(const cuda_count_args &a, int k) {
    double e = a.rmin + (double)k * a.dr;
    return e * e;
}

// Returns the bin of r2; -1 below the first, `bins` from the last edge on. The squared edges decide. The root is only
// an estimate: one Newton step after the approximate 1/sqrt leaves an error of 2^-44, so that the loops rarely run.
// r2 is finite, because readers reject coordinates that are not.
static __device__ __forceinline__ int exact_bin(const cuda_count_args &a, double r2) {
    const float y = reciprocal_root((float)r2);
    double r = 0;
    if (r2 > 1e-30) {
        r = r2 * (double)y;
        r += 0.5 * (double)y * (r2 - r * r);
    }
    int k = max(__double2int_rz((r - a.rmin) * a.inverse), 0); // saturates
    k = min(k, (int)a.bins);
#pragma unroll 1
    while (k >= 0 && r2 < edge2(a, k)) k--;
#pragma unroll 1
    while (k < (int)a.bins && r2 >= edge2(a, k + 1)) k++;
    return k;
}

// The rule of jobs without a second coordinate: counts a pair with displacement d.
struct distance_rule {
    static __device__ __forceinline__ void count_exactly(const cuda_count_args &a, const near_pair &e, const unsigned *,
                                                         const double d[3]) {
        unsigned k = (unsigned)exact_bin(a, (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) - a.window_first;
        if (k < a.window_bins) atomicAdd(histogram_of(a, tag_part(e)) + k, 1u);
    }
};

// Counts `count` <= 32 pairs near an edge by the float64 rule of A. Most of its time is latency, so that all loads
// precede the one condition.
template <class A>
static __device__ __forceinline__ void resolve_inline(const cuda_count_args &a, const near_pair *pairs,
                                                      unsigned count) {
    unsigned lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < count) {
        const near_pair e = pairs[lane];
        const cuda_frame &f = a.plan.frames[tag_frame(e)];
        unsigned atom[2] = {a.plan.atom[e.i], a.plan.atom[e.j]};
        const bool there = atom[0] != CUDA_NO_ATOM && atom[1] != CUDA_NO_ATOM;
        for (int k = 0; k < 2; k++) atom[k] = there ? atom[k] : 0;
        double d[3];
        exact_displacement(a.plan, f, e, atom, d);
        if (there) A::count_exactly(a, e, atom, d);
    }
    __syncwarp();
}

template <class A>
static __device__ __noinline__ void resolve(const cuda_count_args &a, const near_pair *pairs, unsigned count) {
    resolve_inline<A>(a, pairs, count);
}

// Moves the counts of a part from its histogram to device memory. Threads first, first + step ... take a bin each. The
// counts of mirrored pairs are also added to the cells with the opposite bin of the second coordinate.
static __device__ __forceinline__ void add_histogram(const cuda_count_args &a, unsigned part, unsigned first,
                                                     unsigned step) {
    unsigned *histogram = histogram_of(a, part);
    unsigned long long *counts = a.counts + part * a.part_stride;
    for (unsigned k = first; k < a.window_bins; k += step) {
        const unsigned long long n = atomicExch(&histogram[k], 0u);
        if (!n) continue;
        const unsigned cell = a.window_first + k;
        atomicAdd(&counts[cell], n);
        if (!a.mirrored) continue;
        const unsigned bins = (unsigned)a.bins, q = cell / bins;
        atomicAdd(&counts[((unsigned)a.metric.second - 1 - q) * bins + (cell - q * bins)], n);
    }
}

static __device__ __noinline__ void flush(const cuda_count_args *a, unsigned part) {
    add_histogram(*a, part, threadIdx.x % 32, 32);
}

// A warp never returns to an earlier part. Of each warp, a histogram therefore contains at most 2^25 pairs, and those
// of one more row and of the queue, that were not flushed: too few for its 32-bit counters to overflow.
static __device__ __forceinline__ void flush_in_time(warp_state &s) {
    if (s.since_flush <= (1u << 25)) return;
    flush(s.a, s.own->part);
    s.since_flush = 0;
}

// Queues the pairs whose bits are set in the lane's four masks; PLACES gives the pair of a bit. INLINED is for narrow
// bins, of which a warp resolves pairs several times for each item: the arguments are then operands in constant memory.
// With 500 bins, the registers that this takes made the kernel 0.6 % slower on an H200.
template <class A, bool INLINED, class PLACES>
static __device__ __forceinline__ void queue_pairs(warp_state &s, const warp_item &item, unsigned m[4],
                                                   const PLACES &places) {
    unsigned mine = __popc(m[0]) + __popc(m[1]) + __popc(m[2]) + __popc(m[3]);
    while (__any_sync(FULL, mine > 0)) {
        // Each lane with a pair left writes one to the queue, until it is full or no pair is left.
        unsigned vote = __ballot_sync(FULL, mine > 0);
        if (mine > 0) {
            near_pair e;
            unsigned word = m[0] ? 0 : m[1] ? 1 : m[2] ? 2 : 3, bits = m[0] ? m[0] : m[1] ? m[1] : m[2] ? m[2] : m[3];
            places.pair_of(word, __ffs(bits) - 1, &e.i, &e.j);
            bits &= bits - 1;
            if (word == 0) m[0] = bits;
            if (word == 1) m[1] = bits;
            if (word == 2) m[2] = bits;
            if (word == 3) m[3] = bits;
            e.image[0] = item.image[0];
            e.image[1] = item.image[1];
            s.own->queue[s.queued + __popc(vote & ((1u << s.lane) - 1))] = e;
            mine--;
        }
        s.queued += __popc(vote);
        if (s.queued >= 32) {
            s.queued -= 32;
            if (s.lane == 0) s.own->resolved += 32;
            if (INLINED)
                resolve_inline<A>(*s.a, s.own->queue + s.queued, 32);
            else
                resolve<A>(*s.a, s.own->queue + s.queued, 32);
        }
    }
}

#endif
