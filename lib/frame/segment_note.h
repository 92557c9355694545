// SPDX-License-Identifier: MIT
// Finds missing segments in lines of provenance: trjcat --segment K/N names the others, so that the result of a job
// that failed is noticed when the results of all jobs are added.
#ifndef TRJ_SEGMENT_NOTE_H
#define TRJ_SEGMENT_NOTE_H

#include <stdbool.h>
#include <stddef.h>

// Compares lines[count] of trjcat that are equal but for K and the output. Writes a note on the segments that are
// missing, or "" if there are none. Returns text.
enum { TRJ_SEGMENT_NOTE = 320 };
const char *trj_segment_note(char text[TRJ_SEGMENT_NOTE], char *const *lines, size_t count);
// Returns whether both have lines that are equal but for K and the output: segments of the same trajectory.
bool trj_segments_of_one_run(char *const *lines, size_t count, char *const *others, size_t other_count);

#endif
