// SPDX-License-Identifier: MIT
// Topologies: names, types, residues, masses, charges and bonds of atoms, read from a file.
#ifndef TRJ_TOPOLOGY_H
#define TRJ_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"
#include "lines.h"
#include "text_index.h"
#include "tool.h"

struct trj_topology {
    size_t atoms;
    struct trj_texts name, type, resname, segid, chain, element; // element: "O", "Cl"; "" if unknown
    int64_t *resid;                                              // [atoms]; NULL: none
    char *insertion; // [atoms] insertion codes of the residues, 0: none; NULL: no residue has one
    double *mass;    // [atoms] u, NaN if unknown; NULL: none
    double *charge;  // [atoms] e; NULL: the file has none
    // [atoms] These are read only if requested; NULL: not requested, or the file has none. NaN: unknown. Lengths in Å.
    double *radius;          // from PQR; from PRMTOP, those for implicit solvent
    double *sigma, *epsilon; // 4 epsilon ((sigma/r)^12 - (sigma/r)^6) between atoms of one type; epsilon in kcal/mol
    double *bfactor;         // Å^2
    double *occupancy;
    bool values_vary; // occupancy and bfactor are those of the first frame, and other frames have their own
    const char *radius_from, *lj_from; // details of the origin, such as "section RADII"; NULL: none
    char *parameters;                  // files that gave sigma and epsilon (charmm_parameters.h); NULL: none
    // [atoms] Running number of the residue, from 0; NULL: none. TPR, MOL2 and MDTraj define residues. In LAMMPS files,
    // atoms of equal molecule-ID form a residue, and each atom of molecule-ID 0 is one. In all other formats, a residue
    // starts where resid, insertion code, resname, segid or chain changes.
    uint32_t *residue;
    uint32_t *molecule; // [atoms] running number of the molecule in order of its first atom; NULL: unknown
    size_t bonds;
    bool no_bonds;       // the file states that there are none
    uint32_t (*bond)[2]; // [bonds] 0-based; never guessed
    // NULL: the file contains the elements; else the source of the guess: "mass", "name", or `ambiguous`
    const char *element_from;
    char *ambiguous;       // "name; ambiguous: CU of LIG (taken as Cu, not C)"; NULL: no guess is ambiguous
    const char *mass_from; // NULL: the file contains the masses; else "element", "element, 0 for sites of water"
    const char *format;    // "PSF"
    const char *note;      // an assumption about the file that may be wrong, for the user; NULL: none
    char *own_note;        // memory of `note`; NULL: it is constant
};

// Each format gives names, and:
//
//   format        type  resname  resid  segid    element       mass     charge  bonds    molecule
//   PSF           yes   yes      yes    yes      by mass       yes      yes     yes      by bonds
//   PRMTOP        yes   yes      1..    -        yes, by mass  yes      yes     yes      by bonds
//   TPR           yes   yes      yes    (1)      yes, by mass  yes      yes     yes (2)  as in the file
//   GROMACS top   yes   yes      yes    (1)      yes, by mass  yes (7)  yes     yes (2)  as in the file
//   DL_POLY FIELD yes   yes (8)  (8)    (8)      by mass       yes      yes     yes      by bonds (8)
//   LAMMPS data   yes   -        (3)    -        by mass       yes (4)  (4)     yes      by bonds, (3)
//   LAMMPS dump   (4)   -        (3)    -        (4), by mass  (4)      (4)     -        (3)
//   MOL2          yes   yes      yes    (6)      by type       by elem  yes     yes      by bonds
//   PDB           -     yes      yes    (4) (6)  yes, by name  by elem  -       (5)      by bonds (5)
//   PQR           -     yes      yes    (6)      by name       by elem  yes     -        -
//   CARD          -     yes      yes    yes      by name       by elem  -       -        -
//   g96           -     yes      yes    -        by name       by elem  -       -        -
//   mmCIF         -     yes      yes    (6)      yes, by name  by elem  -       -        -
//   MDTraj        -     yes      yes    (4) (6)  yes           by elem  -       yes      by bonds
//   CIF           yes   -        -      -        yes, by name  by elem  (4)     -        -
//   POSCAR        yes   -        -      -        yes           by elem  -       -        -
//   XDATCAR       yes   -        -      -        yes           by elem  -       -        -
//   GRO           -     yes      yes    -        by name       by elem  -       -        -
//   XYZ           -     -        -      -        yes, by name  by elem  (4)     -        -
//
// (1) The type of the molecule. (2) Includes constraints and SETTLE. (3) The molecule-ID. It numbers molecules only if
// there are no bonds, because many programs use it for residues, or give all atoms the same. (4) If the file contains
// them. (5) CONECT of a file with one model. These bonds number molecules only if every atom that shares its residue
// with others has one, because most files list only some of their bonds. (6) Also chains, if the file contains them.
// (7) NaN if neither the atom nor its type, which another file may contain, has one. (8) The name of the
// molecule in FIELD; its bonds number molecules under the condition of (5).
// "by elem": the standard mass of the element (XYZ: unless there is a column of masses); 0 for massless sites of water
// models, as MW of TIP4P. All other atoms of unknown element have the mass NaN, which callers that compare or add
// masses must check for. Molecule numbers of the file itself are used only if the format guarantees that they are
// molecules (TPR, GROMACS top).

