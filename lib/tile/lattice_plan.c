// SPDX-License-Identifier: MIT
// Finds the points of a lattice that each atom reaches, through all images, and sorts the records by grid cells.
#include "lattice_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "memory.h"

#define MAX_IMAGES 0x1p24    // of an atom
enum { SMALLEST_SHIFT = 2 }; // a grid cell has at least 2^2 points along each axis

struct tile_lattice_chunk {
    size_t begin, end; // atoms
    struct tile_lattice_record *record;
    size_t records, capacity;
    uint32_t *next; // [cells] number of records in each grid cell; after the sort, where the next one goes
    size_t next_capacity;
    int failed;
    struct trj_error err;
};

// ---- start

static int set_axes(struct tile_lattice_plan *p, const struct trj_map_lattice *l, struct trj_error *err) {
    const struct trj_cell *cell = &p->atoms->frame->cell;
    trj_map_lattice_inverse(l, p->g);
    p->wrapped = l->periodic;
    p->images = cell->periodic & ~l->periodic;
    p->aligned = trj_map_lattice_is_aligned(l);
    for (int k = 0; k < 3; k++) {
        if (l->n[k] > TILE_LATTICE_POINTS_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "the lattice has %llu points along axis %d, expected at most 2^30",
                            (unsigned long long)l->n[k], k);
        p->n[k] = (int64_t)l->n[k];
        p->origin[k] = l->origin[k];
        p->step[k] = l->step[k][k];
        p->border[k] = l->origin[k] - 0.5 * l->step[k][k];
        if (!(p->wrapped >> k & 1)) continue;
        double apart2 = 0, step2 = tile_dot(l->step[k], l->step[k]);
        for (int c = 0; c < 3; c++) {
            double d = (double)l->n[k] * l->step[k][c] - cell->h[k][c];
            apart2 += d * d;
        }
        if (!(cell->periodic >> k & 1 && apart2 <= 1e-12 * step2))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the lattice is periodic along axis %d, but its period is not a vector of the cell; use a "
                            "lattice that divides the cell, or one without periodic axes",
                            k);
    }
    return 0;
}

static void set_reach(struct tile_lattice_plan *p) {
    for (int k = 0; k < 3; k++) {
        p->farthest[k] = 0;
        for (unsigned i = 0; i < p->atoms->kinds; i++) {
            int32_t far = tile_lattice_farthest(p->atoms->reach[i][k]);
            if (far > p->farthest[k]) p->farthest[k] = far;
        }
    }
}

// Finds the range of fractional coordinates that contains the lattice and all supports. A periodic axis of the lattice
// is parallel to its cell vector, so that fractional coordinates along the other vectors are the same for all its
// points.
static int set_images(struct tile_lattice_plan *p, const struct trj_map_lattice *l, struct trj_error *err) {
    const struct trj_cell *cell = &p->atoms->frame->cell;
    double max = 1;
    memset(p->shift, 0, sizeof p->shift);
    trj_cell_reciprocal(cell, p->fraction);
    for (int v = 0; v < 3; v++) {
        if (p->wrapped >> v & 1) max *= 2.0 * p->farthest[v] / (double)p->n[v] + 2;
        if (!(p->images >> v & 1)) continue;
        double middle = tile_dot(p->fraction[v], l->origin), half = 0;
        for (int k = 0; k < 3; k++) {
            if (!(fabs(cell->h[v][k]) <= TRJ_FARTHEST))
                return trj_fail(err, TRJ_BAD_DATA, "invalid cell: vector %d has a component of %g Å", v, cell->h[v][k]);
            p->shift[v][k] = (p->g[k][0] * cell->h[v][0] + p->g[k][1] * cell->h[v][1]) + p->g[k][2] * cell->h[v][2];
            if (p->wrapped >> k & 1) continue;
            double along = tile_dot(p->fraction[v], l->step[k]), points = (double)(p->n[k] - 1);
            middle += along * points / 2;
            half += fabs(along) * (points / 2 + p->farthest[k] + 1);
        }
        half += 1e-6 + 1e-12 * (fabs(middle) + half); // a margin for rounding errors, which only adds candidates
        p->low[v] = middle - half;
        p->high[v] = middle + half;
        max *= 2 * half + 2;
    }
    if (!(max <= MAX_IMAGES))
        return trj_fail(err, TRJ_BAD_DATA,
                        "up to %g images of an atom could reach the lattice, expected at most 2^24; use %sa shorter "
                        "cutoff",
                        max, p->wrapped == TRJ_PERIODIC_ALL ? "" : "a lattice that divides the cell, or ");
    return 0;
}

