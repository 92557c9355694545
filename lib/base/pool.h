// SPDX-License-Identifier: MIT
// Threads that carry several jobs in flight. A job goes in steps: `next` does what one thread must do alone, and says how many items come
// then, which threads take one at a time; when all are done `next` is called again, until it returns 0. The thread that starts jobs works
// too, when it waits: there are never more threads at work than asked for.
#ifndef TRJ_POOL_H
#define TRJ_POOL_H

#include <stddef.h>

#include "error.h"

struct trj_pool;

// `worker` is below trj_pool_threads: no two threads are the same worker at once. The calls of a job happen one after the other but for its items.
struct trj_pool_work {
    size_t (*next)(void *arg, unsigned worker, unsigned job); // 0: the job is done
    void (*item)(void *arg, unsigned worker, unsigned job, size_t item);
};

// How many threads a pool has that is asked for so many; 0: as many as there are CPUs to run on.
unsigned trj_pool_size(unsigned threads);

// `work` and `arg` must outlive the pool. jobs: that can be in flight, at least 1. All that follows is for one thread only.
int trj_pool_open(struct trj_pool **pool, unsigned threads, unsigned jobs, const struct trj_pool_work *work, void *arg,
                  struct trj_error *err);
void trj_pool_close(struct trj_pool *pool); // what is in flight is given up; NULL is allowed
unsigned trj_pool_threads(const struct trj_pool *pool);

// The number of a job that is not in flight; waits for one, working, where all are.
unsigned trj_pool_free_task(struct trj_pool *pool);
void trj_pool_start(struct trj_pool *pool, unsigned job);
// Works until this job is done. It need not be in flight.
void trj_pool_wait(struct trj_pool *pool, unsigned job);
// Works until all jobs are done.
void trj_pool_finish(struct trj_pool *pool);

#endif
