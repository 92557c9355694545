// SPDX-License-Identifier: MIT
// Searches the tree of boxes and lists images with one constant shift, which kernels then need not check.
#include "items.h"

#include <math.h>

void tile_plan_make(struct tile_plan *p, const struct tile_boxes *a, const struct tile_boxes *b,
                    const struct trj_cell *cell, double reach) {
    *p = (struct tile_plan){.a = a, .b = b, .cell = *cell, .reach = reach};
    for (int k = 0; k < 3; k++) p->spread[k] = fmax(a->high[k] - b->low[k], b->high[k] - a->low[k]);
}

// Returns a bit for each box of the node at `first` that has an image which can be within reach. For points with the
// displacement d, g_k . (d + nH) = g_k . d + n_k, and |g_k . (d + nH)| <= |g_k| reach is necessary. g_k . x of a point
// differs from the middle of its box by at most the extent. If only the nearest n_k is possible along each axis, the
// box of that image is tested, too.
static unsigned within_reach_of(struct tile_walk *w, unsigned level, size_t first) {
    const struct tile_boxes *b = w->plan->b;
    const struct tile_node *node = &b->nodes[level][first / TILE_NODE];
    const double reach2 = w->plan->reach * w->plan->reach * (1 + 1e-12);
    int near[TILE_NODE], many[TILE_NODE];
    double gap2[TILE_NODE] = {0};
    unsigned hits = 0;
    w->many = 0;
    for (int j = 0; j < TILE_NODE; j++) {
        near[j] = 1;
        many[j] = 0;
    }
    for (int k = 0; k < 3; k++) {
        const double *middle = node->middle[k], *extent = node->extent[k], from = w->middle[k], range = w->range[k];
        double *nearest = w->nearest[k];
        // Added and subtracted, 1.5 * 2^52 rounds to the nearest integer.
        const double magic = b->axes.periodic[k] ? 0x1.8p52 : 0, some = b->axes.periodic[k] ? 1 : 0;
        for (int j = 0; j < TILE_NODE; j++) {
            double s = from - middle[j], max = range + extent[j];
            nearest[j] = ((s + magic) - magic) * some;
            double off = fabs(s - nearest[j]);
            near[j] &= off <= max; // false for NaN
            many[j] |= (1 - off) * some < max * some;
        }
    }
    for (int c = 0; c < 3; c++) {
        const double *centre = node->centre[c], *half = node->half[c], from = w->centre[c], own = w->half[c];
        const double h[3] = {w->plan->cell.h[0][c], w->plan->cell.h[1][c], w->plan->cell.h[2][c]};
        for (int j = 0; j < TILE_NODE; j++) {
            double shift = w->nearest[0][j] * h[0] + w->nearest[1][j] * h[1] + w->nearest[2][j] * h[2];
            double gap = fabs(centre[j] - from + shift) - own - half[j];
            gap = gap > 0 ? gap : 0;
            gap2[j] += gap * gap;
        }
    }
    for (int j = 0; j < TILE_NODE; j++) {
        hits |= (unsigned)(near[j] & (many[j] | (gap2[j] <= reach2))) << j;
        w->many |= (unsigned)many[j] << j;
    }
    // Within one set, only columns from the row on.
    size_t min = w->plan->a == b ? w->item.row / ((size_t)1 << 3 * level) : 0;
    return min <= first ? hits : min >= first + TILE_NODE ? 0 : hits & ~0u << (min - first);
}
_Static_assert(TILE_NODE == 1 << 3, "levels are shifts by three bits");

static void search_node(struct tile_walk *w, unsigned level, size_t first) {
    w->level = level;
    w->first[level] = first;
    w->pending[level] = within_reach_of(w, level, first);
}

// Prefetches a node that will be searched soon.
static void prefetch(const struct tile_walk *w, unsigned level, size_t node) {
    enum { LINE = 64 };
    const char *position = (const char *)&w->plan->b->nodes[level][node];
    for (size_t i = 0; i < sizeof(struct tile_node); i += LINE) __builtin_prefetch(position + i);
}

