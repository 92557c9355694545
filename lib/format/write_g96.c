// SPDX-License-Identifier: MIT
// Writes GROMOS files (g96_records.h) as GROMACS does: TITLE once, and for each frame TIMESTEP, positions, velocities
// and BOX. Numbers have nine decimals, in nm. One frame is written with names (POSITION), and several without
// (POSITIONRED): GROMOS requires this of trajectories, and GROMACS 2022 crashes on others. The first frame is therefore
// kept until the next one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g96_records.h"
#include "memory.h"
#include "topology_parts.h"
#include "writer_parts.h"

enum { FIELD = 5, NUMBER = 7 }; // columns of a name and of the number of an atom

struct g96 {
    char (*names)[TRJ_G96_NAMES]; // [atoms] the line before the coordinates
    struct trj_frame first;       // written with the second one, or by finish
    uint64_t written;             // frames
};

static int g96_open(struct trj_writer *w, struct trj_error *err) {
    if (trj_writer_check_velocities(w, err)) return -1;
    const struct trj_topology *top = w->setup.top;
    struct g96 *g = w->state = trj_alloc(1, sizeof *g, "a g96", err);
    if (!g || !(g->names = trj_alloc(w->setup.header->atoms, TRJ_G96_NAMES, "names", err))) return -1;
    for (size_t i = 0; i < w->setup.header->atoms; i++) {
        size_t row = trj_writer_row(w, i);
        char *to = g->names[i];
        if (top->insertion && top->insertion[row])
            trj_writer_note(w, "insertion codes of residues are not written, because g96 cannot store them");
        memset(to, ' ', TRJ_G96_NAMES);
        trj_writer_wrapped(to, FIELD, top->resid ? top->resid[row] : 0);
        trj_writer_text(w, to + FIELD + 1, FIELD, false, trj_topology_text(&top->resname, row));
        trj_writer_text(w, to + 2 * (FIELD + 1), FIELD, false, trj_writer_name(w, i));
        trj_writer_wrapped(to + TRJ_G96_NAMES - NUMBER, NUMBER, (int64_t)i + 1);
    }
    return trj_output_print(w->out, err, "TITLE\nwritten by %s\nEND\n", w->setup.program ? w->setup.program : "trjcat");
}

// A frame without a time has no TIMESTEP; one without a step has its number there.
static int write_time(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    char time[TRJ_DECIMAL_CAPACITY];
    if (!isfinite(f->time)) {
        if (f->step != TRJ_NO_STEP)
            trj_writer_note(w, "g96 contains steps only with times, which are unknown; give the time step with --dt");
        return 0;
    }
    if (f->step == TRJ_NO_STEP)
        trj_writer_note(w, "steps are unknown: TIMESTEP of g96 contains the number of the frame instead");
    const struct g96 *g = w->state;
    long long step = f->step == TRJ_NO_STEP ? (long long)g->written : (long long)f->step;
    int n = (int)trj_print_real(time, f->time);
    if (n > TRJ_G96_REAL) n = snprintf(time, sizeof time, "%.*g", TRJ_G96_DECIMALS, f->time); // GROMACS reads 15
    return trj_output_print(w->out, err, "TIMESTEP\n%15lld %14.*s\nEND\n", step, n, time);
}

static bool print_vector(char *to, float *const v[3], size_t atom, double unit) {
    for (size_t k = 0; k < 3; k++)
        if (!trj_print_fixed(to + k * TRJ_G96_REAL, TRJ_G96_REAL, TRJ_G96_DECIMALS, (double)v[k][atom] * unit / 10))
            return false;
    return true;
}

static int fail_velocity(size_t atom, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "the velocity of atom %zu is too large for the columns of g96; write a frame stream (--to trjf)",
                    atom);
}

static const struct trj_motion *motion_of(const struct trj_writer *w, const struct trj_frame *f) {
    return w->setup.header->motion & TRJ_HAS_VELOCITY ? f->motion : NULL;
}

