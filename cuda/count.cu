// SPDX-License-Identifier: MIT
// The kernel: a warp takes rows of tiles, finds the tiles and images that can come within reach, and counts. count.h says what it is given.
//
// A row's 64 atoms sit in registers, two a lane; the 64 of a column tile are staged in shared memory, without those that are out of
// reach of the row's box. The histogram of a block is in shared memory, as 32-bit counters that every warp empties into the 64-bit
// ones in device memory long before they can overflow.
//
// Pairs too near an edge for float32 are counted like all others, remembered in a bit mask, and corrected in batches of 32 by the
// float64 rule (lib/rdf/job.h). How near is near: with e = 2^-24, u and v the positions in the column's frame, d = u - v,
//     |error of d| <= e (|u_j| + |u_i| + |v| + |d|) <= e (2 radius_j + radius_i + 2 r)
// (u_i is rounded once, then v = u_i + shift, then d); squares and sums by FMA cost 1.5 e r, sqrt.approx 2 e r. t = (d - rmin) / dr
// adds e t for 1/dr and e rmin / dr; its fraction comes from one FMA and is exact to 2^-23. What float64 loses is in `slack`.
#include <math.h>

#include "count.h"

#define FULL 0xffffffffu
static __device__ constexpr float MAGIC = 8388608.0f; // 2^23: rounded toward zero, the sum's low bits are floor(t)
static __device__ constexpr float MAGIC_LESS_HALF = 8388607.5f;
static __device__ constexpr unsigned MAGIC_BITS = 0x4B000000u;

enum { LIST = 40, QUEUE = 64 };

// A tile that comes within reach of the row through an image; made by one lane, worked off by the warp.
struct hit {
    double q[3];     // the row's centre as the image of the column sees it
    float threshold; // a bin's fraction this far from its middle is near an edge
    unsigned column;
    short image[3];
};

struct near_pair {
    unsigned i, j; // slots
    short image[3];
};

struct warp_space {
    float4 stage[CUDA_TILE]; // position of a column atom, w its slot
    near_pair queue[QUEUE];
    hit list[LIST];
    unsigned long long evaluated, resolved; // kept by lane 0
};

struct warp_state {
    const cuda_count_args *a;
    const cuda_count_task *task;
    warp_space *own;
    unsigned *histogram;
    unsigned histogram_address;
    unsigned lane, queued, since_flush;
    size_t row;
    double row_centre[3];
    float3 half; // of the row's box, rounded up
    float4 u[2]; // the lane's atoms, relative to the row's centre
};

__device__ __forceinline__ float root(float x) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// What binning needs, in registers.
struct binning {
    float start, inverse;
    unsigned bits;      // of 2^23 + the first bin
    unsigned nowhere;   // a counter of the warp's own behind the histogram: equal addresses of a warp are one access
    unsigned histogram; // shared-memory address
};

__device__ __forceinline__ binning make_binning(const cuda_count_args &a, unsigned histogram, unsigned lane) {
    binning b;
    b.start = a.start;
    b.inverse = a.inverse;
    b.bits = MAGIC_BITS + a.shift + a.window_first;
    b.nowhere = a.window_bins + threadIdx.x / 32;
    b.histogram = histogram;
    return b;
}

// 2^23 + floor((d - start) / dr), and h, the distance from the middle of that bin. PLAIN: start is 0.
template <bool PLAIN>
__device__ __forceinline__ float fast_bin(const binning &b, const float3 &v, const float4 &p, float *h) {
    float dx = p.x - v.x, dy = p.y - v.y, dz = p.z - v.z;
    float d = root(__fmaf_rn(dx, dx, __fmaf_rn(dy, dy, dz * dz)));
    if (!PLAIN) d -= b.start;
    float t = __fmaf_rz(d, b.inverse, MAGIC);
    *h = __fmaf_rn(d, b.inverse, MAGIC_LESS_HALF - t);
    return t;
}

