// SPDX-License-Identifier: MIT
// The counting kernel: a warp takes rows of tiles, finds the tiles and images that can come within reach, and counts.
//
// The histogram of a block is in shared memory, as 32-bit counters that every warp empties into the 64-bit ones in device memory long
// before they can overflow. Pairs too near an edge for float32 (nearness.h has the bound) are not counted but remembered in bit masks,
// and resolved in batches of 32 by the float64 rule (lib/rdf/job.h).
#include <math.h>

#include "count.h"
#include "nearness.h"

#define FULL 0xffffffffu
static __device__ constexpr float MAGIC = 8388608.0f; // 2^23: rounded toward zero, the sum's low bits are floor(t)
static __device__ constexpr float MAGIC_LESS_HALF = 8388607.5f;
static __device__ constexpr unsigned MAGIC_BITS = 0x4B000000u;

enum { LIST = 32, QUEUE = 64 };

// A tile that comes within reach of the row through an image; made by one lane, worked off by the warp.
struct hit {
    double q[3];     // the row's centre as the image of the column sees it, in the plan's scale
    double q2;       // its square, and what is added to squared distances
    float away[3];   // the same in Å
    float margin;    // Å, more than float32 loses in differences of positions
    float threshold; // a bin's fraction this far from its middle is near an edge
    unsigned column;
    int image[2]; // the first two as halves of a word, the third: they are below RDF_MOST_CELLS and 2 (images_start)
    int inside;   // all its pairs are within reach, no slot is empty
    unsigned active[2]; // float64: patches that can have pairs in the window (float64::patches)
};

struct __align__(16) near_pair {
    unsigned i, j; // slots
    int image[2];  // as in struct hit
};

struct warp_space {
    union {
        float4 stage[CUDA_TILE]; // float32: position of a column atom, w its slot
        unsigned masks[4][32];   // float64: near pairs
    };
    near_pair queue[QUEUE];
    hit list[LIST];
    unsigned long long evaluated, resolved; // kept by lane 0
};

// The sets a task is about, as a kernel wants them.
struct side {
    const cuda_set *set;
    unsigned tile; // number of the first one in the plan's arrays
};

// Only pairs at these distances can be in the window.
struct reach {
    double low, high; // Å
    const cuda_frame *frame;
};

struct warp_state {
    const cuda_count_args *a;
    warp_space *own;
    unsigned *histogram;
    unsigned histogram_address;
    unsigned lane, queued, since_flush;
    side rows, columns;
    bool self;
    double slack;
    reach within;
    unsigned row; // tile, in the plan's arrays
};

static __device__ __forceinline__ float root(float x) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// What binning needs, in registers.
struct binning {
    float start;
    unsigned bits;      // of 2^23 + the first bin
    unsigned nowhere;   // a counter of the warp's own behind the histogram: equal addresses of a warp are one access
    unsigned histogram; // shared-memory address
};

static __device__ __forceinline__ binning make_binning(const warp_state &s) {
    binning b;
    b.start = s.a->start;
    b.bits = MAGIC_BITS + s.a->shift + s.a->window_first;
    b.nowhere = s.a->window_bins + threadIdx.x / 32;
    b.histogram = s.histogram_address;
    return b;
}

// Counts a pair at squared distance r2 (in units of dr^2) unless it is near an edge; then adds `bit` to the mask instead, a float that 24
// such bits fit: float32 additions run beside the integer and compare instructions, which are what there is too much of. What is in no bin
// goes nowhere, and so does what is near an edge: there is no branch. (For a predicated increment the compiler makes one.) PLAIN: all bins
// are here, from 0, so that only the upper end is open. INSIDE: the pair is in a bin, or near an edge.
template <bool PLAIN, bool INSIDE>
static __device__ __forceinline__ void count_one(const binning &b, float r2, float threshold, float bit, float *mask) {
    float t = root(r2);
    if (!PLAIN) t -= b.start;
    float floored = __fadd_rz(t, MAGIC), h = t + (MAGIC_LESS_HALF - floored);
    unsigned address;
    // gtu: a NaN is near, too. 2^126 is beyond all bins, whatever it is added to.
    if (INSIDE) {
        address = PLAIN ? 4 * __float_as_uint(floored) + (b.histogram - 4 * MAGIC_BITS)
                        : 4 * (__float_as_uint(floored) - b.bits) + b.histogram;
        asm volatile(
            "{.reg .pred near; setp.gtu.f32 near, %2, %3; @near add.f32 %0, %0, %4; selp.b32 %1, %5, %1, near;}"
            : "+f"(*mask), "+r"(address)
            : "f"(fabsf(h)), "f"(threshold), "f"(bit), "r"(4 * b.nowhere + b.histogram));
    } else {
        asm volatile(
            "{.reg .pred near; setp.gtu.f32 near, %2, %3; @near add.f32 %0, %0, %4; @near add.f32 %1, %1, 0f7E800000;}"
            : "+f"(*mask), "+f"(floored)
            : "f"(fabsf(h)), "f"(threshold), "f"(bit));
        if (PLAIN) {
            floored = fminf(floored, __uint_as_float(MAGIC_BITS + b.nowhere));
            address = 4 * __float_as_uint(floored) + (b.histogram - 4 * MAGIC_BITS);
        } else {
            address = 4 * min(__float_as_uint(floored) - b.bits, b.nowhere) + b.histogram;
        }
    }
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address));
}

