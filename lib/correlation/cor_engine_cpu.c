// SPDX-License-Identifier: MIT
// The engine `cpu`: threads share the blocks of a frame, or its selections (cor_frames.h).
#include <stdlib.h>

#include "cor_engine.h"
#include "instruction_set.h"
#include "memory.h"

struct cpu {
    const struct cor_job *job;
    struct cor_frames *frames;
    struct cor_sums *sums; // [selections]
    uint64_t count;
    double seconds;
};

static void close_cpu(void *engine) {
    struct cpu *c = engine;
    if (!c) return;
    cor_frames_close(c->frames);
    free(c->sums);
    free(c);
}

static int open_cpu(void **engine, const void *of_job, const struct work_resources *resources, struct trj_error *err) {
    const struct cor_job *job = of_job;
    (void)resources;
    struct cpu *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job = job;
    c->sums = trj_alloc(job->frames.selections->count, sizeof *c->sums, "sums", err);
    if (!c->sums || cor_frames_open(&c->frames, &job->frames, err)) {
        close_cpu(c);
        return -1;
    }
    *engine = c;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct cpu *c = engine;
    double began = trj_seconds();
    if (cor_frames_add(c->frames, f, c->sums, err)) return -1;
    c->seconds += trj_seconds() - began;
    c->count++;
    return c->job->take(c->job->owner, f->index, f->time, c->sums, err);
}

static int finish(void *engine, const int64_t **values, struct trj_error *err) {
    (void)engine, (void)values, (void)err;
    return 0; // the sums of each frame have been taken when it was added
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const struct cpu *c = engine;
    *s = (struct trj_engine_stats){.workers = cor_frames_threads(c->frames), .frames = c->count, .seconds = c->seconds};
}

const struct work_map_engine cor_engine_cpu = {
    .kind = TRJ_ENGINE_KIND_CPU,
    .open = open_cpu,
    .add = add,
    .finish = finish,
    .stats = stats,
    .close = close_cpu,
};
