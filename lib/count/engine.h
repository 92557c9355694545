// SPDX-License-Identifier: MIT
// Engines count pairs. Each is one table of functions; all of them return the same integers, by the rule in job.h.
#ifndef RDF_ENGINE_H
#define RDF_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "job.h"
#include "tool.h"

// The steps in struct trj_engine_stats.
enum rdf_engine_time { RDF_PLAN_TIME, RDF_COUNT_TIME, RDF_RESOLVE_TIME };
#define RDF_ENGINE_TIMES                                                                                               \
    {                                                                                                                  \
        {.name = "plan"}, {.name = "count"}, {                                                                         \
            .name = "resolve"                                                                                          \
        }                                                                                                              \
    }

struct rdf_neighbour_engine;

struct rdf_engine {
    struct trj_engine kind;                        // trj_engine_stats.workers are its workers
    const struct rdf_neighbour_engine *neighbours; // counts neighbours and triplets (neighbour_engine.h)
    // The caller owns the job, which must outlive the engine.
    int (*open)(void **engine, const struct rdf_job *job, struct trj_error *err);
    // Counts a frame that rdf_job_check_frame has accepted. The engine may exchange *frame for another one, which the
    // caller can fill, so that it can keep several frames in flight. May block. After a failure only close is allowed.
    int (*add)(void *engine, struct trj_frame *frame, struct trj_error *err);
    // Ends a part of the frames, and may return before they are counted. The engine passes the counts of the frames
    // since the last end_record or finish to job->deliver with `tag`, in portions that add up, during this call or
    // later calls of add, end_record and finish. The last call of finish delivers all portions that are left.
    int (*end_record)(void *engine, uint64_t tag, struct trj_error *err);
    // Waits until all frames added are counted, writes counts[pair * bins + bin] of the frames since the last cut or
    // finish, and starts from zero.
    int (*finish)(void *engine, uint64_t *counts, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *stats);
    void (*close)(void *engine); // NULL is allowed
};

// What `auto` means in builds with TRJPIPE_CUDA (engine_handover.h): `cpu`, then `cuda`.
extern const struct rdf_engine rdf_engine_auto;
extern const struct rdf_engine rdf_engine_reference; // engine_reference.c: float64 brute force, the oracle
extern const struct rdf_engine rdf_engine_cpu;       // engine_cpu.c: tiles, threads
extern const struct rdf_engine rdf_engine_cuda; // cuda/count/count_cuda.c: tiles on a GPU; in builds with TRJPIPE_CUDA

// Those that count neighbours and triplets (neighbour_engine.h).
extern const struct rdf_neighbour_engine rdf_neighbour_reference; // float64 brute force
extern const struct rdf_neighbour_engine rdf_neighbour_cpu;       // tiles, threads
extern const struct rdf_neighbour_engine
    rdf_neighbour_cuda; // cuda/neighbour/neighbour_cuda.c: one GPU; with TRJPIPE_CUDA

extern const struct trj_choice rdf_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name
extern const struct trj_engine *const rdf_engines[]; // the list of trj_engine_find; each is a struct rdf_engine

// Implements `end_record` by `finish`, which waits, for engines that cannot count in parallel with it. `job` is the job
// of the engine.
int rdf_engine_end_record_by_finish(const struct rdf_engine *engine, void *state, const struct rdf_job *job,
                                    uint64_t tag, struct trj_error *err);

// As trj_engine_find, among these engines. Starts no driver.
int rdf_engine_find(const struct rdf_engine **engine, const char *name, struct trj_error *err);

// Writes the engine that counts, for notes and --stats, to text[TRJ_ENGINE_TEXT] (trj_engine_describe).
void rdf_engine_describe(char *text, const struct rdf_engine *engine, void *state);

#endif