// Squared distance by the rule of lib/rdf/job.h; built without contraction (-fmad=false).
static __device__ double exact_r2(const cuda_plan &p, const cuda_frame &f, const near_pair &q) {
    unsigned atom[2] = {p.atom[q.i], p.atom[q.j]};
    const int *wi = p.wrap + 3 * (size_t)q.i, *wj = p.wrap + 3 * (size_t)q.j;
    double n[3], d[3];
    const int image[3] = {(short)q.image[0], q.image[0] >> 16, q.image[1]};
    for (int k = 0; k < 3; k++) n[k] = (double)(image[k] + wj[k] - wi[k]);
    for (int c = 0; c < 3; c++) {
        const float *x = f.x + c * f.room;
        double xi = (double)x[atom[0]] * f.unit, xj = (double)x[atom[1]] * f.unit;
        d[c] = (xj - xi) + ((n[0] * f.h[0][c] + n[1] * f.h[1][c]) + n[2] * f.h[2][c]);
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

static __device__ __forceinline__ double edge2(const cuda_count_args &a, long long k) {
    double e = a.rmin + (double)k * a.dr;
    return e * e;
}

// The bin of r2; -1 below the first, `bins` from the last edge on. The squared edges have the last word.
static __device__ long long exact_bin(const cuda_count_args &a, double r2) {
    double t = (sqrt(r2) - a.rmin) * a.inverse;
    long long k = t < (double)a.bins ? (long long)t : (long long)a.bins;
    if (k < 0) k = 0;
    while (k >= 0 && r2 < edge2(a, k)) k--;
    while (k < (long long)a.bins && r2 >= edge2(a, k + 1)) k++;
    return k;
}

// Counts `count` pairs that float32 could not place.
static __device__ __noinline__ void resolve(const cuda_count_args *a, const cuda_frame *f, const near_pair *pairs,
                                            unsigned *histogram, unsigned count) {
    unsigned lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < count) {
        near_pair e = pairs[lane];
        if (a->plan.atom[e.i] != CUDA_NO_ATOM && a->plan.atom[e.j] != CUDA_NO_ATOM) {
            long long k = exact_bin(*a, exact_r2(a->plan, *f, e)) - a->window_first;
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

static __device__ __forceinline__ void flush_in_time(warp_state &s) {
    if (s.since_flush <= (1u << 25)) return;
    flush(s.histogram, s.a->window_bins, s.a->counts + s.a->window_first);
    s.since_flush = 0;
}

// Queues the pairs whose bits are set in the lane's four masks; SLOTS says which pair a bit is.
template <class SLOTS>
static __device__ __forceinline__ void remember(warp_state &s, const hit &item, unsigned m[4], const SLOTS &slots) {
    unsigned mine = __popc(m[0]) + __popc(m[1]) + __popc(m[2]) + __popc(m[3]);
    while (__any_sync(FULL, mine > 0)) {
        // The lanes with something to say put down one pair each, until the queue is full or all is said.
        unsigned vote = __ballot_sync(FULL, mine > 0);
        if (mine > 0) {
            near_pair e;
            unsigned word = m[0] ? 0 : m[1] ? 1 : m[2] ? 2 : 3, bits = m[0] ? m[0] : m[1] ? m[1] : m[2] ? m[2] : m[3];
            slots.of(word, __ffs(bits) - 1, &e.i, &e.j);
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
            resolve(s.a, s.within.frame, s.own->queue + s.queued, s.histogram, 32);
        }
    }
}

// Squared distances of 8 atoms with 8 others by one instruction. A lane holds a coordinate of an atom of each side (which: lane % 4, 3
// being the square; whose: lane / 4) and gets the distances of row lane / 4 with columns 2 (lane % 4) and the next.
struct float64 {
    enum { THREADS = 768 };
    static __device__ __forceinline__ void multiply(double d[2], double a, double b, const double c[2]) {
#if __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
            : "=d"(d[0]), "=d"(d[1])
            : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
#endif
    }

    struct slots {
        unsigned row, column, lane;
        __device__ __forceinline__ void of(unsigned word, unsigned bit, unsigned *i, unsigned *j) const {
            *i = row * CUDA_TILE + 16 * word + 8 * (bit / 16) + lane / 4;
            *j = column * CUDA_TILE + 8 * (bit % 16 / 2) + 2 * (lane % 4) + bit % 2;
        }
    };

    // Which of the 8 x 8 patches can have pairs in the window: bit mb of byte nb % 4 of word nb / 4.
    static __device__ __forceinline__ void patches(const warp_state &s, const hit &item, unsigned active[2]) {
        const float4 *row = s.a->plan.patch + 2 * (s.row * (CUDA_TILE / CUDA_PATCH) + s.lane % 8);
        float4 rc = row[0], rh = row[1];
        float low = (float)s.within.low * 0.99999f - item.margin, high = (float)s.within.high * 1.00001f + item.margin;
        for (int w = 0; w < 2; w++) {
            const float4 *column = s.a->plan.patch + 2 * (item.column * (CUDA_TILE / CUDA_PATCH) + 4 * w + s.lane / 8);
            float4 cc = column[0], ch = column[1];
            float dx = fabsf(rc.x + item.away[0] - cc.x), dy = fabsf(rc.y + item.away[1] - cc.y),
                  dz = fabsf(rc.z + item.away[2] - cc.z);
            float hx = rh.x + ch.x, hy = rh.y + ch.y, hz = rh.z + ch.z;
            float gx = fmaxf(dx - hx, 0.0f), gy = fmaxf(dy - hy, 0.0f), gz = fmaxf(dz - hz, 0.0f);
            bool in = gx * gx + gy * gy + gz * gz <= high * high;
            if (low > 0) {
                float far2 = (dx + hx) * (dx + hx) + (dy + hy) * (dy + hy) + (dz + hz) * (dz + hz);
                in = in && far2 >= low * low;
            }
            active[w] = __ballot_sync(FULL, in);
        }
    }

    // Finds out about all listed items before any is counted, so that their loads overlap. Returns which have pairs in the window.
    static __device__ __forceinline__ unsigned prepare(warp_state &s, unsigned listed) {
        unsigned todo = 0;
#pragma unroll 2
        for (unsigned i = 0; i < listed; i++) {
            hit &item = s.own->list[i];
            unsigned active[2] = {FULL, FULL};
            if (!item.inside) patches(s, item, active);
            if (s.lane < 2) item.active[s.lane] = s.lane ? active[1] : active[0];
            if (active[0] | active[1]) todo |= 1u << i;
        }
        __syncwarp();
        return todo;
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_items(warp_state &s, unsigned listed) {
        for (unsigned todo = prepare(s, listed); todo; todo &= todo - 1) {
            count_item<PLAIN>(s, s.own->list[__ffs(todo) - 1]);
            flush_in_time(s);
        }
    }

    // The halves of a word of the masks.
    static __device__ __forceinline__ unsigned both(const float mask[2]) {
        return (unsigned)mask[0] | (unsigned)mask[1] << 16;
    }

    // A patch of rows with four of columns.
    template <bool PLAIN, bool INSIDE>
    static __device__ __forceinline__ void count_patches(const binning &bins, double a, const double b[4],
                                                         const double v2[2], float threshold, int bit, float *mask) {
        double d[4][2];
#pragma unroll
        for (int n = 0; n < 4; n++) multiply(d[n], a, b[n], v2);
#pragma unroll
        for (int n = 0; n < 4; n++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                count_one<PLAIN, INSIDE>(bins, cuda_cut(d[n][e]), threshold, (float)(1u << (bit + 2 * n + e)), mask);
    }

    // A tile with itself: only columns behind the row. What does not count is moved out of reach.
    template <bool PLAIN>
    static __device__ __noinline__ void count_triangle(const binning &bins, const double *row, double times,
                                                       double plus, double shift, double q2, float threshold,
                                                       unsigned *masks) {
        unsigned lane = threadIdx.x % 32;
        const double square[2] = {q2, q2};
#pragma unroll 1
        for (int word = 0; word < 4; word++) {
            float mask[2] = {0, 0};
#pragma unroll
            for (int half = 0; half < 2; half++) {
                int mb = 2 * word + half;
                double w = row[32 * mb], v2[2];
                multiply(v2, w, shift, square);
#pragma unroll 1
                for (int nb = mb; nb < 8; nb++) {
                    double c[2], d[2];
                    bool meant[2];
                    for (int e = 0; e < 2; e++) {
                        meant[e] = nb > mb || 2 * (lane % 4) + e > lane / 4;
                        c[e] = meant[e] ? v2[e] : CUDA_FAR_AWAY;
                    }
                    multiply(d, fma(w, times, plus), row[32 * nb], c);
                    for (int e = 0; e < 2; e++)
                        count_one<PLAIN, false>(bins, cuda_cut(d[e]), threshold,
                                                meant[e] ? (float)(1u << (2 * nb + e)) : 0.0f, &mask[half]);
                }
            }
            masks[32 * word] = both(mask);
        }
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_item(warp_state &s, const hit &item) {
        const cuda_plan &p = s.a->plan;
        unsigned k = s.lane % 4, evaluated = CUDA_TILE * CUDA_TILE;
        const double *row = p.local64 + 4 * (size_t)s.row * CUDA_TILE + s.lane;
        const double *column = p.local64 + 4 * (size_t)item.column * CUDA_TILE + s.lane;
        // The row's atoms as the column sees them, v = w + q: -2 v and 1 to multiply u and |u|^2 with, and |v|^2 by the same means.
        double qk = item.q[k < 3 ? k : 0];
        double times = k < 3 ? -2.0 : 0.0, plus = k < 3 ? -2.0 * qk : 1.0, shift = k < 3 ? 2.0 * qk : 1.0;
        const float threshold = item.threshold;
        const binning bins = make_binning(s);
        unsigned *masks = &s.own->masks[0][s.lane];
        if (s.self && item.column == s.row) {
            count_triangle<PLAIN>(bins, row, times, plus, shift, item.q2, threshold, masks);
        } else {
            double b[8], w[2] = {row[0], row[32]};
#pragma unroll
            for (int nb = 0; nb < 8; nb++) b[nb] = column[32 * nb];
            const unsigned active[2] = {item.active[0], item.active[1]};
            evaluated = 0;
            for (int g = 0; g < 2; g++)
                evaluated += 256 * __popc((active[g] | active[g] >> 8 | active[g] >> 16 | active[g] >> 24) & 0xff);
            const double square[2] = {item.q2, item.q2};
#pragma unroll 1
            for (int word = 0; word < 4; word++) {
                float mask[2] = {0, 0};
                double a[2], v2[2][2], now[2] = {w[0], w[1]};
                w[0] = row[64 * ((word + 1) % 4)]; // for the next turn
                w[1] = row[64 * ((word + 1) % 4) + 32];
                if (!((active[0] | active[1]) & 0x03030303u << 2 * word)) {
                    masks[32 * word] = 0;
                    continue;
                }
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    multiply(v2[half], now[half], shift, square);
                    a[half] = fma(now[half], times, plus);
                }
                if (item.inside) {
#pragma unroll
                    for (int half = 0; half < 2; half++)
#pragma unroll
                        for (int g = 0; g < 2; g++)
                            count_patches<PLAIN, true>(bins, a[half], b + 4 * g, v2[half], threshold, 8 * g,
                                                       &mask[half]);
                } else {
#pragma unroll
                    for (int half = 0; half < 2; half++)
#pragma unroll
                        for (int g = 0; g < 2; g++)
                            if (active[g] & 0x01010101u << (2 * word + half))
                                count_patches<PLAIN, false>(bins, a[half], b + 4 * g, v2[half], threshold, 8 * g,
                                                            &mask[half]);
                }
                masks[32 * word] = both(mask);
            }
        }
        unsigned m[4];
        for (int word = 0; word < 4; word++) m[word] = masks[32 * word];
        remember(s, item, m, slots{s.row, item.column, s.lane});
        s.since_flush += evaluated;
        if (s.lane == 0) s.own->evaluated += evaluated;
    }

    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error64(a.rmax, between, radii, a.dr);
    }
};

struct float32 {
    enum { THREADS = 1024 };
    static __device__ __forceinline__ float4 staged(unsigned address) {
        float4 p;
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=f"(p.w)
                     : "r"(address));
        return p;
    }

    static __device__ __forceinline__ float3 moved(const float4 &u, const double q[3]) { // q in units of dr, as u is
        return make_float3((float)((double)u.x + q[0]), (float)((double)u.y + q[1]), (float)((double)u.z + q[2]));
    }

    struct slots {
        const float4 *stage;
        unsigned row, lane;
        __device__ __forceinline__ void of(unsigned word, unsigned bit, unsigned *i, unsigned *j) const {
            *i = row * CUDA_TILE + 32 * (word / 2) + lane;
            *j = __float_as_uint(stage[32 * (word % 2) + bit].w);
        }
    };

    template <bool PLAIN> static __device__ __forceinline__ void count_items(warp_state &s, unsigned listed) {
        for (unsigned i = 0; i < listed; i++) {
            const hit &item = s.own->list[i];
            if (s.self && item.column == s.row)
                count_item<PLAIN, true>(s, item);
            else
                count_item<PLAIN, false>(s, item);
            flush_in_time(s);
        }
    }

    template <bool PLAIN, bool DIAGONAL>
    static __device__ __forceinline__ void count_item(warp_state &s, const hit &item) {
        const cuda_plan &p = s.a->plan;
        const float4 *row = p.local32 + (size_t)s.row * CUDA_TILE,
                     *column = p.local32 + (size_t)item.column * CUDA_TILE;
        unsigned there = s.columns.set->atoms - (item.column - s.columns.tile) * CUDA_TILE,
                 rows = s.rows.set->atoms - (s.row - s.rows.tile) * CUDA_TILE, n = 0;
        // Stage the column's atoms that come within reach of the row's box.
        float half[3], centre[3], reach = (float)(s.within.high * p.scale) * 1.00001f;
        for (int c = 0; c < 3; c++) {
            centre[c] = (float)item.q[c];
            half[c] = (float)(p.half[0][3 * s.row + c] * p.scale) * 1.00001f + 1e-6f * fabsf(centre[c]);
        }
        __syncwarp();
        for (int part = 0; part < 2; part++) {
            unsigned j = part * 32 + s.lane;
            float4 u = column[j];
            float gx = fmaxf(fabsf(u.x - centre[0]) - half[0], 0.0f),
                  gy = fmaxf(fabsf(u.y - centre[1]) - half[1], 0.0f),
                  gz = fmaxf(fabsf(u.z - centre[2]) - half[2], 0.0f);
            bool in = j < there && gx * gx + gy * gy + gz * gz <= reach * reach;
            unsigned vote = __ballot_sync(FULL, in);
            u.w = __uint_as_float(item.column * CUDA_TILE + j);
            if (in) s.own->stage[n + __popc(vote & ((1u << s.lane) - 1))] = u;
            n += __popc(vote);
        }
        unsigned padded = (n + 7) & ~7u;
        if (s.lane < padded - n) s.own->stage[n + s.lane] = make_float4(1e15f, 0, 0, 0); // out of everything's reach
        __syncwarp();
        float3 v[2];
        for (int r = 0; r < 2; r++) {
            v[r] = moved(row[32 * r + s.lane], item.q);
            if (32 * r + s.lane >= rows) v[r].x = -1e15f;
        }
        unsigned slot = s.row * CUDA_TILE + s.lane;
        const float threshold = item.threshold;
        const binning bins = make_binning(s);
        unsigned stage = (unsigned)__cvta_generic_to_shared(s.own->stage), m[4] = {0, 0, 0, 0};
#pragma unroll
        for (int word = 0; word < 2; word++) {
            for (unsigned g = 32 * word; g < padded && g < 32 * word + 32; g += 8) {
                float some[2] = {0, 0};
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    float4 u = staged(stage + 16 * (g + k));
#pragma unroll
                    for (int r = 0; r < 2; r++) {
                        float dx = u.x - v[r].x, dy = u.y - v[r].y, dz = u.z - v[r].z;
                        float r2 = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, dz * dz));
                        if (!DIAGONAL || __float_as_uint(u.w) > slot + 32 * r)
                            count_one<PLAIN, false>(bins, r2, threshold, (float)(1u << k), &some[r]);
                    }
                }
                m[word] |= (unsigned)some[0] << (g & 31);
                m[2 + word] |= (unsigned)some[1] << (g & 31);
            }
            unsigned valid = n >= 32 * word + 32 ? FULL : n > 32 * word ? (1u << (n - 32 * word)) - 1 : 0;
            m[word] &= valid;
            m[2 + word] &= valid;
        }
        remember(s, item, m, slots{s.own->stage, s.row, s.lane});
        s.since_flush += CUDA_TILE * padded;
        if (s.lane == 0) s.own->evaluated += CUDA_TILE * n;
    }

    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error32(a.rmax, between, radii);
    }
};

