// SPDX-License-Identifier: MIT
// The frame loop of a filter that computes maps from a frame stream with an engine: reads frames, opens the engine at
// the first one, ends records, and reports progress and statistics. The filter states what it computes, in functions.
#ifndef ANA_FRAME_LOOP_H
#define ANA_FRAME_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "cell_basis.h"
#include "checkpoint.h"
#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "map_lattice.h"
#include "map_ranks.h"
#include "map_result.h"
#include "map_run.h"
#include "stream_input.h"

struct ana_loop {
    // Set by the filter before ana_loop_check:
    const struct trj_engine_options *options;
    const struct trj_engine *const *engines;           // as for trj_engine_find; each is a struct work_map_engine
    const struct work_checkpoint_options *checkpoints; // NULL: the filter has no such options
    const struct ana_ranks_options *ranks;             // NULL: the filter can divide only frames
    void *owner;                                       // passed to the functions
    // Prepares what depends on the first frame, loop->frame, and opens the engine with ana_loop_open_engine.
    int (*start)(void *owner, struct trj_error *err);
    // Checks a frame, and adds it to the current record, before the engine gets it. The text of an error gets the
    // number of the frame. NULL: nothing to do.
    int (*accept)(void *owner, struct trj_frame *frame, struct trj_error *err);
    // What happens after the engine has got a frame. NULL: nothing.
    void (*added)(void *owner);
    // Gets the sums of the frames of a record, which ends when record_is_full returns true, and at the end of the
    // stream. NULL: the records of `result` end.
    int (*end_record)(void *owner, const int64_t *values, struct trj_error *err);
    bool (*record_is_full)(void *owner);
    struct trj_map_result *result; // NULL: none, or only one record without end_record
    bool names_engine_late;        // `auto` reports its engine after the first frame was added
    // Set by `start` if the points move with the cell (--fractional): the lattice. The cells of all frames get one
    // basis (cell_basis.h), which begins with that of the lattice; with --like, the lattice may be of another part.
    const struct trj_map_lattice *moves;
    struct trj_basis basis;
    uint64_t values; // sums of a record; set by `start` before ana_loop_open_engine
    // Set by the filter before ana_loop_read ends, for statistics:
    size_t atoms;    // of the group
    uint64_t points; // of the map; 0: statistics do not contain it
    // Set by the functions:
    const struct trj_engine *kind;
    struct trj_reader *in;
    struct trj_frame frame;
    uint64_t frames;
    uint64_t record; // frames since the last record ended
    struct work_map_run *run;
    struct work_checkpoint *checkpoint; // NULL: none
    const struct work_share *share;     // the frames that this process computes; NULL: all
    struct ana_map_ranks division;      // with `divided`
    bool divided;                       // each rank has a slab of the map, and computes all frames
};

// Checks the options of the engine, and opens the checkpoint, before any input is read. Fails as
// trj_engine_check_options, trj_engine_find and work_checkpoint_open.
int ana_loop_check(struct ana_loop *l, struct trj_error *err);
// Opens the frame stream; l->in->header is its header. Makes the provenance, which needs time for digests.
int ana_loop_open(struct ana_loop *l, const char *path, struct trj_error *err);
// Divides the map of the result among the ranks if the options request it: sets result->slabs and *slab, which is
// unchanged otherwise. Call it in `start`, before the engine is opened for a job with this slab. layer, count and
// errors are those of ana_map_ranks_divide.
int ana_loop_divide(struct ana_loop *l, struct trj_map_slab *slab, struct trj_map_result *result,
                    const struct trj_map_lattice *lattice, uint64_t layer, uint64_t count, struct trj_error *err);
// Opens the engine for a job, which must outlive the loop (work_map_run_open), and reports the choice of `auto`.
// frame_seconds: as in struct work_map_run_plan.
int ana_loop_open_engine(struct ana_loop *l, const void *job, double frame_seconds, struct trj_error *err);
// Reads all frames, ends the last record, and prints statistics if the options request them.
int ana_loop_read(struct ana_loop *l, struct trj_error *err);
// Removes the checkpoint. Call it after the output was completed.
void ana_loop_complete(struct ana_loop *l);
// Closes the engine. If work_start_abandoned() is true then, the process must end with _exit after it has closed its
// output, without freeing the job. Otherwise the caller frees the rest with ana_loop_free.
void ana_loop_close(struct ana_loop *l);
void ana_loop_free(struct ana_loop *l);

#endif
