// SPDX-License-Identifier: MIT
// Finds the nearest atom of each object by tiles in float32, in the order of their distance, and decides by the float64
// rule; a second search, by brute force, verifies the one by tiles.
#include "surface_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "items.h"
#include "memory.h"
#include "pool.h"
#include "tile_candidates.h"
#include "tiles.h"

// The nearest distances of the atoms of a row, or points, from one object.
struct nearest {
    uint32_t object;
    double r2[TILE_WIDTH];   // Å^2; INFINITY: none is within reach
    float bound[TILE_WIDTH]; // Å: no nearer atom is farther away; sqrt(r2), and the rounding of the rule
};

// An item of a row, with the distance of its boxes.
struct approach {
    double gap2; // Å^2
    struct tile_item item;
};

struct worker {
    uint64_t *counts; // [pairs][2][bins] of atoms, then of points
    uint32_t *place;  // [objects] index in `nearest` plus 1 of each object near the row; 0: none
    struct nearest *nearest;
    size_t near, near_capacity;
    struct approach *approach;
    size_t approaches, approach_capacity;
    struct trj_error error; // status TRJ_OK: none
};

struct group_tiles {
    struct tile_set set;
    uint32_t *list; // members in this frame, of a dynamic group
    bool used;
};

// Queries of a pair of groups: atoms of B, or points.
enum query { ATOMS, POINTS, QUERIES };

// The columns have a copy of the boxes, so that the planner does not take a group with itself for unordered pairs.
struct plan {
    struct tile_plan items;
    struct tile_boxes columns;
};

struct rdf_surface_search {
    const struct rdf_job *job;
    struct rdf_surface_setup setup;
    bool brute_force;
    double *squares;
    struct trj_pool *pool;
    struct worker *workers;
    size_t objects;
    uint32_t *object; // [atoms] number of the object of each atom, from 0; NULL: all atoms are in object 0
    uint64_t *weight; // [pairs][objects] pairs of each object in this frame
    double *force;    // [objects] of brute force: squared distances
    struct rdf_surface_counts *counts;
    // The frame:
    const struct trj_frame *frame;
    double slack;               // Å
    struct group_tiles *groups; // [job.group_count]
    struct trj_frame points;
    uint32_t *point_list;
    struct tile_set point_set;
    struct plan (*plans)[QUERIES]; // [pairs]
    size_t (*ends)[QUERIES];       // [pairs] cumulative numbers of rows
    bool searched;                 // the rows of the frame have been given to the pool
};

// ---- set-up

void rdf_surface_search_close(struct rdf_surface_search *s) {
    if (!s) return;
    unsigned threads = s->workers ? trj_pool_threads(s->pool) : 0;
    trj_pool_close(s->pool);
    for (unsigned w = 0; w < threads; w++) {
        free(s->workers[w].counts);
        free(s->workers[w].place);
        free(s->workers[w].nearest);
        free(s->workers[w].approach);
    }
    for (size_t g = 0; s->groups && g < s->job->group_count; g++) {
        tile_set_free(&s->groups[g].set);
        free(s->groups[g].list);
    }
    if (s->counts) free(s->counts[0].counts);
    tile_set_free(&s->point_set);
    trj_frame_free(&s->points);
    free(s->workers);
    free(s->squares);
    free(s->object);
    free(s->weight);
    free(s->force);
    free(s->counts);
    free(s->groups);
    free(s->point_list);
    free(s->plans);
    free(s->ends);
    free(s);
}

static const struct trj_pool_work work;

struct numbered {
    uint32_t number, atom;
};

