// SPDX-License-Identifier: MIT
// A thread block adds the atom images within the cutoff of a block of 8 x 8 x 8 points to its sums.
//
// It finds images (at most `entries` at a time), and sorts them by class, so that all threads add images of one class
// at a time: the magic number M is a constant, and contributions are summed in int32. It takes them in chunks. For each
// entry of a chunk, shared memory holds X, Y and Z^2 of cutoff_sum.h for the 8 indices of each axis, which are float64
// differences rounded to float32.
//
// Each of the 16 warps owns a part of 4 x 4 x 2 points, and lists the entries that reach it: with atoms of water and a
// cutoff of 12 Å, 67 % of the pairs are within the cutoff, against 35 % for the whole block. The 8 groups of 4 lanes of
// a warp add different entries of the list; a lane has 4 x 2 points. Entries that may be near a point are in a list of
// their own, so that other entries need no tests.
//
// Pairs for float64 wait in a queue in shared memory, from which all threads take them after each chunk.
#ifndef CUDA_CUTOFF_BLOCK_CUH
#define CUDA_CUTOFF_BLOCK_CUH

#include "cutoff_kernels.h"
#include "cutoff_term.cuh"
#include "lattice_images.cuh"
extern "C" {
#include "cutoff_image.h"
}

#define ALL 0xffffffffu

enum {
    PARTS = 16, // of a block, each of one warp
    THREADS = PARTS * 32,
    STRIDE = 28,      // floats of an entry: X, Y, Z^2, a, b, near; multiples of 4, and of different banks
    MOST_CHUNK = 512, // entries
    WORDS = MOST_CHUNK / 32,
    MOST_ENTRIES = 6 * THREADS,
    QUEUE = 2048,
    GROUP = 4, // lanes
    GROUPS = 32 / GROUP,
    EACH = 8,                            // points of a lane
    MOST_STEPS = POT_PARTIAL / GROUPS,   // so that the sums of all groups fit into int32
    CLASSES = POT_CUTOFF_CLASSES,
    EXACT = POT_KERNELS, // all pairs are computed in float64
};

// The part of a block that a warp owns begins at the points 4 x, 4 y and 2 z.
static __device__ __forceinline__ int3 part_of(unsigned number) {
    return make_int3((int)(number & 1), (int)(number >> 1 & 1), (int)(number >> 2));
}

struct block_memory {
    float *entry;          // [chunk + 1][STRIDE]; the last one contributes nothing
    unsigned *record;      // [entries] number of the image, in the order of classes
    unsigned short *rank;  // [entries] in the class
    unsigned char *class_; // [entries]
    unsigned short *list;  // [PARTS][chunk] offsets of entries, in floats
};

// Where a warp searches for images.
struct row_cursor {
    unsigned row;       // the next one
    unsigned from, end; // images
};

struct block_static {
    struct row_cursor cursor[PARTS];
    unsigned reach[PARTS][WORDS], near[PARTS][WORDS]; // bits of the entries of a chunk
    unsigned queue[QUEUE];                            // entry << 16 | point
    unsigned queued[2];                               // of chunks with even and odd numbers
    long long far[POT_BLOCK_POINTS], exact[POT_BLOCK_POINTS];
    unsigned count[CLASSES], first[CLASSES + 1], total[CLASSES];
    unsigned found;
    unsigned long long error;
    float magnitude;
};

struct place_of_block {
    int first[3];
    unsigned n[3];            // points along each axis
    unsigned low[3], high[3]; // grid cells whose images may reach the block
    double centre[3];
};

// ---- float64

// Computes the contribution of an image to a point, in quanta. Returns its magnitude.
static __device__ float exact_quanta(const cuda_cutoff_args &c, const struct cuda_cutoff_exact &e,
                                     const double point[3], long long *whole) {
    const double d[3] = {point[0] - e.y[0], point[1] - e.y[1], point[2] - e.y[2]};
    const double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    *whole = 0;
    if (!(square < c.kernel.square)) return 0;
    const double quanta = pot_kernel_value(&c.kernel, square, e.a, e.b) * (1 / c.quantum);
    if (!(fabs(quanta) <= POT_CUTOFF_LARGEST)) {
        *c.failed = 1;
        return 0;
    }
    *whole = pot_cutoff_round(quanta);
    return (float)fabs(quanta);
}

