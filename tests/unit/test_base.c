// SPDX-License-Identifier: MIT
// Tests of lib/base: bytes, numbers, exact sums, memory, input, output, threads, names of files in options.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "error.h"
#include "exact_sum.h"
#include "file_argument.h"
#include "input.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "pool.h"
#include "tap.h"
#include "word_edges.h"

static struct trj_error err;
static char folder[] = "/tmp/test_base.XXXXXX", path[64];

static void must(int rc) {
    if (!rc) return;
    printf("# %s\n", err.text);
    abort();
}

static uint64_t next_random(void) {
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// ---- bytes

static void check_bytes(void) {
    static const unsigned char want[] = {
        0x44, 0x33, 0x22, 0x11,                         // u32
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, // u64
        0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // i64 -2
        0,    0,    0,    0,    0,    0,    0xf8, 0xbf, // f64 -1.5
        3,    0,    0,    0,    'a',  ' ',  'b',        // text "a\nb"
        1,    0,    0,    0,    2,    0,    0,    0,    // u32s
        3,    0,    0,    0,    0,    0,    0,    0,    // u64s
        0,    0,    0x80, 0x3f, 0,    0,    0,    0x80, // f32s 1, -0
        9,                                              // raw
    };
    struct trj_bytes b = {0};
    trj_put_u32(&b, 0x11223344);
    trj_put_u64(&b, 0x1122334455667788);
    trj_put_i64(&b, -2);
    trj_put_f64(&b, -1.5);
    trj_put_text(&b, "a\nb");
    trj_put_u32s(&b, (uint32_t[]){1, 2}, 2);
    trj_put_u64s(&b, (uint64_t[]){3}, 1);
    trj_put_f32s(&b, (float[]){1, -0.0f}, 2);
    trj_put_raw(&b, "\t", 1);
    trj_put_raw(&b, NULL, 0);
    ok(!b.failed && b.size == sizeof want && !memcmp(b.data, want, sizeof want),
       "values are written in little-endian order");

    struct trj_cursor c = {.data = b.data, .size = b.size};
    uint32_t u32s[2];
    uint64_t u64s[1];
    float f32s[2];
    bool good = trj_get_u32(&c) == 0x11223344 && trj_get_u64(&c) == 0x1122334455667788 && trj_get_i64(&c) == -2 &&
                trj_get_f64(&c) == -1.5;
    char *text;
    good = good && !trj_get_text(&c, &text, &err) && text && !strcmp(text, "a b");
    free(text);
    trj_get_u32s(&c, u32s, 2);
    trj_get_u64s(&c, u64s, 1);
    trj_get_f32s(&c, f32s, 2);
    good = good && u32s[0] == 1 && u32s[1] == 2 && u64s[0] == 3 && f32s[0] == 1 && f32s[1] == 0 && signbit(f32s[1]);
    ok(good && !c.failed && trj_cursor_left(&c) == 1, "the same values are read back");
    u64s[0] = 5;
    trj_get_u64s(&c, u64s, 1);
    ok(c.failed && u64s[0] == 0 && trj_cursor_left(&c) == 0 && trj_get_u32(&c) == 0,
       "after the end: all values are zero");

    good = true;
    for (size_t size = 0; size < sizeof want; size++) { // no byte after the end is read
        unsigned char *copy = malloc(size ? size : 1);
        memcpy(copy, want, size);
        c = (struct trj_cursor){.data = copy, .size = size};
        trj_get_u32(&c);
        trj_get_u64(&c);
        trj_get_i64(&c);
        trj_get_f64(&c);
        trj_get_text(&c, &text, &err);
        trj_get_u32s(&c, u32s, 2);
        trj_get_u64s(&c, u64s, 1);
        trj_get_f32s(&c, f32s, 2);
        good = good && c.failed == (size < sizeof want - 1) && (text != NULL) == (size >= 35);
        free(text);
        free(copy);
    }
    ok(good, "truncated at each byte: zeros, and failed is set");
    trj_bytes_free(&b);

    static const struct {
        const char *bytes;
        size_t size;
        const char *text; // NULL: rejected
    } texts[] = {
        {"\0\0\0\0", 4, ""},
        {"\2\0\0\0ab", 6, "ab"},
        {"\2\0\0\0ab...", 9, "ab"},
        {"\4\0\0\0\xc3\x85 x", 8, "\xc3\x85 x"},
        {"\2\0\0\0a", 5, NULL},
        {"\2\0\0", 3, NULL},
        {"\377\377\377\377ab", 6, NULL},
        {"\2\0\0\0a\0", 6, NULL},
        {"\2\0\0\0a\n", 6, NULL},
        {"\2\0\0\0\33[", 6, NULL},
        {"\1\0\0\0\177", 5, NULL},
    };
    good = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        c = (struct trj_cursor){.data = (const unsigned char *)texts[i].bytes, .size = texts[i].size};
        int rc = trj_get_text(&c, &text, &err);
        bool right = (rc == 0) == (text != NULL) && (!rc || err.status == TRJ_BAD_DATA);
        right = right && (texts[i].text ? text && !strcmp(text, texts[i].text) && !c.failed : !text && c.failed);
        if (!right) printf("# text %zu: %s\n", i, text ? text : "(none)");
        good = good && right;
        free(text);
    }
    ok(good, "texts that are truncated or contain control characters are rejected");
    // The size exceeds all memory. The failure is recorded, and later calls are allowed.
    trj_put_u32s(&b, u32s, SIZE_MAX / 2);
    trj_put_u32(&b, 1);
    ok(b.failed && b.size == 0, "a failed allocation is recorded");
    trj_bytes_free(&b);
}

// ---- numbers

