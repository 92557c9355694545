// SPDX-License-Identifier: MIT
// Finds eigenvalues and eigenvectors: by Jacobi rotations for small matrices, and by a block Lanczos method with
// restarts for large ones.
#include "symmetric_eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum {
    WIDTH = TRJ_EIGEN_WIDTH,
    SWEEPS_MAX = 60, // of Jacobi rotations; matrices of 100 rows take about 10
    RESTARTS_MAX = 2000,
    REFRESH = 20, // restarts, after which rounding errors of combinations are removed
};
#define TOLERANCE 1e-12 // of residuals, per largest eigenvalue
#define DEPENDENT 1e-10 // of the length of a vector: what orthogonalisation leaves of a dependent one

// -------------------------------------------------------------------------------------------------------------- Jacobi

// Makes a[p][q] zero by a rotation of rows and columns p and q, and applies it to rows p and q of the vectors (G. H.
// Golub, C. F. Van Loan, Matrix Computations, section 8.5).
static void rotate(double *a, double *vector, size_t n, size_t p, size_t q) {
    double *row_p = a + p * n, *row_q = a + q * n, *v_p = vector + p * n, *v_q = vector + q * n;
    if (row_p[q] == 0) return;
    double tau = (row_q[q] - row_p[p]) / (2 * row_p[q]);
    double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), s = t * c, pp = row_p[p] - t * row_p[q], qq = row_q[q] + t * row_p[q];
    for (size_t k = 0; k < n; k++) {
        double kp = row_p[k], kq = row_q[k], vp = v_p[k], vq = v_q[k];
        row_p[k] = c * kp - s * kq;
        row_q[k] = s * kp + c * kq;
        v_p[k] = c * vp - s * vq;
        v_q[k] = s * vp + c * vq;
    }
    for (size_t k = 0; k < n; k++) {
        a[k * n + p] = row_p[k];
        a[k * n + q] = row_q[k];
    }
    row_p[p] = pp;
    row_q[q] = qq;
    row_p[q] = row_q[p] = 0;
}

// Sorts eigenvalues with their vectors; equal ones keep their order.
static void sort(const double *a, size_t n, double *value, double *vector, double *swap) {
    for (size_t i = 0; i < n; i++) value[i] = a[i * n + i];
    for (size_t i = 0; i + 1 < n; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < n; k++) best = value[k] > value[best] ? k : best;
        if (best == i) continue;
        double v = value[best];
        memcpy(swap, vector + best * n, n * sizeof *swap);
        memmove(value + i + 1, value + i, (best - i) * sizeof *value);
        memmove(vector + (i + 1) * n, vector + i * n, (best - i) * n * sizeof *vector);
        value[i] = v;
        memcpy(vector + i * n, swap, n * sizeof *swap);
    }
}

int trj_eigen_all(double *a, size_t n, double *value, double *vector, struct trj_error *err) {
    double *swap = trj_alloc(n, sizeof *swap, "an eigenvector", err);
    if (!swap) return -1;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) vector[r * n + c] = r == c;
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double outside = 0, inside = 0;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++) *(r == c ? &inside : &outside) += a[r * n + c] * a[r * n + c];
        if (outside <= 1e-36 * inside) break;
        for (size_t p = 0; p + 1 < n; p++)
            for (size_t q = p + 1; q < n; q++) rotate(a, vector, n, p, q);
    }
    sort(a, n, value, vector, swap);
    free(swap);
    return 0;
}

// ------------------------------------------------------------------------------------------------------- block Lanczos

// The basis and its product with the matrix, of which vectors are rows, and blocks of vectors as the matrix multiplies
// them, of which vectors are columns. The first `locked` rows are eigenvectors that have converged, and stay as they
// are: combined with others of the same eigenvalue, they would take over their errors.
struct lanczos {
    const struct trj_eigen_matrix *matrix;
    size_t n, count, size, size_max, kept; // kept: vectors after a restart
    size_t locked;                         // at most `count`
    int restarts;
    double largest;                 // eigenvalue so far
    bool verifies;                  // whether others remain, in a basis that began after the last was locked
    double *found;                  // [count] eigenvalues of the vectors that are locked
    double *basis, *image;          // [size_max][n]
    double *t;                      // [size_max][size_max] basis A basis' of the vectors that are not locked
    double *next;                   // [WIDTH][n] candidates of the next block
    double *block, *product;        // [n][WIDTH]
    double *small, *value, *vector; // [size_max]..: the matrix t, its eigenvalues and eigenvectors
    double *combined;               // [size_max] a column of the basis
    uint64_t random;
};

static double dot(const double *a, const double *b, size_t n) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static void subtract(double *a, const double *b, double factor, size_t n) {
    for (size_t i = 0; i < n; i++) a[i] -= factor * b[i];
}

// A congruential generator (D. E. Knuth, MMIX): start vectors must be neither special nor different from run to run.
static void fill_random(struct lanczos *l, double *v) {
    for (size_t i = 0; i < l->n; i++) {
        l->random = l->random * 6364136223846793005U + 1442695040888963407U;
        v[i] = (double)(l->random >> 11) / 9007199254740992.0 - 0.5;
    }
}

