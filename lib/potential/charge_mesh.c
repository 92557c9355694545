// SPDX-License-Identifier: MIT
// Spreads charges onto the mesh of pme and fast on CPUs. Threads share the charges while these are sorted, and then the
// planes of the mesh. Charges are sorted by plane and by blocks of rows, so that the sums that consecutive charges
// change are in the nearest cache.
#include "charge_mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "charge_kernel.h"
#include "instruction_set.h"
#include "memory.h"
#include "mesh_place.h"
#include "mesh_spline.h"
#include "pool.h"

// Fewer items are not worth another thread. Charges near the border of two parts are processed by both threads.
enum { CHARGES_A_CHUNK = 4096, PLANES_A_PART = 8, BUCKETS_MAX = 16384 };

enum step { START, COUNT, PLACE, ADD };

struct pot_mesh {
    uint64_t n[3];
    double max_charge, quantum;
    struct pot_mesh_spline spline;
    struct pot_mesh_rows rows;
    size_t *row;           // rows.row
    size_t first;          // point with which a row begins in memory
    int64_t *line;         // [n[0]]
    size_t stride, points; // of a row in memory, of all rows in memory
    int64_t *sum;          // [points] rows.sum
    bool taken;            // the sums must be set to 0
    int64_t largest;       // bound of the magnitudes of all sums
    const struct pot_charge_kernel *kernel;
    struct trj_pool *pool;
    struct trj_error *errors; // [threads] an empty text means no error
    // Buckets of a plane have 2^row_bits rows each.
    unsigned row_bits;
    size_t buckets, buckets_a_plane;
    size_t *begin;       // [chunks][buckets] counts, and then where the charges of a chunk go
    size_t *plane_begin; // [n[2] + 1] of `charge`
    struct pot_mesh_charge *charge;
    size_t charge_capacity;
    // The current frame:
    const struct pot_frame *frame;
    struct pot_mesh_places places;
    size_t chunks;
    enum step step;
};

// ---- finding and sorting charges

static size_t bucket_of(const struct pot_mesh *m, const struct pot_mesh_place *p) {
    return p->point[2] * m->buckets_a_plane + (p->point[1] >> m->row_bits);
}

static int count_chunk(const struct pot_mesh *m, size_t chunk, struct trj_error *err) {
    const struct pot_frame *f = m->frame;
    size_t *count = m->begin + chunk * m->buckets, first = f->count * chunk / m->chunks,
           last = f->count * (chunk + 1) / m->chunks;
    memset(count, 0, m->buckets * sizeof *count);
    for (size_t i = first; i < last; i++) {
        if (!(fabs(f->charge[i]) <= m->max_charge))
            return trj_fail(err, TRJ_BAD_DATA, "atom %lu: charge %.9g e, but the bound of the set-up is %.9g e",
                            (unsigned long)(f->atom ? f->atom[i] : i), f->charge[i], m->max_charge);
        struct pot_mesh_place p = pot_mesh_locate(&m->places, f->position[i]);
        count[bucket_of(m, &p)]++;
    }
    return 0;
}

static void place_chunk(const struct pot_mesh *m, size_t chunk) {
    const struct pot_frame *f = m->frame;
    size_t *next = m->begin + chunk * m->buckets, first = f->count * chunk / m->chunks,
           last = f->count * (chunk + 1) / m->chunks;
    for (size_t i = first; i < last; i++) {
        struct pot_mesh_place p = pot_mesh_locate(&m->places, f->position[i]);
        struct pot_mesh_charge *c = &m->charge[next[bucket_of(m, &p)]++];
        memcpy(c->fraction, p.fraction, sizeof c->fraction);
        c->units = f->charge[i] * m->spline.scale;
        c->x = p.point[0];
        c->y = p.point[1];
    }
}

// Replaces each count by the sum of the preceding counts.
static void sum_counts(struct pot_mesh *m) {
    size_t sum = 0;
    for (size_t b = 0; b < m->buckets; b++) {
        if (b % m->buckets_a_plane == 0) m->plane_begin[b / m->buckets_a_plane] = sum;
        for (size_t c = 0; c < m->chunks; c++) {
            size_t *offset = &m->begin[c * m->buckets + b], count = *offset;
            *offset = sum;
            sum += count;
        }
    }
    m->plane_begin[m->n[2]] = sum;
}

// ---- sums

// Returns the largest number of charges that add to one plane. A charge that adds to it several times counts each time.
static double max_charges(const struct pot_mesh *m) {
    size_t max = 0, order = m->rows.order;
    for (size_t z = 0; z < m->n[2]; z++) {
        size_t sum = 0;
        for (size_t k = 0; k < order; k++) {
            size_t plane = (z + k) % m->n[2];
            sum += m->plane_begin[plane + 1] - m->plane_begin[plane];
        }
        if (sum > max) max = sum;
    }
    return (double)max;
}

