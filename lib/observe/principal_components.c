// SPDX-License-Identifier: MIT
// Computes the principal components of the motion of a group: the eigenvectors of the covariance matrix of its
// coordinates, and the projections of all frames on them.
//
// The matrix C = sum_t d_t d_t' / T of the deviations d_t from the mean has 3 N rows. The matrix of products of frames,
// d_s' d_t / T, has the same eigenvalues other than 0, and T rows. Whichever is smaller is computed, in tiles, each of
// which adds its products in the order of the frames or of the atoms, so that results do not depend on the threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "ensemble.h"
#include "item_pool.h"
#include "memory.h"
#include "npy_header.h"
#include "parts.h"
#include "superposed_frames.h"
#include "symmetric_eigen.h"
#include "tool.h"

enum {
    COMPONENTS = 10,  // without --components
    ROWS_MAX = 20000, // of the matrix, which then has 3.2 GB
    SIDE = 96,        // rows of a tile: coordinates of 32 atoms, or frames
    DEPTH = 24,       // products that are added at a time: frames, or coordinates of 8 atoms
    ROWS = 64,        // of the matrix that an item multiplies
    DIGITS = 9,
};
#define NO_VARIANCE 1e-9 // of the largest eigenvalue: smaller ones are rounding errors

struct scratch {
    double a[DEPTH][SIDE], b[DEPTH][SIDE], tile[SIDE][SIDE];
};

struct pca {
    struct obs_superposed frames;
    struct obs_parts parts;
    struct trj_output *vectors;        // of --vectors, until it is joined to the output
    struct trj_output *vectors_joined; // the same afterwards
    size_t coordinates;                // 3 N
    size_t rows;                       // of the matrix
    bool of_frames;                    // the matrix of products of frames
    double *root;                      // [N] square roots of the weights; NULL: 1
    double *matrix;                    // [rows][rows]
    double total;                      // variance
    size_t count;
    double *value, *vector; // [count], [count][rows]
    double *direction;      // [count][coordinates], of length 1
    double *projection;     // [frames][count]
    struct trj_item_pool *pool;
    struct scratch **scratch; // [threads]
    const double *factor;     // of multiply: [rows][width]
    double *product;
    size_t width;
};

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct pca *p = e->own;
    if (e->frames > ROWS_MAX && p->coordinates > ROWS_MAX)
        return trj_fail(err, TRJ_USAGE,
                        "--pca: %zu atoms and more than %d frames: the smaller matrix, of 3 x atoms or of frames, has "
                        "more than %d rows; select fewer atoms, such as name CA, or fewer frames (trjcat --frames)",
                        p->frames.group.count, ROWS_MAX, ROWS_MAX);
    return obs_superposed_take(&p->frames, f, value, err);
}

// ------------------------------------------------------------------------------------------------------------ matrices

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

// Sets d[3 n], the deviations of n atoms from their means in a frame, times the roots of their weights; the coordinates
// are `stride` numbers apart.
static void set_deviations(const struct pca *p, uint64_t frame, size_t from, size_t n, double *d, size_t stride) {
    double y[3][OBS_SUPERPOSED_BLOCK];
    obs_superposed_positions(&p->frames, frame, from, n, y);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            d[(3 * i + k) * stride] = (y[k][i] - p->frames.sums.mean[k][from + i]) * (p->root ? p->root[from + i] : 1);
}

// Sets a chunk of the factors of a block of rows of the matrix; what exceeds the matrix is 0.
static void set_factors(const struct pca *p, size_t block, size_t chunk, double factor[DEPTH][SIDE]) {
    const size_t frames = p->frames.ensemble->frames, atoms = p->frames.group.count;
    const size_t frames_of = p->of_frames ? SIDE : DEPTH, atoms_of = (p->of_frames ? DEPTH : SIDE) / 3;
    const size_t frame = (p->of_frames ? block : chunk) * frames_of, atom = (p->of_frames ? chunk : block) * atoms_of;
    memset(factor, 0, DEPTH * sizeof *factor);
    for (size_t t = 0; t < smaller(frames - frame, frames_of); t++)
        set_deviations(p, frame + t, atom, smaller(atoms - atom, atoms_of), p->of_frames ? &factor[0][t] : factor[t],
                       p->of_frames ? SIDE : 1);
}

