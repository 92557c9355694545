// SPDX-License-Identifier: MIT
// Reads PDB and PQR trajectories, which differ only in their atom lines. Each MODEL is a frame; without MODEL, the file
// is one frame. Many files lack the last ENDMDL or END. The end of the file then closes the model if the last line is
// complete and the model before it does not have more atoms. The format assigns a CRYST1 of the head, or between two
// models, to the models that follow. Some programs write it after each model: this is assumed if the first model has
// none before its end and one after it.
//
// In an open system a model may have any number of atoms, including 0, and its end must be in the file, because the
// number of atoms does not show whether the last model is complete.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "pdb_records.h"
#include "pqr_records.h"
#include "text_format.h"

struct pdb {
    struct trj_text text;
    struct trj_cell cell; // the last CRYST1 read
    bool has_cell;
    bool began;                    // a line had a known record
    bool cell_follows;             // each CRYST1 follows its model
    size_t width;                  // width of the preceding ATOM line, without blanks at its end; 0: none
    char note[TRJ_PDB_OTHER_NOTE]; // of a line that is ignored; "": none
};

static const struct trj_identity_layout identity_layout = {
    .parts = 7,
    .part = {{"name", 0, 4, false},
             {"alternate location", 4, 1, false},
             {"residue name", 5, 4, false},
             {"chain", 9, 1, false},
             {"residue number", 10, 5, false},
             {"segment", 15, 4, false},
             {"element", 19, 2, true}}, // old files have line numbers there
    .columns = {{TRJ_PDB_NAME, 15}, {TRJ_PDB_SEGID, 6}},
    .width = 21};

static const struct trj_identity_layout pqr_layout = {
    .parts = 5,
    .part = {
        {.what = "name"}, {.what = "residue name"}, {.what = "chain"}, {.what = "residue number"}, {.what = "charge"}}};

static bool is_pqr(const struct trj_reader *r) {
    return r->format == &trj_format_pqr;
}

// An invalid cell is no error if the user replaces it.
static int read_cell(const struct trj_reader *r, struct trj_error *err) {
    struct pdb *p = r->internals->state;
    p->has_cell = true;
    return !trj_pdb_cryst1(&p->text.lines, &p->cell, err) || trj_reader_ignores_cell(r, &p->cell) ? 0 : -1;
}

// Looks for CRYST1 up to the next model.
static int find_following_cell(const struct trj_reader *r, bool required, struct trj_error *err) {
    struct pdb *p = r->internals->state;
    struct trj_lines *l = &p->text.lines;
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        enum trj_pdb_record record = trj_pdb_record(l);
        if (record == TRJ_PDB_CRYST1) {
            p->cell_follows = true;
            return read_cell(r, err);
        }
        if (record != TRJ_PDB_OTHER && record != TRJ_PDB_END) {
            trj_lines_repeat(l);
            break;
        }
    }
    if (got < 0) return -1;
    return required ? trj_lines_fail(l, err, "no CRYST1 after the model, but the first model has one") : 0;
}

enum { COMPLETE = TRJ_PDB_ELEMENT + 2 }; // width of a line that lacks only the charge, which many atoms do not have

static size_t width_of(const struct trj_lines *l) {
    size_t n = l->length;
    while (n && trj_is_blank(l->text[n - 1])) n--;
    return n;
}

// Returns whether a last line without a newline may have lost significant text: columns of an atom, compared with the
// preceding atom line, or part of a record name.
static bool may_be_truncated(const struct trj_reader *r, enum trj_pdb_record record) {
    static const char *const names[] = {"ATOM", "HETATM", "MODEL", "CRYST1"};
    const struct pdb *p = r->internals->state;
    const struct trj_lines *l = &p->text.lines;
    struct trj_pqr_atom atom;
    struct trj_error ignored;
    if (record == TRJ_PDB_ATOM && is_pqr(r)) return trj_pqr_atom(l, 0, &atom, &ignored); // the last field is the radius
    if (record == TRJ_PDB_ATOM)
        return l->length < TRJ_PDB_XYZ + 3 * TRJ_PDB_XYZ_WIDTH || (l->length < p->width && l->length < COMPLETE);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (l->length && l->length < strlen(names[i]) && !strncmp(l->text, names[i], l->length)) return true;
    return false;
}

