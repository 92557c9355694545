// SPDX-License-Identifier: MIT
// Reads a file, a pipe or stdin: buffered, forward only, with the name and the current byte for messages. Compressed
// data, detected by their first bytes, are unpacked while they are read (unpack.h): all bytes and offsets are then
// those of the unpacked data. An input is for one thread at a time.
#ifndef TRJ_INPUT_H
#define TRJ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "pipe.h"

struct trj_input;

// Returns 1 if the path, which is not open yet, names a regular file, or is "-" while standard input is a regular file,
// and sets *bytes to its size on disk; 0 if it names something else, or nothing; -1 if this cannot be found out.
int trj_input_is_file(const char *path, uint64_t *bytes, struct trj_error *err);

// Fails with TRJ_USAGE if `file`, the value of `option`, and the input `path` are both standard input, which can be
// read only once. `content` describes the input in the message, such as "the map". `file` is NULL if the option is not
// given.
int trj_input_check_option(const char *option, const char *file, const char *path, const char *content,
                           struct trj_error *err);

// Opens a path; "-" is stdin, which is never closed. Directories are rejected with TRJ_FAILED, and stdin with TRJ_USAGE
// if it is a terminal. Errors of this call name the file. Errors of all other calls do not: callers add the name with
// trj_fail_at.
int trj_input_open(struct trj_input **in, const char *path, struct trj_error *err);
// As trj_input_open, but compressed data are not unpacked.
int trj_input_open_raw(struct trj_input **in, const char *path, struct trj_error *err);

// The next input that is opened with this path, which must stay valid, reads from `fd` instead, and closes it: the
// file, or a pipe with its bytes. `pipe`: the path itself names a pipe. `check` is called at the end of the data, in
// any thread, and fails if they ended because of an error; NULL: it is not called.
void trj_input_feed(const char *path, int fd, bool pipe, int (*check)(struct trj_error *err));

// Live inputs have no end that is known in advance: connections to servers, which trj_input_open makes for a path
// "imd://HOST:PORT" (connection.h), and regular files that are followed while another program writes them, which
// trj_input_open_followed opens. They are pipes for the caller; compressed data are not unpacked. Reading waits for
// data. They end where the server closes the connection, where the user stops (stop_request.h), or where a file was
// replaced, rewritten, or became shorter; the last line without a line end is then left out. If TRJ_INPUT_PEEK bytes
// are requested, trj_input_peek returns as soon as it has any; otherwise it waits for the requested number.
enum { TRJ_INPUT_GREETING = 8 }; // bytes of a server for which trj_input_open waits
int trj_input_open_followed(struct trj_input **in, const char *path, struct trj_error *err);
bool trj_input_is_live(const struct trj_input *in);
bool trj_input_live_ended(const struct trj_input *in); // returns whether a live input has ended
// Keeps the first error that ended a live input, unless the user has stopped; the error names the input.
// trj_input_check_interruption fails with it.
void trj_input_interrupt(struct trj_input *in, const struct trj_error *err);
int trj_input_check_interruption(const struct trj_input *in, struct trj_error *err);
// Sends a message of a few bytes to the server of a connection. Has no effect on other inputs.
int trj_input_reply(struct trj_input *in, const void *data, size_t n, struct trj_error *err);
// Prepares an input for trj_input_wake, before the thread that reads it starts. Regular files need no such preparation
// unless they are followed: reading them does not wait.
int trj_input_allow_wake(struct trj_input *in, struct trj_error *err);
// Ends waiting for data in another thread, which may never come, with an error there. Only trj_input_close may follow.
void trj_input_wake(struct trj_input *in);
// Closes and frees the input; NULL is allowed. If it is stdin and a regular file, moves the file offset to the end, as
// if all of it had been read.
void trj_input_close(struct trj_input *in);

