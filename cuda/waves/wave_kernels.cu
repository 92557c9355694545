// SPDX-License-Identifier: MIT
// Computes amplitudes as products of matrices, the form in which a GPU reads each factor least often. A block computes
// ROWS rows and LANES values of l for a slice of the atoms: it puts the factors of AT_A_TIME atoms into shared memory,
// and each thread adds the products of 4 rows and 4 values of l. Sums are exact integers in float64, for up to WAV_TILE
// atoms, and then in 64 bits.
#include "wave_kernels.h"

#include "check.cuh"
#include "wave_amplitude.h"

enum { THREADS = 128, ROWS = 64, LANES = 32, AT_A_TIME = 16, EACH = 4, WAVES_OF_BLOCKS = 16 };

static __global__ void __launch_bounds__(THREADS) power_kernel(const __grid_constant__ cuda_wave_args a) {
    const double unit = (double)(1ull << (a.bits - wav_bits_of_rows(a.bits)));
    for (unsigned j = blockIdx.x * THREADS + threadIdx.x; j < a.atoms; j += gridDim.x * THREADS) {
        double x[3];
        for (int c = 0; c < 3; c++) x[c] = (double)a.x[c * a.capacity + a.list[j]] * a.unit;
        for (int c = 0; c < 3; c++) {
            double re, im, pr = 1, pi = 0;
            wav_phase(wav_fraction(a.g[c], x), &re, &im);
            for (int n = 0; n <= a.max[c]; n++) {
                if (n == 1) {
                    pr = re;
                    pi = im;
                } else if (n > 1) {
                    double next = pr * re - pi * im;
                    pi = pr * im + pi * re;
                    pr = next;
                }
                a.power[c][(size_t)n * a.atoms + j] =
                    c < 2 ? make_double2(pr, pi) : make_double2(wav_round(pr * unit), wav_round(pi * unit));
            }
        }
    }
}

// Returns B(h,k) of a row and an atom; 0 if there is none.
static __device__ double2 factor_of(const cuda_wave_args &a, unsigned row, unsigned atom) {
    if (row >= a.row_count || atom >= a.atoms) return make_double2(0, 0);
    const double unit = (double)(1ull << wav_bits_of_rows(a.bits));
    const int k = a.rows[row].k;
    const double2 x = a.power[0][(size_t)a.rows[row].h * a.atoms + atom];
    double2 y = a.power[1][(size_t)abs(k) * a.atoms + atom];
    if (k < 0) y.y = -y.y;
    return make_double2(wav_round((x.x * y.x - x.y * y.y) * unit), wav_round((x.x * y.y + x.y * y.x) * unit));
}

static __device__ double2 lane_of(const cuda_wave_args &a, int l, unsigned atom) {
    if (abs(l) > a.max[2] || atom >= a.atoms) return make_double2(0, 0);
    double2 z = a.power[2][(size_t)abs(l) * a.atoms + atom];
    if (l < 0) z.y = -z.y;
    return z;
}

