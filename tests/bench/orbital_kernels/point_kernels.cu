// SPDX-License-Identifier: MIT
// Kernels that evaluate an orbital at the points of a lattice, written from their published description (J. E. Stone,
// J. Saam, D. J. Hardy, K. L. Vandivort, W. W. Hwu, K. Schulten, High performance computation and interactive display
// of molecular orbitals on GPUs and multi-core CPUs, GPGPU-2, 2009, doi 10.1145/1513895.1513897). A thread computes one
// point: it loops over atoms, shells and primitives, and evaluates an exponential for each primitive of each atom. All
// threads of a block read the same element of each array at the same time. Values are float32. No kernel leaves out
// what is small.
#include "point_kernels.h"

#include "check.cuh"

static __constant__ struct kernel_data constant_data;

// ---- where the kernels read primitives and coefficients

// In place, in constant or global memory.
struct data_in_place {
    const kernel_data &all;
    __device__ __forceinline__ void reach(unsigned) {
    }
    __device__ __forceinline__ kernel_primitive primitive(unsigned i) const {
        return all.primitive[i];
    }
    __device__ __forceinline__ float coefficient(unsigned i) const {
        return all.coefficient[i];
    }
};

struct tiles {
    kernel_primitive primitive[KERNEL_PRIMITIVES]; // all of them, because basis sets occur once for each element
    float coefficient[KERNEL_TILE];
};

// In shared memory. The tile of coefficients is replaced when a shell needs coefficients after its end. This is checked
// once for each shell, outside of the loops over its primitives and components.
struct data_in_tiles {
    const kernel_data &all;
    tiles &tile;
    unsigned first;

    __device__ __forceinline__ void load_primitives() {
        for (unsigned i = threadIdx.y * KERNEL_X + threadIdx.x; i < KERNEL_PRIMITIVES; i += KERNEL_X * KERNEL_Y)
            tile.primitive[i] = all.primitive[i];
    }
    // Tiles begin at multiples of 32 coefficients, so that the load of a warp is in one line of the cache.
    __device__ __forceinline__ void load_coefficients(unsigned from) {
        first = from / 32 * 32;
        for (unsigned i = threadIdx.y * KERNEL_X + threadIdx.x; i < KERNEL_TILE; i += KERNEL_X * KERNEL_Y)
            if (first + i < KERNEL_FUNCTIONS) tile.coefficient[i] = all.coefficient[first + i];
    }
    // All threads of the block take the same branch.
    __device__ __forceinline__ void reach(unsigned function) {
        if (function + KERNEL_COMPONENTS <= first + KERNEL_TILE) return;
        __syncthreads();
        load_coefficients(function);
        __syncthreads();
    }
    __device__ __forceinline__ kernel_primitive primitive(unsigned i) const {
        return tile.primitive[i];
    }
    __device__ __forceinline__ float coefficient(unsigned i) const {
        return tile.coefficient[i - first];
    }
};

// ---- the orbital at a point

template <class Data> static __device__ __forceinline__ float orbital_at(Data &data, float px, float py, float pz) {
    const kernel_data &all = data.all;
    float sum = 0;
    unsigned atom = 0, function = 0;
    for (unsigned e = 0; e < all.elements; e++) {
        const kernel_element element = all.element[e];
        for (const unsigned end = atom + element.atoms; atom < end; atom++) {
            const kernel_position at = all.position[atom];
            const float x = px - at.x, y = py - at.y, z = pz - at.z, square = x * x + y * y + z * z;
            unsigned primitive = element.first_primitive;
            for (unsigned s = element.first_shell; s < element.end_shell; s++) {
                const kernel_shell shell = all.shell[s];
                data.reach(function);
                float radial = 0, angular;
                for (const unsigned last = primitive + shell.primitives; primitive < last; primitive++) {
                    const kernel_primitive p = data.primitive(primitive);
                    radial += p.coefficient * exp2f(p.exponent * square);
                }
                switch (shell.l) {
                case 0:
                    angular = data.coefficient(function);
                    function += 1;
                    break;
                case 1:
                    angular = data.coefficient(function) * x + data.coefficient(function + 1) * y +
                              data.coefficient(function + 2) * z;
                    function += 3;
                    break;
                default:
                    angular = x * (data.coefficient(function) * x + data.coefficient(function + 1) * y +
                                   data.coefficient(function + 2) * z) +
                              y * (data.coefficient(function + 3) * y + data.coefficient(function + 4) * z) +
                              data.coefficient(function + 5) * (z * z);
                    function += 6;
                }
                sum += radial * angular;
            }
        }
    }
    return sum;
}

template <class Data>
static __device__ __forceinline__ void orbital_of_point(Data data, const kernel_lattice &lattice, float *value) {
    const unsigned i = blockIdx.x * KERNEL_X + threadIdx.x, j = blockIdx.y * KERNEL_Y + threadIdx.y, k = blockIdx.z;
    value[((size_t)k * lattice.height + j) * lattice.width + i] =
        orbital_at(data, lattice.origin[0] + (float)i * lattice.step[0], lattice.origin[1] + (float)j * lattice.step[1],
                   lattice.origin[2] + (float)(lattice.first + k) * lattice.step[2]);
}

// ---- kernels

static __global__ __launch_bounds__(KERNEL_X *KERNEL_Y) void constant_kernel(kernel_lattice lattice, float *value) {
    orbital_of_point(data_in_place{constant_data}, lattice, value);
}

static __global__ __launch_bounds__(KERNEL_X *KERNEL_Y) void global_kernel(kernel_lattice lattice,
                                                                           const kernel_data *__restrict__ data,
                                                                           float *__restrict__ value) {
    orbital_of_point(data_in_place{*data}, lattice, value);
}

static __global__ __launch_bounds__(KERNEL_X *KERNEL_Y) void tiles_kernel(kernel_lattice lattice,
                                                                          const kernel_data *__restrict__ data,
                                                                          float *__restrict__ value) {
    __shared__ tiles tile;
    data_in_tiles d = {*data, tile, 0};
    d.load_primitives();
    d.load_coefficients(0);
    __syncthreads();
    orbital_of_point(d, lattice, value);
}

static __global__ void empty_kernel() {
}

extern "C" {

int point_kernel_upload(const struct kernel_data *data, struct kernel_data *global, struct trj_error *err) {
    CUDA_CHECK(cudaMemcpyToSymbol(constant_data, data, sizeof *data));
    CUDA_CHECK(cudaMemcpy(global, data, sizeof *data, cudaMemcpyHostToDevice));
    return 0;
}

int point_kernel_launch(enum point_kernel kernel, const struct kernel_data *global,
                        const struct kernel_lattice *lattice, uint32_t planes, float *value, cudaStream_t stream,
                        struct trj_error *err) {
    const dim3 block(KERNEL_X, KERNEL_Y), grid(lattice->width / KERNEL_X, lattice->height / KERNEL_Y, planes);
    switch (kernel) {
    case KERNEL_CONSTANT:
        constant_kernel<<<grid, block, 0, stream>>>(*lattice, value);
        break;
    case KERNEL_TILES:
        tiles_kernel<<<grid, block, 0, stream>>>(*lattice, global, value);
        break;
    case KERNEL_GLOBAL:
        global_kernel<<<grid, block, 0, stream>>>(*lattice, global, value);
        break;
    default:
        empty_kernel<<<1, 1, 0, stream>>>();
    }
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
}