// What the warp needs of an item.
template <class A>
static __device__ __forceinline__ hit make_hit(const warp_state &s, unsigned column, const int image[3]) {
    const cuda_count_args &a = *s.a;
    const cuda_plan &p = a.plan;
    hit e;
    double between2 = 0;
    e.column = column;
    e.image[0] = (image[0] & 0xffff) | image[1] << 16;
    e.image[1] = image[2];
    for (int c = 0; c < 3; c++) {
        const double(*h)[3] = s.within.frame->h;
        double shift = image[0] * h[0][c] + image[1] * h[1][c] + image[2] * h[2][c];
        double q = p.centre[0][3 * s.row + c] - p.centre[0][3 * column + c] - shift;
        e.away[c] = (float)q;
        e.q[c] = q * p.scale;
        between2 += q * q;
    }
    double between = sqrt(between2), radii = (p.radius[column] + p.radius[s.row]) * 1.00001;
    e.margin = (float)(4e-6 * (between + radii));
    e.q2 = (between2 + cuda_bias(between, radii, a.dr)) * p.scale * p.scale;
    e.threshold = a.coarse ? -1.0f
                           : cuda_threshold(A::error(a, between, radii) + s.slack, a.dr, a.start,
                                            (double)a.bins + a.start, between + radii);
    e.inside = between + radii < s.within.high && between - radii > s.within.low &&
               (column - s.columns.tile + 1) * CUDA_TILE <= s.columns.set->atoms &&
               (s.row - s.rows.tile + 1) * CUDA_TILE <= s.rows.set->atoms;
    return e;
}

