// SPDX-License-Identifier: MIT
// Units as the attributes of NetCDF and H5MD files and the comments of extended XYZ name them, in the spellings of their writers.
#ifndef TRJ_UNITS_H
#define TRJ_UNITS_H

#include <stdbool.h>

// One unit in Å, ps, degrees; false: the name is none that is known. Upper and lower case are one, but for names of two letters and fewer.
bool trj_unit_length(const char *name, double *angstrom);
bool trj_unit_time(const char *name, double *ps);
bool trj_unit_angle(const char *name, double *degrees);

#endif
