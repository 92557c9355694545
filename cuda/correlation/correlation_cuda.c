// SPDX-License-Identifier: MIT
// The engine `cuda` of correlations. The map and the Gaussians stay in the memory of each GPU. The frames of a batch
// are uploaded one by one, and only the sums of their selections are copied to the host.
//
// All memory is allocated when the engine is opened: without periodic images, a Gaussian has at most one record.
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "cor_pool.h"
#include "correlation.h"
#include "gpu_list.h"
#include "lattice_constants.h"
#include "memory.h"
#include "pool_device.h"

// Batches are small, so that a GPU copies the coordinates of one batch while it computes another.
#define BATCH_BYTES 32e6
enum {
    MAX_BATCH = 16,
    ATOMS_A_CELL = 4, // Gaussians of a selection for each of its grid cells
};

struct slot {
    struct cuda_slot base;
    float *x; // [3][x_capacity] one frame
    cuda_density_records records;
    cuda_correlation_args args;
    cuda_density_args whole;                 // the density of the whole model; whole.map is args.whole
    cuda_correlation_sums *sums, *host_sums; // [batch][selections]
    struct cor_sums *result;                 // [batch][selections]
    bool *overflow;                          // [batch]
    struct cor_slice slice;
};

struct device {
    struct cuda_device base;
    const struct cor_job *job;
    size_t selections;
    size_t x_capacity;
    cuda_correlation_args args; // constants that all frames share
    cuda_density_args whole;
};

// ---- constants

// Copies the atoms, the amplitudes A of gauss.h and the kinds of Gaussians to the GPU.
static int take_gaussians(struct device *d, cuda_density_args *to, const struct den_gauss_atoms *a, size_t count,
                          struct trj_error *err) {
    const struct cor_model *m = d->job->frames.model;
    float *amplitude = trj_alloc(count, sizeof *amplitude, "amplitudes", err);
    uint16_t *kind = amplitude ? trj_alloc(count, sizeof *kind, "kinds of atoms", err) : NULL;
    for (size_t i = 0; kind && i < count; i++) {
        kind[i] = a->kind ? a->kind[i] : 0;
        amplitude[i] = (float)((double)a->weight[i] * m->peak[kind[i]]);
    }
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(to->list, count, "atoms on the GPU", a->list),
        CUDA_ARRAY_COPY(to->amplitude, count, "atoms on the GPU", amplitude),
        CUDA_ARRAY_COPY(to->kind_of, count, "atoms on the GPU", kind),
    };
    int rc = kind ? CUDA_ALLOC(&d->base.memory, arrays, err) : -1;
    to->count = (unsigned)count;
    free(amplitude);
    free(kind);
    return rc;
}

// Sets the constants of the lattice. Without periodic images, they are the same for all frames.
static int take_lattice(struct device *d, struct trj_error *err) {
    const struct cor_frames_setup *s = &d->job->frames;
    const struct den_gauss_setup gauss = cor_model_gauss(s->model);
    const struct trj_frame frame = {.unit = 1};
    const struct tile_lattice_atoms atoms = {.frame = &frame, .count = d->whole.count, .kinds = gauss.kinds};
    struct tile_lattice_plan plan = {.records = 0};
    cuda_density_kind *kind = trj_alloc(gauss.kinds, sizeof *kind, "widths", err);
    int rc = !kind || cuda_lattice_set(&d->whole, kind, &plan, &s->map->lattice, &atoms, &gauss, err) ||
             cuda_memory_alloc_copy(&d->base.memory, &d->whole.kind, kind, gauss.kinds * sizeof *kind,
                                    "widths on the GPU", err);
    tile_lattice_plan_free(&plan);
    free(kind);
    return rc ? -1 : 0;
}