static int set_cells(struct tile_lattice_plan *p, struct trj_error *err) {
    double total, max = (double)p->atoms->count + 64;
    for (p->shift_of_cell = SMALLEST_SHIFT;; p->shift_of_cell++) {
        total = 1;
        for (int k = 0; k < 3; k++) {
            p->cells[k] = (size_t)((p->n[k] - 1) >> p->shift_of_cell) + 1;
            total *= (double)p->cells[k];
        }
        if (total <= max) break;
    }
    struct trj_map_slab slab = p->atoms->slab;
    int64_t from = (int64_t)slab.first - p->farthest[2], to = (int64_t)(slab.first + slab.planes) - 1 + p->farthest[2];
    size_t plane = p->cells[0] * p->cells[1];
    p->kept_begin = slab.planes && from > 0 ? plane * ((size_t)from >> p->shift_of_cell) : 0;
    p->kept_end = plane * (slab.planes && to < p->n[2] ? ((size_t)to >> p->shift_of_cell) + 1 : p->cells[2]);
    return trj_grow(&p->first, &p->first_capacity, (size_t)total + 1, sizeof *p->first, "plan of a lattice", err);
}

int tile_lattice_plan_start(struct tile_lattice_plan *p, const struct trj_map_lattice *l,
                            const struct tile_lattice_atoms *a, size_t chunks, struct trj_error *err) {
    p->atoms = a;
    p->records = 0;
    set_reach(p);
    if (a->count > UINT32_MAX) return trj_fail(err, TRJ_BAD_DATA, "more than 2^32 atoms");
    if (set_axes(p, l, err) || set_images(p, l, err) || set_cells(p, err)) return -1;
    size_t had = p->chunk_capacity;
    if (trj_grow(&p->chunk, &p->chunk_capacity, chunks, sizeof *p->chunk, "plan of a lattice", err)) return -1;
    if (p->chunk_capacity > had) memset(p->chunk + had, 0, (p->chunk_capacity - had) * sizeof *p->chunk);
    p->chunks = chunks;
    for (size_t i = 0; i < chunks; i++) {
        p->chunk[i].begin = tile_lattice_chunk_begin(p, i);
        p->chunk[i].end = tile_lattice_chunk_begin(p, i + 1);
    }
    return 0;
}

double tile_lattice_plan_expected(const struct tile_lattice_plan *p) {
    double records = (double)p->atoms->count;
    for (int v = 0; v < 3; v++) {
        if (p->wrapped >> v & 1) records *= 2.0 * p->farthest[v] / (double)p->n[v] + 1;
        if (p->images >> v & 1) records *= p->high[v] - p->low[v];
    }
    return records * (double)(p->kept_end - p->kept_begin) / (double)(p->cells[0] * p->cells[1] * p->cells[2]);
}

// ---- the records of a chunk

// Returns floor(x) for |x| < 2^62. The function of libm would not be inlined.
static double floor_of(double x) {
    double whole = (double)(int64_t)x;
    return whole - (whole > x);
}

static size_t cell_of(const struct tile_lattice_plan *p, const int32_t point[3]) {
    size_t place[3];
    for (int k = 0; k < 3; k++) {
        int64_t inside = point[k] < 0 ? 0 : point[k];
        if (inside >= p->n[k]) inside = p->n[k] - 1;
        place[k] = (size_t)inside >> p->shift_of_cell;
    }
    return place[0] + p->cells[0] * (place[1] + p->cells[1] * place[2]);
}

static int append(const struct tile_lattice_plan *p, struct tile_lattice_chunk *c,
                  const struct tile_lattice_record *r) {
    size_t cell = cell_of(p, r->point);
    if (cell < p->kept_begin || cell >= p->kept_end) return 0;
    if (c->records == c->capacity &&
        trj_grow(&c->record, &c->capacity, c->records + 1, sizeof *c->record, "records of atoms", &c->err))
        return -1;
    if (c->records == UINT32_MAX) return trj_fail(&c->err, TRJ_BAD_DATA, "more than 2^32 images of atoms");
    c->record[c->records++] = *r;
    c->next[cell]++;
    return 0;
}

