// SPDX-License-Identifier: MIT
// Gives the order in which kinds of ions alternate, so that all engines place them alike.
#include "ion_order.h"

#include <math.h>

void pot_ion_order_start(struct pot_ion_order *o, const struct pot_ion_list *ions, double net) {
    *o = (struct pot_ion_order){.ions = ions, .net = net};
    for (size_t i = 0; i < ions->kinds; i++) o->left[i] = ions->kind[i].count;
}

size_t pot_ion_order_next(struct pot_ion_order *o) {
    const struct pot_ion_list *l = o->ions;
    size_t best = l->kinds;
    for (size_t i = 0; i < l->kinds; i++)
        if (o->left[i] && (best == l->kinds || fabs(o->net + l->kind[i].charge) < fabs(o->net + l->kind[best].charge)))
            best = i;
    o->left[best]--;
    o->net += l->kind[best].charge;
    return best;
}
