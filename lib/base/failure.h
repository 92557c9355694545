// SPDX-License-Identifier: MIT
// Records a failure in the output. A stage of a pipeline that fails ends its stream with a FAIL block, so that the
// later stages can end without a message of their own. Normative text: block FAIL in schemas/block_stream.md.
#ifndef TRJ_FAILURE_H
#define TRJ_FAILURE_H

#include <stdbool.h>

#include "block_stream.h"
#include "error.h"
#include "input.h"

// Begins the comment that ends a table whose program failed: "# FAILED: tool: message".
#define TRJ_FAILURE_MARK "# FAILED: "

// Must be the first call of a process: failures recorded at about this time or later belong to the same pipeline.
void trj_failure_start(void);

// Ends the stream of this kind that the process writes to standard output with a FAIL block, after a file header if
// there is none yet. Does nothing if standard output is a terminal, cannot be written, or contains a complete stream.
// If err->origin is set, the block names the tool in err->text instead of `tool`.
void trj_failure_end_stream(const struct trj_stream_kind *kind, const char *tool, const struct trj_error *err);
// Ends the table that the process writes to standard output with a comment line that gives the failure. Does nothing if
// standard output is not a pipe.
void trj_failure_end_table(const char *tool, const struct trj_error *err);

// Sets the error that a loaded FAIL block of the input describes. Always returns -1, with TRJ_BAD_DATA. If the block
// came through a pipe from a program that failed while this process ran, that program has reported the failure: the
// error is then quiet, and its origin is set. Otherwise the error gives the recorded message.
int trj_failure_read(struct trj_block *block, const struct trj_input *in, struct trj_error *err);
// As trj_failure_read, for a line of a table that begins with TRJ_FAILURE_MARK.
int trj_failure_read_line(const char *line, const struct trj_input *in, struct trj_error *err);

#endif
