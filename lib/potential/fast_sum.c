// SPDX-License-Identifier: MIT
// Splits 1/r into a near part and a smooth part on a mesh, and finds the split whose error meets the tolerance.
#include "fast_sum.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charge_mesh.h"
#include "elementary.h"
#include "error_function.h"
#include "fast_transform.h"
#include "fourier_transform.h"
#include "memory.h"
#include "pme_sum.h"

enum { ORDER = 8, SPLINE_REACH = ORDER / 2, TRIES = 3 };

// Below this tolerance, the near part is computed in float64: its relative error in float32 is about 2e-8 of the rms.
#define FINE 8e-8

struct fast {
    const struct pot_job *job;
    const struct pot_parts *parts;
    int64_t *sum; // [values]
    bool cleared; // after the last finish
    bool checked; // the first frame agrees with direct sums
    double alpha;
    int guard; // its width in points of the mesh (fast_transform.h)
    // The near part:
    struct pot_job near_job;
    struct pot_part near;
    bool near_used; // since the last time its sums were taken
    // The smooth part:
    struct pot_job mesh_job; // its lattice is the mesh
    struct pot_part mesh;
    void *transform;
    // Both parts together, if parts->fast computes them:
    struct pot_job whole_job;
    struct pot_part whole;
    uint64_t frames; // on the mesh, or in `whole`
    uint64_t added;  // number of frames
    uint64_t number; // of the frame that is added; UINT64_MAX: none
    struct trj_device_stats devices[POT_PART_DEVICES];
};

int pot_fast_setup(struct pot_job *job, struct trj_error *err) {
    if (!(job->tolerance >= 1e-9 && job->tolerance <= 0.1))
        return trj_fail(err, TRJ_USAGE, "--tolerance: invalid value %g: expected 1e-09 to 0.1", job->tolerance);
    if (job->point_count)
        return trj_fail(err, TRJ_USAGE, "the method fast computes the points of a lattice, not of a list");
    job->order = ORDER;
    job->quantum = job->tolerance < FINE ? POT_FAST_QUANTUM_FINE : POT_FAST_QUANTUM;
    job->error_bound = 0;
    return 0;
}

// ---- opening

static void close_mesh(struct fast *s) {
    pot_part_close(&s->whole);
    pot_part_close(&s->mesh);
    s->parts->smooth_transform->close(s->transform);
    s->transform = NULL;
}

static void close_parts(struct fast *s) {
    close_mesh(s);
    pot_part_close(&s->near);
}

void pot_fast_close(void *state) {
    struct fast *s = state;
    if (!s) return;
    close_parts(s);
    free(s->sum);
    free(s);
}

int pot_fast_open(void **state, const struct pot_job *job, const struct pot_parts *parts, struct trj_error *err) {
    struct fast *s = trj_alloc(1, sizeof *s, "an engine", err);
    if (!s) return -1;
    s->job = job;
    s->parts = parts;
    if (!(s->sum = trj_alloc(job->values, sizeof *s->sum, "the map", err))) {
        pot_fast_close(s);
        return -1;
    }
    s->cleared = true;
    *state = s;
    return 0;
}

// Returns x with erfc(x) = y, for y of at least 1e-12.
static double inverse_erfc(double y) {
    double low = 0, high = 6;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(pot_erfc(middle) > y ? &low : &high) = middle;
    }
    return high;
}

static double longest_step(const struct trj_map_lattice *l) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        const double *v = l->step[k];
        longest = fmax(longest, sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
    }
    return longest;
}

