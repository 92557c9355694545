// SPDX-License-Identifier: MIT
// Computes tiles of orbitals as block-sparse matrix products.
#include "orbital_tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const char WHAT[] = "tiles of orbitals";

// A column that reaches the tile. Its bound in a box is `factor` times the largest value of its power of x there.
struct reaching {
    double factor;
    uint32_t first, end;                 // boxes with tables
    const double *maximum, *value;       // of its power of x, in the first box
    size_t maximum_stride, value_stride; // from one box to the next
};

struct orb_tile {
    const struct orb_plan *plan;
    const struct orb_kernel *kernel;
    size_t columns, capacity;
    struct reaching *column;
    size_t terms_capacity;
    uint32_t *terms; // [columns]
    size_t term_capacity;
    struct orb_layer_term *term;
    size_t w_capacity;
    double *w; // [ORB_Z][columns][ORB_Y]
    // Of one box:
    size_t x_capacity, index_capacity;
    double *x;       // [columns of the box][ORB_X]
    uint32_t *index; // [columns of the box] into `column`
};

static int list_columns(struct orb_tile *t, size_t combination, uint32_t y, uint32_t z, struct trj_error *err) {
    const struct orb_plan *p = t->plan;
    const struct orb_combinations *c = &p->c;
    const size_t first = c->first_column[combination], end = c->first_column[combination + 1];
    const struct orb_axis *axis = &p->axis[0];
    const double threshold = p->threshold[combination];
    size_t terms = 0;
    t->columns = 0;
    if (trj_grow(&t->column, &t->capacity, end - first, sizeof *t->column, WHAT, err) ||
        trj_grow(&t->terms, &t->terms_capacity, end - first, sizeof *t->terms, WHAT, err) ||
        trj_grow(&t->term, &t->term_capacity, c->column[end].first_term - c->column[first].first_term, sizeof *t->term,
                 WHAT, err))
        return -1;
    for (size_t i = first; i < end; i++) {
        const struct orb_column *column = &c->column[i];
        const struct orb_axis_group *on_y = &p->axis[1].group[column->group], *on_z = &p->axis[2].group[column->group],
                                    *on_x = &axis->group[column->group];
        if (y < on_y->first || y >= on_y->end || z < on_z->first || z >= on_z->end) continue;
        const double *largest_y = orb_axis_maximum(&p->axis[1], column->group, y),
                     *largest_z = orb_axis_maximum(&p->axis[2], column->group, z);
        const double *largest_x = axis->maximum + on_x->maximum + column->power;
        double factor = 0;
        for (size_t k = column->first_term; k < column[1].first_term; k++)
            factor += fabs(c->term[k].coefficient) * largest_y[c->term[k].power[0]] * largest_z[c->term[k].power[1]];
        if (!(factor * *largest_x > threshold)) continue;
        t->terms[t->columns] = (uint32_t)(column[1].first_term - column->first_term);
        t->column[t->columns++] = (struct reaching){factor,
                                                    on_x->first,
                                                    on_x->end,
                                                    largest_x + on_x->powers,
                                                    axis->value + on_x->value + column->power * (size_t)ORB_X,
                                                    on_x->powers,
                                                    (size_t)on_x->powers * axis->orders * ORB_X};
        for (size_t k = column->first_term; k < column[1].first_term; k++)
            t->term[terms++] = (struct orb_layer_term){
                orb_axis_value(&p->axis[1], column->group, y, 0, c->term[k].power[0]),
                orb_axis_value(&p->axis[2], column->group, z, 0, c->term[k].power[1]), c->term[k].coefficient};
    }
    return 0;
}

// Lists the columns that reach a box of the tile, and copies their powers of x. Returns their number.
static size_t list_box(struct orb_tile *t, double threshold, uint32_t x) {
    size_t n = 0;
    for (size_t i = 0; i < t->columns; i++) {
        const struct reaching *c = &t->column[i];
        if (x < c->first || x >= c->end || !(c->factor * c->maximum[(x - c->first) * c->maximum_stride] > threshold))
            continue;
        memcpy(t->x + n * ORB_X, c->value + (x - c->first) * c->value_stride, ORB_X * sizeof *t->x);
        t->index[n++] = (uint32_t)i;
    }
    return n;
}

