// SPDX-License-Identifier: MIT
// Prints area, volume and numbers of surfaces, with one row for each map or component.
#include "summary_table.h"

#include "table_writer.h"

int surf_summary_print_head(struct trj_output *out, char *const *provenance, bool components, struct trj_error *err) {
    static const char *const names[2][9] = {
        {"map", "level", "vertices", "triangles", "area", "volume", "components", "euler", NULL},
        {"map", "level", "component", "vertices", "triangles", "area", "volume", "euler", NULL}};
    struct trj_table t = {.out = out, .err = err};
    trj_table_provenance(&t, provenance, SIZE_MAX);
    trj_table_names(&t, names[components]);
    return trj_table_end_row(&t);
}

int surf_summary_print(struct trj_output *out, const struct surf_summary *s, uint64_t map, double level,
                       bool components, struct trj_error *err) {
    const struct surf_component all = {
        .vertices = s->vertices, .triangles = s->triangles, .euler = s->euler, .area = s->area, .volume = s->volume};
    struct trj_table t = {.out = out, .err = err};
    int rc = 0;
    for (size_t i = 0; !rc && i < (components ? s->component_count : 1); i++) {
        const struct surf_component *c = components ? &s->components[i] : &all;
        trj_table_count(&t, map);
        trj_table_real(&t, 10, level);
        if (components) trj_table_count(&t, i);
        trj_table_count(&t, c->vertices);
        trj_table_count(&t, c->triangles);
        trj_table_real(&t, 10, c->area);
        trj_table_real(&t, 10, c->volume);
        if (!components) trj_table_count(&t, s->component_count);
        trj_table_text(&t, "%lld", (long long)c->euler);
        rc = trj_table_end_row(&t);
    }
    return rc;
}