static __device__ void point_position(const cuda_cutoff_args &c, const int first[3], unsigned point, double at[3]) {
    const double i = first[0] + (int)(point % POT_BLOCK), j = first[1] + (int)(point / POT_BLOCK % POT_BLOCK),
                 k = first[2] + (int)(point / POT_BLOCK / POT_BLOCK);
    for (int x = 0; x < 3; x++) at[x] = c.plan.origin[x] + i * c.step[0][x] + j * c.step[1][x] + k * c.step[2][x];
}

// Adds the contribution of an image to a point in shared memory, and returns its magnitude. A function of its own, so
// that the loops that call it need fewer registers.
static __device__ __noinline__ float resolve(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                             const struct place_of_block &b, unsigned record, unsigned point,
                                             long long *sum) {
    double at[3];
    long long whole;
    point_position(c, b.first, point, at);
    const float magnitude = exact_quanta(c, r.exact[record], at, &whole);
    if (whole) atomicAdd((unsigned long long *)sum, (unsigned long long)whole);
    return magnitude;
}

// ---- entries

// Finds the class of an image at the squared distance `square` from the block; -1 if it does not contribute.
static __device__ int class_of(const cuda_cutoff_args &c, const cuda_cutoff_images &r, unsigned record,
                               const struct cuda_cutoff_place &p, double square, long long *error) {
    if (p.strength == 0) return -1;
    float2 numbers = make_float2(0, 0);
    float near = 0;
    if (c.kernel.kind == POT_KERNEL_LJ) {
        numbers = r.numbers[record];
        near = r.rough[record].w;
    }
    double own, bound = pot_cutoff_image_bound(&c.constants, c.kernel.kind, numbers.x, numbers.y, near, p.strength,
                                               square < 1 ? square : 1, &own);
    const int found = pot_cutoff_class(&c.constants, bound, c.lowest);
    if (found >= CLASSES) {
        *c.failed = 1;
        return -1;
    }
    *error += (long long)(own * c.error_scale) + 1;
    return found;
}

// Returns the squared distance of an image from the box of a block, or a number above the limit.
static __device__ double box_distance(const cuda_cutoff_args &c, const struct place_of_block &b,
                                      const struct cuda_cutoff_place &p) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fabs(p.r[k] - b.centre[k]) - c.constants.box[k];
        gap = gap > 0 ? gap : 0;
        square += gap * gap;
    }
    return square;
}

// Finds images that may be within the cutoff, until the memory for entries is full. Returns whether there may be more. A
// warp processes each PARTS-th row of the grid cells around the block. Its place, which it needs only here, is in shared
// memory.
static __device__ __forceinline__ bool find_candidates(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                                       const struct place_of_block &b, const struct block_memory &m,
                                                       struct block_static &s) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, height = b.high[1] - b.low[1] + 1,
                   rows = height * (b.high[2] - b.low[2] + 1);
    const float x0 = (float)b.centre[0], y0 = (float)b.centre[1], z0 = (float)b.centre[2];
    const float box_x = (float)c.constants.box[0], box_y = (float)c.constants.box[1], box_z = (float)c.constants.box[2];
    struct row_cursor w = s.cursor[warp];
    for (;;) {
        while (w.from >= w.end && w.row < rows) {
            const unsigned row =
                c.plan.cells[0] * (b.low[1] + w.row % height + c.plan.cells[1] * (b.low[2] + w.row / height));
            w.from = r.first[row + b.low[0]];
            w.end = r.first[row + b.high[0] + 1];
            w.row += PARTS;
        }
        if (w.from >= w.end || *(volatile unsigned *)&s.found + THREADS > c.entries) break;
        const unsigned record = w.from + lane;
        bool found = false;
        if (record < w.end) {
            const float4 at = r.rough[record];
            const float x = fmaxf(fabsf(at.x - x0) - box_x, 0), y = fmaxf(fabsf(at.y - y0) - box_y, 0),
                        z = fmaxf(fabsf(at.z - z0) - box_z, 0);
            found = __fmaf_rn(x, x, __fmaf_rn(y, y, z * z)) < c.rough_limit;
        }
        w.from += 32;
        const unsigned kept = __ballot_sync(ALL, found);
        if (!kept) continue;
        unsigned base = 0;
        if (lane == 0) base = atomicAdd(&s.found, (unsigned)__popc(kept));
        base = __shfl_sync(ALL, base, 0);
        if (found) m.record[base + __popc(kept & ((1u << lane) - 1))] = record;
        __syncwarp();
    }
    if (lane == 0) s.cursor[warp] = w;
    return w.from < w.end;
}

