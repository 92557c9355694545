// SPDX-License-Identifier: MIT
// Writes mmCIF: a block with the cell, and a table of atoms with a model for each frame. The file has one cell.
// Coordinates are the shortest decimal numbers that read as the same float32, or have the number of decimals that the
// user requested.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_basis.h"
#include "lines.h"
#include "memory.h"
#include "topology_parts.h"
#include "writer_parts.h"

enum { MAX_WIDTH = 48, MAX_TEXT = 64 }; // of a coordinate and a name; longer names are shortened

struct mmcif {
    char **before, **after; // [atoms] the row before and after its coordinates, without the model
    struct trj_cell cell;   // of the first frame
};

static const char head[] = "loop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n"
                           "_atom_site.label_atom_id\n_atom_site.label_alt_id\n_atom_site.label_comp_id\n"
                           "_atom_site.label_asym_id\n_atom_site.label_entity_id\n_atom_site.label_seq_id\n"
                           "_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
                           "_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n"
                           "_atom_site.auth_seq_id\n_atom_site.auth_comp_id\n_atom_site.auth_asym_id\n"
                           "_atom_site.auth_atom_id\n_atom_site.pdbx_PDB_model_num\n";

struct row {
    char text[8 * (MAX_TEXT + 3)];
    size_t n;
};

// Appends a text without quotes, and a blank before it.
static void append(struct row *r, const char *text) {
    r->n += (size_t)snprintf(r->text + r->n, sizeof r->text - r->n, " %s", text);
}

// Appends a name as a value: in quotes if it could be taken for something else.
static void append_name(struct row *r, const char *name) {
    size_t n = strnlen(name, MAX_TEXT);
    bool plain = !strchr("_#$'\"[];?.", *name);
    for (size_t i = 0; i < n; i++) plain = plain && !trj_is_blank(name[i]);
    if (plain && strchr("dDlLsSgG", *name)) plain = !memchr(name, '_', n); // data_, loop_
    const char *quote = plain ? "" : memchr(name, '"', n) ? "'" : "\"";
    r->n += (size_t)snprintf(r->text + r->n, sizeof r->text - r->n, " %s%.*s%s", quote, (int)n, name, quote);
}

// Appends a text, or else another one.
static void append_or(struct row *r, const char *name, const char *otherwise) {
    if (*name)
        append_name(r, name);
    else
        append(r, otherwise);
}

static int fill_row(struct trj_writer *w, size_t i, struct trj_error *err) {
    const struct trj_topology *top = w->setup.top;
    struct mmcif *m = w->state;
    struct row before = {.n = 0}, after = {.n = 0};
    size_t row = trj_writer_row(w, i);
    const char *name = trj_writer_name(w, i), *resname = trj_topology_text(&top->resname, row);
    const char *chain = trj_topology_text(trj_topology_chains(top), row);
    const char insertion[2] = {top->insertion ? top->insertion[row] : (char)0};
    char resid[32], number[32], bfactor[64];
    snprintf(number, sizeof number, "%zu", i + 1);
    snprintf(resid, sizeof resid, "%lld", top->resid ? (long long)top->resid[row] : 1);
    snprintf(bfactor, sizeof bfactor, "%.2f", w->setup.bfactor ? w->setup.bfactor[i] : 0);
    before.n = (size_t)snprintf(before.text, sizeof before.text, "ATOM %s", number);
    append_or(&before, trj_writer_element(w, i), "?");
    append_or(&before, name, "?");
    append(&before, ".");
    append_or(&before, resname, "UNK");
    append_or(&before, chain, "A");
    append(&before, "1");
    append(&before, resid);
    append_or(&before, insertion, "?");
    append(&after, "1");
    append(&after, bfactor);
    append(&after, resid);
    append_or(&after, resname, "UNK");
    append_or(&after, chain, "A");
    append_or(&after, name, "?");
    m->before[i] = trj_copy_text(before.text, err);
    m->after[i] = trj_copy_text(after.text, err);
    return m->before[i] && m->after[i] ? 0 : -1;
}