// Images n of a box whose centre is d from ours, |n_k + g_k d| <= range: the ranges of lib/tile/items.c, where it says why.
struct images {
    int low[3], high[3], at[3];
};

static __device__ __noinline__ bool images_start(images &m, reach r, const double d[3], const double half[3]) {
    const cuda_frame &f = *r.frame;
    bool any = true;
    for (int k = 0; k < 3; k++) {
        double at = 0, extent = 0, length2 = 0;
        for (int c = 0; c < 3; c++) {
            at += f.g[k][c] * d[c];
            extent += fabs(f.g[k][c]) * half[c];
            length2 += f.g[k][c] * f.g[k][c];
        }
        double length = sqrt(length2) * r.high, range = length2 > 0 ? length + extent + 1e-9 : 0,
               most = length2 > 0 ? length + 1.01 : 0;
        m.low[k] = m.at[k] = (int)ceil(fmax(-at - range, -most));
        m.high[k] = (int)floor(fmin(-at + range, most));
        any = any && m.low[k] <= m.high[k];
    }
    m.at[2]--;
    return any;
}

// Steps to the next image with pairs that can be in the window.
static __device__ __noinline__ bool images_next(images &m, reach r, const double d[3], const double half[3]) {
    for (;;) {
        int k = 2;
        while (k >= 0 && ++m.at[k] > m.high[k]) {
            m.at[k] = m.low[k];
            k--;
        }
        if (k < 0) return false;
        double gap2 = 0, far2 = 0;
        for (int c = 0; c < 3; c++) {
            const double(*h)[3] = r.frame->h;
            double away = fabs(d[c] + m.at[0] * h[0][c] + m.at[1] * h[1][c] + m.at[2] * h[2][c]), gap = away - half[c];
            if (gap > 0) gap2 += gap * gap;
            far2 += (away + half[c]) * (away + half[c]);
        }
        if (gap2 <= r.high * r.high * (1 + 1e-12) && (r.low <= 0 || far2 >= r.low * r.low * (1 - 1e-12))) return true;
    }
}

