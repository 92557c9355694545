// SPDX-License-Identifier: MIT
// The charges of a frame as the engines of the methods direct and mdh use them.
#ifndef POT_PAIR_CHARGES_H
#define POT_PAIR_CHARGES_H

#include "pair_term.h"

struct pot_pair_charges {
    size_t count, capacity[5];
    double *position[3]; // [count] Å
    double *charge;      // [count] pot_pair_charge; not 0
    size_t *place;       // [count] in the frame
    double largest;      // magnitude of a charge
};

// Takes the charges of a frame that are not 0; all bytes of *c are zero before the first call. Fails with TRJ_BAD_DATA
// if a charge is not finite.
int pot_pair_charges_take(struct pot_pair_charges *c, const struct pot_pair *p, const struct pot_frame *f,
                          struct trj_error *err);
void pot_pair_charges_free(struct pot_pair_charges *c);

// Fails with TRJ_BAD_DATA because the sum of frames at point `number` exceeds int64.
int pot_pair_fail_sum(const struct pot_job *job, const struct trj_map_lattice *lattice, uint64_t number,
                      struct trj_error *err);

#endif
