// SPDX-License-Identifier: MIT
// Atom selections: a language of the words that VMD and MDAnalysis have in common, and some common variants of these.
//
// Grammar. Keywords are case-sensitive. `not` and the words of `near`, `same` and `bonded` apply to the next term and
// bind tightest, then `and`, then `or`. Parentheses group.
//   expr     := expr `or` expr | expr `and` expr | unary
//   unary    := `not` unary | near unary | `same` KEY `as` unary | `bonded` [`to`] unary | `(` expr `)` | test
//   near     := `within` R `of` | `exwithin` R `of` | `around` R
//   test     := `all` | `none` | CLASS | [`group`] GROUP | TEXT GLOB... | NUMBER RANGE... | NUMBER RELATION VALUE
//   CLASS    := protein backbone nucleic water ion hydrogen heavy
//   TEXT     := name type resname segid chain element
//   NUMBER   := resid index serial bynum mass charge occupancy bfactor beta x y z
//   KEY      := residue molecule fragment name type resname segid chain element resid mass charge
//   GLOB     := letters with `*` `?` `[...]`; 'quoted' or "quoted" if it is a keyword or contains blanks, parentheses,
//               or one of `, ; | & =`, which are rejected elsewhere because other programs separate names by them
//   RANGE    := VALUE | VALUE:VALUE | VALUE-VALUE | VALUE `to` VALUE, both ends included
//   RELATION := `<` `<=` `>` `>=` `==` `!=`
//   R        := a length in Å, not negative
//
// Meaning.
//   index counts from 0; serial and bynum from 1. segid is the segment, or the chain if the topology has no segments;
//   chain is the chain, or the segment if it has no chains. mass in u, charge in e, x y z in Å as in the file, not
//   wrapped. occupancy, and bfactor or beta, are those of the frame if the trajectory is a PDB, else of the topology.
//   GROUP is the name of an earlier group. A name that is also a keyword is rejected where it occurs alone, unless the
//   group is exactly that keyword; `group NAME` is always the group.
//   within R of E: atoms for which some atom of E, or an image of it along the periodic vectors of the frame's cell, is
//   at a distance <= R; this includes the atoms of E. exwithin (VMD) and around (MDAnalysis) exclude the atoms of E. R
//   may exceed half the cell (neighbours.h).
//   same KEY as E: atoms with the value of some atom of E; numbers must be exactly equal. bonded to E: atoms with a
//   bond to an atom of E.
//   CLASS: residue names (residue_names.h), for backbone the names N CA C O within protein, for hydrogen and heavy the
//   element.
//   A massless site (topology.h) has no element.
// If `and` or `or` follows the operand of within, exwithin, around, same or bonded, parentheses are required:
// MDAnalysis uses everything that follows as the operand, other programs use only the next term, and the result would
// not show the difference.
#ifndef TRJ_SELECT_H
#define TRJ_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "text_index.h"
#include "topology.h"

struct trj_selection;

struct trj_named_selection {
    char *name;
    struct trj_selection *selection; // NULL: a group of centres, to which expressions cannot refer
};

// Names that an expression may refer to. A selection keeps pointers to the topology and the earlier groups: both must
// outlive it.
struct trj_selection_scope {
    const struct trj_topology *top; // NULL: only all, none, index, serial, x, y, z, near and groups are available
    size_t atoms;                   // of the trajectory
    const struct trj_named_selection *earlier; // [earlier_count] in the order of their definition
    size_t earlier_count;
    const struct trj_text_index *names; // names of the earlier groups, with the same numbers; NULL: none
    // [atoms] Numbers in the trajectory, by which `index` and `serial` select, ascending; NULL: the positions.
    const uint32_t *numbers;
    bool carry; // what `top` lacks must be written into the stream (trjcat --carry), not given as a topology file
    // Only the syntax and the names of groups are checked, as for a recipe whose files are not read: `top` and `atoms`
    // are ignored, and the selection cannot be evaluated.
    bool syntax_only;
    bool any_group; // with syntax_only: a word that is no keyword is taken for the name of a group
};

// Parses an expression and evaluates the parts that do not depend on coordinates. Fails with TRJ_USAGE, the expression
// and the position ("... at character 7") for a syntax error, or a keyword for which the topology has no data. Fails
// with TRJ_BAD_DATA, naming the atom, if an element or mass is unknown that decides about an atom which no other term
// of an `and` excludes. trj_selection_free frees.
int trj_selection_parse(struct trj_selection **sel, const char *expression, const struct trj_selection_scope *scope,
                        struct trj_error *err);

// Makes the selection of a list of atoms, in ascending order, out of `atoms` atoms. `name` is its name in messages.
int trj_selection_of_atoms(struct trj_selection **sel, const char *name, const uint32_t *list, size_t count,
                           size_t atoms, struct trj_error *err);

// Returns a sentence for a note that lists the names and patterns of the selection that match nothing, which the
// selection owns; NULL if there are none.
const char *trj_selection_note(const struct trj_selection *sel);

// Returns whether the expression uses the topology; groups that it refers to do not count.
bool trj_selection_uses_topology(const struct trj_selection *sel);

// Writes what a frame stream must contain for the expression, as the value of trjcat --carry: "name,resid". "" if it
// needs nothing. A property may occur twice; those that --carry does not support, such as atom types, are left out.
void trj_selection_properties(const struct trj_selection *sel, char *text, size_t size);

// Returns whether the selection depends on coordinates, so that it must be evaluated in each frame.
bool trj_selection_is_dynamic(const struct trj_selection *sel);

// Evaluates the selection in a frame. *atoms is an ascending list, never NULL, which the caller frees. `frame` has all
// atoms of the trajectory, and the cell to use; it may be NULL if the selection is not dynamic. A dynamic selection may
// be empty in a frame (*count 0). Fails with TRJ_BAD_DATA if a selection that is not dynamic selects nothing, and for
// coordinates and cells that neighbours.h rejects. The selection is not modified: several threads may evaluate it for
// different frames.
int trj_selection_atoms(const struct trj_selection *sel, const struct trj_frame *frame, uint32_t **atoms, size_t *count,
                        struct trj_error *err);

// Lists all atoms that the selection can select in some frame, ascending; for a dynamic selection, possibly others,
// too. The caller frees *atoms.
int trj_selection_candidates(const struct trj_selection *sel, uint32_t **atoms, size_t *count, struct trj_error *err);

void trj_selection_free(struct trj_selection *sel); // NULL is allowed

#endif