// Assigns grid cells to each selection, in proportion to the number of its Gaussians.
static int take_selections(struct device *d, struct trj_error *err) {
    const struct cor_selections *s = d->job->frames.selections;
    cuda_correlation_args *a = &d->args;
    size_t total = a->gauss.count;
    uint32_t *first = trj_alloc(s->count + 1, sizeof *first, "selections", err),
             *first_cell = trj_alloc(s->count + 1, sizeof *first_cell, "selections", err),
             *selection = trj_alloc(total, sizeof *selection, "selections", err);
    int rc = first && first_cell && selection ? 0 : -1;
    for (size_t k = 0; !rc && k < s->count; k++) {
        uint32_t count = (uint32_t)s->atoms[k].count;
        first[k + 1] = first[k] + count;
        first_cell[k + 1] = first_cell[k] + count / ATOMS_A_CELL + 1;
        if (count > a->longest) a->longest = count;
        for (uint32_t i = first[k]; i < first[k + 1]; i++) selection[i] = (uint32_t)k;
    }
    if (!rc) {
        a->selections = (unsigned)s->count;
        a->cells = first_cell[s->count];
        const struct cuda_array arrays[] = {
            CUDA_ARRAY_COPY(a->first, (s->count + 1), "selections on the GPU", first),
            CUDA_ARRAY_COPY(a->first_cell, (s->count + 1), "selections on the GPU", first_cell),
            CUDA_ARRAY_COPY(a->selection, total, "selections on the GPU", selection),
        };
        rc = CUDA_ALLOC(&d->base.memory, arrays, err);
    }
    free(first);
    free(first_cell);
    free(selection);
    return rc;
}

// Copies to the GPU what all frames share.
static int open_device(void *device, struct trj_error *err) {
    struct device *d = device;
    const struct cor_job *job = d->job = d->base.job;
    const struct cor_frames_setup *s = &job->frames;
    const struct cor_selections *all = s->selections;
    const struct den_gauss_atoms *last = &all->atoms[all->count - 1];
    const struct den_gauss_atoms parts = {.list = all->list, .weight = all->weight, .kind = all->kind};
    const struct den_gauss_atoms whole = {.list = s->model->list, .weight = s->model->weight, .kind = s->model->kind};
    cuda_correlation_args *a = &d->args;
    size_t count = (size_t)(last->list - all->list) + last->count;
    double quantum;
    d->selections = all->count;
    d->x_capacity = (job->atoms + 31) / 32 * 32;
    if (count >= UINT32_MAX / 2)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: %zu Gaussians in all selections, expected fewer than 2^31",
                        count);
    if (take_gaussians(d, &d->whole, &whole, s->model->group->count * s->model->terms, err)) return -1;
    if (take_lattice(d, err)) return -1;
    if (cor_frames_quantum(s->model, &quantum, err)) return -1;
    d->whole.kernel = CUDA_GAUSS;
    d->whole.x_capacity = d->x_capacity;
    d->whole.planes = d->whole.plan.n[2];
    a->gauss = d->whole;
    a->own = s->mask->fraction >= 0;
    a->above = cor_frames_above(s, quantum);
    if (take_gaussians(d, &a->gauss, &parts, count, err)) return -1;
    if (take_selections(d, err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(a->y, s->map->points, "the map on the GPU", s->map->value),
        CUDA_ARRAY_COPY(a->fixed, s->map->points, "the mask on the GPU", s->mask->fixed),
    };
    return cuda_memory_alloc_all(&d->base.memory, arrays, s->mask->fixed ? 2 : 1, err);
}

// ---- memory of a slot

static int alloc_records(struct device *d, struct slot *s, struct trj_error *err) {
    cuda_density_records *r = &s->records;
    size_t cells = d->args.cells, whole = (size_t)d->whole.count + 64, bytes; // as tile_lattice_plan_start
    r->capacity = d->args.gauss.count;
    if (cuda_correlation_scratch(cells, d->selections, &r->scratch_bytes, err)) return -1;
    if (d->job->frames.whole) {
        if (r->capacity < d->whole.count) r->capacity = d->whole.count;
        if (cells < whole) cells = whole;
        if (cuda_density_scratch(whole, &bytes, err)) return -1;
        if (r->scratch_bytes < bytes) r->scratch_bytes = bytes;
    }
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->offset, r->capacity, "records on the GPU"),
        CUDA_ARRAY(r->point, r->capacity, "records on the GPU"),
        CUDA_ARRAY(r->first, (cells + 1), "grid cells on the GPU"),
        CUDA_ARRAY(r->next, (cells + 1), "grid cells on the GPU"),
        CUDA_ARRAY(r->found, 2, "grid cells on the GPU"),
        CUDA_ARRAY_BYTES(r->scratch, r->scratch_bytes, "grid cells on the GPU"),
    };
    return CUDA_ALLOC(&d->base.memory, arrays, err);
}

