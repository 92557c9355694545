// SPDX-License-Identifier: MIT
// Finds candidates by tiles in float32 and decides by the float64 rule; a second search, by brute force, verifies the
// one by tiles.
#include "neighbour_search.h"

#include <math.h>
#include <stdlib.h>

#include "items.h"
#include "memory.h"
#include "pool.h"
#include "tile_candidates.h"
#include "tiles.h"

// Rows of tiles form the items of the pool: each thread has complete lists of the atoms of a row, without
// synchronisation.
struct worker {
    struct rdf_neighbour_list lists[TILE_WIDTH][2];
    struct trj_error error; // status TRJ_OK: none
};

enum step { START, KEY, PLACE, VISIT };

struct group_tiles {
    struct tile_set set;
    enum step step;
    uint32_t *list; // members in this frame, of a dynamic group
    bool used;
    size_t end; // cumulative number of items of this step
};

// The plan of a star's arm. The columns have a copy of the boxes, so that the planner does not take a group with itself
// for unordered pairs: each atom needs all of its neighbours.
struct arm_plan {
    struct tile_plan items;
    struct tile_boxes columns;
};

struct rdf_search {
    struct rdf_job job; // with the largest range as rmax
    const struct rdf_star *stars;
    size_t count;
    bool brute_force;
    rdf_search_visit *visit;
    void *arg;
    struct trj_pool *pool;
    struct worker *workers;
    // The frame:
    const struct trj_frame *frame;
    double slack;
    enum step step;
    struct group_tiles *groups; // [job.group_count]
    struct arm_plan (*plans)[2];
    size_t *ends; // [count] cumulative numbers of rows
    struct trj_error error;
};

unsigned rdf_search_threads(const struct rdf_search *s) {
    return trj_pool_threads(s->pool);
}

void rdf_search_close(struct rdf_search *s) {
    if (!s) return;
    unsigned threads = s->workers ? trj_pool_threads(s->pool) : 0;
    trj_pool_close(s->pool);
    for (unsigned w = 0; w < threads; w++)
        for (size_t i = 0; i < TILE_WIDTH; i++)
            for (int arm = 0; arm < 2; arm++) free(s->workers[w].lists[i][arm].neighbour);
    for (size_t g = 0; s->groups && g < s->job.group_count; g++) {
        tile_set_free(&s->groups[g].set);
        free(s->groups[g].list);
    }
    free(s->workers);
    free(s->groups);
    free(s->plans);
    free(s->ends);
    free(s);
}

static const struct trj_pool_work work;

static int open_groups(struct rdf_search *s, struct trj_error *err) {
    s->groups = trj_alloc(s->job.group_count, sizeof *s->groups, "groups", err);
    if (!s->groups) return -1;
    for (size_t i = 0; i < s->count; i++) {
        s->groups[s->stars[i].centre].used = true;
        for (size_t k = 0; k < s->stars[i].arms; k++) s->groups[s->stars[i].arm[k].group].used = true;
    }
    for (size_t g = 0; g < s->job.group_count; g++) {
        struct group_tiles *t = &s->groups[g];
        if (!t->used || !s->job.groups[g].dynamic) continue;
        if (!(t->list = trj_alloc(s->job.groups[g].count, sizeof *t->list, "a group", err))) return -1;
    }
    return 0;
}

int rdf_search_open(struct rdf_search **result, const struct rdf_job *job, const struct rdf_star *stars, size_t count,
                    bool brute_force, rdf_search_visit *visit, void *arg, struct trj_error *err) {
    struct rdf_search *s = trj_alloc(1, sizeof *s, "a search for neighbours", err);
    if (!s) return -1;
    *s = (struct rdf_search){
        .job = *job, .stars = stars, .count = count, .brute_force = brute_force, .visit = visit, .arg = arg};
    s->job.bins = (struct rdf_bins){.count = 1};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < stars[i].arms; k++) s->job.bins.rmax = fmax(s->job.bins.rmax, stars[i].arm[k].high);
    s->plans = trj_alloc(count, sizeof *s->plans, "plans", err);
    s->ends = s->plans ? trj_alloc(count, sizeof *s->ends, "plans", err) : NULL;
    if (!s->ends || open_groups(s, err) ||
        trj_pool_open(&s->pool, trj_pool_size(brute_force ? 1 : job->threads), 1, &work, s, err) ||
        !(s->workers = trj_alloc(trj_pool_threads(s->pool), sizeof *s->workers, "threads", err))) {
        rdf_search_close(s);
        return -1;
    }
    *result = s;
    return 0;
}

