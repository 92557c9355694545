// SPDX-License-Identifier: MIT
// Writes frames to files. trj_writer_formats (writer.c) lists the formats; the frame stream is one of them.
#ifndef TRJ_WRITER_H
#define TRJ_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "output.h"
#include "tool.h"
#include "topology.h"

// What is known before the first frame. The caller owns what the pointers refer to; it must outlive the writer.
struct trj_writer_setup {
    const struct trj_stream_header *header; // atoms: of every frame; the frame stream writes all of it
    const struct trj_topology *top;         // NULL: none, or those of an open system (trj_writer_set_names)
    const uint32_t *row;                    // [header->atoms] atom numbers in the topology; NULL: i
    int level;                              // of compression, for the frame stream
    unsigned threads;                       // that compress the frame stream (trj_pool_size)
    const double *bfactor;                  // [header->atoms] B factors, Å^2, for PDB; NULL: 0
    const char *program;                    // that a title names; NULL: trjcat
    unsigned decimals;                      // of coordinates, for formats with `decimals`; 0: the default of the format
    bool live;                              // all frames are written at least every 0.1 s, and by flush
};

struct trj_writer {
    const struct trj_writer_format *format;
    struct trj_output *out;
    struct trj_writer_setup setup;
    uint64_t frames; // frames written
    double flushed;  // clock at the last flush, s
    char note[256];  // the first information that the format could not store; "": none
    void *state;
};

struct trj_writer_format {
    const char *name, *help; // help: of the choice in --to
    const char *endings[6];  // of file names, in lower case; ends with NULL
    enum trj_output_kind kind;
    bool names;        // requires a topology; with `properties`, the elements or names of the header suffice
    bool decimals;     // the number of decimals can be set
    bool open_systems; // frames may have different numbers of atoms
    bool properties;   // it stores the properties of the header
    bool stream;       // the frame stream, which stores the unit and the precision of each frame
    unsigned motion;   // TRJ_HAS_...: what it can store besides coordinates, if the header states that frames have it
    bool patches;      // requires an output whose start can be changed later: not a pipe
    int (*open)(struct trj_writer *w,
                struct trj_error *err); // allocates the state and writes the header; may be NULL
    // write: *f has setup.header->atoms atoms with finite coordinates, and a valid cell. Fails with TRJ_BAD_DATA if the
    // format cannot store the frame.
    int (*write)(struct trj_writer *w, struct trj_frame *f, struct trj_error *err);
    // flush: writes the frames that threads work on; NULL: there are none
    int (*flush)(struct trj_writer *w, struct trj_error *err);
    int (*finish)(struct trj_writer *w, struct trj_error *err); // may be NULL
    void (*close)(struct trj_writer *w);                        // frees the members of the state; may be NULL
};

extern const struct trj_writer_format *const trj_writer_formats[]; // ends with NULL; the first is the frame stream
const struct trj_choice *trj_writer_choices(void);                 // returns their names, for option tables

// Chooses the format from --to and --output, either of which may be NULL: the given name (one of trj_writer_formats),
// or else the format of the ending, or else the frame stream. Fails with TRJ_USAGE if name and ending contradict each
// other, and for the endings of other formats and of compressed files, so that a file never has a misleading name.
int trj_writer_choose(const struct trj_writer_format **format, const char *name, const char *path,
                      struct trj_error *err);

// Fails with TRJ_USAGE if the output is a pipe and the format cannot be written to one.
int trj_writer_check(const struct trj_writer_format *format, const struct trj_output *out, struct trj_error *err);

// Opens a writer, and writes the header. Fails with TRJ_USAGE as trj_writer_check, and if the format requires a
// topology and *setup has none. The caller keeps the output.
int trj_writer_open(struct trj_writer **w, const struct trj_writer_format *format, struct trj_output *out,
                    const struct trj_writer_setup *setup, struct trj_error *err);
// Sets the topology and the rows of the next frame of an open system, whose atoms are numbered successively from 0.
void trj_writer_set_names(struct trj_writer *w, const struct trj_topology *top, const uint32_t *row);
// Writes a frame. *f may have no coordinates afterwards (trj_stream_write).
int trj_writer_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err);
// Writes what can be written of the frames so far: all that the next frames do not change.
int trj_writer_flush(struct trj_writer *w, struct trj_error *err);
int trj_writer_finish(struct trj_writer *w, struct trj_error *err); // without it, the file is incomplete
void trj_writer_close(struct trj_writer *w);                        // NULL is allowed

extern const struct trj_writer_format trj_writer_stream;  // write_stream.c
extern const struct trj_writer_format trj_writer_dcd;     // write_dcd.c
extern const struct trj_writer_format trj_writer_xtc;     // write_xtc.c
extern const struct trj_writer_format trj_writer_netcdf;  // write_netcdf.c
extern const struct trj_writer_format trj_writer_xyz;     // write_xyz.c
extern const struct trj_writer_format trj_writer_gro;     // write_gro.c
extern const struct trj_writer_format trj_writer_g96;     // write_g96.c
extern const struct trj_writer_format trj_writer_card;    // write_card.c
extern const struct trj_writer_format trj_writer_pdb;     // write_pdb.c
extern const struct trj_writer_format trj_writer_mmcif;   // write_mmcif.c
extern const struct trj_writer_format trj_writer_poscar;  // write_vasp.c
extern const struct trj_writer_format trj_writer_xdatcar; // write_vasp.c

#endif
