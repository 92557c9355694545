// SPDX-License-Identifier: MIT
// Encodes and decodes numbers explicitly as little-endian, so that streams have the same bytes on every machine.
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "memory.h"
#include "pipe_memory.h"

enum { FIRST_PAGES = 1 << 19 }; // bytes that are first allocated in pages

void trj_bytes_free(struct trj_bytes *b) {
    if (b->pages)
        trj_pipe_free(b->data);
    else
        free(b->data);
    *b = (struct trj_bytes){.pages = b->pages};
}

static unsigned char *reallocate(struct trj_bytes *b, size_t *capacity) {
    if (!b->pages) return realloc(b->data, *capacity);
    if (*capacity < FIRST_PAGES) *capacity = FIRST_PAGES;
    unsigned char *p = trj_pipe_alloc(*capacity);
    if (p && b->size) memcpy(p, b->data, b->size);
    if (p) trj_pipe_free(b->data);
    return p;
}

static unsigned char *grow(struct trj_bytes *b, size_t n) {
    if (b->failed || n > SIZE_MAX / 2 - b->size) {
        b->failed = true;
        return NULL;
    }
    if (b->size + n > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 256;
        while (capacity < b->size + n) capacity *= 2;
        unsigned char *p = reallocate(b, &capacity);
        if (!p) {
            b->failed = true;
            return NULL;
        }
        b->data = p;
        b->capacity = capacity;
    }
    unsigned char *end = b->data + b->size;
    b->size += n;
    return end;
}

// Reverses the bytes of n elements on a big-endian host.
static void swap_bytes(unsigned char *p, size_t n, size_t size) {
    if (trj_host_is_little_endian()) return;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char c = p[i * size + k];
            p[i * size + k] = p[i * size + size - 1 - k];
            p[i * size + size - 1 - k] = c;
        }
}

static void put(struct trj_bytes *b, const void *v, size_t n, size_t size) {
    if (!n) return; // v may be NULL, and so may b->data
    unsigned char *p = n > SIZE_MAX / size ? grow(b, SIZE_MAX) : grow(b, n * size);
    if (!p) return;
    memcpy(p, v, n * size);
    swap_bytes(p, n, size);
}

void trj_put_raw(struct trj_bytes *b, const void *data, size_t n) {
    put(b, data, n, 1);
}

void trj_put_u32(struct trj_bytes *b, uint32_t v) {
    put(b, &v, 1, sizeof v);
}

void trj_put_u64(struct trj_bytes *b, uint64_t v) {
    put(b, &v, 1, sizeof v);
}

void trj_put_i64(struct trj_bytes *b, int64_t v) {
    put(b, &v, 1, sizeof v);
}

void trj_put_f64(struct trj_bytes *b, double v) {
    put(b, &v, 1, sizeof v);
}

// Texts become part of one-line messages and of comments in tables, so that a file name must not contain a newline.
static bool is_control(char c) {
    return (unsigned char)c < 0x20 || c == 0x7f;
}

void trj_put_text(struct trj_bytes *b, const char *text) {
    size_t n = strlen(text);
    if (n > UINT32_MAX) {
        b->failed = true;
        return;
    }
    trj_put_u32(b, (uint32_t)n);
    for (size_t i = 0; i < n; i++) put(b, is_control(text[i]) ? " " : &text[i], 1, 1);
}

void trj_put_u32s(struct trj_bytes *b, const uint32_t *v, size_t n) {
    put(b, v, n, sizeof *v);
}

void trj_put_u64s(struct trj_bytes *b, const uint64_t *v, size_t n) {
    put(b, v, n, sizeof *v);
}

void trj_put_f32s(struct trj_bytes *b, const float *v, size_t n) {
    put(b, v, n, sizeof *v);
}

size_t trj_cursor_left(const struct trj_cursor *c) {
    return c->failed ? 0 : c->size - c->offset;
}

static void get(struct trj_cursor *c, void *v, size_t n, size_t size) {
    if (n > trj_cursor_left(c) / size) {
        c->failed = true;
        memset(v, 0, n <= SIZE_MAX / size ? n * size : 0);
        return;
    }
    if (!n) return;
    memcpy(v, c->data + c->offset, n * size);
    c->offset += n * size;
    swap_bytes(v, n, size);
}

uint32_t trj_get_u32(struct trj_cursor *c) {
    uint32_t v;
    get(c, &v, 1, sizeof v);
    return v;
}

uint64_t trj_get_u64(struct trj_cursor *c) {
    uint64_t v;
    get(c, &v, 1, sizeof v);
    return v;
}

int64_t trj_get_i64(struct trj_cursor *c) {
    int64_t v;
    get(c, &v, 1, sizeof v);
    return v;
}

double trj_get_f64(struct trj_cursor *c) {
    double v;
    get(c, &v, 1, sizeof v);
    return v;
}

int trj_get_text(struct trj_cursor *c, char **text, struct trj_error *err) {
    uint32_t n = trj_get_u32(c);
    *text = NULL;
    if (n > trj_cursor_left(c)) c->failed = true;
    for (uint32_t i = 0; !c->failed && i < n; i++) c->failed = is_control((char)c->data[c->offset + i]);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "truncated, or a text in it contains control characters");
    if (!(*text = trj_alloc((size_t)n + 1, 1, "a text", err))) return -1;
    get(c, *text, n, 1);
    return 0;
}

void trj_get_u32s(struct trj_cursor *c, uint32_t *v, size_t n) {
    get(c, v, n, sizeof *v);
}

void trj_get_u64s(struct trj_cursor *c, uint64_t *v, size_t n) {
    get(c, v, n, sizeof *v);
}

void trj_get_f32s(struct trj_cursor *c, float *v, size_t n) {
    get(c, v, n, sizeof *v);
}
