// SPDX-License-Identifier: MIT
// The kernels of ligand maps. A thread block lists the atoms near a block of points once, for all orientations.

#include "check.cuh" // first, since it declares error.h for C++
#include "elementary_exp.h"
#include "lattice_records.cuh"
#include "ligand_job.h"
#include "ligand_kernels.h"
#include "ligand_lists.cuh"
#include "ligand_pairs.cuh"
#include "prefix_sum.h"

enum {
    PARTS = 4,     // of a large block
    RECORDS = 256, // threads of the kernels of records
    RESIDENT = 6,  // thread blocks on a multiprocessor
};
enum { MAX_RECORDS, RECORDS_NOW, MAX_NEAR, PARTS_TAKEN }; // found[]

// ---- rounding

// Adds to *wrong the number of mantissas for which inverse() or root() is not correctly rounded.
static __global__ void check_rounding(unsigned *wrong) {
    unsigned mantissa = blockIdx.x * RECORDS + threadIdx.x;
    float x = __uint_as_float(0x3f800000u | mantissa), twice = 2 * x;
    bool same = inverse(x) == __frcp_rn(x) && root(x) == __fsqrt_rn(x) && root(twice) == __fsqrt_rn(twice);
    if (!same) atomicAdd(wrong, 1u);
}

// ---- records

static __global__ void count_records(cuda_ligand_args a, cuda_ligand_memory m) {
    unsigned i = blockIdx.x * RECORDS + threadIdx.x;
    unsigned long long found = 0;
    if (i < a.records.count)
        for_records(a.records, i, [&](int4 point, float4) {
            atomicAdd(&m.next[cell_of(a.records.plan, point)], 1u);
            found++;
        });
    for (int step = 16; step; step /= 2) found += __shfl_xor_sync(FULL, found, step);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(&m.found[RECORDS_NOW], found);
}

// Updates the largest number of records, and resets what belongs to the current frame.
static __global__ void start_frame(cuda_ligand_memory m) {
    if (m.found[RECORDS_NOW] > m.found[MAX_RECORDS]) m.found[MAX_RECORDS] = m.found[RECORDS_NOW];
    m.found[RECORDS_NOW] = m.found[PARTS_TAKEN] = 0;
}

static __global__ void place_records(cuda_ligand_args a, cuda_ligand_memory m) {
    unsigned i = blockIdx.x * RECORDS + threadIdx.x, image = 0;
    if (i >= a.records.count || m.found[MAX_RECORDS] > m.capacity) return;
    for_records(a.records, i, [&](int4 point, float4 offset) {
        unsigned to = atomicAdd(&m.next[cell_of(a.records.plan, point)], 1u);
        m.point[to] = make_int4(point.x, point.y, point.z, (int)i);
        m.offset[to] = offset;
        m.image[to] = image++;
    });
}

// Sorts the records of each grid cell by atom and image. (A grid cell has few records, unless the lattice is coarse.)
static __global__ void sort_records(cuda_ligand_args a, cuda_ligand_memory m) {
    const cuda_lattice_plan &p = a.records.plan;
    size_t i = (size_t)blockIdx.x * RECORDS + threadIdx.x;
    if (m.found[MAX_RECORDS] > m.capacity || i >= m.first[p.cells[0] * p.cells[1] * p.cells[2]]) return;
    int4 point = m.point[i];
    unsigned cell = cell_of(p, point), image = m.image[i], to = m.first[cell];
    for (unsigned j = m.first[cell]; j < m.first[cell + 1]; j++) {
        unsigned other = (unsigned)m.point[j].w;
        to += other < (unsigned)point.w || (other == (unsigned)point.w && m.image[j] < image);
    }
    m.sorted_point[to] = point;
    m.sorted_offset[to] = m.offset[i];
}

// ---- points

// A small block: its points from `first` on, `points` of them, are processed together.
struct window {
    lig_box box;
    unsigned first, points, live;
};

static __device__ void locate(const lig_box &b, unsigned number, int64_t point[3]) {
    unsigned x = (unsigned)(b.high[0] - b.low[0]), y = (unsigned)(b.high[1] - b.low[1]);
    point[0] = b.low[0] + number % x;
    point[1] = b.low[1] + number / x % y;
    point[2] = b.low[2] + number / x / y;
}

