// SPDX-License-Identifier: MIT
// What is told of a topology; filters/trjinfo.1 says what the keys mean.
#ifndef TRJ_TOPOLOGY_FACTS_H
#define TRJ_TOPOLOGY_FACTS_H

#include <stdbool.h>

#include "error.h"
#include "facts.h"
#include "topology.h"

// `alone`: nothing else has told of the file's format and its atoms.
int trj_topology_facts(struct trj_facts *f, const struct trj_topology *top, bool alone, struct trj_error *err);

// Adds all names, types, residue names, segments, chains and elements, each with its number of atoms and of residues.
int trj_topology_names(struct trj_facts *f, const struct trj_topology *top, struct trj_error *err);

#endif