static int by_number(const void *x, const void *y) {
    const struct numbered *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

// Numbers the residues or molecules from 0.
static int number_objects(struct rdf_surface_search *s, const uint32_t *number, struct trj_error *err) {
    size_t n = s->job->atoms;
    s->objects = 1;
    if (s->setup.kind == RDF_SURFACE_SET) return 0;
    struct numbered *sorted = trj_alloc(n, sizeof *sorted, "molecules", err);
    if (!sorted || !(s->object = trj_alloc(n, sizeof *s->object, "molecules", err))) {
        free(sorted);
        return -1;
    }
    for (size_t i = 0; i < n; i++) sorted[i] = (struct numbered){number[i], (uint32_t)i};
    qsort(sorted, n, sizeof *sorted, by_number);
    for (size_t i = 0; i < n; i++) {
        s->objects += i && sorted[i].number != sorted[i - 1].number;
        s->object[sorted[i].atom] = (uint32_t)s->objects - 1;
    }
    free(sorted);
    return 0;
}

static int check_pairs(const struct rdf_surface_search *s, struct trj_error *err) {
    const struct rdf_job *job = s->job;
    for (size_t p = 0; p < job->pair_count; p++) {
        const struct trj_group *a = &job->groups[job->pairs[p].a], *b = &job->groups[job->pairs[p].b];
        size_t common = s->setup.kind == RDF_SURFACE_SET ? trj_group_overlap(a, b, NULL) : 0;
        if (common)
            return trj_fail(err, TRJ_USAGE,
                            "pair %s:%s: %zu atoms are in both groups, and would have distance 0 from the set; give "
                            "two groups without common atoms (-p A:B), or use --surface molecule",
                            a->name, b->name, common);
        double objects = s->setup.kind == RDF_SURFACE_SET ? 1 : (double)s->objects;
        if (objects * (double)b->count * (double)rdf_surface_points(&s->setup) >= 0x1p63)
            return trj_fail(err, TRJ_USAGE, "pair %s:%s: too many pairs and points; give fewer points", a->name,
                            b->name);
    }
    return 0;
}

static int open_groups(struct rdf_surface_search *s, struct trj_error *err) {
    const struct rdf_job *job = s->job;
    s->groups = trj_alloc(job->group_count, sizeof *s->groups, "groups", err);
    if (!s->groups) return -1;
    for (size_t p = 0; p < job->pair_count; p++)
        s->groups[job->pairs[p].a].used = s->groups[job->pairs[p].b].used = true;
    for (size_t g = 0; g < job->group_count; g++) {
        struct group_tiles *t = &s->groups[g];
        if (!t->used || !job->groups[g].dynamic) continue;
        if (!(t->list = trj_alloc(job->groups[g].count, sizeof *t->list, "a group", err))) return -1;
    }
    return 0;
}

static int open_arrays(struct rdf_surface_search *s, struct trj_error *err) {
    size_t pairs = s->job->pair_count, bins = (size_t)s->job->bins.count,
           points = (size_t)rdf_surface_points(&s->setup);
    s->weight = trj_alloc(pairs * s->objects, sizeof *s->weight, "molecules", err);
    if (!s->weight || !(s->force = trj_alloc(s->objects, sizeof *s->force, "molecules", err))) return -1;
    if (!(s->counts = trj_alloc(pairs, sizeof *s->counts, "pairs", err))) return -1;
    uint64_t *counts = trj_alloc(pairs * 2 * bins, sizeof *counts, "counts", err);
    s->counts[0].counts = counts;
    if (!counts) return -1;
    for (size_t p = 0; p < pairs; p++) {
        s->counts[p].counts = counts + p * 2 * bins;
        s->counts[p].points = s->counts[p].counts + bins;
    }
    if (!(s->plans = trj_alloc(pairs, sizeof *s->plans, "plans", err))) return -1;
    if (!(s->ends = trj_alloc(pairs, sizeof *s->ends, "plans", err))) return -1;
    if (trj_frame_resize(&s->points, points, err)) return -1;
    if (!(s->point_list = trj_alloc(points, sizeof *s->point_list, "points", err))) return -1;
    for (size_t i = 0; i < points; i++) s->point_list[i] = (uint32_t)i;
    return 0;
}

static int open_workers(struct rdf_surface_search *s, struct trj_error *err) {
    unsigned threads = trj_pool_size(s->brute_force ? 1 : s->job->threads);
    size_t row = 2 * (size_t)s->job->bins.count;
    if (trj_pool_open(&s->pool, threads, 1, &work, s, err)) return -1;
    threads = trj_pool_threads(s->pool);
    if (!(s->workers = trj_alloc(threads, sizeof *s->workers, "threads", err))) return -1;
    for (unsigned w = 0; w < threads; w++) {
        struct worker *thread = &s->workers[w];
        thread->counts = trj_alloc(s->job->pair_count * row, sizeof *thread->counts, "counts", err);
        if (!thread->counts) return -1;
        if (!(thread->place = trj_alloc(s->objects, sizeof *thread->place, "molecules", err))) return -1;
    }
    return 0;
}

int rdf_surface_search_open(struct rdf_surface_search **result, const struct rdf_job *job,
                            const struct rdf_surface_setup *setup, const uint32_t *number, bool brute_force,
                            struct trj_error *err) {
    struct rdf_surface_search *s = trj_alloc(1, sizeof *s, "a search for surfaces", err);
    if (!s) return -1;
    s->job = job;
    s->setup = *setup;
    s->brute_force = brute_force;
    if (!(s->squares = rdf_bins_squares(&job->bins, err)) || number_objects(s, number, err) || check_pairs(s, err) ||
        open_groups(s, err) || open_arrays(s, err) || open_workers(s, err)) {
        rdf_surface_search_close(s);
        return -1;
    }
    *result = s;
    return 0;
}

const struct rdf_surface_counts *rdf_surface_search_counts(const struct rdf_surface_search *s) {
    return s->counts;
}

static inline uint32_t object_of(const struct rdf_surface_search *s, uint32_t atom) {
    return s->object ? s->object[atom] : 0;
}

// ---- the objects and points of a frame

// Sets the number of pairs of each object: the members of B that are not in it, or 0 if it has no member of A.
static void weigh_objects(struct rdf_surface_search *s, size_t pair) {
    const struct rdf_pair *p = &s->job->pairs[pair];
    const struct trj_group *a = &s->job->groups[p->a], *b = &s->job->groups[p->b];
    struct rdf_surface_counts *c = &s->counts[pair];
    uint64_t *weight = s->weight + pair * s->objects, size = trj_group_size(b, s->frame);
    memset(weight, 0, s->objects * sizeof *weight);
    for (size_t j = 0; s->object && j < b->count; j++)
        if (trj_group_has(b, s->frame, j)) weight[s->object[b->atoms[j]]]++; // in the object, for now
    memset(s->force, 0, s->objects * sizeof *s->force);
    for (size_t i = 0; i < a->count; i++)
        if (trj_group_has(a, s->frame, i)) s->force[object_of(s, a->atoms[i])] = 1; // the object exists
    c->objects = c->pairs = 0;
    for (size_t o = 0; o < s->objects; o++) {
        bool exists = s->force[o] > 0;
        weight[o] = exists ? size - weight[o] : 0;
        c->objects += exists;
        c->pairs += weight[o];
    }
}

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static inline uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void place_points(struct rdf_surface_search *s) {
    struct trj_frame *to = &s->points;
    const double(*h)[3] = s->frame->cell.h, n = s->setup.lattice;
    const uint64_t key = mix(s->frame->index + GOLDEN), lattice = s->setup.lattice;
    to->unit = 1;
    to->cell = s->frame->cell;
    to->farthest = 0;
    for (uint64_t p = 0; p < to->atoms; p++) {
        const uint64_t i[3] = {p / lattice / lattice, p / lattice % lattice, p % lattice};
        double f[3];
        for (uint64_t k = 0; k < 3; k++)
            f[k] = ((double)i[k] + (double)(mix(key + GOLDEN * (3 * p + k)) >> 11) * 0x1p-53) / n;
        for (int c = 0; c < 3; c++) to->x[c][p] = (float)((f[0] * h[0][c] + f[1] * h[1][c]) + f[2] * h[2][c]);
    }
}

// ---- brute force

static void find_by_force(struct rdf_surface_search *s, const struct trj_group *a, const double to[3],
                          const double g[3][3], double reach) {
    for (size_t o = 0; o < s->objects; o++) s->force[o] = INFINITY;
    for (size_t i = 0; i < a->count; i++) {
        double from[3], d[3], *best = &s->force[object_of(s, a->atoms[i])];
        int low[3], high[3], n[3];
        if (!trj_group_has(a, s->frame, i)) continue;
        rdf_position(s->frame, a->atoms[i], from);
        for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
        rdf_image_range(g, d, reach, (const double[3]){0}, low, high);
        for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
            for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
                for (n[2] = low[2]; n[2] <= high[2]; n[2]++) *best = fmin(*best, rdf_r2(s->frame->cell.h, from, to, n));
    }
}

static void count_by_force(struct rdf_surface_search *s, size_t pair) {
    const struct rdf_job *job = s->job;
    const struct rdf_pair *p = &job->pairs[pair];
    const struct trj_group *a = &job->groups[p->a], *b = &job->groups[p->b];
    const uint64_t *weight = s->weight + pair * s->objects, bins = job->bins.count;
    double reach = job->bins.rmax + s->slack, g[3][3], to[3];
    trj_cell_reciprocal(&s->frame->cell, g);
    for (size_t q = 0; q < b->count + s->points.atoms; q++) {
        bool of_atom = q < b->count;
        if (of_atom && !trj_group_has(b, s->frame, q)) continue;
        rdf_position(of_atom ? s->frame : &s->points, of_atom ? b->atoms[q] : (uint32_t)(q - b->count), to);
        find_by_force(s, a, to, g, reach);
        for (size_t o = 0; o < s->objects; o++) {
            uint64_t bin = rdf_bin_of(&job->bins, s->squares, s->force[o]);
            if (bin == bins || (of_atom && s->object && o == s->object[b->atoms[q]])) continue;
            if (of_atom)
                s->counts[pair].counts[bin]++;
            else
                s->counts[pair].points[bin] += weight[o];
        }
    }
}

// ---- tiles

// A row of atoms of B, or of points, and the tiles of A.
struct row {
    const struct rdf_surface_search *s;
    enum query query;
    const struct tile_set *a, *b; // rows of b are compared with tiles of a
    size_t row, count;            // count: atoms or points
    struct rdf_exact_tile exact;
    float bound[TILE_WIDTH]; // Å: atoms of A beyond it are not needed
};

// Returns the nearest distances from an object, which are empty at first.
static struct nearest *nearest_of(struct worker *w, const struct row *r, uint32_t object) {
    if (w->place[object]) return &w->nearest[w->place[object] - 1];
    if (trj_grow(&w->nearest, &w->near_capacity, w->near + 1, sizeof *w->nearest, "distances", &w->error)) return NULL;
    struct nearest *n = &w->nearest[w->near++];
    w->place[object] = (uint32_t)w->near;
    n->object = object;
    for (size_t i = 0; i < TILE_WIDTH; i++) {
        n->r2[i] = INFINITY;
        n->bound[i] = r->bound[i];
    }
    return n;
}

// Rounds a distance up to float32.
static inline float round_up(double x) {
    return (float)x * (1 + 0x1p-22f);
}

// Decides about a candidate by the rule: atom j of a tile of A, and atom or point i of the row.
static void decide(struct row *r, struct nearest *n, const struct tile_item *item, const struct rdf_exact_tile *columns,
                   size_t i, size_t j) {
    double d[3], r2 = rdf_exact_r2(d, r->s->frame->cell.h, &r->exact, i, columns, j, item->image);
    if (!(r2 < n->r2[i])) return;
    n->r2[i] = r2;
    n->bound[i] = rdf_smaller(n->bound[i], round_up(sqrt(r2) + r->s->slack));
    if (!r->s->object) r->bound[i] = n->bound[i];
}

// Returns the square of a distance with the rounding of float32.
static inline float limit2_of(float bound, float margin) {
    float limit = (bound + margin) * (1 + 0x1p-20f);
    return limit * limit * (1 + 0x1p-20f);
}

// Positions are rounded once to float32, as are their differences: the error of a distance is below 16 * 2^-24 of the
// radii and the distance (kernel.h derives the bound). 2^-18 is four times as much.
static int approach(struct row *r, struct worker *w, const struct tile_item *item) {
    const struct rdf_surface_search *s = r->s;
    const struct tile_set *a = r->a, *b = r->b;
    size_t column = item->column, columns = tile_count(a, column);
    double reach = s->job->bins.rmax + s->slack;
    float margin = (float)(0x1p-18 * (reach + b->radius[r->row] + a->radius[column])), shift[3];
    struct rdf_exact_tile exact;
    bool found = false;
    for (int k = 0; k < 3; k++)
        shift[k] = (float)(tile_centre(a, column, k) + item->shift[k] - tile_centre(b, r->row, k));
    const struct tile_patch box = rdf_tile_box(a, column);
    for (size_t i = 0; i < r->count; i++) {
        float centre[3], r2[TILE_PATCH];
        uint32_t own = s->object && r->query == ATOMS ? s->object[b->atom[r->row * TILE_WIDTH + i]] : UINT32_MAX;
        for (int k = 0; k < 3; k++) centre[k] = b->local[k][r->row * TILE_WIDTH + i] - shift[k];
        if (rdf_away_from(&box, centre) > limit2_of(r->bound[i], margin)) continue;
        for (size_t p = 0; p < TILE_PATCHES; p++) {
            size_t first = p * TILE_PATCH, base = column * TILE_WIDTH + first;
            int any = 0;
            float limit2 = limit2_of(r->bound[i], margin);
            if (first >= columns || rdf_away_from(&a->patch[column * TILE_PATCHES + p], centre) > limit2) continue;
            for (size_t j = 0; j < TILE_PATCH; j++) {
                float x = a->local[0][base + j] - centre[0], y = a->local[1][base + j] - centre[1],
                      z = a->local[2][base + j] - centre[2];
                r2[j] = x * x + y * y + z * z;
                any |= r2[j] <= limit2;
            }
            for (size_t j = 0; any && j < TILE_PATCH && first + j < columns; j++) {
                if (r2[j] > limit2) continue;
                uint32_t object = object_of(s, a->atom[base + j]);
                if (object == own) continue;
                struct nearest *n = nearest_of(w, r, object);
                if (!n) return -1;
                if (r2[j] > limit2_of(n->bound[i], margin)) continue;
                if (!found) rdf_find_exact(&exact, a, s->frame, column);
                found = true;
                decide(r, n, item, &exact, i, first + j);
            }
        }
    }
    return 0;
}

// Returns the squared distance of two boxes, one of them moved by a lattice vector.
static double gap2(const struct tile_set *b, size_t row, const struct tile_set *a, const struct tile_item *item) {
    const struct tile_node *u = &b->boxes.nodes[0][row / TILE_NODE], *v = &a->boxes.nodes[0][item->column / TILE_NODE];
    size_t i = row % TILE_NODE, j = item->column % TILE_NODE;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fabs(v->centre[k][j] + item->shift[k] - u->centre[k][i]) - u->half[k][i] - v->half[k][j];
        sum += gap > 0 ? gap * gap : 0;
    }
    return sum;
}