// Checks a line of another record than those that are read.
static int check_other(struct trj_reader *r, struct trj_error *err) {
    struct pdb *p = r->internals->state;
    enum trj_pdb_other other = trj_pdb_other(&p->text.lines);
    if (other == TRJ_PDB_REJECT) return trj_pdb_fail_other(&p->text.lines, p->began, r->format->topology, err);
    if (other == TRJ_PDB_NOTE && !*p->note) {
        trj_pdb_note_other(&p->text.lines, p->note);
        r->note = p->note;
        r->note_stays = true;
    }
    return 0;
}

// Reads a model. All lines after the first atom are stored in *raw, so that lines can be numbered. Returns 1, 0 at the
// end, -1.
static int take_model(struct trj_reader *r, struct trj_raw_frame *raw, struct trj_error *err) {
    struct pdb *p = r->internals->state;
    struct trj_lines *l = &p->text.lines;
    bool model = false, atoms = false, head = false, open_system = r->internals->open_system;
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        enum trj_pdb_record record = trj_pdb_record(l);
        trj_pdb_began(&p->began, l, record);
        if (!trj_lines_has_newline(l) && may_be_truncated(r, record))
            return trj_lines_fail(l, err, "the file ends within this line, without a newline: it may be truncated");
        if (record == TRJ_PDB_ATOM) p->width = width_of(l);
        atoms = atoms || record == TRJ_PDB_ATOM;
        raw->rows += record == TRJ_PDB_ATOM;
        if (atoms && record != TRJ_PDB_MODEL && record != TRJ_PDB_END && trj_text_take_line(&p->text, raw, err))
            return -1;
        switch (record) {
        case TRJ_PDB_CRYST1:
            if (read_cell(r, err)) return -1;
            head = true;
            break;
        case TRJ_PDB_TITLE:
            if (!atoms) trj_text_title(l->text, &raw->frame);
            head = true;
            break;
        case TRJ_PDB_MODEL:
            if (atoms || (model && open_system)) {
                trj_lines_repeat(l);
                return 1;
            }
            if (model) return trj_lines_fail(l, err, "a MODEL without atoms before this one");
            model = true;
            break;
        case TRJ_PDB_END:
            if (atoms || (model && open_system)) return 1;
            if (model)
                return trj_lines_fail(l, err,
                                      "a MODEL without atoms; if the number of atoms changes in the simulation, read "
                                      "the file with trjcat --open auto");
            break;
        case TRJ_PDB_OTHER:
            if (check_other(r, err)) return -1;
            break;
        default:
            break;
        }
    }
    if (got < 0) return -1;
    if (atoms && (open_system || r->internals->grows))
        return trj_lines_fail(
            l, err,
            "the file ends in a model, after %zu atoms: it may be truncated; if it is complete, add a "
            "line ENDMDL or END",
            raw->rows);
    if (atoms && raw->rows < r->atoms)
        return trj_lines_fail(l, err, "the file ends in a model, after %zu of %zu atoms: it may be truncated",
                              raw->rows, r->atoms);
    if (atoms) return 1;
    if (model) return trj_lines_fail(l, err, "the file ends after this line, in a MODEL without atoms");
    if (head) return trj_lines_fail(l, err, "the file ends after this line, before a model");
    return p->began || r->internals->grows ? 0 : trj_pdb_fail_foreign(l, r->format->topology, err);
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *raw, struct trj_error *err) {
    struct pdb *p = r->internals->state;
    struct trj_frame *f = &raw->frame;
    uint64_t *end = raw->own;
    *end = 0;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    f->unit = 1;
    int got = take_model(r, raw, err);
    if (got <= 0) return got;
    if (r->internals->open_system && trj_reader_check_open(r, raw->rows, err))
        return trj_fail_at(err, "line %llu", (unsigned long long)p->text.lines.number);
    if (!raw->number ? !p->has_cell && find_following_cell(r, false, err)
                     : p->cell_follows && find_following_cell(r, true, err))
        return -1;
    f->cell = p->cell;
    *end = p->text.lines.number;
    return 1;
}

static int read_number(const struct trj_lines *l, size_t atom, const char *text, float *x, struct trj_error *err) {
    const char *end = trj_scan_float(text, x);
    return end && !*end ? 0 : trj_lines_fail(l, err, "atom %zu: '%s' is not a coordinate", atom, text);
}

static int read_atom(const struct trj_lines *l, size_t atom, float x[3], struct trj_error *err) {
    char text[3][9];
    if (trj_pdb_scan(l, x)) return 0;
    if (trj_pdb_coordinates(l, atom, text, err)) return -1;
    for (int k = 0; k < 3; k++)
        if (read_number(l, atom, text[k], &x[k], err)) return -1;
    return 0;
}

