// SPDX-License-Identifier: MIT
// Lists the atoms near a block of points, in the order of their records, by all threads of a thread block.
#ifndef CUDA_LIGAND_LISTS_CUH
#define CUDA_LIGAND_LISTS_CUH

#include "lattice_records.cuh"
#include "ligand_kernels.h"

enum {
    THREADS = 128, // of a thread block
    WARPS = THREADS / 32,
    TASKS = 512, // orientations at points that a thread block processes together
};
static const unsigned FULL = 0xffffffffu;

struct workspace {
    unsigned taken[2][WARPS]; // of take_places
    unsigned part;
    unsigned row_from[THREADS], row_end[THREADS];
    float point[TASKS][3];      // Å, relative to the first point of the large block
    unsigned hit[TASKS];        // the ligand overlaps at the point in all orientations
    unsigned short live[TASKS]; // the other points
    unsigned short left[TASKS]; // tasks without overlap
    float energy[TASKS];        // [of left]
    double factor[TASKS];       // [of tasks]
};

// Gives consecutive places to the elements that are taken, in their order, from *count on, and adds their number to
// *count. A thread has MANY elements: those of the warps follow each other, and element i of lane l of a warp has the
// number 32 i + l. All threads must call it, with equal *count and *turn; it contains a barrier.
template <int MANY>
static __device__ void take_places(const bool (&take)[MANY], unsigned (&place)[MANY], unsigned &count, unsigned &turn,
                                   workspace &w) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0, start = count;
    for (int i = 0; i < MANY; i++) {
        unsigned taken = __ballot_sync(FULL, take[i]);
        place[i] = before + __popc(taken & ((1u << lane) - 1));
        before += __popc(taken);
    }
    // The two arrays alternate: between the reads of one and the next writes to it, all threads pass a barrier.
    unsigned *taken = w.taken[turn++ % 2];
    if (!lane) taken[warp] = before;
    __syncthreads();
    for (unsigned i = 0; i < WARPS; i++) {
        if (i < warp) start += taken[i];
        count += taken[i];
    }
    for (int i = 0; i < MANY; i++) place[i] += start;
}

// Returns the number of element i of this thread in a pass of take_places.
template <int MANY> static __device__ unsigned element(unsigned base, int i) {
    return base + threadIdx.x / 32 * (32 * MANY) + 32 * (unsigned)i + threadIdx.x % 32;
}

// The memory of a thread block for lists.
struct lists {
    float4 *all, *atom;
    cuda_ligand_pair *pair;
    float *hit2;
    unsigned capacity;
};

static __device__ lists lists_of(const cuda_ligand_args &a, const cuda_ligand_memory &m) {
    size_t begin = (size_t)blockIdx.x * m.near_capacity;
    return lists{m.all + begin, m.atom + begin, m.pair + begin * a.types, m.hit2 + begin, m.near_capacity};
}

// Sets rows first to first + THREADS - 1 of the grid cells whose records may reach a block, and returns the number of
// their records. Contains barriers.
static __device__ unsigned set_rows(const cuda_lattice_plan &p, const cuda_ligand_memory &m, const unsigned low[3],
                                    const unsigned high[3], unsigned first, workspace &w) {
    unsigned wide = high[1] - low[1] + 1, rows = wide * (high[2] - low[2] + 1), row = first + threadIdx.x;
    unsigned from = 0, sum = 0, lane = threadIdx.x % 32, total = 0, before = 0;
    if (row < rows) {
        unsigned begin = p.cells[0] * (low[1] + row % wide + p.cells[1] * (low[2] + row / wide));
        from = m.first[begin + low[0]];
        sum = m.first[begin + high[0] + 1] - from;
    }
    unsigned length = sum;
    for (int step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(FULL, sum, step);
        if (lane >= step) sum += other;
    }
    __syncthreads(); // the rows before are no longer used
    if (lane == 31) w.row_from[threadIdx.x / 32] = sum;
    __syncthreads();
    for (unsigned i = 0; i < WARPS; i++) {
        if (i < threadIdx.x / 32) before += w.row_from[i];
        total += w.row_from[i];
    }
    __syncthreads();
    w.row_end[threadIdx.x] = before + sum;
    w.row_from[threadIdx.x] = from - (before + sum - length);
    __syncthreads();
    return total;
}

