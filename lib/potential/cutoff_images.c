// SPDX-License-Identifier: MIT
// Computes position and numbers of each image from its record, so that records can be small.
#include "cutoff_images.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

int pot_cutoff_images_reserve(struct pot_cutoff_images *s, size_t count, struct trj_error *err) {
    return trj_grow(&s->place, &s->place_capacity, count, sizeof *s->place, "images of atoms", err) ||
                   trj_grow(&s->image, &s->image_capacity, count, sizeof *s->image, "images of atoms", err) ||
                   trj_grow(&s->exact, &s->exact_capacity, count, sizeof *s->exact, "images of atoms", err)
               ? -1
               : 0;
}

void pot_cutoff_images_free(struct pot_cutoff_images *s) {
    free(s->place);
    free(s->image);
    free(s->exact);
    *s = (struct pot_cutoff_images){.job = NULL};
}

// Computes the position of the image that a record describes, with its whole numbers n found from the record.
static void set_position(const struct pot_cutoff_images *s, const struct tile_lattice_record *r, double y[3]) {
    const struct pot_frame *f = s->frame;
    const double *x = f->position[r->kind], (*h)[3] = f->cell.h, (*g)[3] = s->reciprocal;
    double index[3], shift[3], n[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) index[k] = (double)r->point[k] + (double)r->offset[k];
    trj_map_lattice_position(&f->lattice, index, shift);
    for (int k = 0; k < 3; k++) shift[k] -= x[k];
    for (int v = 0; v < 3; v++)
        if (f->cell.periodic >> v & 1)
            n[v] = floor((g[v][0] * shift[0] + g[v][1] * shift[1]) + g[v][2] * shift[2] + 0.5);
    for (int k = 0; k < 3; k++) y[k] = x[k] + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
}

void pot_cutoff_image_set(struct pot_cutoff_images *s, const struct tile_lattice_plan *plan, size_t i) {
    const struct tile_lattice_record *r = &plan->record[i];
    const double(*axes)[3] = s->constants->axes, *origin = s->frame->lattice.origin;
    struct pot_cutoff_image *image = &s->image[i];
    struct pot_cutoff_exact_image *exact = &s->exact[i];
    double from[3];
    set_position(s, r, exact->y);
    pot_kernel_atom(s->job, s->frame, r->kind, &exact->a, &exact->b);
    for (int k = 0; k < 3; k++) from[k] = exact->y[k] - origin[k];
    for (int k = 0; k < 3; k++) s->place[i][k] = (axes[k][0] * from[0] + axes[k][1] * from[1]) + axes[k][2] * from[2];
    pot_cutoff_image_make(image, s->kernel, s->constants, r->kind, exact->a, exact->b);
}
