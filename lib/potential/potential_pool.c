// SPDX-License-Identifier: MIT
// Connects the methods to the pool of devices, and computes by the CPU's method what devices could not.
#include "potential_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "cpu_frames.h"
#include "memory.h"
#include "pair_blocks.h"

struct pot_pool {
    const struct pot_job *job;
    const struct pot_method *method; // of the engine cpu
    struct work_map_pool *map;
    pthread_mutex_t lock; // protects the following members, which the threads of the devices change
    double error;         // largest bound of the slices
    bool no_bound;        // a slice has none
};

// ---- functions of the job

static void take_slice(void *pool, const void *data) {
    struct pot_pool *p = pool;
    const struct pot_slice *s = data;
    pthread_mutex_lock(&p->lock);
    p->error = fmax(p->error, s->error);
    p->no_bound |= isnan(s->error);
    pthread_mutex_unlock(&p->lock);
}

static int fail_sum(const void *owner, size_t point, struct trj_error *err) {
    const struct pot_job *job = ((const struct pot_pool *)owner)->job;
    char where[96];
    const uint64_t first = job->slab.first * trj_map_lattice_plane(&job->lattice);
    pot_point_text(job, &job->lattice, point + first, where, sizeof where);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: the sum of frames exceeds 2^63 quanta of %.3g; write several maps of fewer frames each", where,
                    job->quantum);
}

// ---- engine cpu: its state is a struct pot_cpu_frames

static int open_cpu(void **engine, const void *owner, const struct work_resources *resources, struct trj_error *err) {
    const struct pot_pool *p = owner;
    (void)resources; // those of the job
    *engine = trj_alloc(1, sizeof(struct pot_cpu_frames), "an engine", err);
    return *engine ? pot_cpu_frames_open(*engine, p->job, p->method, err) : -1;
}

static int add_to_cpu(void *engine, struct trj_frame *frame, struct trj_error *err) {
    return pot_cpu_frames_add(engine, frame, err);
}

static int finish_cpu(void *engine, const int64_t **values, struct trj_error *err) {
    const struct pot_cpu_frames *c = engine;
    return c->method->finish(c->state, values, err);
}

static void close_cpu(void *engine) {
    pot_cpu_frames_close(engine);
    free(engine);
}

static const struct work_map_engine cpu_engine = {
    .open = open_cpu, .add = add_to_cpu, .finish = finish_cpu, .close = close_cpu};

// ---- functions for the engine

void pot_pool_close(struct pot_pool *p) {
    if (!p) return;
    work_map_pool_close(p->map);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

int pot_pool_open(struct pot_pool **pool, const struct pot_job *job, const struct pot_method *on_cpu,
                  const struct work_pool_plan *plan, struct trj_error *err) {
    struct pot_pool *p = trj_alloc(1, sizeof *p, "a device pool", err);
    if (!p) return -1;
    pthread_mutex_init(&p->lock, NULL);
    p->job = job;
    p->method = on_cpu;
    const struct work_map_job map = {.owner = p,
                                     .atoms = job->stream_atoms,
                                     .points = job->values,
                                     .max_sum = INT64_MAX,
                                     .fail_sum = fail_sum,
                                     .take_slice = take_slice,
                                     .take_arg = p,
                                     .cpu = &cpu_engine};
    const struct work_resources resources = {
        .cpu_may_finish = job->cpu_may_finish, .note = job->note, .note_arg = job->note_arg};
    if (work_map_pool_open(&p->map, &map, &resources, plan, err)) {
        pot_pool_close(p);
        return -1;
    }
    *pool = p;
    return 0;
}

struct work_map_pool *pot_pool_map(const struct pot_pool *p) {
    return p->map;
}

double pot_pool_error(const struct pot_pool *p) {
    double error = p->no_bound ? NAN : p->error;
    const struct pot_cpu_frames *cpu_frames = work_map_pool_cpu(p->map);
    if (!cpu_frames || !cpu_frames->state || isnan(error)) return error;
    double other = pot_cpu_frames_error(cpu_frames);
    return isnan(other) ? NAN : fmax(error, other);
}
