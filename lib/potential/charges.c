// SPDX-License-Identifier: MIT
// Copies the charges of a group from each frame, and checks coordinates once for all methods.
#include "charges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

int pot_charges_open(struct pot_charges *c, const struct trj_group *group, bool charge, bool radius, bool epsilon,
                     struct trj_error *err) {
    const struct {
        bool needed;
        double **all, **members;
    } arrays[] = {{charge, &c->charge, &c->member_charge},
                  {radius, &c->radius, &c->member_radius},
                  {epsilon, &c->epsilon, &c->member_epsilon}};
    size_t n = group->count ? group->count : 1;
    c->group = group;
    c->position = trj_alloc(n, sizeof *c->position, "charges", err);
    c->atom = c->position ? trj_alloc(n, sizeof *c->atom, "charges", err) : NULL;
    if (!c->atom) return -1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!arrays[i].needed) continue;
        *arrays[i].all = trj_alloc(n, sizeof **arrays[i].all, "charges", err);
        *arrays[i].members = *arrays[i].all ? trj_alloc(n, sizeof **arrays[i].members, "charges", err) : NULL;
        if (!*arrays[i].members) return -1;
    }
    return 0;
}

int pot_charges_copy(struct pot_charges *c, const struct pot_charges *from, struct trj_error *err) {
    const struct trj_group *g = from->group;
    if (pot_charges_open(c, g, from->charge != NULL, from->radius != NULL, from->epsilon != NULL, err)) return -1;
    if (c->charge && from->charge) memcpy(c->charge, from->charge, g->count * sizeof *c->charge);
    if (c->radius && from->radius) memcpy(c->radius, from->radius, g->count * sizeof *c->radius);
    if (c->epsilon && from->epsilon) memcpy(c->epsilon, from->epsilon, g->count * sizeof *c->epsilon);
    return 0;
}

int pot_check_coordinate(uint32_t atom, double x, struct trj_error *err) {
    if (fabs(x) <= TRJ_FARTHEST) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %u: the coordinate %g Å is not finite, or farther than %g Å from the origin; check the frame "
                    "with trjinfo, or leave it out",
                    atom, x, TRJ_FARTHEST);
}

int pot_charges_check(const struct pot_charges *c, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_group *g = c->group;
    if ((double)trj_frame_farthest(f) * f->unit <= TRJ_FARTHEST) return 0; // all atoms of the frame
    for (size_t i = 0; i < g->count; i++)
        for (int k = 0; k < 3 && trj_group_has(g, f, i); k++)
            if (pot_check_coordinate(g->atoms[i], (double)f->x[k][g->atoms[i]] * f->unit, err)) return -1;
    return 0;
}

int pot_charges_in(struct pot_charges *c, const struct trj_frame *f, struct pot_frame *to, struct trj_error *err) {
    const struct trj_group *g = c->group;
    size_t n = 0;
    if (pot_charges_check(c, f, err)) return -1;
    for (size_t i = 0; i < g->count; i++) {
        if (!trj_group_has(g, f, i)) continue;
        uint32_t atom = g->atoms[i];
        for (int k = 0; k < 3; k++) c->position[n][k] = (double)f->x[k][atom] * f->unit;
        if (c->charge) c->member_charge[n] = c->charge[i];
        if (c->radius) c->member_radius[n] = c->radius[i];
        if (c->epsilon) c->member_epsilon[n] = c->epsilon[i];
        c->atom[n++] = atom;
    }
    *to = (struct pot_frame){.count = n,
                             .position = (const double(*)[3])c->position,
                             .charge = c->member_charge,
                             .radius = c->member_radius,
                             .epsilon = c->member_epsilon,
                             .atom = c->atom,
                             .cell = f->cell};
    return 0;
}

void pot_charges_free(struct pot_charges *c) {
    free(c->charge);
    free(c->radius);
    free(c->epsilon);
    free(c->position);
    free(c->member_charge);
    free(c->member_radius);
    free(c->member_epsilon);
    free(c->atom);
}