const char *trj_input_name(const struct trj_input *in); // the path as given, "stdin" for "-"
bool trj_input_is_pipe(const struct trj_input *in);     // true for all but regular files that are not followed
// Returns whether another program may be writing the data while they are read: as trj_input_is_pipe, but false for a
// pipe of trj_input_feed that gets the bytes of a file.
bool trj_input_has_writer(const struct trj_input *in);
int trj_input_descriptor(const struct trj_input *in);  // of the file or pipe; the input keeps it
uint64_t trj_input_start(const struct trj_input *in);  // file offset when it was opened; 0 after trj_input_spool
uint64_t trj_input_offset(const struct trj_input *in); // bytes consumed so far, from trj_input_start on
// Returns the same in bytes of the file as stored, which are fewer if it is compressed.
uint64_t trj_input_file_offset(const struct trj_input *in);
// Sets *size to the number of bytes of the input. Returns false if it is unknown, as for pipes and compressed data.
bool trj_input_size(struct trj_input *in, uint64_t *size);
// Does the same, and returns 1 if the size is known, 0 if it is not, and -1 if the system cannot give that of a file.
int trj_input_find_size(struct trj_input *in, uint64_t *size, struct trj_error *err);

// Returns whether a name ends in `ending`, and is longer if that begins with a point. Upper and lower case are equal.
bool trj_name_ends_in(const char *name, const char *ending);
bool trj_name_is_compressed(const char *name); // returns whether a name ends as those of compressed files (".gz")
// Does the same for the name of the input. The suffix of compressed data (".gz") is removed from the name first.
bool trj_input_ends_in(const struct trj_input *in, const char *ending);

// Sets `path` to a path of the open file ("/dev/fd/N"), for libraries that open files themselves. It is valid until
// trj_input_close. The input must be a regular file that is not compressed (trj_input_spool).
enum { TRJ_INPUT_PATH = 32 };
void trj_input_path(const struct trj_input *in, char path[TRJ_INPUT_PATH]);

// Prepares an input for random access. A pipe, and compressed data, are copied, unpacked, to an unnamed temporary file
// in the folder $TMPDIR (default: /tmp), which then replaces the input and, if it was stdin, file descriptor 0. Must be
// called before anything was consumed. Returns -1 with TRJ_FAILED if the copy cannot be made.
int trj_input_spool(struct trj_input *in, struct trj_error *err);

// trj_input_mark prepares for reading data twice, and trj_input_rewind then returns to the start. Must be called before
// anything was consumed. Data from a pipe are buffered between the two calls; more than TRJ_INPUT_MARK_MAX bytes of
// them are TRJ_BAD_DATA.
enum { TRJ_INPUT_MARK_MAX = 1 << 30 };
int trj_input_mark(struct trj_input *in, struct trj_error *err);
int trj_input_rewind(struct trj_input *in, struct trj_error *err);

// Sets *print to a hash that identifies the input: of the size, the first and the last 64 KiB of a file as stored, or
// of the first 64 KiB of a pipe, unpacked; 0 for a connection. For a pipe, it must be called before anything was
// consumed.
int trj_input_fingerprint(struct trj_input *in, uint64_t *print, struct trj_error *err);

// Sets *data to the next bytes without consuming them, and *got to their number, which is less than `want` (at most
// TRJ_INPUT_PEEK) only at the end of the data. *data is valid until the next call with this input.
enum { TRJ_INPUT_PEEK = 1 << 16 };
int trj_input_peek(struct trj_input *in, const unsigned char **data, size_t want, size_t *got, struct trj_error *err);
// Does the same for `want` up to TRJ_INPUT_PEEK_FAR. The buffer grows to that size. Waits for that many bytes of a live
// input.
enum { TRJ_INPUT_PEEK_FAR = 1 << 22 };
int trj_input_peek_far(struct trj_input *in, const unsigned char **data, size_t want, size_t *got,
                       struct trj_error *err);
// Sets *data to the bytes that were read before, but not consumed. Returns their number, which can be 0. Reads nothing.
size_t trj_input_buffered(const struct trj_input *in, const unsigned char **data);

// Reads up to n bytes; fewer only at the end of the data.
int trj_input_read_some(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err);

// Reads exactly n bytes. A shorter input is an error of trj_fail_truncated.
int trj_input_read(struct trj_input *in, void *data, size_t n, const char *what, struct trj_error *err);

