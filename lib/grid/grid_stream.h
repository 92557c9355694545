// SPDX-License-Identifier: MIT
// Reads and writes the grid stream (.trjg): maps as records of slabs. The normative specification is
// schemas/grid_stream.md.
//
// Memory does not depend on the number of planes: both sides hold one slab. Streams can be concatenated
// (`cat a.trjg b.trjg`); a reader continues with the records of the next stream.
#ifndef TRJ_GRID_STREAM_H
#define TRJ_GRID_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "exact_sum.h"
#include "frame_runs.h"
#include "frame_stream.h"
#include "input.h"
#include "map.h"
#include "output.h"

extern const struct trj_stream_kind trj_grid_kind;

bool trj_grid_is(const unsigned char *head, size_t n); // returns whether a file with these first bytes is a stream

// What a map was computed from. A zeroed record is a map without frames, such as one of another program.
struct trj_grid_record {
    uint64_t frames;
    bool sum;                    // values are sums over the frames of weight times value: they can be added
    struct trj_exact_sum weight; // sum of the weights; without weights, the number of frames
    size_t run_count;
    struct trj_frame_run *runs;
};

// Adds a frame with its weight, which must be above 0 and within the range of exact_sum.h.
int trj_grid_record_add_frame(struct trj_grid_record *r, uint32_t source, uint64_t index, double weight,
                              struct trj_error *err);
// Adds the frames of another record with the same list of sources. Fails with TRJ_BAD_DATA unless both are sums.
int trj_grid_record_merge(struct trj_grid_record *to, const struct trj_grid_record *from, struct trj_error *err);
// Fails with TRJ_BAD_DATA if the runs contain a frame twice. Sorts them. `sources` are those of the runs.
int trj_grid_check_once(struct trj_frame_run *runs, size_t count, const struct trj_source *sources,
                        struct trj_error *err);
void trj_grid_record_free(struct trj_grid_record *r); // not r itself
// Converts n values of a record to float64: to the mean over its frames, which is the value divided by the weight, if
// the values are sums, and otherwise as trj_map_to_real.
void trj_grid_record_to_real(const struct trj_grid_record *r, const struct trj_map *m, const void *values, size_t n,
                             double *to);

// Adds the provenance and the sources of `from`, each once.
int trj_grid_origin_add(struct trj_stream_header *to, const struct trj_stream_header *from, struct trj_error *err);

struct trj_grid_writer;

// Opens a writer, and writes HEAD and PROV. level and threads as in block_stream.h. The caller keeps the map, the
// output, and `origin`, of which provenance and sources are used; sources may be added to it between records.
int trj_grid_writer_open(struct trj_grid_writer **w, struct trj_output *out, const struct trj_map *map,
                         const struct trj_stream_header *origin, int level, unsigned threads, struct trj_error *err);
// Begins a record. All planes of the record before must have been written.
int trj_grid_write_record(struct trj_grid_writer *w, const struct trj_grid_record *r, struct trj_error *err);
// Writes the next planes of the record. The blocks in the stream do not depend on how planes are grouped here.
int trj_grid_write_planes(struct trj_grid_writer *w, const void *values, uint64_t planes, struct trj_error *err);
int trj_grid_writer_finish(struct trj_grid_writer *w, struct trj_error *err); // writes the END block
void trj_grid_writer_close(struct trj_grid_writer *w);                        // NULL is allowed

struct trj_grid_reader;

// Opens the streams of an input, and reads the first HEAD. The caller keeps the input. All errors about the content are
// TRJ_BAD_DATA and give block, byte and remedy; after an error, only trj_grid_reader_close may follow.
int trj_grid_reader_open(struct trj_grid_reader **r, struct trj_input *in, struct trj_error *err);
const struct trj_map *trj_grid_reader_map(const struct trj_grid_reader *r);
// Returns the provenance, each line once, and the sources of the records so far, each once.
const struct trj_stream_header *trj_grid_reader_origin(const struct trj_grid_reader *r);
// Moves to the next record, of which *record is valid until the next call. Planes of the record before that were not
// read are verified. Returns 1, 0 at the end, or -1. At the end, it fails if two records contain the same frame, or if
// there was no record.
int trj_grid_reader_next(struct trj_grid_reader *r, const struct trj_grid_record **record, struct trj_error *err);
// Reads the next planes of the record, of which there must be as many, in any portions.
int trj_grid_reader_planes(struct trj_grid_reader *r, void *values, uint64_t planes, struct trj_error *err);
// Continues with another input after the end of the previous one, as if both were concatenated: the maps must be equal,
// and a frame that is also in a record of a previous input is an error at the end of this one. The caller keeps the
// input.
int trj_grid_reader_continue(struct trj_grid_reader *r, struct trj_input *in, struct trj_error *err);
void trj_grid_reader_close(struct trj_grid_reader *r); // NULL is allowed

#endif
