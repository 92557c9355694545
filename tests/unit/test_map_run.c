// SPDX-License-Identifier: MIT
// Runs of simulated engines: whichever frame a second engine takes over at, the sums of all records are those of one
// engine, errors name the right frame, and statistics contain both engines. An engine that cannot start, or cannot
// compute the job or its slab, is not used.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "map_run.h"
#include "tap.h"

enum { POINTS = 3, FRAMES = 7, NEVER = 100 };

// ---- engines: point i gets (frame + 1) << 8 i

struct fake {
    int64_t sums[POINTS], result[POINTS];
    uint64_t frames;
    bool open;
};
static struct fake on_cpu, on_gpu;
static unsigned opened, gpu_frames;
static int fails_at; // number of the frame, of those that the second engine gets, at which it fails
static const int job = 5;
static char printed[4096];

static void print(const char *text) {
    size_t n = strlen(printed);
    snprintf(printed + n, sizeof printed - n, "%s\n", text);
}

static bool has(const char *text) {
    return strstr(printed, text) != NULL;
}

static int open_fake(struct fake *f, void **engine, const void *of_job, struct trj_error *err) {
    if (of_job != &job || f->open) return trj_fail(err, TRJ_FAILED, "wrong job");
    *f = (struct fake){.open = true};
    *engine = f;
    opened++;
    return 0;
}

static int open_cpu(void **engine, const void *of_job, const struct work_resources *resources, struct trj_error *err) {
    if (resources->threads != 2) return trj_fail(err, TRJ_FAILED, "wrong threads");
    return open_fake(&on_cpu, engine, of_job, err);
}

static enum { OPENS, BUSY, UNUSABLE } opening;

static int open_gpu(void **engine, const void *of_job, const struct work_resources *resources, struct trj_error *err) {
    if (opening == BUSY) return trj_fail(err, TRJ_NO_ENGINE, "the device is busy");
    if (opening == UNUSABLE) return trj_fail(err, TRJ_USAGE, "no such device");
    resources->note(resources->note_arg, "a device is not used");
    return open_fake(&on_gpu, engine, of_job, err);
}

static int add(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct fake *f = engine;
    if (f == &on_gpu && (int)f->frames == fails_at) return trj_fail(err, TRJ_BAD_DATA, "bad atom");
    for (int i = 0; i < POINTS; i++) f->sums[i] += (int64_t)(frame->index + 1) << 8 * i;
    f->frames++;
    gpu_frames += f == &on_gpu;
    return 0;
}

static int finish(void *engine, const int64_t **values, struct trj_error *err) {
    struct fake *f = engine;
    (void)err;
    memcpy(f->result, f->sums, sizeof f->sums);
    memset(f->sums, 0, sizeof f->sums);
    *values = f->result;
    return 0;
}

static int add_sums(void *engine, const int64_t *values, struct trj_error *err) {
    struct fake *f = engine;
    (void)err;
    for (int i = 0; i < POINTS; i++) f->sums[i] += values[i];
    return 0;
}

static double error_of(const void *engine) {
    return engine == &on_cpu ? 0.5 : 0.25;
}

static uint64_t bad_frame(const void *engine) {
    return ((const struct fake *)engine)->frames;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    *s = (struct trj_engine_stats){
        .workers = engine == &on_cpu ? 2 : 1, .frames = ((struct fake *)engine)->frames, .seconds = 1.5};
}

static void close_fake(void *engine) {
    ((struct fake *)engine)->open = false;
}

static int probe_result; // enum trj_status

static int probe(struct trj_error *err) {
    return probe_result ? trj_fail(err, (enum trj_status)probe_result, "no driver") : 0;
}

static bool unsuitable; // the second engine does not compute the job

static int check(const void *of_job, struct trj_error *err) {
    return unsuitable || of_job != &job ? trj_fail(err, TRJ_NO_ENGINE, "not this job") : 0;
}

static const struct work_map_engine cpu = {.kind = {.name = "cpu", .workers = "threads"},
                                           .slabs = true,
                                           .open = open_cpu,
                                           .add = add,
                                           .finish = finish,
                                           .error = error_of,
                                           .stats = stats,
                                           .close = close_fake};
static const struct work_map_engine gpu = {.kind = {.name = "gpu", .workers = "GPUs", .probe = probe},
                                           .check = check,
                                           .open = open_gpu,
                                           .add = add,
                                           .finish = finish,
                                           .add_sums = add_sums,
                                           .error = error_of,
                                           .bad_frame = bad_frame,
                                           .stats = stats,
                                           .close = close_fake};
static const struct trj_engine *const engines[] = {&gpu.kind, &cpu.kind, NULL};

// ---- runs

static uint64_t bad;  // work_map_run_bad_frame after a failure
static double bound;  // work_map_run_error at the end
static bool slab;     // the job has one
static bool first_is; // whether the first engine was `gpu`

