// SPDX-License-Identifier: MIT
// Writes the ions that were placed: as a PDB file for programs that build systems, and as a table.
#ifndef POT_ION_OUTPUT_H
#define POT_ION_OUTPUT_H

#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "ion_place.h"
#include "output.h"

// Writes a HETATM record for each ion, which is a residue of its own: the names of atom and residue are that of the
// kind, the chain is I, and residues are numbered from 1 modulo 10^4, atoms modulo 10^5. element[list->kinds] are
// atomic numbers; 0: unknown. A CRYST1 record is written if `cell` (may be NULL) is periodic in all directions, with a
// along x and b in the xy plane; other cells cannot be represented without rotating the coordinates. Fails with
// TRJ_BAD_DATA if a number has too many digits for its columns.
int pot_ions_write_pdb(struct trj_output *out, const struct pot_ion *ion, uint64_t count,
                       const struct pot_ion_list *list, const unsigned *element, const struct trj_cell *cell,
                       struct trj_error *err);

struct pot_ion_table {
    const struct pot_ion_list *list;
    const char *unit;                                // of the map
    char *const *map_provenance, *const *provenance; // lines, which end with NULL
};

// Writes the lines of provenance, and a row for each ion: number, name, charge (e), position (Å), potential before the
// ion was placed (in the unit of the map), energy (in the same unit times e), net charge (e).
int pot_ions_write_table(struct trj_output *out, const struct pot_ion *ion, uint64_t count,
                         const struct pot_ion_table *table, struct trj_error *err);

#endif
