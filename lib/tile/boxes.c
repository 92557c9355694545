// SPDX-License-Identifier: MIT
// Builds the tree of boxes from the lowest level up, with nodes padded so that the search has no special cases.
#include "boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

// ---- memory

static size_t fans_of(size_t boxes) {
    return (boxes + TILE_NODE - 1) / TILE_NODE;
}

// Sets the levels of `count` boxes and returns the number of nodes of all levels. nodes[0] must be NULL or their
// memory.
static size_t lay_out(struct tile_boxes *b, size_t count) {
    size_t all = 0;
    b->levels = 0;
    for (size_t n = count;; n = fans_of(n)) {
        if (b->nodes[0]) b->nodes[b->levels] = b->nodes[0] + all;
        b->count[b->levels++] = n;
        all += fans_of(n);
        if (n <= TILE_NODE) return all;
    }
}

size_t tile_boxes_bytes(size_t count) {
    struct tile_boxes b = {.levels = 0};
    return lay_out(&b, count) * sizeof(struct tile_node);
}

int tile_boxes_reserve(struct tile_boxes *b, size_t count, struct trj_error *err) {
    if (count > b->capacity) tile_boxes_free(b);
    size_t nodes = lay_out(b, count);
    if (count <= b->capacity) return 0;
    b->nodes[0] = trj_alloc(nodes, sizeof *b->nodes[0], "boxes", err);
    if (!b->nodes[0]) return -1;
    lay_out(b, count);
    b->capacity = count;
    return 0;
}

void tile_boxes_free(struct tile_boxes *b) {
    free(b->nodes[0]);
    *b = (struct tile_boxes){.levels = 0};
}

// ---- axes

static double norm(const double a[3]) {
    return sqrt(tile_dot(a, a));
}

// Sets n to a unit vector perpendicular to two vectors that are not parallel.
static void normal(const double a[3], const double b[3], double n[3]) {
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}, length = norm(c);
    for (int k = 0; k < 3; k++) n[k] = c[k] / length;
}

static void make_brick(struct tile_axes *a) {
    memset(a->edge, 0, sizeof a->edge);
    memset(a->f, 0, sizeof a->f);
    for (int k = 0; k < 3; k++) {
        if (!a->periodic[k]) continue;
        memcpy(a->edge[k], a->h[k], sizeof a->edge[k]);
        for (int j = 0; j < k; j++) {
            double along = tile_dot(a->h[k], a->f[j]);
            for (int c = 0; c < 3; c++) a->edge[k][c] -= along * a->edge[j][c];
        }
        for (int c = 0; c < 3; c++) a->f[k][c] = a->edge[k][c] / tile_dot(a->edge[k], a->edge[k]);
    }
}

void tile_axes_make(struct tile_axes *a, const struct trj_cell *cell) {
    int periodic[3], other[3], n = 0, m = 0;
    trj_cell_reciprocal(cell, a->g);
    memcpy(a->h, cell->h, sizeof a->h);
    for (int k = 0; k < 3; k++) {
        a->periodic[k] = norm(a->g[k]) > 0;
        if (a->periodic[k])
            periodic[n++] = k;
        else
            other[m++] = k;
    }
    make_brick(a);
    if (n == 2) normal(a->g[periodic[0]], a->g[periodic[1]], a->g[other[0]]);
    if (n == 1) {
        const double *p = a->g[periodic[0]];
        double across[3] = {0};
        across[fabs(p[0]) > fabs(p[1]) ? fabs(p[1]) > fabs(p[2]) ? 2 : 1 : fabs(p[0]) > fabs(p[2]) ? 2 : 0] = 1;
        normal(p, across, a->g[other[0]]);
        normal(p, a->g[other[0]], a->g[other[1]]);
    }
    for (int k = 0; n == 0 && k < 3; k++) a->g[k][k] = 1;
    for (int k = 0; k < 3; k++) a->length[k] = norm(a->g[k]);
}

// ---- boxes

void tile_boxes_set(struct tile_boxes *b, size_t i, const double centre[3], const double half[3]) {
    struct tile_node *to = &b->nodes[0][i / TILE_NODE];
    size_t position = i % TILE_NODE;
    for (int k = 0; k < 3; k++) {
        const double *g = b->axes.g[k];
        to->centre[k][position] = centre[k];
        to->half[k][position] = half[k];
        to->middle[k][position] = tile_dot(g, centre);
        to->extent[k][position] = fabs(g[0]) * half[0] + fabs(g[1]) * half[1] + fabs(g[2]) * half[2];
    }
}

// Sets *to_middle and *to_half to the smallest interval that contains n <= TILE_NODE intervals.
static void join(const double *middle, const double *half, size_t n, double *to_middle, double *to_half) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, middle[i] - half[i]);
        high = fmax(high, middle[i] + half[i]);
    }
    *to_middle = low + (high - low) / 2;
    *to_half = fmax(high - *to_middle, *to_middle - low) * (1 + 1e-15);
}

static size_t count_in_node(const struct tile_boxes *b, unsigned level, size_t node) {
    size_t left = b->count[level] - node * TILE_NODE;
    return left < TILE_NODE ? left : TILE_NODE;
}

void tile_boxes_finish(struct tile_boxes *b) {
    for (unsigned l = 0; l < b->levels; l++) {
        // Distances to the places after the last box become NaN, which is never within reach.
        for (size_t i = b->count[l]; i % TILE_NODE; i++) {
            struct tile_node *f = &b->nodes[l][i / TILE_NODE];
            for (int k = 0; k < 3; k++)
                f->centre[k][i % TILE_NODE] = f->half[k][i % TILE_NODE] = f->middle[k][i % TILE_NODE] =
                    f->extent[k][i % TILE_NODE] = INFINITY;
        }
        for (size_t i = 0; l + 1 < b->levels && i < b->count[l + 1]; i++) {
            const struct tile_node *from = &b->nodes[l][i];
            struct tile_node *to = &b->nodes[l + 1][i / TILE_NODE];
            size_t n = count_in_node(b, l, i), position = i % TILE_NODE;
            for (int k = 0; k < 3; k++) {
                join(from->centre[k], from->half[k], n, &to->centre[k][position], &to->half[k][position]);
                join(from->middle[k], from->extent[k], n, &to->middle[k][position], &to->extent[k][position]);
            }
        }
    }
    const unsigned top = b->levels - 1;
    for (int k = 0; k < 3; k++) {
        b->low[k] = INFINITY;
        b->high[k] = -INFINITY;
        for (size_t i = 0; i < b->count[top]; i++) {
            b->low[k] = fmin(b->low[k], b->nodes[top]->middle[k][i] - b->nodes[top]->extent[k][i]);
            b->high[k] = fmax(b->high[k], b->nodes[top]->middle[k][i] + b->nodes[top]->extent[k][i]);
        }
    }
}
