// SPDX-License-Identifier: MIT
// The options of results of all frames together, and the checks that need no stream: also those of recipes, whose
// errors are found before anything runs. What computes the results is in other files, so that trjrun does not contain
// it.
#include "ensemble.h"

#include <stddef.h>
#include <string.h>

#include "profile_geometry.h"
#include "profile_quantities.h"
#include "rmsd_engine.h"
#include "segment_options.h"

const struct trj_choice obs_rmsd_engine_choices[] = {
    {"auto", "cpu, or cuda if --devices names a GPU"},
    {"cuda", "an NVIDIA GPU; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {"reference", "all products in float64, for comparison"},
    {NULL, NULL},
};

enum { COMPONENTS_MAX = 100 }; // the time of the solver grows with their cube

static const struct trj_choice weights[] = {{"none", "1 for each atom"}, {"mass", "the masses"}, {0}};
static const struct trj_choice structures[] = {
    {"first", "the first frame, as superposed"}, {"mean", "the mean of the superposed frames"}, {0}};
static const struct trj_choice parts[] = {
    {"atom", "each atom; expressions have the values of their group"}, {"residue", "each residue"}, {0}};

const struct trj_option obs_ensemble_option_table[] = {
    {.heading = "Results",
     TRJ_OPTION_FIELD(0, "summary", FLAG, struct obs_ensemble_options, summary, NULL,
                      "add comments with mean, standard error, correlation time and drift of each column")},
    {.heading = "Results of all frames",
     TRJ_OPTION_FIELD(0, "rmsf", TEXT, struct obs_ensemble_options, fluctuation, "SELECTION",
                      "print the root mean square fluctuation and the B factor of each atom")},
    {TRJ_OPTION_FIELD(0, "pca", TEXT, struct obs_ensemble_options, principal, "SELECTION",
                      "print projections of frames on the principal components of the motion of these atoms")},
    {TRJ_OPTION_FIELD(0, "components", COUNT, struct obs_ensemble_options, components, "K",
                      "compute K components (default: 10, or as many as there are)"),
     .min = 1, .max = COMPONENTS_MAX},
    {TRJ_OPTION_FIELD(0, "vectors", TEXT, struct obs_ensemble_options, vectors, "FILE",
                      "write the eigenvectors of --pca to FILE: a table, or an array (.npy)"),
     .role = TRJ_ROLE_OUTPUT},
    {TRJ_OPTION_FIELD(
        0, "map", TEXT, struct obs_ensemble_options, map, "EXPRESSION",
        "contacts(A, B, RADIUS): shares of frames with contacts; mindist(A, B), distance(com(A), com(B)): mean "
        "distances; rmsd(A): RMSD of all pairs of frames")},
    {TRJ_OPTION_FIELD(0, "cluster", REAL, struct obs_ensemble_options, cutoff, "CUTOFF",
                      "with --map 'rmsd(A)': print clusters of frames closer than CUTOFF Angstrom to a centre")},
    {TRJ_OPTION_FIELD(0, "fit", TEXT, struct obs_ensemble_options, fit, "SELECTION",
                      "superpose frames by these atoms; none: as they are (default: those of --rmsf or --pca)")},
    {TRJ_OPTION_FIELD(0, "reference", TEXT, struct obs_ensemble_options, reference, "FILE",
                      "superpose frames on frame 0 of FILE (default: on the first frame of the stream)"),
     .role = TRJ_ROLE_INPUT},
    {TRJ_OPTION_FIELD(0, "iterate", FLAG, struct obs_ensemble_options, iterate, NULL,
                      "superpose frames on their mean structure, which keeps all positions in memory")},
    {TRJ_OPTION_FIELD(0, "structure", CHOICE, struct obs_ensemble_options, structure, "WORD",
                      "positions in a PDB of --rmsf"),
     .choices = structures},
    {TRJ_OPTION_FIELD(0, "weights", CHOICE, struct obs_ensemble_options, weights, "WORD",
                      "weights of atoms in superpositions, in means of residues, and in --pca"),
     .choices = weights, .carry = "mass:mass"},
    {TRJ_OPTION_FIELD(0, "per", CHOICE, struct obs_ensemble_options, per, "PART",
                      "what has a row of --rmsf and --map; residue: expressions have columns for each residue, too"),
     .choices = parts},
    {.table = obs_histogram_option_table, .offset = offsetof(struct obs_ensemble_options, histogram)},
    {.heading = "Profiles",
     TRJ_OPTION_FIELD(0, "profile", CHOICE, struct obs_ensemble_options, profile, "AXIS",
                      "print the profile of number(A), mass(A), charge(A), dipole(A) or vector(A, B) along this axis"),
     .choices = obs_profile_words},
    {TRJ_OPTION_FIELD(
        0, "about", TEXT, struct obs_ensemble_options, about, "POINT",
        "measure the distance from this centre of each frame, such as com(P), or from X,Y,Z in Angstrom")},
    {TRJ_OPTION_FIELD(0, "extent", REAL, struct obs_ensemble_options, extent, "R",
                      "largest distance from the centre in Angstrom (default: up to half of the cell)")},
    {.table = obs_segment_option_table},
    {.table = trj_engine_name_option,
     .offset = offsetof(struct obs_ensemble_options, engine),
     .choices = obs_rmsd_engine_choices},
    {.table = trj_engine_device_option, .offset = offsetof(struct obs_ensemble_options, engine)},
    {.table = trj_engine_threads_option, .offset = offsetof(struct obs_ensemble_options, engine)},
    {.table = trj_engine_stats_option, .offset = offsetof(struct obs_ensemble_options, engine)},
    TRJ_OPTION_END,
};

bool obs_ensemble_is_requested(const struct obs_ensemble_options *o) {
    return o->fluctuation || o->principal || o->map || o->profile || obs_histogram_is_requested(&o->histogram);
}

enum obs_ensemble_form obs_ensemble_form(const struct obs_ensemble_options *o, const char *output) {
    if ((o->map || o->histogram.two.count) && obs_is_npy(output)) return OBS_NPY;
    return o->fluctuation && output && trj_name_ends_in(output, ".pdb") ? OBS_PDB : OBS_TABLE;
}

static int check_output(const struct obs_ensemble_options *o, const char *output, struct trj_error *err) {
    if (strcmp(o->structure, "first") != 0 && obs_ensemble_form(o, output) != OBS_PDB)
        return trj_fail(err, TRJ_USAGE, "--structure is for the PDB of --rmsf; add -o NAME.pdb");
    if (obs_segments_check_sums(o, obs_ensemble_form(o, output), err)) return -1;
    if (!obs_is_npy(output) || o->merge || obs_ensemble_form(o, output) == OBS_NPY) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--output: the name ends with .npy, but only --map and --hist2d write arrays of NumPy; give a "
                    "table another name");
}

