// SPDX-License-Identifier: MIT
// The PTX instructions of the inner loops of the counting kernels, as functions. The file exists so that builds with
// emulated GPUs can replace it (tests/emulation/emulated_instructions.cuh).
#ifndef CUDA_PAIR_INSTRUCTIONS_CUH
#define CUDA_PAIR_INSTRUCTIONS_CUH

// Returns the address of shared memory as 32 bits.
static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ float4 load_shared(unsigned address) {
    float4 p;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=f"(p.w)
                 : "r"(address));
    return p;
}

static __device__ __forceinline__ void increment_shared(unsigned address) {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address));
}

// In these, a pair is near an edge if |h| > threshold or h is a NaN, and `bit` is then added to the mask. Predicated
// instructions avoid a branch, which the compiler would make.

// Sets the address to `discard` if the pair is near an edge.
static __device__ __forceinline__ void discard_near(float h, float threshold, float bit, float *mask, unsigned discard,
                                                    unsigned *address) {
    asm volatile("{.reg .pred near; setp.gtu.f32 near, %2, %3; @near add.f32 %0, %0, %4; selp.b32 %1, %5, %1, near;}"
                 : "+f"(*mask), "+r"(*address)
                 : "f"(fabsf(h)), "f"(threshold), "f"(bit), "r"(discard));
}

// Moves the pair beyond all bins if it is near an edge. 0f7E800000 is 2^126.
static __device__ __forceinline__ void move_near(float h, float threshold, float bit, float *mask, float *floored) {
    asm volatile(
        "{.reg .pred near; setp.gtu.f32 near, %2, %3; @near add.f32 %0, %0, %4; @near add.f32 %1, %1, 0f7E800000;}"
        : "+f"(*mask), "+f"(*floored)
        : "f"(fabsf(h)), "f"(threshold), "f"(bit));
}

// The same with two coordinates, of which both can be near an edge. Sets the address to `discard` if the pair is near
// an edge, or t is not in [first, last). FROM_ZERO: no t is below `first`.
template <bool FROM_ZERO>
static __device__ __forceinline__ void discard_near2(float h, float threshold, float h2, float threshold2, float t,
                                                     float first, float last, float bit, float *mask, unsigned discard,
                                                     unsigned *address) {
    if (FROM_ZERO)
        asm volatile("{.reg .pred p; setp.gtu.f32 p, %2, %3; setp.gtu.or.f32 p, %4, %5, p; @p add.f32 %0, %0, %8; "
                     "setp.ge.or.f32 p, %6, %7, p; selp.b32 %1, %9, %1, p;}"
                     : "+f"(*mask), "+r"(*address)
                     : "f"(fabsf(h)), "f"(threshold), "f"(fabsf(h2)), "f"(threshold2), "f"(t), "f"(last), "f"(bit),
                       "r"(discard));
    else
        asm volatile("{.reg .pred p; setp.gtu.f32 p, %2, %3; setp.gtu.or.f32 p, %4, %5, p; @p add.f32 %0, %0, %8; "
                     "setp.ge.or.f32 p, %6, %7, p; setp.lt.or.f32 p, %6, %10, p; selp.b32 %1, %9, %1, p;}"
                     : "+f"(*mask), "+r"(*address)
                     : "f"(fabsf(h)), "f"(threshold), "f"(fabsf(h2)), "f"(threshold2), "f"(t), "f"(last), "f"(bit),
                       "r"(discard), "f"(first));
}

#endif
