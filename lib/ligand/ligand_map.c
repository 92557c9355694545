// SPDX-License-Identifier: MIT
// Computes a map of a ligand with threads. Each item is a block of points of about 8 Å: its atoms are found in the plan
// of the lattice, and sorted for smaller blocks of about 2 Å, of which all points and orientations use one list of near
// and one of far atoms. Blocks depend on the lattice alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "instruction_set.h"
#include "lattice_plan.h"
#include "ligand_job.h"
#include "memory.h"
#include "pool.h"

static const double LARGE_BLOCK = 8, SMALL_BLOCK = 2; // Å

enum step { FIND, PLACE, COMPUTE, DONE };

struct list {
    struct lig_atoms atoms;
    float *hit2;
    size_t room; // atoms
};

struct worker {
    struct list all, near, far;
    uint16_t *kind; // [kind_room] of `all`
    size_t kind_room;
    float *energy; // [orientations]
    struct trj_error err;
};

struct lig_map {
    const struct lig_job *job;
    const struct lig_kernel *kernel;
    struct trj_pool *pool;
    unsigned threads;
    struct worker *worker; // [threads]
    int64_t *values;       // [points]
    size_t points;
    bool cleared;
    // Of the current frame:
    const struct trj_frame *frame;
    struct trj_map_lattice lattice;
    struct tile_lattice_atoms atoms;
    struct tile_lattice_plan plan;
    float (*reach)[3]; // [kinds]
    uint32_t *list;    // [members] of a dynamic group
    uint16_t *kind;
    float *value;
    int64_t small[3], large[3]; // points of blocks along each axis; large is a multiple of small
    size_t blocks[3];
    enum step step;
    bool failed; // the plan
    struct trj_error err;
};

// ---- lists of atoms

static int make_room(struct list *l, size_t want, unsigned types, struct trj_error *err) {
    struct lig_atoms *a = &l->atoms;
    if (want <= l->room) return 0;
    size_t room = (want + want / 2 + 63) / 64 * 64, arrays = 5 + 2 * (size_t)types;
    float *memory = aligned_alloc(64, room * arrays * sizeof *memory), *old = a->x[0];
    if (!memory) return trj_fail_memory(err, (double)(room * arrays * sizeof *memory), "atoms near points");
    float **array[5 + 2 * LIG_TYPES_MAX] = {&a->x[0], &a->x[1], &a->x[2], &a->charge, &l->hit2};
    for (unsigned t = 0; t < types; t++) {
        array[5 + 2 * t] = &a->c12[t];
        array[6 + 2 * t] = &a->minus_c6[t];
    }
    for (size_t i = 0; i < arrays; i++) {
        if (a->count) memcpy(memory + i * room, *array[i], a->count * sizeof *memory);
        *array[i] = memory + i * room;
    }
    free(old);
    l->room = room;
    return 0;
}

// Copies atom `i` of `all` to the end of a list that has room.
static void append(struct list *to, const struct worker *w, const struct lig_job *job, size_t i) {
    const struct lig_atoms *from = &w->all.atoms;
    struct lig_atoms *a = &to->atoms;
    const struct lig_pair *pair = job->pair + w->kind[i] * (size_t)job->types;
    size_t n = a->count++;
    for (int k = 0; k < 3; k++) a->x[k][n] = from->x[k][i];
    a->charge[n] = from->charge[i];
    to->hit2[n] = job->hit2[w->kind[i]];
    for (unsigned t = 0; t < job->types; t++) {
        a->c12[t][n] = pair[t].c12;
        a->minus_c6[t][n] = -pair[t].c6;
    }
}

// Adds atoms without effect up to a multiple of LIG_LANES.
static void complete(struct list *l, unsigned types) {
    struct lig_atoms *a = &l->atoms;
    for (; a->count % LIG_LANES; a->count++) {
        for (int k = 0; k < 3; k++) a->x[k][a->count] = 1e6F;
        a->charge[a->count] = 0;
        l->hit2[a->count] = 0;
        for (unsigned t = 0; t < types; t++) a->c12[t][a->count] = a->minus_c6[t][a->count] = 0;
    }
}

