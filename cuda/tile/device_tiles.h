// SPDX-License-Identifier: MIT
// The atoms of a batch on a GPU: the groups, the sets that are planned together, and for each slot the memory of frames
// and tiles, with their upload. tile_planner.h makes tiles of them.
//
// Everything is allocated once, for the maximum size. A dynamic group takes memory for all atoms that can belong to it;
// its atoms in each frame are uploaded with the frame.
#ifndef CUDA_DEVICE_TILES_H
#define CUDA_DEVICE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_memory.h"
#include "group.h"
#include "tile_planner.h"

struct cuda_groups {
    const struct trj_group *groups; // [count]
    size_t count;
    uint32_t **lists; // [count] device memory with the atoms of the group; NULL: not used
    size_t dynamic;   // sum of the atoms of all dynamic groups that are used
    unsigned parts;   // each group is split into this number of parts, if memory is short
};

// Copies the groups with used[group] to the device. `lists` must have been allocated.
int cuda_groups_upload(struct cuda_groups *g, const bool *used, struct cuda_memory *m, struct trj_error *err);
// Returns the number of atoms in a part of a group with `atoms` atoms.
size_t cuda_groups_part_size(const struct cuda_groups *g, size_t atoms, unsigned part);

// Sets that are planned together: some sets of each of some frames. Those of one frame are consecutive.
struct cuda_set_table {
    unsigned frames;       // at most
    unsigned set_count;    // of each frame
    unsigned tiles;        // of each frame
    unsigned max_atoms;    // in a set
    cuda_set *sets;        // [frames * set_count] host memory
    cuda_set *device_sets; // the same on the device
    unsigned *set_of_tile; // [frames * tiles] device memory
};

// Makes the table of set_count sets of each frame: set s is part part[s] of group group[s].
int cuda_set_table_make(struct cuda_set_table *t, const struct cuda_groups *g, const unsigned *group,
                        const unsigned *part, unsigned set_count, unsigned frames, struct cuda_memory *m,
                        struct trj_error *err);
void cuda_set_table_free(struct cuda_set_table *t);

// Sizes for which a slot allocates memory.
struct cuda_tiles_size {
    unsigned batch;     // frames of a batch
    unsigned frames;    // frames that are planned together
    size_t atoms;       // of a frame
    size_t tiles, sets; // that are planned together
    size_t bounds;      // sets of a whole batch, summed over all tables
    bool wide;          // positions are float64 (local64), not float32 (local32)
    double scale;       // of the positions
};

// The tiles of a slot.
struct cuda_tiles {
    cuda_plan plan;
    cuda_sorter sorter;
    size_t capacity;                  // floats for one coordinate of a frame
    float *x;                         // [frames][3][capacity]
    cuda_frame *frames, *host_frames; // [batch]
    cuda_set *sets, *host_sets;       // [sets], with dynamic groups
    uint32_t *lists, *host_lists;     // [frames][dynamic], with dynamic groups
    cuda_bounds *host_bounds;         // [bounds]
    unsigned bounds;                  // number that the current batch uses
};

// Allocates device memory. On failure m->full states whether memory was short.
int cuda_tiles_alloc(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_tiles_size *size,
                     struct cuda_memory *m, struct trj_error *err);
// Allocates host memory, after the device memory; cuda_tiles_free is required, also after a failure.
int cuda_tiles_alloc_host(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_tiles_size *size,
                          struct cuda_memory *m, struct trj_error *err);
void cuda_tiles_free(struct cuda_tiles *t);

// Uploads frames [first, first + count) of a batch. The caller sets `rounding` and `rounding_each` of host_frames
// before.
int cuda_tiles_upload(struct cuda_tiles *t, const struct cuda_groups *g, const struct trj_frame *frames, unsigned first,
                      unsigned count, cudaStream_t stream, struct trj_error *err);
// Plans the sets of a table for the `count` frames that were uploaded last, which begin with frame `first`. If they are
// planned already (`held`), it selects them only. Also copies the bounds to host_bounds + bounds and adds their number.
int cuda_tiles_plan(struct cuda_tiles *t, const struct cuda_groups *g, const struct cuda_set_table *table,
                    const struct trj_frame *frames, unsigned first, unsigned count, bool held, cudaStream_t stream,
                    struct trj_error *err);

#endif
