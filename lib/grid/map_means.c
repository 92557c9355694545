// SPDX-License-Identifier: MIT
// Names the densities that totals become, as densmap names those that it writes itself.
#include "map_means.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_unit.h"
#include "memory.h"

const struct trj_option trj_map_totals_option[] = {
    {TRJ_OPTION(0, "totals", FLAG, NULL, NULL,
                "write the mean of totals over voxels, such as numbers of atoms, as it is (default: as a density)")},
    TRJ_OPTION_END,
};

bool trj_map_are_summed_totals(const struct trj_map *map, bool sum) {
    return sum && map->meaning == TRJ_MAP_TOTALS;
}

int trj_map_fail_totals(struct trj_error *err) {
    return trj_fail(err, TRJ_USAGE,
                    "--totals applies to totals over voxels that are summed over frames, such as the numbers of atoms "
                    "in a grid stream of densmap; there are none; leave it out");
}

const char *trj_map_means_note(char text[TRJ_MAP_MEANS_NOTE], const struct trj_map *means, const struct trj_map *map,
                               const char *remedy) {
    *text = 0;
    if (means->meaning != map->meaning)
        snprintf(text, TRJ_MAP_MEANS_NOTE,
                 "the values are totals over voxels, summed over frames; their mean is taken as a %s in %s; for the "
                 "mean of the totals, %s",
                 means->quantity, means->unit, remedy);
    return text;
}

// Returns the name of the density of a total.
static const char *density_of(const struct trj_map *m) {
    static const struct {
        const char *quantity, *unit, *density;
    } names[] = {
        {"number of atoms", "", "number density"},
        {"sum of weights", "u", "mass density"},
        {"sum of weights", "e", "charge density"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(m->quantity, names[i].quantity) && !strcmp(m->unit, names[i].unit)) return names[i].density;
    return "density";
}

int trj_map_means(struct trj_map *means, double *factor, const struct trj_map *map, bool sum, bool totals,
                  struct trj_error *err) {
    *factor = 1;
    if (trj_map_copy(means, map, err)) return -1;
    means->kind = TRJ_MAP_FLOAT64;
    means->quantum = 0;
    if (totals || !trj_map_are_summed_totals(map, sum)) return 0;
    *factor = 1 / trj_map_lattice_voxel(&map->lattice);
    means->error_bound *= *factor;
    means->meaning = TRJ_MAP_MEANS;
    struct trj_map_unit unit = trj_map_unit_parse(map->unit), length = trj_map_unit_parse("A");
    unit = trj_map_unit_product(&unit, 1, &length, -3);
    char *name = trj_copy_text(density_of(means), err), *text = name ? trj_copy_text(unit.text, err) : NULL;
    free(means->quantity);
    free(means->unit);
    means->quantity = name;
    means->unit = text;
    return text ? 0 : -1;
}
