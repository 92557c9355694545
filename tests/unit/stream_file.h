// SPDX-License-Identifier: MIT
// Helpers for tests of streams: the stream under test as a file and in memory, divided into its blocks. A test may
// define STREAM_FILE, the template of the file name for mkstemp().
#ifndef STREAM_FILE_H
#define STREAM_FILE_H

#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "tap.h"

#ifndef STREAM_FILE
#define STREAM_FILE "/tmp/test_stream.XXXXXX"
#endif

enum { MAX_BYTES = 1 << 23, MAX_BLOCKS = 512 };

static struct trj_error err;
static char path[] = STREAM_FILE;
__attribute__((unused)) static unsigned char made[MAX_BYTES], changed[MAX_BYTES]; // as written; as changed by a test
static size_t made_size, border[MAX_BLOCKS + 1], blocks;                          // border[blocks] is the end

// Aborts if a step that the test requires fails.
__attribute__((unused)) static void must(int rc) {
    if (!rc) return;
    printf("# %s\n", err.text);
    abort();
}

__attribute__((unused)) static void save(const unsigned char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

// Reads the file into made[], and sets border[] to the starts of its blocks.
__attribute__((unused)) static void load(void) {
    FILE *f = fopen(path, "rb");
    if (!f) abort();
    made_size = fread(made, 1, sizeof made, f);
    fclose(f);
    blocks = 0;
    for (size_t at = TRJ_STREAM_HEADER; at < made_size;) {
        uint64_t stored = 0;
        for (int i = 8; i--;) stored = stored << 8 | made[at + 8 + (size_t)i];
        border[blocks++] = at;
        at += TRJ_BLOCK_HEADER + stored;
        border[blocks] = at;
    }
}

#endif