static void check_numbers(void) {
    static const struct {
        const char *text;
        bool u, i, r; // accepted as u64, i64, real
    } table[] = {
        {"0", 1, 1, 1},
        {"007", 1, 1, 1},
        {"42", 1, 1, 1},
        {"9223372036854775807", 1, 1, 1},
        {"9223372036854775808", 1, 0, 1},
        {"18446744073709551615", 1, 0, 1},
        {"18446744073709551616", 0, 0, 1},
        {"99999999999999999999999", 0, 0, 1},
        {"-0", 0, 1, 1},
        {"-1", 0, 1, 1},
        {"-9223372036854775808", 0, 1, 1},
        {"-9223372036854775809", 0, 0, 1},
        {"+5", 0, 1, 1},
        {"", 0, 0, 0},
        {" ", 0, 0, 0},
        {" 1", 0, 0, 0},
        {"1 ", 0, 0, 0},
        {"\n1", 0, 0, 0},
        {"1\n", 0, 0, 0},
        {"1x", 0, 0, 0},
        {"x", 0, 0, 0},
        {"-", 0, 0, 0},
        {"+", 0, 0, 0},
        {"--1", 0, 0, 0},
        {"+-1", 0, 0, 0},
        {"- 1", 0, 0, 0},
        {"0x10", 0, 0, 0},
        {"-0x10", 0, 0, 0},
        {"0X1p3", 0, 0, 0},
        {"1,5", 0, 0, 0},
        {"1_000", 0, 0, 0},
        {"1.5", 0, 0, 1},
        {"1.", 0, 0, 1},
        {".5", 0, 0, 1},
        {"-.5", 0, 0, 1},
        {".", 0, 0, 0},
        {"-.", 0, 0, 0},
        {".e5", 0, 0, 0},
        {"1e5", 0, 0, 1},
        {"1E-5", 0, 0, 1},
        {"1e+5", 0, 0, 1},
        {"1e", 0, 0, 0},
        {"1e+", 0, 0, 0},
        {"1d5", 0, 0, 0},
        {"1.2.3", 0, 0, 0},
        {"1e308", 0, 0, 1},
        {"1e309", 0, 0, 0},
        {"-1e999", 0, 0, 0},
        {"4.9406564584124654e-324", 0, 0, 1},
        {"nan", 0, 0, 0},
        {"-nan", 0, 0, 0},
        {"nan(1)", 0, 0, 0},
        {"inf", 0, 0, 0},
        {"-inf", 0, 0, 0},
        {"infinity", 0, 0, 0},
        {"\xd9\xa3", 0, 0, 0},
    };
    bool good = true;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const char *text = table[k].text;
        uint64_t u = 77;
        int64_t i = 77;
        double r = 77;
        errno = ERANGE; // an earlier error must have no effect
        bool is_u = trj_parse_u64(text, &u), is_i = trj_parse_i64(text, &i), is_r = trj_parse_real(text, &r);
        bool right = is_u == table[k].u && is_i == table[k].i && is_r == table[k].r;
        // A rejected number does not change the value. An accepted one is printed as the same text.
        right = right && (is_u || u == 77) && (is_i || i == 77) && (is_r || r == 77.0);
        if (is_u) right = right && u == strtoull(text, NULL, 10);
        if (is_i) right = right && i == strtoll(text, NULL, 10);
        if (is_r) right = right && r == strtod(text, NULL);
        if (!right) printf("# '%s': %d %d %d\n", text, is_u, is_i, is_r);
        good = good && right;
    }
    ok(good, "numbers: %zu texts", sizeof table / sizeof *table);
    uint64_t u;
    int64_t i;
    double r;
    ok(trj_parse_u64("18446744073709551615", &u) && u == UINT64_MAX && trj_parse_i64("-9223372036854775808", &i) &&
           i == INT64_MIN && trj_parse_real("-0.1", &r) && r == -0.1,
       "their values");
    double v[3] = {0};
    static const char *const lists[] = {"", ",", "1,", ",1", "1,,2", "1, 2", "1;2", "1,nan", "1,1e999", "1,2,3,4"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        ok(!trj_parse_reals(lists[k], v, 3), "'%s' is rejected as a list of up to three numbers", lists[k]);
    ok(trj_parse_reals("2.5", v, 3) == 1 && v[0] == 2.5 && trj_parse_reals("1,-2e1,.5", v, 3) == 3 && v[0] == 1 &&
           v[1] == -20 && v[2] == 0.5,
       "numbers separated by commas");
}

// Compares random decimal numbers, and numbers at and next to the midpoint of two float32, with strtof and strtod,
// which round correctly.
static void check_scanning(void) {
    char text[128];
    bool floats = true, reals = true;
    for (unsigned n = 0; n < 400000; n++) {
        uint64_t digits = next_random() >> next_random() % 64;
        int exponent = (int)(next_random() % (n % 8 ? 30 : 400)) - (n % 8 ? 24 : 200);
        if (n % 4 == 0) {
            snprintf(text, sizeof text, "%s%llue%d", n % 3 ? "" : "-", (unsigned long long)digits, exponent);
        } else if (n % 4 == 1) {
            snprintf(text, sizeof text, "%llu.%0*llu", (unsigned long long)digits % 1000, (int)(next_random() % 25),
                     (unsigned long long)next_random());
        } else { // the midpoint after a float32, and numbers slightly below and above it
            uint32_t bits = (uint32_t)(next_random() % 0x7f000000u);
            float low;
            memcpy(&low, &bits, sizeof low);
            double middle = ((double)low + (double)nextafterf(low, INFINITY)) / 2;
            snprintf(text, sizeof text, "%.*e",
                     n % 4 == 2 ? 16 + (int)(next_random() % 40) : 8 + (int)(next_random() % 12),
                     n % 5 ? middle : nextafter(middle, n % 2 ? 0 : INFINITY));
        }
        float f;
        double d;
        const char *end = text + strlen(text);
        float f_right = strtof(text, NULL);
        double d_right = strtod(text, NULL);
        bool f_good = trj_scan_float(text, &f) == end && !memcmp(&f, &f_right, sizeof f);
        bool d_good = trj_scan_real(text, &d) == end && !memcmp(&d, &d_right, sizeof d);
        if (!f_good || !d_good) printf("# %s: %a not %a, %a not %a\n", text, (double)f, (double)f_right, d, d_right);
        floats = floats && f_good;
        reals = reals && d_good;
    }
    ok(floats, "decimal numbers give the nearest float32");
    ok(reals, "decimal numbers give the nearest float64");

    static const struct {
        const char *text;
        int length; // characters of the number at its start; -1: no number
        double value;
    } table[] = {{"0", 1, 0},
                 {"-0.0", 4, -0.0},
                 {"+1.5 2", 4, 1.5},
                 {".5", 2, 0.5},
                 {"5.", 2, 5},
                 {"1e3", 3, 1000},
                 {"1E+3x", 4, 1000},
                 {"1.5-2.5", 3, 1.5},
                 {"0x10", 1, 0},
                 {"1.2.3", 3, 1.2},
                 {"", -1, 0},
                 {".", -1, 0},
                 {"-", -1, 0},
                 {"-.", -1, 0},
                 {"e5", -1, 0},
                 {"1e", -1, 0},
                 {"1e+", -1, 0},
                 {"nan", -1, 0},
                 {"inf", -1, 0},
                 {" 1", -1, 0},
                 {"--1", -1, 0},
                 {"1e999", 5, INFINITY},
                 {"-1e999999999999", 15, -INFINITY},
                 {"1e-999", 6, 0},
                 {"0e999999", 8, 0},
                 {"000000000000000000000000000001.5", 32, 1.5},
                 {"16777217.000000000000000000000000000000000001", 45, 16777217},
                 {"0.0000000000000000000000000000000000000000000000000000000000001e61", 66, 1}};
    bool good = true;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        float f = 0;
        double d = 0;
        const char *text_i = table[i].text, *a = trj_scan_float(text_i, &f), *b = trj_scan_real(text_i, &d);
        const char *want = table[i].length < 0 ? NULL : text_i + table[i].length;
        float right = want ? strtof(text_i, NULL) : 0; // 0x10: see the table
        if (strchr(text_i, 'x')) right = (float)table[i].value;
        bool same = a == want && b == want && !memcmp(&f, &right, sizeof f) &&
                    (!want || !memcmp(&d, &table[i].value, sizeof d));
        if (!same) printf("# '%s': %g %g\n", text_i, (double)f, d);
        good = good && same;
    }
    ok(good, "the end of a number is found, and texts without a number are rejected");
    int64_t v;
    const char *max = "9223372036854775799 ", *over = "9223372036854775808";
    ok(trj_scan_i64(max, &v) == max + 19 && v == INT64_C(9223372036854775799) && !trj_scan_i64(over, &v) &&
           !trj_scan_i64("-", &v) && trj_scan_i64("-12x", &v) && v == -12,
       "integers");
}

