// SPDX-License-Identifier: MIT
// Prints scores of frames and of pairs of maps with one head, so that readers find the same comments in both.
#include "cor_table.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

static int print_provenance(const struct cor_table *t, const struct trj_stream_header *h, struct trj_error *err) {
    for (size_t i = 0; h && i < h->provenance_count; i++)
        if (trj_output_print(t->out, err, "# provenance: %s\n", h->provenance[i])) return -1;
    for (const char *const *line = t->provenance; *line; line++)
        if (trj_output_print(t->out, err, "# provenance: %s\n", *line)) return -1;
    return 0;
}

static int print_map(const struct cor_table *t, const char *what, const struct cor_map *m, struct trj_error *err) {
    return trj_output_print(t->out, err, "# %s: %s, %llu x %llu x %llu points, mean %.7g, standard deviation %.7g\n",
                            what, m->name, (unsigned long long)m->lattice.n[0], (unsigned long long)m->lattice.n[1],
                            (unsigned long long)m->lattice.n[2], m->summary.mean, m->summary.sigma);
}

static int print_number(const struct cor_table *t, double v, struct trj_error *err) {
    return isnan(v) ? trj_output_print(t->out, err, "\tnan") : trj_output_print(t->out, err, "\t%.10g", v);
}

int cor_table_print_head(const struct cor_table *t, const struct cor_table_model *m, struct trj_error *err) {
    struct trj_output *out = t->out;
    const struct trj_choice *score = &cor_scores[m->score];
    if (print_provenance(t, m->header, err) || print_map(t, "map", t->map, err) ||
        cor_mask_print(out, t->mask, t->masks, err) || trj_output_print(out, err, "# sigma: %s\n", m->sigma) ||
        trj_output_print(out, err, "# amplitude: %s; group %s, %zu atoms\n", m->model->from, m->model->group->name,
                         m->model->group->count))
        return -1;
    if (m->local && trj_output_print(out, err, "# local: density of %s at the points of each part\n",
                                     *m->local == 'o' ? "the part alone" : "the whole group"))
        return -1;
    if (trj_output_print(out, err, "# columns: number of the frame; time in ps; for each part: %s\n# frame\ttime",
                         score->help))
        return -1;
    for (size_t i = 0; i < m->selections->count; i++)
        if (trj_output_print(out, err, "\t%s(%s)", cor_score_column(m->score), m->selections->name[i])) return -1;
    return trj_output_print(out, err, "\n");
}

int cor_table_print_frame(const struct cor_table *t, const struct cor_table_model *m, uint64_t frame, double time,
                          const struct cor_sums *sums, const struct cor_scale *scale, struct trj_error *err) {
    if (trj_output_print(t->out, err, "%llu", (unsigned long long)frame) || print_number(t, time, err)) return -1;
    for (size_t i = 0; i < m->selections->count; i++)
        if (print_number(t, cor_score(m->score, &sums[i], scale), err)) return -1;
    return trj_output_print(t->out, err, "\n");
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
        for (uint64_t at = 0; at < other->points; at += PIECE) {
            size_t n = other->points - at < PIECE ? (size_t)(other->points - at) : PIECE;
            for (size_t i = 0; i < n; i++) x[i] = other->value[at + i];
            cor_adder_row(
                a, &(struct cor_row){
                       .n = n, .x = x, .y = t->map->value + at, .mask = t->mask->fixed ? t->mask->fixed + at : NULL});
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
    const struct cor_scale scale = {
        .x = other->quantum, .x_offset = other->offset, .y = t->map->quantum, .y_offset = t->map->offset};
    if (cor_map_check_same(other, t->map, err)) return -1;
    if (add_maps(&sums, t, other, err)) return -1;
    if (print_provenance(t, NULL, err)) return -1;
    if (print_map(t, "x", other, err)) return -1;
    if (print_map(t, "y", t->map, err)) return -1;
    if (cor_mask_print(t->out, t->mask, t->masks, err)) return -1;
    if (trj_output_print(t->out, err, "# columns: name of the score, its value for x and y\n# score\tvalue\n"))
        return -1;
    for (size_t i = 0; cor_scores[i].name; i++)
        if (trj_output_print(t->out, err, "%s", cor_scores[i].name) ||
            print_number(t, cor_score(i, &sums, &scale), err) || trj_output_print(t->out, err, "\n"))
            return -1;
    return 0;
}

int cor_table_print_shells(const struct cor_table *t, const struct cor_map *other, const struct cor_shells *shells,
                           struct trj_error *err) {
    static const double thresholds[] = {0.5, 0.143};
    if (print_provenance(t, NULL, err) || print_map(t, "x", other, err) || print_map(t, "y", t->map, err)) return -1;
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        double resolution = cor_shells_resolution(shells, thresholds[i]);
        if (resolution > 0
                ? trj_output_print(t->out, err, "# resolution at %g: %.5g Angstrom\n", thresholds[i], resolution)
                : trj_output_print(t->out, err,
                                   "# resolution at %g: better than the limit of the lattice, %.5g Angstrom\n",
                                   thresholds[i], 1 / shells->shell[shells->count - 1].s))
            return -1;
    }
    if (trj_output_print(t->out, err,
                         "# columns: middle of the shell in 1/Angstrom, Fourier shell correlation, number of wave "
                         "vectors\n# s\tfsc(x:y)\tterms\n"))
        return -1;
    for (size_t i = 0; i < shells->count; i++) {
        const struct cor_shell *s = &shells->shell[i];
        if (trj_output_print(t->out, err, "%.10g", s->s) || print_number(t, s->fsc, err) ||
            trj_output_print(t->out, err, "\t%llu\n", (unsigned long long)s->terms))
            return -1;
    }
    return 0;
}
