// SPDX-License-Identifier: MIT
// The scheduler: every slice is done once, whoever fails; who is given what; who sleeps is woken.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "memory.h"
#include "slice_schedule.h"
#include "tap.h"
#include "tool.h"

enum { MOST_WORKERS = 8, JOBS = 24, MOST_SLICES = 9, NEVER = 1 << 30 };

static void sleep_us(long us) {
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static struct work_schedule *open_schedule(unsigned workers) {
    struct trj_error err;
    struct work_schedule *s = NULL;
    if (work_schedule_open(&s, workers, &err)) exit(1);
    return s;
}

// A job that knows what was done of it.
struct work {
    struct work_batch job;
    atomic_uint done[MOST_SLICES],
        last; // last: how often the last slice was told, by a worker that may be late to say so
    bool orphan;
};

struct worker {
    struct work_schedule *s;
    unsigned number;
    long us;       // a slice takes
    unsigned hold; // slices it takes before it does the first
    int fails_at;  // the how-maniest slice it takes is the one it fails at
    int taken;
    pthread_t thread;
};

static void *worker_main(void *data) {
    struct worker *w = data;
    struct work_batch *job[4];
    unsigned slice[4], held = 0;
    for (;;) {
        while (held < w->hold && work_schedule_take(w->s, w->number, !held, &job[held], &slice[held])) {
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
        struct work *work = (struct work *)job[held];
        atomic_fetch_add(&work->done[slice[held]], 1);
        if (work_schedule_done(w->s, job[held], slice[held])) atomic_fetch_add(&work->last, 1);
    }
}

// Slices are done once; in an orphan at most once, and not all.
static bool is_right(const struct work *w) {
    unsigned done = 0, twice = 0;
    for (unsigned i = 0; i < w->job.slices; i++) {
        done += w->done[i] > 0;
        twice += w->done[i] > 1;
    }
    return !twice && (done < w->job.slices) == w->orphan;
}

// Runs the jobs, a few at a time; every one must come back, as completed or, when no worker is left, as an orphan. Tells how many orphans
// there were, -1: something was not right.
static int run_jobs(struct worker *workers, unsigned count, unsigned at_a_time) {
    static struct work works[JOBS];
    struct work_schedule *s = open_schedule(count);
    struct trj_error err;
    unsigned orphans = 0, under_way = 0;
    bool good = true;
    for (unsigned i = 0; i < count; i++) {
        workers[i].s = s;
        workers[i].number = i;
        pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
    }
    for (unsigned i = 0; i < JOBS || under_way;) {
        if (i < JOBS && under_way < at_a_time) {
            works[i] = (struct work){.job = {.slices = 1 + i * 5 % MOST_SLICES}};
            good &= !work_schedule_put(s, &works[i++].job, &err);
            under_way++;
            continue;
        }
        struct work *w = (struct work *)work_schedule_completed(s, true);
        if (!w) {
            w = (struct work *)work_schedule_unfinished(s);
            if (!w || work_schedule_workers_left(s)) return -1;
            w->orphan = true;
            orphans++;
        }
        under_way--;
        good &= is_right(w);
    }
    good &= !work_schedule_completed(s, true) && !work_schedule_unfinished(s);
    work_schedule_end(s);
    for (unsigned i = 0; i < count; i++) pthread_join(workers[i].thread, NULL);
    work_schedule_close(s);
    for (unsigned i = 0; i < JOBS; i++) good &= works[i].last == !works[i].orphan;
    return good ? (int)orphans : -1;
}

static void test_workers(void) {
    for (unsigned n = 1; n <= MOST_WORKERS; n++) {
        struct worker w[MOST_WORKERS];
        for (unsigned i = 0; i < n; i++) w[i] = (struct worker){.us = 40 * i * i, .hold = 1 + i % 3, .fails_at = NEVER};
        bool good = run_jobs(w, n, 3) == 0;
        for (unsigned i = 0; i < n; i++) w[i] = (struct worker){.us = 30 * i, .hold = 1 + i % 2, .fails_at = NEVER};
        good &= run_jobs(w, n, JOBS) == 0;
        ok(good, "every slice once: %u workers of unequal speed", n);
    }
}

static void test_failures(void) {
    bool good = true;
    for (unsigned n = 2; n <= 4; n++)
        for (unsigned who = 0; who < n; who++)
            for (int item = 0; item < 16; item++) {
                struct worker w[MOST_WORKERS];
                for (unsigned i = 0; i < n; i++)
                    w[i] = (struct worker){.hold = 1 + (i + (unsigned)item) % 3, .fails_at = i == who ? item : NEVER};
                good &= run_jobs(w, n, 5) == 0;
            }
    ok(good, "any worker failing at any item: the others do everything once");
    good = true;
    for (unsigned survivor = 0; survivor < 5; survivor++)
        for (int item = 0; item < 8; item++) {
            struct worker w[MOST_WORKERS];
            for (unsigned i = 0; i < 5; i++)
                w[i] =
                    (struct worker){.us = 20 * i, .hold = 1 + i % 3, .fails_at = i == survivor ? NEVER : item + (int)i};
            good &= run_jobs(w, 5, 4) == 0;
        }
    ok(good, "four of five failing: the last does everything once");
    good = true;
    int orphans = 0;
    for (unsigned n = 1; n <= 4; n++)
        for (int item = 0; item < 16; item++) {
            struct worker w[MOST_WORKERS];
            for (unsigned i = 0; i < n; i++) w[i] = (struct worker){.hold = 1 + i % 3, .fails_at = item};
            int left = run_jobs(w, n, 5); // at most 4 * 16 slices of 117 are done
            good &= left > 0;
            orphans += left;
        }
    ok(good, "all failing: every job comes back, as completed or as an orphan");
    printf("# %d orphans in 64 runs of %d jobs\n", orphans, JOBS);
}

// Takes a slice without sleeping and tells whether it is this one.
static bool takes(struct work_schedule *s, unsigned worker, const struct work_batch *job, unsigned slice) {
    struct work_batch *got;
    unsigned number;
    return work_schedule_take(s, worker, false, &got, &number) && got == job && number == slice;
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
    ok(takes(s, 0, &a, 0), "first the oldest job");
    ok(takes(s, 1, &b, 0), "then the one nobody has begun");
    ok(takes(s, 0, &a, 1) && takes(s, 1, &b, 1), "each goes on with its own");
    work_schedule_put(s, &c, &err);
    ok(takes(s, 0, &a, 2), "its own goes before one nobody has begun");
    ok(takes(s, 2, &c, 0), "another worker begins that one");
    ok(takes(s, 3, &c, 1), "the last one helps where most is left");
    ok(takes(s, 0, &a, 3) && takes(s, 0, &c, 2), "who has finished its own helps there too");
    work_schedule_done(s, &b, 0);
    work_schedule_fail(s, 1); // leaves slice 1 of b
    work_schedule_fail(s, 0); // leaves all of a and slice 2 of c
    ok(work_schedule_workers_left(s) == 2, "two are left");
    ok(takes_nothing(s, 0) && takes_nothing(s, 1), "who failed is given nothing");
    ok(takes(s, 2, &a, 0) && takes(s, 3, &a, 1) && takes(s, 2, &a, 2) && takes(s, 3, &a, 3) && takes(s, 3, &b, 1) &&
           takes(s, 2, &c, 2),
       "what failed workers left goes before all else, the oldest job first");
    ok(takes(s, 3, &b, 2) && takes(s, 2, &c, 3) && takes(s, 3, &c, 4) && takes(s, 2, &c, 5) && takes_nothing(s, 2),
       "then each goes on with what it was last given, to the end");
    ok(!work_schedule_completed(s, false), "none completed so far");
    for (unsigned i = 0; i < 6; i++) ok(work_schedule_done(s, &c, i) == (i == 5), "done: %u of 6", i + 1);
    for (unsigned i = 0; i < 4; i++) work_schedule_done(s, &a, i);
    ok(work_schedule_completed(s, true) == &a && work_schedule_completed(s, false) == &c &&
           !work_schedule_completed(s, false),
       "completed come the oldest first");
    ok(!work_schedule_unfinished(s), "no orphan while somebody is left");
    work_schedule_fail(s, 2);
    work_schedule_fail(s, 2);
    ok(work_schedule_workers_left(s) == 1, "a worker fails once");
    work_schedule_fail(s, 3);
    ok(!work_schedule_completed(s, true) && work_schedule_unfinished(s) == &b && !work_schedule_unfinished(s),
       "nobody left: what was not completed is an orphan");
    work_schedule_put(s, &a, &err);
    ok(!work_schedule_completed(s, true) && work_schedule_unfinished(s) == &a, "as is what is put in after that");
    work_schedule_close(s);
}

struct sleeper {
    struct work_schedule *s;
    unsigned worker;
    atomic_int taken; // -1: not back
    double woke;
    pthread_t thread;
};

static void *sleeper_main(void *data) {
    struct sleeper *p = data;
    struct work_batch *job;
    unsigned slice;
    int got = work_schedule_take(p->s, p->worker, true, &job, &slice);
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
    struct work_batch job = {.slices = 2}, *got;
    unsigned slice;
    for (unsigned i = 0; i < 4; i++) start(&p[i], s, i, sleeper_main);
    sleep_us(2000);
    work_schedule_fail(s, 3);
    pthread_join(p[3].thread, NULL);
    ok(p[3].taken == 0, "who fails while asleep wakes up with nothing");
    work_schedule_end(s);
    for (unsigned i = 0; i < 3; i++) pthread_join(p[i].thread, NULL);
    ok(p[0].taken == 0 && p[1].taken == 0 && p[2].taken == 0, "the end wakes sleepers");
    work_schedule_put(s, &job, &err);
    ok(!work_schedule_take(s, 0, true, &got, &slice), "after the end nothing is given, and nobody sleeps");
    ok(!work_schedule_completed(s, true), "nor does who waits for a job");
    work_schedule_close(s);

    s = open_schedule(1);
    ok(!work_schedule_completed(s, true), "nobody sleeps for a job where there is none");
    work_schedule_put(s, &job, &err);
    work_schedule_take(s, 0, true, &got, &slice);
    start(&caller, s, 0, completed_main);
    sleep_us(2000);
    work_schedule_fail(s, 0);
    pthread_join(caller.thread, NULL);
    ok(caller.taken == 0 && work_schedule_unfinished(s) == &job, "the last worker's failure wakes who waits for a job");
    work_schedule_close(s);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// How long a sleeping worker takes to wake up, and whether one that need not wait leaves it the work.
static void measure(void) {
    enum { TIMES = 201 };
    double took[TIMES];
    unsigned snatched = 0, good = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        struct work_schedule *s = open_schedule(2);
        struct sleeper p;
        struct trj_error err;
        struct work_batch job = {.slices = 1};
        start(&p, s, 0, sleeper_main);
        sleep_us(300);
        double put = trj_seconds();
        work_schedule_put(s, &job, &err);
        bool snatch = !takes_nothing(s, 1);
        if (snatch) work_schedule_end(s);
        pthread_join(p.thread, NULL);
        took[i] = p.woke - put;
        snatched += snatch;
        good += p.taken == !snatch;
        work_schedule_close(s);
    }
    ok(good == TIMES, "one slice goes to one worker");
    qsort(took, TIMES, sizeof *took, by_size);
    printf("# a sleeping worker wakes up in %.1f us (median of %d); of as many slices one that was busy took %u\n",
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
