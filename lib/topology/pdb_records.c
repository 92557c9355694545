// SPDX-License-Identifier: MIT
// Reads records of PDB files for topologies and trajectories, with the columns that programs really write.
#include "pdb_records.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

bool trj_pdb_begins(const char *head, size_t n) {
    static const char *const records[] = {
        "HEADER", "OBSLTE", "TITLE ", "SPLIT ", "CAVEAT", "COMPND", "SOURCE", "KEYWDS", "EXPDTA", "NUMMDL", "MDLTYP",
        "AUTHOR", "REVDAT", "SPRSDE", "JRNL  ", "REMARK", "DBREF ", "SEQRES", "CRYST1", "ORIGX1", "SCALE1", "MTRIX1",
        "MODEL ", "ATOM  ", "HETATM", "USER  ", "SSBOND", "CONECT", "HELIX ", "SHEET ", "LINK  "};
    while (n && isspace((unsigned char)*head)) head++, n--;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        const char *r = records[i];
        size_t length = strcspn(r, " ");
        // A record name may end its line ("REMARK"), and any number of blanks may follow it.
        if (n > length && !memcmp(head, r, length) && !isalpha((unsigned char)head[length])) return true;
    }
    return false;
}

static bool is_record(const struct trj_lines *l, const char *record) {
    size_t n = strlen(record);
    return l->length >= n && !memcmp(l->text, record, n) &&
           (l->length == n || n == 6 || isspace((unsigned char)l->text[n]));
}

enum trj_pdb_record trj_pdb_record(const struct trj_lines *l) {
    static const struct {
        const char *name;
        enum trj_pdb_record record;
    } records[] = {{"ATOM", TRJ_PDB_ATOM},  {"HETATM", TRJ_PDB_ATOM}, {"MODEL", TRJ_PDB_MODEL},
                   {"ENDMDL", TRJ_PDB_END}, {"END", TRJ_PDB_END},     {"CRYST1", TRJ_PDB_CRYST1},
                   {"TITLE", TRJ_PDB_TITLE}};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (is_record(l, records[i].name)) return records[i].record;
    return TRJ_PDB_OTHER;
}

// Names of records without their last digits, as in ORIGX1. The frequent ones are first. The last ones are not of the
// PDB: CNS, Refmac and AutoDock write them.
static const char *const other_records[] = {
    "TER",    "ANISOU", "CONECT", "REMARK", "SIGATM",  "SIGUIJ",  "HEADER",    "OBSLTE", "SPLIT",  "CAVEAT", "COMPND",
    "SOURCE", "KEYWDS", "EXPDTA", "NUMMDL", "MDLTYP",  "AUTHOR",  "REVDAT",    "SPRSDE", "JRNL",   "DBREF",  "SEQADV",
    "SEQRES", "MODRES", "HET",    "HETNAM", "HETSYN",  "FORMUL",  "HELIX",     "SHEET",  "TURN",   "SSBOND", "LINK",
    "CISPEP", "HYDBND", "SLTBRG", "SITE",   "ORIGX",   "SCALE",   "MTRIX",     "TVECT",  "MASTER", "FTNOTE", "USER",
    "NOTE",   "LINKR",  "ROOT",   "BRANCH", "TORSDOF", "ENDROOT", "ENDBRANCH", "TITLE",  "CRYST"};

static size_t name_length(const struct trj_lines *l) {
    size_t n = 0;
    while (isupper((unsigned char)l->text[n])) n++;
    return n;
}

static size_t count_numbers(const char *text, size_t max_words) {
    size_t numbers = 0;
    float value;
    for (const char *p = text + strspn(text, " \t"); *p && max_words; p += strspn(p, " \t"), max_words--) {
        const char *end = trj_scan_float(p, &value);
        numbers += end && (!*end || trj_is_blank(*end));
        p += strcspn(p, " \t");
    }
    return numbers;
}

// Returns whether a line begins as that of an atom does: the record, a serial number, which may follow without a blank,
// and the atom's name. Other programs' tables of numbers, as Rosetta writes them after the atoms, do not.
static bool begins_as_atom(const struct trj_lines *l) {
    const char *p = l->text + strspn(l->text, " \t");
    while (isalpha((unsigned char)*p)) p++;
    p += strspn(p, " \t");
    size_t serial = strcspn(p, " \t");
    if (memchr(p, '.', serial)) return false;
    p += serial;
    p += strspn(p, " \t");
    for (; *p && !trj_is_blank(*p); p++)
        if (isalpha((unsigned char)*p)) return true;
    return false;
}

enum trj_pdb_other trj_pdb_other(const struct trj_lines *l) {
    enum { FIELDS = 12, ATOM_NUMBERS = 5 }; // an atom has a serial number, a residue number and coordinates
    size_t n = name_length(l);
    float x[3];
    if (!l->text[strspn(l->text, " \t")]) return TRJ_PDB_IGNORE;
    for (size_t i = 0; i < sizeof other_records / sizeof *other_records; i++)
        if (!strncmp(l->text, other_records[i], n) && !other_records[i][n]) return TRJ_PDB_IGNORE;
    bool numbers = trj_pdb_scan(l, x) || count_numbers(l->text, FIELDS) >= ATOM_NUMBERS;
    return numbers && begins_as_atom(l) ? TRJ_PDB_REJECT : TRJ_PDB_NOTE;
}

