// SPDX-License-Identifier: MIT
// Reads a file, a pipe or stdin: buffered, forward only, with the name and the current byte for messages. Compressed
// data, detected by their first bytes, are unpacked while they are read (unpack.h): all bytes and offsets are then
// those of the unpacked data.
#ifndef TRJ_INPUT_H
#define TRJ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

struct trj_input;

// Returns whether the path, which is not open yet, names a regular file, or is "-" while standard input is a regular
// file. Sets *bytes to its size on disk.
bool trj_input_is_file(const char *path, uint64_t *bytes);

// Opens a path; "-" is stdin, which is never closed. Directories are rejected. Errors of this call name the file.
// Errors of all other calls do not: callers add the name with trj_fail_at. trj_input_close frees; it allows NULL.
int trj_input_open(struct trj_input **in, const char *path, struct trj_error *err);
// As trj_input_open, but compressed data are not unpacked.
int trj_input_open_raw(struct trj_input **in, const char *path, struct trj_error *err);
void trj_input_close(struct trj_input *in); // moves the offset of stdin, if it is a regular file, to its end

const char *trj_input_name(const struct trj_input *in); // the path as given, "stdin" for "-"
bool trj_input_is_pipe(const struct trj_input *in);     // true for all that is not a regular file
uint64_t trj_input_start(const struct trj_input *in);   // offset of the file when it was opened; 0 for a copy
uint64_t trj_input_offset(const struct trj_input *in);  // bytes consumed so far, from the start of the file
uint64_t
trj_input_file_offset(const struct trj_input *in); // bytes of the file consumed so far: fewer if it is compressed
bool trj_input_size(struct trj_input *in, uint64_t *size); // false if it is unknown: for pipes and compressed data

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

// For what is read twice, by an input that is at its start: what is read of a pipe from here on is kept, until trj_input_rewind goes back to
// the start. More than TRJ_INPUT_MARK_MAX bytes are TRJ_BAD_DATA: it is to be a short part of the input.
enum { TRJ_INPUT_MARK_MAX = 1 << 30 };
int trj_input_mark(struct trj_input *in, struct trj_error *err);
int trj_input_rewind(struct trj_input *in, struct trj_error *err);

// Tells this input from others: a hash of the file's size, its first and its last 64 KiB; of a pipe of its first 64 KiB, unpacked.
int trj_input_fingerprint(struct trj_input *in, uint64_t *print, struct trj_error *err);

// Looks ahead up to `want` bytes (at most TRJ_INPUT_PEEK) without consuming; *got is smaller only at the end of the data.
enum { TRJ_INPUT_PEEK = 1 << 16 };
int trj_input_peek(struct trj_input *in, const unsigned char **data, size_t want, size_t *got, struct trj_error *err);

// Reads up to n bytes; fewer only at the end of the data.
int trj_input_read_some(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err);

// Reads exactly n bytes. A shorter input is an error of trj_fail_truncated.
int trj_input_read(struct trj_input *in, void *data, size_t n, const char *what, struct trj_error *err);

// Sets the error of trj_input_read for data that end at byte `at`, after `found` of the n bytes of `what`, or the error
// of trj_input_check_size if the file has become shorter.
void trj_input_set_end_error(struct trj_input *in, uint64_t at, uint64_t n, uint64_t found, const char *what,
                             struct trj_error *err);
// Does the same, and its value is always -1. It is a macro for the same reason as trj_fail.
#define trj_input_fail_truncated(...) (trj_input_set_end_error(__VA_ARGS__), trj_failed())

// Checks, before a caller allocates memory, that n more bytes follow. Returns 0 if they do or if the size is unknown,
// as for a pipe; else -1 with the error of trj_input_fail_truncated. The file may change after this check, so that the
// later read must still be checked.
int trj_input_check_left(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);

// Skips n bytes, by seeking if possible. A shorter input is an error of trj_fail_truncated.
int trj_input_skip(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);

// Fails with TRJ_BAD_DATA if the file has become shorter since it was opened. Reading and skipping call this at the end
// of the file, so that a truncation between two frames is an error, too. Readers whose library returns zeros after the
// end of a file must call it themselves.
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

// Returns whether all bytes were consumed and a read has met the end of the data.
bool trj_input_at_end(const struct trj_input *in);

// Returns whether the last line read had a newline. The last line of a truncated file has none.
bool trj_input_line_has_newline(const struct trj_input *in);

#endif
