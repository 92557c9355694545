// SPDX-License-Identifier: MIT
// Declares what trajectory formats implement, and the state of a reader. For files of this folder.
#ifndef TRJ_READER_PARTS_H
#define TRJ_READER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atom_identity.h"
#include "error.h"
#include "frame.h"
#include "input.h"
#include "reader.h"

struct trj_read_ahead;

// A raw frame: its header fields and its bytes. One thread reads raw frames in order; any thread may decode them.
// A zeroed struct is ready for use.
struct trj_raw_frame {
    uint64_t number;              // of the frame in the file
    struct trj_frame frame;       // complete but for x when it was read
    bool whole;                   // x is complete, too, with all atoms; set when read, or by decode
    bool check_by_decoding;       // only decoding shows whether the frame is truncated: it is decoded even if skipped
    bool verifies;                // decoding verifies a checksum, also if the frame is skipped
    bool maybe_truncated;         // not even decoding shows it: see struct trj_reader
    bool partial;                 // reading failed, and `bytes` holds what precedes that place, whose errors come first
    bool light;                   // a few threads decode such frames as fast as they can be read
    bool more;                    // the next raw frame is best decoded after this one, by the same thread
    struct trj_input_bytes bytes; // of the file, for decode
    uint64_t position;            // their position: the byte; in a text, the number of the line before them
    size_t rows;                  // atoms in `bytes` of a text
    struct trj_pipe_store store;  // bytes of a pipe, for decode
    void *own;                    // what else the format needs; ops->own bytes
    struct trj_input_bytes scratch;
    char difference[TRJ_IDENTITY_MESSAGE]; // see struct trj_reader
};

