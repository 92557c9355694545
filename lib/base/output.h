// SPDX-License-Identifier: MIT
// Writes files and standard output: buffered, with every write and the close checked. A named file is written under a
// temporary name in the same folder and renamed by trj_output_commit.
#ifndef TRJ_OUTPUT_H
#define TRJ_OUTPUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_output;

// After this call, a signal that ends the process (termination_signals.h) removes the temporary files, of which there
// may be eight at a time, and the named files stay as they were. Tools call it at their start.
void trj_output_remove_on_signals(void);
// After this call, SIGTERM and SIGUSR1 also remove the file `path` (NULL: none), print the message, and end the tool
// with this status. It is for a tool that has computed nothing yet. Both texts must stay valid until a call with the
// status 0 and the same path, after which these signals end the tool as before.
void trj_output_set_signal_status(int status, const char *message, const char *path);

// After this call, outputs are opened, but nothing is written: another process of the same work writes them.
void trj_output_discard(void);
// After this call, binary output to a terminal is allowed: the launcher of Open MPI gives its ranks one as standard
// output, and passes on the bytes.
void trj_output_allow_terminal(void);

// Binary output to a terminal is rejected. TRJ_OUTPUT_DURABLE: binary, to a named file that is written again and again
// and must survive a crash of the machine: trj_output_commit waits until it is on the disk, and its temporary file has
// a fixed name, "PATH.new", so that a process that was killed leaves at most one of them.
enum trj_output_kind { TRJ_OUTPUT_TEXT, TRJ_OUTPUT_BINARY, TRJ_OUTPUT_DURABLE };

// Opens an output; NULL or "-" is stdout. An empty path is TRJ_USAGE. A path that names no regular file (a pipe,
// /dev/...) is written directly, without a temporary file. In a tool, TRJ_FAILED if the output is the same file as an
// input (used_files.h). Errors of all functions name the output.
int trj_output_open(struct trj_output **out, const char *path, enum trj_output_kind kind, struct trj_error *err);
// Returns the path of the file that an output with this path creates or replaces, without symbolic links, which may
// lead to a file that does not exist yet. The caller frees it. NULL after an error: links that lead to themselves, or
// an existing file that is read-only (TRJ_FAILED).
char *trj_output_target(const char *path, struct trj_error *err);
// Returns the name of the temporary file of a TRJ_OUTPUT_DURABLE output, whose path is the result of trj_output_target;
// free() it. NULL: memory is short.
char *trj_output_temporary(const char *target, struct trj_error *err);
// Outputs that are opened later, other than TRJ_OUTPUT_DURABLE, must not have this name, the result of
// trj_output_target: they fail with TRJ_USAGE. The text must remain valid. NULL: all names are allowed again.
void trj_output_reserve(const char *target);
bool trj_output_is_stdout(const char *path); // returns whether a path means stdout: NULL or "-"
// Fails with TRJ_USAGE if the default format would be written to a file with an unknown ending, or if the ending is
// that of compressed files. Standard output and names without an ending are allowed. `known`: the format follows from
// the path or an option, so that only endings of compressed files are rejected. `endings` lists the valid ones for the
// message: ".dx, .mrc".
int trj_output_check_ending(const char *path, bool known, const char *endings, struct trj_error *err);
bool trj_output_goes_to_stdout(const struct trj_output *out); // returns whether an open output is stdout
const char *trj_output_name(const struct trj_output *out);    // the path as given, or "stdout"
// Writes n bytes, or buffers them. `data` may be NULL if n is 0. If the reader of a pipe has closed it, the error is
// quiet.
int trj_output_write(struct trj_output *out, const void *data, size_t n, struct trj_error *err);
// Bytes to write, and what a pipe may get instead of a copy of them. Zeroed fields: only a copy.
struct trj_output_part {
    const void *data;
    size_t size;
    // data is memory of trj_pipe_alloc (pipe_memory.h), whose pages may be given to a pipe. *given is then set to true,
    // and the caller must not write to the memory again, but free it.
    bool *given;
    // The file contains the same bytes at this place. A pipe may get the pages of the file, which the kernel has in
    // memory: if another program changes them before the pipe is read, the reader gets the new bytes.
    bool in_file;
    int file;
    uint64_t file_offset;
};
int trj_output_write_part(struct trj_output *out, const struct trj_output_part *part, struct trj_error *err);
bool trj_output_gives(const struct trj_output *out); // returns whether a copy can be avoided
int trj_output_print(struct trj_output *out, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int trj_output_vprint(struct trj_output *out, struct trj_error *err, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

// Returns whether written bytes can be overwritten: the output must be a regular file that was not opened for
// appending.
bool trj_output_can_patch(const struct trj_output *out);
// Overwrites n bytes that were written before, at `offset` from the first byte. trj_output_can_patch must be true.
int trj_output_patch(struct trj_output *out, uint64_t offset, const void *data, size_t n, struct trj_error *err);

// Gives the file `fd` the mode of the file that `path` names and, where possible, its owner and group. If `path` does
// not exist, `fd` gets the mode of a new file. If the group cannot be kept, the new group gets only the permissions
// that all users have. Returns -1 with errno set if the mode cannot be set.
int trj_output_permissions(int fd, const char *path);

// Writes the buffered bytes.
int trj_output_flush(struct trj_output *out, struct trj_error *err);
// Fails with TRJ_USAGE if the name of the file of an option (NULL: not given) is empty, or if it is the same file as
// that of --output (NULL: stdout), even under another path.
int trj_output_check_second(const char *path, const char *option, const char *output, struct trj_error *err);
// Fails if the output of an option has the name of the input of another option, so that no work is lost. Either may be
// NULL.
int trj_output_check_input(const char *path, const char *option, const char *input, const char *input_option,
                           struct trj_error *err);
// Makes `second` appear together with `out`, its new owner, with which it is committed and closed.
void trj_output_join(struct trj_output *out, struct trj_output *second);
// Flushes, closes and renames the file. If others are joined to it, all of them are completed before the first is
// renamed, and `out` is the last. If one cannot be renamed, those that were renamed are removed, and the files that
// they have replaced are restored where the file system can exchange two names. A temporary file that another program
// has removed or replaced is TRJ_FAILED. Only trj_output_close may follow.
int trj_output_commit(struct trj_output *out, struct trj_error *err);
// Frees the output and those that are joined to it, and removes temporary files that were not committed; NULL is
// allowed.
void trj_output_close(struct trj_output *out);

#endif
