// SPDX-License-Identifier: MIT
// Searches and updates slabs of planes in parallel, and takes the first of equal minima, so that threads do not change
// the result.
#include "ion_place.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ion_order.h"
#include "ion_row.h"
#include "memory.h"
#include "point_distances.h"
#include "point_exclusion.h"
#include "pool.h"

// The results of the search in a slab of consecutive planes.
struct slab {
    double lowest;     // value times the sign of the next ion; INFINITY: no point is allowed
    uint64_t row;      // first row with it
    uint64_t infinite; // number of the first point whose value is infinite; UINT64_MAX: none
    uint64_t excluded; // points that are not allowed for the first ion
};

struct place {
    const struct pot_placement *setup;
    struct pot_distances distances;
    struct pot_exclusion exclusion;
    struct trj_pool *pool;
    size_t slabs, waiting; // number of slabs; of those to be given to the threads
    struct slab *slab;
    struct pot_row_update update;
    uint64_t index[3]; // indices of the last ion
    uint64_t placed;   // ions
    struct pot_ion_order order;
};

// ---- slabs

static void note_lowest(struct slab *s, double lowest, uint64_t row) {
    if (!(lowest < s->lowest)) return;
    s->lowest = lowest;
    s->row = row;
}

// Excludes the points near to the solute, and searches for the lowest energy of the first ion.
static void begin_slab(const struct place *p, struct slab *s, uint64_t first, uint64_t end) {
    const struct trj_map_lattice *l = p->setup->lattice;
    double *value = p->setup->value;
    if (p->exclusion.reach2 > 0) pot_exclusion_apply(&p->exclusion, value, first, end);
    for (uint64_t row = first * l->n[1]; row < end * l->n[1]; row++) {
        const double *v = value + row * l->n[0];
        note_lowest(s, pot_row_lowest(v, p->update.sign, l->n[0]), row);
        for (uint64_t i = 0; i < l->n[0]; i++) {
            s->excluded += isnan(v[i]) != 0;
            if (isinf(v[i]) && s->infinite == UINT64_MAX) s->infinite = row * l->n[0] + i;
        }
    }
}

static void update_slab(const struct place *p, struct slab *s, uint64_t first, uint64_t end) {
    const struct trj_map_lattice *l = p->setup->lattice;
    struct pot_run runs[2];
    for (uint64_t k = first; k < end; k++)
        for (uint64_t j = 0; j < l->n[1]; j++) {
            uint64_t row = k * l->n[1] + j;
            int n = pot_distances_row(&p->distances, p->index, j, k, runs);
            for (int i = 0; i < n; i++)
                note_lowest(s,
                            pot_row_update(&p->update, p->setup->value + row * l->n[0] + runs[i].from, runs[i].along,
                                           runs[i].shift, runs[i].across2, runs[i].count),
                            row);
        }
}

static size_t next_items(void *arg, unsigned worker, unsigned task) {
    struct place *p = arg;
    (void)worker, (void)task;
    size_t n = p->waiting;
    p->waiting = 0;
    return n;
}

static void do_item(void *arg, unsigned worker, unsigned task, size_t item) {
    struct place *p = arg;
    (void)worker, (void)task;
    uint64_t planes = p->setup->lattice->n[2], each = planes / p->slabs, rest = planes % p->slabs;
    uint64_t first = item * each + (item < rest ? item : rest), end = first + each + (item < rest);
    struct slab *s = &p->slab[item];
    *s = (struct slab){.lowest = INFINITY, .infinite = UINT64_MAX};
    if (p->placed)
        update_slab(p, s, first, end);
    else
        begin_slab(p, s, first, end);
}

static const struct trj_pool_work work = {next_items, do_item};

// ---- ions

static int fail_infinite(const struct place *p, uint64_t point, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "the potential at point %s is infinite, and no atom of the solute excludes this point; give the "
                    "solute, or replace the value with mapmath",
                    trj_map_lattice_point_text(p->setup->lattice, point).text);
}

