// SPDX-License-Identifier: MIT
// Reading: one buffered, forward-only view of a file, a pipe or stdin that knows its name and the byte it stands at. What is packed with
// gzip or zstd, told by its first bytes, is unpacked on the way (unpack.h): then all bytes and offsets are those of the unpacked data.
#ifndef TRJ_INPUT_H
#define TRJ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

struct trj_input;

// Whether the path, of something that is not open yet, is a regular file's, or "-" and standard input is one; of how many bytes, as it lies
// there.
bool trj_input_is_file(const char *path, uint64_t *bytes);

// "-" is stdin, never closed. Directories are refused. Errors of this call name the file; those of all others do not, the
// caller knows more (trj_fail_at). trj_input_close frees; NULL is allowed there.
int trj_input_open(struct trj_input **in, const char *path, struct trj_error *err);
// The same for the bytes as they are, also packed ones.
int trj_input_open_raw(struct trj_input **in, const char *path, struct trj_error *err);
void trj_input_close(struct trj_input *in); // of standard input nothing is left

const char *trj_input_name(const struct trj_input *in);    // the path as given, "stdin" for "-"
bool trj_input_is_pipe(const struct trj_input *in);        // it is not a regular file
uint64_t trj_input_start(const struct trj_input *in);      // where the file was when it was opened; a copy: 0
uint64_t trj_input_offset(const struct trj_input *in);     // bytes consumed so far, from the start of the file
uint64_t trj_input_taken(const struct trj_input *in);      // bytes of the file that they came of: fewer if it is packed
bool trj_input_size(struct trj_input *in, uint64_t *size); // false where it cannot be known: a pipe, packed data

// Whether a name ends so, and is longer; upper and lower case are one.
bool trj_name_ends_in(const char *name, const char *ending);
// Whether that of the input does, without the ".gz" or ".zst" of what is packed.
bool trj_input_ends_in(const struct trj_input *in, const char *ending);

// For libraries that open files themselves: a path to the file that this one is behind trj_input_spool, valid until trj_input_close.
enum { TRJ_INPUT_PATH = 32 };
void trj_input_path(const struct trj_input *in, char path[TRJ_INPUT_PATH]);

// For formats that are not read in order: an input that cannot be sought, as it is a pipe or packed, is copied, unpacked, into a file in the
// folder TMPDIR names (/tmp), which has no name there and is gone when it is closed. From then on this is an input of that file, at its start,
// and if it was standard input, that is this file, too. To be called at its start. Where the copy cannot be made it is TRJ_FAILED.
int trj_input_spool(struct trj_input *in, struct trj_error *err);

// For what is read twice, by an input that is at its start: what is read of a pipe from here on is kept, until trj_input_again goes back to
// the start. More than TRJ_INPUT_KEPT bytes are TRJ_BAD_DATA: it is to be a short part of the input.
enum { TRJ_INPUT_KEPT = 1 << 30 };
int trj_input_keep(struct trj_input *in, struct trj_error *err);
int trj_input_again(struct trj_input *in, struct trj_error *err);

// Tells this input from others: a hash of the file's size, its first and its last 64 KiB; of a pipe of its first 64 KiB, unpacked.
int trj_input_fingerprint(struct trj_input *in, uint64_t *print, struct trj_error *err);

// Looks ahead up to `want` bytes (at most TRJ_INPUT_PEEK) without consuming; *got is smaller only at the end of the data.
enum { TRJ_INPUT_PEEK = 1 << 16 };
int trj_input_peek(struct trj_input *in, const unsigned char **data, size_t want, size_t *got, struct trj_error *err);

// Up to n bytes, fewer only at the end.
int trj_input_read_some(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err);

// Exactly n bytes; a shorter input is an error of trj_fail_truncated.
int trj_input_read(struct trj_input *in, void *data, size_t n, const char *what, struct trj_error *err);

// Fails as trj_input_read does: the data end at byte `at`, after `found` of the n bytes of `what`. Returns -1 in every
// case.
int trj_input_ends(struct trj_input *in, uint64_t at, uint64_t n, uint64_t found, const char *what,
                   struct trj_error *err);

// Checks before memory is allocated that n more bytes follow: 0 if they do or if the size is unknown, as for a pipe;
// else the error above, even if the bytes are found again afterwards. The bytes may be missing when they are read: only
// what was read counts.
int trj_input_need(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);

// Passes over n bytes, by seeking where that is possible; a shorter input is an error as above.
int trj_input_skip(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);

// Fails with TRJ_BAD_DATA if the file has become shorter since it was opened. Reading and skipping check this where the
// file ends, so that a file which is truncated between two frames is an error, too. For formats whose library reads
// zeros after the end.
int trj_input_check_size(struct trj_input *in, struct trj_error *err);

// To an absolute byte of a seekable input (trj_input_size gave true), at most its size.
int trj_input_seek(struct trj_input *in, uint64_t offset, struct trj_error *err);

// One line without its end ("\n" or "\r\n"); 1 a line, 0 end of data, -1 failed. *line is NUL-terminated, owned by the input, valid until
// the next call; *length tells of NULs inside. Lines over 1 MiB are TRJ_BAD_DATA.
int trj_input_line(struct trj_input *in, char **line, size_t *length, struct trj_error *err);

// Memory that bytes are put behind each other in; it grows, and is used again. free(data) frees.
struct trj_input_bytes {
    unsigned char *data;
    size_t size, room;
};

// Puts the next lines, with their ends and as they are, behind what is in *to, which has room for one byte more then. *got is smaller
// than `lines` only at the end of the data, or where this fails: on a line over 1 MiB, as above.
int trj_input_lines(struct trj_input *in, uint64_t lines, struct trj_input_bytes *to, uint64_t *got,
                    struct trj_error *err);

// Whether all bytes were consumed, and the end of the data was met.
bool trj_input_at_end(const struct trj_input *in);

// Whether the last line that was given had its newline. The last one of a file that was cut has none.
bool trj_input_line_ended(const struct trj_input *in);

#endif
