// SPDX-License-Identifier: MIT
// The set-up of the method cutoff, and its reference: float64 sums over all images of all atoms.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cutoff_image.h"
#include "cutoff_sum.h"
#include "memory.h"
#include "pair_blocks.h"

#define MAX_CHARGE 0x1p15 // e

// ---- the set-up

static int exponent_above(double x) {
    int e;
    frexp(x, &e);
    return e;
}

static double largest_of_table(const struct pot_job *job) {
    double max = 0;
    for (size_t i = 0; i < job->table_count; i++) max = fmax(max, fabs(job->table_f[i]));
    return max;
}

static int set_quantum(struct pot_job *job, struct trj_error *err) {
    double largest = pot_kernel_has_charge(job->kernel) ? job->max_charge : 1;
    if (!(largest >= 0 && largest <= MAX_CHARGE))
        return trj_fail(err, TRJ_USAGE, "a charge of %g e, expected at most %g e", largest, MAX_CHARGE);
    switch (job->kernel) {
    case POT_KERNEL_COUNT:
        job->quantum = 1;
        return 0;
    case POT_KERNEL_LJ:
    case POT_KERNEL_BUCKINGHAM:
        job->quantum = 0x1p-32;
        return 0;
    case POT_KERNEL_TABLE:
        largest *= largest_of_table(job);
        job->quantum = largest >= 0x1p-900 ? ldexp(1, exponent_above(largest) - 40) : 0x1p-940;
        return 0;
    default:
        job->quantum = job->exact ? 0x1p-44 : 0x1p-40;
        return 0;
    }
}

int pot_cutoff_setup(struct pot_job *job, struct trj_error *err) {
    if (pot_kernel_check(job, err) || set_quantum(job, err)) return -1;
    return pot_cutoff_set_bound(job, err);
}

int pot_cutoff_check_frame(const struct pot_job *job, const struct pot_frame *frame, struct trj_error *err) {
    if (pot_kernel_has_charge(job->kernel))
        for (size_t i = 0; i < frame->count; i++)
            if (!(fabs(frame->charge[i]) <= job->max_charge))
                return trj_fail(err, TRJ_BAD_DATA, "atom %u: charge %.9g e, but the largest is declared as %.9g e",
                                frame->atom[i], frame->charge[i], job->max_charge);
    for (size_t i = 0; job->kernel == POT_KERNEL_LJ && i < frame->count; i++)
        if (!(frame->radius[i] >= 0 && frame->radius[i] <= TRJ_FARTHEST && frame->epsilon[i] >= 0 &&
              frame->epsilon[i] <= POT_MAX_EPSILON))
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %u: sigma %g Å, epsilon %g kcal/mol, expected 0 to %g Å, and 0 to %g kcal/mol",
                            frame->atom[i], frame->radius[i], frame->epsilon[i], TRJ_FARTHEST, POT_MAX_EPSILON);
    return 0;
}

// ---- sums

int pot_cutoff_add(const struct pot_job *job, double value, int64_t *sum, struct trj_error *err) {
    // The lattice of pme contains the origin of the cell, wherever its other points are.
    static const char move_points[] = "choose points farther from the atom, or for the method pme leave out --full";
    double quanta = value * (1 / job->quantum);
    if (!(fabs(quanta) <= POT_CUTOFF_LARGEST))
        return isfinite(value) ? trj_fail(err, TRJ_BAD_DATA, "the potential, %g, is above %g; %s", value,
                                          POT_CUTOFF_LARGEST * job->quantum, move_points)
               : job->kernel == POT_KERNEL_TABLE
                   ? trj_fail(err, TRJ_BAD_DATA,
                              "the distance is below the first row of the table; add rows from r = 0")
                   : trj_fail(err, TRJ_BAD_DATA, "the potential is infinite; %s", move_points);
    if (__builtin_add_overflow(*sum, pot_cutoff_round(quanta), sum))
        return trj_fail(err, TRJ_BAD_DATA, "the sum exceeds 2^63 quanta; write several maps of fewer frames each");
    return 0;
}

