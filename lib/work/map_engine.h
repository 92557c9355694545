// SPDX-License-Identifier: MIT
// The table of functions that every engine of maps implements, whatever the map contains: densities, ligands,
// correlations, potentials. The result is an array of int64 sums over frames, one for each point, which do not depend
// on the order of the frames. Filters run engines with map_run.h.
#ifndef WORK_MAP_ENGINE_H
#define WORK_MAP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "frame.h"

struct work_checkpoint_arrays;

// What an engine may use.
struct work_resources {
    unsigned threads;    // 0: as many as there are processors
    const char *devices; // "0,2": GPUs to use; NULL: all
    bool cpu_may_finish; // the CPU may take over the work of GPUs that failed
    // Receives notes; an engine calls it with note_arg, in the thread that calls the engine. May be NULL.
    void (*note)(void *note_arg, const char *text);
    void *note_arg;
};

struct work_map_engine {
    struct trj_engine kind;
    bool slabs; // it also computes jobs whose values are those of a slab: consecutive planes of the map
    // Fails with TRJ_NO_ENGINE if the engine cannot compute this job. Starts no driver. NULL: it computes all jobs.
    int (*check)(const void *job, struct trj_error *err);
    // Opens the engine for a job, whose type depends on the kind of map. The caller owns the job, which must outlive
    // the engine; *resources is copied. Fails with TRJ_NO_ENGINE if the engine cannot run here, and as `check`.
    int (*open)(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err);
    // Adds a frame. Fails with TRJ_BAD_DATA if it does not fit the job. The engine may exchange *frame for another one,
    // which the caller can fill, so that it can keep several frames in flight. After a failure, only close, stats and
    // bad_frame may be called.
    int (*add)(void *engine, struct trj_frame *frame, struct trj_error *err);
    // Waits until all frames that were added are computed. Sets *values[points] to the sums over the frames since the
    // last finish, in quanta; they belong to the engine, and are valid until its next call. Engines whose job takes the
    // results of each frame itself leave *values as it is.
    int (*finish)(void *engine, const int64_t **values, struct trj_error *err);
    // Adds the sums of frames that another engine has computed, values[points], to those of the next finish. NULL: no
    // frames can be handed over to this engine, or its job takes their results itself.
    int (*add_sums)(void *engine, const int64_t *values, struct trj_error *err);
    // Saves or restores the sums of the frames since the last finish (work_checkpoint_array), if rounding them in the
    // middle of a record would change the result of `finish`, and returns 1; -1 after an error. NULL, or a result of 0:
    // the results of two calls of `finish` in a record add up exactly.
    int (*arrays)(void *engine, struct work_checkpoint_arrays *a, struct trj_error *err);
    // Returns a bound of the error of every value of one frame, for the frames that were added since the engine was
    // opened. It is far below that of the job, and is the same for any number of threads, GPUs, and order of frames.
    // NULL, or a result of NAN: there is none.
    double (*error)(const void *engine);
    // Returns the number of the frame, from 0 in the order of `add`, with the error with which `add` or `finish` has
    // failed; UINT64_MAX if the error is not of one frame. NULL: `add` fails for the frame that it gets.
    uint64_t (*bad_frame)(const void *engine);
    void (*stats)(void *engine, struct trj_engine_stats *stats);
    void (*close)(void *engine); // NULL is allowed
};

#endif
