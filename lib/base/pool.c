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

struct job {
    enum {
        FREE,  // not in flight
        READY, // for `next`
        BUSY,  // in it
        SPLIT  // into items
    } state;
    unsigned long age;   // of two jobs the one started first has the lower
    size_t items;        // of this step
    atomic_size_t taken; // of them; runs beyond
    unsigned inside;     // threads that take items
};

struct trj_pool {
    const struct trj_pool_work *work;
    void *arg;
    unsigned threads, running; // running: helpers that were started
    pthread_t *helper;
    pthread_mutex_t lock; // of all below
    pthread_cond_t change;
    unsigned asleep;
    unsigned long started; // jobs so far
    unsigned job_count;
    atomic_uint free_jobs; // read without the lock too, between items
    atomic_bool closing;   // likewise
    struct job *jobs;
};

static void wake(struct trj_pool *p) {
    if (p->asleep) pthread_cond_broadcast(&p->change);
}

static void sleep_until_change(struct trj_pool *p) {
    p->asleep++;
    pthread_cond_wait(&p->change, &p->lock);
    p->asleep--;
}

// Something to do: a job nobody is at before one to help with, the oldest first. Threads so keep to their own job where there are enough.
static struct job *find(struct trj_pool *p) {
    struct job *best = NULL;
    for (struct job *j = p->jobs; j < p->jobs + p->job_count; j++) {
        bool wants = j->state == READY || (j->state == SPLIT && atomic_load(&j->taken) < j->items);
        if (wants && (!best || (j->inside == 0) > (best->inside == 0) ||
                      ((j->inside == 0) == (best->inside == 0) && j->age < best->age)))
            best = j;
    }
    return best;
}

// Works at a job as long as there is something to do, or, with `leave`, until some job is free. Called with the lock held.
static void work_at(struct trj_pool *p, struct job *j, unsigned worker, bool leave) {
    unsigned number = (unsigned)(j - p->jobs);
    if (j->state == READY) {
        j->state = BUSY;
        pthread_mutex_unlock(&p->lock);
        size_t items = p->work->next(p->arg, worker, number);
        pthread_mutex_lock(&p->lock);
        if (!items) {
            j->state = FREE;
            p->free_jobs++;
            wake(p);
            return;
        }
        j->items = items;
        atomic_store(&j->taken, 0);
        j->state = SPLIT;
        if (items > 1) wake(p); // one item is not worth waking anybody
    }
    j->inside++;
    pthread_mutex_unlock(&p->lock);
    while (!p->closing && !(leave && p->free_jobs)) {
        size_t i = atomic_fetch_add(&j->taken, 1);
        if (i >= j->items) break;
        p->work->item(p->arg, worker, number, i);
    }
    pthread_mutex_lock(&p->lock);
    j->inside--;
    if (j->inside) return;
    if (atomic_load(&j->taken) >= j->items) j->state = READY;
    if (leave) wake(p); // who goes leaves it to the others
}

struct helper {
    struct trj_pool *pool;
    unsigned worker;
};

static void *helper_main(void *data) {
    struct helper me = *(struct helper *)data;
    free(data);
    struct trj_pool *p = me.pool;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        struct job *j = find(p);
        if (j)
            work_at(p, j, me.worker, false);
        else
            sleep_until_change(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

unsigned trj_pool_size(unsigned threads) {
    cpu_set_t set;
    if (threads) return threads;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

int trj_pool_open(struct trj_pool **result, unsigned threads, unsigned jobs, const struct trj_pool_work *work,
                  void *arg, struct trj_error *err) {
    struct trj_pool *p = trj_alloc(1, sizeof *p, "a thread pool", err);
    if (!p) return -1;
    p->work = work;
    p->arg = arg;
    p->threads = trj_pool_size(threads);
    p->job_count = jobs;
    atomic_init(&p->free_jobs, jobs);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->change, NULL);
    p->jobs = trj_alloc(jobs, sizeof *p->jobs, "jobs", err);
    p->helper = p->jobs ? trj_alloc(p->threads, sizeof *p->helper, "threads", err) : NULL;
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
    wake(p);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->running; i++) pthread_join(p->helper[i], NULL);
    pthread_cond_destroy(&p->change);
    pthread_mutex_destroy(&p->lock);
    free(p->helper);
    free(p->jobs);
    free(p);
}

unsigned trj_pool_threads(const struct trj_pool *p) {
    return p->threads;
}

// Works, as worker 0, until so many jobs are free.
static void work_until(struct trj_pool *p, unsigned free_jobs) {
    while (p->free_jobs < free_jobs) {
        struct job *j = find(p);
        if (j)
            work_at(p, j, 0, free_jobs < p->job_count);
        else
            sleep_until_change(p);
    }
}

unsigned trj_pool_free_task(struct trj_pool *p) {
    pthread_mutex_lock(&p->lock);
    work_until(p, 1);
    unsigned job = 0;
    while (p->jobs[job].state != FREE) job++;
    pthread_mutex_unlock(&p->lock);
    return job;
}

void trj_pool_start(struct trj_pool *p, unsigned job) {
    pthread_mutex_lock(&p->lock);
    p->jobs[job].state = READY;
    p->jobs[job].age = p->started++;
    p->free_jobs--;
    if (p->asleep) pthread_cond_signal(&p->change);
    pthread_mutex_unlock(&p->lock);
}

void trj_pool_wait(struct trj_pool *p, unsigned job) {
    pthread_mutex_lock(&p->lock);
    while (p->jobs[job].state != FREE) {
        struct job *j = find(p);
        if (j)
            work_at(p, j, 0, false);
        else
            sleep_until_change(p);
    }
    pthread_mutex_unlock(&p->lock);
}

void trj_pool_finish(struct trj_pool *p) {
    pthread_mutex_lock(&p->lock);
    work_until(p, p->job_count);
    pthread_mutex_unlock(&p->lock);
}
