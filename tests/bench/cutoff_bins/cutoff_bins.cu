// SPDX-License-Identifier: MIT
// Times the scheme of Rodrigues, Hardy, Stone, Schulten and Hwu (GPU acceleration of cutoff pair potentials for
// molecular modeling applications, Computing Frontiers 2008) on one GPU and on the CPU: the potential
// q (1 - (r / rc)^2)^2 / r within rc, on a lattice of 1 Å over a box of water, without periodic images. `cutoff-bins
// --atoms 1000000 --threads 16` prints lines of a table. With --pqr FILE it only writes the atoms, and with --compare
// MAP.npy it also prints the deviations of that map.
//
// Atoms are hashed into bins of (4 Å)^3 with 8 slots of x, y, z, q, which are 128 bytes. The CPU adds the atoms that do
// not fit, while the GPU adds the others. A thread block computes 8^3 points. It loads one bin at a time into shared
// memory, and each of its 128 threads adds that bin to four points, which are 2 Å apart in y and share dx and dz. Bins
// around the box are empty, so that no index needs a test.
//
// The code is written from the published description. It differs where the printed inner loop is wrong: an atom
// outside the cylinder is skipped, not one inside; empty slots are marked by their coordinate, because a charge of 0
// would hide all atoms after a neutral one; and an atom at a point does not contribute to it.
#include <algorithm>
#include <atomic>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <time.h>
#include <vector>

#define ANYWHERE static __host__ __device__ __forceinline__
#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t status_ = (call);                                                                                  \
        if (status_ != cudaSuccess) fail(#call, cudaGetErrorString(status_));                                          \
    } while (0)

enum {
    SLOTS = 8,
    BIN = 4,         // edge of a bin in Å
    BLOCK = 8,       // points of a thread block along each axis, and its edge in Å
    EACH = 4,        // points of a thread
    ROWS = 2,        // threads along y, and the distance of the points of a thread in y
    MAX_NEAR = 1024, // bins near a block
    RUNS = 15,
    SAMPLES = 2000, // points where the maps are compared with float64
};
#define EMPTY 1e30f // coordinate of an empty slot

struct box {
    int points, blocks; // along each axis
    int pad, bins;      // bins along each axis: around the box on one side, and all
    float cutoff, cutoff2, inverse2;
};

struct hashed {
    float4 *bin; // [bins][bins][bins][SLOTS], x fastest
    size_t bytes;
    std::vector<float4> extra;
};

struct sums {
    float v[EACH], rest[EACH]; // `rest` is the part that is lost in compensated sums
};

// Positions of the bins near a block, relative to its first bin.
static __constant__ int near_bin[MAX_NEAR];

[[noreturn]] static void fail(const char *what, const char *why) {
    fprintf(stderr, "cutoff-bins: %s: %s\n", what, why);
    exit(1);
}

ANYWHERE float inverse_root(float r2) {
#ifdef __CUDA_ARCH__
    return rsqrtf(r2);
#else
    return 1 / sqrtf(r2);
#endif
}

// Adds the atoms of a bin to four points, the first of which is at x, y, z.
template <bool COMPENSATED>
ANYWHERE void add_bin(const float4 *bin, float x, float y, float z, float cutoff2, float inverse2, struct sums *s) {
    for (int i = 0; i < SLOTS; i++) {
        const float4 a = bin[i];
        if (a.x == EMPTY) break;
        const float dx = a.x - x, dz = a.z - z, cylinder2 = dx * dx + dz * dz;
        if (cylinder2 >= cutoff2) continue;
        for (int k = 0; k < EACH; k++) {
            const float dy = a.y - (y + (float)(ROWS * k)), r2 = cylinder2 + dy * dy;
            if (r2 >= cutoff2 || r2 == 0) continue;
            const float shape = 1 - r2 * inverse2, term = a.w * inverse_root(r2) * shape * shape;
            if (COMPENSATED) {
                const float more = term - s->rest[k], sum = s->v[k] + more;
                s->rest[k] = (sum - s->v[k]) - more;
                s->v[k] = sum;
            } else {
                s->v[k] += term;
            }
        }
    }
}

