// SPDX-License-Identifier: MIT
// Reads the topology of a PDB file: the ATOM and HETATM records of its first model, and CONECT.
// CONECT gives bonded atoms by their serial numbers (columns 7-11). If these overflow the columns or are repeated, they
// do not identify atoms, and no bonds are read.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "element_guess.h"
#include "memory.h"
#include "number.h"
#include "pdb_records.h"
#include "topology_parts.h"

enum { SERIAL_WIDTH = 5 };

// Evidence for the element of an atom, which is evaluated after the last atom.
struct evidence {
    unsigned char start; // first column of the name in its field, 0..3
    unsigned char z;     // of the element column; 0: none
    bool has_element;    // the element column is filled
};

struct pdb {
    struct evidence *evidence;
    struct trj_id *serials;
    size_t capacity, serial_capacity;
    int64_t *ends; // serial numbers, two for each partner in a CONECT
    size_t end_count, end_capacity;
    bool lost;                // some serial numbers overflow their columns
    bool aligned, misaligned; // some names follow, break the rule of columns 13-14
    size_t occupancy_capacity, bfactor_capacity;
    bool has[2];                    // whether any atom has an occupancy, a B factor
    bool has_charge;                // the file is PDBQT: charges in columns 71-76, types of AutoDock in 78-79
    bool hex, stars;                // residue numbers beyond 9999 are hexadecimal, "****"
    int64_t resid;                  // of the previous atom
    size_t blank;                   // atoms without a residue number
    char first_name[5], resname[5]; // of the residue's first atom
};

// Parses hybrid-36, which fills all columns with digits of base 36: A000 is 10000, and a000 follows ZZZZ.
// (R. W. Grosse-Kunstleve, hybrid-36, cctbx)
static bool parse_hybrid36(const char *text, size_t width, int64_t *value) {
    bool lower = islower((unsigned char)text[0]);
    int64_t v = 0, ten = 1, base = 1;
    if (strlen(text) != width) return false;
    for (size_t k = 0; k < width; k++) ten *= 10, base *= k ? 36 : 1;
    for (const char *c = text; *c; c++) {
        bool letter = lower ? islower((unsigned char)*c) : isupper((unsigned char)*c);
        if (!letter && (c == text || !isdigit((unsigned char)*c))) return false;
        v = v * 36 + (letter ? *c - (lower ? 'a' : 'A') + 10 : *c - '0');
    }
    *value = v - 10 * base + ten + (lower ? 26 * base : 0);
    return true;
}

static bool parse_hex(const char *text, int64_t *value) {
    if (strlen(text) != 4 || strspn(text, "0123456789abcdefABCDEF") != 4) return false;
    *value = strtoll(text, NULL, 16);
    return *value > 9999;
}

// Parses columns 23-26. Numbers beyond 9999 are written in hybrid-36 (A000), as hexadecimal numbers (identified by
// 2710 after 9999), or wrap to 0; wrapped numbers are used as stored.
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

// Returns a number for "****". A residue begins where the residue name changes or the name of its first atom is
// repeated; it gets the number after the previous one.
static int64_t count_on(const struct pdb *p, const char *name, const char *resname) {
    if (p->resid < 0) return 10000; // the first that does not fit
    bool same = p->stars && strcmp(name, p->first_name) && !strcmp(resname, p->resname);
    return same ? p->resid : p->resid + 1;
}

static unsigned char read_element(const struct trj_lines *l, bool *has_element) {
    char symbol[3];
    size_t n = trj_lines_field(l, TRJ_PDB_ELEMENT, 2, symbol);
    // Before 1996 these columns held line numbers.
    *has_element = n && isalpha((unsigned char)symbol[0]) && (n == 1 || isalpha((unsigned char)symbol[1]));
    if (!*has_element) return 0;
    if (!strcmp(symbol, "D")) return 1;
    return (unsigned char)trj_element_find(symbol, n);
}