// Returns the record with this number in the rows that set_rows has set.
static __device__ unsigned record_of(unsigned number, const workspace &w) {
    unsigned row = 0;
    for (unsigned step = THREADS / 2; step; step /= 2)
        if (w.row_end[row + step - 1] <= number) row += step;
    return w.row_from[row] + number;
}

// Lists the atoms that may interact at a point of a large block, in the order of their records. Returns their number;
// those beyond the capacity are missing.
static __device__ unsigned gather(const cuda_ligand_args &a, const cuda_ligand_memory &m, const lists &l,
                                  const lig_box &b, unsigned &turn, workspace &w) {
    enum { MANY = 2 };
    const cuda_lattice_plan &p = a.records.plan;
    unsigned low[3], high[3], count = 0;
    double centre[3], range = lig_measure(a.records.step, &b, b.low, centre) + a.reach;
    for (int k = 0; k < 3; k++) {
        low[k] = cell_along(p, k, (int)b.low[k] - p.farthest[k]);
        high[k] = cell_along(p, k, (int)b.high[k] - 1 + p.farthest[k]);
    }
    unsigned rows = (high[1] - low[1] + 1) * (high[2] - low[2] + 1);
    for (unsigned first = 0; first < rows; first += THREADS) {
        unsigned total = set_rows(p, m, low, high, first, w);
        for (unsigned base = 0; base < total; base += THREADS * MANY) {
            bool take[MANY];
            float4 atom[MANY];
            unsigned place[MANY];
            for (int i = 0; i < MANY; i++) {
                unsigned number = element<MANY>(base, i);
                take[i] = number < total;
                if (!take[i]) continue;
                unsigned r = record_of(number, w);
                int4 nearest = m.sorted_point[r];
                float4 offset = m.sorted_offset[r];
                const double point[3] = {nearest.x + (double)offset.x, nearest.y + (double)offset.y,
                                         nearest.z + (double)offset.z};
                double x[3];
                lig_position(a.records.step, point, b.low, x);
                take[i] = !(lig_distance2(x, centre) >= range * range);
                atom[i] = make_float4((float)x[0], (float)x[1], (float)x[2], __int_as_float(nearest.w));
            }
            take_places(take, place, count, turn, w);
            for (int i = 0; i < MANY; i++)
                if (take[i] && place[i] < l.capacity) l.all[place[i]] = atom[i];
        }
    }
    __syncthreads();
    return count;
}

// The distances that separate near and far atoms of a small block, and its centre.
struct division {
    float centre[3], near2, far2;
};

static __device__ division divide(const cuda_ligand_args &a, const lig_box &b, const lig_box &large) {
    double centre[3], half = lig_measure(a.records.step, &b, large.low, centre) + 1e-3;
    float near = (float)(a.near + half), far = (float)(a.far + half);
    return division{{(float)centre[0], (float)centre[1], (float)centre[2]}, near * near, far * far};
}

// Lists the near or the far atoms of a small block, from `start` on, and returns their number.
template <bool NEAR>
static __device__ unsigned list_atoms(const cuda_ligand_args &a, const lists &l, const division &d, unsigned atoms,
                                      unsigned start, unsigned &turn, workspace &w) {
    enum { MANY = 4 };
    unsigned end = start;
    for (unsigned base = 0; base < atoms; base += THREADS * MANY) {
        bool take[MANY];
        float4 atom[MANY];
        unsigned place[MANY];
        for (int i = 0; i < MANY; i++) {
            unsigned number = element<MANY>(base, i);
            take[i] = number < atoms;
            if (!take[i]) continue;
            atom[i] = l.all[number];
            float x = atom[i].x - d.centre[0], y = atom[i].y - d.centre[1], z = atom[i].z - d.centre[2];
            float r2 = (x * x + y * y) + z * z;
            take[i] = r2 < d.far2 && (r2 < d.near2) == NEAR;
        }
        take_places(take, place, end, turn, w);
        for (int i = 0; i < MANY; i++) {
            if (!take[i]) continue;
            unsigned number = (unsigned)__float_as_int(atom[i].w), kind = a.kind[number];
            l.atom[place[i]] = make_float4(atom[i].x, atom[i].y, atom[i].z, a.charge[number]);
            for (unsigned t = 0; t < a.types; t++)
                l.pair[(size_t)t * l.capacity + place[i]] = a.pair[(size_t)kind * a.types + t];
            if (NEAR) l.hit2[place[i]] = a.hit2[kind];
        }
    }
    __syncthreads();
    return end - start;
}

#endif
