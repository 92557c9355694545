// SPDX-License-Identifier: MIT
// The method adds the first frame of a batch to the sums, and each other frame to an array of its own, which is then
// added with a check of overflow: the sums of a frame leave room for their own rounding, but not for other frames.
//
// Kernels do not find out which atom is on a point, or which sum is too large. If a kernel reports such a batch, the
// method of the engine cpu computes it, and fails with the message or returns the values.
#include "potential_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "charges.h"
#include "check.cuh"
#include "cpu_frames.h"
#include "frame_kernels.h"
#include "gpu.h"
#include "memory.h"
#include "potential_pool.h"
#include "stream_slot.h"

enum { SLOTS = 2, OVERFLOW = CUDA_POTENTIAL_FLAGS, ALL_FLAGS };

struct slot {
    struct cuda_stream_slot stream;
    void *state; // of the method
    float *x;    // [3][x_capacity] one frame
    size_t x_capacity;
    uint32_t *place, *host_place;          // [count], [batch][count]; of dynamic groups
    double *at[3];                         // [count]
    double *member[CUDA_FRAME_PROPERTIES]; // [count]; of dynamic groups
    unsigned long long *total, *values;    // [job->values] of the batch, of a frame
    int64_t *host_values;                  // [job->values]
    unsigned *flags, *host_flags;          // [ALL_FLAGS]
    const struct work_batch *batch;
    struct cuda_potential_range range;
    bool by_cpu; // the method cannot add a frame
    struct pot_slice result;
};

struct cuda_potential_device {
    struct cuda_gpu gpu; // first, for cuda_gpu_joules and cuda_gpu_name
    const struct pot_job *job;
    const struct cuda_potential_method *method;
    unsigned batch;
    size_t count; // atoms of the group
    struct cuda_memory memory;
    uint32_t *atom;                          // [count]
    double *property[CUDA_FRAME_PROPERTIES]; // [count] of all atoms of the group; NULL: not needed
    struct slot slots[SLOTS];
    struct pot_cpu_frames cpu;
};

// Returns the number of points of a plane, or 1 for a list.
static size_t points_of_plane(const struct pot_job *job) {
    return job->point_count ? 1 : (size_t)trj_map_lattice_plane(&job->lattice);
}

// ---- memory

static int take_constants(struct cuda_potential_device *d, struct trj_error *err) {
    const struct pot_charges *c = d->job->charges;
    const double *const from[CUDA_FRAME_PROPERTIES] = {c->charge, c->radius, c->epsilon};
    struct cuda_memory *m = &d->memory;
    for (int p = 0; p < CUDA_FRAME_PROPERTIES; p++)
        if (from[p] && d->count &&
            cuda_memory_take_copy(m, &d->property[p], from[p], d->count * sizeof **d->property, "charges on the GPU",
                                  err))
            return -1;
    return d->count ? cuda_memory_take_copy(m, &d->atom, d->job->group->atoms, d->count * sizeof *d->atom,
                                            "atoms on the GPU", err)
                    : 0;
}

static int take_members(struct cuda_potential_device *d, struct slot *s, struct trj_error *err) {
    struct cuda_memory *m = &d->memory;
    size_t bytes = d->count * sizeof(double), places = d->count * sizeof *s->place;
    for (int k = 0; k < 3; k++)
        if (cuda_memory_take(m, &s->at[k], bytes, "charges on the GPU", err)) return -1;
    if (!d->job->group->dynamic) return 0;
    for (int p = 0; p < CUDA_FRAME_PROPERTIES; p++)
        if (d->property[p] && cuda_memory_take(m, &s->member[p], bytes, "charges on the GPU", err)) return -1;
    if (cuda_memory_take(m, &s->place, places, "members on the GPU", err)) return -1;
    CUDA_CHECK(cudaMallocHost((void **)&s->host_place, d->batch * places));
    return 0;
}

static int take_slot(struct cuda_potential_device *d, struct slot *s, struct trj_error *err) {
    const struct pot_job *job = d->job;
    struct cuda_memory *m = &d->memory;
    size_t bytes = job->values * sizeof *s->total;
    s->x_capacity = (job->stream_atoms + 31) / 32 * 32;
    if (cuda_memory_take(m, &s->x, 3 * s->x_capacity * sizeof *s->x, "coordinates on the GPU", err) ||
        (d->count && take_members(d, s, err)) || cuda_memory_take(m, &s->total, bytes, "the map on the GPU", err) ||
        (d->batch > 1 && cuda_memory_take(m, &s->values, bytes, "the map on the GPU", err)) ||
        cuda_memory_take(m, &s->flags, ALL_FLAGS * sizeof *s->flags, "flags on the GPU", err) ||
        cuda_stream_slot_open(&s->stream, err))
        return -1;
    CUDA_CHECK(cudaMallocHost((void **)&s->host_values, bytes));
    CUDA_CHECK(cudaMallocHost((void **)&s->host_flags, ALL_FLAGS * sizeof *s->host_flags));
    return d->method->open(&s->state, job, m, err);
}

