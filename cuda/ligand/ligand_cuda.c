// SPDX-License-Identifier: MIT
// The engine `cuda` of ligand maps: each GPU uploads the frames of a batch one by one, and adds their values to a map
// in its memory, which is copied to the host once for each batch.
//
// Memory is allocated when the engine is opened, except for that of the records and the lists of atoms, whose lengths
// depend on the positions of the atoms: if it was too small for a batch, it is enlarged, and the batch is computed
// again.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "lattice_constants.h"
#include "ligand_engine.h"
#include "ligand_frame.h"
#include "ligand_kernels.h"
#include "map_gpus.h"
#include "memory.h"

// The map is copied and added once for each batch; this takes a tenth of the time of computing a frame. With several
// GPUs, frames are also divided into slices, but not below this number of positions of sites.
#define BATCH_BYTES     256e6
#define SLICE_POSITIONS 1e7
enum {
    MAX_BATCH = 4,
    FIRST_NEAR = 4096, // atoms near a block of points, for which memory is allocated at first
};

// The members of a dynamic group in a frame.
struct members {
    uint32_t *list;
    uint16_t *kind;
    float *charge;
};

struct slot {
    struct cuda_slot base;
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
    struct work_map_slice result;
};

struct device {
    struct cuda_device base;
    const struct lig_job *job;
    unsigned blocks;
    struct members members; // [members] all
    cuda_ligand_args args;  // what all frames share
};

// ---- memory

static int alloc_pairs(struct device *d, struct trj_error *err) {
    const struct lig_job *job = d->job;
    size_t n = (size_t)(job->kinds ? job->kinds : 1) * (job->types ? job->types : 1);
    cuda_ligand_pair *pair = trj_alloc(n, sizeof *pair, "pairs of atoms and sites", err);
    for (size_t i = 0; pair && i < (size_t)job->kinds * job->types; i++)
        pair[i] = (cuda_ligand_pair){job->pair[i].c12, -job->pair[i].c6};
    int rc =
        pair ? cuda_memory_alloc_copy(&d->base.memory, &d->args.pair, pair, n * sizeof *pair, "pairs on the GPU", err)
             : -1;
    free(pair);
    return rc;
}

// Copies to the GPU what all frames share.
static int open_device(void *device, struct trj_error *err) {
    struct device *d = device;
    const struct lig_job *job = d->job = d->base.job;
    const struct lig_placements *p = &job->placements;
    size_t n = job->members ? job->members : 1, kinds = job->kinds ? job->kinds : 1;
    cuda_ligand_args *a = &d->args;
    if (cuda_ligand_check(&d->blocks, err)) return -1;
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
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(d->members.list, n, "atoms on the GPU", job->atom),
        CUDA_ARRAY_COPY(d->members.kind, n, "atoms on the GPU", job->kind),
        CUDA_ARRAY_COPY(d->members.charge, n, "atoms on the GPU", job->value),
        CUDA_ARRAY_COPY(a->hit2, kinds, "atoms on the GPU", job->hit2),
        CUDA_ARRAY_COPY(a->position, p->orientations * p->sites, "orientations on the GPU", p->position),
        CUDA_ARRAY(zeros, n, "atoms on the GPU"),
    };
    if (CUDA_ALLOC(&d->base.memory, arrays, err)) return -1;
    CUDA_CHECK(cudaMemset(zeros, 0, n * sizeof *zeros));
    a->records.kind_of = zeros;
    return alloc_pairs(d, err);
}

static int alloc_members(struct device *d, struct slot *s, struct trj_error *err) {
    size_t n = d->base.batch * (d->job->members ? d->job->members : 1);
    struct members *m = &s->members, *h = &s->host_members;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(m->list, n, "members on the GPU"),
        CUDA_ARRAY(m->kind, n, "members on the GPU"),
        CUDA_ARRAY(m->charge, n, "members on the GPU"),
        CUDA_ARRAY_HOST(h->list, n),
        CUDA_ARRAY_HOST(h->kind, n),
        CUDA_ARRAY_HOST(h->charge, n),
    };
    return CUDA_ALLOC(&d->base.memory, arrays, err);
}

