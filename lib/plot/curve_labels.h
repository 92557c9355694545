// SPDX-License-Identifier: MIT
// Names beside curves, where no other curve is near.
#ifndef PLOT_CURVE_LABELS_H
#define PLOT_CURVE_LABELS_H

#include "figure.h"

// Says the label of each curve of f beside it: on nothing that is drawn, and nearer to its own curve than to others. *placed is false, and nothing
// is said, where there is no such place for one of them.
int plot_curve_labels_place(struct plot_figure *f, bool *placed, struct trj_error *err);

#endif
