// SPDX-License-Identifier: MIT
// The engine `cuda` of density maps: each GPU uploads the frames of a batch one by one, and adds their densities to a
// map in its memory, which is copied to the host once for each batch.
//
// Memory is allocated when the engine is opened, except for that of the records, whose number depends on the positions
// of the atoms: if it was too small for a batch, it is enlarged, and the batch is computed again.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "density.h"
#include "density_engine.h"
#include "lattice_constants.h"
#include "map_gpus.h"
#include "memory.h"

// A batch has up to about four times as many bytes of coordinates as the map, which is copied and added once for each
// batch.
enum { MAX_BATCH = 256 };
#define BATCH_BYTES 100e6

struct slot {
    struct cuda_slot base;
    float *x; // [3][atoms] one frame
    size_t x_capacity;
    long long *map, *host_map;             // [points]
    cuda_density_kind *kind, *host_kind;   // [batch][kinds]
    unsigned char *weights, *host_weights; // [batch][count] amplitudes or units of the members of a dynamic group
    cuda_density_records records;
    struct cuda_memory record_memory;
    unsigned long long *host_found;
    struct tile_lattice_plan plan; // only the constants, of the frame that is enqueued
    struct work_map_slice result;
};

struct device {
    struct cuda_device base;
    const struct den_job *job;
    unsigned kinds;
    size_t count; // atoms of the group
    uint32_t *list;
    uint16_t *kind_of;
    void *weights, *host_weights; // [count] amplitudes (float) or units (double) of all atoms
    size_t weight_size;
};

// ---- weights

// Computes the amplitudes A of gauss.h, or the units W of density_job.h, which the kernels use instead of weights.
static int make_weights(struct device *d, struct trj_error *err) {
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

static int open_device(void *device, struct trj_error *err) {
    struct device *d = device;
    const struct den_job *job = d->job = d->base.job;
    d->count = job->group->count;
    d->kinds = job->kernel == DEN_GAUSS ? job->gauss.kinds : 1;
    uint16_t *none = job->kind ? NULL : trj_alloc(d->count, sizeof *none, "kinds of atoms", err);
    if ((!job->kind && !none) || make_weights(d, err)) {
        free(none);
        return -1;
    }
    const struct cuda_array weights = {&d->weights, d->count * d->weight_size, "weights on the GPU", d->host_weights,
                                       false};
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(d->list, d->count, "atoms on the GPU", job->group->atoms),
        CUDA_ARRAY_COPY(d->kind_of, d->count, "atoms on the GPU", job->kind ? job->kind : none),
        weights,
    };
    int rc = CUDA_ALLOC(&d->base.memory, arrays, err);
    free(none);
    return rc;
}

static int alloc_cells(struct device *d, cuda_density_records *r, struct trj_error *err) {
    size_t cells = d->count + 64; // as tile_lattice_plan_start
    if (cuda_density_scratch(cells, &r->scratch_bytes, err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->first, (cells + 1), "grid cells on the GPU"),
        CUDA_ARRAY(r->next, (cells + 1), "grid cells on the GPU"),
        CUDA_ARRAY_BYTES(r->scratch, r->scratch_bytes, "grid cells on the GPU"),
    };
    return CUDA_ALLOC(&d->base.memory, arrays, err);
}

static int open_slot(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct den_job *job = d->job;
    size_t points = (size_t)den_job_points(job), kinds = (size_t)d->base.batch * d->kinds;
    size_t weights = job->group->dynamic ? d->base.batch * d->count * d->weight_size : 0;
    s->x_capacity = (job->atoms + 31) / 32 * 32;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->x, 3 * s->x_capacity, "coordinates on the GPU"),
        CUDA_ARRAY(s->map, points, "the map on the GPU"),
        CUDA_ARRAY(s->kind, kinds, "widths on the GPU"),
        CUDA_ARRAY(s->records.found, 2, "records on the GPU"),
        CUDA_ARRAY(s->weights, weights, "weights on the GPU"),
        CUDA_ARRAY_HOST(s->host_map, points),
        CUDA_ARRAY_HOST(s->host_kind, kinds),
        CUDA_ARRAY_HOST(s->host_found, 1),
        CUDA_ARRAY_HOST(s->host_weights, weights),
    };
    if (CUDA_ALLOC(&d->base.memory, arrays, err)) return -1;
    cuda_memory_join(&s->record_memory, &d->base.memory);
    return job->kernel == DEN_GAUSS ? alloc_cells(d, &s->records, err) : 0;
}

// Allocates memory for `capacity` records.
static int alloc_records(struct slot *s, unsigned long long capacity, struct trj_error *err) {
    cuda_density_records *r = &s->records;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->offset, capacity, "records on the GPU"),
        CUDA_ARRAY(r->point, capacity, "records on the GPU"),
    };
    if (capacity > UINT32_MAX) return trj_fail(err, TRJ_NO_ENGINE, "more than 2^32 images of atoms reach the lattice");
    cuda_memory_empty(&s->record_memory);
    r->capacity = 0;
    if (CUDA_ALLOC(&s->record_memory, arrays, err)) return -1;
    r->capacity = capacity;
    return 0;
}

// ---- work