static bool parse_serial(const char *text, int64_t *serial) {
    return trj_parse_i64(text, serial) || parse_hybrid36(text, SERIAL_WIDTH, serial);
}

static int read_serial(struct pdb *p, const struct trj_lines *l, size_t i, struct trj_error *err) {
    char text[SERIAL_WIDTH + 1];
    if (trj_grow(&p->serials, &p->serial_capacity, i + 1, sizeof *p->serials, "atoms", err)) return -1;
    p->serials[i].atom = (uint32_t)i;
    trj_lines_field(l, TRJ_PDB_SERIAL, SERIAL_WIDTH, text);
    bool wide = isdigit((unsigned char)l->text[TRJ_PDB_SERIAL + SERIAL_WIDTH]);
    if (wide || !parse_serial(text, &p->serials[i].id)) p->lost = true;
    return 0;
}

// Reads an atom and up to four partners. The columns after these are hydrogen bonds in old files.
static int read_conect(struct pdb *p, const struct trj_lines *l, struct trj_error *err) {
    char text[SERIAL_WIDTH + 1];
    int64_t first = 0, serial;
    if (l->length > TRJ_PDB_SERIAL && (l->length - TRJ_PDB_SERIAL) % SERIAL_WIDTH && trj_topology_check_newline(l, err))
        return -1;
    for (size_t k = 0; k < 5; k++) {
        if (!trj_lines_field(l, TRJ_PDB_SERIAL + k * SERIAL_WIDTH, SERIAL_WIDTH, text) && k) continue;
        if (!parse_serial(text, &serial)) {
            if (!*text || strspn(text, "*0123456789abcdefABCDEF") != strlen(text))
                return trj_lines_fail(l, err, "CONECT: '%s' is not an atom number", text);
            p->lost = true;
            return 0;
        }
        if (!k) {
            first = serial;
            continue;
        }
        if (trj_grow(&p->ends, &p->end_capacity, p->end_count + 2, sizeof *p->ends, "bonds", err)) return -1;
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

// The file lists each bond for both atoms, and double bonds twice. Bonds to atoms that were removed from the file are
// ignored.
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

static void add_alignment(struct pdb *p, const char *name, unsigned start) {
    size_t n = strlen(name), letters = 0;
    while (isalpha((unsigned char)name[letters])) letters++;
    if (start == 1 && letters) p->aligned = true;
    // Names that break the rule start after the second column, or have a one-letter symbol in the first column,
    // although they are short enough to start in the second.
    if (start > 1 || (start == 0 && n < 4 && letters == 1)) p->misaligned = true;
}

// Reads occupancy and B factor. Values are unknown where the columns contain no number.
static int read_values(struct trj_topology_builder *b, struct pdb *p, const struct trj_lines *l,
                       struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t i = top->atoms;
    if (trj_grow(&top->occupancy, &p->occupancy_capacity, i + 1, sizeof *top->occupancy, "atoms", err) ||
        trj_grow(&top->bfactor, &p->bfactor_capacity, i + 1, sizeof *top->bfactor, "atoms", err))
        return -1;
    trj_pdb_values(l, &top->occupancy[i], &top->bfactor[i]);
    p->has[0] = p->has[0] || !isnan(top->occupancy[i]);
    p->has[1] = p->has[1] || !isnan(top->bfactor[i]);
    return 0;
}

// Reads charge and type of a line of PDBQT (AutoDock 4.2 User Guide, appendix). Returns whether the line has both: in
// PDB, these columns contain the segment, and the element ends in column 78.
static bool read_pdbqt(const struct trj_lines *l, double *charge, char type[3]) {
    enum { GAP = 66, CHARGE = 70, CHARGE_WIDTH = 6, TYPE = 77 };
    char text[CHARGE_WIDTH + 1];
    return l->length > TYPE && strspn(l->text + GAP, " ") >= CHARGE - GAP && l->text[TYPE - 1] == ' ' &&
           trj_lines_field(l, CHARGE, CHARGE_WIDTH, text) && strchr(text, '.') && trj_parse_real(text, charge) &&
           trj_lines_field(l, TYPE, 2, type) && isalpha((unsigned char)*type);
}

// Returns the element of a type of AutoDock: A is aromatic carbon, and NA, OA, SA, HD accept or donate hydrogen bonds.
static unsigned char element_of_type(const char *type) {
    static const char *const known[] = {"A",  "C", "HD", "H", "HS", "H", "NA", "N",
                                        "NS", "N", "OA", "O", "OS", "O", "SA", "S"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k += 2)
        if (!strcmp(type, known[k])) type = known[k + 1];
    return (unsigned char)trj_element_find(type, strlen(type));
}

// Reads what a line of PDBQT has in place of segment and element, if the first atom has it.
static int read_charge(struct trj_topology_builder *b, struct pdb *p, const struct trj_lines *l,
                       struct trj_topology_atom *atom, char type[3], struct trj_error *err) {
    bool has = read_pdbqt(l, &atom->charge, type);
    size_t i = b->top->atoms;
    if (!i) b->has_charge = p->has_charge = has;
    if (!p->has_charge) return 0;
    if (!has)
        return trj_lines_fail(
            l, err, "atom %zu: no charge in columns 71-76 and type in 78-79, which the first atom has", i + 1);
    atom->type = type;
    atom->segid = "";
    return 0;
}

// Removes an array in which no value is known.
static void drop_unknown(double **values, bool known) {
    if (known) return;
    free(*values);
    *values = NULL;
}

static int read_atom(struct trj_topology_builder *b, struct pdb *p, const struct trj_lines *l, struct trj_error *err) {
    size_t i = b->top->atoms;
    char name[5], resname[5], segid[5], resid[6], chain[2], type[3];
    trj_lines_field(l, TRJ_PDB_NAME, 4, name);
    trj_lines_field(l, TRJ_PDB_RESNAME, 4, resname);
    trj_lines_field(l, TRJ_PDB_SEGID, 4, segid);
    trj_lines_field(l, TRJ_PDB_CHAIN, 1, chain);
    char x[3][9]; // not used
    if (trj_pdb_coordinates(l, i + 1, x, err)) return -1;
    if (b->properties && read_values(b, p, l, err)) return -1;
    struct trj_topology_atom atom = {.name = name, .resname = resname, .segid = segid, .chain = chain};
    if (read_charge(b, p, l, &atom, type, err)) return -1;
    char insertion = l->text[TRJ_PDB_INSERTION];
    bool wide = isdigit((unsigned char)insertion); // a fifth digit of the number, since insertion codes are letters
    trj_lines_field(l, TRJ_PDB_RESID, wide ? 5 : 4, resid);
    bool stars = *resid && strspn(resid, "*") == strlen(resid);
    if (!*resid) {
        p->blank++;
    } else if (stars) {
        atom.resid = count_on(p, name, resname);
    } else if (!(wide ? trj_parse_i64(resid, &atom.resid) : parse_resid(p, resid, &atom.resid))) {
        return trj_lines_fail(l, err, "atom %zu: residue number '%s' in columns 23-26 is not a number", i + 1, resid);
    }
    if (!wide && !stars && insertion != ' ') atom.insertion = insertion;
    if (!i || stars != p->stars || atom.resid != p->resid) {
        memcpy(p->first_name, name, sizeof name);
        memcpy(p->resname, resname, sizeof resname);
    }
    p->stars = stars;
    p->resid = atom.resid;
    unsigned start = (unsigned)strspn(l->text + TRJ_PDB_NAME, " ");
    if (*name) add_alignment(p, name, start);
    if (trj_grow(&p->evidence, &p->capacity, i + 1, sizeof *p->evidence, "atoms", err) || read_serial(p, l, i, err))
        return -1;
    p->evidence[i] = (struct evidence){.start = (unsigned char)start};
    if (p->has_charge)
        p->evidence[i] = (struct evidence){.z = element_of_type(type), .has_element = true};
    else
        p->evidence[i].z = read_element(l, &p->evidence[i].has_element);
    return trj_topology_add(b, &atom, err);
}

static int set_elements(struct trj_topology *top, const struct pdb *p, struct trj_error *err) {
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    bool by_column = p->aligned && !p->misaligned;
    struct trj_ambiguous_names ambiguous = {.texts = {.count = 0}};
    int rc = 0;
    for (size_t i = 0; i < top->atoms && !rc; i++) {
        const struct evidence *e = &p->evidence[i];
        enum trj_element_column column = !by_column      ? TRJ_ELEMENT_NO_COLUMN
                                         : e->start == 0 ? TRJ_ELEMENT_FIRST_COLUMN
                                                         : TRJ_ELEMENT_SECOND_COLUMN;
        z[i] = e->z; // NOLINT(clang-analyzer-core.NullDereference): each atom has one
        if (e->has_element) continue;
        top->element_from = "name";
        const char *name = trj_topology_text(&top->name, i), *resname = trj_topology_text(&top->resname, i);
        z[i] = (unsigned char)trj_element_by_name(name, resname, column);
        if (!by_column) rc = trj_ambiguous_names_add(&ambiguous, name, resname, z[i], err);
    }
    if (trj_ambiguous_names_finish(&ambiguous, top, err)) rc = -1;
    if (!rc) rc = trj_topology_set_elements(top, z, err);
    free(z);
    return rc;
}

// Removes a column that is blank in the whole file.
static void drop_blank(struct trj_texts *texts) {
    if (texts->count != 1 || *texts->text[0]) return;
    free(texts->id);
    texts->id = NULL;
}

// Some programs (RASPA) leave the columns of the residue number blank. If all of them are, residues are unknown.
static void drop_blank_resids(struct trj_topology *top, const struct pdb *p) {
    if (!p->blank) return;
    top->note = "some atoms have no residue number, which is read as 0";
    if (p->blank < top->atoms) return;
    top->note = NULL;
    free(top->resid);
    top->resid = NULL;
}

int trj_pdb_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    int got, rc = -1;
    struct pdb p = {.resid = -1};
    bool began = false;
    bool over = false; // the first model has ended; CONECT follows the last one
    while ((got = trj_lines_next(l, err)) == 1) {
        enum trj_pdb_record record = trj_pdb_record(l);
        trj_pdb_began(&began, l, record);
        if (over && (record == TRJ_PDB_ATOM || record == TRJ_PDB_MODEL)) break;
        if (record == TRJ_PDB_ATOM) {
            if (read_atom(b, &p, l, err)) goto out;
        } else if (!strncmp(l->text, "CONECT", strlen("CONECT"))) {
            if (read_conect(&p, l, err)) goto out;
        } else if (b->top->atoms && (record == TRJ_PDB_MODEL || record == TRJ_PDB_END)) {
            if (strncmp(l->text, "ENDMDL", strlen("ENDMDL"))) break;
            over = true;
        } else if (record == TRJ_PDB_OTHER && !over && trj_topology_check_record(b->top, l, began, err)) {
            goto out;
        }
    }
    if (got < 0) goto out;
    if (!b->top->atoms && !began) {
        trj_pdb_fail_foreign(l, b->top->format, err);
        goto out;
    }
    if (!b->top->atoms) {
        trj_lines_fail(l, err, "the file ends without an ATOM or HETATM record");
        goto out;
    }
    drop_blank(&b->top->segid);
    drop_blank(&b->top->chain);
    drop_blank_resids(b->top, &p);
    drop_unknown(&b->top->occupancy, p.has[0]);
    drop_unknown(&b->top->bfactor, p.has[1]);
    if (set_elements(b->top, &p, err) || set_bonds(b, &p, err)) goto out;
    rc = 0;
out:
    free(p.evidence);
    free(p.serials);
    free(p.ends);
    return rc;
}