// Finds the classes of n candidates.
static __device__ __forceinline__ void classify(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                                const struct place_of_block &b, const struct block_memory &m,
                                                struct block_static &s, unsigned n) {
    long long error = 0;
    for (unsigned i = threadIdx.x; i < n; i += THREADS) {
        const unsigned record = m.record[i];
        const struct cuda_cutoff_place p = r.place[record];
        const double square = box_distance(c, b, p);
        const int found = square < c.constants.outer ? class_of(c, r, record, p, square, &error) : -1;
        m.class_[i] = (unsigned char)(found < 0 ? CLASSES : found);
        if (found >= 0) m.rank[i] = (unsigned short)atomicAdd(&s.count[found], 1u);
    }
    for (int step = 16; step; step /= 2) error += __shfl_xor_sync(ALL, error, step);
    if (threadIdx.x % 32 == 0 && error) atomicAdd(&s.error, (unsigned long long)error);
}

// Returns the sum of the counts of the lanes before this one, and sets *all to the sum of all lanes.
static __device__ unsigned sum_before(unsigned count, unsigned *all) {
    const unsigned lane = threadIdx.x % 32;
    unsigned sum = count;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(ALL, sum, step);
        if (lane >= step) sum += other;
    }
    *all = __shfl_sync(ALL, sum, 31);
    return sum - count;
}

// Sorts the n candidates by class. Returns the number of entries.
static __device__ __forceinline__ unsigned sort_entries(const struct block_memory &m, struct block_static &s,
                                                        unsigned n) {
    if (threadIdx.x < 32) {
        unsigned first = 0;
        for (unsigned from = 0; from < CLASSES; from += 32) { // a lane for each class
            const unsigned k = from + threadIdx.x, count = k < CLASSES ? s.count[k] : 0;
            unsigned all;
            const unsigned before = sum_before(count, &all);
            if (k < CLASSES) {
                s.first[k] = first + before;
                s.total[k] += count;
            }
            first += all;
        }
        if (threadIdx.x == 0) s.first[CLASSES] = first;
    }
    __syncthreads();
    // Records stay in registers, because their places are those of other candidates.
    unsigned record[MOST_ENTRIES / THREADS], to[MOST_ENTRIES / THREADS];
#pragma unroll
    for (unsigned e = 0; e < MOST_ENTRIES / THREADS; e++) {
        const unsigned i = e * THREADS + threadIdx.x, found = i < n ? m.class_[i] : (unsigned)CLASSES;
        to[e] = MOST_ENTRIES;
        if (found >= CLASSES) continue;
        record[e] = m.record[i];
        to[e] = s.first[found] + m.rank[i];
    }
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < MOST_ENTRIES / THREADS; e++)
        if (to[e] < MOST_ENTRIES) m.record[to[e]] = record[e];
    __syncthreads();
    return s.first[CLASSES];
}

// ---- chunks

static __device__ __forceinline__ float square_of(float x) {
    return __fmul_rn(x, x);
}

// Distance of 0 from the points low <= x <= high.
static __device__ __forceinline__ float gap_of(float low, float high) {
    return fmaxf(fmaxf(low, -high), 0.0f);
}

// Smallest and largest shifts of the rows of a part.
static __device__ __forceinline__ void shifts_of(const float *shift, int y, int z, float *low, float *high) {
    *low = *high = shift[4 * y + POT_BLOCK * 2 * z];
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float x = shift[4 * y + j + POT_BLOCK * (2 * z + k)];
            *low = fminf(*low, x);
            *high = fmaxf(*high, x);
        }
}

