// SPDX-License-Identifier: MIT
// Engine cpu, and a second engine that cannot be started: its probe fails, crashes or hangs, and its opening fails,
// hangs, or is never used. The counts are those of engine cpu, and the process ends at once. test_count_pool.c tests
// hand-overs that succeed.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): MAP_ANONYMOUS
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine_handover.h"
#include "engine_start.h"
#include "memory.h"
#include "tap.h"
#include "uniform.h"

enum { ATOMS = 100, FRAMES = 6, BINS = 20 };

static uint32_t all[ATOMS];
static char name[] = "all";
static struct trj_group group = {.name = name, .count = ATOMS, .atoms = all};
static struct rdf_pair pair = {0, 0, 1};
static char notes[1024];

static void take_note(void *arg, const char *text) {
    (void)arg;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s\n", text);
}

static struct rdf_job job = {.bins = {0, 9, BINS},
                             .atoms = ATOMS,
                             .group_count = 1,
                             .groups = &group,
                             .pair_count = 1,
                             .pairs = &pair,
                             .threads = 2,
                             .note = take_note};

// ---- the second engine

static int succeed(struct trj_error *err) {
    (void)err;
    return 0;
}

static int fail_absent(struct trj_error *err) {
    return trj_fail(err, TRJ_NO_ENGINE, "no driver");
}

static int crash(struct trj_error *err) {
    (void)err;
    abort();
}

static int end_process(struct trj_error *err) {
    (void)err;
    _exit(0);
}

// Whether the function for which the second frame waits has been called; in memory shared with the process of the
// probe.
static atomic_bool *reached;

static int hang(struct trj_error *err) {
    *reached = true;
    while (*reached) pause();
    return trj_fail(err, TRJ_FAILED, "does not hang");
}

static int open_second(void **engine, const struct rdf_job *copy, struct trj_error *err) {
    copy->note(copy->note_arg, "a device is not used");
    return rdf_engine_reference.open(engine, copy, err);
}

static int open_unused(void **engine, const struct rdf_job *copy, struct trj_error *err) {
    int rc = open_second(engine, copy, err);
    *reached = true;
    return rc;
}

static int open_busy(void **engine, const struct rdf_job *copy, struct trj_error *err) {
    (void)engine, (void)copy;
    return trj_fail(err, TRJ_NO_ENGINE, "the device is busy");
}

static int open_unusable(void **engine, const struct rdf_job *copy, struct trj_error *err) {
    (void)engine, (void)copy;
    return trj_fail(err, TRJ_USAGE, "invalid setting");
}

static int open_hanging(void **engine, const struct rdf_job *copy, struct trj_error *err) {
    (void)engine, (void)copy;
    return hang(err);
}

static struct rdf_engine second = {.kind.name = "second", .kind.workers = "devices"};

static void set_second(int (*probe)(struct trj_error *),
                       int (*open)(void **, const struct rdf_job *, struct trj_error *)) {
    second.kind.probe = probe;
    second.open = open;
    second.add = rdf_engine_reference.add;
    second.end_record = rdf_engine_reference.end_record;
    second.finish = rdf_engine_reference.finish;
    second.stats = rdf_engine_reference.stats;
    second.close = rdf_engine_reference.close;
}

// ---- runs

static int fill(struct trj_frame *f, struct trj_error *err) {
    if (trj_frame_resize(f, ATOMS, err)) return -1;
    f->unit = 1;
    f->cell = (struct trj_cell){{{20, 0, 0}, {0, 20, 0}, {0, 0, 20}}, 7};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < ATOMS; i++) f->x[k][i] = (float)(20 * uniform());
    return 0;
}

static bool await; // frames wait until `reached` is set

