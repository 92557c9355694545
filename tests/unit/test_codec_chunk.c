// SPDX-License-Identifier: MIT
// Compresses frames of many kinds, compares the bits of each coordinate, and decodes damaged bytes.
#include <stdint.h>

#include "chunk.h"
#include "lattice.h"
#include "tap.h"

static uint64_t state = 1;

static uint64_t dice(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

static double uniform(void) {
    return (double)(dice() >> 11) * 0x1p-53;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

enum { NUMBERS_MAX = 400000 };
static float from[NUMBERS_MAX], back[NUMBERS_MAX];
static uint32_t residue[NUMBERS_MAX], molecule[NUMBERS_MAX];

static struct trj_codec_frames frames_of(size_t frames, size_t atoms) {
    return (struct trj_codec_frames){.frames = frames, .atoms = atoms, .unit = 10, .x = from};
}

static bool decode(const struct trj_bytes *b, const struct trj_codec_frames *in, size_t first, struct trj_error *err) {
    struct trj_codec_decoder *d;
    if (trj_codec_decoder_open(&d, b->data, b->size, in->frames, in->atoms, err)) return false;
    bool good = true;
    for (size_t f = 0; f < in->frames && good; f++) {
        float *base = back + 3 * f * in->atoms;
        float *const x[3] = {base, base + in->atoms, base + 2 * in->atoms};
        good = trj_codec_decoder_next(d) == f && !trj_codec_decode(d, f < first ? NULL : x, err);
    }
    trj_codec_decoder_close(d);
    return good;
}

// Returns the bytes per atom, or 0 if a bit of a coordinate differs.
static double bytes_per_atom(const struct trj_codec_frames *in, int level) {
    struct trj_error err;
    struct trj_bytes out = {0};
    size_t n = in->frames * in->atoms;
    memset(back, 0, sizeof back);
    bool good = !trj_codec_encode(&out, in, level, &err) && decode(&out, in, 0, &err) &&
                !memcmp(from, back, 3 * n * sizeof *from);
    double bytes = (double)out.size / (double)n;
    trj_bytes_free(&out);
    return good ? bytes : 0;
}

// Rigid molecules of four atoms, in nm, which move in a cube of 4 nm and are broken at its border.
static struct trj_codec_frames make_water(size_t frames, size_t molecules, double step, double (*round)(double)) {
    struct trj_codec_frames in = frames_of(frames, 4 * molecules);
    for (size_t m = 0; m < molecules; m++) {
        double o[3], angle = 0;
        for (size_t k = 0; k < 3; k++) o[k] = 4 * uniform();
        for (size_t f = 0; f < frames; f++) {
            double u[3], v[3], uu = 0, uv = 0, vv = 0;
            angle += step * (uniform() - 0.5);
            for (size_t k = 0; k < 3; k++) {
                o[k] += step * (uniform() - 0.5);
                u[k] = cos(angle + (double)(m * k)) + 0.2 * uniform();
                v[k] = sin(3 * angle + (double)(m + k)) + 0.3;
                uu += u[k] * u[k];
                uv += u[k] * v[k];
            }
            for (size_t k = 0; k < 3; k++) {
                v[k] -= u[k] * uv / uu;
                vv += v[k] * v[k];
            }
            for (size_t k = 0; k < 3; k++) {
                float *x = from + (3 * f + k) * in.atoms + 4 * m;
                double a = u[k] / sqrt(uu) * 0.0586, b = v[k] / sqrt(vv) * 0.0757;
                const double place[4] = {o[k], o[k] + a + b, o[k] + a - b, o[k] + 0.269 * a};
                for (size_t i = 0; i < 4; i++) x[i] = (float)round(place[i] - 4 * floor(place[i] / 4));
            }
        }
        for (size_t i = 0; i < 4; i++) residue[4 * m + i] = molecule[4 * m + i] = (uint32_t)m;
    }
    return in;
}

static double xtc(double x) {
    return (float)floor(x * 1000 + 0.5) * (1 / 1000.0f);
}

static double decimals(double x) {
    return floor(x * 1000 + 0.5) / 1000;
}

static double angstrom(double x) {
    return (float)xtc(x) * 10.0f;
}

static double same(double x) {
    return x;
}

static void check_water(void) {
    static const struct {
        const char *what;
        double (*round)(double);
        double max;
    } kind[] = {
        {"XTC", xtc, 2.2}, {"decimals", decimals, 2.2}, {"XTC in Angstrom", angstrom, 2.2}, {"float32", same, 9.5}};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        struct trj_codec_frames in = make_water(20, 1000, 0.5, kind[i].round);
        if (kind[i].round == angstrom) in.unit = 1;
        double alone = bytes_per_atom(&in, 6);
        in.residue = residue;
        in.molecule = molecule;
        double known = bytes_per_atom(&in, 6), fast = bytes_per_atom(&in, 1);
        ok(alone > 0 && known > 0 && fast > 0 && known < kind[i].max && known < 1.01 * fast && alone < 1.1 * known,
           "coordinates rounded as %s: %.2f bytes an atom, %.2f without molecules, %.2f fast", kind[i].what, known,
           alone, fast);
    }
    struct trj_codec_frames in = make_water(20, 1000, 0.5, xtc);
    double far = bytes_per_atom(&in, 6);
    in = make_water(20, 1000, 0.02, xtc);
    double near = bytes_per_atom(&in, 6);
    ok(near > 0 && near < 0.8 * far, "short steps: %.2f bytes an atom, long ones: %.2f", near, far);
}

static float special(unsigned kind, size_t i) {
    static const uint32_t bits[] = {0x7fc00000, 0xffc12345, 0x7f800000, 0xff800000, 0x80000000, 1,
                                    0x807fffff, 0,          0x7f7fffff, 0xff7fffff, 0x00800000, 0x7f800001};
    switch (kind) {
    case 0:
        return float_of((uint32_t)dice());
    case 1:
        return float_of(bits[dice() % 12]);
    case 2:
        return dice() % 100 ? (float)xtc(uniform()) : float_of(bits[dice() % 12]);
    case 3:
        return 0;
    case 4:
        return -0.0f;
    case 5:
        return (float)(dice() % 2 ? 1e30 : -1e-30);
    case 6:
        return (float)(dice() % 2000) * 0.1f;
    case 7:
        return 1.25f;
    default:
        return (float)decimals((double)i * 3.7 - 9000);
    }
}

static void check_special(void) {
    bool good = true;
    for (unsigned kind = 0; kind < 9; kind++)
        for (size_t atoms = 1; atoms < 300; atoms = atoms * 3 + 1)
            for (size_t frames = 1; frames < 12; frames = frames * 2 + 1) {
                struct trj_codec_frames in = frames_of(frames, atoms);
                for (size_t i = 0; i < 3 * frames * atoms; i++) from[i] = special(kind, i);
                for (size_t i = 0; i < atoms; i++) {
                    molecule[i] = (uint32_t)(i / 17);
                    residue[i] = (uint32_t)(i / 5);
                }
                bool plain = bytes_per_atom(&in, 6) > 0;
                in.computed = atoms / 5;
                in.residue = residue;
                if (kind % 2) in.molecule = molecule;
                good = good && plain && bytes_per_atom(&in, 19) > 0;
            }
    ok(good, "every float32 keeps its bits: NaN, infinite, -0, denormal; one atom, one frame; computed coordinates");
}

static void check_damaged(void) {
    struct trj_error err;
    struct trj_bytes out = {0};
    struct trj_codec_frames in = make_water(4, 60, 0.5, xtc);
    bool good = !trj_codec_encode(&out, &in, 6, &err);
    unsigned rejected = 0;
    for (unsigned i = 0; i < 4000 && good; i++) {
        size_t at = dice() % out.size, whole = out.size;
        unsigned char old = out.data[at], bit = (unsigned char)(1 << dice() % 8);
        if (i % 4) at = dice() % 400 % out.size; // the plan and the models
        old = out.data[at];
        out.data[at] ^= bit;
        if (i % 7 == 0) out.size = dice() % whole;
        rejected += !decode(&out, &in, 1, &err);
        out.data[at] = old;
        out.size = whole;
    }
    ok(good && rejected > 2000, "damaged bytes are rejected or give other coordinates: %u of 4000 rejected", rejected);
    ok(decode(&out, &in, 3, &err) && !memcmp(from + 9 * in.atoms, back + 9 * in.atoms, 3 * in.atoms * sizeof *from),
       "frames can be skipped");
    struct trj_codec_decoder *d;
    ok(trj_codec_decoder_open(&d, out.data, out.size, 4, in.atoms + 1, &err) == -1 && err.status == TRJ_BAD_DATA,
       "another number of atoms is rejected");
    ok(trj_codec_decoder_open(&d, out.data, out.size, 1000, (size_t)1 << 31, &err) == -1 && err.status == TRJ_BAD_DATA,
       "little data for many atoms are rejected");
    trj_bytes_free(&out);
}

int main(void) {
    check_water();
    check_special();
    check_damaged();
    return done();
}
