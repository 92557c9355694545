// SPDX-License-Identifier: MIT
// Files within the arguments of options: `@FILE`, `@FILE:PART`, `NAME=@FILE:PART`, `pairs:FILE`. Who reads them, digests them or waits for them asks here.
#ifndef TRJ_AT_FILE_H
#define TRJ_AT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct trj_at_file {  // places in the text
    const char *name; // NULL: none
    size_t name_length;
    const char *path;
    size_t path_length;
    const char *part; // what stands behind the last ':'; "" where there is none
};

// Whether the text is one of the above.
bool trj_at_file_find(struct trj_at_file *f, const char *text);

// The file that an option's argument names, into *path (the caller frees), NULL where it names none. `kind` is what the table of options
// calls the argument: FILE is one itself, NAME=SELECTION may be one of the first three of the above, PAIRS the last one.
int trj_at_file_of_option(char **path, const char *kind, const char *text, struct trj_error *err);

#endif
