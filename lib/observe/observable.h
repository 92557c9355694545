// SPDX-License-Identifier: MIT
// Observables: numbers that follow from a single frame, such as rg(P), the radius of gyration of the group P.
//
// An observable is an expression, a function with arguments in parentheses, separated by commas:
//     rg(P)    rmsd(P and name CA, reference=start.pdb)    distance(com(P), com(L))    torsion(4-6-8-14)
// An argument is given by its position, or as NAME=VALUE in any order; some arguments have defaults. obs_functions
// lists all functions; each has a file of this folder for its science. FUNCTION.COLUMN(ARGUMENTS), as in the names of
// columns of tables, is one column of a function with several: dipole.total(P).
//
// Coordinates are those of the frame, in Å and float64. Functions that need the atoms of a group side by side verify
// that no periodic boundary divides it (obs_view_whole).
#ifndef OBS_OBSERVABLE_H
#define OBS_OBSERVABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"

struct obs_division;
struct obs_system;
struct obs_view;
struct obs_observable;

// What an argument is.
enum obs_kind {
    OBS_ATOMS,         // a selection, or the name of a group
    OBS_ATOMS_OR_WORD, // a selection, or one of the words of `choices`
    OBS_POINT,         // com(SELECTION), cog(SELECTION), the number of an atom, or a selection of one atom
    OBS_NUMBER,        // finite
    OBS_CHOICE,        // one of the words of `choices`
    OBS_FILE,          // the name of a file
    OBS_WORD,          // a text that the function parses itself
    OBS_EXPRESSION,    // an observable of trjstat
};

struct obs_parameter {
    const char *name;
    enum obs_kind kind;
    const char *standard; // the default as text; NULL: the argument is required
    const char *choices;  // the words, separated by blanks; of OBS_WORD: forms of the text, likewise
    // Properties that the stream must contain for some values, in the form of trj_option.carry (tool.h); NULL: none.
    // Recipes request them. Those for selections and points follow from these.
    const char *carry;
    // Verifies an OBS_WORD, without the stream; NULL: it is verified by `open` alone. Fails with TRJ_USAGE.
    int (*check)(const char *text, struct trj_error *err);
};

enum { OBS_PARAMETERS_MAX = 6 };

// How a function gives values for each residue of its first group, with columns for each (obs_observable_open_divided).
enum obs_residues {
    OBS_RESIDUES_NEVER,  // it has no meaning for residues
    OBS_RESIDUES_SINGLE, // `compute` is called for each residue, and sees its atoms as the first group
    OBS_RESIDUES_PAIRED, // the same, and sees as the second group its atoms with the same numbers
    OBS_RESIDUES_JOINT,  // `compute` sets the values of all residues of o->division
    OBS_RESIDUES_LISTED, // the same, of residues that `open` lists by obs_divide_into, if o->by_residue is set
    OBS_RESIDUES_ALWAYS, // the same, in any case
};

struct obs_column {
    const char *name; // "xx"; "": that of the observable
    const char *unit; // "Angstrom"; "": a pure number; OBS_CLASS
};

#define OBS_CLASS "class" // in place of a unit: the numbers are those of classes, and have no mean

struct obs_function {
    const char *name;
    struct obs_parameter parameter[OBS_PARAMETERS_MAX + 1]; // ends with a NULL name
    const struct obs_column *column;                        // [columns]
    size_t columns;
    bool cyclic;         // the values are angles of which 180 and -180 degrees are the same, as of torsions
    const char *formula; // a sentence on what is computed, for --list and the header of tables
    const char *carry;   // properties that the stream must contain for any arguments, "mass,velocity"; NULL: none
    enum obs_residues residues;
    const char *why_never; // of OBS_RESIDUES_NEVER: why, as the end of a sentence that begins with the name
    const char *tool;      // the filter that computes it, for messages; NULL: trjstat
    // Sets other columns than the above, and their formula, if the arguments or o->by_residue require them, without the
    // stream. NULL: there are no others.
    void (*choose_columns)(struct obs_observable *o);
    // Prepares an observable, whose arguments and columns are set: its own data. NULL: nothing to do. Fails with
    // TRJ_USAGE or TRJ_BAD_DATA, with a remedy.
    int (*open)(struct obs_observable *o, struct obs_system *s, struct trj_error *err);
    // Gets the first frame, before any frame is computed, such as a reference. NULL: nothing to do.
    int (*begin)(struct obs_observable *o, struct obs_view *v, struct trj_error *err);
    // Computes value[o->columns] in a frame. NaN: not defined in this frame. Several threads call it for different
    // frames. NULL: there is nothing to compute.
    int (*compute)(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err);
    void (*close)(struct obs_observable *o); // frees o->own; NULL: nothing to do
};

