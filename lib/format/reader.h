// SPDX-License-Identifier: MIT
// Trajectory files, whatever their format. trj_formats[] in reader.c lists the formats.
#ifndef TRJ_READER_H
#define TRJ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atom_identity.h"
#include "error.h"
#include "frame.h"
#include "input.h"

struct trj_stream_header;
struct trj_read_ahead;

// A frame on its way from the file to its coordinates: cut out of the file by one thread, in order, and decoded by any.
struct trj_raw_frame {
    uint64_t number;        // of the frame in the file
    struct trj_frame frame; // all of it but x is known when it was cut
    bool whole;             // x, too, and of all atoms; decode may say so, cut if there is nothing to decode
    bool unsure;            // only decoding shows whether it was cut off: done even if it is passed over
    bool doubtful;          // decoding did not show it: see struct trj_reader
    bool partial; // cutting failed, and what came before that place is there: of two errors the first one is told
    struct trj_input_bytes bytes; // of the file, for decode
    uint64_t at;                  // where they were: the byte, or, of a text, the number of the line before
    size_t rows;                  // atoms that are in them, of a text
    void *own;                    // what else the format wants to know; its `own` bytes
    struct trj_input_bytes scratch;
    // See struct trj_reader.
    char other[TRJ_IDENTITY_MESSAGE];
};

struct trj_reader {
    const struct trj_format *format;
    struct trj_input *in;
    size_t atoms;           // every frame has so many
    uint64_t next;          // number of the frame that the next read or skip gives
    uint64_t header_frames; // what the file's header says; 0: nothing. Headers lie: it is for notes only
    uint64_t offset;        // bytes of the file up to the end of the last frame
    uint64_t empty;         // frames without coordinates that were passed over: they have no number
    bool can_seek;          // trj_reader_seek works
    uint64_t fingerprint;   // tells this file from others: hash of its size and both ends (of its head, for a pipe)
    size_t expected;        // atoms that a topology has, 0: unknown; for formats that do not say it
    bool cell_given;        // the user replaces all cells: invalid cells in the file are no errors
    bool doubtful;          // a text that ends without a newline: if it was cut, the last coordinate lacks digits
    const char *note;       // what was taken for granted in the frames so far and may be wrong; NULL: nothing
    bool note_stays;        // also where the user says what the cell is
    char dialect[96];       // "LE 32-bit CHARMM 36, shape matrix": for notes and trjinfo
    struct trj_stream_header *header; // of an own frame stream (frame_stream.h), else NULL
    void *state;
    // Atoms that are wanted, NULL: all; and for each of the file's atoms which of those it is, TRJ_NOT_PICKED: none.
    uint32_t *pick, *slot;
    size_t pick_count;
    uint64_t every, owed;         // of so many frames one is wanted; to pass over before the next one
    struct trj_raw_frame raw;     // for frames that are not read ahead
    struct trj_read_ahead *ahead; // NULL: there is none
    // Who the atoms are in the first frame, where that is watched, else NULL; and how the frame that was read last differs: see labels.h.
    struct trj_atom_identity *identity;
    char other[TRJ_IDENTITY_MESSAGE];
};

#define TRJ_NOT_PICKED UINT32_MAX

