// SPDX-License-Identifier: MIT
// A thread block finds the atom images within the cutoff of a block of points, sorts them by class, and prepares chunks
// of them in shared memory (cutoff_block.cuh).
#ifndef CUDA_CUTOFF_ENTRIES_CUH
#define CUDA_CUTOFF_ENTRIES_CUH

#include "cutoff_kernels.h"
#include "lattice_images.cuh"
extern "C" {
#include "cutoff_image.h"
}

#define ALL 0xffffffffu

enum {
    PARTS = 16, // of a block, each of one warp
    THREADS = PARTS * 32,
    STRIDE = 28,     // floats of an entry: X, Y, Z^2, a, b, near; multiples of 4, and of different banks
    MAX_CHUNK = 512, // entries
    WORDS = MAX_CHUNK / 32,
    MAX_ENTRIES = 6 * THREADS,
    QUEUE = 4096,
    GROUP = 4, // lanes
    GROUPS = 32 / GROUP,
    EACH = 8,                         // points of a lane
    MAX_STEPS = POT_PARTIAL / GROUPS, // so that the sums of all groups fit into int32
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
    unsigned char *class_; // [entries] CLASSES - 1 - class; CLASSES: no entry
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
    unsigned count[CLASSES], first[CLASSES + 1], total[CLASSES]; // in descending order of classes
    unsigned found;
    unsigned long long error;
    float magnitude; // of the contributions in float64
};

struct place_of_block {
    int first[3];
    unsigned n[3];            // points along each axis
    unsigned low[3], high[3]; // grid cells whose images may reach the block
    double centre[3];
};

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

// Returns the squared distance of an image from the box of a block.
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

// Finds images that may be within the cutoff, until the memory for entries is full. Returns whether there may be more.
// A warp processes each PARTS-th row of the grid cells around the block. Its place, which it needs only here, is in
// shared memory.
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
        // Other warps add to the number found: all lanes must use what one of them read.
        const unsigned before = __shfl_sync(ALL, *(volatile unsigned *)&s.found, 0);
        if (w.from >= w.end || before + THREADS > c.entries) break;
        const unsigned record = w.from + lane;
        bool found = false;
        if (record < w.end) {
            const float4 rough = r.rough[record];
            const float x = fmaxf(fabsf(rough.x - x0) - box_x, 0), y = fmaxf(fabsf(rough.y - y0) - box_y, 0),
                        z = fmaxf(fabsf(rough.z - z0) - box_z, 0);
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
        const int order = found < 0 ? CLASSES : CLASSES - 1 - found;
        m.class_[i] = (unsigned char)order;
        if (found >= 0) m.rank[i] = (unsigned short)atomicAdd(&s.count[order], 1u);
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
    unsigned record[MAX_ENTRIES / THREADS], to[MAX_ENTRIES / THREADS];
#pragma unroll
    for (unsigned e = 0; e < MAX_ENTRIES / THREADS; e++) {
        const unsigned i = e * THREADS + threadIdx.x, found = i < n ? m.class_[i] : (unsigned)CLASSES;
        to[e] = MAX_ENTRIES;
        if (found >= CLASSES) continue;
        record[e] = m.record[i];
        to[e] = s.first[found] + m.rank[i];
    }
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < MAX_ENTRIES / THREADS; e++)
        if (to[e] < MAX_ENTRIES) m.record[to[e]] = record[e];
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

// What prepare_entry needs of X, Y and Z^2 to find the parts that an entry reaches.
struct entry_ends {
    float x[2][2], y[2][2]; // first and last of the points of parts
    float z[4];             // smallest square
};

// Squared distance of an entry from a part, up to rounding errors.
template <bool SKEW>
static __device__ __forceinline__ float part_distance(const struct pot_cutoff_lattice &l, const struct entry_ends &e,
                                                      unsigned part) {
    const int3 p = part_of(part);
    float shift[4] = {0, 0, 0, 0};
    if (SKEW) {
        shifts_of(l.shift_x, p.y, p.z, &shift[0], &shift[1]);
        shifts_of(l.shift_y, p.y, p.z, &shift[2], &shift[3]);
    }
    return square_of(gap_of(e.x[p.x][0] + shift[0], e.x[p.x][1] + shift[1])) +
           square_of(gap_of(e.y[p.y][0] + shift[2], e.y[p.y][1] + shift[3])) + e.z[p.z];
}

