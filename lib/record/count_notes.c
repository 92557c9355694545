// SPDX-License-Identifier: MIT
// Writes the notes in one place, so that all filters that count use the same limits.
#include "count_notes.h"

#include <stdio.h>

#include "record_counter.h"

const char *rdf_count_note_density(char note[RDF_COUNT_NOTE], const struct trj_cell *cell, size_t atoms) {
    double volume = trj_cell_volume(cell), density = (double)atoms / volume;
    *note = 0;
    if (volume > 0 && density > 1)
        snprintf(
            note, RDF_COUNT_NOTE,
            "note: the first frame has %zu atoms in %.4g Å^3, %.3g per Å^3, more than any substance: if the cell is "
            "in nm, give it in Å (trjcat --cell); in reduced units, ignore this note",
            atoms, volume, density);
    return note;
}

const char *rdf_count_note_empty(char note[RDF_COUNT_NOTE], const struct rdf_counter *c, const struct rdf_bins *bins) {
    *note = 0;
    if (!c->counted && c->pairs > 0)
        snprintf(note, RDF_COUNT_NOTE,
                 "note: no pair of atoms was counted: no distance is between %.6g and %.6g Å; give a larger -r, or "
                 "check the "
                 "unit of the coordinates",
                 bins->rmin, bins->rmax);
    return note;
}
