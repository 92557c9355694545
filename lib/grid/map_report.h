// SPDX-License-Identifier: MIT
// Reports the content of files of maps; filters/mapinfo.1 explains the keys.
#ifndef TRJ_MAP_REPORT_H
#define TRJ_MAP_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_format.h"
#include "map_statistics.h"
#include "report.h"

// One map of a file. Values are means over the frames if the record contains sums.
struct trj_map_finding {
    uint64_t record, frames;
    bool sum;
    double weight;
    struct trj_map_summary summary;
};

// Adds what the reader has found, and the n maps: their statistics as values of the file if there is one, and otherwise
// as a list.
void trj_map_report(struct trj_report *f, const struct trj_map_reader *r, const struct trj_map_finding *maps, size_t n);

#endif
