// SPDX-License-Identifier: MIT
// Sums of a segment of a trajectory as a text file, from which trjcorr --merge computes the table of all frames, with
// the same bytes as one process that reads all frames.
//
// The file has comments with the provenance, and then rows of fields separated by tabs, each with a keyword first, in
// this order. Texts have \t, \n and \\ for tabs, line ends and backslashes; "-" is a number that was not given. Reals
// have enough digits to give the same float64 when they are read.
//
//   format 1
//   options LAGS PER_OCTAVE SPECTRUM SUMMARY FIT VISCOSITY TEMPERATURE
//   interval UNIT LENGTH
//   segment FIRST COUNT TOTAL BORDER BORDER
//   frames STEPS FIRST_TIME LAST_TIME VOLUMES EDGES    as in struct tcf_run
//   gap UNIT LENGTH TIMES FIRST                        each gap between frames (frame_gap.h)
//   run FRAME BEFORE TIME                              each start of a run after the first
//   expressions NUMBER
//   expression TEXT FORMULA                            of each expression, followed by
//   signal ...                                         its signal (signal.h)
//   column ... FACTORS                                 and its columns, and then by one of
//   values COLUMNS                                     the numbers of each frame, in rows `v`
//   nodes FIRST NEXT NODES                             each a row `node LEVEL` and a row `v` for each lag
//   leaves LEAVES                                      rows `leaf LAG HEIGHT NUMBER SUMS`
//   end HASH                                           of all rows before
#ifndef TCF_PARTIAL_SUMS_H
#define TCF_PARTIAL_SUMS_H

#include <stddef.h>

#include "correlation_run.h"
#include "error.h"
#include "output.h"
#include "text_index.h"

// The first comment of a file.
#define TCF_PARTIAL_NOTE "sums of a segment; join those of all segments: trjcorr --merge FILE..."

// Writes the sums of a segment, after tcf_run_finish.
int tcf_partial_write(const struct tcf_run *r, struct trj_output *out, struct trj_error *err);

struct tcf_merged {
    struct tcf_run run;         // as after tcf_run_finish
    struct tcf_options options; // of run
    struct trj_gap interval;    // of run
    char *fit;                  // of options
    struct trj_texts lines;     // provenance of all files, each line once
};

// Reads the sums of all segments of a trajectory, in any order, and joins them. Fails with TRJ_BAD_DATA if a file is
// damaged, if segments are missing or overlap, or if they are of different runs. `threads` is as in pool.h.
// tcf_merged_free frees, also after a failure.
int tcf_merged_read(struct tcf_merged *m, char *const *files, size_t count, unsigned threads, struct trj_error *err);
void tcf_merged_free(struct tcf_merged *m);

#endif