static int record_length(const struct trj_lines *l) {
    size_t n = strcspn(l->text, " \t");
    return (int)(n < 20 ? n : 20);
}

void trj_pdb_began(bool *began, const struct trj_lines *l, enum trj_pdb_record record) {
    if (!*began)
        *began = record != TRJ_PDB_OTHER || (trj_pdb_other(l) == TRJ_PDB_IGNORE && l->text[strspn(l->text, " \t")]);
}

int trj_pdb_fail_foreign(const struct trj_lines *l, const char *format, struct trj_error *err) {
    return trj_lines_fail(
        l, err,
        "the file is not %s: up to this line it has no record such as CRYST1 or ATOM; give the file the "
        "ending of its format, or convert it to a format that is read",
        format);
}

int trj_pdb_fail_other(const struct trj_lines *l, bool began, const char *format, struct trj_error *err) {
    if (!began && !isupper((unsigned char)*l->text)) return trj_pdb_fail_foreign(l, format, err);
    if (trj_is_blank(*l->text))
        return trj_lines_fail(l, err,
                              "a line of numbers begins with a blank instead of a record; if it is an atom, write ATOM "
                              "or HETATM in columns 1-6, and the serial number from column 7 on, otherwise remove the "
                              "line");
    return trj_lines_fail(l, err,
                          "unknown record '%.*s' with coordinates; if it is an atom, write ATOM or HETATM, and the "
                          "serial number from column 7 on, otherwise remove the line",
                          record_length(l), l->text);
}

void trj_pdb_note_other(const struct trj_lines *l, char note[TRJ_PDB_OTHER_NOTE]) {
    snprintf(note, TRJ_PDB_OTHER_NOTE, "lines of unknown records are ignored, the first of which is line %llu: '%.*s'",
             (unsigned long long)l->number, record_length(l), l->text);
}

bool trj_pdb_scan(const struct trj_lines *l, float x[3]) {
    if (l->length < TRJ_PDB_XYZ + 3 * TRJ_PDB_XYZ_WIDTH) return false;
    for (size_t k = 0; k < 3; k++)
        if (!trj_scan_columns(l->text + TRJ_PDB_XYZ + TRJ_PDB_XYZ_WIDTH * k, TRJ_PDB_XYZ_WIDTH, &x[k])) return false;
    return true;
}

int trj_pdb_coordinates(const struct trj_lines *l, size_t number, char x[3][9], struct trj_error *err) {
    for (size_t k = 0; k < 3; k++) {
        size_t from = TRJ_PDB_XYZ + TRJ_PDB_XYZ_WIDTH * k;
        if (!trj_lines_has_word(l, from, TRJ_PDB_XYZ_WIDTH))
            return trj_lines_fail(l, err, "atom %zu: no coordinate in columns %zu-%zu", number, from + 1,
                                  from + TRJ_PDB_XYZ_WIDTH);
        trj_lines_field(l, from, TRJ_PDB_XYZ_WIDTH, x[k]);
    }
    return 0;
}

static double read_value(const struct trj_lines *l, size_t from) {
    char text[TRJ_PDB_VALUE_WIDTH + 1];
    double value;
    trj_lines_field(l, from, TRJ_PDB_VALUE_WIDTH, text);
    return trj_parse_real(text, &value) ? value : NAN;
}

void trj_pdb_values(const struct trj_lines *l, double *occupancy, double *bfactor) {
    *occupancy = read_value(l, TRJ_PDB_OCCUPANCY);
    *bfactor = read_value(l, TRJ_PDB_BFACTOR);
}

int trj_pdb_cryst1(const struct trj_lines *l, struct trj_cell *cell, struct trj_error *err) {
    static const struct { size_t from, width; } columns[6] = {{6, 9}, {15, 9}, {24, 9}, {33, 7}, {40, 7}, {47, 7}};
    double v[6], cosine[3];
    for (int k = 0; k < 6; k++) {
        char text[10];
        trj_lines_field(l, columns[k].from, columns[k].width, text);
        if (!trj_parse_real(text, &v[k]))
            return trj_lines_fail(l, err,
                                  "CRYST1: '%s' in columns %zu-%zu is not a number; give the cell with trjcat --cell",
                                  text, columns[k].from + 1, columns[k].from + columns[k].width);
    }
    *cell = (struct trj_cell){0};
    if (v[0] == 1 && v[1] == 1 && v[2] == 1 && v[3] == 90 && v[4] == 90 && v[5] == 90) return 0;
    for (int k = 0; k < 3; k++) {
        if (!(v[3 + k] > 0 && v[3 + k] < 180))
            return trj_lines_fail(
                l, err, "CRYST1: angle of %g degrees, expected above 0 and below 180; give the cell with trjcat --cell",
                v[3 + k]);
        cosine[k] = trj_cosine(v[3 + k]);
    }
    if (trj_cell_set(cell, v, cosine, err)) {
        trj_error_set_remedy(err, "give the cell with trjcat --cell");
        return trj_fail_at(err, "line %llu: CRYST1", (unsigned long long)l->number);
    }
    return 0;
}
