// SPDX-License-Identifier: MIT
// All memory is allocated when the device is opened: without periodic images, a Gaussian has at most one record.
#include "correlation_device.h"

#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "correlation.h"
#include "device_memory.h"
#include "gpu.h"
#include "lattice_constants.h"
#include "memory.h"
#include "stream_slot.h"

enum {
    SLOTS = 2,
    ATOMS_A_CELL = 4, // Gaussians of a selection for each of its grid cells
};

struct slot {
    struct cuda_stream_slot stream;
    float *x; // [3][x_capacity] one frame
    cuda_density_records records;
    cuda_correlation_args args;
    cuda_density_args whole;                 // the density of the whole model; whole.map is args.whole
    cuda_correlation_sums *sums, *host_sums; // [batch][selections]
    struct cor_sums *result;                 // [batch][selections]
    bool *overflow;                          // [batch]
    struct cor_slice slice;
    const struct work_batch *batch;
};

struct cuda_correlation_device {
    struct cuda_gpu gpu; // first, for cuda_gpu_joules and cuda_gpu_name
    const struct cor_job *job;
    unsigned batch;
    size_t selections;
    size_t x_capacity;
    struct cuda_memory memory;
    cuda_correlation_args args; // constants that all frames share
    cuda_density_args whole;
    struct slot slots[SLOTS];
};

// ---- constants

// Copies the atoms, the amplitudes A of gauss.h and the kinds of Gaussians to the GPU.
static int take_gaussians(struct cuda_correlation_device *d, cuda_density_args *to, const struct den_gauss_atoms *a,
                          size_t count, struct trj_error *err) {
    const struct cor_model *m = d->job->frames.model;
    struct cuda_memory *memory = &d->memory;
    float *amplitude = trj_alloc(count, sizeof *amplitude, "amplitudes", err);
    uint16_t *kind = amplitude ? trj_alloc(count, sizeof *kind, "kinds of atoms", err) : NULL;
    for (size_t i = 0; kind && i < count; i++) {
        kind[i] = a->kind ? a->kind[i] : 0;
        amplitude[i] = (float)((double)a->weight[i] * m->peak[kind[i]]);
    }
    int rc =
        !kind || cuda_memory_take_copy(memory, &to->list, a->list, count * sizeof *to->list, "atoms on the GPU", err) ||
        cuda_memory_take_copy(memory, &to->amplitude, amplitude, count * sizeof *amplitude, "atoms on the GPU", err) ||
        cuda_memory_take_copy(memory, &to->kind_of, kind, count * sizeof *kind, "atoms on the GPU", err);
    to->count = (unsigned)count;
    free(amplitude);
    free(kind);
    return rc ? -1 : 0;
}

// Sets the constants of the lattice. Without periodic images, they are the same for all frames.
static int take_lattice(struct cuda_correlation_device *d, struct trj_error *err) {
    const struct cor_frames_setup *s = &d->job->frames;
    const struct den_gauss_setup gauss = cor_model_gauss(s->model);
    const struct trj_frame frame = {.unit = 1};
    const struct tile_lattice_atoms atoms = {.frame = &frame, .count = d->whole.count, .kinds = gauss.kinds};
    struct tile_lattice_plan plan = {.records = 0};
    cuda_density_kind *kind = trj_alloc(gauss.kinds, sizeof *kind, "widths", err);
    int rc =
        !kind || cuda_lattice_set(&d->whole, kind, &plan, &s->map->lattice, &atoms, &gauss, err) ||
        cuda_memory_take_copy(&d->memory, &d->whole.kind, kind, gauss.kinds * sizeof *kind, "widths on the GPU", err);
    tile_lattice_plan_free(&plan);
    free(kind);
    return rc ? -1 : 0;
}

// Assigns grid cells to each selection, in proportion to the number of its Gaussians.
static int take_selections(struct cuda_correlation_device *d, struct trj_error *err) {
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
        rc = cuda_memory_take_copy(&d->memory, &a->first, first, (s->count + 1) * sizeof *first,
                                   "selections on the GPU", err) ||
             cuda_memory_take_copy(&d->memory, &a->first_cell, first_cell, (s->count + 1) * sizeof *first_cell,
                                   "selections on the GPU", err) ||
             cuda_memory_take_copy(&d->memory, &a->selection, selection, total * sizeof *selection,
                                   "selections on the GPU", err);
    }
    free(first);
    free(first_cell);
    free(selection);
    return rc ? -1 : 0;
}

