// SPDX-License-Identifier: MIT
// Reads the topology of the HDF5 of MDTraj (https://mdtraj.org/latest/hdf5_format.html): a text in JSON with chains,
// their residues and atoms, and bonds. The members of an object may have any order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "hdf5_dataset.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

enum { MAX_DEPTH = 16, NAME = 64 };

// ---- JSON. The whole text is checked once; the other functions rely on this check.

struct text {
    const char *start;
    struct trj_error *err;
};

static int fail_at(const struct text *t, const char *at, const char *what) {
    return trj_fail(t->err, TRJ_BAD_DATA, "its topology: byte %zu: %s", (size_t)(at - t->start), what);
}

static const char *skip_blanks(const char *p) {
    return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p) {
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && !*++p) return NULL;
    return *p ? p + 1 : NULL;
}

// Returns the end of the value at p, or NULL if it is not JSON. Numbers and words are checked where they are used.
static const char *skip_value(const char *p, int depth) {
    p = skip_blanks(p);
    if (*p == '"') return skip_string(p);
    if (*p != '{' && *p != '[') {
        size_t n = strcspn(p, " \t\r\n,]}\"[{:");
        return n ? p + n : NULL;
    }
    const bool object = *p == '{';
    const char close = object ? '}' : ']';
    if (depth == MAX_DEPTH) return NULL;
    p = skip_blanks(p + 1);
    if (*p == close) return p + 1;
    for (;;) {
        if (object) {
            p = skip_blanks(p);
            if (*p != '"' || !(p = skip_string(p)) || *(p = skip_blanks(p)) != ':') return NULL;
            p++;
        }
        if (!(p = skip_value(p, depth + 1))) return NULL;
        p = skip_blanks(p);
        if (*p == close) return p + 1;
        if (*p++ != ',') return NULL;
    }
}

// Returns the first item of a list; NULL: there is none, or it is no list.
static const char *first_item(const char *list) {
    const char *p = list && *list == '[' ? skip_blanks(list + 1) : NULL;
    return p && *p != ']' ? p : NULL;
}

static const char *next_item(const char *item) {
    const char *p = skip_blanks(skip_value(item, 0));
    return *p == ',' ? skip_blanks(p + 1) : NULL;
}

// Returns the first value of an object whose key is `key`; NULL: there is none, or it is no object.
static const char *member(const char *object, const char *key) {
    const size_t n = strlen(key);
    const char *p = *object == '{' ? skip_blanks(object + 1) : NULL;
    while (p && *p == '"') {
        const char *end = skip_string(p), *value = skip_blanks(skip_blanks(end) + 1);
        if ((size_t)(end - p) == n + 2 && !memcmp(p + 1, key, n)) return value;
        p = skip_blanks(skip_value(value, 0));
        p = *p == ',' ? skip_blanks(p + 1) : NULL;
    }
    return NULL;
}

// Copies a string without its escapes. A missing one and null are empty.
static int get_text(const struct text *t, const char *p, char to[NAME]) {
    size_t n = 0;
    *to = 0;
    if (!p || !strncmp(p, "null", 4)) return 0;
    if (*p++ != '"') return fail_at(t, p - 1, "a string was expected");
    for (; *p != '"'; p++) {
        if (*p == '\\' && (*++p == 'u' || !strchr("\"\\/", *p)))
            return fail_at(t, p, "a name has a control character, or one that is not ASCII");
        if (n + 1 == NAME) return fail_at(t, p, "a name is longer than 63 bytes");
        to[n++] = *p;
    }
    to[n] = 0;
    return 0;
}

// Sets *first to the first item of a list; NULL if it is empty or missing.
static int get_list(const struct text *t, const char *object, const char *key, const char **first) {
    const char *list = member(object, key);
    *first = first_item(list);
    return list && *list != '[' ? fail_at(t, list, "a list was expected") : 0;
}