// Whether some image of a box comes within reach; the images are left at the first that does.
static __device__ __forceinline__ bool within_reach(images &m, const warp_state &s, int level, unsigned box,
                                                    double d[3], double half[3]) {
    const cuda_plan &p = s.a->plan;
    for (int c = 0; c < 3; c++) {
        d[c] = p.centre[level][3 * (size_t)box + c] - p.centre[0][3 * (size_t)s.row + c];
        half[c] = p.half[level][3 * (size_t)box + c] + p.half[0][3 * (size_t)s.row + c];
    }
    return images_start(m, s.within, d, half) && images_next(m, s.within, d, half);
}

// Works off what 32 tiles, one a lane, have within reach.
template <class A, bool PLAIN>
static __device__ __forceinline__ void count_tiles(warp_state &s, unsigned column, bool more) {
    images m;
    double d[3], half[3];
    if (more) more = within_reach(m, s, 0, column, d, half);
    do {
        unsigned listed = 0, hits;
        while (listed <= LIST - 32 && (hits = __ballot_sync(FULL, more))) {
            if (more) {
                s.own->list[listed + __popc(hits & ((1u << s.lane) - 1))] = make_hit<A>(s, column, m.at);
                more = images_next(m, s.within, d, half);
            }
            listed += __popc(hits);
        }
        __syncwarp();
        A::template count_items<PLAIN>(s, listed);
        __syncwarp();
    } while (__any_sync(FULL, more));
}

