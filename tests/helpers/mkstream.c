// SPDX-License-Identifier: MIT
// Writes a stream of arbitrary blocks to standard output, with correct checksums: `mkstream KIND [BLOCK]...`. KIND is
// frame or histogram. A BLOCK is one argument: a type of four letters, the flags (r: required, z: compressed, -: none),
// and the fields of the payload, separated by blanks:
//   u4:N u8:N f8:X   numbers
//   t:WORD           a text
//   n:C*N            N times the character C, where 0 is a NUL; compressed without being held in memory
// It does not use the writers of the library, because they reject some of these blocks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "block_stream.h"
#include "bytes.h"
#include "hash.h"

static void fail(const char *what, const char *text) {
    fprintf(stderr, "mkstream: %s: %s\n", what, text);
    exit(1);
}

struct payload {
    bool compressed;
    ZSTD_CCtx *zstd;
    uint64_t raw;
    struct trj_bytes stored;
};

// Adds n bytes to the payload; `last` marks its last bytes.
static void add(struct payload *p, const void *data, size_t n, bool last) {
    static unsigned char capacity[1 << 17];
    ZSTD_inBuffer in = {data, n, 0};
    size_t left = 1;
    p->raw += n;
    if (!p->compressed) trj_put_raw(&p->stored, data, n);
    while (p->compressed && (last ? left > 0 : in.pos < n)) {
        ZSTD_outBuffer out = {capacity, sizeof capacity, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) fail("zstd", ZSTD_getErrorName(left));
        trj_put_raw(&p->stored, capacity, out.pos);
    }
}

static void add_many(struct payload *p, const char *field) {
    static unsigned char chunk[1 << 20];
    char *end;
    if (!field[0] || field[1] != '*') fail("not C*N", field);
    uint64_t n = strtoull(field + 2, &end, 10);
    memset(chunk, *field == '0' ? 0 : *field, sizeof chunk);
    for (; n > sizeof chunk; n -= sizeof chunk) add(p, chunk, sizeof chunk, false);
    add(p, chunk, n, false);
}

static void add_field(struct payload *p, const char *field) {
    struct trj_bytes b = {0};
    const char *value = strchr(field, ':');
    if (!value++) fail("no field", field);
    if (!strncmp(field, "u4:", 3))
        trj_put_u32(&b, (uint32_t)strtoul(value, NULL, 10));
    else if (!strncmp(field, "u8:", 3))
        trj_put_u64(&b, strtoull(value, NULL, 10));
    else if (!strncmp(field, "f8:", 3))
        trj_put_f64(&b, strtod(value, NULL));
    else if (!strncmp(field, "t:", 2))
        trj_put_text(&b, value);
    else if (!strncmp(field, "n:", 2))
        add_many(p, value);
    else
        fail("no field", field);
    add(p, b.data, b.size, false);
    trj_bytes_free(&b);
}

static void put(const struct trj_bytes *b) {
    if (b->failed || fwrite(b->data, 1, b->size, stdout) != b->size) fail("stdout", "cannot be written");
}

static void put_block(char *text, uint64_t number) {
    struct payload p = {.zstd = ZSTD_createCCtx()};
    struct trj_bytes head = {0};
    char *save, *type = strtok_r(text, " ", &save), *flags = strtok_r(NULL, " ", &save), *field;
    if (!p.zstd || !type || strlen(type) != 4 || !flags) fail("no block", text);
    p.compressed = strchr(flags, 'z');
    while ((field = strtok_r(NULL, " ", &save))) add_field(&p, field);
    add(&p, "", 0, true);
    trj_put_raw(&head, type, 4);
    trj_put_u32(&head, (strchr(flags, 'r') ? TRJ_BLOCK_REQUIRED : 0) | (p.compressed ? TRJ_BLOCK_ZSTD : 0));
    trj_put_u64(&head, p.stored.size);
    trj_put_u64(&head, p.raw);
    trj_put_u64(&head, trj_hash(p.stored.data, p.stored.size, 0));
    trj_put_u64(&head, trj_hash(head.data, head.size, number));
    put(&head);
    put(&p.stored);
    trj_bytes_free(&head);
    trj_bytes_free(&p.stored);
    ZSTD_freeCCtx(p.zstd);
}

int main(int argc, char **argv) {
    struct trj_bytes head = {0};
    if (argc < 2) fail("usage", "mkstream KIND [BLOCK]...");
    trj_put_raw(&head, strcmp(argv[1], "frame") ? "\x89RDH\r\n\x1a\n" : "\x89TRJ\r\n\x1a\n", 8);
    trj_put_u32(&head, 1);
    trj_put_u32(&head, 0);
    trj_put_u64(&head, trj_hash(head.data, head.size, 0));
    put(&head);
    trj_bytes_free(&head);
    for (int i = 2; i < argc; i++) put_block(argv[i], (uint64_t)i - 2);
    return fflush(stdout) ? 1 : 0;
}
