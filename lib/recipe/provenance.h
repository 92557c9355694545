// SPDX-License-Identifier: MIT
// Where a file came from: the lines that the tools wrote into it (tool.h), and those they would write now.
#ifndef TRJ_PROVENANCE_H
#define TRJ_PROVENANCE_H

#include <stdbool.h>

#include "recipe_plan.h"

// The lines of a frame or histogram stream, a table, or a picture (SVG, PNG); none where it has none. A stream is read to its END block:
// a damaged one is TRJ_BAD_DATA. *stream tells whether it is one. Of other files, which may be long, only the beginning is read.
int trj_provenance_read(struct trj_string_list *lines, const char *path, bool *stream, struct trj_error *err);

bool trj_provenance_is_stream(const char *path); // by its first bytes: only streams are reused

// Digests of files that have been asked for.
struct trj_digests {
    size_t count, room;
    struct trj_file_digest *files;
};
void trj_digests_free(struct trj_digests *d);
// The digest of the file as it was when this was first asked; the collection owns it.
int trj_digests_find(struct trj_digests *d, const char *path, const char **digest, struct trj_error *err);

// Whether the file at job.output is a whole stream that ends in the lines which the job, and those whose streams it reads, would write now.
// 1 yes, 0 no (also where there is no such file), -1.
int trj_provenance_matches(const struct trj_plan *plan, const struct trj_stage_run *run, struct trj_digests *digests,
                           struct trj_error *err);

// A line "trjcat 0.1.0: trjcat -f 0:10 run.dcd" as the words of its command; a line "input xxh3:... run.dcd" as three words. Undoes
// trj_put_quoted; *version (which may be NULL) gets "0.1.0", or is left empty. Fails on what is neither.
int trj_provenance_split(struct trj_string_list *words, char version[64], const char *line, struct trj_error *err);

#endif
