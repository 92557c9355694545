// SPDX-License-Identifier: MIT
// Lists of neighbours, and the counts that follow from them. The search is that of the counting kernel (search.cuh);
// float32 finds candidates, and float64 decides by the rule of lib/neighbour/neighbour_search.h. Lists are in no order.
#include "neighbour_kernels.h"

#include "check.cuh"
#include "float32.cuh"
#include "neighbour_setup.h"
#include "search.cuh"

enum { THREADS = 256, BLOCKS_A_MULTIPROCESSOR = 4 };

// ---- lists

struct neighbours {
    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error32(a.rmax, between, radii);
    }

    // Returns the number of the list of a centre at a place after the first tile.
    static __device__ unsigned list_of(const cuda_list_args &a, unsigned place) {
        if (!a.group) return place;
        const cuda_plan &p = a.search.plan;
        unsigned atom = p.atom[(p.sets[a.centres].first[0] + a.first) * CUDA_TILE + place], low = 0,
                 high = a.group_count;
        while (high - low > 1) {
            unsigned middle = low + (high - low) / 2;
            if (a.group[middle] > atom)
                high = middle;
            else
                low = middle;
        }
        return low;
    }

    // Decides about a pair by the float64 rule, and appends it.
    static __device__ __forceinline__ void count_exactly(const cuda_count_args &search, const near_pair &pair,
                                                         const unsigned atoms[2], const double d[3]) {
        const cuda_list_args &a = *(const cuda_list_args *)&search; // `search` is its first member
        const uint32_t atom = atoms[1];
        const double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        if (atoms[0] == atom || !(r2 >= search.rmin * search.rmin && r2 < search.rmax * search.rmax)) return;
        const size_t list = a.list[pair.i - (search.plan.sets[a.centres].first[0] + a.first) * CUDA_TILE];
        const unsigned index = (unsigned)atomicAdd(&a.lists.count[list], 1);
        if (index >= a.lists.capacity)
            atomicMax(a.longest, index + 1);
        else if (a.lists.atoms)
            a.lists.atoms[list * a.lists.capacity + index] = atom;
        else
            a.lists.vectors[list * a.lists.capacity + index] = cuda_neighbour{{d[0], d[1], d[2]}, atom};
    }

    // Queues the pairs of an item that can be within reach; 32 of them at a time are decided.
    static __device__ __noinline__ void list_item(warp_state &s, const warp_item &item) {
        const cuda_plan &p = s.a->plan;
        const float4 *row = p.local32 + (size_t)s.row * CUDA_TILE;
        const unsigned rows = s.rows.set->atoms - (s.row - s.rows.tile) * CUDA_TILE;
        const unsigned n = float32::stage_column(s, item), padded = (n + 7) & ~7u;
        const float limit = (float)((s.within.high + item.margin) * p.scale) * 1.00001f, limit2 = limit * limit;
        if (s.lane < padded - n) s.own->stage[n + s.lane] = make_float4(1e15f, 0, 0, 0); // out of reach of all atoms
        __syncwarp();
        float3 v[2];
        for (int r = 0; r < 2; r++) {
            v[r] = float32::moved(row[32 * r + s.lane], item.q);
            if (32 * r + s.lane >= rows) v[r].x = -1e15f;
        }
        unsigned m[4] = {0, 0, 0, 0};
#pragma unroll
        for (int word = 0; word < 2; word++)
            for (unsigned g = 32 * word; g < padded && g < 32 * word + 32; g += 8) {
                unsigned some[2] = {0, 0};
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    const float4 u = s.own->stage[g + k];
#pragma unroll
                    for (int r = 0; r < 2; r++) {
                        const float dx = u.x - v[r].x, dy = u.y - v[r].y, dz = u.z - v[r].z;
                        if (__fmaf_rn(dx, dx, __fmaf_rn(dy, dy, dz * dz)) <= limit2) some[r] |= 1u << k;
                    }
                }
                m[word] |= some[0] << (g & 31);
                m[2 + word] |= some[1] << (g & 31);
            }
        queue_pairs<neighbours, true>(s, item, m, float32::places{s.own->stage, s.row, s.lane});
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_items(warp_state &s, unsigned listed) {
        for (unsigned i = 0; i < listed; i++) list_item(s, s.own->list[i]);
    }
};

// Begins the lists of the centres that are in the frame.
static __global__ void begin_lists(const __grid_constant__ cuda_list_args args) {
    const unsigned atoms = args.search.plan.sets[args.centres].atoms, first = args.first * CUDA_TILE;
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; first + k < min(args.end * CUDA_TILE, atoms);
         k += gridDim.x * blockDim.x) {
        args.list[k] = neighbours::list_of(args, k);
        args.lists.count[args.list[k]] = 0;
    }
}

