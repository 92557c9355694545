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

#include "cutoff_entries.cuh"
#include "cutoff_term.cuh"

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

static __device__ void point_position(const cuda_cutoff_args &c, const int first[3], unsigned point,
                                      double position[3]) {
    const double i = first[0] + (int)(point % POT_BLOCK), j = first[1] + (int)(point / POT_BLOCK % POT_BLOCK),
                 k = first[2] + (int)(point / POT_BLOCK / POT_BLOCK);
    for (int x = 0; x < 3; x++) position[x] = c.plan.origin[x] + i * c.step[0][x] + j * c.step[1][x] + k * c.step[2][x];
}

// Adds the contribution of an image to a point in shared memory, and returns its magnitude. A function of its own, so
// that the loops that call it need fewer registers.
static __device__ __noinline__ float resolve(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                             const struct place_of_block &b, unsigned record, unsigned point,
                                             long long *sum) {
    double position[3];
    long long whole;
    point_position(c, b.first, point, position);
    const float magnitude = exact_quanta(c, r.exact[record], position, &whole);
    if (whole) atomicAdd((unsigned long long *)sum, (unsigned long long)whole);
    return magnitude;
}

// ---- lists of entries

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

// The sums of a lane, in units of the quantum of the class. Classes are added in descending order, and if the next
// class is c lower, the sums are multiplied by 2^c, so that the sums of several classes are flushed at once.
struct lane_sums {
    unsigned sum[EACH];
    unsigned used;   // contributions of each lane, in units of the largest one of the class
    unsigned offset; // sum of bits(M)
    float magic;
    unsigned class_;
};

struct lane_points {
    unsigned part;
    unsigned x, y, z; // of its first point: 4 points along x, 2 along y
    unsigned valid;   // bit i + 4 j: the point is part of the lattice
    float shift_x[2], shift_y[2];
};

// Adds the sums of the 8 groups, whose lanes have the same points, to the values of the block. A lane keeps half of
// its points in each step, and finally one.
static __device__ __forceinline__ void flush(struct block_static &s, const struct lane_points &p, struct lane_sums *t) {
    if (!t->used) return;
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
    one -= GROUPS * t->offset;
    const unsigned j = lane >> 4 & 1, i = (lane >> 3 & 1) * 2 + (lane >> 2 & 1);
    long long *to = &s.far[p.x + i + POT_BLOCK * (p.y + j + POT_BLOCK * p.z)];
    *to += (long long)((unsigned long long)(long long)(int)one << t->class_);
#pragma unroll
    for (int k = 0; k < EACH; k++) t->sum[k] = 0;
    t->used = t->offset = 0;
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
};

