// SPDX-License-Identifier: MIT
// Writes extended XYZ in Å and ps (time_unit), with cells of any shape and periodicity. The species is the element or,
// if that is unknown, the name of the atom. Coordinates are the shortest decimal numbers that read as the same float32,
// or have the number of decimals that the user requested.
//
// Properties of the atoms and velocities, if the header contains them, are further columns with the names that ASE
// gives to them. ASE stores no velocities but momenta, in sqrt(u eV), and masses in u.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "element.h"
#include "lines.h"
#include "memory.h"
#include "property.h"
#include "topology_parts.h"
#include "units.h"
#include "writer_parts.h"

enum {
    MAX_WIDTH = 48,  // of a coordinate: a float32 has up to 39 digits before the point
    MAX_SPECIES = 64 // longer names are shortened; no format that can be read has them
};

struct xyz {
    char properties[TRJ_PROPERTIES_MAX * 80 + 120]; // names and types of the columns
    const struct trj_property *column[TRJ_PROPERTIES_MAX];
    size_t columns;
    bool moves;  // momenta are written
    bool masses; // of the topology, because no property contains them
};

// Appends a column and its type. Properties without a name in ASE keep theirs.
static void add_column(struct xyz *x, const char *name, char type, int count) {
    static const struct {
        const char *name, *ase;
    } known[] = {{"mass", "masses"},
                 {"charge", "initial_charges"},
                 {"name", "atomtypes"},
                 {"resname", "residuenames"},
                 {"resid", "residuenumbers"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name)) name = known[i].ase;
    size_t n = strlen(x->properties);
    snprintf(x->properties + n, sizeof x->properties - n, ":%s:%c:%d", name, type, count);
}

// Adds the column of a property, unless a value is unknown, for which the format has no word.
static void add_property(struct trj_writer *w, struct xyz *x, const struct trj_property *p) {
    for (size_t i = 0; i < w->setup.header->atoms && p->kind != TRJ_PROPERTY_TEXT; i++)
        if (!trj_property_known(p, i)) {
            trj_writer_note(w, "%s is not written, because its value for atom %zu is unknown", p->name, i);
            return;
        }
    add_column(x, p->name, ".RIS"[p->kind], 1);
    x->column[x->columns++] = p;
}

static int xyz_open(struct trj_writer *w, struct trj_error *err) {
    const struct trj_stream_header *h = w->setup.header;
    if (trj_writer_check_velocities(w, err)) return -1;
    struct xyz *x = w->state = trj_alloc(1, sizeof *x, "an XYZ", err);
    if (!x) return -1;
    snprintf(x->properties, sizeof x->properties, "species:S:1:pos:R:3");
    for (size_t k = 0; k < h->property_count; k++) add_property(w, x, &h->properties[k]);
    x->moves = h->motion & TRJ_HAS_VELOCITY;
    x->masses = x->moves && !trj_property_find(h, "mass");
    if (x->masses) add_column(x, "masses", 'R', 1);
    if (x->moves) add_column(x, "momenta", 'R', 3);
    return 0;
}

static int write_comment(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    char number[TRJ_DECIMAL_CAPACITY];
    const struct trj_cell *c = &f->cell;
    bool some = false;
    for (int k = 0; k < 9; k++) some = some || c->h[k / 3][k % 3] != 0;
    if (trj_output_print(w->out, err, "%zu\n", f->atoms)) return -1;
    for (int k = 0; some && k < 9; k++) {
        int n = (int)trj_print_real(number, c->h[k / 3][k % 3]);
        if (trj_output_print(w->out, err, "%s%.*s%s", k ? " " : "Lattice=\"", n, number, k == 8 ? "\" " : ""))
            return -1;
    }
    if (trj_output_print(w->out, err, "Properties=%s pbc=\"%c %c %c\"", ((const struct xyz *)w->state)->properties,
                         c->periodic & TRJ_PERIODIC_A ? 'T' : 'F', c->periodic & TRJ_PERIODIC_B ? 'T' : 'F',
                         c->periodic & TRJ_PERIODIC_C ? 'T' : 'F'))
        return -1;
    if (f->step != TRJ_NO_STEP && trj_output_print(w->out, err, " step=%lld", (long long)f->step)) return -1;
    if (isfinite(f->time) &&
        trj_output_print(w->out, err, " time=%.*s time_unit=ps", (int)trj_print_real(number, f->time), number))
        return -1;
    return trj_output_write(w->out, "\n", 1, err);
}

