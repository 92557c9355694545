// SPDX-License-Identifier: MIT
// Output of filters that write maps: the options that they share, the file, and its provenance.
#ifndef TRJ_MAP_OUTPUT_H
#define TRJ_MAP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map_format.h"
#include "output.h"
#include "tool.h"

struct trj_map_output {
    // Options, set before trj_map_output_open:
    const char *to, *path; // NULL: not given
    uint64_t level;        // of compression, for grid streams
    bool no_nstart;        // MRC files get 0 as NSTART
    // Set by the functions:
    const struct trj_map_format *format;
    struct trj_output *out;
    struct trj_stream_header origin; // provenance and sources of all inputs, then the provenance of this process
    struct trj_map_writer *writer;
};

// Options for the table of a filter with a static struct trj_map_output (tool.h). The heading is "Output". The second
// table is for a filter that can write each map to a file of its own, the third one for one that also replaces %s in
// the name.
extern const struct trj_option trj_map_output_option_table[], trj_map_series_option_table[],
    trj_map_names_option_table[];

// Returns whether the options send a grid stream to standard output.
bool trj_map_output_is_stream_to_stdout(const struct trj_map_output *o);
// Chooses the format, and opens the file. Fails with TRJ_USAGE if the options contradict one another.
int trj_map_output_open(struct trj_map_output *o, struct trj_error *err);
// Adds the provenance and sources of an input; NULL: none. Sources may be added between maps.
int trj_map_output_add_origin(struct trj_map_output *o, const struct trj_stream_header *origin, struct trj_error *err);
// Adds the sources of a frame stream that were read after trj_map_output_add_origin, so that source numbers of its
// frames are also valid in the output. The stream must be the only input.
int trj_map_output_add_sources(struct trj_map_output *o, const struct trj_stream_header *stream, struct trj_error *err);
// Adds the provenance of the process, which ends with NULL, and opens o->writer, to which the caller then writes. The
// caller keeps the map.
int trj_map_output_start(struct trj_map_output *o, const struct trj_map *map, char *const *provenance,
                         struct trj_error *err);
// Finishes the writer, and joins the file to `main`, which becomes its owner (trj_output_join).
int trj_map_output_join(struct trj_map_output *o, struct trj_output *main, struct trj_error *err);
// Finishes the writer, and completes the file.
int trj_map_output_commit(struct trj_map_output *o, struct trj_error *err);
void trj_map_output_close(struct trj_map_output *o); // an unopened one is allowed

#endif