// A program that uses the library may have set a locale whose decimal point is a comma.
static void check_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = setlocale(LC_NUMERIC, names[i]);
    float f = 0;
    double r = 0;
    bool good = trj_scan_float("1.2345678901234567890123e-30", &f) && trj_scan_real("0.12345678901234567890123", &r);
    setlocale(LC_NUMERIC, "C");
    if (found)
        ok(good && f == 1.2345678901234567890123e-30f && r == 0.12345678901234567890123, "a locale has no effect");
    else
        skip("a locale has no effect", "no locale with a decimal comma is installed");
}

// ---- fields of fixed width, and words

// Returns whether trj_scan_columns gives the nearest float32, or rejects the field. Sets *accepted.
static bool scans_field(const char *field, bool *accepted) {
    float f, right = strtof(field, NULL);
    *accepted = trj_scan_columns(field, strlen(field), &f);
    return !*accepted || !memcmp(&f, &right, sizeof f);
}

static void check_columns(void) {
    static const char alphabet[] = "0123456789.-+ e";
    bool good = true, numbers = true, accepted;
    for (int i = 0; i < 1000000; i++) {
        char field[32];
        double size = (double)(next_random() % 2000000) / 1000.0 - 1000;
        snprintf(field, sizeof field, "%*.*f", (int)(next_random() % 14), (int)(1 + next_random() % 6), size);
        good = scans_field(field, &accepted) && good;
        if (!accepted && strpbrk(field, "123456789")) numbers = false;
    }
    ok(good && numbers, "fields with numbers are scanned, and give the nearest float32");
    for (int i = 0; i < 1000000; i++) { // most are no numbers
        char field[16] = "", *end;
        size_t width = 1 + next_random() % 12;
        for (size_t k = 0; k < width; k++) field[k] = alphabet[next_random() % (sizeof alphabet - 1)];
        good = scans_field(field, &accepted) && good;
        strtof(field, &end);
        if (accepted && (*end || !strchr(field, '.') || strchr(field, '+') || strchr(field, 'e'))) good = false;
    }
    ok(good, "fields that are not one number with a point are rejected");
    ok(!trj_scan_columns("12-4.678", 8, &(float){0}) && !trj_scan_columns("1.2.4567", 8, &(float){0}) &&
           !trj_scan_columns("12345678", 8, &(float){0}),
       "a field with a sign in it, two points or no point is rejected");
}

// Finds words byte by byte, as trj_word_edges does.
static bool find_edges(const char *text, size_t length, size_t words, uint32_t *edge) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ' && (unsigned char)text[i] <= '\'') return false;
        bool before = i && text[i - 1] != ' ', after = text[i] != ' ';
        if (before != after && n++ < 2 * words) edge[n - 1] = (uint32_t)i;
    }
    if (length && text[length - 1] != ' ' && n++ < 2 * words) edge[n - 1] = (uint32_t)length;
    return n == 2 * words;
}

static void check_word_edges(void) {
    enum { MAX = 300 };
    static const char rare[] = {'\t', '"', '#', '\'', '!', '\r', 1, 31, 127, -128, -1};
    uint32_t want[2 * MAX], edge[2 * MAX + TRJ_WORD_EDGES_MORE];
    size_t found = 0, wrong = 0;
    for (int i = 0; i < 200000; i++) {
        size_t length = next_random() % (i % 2 ? MAX : 140), blanks = 1 + next_random() % 8, words = 0;
        char *text = malloc(length ? length : 1); // sanitizers and valgrind find reads after it
        if (!text) abort();
        for (size_t k = 0; k < length; k++)
            text[k] = next_random() % 8 < blanks ? ' ' : (char)(40 + next_random() % 216);
        if (length && i % 4 == 0) text[next_random() % length] = rare[next_random() % sizeof rare];
        for (size_t k = 0; k < length; k++) words += text[k] != ' ' && (!k || text[k - 1] == ' ');
        if (i % 16 == 1) words += next_random() % 3 - 1; // most often, another number
        if (words > MAX / 2) words = 0;
        size_t first = words ? next_random() % words : 0, end = words ? first + 1 + next_random() % (words - first) : 0;
        bool has = find_edges(text, length, words, want);
        for (enum trj_isa isa = 0; isa < TRJ_ISAS; isa++)
            wrong += trj_isa_can_run(isa) &&
                     (trj_word_edges(text, length, words, first, end, edge, isa) != has ||
                      (has && memcmp(edge, want + 2 * first, 2 * (end - first) * sizeof *edge) != 0));
        found += has;
        free(text);
    }
    ok(!wrong && found > 100000, "words are found 64 bytes at a time as byte by byte, with every instruction set");
}

// ---- exact sums

// Returns a random double of 53 random bits with a binary exponent from low to high - 1.
static double random_real(int low, int high) {
    uint64_t r = next_random();
    int exponent = low + (int)(next_random() % (uint64_t)(high - low));
    double m = ldexp((double)((r >> 11) | (uint64_t)1 << 52), -52); // [1, 2)
    return ldexp(r & 1 ? -m : m, exponent);
}

static bool same_sum(const struct trj_exact_sum *a, const struct trj_exact_sum *b) {
    return !memcmp(a, b, sizeof *a);
}

// Returns the double nearest to a 128-bit integer, as the compiler converts it.
static double value_of(__int128 v) {
    return (double)v;
}

static bool within_ulp(double a, double b) {
    return a == b || nextafter(a, b) == b;
}

