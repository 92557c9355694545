// SPDX-License-Identifier: MIT
// Allocates the arrays of the tile planner and uploads its input, for counting and for the search of neighbours.
#include "device_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "memory.h"
#include "tiles.h"

_Static_assert((int)CUDA_TILE == (int)TILE_WIDTH, "tiles of the kernels and of lib/tile have the same size");

enum { MAX_SETS = 65535 }; // planned together: limited by the blocks of a grid and the bits of a key (columns.h)

// ---- groups and sets

static size_t part_begin(const struct cuda_groups *g, size_t atoms, unsigned part) {
    return atoms * part / g->parts;
}

size_t cuda_groups_part_size(const struct cuda_groups *g, size_t atoms, unsigned part) {
    return part_begin(g, atoms, part + 1) - part_begin(g, atoms, part);
}

int cuda_groups_upload(struct cuda_groups *g, const bool *used, struct cuda_memory *m, struct trj_error *err) {
    g->dynamic = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct trj_group *group = &g->groups[i];
        if (!used[i]) continue;
        if (cuda_memory_alloc_copy(m, &g->lists[i], group->atoms, group->count * sizeof(uint32_t), "groups on the GPU",
                                   err))
            return -1;
        g->dynamic += group->dynamic ? group->count : 0;
    }
    return 0;
}

static void set_size(cuda_set *s, size_t atoms) {
    s->atoms = (unsigned)atoms;
    s->boxes[0] = (s->atoms + CUDA_TILE - 1) / CUDA_TILE;
    for (int l = 1; l < CUDA_LEVELS; l++) s->boxes[l] = (s->boxes[l - 1] + CUDA_CHILDREN - 1) / CUDA_CHILDREN;
}

// Returns a part of a group as a set whose boxes begin at first[level] of each level, and adds its boxes to `first`.
static cuda_set make_set(const struct cuda_groups *g, unsigned group, unsigned part, unsigned frame,
                         unsigned first[CUDA_LEVELS]) {
    size_t atoms = g->groups[group].count;
    cuda_set s = {.frame = frame, .group = group, .part = part, .list = g->lists[group] + part_begin(g, atoms, part)};
    set_size(&s, cuda_groups_part_size(g, atoms, part));
    for (int l = 0; l < CUDA_LEVELS; l++) {
        s.first[l] = first[l];
        first[l] += s.boxes[l];
    }
    return s;
}

int cuda_set_table_make(struct cuda_set_table *t, const struct cuda_groups *g, const unsigned *group,
                        const unsigned *part, unsigned set_count, unsigned frames, struct cuda_memory *m,
                        struct trj_error *err) {
    size_t sets = (size_t)frames * set_count;
    unsigned first[CUDA_LEVELS] = {0};
    *t = (struct cuda_set_table){.frames = frames, .set_count = set_count};
    t->sets = trj_alloc(sets, sizeof *t->sets, "sets", err);
    if (!t->sets) return -1;
    if (sets > MAX_SETS) return cuda_memory_fail(m, (double)sets, "groups at once", err);
    for (unsigned f = 0; f < frames; f++) {
        for (unsigned s = 0; s < set_count; s++) {
            cuda_set *set = &t->sets[f * set_count + s];
            *set = make_set(g, group[s], part[s], f, first);
            if (set->atoms > t->max_atoms) t->max_atoms = set->atoms;
        }
        if (!f) t->tiles = first[0];
    }
    size_t tiles = first[0];
    unsigned *set_of_tile = trj_alloc(tiles, sizeof *set_of_tile, "tiles", err);
    if (!set_of_tile) return -1;
    for (unsigned s = 0; s < sets; s++)
        for (unsigned i = 0; i < t->sets[s].boxes[0]; i++) set_of_tile[t->sets[s].first[0] + i] = s;
    int rc = cuda_memory_alloc_copy(m, &t->device_sets, t->sets, sets * sizeof *t->sets, "sets on the GPU", err) ||
                     cuda_memory_alloc_copy(m, &t->set_of_tile, set_of_tile, tiles * sizeof *set_of_tile,
                                            "sets on the GPU", err)
                 ? -1
                 : 0;
    free(set_of_tile);
    return rc;
}

