// SPDX-License-Identifier: MIT
// The kernel of correlator.c in portable C.
#define WIDTH 2
#define TILE  2
#include "series_kernel_body.h"

const struct tcf_kernel tcf_kernel_plain = TCF_KERNEL;