// Properties of a topology file that the user states. NULL texts: not stated; NULL options: none is stated.
struct trj_topology_options {
    const char *format;     // "XYZ": as in `format` above. The file is read in this format without detection
    bool properties;        // radius, sigma, epsilon, bfactor and occupancy are read, too
    const char *atom_style; // for LAMMPS data, replaces the style that the file names: "full"
    // For GROMACS top (top_lines.h): macros "NAME" or "NAME=VALUE", and folders of included files.
    struct trj_text_list defines, includes;
};

// Opens a topology file, and detects its format by content, then by name. Of several models, frames or molecules, the
// first is read. trj_topology_close frees *top. Damage fails with TRJ_BAD_DATA, with file and line or byte.
int trj_topology_open(struct trj_topology **top, const char *path, struct trj_error *err);
// As trj_topology_open, with options.
int trj_topology_open_with(struct trj_topology **top, const char *path, const struct trj_topology_options *options,
                           struct trj_error *err);
// As trj_topology_open_with, for an input at its start. The input is closed, also on failure.
int trj_topology_open_input(struct trj_topology **top, struct trj_input *in, const struct trj_topology_options *options,
                            struct trj_error *err);
// As trj_topology_open_with, for the input of a trajectory at its start; the input is at its start again after the
// call. If the file contains no atom names, *top is NULL and *why gives the reason. Returns -1 if the input can no
// longer be read.
int trj_topology_open_first(struct trj_topology **top, struct trj_input *in, const struct trj_topology_options *options,
                            struct trj_error *why, struct trj_error *err);
// Makes the topology of one frame of a trajectory from its lines. The options state the format. Errors give the line.
int trj_topology_of_lines(struct trj_topology **top, struct trj_lines *l, const struct trj_topology_options *options,
                          struct trj_error *err);
// Makes a topology whose atom i has the name and type name[type[i]].
int trj_topology_of_types(struct trj_topology **top, const char *format, const char *const *name, const uint32_t *type,
                          size_t atoms, struct trj_error *err);
// Compares atoms rows[n] (NULL: 0 to n - 1) of two topologies. Returns the index in rows of the first atom whose name,
// element, segment, chain, residue name or residue number differs; n if there is none. Columns that only one of the
// topologies has are not compared.
size_t trj_topology_differ(const struct trj_topology *a, const struct trj_topology *b, const uint32_t *rows, size_t n);
// Return the segments, or the chains if there are no segments; and the chains, or the segments if there are no chains.
const struct trj_texts *trj_topology_segments(const struct trj_topology *top);
const struct trj_texts *trj_topology_chains(const struct trj_topology *top);
// Returns whether an atom is a massless site without an element: MW of TIP4P, a lone pair, a dummy.
bool trj_topology_is_site(const struct trj_topology *top, size_t atom);
// Returns the name of topology format i and sets its endings, which end with NULL; NULL after the last.
const char *trj_topology_format(size_t i, const char *const **endings);
// Returns whether a file name ends as those of a topology format.
bool trj_topology_has_name(const char *path);
// The same for the name of an input, without the ending of its compression.
bool trj_topology_is_named(const struct trj_input *in);
// Sets *head to the first bytes of an input, by which its format is detected, without consuming them, and *n to their
// number. These are TRJ_INPUT_PEEK bytes, or more if the names of species fill those in a POSCAR or XDATCAR.
int trj_topology_peek_head(struct trj_input *in, const unsigned char **head, size_t *n, struct trj_error *err);
// Returns whether the first n bytes of a file look like those of a topology.
bool trj_topology_is(const unsigned char *head, size_t n);
// If the first n bytes are those of a topology that is not read as a trajectory, returns what to do: "is a topology,
// which has no frames; ...". Otherwise NULL.
const char *trj_topology_without_frames(const unsigned char *head, size_t n);
void trj_topology_close(struct trj_topology *top); // NULL is allowed

#endif
