// SPDX-License-Identifier: MIT
// Computes a batch on one GPU for all methods, which differ only in how they add one frame.
//
// The method adds the first frame of a batch to the sums, and each other frame to an array of its own, which is then
// added with a check of overflow: the limit on the sums of one frame allows for their rounding, but not for the sums of
// other frames.
//
// Kernels do not find out which atom is on a point, or which sum is too large. If a kernel reports such a batch, the
// method of the engine cpu computes it, and fails with the message or returns the values.
#include "potential_device.h"

#include <math.h>
#include <string.h>

#include "charges.h"
#include "check.cuh"
#include "cpu_frames.h"
#include "frame_kernels.h"
#include "potential_pool.h"

enum { OVERFLOW = CUDA_POTENTIAL_FLAGS, ALL_FLAGS };

struct slot {
    struct cuda_slot base;
    void *state; // of the method
    float *x;    // [3][x_capacity] one frame
    size_t x_capacity;
    uint32_t *place, *host_place;          // [count], [batch][count]; of dynamic groups
    double *position[3];                   // [count]
    double *member[CUDA_FRAME_PROPERTIES]; // [count]; of dynamic groups
    unsigned long long *total, *values;    // [job->values] of the batch, of a frame
    int64_t *host_values;                  // [job->values]
    unsigned *flags, *host_flags;          // [ALL_FLAGS]
    struct cuda_potential_range range;
    bool by_cpu; // the method cannot add a frame
    struct pot_slice result;
};

struct device {
    struct cuda_device base;
    const struct pot_job *job;
    const struct cuda_potential_method *method;
    size_t count;                            // atoms of the group
    uint32_t *atom;                          // [count]
    double *property[CUDA_FRAME_PROPERTIES]; // [count] of all atoms of the group; NULL: not needed
    struct pot_cpu_frames cpu;
};

// Returns the number of points of a plane, or 1 for a list.
static size_t points_of_plane(const struct pot_job *job) {
    return job->point_count ? 1 : (size_t)trj_map_lattice_plane(&job->lattice);
}

// ---- memory

static int open_device(void *device, struct trj_error *err) {
    struct device *d = device;
    const struct cuda_potential_job *job = d->base.job;
    const struct pot_charges *c = job->job->charges;
    const double *const from[CUDA_FRAME_PROPERTIES] = {c->charge, c->radius, c->epsilon};
    struct cuda_memory *m = &d->base.memory;
    d->job = job->job;
    d->method = job->method;
    d->count = d->job->group->count;
    if (!d->count) return 0;
    for (int p = 0; p < CUDA_FRAME_PROPERTIES; p++)
        if (from[p] && cuda_memory_alloc_copy(m, &d->property[p], from[p], d->count * sizeof **d->property,
                                              "charges on the GPU", err))
            return -1;
    return cuda_memory_alloc_copy(m, &d->atom, d->job->group->atoms, d->count * sizeof *d->atom, "atoms on the GPU",
                                  err);
}

static int alloc_members(struct device *d, struct slot *s, struct trj_error *err) {
    struct cuda_memory *m = &d->base.memory;
    size_t bytes = d->count * sizeof(double);
    for (int k = 0; k < 3; k++)
        if (cuda_memory_alloc(m, &s->position[k], bytes, "charges on the GPU", err)) return -1;
    if (!d->job->group->dynamic) return 0;
    for (int p = 0; p < CUDA_FRAME_PROPERTIES; p++)
        if (d->property[p] && cuda_memory_alloc(m, &s->member[p], bytes, "charges on the GPU", err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->place, d->count, "members on the GPU"),
        CUDA_ARRAY_HOST(s->host_place, d->base.batch * d->count),
    };
    return CUDA_ALLOC(m, arrays, err);
}

