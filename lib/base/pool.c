// SPDX-License-Identifier: MIT
// Implements the thread pool with one lock, which protects all of its state, so that tasks of several frames can be in
// flight at once.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): sched_getaffinity, CPU_COUNT
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

struct task {
    enum {
        FREE,  // not started, or complete
        READY, // `next` must be called
        BUSY,  // a thread is in `next`
        SPLIT, // the items of a step are processed
    } state;
    unsigned long number; // tasks are numbered in the order in which they were started
    size_t items;         // of this step
    atomic_size_t taken;  // number of items that threads have taken; may exceed `items`
    unsigned inside;      // threads that process items
};

struct trj_pool {
    const struct trj_pool_work *work;
    void *arg;
    unsigned threads, running;   // running: number of helper threads that were started
    pthread_t *helper;           // [threads - 1]
    pthread_mutex_t lock;        // protects all members below
    pthread_cond_t work_found;   // helpers wait for it
    unsigned asleep, called;     // helpers that wait; wake-ups of them that they have not received yet
    pthread_cond_t owner_called; // the thread that calls this interface waits for it
    bool owner_waits;            // for work, and for `awaited` or `awaited_free`
    const struct task *awaited;  // NULL: `awaited_free` tasks must be free
    unsigned awaited_free;
    unsigned long started; // tasks started so far
    unsigned task_count;
    atomic_uint free_tasks; // also read without the lock, between items
    atomic_bool closing;    // also read without the lock
    struct task *tasks;
};

// Wakes as many threads as can work on `items` items. To wake all of them would cost more than small tasks do: each
// takes the lock in turn, and most find nothing and sleep again.
static void wake_for_items(struct trj_pool *p, size_t items) {
    for (; items && p->called < p->asleep; items--) {
        p->called++;
        pthread_cond_signal(&p->work_found);
    }
    if (items && p->owner_waits) pthread_cond_signal(&p->owner_called);
}

static void set_free(struct trj_pool *p, struct task *j) {
    j->state = FREE;
    p->free_tasks++;
    if (p->owner_waits && (p->awaited ? p->awaited == j : p->free_tasks >= p->awaited_free))
        pthread_cond_signal(&p->owner_called);
}

static void sleep_as_helper(struct trj_pool *p) {
    p->asleep++;
    while (!p->called && !p->closing) pthread_cond_wait(&p->work_found, &p->lock);
    if (p->called) p->called--;
    p->asleep--;
}

static void sleep_as_owner(struct trj_pool *p, const struct task *awaited, unsigned free_tasks) {
    p->awaited = awaited;
    p->awaited_free = free_tasks;
    p->owner_waits = true;
    pthread_cond_wait(&p->owner_called, &p->lock);
    p->owner_waits = false;
}

// Returns the oldest task that no thread works on; if there is none, the oldest with items left; NULL if there is no
// work. Each thread therefore works on one task as long as there are enough tasks.
static struct task *find(struct trj_pool *p) {
    struct task *best = NULL;
    for (struct task *j = p->tasks; j < p->tasks + p->task_count; j++) {
        bool has_work = j->state == READY || (j->state == SPLIT && atomic_load(&j->taken) < j->items);
        if (has_work && (!best || (j->inside == 0) > (best->inside == 0) ||
                         ((j->inside == 0) == (best->inside == 0) && j->number < best->number)))
            best = j;
    }
    return best;
}

// Works on a task as long as it has items, or, if `leave` is set, until any task is free. Called with the lock held.
static void work_on(struct trj_pool *p, struct task *j, unsigned worker, bool leave) {
    unsigned number = (unsigned)(j - p->tasks);
    if (j->state == READY) {
        j->state = BUSY;
        pthread_mutex_unlock(&p->lock);
        size_t items = p->work->next(p->arg, worker, number);
        pthread_mutex_lock(&p->lock);
        if (!items) {
            set_free(p, j);
            return;
        }
        j->items = items;
        atomic_store(&j->taken, 0);
        j->state = SPLIT;
        wake_for_items(p, items - 1); // this thread takes an item itself
    }
    j->inside++;
    pthread_mutex_unlock(&p->lock);
    while (!p->closing && !(leave && p->free_tasks)) {
        size_t i = atomic_fetch_add(&j->taken, 1);
        if (i >= j->items) break;
        p->work->item(p->arg, worker, number, i);
    }
    pthread_mutex_lock(&p->lock);
    j->inside--;
    if (j->inside) return;
    if (atomic_load(&j->taken) >= j->items) j->state = READY;
    if (leave) wake_for_items(p, 1); // this thread leaves; another one must call `next`
}

