// SPDX-License-Identifier: MIT
// Reads several trajectories in sequence as one series of frames with one header, for trjcat and for filters that read
// trajectories themselves. Selects frames and groups of atoms, replaces cells, and checks that all inputs have the same
// groups of the same atoms.
#ifndef TRJ_MERGE_H
#define TRJ_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "frame.h"
#include "frame_filter.h"
#include "frame_stream.h"
#include "grouping.h"
#include "reader.h"
#include "repeated_frames.h"
#include "stray_topology.h"
#include "tool.h"
#include "topology.h"

// The request, as the options of trjcat(1) give it; see there. Texts are NULL if the option is absent. Texts and lists
// stay the caller's.
struct trj_merge_options {
    const char *format, *topology, *atom_style, *by, *frames, *time, *segment, *cell, *periodic;
    struct trj_text_list groups;
    bool drop_repeated;
    unsigned threads; // that decode (pool.h)
};

struct trj_merge;

// Where header and frames go. begin and write are called by trj_merge_inputs; their errors get the place in the input.
struct trj_merge_sink {
    // Called once, before the first frame, when m->header and m->top are complete. It may add to the provenance.
    int (*begin)(void *arg, struct trj_merge *m, struct trj_error *err);
    int (*write)(void *arg, const struct trj_frame *f, struct trj_error *err);
    void *arg;
    void (*note)(const char *text); // reports a note or warning
    void (*progress)(const char *what, uint64_t done, uint64_t total);
};

// The topology, header and grouping of an input.
struct trj_merge_input {
    struct trj_topology *top; // its own; NULL: --topology or none
    struct trj_stream_header header;
    struct trj_grouping *grouping; // NULL: frames of a frame stream are passed on as they are
};

// To use: zero it, call trj_merge_open, set `stream` and `names`, call trj_merge_inputs, at the end trj_merge_close.
struct trj_merge {
    struct trj_merge_options ask;
    bool stream; // the sink writes a frame stream: its header contains elements, residues, molecules and bonds
    bool names;  // the sink writes names of atoms, so that a topology is required
    // For the sink. Sources are added to the header as frames come.
    struct trj_stream_header header;
    struct trj_topology *top; // --topology, or that of the first input
    // Private to merge.c and merge_header.c.
    const struct trj_format *format; // of ask.format
    struct trj_frame_filter filter;
    struct trj_repeated_frames repeats; // of the selected frames
    struct trj_cell cell;               // of ask.cell
    unsigned periodic;                  // of ask.periodic
    struct trj_merge_sink sink;
    bool several;                  // inputs
    bool began;                    // sink.begin was called
    struct trj_grouping *grouping; // of the first input; as in struct trj_merge_input
    struct trj_merge_input further;
    const struct trj_grouping *current; // grouping of the input that is read
    // Topology that is read from the input itself, if that is required. NULL: this failed with own_error.
    struct trj_topology *own_top;
    struct trj_error own_error;
    bool identity_used; // names or types of the input are used, so they must not change
    struct trj_frame frame, grouped;
    struct trj_stray_topology stray;
    uint64_t written;           // frames
    uint64_t bytes, bytes_done; // of all inputs (0: unknown), of those that were read
};

// Checks the request and reads the topology. Fails with TRJ_USAGE for an invalid request.
int trj_merge_open(struct trj_merge *m, const struct trj_merge_options *ask, struct trj_error *err);
// Reads the inputs, "-" for standard input, and passes their frames to the sink. Fails with TRJ_BAD_DATA if no frame is
// selected, or if an input is damaged or has other groups or atoms than the first.
int trj_merge_inputs(struct trj_merge *m, char *const *paths, int count, const struct trj_merge_sink *sink,
                     struct trj_error *err);
// Returns the places in m->top of the atoms of a frame, [m->header.atoms]; NULL: all atoms of the trajectory, in order.
const uint32_t *trj_merge_rows(const struct trj_merge *m);
void trj_merge_close(struct trj_merge *m); // not m itself

#endif