int rdf_search_fail_many(uint32_t centre, double high, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %lu of the stream has more than %d neighbours within %g Å; give a smaller distance, or "
                    "correct the cell or its unit (trjcat --cell)",
                    (unsigned long)centre, RDF_MAX_NEIGHBOURS, high);
}

static int append(struct rdf_neighbour_list *list, uint32_t centre, uint32_t atom, const double d[3], double r2,
                  const struct rdf_arm *arm, struct trj_error *err) {
    if (list->count == RDF_MAX_NEIGHBOURS) return rdf_search_fail_many(centre, arm->high, err);
    if (list->count == list->capacity &&
        trj_grow(&list->neighbour, &list->capacity, list->count + 1, sizeof *list->neighbour, "neighbours", err))
        return -1;
    list->neighbour[list->count++] = (struct rdf_neighbour){atom, {d[0], d[1], d[2]}, r2};
    return 0;
}

// ---- brute force

// Appends all images of an atom that are in the range of the arm.
static int append_images(const struct rdf_search *s, struct rdf_neighbour_list *list, uint32_t centre, uint32_t atom,
                         const double g[3][3], const struct rdf_arm *arm, struct trj_error *err) {
    const double(*h)[3] = s->frame->cell.h, low2 = arm->low * arm->low, high2 = arm->high * arm->high;
    double from[3], to[3], d[3];
    int low[3], high[3], n[3];
    rdf_position(s->frame, centre, from);
    rdf_position(s->frame, atom, to);
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
    rdf_image_range(g, d, arm->high + s->slack, (const double[3]){0}, low, high);
    for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                double r2 = rdf_r2(h, from, to, n);
                if (!(r2 >= low2 && r2 < high2)) continue;
                for (int k = 0; k < 3; k++)
                    d[k] = (to[k] - from[k]) + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
                if (append(list, centre, atom, d, r2, arm, err)) return -1;
            }
    return 0;
}

static int search_by_force(struct rdf_search *s, struct trj_error *err) {
    const struct trj_frame *f = s->frame;
    struct rdf_neighbour_list *lists = s->workers[0].lists[0];
    double g[3][3];
    trj_cell_reciprocal(&f->cell, g);
    for (size_t i = 0; i < s->count; i++) {
        const struct rdf_star *star = &s->stars[i];
        const struct trj_group *centres = &s->job.groups[star->centre];
        for (size_t c = 0; c < centres->count; c++) {
            if (!trj_group_has(centres, f, c)) continue;
            for (size_t k = 0; k < star->arms; k++) {
                const struct trj_group *group = &s->job.groups[star->arm[k].group];
                lists[k].count = 0;
                for (size_t j = 0; j < group->count; j++)
                    if (group->atoms[j] != centres->atoms[c] && trj_group_has(group, f, j) &&
                        append_images(s, &lists[k], centres->atoms[c], group->atoms[j], g, &star->arm[k], err))
                        return -1;
            }
            if (s->visit(s->arg, 0, i, centres->atoms[c], lists, err)) return -1;
        }
    }
    return 0;
}

// ---- tiles

// A pair of tiles whose atoms may be neighbours.
struct meeting {
    const struct rdf_search *s;
    const struct rdf_arm *arm;
    size_t number; // of the arm
    const struct tile_set *a, *b;
    const struct tile_item *item;
    const struct rdf_exact_tile *centres;
};