struct helper {
    struct trj_pool *pool;
    unsigned worker;
};

static void *helper_main(void *data) {
    struct helper self = *(struct helper *)data;
    free(data);
    struct trj_pool *p = self.pool;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        struct task *j = find(p);
        if (j)
            work_on(p, j, self.worker, false);
        else
            sleep_as_helper(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static unsigned sharing = 1; // processes that share the CPUs

void trj_pool_divide(unsigned processes) {
    sharing = processes > 1 ? processes : 1;
}

// Returns the number of CPUs of a task of Slurm, or UINT64_MAX outside of one. Slurm restricts the affinity mask only
// with some of its plugins (task/affinity, task/cgroup); without these, the mask is that of the node.
static uint64_t slurm_cpus(void) {
    const char *text = getenv("SLURM_CPUS_PER_TASK");
    uint64_t n;
    return text && trj_parse_u64(text, &n) && n ? n : UINT64_MAX;
}

unsigned trj_pool_size(unsigned threads) {
    cpu_set_t set;
    if (threads) return threads;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    unsigned allowed = sharing > 1 ? (unsigned)n / sharing : (unsigned)n;
    if (!allowed) allowed = 1;
    return slurm_cpus() < allowed ? (unsigned)slurm_cpus() : allowed;
}

int trj_pool_open(struct trj_pool **result, unsigned threads, unsigned tasks, const struct trj_pool_work *work,
                  void *arg, struct trj_error *err) {
    struct trj_pool *p = trj_alloc(1, sizeof *p, "a thread pool", err);
    if (!p) return -1;
    p->work = work;
    p->arg = arg;
    p->threads = trj_pool_size(threads);
    p->task_count = tasks;
    atomic_init(&p->free_tasks, tasks);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work_found, NULL);
    pthread_cond_init(&p->owner_called, NULL);
    p->tasks = trj_alloc(tasks, sizeof *p->tasks, "tasks", err);
    p->helper = p->tasks ? trj_alloc(p->threads, sizeof *p->helper, "threads", err) : NULL;
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
    pthread_cond_broadcast(&p->work_found);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->running; i++) pthread_join(p->helper[i], NULL);
    pthread_cond_destroy(&p->work_found);
    pthread_cond_destroy(&p->owner_called);
    pthread_mutex_destroy(&p->lock);
    free(p->helper);
    free(p->tasks);
    free(p);
}

unsigned trj_pool_threads(const struct trj_pool *p) {
    return p->threads;
}

// Works, as worker 0, until at least `free_tasks` tasks are free.
static void work_until(struct trj_pool *p, unsigned free_tasks) {
    while (p->free_tasks < free_tasks) {
        struct task *j = find(p);
        if (j)
            work_on(p, j, 0, free_tasks < p->task_count);
        else
            sleep_as_owner(p, NULL, free_tasks);
    }
}

unsigned trj_pool_free_task(struct trj_pool *p) {
    pthread_mutex_lock(&p->lock);
    work_until(p, 1);
    unsigned task = 0;
    while (p->tasks[task].state != FREE) task++;
    pthread_mutex_unlock(&p->lock);
    return task;
}

void trj_pool_start(struct trj_pool *p, unsigned task) {
    pthread_mutex_lock(&p->lock);
    p->tasks[task].state = READY;
    p->tasks[task].number = p->started++;
    p->free_tasks--;
    wake_for_items(p, 1);
    pthread_mutex_unlock(&p->lock);
}

void trj_pool_wait(struct trj_pool *p, unsigned task) {
    pthread_mutex_lock(&p->lock);
    while (p->tasks[task].state != FREE) {
        struct task *j = find(p);
        if (j)
            work_on(p, j, 0, false);
        else
            sleep_as_owner(p, &p->tasks[task], 0);
    }
    pthread_mutex_unlock(&p->lock);
}

void trj_pool_finish(struct trj_pool *p) {
    pthread_mutex_lock(&p->lock);
    work_until(p, p->task_count);
    pthread_mutex_unlock(&p->lock);
}