static int by_gap(const void *x, const void *y) {
    const struct approach *a = x, *b = y;
    return (a->gap2 > b->gap2) - (a->gap2 < b->gap2);
}

// Lists the items of a row by the distance of their boxes, so that near atoms come first and bounds shrink early.
static int list_approaches(struct worker *w, const struct row *r, const struct tile_plan *plan) {
    struct tile_walk walk;
    w->approaches = 0;
    tile_walk_start(&walk, plan, r->row);
    while (tile_walk_next(&walk)) {
        if (trj_grow(&w->approach, &w->approach_capacity, w->approaches + 1, sizeof *w->approach, "tiles", &w->error))
            return -1;
        w->approach[w->approaches++] = (struct approach){gap2(r->b, r->row, r->a, &walk.item), walk.item};
    }
    if (w->approaches > 1) qsort(w->approach, w->approaches, sizeof *w->approach, by_gap);
    return 0;
}

static double farthest_bound(const struct row *r) {
    float max = 0;
    for (size_t i = 0; i < r->count; i++) max = rdf_larger(max, r->bound[i]);
    return max;
}

// Counts the distances of the row from all objects near it.
static void count_row(const struct row *r, struct worker *w, size_t pair) {
    const struct rdf_bins *bins = &r->s->job->bins;
    const uint64_t *weight = r->s->weight + pair * r->s->objects;
    uint64_t *counts = w->counts + (2 * pair + (r->query == POINTS)) * bins->count;
    for (size_t k = 0; k < w->near; k++) {
        const struct nearest *n = &w->nearest[k];
        uint64_t each = r->query == POINTS ? weight[n->object] : 1;
        for (size_t i = 0; i < r->count; i++) {
            uint64_t bin = isinf(n->r2[i]) ? bins->count : rdf_bin_of(bins, r->s->squares, n->r2[i]);
            if (bin < bins->count) counts[bin] += each;
        }
        w->place[n->object] = 0;
    }
    w->near = 0;
}