// Adds all frames, in records of `each` frames, with a hand-over at frame `at`; NEVER: none is requested. Returns
// whether the sums of all records are right.
static bool run(int at, int each, double frame_seconds, struct trj_error *err) {
    const struct trj_engine_options options = {.engine = "auto", .threads = 2};
    const struct work_map_run_plan plan = {.options = &options,
                                           .engines = engines,
                                           .job = &job,
                                           .slab = slab,
                                           .frame_seconds = frame_seconds,
                                           .print = print};
    struct work_map_run *r;
    char text[16];
    snprintf(text, sizeof text, "%d", at);
    if (at == NEVER)
        unsetenv("TRJPIPE_HANDOVER");
    else
        setenv("TRJPIPE_HANDOVER", text, 1);
    printed[0] = 0;
    opened = gpu_frames = 0;
    *err = (struct trj_error){.status = TRJ_OK};
    if (work_map_run_open(&r, &plan, &gpu.kind, err)) return false;
    first_is = on_gpu.open;
    work_map_run_print_engine(r);
    bool good = true;
    int64_t sum = 0;
    for (int i = 0; good && i < FRAMES; i++) {
        struct trj_frame f = {.index = (uint64_t)i};
        const int64_t *values = NULL;
        sum += i + 1;
        if (work_map_run_add(r, &f, err)) good = false;
        if (!good || ((i + 1) % each && i + 1 < FRAMES)) continue;
        good = !work_map_run_finish(r, &values, err);
        for (int k = 0; good && k < POINTS; k++) good = values[k] == sum << 8 * k;
        sum = 0;
    }
    bad = work_map_run_bad_frame(r);
    bound = work_map_run_error(r);
    if (good) work_map_run_print_stats(r, 42, 0);
    work_map_run_close(r);
    return good && !on_cpu.open && !on_gpu.open;
}

int main(void) {
    struct trj_error err;
    bool good = true, stated = true;
    fails_at = NEVER;
    for (int at = 0; at < FRAMES; at++)
        for (int each = 1; each <= FRAMES; each++) {
            good &= run(at, each, 1e-3, &err) && gpu_frames == (unsigned)(FRAMES - at) && !first_is;
            stated &= has("engine cpu, threads 2\n") && has("note: a device is not used\n") &&
                      has("engine cpu, then gpu, GPUs 1\n") &&
                      has("7 frames of 42 atoms: 3.000 s in engine cpu, then gpu with 1 GPUs") &&
                      bound == (at ? 0.5 : 0.25);
        }
    ok(good, "a hand-over at every frame, in records of any length: the sums of all frames");
    ok(stated, "a hand-over: notes, engines, statistics and error bounds of both engines");
    fails_at = 2;
    ok(!run(3, 4, 1e-3, &err) && err.status == TRJ_BAD_DATA && bad == 5,
       "an error after a hand-over has the number of the frame in the stream");
    fails_at = NEVER;

    opening = BUSY;
    ok(run(2, 3, 1e-3, &err) && !gpu_frames && has("note: the device is busy"),
       "the second engine cannot be opened: a note, and the sums of the first one");
    opening = UNUSABLE;
    ok(!run(2, 3, 1e-3, &err) && err.status == TRJ_USAGE && bad == UINT64_MAX, "an invalid setting: an error");
    opening = OPENS;
    probe_result = TRJ_NO_ENGINE;
    ok(run(2, 3, 1e-3, &err) && !gpu_frames && !has("note"), "the second engine is not available here: no note");
    probe_result = 0;
    unsuitable = true;
    ok(run(2, 3, 1e-3, &err) && !gpu_frames && opened == 1 && !has("note"),
       "the second engine does not compute the job: it is not started");
    unsuitable = false;

    slab = true;
    ok(run(2, 3, 1e-3, &err) && !gpu_frames && has("note: engine gpu: computes only whole maps") &&
           run(NEVER, 3, NAN, &err) && !gpu_frames && has("note: engine gpu: computes only whole maps"),
       "a slab of a map, and GPUs that compute only whole maps: a note, and the engine cpu");
    slab = false;

    ok(run(NEVER, 3, NAN, &err) && first_is && gpu_frames == FRAMES && has("engine gpu, GPUs 1\n"),
       "results that depend on the engine: the GPUs compute from the first frame on");
    ok(run(NEVER, 3, 1e3, &err) && first_is && gpu_frames == FRAMES, "frames that take long on the CPU: the same");
    ok(run(NEVER, 3, 1e-3, &err) && !gpu_frames && opened == 1, "a short job: the GPUs are not started");
    opening = BUSY;
    ok(run(NEVER, 3, NAN, &err) && !gpu_frames && has("note: the device is busy") && has("engine cpu, threads 2\n"),
       "GPUs that are opened first and cannot be: a note, and the engine cpu");
    return done();
}
