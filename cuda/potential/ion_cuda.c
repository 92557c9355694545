// SPDX-License-Identifier: MIT
// The CUDA engine that places ions. The map stays on one GPU, which finds the place of each ion without the host: the
// sequence of the kinds of ions follows from their charges.
//
// Kernels report no errors of the input. If no point is left, or an allowed value is infinite, the engine `cpu` begins
// again with the original map, and fails with its message.
#include <math.h>
#include <stdlib.h>

#include "check.cuh"
#include "device_memory.h"
#include "gpu.h"
#include "gpu_list.h"
#include "ion_engine.h"
#include "ion_kernels.h"
#include "ion_order.h"
#include "memory.h"

// The host waits after this number of ions, to report progress and to notice that no point is left.
enum { MOST_QUEUED = 256 };
// Points that a launch of the exclusion visits, at most, because a GPU that drives a display stops kernels that run for
// seconds.
#define MOST_POINTS 1e10

struct cuda {
    struct cuda_gpu gpu;
    bool open; // whether `gpu` is open
    struct cuda_memory memory;
    cudaStream_t stream;
    cudaEvent_t begin, excluded, end;
    cuda_ion_args args;
    struct pot_ion_order order;
    struct pot_row_update update;
    struct pot_ion_engine_stats stats;
};

// ---- open and close

static void release(struct cuda *c) {
    if (c->open) CUDA_RELEASE(cudaSetDevice(c->gpu.number));
    cuda_memory_free(&c->memory);
    if (c->begin) CUDA_RELEASE(cudaEventDestroy(c->begin));
    if (c->excluded) CUDA_RELEASE(cudaEventDestroy(c->excluded));
    if (c->end) CUDA_RELEASE(cudaEventDestroy(c->end));
    if (c->stream) CUDA_RELEASE(cudaStreamDestroy(c->stream));
    if (c->open) cuda_gpu_close(&c->gpu);
    *c = (struct cuda){.open = false};
}

static void close_cuda(void *engine) {
    if (engine) release(engine);
    free(engine);
}

static int prepare(struct cuda *c, struct trj_error *err) {
    if (cuda_ion_blocks(&c->args.blocks, err) || cuda_memory_read_limit(&c->memory, err)) return -1;
    CUDA_CHECK(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&c->begin));
    CUDA_CHECK(cudaEventCreate(&c->excluded));
    CUDA_CHECK(cudaEventCreate(&c->end));
    return 0;
}

// Opens the first GPU of the list that can be used, and accepts the others without opening them.
static int add_gpu(void *engine, int number, unsigned gpus, struct trj_error *err) {
    struct cuda *c = engine;
    (void)gpus;
    if (c->open) return 0;
    if (!cuda_gpu_open(&c->gpu, number, err)) {
        c->open = true;
        if (!prepare(c, err)) return 0;
        if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", c->gpu.name);
    }
    release(c);
    return -1;
}

static void ignore(void *engine, const char *text) {
    (void)engine, (void)text;
}

static int open_cuda(void **engine, const char *devices, struct trj_error *err) {
    struct cuda *c = trj_alloc(1, sizeof *c, "an engine", err);
    unsigned gpus;
    if (!c) return -1;
    const struct cuda_gpu_list list = {.owner = c, .devices = devices, .add = add_gpu, .note = ignore};
    if (cuda_gpu_list_open(&list, &gpus, err)) {
        close_cuda(c);
        return -1;
    }
    *engine = c;
    return 0;
}

// ---- ions

static int upload(struct cuda *c, const struct pot_placement *p, const struct pot_exclusion *e, struct trj_error *err) {
    cuda_ion_args *a = &c->args;
    struct cuda_memory *m = &c->memory;
    const uint64_t *size = a->distances.size;
    size_t rows = size[1] * size[2], along = size[0] * (a->distances.whole ? rows : 1),
           atoms = e->reach2 > 0 ? e->count : 0;
    size_t ions = pot_ion_list_total(p->ions);
    if (cuda_memory_take(m, &a->distances.along, along * sizeof *a->distances.along, "distances on the GPU", err) ||
        cuda_memory_take(m, &a->offset, (a->distances.whole ? 0 : rows) * sizeof *a->offset, "distances on the GPU",
                         err) ||
        cuda_memory_take(m, &a->lowest, a->blocks * sizeof *a->lowest, "energies on the GPU", err) ||
        cuda_memory_take(m, &a->ion, ions * sizeof *a->ion, "ions on the GPU", err) ||
        cuda_memory_take(m, &a->state, sizeof *a->state, "ions on the GPU", err) ||
        cuda_memory_take_copy(m, &a->exclusion.index, e->index, atoms * sizeof *e->index, "atoms on the GPU", err) ||
        cuda_memory_take_copy(m, &a->value, p->value, a->points * sizeof *a->value, "the map on the GPU", err))
        return -1;
    CUDA_CHECK(cudaMemset(a->state, 0, sizeof *a->state));
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for these operations
    a->exclusion.count = atoms;
    return 0;
}

static int exclude(struct cuda *c, struct trj_error *err) {
    const struct pot_exclusion *e = &c->args.exclusion;
    double points = 1; // near an atom, at most
    for (int k = 0; k < 3; k++) points *= 2 * e->reach[k] + 3;
    size_t part = (size_t)fmax(1, fmin(MOST_POINTS / points, 0x1p30));
    for (size_t i = 0; i < e->count; i += part)
        if (cuda_ion_exclude(&c->args, i, (unsigned)(e->count - i < part ? e->count - i : part), c->stream, err))
            return -1;
    return 0;
}

