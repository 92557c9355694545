// SPDX-License-Identifier: MIT
// The state of a merge, and the functions of merge_header.c that merge.c calls: merge.c reads frames, merge_header.c
// opens inputs and compares their headers. Private to these two files.
#ifndef TRJ_MERGE_PARTS_H
#define TRJ_MERGE_PARTS_H

#include "carry.h"
#include "cell.h"
#include "frame_filter.h"
#include "grouping.h"
#include "merge.h"
#include "mover.h"
#include "open_system.h"
#include "reader.h"
#include "repeated_frames.h"
#include "rounding.h"
#include "stray_topology.h"

// The topology, header and grouping of a further input.
struct trj_merge_input {
    struct trj_topology *top; // its own; NULL: --topology or none
    struct trj_stream_header header;
    struct trj_grouping *grouping; // NULL: frames of a frame stream are passed on as they are
};

struct trj_merge {
    struct trj_merge_options options;
    struct trj_merge_sink sink;
    struct trj_stream_header header;
    struct trj_topology *top;        // --topology, or the topology of the first input
    const struct trj_format *format; // of options.format
    struct trj_frame_filter filter;
    struct trj_repeated_frames repeats; // of the selected frames
    struct trj_cell cell;               // of options.cell
    unsigned periodic;                  // of options.periodic
    struct trj_carry carry;             // of options.carry
    char *const *paths;                 // [path_count] of the inputs
    int path_count, next_path;          // next_path: of the input to open next
    bool live;                          // one of them is
    bool began;                         // sink.begin was called
    struct trj_grouping *grouping;      // of the first input; as in struct trj_merge_input
    struct trj_merge_input further;
    const struct trj_grouping *current; // grouping of the input that is read
    // Topology that is read from the input itself, if that is required. NULL: this failed with own_error.
    struct trj_topology *own_top;
    struct trj_error own_error;
    size_t open_limit;            // largest number of atoms in a frame of an open system; 0: find it
    struct trj_open_system *open; // NULL: the number of atoms does not change, or no input was opened
    bool guesses_noted;           // of an open system: guessed elements or masses were reported
    bool identity_used;           // names or types of the input are used, so they must not change
    struct trj_mover *mover;      // NULL: atoms are not moved
    double mean_cell[3][3];       // Å, of the frames that are written, if --unwrap needs it
    uint64_t mean_frames;         // their number; 0: it does not
    size_t moved_before;          // number of movements in the header that are those of the input
    struct trj_frame frame, grouped;
    struct trj_stray_topology stray;
    struct trj_reader *reader;     // the open input; NULL: the next one must be opened
    bool input_began;              // its first selected frame was read
    bool times_passed;             // its last frame is after the selected times
    size_t first_source;           // number of its first source
    uint64_t frames;               // that were returned
    uint64_t frames_before;        // that were returned before this input
    uint64_t position_before;      // filter.position before this input
    struct trj_losses losses;      // of all inputs
    struct trj_error interruption; // of a live input; TRJ_OK: none
    bool adds_cell;                // frames of the open input get topology_cell
    struct trj_cell topology_cell;
    struct trj_rounding rounding;
    uint64_t bytes, bytes_done; // of all inputs (0: unknown), of those that were read
};

// Returns TRJ_CELL_GIVEN if the options replace the cells of the inputs, or make them not periodic, so that invalid
// cells are no errors; else 0.
unsigned trj_merge_cell_given(const struct trj_merge_options *q);
// Returns whether a selection uses occupancies or B factors.
bool trj_merge_uses_values(const struct trj_merge_options *q);
// Opens an input. Its own topology is read first if it is required, because a pipe cannot be read twice; an error in it
// is kept in m->own_error, because reading a frame may give a more specific one.
int trj_merge_open_input(struct trj_merge *m, struct trj_reader **r, const char *path, struct trj_error *err);
// Call it after the first selected frame was read. Makes the header of the input. The header of the first input is
// passed to sink.begin, and later headers are compared with it.
int trj_merge_begin_input(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err);
// If atoms are to be moved: for the first input, whose first frame is in m->frame, opens m->mover and adds the
// movements to the header; for later inputs, fails with TRJ_BAD_DATA if the selections select other atoms. Also fails
// if atoms of a later input were moved in another way before.
int trj_merge_begin_moves(struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                          struct trj_error *err);
// Fails with TRJ_USAGE if --unwrap does not agree with other options.
int trj_merge_check_unwrap(const struct trj_merge *m, struct trj_error *err);
// Returns whether image flags are read for --unwrap.
bool trj_merge_unwraps_flags(const struct trj_merge *m);
// Fails with TRJ_BAD_DATA if names or types are used and the last frame has others than the first.
int trj_merge_check_identity(const struct trj_merge *m, const struct trj_reader *r, struct trj_error *err);
// Reports, once, the elements or masses of the last frame of an open system that were guessed, if they are used.
void trj_merge_note_open(struct trj_merge *m, const struct trj_reader *r);
// Fails with TRJ_USAGE for options that need the same atoms in all frames.
int trj_merge_check_open(const struct trj_merge_options *q, struct trj_error *err);
void trj_merge_close_headers(struct trj_merge *m);
// Passes a text to sink.note.
void trj_merge_note(const struct trj_merge *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