static int search_row(const struct rdf_surface_search *s, struct worker *w, size_t pair, enum query query,
                      size_t number) {
    const struct rdf_pair *p = &s->job->pairs[pair];
    const struct tile_set *b = query == POINTS ? &s->point_set : &s->groups[p->b].set;
    struct row r = {.s = s, .query = query, .a = &s->groups[p->a].set, .b = b, .row = number};
    if (list_approaches(w, &r, &s->plans[pair][query].items)) return -1;
    if (!w->approaches) return 0;
    r.count = tile_count(b, number);
    rdf_find_exact(&r.exact, b, query == POINTS ? &s->points : s->frame, number);
    for (size_t i = 0; i < TILE_WIDTH; i++) r.bound[i] = round_up(s->job->bins.rmax + s->slack);
    for (size_t k = 0; k < w->approaches; k++) {
        const struct approach *next = &w->approach[k];
        if (!s->object) { // of several objects, each has bounds of its own
            double bound = farthest_bound(&r) * (1 + 0x1p-18);
            if (next->gap2 > bound * bound) break;
        }
        if (approach(&r, w, &next->item)) return -1;
    }
    count_row(&r, w, pair);
    return 0;
}

// ---- the steps of a frame

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct rdf_surface_search *s = arg;
    (void)worker;
    (void)task;
    if (s->searched) return 0;
    s->searched = true;
    return s->ends[s->job->pair_count - 1][POINTS];
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct rdf_surface_search *s = arg;
    struct worker *w = &s->workers[worker];
    size_t pair = 0, before = 0;
    int query = ATOMS;
    (void)task;
    if (w->error.status != TRJ_OK) return;
    while (s->ends[pair][query] <= number) {
        before = s->ends[pair][query];
        pair += query == POINTS;
        query = query == ATOMS ? POINTS : ATOMS;
    }
    search_row(s, w, pair, (enum query)query, number - before);
}

