// SPDX-License-Identifier: MIT
// The inner loops of the methods direct and mdh: they add contributions (pair_term.h) of charges to the points of a
// block. Each instruction set has its own file, and all give the same sums.
#ifndef POT_PAIR_KERNEL_H
#define POT_PAIR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "pair_blocks.h"
#include "pair_groups.h"
#include "pair_term.h"

enum {
    POT_FAR_PARTIAL = 511,   // far or distant contributions whose sum fits into int32: 511 * 2^22 = 2^31 - 2^22
    POT_NEAR_PARTIAL = 1024, // near contributions that are added in one call
};
// Larger near contributions, in quanta, are not added by a kernel.
#define POT_NEAR_LARGE 0x1p51

// x, y, z and charge. Those of far and distant charges are a and q of pair_term.h.
typedef float pot_float32_charge[4];
typedef double pot_near_charge[4];

struct pot_pair_kernel {
    // Adds the contributions of n <= POT_FAR_PARTIAL far charges of class k to sum[block->filled], which are quanta.
    void (*far)(const struct pot_pair *p, const struct pot_block *block, const pot_float32_charge *charge, size_t n,
                unsigned k, int64_t *sum);
    // Likewise for distant charges of class POT_DISTANT + k, and the points of the groups of a block.
    void (*distant)(const struct pot_pair *p, const struct pot_block_groups *groups, const pot_float32_charge *charge,
                    size_t n, unsigned k, int64_t *sum);
    // Adds those contributions of n <= POT_NEAR_PARTIAL charges, divided by the quantum, that are at most
    // POT_NEAR_LARGE, and sets large[i] for a charge with others. No Gaussian is applied.
    void (*near)(const struct pot_pair *p, const struct pot_block *block, const pot_near_charge *charge, size_t n,
                 int64_t *sum, unsigned char *large);
};

extern const struct pot_pair_kernel pot_pair_kernel_avx512, pot_pair_kernel_avx2, pot_pair_kernel_plain;

#endif