// ---- blocks

struct box {
    int64_t low[3], high[3]; // points low <= i < high
};

// Sets x to the position of a point, in Å, relative to the point `origin`.
static void position(const struct trj_map_lattice *l, const double point[3], const int64_t origin[3], double x[3]) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = point[k] - (double)origin[k];
    for (int c = 0; c < 3; c++) x[c] = (d[0] * l->step[0][c] + d[1] * l->step[1][c]) + d[2] * l->step[2][c];
}

// Sets x to the centre of a box, and returns the distance of its corners.
static double measure(const struct lig_map *m, const struct box *b, const int64_t origin[3], double x[3]) {
    const struct trj_map_lattice *l = &m->lattice;
    double middle[3], radius = 0;
    for (int k = 0; k < 3; k++) middle[k] = (double)(b->low[k] + b->high[k] - 1) / 2;
    position(l, middle, origin, x);
    for (int corner = 0; corner < 4; corner++) { // the others are opposite
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            double r = 0;
            for (int k = 0; k < 3; k++)
                r += (corner >> k & 1 ? -1 : 1) * (double)(b->high[k] - 1 - b->low[k]) / 2 * l->step[k][c];
            r2 += r * r;
        }
        radius = fmax(radius, sqrt(r2));
    }
    return radius;
}

static double distance2(const double a[3], const double b[3]) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return (x * x + y * y) + z * z;
}

// Lists the atoms that may be within the cutoff of a site at a point of the block.
static int gather(struct lig_map *m, struct worker *w, const struct box *b, struct trj_error *err) {
    const struct lig_job *job = m->job;
    struct tile_lattice_walk walk;
    size_t next, end;
    double centre[3], most = measure(m, b, b->low, centre) + job->cutoff + job->radius + 1e-3;
    int64_t last[3];
    for (int k = 0; k < 3; k++) last[k] = b->high[k] - 1;
    w->all.atoms.count = 0;
    tile_lattice_walk_start(&walk, &m->plan, b->low, last);
    while (tile_lattice_walk_next(&walk, &next, &end)) {
        size_t want = w->all.atoms.count + (end - next);
        if (make_room(&w->all, want, 0, err) ||
            trj_grow(&w->kind, &w->kind_room, want, sizeof *w->kind, "atoms near points", err))
            return -1;
        for (; next < end; next++) {
            const struct tile_lattice_record *r = &m->plan.record[next];
            double point[3], x[3];
            for (int k = 0; k < 3; k++) point[k] = r->point[k] + (double)r->offset[k];
            position(&m->lattice, point, b->low, x);
            if (distance2(x, centre) >= most * most) continue;
            struct lig_atoms *a = &w->all.atoms;
            for (int k = 0; k < 3; k++) a->x[k][a->count] = (float)x[k];
            a->charge[a->count] = r->value;
            w->kind[a->count++] = (uint16_t)r->kind;
        }
    }
    return 0;
}

// Divides the atoms of the block `origin` between the lists of a smaller block.
static int divide(struct lig_map *m, struct worker *w, const struct box *b, const struct box *origin,
                  struct trj_error *err) {
    const struct lig_job *job = m->job;
    const struct lig_atoms *all = &w->all.atoms;
    double centre[3], half = measure(m, b, origin->low, centre) + 1e-3;
    float near = (float)(job->near + half), far = (float)(job->cutoff + job->radius + half);
    const float x = (float)centre[0], y = (float)centre[1], z = (float)centre[2];
    if (make_room(&w->near, all->count + LIG_LANES, job->types, err) ||
        make_room(&w->far, all->count + LIG_LANES, job->types, err))
        return -1;
    w->near.atoms.count = w->far.atoms.count = 0;
    for (size_t i = 0; i < all->count; i++) {
        float dx = all->x[0][i] - x, dy = all->x[1][i] - y, dz = all->x[2][i] - z, r2 = (dx * dx + dy * dy) + dz * dz;
        if (r2 >= far * far) continue;
        append(r2 < near * near ? &w->near : &w->far, w, job, i);
    }
    complete(&w->near, job->types);
    complete(&w->far, job->types);
    return 0;
}

