// SPDX-License-Identifier: MIT
// Writes POSCAR, one frame, with velocities if the frames have them; and XDATCAR, whose head is repeated where the cell
// changes. Both contain fractional positions. Atoms keep their order: each run of atoms of one element is a species.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_basis.h"
#include "memory.h"
#include "topology_parts.h"
#include "writer_parts.h"

enum { KINDS = 128 }; // largest number of elements and other names that the note counts
enum { FRACTION = 9, WIDTH = 14 };

struct vasp {
    char *species;        // the two lines with names and numbers of atoms
    struct trj_cell cell; // of the head written last
};

static bool is_poscar(const struct trj_writer *w) {
    return w->format == &trj_writer_poscar;
}

static const char *species_of(const struct trj_writer *w, size_t atom) {
    const char *element = trj_writer_element(w, atom);
    return *element ? element : trj_writer_name(w, atom);
}

// VASP and other programs take each name as an element, which begins with a letter.
static int check_species(const char *name, size_t atom, struct trj_error *err) {
    size_t n = 0;
    while ((name[n] >= 'A' && name[n] <= 'Z') || (name[n] >= 'a' && name[n] <= 'z')) n++;
    if (n && !name[n]) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %zu has no known element, and its name %.20s cannot be one; give a topology with elements "
                    "with -t, or select atoms with -g",
                    atom, name);
}

// Makes the lines of the species.
static int set_species(struct trj_writer *w, struct trj_error *err) {
    struct vasp *v = w->state;
    size_t atoms = w->setup.header->atoms, runs = 0, kinds = 0, names = 0, counts = 0, capacity = 0, other = 0;
    const char *known[KINDS];
    char *line = NULL, word[64];
    int rc = 0;
    for (size_t i = 0, from = 0; i < atoms && !rc; from = i) {
        const char *name = species_of(w, i);
        if ((rc = check_species(name, i, err))) break;
        while (i < atoms && !strcmp(species_of(w, i), name)) i++;
        size_t k = 0;
        while (k < kinds && strcmp(known[k], name) != 0) k++;
        if (k == kinds && kinds < KINDS) known[kinds++] = name;
        runs++;
        int n = snprintf(word, sizeof word, " %.40s", name);
        rc = trj_grow(&v->species, &capacity, names + (size_t)n + 1, 1, "names", err);
        if (!rc) memcpy(v->species + names, word, (size_t)n + 1);
        names += (size_t)n;
        n = snprintf(word, sizeof word, " %zu", i - from);
        if (!rc) rc = trj_grow(&line, &other, counts + (size_t)n + 1, 1, "numbers", err);
        if (!rc) memcpy(line + counts, word, (size_t)n + 1);
        counts += (size_t)n;
    }
    if (!rc) rc = trj_grow(&v->species, &capacity, names + counts + 3, 1, "names", err);
    if (!rc) snprintf(v->species + names, counts + 3, "\n%s\n", line);
    free(line);
    if (!rc && runs > kinds)
        trj_writer_note(w,
                        "the atoms of one element are not consecutive: %zu species are written for %zu elements, and "
                        "VASP requires as many potentials in POTCAR",
                        runs, kinds);
    return rc ? -1 : 0;
}

static int vasp_open(struct trj_writer *w, struct trj_error *err) {
    if (trj_writer_check_velocities(w, err)) return -1;
    return (w->state = trj_alloc(1, sizeof(struct vasp), "a writer", err)) ? set_species(w, err) : -1;
}

static int write_head(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    struct vasp *v = w->state;
    char number[TRJ_DECIMAL_CAPACITY], title[TRJ_WRITER_TITLE] = "";
    if (is_poscar(w)) trj_writer_title(title, f);
    if (trj_output_print(w->out, err, "written by %s%s\n1.0\n", w->setup.program ? w->setup.program : "trjcat", title))
        return -1;
    for (int k = 0; k < 9; k++) {
        int n = (int)trj_print_real(number, f->cell.h[k / 3][k % 3]);
        if (trj_output_print(w->out, err, " %.*s%s", n, number, k % 3 == 2 ? "\n" : "")) return -1;
    }
    v->cell = f->cell;
    return trj_output_write(w->out, v->species, strlen(v->species), err);
}

static int write_positions(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    char line[3 * WIDTH + 1];
    double g[3][3];
    trj_cell_reciprocal(&f->cell, g);
    line[3 * WIDTH] = '\n';
    for (size_t i = 0; i < f->atoms; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = (double)f->x[k][i] * f->unit;
        for (int k = 0; k < 3; k++)
            if (!trj_print_fixed(line + WIDTH * k, WIDTH, FRACTION, g[k][0] * x[0] + g[k][1] * x[1] + g[k][2] * x[2]))
                return trj_writer_no_room(w, f, i, err);
        if (trj_output_write(w->out, line, sizeof line, err)) return -1;
    }
    return 0;
}

// Writes velocities in Å/fs, after a blank line, which states that they are Cartesian.
static int write_velocities(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    char line[3 * (TRJ_DECIMAL_CAPACITY + 1) + 1], number[TRJ_DECIMAL_CAPACITY];
    if (trj_output_write(w->out, "\n", 1, err)) return -1;
    for (size_t i = 0; i < f->atoms; i++) {
        size_t n = 0;
        for (int k = 0; k < 3; k++) {
            float v = (float)((double)f->motion->velocity[k][i] * f->motion->unit / 1000);
            size_t length = trj_print_float(number, v);
            line[n++] = ' ';
            memcpy(line + n, number, length);
            n += length;
        }
        line[n++] = '\n';
        if (trj_output_write(w->out, line, n, err)) return -1;
    }
    return 0;
}

static int vasp_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    const struct vasp *v = w->state;
    if (f->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s requires a cell that is periodic in all directions; give one with --cell, or write xyz",
                        w->format->name);
    if (is_poscar(w) && w->frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "a POSCAR contains one frame; select it with --frames, or write xdatcar (--to xdatcar)");
    bool same = w->frames && trj_basis_same_vectors(&v->cell, &f->cell);
    if (!same && write_head(w, f, err)) return -1;
    unsigned long long number = w->frames + 1;
    if (is_poscar(w)             ? trj_output_print(w->out, err, "Direct\n")
        : f->step != TRJ_NO_STEP ? trj_output_print(w->out, err, "Direct configuration= %5lld\n", (long long)f->step)
                                 : trj_output_print(w->out, err, "Direct configuration= %5llu\n", number))
        return -1;
    if (write_positions(w, f, err)) return -1;
    bool moves = is_poscar(w) && w->setup.header->motion & TRJ_HAS_VELOCITY;
    return moves ? write_velocities(w, f, err) : 0;
}

static void vasp_close(struct trj_writer *w) {
    struct vasp *v = w->state;
    if (v) free(v->species);
}

const struct trj_writer_format trj_writer_poscar = {
    .name = "poscar",
    .help = "VASP, one frame",
    .endings = {".poscar", ".contcar", ".vasp", "POSCAR", "CONTCAR"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .motion = TRJ_HAS_VELOCITY,
    .open = vasp_open,
    .write = vasp_write,
    .close = vasp_close,
};

const struct trj_writer_format trj_writer_xdatcar = {
    .name = "xdatcar",
    .help = "VASP, many frames",
    .endings = {".xdatcar", "XDATCAR"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .open = vasp_open,
    .write = vasp_write,
    .close = vasp_close,
};