static int open_slot(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct cor_frames_setup *setup = &d->job->frames;
    size_t n = d->selections, sums = d->base.batch * n;
    s->args = d->args;
    s->whole = d->whole;
    cuda_correlation_args *a = &s->args;
    if (alloc_records(d, s, err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->x, 3 * d->x_capacity, "coordinates on the GPU"),
        CUDA_ARRAY(a->box, n, "selections on the GPU"),
        CUDA_ARRAY(a->blocks, (n + 1), "selections on the GPU"),
        CUDA_ARRAY(a->first_block, (n + 1), "selections on the GPU"),
        CUDA_ARRAY(a->taken, 1, "selections on the GPU"),
        CUDA_ARRAY(s->sums, sums, "sums on the GPU"),
        CUDA_ARRAY_HOST(s->host_sums, sums),
        CUDA_ARRAY(s->whole.map, setup->map->points, "the density on the GPU"), // unless there is none
    };
    size_t count = sizeof arrays / sizeof *arrays;
    if (cuda_memory_alloc_all(&d->base.memory, arrays, setup->whole ? count : count - 1, err)) return -1;
    a->whole = s->whole.map;
    a->gauss.x = s->whole.x = s->x;
    s->result = trj_alloc(sums, sizeof *s->result, "sums", err);
    s->overflow = s->result ? trj_alloc(d->base.batch, sizeof *s->overflow, "sums", err) : NULL;
    return s->overflow ? 0 : -1;
}

// ---- work

static int enqueue_frame(struct device *d, struct slot *s, unsigned i, struct trj_error *err) {
    const struct trj_frame *f = &s->base.batch->frames[i];
    const struct cor_frames_setup *setup = &d->job->frames;
    cudaStream_t stream = s->base.stream;
    for (int k = 0; k < 3; k++)
        CUDA_CHECK(cudaMemcpyAsync(s->x + (size_t)k * d->x_capacity, f->x[k], f->atoms * sizeof *s->x,
                                   cudaMemcpyHostToDevice, stream));
    s->args.gauss.unit = s->whole.unit = f->unit;
    s->args.sums = s->sums + i * d->selections;
    if (setup->whole) {
        CUDA_CHECK(cudaMemsetAsync(s->records.found, 0, 2 * sizeof *s->records.found, stream));
        CUDA_CHECK(cudaMemsetAsync(s->whole.map, 0, setup->map->points * sizeof *s->whole.map, stream));
        if (cuda_density_launch(&s->whole, &s->records, stream, err)) return -1;
    }
    return cuda_correlation_launch(&s->args, &s->records, stream, err);
}

static int enqueue(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    if (cuda_slot_uploaded(&s->base, err)) return -1;
    for (unsigned i = 0; i < s->base.batch->count; i++) {
        s->base.frame = i;
        if (enqueue_frame(d, s, i, err)) return -1;
    }
    CUDA_CHECK(cudaMemcpyAsync(s->host_sums, s->sums, s->base.batch->count * d->selections * sizeof *s->sums,
                               cudaMemcpyDeviceToHost, s->base.stream));
    return 0;
}

static cor_wide wide_of(const unsigned long long words[2]) {
    return (cor_wide)((unsigned __int128)words[1] << 64 | words[0]);
}