// Copies a layer of a box to the values, or multiplies the values by it.
static void store(const double *layer, double *to, uint64_t stride, size_t rows, size_t columns, bool multiply) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < columns; i++)
            to[row * stride + i] = layer[row * ORB_X + i] * (multiply ? to[row * stride + i] : 1);
}

static int compute(struct orb_tile *t, size_t combination, uint32_t y, uint32_t z, const struct orb_slab *slab,
                   double *value, bool multiply, struct trj_error *err) {
    const uint64_t *n = t->plan->job->n;
    const uint64_t low = (uint64_t)z * ORB_Z, end = slab->first + slab->count;
    const uint64_t from = low > slab->first ? low : slab->first, to = low + ORB_Z < end ? low + ORB_Z : end;
    const size_t rows = n[1] - (uint64_t)y * ORB_Y < ORB_Y ? (size_t)(n[1] - (uint64_t)y * ORB_Y) : ORB_Y;
    if (list_columns(t, combination, y, z, err) ||
        trj_grow(&t->w, &t->w_capacity, t->columns * ORB_Y * ORB_Z, sizeof *t->w, WHAT, err) ||
        trj_grow(&t->x, &t->x_capacity, t->columns * ORB_X, sizeof *t->x, WHAT, err) ||
        trj_grow(&t->index, &t->index_capacity, t->columns, sizeof *t->index, WHAT, err))
        return -1;
    for (uint64_t k = from; k < to; k++)
        t->kernel->layer(t->columns, t->terms, t->term, (size_t)(k - low), t->w + (k - low) * t->columns * ORB_Y);
    for (uint32_t x = 0; x < t->plan->axis[0].blocks; x++) {
        const size_t count = list_box(t, t->plan->threshold[combination], x);
        const uint64_t first = (uint64_t)x * ORB_X;
        const size_t columns = n[0] - first < ORB_X ? (size_t)(n[0] - first) : ORB_X;
        for (uint64_t k = from; k < to; k++) {
            double layer[ORB_Y * ORB_X], *out = value + ((k - slab->first) * n[1] + (uint64_t)y * ORB_Y) * n[0] + first;
            bool whole = rows == ORB_Y && columns == ORB_X && !multiply;
            t->kernel->sums(count, t->index, t->w + (k - low) * t->columns * ORB_Y, t->x, whole ? out : layer,
                            whole ? (size_t)n[0] : ORB_X);
            if (!whole) store(layer, out, n[0], rows, columns, multiply);
        }
    }
    return 0;
}

int orb_tile_compute(struct orb_tile *t, uint32_t y, uint32_t z, const struct orb_slab *slab, struct trj_error *err) {
    const struct orb_job *job = t->plan->job;
    if (job->quantity == ORB_PRODUCT)
        return compute(t, 0, y, z, slab, slab->value, false, err) || compute(t, 1, y, z, slab, slab->value, true, err)
                   ? -1
                   : 0;
    for (size_t i = 0; i < job->orbitals; i++)
        if (compute(t, i, y, z, slab, slab->value + i * slab->count * job->n[0] * job->n[1], false, err)) return -1;
    return 0;
}

int orb_tile_open(struct orb_tile **tile, const struct orb_plan *plan, const struct orb_kernel *kernel,
                  struct trj_error *err) {
    struct orb_tile *t = trj_alloc(1, sizeof *t, WHAT, err);
    *tile = t;
    if (!t) return -1;
    t->plan = plan;
    t->kernel = kernel;
    return 0;
}

void orb_tile_close(struct orb_tile *t) {
    if (!t) return;
    free(t->column);
    free(t->terms);
    free(t->term);
    free(t->w);
    free(t->x);
    free(t->index);
    free(t);
}
