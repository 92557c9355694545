// SPDX-License-Identifier: MIT
// The engine `cuda` of orbitals: GPUs compute parts of each slab, with the terms and thresholds of the plan of the
// engine cpu. If a GPU fails, the others compute its part again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_memory.h"
#include "gpu_list.h"
#include "instruction_set.h"
#include "item_pool.h"
#include "memory.h"
#include "orbital_box.h"
#include "orbital_engine.h"
#include "orbital_kernels.h"
#include "orbital_plan.h"

struct gpu {
    struct cuda_gpu base;
    cudaStream_t stream, second; // `second` computes while the first one copies, and vice versa
    struct cuda_memory memory;
    struct cuda_buffer job, scratch, value; // parts of it
    cuda_orbital_args args;
    struct trj_error failure; // an empty text: it works
};

struct cuda {
    struct work_resources resources;
    struct trj_item_pool *pool;
    bool has_plan;
    struct orb_plan plan;
    uint32_t *combination_of; // [columns]
    struct gpu **gpu;         // [gpus]
    unsigned gpus, working;
    double *host; // page-locked: values of a slab
    size_t host_values;
    char *upload; // page-locked: what a job uploads
    size_t upload_bytes;
    cudaStream_t uploading; // of the GPU that got it last
    uint64_t slabs;
    double seconds;
};

// ---- GPUs

static void close_gpu(struct gpu *g) {
    CUDA_RELEASE(cudaSetDevice(g->base.number));
    cuda_memory_free(&g->memory);
    if (g->stream) CUDA_RELEASE(cudaStreamDestroy(g->stream));
    if (g->second) CUDA_RELEASE(cudaStreamDestroy(g->second));
    cuda_gpu_close(&g->base);
    free(g);
}

static int prepare_gpu(struct gpu *g, struct trj_error *err) {
    if (cuda_memory_read_limit(&g->memory, err)) return -1;
    CUDA_CHECK(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&g->second, cudaStreamNonBlocking));
    return cuda_memory_check_free(&g->memory, err);
}

static int add_gpu(void *owner, int number, unsigned count, struct trj_error *err) {
    struct cuda *c = owner;
    if (!c->gpu && !(c->gpu = trj_alloc(count, sizeof(struct gpu *), "GPUs", err))) return -1;
    struct gpu *g = trj_alloc(1, sizeof *g, "a GPU", err);
    if (!g) return -1;
    if (cuda_gpu_open(&g->base, number, err)) {
        close_gpu(g);
        return -1;
    }
    if (prepare_gpu(g, err)) {
        trj_fail_at(err, "%s", g->base.name);
        close_gpu(g);
        return -1;
    }
    c->gpu[c->gpus++] = g;
    return 0;
}

static void note(void *owner, const char *text) {
    const struct cuda *c = owner;
    if (c->resources.note) c->resources.note(c->resources.note_arg, text);
}

static void free_job(struct cuda *c) {
    if (c->has_plan) orb_plan_free(&c->plan);
    c->has_plan = false;
    free(c->combination_of);
    c->combination_of = NULL;
}

static void close_cuda(void *engine) {
    struct cuda *c = engine;
    if (!c) return;
    free_job(c);
    if (c->host) cuda_host_release(c->host);
    if (c->upload) cuda_host_release(c->upload);
    for (unsigned i = 0; i < c->gpus; i++) close_gpu(c->gpu[i]);
    free(c->gpu);
    trj_item_pool_close(c->pool);
    free(c);
}

static int open_cuda(void **engine, const struct work_resources *resources, struct trj_error *err) {
    struct cuda *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->resources = *resources;
    const struct cuda_gpu_list list = {.owner = c, .devices = resources->devices, .add = add_gpu, .note = note};
    if (trj_item_pool_open(&c->pool, resources->threads, err) || cuda_gpu_list_open(&list, err)) {
        close_cuda(c);
        return -1;
    }
    c->working = c->gpus;
    *engine = c;
    return 0;
}

// Marks a GPU as failed, and reports it if another one is left. Otherwise the engine fails for this reason.
static int drop(struct cuda *c, struct gpu *g, struct trj_error *err) {
    char text[sizeof err->text + 64];
    if (err->status != TRJ_NO_ENGINE) return -1;
    trj_fail_at(err, "%s", g->base.name);
    g->failure = *err;
    if (--c->working == 0) return -1;
    snprintf(text, sizeof text, "%.*s; the other GPUs compute its part", (int)trj_engine_reason(err), err->text);
    note(c, text);
    return 0;
}

// ---- the job on a GPU

// An array that a job uploads, or only allocates (data NULL).
struct array {
    void *pointer; // address of the pointer that is set
    const void *data;
    size_t bytes;
};
enum { ALIGNMENT = 256 };

