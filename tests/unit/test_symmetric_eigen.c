// SPDX-License-Identifier: MIT
// Eigenvalues and eigenvectors of matrices that are known in closed form.
#include "symmetric_eigen.h"
#include "tap.h"

static const double pi = 3.14159265358979323846;

static void multiply_tridiagonal(void *arg, const double *v, double *product, size_t width) {
    const size_t n = *(const size_t *)arg;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < width; c++)
            product[i * width + c] =
                2 * v[i * width + c] - (i ? v[(i - 1) * width + c] : 0) - (i + 1 < n ? v[(i + 1) * width + c] : 0);
}

// The matrix H D H with the reflection H = 1 - 2 w w' and a diagonal matrix D, whose eigenvalues are those of D.
struct reflected {
    size_t n;
    const double *diagonal, *w;
};

static void reflect(const struct reflected *r, double *v, size_t width, size_t c) {
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) sum += r->w[i] * v[i * width + c];
    for (size_t i = 0; i < r->n; i++) v[i * width + c] -= 2 * sum * r->w[i];
}

static void multiply_reflected(void *arg, const double *v, double *product, size_t width) {
    const struct reflected *r = arg;
    memcpy(product, v, r->n * width * sizeof *v);
    for (size_t c = 0; c < width; c++) {
        reflect(r, product, width, c);
        for (size_t i = 0; i < r->n; i++) product[i * width + c] *= r->diagonal[i];
        reflect(r, product, width, c);
    }
}

// Returns the largest deviation of products of vectors from those of an orthonormal basis.
static double orthogonality(const double *vector, size_t count, size_t n) {
    double worst = 0;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += vector[a * n + i] * vector[b * n + i];
            worst = fmax(worst, fabs(sum - (a == b)));
        }
    return worst;
}

static double residual(const struct trj_eigen_matrix *m, const double *value, const double *vector, size_t count) {
    double worst = 0, *product = calloc(m->n, sizeof *product);
    for (size_t j = 0; product && j < count; j++) {
        double sum = 0;
        m->multiply(m->arg, vector + j * m->n, product, 1);
        for (size_t i = 0; i < m->n; i++) sum += pow(product[i] - value[j] * vector[j * m->n + i], 2);
        worst = fmax(worst, sqrt(sum));
    }
    free(product);
    return worst;
}

static void test_all(void) {
    enum { N = 40 };
    static double a[N * N], value[N], vector[N * N];
    struct trj_error err;
    double worst = 0;
    for (size_t i = 0; i < N * N; i++) a[i] = i / N == i % N ? 2 : i / N + 1 == i % N || i % N + 1 == i / N ? -1 : 0;
    ok(!trj_eigen_all(a, N, value, vector, &err), "all eigenvalues of a tridiagonal matrix");
    for (size_t k = 0; k < N; k++) worst = fmax(worst, fabs(value[k] - 2 + 2 * cos((double)(N - k) * pi / (N + 1))));
    ok(worst < 1e-13, "they are 2 - 2 cos(k pi / (n + 1)): largest error %g", worst);
    size_t n = N;
    const struct trj_eigen_matrix m = {N, multiply_tridiagonal, &n};
    ok(residual(&m, value, vector, N) < 1e-13 && orthogonality(vector, N, N) < 1e-13, "their vectors");
}

// The largest eigenvalues of this matrix are close to each other: the first two differ by 8e-5 of themselves.
static void test_close(void) {
    size_t n = 600;
    enum { COUNT = 10 };
    const struct trj_eigen_matrix m = {n, multiply_tridiagonal, &n};
    double value[COUNT] = {0}, *vector = calloc(COUNT * n, sizeof *vector), worst = 0;
    struct trj_error err;
    ok(vector && !trj_eigen_largest(&m, COUNT, value, vector, &err), "the largest eigenvalues, which are close");
    for (size_t k = 0; k < COUNT; k++)
        worst = fmax(worst, fabs(value[k] - 2 + 2 * cos((double)(n - k) * pi / (double)(n + 1))));
    ok(worst < 4e-12, "they are 2 - 2 cos(k pi / (n + 1)): largest error %g", worst);
    double r = residual(&m, value, vector, COUNT), o = orthogonality(vector, COUNT, n);
    ok(r < 5e-12 && o < 1e-11, "their vectors: residual %g, products %g", r, o);
    free(vector);
}

static void test_spectrum(const char *name, size_t n, size_t count, double (*spectrum)(size_t)) {
    double *diagonal = calloc(n, sizeof *diagonal), *w = calloc(n, sizeof *w), *value = calloc(count, sizeof *value),
           *vector = calloc(count * n, sizeof *vector), sum = 0, worst = 0;
    struct trj_error err;
    for (size_t i = 0; i < n; i++) sum += pow(w[i] = sin((double)i * 1.7 + 1), 2);
    for (size_t i = 0; i < n; i++) {
        w[i] /= sqrt(sum);
        diagonal[(i * 7) % n] = spectrum(i); // n is no multiple of 7
    }
    struct reflected r = {n, diagonal, w};
    const struct trj_eigen_matrix m = {n, multiply_reflected, &r};
    ok(!trj_eigen_largest(&m, count, value, vector, &err), "%s: n = %zu, the largest %zu", name, n, count);
    for (size_t k = 0; k < count; k++) worst = fmax(worst, fabs(value[k] - spectrum(k)));
    ok(worst <= 1e-12 * spectrum(0), "%s: largest error %g", name, worst);
    ok(residual(&m, value, vector, count) <= 2e-12 * spectrum(0) && orthogonality(vector, count, n) < 1e-12,
       "%s: vectors", name);
    free(diagonal);
    free(w);
    free(value);
    free(vector);
}

static double decay(size_t k) {
    return 1000 / pow((double)k + 1, 1.5);
}
static double multiple(size_t k) {
    return k < 6 ? 10 : k < 9 ? 9.99 : 3 / (double)k;
}
static double of_twenty(size_t k) {
    return k < 20 ? 10 : 3 / (double)k;
}
static double two_of_twenty(size_t k) {
    return k < 20 ? 10 : k < 40 ? 5 : 1 / (double)k;
}
static double few(size_t k) {
    return k < 3 ? 5 - (double)k : 0;
}
static double zero(size_t k) {
    (void)k;
    return 0;
}

int main(void) {
    test_all();
    test_close();
    test_spectrum("slow decay", 500, 10, decay);
    test_spectrum("a multiple eigenvalue", 401, 12, multiple);
    // More vectors than a block has, also more than are requested or kept.
    test_spectrum("an eigenvalue of multiplicity 20", 401, 10, of_twenty);
    test_spectrum("the same, and other eigenvalues", 401, 24, of_twenty);
    test_spectrum("two eigenvalues of multiplicity 20", 401, 12, two_of_twenty);
    test_spectrum("rank 3", 300, 8, few);
    test_spectrum("the zero matrix", 100, 3, zero);
    test_spectrum("a basis of the whole space", 20, 20, decay);
    test_spectrum("one row", 1, 1, decay);
    test_spectrum("a hundred of them", 1000, 100, decay);
    return done();
}
