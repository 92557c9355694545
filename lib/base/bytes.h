// SPDX-License-Identifier: MIT
// Encodes and decodes the payloads of stream blocks. Numbers are little-endian on every host.
//
// The put functions append to a `trj_bytes`, which grows. A failed allocation sets `failed`, and later calls have no
// effect, so that one check at the end is enough. The get functions read from a `trj_cursor`, which does not own its
// bytes. Reading past the end gives zeros and sets `failed`.
#ifndef TRJ_BYTES_H
#define TRJ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed; // an allocation failed, and the content is incomplete
    bool pages;  // data is memory of trj_pipe_alloc, or NULL (pipe_memory.h)
};

void trj_bytes_free(struct trj_bytes *b); // frees the data, not the struct, and leaves it empty
void trj_put_raw(struct trj_bytes *b, const void *data, size_t n);
void trj_put_u32(struct trj_bytes *b, uint32_t v);
void trj_put_u64(struct trj_bytes *b, uint64_t v);
void trj_put_i64(struct trj_bytes *b, int64_t v);
void trj_put_f64(struct trj_bytes *b, double v);
// Appends the length as u32, then the bytes without a NUL. Control characters become blanks.
void trj_put_text(struct trj_bytes *b, const char *text);
void trj_put_u32s(struct trj_bytes *b, const uint32_t *v, size_t n);
void trj_put_u64s(struct trj_bytes *b, const uint64_t *v, size_t n);
void trj_put_f32s(struct trj_bytes *b, const float *v, size_t n);

struct trj_cursor {
    const unsigned char *data;
    size_t size, offset;
    bool failed; // a value ends after the last byte
};

uint32_t trj_get_u32(struct trj_cursor *c);
uint64_t trj_get_u64(struct trj_cursor *c);
int64_t trj_get_i64(struct trj_cursor *c);
double trj_get_f64(struct trj_cursor *c);
// Sets *text to a NUL-terminated text, which the caller frees with free(). On error it returns -1 and *text is NULL. If
// c->failed is set, the text is longer than the remaining bytes or contains a control character, and the error is
// TRJ_BAD_DATA. Otherwise there is no memory for the text, and the error is TRJ_FAILED.
int trj_get_text(struct trj_cursor *c, char **text, struct trj_error *err);
void trj_get_u32s(struct trj_cursor *c, uint32_t *v, size_t n);
void trj_get_u64s(struct trj_cursor *c, uint64_t *v, size_t n);
void trj_get_f32s(struct trj_cursor *c, float *v, size_t n);
// Returns the number of bytes that were not read; 0 if `failed` is set.
size_t trj_cursor_left(const struct trj_cursor *c);

#endif
