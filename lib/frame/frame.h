// SPDX-License-Identifier: MIT
// A frame: float32 coordinates as in the file, with their unit; the cell; step, time and source.
#ifndef TRJ_FRAME_H
#define TRJ_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "motion.h"

#define TRJ_NO_STEP INT64_MIN // the format has no steps

// Coordinates of all atoms of a source in the compressed form of their XTC file (format/xtc_unpack.c). They are carried
// through programs that do not use them.
struct trj_packed {
    float precision;         // integers per nm
    int32_t low[3], high[3]; // bounds of the integers
    int32_t small;           // bits of the first small atoms
    uint64_t offset;         // position of data[0] in the file, for messages
    unsigned char *data;     // [bytes]
    size_t bytes, capacity;  // 0 bytes: there are none
};

// The place of the coordinates in a file that contains them as x does: float32 of this byte order, axis by axis.
struct trj_stored {
    bool known;
    int file; // descriptor, which stays open until the next frame is read
    uint64_t offset[3];
};

enum trj_frame_value { TRJ_FRAME_OCCUPANCY, TRJ_FRAME_BFACTOR, TRJ_FRAME_VALUES };

struct trj_frame {
    uint64_t index;  // number of the frame in its source, from 0
    uint32_t source; // number of the source, if there are several (frame_stream.h)
    int64_t step;    // MD step or TRJ_NO_STEP
    double time;     // ps; NaN: unknown
    double unit;     // Å per stored length: 1 for Å, 10 for nm
    struct trj_cell cell;
    size_t atoms;
    float *x[3]; // [atoms] each, in the file's own unit; one allocation, x[1] = x[0] + capacity, x[2] = x[1] + capacity
    size_t capacity;
    struct trj_stored stored;      // functions that change x clear `known`
    float farthest;                // largest |coordinate| of x, as trj_frame_check found it; 0: not known
    void (*release)(void *memory); // frees x[0]; NULL: free()
    // [member_capacity or less] members of the dynamic groups in this frame (group.h); NULL: there are none. free()
    // frees it.
    uint32_t *members;
    size_t member_capacity;   // words
    struct trj_packed packed; // the same coordinates, if trj_reader_keep_packed requested them; free() frees its data
    // [TRJ_FRAME_VALUES][atoms] values of all atoms of the source in this frame, not only of picked ones; NaN: unknown;
    // NULL: none were requested, or the format has none. free() frees them.
    float *value[TRJ_FRAME_VALUES];
    size_t value_capacity[TRJ_FRAME_VALUES];
    struct trj_motion *motion; // velocities and image flags of `atoms` atoms; NULL or empty: none were requested
    bool packed_only;          // x is undefined, because the coordinates were not decoded
};

// Returns the bytes of memory, aligned to 64, that the coordinates of `atoms` atoms require, for callers that allocate
// memory of another kind, as for devices; 0: more than can be addressed.
size_t trj_frame_bytes(size_t atoms);
// Gives *f, which has no coordinates, memory of that size. The content of x is undefined afterwards.
void trj_frame_adopt(struct trj_frame *f, void *memory, size_t atoms, void (*release)(void *memory));

// Allocates memory for `atoms` atoms. The content of x is undefined afterwards. A zeroed frame is empty and may be
// freed.
int trj_frame_resize(struct trj_frame *f, size_t atoms, struct trj_error *err);
int trj_frame_resize_members(struct trj_frame *f, size_t words, struct trj_error *err); // as above, for members
void trj_frame_drop(struct trj_frame *f);                                               // frees the coordinates alone
void trj_frame_free(struct trj_frame *f);
void trj_frame_exchange(struct trj_frame *a, struct trj_frame *b); // exchanges the coordinates alone

// Copies number, source, step, time, unit and cell, but no coordinates and members.
void trj_frame_copy_head(struct trj_frame *to, const struct trj_frame *from);
// Copies a whole frame, except for its packed coordinates and values. Coordinates, members and motion of *to are
// replaced.
int trj_frame_copy(struct trj_frame *to, const struct trj_frame *from, struct trj_error *err);

// Keeps only the `count` atoms with these numbers, which ascend.
void trj_frame_pick(struct trj_frame *f, const uint32_t *atoms, size_t count);

// Returns the largest absolute coordinate; infinity or NaN if a coordinate is not finite.
float trj_frame_farthest(const struct trj_frame *f);
enum { TRJ_FRAME_PART = 1 << 16 }; // coordinates that fit into a second-level cache
// Includes n coordinates in f->farthest, for code that reads a frame in parts: each part is then still in the cache.
// f->farthest must be 0 before the first part. It is 0, too, if all coordinates are, and not finite if one is not.
void trj_frame_measure(struct trj_frame *f, const float *x, size_t n);

// Fails with TRJ_BAD_DATA, naming the first atom with a NaN or infinite coordinate; otherwise sets f->farthest.
// atoms[i] is the number of atom i in the file; NULL: i.
int trj_frame_check(struct trj_frame *f, const uint32_t *atoms, struct trj_error *err);

// Fails with TRJ_BAD_DATA if the atom is beyond TRJ_FARTHEST, where distances cannot be computed.
int trj_frame_check_far(const struct trj_frame *f, size_t atom, struct trj_error *err);

#endif
