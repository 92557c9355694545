// SPDX-License-Identifier: MIT
// Reads the lines of GROMACS top and itp files through the preprocessor of GROMACS
// (src/gromacs/gmxpreprocess/gmxcpp.cpp, and GROMACS reference manual, "Molecule topology file"):
//
//   #include "FILE"        in quotes or angle brackets
//   #define NAME [VALUE]   NAME as a whole word, of letters, digits and '_', is replaced by VALUE in later lines,
//                          unless VALUE is empty; macros are replaced once each, in the order of their definition
//   #undef NAME
//   #ifdef NAME, #ifndef NAME, #else, #endif    of one file
//
// There is no #if. Other directives are errors, unless they are in a part that is left out. A '\' at the end of a line
// continues it, and ';' begins a comment. Lines that begin with '*' are comments, too.
//
// An included file is looked for in the folder of the file that includes it, in the folders of the option --include, in
// those of the environment variable GMXLIB, which colons separate, and in $GMXDATA/top.
#ifndef TRJ_TOP_LINES_H
#define TRJ_TOP_LINES_H

#include <stdbool.h>

#include "error.h"
#include "lines.h"
#include "tool.h"

struct trj_top_lines;

// Starts reading a file, whose lines nobody has read yet. `defines` contains "NAME" or "NAME=VALUE", `includes` the
// folders of --include; both may be NULL, and stay those of the caller, as does `main`. trj_top_lines_close frees *t.
int trj_top_lines_open(struct trj_top_lines **t, struct trj_lines *main, const struct trj_text_list *defines,
                       const struct trj_text_list *includes, struct trj_error *err);
// Sets *text to the next line that is not empty, without comments and outer blanks. It may be changed, and is valid
// until the next call. Returns 1, 0 after the last line, -1.
int trj_top_lines_next(struct trj_top_lines *t, char **text, struct trj_error *err);
// Sets the error TRJ_BAD_DATA for the current line: "line N: ...", and in an included file "line N: FILE: line M: ...".
// Returns -1.
int trj_top_lines_fail(const struct trj_top_lines *t, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns whether words follow a '\' that continues the line, but has blanks after it. grompp reads no number after it.
bool trj_top_lines_has_lone_backslash(const struct trj_top_lines *t);
// Returns whether the line has no newline, as only the last line of a file can. *path is that of its file if another
// file includes it, valid until the next line is read; NULL: none does.
bool trj_top_lines_lacks_newline(const struct trj_top_lines *t, const char **path);
// Returns the first of `defines` that had no effect on the lines so far; NULL: all have.
const char *trj_top_lines_unused(const struct trj_top_lines *t);
void trj_top_lines_close(struct trj_top_lines *t); // NULL is allowed

#endif
