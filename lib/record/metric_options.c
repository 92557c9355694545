// SPDX-License-Identifier: MIT
// Parses metrics, and prepares cell, layers and axes of molecules for each frame.
#include "metric_options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_limit.h"
#include "memory.h"
#include "number.h"

const struct trj_option rdf_metric_option_table[] = {
    {.heading = "What is measured",
     TRJ_OPTION_FIELD(0, "metric", CHOICE, struct rdf_metric_options, metric, "AXES",
                      "count distances along these axes only"),
     .choices = rdf_metric_choices},
    {TRJ_OPTION_FIELD(
        0, "dz", TEXT, struct rdf_metric_options, window, "H[:N]",
        "with a --metric of two axes: count only pairs whose distance along the third is below H Angstrom, "
        "in N bins of this distance (default: one)")},
    {TRJ_OPTION_FIELD(0, "angle", TEXT, struct rdf_metric_options, angle, "AXIS:N",
                      "also count by the angle between this axis and the vector from A to B, in N bins of its cosine")},
    {TRJ_OPTION_FIELD(0, "body", TEXT, struct rdf_metric_options, body, "AXES",
                      "with --angle: use an axis of the molecule that contains the atom of A: O:H:H (three atoms), "
                      "bisector:O:H:H, or principal:GROUP"),
     .carry = "principal:mass"},
    {TRJ_OPTION_FIELD(0, "layers", TEXT, struct rdf_metric_options, layers, "AXIS:N",
                      "divide each group into N layers of equal height along this axis of the cell, in each frame")},
    {TRJ_OPTION_FIELD(0, "own-images", FLAG, struct rdf_metric_options, own_images, NULL,
                      "also count the pairs of each atom with its own periodic images, for small cells")},
    TRJ_OPTION_END,
};

const struct trj_choice rdf_metric_choices[] = {{"xyz", "distances in space"},
                                                {"xy", "lateral distances in the plane of x and y"},
                                                {"xz", "lateral distances in the plane of x and z"},
                                                {"yz", "lateral distances in the plane of y and z"},
                                                {"x", "distances along x"},
                                                {"y", "distances along y"},
                                                {"z", "distances along z"},
                                                {NULL, NULL}};

// Reads "H" or "H:N".
static bool parse_window(const char *text, double *window, uint64_t *bins) {
    char number[64];
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    *bins = 1;
    if (n >= sizeof number || (colon && !trj_parse_u64(colon + 1, bins))) return false;
    memcpy(number, text, n);
    number[n] = 0;
    return trj_parse_real(number, window) && *window > 0 && *bins >= 1;
}

static int parse_metric(struct rdf_metric *m, const struct rdf_metric_options *o, struct trj_error *err) {
    *m = (struct rdf_metric){.kind = RDF_METRIC_DISTANCE};
    if (o->metric) rdf_metric_parse(m, o->metric);
    if (o->angle) {
        if (m->kind != RDF_METRIC_DISTANCE || o->window)
            return trj_fail(err, TRJ_USAGE, "--angle: applies to distances in space; leave --metric and --dz out");
        m->kind = o->body ? RDF_METRIC_BODY : RDF_METRIC_ANGLE;
        if (!rdf_metric_parse_axis(o->angle, &m->axis, &m->second))
            return trj_fail(err, TRJ_USAGE,
                            "--angle: invalid value '%s': expected an axis and a number of bins, as "
                            "z:20",
                            o->angle);
        return 0;
    }
    if (o->body) return trj_fail(err, TRJ_USAGE, "--body: requires an axis and bins; add --angle, as --angle x:20");
    if (!o->window) return 0;
    if (m->kind != RDF_METRIC_PLANE)
        return trj_fail(err, TRJ_USAGE, "--dz: requires a plane; add --metric xy, xz or yz");
    if (!parse_window(o->window, &m->window, &m->second))
        return trj_fail(err, TRJ_USAGE,
                        "--dz: invalid value '%s': expected a height above 0 in Angstrom, and "
                        "optionally a number of bins, as 2 or 20:40",
                        o->window);
    return 0;
}

int rdf_measurement_open(struct rdf_measurement *m, const struct rdf_metric_options *o, struct trj_error *err) {
    m->options = o;
    return parse_metric(&m->metric, o, err) || (o->body && trj_bodies_check(o->body, err)) ||
                   rdf_metric_check(&m->metric, err)
               ? -1
               : 0;
}

int rdf_measurement_check(const struct rdf_measurement *m, bool lag, bool others, const char *exclude,
                          struct trj_error *err) {
    const bool distance = m->metric.kind == RDF_METRIC_DISTANCE;
    if (lag && (!distance || m->options->layers))
        return trj_fail(err, TRJ_USAGE, "--lag: cannot be combined with --metric, --angle and --layers; leave one out");
    if (others && !distance)
        return trj_fail(err, TRJ_USAGE,
                        "--neighbours and --triplet: require distances in space, not --metric or --angle; count them "
                        "in a separate run");
    if (m->options->own_images && (lag || others || exclude || !distance || m->options->layers))
        return trj_fail(err, TRJ_USAGE,
                        "--own-images: applies to distances in space of all pairs; leave out --lag, --neighbours, "
                        "--triplet, --exclude, --metric, --angle and --layers");
    if (exclude && rdf_metric_has_density(&m->metric))
        return trj_fail(err, TRJ_USAGE,
                        "--exclude: cannot be combined with --metric, because the density by which counts are divided "
                        "includes all pairs; select groups of one atom of each molecule instead");
    return 0;
}

