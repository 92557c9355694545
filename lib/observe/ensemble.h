// SPDX-License-Identifier: MIT
// Results of all frames of a stream together, such as fluctuations of atoms, in contrast to observables of each frame.
//
// What is computed in a frame is an observable, which threads compute for several frames at a time (frame_batches.h).
// The values of frames are then taken in the order of the frames, so that results do not depend on the threads.
#ifndef OBS_ENSEMBLE_H
#define OBS_ENSEMBLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "checkpoint.h"
#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "histogram.h"
#include "input.h"
#include "observable.h"
#include "output.h"
#include "reference.h"
#include "system.h"
#include "table_writer.h"
#include "tool.h"

struct obs_ensemble_options {
    bool summary;            // of expressions or of a histogram
    const char *fluctuation; // the selection of --rmsf; NULL: not given
    const char *principal;   // the selection of --pca; NULL: not given
    uint64_t components;     // of --pca; 0: not given
    const char *vectors;     // a file for eigenvectors; NULL: not given
    const char *map;         // the expression of --map; NULL: not given
    double cutoff;           // of --cluster, Å; NaN: not given
    const char *fit;         // a selection or "none"; NULL: the group itself
    const char *reference;   // a file; NULL: the first frame
    const char *structure;   // "first" or "mean": the positions that a PDB of --rmsf contains
    const char *weights;     // "none" or "mass"
    const char *per;         // "atom" or "residue"
    bool iterate;
    bool merge; // operands are tables of segments
    bool sums;  // add exact sums to the table
    struct obs_histogram_options histogram;
    const char *profile;              // one of obs_profile_words; NULL: not given
    const char *about;                // the centre of the profile, a point or "X,Y,Z"; NULL: none
    double extent;                    // Å, of the profile from its centre; NaN: not given
    struct trj_engine_options engine; // engines compute --map of rmsd(); other results use its threads only
};

// What the output contains.
enum obs_ensemble_form { OBS_TABLE, OBS_NPY, OBS_PDB };

#define OBS_ENSEMBLE_OPTIONS_DEFAULT                                                                                   \
    {                                                                                                                  \
        .cutoff = NAN, .structure = "first", .weights = "none", .per = "atom",                                         \
        .histogram = OBS_HISTOGRAM_OPTIONS_DEFAULT, .extent = NAN, .engine = TRJ_ENGINE_OPTIONS_DEFAULT                \
    }

// Rows for the option table of a filter with a static struct obs_ensemble_options (tool.h).
extern const struct trj_option obs_ensemble_option_table[];

struct obs_ensemble;

struct obs_ensemble_kind {
    // Prepares e->observable and e->own. Fails with TRJ_USAGE or TRJ_BAD_DATA, with a remedy.
    int (*open)(struct obs_ensemble *e, struct trj_error *err);
    // Gets the values of the observable in a frame, in the order of the frames, in one thread.
    int (*take)(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err);
    // Computes the result, and writes it: in a table after the provenance, or in another form (e->form).
    int (*write)(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err);
    void (*close)(struct obs_ensemble *e); // frees e->own
    // Saves or restores sums that the computation of a frame itself adds to (work_checkpoint_array). NULL: there are
    // none.
    int (*arrays)(struct obs_ensemble *e, struct work_checkpoint_arrays *a, struct trj_error *err);
};

// In files of these names.
extern const struct obs_ensemble_kind obs_fluctuation, obs_principal_components, obs_contact_map, obs_distance_map,
    obs_rmsd_matrix, obs_profile;
extern const struct obs_ensemble_kind obs_histogram_kind; // histogram_frames.c

struct obs_ensemble {
    const struct obs_ensemble_options *options;
    struct obs_system *system;
    unsigned threads; // as in pool.h
    const struct obs_ensemble_kind *kind;
    char *const *operands;            // [operand_count] expressions that the caller sets before obs_ensemble_open
    size_t operand_count;             // above 0 only if obs_ensemble_check allows it
    struct obs_observable expression; // of --map
    struct obs_observable observable; // what is computed in each frame
    enum obs_ensemble_form form;
    uint64_t frames;                // taken so far
    void (*note)(const char *text); // prints a note; set before obs_ensemble_open
    void *own;                      // data of the kind
};