// The boxes of the columns are searched from the top: a lane a box, and where one is within reach a lane a box below it.
template <class A, bool PLAIN>
static __device__ __forceinline__ void count_row(warp_state &s, unsigned segment, unsigned segments) {
    const cuda_set &columns = *s.columns.set;
    unsigned first_column = s.self ? s.row - s.columns.tile : 0;
    for (unsigned top = first_column / (CUDA_FAN * CUDA_FAN) / 32 * 32; top < columns.boxes[2]; top += 32) {
        images m;
        double d[3], half[3];
        unsigned box = top + s.lane;
        bool near = box < columns.boxes[2] && within_reach(m, s, 2, columns.first[2] + box, d, half);
        for (unsigned tops = __ballot_sync(FULL, near); tops; tops &= tops - 1) {
            unsigned chunk = (top + __ffs(tops) - 1) * CUDA_FAN + s.lane;
            near = chunk < columns.boxes[1] && chunk >= first_column / CUDA_FAN && chunk % segments == segment &&
                   within_reach(m, s, 1, columns.first[1] + chunk, d, half);
            for (unsigned chunks = __ballot_sync(FULL, near); chunks; chunks &= chunks - 1) {
                unsigned column = ((top + __ffs(tops) - 1) * CUDA_FAN + __ffs(chunks) - 1) * CUDA_FAN + s.lane;
                count_tiles<A, PLAIN>(s, s.columns.tile + column, column >= first_column && column < columns.boxes[0]);
            }
        }
    }
    if (s.queued) resolve(s.a, s.within.frame, s.own->queue, s.histogram, s.queued);
    if (s.lane == 0) s.own->resolved += s.queued;
    s.queued = 0;
}