static __global__ void __launch_bounds__(THREADS) list_kernel(const __grid_constant__ cuda_list_args args) {
    __shared__ warp_space spaces[THREADS / 32];
    warp_state s;
    s.a = &args.search;
    s.own = spaces + threadIdx.x / 32;
    s.lane = threadIdx.x % 32;
    s.queued = s.since_flush = 0;
    if (s.lane == 0) s.own->tag = 0;
    __syncwarp();
    begin_task(s, cuda_task{args.centres, args.others, args.segments, 0});
    s.self = false; // each atom needs all of its neighbours
    const unsigned end = min(args.end, s.rows.set->boxes[0]), rows = end > args.first ? end - args.first : 0;
    const unsigned warps = gridDim.x * (THREADS / 32);
    for (unsigned long long unit = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
         unit < (unsigned long long)rows * args.segments; unit += warps) {
        s.row = s.rows.tile + args.first + (unsigned)(unit % rows);
        count_row<neighbours, true>(s, (unsigned)(unit / rows), args.segments);
    }
    resolve<neighbours>(args.search, s.own->queue, s.queued);
}

// Sets *blocks to the number of blocks that the current device runs at the same time, at most `max`.
static int choose_blocks(unsigned *blocks, unsigned long long max, struct trj_error *err) {
    int device, multiprocessors;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    unsigned capacity = (unsigned)multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    *blocks = max < 1 ? 1 : max < capacity ? (unsigned)max : capacity;
    return 0;
}

