// SPDX-License-Identifier: MIT
// What all engines of maps on the CPU have in common: the sums of the current record, and statistics.
#ifndef WORK_CPU_MAP_H
#define WORK_CPU_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map_engine.h"

// First member of the state of an engine, which is zeroed at first.
struct work_cpu_map {
    int64_t *values; // [points]
    size_t points;
    unsigned threads; // for statistics
    // Adds a frame to the values. Fails as `add` of struct work_map_engine.
    int (*add)(void *engine, struct trj_frame *frame, struct trj_error *err);
    bool cleared; // the values are those of the current record
    uint64_t frames;
    double seconds;
};

// Allocates the values. After a failure work_cpu_map_free is allowed, too.
int work_cpu_map_open(struct work_cpu_map *map, size_t points, struct trj_error *err);
void work_cpu_map_free(struct work_cpu_map *map);

// Functions of struct work_map_engine.
int work_cpu_map_add(void *engine, struct trj_frame *frame, struct trj_error *err);
int work_cpu_map_finish(void *engine, const int64_t **values, struct trj_error *err);
void work_cpu_map_stats(void *engine, struct trj_engine_stats *stats);
#define WORK_CPU_MAP_FUNCTIONS .add = work_cpu_map_add, .finish = work_cpu_map_finish, .stats = work_cpu_map_stats

#endif