ANYWHERE size_t bin_index(const struct box &b, int x, int y, int z) {
    return ((size_t)(z + b.pad) * (size_t)b.bins + (size_t)(y + b.pad)) * (size_t)b.bins + (size_t)(x + b.pad);
}

ANYWHERE void store(const struct box &b, int x, int y, int z, const struct sums &s, float *map) {
    for (int k = 0; k < EACH; k++) {
        if (x < b.points && y + ROWS * k < b.points && z < b.points)
            map[((size_t)z * (size_t)b.points + (size_t)(y + ROWS * k)) * (size_t)b.points + (size_t)x] = s.v[k];
    }
}

template <bool COMPENSATED>
static __global__ void __launch_bounds__(BLOCK *ROWS *BLOCK)
    add_bins(struct box b, const float4 *bins, int near_count, float *map) {
    __shared__ float4 bin[SLOTS];
    const int x = (int)(BLOCK * blockIdx.x + threadIdx.x), y = (int)(BLOCK * blockIdx.y + threadIdx.y),
              z = (int)(BLOCK * blockIdx.z + threadIdx.z);
    const unsigned thread = threadIdx.x + BLOCK * (threadIdx.y + ROWS * threadIdx.z);
    const int scale = BLOCK / BIN;
    const float *first = (const float *)(bins + SLOTS * bin_index(b, scale * (int)blockIdx.x, scale * (int)blockIdx.y,
                                                                  scale * (int)blockIdx.z));
    struct sums s = {};
    for (int i = 0; i < near_count; i++) {
        if (thread < 4 * SLOTS) ((float *)bin)[thread] = first[4 * SLOTS * near_bin[i] + (int)thread];
        __syncthreads();
        add_bin<COMPENSATED>(bin, (float)x, (float)y, (float)z, b.cutoff2, b.inverse2, &s);
        __syncthreads(); // all threads have read the bin
    }
    store(b, x, y, z, s, map);
}

// ---- CPU

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// Calls body(i) for all i < count, in any order.
template <class Body> static void in_parallel(unsigned threads, int count, const Body &body) {
    std::atomic<int> next{0};
    std::vector<std::thread> all;
    auto work = [&] {
        for (int i; (i = next++) < count;) body(i);
    };
    for (unsigned t = 1; t < threads; t++) all.emplace_back(work);
    work();
    for (auto &t : all) t.join();
}

// Computes the same sums as the kernel.
template <bool COMPENSATED>
static void add_bins_on_cpu(const struct box &b, const float4 *bins, const std::vector<int> &near, unsigned threads,
                            float *map) {
    in_parallel(threads, b.blocks * b.blocks * b.blocks, [&](int i) {
        const int bx = i % b.blocks, by = i / b.blocks % b.blocks, bz = i / b.blocks / b.blocks;
        const float4 *first = bins + SLOTS * bin_index(b, BLOCK / BIN * bx, BLOCK / BIN * by, BLOCK / BIN * bz);
        for (int p = 0; p < BLOCK * ROWS * BLOCK; p++) {
            const int x = BLOCK * bx + p % BLOCK, y = BLOCK * by + p / BLOCK % ROWS, z = BLOCK * bz + p / BLOCK / ROWS;
            struct sums s = {};
            for (int at : near)
                add_bin<COMPENSATED>(first + SLOTS * at, (float)x, (float)y, (float)z, b.cutoff2, b.inverse2, &s);
            store(b, x, y, z, s, map);
        }
    });
}

// Adds an atom at the distance yz of a row to its points. The loop has no branch, so that the compiler vectorizes it.
static void add_row(float *__restrict__ row, int x0, int x1, float ax, float yz2, float charge, float cutoff2,
                    float inverse2) {
    for (int x = x0; x <= x1; x++) {
        const float dx = ax - (float)x, r2 = dx * dx + yz2, shape = 1 - r2 * inverse2;
        const float inside = r2 < cutoff2 ? charge : 0, weight = r2 > 0 ? inside : 0;
        row[x] += weight / sqrtf(r2 > 0 ? r2 : 1) * shape * shape;
    }
}

