// SPDX-License-Identifier: MIT
// Named colour scales: colours of numbers in a range.
#ifndef SURF_COLOUR_SCALE_H
#define SURF_COLOUR_SCALE_H

#include "tool.h"

extern const struct trj_choice surf_colour_scales[]; // names and descriptions; ends with a NULL name

// Sets rgb to the colour of a value, as a name of surf_colour_scales gives it: the first colour at and below `low`, the
// last one at and above `high`, linear in between. If low equals high, it is the middle colour. NaN is grey (128).
void surf_colour(const char *scale, double value, double low, double high, unsigned char rgb[3]);

#endif
