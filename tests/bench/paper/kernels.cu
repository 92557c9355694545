// SPDX-License-Identifier: MIT
// Times the ways of counting distances that Levine, Stone and Kohlmeyer compare (J. Comput. Phys. 230, 3556, 2011,
// PMC3085256), on the GPUs of today: `paper-bench --kernel atomic --set now --atoms 100000 --bins 8192` prints a line.
//
// One frame: A is cut into tiles that go to constant memory, one launch a tile. In a launch each thread holds an atom
// of B and runs over atoms of the tile, the same for all threads of a warp: constant memory broadcasts them. Distances
// are float42, minimum image in a cube. Each block counts in shared memory and adds to its own row in global memory,
// rows are summed on the GPU. A histogram that does not fit is counted in passes over windows of bins, each of which
// computes all distances again. With several GPUs a thread of the host serves each and takes the next tile when it can.
//
// Written from the published description alone. No part of trjpipe's engine is used, and its counts are not exact.
#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARP       32u
#define PART       128u // atoms of a tile that a block takes at a time, so that small systems also fill the GPU
#define MOST_BLOCK 1024u
#define MOST_TILE  4096u // all of the 64 KiB of constant memory
#define MOST_GPUS  16
#define TAG_SHIFT  27   // a lane's number in the high five bits of a counter
#define MOST_CHECK 1e10 // pairs that the plain kernel recounts in seconds

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t status_ = (call);                                                                                  \
        if (status_ != cudaSuccess) fail(#call, cudaGetErrorString(status_));                                          \
    } while (0)

// What differs by generation: threads a block, atoms a tile, bytes of shared memory for histograms. Bins a pass follow:
// all that fit, a histogram for each warp (tagged) or each block (atomic). Shared memory is what cards of that compute
// capability had (CUDA C Programming Guide); block and tile are ours: Table 2 of the paper could not be looked up. To
// run other values: --block, --tile, --window.
static const struct set {
    const char *name;
    unsigned block, tile, shared; // shared 0: all that a block of the present card may have
} sets[] = {
    {"1.0", 64, 2048, 16384},  // no atomics in shared memory: the generation of the tagged updates
    {"1.3", 128, 2048, 16384}, // the first with atomics in shared memory
    {"2.0", 256, 2048, 49152}, // GTX 480
    {"now", 1024, 2048, 0},
};
#define SETS (sizeof sets / sizeof *sets)

struct job {
    bool tagged;
    struct set set;
    unsigned atoms, other, bins, devices;
    unsigned window, passes; // bins a pass
    unsigned tiles, chunks;  // of A; of B, one atom a thread
    float edge, scale;
    float4 *a, *b; // padded, pinned
    unsigned next; // work not yet taken: tile + pass * tiles
};

struct device {
    struct job *job;
    int number;
    unsigned blocks;
    float4 *a, *b;
    unsigned long long *rows, *total; // blocks x window; bins
    unsigned long long *counts;       // total on the host
    cudaStream_t stream;
    cudaEvent_t done[2];
    pthread_t thread;
};

static __constant__ float4 tile[MOST_TILE];

[[noreturn]] static void fail(const char *what, const char *why) {
    fprintf(stderr, "paper-bench: %s: %s\n", what, why);
    exit(1);
}

// The written-out fmaf leave the compiler no choice of rounding: all kernels here agree in every bin. Padding is so far
// off that the distance is infinite, which converts to the largest integer and is in no window.
static __device__ __forceinline__ unsigned bin_of(float4 a, float4 b, float edge, float scale) {
    float x = fabsf(a.x - b.x), y = fabsf(a.y - b.y), z = fabsf(a.z - b.z);
    x = fminf(x, edge - x), y = fminf(y, edge - y), z = fminf(z, edge - z);
    return __float2uint_rz(sqrtf(fmaf(x, x, fmaf(y, y, z * z))) * scale);
}

// Adds one without atomics. Lanes that meet in a bin all write count + 1 under their own tag; one write stays, its lane
// sees its tag and is done, the others try again on the new count. Warps used to run in lockstep; since Volta they need
// not, so that each step is fenced off: no lane may write before all have read, nor look before all have written.
// Other warps never touch this histogram.
static __device__ __forceinline__ void add_tagged(volatile unsigned *hist, unsigned k, unsigned window, unsigned tag) {
    bool wants = k < window;
    do {
        unsigned mine = 0;
        if (wants) mine = ((hist[k] & ((1u << TAG_SHIFT) - 1)) + 1) | tag;
        __syncwarp();
        if (wants) hist[k] = mine;
        __syncwarp();
        if (wants) wants = hist[k] != mine;
    } while (__any_sync(0xffffffffu, wants));
}

template <bool tagged>
static __global__ void __launch_bounds__(MOST_BLOCK)
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
        const float4 *a = tile + item % parts * PART;
