// SPDX-License-Identifier: MIT
// TRJ_CODEC_VARIANTS before a function compiles it also for processors with AVX2 and BMI2, which the dynamic linker
// chooses where the program runs. The results are the same integers.
#ifndef TRJ_CODEC_VARIANTS_H
#define TRJ_CODEC_VARIANTS_H

#include <limits.h> // defines __GLIBC__

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__AVX2__)
#define TRJ_CODEC_VARIANTS __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define TRJ_CODEC_VARIANTS
#endif

#endif