// Page-locked memory of the host, which the other engines do not need, is short.
static int fail_of_host(size_t bytes, struct trj_error *err) {
    return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: out of page-locked memory: %zu bytes for orbitals; use -e cpu",
                    bytes);
}

static size_t aligned(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Uploads all arrays in one copy: those with data come first.
static int upload(struct cuda *c, struct gpu *g, const struct array *array, size_t count, struct trj_error *err) {
    size_t bytes = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        if (array[i].data) bytes += aligned(array[i].bytes);
        all += aligned(array[i].bytes);
    }
    char *device = cuda_buffer_alloc(&g->job, &g->memory, all, "terms and tables of orbitals", err), *to = c->upload;
    if (!device) return -1;
    // That GPU copies from the same memory of the host. If it has failed, its own calls report this.
    if (c->uploading) CUDA_RELEASE(cudaStreamSynchronize(c->uploading));
    c->uploading = g->stream;
    if (bytes > c->upload_bytes) {
        if (c->upload) cuda_host_release(c->upload);
        c->upload = to = cuda_host_allocate(bytes);
        c->upload_bytes = to ? bytes : 0;
        if (!to) return fail_of_host(bytes, err);
    }
    for (int has_data = 1; has_data >= 0; has_data--)
        for (size_t i = 0; i < count; i++) {
            if ((array[i].data != NULL) != has_data) continue;
            memcpy(array[i].pointer, &device, sizeof device);
            if (has_data) memcpy(to, array[i].data, array[i].bytes);
            to += aligned(array[i].bytes);
            device += aligned(array[i].bytes);
        }
    CUDA_CHECK(cudaMemcpyAsync(device - all, c->upload, bytes, cudaMemcpyHostToDevice, g->stream));
    return 0;
}

#define UPLOAD(p, from, n)                                                                                             \
    { &(p), (from), (n) * sizeof *(p) }

static int upload_job(struct cuda *c, struct gpu *g, struct trj_error *err) {
    const struct orb_plan *p = &c->plan;
    const struct orb_job *job = p->job;
    const struct orb_basis *b = job->basis;
    cuda_orbital_args *a = &g->args;
    const size_t groups = p->c.groups, points = job->point ? job->n[0] : 0, functions = p->functions ? b->functions : 0,
                 elements = p->matrix ? functions * (functions + 1) / 2 : 0, axis_groups = p->tables ? groups : 0;
    *a = (cuda_orbital_args){.job = *job,
                             .functions = functions,
                             .fields = *p->fields,
                             .tables = p->tables,
                             .c = p->c,
                             .orbital_work = p->fields->kinds * (double)job->orbitals,
                             .matrix_work = orb_plan_matrix_work(p)};
    for (unsigned k = 0; k < p->fields->kinds; k++) a->parts[k] = orb_kind_parts[p->fields->kind[k]];
    for (int k = 0; k < 3; k++) a->axis[k] = p->axis[k];
    const struct array array[] = {
        UPLOAD(a->c.group, p->c.group, groups),
        UPLOAD(a->c.first_column, p->c.first_column, p->c.count + 1),
        UPLOAD(a->c.column, p->c.column, p->c.columns + 1),
        UPLOAD(a->c.term, p->c.term, p->c.terms),
        UPLOAD(a->combination_of, c->combination_of, p->c.columns),
        UPLOAD(a->scale, p->scale, p->c.count),
        UPLOAD(a->threshold, p->threshold, p->c.count),
        UPLOAD(a->centre, b->centre, b->centres),
        UPLOAD(a->axis[0].group, p->axis[0].group, axis_groups),
        UPLOAD(a->axis[1].group, p->axis[1].group, axis_groups),
        UPLOAD(a->axis[2].group, p->axis[2].group, axis_groups),
        UPLOAD(a->matrix, p->matrix, elements),
        UPLOAD(a->coefficient, job->coefficient, functions * job->orbitals),
        UPLOAD(a->weight, p->weight, job->orbitals),
        UPLOAD(a->job.point, job->point, points),
        UPLOAD(a->axis[0].value, NULL, p->axis[0].values),
        UPLOAD(a->axis[1].value, NULL, p->axis[1].values),
        UPLOAD(a->axis[2].value, NULL, p->axis[2].values),
        UPLOAD(a->axis[0].maximum, NULL, p->axis[0].maxima + p->axis[1].maxima + p->axis[2].maxima),
    };
    if (upload(c, g, array, sizeof array / sizeof *array, err)) return -1;
    a->axis[1].maximum = a->axis[0].maximum + p->axis[0].maxima;
    a->axis[2].maximum = a->axis[1].maximum + p->axis[1].maxima;
    if (!p->matrix) a->matrix = NULL;
    if (!job->point) a->job.point = NULL;
    if (!p->tables) return 0;
    if (cuda_orbital_axes(a, g->stream, err)) return -1;
    CUDA_CHECK(cudaStreamSynchronize(g->stream)); // the second stream uses the tables, too
    return 0;
}