static size_t print_fixed(char *to, unsigned decimals, float v) {
    char text[MAX_WIDTH + 16];
    size_t width = 8 + decimals; // enough for most
    while (!trj_print_fixed(text, width, decimals, (double)v)) width += 8;
    size_t blanks = 0;
    while (text[blanks] == ' ') blanks++;
    memcpy(to, text + blanks, width - blanks);
    return width - blanks;
}

// Returns the element or the name, of the topology or else of the stream, or "X" for an unknown element.
static const char *species_of(const struct trj_writer *w, size_t atom) {
    const struct trj_stream_header *h = w->setup.header;
    const char *species = "";
    if (w->setup.top) {
        const char *element = trj_writer_element(w, atom);
        species = *element ? element : trj_writer_name(w, atom);
    } else if (h->element && h->element[atom]) {
        species = trj_elements[h->element[atom]].symbol;
    } else {
        const struct trj_property *name = trj_property_find(h, "name");
        if (name && trj_property_known(name, atom)) species = name->text.text[name->text.id[atom]];
    }
    return *species ? species : "X";
}

// Prints a text as one word.
static size_t print_word(char *to, const char *text) {
    size_t n = strnlen(text, MAX_SPECIES);
    for (size_t i = 0; i < n; i++) to[i] = (char)(trj_is_blank(text[i]) ? '_' : text[i]);
    if (!n) to[n++] = '-';
    return n;
}

// Prints the values of the properties.
static size_t print_properties(const struct xyz *x, size_t atom, char *to) {
    size_t n = 0;
    for (size_t k = 0; k < x->columns; k++) {
        const struct trj_property *p = x->column[k];
        to[n++] = ' ';
        if (p->kind == TRJ_PROPERTY_REAL) {
            n += trj_print_real(to + n, p->real[atom]);
        } else if (p->kind == TRJ_PROPERTY_INTEGER) {
            n += (size_t)sprintf(to + n, "%lld", (long long)p->integer[atom]);
        } else {
            n += print_word(to + n, p->text.text[p->text.id[atom]]);
        }
    }
    return n;
}

// Prints the momentum, and the mass if it is no property. Returns 0 if the mass is unknown.
static size_t print_momentum(const struct trj_writer *w, const struct trj_frame *f, size_t atom, char *to) {
    const struct trj_stream_header *h = w->setup.header;
    const struct trj_property *p = trj_property_find(h, "mass");
    const struct trj_topology *top = w->setup.top;
    double mass = p ? p->real[atom] : NAN;
    if (!p && top && top->mass && atom < h->atoms - h->centres) mass = top->mass[trj_writer_row(w, atom)];
    if (!(mass >= 0)) return 0;
    size_t n = 0;
    if (!p) {
        to[n++] = ' ';
        n += trj_print_real(to + n, mass);
    }
    const double unit = f->motion->unit / TRJ_ASE_VELOCITY;
    for (int k = 0; k < 3; k++) {
        to[n++] = ' ';
        n += trj_print_float(to + n, (float)(mass * (double)f->motion->velocity[k][atom] * unit));
    }
    return n;
}

static int xyz_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    enum { WORDS = TRJ_PROPERTIES_MAX * (MAX_SPECIES + 1) + 4 * (TRJ_DECIMAL_CAPACITY + 1) };
    const struct xyz *x = w->state;
    char line[MAX_SPECIES + 3 * (MAX_WIDTH + 16) + 4 + WORDS];
    unsigned decimals = w->setup.decimals;
    if (write_comment(w, f, err)) return -1;
    for (size_t i = 0; i < f->atoms; i++) {
        size_t n = print_word(line, species_of(w, i));
        for (int k = 0; k < 3; k++) {
            float v = (float)((double)f->x[k][i] * f->unit);
            line[n++] = ' ';
            n += decimals ? print_fixed(line + n, decimals, v) : trj_print_float(line + n, v);
        }
        n += print_properties(x, i, line + n);
        size_t momentum = x->moves ? print_momentum(w, f, i, line + n) : 0;
        if (x->moves && !momentum)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the mass of atom %zu is unknown, but extended XYZ contains momenta; %s, or leave velocity "
                            "out of --carry",
                            i,
                            i < w->setup.header->atoms - w->setup.header->centres
                                ? "give a topology with masses with -t"
                                : "give --carry velocity,mass for those of centres");
        n += momentum;
        line[n++] = '\n';
        if (trj_output_write(w->out, line, n, err)) return -1;
    }
    return 0;
}

const struct trj_writer_format trj_writer_xyz = {
    .name = "xyz",
    .help = "extended XYZ",
    .endings = {".xyz", ".extxyz"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .decimals = true,
    .open_systems = true,
    .motion = TRJ_HAS_VELOCITY,
    .properties = true,
    .open = xyz_open,
    .write = xyz_write,
};
