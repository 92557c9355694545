// SPDX-License-Identifier: MIT
// TRJ_CODEC_VARIANTS before a function compiles it also for processors with AVX2 and BMI2, and TRJ_CODEC_WIDE for those
// with AVX-512, too, which is faster for loops of vector instructions only. The dynamic linker chooses one where the
// program runs. The results are the same integers.
#ifndef TRJ_CODEC_VARIANTS_H
#define TRJ_CODEC_VARIANTS_H

#include <limits.h> // defines __GLIBC__

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__AVX2__)
#define TRJ_CODEC_VARIANTS __attribute__((target_clones("default", "arch=x86-64-v3")))
#define TRJ_CODEC_WIDE     __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define TRJ_CODEC_VARIANTS
#define TRJ_CODEC_WIDE
#endif

// Begins a function that is a part of variants, and must therefore be compiled with them.
#ifdef __GNUC__
#define TRJ_CODEC_INLINE static inline __attribute__((always_inline))
#else
#define TRJ_CODEC_INLINE static inline
#endif

#endif
