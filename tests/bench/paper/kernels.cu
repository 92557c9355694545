// SPDX-License-Identifier: MIT
// Times the kernels that Levine, Stone and Kohlmeyer compare (J. Comput. Phys. 230, 3556, 2011, PMC3085256) on the GPUs
// of this host. `paper-bench --set cc2.0_8192_a --atoms 100000 --bins 8192` prints one line of a table.
//
// One frame: selection A is cut into tiles of Nconst atoms. One launch copies one tile to constant memory. Each thread
// holds one atom of selection B and loops over the atoms of the tile. All threads of a warp read the same atom, which
// constant memory broadcasts. Distances are float32 with the minimum image in a cube. Each block counts in shared
// memory and adds to its own row in global memory; the GPU sums the rows. A histogram of more than Nbin bins is counted
// in several passes, and each pass computes all distances again. With several GPUs, one host thread serves each GPU and
// takes the next tile when its GPU is ready.
//
// The kernels are written from the published description alone. They share no code with the engine, and their counts
// are not exact.
#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARP      32u
#define PART      136u // atoms of a tile that a block takes at a time, so that small systems also fill the GPU
#define MAX_BLOCK 1024u
#define MAX_CONST 5440u // atoms in constant memory, three floats each: 65,280 of its 65,536 bytes
#define MAX_GPUS  16
#define TAG_SHIFT 27   // a lane's number in the high five bits of a counter
#define MAX_CHECK 1e10 // pairs that the plain kernel recounts in seconds
#define MAX_WARM  1.0  // seconds; if the first frame takes longer, it is the result, else it only warms up the GPU

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t status_ = (call);                                                                                  \
        if (status_ != cudaSuccess) fail(#call, cudaGetErrorString(status_));                                          \
    } while (0)

// The parameter sets of the paper (its Table 2), and one for current GPUs. A set gives the kind of update, the threads
// of a block (Nblock), the bins of one pass (Nbin), the atoms in constant memory (Nconst), and the blocks (Ngrid). The
// options --block, --window, --tile and --grid replace single values. 0 means as many bins as fit into shared memory,
// or as many blocks as fit onto the GPU.
static const struct set {
    const char *name;
    bool tagged; // tagged writes with one histogram a warp; otherwise atomics with one histogram a block
    unsigned block, window, tile, grid;
} sets[] = {
    {"cc1.0_8192", true, 32, 1024, MAX_CONST, 256},     // for cards without atomics in shared memory
    {"cc1.2_8192_a", false, 320, 3072, MAX_CONST, 256}, // 16 kB of shared memory
    {"cc1.2_1024_a", false, 256, 1024, MAX_CONST, 512},
    {"cc2.0_8192_a", false, 896, 8192, MAX_CONST, 256}, // 48 kB of shared memory
    {"now", false, 1024, 0, MAX_CONST, 0},
};
#define SETS (sizeof sets / sizeof *sets)

struct job {
    struct set set;
    unsigned atoms, other, bins, devices;
    unsigned window, passes; // bins of one pass; number of passes
    unsigned tiles, chunks;  // of A, Nconst atoms each; of B, Nblock atoms each
    float edge, scale;
    float *a;      // [tiles * Nconst][3], padded, pinned
    float4 *b;     // [chunks * Nblock], padded, pinned
    unsigned next; // the next unit of work to be taken: tile + pass * tiles
};

struct device {
    struct job *job;
    int number;
    unsigned blocks;
    float *a;
    float4 *b;
    unsigned long long *rows, *total; // blocks x window; bins
    unsigned long long *counts;       // total on the host
    cudaStream_t stream;
    cudaEvent_t done[2];
    pthread_t thread;
};

// x, y, z of each atom: three loads of 16 bytes read four atoms.
static __constant__ __align__(16) float tile[3 * MAX_CONST];

[[noreturn]] static void fail(const char *what, const char *why) {
    fprintf(stderr, "paper-bench: %s: %s\n", what, why);
    exit(1);
}

// The explicit fmaf calls fix the rounding, so that all kernels in this file agree in every bin. Padding atoms are so
// far away that the distance is infinite; it converts to the largest integer, which is outside every window.
static __device__ __forceinline__ unsigned bin_of(float ax, float ay, float az, float4 b, float edge, float scale) {
    float x = fabsf(ax - b.x), y = fabsf(ay - b.y), z = fabsf(az - b.z);
    x = fminf(x, edge - x), y = fminf(y, edge - y), z = fminf(z, edge - z);
    return __float2uint_rz(sqrtf(fmaf(x, x, fmaf(y, y, z * z))) * scale);
}

