// SPDX-License-Identifier: MIT
// Joins labels of connected parts as planes arrive, by union and find, so that a surface need not fit into memory.
#include "component.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

int surf_labels_add(struct surf_labels *l, uint32_t *which, struct trj_error *err) {
    if (l->count == SURF_NO_LABEL)
        return trj_fail(err, TRJ_FAILED,
                        "the surface has more than 2^32 - 2 parts; use a map with fewer points, or another level");
    if (trj_grow(&l->label, &l->capacity, l->count + 1, sizeof *l->label, "parts of a surface", err)) return -1;
    *which = (uint32_t)l->count;
    l->label[l->count++] = (struct surf_label){.parent = *which};
    return 0;
}

static uint32_t root_of(struct surf_labels *l, uint32_t a, int32_t shift[3]) {
    memset(shift, 0, sizeof(int32_t[3]));
    for (struct surf_label *label = &l->label[a]; label->parent != a; label = &l->label[a]) {
        struct surf_label *up = &l->label[label->parent];
        if (up->parent != label->parent) { // halves the path
            for (int i = 0; i < 3; i++) label->shift[i] += up->shift[i];
            label->parent = up->parent;
        }
        for (int i = 0; i < 3; i++) shift[i] += label->shift[i];
        a = label->parent;
    }
    return a;
}

void surf_labels_unite(struct surf_labels *l, uint32_t a, uint32_t b, const int32_t shift[3]) {
    int32_t sa[3], sb[3], difference[3];
    uint32_t ra = root_of(l, a, sa), rb = root_of(l, b, sb);
    for (int i = 0; i < 3; i++) difference[i] = sa[i] + (shift ? shift[i] : 0) - sb[i];
    if (ra == rb) {
        if (difference[0] || difference[1] || difference[2]) l->label[ra].infinite = true;
        return;
    }
    // The first label of a component is its root.
    struct surf_label *low = &l->label[ra < rb ? ra : rb], *high = &l->label[ra < rb ? rb : ra];
    high->parent = ra < rb ? ra : rb;
    for (int i = 0; i < 3; i++) high->shift[i] = ra < rb ? difference[i] : -difference[i];
    low->infinite |= high->infinite;
}

// Adds the sums of each label to its root, relative to the position of the root.
static size_t add_to_roots(struct surf_labels *l, uint64_t period) {
    size_t roots = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        struct surf_label *label = &l->label[i];
        int32_t shift[3];
        uint32_t root = root_of(l, i, shift);
        roots += root == i;
        if (root == i) continue;
        struct surf_label *to = &l->label[root];
        to->vertices += label->vertices;
        to->triangles += label->triangles;
        to->area += label->area;
        to->content += label->content + (surf_sum)shift[2] * (surf_sum)period * label->shadow;
    }
    return roots;
}

int surf_labels_sum(struct surf_labels *l, uint64_t period, double unit, double voxel,
                    struct surf_component **components, size_t *count, struct trj_error *err) {
    size_t n = add_to_roots(l, period);
    struct surf_component *c = *components = trj_alloc(n, sizeof *c, "components", err);
    *count = 0;
    if (!c) return -1;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct surf_label *label = &l->label[i];
        if (label->parent != i) continue;
        *c++ = (struct surf_component){
            .vertices = label->vertices,
            .triangles = label->triangles,
            .euler = (int64_t)label->vertices - (int64_t)(label->triangles / 2), // 3/2 edges for each triangle
            .area = (double)label->area / SURF_QUANTA * unit,
            .volume = label->infinite ? NAN : (double)label->content / SURF_QUANTA * voxel,
        };
    }
    *count = n;
    return 0;
}
