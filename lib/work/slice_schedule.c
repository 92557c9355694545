// SPDX-License-Identifier: MIT
#include "slice_schedule.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "memory.h"

// What takes the place of a worker in tile_schedule_part.holder.
static const unsigned RETURNED = UINT_MAX, DONE = UINT_MAX - 1;

// A job in the schedule.
struct tile_schedule_part {
    struct tile_job *job;
    struct tile_schedule_part *next; // put after it
    uint64_t number;                 // from 1, in the order of put: unlike an address it is never used again
    unsigned given;                  // slices from this one on nobody was given yet
    unsigned returned;               // of those before it, how many failed workers have left behind
    unsigned done;
    unsigned holder[]; // of a slice below `given`
};

struct worker {
    uint64_t last; // number of the job it was last given a slice of
    bool failed;
};

struct tile_schedule {
    pthread_mutex_t lock;
    pthread_cond_t work, completed;
    struct tile_schedule_part *oldest, **end;
    uint64_t jobs; // put so far
    struct worker *worker;
    unsigned left;     // workers that have not failed
    unsigned sleeping; // in take
    size_t available;  // slices to give
    bool ended;
};

int tile_schedule_open(struct tile_schedule **result, unsigned workers, struct trj_error *err) {
    struct tile_schedule *s = trj_alloc(1, sizeof *s, "a schedule", err);
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

// Takes the job out that *at points to.
static struct tile_job *take_out(struct tile_schedule *s, struct tile_schedule_part **at) {
    struct tile_schedule_part *p = *at;
    struct tile_job *job = p->job;
    *at = p->next;
    if (!p->next) s->end = at;
    free(p);
    job->part = NULL;
    return job;
}

void tile_schedule_close(struct tile_schedule *s) {
    if (!s) return;
    while (s->oldest) take_out(s, &s->oldest);
    pthread_cond_destroy(&s->completed);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s->worker);
    free(s);
}

int tile_schedule_put(struct tile_schedule *s, struct tile_job *job, struct trj_error *err) {
    struct tile_schedule_part *p = trj_alloc(1, sizeof *p + job->slices * sizeof *p->holder, "a job", err);
    if (!p) return -1;
    p->job = job;
    job->part = p;
    pthread_mutex_lock(&s->lock);
    p->number = ++s->jobs;
    *s->end = p;
    s->end = &p->next;
    s->available += job->slices;
    // Who sleeps waits for any slice: one is enough for one.
    if (job->slices == 1)
        pthread_cond_signal(&s->work);
    else
        pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    return 0;
}

// The job to give a slice of; the header has the order.
static struct tile_schedule_part *choose(const struct tile_schedule *s, uint64_t last) {
    struct tile_schedule_part *own = NULL, *fresh = NULL, *most = NULL;
    unsigned most_left = 0;
    for (struct tile_schedule_part *p = s->oldest; p; p = p->next) {
        unsigned left = p->job->slices - p->given;
        if (p->returned) return p;
        if (left && p->number == last) own = p;
        if (!p->given && !fresh) fresh = p;
        if (left > most_left) {
            most = p;
            most_left = left;
        }
    }
    return own ? own : fresh ? fresh : most;
}

static unsigned give(struct tile_schedule *s, struct tile_schedule_part *p, unsigned worker) {
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

int tile_schedule_take(struct tile_schedule *s, unsigned worker, bool wait, struct tile_job **job, unsigned *slice) {
    const struct worker *w = &s->worker[worker];
    pthread_mutex_lock(&s->lock);
    while (wait && !s->available && !s->ended && !w->failed) {
        s->sleeping++;
        pthread_cond_wait(&s->work, &s->lock);
        s->sleeping--;
    }
    // Those counted as sleeping may have been woken by now, but they have not been given anything.
    int got = s->available > (wait ? 0 : s->sleeping) && !s->ended && !w->failed;
    if (got) {
        struct tile_schedule_part *p = choose(s, w->last);
        *job = p->job;
        *slice = give(s, p, worker);
    }
    pthread_mutex_unlock(&s->lock);
    return got;
}

bool tile_schedule_done(struct tile_schedule *s, struct tile_job *job, unsigned slice) {
    pthread_mutex_lock(&s->lock);
    struct tile_schedule_part *p = job->part;
    p->holder[slice] = DONE;
    bool last = ++p->done == job->slices;
    if (last) pthread_cond_broadcast(&s->completed);
    pthread_mutex_unlock(&s->lock);
    return last;
}

void tile_schedule_fail(struct tile_schedule *s, unsigned worker) {
    pthread_mutex_lock(&s->lock);
    s->left -= !s->worker[worker].failed;
    s->worker[worker].failed = true;
    for (struct tile_schedule_part *p = s->oldest; p; p = p->next)
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

// The oldest job that is completed, or that is not; NULL: there is none.
static struct tile_job *take_oldest(struct tile_schedule *s, bool completed) {
    for (struct tile_schedule_part **at = &s->oldest; *at; at = &(*at)->next)
        if (((*at)->done == (*at)->job->slices) == completed) return take_out(s, at);
    return NULL;
}

struct tile_job *tile_schedule_completed(struct tile_schedule *s, bool wait) {
    pthread_mutex_lock(&s->lock);
    struct tile_job *job;
    while (!(job = take_oldest(s, true)) && wait && s->oldest && s->left && !s->ended)
        pthread_cond_wait(&s->completed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return job;
}

unsigned tile_schedule_workers(struct tile_schedule *s) {
    pthread_mutex_lock(&s->lock);
    unsigned left = s->left;
    pthread_mutex_unlock(&s->lock);
    return left;
}

struct tile_job *tile_schedule_orphan(struct tile_schedule *s) {
    pthread_mutex_lock(&s->lock);
    struct tile_job *job = s->left ? NULL : take_oldest(s, false);
    pthread_mutex_unlock(&s->lock);
    return job;
}

void tile_schedule_end(struct tile_schedule *s) {
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->completed);
    pthread_mutex_unlock(&s->lock);
}
