// SPDX-License-Identifier: MIT
// Copies the constants of a lattice plan into a structure that kernels can get as an argument.
#include "lattice_images.h"

#include <string.h>

#include "lattice_plan.h"

void cuda_lattice_plan_set(cuda_lattice_plan *to, const struct tile_lattice_plan *p) {
    for (int k = 0; k < 3; k++) {
        to->n[k] = (int)p->n[k];
        to->farthest[k] = p->farthest[k];
        to->cells[k] = (unsigned)p->cells[k];
    }
    to->wrapped = p->wrapped;
    to->images = p->images;
    to->aligned = p->aligned;
    to->shift_of_cell = p->shift_of_cell;
    memcpy(to->step, p->step, sizeof to->step);
    memcpy(to->border, p->border, sizeof to->border);
    memcpy(to->h, p->atoms->frame->cell.h, sizeof to->h);
    memcpy(to->origin, p->origin, sizeof to->origin);
    memcpy(to->g, p->g, sizeof to->g);
    memcpy(to->shift, p->shift, sizeof to->shift);
    memcpy(to->fraction, p->fraction, sizeof to->fraction);
    memcpy(to->low, p->low, sizeof to->low);
    memcpy(to->high, p->high, sizeof to->high);
}