// As trj_input_read, into `count` parts of memory, one after the other. Of a pipe, most bytes may stay in *store, from
// which trj_pipe_store_read then reads them into the same parts, in any thread.
int trj_input_read_parts(struct trj_input *in, const struct iovec *parts, int count, struct trj_pipe_store *store,
                         const char *what, struct trj_error *err);

// Sets the error of trj_input_read for data that end at byte `offset`, after `found` of the n bytes of `what`, or the
// error of trj_input_check_size if the file has become shorter.
void trj_input_set_end_error(struct trj_input *in, uint64_t offset, uint64_t n, uint64_t found, const char *what,
                             struct trj_error *err);
// Does the same, and its value is always -1. It is a macro for the same reason as trj_fail.
#define trj_input_fail_truncated(...) (trj_input_set_end_error(__VA_ARGS__), trj_failed())

// Checks, before a caller allocates memory, that n more bytes follow. Returns 0 if they do or if the size is unknown,
// as for a pipe; else -1 with the error of trj_input_fail_truncated. The file may change after this check, so that the
// later read must still be checked.
int trj_input_check_left(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);

// Returns the descriptor of the file that contains the next bytes as they are, and sets *at to their place in it; -1 if
// there is none, as for a pipe and for compressed data. The input keeps the descriptor.
int trj_input_file(const struct trj_input *in, uint64_t *offset);
// Passes over n bytes of such a file, which trj_input_read_deferred then reads, in any thread, at the place that
// trj_input_file gave. A shorter file is an error of trj_fail_truncated for both.
int trj_input_defer(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);
// It reads the bytes from <= i < to of these n bytes to data + i; errors are those of all n bytes.
int trj_input_read_deferred(struct trj_input *in, uint64_t offset, void *data, size_t n, size_t from, size_t to,
                            const char *what, struct trj_error *err);

// Skips n bytes, by seeking if possible. A shorter input is an error of trj_fail_truncated.
int trj_input_skip(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err);

// Fails with TRJ_BAD_DATA if the file has become shorter since it was opened, or if it was changed without a change of
// its size: it may have been truncated and written again. A file that grows is read as far as it goes. Reading and
// skipping call this at the end of the file, so that a truncation between two frames is an error, too. Readers whose
// library returns zeros after the end of a file must call it themselves.
int trj_input_check_size(struct trj_input *in, struct trj_error *err);
// Does the same in any thread, for data that end at byte `offset`.
int trj_input_check_size_at(struct trj_input *in, uint64_t offset, struct trj_error *err);

// Sets the offset of the next read, counted from trj_input_start. The input must be seekable (trj_input_size has
// returned true), and `offset` at most its size.
int trj_input_seek(struct trj_input *in, uint64_t offset, struct trj_error *err);

// Reads one line. Returns 1, 0 at the end of the data, or -1. *line is NUL-terminated, without its line end ("\n" or
// "\r\n"), owned by the input, and valid until the next call; the caller may change it. *length is the number of
// characters: strlen(*line) is less if the line contains NUL bytes. A line over 1 MiB is TRJ_BAD_DATA.
int trj_input_line(struct trj_input *in, char **line, size_t *length, struct trj_error *err);

// A buffer that grows and can be reused. free(data) frees it.
struct trj_input_bytes {
    unsigned char *data;
    size_t size, capacity;
};

// Appends the next `lines` lines, with their line ends, to *to, and allocates at least one byte more. *got is the
// number of lines, which is less than `lines` only at the end of the data or after an error. A line over 1 MiB is
// TRJ_BAD_DATA.
int trj_input_lines(struct trj_input *in, uint64_t lines, struct trj_input_bytes *to, uint64_t *got,
                    struct trj_error *err);

// Returns whether the next bytes come from a pipe whose writer gives none for 10 ms.
bool trj_input_pauses(struct trj_input *in);

// Returns whether all bytes were consumed and a read has met the end of the data.
bool trj_input_at_end(const struct trj_input *in);

// Returns whether the last line read had a newline. The last line of a truncated file has none.
bool trj_input_line_has_newline(const struct trj_input *in);

#endif
