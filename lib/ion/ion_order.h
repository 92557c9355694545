// SPDX-License-Identifier: MIT
// The order in which the kinds of ions are placed. It follows from the charges alone, so that it is known before any
// ion has a position.
#ifndef POT_ION_ORDER_H
#define POT_ION_ORDER_H

#include "ion_list.h"

struct pot_ion_order {
    const struct pot_ion_list *ions;
    uint64_t left[POT_ION_KINDS]; // ions that have not been placed
    double net;                   // charge of the solute and of the ions so far, e
};

// `net` is the charge of the solute in e; the list must stay valid.
void pot_ion_order_start(struct pot_ion_order *o, const struct pot_ion_list *ions, double net);
// Returns the index of the kind of the next ion, and takes one of this kind: of those with ions left, the one that
// leaves the smallest magnitude of the net charge; the first one in the list if there are several. At least one ion
// must be left.
size_t pot_ion_order_next(struct pot_ion_order *o);

#endif
