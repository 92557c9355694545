// SPDX-License-Identifier: MIT
// Defines the keywords of selections.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "residue_names.h"
#include "select_parts.h"

// ------------------------------------------------------------------------------------------------------- properties

static const struct {
    enum trj_property_kind kind;
    const char *what, *singular;
} properties[] = {
    [TRJ_ATOM_NAME] = {TRJ_PROPERTY_TEXT, "atom names", "name"},
    [TRJ_ATOM_TYPE] = {TRJ_PROPERTY_TEXT, "atom types", "type"},
    [TRJ_ATOM_RESNAME] = {TRJ_PROPERTY_TEXT, "residue names", "residue name"},
    [TRJ_ATOM_SEGID] = {TRJ_PROPERTY_TEXT, "segments", "segment"},
    [TRJ_ATOM_CHAIN] = {TRJ_PROPERTY_TEXT, "chains", "chain"},
    [TRJ_ATOM_ELEMENT] = {TRJ_PROPERTY_TEXT, "elements", "element"},
    [TRJ_ATOM_RESID] = {TRJ_PROPERTY_INTEGER, "residue numbers", NULL},
    [TRJ_ATOM_INDEX] = {TRJ_PROPERTY_INTEGER, NULL, NULL},
    [TRJ_ATOM_SERIAL] = {TRJ_PROPERTY_INTEGER, NULL, NULL},
    [TRJ_ATOM_MASS] = {TRJ_PROPERTY_REAL, "masses", NULL},
    [TRJ_ATOM_CHARGE] = {TRJ_PROPERTY_REAL, "charges", NULL},
    [TRJ_ATOM_OCCUPANCY] = {TRJ_PROPERTY_REAL, "occupancies", NULL},
    [TRJ_ATOM_BFACTOR] = {TRJ_PROPERTY_REAL, "B factors", NULL},
    [TRJ_ATOM_X] = {TRJ_PROPERTY_REAL, NULL, NULL},
    [TRJ_ATOM_Y] = {TRJ_PROPERTY_REAL, NULL, NULL},
    [TRJ_ATOM_Z] = {TRJ_PROPERTY_REAL, NULL, NULL},
    [TRJ_ATOM_RESIDUE] = {TRJ_PROPERTY_SET, "residues", NULL},
    [TRJ_ATOM_MOLECULE] = {TRJ_PROPERTY_SET, "bonds", NULL},
    [TRJ_ATOM_BONDS] = {TRJ_PROPERTY_SET, "bonds", NULL},
};

enum trj_property_kind trj_property_kind(enum trj_property p) {
    return properties[p].kind;
}

bool trj_property_is_coordinate(enum trj_property p) {
    return p == TRJ_ATOM_X || p == TRJ_ATOM_Y || p == TRJ_ATOM_Z;
}

bool trj_property_needs_topology(enum trj_property p) {
    return properties[p].what;
}

const char *trj_property_what(enum trj_property p) {
    return properties[p].what;
}

const char *trj_property_singular(enum trj_property p) {
    return properties[p].singular;
}

const char *trj_property_carried(enum trj_property p) {
    static const char *const names[] = {
        [TRJ_ATOM_NAME] = "name",       [TRJ_ATOM_RESNAME] = "resname", [TRJ_ATOM_SEGID] = "segid",
        [TRJ_ATOM_CHAIN] = "segid",     [TRJ_ATOM_ELEMENT] = "element", [TRJ_ATOM_RESID] = "resid",
        [TRJ_ATOM_MASS] = "mass",       [TRJ_ATOM_CHARGE] = "charge",   [TRJ_ATOM_OCCUPANCY] = "occupancy",
        [TRJ_ATOM_BFACTOR] = "bfactor", [TRJ_ATOM_BONDS] = NULL}; // the last one
    return names[p];
}

const struct trj_texts *trj_property_texts(enum trj_property p, const struct trj_topology *t) {
    const struct trj_texts *const texts[] = {[TRJ_ATOM_NAME] = &t->name,
                                             [TRJ_ATOM_TYPE] = &t->type,
                                             [TRJ_ATOM_RESNAME] = &t->resname,
                                             [TRJ_ATOM_SEGID] = trj_topology_segments(t),
                                             [TRJ_ATOM_CHAIN] = trj_topology_chains(t),
                                             [TRJ_ATOM_ELEMENT] = &t->element};
    return texts[p];
}

