// SPDX-License-Identifier: MIT
// Registers the formats of maps. It contains nothing else, so that a test can link another list (tests/helpers).
#include "map_format_parts.h"

const struct trj_map_format *const trj_map_formats[] = {
    &trj_map_trjg, //
    &trj_map_dx,   //
    &trj_map_mrc,  //
    &trj_map_cube, //
    &trj_map_npy,  //
    NULL,
};
