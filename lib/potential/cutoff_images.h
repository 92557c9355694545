// SPDX-License-Identifier: MIT
// The images of atoms that reach a lattice, with the data of each that the method cutoff uses: the position in float64,
// the numbers of the kernels, and bounds on contributions and their errors (cutoff_sum.h).
#ifndef POT_CUTOFF_IMAGES_H
#define POT_CUTOFF_IMAGES_H

#include "cutoff_image.h"
#include "lattice_plan.h"

struct pot_cutoff_images {
    const struct pot_job *job;
    const struct pot_kernel *kernel;
    const struct pot_frame *frame;
    const struct pot_cutoff_constants *constants;
    double reciprocal[3][3]; // of the cell
    // [records of the plan]
    double (*place)[4]; // X, Y, Z from the origin of the lattice, in units of the cutoff
    struct pot_cutoff_image *image;
    struct pot_cutoff_exact_image *exact;
    size_t place_capacity, image_capacity, exact_capacity;
};

// Makes the capacity enough for the images of a plan. Then pot_cutoff_image_set sets each of them; threads may share
// this.
int pot_cutoff_images_reserve(struct pot_cutoff_images *s, size_t count, struct trj_error *err);
void pot_cutoff_image_set(struct pot_cutoff_images *s, const struct tile_lattice_plan *plan, size_t i);
void pot_cutoff_images_free(struct pot_cutoff_images *s);

#endif
