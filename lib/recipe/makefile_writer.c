// SPDX-License-Identifier: MIT
// Writes the plan as rules of make, with names quoted for make and the shell, which differ.
#include "makefile_writer.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "tool.h"
#include "workflow_command.h"

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

// Writes a file name, quoted for a target or prerequisite of make.
static int put_name(struct trj_bytes *b, const char *name, struct trj_error *err) {
    const char *bare = name;
    while (bare[0] == '.' && bare[1] == '/') bare += 2; // make ignores a leading ./
    if (bare[0] == '.' && !strchr(bare, '/'))           // .PHONY, .c.o, .WAIT
        return trj_fail(err, TRJ_USAGE,
                        "--make: make reserves file names such as '%s' that begin with a dot; rename the file", name);
    // GNU make has no way to quote these characters that works both in targets and in prerequisites.
    size_t bad = strcspn(name, "%*?[]()~\\;|&=\"'\t\n\r"), length = strlen(name);
    if (length && name[length - 1] == ' ') bad = length - 1;
    if (name[bad] && name[bad] < ' ')
        return trj_fail(err, TRJ_USAGE,
                        "--make: make does not support file names with control characters; rename the file");
    if (name[bad])
        return trj_fail(err, TRJ_USAGE,
                        "--make: make does not support the file name '%s', because of '%c'; rename the file", name,
                        name[bad]);
    for (const char *p = name; *p; p++) {
        if (*p == '$') put(b, "$");
        if (*p == ' ' || *p == '#' || *p == ':') put(b, "\\");
        trj_put_raw(b, p, 1);
    }
    return 0;
}

static int put_path(struct trj_bytes *b, const struct trj_plan *plan, const char *path, struct trj_error *err) {
    char *whole = trj_plan_path(plan, path, err);
    int rc = whole ? put_name(b, whole, err) : -1;
    free(whole);
    return rc;
}

// Writes an argument of a rule's command, quoted for the shell and for make.
static void put_word(struct trj_bytes *b, const char *word) {
    struct trj_bytes quoted = {0};
    trj_put_quoted(&quoted, word);
    for (size_t i = 0; i < quoted.size; i++) {
        if (quoted.data[i] == '$') put(b, "$");
        trj_put_raw(b, quoted.data + i, 1);
    }
    b->failed = b->failed || quoted.failed;
    trj_bytes_free(&quoted);
}

// Writes the prerequisites of a group, each once: the recipe, the inputs and the executables of the tools.
static int put_prerequisites(struct trj_bytes *b, const struct trj_plan *plan, size_t group, struct trj_error *err) {
    struct trj_string_list files = {.texts = NULL};
    int rc = trj_workflow_list_inputs(&files, plan, group, err);
    for (size_t i = 0; !rc && i < files.count; i++) {
        if (i) put(b, " ");
        rc = put_name(b, files.texts[i], err);
    }
    trj_string_list_free(&files);
    return rc;
}

// Returns whether make could take a line that begins with this name for a directive such as `include` or `export`.
static bool may_be_directive(const char *name) {
    return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")];
}

// Writes the outputs of a group, or of all groups if `group` is group_count, and sets *first to the first of them.
static int put_outputs(struct trj_bytes *b, const struct trj_plan *plan, size_t group, size_t *count,
                       const char **first, struct trj_error *err) {
    *count = 0;
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        for (size_t k = 0; k < run->output_count && (group == plan->group_count || run->group == group); k++) {
            const char *output = run->outputs[k].path;
            if (*count)
                put(b, " ");
            else
                *first = output;
            if (!*count && group < plan->group_count && may_be_directive(output) && !strcmp(plan->folder, "."))
                put(b, "./");
            if (put_path(b, plan, output, err)) return -1;
            ++*count;
        }
    }
    return 0;
}

static int put_rule(struct trj_bytes *b, const struct trj_plan *plan, size_t group, const char *trjrun,
                    const struct trj_definition *definitions, size_t definition_count, struct trj_error *err) {
    size_t count;
    const char *first = NULL;
    put(b, "\n");
    if (put_outputs(b, plan, group, &count, &first, err)) return -1;
    put(b, count > 1 ? " &: " : ": ");
    if (put_prerequisites(b, plan, group, err)) return -1;
    // The makefile itself is a prerequisite, since it contains the values of variables. wildcard gives nothing if make
    // reads the makefile from a pipe.
    put(b, " $(wildcard $(lastword $(MAKEFILE_LIST)))\n\t");
    trj_workflow_put_command(b, put_word, trjrun, definitions, definition_count);
    put(b, " --only ");
    put_word(b, first);
    put(b, " -- ");
    put_word(b, plan->recipe);
    put(b, "\n");
    return 0;
}

int trj_plan_put_makefile(struct trj_bytes *b, const struct trj_plan *plan, const struct trj_definition *definitions,
                          size_t count, struct trj_error *err) {
    const char *slash = strrchr(plan->recipe, '/'), *name = slash ? slash + 1 : plan->recipe, *none;
    char *target = trj_copy_text(name, err), *trjrun = target ? trj_find_executable("trjrun", err) : NULL;
    size_t all;
    int rc = -1;
    if (!trjrun || trj_workflow_check_recipe(plan, "--make", "makefile", err)) goto out;
    char *dot = strrchr(target, '.');
    if (dot && dot != target) *dot = 0;
    if (!strcmp(target, name) || trj_plan_find_output(plan, target)) {
        trj_fail(err, TRJ_USAGE,
                 "--make: the target '%s' for all outputs is also the name of a file; rename the recipe", target);
        goto out;
    }
    put(b, "# Made by `trjrun --make`, trjrun " TRJPIPE_VERSION
           ", for GNU make 4.3 or later. Make it again when the recipe has changed.\n.PHONY: ");
    if (put_name(b, target, err)) goto out;
    put(b, "\n");
    if (put_name(b, target, err)) goto out;
    put(b, ": ");
    if (put_outputs(b, plan, plan->group_count, &all, &none, err)) goto out;
    put(b, "\n");
    for (size_t g = 0; g < plan->group_count; g++)
        if (put_rule(b, plan, g, trjrun, definitions, count, err)) goto out;
    rc = 0;
out:
    free(target);
    free(trjrun);
    return rc;
}
