// SPDX-License-Identifier: MIT
// Counts atoms in the frame of each molecule, and sorts them into grid cells first, so that each molecule visits near
// atoms only.
#include "density_bodies.h"
#include "cpu_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pool.h"
#include "tool.h"

enum { ITEM_BODIES = 16, MAX_CELLS = 64 }; // bodies in one item of the pool; grid cells along an axis
#define MAX_IMAGES 0x1p28                  // atoms with their images within reach of a molecule
#define MAX_OFFSET 1e8                     // of a position, in cells
#define MARGIN     1e-6                    // of fractional coordinates, for rounding

// A position, wrapped into the cell: x = position - wrap . H, and its fractional coordinates.
struct place {
    double x[3], s[3];
    int wrap[3];
};

struct counter {
    struct work_cpu_map map;
    const struct den_job *job;
    bool all; // test every image of every atom
    struct trj_pool *pool;
    double reach; // Å: of the farthest corner of the lattice from the origin of a molecule
    bool under_way;
    struct den_members members;
    // The current frame:
    const struct trj_frame *frame;
    double g[3][3], extent[3];     // reciprocal vectors; reach in units of the cell
    size_t cells[3];               // of the grid
    size_t *begin, begin_capacity; // [cells + 1] into atom
    struct place *atom;            // by grid cell
    uint32_t *number;              // of these atoms
    size_t capacity, number_capacity;
};

static void close_counter(void *engine) {
    struct counter *e = engine;
    if (!e) return;
    trj_pool_close(e->pool);
    den_members_free(&e->members);
    work_cpu_map_free(&e->map);
    free(e->begin);
    free(e->atom);
    free(e->number);
    free(e);
}

// ---- the grid

static bool is_periodic(const struct counter *e, int k) {
    return e->frame->cell.periodic >> k & 1;
}

static int wrap(const struct counter *e, struct place *p, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        const double *g = e->g[k];
        p->s[k] = is_periodic(e, k) ? (g[0] * p->x[0] + g[1] * p->x[1]) + g[2] * p->x[2] : 0;
        if (!(fabs(p->s[k]) <= MAX_OFFSET))
            return trj_fail(err, TRJ_BAD_DATA,
                            "an atom is %.3g cells away along %c; correct the cell (trjcat --cell), or wrap the "
                            "coordinates",
                            p->s[k], 'a' + k);
        p->wrap[k] = (int)floor(p->s[k]);
        p->s[k] -= p->wrap[k];
    }
    return 0;
}

static size_t grid_cell(const struct counter *e, const struct place *p) {
    size_t index[3];
    for (int k = 0; k < 3; k++) {
        double s = p->s[k] * (double)e->cells[k];
        index[k] = s < (double)e->cells[k] ? (size_t)s : e->cells[k] - 1;
    }
    return (index[2] * e->cells[1] + index[1]) * e->cells[0] + index[0];
}

// Chooses the grid cells: about half the reach wide, and not many more than atoms. Limits the images.
static int choose_cells(struct counter *e, size_t atoms, struct trj_error *err) {
    double images = 1, max = cbrt((double)atoms) + 1;
    for (int k = 0; k < 3; k++) {
        const double *g = e->g[k];
        double size = is_periodic(e, k) ? sqrt((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]) : 0;
        e->extent[k] = size * e->reach + (size > 0 ? MARGIN : 0);
        images *= 2 * e->extent[k] + 1;
        double cells = size > 0 ? floor(2 / (size * e->reach)) : 1;
        e->cells[k] = e->all || !(cells >= 1) ? 1 : (size_t)fmin(cells, fmin(max, MAX_CELLS));
    }
    const double one_cell = 27;
    if (images <= one_cell || images * (double)atoms <= MAX_IMAGES) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "the lattice reaches %.3g images of each atom, %.3g atoms in all: at most %.3g can be counted about "
        "a molecule; give a smaller lattice, or correct the cell (trjcat --cell)",
        images, images * (double)atoms, MAX_IMAGES);
}

