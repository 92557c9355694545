// SPDX-License-Identifier: MIT
// Finds the instruction set for which compute kernels are chosen. Each kernel is compiled once for each set of this
// list.
#ifndef TRJ_INSTRUCTION_SET_H
#define TRJ_INSTRUCTION_SET_H

#include <stdbool.h>

#include "error.h"

enum trj_isa { // best first
#ifdef __x86_64__
    TRJ_ISA_AVX512, // F, VL, DQ, BW, and all of AVX2
    TRJ_ISA_AVX2,   // with FMA, BMI2 and POPCNT
#endif
    TRJ_ISA_PLAIN, // portable C
    TRJ_ISAS,
};

// Finds the best set that the CPU supports, or the one that the environment variable TRJPIPE_ISA names. Fails with
// TRJ_NO_ENGINE if the CPU or this build does not support that one.
int trj_isa_find(enum trj_isa *isa, struct trj_error *err);
// Returns the same set, or TRJ_ISA_PLAIN if trj_isa_find fails: programs that have no engine ignore such a TRJPIPE_ISA.
// The variable is read once in each process. Callable from any thread.
enum trj_isa trj_isa_of_process(void);
bool trj_isa_can_run(enum trj_isa isa); // whether the CPU supports it
const char *trj_isa_names(void);        // returns the sets in this build: "avx512,avx2,plain"

#endif
