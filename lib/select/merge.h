// SPDX-License-Identifier: MIT
// Reads several trajectories in sequence as one series of frames with one header, for trjcat and for filters that read
// trajectories themselves. Selects frames and groups of atoms, replaces cells, and checks that all inputs have the same
// groups of the same atoms.
#ifndef TRJ_MERGE_H
#define TRJ_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "mover.h"
#include "reader.h"
#include "tool.h"
#include "topology.h"

// The options of trjcat(1); see there. Texts are NULL if the option is absent. The caller keeps
// ownership of texts and lists.
struct trj_merge_options {
    const char *format, *topology, *atom_style, *by, *frames, *time, *segment, *cell, *periodic;
    const char *carry; // properties for the frame stream (carry.h); NULL: only those of an input stream
    struct trj_text_list groups, parameters; // parameters: files with Lennard-Jones parameters for a PSF
    struct trj_text_list defines, includes;  // for a GROMACS top file (topology.h)
    bool drop_repeated;
    uint64_t overlap; // frames to add after the segment, with which its frames are compared; 0: none
    double step_ps;   // ps: time of a step, which gives the times of the frames; 0 or NaN: those of the inputs
    double precision; // Å, to which coordinates are rounded (frame/rounding.h); 0 or NaN: they are not changed
    bool salvage;     // damaged parts of frame streams are dropped; not together with frames, time or segment
    unsigned threads; // that decode and move atoms (pool.h)
    struct trj_mover_options move;
    // The number of atoms changes (open_system.h): the largest number in a frame, or `auto`, which finds it by reading
    // the inputs in advance; NULL: it does not change.
    const char *open;
    bool follow; // the last input is a file that another program is writing (follow.h)
};

extern const struct trj_choice trj_repeated_choices[]; // values of --repeated; "drop" sets drop_repeated

struct trj_merge;

// Returns whether one of the inputs is live (input.h): a connection, or with `follow` a file.
bool trj_merge_is_live(const struct trj_merge_options *options, char *const *paths, int count);

// The receiver of header and frames. The functions are called by trj_merge_inputs and trj_merge_read, in the thread
// that calls them. `begin` and `write` return 0 or -1 with an error, which gets the place in the input.
struct trj_merge_sink {
    bool stream;        // a frame stream is written: its header contains elements, residues, molecules and bonds
    enum trj_keep keep; // what is done with packed coordinates; not TRJ_KEEP_NOTHING only if `write` accepts them
    unsigned motion;    // TRJ_HAS_...: which of velocities and image flags `write` accepts
    bool names;         // names of atoms are written, so that a topology is required
    // Called once, before the first frame, when the header and the topology of `m` are complete. It may add to the
    // provenance of the header.
    int (*begin)(void *arg, struct trj_merge *m, struct trj_error *err);
    // Takes a frame, which is valid until the function returns, and whose coordinates it may drop (trj_frame_drop). Its
    // source is an index into the header's sources, to which further inputs add. trj_merge_read does not call it.
    int (*write)(void *arg, struct trj_frame *f, struct trj_error *err);
    // Completes the output of the frames so far, if no further frame has come for a while; may be NULL.
    int (*flush)(void *arg, struct trj_error *err);
    void *arg;
    void (*note)(void *arg, const char *text);                         // reports a note or warning
    void (*progress)(const char *what, uint64_t done, uint64_t total); // total 0: unknown; may be NULL
};

// Returns whether --carry requests properties of atoms, which only a frame stream can contain.
bool trj_merge_carries_properties(const struct trj_merge *m);

// Checks the options and reads the topology. Returns 0 or -1; TRJ_USAGE for invalid options. trj_merge_close frees.
int trj_merge_open(struct trj_merge **m, const struct trj_merge_options *options, struct trj_error *err);
// Reads the inputs, "-" for standard input, and passes their frames to the sink. Returns 0 or -1; TRJ_BAD_DATA if no
// frame is selected, or if an input is damaged or has other groups or atoms than the first. Call it once.
int trj_merge_inputs(struct trj_merge *m, char *const *paths, int count, const struct trj_merge_sink *sink,
                     struct trj_error *err);
// Start reading the same inputs, and return the next frame: 1, 0 after the last, -1. trj_merge_start does not copy the
// paths. *f is valid until the next call. After an error, only trj_merge_close may follow.
int trj_merge_start(struct trj_merge *m, char *const *paths, int count, const struct trj_merge_sink *sink,
                    struct trj_error *err);
int trj_merge_read(struct trj_merge *m, struct trj_frame **f, struct trj_error *err);
// Reports to sink->note how many frames were not later than an earlier one. Call it after trj_merge_inputs, when the
// output is complete.
void trj_merge_note_repeated(const struct trj_merge *m);
// Fails with TRJ_BAD_DATA if `salvage` has dropped something; the error contains the totals of all inputs. sink->note
// has reported each part. Also fails if a live input (input.h) has ended for any reason other than a stop by its server
// or by the user. Call it when the output is complete.
int trj_merge_check_losses(const struct trj_merge *m, struct trj_error *err);
void trj_merge_close(struct trj_merge *m); // NULL is allowed

// These are empty or NULL before sink->begin is called. `m` owns the results.
struct trj_stream_header *trj_merge_header(struct trj_merge *m);          // sources are added as frames come
const struct trj_topology *trj_merge_topology(const struct trj_merge *m); // given, or of the first input; NULL: none
const uint32_t *trj_merge_rows(const struct trj_merge *m); // [atoms of the header] places of the atoms of a frame in
                                                           // the topology; NULL: all atoms, in order
// Of an open system, both are those of the last frame, and are known only if sink->names is set; this is the number of
// its atoms, which are the first ones in the frame. Otherwise returns the atoms of the header.
size_t trj_merge_present(const struct trj_merge *m);
#endif
