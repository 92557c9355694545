// SPDX-License-Identifier: MIT
// Reads trajectories of any format. trj_formats (formats.c) lists the formats; reader_parts.h is for their authors.
#ifndef TRJ_READER_H
#define TRJ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atom_identity.h"
#include "error.h"
#include "frame.h"
#include "input.h"
#include "topology.h"

struct trj_stream_header;

// A trajectory format.
struct trj_format {
    const char *name, *help;
    const char *lacks;      // the library that this build lacks to read it, and how to build with it; NULL: none
    const char *endings[4]; // suffixes of names in lower case, if the content may be ambiguous: ".xyz"; ends with NULL
    const char *listed_endings[5]; // further suffixes, which do not select the format; ends with NULL
    // The format of struct trj_topology_options that reads atom names from the same file; NULL: the file contains none.
    const char *topology;
    bool lacks_cell;                  // frames never contain a cell, even if the system has one
    const struct trj_format_ops *ops; // reader_parts.h
};

// An open trajectory. Callers read these fields, and change none.
struct trj_reader {
    const struct trj_format *format;
    struct trj_input *in;
    size_t atoms;              // of every frame in the file; of an open system: the limit that the caller has given
    size_t largest;            // of an open system: largest number of atoms of a frame that was read or skipped
    size_t keep_from, keep_to; // see trj_reader_keep_atoms; both 0: all
    uint64_t next;             // number of the frame that the next read or skip gives
    uint64_t header_frames;    // number of frames given by the header, which may be wrong: for notes only; 0: not given
    uint64_t offset;           // bytes of the file up to the end of the last frame
    uint64_t empty;            // frames without coordinates that were skipped; they are not numbered
    bool can_seek;             // trj_reader_seek works
    uint64_t fingerprint;      // identifies the file: hash of its size and both ends (of its head, for a pipe)
    bool maybe_truncated;      // the text ends without a newline, so that the last coordinate may lack digits
    const char *note;          // assumption made for the frames so far that may be wrong; NULL: none
    bool note_stays;           // the note also applies if the user replaces the cells
    unsigned holds;            // TRJ_HAS_...: what the file is known to contain besides coordinates
    struct trj_motion_source motion_source[TRJ_MOTION_KINDS]; // of what was requested, and is in the file
    char dialect[96];                       // "LE 32-bit CHARMM 36, shape matrix": for notes and trjinfo
    struct trj_stream_header *header;       // of a frame stream (frame_stream.h); NULL for other formats
    bool compares_names;                    // each frame is compared with the first (enum trj_compare)
    char difference[TRJ_IDENTITY_MESSAGE];  // how the frame read last differs from the first; "": it does not
    struct trj_reader_internals *internals; // reader_parts.h
};

// From now on, the coordinates of other atoms than [from, to) may be undefined in frames that are not compressed, so
// that they need no memory. All are checked, and trj_frame.farthest is that of all.
void trj_reader_keep_atoms(struct trj_reader *r, size_t from, size_t to);

