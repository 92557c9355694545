// SPDX-License-Identifier: MIT
// Prints scores of frames and of pairs of maps with one head, so that readers find the same comments in both.
#include "cor_table.h"

#include <stdlib.h>

#include "memory.h"
#include "table_writer.h"

static struct trj_table table_of(const struct cor_table *t, struct trj_error *err) {
    return (struct trj_table){.out = t->out, .err = err};
}

static void print_map(struct trj_table *table, const char *what, const struct cor_map *m) {
    trj_table_comment(table, "%s: %s, %llu x %llu x %llu points, mean %.7g, standard deviation %.7g", what, m->name,
                      (unsigned long long)m->lattice.n[0], (unsigned long long)m->lattice.n[1],
                      (unsigned long long)m->lattice.n[2], m->summary.mean, m->summary.sigma);
}

int cor_table_print_head(const struct cor_table *t, const struct cor_table_model *m, struct trj_error *err) {
    struct trj_table table = table_of(t, err);
    trj_table_provenance(&table, m->header->provenance, m->header->provenance_count);
    trj_table_provenance(&table, t->provenance, SIZE_MAX);
    print_map(&table, "map", t->map);
    if (trj_table_status(&table) || cor_mask_print(t->out, t->mask, t->masks, err)) return -1;
    trj_table_comment(&table, "sigma: %s", m->sigma);
    trj_table_comment(&table, "amplitude: %s; group %s, %zu atoms", m->model->from, m->model->group->name,
                      m->model->group->count);
    if (m->local)
        trj_table_comment(&table, "local: density of %s at the points of each part",
                          *m->local == 'o' ? "the part alone" : "the whole group");
    trj_table_comment(&table, "columns: number of the frame; time in ps; for each part: %s", cor_scores[m->score].help);
    trj_table_name(&table, "frame");
    trj_table_name(&table, "time");
    for (size_t i = 0; i < m->selections->count; i++)
        trj_table_name(&table, "%s(%s)", cor_score_column(m->score), m->selections->name[i]);
    return trj_table_end_row(&table);
}

int cor_table_print_frame(const struct cor_table *t, const struct cor_table_model *m, uint64_t frame, double time,
                          const struct cor_sums *sums, const struct cor_scale *scale, struct trj_error *err) {
    struct trj_table table = table_of(t, err);
    trj_table_count(&table, frame);
    trj_table_real(&table, 10, time);
    for (size_t i = 0; i < m->selections->count; i++) trj_table_real(&table, 10, cor_score(m->score, &sums[i], scale));
    return trj_table_end_row(&table);
}

// Adds all points of two maps that the mask allows.
static int add_maps(struct cor_sums *sums, const struct cor_table *t, const struct cor_map *other,
                    struct trj_error *err) {
    enum { PIECE = 1 << 12 };
    struct cor_adder *a = trj_alloc(1, sizeof *a, "the correlation", err);
    int64_t *x = trj_alloc(PIECE, sizeof *x, "the correlation", err);
    int rc = a && x ? 0 : -1;
    if (!rc) {
        a->entropy = true;
        a->x_offset = other->offset;
        a->y_offset = t->map->offset;
        for (uint64_t position = 0; position < other->points; position += PIECE) {
            size_t n = other->points - position < PIECE ? (size_t)(other->points - position) : PIECE;
            for (size_t i = 0; i < n; i++) x[i] = other->value[position + i];
            cor_adder_row(a, &(struct cor_row){.n = n,
                                               .x = x,
                                               .y = t->map->value + position,
                                               .mask = t->mask->fixed ? t->mask->fixed + position : NULL});
        }
        cor_adder_flush(a);
        *sums = a->sums;
    }
    free(a);
    free(x);
    return rc;
}

int cor_table_print_maps(const struct cor_table *t, const struct cor_map *other, struct trj_error *err) {
    struct cor_sums sums;
    struct trj_table table = table_of(t, err);
    const struct cor_scale scale = {
        .x = other->quantum, .x_offset = other->offset, .y = t->map->quantum, .y_offset = t->map->offset};
    if (cor_map_check_same(other, t->map, err) || add_maps(&sums, t, other, err)) return -1;
    trj_table_provenance(&table, t->provenance, SIZE_MAX);
    print_map(&table, "x", other);
    print_map(&table, "y", t->map);
    if (trj_table_status(&table) || cor_mask_print(t->out, t->mask, t->masks, err)) return -1;
    trj_table_comment(&table, "columns: name of the score, its value for x and y");
    trj_table_name(&table, "score");
    trj_table_name(&table, "value");
    int rc = trj_table_end_row(&table);
    for (size_t i = 0; !rc && cor_scores[i].name; i++) {
        trj_table_text(&table, "%s", cor_scores[i].name);
        trj_table_real(&table, 10, cor_score(i, &sums, &scale));
        rc = trj_table_end_row(&table);
    }
    return rc;
}

int cor_table_print_shells(const struct cor_table *t, const struct cor_map *other, const struct cor_shells *shells,
                           struct trj_error *err) {
    static const double thresholds[] = {0.5, 0.143};
    struct trj_table table = table_of(t, err);
    trj_table_provenance(&table, t->provenance, SIZE_MAX);
    print_map(&table, "x", other);
    print_map(&table, "y", t->map);
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        double resolution = cor_shells_resolution(shells, thresholds[i]),
               limit = 1 / shells->shell[shells->count - 1].s;
        bool reached = resolution > 0;
        trj_table_comment(&table, "resolution at %g: %s%.5g Angstrom", thresholds[i],
                          reached ? "" : "better than the limit of the lattice, ", reached ? resolution : limit);
    }
    trj_table_comment(&table,
                      "columns: middle of the shell in 1/Angstrom, Fourier shell correlation, number of wave vectors");
    trj_table_name(&table, "s");
    trj_table_name(&table, "fsc(x:y)");
    trj_table_name(&table, "terms");
    int rc = trj_table_end_row(&table);
    for (size_t i = 0; !rc && i < shells->count; i++) {
        const struct cor_shell *s = &shells->shell[i];
        trj_table_real(&table, 10, s->s);
        trj_table_real(&table, 10, s->fsc);
        trj_table_count(&table, s->terms);
        rc = trj_table_end_row(&table);
    }
    return rc;
}