// Adds one without atomics. Lanes that share a bin all write count + 1 with their own tag. One write remains; its lane
// reads its own tag back and is done, the others repeat with the new count. Since Volta the lanes of a warp need not
// run in lockstep: a barrier after each step keeps a lane from writing before all lanes have read, and from reading
// back before all lanes have written. No other warp uses this histogram.
static __device__ __forceinline__ void add_tagged(volatile unsigned *hist, unsigned k, unsigned window, unsigned tag) {
    bool pending = k < window;
    do {
        unsigned mine = 0;
        if (pending) mine = ((hist[k] & ((1u << TAG_SHIFT) - 1)) + 1) | tag;
        __syncwarp();
        if (pending) hist[k] = mine;
        __syncwarp();
        if (pending) pending = hist[k] != mine;
    } while (__any_sync(0xffffffffu, pending));
}

// Each item is a chunk of B and a part of the tile. Shared memory holds `window` counters for each warp (tagged) or for
// the block.
template <bool tagged>
static __global__ void __launch_bounds__(MAX_BLOCK)
    count(const float4 *b, unsigned items, unsigned parts, float edge, float scale, unsigned first, unsigned window,
          unsigned long long *rows) {
    extern __shared__ unsigned hist[];
    unsigned copies = tagged ? blockDim.x / WARP : 1;
    unsigned *mine = hist + (tagged ? threadIdx.x / WARP * window : 0);
    unsigned tag = threadIdx.x << TAG_SHIFT;

    for (unsigned k = threadIdx.x; k < copies * window; k += blockDim.x) hist[k] = 0;
    __syncthreads();
    for (unsigned item = blockIdx.x; item < items; item += gridDim.x) {
        float4 atom = b[item / parts * blockDim.x + threadIdx.x];
        unsigned from = item % parts * PART;
        for (unsigned i = from; i < from + PART; i += 8) {
            float a[24]; // x y z x y z ...
#pragma unroll
            for (unsigned n = 0; n < 6; n++) {
                float4 four = *(const float4 *)(tile + 3 * i + 4 * n);
                a[4 * n] = four.x, a[4 * n + 1] = four.y, a[4 * n + 2] = four.z, a[4 * n + 3] = four.w;
            }
#pragma unroll
            for (unsigned n = 0; n < 8; n++) {
                unsigned k = bin_of(a[3 * n], a[3 * n + 1], a[3 * n + 2], atom, edge, scale) - first;
                if (tagged)
                    add_tagged(mine, k, window, tag);
                else if (k < window)
                    atomicAdd(&mine[k], 1u);
            }
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < window; k += blockDim.x) {
        unsigned sum = 0;
        for (unsigned c = 0; c < copies; c++) sum += hist[c * window + k] & (tagged ? (1u << TAG_SHIFT) - 1 : ~0u);
        rows[(size_t)blockIdx.x * window + k] += sum;
    }
}

// Sums the rows of all blocks into the histogram, and clears them for the next pass.
static __global__ void reduce(unsigned long long *rows, unsigned blocks, unsigned window, unsigned long long *total) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= window) return;
    unsigned long long sum = 0;
    for (unsigned r = blockIdx.y; r < blocks; r += gridDim.y) {
        sum += rows[(size_t)r * window + k];
        rows[(size_t)r * window + k] = 0;
    }
    atomicAdd(&total[k], sum);
}

// Counts independently, without tiles, windows or shared memory. `within` receives two float64 numbers of pairs: within
// a range that is shorter by a millionth, and within one that is longer by a millionth. The sum of all counts must be
// between them.
static __global__ void recount(const float *a, unsigned atoms, const float4 *b, unsigned other, float edge, float scale,
                               unsigned bins, unsigned long long *total, unsigned long long *within) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, surely = 0, maybe = 0;
    double range = (double)bins / scale, less = range * (1 - 1e-6), more = range * (1 + 1e-6);
    if (i >= atoms) return;
    float ax = a[3 * (size_t)i], ay = a[3 * (size_t)i + 1], az = a[3 * (size_t)i + 2];
    for (unsigned j = blockIdx.y; j < other; j += gridDim.y) {
        unsigned k = bin_of(ax, ay, az, b[j], edge, scale);
        if (k < bins) atomicAdd(&total[k], 1ull);
        double d[3] = {(double)ax - b[j].x, (double)ay - b[j].y, (double)az - b[j].z}, r2 = 0;
        for (int n = 0; n < 3; n++) {
            d[n] -= edge * rint(d[n] / edge);
            r2 += d[n] * d[n];
        }
        surely += r2 < less * less;
        maybe += r2 < more * more;
    }
    atomicAdd(&within[0], (unsigned long long)surely);
    atomicAdd(&within[1], (unsigned long long)maybe);
}