// Makes sure that the frame does not cause an overflow, which includes the sums of points that are images of each other
// (pot_mesh_take). For most frames, the bound m->largest suffices, so that the sums themselves are not read.
static int check_capacity(struct pot_mesh *m, struct trj_error *err) {
    double limit = 0x1p63 / (2 + POT_ORDER_MAX / (double)m->n[0]), add = max_charges(m) * m->spline.largest;
    if ((double)m->largest + add >= limit) {
        int64_t max = 0;
        for (size_t i = 0; i < m->points; i++) {
            int64_t v = m->sum[i] < 0 ? -m->sum[i] : m->sum[i];
            max = v > max ? v : max;
        }
        m->largest = max;
        if ((double)max + add >= limit)
            return trj_fail(err, TRJ_BAD_DATA,
                            "a charge on the mesh can exceed 2^63 quanta of %g e; use fewer frames, or a finer mesh",
                            m->quantum);
    }
    m->largest += (int64_t)add;
    return 0;
}

static size_t parts(size_t max, size_t items, size_t min) {
    size_t n = items / min;
    return n < 1 ? 1 : n < max ? n : max;
}

static size_t parts_of_planes(const struct pot_mesh *m) {
    unsigned threads = trj_pool_threads(m->pool);
    return parts(threads > 1 ? 2 * threads : 1, (size_t)m->n[2], PLANES_A_PART);
}

static void add_part(const struct pot_mesh *m, size_t part) {
    uint64_t n = m->n[2], parts = parts_of_planes(m), low = n * part / parts, high = n * (part + 1) / parts;
    unsigned order = m->rows.order;
    for (uint64_t z = 0; z < n; z++) {
        struct pot_mesh_planes planes = {0};
        for (unsigned i = 0; i < order; i++) {
            uint64_t plane = (z + n * order + i - (order / 2 - 1)) % n;
            if (plane < low || plane >= high) continue;
            planes.plane[planes.count] = (size_t)plane * m->n[1] * m->stride;
            planes.weight[planes.count++] = i;
        }
        size_t begin = m->plane_begin[z], end = m->plane_begin[z + 1];
        if (planes.count) m->kernel->add(&m->rows, &planes, m->charge + begin, end - begin);
    }
}

// ---- threads

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct pot_mesh *m = arg;
    (void)task;
    switch (m->step++) {
    case START:
        return m->chunks;
    case COUNT:
        for (unsigned i = 0; i < trj_pool_threads(m->pool); i++)
            if (*m->errors[i].text) return 0;
        sum_counts(m);
        return check_capacity(m, &m->errors[worker]) ? 0 : m->chunks;
    case PLACE:
        return parts_of_planes(m);
    default:
        return 0;
    }
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct pot_mesh *m = arg;
    struct trj_error found = {.text = ""};
    (void)task;
    if (m->step == COUNT) {
        if (count_chunk(m, number, &found) && !*m->errors[worker].text) m->errors[worker] = found;
    } else if (m->step == PLACE) {
        place_chunk(m, number);
    } else {
        add_part(m, number);
    }
}

static const struct trj_pool_work work = {next, item};

int pot_mesh_add(struct pot_mesh *m, const struct pot_frame *f, struct trj_error *err) {
    struct trj_cell cell = trj_map_lattice_cell(&f->lattice);
    if (memcmp(f->lattice.n, m->n, sizeof m->n) != 0 || cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA, "the mesh of the frame does not divide a cell with three periodic axes");
    if (trj_grow(&m->charge, &m->charge_capacity, f->count, sizeof *m->charge, "charges", err)) return -1;
    if (m->taken) memset(m->sum, 0, m->points * sizeof *m->sum);
    m->taken = false;
    pot_mesh_places_set(&m->places, &f->lattice);
    m->frame = f;
    m->chunks = parts(trj_pool_threads(m->pool), f->count, CHARGES_A_CHUNK);
    m->step = START;
    trj_pool_start(m->pool, trj_pool_free_task(m->pool));
    trj_pool_finish(m->pool);
    for (unsigned i = 0; i < trj_pool_threads(m->pool); i++)
        if (*m->errors[i].text) {
            *err = m->errors[i];
            return -1;
        }
    return 0;
}

int64_t *pot_mesh_take(struct pot_mesh *m) {
    size_t n = (size_t)m->n[0], rows = (size_t)(m->n[1] * m->n[2]);
    if (m->taken) memset(m->sum, 0, m->points * sizeof *m->sum);
    for (size_t r = 0; r < rows; r++) {
        const int64_t *from = m->sum + r * m->stride;
        memset(m->line, 0, n * sizeof *m->line);
        for (size_t i = 0, x = m->first; i < m->stride; i++, x = x + 1 < n ? x + 1 : 0) m->line[x] += from[i];
        memcpy(m->sum + r * n, m->line, n * sizeof *m->line); // not beyond `from`
    }
    m->taken = true;
    m->largest = 0;
    return m->sum;
}