// ---- work

// Lists the members of a dynamic group in frame i of the batch.
static int upload_members(struct cuda_potential_device *d, struct slot *s, unsigned i, struct cuda_potential_frame *f,
                          struct trj_error *err) {
    const struct trj_group *g = d->job->group;
    uint32_t *to = s->host_place + i * d->count;
    unsigned n = 0;
    for (size_t k = 0; k < d->count; k++)
        if (trj_group_has(g, &s->batch->frames[i], k)) to[n++] = (uint32_t)k;
    f->count = n;
    f->place = s->place;
    f->host_place = to;
    if (n) CUDA_CHECK(cudaMemcpyAsync(s->place, to, n * sizeof *to, cudaMemcpyHostToDevice, s->stream.stream));
    return 0;
}

// Uploads frame i of the batch, and sets *f to its members.
static int enqueue_members(struct cuda_potential_device *d, struct slot *s, unsigned i, struct cuda_potential_frame *f,
                           struct trj_error *err) {
    const struct trj_frame *from = &s->batch->frames[i];
    cuda_frame_members m = {.x = s->x, .capacity = s->x_capacity, .unit = from->unit, .atom = d->atom};
    double *const *property = d->job->group->dynamic ? s->member : d->property;
    *f = (struct cuda_potential_frame){
        .count = (unsigned)d->count, .charge = property[0], .radius = property[1], .epsilon = property[2]};
    if (!d->job->open_space) f->cell = from->cell;
    if (d->job->group->dynamic && upload_members(d, s, i, f, err)) return -1;
    m.place = f->place;
    m.count = f->count;
    for (int k = 0; k < 3; k++) {
        m.at[k] = s->at[k];
        m.property[k] = d->property[k];
        m.member[k] = s->member[k];
        f->at[k] = s->at[k];
        CUDA_CHECK(cudaMemcpyAsync(s->x + (size_t)k * s->x_capacity, from->x[k], from->atoms * sizeof *s->x,
                                   cudaMemcpyHostToDevice, s->stream.stream));
    }
    return cuda_frame_gather(&m, s->stream.stream, err);
}

static int enqueue_frame(struct cuda_potential_device *d, struct slot *s, unsigned i, struct trj_error *err) {
    const struct pot_job *job = d->job;
    size_t plane = points_of_plane(job), first = s->range.first * plane, n = (s->range.end - s->range.first) * plane;
    cudaStream_t stream = s->stream.stream;
    unsigned long long *to = i ? s->values : s->total;
    struct cuda_potential_frame f;
    if (enqueue_members(d, s, i, &f, err) ||
        job->frame_lattice(job->frame_lattice_owner, &s->batch->frames[i], &f.lattice, err))
        return -1;
    CUDA_CHECK(cudaMemsetAsync(to + first, 0, n * sizeof *to, stream));
    if (d->method->add(s->state, &f, &s->range, to, s->flags, stream, err)) return -1;
    return i ? cuda_frame_accumulate(to + first, s->total + first, n, &s->flags[OVERFLOW], stream, err) : 0;
}

static int enqueue_frames(struct cuda_potential_device *d, struct slot *s, struct trj_error *err) {
    for (unsigned i = 0; i < s->batch->count && s->result.map.count; i++) {
        if (!enqueue_frame(d, s, i, err)) continue;
        if (err->status != TRJ_BAD_DATA) return -1;
        s->by_cpu = true;
        return 0;
    }
    return 0;
}

