// SPDX-License-Identifier: MIT
// Processes batches of items in parallel, as tasks of one step.
#include "item_pool.h"

#include <stdlib.h>

#include "memory.h"
#include "pool.h"

struct trj_item_pool {
    struct trj_pool *pool;
    size_t count; // of the items that `next` has not given to the pool
    void (*item)(void *arg, unsigned worker, size_t item);
    void *arg;
};

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct trj_item_pool *p = arg;
    size_t count = p->count;
    (void)worker, (void)task;
    p->count = 0;
    return count;
}

static void run_item(void *arg, unsigned worker, unsigned task, size_t number) {
    const struct trj_item_pool *p = arg;
    (void)task;
    p->item(p->arg, worker, number);
}

int trj_item_pool_open(struct trj_item_pool **pool, unsigned threads, struct trj_error *err) {
    static const struct trj_pool_work work = {next, run_item};
    struct trj_item_pool *p = trj_alloc(1, sizeof *p, "a pool of threads", err);
    if (!p || trj_pool_open(&p->pool, threads, 1, &work, p, err)) {
        free(p);
        return -1;
    }
    *pool = p;
    return 0;
}

void trj_item_pool_close(struct trj_item_pool *pool) {
    if (!pool) return;
    trj_pool_close(pool->pool);
    free(pool);
}

unsigned trj_item_pool_threads(const struct trj_item_pool *pool) {
    return trj_pool_threads(pool->pool);
}

void trj_item_pool_run(struct trj_item_pool *p, size_t count, void (*item)(void *arg, unsigned worker, size_t item),
                       void *arg) {
    p->count = count;
    p->item = item;
    p->arg = arg;
    trj_pool_start(p->pool, 0);
    trj_pool_wait(p->pool, 0);
}
