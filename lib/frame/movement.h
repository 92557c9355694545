// SPDX-License-Identifier: MIT
// Records how the atoms of a stream were moved: molecules were made whole, unwrapped, centred or superposed (block MOVE
// of schemas/frame_stream.md). The coordinates then differ from those of the sources.
#ifndef TRJ_MOVEMENT_H
#define TRJ_MOVEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

struct trj_stream_header;

// The values are those stored in the stream.
enum trj_movement_kind {
    TRJ_MOVED_WHOLE = 1,
    TRJ_MOVED_CENTRE = 2,
    TRJ_MOVED_FIT = 3,
    TRJ_UNWRAPPED_TOROIDAL = 4,
    TRJ_UNWRAPPED_FRACTION = 5,
    TRJ_UNWRAPPED_FLAGS = 6,
};

enum { TRJ_MOVEMENTS_MAX = 64 }; // in a stream

struct trj_movement {
    enum trj_movement_kind kind;
    uint64_t atoms;       // that the selection contains; 0 for TRJ_MOVED_WHOLE and unwrapped positions
    char *selection;      // "" for TRJ_MOVED_WHOLE; "molecules" or "atoms", the units that were unwrapped
    char *reference;      // for TRJ_MOVED_FIT: the file with the reference coordinates; for TRJ_UNWRAPPED_FRACTION and
                          // TRJ_UNWRAPPED_FLAGS: the mean cell, nine numbers in Å; otherwise ""
    uint64_t fingerprint; // of that file
    uint64_t frame;       // number of the reference frame in it, from 0
};

// Appends a copy of *movement to the header, with copies of `selection` and `reference` as its texts; those of
// *movement are ignored. Returns 0 or -1; fails with TRJ_BAD_DATA if there are TRJ_MOVEMENTS_MAX already.
int trj_movement_add(struct trj_stream_header *h, const struct trj_movement *movement, const char *selection,
                     const char *reference, struct trj_error *err);
void trj_movement_free(struct trj_movement *movement); // frees the texts, not the struct
// Returns whether the coordinates were moved in this way.
bool trj_movement_find(const struct trj_stream_header *h, enum trj_movement_kind kind);
// Returns whether the positions were unwrapped: images in the cell of the frame are then not those of the simulation,
// so that no minimum-image distance may be computed.
bool trj_movement_unwraps(const struct trj_stream_header *h);
// Returns whether two lists contain the same movements in the same order. References are compared by fingerprint and
// frame, not by name.
bool trj_movements_equal(const struct trj_movement *a, size_t count_of_a, const struct trj_movement *b,
                         size_t count_of_b);
// Returns "whole", "centre", "fit" or "unwrap".
const char *trj_movement_name(enum trj_movement_kind kind);
// Returns "toroidal", "fraction" or "flags", as in --unwrap; NULL for other kinds.
const char *trj_movement_way(enum trj_movement_kind kind);

// Appends the payload of the block MOVE.
void trj_movements_put(struct trj_bytes *b, const struct trj_stream_header *h);

#endif
