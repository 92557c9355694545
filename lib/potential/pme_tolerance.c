// SPDX-License-Identifier: MIT
// Measures errors at sample points against Ewald sums, because the model for random charges is too optimistic for
// molecules.
#include "pme_tolerance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cutoff_sum.h"
#include "ewald.h"
#include "hash.h"
#include "memory.h"
#include "pme_choice.h"
#include "pme_sum.h"
#include "pool.h"
#include "real_space_bins.h"

static const double PI = 3.14159265358979323846;

enum { FEWEST = 100, MAX = 1000 }; // sample points

struct sample {
    double point[3];
    struct pot_bin_sums near;
    double waves; // the reference of the reciprocal part, without `near.smooth`
    double mesh;  // the reciprocal part of the job
    double real;  // the real-space part of the job, without the background
};

// A measurement of one job.
struct check {
    const struct pot_job *job;
    struct pot_frame frame;
    double volume, charge; // of the cell (Å^3); net charge (e)
    double pairs;          // charges within 1 Å of a point, on average
    struct pot_bins *bins;
    struct pot_bin_terms terms;
    size_t points;
    struct sample sample[MAX];
    bool waves;              // the reference is the reciprocal part of an Ewald sum
    struct pot_ewald *ewald; // for the alpha of an earlier job, or NULL
    bool started;            // the pool has received the samples
};

// Rms differences from the reference in e/Å.
struct errors {
    double rms; // of the reciprocal part itself
    double mesh, cutoff, total;
    double float32; // of the real-space part, from rounding
};

static uint64_t number_of(const struct check *c, size_t i) {
    uint64_t number = i, values = c->job->values;
    return values <= c->points ? number : trj_hash(&number, sizeof number, 0) % values;
}

// ---- the reference

// Returns whether the reciprocal part of an Ewald sum takes less time than sums over neighbours. The times of a wave
// and of a pair, in seconds, were measured on one core.
static bool waves_are_fewer(const struct check *c, double reach) {
    const double wave = 20e-9, pair = 30e-9;
    double waves = 17 * c->volume * pow(c->job->alpha, 3); // ewald.h
    double near = c->pairs * pow(reach, 3);
    return waves * ((double)c->frame.count + MAX) * wave < fmax(FEWEST * near, fmin(MAX * near, 1e7)) * pair;
}

// Returns an Ewald coefficient for which the error of splines of order 8 is far below that of the job.
static double wide_coefficient(const struct pot_job *job, const struct trj_cell *cell) {
    double own =
        pot_pme_mesh_error(cell, job->lattice.n, job->order, job->alpha) * pot_pme_reciprocal_rms(cell, job->alpha);
    double wide = job->alpha / 2;
    while (wide > job->alpha / 4 &&
           pot_pme_mesh_error(cell, job->lattice.n, 8, wide) * pot_pme_reciprocal_rms(cell, wide) > 0.05 * own)
        wide *= 0.8;
    return wide;
}

// Chooses the reference and the number of sample points, at most `max`.
static void plan(struct check *c, size_t max) {
    const struct pot_job *job = c->job;
    const double max_pairs = 1e7;
    double omitted = sqrt(log(1e8 / job->tolerance)); // its erfc is far below the tolerance
    double wide = wide_coefficient(job, &c->frame.cell);
    c->waves = waves_are_fewer(c, omitted / wide);
    // A cutoff beyond the end of erfc would add images in any number, none of which contributes.
    c->terms = (struct pot_bin_terms){.wide = c->waves ? job->alpha : wide,
                                      .narrow = job->alpha,
                                      .cutoff = fmin(job->cutoff, POT_BINS_END / job->alpha)};
    c->terms.reach = c->waves && !job->full ? 0 : fmax(omitted / c->terms.wide, c->terms.cutoff);
    c->points = (size_t)fmax(FEWEST, fmin((double)max, max_pairs / (c->pairs * pow(c->terms.reach, 3))));
    if (job->values < c->points) c->points = job->values;
    for (size_t i = 0; i < c->points; i++) trj_map_lattice_point(&job->lattice, number_of(c, i), c->sample[i].point);
}