static __device__ double largest_coordinate(const cuda_bounds &b) {
    return __longlong_as_double((long long)(b.farthest & ~(1ull << 63))); // never negative
}

static __device__ void begin_task(warp_state &s, const cuda_task &t) {
    const cuda_count_args &a = *s.a;
    const cuda_plan &p = a.plan;
    s.rows = side{p.sets + t.rows, p.sets[t.rows].first[0]};
    s.columns = side{p.sets + t.columns, p.sets[t.columns].first[0]};
    s.within.frame = p.frames + s.rows.set->frame;
    s.self = t.rows == t.columns;
    double farthest = fmax(largest_coordinate(p.bounds[t.rows]), largest_coordinate(p.bounds[t.columns]));
    s.slack = fmax(s.within.frame->rounding, s.within.frame->rounding_each * farthest);
    s.within.low = a.rmin + (double)a.window_first * a.dr;
    s.within.high =
        a.window_first + a.window_bins == a.bins ? a.rmax : a.rmin + (double)(a.window_first + a.window_bins) * a.dr;
    s.within.low = s.within.low * (1 - 1e-12) - s.slack;
    s.within.high = s.within.high * (1 + 1e-12) + s.slack;
}

template <class A, bool PLAIN>
static __global__ void __launch_bounds__(A::THREADS, 1) count_kernel(const __grid_constant__ cuda_count_args args) {
    extern __shared__ __align__(16) unsigned char space[];
    warp_space *spaces = (warp_space *)space;
    unsigned *histogram = (unsigned *)(spaces + blockDim.x / 32);
    for (unsigned k = threadIdx.x; k < args.window_bins; k += blockDim.x) histogram[k] = 0;
    __syncthreads();
    warp_state s;
    s.a = &args;
    s.own = spaces + threadIdx.x / 32;
    s.histogram = histogram;
    s.histogram_address = (unsigned)__cvta_generic_to_shared(histogram);
    s.lane = threadIdx.x % 32;
    s.queued = s.since_flush = 0;
    if (s.lane == 0) s.own->evaluated = s.own->resolved = 0;
    unsigned task = 0;
    for (;;) {
        unsigned long long unit = 0;
        if (s.lane == 0) unit = atomicAdd(args.next_unit, 1ull);
        unit = __shfl_sync(FULL, unit, 0) * args.slices + args.slice;
        if (unit >= args.units) break;
        while (task + 1 < args.task_count && unit >= args.tasks[task + 1].unit) task++;
        const cuda_task &t = args.tasks[task];
        begin_task(s, t);
        // All rows with one share of the columns, then with the next: what the warps read at a time fits the L2 cache.
        unsigned long long within = unit - t.unit;
        unsigned rows = s.rows.set->boxes[0];
        s.row = s.rows.tile + (unsigned)(within % rows);
        count_row<A, PLAIN>(s, (unsigned)(within / rows), t.segments);
    }
    if (s.lane == 0) {
        atomicAdd(&args.totals->evaluated, s.own->evaluated);
        atomicAdd(&args.totals->resolved, s.own->resolved);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < args.window_bins; k += blockDim.x)
        if (histogram[k]) atomicAdd(&args.counts[args.window_first + k], (unsigned long long)histogram[k]);
}

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...)    TEXT_OF(__VA_ARGS__)

