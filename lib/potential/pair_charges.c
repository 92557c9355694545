// SPDX-License-Identifier: MIT
// Collects the charges of a frame in one array for each coordinate, which inner loops read in order.
#include "pair_charges.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "pair_blocks.h"

int pot_pair_charges_take(struct pot_pair_charges *c, const struct pot_pair *p, const struct pot_frame *f,
                          struct trj_error *err) {
    if (trj_grow(&c->charge, &c->capacity[3], f->count, sizeof *c->charge, "charges", err) ||
        trj_grow(&c->place, &c->capacity[4], f->count, sizeof *c->place, "charges", err))
        return -1;
    for (int k = 0; k < 3; k++)
        if (trj_grow(&c->position[k], &c->capacity[k], f->count, sizeof *c->position[k], "charges", err)) return -1;
    c->count = 0;
    c->largest = 0;
    for (size_t i = 0; i < f->count; i++) {
        double charge = pot_pair_charge(p, f->charge[i], f->radius ? f->radius[i] : 0);
        if (!isfinite(charge)) return trj_fail(err, TRJ_BAD_DATA, "atom %u: invalid charge or radius", f->atom[i]);
        if (charge == 0) continue;
        for (int k = 0; k < 3; k++) c->position[k][c->count] = f->position[i][k];
        c->charge[c->count] = charge;
        c->largest = fmax(c->largest, fabs(charge));
        c->place[c->count++] = i;
    }
    return 0;
}

void pot_pair_charges_free(struct pot_pair_charges *c) {
    for (int k = 0; k < 3; k++) free(c->position[k]);
    free(c->charge);
    free(c->place);
    *c = (struct pot_pair_charges){.count = 0};
}

int pot_pair_fail_sum(const struct pot_job *job, const struct trj_map_lattice *lattice, uint64_t number,
                      struct trj_error *err) {
    char where[96];
    pot_point_text(job, lattice, number, where, sizeof where);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: the sum exceeds 2^63 quanta (%.3g e/Å); write several maps of fewer frames each, or soften "
                    "the charges with --soften",
                    where, 0x1p63 * job->quantum);
}