// How a format is read. NULL functions are not available.
struct trj_format_ops {
    // Returns whether a file is of the format, by its first bytes (n from 1 to TRJ_INPUT_PEEK_FAR).
    bool (*is)(const unsigned char *head, size_t n);
    // Replaces `is` if only the size of the file shows the format.
    bool (*fits)(const unsigned char *head, size_t n, uint64_t size);
    // Reads the header at the current position; sets atoms, header_frames, can_seek, dialect and internals->state.
    int (*open)(struct trj_reader *r, struct trj_error *err);
    // A format has either `read`, or `read_raw` and `decode`, so that frames can be decoded in parallel. read: fills
    // all of *f but f->source; f->index is r->next (or the index that a frame stream contains). Returns 1, 0 at the
    // end, -1. The end is only at the border of a frame; anything else is TRJ_BAD_DATA.
    int (*read)(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
    // read_raw: takes frame p->number out of the file, with little work, and fills p->frame but for index, source and
    // x, which frame streams set, too. Returns as `read`.
    int (*read_raw)(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
    // decode: fills p->frame.x for the picked atoms (internals->picked_index). It may run in any thread while other
    // frames are read, and uses only those fields of *r that do not change. Returns 0 or -1.
    int (*decode)(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
    // keep: moves the undecoded coordinates to p->frame.packed (trj_raw_frame_keep). Returns false if the frame has
    // none in that form. It may run in any thread, after `decode` or in its place.
    bool (*keep)(const struct trj_reader *r, struct trj_raw_frame *p);
    // accept: called with each frame that is returned, in order, by the thread that reads from *r. Returns 0 or -1. It
    // may change public fields of *r, which other functions may not once frames are read ahead.
    int (*accept)(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err);
    // losses: see trj_reader_losses. A format with it can be salvaged.
    void (*losses)(const struct trj_reader *r, trj_loss_note *note, void *arg, struct trj_losses *sum);
    size_t own; // bytes of trj_raw_frame.own
    // TRJ_HAS_...: what the format fills in trj_frame.motion if internals->motion requests it: all atoms of the file,
    // if the frame is `whole`, or the picked ones. `open` sets r->motion_source.
    unsigned motion;
    bool seeks; // the file is not read in order: a pipe or a compressed file is copied to a temporary file first
    // Skips one frame. Returns 1, 0, -1. NULL: raw frames are read instead.
    int (*skip)(struct trj_reader *r, struct trj_error *err);
    // Moves to a frame. Returns 1; 0 if there are not more than `frame` frames; -1.
    int (*seek)(struct trj_reader *r, uint64_t frame, struct trj_error *err);
    // Sets *frames to the number of frames that an index gives; the position is then undefined. Returns 0; -1, which
    // leaves the position as it was if it clears can_seek. NULL: the number is found by seeking.
    int (*count)(struct trj_reader *r, uint64_t *frames, struct trj_error *err);
    // Makes the topology of the frame read last. NULL: frames do not name their atoms, or always have the same ones.
    int (*frame_topology)(struct trj_reader *r, struct trj_topology **top, struct trj_error *err);
    void (*close)(struct trj_reader *r); // frees the state, which may be NULL
};

// The private half of a reader.
struct trj_reader_internals {
    void *state;            // of the format
    size_t expected;        // atoms of the topology, for formats that do not give their number; 0: unknown
    bool salvages;          // damage is no error: what precedes and follows it is read
    bool named;             // the user has given the format, which may be wrong
    bool cell_given;        // the user replaces all cells: invalid cells in the file are no errors
    bool in_parts;          // see TRJ_READ_PART
    bool no_fingerprint;    // see TRJ_NO_FINGERPRINT
    bool values;            // see TRJ_READ_VALUES
    unsigned motion;        // TRJ_HAS_...: requested of every frame
    bool grows;             // see TRJ_GROWS
    bool open_system;       // the number of atoms may change; `expected` is then the largest one, or 0
    uint32_t *pick;         // [pick_count] numbers of the picked atoms, ascending; NULL: all atoms are picked
    size_t pick_count;      //
    uint32_t *picked_index; // [atoms] index among the picked atoms, or TRJ_NOT_PICKED; NULL with `pick`
    enum trj_keep keep;     // of packed coordinates
    trj_reader_wait *wait;  // NULL, or for reads that wait for data
    void *wait_arg;
    trj_reader_change *change; // NULL, or for frames that are read
    void *change_arg;
    double step_ps;                     // replaces the time step of the file; 0: it does not
    uint64_t stride, skip_first;        // one frame in `stride` is read; frames to skip before the next one
    struct trj_raw_frame raw;           // for frames that are not read ahead
    struct trj_read_ahead *ahead;       // NULL: frames are not read ahead
    struct trj_atom_identity *identity; // names of the first frame; NULL: frames are not compared
};

#define TRJ_NOT_PICKED UINT32_MAX

// ---- reader.c

// Returns whether a cell that is invalid in the file is no error, because the user replaces all cells; it is removed.
bool trj_reader_ignores_cell(const struct trj_reader *r, struct trj_cell *cell);

// ---- sequential_reader.c: frames in order, without reading ahead. Errors name file and frame.

// Reads the next frame that the stride selects; `p` was zeroed before its first use. Returns 1, 0 at the end, -1.
int trj_raw_frame_read(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
int trj_raw_frame_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err); // 0, -1
// Checks the number of atoms of the next frame of an open system, and updates r->largest. Returns 0 or -1.
int trj_reader_check_open(struct trj_reader *r, uint64_t atoms, struct trj_error *err);
// Calls `change`, if there is one, for a decoded frame. `number` is that of the frame in the file, for errors.
int trj_reader_change_frame(const struct trj_reader *r, struct trj_frame *f, uint64_t number, struct trj_error *err);
void trj_raw_frame_free(struct trj_raw_frame *p);
// Moves the first `bytes` bytes of p->bytes to p->frame.packed, with the other fields of *header.
void trj_raw_frame_keep(struct trj_raw_frame *p, const struct trj_packed *header, size_t bytes);

// As trj_reader_read, _skip and _seek.
int trj_sequential_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
int trj_sequential_skip(struct trj_reader *r, struct trj_error *err);
int trj_sequential_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);

// Skips one frame, regardless of the stride. Returns 1, 0 at the end, -1.
int trj_sequential_skip_one(struct trj_reader *r, struct trj_error *err);

// As trj_reader_advance, with the given functions to seek and to skip one frame.
typedef int trj_seek_function(struct trj_reader *r, uint64_t frame, struct trj_error *err);
typedef int trj_skip_function(struct trj_reader *r, struct trj_error *err);
int trj_sequential_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, trj_seek_function *seek,
                           trj_skip_function *skip, struct trj_error *err);

// Adds to an error the number of complete frames before a truncated or damaged one, or the remedy of the format.
void trj_reader_note_complete(const struct trj_reader *r, uint64_t frames, struct trj_error *err);

// Returns what to do about a file that is damaged before its first frame, or in it.
const char *trj_reader_remedy(const struct trj_reader *r);

extern const struct trj_format trj_format_dcd;     // dcd.c
extern const struct trj_format trj_format_xtc;     // xtc.c
extern const struct trj_format trj_format_trr;     // trr.c
extern const struct trj_format trj_format_imd;     // imd.c
extern const struct trj_format trj_format_gsd;     // gsd.c
extern const struct trj_format trj_format_namd;    // namd_binary.c
extern const struct trj_format trj_format_lmpbin;  // lammps_binary.c
extern const struct trj_format trj_format_netcdf;  // netcdf.c
extern const struct trj_format trj_format_mdtraj;  // mdtraj.c
extern const struct trj_format trj_format_h5md;    // h5md.c
extern const struct trj_format trj_format_mmcif;   // mmcif.c
extern const struct trj_format trj_format_cif;     // cif.c
extern const struct trj_format trj_format_xdatcar; // xdatcar.c
extern const struct trj_format trj_format_poscar;  // poscar.c
extern const struct trj_format trj_format_xyz;     // xyz.c
extern const struct trj_format trj_format_tinker;  // tinker.c
extern const struct trj_format trj_format_lammps;  // lammps_dump.c
extern const struct trj_format trj_format_dlpoly;  // dlpoly.c
extern const struct trj_format trj_format_openmm;  // openmm_state.c
extern const struct trj_format trj_format_g96;     // g96.c
extern const struct trj_format trj_format_card;    // card.c
extern const struct trj_format trj_format_gro;     // gro.c
extern const struct trj_format trj_format_pdb;     // pdb.c
extern const struct trj_format trj_format_pqr;     // pdb.c
extern const struct trj_format trj_format_mdcrd;   // mdcrd.c
extern const struct trj_format trj_format_rst7;    // rst7.c

#endif
