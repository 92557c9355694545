// SPDX-License-Identifier: MIT
// Writes the header of files of NumPy (.npy), after which the values follow in C order.
#ifndef TRJ_NPY_HEADER_H
#define TRJ_NPY_HEADER_H

#include <stdint.h>

#include "error.h"
#include "output.h"

enum { TRJ_NPY_AXES_MAX = 4 };

// type: "<f8", "<f4", "<i8", ...; shape[axes]: the number of values along each axis, slowest first; axes is 2 or more.
int trj_npy_write_header(struct trj_output *out, const char *type, const uint64_t *shape, unsigned axes,
                         struct trj_error *err);

#endif
