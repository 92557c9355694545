// SPDX-License-Identifier: MIT
// Explains why a text is invalid YAML, with the place of the cause and a remedy, instead of the message of libyaml.
#ifndef TRJ_YAML_ERRORS_H
#define TRJ_YAML_ERRORS_H

#include <stddef.h>
#include <yaml.h>

#include "error.h"

// Sets the error for a parser that failed on the `length` bytes of `text`, the content of the file `name`. Always
// returns -1, with TRJ_BAD_DATA, or TRJ_FAILED if memory ran out.
int trj_yaml_explain(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                     struct trj_error *err);

#endif
