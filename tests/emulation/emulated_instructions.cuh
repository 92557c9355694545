// SPDX-License-Identifier: MIT
// Replaces cuda/count/pair_instructions.cuh in builds with emulated GPUs. Addresses of shared memory are relative to
// its beginning.
#ifndef CUDA_PAIR_INSTRUCTIONS_CUH
#define CUDA_PAIR_INSTRUCTIONS_CUH

static inline unsigned shared_address(const void *p) {
    return (unsigned)((const char *)p - (const char *)emulation::dynamic_shared());
}

static inline float4 load_shared(unsigned address) {
    return *(const float4 *)((const char *)emulation::dynamic_shared() + address);
}

static inline void increment_shared(unsigned address) {
    ++*(unsigned *)((char *)emulation::dynamic_shared() + address);
}

static inline void discard_near(float h, float threshold, float bit, float *mask, unsigned discard, unsigned *address) {
    if (fabsf(h) <= threshold) return;
    *mask += bit;
    *address = discard;
}

static inline void move_near(float h, float threshold, float bit, float *mask, float *floored) {
    if (fabsf(h) <= threshold) return;
    *mask += bit;
    *floored += 0x1p126f;
}

template <bool FROM_ZERO>
static inline void discard_near2(float h, float threshold, float h2, float threshold2, float t, float first, float last,
                                 float bit, float *mask, unsigned discard, unsigned *address) {
    const bool near = !(fabsf(h) <= threshold) || !(fabsf(h2) <= threshold2);
    if (near) *mask += bit;
    if (near || t >= last || (!FROM_ZERO && t < first)) *address = discard;
}

#endif
