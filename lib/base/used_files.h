// SPDX-License-Identifier: MIT
// Remembers the regular files that a tool reads and replaces, so that no output replaces an input: the input would be
// lost. Files are compared by device and inode, so that links and other paths of a file are found. input.c and output.c
// call these functions, which may be called from any thread.
#ifndef TRJ_USED_FILES_H
#define TRJ_USED_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "error.h"

struct trj_file_id {
    dev_t device;
    ino_t inode;
};

static inline struct trj_file_id trj_file_id(const struct stat *st) {
    return (struct trj_file_id){st->st_dev, st->st_ino};
}

static inline bool trj_file_is(struct trj_file_id a, struct trj_file_id b) {
    return a.device == b.device && a.inode == b.inode;
}

// Tools call this at their start. Until then, the functions below have no effect: a program that uses the library may
// replace a file that it has read before.
void trj_used_files_start(void);

// Adds an open input. Fails with TRJ_FAILED if it is the same file as an output, or if this cannot be found out. An
// input is remembered until the process ends, because a tool reads some files completely before it opens its output.
// `name` is its path; "stdin" and "stdout" have none. Files that are not regular are ignored.
int trj_used_files_add_input(const struct stat *st, const char *name, struct trj_error *err);
// Adds a file that an output will replace, or to which it is written. Fails with TRJ_FAILED if it is one of the inputs.
int trj_used_files_add_output(const struct stat *st, const char *name, struct trj_error *err);
// Forgets an input that was read only to find out whether an output may replace it.
void trj_used_files_remove_input(struct trj_file_id id);
// Forgets an output that was added, after it was replaced: another file may get the same inode.
void trj_used_files_remove_output(struct trj_file_id id);

#endif
