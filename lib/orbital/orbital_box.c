// SPDX-License-Identifier: MIT
// Computes boxes from basis functions.
#include "orbital_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "orbital_derivative.h"
#include "orbital_quantity.h"

static const char WHAT[] = "boxes of orbitals";

enum { KINDS_MAX = sizeof orb_fields[0].kind / sizeof orb_fields[0].kind[0] };

struct function {
    uint32_t number;
    size_t column, end; // of `column` of the box
};

// What one kind of derivatives needs.
struct kind {
    double *x; // [columns * parts][ORB_X]
    size_t x_capacity;
    uint32_t *terms; // [columns * parts]
    size_t terms_capacity;
    struct orb_layer_term *term;
    size_t term_capacity;
    double *value; // of functions: [ORB_Y][functions][ORB_X]
    size_t value_capacity;
    double product[ORB_LAYER]; // of functions with the matrix or the orbitals: [ORB_Y][ORB_X]
};

struct orb_box {
    const struct orb_plan *plan;
    const struct orb_kernel *kernel;
    size_t functions, function_capacity;
    struct function *function;
    size_t columns, column_capacity, bound_capacity;
    uint32_t *column; // numbers of columns of the plan
    double *bound;
    struct kind kind[KINDS_MAX];
    double *w; // [columns * parts][ORB_Y] of one layer
    size_t w_capacity;
    uint32_t *index; // 0, 1, 2, ...
    size_t index_capacity;
    bool uses_matrix;
    double *coefficient, *half; // [panels of ORB_Y rows][functions][ORB_Y]; `half`: of the matrix, for squares
    size_t coefficient_capacity, half_capacity;
    double *weight; // [orbitals]
    // Without tables:
    double *point[3];       // [ORB_BOX]
    double low[3], high[3]; // of the points
    uint32_t *slot_of;      // [groups], of those that `group` lists
    uint32_t *group;        // groups of the box
    size_t groups, group_capacity;
    double *exponential, *distance[3]; // [groups][ORB_LAYER] of one layer
    size_t exponential_capacity, distance_capacity[3];
    double scratch[ORB_LAYER];
};

// ---- what reaches the box

// Returns the bound of a column with tables, or 0.
static double bound_in_tables(const struct orb_plan *p, const struct orb_column *column, const uint32_t at[3]) {
    const double *largest[3];
    for (int k = 0; k < 3; k++) {
        const struct orb_axis_group *g = &p->axis[k].group[column->group];
        if (at[k] < g->first || at[k] >= g->end) return 0;
        largest[k] = orb_axis_maximum(&p->axis[k], column->group, at[k]);
    }
    double sum = 0;
    for (size_t t = column->first_term; t < column[1].first_term; t++) {
        const struct orb_column_term *term = &p->c.term[t];
        sum += fabs(term->coefficient) * largest[1][term->power[0]] * largest[2][term->power[1]];
    }
    return sum * largest[0][column->power];
}

static double bound_at_points(const struct orb_box *b, const struct orb_column *column) {
    const struct orb_plan *p = b->plan;
    const struct orb_group *g = &p->c.group[column->group];
    const double *centre = p->job->basis->centre[g->centre];
    double low[3], high[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = b->low[k] - centre[k];
        high[k] = b->high[k] - centre[k];
    }
    double x = orb_interval_bound(g->exponent, column->power, p->fields->orders, low[0], high[0]);
    for (size_t t = column->first_term; x > 0 && t < column[1].first_term; t++) {
        const struct orb_column_term *term = &p->c.term[t];
        sum += fabs(term->coefficient) *
               orb_interval_bound(g->exponent, term->power[0], p->fields->orders, low[1], high[1]) *
               orb_interval_bound(g->exponent, term->power[1], p->fields->orders, low[2], high[2]);
    }
    return sum * x;
}

// Lists the columns that reach the box, with their bounds, and returns the largest one.
static int find_columns(struct orb_box *b, const uint32_t at[3], double *largest, struct trj_error *err) {
    const struct orb_plan *p = b->plan;
    b->functions = b->columns = 0;
    *largest = 0;
    for (size_t f = 0; f < p->c.count; f++) {
        const size_t begin = b->columns, first = p->c.first_column[f], end = p->c.first_column[f + 1];
        if (p->scale[f] == 0) continue;
        if (trj_grow(&b->column, &b->column_capacity, b->columns + end - first, sizeof *b->column, WHAT, err) ||
            trj_grow(&b->bound, &b->bound_capacity, b->columns + end - first, sizeof *b->bound, WHAT, err) ||
            trj_grow(&b->function, &b->function_capacity, b->functions + 1, sizeof *b->function, WHAT, err))
            return -1;
        for (size_t c = first; c < end; c++) {
            double bound = p->scale[f] *
                           (p->tables ? bound_in_tables(p, &p->c.column[c], at) : bound_at_points(b, &p->c.column[c]));
            if (!(bound > p->threshold[f])) continue;
            b->column[b->columns] = (uint32_t)c;
            b->bound[b->columns++] = bound;
            *largest = fmax(*largest, bound);
        }
        if (b->columns > begin) b->function[b->functions++] = (struct function){(uint32_t)f, begin, b->columns};
    }
    return 0;
}