// Returns whether an atom is so close to the point that all orientations overlap with it.
static bool is_hit(const struct list *near, const float x[3]) {
    const struct lig_atoms *a = &near->atoms;
    bool hit = false;
    for (size_t i = 0; i < a->count; i++) {
        float dx = a->x[0][i] - x[0], dy = a->x[1][i] - x[1], dz = a->x[2][i] - x[2];
        hit |= (dx * dx + dy * dy) + dz * dz < near->hit2[i];
    }
    return hit;
}

static int add_point(struct lig_map *m, struct worker *w, const int64_t point[3], const struct box *origin,
                     struct trj_error *err) {
    const struct lig_job *job = m->job;
    const double index[3] = {(double)point[0], (double)point[1], (double)point[2]};
    double at[3], sum = 0;
    position(&m->lattice, index, origin->low, at);
    const float x[3] = {(float)at[0], (float)at[1], (float)at[2]};
    if (is_hit(&w->near, x)) return 0;
    m->kernel->energies(&job->placements, &w->near.atoms, &w->far.atoms, x, w->energy);
    for (unsigned i = 0; i < job->orientations; i++) sum += trj_exp(-(double)w->energy[i]);
    double quanta = rint(ldexp(sum * (1.0 / job->orientations), (int)job->bits));
    int64_t *value = &m->values[point[0] + (int64_t)m->lattice.n[0] * (point[1] + (int64_t)m->lattice.n[1] * point[2])];
    if (!(quanta <= 0x1p62 - (double)*value))
        return trj_fail(err, TRJ_BAD_DATA,
                        "point %lld, %lld, %lld: a mean Boltzmann factor of %g: the sum exceeds 2^62 quanta; reduce "
                        "--bits, or the number of frames in a record with --block",
                        (long long)point[0], (long long)point[1], (long long)point[2], sum / job->orientations);
    *value += (int64_t)quanta;
    return 0;
}

static int add_small(struct lig_map *m, struct worker *w, const struct box *b, const struct box *origin,
                     struct trj_error *err) {
    int64_t i[3];
    if (divide(m, w, b, origin, err)) return -1;
    for (i[2] = b->low[2]; i[2] < b->high[2]; i[2]++)
        for (i[1] = b->low[1]; i[1] < b->high[1]; i[1]++)
            for (i[0] = b->low[0]; i[0] < b->high[0]; i[0]++)
                if (add_point(m, w, i, origin, err)) return -1;
    return 0;
}

// Sets *part to the block at `low` with n points along each axis, or as many as the whole has.
static void cut(struct box *part, const int64_t low[3], const int64_t n[3], const int64_t end[3]) {
    for (int k = 0; k < 3; k++) {
        part->low[k] = low[k];
        part->high[k] = low[k] + n[k] < end[k] ? low[k] + n[k] : end[k];
    }
}

static int add_block(struct lig_map *m, struct worker *w, size_t number, struct trj_error *err) {
    const size_t at[3] = {number % m->blocks[0], number / m->blocks[0] % m->blocks[1],
                          number / m->blocks[0] / m->blocks[1]};
    struct box block, part;
    int64_t low[3], end[3];
    for (int k = 0; k < 3; k++) {
        low[k] = (int64_t)at[k] * m->large[k];
        end[k] = (int64_t)m->lattice.n[k];
    }
    cut(&block, low, m->large, end);
    if (gather(m, w, &block, err)) return -1;
    for (low[2] = block.low[2]; low[2] < block.high[2]; low[2] += m->small[2])
        for (low[1] = block.low[1]; low[1] < block.high[1]; low[1] += m->small[1])
            for (low[0] = block.low[0]; low[0] < block.high[0]; low[0] += m->small[0]) {
                cut(&part, low, m->small, block.high);
                if (add_small(m, w, &part, &block, err)) return -1;
            }
    return 0;
}

