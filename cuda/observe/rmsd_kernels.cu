// SPDX-License-Identifier: MIT
// Computes the deviations of all pairs of frames.
#include "check.cuh"
#include "rmsd_kernels.h"

enum {
    SIDE = CUDA_RMSD_SIDE,
    WIDTH = SIDE / 2,        // threads along each side of a block
    THREADS = WIDTH * WIDTH, // of a block
    CHUNK = 16,              // atoms in shared memory
    LINES = 3 * CHUNK,       // their coordinates
    QUADS = LINES * SIDE / 4,
    LOADS = 2 * QUADS / THREADS, // of four numbers by each thread
    LANES = OBS_RMSD_COLUMNS,
};

// The deviations of the atoms of a chunk in the frames of a row or of a column of blocks.
typedef double chunk[LINES][SIDE];

// Returns four numbers of a chunk that begins with the atom `from`: number `quad` in the frames of block `block`.
static __device__ float4 load(const cuda_rmsd_args &a, unsigned block, size_t from, unsigned quad) {
    unsigned line = quad / (SIDE / 4), frame = quad % (SIDE / 4) * 4;
    if (from + line / 3 >= a.atoms) return make_float4(0, 0, 0, 0);
    size_t panel = 2 * (size_t)block + frame / LANES;
    return *(const float4 *)(a.v + (3 * (panel * a.atoms + from) + line) * LANES + frame % LANES);
}

static __device__ void load_all(const cuda_rmsd_args &a, unsigned row, unsigned column, size_t from, unsigned thread,
                                float4 (&x)[LOADS]) {
    for (int k = 0; k < LOADS; k++) {
        unsigned quad = thread + k * THREADS;
        x[k] = load(a, quad < QUADS ? row : column, from, quad % QUADS);
    }
}

static __device__ void store_all(chunk &rows, chunk &columns, unsigned thread, const float4 (&x)[LOADS]) {
    for (int k = 0; k < LOADS; k++) {
        unsigned quad = thread + k * THREADS, place = quad % QUADS;
        double *to = &(quad < QUADS ? rows : columns)[place / (SIDE / 4)][place % (SIDE / 4) * 4];
        *(double2 *)to = make_double2(x[k].x, x[k].y);
        *(double2 *)(to + 2) = make_double2(x[k].z, x[k].w);
    }
}

// Returns the deviation of a pair of frames, as squares() of the CPU (rmsd_kernel_body.h).
static __device__ float deviation(const cuda_rmsd_args &a, size_t row, size_t column, const double (&sum)[9]) {
    const obs_rmsd_row &r = a.row[row];
    const obs_rmsd_panel &p = a.panel[column / LANES];
    unsigned lane = column % LANES;
    double m[9], c[3], half = (r.square + p.square[lane]) / 2, scale = half > 0 ? 1 / half : 0;
    for (int k = 0; k < 9; k++) m[k] = (r.product[k] + p.product[k][lane] + sum[k]) * scale;
    double root = m[0] + m[4] + m[8];
    if (a.rotates) {
        obs_rmsd_set_polynomial(m, c);
        root = obs_rmsd_first_root(c[2]);
        double change = 1;
        for (int step = 0; step < OBS_RMSD_STEPS && change > OBS_RMSD_LAST_STEP; step++) {
            change = obs_rmsd_step(c[0], c[1], c[2], root);
            root -= change;
        }
    }
    return (float)sqrt(obs_rmsd_square(half, root) / a.total);
}

static __global__ void __launch_bounds__(THREADS, 2) compare(cuda_rmsd_args a, unsigned first_row) {
    __shared__ chunk rows[2], columns[2];
    const unsigned row = first_row + blockIdx.y, column = blockIdx.x, x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;
    double sum[2][2][9] = {};
    float4 next[LOADS];
    if (column < row) return;
    load_all(a, row, column, 0, threadIdx.x, next);
    unsigned buffer = 0;
    for (size_t from = 0; from < a.atoms; from += CHUNK, buffer ^= 1) {
        store_all(rows[buffer], columns[buffer], threadIdx.x, next);
        __syncthreads(); // the other buffer is free after this, too
        if (from + CHUNK < a.atoms) load_all(a, row, column, from + CHUNK, threadIdx.x, next);
#pragma unroll 2
        for (int atom = 0; atom < CHUNK; atom++) {
            double2 u[3], v[3];
            for (int k = 0; k < 3; k++) {
                u[k] = *(const double2 *)&rows[buffer][3 * atom + k][2 * y];
                v[k] = *(const double2 *)&columns[buffer][3 * atom + k][2 * x];
            }
            for (int k = 0; k < 9; k++) {
                sum[0][0][k] = fma(u[k / 3].x, v[k % 3].x, sum[0][0][k]);
                sum[0][1][k] = fma(u[k / 3].x, v[k % 3].y, sum[0][1][k]);
                sum[1][0][k] = fma(u[k / 3].y, v[k % 3].x, sum[1][0][k]);
                sum[1][1][k] = fma(u[k / 3].y, v[k % 3].y, sum[1][1][k]);
            }
        }
    }
#pragma unroll // otherwise the sums would not be in registers
    for (unsigned i = 0; i < 2; i++)
#pragma unroll
        for (unsigned j = 0; j < 2; j++) {
            size_t p = row * (size_t)SIDE + 2 * y + i, q = column * (size_t)SIDE + 2 * x + j;
            if (p > q || q >= a.frames) continue;
            float value = p < q ? deviation(a, p, q, sum[i][j]) : 0;
            a.value[p * a.frames + q] = a.value[q * a.frames + p] = value;
        }
}

extern "C" int cuda_rmsd_compare(const cuda_rmsd_args *a, unsigned first_row, unsigned rows, cudaStream_t stream,
                                 struct trj_error *err) {
    unsigned columns = (unsigned)((a->frames + SIDE - 1) / SIDE);
    compare<<<dim3(columns, rows), THREADS, 0, stream>>>(*a, first_row);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
