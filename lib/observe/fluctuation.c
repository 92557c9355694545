// SPDX-License-Identifier: MIT
// Computes root mean square fluctuations and B factors of atoms or residues about their mean positions.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble.h"
#include "memory.h"
#include "parts.h"
#include "position_sums.h"
#include "sums.h"
#include "superposed_frames.h"
#include "table_merge.h"
#include "tool.h"
#include "writer.h"

enum { DIGITS = 9 };

struct fluctuation {
    struct obs_superposed frames;
    struct obs_parts parts;
};

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct fluctuation *fl = e->own;
    return obs_superposed_take(&fl->frames, f, value, err);
}

// --------------------------------------------------------------------------------------------------------------- table

// Returns the mean square fluctuation of each part, or NULL.
static double *compute_squares(const struct fluctuation *fl, struct trj_error *err) {
    const struct obs_superposed *frames = &fl->frames;
    const struct obs_parts *parts = &fl->parts;
    double *square = trj_alloc(parts->count, sizeof *square, "parts", err),
           *total = trj_alloc(parts->count, sizeof *total, "parts", err);
    for (size_t i = 0; square && total && i < frames->group.count; i++) {
        double w = frames->group.weight && parts->residues ? frames->group.weight[i] : 1;
        square[parts->part[i]] += w * frames->sums.square[i];
        total[parts->part[i]] += w;
    }
    for (size_t i = 0; square && total && i < parts->count; i++)
        square[i] = square[i] / total[i] / (double)frames->ensemble->frames;
    if (!total) {
        free(square);
        square = NULL;
    }
    free(total);
    return square;
}

static void print_comments(const struct fluctuation *fl, struct trj_table *t) {
    const struct obs_ensemble *e = fl->frames.ensemble;
    trj_table_comment(t, "rmsf of '%s': sqrt(<|x - <x>|^2>), means over all frames; B factor: 8 pi^2/3 rmsf^2",
                      e->system->selection[fl->frames.group.selection].text);
    trj_table_comment(t, OBS_FRAMES "%llu", (unsigned long long)e->frames);
    obs_superposed_comment(&fl->frames, t);
    if (fl->parts.residues)
        trj_table_comment(t, "residues: root of the mean square fluctuation of their atoms%s",
                          fl->frames.group.weight ? ", weighted by mass" : "");
}

// Sets the columns, with or without those of sums. Returns their number.
static size_t set_columns(const struct fluctuation *fl, bool sums, struct trj_table_column *column) {
    size_t n = obs_parts_columns(&fl->parts, "", column);
    if (sums) n = obs_sums_columns(&obs_fluctuation_sums, column, n);
    column[n++] = (struct trj_table_column){"rmsf", "root mean square fluctuation", "Angstrom"};
    column[n++] = (struct trj_table_column){"bfactor", "B factor", "Angstrom^2"};
    return n;
}

static int write_table(const struct fluctuation *fl, const double *square, struct trj_table *t) {
    struct trj_table_column column[OBS_PART_COLUMNS + 2];
    print_comments(fl, t);
    if (trj_table_columns(t, column, set_columns(fl, false, column))) return -1;
    for (size_t i = 0; i < fl->parts.count; i++) {
        obs_parts_print(&fl->parts, i, t);
        trj_table_real(t, DIGITS, sqrt(square[i]));
        trj_table_real(t, DIGITS, obs_bfactor(square[i]));
        if (trj_table_end_row(t)) return -1;
    }
    return 0;
}

// Writes the table of --sums, in which each part is an atom.
static int write_sums(const struct fluctuation *fl, struct trj_table *t, struct trj_error *err) {
    const struct obs_sum_kind *kind = &obs_fluctuation_sums;
    struct trj_table_column column[OBS_PART_COLUMNS + 2 + OBS_SUMS_MAX];
    const uint64_t frames = fl->frames.ensemble->frames;
    print_comments(fl, t);
    obs_sums_comment(kind, t);
    if (trj_table_columns(t, column, set_columns(fl, true, column))) return -1;
    for (size_t i = 0; i < fl->parts.count; i++) {
        trj_wide sum[OBS_SUMS_MAX];
        if (obs_exact_positions_sums(sum, &fl->frames.exact, i, frames, err)) return -1;
        obs_parts_print(&fl->parts, i, t);
        if (obs_sums_end_row(kind, sum, frames, t)) return -1;
    }
    return obs_sums_end(fl->parts.count, t);
}