// Sorts the members of the group into the grid, by a counting sort.
static int sort_atoms(struct counter *e, struct trj_error *err) {
    const struct trj_frame *f = e->frame;
    if (den_members_of(&e->members, e->job, f, err)) return -1;
    size_t n = e->members.atoms.count, cells;
    trj_cell_reciprocal(&f->cell, e->g);
    if (choose_cells(e, n, err)) return -1;
    cells = e->cells[0] * e->cells[1] * e->cells[2];
    if (trj_grow(&e->begin, &e->begin_capacity, cells + 2, sizeof *e->begin, "grid cells", err) ||
        trj_grow(&e->atom, &e->capacity, n, sizeof *e->atom, "atoms", err) ||
        trj_grow(&e->number, &e->number_capacity, n, sizeof *e->number, "atoms", err))
        return -1;
    memset(e->begin, 0, (cells + 2) * sizeof *e->begin);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            uint32_t number = e->members.atoms.list[i];
            struct place p;
            for (int k = 0; k < 3; k++) p.x[k] = (double)f->x[k][number] * f->unit;
            if (wrap(e, &p, err)) return -1;
            size_t cell = grid_cell(e, &p) + 1;
            if (!pass) {
                e->begin[cell + 1]++;
                continue;
            }
            e->number[e->begin[cell]] = number;
            e->atom[e->begin[cell]++] = p;
        }
        for (size_t c = 1; !pass && c < cells + 1; c++) e->begin[c + 1] += e->begin[c];
    }
    return 0;
}

// ---- counting

// Returns the index of the point along an axis whose voxel contains p, or the number of points.
static uint64_t point_at(const struct trj_map_lattice *l, int k, double p) {
    const double size = l->step[k][k], first = l->origin[k] - 0.5 * size;
    const uint64_t n = l->n[k];
    double t = (p - first) / size;
    if (!(t > -1 && t < (double)n + 1)) return n;
    uint64_t i = t > 0 ? (uint64_t)t : 0;
    if (i >= n) i = n - 1;
    while (i > 0 && p < (double)i * size + first) i--;
    while (i < n && p >= (double)(i + 1) * size + first) i++;
    return p >= (double)i * size + first ? i : n;
}

static void count_image(struct counter *e, size_t body, const double d[3]) {
    const struct trj_map_lattice *l = &e->job->lattice;
    uint64_t index[3];
    for (int k = 0; k < 3; k++) {
        const double *a = e->job->bodies->axis[body][k];
        index[k] = point_at(l, k, (d[0] * a[0] + d[1] * a[1]) + d[2] * a[2]);
        if (index[k] >= l->n[k]) return;
    }
    __atomic_fetch_add(&e->map.values[(index[2] * l->n[1] + index[1]) * l->n[0] + index[0]], 1, __ATOMIC_RELAXED);
}

// Counts the atoms of a grid cell, of an image of the cell relative to that of the molecule.
static void count_cell(struct counter *e, size_t body, const struct place *o, size_t cell, const int image[3]) {
    const double(*h)[3] = e->frame->cell.h, reach2 = e->reach * e->reach;
    const struct trj_bodies *b = e->job->bodies;
    for (size_t i = e->begin[cell]; i < e->begin[cell + 1]; i++) {
        const struct place *p = &e->atom[i];
        double d[3], n[3];
        if (b->body_of_atom[e->number[i]] == body) continue;
        for (int k = 0; k < 3; k++) n[k] = (double)(image[k] - p->wrap[k] + o->wrap[k]);
        for (int k = 0; k < 3; k++) d[k] = (p->x[k] - o->x[k]) + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
        if ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= reach2) count_image(e, body, d);
    }
}