// Returns whether the options request such a result.
bool obs_ensemble_is_requested(const struct obs_ensemble_options *options);
// Returns whether --per residue is given.
static inline bool obs_ensemble_is_by_residue(const struct obs_ensemble_options *options) {
    return !strcmp(options->per, "residue");
}
// Checks the options before any input is read, together with the expressions that are operands, of which only the names
// of the functions are checked, and the name of the output (NULL: standard output). Fails with TRJ_USAGE.
int obs_ensemble_check(const struct obs_ensemble_options *options, char *const *operands, int count, const char *output,
                       struct trj_error *err);
// Fails with TRJ_USAGE for invalid devices, and with TRJ_NO_ENGINE if the engine is not available in this build.
int obs_ensemble_check_engine(const struct obs_ensemble_options *options, struct trj_error *err);
// Checks expressions of options and operands in a system without a stream (obs_system_open_syntax), after
// obs_ensemble_check: their functions, columns and units, and the range and the bins. Fails with TRJ_USAGE.
int obs_ensemble_check_expressions(const struct obs_ensemble_options *options, char *const *operands, size_t count,
                                   struct obs_system *syntax, struct trj_error *err);
// Does the same for the histograms of options (histogram_frames.c).
int obs_histogram_check_expressions(const struct obs_ensemble_options *options, struct obs_system *syntax,
                                    struct trj_error *err);
// Opens an expression that has columns in the table of frames, for residues with --per residue. Fails as
// obs_observable_open, and with TRJ_USAGE for classes with --summary. obs_observable_free frees, also after a failure.
int obs_series_open(struct obs_observable *o, const struct obs_ensemble_options *options, const char *expression,
                    struct obs_system *s, struct trj_error *err);

enum obs_map { OBS_MAP_CONTACTS, OBS_MAP_DISTANCES, OBS_MAP_CENTRES, OBS_MAP_RMSD, OBS_MAPS };
// Returns the map of a function of observables, or OBS_MAPS if it has none.
enum obs_map obs_map_of(const struct obs_function *f);
// Opens the expression of --map. Fails as obs_observable_open, and with TRJ_USAGE if its function has no map, or not
// with the engine. obs_observable_free frees, also after a failure.
int obs_map_open(struct obs_observable *o, const struct obs_ensemble_options *options, struct obs_system *s,
                 struct trj_error *err);

// Returns the functions of the expressions that are operands, which end with NULL.
const struct obs_function *const *obs_ensemble_functions(const struct obs_ensemble_options *options);
// Returns whether the name of a file, or NULL, ends with ".npy".
static inline bool obs_is_npy(const char *output) {
    return output && trj_name_ends_in(output, ".npy");
}
// Returns what the output contains: maps and histograms with two axes are written as a file of NumPy if its name ends
// with ".npy", and fluctuations into a PDB if it ends with ".pdb".
enum obs_ensemble_form obs_ensemble_form(const struct obs_ensemble_options *options, const char *output);
// Prepares the requested result for a system, which must outlive it, as the options. obs_ensemble_close frees, also
// after a failure.
int obs_ensemble_open(struct obs_ensemble *e, const struct obs_ensemble_options *options, const char *output,
                      struct obs_system *s, struct trj_error *err);
// A function of obs_batches_plan, whose argument is the ensemble.
int obs_ensemble_take(void *ensemble, const struct trj_frame *f, const double *value, struct trj_error *err);
// Writes the result after the last frame. Fails with TRJ_BAD_DATA if there are too few frames.
int obs_ensemble_write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err);
void obs_ensemble_close(struct obs_ensemble *e); // a zeroed struct is allowed

#endif