static int get_integer(const struct text *t, const char *p, int64_t *value) {
    char word[32];
    size_t n = p ? strcspn(p, " \t\r\n,]}") : 0;
    if (n && n < sizeof word) {
        memcpy(word, p, n);
        word[n] = 0;
        if (trj_parse_i64(word, value)) return 0;
    }
    return fail_at(t, p ? p : t->start, "a whole number was expected");
}

// ---- the topology

struct reading {
    struct text text;
    struct trj_topology_builder *b;
    unsigned char *z;            // [z_capacity] elements
    uint32_t *residue, residues; // [residue_capacity] as in struct trj_topology; number of them
    size_t z_capacity, residue_capacity;
    bool segments; // residues have segments
};

static int add_atom(struct reading *r, const char *atom, const struct trj_topology_atom *residue) {
    char name[NAME], element[NAME];
    struct trj_topology_atom a = *residue;
    int64_t index;
    struct trj_error *err = r->text.err;
    size_t n = r->b->top->atoms;
    if (*atom != '{') return fail_at(&r->text, atom, "an atom was expected");
    if (get_integer(&r->text, member(atom, "index"), &index) || get_text(&r->text, member(atom, "name"), name) ||
        get_text(&r->text, member(atom, "element"), element))
        return -1;
    if (index < 0 || (uint64_t)index != n)
        return fail_at(&r->text, atom, "the index of an atom is not its number in the list");
    if (n == UINT32_MAX) return fail_at(&r->text, atom, "too many atoms");
    if (trj_grow(&r->z, &r->z_capacity, n + 1, sizeof *r->z, "elements", err) ||
        trj_grow(&r->residue, &r->residue_capacity, n + 1, sizeof *r->residue, "residues", err))
        return -1;
    r->residue[n] = r->residues;
    r->z[n] = (unsigned char)trj_element_find(element, strlen(element));
    a.name = name;
    return trj_topology_add(r->b, &a, err);
}

static int add_residue(struct reading *r, const char *residue, const char *chain) {
    char name[NAME], segment[NAME];
    const char *atom;
    struct trj_topology_atom a = {.resname = name, .chain = chain, .segid = r->segments ? segment : NULL};
    if (get_text(&r->text, member(residue, "name"), name) ||
        get_text(&r->text, member(residue, "segmentID"), segment) ||
        get_integer(&r->text, member(residue, "resSeq"), &a.resid))
        return -1;
    if (get_list(&r->text, residue, "atoms", &atom)) return -1;
    for (; atom; atom = next_item(atom))
        if (add_atom(r, atom, &a)) return -1;
    r->residues += r->b->top->atoms && r->residue[r->b->top->atoms - 1] == r->residues; // not one without atoms
    return 0;
}

// Reads the residues of all chains. Chains have no names: they are numbered from 0.
static int add_chains(struct reading *r) {
    const char *chain, *residue;
    if (get_list(&r->text, r->text.start, "chains", &chain)) return -1;
    for (size_t k = 0; chain; chain = next_item(chain), k++) {
        char number[32];
        if (*chain != '{') return fail_at(&r->text, chain, "a chain was expected");
        snprintf(number, sizeof number, "%zu", k);
        if (get_list(&r->text, chain, "residues", &residue)) return -1;
        for (; residue; residue = next_item(residue)) {
            if (*residue != '{') return fail_at(&r->text, residue, "a residue was expected");
            if (add_residue(r, residue, number)) return -1;
        }
    }
    return 0;
}

static bool has_segments(const char *text) {
    static const char key[] = "\"segmentID\"";
    while ((text = strstr(text, key))) {
        text = skip_blanks(text + strlen(key));
        if (*text == ':' && *(text = skip_blanks(text + 1)) == '"' && text[1] != '"') return true;
    }
    return false;
}