// Counts without a branch: what is in no bin goes nowhere. PLAIN: all bins are here, from 0, so that only the upper end is open.
template <bool PLAIN>
__device__ __forceinline__ void count_fast(const binning &b, const float3 &v, const float4 &p, float threshold,
                                           unsigned bit, bool meant, unsigned *mask) {
    float h, t = fast_bin<PLAIN>(b, v, p, &h);
    unsigned address;
    if (PLAIN) {
        t = fminf(t, __uint_as_float(MAGIC_BITS + b.nowhere));
        if (!meant) t = __uint_as_float(MAGIC_BITS + b.nowhere);
        address = 4 * __float_as_uint(t) + (b.histogram - 4 * MAGIC_BITS);
    } else {
        unsigned k = min(__float_as_uint(t) - b.bits, b.nowhere);
        if (!meant) k = b.nowhere;
        address = 4 * k + b.histogram;
    }
    if (!meant) h = NAN; // near no edge, whatever the threshold
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address));
    asm volatile("{.reg .pred p; setp.gt.f32 p, %1, %2; @p or.b32 %0, %0, %3;}"
                 : "+r"(*mask)
                 : "f"(fabsf(h)), "f"(threshold), "r"(bit));
}

__device__ __forceinline__ float4 staged(unsigned address) {
    float4 p;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=f"(p.w)
                 : "r"(address));
    return p;
}

// The row's centre as the column's image sees it.
__device__ __forceinline__ void offset(const cuda_count_task &t, size_t row, size_t column, const short image[3],
                                       double q[3]) {
    for (int c = 0; c < 3; c++) {
        double shift = image[0] * t.h[0][c] + image[1] * t.h[1][c] + image[2] * t.h[2][c];
        q[c] = t.rows.centre[3 * row + c] - t.columns.centre[3 * column + c] - shift;
    }
}

__device__ __forceinline__ float3 moved(const float4 &u, const double q[3]) {
    return make_float3((float)((double)u.x + q[0]), (float)((double)u.y + q[1]), (float)((double)u.z + q[2]));
}