// Appends a record, whose point is in [0, n) along the periodic axes of the lattice, and its images along these axes.
static int append_images(const struct tile_lattice_plan *p, struct tile_lattice_chunk *c,
                         const struct tile_lattice_record *r, const int32_t far[3]) {
    int64_t low[3], high[3], j[3];
    bool only = true;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = 0;
        if (!(p->wrapped >> k & 1) || (r->point[k] + (int64_t)far[k] < p->n[k] && r->point[k] >= far[k])) continue;
        low[k] = -((r->point[k] + (int64_t)far[k]) / p->n[k]);
        high[k] = (p->n[k] - 1 + far[k] - r->point[k]) / p->n[k];
        only = only && !low[k] && !high[k];
    }
    if (only) return append(p, c, r);
    for (j[2] = low[2]; j[2] <= high[2]; j[2]++)
        for (j[1] = low[1]; j[1] <= high[1]; j[1]++)
            for (j[0] = low[0]; j[0] <= high[0]; j[0]++) {
                struct tile_lattice_record image = *r;
                for (int k = 0; k < 3; k++) image.point[k] = (int32_t)(r->point[k] + j[k] * p->n[k]);
                if (append(p, c, &image)) return -1;
            }
    return 0;
}

// Returns the nearest point along an axis.
static double nearest_point(const struct tile_lattice_plan *p, int axis, double u, double position) {
    double point = floor_of(u + 0.5);
    if (!p->aligned || !(fabs(u - point) > 0.499999)) return point;
    if (position < point * p->step[axis] + p->border[axis]) return point - 1;
    return position >= (point + 1) * p->step[axis] + p->border[axis] ? point + 1 : point;
}

// Returns the periodic image of a point that is in [0, n).
static double wrap_point(double point, double n) {
    if (!(point >= 0 && point < n)) point -= n * floor_of(point / n);
    if (point < 0) point += n;
    if (point >= n) point -= n;
    return point;
}

// Appends the record at index coordinates u, if it reaches the lattice.
static int append_at(const struct tile_lattice_plan *p, struct tile_lattice_chunk *c, const double x[3],
                     const double u[3], struct tile_lattice_record *r, const int32_t far[3]) {
    for (int k = 0; k < 3; k++) {
        if (!(fabs(u[k]) < 0x1p62)) return 0; // an image that is too far away
        double point = nearest_point(p, k, u[k], x[k]), n = (double)p->n[k];
        r->offset[k] = (float)(u[k] - point);
        if (p->wrapped >> k & 1) {
            point = wrap_point(point, n);
        } else if (!(point >= -far[k] && point <= n - 1 + far[k])) {
            return 0;
        }
        r->point[k] = (int32_t)point;
    }
    return p->wrapped ? append_images(p, c, r, far) : append(p, c, r);
}

// Appends the records of all images along the periodic cell vectors along which the lattice is not periodic.
static int append_cell_images(const struct tile_lattice_plan *p, struct tile_lattice_chunk *c, const double x[3],
                              const double u[3], struct tile_lattice_record *r, const int32_t far[3]) {
    const double(*h)[3] = p->atoms->frame->cell.h;
    double first[3] = {0, 0, 0}, n[3];
    unsigned count[3] = {1, 1, 1}, i[3];
    for (int v = 0; v < 3; v++) {
        if (!(p->images >> v & 1)) continue;
        double place = tile_dot(p->fraction[v], x), slack = 1e-12 * fabs(place);
        first[v] = ceil(p->low[v] - place - slack);
        double last = floor(p->high[v] - place + slack);
        if (!(last >= first[v])) return 0;
        count[v] = (unsigned)fmin(last - first[v] + 1, MAX_IMAGES);
    }
    for (i[2] = 0; i[2] < count[2]; i[2]++)
        for (i[1] = 0; i[1] < count[1]; i[1]++)
            for (i[0] = 0; i[0] < count[0]; i[0]++) {
                double place[3], y[3];
                for (int v = 0; v < 3; v++) n[v] = first[v] + i[v];
                for (int k = 0; k < 3; k++) {
                    place[k] = u[k] + ((n[0] * p->shift[0][k] + n[1] * p->shift[1][k]) + n[2] * p->shift[2][k]);
                    y[k] = x[k] + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
                }
                if (append_at(p, c, y, place, r, far)) return -1;
            }
    return 0;
}

