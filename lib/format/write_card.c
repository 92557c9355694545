// SPDX-License-Identifier: MIT
// Writes CHARMM coordinates in CARD format (card_records.h), one frame: in normal columns, or in extended ones if a
// name, a number or a coordinate requires them, as CHARMM does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "topology_parts.h"
#include "writer_parts.h"

enum {
    EXTENDED_ATOMS = 100000, // CHARMM expects extended columns from this number of atoms on
    MAX_LINE = 160           // bytes of a line
};

struct columns {
    size_t number, text, gap, real;
    unsigned decimals;
};
static const struct columns normal = {5, 4, 1, 10, 5}, extended = {10, 8, 2, 20, 10};

// The texts of an atom.
struct texts {
    const char *resname, *name, *segid;
    char resid[24];
};

struct card {
    bool wide;         // texts or numbers require extended columns
    uint32_t *residue; // [atoms] running numbers, from 1
};

static struct texts texts_of(struct trj_writer *w, size_t atom) {
    const struct trj_topology *top = w->setup.top;
    size_t row = trj_writer_row(w, atom);
    struct texts t = {.resname = trj_topology_text(&top->resname, row),
                      .name = trj_writer_name(w, atom),
                      .segid = trj_topology_text(trj_topology_segments(top), row)};
    const char insertion[2] = {trj_writer_insertion(w, row)};
    snprintf(t.resid, sizeof t.resid, "%lld%s", top->resid ? (long long)top->resid[row] : 1, insertion);
    return t;
}

static int card_open(struct trj_writer *w, struct trj_error *err) {
    size_t atoms = w->setup.header->atoms;
    const uint32_t *residue = w->setup.top->residue;
    struct card *c = w->state = trj_alloc(1, sizeof *c, "a CARD", err);
    if (!c || !(c->residue = trj_alloc(atoms, sizeof *c->residue, "residues", err))) return -1;
    c->wide = atoms >= EXTENDED_ATOMS;
    for (size_t i = 0; i < atoms; i++) {
        const struct texts t = texts_of(w, i);
        bool same = i && (!residue || residue[trj_writer_row(w, i)] == residue[trj_writer_row(w, i - 1)]);
        c->residue[i] = i ? c->residue[i - 1] + !same : 1;
        c->wide = c->wide || strlen(t.resname) > normal.text || strlen(t.name) > normal.text ||
                  strlen(t.segid) > normal.text || strlen(t.resid) > normal.text;
    }
    return 0;
}

// Prints a number in its columns. Its tenth decimal is 0, below the precision of float32.
static bool print_real(char *to, const struct columns *c, double v) {
    unsigned decimals = c->decimals < TRJ_FIXED_DECIMALS_MAX ? c->decimals : TRJ_FIXED_DECIMALS_MAX;
    size_t width = c->real - (c->decimals - decimals);
    memset(to + width, '0', c->real - width);
    return trj_print_fixed(to, width, decimals, v);
}

// Returns a coordinate in Å as float32, as the other formats in Å contain it.
static double coordinate(const struct trj_frame *f, int axis, size_t atom) {
    return (double)(float)((double)f->x[axis][atom] * f->unit);
}

static bool fits(const struct trj_frame *f, const struct columns *c) {
    char text[MAX_LINE];
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < f->atoms; i++)
            if (!print_real(text, c, coordinate(f, k, i))) return false;
    return true;
}

static void put_text(struct trj_writer *w, char **to, const struct columns *c, const char *text) {
    memset(*to, ' ', c->gap);
    trj_writer_text(w, *to + c->gap, c->text, false, text);
    *to += c->gap + c->text;
}

static int write_atom(struct trj_writer *w, const struct trj_frame *f, const struct columns *c, size_t i,
                      struct trj_error *err) {
    const struct card *s = w->state;
    const struct texts t = texts_of(w, i);
    char line[MAX_LINE], *to = line;
    trj_writer_wrapped(to, c->number, (int64_t)i + 1);
    trj_writer_wrapped(to + c->number, c->number, s->residue[i]);
    to += 2 * c->number;
    put_text(w, &to, c, t.resname);
    put_text(w, &to, c, t.name);
    for (int k = 0; k < 3; k++, to += c->real)
        if (!print_real(to, c, coordinate(f, k, i))) return trj_writer_no_room(w, f, i, err);
    put_text(w, &to, c, t.segid);
    put_text(w, &to, c, t.resid);
    print_real(to, c, 0); // the weight
    to[c->real] = '\n';
    return trj_output_write(w->out, line, (size_t)(to - line) + c->real + 1, err);
}

static int card_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    const struct card *s = w->state;
    char title[TRJ_WRITER_TITLE];
    if (w->frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "a CARD file contains one frame; select it with --frames, or write dcd or xyz");
    if (f->cell.periodic) trj_writer_note(w, "the cell is not written, because CARD cannot store it");
    const struct columns *c = s->wide || !fits(f, &normal) ? &extended : &normal;
    trj_writer_title(title, f);
    if (trj_output_print(w->out, err, "* written by %s%s\n*\n%*zu%s\n", w->setup.program ? w->setup.program : "trjcat",
                         title, (int)c->number, f->atoms, c == &extended ? "  EXT" : ""))
        return -1;
    for (size_t i = 0; i < f->atoms; i++)
        if (write_atom(w, f, c, i, err)) return -1;
    return 0;
}

static void card_close(struct trj_writer *w) {
    struct card *c = w->state;
    if (c) free(c->residue);
}

const struct trj_writer_format trj_writer_card = {
    .name = "card",
    .help = "CHARMM coordinates, one frame",
    .endings = {".cor", ".crd", ".card"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .open = card_open,
    .write = card_write,
    .close = card_close,
};
