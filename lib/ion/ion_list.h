// SPDX-License-Identifier: MIT
// The kinds of ions that are added to a system, and how many of each.
#ifndef POT_ION_LIST_H
#define POT_ION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum {
    POT_ION_NAME = 4, // characters of the longest name
    POT_ION_KINDS = 16,
    POT_IONS_MAX = 1000000, // in total
};
#define POT_ION_CHARGE_MAX   100.0 // e
#define POT_NET_CHARGE_ERROR 0.01  // e: largest distance of a net charge from an integer

struct pot_ion_kind {
    char name[POT_ION_NAME + 1]; // of the atom and of the residue
    double charge;               // e, not 0
    uint64_t count;
    bool open; // the list gave no number
};

struct pot_ion_list {
    size_t kinds;
    struct pot_ion_kind kind[POT_ION_KINDS];
};

// Parses the value of --ions: NAME:CHARGE or NAME:CHARGE:COUNT, separated by commas, with 1 to 4 letters, digits, '+'
// or '-' in a name: "SOD:+1:10,CLA:-1". Fails with TRJ_USAGE.
int pot_ion_list_parse(struct pot_ion_list *l, const char *text, struct trj_error *err);

// Adds ions of the two open kinds, whose charges must have opposite signs: the number of neutral units (such as 1 Ca, 2
// Cl) that is nearest to a concentration in mol/l in a volume in Å^3. Fails with TRJ_USAGE.
int pot_ion_list_add_salt(struct pot_ion_list *l, double concentration, double volume, struct trj_error *err);

// Rounds a net charge in e to an integer. Fails with TRJ_BAD_DATA if they differ by more than POT_NET_CHARGE_ERROR.
int pot_net_charge_round(double *net, struct trj_error *err);

// Adds ions of the open kinds, such that the system of the net charge `net` (an integer, in e) and of all ions becomes
// neutral: of each open kind in the given order as many as possible. Fails with TRJ_USAGE if there is none, and if a
// charge is left.
int pot_ion_list_neutralise(struct pot_ion_list *l, double net, struct trj_error *err);

uint64_t pot_ion_list_total(const struct pot_ion_list *l); // returns the number of all ions
double pot_ion_list_charge(const struct pot_ion_list *l);  // returns the charge of all ions in e

#endif
