// SPDX-License-Identifier: MIT
// Reads reference coordinates, and finds the atoms of a selection in them by their order.
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom_pairs.h"
#include "memory.h"
#include "reader.h"
#include "topology.h"

// Sets rows[count] to the atoms of the file that correspond to a selection.
static int match(uint32_t *rows, const struct obs_system *s, const struct obs_selection *one, size_t atoms_of_file,
                 struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    size_t atoms = h->atoms - h->centres;
    if (atoms_of_file != h->source_atoms && atoms_of_file != atoms && atoms_of_file != one->count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%zu atoms, but the trajectory has %zu, the stream %zu, and '%s' selects %zu; give a structure "
                        "of one of these sets of atoms",
                        atoms_of_file, h->source_atoms, atoms, one->text, one->count);
    for (size_t i = 0; i < one->count; i++) {
        uint32_t atom = one->atoms[i];
        if (atom >= atoms) return trj_fail(err, TRJ_USAGE, "'%s' contains centres, which a file lacks", one->text);
        bool all = atoms_of_file == h->source_atoms;
        rows[i] = all ? h->number ? h->number[atom] : atom : atoms_of_file == atoms ? atom : (uint32_t)i;
    }
    return 0;
}

// Fails if a boundary of the file's cell breaks a bond that connects atoms of the selection. Bonds through other atoms
// cannot be verified in a file that lacks these.
static int verify_bonds(const struct obs_system *s, const struct obs_selection *one, const struct trj_frame *f,
                        const uint32_t *rows, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    struct trj_lattice l;
    size_t edges = 0;
    if (!f->cell.periodic || !one->edges) return 0;
    bool selected_alone = f->atoms != h->source_atoms && f->atoms != h->atoms - h->centres;
    double(*x)[3] = trj_alloc(h->atoms, sizeof *x, "a reference", err);
    uint32_t *edge = trj_alloc(one->edges, sizeof *edge, "bonds", err);
    int rc = x && edge ? trj_lattice_make(&l, &f->cell, err) : -1;
    for (size_t i = 0; !rc && i < h->atoms; i++) x[i][0] = NAN;
    for (size_t i = 0; !rc && !selected_alone && i < h->atoms - h->centres; i++) {
        size_t row = f->atoms == h->source_atoms && h->number ? h->number[i] : i;
        for (int k = 0; k < 3; k++) x[i][k] = (double)f->x[k][row] * f->unit;
    }
    for (size_t i = 0; !rc && selected_alone && i < one->count; i++)
        for (int k = 0; k < 3; k++) x[one->atoms[i]][k] = (double)f->x[k][rows[i]] * f->unit;
    for (size_t i = 0; !rc && i < one->edges; i++)
        if (!isnan(x[s->tree.order[one->edge[i]]][0]) && !isnan(x[s->tree.reference[one->edge[i]]][0]))
            edge[edges++] = one->edge[i];
    if (!rc) rc = trj_whole_check(&s->tree, edge, edges, &l, x, err);
    free(x);
    free(edge);
    return rc;
}

static int read_rows(double (*x)[3], struct trj_cell *cell, struct trj_reader *r, const struct obs_system *s,
                     const struct obs_selection *one, const uint32_t *rows, uint64_t frame, struct trj_error *err) {
    size_t count = one->count;
    struct trj_frame f = {.atoms = 0};
    uint64_t passed;
    int got = trj_reader_advance(r, frame, &passed, err) ? -1 : passed < frame ? 0 : trj_reader_read(r, &f, err);
    if (!got && !passed) trj_fail(err, TRJ_BAD_DATA, "contains no frame; give a structure");
    if (!got && passed)
        trj_fail(err, TRJ_BAD_DATA, "contains %llu frames, of which %llu is not one; they are counted from 0",
                 (unsigned long long)passed, (unsigned long long)frame);
    for (size_t i = 0; got > 0 && i < count; i++) {
        if (trj_frame_check_far(&f, rows[i], err)) got = -1;
        for (int k = 0; k < 3; k++) x[i][k] = (double)f.x[k][rows[i]] * f.unit;
    }
    if (got > 0 && verify_bonds(s, one, &f, rows, err)) {
        if (err->status == TRJ_BAD_DATA) trj_error_append(err, ": trjcat -t TOPOLOGY --whole REFERENCE -o whole.pdb");
        trj_fail_at(err, "%s", trj_input_name(r->in));
        got = -1;
    }
    if (cell) *cell = f.cell;
    trj_frame_free(&f);
    return got > 0 ? 0 : -1;
}