// Computes entry threadIdx.x of a chunk of n entries, and the parts that it reaches.
template <bool SKEW>
static __device__ void prepare_entry(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                     const struct place_of_block &b, const struct block_memory &m,
                                     struct block_static &s, const unsigned *record, unsigned n) {
    const struct pot_cutoff_lattice &l = c.constants.vectors;
    const unsigned i = threadIdx.x, lane = i % 32;
    if (i / 32 >= (c.chunk + 31) / 32) return;
    float x[POT_BLOCK] = {}, y[POT_BLOCK] = {}, z[POT_BLOCK], near = 0;
#pragma unroll
    for (int k = 0; k < POT_BLOCK; k++) z[k] = 1e30f;
    if (i < n) {
        const struct cuda_cutoff_place p = r.place[record[i]];
        const float2 numbers = r.numbers[record[i]];
        float *to = m.entry + i * STRIDE;
        const double rx = p.r[0] - b.centre[0], ry = p.r[1] - b.centre[1], rz = p.r[2] - b.centre[2];
        near = c.kernel.kind == POT_KERNEL_LJ ? r.rough[record[i]].w : (float)c.constants.near;
#pragma unroll
        for (int k = 0; k < POT_BLOCK; k++) {
            x[k] = (float)(l.at[0][k] - rx);
            y[k] = (float)(l.at[1][k] - ry);
            z[k] = square_of((float)(l.at[2][k] - rz));
        }
#pragma unroll
        for (int k = 0; k < POT_BLOCK; k += 4) {
            *(float4 *)(to + k) = make_float4(x[k], x[k + 1], x[k + 2], x[k + 3]);
            *(float4 *)(to + 8 + k) = make_float4(y[k], y[k + 1], y[k + 2], y[k + 3]);
            *(float4 *)(to + 16 + k) = make_float4(z[k], z[k + 1], z[k + 2], z[k + 3]);
        }
        *(float4 *)(to + 24) = make_float4(numbers.x, numbers.y, near, 0);
        if (near > 0) near += 1e-5f;
    }
    unsigned reach = 0, close = 0;
    float gap[PARTS];
    bool maybe = false; // whether an entry of the warp may be near
#pragma unroll
    for (unsigned part = 0; part < PARTS; part++) {
        const int3 p = part_of(part);
        float shift[4] = {0, 0, 0, 0};
        if (SKEW) {
            shifts_of(l.shift_x, p.y, p.z, &shift[0], &shift[1]);
            shifts_of(l.shift_y, p.y, p.z, &shift[2], &shift[3]);
        }
        gap[part] = square_of(gap_of(x[4 * p.x] + shift[0], x[4 * p.x + 3] + shift[1])) +
                    square_of(gap_of(y[4 * p.y] + shift[2], y[4 * p.y + 3] + shift[3])) +
                    fminf(z[2 * p.z], z[2 * p.z + 1]);
        maybe = maybe || gap[part] < near;
        const unsigned all = __ballot_sync(ALL, gap[part] < l.row_limit);
        if (lane == part) reach = all;
    }
    if (__any_sync(ALL, maybe)) {
#pragma unroll
        for (unsigned part = 0; part < PARTS; part++) {
            const unsigned some = __ballot_sync(ALL, gap[part] < near && gap[part] < l.row_limit);
            if (lane == part) close = some;
        }
    }
    if (lane < PARTS) {
        s.reach[lane][i / 32] = reach;
        s.near[lane][i / 32] = close;
    }
}

// The entries of a chunk that reach the part of a warp: those that are not near, then the others.
struct entry_list {
    unsigned far, near;           // bits of 16 entries, of each lane
    unsigned far_from, near_from; // places in the list, of each lane
    unsigned far_end, near_end;   // ends of both parts
};

