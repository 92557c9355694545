// SPDX-License-Identifier: MIT
// Computes overlaps of orbitals strip by strip: S = U + U^T, where U is the upper triangle of S with half of its
// diagonal blocks, so that each pair of functions is computed once. Rows of U give their product T with all orbitals,
// and T adds to X = C U C^T; the overlaps are X + X^T. Matrices of coefficients are stored in panels of
// ORB_TILE_COLUMNS orbitals, so that the inner loop reads contiguous memory.
#include "orbital_overlap.h"

#include <stdlib.h>
#include <string.h>

#include "instruction_set.h"
#include "memory.h"
#include "overlap_tile.h"

enum {
    ROWS = ORB_TILE_ROWS,
    COLUMNS = ORB_TILE_COLUMNS,
    TILE = ROWS * COLUMNS,
    STRIP = 128, // rows of S; at least ORB_SET_MAX, and a multiple of ROWS
    DEPTH = 512, // functions, whose part of a panel, 96 kB, stays in the cache while all rows of a strip use it
};

typedef double strip_row[STRIP];

struct overlaps {
    const struct orb_overlap_task *task;
    const struct orb_tile_kernel *kernel;
    size_t functions;
    size_t panels, panel_of_second; // panels of the first spin, or of all orbitals, are those before panel_of_second
    size_t *column;                 // [panels * COLUMNS] number of the orbital; SIZE_MAX: empty
    double *coefficient;            // [panels][functions][COLUMNS]
    double *product;                // [panels][STRIP][COLUMNS]
    double **sum;                   // [scalings][panels][panels * COLUMNS / ROWS][TILE]
    // The current strip: functions first to first + rows, and those that they overlap.
    size_t first, rows, depth;
    size_t *row; // [functions] numbers, in the order of the sets, of the functions of rows 0 to depth of `overlap`
    strip_row *overlap[ORB_FAMILIES]; // [functions] each
    strip_row *scaled;                // [functions]
    size_t index[STRIP];
};

static int compare_spins(const struct orb_overlap_task *task, size_t k) {
    return task->of_one_spin && task->w->orbital[task->orbital[k]].spin == ORB_BETA;
}

// Distributes orbitals to panels.
static int make_columns(struct overlaps *o, struct trj_error *err) {
    const struct orb_overlap_task *t = o->task;
    size_t second = 0, place = 0;
    for (size_t k = 0; k < t->orbitals; k++) second += (size_t)compare_spins(t, k);
    o->panel_of_second = (t->orbitals - second + COLUMNS - 1) / COLUMNS;
    o->panels = o->panel_of_second + (second + COLUMNS - 1) / COLUMNS;
    o->column = trj_alloc(o->panels * COLUMNS, sizeof *o->column, "numbers of orbitals", err);
    if (!o->column) return -1;
    memset(o->column, 0xff, o->panels * COLUMNS * sizeof *o->column);
    for (int spin = 0; spin < 2; spin++) {
        if (spin) place = o->panel_of_second * COLUMNS;
        for (size_t k = 0; k < t->orbitals; k++)
            if (compare_spins(t, k) == spin) o->column[place++] = t->orbital[k];
    }
    return 0;
}

static size_t sums_of_panel(const struct overlaps *o) {
    return o->panels * COLUMNS / ROWS;
}

