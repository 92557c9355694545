// SPDX-License-Identifier: MIT
// States each convention as a row of a table, so that a new one needs no code, and rejects options without effect.
#include "norm_parts.h"

#include <string.h>

enum { DENSITY, MDANALYSIS, GROMACS, VMD, MDTRAJ, CPPTRAJ, PLANE, NUMBER, RADIAL, NONE, CONVENTIONS };

const struct trj_choice rdf_norms[CONVENTIONS + 1] = {
    [DENSITY] = {"density", "mean density <1/V>, pairs of different atoms"},
    [MDANALYSIS] = {"mdanalysis",
                    "mean volume <V>, pairs of different atoms, N_A N_B of two groups (MDAnalysis InterRDF)"},
    [GROMACS] = {"gromacs", "<1/V>, but N^2 pairs for a group with itself (gmx rdf)"},
    [VMD] = {"vmd",
             "g(r) of each frame with its own V, then the mean (measure gofr); requires rdfhist -B 1 if V varies"},
    [MDTRAJ] = {"mdtraj", "as density (mdtraj.compute_rdf with the pairs of select_pairs)"},
    [CPPTRAJ] = {"cpptraj", "density 0.033456 of B (water), or --density; pairs of different atoms (cpptraj radial)"},
    [PLANE] = {"plane",
               "g(r) in two dimensions, in the plane of frames periodic in two directions, or that of --plane"},
    [NUMBER] = {"number", "atoms of B per cubic Angstrom, rho g(r); requires no volume"},
    [RADIAL] = {"radial", "atoms of B per Angstrom, 4 pi r^2 rho g(r); requires no volume"},
    [NONE] = {"none", "atoms of B in the bin, around one of A; requires no volume"},
};

#define G_S                                                                                                            \
    { "Gs", "G_s(r,t), share of the atoms displaced by this distance, per cubic Angstrom" }
static const struct rdf_convention conventions[CONVENTIONS] = {
    [DENSITY] = {.density = RDF_MEAN_INVERSE_VOLUME, .self = G_S},
    [MDANALYSIS] = {.density = RDF_INVERSE_MEAN_VOLUME, .square = RDF_OF_TWO},
    [GROMACS] = {.density = RDF_MEAN_INVERSE_VOLUME, .square = RDF_ALWAYS},
    [VMD] = {.density = RDF_FRAME_BY_FRAME},
    [MDTRAJ] = {.density = RDF_MEAN_INVERSE_VOLUME},
    [CPPTRAJ] = {.density = RDF_GIVEN, .given = 0.033456, .around_pairs = true},
    [PLANE] = {.density = RDF_MEAN_INVERSE_VOLUME, .measure = RDF_RING},
    [NUMBER] = {.density = RDF_GIVEN,
                .given = 1,
                .column = {"number", "rho g(r), atoms of B per cubic Angstrom around one of A"},
                .self = G_S},
    [RADIAL] = {.density = RDF_GIVEN,
                .given = 1,
                .measure = RDF_WIDTH,
                .column = {"radial", "4 pi r^2 rho g(r), atoms of B per Angstrom around one of A"},
                .self = {"radialGs", "4 pi r^2 G_s(r,t), share of the atoms displaced by this distance, per Angstrom"}},
    [NONE] = {.density = RDF_GIVEN,
              .given = 1,
              .measure = RDF_BIN,
              .column = {"atoms", "atoms of B in the bin, around one of A"},
              .self = {"share", "share of the atoms displaced by this distance"}},
};

static size_t number_of(const char *name) {
    size_t i = 0;
    while (i < CONVENTIONS && strcmp(rdf_norms[i].name, name) != 0) i++;
    return i;
}

const struct trj_choice *rdf_norm_column(const char *norm, bool self) {
    static const struct trj_choice g = {"g", "g(r)"};
    size_t i = number_of(norm);
    if (i == CONVENTIONS) return &g;
    const struct trj_choice *column = self ? &conventions[i].self : &conventions[i].column;
    return column->name ? column : &g;
}

