// SPDX-License-Identifier: MIT
// Lists the conventions for the origin of MRC files once, for all tools that read maps.
#include "map_origin.h"

#include <string.h>

const struct trj_choice trj_map_origin_choices[] = {
    {"auto", "ORIGIN if any of its words is not 0, otherwise NSTART"},
    {"nstart", "NSTART, in steps of the lattice"},
    {"origin", "ORIGIN, in Angstrom"},
    {"sum", "the sum of both"},
    {NULL, NULL},
};

const struct trj_option trj_map_origin_option[] = {
    {.name = "origin",
     .kind = TRJ_OPTION_CHOICE,
     .arg = "WORDS",
     .help = "take the position of an MRC or CCP4 map from these words of its header",
     .choices = trj_map_origin_choices},
    TRJ_OPTION_END,
};

enum trj_map_origin trj_map_origin_named(const char *name) {
    int k = 0;
    while (trj_map_origin_choices[k + 1].name && strcmp(trj_map_origin_choices[k].name, name) != 0) k++;
    return (enum trj_map_origin)k;
}
