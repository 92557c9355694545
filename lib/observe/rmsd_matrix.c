// SPDX-License-Identifier: MIT
// The matrix of root mean square deviations of all pairs of frames.
//
// Frames are superposed on the first one, which does not change the deviations of pairs, but makes what differs from
// pair to pair small enough for float32 (rmsd_pairs.h): deviations from the mean structure. Then an engine compares all
// pairs (rmsd_engine.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "clusters.h"
#include "ensemble.h"
#include "item_pool.h"
#include "memory.h"
#include "npy_header.h"
#include "rmsd_engine.h"
#include "vector_products.h"

enum { GROUP, REFERENCE, FIT, WEIGHTS, FRAME }; // arguments of rmsd()
enum { COLUMNS = OBS_RMSD_COLUMNS, PANELS = OBS_RMSD_PANELS, ROWS = OBS_RMSD_TILE, DIGITS = 7 };

struct matrix {
    struct obs_ensemble *ensemble;
    struct obs_reference group;
    bool rotates;
    double (*mean)[3]; // [group.count] of the deviations from the first frame, times the number of frames so far
    double (*m)[3];    // [group.count] centred positions of the reference, times `root`; 0 without superposition
    double *root;      // [group.count] square roots of the weights
    double total;      // sum of the weights
    double p[9];       // P of rmsd_pairs.h
    struct obs_rmsd_tile **tile; // [tiles]; u are deviations from the first frame until move_reference
    size_t tiles, capacity;
    float *value; // [frames][frames]
};

// ------------------------------------------------------------------------------------------------------------- frames

static int begin(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    struct matrix *x = o->own;
    struct obs_reference *group = &x->group;
    double centre[3] = {0, 0, 0};
    if (obs_reference_begin(group, v, err)) return -1;
    for (size_t i = 0; i < group->count; i++) {
        double w = group->weight ? group->weight[i] : 1;
        x->root[i] = sqrt(w);
        x->total += w;
        for (int k = 0; k < 3; k++) centre[k] += w * group->x[i][k];
    }
    for (size_t i = 0; i < group->count && x->rotates; i++)
        for (int k = 0; k < 3; k++) x->m[i][k] = x->root[i] * (group->x[i][k] - centre[k] / x->total);
    return 0;
}

// The value is the superposition.
enum { VALUES = sizeof(struct trj_superposition) / sizeof(double) };

static int compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct matrix *x = o->own;
    const struct obs_positions *p;
    struct trj_superposition best = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (obs_view_whole(v, x->group.selection, false, &p, err)) return -1;
    if (x->rotates && obs_reference_superpose(&x->group, v, &best, err)) return -1;
    memcpy(value, &best, sizeof best);
    return 0;
}

static const struct obs_function function = {.name = "rmsd", .begin = begin, .compute = compute};

static struct obs_rmsd_tile *open_tile(struct matrix *x, struct trj_error *err) {
    if (trj_grow(&x->tile, &x->capacity, x->tiles + 1, sizeof *x->tile, "frames", err)) return NULL;
    struct obs_rmsd_tile *t = x->tile[x->tiles] = trj_alloc(1, sizeof *t, "frames", err);
    if (!t) return NULL;
    x->tiles++;
    t->u = trj_alloc(x->group.count * ROWS, sizeof *t->u, "the positions of all frames", err);
    t->v = trj_alloc(x->group.count * PANELS, sizeof *t->v, "the positions of all frames", err);
    return t->u && t->v ? t : NULL;
}