static void check_sums(void) {
    ok(trj_exact_in_range(0) && trj_exact_in_range(-0.0) && trj_exact_in_range(0x1p-200) &&
           !trj_exact_in_range(nextafter(0x1p-200, 0)) && trj_exact_in_range(nextafter(0x1p200, 0)) &&
           !trj_exact_in_range(0x1p200) && trj_exact_in_range(-1) && !trj_exact_in_range(-0x1p200) &&
           !trj_exact_in_range(NAN) && !trj_exact_in_range(INFINITY) && !trj_exact_in_range(-INFINITY),
       "range of numbers that can be added");

    // A sum of one term is the term, for each exponent and sign.
    bool good = true;
    for (int i = 0; i < 20000; i++) {
        struct trj_exact_sum s = {{0}};
        double x = random_real(-200, 200);
        trj_exact_add(&s, x);
        if (trj_exact_value(&s) != x) good = false;
        trj_exact_add(&s, -x);
        good = good && same_sum(&s, &(struct trj_exact_sum){{0}}) && trj_exact_value(&s) == 0;
    }
    static const double edges[] = {
        0x1p-200, -0x1p-200, 0x1.fffffffffffffp199, -0x1.fffffffffffffp199, 0x1.fffffffffffffp-200, 1, -1, 0, -0.0};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        struct trj_exact_sum s = {{0}};
        trj_exact_add(&s, edges[i]);
        good = good && trj_exact_value(&s) == edges[i];
    }
    ok(good, "one term, and its negative");

    // The limbs are compared with the specification: the unit is 2^-256.
    struct trj_exact_sum s = {{0}}, want = {{0, 0, 0, 0, 3}};
    trj_exact_add(&s, 3);
    good = same_sum(&s, &want);
    trj_exact_add(&s, 0x1p-64);
    want.limb[3] = 1;
    good = good && same_sum(&s, &want);
    trj_exact_add(&s, -0x1p-200);
    want = (struct trj_exact_sum){{0, UINT64_MAX << (256 - 200 - 0) % 64, UINT64_MAX, 0, 3}};
    want.limb[0] = UINT64_MAX << 56;
    want.limb[1] = UINT64_MAX;
    good = good && same_sum(&s, &want);
    trj_exact_add(&s, -4);
    want.limb[4] = want.limb[5] = want.limb[6] = want.limb[7] = UINT64_MAX;
    ok(good && same_sum(&s, &want) && trj_exact_value(&s) == -1 + 0x1p-64, "limbs are those of the specification");

    // Sums of multiples of 2^-40 that are less than 2^60 are compared with 128-bit integers.
    good = true;
    for (int t = 0; t < 2000; t++) {
        __int128 sum = 0;
        s = (struct trj_exact_sum){{0}};
        for (int i = 0; i < 50; i++) {
            int64_t k = (int64_t)(next_random() >> 11) * (next_random() & 1 ? 1 : -1); // 53 bits
            int shift = (int)(next_random() % 40);
            sum += (__int128)k * ((__int128)1 << shift);
            trj_exact_add(&s, ldexp((double)k, shift - 40));
        }
        double wanted = ldexp(value_of(sum), -40);
        // The limbs: the sum's bits begin at 2^-40, bit 24 of limb 3.
        unsigned __int128 low = ((unsigned __int128)s.limb[4] << 64 | s.limb[3]) >> 24;
        unsigned __int128 bits = low | (unsigned __int128)s.limb[5] << 104;
        if (bits != (unsigned __int128)sum || !within_ulp(trj_exact_value(&s), wanted)) good = false;
    }
    ok(good, "sums of 50 terms equal those of 128-bit integers");

    // The order and the grouping of terms do not matter. The terms have all exponents.
    good = true;
    for (int t = 0; t < 500; t++) {
        double x[64];
        struct trj_exact_sum forward = {{0}}, backward = {{0}}, parts[5] = {{{0}}}, merged = {{0}};
        for (int i = 0; i < 64; i++) x[i] = random_real(-200, 200);
        for (int i = 0; i < 64; i++) {
            trj_exact_add(&forward, x[i]);
            trj_exact_add(&backward, x[63 - i]);
            trj_exact_add(&parts[next_random() % 5], x[i]);
        }
        for (int i = 0; i < 5; i++) trj_exact_merge(&merged, &parts[i]);
        good = good && same_sum(&forward, &backward) && same_sum(&forward, &merged) &&
               trj_exact_value(&forward) == trj_exact_value(&merged);
        for (int i = 0; i < 64; i++) trj_exact_add(&merged, -x[(i * 13) % 64]);
        good = good && same_sum(&merged, &(struct trj_exact_sum){{0}});
    }
    ok(good, "order and grouping do not matter, and subtracting all terms gives zero");
    // 2^50 times the largest term, by doubling.
    s = (struct trj_exact_sum){{0}};
    struct trj_exact_sum negative = {{0}};
    trj_exact_add(&s, 0x1.fffffffffffffp199);
    trj_exact_add(&negative, -0x1.fffffffffffffp199);
    for (int i = 0; i < 50; i++) {
        struct trj_exact_sum copy = s;
        trj_exact_merge(&s, &copy);
        copy = negative;
        trj_exact_merge(&negative, &copy);
    }
    ok(trj_exact_value(&s) == 0x1.fffffffffffffp249 && trj_exact_value(&negative) == -0x1.fffffffffffffp249,
       "2^50 of the largest terms");
    // Ordinary addition loses the small terms.
    s = (struct trj_exact_sum){{0}};
    trj_exact_add(&s, 1e50);
    for (int i = 0; i < 1000; i++) trj_exact_add(&s, 0.1);
    trj_exact_add(&s, -1e50);
    ok(trj_exact_value(&s) == 100, "1e50 + 1000 * 0.1 - 1e50 is %.17g", trj_exact_value(&s));
}

// ---- memory

static void check_memory(void) {
    unsigned char *p = trj_alloc(100, 3, "things", &err);
    bool good = p;
    for (int i = 0; good && i < 300; i++) good = p[i] == 0;
    ok(good, "memory is zeroed");
    free(p);
    p = trj_alloc(0, 8, "nothing", &err);
    ok(p, "zero elements: the pointer is not NULL");
    free(p);
    // A product that exceeds 64 bits. The size is volatile, because the compiler would otherwise warn.
    volatile size_t huge = SIZE_MAX / 4 + 2;
    if (SANITIZED)
        skip("a size of over 64 bits", "sanitizers end a program that allocates this size");
    else
        ok(!trj_alloc(huge, 4, "things", &err) && err.status == TRJ_FAILED && has_text(err.text, "things"), "%s",
           err.text);
    uint32_t *array = NULL;
    size_t capacity = 0;
    good = true;
    for (uint32_t i = 0; good && i < 1000; i++) {
        good = trj_grow(&array, &capacity, i + 1, sizeof *array, "numbers", &err) == 0 && capacity > i;
        if (good) array[i] = i;
    }
    for (uint32_t i = 0; good && i < 1000; i++) good = array[i] == i;
    ok(good && capacity < 2100, "an array that grows: room %zu", capacity);
    uint32_t *before = array;
    size_t capacity_before = capacity;
    ok(trj_grow(&array, &capacity, huge, 4, "numbers", &err) == -1 && array == before && capacity == capacity_before &&
           array[999] == 999 && has_text(err.text, "numbers"),
       "an array that cannot grow is unchanged: %s", err.text);
    free(array);
    char *copy = trj_copy_text("text", &err);
    ok(copy && !strcmp(copy, "text"), "a copy of a text");
    free(copy);
}

// ---- input