// Converts the sums of a frame. For a mask that does not depend on atoms, n, y and yy are those of the mask.
static void convert(const struct device *d, struct slot *s, unsigned frame) {
    const struct cor_mask *mask = d->job->frames.mask;
    for (size_t k = 0; k < d->selections; k++) {
        const cuda_correlation_sums *from = &s->host_sums[frame * d->selections + k];
        struct cor_sums *to = &s->result[frame * d->selections + k];
        *to = mask->fraction >= 0 ? (struct cor_sums){.n = from->n, .y = wide_of(from->y), .yy = wide_of(from->yy)}
                                  : mask->y;
        to->x = wide_of(from->x);
        to->xx = wide_of(from->xx);
        to->xy = wide_of(from->xy);
        s->overflow[frame] = s->overflow[frame] || from->overflow;
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is that of cuda_analysis
static int complete(void *device, void *slot, bool *again, struct work_result *result, struct trj_error *err) {
    const struct device *d = device;
    struct slot *s = slot;
    (void)again, (void)err;
    memset(s->overflow, 0, d->base.batch * sizeof *s->overflow);
    for (unsigned i = 0; i < s->base.batch->count; i++) convert(d, s, i);
    s->slice = (struct cor_slice){s->result, s->overflow};
    result->data = &s->slice;
    return 0;
}

static void close_slot(void *device, void *slot) {
    struct slot *s = slot;
    (void)device;
    free(s->result);
    free(s->overflow);
}

// ---- the engine

static unsigned choose_batch(const void *opaque, unsigned gpus) {
    const struct cor_job *job = opaque;
    double sums = (double)job->frames.selections->count * sizeof(struct cor_sums);
    double frames = BATCH_BYTES / (12.0 * (double)job->atoms + sums);
    (void)gpus;
    return frames > MAX_BATCH ? MAX_BATCH : frames > 1 ? (unsigned)frames : 1;
}

static const struct cuda_analysis analysis = {
    .device_bytes = sizeof(struct device),
    .slot_bytes = sizeof(struct slot),
    .choose_batch = choose_batch,
    .open = open_device,
    .open_slot = open_slot,
    .enqueue = enqueue,
    .complete = complete,
    .close_slot = close_slot,
};

struct cuda {
    struct cuda_gpus gpus;
    struct cor_pool *pool;
};

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    cor_pool_close(e->pool);
    cuda_gpus_close(&e->gpus);
    free(e);
}

static int check(const void *opaque, struct trj_error *err) {
    const struct cor_job *job = opaque;
    if (job->frames.mask->radius >= 0)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: --mask radius:R is not supported; use -e cpu");
    if (job->frames.entropy)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: --score re is not supported; use -e cpu");
    return 0;
}

static int open_cuda(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    if (check(job, err)) return -1;
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    struct cuda_gpus *g = &e->gpus;
    *g = (struct cuda_gpus){.analysis = &analysis, .job = job, .resources = *resources};
    if (cuda_gpus_open(g, err)) goto out;
    const struct work_pool_plan plan = cuda_gpus_plan(g, 1);
    if (cor_pool_open(&e->pool, job, resources, &plan, err)) goto out;
    *engine = e;
    return 0;
out:
    close_cuda(e);
    return -1;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    return cor_pool_add(((struct cuda *)engine)->pool, f, err);
}

static int finish(void *engine, const int64_t **values, struct trj_error *err) {
    (void)values;
    return cor_pool_finish(((struct cuda *)engine)->pool, err);
}

// The job has taken the results of the frames.
static int add_sums(void *engine, const int64_t *values, struct trj_error *err) {
    (void)engine, (void)values, (void)err;
    return 0;
}

static uint64_t bad_frame(const void *engine) {
    return cor_pool_bad_frame(((const struct cuda *)engine)->pool);
}

static void stats(void *engine, struct trj_engine_stats *s) {
    cor_pool_stats(((struct cuda *)engine)->pool, s);
}

const struct work_map_engine cor_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .check = check,
    .open = open_cuda,
    .add = add,
    .finish = finish,
    .add_sums = add_sums,
    .bad_frame = bad_frame,
    .stats = stats,
    .close = close_cuda,
};
