// SPDX-License-Identifier: MIT
// Memory is allocated when the device is opened, except for that of the records and the lists of atoms, whose lengths
// depend on the positions of the atoms: if it was too small for a batch, it is enlarged, and the batch is computed
// again.
#include "ligand_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_memory.h"
#include "gpu.h"
#include "lattice_constants.h"
#include "ligand_frame.h"
#include "ligand_kernels.h"
#include "memory.h"
#include "stream_slot.h"

enum { SLOTS = 2, FIRST_NEAR = 4096 };

// The members of a dynamic group in a frame.
struct members {
    uint32_t *list;
    uint16_t *kind;
    float *charge;
};

struct slot {
    struct cuda_stream_slot stream;
    float *x; // [3][x_capacity] one frame
    size_t x_capacity;
    long long *map, *host_map;             // [points]
    cuda_density_kind *reach, *host_reach; // [batch]
    struct members members, host_members;  // [batch][members], for a dynamic group
    cuda_ligand_memory memory;
    struct cuda_memory record_memory, near_memory;
    unsigned long long *host_found;
    struct tile_lattice_plan plan; // only the constants, of the frame that is enqueued
    struct lig_frame frame;        // the frame that is enqueued
    const struct work_batch *batch;
    struct work_map_slice result;
};

struct cuda_ligand_device {
    struct cuda_gpu gpu; // first, for cuda_gpu_joules and cuda_gpu_name
    const struct lig_job *job;
    unsigned batch, blocks;
    struct cuda_memory memory;
    struct members members; // [members] all
    cuda_ligand_args args;  // what all frames share
    struct slot slots[SLOTS];
};

// ---- memory

static int take_pairs(struct cuda_ligand_device *d, struct trj_error *err) {
    const struct lig_job *job = d->job;
    size_t n = (size_t)(job->kinds ? job->kinds : 1) * (job->types ? job->types : 1);
    cuda_ligand_pair *pair = trj_alloc(n, sizeof *pair, "pairs of atoms and sites", err);
    for (size_t i = 0; pair && i < (size_t)job->kinds * job->types; i++)
        pair[i] = (cuda_ligand_pair){job->pair[i].c12, -job->pair[i].c6};
    int rc =
        pair ? cuda_memory_take_copy(&d->memory, &d->args.pair, pair, n * sizeof *pair, "pairs on the GPU", err) : -1;
    free(pair);
    return rc;
}

static int take_constants(struct cuda_ligand_device *d, struct trj_error *err) {
    const struct lig_job *job = d->job;
    const struct lig_placements *p = &job->placements;
    struct cuda_memory *m = &d->memory;
    size_t n = job->members ? job->members : 1, kinds = job->kinds ? job->kinds : 1;
    cuda_ligand_args *a = &d->args;
    *a = (cuda_ligand_args){.types = job->types,
                            .sites = (unsigned)p->sites,
                            .orientations = p->orientations,
                            .cutoff2 = p->cutoff2,
                            .cap = p->cap,
                            .k = p->k,
                            .c = p->c,
                            .near = job->near,
                            .far = job->cutoff + job->radius,
                            .share = 1.0 / p->orientations,
                            .quanta = ldexp(1, (int)job->bits)};
    memcpy(a->site, p->site, p->sites * sizeof *p->site);
    uint16_t *zeros;
    if (cuda_memory_take_copy(m, &d->members.list, job->atom, n * sizeof *job->atom, "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &d->members.kind, job->kind, n * sizeof *job->kind, "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &d->members.charge, job->value, n * sizeof *job->value, "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &a->hit2, job->hit2, kinds * sizeof *job->hit2, "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &a->position, p->position, p->orientations * p->sites * sizeof *p->position,
                              "orientations on the GPU", err) ||
        cuda_memory_take(m, &zeros, n * sizeof *zeros, "atoms on the GPU", err) || take_pairs(d, err))
        return -1;
    CUDA_CHECK(cudaMemset(zeros, 0, n * sizeof *zeros));
    a->records.kind_of = zeros;
    return 0;
}

static int take_members(struct cuda_ligand_device *d, struct slot *s, struct trj_error *err) {
    size_t n = d->batch * (d->job->members ? d->job->members : 1);
    struct members *m = &s->members, *h = &s->host_members;
    if (cuda_memory_take(&d->memory, &m->list, n * sizeof *m->list, "members on the GPU", err) ||
        cuda_memory_take(&d->memory, &m->kind, n * sizeof *m->kind, "members on the GPU", err) ||
        cuda_memory_take(&d->memory, &m->charge, n * sizeof *m->charge, "members on the GPU", err))
        return -1;
    CUDA_CHECK(cudaMallocHost((void **)&h->list, n * sizeof *h->list));
    CUDA_CHECK(cudaMallocHost((void **)&h->kind, n * sizeof *h->kind));
    CUDA_CHECK(cudaMallocHost((void **)&h->charge, n * sizeof *h->charge));
    return 0;
}

