// SPDX-License-Identifier: MIT
// Adds the atom properties that a stage requires to the option --carry of the first stages of the frame streams that it
// reads. Only tools with this option can write properties. The option tables declare what an option requires
// (trj_option.carry).
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "recipe_reading.h"
#include "run_arguments.h"

const char *trj_recipe_foreign_format(const struct trj_stage_run *run) {
    for (size_t i = 1; i + 1 < run->operands; i++)
        if (!strcmp(run->argv.texts[i], "--to") && strcmp(run->argv.texts[i + 1], "trjf"))
            return run->argv.texts[i + 1];
    return NULL;
}

static const char option_name[] = "carry";

bool trj_recipe_carries(const struct trj_known_tool *tool) {
    return trj_known_option_find(tool, option_name);
}

// Returns whether two requests, such as "radius" and "radius=bondi", name the same property.
static bool same_property(const char *a, const char *b) {
    size_t n = strcspn(a, "=");
    return n == strcspn(b, "=") && !memcmp(a, b, n);
}

// Adds a request of `length` characters, unless the list contains one for the same property.
static int add_request(struct trj_string_list *list, const char *text, size_t length, struct trj_error *err) {
    char *copy = trj_alloc(length + 1, 1, "a property", err);
    if (!copy) return -1;
    memcpy(copy, text, length);
    size_t i = 0;
    while (i < list->count && !same_property(list->texts[i], copy)) i++;
    int rc = i == list->count ? trj_string_list_add(list, copy, err) : 0;
    free(copy);
    return rc;
}

int trj_recipe_add_requests(struct trj_string_list *list, const char *text, struct trj_error *err) {
    for (size_t n;; text += n + 1) {
        n = strcspn(text, ",");
        if (n && add_request(list, text, n, err)) return -1;
        if (!text[n]) return 0;
    }
}

int trj_recipe_add_needs(struct trj_string_list *needs, const char *carry, const char *value, struct trj_error *err) {
    size_t word = 0;
    while (isalnum((unsigned char)value[word]) || value[word] == '_') word++;
    for (const char *item = carry, *next; *item; item = next) {
        size_t n = strcspn(item, ","), colon = strcspn(item, ":,");
        next = item + n + (item[n] == ',');
        bool any = colon == n, equal = colon == word && !memcmp(item, value, word);
        size_t from = any ? 0 : colon + 1;
        if ((any || equal) && add_request(needs, item + from, n - from, err)) return -1;
    }
    return 0;
}

// Adds a request to the first stages of the streams that a run reads.
static int request_from(struct trj_plan *plan, struct trj_stage_run *run, const char *request, struct trj_error *err) {
    bool reads_stream = run->operand_count;
    for (size_t i = 0; i < run->operand_count; i++)
        reads_stream = reads_stream && !trj_recipe_foreign_format(&plan->runs[run->sources[i]]);
    if (!reads_stream)
        return trj_recipe_carries(run->tool) ? add_request(&run->carry, request, strlen(request), err) : 0;
    for (size_t i = 0; i < run->operand_count; i++)
        if (request_from(plan, &plan->runs[run->sources[i]], request, err)) return -1;
    return 0;
}

// Returns whether an option of the stage supplies this property: the needs contain "-PROPERTY".
static bool is_supplied(const struct trj_string_list *needs, const char *property) {
    for (size_t k = 0; k < needs->count; k++)
        if (needs->texts[k][0] == '-' && same_property(needs->texts[k] + 1, property)) return true;
    return false;
}

int trj_recipe_request(struct trj_plan *plan, const struct trj_stage_run *run, const struct trj_string_list *needs,
                       struct trj_error *err) {
    for (size_t k = 0; k < needs->count; k++) {
        if (needs->texts[k][0] == '-' || is_supplied(needs, needs->texts[k])) continue;
        for (size_t i = 0; i < run->operand_count; i++)
            if (request_from(plan, &plan->runs[run->sources[i]], needs->texts[k], err)) return -1;
    }
    return 0;
}

int trj_recipe_finish_requests(struct trj_plan *plan, struct trj_error *err) {
    int rc = 0;
    for (size_t i = 0; i < plan->run_count && !rc; i++) {
        struct trj_stage_run *run = &plan->runs[i];
        struct trj_bytes list = {0};
        for (size_t k = 0; k < run->carry.count; k++) {
            trj_put_raw(&list, ",", k ? 1 : 0);
            trj_put_raw(&list, run->carry.texts[k], strlen(run->carry.texts[k]));
        }
        trj_put_raw(&list, "", 1);
        if (list.failed)
            rc = trj_fail_memory(err, (double)list.size, "properties");
        else if (run->carry.count)
            rc = trj_run_add_option(run, option_name, (const char *)list.data, err);
        trj_bytes_free(&list);
        if (!rc) rc = trj_run_set_command(run, err);
    }
    return rc;
}
