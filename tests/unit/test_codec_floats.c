// SPDX-License-Identifier: MIT
// Compresses numbers of all kinds, compares the bits of each, and decodes damaged bytes.
#include <stdint.h>

#include "floats.h"
#include "tap.h"

static uint64_t state = 1;

static uint64_t dice(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

static double uniform(void) {
    return (double)(dice() >> 11) * 0x1p-53;
}

enum { FRAMES_MAX = 24, NUMBERS_MAX = 30000 };
static float from[FRAMES_MAX][NUMBERS_MAX], back[FRAMES_MAX][NUMBERS_MAX];
static const float *x[3 * FRAMES_MAX];
static float *y[3 * FRAMES_MAX];

// Sets the pointers to the coordinates, of which those of one axis are contiguous.
static void set_atoms(size_t atoms) {
    for (size_t i = 0; i < 3 * FRAMES_MAX; i++) {
        x[i] = from[i / 3] + i % 3 * atoms;
        y[i] = back[i / 3] + i % 3 * atoms;
    }
}

// Decodes all frames into y.
static bool decode(const struct trj_cursor *c, size_t frames, size_t atoms, struct trj_error *err) {
    struct trj_codec_floats *d = NULL;
    bool good = !trj_codec_floats_open(&d, c, frames, atoms, err);
    for (size_t f = 0; good && f < frames; f++) good = !trj_codec_floats_next(d, y + 3 * f, err);
    trj_codec_floats_close(d);
    return good;
}

// Returns the bytes per atom, or 0 if a bit of a number differs, or if another byte after them is accepted.
static double bytes_per_atom(size_t frames, size_t atoms) {
    struct trj_error err;
    struct trj_bytes out = {0};
    set_atoms(atoms);
    bool good = !trj_codec_floats_encode(&out, x, frames, atoms, &err);
    struct trj_cursor c = {.data = out.data, .size = out.size};
    good = good && decode(&c, frames, atoms, &err);
    for (size_t f = 0; good && f < frames; f++) good = !memcmp(from[f], back[f], 3 * atoms * sizeof(float));
    double bytes = (double)out.size / (double)(frames * atoms);
    trj_put_u32(&out, 5);
    c = (struct trj_cursor){.data = out.data, .size = out.size};
    good = good && !decode(&c, frames, atoms, &err) && err.status == TRJ_BAD_DATA;
    trj_bytes_free(&out);
    return good ? bytes : 0;
}

// Molecules of three atoms that move, in a box of 60.
static void make_water(size_t atoms, double step) {
    for (size_t i = 0; i < 3 * atoms; i++) {
        size_t place = i % atoms % 3;
        double v = uniform() * 60, near = uniform() * 2 - 1;
        for (size_t f = 0; f < FRAMES_MAX; f++, v += (uniform() - 0.5) * step)
            from[f][i] = (float)(place ? (double)from[f][i - place] + near + (uniform() - 0.5) * step : v);
    }
}

static void check_numbers(void) {
    bool good = true;
    for (unsigned kind = 0; kind < 12; kind++) {
        for (size_t f = 0; f < 5; f++)
            for (size_t i = 0; i < 3000; i++) {
                uint32_t bits = (uint32_t)(dice() >> 20);
                if (kind == 1) bits &= 0x807fffff; // 0 and denormal numbers
                if (kind == 2) bits |= 0x7f800000; // infinities and NaN
                if (kind == 3) bits &= 0x80000000; // 0 and -0
                if (kind == 4) bits = 0;
                if (kind == 5) bits = (bits & 0x807fffff) | 0x7f000000; // the largest numbers
                if (kind == 6) bits = (bits & 0x80ffffff) | 0x00800000; // the smallest normal numbers
                memcpy(&from[f][i], &bits, 4);
                if (kind > 6) from[f][i] = (float)((uniform() - 0.5) * 100);
                if (kind == 8 && i % 100 == 7) memcpy(&from[f][i], &bits, 4);
                if (kind == 9 && i % 3 == 2) from[f][i] = i % 2 ? 0 : -0.0f;
                if (kind == 10) from[f][i] = (float)(int)from[f][i];
                if (kind == 11) from[f][i] = powf(2, (float)(i % 40)) * (i % 2 ? 1 : -1);
            }
        for (size_t frames = 1; frames <= 5; frames++)
            for (size_t atoms = 1; atoms <= 1000; atoms = atoms * 5 / 2 + 1) {
                bool equal = bytes_per_atom(frames, atoms) > 0;
                if (!equal) printf("# kind %u, %zu frames of %zu atoms\n", kind, frames, atoms);
                good = good && equal;
            }
    }
    ok(good, "NaN, infinities, -0, denormal and random numbers: all bits are equal");
    ok(bytes_per_atom(1, 1) > 0 && bytes_per_atom(FRAMES_MAX, 1) > 0, "one atom");
}

static void check_sizes(void) {
    const double steps[] = {0.002, 0.05, 3}, max[] = {5.2, 6.9, 8.2};
    for (size_t i = 0; i < 3; i++) {
        make_water(9000, steps[i]);
        double bytes = bytes_per_atom(FRAMES_MAX, 9000);
        ok(bytes > 0 && bytes < max[i], "molecules that move by %g: %.2f bytes per atom", steps[i], bytes);
    }
    double bytes = bytes_per_atom(1, 9000);
    ok(bytes > 0 && bytes < 9, "one frame: %.2f bytes per atom", bytes);
}

static void check_damage(void) {
    enum { ATOMS = 100, FRAMES = 3 };
    struct trj_error err;
    struct trj_bytes out = {0};
    make_water(ATOMS, 0.1);
    from[1][7] = NAN;
    set_atoms(ATOMS);
    ok(!trj_codec_floats_encode(&out, x, FRAMES, ATOMS, &err), "numbers to be damaged are coded");
    size_t reported = 0;
    for (unsigned round = 0; round < 4000; round++) {
        size_t size = round % 4 ? out.size : dice() % out.size;
        unsigned char *damaged = malloc(size + !size); // of the exact size, so that sanitizers detect reading too far
        if (!damaged) abort();
        memcpy(damaged, out.data, size);
        if (round % 4 && size) damaged[dice() % (round % 2 ? size : 60)] ^= (unsigned char)(1u << dice() % 8);
        struct trj_cursor c = {.data = damaged, .size = size};
        reported += !decode(&c, FRAMES, ATOMS, &err);
        free(damaged);
    }
    ok(reported > 2000, "damaged bytes: %zu of 4000 are reported", reported);
    trj_bytes_free(&out);
}

int main(void) {
    check_numbers();
    check_sizes();
    check_damage();
    return done();
}
