// SPDX-License-Identifier: MIT
// Writes copies of an input of APBS (apbs_input.h).
#include <string.h>

#include "apbs_input.h"
#include "apbs_words.h"

enum { PATH_MAX_APBS = 1024 }; // VMAX_ARGLEN of APBS

// Returns whether APBS reads the path, in quotation marks if it contains blanks: it joins the words with one blank.
static bool is_readable(const char *path) {
    size_t n = strlen(path);
    for (size_t i = 0; i < n; i++) {
        bool inner = i && i + 1 < n && path[i] == ' ' && path[i - 1] != ' ';
        if (!inner && strchr(POT_APBS_BLANKS POT_APBS_COMMENTS "\"", path[i])) return false;
    }
    return n && n < PATH_MAX_APBS;
}

static int check_path(const char *path, struct trj_error *err) {
    if (is_readable(path)) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "%.200s: APBS cannot read files of this name; use fewer than %d characters, and none of = , ; # %% "
                    "and quotation marks",
                    path, PATH_MAX_APBS);
}

static int write_edit(const struct pot_apbs *a, const struct pot_apbs_edit *e, struct trj_output *out,
                      const char *molecule, const char *map, const char *number, struct trj_error *err) {
    const char *quote = strchr(e->kind == POT_APBS_MOLECULE ? molecule : map, ' ') ? "\"" : "";
    bool line = !e->offset || a->text[e->offset - 1] == '\n';
    switch (e->kind) {
    case POT_APBS_MOLECULE:
        return trj_output_print(out, err, "%s%s%s", quote, molecule, quote);
    case POT_APBS_MAP:
        return trj_output_print(out, err, "%spot dx %s%s%s%s", line ? "    " : "", quote, map, quote,
                                line ? "\n" : " ");
    case POT_APBS_BCFL:
        return trj_output_print(out, err, "map");
    case POT_APBS_USEMAP:
        return trj_output_print(out, err, "\n    usemap pot %u", a->map);
    case POT_APBS_STEM:
        return trj_output_print(out, err, "%s", number);
    case POT_APBS_MAP_NUMBER:
        return trj_output_print(out, err, "%u", a->map);
    default:
        return trj_output_print(out, err, "%llu", (unsigned long long)a->dime[e->axis]);
    }
}

int pot_apbs_write(const struct pot_apbs *a, struct trj_output *out, const char *molecule, const char *map,
                   const char *number, struct trj_error *err) {
    size_t position = 0;
    if (check_path(molecule, err) || check_path(map, err)) return -1;
    for (unsigned i = 0; i < a->edit_count; i++) {
        const struct pot_apbs_edit *e = &a->edit[i];
        if (trj_output_write(out, a->text + position, e->offset - position, err) ||
            write_edit(a, e, out, molecule, map, number, err))
            return -1;
        position = e->offset + e->length;
    }
    return trj_output_write(out, a->text + position, a->size - position, err);
}