static int check_fit(const struct obs_ensemble_options *o, struct trj_error *err) {
    if (!o->fluctuation && !o->principal && (o->fit || o->reference || o->iterate || strcmp(o->weights, "none") != 0))
        return trj_fail(err, TRJ_USAGE,
                        "--fit, --reference, --iterate and --weights apply to --rmsf and --pca only; give expressions "
                        "such settings as arguments: 'rmsd(P, reference=start.pdb, fit=name CA)'");
    if (!o->principal && (o->components || o->vectors))
        return trj_fail(err, TRJ_USAGE, "--components and --vectors apply to --pca only; leave them out");
    if (!o->fit || strcmp(o->fit, "none") != 0) return 0;
    if (o->iterate) return trj_fail(err, TRJ_USAGE, "--iterate superposes frames, --fit none does not; use one");
    if (o->reference)
        return trj_fail(err, TRJ_USAGE, "--reference is for superpositions, --fit none for none; use one");
    return 0;
}

const struct obs_function *const *obs_ensemble_functions(const struct obs_ensemble_options *o) {
    return o->profile ? obs_profile_functions : obs_functions;
}

static int check_cluster(const struct obs_ensemble_options *o, struct trj_error *err) {
    if (isnan(o->cutoff)) return 0;
    if (!o->map) return trj_fail(err, TRJ_USAGE, "--cluster requires distances of frames; add --map 'rmsd(A)'");
    if (!(o->cutoff > 0)) return trj_fail(err, TRJ_USAGE, "--cluster: the cutoff must be above 0 Angstrom");
    return 0;
}

static int check_profile(const struct obs_ensemble_options *o, int expressions, struct trj_error *err) {
    struct obs_histogram_options others = o->histogram;
    if (!o->profile && (o->about || !isnan(o->extent)))
        return trj_fail(err, TRJ_USAGE, "--about and --extent apply to --profile only; leave them out");
    if (o->profile && !expressions)
        return trj_fail(err, TRJ_USAGE,
                        "--profile requires an expression, such as 'number(W)'; --profile %s --list prints all",
                        o->profile);
    if (o->profile) others.bins = NULL; // the only option of histograms that applies to profiles
    return obs_histogram_check(&others, o->summary, err);
}

// Only maps of rmsd() have several engines.
static int check_engine(const struct obs_ensemble_options *o, bool is_rmsd, struct trj_error *err) {
    const struct trj_engine_options *e = &o->engine;
    if (is_rmsd || !(e->devices || e->stats || !(trj_engine_is_auto(e) || !strcmp(e->engine, "cpu")))) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--engine, --devices and --stats apply to --map 'rmsd(A)' only; all else is computed on the CPU; "
                    "leave them out");
}

static int check_per(const struct obs_ensemble_options *o, struct trj_error *err) {
    if (!obs_ensemble_is_by_residue(o)) return 0;
    if (o->principal)
        return trj_fail(err, TRJ_USAGE,
                        "--per residue: a principal component is a motion of all atoms together; leave it out, and "
                        "select an atom of each residue: --pca 'name CA'");
    if (o->profile)
        return trj_fail(err, TRJ_USAGE,
                        "--per residue: a profile has a row for each bin; leave it out, and select residues in the "
                        "expressions: 'number(resid 5)' 'number(resid 6)'");
    return 0;
}

