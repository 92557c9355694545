// SPDX-License-Identifier: MIT
// Reads frames in a child process, for a library that damaged files can make crash or run without end: the process
// ends, and the caller gets an error. The child reads the next frames while the caller uses the current ones.
#ifndef TRJ_CHILD_READER_H
#define TRJ_CHILD_READER_H

#include "reader_parts.h"

// What a format runs in the child. `read` sets no note. There is no close, because the process ends.
struct trj_child_reader_ops {
    const char *library; // for messages: "HDF5"
    // Loads and starts the library before it gets the file. If the process ends during this call, the file is not the
    // cause, and the error is TRJ_FAILED. The caller gets an error of this call as it is.
    int (*start)(struct trj_error *err);
    int (*open)(struct trj_reader *r, struct trj_error *err); // as in struct trj_format_ops
    int (*read)(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
};

// Functions of struct trj_format_ops, for files whose number of frames is known once they have been opened.
// r->internals->state belongs to them. trj_child_reader_read reads frame r->next, in any order. Open it in a thread
// that lives as long as the reader: the child ends with that thread.
int trj_child_reader_open(struct trj_reader *r, const struct trj_child_reader_ops *ops, struct trj_error *err);
int trj_child_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
int trj_child_reader_skip(struct trj_reader *r, struct trj_error *err);
int trj_child_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);
void trj_child_reader_close(struct trj_reader *r);

#endif
