// SPDX-License-Identifier: MIT
// Writes the JSON schema (draft 7) of recipes from the option tables of the tools.
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "json.h"
#include "recipe.h"

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

// "a,b,c" as "a", "b", "c"
static void put_choices(struct trj_bytes *b, const char *choices) {
    char one[64];
    for (const char *p = choices; *p; p += p[strcspn(p, ",")] == ',') {
        size_t n = strcspn(p, ",");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        if (p != choices) put(b, ", ");
        trj_put_json_text(b, one);
        p += n;
    }
}

// Every type also allows a text that contains a variable.
static void put_type(struct trj_bytes *b, const struct trj_known_option *o) {
    char range[96];
    switch (o->kind) {
    case TRJ_OPTION_FLAG:
        put(b, "\"anyOf\": [{\"type\": \"boolean\"}, {\"$ref\": \"#/definitions/variable\"}]");
        break;
    case TRJ_OPTION_COUNT:
        snprintf(range, sizeof range, "\"minimum\": %llu, \"maximum\": %llu", (unsigned long long)o->min,
                 (unsigned long long)o->max);
        put(b, "\"anyOf\": [{\"type\": \"integer\", ");
        put(b, range);
        put(b, "}, {\"$ref\": \"#/definitions/variable\"}]");
        break;
    case TRJ_OPTION_REAL:
        put(b, "\"anyOf\": [{\"type\": \"number\"}, {\"$ref\": \"#/definitions/variable\"}]");
        break;
    case TRJ_OPTION_TEXT:
        if (trj_known_option_reads_file(o))
            put(b, "\"anyOf\": [{\"$ref\": \"#/definitions/text\"}, {\"$ref\": \"#/definitions/output\"}]");
        else
            put(b, "\"allOf\": [{\"$ref\": \"#/definitions/text\"}]");
        break;
    case TRJ_OPTION_LIST:
        put(b, "\"allOf\": [{\"$ref\": \"#/definitions/texts\"}]");
        break;
    case TRJ_OPTION_CHOICE:
        put(b, "\"anyOf\": [{\"enum\": [");
        put_choices(b, o->choices);
        put(b, "]}, {\"$ref\": \"#/definitions/variable\"}]");
        break;
    case TRJ_OPTION_PRINT: // trj_known_tool does not contain these
        break;
    }
}

static void put_description(struct trj_bytes *b, const char *text, const char *standard) {
    put(b, "\"description\": ");
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s%s%s", text, *standard ? " (default: " : "", standard, *standard ? ")" : "");
    trj_put_json_text(b, whole);
}

