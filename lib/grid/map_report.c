// SPDX-License-Identifier: MIT
// Describes a map for mapinfo with the same keys for all formats.
#include "map_report.h"

#include <math.h>

#include "frame_report.h"

static void put_place(struct trj_report *f, const struct trj_map *m, uint64_t number, const char *index_key,
                      const char *position_key) {
    uint64_t rest = number / m->components;
    double index[3], position[3];
    for (int k = 0; k < 3; k++) {
        index[k] = (double)(rest % m->lattice.n[k]);
        rest /= m->lattice.n[k];
    }
    trj_map_lattice_position(&m->lattice, index, position);
    for (int k = 0; k < 3; k++) position[k] = trj_report_rounded(position[k]);
    trj_report_reals(f, index_key, index, 3);
    trj_report_reals(f, position_key, position, 3);
}

static void put_summary(struct trj_report *f, const struct trj_map *m, const struct trj_map_finding *map) {
    const struct trj_map_summary *s = &map->summary;
    trj_report_count(f, "values", s->values);
    trj_report_count(f, "values_not_finite", s->not_finite);
    trj_report_real(f, "min", s->min);
    if (s->values) put_place(f, m, s->min_at, "min_index", "min_position");
    trj_report_real(f, "max", s->max);
    if (s->values) put_place(f, m, s->max_at, "max_index", "max_position");
    trj_report_real(f, "mean", s->mean);
    trj_report_real(f, "sigma", s->sigma);
    trj_report_real(f, "integral", s->values ? s->integral : NAN);
}

static void put_lattice(struct trj_report *f, const struct trj_map_lattice *l) {
    static const char *const steps[] = {"step_0", "step_1", "step_2"};
    const double points[3] = {(double)l->n[0], (double)l->n[1], (double)l->n[2]};
    struct trj_cell cell = trj_map_lattice_cell(l);
    double length[3], angle[3];
    trj_cell_shape(&cell, length, angle);
    for (int k = 0; k < 3; k++) {
        length[k] = trj_report_rounded(length[k]);
        angle[k] = trj_report_rounded(trj_degrees(angle[k]));
    }
    trj_report_reals(f, "points", points, 3);
    trj_report_reals(f, "origin", l->origin, 3);
    for (int k = 0; k < 3; k++) trj_report_reals(f, steps[k], l->step[k], 3);
    trj_report_real(f, "voxel_volume", trj_report_rounded(trj_map_lattice_voxel(l)));
    trj_report_reals(f, "cell_lengths", length, 3);
    trj_report_reals(f, "cell_angles", angle, 3);
    trj_report_periodic(f, l->periodic);
}

void trj_map_report(struct trj_report *f, const struct trj_map_reader *r, const struct trj_map_finding *maps,
                    size_t n) {
    static const char *const meanings[] = {"samples", "means", "totals"}, *const kinds[] = {"float32", "float64",
                                                                                            "multiples of a quantum",
                                                                                            "counts"};
    const struct trj_map *m = &r->map;
    uint64_t frames = 0;
    for (size_t i = 0; i < n; i++) frames += maps[i].frames;
    trj_report_text(f, "format", r->format->name);
    put_lattice(f, &m->lattice);
    // The statistics are those of means.
    trj_report_text(f, "quantity", *r->means.quantity ? r->means.quantity : NULL);
    trj_report_text(f, "unit", *r->means.unit ? r->means.unit : NULL);
    trj_report_text(f, "meaning", meanings[r->means.meaning]);
    trj_report_text(f, "type", kinds[m->kind]);
    trj_report_count(f, "components", m->components);
    if (r->record.atoms.count) trj_report_count(f, "atoms", r->record.atoms.count);
    trj_report_real(f, "quantum", m->kind == TRJ_MAP_QUANTA ? m->quantum : NAN);
    trj_report_real(f, "error_bound", r->means.error_bound > 0 ? r->means.error_bound : NAN);
    trj_report_count(f, "records", r->maps);
    trj_report_count(f, "frames", frames);
    if (n == 1) {
        trj_report_truth(f, "sum", maps->sum);
        trj_report_real(f, "weight", maps->sum ? maps->weight : NAN);
        put_summary(f, m, maps);
    }
    trj_report_begin_list(f, "maps");
    for (size_t i = 0; n > 1 && i < n; i++) {
        trj_report_begin_object(f, NULL);
        trj_report_count(f, "record", maps[i].record);
        trj_report_count(f, "frames", maps[i].frames);
        put_summary(f, m, &maps[i]);
        trj_report_end(f);
    }
    trj_report_end(f);
    trj_report_begin_list(f, "sources");
    for (size_t i = 0; r->origin && i < r->origin->source_count; i++) {
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", r->origin->sources[i].name);
        trj_report_fingerprint(f, r->origin->sources[i].fingerprint);
        trj_report_end(f);
    }
    trj_report_end(f);
    trj_report_texts(f, "provenance", r->origin ? r->origin->provenance : NULL,
                     r->origin ? r->origin->provenance_count : 0);
    trj_report_begin_list(f, "notes");
    for (size_t i = 0; i < r->notes.count; i++) trj_report_text(f, NULL, r->notes.text[i]);
    trj_report_end(f);
}
