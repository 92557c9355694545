// SPDX-License-Identifier: MIT
// Reads and writes the grid stream (.trjg). Each record is a map, stored in slabs. The normative specification is
// schemas/grid_stream.md.
//
// Memory use does not depend on the number of planes: reader and writer hold one slab each. Streams can be concatenated
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
#include "map_atoms.h"
#include "output.h"

extern const struct trj_stream_kind trj_grid_kind;

bool trj_grid_is(const unsigned char *head, size_t n); // returns whether a file with these first bytes is a grid stream

// The frames from which a map was computed. A zeroed record means that no frames are known, as for a map written by
// another program.
struct trj_grid_record {
    uint64_t frames;
    bool sum;                    // values are sums of weight times value over the frames: records can be added
    struct trj_exact_sum weight; // sum of the weights; without weights, the number of frames
    size_t run_count;
    struct trj_frame_run *runs;
    struct trj_map_atoms atoms;
};

// Adds a frame with its weight. Fails with TRJ_BAD_DATA unless the weight is above 0 and within the range of
// exact_sum.h.
int trj_grid_record_add_frame(struct trj_grid_record *r, uint32_t source, uint64_t index, double weight,
                              struct trj_error *err);
// Adds the frames of another record with the same list of sources. Fails with TRJ_BAD_DATA unless both are sums. Atoms
// are not added.
int trj_grid_record_merge(struct trj_grid_record *to, const struct trj_grid_record *from, struct trj_error *err);
// Sorts the runs, and fails with TRJ_BAD_DATA if they contain a frame twice. The `source` of each run is an index into
// `sources`, which give the name of the file for the message.
int trj_grid_check_once(struct trj_frame_run *runs, size_t count, const struct trj_source *sources,
                        struct trj_error *err);
void trj_grid_record_free(struct trj_grid_record *r); // frees the members, not r itself
// Converts n values of a record to float64. Sums are divided by the weight of the record, which gives the mean over its
// frames; other values are converted as by trj_map_to_real. `to` [n] may not overlap `values`.
void trj_grid_record_to_real(const struct trj_grid_record *r, const struct trj_map *m, const void *values, size_t n,
                             double *to);

// Adds the provenance lines and the sources of `from` that `to` does not contain yet.
int trj_grid_origin_add(struct trj_stream_header *to, const struct trj_stream_header *from, struct trj_error *err);

struct trj_grid_writer;

// Opens a writer, and writes HEAD and PROV. `level` and `threads` are as in block_stream.h. `origin` gives the
// provenance and the sources; sources may be added to it between records. The output, the map and `origin` belong to
// the caller, and must stay valid until the writer is closed.
int trj_grid_writer_open(struct trj_grid_writer **w, struct trj_output *out, const struct trj_map *map,
                         const struct trj_stream_header *origin, int level, unsigned threads, struct trj_error *err);
// Begins a record. All planes of the previous record must have been written.
int trj_grid_write_record(struct trj_grid_writer *w, const struct trj_grid_record *r, struct trj_error *err);
// Writes the next planes of the record. The blocks in the stream do not depend on how planes are grouped here.
int trj_grid_write_planes(struct trj_grid_writer *w, const void *values, uint64_t planes, struct trj_error *err);
int trj_grid_writer_finish(struct trj_grid_writer *w, struct trj_error *err); // writes the END block
void trj_grid_writer_close(struct trj_grid_writer *w);                        // NULL is allowed

struct trj_grid_reader;

// Opens the streams of an input, and reads the first HEAD. The caller keeps the input. All errors about the content are
// TRJ_BAD_DATA and give block, byte and remedy; after an error, only trj_grid_reader_close may be called.
int trj_grid_reader_open(struct trj_grid_reader **r, struct trj_input *in, struct trj_error *err);
// Returns the description of the maps, which belongs to the reader. Its error bound covers all streams begun so far.
const struct trj_map *trj_grid_reader_map(const struct trj_grid_reader *r);
// Returns the provenance, each line once, and the sources of the records so far, each once.
const struct trj_stream_header *trj_grid_reader_origin(const struct trj_grid_reader *r);
// Moves to the next record, and sets *record to it, which is valid until the next call. Unread planes of the previous
// record are read and verified first. Returns 1, 0 at the end, or -1. At the end, it fails if two records contain the
// same frame, or if there was no record.
int trj_grid_reader_next(struct trj_grid_reader *r, const struct trj_grid_record **record, struct trj_error *err);
// Reads the next planes of the record, which must have that many left. A record may be read in any number of calls.
int trj_grid_reader_planes(struct trj_grid_reader *r, void *values, uint64_t planes, struct trj_error *err);
// Continues with another input after the end of the previous one, as if both were concatenated: the descriptions of the
// maps must be equal (trj_map_check_same), and a frame that is also in a record of a previous input is an error at the
// end of this one. The caller keeps the input.
int trj_grid_reader_continue(struct trj_grid_reader *r, struct trj_input *in, struct trj_error *err);
void trj_grid_reader_close(struct trj_grid_reader *r); // NULL is allowed

#endif
