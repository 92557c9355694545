// SPDX-License-Identifier: MIT
// Tests the compression of XTC: decompression returns the same integers, for random walks with steps and bounds of
// every size, with every instruction set of this CPU. For damaged data, all of them return the same floats or the same
// error.
#include <stdint.h>

#include "tap.h"
#include "xtc_pack.h"
#include "xtc_unpack_parts.h"

enum { MAX_ATOMS = 3000 };

static uint64_t state = 1;

static uint64_t dice(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 20;
}

static int32_t number[3][MAX_ATOMS];
static float got[3][MAX_ATOMS];
static unsigned char packed[(MAX_ATOMS + TRJ_XTC_SLACK) * TRJ_XTC_MAX_ATOM_BYTES];

static int32_t clamp(int64_t v, int64_t low, int64_t high) {
    return (int32_t)(v < low ? low : v > high ? high : v);
}

// A random walk: most steps are below 2^near, the others lead anywhere; the bounds are 2^wide apart on each axis.
static void walk(size_t atoms, unsigned near, unsigned jumps, const unsigned wide[3], int32_t low) {
    for (int k = 0; k < 3; k++) {
        int64_t extent = wide[k] >= 31 ? TRJ_XTC_MAX_EXTENT : ((int64_t)1 << wide[k]) - 1, at = low;
        for (size_t i = 0; i < atoms; i++) {
            int64_t step = (int64_t)(dice() & (((uint64_t)2 << near) - 1)) - ((int64_t)1 << near);
            at = !i || (jumps && dice() % jumps == 0) ? low + (int64_t)(dice() % ((uint64_t)extent + 1)) : at + step;
            number[k][i] = clamp(at, low, low + extent);
            at = number[k][i];
        }
    }
}

static bool comes_back(size_t atoms, struct trj_packed *b) {
    struct trj_error err;
    const int32_t *const from[3] = {number[0], number[1], number[2]};
    float *const to[3] = {got[0], got[1], got[2]};
    for (int k = 0; k < 3; k++) {
        b->low[k] = INT32_MAX;
        b->high[k] = INT32_MIN;
        for (size_t i = 0; i < atoms; i++) {
            if (number[k][i] < b->low[k]) b->low[k] = number[k][i];
            if (number[k][i] > b->high[k]) b->high[k] = number[k][i];
        }
    }
    b->precision = 1;
    b->offset = 0;
    memset(packed, 0xa5, sizeof packed);
    trj_xtc_pack(b, from, atoms, packed);
    for (enum trj_isa isa = 0; isa < TRJ_ISAS; isa++) {
        float farthest, expected = 0;
        if (!trj_isa_can_run(isa)) continue;
        memset(got, 0xff, sizeof got);
        if (b->bytes > atoms * TRJ_XTC_MAX_ATOM_BYTES ||
            trj_xtc_unpack_with(isa, b, to, atoms, NULL, 0, &farthest, &err)) {
            printf("# %zu bytes for %zu atoms: %s\n", b->bytes, atoms, err.text);
            return false;
        }
        for (int k = 0; k < 3; k++)
            for (size_t i = 0; i < atoms; i++) {
                expected = fmaxf(expected, fabsf(got[k][i]));
                if (got[k][i] == (float)number[k][i]) continue;
                printf("# set %d: atom %zu of %zu: %c is %g, not %d\n", (int)isa, i, atoms, 'x' + k, (double)got[k][i],
                       number[k][i]);
                return false;
            }
        if (farthest != expected || (atoms < MAX_ATOMS && !isnan(got[2][atoms]))) {
            printf("# set %d: largest coordinate %g, not %g; next number %g\n", (int)isa, (double)farthest,
                   (double)expected, (double)got[2][atoms]);
            return false;
        }
    }
    return true;
}

