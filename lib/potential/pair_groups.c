// SPDX-License-Identifier: MIT
// Divides blocks into groups of eight points, because distant charges need one inverse distance for a group.
#include "pair_groups.h"

#include <math.h>

#include "pair_block_shape.h"

// thick_extents[number of axes with at least POT_BLOCK_THIN points] are the extents along these axes, in order.
static void set_extents(struct pot_group_shape *g, const uint64_t n[3]) {
    static const unsigned thick_extents[4][3] = {{2, 2, 2}, {8}, {4, 2}, {2, 2, 2}};
    int thick = 0;
    unsigned next = 0, shift = 0;
    for (int k = 0; k < 3; k++) thick += n[k] >= POT_BLOCK_THIN;
    for (int k = 0; k < 3; k++) {
        g->extent[k] = thick % 3 == 0 || n[k] >= POT_BLOCK_THIN ? thick_extents[thick][next++] : 1;
        g->shift[k] = shift;
        for (unsigned e = g->extent[k]; e > 1; e /= 2) shift++;
    }
}

// Edges run along the axes: those of a group of 8 points along one axis are 1, 2 and 4 steps.
static void set_edges(struct pot_group_shape *g, const struct pot_pair *p, const struct trj_map_lattice *l) {
    const double scale = p->far_scale / (POT_FAR_ROOT_FACTOR * POT_FAR_ROOT_FACTOR);
    double edge[3][3] = {{0}}, box[3] = {0};
    int j = 0;
    for (int k = 0; k < 3; k++)
        for (unsigned steps = 1; steps < g->extent[k]; steps *= 2, j++)
            for (int c = 0; c < 3; c++) {
                edge[j][c] = steps * l->step[k][c];
                box[c] += fabs(edge[j][c]) / 2;
            }
    g->aligned = true;
    for (j = 0; j < 3; j++)
        for (int c = 0; c < 3; c++) {
            g->edge[j][c] = (float)(edge[j][c] * scale);
            g->aligned = g->aligned && (c == j || edge[j][c] == 0);
        }
    for (int i = 0; i < 4; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            double d = ((i & 1 ? 1 : -1) * edge[0][c] + (i & 2 ? 1 : -1) * edge[1][c] - edge[2][c]) / 2;
            square += d * d;
        }
        g->g[i] = (float)(-square * p->far_scale * scale);
    }
    g->radius = sqrt(box[0] * box[0] + box[1] * box[1] + box[2] * box[2]);
}

void pot_group_shape_set(struct pot_group_shape *g, const struct pot_pair *p, const struct trj_map_lattice *l,
                         const struct pot_region *region) {
    set_extents(g, region->n);
    set_edges(g, p, l);
}

void pot_block_groups_set(struct pot_block_groups *g, const struct pot_group_shape *shape, const struct pot_blocks *b,
                          size_t number, const struct pot_block *block) {
    const unsigned *e = shape->extent;
    uint64_t from[3], to[3], n[3], count[3], i[3];
    pot_block_find_box(b, number, from, to);
    for (int k = 0; k < 3; k++) {
        n[k] = to[k] - from[k];
        count[k] = (n[k] + e[k] - 1) / e[k];
    }
    g->shape = shape;
    g->count = 0;
    for (i[2] = 0; i[2] < count[2]; i[2]++)
        for (i[1] = 0; i[1] < count[1]; i[1]++)
            for (i[0] = 0; i[0] < count[0]; i[0]++, g->count++) {
                double middle[3], position[3];
                for (int k = 0; k < 3; k++) middle[k] = (double)(from[k] + i[k] * e[k]) + (e[k] - 1) / 2.0;
                trj_map_lattice_position(&b->lattice, middle, position);
                for (int k = 0; k < 3; k++)
                    g->local[k][g->count] = (float)((position[k] - block->centre[k]) * b->scale);
                for (unsigned m = 0; m < POT_GROUP; m++) {
                    uint64_t x[3];
                    for (int k = 0; k < 3; k++) x[k] = i[k] * e[k] + (m >> shape->shift[k] & (e[k] - 1));
                    bool inside = x[0] < n[0] && x[1] < n[1] && x[2] < n[2];
                    g->point[g->count][m] = inside ? (uint16_t)(x[0] + n[0] * (x[1] + n[1] * x[2])) : POT_NO_POINT;
                }
            }
    for (g->filled = g->count; g->filled % POT_BLOCK_LANES; g->filled++)
        for (int k = 0; k < 3; k++) g->local[k][g->filled] = g->local[k][g->count - 1];
}
