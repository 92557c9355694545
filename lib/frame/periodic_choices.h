// SPDX-License-Identifier: MIT
// Choices of an option for the periodic vectors of a cell; trj_periodic_parse (cell.h) converts them.
#ifndef TRJ_PERIODIC_CHOICES_H
#define TRJ_PERIODIC_CHOICES_H

#include "tool.h"

extern const struct trj_choice trj_periodic_choices[]; // ends with a NULL name

#endif