// Adds atoms to the rows of the lattice that they reach. Each thread has its own planes.
static void add_atoms(const struct box &b, const std::vector<float4> &atoms, unsigned threads, float *map) {
    const int n = b.points;
    in_parallel(threads, n, [&](int z) {
        float *plane = map + (size_t)n * (size_t)n * (size_t)z;
        for (const float4 &a : atoms) {
            const float dz = a.z - (float)z, disc2 = b.cutoff2 - dz * dz;
            if (disc2 <= 0) continue;
            const float disc = sqrtf(disc2);
            const int y1 = std::min(n - 1, (int)(a.y + disc));
            for (int y = std::max(0, (int)ceilf(a.y - disc)); y <= y1; y++) {
                const float dy = a.y - (float)y, yz2 = dy * dy + dz * dz;
                const float half = sqrtf(std::max(b.cutoff2 - yz2, 0.0f)) + 1e-3f; // add_row decides by r2
                const int x0 = std::max(0, (int)ceilf(a.x - half)), x1 = std::min(n - 1, (int)(a.x + half));
                add_row(plane + (size_t)n * (size_t)y, x0, x1, a.x, yz2, a.w, b.cutoff2, b.inverse2);
            }
        }
    });
}

// Returns the number of pairs of an atom and a point in range, to within the rounding of the square root.
static double count_pairs(const struct box &b, const std::vector<float4> &atoms, unsigned threads) {
    std::atomic<uint64_t> pairs{0};
    const double cutoff2 = (double)b.cutoff * b.cutoff;
    const int chunk = 4096, n = b.points;
    in_parallel(threads, (int)(atoms.size() / chunk + 1), [&](int part) {
        uint64_t found = 0;
        for (size_t i = (size_t)part * chunk; i < std::min(atoms.size(), (size_t)(part + 1) * chunk); i++) {
            const float4 a = atoms[i];
            for (int z = std::max(0, (int)(a.z - b.cutoff)); z < std::min((float)n, a.z + b.cutoff); z++) {
                for (int y = std::max(0, (int)(a.y - b.cutoff)); y < std::min((float)n, a.y + b.cutoff); y++) {
                    const double dy = (double)a.y - y, dz = (double)a.z - z, row2 = cutoff2 - dy * dy - dz * dz;
                    if (row2 <= 0) continue;
                    const int x0 = std::max(0, (int)ceil(a.x - sqrt(row2))),
                              x1 = std::min(n - 1, (int)floor(a.x + sqrt(row2)));
                    found += (uint64_t)std::max(0, x1 - x0 + 1);
                }
            }
        }
        pairs += found;
    });
    return (double)pairs.load();
}

// ---- atoms and bins

// Returns a uniform number in [0, 1), by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void direction(uint64_t *state, double u[3]) {
    double r2;
    do {
        r2 = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = 2 * uniform(state) - 1;
            r2 += u[k] * u[k];
        }
    } while (r2 > 1 || r2 < 0.01);
    for (int k = 0; k < 3; k++) u[k] /= sqrt(r2);
}

// Puts a coordinate into the box, as a multiple of 0.001 Å, which a PQR file contains exactly.
static float place(double x, double edge) {
    return (float)(rint(1000 * (x - edge * floor(x / edge))) / 1000);
}

