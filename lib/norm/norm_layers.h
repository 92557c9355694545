// SPDX-License-Identifier: MIT
// Normalises a histogram as the layers of one table: a curve of each pair of groups for each lag, or for each N records
// in sequence. A histogram without either is a single layer.
#ifndef RDF_NORM_LAYERS_H
#define RDF_NORM_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "hist_stream.h"
#include "lag_list.h"
#include "normalisation.h"

// The curves and counts of a layer, as in rdf_normalisation and rdf_sums, and its coordinate in two units.
struct rdf_layer {
    double time;   // ps: the lag, or the middle of the times of the frames; NaN: unknown
    double frames; // the lag, or the middle of the numbers of the frames, from 0, among all that were counted
    struct rdf_curve *curves;
    struct rdf_total_curve *total_curves;
    uint64_t *counts;
    const struct rdf_hist *lag; // with this lag; NULL: layers are records
};

// To use: zero it, set `each` and `lags`, call rdf_norm_layers_open, read streams into rdf_norm_layers_hist
// (rdf_table_read), call rdf_norm_layers_make.
struct rdf_norm_layers {
    // Set by the caller, which keeps ownership:
    uint64_t each;                   // records of a layer; 0: layers are lags
    const struct rdf_lag_list *lags; // only these; NULL: all
    // The normalisations. The first one has the histogram that is read; each of the others has that of another lag.
    struct rdf_normalisation *normalisation[RDF_MAX_LAGS];
    size_t normalisations;
    // With `each`, the first normalisation is that of all records, and `part` that of the current layer.
    struct rdf_normalisation part;
    size_t part_first;         // its first record
    uint64_t part_frames;      // before it
    struct rdf_lag_list found; // lags of all streams
    // Results:
    const struct rdf_normalisation *whole; // describes the table: that of all records, or of the smallest lag
    struct rdf_layer *layer;
    size_t count, capacity;
    const char *column; // name of the first column of the table; NULL: one layer without a coordinate
    bool timed;         // the coordinate is the time, which is known and ascends
    int digits;         // significant digits of the coordinate
};

// As rdf_normalisation_open; also fails if the options have no form with several layers.
int rdf_norm_layers_open(struct rdf_norm_layers *l, const struct rdf_norm_options *options,
                         void (*note)(const char *text), struct trj_error *err);
struct rdf_hist *rdf_norm_layers_hist(struct rdf_norm_layers *l);
// Adds a record to the histogram that is read; has the type of rdf_hist.take.
int rdf_norm_layers_take(void *layers, const struct rdf_setup *setup, const struct rdf_record *record,
                         struct trj_error *err);
// Computes the curves of all layers, in ascending order of lags, or in the order of records. Further records and calls
// may follow if `each` is 0. Fails as rdf_normalise, with TRJ_USAGE if a lag is not in the streams, and with
// TRJ_BAD_DATA for tables that cannot have several layers.
int rdf_norm_layers_make(struct rdf_norm_layers *l, struct trj_error *err);
void rdf_norm_layers_silence(struct rdf_norm_layers *l); // reports no further notes
void rdf_norm_layers_close(struct rdf_norm_layers *l);   // not l itself

#endif
