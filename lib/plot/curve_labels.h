// SPDX-License-Identifier: MIT
// Places the names of curves beside them.
#ifndef PLOT_CURVE_LABELS_H
#define PLOT_CURVE_LABELS_H

#include "figure.h"

// Adds the label of each curve as a text beside it, which covers nothing and is nearer to its own curve than to others.
// If one of them has no such place, sets *placed to false and adds none.
int plot_curve_labels_place(struct plot_figure *f, bool *placed, struct trj_error *err);

#endif