// Makes molecules of water with the geometry and charges of TIP3P, turned at random, near the points of a lattice.
static std::vector<float4> make_atoms(size_t count, double edge) {
    const size_t molecules = (count + 2) / 3;
    const double turn = 104.52 / 180 * 3.14159265358979, bond = 0.9572;
    uint64_t state = 1;
    size_t n = 1;
    while (n * n * n < molecules) n++;
    const double step = edge / (double)n;
    std::vector<float4> atoms;
    for (size_t m = 0; m < molecules; m++) {
        const size_t site = (size_t)((double)m * (double)(n * n * n) / (double)molecules);
        const size_t at[3] = {site % n, site / n % n, site / n / n};
        double o[3], u[3], v[3], along = 0, norm = 0;
        for (int k = 0; k < 3; k++) o[k] = ((double)at[k] + 0.5 + 0.3 * (uniform(&state) - 0.5)) * step;
        direction(&state, u);
        do {
            direction(&state, v);
            along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        } while (fabs(along) > 0.9);
        for (int k = 0; k < 3; k++) {
            v[k] -= along * u[k];
            norm += v[k] * v[k];
        }
        double h[3];
        for (int k = 0; k < 3; k++) h[k] = cos(turn) * u[k] + sin(turn) * v[k] / sqrt(norm);
        const double from[3][3] = {{0, 0, 0}, {u[0], u[1], u[2]}, {h[0], h[1], h[2]}};
        for (int i = 0; i < 3 && atoms.size() < count; i++) {
            atoms.push_back(make_float4(place(o[0] + bond * from[i][0], edge), place(o[1] + bond * from[i][1], edge),
                                        place(o[2] + bond * from[i][2], edge), i ? 0.417f : -0.834f));
        }
    }
    return atoms;
}

static void write_pqr(const char *path, const std::vector<float4> &atoms) {
    FILE *out = fopen(path, "w");
    if (!out) fail(path, "cannot be written");
    for (size_t i = 0; i < atoms.size(); i++) {
        const float4 a = atoms[i];
        fprintf(out, "ATOM  %5zu  %s   WAT     1    %8.3f%8.3f%8.3f %9.4f %6.4f\n", (i + 1) % 100000, i % 3 ? "H" : "O",
                (double)a.x, (double)a.y, (double)a.z, (double)a.w, 1.0);
    }
    if (ferror(out) | fclose(out)) fail(path, "cannot be written");
}

static struct box make_box(double edge, float cutoff) {
    struct box b = {};
    b.points = (int)ceil(edge);
    b.blocks = (b.points + BLOCK - 1) / BLOCK;
    b.pad = (int)ceilf(cutoff / BIN);
    b.bins = b.blocks * BLOCK / BIN + 2 * b.pad + 1;
    b.cutoff = cutoff;
    b.cutoff2 = cutoff * cutoff;
    b.inverse2 = 1 / b.cutoff2;
    return b;
}

// Lists the bins that are nearer than the cutoff to any point of a block.
static std::vector<int> make_near(const struct box &b) {
    std::vector<int> near;
    const int low = -b.pad, high = b.pad + BLOCK / BIN;
    const size_t first = bin_index(b, 0, 0, 0);
    auto gap = [](int bin) { return std::max({0, -BIN * (bin + 1), BIN * bin - (BLOCK - 1)}); };
    for (int z = low; z < high; z++) {
        for (int y = low; y < high; y++) {
            for (int x = low; x < high; x++) {
                const int gap2 = gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z);
                if ((float)gap2 < b.cutoff2) near.push_back((int)((ptrdiff_t)bin_index(b, x, y, z) - (ptrdiff_t)first));
            }
        }
    }
    if (near.size() > MAX_NEAR) fail("--cutoff", "too many bins near a block");
    return near;
}

static void hash_atoms(const struct box &b, const std::vector<float4> &atoms, std::vector<unsigned char> &used,
                       struct hashed *h) {
    const float4 empty = make_float4(EMPTY, EMPTY, EMPTY, 0);
    h->extra.clear();
    std::fill(used.begin(), used.end(), 0);
    std::fill(h->bin, h->bin + used.size() * SLOTS, empty);
    for (const float4 &a : atoms) {
        const size_t i = bin_index(b, (int)(a.x / BIN), (int)(a.y / BIN), (int)(a.z / BIN));
        if (used[i] < SLOTS)
            h->bin[SLOTS * i + used[i]++] = a;
        else
            h->extra.push_back(a);
    }
}