// ----------------------------------------------------------------------------------------------------------------- PDB

static bool is_mean(const struct fluctuation *fl) {
    return !strcmp(fl->frames.ensemble->options->structure, "mean");
}

// Sets the coordinates of the first frame or of the mean, and the B factor of each atom, which is that of its part.
static int fill_structure(const struct fluctuation *fl, const double *square, struct trj_frame *f, double **bfactors,
                          struct trj_error *err) {
    const size_t atoms = fl->frames.group.count;
    const bool mean = is_mean(fl);
    if (trj_frame_resize(f, atoms, err) || !(*bfactors = trj_alloc(atoms, sizeof **bfactors, "B factors", err)))
        return -1;
    f->unit = 1;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    for (size_t i = 0; i < atoms; i++) {
        for (int k = 0; k < 3; k++) f->x[k][i] = (float)(mean ? fl->frames.sums.mean[k][i] : fl->frames.first[i][k]);
        (*bfactors)[i] = obs_bfactor(square[fl->parts.part[i]]);
    }
    return 0;
}

static int write_frame(const struct fluctuation *fl, struct trj_frame *f, const double *bfactors,
                       struct trj_output *out, struct trj_error *err) {
    const struct obs_system *s = fl->frames.ensemble->system;
    const struct trj_stream_header header = {.atoms = f->atoms};
    const struct trj_writer_setup setup = {.header = &header,
                                           .top = &s->scope.names,
                                           .row = s->selection[fl->frames.group.selection].atoms,
                                           .bfactor = bfactors,
                                           .program = is_mean(fl) ? "trjstat --rmsf: the mean structure, with B factors"
                                                                  : "trjstat --rmsf: the first frame, with B factors"};
    struct trj_writer *w = NULL;
    int rc = trj_writer_open(&w, &trj_writer_pdb, out, &setup, err);
    if (!rc) rc = trj_writer_write(w, f, err);
    if (!rc) rc = trj_writer_finish(w, err);
    if (!rc && *w->note) trj_tool_print_note(w->note);
    trj_writer_close(w);
    return rc;
}

static int write_pdb(const struct fluctuation *fl, const double *square, struct trj_output *out,
                     struct trj_error *err) {
    struct trj_frame f = {.atoms = 0};
    double *bfactors = NULL;
    int rc = fill_structure(fl, square, &f, &bfactors, err);
    if (!rc) rc = write_frame(fl, &f, bfactors, out, err);
    free(bfactors);
    trj_frame_free(&f);
    return rc ? trj_fail_at(err, "--rmsf") : 0;
}

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    struct fluctuation *fl = e->own;
    double *square;
    if (e->options->sums && e->frames) return write_sums(fl, t, err); // also of one frame, which can be a segment
    if (e->frames < 2)
        return trj_fail(err, TRJ_BAD_DATA, "--rmsf: the stream has %llu frame%s; a fluctuation requires at least 2",
                        (unsigned long long)e->frames, e->frames == 1 ? "" : "s");
    if (obs_superposed_finish(&fl->frames, err) || !(square = compute_squares(fl, err))) return -1;
    int rc = e->form == OBS_PDB ? write_pdb(fl, square, t->out, err) : write_table(fl, square, t);
    free(square);
    return rc;
}

// -------------------------------------------------------------------------------------------------------- open, close

static int open_fluctuation(struct obs_ensemble *e, struct trj_error *err) {
    const struct obs_ensemble_options *o = e->options;
    struct fluctuation *fl = e->own = trj_alloc(1, sizeof *fl, "fluctuations", err);
    if (!fl || obs_superposed_open(&fl->frames, e, "--rmsf", o->fluctuation, false, err)) return -1;
    if (obs_parts_make(&fl->parts, e->system, fl->frames.group.selection, !strcmp(o->per, "residue"), err))
        return trj_fail_at(err, "--rmsf");
    if (e->form == OBS_PDB && !e->system->scope.names.name.id)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--rmsf: a PDB requires names, which the stream lacks; give trjcat a topology and add --carry "
                        "name,resname,resid");
    return 0;
}

static void close_fluctuation(struct obs_ensemble *e) {
    struct fluctuation *fl = e->own;
    if (!fl) return;
    obs_parts_free(&fl->parts);
    obs_superposed_free(&fl->frames);
    free(fl);
}

const struct obs_ensemble_kind obs_fluctuation = {open_fluctuation, take, write, close_fluctuation, NULL};