static int take_slot(struct cuda_ligand_device *d, struct slot *s, struct trj_error *err) {
    const struct lig_job *job = d->job;
    struct cuda_memory *m = &d->memory;
    cuda_ligand_memory *r = &s->memory;
    size_t points = (size_t)trj_map_lattice_points(&job->lattice);
    size_t cells = job->members + 64; // as tile_lattice_plan_start
    s->x_capacity = (job->atoms + 31) / 32 * 32;
    r->blocks = d->blocks;
    if (lig_frame_open(&s->frame, job, err) || cuda_ligand_scratch(cells, &r->scratch_bytes, err) ||
        cuda_memory_take(m, &s->x, 3 * s->x_capacity * sizeof *s->x, "coordinates on the GPU", err) ||
        cuda_memory_take(m, &s->map, points * sizeof *s->map, "the map on the GPU", err) ||
        cuda_memory_take(m, &s->reach, d->batch * sizeof *s->reach, "reaches on the GPU", err) ||
        cuda_memory_take(m, &r->found, CUDA_LIGAND_FOUND * sizeof *r->found, "records on the GPU", err) ||
        cuda_memory_take(m, &r->first, (cells + 1) * sizeof *r->first, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->next, (cells + 1) * sizeof *r->next, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->scratch, r->scratch_bytes, "grid cells on the GPU", err) ||
        (job->group->dynamic && take_members(d, s, err)) || cuda_stream_slot_open(&s->stream, err))
        return -1;
    CUDA_CHECK(cudaMallocHost((void **)&s->host_map, points * sizeof *s->host_map));
    CUDA_CHECK(cudaMallocHost((void **)&s->host_reach, d->batch * sizeof *s->host_reach));
    CUDA_CHECK(cudaMallocHost((void **)&s->host_found, CUDA_LIGAND_FOUND * sizeof *s->host_found));
    return cuda_memory_read_limit(&s->record_memory, err) || cuda_memory_read_limit(&s->near_memory, err) ? -1 : 0;
}

// Takes memory for `capacity` records.
static int take_records(struct slot *s, unsigned long long capacity, struct trj_error *err) {
    cuda_ligand_memory *r = &s->memory;
    struct cuda_memory *m = &s->record_memory;
    const char *what = "records on the GPU";
    if (capacity > INT32_MAX) return trj_fail(err, TRJ_FAILED, "more than 2^31 images of atoms reach the lattice");
    cuda_memory_empty(m);
    r->capacity = capacity;
    return cuda_memory_take(m, &r->point, capacity * sizeof *r->point, what, err) ||
                   cuda_memory_take(m, &r->sorted_point, capacity * sizeof *r->sorted_point, what, err) ||
                   cuda_memory_take(m, &r->offset, capacity * sizeof *r->offset, what, err) ||
                   cuda_memory_take(m, &r->sorted_offset, capacity * sizeof *r->sorted_offset, what, err) ||
                   cuda_memory_take(m, &r->image, capacity * sizeof *r->image, what, err)
               ? -1
               : 0;
}

// Takes memory for `capacity` atoms near each block of points.
static int take_near(struct cuda_ligand_device *d, struct slot *s, unsigned long long capacity, struct trj_error *err) {
    cuda_ligand_memory *r = &s->memory;
    struct cuda_memory *m = &s->near_memory;
    const char *what = "atoms near points on the GPU";
    if (capacity > INT32_MAX) return trj_fail(err, TRJ_FAILED, "more than 2^31 atoms are near a point");
    cuda_memory_empty(m);
    r->near_capacity = (unsigned)capacity;
    size_t n = (size_t)capacity * r->blocks, types = d->job->types ? d->job->types : 1;
    return cuda_memory_take(m, &r->all, n * sizeof *r->all, what, err) ||
                   cuda_memory_take(m, &r->atom, n * sizeof *r->atom, what, err) ||
                   cuda_memory_take(m, &r->pair, n * types * sizeof *r->pair, what, err) ||
                   cuda_memory_take(m, &r->hit2, n * sizeof *r->hit2, what, err)
               ? -1
               : 0;
}

