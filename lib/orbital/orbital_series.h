// SPDX-License-Identifier: MIT
// Reads and checks several wave functions in parallel, and returns them in the order of their files.
#ifndef ORB_SERIES_H
#define ORB_SERIES_H

#include <stddef.h>

#include "error.h"
#include "orbital_request.h"

struct orb_series_plan {
    const struct orb_request *request;
    char *const *path; // [files]
    size_t files;
    unsigned threads; // as for trj_pool_size; one thread reads each file when it is requested
};

struct orb_series;

// Begins to read. The plan is copied; what it points to must outlive the series. Two files for each thread, of at most
// 32 MiB together, are read ahead; a larger file is read alone. Pipes and other files that are not regular are read
// when they are requested, because reading can wait for another program. Fails as trj_pool_open.
int orb_series_open(struct orb_series **s, const struct orb_series_plan *plan, struct trj_error *err);
// Returns the task of the next file (orb_task_make), which is valid until the next call, and NULL after an error: that
// of this file, whatever happened with later ones. Must not be called after the last file.
struct orb_task *orb_series_next(struct orb_series *s, struct trj_error *err);
void orb_series_close(struct orb_series *s); // waits for the files that are being read; NULL is allowed

#endif
