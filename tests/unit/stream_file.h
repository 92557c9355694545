// SPDX-License-Identifier: MIT
// What the tests of streams share: the stream under test as a file and in memory, cut into its blocks. STREAM_FILE, where it is
// defined before, names the file as mkstemp wants it.
#ifndef STREAM_FILE_H
#define STREAM_FILE_H

#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "tap.h"

#ifndef STREAM_FILE
#define STREAM_FILE "/tmp/test_stream.XXXXXX"
#endif

enum { MOST = 1 << 23, MOST_BLOCKS = 512 };

static struct trj_error err;
static char path[] = STREAM_FILE;
static unsigned char made[MOST], changed[MOST];           // as it was written; as a test makes it worse
static size_t made_size, border[MOST_BLOCKS + 1], blocks; // border[blocks] is the end

// What has to work before anything can be tested.
__attribute__((unused)) static void must(int rc) {
    if (!rc) return;
    printf("# %s\n", err.text);
    abort();
}

__attribute__((unused)) static void save(const unsigned char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

// The file into made[], its blocks' borders into border[].
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
