// SPDX-License-Identifier: MIT
// Detects a topology among the trajectories by the formats and the numbers of frames read so far, so that no file is
// read twice.
#include "stray_topology.h"

const char *trj_stray_topology_check(struct trj_stray_topology *s, const struct trj_reader *r, const char *path,
                                     bool ended, uint64_t used) {
    if (!r->format->topology) s->nameless = true;
    if (r->format->topology && ended && r->next == 1 && used == 1 && !s->file) s->file = path;
    if (!s->file || !s->nameless || s->reported) return NULL;
    s->reported = true;
    return s->file;
}
