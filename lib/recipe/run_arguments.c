// SPDX-License-Identifier: MIT
// Handles the arguments of runs, which begin with the tool and its options, each "--NAME" with its value.
#include "run_arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "tool.h"

// Returns the option of a word "--NAME" of the arguments; NULL: --digest, which has no argument.
static const struct trj_known_option *option_of(const struct trj_stage_run *run, const char *word) {
    const struct trj_known_tool *t = run->tool;
    const struct trj_known_option *special[] = {&t->input, &t->tables};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i]->name && !strcmp(special[i]->name, word + 2)) return special[i];
    return trj_known_option_find(t, word + 2);
}

// Returns the number of arguments of an option: the word, and its value.
static size_t words_of(const struct trj_stage_run *run, size_t position) {
    const struct trj_known_option *o = option_of(run, run->argv.texts[position]);
    return o && o->kind != TRJ_OPTION_FLAG ? 2 : 1;
}

// Returns the position of an option at or after this one; `operands` if there is none.
static size_t find(const struct trj_stage_run *run, const char *name, size_t position) {
    while (position < run->operands && strcmp(run->argv.texts[position] + 2, name) != 0)
        position += words_of(run, position);
    return position;
}

int trj_run_add_option(struct trj_stage_run *run, const char *name, const char *value, struct trj_error *err) {
    struct trj_string_list *argv = &run->argv;
    char word[72], *added[2];
    const size_t count = value ? 2 : 1;
    snprintf(word, sizeof word, "--%s", name);
    if (trj_string_list_add(argv, word, err) || (value && trj_string_list_add(argv, value, err))) return -1;
    memcpy(added, argv->texts + argv->count - count, count * sizeof *added);
    memmove(argv->texts + run->operands + count, argv->texts + run->operands,
            (argv->count - count - run->operands) * sizeof *argv->texts);
    memcpy(argv->texts + run->operands, added, count * sizeof *added);
    run->operands += count;
    return 0;
}

void trj_run_remove_option(struct trj_stage_run *run, const char *name) {
    for (size_t i = 1; (i = find(run, name, i)) < run->operands;) {
        const size_t count = words_of(run, i);
        for (size_t k = i; k < i + count; k++) free(run->argv.texts[k]);
        memmove(run->argv.texts + i, run->argv.texts + i + count,
                (run->argv.count + 1 - i - count) * sizeof *run->argv.texts); // with the NULL at the end
        run->argv.count -= count;
        run->operands -= count;
        for (size_t k = 0; k < run->output_count; k++)
            if (run->outputs[k].argument > i) run->outputs[k].argument -= count;
    }
}

const char *trj_run_option(const struct trj_stage_run *run, const char *name) {
    const size_t i = find(run, name, 1);
    if (i == run->operands) return NULL;
    return words_of(run, i) > 1 ? run->argv.texts[i + 1] : "";
}

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

static void put_option(struct trj_bytes *b, const struct trj_stage_run *run, size_t position) {
    const char *const *word = (const char *const *)run->argv.texts + position;
    const struct trj_known_option *o = option_of(run, *word);
    const bool flag = words_of(run, position) == 1;
    if (!trj_tool_option_recorded(*word + 2, flag ? NULL : word[1])) return;
    put(b, " ");
    put(b, o && o->letter != '-' ? (const char[]){'-', o->letter, 0} : *word);
    if (flag) return;
    put(b, " ");
    trj_put_quoted(b, o && o->output ? trj_tool_recorded_name(word[1]) : word[1]);
}

int trj_run_set_command(struct trj_stage_run *run, struct trj_error *err) {
    struct trj_bytes b = {0};
    put(&b, run->tool->name);
    for (size_t i = 1; i < run->operands; i += words_of(run, i)) put_option(&b, run, i);
    for (size_t i = run->operands; i < run->argv.count; i++) {
        put(&b, " ");
        trj_put_quoted(&b, run->argv.texts[i]);
    }
    trj_put_raw(&b, "", 1);
    if (b.failed) {
        const double size = (double)b.size;
        trj_bytes_free(&b);
        return trj_fail_memory(err, size, "a command");
    }
    free(run->command);
    run->command = (char *)b.data;
    return 0;
}
