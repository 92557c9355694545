// SPDX-License-Identifier: MIT
// Windows, weights and the back-transform to r, compared with integrals in closed form; the names in measured tables.
#include <unistd.h>

#include "measured_pdf.h"
#include "quantity.h"
#include "tap.h"

#define PI 3.14159265358979323846

static bool near(double a, double b, double tolerance) {
    if (fabs(a - b) <= tolerance) return true;
    printf("# %.12g, expected %.12g\n", a, b);
    return false;
}

static void check_windows(void) {
    for (size_t i = 0; rdf_windows[i].name; i++) {
        const char *name = rdf_windows[i].name;
        ok(near(rdf_window_at(name, 0, 20), 1, 1e-15) && near(rdf_window_at(name, 1e-3, 20), 1, 1e-6) &&
               near(rdf_window_at(name, 20, 20), i ? 0 : 1, 1e-15),
           "window %s: 1 at q = 0, and %d at qmax", name, i ? 0 : 1);
    }
    ok(near(rdf_window_at("lorch", 10, 20), 2 / PI, 1e-15) && near(rdf_window_at("hann", 10, 20), 0.5, 1e-15),
       "Lorch's and von Hann's windows at qmax/2");
    // The transform of a homogeneous sphere of radius R = y/q
    ok(near(rdf_window_at("revised-lorch", 1, 4.493409457909064), 3 * (sin(1) - cos(1)), 1e-14),
       "the revised Lorch window is the form factor of a sphere");
}

// With irregular points, a linear integrand is exact, also between points.
static void check_weights(void) {
    const double q[] = {0.3, 0.5, 1.1, 1.2, 2, 2.75};
    const double ranges[][2] = {{0.3, 2.75}, {0, 2.75}, {0.5, 2}, {0.4, 2.6}, {0.6, 0.9}, {1.11, 1.13}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        double weight[6], sum = 0, low = fmax(ranges[i][0], q[0]), high = ranges[i][1];
        rdf_pdf_weights(weight, q, 6, ranges[i][0], high, "none");
        for (size_t k = 0; k < 6; k++) sum += weight[k] * (3 + 2 * q[k]);
        ok(near(sum, 3 * (high - low) + high * high - low * low, 1e-12), "weights from %g to %g", low, high);
    }
}

// q i(q) = sin(q d) exp(-q^2 w^2/2) is a Gaussian of width w at d: r H(r) = [N(r - d) - N(r + d)], N of area 1.
static void check_back_transform(void) {
    enum { POINTS = 3001, ROWS = 60 };
    static double q[POINTS], weight[POINTS], y[POINTS][2], h[ROWS][2];
    const struct rdf_r_grid grid = {0, 0.1, ROWS};
    double d[] = {2, 3.3}, w[] = {0.2, 0.3}, worst = 0;
    for (size_t i = 0; i < POINTS; i++) {
        q[i] = 0.02 * (double)i;
        for (size_t c = 0; c < 2; c++)
            y[i][c] = i ? sin(q[i] * d[c]) / q[i] * exp(-q[i] * q[i] * w[c] * w[c] / 2) : d[c];
    }
    rdf_pdf_weights(weight, q, POINTS, 0, q[POINTS - 1], "none");
    rdf_back_transform(h[0], &grid, y[0], 2, q, weight, POINTS);
    for (size_t k = 0; k < ROWS; k++)
        for (size_t c = 0; c < 2; c++) {
            double r = 0.1 * (double)k, a = (r - d[c]) / w[c], b = (r + d[c]) / w[c];
            double want = (exp(-a * a / 2) - exp(-b * b / 2)) / (w[c] * sqrt(2 * PI));
            worst = fmax(worst, fabs(r * h[k][c] - want));
        }
    ok(worst < 1e-9, "transform of a Gaussian peak: error %g", worst);
}