enum { OBS_FUNCTIONS_MAX = 100 };
extern const struct obs_function *const obs_functions[]; // ends with NULL
// Writes the form of a call: "rg(group=ATOMS, weights=mass)".
void obs_function_describe(const struct obs_function *f, char *text, size_t size);
// Returns "group", "residue" if the function has values for each residue, too, or "residue only".
const char *obs_function_scope(const struct obs_function *f);
// Writes the names and units of columns: "Angstrom", or "a Angstrom, alpha degrees"; a pure number without a name is 1.
void obs_columns_describe(const struct obs_column *column, size_t count, char *text, size_t size);

// A point of an expression: the centre of a selection, or an atom.
struct obs_point {
    size_t selection; // of the system
    bool of_mass;     // the centre of mass; otherwise the centre of geometry
};

struct obs_argument {
    const char *text; // as given or the default; belongs to the observable
    size_t selection; // OBS_ATOMS: number of the selection in the system
    struct obs_point point;
    double number;
    unsigned choice; // OBS_CHOICE: number of the word
};

struct obs_observable {
    char *text; // the expression, without blanks around it: the name in tables and messages
    const struct obs_function *function;
    struct obs_argument argument[OBS_PARAMETERS_MAX];
    const struct obs_column *column; // [columns]
    size_t columns;
    const char *formula; // as that of the function, which may replace it by one with its arguments
    bool by_residue;     // the observable was opened by obs_observable_open_divided
    // The residues that have columns: first all columns of the first one. NULL: the group is not divided.
    struct obs_division *division;
    // [columns] in tables: FUNCTION.COLUMN(ARGUMENTS) or, of a residue, FUNCTION.COLUMN(ARGUMENTS)[RESIDUE], as rdfplot
    // reads them; ends with NULL
    char **names;
    void *own;                        // data of the function
    struct obs_observable *whole;     // of FUNCTION.COLUMN(ARGUMENTS): that with all columns; otherwise NULL
    size_t selected;                  // number of the column in it, of those of a residue
    char *memory[OBS_PARAMETERS_MAX]; // texts of the arguments
};

// Fails with TRJ_USAGE if an expression does not begin with the name of one of the functions, which end with NULL.
int obs_function_check(const struct obs_function *const *functions, const char *expression, struct trj_error *err);

// Parses com(SELECTION), cog(SELECTION), the number of an atom, or a selection of one atom. Fails with TRJ_USAGE.
int obs_point_parse(struct obs_point *point, const char *text, struct obs_system *s, struct trj_error *err);

// Parses an expression, and prepares it for the frames of a system, which must outlive it; of one without a stream
// (obs_system_open_syntax), it is only parsed, and its columns are those of one residue. Fails with TRJ_USAGE and the
// expression for an unknown function, argument or column, a missing one, or an invalid value; with TRJ_BAD_DATA if the
// stream lacks what the function requires. obs_observable_free frees, also after a failure.
int obs_observable_open(struct obs_observable *o, const char *expression, struct obs_system *s, struct trj_error *err);
// Does the same for an expression of other functions, which end with NULL.
int obs_observable_open_in(struct obs_observable *o, const struct obs_function *const *functions,
                           const char *expression, struct obs_system *s, struct trj_error *err);
// Does the same as obs_observable_open for values of each residue of the first group. Fails with TRJ_USAGE and the
// reason if the function has no meaning for residues.
int obs_observable_open_divided(struct obs_observable *o, const char *expression, struct obs_system *s,
                                struct trj_error *err);
void obs_observable_free(struct obs_observable *o); // not o itself
// Returns the number of residues that have columns; 1 if the group is not divided.
size_t obs_residue_count(const struct obs_observable *o);
// Does the same as obs_columns_describe for the columns of an observable, of residues as "degrees, for each residue".
void obs_observable_describe_columns(const struct obs_observable *o, char *text, size_t size);
// Returns the observable whose arguments are set: o->whole, if there is one.
const struct obs_observable *obs_observable_whole(const struct obs_observable *o);
// Sets *path to the file that an expression names, which the caller frees, or to NULL, also if the expression is
// invalid.
int obs_expression_file(char **path, const char *expression, struct trj_error *err);
// Returns whether an argument is the first frame, in place of a file.
bool obs_observable_uses_first_frame(const struct obs_observable *o);
// Gets the first frame (obs_function.begin). The text of an error begins with the expression.
int obs_observable_begin(struct obs_observable *o, struct obs_view *v, struct trj_error *err);
// Computes the values of a frame. The text of an error begins with the expression.
int obs_observable_compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err);

#endif