bool trj_property_is_available(enum trj_property p, const struct trj_topology *t) {
    switch (p) {
    case TRJ_ATOM_RESID:
        return t->resid;
    case TRJ_ATOM_MASS:
        return t->mass;
    case TRJ_ATOM_CHARGE:
        return t->charge;
    case TRJ_ATOM_OCCUPANCY:
        return t->occupancy;
    case TRJ_ATOM_BFACTOR:
        return t->bfactor;
    case TRJ_ATOM_RESIDUE:
        return t->residue;
    case TRJ_ATOM_MOLECULE:
        return t->molecule;
    case TRJ_ATOM_BONDS:
        return t->bonds;
    default:
        return properties[p].kind != TRJ_PROPERTY_TEXT || trj_property_texts(p, t)->id;
    }
}

// ---------------------------------------------------------------------------------------------------------- classes
static bool is_backbone(const char *name) {
    static const char *const names[] = {"N", "CA", "C", "O"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

static bool is_hydrogen(const char *element) {
    return !strcmp(element, "H");
}

static bool is_heavy(const char *element) {
    return !is_hydrogen(element);
}

// ------------------------------------------------------------------------------------------------------------- words

#define PROPERTY(word, column)                                                                                         \
    { .text = (word), .meaning = TRJ_WORD_PROPERTY, .property = (column) }
#define CLASS(word, ...)                                                                                               \
    {                                                                                                                  \
        .text = (word), .meaning = TRJ_WORD_CLASS, .tests = { __VA_ARGS__ }                                            \
    }

const struct trj_word trj_words[] = {
    {.text = "all", .meaning = TRJ_WORD_ALL},
    {.text = "none", .meaning = TRJ_WORD_NONE},
    CLASS("protein", {TRJ_ATOM_RESNAME, trj_residue_is_protein}),
    CLASS("backbone", {TRJ_ATOM_RESNAME, trj_residue_is_protein}, {TRJ_ATOM_NAME, is_backbone}),
    CLASS("nucleic", {TRJ_ATOM_RESNAME, trj_residue_is_nucleic}),
    CLASS("water", {TRJ_ATOM_RESNAME, trj_residue_is_water}),
    CLASS("ion", {TRJ_ATOM_RESNAME, trj_residue_is_ion}),
    CLASS("hydrogen", {TRJ_ATOM_ELEMENT, is_hydrogen}),
    CLASS("heavy", {TRJ_ATOM_ELEMENT, is_heavy}),
    PROPERTY("name", TRJ_ATOM_NAME),
    PROPERTY("type", TRJ_ATOM_TYPE),
    PROPERTY("resname", TRJ_ATOM_RESNAME),
    PROPERTY("segid", TRJ_ATOM_SEGID),
    PROPERTY("chain", TRJ_ATOM_CHAIN),
    PROPERTY("element", TRJ_ATOM_ELEMENT),
    PROPERTY("resid", TRJ_ATOM_RESID),
    PROPERTY("index", TRJ_ATOM_INDEX),
    PROPERTY("serial", TRJ_ATOM_SERIAL),
    PROPERTY("bynum", TRJ_ATOM_SERIAL),
    PROPERTY("mass", TRJ_ATOM_MASS),
    PROPERTY("charge", TRJ_ATOM_CHARGE),
    PROPERTY("occupancy", TRJ_ATOM_OCCUPANCY),
    PROPERTY("bfactor", TRJ_ATOM_BFACTOR),
    PROPERTY("beta", TRJ_ATOM_BFACTOR),
    PROPERTY("x", TRJ_ATOM_X),
    PROPERTY("y", TRJ_ATOM_Y),
    PROPERTY("z", TRJ_ATOM_Z),
    {.text = "group", .meaning = TRJ_WORD_GROUP},
    {.text = "within", .meaning = TRJ_WORD_NEAR, .takes_of = true},
    {.text = "exwithin", .meaning = TRJ_WORD_NEAR, .takes_of = true, .without = true},
    {.text = "around", .meaning = TRJ_WORD_NEAR, .without = true},
    {.text = "same", .meaning = TRJ_WORD_SAME},
    {.text = "bonded", .meaning = TRJ_WORD_BONDED},
    {.text = "not", .meaning = TRJ_WORD_NOT},
    {.text = "and", .meaning = TRJ_WORD_AND},
    {.text = "or", .meaning = TRJ_WORD_OR},
    {.text = "to", .meaning = TRJ_WORD_INNER},
    {.text = "of", .meaning = TRJ_WORD_INNER},
    {.text = "as", .meaning = TRJ_WORD_INNER},
};
const size_t trj_word_count = sizeof trj_words / sizeof *trj_words;

const struct trj_same_key trj_same_keys[] = {
    {"residue", TRJ_ATOM_RESIDUE}, {"molecule", TRJ_ATOM_MOLECULE}, {"fragment", TRJ_ATOM_MOLECULE},
    {"name", TRJ_ATOM_NAME},       {"type", TRJ_ATOM_TYPE},         {"resname", TRJ_ATOM_RESNAME},
    {"segid", TRJ_ATOM_SEGID},     {"chain", TRJ_ATOM_CHAIN},       {"element", TRJ_ATOM_ELEMENT},
    {"resid", TRJ_ATOM_RESID},     {"mass", TRJ_ATOM_MASS},         {"charge", TRJ_ATOM_CHARGE},
};
const size_t trj_same_key_count = sizeof trj_same_keys / sizeof *trj_same_keys;

const struct trj_word *trj_word_find(const char *text, size_t length) {
    for (size_t i = 0; i < trj_word_count; i++)
        if (strlen(trj_words[i].text) == length && !memcmp(trj_words[i].text, text, length)) return &trj_words[i];
    return NULL;
}

enum { LONGEST = 16 }; // length of words that are compared

// Returns the Levenshtein distance of two short words, ignoring case.
static size_t distance(const char *a, size_t n, const char *b) {
    size_t m = strlen(b), row[LONGEST];
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            corner = row[j];
            size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = best < change ? best : change;
        }
    }
    return row[m];
}

