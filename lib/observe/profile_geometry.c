// SPDX-License-Identifier: MIT
// Assigns positions to the bins of profiles, in cells of any shape, so that all quantities use the same bins.
#include "profile_geometry.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "number.h"

#define PI   3.14159265358979323846
#define EDGE 1e-12 // of the profile: positions so close below an edge are at the edge
#define CORE 5.0   // Å, from the centre of a group along the normal of slabs, where it has atoms

const struct trj_choice obs_profile_words[] = {
    {"x", "slabs that divide the cell along its vector a"},
    {"y", "slabs along b"},
    {"z", "slabs along c"},
    {"cylinder:x", "shells of cylinders parallel to a"},
    {"cylinder:y", "shells parallel to b"},
    {"cylinder:z", "shells parallel to c"},
    {"sphere", "shells of spheres"},
    {0},
};

void obs_profile_geometry_set(struct obs_profile_geometry *g, const char *word, bool about, double extent,
                              size_t bins) {
    *g = (struct obs_profile_geometry){.shape = !word[1]       ? OBS_SLABS
                                                : *word == 'c' ? OBS_CYLINDER
                                                               : OBS_SPHERE,
                                       .about = about,
                                       .bins = bins,
                                       .extent = extent,
                                       .extent_is_given = !isnan(extent)};
    if (g->shape != OBS_SPHERE) g->axis = word[strlen(word) - 1] - 'x';
}

int obs_profile_geometry_open(struct obs_profile_geometry *g, const char *word, const char *about, double extent,
                              size_t bins, struct obs_system *s, struct trj_error *err) {
    obs_profile_geometry_set(g, word, about, extent, bins);
    if (!about && g->shape != OBS_SLABS)
        return trj_fail(err, TRJ_USAGE,
                        "--profile %s requires a centre; add --about, such as --about 'com(P)' or --about 10,10,10",
                        word);
    if (!about && g->extent_is_given)
        return trj_fail(err, TRJ_USAGE,
                        "--extent is the distance from a centre; add --about, or leave it out for slabs of the cell");
    if (g->extent_is_given && !(extent > 0 && extent <= TRJ_FARTHEST))
        return trj_fail(err, TRJ_USAGE, "--extent: invalid value %g: must be a distance in Angstrom above 0", extent);
    if (!about) return 0;
    g->fixed = trj_parse_reals(about, g->centre, 3) == 3;
    for (int k = 0; g->fixed && k < 3; k++)
        if (fabs(g->centre[k]) > TRJ_FARTHEST)
            return trj_fail(err, TRJ_USAGE, "--about: %s is beyond %g Angstrom; give a centre near the atoms", about,
                            TRJ_FARTHEST);
    if (g->fixed) return 0;
    return obs_point_parse(&g->point, about, s, err) ? trj_fail_at(err, "--about") : 0;
}

// ------------------------------------------------------------------------------------------------------------- a frame

// Sets heights from the centre, which may be that of a group that is wider than half of the cell in the plane of the
// slabs, such as a bilayer.
static int begin_slabs(struct obs_profile_frame *f, struct obs_view *v, struct trj_error *err) {
    const struct obs_profile_geometry *g = f->geometry;
    const struct obs_system *s = obs_view_system(v);
    const struct obs_positions *p;
    const double *mass = NULL;
    double nearest;
    if (obs_heights_make(&f->heights, &obs_view_frame(v)->cell, g->axis, err)) return -1;
    if (!(f->heights.length > 0))
        return trj_fail(err, TRJ_BAD_DATA, "the cell vector %c is unknown; give the cell: trjcat --cell",
                        'a' + g->axis);
    f->measure = g->about ? f->heights.area : f->heights.area * f->heights.length;
    f->limit = f->heights.period > 0 && g->about ? f->heights.period / 2 : INFINITY;
    if (!g->about) return 0;
    if (g->fixed) {
        f->heights.centre = trj_dot(f->heights.normal, g->centre);
        return 0;
    }
    const char *text = s->selection[g->point.selection].text;
    if (obs_view_positions(v, g->point.selection, &p, err) ||
        (g->point.of_mass && obs_system_need_property(s, "mass", g->point.selection, &mass, err)) ||
        obs_heights_find_centre(&f->heights, p, mass, text, &nearest, err))
        return trj_fail_at(err, "--about");
    if (nearest <= CORE) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "--about: '%s' has no atom within %g Angstrom of its centre, so that it is unknown on which side of "
        "it the centre is; select a group without a gap",
        text, CORE);
}