static int fail_full(const struct place *p, const struct pot_ion_kind *kind, struct trj_error *err) {
    char solute[64] = "";
    if (p->setup->atoms) snprintf(solute, sizeof solute, "at least %g Å from the solute and ", p->setup->from_solute);
    return trj_fail(err, TRJ_BAD_DATA,
                    "no point is left for ion %llu of %llu (%s), %sat least %g Å from the other ions; give smaller "
                    "distances, fewer ions or a larger map",
                    (unsigned long long)p->placed + 1, (unsigned long long)pot_ion_list_total(p->setup->ions),
                    kind->name, solute, p->setup->between);
}

// Finds the point with the lowest energy. Slabs and rows are in the order of the points, so that the first of several
// equal ones is the one with the lowest number.
static int find_point(const struct place *p, const struct pot_ion_kind *kind, uint64_t *point, struct trj_error *err) {
    const struct slab *best = &p->slab[0];
    uint64_t n = p->setup->lattice->n[0];
    for (size_t i = 0; i < p->slabs; i++) {
        if (p->slab[i].infinite != UINT64_MAX) return fail_infinite(p, p->slab[i].infinite, err);
        if (p->slab[i].lowest < best->lowest) best = &p->slab[i];
    }
    if (!(best->lowest < INFINITY)) return fail_full(p, kind, err);
    *point = best->row * n;
    while (p->update.sign * p->setup->value[*point] != best->lowest) ++*point;
    return 0;
}

static int place_ion(struct place *p, struct pot_ion *ion, struct trj_error *err) {
    const struct pot_placement *s = p->setup;
    size_t kind = pot_ion_order_next(&p->order);
    const struct pot_ion_kind *k = &s->ions->kind[kind];
    uint64_t point = 0;
    p->update.sign = copysign(1, k->charge);
    p->waiting = p->slabs;
    trj_pool_start(p->pool, 0);
    trj_pool_wait(p->pool, 0);
    if (find_point(p, k, &point, err)) return -1;
    pot_ion_set(ion, s->lattice, point, p->index);
    ion->kind = kind;
    ion->potential = s->value[point];
    ion->net = p->order.net;
    p->update.charge = s->charge * k->charge;
    p->placed++;
    return 0;
}

static int begin(struct place *p, struct trj_error *err) {
    const struct pot_placement *s = p->setup;
    pot_ion_order_start(&p->order, s->ions, s->net);
    p->update.reach2 = pot_placement_reach2(s);
    if (pot_distances_make(&p->distances, s->lattice, err) ||
        pot_exclusion_make(&p->exclusion, s->lattice, s->position, s->atoms, s->from_solute, err) ||
        trj_pool_open(&p->pool, s->threads, 1, &work, p, err))
        return -1;
    unsigned threads = trj_pool_threads(p->pool);
    p->slabs = threads > 1 ? 4 * (size_t)threads : 1;
    if (p->slabs > s->lattice->n[2]) p->slabs = s->lattice->n[2];
    p->slab = trj_alloc(p->slabs, sizeof *p->slab, "slabs", err);
    return p->slab ? 0 : -1;
}

double pot_placement_reach2(const struct pot_placement *s) {
    return fmax(s->between * s->between * POT_DISTANCE_ROUNDING, DBL_MIN);
}

void pot_ion_set(struct pot_ion *ion, const struct trj_map_lattice *l, uint64_t point, uint64_t index[3]) {
    ion->point = point;
    trj_map_lattice_indices(l, point, index);
    trj_map_lattice_point(l, point, ion->position);
}

int pot_place_ions(const struct pot_placement *s, struct pot_ion *ion, uint64_t *excluded, struct trj_error *err) {
    struct place p = {.setup = s};
    *excluded = 0;
    uint64_t total = pot_ion_list_total(s->ions);
    int rc = total ? begin(&p, err) : 0;
    while (!rc && p.placed < total) {
        bool first = !p.placed;
        rc = place_ion(&p, &ion[p.placed], err);
        for (size_t i = 0; first && i < p.slabs; i++) *excluded += p.slab[i].excluded;
        if (!rc && s->progress) s->progress(p.placed, total);
    }
    trj_pool_close(p.pool);
    pot_exclusion_free(&p.exclusion);
    pot_distances_free(&p.distances);
    free(p.slab);
    return rc;
}
