// SPDX-License-Identifier: MIT
// The engine `cpu`. Gaussians are computed in blocks (gauss.h). For the other kernels, threads share the atoms while
// records are found, and then the planes of the lattice. Each thread then reads all records, which costs less than
// sorting them.
#include <stdlib.h>
#include <string.h>

#include "cpu_map.h"
#include "density_engine.h"
#include "instruction_set.h"
#include "memory.h"
#include "pool.h"

enum step { START, FIND, ADD };

struct cpu {
    struct work_cpu_map map;
    const struct den_job *job;
    struct trj_map_slab slab; // of the map
    struct den_members members;
    struct den_gauss *gauss;  // kernel gauss; NULL for the others
    struct trj_pool *pool;    // of the other kernels
    struct trj_error *errors; // [map.threads] an empty text means no error
    // The current frame:
    struct trj_map_lattice lattice;
    float reach[1][3];
    struct tile_lattice_atoms atoms;
    struct tile_lattice_plan plan;
    bool only_points; // only the nearest points of atoms are needed
    uint64_t *number; // [number_capacity] of the point of each atom
    size_t number_capacity;
    enum step step;
};

// ---- count, cic and ball

// Fewer items are not worth another thread.
enum { ATOMS_A_CHUNK = 4096, PLANES_A_PART = 8 };

static size_t parts(size_t max, size_t items, size_t min) {
    size_t n = items / min;
    return n < 1 ? 1 : n < max ? n : max;
}

static size_t parts_of_planes(const struct cpu *c) {
    return parts(c->plan.chunks, (size_t)c->slab.planes, PLANES_A_PART);
}

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct cpu *c = arg;
    (void)worker, (void)task;
    switch (c->step++) {
    case START:
        return c->plan.chunks;
    case FIND:
        return parts_of_planes(c);
    default:
        return 0;
    }
}

static int find(struct cpu *c, size_t chunk, struct trj_error *err) {
    size_t begin = tile_lattice_chunk_begin(&c->plan, chunk), end = tile_lattice_chunk_begin(&c->plan, chunk + 1);
    if (c->only_points) return tile_lattice_points(&c->plan, begin, end, c->number + begin, err);
    tile_lattice_plan_find(&c->plan, chunk); // den_scatter returns its errors
    return 0;
}

static int add_part(struct cpu *c, size_t part, struct trj_error *err) {
    uint64_t n = c->slab.planes, parts = parts_of_planes(c), from = n * part / parts;
    uint64_t low = c->slab.first + from, high = c->slab.first + n * (part + 1) / parts;
    int64_t *values = c->map.values + from * trj_map_lattice_plane(&c->lattice);
    return c->only_points ? den_count(c->job, &c->lattice, &c->atoms, c->number, low, high, values, err)
                          : den_scatter(c->job, &c->lattice, &c->plan, low, high, values, err);
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct cpu *c = arg;
    struct trj_error *err = &c->errors[worker], found = {.text = ""};
    (void)task;
    if ((c->step == FIND ? find(c, number, &found) : add_part(c, number, &found)) && !*err->text) *err = found;
}

static const struct trj_pool_work work = {next, item};

static int add_points(struct cpu *c, const struct trj_frame *f, struct trj_error *err) {
    den_job_reach(c->job, &c->lattice, c->reach[0]);
    c->atoms = (struct tile_lattice_atoms){.frame = f,
                                           .list = c->members.atoms.list,
                                           .count = c->members.atoms.count,
                                           .value = c->members.atoms.weight,
                                           .kinds = 1,
                                           .reach = (const float(*)[3])c->reach,
                                           .slab = c->slab};
    if (tile_lattice_plan_start(&c->plan, &c->lattice, &c->atoms, parts(c->map.threads, c->atoms.count, ATOMS_A_CHUNK),
                                err))
        return -1;
    c->only_points = c->job->kernel == DEN_COUNT && tile_lattice_has_points(&c->plan);
    if (c->only_points &&
        trj_grow(&c->number, &c->number_capacity, c->atoms.count, sizeof *c->number, "points of atoms", err))
        return -1;
    c->step = START;
    trj_pool_start(c->pool, trj_pool_free_task(c->pool));
    trj_pool_finish(c->pool);
    return 0;
}

// ---- the engine

static void add_block(void *arg, unsigned worker, const struct den_block *block) {
    struct cpu *c = arg;
    struct trj_error *err = &c->errors[worker], found = {.text = ""};
    if (!block->empty && den_add(c->map.values, &c->lattice, c->slab.first, block, &found) && !*err->text) *err = found;
}

static int add_frame(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct cpu *c = engine;
    if (den_job_lattice(c->job, f, &c->lattice, err) || den_members_of(&c->members, c->job, f, err)) return -1;
    if (c->gauss ? den_gauss_compute(c->gauss, &c->lattice, f, &c->members.atoms, add_block, c, err)
                 : add_points(c, f, err))
        return -1;
    for (unsigned i = 0; i < c->map.threads; i++)
        if (*c->errors[i].text) {
            *err = c->errors[i];
            return -1;
        }
    return 0;
}

static void close_cpu(void *engine) {
    struct cpu *c = engine;
    if (!c) return;
    den_gauss_close(c->gauss);
    trj_pool_close(c->pool);
    tile_lattice_plan_free(&c->plan);
    free(c->number);
    den_members_free(&c->members);
    free(c->errors);
    work_cpu_map_free(&c->map);
    free(c);
}

static int open_cpu(void **engine, const void *of_job, const struct work_resources *resources, struct trj_error *err) {
    const struct den_job *job = of_job;
    struct cpu *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job = job;
    c->map.add = add_frame;
    c->slab = trj_map_lattice_slab(&job->lattice, job->slab);
    int rc = work_cpu_map_open(&c->map, (size_t)den_job_points(job), err);
    if (!rc) trj_use_large_pages(c->map.values, c->map.points * sizeof *c->map.values);
    if (!rc)
        rc = job->kernel == DEN_GAUSS ? den_gauss_open(&c->gauss, &job->gauss, resources->threads, err)
                                      : trj_pool_open(&c->pool, resources->threads, 1, &work, c, err);
    if (c->gauss) den_gauss_restrict(c->gauss, job->slab);
    if (!rc) {
        c->map.threads = c->gauss ? den_gauss_threads(c->gauss) : trj_pool_threads(c->pool);
        c->errors = trj_alloc(c->map.threads, sizeof *c->errors, "an engine", err);
    }
    if (rc || !c->errors) {
        close_cpu(c);
        return -1;
    }
    *engine = c;
    return 0;
}

const struct work_map_engine den_engine_cpu = {
    .kind = TRJ_ENGINE_KIND_CPU,
    .slabs = true,
    .open = open_cpu,
    WORK_CPU_MAP_FUNCTIONS,
    .close = close_cpu,
};
