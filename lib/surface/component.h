// SPDX-License-Identifier: MIT
// Finds the connected components of a surface while its triangles are made cell by cell.
//
// A vertex has a label. Triangles unite the labels of their vertices, so that memory grows with the number of labels,
// which are much fewer than vertices. Images of one vertex in a periodic lattice are united, too; each label has the
// shift, in periods, that moves its triangles next to those of the first label of its component.
#ifndef SURF_COMPONENT_H
#define SURF_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "surface_arithmetic.h"

enum { SURF_NO_LABEL = UINT32_MAX };

struct surf_label {
    uint32_t parent;
    int32_t shift[3]; // from the place of this label to that of its parent, in periods
    bool infinite;    // of a root: the component is connected with an image of itself
    uint64_t vertices, triangles;
    surf_sum area, shadow, content;
};

struct surf_labels {
    struct surf_label *label;
    size_t count, capacity;
};

// Adds a label to *which.
int surf_labels_add(struct surf_labels *l, uint32_t *which, struct trj_error *err);
// Unites two labels such that the shift of b is that of a plus `shift`; NULL: 0, 0, 0.
void surf_labels_unite(struct surf_labels *l, uint32_t a, uint32_t b, const int32_t shift[3]);

// A component of a surface.
struct surf_component {
    uint64_t vertices, triangles; // a vertex and its periodic images are counted once
    int64_t euler;                // number: vertices - edges + triangles, 2 for a sphere, 0 for a torus
    double area;                  // Å^2
    // Å^3, enclosed volume; negative for a cavity. NaN if the component is connected with its own periodic image, such
    // as a layer or a channel through the cell.
    double volume;
};

// Sums up the labels of each component, in the order of the components' first triangles. The caller frees *components.
// `period` is the number of steps in a period along axis 2, `unit` that of surf_share, and `voxel` a volume in Å^3.
int surf_labels_sum(struct surf_labels *l, uint64_t period, double unit, double voxel,
                    struct surf_component **components, size_t *count, struct trj_error *err);

#endif
