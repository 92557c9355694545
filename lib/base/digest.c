// SPDX-License-Identifier: MIT
// Computes XXH3-128 of a file, a fast hash that detects accidental changes; provenance needs no protection against
// forgery.
#include "digest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "input.h"
#include "memory.h"

enum { BUFFER = 1 << 20 };

int trj_digest_file(char digest[TRJ_DIGEST_ROOM], const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    uint64_t size;
    size_t got = 0;
    int rc = -1;
    if (trj_input_open_raw(&in, path, err)) return -1;
    void *buffer = trj_alloc(BUFFER, 1, "a file's digest", err);
    XXH3_state_t *state = buffer ? XXH3_createState() : NULL;
    if (!buffer) goto out;
    if (!state) {
        trj_fail_memory(err, sizeof *state, "a file's digest");
        goto out;
    }
    int known = trj_input_find_size(in, &size, err);
    if (known < 0) trj_fail_at(err, "%s", path);
    if (!known) trj_fail(err, TRJ_FAILED, "%s: is not a regular file", path);
    if (known <= 0) goto out;
    XXH3_128bits_reset(state);
    do {
        if ((rc = trj_input_read_some(in, buffer, BUFFER, &got, err))) {
            trj_fail_at(err, "%s", path);
            goto out;
        }
        XXH3_128bits_update(state, buffer, got);
    } while (got == BUFFER);
    XXH128_hash_t h = XXH3_128bits_digest(state);
    snprintf(digest, TRJ_DIGEST_ROOM, "xxh3:%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
out:
    XXH3_freeState(state);
    free(buffer);
    trj_input_close(in);
    return rc;
}
