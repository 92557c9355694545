// SPDX-License-Identifier: MIT
// Chooses kernels by what the CPU and the system support; TRJPIPE_ISA restricts the choice, so that tests run all of
// them.
#include "instruction_set.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool trj_isa_can_run(enum trj_isa isa) {
#ifdef __x86_64__
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                __builtin_cpu_supports("popcnt");
    if (isa == TRJ_ISA_AVX2) return avx2;
    if (isa == TRJ_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    return isa == TRJ_ISA_PLAIN;
}

int trj_isa_find(enum trj_isa *isa, struct trj_error *err) {
    static const char *const names[TRJ_ISAS] = {
#ifdef __x86_64__
        "avx512", "avx2",
#endif
        "plain"};
    const char *name = getenv("TRJPIPE_ISA");
    for (*isa = 0; *isa < TRJ_ISAS; ++*isa) {
        if (name && strcmp(name, names[*isa]) != 0) continue;
        if (trj_isa_can_run(*isa)) return 0;
        if (name)
            return trj_fail(err, TRJ_NO_ENGINE,
                            "engine cpu: TRJPIPE_ISA=%s: not supported by this CPU; unset TRJPIPE_ISA", name);
    }
    return trj_fail(err, TRJ_NO_ENGINE,
                    "engine cpu: TRJPIPE_ISA=%s: not available in this build, which has %s; unset TRJPIPE_ISA", name,
                    trj_isa_names());
}

enum trj_isa trj_isa_of_process(void) {
    static atomic_int found; // 1 more than the set; 0: not yet known. Threads that find it together find the same.
    int known = atomic_load_explicit(&found, memory_order_relaxed);
    if (!known) {
        enum trj_isa isa;
        struct trj_error ignored;
        known = trj_isa_find(&isa, &ignored) ? TRJ_ISA_PLAIN + 1 : (int)isa + 1;
        atomic_store_explicit(&found, known, memory_order_relaxed);
    }
    return (enum trj_isa)(known - 1);
}

const char *trj_isa_names(void) {
#ifdef __x86_64__
    return "avx512,avx2,plain";
#else
    return "plain";
#endif
}