static int open_slot(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct pot_job *job = d->job;
    struct cuda_memory *m = &d->base.memory;
    size_t n = job->values;
    s->x_capacity = (job->stream_atoms + 31) / 32 * 32;
    if (cuda_memory_alloc(m, &s->x, 3 * s->x_capacity * sizeof *s->x, "coordinates on the GPU", err)) return -1;
    if (d->count && alloc_members(d, s, err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->total, n, "the map on the GPU"),
        CUDA_ARRAY(s->flags, ALL_FLAGS, "flags on the GPU"),
        CUDA_ARRAY_HOST(s->host_values, n),
        CUDA_ARRAY_HOST(s->host_flags, ALL_FLAGS),
        CUDA_ARRAY(s->values, n, "the map on the GPU"), // for other frames than the first
    };
    size_t count = sizeof arrays / sizeof *arrays;
    if (cuda_memory_alloc_all(m, arrays, d->base.batch > 1 ? count : count - 1, err)) return -1;
    return d->method->open(&s->state, job, m, err);
}

// ---- work

// Lists the members of a dynamic group in frame i of the batch.
static int upload_members(struct device *d, struct slot *s, unsigned i, struct cuda_potential_frame *f,
                          struct trj_error *err) {
    const struct trj_group *g = d->job->group;
    uint32_t *to = s->host_place + i * d->count;
    unsigned n = 0;
    for (size_t k = 0; k < d->count; k++)
        if (trj_group_has(g, &s->base.batch->frames[i], k)) to[n++] = (uint32_t)k;
    f->count = n;
    f->place = s->place;
    f->host_place = to;
    if (n) CUDA_CHECK(cudaMemcpyAsync(s->place, to, n * sizeof *to, cudaMemcpyHostToDevice, s->base.stream));
    return 0;
}

// Uploads frame i of the batch, and sets *f to its members.
static int enqueue_members(struct device *d, struct slot *s, unsigned i, struct cuda_potential_frame *f,
                           struct trj_error *err) {
    const struct trj_frame *from = &s->base.batch->frames[i];
    cuda_frame_members m = {.x = s->x, .capacity = s->x_capacity, .unit = from->unit, .atom = d->atom};
    double *const *property = d->job->group->dynamic ? s->member : d->property;
    *f = (struct cuda_potential_frame){
        .count = (unsigned)d->count, .charge = property[0], .radius = property[1], .epsilon = property[2]};
    if (!d->job->open_space) f->cell = from->cell;
    if (d->job->group->dynamic && upload_members(d, s, i, f, err)) return -1;
    m.place = f->place;
    m.count = f->count;
    for (int k = 0; k < 3; k++) {
        m.position[k] = s->position[k];
        m.property[k] = d->property[k];
        m.member[k] = s->member[k];
        f->position[k] = s->position[k];
        CUDA_CHECK(cudaMemcpyAsync(s->x + (size_t)k * s->x_capacity, from->x[k], from->atoms * sizeof *s->x,
                                   cudaMemcpyHostToDevice, s->base.stream));
    }
    return cuda_frame_gather(&m, s->base.stream, err);
}

static int enqueue_frame(struct device *d, struct slot *s, unsigned i, struct trj_error *err) {
    const struct pot_job *job = d->job;
    size_t first = s->result.map.first, n = s->result.map.count;
    cudaStream_t stream = s->base.stream;
    unsigned long long *to = i ? s->values : s->total;
    struct cuda_potential_frame f;
    if (enqueue_members(d, s, i, &f, err) ||
        job->frame_lattice(job->frame_lattice_owner, &s->base.batch->frames[i], &f.lattice, err))
        return -1;
    CUDA_CHECK(cudaMemsetAsync(to + first, 0, n * sizeof *to, stream));
    if (d->method->add(s->state, &f, &s->range, to, s->flags, stream, err)) return -1;
    return i ? cuda_frame_accumulate(to + first, s->total + first, n, &s->flags[OVERFLOW], stream, err) : 0;
}

static int enqueue_frames(struct device *d, struct slot *s, struct trj_error *err) {
    for (unsigned i = 0; i < s->base.batch->count && s->result.map.count; i++) {
        if (!enqueue_frame(d, s, i, err)) continue;
        if (err->status != TRJ_BAD_DATA) return -1;
        s->by_cpu = true;
        return 0;
    }
    return 0;
}