// Adds the deviations of a frame from the first one to a tile.
static void add_frame(const struct matrix *x, struct obs_rmsd_tile *t, size_t row, const struct trj_frame *f,
                      const struct trj_superposition *best) {
    const uint32_t *atoms = x->ensemble->system->selection[x->group.selection].atoms;
    float(*u)[3] = t->u + row * x->group.count;
    for (size_t i = 0; i < x->group.count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = (double)f->x[k][atoms[i]] * f->unit - best->from[k];
        for (int k = 0; k < 3; k++) {
            double position = x->rotates ? trj_dot(best->rotation[k], d) : d[k] - x->group.x[i][k];
            u[i][k] = (float)(x->root[i] * position - x->m[i][k]);
            x->mean[i][k] += (double)u[i][k];
        }
    }
    t->index[row] = f->index;
    t->time[row] = f->time;
}

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct matrix *x = e->own;
    struct trj_superposition best;
    size_t row = (e->frames - 1) % ROWS;
    if (!row && !open_tile(x, err)) return -1;
    memcpy(&best, value, sizeof best);
    add_frame(x, x->tile[x->tiles - 1], row, f, &best);
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- pairs

// Makes the mean structure the reference.
static void move_reference(struct matrix *x) {
    for (size_t i = 0; i < x->group.count; i++) {
        for (int k = 0; k < 3; k++) x->mean[i][k] /= (double)x->ensemble->frames;
        for (int k = 0; k < 3 && x->rotates; k++) x->m[i][k] += x->mean[i][k];
        for (int k = 0; k < 9; k++) x->p[k] += x->m[i][k / 3] * x->m[i][k % 3];
    }
}

// Replaces the deviations of a row by those from the mean structure, and sums their products, as rounded to float32.
static void finish_row(const struct matrix *x, struct obs_rmsd_tile *t, size_t row) {
    const size_t n = x->group.count, lane = row % COLUMNS;
    float(*u)[3] = t->u + row * n, (*v)[3][COLUMNS] = t->v + row / COLUMNS * n;
    double q[9] = {0}, square = x->p[0] + x->p[4] + x->p[8];
    for (size_t i = 0; i < n; i++) {
        const double *m = x->m[i];
        for (int k = 0; k < 3; k++) {
            v[i][k][lane] = u[i][k] = (float)((double)u[i][k] - x->mean[i][k]);
            double deviation = (double)u[i][k];
            for (int c = 0; c < 3; c++) q[3 * k + c] += deviation * m[c];
            square += deviation * (deviation + 2 * m[k]);
            t->deviation2[row] += deviation * deviation;
        }
    }
    struct obs_rmsd_panel *panel = &t->panel[row / COLUMNS];
    t->row[row].square = panel->square[lane] = square;
    for (int k = 0; k < 9; k++) {
        t->row[row].product[k] = x->p[k] + q[k];
        panel->product[k % 3 * 3 + k / 3][lane] = q[k];
    }
}

static void finish_tile(void *arg, unsigned worker, size_t number) {
    const struct matrix *x = arg;
    (void)worker;
    for (size_t r = 0; r < ROWS && number * ROWS + r < x->ensemble->frames; r++) finish_row(x, x->tile[number], r);
}

static int finish_rows(struct matrix *x, struct trj_error *err) {
    struct trj_item_pool *pool;
    move_reference(x);
    if (trj_item_pool_open(&pool, x->ensemble->threads, err)) return -1;
    trj_item_pool_run(pool, x->tiles, finish_tile, x);
    trj_item_pool_close(pool);
    return 0;
}

static int compare(struct matrix *x, struct trj_error *err) {
    const size_t frames = x->ensemble->frames;
    if (!(x->value = trj_alloc(frames * frames, sizeof *x->value, "a matrix of all pairs of frames", err))) return -1;
    trj_use_large_pages(x->value, frames * frames * sizeof *x->value);
    if (finish_rows(x, err)) return -1;
    const struct obs_rmsd_job job = {.frames = frames,
                                     .atoms = x->group.count,
                                     .rotates = x->rotates,
                                     .total = x->total,
                                     .tile = x->tile,
                                     .tiles = x->tiles,
                                     .threads = x->ensemble->threads,
                                     .value = x->value};
    return obs_rmsd_engine_compute(&x->ensemble->options->engine, &job, err);
}

// -------------------------------------------------------------------------------------------------------------- write

