// SPDX-License-Identifier: MIT
// Writes maps of pairs as tables, in which each pair of a symmetric map is listed once, or as files of NumPy, which
// contain all elements.
#include "pair_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "npy_header.h"

enum { DIGITS = OBS_SUM_DIGITS };

int obs_pair_map_open(struct obs_pair_map *m, struct obs_ensemble *e, struct trj_error *err) {
    bool residues = !strcmp(e->options->per, "residue");
    if (!isnan(e->options->cutoff))
        return trj_fail(err, TRJ_USAGE, "--cluster requires distances of frames; use --map 'rmsd(A)'");
    for (int i = 0; i < 2; i++) {
        const struct obs_argument *argument = &e->expression.argument[i];
        bool point = e->expression.function->parameter[i].kind == OBS_POINT;
        m->selection[i] = point ? argument->point.selection : argument->selection;
        if (obs_parts_make(&m->parts[i], e->system, m->selection[i], residues, err)) return trj_fail_at(err, "--map");
    }
    const struct obs_selection *a = &e->system->selection[m->selection[0]], *b = &e->system->selection[m->selection[1]];
    m->same = a->count == b->count && !memcmp(a->atoms, b->atoms, a->count * sizeof *a->atoms);
    return 0;
}

void obs_pair_map_free(struct obs_pair_map *m) {
    obs_parts_free(&m->parts[0]);
    obs_parts_free(&m->parts[1]);
}

static double value_of(const struct obs_pair_map *m, const struct obs_pair_values *values, size_t a, size_t b) {
    return values->value(values->own, obs_pair_number(m, a, b));
}

static int write_npy(const struct obs_pair_map *m, const struct obs_pair_values *values, struct trj_output *out,
                     struct trj_error *err) {
    const uint64_t shape[] = {m->parts[0].count, m->parts[1].count};
    float *row = trj_alloc(m->parts[1].count, sizeof *row, "a row of a map", err);
    struct trj_bytes bytes = {0};
    int rc = row ? trj_npy_write_header(out, "<f4", shape, 2, err) : -1;
    for (size_t a = 0; !rc && a < shape[0]; a++) {
        for (size_t b = 0; b < shape[1]; b++) {
            double value = value_of(m, values, a, b);
            row[b] = isnan(value) ? 0 : (float)value;
        }
        bytes.size = 0;
        trj_put_f32s(&bytes, row, m->parts[1].count);
        rc = bytes.failed ? trj_fail_memory(err, 0, "a map") : trj_output_write(out, bytes.data, bytes.size, err);
    }
    trj_bytes_free(&bytes);
    free(row);
    return rc;
}

static int check_order(const struct obs_pair_map *m, const struct obs_ensemble *e, struct trj_error *err) {
    for (int i = 0; i < 2; i++)
        if (!obs_parts_ascend(&m->parts[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "--sums: rows are added by the numbers of atoms or residues, but those of '%s' do not "
                            "ascend, or are unknown; leave --sums out",
                            e->system->selection[m->selection[i]].text);
    return 0;
}

static int write_table(const struct obs_pair_map *m, const struct obs_ensemble *e, const struct obs_pair_values *values,
                       struct trj_table *t, struct trj_error *err) {
    struct trj_table_column column[2 * OBS_PART_COLUMNS + 1 + OBS_SUMS_MAX];
    const bool sums = e->options->sums;
    uint64_t rows = 0;
    size_t n = obs_parts_columns(&m->parts[0], "_a", column);
    n += obs_parts_columns(&m->parts[1], "_b", column + n);
    if (sums) {
        if (check_order(m, e, err)) return -1;
        obs_sums_comment(values->kind, t);
        n = obs_sums_columns(values->kind, column, n);
    }
    column[n++] = values->column;
    if (trj_table_columns(t, column, n)) return -1;
    for (size_t a = 0; a < m->parts[0].count; a++)
        for (size_t b = m->same ? a : 0; b < m->parts[1].count; b++) {
            double value = value_of(m, values, a, b);
            trj_wide sum;
            if (isnan(value)) continue;
            obs_parts_print(&m->parts[0], a, t);
            obs_parts_print(&m->parts[1], b, t);
            rows++;
            if (sums)
                sum = values->sum(values->own, obs_pair_number(m, a, b));
            else
                trj_table_real(t, DIGITS, value);
            if (sums ? obs_sums_end_row(values->kind, &sum, e->frames, t) : trj_table_end_row(t)) return -1;
        }
    return sums ? obs_sums_end(rows, t) : 0;
}

int obs_pair_map_write(const struct obs_pair_map *m, const struct obs_ensemble *e, const struct obs_pair_values *values,
                       struct trj_table *t, struct trj_error *err) {
    return e->form == OBS_NPY ? write_npy(m, values, t->out, err) : write_table(m, e, values, t, err);
}