static void add_products(double tile[SIDE][SIDE], double a[DEPTH][SIDE], double b[DEPTH][SIDE]) {
    for (size_t r = 0; r < SIDE; r++)
        for (size_t d = 0; d < DEPTH; d++) {
            const double left = a[d][r], *right = b[d];
            for (size_t c = 0; c < SIDE; c++) tile[r][c] += left * right[c];
        }
}

static size_t blocks_of(size_t n, size_t size) {
    return (n + size - 1) / size;
}

// Computes the tile of rows of block a and columns of block b <= a, and its mirror image. They are numbered (0, 0),
// (1, 0), (1, 1), (2, 0), ...
static void compute_tile(const struct pca *p, size_t number, struct scratch *s) {
    const size_t inner = p->of_frames ? p->coordinates : p->frames.ensemble->frames, n = p->rows;
    size_t a = 0, b = number;
    while (b > a) b -= ++a;
    memset(s->tile, 0, sizeof s->tile);
    for (size_t chunk = 0; chunk < blocks_of(inner, DEPTH); chunk++) {
        set_factors(p, a, chunk, s->a);
        set_factors(p, b, chunk, s->b);
        add_products(s->tile, s->a, s->b);
    }
    for (size_t r = 0, i = a * SIDE; r < SIDE && i < n; r++, i++)
        for (size_t c = 0, j = b * SIDE; c < SIDE && j < n; c++, j++)
            p->matrix[i * n + j] = p->matrix[j * n + i] = s->tile[r][c] / (double)p->frames.ensemble->frames;
}

static void multiply_rows(const struct pca *p, size_t number) {
    const size_t n = p->rows, width = p->width;
    for (size_t i = number * ROWS; i < smaller(n, (number + 1) * ROWS); i++) {
        double sum[TRJ_EIGEN_WIDTH] = {0};
        const double *row = p->matrix + i * n;
        if (width == TRJ_EIGEN_WIDTH)
            for (size_t j = 0; j < n; j++)
                for (size_t c = 0; c < TRJ_EIGEN_WIDTH; c++) sum[c] += row[j] * p->factor[j * TRJ_EIGEN_WIDTH + c];
        else
            for (size_t j = 0; j < n; j++)
                for (size_t c = 0; c < width; c++) sum[c] += row[j] * p->factor[j * width + c];
        for (size_t c = 0; c < width; c++) p->product[i * width + c] = sum[c];
    }
}

// ------------------------------------------------------------------------------------------ directions and projections

// Sums the deviations of all frames with the elements of the eigenvectors of the matrix of frames, for 32 atoms.
static void sum_directions(const struct pca *p, size_t number) {
    const size_t atom = number * (SIDE / 3), n = smaller(p->frames.group.count - atom, SIDE / 3);
    double d[SIDE];
    for (uint64_t t = 0; t < p->frames.ensemble->frames; t++) {
        set_deviations(p, t, atom, n, d, 1);
        for (size_t j = 0; j < p->count; j++) {
            double *direction = p->direction + j * p->coordinates + 3 * atom;
            for (size_t i = 0; i < 3 * n; i++) direction[i] += p->vector[j * p->rows + t] * d[i];
        }
    }
}

static void project(const struct pca *p, uint64_t frame) {
    double d[SIDE], *projection = p->projection + frame * p->count;
    for (size_t atom = 0, n; atom < p->frames.group.count; atom += n) {
        n = smaller(p->frames.group.count - atom, SIDE / 3);
        set_deviations(p, frame, atom, n, d, 1);
        for (size_t j = 0; j < p->count; j++)
            for (size_t i = 0; i < 3 * n; i++) projection[j] += p->direction[j * p->coordinates + 3 * atom + i] * d[i];
    }
}