static int fail_far(size_t atom, double x, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %zu: coordinate %g Å, expected a magnitude of at most %g Å; the frame is damaged", atom, x,
                    TRJ_FARTHEST);
}

int tile_lattice_check_atoms(const struct tile_lattice_atoms *a, struct trj_error *err) {
    const struct trj_frame *f = a->frame;
    float farthest = f->farthest > 0 ? f->farthest : trj_frame_farthest(f);
    if ((double)farthest * f->unit <= TRJ_FARTHEST) return 0; // all atoms of the frame
    for (size_t i = 0; i < a->count; i++)
        for (int k = 0; k < 3; k++) {
            size_t atom = a->list ? a->list[i] : i;
            double x = (double)f->x[k][atom] * f->unit;
            if (!(fabs(x) <= TRJ_FARTHEST)) return fail_far(atom, x, err);
        }
    return 0;
}

static int find_records(const struct tile_lattice_plan *p, struct tile_lattice_chunk *c) {
    const struct tile_lattice_atoms *a = p->atoms;
    const struct trj_frame *f = a->frame;
    size_t cells = p->cells[0] * p->cells[1] * p->cells[2];
    if (trj_grow(&c->next, &c->next_capacity, cells, sizeof *c->next, "plan of a lattice", &c->err) ||
        trj_grow(&c->record, &c->capacity, c->end - c->begin, sizeof *c->record, "records of atoms", &c->err))
        return -1;
    memset(c->next, 0, cells * sizeof *c->next);
    for (size_t i = c->begin; i < c->end; i++) {
        size_t atom = a->list ? a->list[i] : i;
        struct tile_lattice_record r = {.value = a->value ? a->value[i] : 0, .kind = a->kind ? a->kind[i] : 0};
        double x[3], d[3], u[3];
        int32_t far[3];
        for (int k = 0; k < 3; k++) {
            x[k] = a->position ? a->position[i][k] : (double)f->x[k][atom] * f->unit;
            if (!(fabs(x[k]) <= TRJ_FARTHEST)) return fail_far(atom, x[k], &c->err);
            d[k] = x[k] - p->origin[k];
            far[k] = tile_lattice_farthest(a->reach[r.kind][k]);
        }
        for (int k = 0; k < 3; k++) u[k] = (p->g[k][0] * d[0] + p->g[k][1] * d[1]) + p->g[k][2] * d[2];
        if (a->numbered) r.kind = (uint32_t)i;
        if (p->images ? append_cell_images(p, c, x, u, &r, far) : append_at(p, c, x, u, &r, far)) return -1;
    }
    return 0;
}

void tile_lattice_plan_find(struct tile_lattice_plan *p, size_t chunk) {
    struct tile_lattice_chunk *c = &p->chunk[chunk];
    c->records = 0;
    c->failed = find_records(p, c);
}

int tile_lattice_plan_found(const struct tile_lattice_plan *p, size_t chunk, const struct tile_lattice_record **record,
                            size_t *count, struct trj_error *err) {
    const struct tile_lattice_chunk *c = &p->chunk[chunk];
    *record = c->record;
    *count = c->records;
    if (c->failed) *err = c->err;
    return c->failed ? -1 : 0;
}

// ---- points alone

enum { SOME = 128 }; // atoms that are processed together, so that their coordinates stay in the first-level cache

bool tile_lattice_has_points(const struct tile_lattice_plan *p) {
    return p->wrapped == TRJ_PERIODIC_ALL && !p->farthest[0] && !p->farthest[1] && !p->farthest[2];
}