static int open_overlaps(struct overlaps *o, const struct orb_overlap_task *task, struct trj_error *err) {
    static const struct orb_tile_kernel *const kernels[] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &orb_tile_kernel_avx512,
        [TRJ_ISA_AVX2] = &orb_tile_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &orb_tile_kernel_plain,
    };
    const char *what = "overlaps of orbitals";
    *o = (struct overlaps){.task = task, .functions = task->w->functions, .kernel = kernels[trj_isa_of_process()]};
    if (make_columns(o, err)) return -1;
    o->coefficient = trj_alloc(o->panels * COLUMNS, o->functions * sizeof(double), what, err);
    o->product = trj_alloc(o->panels * COLUMNS, STRIP * sizeof(double), what, err);
    o->row = trj_alloc(o->functions, sizeof *o->row, what, err);
    o->scaled = trj_alloc(o->functions, sizeof *o->scaled, what, err);
    o->sum = trj_alloc(task->scalings, sizeof *o->sum, what, err);
    if (!o->coefficient || !o->product || !o->row || !o->scaled || !o->sum) return -1;
    for (size_t k = 0; k < task->sets->families; k++) {
        o->overlap[k] = trj_alloc(o->functions, sizeof *o->overlap[k], what, err);
        if (!o->overlap[k]) return -1;
    }
    for (size_t k = 0; k < task->scalings; k++) {
        o->sum[k] = trj_alloc(o->panels * sums_of_panel(o), TILE * sizeof(double), what, err);
        if (!o->sum[k]) return -1;
    }
    for (size_t c = 0; c < o->panels * COLUMNS; c++) {
        if (o->column[c] == SIZE_MAX) continue;
        const double *from = task->w->coefficient + o->column[c] * o->functions;
        double *to = o->coefficient + c / COLUMNS * o->functions * COLUMNS + c % COLUMNS;
        for (size_t f = 0; f < o->functions; f++) to[f * COLUMNS] = from[task->sets->order[f]];
    }
    for (size_t k = 0; k < STRIP; k++) o->index[k] = k;
    return 0;
}

static void close_overlaps(struct overlaps *o) {
    for (size_t k = 0; o->sum && k < o->task->scalings; k++) free(o->sum[k]);
    free(o->sum);
    for (size_t k = 0; k < ORB_FAMILIES; k++) free(o->overlap[k]);
    free(o->column);
    free(o->coefficient);
    free(o->product);
    free(o->row);
    free(o->scaled);
}

// Computes the rows of U of the functions of sets `begin` to `end`.
static void fill_strip(struct overlaps *o, size_t begin, size_t end) {
    const struct orb_function_sets *sets = o->task->sets;
    double block[ORB_FAMILIES][ORB_SET_MAX * ORB_SET_MAX];
    o->depth = 0;
    for (size_t b = begin, place = o->first; b < sets->count; place += sets->set[b++].functions) {
        const struct orb_function_set *set = &sets->set[b];
        bool found = false;
        for (size_t a = begin, column = 0; a < end; column += sets->set[a++].functions) {
            size_t n = sets->set[a].functions;
            if (!orb_set_overlap(sets, set, &sets->set[a], block)) continue;
            for (size_t k = 0; k < sets->families; k++) {
                if (!found) memset(o->overlap[k] + o->depth, 0, set->functions * sizeof *o->overlap[k]);
                for (size_t f = 0; f < set->functions; f++)
                    for (size_t i = 0; i < n; i++)
                        o->overlap[k][o->depth + f][column + i] = block[k][f * n + i] * (b < end ? 0.5 : 1);
            }
            found = true;
        }
        for (size_t f = 0; found && f < set->functions; f++) o->row[o->depth++] = place + f;
    }
}

// Multiplies the strip with the factors of its functions. Columns after the last function become 0.
static void scale_strip(struct overlaps *o, const struct orb_scaling *s) {
    const strip_row *from = (const strip_row *)o->overlap[s->family];
    for (size_t k = 0; k < o->depth; k++) {
        double factor = s->factor[o->row[k]];
        for (size_t c = 0; c < o->rows; c++) o->scaled[k][c] = factor * s->factor[o->first + c] * from[k][c];
        for (size_t c = o->rows; c < STRIP; c++) o->scaled[k][c] = 0;
    }
}

static void multiply_strip(struct overlaps *o) {
    memset(o->product, 0, o->panels * COLUMNS * STRIP * sizeof *o->product);
    for (size_t panel = 0; panel < o->panels; panel++)
        for (size_t k = 0; k < o->depth; k += DEPTH)
            for (size_t c = 0; c < o->rows; c += ROWS)
                o->kernel->add(o->product + (panel * STRIP + c) * COLUMNS, o->scaled[k] + c, STRIP,
                               o->coefficient + panel * o->functions * COLUMNS, o->row + k,
                               o->depth - k < DEPTH ? o->depth - k : DEPTH);
}