// ---- accuracy

struct sample {
    size_t at;
    double value;
};

static std::vector<sample> make_reference(const struct box &b, const std::vector<float4> &atoms, unsigned threads) {
    std::vector<sample> all(SAMPLES);
    uint64_t state = 2;
    const size_t n = (size_t)b.points;
    for (auto &s : all) s.at = (size_t)(uniform(&state) * (double)(n * n * n));
    in_parallel(threads, SAMPLES, [&](int i) {
        const double x = (double)(all[i].at % n), y = (double)(all[i].at / n % n), z = (double)(all[i].at / n / n);
        const double rc2 = (double)b.cutoff * b.cutoff;
        double sum = 0;
        for (const float4 &a : atoms) {
            const double dx = a.x - x, dy = a.y - y, dz = a.z - z, r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < rc2 && r2 > 0) sum += a.w * (1 - r2 / rc2) * (1 - r2 / rc2) / sqrt(r2);
        }
        all[i].value = sum;
    });
    return all;
}

static void print_deviation(const char *what, const std::vector<sample> &reference, const float *map,
                            const float *extra) {
    double relative = 0, absolute = 0;
    for (const auto &s : reference) {
        const float value = extra ? map[s.at] + extra[s.at] : map[s.at];
        const double error = fabs(value - s.value);
        absolute = std::max(absolute, error);
        relative = std::max(relative, error / fabs(s.value));
    }
    printf("deviation\t%s\t%.4g %%\t%.4g e/A\n", what, 100 * relative, absolute);
}

// Reads a map of float64 in the format of NumPy, version 1, with z fastest, as potmap writes it.
static std::vector<double> read_map(const char *path, size_t n) {
    std::vector<double> map(n * n * n);
    unsigned char start[10];
    FILE *in = fopen(path, "rb");
    if (!in || fread(start, 1, sizeof start, in) != sizeof start || memcmp(start, "\x93NUMPY\x01", 7))
        fail(path, "not a map in the format npy");
    if (fseek(in, start[8] + 256L * start[9], SEEK_CUR) || fread(map.data(), 8, map.size(), in) != map.size())
        fail(path, "truncated");
    fclose(in);
    return map;
}

static void print_deviation_of_file(const char *path, const std::vector<sample> &reference, size_t n) {
    const std::vector<double> map = read_map(path, n);
    double relative = 0, absolute = 0;
    for (const auto &s : reference) {
        const size_t x = s.at % n, y = s.at / n % n, z = s.at / n / n;
        const double error = fabs(map[(x * n + y) * n + z] - s.value);
        absolute = std::max(absolute, error);
        relative = std::max(relative, error / fabs(s.value));
    }
    printf("deviation\tpotmap\t%.4g %%\t%.4g e/A\n", 100 * relative, absolute);
}

static void print_time(const char *what, double took, double pairs) {
    printf("time\t%s\t%.3f ms\t%.2f\n", what, 1e3 * took, pairs / took / 1e9);
}

// ---- runs

struct run {
    struct box box;
    std::vector<int> near;
    std::vector<float4> atoms;
    struct hashed hashed;
    std::vector<unsigned char> used; // slots of each bin
    size_t values;
    std::vector<float> map, extra; // of the GPU and of the CPU
    std::vector<sample> reference;
    double pairs;
    unsigned threads;
};

template <bool COMPENSATED> static void launch(const struct run &r, const float4 *bins, float *map) {
    const dim3 grid((unsigned)r.box.blocks, (unsigned)r.box.blocks, (unsigned)r.box.blocks);
    add_bins<COMPENSATED><<<grid, dim3(BLOCK, ROWS, BLOCK)>>>(r.box, bins, (int)r.near.size(), map);
    CUDA(cudaGetLastError());
}