static int read_pqr_atom(const struct trj_reader *r, const struct trj_lines *l, size_t i, float x[3],
                         char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err) {
    struct trj_atom_identity *identity = r->internals->identity;
    struct trj_pqr_atom atom;
    if (trj_pqr_atom(l, i, &atom, err)) return -1;
    for (int k = 0; k < 3; k++)
        if (read_number(l, i, atom.x[k], &x[k], err)) return -1;
    const struct trj_identity_field part[] = {{atom.name, strlen(atom.name)},
                                              {atom.resname, strlen(atom.resname)},
                                              {atom.chain, strlen(atom.chain)},
                                              {atom.resid, strlen(atom.resid)},
                                              {atom.charge, strlen(atom.charge)}};
    size_t parts = identity && identity->charges ? 5 : 4;
    return identity ? trj_atom_identity_words(identity, &pqr_layout, i, part, parts, difference, err) : 0;
}

static int resize_values(struct trj_frame *f, size_t atoms, struct trj_error *err) {
    for (int k = 0; k < TRJ_FRAME_VALUES; k++)
        if (trj_grow(&f->value[k], &f->value_capacity[k], atoms, sizeof *f->value[k], "atoms", err)) return -1;
    return 0;
}

static void put_values(struct trj_frame *f, size_t atom, const struct trj_lines *l) {
    double occupancy, bfactor;
    trj_pdb_values(l, &occupancy, &bfactor);
    f->value[TRJ_FRAME_OCCUPANCY][atom] = (float)occupancy;
    f->value[TRJ_FRAME_BFACTOR][atom] = (float)bfactor;
}

static int pdb_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    const uint64_t *end_line = p->own;
    bool open_system = r->internals->open_system;
    size_t n = open_system || p->rows < r->atoms ? p->rows : r->atoms;
    bool pqr = is_pqr(r), values = r->internals->values && !pqr;
    float x[3];
    if (values && resize_values(&p->frame, n, err)) return -1;
    for (size_t i = 0; i < n;) {
        if (trj_lines_next(&l, err) < 0) return -1;
        if (trj_pdb_record(&l) != TRJ_PDB_ATOM) continue;
        uint32_t picked = trj_text_picked_index(r, i);
        if (pqr && read_pqr_atom(r, &l, i, x, p->difference, err)) return -1;
        if (!pqr && picked != TRJ_NOT_PICKED && read_atom(&l, i, x, err)) return -1;
        if (!pqr && r->internals->identity &&
            trj_atom_identity_columns(r->internals->identity, &identity_layout, i, &l, p->difference, err))
            return -1;
        trj_text_put(&p->frame, picked, x);
        if (values) put_values(&p->frame, i, &l);
        i++;
    }
    if (!*end_line || p->rows == r->atoms || open_system) return 0; // incomplete models are not checked
    l.number = *end_line;
    return trj_lines_fail(&l, err,
                          "%zu atoms, but earlier frames have %zu; if the number of atoms changes in the simulation, "
                          "read the file with trjcat --open auto",
                          p->rows, r->atoms);
}

static bool pdb_is(const unsigned char *head, size_t n) {
    return trj_pdb_is((const char *)head, n);
}

static bool pqr_is(const unsigned char *head, size_t n) {
    return trj_pqr_is((const char *)head, n);
}

static int pdb_open(struct trj_reader *r, struct trj_error *err) {
    snprintf(r->dialect, sizeof r->dialect, is_pqr(r) ? "PQR" : "PDB");
    return trj_text_open(r, sizeof(struct pdb), read_raw_frame, err);
}

static int pdb_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = pdb_is,
    .open = pdb_open,
    .read_raw = pdb_read_raw,
    .decode = pdb_decode,
    .frame_topology = trj_text_frame_topology,
    .own = sizeof(uint64_t), // number of the last line of the model; 0: its end was not found
    .close = trj_text_close,
};

const struct trj_format trj_format_pdb = {
    .name = "pdb",
    .help = "PDB, one model or many, with CRYST1",
    .endings = {".pdb", ".ent"},
    .topology = "PDB",
    .ops = &ops,
};

static const struct trj_format_ops pqr_ops = {
    .is = pqr_is,
    .open = pdb_open,
    .read_raw = pdb_read_raw,
    .decode = pdb_decode,
    .frame_topology = trj_text_frame_topology,
    .own = sizeof(uint64_t),
    .close = trj_text_close,
};

const struct trj_format trj_format_pqr = {
    .name = "pqr",
    .help = "PQR, like PDB with charges and radii",
    .endings = {".pqr"},
    .topology = "PQR",
    .ops = &pqr_ops,
};
