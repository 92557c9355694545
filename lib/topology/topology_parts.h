// SPDX-License-Identifier: MIT
// Provides what the topology formats share: a topology that grows atom by atom.
#ifndef TRJ_TOPOLOGY_PARTS_H
#define TRJ_TOPOLOGY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atom_ids.h"
#include "error.h"
#include "lines.h"
#include "text_index.h"
#include "topology.h"

// An atom as a format gives it. NULL texts: the file has no such column, for any of its atoms.
struct trj_topology_atom {
    const char *name, *type, *resname, *segid, *chain;
    int64_t resid;
    char insertion; // insertion code, 0: none; 52 and 52A are different residues
    double mass, charge;
};

struct trj_topology_builder {
    struct trj_topology *top; // with arrays of `capacity` elements
    size_t capacity, bond_capacity;
    bool has_resid, has_mass,
        has_charge;  // columns of the file; set before the first atom; has_resid is true by default
    bool some_bonds; // bonds may be missing; they number molecules only if each atom of a residue of several has one
    char *insertion; // [capacity]; NULL: none
    const char *atom_style;                         // see struct trj_topology_options
    bool properties;                                // the same
    const struct trj_text_list *defines, *includes; // the same; NULL: none
    struct trj_text_index name, type, resname, segid, chain;
};

// Append an atom and a bond. Return 0 or -1.
int trj_topology_add(struct trj_topology_builder *b, const struct trj_topology_atom *atom, struct trj_error *err);
int trj_topology_add_bond(struct trj_topology_builder *b, uint32_t i, uint32_t j, struct trj_error *err);

// Sets the elements from atomic numbers z[atoms]; 0: unknown. Returns 0 or -1.
int trj_topology_set_elements(struct trj_topology *top, const unsigned char *z, struct trj_error *err);

// As the function above, but elements z that are TRJ_TO_GUESS (z NULL: all) are guessed from the mass (with `by_mass`)
// or from the names (element_guess.h), which element_from then states. Modifies z.
enum { TRJ_TO_GUESS = 255 };
int trj_topology_guess_elements(struct trj_topology *top, unsigned char *z, bool by_mass, struct trj_error *err);

// Collects names whose element is ambiguous (element_guess.h), each once for every residue name. Ready for use if
// zeroed except for index.texts.
struct trj_ambiguous_names {
    struct trj_texts texts;
    struct trj_text_index index;
};

// Adds the name of an atom that was taken as element z, if another element is as plausible. Returns 0 or -1.
int trj_ambiguous_names_add(struct trj_ambiguous_names *d, const char *name, const char *resname, unsigned z,
                            struct trj_error *err);
// Sets top->ambiguous and element_from if any name is ambiguous, and frees `d`. Returns 0 or -1.
int trj_ambiguous_names_finish(struct trj_ambiguous_names *d, struct trj_topology *top, struct trj_error *err);

// Replaces numbers of molecules or residues by running numbers from 0, in order of their first atoms:
// (*running)[atoms], which the caller frees. With `alone`, each atom of number 0 gets a running number of its own.
// Returns 0 or -1.
int trj_topology_renumber(uint32_t **running, const int64_t *number, size_t atoms, bool alone, struct trj_error *err);

// Returns the text of an atom in a column; "" if the column is missing.
const char *trj_topology_text(const struct trj_texts *texts, size_t atom);

// Reads the next line, which must exist: "the file ends after this line, before WHAT". Returns 0 or -1.
int trj_topology_next_line(struct trj_lines *l, const char *what, struct trj_error *err);

// Rejects a line without a newline, after which more text may be missing. Returns 0 or -1.
int trj_topology_check_newline(const struct trj_lines *l, struct trj_error *err);

// Checks a line after which nothing is missing. If it has no newline, its last word may have lost its end, and the
// topology gets a note. If this word is a real number, `number` points to it, and l->style is the style of the numbers
// before it: one with fewer decimals than they have is rejected, and one with as many needs no note. NULL: it is none.
// Returns 0 or -1.
int trj_topology_check_last_word(struct trj_topology *top, const struct trj_lines *l, const char *number,
                                 struct trj_error *err);

// Checks a line of a PDB or PQR file whose record is TRJ_PDB_OTHER: rejects it, or sets the note of the topology, if it
// may be that of an atom (pdb_records.h). `began`: a line had a known record. Returns 0 or -1.
int trj_topology_check_record(struct trj_topology *top, const struct trj_lines *l, bool began, struct trj_error *err);

// Two functions for each format. The first returns whether the n first bytes of a file look like it (GRO, PDB, PQR, XYZ
// and LAMMPS dumps: see their *_records.h). The second reads a topology with its elements into an empty builder; no
// line has been read before. The caller adds residues, molecules and masses that are still missing.
bool trj_psf_is(const char *head, size_t n);
int trj_psf_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_prmtop_is(const char *head, size_t n);
int trj_prmtop_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_dlpoly_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_dlpoly_field_is(const char *head, size_t n);
int trj_dlpoly_field_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_tinker_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_lammps_dump_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_xyz_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_lammps_data_is(const char *head, size_t n);
int trj_lammps_data_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_tpr_is(const char *head, size_t n);
int trj_tpr_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_top_is(const char *head, size_t n);
int trj_top_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_mol2_is(const char *head, size_t n);
int trj_mol2_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_pdb_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_mmcif_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
bool trj_mdtraj_is(const char *head, size_t n);
int trj_mdtraj_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_small_cif_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_poscar_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_xdatcar_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_pqr_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_g96_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_card_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_gro_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);

#endif
