// SPDX-License-Identifier: MIT
// Writes what profiles of frames and sums of such profiles have in common.
#include "profile_table.h"

#include <math.h>

#include "decimal.h"
#include "sums.h"
#include "table_merge.h"

bool obs_profile_is_complete(const struct obs_profile_bins *p, size_t bin) {
    double largest = p->limit * (1 + 1e-9);
    return !p->geometry.about || (fabs(obs_profile_coordinate(&p->geometry, bin, 0)) <= largest &&
                                  fabs(obs_profile_coordinate(&p->geometry, bin, 1)) <= largest);
}

double obs_profile_position(const struct obs_profile_bins *p, size_t bin) {
    const double scale = p->geometry.about ? 1 : p->length / (double)p->frames;
    return scale * obs_profile_coordinate(&p->geometry, bin, 0.5);
}

void obs_profile_name_position(const struct obs_profile_bins *p, struct trj_table *t) {
    trj_table_name(t, "%c", p->geometry.shape == OBS_SLABS ? 'x' + p->geometry.axis : 'r');
}

void obs_profile_comment(const struct obs_profile_bins *p, struct trj_table *t) {
    const struct obs_profile_geometry *g = &p->geometry;
    const int axis = g->axis;
    double width = g->extent / (double)g->bins;
    size_t left_out = 0;
    for (size_t b = 0; b < g->bins; b++) left_out += !obs_profile_is_complete(p, b);
    if (g->shape == OBS_SLABS && !g->about)
        trj_table_comment(
            t,
            "profile: %zu slabs of equal width of each frame's cell, along the normal of the vectors %c and %c; %c: "
            "middle of the slab as a share of the cell, times the mean length of the cell along the normal, %.9g "
            "Angstrom",
            g->bins, 'a' + (axis + 1) % 3, 'a' + (axis + 2) % 3, 'x' + axis, p->length / (double)p->frames);
    else if (g->shape == OBS_SLABS)
        trj_table_comment(
            t,
            "profile: slabs of %.9g Angstrom, along the normal of the cell vectors %c and %c; %c: distance of the "
            "middle of the slab from %s, in Angstrom",
            2 * width, 'a' + (axis + 1) % 3, 'a' + (axis + 2) % 3, 'x' + axis, p->about);
    else if (g->shape == OBS_CYLINDER)
        trj_table_comment(t,
                          "profile: cylindrical shells of %.9g Angstrom about the axis through %s, parallel to the "
                          "cell vector %c, along the whole cell; r: middle of the shell in Angstrom",
                          width, p->about, 'a' + axis);
    else
        trj_table_comment(t, "profile: spherical shells of %.9g Angstrom about %s; r: middle of the shell in Angstrom",
                          width, p->about);
    trj_table_comment(t, OBS_FRAMES "%llu", (unsigned long long)p->frames);
    trj_table_comment(t, "a position at an edge belongs to the bin above it");
    if (g->about && isfinite(p->limit))
        trj_table_comment(t, "the nearest image of each atom counts, up to half of the cell: at least %.9g Angstrom",
                          p->limit);
    if (left_out)
        trj_table_comment(t, "left out, because beyond half of the smallest cell: %zu of %zu bins", left_out, g->bins);
    if (!g->about && p->outside > 0)
        trj_table_comment(
            t, "%.0f atoms, over all frames, are outside of the cell, along a vector that is not periodic", p->outside);
}

// ---------------------------------------------------------------------------------------------------------- exact sums

bool obs_profile_add(trj_wide *sum, double value) {
    return fabs(value) < OBS_PROFILE_LARGEST && trj_wide_add(sum, *sum, (trj_wide)(value / OBS_PROFILE_UNIT));
}

double obs_profile_mean(trj_wide sum, double weight) {
    return weight > 0 ? (double)sum * OBS_PROFILE_UNIT / weight : NAN;
}

void obs_profile_print(trj_wide sum, double weight, struct trj_table *t) {
    char text[TRJ_WIDE_CAPACITY];
    trj_wide_print(text, sum);
    trj_table_real(t, OBS_SUM_DIGITS, obs_profile_mean(sum, weight));
    trj_table_text(t, "%s", text);
}

void obs_profile_bins_write(const struct obs_profile_bins *p, trj_wide length, struct trj_table *t) {
    char sum[TRJ_WIDE_CAPACITY], limit[TRJ_DECIMAL_CAPACITY + 1], extent[TRJ_DECIMAL_CAPACITY + 1];
    const bool about = p->about;
    trj_wide_print(sum, length);
    extent[trj_print_real(extent, about ? p->geometry.extent : 0)] = 0;
    limit[trj_print_real(limit, about && isfinite(p->limit) ? p->limit : 0)] = 0;
    trj_table_comment(t, OBS_SUMS
                      "profile: over frames, in units of 2^-80 of the columns before them; those of P1 and P2 over "
                      "molecules or vectors; trjstat --merge adds them exactly");
    trj_table_comment(t, OBS_PROFILE_BINS "axis\tnumber\textent\tlimit or 0\tsum of lengths\toutside\tcentre");
    trj_table_comment(t, OBS_PROFILE_BINS "%s\t%zu\t%s\t%s\t%s\t%.0f\t%s", p->word, p->geometry.bins, extent, limit,
                      sum, p->outside, about ? p->about : "none");
}