// In sums of products of two terms, a term is also left out if its product with the largest term in the box is small.
static void screen_products(struct orb_box *b, double largest) {
    const size_t functions = b->functions;
    if (!b->plan->fields->forms || b->plan->fields->quotient || largest >= 1) return;
    b->functions = b->columns = 0;
    for (size_t f = 0; f < functions; f++) {
        struct function function = b->function[f];
        const size_t begin = b->columns;
        for (size_t c = function.column; c < function.end; c++)
            if (b->bound[c] * largest > b->plan->threshold[function.number]) b->column[b->columns++] = b->column[c];
        if (b->columns > begin) b->function[b->functions++] = (struct function){function.number, begin, b->columns};
    }
}

// ---- functions from tables

static const struct orb_kind_parts *parts_of(const struct orb_box *b, unsigned kind) {
    return &orb_kind_parts[b->plan->fields->kind[kind]];
}

// Lists the terms of the columns for one kind: parts of a function are one after the other.
static int list_terms(struct orb_box *b, unsigned number, const uint32_t at[3], struct trj_error *err) {
    const struct orb_plan *p = b->plan;
    const struct orb_kind_parts *parts = parts_of(b, number);
    struct kind *k = &b->kind[number];
    size_t column = 0, terms = 0;
    if (trj_grow(&k->x, &k->x_capacity, b->columns * parts->parts * ORB_X, sizeof *k->x, WHAT, err) ||
        trj_grow(&k->terms, &k->terms_capacity, b->columns * parts->parts, sizeof *k->terms, WHAT, err))
        return -1;
    for (size_t f = 0; f < b->functions; f++)
        for (unsigned i = 0; i < parts->parts; i++)
            for (size_t c = b->function[f].column; c < b->function[f].end; c++, column++) {
                const struct orb_kind_part *part = &parts->part[i];
                const struct orb_column *from = &p->c.column[b->column[c]];
                size_t n = (from[1].first_term - from->first_term) * part->terms;
                if (trj_grow(&k->term, &k->term_capacity, terms + n, sizeof *k->term, WHAT, err)) return -1;
                memcpy(k->x + column * ORB_X, orb_axis_value(&p->axis[0], from->group, at[0], part->x, from->power),
                       ORB_X * sizeof *k->x);
                k->terms[column] = (uint32_t)n;
                for (size_t t = from->first_term; t < from[1].first_term; t++)
                    for (unsigned o = 0; o < part->terms; o++)
                        k->term[terms++] = (struct orb_layer_term){
                            orb_axis_value(&p->axis[1], from->group, at[1], part->yz[o][0], p->c.term[t].power[0]),
                            orb_axis_value(&p->axis[2], from->group, at[2], part->yz[o][1], p->c.term[t].power[1]),
                            p->c.term[t].coefficient};
            }
    return 0;
}

static void functions_from_tables(struct orb_box *b, uint32_t layer) {
    for (unsigned i = 0; i < b->plan->fields->kinds; i++) {
        struct kind *k = &b->kind[i];
        const size_t parts = parts_of(b, i)->parts;
        b->kernel->layer(b->columns * parts, k->terms, k->term, layer, b->w);
        for (size_t f = 0; f < b->functions; f++) {
            const struct function *function = &b->function[f];
            size_t first = function->column * parts;
            b->kernel->sums((function->end - function->column) * parts, b->index, b->w + first * ORB_Y,
                            k->x + first * ORB_X, k->value + f * ORB_X, b->functions * ORB_X);
        }
    }
}

// ---- functions at points

