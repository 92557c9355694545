// SPDX-License-Identifier: MIT
// What is told of a trajectory and of a frame stream; filters/trjinfo.1 says what the keys mean.
#ifndef TRJ_TRAJECTORY_REPORT_H
#define TRJ_TRAJECTORY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_statistics.h"
#include "reader.h"
#include "report.h"

struct trj_span { // how many atoms a group has had
    size_t least, most;
};

struct trj_findings {
    struct trj_reader *reader;
    struct trj_frame frame;             // read last
    struct trj_frame_statistics survey; // of the frames that were read
    uint64_t frames;                    // that there are, at least
    uint64_t estimate;                  // how many there may be, where the rest was not looked at; 0: not known
    bool counted;                       // there are no more
    bool read;                          // all were read
    uint64_t labels_differ; // frames that say of the atoms what the first one does not, where they are watched
    char labels_differ_at[TRJ_IDENTITY_MESSAGE + 32]; // the first one, and how
    struct trj_span *spans;                           // [groups] of a frame stream
};

int trj_trajectory_report(struct trj_report *f, const struct trj_findings *s, struct trj_error *err);

#endif