static void save(const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

static enum { UNCHANGED, SPOOLED, READ_BEFORE } way; // how an input is prepared for a test

static void prepare(struct trj_input *in) {
    static char some[100000];
    char *line;
    size_t n, got;
    if (way == SPOOLED) must(trj_input_spool(in, &err));
    for (int twice = 0; twice < 2 && way == READ_BEFORE; twice++) {
        must(trj_input_mark(in, &err) || trj_input_read_some(in, some, next_random() % sizeof some, &got, &err));
        for (int i = 0; i < 20 && trj_input_line(in, &line, &n, &err) == 1; i++) memset(line, 'x', n);
        must(trj_input_rewind(in, &err));
    }
}

// Opens the file or, if the number of bytes is not 0, a pipe to which a child process writes the file in writes of that
// size.
static struct trj_input *open_input(size_t chunk, const unsigned char *data, size_t n, pid_t *child) {
    struct trj_input *in;
    *child = 0;
    if (!chunk) {
        must(trj_input_open(&in, path, &err));
        prepare(in);
        return in;
    }
    int fds[2];
    if (pipe(fds)) abort();
    fflush(NULL);
    *child = fork();
    if (!*child) {
        close(fds[0]);
        signal(SIGPIPE, SIG_IGN);
        for (size_t at = 0; at < n;) {
            ssize_t k = write(fds[1], data + at, n - at < chunk ? n - at : chunk);
            if (k <= 0) break;
            at += (size_t)k;
        }
        _exit(0);
    }
    close(fds[1]);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
    must(trj_input_open(&in, "-", &err));
    prepare(in);
    return in;
}

static void close_input(struct trj_input *in, pid_t child) {
    trj_input_close(in);
    if (!child) return;
    close(STDIN_FILENO);
    if (open("/dev/null", O_RDONLY) != STDIN_FILENO) abort();
    waitpid(child, NULL, 0);
}

enum { SIZE = 700001 };
static unsigned char data[SIZE], got_data[SIZE];

// Peeks, reads, skips and seeks at random. The bytes must be those of the file at the offset of the input.
static void check_random(size_t chunk, const char *name) {
    pid_t child;
    struct trj_input *in = open_input(chunk, data, SIZE, &child);
    uint64_t at = 0, size = 0;
    bool seeks = !chunk || way == SPOOLED, good = trj_input_size(in, &size) == seeks && (!seeks || size == SIZE);
    for (int i = 0; good && i < (chunk ? 2000 : 5000); i++) {
        const unsigned char *head;
        uint64_t max = next_random() % 3 ? 300 : next_random() % 3 ? 9000 : chunk ? 30000 : 200000;
        size_t n = (size_t)(next_random() % max), got = 0, left = SIZE - at;
        size_t there = n < left ? n : left;
        switch (next_random() % (seeks ? 5 : 4)) {
        case 0: {
            bool far = next_random() % 2;
            size_t seen = far || n < TRJ_INPUT_PEEK ? n : TRJ_INPUT_PEEK;
            if (seen > left) seen = left;
            int rc = far ? trj_input_peek_far(in, &head, n, &got, &err) : trj_input_peek(in, &head, n, &got, &err);
            good = !rc && got == seen && !memcmp(head, data + at, got);
            break;
        }
        case 1:
            good =
                !trj_input_read_some(in, got_data, n, &got, &err) && got == there && !memcmp(got_data, data + at, got);
            at += got;
            break;
        case 2:
            if (n > left) break;
            good = !trj_input_read(in, got_data, n, "x", &err) && !memcmp(got_data, data + at, n);
            at += n;
            break;
        case 3:
            if (n > left) break;
            good = !trj_input_skip(in, n, "x", &err);
            at += n;
            break;
        default:
            at = next_random() % (SIZE + 1);
            good = !trj_input_seek(in, at, &err);
        }
        good = good && trj_input_offset(in) == at;
    }
    ok(good, "%s: random calls of peek, read, skip and seek", name);
    // Reads to the end and after it.
    while (good && at < SIZE) {
        size_t n = SIZE - at < 100000 ? SIZE - at : 100000, got;
        good = !trj_input_read_some(in, got_data, n, &got, &err) && got == n && !memcmp(got_data, data + at, n);
        at += n;
    }
    size_t got = 1;
    const unsigned char *head;
    good = good && !trj_input_read_some(in, got_data, 10, &got, &err) && !got &&
           !trj_input_peek(in, &head, 10, &got, &err) && !got && !trj_input_skip(in, 0, "x", &err);
    ok(good && trj_input_read(in, got_data, 1, "a thing", &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "byte 700001: truncated in a thing: expected "),
       "%s: at the end: %s", name, err.text);
    ok(trj_input_skip(in, 1, "a thing", &err) == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, "byte 700001"),
       "%s: skip after the end: %s", name, err.text);
    close_input(in, child);
    in = open_input(chunk, data, SIZE, &child);
    ok(trj_input_skip(in, SIZE + 5, "a thing", &err) == -1 && has_text(err.text, "byte 700001: truncated in a thing"),
       "%s: skip from the start to after the end: %s", name, err.text);
    close_input(in, child);
    in = open_input(chunk, data, SIZE, &child);
    ok(trj_input_read(in, got_data, SIZE, "x", &err) == 0 && !memcmp(got_data, data, SIZE), "%s: one read of all bytes",
       name);
    close_input(in, child);
}

// Lines of random lengths, with and without "\r", with NUL bytes; the last one has no newline.
static void check_lines(size_t chunk, const char *name) {
    enum { LINES = 400 };
    static size_t begin[LINES + 1], length[LINES];
    static unsigned char text[1 << 20];
    size_t n = 0, lines = 0;
    while (lines < LINES && n < sizeof text - 320000) {
        size_t size = lines % 100 == 99 ? 300000 : next_random() % 9 ? next_random() % 90 : next_random() % 3000;
        if (lines == 5) size = 0;
        begin[lines] = n;
        length[lines] = size;
        for (size_t i = 0; i < size; i++)
            text[n + i] = (unsigned char)(i % 50 == 20 ? 0 : i % 7 == 3 ? '\r' : 'a' + i % 26);
        if (size && text[n + size - 1] == '\r') text[n + size - 1] = 'x';
        n += size;
        if (lines % 3 == 0) text[n++] = '\r';
        text[n++] = '\n';
        lines++;
    }
    n--; // no newline after the last one
    if (text[n - 1] == '\r') n--;
    save(text, n);
    pid_t child;
    struct trj_input *in = open_input(chunk, text, n, &child);
    bool good = true;
    char *line;
    size_t size, k = 0;
    int rc;
    const unsigned char *head;
    while ((rc = trj_input_line(in, &line, &size, &err)) == 1) {
        good = good && k < lines && size == length[k] && !memcmp(line, text + begin[k], size) && line[size] == 0;
        k++;
        // Peeking between lines consumes nothing.
        if (k % 50 == 10) good = good && !trj_input_peek(in, &head, TRJ_INPUT_PEEK, &size, &err);
        if (k < lines) good = good && trj_input_offset(in) == begin[k];
    }
    ok(good && rc == 0 && k == lines && trj_input_offset(in) == n && trj_input_line(in, &line, &size, &err) == 0,
       "%s: %zu lines", name, k);
    close_input(in, child);
}

