// SPDX-License-Identifier: MIT
// Frames into files of any format that can be written. trj_writer_formats[] in writer.c lists them; the own frame stream is one of them.
#ifndef TRJ_WRITER_H
#define TRJ_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "output.h"
#include "topology.h"

// What is known before the first frame. All of it stays the caller's and must outlive the writer.
struct trj_writer_setup {
    const struct trj_stream_header *header; // atoms: of every frame; the rest is for the own stream
    const struct trj_topology *top;         // NULL: none
    const uint32_t *row; // [header->atoms] the atoms' places in the topology; NULL: atom i is its atom i
    int level;           // of zstd: for the own stream
    unsigned threads;    // that compress it (pool.h)
    unsigned decimals;   // of coordinates, for formats that have a choice; 0: as the format has them by default
};

struct trj_writer {
    const struct trj_writer_format *format;
    struct trj_output *out;
    struct trj_writer_setup is;
    uint64_t frames; // written
    char note[256];  // what of the frames the format could not take; empty: nothing
    void *state;
};

struct trj_writer_format {
    const char *name;
    const char *endings[4]; // of names, in lower case; NULL behind the last
    enum trj_output_kind kind;
    bool names;    // needs a topology
    bool decimals; // has a choice of them
    bool patches;  // needs an output that can be patched: no pipe
    int (*open)(struct trj_writer *w,
                struct trj_error *err); // makes state, writes what stands before all frames; may be NULL
    // write: f has is.header->atoms atoms, finite, and a cell that was checked. What the format cannot hold is TRJ_BAD_DATA.
    int (*write)(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err);
    int (*finish)(struct trj_writer *w, struct trj_error *err); // may be NULL
    void (*close)(struct trj_writer *w);                        // frees what state has; may be NULL
};

extern const struct trj_writer_format *const trj_writer_formats[]; // NULL behind the last; the first is the own stream

// Chooses the format from --to and --output, either of which may be NULL: the given name (one of trj_writer_formats), or
// else the format of the ending, or else the frame stream. Fails with TRJ_USAGE if name and ending contradict each other,
// and for the endings of other formats and of compressed files, so that a file never has a misleading name.
int trj_writer_choose(const struct trj_writer_format **format, const char *name, const char *path,
                      struct trj_error *err);

// TRJ_USAGE where the format cannot be written to a pipe and the output is one.
int trj_writer_check(const struct trj_writer_format *format, const struct trj_output *out, struct trj_error *err);

// Checks the same, and that there is a topology where the format needs one (TRJ_USAGE). The output stays the caller's.
int trj_writer_open(struct trj_writer **w, const struct trj_writer_format *format, struct trj_output *out,
                    const struct trj_writer_setup *setup, struct trj_error *err);
int trj_writer_write(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err);
int trj_writer_finish(struct trj_writer *w, struct trj_error *err); // without this the file is incomplete
void trj_writer_close(struct trj_writer *w);                        // NULL is allowed

extern const struct trj_writer_format trj_writer_stream; // write_stream.c
extern const struct trj_writer_format trj_writer_dcd;    // write_dcd.c
extern const struct trj_writer_format trj_writer_xtc;    // write_xtc.c
extern const struct trj_writer_format trj_writer_netcdf; // write_netcdf.c
extern const struct trj_writer_format trj_writer_xyz;    // write_xyz.c
extern const struct trj_writer_format trj_writer_gro;    // write_gro.c
extern const struct trj_writer_format trj_writer_pdb;    // write_pdb.c

#endif
