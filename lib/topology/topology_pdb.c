// SPDX-License-Identifier: MIT
// PDB: the ATOM and HETATM records of the first model.
// CONECT has the serial numbers (7-11) of bonded atoms. Where they overflow these columns, or come twice, nobody can tell who is meant:
// then there are no bonds, and nothing else is lost.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "element_guess.h"
#include "memory.h"
#include "number.h"
#include "pdb_records.h"
#include "topology_parts.h"

enum { SERIAL_WIDTH = 5 };

// What the elements are made from once all atoms are known.
struct hint {
    unsigned char start; // column of the name in its four, 0..3
    unsigned char z;     // of the element column; 0: none
    bool said;           // the element column is filled
};

struct pdb {
    struct hint *hints;
    struct trj_id *serials;
    size_t room, serial_room;
    int64_t *ends; // serial numbers, two for each partner in a CONECT
    size_t end_count, end_room;
    bool lost;                // there are serial numbers that tell nothing
    bool aligned, misaligned; // names seen that keep, break the rule of columns 13-14
    // Residue numbers beyond 9999
    bool hex, stars;
    int64_t resid;                  // of the atom before
    char first_name[5], resname[5]; // of the residue's first atom
};

// Columns full of characters in base 36: A000 is 10000, ZZZZ is followed by a000.  (R. W. Grosse-Kunstleve, hybrid-36, cctbx)
static bool parse_hybrid36(const char *text, size_t width, int64_t *value) {
    bool small = islower((unsigned char)text[0]);
    int64_t v = 0, ten = 1, base = 1;
    if (strlen(text) != width) return false;
    for (size_t k = 0; k < width; k++) ten *= 10, base *= k ? 36 : 1;
    for (const char *c = text; *c; c++) {
        bool letter = small ? islower((unsigned char)*c) : isupper((unsigned char)*c);
        if (!letter && (c == text || !isdigit((unsigned char)*c))) return false;
        v = v * 36 + (letter ? *c - (small ? 'a' : 'A') + 10 : *c - '0');
    }
    *value = v - 10 * base + ten + (small ? 26 * base : 0);
    return true;
}

static bool parse_hex(const char *text, int64_t *value) {
    if (strlen(text) != 4 || strspn(text, "0123456789abcdefABCDEF") != 4) return false;
    *value = strtoll(text, NULL, 16);
    return *value > 9999;
}

// What stands in columns 23-26. Beyond 9999 there are hybrid-36 (A000), hexadecimal (270f is followed by 2710: it is the number after 9999
// that tells) and wrapping to 0, which is taken as it stands.
static bool parse_resid(struct pdb *p, const char *text, int64_t *resid) {
    int64_t hex;
    bool is_hex = parse_hex(text, &hex);
    if (trj_parse_i64(text, resid)) {
        p->hex = is_hex && (p->hex || (p->resid == 9999 && hex == 10000));
        if (p->hex) *resid = hex;
        return true;
    }
    if (is_hex && (p->hex || isdigit((unsigned char)text[0]))) {
        p->hex = true;
        *resid = hex;
        return true;
    }
    return parse_hybrid36(text, 4, resid);
}

// "****": the number is lost. A residue begins where its name changes or the first atom's name comes again; numbers go on from the last one.
static int64_t count_on(const struct pdb *p, const char *name, const char *resname) {
    if (p->resid < 0) return 10000; // the least that does not fit
    bool same = p->stars && strcmp(name, p->first_name) && !strcmp(resname, p->resname);
    return same ? p->resid : p->resid + 1;
}

static unsigned char read_element(const struct trj_lines *l, bool *said) {
    char symbol[3];
    size_t n = trj_lines_field(l, TRJ_PDB_ELEMENT, 2, symbol);
    // Before 1996 these columns held line numbers.
    *said = n && isalpha((unsigned char)symbol[0]) && (n == 1 || isalpha((unsigned char)symbol[1]));
    if (!*said) return 0;
    if (!strcmp(symbol, "D")) return 1;
    return (unsigned char)trj_element_find(symbol, n);
}

static bool parse_serial(const char *text, int64_t *serial) {
    return trj_parse_i64(text, serial) || parse_hybrid36(text, SERIAL_WIDTH, serial);
}