static void *serve(void *arg) {
    struct device *d = (struct device *)arg;
    struct job *j = d->job;
    unsigned copies = j->set.tagged ? j->set.block / WARP : 1, pass = 0;
    auto kernel = j->set.tagged ? count<true> : count<false>;
    size_t tile_floats = 3 * (size_t)j->set.tile;

    CUDA(cudaSetDevice(d->number));
    CUDA(cudaMemcpyAsync(d->a, j->a, sizeof *d->a * j->tiles * tile_floats, cudaMemcpyHostToDevice, d->stream));
    CUDA(cudaMemcpyAsync(d->b, j->b, sizeof *d->b * j->chunks * j->set.block, cudaMemcpyHostToDevice, d->stream));
    CUDA(cudaMemsetAsync(d->rows, 0, sizeof *d->rows * d->blocks * j->window, d->stream));
    CUDA(cudaMemsetAsync(d->total, 0, sizeof *d->total * j->passes * j->window, d->stream));
    for (unsigned turn = 0;; turn++) {
        // At most two launches are queued, so that a slower GPU does not take tiles that a faster one could count.
        if (turn >= 2) CUDA(cudaEventSynchronize(d->done[turn % 2]));
        unsigned work = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
        bool last = work >= j->tiles * j->passes;
        if (last || work / j->tiles != pass) {
            dim3 grid((j->window + 255) / 256, 32);
            reduce<<<grid, 256, 0, d->stream>>>(d->rows, d->blocks, j->window, d->total + (size_t)pass * j->window);
            pass = work / j->tiles;
        }
        if (last) break;
        unsigned t = work % j->tiles, from = t * j->set.tile;
        unsigned parts = ((j->atoms - from < j->set.tile ? j->atoms - from : j->set.tile) + PART - 1) / PART;
        CUDA(cudaMemcpyToSymbolAsync(tile, d->a + t * tile_floats, sizeof *d->a * tile_floats, 0,
                                     cudaMemcpyDeviceToDevice, d->stream));
        kernel<<<d->blocks, j->set.block, sizeof(unsigned) * copies * j->window, d->stream>>>(
            d->b, j->chunks * parts, parts, j->edge, j->scale, pass * j->window, j->window, d->rows);
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(d->done[turn % 2], d->stream));
    }
    CUDA(cudaMemcpyAsync(d->counts, d->total, sizeof *d->counts * j->bins, cudaMemcpyDeviceToHost, d->stream));
    CUDA(cudaStreamSynchronize(d->stream));
    return NULL;
}

static void open_device(struct device *d, struct job *j, int number) {
    unsigned copies = j->set.tagged ? j->set.block / WARP : 1, parts = j->set.tile / PART;
    size_t shared = sizeof(unsigned) * copies * j->window;
    int processors, fit;
    const void *kernel = j->set.tagged ? (const void *)count<true> : (const void *)count<false>;

    d->job = j, d->number = number;
    CUDA(cudaSetDevice(number));
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, number));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)j->set.block, shared));
    if (!fit) fail("--block, --window", "no block fits on this GPU");
    d->blocks = j->set.grid ? j->set.grid : (unsigned)(fit * processors);
    // A counter of a warp has 27 bits in tagged updates, one of a block 32 in atomic ones.
    if (((uint64_t)j->chunks * parts / d->blocks + 1) * PART * WARP >= 1u << TAG_SHIFT)
        fail("--other", "too many atoms for the counters");
    CUDA(cudaMalloc((void **)&d->a, sizeof *d->a * j->tiles * 3 * j->set.tile));
    CUDA(cudaMalloc((void **)&d->b, sizeof *d->b * j->chunks * j->set.block));
    CUDA(cudaMalloc((void **)&d->rows, sizeof *d->rows * d->blocks * j->window));
    CUDA(cudaMalloc((void **)&d->total, sizeof *d->total * j->passes * j->window));
    CUDA(cudaMallocHost((void **)&d->counts, sizeof *d->counts * j->bins));
    CUDA(cudaStreamCreate(&d->stream));
    for (int i = 0; i < 2; i++) CUDA(cudaEventCreateWithFlags(&d->done[i], cudaEventDisableTiming));
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Counts one frame, from coordinates in host memory to counts in host memory, and returns the seconds it took.
static double count_frame(struct job *j, struct device *devices, unsigned long long *counts) {
    double began = seconds();
    j->next = 0;
    for (unsigned i = 0; i < j->devices; i++)
        if (pthread_create(&devices[i].thread, NULL, serve, &devices[i])) fail("pthread_create", "no thread");
    for (unsigned i = 0; i < j->devices; i++) pthread_join(devices[i].thread, NULL);
    memset(counts, 0, sizeof *counts * j->bins);
    for (unsigned i = 0; i < j->devices; i++)
        for (unsigned k = 0; k < j->bins; k++) counts[k] += devices[i].counts[k];
    return seconds() - began;
}