// Lines of about 1 MiB. The limit must not depend on the sizes of the reads.
static void check_long_lines(size_t chunk, const char *name) {
    static unsigned char text[(1 << 21) + 100];
    static const struct {
        size_t size;
        const char *end;
        bool taken;
    } cases[] = {{(1 << 20) - 1, "\n", true}, {1 << 20, "\n", true},        {1 << 20, "\r\n", true},
                 {1 << 20, "", true},         {(1 << 20) + 1, "\n", false}, {(1 << 20) + 1, "\r\n", false},
                 {(1 << 20) + 1, "", false},  {1 << 21, "\n", false}};
    bool good = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int before = 0; before < 2; before++) {
            size_t n = 0, size;
            pid_t child;
            char *line;
            if (before) memcpy(text, "one\n", 4);
            n = before ? 4 : 0;
            memset(text + n, 'l', cases[i].size);
            n += cases[i].size;
            memcpy(text + n, cases[i].end, strlen(cases[i].end));
            n += strlen(cases[i].end);
            save(text, n);
            struct trj_input *in = open_input(chunk, text, n, &child);
            if (before) good = good && trj_input_line(in, &line, &size, &err) == 1 && size == 3;
            int rc = trj_input_line(in, &line, &size, &err);
            bool right = cases[i].taken ? rc == 1 && size == cases[i].size && strlen(line) == size
                                        : rc == -1 && err.status == TRJ_BAD_DATA &&
                                              has_text(err.text, before ? "at byte 4" : "at byte 0");
            if (!right) printf("# case %zu: %d %s\n", i, rc, err.text);
            good = good && right;
            close_input(in, child);
        }
    ok(good, "%s: lines of 1 MiB and more", name);
}

static int entries(void) {
    int n = 0;
    DIR *d = opendir(folder);
    if (!d) abort();
    for (struct dirent *e; (e = readdir(d));) n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static void check_copies(void) {
    pid_t child;
    uint64_t size, print, other;
    struct trj_input *in;
    save(data, SIZE);
    int before = entries();
    setenv("TMPDIR", folder, 1);
    in = open_input(0, data, SIZE, &child);
    must(trj_input_fingerprint(in, &print, &err));
    close_input(in, child);
    way = SPOOLED;
    check_random(0, "file that is spooled");
    check_random(1000, "pipe that was spooled, small writes");
    check_random(1 << 20, "pipe that was spooled, large writes");
    in = open_input(1000, data, SIZE, &child);
    ok(trj_input_is_file("-", &size, &err) == 1 && size == SIZE && !strcmp(trj_input_name(in), "stdin") &&
           !trj_input_fingerprint(in, &other, &err) && other == print,
       "standard input is the copy and has the fingerprint of the file");
    ok(entries() == before, "the temporary copy has no name");
    close_input(in, child);
    way = UNCHANGED;
    in = open_input(1000, data, SIZE, &child);
    setenv("TMPDIR", "/tmp/there/is/no/such", 1);
    ok(trj_input_spool(in, &err) == -1 && err.status == TRJ_FAILED &&
           has_text(err.text, "temporary file in /tmp/there/is/no/such (TMPDIR): No such file"),
       "%s", err.text);
    close_input(in, child);
    unsetenv("TMPDIR");
}

static void check_input(void) {
    struct trj_input *in = NULL;
    for (size_t i = 0; i < SIZE; i++) data[i] = (unsigned char)(next_random() >> 20);
    save(data, SIZE);
    check_random(0, "file");
    check_random(1000, "pipe, small writes");
    check_random(1 << 20, "pipe, large writes");
    check_lines(0, "file");
    check_lines(777, "pipe, small writes");
    check_lines(1 << 20, "pipe, large writes");
    check_long_lines(0, "file");
    check_long_lines(4000, "pipe, small writes");
    check_long_lines(1 << 20, "pipe, large writes");
    way = READ_BEFORE;
    save(data, SIZE);
    check_random(0, "file that was read before");
    check_random(1000, "pipe that was read before, small writes");
    check_random(1 << 20, "pipe that was read before, large writes");
    check_lines(777, "pipe that was read before, small writes");
    check_long_lines(1 << 20, "pipe that was read before, large writes");
    way = UNCHANGED;
    check_copies();
    save("", 0);
    must(trj_input_open(&in, path, &err));
    char *line;
    size_t n;
    ok(trj_input_line(in, &line, &n, &err) == 0 && !strcmp(trj_input_name(in), path), "an empty file has no lines");
    trj_input_close(in);
    ok(trj_input_open(&in, folder, &err) == -1 && err.status == TRJ_FAILED && has_text(err.text, folder) &&
           has_text(err.text, "directory"),
       "%s", err.text);
    ok(trj_input_open(&in, "/tmp/there/is/no/such", &err) == -1 && err.status == TRJ_FAILED &&
           has_text(err.text, "/tmp/there/is/no/such: No such file"),
       "%s", err.text);
    trj_input_close(NULL);
}

// ---- output

static bool file_is(const char *name, const void *want, size_t n) {
    FILE *f = fopen(name, "rb");
    if (!f) return false;
    static unsigned char have[SIZE + 1];
    size_t k = fread(have, 1, sizeof have, f);
    fclose(f);
    return k == n && !memcmp(have, want, n);
}

static void check_output(void) {
    struct trj_output *out = NULL;
    unlink(path);
    ok(entries() == 0, "the folder is empty");
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    ok(access(path, F_OK) && entries() == 1, "before the commit: only the temporary file exists");
    bool good = true;
    uint64_t at = 0;
    while (good && at < SIZE) { // writes of less, equal and more than the size of the buffer
        size_t n = next_random() % 5 ? next_random() % 3000 : next_random() % 150000;
        if (n > SIZE - at) n = SIZE - at;
        good = !trj_output_write(out, data + at, n, &err);
        at += n;
    }
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    ok(good && file_is(path, data, SIZE) && entries() == 1,
       "after the commit: only the named file exists, with the written bytes");
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    ok(!stat(path, &st) && (st.st_mode & 0777) == (0666 & ~mask),
       "a new file has the permissions that the umask leaves");

    must(trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err));
    must(trj_output_print(out, &err, "%d %s\n", 5, "lines"));
    ok(entries() == 2 && file_is(path, data, SIZE), "the old file remains until the commit");
    trj_output_close(out);
    ok(entries() == 1 && file_is(path, data, SIZE),
       "closed without a commit: the old file remains, the temporary one is removed");

    must(trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err));
    memset(got_data, 'y', 2000);
    got_data[2000] = 0;
    must(trj_output_print(out, &err, "%d %s\n", 5, "lines"));
    must(trj_output_print(out, &err, "%s", (char *)got_data)); // longer than the buffer on the stack
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    static char want[2008] = "5 lines\n";
    memset(want + 8, 'y', 2000);
    ok(file_is(path, want, 2008), "the file is replaced; formatted text may have any length");

    // A name without a folder refers to the current folder.
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here) || chdir(folder)) abort();
    must(trj_output_open(&out, "relative", TRJ_OUTPUT_TEXT, &err));
    must(trj_output_print(out, &err, "x"));
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    if (chdir(here)) abort();
    char other[80];
    snprintf(other, sizeof other, "%s/relative", folder);
    ok(file_is(other, "x", 1), "a name without a folder");
    unlink(other);

    ok(trj_output_open(&out, "/tmp/there/is/no/such", TRJ_OUTPUT_TEXT, &err) == -1 && err.status == TRJ_FAILED &&
           has_text(err.text, "/tmp/there/is/no/such: No such file"),
       "%s", err.text);
    ok(trj_output_open(&out, folder, TRJ_OUTPUT_TEXT, &err) == -1 && has_text(err.text, "directory"), "%s", err.text);
    ok(trj_output_open(&out, "", TRJ_OUTPUT_TEXT, &err) == -1 && err.status == TRJ_USAGE, "%s", err.text);
    trj_output_close(NULL);
    if (access("/dev/full", W_OK)) {
        skip("a full disk", "no /dev/full");
    } else {
        must(trj_output_open(&out, "/dev/full", TRJ_OUTPUT_TEXT, &err));
        must(trj_output_print(out, &err, "small"));
        ok(trj_output_commit(out, &err) == -1 && err.status == TRJ_FAILED && has_text(err.text, "No space"), "%s",
           err.text);
        trj_output_close(out);
    }
    // If the reader of a pipe has closed it, the error is quiet.
    int fds[2];
    char name[32];
    if (pipe(fds)) abort();
    signal(SIGPIPE, SIG_IGN);
    snprintf(name, sizeof name, "/dev/fd/%d", fds[1]);
    must(trj_output_open(&out, name, TRJ_OUTPUT_TEXT, &err));
    close(fds[0]);
    close(fds[1]);
    err = (struct trj_error){0};
    must(trj_output_print(out, &err, "x"));
    ok(trj_output_commit(out, &err) == -1 && err.status == TRJ_FAILED && err.quiet,
       "pipe closed by its reader: the error is quiet: %s", err.text);
    trj_output_close(out);

    trj_output_remove_on_signals();
    // A signal ends the process: the temporary file is removed, the old file remains, and the wait status gives the
    // signal.
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        int status, ready[2];
        if (pipe(ready)) abort();
        fflush(NULL);
        pid_t child = fork();
        if (!child) {
            signal(numbers[i], SIG_DFL); // nohup, or a shell that starts this in the background, may ignore the signal
            must(trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err));
            must(trj_output_print(out, &err, "half"));
            if (write(ready[1], "x", 1) != 1) abort();
            for (;;) pause();
        }
        char c;
        if (read(ready[0], &c, 1) != 1) abort();
        bool there = entries() == 2;
        kill(child, numbers[i]);
        waitpid(child, &status, 0);
        close(ready[0]);
        close(ready[1]);
        ok(there && WIFSIGNALED(status) && WTERMSIG(status) == numbers[i] && entries() == 1 &&
               file_is(path, want, 2008),
           "ended by signal %d", numbers[i]);
    }
}

