// SPDX-License-Identifier: MIT
// From `-g NAME=SELECTION` to the header of a frame stream: which atoms travel, and each group's places among them.
#ifndef TRJ_GROUPING_H
#define TRJ_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "topology.h"

// Fills atoms, groups and, where known, residue and molecule of a zeroed header for a trajectory of `atoms` atoms, and *travel with the
// header's atoms as places in the trajectory, ascending (the caller frees). Without groups (count 0) there is one, `all`. `top` may be
// NULL. `from` is the header of the stream the trajectory was read from, which may know residues and molecules; or NULL.
int trj_grouping_make(struct trj_stream_header *h, uint32_t **travel, size_t atoms, const char *const *groups,
                      size_t count, const struct trj_topology *top, const struct trj_stream_header *from,
                      struct trj_error *err);

// Copies atoms, groups, residues and molecules of a header into a zeroed one.
int trj_grouping_copy(struct trj_stream_header *h, const struct trj_stream_header *from, struct trj_error *err);

// Whether frames of both can travel in one stream: the same groups of the same atoms. TRJ_BAD_DATA tells the difference.
int trj_grouping_compare(const struct trj_stream_header *a, const struct trj_stream_header *b, struct trj_error *err);

#endif
