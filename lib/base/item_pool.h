// SPDX-License-Identifier: MIT
// Processes batches of items on a pool of threads, one batch after the other: the case of pool.h in which a task has
// one step.
#ifndef TRJ_ITEM_POOL_H
#define TRJ_ITEM_POOL_H

#include <stddef.h>

#include "error.h"

struct trj_item_pool;

// Opens a pool with the number of threads of trj_pool_size. Fails as trj_pool_open.
int trj_item_pool_open(struct trj_item_pool **pool, unsigned threads, struct trj_error *err);
void trj_item_pool_close(struct trj_item_pool *pool); // NULL is allowed
unsigned trj_item_pool_threads(const struct trj_item_pool *pool);

// Calls `item` for the items 0 to count - 1, and returns when all calls have returned. `worker` is less than
// trj_item_pool_threads, and differs between calls that run at the same time.
void trj_item_pool_run(struct trj_item_pool *pool, size_t count, void (*item)(void *arg, unsigned worker, size_t item),
                       void *arg);

#endif
