// SPDX-License-Identifier: MIT
// The tools that recipes are made of, as they describe themselves: `TOOL --options`, `--version` and the usage line of `--help`.
// There is no second list of options: what a tool does not tell, a recipe cannot say.
#ifndef TRJ_KNOWN_TOOLS_H
#define TRJ_KNOWN_TOOLS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tool.h"

struct trj_known_option {
    char letter; // '-': none
    enum trj_option_kind kind;
    char *name, *argument, *standard, *choices,
        *help;         // standard: the default; choices: "a,b,c"; empty where there is none
    uint64_t min, max; // of a count
};

struct trj_known_tool {
    const char *name;
    char *path;          // the executable
    char *version;       // "0.1.0"
    char *purpose;       // a sentence
    size_t least, most;  // operands
    size_t option_count; // those a recipe may give
    struct trj_known_option *options;
    bool has_digest;
};

extern const char *const trj_tool_names[]; // of trjpipe's filters; ends with NULL

// The tool beside our own executable, else the one in PATH. The same call again asks no more. NULL on failure.
struct trj_known_tools {
    struct trj_known_tool *tools; // [one a name of trj_tool_names]; those with a NULL path have not been asked
};
const struct trj_known_tool *trj_known_tool_find(struct trj_known_tools *known, const char *name,
                                                 struct trj_error *err);
void trj_known_tools_free(struct trj_known_tools *known); // not known itself

const struct trj_known_option *trj_known_option_find(const struct trj_known_tool *tool, const char *name);

// The path of our own executable's neighbour of that name, or of the first in PATH; NULL where there is none. free() frees.
char *trj_find_executable(const char *name, struct trj_error *err);

#endif
