// SPDX-License-Identifier: MIT
#include "rounding.h"

#include <math.h>

// Returns the number of steps in a length of 1: the smallest of 1, 2, 5, 10, 20, ... whose steps are at most `most`.
static double steps_of_one(double most) {
    double n = 1;
    while (n < 1e15 && 1 / n > most) {
        double next[] = {2 * n, 5 * n, 10 * n};
        int i = 0;
        while (i < 2 && 1 / next[i] > most) i++;
        n = next[i];
    }
    return n;
}

void trj_frame_round(struct trj_frame *f, double bound) {
    const double shift = 0x1.8p52; // numbers below 2^51 are rounded to integers by adding and subtracting this
    double unit = f->unit, most = 2 * bound / unit, steps = steps_of_one(most * (1 + 0x1p-50));
    for (int k = 0; k < 3; k++) {
        float *x = f->x[k];
        for (size_t i = 0; i < f->atoms; i++) {
            double nearest = ((double)x[i] * steps + shift) - shift;
            float rounded = (float)((nearest + 0.0) / steps); // + 0.0 turns -0 into 0
            x[i] = fabs((double)x[i] - (double)rounded) * unit <= bound ? rounded : x[i];
        }
    }
    f->stored.known = false;
    f->farthest = 0;
}
