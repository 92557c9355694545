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
    int image[2];       // image numbers 0 and 1 as halves of a word, then 2; RDF_MAX_CELLS and images_start bound them
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
    unsigned task, part;                    // of the warp; here, because registers are short
};

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
    unsigned histogram_address; // of the part, in shared memory
    unsigned lane, queued, since_flush;
    side rows, columns;
    bool self;
    double slack;
    reach within;
    unsigned row; // tile, in the plan's arrays
};

static __device__ __forceinline__ unsigned *histogram(const warp_state &s) {
    return (unsigned *)__cvta_shared_to_generic(s.histogram_address);
}

static __device__ __forceinline__ float root(float x) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
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
    b.histogram = s.histogram_address;
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
    // gtu is also true for NaN. 0f7E800000 is 2^126, which moves a pair beyond all bins.
    if (INSIDE) {
        address = PLAIN ? 4 * __float_as_uint(floored) + (b.histogram - 4 * MAGIC_BITS)
                        : 4 * (__float_as_uint(floored) - b.bits) + b.histogram;
        asm volatile(
            "{.reg .pred near; setp.gtu.f32 near, %2, %3; @near add.f32 %0, %0, %4; selp.b32 %1, %5, %1, near;}"
            : "+f"(*mask), "+r"(address)
            : "f"(fabsf(h)), "f"(threshold), "f"(bit), "r"(4 * b.discard + b.histogram));
    } else {
        asm volatile(
            "{.reg .pred near; setp.gtu.f32 near, %2, %3; @near add.f32 %0, %0, %4; @near add.f32 %1, %1, 0f7E800000;}"
            : "+f"(*mask), "+f"(floored)
            : "f"(fabsf(h)), "f"(threshold), "f"(bit));
        if (PLAIN) {
            floored = fminf(floored, __uint_as_float(MAGIC_BITS + b.discard));
            address = 4 * __float_as_uint(floored) + (b.histogram - 4 * MAGIC_BITS);
        } else {
            address = 4 * min(__float_as_uint(floored) - b.bits, b.discard) + b.histogram;
        }
    }
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address));
}

// Computes d by the rule of lib/count/job.h; built without contraction (-fmad=false).
static __device__ void exact_displacement(const cuda_plan &p, const cuda_frame &f, const near_pair &q, double d[3]) {
    unsigned atom[2] = {p.atom[q.i], p.atom[q.j]};
    const int *wi = p.wrap + 3 * (size_t)q.i, *wj = p.wrap + 3 * (size_t)q.j;
    double n[3];
    const int image[3] = {(short)q.image[0], q.image[0] >> 16, q.image[1]};
    for (int k = 0; k < 3; k++) n[k] = (double)(image[k] + wj[k] - wi[k]);
    for (int c = 0; c < 3; c++) {
        const float *x = f.x + c * f.capacity;
        double xi = (double)x[atom[0]] * f.unit, xj = (double)x[atom[1]] * f.unit;
        d[c] = (xj - xi) + ((n[0] * f.h[0][c] + n[1] * f.h[1][c]) + n[2] * f.h[2][c]);
    }
}

static __device__ __forceinline__ double edge2(const cuda_count_args &a, long long k) {
    double e = a.rmin + (double)k * a.dr;
    return e * e;
}

// Returns the bin of r2; -1 below the first, `bins` from the last edge on. The squared edges decide.
static __device__ long long exact_bin(const cuda_count_args &a, double r2) {
    double t = (sqrt(r2) - a.rmin) * a.inverse;
    long long k = t < (double)a.bins ? (long long)t : (long long)a.bins;
    if (k < 0) k = 0;
    while (k >= 0 && r2 < edge2(a, k)) k--;
    while (k < (long long)a.bins && r2 >= edge2(a, k + 1)) k++;
    return k;
}

// As rdf_metric_bound.
static __device__ double second_bound(const struct rdf_metric &m, long long q) {
    double n = (double)m.second, e = m.kind == RDF_METRIC_PLANE ? (double)q * (m.window / n) : (double)q * (2 / n) - 1;
    return e * fabs(e);
}

