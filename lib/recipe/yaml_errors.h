// SPDX-License-Identifier: MIT
// Explains why a text is not YAML, with the place of the cause and the remedy, in place of libyaml's own wording.
#ifndef TRJ_YAML_ERRORS_H
#define TRJ_YAML_ERRORS_H

#include <stddef.h>
#include <yaml.h>

#include "error.h"

// The error of a parser that failed on the `length` bytes of `text`, which `name` names: always -1. TRJ_BAD_DATA, or TRJ_FAILED for memory.
int trj_yaml_explain(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                     struct trj_error *err);

#endif
