// SPDX-License-Identifier: MIT
// Divides groups into dynamic groups by position, so that engines need no code for layers.
#include "layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "memory.h"
#include "metric.h"

enum { MAX_GROUPS = 1000000 };

// Sets the groups of the layers; each lists the atoms of the group that it divides.
static int make_groups(struct rdf_layers *l, struct trj_error *err) {
    const struct trj_stream_header *h = l->source;
    size_t n = h->group_count * l->count;
    if (l->count > MAX_GROUPS || n > MAX_GROUPS)
        return trj_fail(err, TRJ_USAGE, "--layers: %zu layers of %zu groups: expected at most %d groups; give fewer",
                        (size_t)l->count, h->group_count, MAX_GROUPS);
    l->header.groups = trj_alloc(n, sizeof *l->header.groups, "groups", err);
    if (!l->header.groups) return -1;
    l->header.group_count = n;
    for (size_t i = 0; i < n; i++) {
        const struct trj_group *from = &h->groups[i / l->count];
        size_t capacity = strlen(from->name) + 24;
        struct trj_group *g = &l->header.groups[i];
        g->count = from->count;
        g->atoms = from->atoms;
        g->dynamic = true;
        if (!(g->name = trj_alloc(capacity, 1, "names", err))) return -1;
        snprintf(g->name, capacity, "%s@%c%llu", from->name, 'x' + (int)l->axis, (unsigned long long)i % l->count + 1);
    }
    l->header.member_words = trj_groups_lay_out(l->header.groups, n);
    return 0;
}

int rdf_layers_open(struct rdf_layers *l, const char *text, const struct trj_stream_header *h, struct trj_error *err) {
    *l = (struct rdf_layers){.source = h, .header = *h};
    l->header.groups = NULL;
    l->header.group_count = 0;
    if (!rdf_metric_parse_axis(text, &l->axis, &l->count))
        return trj_fail(err, TRJ_USAGE,
                        "--layers: invalid value '%s': expected an axis and a number of layers, as z:20", text);
    return make_groups(l, err);
}

int rdf_layers_apply(struct rdf_layers *l, struct trj_frame *f, struct trj_error *err) {
    double g[3][3];
    const double *axis = g[l->axis], layers = (double)l->count;
    if (!(f->cell.periodic >> l->axis & 1))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "--layers: the frame is not periodic along %c, so that layers have no height; set the cell with "
            "trjcat --cell or --periodic",
            'x' + (int)l->axis);
    trj_cell_reciprocal(&f->cell, g);
    if (trj_grow(&l->members, &l->member_capacity, l->header.member_words, sizeof *l->members, "members of groups",
                 err))
        return -1;
    memset(l->members, 0, l->header.member_words * sizeof *l->members);
    for (size_t i = 0; i < l->source->group_count; i++) {
        const struct trj_group *from = &l->source->groups[i];
        for (size_t k = 0; k < from->count; k++) {
            if (!trj_group_has(from, f, k)) continue;
            double s = 0;
            for (int c = 0; c < 3; c++) s += axis[c] * ((double)f->x[c][from->atoms[k]] * f->unit);
            s = (s - floor(s)) * layers;
            uint64_t layer = s < layers ? (uint64_t)s : l->count - 1;
            const struct trj_group *to = &l->header.groups[i * l->count + layer];
            l->members[to->word + k / 32] |= (uint32_t)1 << k % 32;
        }
    }
    uint32_t *members = f->members;
    size_t capacity = f->member_capacity;
    f->members = l->members;
    f->member_capacity = l->member_capacity;
    l->members = members;
    l->member_capacity = capacity;
    return 0;
}

void rdf_layers_free(struct rdf_layers *l) {
    for (size_t i = 0; i < l->header.group_count; i++) free(l->header.groups[i].name);
    free(l->header.groups);
    free(l->members);
    *l = (struct rdf_layers){.source = NULL};
}
