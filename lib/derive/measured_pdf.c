// SPDX-License-Identifier: MIT
// Transforms a measured S(q) as the programs for such data do, so that a computed and a measured G(r) have the same
// termination errors.
#include "measured_pdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "quantity.h"

#define PI 3.14159265358979323846

enum { NONE, LORCH, REVISED_LORCH, HANN };
const struct trj_choice rdf_windows[] = {
    [NONE] = {"none", "no window"},
    [LORCH] = {"lorch", "Lorch's window, sin(pi x)/(pi x)"},
    [REVISED_LORCH] = {"revised-lorch", "pdf: Soper and Barney's window, 3 (sin y - y cos y)/y^3, y = 4.4934 x"},
    [HANN] = {"hann", "pdf: von Hann's window, (1 + cos(pi x))/2"},
    {0}};

double rdf_window_at(const char *name, double q, double qmax) {
    size_t i = 0;
    double x = q / qmax, y = 4.493409457909064 * x; // the first root of tan y = y
    while (strcmp(rdf_windows[i].name, name) != 0) i++;
    if (i == HANN) return (1 + cos(PI * x)) / 2;
    if (i == REVISED_LORCH) return y > 1e-3 ? 3 * (sin(y) - y * cos(y)) / (y * y * y) : 1 - y * y / 10;
    return i == LORCH && x > 1e-4 ? sin(PI * x) / (PI * x) : 1;
}

void rdf_back_transform(double *h, const struct rdf_r_grid *grid, const double *y, size_t curves, const double *q,
                        const double *weight, size_t points) {
    for (size_t k = 0; k < grid->count; k++) {
        double r = grid->min + grid->step * (double)k;
        for (size_t i = 0; i < points; i++) {
            double x = q[i] * r, wave = x > 1e-4 ? sin(x) / x : 1 - x * x / 6;
            double factor = 2 / PI * weight[i] * q[i] * q[i] * wave;
            for (size_t c = 0; c < curves && weight[i] != 0; c++) h[k * curves + c] += factor * y[i * curves + c];
        }
    }
}

// An interval that contains qmin or qmax is cut there, and the ends share its integral by their distances.
void rdf_pdf_weights(double *weight, const double *q, size_t points, double qmin, double qmax, const char *window) {
    memset(weight, 0, points * sizeof *weight);
    for (size_t i = 0; i + 1 < points; i++) {
        double low = fmax(q[i], qmin), high = fmin(q[i + 1], qmax);
        if (!(high > low)) continue;
        double share = ((low + high) / 2 - q[i]) / (q[i + 1] - q[i]);
        weight[i] += (high - low) * (1 - share);
        weight[i + 1] += (high - low) * share;
    }
    for (size_t i = 0; i < points; i++)
        if (weight[i] != 0) weight[i] *= rdf_window_at(window, fmin(q[i], qmax), qmax);
}

void rdf_pdf_smooth_weights(double *weight, size_t points, double qmin, double qmax, const char *window) {
    static const double ends[] = {3. / 8, 7. / 6, 23. / 24};
    const size_t near = sizeof ends / sizeof *ends;
    double step = (qmax - qmin) / (double)(points - 1);
    for (size_t i = 0; i < points; i++) {
        size_t end = i < points - 1 - i ? i : points - 1 - i; // the distance from the nearer end
        double q = fmin(qmin + step * (double)i, qmax);
        weight[i] = step * (end < near ? ends[end] : 1) * rdf_window_at(window, q, qmax);
    }
}

void rdf_pdf_free(struct rdf_pdf *p) {
    free(p->value);
    free(p->error);
    free(p->q);
    free(p->i);
    free(p->i_error);
    *p = (struct rdf_pdf){.value = NULL};
}

int rdf_pdf_alloc(struct rdf_pdf *p, size_t curves, bool errors, struct trj_error *err) {
    p->curves = curves;
    p->value = trj_alloc(curves * p->r.count, sizeof *p->value, "the table", err);
    p->q = p->value ? trj_alloc(p->waves, sizeof *p->q, "waves", err) : NULL;
    p->i = p->q ? trj_alloc(curves * p->waves, sizeof *p->i, "waves", err) : NULL;
    if (!p->i) return -1;
    if (!errors) return 0;
    p->error = trj_alloc(curves * p->r.count, sizeof *p->error, "the table", err);
    p->i_error = p->error ? trj_alloc(curves * p->waves, sizeof *p->i_error, "waves", err) : NULL;
    return p->i_error ? 0 : -1;
}

