// SPDX-License-Identifier: MIT
// Frame ranges as users write them: START:STOP:STEP, each part may be left out; STOP is not included. One number is that frame alone.
#ifndef TRJ_RANGE_H
#define TRJ_RANGE_H

#include <stdint.h>

#include "error.h"

struct trj_range {
    uint64_t start, stop, step; // stop UINT64_MAX: to the end
};

int trj_range_parse(struct trj_range *r, const char *text, struct trj_error *err); // TRJ_USAGE; refuses empty ranges

#endif