// Sets the positions of the points of a window, and lists those that no near atom excludes.
static __device__ void find_live(const cuda_ligand_args &a, const lists &l, const atom_list &near, const lig_box &large,
                                 window &v, unsigned &turn, workspace &w) {
    for (unsigned i = threadIdx.x; i < v.points; i += THREADS) {
        int64_t point[3];
        double x[3];
        locate(v.box, v.first + i, point);
        const double index[3] = {(double)point[0], (double)point[1], (double)point[2]};
        lig_position(a.records.step, index, large.low, x);
        for (int k = 0; k < 3; k++) w.point[i][k] = (float)x[k];
        w.hit[i] = point[2] < a.plane || point[2] >= a.plane + a.planes;
    }
    __syncthreads();
    unsigned threads = max(1u, THREADS / v.points); // that share the near atoms of a point
    for (unsigned i = threadIdx.x; i < v.points * threads; i += THREADS) {
        unsigned point = i % v.points;
        bool hit = false;
        for (unsigned j = i / v.points; j < near.count && !hit; j += threads) {
            float4 atom = near.atom[j];
            float x = atom.x - w.point[point][0], y = atom.y - w.point[point][1], z = atom.z - w.point[point][2];
            hit = (x * x + y * y) + z * z < l.hit2[j];
        }
        if (hit) atomicOr(&w.hit[point], 1u);
    }
    __syncthreads();
    v.live = 0;
    for (unsigned base = 0; base < v.points; base += THREADS) {
        bool take[1] = {base + threadIdx.x < v.points && !w.hit[base + threadIdx.x]};
        unsigned place[1];
        take_places(take, place, v.live, turn, w);
        if (take[0]) w.live[place[0]] = (unsigned short)(base + threadIdx.x);
    }
    __syncthreads();
}

// Lists the tasks in which no near atom overlaps with the ligand, and sets the factors of the others to 0. Task t is
// orientation first + t % orientations at live point t / orientations. Returns their number.
static __device__ unsigned find_left(const cuda_ligand_args &a, const atom_list &near, const window &v, unsigned first,
                                     unsigned orientations, unsigned &turn, workspace &w) {
    unsigned tasks = v.live * orientations, left = 0;
    for (unsigned base = 0; base < tasks; base += THREADS) {
        unsigned t = base + threadIdx.x, place[1];
        bool take[1] = {t < tasks};
        if (take[0]) {
            const float *position = a.position + (size_t)(first + t % orientations) * (3 * a.sites);
            take[0] = !overlaps(near, a, position, w.point[w.live[t / orientations]]);
            w.factor[t] = 0;
        }
        take_places(take, place, left, turn, w);
        if (take[0]) w.left[place[0]] = (unsigned short)t;
    }
    __syncthreads();
    return left;
}