static int add_bonds(struct reading *r) {
    const size_t atoms = r->b->top->atoms;
    const char *bond;
    if (get_list(&r->text, r->text.start, "bonds", &bond)) return -1;
    for (; bond; bond = next_item(bond)) {
        int64_t i, j;
        const char *first = first_item(bond), *second = first ? next_item(first) : NULL;
        if (!second) return fail_at(&r->text, bond, "a bond of two atoms was expected");
        if (get_integer(&r->text, first, &i) || get_integer(&r->text, second, &j)) return -1;
        if (i < 0 || j < 0 || (uint64_t)i >= atoms || (uint64_t)j >= atoms)
            return fail_at(&r->text, bond, "a bond of an atom that does not exist");
        if (trj_topology_add_bond(r->b, (uint32_t)i, (uint32_t)j, r->text.err)) return -1;
    }
    return 0;
}

static int read_text(struct trj_topology_builder *b, const char *text, struct trj_error *err) {
    struct reading r = {.text = {skip_blanks(text), err}, .b = b};
    const char *end = *r.text.start == '{' ? skip_value(r.text.start, 0) : NULL;
    if (!end || *skip_blanks(end)) return trj_fail(err, TRJ_BAD_DATA, "its topology is no complete JSON object");
    r.segments = has_segments(text);
    int rc = add_chains(&r);
    if (!rc && !b->top->atoms) rc = trj_fail(err, TRJ_BAD_DATA, "its topology has no atoms");
    if (!rc) rc = add_bonds(&r);
    if (!rc) rc = trj_topology_set_elements(b->top, r.z, err);
    if (!rc) {
        b->top->residue = r.residue;
        r.residue = NULL;
    }
    free(r.residue);
    free(r.z);
    return rc;
}

static bool contains(const char *head, size_t n, const char *word) {
    const size_t length = strlen(word);
    for (const char *p = head, *end = head + n; (p = memchr(p, *word, (size_t)(end - p))); p++)
        if ((size_t)(end - p) >= length && !memcmp(p, word, length)) return true;
    return false;
}

// Returns whether there is an attribute message with this name (HDF5 File Format Specification, "The Attribute
// Message"): a version, a byte, and the sizes of the name, type and space, in 2 bytes each; since version 3 a byte for
// the character set; then the name. Texts that are values, such as the names of authors in H5MD, do not count.
static bool has_attribute(const char *head, size_t n, const char *name) {
    const size_t length = strlen(name) + 1;
    for (const char *p = head + 9, *end = head + n; p < end && (p = memchr(p, *name, (size_t)(end - p))); p++) {
        if ((size_t)(end - p) < length) return false;
        if (memcmp(p, name, length)) continue;
        if ((p[-8] == 1 || p[-8] == 2) && p[-6] == (char)length && !p[-5]) return true;
        if (p[-9] == 3 && p[-7] == (char)length && !p[-6]) return true;
    }
    return false;
}

// MDTraj writes the attribute `conventions` of the root, whose value is "Pande", before anything else.
bool trj_mdtraj_is(const char *head, size_t n) {
    return n > 9 && !memcmp(head, "\x89HDF\r\n\x1a\n", 8) && has_attribute(head, n, "conventions") &&
           contains(head, n, "Pande");
}

int trj_mdtraj_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    uint64_t offset, size;
    if (trj_input_spool(l->in, err)) return -1;
    int got = trj_hdf5_find_dataset(l->in, "topology", &offset, &size, err);
    if (!got)
        return trj_fail(err, TRJ_USAGE, "contains no topology, which is optional in its format; give one with -t");
    if (got < 0) return -1;
    uint64_t end;
    if (!trj_input_size(l->in, &end) || offset > end || size > end - offset)
        return trj_fail(err, TRJ_BAD_DATA, "truncated: its topology is beyond the end of the file");
    if (trj_input_seek(l->in, offset, err)) return -1;
    char *text = trj_alloc((size_t)size + 1, 1, "a topology", err);
    if (!text) return -1;
    int rc = trj_input_read(l->in, text, (size_t)size, "the topology", err);
    if (!rc) rc = read_text(b, text, err); // it ends with its first zero byte
    free(text);
    return rc;
}