double rdf_pdf_scale(double *add, const char *form, double r, double density, double mean, double base) {
    bool g = !strcmp(form, "g"), t = !strcmp(form, "t"), rdf = !strcmp(form, "rdf");
    *add = g ? base : 0;
    if (t) *add = base * 4 * PI * r * density * mean;
    if (rdf) *add = base * 4 * PI * r * r * density;
    if (g || !strcmp(form, "fz")) return 1 / (4 * PI * density);
    return rdf ? r * r : r;
}

int rdf_pdf_set_grid(struct rdf_pdf *p, const struct rdf_pdf_options *options, double rmax, struct trj_error *err) {
    enum { MAX_ROWS = 1000000 };
    double end = isnan(options->rmax) ? fmax(rmax, options->rmin) : options->rmax;
    if (!(options->rmin >= 0 && end >= options->rmin && options->dr > 0 &&
          (end - options->rmin) / options->dr < MAX_ROWS))
        return trj_fail(
            err, TRJ_USAGE,
            "--rmin %g, --rmax %g, --dr %g: invalid grid: expected 0 <= rmin <= rmax, dr > 0 and at most %d points",
            options->rmin, end, options->dr, MAX_ROWS);
    p->r = (struct rdf_r_grid){options->rmin, options->dr,
                               (size_t)((end - options->rmin) / options->dr * (1 + 1e-12)) + 1};
    return 0;
}

// ---- measured tables

int rdf_pdf_detect_table(bool *table, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    const unsigned char *head;
    size_t n = 0;
    uint64_t bytes;
    int is_file = strcmp(path, "-") != 0 ? trj_input_is_file(path, &bytes, err) : 0;
    if (is_file < 0) return -1;
    *table = strcmp(path, "-") != 0 && (access(path, R_OK) || is_file);
    if (!*table) return 0;
    int rc = trj_input_open(&in, path, err);
    if (!rc && (rc = trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err))) trj_fail_at(err, "%s", path);
    if (!rc) *table = n && !rdf_hist_is(head, n);
    trj_input_close(in);
    return rc;
}

static int check_curve(const struct trj_measured_curve *c, const char *form, double density, struct trj_error *err) {
    bool of_f = c->kind == TRJ_CURVE_F, mean = rdf_form_takes_mean(form);
    if (!c->of_q || (c->kind != TRJ_CURVE_S && c->kind != TRJ_CURVE_QI && !of_f))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the second column, '%s', is not S(q) or q (S(q) - 1); name the columns in a line "
                        "'#L Q(A^-1) S(Q)' or '#L Q(A^-1) F(A^-1)' before the rows",
                        c->name);
    if (!strcmp(form, "t") || of_f == mean)
        return trj_fail(err, TRJ_USAGE,
                        "--form %s: cannot be computed from %s, because <b>^2 is unknown; give one of the forms %s",
                        form, of_f ? "F(q)" : "S(q)", of_f ? "d, fz" : "pdf, g, rdf");
    if (isnan(density) && strcmp(form, "pdf") != 0 && strcmp(form, "d") != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--form %s: requires the density of atoms; give --atoms and --volume, or use --form %s", form,
                        of_f ? "d" : "pdf");
    return 0;
}

// Checks the points that the integral uses, and sets *step to their largest distance.
static int check_points(double *step, const struct trj_measured_curve *c, double qmin, double qmax,
                        struct trj_error *err) {
    double last = c->x[c->rows - 1];
    if (c->x[0] < 0) return trj_fail(err, TRJ_BAD_DATA, "q begins at %g: expected 0 or more", c->x[0]);
    if (qmax > last * (1 + 1e-9))
        return trj_fail(err, TRJ_USAGE, "--qmax %g: the table ends at q = %g; give a smaller --qmax", qmax, last);
    if (!(qmax > fmax(qmin, c->x[0])))
        return trj_fail(err, TRJ_USAGE, "--qmin %g, --qmax %g: no q of the table between them", qmin, qmax);
    *step = 0;
    for (size_t i = 0; i < c->rows; i++) {
        bool used = (i + 1 < c->rows ? c->x[i + 1] : last) >= qmin && (i ? c->x[i - 1] : 0) <= qmax;
        if (used && isnan(c->y[i])) return trj_fail(err, TRJ_BAD_DATA, "the value at q = %g is not a number", c->x[i]);
        if (used && i) *step = fmax(*step, c->x[i] - c->x[i - 1]);
    }
    return 0;
}