static void set_points(struct orb_box *b, const uint32_t at[3]) {
    const struct orb_job *job = b->plan->job;
    for (uint64_t i = 0; i < ORB_BOX; i++) {
        double point[3];
        uint64_t number;
        if (job->point) {
            number = (uint64_t)at[0] * ORB_BOX + i;
            if (number >= job->n[0]) number = job->n[0] - 1;
        } else {
            uint64_t index[3] = {at[0] * (uint64_t)ORB_X + i % ORB_X, at[1] * (uint64_t)ORB_Y + i / ORB_X % ORB_Y,
                                 at[2] * (uint64_t)ORB_Z + i / ORB_LAYER};
            for (int k = 0; k < 3; k++)
                if (index[k] >= job->n[k]) index[k] = job->n[k] - 1;
            number = index[0] + job->n[0] * (index[1] + job->n[1] * index[2]);
        }
        orb_job_point(job, number, point);
        for (int k = 0; k < 3; k++) {
            b->point[k][i] = point[k];
            b->low[k] = i ? fmin(b->low[k], point[k]) : point[k];
            b->high[k] = i ? fmax(b->high[k], point[k]) : point[k];
        }
    }
}

// Lists the groups of the columns.
static int list_groups(struct orb_box *b, struct trj_error *err) {
    for (size_t i = 0; i < b->groups; i++) b->slot_of[b->group[i]] = UINT32_MAX;
    b->groups = 0;
    for (size_t c = 0; c < b->columns; c++) {
        uint32_t group = b->plan->c.column[b->column[c]].group;
        if (b->slot_of[group] != UINT32_MAX) continue;
        if (trj_grow(&b->group, &b->group_capacity, b->groups + 1, sizeof *b->group, WHAT, err)) return -1;
        b->slot_of[group] = (uint32_t)b->groups;
        b->group[b->groups++] = group;
    }
    if (trj_grow(&b->exponential, &b->exponential_capacity, b->groups * ORB_LAYER, sizeof *b->exponential, WHAT, err))
        return -1;
    for (int k = 0; k < 3; k++)
        if (trj_grow(&b->distance[k], &b->distance_capacity[k], b->groups * ORB_LAYER, sizeof *b->distance[k], WHAT,
                     err))
            return -1;
    return 0;
}

// Adds a term of a part of a derivative to sum[ORB_LAYER].
static void add_term(struct orb_box *b, const struct orb_column *column, const struct orb_column_term *term,
                     const uint8_t order[3], double *sum) {
    const double exponent = b->plan->c.group[column->group].exponent;
    const size_t slot = (size_t)b->slot_of[column->group] * ORB_LAYER;
    const uint32_t power[3] = {column->power, term->power[0], term->power[1]};
    memcpy(b->scratch, b->exponential + slot, sizeof b->scratch);
    for (int k = 0; k < 3; k++)
        b->kernel->factors(ORB_LAYER, exponent, power[k], order[k], b->distance[k] + slot, b->scratch);
    b->kernel->add(ORB_LAYER, term->coefficient, b->scratch, sum);
}

static void functions_at_points(struct orb_box *b, uint32_t layer) {
    const struct orb_plan *p = b->plan;
    for (size_t g = 0; g < b->groups; g++) {
        const struct orb_group *group = &p->c.group[b->group[g]];
        double *d[3];
        for (int k = 0; k < 3; k++) {
            const double *from = b->point[k] + (size_t)layer * ORB_LAYER,
                         centre = p->job->basis->centre[group->centre][k];
            d[k] = b->distance[k] + g * ORB_LAYER;
            for (size_t i = 0; i < ORB_LAYER; i++) d[k][i] = from[i] - centre;
        }
        b->kernel->exponentials(ORB_LAYER, group->exponent, d[0], d[1], d[2], b->exponential + g * ORB_LAYER);
    }
    for (unsigned i = 0; i < p->fields->kinds; i++)
        for (size_t f = 0; f < b->functions; f++) {
            double sum[ORB_LAYER] = {0};
            const struct orb_kind_parts *parts = parts_of(b, i);
            for (unsigned part = 0; part < parts->parts; part++)
                for (size_t c = b->function[f].column; c < b->function[f].end; c++) {
                    const struct orb_column *column = &p->c.column[b->column[c]];
                    for (size_t t = column->first_term; t < column[1].first_term; t++)
                        for (unsigned o = 0; o < parts->part[part].terms; o++) {
                            const uint8_t order[3] = {parts->part[part].x, parts->part[part].yz[o][0],
                                                      parts->part[part].yz[o][1]};
                            add_term(b, column, &p->c.term[t], order, sum);
                        }
                }
            for (size_t row = 0; row < ORB_Y; row++)
                memcpy(b->kind[i].value + (row * b->functions + f) * ORB_X, sum + row * ORB_X, ORB_X * sizeof *sum);
        }
}

// ---- coefficients

