// SPDX-License-Identifier: MIT
// Runs several tasks in parallel on a pool of threads.
//
// A task runs in steps: `next` does the serial part and returns how many items threads then process in parallel. When
// all items are done, `next` is called again, until it returns 0. The thread that starts the tasks works too while it
// waits, so that no more threads work than were requested.
#ifndef TRJ_POOL_H
#define TRJ_POOL_H

#include <stddef.h>

#include "error.h"

struct trj_pool;

// `worker` is less than trj_pool_threads, and differs between calls that run at the same time. `task` is the number of
// a task. Within one task, only calls of `item` run in parallel.
struct trj_pool_work {
    size_t (*next)(void *arg, unsigned worker, unsigned task); // returns the number of items; 0: the task is complete
    void (*item)(void *arg, unsigned worker, unsigned task, size_t item); // NULL if `next` always returns 0
};

// Returns the number of threads of a pool that is opened with `threads`: the number itself or, for 0, the number of
// CPUs on which the process may run (sched_getaffinity), divided by the number of processes that share them, or
// SLURM_CPUS_PER_TASK if this is less.
unsigned trj_pool_size(unsigned threads);
// From this call on, `processes` processes with the same work share the CPUs of each of them.
void trj_pool_divide(unsigned processes);

// Opens a pool for up to `tasks` (at least 1) tasks at a time, numbered from 0. *work and *arg must stay valid until
// the pool is closed. Fails with TRJ_FAILED if memory or threads are not available. All functions below may be called
// from one thread only, trj_pool_start also from one other, and none from `next` or `item`.
int trj_pool_open(struct trj_pool **pool, unsigned threads, unsigned tasks, const struct trj_pool_work *work, void *arg,
                  struct trj_error *err);
// Ends the threads and frees the pool; NULL is allowed. Items in progress are completed; the rest of their tasks is not
// processed.
void trj_pool_close(struct trj_pool *pool);
unsigned trj_pool_threads(const struct trj_pool *pool);

// Returns the number of a task that is not running. If all are running, works until one is complete.
unsigned trj_pool_free_task(struct trj_pool *pool);
// Starts a task that trj_pool_free_task has returned, or that is known not to run.
void trj_pool_start(struct trj_pool *pool, unsigned task);
// Works until this task is complete. Returns at once if it is not running.
void trj_pool_wait(struct trj_pool *pool, unsigned task);
// Works until all tasks are complete.
void trj_pool_finish(struct trj_pool *pool);

#endif
