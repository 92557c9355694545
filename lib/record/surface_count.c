// SPDX-License-Identifier: MIT
// Turns the option of surfaces into a set-up, and adds the counts of each frame to its record.
#include "surface_count.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

const struct trj_option rdf_surface_option_table[] = {
    {.heading = "Surfaces",
     TRJ_OPTION_FIELD(0, "surface", TEXT, struct rdf_surface_options, surface, "OBJECT[:N]",
                      "also count the distances of the atoms of B from the nearest atom of A (set), or of each of its "
                      "residues or molecules (residue, molecule); the volumes at these distances are found from N^3 "
                      "points in each frame (default: 40)")},
    TRJ_OPTION_END,
};

struct rdf_surface_counter {
    const struct rdf_setup *setup;
    struct rdf_surface_search *search;
};

static int parse(struct rdf_surface_setup *s, const char *text, struct trj_error *err) {
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    uint64_t lattice = RDF_SURFACE_LATTICE;
    *s = (struct rdf_surface_setup){.kind = RDF_SURFACE_NONE};
    for (enum rdf_surface_kind k = RDF_SURFACE_SET; k < RDF_SURFACES; k++)
        if (strlen(rdf_surface_name(k)) == n && !strncmp(rdf_surface_name(k), text, n)) s->kind = k;
    if (!s->kind || (colon && !trj_parse_u64(colon + 1, &lattice)) || !lattice || lattice > RDF_MAX_SURFACE_LATTICE)
        return trj_fail(err, TRJ_USAGE,
                        "--surface: invalid value '%s': expected set, residue or molecule, and optionally a number "
                        "from 1 to %d, as molecule:60",
                        text, RDF_MAX_SURFACE_LATTICE);
    s->lattice = (uint32_t)lattice;
    return 0;
}

int rdf_surface_options_check(const struct rdf_surface_options *o, bool lag, const char *exclude,
                              const struct rdf_measurement *m, struct trj_error *err) {
    struct rdf_surface_setup s;
    if (!o->surface) return 0;
    if (parse(&s, o->surface, err)) return -1;
    if (lag || exclude || m->metric.kind != RDF_METRIC_DISTANCE || m->options->layers || m->options->own_images)
        return trj_fail(err, TRJ_USAGE,
                        "--surface: applies to distances in space of atoms of one frame; leave out --lag, --exclude, "
                        "--metric, --angle, --layers and --own-images");
    return 0;
}

static int find_numbers(const uint32_t **number, enum rdf_surface_kind kind, const struct trj_stream_header *h,
                        struct trj_error *err) {
    *number = kind == RDF_SURFACE_RESIDUE ? h->residue : kind == RDF_SURFACE_MOLECULE ? h->molecule : NULL;
    if (*number || kind == RDF_SURFACE_SET) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "--surface %s: the stream has no %ss; give trjcat a topology with %s, with -t",
                    rdf_surface_name(kind), rdf_surface_name(kind), kind == RDF_SURFACE_RESIDUE ? "residues" : "bonds");
}

int rdf_surface_counter_open(struct rdf_surface_counter **result, const struct rdf_surface_options *o,
                             const struct trj_stream_header *h, const struct rdf_job *job, struct rdf_setup *setup,
                             const struct rdf_engine *engine, struct trj_error *err) {
    const uint32_t *number;
    if (!o->surface) return 0;
    if (parse(&setup->surface, o->surface, err) || find_numbers(&number, setup->surface.kind, h, err)) return -1;
    struct rdf_surface_counter *c = trj_alloc(1, sizeof *c, "surfaces", err);
    if (!c) return -1;
    c->setup = setup;
    if (rdf_surface_search_open(&c->search, job, &setup->surface, number, engine == &rdf_engine_reference, err)) {
        free(c);
        return trj_fail_at(err, "--surface");
    }
    *result = c;
    return 0;
}

int rdf_surface_counter_add(struct rdf_surface_counter *c, const struct trj_frame *f, struct rdf_record *record,
                            struct trj_error *err) {
    const size_t bins = rdf_setup_surface_bins(c->setup), row = rdf_setup_surface_row(c->setup);
    if (rdf_surface_search_frame(c->search, f, err)) return trj_fail_at(err, "--surface");
    for (size_t p = 0; p < c->setup->pair_count; p++) {
        const struct rdf_surface_counts *found = &rdf_surface_search_counts(c->search)[p];
        uint64_t *to = record->surface + p * row;
        to[RDF_SURFACE_OBJECTS] += found->objects;
        to[RDF_SURFACE_PAIRS] += found->pairs;
        for (size_t k = 0; k < bins; k++) {
            to[RDF_SURFACE_SUMS + k] += found->counts[k];
            rdf_wide_add(&record->surface_points[p * bins + k], (rdf_wide)found->points[k]);
        }
    }
    return 0;
}

void rdf_surface_counter_close(struct rdf_surface_counter *c) {
    if (!c) return;
    rdf_surface_search_close(c->search);
    free(c);
}
