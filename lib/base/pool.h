// SPDX-License-Identifier: MIT
// A pool of threads that lives as long as its engine: work items are handed out one by one, so that unequal items balance.
#ifndef TRJ_POOL_H
#define TRJ_POOL_H

#include <stddef.h>

#include "error.h"

struct trj_pool;

// threads = 0: as many as the process may run on (its affinity mask, which batch systems set).
int trj_pool_open(struct trj_pool **pool, unsigned threads, struct trj_error *err);
void trj_pool_close(struct trj_pool *pool); // NULL is allowed
unsigned trj_pool_threads(const struct trj_pool *pool);

// Calls work(arg, worker, item) for every item in [0, items), in any order, worker in [0, threads), and returns when all are
// done. The calling thread is worker 0. Not reentrant.
void trj_pool_run(struct trj_pool *pool, void (*work)(void *arg, unsigned worker, size_t item), void *arg,
                  size_t items);

#endif