// Decides about one candidate by the rule.
static int decide(const struct meeting *m, struct worker *w, const struct rdf_exact_tile *columns, size_t i, size_t j) {
    uint32_t centre = m->a->atom[m->item->row * TILE_WIDTH + i], atom = m->b->atom[m->item->column * TILE_WIDTH + j];
    double d[3];
    if (centre == atom) return 0;
    double r2 = rdf_exact_r2(d, m->s->frame->cell.h, m->centres, i, columns, j, m->item->image);
    if (!(r2 >= m->arm->low * m->arm->low && r2 < m->arm->high * m->arm->high)) return 0;
    return append(&w->lists[i][m->number], centre, atom, d, r2, m->arm, &w->error);
}

// Positions are rounded once to float32, as are their differences: the error of a distance is below 16 * 2^-24 of the
// radii and the distance (kernel.h derives the bound). 2^-18 is four times as much.
static int meet(const struct meeting *m, struct worker *w) {
    const struct tile_set *a = m->a, *b = m->b;
    size_t row = m->item->row, column = m->item->column, columns = tile_count(b, column);
    double reach = m->arm->high + m->s->slack;
    float limit = (float)(reach + 0x1p-18 * (reach + a->radius[row] + b->radius[column])), limit2, shift[3];
    struct rdf_exact_tile exact;
    bool found = false;
    limit = limit * (1 + 0x1p-20f);
    limit2 = limit * limit * (1 + 0x1p-20f);
    for (int k = 0; k < 3; k++)
        shift[k] = (float)(tile_centre(b, column, k) + m->item->shift[k] - tile_centre(a, row, k));
    const struct tile_patch box = rdf_tile_box(b, column);
    for (size_t i = 0; i < tile_count(a, row); i++) {
        float centre[3], r2[TILE_PATCH];
        for (int k = 0; k < 3; k++) centre[k] = a->local[k][row * TILE_WIDTH + i] - shift[k];
        if (rdf_away_from(&box, centre) > limit2) continue;
        for (size_t p = 0; p < TILE_PATCHES; p++) {
            size_t first = p * TILE_PATCH, base = column * TILE_WIDTH + first;
            if (first >= columns || rdf_away_from(&b->patch[column * TILE_PATCHES + p], centre) > limit2) continue;
            for (size_t j = 0; j < TILE_PATCH; j++) {
                float x = b->local[0][base + j] - centre[0], y = b->local[1][base + j] - centre[1],
                      z = b->local[2][base + j] - centre[2];
                r2[j] = x * x + y * y + z * z;
            }
            for (size_t j = 0; j < TILE_PATCH && first + j < columns; j++) {
                if (r2[j] > limit2) continue;
                if (!found) rdf_find_exact(&exact, b, m->s->frame, column);
                found = true;
                if (decide(m, w, &exact, i, first + j)) return -1;
            }
        }
    }
    return 0;
}

static int search_row(struct rdf_search *s, struct worker *w, unsigned worker, size_t star, size_t row) {
    const struct rdf_star *r = &s->stars[star];
    const struct tile_set *a = &s->groups[r->centre].set;
    struct rdf_exact_tile centres;
    struct tile_walk walk;
    rdf_find_exact(&centres, a, s->frame, row);
    for (size_t k = 0; k < r->arms; k++) {
        const struct tile_set *b = &s->groups[r->arm[k].group].set;
        for (size_t i = 0; i < TILE_WIDTH; i++) w->lists[i][k].count = 0;
        if (!b->tiles) continue;
        tile_walk_start(&walk, &s->plans[star][k].items, row);
        while (tile_walk_next(&walk)) {
            const struct meeting m = {s, &r->arm[k], k, a, b, &walk.item, &centres};
            if (meet(&m, w)) return -1;
        }
    }
    for (size_t i = 0; i < tile_count(a, row); i++)
        if (s->visit(s->arg, worker, star, a->atom[row * TILE_WIDTH + i], w->lists[i], &w->error)) return -1;
    return 0;
}

// ---- the steps of a frame