static int take_constants(struct cuda_correlation_device *d, struct trj_error *err) {
    const struct cor_frames_setup *s = &d->job->frames;
    const struct cor_selections *all = s->selections;
    const struct den_gauss_atoms *last = &all->atoms[all->count - 1];
    const struct den_gauss_atoms parts = {.list = all->list, .weight = all->weight, .kind = all->kind};
    const struct den_gauss_atoms whole = {.list = s->model->list, .weight = s->model->weight, .kind = s->model->kind};
    size_t count = (size_t)(last->list - all->list) + last->count;
    double quantum;
    if (count >= UINT32_MAX / 2)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: %zu Gaussians in all selections, expected fewer than 2^31",
                        count);
    if (take_gaussians(d, &d->whole, &whole, s->model->group->count * s->model->terms, err) || take_lattice(d, err) ||
        cor_frames_quantum(s->model, &quantum, err))
        return -1;
    cuda_correlation_args *a = &d->args;
    d->whole.kernel = CUDA_GAUSS;
    d->whole.x_capacity = d->x_capacity;
    d->whole.planes = d->whole.plan.n[2];
    a->gauss = d->whole;
    a->own = s->mask->fraction >= 0;
    a->above = cor_frames_above(s, quantum);
    if (take_gaussians(d, &a->gauss, &parts, count, err) || take_selections(d, err) ||
        cuda_memory_take_copy(&d->memory, &a->y, s->map->value, s->map->points * sizeof *s->map->value,
                              "the map on the GPU", err))
        return -1;
    return s->mask->fixed ? cuda_memory_take_copy(&d->memory, &a->fixed, s->mask->fixed, s->map->points,
                                                  "the mask on the GPU", err)
                          : 0;
}

// ---- memory of a slot

static int take_records(struct cuda_correlation_device *d, struct slot *s, struct trj_error *err) {
    cuda_density_records *r = &s->records;
    struct cuda_memory *m = &d->memory;
    size_t cells = d->args.cells, whole = (size_t)d->whole.count + 64, bytes; // as tile_lattice_plan_start
    r->capacity = d->args.gauss.count;
    if (cuda_correlation_scratch(cells, d->selections, &r->scratch_bytes, err)) return -1;
    if (d->job->frames.whole) {
        if (r->capacity < d->whole.count) r->capacity = d->whole.count;
        if (cells < whole) cells = whole;
        if (cuda_density_scratch(whole, &bytes, err)) return -1;
        if (r->scratch_bytes < bytes) r->scratch_bytes = bytes;
    }
    return cuda_memory_take(m, &r->offset, r->capacity * sizeof *r->offset, "records on the GPU", err) ||
                   cuda_memory_take(m, &r->point, r->capacity * sizeof *r->point, "records on the GPU", err) ||
                   cuda_memory_take(m, &r->first, (cells + 1) * sizeof *r->first, "grid cells on the GPU", err) ||
                   cuda_memory_take(m, &r->next, (cells + 1) * sizeof *r->next, "grid cells on the GPU", err) ||
                   cuda_memory_take(m, &r->found, 2 * sizeof *r->found, "grid cells on the GPU", err) ||
                   cuda_memory_take(m, &r->scratch, r->scratch_bytes, "grid cells on the GPU", err)
               ? -1
               : 0;
}

static int take_slot(struct cuda_correlation_device *d, struct slot *s, struct trj_error *err) {
    const struct cor_frames_setup *setup = &d->job->frames;
    struct cuda_memory *m = &d->memory;
    size_t n = d->selections, sums = d->batch * n;
    s->args = d->args;
    s->whole = d->whole;
    cuda_correlation_args *a = &s->args;
    if (take_records(d, s, err) ||
        cuda_memory_take(m, &s->x, 3 * d->x_capacity * sizeof *s->x, "coordinates on the GPU", err) ||
        cuda_memory_take(m, &a->box, n * sizeof *a->box, "selections on the GPU", err) ||
        cuda_memory_take(m, &a->blocks, (n + 1) * sizeof *a->blocks, "selections on the GPU", err) ||
        cuda_memory_take(m, &a->first_block, (n + 1) * sizeof *a->first_block, "selections on the GPU", err) ||
        cuda_memory_take(m, &a->taken, sizeof *a->taken, "selections on the GPU", err) ||
        cuda_memory_take(m, &s->sums, sums * sizeof *s->sums, "sums on the GPU", err) ||
        (setup->whole && cuda_memory_take(m, &s->whole.map, setup->map->points * sizeof *s->whole.map,
                                          "the density on the GPU", err)) ||
        cuda_stream_slot_open(&s->stream, err))
        return -1;
    a->whole = s->whole.map;
    a->gauss.x = s->whole.x = s->x;
    CUDA_CHECK(cudaMallocHost((void **)&s->host_sums, sums * sizeof *s->host_sums));
    s->result = trj_alloc(sums, sizeof *s->result, "sums", err);
    s->overflow = s->result ? trj_alloc(d->batch, sizeof *s->overflow, "sums", err) : NULL;
    return s->overflow ? 0 : -1;
}

