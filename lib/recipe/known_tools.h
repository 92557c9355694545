// SPDX-License-Identifier: MIT
// The tools that a recipe can use, with their options, as printed by `TOOL --options`, `--version` and `--help`. A
// recipe may use exactly the options that `TOOL --options` prints; there is no second list.
#ifndef TRJ_KNOWN_TOOLS_H
#define TRJ_KNOWN_TOOLS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tool.h"

struct trj_known_option {
    char letter; // '-': none
    enum trj_option_kind kind;
    char *name, *argument, *help;
    char *standard;    // the default; empty: none
    char *choices;     // "a,b,c"; empty: none
    char *carry;       // properties of atoms that it requires (trj_option.carry); empty: none
    uint64_t min, max; // of a count
    bool output;       // the argument names a file that the tool writes
};

struct trj_known_tool {
    const char *name;
    char *path;      // of the executable
    char *version;   // "0.1.0"; NULL: the tool has not been run yet
    char *purpose;   // a sentence
    size_t min, max; // number of input files or streams
    // The option that names the stream to read: operands of the tool are then expressions of observables. Its name is
    // NULL if the operands are the inputs. A recipe gives neither of them as an option.
    struct trj_known_option input;
    // The option with which operands are tables of this tool in place of expressions, such as those of segments. Its
    // name is NULL if there is none. A recipe gives it if a stage reads such tables.
    struct trj_known_option tables;
    size_t option_count; // options that a recipe may give
    struct trj_known_option *options;
    bool has_digest;    // it has the option --digest
    bool writes_series; // a number in the name of its output makes it a series of files (series_name.h)
    bool writes_names;  // so does %s
};

extern const char *const trj_tool_names[]; // the filters of trjpipe; ends with NULL

struct trj_known_tools {
    struct trj_known_tool *tools; // [number of trj_tool_names]; NULL before the first search
};
// Returns a tool with its options; runs it at the first call for it. NULL on failure.
const struct trj_known_tool *trj_known_tool_find(struct trj_known_tools *known, const char *name,
                                                 struct trj_error *err);
void trj_known_tools_free(struct trj_known_tools *known); // frees the members, not `known` itself

// Returns whether a tool can read what another one writes; true if one of them is not in the table of this file. If
// not, *written is set to the name of what the other one writes, such as "a frame stream".
bool trj_known_tools_fit(const struct trj_known_tool *reader, const struct trj_known_tool *writer,
                         const char **written);

// Returns whether a tool reads frame streams.
bool trj_known_tool_reads_frames(const struct trj_known_tool *tool);

// Returns the option of that name, or NULL.
const struct trj_known_option *trj_known_option_find(const struct trj_known_tool *tool, const char *name);
// Returns whether the value of the option is the name of one file that the tool reads.
bool trj_known_option_reads_file(const struct trj_known_option *option);

// Returns the path of an executable: in the folder of the running program, else in PATH. The caller frees it with
// free(). NULL if there is none.
char *trj_find_executable(const char *name, struct trj_error *err);

#endif
