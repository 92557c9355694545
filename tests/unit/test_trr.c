// SPDX-License-Identifier: MIT
// Tests TRR: small files made here in both precisions, with every choice of blocks, and real files compared with what
// other programs decode.
#include "xdr_file.h"

enum { IR, ENERGIES, BOX, VIRIAL, PRESSURE, TOPOLOGY, SYMBOLS, X, V, F, BLOCKS };

struct spec {
    uint32_t atoms, count; // count: all frames, including those without positions
    unsigned real;         // bytes
    struct {
        bool box, virial, x, v, f;
    } frame[6];
};

static const double box[9] = {5, 6e-17, 0, 0, 6.1, 0, -1, 2, 7};
static size_t header_at[8], data_at[8];

static void put_real(const struct spec *s, double v) {
    if (s->real == 8)
        put_double(v);
    else
        put_float((float)v);
}

static double value(uint32_t frame, uint32_t atom, int axis) {
    return (frame + 1) * 10 + atom / 7.0 - axis; // not exact in float32
}

static void put_frame(const struct spec *s, uint32_t n) {
    uint32_t size[BLOCKS] = {0}, reals = 3 * s->atoms * s->real, f = made.frames;
    bool x = s->frame[n].x;
    if (s->frame[n].box) size[BOX] = 9 * s->real;
    if (s->frame[n].virial) size[VIRIAL] = size[PRESSURE] = 9 * s->real;
    if (x) size[X] = reals;
    if (s->frame[n].v) size[V] = reals;
    if (s->frame[n].f) size[F] = reals;
    made.clean[made.cleans++] = header_at[n] = made.size;
    put32(1993);
    put32(13);
    put32(12);
    memcpy(made.data + made.size, "GMX_trn_file", 12);
    made.size += 12;
    for (int k = 0; k < BLOCKS; k++) put32(size[k]);
    put32(s->atoms);
    put32(1000 * n);
    put32(0);
    // A frame without blocks has reals of 4 bytes.
    const struct spec t = {.real = s->frame[n].box || x || s->frame[n].v || s->frame[n].f ? s->real : 4};
    put_real(&t, 0.25 * n);
    put_real(&t, 0);
    for (int k = 0; k < 9 && size[BOX]; k++) put_real(s, box[k]);
    for (int k = 0; k < 18 && size[VIRIAL]; k++) put_real(s, 1e9 + k);
    data_at[n] = made.size;
    for (uint32_t i = 0; i < s->atoms && x; i++)
        for (int k = 0; k < 3; k++) {
            put_real(s, value(n, i, k));
            made.want[f].x[i][k] = (float)value(n, i, k);
        }
    for (uint32_t i = 0; i < (size[V] + size[F]) / s->real; i++) put_real(s, -1e9);
    if (!x) return;
    for (int k = 0; k < 9 && size[BOX]; k++) {
        double h = s->real == 4 ? (double)(float)box[k] : box[k];
        made.want[f].h[k] = fabs(h) < 1e-15 ? 0 : 10 * h;
    }
    made.want[f].time = 0.25 * n;
    made.want[f].step = 1000 * n;
    made.border[made.frames++] = made.size;
}

static void make(const struct spec *s) {
    memset(&made, 0, sizeof made);
    made.atoms = s->atoms;
    for (uint32_t n = 0; n < s->count; n++) put_frame(s, n);
    made.clean[made.cleans++] = made.size;
}

static const struct spec plain = {
    .atoms = 3,
    .count = 3,
    .real = 4,
    .frame = {{true, false, true, false, false}, {true, false, true, false, false}, {true, false, true, false, false}}};
// Frames with all choices of blocks. The frame without a box has no cell, although the previous one has a box; frames
// without positions are skipped.
static const struct {
    bool box, virial, x, v, f;
} kinds[6] = {{false, false, false, false, false}, {true, true, true, true, true},
              {true, false, false, true, false},   {false, false, true, false, true},
              {false, false, false, false, true},  {true, false, true, false, false}};

static void refused_with(size_t at, uint32_t v, const char *what, const char *word, const char *other) {
    make(&plain);
    poke32(at, v);
    rejects(what, word, other);
}

