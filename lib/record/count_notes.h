// SPDX-License-Identifier: MIT
// Notes on counts that are possible, but usually the result of lengths in another unit than Angstrom.
#ifndef RDF_COUNT_NOTES_H
#define RDF_COUNT_NOTES_H

#include <stddef.h>

#include "cell.h"
#include "hist_setup.h"

struct rdf_counter;

// Both write a note, or "" if there is none, and return it.
enum { RDF_COUNT_NOTE = 480 };
// For a frame with more than one atom in a cubic Angstrom, which no substance has.
const char *rdf_count_note_density(char note[RDF_COUNT_NOTE], const struct trj_cell *cell, size_t atoms);
// After the last frame: if no pair of atoms was counted, although there are pairs.
const char *rdf_count_note_empty(char note[RDF_COUNT_NOTE], const struct rdf_counter *c, const struct rdf_bins *bins);

#endif
