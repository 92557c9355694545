// SPDX-License-Identifier: MIT
// The schedule processes every slice once, whichever workers fail, hands slices out in the stated order, and wakes
// workers.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "memory.h"
#include "slice_schedule.h"
#include "tap.h"
#include "tool.h"

enum { MAX_WORKERS = 8, BATCHES = 24, MAX_SLICES = 9, NEVER = 1 << 30 };

static void sleep_us(long us) {
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static struct work_schedule *open_schedule(unsigned workers) {
    struct trj_error err;
    struct work_schedule *s = NULL;
    if (work_schedule_open(&s, workers, &err)) exit(1);
    return s;
}

// A batch that records which slices were processed.
struct work {
    struct work_batch batch;
    atomic_uint done[MAX_SLICES],
        last; // number of times that work_schedule_done reported the last slice
    bool unfinished;
};

struct worker {
    struct work_schedule *s;
    unsigned number;
    long us;       // time of a slice
    unsigned hold; // slices that it takes before it processes the first
    int fails_at;  // number of the slice at which it fails, from 0
    int taken;
    pthread_t thread;
};

static void *worker_main(void *data) {
    struct worker *w = data;
    struct work_batch *batch[4];
    unsigned slice[4], held = 0;
    for (;;) {
        while (held < w->hold && work_schedule_take(w->s, w->number, !held, &batch[held], &slice[held])) {
            if (w->taken++ < w->fails_at) {
                held++;
                continue;
            }
            work_schedule_fail(w->s, w->number);
            return NULL;
        }
        if (!held) return NULL;
        held--;
        if (w->us) sleep_us(w->us);
        struct work *work = (struct work *)batch[held];
        atomic_fetch_add(&work->done[slice[held]], 1);
        if (work_schedule_done(w->s, batch[held], slice[held])) atomic_fetch_add(&work->last, 1);
    }
}

// Slices are processed once; in an unfinished batch at most once, and not all.
static bool is_valid(const struct work *w) {
    unsigned done = 0, twice = 0;
    for (unsigned i = 0; i < w->batch.slices; i++) {
        done += w->done[i] > 0;
        twice += w->done[i] > 1;
    }
    return !twice && (done < w->batch.slices) == w->unfinished;
}

// Runs the batches, a few at a time. Each must be returned as completed, or as unfinished when no worker is left.
// Returns the number of unfinished batches; -1: a batch was lost, or a slice was done twice.
static int run_batches(struct worker *workers, unsigned count, unsigned at_a_time) {
    static struct work works[BATCHES];
    struct work_schedule *s = open_schedule(count);
    struct trj_error err;
    unsigned unfinished = 0, under_way = 0;
    bool good = true;
    for (unsigned i = 0; i < count; i++) {
        workers[i].s = s;
        workers[i].number = i;
        pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
    }
    for (unsigned i = 0; i < BATCHES || under_way;) {
        if (i < BATCHES && under_way < at_a_time) {
            works[i] = (struct work){.batch = {.slices = 1 + i * 5 % MAX_SLICES}};
            good &= !work_schedule_put(s, &works[i++].batch, &err);
            under_way++;
            continue;
        }
        struct work *w = (struct work *)work_schedule_completed(s, true);
        if (!w) {
            w = (struct work *)work_schedule_unfinished(s);
            if (!w || work_schedule_workers_left(s)) return -1;
            w->unfinished = true;
            unfinished++;
        }
        under_way--;
        good &= is_valid(w);
    }
    good &= !work_schedule_completed(s, true) && !work_schedule_unfinished(s);
    work_schedule_end(s);
    for (unsigned i = 0; i < count; i++) pthread_join(workers[i].thread, NULL);
    work_schedule_close(s);
    for (unsigned i = 0; i < BATCHES; i++) good &= works[i].last == !works[i].unfinished;
    return good ? (int)unfinished : -1;
}

static void test_workers(void) {
    for (unsigned n = 1; n <= MAX_WORKERS; n++) {
        struct worker w[MAX_WORKERS];
        for (unsigned i = 0; i < n; i++) w[i] = (struct worker){.us = 40 * i * i, .hold = 1 + i % 3, .fails_at = NEVER};
        bool good = run_batches(w, n, 3) == 0;
        for (unsigned i = 0; i < n; i++) w[i] = (struct worker){.us = 30 * i, .hold = 1 + i % 2, .fails_at = NEVER};
        good &= run_batches(w, n, BATCHES) == 0;
        ok(good, "%u workers of different speed: every slice is processed once", n);
    }
}

static void test_failures(void) {
    bool good = true;
    for (unsigned n = 2; n <= 4; n++)
        for (unsigned who = 0; who < n; who++)
            for (int item = 0; item < 16; item++) {
                struct worker w[MAX_WORKERS];
                for (unsigned i = 0; i < n; i++)
                    w[i] = (struct worker){.hold = 1 + (i + (unsigned)item) % 3, .fails_at = i == who ? item : NEVER};
                good &= run_batches(w, n, 5) == 0;
            }
    ok(good, "a worker fails at any slice: the others process every slice once");
    good = true;
    for (unsigned survivor = 0; survivor < 5; survivor++)
        for (int item = 0; item < 8; item++) {
            struct worker w[MAX_WORKERS];
            for (unsigned i = 0; i < 5; i++)
                w[i] =
                    (struct worker){.us = 20 * i, .hold = 1 + i % 3, .fails_at = i == survivor ? NEVER : item + (int)i};
            good &= run_batches(w, 5, 4) == 0;
        }
    ok(good, "four of five workers fail: the last processes every slice once");
    good = true;
    int unfinished = 0;
    for (unsigned n = 1; n <= 4; n++)
        for (int item = 0; item < 16; item++) {
            struct worker w[MAX_WORKERS];
            for (unsigned i = 0; i < n; i++) w[i] = (struct worker){.hold = 1 + i % 3, .fails_at = item};
            int left = run_batches(w, n, 5); // at most 4 * 16 slices of 117 are processed
            good &= left > 0;
            unfinished += left;
        }
    ok(good, "all workers fail: every batch comes back, as complete or as unfinished");
    printf("# %d unfinished batches in 64 runs of %d batches\n", unfinished, BATCHES);
}

// Takes a slice without sleeping and returns whether it is this one.
static bool takes(struct work_schedule *s, unsigned worker, const struct work_batch *batch, unsigned slice) {
    struct work_batch *got;
    unsigned number;
    return work_schedule_take(s, worker, false, &got, &number) && got == batch && number == slice;
}

static bool takes_nothing(struct work_schedule *s, unsigned worker) {
    struct work_batch *got;
    unsigned number;
    return !work_schedule_take(s, worker, false, &got, &number);
}

static void test_order(void) {
    struct work_schedule *s = open_schedule(4);
    struct trj_error err;
    struct work_batch a = {.slices = 4}, b = {.slices = 3}, c = {.slices = 6};
    ok(takes_nothing(s, 0), "nothing to take from an empty schedule");
    work_schedule_put(s, &a, &err);
    work_schedule_put(s, &b, &err);
    ok(takes(s, 0, &a, 0), "a worker gets the oldest batch first");
    ok(takes(s, 1, &b, 0), "another worker gets the next batch that is not begun");
    ok(takes(s, 0, &a, 1) && takes(s, 1, &b, 1), "each worker continues with its batch");
    work_schedule_put(s, &c, &err);
    ok(takes(s, 0, &a, 2), "the worker's own batch precedes one that is not begun");
    ok(takes(s, 2, &c, 0), "another worker begins that batch");
    ok(takes(s, 3, &c, 1), "the last worker gets a slice of the batch with the most slices left");
    ok(takes(s, 0, &a, 3) && takes(s, 0, &c, 2), "a worker whose batch is finished gets one of the same batch");
    work_schedule_done(s, &b, 0);
    work_schedule_fail(s, 1); // returns slice 1 of b
    work_schedule_fail(s, 0); // returns all of a and slice 2 of c
    ok(work_schedule_workers_left(s) == 2, "two workers are left");
    ok(takes_nothing(s, 0) && takes_nothing(s, 1), "failed workers get no slice");
    ok(takes(s, 2, &a, 0) && takes(s, 3, &a, 1) && takes(s, 2, &a, 2) && takes(s, 3, &a, 3) && takes(s, 3, &b, 1) &&
           takes(s, 2, &c, 2),
       "slices of failed workers precede all others, those of the oldest batch first");
    ok(takes(s, 3, &b, 2) && takes(s, 2, &c, 3) && takes(s, 3, &c, 4) && takes(s, 2, &c, 5) && takes_nothing(s, 2),
       "then each worker continues with the batch of its last slice, to the end");
    ok(!work_schedule_completed(s, false), "no batch is complete yet");
    for (unsigned i = 0; i < 6; i++) ok(work_schedule_done(s, &c, i) == (i == 5), "done: %u of 6", i + 1);
    for (unsigned i = 0; i < 4; i++) work_schedule_done(s, &a, i);
    ok(work_schedule_completed(s, true) == &a && work_schedule_completed(s, false) == &c &&
           !work_schedule_completed(s, false),
       "complete batches come in the order of put");
    ok(!work_schedule_unfinished(s), "no batch is unfinished while a worker is left");
    work_schedule_fail(s, 2);
    work_schedule_fail(s, 2);
    ok(work_schedule_workers_left(s) == 1, "a worker that fails twice counts once");
    work_schedule_fail(s, 3);
    ok(!work_schedule_completed(s, true) && work_schedule_unfinished(s) == &b && !work_schedule_unfinished(s),
       "no worker is left: a batch that is not complete is unfinished");
    work_schedule_put(s, &a, &err);
    ok(!work_schedule_completed(s, true) && work_schedule_unfinished(s) == &a, "so is a batch that is put in later");
    work_schedule_close(s);
}

struct sleeper {
    struct work_schedule *s;
    unsigned worker;
    atomic_int taken; // -1: has not returned
    double woke;
    pthread_t thread;
};

static void *sleeper_main(void *data) {
    struct sleeper *p = data;
    struct work_batch *batch;
    unsigned slice;
    int got = work_schedule_take(p->s, p->worker, true, &batch, &slice);
    p->woke = trj_seconds();
    atomic_store(&p->taken, got);
    return NULL;
}

static void *completed_main(void *data) {
    struct sleeper *p = data;
    atomic_store(&p->taken, work_schedule_completed(p->s, true) != NULL);
    return NULL;
}

static void start(struct sleeper *p, struct work_schedule *s, unsigned worker, void *(*run)(void *)) {
    *p = (struct sleeper){.s = s, .worker = worker, .taken = -1};
    pthread_create(&p->thread, NULL, run, p);
}

static void test_sleep(void) {
    struct work_schedule *s = open_schedule(4);
    struct sleeper p[4], caller;
    struct trj_error err;
    struct work_batch batch = {.slices = 2}, *got;
    unsigned slice;
    for (unsigned i = 0; i < 4; i++) start(&p[i], s, i, sleeper_main);
    sleep_us(2000);
    work_schedule_fail(s, 3);
    pthread_join(p[3].thread, NULL);
    ok(p[3].taken == 0, "a sleeping worker that fails wakes up without a slice");
    work_schedule_end(s);
    for (unsigned i = 0; i < 3; i++) pthread_join(p[i].thread, NULL);
    ok(p[0].taken == 0 && p[1].taken == 0 && p[2].taken == 0, "the end wakes sleeping workers");
    work_schedule_put(s, &batch, &err);
    ok(!work_schedule_take(s, 0, true, &got, &slice), "after the end no slice is handed out, and no worker sleeps");
    ok(!work_schedule_completed(s, true), "nor does the thread that waits for a batch");
    work_schedule_close(s);

    s = open_schedule(1);
    ok(!work_schedule_completed(s, true), "an empty schedule: the thread that waits for a batch does not sleep");
    work_schedule_put(s, &batch, &err);
    work_schedule_take(s, 0, true, &got, &slice);
    start(&caller, s, 0, completed_main);
    sleep_us(2000);
    work_schedule_fail(s, 0);
    pthread_join(caller.thread, NULL);
    ok(caller.taken == 0 && work_schedule_unfinished(s) == &batch,
       "the failure of the last worker wakes the thread that waits for a batch");
    work_schedule_close(s);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Measures how long a sleeping worker takes to wake up, and whether a busy worker leaves the slice to it.
static void measure(void) {
    enum { TIMES = 201 };
    double took[TIMES];
    unsigned snatched = 0, good = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        struct work_schedule *s = open_schedule(2);
        struct sleeper p;
        struct trj_error err;
        struct work_batch batch = {.slices = 1};
        start(&p, s, 0, sleeper_main);
        sleep_us(300);
        double put = trj_seconds();
        work_schedule_put(s, &batch, &err);
        bool snatch = !takes_nothing(s, 1);
        if (snatch) work_schedule_end(s);
        pthread_join(p.thread, NULL);
        took[i] = p.woke - put;
        snatched += snatch;
        good += p.taken == !snatch;
        work_schedule_close(s);
    }
    ok(good == TIMES, "one slice is handed out to one worker");
    qsort(took, TIMES, sizeof *took, by_size);
    printf("# a sleeping worker wakes up in %.1f us (median of %d); a busy worker took %u of these slices\n",
           took[TIMES / 2] * 1e6, TIMES, snatched);
}

int main(void) {
    test_order();
    test_sleep();
    test_workers();
    test_failures();
    measure();
    return done();
}
