// SPDX-License-Identifier: MIT
// The kernel of correlator.c in portable C.
#include "series_kernel_body.h"

const struct tcf_kernel tcf_kernel_plain = {transform, multiply};