// Sets the range of the slice. The last one takes the rest, as the last block of points may be larger than the others.
static void set_slice(const struct device *d, struct slot *s) {
    const struct pot_job *job = d->job;
    struct trj_map_slab slab = trj_map_lattice_slab(&job->lattice, job->slab);
    size_t all = job->point_count ? job->point_count : (size_t)slab.planes, plane = points_of_plane(job),
           multiple = d->method->multiple ? d->method->multiple : all;
    size_t units = all / multiple ? all / multiple : 1, slice = s->base.slice, slices = s->base.batch->slices,
           from = units * slice / slices, to = units * (slice + 1) / slices;
    size_t first = from * multiple, end = from == to ? first : to == units ? all : to * multiple;
    size_t before = (size_t)slab.first; // planes
    s->range = (struct cuda_potential_range){before + first, before + end, before * plane};
    s->result = (struct pot_slice){.map = {s->host_values, first * plane, (end - first) * plane}};
}

// Enqueues a slice: all frames, at the points of the range.
static int enqueue(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct work_map_slice *r = &s->result.map;
    cudaStream_t stream = s->base.stream;
    set_slice(d, s);
    s->by_cpu = false;
    CUDA_CHECK(cudaMemsetAsync(s->flags, 0, ALL_FLAGS * sizeof *s->flags, stream));
    if (cuda_slot_uploaded(&s->base, err) || enqueue_frames(d, s, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(s->host_values, s->total + r->first, r->count * sizeof *s->host_values,
                               cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(
        cudaMemcpyAsync(s->host_flags, s->flags, ALL_FLAGS * sizeof *s->host_flags, cudaMemcpyDeviceToHost, stream));
    return 0;
}

// Computes the batch by the method of the engine cpu, and takes the values of the range.
static int compute_by_cpu(struct device *d, struct slot *s, struct work_result *result, struct trj_error *err) {
    struct pot_cpu_frames *c = &d->cpu;
    const int64_t *values;
    if (!c->state && pot_cpu_frames_open(c, d->job, d->method->cpu, err)) goto out;
    for (unsigned i = 0; i < s->base.batch->count; i++) {
        result->bad_frame = i;
        if (pot_cpu_frames_add(c, &s->base.batch->frames[i], err)) goto out;
    }
    if (c->method->finish(c->state, &values, err)) goto out;
    memcpy(s->host_values, values + s->result.map.first, s->result.map.count * sizeof *values);
    s->result.error = pot_cpu_frames_error(c);
    return 0;
out:
    pot_cpu_frames_close(c);
    return -1;
}

static int complete(void *device, void *slot, bool *again, struct work_result *result, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    result->data = &s->result;
    s->result.error = NAN;
    if (d->method->end && d->method->end(s->state, again, &s->result.error, err)) return -1;
    if (s->by_cpu) *again = false;
    if (*again) return 0;
    if (!s->by_cpu && !s->host_flags[CUDA_POTENTIAL_BY_CPU] && !s->host_flags[OVERFLOW]) return 0;
    return compute_by_cpu(d, s, result, err);
}

static void close_slot(void *device, void *slot) {
    const struct device *d = device;
    struct slot *s = slot;
    if (s->state) d->method->close(s->state);
}

static void close_device(void *device) {
    pot_cpu_frames_close(&((struct device *)device)->cpu);
}

// ---- batches

// The map of a batch is copied to the host, and added there, in about 1 ns for each point. A GPU adds about 2e12 pairs
// of a charge and a point per second. A batch has enough frames that its copy takes at most 2 % of the time.
#define PAIRS_OF_BATCH 1e5 // for each point
#define BATCH_BYTES    256e6
enum { MAX_BATCH = 64 };

static unsigned choose_batch(const void *opaque, unsigned gpus) {
    const struct pot_job *job = ((const struct cuda_potential_job *)opaque)->job;
    const double within_cutoff = 500; // charges
    double pairs = cuda_potential_is_direct(job) ? (double)job->atoms : within_cutoff;
    double frames = PAIRS_OF_BATCH / (pairs + 1) + 1, max = BATCH_BYTES / (12.0 * (double)job->stream_atoms + 1);
    (void)gpus;
    if (frames > max) frames = max;
    return frames > MAX_BATCH ? MAX_BATCH : frames > 1 ? (unsigned)frames : 1;
}

const struct cuda_analysis cuda_potential_analysis = {
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