#pragma unroll 8
        for (unsigned i = 0; i < PART; i++) {
            unsigned k = bin_of(a[i], atom, edge, scale) - first;
            if (tagged)
                add_tagged(mine, k, window, tag);
            else if (k < window)
                atomicAdd(&mine[k], 1u);
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

// The judge: no tiles, no windows, nothing shared. within counts, in float64, the pairs that are in range even if the
// range is a millionth shorter, and those that are if it is a millionth longer: the sum of counts lies between.
static __global__ void recount(const float4 *a, unsigned atoms, const float4 *b, unsigned other, float edge,
                               float scale, unsigned bins, unsigned long long *total, unsigned long long *within) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, surely = 0, maybe = 0;
    double range = (double)bins / scale, less = range * (1 - 1e-6), more = range * (1 + 1e-6);
    if (i >= atoms) return;
    for (unsigned j = blockIdx.y; j < other; j += gridDim.y) {
        unsigned k = bin_of(a[i], b[j], edge, scale);
        if (k < bins) atomicAdd(&total[k], 1ull);
        double d[3] = {(double)a[i].x - b[j].x, (double)a[i].y - b[j].y, (double)a[i].z - b[j].z}, r2 = 0;
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
    unsigned copies = j->tagged ? j->set.block / WARP : 1, pass = 0;
    auto kernel = j->tagged ? count<true> : count<false>;

    CUDA(cudaSetDevice(d->number));
    CUDA(cudaMemcpyAsync(d->a, j->a, sizeof *d->a * j->tiles * j->set.tile, cudaMemcpyHostToDevice, d->stream));
    CUDA(cudaMemcpyAsync(d->b, j->b, sizeof *d->b * j->chunks * j->set.block, cudaMemcpyHostToDevice, d->stream));
    CUDA(cudaMemsetAsync(d->rows, 0, sizeof *d->rows * d->blocks * j->window, d->stream));
    CUDA(cudaMemsetAsync(d->total, 0, sizeof *d->total * j->passes * j->window, d->stream));
    for (unsigned turn = 0;; turn++) {
        // Two launches at most wait in the queue: a slower GPU must not take tiles that a faster one could do.
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
        CUDA(cudaMemcpyToSymbolAsync(tile, d->a + from, sizeof *d->a * parts * PART, 0, cudaMemcpyDeviceToDevice,
                                     d->stream));
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
    unsigned copies = j->tagged ? j->set.block / WARP : 1, parts = j->set.tile / PART;
    size_t shared = sizeof(unsigned) * copies * j->window;
    int processors, fit;
    const void *kernel = j->tagged ? (const void *)count<true> : (const void *)count<false>;

    d->job = j, d->number = number;
    CUDA(cudaSetDevice(number));
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, number));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)j->set.block, shared));
    if (!fit) fail("--block, --window", "no block fits on this GPU");
    d->blocks = (unsigned)(fit * processors);
    // A counter of a warp has 27 bits in tagged updates, one of a block 32 in atomic ones.
    if (((uint64_t)j->chunks * parts / d->blocks + 1) * PART * WARP >= 1u << TAG_SHIFT)
        fail("--other", "too many atoms for the counters");
    CUDA(cudaMalloc((void **)&d->a, sizeof *d->a * j->tiles * j->set.tile));
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

// A frame from the coordinates in the host's memory to the counts there.
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
    unsigned long long *total, *wanted = (unsigned long long *)calloc(j->bins + 2, sizeof *wanted), sum = 0;
    size_t size = sizeof *total * (j->bins + 2);
    if (!wanted) fail("check", "no memory");
    CUDA(cudaSetDevice(d->number));
    CUDA(cudaMalloc((void **)&total, size));
    CUDA(cudaMemset(total, 0, size));
    dim3 grid((j->atoms + 255) / 256, 64);
    recount<<<grid, 256>>>(d->a, j->atoms, d->b, j->other, j->edge, j->scale, j->bins, total, total + j->bins);
    CUDA(cudaMemcpy(wanted, total, size, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < j->bins; k++) sum += counts[k];
    bool same = !memcmp(wanted, counts, sizeof *counts * j->bins);
    bool ok = same && wanted[j->bins] <= sum && sum <= wanted[j->bins + 1];
    if (!ok)
        fprintf(stderr, "paper-bench: check: %s, %llu counted, %llu to %llu wanted\n",
                same ? "bins equal" : "bins differ", sum, wanted[j->bins], wanted[j->bins + 1]);
    CUDA(cudaFree(total));
    free(wanted);
    return ok;
}

// Uniform in the cube, room for `padded` of which the rest is far off in the direction of `far`.
static float4 *random_points(unsigned n, unsigned padded, float edge, float far, uint64_t state) {
    float4 *p;
    CUDA(cudaHostAlloc((void **)&p, sizeof *p * padded, cudaHostAllocPortable));
    for (unsigned i = 0; i < padded; i++) {
        float x[3] = {far, far, far};
        for (int c = 0; c < 3 && i < n; c++) { // SplitMix64
            uint64_t z = state += 0x9e3779b97f4a7c15u;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            x[c] = (float)((z ^ z >> 31) >> 40) * 0x1p-24f * edge;
        }
        p[i] = make_float4(x[0], x[1], x[2], 0); // four: one load instead of three
    }
    return p;
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
        printf("set %s: block %u, tile %u, shared %u\n", sets[s].name, sets[s].block, sets[s].tile, sets[s].shared);
}

