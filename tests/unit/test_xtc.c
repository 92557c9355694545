// SPDX-License-Identifier: MIT
// Tests XTC: small files compressed here by a simple encoder, which computes digits with numbers of 16 bytes, following
// random runs and sizes; and real files compared with what other programs decode.
#include "xdr_file.h"
#include "xtc_unpack.h"

static uint64_t state = 1;

static uint32_t dice(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 32) * below >> 32);
}

// ---- the encoder

static size_t bits; // written after `body`
static size_t body;

static void put_bits(uint32_t v, unsigned n) {
    while (n--) {
        if (v >> n & 1) made.data[body + bits / 8] |= (unsigned char)(0x80 >> bits % 8);
        bits++;
    }
}

// n = n * factor + term; n has 16 bytes, lowest first
static void times_plus(unsigned char n[16], uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    for (int i = 0; i < 16; i++) {
        carry += (uint64_t)n[i] * factor;
        n[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

static unsigned length(uint32_t v) {
    unsigned n = 0;
    while (n < 32 && v >> n) n++;
    return n;
}

static unsigned length_of_product(const uint32_t size[3]) {
    unsigned char n[16] = {1};
    for (int k = 0; k < 3; k++) times_plus(n, size[k], 0);
    int top = 15;
    while (!n[top]) top--;
    return 8 * (unsigned)top + length(n[top]);
}

static void put_digits(const uint32_t size[3], const uint32_t digit[3], unsigned n) {
    unsigned char number[16] = {0};
    for (int k = 0; k < 3; k++) times_plus(number, size[k], digit[k]);
    int i = 0;
    for (; n >= 8; n -= 8) put_bits(number[i++], 8);
    if (n) put_bits(number[i], n);
}

static void put_whole(const uint32_t size[3], const uint32_t digit[3]) {
    bool large = false;
    for (int k = 0; k < 3; k++) large = large || size[k] > 0xffffff;
    if (!large) {
        put_digits(size, digit, length_of_product(size));
        return;
    }
    for (int k = 0; k < 3; k++) put_bits(digit[k], length(size[k]));
}

// The sizes of the format are near 2^(n/3); real files and the table at the end test the exact values.
static const uint32_t sizes[] = {
    8,       10,      12,      16,      20,      25,      32,       40,       50,      64,      80,
    101,     128,     161,     203,     256,     322,     406,      512,      645,     812,     1024,
    1290,    1625,    2048,    2580,    3250,    4096,    5060,     6501,     8192,    10321,   13003,
    16384,   20642,   26007,   32768,   41285,   52015,   65536,    82570,    104031,  131072,  165140,
    208063,  262144,  330280,  416127,  524287,  660561,  832255,   1048576,  1321122, 1664510, 2097152,
    2642245, 3329021, 4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216};

struct spec {
    uint32_t atoms, frames, magic;
    int32_t low[3], high[3];
    unsigned small, wander; // first number of bits; maximum deviation from it
    unsigned max;           // small atoms in a row
    float precision;
    float box[9];
};

// ---- the plan

static size_t header_at[FILE_FRAMES], body_at[FILE_FRAMES];

static void want(uint32_t frame, uint32_t atom, const int32_t p[3], float precision) {
    volatile float unit = (float)(1.0 / (double)precision), x;
    for (int k = 0; k < 3; k++) {
        x = (float)p[k];
        x = x * unit;
        made.want[frame].x[atom][k] = x;
    }
}

static void put_atoms(const struct spec *s, uint32_t frame) {
    uint32_t size[3], d[3], run = 0;
    int32_t p[3], q[3];
    unsigned small = s->small;
    for (int k = 0; k < 3; k++) size[k] = (uint32_t)s->high[k] - (uint32_t)s->low[k] + 1;
    for (uint32_t i = 0; i < s->atoms;) {
        for (int k = 0; k < 3; k++) {
            d[k] = i ? dice(size[k]) : frame % 2 ? size[k] - 1 : 0; // including the corners
            p[k] = (int32_t)((uint32_t)s->low[k] + d[k]);
        }
        put_whole(size, d);
        uint32_t left = s->atoms - i - 1, next = dice(3) ? run : dice(s->max + 1);
        if (next > left) next = left;
        unsigned to = s->wander && !dice(4) ? small + dice(3) - 1 : small;
        if (to < 9 || to > 72 || to + s->wander < s->small || to > s->small + s->wander ||
            3 * next + to + 1 - small > 31)
            to = small; // five bits cannot store ten atoms and a larger size
        if (next != run || to != small) {
            put_bits(1, 1);
            put_bits(3 * next + (to + 1 - small), 5);
        } else {
            put_bits(0, 1);
        }
        run = next;
        want(frame, run ? i + 1 : i, p, s->precision);
        memcpy(q, p, sizeof q);
        for (uint32_t j = 0; j < run; j++) {
            uint32_t n = sizes[small - 9], same[3] = {n, n, n};
            for (int k = 0; k < 3; k++) {
                // Any value of the digit within the bounds.
                int64_t from = (int64_t)q[k] - n / 2, to_last = from + n - 1, first = from;
                if (from < s->low[k]) first = s->low[k];
                if (to_last > s->high[k]) to_last = s->high[k];
                int64_t r = first + dice((uint32_t)(to_last - first + 1));
                d[k] = (uint32_t)(r - from);
                q[k] = (int32_t)r;
            }
            put_digits(same, d, small);
            want(frame, j ? i + j + 1 : i, q, s->precision);
        }
        small = to;
        i += run + 1;
    }
}

static void make(const struct spec *s) {
    memset(&made, 0, sizeof made);
    state = 1 + s->small; // the same file each time
    made.atoms = s->atoms;
    made.frames = s->frames;
    for (uint32_t f = 0; f < s->frames; f++) {
        made.clean[made.cleans++] = header_at[f] = made.size;
        put32(s->magic);
        put32(s->atoms);
        put32(100 * f - 1);
        put_float(0.5f * (float)f);
        made.want[f].step = (int32_t)(100 * f - 1);
        made.want[f].time = 0.5 * f;
        for (int k = 0; k < 9; k++) {
            put_float(s->box[k]);
            made.want[f].h[k] = fabsf(s->box[k]) < 1e-15f ? 0 : 10 * (double)s->box[k];
        }
        put32(s->atoms);
        if (s->atoms <= 9) {
            for (uint32_t i = 0; i < s->atoms; i++)
                for (int k = 0; k < 3; k++) put_float(made.want[f].x[i][k] = (float)((int)dice(2000) - 1000) / 64);
            made.border[f] = made.size;
            continue;
        }
        put_float(s->precision);
        for (int k = 0; k < 6; k++) put32((uint32_t)(k < 3 ? s->low[k] : s->high[k - 3]));
        put32(s->small);
        body = body_at[f] = made.size + (s->magic == 2023 ? 8 : 4);
        bits = 0;
        put_atoms(s, f);
        if (s->magic == 2023) put32(0);
        put32((uint32_t)(bits + 7) / 8);
        made.size += (bits + 31) / 32 * 4;
        made.border[f] = made.size;
    }
}

#define BOX                                                                                                            \
    { 5, 0, 0, 6e-17f, 6, 0, 1, -2, 7 }
static const struct spec water = {.atoms = 40,
                                  .frames = 3,
                                  .magic = 1995,
                                  .low = {-50, -100, 3},
                                  .high = {5000, 4000, 6000},
                                  .small = 24,
                                  .wander = 3,
                                  .max = 10,
                                  .precision = 1000,
                                  .box = BOX};

static void check_made(void) {
    static const struct {
        const char *name, *dialect;
        struct spec s;
    } files[] = {
        {"old",
         "magic 1995, precision 100",
         {.atoms = 700,
          .frames = 4,
          .magic = 1995,
          .low = {-3000, 0, 5},
          .high = {2999, 9000, 4500},
          .small = 20,
          .wander = 5,
          .max = 10,
          .precision = 100,
          .box = BOX}},
        {"of 2023",
         "magic 2023, precision 1000",
         {.atoms = 10,
          .frames = 3,
          .magic = 2023,
          .low = {-3000, 0, 5},
          .high = {2999, 9000, 4500},
          .small = 9,
          .wander = 9,
          .max = 3,
          .precision = 1000,
          .box = BOX}},
        {"whole numbers only",
         "magic 1995, precision 1000",
         {.atoms = 33,
          .frames = 2,
          .magic = 1995,
          .low = {-9, -9, -9},
          .high = {9, 9, 9},
          .small = 73,
          .precision = 1000}},
        {"57 bits",
         "magic 1995, precision 1e+06",
         {.atoms = 600,
          .frames = 2,
          .magic = 1995,
          .low = {0, 0, 0},
          .high = {524286, 524286, 524286},
          .small = 54,
          .wander = 3,
          .max = 5,
          .precision = 1e6f,
          .box = BOX}},
        {"58 to 64 bits",
         "magic 1995, precision 1e+06",
         {.atoms = 600,
          .frames = 2,
          .magic = 1995,
          .low = {-1, -2, -3},
          .high = {2000000, 524288, 1048576},
          .small = 58,
          .wander = 2,
          .max = 5,
          .precision = 1e6f,
          .box = BOX}},
        {"72 bits",
         "magic 1995, precision 1e+06",
         {.atoms = 600,
          .frames = 2,
          .magic = 1995,
          .low = {-8000000, -8000000, -8000000},
          .high = {8777214, 8777214, 8777214},
          .small = 71,
          .wander = 7,
          .max = 10,
          .precision = 1e6f,
          .box = BOX}},
        {"digits one by one",
         "magic 1995, precision 1000",
         {.atoms = 600,
          .frames = 2,
          .magic = 1995,
          .low = {-8000000, -5, 0},
          .high = {8777215, 0, 0x7ffffffe},
          .small = 40,
          .wander = 6,
          .max = 10,
          .precision = 1000,
          .box = BOX}},
        {"the largest bounds",
         "magic 1995, precision 0.001",
         {.atoms = 50,
          .frames = 2,
          .magic = 1995,
          .low = {INT32_MIN, INT32_MIN, INT32_MIN},
          .high = {INT32_MAX - 1, INT32_MAX - 1, INT32_MAX - 1},
          .small = 72,
          .wander = 1,
          .max = 10,
          .precision = 0.001f,
          .box = BOX}},
        {"flat",
         "magic 1995, precision 1000",
         {.atoms = 600,
          .frames = 2,
          .magic = 1995,
          .low = {-5, 7, -400},
          .high = {5000, 7, 400},
          .small = 15,
          .wander = 4,
          .max = 10,
          .precision = 1000,
          .box = BOX}},
        {"flat along z",
         "magic 1995, precision 1000",
         {.atoms = 20,
          .frames = 2,
          .magic = 1995,
          .low = {-5, 7, 0},
          .high = {5000, 70, 0},
          .small = 15,
          .precision = 1000}},
        {"all in one place",
         "magic 1995, precision 1000",
         {.atoms = 40,
          .frames = 2,
          .magic = 1995,
          .low = {-5, 7, 1},
          .high = {-5, 7, 1},
          .small = 9,
          .max = 1,
          .precision = 1000,
          .box = BOX}},
        {"powers of two",
         "magic 1995, precision 1000",
         {.atoms = 600,
          .frames = 2,
          .magic = 1995,
          .low = {0, 0, 0},
          .high = {1, 1, 65535},
          .small = 30,
          .wander = 20,
          .max = 10,
          .precision = 1000,
          .box = BOX}},
        {"nine atoms", "magic 1995, floats", {.atoms = 9, .frames = 4, .magic = 1995, .box = BOX}},
        {"one atom", "magic 2023, floats", {.atoms = 1, .frames = 4, .magic = 2023}},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        make(&files[i].s);
        check_whole(files[i].name, files[i].dialect);
    }
    make(&water);
    check_cuts("water");
    check_damage("water", 3000, 2000);
    make(&files[1].s);
    check_cuts("of 2023");
    make(&files[6].s);
    made.size = made.border[0];
    check_damage("one by one", 3000, 1000);
    struct spec s = files[12].s;
    make(&s);
    check_cuts("nine atoms");
    check_damage("nine atoms", 1000, 400);

    // All sizes of small atoms: their largest and smallest digits.
    bool good = true;
    for (unsigned n = 9; n <= 72; n++) {
        s = (struct spec){.atoms = 500,
                          .frames = 1,
                          .magic = 1995,
                          .low = {-20000000, -20000000, -20000000},
                          .high = {20000000, 20000000, 20000000},
                          .small = n,
                          .max = 10,
                          .precision = 1000};
        make(&s);
        int end = -1;
        struct trj_reader *r;
        save(made.size);
        if (trj_reader_open(&r, made_path, &err)) continue;
        good = read_all(r, false, &end, &good) == 1 && good && end == 0;
        trj_reader_close(r);
    }
    ok(good, "small atoms of every size");
}

// ---- invalid files

static void refused_with(size_t at, uint32_t v, const char *what, const char *word, const char *other) {
    make(&water);
    poke32(at, v);
    rejects(what, word, other);
}

static void check_refused(void) {
    make(&water);
    size_t f1 = header_at[1], b1 = body_at[1];
    char byte[32];
    const uint32_t nan = 0x7fc00000, inf = 0x7f800000;
    refused_with(4, 0, "no atoms", "byte 4 gives 0 atoms", "");
    refused_with(4, 0x80000000, "a negative number of atoms", "byte 4", "-2147483648 atoms");
    refused_with(4, 41, "another number of atoms than in the block", "frame 0: byte 4", "41 atoms, byte 52");
    snprintf(byte, sizeof byte, "byte %zu", f1 + 4);
    refused_with(f1 + 4, 39, "other atoms in frame 1", "frame 1: ", byte);
    refused_with(f1, 1996, "another magic in frame 1", "frame 1: ", "1996, which does not begin an XTC frame");
    refused_with(f1 + 12, nan, "time NaN", "frame 1: ", "gives the time nan");
    refused_with(f1 + 16, nan, "a box with a NaN", "frame 1: ", "cell vector a");
    refused_with(f1 + 48, inf, "an infinite box", "frame 1: ", "cell vector c");
    refused_with(f1 + 56, 0, "a precision of 0", "frame 1: ", "precision is 0");
    refused_with(f1 + 56, 0xc47a0000, "a negative precision", "frame 1: ", "precision is -1000");
    refused_with(f1 + 56, nan, "precision NaN", "frame 1: ", "precision is nan");
    refused_with(f1 + 56, 1, "a precision whose inverse is infinite", "frame 1: ", "precision is 1.4");
    refused_with(f1 + 60, 6000, "lower bound above the upper one", "frame 1: ", "x has the bounds 6000 and 5000");
    make(&water);
    poke32(f1 + 64, 0x80000000);
    poke32(f1 + 76, 0x7fffffff);
    rejects("bounds that differ by 2^32", "frame 1: ", "y has the bounds -2147483648 and 2147483647");
    for (uint32_t bad = 0; bad < 9; bad += 4)
        refused_with(f1 + 84, bad, "too few bits of small atoms", "frame 1: ", "small atoms have");
    refused_with(f1 + 84, 74, "too many bits of small atoms", "frame 1: ", "small atoms have 74 bits");
    refused_with(f1 + 84, 0xffffffff, "negative number of bits of small atoms",
                 "frame 1: ", "small atoms have -1 bits");
    refused_with(b1 - 4, 0x7ffffff0, "more bytes than the atoms can have", "frame 1: ", "2147483632 bytes");
    refused_with(b1 - 4, 9, "fewer bytes than the atoms must have", "frame 1: ", "9 bytes for the coordinates of 40");
    make(&water);
    uint32_t bytes = (uint32_t)made.data[b1 - 2] << 8 | made.data[b1 - 1];
    poke32(b1 - 4, bytes - 4);
    rejects("data that end too early", "frame 1: ", "the compressed data end too early");
    make(&water);
    size_t f2 = header_at[2];
    memmove(made.data + f2 + 4, made.data + f2, made.size - f2);
    made.size += 4;
    poke32(b1 - 4, bytes + 4);
    rejects("unused data", "frame 1: ", "their compressed data at byte");
    make(&water);
    poke32(f1 + 72, 4990); // the upper bound of x; the number of bits stays the same
    rejects("an atom out of bounds", "frame 1: atom", "outside of its bounds -50 and 4990");

    // Sizes larger than the file: rejected before memory is allocated, from a file and a pipe.
    struct spec s = {
        .atoms = 10, .frames = 1, .magic = 2023, .low = {0, 0, 0}, .high = {5, 5, 5}, .small = 9, .precision = 1};
    make(&s);
    poke32(4, 0x7fffffff);
    poke32(52, 0x7fffffff);
    poke32(88, 1);
    rejects("2^31 - 1 atoms in 4 GiB", ": frame 0: byte ", "truncated in the coordinates");
    poke32(88, 0x7fffffff);
    rejects("2^31 - 1 atoms in 2^63 bytes", ": frame 0: ", "bytes for the coordinates of 2147483647 atoms");

    // Compressed data that no encoder writes.
    static const struct {
        const char *what, *word;
        unsigned small, told, repeat;
    } bad[] = {{"a run beyond the last atom", "more small atoms than atoms left", 20, 31, 0},
               {"small atoms beyond the last size", "of an invalid size", 73, 3 * 2 + 1, 0},
               {"ever smaller sizes", "of an invalid size", 11, 0, 3},
               {"ever larger sizes", "of an invalid size", 71, 2, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint32_t size[3] = {101, 101, 101}, digit[3] = {1, 2, 3};
        s = (struct spec){
            .atoms = 10, .frames = 1, .magic = 1995, .high = {100, 100, 100}, .small = bad[i].small, .precision = 1000};
        make(&s);
        memset(made.data + body, 0, made.size - body);
        bits = 0;
        for (unsigned n = 0; n <= bad[i].repeat; n++) {
            put_whole(size, digit);
            put_bits(1, 1);
            put_bits(bad[i].told, 5);
        }
        rejects(bad[i].what, ": frame 0: atom ", bad[i].word);
    }
}

int main(void) {
    snprintf(made_path, sizeof made_path, "/tmp/test_xtc.%ld", (long)getpid());
    check_made();
    check_refused();
    check_table(".xtc", 80);
    unlink(made_path);
    return done();
}