struct image {
    const struct pot_job *job;
    const struct pot_kernel *kernel;
    const struct pot_frame *frame;
    size_t atom;
    double a, b;
};

static int add_image(const struct image *i, const double point[3], const int64_t whole[3], int64_t *sum,
                     struct trj_error *err) {
    const double(*h)[3] = i->frame->cell.h;
    const double n[3] = {(double)whole[0], (double)whole[1], (double)whole[2]};
    double d[3], value;
    for (int k = 0; k < 3; k++)
        d[k] = point[k] - (i->frame->position[i->atom][k] + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]));
    double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    if (!(square < i->kernel->square)) return 0;
    pot_kernel_values(i->kernel, 1, &square, &i->a, &i->b, &value);
    if (!pot_cutoff_add(i->job, value, sum, err)) return 0;
    return trj_fail_at(err, "atom %u at the point %g %g %g Å", i->frame->atom[i->atom], point[0], point[1], point[2]);
}

int pot_cutoff_sum_point(const struct pot_job *job, const struct pot_kernel *kernel, const struct pot_frame *frame,
                         const double point[3], int64_t *sum, struct trj_error *err) {
    double rows[3][3];
    trj_cell_reciprocal(&frame->cell, rows);
    struct image i = {.job = job, .kernel = kernel, .frame = frame};
    for (; i.atom < frame->count; i.atom++) {
        int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, n[3];
        pot_kernel_atom(job, frame, i.atom, &i.a, &i.b);
        if (i.a == 0) continue;
        for (int v = 0; v < 3; v++) {
            if (!(frame->cell.periodic >> v & 1)) continue;
            double u = 0, length = 0;
            for (int k = 0; k < 3; k++) {
                u += rows[v][k] * (point[k] - frame->position[i.atom][k]);
                length += rows[v][k] * rows[v][k];
            }
            double range = job->cutoff * sqrt(length) + 1e-6 + 1e-12 * fabs(u);
            low[v] = (int64_t)ceil(u - range);
            high[v] = (int64_t)floor(u + range);
        }
        for (n[2] = low[2]; n[2] <= high[2]; n[2]++)
            for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
                for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
                    if (add_image(&i, point, n, sum, err)) return -1;
    }
    return 0;
}

// ---- the engine

struct reference {
    const struct pot_job *job;
    struct pot_kernel kernel;
    int64_t *values;
    bool cleared; // values were set to 0 after the last finish
};

static void close_reference(void *state) {
    struct reference *s = state;
    if (!s) return;
    pot_kernel_close(&s->kernel);
    free(s->values);
    free(s);
}

static int open_reference(void **state, const struct pot_job *job, struct trj_error *err) {
    struct reference *s = trj_alloc(1, sizeof *s, "an engine", err);
    if (!s) return -1;
    s->job = job;
    s->cleared = true;
    s->values = trj_alloc(job->values, sizeof *s->values, "the map", err);
    if (!s->values || pot_kernel_open(&s->kernel, job, err)) {
        close_reference(s);
        return -1;
    }
    *state = s;
    return 0;
}

static int add(void *state, const struct pot_frame *frame, struct trj_error *err) {
    struct reference *s = state;
    if (!s->cleared) memset(s->values, 0, s->job->values * sizeof *s->values);
    s->cleared = true;
    if (pot_cutoff_check_frame(s->job, frame, err)) return -1;
    for (size_t i = 0; i < s->job->values; i++) {
        double x[3];
        pot_point_position(s->job, &frame->lattice, i, x);
        if (pot_cutoff_sum_point(s->job, &s->kernel, frame, x, &s->values[i], err)) return -1;
    }
    return 0;
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    struct reference *s = state;
    (void)err;
    if (!s->cleared) memset(s->values, 0, s->job->values * sizeof *s->values);
    s->cleared = false;
    *values = s->values;
    return 0;
}

const struct pot_method pot_cutoff_reference = {
    .open = open_reference, .add = add, .finish = finish, .close = close_reference};