static int write_npy(const struct matrix *x, struct trj_output *out, struct trj_error *err) {
    const size_t frames = x->ensemble->frames;
    const uint64_t shape[] = {frames, frames};
    struct trj_bytes bytes = {0};
    int rc = trj_npy_write_header(out, "<f4", shape, 2, err);
    for (size_t a = 0; !rc && a < frames; a++) {
        bytes.size = 0;
        trj_put_f32s(&bytes, x->value + a * frames, frames);
        rc = bytes.failed ? trj_fail_memory(err, 0, "a matrix") : trj_output_write(out, bytes.data, bytes.size, err);
    }
    trj_bytes_free(&bytes);
    return rc;
}

static uint64_t index_of(const struct matrix *x, size_t frame) {
    return x->tile[frame / ROWS]->index[frame % ROWS];
}

static double time_of(const struct matrix *x, size_t frame) {
    return x->tile[frame / ROWS]->time[frame % ROWS];
}

static int write_table(const struct matrix *x, struct trj_table *t) {
    static const struct trj_table_column column[] = {{"frame_a", "numbers of two frames in their files", NULL},
                                                     {"frame_b", NULL, NULL},
                                                     {"rmsd", "root mean square deviation", "Angstrom"}};
    const size_t frames = x->ensemble->frames;
    trj_table_comment(t, "%s of all pairs of %zu frames; each pair is listed once; %s", x->ensemble->expression.text,
                      frames, x->rotates ? "each pair is superposed by the group" : "without superposition");
    if (trj_table_columns(t, column, 3)) return -1;
    for (size_t a = 0; a < frames; a++)
        for (size_t b = a + 1; b < frames; b++) {
            trj_table_count(t, index_of(x, a));
            trj_table_count(t, index_of(x, b));
            trj_table_real(t, DIGITS, (double)x->value[a * frames + b]);
            if (trj_table_end_row(t)) return -1;
        }
    return 0;
}

static void print_clusters(const struct matrix *x, const struct obs_clusters *c, struct trj_table *t) {
    const size_t frames = x->ensemble->frames;
    trj_table_comment(t, "cluster: number\tframes\tshare of the frames\tcentre\ttime of the centre in ps\tmean RMSD of "
                         "the others from the centre in Angstrom");
    for (size_t k = 0; k < c->count; k++) {
        double sum = 0;
        for (size_t a = 0; a < frames; a++)
            if (c->cluster[a] == k) sum += (double)x->value[c->centre[k] * frames + a];
        trj_table_comment(t, "cluster: %zu\t%u\t%.6g\t%llu\t%.9g\t%.6g", k + 1, c->size[k],
                          (double)c->size[k] / (double)frames, (unsigned long long)index_of(x, c->centre[k]),
                          time_of(x, c->centre[k]), c->size[k] > 1 ? sum / (c->size[k] - 1.0) : NAN);
    }
}

static int write_clusters(const struct matrix *x, const struct obs_clusters *c, struct trj_table *t) {
    const size_t frames = x->ensemble->frames;
    const struct obs_observable *expression = &x->ensemble->expression;
    const char *arguments = expression->names[0] + strlen(expression->function->name);
    trj_table_comment(t,
                      "%s of all pairs of %zu frames; %s; clusters of frames closer than %g Angstrom to the centre: "
                      "the frame with the most such neighbours among those that are in no earlier cluster, the first "
                      "of equal ones",
                      expression->text, frames,
                      x->rotates ? "each pair is superposed by the group" : "without superposition",
                      x->ensemble->options->cutoff);
    print_clusters(x, c, t);
    trj_table_comment(t,
                      "columns: number of the frame in its file; time in ps; number of the cluster, from 1; RMSD from "
                      "the centre of the cluster in Angstrom");
    trj_table_name(t, "frame");
    trj_table_name(t, "time");
    trj_table_name(t, "cluster%s", arguments);
    trj_table_name(t, "centre_rmsd%s", arguments);
    if (trj_table_end_row(t)) return -1;
    for (size_t a = 0; a < frames; a++) {
        trj_table_count(t, index_of(x, a));
        trj_table_real(t, 9, time_of(x, a));
        trj_table_count(t, c->cluster[a] + 1);
        trj_table_real(t, DIGITS, (double)x->value[c->centre[c->cluster[a]] * frames + a]);
        if (trj_table_end_row(t)) return -1;
    }
    return 0;
}

