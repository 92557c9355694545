// SPDX-License-Identifier: MIT
// PDB trajectories: a frame for each MODEL, or the one that is there without. What a cell belongs to differs: CRYST1 of the
// head or between two models is for the models that follow (as the format has it), unless the first model has none before
// its end and one behind it: then it stands behind each.
#include <math.h>
#include <stdio.h>

#include "number.h"
#include "pdb_records.h"
#include "text.h"

struct pdb {
    struct trj_text text;
    struct trj_cell cell; // the last that was met
    bool has_cell;
    bool behind; // cells stand behind their models
};

static int read_cell(struct pdb *p, struct trj_error *err) {
    p->has_cell = true;
    return trj_pdb_cryst1(&p->text.lines, &p->cell, err);
}

static int read_atom(struct pdb *p, struct trj_error *err) {
    struct trj_text *t = &p->text;
    char text[3][9];
    float x[3];
    if (trj_pdb_coordinates(&t->lines, t->atoms, text, err)) return -1;
    for (int k = 0; k < 3; k++) {
        const char *end = trj_scan_float(text[k], &x[k]);
        if (!end || *end) return trj_lines_bad(&t->lines, err, "atom %zu: '%s' is not a coordinate", t->atoms, text[k]);
    }
    return trj_text_add(t, x, err);
}

// Looks for CRYST1 up to the next model.
static int look_behind(struct pdb *p, bool must, struct trj_error *err) {
    struct trj_lines *l = &p->text.lines;
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        enum trj_pdb_record record = trj_pdb_record(l);
        if (record == TRJ_PDB_CRYST1) {
            p->behind = true;
            return read_cell(p, err);
        }
        if (record != TRJ_PDB_OTHER && record != TRJ_PDB_END) {
            trj_lines_again(l);
            break;
        }
    }
    if (got < 0) return -1;
    return must ? trj_lines_bad(l, err, "no CRYST1 behind the model, while there is one behind the first") : 0;
}

// One model; its atoms are read if f is not NULL.
static int pass_model(struct pdb *p, struct trj_frame *f, struct trj_error *err) {
    struct trj_lines *l = &p->text.lines;
    bool model = false, atoms = false, head = false;
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        switch (trj_pdb_record(l)) {
        case TRJ_PDB_ATOM:
            if (f && read_atom(p, err)) return -1;
            atoms = true;
            break;
        case TRJ_PDB_CRYST1:
            if (read_cell(p, err)) return -1;
            head = true;
            break;
        case TRJ_PDB_TITLE:
            if (f && !atoms) trj_text_title(l->text, f);
            head = true;
            break;
        case TRJ_PDB_MODEL:
            if (atoms) trj_lines_again(l);
            if (atoms) return 1;
            if (model) return trj_lines_bad(l, err, "a MODEL without atoms before this one");
            model = true;
            break;
        case TRJ_PDB_END:
            if (atoms) return 1;
            if (model) return trj_lines_bad(l, err, "a MODEL without atoms");
            break;
        default:
            break;
        }
    }
    if (got < 0) return -1;
    if (atoms || model)
        return trj_lines_bad(l, err,
                             "the file ends in a model that neither ENDMDL nor END closes: it may have been cut");
    if (head) return trj_lines_bad(l, err, "the file ends behind this line, before a model");
    if (l->number && !trj_input_line_ended(l->in) && trj_pdb_record(l) != TRJ_PDB_END)
        return trj_lines_bad(l, err, "the file ends within this line: it may have been cut");
    return 0;
}

static int read_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct pdb *p = r->state;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    f->unit = 1;
    int got = pass_model(p, f, err);
    if (got <= 0) return got;
    if (!r->next ? !p->has_cell && look_behind(p, false, err) : p->behind && look_behind(p, true, err)) return -1;
    f->cell = p->cell;
    return trj_text_finish(r, f, NULL, err);
}

static int pass_frame(struct trj_reader *r, struct trj_error *err) {
    struct pdb *p = r->state;
    int got = pass_model(p, NULL, err);
    if (got <= 0) return got;
    return p->behind && look_behind(p, true, err) ? -1 : 1;
}

static bool pdb_is(const unsigned char *head, size_t n) {
    return trj_pdb_is((const char *)head, n);
}

static int pdb_open(struct trj_reader *r, struct trj_error *err) {
    snprintf(r->dialect, sizeof r->dialect, "PDB");
    return trj_text_open(r, sizeof(struct pdb), read_frame, err);
}

static int pdb_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    return trj_text_read(r, f, read_frame, err);
}

static int pdb_skip(struct trj_reader *r, struct trj_error *err) {
    return trj_text_skip(r, pass_frame, err);
}

const struct trj_format trj_format_pdb = {
    .name = "pdb",
    .help = "PDB, one model or many, with CRYST1",
    .endings = {".pdb", ".ent"},
    .topology = "PDB",
    .is = pdb_is,
    .open = pdb_open,
    .read = pdb_read,
    .skip = pdb_skip,
    .close = trj_text_close,
};
