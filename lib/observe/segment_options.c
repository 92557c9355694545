// SPDX-License-Identifier: MIT
// Defines the options of segments of a trajectory, and rejects what cannot be added.
#include "segment_options.h"

#include <math.h>
#include <string.h>

const struct trj_option obs_segment_option_table[] = {
    {.heading = "Segments",
     TRJ_OPTION_FIELD(
         0, "sums", FLAG, struct obs_ensemble_options, sums, NULL,
         "add exact sums to the table of --rmsf, --map or --profile, so that --merge can add it to others")},
    {TRJ_OPTION_FIELD(0, "merge", FLAG, struct obs_ensemble_options, merge, NULL,
                      "merge tables of segments into one: operands are FILEs that trjstat has printed"),
     .role = TRJ_ROLE_TABLES},
    TRJ_OPTION_END,
};

// --merge has no other options: the tables determine all else.
int obs_segments_check_merge(const struct obs_ensemble_options *o, struct trj_error *err) {
    const struct obs_histogram_options *h = &o->histogram;
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {o->fluctuation, "rmsf"},
        {o->principal, "pca"},
        {o->map, "map"},
        {o->profile, "profile"},
        {h->one.count, "hist"},
        {h->two.count, "hist2d"},
        {o->sums, "sums"},
        {o->components, "components"},
        {o->vectors, "vectors"},
        {!isnan(o->cutoff), "cluster"},
        {o->fit, "fit"},
        {o->reference, "reference"},
        {o->iterate, "iterate"},
        {strcmp(o->structure, "first") != 0, "structure"},
        {strcmp(o->weights, "none") != 0, "weights"},
        {strcmp(o->per, "atom") != 0, "per"},
        {h->range, "range"},
        {h->bins, "bins"},
        {!isnan(h->temperature), "temperature"},
        {h->pool, "pool"},
        {o->about, "about"},
        {!isnan(o->extent), "extent"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return trj_fail(err, TRJ_USAGE,
                            "--%s applies to frames, and --merge reads tables, which contain its result; leave it out",
                            options[i].name);
    return 0;
}

// Results of segments can be added if they are sums over frames that do not depend on other frames.
int obs_segments_check_sums(const struct obs_ensemble_options *o, enum obs_ensemble_form form, struct trj_error *err) {
    if (!o->sums) return 0;
    if (!o->fluctuation && !o->map && !o->profile)
        return trj_fail(err, TRJ_USAGE, "--sums applies to --rmsf, --map and --profile only%s; leave it out",
                        o->principal ? ", because the components of --pca require all frames"
                                     : ", and --merge needs no sums for other tables");
    if (o->iterate)
        return trj_fail(err, TRJ_USAGE,
                        "--sums: --iterate requires all frames; superpose the frames of all segments on one structure "
                        "(--reference), such as a mean structure (--structure mean)");
    if (o->fluctuation && !o->reference && (!o->fit || strcmp(o->fit, "none") != 0))
        return trj_fail(err, TRJ_USAGE,
                        "--sums: the first frames of segments differ; superpose on a structure for all of them "
                        "(--reference FILE), or not (--fit none)");
    if (o->fluctuation && strcmp(o->per, "atom") != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--sums: fluctuations of segments are added by atoms, about their common means; leave --per "
                        "residue out");
    if (o->profile && o->about && isnan(o->extent))
        return trj_fail(err, TRJ_USAGE,
                        "--sums: the bins would depend on the first frame of the segment; add --extent");
    if (form != OBS_TABLE)
        return trj_fail(err, TRJ_USAGE, "--sums: only tables contain sums; give the output another name");
    return 0;
}