static int start(struct rdf_search *s) {
    for (size_t g = 0; g < s->job.group_count; g++) {
        const struct trj_group *group = &s->job.groups[g];
        struct group_tiles *t = &s->groups[g];
        bool kept;
        if (!t->used) continue;
        size_t count = group->dynamic ? trj_group_list(group, s->frame, t->list) : group->count;
        if (group->dynamic) tile_set_forget_order(&t->set);
        if (tile_set_start(&t->set, s->frame, group->dynamic ? t->list : group->atoms, count, 1, &kept, &s->error))
            return -1;
        t->step = kept ? PLACE : KEY;
    }
    return 0;
}

// Returns the number of chunks of the sets that are at this step.
static size_t chunks_at(struct rdf_search *s, enum step step) {
    size_t chunks = 0;
    for (size_t g = 0; g < s->job.group_count; g++) {
        if (s->groups[g].used && s->groups[g].step == step) chunks += tile_set_chunks(&s->groups[g].set);
        s->groups[g].end = chunks;
    }
    return chunks;
}

// Completes a step of all sets that are at it.
static void complete(struct rdf_search *s, enum step step) {
    for (size_t g = 0; g < s->job.group_count; g++) {
        struct group_tiles *t = &s->groups[g];
        if (!t->used || t->step != step) continue;
        if (step == KEY) tile_set_sort(&t->set);
        t->step = step == KEY || tile_set_finish(&t->set, s->frame) ? step + 1 : KEY;
    }
}

static size_t make_plans(struct rdf_search *s) {
    size_t rows = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct rdf_star *star = &s->stars[i];
        const struct tile_set *a = &s->groups[star->centre].set;
        for (size_t k = 0; k < star->arms; k++) {
            struct arm_plan *plan = &s->plans[i][k];
            plan->columns = s->groups[star->arm[k].group].set.boxes;
            tile_plan_make(&plan->items, &a->boxes, &plan->columns, &s->frame->cell, star->arm[k].high + s->slack);
        }
        s->ends[i] = rows += a->tiles;
    }
    return rows;
}

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct rdf_search *s = arg;
    size_t items = 0;
    (void)worker;
    (void)task;
    do {
        if (s->step == VISIT) return 0;
        if (s->step == START && start(s)) return 0;
        if (s->step != START) complete(s, s->step);
        s->step = chunks_at(s, KEY) ? KEY : chunks_at(s, PLACE) ? PLACE : VISIT;
        items = s->step == VISIT ? make_plans(s) : chunks_at(s, s->step);
    } while (!items);
    return items;
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct rdf_search *s = arg;
    struct worker *w = &s->workers[worker];
    size_t i = 0;
    (void)task;
    if (s->step == VISIT) {
        while (s->ends[i] <= number) i++;
        if (w->error.status == TRJ_OK) search_row(s, w, worker, i, number - (i ? s->ends[i - 1] : 0));
        return;
    }
    while (s->groups[i].end <= number) i++;
    struct tile_set *set = &s->groups[i].set;
    size_t chunk = number - (i ? s->groups[i - 1].end : 0);
    if (s->step == KEY)
        tile_set_key(set, s->frame, chunk);
    else
        tile_set_place(set, s->frame, chunk);
}

static const struct trj_pool_work work = {next, item};

int rdf_search_frame(struct rdf_search *s, const struct trj_frame *f, struct trj_error *err) {
    if (rdf_job_check_frame(&s->job, f, err))
        return trj_fail_at(err, "--neighbours or --triplet, whose largest distance is rmax here");
    s->frame = f;
    s->slack = rdf_job_rounding(&s->job, f);
    if (s->brute_force) return search_by_force(s, err);
    s->step = START;
    s->error.status = TRJ_OK;
    for (unsigned w = 0; w < trj_pool_threads(s->pool); w++) s->workers[w].error.status = TRJ_OK;
    trj_pool_start(s->pool, 0);
    trj_pool_finish(s->pool);
    for (unsigned w = 0; s->error.status == TRJ_OK && w < trj_pool_threads(s->pool); w++)
        if (s->workers[w].error.status != TRJ_OK) s->error = s->workers[w].error;
    if (s->error.status == TRJ_OK) return 0;
    *err = s->error;
    return -1;
}
