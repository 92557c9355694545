// SPDX-License-Identifier: MIT
// Codes and decodes values of many distributions, and decodes damaged bytes.
#include <stdint.h>

#include "entropy.h"
#include "tap.h"

static uint64_t state = 1;

static uint64_t dice(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

// Appends n values, which are coded in parts of `part`.
static bool encode(struct trj_bytes *out, const uint32_t *values, size_t n, const uint16_t *context, unsigned contexts,
                   size_t part) {
    struct trj_error err;
    struct trj_codec_encoder e;
    uint32_t(*counts)[TRJ_CODEC_SYMBOLS] = calloc(contexts, sizeof *counts);
    if (!counts) abort();
    trj_codec_entropy_count(values, n, context, counts);
    bool good = !trj_codec_encoder_open(&e, out, n, counts, contexts, &err);
    for (size_t end = n, first; good && end; end = first) {
        first = end < part ? 0 : end - part;
        trj_codec_encoder_put(&e, values + first, end - first, context + first);
    }
    good = good && !trj_codec_encoder_close(&e, out, &err);
    free(counts);
    return good;
}

// Codes n values and decodes them in parts of `part`. The context of value i is context[i % period]. Returns the number
// of bytes, or 0 if the values differ.
static size_t coded(const uint32_t *values, size_t n, const uint16_t *context, size_t period, unsigned contexts,
                    size_t part) {
    struct trj_error err;
    struct trj_bytes out = {0};
    uint32_t *back = malloc((n + 1) * sizeof *back);
    uint16_t *contexts_of_values = malloc((n + 1) * sizeof *contexts_of_values);
    if (!back || !contexts_of_values) abort();
    for (size_t i = 0; i < n; i++) contexts_of_values[i] = context[i % period];
    trj_put_u32(&out, 7);
    bool good = encode(&out, values, n, contexts_of_values, contexts, part / 2 + 1);
    trj_put_u32(&out, 9);
    struct trj_cursor from = {.data = out.data, .size = out.size};
    struct trj_codec_entropy d;
    good = good && trj_get_u32(&from) == 7 && !trj_codec_entropy_open(&d, &from, contexts, &err);
    if (good) {
        for (size_t i = 0; i < n; i += part)
            trj_codec_entropy_read(&d, back + i, n - i < part ? n - i : part, contexts_of_values + i);
        good = !trj_codec_entropy_finish(&d, &err) && trj_get_u32(&from) == 9 && !trj_cursor_left(&from) &&
               (!n || !memcmp(values, back, n * sizeof *values));
        trj_codec_entropy_close(&d);
    }
    size_t bytes = good ? out.size : 0;
    trj_bytes_free(&out);
    free(back);
    free(contexts_of_values);
    return bytes;
}

static void check_symbols(void) {
    bool good = true;
    unsigned last = 0;
    for (uint64_t v = 0; v <= UINT32_MAX; v += 1 + v / 5000) {
        unsigned s = trj_codec_symbol((uint32_t)v);
        good = good && s < TRJ_CODEC_SYMBOLS && s >= last && s - last <= 1;
        last = s;
    }
    good = good && trj_codec_symbol(UINT32_MAX) == TRJ_CODEC_SYMBOLS - 1;
    ok(good, "symbols increase with the value, from 0 to 239");
    const int32_t edges[] = {0, 1, -1, 2, -2, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        good = good && trj_codec_unfold(trj_codec_fold(edges[i])) == edges[i];
    ok(good && trj_codec_fold(-1) == 1 && trj_codec_fold(1) == 2, "numbers of either sign become small numbers");
}

static void check_distributions(void) {
    enum { N = 30011 };
    static uint32_t values[N];
    static uint16_t context[N];
    bool good = true;
    for (unsigned kind = 0; kind < 40; kind++) {
        for (size_t i = 0; i < N; i++) {
            uint64_t r = dice() >> 16;
            values[i] = (uint32_t)(kind < 33    ? r & (((uint64_t)1 << kind) - 1)
                                   : kind == 33 ? UINT32_MAX
                                   : kind == 34 ? 7u
                                   : kind == 35 ? (r & 1023 ? 0u : 123456789u)
                                   : kind == 36 ? (uint32_t)r >> (r >> 32 & 31)
                                                : (uint32_t)__builtin_ctzll(r | 1ull << 40));
            context[i] = (uint16_t)(dice() >> 40 & 3);
        }
        for (size_t n = 0; n < 8; n++) good = good && coded(values, n, context, 1, 4, 3);
        good = good && coded(values, N, context, N, 4, 999) && coded(values, N, context, 5, 4, N);
    }
    ok(good, "values of many distributions, in one and in four contexts: decoded values are equal");

    for (size_t i = 0; i < N; i++) values[i] = (uint32_t)__builtin_ctzll(dice() >> 16 | 1ull << 40);
    size_t bytes = coded(values, N, (uint16_t[]){0}, 1, 1, 3000);
    ok(bytes > N / 4 && bytes < N / 4 * 1.01, "2 bits of entropy a value: %zu bytes for %d values", bytes, N);
    for (size_t i = 0; i < N; i++) values[i] = i % 2 ? 1000000 : 3;
    bytes = coded(values, N, (uint16_t[]){1, 0}, 2, 2, 3000);
    ok(bytes > N && bytes < N + 100, "a context of equal values costs their low bits: %zu bytes", bytes);
}

// Any bytes may give any values, but no access outside of the arrays and no endless loop.
static void check_damage(void) {
    enum { N = 3000, CONTEXTS = 3 };
    static uint32_t values[N], back[N];
    static uint16_t context[N];
    struct trj_error err;
    struct trj_bytes out = {0};
    for (size_t i = 0; i < N; i++) {
        values[i] = (uint32_t)(dice() >> 16) >> (dice() >> 40 & 31);
        context[i] = (uint16_t)(i % CONTEXTS);
    }
    ok(encode(&out, values, N, context, CONTEXTS, N), "values to be damaged are coded");
    size_t changed = 0, reported = 0;
    for (unsigned round = 0; round < 6000; round++) {
        size_t size = round % 3 ? out.size : dice() % out.size;
        unsigned char *damaged = malloc(size + !size); // of the exact size, so that sanitizers detect reading too far
        if (!damaged) abort();
        memcpy(damaged, out.data, size);
        if (round % 3 && size) damaged[dice() % (round % 2 ? size : 400)] ^= (unsigned char)(1u << dice() % 8);
        struct trj_cursor from = {.data = damaged, .size = size};
        struct trj_codec_entropy d;
        bool refused = trj_codec_entropy_open(&d, &from, CONTEXTS, &err);
        if (!refused) {
            trj_codec_entropy_read(&d, back, N, context);
            refused = trj_codec_entropy_finish(&d, &err);
            trj_codec_entropy_close(&d);
        }
        reported += refused;
        changed += refused || memcmp(values, back, sizeof back);
        free(damaged);
    }
    ok(changed > 5900 && reported > 3000, "damaged bytes: %zu of 6000 are reported, %zu change values", reported,
       changed);
    trj_bytes_free(&out);
}

int main(void) {
    check_symbols();
    check_distributions();
    check_damage();
    return done();
}
