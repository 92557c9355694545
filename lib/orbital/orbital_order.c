// SPDX-License-Identifier: MIT
// Sorts the orbitals of one spin by occupation and energy.
#include "orbital_order.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

struct key {
    bool occupied;
    double occupation; // 0 if it is not compared
    double energy;
    size_t orbital;
};

static int by_key(const void *x, const void *y) {
    const struct key *a = x, *b = y;
    if (a->occupied != b->occupied) return a->occupied ? -1 : 1;
    if (a->occupation != b->occupation) return a->occupation > b->occupation ? -1 : 1;
    if (a->energy != b->energy) return a->energy < b->energy ? -1 : 1;
    return a->orbital < b->orbital ? -1 : 1;
}

double orb_full_occupation(const struct orb_wave_function *w) {
    double largest = 0;
    for (size_t k = 0; k < w->orbitals; k++) largest = fmax(largest, w->orbital[k].occupation);
    return w->has_beta || largest < 1 + ORB_WHOLE ? 1 : 2;
}

bool orb_has_energies(const struct orb_wave_function *w) {
    bool found = false;
    for (size_t k = 0; k < w->orbitals; k++) {
        if (isnan(w->orbital[k].energy)) return false;
        if (w->orbital[k].energy != 0) found = true;
    }
    return found && !w->natural;
}

// Occupations below 0 or above the full one, which some files give for open shells, do not count as fractional.
static bool is_fractional(double occupation, double full) {
    return occupation > 0 && occupation < full && fabs(occupation - round(occupation)) > ORB_WHOLE;
}

int orb_order_make(struct orb_order *o, const struct orb_wave_function *w, enum orb_spin spin, struct trj_error *err) {
    const double full = orb_full_occupation(w);
    *o = (struct orb_order){.by_occupation = w->natural};
    struct key *key = trj_alloc(w->orbitals, sizeof *key, "numbers of orbitals", err);
    o->orbital = trj_alloc(w->orbitals, sizeof *o->orbital, "numbers of orbitals", err);
    if (!key || !o->orbital) {
        free(key);
        return -1;
    }
    const bool energies = orb_has_energies(w);
    for (size_t k = 0; k < w->orbitals; k++) {
        const struct orb_orbital *orbital = &w->orbital[k];
        if (orbital->spin != spin) continue;
        bool occupied = orbital->occupation >= full / 2;
        key[o->count++] = (struct key){occupied, orbital->occupation, orbital->energy, k};
        o->occupied += occupied;
        if (is_fractional(orbital->occupation, full)) o->by_occupation = true;
    }
    for (size_t k = 0; k < o->count; k++) {
        if (!o->by_occupation) key[k].occupation = 0;
        if (!energies) key[k].energy = 0;
    }
    if (o->count) qsort(key, o->count, sizeof *key, by_key);
    for (size_t k = 0; k < o->count; k++) o->orbital[k] = key[k].orbital;
    free(key);
    return 0;
}

void orb_order_free(struct orb_order *o) {
    free(o->orbital);
    *o = (struct orb_order){0};
}