// Allocates memory of up to `most` thread blocks for boxes, of fewer ones if memory is short.
static int alloc_scratch(struct gpu *g, unsigned most, struct trj_error *err) {
    cuda_orbital_args *a = &g->args;
    cuda_orbital_scratch *s = &a->scratch;
    const size_t layer = ORB_LAYER * sizeof(double), columns = aligned(a->c.columns * sizeof *s->column),
                 bounds = aligned(a->c.columns * sizeof *s->bound),
                 functions = aligned((a->functions + 1) * sizeof *s->function), values = a->functions * layer,
                 products = CUDA_ORBITAL_ROWS * layer;
    const size_t block = columns + bounds + 2 * functions + a->fields.kinds * (values + products);
    for (s->blocks = most;; s->blocks /= 2) {
        char *p = cuda_buffer_alloc(&g->scratch, &g->memory, s->blocks * block, "functions of orbitals", err);
        if (!p && (!g->scratch.memory.full || s->blocks == 1)) return -1;
        if (!p) continue;
        s->column = (uint32_t *)p;
        s->bound = (double *)(p += s->blocks * columns);
        s->function = (uint32_t *)(p += s->blocks * bounds);
        s->first = (uint32_t *)(p += s->blocks * functions);
        s->value = (double *)(p += s->blocks * functions);
        s->product = (double *)(p + s->blocks * a->fields.kinds * values);
        return 0;
    }
}

static int prepare_job(struct cuda *c, struct gpu *g, struct trj_error *err) {
    unsigned blocks;
    if (upload_job(c, g, err)) return -1;
    if (!c->plan.functions) return 0;
    return cuda_orbital_box_blocks(&blocks, err) || alloc_scratch(g, blocks, err) ? -1 : 0;
}

static int start_gpu(struct cuda *c, struct gpu *g, struct trj_error *err) {
    CUDA_CHECK(cudaSetDevice(g->base.number));
    if (!prepare_job(c, g, err)) return 0;
    if (!g->job.memory.full && !g->scratch.memory.full) return -1;
    // Buffers of the job before can be larger than this job needs.
    cuda_memory_empty(&g->scratch.memory);
    cuda_memory_empty(&g->value.memory);
    return prepare_job(c, g, err);
}

static int make_combination_of(struct cuda *c, struct trj_error *err) {
    const struct orb_combinations *all = &c->plan.c;
    c->combination_of = trj_alloc(all->columns + 1, sizeof *c->combination_of, "orbitals", err);
    if (!c->combination_of) return -1;
    for (size_t f = 0; f < all->count; f++)
        for (size_t i = all->first_column[f]; i < all->first_column[f + 1]; i++) c->combination_of[i] = (uint32_t)f;
    return 0;
}

static int start(void *engine, const struct orb_job *job, struct trj_error *err) {
    struct cuda *c = engine;
    const struct orb_kernel *kernel;
    double began = trj_seconds();
    free_job(c);
    if (orb_job_check(job, err) || orb_kernel_find(&kernel, err)) return -1;
    c->has_plan = true;
    if (orb_plan_make(&c->plan, job, ORB_PLAN_WITHOUT_VALUES, kernel, c->pool, err) || make_combination_of(c, err))
        return -1;
    for (unsigned i = 0; i < c->gpus; i++)
        if (!*c->gpu[i]->failure.text && start_gpu(c, c->gpu[i], err) && drop(c, c->gpu[i], err)) return -1;
    c->seconds += trj_seconds() - began;
    return 0;
}

// ---- slabs

// Computes planes in a stream, and copies their values, which are rows of one length, to the host.
static int enqueue(struct cuda *c, struct gpu *g, const struct orb_slab *slab, uint64_t first, uint64_t count,
                   cudaStream_t stream, struct trj_error *err) {
    cuda_orbital_args *a = &g->args;
    const struct orb_job *job = c->plan.job;
    const size_t plane = (size_t)orb_job_plane(job), row = (size_t)count * plane * sizeof *a->value;
    a->first = first;
    a->count = count;
    if (c->plan.functions ? cuda_orbital_boxes(a, stream, err) : cuda_orbital_tiles(a, stream, err)) return -1;
    CUDA_CHECK(cudaMemcpy2DAsync(slab->value + (first - slab->first) * plane, slab->count * plane * sizeof *slab->value,
                                 a->value, row, row, orb_job_values(job), cudaMemcpyDeviceToHost, stream));
    return 0;
}