// The tiles of a panel that are required: those of orbitals of the same part.
static size_t first_tile(const struct overlaps *o, size_t panel) {
    return (panel < o->panel_of_second ? 0 : o->panel_of_second) * COLUMNS / ROWS;
}

static size_t end_tile(const struct overlaps *o, size_t panel) {
    return (panel < o->panel_of_second ? o->panel_of_second : o->panels) * COLUMNS / ROWS;
}

// Adds to X what the functions of the strip contribute.
static void add_strip(struct overlaps *o, double *sum) {
    for (size_t panel = 0; panel < o->panels; panel++)
        for (size_t tile = first_tile(o, panel); tile < end_tile(o, panel); tile++) {
            size_t row = tile * ROWS;
            o->kernel->add(sum + (panel * sums_of_panel(o) + tile) * TILE,
                           o->coefficient + (row / COLUMNS * o->functions + o->first) * COLUMNS + row % COLUMNS,
                           COLUMNS, o->product + panel * STRIP * COLUMNS, o->index, o->rows);
        }
}

static double sum_at(const struct overlaps *o, const double *sum, size_t i, size_t j) {
    return sum[(j / COLUMNS * sums_of_panel(o) + i / ROWS) * TILE + i % ROWS * COLUMNS + j % COLUMNS];
}

static void deliver(const struct overlaps *o, size_t scaling) {
    const struct orb_overlap_task *t = o->task;
    const double *sum = o->sum[scaling];
    for (size_t i = 0; i < o->panels * COLUMNS; i++) {
        size_t first = i / COLUMNS < o->panel_of_second ? 0 : o->panel_of_second * COLUMNS;
        for (size_t j = first; o->column[i] != SIZE_MAX && j <= i; j++)
            if (o->column[j] != SIZE_MAX)
                t->take(t->arg, scaling, o->column[i], o->column[j], sum_at(o, sum, i, j) + sum_at(o, sum, j, i));
    }
}

int orb_overlaps(const struct orb_overlap_task *task, struct trj_error *err) {
    const struct orb_function_sets *sets = task->sets;
    struct overlaps o;
    int rc = open_overlaps(&o, task, err);
    for (size_t begin = 0, end = 0; !rc && begin < sets->count; begin = end) {
        for (o.rows = 0; end < sets->count && o.rows + sets->set[end].functions <= STRIP;)
            o.rows += sets->set[end++].functions;
        fill_strip(&o, begin, end);
        for (size_t k = 0; k < task->scalings; k++) {
            scale_strip(&o, &task->scaling[k]);
            multiply_strip(&o);
            add_strip(&o, o.sum[k]);
        }
        o.first += o.rows;
    }
    for (size_t k = 0; !rc && k < task->scalings; k++) deliver(&o, k);
    close_overlaps(&o);
    return rc;
}

int orb_overlap_trace(const struct orb_function_sets *sets, const struct orb_scaling *scaling, const double *matrix,
                      double *trace, struct trj_error *err) {
    double(*block)[ORB_SET_MAX * ORB_SET_MAX] = trj_alloc(ORB_FAMILIES, sizeof *block, "overlaps of functions", err);
    size_t functions = 0;
    double sum = 0;
    if (!block) return -1;
    for (size_t a = 0; a < sets->count; a++) functions += sets->set[a].functions;
    for (size_t a = 0, i = 0; a < sets->count; i += sets->set[a++].functions)
        for (size_t b = 0, j = 0; b < sets->count; j += sets->set[b++].functions) {
            const struct orb_function_set *f = &sets->set[a], *g = &sets->set[b];
            if (!orb_set_overlap(sets, f, g, block)) continue;
            for (size_t k = 0; k < f->functions * g->functions; k++) {
                size_t row = i + k / g->functions, column = j + k % g->functions;
                sum += matrix[sets->order[row] * functions + sets->order[column]] * scaling->factor[row] *
                       scaling->factor[column] * block[scaling->family][k];
            }
        }
    free(block);
    *trace = sum;
    return 0;
}
