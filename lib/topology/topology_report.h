// SPDX-License-Identifier: MIT
// What is told of a topology; filters/trjinfo.1 says what the keys mean.
#ifndef TRJ_TOPOLOGY_REPORT_H
#define TRJ_TOPOLOGY_REPORT_H

#include <stdbool.h>

#include "error.h"
#include "report.h"
#include "topology.h"

// `alone`: nothing else has told of the file's format and its atoms.
int trj_topology_report(struct trj_report *f, const struct trj_topology *top, bool alone, struct trj_error *err);

// Adds all names, types, residue names, segments, chains and elements, each with its number of atoms and of residues.
int trj_topology_names(struct trj_report *f, const struct trj_topology *top, struct trj_error *err);

#endif