// ---- threads

enum { ITEMS = 2000, TASKS = 5, STEPS = 4 };

// Tasks of STEPS - 1 steps with different numbers of items.
struct pool_calls {
    struct {
        atomic_uint inside;      // calls of do_item in progress
        unsigned step;           // current step; 0: not running
        size_t items;            // of this step
        atomic_uint done[ITEMS]; // number of calls for each item
        unsigned rounds;         // times that the task was completed
    } tasks[TASKS];
    unsigned threads;
    atomic_uint errors;
    unsigned active[64]; // [worker] calls in progress, at most one
};

static size_t items_of(unsigned task, unsigned step, unsigned round) {
    static const size_t sizes[] = {ITEMS, 1, 3, 100, 2, 17};
    return sizes[(task + step + round) % 6];
}

static void enter(struct pool_calls *t, unsigned worker) {
    if (worker >= t->threads || t->active[worker]++) t->errors++;
}

static size_t next_step(void *arg, unsigned worker, unsigned task) {
    struct pool_calls *t = arg;
    enter(t, worker);
    if (t->tasks[task].inside) t->errors++;
    for (size_t i = 0; i < ITEMS; i++)
        if (t->tasks[task].done[i] != (i < t->tasks[task].items)) t->errors++;
    memset(t->tasks[task].done, 0, sizeof t->tasks[task].done);
    t->tasks[task].step = (t->tasks[task].step + 1) % STEPS;
    t->tasks[task].items = t->tasks[task].step ? items_of(task, t->tasks[task].step, t->tasks[task].rounds) : 0;
    if (!t->tasks[task].step) t->tasks[task].rounds++;
    t->active[worker]--;
    return t->tasks[task].items;
}

static void do_item(void *arg, unsigned worker, unsigned task, size_t item) {
    struct pool_calls *t = arg;
    enter(t, worker);
    t->tasks[task].inside++;
    if (item >= t->tasks[task].items)
        t->errors++;
    else
        t->tasks[task].done[item]++;
    t->tasks[task].inside--;
    t->active[worker]--;
}

static void check_pool(void) {
    static struct pool_calls t;
    const struct trj_pool_work work = {next_step, do_item};
    for (unsigned threads = 0; threads <= 9; threads += threads ? 4 : 1)
        for (unsigned tasks = 1; tasks <= TASKS; tasks += 2) {
            enum { ROUNDS = 60 };
            struct trj_pool *pool;
            memset(&t, 0, sizeof t);
            must(trj_pool_open(&pool, threads, tasks, &work, &t, &err));
            t.threads = trj_pool_threads(pool);
            bool good = t.threads == trj_pool_size(threads) && (!threads || t.threads == threads);
            unsigned rounds = 0;
            for (unsigned i = 0; i < ROUNDS; i++) {
                unsigned task = trj_pool_free_task(pool);
                good &= task < tasks && !t.tasks[task].step;
                trj_pool_start(pool, task);
                if (i % 20 == 19) trj_pool_finish(pool);
            }
            trj_pool_finish(pool);
            for (unsigned task = 0; task < tasks; task++) {
                rounds += t.tasks[task].rounds;
                good &= !t.tasks[task].step;
            }
            // The pool is closed while a task is running.
            trj_pool_start(pool, trj_pool_free_task(pool));
            trj_pool_close(pool);
            ok(good && rounds == ROUNDS && !t.errors,
               "%u threads, %u tasks: each item is processed once, one step after the other", threads, tasks);
        }
    trj_pool_close(NULL);
}

// "NAME|FILE|PART" of an option's argument, and the file that trj_file_argument_path returns.
static void check_file_argument(const char *text, const char *parts, const char *file) {
    char found[100] = "";
    struct trj_file_argument f;
    char *of_option = NULL, *plain = NULL, *other = NULL;
    if (trj_file_argument_parse(&f, text))
        snprintf(found, sizeof found, "%.*s|%.*s|%s", (int)f.name_length, f.name ? f.name : "", (int)f.path_length,
                 f.path, f.part);
    must(trj_file_argument_path(&of_option, "NAME=SELECTION", text, &err));
    must(trj_file_argument_path(&plain, "FILE", text, &err));
    must(trj_file_argument_path(&other, "A:B", text, &err));
    ok(!strcmp(found, parts) && (file ? of_option && !strcmp(of_option, file) : !of_option) && !strcmp(plain, text) &&
           !other,
       "%s: %s", text, file ? file : "no file");
    free(of_option);
    free(plain);
}

// The file of `rdfhist -x` and of `rdfnorm --edges`.
static void check_kind_file(const char *kind, const char *text, const char *file) {
    char *found = NULL;
    must(trj_file_argument_path(&found, kind, text, &err));
    ok(file ? found && !strcmp(found, file) : !found, "%s %s: %s", kind, text, file ? file : "no file");
    free(found);
}