// Sets item.column to the next box that can be within reach. Returns false if there is none.
static bool next_column(struct tile_walk *w) {
    unsigned levels = w->plan->b->levels;
    while (w->level < levels) {
        unsigned *pending = &w->pending[w->level];
        if (!*pending) {
            w->level++;
            continue;
        }
        size_t box = w->first[w->level] + (unsigned)__builtin_ctz(*pending);
        *pending &= *pending - 1;
        if (!w->level) {
            w->item.column = box;
            return true;
        }
        if (*pending) prefetch(w, w->level - 1, w->first[w->level] + (unsigned)__builtin_ctz(*pending));
        search_node(w, w->level - 1, box * TILE_NODE);
    }
    return false;
}

// Sets the range of images of the column that can be within reach, along each lattice vector. The spread of the sets
// bounds n_k more tightly than the boxes in flat cells that lie across the axes.
static void image_range(struct tile_walk *w) {
    const struct tile_plan *p = w->plan;
    const struct tile_axes *axes = &p->b->axes;
    const struct tile_node *node = &p->b->nodes[0][w->item.column / TILE_NODE];
    size_t position = w->item.column % TILE_NODE;
    for (int k = 0; k < 3; k++) {
        double s = node->middle[k][position] - w->middle[k];
        double range = w->range[k] + node->extent[k][position],
               max = axes->length[k] * p->reach + p->spread[k] * (1 + 1e-9) + 1e-9;
        w->low[k] = axes->periodic[k] ? (int)ceil(fmax(-s - range, -max)) : 0;
        w->high[k] = axes->periodic[k] ? (int)floor(fmin(-s + range, max)) : 0;
    }
    bool none = w->low[0] > w->high[0] || w->low[1] > w->high[1] || w->low[2] > w->high[2];
    for (int k = 0; k < 3; k++) {
        if (none) {
            w->low[k] = 0;
            w->high[k] = -1;
        }
        w->item.image[k] = w->low[k];
    }
    w->item.image[2]--; // tile_walk_next increments it first
}

void tile_walk_start(struct tile_walk *w, const struct tile_plan *p, size_t row) {
    w->plan = p;
    w->item.row = row;
    const struct tile_node *own = &p->a->nodes[0][row / TILE_NODE];
    size_t position = row % TILE_NODE;
    for (int k = 0; k < 3; k++) {
        w->middle[k] = own->middle[k][position];
        // 1e-9 exceeds the rounding of fractional coordinates near the cell; `reach` includes the rounding of
        // coordinates in Å.
        w->range[k] = p->a->axes.length[k] * p->reach + own->extent[k][position] + 1e-9;
        w->centre[k] = own->centre[k][position];
        w->half[k] = own->half[k][position];
        w->low[k] = 0;
        w->high[k] = w->item.image[k] = -1; // no image of a previous column is left
    }
    search_node(w, p->b->levels - 1, 0);
}

static void set_shift(struct tile_item *t, const double h[3][3]) {
    for (int c = 0; c < 3; c++) t->shift[c] = t->image[0] * h[0][c] + t->image[1] * h[1][c] + t->image[2] * h[2][c];
}

static bool within_reach(struct tile_walk *w) {
    const struct tile_plan *p = w->plan;
    const struct tile_node *node = &p->b->nodes[0][w->item.column / TILE_NODE];
    size_t position = w->item.column % TILE_NODE;
    struct tile_item *t = &w->item;
    double gap2 = 0;
    set_shift(t, p->cell.h);
    for (int c = 0; c < 3; c++) {
        double gap =
            fabs(node->centre[c][position] - w->centre[c] + t->shift[c]) - w->half[c] - node->half[c][position];
        if (gap > 0) gap2 += gap * gap;
    }
    return gap2 <= p->reach * p->reach * (1 + 1e-12);
}

// Steps to the next image of the column; the last index runs fastest. Returns false after the last one.
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
            if (!next_column(w)) return false;
            size_t in_node = w->item.column - w->first[0];
            if (w->many >> in_node & 1) {
                image_range(w);
                continue;
            }
            for (int k = 0; k < 3; k++) {
                w->item.image[k] = (int)w->nearest[k][in_node];
                w->low[k] = w->high[k] = w->item.image[k]; // the only one
            }
            set_shift(&w->item, w->plan->cell.h);
            return true;
        }
        if (within_reach(w)) return true;
    }
}