static __device__ void list_entries(const cuda_cutoff_args &c, const struct block_static &s, unsigned part,
                                    unsigned short *list, struct entry_list *e) {
    const unsigned lane = threadIdx.x % 32;
    unsigned reach = 0, near = 0;
    if (lane / 2 < c.chunk / 32) {
        reach = s.reach[part][lane / 2] >> lane % 2 * 16 & 0xffff;
        near = s.near[part][lane / 2] >> lane % 2 * 16 & 0xffff;
    }
    e->near = near;
    e->far = reach & ~near;
    e->far_from = sum_before(__popc(e->far), &e->far_end);
    e->near_from = e->far_end + sum_before(__popc(near), &e->near_end);
    e->near_end += e->far_end;
    unsigned short *to = list + e->far_from;
    for (unsigned bits = e->far; bits; bits &= bits - 1)
        *to++ = (unsigned short)((lane * 16 + (unsigned)__ffs((int)bits) - 1) * STRIDE);
    to = list + e->near_from;
    for (unsigned bits = near; bits; bits &= bits - 1)
        *to++ = (unsigned short)((lane * 16 + (unsigned)__ffs((int)bits) - 1) * STRIDE);
    __syncwarp();
}

// Returns the place in the list of the first entry from number i of the chunk.
static __device__ unsigned place_of(unsigned bits, unsigned from, unsigned i) {
    const unsigned owner = min(i / 16, 31u), within = i - owner * 16;
    bits = __shfl_sync(ALL, bits, (int)owner);
    from = __shfl_sync(ALL, from, (int)owner);
    return from + __popc(bits & ((1u << within) - 1));
}

// ---- sums

// The sums of a lane, and where its points are.
struct lane_sums {
    unsigned sum[EACH];
    unsigned steps; // number of entries of each lane in `sum`
    float magic;
    unsigned class_;
};

struct lane_points {
    unsigned part;
    unsigned x, y, z;       // of its first point: 4 points along x, 2 along y
    unsigned valid;         // bit i + 4 j: the point is part of the lattice
    float shift_x[2], shift_y[2];
};

// Adds the sums of the 8 groups, whose lanes have the same points, to the values of the block. A lane keeps half of
// its points in each step, and finally one.
static __device__ __forceinline__ void flush(struct block_static &s, const struct lane_points &p,
                                             struct lane_sums *t) {
    if (!t->steps) return;
    const unsigned lane = threadIdx.x % 32;
    unsigned four[4], two[2], one;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const unsigned keep = lane & 16 ? t->sum[4 + i] : t->sum[i], give = lane & 16 ? t->sum[i] : t->sum[4 + i];
        four[i] = keep + __shfl_xor_sync(ALL, give, 16);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const unsigned keep = lane & 8 ? four[2 + i] : four[i], give = lane & 8 ? four[i] : four[2 + i];
        two[i] = keep + __shfl_xor_sync(ALL, give, 8);
    }
    {
        const unsigned keep = lane & 4 ? two[1] : two[0], give = lane & 4 ? two[0] : two[1];
        one = keep + __shfl_xor_sync(ALL, give, 4);
    }
    one -= GROUPS * t->steps * __float_as_uint(t->magic);
    const unsigned j = lane >> 4 & 1, i = (lane >> 3 & 1) * 2 + (lane >> 2 & 1);
    long long *to = &s.far[p.x + i + POT_BLOCK * (p.y + j + POT_BLOCK * p.z)];
    *to += (long long)((unsigned long long)(long long)(int)one << t->class_);
#pragma unroll
    for (int k = 0; k < EACH; k++) t->sum[k] = 0;
    t->steps = 0;
}

// X and X^2 + Y^2 of the points of a lane.
struct lane_entry {
    float x[4], yz[2], a, b, near;
};

template <bool SKEW>
static __device__ __forceinline__ struct lane_entry load_entry(const float *entry, const struct lane_points &p) {
    struct lane_entry e;
    const float4 x = *(const float4 *)(entry + p.x);
    float2 y = *(const float2 *)(entry + 8 + p.y);
    const float z = entry[16 + p.z];
    const float2 numbers = *(const float2 *)(entry + 24);
    e.x[0] = x.x, e.x[1] = x.y, e.x[2] = x.z, e.x[3] = x.w;
    if (SKEW) {
        y.x = __fadd_rn(y.x, p.shift_y[0]);
        y.y = __fadd_rn(y.y, p.shift_y[1]);
    }
    e.yz[0] = __fmaf_rn(y.x, y.x, z);
    e.yz[1] = __fmaf_rn(y.y, y.y, z);
    e.a = numbers.x;
    e.b = numbers.y;
    e.near = 0;
    return e;
}