static __device__ __forceinline__ void store_axis(float *to, const float v[POT_BLOCK]) {
    *(float4 *)to = make_float4(v[0], v[1], v[2], v[3]);
    *(float4 *)(to + 4) = make_float4(v[4], v[5], v[6], v[7]);
}

// Computes an entry, and the ends of its coordinates. Returns `near`.
static __device__ __forceinline__ float compute_entry(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                                      const struct place_of_block &b, unsigned record, float *to,
                                                      struct entry_ends *e) {
    const struct pot_cutoff_lattice &l = c.constants.vectors;
    const struct cuda_cutoff_place p = r.place[record];
    const float2 numbers = r.numbers[record];
    const float near = c.kernel.kind == POT_KERNEL_LJ ? r.rough[record].w : (float)c.constants.near;
    *(float4 *)(to + 24) = make_float4(numbers.x, numbers.y, near, 0);
    float v[POT_BLOCK];
    double own = p.r[0] - b.centre[0];
#pragma unroll
    for (int k = 0; k < POT_BLOCK; k++) v[k] = (float)(l.position[0][k] - own);
    store_axis(to, v);
    e->x[0][0] = v[0], e->x[0][1] = v[3], e->x[1][0] = v[4], e->x[1][1] = v[7];
    own = p.r[1] - b.centre[1];
#pragma unroll
    for (int k = 0; k < POT_BLOCK; k++) v[k] = (float)(l.position[1][k] - own);
    store_axis(to + 8, v);
    e->y[0][0] = v[0], e->y[0][1] = v[3], e->y[1][0] = v[4], e->y[1][1] = v[7];
    own = p.r[2] - b.centre[2];
#pragma unroll
    for (int k = 0; k < POT_BLOCK; k++) v[k] = square_of((float)(l.position[2][k] - own));
    store_axis(to + 16, v);
#pragma unroll
    for (int k = 0; k < 4; k++) e->z[k] = fminf(v[2 * k], v[2 * k + 1]);
    return near;
}

// Computes entry threadIdx.x of a chunk of n entries, and the parts that it reaches.
template <bool SKEW>
static __device__ __forceinline__ void prepare_entry(const cuda_cutoff_args &c, const cuda_cutoff_images &r,
                                                     const struct place_of_block &b, const struct block_memory &m,
                                                     struct block_static &s, const unsigned *record, unsigned n) {
    const struct pot_cutoff_lattice &l = c.constants.vectors;
    const unsigned i = threadIdx.x, lane = i % 32;
    if (i >= c.chunk) return; // a multiple of 32
    struct entry_ends e = {};
    float near = 0;
    e.z[0] = e.z[1] = e.z[2] = e.z[3] = 1e30f;
    if (i < n) near = compute_entry(c, r, b, record[i], m.entry + i * STRIDE, &e);
    if (near > 0) near += 1e-5f;
    unsigned reach = 0, close = 0;
    bool maybe = false; // whether the entry may be near a point
#pragma unroll
    for (unsigned part = 0; part < PARTS; part++) {
        const float square = part_distance<SKEW>(l, e, part);
        maybe = maybe || square < near;
        const unsigned all = __ballot_sync(ALL, square < l.row_limit);
        if (lane == part) reach = all;
    }
    if (__any_sync(ALL, maybe)) {
#pragma unroll
        for (unsigned part = 0; part < PARTS; part++) {
            const float square = part_distance<SKEW>(l, e, part);
            const unsigned some = __ballot_sync(ALL, square < near && square < l.row_limit);
            if (lane == part) close = some;
        }
    }
    if (lane < PARTS) {
        s.reach[lane][i / 32] = reach;
        s.near[lane][i / 32] = close;
    }
}

#endif