static void check_file_arguments(void) {
    check_kind_file("PAIRS", "pairs:a.txt", "a.txt");
    check_kind_file("PAIRS", "pairs:@a:b=c", "@a:b=c");
    check_kind_file("PAIRS", "pairs", NULL);
    check_kind_file("PAIRS", "residue", NULL);
    check_kind_file("PAIRS", "bonds:3", NULL);
    check_kind_file("EDGES", "log:20", NULL);
    check_kind_file("EDGES", "bins.txt", "bins.txt");
    check_file_argument("@a.ndx", "|a.ndx|", "a.ndx");
    check_file_argument("@a.ndx:Protein", "|a.ndx|Protein", "a.ndx");
    check_file_argument("P=@a/b.ndx:Protein_A=B", "P|a/b.ndx|Protein_A=B", "a/b.ndx");
    check_file_argument("P= @a:b.ndx:", "P|a:b.ndx|", "a:b.ndx");
    check_file_argument("@a=b.ndx", "|a=b.ndx|", "a=b.ndx");
    check_file_argument("@", "||", "");
    check_file_argument("P=name @a", "", NULL);
    check_file_argument("P=resid 5", "", NULL);
    check_file_argument("a.ndx", "", NULL);
    check_file_argument("", "", NULL);
}

static void check_tame(void) {
    static const char *const texts[][2] = {
        {"plain", "plain"},
        {"\033[31m\a\r\v\t\n\177", "?[31m??????"},
        {"\xc3\x85 \xe2\x82\xac \xf0\x9d\x84\x9e", "\xc3\x85 \xe2\x82\xac \xf0\x9d\x84\x9e"},
        {"\xc2\x9b"
         "31m\xc2\x85",
         "?31m?"},
        {"\x9b"
         "31m \xe5",
         "?31m ?"},
        {"\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82", "?? ??? ???? ??"},
        {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "??\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", texts[i][0]);
        trj_replace_control_chars(text);
        ok(!strcmp(text, texts[i][1]), "text %zu without control characters and invalid bytes", i);
    }
}

static struct trj_input *open_file(void) {
    struct trj_input *in = NULL;
    FILE *f = fopen(path, "w");
    if (!f || fwrite(data, 1, SIZE, f) != SIZE || fclose(f) || trj_input_open(&in, path, &err)) abort();
    return in;
}

static bool fails_shorter(int rc) {
    return rc == -1 && err.status == TRJ_BAD_DATA && !err.truncated &&
           has_text(err.text, "the file became shorter while it was read: it had 700001 bytes, now it has ");
}

// A file is truncated after its first bytes were peeked at: bytes that were read stay valid, and nothing else is
// reported as read, skipped or ended.
static void check_shrinking(void) {
    enum { LEFT = 1000, PEEKED = 100 };
    const unsigned char *head;
    char *line;
    size_t got = 0, length;
    struct trj_input *in = open_file();
    bool good = !trj_input_peek(in, &head, PEEKED, &got, &err) && got == PEEKED && !truncate(path, LEFT);
    ok(good && fails_shorter(trj_input_check_left(in, SIZE, "x", &err)),
       "file that became shorter: trj_input_check_left fails: %s", err.text);
    ok(fails_shorter(trj_input_skip(in, SIZE - 1, "x", &err)),
       "file that became shorter: a skip after its end fails: %s", err.text);
    ok(fails_shorter(trj_input_check_size(in, &err)), "file that became shorter: trj_input_check_size fails");
    ok(!trj_input_read(in, got_data, 2 * LEFT, "x", &err) && !memcmp(got_data, data, 2 * LEFT),
       "file that became shorter: buffered bytes are returned");
    ok(fails_shorter(trj_input_read(in, got_data, SIZE - 2 * LEFT, "x", &err)),
       "file that became shorter: other bytes are an error: %s", err.text);
    trj_input_close(in);

    in = open_file();
    good = !trj_input_read(in, got_data, SIZE / 2, "x", &err) && !trj_input_seek(in, SIZE / 2, &err) &&
           !truncate(path, SIZE / 2);
    ok(good && fails_shorter(trj_input_read_some(in, got_data, 1, &got, &err)),
       "truncated at the offset of the next read: an error, not the end: %s", err.text);
    trj_input_close(in);

    // The time of the change is set, because clocks can be coarser than this test is fast.
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000000000}};
    in = open_file();
    good = !trj_input_read(in, got_data, SIZE / 2, "x", &err) && !truncate(path, 0) && !truncate(path, SIZE) &&
           !utimensat(AT_FDCWD, path, times, 0) && trj_input_read_some(in, got_data, SIZE, &got, &err) == -1;
    ok(good && err.status == TRJ_BAD_DATA && has_text(err.text, "was changed while it was read"),
       "a file that was written again with the same size: an error: %s", err.text);
    trj_input_close(in);

    in = open_file();
    FILE *f = fopen(path, "a");
    good = f && !trj_input_read(in, got_data, SIZE / 2, "x", &err) && fwrite(data, 1, 10, f) == 10 && !fclose(f) &&
           !trj_input_read_some(in, got_data, SIZE, &got, &err) && got == SIZE - SIZE / 2 + 10;
    ok(good, "a file that grows while it is read: read as far as it goes");
    trj_input_close(in);

    in = open_file();
    good = !trj_input_skip(in, SIZE - 10, "x", &err) && !truncate(path, LEFT);
    ok(good && fails_shorter(trj_input_peek(in, &head, 5, &got, &err)), "truncated after a skip: %s", err.text);
    trj_input_close(in);

    in = open_file();
    good = !truncate(path, 0);
    while ((got = (size_t)trj_input_line(in, &line, &length, &err)) == 1) {}
    ok(good && fails_shorter((int)got), "truncated while lines are read: %s", err.text);
    trj_input_close(in);

    in = open_file();
    good = !truncate(path, SIZE + 10) && !trj_input_skip(in, SIZE, "x", &err) &&
           !trj_input_read(in, got_data, 10, "x", &err) && !truncate(path, SIZE + 5);
    ok(good && trj_input_skip(in, 1, "x", &err) == -1 && has_text(err.text, "it had 700011 bytes, now it has 700006"),
       "grown, then truncated: %s", err.text);
    trj_input_close(in);

    in = open_file();
    ok(trj_input_check_left(in, SIZE + 1, "a thing", &err) == -1 && err.truncated &&
           !strcmp(err.text, "byte 700001: truncated in a thing: expected 700002 bytes, found 700001") &&
           !trj_input_check_left(in, SIZE, "a thing", &err),
       "trj_input_check_left: file with too few bytes: %s", err.text);
    trj_input_close(in);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0); // a child process must not print buffered lines again
    if (!mkdtemp(folder)) abort();
    snprintf(path, sizeof path, "%s/file", folder);
    check_bytes();
    check_tame();
    check_numbers();
    check_scanning();
    check_locale();
    check_columns();
    check_word_edges();
    check_sums();
    check_memory();
    check_input();
    check_shrinking();
    check_output();
    check_pool();
    check_file_arguments();
    unlink(path);
    ok(rmdir(folder) == 0, "the folder is empty at the end");
    return done();
}