// q i(q) = sin(q d), cut at qmin and qmax, where q d changes by 0.1 in a step: r H(r) = [f(r - d) - f(r + d)] / pi with
// f(x) = [sin(qmax x) - sin(qmin x)] / x, and H(0) is its limit for small r.
static void check_cut_transform(void) {
    enum { POINTS = 600, ROWS = 51 };
    static double q[POINTS], smooth[POINTS], y[POINTS], h[ROWS];
    const struct rdf_r_grid grid = {0, 0.1, ROWS};
    const double d = 2.5, qmin = 0.7, qmax = qmin + 0.1 / (d + 5) * (POINTS - 1);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < POINTS; i++) {
        q[i] = qmin + (qmax - qmin) * (double)i / (POINTS - 1);
        y[i] = sin(q[i] * d) / q[i];
    }
    rdf_pdf_smooth_weights(smooth, POINTS, qmin, qmax, "none");
    rdf_back_transform(h, &grid, y, 1, q, smooth, POINTS);
    for (size_t k = 0; k < ROWS; k++) {
        double r = 0.1 * (double)k, want = 0;
        for (int sign = -1; sign <= 1; sign += 2)
            for (int end = 0; end < 2; end++) {
                double x = r + sign * d, at = end ? qmax : qmin, side = (end ? 1 : -1) * -sign / PI;
                double whole = fabs(x) > 1e-9 ? sin(at * x) / x : at;
                // Of r H(r) / r at r = 0, the derivative of sin(q x)/x at x = d counts twice.
                want += k ? side * whole / r : side * sign * (at * cos(at * d) / d - sin(at * d) / (d * d));
            }
        worst = fmax(worst, fabs(h[k] - want));
        largest = fmax(largest, fabs(want));
    }
    ok(worst < 2e-5 * largest,
       "transform of a sharp distance, cut at both ends, also at r = 0: error %.3g of the largest", worst / largest);
    double share[4], sum = 0;
    for (size_t n = RDF_PDF_MIN_POINTS; n < 8; n++) { // a cubic polynomial is exact
        rdf_pdf_smooth_weights(smooth, n, 1, 3, "none");
        for (size_t i = 0; i < n; i++) sum += smooth[i] * pow(1 + 2 * (double)i / (double)(n - 1), 2);
        share[n - RDF_PDF_MIN_POINTS] = sum, sum = 0;
    }
    ok(near(share[0], 26. / 3, 1e-12) && near(share[1], 26. / 3, 1e-12), "weights of few points");
}

// D. A. Keen, J. Appl. Cryst. 34, 172 (2001): g = 1.25, <b>^2 = 0.4 barn, rho = 0.1, r = 2 as in test_scattering.c
static void check_forms(void) {
    const struct {
        const char *form;
        bool of_f;
        double want, share;
    } forms[] = {{"g", false, 1.25, 0.25},
                 {"pdf", false, 4 * PI * 0.2 * 0.25, 4 * PI * 0.2 * 0.25},
                 {"rdf", false, 4 * PI * 0.4 * 1.25, 4 * PI * 0.4 * 0.25},
                 {"fz", true, 0.1, 0.1},
                 {"d", true, 4 * PI * 0.2 * 0.1, 4 * PI * 0.2 * 0.1},
                 {"t", true, 4 * PI * 0.2 * 0.5, 4 * PI * 0.2 * 0.1}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        double h = 4 * PI * 0.1 * 0.25 * (forms[i].of_f ? 0.4 : 1), add, less;
        double scale = rdf_pdf_scale(&add, forms[i].form, 2, 0.1, 0.4, 1);
        rdf_pdf_scale(&less, forms[i].form, 2, 0.1, 0.4, 0);
        ok(near(scale * h + add, forms[i].want, 1e-12) && near(scale * h + less, forms[i].share, 1e-12), "form %s",
           forms[i].form);
    }
}

// Reads a text as a file whose name ends in `ending`. Returns the kind; -1 after an error.
static int kind_of(const char *text, const char *ending, struct trj_measured_curve *c) {
    char path[64];
    struct trj_input *in;
    struct trj_error err;
    snprintf(path, sizeof path, "/tmp/measured-%ld%s", (long)getpid(), ending);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) || trj_input_open(&in, path, &err)) return -1;
    int rc = trj_measured_read(c, in, &err);
    trj_input_close(in);
    unlink(path);
    if (rc) printf("# %s\n", err.text);
    return rc ? -1 : (int)c->kind;
}