static size_t start_samples(void *arg, unsigned worker, unsigned task) {
    struct check *c = arg;
    (void)worker, (void)task;
    bool first = !c->started;
    c->started = true;
    return first ? c->points : 0;
}

static void sum_sample(void *arg, unsigned worker, unsigned task, size_t i) {
    struct check *c = arg;
    (void)worker, (void)task;
    pot_bins_sum(c->bins, c->sample[i].point, &c->terms, &c->sample[i].near);
    if (c->waves) c->sample[i].waves = pot_ewald_reciprocal(c->ewald, c->sample[i].point);
}

// Opens the Ewald sum, unless it is open for this alpha.
static int open_waves(struct check *c, struct trj_error *err) {
    const struct pot_frame *f = &c->frame;
    if (c->ewald && pot_ewald_alpha(c->ewald) == c->job->alpha) return 0;
    pot_ewald_close(c->ewald);
    c->ewald = NULL;
    return pot_ewald_open(&c->ewald, &f->cell, c->job->alpha, f->count, f->position, f->charge, err);
}

static int sum_samples(struct check *c, struct trj_error *err) {
    static const struct trj_pool_work work = {start_samples, sum_sample};
    struct trj_pool *pool;
    if (c->waves && open_waves(c, err)) return -1;
    c->started = false;
    if (trj_pool_open(&pool, c->job->threads, 1, &work, c, err)) return -1;
    trj_pool_start(pool, trj_pool_free_task(pool));
    trj_pool_finish(pool);
    trj_pool_close(pool);
    return 0;
}

// ---- maps

// Computes the reciprocal part of a job with this alpha and order, and stores its values at the samples.
static int sum_mesh(struct check *c, double alpha, unsigned order, bool reference, struct trj_error *err) {
    struct pot_job job = *c->job;
    const int64_t *values;
    void *state;
    job.alpha = alpha;
    job.order = order;
    job.full = false;
    job.surface = POT_TINFOIL; // the terms of other surfaces have no error from the mesh
    if (pot_pme_setup(&job, err) || pot_pme_cpu.open(&state, &job, err)) return -1;
    int rc = pot_pme_cpu.add(state, &c->frame, err) || pot_pme_cpu.finish(state, &values, err) ? -1 : 0;
    for (size_t i = 0; !rc && i < c->points; i++)
        *(reference ? &c->sample[i].waves : &c->sample[i].mesh) = (double)values[number_of(c, i)] * job.quantum;
    pot_pme_cpu.close(state);
    return rc;
}

// Stores the real-space part at the samples: from the map in float32 or, if the job is exact, from the sums in float64.
static int sum_real(struct check *c, struct trj_error *err) {
    struct pot_job job = *c->job;
    const int64_t *values;
    void *state;
    for (size_t i = 0; i < c->points; i++) c->sample[i].real = c->sample[i].near.within;
    if (job.exact) return 0;
    job.method = POT_CUTOFF;
    job.kernel = POT_KERNEL_ERFC;
    job.parameter[0] = job.alpha;
    job.full = false;
    if (pot_cutoff_setup(&job, err) || pot_cutoff_cpu.open(&state, &job, err)) return -1;
    int rc = pot_cutoff_cpu.add(state, &c->frame, err) || pot_cutoff_cpu.finish(state, &values, err) ? -1 : 0;
    for (size_t i = 0; !rc && i < c->points; i++) c->sample[i].real = (double)values[number_of(c, i)] * job.quantum;
    pot_cutoff_cpu.close(state);
    return rc;
}

static int compute_maps(struct check *c, struct trj_error *err) {
    const struct pot_job *job = c->job;
    return sum_mesh(c, job->alpha, job->order, false, err) || (job->full && sum_real(c, err)) ||
                   (!c->waves && sum_mesh(c, c->terms.wide, 8, true, err))
               ? -1
               : 0;
}