// Returns the bin of the second coordinate, by lib/count/metric.h; -1 if there is none.
static __device__ long long exact_second(const struct rdf_metric &m, double r2, double along) {
    double s = along * fabs(along), scale = 1, at = 0;
    if (m.kind == RDF_METRIC_PLANE) {
        s = fabs(s);
        if (!(s < second_bound(m, (long long)m.second))) return -1;
        at = fabs(along) / m.window * (double)m.second;
    } else {
        scale = r2;
        at = r2 > 0 ? (along / sqrt(r2) + 1) / 2 * (double)m.second : (double)m.second;
    }
    long long n = (long long)m.second, q = at > 0 ? at < (double)n ? (long long)at : n - 1 : 0;
#pragma unroll 1
    while (q > 0 && s < second_bound(m, q) * scale) q--;
#pragma unroll 1
    while (q + 1 < n && s >= second_bound(m, q + 1) * scale) q++;
    return q;
}

// As rdf_metric_along, of the atom at a place.
static __device__ double exact_along(const cuda_count_args &a, const cuda_frame &f, unsigned place, const double d[3]) {
    if (a.metric.kind != RDF_METRIC_BODY) return d[a.metric.axis];
    const float *u = f.x + a.first_axis + a.plan.atom[place];
    return (d[0] * (double)u[0] + d[1] * (double)u[f.capacity]) + d[2] * (double)u[2 * f.capacity];
}

// Returns the cell of d; a number outside of [0, cells) if there is none.
static __device__ long long exact_cell(const cuda_count_args &a, const double d[3], double along) {
    const struct rdf_metric &m = a.metric;
    double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    if (!m.kind) return exact_bin(a, r2);
    if (m.kind == RDF_METRIC_PLANE) {
        double u = d[m.axis == 0], v = d[m.axis == 2 ? 1 : 2];
        r2 = u * u + v * v;
    }
    long long k = exact_bin(a, r2);
    if (k < 0 || k >= (long long)a.bins) return -1;
    long long q = exact_second(m, r2, along);
    return q < 0 ? -1 : q * (long long)a.bins + k;
}

// Counts `count` <= 32 pairs near an edge by the float64 rule.
static __device__ __noinline__ void resolve(const cuda_count_args *a, const cuda_frame *f, const near_pair *pairs,
                                            unsigned *histogram, unsigned count) {
    unsigned lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < count) {
        near_pair e = pairs[lane];
        if (a->plan.atom[e.i] != CUDA_NO_ATOM && a->plan.atom[e.j] != CUDA_NO_ATOM) {
            double d[3];
            exact_displacement(a->plan, *f, e, d);
            long long k = exact_cell(*a, d, exact_along(*a, *f, e.i, d)) - a->window_first;
            if (k >= 0 && k < a->window_bins) atomicAdd(&histogram[k], 1u);
        }
    }
    __syncwarp();
}

static __device__ __noinline__ void flush(unsigned *histogram, unsigned bins, unsigned long long *counts) {
    for (unsigned k = threadIdx.x % 32; k < bins; k += 32) {
        unsigned n = atomicExch(&histogram[k], 0u);
        if (n) atomicAdd(&counts[k], (unsigned long long)n);
    }
}

// A warp never returns to an earlier part. Of each warp, a histogram therefore contains at most 2^25 pairs, and those
// of one more row, that were not flushed: too few for its 32-bit counters to overflow.
static __device__ __forceinline__ void flush_in_time(warp_state &s) {
    if (s.since_flush <= (1u << 25)) return;
    flush(histogram(s), s.a->window_bins, s.a->counts + s.own->part * s.a->part_stride + s.a->window_first);
    s.since_flush = 0;
}

// Queues the pairs whose bits are set in the lane's four masks; PLACES gives the pair of a bit.
template <class PLACES>
static __device__ __forceinline__ void queue_pairs(warp_state &s, const warp_item &item, unsigned m[4],
                                                   const PLACES &places) {
    unsigned mine = __popc(m[0]) + __popc(m[1]) + __popc(m[2]) + __popc(m[3]);
    while (__any_sync(FULL, mine > 0)) {
        // Each lane with a pair left writes one to the queue, until it is full or no pair is left.
        unsigned vote = __ballot_sync(FULL, mine > 0);
        if (mine > 0) {
            near_pair e;
            unsigned word = m[0] ? 0 : m[1] ? 1 : m[2] ? 2 : 3, bits = m[0] ? m[0] : m[1] ? m[1] : m[2] ? m[2] : m[3];
            places.of(word, __ffs(bits) - 1, &e.i, &e.j);
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
            resolve(s.a, s.within.frame, s.own->queue + s.queued, histogram(s), 32);
        }
    }
}

#endif
