// SPDX-License-Identifier: MIT
// Velocities and image flags of the atoms of a frame. They are read only where they are requested (trjcat --carry
// velocity,image), and a frame without them has none of this memory.
//
// An image flag gives the image of the cell in which an atom is: its position without periodic boundaries is
// x + flag[0] a + flag[1] b + flag[2] c, with the cell vectors of its frame.
#ifndef TRJ_MOTION_H
#define TRJ_MOTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum trj_motion_kind { TRJ_MOTION_VELOCITY, TRJ_MOTION_IMAGE, TRJ_MOTION_KINDS };
enum { TRJ_HAS_VELOCITY = 1 << TRJ_MOTION_VELOCITY, TRJ_HAS_IMAGE = 1 << TRJ_MOTION_IMAGE };

extern const char *const trj_motion_names[TRJ_MOTION_KINDS];   // "velocity", "image", as in --carry
extern const char *const trj_motion_plurals[TRJ_MOTION_KINDS]; // "velocities", "image flags", for messages

#define TRJ_VELOCITY_UNIT "A/ps"

// What a file or stream states about its velocities or image flags.
struct trj_motion_source {
    char unit[16];    // TRJ_VELOCITY_UNIT; "": unknown, or of image flags, which have none
    char origin[160]; // for users, such as "TRR, nm/ps"; "": the input has none
};

struct trj_motion {
    unsigned has;              // TRJ_HAS_...: what the frame contains
    double unit;               // of velocities: Å/ps per stored velocity; 1 if the unit is unknown
    float *velocity[3];        // [atoms] each, as stored in the file
    int32_t *image[3];         // [atoms] each
    size_t velocities, images; // atoms for which there is memory
};

// Gives *m memory for `atoms` atoms, and sets `has` to `what`. *m is NULL at first. The values are undefined.
int trj_motion_resize(struct trj_motion **m, unsigned what, size_t atoms, struct trj_error *err);
void trj_motion_free(struct trj_motion *m); // NULL is allowed
// Returns what a frame has, with m possibly NULL.
static inline unsigned trj_motion_has(const struct trj_motion *m) {
    return m ? m->has : 0;
}

// Copies what `from` has, of the atoms at `rows` (NULL: all, in order), to the first `count` atoms of *to. If `from` is
// NULL or empty, *to has nothing afterwards.
int trj_motion_take(struct trj_motion **to, const struct trj_motion *from, const uint32_t *rows, size_t count,
                    struct trj_error *err);
// Keeps only the `count` atoms with these numbers, which ascend.
void trj_motion_pick(struct trj_motion *m, const uint32_t *atoms, size_t count);
// Rotates the velocities: v' = rotation v, in float64, rounded once.
void trj_motion_rotate(struct trj_motion *m, const double rotation[3][3], size_t atoms);
// Fails with TRJ_BAD_DATA, naming the first of `atoms` atoms with a velocity that is not finite. `numbers` as in
// trj_frame_check.
int trj_motion_check(const struct trj_motion *m, size_t atoms, const uint32_t *numbers, struct trj_error *err);

#endif