// Computes the energies of the tasks that are left: each half-warp takes MANY at once.
template <int MANY>
static __device__ void compute_energies(const cuda_ligand_args &a, const atom_list &near, const atom_list &far,
                                        unsigned first, unsigned orientations, unsigned left, workspace &w) {
    unsigned half = threadIdx.x / LIG_LANES;
    for (unsigned base = threadIdx.x / 32 * (2 * MANY); base < left; base += WARPS * 2 * MANY) {
        const float *position[MANY], *x[MANY];
        float energy[MANY];
        unsigned mine = base + half % 2 * MANY;
        for (int i = 0; i < MANY; i++) {
            unsigned t = w.left[min(mine + i, left - 1)];
            position[i] = a.position + (size_t)(first + t % orientations) * (3 * a.sites);
            x[i] = w.point[w.live[t / orientations]];
        }
        energies<MANY>(energy, near, far, a, position, x);
        for (int i = 0; i < MANY; i++)
            if (threadIdx.x % LIG_LANES == 0 && mine + i < left) w.energy[mine + i] = energy[i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < left; i += THREADS) w.factor[w.left[i]] = trj_exp_inline(-(double)w.energy[i]);
    __syncthreads();
}

// Adds the mean factor of a point to the map. A sum that is too large becomes LIG_SUM_MAX + 1.
static __device__ void add_mean(const cuda_ligand_args &a, const lig_box &b, unsigned number, double sum) {
    int64_t point[3];
    locate(b, number, point);
    double quanta = rint(sum * a.share * a.factor * a.quanta);
    long long *to = &a.map[point[0] + a.blocks.n[0] * (point[1] + a.blocks.n[1] * (point[2] - a.plane))];
    *to = quanta <= (double)LIG_SUM_MAX - (double)*to ? *to + (long long)quanta : LIG_SUM_MAX + 1;
}

// Adds a small block of a large one with `atoms` atoms.
static __device__ void add_small(const cuda_ligand_args &a, const lists &l, const lig_box &small, const lig_box &large,
                                 unsigned atoms, unsigned &turn, workspace &w) {
    const division d = divide(a, small, large);
    atom_list near = {list_atoms<true>(a, l, d, atoms, 0, turn, w), l.atom, l.pair, l.capacity}, far = near;
    bool listed = false; // the far atoms
    unsigned points = 1, together = min(a.orientations, (unsigned)TASKS);
    for (int k = 0; k < 3; k++) points *= (unsigned)(small.high[k] - small.low[k]);
    window v = {small, 0, 0, 0};
    for (; v.first < points; v.first += v.points) {
        double sum = 0;
        v.points = min(points - v.first, TASKS / together);
        find_live(a, l, near, large, v, turn, w);
        // If a point has more than TASKS orientations, it is alone in its window, and thread 0 keeps its sum.
        for (unsigned first = 0; v.live && first < a.orientations; first += together) {
            unsigned orientations = min(together, a.orientations - first);
            unsigned left = find_left(a, near, v, first, orientations, turn, w);
            if (!left) continue;
            if (!listed) {
                far = atom_list{list_atoms<false>(a, l, d, atoms, near.count, turn, w), l.atom + near.count,
                                l.pair + near.count, l.capacity};
                listed = true;
            }
            if (left > 2 * WARPS)
                compute_energies<2>(a, near, far, first, orientations, left, w);
            else
                compute_energies<1>(a, near, far, first, orientations, left, w);
            for (unsigned i = threadIdx.x; i < v.live; i += THREADS) {
                for (unsigned o = 0; o < orientations; o++) sum += w.factor[i * orientations + o];
                if (together < a.orientations) continue;
                add_mean(a, small, v.first + w.live[i], sum);
                sum = 0;
            }
            __syncthreads();
        }
        if (together < a.orientations && v.live && !threadIdx.x) add_mean(a, small, v.first + w.live[0], sum);
        __syncthreads();
    }
}

// Adds a part of a large block.
static __device__ void add_part(const cuda_ligand_args &a, const cuda_ligand_memory &m, const lists &l, unsigned part,
                                const lig_box &large, unsigned &turn, workspace &w) {
    unsigned n[3], total = 1;
    for (int k = 0; k < 3; k++) {
        n[k] = (unsigned)((large.high[k] - large.low[k] + a.blocks.small[k] - 1) / a.blocks.small[k]);
        total *= n[k];
    }
    unsigned first = total * part / PARTS, end = total * (part + 1) / PARTS;
    if (first == end) return;
    unsigned atoms = gather(a, m, l, large, turn, w);
    if (atoms > l.capacity) {
        if (!threadIdx.x) atomicMax(&m.found[MAX_NEAR], (unsigned long long)atoms);
        return;
    }
    for (unsigned i = first; i < end; i++) {
        const int64_t low[3] = {large.low[0] + a.blocks.small[0] * (i % n[0]),
                                large.low[1] + a.blocks.small[1] * (i / n[0] % n[1]),
                                large.low[2] + a.blocks.small[2] * (i / n[0] / n[1])};
        const lig_box small = lig_box_at(low, a.blocks.small, large.high);
        if (small.low[2] < a.plane + a.planes && small.high[2] > a.plane) add_small(a, l, small, large, atoms, turn, w);
    }
}

static __global__ void __launch_bounds__(THREADS, RESIDENT)
    add_blocks(const __grid_constant__ cuda_ligand_args a, const __grid_constant__ cuda_ligand_memory m) {
    __shared__ workspace w;
    if (m.found[MAX_RECORDS] > m.capacity) return;
    const lists l = lists_of(a, m);
    int64_t layer = a.blocks.count[0] * a.blocks.count[1], below = a.plane / a.blocks.large[2],
            above = (a.plane + a.planes - 1) / a.blocks.large[2] + 1;
    unsigned turn = 0;
    for (;;) {
        __syncthreads();
        if (!threadIdx.x) w.part = (unsigned)atomicAdd(&m.found[PARTS_TAKEN], 1ull);
        __syncthreads();
        unsigned part = w.part;
        if (part / PARTS >= layer * (above - below)) break;
        add_part(a, m, l, part % PARTS, lig_large_block(&a.blocks, layer * below + part / PARTS), turn, w);
    }
}

static __global__ void add_vacuum(cuda_ligand_args a, size_t points) {
    size_t i = (size_t)blockIdx.x * RECORDS + threadIdx.x;
    if (i >= points) return;
    long long one = (long long)a.quanta;
    a.map[i] = a.map[i] <= LIG_SUM_MAX - one ? a.map[i] + one : LIG_SUM_MAX + 1;
}

// ---- host

extern "C" int cuda_ligand_check(unsigned *blocks, struct trj_error *err) {
    enum { MANTISSAS = 1 << 23 };
    unsigned *wrong, found = 0;
    int device, processors, resident;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, add_blocks, THREADS, 0));
    *blocks = (unsigned)processors * (unsigned)resident;
    CUDA_CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    CUDA_CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    check_rounding<<<MANTISSAS / RECORDS, RECORDS>>>(wrong);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(wrong));
    if (!found) return 0;
    return trj_fail(err, TRJ_NO_ENGINE,
                    "this GPU rounds %u of 2^23 reciprocals or square roots incorrectly; use -e cpu", found);
}

