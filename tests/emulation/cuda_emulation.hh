// SPDX-License-Identifier: MIT
// Emulates the device side of CUDA with an ordinary C++ compiler: kernels become functions that emulation::launch calls
// once for each thread of each block. The threads of a block are coroutines on one thread of the host: each runs until
// it waits at a barrier or in an operation of its warp, and then the next one runs. Blocks run one after another, so
// that static memory can serve as shared memory. Tests with this emulation can find errors of values, indices and
// barriers. They cannot find errors that depend on timing or on the memory model, and do not measure speed. Code that
// waits for other blocks cannot run.
#ifndef CUDA_EMULATION_H
#define CUDA_EMULATION_H

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "cuda_runtime_api.h"

#define __CUDACC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __shared__ static
#define __launch_bounds__(...)
#define __forceinline__ inline

// ---- vector types

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {
    }
};
typedef dim3 uint3;

static inline float2 make_float2(float x, float y) {
    return {x, y};
}
static inline float3 make_float3(float x, float y, float z) {
    return {x, y, z};
}
static inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}
static inline double2 make_double2(double x, double y) {
    return {x, y};
}
static inline int3 make_int3(int x, int y, int z) {
    return {x, y, z};
}
static inline int4 make_int4(int x, int y, int z, int w) {
    return {x, y, z, w};
}

// ---- threads, barriers and warps

namespace emulation {

extern dim3 thread_index, block_index, block_size, grid_size; // of the coroutine that runs

void launch(const std::function<void()> &kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
void *dynamic_shared();
// Waits for all threads of the block that have not ended. Returns whether a thread has passed a value that is not 0.
int wait_block(int value);
// Values of the lanes of a warp.
struct exchanged {
    uint64_t value[32];
    unsigned lanes; // those that took part
};
// Returns a bit for each of these lanes for whose value `has` is true.
template <class F> unsigned lanes_where(const exchanged &all, F has) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; i++)
        if (all.lanes >> i & 1 && has(all.value[i])) bits |= 1u << i;
    return bits;
}
// Waits for the threads of `mask` in the warp that have not ended. The result is valid until the warp has exchanged
// values another 64 times.
const exchanged &exchange(unsigned mask, uint64_t value);

