// SPDX-License-Identifier: MIT
// Prints area, volume and numbers of surfaces, with one row for each map or component.
#include "summary_table.h"

int surf_summary_print_head(struct trj_output *out, const char *const *provenance, bool components,
                            struct trj_error *err) {
    for (const char *const *line = provenance; *line; line++)
        if (trj_output_print(out, err, "# provenance: %s\n", *line)) return -1;
    return trj_output_print(out, err,
                            components ? "# map\tlevel\tcomponent\tvertices\ttriangles\tarea\tvolume\teuler\n"
                                       : "# map\tlevel\tvertices\ttriangles\tarea\tvolume\tcomponents\teuler\n");
}

int surf_summary_print(struct trj_output *out, const struct surf_summary *s, uint64_t map, double level,
                       bool components, struct trj_error *err) {
    if (!components)
        return trj_output_print(out, err, "%llu\t%.10g\t%llu\t%llu\t%.10g\t%.10g\t%zu\t%lld\n", (unsigned long long)map,
                                level, (unsigned long long)s->vertices, (unsigned long long)s->triangles, s->area,
                                s->volume, s->component_count, (long long)s->euler);
    for (size_t i = 0; i < s->component_count; i++) {
        const struct surf_component *c = &s->components[i];
        if (trj_output_print(out, err, "%llu\t%.10g\t%zu\t%llu\t%llu\t%.10g\t%.10g\t%lld\n", (unsigned long long)map,
                             level, i, (unsigned long long)c->vertices, (unsigned long long)c->triangles, c->area,
                             c->volume, (long long)c->euler))
            return -1;
    }
    return 0;
}