const char *trj_word_synonym(const char *text, size_t length) {
    static const char *const others[][2] = {{"&&", "and"},  {"&", "and"},  {"AND", "and"}, {"And", "and"},
                                            {"||", "or"},   {"|", "or"},   {"OR", "or"},   {"Or", "or"},
                                            {"NOT", "not"}, {"Not", "not"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i][0]) == length && !memcmp(others[i][0], text, length)) return others[i][1];
    return length && *text == '!' && (length == 1 || text[1] != '=') ? "not" : NULL;
}

const char *trj_word_nearest(const char *text, size_t length, const struct trj_selection_scope *scope) {
    // Words of other programs for which this language has another word.
    static const char *const others[][2] = {{"byres", "same residue as"},
                                            {"pbwithin", "within"},
                                            {"noh", "heavy"},
                                            {"resnum", "resid"},
                                            {"segname", "segid"},
                                            {"mol", "same molecule as"},
                                            {"molecule", "same molecule as"},
                                            {"fragment", "same molecule as"},
                                            {"residue", "resid"},
                                            {"atomnr", "serial"},
                                            {"symbol", "element"},
                                            {"tempfactor", "bfactor"},
                                            {"sidechain", "protein and not backbone"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i][0]) == length && !memcmp(others[i][0], text, length)) return others[i][1];
    size_t nearest = 3;
    const char *hint = NULL;
    for (size_t i = 0; i < trj_word_count + scope->earlier_count && length < LONGEST; i++) {
        const char *known = i < trj_word_count ? trj_words[i].text : scope->earlier[i - trj_word_count].name;
        if (strlen(known) >= LONGEST || (i < trj_word_count && trj_words[i].meaning == TRJ_WORD_INNER)) continue;
        size_t d = distance(text, length, known);
        if (d < nearest && d < strlen(known) && d < length) {
            nearest = d;
            hint = known;
        }
    }
    return hint;
}