extern "C" int cuda_ligand_scratch(size_t cells, size_t *bytes, struct trj_error *err) {
    unsigned *none = nullptr;
    CUDA_CHECK(cuda_prefix_sum(nullptr, bytes, none, none, cells + 1, 0));
    return 0;
}

static unsigned launch_blocks(size_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

extern "C" int cuda_ligand_launch(const cuda_ligand_args *a, const cuda_ligand_memory *m, cudaStream_t stream,
                                  struct trj_error *err) {
    const cuda_lattice_plan &p = a->records.plan;
    size_t cells = (size_t)p.cells[0] * p.cells[1] * p.cells[2], scratch = m->scratch_bytes;
    unsigned blocks = launch_blocks(a->records.count, RECORDS);
    if (!a->planes) return 0;
    CUDA_CHECK(cudaMemsetAsync(m->next, 0, (cells + 1) * sizeof *m->next, stream));
    count_records<<<blocks, RECORDS, 0, stream>>>(*a, *m);
    CUDA_CHECK(cudaGetLastError());
    start_frame<<<1, 1, 0, stream>>>(*m);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cuda_prefix_sum(m->scratch, &scratch, m->next, m->first, cells + 1, stream));
    CUDA_CHECK(cudaMemcpyAsync(m->next, m->first, cells * sizeof *m->next, cudaMemcpyDeviceToDevice, stream));
    place_records<<<blocks, RECORDS, 0, stream>>>(*a, *m);
    CUDA_CHECK(cudaGetLastError());
    sort_records<<<launch_blocks(m->capacity, RECORDS), RECORDS, 0, stream>>>(*a, *m);
    CUDA_CHECK(cudaGetLastError());
    add_blocks<<<m->blocks, THREADS, 0, stream>>>(*a, *m);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_ligand_launch_vacuum(const cuda_ligand_args *a, cudaStream_t stream, struct trj_error *err) {
    size_t points = (size_t)(a->blocks.n[0] * a->blocks.n[1] * a->planes);
    if (!points) return 0;
    add_vacuum<<<launch_blocks(points, RECORDS), RECORDS, 0, stream>>>(*a, points);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
