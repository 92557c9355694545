// SPDX-License-Identifier: MIT
// The CUDA engine that places ions. The map stays on one GPU, which finds the place of each ion without the host: the
// sequence of the kinds of ions follows from their charges.
//
// Kernels report no errors of the input. If no point is left, or an allowed value is infinite, the engine `cpu` begins
// again with the original map, and fails with its message.
#include <math.h>
#include <stdlib.h>

#include "check.cuh"
#include "gpu_list.h"
#include "ion_engine.h"
#include "ion_kernels.h"
#include "ion_order.h"
#include "memory.h"
#include "single_gpu.h"

// The host waits after this number of ions, to report progress and to notice that no point is left.
enum { MAX_QUEUED = 256 };
// Points that a launch of the exclusion visits, at most, because a GPU that drives a display stops kernels that run for
// seconds.
#define MAX_POINTS 1e10

enum step { UPLOAD, EXCLUDE, SEARCH, STEPS };

struct cuda {
    struct cuda_single base;
    cuda_ion_args args;
    struct pot_ion_order order;
    struct pot_row_update update;
    double seconds[STEPS];
};

// ---- open and close

static int prepare(void *engine, struct trj_error *err) {
    return cuda_ion_blocks(&((struct cuda *)engine)->args.blocks, err);
}

static int open_cuda(void **engine, const char *devices, struct trj_error *err) {
    static const struct cuda_single_ops ops = {.prepare = prepare};
    return cuda_single_create(engine, sizeof(struct cuda), NULL, &ops, devices, err);
}

// ---- ions

static int upload(struct cuda *c, const struct pot_placement *p, const struct pot_exclusion *e, struct trj_error *err) {
    cuda_ion_args *a = &c->args;
    const uint64_t *size = a->distances.size;
    size_t rows = size[1] * size[2], along = size[0] * (a->distances.whole ? rows : 1),
           atoms = e->reach2 > 0 ? e->count : 0;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(a->distances.along, along, "distances on the GPU"),
        CUDA_ARRAY(a->offset, a->distances.whole ? 0 : rows, "distances on the GPU"),
        CUDA_ARRAY(a->lowest, a->blocks, "energies on the GPU"),
        CUDA_ARRAY(a->ion, pot_ion_list_total(p->ions), "ions on the GPU"),
        CUDA_ARRAY(a->state, 1, "ions on the GPU"),
        CUDA_ARRAY_COPY(a->exclusion.index, atoms, "atoms on the GPU", e->index),
        CUDA_ARRAY_COPY(a->value, a->points, "the map on the GPU", p->value),
    };
    if (CUDA_ALLOC(&c->base.memory, arrays, err)) return -1;
    CUDA_CHECK(cudaMemset(a->state, 0, sizeof *a->state));
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for these operations
    a->exclusion.count = atoms;
    return 0;
}

static int exclude(struct cuda *c, struct trj_error *err) {
    const struct pot_exclusion *e = &c->args.exclusion;
    double points = 1; // near an atom, at most
    for (int k = 0; k < 3; k++) points *= 2 * e->reach[k] + 3;
    size_t part = (size_t)fmax(1, fmin(MAX_POINTS / points, 0x1p30));
    for (size_t i = 0; i < e->count; i += part)
        if (cuda_ion_exclude(&c->args, i, (unsigned)(e->count - i < part ? e->count - i : part), c->base.stream, err))
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
        if (i ? cuda_ion_place_next(&c->args, &c->update, (unsigned)i, c->base.stream, err)
              : cuda_ion_place_first(&c->args, c->update.sign, c->base.stream, err))
            return -1;
        c->update.charge = p->charge * charge;
    }
    return 0;
}

// Places the ions, and sets *state to that after the last of them. Stops early if there is an error for the engine cpu.
static int search(struct cuda *c, const struct pot_placement *p, struct pot_ion *ion, cuda_ion_state *state,
                  struct trj_error *err) {
    uint64_t total = pot_ion_list_total(p->ions);
    *state = (cuda_ion_state){.full = 0};
    for (uint64_t to, from = 0; from < total && !state->full && !state->infinite; from = to) {
        to = total - from < MAX_QUEUED ? total : from + MAX_QUEUED;
        if (enqueue(c, p, from, to, ion, err) || cuda_single_fetch(&c->base, state, c->args.state, sizeof *state, err))
            return -1;
        if (p->progress) p->progress(to, total);
    }
    return 0;
}

