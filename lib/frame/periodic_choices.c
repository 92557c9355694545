// SPDX-License-Identifier: MIT
// Lists the names of periodic directions once, for all tools with this option.
#include "periodic_choices.h"

const struct trj_choice trj_periodic_choices[] = {
    {"none", "no direction"},
    {"x", "the first vector"},
    {"y", "the second vector"},
    {"z", "the third vector"},
    {"xy", "the first and the second: a slab"},
    {"xz", "the first and the third: a slab"},
    {"yz", "the second and the third: a slab"},
    {"xyz", "all three"},
    {NULL, NULL},
};
