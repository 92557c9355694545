// SPDX-License-Identifier: MIT
// The kernel of rmsd_engine_cpu.c in portable C: vectors of one number.
#include "vector_plain.h"

#include "rmsd_kernel_body.h"

const struct obs_rmsd_kernel obs_rmsd_kernel_plain = {add, squares};
