// SPDX-License-Identifier: MIT
// Reads the provenance of a file, the lines that the tools recorded in it (tool.h), and compares it with a plan.
#ifndef TRJ_PROVENANCE_H
#define TRJ_PROVENANCE_H

#include <stdbool.h>

#include "recipe_plan.h"

// Appends the provenance of a frame or histogram stream, a table, or a figure (SVG, PNG, PDF); no lines if the file
// has none. A stream, for which *stream is set, is read up to its END block, and a damaged one is TRJ_BAD_DATA. Of
// other files, which may be long, only as much is read as is necessary.
int trj_provenance_read(struct trj_string_list *lines, const char *path, bool *stream, struct trj_error *err);

// Returns whether the file begins like a stream. Only streams are reused.
bool trj_provenance_is_stream(const char *path);

// Digests of files, each computed once.
struct trj_digests {
    size_t count, capacity;
    struct trj_file_digest *files;
};
void trj_digests_free(struct trj_digests *d);
// Sets *digest to the digest of the file at the time of the first call for it; `d` owns the text.
int trj_digests_find(struct trj_digests *d, const char *path, const char **digest, struct trj_error *err);

// Returns 1 if each output of the run is a complete stream whose provenance ends in the lines that the run, and the
// runs that it reads through pipes, would record; 0 if one is not, or does not exist; -1 on failure. In a plan of a
// part (trj_plan.part), outputs may be tables, and must not be older than the files from which they are made.
int trj_provenance_matches(const struct trj_plan *plan, const struct trj_stage_run *run, struct trj_digests *digests,
                           struct trj_error *err);

// Splits a line into words; undoes trj_put_quoted: "trjcat 0.1.0: trjcat -f 0:10 run.dcd" into the words of the
// command, with "0.1.0" in `version`; "input xxh3:... run.dcd" into three words, with an empty version. Other lines are
// TRJ_BAD_DATA.
int trj_provenance_split(struct trj_string_list *words, char version[64], const char *line, struct trj_error *err);

#endif
