// SPDX-License-Identifier: MIT
// Decides which volume, height and shells apply to the frames of records, because cells of frames can differ.
#include "norm_parts.h"

#include <math.h>

#include "shell.h"

bool rdf_sums_take_volumes(const struct rdf_sums *s, const struct rdf_convention *c) {
    return !(rdf_sums_given_volume(s) > 0) && c->density != RDF_GIVEN && c->density != RDF_OF_METRIC;
}

static bool is_slab(const struct rdf_record *r) {
    return r->height_max > 0;
}

// The smallest height; see rdf_sums_across.
static double across_min(const struct rdf_sums *s, const struct rdf_record *r) {
    return s->plane && !is_slab(r) ? r->spacing_min[s->plane - 1] : r->height_min;
}

double rdf_sums_across(const struct rdf_sums *s, const struct rdf_record *r) {
    return s->plane && !is_slab(r) ? r->spacing_max[s->plane - 1] : r->height_max;
}

void rdf_sums_cell_heights(double height[2], const struct rdf_sums *s, const struct rdf_record *all) {
    struct rdf_convention c;
    struct trj_error ignored;
    bool cell = s->norm && !rdf_convention_of(&c, s, &ignored) && rdf_sums_take_volumes(s, &c) &&
                c.measure == RDF_SHELL && !(s->slab > 0) && is_slab(all);
    height[0] = cell ? all->height_min : 0;
    height[1] = cell ? all->height_max : 0;
}

// Checks that images of an object of length `extent`, along the directions `periodic`, are beyond all bins.
static int check_images(const struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *t,
                        unsigned periodic, double extent, struct trj_error *err) {
    double farthest = rdf_coarse_bins_edge(&s->coarse, &setup->bins, s->coarse.bins);
    for (unsigned k = 0; k < 3; k++) {
        if (!(periodic & 1u << k)) continue;
        if (t->volume_frames < t->frames || !(t->spacing_min[k] > 0))
            return trj_fail(err, TRJ_BAD_DATA,
                            "frames are periodic along %c with an unknown period; set the directions with trjcat "
                            "--periodic, or count again",
                            "xyz"[k]);
        double from = t->spacing_min[k] - extent;
        if (from <= setup->bins.rmin)
            return trj_fail(err, TRJ_BAD_DATA,
                            "frames are periodic along %c, where images are as near as %.10g Å, so that all bins "
                            "contain pairs with images; see trjcat --periodic",
                            "xyz"[k], t -> spacing_min[k]);
        if (farthest > from)
            return trj_fail(err, TRJ_BAD_DATA,
                            "frames are periodic along %c, so that bins from %.10g Å on contain pairs with images, and "
                            "they reach to %.10g; give a range that ends before, or see trjcat --periodic",
                            "xyz"[k], from, farthest);
    }
    return 0;
}

static int check_volumes(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                         const struct rdf_record *t, struct trj_error *err) {
    const char *use = t->periodic_any
                          ? "give --volume, or print rdfnorm --counts, or for a system in two dimensions count with "
                            "rdfhist --metric, such as --metric xy"
                          : "if the system is periodic, count again with its cell (trjcat -c A,B,C); otherwise "
                            "give --volume, or print rdfnorm --counts, or, where atoms fill a sphere or a box, "
                            "rdfnorm --droplet or --box";
    if (t->periodic_all != t->periodic_any)
        return trj_fail(err, TRJ_BAD_DATA, "frames of different periodicity have no common g(r); %s", use);
    if (t->volume_frames < t->frames)
        return trj_fail(err, TRJ_BAD_DATA, "%llu of %llu frames have no volume; %s",
                        (unsigned long long)(t->frames - t->volume_frames), (unsigned long long)t->frames,
                        c->measure == RDF_RING
                            ? "for atoms in a plane give the cell any height, for example trjcat --cell A,B,1"
                            : use);
    bool all = t->periodic_all == TRJ_PERIODIC_ALL;
    if (s->plane && !all && t->periodic_all != (TRJ_PERIODIC_ALL & ~(1u << (s->plane - 1))))
        return trj_fail(err, TRJ_BAD_DATA,
                        "plane: frames are periodic neither in the plane across %c nor in all directions; give another "
                        "--plane, or see trjcat --periodic",
                        "xyz"[s->plane - 1]);
    if (c->measure == RDF_RING && all && !s->plane)
        return trj_fail(err, TRJ_BAD_DATA,
                        "frames that are not periodic in exactly two directions do not define a plane; give --plane, "
                        "or see trjcat --periodic");
    if (s->slab > 0 && all && !s->plane)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "thickness: frames that are periodic in all directions do not define the plane of the slab; give --plane");
    if (!all && !is_slab(t))
        return trj_fail(err, TRJ_BAD_DATA, "frames periodic in fewer than two directions have no uniform density; %s",
                        use);
    return s->plane ? check_images(s, setup, t, t->periodic_all & 1u << (s->plane - 1), fmax(s->slab, 0), err) : 0;
}

// Sets *result to whether one normalisation applies to all records, so that their counts can be added first.
static int uniform(bool *result, const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_hist *h,
                   const struct rdf_record *all, struct trj_error *err) {
    *result = c->density != RDF_FRAME_BY_FRAME && rdf_same_height(across_min(s, all), rdf_sums_across(s, all));
    for (size_t i = 0; i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        if (c->density == RDF_FRAME_BY_FRAME && r->volume_min != r->volume_max)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "the volume varies within a record, and this convention divides by the volume of each frame; "
                "count with rdfhist -B 1");
        if (!rdf_same_height(across_min(s, r), rdf_sums_across(s, r)))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the thickness of the slab, or of the cell across the plane, varies within a record; count "
                            "with rdfhist -B 1");
    }
    return 0;
}

static int check_single_frames(const struct rdf_hist *h, struct trj_error *err) {
    for (size_t i = 0; i < h->record_count; i++)
        if (h->records[i].frames > 1)
            return trj_fail(err, TRJ_BAD_DATA,
                            "dynamic groups change within a record, and this convention divides by the pairs of each "
                            "frame; count with rdfhist -B 1");
    return 0;
}

int rdf_sums_fit(bool *together, const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_hist *h,
                 const struct rdf_record *all, struct trj_error *err) {
    *together = true;
    if (c->density == RDF_OF_METRIC && s->density_frames < all->frames)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "%llu of %llu frames are not periodic along %s, so that there is no mean density; print rdfnorm "
            "--counts or --norm none",
            (unsigned long long)(all->frames - s->density_frames), (unsigned long long)all->frames,
            s->metric.kind == RDF_METRIC_AXIS ? "the axis" : "the plane");
    if (c->measure == RDF_CELL && c->density != RDF_OF_METRIC && all->periodic_all != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "frames are not periodic in three directions, so that there is no mean density; print rdfnorm "
                        "--counts or --norm none");
    if (rdf_sums_take_volumes(s, c) &&
        (check_volumes(s, c, &h->setup, all, err) || uniform(together, s, c, h, all, err)))
        return -1;
    if (c->density == RDF_FRAME_BY_FRAME && rdf_setup_has_dynamic_group(&h->setup)) {
        *together = false;
        if (check_single_frames(h, err)) return -1;
    }
    return rdf_sums_have_body(s) ? check_images(s, &h->setup, all, all->periodic_any, rdf_sums_body_farthest(s), err)
                                 : 0;
}