int obs_profile_frame_begin(struct obs_profile_frame *f, const struct obs_profile_geometry *g, struct obs_view *v,
                            struct trj_error *err) {
    *f = (struct obs_profile_frame){.geometry = g, .measure = 1};
    if (g->shape == OBS_SLABS) {
        if (begin_slabs(f, v, err)) return -1;
    } else {
        const struct trj_cell *cell = &obs_view_frame(v)->cell;
        if (g->shape == OBS_SPHERE ? obs_view_lattice(v, &f->lattice, err)
                                   : trj_lattice_project(&f->plane, cell, g->axis, f->axis, err))
            return -1;
        if (g->shape == OBS_CYLINDER) {
            f->lattice = &f->plane;
            f->measure = trj_norm(cell->h[g->axis]);
        }
        f->limit = trj_lattice_half_shortest(f->lattice);
        if (g->fixed)
            memcpy(f->centre, g->centre, sizeof f->centre);
        else if (obs_view_point(v, &g->point, f->centre, err))
            return trj_fail_at(err, "--about");
    }
    if (!g->extent_is_given || g->extent <= f->limit * (1 + 1e-9)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--extent: %g Angstrom is more than half of the cell, %.6g Angstrom, so that bins would contain "
                    "images; use at most this, or leave it out",
                    g->extent, f->limit);
}

int obs_profile_geometry_begin(struct obs_profile_geometry *g, struct obs_view *v, struct trj_error *err) {
    struct obs_profile_frame f;
    if (obs_profile_frame_begin(&f, g, v, err)) return -1;
    if (!g->about || g->extent_is_given) return 0;
    if (!isfinite(f.limit))
        return trj_fail(err, TRJ_USAGE, "no periodic boundary limits the distance from the centre; add --extent");
    g->extent = f.limit;
    return 0;
}

// ---------------------------------------------------------------------------------------------------------------- bins

double obs_profile_coordinate(const struct obs_profile_geometry *g, size_t bin, double part) {
    double share = ((double)bin + part) / (double)g->bins;
    if (!g->about) return share;
    return g->shape == OBS_SLABS ? (2 * share - 1) * g->extent : share * g->extent;
}

double obs_profile_measure(const struct obs_profile_geometry *g, size_t bin) {
    const double n = (double)g->bins, b = (double)bin, width = g->extent / n;
    if (g->shape == OBS_SLABS) return g->about ? 2 * width : 1 / n;
    // (b + 1)^2 - b^2 and (b + 1)^3 - b^3
    if (g->shape == OBS_CYLINDER) return PI * width * width * (2 * b + 1);
    return 4 * PI / 3 * width * width * width * (3 * b * (b + 1) + 1);
}

// Returns the bin of a share of the profile, of which edges are b / bins.
static size_t bin_of(double share, size_t bins) {
    const double n = (double)bins;
    share += EDGE;
    if (!(share >= 0 && share < 1)) return SIZE_MAX;
    double place = share * n;
    size_t b = (size_t)place;
    double rest = place - (double)b;
    if (rest > 1e-6 && rest < 1 - 1e-6) return b; // the product is not rounded to another bin
    while (b > 0 && share < (double)b / n) b--;
    while (share >= (double)(b + 1) / n) b++; // ends, as share < 1
    return b;
}

// Along a periodic vector, the upper edge of the last bin is the lower edge of the first one, also after rounding.
static double share_of_cell(const struct obs_profile_frame *f, const double x[3]) {
    double share = trj_dot(f->heights.normal, x) / f->heights.length;
    if (!(f->heights.period > 0) || (share >= 0 && share < 1 - 2 * EDGE)) return share;
    share -= floor(share + EDGE);
    return share + EDGE < 1 ? share : 0;
}

static double share_about(const struct obs_profile_frame *f, const double x[3]) {
    double h = obs_height(&f->heights, x);
    if (f->heights.period > 0 && h >= f->limit * (1 - 2 * EDGE)) h = -f->limit;
    return (h / f->geometry->extent + 1) / 2;
}

size_t obs_profile_bin(const struct obs_profile_frame *f, const double x[3], double direction[3]) {
    const struct obs_profile_geometry *g = f->geometry;
    if (g->shape == OBS_SLABS) {
        if (direction) memcpy(direction, f->heights.normal, sizeof f->heights.normal);
        return bin_of(g->about ? share_about(f, x) : share_of_cell(f, x), g->bins);
    }
    double d[3] = {x[0] - f->centre[0], x[1] - f->centre[1], x[2] - f->centre[2]};
    if (g->shape == OBS_CYLINDER) {
        double along = trj_dot(d, f->axis);
        for (int k = 0; k < 3; k++) d[k] -= along * f->axis[k];
    }
    trj_nearest_image(f->lattice, d);
    double r = trj_norm(d);
    for (int k = 0; direction && k < 3; k++) direction[k] = r > 0 ? d[k] / r : 0;
    return bin_of(r / g->extent, g->bins);
}