static int read_serial(struct pdb *p, const struct trj_lines *l, size_t i, struct trj_error *err) {
    char text[SERIAL_WIDTH + 1];
    if (trj_grow(&p->serials, &p->serial_room, i + 1, sizeof *p->serials, "atoms", err)) return -1;
    p->serials[i].atom = (uint32_t)i;
    trj_lines_field(l, TRJ_PDB_SERIAL, SERIAL_WIDTH, text);
    bool wide = isdigit((unsigned char)l->text[TRJ_PDB_SERIAL + SERIAL_WIDTH]);
    if (wide || !parse_serial(text, &p->serials[i].id)) p->lost = true;
    return 0;
}

// An atom and up to four partners; columns behind these once told of hydrogen bonds.
static int read_conect(struct pdb *p, const struct trj_lines *l, struct trj_error *err) {
    char text[SERIAL_WIDTH + 1];
    int64_t first = 0, serial;
    if (l->length > TRJ_PDB_SERIAL && (l->length - TRJ_PDB_SERIAL) % SERIAL_WIDTH && trj_topology_whole(l, err))
        return -1;
    for (size_t k = 0; k < 5; k++) {
        if (!trj_lines_field(l, TRJ_PDB_SERIAL + k * SERIAL_WIDTH, SERIAL_WIDTH, text) && k) continue;
        if (!parse_serial(text, &serial)) {
            if (!*text || strspn(text, "*0123456789abcdefABCDEF") != strlen(text))
                return trj_lines_fail(l, err, "CONECT: '%s' is no number of an atom", text);
            p->lost = true;
            return 0;
        }
        if (!k) {
            first = serial;
            continue;
        }
        if (trj_grow(&p->ends, &p->end_room, p->end_count + 2, sizeof *p->ends, "bonds", err)) return -1;
        p->ends[p->end_count++] = first;
        p->ends[p->end_count++] = serial;
    }
    return 0;
}