static int check_summary(const struct obs_ensemble_options *o, struct trj_error *err) {
    if (!o->summary || (!o->merge && (!obs_ensemble_is_requested(o) || obs_histogram_is_requested(&o->histogram))))
        return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--summary describes values of expressions, which --rmsf, --pca, --map, --profile and --merge do "
                    "not print; leave it out");
}

int obs_ensemble_check(const struct obs_ensemble_options *o, char *const *operands, int count, const char *output,
                       struct trj_error *err) {
    bool histogram = obs_histogram_is_requested(&o->histogram);
    if (o->merge && obs_segments_check_merge(o, err)) return -1;
    const char *what = o->fluctuation           ? "--rmsf"
                       : o->principal           ? "--pca"
                       : o->map                 ? "--map"
                       : o->histogram.one.count ? "--hist"
                                                : "--hist2d";
    if (!!o->fluctuation + !!o->principal + !!o->map + !!o->profile + histogram > 1)
        return trj_fail(err, TRJ_USAGE,
                        "--rmsf, --pca, --map, --hist, --hist2d and --profile have different outputs; run trjstat once "
                        "for each");
    if (check_fit(o, err) || check_cluster(o, err) || check_profile(o, count, err) ||
        check_engine(o, o->map != NULL, err) || check_per(o, err))
        return -1;
    if (count && obs_ensemble_is_requested(o) && !o->profile)
        return trj_fail(err, TRJ_USAGE,
                        "%s has its own output; leave the expressions out, and run trjstat once more for them", what);
    for (int i = 0; i < count && !o->merge; i++)
        if (obs_function_check(obs_ensemble_functions(o), operands[i], err)) return -1;
    if (check_output(o, output, err) || check_summary(o, err)) return -1;
    if (count || obs_ensemble_is_requested(o) || o->merge) return 0;
    return trj_fail(err, TRJ_USAGE, "no expression given, such as 'rg(all)'; --list prints all functions");
}

// --------------------------------------------------------------------------------------------------------- expressions

enum obs_map obs_map_of(const struct obs_function *f) {
    static const char *const names[OBS_MAPS] = {"contacts", "mindist", "distance", "rmsd"};
    int i = 0;
    while (i < OBS_MAPS && strcmp(names[i], f->name) != 0) i++;
    return (enum obs_map)i;
}

int obs_map_open(struct obs_observable *o, const struct obs_ensemble_options *options, struct obs_system *s,
                 struct trj_error *err) {
    if (obs_observable_open(o, options->map, s, err)) return trj_fail_at(err, "--map");
    if (o->whole || obs_map_of(o->function) == OBS_MAPS)
        return trj_fail(err, TRJ_USAGE,
                        "--map: %s has no map; use contacts(A, B, RADIUS), mindist(A, B), distance(com(A), com(B)) or "
                        "rmsd(A)",
                        o->whole ? o->text : o->function->name);
    if (obs_map_of(o->function) == OBS_MAP_CENTRES && !obs_ensemble_is_by_residue(options))
        return trj_fail(err, TRJ_USAGE,
                        "--map: %s is for the centres of residues; add --per residue, or use mindist(A, B) for atoms",
                        o->text);
    const bool is_rmsd = obs_map_of(o->function) == OBS_MAP_RMSD;
    if (options->sums && is_rmsd)
        return trj_fail(err, TRJ_USAGE,
                        "--sums: --map 'rmsd(A)' contains pairs of frames of different segments; give all frames to "
                        "one run");
    return check_engine(options, is_rmsd, err);
}

int obs_series_open(struct obs_observable *o, const struct obs_ensemble_options *options, const char *expression,
                    struct obs_system *s, struct trj_error *err) {
    if (obs_ensemble_is_by_residue(options) ? obs_observable_open_divided(o, expression, s, err)
                                            : obs_observable_open(o, expression, s, err))
        return -1;
    for (size_t c = 0; options->summary && c < o->columns; c++)
        if (!strcmp(o->column[c].unit, OBS_CLASS))
            return trj_fail(err, TRJ_USAGE, "--summary: %s gives classes, which have no mean; leave one of them out",
                            o->text);
    return 0;
}

int obs_ensemble_check_expressions(const struct obs_ensemble_options *o, char *const *operands, size_t count,
                                   struct obs_system *syntax, struct trj_error *err) {
    struct obs_observable one = {.text = NULL};
    struct obs_profile_geometry geometry;
    size_t bins = 1;
    int rc = 0;
    if (obs_histogram_is_requested(&o->histogram)) return obs_histogram_check_expressions(o, syntax, err);
    if (o->map) {
        rc = obs_map_open(&one, o, syntax, err);
        obs_observable_free(&one);
    }
    if (o->profile && o->histogram.bins) rc = obs_parse_bins(&bins, o->histogram.bins, strlen(o->histogram.bins), err);
    if (o->profile && !rc)
        rc = obs_profile_geometry_open(&geometry, o->profile, o->about, o->extent, bins, syntax, err);
    for (size_t i = 0; !rc && !o->profile && i < count; i++) {
        rc = obs_series_open(&one, o, operands[i], syntax, err);
        obs_observable_free(&one);
    }
    return rc;
}
