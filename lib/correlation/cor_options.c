// SPDX-License-Identifier: MIT
// Checks the options of mapcc together, because which of them exclude each other depends on the kind of input.
#include "cor_options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

const struct trj_option cor_option_table[] = {
    {.heading = "Maps",
     TRJ_OPTION_FIELD('m', "map", TEXT, struct cor_options, map, "FILE", "correlate the frames with this map")},
    {TRJ_OPTION_FIELD(0, "fsc", FLAG, struct cor_options, fsc, NULL,
                      "print the Fourier shell correlation of two maps instead of their scores")},
    {.heading = "Simulated density",
     TRJ_OPTION_FIELD(0, "of", TEXT, struct cor_options, group, "GROUP",
                      "use the atoms of this group (default: the only group of the stream)")},
    {TRJ_OPTION_FIELD('r', "resolution", REAL, struct cor_options, resolution, "R",
                      "set the resolution of the map in Angstrom, from which the width of the Gaussians follows")},
    {TRJ_OPTION_FIELD(0, "sigma-factor", TEXT, struct cor_options, sigma_factor, "FACTOR",
                      "set the width of the Gaussians to this multiple of the resolution: " DEN_RESOLUTION_FACTORS)},
    {TRJ_OPTION_FIELD(0, "sigma", REAL, struct cor_options, sigma, "S",
                      "set the width of the Gaussians in Angstrom, instead of --resolution")},
    {TRJ_OPTION_FIELD('a', "amplitude", CHOICE, struct cor_options, amplitude, "WHAT",
                      "weight the Gaussian of an atom by this quantity"),
     .choices = cor_amplitudes},
    {TRJ_OPTION_FIELD(0, "dump", TEXT, struct cor_options, dump, "FILE",
                      "also write the simulated density of the first frame to this map file"),
     .role = TRJ_ROLE_OUTPUT},
    {.heading = "Scores",
     TRJ_OPTION_FIELD('s', "score", CHOICE, struct cor_options, score, "SCORE", "print this score for each frame"),
     .choices = cor_scores},
    {TRJ_OPTION_FIELD(
        0, "mask", LIST, struct cor_options, masks, "MASK",
        "use only these points: 2sigma, level:L, simulated:F, radius:R or a file (default: all; with --per, "
        "simulated:0.1)")},
    {TRJ_OPTION_FIELD(0, "per", CHOICE, struct cor_options, per, "PART",
                      "print a score for each of these parts of the group"),
     .choices = cor_parts, .carry = "segid:segid"},
    {TRJ_OPTION_FIELD(0, "local", CHOICE, struct cor_options, local, "DENSITY",
                      "correlate this density at the points of a part (default: own)"),
     .choices = cor_locals},
    TRJ_OPTION_END,
};

const struct trj_choice cor_locals[] = {
    {"own", "the density of the part alone"}, {"whole", "the density of the whole group"}, {NULL, NULL}};

void cor_options_start(struct cor_options *o) {
    o->amplitude = cor_amplitudes[0].name;
    o->score = cor_scores[0].name;
}

bool cor_options_whole(const struct cor_options *o) {
    return o->local && !strcmp(o->local, "whole");
}

static int check_combination(struct cor_options *o, int operands, struct trj_error *err) {
    static const char *const simulated[] = {"simulated:0.1"};
    bool frames = o->map != NULL;
    if (!frames && operands != 2)
        return trj_fail(err, TRJ_USAGE, "give two maps, or --map FILE for the frames of a stream; see mapcc --help");
    if (frames && o->fsc) return trj_fail(err, TRJ_USAGE, "--fsc compares two maps; give them without --map");
    if (frames && operands > 1) return trj_fail(err, TRJ_USAGE, "with --map, expected at most one frame stream");
    if (frames && isnan(o->sigma) == isnan(o->resolution))
        return trj_fail(err, TRJ_USAGE, "%s",
                        isnan(o->sigma)
                            ? "the width of the Gaussians is missing; give --resolution R, such as --resolution 6.6"
                            : "--sigma and --resolution contradict each other; leave one out");
    if (!frames && (o->group || o->per || o->local || o->dump || !isnan(o->sigma) || !isnan(o->resolution)))
        return trj_fail(err, TRJ_USAGE, "options of the simulated density require --map FILE");
    if (!isnan(o->resolution) && !(o->resolution > 0))
        return trj_fail(err, TRJ_USAGE, "--resolution: invalid value %g: must be above 0", o->resolution);
    if (!isnan(o->sigma) && !(o->sigma > 0))
        return trj_fail(err, TRJ_USAGE, "--sigma: invalid value %g: must be above 0", o->sigma);
    if (o->local && !o->per) return trj_fail(err, TRJ_USAGE, "--local requires --per, which divides the group");
    if (o->fsc && o->masks.count)
        return trj_fail(err, TRJ_USAGE,
                        "--mask applies to scores, not to --fsc; multiply the maps by a mask with mapmath");
    if (o->per && !o->masks.count) {
        if (!(o->masks.texts = trj_alloc(1, sizeof *o->masks.texts, "masks", err))) return -1;
        o->masks.texts[o->masks.count++] = simulated[0];
    }
    return 0;
}

static int check_mask(const struct cor_options *o, const struct cor_mask *m, struct trj_error *err) {
    if (!o->map && cor_mask_is_local(m))
        return trj_fail(err, TRJ_USAGE,
                        "--mask: simulated:F and radius:R require atoms; use 2sigma, level:L or a file");
    if (cor_options_whole(o) && !cor_mask_is_local(m))
        return trj_fail(err, TRJ_USAGE,
                        "--local whole: all parts would have the same points; add --mask simulated:F or radius:R");
    return 0;
}

int cor_options_check(struct cor_options *o, int operands, struct cor_mask *mask, struct trj_error *err) {
    return check_combination(o, operands, err) || cor_mask_parse(mask, &o->masks, err) || check_mask(o, mask, err) ? -1
                                                                                                                   : 0;
}

int cor_options_sigma(const struct cor_options *o, double *sigma, char *text, struct trj_error *err) {
    double factor;
    *sigma = o->sigma;
    if (isnan(o->resolution)) {
        snprintf(text, COR_SIGMA_TEXT, "%.7g Angstrom", *sigma);
        return 0;
    }
    if (den_resolution_factor(&factor, o->sigma_factor, err)) return trj_fail_at(err, "--sigma-factor");
    *sigma = factor * o->resolution;
    snprintf(text, COR_SIGMA_TEXT, "%.7g Angstrom, %.5g times the resolution of %.7g Angstrom", *sigma, factor,
             o->resolution);
    return 0;
}
