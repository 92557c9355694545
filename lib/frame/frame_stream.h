// SPDX-License-Identifier: MIT
// The frame stream (.trjf): what travels between the tools. Normative text: schemas/frame_stream.md.
//
// A stream is a header (which atoms, which groups), the sources the frames come from, frames, and an end with totals. Reading one is
// the trajectory format `trj_format_stream` (reader.h); its reader carries the header.
#ifndef TRJ_FRAME_STREAM_H
#define TRJ_FRAME_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "frame.h"
#include "group.h"
#include "output.h"

extern const struct trj_stream_kind trj_frame_stream_kind;

// A trajectory file that frames come from. The fingerprint, not the name, tells whether two are the same.
struct trj_source {
    char *name;
    uint64_t fingerprint;
};

struct trj_stream_header {
    size_t atoms;        // that travel, with the centres
    size_t centres;      // the last of them: no atoms, but centres of sets of atoms
    size_t source_atoms; // in the trajectory they were taken from
    size_t group_count;
    struct trj_group *groups; // at least one; names differ
    size_t member_words;      // of a frame, for the groups that change (group.h)
    uint32_t *residue;        // [atoms] running number of the residue in the topology; NULL: not known
    uint32_t *molecule;       // [atoms] the same for bonded molecules; NULL: not known
    uint32_t *element;        // [atoms] atomic number, 0 where it is not known, or of a centre; NULL: not known
    char *element_from;       // what they were guessed from, as in topology.h; NULL: nothing
    uint32_t *number;         // [atoms - centres] of each atom in the trajectory file, from 0; NULL: not known
    size_t bond_count, between;
    // [bond_count] Bonds that lie between atoms that travel, directly or through others: these, `between` in number, stand behind all that
    // travel. NULL: not known.
    uint32_t (*bond)[2];
    size_t provenance_count;
    char **provenance; // a line per program that touched the data, oldest first
    size_t source_count;
    struct trj_source *sources; // those met so far: a reader adds to it as frames come
};

void trj_stream_header_free(struct trj_stream_header *h);
// Append a copy; texts are copied.
int trj_stream_header_add_provenance(struct trj_stream_header *h, const char *line, struct trj_error *err);
int trj_stream_header_add_source(struct trj_stream_header *h, const char *name, uint64_t fingerprint,
                                 struct trj_error *err);

struct trj_stream_writer;

// Writes the header; level and threads (1: this one alone) as in block_stream.h. The header and the output stay the caller's and must outlive the writer; sources
// that are added to the header later are written before the first frame that needs them.
int trj_stream_writer_open(struct trj_stream_writer **w, struct trj_output *out, const struct trj_stream_header *h,
                           int level, unsigned threads, struct trj_error *err);
int trj_stream_write(struct trj_stream_writer *w, const struct trj_frame *f,
                     struct trj_error *err); // f->atoms == h->atoms
// Writes index and END: without this the stream is incomplete, and its readers say so.
int trj_stream_writer_finish(struct trj_stream_writer *w, struct trj_error *err);
void trj_stream_writer_close(struct trj_stream_writer *w); // NULL is allowed

#endif
