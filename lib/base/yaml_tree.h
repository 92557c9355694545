// SPDX-License-Identifier: MIT
// Reads the strict part of YAML that recipes need: texts, lists, and maps whose keys are texts, with line and column.
//
// Rejected with file, line and column: anchors and aliases (with which a small file can become large), tags, a second
// document, duplicate keys, control characters, more than TRJ_YAML_DEEPEST levels, more than TRJ_YAML_LONGEST bytes.
// Types are not guessed: `200`, `"200"` and `yes` are texts, and the caller interprets them. A missing value, `~` and
// `null` are the empty text, which cannot be a key.
#ifndef TRJ_YAML_TREE_H
#define TRJ_YAML_TREE_H

#include <stddef.h>

#include "error.h"

enum { TRJ_YAML_DEEPEST = 32, TRJ_YAML_LONGEST = 1 << 20 };

enum trj_yaml_kind { TRJ_YAML_TEXT, TRJ_YAML_LIST, TRJ_YAML_MAP };

struct trj_yaml {
    enum trj_yaml_kind kind;
    unsigned line, column; // from 1
    char *text;            // of a text; empty if the value is missing or null
    size_t count;          // of a list or a map
    struct trj_yaml *items;
    struct trj_yaml *keys; // [count] texts; of a map
};

// Reads a file. Errors begin with "PATH:LINE:COLUMN: ". trj_yaml_free frees the tree, also after a failure.
int trj_yaml_read(struct trj_yaml *root, const char *path, struct trj_error *err);
// Reads `length` bytes of text; `name` takes the place of the path in messages.
int trj_yaml_parse(struct trj_yaml *root, const char *name, const char *text, size_t length, struct trj_error *err);
void trj_yaml_free(struct trj_yaml *node); // frees the members, not `node` itself

// Returns the value of a key of a map, or NULL.
const struct trj_yaml *trj_yaml_find(const struct trj_yaml *map, const char *key);

// Returns "a text", "a list", "a map" or "nothing", for messages.
const char *trj_yaml_kind_name(const struct trj_yaml *node);

#endif