// Makes a vector orthogonal to the basis, twice, because rounding errors remain after the first time. Returns false if
// it depends on the basis.
static bool is_independent(const struct lanczos *l, double *v) {
    double before = sqrt(dot(v, v, l->n));
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < l->size; i++) subtract(v, l->basis + i * l->n, dot(v, l->basis + i * l->n, l->n), l->n);
    double length = sqrt(dot(v, v, l->n));
    if (!(length > DEPENDENT * before)) return false;
    for (size_t i = 0; i < l->n; i++) v[i] /= length;
    return true;
}

static double *t_at(const struct lanczos *l, size_t row, size_t column) {
    return l->t + (row - l->locked) * l->size_max + column - l->locked;
}

// Multiplies vectors of the basis, from a row on, by the matrix.
static void multiply(struct lanczos *l, size_t first, size_t width) {
    const size_t n = l->n;
    for (size_t c = 0; c < width; c++)
        for (size_t i = 0; i < n; i++) l->block[i * width + c] = l->basis[(first + c) * n + i];
    l->matrix->multiply(l->matrix->arg, l->block, l->product, width);
    for (size_t c = 0; c < width; c++)
        for (size_t i = 0; i < n; i++) l->image[(first + c) * n + i] = l->product[i * width + c];
}

// Adds a block to the basis: the candidates, or a random vector for each that depends on the basis; and its products.
static void extend(struct lanczos *l) {
    const size_t first = l->size, n = l->n;
    size_t width = l->size_max - first < WIDTH ? l->size_max - first : WIDTH;
    for (size_t c = 0; c < width; c++) {
        double *v = l->next + c * n;
        while (!is_independent(l, v)) fill_random(l, v);
        memcpy(l->basis + l->size++ * n, v, n * sizeof *v);
    }
    multiply(l, first, width);
    for (size_t c = 0; c < width; c++) {
        const double *image = l->image + (first + c) * n;
        memcpy(l->next + c * n, image, n * sizeof *image);
        for (size_t i = l->locked; i <= first + c; i++)
            *t_at(l, i, first + c) = *t_at(l, first + c, i) = dot(l->basis + i * n, image, n);
    }
}

// Replaces rows of the basis, or of its image, by the eigenvectors that are kept.
static void combine(struct lanczos *l, double *rows) {
    const size_t n = l->n, size = l->size - l->locked;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < size; k++) l->combined[k] = rows[k * n + i];
        for (size_t j = 0; j < l->kept - l->locked; j++) rows[j * n + i] = dot(l->vector + j * size, l->combined, size);
    }
}

// Makes the vectors that are kept orthonormal again, and computes their image from them.
static void refresh(struct lanczos *l) {
    for (l->size = l->locked; l->size < l->kept; l->size++)
        while (!is_independent(l, l->basis + l->size * l->n)) fill_random(l, l->basis + l->size * l->n);
    for (size_t row = l->locked; row < l->kept; row += WIDTH)
        multiply(l, row, l->kept - row < WIDTH ? l->kept - row : WIDTH);
}

