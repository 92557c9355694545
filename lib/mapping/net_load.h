// SPDX-License-Identifier: MIT
// Counts the atoms of frames in spatial domains.
#ifndef NET_LOAD_H
#define NET_LOAD_H

#include "net_domains.h"

struct trj_reader;

// Sets the load of each domain to `base` plus the mean number of atoms in it over all frames of a frame stream. Domains
// divide the cell along its vectors; all three must be periodic. Every atom is moved into the cell. Domains without
// atoms and a base of 0 have the smallest positive load. Errors begin with the name of the input, and the number of the
// frame.
int net_load_atoms(struct net_domains *d, struct trj_reader *in, double base, struct trj_error *err);

#endif