// Writes the lines of a block: v is in Å (Å/ps) per `unit`.
static int write_vectors(struct trj_writer *w, const struct trj_frame *f, bool named, const char *block,
                         float *const v[3], double unit, struct trj_error *err) {
    const struct g96 *g = w->state;
    char line[TRJ_G96_NAMES + 3 * TRJ_G96_REAL + 1];
    line[sizeof line - 1] = '\n';
    size_t skipped = named ? 0 : TRJ_G96_NAMES;
    if (trj_output_print(w->out, err, "%s%s\n", block, named ? "" : "RED")) return -1;
    for (size_t i = 0; i < f->atoms; i++) {
        memcpy(line, g->names[i], TRJ_G96_NAMES);
        if (!print_vector(line + TRJ_G96_NAMES, v, i, unit))
            return v == f->x ? trj_writer_no_room(w, f, i, err) : fail_velocity(i, err);
        if (trj_output_write(w->out, line + skipped, sizeof line - skipped, err)) return -1;
    }
    return trj_output_print(w->out, err, "END\n");
}

// Writes xx yy zz and, if one of them is not 0, xy xz yx yz zx zy.
static int write_box(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    static const int order[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    char line[9 * TRJ_G96_REAL];
    int cell = trj_writer_cell(w, f, err), count = 3;
    if (cell <= 0) return cell;
    for (int k = 3; k < 9; k++)
        if (f->cell.h[order[k] / 3][order[k] % 3] != 0) count = 9;
    for (int k = 0; k < count; k++)
        if (!trj_print_fixed(line + k * TRJ_G96_REAL, TRJ_G96_REAL, TRJ_G96_DECIMALS,
                             f->cell.h[order[k] / 3][order[k] % 3] / 10))
            return trj_fail(err, TRJ_BAD_DATA, "the cell is too large for the columns of g96; write xyz or trjf");
    return trj_output_print(w->out, err, "BOX\n%.*s\nEND\n", count * TRJ_G96_REAL, line);
}

static int write_frame(struct trj_writer *w, const struct trj_frame *f, bool named, struct trj_error *err) {
    struct g96 *g = w->state;
    const struct trj_motion *m = motion_of(w, f);
    if (write_time(w, f, err) || write_vectors(w, f, named, "POSITION", f->x, f->unit, err)) return -1;
    if (m && write_vectors(w, f, named, "VELOCITY", m->velocity, m->unit, err)) return -1;
    g->written++;
    return write_box(w, f, err);
}

// Keeps the first frame. What cannot be written is an error now, because the caller adds the number of the frame.
static int keep_first(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    struct g96 *g = w->state;
    const struct trj_motion *m = motion_of(w, f);
    char text[3 * TRJ_G96_REAL];
    if (trj_writer_cell(w, f, err) < 0) return -1;
    for (size_t i = 0; i < f->atoms; i++) {
        if (!print_vector(text, f->x, i, f->unit)) return trj_writer_no_room(w, f, i, err);
        if (m && !print_vector(text, m->velocity, i, m->unit)) return fail_velocity(i, err);
    }
    return trj_frame_copy(&g->first, f, err);
}

static int g96_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    const struct g96 *g = w->state;
    if (!w->frames) return keep_first(w, f, err);
    if (w->frames == 1 && write_frame(w, &g->first, false, err)) return -1;
    return write_frame(w, f, false, err);
}

static int g96_finish(struct trj_writer *w, struct trj_error *err) {
    const struct g96 *g = w->state;
    return w->frames == 1 ? write_frame(w, &g->first, true, err) : 0;
}

static void g96_close(struct trj_writer *w) {
    struct g96 *g = w->state;
    if (!g) return;
    free(g->names);
    trj_frame_free(&g->first);
}

const struct trj_writer_format trj_writer_g96 = {
    .name = "g96",
    .help = "GROMOS, text",
    .endings = {".g96", ".cnf", ".trc"},
    .kind = TRJ_OUTPUT_TEXT,
    .names = true,
    .motion = TRJ_HAS_VELOCITY,
    .open = g96_open,
    .write = g96_write,
    .finish = g96_finish,
    .close = g96_close,
};
