// SPDX-License-Identifier: MIT
// Reports what trjinfo found in a trajectory or frame stream. filters/trjinfo.1 documents the keys.
#ifndef TRJ_TRAJECTORY_REPORT_H
#define TRJ_TRAJECTORY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_statistics.h"
#include "reader.h"
#include "report.h"

struct trj_span { // smallest and largest number: of members of a dynamic group, of atoms of an open system
    size_t min, max;
};

struct trj_findings {
    struct trj_reader *reader;
    struct trj_frame frame;                 // read last
    struct trj_frame_statistics statistics; // of the frames that were read
    uint64_t frames;                        // number of frames; a lower bound unless `counted`
    uint64_t estimate;                      // of the number of frames, if not all were counted; 0: unknown
    bool counted;                           // `frames` is exact
    bool read;                              // all frames were read
    uint64_t names_differ;                  // frames whose atom identity differs from the first, if they are compared
    char names_differ_at[TRJ_IDENTITY_MESSAGE + 32]; // the first of these frames, and its difference
    struct trj_span *spans;                          // [groups] of a frame stream
    bool open_system;                                // the reader was opened with TRJ_OPEN_SYSTEM
    struct trj_span atoms;                           // of its frames
};

// Adds the frame that was read last.
void trj_findings_add(struct trj_findings *s);

// Adds the findings to a report. Returns 0, or -1 if memory is missing.
int trj_trajectory_report(struct trj_report *f, const struct trj_findings *s, struct trj_error *err);

#endif
