// SPDX-License-Identifier: MIT
// Passes a failure on in the output: a stage of a pipeline that fails records this at the end of its stream, so that the stages after it can
// end without a message of their own. Normative text: block FAIL in schemas/block_stream.md.
#ifndef TRJ_FAILURE_H
#define TRJ_FAILURE_H

#include <stdbool.h>

#include "block_stream.h"
#include "error.h"
#include "input.h"

// The comment that ends a table whose program failed: "# FAILED: tool: message".
#define TRJ_FAILURE_MARK "# FAILED: "

// The first call of a process: failures recorded since about then belong to the same pipeline.
void trj_failure_start(void);

// Ends the stream of this kind that the process writes to standard output with a FAIL block, after a file header if there is none yet. Does
// nothing if standard output is a terminal, cannot be written, or has a whole stream. The tool is that of err->text if err->origin is set.
void trj_failure_end_stream(const struct trj_stream_kind *kind, const char *tool, const struct trj_error *err);
// Ends the table that the process writes to standard output with a comment. Does nothing if standard output is not a pipe.
void trj_failure_end_table(const char *tool, const struct trj_error *err);

// Takes a loaded FAIL block of the input: always -1, TRJ_BAD_DATA. The error is quiet, with its origin set, if the block came through a pipe
// from a program that failed while this process ran; that program has reported it. Otherwise the error gives the recorded message.
int trj_failure_take(struct trj_block *block, const struct trj_input *in, struct trj_error *err);
// The same for a line of a table that begins with TRJ_FAILURE_MARK.
int trj_failure_take_line(const char *line, const struct trj_input *in, struct trj_error *err);

#endif
