// SPDX-License-Identifier: MIT
// Converts densities to free energies with the reference as a parameter, because it is known only after all planes.
#include "map_free_energy.h"

#include <math.h>

#include "elementary.h"

void trj_map_free_energy(struct trj_map_free_energy *g, double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double v = values[i];
        g->zero += v == 0;
        g->negative += v < 0;
        // A value equal to the reference gives -0; adding 0 makes it 0.
        values[i] = v == 0 ? INFINITY : v > 0 ? -g->kt * trj_log(v / g->reference) + 0 : NAN;
    }
}
