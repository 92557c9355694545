// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): sched_getaffinity, CPU_COUNT
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct trj_pool {
    unsigned threads, running; // running: helpers that were started
    pthread_t *helper;
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    unsigned long job; // number of the current job: a helper sleeps until it changes
    unsigned busy;     // helpers that have not finished it
    bool closing;
    void (*work)(void *, unsigned, size_t);
    void *arg;
    size_t items;
    atomic_size_t next;
};

static void take_items(struct trj_pool *p, unsigned worker) {
    for (size_t item; (item = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->items;)
        p->work(p->arg, worker, item);
}

struct helper {
    struct trj_pool *pool;
    unsigned worker;
};

static void *helper_main(void *data) {
    struct helper me = *(struct helper *)data;
    free(data);
    struct trj_pool *p = me.pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->job == seen && !p->closing) pthread_cond_wait(&p->start, &p->lock);
        if (p->closing) break;
        seen = p->job;
        pthread_mutex_unlock(&p->lock);
        take_items(p, me.worker);
        pthread_mutex_lock(&p->lock);
        if (!--p->busy) pthread_cond_signal(&p->finished);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static unsigned allowed_cpus(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

int trj_pool_open(struct trj_pool **result, unsigned threads, struct trj_error *err) {
    struct trj_pool *p = trj_alloc(1, sizeof *p, "a thread pool", err);
    if (!p) return -1;
    p->threads = threads ? threads : allowed_cpus();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->finished, NULL);
    p->helper = trj_alloc(p->threads, sizeof *p->helper, "threads", err);
    if (!p->helper) goto out;
    for (unsigned i = 1; i < p->threads; i++) {
        struct helper *h = trj_alloc(1, sizeof *h, "a thread", err);
        if (!h) goto out;
        *h = (struct helper){p, i};
        int rc = pthread_create(&p->helper[i - 1], NULL, helper_main, h);
        if (rc) {
            free(h);
            trj_fail(err, TRJ_FAILED, "cannot start thread %u of %u: %s", i + 1, p->threads, strerror(rc));
            goto out;
        }
        p->running++;
    }
    *result = p;
    return 0;
out:
    trj_pool_close(p);
    return -1;
}

void trj_pool_close(struct trj_pool *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->running; i++) pthread_join(p->helper[i], NULL);
    pthread_cond_destroy(&p->finished);
    pthread_cond_destroy(&p->start);
    pthread_mutex_destroy(&p->lock);
    free(p->helper);
    free(p);
}

unsigned trj_pool_threads(const struct trj_pool *p) {
    return p->threads;
}

void trj_pool_run(struct trj_pool *p, void (*work)(void *, unsigned, size_t), void *arg, size_t items) {
    p->work = work;
    p->arg = arg;
    p->items = items;
    atomic_store(&p->next, 0);
    if (items > 1 && p->running) { // one item is not worth waking anybody
        pthread_mutex_lock(&p->lock);
        p->job++;
        p->busy = p->running;
        pthread_cond_broadcast(&p->start);
        pthread_mutex_unlock(&p->lock);
        take_items(p, 0);
        pthread_mutex_lock(&p->lock);
        while (p->busy) pthread_cond_wait(&p->finished, &p->lock);
        pthread_mutex_unlock(&p->lock);
    } else {
        take_items(p, 0);
    }
}
