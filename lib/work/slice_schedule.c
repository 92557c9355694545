// SPDX-License-Identifier: MIT
// Hands out slices under one lock and takes back those of failed workers, so that no slice is lost or counted twice.
#include "slice_schedule.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "memory.h"

// Values of work_schedule_entry.holder other than the number of a worker.
static const unsigned RETURNED = UINT_MAX, DONE = UINT_MAX - 1;

// A batch in the schedule.
struct work_schedule_entry {
    struct work_batch *batch;
    struct work_schedule_entry *next; // the next younger one
    uint64_t number;                  // from 1, in the order of put; unlike an address it is never used again
    unsigned given;                   // slices below this number have been handed out at least once
    unsigned returned;                // number of slices below `given` that failed workers have left
    unsigned done;                    // number of completed slices
    unsigned holder[];                // [slices] worker, RETURNED or DONE; valid below `given`
};

struct worker {
    uint64_t last; // number of the entry of its last slice
    bool failed;
};

struct work_schedule {
    pthread_mutex_t lock;
    pthread_cond_t work, completed;
    struct work_schedule_entry *oldest, **end;
    uint64_t batches; // put so far
    struct worker *worker;
    unsigned left;     // workers that have not failed
    unsigned sleeping; // workers that wait in work_schedule_take
    size_t available;  // slices that can be handed out
    bool ended;
};

int work_schedule_open(struct work_schedule **result, unsigned workers, struct trj_error *err) {
    struct work_schedule *s = trj_alloc(1, sizeof *s, "a schedule", err);
    if (!s) return -1;
    s->worker = trj_alloc(workers, sizeof *s->worker, "workers", err);
    if (!s->worker) {
        free(s);
        return -1;
    }
    s->left = workers;
    s->end = &s->oldest;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->completed, NULL);
    *result = s;
    return 0;
}

// Removes the entry that *at points to and returns its batch.
static struct work_batch *take_out(struct work_schedule *s, struct work_schedule_entry **link) {
    struct work_schedule_entry *p = *link;
    struct work_batch *batch = p->batch;
    *link = p->next;
    if (!p->next) s->end = link;
    free(p);
    batch->entry = NULL;
    return batch;
}

void work_schedule_close(struct work_schedule *s) {
    if (!s) return;
    while (s->oldest) take_out(s, &s->oldest);
    pthread_cond_destroy(&s->completed);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s->worker);
    free(s);
}

int work_schedule_put(struct work_schedule *s, struct work_batch *batch, struct trj_error *err) {
    struct work_schedule_entry *p = trj_alloc(1, sizeof *p + batch->slices * sizeof *p->holder, "a batch", err);
    if (!p) return -1;
    p->batch = batch;
    batch->entry = p;
    pthread_mutex_lock(&s->lock);
    p->number = ++s->batches;
    *s->end = p;
    s->end = &p->next;
    s->available += batch->slices;
    // Every sleeping worker accepts any slice, so one slice needs to wake only one worker.
    if (batch->slices == 1)
        pthread_cond_signal(&s->work);
    else
        pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    return 0;
}

// Returns the entry whose slice is handed out next; the header states the order.
static struct work_schedule_entry *choose(const struct work_schedule *s, uint64_t last) {
    struct work_schedule_entry *own = NULL, *fresh = NULL, *max = NULL;
    unsigned max_left = 0;
    for (struct work_schedule_entry *p = s->oldest; p; p = p->next) {
        unsigned left = p->batch->slices - p->given;
        if (p->returned) return p;
        if (left && p->number == last) own = p;
        if (!p->given && !fresh) fresh = p;
        if (left > max_left) {
            max = p;
            max_left = left;
        }
    }
    return own ? own : fresh ? fresh : max;
}

static unsigned give(struct work_schedule *s, struct work_schedule_entry *p, unsigned worker) {
    unsigned slice = p->given;
    if (p->returned) {
        for (slice = 0; p->holder[slice] != RETURNED;) slice++;
        p->returned--;
    } else {
        p->given++;
    }
    p->holder[slice] = worker;
    s->worker[worker].last = p->number;
    s->available--;
    return slice;
}

int work_schedule_take(struct work_schedule *s, unsigned worker, bool wait, struct work_batch **batch,
                       unsigned *slice) {
    const struct worker *w = &s->worker[worker];
    pthread_mutex_lock(&s->lock);
    while (wait && !s->available && !s->ended && !w->failed) {
        s->sleeping++;
        pthread_cond_wait(&s->work, &s->lock);
        s->sleeping--;
    }
    // A worker that is counted as sleeping may have been woken already, but has not got its slice yet.
    int got = s->available > (wait ? 0 : s->sleeping) && !s->ended && !w->failed;
    if (got) {
        struct work_schedule_entry *p = choose(s, w->last);
        *batch = p->batch;
        *slice = give(s, p, worker);
    }
    pthread_mutex_unlock(&s->lock);
    return got;
}

bool work_schedule_done(struct work_schedule *s, struct work_batch *batch, unsigned slice) {
    pthread_mutex_lock(&s->lock);
    struct work_schedule_entry *p = batch->entry;
    p->holder[slice] = DONE;
    bool last = ++p->done == batch->slices;
    if (last) pthread_cond_broadcast(&s->completed);
    pthread_mutex_unlock(&s->lock);
    return last;
}

void work_schedule_fail(struct work_schedule *s, unsigned worker) {
    pthread_mutex_lock(&s->lock);
    s->left -= !s->worker[worker].failed;
    s->worker[worker].failed = true;
    for (struct work_schedule_entry *p = s->oldest; p; p = p->next)
        for (unsigned i = 0; i < p->given; i++) {
            if (p->holder[i] != worker) continue;
            p->holder[i] = RETURNED;
            p->returned++;
            s->available++;
        }
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->completed);
    pthread_mutex_unlock(&s->lock);
}

// Removes and returns the oldest complete, or the oldest incomplete, batch; NULL if there is none.
static struct work_batch *take_oldest(struct work_schedule *s, bool completed) {
    for (struct work_schedule_entry **link = &s->oldest; *link; link = &(*link)->next)
        if (((*link)->done == (*link)->batch->slices) == completed) return take_out(s, link);
    return NULL;
}

struct work_batch *work_schedule_completed(struct work_schedule *s, bool wait) {
    pthread_mutex_lock(&s->lock);
    struct work_batch *batch;
    while (!(batch = take_oldest(s, true)) && wait && s->oldest && s->left && !s->ended)
        pthread_cond_wait(&s->completed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return batch;
}

unsigned work_schedule_workers_left(struct work_schedule *s) {
    pthread_mutex_lock(&s->lock);
    unsigned left = s->left;
    pthread_mutex_unlock(&s->lock);
    return left;
}

struct work_batch *work_schedule_unfinished(struct work_schedule *s) {
    pthread_mutex_lock(&s->lock);
    struct work_batch *batch = s->left ? NULL : take_oldest(s, false);
    pthread_mutex_unlock(&s->lock);
    return batch;
}

void work_schedule_end(struct work_schedule *s) {
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->completed);
    pthread_mutex_unlock(&s->lock);
}