template <bool SKEW>
static __device__ __forceinline__ float square_at(const struct lane_entry &e, const struct lane_points &p, int k) {
    float x = e.x[k % 4];
    if (SKEW) x = __fadd_rn(x, p.shift_x[k / 4]);
    return __fmaf_rn(x, x, e.yz[k / 4]);
}

// Returns bits(T) of a pair that is not near, and sets bit k of *unsure if float64 decides whether it contributes.
template <int KIND>
static __device__ __forceinline__ unsigned far_bits(const struct pot_cutoff_lattice &l, const struct lane_entry &e,
                                                    float square, float magic, int k, unsigned *unsure) {
    float t = cutoff_term<KIND>(l, square, e.a, e.b, magic);
    if (cutoff_jumps<KIND>()) {
        const bool inside = square < l.inner;
        if (!inside && square <= l.outer) *unsure |= 1u << k;
        t = inside ? t : magic;
    }
    return __float_as_uint(t);
}

// What all functions that add to the sums need.
struct block_context {
    const cuda_cutoff_args &c;
    const cuda_cutoff_images &r;
    const struct place_of_block &b;
    const struct block_memory &m;
    struct block_static &s;
    const unsigned *record; // of the entries of the chunk
    unsigned parity;        // of the chunk
    float *magnitude;
};

// Appends the pairs of the points in `bits` to the queue. If it is full, computes them.
static __device__ __forceinline__ void append_pairs(const struct block_context &o, const struct lane_points &p,
                                                 unsigned entry, unsigned bits) {
    for (bits &= p.valid; bits; bits &= bits - 1) {
        const unsigned k = (unsigned)__ffs((int)bits) - 1,
                       point = p.x + k % 4 + POT_BLOCK * (p.y + k / 4 + POT_BLOCK * p.z),
                       to = atomicAdd(&o.s.queued[o.parity], 1u);
        if (to < QUEUE)
            o.s.queue[to] = entry << 16 | point;
        else
            *o.magnitude += resolve(o.c, o.r, o.b, o.record[entry], point, &o.s.exact[point]);
    }
}

// Adds the entries begin <= i < end of a list, which are not near.
template <int KIND, bool SKEW>
static __device__ __forceinline__ void add_far(const struct block_context &o, const struct lane_points &p,
                                               const unsigned short *list, unsigned begin, unsigned end,
                                               struct lane_sums *t) {
    const struct pot_cutoff_lattice &l = o.c.constants.vectors;
    const unsigned group = threadIdx.x % 32 / GROUP, none = o.c.chunk * STRIDE;
    const float magic = t->magic;
    unsigned at = begin + group;
    const unsigned steps = (end - begin + GROUPS - 1) / GROUPS;
    unsigned i = 0;
#ifndef SINGLE
    for (; i + 2 <= steps; i += 2, at += 2 * GROUPS) {
        const unsigned first = list[at], second = at + GROUPS < end ? list[at + GROUPS] : none;
        const struct lane_entry e = load_entry<SKEW>(o.m.entry + first, p), f = load_entry<SKEW>(o.m.entry + second, p);
        unsigned of_e = 0, of_f = 0;
#pragma unroll
        for (int k = 0; k < EACH; k++)
            t->sum[k] += far_bits<KIND>(l, e, square_at<SKEW>(e, p, k), magic, k, &of_e) +
                         far_bits<KIND>(l, f, square_at<SKEW>(f, p, k), magic, k, &of_f);
        if (cutoff_jumps<KIND>() && (of_e | of_f)) {
            append_pairs(o, p, first / STRIDE, of_e);
            append_pairs(o, p, second / STRIDE, of_f);
        }
    }
#endif
#ifdef SINGLE
#pragma unroll 1
    for (; i < steps; i++, at += GROUPS) {
#else
    if (i < steps) {
#endif
        const unsigned first = at < end ? list[at] : none;
        const struct lane_entry e = load_entry<SKEW>(o.m.entry + first, p);
        unsigned of_e = 0;
#pragma unroll
        for (int k = 0; k < EACH; k++)
            t->sum[k] += far_bits<KIND>(l, e, square_at<SKEW>(e, p, k), magic, k, &of_e);
        if (cutoff_jumps<KIND>() && of_e) append_pairs(o, p, first / STRIDE, of_e);
    }
    t->steps += steps;
}

// Adds entries of which some points may be near.
template <int KIND, bool SKEW>
static __device__ __forceinline__ void add_near(const struct block_context &o, const struct lane_points &p,
                                             const unsigned short *list, unsigned begin, unsigned end,
                                             struct lane_sums *t) {
    const struct pot_cutoff_lattice &l = o.c.constants.vectors;
    const unsigned group = threadIdx.x % 32 / GROUP;
    for (unsigned at = begin; at < end; at += GROUPS) {
        const unsigned place = at + group < end ? list[at + group] : o.c.chunk * STRIDE;
        const struct lane_entry e = load_entry<SKEW>(o.m.entry + place, p);
        const float near = o.m.entry[place + 26];
        unsigned unsure = 0;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const float square = square_at<SKEW>(e, p, k);
            const unsigned bits = far_bits<KIND>(l, e, square, t->magic, k, &unsure);
            const bool is_near = square < near;
            if (is_near && square <= l.outer) unsure |= 1u << k;
            t->sum[k] += is_near ? __float_as_uint(t->magic) : bits;
        }
        if (unsure) append_pairs(o, p, place / STRIDE, unsure);
        t->steps++;
    }
}

