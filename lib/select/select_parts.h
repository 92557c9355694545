// SPDX-License-Identifier: MIT
// Declarations that the parts of a selection share: select_words.c defines the words and select_tree.c the tree, which
// select_parse.c builds and select_evaluate.c evaluates.
#ifndef TRJ_SELECT_PARTS_H
#define TRJ_SELECT_PARTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "select.h"
#include "topology.h"

// ---- words

// Properties of an atom.
enum trj_property {
    TRJ_ATOM_NAME,
    TRJ_ATOM_TYPE,
    TRJ_ATOM_RESNAME,
    TRJ_ATOM_SEGID,
    TRJ_ATOM_CHAIN,
    TRJ_ATOM_ELEMENT,
    TRJ_ATOM_RESID,
    TRJ_ATOM_INDEX,
    TRJ_ATOM_SERIAL,
    TRJ_ATOM_MASS,
    TRJ_ATOM_CHARGE,
    TRJ_ATOM_OCCUPANCY,
    TRJ_ATOM_BFACTOR,
    TRJ_ATOM_X,
    TRJ_ATOM_Y,
    TRJ_ATOM_Z,
    TRJ_ATOM_RESIDUE,
    TRJ_ATOM_MOLECULE,
    TRJ_ATOM_BONDS,
};

enum trj_property_kind { TRJ_PROPERTY_TEXT, TRJ_PROPERTY_INTEGER, TRJ_PROPERTY_REAL, TRJ_PROPERTY_SET };

enum trj_property_kind trj_property_kind(enum trj_property p);
bool trj_property_is_coordinate(enum trj_property p);
bool trj_property_needs_topology(enum trj_property p);
const char *trj_property_what(enum trj_property p);     // for messages: "atom names"
const char *trj_property_singular(enum trj_property p); // for messages, of a text property: "residue name"
const char *trj_property_carried(enum trj_property p);  // its name for trjcat --carry; NULL: none is necessary, or none
bool trj_property_is_available(enum trj_property p, const struct trj_topology *top);
const struct trj_texts *trj_property_texts(enum trj_property p, const struct trj_topology *top);

// Tests a text: returns whether atoms that have it belong to a class.
typedef bool trj_text_test(const char *text);

enum trj_word_meaning { // the kind of term that a word begins
    TRJ_WORD_ALL,
    TRJ_WORD_NONE,
    TRJ_WORD_CLASS,
    TRJ_WORD_PROPERTY,
    TRJ_WORD_GROUP,
    TRJ_WORD_NEAR,
    TRJ_WORD_SAME,
    TRJ_WORD_BONDED,
    TRJ_WORD_NOT,
    TRJ_WORD_AND,
    TRJ_WORD_OR,
    TRJ_WORD_INNER, // begins no term: `of`, `as`, `to`
};

struct trj_word {
    const char *text;
    enum trj_word_meaning meaning;
    enum trj_property property; // of a PROPERTY
    struct {                    // of a CLASS: tests that must all be true, up to one without `is`
        enum trj_property property;
        trj_text_test *is;
    } tests[2];
    bool without, takes_of; // of NEAR: excludes the atoms of the operand; `of` follows the distance
};

extern const struct trj_word trj_words[]; // in the order in which messages list them
extern const size_t trj_word_count;

struct trj_same_key {
    const char *text;
    enum trj_property property;
};

extern const struct trj_same_key trj_same_keys[];
extern const size_t trj_same_key_count;

const struct trj_word *trj_word_find(const char *text, size_t length); // NULL: not a keyword

// Returns the keyword for a word of other programs, or for a common variant of a keyword: "and" for "&&", "not" for
// "NOT" and "!protein". NULL: none.
const char *trj_word_synonym(const char *text, size_t length);

// Returns the keyword, or the name of an earlier group, that is most similar to a text; NULL if none is.
const char *trj_word_nearest(const char *text, size_t length, const struct trj_selection_scope *scope);

// ---- the tree