// Returns the number of records to expect: of a periodic axis with n points, the share 2 reach / n has an image.
static unsigned long long expect_records(const struct lig_frame *f) {
    double records = (double)f->atoms.count;
    for (int k = 0; k < 3; k++)
        records *= f->lattice.periodic >> k & 1 ? 1 + 2 * (double)f->reach[0][k] / (double)f->lattice.n[k] : 1.2;
    records = records * 1.1 + 64;
    return records < INT32_MAX ? (unsigned long long)records : INT32_MAX;
}

// ---- work

static int upload_members(struct cuda_ligand_device *d, struct slot *s, unsigned i, cuda_ligand_args *a,
                          struct trj_error *err) {
    const struct tile_lattice_atoms *atoms = &s->frame.atoms;
    size_t n = atoms->count, at = i * d->job->members;
    const struct members *m = &s->members, *h = &s->host_members;
    cudaStream_t stream = s->stream.stream;
    memcpy(h->list + at, atoms->list, n * sizeof *h->list);
    memcpy(h->kind + at, atoms->kind, n * sizeof *h->kind);
    memcpy(h->charge + at, atoms->value, n * sizeof *h->charge);
    CUDA_CHECK(cudaMemcpyAsync(m->list + at, h->list + at, n * sizeof *h->list, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(m->kind + at, h->kind + at, n * sizeof *h->kind, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(m->charge + at, h->charge + at, n * sizeof *h->charge, cudaMemcpyHostToDevice, stream));
    a->records.list = m->list + at;
    a->kind = m->kind + at;
    a->charge = m->charge + at;
    return 0;
}

// Sets the constants of frame i of the batch and uploads it.
static int upload_frame(struct cuda_ligand_device *d, struct slot *s, unsigned i, cuda_ligand_args *a,
                        struct trj_error *err) {
    const struct trj_frame *f = &s->batch->frames[i];
    const struct lig_frame *lf = &s->frame;
    const struct tile_lattice_atoms atoms = {.frame = f, .list = lf->atoms.list, .count = lf->atoms.count, .kinds = 1};
    cudaStream_t stream = s->stream.stream;
    memcpy(s->host_reach[i].reach, lf->reach[0], sizeof s->host_reach[i].reach);
    if (cuda_lattice_set(&a->records, &s->host_reach[i], &s->plan, &lf->lattice, &atoms, NULL, err)) return -1;
    memcpy(a->records.step, lf->lattice.step, sizeof a->records.step);
    a->records.count = (unsigned)atoms.count;
    a->records.kind = s->reach + i;
    a->reach = lig_frame_reach(lf);
    CUDA_CHECK(cudaMemcpyAsync(s->reach + i, s->host_reach + i, sizeof *s->reach, cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < 3; k++)
        CUDA_CHECK(cudaMemcpyAsync(s->x + (size_t)k * s->x_capacity, f->x[k], f->atoms * sizeof *s->x,
                                   cudaMemcpyHostToDevice, stream));
    a->records.list = d->members.list;
    a->kind = d->members.kind;
    a->charge = d->members.charge;
    return d->job->group->dynamic ? upload_members(d, s, i, a, err) : 0;
}

static int enqueue_frame(struct cuda_ligand_device *d, struct slot *s, unsigned i, struct trj_error *err) {
    cuda_ligand_args a = d->args;
    size_t plane = (size_t)trj_map_lattice_plane(&d->job->lattice);
    if (lig_frame_set(&s->frame, &s->batch->frames[i], err)) return -1;
    a.blocks = s->frame.blocks;
    a.factor = s->frame.factor;
    a.plane = (int64_t)(s->result.first / plane);
    a.planes = (int64_t)(s->result.count / plane);
    a.map = s->map;
    if (!s->frame.atoms.count) return cuda_ligand_launch_vacuum(&a, s->stream.stream, err);
    a.records.x = s->x;
    a.records.x_capacity = s->x_capacity;
    return upload_frame(d, s, i, &a, err) || cuda_ligand_launch(&a, &s->memory, s->stream.stream, err) ? -1 : 0;
}

// Enqueues a slice: all frames, at some planes.
static int enqueue(struct cuda_ligand_device *d, struct slot *s, struct trj_error *err) {
    const struct cuda_stream_slot *t = &s->stream;
    size_t bytes = s->result.count * sizeof *s->map, found = CUDA_LIGAND_FOUND * sizeof *s->host_found;
    CUDA_CHECK(cudaEventRecord(t->upload_begin, t->stream));
    CUDA_CHECK(cudaMemsetAsync(s->map, 0, bytes, t->stream));
    CUDA_CHECK(cudaMemsetAsync(s->memory.found, 0, found, t->stream));
    CUDA_CHECK(cudaEventRecord(t->upload_end, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_begin, t->stream));
    for (unsigned i = 0; i < s->batch->count; i++)
        if (enqueue_frame(d, s, i, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(s->host_map, s->map, bytes, cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(cudaMemcpyAsync(s->host_found, s->memory.found, found, cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(cudaEventRecord(t->work_end, t->stream));
    return 0;
}

// As begin() of struct work_device_ops.
static int start(struct cuda_ligand_device *d, struct slot *s, struct trj_error *err) {
    if (!enqueue(d, s, err)) return 0;
    CUDA_RELEASE(cudaStreamSynchronize(s->stream.stream)); // the device must no longer read the batch
    return -1;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct cuda_ligand_device *d = device;
    struct slot *s = &d->slots[slot];
    uint64_t n = d->job->lattice.n[2], plane = trj_map_lattice_plane(&d->job->lattice);
    uint64_t first = n * slice / batch->slices, end = n * (slice + 1) / batch->slices;
    s->batch = batch;
    s->result = (struct work_map_slice){(const int64_t *)s->host_map, first * plane, (end - first) * plane};
    if ((!s->memory.capacity &&
         (lig_frame_set(&s->frame, batch->frames, err) || take_records(s, expect_records(&s->frame), err))) ||
        (!s->memory.near_capacity && take_near(d, s, FIRST_NEAR, err)))
        return -1;
    return start(d, s, err);
}

// Enlarges the memory of the slot if it was too small. Sets *again to whether the batch must be computed again.
static int enlarge(struct cuda_ligand_device *d, struct slot *s, bool *again, struct trj_error *err) {
    unsigned long long records = s->host_found[0], near = s->host_found[2];
    *again = records > s->memory.capacity || near > s->memory.near_capacity;
    if (records > s->memory.capacity && take_records(s, records + records / 8, err)) return -1;
    return near > s->memory.near_capacity ? take_near(d, s, near + near / 4, err) : 0;
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    struct cuda_ligand_device *d = device;
    struct slot *s = &d->slots[slot];
    bool again = true;
    while (again) {
        if (cuda_stream_slot_wait(&s->stream, d->gpu.origin, &result->upload, &result->began, &result->ended, err) ||
            enlarge(d, s, &again, err) || (again && start(d, s, err)))
            return -1;
    }
    result->data = &s->result;
    return 0;
}

static int attach(void *device, struct trj_error *err) {
    struct cuda_ligand_device *d = device;
    return cuda_gpu_attach(&d->gpu, d->slots[0].stream.stream, err);
}

const struct work_device_ops cuda_ligand_device_ops = {
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

static int prepare(struct cuda_ligand_device *d, struct trj_error *err) {
    if (cuda_ligand_check(&d->blocks, err) || cuda_memory_read_limit(&d->memory, err) || take_constants(d, err))
        return -1;
    for (int i = 0; i < SLOTS; i++)
        if (take_slot(d, &d->slots[i], err)) return -1;
    if (cuda_memory_check_free(&d->memory, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the streams of the slots do not wait for these copies
    return 0;
}

int cuda_ligand_device_open(struct cuda_ligand_device **device, int number, const struct lig_job *job, unsigned batch,
                            struct trj_error *err) {
    struct cuda_ligand_device *d = trj_alloc(1, sizeof *d, "a GPU", err);
    if (!d) return -1;
    d->job = job;
    d->batch = batch;
    if (cuda_gpu_open(&d->gpu, number, err)) goto out;
    if (prepare(d, err)) {
        if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", d->gpu.name);
        goto out;
    }
    *device = d;
    return 0;
out:
    cuda_ligand_device_close(d);
    return -1;
}

static void close_slot(struct slot *s) {
    CUDA_RELEASE(cudaFreeHost(s->host_map));
    CUDA_RELEASE(cudaFreeHost(s->host_reach));
    CUDA_RELEASE(cudaFreeHost(s->host_found));
    CUDA_RELEASE(cudaFreeHost(s->host_members.list));
    CUDA_RELEASE(cudaFreeHost(s->host_members.kind));
    CUDA_RELEASE(cudaFreeHost(s->host_members.charge));
    cuda_memory_free(&s->record_memory);
    cuda_memory_free(&s->near_memory);
    tile_lattice_plan_free(&s->plan);
    lig_frame_close(&s->frame);
    cuda_stream_slot_close(&s->stream);
}

void cuda_ligand_device_close(struct cuda_ligand_device *d) {
    if (!d) return;
    CUDA_RELEASE(cudaSetDevice(d->gpu.number));
    for (int i = 0; i < SLOTS; i++) close_slot(&d->slots[i]);
    cuda_gpu_close(&d->gpu);
    cuda_memory_free(&d->memory);
    free(d);
}
