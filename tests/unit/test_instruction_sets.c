// SPDX-License-Identifier: MIT
// Every instruction set gives the same hashes, and finds the same largest magnitude, as loops written here.
#include <math.h>
#include <string.h>

#include "hash.h"
#include "hash_variants.h"
#include "instruction_set.h"
#include "largest_magnitude.h"
#include "tap.h"
#include "uniform.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NUMBERS = 1000, PLACES = 8 };

static const char *name_of(enum trj_isa isa) {
    return isa == TRJ_ISA_PLAIN ? "plain" : isa + 1 == TRJ_ISA_PLAIN ? "AVX2" : "AVX-512";
}

static float expected(const float *x, size_t n) {
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) return NAN;
        most = fmaxf(most, fabsf(x[i]));
    }
    return most;
}

static bool same(float a, float b) {
    return a == b || (isnan(a) && isnan(b));
}

// The largest number is at every place of arrays of every length and alignment.
static void test_largest(enum trj_isa isa) {
    static float x[NUMBERS];
    static const float special[] = {1e30f, -1e30f, INFINITY, -INFINITY, NAN, -NAN, 1e-42f, -0.0f};
    unsigned wrong = 0;
    for (size_t i = 0; i < NUMBERS; i++) x[i] = (float)(200 * uniform() - 100);
    for (size_t n = 0; n + PLACES <= 300; n++)
        for (size_t from = 0; from < PLACES; from++)
            wrong += !same(trj_largest_magnitude(x + from, n, isa), expected(x + from, n));
    for (size_t n = 1; n < NUMBERS; n += 37)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
                float was = x[i];
                x[i] = special[k];
                wrong += !same(trj_largest_magnitude(x, n, isa), expected(x, n));
                x[i] = was;
            }
    ok(!wrong, "%s: the largest magnitude, infinite or not a number, wherever it is: %u wrong", name_of(isa), wrong);
}

static void test_hash(const struct trj_hash_variant *v, enum trj_isa isa) {
    static unsigned char data[20000];
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(256 * uniform());
    for (size_t n = 0; n < sizeof data; n += n < 2100 ? 1 : 997) {
        struct trj_hash_state s;
        uint64_t whole = XXH3_64bits_withSeed(data, n, 0);
        trj_hash_begin(&s);
        for (size_t at = 0, some; at < n; at += some) {
            some = n / 3 + 1 < n - at ? n / 3 + 1 : n - at;
            if (v)
                v->add(&s, data + at, some);
            else
                trj_hash_add(&s, data + at, some);
        }
        wrong += trj_hash_end(&s) != whole || trj_hash(data, n, 0) != whole || (v && v->hash(data, n, 0) != whole) ||
                 (v ? v->hash(data, n, 7) : trj_hash(data, n, 7)) != XXH3_64bits_withSeed(data, n, 7);
    }
    ok(!wrong, "%s: hashes of 0 to 20,000 bytes, at once and in parts: %u wrong", name_of(isa), wrong);
}

int main(void) {
    enum trj_isa best = trj_isa_of_process();
    ok(trj_isa_can_run(best) && best == trj_isa_of_process(), "the CPU supports the set of this process");
    for (enum trj_isa isa = 0; isa < TRJ_ISAS; isa++) {
        if (!trj_isa_can_run(isa)) {
            printf("# %s: not supported by this CPU\n", name_of(isa));
            continue;
        }
        test_largest(isa);
    }
    test_hash(NULL, best);
#ifdef __x86_64__
    if (trj_isa_can_run(TRJ_ISA_AVX2)) test_hash(&trj_hash_avx2, TRJ_ISA_AVX2);
    if (trj_isa_can_run(TRJ_ISA_AVX512)) test_hash(&trj_hash_avx512, TRJ_ISA_AVX512);
#endif
    return done();
}