static int find_clusters(const struct matrix *x, struct trj_table *t, struct trj_error *err) {
    struct obs_clusters c = {.count = 0};
    int rc = obs_clusters_find(&c, x->value, x->ensemble->frames, x->ensemble->options->cutoff, err);
    if (!rc) rc = write_clusters(x, &c, t);
    obs_clusters_free(&c);
    return rc;
}

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    struct matrix *x = e->own;
    if (e->frames < 2)
        return trj_fail(err, TRJ_BAD_DATA, "--map: the stream has %llu frame%s; a matrix requires at least 2",
                        (unsigned long long)e->frames, e->frames == 1 ? "" : "s");
    if (compare(x, err)) return -1;
    if (!isnan(e->options->cutoff)) return find_clusters(x, t, err);
    return e->form == OBS_NPY ? write_npy(x, t->out, err) : write_table(x, t);
}

// --------------------------------------------------------------------------------------------------------- open, close

static int open_matrix(struct obs_ensemble *e, struct trj_error *err) {
    const struct obs_argument *argument = e->expression.argument;
    struct matrix *x = e->own = trj_alloc(1, sizeof *x, "a matrix", err);
    if (!x) return -1;
    x->ensemble = e;
    x->rotates = strcmp(argument[FIT].text, "none") != 0;
    if (strcmp(argument[REFERENCE].text, OBS_REFERENCE_FIRST) != 0 || strcmp(argument[FRAME].text, "0") != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--map: a matrix compares frames with each other; leave 'reference' and 'frame' out");
    if (x->rotates && strcmp(argument[FIT].text, "group") != 0)
        return trj_fail(err, TRJ_USAGE, "--map: pairs of frames are superposed by the group itself, or not (fit=none)");
    if (!isnan(e->options->cutoff) && e->form == OBS_NPY)
        return trj_fail(err, TRJ_USAGE, "--cluster prints a table; leave the ending .npy of --output out");
    if (strcmp(e->options->per, "atom") != 0)
        return trj_fail(
            err, TRJ_USAGE,
            "--per residue: a map of rmsd() has a row for each frame; leave it out, or use 'rmsd(A)' without "
            "--map");
    e->observable = (struct obs_observable){
        .text = trj_copy_text("--map", err), .function = &function, .columns = VALUES, .own = x};
    if (!e->observable.text) return -1;
    if (obs_reference_open(&x->group, e->system, argument[GROUP].selection, NULL, 0, argument[WEIGHTS].choice, err))
        return trj_fail_at(err, "--map");
    x->m = trj_alloc(x->group.count, sizeof *x->m, "a reference", err);
    x->mean = trj_alloc(x->group.count, sizeof *x->mean, "a mean structure", err);
    x->root = trj_alloc(x->group.count, sizeof *x->root, "weights", err);
    return x->m && x->mean && x->root ? 0 : -1;
}

static void close_matrix(struct obs_ensemble *e) {
    struct matrix *x = e->own;
    if (!x) return;
    for (size_t i = 0; i < x->tiles; i++) {
        free(x->tile[i]->u);
        free(x->tile[i]->v);
        free(x->tile[i]);
    }
    free(x->tile);
    free(x->value);
    free(x->m);
    free(x->mean);
    free(x->root);
    obs_reference_free(&x->group);
    free(x);
}

const struct obs_ensemble_kind obs_rmsd_matrix = {open_matrix, take, write, close_matrix, NULL};