static bool right(const struct job *j, const struct device *d, const unsigned long long *counts) {
    unsigned long long *total, *expected = (unsigned long long *)calloc(j->bins + 2, sizeof *expected), sum = 0;
    size_t size = sizeof *total * (j->bins + 2);
    if (!expected) fail("check", "no memory");
    CUDA(cudaSetDevice(d->number));
    CUDA(cudaMalloc((void **)&total, size));
    CUDA(cudaMemset(total, 0, size));
    dim3 grid((j->atoms + 255) / 256, 64);
    recount<<<grid, 256>>>(d->a, j->atoms, d->b, j->other, j->edge, j->scale, j->bins, total, total + j->bins);
    CUDA(cudaMemcpy(expected, total, size, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < j->bins; k++) sum += counts[k];
    bool same = !memcmp(expected, counts, sizeof *counts * j->bins);
    bool ok = same && expected[j->bins] <= sum && sum <= expected[j->bins + 1];
    if (!ok)
        fprintf(stderr, "paper-bench: check: %s, %llu counted, %llu to %llu expected\n",
                same ? "bins equal" : "bins differ", sum, expected[j->bins], expected[j->bins + 1]);
    CUDA(cudaFree(total));
    free(expected);
    return ok;
}

// Returns a uniform number in [0, edge), by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
static float uniform(uint64_t *state, float edge) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (float)((z ^ z >> 31) >> 40) * 0x1p-24f * edge;
}

// Makes random atoms in the cube. Padding atoms of A and of B are infinitely far from all atoms of the other selection.
static void make_atoms(struct job *j) {
    uint64_t state = 1;
    CUDA(cudaHostAlloc((void **)&j->a, sizeof *j->a * 3 * j->tiles * j->set.tile, cudaHostAllocPortable));
    CUDA(cudaHostAlloc((void **)&j->b, sizeof *j->b * j->chunks * j->set.block, cudaHostAllocPortable));
    for (size_t i = 0; i < 3 * (size_t)j->tiles * j->set.tile; i++)
        j->a[i] = i < 3 * (size_t)j->atoms ? uniform(&state, j->edge) : -1e30f;
    for (unsigned i = 0; i < j->chunks * j->set.block; i++) {
        j->b[i] = make_float4(1e30f, 1e30f, 1e30f, 0); // four floats: one load instead of three
        if (i >= j->other) continue;
        j->b[i].x = uniform(&state, j->edge);
        j->b[i].y = uniform(&state, j->edge);
        j->b[i].z = uniform(&state, j->edge);
    }
}

static void list(void) {
    int n;
    CUDA(cudaGetDeviceCount(&n));
    for (int i = 0; i < n; i++) {
        cudaDeviceProp p;
        CUDA(cudaGetDeviceProperties(&p, i));
        printf("gpu %d: %s, compute capability %d.%d, %d multiprocessors, %zu bytes of shared memory a block\n", i,
               p.name, p.major, p.minor, p.multiProcessorCount, p.sharedMemPerBlockOptin);
    }
    for (size_t s = 0; s < SETS; s++)
        printf("set %s: %s, Nblock %u, Nbin %u, Nconst %u, Ngrid %u\n", sets[s].name,
               sets[s].tagged ? "tagged writes" : "atomics", sets[s].block, sets[s].window, sets[s].tile, sets[s].grid);
}