// Appends the pairs of the points in `bits` to the queue, or only counts them if it is full.
static __device__ __forceinline__ void append_pairs(const struct block_context &o, const struct lane_points &p,
                                                    unsigned entry, unsigned bits) {
    for (bits &= p.valid; bits; bits &= bits - 1) {
        const unsigned k = (unsigned)__ffs((int)bits) - 1,
                       point = p.x + k % 4 + POT_BLOCK * (p.y + k / 4 + POT_BLOCK * p.z),
                       to = atomicAdd(&o.s.queued[o.parity], 1u);
        if (to < QUEUE) o.s.queue[to] = entry << 16 | point;
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
    unsigned next = begin + group;
    const unsigned steps = (end - begin + GROUPS - 1) / GROUPS;
    unsigned i = 0;
    for (; i + 2 <= steps; i += 2, next += 2 * GROUPS) {
        const unsigned first = list[next], second = next + GROUPS < end ? list[next + GROUPS] : none;
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
    if (i < steps) {
        const unsigned first = next < end ? list[next] : none;
        const struct lane_entry e = load_entry<SKEW>(o.m.entry + first, p);
        unsigned of_e = 0;
#pragma unroll
        for (int k = 0; k < EACH; k++) t->sum[k] += far_bits<KIND>(l, e, square_at<SKEW>(e, p, k), magic, k, &of_e);
        if (cutoff_jumps<KIND>() && of_e) append_pairs(o, p, first / STRIDE, of_e);
    }
    t->used += steps;
    t->offset += steps * __float_as_uint(magic);
}

// Adds entries of which some points may be near.
template <int KIND, bool SKEW>
static __device__ __forceinline__ void add_near(const struct block_context &o, const struct lane_points &p,
                                                const unsigned short *list, unsigned begin, unsigned end,
                                                struct lane_sums *t) {
    const struct pot_cutoff_lattice &l = o.c.constants.vectors;
    const unsigned group = threadIdx.x % 32 / GROUP;
    for (unsigned next = begin; next < end; next += GROUPS) {
        const unsigned place = next + group < end ? list[next + group] : o.c.chunk * STRIDE;
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
        t->used++;
        t->offset += __float_as_uint(t->magic);
    }
}

// Prepares the sums for `steps` more contributions of each lane, of a class.
static __device__ __forceinline__ void use_class(struct block_static &s, const struct lane_points &p,
                                                 struct lane_sums *t, unsigned class_, unsigned steps) {
    const unsigned lower = t->class_ - class_;
    if (t->used && (lower > 5 || (t->used << lower) + steps > MAX_STEPS)) {
        flush(s, p, t);
    } else if (lower && t->used) {
#pragma unroll
        for (int k = 0; k < EACH; k++) t->sum[k] <<= lower;
        t->used <<= lower;
        t->offset <<= lower;
    }
    t->class_ = class_;
}

// Returns bits of the classes, in their order, of the entries first <= i < first + n.
static __device__ __forceinline__ unsigned long long classes_of(const struct block_static &s, unsigned first,
                                                                unsigned n) {
    unsigned long long orders = 0;
#pragma unroll
    for (unsigned from = 0; from < CLASSES; from += 32) {
        const unsigned i = from + threadIdx.x % 32;
        bool any = false;
        if (i < CLASSES) any = max(s.first[i], first) < min(s.first[i + 1], first + n);
        orders |= (unsigned long long)__ballot_sync(ALL, any) << from;
    }
    return orders;
}

// Adds the entries of a chunk, which are first <= i < first + n in the order of classes.
template <int KIND, bool SKEW>
static __device__ __forceinline__ void add_chunk(const struct block_context &o, const struct lane_points &p,
                                                 unsigned first, unsigned n) {
    unsigned short *list = o.m.list + p.part * o.c.chunk;
    struct entry_list e;
    list_entries(o.c, o.s, p.part, list, &e);
    struct lane_sums t = {.used = 0, .offset = 0, .magic = 0, .class_ = 0};
#pragma unroll
    for (int k = 0; k < EACH; k++) t.sum[k] = 0;
    unsigned long long orders = classes_of(o.s, first, n);
    for (unsigned begin = 0, end; orders; orders &= orders - 1, begin = end) {
        const unsigned order = (unsigned)__ffsll((long long)orders) - 1;
        end = min(o.s.first[order + 1] - first, n);
        const unsigned class_ = CLASSES - 1 - order, from = place_of(e.far, e.far_from, begin),
                       to = place_of(e.far, e.far_from, end), near_from = place_of(e.near, e.near_from, begin),
                       near_to = place_of(e.near, e.near_from, end);
        t.magic = __uint_as_float((unsigned)(o.c.lowest + (int)class_ + 128) << 23 | 0x400000u); // 3 * 2^e
        use_class(o.s, p, &t, class_, (to - from + GROUPS - 1) / GROUPS);
        add_far<KIND, SKEW>(o, p, list, from, to, &t);
        if (near_to == near_from) continue;
        use_class(o.s, p, &t, class_, (near_to - near_from + GROUPS - 1) / GROUPS);
        add_near<KIND, SKEW>(o, p, list, near_from, near_to, &t);
    }
    flush(o.s, p, &t);
}

// Computes the pairs of a chunk of n entries that wait for float64. Returns the sum of their magnitudes. All threads
// must call it. If the queue was too small, thread i finds the pairs of point i again.
template <int KIND, bool SKEW>
static __device__ __forceinline__ float resolve_pairs(const struct block_context &o, unsigned n) {
    const unsigned queued = o.s.queued[o.parity];
    float magnitude = 0;
    if (queued <= QUEUE) {
        for (unsigned i = threadIdx.x; i < queued; i += THREADS) {
            const unsigned point = o.s.queue[i] & 0xffff;
            magnitude += resolve(o.c, o.r, o.b, o.record[o.s.queue[i] >> 16], point, &o.s.exact[point]);
        }
        return magnitude;
    }
    const struct pot_cutoff_lattice &l = o.c.constants.vectors;
    const unsigned point = threadIdx.x, i = point % POT_BLOCK, row = point / POT_BLOCK, j = row % POT_BLOCK,
                   k = row / POT_BLOCK;
    if (i >= o.b.n[0] || j >= o.b.n[1] || k >= o.b.n[2]) return 0;
    for (unsigned e = 0; e < n; e++) {
        const float *entry = o.m.entry + e * STRIDE;
        const float x = SKEW ? __fadd_rn(entry[i], l.shift_x[row]) : entry[i],
                    y = SKEW ? __fadd_rn(entry[8 + j], l.shift_y[row]) : entry[8 + j],
                    square = __fmaf_rn(x, x, __fmaf_rn(y, y, entry[16 + k]));
        const bool exact = square < entry[26] || (cutoff_jumps<KIND>() && !(square < l.inner));
        if (exact && square <= l.outer) magnitude += resolve(o.c, o.r, o.b, o.record[e], point, &o.s.exact[point]);
    }
    return magnitude;
}

// As add_chunk, in float64: a lane has one point. All lanes must call it.
static __device__ __forceinline__ void add_chunk_exactly(const struct block_context &o, const struct lane_points &p,
                                                         const double point[3], bool valid, long long *sum,
                                                         float *magnitude) {
    unsigned short *list = o.m.list + p.part * o.c.chunk;
    struct entry_list e;
    list_entries(o.c, o.s, p.part, list, &e);
    const unsigned end = valid ? e.near_end : 0;
    for (unsigned i = 0; i < end; i++) {
        long long whole;
        *magnitude += exact_quanta(o.c, o.r.exact[o.record[list[i] / STRIDE]], point, &whole);
        *sum += whole;
    }
}

#endif
