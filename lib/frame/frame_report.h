// SPDX-License-Identifier: MIT
// Adds rows to a report that trajectories and histogram streams have in common.
#ifndef TRJ_FRAME_REPORT_H
#define TRJ_FRAME_REPORT_H

#include <stdint.h>

#include "element.h"
#include "report.h"

// Adds "cell_periodic": the periodic cell vectors, a combination of TRJ_PERIODIC_A, _B and _C (cell.h), as "xyz" or
// "none".
void trj_report_periodic(struct trj_report *f, unsigned periodic);

// Adds numbers of atoms by element, "O 343 H 686", in ascending order of atomic number. count[TRJ_ELEMENTS + 1]: [0]
// are the atoms of unknown element, shown as "?". NULL: the elements are unknown.
void trj_report_elements(struct trj_report *f, const char *key, const uint64_t *count);

#endif