// Sets the constants of frame i of the batch. Those of the kinds go to s->host_kind, and a->kind is where they will be
// on the device.
static int set_frame(struct device *d, struct slot *s, unsigned i, cuda_density_args *a, struct trj_error *err) {
    const struct den_job *job = d->job;
    const struct trj_frame *f = &s->base.batch->frames[i];
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
static int upload_members(struct device *d, struct slot *s, unsigned i, const void **weights, struct trj_error *err) {
    const struct trj_group *g = d->job->group;
    size_t bytes = d->count * d->weight_size;
    unsigned char *host = s->host_weights + i * bytes;
    memcpy(host, d->host_weights, bytes);
    for (size_t k = 0; k < d->count; k++)
        if (!trj_group_has(g, &s->base.batch->frames[i], k)) memset(host + k * d->weight_size, 0, d->weight_size);
    CUDA_CHECK(cudaMemcpyAsync(s->weights + i * bytes, host, bytes, cudaMemcpyHostToDevice, s->base.stream));
    *weights = s->weights + i * bytes;
    return 0;
}

static int enqueue_frame(struct device *d, struct slot *s, unsigned i, cuda_density_args a, struct trj_error *err) {
    const struct trj_frame *f = &s->base.batch->frames[i];
    const void *weights = d->weights;
    cudaStream_t stream = s->base.stream;
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

// Sets the planes of the slice, relative to the slab of the job; blocks begin with its first plane.
static void set_slice(const struct device *d, struct slot *s) {
    uint64_t n = trj_map_lattice_slab(&d->job->lattice, d->job->slab).planes,
             plane = trj_map_lattice_plane(&d->job->lattice),
             blocks = (n + CUDA_DENSITY_BLOCK - 1) / CUDA_DENSITY_BLOCK;
    uint64_t slice = s->base.slice, slices = s->base.batch->slices;
    uint64_t first = blocks * slice / slices * CUDA_DENSITY_BLOCK,
             end = blocks * (slice + 1) / slices * CUDA_DENSITY_BLOCK;
    s->result =
        (struct work_map_slice){(const int64_t *)s->host_map, first * plane, ((end < n ? end : n) - first) * plane};
}

// Enqueues a slice: all frames, at some planes.
static int enqueue(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    cudaStream_t stream = s->base.stream;
    if (d->job->kernel == DEN_GAUSS && !s->records.capacity && alloc_records(s, d->count + d->count / 4 + 64, err))
        return -1;
    set_slice(d, s);
    const struct work_map_slice *r = &s->result;
    size_t bytes = r->count * sizeof *s->map, plane = (size_t)trj_map_lattice_plane(&d->job->lattice);
    const cuda_density_args args = {.kernel = (cuda_density_kernel)d->job->kernel,
                                    .x = s->x,
                                    .x_capacity = s->x_capacity,
                                    .list = d->list,
                                    .count = (unsigned)d->count,
                                    .kind_of = d->kind_of,
                                    .plane = (int)(d->job->slab.first + r->first / plane),
                                    .planes = (int)(r->count / plane),
                                    .map = s->map};
    CUDA_CHECK(cudaMemsetAsync(s->map, 0, bytes, stream));
    CUDA_CHECK(cudaMemsetAsync(s->records.found, 0, 2 * sizeof *s->records.found, stream));
    if (cuda_slot_uploaded(&s->base, err)) return -1;
    for (unsigned i = 0; i < s->base.batch->count; i++) {
        s->base.frame = i;
        if (enqueue_frame(d, s, i, args, err)) return -1;
    }
    CUDA_CHECK(cudaMemcpyAsync(s->host_map, s->map, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaMemcpyAsync(s->host_found, s->records.found, sizeof *s->host_found, cudaMemcpyDeviceToHost, stream));
    return 0;
}

static int complete(void *device, void *slot, bool *again, struct work_result *result, struct trj_error *err) {
    struct slot *s = slot;
    (void)device;
    result->data = &s->result;
    *again = *s->host_found > s->records.capacity;
    return *again ? alloc_records(s, *s->host_found + *s->host_found / 8, err) : 0;
}

static void close_slot(void *device, void *slot) {
    (void)device;
    tile_lattice_plan_free(&((struct slot *)slot)->plan);
}

static void close_device(void *device) {
    free(((struct device *)device)->host_weights);
}

// ---- the engine

static unsigned choose_batch(const void *opaque, unsigned gpus) {
    const struct den_job *job = opaque;
    double frame = 12.0 * (double)job->atoms, map = 8.0 * (double)den_job_points(job);
    double frames = 4 * map / frame + 1, max = BATCH_BYTES / frame;
    // With several GPUs, batches are smaller, so that a short file still occupies all of them.
    if (gpus > 1) frames = frames / 2 + 1;
    if (frames > max) frames = max;
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
    .close = close_device,
};

static unsigned slices(const struct cuda_gpus *gpus) {
    return gpus->batch == 1 ? gpus->count : 1;
}

static int open_cuda(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    const struct work_map_job map = den_map_job(job);
    return cuda_map_open(engine, &analysis, &map, slices, resources, err);
}

const struct work_map_engine den_engine_cuda = {
    .slabs = true,
    .open = open_cuda,
    CUDA_MAP_FUNCTIONS,
};
