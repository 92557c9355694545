// SPDX-License-Identifier: MIT
// Parses and tabulates pair potentials, with Hermite slopes that preserve monotone tables.
#include "pot_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "measured_curve.h"
#include "memory.h"
#include "number.h"
#include "pot_kernel_value.h"

#define SIXTH_ROOT_OF_2 0x1.1f59ac3c7d6c0p+0

const struct pot_kernel_name pot_kernel_names[POT_KERNELS] = {
    [POT_KERNEL_RODRIGUES] = {"rodrigues", "q (1 - (r/rc)^2)^2 / r"},
    [POT_KERNEL_SHIFT] = {"shift", "q (1/r - 2/rc + r/rc^2)"},
    [POT_KERNEL_REACTION] = {"rf:EPS", "reaction field of a medium with this dielectric constant; 0: infinite"},
    [POT_KERNEL_ERFC] = {"erfc:ALPHA", "q erfc(ALPHA r) / r, ALPHA in 1/Angstrom"},
    [POT_KERNEL_YUKAWA] = {"yukawa:KAPPA", "q exp(-KAPPA r) / r, KAPPA in 1/Angstrom"},
    [POT_KERNEL_LJ] = {"lj:probe=RMIN_HALF,EPS", "Lennard-Jones potential of a probe, given as in AMBER, in kcal/mol"},
    [POT_KERNEL_BUCKINGHAM] = {"buckingham:A,B,C", "A exp(-B r) - C / r^6, in kcal/mol"},
    [POT_KERNEL_COUNT] = {"count", "number of atoms within the cutoff"},
    [POT_KERNEL_TABLE] = {"table:FILE", "q f(r), with the columns r and f from a file"},
};

// ---- the option

// Checks the rows. Errors have the status TRJ_BAD_DATA, because the table is the content of a file.
static int check_table(const struct pot_job *job, struct trj_error *err) {
    if (job->table_count < 2)
        return trj_fail(err, TRJ_BAD_DATA, "the table has %zu rows, expected at least 2", job->table_count);
    for (size_t i = 0; i < job->table_count; i++) {
        double r = job->table_r[i];
        if (!(r >= 0) || (i && !(r > job->table_r[i - 1])) || !(fabs(job->table_f[i]) <= 1e100))
            return trj_fail(err, TRJ_BAD_DATA,
                            "row %zu of the table, %g %g: expected increasing distances of at least 0, and finite "
                            "values",
                            i, r, job->table_f[i]);
    }
    double last = job->table_r[job->table_count - 1];
    if (last >= job->cutoff) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the table ends at %g Angstrom, before the cutoff, %g; use a shorter --cutoff",
                    last, job->cutoff);
}

static int read_table(struct pot_job *job, const char *path, struct trj_error *err) {
    struct trj_input *in;
    struct trj_measured_curve curve;
    if (trj_input_open(&in, path, err)) return -1;
    int rc = trj_measured_read(&curve, in, err);
    if (!rc && curve.of_q) rc = trj_fail(err, TRJ_BAD_DATA, "the first column is q, expected r in Angstrom");
    if (!rc) {
        job->table_count = curve.rows;
        job->table_r = curve.x;
        job->table_f = curve.y;
        curve.x = curve.y = NULL;
        rc = check_table(job, err);
    }
    if (rc) trj_fail_at(err, "%s", path);
    trj_measured_free(&curve);
    trj_input_close(in);
    return rc;
}

static void free_rows(const double *rows) {
    void *memory;
    memcpy(&memory, &rows, sizeof memory); // a cast would discard `const`
    free(memory);
}

void pot_kernel_table_free(struct pot_job *job) {
    free_rows(job->table_r);
    free_rows(job->table_f);
    job->table_r = job->table_f = NULL;
    job->table_count = 0;
}

// Returns how many numbers follow the name of a kernel.
static size_t parameters_of(enum pot_kernel_kind kind) {
    switch (kind) {
    case POT_KERNEL_REACTION:
    case POT_KERNEL_ERFC:
    case POT_KERNEL_YUKAWA:
        return 1;
    case POT_KERNEL_LJ:
        return 2;
    case POT_KERNEL_BUCKINGHAM:
        return 3;
    default:
        return 0;
    }
}

int pot_kernel_parse(struct pot_job *job, const char *text, struct trj_error *err) {
    size_t length = strcspn(text, ":");
    const char *rest = text[length] ? text + length + 1 : NULL;
    for (unsigned i = 0; i < POT_KERNELS; i++) {
        const char *form = pot_kernel_names[i].form;
        if (strcspn(form, ":") != length || strncmp(form, text, length) != 0) continue;
        job->kernel = (enum pot_kernel_kind)i;
        if (i == POT_KERNEL_TABLE && rest && *rest) return read_table(job, rest, err);
        if (i == POT_KERNEL_LJ && rest) rest = strncmp(rest, "probe=", 6) ? "" : rest + 6;
        size_t expected = parameters_of(job->kernel);
        if (i == POT_KERNEL_TABLE || !rest != !expected ||
            (rest && trj_parse_reals(rest, job->parameter, 3) != expected))
            return trj_fail(err, TRJ_USAGE, "invalid kernel '%s': expected %s", text, form);
        if (i == POT_KERNEL_LJ) job->parameter[0] *= 2 / SIXTH_ROOT_OF_2;
        return 0;
    }
    trj_error_set(err, TRJ_USAGE, "unknown kernel '%s': expected", text);
    for (unsigned i = 0; i < POT_KERNELS; i++)
        trj_error_append(err, "%s %s", !i ? "" : i + 1 < POT_KERNELS ? "," : " or", pot_kernel_names[i].form);
    return -1;
}