static unsigned number(const char *name, const char *text, unsigned max) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 1 || value > max) fail(name, "number out of range");
    return (unsigned)value;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"set", 1, NULL, 's'},     {"atoms", 1, NULL, 'a'}, {"other", 1, NULL, 'o'},  {"bins", 1, NULL, 'b'},
        {"devices", 1, NULL, 'd'}, {"block", 1, NULL, 'B'}, {"window", 1, NULL, 'W'}, {"tile", 1, NULL, 'T'},
        {"grid", 1, NULL, 'G'},    {"list", 0, NULL, 'l'},  {NULL, 0, NULL, 0}};
    struct job j = {};
    static struct device devices[MAX_GPUS];
    double took[15], total = 0;
    unsigned runs = 0, block = 0, tile_atoms = 0, window = 0, grid = 0;
    const char *set = "now", *verdict = "-";
    int present, shared;

    j.atoms = 100000, j.bins = 8192, j.devices = 1;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 's')
            set = optarg;
        else if (c == 'a')
            j.atoms = number("--atoms", optarg, 1u << 27);
        else if (c == 'o')
            j.other = number("--other", optarg, 1u << 27);
        else if (c == 'b')
            j.bins = number("--bins", optarg, 1u << 24);
        else if (c == 'd')
            j.devices = number("--devices", optarg, MAX_GPUS);
        else if (c == 'B')
            block = number("--block", optarg, MAX_BLOCK);
        else if (c == 'T')
            tile_atoms = number("--tile", optarg, MAX_CONST);
        else if (c == 'W')
            window = number("--window", optarg, 1u << 24);
        else if (c == 'G')
            grid = number("--grid", optarg, 1u << 16);
        else if (c == 'l')
            return list(), 0;
        else
            return 2;
    }
    if (!j.other) j.other = j.atoms;
    size_t s = 0;
    while (s < SETS && strcmp(set, sets[s].name)) s++;
    if (s == SETS) fail("--set", "unknown set; --list prints all");
    j.set = sets[s];
    if (block) j.set.block = block;
    if (tile_atoms) j.set.tile = tile_atoms;
    if (window) j.set.window = window;
    if (grid) j.set.grid = grid;
    if (j.set.block % WARP) fail("--block", "not a multiple of 32");
    if (j.set.tile % PART) fail("--tile", "not a multiple of 136");
    CUDA(cudaGetDeviceCount(&present));
    if (j.devices > (unsigned)present) fail("--devices", "more GPUs than this host has");

    CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    unsigned fit = (unsigned)shared / (unsigned)sizeof(unsigned) / (j.set.tagged ? j.set.block / WARP : 1);
    if (j.set.window && j.set.window < fit) fit = j.set.window;
    j.passes = (j.bins + fit - 1) / fit;
    j.window = (j.bins + j.passes - 1) / j.passes; // the last pass may exceed the range; its surplus is not copied back
    j.tiles = (j.atoms + j.set.tile - 1) / j.set.tile;
    j.chunks = (j.other + j.set.block - 1) / j.set.block;
    j.edge = (float)cbrt((j.atoms > j.other ? j.atoms : j.other) / 0.0334); // oxygen of water, per cubic angstrom
    j.scale = (float)j.bins / (0.5f * j.edge);
    make_atoms(&j);
    unsigned long long *counts = (unsigned long long *)malloc(sizeof *counts * j.bins);
    if (!counts) fail("bins", "no memory");
    for (unsigned i = 0; i < j.devices; i++) open_device(&devices[i], &j, (int)i);

    double pairs = (double)j.atoms * j.other;
    took[0] = count_frame(&j, devices, counts);
    if (took[0] > MAX_WARM) total = took[runs++];
    while (runs < sizeof took / sizeof *took && (runs == 0 || total < 0.3))
        total += took[runs++] = count_frame(&j, devices, counts);
    qsort(took, runs, sizeof *took, by_size);
    double median = took[runs / 2];
    if (pairs <= MAX_CHECK) verdict = right(&j, &devices[0], counts) ? "ok" : "WRONG";
    printf("kernel\t%s\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%.6g\t%.4g\t%s\n", set, j.set.block, j.window, j.atoms, j.other,
           j.bins, j.devices, j.passes, median, pairs / median / 1e9, verdict);
    return !strcmp(verdict, "WRONG");
}