// ---- opening

static int set_kernel(struct pot_mesh *m, struct trj_error *err) {
    static const struct pot_charge_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &pot_charge_kernel_avx512,
        [TRJ_ISA_AVX2] = &pot_charge_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &pot_charge_kernel_plain};
    enum trj_isa isa;
    if (trj_isa_find(&isa, err)) return -1;
    m->kernel = kernels[isa];
    return 0;
}

// Chooses blocks of rows so small that the sums of `order` planes of a block fit into the nearest cache.
static void set_buckets(struct pot_mesh *m) {
    do {
        m->row_bits++;
        m->buckets_a_plane = (size_t)((m->n[1] - 1) >> m->row_bits) + 1;
        m->buckets = m->buckets_a_plane * (size_t)m->n[2];
    } while (m->buckets > BUCKETS_MAX && m->buckets_a_plane > 1);
}

static int allocate(struct pot_mesh *m, struct trj_error *err) {
    size_t lead = m->rows.order / 2 - 1, order = m->rows.order, threads = trj_pool_threads(m->pool);
    m->stride = (size_t)m->n[0] + POT_ORDER_MAX;
    m->points = m->stride * (size_t)(m->n[1] * m->n[2]);
    m->row = trj_alloc((size_t)m->n[1] + order, sizeof *m->row, "a mesh", err);
    m->line = m->row ? trj_alloc((size_t)m->n[0], sizeof *m->line, "a mesh", err) : NULL;
    m->errors = m->line ? trj_alloc(threads, sizeof *m->errors, "a mesh", err) : NULL;
    m->begin = m->errors ? trj_alloc(threads * m->buckets, sizeof *m->begin, "a mesh", err) : NULL;
    m->plane_begin = m->begin ? trj_alloc((size_t)m->n[2] + 1, sizeof *m->plane_begin, "a mesh", err) : NULL;
    m->sum = m->plane_begin ? trj_alloc(m->points, sizeof *m->sum, "a mesh", err) : NULL;
    if (!m->sum) return -1;
    trj_use_large_pages(m->sum, m->points * sizeof *m->sum);
    for (size_t y = 0; y < m->n[1] + order - 1; y++) m->row[y] = (y + m->n[1] * order - lead) % m->n[1] * m->stride;
    m->first = (size_t)(m->n[0] * order - lead) % (size_t)m->n[0];
    m->rows.sum = m->sum;
    m->rows.row = m->row;
    return 0;
}

int pot_mesh_open(struct pot_mesh **mesh, const uint64_t n[3], unsigned order, double max_charge, double quantum,
                  unsigned threads, struct trj_error *err) {
    struct pot_mesh_spline spline;
    if (pot_mesh_spline_set(&spline, n, order, max_charge, quantum, err)) return -1;
    struct pot_mesh *m = trj_alloc(1, sizeof *m, "a mesh", err);
    if (!m) return -1;
    memcpy(m->n, n, sizeof m->n);
    m->max_charge = max_charge;
    m->quantum = quantum;
    m->spline = spline;
    m->rows.order = order;
    memcpy(m->rows.coefficient, spline.coefficient, sizeof m->rows.coefficient);
    set_buckets(m);
    if (set_kernel(m, err) || trj_pool_open(&m->pool, threads, 1, &work, m, err) || allocate(m, err)) {
        pot_mesh_close(m);
        return -1;
    }
    *mesh = m;
    return 0;
}

void pot_mesh_close(struct pot_mesh *m) {
    if (!m) return;
    trj_pool_close(m->pool);
    free(m->row);
    free(m->line);
    free(m->errors);
    free(m->begin);
    free(m->plane_begin);
    free(m->charge);
    free(m->sum);
    free(m);
}

// ---- the method of the engine cpu

static int open_method(void **state, const struct pot_job *job, struct trj_error *err) {
    struct pot_mesh *m;
    if (pot_mesh_open(&m, job->lattice.n, job->order, job->max_charge, job->quantum, job->threads, err)) return -1;
    *state = m;
    return 0;
}

static int add_method(void *state, const struct pot_frame *f, struct trj_error *err) {
    return pot_mesh_add(state, f, err);
}

static int finish_method(void *state, const int64_t **values, struct trj_error *err) {
    (void)err;
    *values = pot_mesh_take(state);
    return 0;
}

static void close_method(void *state) {
    pot_mesh_close(state);
}

const struct pot_method pot_mesh_cpu = {
    .open = open_method, .add = add_method, .finish = finish_method, .close = close_method};