// Opens a structure, and the names that it contains, if any.
static int open_file(struct trj_reader **r, struct trj_topology **names, const char *path, size_t atoms,
                     struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_error why;
    if (trj_input_open(&in, path, err)) return -1;
    const struct trj_format *format = trj_format_of(in, err);
    const struct trj_topology_options options = {.format = format ? format->topology : NULL};
    if (options.format && trj_topology_open_first(names, in, &options, &why, err)) {
        trj_input_close(in);
        return -1;
    }
    return trj_reader_open_input(r, in, NULL, atoms, err);
}

// Without names, the order of the atoms cannot be verified.
static void note_order(struct obs_system *s, const char *path, const struct trj_topology *names) {
    char line[400];
    if (!s->note || s->noted_order) return;
    s->noted_order = true;
    snprintf(line, sizeof line, "%.200s: note: the order of its atoms is not verified, because %s; %s", path,
             names ? "the stream contains no names of atoms" : "no names of its atoms are known",
             names ? "write them: trjcat -t FILE --carry name" : "give a structure that has them, such as PDB or GRO");
    s->note(line);
}

int obs_reference_read(double (**x)[3], struct trj_cell *cell, struct obs_system *s, size_t selection, const char *path,
                       uint64_t frame, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[selection];
    struct trj_topology *names = NULL;
    struct trj_reader *r = NULL;
    uint32_t *rows = NULL;
    int rc = -1;
    *x = NULL;
    if (!strcmp(path, "-"))
        return trj_fail(err, TRJ_USAGE,
                        "a reference is read several times, which standard input cannot be; give a file");
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; a reference requires fixed ones",
                        one->text);
    if (open_file(&r, &names, path, s->header->source_atoms, err)) goto out;
    if (!(rows = trj_alloc(one->count, sizeof *rows, "atoms", err)) ||
        !(*x = trj_alloc(one->count, sizeof **x, "a reference", err)))
        goto out;
    if (match(rows, s, one, r->atoms, err) ||
        (names && trj_atom_pairs_check(names, rows, &s->scope.names, one->atoms, one->count, err))) {
        trj_fail_at(err, "%s", path);
        goto out;
    }
    if (!names || !s->scope.names.name.id) note_order(s, path, names);
    rc = read_rows(*x, cell, r, s, one, rows, frame, err);
out:
    free(rows);
    trj_topology_close(names);
    trj_reader_close(r);
    return rc;
}

int obs_reference_open(struct obs_reference *r, struct obs_system *s, size_t selection, const char *path,
                       uint64_t frame, bool by_mass, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[selection];
    const double *mass;
    r->selection = selection;
    r->count = one->count;
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones", one->text);
    if (obs_system_need_whole(s, selection, err)) return -1;
    if (by_mass) {
        if (obs_system_need_property(s, "mass", selection, &mass, err)) return -1;
        if (!(r->weight = trj_alloc(r->count, sizeof *r->weight, "masses", err))) return -1;
        for (size_t i = 0; i < r->count; i++) r->weight[i] = mass[one->atoms[i]];
    }
    return path ? obs_reference_read(&r->x, NULL, s, selection, path, frame, err) : 0;
}

int obs_reference_check_superposition(const struct obs_reference *r, const struct obs_system *s, const char *remedy,
                                      struct trj_error *err) {
    if (r->count >= TRJ_SUPERPOSE_MIN) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "'%s' selects %zu atom%s, for which the best rotation is not unique; select at least %d atoms that "
                    "do not lie on a line, or %s",
                    s->selection[r->selection].text, r->count, r->count == 1 ? "" : "s", TRJ_SUPERPOSE_MIN, remedy);
}

int obs_reference_begin(struct obs_reference *r, struct obs_view *v, struct trj_error *err) {
    const struct obs_positions *p;
    if (r->x) return 0;
    if (obs_view_whole(v, r->selection, false, &p, err) ||
        !(r->x = trj_alloc(r->count, sizeof *r->x, "a reference", err)))
        return -1;
    memcpy(r->x, p->x, r->count * sizeof *r->x);
    return 0;
}

int obs_reference_superpose(const struct obs_reference *r, struct obs_view *v, struct trj_superposition *best,
                            struct trj_error *err) {
    const struct obs_positions *p;
    if (obs_view_whole(v, r->selection, false, &p, err)) return -1;
    return trj_superpose(best, r->x, p->x, r->weight, r->count, err);
}

void obs_reference_free(struct obs_reference *r) {
    free(r->x);
    free(r->weight);
}
