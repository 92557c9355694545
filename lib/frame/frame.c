// SPDX-License-Identifier: MIT
// Manages the memory of frames, and exchanges it instead of copying, because a frame can be hundreds of megabytes.
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "largest_magnitude.h"
#include "memory.h"
#include "pipe_memory.h"

enum { LINE = 64, STEP = LINE / sizeof(float) }; // bytes, floats: each of the three arrays starts a cache line

static size_t room_for(size_t atoms) {
    return atoms ? (atoms + STEP - 1) / STEP * STEP : STEP;
}

size_t trj_frame_bytes(size_t atoms) {
    return atoms > SIZE_MAX / (3 * sizeof(float)) - STEP ? 0 : 3 * sizeof(float) * room_for(atoms);
}

void trj_frame_adopt(struct trj_frame *f, void *memory, size_t atoms, void (*release)(void *memory)) {
    f->atoms = atoms;
    f->capacity = room_for(atoms);
    f->x[0] = memory;
    f->x[1] = f->x[0] + f->capacity;
    f->x[2] = f->x[1] + f->capacity;
    f->release = release;
    f->farthest = 0;
}

void trj_frame_drop(struct trj_frame *f) {
    if (f->release)
        f->release(f->x[0]);
    else
        free(f->x[0]);
    f->release = NULL;
    f->x[0] = f->x[1] = f->x[2] = NULL;
    f->capacity = f->atoms = 0;
}

int trj_frame_resize(struct trj_frame *f, size_t atoms, struct trj_error *err) {
    if (atoms > f->capacity || !f->x[0]) {
        trj_frame_drop(f); // first, so that old and new memory are not needed at once
        size_t bytes = trj_frame_bytes(atoms);
        bool large = bytes >= TRJ_PIPE_MEMORY_MIN;
        void *memory = large ? trj_pipe_alloc(bytes) : bytes ? aligned_alloc(LINE, bytes) : NULL;
        if (!memory) return trj_fail_memory(err, 3.0 * sizeof(float) * (double)atoms, "coordinates");
        trj_frame_adopt(f, memory, atoms, large ? trj_pipe_free : NULL);
    }
    f->atoms = atoms;
    f->stored.known = false;
    f->farthest = 0;
    return 0;
}

int trj_frame_resize_members(struct trj_frame *f, size_t words, struct trj_error *err) {
    return trj_grow(&f->members, &f->member_capacity, words, sizeof *f->members, "members of groups", err);
}

void trj_frame_free(struct trj_frame *f) {
    trj_frame_drop(f);
    free(f->members);
    free(f->packed.data);
    for (int k = 0; k < TRJ_FRAME_VALUES; k++) {
        free(f->value[k]);
        f->value[k] = NULL;
        f->value_capacity[k] = 0;
    }
    trj_motion_free(f->motion);
    f->motion = NULL;
    f->packed = (struct trj_packed){0};
    f->members = NULL;
    f->member_capacity = 0;
}

static void take_coordinates(struct trj_frame *to, const struct trj_frame *from) {
    for (int k = 0; k < 3; k++) to->x[k] = from->x[k];
    to->atoms = from->atoms;
    to->capacity = from->capacity;
    to->release = from->release;
    to->stored = from->stored;
    to->farthest = from->farthest;
}

void trj_frame_exchange(struct trj_frame *a, struct trj_frame *b) {
    struct trj_frame was = *a;
    take_coordinates(a, b);
    take_coordinates(b, &was);
}

void trj_frame_copy_head(struct trj_frame *to, const struct trj_frame *from) {
    to->index = from->index;
    to->source = from->source;
    to->step = from->step;
    to->time = from->time;
    to->unit = from->unit;
    to->cell = from->cell;
}

int trj_frame_copy(struct trj_frame *to, const struct trj_frame *from, struct trj_error *err) {
    if (trj_frame_resize(to, from->atoms, err) ||
        (from->members && trj_frame_resize_members(to, from->member_capacity, err)) ||
        trj_motion_take(&to->motion, from->motion, NULL, from->atoms, err))
        return -1;
    trj_frame_copy_head(to, from);
    to->stored = from->stored;
    to->farthest = from->farthest;
    for (int k = 0; k < 3; k++)
        if (from->atoms) memcpy(to->x[k], from->x[k], from->atoms * sizeof *from->x[k]);
    if (from->members) memcpy(to->members, from->members, from->member_capacity * sizeof *from->members);
    return 0;
}

void trj_frame_pick(struct trj_frame *f, const uint32_t *atoms, size_t count) {
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < count; i++) f->x[k][i] = f->x[k][atoms[i]];
    trj_motion_pick(f->motion, atoms, count);
    f->atoms = count;
    f->stored.known = false;
    f->farthest = 0;
}

// Returns the larger one of two magnitudes; NaN if one of them is NaN.
static float larger(float a, float b) {
    return isnan(a) || b <= a ? a : b;
}

static float farthest(const struct trj_frame *f) {
    enum trj_isa isa = trj_isa_of_process();
    float max = 0;
    for (int k = 0; k < 3 && !isnan(max); k++) max = larger(max, trj_largest_magnitude(f->x[k], f->atoms, isa));
    return max;
}

void trj_frame_measure(struct trj_frame *f, const float *x, size_t n) {
    f->farthest = larger(f->farthest, trj_largest_magnitude(x, n, trj_isa_of_process()));
}

float trj_frame_farthest(const struct trj_frame *f) {
    return f->farthest > 0 ? f->farthest : farthest(f);
}

int trj_frame_check(struct trj_frame *f, const uint32_t *atoms, struct trj_error *err) {
    f->farthest = farthest(f);
    if (isfinite(f->farthest)) return 0;
    size_t i = 0;
    int k = 0;
    while (isfinite(f->x[k][i]))
        if (++k == 3) {
            k = 0;
            i++;
        }
    return trj_fail(err, TRJ_BAD_DATA, "%c of atom %zu (counted from 0) is %s", 'x' + k, atoms ? atoms[i] : i,
                    isnan(f->x[k][i]) ? "not a number" : "infinite");
}

int trj_frame_check_far(const struct trj_frame *f, size_t atom, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        double x = (double)f->x[k][atom] * f->unit;
        if (!(fabs(x) <= TRJ_FARTHEST))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "atom %zu: coordinate %c is %g Å, out of range: at most %g Å; check the file and its unit of length",
                atom, 'x' + k, x, TRJ_FARTHEST);
    }
    return 0;
}