static void put_tool(struct trj_bytes *b, const struct trj_known_tool *t) {
    static const char *const types[] = {"{}", "texts", "names", "names", "each", "text", "texts"}; // as trj_recipe_keys
    put(b, "    ");
    trj_put_json_text(b, t->name);
    put(b, ": {\n      ");
    put_description(b, t->purpose, "");
    put(b, ",\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": {\n");
    for (size_t i = 0; trj_recipe_keys[i].name; i++) {
        if (!strcmp(trj_recipe_keys[i].name, TRJ_RECIPE_OBSERVABLES) && !t->input.name) continue;
        put(b, i ? ",\n        " : "        ");
        trj_put_json_text(b, trj_recipe_keys[i].name);
        put(b, ": {");
        const struct trj_known_option *each =
            strcmp(types[i], "each") ? NULL : trj_known_option_find(t, trj_recipe_keys[i].name);
        char help[768];
        snprintf(help, sizeof help, "%s%s%s", i ? trj_recipe_keys[i].help : t->purpose,
                 each ? "; or a single value: " : "", each ? each->help : "");
        put_description(b, help, "");
        if (each) {
            put(b, ", \"anyOf\": [{\"$ref\": \"#/definitions/each\"}, {");
            put_type(b, each);
            put(b, "}]");
        } else if (i) {
            put(b, ", \"allOf\": [{\"$ref\": \"#/definitions/");
            put(b, types[i]);
            put(b, "\"}]");
        }
        put(b, "}");
    }
    for (size_t i = 0; i < t->option_count; i++) {
        if (trj_recipe_is_key(t->options[i].name)) continue;
        put(b, ",\n        ");
        trj_put_json_text(b, t->options[i].name);
        put(b, ": {");
        put_description(b, t->options[i].help, t->options[i].standard);
        put(b, ", ");
        put_type(b, &t->options[i]);
        put(b, "}");
    }
    put(b, "\n");
    put(b, "      }\n    }");
}

int trj_recipe_put_schema(struct trj_bytes *b, struct trj_known_tools *known, struct trj_error *err) {
    const struct trj_known_tool *t;
    put(b,
        "{\n"
        "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
        "  \"title\": \"Recipe of trjrun\",\n"
        "  \"description\": \"Filters and the files that they run on. Written by trjrun --schema.\",\n"
        "  \"type\": \"object\",\n"
        "  \"required\": [\"trjrun\", \"stages\"],\n"
        "  \"additionalProperties\": false,\n"
        "  \"properties\": {\n"
        "    \"trjrun\": {\"description\": \"version of the format\", \"enum\": [1, \"1\"]},\n"
        "    \"variables\": {\n"
        "      \"description\": \"names and values, or lists of values; $NAME or ${NAME} is replaced by the value, and "
        "trjrun -D NAME=VALUE sets it; a variable without a value must be set by -D\",\n"
        "      \"type\": \"object\",\n"
        "      \"propertyNames\": {\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]{0,62}$\"},\n"
        "      \"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/definitions/texts\"}, {\"type\": \"null\"}]}\n"
        "    },\n"
        "    \"segments\": {\"description\": \"number of segments into which jobs divide the frames\", \"anyOf\": "
        "[{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 10000}, {\"$ref\": \"#/definitions/variable\"}]},\n"
        "    \"slurm\": {\n"
        "      \"description\": \"options of sbatch by their long names, of all jobs and of the merge alone; flags are "
        "true\",\n"
        "      \"type\": \"object\",\n"
        "      \"propertyNames\": {\"pattern\": \"^[a-z][a-z-]*$\"},\n"
        "      \"properties\": {\"merge\": {\"type\": \"object\", \"propertyNames\": {\"pattern\": "
        "\"^[a-z][a-z-]*$\"}, \"additionalProperties\": {\"$ref\": \"#/definitions/text\"}}},\n"
        "      \"additionalProperties\": {\"$ref\": \"#/definitions/text\"}\n"
        "    },\n"
        "    \"stages\": {\n"
        "      \"description\": \"stages with names of your choice, each of which runs a filter\",\n"
        "      \"type\": \"object\",\n"
        "      \"minProperties\": 1,\n"
        "      \"propertyNames\": {\"pattern\": \"^[A-Za-z0-9_-]+$\"},\n"
        "      \"additionalProperties\": {\"$ref\": \"#/definitions/stage\"}\n"
        "    }\n"
        "  },\n"
        "  \"definitions\": {\n"
        "    \"text\": {\"anyOf\": [{\"type\": \"string\", \"minLength\": 1}, {\"type\": [\"number\", "
        "\"boolean\"]}]},\n"
        "    \"texts\": {\"anyOf\": [{\"$ref\": \"#/definitions/text\"}, {\"type\": \"array\", \"minItems\": 1, "
        "\"items\": {\"$ref\": \"#/definitions/text\"}}]},\n"
        "    \"names\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"uniqueItems\": "
        "true, \"items\": {\"type\": \"string\"}}]},\n"
        "    \"each\": {\"anyOf\": [{\"type\": \"object\", \"propertyNames\": {\"pattern\": "
        "\"^[A-Za-z_][A-Za-z0-9_]{0,62}$\"}, \"additionalProperties\": {\"$ref\": \"#/definitions/texts\"}}, "
        "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"object\", \"minProperties\": 1, "
        "\"propertyNames\": "
        "{\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]{0,62}$\"}, \"additionalProperties\": {\"$ref\": "
        "\"#/definitions/text\"}}}]},\n"
        "    \"output\": {\"description\": \"the output of a stage\", \"type\": \"object\", \"required\": [\"from\"], "
        "\"additionalProperties\": false, \"properties\": {\"from\": {\"type\": \"string\"}}},\n"
        "    \"variable\": {\"type\": \"string\", \"pattern\": \"[$]\"},\n"
        "    \"stage\": {\n"
        "      \"type\": \"object\",\n"
        "      \"required\": [\"tool\"],\n"
        "      \"properties\": {\"tool\": {\"description\": ");
    trj_put_json_text(b, trj_recipe_keys[0].help);
    put(b, ", \"enum\": [");
    for (size_t i = 0; trj_tool_names[i]; i++) {
        if (i) put(b, ", ");
        trj_put_json_text(b, trj_tool_names[i]);
    }
    put(b, "]}},\n      \"oneOf\": [{\"required\": [\"files\"]}, {\"required\": [\"from\"]}],\n      \"allOf\": [");
    for (size_t i = 0; trj_tool_names[i]; i++) {
        put(b, i ? ",\n        {\"if\": {\"properties\": {\"tool\": {\"const\": "
                 : "\n        {\"if\": {\"properties\": {\"tool\": {\"const\": ");
        trj_put_json_text(b, trj_tool_names[i]);
        put(b, "}}}, \"then\": {\"$ref\": \"#/definitions/");
        put(b, trj_tool_names[i]);
        put(b, "\"}}");
    }
    put(b, "\n      ]\n    }");
    for (size_t i = 0; trj_tool_names[i]; i++) {
        if (!(t = trj_known_tool_find(known, trj_tool_names[i], err))) return -1;
        put(b, ",\n");
        put_tool(b, t);
    }
    put(b, "\n  }\n}\n");
    return 0;
}