// Enqueues the search for the places of the ions from `from` to before `to`.
static int enqueue(struct cuda *c, const struct pot_placement *p, uint64_t from, uint64_t to, struct pot_ion *ion,
                   struct trj_error *err) {
    for (uint64_t i = from; i < to; i++) {
        ion[i].kind = pot_ion_order_next(&c->order);
        ion[i].net = c->order.net;
        double charge = p->ions->kind[ion[i].kind].charge;
        c->update.sign = copysign(1, charge);
        if (i ? cuda_ion_place_next(&c->args, &c->update, (unsigned)i, c->stream, err)
              : cuda_ion_place_first(&c->args, c->update.sign, c->stream, err))
            return -1;
        c->update.charge = p->charge * charge;
    }
    return 0;
}

static int fetch(const struct cuda *c, void *to, const void *from, size_t bytes, struct trj_error *err) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, c->stream));
    CUDA_CHECK(cudaStreamSynchronize(c->stream));
    return 0;
}

// Places the ions, and sets *state to that after the last of them. Stops early if there is an error for the engine cpu.
static int search(struct cuda *c, const struct pot_placement *p, struct pot_ion *ion, cuda_ion_state *state,
                  struct trj_error *err) {
    uint64_t total = pot_ion_list_total(p->ions);
    *state = (cuda_ion_state){.full = 0};
    for (uint64_t to, from = 0; from < total && !state->full && !state->infinite; from = to) {
        to = total - from < MOST_QUEUED ? total : from + MOST_QUEUED;
        if (enqueue(c, p, from, to, ion, err) || fetch(c, state, c->args.state, sizeof *state, err)) return -1;
        if (p->progress) p->progress(to, total);
    }
    return 0;
}

// Sets the ions to what the GPU has found.
static int set_ions(const struct cuda *c, const struct pot_placement *p, struct pot_ion *ion, struct trj_error *err) {
    uint64_t total = pot_ion_list_total(p->ions), at[3];
    cuda_ion_lowest *found = trj_alloc(total, sizeof *found, "ions", err);
    int rc = found ? fetch(c, found, c->args.ion, total * sizeof *found, err) : -1;
    for (uint64_t i = 0; !rc && i < total; i++) {
        pot_ion_set(&ion[i], p->lattice, found[i].point, at);
        ion[i].potential = copysign(1, p->ions->kind[ion[i].kind].charge) * found[i].energy;
    }
    free(found);
    return rc;
}

static int compute(struct cuda *c, const struct pot_placement *p, struct pot_ion *ion, cuda_ion_state *state,
                   struct trj_error *err) {
    struct pot_ion_engine_stats *s = &c->stats;
    CUDA_CHECK(cudaEventRecord(c->begin, c->stream));
    if (cuda_ion_tabulate(&c->args, c->stream, err) || exclude(c, err)) return -1;
    CUDA_CHECK(cudaEventRecord(c->excluded, c->stream));
    if (search(c, p, ion, state, err)) return -1;
    CUDA_CHECK(cudaEventRecord(c->end, c->stream));
    CUDA_CHECK(cudaEventSynchronize(c->end));
    return cuda_seconds_between(c->begin, c->excluded, &s->exclude, err) ||
                   cuda_seconds_between(c->excluded, c->end, &s->search, err) ||
                   (!state->full && !state->infinite && set_ions(c, p, ion, err))
               ? -1
               : 0;
}

static int place_on_gpu(struct cuda *c, const struct pot_placement *p, const struct pot_exclusion *e,
                        struct pot_ion *ion, cuda_ion_state *state, struct trj_error *err) {
    uint64_t points = trj_map_lattice_points(p->lattice);
    double began = trj_seconds();
    if (points > INT32_MAX)
        return trj_fail(err, TRJ_NO_ENGINE, "the map has %llu points, but engine cuda is limited to %d",
                        (unsigned long long)points, INT32_MAX);
    CUDA_CHECK(cudaSetDevice(c->gpu.number));
    c->args.points = (unsigned)points;
    c->args.exclusion = *e;
    c->update.reach2 = pot_placement_reach2(p);
    pot_ion_order_start(&c->order, p->ions, p->net);
    if (upload(c, p, e, err)) {
        if (c->memory.full) err->status = TRJ_NO_ENGINE;
        return -1;
    }
    c->stats.upload = trj_seconds() - began;
    return compute(c, p, ion, state, err);
}

static int place(void *engine, const struct pot_placement *p, struct pot_ion *ion, uint64_t *excluded,
                 struct trj_error *err) {
    struct cuda *c = engine;
    struct pot_exclusion e = {.count = 0};
    cuda_ion_state state = {.full = 0};
    *excluded = 0;
    if (!pot_ion_list_total(p->ions)) return 0;
    int rc = pot_distances_set(&c->args.distances, p->lattice, err) ||
             pot_exclusion_make(&e, p->lattice, p->position, p->atoms, p->from_solute, err);
    if (!rc && place_on_gpu(c, p, &e, ion, &state, err)) rc = trj_fail_at(err, "%s", c->gpu.name);
    pot_exclusion_free(&e);
    if (!rc && (state.full || state.infinite)) return pot_place_ions(p, ion, excluded, err);
    *excluded = state.excluded;
    return rc ? -1 : 0;
}

static void stats(void *engine, struct pot_ion_engine_stats *s) {
    const struct pot_ion_engine_stats *from = &((const struct cuda *)engine)->stats;
    s->upload = from->upload;
    s->exclude = from->exclude;
    s->search = from->search;
}

const struct pot_ion_engine pot_ion_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .open = open_cuda,
    .place = place,
    .stats = stats,
    .close = close_cuda,
};
