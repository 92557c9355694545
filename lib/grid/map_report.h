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

// One map of a file. If the record contains sums, the summary is that of the means over the frames.
struct trj_map_finding {
    uint64_t record, frames;
    bool sum;
    double weight;
    struct trj_map_summary summary;
};

// Adds the description of the file, and the statistics of its n maps: as keys of the file if n is 1, and otherwise as a
// list.
void trj_map_report(struct trj_report *f, const struct trj_map_reader *r, const struct trj_map_finding *maps, size_t n);

#endif
