// SPDX-License-Identifier: MIT
// Connects the GPUs of an engine of maps with their pool, because all maps are sums of the same type.
#include "map_gpus.h"

#include <stdlib.h>

#include "memory.h"

struct cuda_map {
    struct cuda_gpus gpus;
    struct work_map_pool *pool;
};

int cuda_map_open(void **engine, const struct cuda_analysis *analysis, const struct work_map_job *map,
                  unsigned (*slices)(const struct cuda_gpus *gpus), const struct work_resources *resources,
                  struct trj_error *err) {
    struct cuda_map *m = trj_alloc(1, sizeof *m, "an engine", err);
    if (!m) return -1;
    m->gpus = (struct cuda_gpus){.analysis = analysis, .job = map->owner, .resources = *resources};
    if (cuda_gpus_open(&m->gpus, err)) goto out;
    const struct work_pool_plan plan = cuda_gpus_plan(&m->gpus, slices(&m->gpus));
    if (work_map_pool_open(&m->pool, map, resources, &plan, err)) goto out;
    *engine = m;
    return 0;
out:
    cuda_map_close(m);
    return -1;
}

int cuda_map_add(void *engine, struct trj_frame *f, struct trj_error *err) {
    return work_map_pool_add(((struct cuda_map *)engine)->pool, f, err);
}

int cuda_map_finish(void *engine, const int64_t **values, struct trj_error *err) {
    return work_map_pool_finish(((struct cuda_map *)engine)->pool, values, err);
}

int cuda_map_add_sums(void *engine, const int64_t *values, struct trj_error *err) {
    return work_map_pool_add_sums(((struct cuda_map *)engine)->pool, values, err);
}

uint64_t cuda_map_bad_frame(const void *engine) {
    return work_map_pool_bad_frame(((const struct cuda_map *)engine)->pool);
}

void cuda_map_stats(void *engine, struct trj_engine_stats *s) {
    work_map_pool_stats(((struct cuda_map *)engine)->pool, s);
}

void cuda_map_close(void *engine) {
    struct cuda_map *m = engine;
    if (!m) return;
    work_map_pool_close(m->pool);
    cuda_gpus_close(&m->gpus);
    free(m);
}