// Makes the length of each direction 1, and the element of the largest magnitude, the first of equal ones, positive.
static void normalise(struct pca *p) {
    for (size_t j = 0; j < p->count; j++) {
        double *direction = p->direction + j * p->coordinates, sum = 0, largest = 0;
        for (size_t i = 0; i < p->coordinates; i++) {
            sum += direction[i] * direction[i];
            if (fabs(direction[i]) > fabs(largest)) largest = direction[i];
        }
        for (size_t i = 0; i < p->coordinates; i++) direction[i] /= copysign(sqrt(sum), largest);
    }
}

// ----------------------------------------------------------------------------------------------------- work of threads

static void tile_item(void *arg, unsigned worker, size_t number) {
    const struct pca *p = arg;
    compute_tile(p, number, p->scratch[worker]);
}

static void rows_item(void *arg, unsigned worker, size_t number) {
    (void)worker;
    multiply_rows(arg, number);
}

static void directions_item(void *arg, unsigned worker, size_t number) {
    (void)worker;
    sum_directions(arg, number);
}

static void projection_item(void *arg, unsigned worker, size_t frame) {
    (void)worker;
    project(arg, frame);
}

static void multiply(void *arg, const double *v, double *product, size_t width) {
    struct pca *p = arg;
    p->factor = v;
    p->product = product;
    p->width = width;
    trj_item_pool_run(p->pool, blocks_of(p->rows, ROWS), rows_item, p);
}

static int open_pool(struct pca *p, struct trj_error *err) {
    if (trj_item_pool_open(&p->pool, p->frames.ensemble->threads, err)) return -1;
    unsigned threads = trj_item_pool_threads(p->pool);
    if (!(p->scratch = trj_alloc(threads, sizeof *p->scratch, "threads", err))) return -1;
    for (unsigned i = 0; i < threads; i++)
        if (!(p->scratch[i] = trj_alloc(1, sizeof *p->scratch[i], "tiles", err))) return -1;
    return 0;
}

static void sum_variance(struct pca *p) {
    for (size_t i = 0; i < p->frames.group.count; i++)
        p->total += p->frames.sums.square[i] * (p->root ? p->root[i] * p->root[i] : 1);
    p->total /= (double)p->frames.ensemble->frames;
}

// Leaves out components without variance, of which more must not be requested.
static int count_components(struct pca *p, struct trj_error *err) {
    const uint64_t requested = p->frames.ensemble->options->components;
    size_t count = 0;
    while (count < p->count && p->value[count] > NO_VARIANCE * p->value[0]) count++;
    if (!count) return trj_fail(err, TRJ_BAD_DATA, "--pca: the atoms do not move relative to each other");
    if (requested > count)
        return trj_fail(err, TRJ_USAGE, "--components %llu: only %zu components of these frames have a variance",
                        (unsigned long long)requested, count);
    p->count = count;
    return 0;
}

