// SPDX-License-Identifier: MIT
// Contains the parts of reports that trajectories, topologies and histograms share, so that their keys are the same.
#include "frame_report.h"

#include <stddef.h>
#include <stdio.h>

#include "cell.h"

void trj_report_periodic(struct trj_report *f, unsigned periodic) {
    trj_report_text(f, "cell_periodic", trj_periodic_name(periodic));
}

void trj_report_elements(struct trj_report *f, const char *key, const uint64_t *count) {
    char text[(TRJ_ELEMENTS + 1) * sizeof "Og 18446744073709551615 "] = "";
    for (size_t z = 0, length = 0; count && z <= TRJ_ELEMENTS; z++)
        if (count[z])
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %llu", length ? " " : "",
                                       z ? trj_elements[z].symbol : "?", (unsigned long long)count[z]);
    trj_report_text(f, key, count ? text : NULL);
}