static void check_names(void) {
    const struct {
        const char *heading, *ending;
        int kind;
        bool of_q;
    } cases[] = {
        {"#L r(A) G(A^-2)\n", ".txt", TRJ_CURVE_PDF, false},
        {"#L R     G(R)\n", ".gr", TRJ_CURVE_PDF, false},
        {"#L r(\303\205)  G(\303\205$^{-2}$)\n", ".gr", TRJ_CURVE_PDF, false},
        {"# r, g(r)\n", ".dat", TRJ_CURVE_G, false},
        {"# r D(r)\n", ".dat", TRJ_CURVE_D, false},
        {"# r\tT(neutron)\n", ".dat", TRJ_CURVE_T, false},
        {"# r\tRDF(xray)\n", ".tsv", TRJ_CURVE_RDF, false},
        {"# r\tpdf(xray)\n", ".tsv", TRJ_CURVE_PDF, false},
        {"# r\tG(xray)\n", ".tsv", TRJ_CURVE_OTHER, false},
        {"#L Q S(Q)\n", ".sq", TRJ_CURVE_S, true},
        {"# q\tS(xray)\n", ".tsv", TRJ_CURVE_S, true},
        {"# q\tS(O:O)\n", ".tsv", TRJ_CURVE_OTHER, true},
        {"#L Q($\\AA^{-1}$)  F($\\AA^{-1}$)\n", ".fq", TRJ_CURVE_QI, true},
        {"# q\tF(neutron)\n", ".tsv", TRJ_CURVE_F, true},
        {"# q\tFq(neutron)\n", ".tsv", TRJ_CURVE_QI, true},
        {"# Q I\n", ".dat", TRJ_CURVE_INTENSITY, true},
        {"", ".gr", TRJ_CURVE_PDF, false},
        {"", ".sq", TRJ_CURVE_S, true},
        {"", ".fq", TRJ_CURVE_QI, true},
        {"", ".chi", TRJ_CURVE_INTENSITY, true},
        {"# reduced by hand\n", ".sq", TRJ_CURVE_S, true},
        {"# quartz at 300 K\n", ".gr", TRJ_CURVE_PDF, false},
        {"2\nrmc S(Q) # a\n", ".txt", TRJ_CURVE_S, true},
        {"2\nrmc D(r) # a\n", ".gr", TRJ_CURVE_D, false},
        {"2\nrmc G(r) # a\n", ".gr", TRJ_CURVE_OTHER, false},
        {"2\na title\n", ".fq", TRJ_CURVE_OTHER, true},
        {"", ".txt", -1, false},
        {"# 2theta I\n", ".chi", -1, false},
        {"# q_nm^-1 I\n", ".chi", -1, false},
        {"# r_nm g\n", ".gr", -1, false},
        {"3\nrmc S(Q) # a\n", ".sq", -1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trj_measured_curve c;
        char text[200];
        snprintf(text, sizeof text, "%s0.5 1\n1 2\n", cases[i].heading);
        int kind = kind_of(text, cases[i].ending, &c);
        ok(kind == cases[i].kind && (kind < 0 || c.of_q == cases[i].of_q), "names '%.*s', %s: kind %d",
           (int)strcspn(cases[i].heading, "\n"), cases[i].heading, cases[i].ending, kind);
        trj_measured_free(&c);
    }
}

static void check_columns(void) {
    struct trj_measured_curve c;
    ok(kind_of("#L r G\n1 2 0.1\n2 3 0.2\n", ".gr", &c) == TRJ_CURVE_PDF && c.error && near(c.error[1], 0.2, 0),
       "three columns: the third contains errors");
    trj_measured_free(&c);
    ok(kind_of("#L r G\n1 2 0 0.1\n2 3 0 0.2\n", ".gr", &c) == TRJ_CURVE_PDF && c.error && near(c.error[0], 0.1, 0),
       "four columns: the fourth contains errors");
    trj_measured_free(&c);
    ok(kind_of("#L r G\n1 2 0.1\n2 3 0\n", ".gr", &c) == TRJ_CURVE_PDF && !c.error, "an error of 0: none is known");
    trj_measured_free(&c);
    ok(kind_of("x-ray data\n\n#L r G\n1\t2\n 2, nan\n\n# end\n", ".gr", &c) == TRJ_CURVE_PDF && c.rows == 2 &&
           !strcmp(c.probe, "xray") && isnan(c.y[1]),
       "separators, nan, a comment after the rows, and the probe");
    trj_measured_free(&c);
    ok(kind_of("# provenance: x xray\n#L r G\n1 2\n2 3\n", ".gr", &c) == TRJ_CURVE_PDF && !c.probe,
       "a command line does not state the probe");
    trj_measured_free(&c);
}

int main(void) {
    check_windows();
    check_weights();
    check_back_transform();
    check_cut_transform();
    check_forms();
    check_names();
    check_columns();
    return done();
}
