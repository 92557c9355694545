// SPDX-License-Identifier: MIT
// The result of a filter that computes a map for each frame of a frame stream: records of sums in a grid stream, the
// mean over all frames and its standard error, or one file for each frame.
#ifndef TRJ_MAP_RESULT_H
#define TRJ_MAP_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "grid_stream.h"
#include "map.h"
#include "map_output.h"
#include "map_slabs.h"
#include "map_sum.h"
#include "tool.h"

struct trj_map_result {
    // Options, set before trj_map_result_open:
    bool mean, each;
    uint64_t block; // TRJ_OPTION_ABSENT: not given
    struct trj_map_output output, errors;
    // Replaces n values, which are means times the factor, by a function of them, and their standard errors likewise.
    // `errors` is NULL unless the standard errors are written. NULL: the values are written as they are.
    void (*convert)(void *arg, double *values, double *errors, size_t n);
    void *convert_arg;
    // The process has only a slab of the map, and all processes call the functions below with the same frames; NULL:
    // the whole map. Set before trj_map_result_start. Standard errors then require --block.
    const struct trj_map_slabs *slabs;
    // Set by the functions:
    const struct trj_stream_header *header; // of the frame stream
    char *const *provenance;
    const struct trj_map *sums;    // the map of the raw sums
    struct trj_map means;          // the map of the means
    double factor;                 // from means of the raw values to those that are written
    bool series;                   // one file for each frame
    bool growing;                  // `block` is chosen here, for standard errors, and grows with the number of records
    uint64_t records;              // ended
    uint64_t files;                // written
    struct trj_grid_record record; // of the frames since the last one ended
    struct trj_map_sum *sum;       // for the mean and its standard error; otherwise NULL
    double *plane, *second;        // `second` contains the means whose errors are in `plane`
    void *sums_plane;              // a plane of the sums of another process, if the map is divided
};

// Initial value of a struct trj_map_result.
#define TRJ_MAP_RESULT_DEFAULT                                                                                         \
    { .block = TRJ_OPTION_ABSENT }

// Rows for the option table of a filter with a static struct trj_map_result (tool.h). The subject is what is computed.
extern const struct trj_option trj_map_result_option_table[];

// Checks the options, and opens the files. A name of --output with a number (series_name.h) implies one file for each
// frame. `converted`: the values require the mean, as --mean does. Fails with TRJ_USAGE.
int trj_map_result_open(struct trj_map_result *r, bool converted, struct trj_error *err);
// Prepares for the frames of a stream, of which `sums` describes the raw sums: integers. The header, the map and the
// provenance must outlive the result. `means` describes the values that are written unless the result is a grid stream
// of sums: float64, with the same lattice; they are the means of the raw values times `factor`. The result takes
// ownership of the texts of *means, also after a failure. Fails with TRJ_USAGE if the map is divided and the options
// require all of it in one process.
int trj_map_result_start(struct trj_map_result *r, const struct trj_stream_header *header, const struct trj_map *sums,
                         const struct trj_map *means, double factor, char *const *provenance, struct trj_error *err);
// Adds a frame to the current record. Fails with TRJ_BAD_DATA if it cannot be added.
int trj_map_result_add(struct trj_map_result *r, const struct trj_frame *frame, double weight, struct trj_error *err);
// Returns whether the record is complete: the caller must pass its sums to trj_map_result_end_record.
bool trj_map_result_record_is_full(const struct trj_map_result *r);
// Ends a record with the sums of its frames, of the type of the map of sums, or of its slab.
int trj_map_result_end_record(struct trj_map_result *r, const void *values, struct trj_error *err);
// Writes the mean and its standard error, if they were requested, and completes the files. Call it after the last
// record has ended.
int trj_map_result_commit(struct trj_map_result *r, struct trj_error *err);
void trj_map_result_close(struct trj_map_result *r); // an unopened one is allowed

#endif