// What later frames are compared with the first frame in: names (atom_identity.h), and optionally charges, which in
// many files change from frame to frame. TRJ_CELL_GIVEN may be added: the user replaces the cells, so that invalid
// cells in the file are no errors; and TRJ_SALVAGE: the damaged parts of a frame stream are dropped
// (trj_reader_losses). A pipe is then copied to a temporary file, and frames are only read in order.
// With TRJ_NO_FINGERPRINT, fingerprints are not computed; computing one would wait for the first 64 KiB of a pipe. With
// TRJ_GROWS, another program is writing the file, so that the last frame may be incomplete at its end; this is set for
// live inputs (input.h).
//
// TRJ_READ_VALUES requests the occupancies and B factors of each frame (trj_frame.value), from formats that have them.
//
// TRJ_READ_VELOCITY and TRJ_READ_IMAGE request velocities and image flags (trj_frame.motion). If the file does not
// contain them, opening it or reading a frame fails with a remedy, but a frame stream without them is read
// (trj_reader.holds).
//
// TRJ_READ_PART announces trj_reader_keep_atoms: frames of any size are then read part by part.
//
// TRJ_OPEN_SYSTEM may be added to TRJ_COMPARE_NOTHING: the number of atoms may change from frame to frame, and may be
// 0. trj_frame.atoms is then that of the frame. `atoms` of the functions below is the largest number to accept; 0: any.
// Frames are not read ahead, and no atoms are picked from them. Fails with TRJ_USAGE for formats whose frames do not
// name their atoms.
enum trj_compare {
    TRJ_COMPARE_NOTHING,
    TRJ_COMPARE_NAMES,
    TRJ_COMPARE_CHARGES,
    TRJ_CELL_GIVEN = 4,
    TRJ_SALVAGE = 8,
    TRJ_OPEN_SYSTEM = 16,
    TRJ_NO_FINGERPRINT = 32,
    TRJ_GROWS = 64,
    TRJ_READ_VALUES = 128,
    TRJ_READ_VELOCITY = 256,
    TRJ_READ_IMAGE = 512,
    TRJ_READ_PART = 1024
};

// What was dropped from damaged frame streams.
struct trj_losses {
    bool any, frames_unknown;      // frames_unknown: more frames may be lost than `frames`
    uint64_t parts, bytes, frames; // damaged parts of the inputs; their bytes; lost frames
};
typedef void trj_loss_note(void *arg, const char *text);

// ---- formats.c

extern const struct trj_format *const trj_formats[]; // all known formats; NULL after the last
extern const struct trj_format trj_format_stream;    // frame streams

// Returns the format of that name; NULL with TRJ_USAGE if there is none.
const struct trj_format *trj_format_named(const char *name, struct trj_error *err);

// Returns the format of an input, which stays at its start, as trj_reader_open finds it; NULL: none.
const struct trj_format *trj_format_of(struct trj_input *in, struct trj_error *err);

// Returns whether the first n bytes of an input are those of the format.
bool trj_format_is(const struct trj_format *format, struct trj_input *in, const unsigned char *head, size_t n);

// Returns whether the first n bytes are those of some format, and not of a foreign one (foreign_format.h).
bool trj_format_detects(const unsigned char *head, size_t n);

// Returns whether the name of an input, without the ending of its compression, selects a format.
bool trj_format_is_named(const struct trj_input *in);

// Returns whether the name ends as those of trajectories do, in formats that can be read or not.
bool trj_format_has_name(const char *path);

// Opens a trajectory; "-" is standard input. The format is detected from the content; if several formats or none match,
// from the ending of the name. Errors begin with "FILE: ", those of reading with "FILE: frame N: "; frames count from
// 0. Returns 0 or -1. trj_reader_close frees.
int trj_reader_open(struct trj_reader **r, const char *path, struct trj_error *err);

// As trj_reader_open, for a file that the user states to be of `format` (NULL: detect it) and to have `atoms` atoms, if
// the file does not give their number (0: unknown).
int trj_reader_open_as(struct trj_reader **r, const char *path, const struct trj_format *format, size_t atoms,
                       struct trj_error *err);

// As trj_reader_open_as, for an input at its start. The reader owns the input; if the call fails, the input is closed.
int trj_reader_open_input(struct trj_reader **r, struct trj_input *in, const struct trj_format *format, size_t atoms,
                          struct trj_error *err);

// As trj_reader_open_input; each frame is compared with the first (r->difference). `compare` is an enum trj_compare,
// optionally with TRJ_CELL_GIVEN and TRJ_SALVAGE.
int trj_reader_open_comparing(struct trj_reader **r, struct trj_input *in, const struct trj_format *format,
                              size_t atoms, unsigned compare, struct trj_error *err);

// ---- reader.c

// As trj_reader_open_comparing, for a known format. `named`: the user stated it, and the content was not checked.
int trj_reader_start(struct trj_reader **r, struct trj_input *in, const struct trj_format *format, bool named,
                     size_t atoms, unsigned compare, struct trj_error *err);