static bool equal_steps(const struct trj_measured_curve *c) {
    double step = (c->x[c->rows - 1] - c->x[0]) / (double)(c->rows - 1);
    for (size_t i = 1; i < c->rows; i++)
        if (fabs(c->x[i] - c->x[i - 1] - step) > 1e-3 * step) return false;
    return true;
}

// Each point has an independent error; it contributes to G(r) by the square of its weight.
static void add_errors(struct rdf_pdf *p, const double *weight) {
    for (size_t k = 0; k < p->r.count; k++) {
        double r = p->r.min + p->r.step * (double)k, sum = 0;
        for (size_t i = 0; i < p->waves; i++) {
            double x = p->q[i] * r, wave = x > 1e-4 ? sin(x) / x : 1 - x * x / 6;
            double each = 2 / PI * weight[i] * p->q[i] * p->q[i] * wave * p->i_error[i];
            sum += each * each;
        }
        p->error[k] = sqrt(sum);
    }
}

static int transform_curve(struct rdf_pdf *p, const struct trj_measured_curve *c, const struct rdf_pdf_options *options,
                           const char *window, double qmin, double qmax, double density, struct trj_error *err) {
    enum { USUAL_RMAX = 20 };
    double step, max;
    if (isnan(qmax)) qmax = c->x[c->rows - 1];
    if (check_curve(c, options->form, density, err) || check_points(&step, c, qmin, qmax, err)) return -1;
    max = PI / step;
    if (rdf_pdf_set_grid(p, options, fmin(USUAL_RMAX, max), err)) return -1;
    if (p->r.min + p->r.step * (double)(p->r.count - 1) > max * (1 + 1e-3))
        return trj_fail(err, TRJ_USAGE,
                        "--rmax: points of q that are %g 1/Angstrom apart determine G(r) up to r = %g only; give a "
                        "smaller --rmax",
                        step, max);
    p->qmin = fmax(qmin, c->x[0]);
    p->qmax = qmax;
    p->step = equal_steps(c) ? step : 0;
    p->waves = c->rows;
    double *weight = trj_alloc(c->rows, sizeof *weight, "waves", err);
    if (!weight || rdf_pdf_alloc(p, 1, c->error != NULL, err)) {
        free(weight);
        return -1;
    }
    for (size_t i = 0; i < c->rows; i++) {
        double scale = c->kind == TRJ_CURVE_QI ? (c->x[i] > 0 ? 1 / c->x[i] : 0) : 1;
        p->q[i] = c->x[i];
        p->i[i] = scale * c->y[i] - (c->kind == TRJ_CURVE_S);
        if (c->error) p->i_error[i] = scale * c->error[i];
        if (isnan(c->y[i])) p->i[i] = 0; // outside of the integral
    }
    rdf_pdf_weights(weight, p->q, p->waves, qmin, qmax, window);
    rdf_back_transform(p->value, &p->r, p->i, 1, p->q, weight, p->waves);
    if (c->error) add_errors(p, weight);
    free(weight);
    for (size_t k = 0; k < p->r.count; k++) {
        double add, scale = rdf_pdf_scale(&add, options->form, p->r.min + p->r.step * (double)k, density, 0, 1);
        p->value[k] = scale * p->value[k] + add;
        if (p->error) p->error[k] *= scale;
    }
    return 0;
}

int rdf_pdf_of_table(struct rdf_pdf *p, struct trj_measured_curve *c, const char *path,
                     const struct rdf_pdf_options *options, const char *window, double qmin, double qmax,
                     double density, struct trj_error *err) {
    struct trj_input *in = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    int rc = trj_measured_read(c, in, err);
    trj_input_close(in);
    if (!rc && options->probe && c->probe && strcmp(options->probe, c->probe) != 0)
        rc =
            trj_fail(err, TRJ_USAGE, "--total %s: this is a table for %s; leave --total out", options->probe, c->probe);
    if (!rc) rc = transform_curve(p, c, options, window, qmin, qmax, density, err);
    return rc ? trj_fail_at(err, "%s", path) : 0;
}
