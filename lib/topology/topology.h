// SPDX-License-Identifier: MIT
// Who the atoms are: names, types, residues, masses, bonds, from a topology file.
#ifndef TRJ_TOPOLOGY_H
#define TRJ_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"
#include "text_index.h"

struct trj_topology {
    size_t atoms;
    struct trj_texts name, type, resname, segid, chain, element; // element: "O", "Cl"; "" where it could not be told
    int64_t *resid;                                              // [atoms]; NULL: none
    double *mass;   // [atoms] u, NaN where it could not be told; NULL: none
    double *charge; // [atoms] e; NULL: the file has none
    // [atoms] Running number of the residue from 0: a new one where resid, resname, segid or chain changes, or as the file has them (TPR, MOL2,
    // and LAMMPS, where atoms of one molecule-ID are one, and those of 0 are each one of their own); NULL: none.
    uint32_t *residue;
    uint32_t *molecule; // [atoms] running number of the molecule in order of first atom; NULL: not known
    size_t bonds;
    uint32_t (*bond)[2]; // [bonds] 0-based; never guessed
    // NULL: the file contains the elements; else what they were guessed from: "mass", "name", or `ambiguous`
    const char *element_from;
    char *ambiguous;       // "name; ambiguous: CU of LIG (taken as Cu, not C)"; NULL: no guess is ambiguous
    const char *mass_from; // the same: "element", "element, 0 for sites of water"
    const char *format;    // "PSF"
};

// What each format gives, besides names:
//
//   format        type  resname  resid  segid    element       mass     charge  bonds    molecule
//   PSF           yes   yes      yes    yes      by mass       yes      yes     yes      by bonds
//   PRMTOP        yes   yes      1..    -        yes, by mass  yes      yes     yes      by bonds
//   TPR           yes   yes      yes    (1)      yes, by mass  yes      yes     yes (2)  as in the file
//   LAMMPS data   yes   -        (3)    -        by mass       yes (4)  (4)     yes      by bonds, (3)
//   LAMMPS dump   (4)   -        (3)    -        (4), by mass  (4)      (4)     -        (3)
//   MOL2          yes   yes      yes    (6)      by type       by elem  yes     yes      by bonds
//   PDB           -     yes      yes    (4) (6)  yes, by name  by elem  -       (5)      by bonds (5)
//   GRO           -     yes      yes    -        by name       by elem  -       -        -
//   XYZ           -     -        -      -        yes, by name  by elem  (4)     -        -
//
// (1) the molecule's type. (2) constraints and SETTLE are bonds. (3) the molecule-ID; it numbers molecules only where there are no bonds:
// many programs put residues, or one number for all, into it. (4) where the file has them. (5) CONECT of a file with one model; it
// numbers molecules only if every atom that shares its residue with others has a bond: most files list only some of their bonds.
// (6) these have chains, where the file tells them.
// "by elem": the element's, in XYZ unless it has a column of masses; 0 for the sites of water models that have none, like MW of TIP4P. Any
// other atom whose element is not known has the mass NaN, which is neither less nor more than anything: who compares or adds up masses has to ask for it.
// A file's own numbers of molecules are used only where the format makes sure that they are molecules (TPR).

// Properties of a topology file that the user states. NULL texts: not stated; NULL options: none is stated.
struct trj_topology_options {
    const char *format;     // "XYZ": as in `format` above. The file is read in this format without detection
    const char *atom_style; // for LAMMPS data, replaces the style that the file names: "full"
};

// Format by content, then by name; of several models, frames or molecules the first. trj_topology_close frees.
// Damage is TRJ_BAD_DATA with file and line, or byte.
int trj_topology_open(struct trj_topology **top, const char *path, struct trj_error *err);
// As trj_topology_open, with options.
int trj_topology_open_with(struct trj_topology **top, const char *path, const struct trj_topology_options *options,
                           struct trj_error *err);
// As trj_topology_open_with, for an input at its start, which is closed in any case.
int trj_topology_open_input(struct trj_topology **top, struct trj_input *in, const struct trj_topology_options *options,
                            struct trj_error *err);
// As trj_topology_open_with, for the input of a trajectory at its start; the input is at its start again after the
// call. If the file contains no atom names, *top is NULL and *why gives the reason. Returns -1 if the input can no
// longer be read.
int trj_topology_open_first(struct trj_topology **top, struct trj_input *in, const struct trj_topology_options *options,
                            struct trj_error *why, struct trj_error *err);
// The first of n atoms, places in both, whose name, element, segment, chain, or residue's name or number is another one in b; n: there is none.
// What only one of them tells is no difference. rows NULL: atoms 0 to n - 1.
size_t trj_topology_differ(const struct trj_topology *a, const struct trj_topology *b, const uint32_t *rows, size_t n);
// The segments, or where a file has none its chains; the chains, or where it has none its segments.
const struct trj_texts *trj_topology_segments(const struct trj_topology *top);
const struct trj_texts *trj_topology_chains(const struct trj_topology *top);
// Whether an atom is known to be none: a site of no element that weighs nothing, as MW of TIP4P, lone pairs and dummies.
bool trj_topology_is_site(const struct trj_topology *top, size_t atom);
bool trj_topology_has_name(const char *path);              // whether the ending is that of a topology
bool trj_topology_is(const unsigned char *head, size_t n); // whether the first bytes of a file are those of a topology
void trj_topology_close(struct trj_topology *top);         // NULL is allowed

#endif
