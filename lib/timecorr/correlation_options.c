// SPDX-License-Identifier: MIT
// The options of trjcorr that decide what is computed.
#include "correlation_options.h"

#include <stddef.h>

#include "signal.h"

const struct trj_option tcf_option_table[] = {
    {.heading = "Correlations",
     TRJ_OPTION_FIELD('l', "lags", COUNT, struct tcf_options, lags, "N",
                      "compare frames up to N frames apart; the memory grows with N"),
     .min = 1,
     .max = TCF_LAGS_MAX},
    {TRJ_OPTION_FIELD(
         0, "per-octave", COUNT, struct tcf_options, per_octave, "P",
         "compare frames at P lags in each octave (factor of 2), from 2 P frames on; the memory grows with "
         "the logarithm of --lags (default: at all lags)"),
     .min = TCF_PER_OCTAVE_MIN, .max = TCF_PER_OCTAVE_MAX},
    {TRJ_OPTION_FIELD(0, "spectrum", FLAG, struct tcf_options, spectrum, NULL,
                      "print the cosine transform of correlations instead of the correlations")},
    {TRJ_OPTION_FIELD(0, "summary", FLAG, struct tcf_options, summary, NULL,
                      "print only the results of the correlations, such as D, with their errors, one row for each")},
    {.heading = "Diffusion coefficients",
     TRJ_OPTION_FIELD(0, "fit", TEXT, struct tcf_options, fit, "FROM:TO",
                      "fit a straight line to msd between these lags in ps (default: from a fifth of the largest lag "
                      "with 20 windows that do not overlap up to this lag)")},
    {TRJ_OPTION_FIELD(0, "viscosity", REAL, struct tcf_options, viscosity, "ETA",
                      "print D in an infinite cell, too, from the viscosity in mPa s; requires --temperature")},
    {TRJ_OPTION_FIELD(0, "temperature", REAL, struct tcf_options, temperature, "T",
                      "temperature in K, for dielectric, conductivity and --viscosity")},
    {.heading = "Segments",
     TRJ_OPTION_FIELD(0, "sums", FLAG, struct tcf_options, sums, NULL,
                      "write the sums of a segment (trjcat --segment K/N --overlap FRAMES) in place of the table")},
    {TRJ_OPTION_FIELD(0, "merge", FLAG, struct tcf_options, merge, NULL,
                      "join the sums of all segments; operands are files that trjcorr --sums has written"),
     .role = TRJ_ROLE_TABLES},
    TRJ_OPTION_END,
};

// --merge has no other options: the sums determine all else.
static int check_merge(const struct tcf_options *o, struct trj_error *err) {
    const struct tcf_options standard = TCF_OPTIONS_DEFAULT;
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {o->sums, "sums"},
        {o->lags != standard.lags, "lags"},
        {o->per_octave, "per-octave"},
        {o->spectrum, "spectrum"},
        {o->summary, "summary"},
        {o->fit, "fit"},
        {!isnan(o->viscosity), "viscosity"},
        {!isnan(o->temperature), "temperature"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return trj_fail(err, TRJ_USAGE,
                            "--%s applies to frames, and --merge reads sums, which contain it; leave it out",
                            options[i].name);
    return 0;
}

int tcf_options_check(const struct tcf_options *o, char *const *expressions, size_t count, struct trj_times *fit,
                      struct trj_error *err) {
    if (o->merge) return check_merge(o, err);
    const bool correction = !isnan(o->viscosity), heat = !isnan(o->temperature);
    if (o->fit && trj_times_parse(fit, o->fit, err)) return trj_fail_at(err, "--fit");
    if (o->fit && !(fit->from < fit->to))
        return trj_fail(err, TRJ_USAGE, "--fit: '%s' is not a range of lags in ps; example: --fit 10:50", o->fit);
    if (correction && !(o->viscosity > 0))
        return trj_fail(err, TRJ_USAGE, "--viscosity: invalid value %g: expected a number of mPa s above 0",
                        o->viscosity);
    if (heat && !(o->temperature > 0))
        return trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g: expected a number of K above 0",
                        o->temperature);
    if (correction && !heat)
        return trj_fail(err, TRJ_USAGE,
                        "--viscosity requires --temperature, too: the correction is 2.837297 k T / (6 pi eta L)");
    if (o->spectrum && (o->fit || correction))
        return trj_fail(err, TRJ_USAGE, "--spectrum prints no diffusion coefficients; leave --%s out",
                        o->fit ? "fit" : "viscosity");
    if (o->spectrum && o->summary) return trj_fail(err, TRJ_USAGE, "--spectrum prints no results; leave --summary out");
    if (o->spectrum && o->per_octave)
        return trj_fail(err, TRJ_USAGE, "--spectrum requires all lags, at equal distances; leave --per-octave out");
    if (!count)
        return trj_fail(err, TRJ_USAGE,
                        "an expression is expected, such as 'msd(all)'; trjcorr --list prints all functions");
    for (size_t i = 0; i < count; i++)
        if (obs_function_check(tcf_functions, expressions[i], err)) return -1;
    return 0;
}
