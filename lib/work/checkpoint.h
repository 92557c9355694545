// SPDX-License-Identifier: MIT
// Checkpoints of programs that add integers over the frames of a stream. A program that was ended, by a signal or
// without warning, continues when the same command is run again, and its output has the same bytes.
//
// The program reads its input again from the first frame, and does everything that is cheap, so that its state needs
// no file: only the integer sums of the frames before the checkpoint come from there. Their expensive computation is
// left out (frame_share.h). A running fingerprint of all frames (frame_fingerprint.h) verifies that they are the same.
//
// Two files: FILE is written to FILE.new and renamed, and contains the fingerprint and the sums of records that are not
// complete. FILE.records grows, and contains those that are complete, so that they are written once; FILE states its
// valid length and its hash. It is locked while a process uses it. Both are removed after the output was completed.
#ifndef WORK_CHECKPOINT_H
#define WORK_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_share.h"
#include "frame_stream.h"
#include "input.h"
#include "tool.h"

struct work_checkpoint_options {
    const char *path;  // NULL: no checkpoints
    const char *every; // "10m", "90s", "2h"; NULL: the default
};

#define WORK_CHECKPOINT_EVERY "10m"

// Rows for the option table of a filter with a static struct work_checkpoint_options: both options, or --checkpoint
// alone for a filter whose --every has another meaning, too.
extern const struct trj_option work_checkpoint_option_table[], work_checkpoint_file_option[];

struct work_checkpoint;
struct work_checkpoint_arrays;

// Completes the sums of the frames so far, and passes each array of sums that is not complete to work_checkpoint_array,
// always in the same order and with the same number of values. It is called twice: the first call only completes them.
// Arrays that are restored are replaced, so that they may contain what was added while frames were repeated.
typedef int work_checkpoint_visit(void *owner, struct work_checkpoint_arrays *a, struct trj_error *err);

// All functions below accept a NULL checkpoint, for which they have no effect.

// Opens the checkpoint before any input is read, and reads it if it exists; *c is NULL without --checkpoint, and for
// NULL options. It works only inside of trj_tool_main. Fails with TRJ_USAGE for invalid options; with TRJ_BAD_DATA if
// the file is damaged, or was written by another command or version; with TRJ_FAILED if another process uses it.
int work_checkpoint_open(struct work_checkpoint **c, const struct work_checkpoint_options *o,
                         work_checkpoint_visit *arrays, void *owner, struct trj_error *err);
// Compares the input, which has been opened, and from now on takes SIGTERM and SIGUSR1 for requests to stop. Call it
// before lines are added to the header and before threads read. Header and input must outlive the checkpoint.
int work_checkpoint_start(struct work_checkpoint *c, const struct trj_stream_header *h, struct trj_input *in,
                          struct trj_error *err);
// Returns NULL if there is no checkpoint.
const struct work_share *work_checkpoint_share(const struct work_checkpoint *c);
// Takes what reading a frame has returned: 1, 0 at the end, -1; returns the same, or -1 after an error. Adds the frame
// to the fingerprint, in the order of the stream, before anything changes it. Fails with TRJ_BAD_DATA if the frames so
// far are not those of the checkpoint. If reading has failed, it writes a checkpoint of the frames so far, because the
// signal that ends this process may have ended first the one that writes its input; *err is replaced if a signal has
// come.
int work_checkpoint_read(struct work_checkpoint *c, int got, const struct trj_frame *f, struct trj_error *err);
// Call it after `items` frames (with lags pairs of frames) were passed to the engine, all that are numbered below
// `items`. Restores the arrays after the last frame of the checkpoint. Writes a checkpoint if it is time or a signal
// has come; fails with TRJ_STOPPED after a signal. A checkpoint that cannot be written is a note, and the work goes on.
int work_checkpoint_counted(struct work_checkpoint *c, uint64_t items, struct trj_error *err);
// Call it after the last frame was counted. Fails with TRJ_BAD_DATA if the checkpoint has more frames; if a signal has
// come and the input is a pipe, it writes a checkpoint and fails with TRJ_STOPPED. Later sums are not logged. From now
// on, one signal is ignored, so that the output is completed, and another one ends the process.
int work_checkpoint_end(struct work_checkpoint *c, struct trj_error *err);
// Removes the files. Call it after the output was completed.
void work_checkpoint_remove(struct work_checkpoint *c);
void work_checkpoint_close(struct work_checkpoint *c);

// Saves or restores count values of 8 bytes, whichever the checkpoint is doing; the first call does neither.
int work_checkpoint_array(struct work_checkpoint_arrays *a, void *values, size_t count, struct trj_error *err);

#endif