template <class T> uint64_t to_bits(T x) {
    static_assert(sizeof x <= 8, "a value of 64 bits at most");
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
template <class T> T from_bits(uint64_t bits) {
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline unsigned lane() {
    return (thread_index.x + block_size.x * (thread_index.y + block_size.y * thread_index.z)) % 32;
}
template <class T> T shuffle(unsigned mask, T x, unsigned from) {
    return from_bits<T>(exchange(mask, to_bits(x)).value[from]);
}
} // namespace emulation

#define threadIdx (emulation::thread_index)
#define blockIdx  (emulation::block_index)
#define blockDim  (emulation::block_size)
#define gridDim   (emulation::grid_size)

static inline void __syncthreads() {
    emulation::wait_block(0);
}
static inline int __syncthreads_or(int x) {
    return emulation::wait_block(x);
}
static inline void __syncwarp(unsigned mask = 0xffffffffu) {
    emulation::exchange(mask, 0);
}
static inline void __threadfence() {
}
template <class T> T __shfl_sync(unsigned mask, T x, int from, int width = 32) {
    unsigned lane = emulation::lane();
    return emulation::shuffle(mask, x, lane / (unsigned)width * (unsigned)width + (unsigned)from % (unsigned)width);
}
template <class T> T __shfl_xor_sync(unsigned mask, T x, int bits, int width = 32) {
    unsigned lane = emulation::lane(), from = lane ^ (unsigned)bits;
    return emulation::shuffle(mask, x, from / (unsigned)width > lane / (unsigned)width ? lane : from);
}
template <class T> T __shfl_up_sync(unsigned mask, T x, unsigned by, int width = 32) {
    unsigned lane = emulation::lane();
    return emulation::shuffle(mask, x, lane % (unsigned)width >= by ? lane - by : lane);
}
template <class T> T __shfl_down_sync(unsigned mask, T x, unsigned by, int width = 32) {
    unsigned lane = emulation::lane();
    return emulation::shuffle(mask, x, lane % (unsigned)width + by < (unsigned)width ? lane + by : lane);
}
static inline unsigned __ballot_sync(unsigned mask, int x) {
    return emulation::lanes_where(emulation::exchange(mask, x != 0), [](uint64_t v) { return v != 0; });
}
static inline int __any_sync(unsigned mask, int x) {
    return __ballot_sync(mask, x) != 0;
}
static inline unsigned __activemask() { // threads run one at a time
    return 1u << emulation::lane();
}
template <class T> unsigned __match_any_sync(unsigned mask, T x) {
    const uint64_t mine = emulation::to_bits(x);
    return emulation::lanes_where(emulation::exchange(mask, mine), [mine](uint64_t v) { return v == mine; });
}

// ---- atomic operations: only one thread runs at a time

template <class T, class U> T atomicAdd(T *to, U x) {
    T old = *to;
    *to = (T)(old + (T)x);
    return old;
}
template <class T, class U> T atomicMax(T *to, U x) {
    T old = *to;
    if ((T)x > old) *to = (T)x;
    return old;
}
template <class T, class U> T atomicMin(T *to, U x) {
    T old = *to;
    if ((T)x < old) *to = (T)x;
    return old;
}
template <class T, class U> T atomicOr(T *to, U x) {
    T old = *to;
    *to = old | (T)x;
    return old;
}
template <class T, class U> T atomicExch(T *to, U x) {
    T old = *to;
    *to = (T)x;
    return old;
}
template <class T, class U, class V> T atomicCAS(T *to, U expected, V x) {
    T old = *to;
    if (old == (T)expected) *to = (T)x;
    return old;
}
static inline unsigned atomicInc(unsigned *to, unsigned max) {
    unsigned old = *to;
    *to = old >= max ? 0 : old + 1;
    return old;
}

// ---- arithmetic, with one rounding for each operation

static inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
static inline double __fma_rn(double a, double b, double c) {
    return fma(a, b, c);
}
static inline float __fmul_rn(float a, float b) {
    return a * b;
}
static inline float __fadd_rn(float a, float b) {
    return a + b;
}
static inline float __fsub_rn(float a, float b) {
    return a - b;
}
static inline float __fdiv_rn(float a, float b) {
    return a / b;
}
static inline float __frcp_rn(float a) {
    return 1 / a;
}
static inline float __fsqrt_rn(float a) {
    return sqrtf(a);
}
static inline float __fadd_rz(float a, float b) {
    double sum = (double)a + (double)b; // exact unless the exponents are far apart
    float f = (float)sum;
    return fabs((double)f) > fabs(sum) ? nextafterf(f, 0) : f;
}
static inline float __double2float_ru(double x) {
    float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}
static inline long long __double2ll_rn(double x) {
    return llrint(x);
}
static inline int __double2int_rz(double x) {
    return x > INT_MAX ? INT_MAX : x > INT_MIN ? (int)x : x <= INT_MIN ? INT_MIN : 0;
}
static inline float __saturatef(float x) {
    return x > 0 ? x < 1 ? x : 1 : 0;
}
static inline unsigned __float_as_uint(float x) {
    return emulation::from_bits<unsigned>(emulation::to_bits(x));
}
static inline int __float_as_int(float x) {
    return emulation::from_bits<int>(emulation::to_bits(x));
}
static inline float __uint_as_float(unsigned x) {
    return emulation::from_bits<float>(x);
}
static inline float __int_as_float(int x) {
    return emulation::from_bits<float>((unsigned)x);
}
static inline long long __double_as_longlong(double x) {
    return emulation::from_bits<long long>(emulation::to_bits(x));
}
static inline double __longlong_as_double(long long x) {
    return emulation::from_bits<double>((uint64_t)x);
}
static inline int __ffs(int x) {
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
template <class T> T __ldg(const T *x) {
    return *x;
}
template <class T> T __ldcg(const T *x) {
    return *x;
}
template <class A, class B> typename std::common_type<A, B>::type min(A a, B b) {
    typedef typename std::common_type<A, B>::type T;
    return (T)b < (T)a ? (T)b : (T)a;
}
template <class A, class B> typename std::common_type<A, B>::type max(A a, B b) {
    typedef typename std::common_type<A, B>::type T;
    return (T)a < (T)b ? (T)b : (T)a;
}
// The results of approximate instructions differ between GPUs; those of the emulation have rounding errors only.
#define emulated_rcp_approx_ftz_f32(x)   (1 / (x))
#define emulated_rsqrt_approx_ftz_f32(x) ((float)(1 / sqrt((double)(x))))
#define emulated_sqrt_approx_ftz_f32(x)  (sqrtf(x))

// On a GPU, addresses in shared memory have 32 bits; here they are ordinary pointers.
static inline size_t __cvta_generic_to_shared(const void *x) {
    return (size_t)x;
}
static inline void *__cvta_shared_to_generic(size_t x) {
    return (void *)x;
}

// ---- properties of kernels

template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F) {
    a->sharedSizeBytes = 0;
    return cudaSuccess;
}
template <class F> cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int) {
    return cudaSuccess;
}
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F, int, size_t) {
    *blocks = 1;
    return cudaSuccess;
}
// Constant memory is an ordinary variable, which all emulated GPUs share.
template <class T> cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t n) {
    return cudaMemcpy(&symbol, from, n, cudaMemcpyHostToDevice);
}
template <class F> cudaError_t cudaLaunchKernel(F, dim3, dim3, void **, size_t, cudaStream_t) {
    return cudaErrorNotSupported;
}

#endif