// ---- frames

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct lig_map *m = arg;
    (void)worker, (void)task;
    switch (m->step++) {
    case FIND:
        return m->plan.chunks;
    case PLACE:
        m->failed = tile_lattice_plan_sort(&m->plan, &m->err) != 0;
        return m->failed ? 0 : m->plan.chunks;
    case COMPUTE:
        return m->blocks[0] * m->blocks[1] * m->blocks[2];
    default:
        return 0;
    }
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct lig_map *m = arg;
    struct worker *w = &m->worker[worker];
    (void)task;
    if (m->step == FIND + 1)
        tile_lattice_plan_find(&m->plan, number);
    else if (m->step == PLACE + 1)
        tile_lattice_plan_place(&m->plan, number);
    else if (!*w->err.text)
        (void)add_block(m, w, number, &w->err);
}

static const struct trj_pool_work work = {next, item};

// Sets the sizes of blocks, and the reach of each kind.
static int set_blocks(struct lig_map *m, struct trj_error *err) {
    const struct lig_job *job = m->job;
    double g[3][3], most = job->cutoff + job->radius + 1e-3;
    trj_map_lattice_inverse(&m->lattice, g);
    for (int k = 0; k < 3; k++) {
        const double *s = m->lattice.step[k], *r = g[k], step = sqrt((s[0] * s[0] + s[1] * s[1]) + s[2] * s[2]);
        double reach = most * sqrt((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) + 1e-3;
        if (!(reach < TILE_LATTICE_REACH_MAX))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the cutoff reaches %g points along axis %d, expected at most 2^20; use a coarser lattice",
                            reach, k);
        for (unsigned i = 0; i < job->kinds; i++) m->reach[i][k] = (float)reach;
        m->small[k] = (int64_t)fmax(1, fmin(16, rint(SMALL_BLOCK / step)));
        m->large[k] = m->small[k] * (int64_t)fmax(1, fmin(16, rint(LARGE_BLOCK / (step * (double)m->small[k]))));
        m->blocks[k] = (size_t)((m->lattice.n[k] + (uint64_t)m->large[k] - 1) / (uint64_t)m->large[k]);
    }
    return 0;
}

// Sets the atoms of a frame: those of a dynamic group are copied.
static void set_atoms(struct lig_map *m, const struct trj_frame *f) {
    const struct lig_job *job = m->job;
    size_t n = 0;
    m->atoms = (struct tile_lattice_atoms){.frame = f,
                                           .list = job->atom,
                                           .count = job->members,
                                           .value = job->value,
                                           .kind = job->kind,
                                           .kinds = job->kinds,
                                           .reach = (const float(*)[3])m->reach};
    if (!job->group->dynamic) return;
    for (size_t i = 0; i < job->members; i++) {
        if (!trj_group_has(job->group, f, job->place[i])) continue;
        m->list[n] = job->atom[i];
        m->kind[n] = job->kind[i];
        m->value[n++] = job->value[i];
    }
    m->atoms.list = m->list;
    m->atoms.kind = m->kind;
    m->atoms.value = m->value;
    m->atoms.count = n;
}

// Without atoms, all energies are 0.
static int add_vacuum(struct lig_map *m, struct trj_error *err) {
    int64_t one = (int64_t)1 << m->job->bits;
    for (size_t i = 0; i < m->points; i++) {
        if (m->values[i] > ((int64_t)1 << 62) - one)
            return trj_fail(err, TRJ_BAD_DATA, "point %zu: the sum exceeds 2^62 quanta; reduce --bits", i);
        m->values[i] += one;
    }
    return 0;
}