void cuda_set_table_free(struct cuda_set_table *t) {
    free(t->sets);
    t->sets = NULL;
}

// ---- memory of a slot

int cuda_tiles_alloc(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_tiles_size *size,
                     struct cuda_memory *m, struct trj_error *err) {
    size_t boxes[CUDA_LEVELS] = {size->tiles}, places = size->tiles * CUDA_TILE, sets = size->sets;
    for (int l = 1; l < CUDA_LEVELS; l++) boxes[l] = boxes[l - 1] / CUDA_CHILDREN + sets;
    if (places > INT32_MAX) return cuda_memory_fail(m, (double)places, "atoms at once", err);
    if (cuda_plan_scratch((unsigned)places, &t->sorter.scratch_bytes, err)) return -1;
    t->capacity = trj_frame_bytes(size->atoms) / (3 * sizeof(float));
    const char *what = "tiles on the GPU";
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(t->x, size->frames * 3 * t->capacity, what),
        CUDA_ARRAY(t->frames, size->batch, what),
        CUDA_ARRAY(t->sets, g->dynamic ? sets : 0, what),
        CUDA_ARRAY(t->lists, size->frames * g->dynamic, what),
        CUDA_ARRAY(t->plan.bounds, sets, what),
        CUDA_ARRAY(t->plan.columns, sets, what),
        CUDA_ARRAY(t->plan.atom, places, what),
        CUDA_ARRAY(t->plan.wrap, 3 * places, what),
        CUDA_ARRAY(t->plan.centre[0], 3 * boxes[0], what),
        CUDA_ARRAY(t->plan.centre[1], 3 * boxes[1], what),
        CUDA_ARRAY(t->plan.centre[2], 3 * boxes[2], what),
        CUDA_ARRAY(t->plan.half[0], 3 * boxes[0], what),
        CUDA_ARRAY(t->plan.half[1], 3 * boxes[1], what),
        CUDA_ARRAY(t->plan.half[2], 3 * boxes[2], what),
        CUDA_ARRAY(t->plan.radius, boxes[0], what),
        CUDA_ARRAY(t->plan.patch, places / CUDA_PATCH * 2, what),
        CUDA_ARRAY(t->sorter.keys[0], places, what),
        CUDA_ARRAY(t->sorter.keys[1], places, what),
        CUDA_ARRAY(t->sorter.atom, places, what),
        CUDA_ARRAY_BYTES(t->sorter.scratch, t->sorter.scratch_bytes, what),
    };
    if (CUDA_ALLOC(m, arrays, err)) return -1;
    if (size->wide ? cuda_memory_alloc(m, &t->plan.local64, places * 4 * sizeof(double), what, err)
                   : cuda_memory_alloc(m, &t->plan.local32, places * sizeof(float4), what, err))
        return -1;
    t->plan.frames = t->frames;
    t->plan.scale = size->scale;
    return 0;
}

int cuda_tiles_alloc_host(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_tiles_size *size,
                          struct cuda_memory *m, struct trj_error *err) {
    if (g->dynamic) {
        t->host_sets = trj_alloc(size->sets, sizeof *t->host_sets, "sets", err);
        t->host_lists = trj_alloc(size->frames * g->dynamic, sizeof *t->host_lists, "groups", err);
        if (!t->host_sets || !t->host_lists) return -1;
    }
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_HOST(t->host_frames, size->batch),
        CUDA_ARRAY_HOST(t->host_bounds, size->bounds),
    };
    return CUDA_ALLOC(m, arrays, err);
}

void cuda_tiles_free(struct cuda_tiles *t) {
    free(t->host_sets);
    free(t->host_lists);
    *t = (struct cuda_tiles){.x = NULL};
}

