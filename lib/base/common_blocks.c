// SPDX-License-Identifier: MIT
// Writes provenance and sources for all kinds of streams, so that their limits are in one place.
#include "common_blocks.h"

#include "bytes.h"

int trj_block_write_limited(struct trj_block_writer *w, const char type[4], bool required,
                            const struct trj_bytes *payload, uint64_t max_size, struct trj_error *err) {
    return trj_block_check_size(type, payload->size, max_size, err) || trj_block_write(w, type, required, payload, err)
               ? -1
               : 0;
}

int trj_block_write_provenance(struct trj_block_writer *w, char *const *lines, size_t count, struct trj_error *err) {
    struct trj_bytes b = {0};
    trj_put_u32(&b, (uint32_t)count);
    for (size_t i = 0; i < count; i++) trj_put_text(&b, lines[i]);
    int rc = trj_block_write_limited(w, "PROV", false, &b, TRJ_PROVENANCE_MAX, err);
    trj_bytes_free(&b);
    return rc;
}

int trj_block_write_source(struct trj_block_writer *w, const char *name, uint64_t fingerprint, struct trj_error *err) {
    struct trj_bytes b = {0};
    trj_put_text(&b, name);
    trj_put_u64(&b, fingerprint);
    int rc = trj_block_write_limited(w, "SRCE", true, &b, TRJ_SOURCE_MAX, err);
    trj_bytes_free(&b);
    return rc;
}