extern "C" const char *cuda_count_archs(void) {
    return TEXT(__CUDA_ARCH_LIST__);
}

extern "C" void cuda_count_binning(cuda_count_args *a) {
    a->dr = (a->rmax - a->rmin) / (double)a->bins;
    a->inverse = 1 / a->dr;
    a->shift = a->rmin > 0;
    a->start = a->shift ? (float)(a->rmin / a->dr - 1) : 0;
    a->coarse = a->bins > CUDA_MOST_FINE_BINS;
}

extern "C" double cuda_count_scale(const cuda_count_args *a, cuda_arithmetic arithmetic) {
    return arithmetic == CUDA_FLOAT64 ? CUDA_SCALE64 / a->dr : 1 / a->dr;
}

static const struct {
    const void *plain, *windowed;
    unsigned threads;
} kernels[CUDA_ARITHMETICS] = {
    {(const void *)count_kernel<float32, true>, (const void *)count_kernel<float32, false>, float32::THREADS},
    {(const void *)count_kernel<float64, true>, (const void *)count_kernel<float64, false>, float64::THREADS},
};

static size_t shared_bytes(unsigned bins, unsigned threads) {
    return sizeof(warp_space) * (threads / 32) + (bins + threads / 32) * sizeof(unsigned);
}

// Large blocks: their warps share one histogram, and what that saves is left to the L1 cache. Small ones where there is little shared memory.
extern "C" cudaError_t cuda_count_shape(cuda_shape *shape, cuda_arithmetic arithmetic, unsigned long long bins) {
    enum { FEW_BINS = 8192 }; // fewer at once are not taken for larger blocks
    int device, most_shared, multiprocessors, blocks = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (e != cudaSuccess) return e;
    unsigned want = bins < FEW_BINS ? (unsigned)bins : FEW_BINS, threads = kernels[arithmetic].threads;
    while (threads > 32 && shared_bytes(want, threads) > (size_t)most_shared) threads = threads / 64 * 32;
    size_t most = ((size_t)most_shared - shared_bytes(0, threads)) / sizeof(unsigned);
    shape->arithmetic = arithmetic;
    shape->threads = threads;
    // Windows of equal size.
    unsigned long long windows = (bins + most - 1) / most;
    shape->window = (unsigned)((bins + windows - 1) / windows);
    const void *both[] = {kernels[arithmetic].plain, kernels[arithmetic].windowed};
    for (int i = 0; i < 2 && e == cudaSuccess; i++)
        e = cudaFuncSetAttribute(both[i], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)shared_bytes(shape->window, threads));
    if (e == cudaSuccess)
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, both[1], (int)threads,
                                                          shared_bytes(shape->window, threads));
    shape->blocks = (unsigned)(blocks * multiprocessors);
    return e;
}

extern "C" cudaError_t cuda_count_launch(const cuda_count_args *args, const cuda_shape *shape, cudaStream_t stream) {
    bool plain = args->window_bins == args->bins && args->shift == 0;
    void *values[] = {(void *)args};
    return cudaLaunchKernel(plain ? kernels[shape->arithmetic].plain : kernels[shape->arithmetic].windowed,
                            dim3(shape->blocks), dim3(shape->threads), values,
                            shared_bytes(args->window_bins, shape->threads), stream);
}