static int compute(struct pca *p, struct trj_error *err) {
    const uint64_t frames = p->frames.ensemble->frames, requested = p->frames.ensemble->options->components;
    if (obs_superposed_finish(&p->frames, err)) return -1;
    p->of_frames = frames < p->coordinates;
    p->rows = smaller(frames, p->coordinates);
    p->count = smaller(requested ? requested : COMPONENTS, p->rows);
    if (!(p->matrix = trj_alloc(p->rows * p->rows, sizeof *p->matrix, "the covariance matrix", err)) ||
        !(p->value = trj_alloc(p->count, sizeof *p->value, "eigenvalues", err)) ||
        !(p->vector = trj_alloc(p->count * p->rows, sizeof *p->vector, "eigenvectors", err)) ||
        !(p->direction = trj_alloc(p->count * p->coordinates, sizeof *p->direction, "eigenvectors", err)) ||
        !(p->projection = trj_alloc(p->count * frames, sizeof *p->projection, "projections", err)) || open_pool(p, err))
        return -1;
    const struct trj_eigen_matrix matrix = {p->rows, multiply, p};
    sum_variance(p);
    const size_t blocks = blocks_of(p->rows, SIDE);
    trj_item_pool_run(p->pool, blocks * (blocks + 1) / 2, tile_item, p);
    if (trj_eigen_largest(&matrix, p->count, p->value, p->vector, err)) return trj_fail_at(err, "--pca");
    if (count_components(p, err)) return -1;
    if (p->of_frames)
        trj_item_pool_run(p->pool, blocks_of(p->coordinates, SIDE), directions_item, p);
    else
        memcpy(p->direction, p->vector, p->count * p->rows * sizeof *p->direction);
    normalise(p);
    trj_item_pool_run(p->pool, p->frames.ensemble->frames, projection_item, p);
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- write

static void print_comments(const struct pca *p, struct trj_table *t) {
    const struct obs_ensemble *e = p->frames.ensemble;
    const char *unit = p->root ? "u Angstrom^2" : "Angstrom^2";
    double sum = 0;
    trj_table_comment(t,
                      "principal components of '%s': eigenvectors of the covariance matrix sum d d' / frames of %zu "
                      "coordinates over %llu frames, where d is the deviation from the mean%s",
                      e->system->selection[p->frames.group.selection].text, p->coordinates,
                      (unsigned long long)e->frames, p->root ? " times the square root of the mass" : "");
    obs_superposed_comment(&p->frames, t);
    trj_table_comment(t, "variance: %.9g %s", p->total, unit);
    trj_table_comment(t, "component: number\teigenvalue in %s\tshare of the variance\tcumulative share", unit);
    for (size_t j = 0; j < p->count; j++) {
        sum += p->value[j];
        trj_table_comment(t, "component: %zu\t%.9g\t%.6g\t%.6g", j + 1, p->value[j], p->value[j] / p->total,
                          sum / p->total);
    }
}

static int print_projections(const struct pca *p, struct trj_table *t) {
    const char *name = p->root ? "pc_mass" : "pc";
    print_comments(p, t);
    trj_table_comment(t,
                      "columns: number of the frame in its file; time in ps; %s(N): projection of the frame on "
                      "component N in %s",
                      name, p->root ? "u^(1/2) Angstrom" : "Angstrom");
    trj_table_name(t, "frame");
    trj_table_name(t, "time");
    for (size_t j = 0; j < p->count; j++) trj_table_name(t, "%s(%zu)", name, j + 1);
    if (trj_table_end_row(t)) return -1;
    for (uint64_t f = 0; f < p->frames.ensemble->frames; f++) {
        uint64_t index;
        double time;
        obs_superposed_identity(&p->frames, f, &index, &time);
        trj_table_count(t, index);
        trj_table_real(t, DIGITS, time);
        for (size_t j = 0; j < p->count; j++) trj_table_real(t, DIGITS, p->projection[f * p->count + j]);
        if (trj_table_end_row(t)) return -1;
    }
    return 0;
}

static int write_vectors_npy(const struct pca *p, struct trj_error *err) {
    const uint64_t shape[] = {p->count, p->frames.group.count, 3};
    struct trj_bytes bytes = {0};
    int rc = trj_npy_write_header(p->vectors_joined, "<f8", shape, 3, err);
    for (size_t j = 0; !rc && j < p->count; j++) {
        bytes.size = 0;
        for (size_t i = 0; i < p->coordinates; i++) trj_put_f64(&bytes, p->direction[j * p->coordinates + i]);
        rc = bytes.failed ? trj_fail_memory(err, 0, "eigenvectors")
                          : trj_output_write(p->vectors_joined, bytes.data, bytes.size, err);
    }
    trj_bytes_free(&bytes);
    return rc;
}

static int write_vectors_table(const struct pca *p, struct trj_error *err) {
    const struct trj_stream_header *h = p->frames.ensemble->system->header;
    struct trj_table t = {.out = p->vectors_joined, .err = err};
    struct trj_table_column column[OBS_PART_COLUMNS];
    trj_table_provenance(&t, h->provenance, h->provenance_count);
    trj_table_provenance(&t, trj_tool_provenance(err), SIZE_MAX);
    print_comments(p, &t);
    size_t n = obs_parts_columns(&p->parts, "", column);
    trj_table_comment(&t, "columns: identity of the atom; mean_x, mean_y, mean_z: mean position in Angstrom; xN, yN, "
                          "zN: elements of the eigenvector of component N, which has the length 1");
    for (size_t i = 0; i < n; i++) trj_table_name(&t, "%s", column[i].name);
    for (int k = 0; k < 3; k++) trj_table_name(&t, "mean_%c", 'x' + k);
    for (size_t j = 0; j < p->count; j++)
        for (int k = 0; k < 3; k++) trj_table_name(&t, "%c%zu", 'x' + k, j + 1);
    if (trj_table_end_row(&t)) return -1;
    for (size_t i = 0; i < p->frames.group.count; i++) {
        obs_parts_print(&p->parts, i, &t);
        for (int k = 0; k < 3; k++) trj_table_real(&t, DIGITS, p->frames.sums.mean[k][i]);
        for (size_t j = 0; j < p->count; j++)
            for (size_t k = 0; k < 3; k++) trj_table_real(&t, DIGITS, p->direction[j * p->coordinates + 3 * i + k]);
        if (trj_table_end_row(&t)) return -1;
    }
    return 0;
}

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    struct pca *p = e->own;
    if (e->frames < 2)
        return trj_fail(err, TRJ_BAD_DATA, "--pca: the stream has %llu frame%s; a covariance requires at least 2",
                        (unsigned long long)e->frames, e->frames == 1 ? "" : "s");
    if (compute(p, err) || print_projections(p, t)) return -1;
    if (!p->vectors) return 0;
    trj_output_join(t->out, p->vectors);
    p->vectors_joined = p->vectors;
    p->vectors = NULL;
    return obs_is_npy(e->options->vectors) ? write_vectors_npy(p, err) : write_vectors_table(p, err);
}