static int open_slot(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct lig_job *job = d->job;
    cuda_ligand_memory *r = &s->memory;
    size_t points = (size_t)trj_map_lattice_points(&job->lattice);
    size_t cells = job->members + 64; // as tile_lattice_plan_start
    s->x_capacity = (job->atoms + 31) / 32 * 32;
    r->blocks = d->blocks;
    cuda_memory_join(&s->record_memory, &d->base.memory);
    cuda_memory_join(&s->near_memory, &d->base.memory);
    if (lig_frame_open(&s->frame, job, err)) return -1;
    if (cuda_ligand_scratch(cells, &r->scratch_bytes, err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->x, 3 * s->x_capacity, "coordinates on the GPU"),
        CUDA_ARRAY(s->map, points, "the map on the GPU"),
        CUDA_ARRAY(s->reach, d->base.batch, "reaches on the GPU"),
        CUDA_ARRAY(r->found, CUDA_LIGAND_FOUND, "records on the GPU"),
        CUDA_ARRAY(r->first, (cells + 1), "grid cells on the GPU"),
        CUDA_ARRAY(r->next, (cells + 1), "grid cells on the GPU"),
        CUDA_ARRAY_BYTES(r->scratch, r->scratch_bytes, "grid cells on the GPU"),
        CUDA_ARRAY_HOST(s->host_map, points),
        CUDA_ARRAY_HOST(s->host_reach, d->base.batch),
        CUDA_ARRAY_HOST(s->host_found, CUDA_LIGAND_FOUND),
    };
    if (CUDA_ALLOC(&d->base.memory, arrays, err)) return -1;
    return job->group->dynamic ? alloc_members(d, s, err) : 0;
}

// Allocates memory for `capacity` records.
static int alloc_records(struct slot *s, unsigned long long capacity, struct trj_error *err) {
    cuda_ligand_memory *r = &s->memory;
    const char *what = "records on the GPU";
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->point, capacity, what),  CUDA_ARRAY(r->sorted_point, capacity, what),
        CUDA_ARRAY(r->offset, capacity, what), CUDA_ARRAY(r->sorted_offset, capacity, what),
        CUDA_ARRAY(r->image, capacity, what),
    };
    if (capacity > INT32_MAX) return trj_fail(err, TRJ_NO_ENGINE, "more than 2^31 images of atoms reach the lattice");
    cuda_memory_empty(&s->record_memory);
    r->capacity = 0;
    if (CUDA_ALLOC(&s->record_memory, arrays, err)) return -1;
    r->capacity = capacity;
    return 0;
}

// Allocates memory for `capacity` atoms near each block of points.
static int alloc_near(struct device *d, struct slot *s, unsigned long long capacity, struct trj_error *err) {
    cuda_ligand_memory *r = &s->memory;
    const char *what = "atoms near points on the GPU";
    size_t n = (size_t)capacity * r->blocks, types = d->job->types ? d->job->types : 1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->all, n, what),
        CUDA_ARRAY(r->atom, n, what),
        CUDA_ARRAY(r->pair, n * types, what),
        CUDA_ARRAY(r->hit2, n, what),
    };
    if (capacity > INT32_MAX) return trj_fail(err, TRJ_NO_ENGINE, "more than 2^31 atoms are near a point");
    cuda_memory_empty(&s->near_memory);
    r->near_capacity = 0;
    if (CUDA_ALLOC(&s->near_memory, arrays, err)) return -1;
    r->near_capacity = (unsigned)capacity;
    return 0;
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

