// SPDX-License-Identifier: MIT
// Atom selections: one language, of the words that VMD and MDAnalysis share or that their users type.
//
// Grammar. Keywords are case-sensitive. `not` and the words of `near`, `same` and `bonded` take what follows next and bind tightest, then
// `and`, then `or`; parentheses group.
//   expr     := expr `or` expr | expr `and` expr | unary
//   unary    := `not` unary | near unary | `same` KEY `as` unary | `bonded` [`to`] unary | `(` expr `)` | test
//   near     := `within` R `of` | `exwithin` R `of` | `around` R
//   test     := `all` | `none` | CLASS | [`group`] GROUP | TEXT GLOB... | NUMBER RANGE... | NUMBER RELATION VALUE
//   CLASS    := protein backbone nucleic water ion hydrogen heavy
//   TEXT     := name type resname segid chain element
//   NUMBER   := resid index serial bynum mass charge x y z
//   KEY      := residue molecule fragment name type resname segid chain element resid mass charge
//   GLOB     := letters with `*` `?` `[...]`; 'quoted' or "quoted" if it is a keyword or contains blanks, parentheses,
//   or one of
//               `, ; | & =`, which are rejected elsewhere because other programs separate names by them
//   RANGE    := VALUE | VALUE:VALUE | VALUE-VALUE | VALUE `to` VALUE, both ends included
//   RELATION := `<` `<=` `>` `>=` `==` `!=`
//   R        := a length in Å, not negative
//
// Meaning.
//   index counts from 0; serial and bynum from 1. segid is the segment, or where a topology has none the chain; chain the
//   other way round. mass in u, charge in e, x y z in Å as the file has them, not wrapped.
//   GROUP is the name of an earlier group. A name that is also a keyword is rejected where it occurs alone, unless the
//   group is exactly that keyword; `group NAME` is always the group.
//   within R of E: atoms for which some atom of E, or an image of it along the periodic vectors of the frame's cell, is at a distance
//   <= R; atoms of E are among them. exwithin (VMD) and around (MDAnalysis): the same without the atoms of E. Any R is right, also one
//   larger than half the cell: near.h.
//   same KEY as E: atoms with the value of some atom of E; of numbers, exactly this value. bonded to E: atoms with a bond to an atom of E.
//   CLASS: residue names (residue_names.h), for backbone the names N CA C O within protein, for hydrogen and heavy the element.
//   A massless site (topology.h) is of no element.
// If `and` or `or` follows the operand of within, exwithin, around, same or bonded, parentheses are required:
// MDAnalysis takes all that follows as the operand, other programs take only the next term, and the result would not
// show the difference.
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
    struct trj_selection *selection; // NULL: a group of no atoms but centres, which expressions cannot refer to
};

// Names that an expression may refer to. A selection keeps pointers to the topology and the earlier groups: both must
// outlive it.
struct trj_selection_scope {
    const struct trj_topology *top; // NULL: only all, none, index, serial, x, y, z, near words and groups can be had
    size_t atoms;                   // of the trajectory
    const struct trj_named_selection *earlier; // [earlier_count] in the order of their definition
    size_t earlier_count;
    const struct trj_text_index *names; // names of the earlier groups, with the same numbers; NULL: none
};

// Parses an expression and evaluates what does not depend on coordinates. A syntax error, or a keyword the topology has no data for, is
// TRJ_USAGE with the expression and the place ("... at character 7"). An element that has to be known and is not, of some atom that is not
// ruled out already by what else is joined with `and`, is TRJ_BAD_DATA naming the atom.
int trj_selection_parse(struct trj_selection **sel, const char *expression, const struct trj_selection_scope *scope,
                        struct trj_error *err);

// The selection of a list of atoms, which ascends; of `atoms` atoms that there are. `name` says in messages what it is.
int trj_selection_of_atoms(struct trj_selection **sel, const char *name, const uint32_t *list, size_t count,
                           size_t atoms, struct trj_error *err);

// Returns a sentence for a note that lists the names and patterns of the selection that match nothing, which the
// selection owns; NULL if there are none.
const char *trj_selection_note(const struct trj_selection *sel);

// Whether it asks the topology for anything; that the groups do which it refers to is theirs.
bool trj_selection_uses_topology(const struct trj_selection *sel);

// Whether it depends on coordinates and has to be evaluated for each frame.
bool trj_selection_is_dynamic(const struct trj_selection *sel);

// The atoms selected in a frame, ascending, malloc'd (never NULL; the caller frees). `frame` has all atoms of the trajectory, and the cell
// as it shall be used; NULL where the selection does not move. One that moves may be empty in a frame (*count 0). One that does not, or
// that cannot select anything in any frame, is then TRJ_BAD_DATA; so are coordinates and cells that near.h refuses.
// Nothing in the selection changes: threads may evaluate it for several frames at once.
int trj_selection_atoms(const struct trj_selection *sel, const struct trj_frame *frame, uint32_t **atoms, size_t *count,
                        struct trj_error *err);

// All atoms that it may select in some frame, ascending, malloc'd. Where it moves there may be some more.
int trj_selection_candidates(const struct trj_selection *sel, uint32_t **atoms, size_t *count, struct trj_error *err);

void trj_selection_free(struct trj_selection *sel); // NULL is allowed

#endif