// --------------------------------------------------------------------------------------------------------- open, close

static int open_pca(struct obs_ensemble *e, struct trj_error *err) {
    const struct obs_ensemble_options *o = e->options;
    struct pca *p = e->own = trj_alloc(1, sizeof *p, "principal components", err);
    if (!p || obs_superposed_open(&p->frames, e, "--pca", o->principal, true, err)) return -1;
    const struct obs_reference *group = &p->frames.group;
    p->coordinates = 3 * group->count;
    if (obs_parts_make(&p->parts, e->system, group->selection, false, err)) return trj_fail_at(err, "--pca");
    if (group->weight) {
        if (!(p->root = trj_alloc(group->count, sizeof *p->root, "masses", err))) return -1;
        for (size_t i = 0; i < group->count; i++) p->root[i] = sqrt(group->weight[i]);
    }
    return o->vectors ? trj_output_open(&p->vectors, o->vectors,
                                        obs_is_npy(o->vectors) ? TRJ_OUTPUT_BINARY : TRJ_OUTPUT_TEXT, err)
                      : 0;
}

static void close_pca(struct obs_ensemble *e) {
    struct pca *p = e->own;
    if (!p) return;
    for (unsigned i = 0; p->scratch && i < trj_item_pool_threads(p->pool); i++) free(p->scratch[i]);
    free(p->scratch);
    trj_item_pool_close(p->pool);
    trj_output_close(p->vectors);
    free(p->root);
    free(p->matrix);
    free(p->value);
    free(p->vector);
    free(p->direction);
    free(p->projection);
    obs_parts_free(&p->parts);
    obs_superposed_free(&p->frames);
    free(p);
}

const struct obs_ensemble_kind obs_principal_components = {open_pca, take, write, close_pca, NULL};
