// SPDX-License-Identifier: MIT
// Runs an engine of maps (map_engine.h) for a filter: the choice among the engines, the hand-over from the CPU to GPUs
// (handover.h), and statistics. The sums do not depend on the frame at which another engine takes over.
#ifndef WORK_MAP_RUN_H
#define WORK_MAP_RUN_H

#include <stdint.h>

#include "checkpoint.h"
#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "frame_share.h"
#include "map_engine.h"

// Names and descriptions of the engines cpu and cuda for option tables; ends with a NULL name.
extern const struct trj_choice work_map_engine_choices[];

struct work_map_run_plan {
    const struct trj_engine_options *options;
    const struct trj_engine *const *engines; // as for trj_engine_find; each is a struct work_map_engine
    const void *job;                         // of the engines
    bool slab;                               // the values of the job are a slab: only engines with `slabs` are used
    // Estimated time of a frame on one thread of the engine on the CPU, in s. `auto` begins with this engine, while the
    // GPUs start, if the result does not depend on the engine, and the first frame takes less time than the start. NAN:
    // `auto` opens the GPUs first, and uses the CPU if there are none.
    double frame_seconds;
    double (*share_read)(void *share_of); // as in struct work_handover_plan
    void *share_of;
    void (*print)(const char *text); // prints a line for the user
    // The frames that this process computes, and the number of the sums, which are then required; NULL: all frames.
    const struct work_share *share;
    uint64_t values;
};

struct work_map_run;

// Opens the engine `kind`, which trj_engine_find has found. The plan is copied; what it points to must outlive the run,
// and if work_start_abandoned() is true then, the process. Fails as `open` of the engine.
int work_map_run_open(struct work_map_run **run, const struct work_map_run_plan *plan, const struct trj_engine *kind,
                      struct trj_error *err);
// These are as the functions of the engine. A frame of which the process has no share is only counted, and the sums of
// work_map_run_finish are those of all frames (work_share_combine).
int work_map_run_add(struct work_map_run *run, struct trj_frame *frame, struct trj_error *err);
int work_map_run_finish(struct work_map_run *run, const int64_t **values, struct trj_error *err);
// Saves or restores the sums since the last finish (checkpoint.h). The plan must have a share.
int work_map_run_arrays(struct work_map_run *run, struct work_checkpoint_arrays *a, struct trj_error *err);
// Returns the number of the frame, from 0, with the error with which `add` or `finish` has failed; UINT64_MAX if the
// error does not concern a frame.
uint64_t work_map_run_bad_frame(const struct work_map_run *run);
// Returns the bound of the error of one frame that the engines have found; NAN: none.
double work_map_run_error(const struct work_map_run *run);
void work_map_run_print_engine(struct work_map_run *run); // which engine computes
// Prints statistics, for --stats. `atoms` is the number of atoms of the group; `points`: that of the map, 0: omit it.
void work_map_run_print_stats(struct work_map_run *run, size_t atoms, uint64_t points);
void work_map_run_close(struct work_map_run *run); // NULL is allowed

#endif