static void compare(const struct check *c, struct errors *e) {
    double narrow = c->terms.narrow, wide = c->terms.wide, n = (double)c->points;
    double background = PI / c->volume * c->charge; // of the real-space part for alpha = 1
    *e = (struct errors){0};
    for (size_t i = 0; i < c->points; i++) {
        const struct sample *s = &c->sample[i];
        double smooth = s->waves + s->near.smooth - background * (1 / (wide * wide) - 1 / (narrow * narrow));
        double mesh = s->mesh - smooth, cutoff = s->near.within - s->near.whole, real = s->real - s->near.whole;
        double rounding = s->real - s->near.within;
        e->rms += smooth * smooth / n;
        e->mesh += mesh * mesh / n;
        e->cutoff += cutoff * cutoff / n;
        e->float32 += rounding * rounding / n;
        e->total += pow(mesh + (c->job->full ? real : 0), 2) / n;
    }
    e->rms = sqrt(e->rms);
    e->mesh = sqrt(e->mesh);
    e->cutoff = c->job->full ? sqrt(e->cutoff) : 0;
    e->float32 = c->job->full ? sqrt(e->float32) : 0;
    e->total = sqrt(e->total);
}

// Measures the errors of a job at no more than `max` points of its mesh.
static int measure(struct check *c, const struct pot_job *job, size_t max, struct errors *e, struct trj_error *err) {
    c->job = job;
    c->frame.lattice = job->lattice;
    plan(c, max);
    if (sum_samples(c, err) || compute_maps(c, err)) return -1;
    compare(c, e);
    return 0;
}

// ---- the choice

// Describes the choice. Without charges in the first frame, nothing is measured, and the error is that of the model.
static void describe(const struct check *c, double error, bool measured, char *text) {
    const struct pot_job *job = c->job;
    const uint64_t *n = job->lattice.n;
    char cutoff[40] = "", where[80] = "expected for random charges, because the first frame has no charges";
    if (job->full) snprintf(cutoff, sizeof cutoff, " --cutoff %.6g", job->cutoff);
    if (measured) snprintf(where, sizeof where, "at %zu points of the first frame", c->points);
    snprintf(text, POT_REPORT, "relative rms error of %.1e %s, with --dime %llu,%llu,%llu --order %u --alpha %.6g%s%s",
             error, where, (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2], job->order,
             job->alpha, cutoff, job->full && job->exact ? " --exact" : "");
}

// Reduces the allowed errors of the model where the measured errors are too large. If the errors of float32 are too
// large, the next choice is exact, whatever the other errors are: a finer mesh would not reduce them.
static void tighten(struct pot_pme_errors *allowed, const struct pot_pme_errors *model, const struct errors *e,
                    double max, bool full, bool *exact) {
    double part = full ? sqrt(0.5) * max : max;
    bool mesh = e->mesh > part, cutoff = e->cutoff > part;
    if (full && !*exact && (e->float32 > part || (!mesh && !cutoff))) {
        *exact = true;
        if (!mesh && !cutoff) return;
    }
    if (mesh || !cutoff) allowed->mesh = model->mesh * fmin(0.7, 0.8 * part / e->mesh);
    if (cutoff || !mesh) allowed->cutoff = model->cutoff * fmin(0.7, 0.8 * part / e->cutoff);
}

// Measures the errors of a job at a few points, and at more if they are within the tolerance: a few points suffice to
// show that an error is far too large, but not that it is small enough.
static int measure_well(struct check *c, const struct pot_job *job, struct errors *e, double *error,
                        struct trj_error *err) {
    for (size_t points = FEWEST; points <= MAX; points *= MAX / FEWEST) {
        if (measure(c, job, points, e, err)) return -1;
        *error = e->total > 0 ? e->total / e->rms : 0;
        if (*error > job->tolerance) break;
    }
    return 0;
}