// Returns memory for values. If memory is short, thread blocks for boxes give some of theirs.
static double *alloc_values(struct cuda *c, struct gpu *g, size_t values, struct trj_error *err) {
    for (;;) {
        double *value = cuda_buffer_alloc(&g->value, &g->memory, values * sizeof *value, "values of orbitals", err);
        if (value || !g->value.memory.full || !c->plan.functions || g->args.scratch.blocks == 1) return value;
        cuda_memory_empty(&g->scratch.memory);
        if (alloc_scratch(g, g->args.scratch.blocks / 2, err)) return NULL;
    }
}

// Begins a part of a slab. Boxes use the same scratch memory, so that only tiles are divided between the streams.
static int begin_part(struct cuda *c, struct gpu *g, const struct orb_slab *slab, uint64_t first, uint64_t count,
                      struct trj_error *err) {
    enum { PIECES = 4, PIECE_MIN = 1 << 20 }; // PIECE_MIN: values of a piece, at least
    const size_t values = (size_t)orb_job_plane(c->plan.job) * orb_job_values(c->plan.job);
    const uint64_t end = first + count, units = (end + ORB_Z - 1) / ORB_Z - first / ORB_Z,
                   pieces = c->plan.functions || values * count < PIECES * (size_t)PIECE_MIN ? 1 : PIECES,
                   each = (units + pieces - 1) / pieces * ORB_Z;
    CUDA_CHECK(cudaSetDevice(g->base.number));
    double *value = alloc_values(c, g, values * count, err);
    if (!value) return -1;
    for (unsigned piece = 0; first < end; piece++) {
        uint64_t to = pieces == 1 ? end : first / ORB_Z * ORB_Z + each;
        if (to > end) to = end;
        g->args.value = value;
        if (enqueue(c, g, slab, first, to - first, piece % 2 ? g->second : g->stream, err)) return -1;
        value += values * (to - first);
        first = to;
    }
    return 0;
}

static int end_part(struct gpu *g, struct trj_error *err) {
    CUDA_CHECK(cudaSetDevice(g->base.number));
    CUDA_CHECK(cudaStreamSynchronize(g->stream));
    CUDA_CHECK(cudaStreamSynchronize(g->second));
    return 0;
}

// Computes planes of a slab on all GPUs that have not failed, each the same number of boxes. Sets *left to the first
// plane of the part of a GPU that has failed, and of those after it, or to the end.
static int compute_part(struct cuda *c, const struct orb_slab *slab, uint64_t first, uint64_t *left,
                        struct trj_error *err) {
    const uint64_t unit = c->plan.job->point ? ORB_BOX : ORB_Z, end = slab->first + slab->count;
    const uint64_t units = (end + unit - 1) / unit - first / unit, each = (units + c->working - 1) / c->working;
    struct part {
        struct gpu *gpu;
        uint64_t first;
    } part[64];
    unsigned parts = 0;
    int rc = 0;
    *left = end;
    uint64_t next = first;
    for (unsigned i = 0; i < c->gpus && next < end && parts < 64; i++) {
        struct gpu *g = c->gpu[i];
        if (*g->failure.text) continue;
        uint64_t to = (next / unit + each) * unit;
        if (to > end) to = end;
        part[parts++] = (struct part){g, next};
        if (begin_part(c, g, slab, next, to - next, err)) {
            *left = next;
            if (drop(c, g, err)) rc = -1;
            break;
        }
        next = to;
    }
    if (next < *left) *left = next;
    for (unsigned i = 0; i < parts; i++) {
        struct trj_error why;
        // What a GPU has begun before it failed ends, too, before others write the same values.
        if (!end_part(part[i].gpu, &why) || *part[i].gpu->failure.text) continue;
        if (part[i].first < *left) *left = part[i].first;
        if (rc) continue;
        *err = why;
        if (drop(c, part[i].gpu, err)) rc = -1;
    }
    return rc;
}

static int compute(void *engine, const struct orb_slab *slab, struct trj_error *err) {
    struct cuda *c = engine;
    double began = trj_seconds();
    int rc = 0;
    for (uint64_t first = slab->first; !rc && first < slab->first + slab->count;)
        rc = compute_part(c, slab, first, &first, err);
    c->seconds += trj_seconds() - began;
    c->slabs++;
    return rc;
}

static double *host_memory(void *engine, size_t values, struct trj_error *err) {
    struct cuda *c = engine;
    if (values > c->host_values) {
        if (c->host) cuda_host_release(c->host);
        c->host = cuda_host_allocate(values * sizeof *c->host);
        c->host_values = c->host ? values : 0;
        if (!c->host) fail_of_host(values * sizeof *c->host, err);
    }
    return c->host;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const struct cuda *c = engine;
    *s = (struct trj_engine_stats){.workers = c->working, .frames = c->slabs, .seconds = c->seconds};
}

const struct orb_engine orb_engine_cuda = {.kind = CUDA_ENGINE_KIND,
                                           .open = open_cuda,
                                           .start = start,
                                           .compute = compute,
                                           .memory = host_memory,
                                           .stats = stats,
                                           .close = close_cuda};
