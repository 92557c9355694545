// SPDX-License-Identifier: MIT
// Adds the properties of a topology to a report; filters/trjinfo.1 defines the keys.
#ifndef TRJ_TOPOLOGY_REPORT_H
#define TRJ_TOPOLOGY_REPORT_H

#include <stdbool.h>

#include "error.h"
#include "report.h"
#include "topology.h"

// Adds columns, residues, molecules, bonds, elements, mass, charge and residue names. `alone`: also adds the format and
// the number of atoms, which the report of a trajectory already contains. Returns 0 or -1.
int trj_topology_report(struct trj_report *f, const struct trj_topology *top, bool alone, struct trj_error *err);

// Adds all names, types, residue names, segments, chains and elements, each with its numbers of atoms and residues.
// Returns 0 or -1.
int trj_topology_names(struct trj_report *f, const struct trj_topology *top, struct trj_error *err);

#endif