static void count_body(struct counter *e, size_t body) {
    struct place o;
    struct trj_error ignored; // has been checked
    int low[3], high[3], index[3];
    memcpy(o.x, e->job->bodies->origin[body], sizeof o.x);
    if (wrap(e, &o, &ignored)) return;
    for (int k = 0; k < 3; k++) {
        double n = (double)e->cells[k];
        low[k] = (int)floor((o.s[k] - e->extent[k]) * n);
        high[k] = (int)floor((o.s[k] + e->extent[k]) * n);
        if (!is_periodic(e, k)) low[k] = high[k] = 0;
    }
    for (index[2] = low[2]; index[2] <= high[2]; index[2]++)
        for (index[1] = low[1]; index[1] <= high[1]; index[1]++)
            for (index[0] = low[0]; index[0] <= high[0]; index[0]++) {
                int image[3];
                size_t cell = 0;
                for (int k = 2; k >= 0; k--) {
                    int n = (int)e->cells[k];
                    image[k] = index[k] >= 0 ? index[k] / n : -((n - 1 - index[k]) / n);
                    cell = cell * e->cells[k] + (size_t)(index[k] - image[k] * n);
                }
                count_cell(e, body, &o, cell, image);
            }
}

// ---- the engine

static size_t next(void *engine, unsigned worker, unsigned task) {
    struct counter *e = engine;
    (void)worker;
    (void)task;
    e->under_way = !e->under_way;
    return e->under_way ? (e->job->bodies->count + ITEM_BODIES - 1) / ITEM_BODIES : 0;
}

static void count_item(void *engine, unsigned worker, unsigned task, size_t item) {
    struct counter *e = engine;
    size_t end = (item + 1) * ITEM_BODIES;
    (void)worker;
    (void)task;
    for (size_t i = item * ITEM_BODIES; i < end && i < e->job->bodies->count; i++) count_body(e, i);
}

static const struct trj_pool_work work = {next, count_item};

static int add_frame(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct counter *e = engine;
    e->frame = f;
    if (trj_bodies_place(e->job->bodies, f, err) || sort_atoms(e, err)) return -1;
    for (size_t i = 0; i < e->job->bodies->count; i++) {
        struct place o;
        memcpy(o.x, e->job->bodies->origin[i], sizeof o.x);
        if (wrap(e, &o, err)) return -1;
    }
    trj_pool_start(e->pool, 0);
    trj_pool_finish(e->pool);
    return 0;
}

static int open_counter(void **engine, const struct den_job *job, unsigned threads, struct trj_error *err) {
    const struct trj_map_lattice *l = &job->lattice;
    struct counter *e = trj_alloc(1, sizeof *e, "an engine", err);
    double reach2 = 0;
    if (!e) return -1;
    e->job = job;
    e->map.add = add_frame;
    for (int k = 0; k < 3; k++) {
        double low = l->origin[k] - 0.5 * l->step[k][k], high = low + (double)l->n[k] * l->step[k][k];
        reach2 += fmax(low * low, high * high);
    }
    e->reach = sqrt(reach2) * (1 + 1e-9);
    if (work_cpu_map_open(&e->map, (size_t)trj_map_lattice_points(l), err) ||
        trj_pool_open(&e->pool, threads, 1, &work, e, err)) {
        close_counter(e);
        return -1;
    }
    e->map.threads = trj_pool_threads(e->pool);
    *engine = e;
    return 0;
}

static int open_grid(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    return open_counter(engine, job, resources->threads, err);
}

static int open_reference(void **engine, const void *job, const struct work_resources *resources,
                          struct trj_error *err) {
    (void)resources;
    if (open_counter(engine, job, 1, err)) return -1;
    ((struct counter *)*engine)->all = true;
    return 0;
}

static const struct work_map_engine by_grid = {.kind.name = "cpu",
                                               .kind.workers = "threads",
                                               .open = open_grid,
                                               .add = work_cpu_map_add,
                                               .finish = work_cpu_map_finish,
                                               .stats = work_cpu_map_stats,
                                               .close = close_counter};
static const struct work_map_engine by_reference = {.kind.name = "reference",
                                                    .kind.workers = "threads",
                                                    .open = open_reference,
                                                    .add = work_cpu_map_add,
                                                    .finish = work_cpu_map_finish,
                                                    .stats = work_cpu_map_stats,
                                                    .close = close_counter};

const struct trj_engine *const den_bodies_engines[] = {&by_grid.kind, &by_reference.kind, NULL};

int den_bodies_check(const char *engine, struct trj_error *err) {
    if (strcmp(engine, "cuda") != 0) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--body: the engine cuda does not count atoms about molecules; use -e cpu, or leave out -e");
}