static unsigned number(const char *name, const char *text, unsigned most) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 1 || value > most) fail(name, "number out of range");
    return (unsigned)value;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static const struct option options[] = {{"kernel", 1, NULL, 'k'}, {"set", 1, NULL, 's'},  {"atoms", 1, NULL, 'a'},
                                            {"other", 1, NULL, 'o'},  {"bins", 1, NULL, 'b'}, {"devices", 1, NULL, 'd'},
                                            {"block", 1, NULL, 'B'},  {"tile", 1, NULL, 'T'}, {"window", 1, NULL, 'W'},
                                            {"list", 0, NULL, 'l'},   {NULL, 0, NULL, 0}};
    struct job j = {};
    static struct device devices[MOST_GPUS];
    double took[15], total = 0;
    unsigned runs = 0, block = 0, tile_atoms = 0, window = 0;
    const char *set = "now", *kernel = "atomic", *verdict = "-";
    int present;

    j.atoms = 100000, j.bins = 8192, j.devices = 1;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'k')
            kernel = optarg;
        else if (c == 's')
            set = optarg;
        else if (c == 'a')
            j.atoms = number("--atoms", optarg, 1u << 27);
        else if (c == 'o')
            j.other = number("--other", optarg, 1u << 27);
        else if (c == 'b')
            j.bins = number("--bins", optarg, 1u << 24);
        else if (c == 'd')
            j.devices = number("--devices", optarg, MOST_GPUS);
        else if (c == 'B')
            block = number("--block", optarg, MOST_BLOCK);
        else if (c == 'T')
            tile_atoms = number("--tile", optarg, MOST_TILE);
        else if (c == 'W')
            window = number("--window", optarg, 1u << 24);
        else if (c == 'l')
            return list(), 0;
        else
            return 2;
    }
    if (!j.other) j.other = j.atoms;
    if (strcmp(kernel, "tagged") && strcmp(kernel, "atomic")) fail("--kernel", "neither tagged nor atomic");
    j.tagged = !strcmp(kernel, "tagged");
    size_t s = 0;
    while (s < SETS && strcmp(set, sets[s].name)) s++;
    if (s == SETS) fail("--set", "not in the table, see --list");
    j.set = sets[s];
    if (block) j.set.block = block;
    if (tile_atoms) j.set.tile = tile_atoms;
    if (j.set.block % WARP) fail("--block", "not a multiple of 32");
    if (j.set.tile % PART) fail("--tile", "not a multiple of 128");
    CUDA(cudaGetDeviceCount(&present));
    if (j.devices > (unsigned)present) fail("--devices", "more than there are");

    if (!j.set.shared) {
        int most;
        CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
        j.set.shared = (unsigned)most;
    }
    unsigned fit = j.set.shared / (unsigned)sizeof(unsigned) / (j.tagged ? j.set.block / WARP : 1);
    if (window && window < fit) fit = window;
    j.passes = (j.bins + fit - 1) / fit;
    j.window = (j.bins + j.passes - 1) / j.passes; // the last may reach beyond the range; those counts are left behind
    j.tiles = (j.atoms + j.set.tile - 1) / j.set.tile;
    j.chunks = (j.other + j.set.block - 1) / j.set.block;
    j.edge = (float)cbrt((j.atoms > j.other ? j.atoms : j.other) / 0.0334); // oxygen of water, per cubic angstrom
    j.scale = (float)j.bins / (0.5f * j.edge);
    j.a = random_points(j.atoms, j.tiles * j.set.tile, j.edge, -1e30f, 1);
    j.b = random_points(j.other, j.chunks * j.set.block, j.edge, 1e30f, UINT64_C(1) << 40);
    unsigned long long *counts = (unsigned long long *)malloc(sizeof *counts * j.bins);
    if (!counts) fail("bins", "no memory");
    for (unsigned i = 0; i < j.devices; i++) open_device(&devices[i], &j, (int)i);

    count_frame(&j, devices, counts); // warms up
    while (runs < sizeof took / sizeof *took && (runs == 0 || total < 0.3))
        total += took[runs++] = count_frame(&j, devices, counts);
    qsort(took, runs, sizeof *took, by_size);
    double median = took[runs / 2], pairs = (double)j.atoms * j.other;
    if (pairs <= MOST_CHECK) verdict = right(&j, &devices[0], counts) ? "ok" : "WRONG";
    printf("%s\t%s\t%u\t%u\t%u\t%u\t%u\t%.6g\t%.4g\t%s\n", kernel, set, j.atoms, j.other, j.bins, j.devices, j.passes,
           median, pairs / median / 1e9, verdict);
    return !strcmp(verdict, "WRONG");
}