// Sets the ions to what the GPU has found.
static int set_ions(const struct cuda *c, const struct pot_placement *p, struct pot_ion *ion, struct trj_error *err) {
    uint64_t total = pot_ion_list_total(p->ions), index[3];
    cuda_ion_lowest *found = trj_alloc(total, sizeof *found, "ions", err);
    int rc = found ? cuda_single_fetch(&c->base, found, c->args.ion, total * sizeof *found, err) : -1;
    for (uint64_t i = 0; !rc && i < total; i++) {
        pot_ion_set(&ion[i], p->lattice, found[i].point, index);
        ion[i].potential = copysign(1, p->ions->kind[ion[i].kind].charge) * found[i].energy;
    }
    free(found);
    return rc;
}

static int compute(struct cuda *c, const struct pot_placement *p, struct pot_ion *ion, cuda_ion_state *state,
                   struct trj_error *err) {
    cudaEvent_t begin = c->base.event[0], excluded = c->base.event[1], end = c->base.event[2];
    CUDA_CHECK(cudaEventRecord(begin, c->base.stream));
    if (cuda_ion_tabulate(&c->args, c->base.stream, err) || exclude(c, err)) return -1;
    CUDA_CHECK(cudaEventRecord(excluded, c->base.stream));
    if (search(c, p, ion, state, err)) return -1;
    CUDA_CHECK(cudaEventRecord(end, c->base.stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    if (cuda_seconds_between(begin, excluded, &c->seconds[EXCLUDE], err)) return -1;
    if (cuda_seconds_between(excluded, end, &c->seconds[SEARCH], err)) return -1;
    return state->full || state->infinite ? 0 : set_ions(c, p, ion, err);
}

static int place_on_gpu(struct cuda *c, const struct pot_placement *p, const struct pot_exclusion *e,
                        struct pot_ion *ion, cuda_ion_state *state, struct trj_error *err) {
    uint64_t points = trj_map_lattice_points(p->lattice);
    double began = trj_seconds();
    if (points > INT32_MAX)
        return trj_fail(err, TRJ_NO_ENGINE, "the map has %llu points, but engine cuda is limited to %d",
                        (unsigned long long)points, INT32_MAX);
    if (cuda_single_use(&c->base, err)) return -1;
    c->args.points = (unsigned)points;
    c->args.exclusion = *e;
    c->update.reach2 = pot_placement_reach2(p);
    pot_ion_order_start(&c->order, p->ions, p->net);
    if (upload(c, p, e, err)) return -1;
    c->seconds[UPLOAD] = trj_seconds() - began;
    return compute(c, p, ion, state, err);
}

static int place(void *engine, const void *job, struct trj_error *err) {
    const struct pot_ion_job *j = job;
    const struct pot_placement *p = j->placement;
    struct cuda *c = engine;
    struct pot_exclusion e = {.count = 0};
    cuda_ion_state state = {.full = 0};
    *j->excluded = 0;
    if (!pot_ion_list_total(p->ions)) return 0;
    int rc = pot_distances_set(&c->args.distances, p->lattice, err) ||
             pot_exclusion_make(&e, p->lattice, p->position, p->atoms, p->from_solute, err);
    if (!rc && place_on_gpu(c, p, &e, j->ion, &state, err)) rc = trj_fail_at(err, "%s", c->base.gpu.name);
    pot_exclusion_free(&e);
    if (!rc && (state.full || state.infinite)) return pot_place_ions(p, j->ion, j->excluded, err);
    *j->excluded = state.excluded;
    return rc ? -1 : 0;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const double *seconds = ((const struct cuda *)engine)->seconds;
    *s = (struct trj_engine_stats){
        .workers = 1,
        .times = {{"upload", seconds[UPLOAD]}, {"exclusion", seconds[EXCLUDE]}, {"ions", seconds[SEARCH]}}};
}

const struct work_whole_engine pot_ion_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .open = open_cuda,
    .compute = place,
    .stats = stats,
    .close = cuda_single_close,
};