// Enqueues a slice: all frames, at the points of the range.
static int enqueue(struct cuda_potential_device *d, struct slot *s, struct trj_error *err) {
    const struct cuda_stream_slot *t = &s->stream;
    const struct work_map_slice *r = &s->result.map;
    CUDA_CHECK(cudaEventRecord(t->upload_begin, t->stream));
    CUDA_CHECK(cudaMemsetAsync(s->flags, 0, ALL_FLAGS * sizeof *s->flags, t->stream));
    CUDA_CHECK(cudaEventRecord(t->upload_end, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_begin, t->stream));
    if (enqueue_frames(d, s, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(s->host_values, s->total + r->first, r->count * sizeof *s->host_values,
                               cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(
        cudaMemcpyAsync(s->host_flags, s->flags, ALL_FLAGS * sizeof *s->host_flags, cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_end, t->stream));
    return 0;
}

// As begin() of struct work_device_ops.
static int start(struct cuda_potential_device *d, struct slot *s, struct trj_error *err) {
    s->by_cpu = false;
    if (!enqueue(d, s, err)) return 0;
    CUDA_RELEASE(cudaStreamSynchronize(s->stream.stream)); // the device must no longer read the batch
    return -1;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct cuda_potential_device *d = device;
    struct slot *s = &d->slots[slot];
    const struct pot_job *job = d->job;
    size_t all = job->point_count ? job->point_count : (size_t)job->lattice.n[2], plane = points_of_plane(job),
           multiple = d->method->multiple ? d->method->multiple : all;
    // The last slice takes the rest, as the last block of points may be larger than the others.
    size_t units = all / multiple ? all / multiple : 1, from = units * slice / batch->slices,
           to = units * (slice + 1) / batch->slices;
    s->batch = batch;
    s->range = (struct cuda_potential_range){from * multiple, to == units ? all : to * multiple};
    if (from == to) s->range.end = s->range.first;
    s->result =
        (struct pot_slice){.map = {s->host_values, s->range.first * plane, (s->range.end - s->range.first) * plane}};
    return start(d, s, err);
}

// Computes the batch by the method of the engine cpu, and takes the values of the range.
static int compute_by_cpu(struct cuda_potential_device *d, struct slot *s, struct work_result *result,
                          struct trj_error *err) {
    struct pot_cpu_frames *c = &d->cpu;
    const int64_t *values;
    if (!c->state && pot_cpu_frames_open(c, d->job, d->method->cpu, err)) goto out;
    for (unsigned i = 0; i < s->batch->count; i++) {
        result->bad_frame = i;
        if (pot_cpu_frames_add(c, &s->batch->frames[i], err)) goto out;
    }
    if (c->method->finish(c->state, &values, err)) goto out;
    memcpy(s->host_values, values + s->result.map.first, s->result.map.count * sizeof *values);
    s->result.error = pot_cpu_frames_error(c);
    return 0;
out:
    pot_cpu_frames_close(c);
    return -1;
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    struct cuda_potential_device *d = device;
    struct slot *s = &d->slots[slot];
    const struct cuda_potential_method *m = d->method;
    result->data = &s->result;
    for (;;) {
        bool again = false;
        s->result.error = NAN;
        if (cuda_stream_slot_wait(&s->stream, d->gpu.origin, &result->upload, &result->began, &result->ended, err) ||
            (m->end && m->end(s->state, &again, &s->result.error, err)))
            return -1;
        if (s->by_cpu || !again) break;
        if (start(d, s, err)) return -1;
    }
    if (!s->by_cpu && !s->host_flags[CUDA_POTENTIAL_BY_CPU] && !s->host_flags[OVERFLOW]) return 0;
    return compute_by_cpu(d, s, result, err);
}

static int attach(void *device, struct trj_error *err) {
    struct cuda_potential_device *d = device;
    return cuda_gpu_attach(&d->gpu, d->slots[0].stream.stream, err);
}

const struct work_device_ops cuda_potential_device_ops = {
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

static int prepare(struct cuda_potential_device *d, struct trj_error *err) {
    if (d->method->check(err) || cuda_memory_read_limit(&d->memory, err) || take_constants(d, err)) return -1;
    for (int i = 0; i < SLOTS; i++)
        if (take_slot(d, &d->slots[i], err)) return -1;
    if (cuda_memory_check_free(&d->memory, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the streams of the slots do not wait for these copies
    return 0;
}

int cuda_potential_device_open(struct cuda_potential_device **device, int number, const struct pot_job *job,
                               const struct cuda_potential_method *method, unsigned batch, struct trj_error *err) {
    struct cuda_potential_device *d = trj_alloc(1, sizeof *d, "a GPU", err);
    if (!d) return -1;
    d->job = job;
    d->method = method;
    d->batch = batch;
    d->count = job->group->count;
    if (cuda_gpu_open(&d->gpu, number, err)) goto out;
    if (prepare(d, err)) {
        if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", d->gpu.name);
        goto out;
    }
    *device = d;
    return 0;
out:
    cuda_potential_device_close(d);
    return -1;
}

void cuda_potential_device_close(struct cuda_potential_device *d) {
    if (!d) return;
    CUDA_RELEASE(cudaSetDevice(d->gpu.number));
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &d->slots[i];
        if (s->state) d->method->close(s->state);
        CUDA_RELEASE(cudaFreeHost(s->host_place));
        CUDA_RELEASE(cudaFreeHost(s->host_values));
        CUDA_RELEASE(cudaFreeHost(s->host_flags));
        cuda_stream_slot_close(&s->stream);
    }
    pot_cpu_frames_close(&d->cpu);
    cuda_gpu_close(&d->gpu);
    cuda_memory_free(&d->memory);
    free(d);
}
