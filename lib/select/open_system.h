// SPDX-License-Identifier: MIT
// Open systems: trajectories whose number of atoms changes from frame to frame. Groups are evaluated in every frame,
// with the names in that frame, and each becomes a dynamic group of the frame stream.
//
// The atoms of such a stream are places: place i can be a different atom in each frame. In a frame, the atoms that are
// in some group have the first places, in their order in the file; the other places are absent, belong to no group and
// have coordinates 0. The number of places is the largest number of atoms that a frame may have.
#ifndef TRJ_OPEN_SYSTEM_H
#define TRJ_OPEN_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "reader.h"
#include "topology.h"

struct trj_open_system;

// Fills atoms and groups of a zeroed header with `places` places, at least 1. `groups` [count] are texts
// NAME=SELECTION (group_list.h); with count 0, the groups are those of the frame stream `from`, or, if that is NULL,
// one group of all atoms, `all`. `names`: trj_open_system_topology is used. Fails with TRJ_USAGE for groups of files,
// and for more than 1000 groups. The caller keeps the texts and the header, which must outlive the open system.
int trj_open_system_open(struct trj_open_system **s, struct trj_stream_header *h, const char *const *groups,
                         size_t count, size_t places, const struct trj_stream_header *from, bool names,
                         struct trj_error *err);
void trj_open_system_close(struct trj_open_system *s); // NULL is allowed

// Fails with TRJ_BAD_DATA unless a frame stream has the same groups, by name, and at most as many atoms.
int trj_open_system_compare(const struct trj_open_system *s, const struct trj_stream_header *from,
                            struct trj_error *err);

// Makes the frame of the stream from a frame that was read last from *r, with the cell to use. `to` is zeroed or was
// used before. Fails as trj_grouping_make, and with TRJ_USAGE for groups of centres.
int trj_open_system_apply(struct trj_open_system *s, struct trj_reader *r, const struct trj_frame *whole,
                          struct trj_frame *to, struct trj_error *err);

// Return, of the frame made last: the number of atoms in its places; and if `names` was set, a topology of the frame
// that was read, and the numbers in it of the atoms in the places. Atoms of a frame stream have the name of the first
// group that contains them.
size_t trj_open_system_present(const struct trj_open_system *s);
const struct trj_topology *trj_open_system_topology(const struct trj_open_system *s);
const uint32_t *trj_open_system_rows(const struct trj_open_system *s);

// Returns the first group that had no member in any frame; NULL: there is none.
const char *trj_open_system_empty_group(const struct trj_open_system *s);

#endif
