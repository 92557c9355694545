// SPDX-License-Identifier: MIT
// Writes PDB: a model for each frame, preceded by TITLE (time and step, as GROMACS writes them) and CRYST1.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pdb_records.h"
#include "topology_parts.h"
#include "writer_parts.h"

enum {
    DECIMALS = 3,
    OCCUPANCY = TRJ_PDB_XYZ + 3 * TRJ_PDB_XYZ_WIDTH, // occupancy, which is 1, and temperature factor
    LINE = TRJ_PDB_ELEMENT + 2
};

struct pdb {
    struct {
        char before[TRJ_PDB_XYZ], after[LINE - OCCUPANCY];
    } * atoms; // [atoms]
    bool had_cell;
};

// Returns whether all texts fit into the column of chains: at most one letter.
static bool are_single_letters(const struct trj_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        if (strlen(texts->text[i]) > 1) return false;
    return true;
}

// Returns by how many columns a name is shifted: the element is right-aligned in its first two columns, unless the name
// has four letters.
static size_t name_shift(const char *name, const char *symbol) {
    bool two = strlen(symbol) == 2 && toupper((unsigned char)name[0]) == symbol[0];
    return strlen(name) < 4 && !two;
}

// Fills the line of atom i, but for its coordinates. `chains`, `segments`: texts for the column of chains and for
// columns 73-76; NULL: none. Fails with TRJ_BAD_DATA if a B factor does not fit into its column.
static int fill_line(struct trj_writer *w, size_t i, const struct trj_texts *chains, const struct trj_texts *segments,
                     struct trj_error *err) {
    const struct trj_topology *top = w->setup.top;
    struct pdb *p = w->state;
    size_t row = trj_writer_row(w, i);
    const char *name = trj_writer_name(w, i), *resname = trj_topology_text(&top->resname, row);
    const char *symbol = trj_writer_element(w, i);
    char line[LINE], element[3] = "";
    memset(line, ' ', sizeof line);
    trj_writer_text(w, line, TRJ_PDB_SERIAL, false, "ATOM");
    trj_writer_wrapped(line + TRJ_PDB_SERIAL, 5, (int64_t)i + 1);
    size_t shift = name_shift(name, symbol);
    trj_writer_text(w, line + TRJ_PDB_NAME + shift, 4 - shift, false, name);
    trj_writer_text(w, line + TRJ_PDB_RESNAME, strlen(resname) > 3 ? 4 : 3, true, resname);
    trj_writer_wrapped(line + TRJ_PDB_RESID, 4, top->resid ? top->resid[row] : 0);
    const char insertion = trj_writer_insertion(w, row);
    if (insertion) line[TRJ_PDB_INSERTION] = insertion;
    trj_print_fixed(line + OCCUPANCY, 6, 2, 1);
    double bfactor = w->setup.bfactor ? w->setup.bfactor[i] : 0;
    if (!trj_print_fixed(line + OCCUPANCY + 6, 6, 2, bfactor))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "atom %zu: a B factor of %.6g Angstrom^2 is too large for the column of a pdb (999.99); write a "
            "table",
            i, bfactor);
    if (chains) trj_writer_text(w, line + TRJ_PDB_CHAIN, 1, false, trj_topology_text(chains, row));
    if (segments) trj_writer_text(w, line + TRJ_PDB_SEGID, 4, false, trj_topology_text(segments, row));
    for (size_t k = 0; k < 2 && symbol[k]; k++) element[k] = (char)toupper((unsigned char)symbol[k]);
    trj_writer_text(w, line + TRJ_PDB_ELEMENT, 2, true, element);
    memcpy(p->atoms[i].before, line, TRJ_PDB_XYZ);
    memcpy(p->atoms[i].after, line + OCCUPANCY, LINE - OCCUPANCY);
    return 0;
}

static int pdb_open(struct trj_writer *w, struct trj_error *err) {
    struct pdb *p = w->state = trj_alloc(1, sizeof *p, "a PDB", err);
    if (!p || !(p->atoms = trj_alloc(w->setup.header->atoms, sizeof *p->atoms, "names", err))) return -1;
    // If chains and segments are the same texts, letters go into the column of chains, longer texts into that of
    // segments.
    const struct trj_texts *chains = trj_topology_chains(w->setup.top), *segments = trj_topology_segments(w->setup.top);
    bool letters = are_single_letters(chains);
    if (chains == segments && letters) segments = NULL;
    if (!letters) chains = NULL;
    for (size_t i = 0; i < w->setup.header->atoms; i++)
        if (fill_line(w, i, chains, segments, err)) return -1;
    return 0;
}

// After a frame with a cell, a frame without one gets the unit cube, by which the format states that there is no cell.
static int write_cell(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    struct pdb *p = w->state;
    double length[3] = {1, 1, 1}, cosine[3] = {0, 0, 0};
    char line[54];
    int cell = trj_writer_cell(w, f, err);
    if (cell < 0) return -1;
    if (!cell && !p->had_cell) return 0;
    p->had_cell = true;
    if (cell) trj_cell_shape(&f->cell, length, cosine);
    trj_writer_text(w, line, 6, false, "CRYST1");
    for (int k = 0; k < 3; k++)
        if (!trj_print_fixed(line + 6 + 9 * k, 9, 3, length[k]) ||
            !trj_print_fixed(line + 33 + 7 * k, 7, 2, trj_degrees(cosine[k])))
            return trj_fail(err, TRJ_BAD_DATA,
                            "cell length %c is %g Angstrom, too large for the columns of a pdb; write xyz or trjf",
                            'a' + k, length[k]);
    return trj_output_print(w->out, err, "%.54s P 1           1\n", line);
}

static int pdb_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    const struct pdb *p = w->state;
    char line[LINE + 1], title[TRJ_WRITER_TITLE];
    trj_writer_title(title, f);
    if (trj_output_print(w->out, err, "TITLE     written by %s%s\n", w->setup.program ? w->setup.program : "trjcat",
                         title) ||
        write_cell(w, f, err) || trj_output_print(w->out, err, "MODEL     %4llu\n", (unsigned long long)w->frames + 1))
        return -1;
    line[LINE] = '\n';
    for (size_t i = 0; i < f->atoms; i++) {
        memcpy(line, p->atoms[i].before, TRJ_PDB_XYZ);
        memcpy(line + OCCUPANCY, p->atoms[i].after, LINE - OCCUPANCY);
        for (int k = 0; k < 3; k++)
            if (!trj_print_fixed(line + TRJ_PDB_XYZ + TRJ_PDB_XYZ_WIDTH * k, TRJ_PDB_XYZ_WIDTH, DECIMALS,
                                 (double)f->x[k][i] * f->unit))
                return trj_writer_no_room(w, f, i, err);
        if (trj_output_write(w->out, line, sizeof line, err)) return -1;
    }
    return trj_output_print(w->out, err, "ENDMDL\n");
}

static int pdb_finish(struct trj_writer *w, struct trj_error *err) {
    return trj_output_print(w->out, err, "END\n");
}

static void pdb_close(struct trj_writer *w) {
    struct pdb *p = w->state;
    if (p) free(p->atoms);
}

const struct trj_writer_format trj_writer_pdb = {
    .name = "pdb",
    .help = "one model per frame",
    .endings = {".pdb", ".ent"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .open = pdb_open,
    .write = pdb_write,
    .finish = pdb_finish,
    .close = pdb_close,
};