// Adds the entries of a chunk, which are first <= i < first + n in the order of classes.
template <int KIND, bool SKEW>
static __device__ __forceinline__ void add_chunk(const struct block_context &o, const struct lane_points &p,
                                                 unsigned first, unsigned n) {
    unsigned short *list = o.m.list + p.part * o.c.chunk;
    struct entry_list e;
    list_entries(o.c, o.s, p.part, list, &e);
    struct lane_sums sums = {.steps = 0, .magic = 0, .class_ = 0}, *t = &sums;
#pragma unroll
    for (int k = 0; k < EACH; k++) sums.sum[k] = 0;
    unsigned class_ = 0;
    while (o.s.first[class_ + 1] <= first) class_++;
    unsigned begin = 0;
    while (begin < n) {
        const unsigned end = min(o.s.first[class_ + 1] - first, n);
        if (end > begin) {
            const unsigned from = place_of(e.far, e.far_from, begin), to = place_of(e.far, e.far_from, end),
                           near_from = place_of(e.near, e.near_from, begin),
                           near_to = place_of(e.near, e.near_from, end);
            const unsigned steps = (to - from + GROUPS - 1) / GROUPS, near_steps = (near_to - near_from + GROUPS - 1) / GROUPS;
            if (class_ != t->class_ || t->steps + steps + near_steps > MOST_STEPS) flush(o.s, p, t);
            t->class_ = class_;
            t->magic = __uint_as_float((unsigned)(o.c.lowest + (int)class_ + 128) << 23 | 0x400000u); // 3 * 2^e
            add_far<KIND, SKEW>(o, p, list, from, to, t);
            if (near_to > near_from) {
                if (t->steps + near_steps > MOST_STEPS) flush(o.s, p, t);
                add_near<KIND, SKEW>(o, p, list, near_from, near_to, t);
            }
        }
        begin = end;
        class_++;
    }
    flush(o.s, p, t);
}

// As add_chunk, in float64: a lane has one point. All lanes must call it.
static __device__ __forceinline__ void add_chunk_exactly(const struct block_context &o, const struct lane_points &p,
                                                         const double point[3], bool valid, long long *sum) {
    unsigned short *list = o.m.list + p.part * o.c.chunk;
    struct entry_list e;
    list_entries(o.c, o.s, p.part, list, &e);
    const unsigned end = valid ? e.near_end : 0;
    for (unsigned i = 0; i < end; i++) {
        long long whole;
        *o.magnitude += exact_quanta(o.c, o.r.exact[o.record[list[i] / STRIDE]], point, &whole);
        *sum += whole;
    }
}

#endif