static void check_made(void) {
    make(&plain);
    check_whole("plain", "single precision");
    check_cuts("plain");
    check_damage("plain", 2000, 2000);
    for (unsigned real = 4; real <= 8; real += 4) {
        struct spec s = {.atoms = 7, .count = 6, .real = real};
        for (int n = 0; n < 6; n++) memcpy(&s.frame[n], &kinds[n], sizeof s.frame[n]);
        s.frame[0].box = real == 8; // determines the precision
        make(&s);
        const char *name = real == 4 ? "all kinds, single" : "all kinds, double";
        ok(made.frames == 3, "%s: three of six frames have positions", name);
        check_whole(name, real == 4 ? "single precision" : "double precision");
        // Truncation after frames without positions is also between frames.
        check_cuts(name);
        check_damage(name, 2000, 1000);
    }
    struct spec s = {.atoms = 2, .count = 3, .real = 4, .frame = {{.v = true}, {.box = true}, {.f = true}}};
    make(&s);
    ok(made.frames == 0 && try_all(false) == 0 && try_pipe() == 0 && try_all(true) == 0,
       "no positions in any frame: no frames");
    s = (struct spec){.atoms = 1, .count = 1, .real = 8, .frame = {{.x = true}}};
    make(&s);
    check_whole("one atom", "double precision");
}

static void check_refused(void) {
    make(&plain);
    size_t f1 = header_at[1], x1 = data_at[1];
    const uint32_t nan = 0x7fc00000, inf = 0x7f800000;
    refused_with(64, 0, "no atoms", "byte 64 gives 0 atoms", "");
    refused_with(64, 0xffffffff, "a negative number of atoms", "byte 64", "-1 atoms");
    refused_with(64, 4, "more atoms than in the blocks",
                 "frame 0: ", "gives 36 bytes for the block 'positions' of 4 atoms");
    refused_with(f1 + 64, 4, "another number in frame 1", "frame 1: ", "4 atoms, not 3");
    refused_with(f1, 1992, "another magic in frame 1", "frame 1: ", "1992, which does not begin a TRR frame");
    refused_with(f1 + 4, 14, "another length of the name", "frame 1: ", "GMX_trn_file");
    refused_with(f1 + 12, 0x474d5859, "another name", "frame 1: ", "GMX_trn_file");
    refused_with(f1 + 24, 8, "an input record", "frame 1: ", "the block 'input record'");
    refused_with(f1 + 24 + 4 * BOX, 72, "a box of the other precision",
                 "frame 1: ", "36 bytes for the block 'positions' of 3 atoms, in another precision");
    refused_with(f1 + 24 + 4 * BOX, 35, "box of an invalid size",
                 "frame 1: ", "gives 35 bytes for the block 'box' of 3 atoms");
    refused_with(f1 + 24 + 4 * V, 0x7fffffff, "velocities without end",
                 "frame 1: ", "the block 'velocities' of 3 atoms");
    refused_with(f1 + 24 + 4 * F, 36, "forces missing", "frame 2: byte", "which does not begin a TRR frame");
    refused_with(f1 + 76, nan, "time NaN", "frame 1: ", "gives the time nan");
    refused_with(f1 + 84, nan, "a box with a NaN", "frame 1: ", "cell vector a");
    refused_with(f1 + 116, inf, "an infinite box", "frame 1: ", "cell vector c");
    refused_with(x1 + 16, nan, "coordinate NaN", "frame 1: y of atom 1", "not a number");
    struct spec s = plain;
    s.real = 8;
    make(&s);
    poke32(data_at[2] + 48, 0x7fe00000); // 9e307
    rejects("double that overflows float32", "frame 2: x of atom 2", "infinite");

    // Sizes larger than the file: rejected before memory is allocated, from a file and a pipe.
    make(&plain);
    poke32(24 + 4 * X, 0xfffffff0);
    poke32(64, 0xfffffff0u / 12);
    rejects("357 million atoms", "frame 0: byte ", "truncated in the coordinates");
}

int main(void) {
    snprintf(made_path, sizeof made_path, "/tmp/test_trr.%ld", (long)getpid());
    check_made();
    check_refused();
    check_table(".trr", 30);
    unlink(made_path);
    return done();
}