static void exchange(double *a, double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

static size_t smallest_found(const struct lanczos *l) {
    size_t least = 0;
    for (size_t i = 1; i < l->locked; i++) least = l->found[i] < l->found[least] ? i : least;
    return least;
}

// Locks the vector of a row, whose eigenvalue has converged, if it is among the largest of those so far. Returns
// whether it does. If enough are locked, it takes the place of the smallest one.
static bool lock(struct lanczos *l, size_t row, double *value) {
    size_t to = l->locked;
    if (l->locked == l->count) {
        to = smallest_found(l);
        if (*value <= l->found[to] + TOLERANCE * l->largest) return false;
        exchange(l->found + to, value, 1);
    } else {
        l->found[l->locked++] = *value;
    }
    exchange(l->basis + to * l->n, l->basis + row * l->n, l->n);
    exchange(l->image + to * l->n, l->image + row * l->n, l->n);
    return true;
}

// Sets the residual of a row, but for what vectors that are locked contribute, and returns its length.
static double set_residual(const struct lanczos *l, size_t row, double value, double *residual) {
    memcpy(residual, l->image + row * l->n, l->n * sizeof *residual);
    subtract(residual, l->basis + row * l->n, value, l->n);
    for (size_t i = 0; i < l->locked; i++)
        subtract(residual, l->basis + i * l->n, dot(residual, l->basis + i * l->n, l->n), l->n);
    return sqrt(dot(residual, residual, l->n));
}

// Begins with the vectors that are locked, and a random block.
static void begin(struct lanczos *l) {
    l->size = l->locked;
    for (size_t c = 0; c < WIDTH; c++) fill_random(l, l->next + c * l->n);
}

// Diagonalises the matrix in the basis, locks the vectors that have converged, and restarts with the largest others.
// Their residuals, of which those that are too large begin the next block, span the rest of the Krylov space (K. Wu, H.
// Simon, SIAM J. Matrix Anal. Appl. 22, 602 (2000)). This space contains at most WIDTH vectors of a multiple
// eigenvalue. After the last vector, a new one therefore begins, until its largest eigenvalue cannot be above those
// found. Returns whether to go on, or -1.
static int restart(struct lanczos *l, struct trj_error *err) {
    const size_t n = l->n, first = l->locked, size = l->size - first;
    size_t candidates = 0;
    bool changed = false;
    for (size_t i = 0; i < size; i++) memcpy(l->small + i * size, l->t + i * l->size_max, size * sizeof *l->small);
    if (trj_eigen_all(l->small, size, l->value, l->vector, err)) return -1;
    combine(l, l->basis + first * n);
    combine(l, l->image + first * n);
    l->size = l->kept;
    if (++l->restarts % REFRESH == 0) refresh(l);
    l->largest = fmax(l->largest, l->value[0]);
    const double limit = TOLERANCE * l->largest;
    double bound = l->value[0];
    for (size_t row = first; row < l->kept; row++) {
        double *value = &l->value[row - first], *residual = candidates < WIDTH ? l->next + candidates * n : l->product;
        double length = set_residual(l, row, *value, residual);
        if (row == first && length > limit) bound += length;
        if (length > limit)
            candidates += candidates < WIDTH;
        else if (lock(l, row, value))
            changed = true;
    }
    memset(l->t, 0, l->size_max * l->size_max * sizeof *l->t);
    for (size_t row = l->locked; row < l->kept; row++)
        *t_at(l, row, row) = dot(l->basis + row * n, l->image + row * n, n);
    if (l->locked < l->count) return 1;
    if (!changed && l->verifies && bound <= l->found[smallest_found(l)] + limit) return 0;
    if (changed) begin(l);
    l->verifies = true;
    return 1;
}

static int open_lanczos(struct lanczos *l, const struct trj_eigen_matrix *matrix, size_t count, struct trj_error *err) {
    const char *what = "eigenvectors";
    l->matrix = matrix;
    l->n = matrix->n;
    l->count = count;
    l->kept = count + WIDTH;
    l->size_max = 2 * count + 4 * WIDTH;
    if (l->size_max > l->n) l->size_max = l->n;
    if (l->kept > l->size_max) l->kept = l->size_max;
    l->basis = trj_alloc(l->size_max * l->n, sizeof(double), what, err);
    l->image = trj_alloc(l->size_max * l->n, sizeof(double), what, err);
    l->next = trj_alloc(WIDTH * l->n, sizeof(double), what, err);
    l->block = trj_alloc(WIDTH * l->n, sizeof(double), what, err);
    l->product = trj_alloc(WIDTH * l->n, sizeof(double), what, err);
    l->t = trj_alloc(l->size_max * l->size_max, sizeof(double), what, err);
    l->small = trj_alloc(l->size_max * l->size_max, sizeof(double), what, err);
    l->vector = trj_alloc(l->size_max * l->size_max, sizeof(double), what, err);
    l->value = trj_alloc(l->size_max, sizeof(double), what, err);
    l->combined = trj_alloc(l->size_max, sizeof(double), what, err);
    l->found = trj_alloc(count, sizeof(double), what, err);
    return l->basis && l->image && l->next && l->block && l->product && l->t && l->small && l->vector && l->value &&
                   l->combined && l->found
               ? 0
               : -1;
}

static void close_lanczos(struct lanczos *l) {
    double *const memory[] = {l->basis, l->image,  l->next,  l->block,    l->product, l->t,
                              l->small, l->vector, l->value, l->combined, l->found};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
}

// A basis of the whole space leaves no error but that of rounding.
static int solve_whole(struct lanczos *l, struct trj_error *err) {
    while (l->size < l->size_max) extend(l);
    if (trj_eigen_all(l->t, l->size, l->value, l->vector, err)) return -1;
    combine(l, l->basis);
    memcpy(l->found, l->value, l->count * sizeof *l->found);
    return 0;
}

static int solve(struct lanczos *l, struct trj_error *err) {
    while (l->restarts < RESTARTS_MAX) {
        while (l->size < l->size_max) extend(l);
        int more = restart(l, err);
        if (more <= 0) return more;
    }
    return trj_fail(err, TRJ_FAILED, "%zu of %zu eigenvalues have not converged after %d restarts",
                    l->count - l->locked, l->count, RESTARTS_MAX);
}

int trj_eigen_largest(const struct trj_eigen_matrix *matrix, size_t count, double *value, double *vector,
                      struct trj_error *err) {
    struct lanczos l = {.random = 1};
    int rc = open_lanczos(&l, matrix, count, err);
    if (!rc) begin(&l);
    if (!rc) rc = l.size_max == l.n ? solve_whole(&l, err) : solve(&l, err);
    for (size_t j = 0; !rc && j < count; j++) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++) best = l.found[i] > l.found[best] ? i : best;
        value[j] = l.found[best];
        l.found[best] = -INFINITY;
        memcpy(vector + j * l.n, l.basis + best * l.n, l.n * sizeof *vector);
    }
    close_lanczos(&l);
    return rc;
}