// Sets the points of n atoms along an axis, and returns whether all are valid. The loops have no branches, so that
// compilers vectorise them: adding 1.5 * 2^52 rounds to an integer, and the quotient is at most one too large or too
// small.
static bool set_points(const struct tile_lattice_plan *p, int axis, size_t n, double u[SOME], double point[SOME]) {
    const double magic = 0x1.8p52, points = (double)p->n[axis], inverse = 1 / points;
    uint64_t unsure = 0;
    for (size_t i = 0; i < n; i++) {
        double v = u[i] + 0.5, whole = (v + magic) - magic;
        point[i] = whole - (whole > v ? 1.0 : 0.0);
    }
    for (size_t i = 0; i < n; i++) unsure |= fabs(u[i]) < 0x1p50 ? 0 : UINT64_MAX;
    for (size_t i = 0; p->aligned && i < n; i++) unsure |= fabs(u[i] - point[i]) > 0.499999 ? UINT64_MAX : 0;
    if (unsure) return false;
    for (size_t i = 0; i < n; i++) {
        double q = point[i] * inverse, whole = (q + magic) - magic, rest = point[i] - points * whole;
        rest += rest < 0 ? points : 0.0;
        point[i] = rest - (rest >= points ? points : 0.0);
    }
    return true;
}

// Sets the points of n atoms, some of which are near a border between points or far from the lattice; NaN if they are
// too far.
static void set_points_one_by_one(const struct tile_lattice_plan *p, int axis, size_t n, const double x[SOME],
                                  const double u[SOME], double point[SOME]) {
    for (size_t i = 0; i < n; i++)
        point[i] = fabs(u[i]) < 0x1p62 ? wrap_point(nearest_point(p, axis, u[i], x[i]), (double)p->n[axis]) : NAN;
}

int tile_lattice_points(const struct tile_lattice_plan *p, size_t begin, size_t end, uint64_t *number,
                        struct trj_error *err) {
    const struct tile_lattice_atoms *a = p->atoms;
    const struct trj_frame *f = a->frame;
    for (size_t n; begin < end; begin += n, number += n) {
        double x[3][SOME], u[SOME], point[3][SOME];
        n = end - begin < SOME ? end - begin : SOME;
        for (int k = 0; k < 3; k++) {
            const float *from = f->x[k] + (a->list ? 0 : begin);
            const uint32_t *list = a->list ? a->list + begin : NULL;
            for (size_t i = 0; i < n; i++) x[k][i] = (double)(list ? from[list[i]] : from[i]) * f->unit;
            uint64_t wrong = 0;
            for (size_t i = 0; i < n; i++) wrong |= fabs(x[k][i]) <= TRJ_FARTHEST ? 0 : UINT64_MAX;
            for (size_t i = 0; i < n && wrong; i++)
                if (!(fabs(x[k][i]) <= TRJ_FARTHEST))
                    return fail_far(a->list ? a->list[begin + i] : begin + i, x[k][i], err);
        }
        for (int k = 0; k < 3; k++) {
            for (size_t i = 0; i < n; i++)
                u[i] = (p->g[k][0] * (x[0][i] - p->origin[0]) + p->g[k][1] * (x[1][i] - p->origin[1])) +
                       p->g[k][2] * (x[2][i] - p->origin[2]);
            if (!set_points(p, k, n, u, point[k])) set_points_one_by_one(p, k, n, x[k], u, point[k]);
        }
        for (size_t i = 0; i < n; i++) {
            double place = point[0][i] + (double)p->n[0] * (point[1][i] + (double)p->n[1] * point[2][i]);
            number[i] = place >= 0 ? (uint64_t)(int64_t)place : UINT64_MAX;
        }
    }
    return 0;
}

// ---- the sort

static size_t cells_of(const struct tile_lattice_plan *p) {
    return p->cells[0] * p->cells[1] * p->cells[2];
}

int tile_lattice_sort_start(struct tile_lattice_plan *p, struct trj_error *err) {
    size_t records = 0, had = p->record_capacity;
    for (size_t i = 0; i < p->chunks; i++) {
        if (p->chunk[i].failed) {
            *err = p->chunk[i].err;
            return -1;
        }
        records += p->chunk[i].records;
    }
    if (records > UINT32_MAX) return trj_fail(err, TRJ_BAD_DATA, "more than 2^32 images of atoms reach the lattice");
    if (trj_grow(&p->record, &p->record_capacity, records, sizeof *p->record, "records of atoms", err)) return -1;
    if (p->record_capacity > had) trj_use_large_pages(p->record, p->record_capacity * sizeof *p->record);
    p->records = records;
    return 0;
}