static const struct trj_pool_work work = {next, item};

static int make_tiles(struct tile_set *set, const struct trj_frame *f, const uint32_t *list, size_t count,
                      struct trj_error *err) {
    bool kept, finished = false;
    if (tile_set_start(set, f, list, count, 1, &kept, err)) return -1;
    while (!finished) {
        for (size_t c = 0; !kept && c < tile_set_chunks(set); c++) tile_set_key(set, f, c);
        if (!kept) tile_set_sort(set);
        for (size_t c = 0; c < tile_set_chunks(set); c++) tile_set_place(set, f, c);
        finished = tile_set_finish(set, f);
        kept = false;
    }
    return 0;
}

static int make_sets(struct rdf_surface_search *s, struct trj_error *err) {
    for (size_t g = 0; g < s->job->group_count; g++) {
        const struct trj_group *group = &s->job->groups[g];
        struct group_tiles *t = &s->groups[g];
        if (!t->used) continue;
        size_t count = group->dynamic ? trj_group_list(group, s->frame, t->list) : group->count;
        if (group->dynamic) tile_set_forget_order(&t->set);
        if (make_tiles(&t->set, s->frame, group->dynamic ? t->list : group->atoms, count, err)) return -1;
    }
    return make_tiles(&s->point_set, &s->points, s->point_list, s->points.atoms, err);
}

