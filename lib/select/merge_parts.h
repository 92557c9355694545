// SPDX-License-Identifier: MIT
// What merge.c, which reads frames, uses of merge_header.c, which opens inputs and compares their headers.
#ifndef TRJ_MERGE_PARTS_H
#define TRJ_MERGE_PARTS_H

#include "merge.h"

// Opens an input. Its own topology is read first if it is required, because a pipe cannot be read twice; an error in it
// is kept in m->own_error, because reading a frame may give a more specific one.
int trj_merge_open_input(struct trj_merge *m, struct trj_reader **r, const char *path, struct trj_error *err);
// Call it after the first selected frame was read. Makes the header of the input; that of the first input is passed to
// sink.begin, those of further inputs are compared with it.
int trj_merge_begin_input(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err);
// Fails with TRJ_BAD_DATA if names or types are used and the last frame has others than the first.
int trj_merge_check_identity(const struct trj_merge *m, const struct trj_reader *r, struct trj_error *err);
void trj_merge_close_headers(struct trj_merge *m);
// Passes a text to sink.note.
void trj_merge_note(const struct trj_merge *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
