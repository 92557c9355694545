// SPDX-License-Identifier: MIT
// Finds the instruction set for which computing loops are chosen. Each loop is compiled once for each set of this list.
#ifndef TRJ_INSTRUCTION_SET_H
#define TRJ_INSTRUCTION_SET_H

#include "error.h"

enum trj_isa { // best first
#ifdef __x86_64__
    TRJ_ISA_AVX512, // F, VL, DQ, BW, and all of AVX2
    TRJ_ISA_AVX2,   // with FMA, BMI2 and POPCNT
#endif
    TRJ_ISA_PLAIN, // portable C
    TRJ_ISAS,
};

// Finds the best set that the CPU supports, or the one in TRJPIPE_ISA. Fails with TRJ_NO_ENGINE if the CPU does not
// support it.
int trj_isa_find(enum trj_isa *isa, struct trj_error *err);
const char *trj_isa_names(void); // returns the sets in this build: "avx512,avx2,plain"

#endif
