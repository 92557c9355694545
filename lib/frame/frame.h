// SPDX-License-Identifier: MIT
// One configuration: the file's own float32 coordinates, the unit they are in, the cell, and where it came from.
#ifndef TRJ_FRAME_H
#define TRJ_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"

#define TRJ_NO_STEP INT64_MIN // the format does not say

struct trj_frame {
    uint64_t index;  // number of the frame in its source, from 0
    uint32_t source; // which source, where there are several (frame_stream.h)
    int64_t step;    // MD step or TRJ_NO_STEP
    double time;     // ps, NaN where unknown
    double unit;     // Å per stored length: 1 for Å, 10 for nm
    struct trj_cell cell;
    size_t atoms;
    float *x[3]; // [atoms] each, in the file's own unit; one allocation, x[1] = x[0] + room, x[2] = x[1] + room
    size_t room;
    void (*release)(void *memory); // frees x[0]; NULL: free()
    // Which atoms the groups that change have in this frame (group.h), where there are such; free() frees.
    uint32_t *members;
    size_t member_room; // words
};

// For memory of another kind, as a device may want it: how many bytes a frame of `atoms` needs, aligned to 64; 0: more than there can be.
size_t trj_frame_bytes(size_t atoms);
// Gives *f, which has no coordinates, such memory; content of x is undefined afterwards.
void trj_frame_adopt(struct trj_frame *f, void *memory, size_t atoms, void (*release)(void *memory));

// Makes room for `atoms`; content of x is undefined afterwards. A zeroed frame is empty and may be freed.
int trj_frame_resize(struct trj_frame *f, size_t atoms, struct trj_error *err);
int trj_frame_resize_members(struct trj_frame *f, size_t words, struct trj_error *err); // the same for members
void trj_frame_free(struct trj_frame *f);

// Leaves of the atoms those `count` with these numbers, which ascend.
void trj_frame_pick(struct trj_frame *f, const uint32_t *atoms, size_t count);

// TRJ_BAD_DATA naming the first atom whose coordinate is NaN or infinite. atoms[i] is the number that atom i had in the file; NULL: i.
int trj_frame_check(const struct trj_frame *f, const uint32_t *atoms, struct trj_error *err);

// TRJ_BAD_DATA for an atom beyond TRJ_FARTHEST, where distances are asked for.
int trj_frame_check_far(const struct trj_frame *f, size_t atom, struct trj_error *err);

#endif
