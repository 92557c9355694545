// SPDX-License-Identifier: MIT
// What writing and reading histogram streams share.
#ifndef RDF_HIST_PARTS_H
#define RDF_HIST_PARTS_H

#include <stdbool.h>

#include "block_stream.h"
#include "bytes.h"
#include "error.h"
#include "hist_setup.h"

// The blocks that tell the set-up, in their order; all but the first are there where they have something to tell.
struct rdf_setup_block {
    char type[5];
    bool required;
    bool (*told)(const struct rdf_setup *s); // NULL: always
    void (*put)(struct trj_bytes *b, const struct rdf_setup *s);
    // Into a zeroed set-up, behind the blocks before. TRJ_BAD_DATA; what was read up to there is rdf_setup_free's.
    int (*get)(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err);
    uint64_t (*most)(const struct rdf_setup *s); // maximum unpacked payload; `s` as for get
};
enum { RDF_SETUP_BLOCKS = 6 };
extern const struct rdf_setup_block rdf_setup_blocks[RDF_SETUP_BLOCKS];

// Returns the maximum unpacked payload of a record, in bytes, for a stream with this set-up and number of pairs of
// groups.
uint64_t rdf_hist_most_of_record(const struct rdf_setup *s, size_t pairs);

#endif
