// SPDX-License-Identifier: MIT
// Definitions shared by the reader and the writer of histogram streams.
#ifndef RDF_HIST_PARTS_H
#define RDF_HIST_PARTS_H

#include <stdbool.h>

#include "block_stream.h"
#include "bytes.h"
#include "error.h"
#include "hist_setup.h"

// The blocks of the set-up, in their order. The first block is always present, the others only if they have content.
struct rdf_setup_block {
    char type[5];
    bool required;
    bool (*present)(const struct rdf_setup *s); // NULL: always
    void (*put)(struct trj_bytes *b, const struct rdf_setup *s);
    // Reads the block into a set-up that contains the previous blocks and is zero otherwise. Fails with TRJ_BAD_DATA;
    // rdf_setup_free then frees the set-up.
    int (*get)(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err);
    uint64_t (*max)(const struct rdf_setup *s); // maximum unpacked payload; `s` as for get
};
enum { RDF_SETUP_BLOCKS = 14 };
extern const struct rdf_setup_block rdf_setup_blocks[RDF_SETUP_BLOCKS];

// Returns the maximum unpacked payload of a record, in bytes, for a stream with this set-up and number of pairs of
// groups.
uint64_t rdf_hist_max_of_record(const struct rdf_setup *s, size_t pairs);

#endif