static double matrix_element(const struct orb_box *b, size_t row, size_t column) {
    size_t m = b->function[row].number, k = b->function[column].number;
    return m >= k ? b->plan->matrix[m * (m + 1) / 2 + k] : b->plan->matrix[k * (k + 1) / 2 + m];
}

// Packs rows of the matrix. In `half`, elements after the diagonal are 0, and those before it count twice.
static void pack_matrix(struct orb_box *b, bool full, bool half) {
    const size_t n = b->functions;
    for (size_t first = 0; first < n; first += ORB_Y)
        for (size_t k = 0; k < n; k++)
            for (size_t row = 0; row < ORB_Y; row++) {
                size_t m = first + row, to = (first * n) + k * ORB_Y + row;
                if (full) b->coefficient[to] = m < n ? matrix_element(b, m, k) : 0;
                if (half) b->half[to] = m < n && k <= m ? (k < m ? 2 : 1) * matrix_element(b, m, k) : 0;
            }
}

static void pack_orbitals(struct orb_box *b) {
    const struct orb_job *job = b->plan->job;
    for (size_t first = 0; first < job->orbitals; first += ORB_Y)
        for (size_t k = 0; k < b->functions; k++)
            for (size_t row = 0; row < ORB_Y; row++)
                b->coefficient[first * b->functions + k * ORB_Y + row] =
                    first + row < job->orbitals
                        ? job->coefficient[(first + row) * job->basis->functions + b->function[k].number]
                        : 0;
}

static int pack(struct orb_box *b, struct trj_error *err) {
    const struct orb_fields *f = b->plan->fields;
    bool full = !b->uses_matrix, half = false;
    for (unsigned k = 0; b->uses_matrix && k < f->kinds; k++)
        if (orb_fields_has_first(f, k)) *(orb_fields_only_squares(f, k) ? &half : &full) = true;
    size_t rows = b->uses_matrix ? b->functions : b->plan->job->orbitals,
           size = (rows + ORB_Y - 1) / ORB_Y * ORB_Y * b->functions;
    if ((full && trj_grow(&b->coefficient, &b->coefficient_capacity, size, sizeof *b->coefficient, WHAT, err)) ||
        (half && trj_grow(&b->half, &b->half_capacity, size, sizeof *b->half, WHAT, err)))
        return -1;
    if (b->uses_matrix)
        pack_matrix(b, full, half);
    else
        pack_orbitals(b);
    return 0;
}

// ---- products

// Adds the forms of rows `first` to first + rows - 1 of the matrix to the sums at a row of points.
static void add_matrix_rows(struct orb_box *b, size_t row, size_t first, size_t rows, double (*sum)[ORB_X]) {
    const struct orb_fields *f = b->plan->fields;
    const size_t n = b->functions, half = first + ORB_Y < n ? first + ORB_Y : n;
    for (unsigned k = 0; k < f->kinds; k++) {
        if (!orb_fields_has_first(f, k)) continue;
        bool squares = orb_fields_only_squares(f, k);
        b->kernel->sums(squares ? half : n, b->index, (squares ? b->half : b->coefficient) + first * n,
                        b->kind[k].value + row * n * ORB_X, b->kind[k].product, ORB_X);
    }
    for (unsigned i = 0; i < f->forms; i++)
        b->kernel->products(rows, b->kind[f->form[i].u].product,
                            b->kind[f->form[i].v].value + (row * n + first) * ORB_X, NULL, sum[f->form[i].sum]);
}

// The same for orbitals.
static void add_orbitals(struct orb_box *b, size_t row, size_t first, size_t rows, double (*sum)[ORB_X]) {
    const struct orb_fields *f = b->plan->fields;
    const size_t n = b->functions;
    for (unsigned k = 0; k < f->kinds; k++)
        b->kernel->sums(n, b->index, b->coefficient + first * n, b->kind[k].value + row * n * ORB_X, b->kind[k].product,
                        ORB_X);
    for (unsigned i = 0; i < f->forms; i++)
        b->kernel->products(rows, b->kind[f->form[i].u].product, b->kind[f->form[i].v].product, b->plan->weight + first,
                            sum[f->form[i].sum]);
}

static void set_quantity(const struct orb_box *b, size_t row, double (*sum)[ORB_X], double *value) {
    for (size_t i = 0; i < ORB_X; i++) {
        double result[2];
        orb_quantity_of_sums(b->plan->job->quantity, sum[0] + i, ORB_X, result);
        value[row * ORB_X + i] = result[0];
        if (b->plan->job->quantity == ORB_REDUCED_GRADIENT) value[ORB_LAYER + row * ORB_X + i] = result[1];
    }
}