// Times the kernel alone; kernel and extra atoms at the same time; and both with the hashing and the upload.
template <bool COMPENSATED> static void time_gpu(struct run *r, float4 *bins, float *map, const char *what) {
    std::vector<double> kernel, both, frame, upload, hash;
    cudaEvent_t start, stop;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    for (int i = 0; i <= RUNS; i++) {
        std::fill(r->extra.begin(), r->extra.end(), 0);
        const double began = seconds();
        hash_atoms(r->box, r->atoms, r->used, &r->hashed);
        const double hashed = seconds();
        CUDA(cudaMemcpy(bins, r->hashed.bin, r->hashed.bytes, cudaMemcpyHostToDevice));
        const double uploaded = seconds();
        CUDA(cudaEventRecord(start));
        launch<COMPENSATED>(*r, bins, map);
        CUDA(cudaEventRecord(stop));
        add_atoms(r->box, r->hashed.extra, r->threads, r->extra.data());
        CUDA(cudaDeviceSynchronize());
        const double end = seconds();
        float ms;
        CUDA(cudaEventElapsedTime(&ms, start, stop));
        if (i == 0) continue; // warms up
        kernel.push_back(1e-3 * ms);
        hash.push_back(hashed - began);
        upload.push_back(uploaded - hashed);
        both.push_back(end - uploaded);
        frame.push_back(end - began);
    }
    CUDA(cudaMemcpy(r->map.data(), map, sizeof *map * r->values, cudaMemcpyDeviceToHost));
    const double share = (double)r->hashed.extra.size() / (double)r->atoms.size();
    char name[100];
    snprintf(name, sizeof name, "GPU kernel, %s", what);
    print_time(name, median(kernel), r->pairs * (1 - share));
    snprintf(name, sizeof name, "GPU and CPU together, %s", what);
    print_time(name, median(both), r->pairs);
    snprintf(name, sizeof name, "the same with hashing and upload, %s", what);
    print_time(name, median(frame), r->pairs);
    printf("time\thashing on one core\t%.3f ms\t-\n", 1e3 * median(hash));
    printf("time\tupload of bins\t%.3f ms\t-\n", 1e3 * median(upload));
    print_deviation(what, r->reference, r->map.data(), r->extra.data());
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
}

static void time_cpu(struct run *r) {
    const int runs = r->atoms.size() > 100000 ? 3 : RUNS;
    std::vector<double> extra, all;
    for (int i = 0; i < RUNS; i++) {
        std::fill(r->extra.begin(), r->extra.end(), 0);
        const double began = seconds();
        add_atoms(r->box, r->hashed.extra, r->threads, r->extra.data());
        extra.push_back(seconds() - began);
    }
    for (int i = 0; i < runs; i++) {
        std::fill(r->map.begin(), r->map.end(), 0);
        const double began = seconds();
        add_atoms(r->box, r->atoms, r->threads, r->map.data());
        all.push_back(seconds() - began);
    }
    print_time("CPU, extra atoms", median(extra), r->pairs * (double)r->hashed.extra.size() / (double)r->atoms.size());
    print_time("CPU, all atoms", median(all), r->pairs);
    print_deviation("CPU, all atoms", r->reference, r->map.data(), NULL);
}

// Tests the bins without a GPU.
static void compare_on_cpu(struct run *r) {
    std::fill(r->extra.begin(), r->extra.end(), 0);
    add_atoms(r->box, r->hashed.extra, r->threads, r->extra.data());
    add_bins_on_cpu<false>(r->box, r->hashed.bin, r->near, r->threads, r->map.data());
    print_deviation("bins on the CPU, plain", r->reference, r->map.data(), r->extra.data());
    add_bins_on_cpu<true>(r->box, r->hashed.bin, r->near, r->threads, r->map.data());
    print_deviation("bins on the CPU, compensated", r->reference, r->map.data(), r->extra.data());
}

