// SPDX-License-Identifier: MIT
// Rounds coordinates to the coarsest decimal step within a bound, because they then compress several times better.
#include "rounding.h"

#include <math.h>
#include <stdbool.h>

enum { MAX_STEPS = 45 };

// Returns number i of 1, 2, 5, 10, 20, ...
static double steps_of_one(int i) {
    static const double first[] = {1, 2, 5};
    double n = first[i % 3];
    for (; i >= 3; i -= 3) n *= 10;
    return n;
}

// Returns the number of the lattice point that is nearest to x.
static inline double nearest(const struct trj_rounding *r, float x) {
    const double shift = 0x1.8p52; // numbers below 2^51 are rounded to integers by adding and subtracting this
    return ((double)x * r->steps + shift) - shift;
}

static inline float lattice_float(const struct trj_rounding *r, double number) {
    return (float)((number + 0.0) / r->steps); // + 0.0 turns -0 into 0
}

static inline bool fits(const struct trj_rounding *r, float x, float rounded) {
    return fabs((double)x - (double)rounded) * r->unit <= r->bound;
}

// Returns whether too many coordinates have no lattice point within the bound. They are in the middle between two
// points, so that errors of float32 decide: those of a file with fewer decimals often are. One such coordinate takes
// about as many bits as a smaller step for 120 others.
static bool is_unfit(const struct trj_rounding *r, const struct trj_frame *f) {
    enum { SAMPLE = 4096, TOLERATED = 120 };
    size_t step = f->atoms / SAMPLE + 1, unfit = 0, count = 0;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < f->atoms; i += step, count++) {
            float x = f->x[k][i];
            unfit += isfinite(x) && !fits(r, x, lattice_float(r, nearest(r, x)));
        }
    return unfit > count / TOLERATED;
}

static void choose_steps(struct trj_rounding *r, const struct trj_frame *f) {
    double max = 2 * r->bound / f->unit * (1 + 0x1p-50);
    int i = 0;
    r->unit = f->unit;
    while (i < MAX_STEPS && 1 / steps_of_one(i) > max) i++;
    r->steps = steps_of_one(i);
    for (int finer = 1; finer <= 3 && i + finer <= MAX_STEPS && is_unfit(r, f); finer++)
        r->steps = steps_of_one(i + finer);
}

void trj_frame_round(struct trj_rounding *r, struct trj_frame *f) {
    if (r->steps == 0 || r->unit != f->unit) choose_steps(r, f);
    for (int k = 0; k < 3; k++) {
        float *x = f->x[k];
        for (size_t i = 0; i < f->atoms; i++) {
            float rounded = lattice_float(r, nearest(r, x[i]));
            x[i] = fits(r, x[i], rounded) ? rounded : x[i];
        }
    }
    f->stored.known = false;
    f->farthest = 0;
}
