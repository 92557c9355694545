// SPDX-License-Identifier: MIT
// Clears, times and counts for the engines of maps on the CPU, so that each of them only adds a frame to an array.
#include "cpu_map.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

int work_cpu_map_open(struct work_cpu_map *m, size_t points, struct trj_error *err) {
    m->points = points;
    m->values = trj_alloc(points, sizeof *m->values, "the map", err);
    m->cleared = true; // by the allocation: the threads that add to the pages are the first to write them
    return m->values ? 0 : -1;
}

void work_cpu_map_free(struct work_cpu_map *m) {
    free(m->values);
}

static void clear(struct work_cpu_map *m) {
    if (!m->cleared) memset(m->values, 0, m->points * sizeof *m->values);
    m->cleared = true;
}

int work_cpu_map_add(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct work_cpu_map *m = engine;
    double began = trj_seconds();
    clear(m);
    if (m->add(engine, frame, err)) return -1;
    m->frames++;
    m->seconds += trj_seconds() - began;
    return 0;
}

int work_cpu_map_finish(void *engine, const int64_t **values, struct trj_error *err) {
    struct work_cpu_map *m = engine;
    (void)err;
    clear(m);
    m->cleared = false;
    *values = m->values;
    return 0;
}

void work_cpu_map_stats(void *engine, struct trj_engine_stats *s) {
    const struct work_cpu_map *m = engine;
    *s = (struct trj_engine_stats){.workers = m->threads, .frames = m->frames, .seconds = m->seconds};
}