// Aims at 0.8 of the tolerance, because other points have other errors. If this is not reached, for example because
// finer meshes have larger rounding errors, the best choice whose error is within the tolerance is taken.
static int refine(struct check *c, struct pot_job *job, double grid, char *text, struct trj_error *err) {
    enum { TRIES = 12 };
    const struct pot_job given = *job;
    struct pot_job good;
    double good_error = INFINITY; // of `good`, if this is finite
    char good_text[POT_REPORT];
    double max = 0.8 * given.tolerance, part = given.full ? sqrt(0.5) * max : max;
    struct pot_pme_errors allowed = {.mesh = part, .cutoff = part}, model;
    bool exact = given.exact;
    for (int i = 0; i < TRIES; i++) {
        struct errors e;
        double error = INFINITY;
        struct pot_job next = given;
        next.exact = exact;
        if (pot_pme_choose(&next, &c->frame.cell, grid, &allowed, &model, err)) {
            if ((i && err->status == TRJ_USAGE) || isfinite(good_error)) break;
            return -1;
        }
        *job = next;
        if (measure_well(c, job, &e, &error, err)) {
            if (isfinite(good_error)) break; // memory may not suffice for a finer mesh
            return -1;
        }
        bool measured = e.total > 0 || e.rms > 0;
        describe(c, measured ? error : hypot(model.mesh, model.cutoff), measured, text);
        if (error <= max) return 0;
        if (!(error < good_error) && isfinite(good_error)) break;
        if (error <= given.tolerance) {
            good = *job;
            good_error = error;
            memcpy(good_text, text, sizeof good_text);
        }
        tighten(&allowed, &model, &e, max * e.rms, given.full, &exact);
    }
    if (isfinite(good_error)) {
        *job = good;
        memcpy(text, good_text, sizeof good_text);
        return 0;
    }
    return trj_fail(err, TRJ_USAGE,
                    "the finest choice of parameters has a %s; use a larger tolerance, or a "
                    "smaller --max-charge, which reduces rounding",
                    text);
}

// Prepares the check of a frame, which must be periodic along all axes.
static int open_check(struct check **to, const struct pot_frame *frame, struct trj_error *err) {
    struct check *c = *to = trj_alloc(1, sizeof *c, "a check of the tolerance", err);
    if (!c) return -1;
    c->frame = *frame;
    c->frame.stream = NULL;
    c->volume = trj_cell_volume(&frame->cell);
    c->pairs = 4 * PI / 3 * (double)frame->count / c->volume;
    for (size_t i = 0; i < frame->count; i++) c->charge += frame->charge[i];
    return pot_bins_open(&c->bins, &frame->cell, frame->count, frame->position, frame->charge, err);
}

static void close_check(struct check *c) {
    if (!c) return;
    pot_ewald_close(c->ewald);
    pot_bins_close(c->bins);
    free(c);
}

int pot_pme_measure_mesh(const struct pot_job *job, const struct pot_frame *frame, double resolved, double *error,
                         struct trj_error *err) {
    struct pot_job reciprocal = *job;
    struct check *c;
    struct errors e = {0};
    reciprocal.full = false;
    reciprocal.tolerance = resolved;
    int rc = open_check(&c, frame, err) || measure(c, &reciprocal, FEWEST, &e, err) ? -1 : 0;
    *error = e.rms > 0 ? e.mesh / e.rms : NAN;
    close_check(c);
    return rc;
}

int pot_pme_meet_tolerance(struct pot_job *job, const struct pot_frame *frame, double grid, char *text,
                           struct trj_error *err) {
    if (!(job->tolerance >= 1e-10 && job->tolerance <= 0.1))
        return trj_fail(err, TRJ_USAGE, "invalid tolerance %g: expected 1e-10 to 0.1", job->tolerance);
    if (frame->cell.periodic != TRJ_PERIODIC_ALL || !(trj_cell_volume(&frame->cell) > 0))
        return trj_fail(err, TRJ_BAD_DATA, "the method pme requires a cell that is periodic along all three axes");
    struct check *c;
    int rc = open_check(&c, frame, err) || refine(c, job, grid, text, err) ? -1 : 0;
    close_check(c);
    return rc;
}
