// SPDX-License-Identifier: MIT
// Memory is allocated when the device is opened, except for that of the records, whose number depends on the positions
// of the atoms: if it was too small for a batch, it is enlarged, and the batch is computed again.
#include "density_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "density.h"
#include "device_memory.h"
#include "gpu.h"
#include "lattice_constants.h"
#include "memory.h"
#include "stream_slot.h"

enum { SLOTS = 2 };

struct slot {
    struct cuda_stream_slot stream;
    float *x; // [3][atoms] one frame
    size_t x_capacity;
    long long *map, *host_map;             // [points]
    cuda_density_kind *kind, *host_kind;   // [batch][kinds]
    unsigned char *weights, *host_weights; // [batch][count] amplitudes or units of the members of a dynamic group
    cuda_density_records records;
    struct cuda_memory record_memory;
    unsigned long long *host_found;
    struct tile_lattice_plan plan; // only the constants, of the frame that is enqueued
    const struct work_batch *batch;
    unsigned part; // slice of the batch
    struct work_map_slice result;
};

struct cuda_density_device {
    struct cuda_gpu gpu; // first, for cuda_gpu_joules and cuda_gpu_name
    const struct den_job *job;
    unsigned batch, kinds;
    size_t count; // atoms of the group
    struct cuda_memory memory;
    uint32_t *list;
    uint16_t *kind_of;
    void *weights, *host_weights; // [count] amplitudes (float) or units (double) of all atoms
    size_t weight_size;
    struct slot slots[SLOTS];
};

// ---- weights

// Computes the amplitudes A of gauss.h, or the units W of density_job.h, which the kernels use instead of weights.
static int make_weights(struct cuda_density_device *d, struct trj_error *err) {
    const struct den_job *job = d->job;
    bool gauss = job->kernel == DEN_GAUSS;
    d->weight_size = gauss ? sizeof(float) : sizeof(double);
    d->host_weights = trj_alloc(d->count, d->weight_size, "weights", err);
    if (!d->host_weights) return -1;
    for (size_t i = 0; i < d->count; i++) {
        double weight = job->weight ? (double)job->weight[i] : 1;
        if (gauss)
            ((float *)d->host_weights)[i] = (float)(weight * job->gauss.peak[job->kind ? job->kind[i] : 0]);
        else
            ((double *)d->host_weights)[i] = den_job_units(job, weight);
    }
    return 0;
}

// ---- memory