// Adds the axes of molecules to the places of a frame.
static int add_axes(struct rdf_measurement *m, const struct trj_stream_header *h, struct trj_frame *f,
                    struct trj_error *err) {
    struct trj_bodies *b = &m->bodies;
    struct trj_frame *to = &m->places;
    const size_t n = f->atoms;
    if (!b->header && trj_bodies_open(b, m->options->body, h, err)) return -1;
    if (trj_bodies_place(b, f, err) || trj_frame_resize(to, 2 * n, err)) return -1;
    for (int k = 0; k < 3; k++) {
        memcpy(to->x[k], f->x[k], n * sizeof *to->x[k]);
        for (size_t i = 0; i < n; i++)
            to->x[k][n + i] =
                b->body_of_atom[i] == TRJ_NO_BODY ? 0 : (float)b->axis[b->body_of_atom[i]][m->metric.axis][k];
    }
    to->stored.known = false;
    to->farthest = 0;
    trj_frame_exchange(f, to);
    return 0;
}

int rdf_measurement_frame(struct rdf_measurement *m, const struct trj_stream_header *h, struct trj_frame *f,
                          struct trj_error *err) {
    if (m->options->layers) {
        if (!m->layers.source && rdf_layers_open(&m->layers, m->options->layers, h, err)) return -1;
        if (rdf_layers_apply(&m->layers, f, err)) return -1;
    }
    return m->metric.kind == RDF_METRIC_BODY ? add_axes(m, h, f, err) : 0;
}

const struct trj_stream_header *rdf_measurement_header(const struct rdf_measurement *m,
                                                       const struct trj_stream_header *h) {
    return m->layers.source ? &m->layers.header : h;
}

// Names the metric of a system in two dimensions, whose images across its plane would be counted, too.
static void note_flat(const struct trj_frame *first, void (*note)(const char *text)) {
    static const char *const planes[] = {"yz", "xz", "xy"};
    char text[120];
    int axis = rdf_flat_axis(first);
    if (axis < 0) return;
    bool thin = first->cell.periodic == TRJ_PERIODIC_ALL;
    snprintf(text, sizeof text,
             "all atoms have the same %c, and the cell %s along %c: for a system in two dimensions, add --metric %s",
             "xyz"[axis], thin ? "is thin" : "has no height", "xyz"[axis], planes[axis]);
    note(text);
}

int rdf_measurement_image_limit(double *half, const struct rdf_measurement *m, const struct trj_frame *first,
                                void (*note)(const char *text), struct trj_error *err) {
    const struct trj_cell *cell = &first->cell;
    struct trj_cell seen = *cell;
    if (rdf_metric_check_cell(&m->metric, &seen, err)) return -1;
    if (rdf_metric_has_density(&m->metric) && rdf_metric_takes_uniform(&m->metric, cell))
        note("no two cell vectors lie in the plane of --metric, so that rdfnorm takes the density across this plane as "
             "uniform");
    if (m->metric.kind == RDF_METRIC_DISTANCE) note_flat(first, note);
    rdf_metric_project_cell(&m->metric, &seen);
    *half = trj_cell_min_width(&seen) / 2;
    return 0;
}

static int check_bodies(const struct rdf_measurement *m, const struct trj_group *a, struct trj_error *err) {
    for (size_t i = 0; i < a->count; i++)
        if (m->bodies.body_of_atom[a->atoms[i]] == TRJ_NO_BODY)
            return trj_fail(err, TRJ_BAD_DATA,
                            "--body: atom %lu of group %s is in no molecule with the axes %s; count with a group of "
                            "atoms of these molecules first (-p A:B)",
                            (unsigned long)trj_bodies_number(&m->bodies, a->atoms[i]), a->name, m->options->body);
    return 0;
}

int rdf_measurement_order(struct rdf_measurement *m, struct rdf_job *job, struct rdf_setup *s, struct trj_error *err) {
    size_t n = job->group_count;
    s->own_images = m->options->own_images;
    for (size_t g = 0; s->own_images && g < n; g++)
        if (job->groups[g].dynamic)
            return trj_fail(
                err, TRJ_USAGE,
                "--own-images: the atoms of group %s change from frame to frame; give groups of fixed atoms "
                "only (trjcat -g)",
                job->groups[g].name);
    if (!rdf_metric_is_angle(&m->metric)) return 0;
    if (m->metric.kind == RDF_METRIC_BODY) {
        for (size_t p = 0; p < job->pair_count; p++)
            if (check_bodies(m, &job->groups[s->pairs[p].a], err)) return -1;
        job->atoms *= 2;
        s->body = m->body = trj_copy_text(m->options->body, err);
        if (!m->body) return -1;
    }
    m->groups = trj_alloc(2 * n, sizeof *m->groups, "groups", err);
    m->pairs = m->groups ? trj_alloc(job->pair_count, sizeof *m->pairs, "pairs", err) : NULL;
    if (!m->pairs) return -1;
    for (size_t g = 0; g < 2 * n; g++) m->groups[g] = job->groups[g % n];
    for (size_t p = 0; p < job->pair_count; p++) {
        if (s->pairs[p].a == s->pairs[p].b) s->pairs[p].pairs *= 2;
        m->pairs[p] = s->pairs[p];
        if (s->pairs[p].a == s->pairs[p].b) m->pairs[p].b += (uint32_t)n;
    }
    job->groups = m->groups;
    job->group_count = 2 * n;
    job->pairs = m->pairs;
    return 0;
}

void rdf_measurement_free(struct rdf_measurement *m) {
    rdf_layers_free(&m->layers);
    trj_bodies_free(&m->bodies);
    trj_frame_free(&m->places);
    free(m->body);
    free(m->groups);
    free(m->pairs);
    *m = (struct rdf_measurement){.options = NULL};
}
