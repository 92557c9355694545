// SPDX-License-Identifier: MIT
// The frame stream (.trjf), which carries frames between the tools; schemas/frame_stream.md is its specification.
//
// A stream consists of a header (atoms, groups), the sources of the frames, frames, and an END block with totals. It is
// read as the trajectory format trj_format_stream (format/reader.h), whose reader has the header.
#ifndef TRJ_FRAME_STREAM_H
#define TRJ_FRAME_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "frame.h"
#include "group.h"
#include "motion.h"
#include "movement.h"
#include "output.h"
#include "property.h"

extern const struct trj_stream_kind trj_frame_stream_kind;

// A trajectory file that contains the frames. Two sources are the same if their fingerprints are equal.
struct trj_source {
    char *name;
    uint64_t fingerprint;
};

#define TRJ_STREAM_TOTAL_MAX (UINT64_C(1) << 53) // frames of a trajectory that is divided into segments

// A segment of a trajectory, and after its frames, the first ones of the next segment, with which they are compared.
struct trj_stream_segment {
    uint64_t first, count; // frames of the segment, among those that are divided into segments
    uint64_t following;    // frames after these
    uint64_t total;        // frames that are divided into segments
};

struct trj_stream_header {
    size_t atoms;        // stream atoms, including centres
    size_t centres;      // the last of them, which are centres of sets of atoms
    size_t source_atoms; // atoms in the trajectory
    // The number of atoms changes. The stream atoms are then places, which can be different atoms in each frame; a
    // place that is in no group in a frame is absent. All groups are dynamic, and there are no data of single atoms:
    // the pointers from `residue` to `bond` are NULL, and there are no properties.
    bool open_system;
    size_t group_count;
    struct trj_group *groups; // [group_count] at least one; names are unique
    size_t member_words;      // words of a frame for dynamic groups (group.h)
    uint32_t *residue;        // [atoms] running number of the residue in the topology; NULL: unknown
    uint32_t *molecule;       // [atoms] running number of the bonded molecule; NULL: unknown
    uint32_t *element;        // [atoms] atomic number; 0: unknown, or a centre; NULL: unknown
    // Massless sites of the trajectory, such as MW of TIP4P, which have no element and scatter nothing: how many are
    // not in the stream, and [site_count] the stream atoms that are sites, ascending.
    size_t absent_sites, site_count;
    uint32_t *site;
    char *element_from; // source of guessed elements, as in topology.h; NULL: not guessed
    uint32_t *number;   // [atoms - centres] number in the trajectory file, from 0; NULL: unknown, or the position
    size_t bond_count, between;
    // [bond_count] Bonds that connect stream atoms, directly or through other atoms: these `between` atoms have numbers
    // after those of the stream atoms. NULL: unknown.
    uint32_t (*bond)[2];
    size_t property_count;           // at most TRJ_PROPERTIES_MAX
    struct trj_property *properties; // [property_count] of the stream atoms (property.h)
    double precision; // Å; coordinates were rounded, and differ by at most this from those of the sources; 0: exact
    size_t movement_count;
    struct trj_movement *movements; // [movement_count] how the coordinates were moved, in this order
    // What every frame contains besides coordinates (TRJ_HAS_...), and what is known about it. Not in an open system.
    unsigned motion;
    struct trj_stream_segment segment; // `count` is 0: all frames of the stream belong together
    struct trj_motion_source motion_source[TRJ_MOTION_KINDS];
    size_t provenance_count;
    char **provenance; // a line for each program that processed the data, oldest first
    size_t source_count;
    struct trj_source *sources; // known so far; a reader adds to them while it reads frames
};

void trj_stream_header_free(struct trj_stream_header *h);
// Append a line or a source; texts are copied. Return 0 or -1.
int trj_stream_header_add_provenance(struct trj_stream_header *h, const char *line, struct trj_error *err);
// The same for lines that end with NULL, those of trj_tool_provenance. Returns -1 if `lines` is NULL, because that
// function has failed.
int trj_stream_header_add_lines(struct trj_stream_header *h, char *const *lines, struct trj_error *err);
int trj_stream_header_add_source(struct trj_stream_header *h, const char *name, uint64_t fingerprint,
                                 struct trj_error *err);

// Finds the group that --of names; `name` NULL: the only group. Fails with TRJ_USAGE, and the remedy.
int trj_stream_find_group(const struct trj_stream_header *h, const char *name, const struct trj_group **group,
                          struct trj_error *err);

// Returns whether a stream atom is a massless site.
bool trj_stream_is_site(const struct trj_stream_header *h, uint32_t atom);

// Returns whether frames of the stream can be stored as packed coordinates of all source atoms: no dynamic groups, no
// centres, known numbers of the atoms, and coordinates that were not moved.
bool trj_stream_may_pack(const struct trj_stream_header *h);

struct trj_stream_writer;

// Opens a writer and writes the header; `level` and `threads` (1: only the calling thread) as in block_stream.h. The
// caller keeps the header and the output, which must outlive the writer. Sources that are added to the header later are
// written before the first frame that needs them.
int trj_stream_writer_open(struct trj_stream_writer **w, struct trj_output *out, const struct trj_stream_header *h,
                           int level, unsigned threads, struct trj_error *err);
// Writes a frame of h->atoms atoms, with what h->motion states: as packed coordinates if the frame has them, which
// trj_stream_may_pack must allow. The coordinates of a large frame may be given to a pipe (pipe_memory.h); *f then has
// none (trj_frame_drop).
int trj_stream_write(struct trj_stream_writer *w, struct trj_frame *f, struct trj_error *err);
// Writes the blocks that are complete. Frames that share an incomplete block stay in memory, unless `all` is set.
int trj_stream_writer_flush(struct trj_stream_writer *w, bool all, struct trj_error *err);
// Writes the index and the END block. Without it, readers report a truncated stream.
int trj_stream_writer_finish(struct trj_stream_writer *w, struct trj_error *err);
void trj_stream_writer_close(struct trj_stream_writer *w); // NULL is allowed

#endif