enum trj_node_kind {
    TRJ_NODE_ALL,
    TRJ_NODE_NONE,
    TRJ_NODE_CLASS,
    TRJ_NODE_TEXT,
    TRJ_NODE_RANGES,
    TRJ_NODE_COMPARE,
    TRJ_NODE_NOT,
    TRJ_NODE_AND,
    TRJ_NODE_OR,
    TRJ_NODE_NEAR,
    TRJ_NODE_SAME,
    TRJ_NODE_BONDED,
    TRJ_NODE_GROUP,
    TRJ_NODE_FIXED, // already evaluated, as a mask
    // root of a tree that does not depend on coordinates: a list, because one mask for each group would take groups
    // times atoms bytes
    TRJ_NODE_LIST,
};

enum trj_relation { TRJ_LESS, TRJ_LESS_EQUAL, TRJ_GREATER, TRJ_GREATER_EQUAL, TRJ_EQUAL, TRJ_UNEQUAL };

union trj_value { // by the kind of the property
    int64_t integer;
    double real;
};

struct trj_value_range {
    union trj_value from, to;
};

struct trj_node {
    enum trj_node_kind kind;
    bool dynamic;        // depends on coordinates
    bool may_be_unknown; // tests elements or masses, which may be unknown for some atoms
    enum trj_property property;
    enum trj_relation relation;        // COMPARE
    union trj_value value;             // COMPARE
    trj_text_test *is;                 // CLASS
    char **glob;                       // [count] TEXT
    struct trj_value_range *range;     // [count] RANGES
    size_t count, capacity;            //
    double radius;                     // NEAR, Å
    bool without;                      // NEAR
    const struct trj_selection *group; // GROUP
    unsigned char *mask;               // [atoms] FIXED
    uint32_t *list;                    // [listed] LIST, ascending
    size_t listed;                     //
    struct trj_node *child, *sibling;  // AND and OR have any number of children
    struct trj_node *made_before;      // list of all nodes, so that freeing requires no recursion
};

struct trj_selection {
    char *text;
    size_t atoms;
    const struct trj_topology *top;
    const uint32_t *numbers; // as in the scope
    bool uses_topology;
    uint32_t properties; // bits 1 << enum trj_property, of those that the expression tests, without its groups
    struct trj_node *nodes, *root;
    char *note;       // reports patterns that match nothing; NULL: there are none
    size_t unmatched; // number of these patterns
    unsigned depth;   // levels of the tree, including those of the groups in it
};

enum { TRJ_SELECTION_DEEPEST = 200 }; // maximum number of levels, to limit the use of the stack

struct trj_node *trj_node_new(struct trj_selection *s, enum trj_node_kind kind, struct trj_error *err);

// Creates a selection without nodes, for errors as the expression `text`. trj_selection_free frees.
struct trj_selection *trj_selection_new(const char *text, size_t atoms, struct trj_error *err);

// Sets an error: "selection 'name OW and': expected an expression at character 12". Returns -1.
int trj_selection_vfail(const struct trj_selection *s, struct trj_error *err, enum trj_status status,
                        const char *format, va_list args) __attribute__((format(printf, 4, 0)));
int trj_selection_fail(const struct trj_selection *s, struct trj_error *err, enum trj_status status, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

// Adds a pattern to the note of a selection if no text of the property matches it. Returns 0 or -1.
int trj_selection_note_pattern(struct trj_selection *s, enum trj_property property, const char *glob,
                               struct trj_error *err);
void trj_selection_end_note(struct trj_selection *s); // completes the note after the last pattern

// Sets the error for a selection without atoms, with the existing names of the property that it tests. Always returns
// -1.
int trj_selection_fail_empty(const struct trj_selection *s, struct trj_error *err);

// Evaluates all nodes that do not depend on coordinates, and replaces them by FIXED nodes, or by one LIST if no node
// depends on coordinates.
int trj_selection_fold(struct trj_selection *s, struct trj_error *err);

#endif