static int by_atoms(const void *a, const void *b) {
    const uint32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

// Bonds stand there from both sides, double ones twice. Atoms that are not there have been taken out of the file.
static int set_bonds(struct trj_topology_builder *b, struct pdb *p, struct trj_error *err) {
    struct trj_topology *top = b->top;
    if (p->lost || !p->end_count) return 0;
    trj_atom_ids_sort(p->serials, top->atoms);
    if (trj_atom_ids_duplicate(p->serials, top->atoms)) return 0;
    for (size_t k = 0; k < p->end_count; k += 2) {
        const struct trj_id *i = trj_atom_ids_find(p->serials, top->atoms, p->ends[k]),
                            *j = trj_atom_ids_find(p->serials, top->atoms, p->ends[k + 1]);
        if (!i || !j || i == j) continue;
        bool up = i->atom < j->atom;
        if (trj_topology_add_bond(b, up ? i->atom : j->atom, up ? j->atom : i->atom, err)) return -1;
    }
    if (!top->bonds) return 0;
    qsort(top->bond, top->bonds, sizeof *top->bond, by_atoms);
    size_t n = 1;
    for (size_t k = 1; k < top->bonds; k++)
        if (by_atoms(top->bond[k], top->bond[n - 1])) memcpy(top->bond[n++], top->bond[k], sizeof *top->bond);
    top->bonds = n;
    b->some_bonds = true;
    return 0;
}

static void note_place(struct pdb *p, const char *name, unsigned start) {
    size_t n = strlen(name), letters = 0;
    while (isalpha((unsigned char)name[letters])) letters++;
    if (start == 1 && letters) p->aligned = true;
    // A one-letter symbol in the first column, or none in the second, and there was room to do better.
    if (start > 1 || (start == 0 && n < 4 && letters == 1)) p->misaligned = true;
}

static int read_atom(struct trj_topology_builder *b, struct pdb *p, const struct trj_lines *l, struct trj_error *err) {
    size_t i = b->top->atoms;
    char name[5], resname[5], segid[5], resid[6], chain[2];
    if (!trj_lines_field(l, TRJ_PDB_NAME, 4, name))
        return trj_lines_fail(l, err, "atom %zu: no name in columns 13-16", i + 1);
    trj_lines_field(l, TRJ_PDB_RESNAME, 4, resname);
    trj_lines_field(l, TRJ_PDB_SEGID, 4, segid);
    trj_lines_field(l, TRJ_PDB_CHAIN, 1, chain);
    char x[3][9]; // whatever they are
    if (trj_pdb_coordinates(l, i + 1, x, err)) return -1;
    struct trj_topology_atom atom = {.name = name, .resname = resname, .segid = segid, .chain = chain};
    char after = l->text[TRJ_PDB_INSERTION];
    bool wide = isdigit((unsigned char)after); // a fifth digit: insertion codes are letters
    trj_lines_field(l, TRJ_PDB_RESID, wide ? 5 : 4, resid);
    bool stars = *resid && strspn(resid, "*") == strlen(resid);
    if (stars) {
        atom.resid = count_on(p, name, resname);
    } else if (!(wide ? trj_parse_i64(resid, &atom.resid) : parse_resid(p, resid, &atom.resid))) {
        return trj_lines_fail(l, err, "atom %zu: residue number '%s' in columns 23-26 is not a number", i + 1, resid);
    }
    if (!wide && !stars && after != ' ') atom.insertion = after;
    if (!i || stars != p->stars || atom.resid != p->resid) {
        memcpy(p->first_name, name, sizeof name);
        memcpy(p->resname, resname, sizeof resname);
    }
    p->stars = stars;
    p->resid = atom.resid;
    unsigned start = (unsigned)strspn(l->text + TRJ_PDB_NAME, " ");
    note_place(p, name, start);
    if (trj_grow(&p->hints, &p->room, i + 1, sizeof *p->hints, "atoms", err) || read_serial(p, l, i, err)) return -1;
    p->hints[i] = (struct hint){.start = (unsigned char)start};
    p->hints[i].z = read_element(l, &p->hints[i].said);
    return trj_topology_add(b, &atom, err);
}

static int set_elements(struct trj_topology *top, const struct pdb *p, struct trj_error *err) {
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    bool placed = p->aligned && !p->misaligned;
    struct trj_ambiguous_names doubts = {.texts = {.count = 0}};
    int rc = 0;
    for (size_t i = 0; i < top->atoms && !rc; i++) {
        const struct hint *h = &p->hints[i];
        enum trj_element_place place = !placed         ? TRJ_ELEMENT_NO_PLACE
                                       : h->start == 0 ? TRJ_ELEMENT_FIRST_COLUMN
                                                       : TRJ_ELEMENT_SECOND_COLUMN;
        z[i] = h->z; // NOLINT(clang-analyzer-core.NullDereference): a hint was kept for every atom
        if (h->said) continue;
        top->element_from = "name";
        const char *name = trj_topology_text(&top->name, i), *resname = trj_topology_text(&top->resname, i);
        z[i] = (unsigned char)trj_element_by_name(name, resname, place);
        if (!placed) rc = trj_ambiguous_names_add(&doubts, name, resname, z[i], err);
    }
    if (trj_ambiguous_names_finish(&doubts, top, err)) rc = -1;
    if (!rc) rc = trj_topology_set_elements(top, z, err);
    free(z);
    return rc;
}

// A column that is blank in all of a file is none.
static void drop_blank(struct trj_texts *texts) {
    if (texts->count != 1 || *texts->text[0]) return;
    free(texts->id);
    texts->id = NULL;
}

int trj_pdb_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    int got, rc = -1;
    struct pdb p = {.resid = -1};
    bool over = false; // the first model, behind which CONECT stands
    while ((got = trj_lines_next(l, err)) == 1) {
        enum trj_pdb_record record = trj_pdb_record(l);
        if (over && (record == TRJ_PDB_ATOM || record == TRJ_PDB_MODEL)) break;
        if (record == TRJ_PDB_ATOM) {
            if (read_atom(b, &p, l, err)) goto out;
        } else if (!strncmp(l->text, "CONECT", strlen("CONECT"))) {
            if (read_conect(&p, l, err)) goto out;
        } else if (b->top->atoms && (record == TRJ_PDB_MODEL || record == TRJ_PDB_END)) {
            if (strncmp(l->text, "ENDMDL", strlen("ENDMDL"))) break;
            over = true;
        }
    }
    if (got < 0) goto out;
    if (!b->top->atoms) {
        trj_lines_fail(l, err, "the file ends without an ATOM or HETATM record");
        goto out;
    }
    drop_blank(&b->top->segid);
    drop_blank(&b->top->chain);
    if (set_elements(b->top, &p, err) || set_bonds(b, &p, err)) goto out;
    rc = 0;
out:
    free(p.hints);
    free(p.serials);
    free(p.ends);
    return rc;
}