// Fails if the options of a slab have no effect, or if one is missing.
static int check_slab(const struct rdf_convention *c, const struct rdf_sums *s, bool given, struct trj_error *err) {
    const char *what = s->slab > 0 ? "thickness" : "plane";
    if (given)
        return trj_fail(
            err, TRJ_USAGE,
            "%s: applies to volumes of the frames; leave it out, or leave out --volume, --density, --droplet and --box",
            what);
    if (c->density == RDF_GIVEN || (c->measure == RDF_RING && s->slab > 0))
        return trj_fail(err, TRJ_USAGE, "%s: has no effect with --norm %s; leave it out", what, s->norm);
    if (c->measure != RDF_RING && !(s->slab > 0))
        return trj_fail(
            err, TRJ_USAGE,
            "plane: requires --norm plane for atoms in a plane, or --thickness for a slab; give one of them");
    return 0;
}

// Changes the convention to that of the metric. Fails if some of the options apply to distances in space only.
static int adapt_to_metric(struct rdf_convention *c, const struct rdf_sums *s, size_t number, struct trj_error *err) {
    if (s->metric.kind == RDF_METRIC_DISTANCE) return 0;
    if (number != DENSITY && number != NONE)
        return trj_fail(err, TRJ_USAGE, "norm: %s applies to distances in space, not to the %s; use density or none",
                        s->norm, rdf_metric_is_angle(&s->metric) ? "angle" : "metric");
    if (s->volume > 0 || s->density > 0 || rdf_sums_have_body(s) || s->plane || s->slab > 0 || s->total_count)
        return trj_fail(err, TRJ_USAGE,
                        "--volume, --density, --droplet, --box, --plane, --thickness and --total apply to distances in "
                        "space, not to counts with rdfhist --metric or --angle; leave them out");
    if (number == NONE) return 0;
    if (rdf_metric_has_density(&s->metric)) c->density = RDF_OF_METRIC;
    c->measure = RDF_CELL;
    return 0;
}

// A zero or NaN in the options means that the value is not given.
int rdf_convention_of(struct rdf_convention *c, const struct rdf_sums *s, struct trj_error *err) {
    size_t i = number_of(s->norm);
    if (i == CONVENTIONS) return trj_fail(err, TRJ_USAGE, "norm: unknown convention '%s'; see --help", s->norm);
    *c = conventions[i];
    if (adapt_to_metric(c, s, i, err)) return -1;
    bool volume = s->volume > 0, density = s->density > 0, droplet = s->droplet > 0, box = s->box.side[0] > 0;
    if (volume + density + droplet + box > 1)
        return trj_fail(err, TRJ_USAGE,
                        "--volume, --density, --droplet and --box exclude one another; give one of them");
    if (density && i != DENSITY && i != CPPTRAJ)
        return trj_fail(err, TRJ_USAGE, "density: has no effect with --norm %s; leave it out", s->norm);
    if ((volume || rdf_sums_have_body(s)) && (c->density == RDF_GIVEN || c->measure == RDF_RING))
        return trj_fail(err, TRJ_USAGE, "%s: has no effect with --norm %s; leave it out",
                        volume    ? "volume"
                        : droplet ? "droplet"
                                  : "box",
                        s->norm);
    if ((s->plane || s->slab > 0) && check_slab(c, s, volume || density || rdf_sums_have_body(s), err)) return -1;
    if (density) {
        c->density = RDF_GIVEN;
        c->given = s->density;
    }
    if (s->total_count && c->density == RDF_GIVEN)
        return trj_fail(err, TRJ_USAGE, "total: %s applies to B around A, not to all atoms; leave one of them out",
                        density ? "a given density" : s->norm);
    if (!s->self) return 0;
    if (volume || density || rdf_sums_have_body(s) || s->total_count)
        return trj_fail(err, TRJ_USAGE,
                        "--self: --volume, --density, --droplet, --box and --total have no effect; leave them out");
    if (!c->self.name)
        return trj_fail(err, TRJ_USAGE, "norm: the self part is a density; use --norm density, number, radial or none");
    c->density = RDF_GIVEN;
    c->given = 1;
    return 0;
}

int rdf_sums_check(const struct rdf_sums *s, struct trj_error *err) {
    struct rdf_convention c;
    return s->norm ? rdf_convention_of(&c, s, err) : 0;
}