static int count(const struct rdf_engine *e, void *state, uint64_t *counts, struct trj_error *err) {
    struct trj_frame f = {.atoms = 0};
    int rc = 0;
    uniform_state = 5;
    for (int n = 0; !rc && n < FRAMES; n++) {
        rc = fill(&f, err) || e->add(state, &f, err);
        while (await && !*reached) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    rc = rc || e->finish(state, counts, err);
    trj_frame_free(&f);
    return rc ? -1 : 0;
}

static const struct rdf_engine handover = {.add = rdf_handover_add, .finish = rdf_handover_finish};
static uint64_t want[BINS];

// Counts with a hand-over at frame `at`, or without one. Returns -1 with err->status TRJ_OK if counts are wrong.
static int run(const char *at, struct trj_error *err) {
    uint64_t got[BINS];
    void *state;
    notes[0] = 0;
    if (at)
        setenv("TRJPIPE_HANDOVER", at, 1);
    else
        unsetenv("TRJPIPE_HANDOVER");
    if (rdf_handover_open(&state, &rdf_engine_cpu, &second, &job, err)) return -1;
    int rc = count(&handover, state, got, err);
    rdf_handover_close(state);
    return rc || !memcmp(got, want, sizeof want) ? rc : trj_fail(err, TRJ_OK, "wrong counts");
}

static bool right(const char *at) {
    struct trj_error err;
    if (!run(at, &err)) return true;
    printf("# %s\n", err.text);
    return false;
}

// Runs in a child process, as a tool does that ends with an abandoned start. Returns whether the counts are right and
// the process has ended in time.
static bool ends_abandoned(const char *at) {
    fflush(stdout);
    pid_t process = fork();
    if (!process) {
        alarm(300); // ends the child, with a signal
        bool good = right(at) && work_start_abandoned();
        fflush(stdout);
        _exit(!good);
    }
    int status;
    return process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && !WEXITSTATUS(status);
}

// ---- tests

static void test_probe(void) {
    set_second(fail_absent, open_second);
    ok(right("2") && !notes[0], "the probe fails: engine cpu counts everything, without a note");
    set_second(crash, open_second);
    ok(right("0") && has_text(notes, "note: engine second: its driver crashed when it was started"),
       "the probe crashes: %s", notes);
    set_second(end_process, open_second);
    ok(right("3") && has_text(notes, "the process ended without a result"), "the probe ends its process: %s", notes);
    set_second(hang, open_second);
    await = true;
    ok(right("1000") && !notes[0] && !work_start_abandoned(), "the probe hangs: the end does not wait");
    await = *reached = false;
}

static void test_open(void) {
    struct trj_error err;
    set_second(succeed, open_second);
    for (int at = 0; at < FRAMES; at++) {
        char text[16];
        snprintf(text, sizeof text, "%d", at);
        ok(right(text) && !strcmp(notes, "a device is not used\nengine cpu, then second, devices 1\n"),
           "take over at frame %d: the same counts; notes are in order", at);
    }
    set_second(NULL, open_second);
    ok(right("1"), "an engine without a probe");
    set_second(succeed, open_busy);
    ok(right("2") && !strcmp(notes, "note: the device is busy\n"), "opening fails: engine cpu continues, with a note");
    set_second(succeed, open_unusable);
    ok(run("2", &err) && err.status == TRJ_USAGE && has_text(err.text, "invalid setting"),
       "an invalid setting is an error");
    await = true;
    set_second(succeed, open_hanging);
    ok(ends_abandoned("1000"), "opening hangs: the process ends with the right counts");
    *reached = false;
    set_second(succeed, open_unused);
    ok(ends_abandoned("1000"), "an engine that is ready too late: the process ends with the right counts");
    await = *reached = false;
}

static void test_delay(void) {
    set_second(crash, open_second);
    ok(right(NULL) && !notes[0], "a short job starts nothing");
    struct trj_error err;
    ok(run("x", &err) && err.status == TRJ_USAGE, "invalid TRJPIPE_HANDOVER: rejected: %s", err.text);
}

static void test_decision(void) {
    ok(!work_start_pays(0.01, 0, NAN, false), "no start at once");
    ok(work_start_pays(1, 0, NAN, false), "an input of unknown size: a start");
    ok(!work_start_pays(1, 0, 0.9, false), "little input is left: no start");
    ok(work_start_pays(1, 0, 0.01, false), "much input is left: a start");
    ok(work_start_pays(1, 0.1, 0.1, false), "no progress so far: a start");
    ok(!work_start_pays(1, 0, 1, false) && !work_start_pays(1, 1, 1, false), "all input is read: no start");
    ok(work_start_pays(1, 0, 0.8, true) && !work_start_pays(1, 0, 0.99, true), "an engine that is ready");
}

int main(void) {
    struct trj_error err;
    void *state;
    reached = mmap(NULL, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reached == MAP_FAILED) exit(1);
    for (uint32_t i = 0; i < ATOMS; i++) all[i] = i;
    if (rdf_engine_reference.open(&state, &job, &err) || count(&rdf_engine_reference, state, want, &err)) exit(1);
    rdf_engine_reference.close(state);
    test_probe();
    test_open();
    test_delay();
    test_decision();
    return done();
}
