// SPDX-License-Identifier: MIT
// YAML, the strict part of it that recipes need: texts, lists and maps whose keys are texts, each with its line and column.
//
// Refused, with file, line and column: anchors and aliases (so that nothing can grow), tags, a second document, a key twice in a map,
// control characters, more than TRJ_YAML_DEEPEST levels, more than TRJ_YAML_LONGEST bytes. Types are not guessed: `200`, `"200"` and `yes`
// are texts, and who uses them says what they must be. Nothing, `~` and `null` are the empty text, which no key may be.
#ifndef TRJ_YAML_TREE_H
#define TRJ_YAML_TREE_H

#include <stddef.h>

#include "error.h"

enum { TRJ_YAML_DEEPEST = 32, TRJ_YAML_LONGEST = 1 << 20 };

enum trj_yaml_kind { TRJ_YAML_TEXT, TRJ_YAML_LIST, TRJ_YAML_MAP };

struct trj_yaml {
    enum trj_yaml_kind kind;
    unsigned line, column; // from 1
    char *text;            // of a text; empty where the value was left out or is null
    size_t count;          // of a list or a map
    struct trj_yaml *items;
    struct trj_yaml *keys; // [count] texts; of a map
};

// Errors begin with "PATH:LINE:COLUMN: ". trj_yaml_free frees, also after a failure.
int trj_yaml_read(struct trj_yaml *root, const char *path, struct trj_error *err);
// The same of a text, which `name` stands for in messages.
int trj_yaml_parse(struct trj_yaml *root, const char *name, const char *text, size_t length, struct trj_error *err);
void trj_yaml_free(struct trj_yaml *node); // not node itself

// The value of a key of a map; NULL where it is absent.
const struct trj_yaml *trj_yaml_find(const struct trj_yaml *map, const char *key);

const char *trj_yaml_kind_name(const struct trj_yaml *node); // "a text", "a list", "a map": what was found

// TRJ_BAD_DATA with the place in front.
int trj_yaml_fail(struct trj_error *err, const char *path, const struct trj_yaml *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