static int mmcif_open(struct trj_writer *w, struct trj_error *err) {
    size_t atoms = w->setup.header->atoms;
    struct mmcif *m = w->state = trj_alloc(1, sizeof *m, "an mmCIF", err);
    if (!m || !(m->before = trj_alloc(atoms, sizeof *m->before, "names", err)) ||
        !(m->after = trj_alloc(atoms, sizeof *m->after, "names", err)))
        return -1;
    for (size_t i = 0; i < atoms; i++)
        if (fill_row(w, i, err)) return -1;
    return 0;
}

static int write_head(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    static const char *const lengths = "abc", *const angles[3] = {"alpha", "beta", "gamma"};
    struct mmcif *m = w->state;
    char number[TRJ_DECIMAL_CAPACITY];
    double length[3], cosine[3];
    int cell = trj_writer_cell(w, f, err);
    if (cell < 0) return -1;
    m->cell = f->cell;
    if (trj_output_print(w->out, err, "data_%s\n#\n", w->setup.program ? w->setup.program : "trjcat")) return -1;
    if (cell) trj_cell_shape(&f->cell, length, cosine);
    for (int k = 0; cell && k < 3; k++) {
        int n = (int)trj_print_real(number, length[k]);
        if (trj_output_print(w->out, err, "_cell.length_%c %.*s\n", lengths[k], n, number)) return -1;
    }
    for (int k = 0; cell && k < 3; k++) {
        int n = (int)trj_print_real(number, trj_degrees(cosine[k]));
        if (trj_output_print(w->out, err, "_cell.angle_%s %.*s\n", angles[k], n, number)) return -1;
    }
    return trj_output_print(w->out, err, "%s%s", cell ? "#\n" : "", head);
}

static size_t print_fixed(char *to, unsigned decimals, float v) {
    char text[MAX_WIDTH + 16];
    size_t width = 8 + decimals; // enough for most
    while (!trj_print_fixed(text, width, decimals, (double)v)) width += 8;
    size_t blanks = strspn(text, " ");
    memcpy(to, text + blanks, width - blanks);
    return width - blanks;
}

static int write_row(struct trj_writer *w, const struct trj_frame *f, size_t i, struct trj_error *err) {
    const struct mmcif *m = w->state;
    char x[3 * (MAX_WIDTH + 17) + 1];
    size_t n = 0;
    for (int k = 0; k < 3; k++) {
        float v = (float)((double)f->x[k][i] * f->unit);
        x[n++] = ' ';
        n += w->setup.decimals ? print_fixed(x + n, w->setup.decimals, v) : trj_print_float(x + n, v);
    }
    return trj_output_write(w->out, m->before[i], strlen(m->before[i]), err) || trj_output_write(w->out, x, n, err) ||
                   trj_output_write(w->out, m->after[i], strlen(m->after[i]), err)
               ? -1
               : 0;
}

static int mmcif_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    const struct mmcif *m = w->state;
    char model[32];
    if (!w->frames && write_head(w, f, err)) return -1;
    bool other = f->cell.periodic && !trj_basis_same_vectors(&m->cell, &f->cell);
    if (other || m->cell.periodic != f->cell.periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the cell changes, but mmCIF has one cell for all models; select one frame with --frames, or "
                        "write pdb or xyz");
    size_t n = (size_t)snprintf(model, sizeof model, " %llu\n", (unsigned long long)w->frames + 1);
    for (size_t i = 0; i < f->atoms; i++)
        if (write_row(w, f, i, err) || trj_output_write(w->out, model, n, err)) return -1;
    return 0;
}

static int mmcif_finish(struct trj_writer *w, struct trj_error *err) {
    return trj_output_print(w->out, err, "#\n");
}

static void mmcif_close(struct trj_writer *w) {
    struct mmcif *m = w->state;
    for (size_t i = 0; m && i < w->setup.header->atoms; i++) {
        if (m->before) free(m->before[i]);
        if (m->after) free(m->after[i]);
    }
    if (m) free(m->before);
    if (m) free(m->after);
}

const struct trj_writer_format trj_writer_mmcif = {
    .name = "mmcif",
    .help = "PDBx, one model per frame",
    .endings = {".cif", ".mmcif", ".pdbx"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .decimals = true,
    .open = mmcif_open,
    .write = mmcif_write,
    .finish = mmcif_finish,
    .close = mmcif_close,
};
