// SPDX-License-Identifier: MIT
// Manages the memory of velocities and image flags, which frames have only if they are requested.
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

const char *const trj_motion_names[TRJ_MOTION_KINDS] = {"velocity", "image"};
const char *const trj_motion_plurals[TRJ_MOTION_KINDS] = {"velocities", "image flags"};

// Gives an array for three axes other memory if it is too small.
static int resize(void *axes[3], size_t *capacity, size_t atoms, struct trj_error *err) {
    if (atoms <= *capacity && axes[0]) return 0;
    free(axes[0]); // first, so that old and new memory are not needed at once
    axes[0] = axes[1] = axes[2] = NULL;
    *capacity = 0;
    size_t n = atoms ? atoms : 1;
    if (!(axes[0] = trj_alloc(n, 3 * sizeof(float), "velocities or image flags", err))) return -1;
    axes[1] = (float *)axes[0] + n;
    axes[2] = (float *)axes[0] + 2 * n;
    *capacity = n;
    return 0;
}

int trj_motion_resize(struct trj_motion **motion, unsigned what, size_t atoms, struct trj_error *err) {
    if (!*motion && !(*motion = trj_alloc(1, sizeof **motion, "velocities or image flags", err))) return -1;
    struct trj_motion *m = *motion;
    void *axes[3] = {m->velocity[0], m->velocity[1], m->velocity[2]};
    m->has = 0;
    int rc = what & TRJ_HAS_VELOCITY ? resize(axes, &m->velocities, atoms, err) : 0;
    for (int k = 0; k < 3; k++) m->velocity[k] = axes[k];
    if (rc) return -1;
    for (int k = 0; k < 3; k++) axes[k] = m->image[k];
    rc = what & TRJ_HAS_IMAGE ? resize(axes, &m->images, atoms, err) : 0;
    for (int k = 0; k < 3; k++) m->image[k] = axes[k];
    if (rc) return -1;
    m->has = what;
    return 0;
}

void trj_motion_free(struct trj_motion *m) {
    if (!m) return;
    free(m->velocity[0]);
    free(m->image[0]);
    free(m);
}

int trj_motion_take(struct trj_motion **to, const struct trj_motion *from, const uint32_t *rows, size_t count,
                    struct trj_error *err) {
    unsigned what = trj_motion_has(from);
    if (!what) {
        if (*to) (*to)->has = 0;
        return 0;
    }
    if (trj_motion_resize(to, what, count, err)) return -1;
    (*to)->unit = from->unit;
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; what & TRJ_HAS_VELOCITY && i < count; i++)
            (*to)->velocity[k][i] = from->velocity[k][rows ? rows[i] : i];
        for (size_t i = 0; what & TRJ_HAS_IMAGE && i < count; i++)
            (*to)->image[k][i] = from->image[k][rows ? rows[i] : i];
    }
    return 0;
}

void trj_motion_pick(struct trj_motion *m, const uint32_t *atoms, size_t count) {
    unsigned what = trj_motion_has(m);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; what & TRJ_HAS_VELOCITY && i < count; i++) m->velocity[k][i] = m->velocity[k][atoms[i]];
        for (size_t i = 0; what & TRJ_HAS_IMAGE && i < count; i++) m->image[k][i] = m->image[k][atoms[i]];
    }
}

void trj_motion_rotate(struct trj_motion *m, const double rotation[3][3], size_t atoms) {
    if (!(trj_motion_has(m) & TRJ_HAS_VELOCITY)) return;
    for (size_t i = 0; i < atoms; i++) {
        double v[3];
        for (int k = 0; k < 3; k++) v[k] = (double)m->velocity[k][i];
        for (int k = 0; k < 3; k++) {
            const double *row = rotation[k];
            m->velocity[k][i] = (float)(row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
        }
    }
}

int trj_motion_check(const struct trj_motion *m, size_t atoms, const uint32_t *numbers, struct trj_error *err) {
    if (!(trj_motion_has(m) & TRJ_HAS_VELOCITY)) return 0;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < atoms; i++)
            if (!isfinite(m->velocity[k][i]))
                return trj_fail(err, TRJ_BAD_DATA,
                                "velocity v%c of atom %zu (counted from 0) is %s; leave velocity out of --carry, or "
                                "create the file again",
                                'x' + k, numbers ? numbers[i] : i,
                                isnan(m->velocity[k][i]) ? "not a number" : "infinite");
    return 0;
}