static int upload_members(struct device *d, struct slot *s, unsigned i, cuda_ligand_args *a, struct trj_error *err) {
    const struct tile_lattice_atoms *atoms = &s->frame.atoms;
    size_t n = atoms->count, first = i * d->job->members;
    const struct members *m = &s->members, *h = &s->host_members;
    cudaStream_t stream = s->base.stream;
    memcpy(h->list + first, atoms->list, n * sizeof *h->list);
    memcpy(h->kind + first, atoms->kind, n * sizeof *h->kind);
    memcpy(h->charge + first, atoms->value, n * sizeof *h->charge);
    CUDA_CHECK(cudaMemcpyAsync(m->list + first, h->list + first, n * sizeof *h->list, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(m->kind + first, h->kind + first, n * sizeof *h->kind, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(
        cudaMemcpyAsync(m->charge + first, h->charge + first, n * sizeof *h->charge, cudaMemcpyHostToDevice, stream));
    a->records.list = m->list + first;
    a->kind = m->kind + first;
    a->charge = m->charge + first;
    return 0;
}

// Sets the constants of frame i of the batch and uploads it.
static int upload_frame(struct device *d, struct slot *s, unsigned i, cuda_ligand_args *a, struct trj_error *err) {
    const struct trj_frame *f = &s->base.batch->frames[i];
    const struct lig_frame *lf = &s->frame;
    const struct tile_lattice_atoms atoms = {.frame = f, .list = lf->atoms.list, .count = lf->atoms.count, .kinds = 1};
    cudaStream_t stream = s->base.stream;
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

static int enqueue_frame(struct device *d, struct slot *s, unsigned i, struct trj_error *err) {
    cuda_ligand_args a = d->args;
    size_t plane = (size_t)trj_map_lattice_plane(&d->job->lattice);
    if (lig_frame_set(&s->frame, &s->base.batch->frames[i], err)) return -1;
    a.blocks = s->frame.blocks;
    a.factor = s->frame.factor;
    a.plane = (int64_t)(s->result.first / plane);
    a.planes = (int64_t)(s->result.count / plane);
    a.map = s->map;
    if (!s->frame.atoms.count) return cuda_ligand_launch_vacuum(&a, s->base.stream, err);
    a.records.x = s->x;
    a.records.x_capacity = s->x_capacity;
    return upload_frame(d, s, i, &a, err) || cuda_ligand_launch(&a, &s->memory, s->base.stream, err) ? -1 : 0;
}

// Allocates memory for the first batch, by an estimate.
static int expect_memory(struct device *d, struct slot *s, struct trj_error *err) {
    if (!s->memory.capacity) {
        if (lig_frame_set(&s->frame, s->base.batch->frames, err)) return -1;
        if (alloc_records(s, expect_records(&s->frame), err)) return -1;
    }
    return s->memory.near_capacity ? 0 : alloc_near(d, s, FIRST_NEAR, err);
}

// Enqueues a slice: all frames, at some planes.
static int enqueue(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    uint64_t n = d->job->lattice.n[2], plane = trj_map_lattice_plane(&d->job->lattice);
    uint64_t slice = s->base.slice, slices = s->base.batch->slices;
    uint64_t first = n * slice / slices, end = n * (slice + 1) / slices;
    size_t bytes = (end - first) * plane * sizeof *s->map, found = CUDA_LIGAND_FOUND * sizeof *s->host_found;
    cudaStream_t stream = s->base.stream;
    s->result = (struct work_map_slice){(const int64_t *)s->host_map, first * plane, (end - first) * plane};
    if (expect_memory(d, s, err)) return -1;
    CUDA_CHECK(cudaMemsetAsync(s->map, 0, bytes, stream));
    CUDA_CHECK(cudaMemsetAsync(s->memory.found, 0, found, stream));
    if (cuda_slot_uploaded(&s->base, err)) return -1;
    for (unsigned i = 0; i < s->base.batch->count; i++) {
        s->base.frame = i;
        if (enqueue_frame(d, s, i, err)) return -1;
    }
    CUDA_CHECK(cudaMemcpyAsync(s->host_map, s->map, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaMemcpyAsync(s->host_found, s->memory.found, found, cudaMemcpyDeviceToHost, stream));
    return 0;
}

// Enlarges the memory of the slot if it was too small.
static int complete(void *device, void *slot, bool *again, struct work_result *result, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    unsigned long long records = s->host_found[0], near = s->host_found[2];
    result->data = &s->result;
    *again = records > s->memory.capacity || near > s->memory.near_capacity;
    if (records > s->memory.capacity && alloc_records(s, records + records / 8, err)) return -1;
    return near > s->memory.near_capacity ? alloc_near(d, s, near + near / 4, err) : 0;
}

static void close_slot(void *device, void *slot) {
    struct slot *s = slot;
    (void)device;
    tile_lattice_plan_free(&s->plan);
    lig_frame_close(&s->frame);
}

// ---- the engine

static unsigned choose_batch(const void *opaque, unsigned gpus) {
    const struct lig_job *job = opaque;
    double frames = BATCH_BYTES / (12.0 * (double)job->atoms + 1);
    (void)gpus;
    return frames > MAX_BATCH ? MAX_BATCH : frames > 1 ? (unsigned)frames : 1;
}

static unsigned slices(const struct cuda_gpus *gpus) {
    const struct lig_job *job = gpus->job;
    double n = (double)trj_map_lattice_points(&job->lattice) * job->orientations * (double)job->placements.sites /
               SLICE_POSITIONS;
    return n > gpus->count ? gpus->count : n > 1 ? (unsigned)n : 1;
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

static int open_cuda(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    const struct work_map_job map = lig_map_job(job);
    return cuda_map_open(engine, &analysis, &map, slices, resources, err);
}

const struct work_map_engine lig_engine_cuda = {
    .open = open_cuda,
    CUDA_MAP_FUNCTIONS,
};