static void make_plans(struct rdf_surface_search *s) {
    double reach = s->job->bins.rmax + s->slack;
    size_t rows = 0;
    for (size_t p = 0; p < s->job->pair_count; p++) {
        const struct tile_set *a = &s->groups[s->job->pairs[p].a].set, *b = &s->groups[s->job->pairs[p].b].set;
        for (int query = 0; query < QUERIES; query++) {
            const struct tile_set *of = query == POINTS ? &s->point_set : b;
            struct plan *plan = &s->plans[p][query];
            plan->columns = a->boxes;
            if (a->tiles && of->tiles) tile_plan_make(&plan->items, &of->boxes, &plan->columns, &s->frame->cell, reach);
            s->ends[p][query] = rows += a->tiles ? of->tiles : 0;
        }
    }
}

static int count_by_tiles(struct rdf_surface_search *s, struct trj_error *err) {
    size_t n = 2 * s->job->pair_count * (size_t)s->job->bins.count;
    if (make_sets(s, err)) return -1;
    make_plans(s);
    s->searched = false;
    trj_pool_start(s->pool, 0);
    trj_pool_finish(s->pool);
    for (unsigned w = 0; w < trj_pool_threads(s->pool); w++) {
        uint64_t *from = s->workers[w].counts;
        if (s->workers[w].error.status != TRJ_OK) {
            *err = s->workers[w].error;
            return -1;
        }
        for (size_t i = 0; i < n; i++) {
            s->counts[0].counts[i] += from[i];
            from[i] = 0;
        }
    }
    return 0;
}

int rdf_surface_search_frame(struct rdf_surface_search *s, const struct trj_frame *f, struct trj_error *err) {
    const struct rdf_job *job = s->job;
    if (f->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the volume of shells requires a cell that is periodic in all directions; give one (trjcat "
                        "--cell), or count without --surface");
    s->frame = f;
    place_points(s);
    s->slack = fmax(rdf_job_rounding(job, f), rdf_job_rounding(job, &s->points));
    memset(s->counts[0].counts, 0, 2 * job->pair_count * (size_t)job->bins.count * sizeof *s->counts[0].counts);
    for (size_t p = 0; p < job->pair_count; p++) weigh_objects(s, p);
    if (!s->brute_force) return count_by_tiles(s, err);
    for (size_t p = 0; p < job->pair_count; p++) count_by_force(s, p);
    return 0;
}
