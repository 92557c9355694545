// SPDX-License-Identifier: MIT
// The kernel of surface_kernel.h in terms of vectors (numeric/vector_plain.h). The file of each instruction set
// includes it after the vectors of that set and these functions:
//     bits()          a mask of flags, the lowest bit for the first number
//     multiply_add()  a b + c, rounded once or twice
//     append()        appends those of LANES points whose bits are set; stores of whole vectors are allowed
#if !defined OBS_SURFACE_KERNEL_BODY_H && defined LANES
#define OBS_SURFACE_KERNEL_BODY_H

#include <math.h>

#include "surface_kernel.h"

enum { VECTORS = OBS_SURFACE_BLOCK / LANES };

static void gather(const float *const x[3], const float *reach, const struct obs_contact_run *run, size_t runs,
                   uint32_t first, size_t row, const struct obs_surface_sphere *sphere,
                   struct obs_surface_atoms to[2]) {
    const reals cutoff = v_all(sphere->cutoff), reach2 = v_all(sphere->reach2), half = v_all(-sphere->half),
                near2 = v_all(sphere->near2);
    for (size_t r = 0; r < runs; r++) {
        const reals at[3] = {v_all(run[r].at[0][row]), v_all(run[r].at[1][row]), v_all(run[r].at[2][row])};
        for (uint32_t j = run[r].begin, end = run[r].end; j < end; j += LANES) {
            reals d[4];
            for (int k = 0; k < 3; k++) d[k] = v_sub(v_load(x[k] + j), at[k]);
            const reals r2 = multiply_add(d[2], d[2], multiply_add(d[1], d[1], v_mul(d[0], d[0]))),
                        other = v_load(reach + j), touching = v_add(other, cutoff);
            unsigned mask = bits(v_not_above(r2, v_mul(touching, touching)));
            if (end - j < LANES) mask &= (1U << (end - j)) - 1;
            if (!mask) continue;
            d[3] = v_mul(v_add(v_sub(r2, v_mul(other, other)), reach2), half);
            const unsigned near = mask & bits(v_less(r2, near2));
            if (near) append(&to[0], near, d, j, first + (uint32_t)r);
            if (mask != near) append(&to[1], mask ^ near, d, j, first + (uint32_t)r);
        }
    }
}

// Sets `best` to the largest values of u x - limit, or to some that are above `error`, if all of these are.
static inline void find_best(const float u[3][OBS_SURFACE_BLOCK], const struct obs_surface_atoms *atoms, float error,
                             reals best[VECTORS]) {
    reals p[VECTORS][3];
    for (int v = 0; v < VECTORS; v++) {
        for (int k = 0; k < 3; k++) p[v][k] = v_load(u[k] + v * LANES);
        best[v] = v_all(-INFINITY);
    }
    for (size_t i = 0, count = atoms->count; i < count;) {
        size_t end = count - i < OBS_SURFACE_STEP ? count : i + OBS_SURFACE_STEP;
        for (; i < end; i++) {
            const reals x = v_all(atoms->x[0][i]), y = v_all(atoms->x[1][i]), z = v_all(atoms->x[2][i]),
                        w = v_all(atoms->x[3][i]);
            for (int v = 0; v < VECTORS; v++) {
                reals s = multiply_add(p[v][0], x, multiply_add(p[v][1], y, multiply_add(p[v][2], z, w)));
                best[v] = v_max(best[v], s);
            }
        }
        reals least = best[0];
        for (int v = 1; v < VECTORS; v++) least = v_min(least, best[v]);
        if (bits(v_less(v_all(error), least)) == (unsigned)((1ULL << LANES) - 1)) return;
    }
}

static size_t expose(const float (*u)[3][OBS_SURFACE_BLOCK], size_t blocks, unsigned last,
                     const struct obs_surface_atoms *atoms, float error, uint16_t *uncertain) {
    size_t exposed = 0;
    for (size_t b = 0; b < blocks; b++) {
        unsigned valid = b + 1 < blocks ? 0xffff : (1U << last) - 1, covered = 0, bare = 0;
        reals best[VECTORS];
        find_best(u[b], atoms, error, best);
        for (int v = 0; v < VECTORS; v++) {
            covered |= bits(v_less(v_all(error), best[v])) << (v * LANES);
            bare |= bits(v_less(best[v], v_all(-error))) << (v * LANES);
        }
        exposed += (size_t)__builtin_popcount(bare & valid);
        uncertain[b] = (uint16_t)(valid & ~(covered | bare));
    }
    return exposed;
}

#endif
