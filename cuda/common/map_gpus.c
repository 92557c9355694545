// SPDX-License-Identifier: MIT
// Connects the GPUs of an engine of maps with their pool, because all maps are sums of the same type.
#include "map_gpus.h"

#include <stdlib.h>

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