static int take_constants(struct cuda_density_device *d, struct trj_error *err) {
    const struct den_job *job = d->job;
    struct cuda_memory *m = &d->memory;
    uint16_t *none = job->kind ? NULL : trj_alloc(d->count, sizeof *none, "kinds of atoms", err);
    if (!job->kind && !none) return -1;
    int rc =
        make_weights(d, err) ||
        cuda_memory_take_copy(m, &d->list, job->group->atoms, d->count * sizeof *d->list, "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &d->kind_of, job->kind ? job->kind : none, d->count * sizeof *d->kind_of,
                              "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &d->weights, d->host_weights, d->count * d->weight_size, "weights on the GPU", err);
    free(none);
    return rc ? -1 : 0;
}

static int take_slot(struct cuda_density_device *d, struct slot *s, struct trj_error *err) {
    const struct den_job *job = d->job;
    struct cuda_memory *m = &d->memory;
    size_t points = (size_t)trj_map_lattice_points(&job->lattice);
    size_t kinds = (size_t)d->batch * d->kinds * sizeof *s->kind;
    size_t weights = job->group->dynamic ? d->batch * d->count * d->weight_size : 0;
    s->x_capacity = (job->atoms + 31) / 32 * 32;
    if (cuda_memory_take(m, &s->x, 3 * s->x_capacity * sizeof *s->x, "coordinates on the GPU", err) ||
        cuda_memory_take(m, &s->map, points * sizeof *s->map, "the map on the GPU", err) ||
        cuda_memory_take(m, &s->kind, kinds, "widths on the GPU", err) ||
        cuda_memory_take(m, &s->records.found, 2 * sizeof *s->records.found, "records on the GPU", err) ||
        (weights && cuda_memory_take(m, &s->weights, weights, "weights on the GPU", err)) ||
        cuda_stream_slot_open(&s->stream, err))
        return -1;
    CUDA_CHECK(cudaMallocHost((void **)&s->host_map, points * sizeof *s->host_map));
    CUDA_CHECK(cudaMallocHost((void **)&s->host_kind, kinds));
    CUDA_CHECK(cudaMallocHost((void **)&s->host_found, sizeof *s->host_found));
    if (weights) CUDA_CHECK(cudaMallocHost((void **)&s->host_weights, weights));
    if (job->kernel != DEN_GAUSS) return 0;
    size_t cells = d->count + 64; // as tile_lattice_plan_start
    cuda_density_records *r = &s->records;
    if (cuda_density_scratch(cells, &r->scratch_bytes, err) ||
        cuda_memory_take(m, &r->first, (cells + 1) * sizeof *r->first, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->next, (cells + 1) * sizeof *r->next, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->scratch, r->scratch_bytes, "grid cells on the GPU", err))
        return -1;
    return cuda_memory_read_limit(&s->record_memory, err);
}

// Takes memory for `capacity` records.
static int take_records(struct slot *s, unsigned long long capacity, struct trj_error *err) {
    cuda_density_records *r = &s->records;
    if (capacity > UINT32_MAX) return trj_fail(err, TRJ_FAILED, "more than 2^32 images of atoms reach the lattice");
    cuda_memory_empty(&s->record_memory);
    r->capacity = capacity;
    return cuda_memory_take(&s->record_memory, &r->offset, capacity * sizeof *r->offset, "records on the GPU", err) ||
                   cuda_memory_take(&s->record_memory, &r->point, capacity * sizeof *r->point, "records on the GPU",
                                    err)
               ? -1
               : 0;
}

// ---- work

// Sets the constants of frame i of the batch. Those of the kinds go to s->host_kind, and a->kind is where they will be
// on the device.
static int set_frame(struct cuda_density_device *d, struct slot *s, unsigned i, cuda_density_args *a,
                     struct trj_error *err) {
    const struct den_job *job = d->job;
    const struct trj_frame *f = &s->batch->frames[i];
    cuda_density_kind *kind = s->host_kind + (size_t)i * d->kinds;
    bool gauss = job->kernel == DEN_GAUSS;
    struct trj_map_lattice l;
    if (den_job_lattice(job, f, &l, err)) return -1;
    if (!gauss) den_job_reach(job, &l, kind->reach);
    const struct tile_lattice_atoms atoms = {
        .frame = f, .list = job->group->atoms, .count = d->count, .kind = job->kind, .kinds = d->kinds};
    if (cuda_lattice_set(a, kind, &s->plan, &l, &atoms, gauss ? &job->gauss : NULL, err)) return -1;
    a->kind = s->kind + (size_t)i * d->kinds;
    memcpy(a->step, l.step, sizeof a->step);
    a->radius2 = job->radius * job->radius;
    return 0;
}

// Uploads the weights of the members of a dynamic group; those of other atoms are 0. Sets *weights to their place on
// the device.
static int upload_members(struct cuda_density_device *d, struct slot *s, unsigned i, const void **weights,
                          struct trj_error *err) {
    const struct trj_group *g = d->job->group;
    size_t bytes = d->count * d->weight_size;
    unsigned char *host = s->host_weights + i * bytes;
    memcpy(host, d->host_weights, bytes);
    for (size_t k = 0; k < d->count; k++)
        if (!trj_group_has(g, &s->batch->frames[i], k)) memset(host + k * d->weight_size, 0, d->weight_size);
    CUDA_CHECK(cudaMemcpyAsync(s->weights + i * bytes, host, bytes, cudaMemcpyHostToDevice, s->stream.stream));
    *weights = s->weights + i * bytes;
    return 0;
}

static int enqueue_frame(struct cuda_density_device *d, struct slot *s, unsigned i, cuda_density_args a,
                         struct trj_error *err) {
    const struct trj_frame *f = &s->batch->frames[i];
    const void *weights = d->weights;
    cudaStream_t stream = s->stream.stream;
    if (set_frame(d, s, i, &a, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(s->kind + (size_t)i * d->kinds, s->host_kind + (size_t)i * d->kinds,
                               d->kinds * sizeof *s->kind, cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < 3; k++)
        CUDA_CHECK(cudaMemcpyAsync(s->x + (size_t)k * s->x_capacity, f->x[k], f->atoms * sizeof *s->x,
                                   cudaMemcpyHostToDevice, stream));
    if (d->job->group->dynamic && upload_members(d, s, i, &weights, err)) return -1;
    a.amplitude = d->job->kernel == DEN_GAUSS ? weights : NULL;
    a.units = d->job->kernel == DEN_GAUSS ? NULL : weights;
    return cuda_density_launch(&a, &s->records, stream, err);
}

// Enqueues a slice: all frames, at some planes.
static int enqueue(struct cuda_density_device *d, struct slot *s, struct trj_error *err) {
    const struct cuda_stream_slot *t = &s->stream;
    const struct work_map_slice *r = &s->result;
    size_t bytes = r->count * sizeof *s->map, plane = (size_t)trj_map_lattice_plane(&d->job->lattice);
    const cuda_density_args args = {.kernel = (cuda_density_kernel)d->job->kernel,
                                    .x = s->x,
                                    .x_capacity = s->x_capacity,
                                    .list = d->list,
                                    .count = (unsigned)d->count,
                                    .kind_of = d->kind_of,
                                    .plane = (int)(r->first / plane),
                                    .planes = (int)(r->count / plane),
                                    .map = s->map};
    CUDA_CHECK(cudaEventRecord(t->upload_begin, t->stream));
    CUDA_CHECK(cudaMemsetAsync(s->map, 0, bytes, t->stream));
    CUDA_CHECK(cudaMemsetAsync(s->records.found, 0, 2 * sizeof *s->records.found, t->stream));
    CUDA_CHECK(cudaEventRecord(t->upload_end, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_begin, t->stream));
    for (unsigned i = 0; i < s->batch->count; i++)
        if (enqueue_frame(d, s, i, args, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(s->host_map, s->map, bytes, cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(
        cudaMemcpyAsync(s->host_found, s->records.found, sizeof *s->host_found, cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_end, t->stream));
    return 0;
}

// As begin() of struct work_device_ops.
static int start(struct cuda_density_device *d, struct slot *s, struct trj_error *err) {
    if (!enqueue(d, s, err)) return 0;
    CUDA_RELEASE(cudaStreamSynchronize(s->stream.stream)); // the device must no longer read the batch
    return -1;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct cuda_density_device *d = device;
    struct slot *s = &d->slots[slot];
    // A slice consists of whole blocks.
    uint64_t n = d->job->lattice.n[2], plane = trj_map_lattice_plane(&d->job->lattice),
             blocks = (n + CUDA_DENSITY_BLOCK - 1) / CUDA_DENSITY_BLOCK;
    uint64_t first = blocks * slice / batch->slices * CUDA_DENSITY_BLOCK,
             end = blocks * (slice + 1) / batch->slices * CUDA_DENSITY_BLOCK;
    s->batch = batch;
    s->result =
        (struct work_map_slice){(const int64_t *)s->host_map, first * plane, ((end < n ? end : n) - first) * plane};
    if (d->job->kernel == DEN_GAUSS && !s->records.capacity && take_records(s, d->count + d->count / 4 + 64, err))
        return -1;
    return start(d, s, err);
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    struct cuda_density_device *d = device;
    struct slot *s = &d->slots[slot];
    for (;;) {
        if (cuda_stream_slot_wait(&s->stream, d->gpu.origin, &result->upload, &result->began, &result->ended, err))
            return -1;
        if (*s->host_found <= s->records.capacity) break;
        if (take_records(s, *s->host_found + *s->host_found / 8, err) || start(d, s, err)) return -1;
    }
    result->data = &s->result;
    return 0;
}

static int attach(void *device, struct trj_error *err) {
    struct cuda_density_device *d = device;
    return cuda_gpu_attach(&d->gpu, d->slots[0].stream.stream, err);
}

const struct work_device_ops cuda_density_device_ops = {
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

static int prepare(struct cuda_density_device *d, struct trj_error *err) {
    if (cuda_density_check(err) || cuda_memory_read_limit(&d->memory, err) || take_constants(d, err)) return -1;
    for (int i = 0; i < SLOTS; i++)
        if (take_slot(d, &d->slots[i], err)) return -1;
    if (cuda_memory_check_free(&d->memory, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the streams of the slots do not wait for these copies
    return 0;
}

int cuda_density_device_open(struct cuda_density_device **device, int number, const struct den_job *job, unsigned batch,
                             struct trj_error *err) {
    struct cuda_density_device *d = trj_alloc(1, sizeof *d, "a GPU", err);
    if (!d) return -1;
    d->job = job;
    d->batch = batch;
    d->count = job->group->count;
    d->kinds = job->kernel == DEN_GAUSS ? job->gauss.kinds : 1;
    if (cuda_gpu_open(&d->gpu, number, err)) goto out;
    if (prepare(d, err)) {
        if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", d->gpu.name);
        goto out;
    }
    *device = d;
    return 0;
out:
    cuda_density_device_close(d);
    return -1;
}

void cuda_density_device_close(struct cuda_density_device *d) {
    if (!d) return;
    CUDA_RELEASE(cudaSetDevice(d->gpu.number));
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &d->slots[i];
        CUDA_RELEASE(cudaFreeHost(s->host_map));
        CUDA_RELEASE(cudaFreeHost(s->host_kind));
        CUDA_RELEASE(cudaFreeHost(s->host_found));
        CUDA_RELEASE(cudaFreeHost(s->host_weights));
        cuda_memory_free(&s->record_memory);
        tile_lattice_plan_free(&s->plan);
        cuda_stream_slot_close(&s->stream);
    }
    cuda_gpu_close(&d->gpu);
    cuda_memory_free(&d->memory);
    free(d->host_weights);
    free(d);
}