// Adds the sums of a part, whose values have their own quantum.
static int take_part(struct fast *s, struct pot_part *part, double quantum, struct trj_error *err) {
    const int64_t *values;
    if (pot_part_finish(part, s->job->values, &values, err)) return -1;
    double ratio = quantum / s->job->quantum;
    for (size_t i = 0; i < s->job->values; i++) {
        double quanta = rint((double)values[i] * ratio);
        if (!(fabs(quanta) < 0x1p62) || __builtin_add_overflow(s->sum[i], (int64_t)quanta, &s->sum[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the sum of the potential at value %llu exceeds 2^62 quanta of %g e/Å; use fewer frames, "
                            "or points that are farther from atoms",
                            (unsigned long long)i, s->job->quantum);
    }
    return 0;
}

static int take_near(struct fast *s, struct trj_error *err) {
    if (!s->near_used) return 0;
    s->near_used = false;
    return take_part(s, &s->near, s->near_job.quantum, err);
}

static int open_near_part(struct fast *s, struct trj_error *err) {
    return s->parts->fast ? 0 : pot_part_open(&s->near, s->parts->real_space, &s->near_job, s->number, err);
}

// Replaces the parts of an engine that cannot be opened by those of the CPU. Parts are opened when a frame is added,
// after the engine has been chosen. Takes the near part of earlier frames, so that the CPU computes only this frame and
// later ones. Fails unless job->cpu_may_finish is set.
static int fall_back(struct fast *s, struct trj_error *err) {
    char text[sizeof err->text + 32];
    if (s->parts == &pot_parts_cpu || !s->job->cpu_may_finish || err->status != TRJ_NO_ENGINE) return -1;
    snprintf(text, sizeof text, "%s: engine cpu takes over", err->text);
    if (s->job->note) s->job->note(s->job->note_arg, text);
    if (take_near(s, err)) return -1;
    close_parts(s);
    s->parts = &pot_parts_cpu;
    return open_near_part(s, err);
}

// Opens the near part, and sets alpha and the guard, so that each further attempt has a smaller deviation.
static int open_near(struct fast *s, int attempt, struct trj_error *err) {
    double max = s->job->tolerance / 4, product = fmin(0.4 * trj_exp(trj_log(s->job->tolerance / 1e-6) / 10), 0.5);
    for (int i = 0; i < attempt; i++) {
        product *= 0.75;
        max /= 10;
    }
    s->alpha = product / longest_step(&s->job->lattice);
    s->guard = pot_fast_guard(s->job->tolerance < FINE ? attempt + 1 : attempt);
    s->near_job = *s->job;
    s->near_job.method = POT_CUTOFF;
    s->near_job.open_space = true;
    s->near_job.kernel = POT_KERNEL_ERFC;
    s->near_job.parameter[0] = s->alpha;
    s->near_job.cutoff = inverse_erfc(max) / s->alpha;
    s->near_job.exact = s->job->exact || s->job->tolerance < FINE || attempt > 0;
    if (s->parts->real_space_setup(&s->near_job, err))
        return err->status != TRJ_USAGE
                   ? -1
                   : trj_fail(
                         err, TRJ_USAGE,
                         "steps of %g Å would require a cutoff of %g Å, which is out of range; use --method direct",
                         longest_step(&s->job->lattice), s->near_job.cutoff);
    return open_near_part(s, err) ? fall_back(s, err) : 0;
}

// ---- the mesh

// Sets how many points of the mesh the frame needs: displacements from charges to points of the map are within half of
// the mesh, without the splines and the guard.
static void find_size(const struct pot_frame *f, int guard, double needed[3]) {
    double g[3][3], max[3];
    trj_map_lattice_inverse(&f->lattice, g);
    for (int k = 0; k < 3; k++) max[k] = ((double)f->lattice.n[k] - 1) / 2;
    for (size_t i = 0; i < f->count; i++) {
        double d[3];
        for (int c = 0; c < 3; c++) d[c] = f->position[i][c] - f->lattice.origin[c];
        for (int k = 0; k < 3; k++) {
            double u = (d[0] * g[k][0] + d[1] * g[k][1]) + d[2] * g[k][2];
            max[k] = fmax(max[k], fmax(u, (double)f->lattice.n[k] - 1 - u));
        }
    }
    for (int k = 0; k < 3; k++) needed[k] = 2 * (ceil(max[k]) + SPLINE_REACH + guard);
}

// The function frame_lattice of the job of the mesh.
static int mesh_lattice(const void *owner, const struct trj_frame *f, struct trj_map_lattice *l,
                        struct trj_error *err) {
    (void)f, (void)err;
    *l = ((const struct pot_job *)owner)->lattice;
    return 0;
}

// Opens the mesh of mesh_job.
static int open_mesh_part(struct fast *s, struct trj_error *err) {
    if (s->parts->fast) {
        s->whole_job = *s->job;
        s->whole_job.near_part = &s->near_job;
        s->whole_job.mesh_part = &s->mesh_job;
        return pot_part_open(&s->whole, s->parts->fast, &s->whole_job, s->number, err);
    }
    return pot_part_open(&s->mesh, s->parts->mesh, &s->mesh_job, s->number, err) ||
                   s->parts->smooth_transform->open(&s->transform, &s->mesh_job, err)
               ? -1
               : 0;
}

static int open_mesh(struct fast *s, const double needed[3], struct trj_error *err) {
    uint64_t n[3];
    bool large = false;
    for (int k = 0; k < 3; k++) {
        large = large || needed[k] > 0x1p20;
        n[k] = large ? 0 : 2 * trj_fourier_size((uint64_t)(needed[k] / 2));
    }
    if (large || pot_fast_transform_bytes(n) > POT_FAST_MEMORY)
        return trj_fail(err, TRJ_BAD_DATA,
                        "a mesh with the steps of the map that contains all charges has %.0f x %.0f x %.0f points, "
                        "which exceeds %g GiB of memory; use --method direct, or a coarser lattice",
                        needed[0], needed[1], needed[2], POT_FAST_MEMORY / 0x1p30);
    s->mesh_job = *s->job;
    s->mesh_job.method = POT_PME;
    s->mesh_job.charge_mesh = true;
    s->mesh_job.alpha = s->alpha;
    s->mesh_job.frame_lattice = mesh_lattice;
    s->mesh_job.frame_lattice_owner = &s->mesh_job;
    s->mesh_job.quantum = pot_mesh_quantum(s->job->max_charge) * (s->near_job.exact ? POT_MESH_FINE : 1);
    memcpy(s->mesh_job.lattice.n, n, sizeof n);
    s->mesh_job.lattice.periodic = TRJ_PERIODIC_ALL;
    s->mesh_job.values = (size_t)trj_map_lattice_points(&s->mesh_job.lattice);
    return open_mesh_part(s, err);
}

// Adds the potential of the frames on the mesh to the sums.
static int transform_mesh(struct fast *s, struct trj_error *err) {
    double *potential;
    const int64_t *charge;
    if (!s->frames) return 0;
    s->frames = 0;
    if (s->parts->fast) return take_part(s, &s->whole, s->job->quantum, err);
    if (pot_part_finish(&s->mesh, s->mesh_job.values, &charge, err) ||
        s->parts->smooth_transform->compute(s->transform, &s->mesh_job.lattice, charge, s->mesh_job.quantum,
                                            s->job->lattice.n, &potential, err))
        return -1;
    return pot_pme_round(s->job, potential, s->sum, err);
}

static int add_to_mesh(struct fast *s, const struct pot_frame *f, struct trj_error *err) {
    double needed[3];
    bool open = s->mesh.state || s->whole.state, fits = open;
    find_size(f, s->guard, needed);
    for (int k = 0; k < 3; k++) fits = fits && needed[k] <= (double)s->mesh_job.lattice.n[k];
    if (!fits) {
        if (transform_mesh(s, err)) return -1;
        for (int k = 0; k < 3 && open; k++) needed[k] = fmax(needed[k], (double)s->mesh_job.lattice.n[k]);
        close_mesh(s);
        if (open_mesh(s, needed, err) && (fall_back(s, err) || open_mesh(s, needed, err))) return -1;
    }
    struct pot_frame on_mesh = *f;
    s->frames++;
    if (s->parts->fast) return pot_part_add(&s->whole, f, !s->checked, s->number, err);
    on_mesh.lattice = s->mesh_job.lattice;
    return pot_part_add(&s->mesh, &on_mesh, true, s->number, err);
}

// ---- frames

static int add_near(struct fast *s, const struct pot_frame *f, bool keep, struct trj_error *err) {
    struct pot_frame open = *f;
    if (s->parts->fast) return 0;
    memset(&open.cell, 0, sizeof open.cell);
    s->near_used = true;
    return pot_part_add(&s->near, &open, keep, s->number, err);
}

static void clear(struct fast *s) {
    if (!s->cleared) memset(s->sum, 0, s->job->values * sizeof *s->sum);
    s->cleared = true;
}

static void report(const struct fast *s, double relative) {
    if (s->job->report)
        snprintf(s->job->report, POT_REPORT,
                 "mesh of %llu x %llu x %llu points, alpha %.4g 1/Å, cutoff %.4g Å: relative rms deviation from direct "
                 "sums %.1e",
                 (unsigned long long)s->mesh_job.lattice.n[0], (unsigned long long)s->mesh_job.lattice.n[1],
                 (unsigned long long)s->mesh_job.lattice.n[2], s->alpha, s->near_job.cutoff, relative);
}

static int add_first(struct fast *s, const struct pot_frame *f, struct trj_error *err) {
    double deviation = 0, rms = 0;
    for (int i = 0; i < TRIES; i++) {
        close_parts(s);
        clear(s);
        s->cleared = false;
        if (open_near(s, i, err)) return -1;
        if (add_to_mesh(s, f, err)) return -1;
        if (add_near(s, f, true, err)) return -1;
        if (transform_mesh(s, err)) return -1;
        if (take_near(s, err)) return -1;
        pot_fast_compare(s->job, f, s->sum, &deviation, &rms);
        if (!(deviation <= s->job->tolerance * rms)) continue;
        s->checked = rms > 0; // a frame without charges, whose map is 0, shows nothing about the parameters
        if (s->checked) report(s, deviation / rms);
        s->cleared = true;
        return 0;
    }
    return trj_fail(err, TRJ_BAD_DATA,
                    "the rms deviation from direct sums at %d points is %.2g of the rms of the map, and exceeds the "
                    "tolerance %g; use a larger --tolerance, or --method direct",
                    POT_FAST_SAMPLES, deviation / rms, s->job->tolerance);
}

int pot_fast_add(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct fast *s = state;
    s->number = s->added++;
    if (!s->checked) return add_first(s, f, err);
    clear(s);
    return add_to_mesh(s, f, err) || add_near(s, f, false, err) ? -1 : 0;
}

int pot_fast_finish(void *state, const int64_t **values, struct trj_error *err) {
    struct fast *s = state;
    s->number = UINT64_MAX;
    clear(s);
    s->cleared = false;
    if (transform_mesh(s, err) || take_near(s, err)) return -1;
    *values = s->sum;
    return 0;
}

uint64_t pot_fast_bad_frame(const void *state) {
    const struct fast *s = state;
    const struct pot_part *const parts[2] = {s->parts->fast ? &s->whole : &s->mesh, &s->near};
    return pot_parts_bad_frame(parts, s->number);
}

void pot_fast_stats(void *state, struct trj_engine_stats *stats) {
    struct fast *s = state;
    struct pot_part *const parts[2] = {s->parts->fast ? &s->whole : &s->mesh, &s->near};
    pot_parts_stats(parts, s->devices, stats);
}

// ---- the engine cpu

static int open_cpu(void **state, const struct pot_job *job, struct trj_error *err) {
    const uint64_t one[3] = {1, 1, 1};
    struct trj_fourier probe;
    int rc = trj_fourier_open(&probe, one, "a potential by the method fast", err);
    trj_fourier_close(&probe);
    return rc ? -1 : pot_fast_open(state, job, &pot_parts_cpu, err);
}

const struct pot_method pot_fast_cpu = {
    .open = open_cpu, .add = pot_fast_add, .finish = pot_fast_finish, .close = pot_fast_close};

static int open_fixed(void **state, const struct pot_job *job, struct trj_error *err) {
    void *opened;
    if (open_cpu(&opened, job, err)) return -1;
    struct fast *s = opened;
    s->near_job = *job->near_part;
    s->mesh_job = *job->mesh_part;
    s->mesh_job.frame_lattice_owner = &s->mesh_job;
    s->alpha = s->mesh_job.alpha;
    s->guard = pot_fast_guard(0); // a wider guard is already part of the fixed mesh
    s->checked = true;
    if (open_near_part(s, err) || open_mesh_part(s, err)) {
        pot_fast_close(s);
        return -1;
    }
    *state = s;
    return 0;
}

const struct pot_method pot_fast_fixed_cpu = {
    .open = open_fixed, .add = pot_fast_add, .finish = pot_fast_finish, .close = pot_fast_close};
