// SPDX-License-Identifier: MIT
// Files within the arguments of options: `@FILE`, `@FILE:PART`, `NAME=@FILE:PART`, `pairs:FILE`. Who reads them, digests them or waits for them asks here.
#ifndef TRJ_FILE_ARGUMENT_H
#define TRJ_FILE_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct trj_file_argument { // places in the text
    const char *name; // NULL: none
    size_t name_length;
    const char *path;
    size_t path_length;
    const char *part; // what stands behind the last ':'; "" where there is none
};

// Whether the text is one of the above.
bool trj_file_argument_parse(struct trj_file_argument *f, const char *text);

// The file that an option's argument names, into *path (the caller frees), NULL where it names none. `kind` is what the table of options
// calls the argument: FILE is one itself, NAME=SELECTION may be one of the first three of the above, PAIRS the last one.
int trj_file_argument_path(char **path, const char *kind, const char *text, struct trj_error *err);

#endif