int lig_map_add(struct lig_map *m, const struct trj_frame *f, struct trj_error *err) {
    const struct lig_job *job = m->job;
    if (!m->cleared) memset(m->values, 0, m->points * sizeof *m->values);
    m->cleared = true;
    if (f->atoms != job->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but earlier frames have %zu", f->atoms, job->atoms);
    if (trj_map_lattice_in_cell(&m->lattice, &job->lattice, job->fractional, &f->cell, err) || set_blocks(m, err))
        return -1;
    set_atoms(m, f);
    if (!m->atoms.count) return add_vacuum(m, err);
    if (tile_lattice_check_atoms(&m->atoms, err) ||
        tile_lattice_plan_start(&m->plan, &m->lattice, &m->atoms, m->threads, err))
        return -1;
    m->step = FIND;
    m->failed = false;
    trj_pool_start(m->pool, trj_pool_free_task(m->pool));
    trj_pool_finish(m->pool);
    if (m->failed) *err = m->err;
    for (unsigned i = 0; i < m->threads && !m->failed; i++)
        if (*m->worker[i].err.text) {
            *err = m->worker[i].err;
            m->failed = true;
        }
    return m->failed ? -1 : 0;
}

const int64_t *lig_map_finish(struct lig_map *m) {
    if (!m->cleared) memset(m->values, 0, m->points * sizeof *m->values);
    m->cleared = false;
    return m->values;
}

// ---- opening

static int choose_kernel(struct lig_map *m, struct trj_error *err) {
    static const struct lig_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        &lig_kernel_avx512, &lig_kernel_avx2,
#endif
        &lig_kernel_plain};
    enum trj_isa isa;
    if (trj_isa_find(&isa, err)) return -1;
    m->kernel = kernels[isa];
    return 0;
}

static int allocate(struct lig_map *m, struct trj_error *err) {
    const struct lig_job *job = m->job;
    size_t n = job->members ? job->members : 1;
    m->points = (size_t)trj_map_lattice_points(&job->lattice);
    m->values = trj_alloc(m->points, sizeof *m->values, "the map", err);
    m->reach = m->values ? trj_alloc(job->kinds ? job->kinds : 1, sizeof *m->reach, "kinds of atoms", err) : NULL;
    m->list = m->reach ? trj_alloc(n, sizeof *m->list, "members of a group", err) : NULL;
    m->kind = m->list ? trj_alloc(n, sizeof *m->kind, "members of a group", err) : NULL;
    m->value = m->kind ? trj_alloc(n, sizeof *m->value, "members of a group", err) : NULL;
    m->worker = m->value ? trj_alloc(m->threads, sizeof *m->worker, "threads", err) : NULL;
    if (!m->worker) return -1;
    for (unsigned i = 0; i < m->threads; i++) {
        m->worker[i].energy = trj_alloc(job->orientations, sizeof(float), "energies", err);
        if (!m->worker[i].energy) return -1;
    }
    return 0;
}

int lig_map_open(struct lig_map **map, const struct lig_job *job, struct trj_error *err) {
    struct lig_map *m = trj_alloc(1, sizeof *m, "a map", err);
    if (!m) return -1;
    m->job = job;
    m->threads = trj_pool_size(job->threads);
    if (choose_kernel(m, err) || allocate(m, err) || trj_pool_open(&m->pool, job->threads, 1, &work, m, err)) {
        lig_map_close(m);
        return -1;
    }
    *map = m;
    return 0;
}

void lig_map_close(struct lig_map *m) {
    if (!m) return;
    trj_pool_close(m->pool);
    tile_lattice_plan_free(&m->plan);
    for (unsigned i = 0; m->worker && i < m->threads; i++) {
        struct worker *w = &m->worker[i];
        free(w->all.atoms.x[0]);
        free(w->near.atoms.x[0]);
        free(w->far.atoms.x[0]);
        free(w->kind);
        free(w->energy);
    }
    free(m->worker);
    free(m->reach);
    free(m->list);
    free(m->kind);
    free(m->value);
    free(m->values);
    free(m);
}