// Sets the values of orbitals, or of the product of two.
static void set_orbitals(struct orb_box *b, size_t row, double *value) {
    const size_t orbitals = b->plan->job->orbitals;
    for (size_t first = 0; first < orbitals; first += ORB_Y) {
        size_t rows = orbitals - first < ORB_Y ? orbitals - first : ORB_Y;
        add_orbitals(b, row, first, rows, NULL);
        const double *product = b->kind[0].product;
        if (b->plan->job->quantity == ORB_PRODUCT) {
            for (size_t i = 0; first == 0 && i < ORB_X; i++) value[row * ORB_X + i] = product[i] * product[ORB_X + i];
            continue;
        }
        for (size_t r = 0; r < rows; r++)
            memcpy(value + ((first + r) * ORB_Y + row) * ORB_X, product + r * ORB_X, ORB_X * sizeof *value);
    }
}

void orb_box_layer(struct orb_box *b, uint32_t layer, double *value) {
    const struct orb_plan *p = b->plan;
    if (b->functions) (p->tables ? functions_from_tables : functions_at_points)(b, layer);
    for (size_t row = 0; row < ORB_Y; row++) {
        double sum[ORB_SUMS][ORB_X] = {{0}};
        if (!p->fields->forms) {
            set_orbitals(b, row, value);
            continue;
        }
        const size_t count = b->uses_matrix ? b->functions : b->functions ? p->job->orbitals : 0;
        for (size_t first = 0; first < count; first += ORB_Y)
            (b->uses_matrix ? add_matrix_rows : add_orbitals)(b, row, first,
                                                              count - first < ORB_Y ? count - first : ORB_Y, sum);
        set_quantity(b, row, sum, value);
    }
}

// ---- boxes

int orb_box_find(struct orb_box *b, const uint32_t at[3], struct trj_error *err) {
    const struct orb_fields *f = b->plan->fields;
    double largest;
    if (!b->plan->tables) set_points(b, at);
    if (find_columns(b, at, &largest, err)) return -1;
    screen_products(b, largest);
    b->uses_matrix = orb_plan_uses_matrix(b->plan, b->functions);
    size_t indices = b->columns * 2 > b->functions ? b->columns * 2 : b->functions, had = b->index_capacity;
    if (trj_grow(&b->index, &b->index_capacity, indices, sizeof *b->index, WHAT, err) ||
        trj_grow(&b->w, &b->w_capacity, b->columns * 2 * ORB_Y, sizeof *b->w, WHAT, err))
        return -1;
    for (size_t i = had; i < b->index_capacity; i++) b->index[i] = (uint32_t)i;
    for (unsigned k = 0; k < f->kinds; k++) {
        struct kind *kind = &b->kind[k];
        if (trj_grow(&kind->value, &kind->value_capacity, b->functions * ORB_LAYER, sizeof *kind->value, WHAT, err))
            return -1;
        if (b->plan->tables && list_terms(b, k, at, err)) return -1;
    }
    if (!b->plan->tables && list_groups(b, err)) return -1;
    return pack(b, err);
}

int orb_box_open(struct orb_box **box, const struct orb_plan *plan, const struct orb_kernel *kernel,
                 struct trj_error *err) {
    struct orb_box *b = trj_alloc(1, sizeof *b, WHAT, err);
    *box = b;
    if (!b) return -1;
    b->plan = plan;
    b->kernel = kernel;
    if (plan->tables) return 0;
    b->slot_of = trj_alloc(plan->c.groups, sizeof *b->slot_of, WHAT, err);
    for (size_t g = 0; b->slot_of && g < plan->c.groups; g++) b->slot_of[g] = UINT32_MAX;
    bool good = b->slot_of;
    for (int k = 0; good && k < 3; k++) {
        b->point[k] = trj_alloc(ORB_BOX, sizeof *b->point[k], WHAT, err);
        good = b->point[k];
    }
    return good ? 0 : -1;
}

void orb_box_close(struct orb_box *b) {
    if (!b) return;
    for (unsigned i = 0; i < KINDS_MAX; i++) {
        free(b->kind[i].x);
        free(b->kind[i].terms);
        free(b->kind[i].term);
        free(b->kind[i].value);
    }
    for (int k = 0; k < 3; k++) {
        free(b->point[k]);
        free(b->distance[k]);
    }
    free(b->function);
    free(b->column);
    free(b->bound);
    free(b->w);
    free(b->index);
    free(b->coefficient);
    free(b->half);
    free(b->slot_of);
    free(b->group);
    free(b->exponential);
    free(b);
}