extern "C" int cuda_list_neighbours(const cuda_list_args *given, size_t count, cudaStream_t stream,
                                    struct trj_error *err) {
    cuda_list_args args = *given;
    unsigned blocks;
    args.search.bins = args.search.window_bins = 1;
    cuda_count_binning(&args.search);
    CUDA_CHECK(cudaMemsetAsync(args.lists.count, 0xff, count * sizeof *args.lists.count, stream));
    if (choose_blocks(&blocks, ((unsigned long long)args.end - args.first) * args.segments, err)) return -1;
    begin_lists<<<blocks, THREADS, 0, stream>>>(args);
    list_kernel<<<blocks, THREADS, 0, stream>>>(args);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

// ---- numbers of neighbours and their exchange

// An atom has few neighbours, so that LANES lanes compare its lists.
enum { LANES = 8 };

static __device__ __forceinline__ unsigned first_place() {
    return (blockIdx.x * THREADS + threadIdx.x) / LANES;
}
static __device__ __forceinline__ unsigned place_step() {
    return gridDim.x * (THREADS / LANES);
}

// A list of one atom in one frame.
struct list {
    const uint32_t *atoms;
    int count;
};

static __device__ list list_at(const cuda_neighbour_lists &l, unsigned place) {
    list neighbours = {l.atoms + (size_t)place * l.capacity, l.count ? max(l.count[place], 0) : 0};
    return neighbours;
}

static __device__ bool contains(const uint32_t *atoms, int count, uint32_t atom) {
    for (int k = 0; k < count; k++)
        if (atoms[k] == atom) return true;
    return false;
}

// Whether neighbour k is an atom that counts in the exchange, at its first place in the list: images are one atom.
static __device__ bool is_first(const list &l, int k, uint32_t after, bool unordered) {
    return !(unordered && l.atoms[k] <= after) && !contains(l.atoms, k, l.atoms[k]);
}

static __device__ unsigned long long sum_of_warp(unsigned long long x) {
    for (int k = 16; k; k /= 2) x += __shfl_down_sync(FULL, x, k);
    return x;
}

enum { SHARED_CLASSES = 256 }; // numbers of neighbours that are counted in shared memory; larger ones are rare

static __global__ void __launch_bounds__(THREADS) exchange_kernel(const __grid_constant__ cuda_exchange_args a) {
    __shared__ unsigned class_counts[SHARED_CLASSES];
    unsigned long long sums[RDF_NEIGHBOUR_SUMS] = {0};
    if (*a.longest > a.now.capacity) return;
    for (unsigned k = threadIdx.x; k < SHARED_CLASSES; k += THREADS) class_counts[k] = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % LANES;
    for (unsigned place = first_place(); place < a.group_count; place += place_step()) {
        const list now = list_at(a.now, place), before = list_at(a.before, place);
        if (lane == 0 && a.now.count[place] >= 0) {
            unsigned long long n = (unsigned long long)now.count;
            const unsigned long long in_class = n < a.classes - 1 ? n : a.classes - 1;
            if (in_class < SHARED_CLASSES)
                atomicAdd(&class_counts[in_class], 1u);
            else
                atomicAdd(&a.row[in_class], 1ull);
            sums[RDF_SUM_OF_N] += n;
            sums[RDF_SUM_OF_SQUARES] += n * n;
        }
        if (!a.before.count) continue;
        const uint32_t centre = a.group[place];
        for (int k = (int)lane; k < now.count; k += LANES)
            if (is_first(now, k, centre, a.unordered))
                sums[contains(before.atoms, before.count, now.atoms[k]) ? RDF_STAYED : RDF_ENTERED]++;
        for (int k = (int)lane; k < before.count; k += LANES)
            if (is_first(before, k, centre, a.unordered) && !contains(now.atoms, now.count, before.atoms[k]))
                sums[RDF_LEFT]++;
    }
    for (int k = 0; k < RDF_NEIGHBOUR_SUMS; k++) {
        unsigned long long sum = sum_of_warp(sums[k]);
        if (threadIdx.x % 32 == 0 && sum) atomicAdd(&a.row[a.classes + k], sum);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < SHARED_CLASSES; k += THREADS)
        if (class_counts[k]) atomicAdd(&a.row[k], (unsigned long long)class_counts[k]);
}

static __device__ void write_event(const cuda_exchange_args &a, uint32_t i, uint32_t j, bool enters) {
    unsigned long long index = atomicAdd(a.event_count, 1ull);
    if (index < a.event_capacity) a.events[index] = cuda_event{i, j, enters};
}

static __global__ void __launch_bounds__(THREADS) event_kernel(const __grid_constant__ cuda_exchange_args a) {
    for (unsigned place = first_place(); place < a.group_count; place += place_step()) {
        const list now = list_at(a.now, place), before = list_at(a.before, place);
        const uint32_t centre = a.group[place];
        for (int k = threadIdx.x % LANES; k < now.count; k += LANES)
            if (is_first(now, k, centre, a.unordered) && !contains(before.atoms, before.count, now.atoms[k]))
                write_event(a, centre, now.atoms[k], true);
        for (int k = threadIdx.x % LANES; k < before.count; k += LANES)
            if (is_first(before, k, centre, a.unordered) && !contains(now.atoms, now.count, before.atoms[k]))
                write_event(a, centre, before.atoms[k], false);
    }
}

extern "C" int cuda_count_neighbours(const cuda_exchange_args *args, cudaStream_t stream, struct trj_error *err) {
    unsigned blocks;
    if (choose_blocks(&blocks, (args->group_count + THREADS / LANES - 1) / (THREADS / LANES), err)) return -1;
    exchange_kernel<<<blocks, THREADS, 0, stream>>>(*args);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_list_events(const cuda_exchange_args *args, cudaStream_t stream, struct trj_error *err) {
    unsigned blocks;
    if (choose_blocks(&blocks, (args->group_count + THREADS / LANES - 1) / (THREADS / LANES), err)) return -1;
    event_kernel<<<blocks, THREADS, 0, stream>>>(*args);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

// ---- triplets

enum { SHARED_BINS = 8192 }; // with more, all warps count in device memory

static __device__ unsigned long long choose_pairs(const cuda_triplet_args &a, unsigned long long n0,
                                                  unsigned long long n1) {
    return a.unordered ? n0 * (n0 - 1) / 2 : n0 * n1; // n0 = 0: 0
}

// Finds pair t of the arms of a centre.
static __device__ void pair_at(const cuda_triplet_args &a, unsigned long long t, unsigned n1, unsigned *x,
                               unsigned *y) {
    if (!a.unordered) {
        *x = (unsigned)(t / n1);
        *y = (unsigned)(t % n1);
        return;
    }
    // Pairs x < y are numbered y (y - 1) / 2 + x.
    unsigned long long high = (unsigned long long)((1 + sqrt(1 + 8 * (double)t)) / 2);
    while (high * (high - 1) / 2 > t) high--;
    while (high * (high + 1) / 2 <= t) high++;
    *x = (unsigned)(t - high * (high - 1) / 2);
    *y = (unsigned)high;
}

// Returns the cell of two neighbours by lib/neighbour/triplet.h; -1 if there is none.
static __device__ long long cell_of(const cuda_triplet_args &a, const cuda_neighbour &i, const cuda_neighbour &k) {
    if (!a.unordered && i.atom == k.atom && i.d[0] == k.d[0] && i.d[1] == k.d[1] && i.d[2] == k.d[2]) return -1;
    double r1 = (i.d[0] * i.d[0] + i.d[1] * i.d[1]) + i.d[2] * i.d[2],
           r2 = (k.d[0] * k.d[0] + k.d[1] * k.d[1]) + k.d[2] * k.d[2],
           dot = (i.d[0] * k.d[0] + i.d[1] * k.d[1]) + i.d[2] * k.d[2], p = r1 * r2, s = dot * fabs(dot),
           longer = r1 > r2 ? r1 : r2;
    if (!(p > 0)) return -1;
    float cosine = fminf(fmaxf((float)(dot / sqrt(p)), -1.0f), 1.0f);
    float guess = acosf(cosine) * ((float)a.angles * 0.31830988f);
    long long angle = guess < (float)(a.angles - 1) ? (long long)guess : (long long)a.angles - 1;
    while (angle > 0 && !(s <= a.q[angle] * p)) angle--;
    while (angle + 1 < a.angles && s <= a.q[angle + 1] * p) angle++;
    double position = (sqrt(longer) - a.low) * ((double)a.distances / (a.high - a.low));
    long long bin =
        position > 0 ? position < (double)(a.distances - 1) ? (long long)position : (long long)a.distances - 1 : 0;
    while (bin > 0 && longer < a.squares[bin]) bin--;
    while (bin + 1 < a.distances && a.squares[bin + 1] <= longer) bin++;
    return angle * (long long)a.distances + bin;
}

// Moves counts in shared memory to device memory. Threads first, first + step ... take a bin each.
static __device__ void add_bins(unsigned *from, unsigned bins, unsigned long long *counts, unsigned first,
                                unsigned step) {
    for (unsigned k = first; k < bins; k += step) {
        const unsigned n = atomicExch(&from[k], 0u);
        if (n) atomicAdd(&counts[k], (unsigned long long)n);
    }
}

template <bool SHARED>
static __global__ void __launch_bounds__(THREADS) triplet_kernel(const __grid_constant__ cuda_triplet_args a) {
    extern __shared__ unsigned bin_counts[];
    const unsigned lane = threadIdx.x % 32, bins = a.angles * a.distances;
    unsigned since_flush = 0;
    if (SHARED)
        for (unsigned k = threadIdx.x; k < bins; k += THREADS) bin_counts[k] = 0;
    __syncthreads();
    for (unsigned centre = blockIdx.x * (THREADS / 32) + threadIdx.x / 32; centre < a.centres;
         centre += gridDim.x * (THREADS / 32)) {
        const cuda_neighbour_lists &second = a.arm[!a.unordered];
        const int n0 = a.arm[0].count[centre], n1 = second.count[centre];
        if (n0 <= 0 || n1 <= 0) continue;
        const cuda_neighbour *first = a.arm[0].vectors + (size_t)centre * a.arm[0].capacity,
                             *other = second.vectors + (size_t)centre * second.capacity;
        const unsigned long long pairs = choose_pairs(a, (unsigned)n0, (unsigned)n1);
        for (unsigned long long t = 0; t < pairs; t += 32) {
            unsigned x, y;
            if (t + lane < pairs) {
                pair_at(a, t + lane, (unsigned)n1, &x, &y);
                long long cell = cell_of(a, first[x], other[y]);
                if (cell >= 0 && SHARED) atomicAdd(&bin_counts[cell], 1u);
                if (cell >= 0 && !SHARED) atomicAdd(&a.counts[cell], 1ull);
            }
            // Each warp adds the counters to device memory after 2^25 of its own pairs, so that no counter overflows.
            since_flush += 32;
            if (SHARED && since_flush >= 1u << 25) {
                add_bins(bin_counts, bins, a.counts, lane, 32);
                since_flush = 0;
            }
        }
    }
    __syncthreads();
    if (SHARED) add_bins(bin_counts, bins, a.counts, threadIdx.x, THREADS);
}

extern "C" int cuda_count_triplets(const cuda_triplet_args *args, cudaStream_t stream, struct trj_error *err) {
    unsigned blocks;
    unsigned long long bins = (unsigned long long)args->angles * args->distances;
    if (choose_blocks(&blocks, (args->centres + THREADS / 32 - 1) / (THREADS / 32), err)) return -1;
    if (bins <= SHARED_BINS)
        triplet_kernel<true><<<blocks, THREADS, bins * sizeof(unsigned), stream>>>(*args);
    else
        triplet_kernel<false><<<blocks, THREADS, 0, stream>>>(*args);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