size_t tile_lattice_sort_parts(const struct tile_lattice_plan *p) {
    size_t cells = cells_of(p);
    return p->chunks < cells ? p->chunks : cells;
}

static size_t part_begin(const struct tile_lattice_plan *p, size_t part) {
    return cells_of(p) * part / tile_lattice_sort_parts(p);
}

void tile_lattice_sort_count(struct tile_lattice_plan *p, size_t part) {
    size_t begin = part_begin(p, part), end = part_begin(p, part + 1);
    uint32_t records = 0;
    for (size_t i = 0; i < p->chunks; i++)
        for (size_t cell = begin; cell < end; cell++) records += p->chunk[i].next[cell];
    p->first[begin] = records; // until tile_lattice_sort_join
}

void tile_lattice_sort_join(struct tile_lattice_plan *p) {
    uint32_t place = 0;
    for (size_t part = 0; part < tile_lattice_sort_parts(p); part++) {
        uint32_t *first = &p->first[part_begin(p, part)], records = *first;
        *first = place;
        place += records;
    }
    p->first[cells_of(p)] = place;
}

void tile_lattice_sort_offsets(struct tile_lattice_plan *p, size_t part) {
    size_t begin = part_begin(p, part), end = part_begin(p, part + 1);
    uint32_t place = p->first[begin];
    for (size_t cell = begin; cell < end; cell++) {
        p->first[cell] = place;
        for (size_t i = 0; i < p->chunks; i++) {
            uint32_t count = p->chunk[i].next[cell];
            p->chunk[i].next[cell] = place;
            place += count;
        }
    }
}

int tile_lattice_plan_sort(struct tile_lattice_plan *p, struct trj_error *err) {
    if (tile_lattice_sort_start(p, err)) return -1;
    for (size_t part = 0; part < tile_lattice_sort_parts(p); part++) tile_lattice_sort_count(p, part);
    tile_lattice_sort_join(p);
    for (size_t part = 0; part < tile_lattice_sort_parts(p); part++) tile_lattice_sort_offsets(p, part);
    return 0;
}

void tile_lattice_plan_place(struct tile_lattice_plan *p, size_t chunk) {
    struct tile_lattice_chunk *c = &p->chunk[chunk];
    for (size_t i = 0; i < c->records; i++) p->record[c->next[cell_of(p, c->record[i].point)]++] = c->record[i];
}

int tile_lattice_plan_make(struct tile_lattice_plan *p, const struct trj_map_lattice *l,
                           const struct tile_lattice_atoms *a, struct trj_error *err) {
    if (tile_lattice_plan_start(p, l, a, 1, err)) return -1;
    tile_lattice_plan_find(p, 0);
    if (tile_lattice_plan_sort(p, err)) return -1;
    tile_lattice_plan_place(p, 0);
    return 0;
}

void tile_lattice_plan_free(struct tile_lattice_plan *p) {
    for (size_t i = 0; i < p->chunk_capacity; i++) {
        free(p->chunk[i].record);
        free(p->chunk[i].next);
    }
    free(p->chunk);
    free(p->record);
    free(p->first);
    *p = (struct tile_lattice_plan){0};
}

// ---- the walk

void tile_lattice_walk_start(struct tile_lattice_walk *w, const struct tile_lattice_plan *p, const int64_t low[3],
                             const int64_t high[3]) {
    w->plan = p;
    for (int k = 0; k < 3; k++) {
        int64_t from = low[k] - p->farthest[k], to = high[k] + p->farthest[k];
        if (from < 0) from = 0;
        if (to >= p->n[k]) to = p->n[k] - 1;
        w->low[k] = (size_t)from >> p->shift_of_cell;
        w->high[k] = (size_t)to >> p->shift_of_cell;
    }
    w->y = w->low[1];
    w->z = w->low[2];
}

bool tile_lattice_walk_next(struct tile_lattice_walk *w, size_t *first, size_t *end) {
    const struct tile_lattice_plan *p = w->plan;
    while (w->z <= w->high[2]) {
        size_t row = p->cells[0] * (w->y + p->cells[1] * w->z);
        *first = p->first[row + w->low[0]];
        *end = p->first[row + w->high[0] + 1];
        if (++w->y > w->high[1]) {
            w->y = w->low[1];
            w->z++;
        }
        if (*first < *end) return true;
    }
    return false;
}