// Squared distance by the rule of lib/rdf/job.h; built without contraction (-fmad=false).
__device__ double exact_r2(const cuda_count_task &task, const near_pair &q) {
    unsigned atom_i = task.rows.atom[q.i], atom_j = task.columns.atom[q.j];
    const int *wi = task.rows.wrap + 3 * (size_t)q.i, *wj = task.columns.wrap + 3 * (size_t)q.j;
    double n[3], d[3];
    for (int k = 0; k < 3; k++) n[k] = (double)(q.image[k] + wj[k] - wi[k]);
    for (int c = 0; c < 3; c++) {
        double xi = (double)task.x[c][atom_i] * task.unit, xj = (double)task.x[c][atom_j] * task.unit;
        d[c] = (xj - xi) + ((n[0] * task.h[0][c] + n[1] * task.h[1][c]) + n[2] * task.h[2][c]);
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

__device__ __forceinline__ double edge2(const cuda_count_args &a, long long k) {
    double e = a.rmin + (double)k * a.dr;
    return e * e;
}

// The bin of r2, starting from a guess that is next to it, or far off.
__device__ long long exact_bin(const cuda_count_args &a, double r2, long long guess) {
    long long k = guess < -1 ? -1 : guess > (long long)a.bins ? (long long)a.bins : guess;
    if (a.coarse) k = (long long)fmin((sqrt(r2) - a.rmin) / a.dr, (double)a.bins);
    if (k < -1) k = -1;
    // The squared edges have the last word: below the first lies -1, from the last on `bins`.
    while (k >= 0 && r2 < edge2(a, k)) k--;
    while (k < (long long)a.bins && r2 >= edge2(a, k + 1)) k++;
    return k;
}

// Corrects the bins of `count` pairs.
template <bool PLAIN>
__device__ __noinline__ void resolve(const cuda_count_args *a, const cuda_count_task *t, const near_pair *pairs,
                                     unsigned *histogram, unsigned count) {
    unsigned lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < count) {
        near_pair e = pairs[lane];
        binning b = make_binning(*a, 0, lane);
        double q[3];
        float h;
        offset(*t, e.i / CUDA_TILE, e.j / CUDA_TILE, e.image, q);
        unsigned was =
            __float_as_uint(fast_bin<PLAIN>(b, moved(t->rows.local[e.i], q), t->columns.local[e.j], &h)) - b.bits;
        long long guess = (long long)(int)(was + a->window_first);
        unsigned is = (unsigned)(exact_bin(*a, exact_r2(*t, e), guess) - a->window_first); // -1 becomes a large one
        if (is != was) {
            if (was < a->window_bins) atomicSub(&histogram[was], 1u);
            if (is < a->window_bins) atomicAdd(&histogram[is], 1u);
        }
    }
    __syncwarp();
}

// Counters are read as signed: a correction may come after the count it corrects was flushed.
__device__ __noinline__ void flush(unsigned *histogram, unsigned bins, unsigned long long *counts) {
    for (unsigned k = threadIdx.x % 32; k < bins; k += 32) {
        int n = (int)atomicExch(&histogram[k], 0u);
        if (n) atomicAdd(&counts[k], (unsigned long long)(long long)n);
    }
}

// Puts the pairs whose bits are set into the queue. mask[r][word]: bit k is the lane's atom r with the staged atom 32 word + k.
template <bool PLAIN>
__device__ __forceinline__ void remember(warp_state &s, const hit &item, const unsigned mask[2][2]) {
    unsigned m[4] = {mask[0][0], mask[0][1], mask[1][0], mask[1][1]};
    unsigned mine = __popc(m[0]) + __popc(m[1]) + __popc(m[2]) + __popc(m[3]);
    while (__any_sync(FULL, mine > 0)) {
        // The lanes with something to say put down one pair each, until the queue is full or all is said.
        unsigned vote = __ballot_sync(FULL, mine > 0);
        if (mine > 0) {
            near_pair &e = s.own->queue[s.queued + __popc(vote & ((1u << s.lane) - 1))];
            unsigned part = m[0] ? 0 : m[1] ? 1 : m[2] ? 2 : 3, bits = m[0] ? m[0] : m[1] ? m[1] : m[2] ? m[2] : m[3];
            unsigned k = __ffs(bits) - 1;
            bits &= bits - 1;
            if (part == 0) m[0] = bits;
            if (part == 1) m[1] = bits;
            if (part == 2) m[2] = bits;
            if (part == 3) m[3] = bits;
            e.i = (unsigned)s.row * CUDA_TILE + 32 * (part / 2) + s.lane;
            e.j = __float_as_uint(s.own->stage[32 * (part % 2) + k].w);
            e.image[0] = item.image[0];
            e.image[1] = item.image[1];
            e.image[2] = item.image[2];
            mine--;
        }
        s.queued += __popc(vote);
        if (s.queued >= 32) {
            s.queued -= 32;
            if (s.lane == 0) s.own->resolved += 32;
            resolve<PLAIN>(s.a, s.task, s.own->queue + s.queued, s.histogram, 32);
        }
    }
}

// What the warp needs of an item.
__device__ __forceinline__ hit make_hit(const cuda_count_args &a, const cuda_count_task &t, size_t row, unsigned column,
                                        const int image[3]) {
    hit e;
    e.column = column;
    for (int k = 0; k < 3; k++) e.image[k] = (short)image[k];
    offset(t, row, column, e.image, e.q);
    float radius = (float)t.columns.radius[column] * 1.00001f, row_radius = (float)t.rows.radius[row] * 1.00001f;
    float between = sqrtf((float)(e.q[0] * e.q[0] + e.q[1] * e.q[1] + e.q[2] * e.q[2]));
    float farthest = fminf((float)a.rmax, between + row_radius + radius) * 1.00001f;
    float error = 0x1p-24f * (2 * radius + row_radius + 5.6f * farthest + 2 * (float)a.rmin) + (float)t.slack;
    float near = (1.02f * error + 0x1p-24f * 1.1f * farthest) * a.inverse + 0x1p-20f;
    e.threshold = near < 0.5f && !a.coarse ? 0.5f - near : -1.0f;
    return e;
}

template <bool PLAIN, bool DIAGONAL> __device__ __forceinline__ void count_item(warp_state &s, const hit &item) {
    const cuda_count_args &a = *s.a;
    const cuda_count_task &task = *s.task;
    const cuda_tiles &rows = task.rows, &columns = task.columns;
    // Stage the column's atoms that come within reach of the row's box.
    float3 centre = make_float3((float)item.q[0], (float)item.q[1], (float)item.q[2]);
    float reach = (float)task.reach * 1.00001f + 1e-3f;
    unsigned first = item.column * CUDA_TILE,
             there = columns.atoms - first < CUDA_TILE ? columns.atoms - first : CUDA_TILE, n = 0;
    __syncwarp();
    for (int part = 0; part < 2; part++) {
        unsigned j = part * 32 + s.lane;
        float4 p = columns.local[first + j];
        float gx = fmaxf(fabsf(p.x - centre.x) - s.half.x, 0.0f), gy = fmaxf(fabsf(p.y - centre.y) - s.half.y, 0.0f),
              gz = fmaxf(fabsf(p.z - centre.z) - s.half.z, 0.0f);
        bool in = j < there && gx * gx + gy * gy + gz * gz <= reach * reach;
        unsigned vote = __ballot_sync(FULL, in);
        p.w = __uint_as_float(first + j);
        if (in) s.own->stage[n + __popc(vote & ((1u << s.lane) - 1))] = p;
        n += __popc(vote);
    }
    unsigned padded = (n + 7) & ~7u;
    if (s.lane < padded - n) s.own->stage[n + s.lane] = make_float4(1e15f, 0, 0, 0); // out of everything's reach
    __syncwarp();
    float3 v[2] = {moved(s.u[0], item.q), moved(s.u[1], item.q)};
    unsigned slot = (unsigned)s.row * CUDA_TILE + s.lane;
    const float threshold = item.threshold;
    const binning b = make_binning(a, s.histogram_address, s.lane);
    unsigned stage = (unsigned)__cvta_generic_to_shared(s.own->stage);
    unsigned mask[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
    for (int word = 0; word < 2; word++) {
        for (unsigned g = 32 * word; g < padded && g < 32 * word + 32; g += 8) {
            unsigned some[2] = {0, 0};
#pragma unroll
            for (int k = 0; k < 8; k++) {
                float4 p = staged(stage + 16 * (g + k));
#pragma unroll
                for (int r = 0; r < 2; r++)
                    count_fast<PLAIN>(b, v[r], p, threshold, 1u << k, !DIAGONAL || __float_as_uint(p.w) > slot + 32 * r,
                                      &some[r]);
            }
            mask[0][word] |= some[0] << (g & 31);
            mask[1][word] |= some[1] << (g & 31);
        }
        unsigned valid = n >= 32 * word + 32 ? FULL : n > 32 * word ? (1u << (n - 32 * word)) - 1 : 0;
        mask[0][word] &= slot < rows.atoms ? valid : 0;
        mask[1][word] &= slot + 32 < rows.atoms ? valid : 0;
    }
    remember<PLAIN>(s, item, mask);
    s.since_flush += 64 * padded;
    if (s.lane == 0) s.own->evaluated += 64 * n;
    if (s.since_flush > (1u << 25)) {
        flush(s.histogram, a.window_bins, task.counts + a.window_first);
        s.since_flush = 0;
    }
}

// Images n of a box whose centre is d from ours, |n_k + g_k d| <= range: the ranges of lib/tile/items.c.
struct images {
    int low[3], high[3], at[3];
};

__device__ __noinline__ bool images_start(images &m, const cuda_count_task &t, const double d[3],
                                          const double half[3]) {
    bool any = true;
    for (int k = 0; k < 3; k++) {
        double s = 0, extent = 0, length2 = 0;
        for (int c = 0; c < 3; c++) {
            s += t.g[k][c] * d[c];
            extent += fabs(t.g[k][c]) * half[c];
            length2 += t.g[k][c] * t.g[k][c];
        }
        double range = length2 > 0 ? sqrt(length2) * t.reach + extent + 1e-9 : 0;
        m.low[k] = m.at[k] = (int)ceil(-s - range);
        m.high[k] = (int)floor(-s + range);
        any = any && m.low[k] <= m.high[k];
    }
    m.at[2]--;
    return any;
}

// Steps to the next image within reach.
__device__ __noinline__ bool images_next(images &m, const cuda_count_task &t, const double d[3], const double half[3]) {
    for (;;) {
        int k = 2;
        while (k >= 0 && ++m.at[k] > m.high[k]) {
            m.at[k] = m.low[k];
            k--;
        }
        if (k < 0) return false;
        double gap2 = 0;
        for (int c = 0; c < 3; c++) {
            double gap = fabs(d[c] + m.at[0] * t.h[0][c] + m.at[1] * t.h[1][c] + m.at[2] * t.h[2][c]) - half[c];
            if (gap > 0) gap2 += gap * gap;
        }
        if (gap2 <= t.reach * t.reach * (1 + 1e-12)) return true;
    }
}

__device__ void between(const warp_state &s, const double *centre, const double *half, size_t box, double d[3],
                        double h[3]) {
    for (int c = 0; c < 3; c++) {
        d[c] = centre[3 * box + c] - s.row_centre[c];
        h[c] = half[3 * box + c] + s.task->rows.half[3 * s.row + c];
    }
}

template <bool PLAIN> __device__ __forceinline__ void count_row(warp_state &s, unsigned segment) {
    const cuda_count_task &t = *s.task;
    const cuda_tiles &columns = t.columns;
    unsigned first_column = t.self ? (unsigned)s.row : 0;
    for (int c = 0; c < 3; c++) s.row_centre[c] = t.rows.centre[3 * s.row + c];
    for (int r = 0; r < 2; r++) {
        float4 p = t.rows.local[s.row * CUDA_TILE + 32 * r + s.lane];
        s.u[r] = s.row * CUDA_TILE + 32 * r + s.lane < t.rows.atoms ? p : make_float4(-1e15f, 0, 0, 0);
    }
    s.half = make_float3((float)t.rows.half[3 * s.row] * 1.00001f, (float)t.rows.half[3 * s.row + 1] * 1.00001f,
                         (float)t.rows.half[3 * s.row + 2] * 1.00001f);
    unsigned chunks = (columns.tiles + 31) / 32;
    for (unsigned base = first_column / 32; base < chunks; base += 32) {
        // A lane a chunk of 32 tiles; then, for each chunk within reach, a lane a tile.
        double d[3], half[3];
        images m;
        unsigned chunk = base + s.lane;
        bool near = false;
        if (chunk < chunks && chunk % s.a->segments == segment) {
            between(s, columns.chunk_centre, columns.chunk_half, chunk, d, half);
            near = images_start(m, t, d, half) && images_next(m, t, d, half);
        }
        for (unsigned vote = __ballot_sync(FULL, near); vote; vote &= vote - 1) {
            unsigned column = (base + __ffs(vote) - 1) * 32 + s.lane;
            bool more = column >= first_column && column < columns.tiles;
            if (more) {
                between(s, columns.centre, columns.half, column, d, half);
                more = images_start(m, t, d, half) && images_next(m, t, d, half);
            }
            do {
                unsigned listed = 0, hits;
                while (listed <= LIST - 32 && (hits = __ballot_sync(FULL, more))) {
                    if (more) {
                        s.own->list[listed + __popc(hits & ((1u << s.lane) - 1))] =
                            make_hit(*s.a, t, s.row, column, m.at);
                        more = images_next(m, t, d, half);
                    }
                    listed += __popc(hits);
                }
                __syncwarp();
                for (unsigned i = 0; i < listed; i++) {
                    const hit &item = s.own->list[i];
                    if (t.self && item.column == s.row)
                        count_item<PLAIN, true>(s, item);
                    else
                        count_item<PLAIN, false>(s, item);
                }
                __syncwarp();
            } while (__any_sync(FULL, more));
        }
    }
    if (s.queued) resolve<PLAIN>(s.a, s.task, s.own->queue, s.histogram, s.queued);
    if (s.lane == 0) s.own->resolved += s.queued;
    s.queued = 0;
}

template <bool PLAIN>
__global__ void __launch_bounds__(CUDA_MOST_THREADS, 1)
    count_kernel(const __grid_constant__ cuda_count_args args, const cuda_count_task *tasks) {
    extern __shared__ __align__(16) unsigned char space[];
    warp_space *spaces = (warp_space *)space;
    unsigned *histogram = (unsigned *)(spaces + blockDim.x / 32);
    for (unsigned k = threadIdx.x; k < args.window_bins; k += blockDim.x) histogram[k] = 0;
    __syncthreads();
    warp_state s;
    s.a = &args;
    s.task = tasks;
    s.own = spaces + threadIdx.x / 32;
    s.histogram = histogram;
    s.histogram_address = (unsigned)__cvta_generic_to_shared(histogram);
    s.lane = threadIdx.x % 32;
    s.queued = s.since_flush = 0;
    if (s.lane == 0) s.own->evaluated = s.own->resolved = 0;
    unsigned long long units = (unsigned long long)tasks->rows.tiles * args.segments;
    for (;;) {
        unsigned long long unit = 0;
        if (s.lane == 0) unit = atomicAdd(args.next_unit, 1ull);
        unit = __shfl_sync(FULL, unit, 0);
        if (unit >= units) break;
        s.row = unit / args.segments;
        count_row<PLAIN>(s, (unsigned)(unit % args.segments));
    }
    if (s.lane == 0) {
        atomicAdd(&args.totals[0], s.own->evaluated);
        atomicAdd(&args.totals[1], s.own->resolved);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < args.window_bins; k += blockDim.x) {
        int n = (int)histogram[k];
        if (n) atomicAdd((unsigned long long *)&tasks->counts[args.window_first + k], (unsigned long long)(long long)n);
    }
}

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...)    TEXT_OF(__VA_ARGS__)

extern "C" const char *cuda_count_archs(void) {
    return TEXT(__CUDA_ARCH_LIST__);
}

extern "C" size_t cuda_count_shared(unsigned bins, unsigned threads) {
    return sizeof(warp_space) * (threads / 32) + (bins + 32) * sizeof(unsigned);
}

static const void *kernel_for(const cuda_count_args *args) {
    bool plain = args->window_bins == args->bins && args->shift == 0;
    return plain ? (const void *)count_kernel<true> : (const void *)count_kernel<false>;
}

extern "C" cudaError_t cuda_count_blocks(unsigned bins, unsigned threads, int *blocks) {
    size_t shared = cuda_count_shared(bins, threads);
    cudaError_t e = cudaFuncSetAttribute(count_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (e == cudaSuccess)
        e = cudaFuncSetAttribute(count_kernel<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (e == cudaSuccess)
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, count_kernel<false>, (int)threads, shared);
    return e;
}

extern "C" cudaError_t cuda_count_launch(const cuda_count_args *args, const cuda_count_task *task, unsigned blocks,
                                         unsigned threads, cudaStream_t stream) {
    void *values[] = {(void *)args, (void *)&task};
    return cudaLaunchKernel(kernel_for(args), dim3(blocks), dim3(threads), values,
                            cuda_count_shared(args->window_bins, threads), stream);
}
