// SPDX-License-Identifier: MIT
// The kernels around a Fourier transform, which work on its numbers in place. A block computes rows of numbers: its
// threads are elements of a row. All kernels but the samples are bound by the bandwidth of memory.
#include "transform_kernels.h"

#include "check.cuh"

enum { THREADS = 128, MAX_BLOCKS = 1 << 20 };
#define MAX_QUANTA 0x1p61

// The indices of a row, of an array with `rows` rows in a plane.
struct row_index {
    size_t j, k;
};

static __device__ struct row_index row_of(size_t number, size_t rows) {
    return {number % rows, number / rows};
}

static __global__ void __launch_bounds__(THREADS)
    load_kernel(const __grid_constant__ cuda_transform_args a, const long long *charge, double quantum) {
    for (size_t r = blockIdx.x; r < a.n[1] * a.n[2]; r += gridDim.x)
        for (size_t i = threadIdx.x; i < a.n[0]; i += THREADS)
            a.value[r * 2 * a.row + i] = (double)charge[r * a.n[0] + i] * quantum;
}

static __global__ void __launch_bounds__(THREADS)
    pack_kernel(const __grid_constant__ cuda_transform_args a, size_t size0, size_t size1, size_t size2, double *to) {
    for (size_t r = blockIdx.x; r < size1 * size2; r += gridDim.x) {
        const struct row_index place = row_of(r, size1);
        for (size_t i = threadIdx.x; i < size0; i += THREADS)
            to[r * size0 + i] = a.value[(place.k * a.n[1] + place.j) * 2 * a.row + i];
    }
}

static __device__ void multiply(const cuda_transform_args &a, size_t number, double factor) {
    double2 *value = (double2 *)a.value + number;
    const double2 v = *value;
    *value = make_double2(v.x * factor, v.y * factor);
}

// In cells with right angles, as multiply_factors of pme_transform.c.
static __global__ void __launch_bounds__(THREADS) factors_kernel(const __grid_constant__ cuda_transform_args a) {
    const double *square = a.green.square;
    for (size_t r = blockIdx.x; r < a.n[1] * a.n[2]; r += gridDim.x) {
        const struct row_index place = row_of(r, a.n[1]);
        const double y = pot_signed_index(place.j, a.n[1]), z = pot_signed_index(place.k, a.n[2]),
                     row_factor = a.factor[2][place.k] * a.factor[1][place.j] / (POT_PI * a.green.volume),
                     square_of_row = y * y * square[1] + z * z * square[2];
        for (size_t i = threadIdx.x; i < a.row; i += THREADS) {
            const double x = (double)i, s = square_of_row + x * x * square[0];
            multiply(a, r * a.row + i, s > 0 ? row_factor * a.factor[0][i] / s : 0);
        }
    }
}

static __global__ void __launch_bounds__(THREADS) green_kernel(const __grid_constant__ cuda_transform_args a) {
    for (size_t r = blockIdx.x; r < a.n[1] * a.n[2]; r += gridDim.x) {
        const struct row_index place = row_of(r, a.n[1]);
        const double row_factor = a.factor[2][place.k] * a.factor[1][place.j];
        for (size_t i = threadIdx.x; i < a.row; i += THREADS) {
            const size_t index[3] = {i, place.j, place.k};
            multiply(a, r * a.row + i, pot_green_mean(&a.green, index) * row_factor * a.factor[0][i]);
        }
    }
}

static __global__ void __launch_bounds__(THREADS) sample_kernel(const __grid_constant__ cuda_transform_args a) {
    for (size_t r = blockIdx.x; r < a.n[1] * a.n[2]; r += gridDim.x) {
        const struct row_index place = row_of(r, a.n[1]);
        for (size_t i = threadIdx.x; i < a.n[0]; i += THREADS)
            a.value[r * 2 * a.row + i] =
                pot_smooth_at(&a.smooth, pot_smooth_fold(&a.smooth, i, 0), pot_smooth_fold(&a.smooth, place.j, 1),
                              pot_smooth_fold(&a.smooth, place.k, 2));
    }
}