// ---- checks

static int check_parameter(const char *name, double value, double min, double max, struct trj_error *err) {
    if (value >= min && value <= max) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: invalid value %g: expected %g to %g", name, value, min, max);
}

int pot_kernel_check(const struct pot_job *job, struct trj_error *err) {
    const double *p = job->parameter;
    if (check_parameter("--cutoff", job->cutoff, 1e-3, 1e6, err)) return -1;
    switch (job->kernel) {
    case POT_KERNEL_REACTION:
        if (p[0] == 0 || !check_parameter("--kernel: EPS of rf", p[0], 1, 1e9, err)) return 0;
        trj_error_append(err, ", or 0 for infinity");
        return -1;
    case POT_KERNEL_ERFC:
        return check_parameter("--kernel: ALPHA of erfc", p[0], 1e-6, 1e3, err);
    case POT_KERNEL_YUKAWA:
        return check_parameter("--kernel: KAPPA of yukawa", p[0], 0, 1e3, err);
    case POT_KERNEL_LJ:
        return check_parameter("--kernel: RMIN_HALF of lj", p[0] * SIXTH_ROOT_OF_2 / 2, 0, 1e3, err) ||
                       check_parameter("--kernel: EPS of lj", p[1], 0, POT_MAX_EPSILON, err)
                   ? -1
                   : 0;
    case POT_KERNEL_BUCKINGHAM:
        return check_parameter("--kernel: A of buckingham", p[0], 0, 1e12, err) ||
                       check_parameter("--kernel: B of buckingham", p[1], 0, 1e3, err) ||
                       check_parameter("--kernel: C of buckingham", p[2], 0, 1e12, err)
                   ? -1
                   : 0;
    case POT_KERNEL_TABLE:
        return check_table(job, err);
    default:
        return 0;
    }
}

bool pot_kernel_has_charge(enum pot_kernel_kind kind) {
    return pot_kernel_of_charge(kind);
}

// ---- the table

static double secant(const struct pot_kernel *k, size_t i) {
    return (k->f[i + 1] - k->f[i]) / (k->r[i + 1] - k->r[i]);
}

static int set_slopes(struct pot_kernel *k, struct trj_error *err) {
    size_t last = k->rows - 1;
    k->slope = trj_alloc(k->rows, sizeof *k->slope, "the table of a kernel", err);
    if (!k->slope) return -1;
    k->slope[0] = secant(k, 0);
    k->slope[last] = secant(k, last - 1);
    for (size_t i = 1; i < last; i++) {
        double before = k->r[i] - k->r[i - 1], after = k->r[i + 1] - k->r[i];
        k->slope[i] = (secant(k, i - 1) * after + secant(k, i) * before) / (before + after);
    }
    return 0;
}

// ---- values

int pot_kernel_open(struct pot_kernel *k, const struct pot_job *job, struct trj_error *err) {
    double rc = job->cutoff, eps = job->parameter[0];
    *k = (struct pot_kernel){.kind = job->kernel, .cutoff = rc, .square = rc * rc};
    memcpy(k->c, job->parameter, sizeof k->c);
    switch (k->kind) {
    case POT_KERNEL_RODRIGUES:
        k->c[0] = 1 / k->square;
        return 0;
    case POT_KERNEL_SHIFT:
        k->c[0] = 2 / rc;
        k->c[1] = 1 / k->square;
        return 0;
    case POT_KERNEL_REACTION: // the limits for an infinite constant are 1/2 and 3/2
        k->c[0] = (eps > 0 ? (eps - 1) / (2 * eps + 1) : 0.5) / (k->square * rc);
        k->c[1] = (eps > 0 ? 3 * eps / (2 * eps + 1) : 1.5) / rc;
        return 0;
    case POT_KERNEL_TABLE:
        k->rows = job->table_count;
        k->r = job->table_r;
        k->f = job->table_f;
        if (set_slopes(k, err)) return -1;
        if (!pot_table_cubics_make(&k->cubics, k->rows, k->r, k->f, k->slope, err)) return 0;
        pot_kernel_close(k);
        return -1;
    default:
        return 0;
    }
}

void pot_kernel_close(struct pot_kernel *k) {
    free(k->slope);
    pot_table_cubics_free(&k->cubics);
    *k = (struct pot_kernel){.slope = NULL};
}

void pot_kernel_values(const struct pot_kernel *k, size_t n, const double *square, const double *a, const double *b,
                       double *value) {
    for (size_t i = 0; i < n; i++) value[i] = pot_kernel_value(k, square[i], a[i], b[i]);
}

void pot_kernel_atom(const struct pot_job *job, const struct pot_frame *frame, size_t i, double *a, double *b) {
    const bool lj = job->kernel == POT_KERNEL_LJ;
    pot_kernel_numbers(job->kernel, job->parameter, frame->charge ? frame->charge[i] : 0, lj ? frame->radius[i] : 0,
                       lj ? frame->epsilon[i] : 0, a, b);
}
