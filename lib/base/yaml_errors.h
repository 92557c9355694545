// SPDX-License-Identifier: MIT
// Reports errors in the content and the syntax of YAML with their place. For syntax errors, an explanation with a
// remedy replaces the message of libyaml.
#ifndef TRJ_YAML_ERRORS_H
#define TRJ_YAML_ERRORS_H

#include <stddef.h>
#include <yaml.h>

#include "error.h"

struct trj_yaml;

// Sets a TRJ_BAD_DATA error that begins with the path, line and column, and returns -1.
int trj_yaml_fail(struct trj_error *err, const char *path, const struct trj_yaml *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Sets the error for a parser that failed on the `length` bytes of `text`, the content of the file `name`. Always
// returns -1, with TRJ_BAD_DATA, or TRJ_FAILED if memory ran out.
int trj_yaml_explain(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                     struct trj_error *err);

#endif