// Unpacks damaged data with all instruction sets. Returns whether the results are equal; counts errors.
static bool agree(const struct trj_packed *b, size_t atoms, const uint32_t *pick, size_t picked, unsigned *errors) {
    static float plain[3][MAX_ATOMS];
    float *const to[3] = {got[0], got[1], got[2]}, *const to_plain[3] = {plain[0], plain[1], plain[2]};
    struct trj_error err, plain_err;
    float farthest, plain_farthest;
    int rc = trj_xtc_unpack_with(TRJ_ISA_PLAIN, b, to_plain, atoms, pick, picked, &plain_farthest, &plain_err);
    size_t n = pick ? picked : atoms;
    *errors += rc != 0;
    for (enum trj_isa isa = 0; isa < TRJ_ISA_PLAIN; isa++) {
        if (!trj_isa_can_run(isa)) continue;
        if (trj_xtc_unpack_with(isa, b, to, atoms, pick, picked, &farthest, &err) != rc) return false;
        if (rc ? strcmp(err.text, plain_err.text) != 0 : farthest != plain_farthest) return false;
        for (int k = 0; !rc && k < 3; k++)
            if (memcmp(got[k], plain[k], n * sizeof *plain[k]) != 0) return false;
    }
    return true;
}

static void test_damage(void) {
    static unsigned char damaged[sizeof packed];
    uint32_t pick[MAX_ATOMS / 7 + 1];
    unsigned count = 0, errors = 0, different = 0;
    for (uint32_t i = 0; i <= MAX_ATOMS / 7; i++) pick[i] = 7 * i + 3;
    for (unsigned near = 1; near < 21; near += 2)
        for (unsigned wide = 10; wide <= 24; wide += 2) {
            struct trj_packed b;
            const unsigned each[3] = {wide, wide, wide};
            size_t atoms = 1 + dice() % MAX_ATOMS;
            if (atoms < 10) continue;
            walk(atoms, near, 3, each, -500);
            if (!comes_back(atoms, &b)) continue;
            for (int k = 0; k < 40; k++, count++) {
                memcpy(damaged, packed, sizeof damaged);
                b.data = damaged;
                damaged[dice() % b.bytes] ^= (unsigned char)(1u << dice() % 8);
                struct trj_packed shorter = b;
                if (k % 4 == 3) shorter.bytes -= dice() % b.bytes;
                if (k % 8 == 2) shorter.small = (int32_t)(5 + dice() % 70);
                bool some = k % 5 == 4;
                different += !agree(&shorter, atoms, some ? pick : NULL, some ? (atoms + 3) / 7 : 0, &errors);
            }
        }
    ok(!different && errors > count / 4 && errors < count,
       "%u damaged frames: the same floats or the same error with all instruction sets (%u errors, %u differ)", count,
       errors, different);
}

int main(void) {
    struct trj_packed b;
    bool good = true;
    unsigned count = 0;
    for (unsigned near = 0; near < 30; near++)
        for (unsigned wide = 0; wide <= 31; wide++)
            for (unsigned jumps = 0; jumps < 6; jumps++) {
                size_t atoms = 10 + dice() % 290;
                unsigned each[3] = {wide, dice() % 3 ? wide : (unsigned)(dice() % 32), wide};
                int32_t low = wide >= 31 || each[1] >= 31 ? -(1 << 30) : (int32_t)(dice() % (1u << 29)) - (1 << 28);
                walk(atoms, near, jumps, each, low);
                good = good && comes_back(atoms, &b);
                count++;
            }
    ok(good, "%u random walks: decompressed as they were", count);

    // Waters: an oxygen and two hydrogens near it; sizes shrink and grow.
    const unsigned box[3] = {16, 16, 16};
    walk(MAX_ATOMS, 15, 1, box, -1000);
    for (size_t i = 0; i < MAX_ATOMS; i++)
        for (int k = 0; k < 3; k++)
            if (i % 3) number[k][i] = number[k][i - i % 3] + (int32_t)(20 + dice() % 60) * (dice() % 2 ? 1 : -1);
    ok(comes_back(MAX_ATOMS, &b), "waters: decompressed as they were");
    ok(b.bytes < MAX_ATOMS * 48 / 8, "waters: %zu bytes, less than 48 bits per atom", b.bytes);

    memset(number, 0, sizeof number);
    ok(comes_back(MAX_ATOMS, &b), "all atoms at one position: decompressed as they were");
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < 20; i++) number[k][i] = i % 2 ? INT32_MAX - 2 : 0;
    ok(comes_back(20, &b), "corners of the largest bounds: decompressed as they were");
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < 20; i++) number[k][i] = i % 2 ? -(INT32_MAX - 2) : 0;
    ok(comes_back(20, &b), "corners of the largest bounds below 0: decompressed as they were");
    test_damage();
    return done();
}