static void use_gpu(struct run *r) {
    float4 *bins;
    float *map;
    struct cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    printf("gpu\t%s\n", p.name);
    CUDA(cudaMemcpyToSymbol(near_bin, r->near.data(), sizeof r->near[0] * r->near.size()));
    CUDA(cudaHostRegister(r->hashed.bin, r->hashed.bytes, cudaHostRegisterDefault));
    CUDA(cudaMalloc((void **)&bins, r->hashed.bytes));
    CUDA(cudaMalloc((void **)&map, sizeof *map * r->values));
    time_gpu<false>(r, bins, map, "plain");
    time_gpu<true>(r, bins, map, "compensated");
    CUDA(cudaFree(bins));
    CUDA(cudaFree(map));
    CUDA(cudaHostUnregister(r->hashed.bin));
}

static double number(const char *name, const char *text, double min, double max) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= min && value <= max)) fail(name, "number out of range");
    return value;
}

static void open_run(struct run *r, size_t atoms, double density, float cutoff) {
    const double edge = cbrt((double)atoms / density);
    r->box = make_box(edge, cutoff);
    r->near = make_near(r->box);
    r->atoms = make_atoms(atoms, edge);
    const size_t n = (size_t)r->box.points, bins = (size_t)r->box.bins * (size_t)r->box.bins * (size_t)r->box.bins;
    r->values = n * n * n;
    r->map.resize(r->values);
    r->extra.resize(r->values);
    r->used.resize(bins);
    r->hashed.bytes = sizeof *r->hashed.bin * SLOTS * bins;
    r->hashed.bin = (float4 *)aligned_alloc(128, r->hashed.bytes);
    if (!r->hashed.bin) fail("bins", "no memory");
    hash_atoms(r->box, r->atoms, r->used, &r->hashed);
    const double inside = edge / BIN;
    r->pairs = count_pairs(r->box, r->atoms, r->threads);
    printf("atoms\t%zu\nedge\t%.3f A\npoints\t%d\t%d\t%d\n", atoms, edge, r->box.points, r->box.points, r->box.points);
    printf("bins\t%zu\tof %d A, %.3g atoms each inside the box, %zu near a block\n", bins, BIN,
           (double)atoms / (inside * inside * inside), r->near.size());
    printf("extra\t%zu\t%.2f %% of the atoms do not fit\n", r->hashed.extra.size(),
           100 * (double)r->hashed.extra.size() / (double)atoms);
    printf("pairs\t%.6g\tin range\n", r->pairs);
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"atoms", 1, NULL, 'a'}, {"threads", 1, NULL, 't'}, {"cutoff", 1, NULL, 'r'},   {"density", 1, NULL, 'd'},
        {"pqr", 1, NULL, 'p'},   {"compare", 1, NULL, 'm'}, {"cpu-only", 0, NULL, 'c'}, {NULL, 0, NULL, 0}};
    static struct run r;
    size_t atoms = 1000000;
    double density = 0.1; // atoms per cubic angstrom
    float cutoff = 12;
    const char *pqr = NULL, *compare = NULL;
    bool cpu_only = false;
    r.threads = std::thread::hardware_concurrency();
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'a')
            atoms = (size_t)number("--atoms", optarg, 1, 1e8);
        else if (c == 't')
            r.threads = (unsigned)number("--threads", optarg, 1, 1024);
        else if (c == 'r')
            cutoff = (float)number("--cutoff", optarg, 1, 14);
        else if (c == 'd')
            density = number("--density", optarg, 1e-3, 10);
        else if (c == 'p')
            pqr = optarg;
        else if (c == 'm')
            compare = optarg;
        else if (c == 'c')
            cpu_only = true;
        else
            return 2;
    }
    open_run(&r, atoms, density, cutoff);
    if (pqr) {
        write_pqr(pqr, r.atoms);
        return 0;
    }
    r.reference = make_reference(r.box, r.atoms, r.threads);
    printf("threads\t%u\n", r.threads);
    if (cpu_only)
        compare_on_cpu(&r);
    else
        use_gpu(&r);
    time_cpu(&r);
    if (compare) print_deviation_of_file(compare, r.reference, (size_t)r.box.points);
    free(r.hashed.bin);
    return 0;
}