// Reads the next frame. Returns 1, 0 at the end, or -1. *f is zeroed or was used before; its memory may be exchanged.
int trj_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);

// Skips the next frame. Returns 1, 0 at the end, or -1.
int trj_reader_skip(struct trj_reader *r, struct trj_error *err);

// Moves to a frame; only if r->can_seek. Returns 1; 0 if the file has no such frame, with the reader where it was; or
// -1.
int trj_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);

// Skips `frames` frames, by seeking if possible. *passed is less only if the file ends before. Returns 0 or -1.
int trj_reader_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, struct trj_error *err);

// From here on, frames contain only these atoms, in ascending order; r->atoms stays the number in the file. Call it
// before trj_reader_read_ahead. Damage in other atoms is reported only if it shows without decoding them.
int trj_reader_pick(struct trj_reader *r, const uint32_t *atoms, size_t count, struct trj_error *err);

// From here on, frames that the file contains in a compressed form which frame streams can carry come with it
// (trj_frame.packed). TRJ_KEEP_CHECKED: they are decoded, too, and damage is an error. TRJ_KEEP_UNCHECKED: they are not
// decoded (trj_frame.packed_only).
enum trj_keep { TRJ_KEEP_NOTHING, TRJ_KEEP_CHECKED, TRJ_KEEP_UNCHECKED };
void trj_reader_keep_packed(struct trj_reader *r, enum trj_keep keep);

// From here on, `wait` is called when no frame has come for a while, as from a pipe whose writer is slow, so that the
// caller can complete its work on earlier frames. If it returns -1, its error ends the reading.
typedef int trj_reader_wait(void *arg, struct trj_error *err);
void trj_reader_on_wait(struct trj_reader *r, trj_reader_wait *wait, void *arg);

// From here on, `change` is called for each frame that is read, in any thread that decodes, and for several frames at
// once. It may modify the frame, and returns 0, or -1 with an error about the content of the frame. Call this function
// before trj_reader_read_ahead.
typedef int trj_reader_change(void *arg, struct trj_frame *f, struct trj_error *err);
void trj_reader_on_frame(struct trj_reader *r, trj_reader_change *change, void *arg);

// From here on, the time of each frame is its step, multiplied by `ps` (ps); a frame without a step is an error. Call
// this function before the first frame is read.
void trj_reader_set_time_step(struct trj_reader *r, double ps);

// Returns whether the last frame was read from the input to where it is used, without decoding. Not for readers that
// read ahead.
bool trj_reader_is_light(const struct trj_reader *r);

// From here on, read and skip first skip `stride` - 1 frames (but not after a seek), and `threads` threads
// (trj_pool_size) decode up to `max_frames` frames ahead, in TRJ_READ_AHEAD_BYTES of memory, or two frames. Frames,
// errors and their order do not change. Formats that are not decoded in two steps are read as before. Call it once.
enum { TRJ_READ_AHEAD_BYTES = 1 << 28 };
int trj_reader_read_ahead(struct trj_reader *r, unsigned threads, uint64_t stride, uint64_t max_frames,
                          struct trj_error *err);

// Counts the frames by seeking; only if r->can_seek. Afterwards, the caller seeks to the frame to read next. Damage
// fails with TRJ_BAD_DATA; *frames is then the number of whole frames before it, or of those that a seek can reach.
int trj_reader_count(struct trj_reader *r, uint64_t *frames, struct trj_error *err);

// Passes a text to `note` for each part that TRJ_SALVAGE has dropped, and adds to *sum. Call it after the last frame.
void trj_reader_losses(const struct trj_reader *r, trj_loss_note *note, void *arg, struct trj_losses *sum);

// Makes the topology of the frame of an open system that was read last, which has at least one atom.
// trj_topology_close frees *top.
int trj_reader_frame_topology(struct trj_reader *r, struct trj_topology **top, struct trj_error *err);

void trj_reader_close(struct trj_reader *r); // NULL is allowed

#endif
