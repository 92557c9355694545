// SPDX-License-Identifier: MIT
#include "items.h"

#include <math.h>

void tile_plan_make(struct tile_plan *p, const struct tile_set *a, const struct tile_set *b,
                    const struct trj_cell *cell, double reach) {
    *p = (struct tile_plan){.a = a, .b = b, .cell = *cell, .reach = reach};
    trj_cell_reciprocal(cell, p->g);
}

// The images of a column that may come within reach of the row, along each lattice vector: for points d apart, g_k . (d + nH) =
// g_k . d + n_k, and |g_k . (d + nH)| <= |g_k| reach is necessary. Points lie within half a box of the centres; and being wrapped, within one
// cell of each other, which bounds n_k where a box says little: in flat cells that lie across the axes.
static void image_range(struct tile_walk *w) {
    const struct tile_plan *p = w->plan;
    size_t row = w->item.row, column = w->item.column;
    for (int k = 0; k < 3; k++) {
        double s = 0, extent = 0, length2 = 0;
        for (int c = 0; c < 3; c++) {
            s += p->g[k][c] * (p->b->centre[column][c] - p->a->centre[row][c]);
            extent += fabs(p->g[k][c]) * (p->a->half[row][c] + p->b->half[column][c]);
            length2 += p->g[k][c] * p->g[k][c];
        }
        // Tiles are within a cell or so: the slack is far above the rounding. A direction that is not periodic has g = 0: one image.
        double length = sqrt(length2) * p->reach, range = length2 > 0 ? length + extent + 1e-9 : 0,
               most = length2 > 0 ? length + 1.01 : 0;
        w->low[k] = (int)ceil(fmax(-s - range, -most));
        w->high[k] = (int)floor(fmin(-s + range, most));
    }
    bool none = w->low[0] > w->high[0] || w->low[1] > w->high[1] || w->low[2] > w->high[2];
    for (int k = 0; k < 3; k++) {
        if (none) {
            w->low[k] = 0;
            w->high[k] = -1;
        }
        w->item.image[k] = w->low[k];
    }
    w->item.image[2]--; // the walk steps first
}

void tile_walk_start(struct tile_walk *w, const struct tile_plan *p, size_t row) {
    w->plan = p;
    w->item.row = row;
    w->item.column = p->a == p->b ? row : 0;
    image_range(w);
}

static bool within_reach(struct tile_walk *w) {
    const struct tile_plan *p = w->plan;
    struct tile_item *t = &w->item;
    double gap2 = 0;
    for (int c = 0; c < 3; c++) {
        t->shift[c] = t->image[0] * p->cell.h[0][c] + t->image[1] * p->cell.h[1][c] + t->image[2] * p->cell.h[2][c];
        double gap = fabs(p->b->centre[t->column][c] - p->a->centre[t->row][c] + t->shift[c]) - p->a->half[t->row][c] -
                     p->b->half[t->column][c];
        if (gap > 0) gap2 += gap * gap;
    }
    return gap2 <= p->reach * p->reach * (1 + 1e-12);
}

// The next image of the column, the last index running fastest.
static bool step(struct tile_walk *w) {
    for (int k = 2; k >= 0; k--) {
        if (++w->item.image[k] <= w->high[k]) return true;
        w->item.image[k] = w->low[k];
    }
    return false;
}

bool tile_walk_next(struct tile_walk *w) {
    for (;;) {
        if (!step(w)) {
            if (++w->item.column >= w->plan->b->tiles) return false;
            image_range(w);
        } else if (within_reach(w)) {
            return true;
        }
    }
}