// ---- upload and plan

// Uploads the atoms of the dynamic groups: [frame][group][atom], with the maximum number of atoms for each group.
static int upload_lists(struct cuda_tiles *t, const struct cuda_groups *g, const struct trj_frame *frames,
                        unsigned count, cudaStream_t stream, struct trj_error *err) {
    size_t offset = 0;
    for (unsigned f = 0; f < count; f++)
        for (size_t i = 0; i < g->count; i++) {
            const struct trj_group *group = &g->groups[i];
            if (!g->lists[i] || !group->dynamic) continue;
            trj_group_list(group, &frames[f], t->host_lists + offset);
            offset += group->count;
        }
    // A copy from pageable memory: the call returns when host_lists may be overwritten.
    CUDA_CHECK(cudaMemcpyAsync(t->lists, t->host_lists, offset * sizeof *t->lists, cudaMemcpyHostToDevice, stream));
    return 0;
}

int cuda_tiles_upload(struct cuda_tiles *t, const struct cuda_groups *g, const struct trj_frame *frames, unsigned first,
                      unsigned count, cudaStream_t stream, struct trj_error *err) {
    for (unsigned i = 0; i < count; i++) {
        const struct trj_frame *f = &frames[first + i];
        cuda_frame *to = &t->host_frames[first + i];
        to->x = t->x + i * 3 * t->capacity;
        to->capacity = f->capacity;
        to->unit = f->unit;
        memcpy(to->h, f->cell.h, sizeof to->h);
        trj_cell_reciprocal(&f->cell, to->g);
        CUDA_CHECK(cudaMemcpyAsync(to->x, f->x[0], 3 * f->capacity * sizeof(float), cudaMemcpyHostToDevice, stream));
    }
    CUDA_CHECK(
        cudaMemcpyAsync(t->frames, t->host_frames + first, count * sizeof *t->frames, cudaMemcpyHostToDevice, stream));
    return g->dynamic ? upload_lists(t, g, frames + first, count, stream, err) : 0;
}

// Uploads the sets of a table with the numbers of atoms that they have in the frames.
static int upload_sets(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_set_table *table,
                       const struct trj_frame *frames, cudaStream_t stream, struct trj_error *err) {
    for (unsigned i = 0; i < t->plan.set_count; i++) {
        cuda_set *set = &t->host_sets[i];
        *set = table->sets[i];
        const struct trj_group *group = &g->groups[set->group];
        if (!group->dynamic) continue;
        size_t atoms = trj_group_size(group, &frames[set->frame]), offset = set->frame * g->dynamic;
        for (unsigned k = 0; k < set->group; k++)
            if (g->lists[k] && g->groups[k].dynamic) offset += g->groups[k].count;
        set->list = t->lists + offset + part_begin(g, atoms, set->part);
        set_size(set, cuda_groups_part_size(g, atoms, set->part));
    }
    CUDA_CHECK(
        cudaMemcpyAsync(t->sets, t->host_sets, t->plan.set_count * sizeof *t->sets, cudaMemcpyHostToDevice, stream));
    return 0;
}

int cuda_tiles_plan(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_set_table *table,
                    const struct trj_frame *frames, unsigned first, unsigned count, bool held, cudaStream_t stream,
                    struct trj_error *err) {
    t->plan.sets = g->dynamic ? t->sets : table->device_sets;
    t->plan.set_of_tile = table->set_of_tile;
    t->plan.set_count = count * table->set_count;
    t->plan.tiles = count * table->tiles;
    if (g->dynamic && !held && upload_sets(t, g, table, frames + first, stream, err)) return -1;
    if (!held && cuda_plan_launch(&t->plan, &t->sorter, table->max_atoms, stream, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(t->host_bounds + t->bounds, t->plan.bounds, t->plan.set_count * sizeof *t->plan.bounds,
                               cudaMemcpyDeviceToHost, stream));
    t->bounds += t->plan.set_count;
    return 0;
}
