// SPDX-License-Identifier: MIT
// Reading in a process of its own, for a library that damaged files can make crash or run without end: then that process goes, and here it
// is an error. It works on the next frame while this one is used.
#ifndef TRJ_APART_H
#define TRJ_APART_H

#include "reader_parts.h"

// The open and read of a format (reader.h), as they run there; read leaves no note. Nothing is closed: the process ends.
struct trj_child_reader_ops {
    const char *library; // for messages: "HDF5"
    // Starts the library before it gets the file. If the process ends during this call, the file is not the cause, and
    // the error is TRJ_FAILED.
    int (*start)(struct trj_error *err);
    int (*open)(struct trj_reader *r, struct trj_error *err);
    int (*read)(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
};

// What a format's own open, read and close call instead. r->internals->state is theirs, and frames are read by their number, r->next. Opened in a
// thread that lives as long as the reader.
int trj_child_reader_open(struct trj_reader *r, const struct trj_child_reader_ops *work, struct trj_error *err);
int trj_child_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
void trj_child_reader_close(struct trj_reader *r);

#endif
