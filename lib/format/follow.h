// SPDX-License-Identifier: MIT
// Opens trajectories that another program is writing.
#ifndef TRJ_FOLLOW_H
#define TRJ_FOLLOW_H

#include <stddef.h>

#include "error.h"
#include "input.h"
#include "reader.h"

// Waits until the file contains a complete frame, and opens it as an input that grows (trj_input_open_followed).
// `format`, `atoms` and `compare` as in trj_reader_open_comparing. If the first frame does not come at once, `note` is
// called with the reason. Fails with the error of the file if it cannot become a trajectory by growing, or if the user
// stops.
int trj_follow_open(struct trj_input **in, const char *path, const struct trj_format *format, size_t atoms,
                    unsigned compare, trj_loss_note *note, void *arg, struct trj_error *err);

#endif