static __global__ void __launch_bounds__(THREADS)
    sum_kernel(const __grid_constant__ cuda_wave_args a, unsigned tiles_of_l) {
    // One column more, so that threads that write consecutive atoms use different banks.
    __shared__ double2 b[AT_A_TIME][ROWS + 1], z[AT_A_TIME][LANES + 1];
    __shared__ int any;
    const unsigned first_row = blockIdx.x / tiles_of_l * ROWS;
    const int first_l = (int)(blockIdx.x % tiles_of_l * LANES) - a.max[2];
    const unsigned begin = (unsigned)((unsigned long long)a.atoms * blockIdx.y / gridDim.y),
                   end = (unsigned)((unsigned long long)a.atoms * (blockIdx.y + 1) / gridDim.y);
    // A warp computes 16 rows. A thread has rows row + 4 r, and values of l l + 8 n.
    const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 8, l = threadIdx.x % 8;
    if (threadIdx.x == 0) any = 0;
    __syncthreads();
    if (threadIdx.x < ROWS && first_row + threadIdx.x < a.row_count) {
        const cuda_wave_row &r = a.rows[first_row + threadIdx.x];
        if (r.l < first_l + LANES && r.l + (int)r.count > first_l) any = 1;
    }
    __syncthreads();
    if (!any) return;
    long long sum[EACH][EACH][2] = {};
    for (unsigned tile = begin; tile < end; tile += WAV_TILE) {
        double re[EACH][EACH] = {}, im[EACH][EACH] = {};
        for (unsigned first = tile; first < min(tile + WAV_TILE, end); first += AT_A_TIME) {
            __syncthreads();
            // Threads with consecutive numbers read consecutive atoms.
            for (unsigned i = threadIdx.x; i < AT_A_TIME * ROWS; i += THREADS) {
                unsigned j = i % AT_A_TIME, atom = first + j < end ? first + j : a.atoms;
                b[j][i / AT_A_TIME] = factor_of(a, first_row + i / AT_A_TIME, atom);
            }
            for (unsigned i = threadIdx.x; i < AT_A_TIME * LANES; i += THREADS) {
                unsigned j = i % AT_A_TIME, atom = first + j < end ? first + j : a.atoms;
                z[j][i / AT_A_TIME] = lane_of(a, first_l + (int)(i / AT_A_TIME), atom);
            }
            __syncthreads();
#pragma unroll 2
            for (unsigned j = 0; j < AT_A_TIME; j++) {
                double2 br[EACH], zl[EACH];
#pragma unroll
                for (int n = 0; n < EACH; n++) {
                    br[n] = b[j][row + 4 * n];
                    zl[n] = z[j][l + 8 * n];
                }
#pragma unroll
                for (int r = 0; r < EACH; r++)
#pragma unroll
                    for (int n = 0; n < EACH; n++) {
                        re[r][n] = __fma_rn(br[r].x, zl[n].x, re[r][n]);
                        re[r][n] = __fma_rn(-br[r].y, zl[n].y, re[r][n]);
                        im[r][n] = __fma_rn(br[r].x, zl[n].y, im[r][n]);
                        im[r][n] = __fma_rn(br[r].y, zl[n].x, im[r][n]);
                    }
            }
        }
#pragma unroll
        for (int r = 0; r < EACH; r++)
#pragma unroll
            for (int n = 0; n < EACH; n++) {
                sum[r][n][0] += (long long)re[r][n];
                sum[r][n][1] += (long long)im[r][n];
            }
    }
#pragma unroll
    for (unsigned r = 0; r < EACH; r++) {
        if (first_row + row + 4 * r >= a.row_count) continue;
        const cuda_wave_row &to = a.rows[first_row + row + 4 * r];
#pragma unroll
        for (int n = 0; n < EACH; n++) {
            int offset = first_l + (int)l + 8 * n - to.l;
            if (offset < 0 || offset >= (int)to.count) continue;
            atomicAdd(&a.rho[to.first + (unsigned)offset], (unsigned long long)sum[r][n][0]);
            atomicAdd(&a.rho[a.vectors + to.first + (unsigned)offset], (unsigned long long)sum[r][n][1]);
        }
    }
}

extern "C" int cuda_wave_add(const cuda_wave_args *a, cudaStream_t stream, struct trj_error *err) {
    int device, multiprocessors;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    if (!a->atoms || !a->row_count) return 0;
    power_kernel<<<(a->atoms + THREADS - 1) / THREADS, THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    unsigned tiles_of_l = (unsigned)(2 * a->max[2] + LANES) / LANES;
    unsigned tiles = (a->row_count + ROWS - 1) / ROWS * tiles_of_l,
             wanted = (unsigned)multiprocessors * WAVES_OF_BLOCKS;
    unsigned max_slices = (a->atoms + WAV_TILE - 1) / WAV_TILE, slices = (wanted + tiles - 1) / tiles;
    if (slices > max_slices) slices = max_slices;
    sum_kernel<<<dim3(tiles, slices), THREADS, 0, stream>>>(*a, tiles_of_l);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
