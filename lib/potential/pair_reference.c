// SPDX-License-Identifier: MIT
// Implements the engine `reference` of the methods direct and mdh.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pair_blocks.h"
#include "pair_sum.h"

struct reference {
    const struct pot_job *job;
    int64_t *values; // [job->values]
    bool cleared;
};

static void close_reference(void *state) {
    struct reference *e = state;
    if (!e) return;
    free(e->values);
    free(e);
}

static int open_reference(void **state, const struct pot_job *job, struct trj_error *err) {
    struct reference *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->cleared = true;
    *state = e;
    if ((e->values = trj_alloc(job->values, sizeof *e->values, "the map", err))) return 0;
    close_reference(e);
    return -1;
}

static double term(const struct pot_job *job, double charge, double radius, const double x[3], const double point[3]) {
    double r = hypot(hypot(point[0] - x[0], point[1] - x[1]), point[2] - x[2]), s = job->soften_length;
    if (job->soften == POT_SOFTEN_PLUMMER) r = hypot(r, s);
    if (job->soften == POT_SOFTEN_CLIP) r = fmax(r, s);
    double inverse = 1 / r;
    if (job->soften == POT_SOFTEN_GAUSS) inverse = r > 0 ? erf(r / (sqrt(2) * s)) / r : sqrt(8 / acos(-1)) / (2 * s);
    if (job->distance_dielectric) return charge * inverse * inverse / 4;
    if (job->method != POT_MDH) return charge * inverse;
    return charge * exp(-job->kappa * (r - radius)) / (1 + job->kappa * radius) * inverse;
}

static bool is_wanted(const struct pot_job *job, const struct trj_map_lattice *l, uint64_t number) {
    uint64_t rest = number;
    if (!job->faces || job->point_count) return true;
    for (int k = 0; k < 3; k++) {
        uint64_t i = rest % l->n[k];
        rest /= l->n[k];
        if (!i || i + 1 == l->n[k]) return true;
    }
    return false;
}

static int add(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct reference *e = state;
    const struct pot_job *job = e->job;
    if (!e->cleared) memset(e->values, 0, job->values * sizeof *e->values);
    e->cleared = true;
    for (size_t i = 0; i < job->values; i++) {
        double point[3], sum = 0;
        if (!is_wanted(job, &f->lattice, i)) continue;
        pot_point_position(job, &f->lattice, i, point);
        for (size_t j = 0; j < f->count; j++)
            if (f->charge[j] != 0) sum += term(job, f->charge[j], f->radius ? f->radius[j] : 0, f->position[j], point);
        if (!(fabs(sum) <= 0x1p62 * job->quantum) ||
            __builtin_add_overflow(e->values[i], llrint(sum / job->quantum), &e->values[i])) {
            char where[96];
            pot_point_text(job, &f->lattice, i, where, sizeof where);
            return trj_fail(err, TRJ_BAD_DATA, "%s: the sum is infinite or exceeds 2^62 quanta; use --soften", where);
        }
    }
    return 0;
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    struct reference *e = state;
    (void)err;
    if (!e->cleared) memset(e->values, 0, e->job->values * sizeof *e->values);
    e->cleared = false;
    *values = e->values;
    return 0;
}

const struct pot_method pot_direct_reference = {
    .open = open_reference, .add = add, .finish = finish, .close = close_reference};
