// SPDX-License-Identifier: MIT
// Writes GRO (gro_records.h describes the format). More than three decimals make the columns wider, as in GROMACS.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "topology_parts.h"
#include "writer_parts.h"

enum { NAMES = 20, FIELD = 5, DECIMALS = 3, LINE = NAMES + 6 * (FIELD + TRJ_FIXED_DECIMALS_MAX) + 1 };

struct gro {
    char (*names)[NAMES]; // [atoms] the line before the coordinates
};

static int gro_open(struct trj_writer *w, struct trj_error *err) {
    if (trj_writer_check_velocities(w, err)) return -1;
    const struct trj_topology *top = w->setup.top;
    struct gro *g = w->state = trj_alloc(1, sizeof *g, "a GRO", err);
    if (!g || !(g->names = trj_alloc(w->setup.header->atoms, NAMES, "names", err))) return -1;
    for (size_t i = 0; i < w->setup.header->atoms; i++) {
        size_t row = trj_writer_row(w, i);
        char *to = g->names[i];
        if (top->insertion && top->insertion[row])
            trj_writer_note(w, "insertion codes of residues are not written, because GRO cannot store them");
        trj_writer_wrapped(to, FIELD, top->resid ? top->resid[row] : 0);
        trj_writer_text(w, to + FIELD, FIELD, false, trj_topology_text(&top->resname, row));
        trj_writer_text(w, to + 2 * FIELD, FIELD, true, trj_writer_name(w, i));
        trj_writer_wrapped(to + 3 * FIELD, FIELD, (int64_t)i + 1);
    }
    return 0;
}

// Writes xx yy zz and, if one of them is not 0, xy xz yx yz zx zy.
static int write_box(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    static const int order[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    char number[TRJ_DECIMAL_CAPACITY];
    int cell = trj_writer_cell(w, f, err), count = 3;
    if (cell < 0) return -1;
    for (int k = 3; cell && k < 9; k++)
        if (f->cell.h[order[k] / 3][order[k] % 3] != 0) count = 9;
    for (int k = 0; k < count; k++) {
        double nm = cell ? f->cell.h[order[k] / 3][order[k] % 3] / 10 : 0;
        if (trj_output_print(w->out, err, " %.*s", (int)trj_print_real(number, nm), number)) return -1;
    }
    return trj_output_write(w->out, "\n", 1, err);
}

// Puts the velocities of an atom, in nm/ps with one decimal more than coordinates, after them.
static bool put_velocities(char *to, size_t width, unsigned decimals, const struct trj_frame *f, size_t atom) {
    const struct trj_motion *m = f->motion;
    for (size_t k = 0; k < 3; k++)
        if (!trj_print_fixed(to + k * width, width, decimals + 1, (double)m->velocity[k][atom] * m->unit / 10))
            return false;
    return true;
}

static int gro_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    const struct gro *g = w->state;
    unsigned decimals = w->setup.decimals ? w->setup.decimals : DECIMALS;
    bool moves = w->setup.header->motion & TRJ_HAS_VELOCITY;
    size_t width = FIELD + decimals, columns = moves ? 6 : 3;
    char line[LINE], title[TRJ_WRITER_TITLE];
    trj_writer_title(title, f);
    if (trj_output_print(w->out, err, "written by trjcat%s\n%zu\n", title, f->atoms)) return -1;
    for (size_t i = 0; i < f->atoms; i++) {
        memcpy(line, g->names[i], NAMES);
        for (size_t k = 0; k < 3; k++)
            if (!trj_print_fixed(line + NAMES + k * width, width, decimals, (double)f->x[k][i] * f->unit / 10))
                return trj_writer_no_room(w, f, i, err);
        if (moves && !put_velocities(line + NAMES + 3 * width, width, decimals, f, i))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the velocity of atom %zu is too large for the columns of GRO; write a "
                            "frame stream (--to trjf)",
                            i);
        line[NAMES + columns * width] = '\n';
        if (trj_output_write(w->out, line, NAMES + columns * width + 1, err)) return -1;
    }
    return write_box(w, f, err);
}

static void gro_close(struct trj_writer *w) {
    struct gro *g = w->state;
    if (g) free(g->names);
}

const struct trj_writer_format trj_writer_gro = {
    .name = "gro",
    .help = "GROMACS, text",
    .endings = {".gro"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .decimals = true,
    .motion = TRJ_HAS_VELOCITY,
    .open = gro_open,
    .write = gro_write,
    .close = gro_close,
};