// ---- work

static int enqueue_frame(struct cuda_correlation_device *d, struct slot *s, unsigned i, struct trj_error *err) {
    const struct trj_frame *f = &s->batch->frames[i];
    const struct cor_frames_setup *setup = &d->job->frames;
    cudaStream_t stream = s->stream.stream;
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

static int enqueue(struct cuda_correlation_device *d, struct slot *s, struct trj_error *err) {
    const struct cuda_stream_slot *t = &s->stream;
    CUDA_CHECK(cudaEventRecord(t->upload_begin, t->stream));
    CUDA_CHECK(cudaEventRecord(t->upload_end, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_begin, t->stream));
    for (unsigned i = 0; i < s->batch->count; i++)
        if (enqueue_frame(d, s, i, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(s->host_sums, s->sums, s->batch->count * d->selections * sizeof *s->sums,
                               cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_end, t->stream));
    return 0;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct cuda_correlation_device *d = device;
    struct slot *s = &d->slots[slot];
    (void)slice; // a batch has one
    s->batch = batch;
    if (!enqueue(d, s, err)) return 0;
    CUDA_RELEASE(cudaStreamSynchronize(s->stream.stream)); // the device must no longer read the batch
    return -1;
}

static cor_wide wide_of(const unsigned long long words[2]) {
    return (cor_wide)((unsigned __int128)words[1] << 64 | words[0]);
}

// Converts the sums of a frame. For a mask that does not depend on atoms, n, y and yy are those of the mask.
static void convert(const struct cuda_correlation_device *d, struct slot *s, unsigned frame) {
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

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    struct cuda_correlation_device *d = device;
    struct slot *s = &d->slots[slot];
    if (cuda_stream_slot_wait(&s->stream, d->gpu.origin, &result->upload, &result->began, &result->ended, err))
        return -1;
    memset(s->overflow, 0, d->batch * sizeof *s->overflow);
    for (unsigned i = 0; i < s->batch->count; i++) convert(d, s, i);
    s->slice = (struct cor_slice){s->result, s->overflow};
    result->data = &s->slice;
    return 0;
}

static int attach(void *device, struct trj_error *err) {
    struct cuda_correlation_device *d = device;
    return cuda_gpu_attach(&d->gpu, d->slots[0].stream.stream, err);
}

const struct work_device_ops cuda_correlation_device_ops = {
    .slots = SLOTS,
    .allocate = cuda_host_allocate,
    .release = cuda_host_release,
    .attach = attach,
    .begin = begin,
    .end = end,
    .joules = cuda_gpu_joules,
    .name = cuda_gpu_name,
};

// ---- open and close

static int prepare(struct cuda_correlation_device *d, struct trj_error *err) {
    if (cuda_correlation_check(err) || cuda_memory_read_limit(&d->memory, err) || take_constants(d, err)) return -1;
    for (int i = 0; i < SLOTS; i++)
        if (take_slot(d, &d->slots[i], err)) return -1;
    if (cuda_memory_check_free(&d->memory, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the streams of the slots do not wait for these copies
    return 0;
}

int cuda_correlation_device_open(struct cuda_correlation_device **device, int number, const struct cor_job *job,
                                 unsigned batch, struct trj_error *err) {
    struct cuda_correlation_device *d = trj_alloc(1, sizeof *d, "a GPU", err);
    if (!d) return -1;
    d->job = job;
    d->batch = batch;
    d->selections = job->frames.selections->count;
    d->x_capacity = (job->atoms + 31) / 32 * 32;
    if (cuda_gpu_open(&d->gpu, number, err)) goto out;
    if (prepare(d, err)) {
        if (err->status == TRJ_FAILED) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", d->gpu.name);
        goto out;
    }
    *device = d;
    return 0;
out:
    cuda_correlation_device_close(d);
    return -1;
}

void cuda_correlation_device_close(struct cuda_correlation_device *d) {
    if (!d) return;
    CUDA_RELEASE(cudaSetDevice(d->gpu.number));
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &d->slots[i];
        CUDA_RELEASE(cudaFreeHost(s->host_sums));
        free(s->result);
        free(s->overflow);
        cuda_stream_slot_close(&s->stream);
    }
    cuda_gpu_close(&d->gpu);
    cuda_memory_free(&d->memory);
    free(d);
}
