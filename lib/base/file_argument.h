// SPDX-License-Identifier: MIT
// Finds names of files in arguments of options: `@FILE`, `@FILE:PART`, `NAME=@FILE:PART`, `pairs:FILE` and
// `SELECTION:FILE`.
#ifndef TRJ_FILE_ARGUMENT_H
#define TRJ_FILE_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

// Pointers into the text of the argument.
struct trj_file_argument {
    const char *name; // NULL: none
    size_t name_length;
    const char *path;
    size_t path_length;
    const char *part; // text after the last ':'; "" if there is none
};

// Returns whether the text has one of the first three forms, and sets *f.
bool trj_file_argument_parse(struct trj_file_argument *f, const char *text);

// Returns the name of the file in a text SELECTION[:FILE], which follows a colon; NULL: there is none. The name is what
// follows the first colon after which the rest of the text names an existing file. If no such file exists, it is what
// follows the last colon, unless this begins with a number, as in `resid 5:10`.
const char *trj_file_argument_after_selection(const char *text);

// Sets *path to the name of the file in an option's argument, which the caller frees, or to NULL if there is none.
// `kind` is the name of the argument in the option table. FILE, TEMPLATE: the whole text is the name. NAME=SELECTION:
// the text may have one of the first three forms. PAIRS: the text may be `pairs:FILE`. EDGES: the whole text is the
// name, unless it begins with `log:`. SELECTION[:FILE]: see above. Other kinds contain no file.
int trj_file_argument_path(char **path, const char *kind, const char *text, struct trj_error *err);

#endif
