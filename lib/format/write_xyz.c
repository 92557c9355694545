// SPDX-License-Identifier: MIT
// Writes extended XYZ in Å and ps (time_unit), with cells of any shape and periodicity. The species is the element or,
// if that is unknown, the name of the atom. Coordinates are the shortest decimal numbers that read as the same float32,
// or have the number of decimals that the user requested.
#include <math.h>
#include <string.h>

#include "topology_parts.h"
#include "writer_parts.h"

enum {
    MAX_WIDTH = 48,  // of a coordinate: a float32 has up to 39 digits before the point
    MAX_SPECIES = 64 // longer names are shortened; no format that can be read has them
};

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
    if (trj_output_print(w->out, err, "Properties=species:S:1:pos:R:3 pbc=\"%c %c %c\"",
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

static int xyz_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    char line[MAX_SPECIES + 3 * (MAX_WIDTH + 16) + 4];
    unsigned decimals = w->setup.decimals;
    if (write_comment(w, f, err)) return -1;
    for (size_t i = 0; i < f->atoms; i++) {
        size_t n = 0;
        const char *species = trj_writer_element(w, i);
        if (!*species) species = trj_writer_name(w, i);
        while (n < MAX_SPECIES && species[n]) line[n] = species[n], n++;
        for (int k = 0; k < 3; k++) {
            float v = (float)((double)f->x[k][i] * f->unit);
            line[n++] = ' ';
            n += decimals ? print_fixed(line + n, decimals, v) : trj_print_float(line + n, v);
        }
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
    .write = xyz_write,
};