struct trj_format {
    const char *name, *help;
    const char *lacks;      // the library that this build lacks to read it, and how to build with it; NULL: none
    const char *endings[4]; // suffixes of names in lower case, if the content may be ambiguous: ".xyz"; ends with NULL
    // The format of struct trj_topology_options that reads atom names from the same file; NULL: the file contains none.
    const char *topology;
    bool (*is)(const unsigned char *head, size_t n); // by the first bytes (n from 1 to TRJ_INPUT_PEEK)
    bool (*fits)(const unsigned char *head, size_t n,
                 uint64_t size); // instead of `is`, if only the size of the file shows the format
    // open: reads the header at the current place, sets atoms, header_frames, can_seek, dialect, state.
    int (*open)(struct trj_reader *r, struct trj_error *err);
    // Either read: fills all of *f but f->source; f->index = r->next (or the index that an own stream carries). 1, 0 at the end, -1.
    // The end is only ever at a frame's border: anything else is TRJ_BAD_DATA.
    int (*read)(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
    // or, so that frames can be decoded in parallel, two steps. cut takes frame number p->number out of the file, cheaply, and fills
    // p->frame but for index, source and x: 1, 0 at the end, -1. decode makes x of it: of the atoms that r->slot tells (all if that
    // is NULL). It may run in any thread while other frames are cut: of *r it may look only at what does not change. 0, -1.
    int (*read_raw)(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
    int (*decode)(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
    size_t own; // bytes
    bool seeks; // it is not read in order: what is a pipe, or packed, is copied to a temporary file first
    int (*skip)(struct trj_reader *r,
                struct trj_error *err); // passes over one frame: 1, 0, -1; NULL: frames are cut for that
    int (*seek)(struct trj_reader *r, uint64_t frame,
                struct trj_error *err);  // 1, 0 if there are no more than `frame`; NULL: never
    void (*close)(struct trj_reader *r); // frees state (may be NULL)
};

// What later frames are compared with the first frame in: names (labels.h), and optionally charges, which in many files
// change from frame to frame. r->other gives a difference. TRJ_CELL_GIVEN may be added: the user replaces the cells.
enum trj_compare { TRJ_COMPARE_NOTHING, TRJ_COMPARE_NAMES, TRJ_COMPARE_CHARGES, TRJ_CELL_GIVEN = 4 };

// Whether a file is of the format, by its first n bytes.
bool trj_format_is(const struct trj_format *format, struct trj_input *in, const unsigned char *head, size_t n);

// Reads an input at its start, which is the reader's then, or closed where this fails. `named`: the user says that it is of that format,
// which nobody has looked for; `atoms`: it has so many, if it does not say (0: unknown).
int trj_reader_start(struct trj_reader **r, struct trj_input *in, const struct trj_format *format, bool named,
                     size_t atoms, enum trj_compare watch, struct trj_error *err);

// ---- formats.c

extern const struct trj_format *const trj_formats[]; // all that are known; NULL behind the last
const struct trj_format *trj_format_named(const char *name, struct trj_error *err); // NULL: there is none, TRJ_USAGE
// Whether the first n bytes are those of something known that is no trajectory to read: trj_reader_open tells what to do with it.
bool trj_format_is_foreign(const unsigned char *head, size_t n);
// Whether the name is one that files of formats have which are known, read or not.
bool trj_format_has_name(const char *path);
const struct trj_format *trj_format_of(struct trj_input *in,
                                       struct trj_error *err); // as trj_reader_open does. NULL: none

// The format is told by content; where several would have it, or none, by the ending of the name. "-" is stdin. Errors begin with "FILE: ", those of read and skip with "FILE: frame N: "; frames count from 0. A seek that gives 0
// leaves the reader where it was.
int trj_reader_open(struct trj_reader **r, const char *path, struct trj_error *err);
// The same for a file that is of that format whatever it looks like (NULL: as above), and has that many atoms, if it does not say
// (0: unknown).
int trj_reader_open_as(struct trj_reader **r, const char *path, const struct trj_format *format, size_t atoms,
                       struct trj_error *err);
// The same for an input at its start, as a pipe that was looked at; it is the reader's then, or closed where this fails.
int trj_reader_open_input(struct trj_reader **r, struct trj_input *in, const struct trj_format *format, size_t atoms,
                          struct trj_error *err);

// The same, and who the atoms are is watched.
int trj_reader_open_comparing(struct trj_reader **r, struct trj_input *in, const struct trj_format *format,
                              size_t atoms, enum trj_compare watch, struct trj_error *err);

// ---- reader.c

int trj_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
int trj_reader_skip(struct trj_reader *r, struct trj_error *err);
int trj_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err); // only where can_seek
// Passes over `frames` frames, by seeking where possible; *passed is smaller only where the file ended before.
int trj_reader_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, struct trj_error *err);
// From here on frames have only those atoms; r->atoms stays what the file has. The numbers ascend. Before trj_reader_read_ahead. Damage of other atoms is found where it
// shows without unpacking them.
int trj_reader_pick(struct trj_reader *r, const uint32_t *atoms, size_t count, struct trj_error *err);
// From here on read and skip pass over `every` - 1 frames first (but behind a seek), and `threads` threads (trj_pool_size) decode ahead, up
// to `most` frames. Frames and errors are the same, and come in the same order; TRJ_READ_AHEAD_BYTES bytes are used, or two frames. The memory
// of the *f that are given to read is exchanged. Formats without cut are read as before. Not to be called twice.
enum { TRJ_READ_AHEAD_BYTES = 1 << 28 };
int trj_reader_read_ahead(struct trj_reader *r, unsigned threads, uint64_t every, uint64_t most, struct trj_error *err);
// How many frames there are, by seeking; only where can_seek. Where the next one is to be read has to be sought then. Damage that is met
// on the way is TRJ_BAD_DATA; *frames are then whole ones before it, or as
// many as could be sought.
int trj_reader_count(struct trj_reader *r, uint64_t *frames, struct trj_error *err);
void trj_reader_close(struct trj_reader *r); // NULL is allowed

// ---- for reader.c, read_ahead.c and formats

// For a piece that was zeroed once. Errors name file and frame.
int trj_raw_frame_read(struct trj_reader *r, struct trj_raw_frame *p,
                       struct trj_error *err); // the next wanted one: 1, 0, -1
int trj_raw_frame_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err); // 0, -1
void trj_raw_frame_free(struct trj_raw_frame *p);

extern const struct trj_format trj_format_dcd;    // dcd.c
extern const struct trj_format trj_format_xtc;    // xtc.c
extern const struct trj_format trj_format_trr;    // trr.c
extern const struct trj_format trj_format_gsd;    // gsd.c
extern const struct trj_format trj_format_namd;   // namd_binary.c
extern const struct trj_format trj_format_lmpbin; // lammps_binary.c
extern const struct trj_format trj_format_netcdf; // netcdf.c
extern const struct trj_format trj_format_h5md;   // h5md.c
extern const struct trj_format trj_format_stream; // frame_stream.c
extern const struct trj_format trj_format_xyz;    // xyz.c
extern const struct trj_format trj_format_lammps; // lammps_dump.c
extern const struct trj_format trj_format_gro;    // gro.c
extern const struct trj_format trj_format_pdb;    // pdb.c
extern const struct trj_format trj_format_mdcrd;  // mdcrd.c
extern const struct trj_format trj_format_rst7;   // rst7.c

#endif