static __global__ void __launch_bounds__(THREADS) take_kernel(const __grid_constant__ cuda_transform_args a) {
    const double scale = 1 / ((double)a.n[0] * (double)a.n[1] * (double)a.n[2]);
    for (size_t r = blockIdx.x; r < a.rows[0] * a.rows[1]; r += gridDim.x) {
        const struct row_index place = row_of(r, a.rows[0]);
        const double row_factor = a.factor[1][place.j] * a.factor[2][place.k] * scale;
        for (size_t i = threadIdx.x; i < a.row; i += THREADS)
            a.kernel[r * a.row + i] =
                a.value[((place.k * a.n[1] + place.j) * a.row + i) * 2] * (a.factor[0][i] * row_factor);
    }
}

static __global__ void __launch_bounds__(THREADS) product_kernel(const __grid_constant__ cuda_transform_args a) {
    for (size_t r = blockIdx.x; r < a.n[1] * a.n[2]; r += gridDim.x) {
        const struct row_index place = row_of(r, a.n[1]);
        const double *kernel =
            a.kernel +
            (pot_smooth_fold(&a.smooth, place.k, 2) * a.rows[0] + pot_smooth_fold(&a.smooth, place.j, 1)) * a.row;
        for (size_t i = threadIdx.x; i < a.row; i += THREADS) multiply(a, r * a.row + i, kernel[i]);
    }
}

static __global__ void __launch_bounds__(THREADS)
    add_kernel(const __grid_constant__ cuda_transform_args a, size_t size0, size_t size1, size_t size2, double quantum,
               const long long *near, double ratio, unsigned long long *values, unsigned *failed) {
    for (size_t r = blockIdx.x; r < size1 * size2; r += gridDim.x) {
        const struct row_index place = row_of(r, size1);
        for (size_t i = threadIdx.x; i < size0; i += THREADS) {
            const double smooth = rint(a.value[(place.k * a.n[1] + place.j) * 2 * a.row + i] / quantum),
                         rest = rint((double)near[r * size0 + i] * ratio);
            if (!(fabs(smooth) < MAX_QUANTA && fabs(rest) < MAX_QUANTA))
                *failed = 1;
            else
                values[r * size0 + i] += (unsigned long long)((long long)smooth + (long long)rest);
        }
    }
}

// ---- launches

static unsigned blocks_of(size_t rows) {
    return (unsigned)(rows < MAX_BLOCKS ? rows : MAX_BLOCKS);
}

extern "C" int cuda_transform_load(const cuda_transform_args *a, const long long *charge, double quantum,
                                   cudaStream_t stream, struct trj_error *err) {
    load_kernel<<<blocks_of(a->n[1] * a->n[2]), THREADS, 0, stream>>>(*a, charge, quantum);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_transform_pack(const cuda_transform_args *a, const size_t size[3], double *to, cudaStream_t stream,
                                   struct trj_error *err) {
    pack_kernel<<<blocks_of(size[1] * size[2]), THREADS, 0, stream>>>(*a, size[0], size[1], size[2], to);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_transform_multiply_green(const cuda_transform_args *a, cudaStream_t stream, struct trj_error *err) {
    if (a->green.right)
        factors_kernel<<<blocks_of(a->n[1] * a->n[2]), THREADS, 0, stream>>>(*a);
    else
        green_kernel<<<blocks_of(a->n[1] * a->n[2]), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_transform_sample(const cuda_transform_args *a, cudaStream_t stream, struct trj_error *err) {
    sample_kernel<<<blocks_of(a->n[1] * a->n[2]), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_transform_take_kernel(const cuda_transform_args *a, cudaStream_t stream, struct trj_error *err) {
    take_kernel<<<blocks_of(a->rows[0] * a->rows[1]), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_transform_add(const cuda_transform_args *a, const size_t size[3], double quantum,
                                  const long long *near, double ratio, unsigned long long *values, unsigned *failed,
                                  cudaStream_t stream, struct trj_error *err) {
    add_kernel<<<blocks_of(size[1] * size[2]), THREADS, 0, stream>>>(*a, size[0], size[1], size[2], quantum, near,
                                                                     ratio, values, failed);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_transform_multiply_kernel(const cuda_transform_args *a, cudaStream_t stream,
                                              struct trj_error *err) {
    product_kernel<<<blocks_of(a->n[1] * a->n[2]), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
