// SPDX-License-Identifier: MIT
// Reads YAML into a tree with positions, so that later errors can name line and column.
#include "yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "input.h"
#include "libraries.h"
#include "memory.h"
#include "yaml_errors.h"

enum { MAX_ITEMS = 10000 }; // of a map or a list; each key is compared with all previous ones

const char *trj_version_of_libyaml(void) {
    return yaml_get_version_string();
}

struct reader {
    yaml_parser_t parser;
    const char *path, *text;
    size_t length;
};

const char *trj_yaml_kind_name(const struct trj_yaml *node) {
    static const char *const names[] = {"a text", "a list", "a map"};
    return node->kind == TRJ_YAML_TEXT && !(node->text && *node->text) ? "nothing" : names[node->kind];
}

const struct trj_yaml *trj_yaml_find(const struct trj_yaml *map, const char *key) {
    for (size_t i = 0; i < map->count; i++)
        if (!strcmp(map->keys[i].text, key)) return &map->items[i];
    return NULL;
}

void trj_yaml_free(struct trj_yaml *node) {
    for (size_t i = 0; i < node->count; i++) {
        trj_yaml_free(&node->items[i]);
        if (node->keys) trj_yaml_free(&node->keys[i]);
    }
    free(node->items);
    free(node->keys);
    free(node->text);
    *node = (struct trj_yaml){.kind = TRJ_YAML_TEXT};
}

static int next_event(struct reader *r, yaml_event_t *event, struct trj_error *err) {
    if (yaml_parser_parse(&r->parser, event)) return 0;
    return trj_yaml_explain(&r->parser, r->path, r->text, r->length, err);
}

// Returns whether the text is null in YAML 1.1 and 1.2, and not quoted.
static bool is_null(const yaml_event_t *event) {
    static const char *const names[] = {"~", "null", "Null", "NULL"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || !strcmp((const char *)event->data.scalar.value, names[i]);
    return is && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

// Texts become arguments of commands and lines of provenance, so they must not contain control characters.
static int read_text(struct trj_yaml *node, const struct reader *r, const yaml_event_t *event, struct trj_error *err) {
    const unsigned char *value = event->data.scalar.value;
    for (size_t i = 0; i < event->data.scalar.length; i++)
        if (value[i] < ' ' || value[i] == 127)
            return trj_yaml_fail(err, r->path, node, "control character 0x%02x in a text; remove it", value[i]);
    node->text = trj_copy_text(is_null(event) ? "" : (const char *)value, err);
    return node->text ? 0 : -1;
}

static int read_node(struct trj_yaml *node, struct reader *r, const yaml_event_t *event, unsigned depth,
                     struct trj_error *err);

// Reads the items up to the end of the list or map.
static int read_items(struct trj_yaml *node, struct reader *r, unsigned depth, struct trj_error *err) {
    yaml_event_type_t last = node->kind == TRJ_YAML_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    size_t item_capacity = 0, key_capacity = 0;
    bool want_key = node->kind == TRJ_YAML_MAP;
    struct trj_yaml key = {.kind = TRJ_YAML_TEXT};
    for (;;) {
        yaml_event_t event;
        if (next_event(r, &event, err)) goto out;
        if (event.type == last) {
            yaml_event_delete(&event);
            return 0;
        }
        struct trj_yaml item = {.kind = TRJ_YAML_TEXT};
        int rc = read_node(&item, r, &event, depth, err);
        yaml_event_delete(&event);
        if (!rc && node->count == MAX_ITEMS)
            rc = trj_yaml_fail(err, r->path, &item, "%s of more than %d %s; use several recipes",
                               node->kind == TRJ_YAML_MAP ? "map" : "list", MAX_ITEMS,
                               node->kind == TRJ_YAML_MAP ? "keys" : "items");
        if (rc) {
            trj_yaml_free(&item);
            goto out;
        }
        if (want_key) {
            key = item;
            want_key = false;
            if (key.kind != TRJ_YAML_TEXT || !key.text || !*key.text) {
                trj_yaml_fail(err, r->path, &key, "a key is %s, expected a text", trj_yaml_kind_name(&key));
                goto out;
            }
            if (trj_yaml_find(node, key.text)) {
                trj_yaml_fail(err, r->path, &key, "key '%s' is given twice; remove one", key.text);
                goto out;
            }
            continue;
        }
        if (trj_grow(&node->items, &item_capacity, node->count + 1, sizeof *node->items, "YAML", err) ||
            (node->kind == TRJ_YAML_MAP &&
             trj_grow(&node->keys, &key_capacity, node->count + 1, sizeof *node->keys, "YAML", err))) {
            trj_yaml_free(&item);
            goto out;
        }
        if (node->keys) node->keys[node->count] = key;
        node->items[node->count++] = item;
        key = (struct trj_yaml){.kind = TRJ_YAML_TEXT};
        want_key = node->kind == TRJ_YAML_MAP;
    }
out:
    trj_yaml_free(&key);
    return -1;
}

static int read_node(struct trj_yaml *node, struct reader *r, const yaml_event_t *event, unsigned depth,
                     struct trj_error *err) {
    static const char *const unused = "use a variable, or put a text in quotes";
    const yaml_char_t *anchor = NULL, *tag = NULL;
    *node = (struct trj_yaml){.line = (unsigned)event->start_mark.line + 1,
                              .column = (unsigned)event->start_mark.column + 1};
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node->kind = TRJ_YAML_TEXT;
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        if (read_text(node, r, event, err)) return -1;
        break;
    case YAML_SEQUENCE_START_EVENT:
        node->kind = TRJ_YAML_LIST;
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        node->kind = TRJ_YAML_MAP;
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    case YAML_ALIAS_EVENT:
        return trj_yaml_fail(err, r->path, node, "unsupported alias *%s; %s: '*%s'", event->data.alias.anchor, unused,
                             event->data.alias.anchor);
    default:
        return trj_yaml_fail(err, r->path, node, "unsupported part of YAML; use texts, lists and maps");
    }
    if (anchor) return trj_yaml_fail(err, r->path, node, "unsupported anchor &%s; %s: '&%s'", anchor, unused, anchor);
    if (tag) return trj_yaml_fail(err, r->path, node, "unsupported tag %s; put a text in quotes: '%s'", tag, tag);
    if (node->kind == TRJ_YAML_TEXT) return 0;
    if (depth == TRJ_YAML_DEEPEST)
        return trj_yaml_fail(err, r->path, node, "more than %d levels of nesting; use fewer", TRJ_YAML_DEEPEST);
    return read_items(node, r, depth + 1, err);
}

// Reads an event that must have this type.
static int expect_event(struct reader *r, yaml_event_type_t type, const char *otherwise, struct trj_error *err) {
    yaml_event_t event;
    if (next_event(r, &event, err)) return -1;
    struct trj_yaml where = {.line = (unsigned)event.start_mark.line + 1,
                             .column = (unsigned)event.start_mark.column + 1};
    bool good = event.type == type;
    yaml_event_delete(&event);
    return good ? 0 : trj_yaml_fail(err, r->path, &where, "%s", otherwise);
}

int trj_yaml_parse(struct trj_yaml *root, const char *name, const char *text, size_t length, struct trj_error *err) {
    struct reader r = {.path = name, .text = text, .length = length};
    yaml_event_t event;
    *root = (struct trj_yaml){.kind = TRJ_YAML_TEXT};
    if (!yaml_parser_initialize(&r.parser)) return trj_fail_memory(err, 0, "YAML");
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    int rc = -1;
    if (expect_event(&r, YAML_STREAM_START_EVENT, "not YAML", err) ||
        expect_event(&r, YAML_DOCUMENT_START_EVENT, "is empty", err) || next_event(&r, &event, err))
        goto out;
    rc = read_node(root, &r, &event, 0, err);
    yaml_event_delete(&event);
    if (!rc && (expect_event(&r, YAML_DOCUMENT_END_EVENT, "not YAML", err) ||
                expect_event(&r, YAML_STREAM_END_EVENT, "second document; a recipe must be one document", err)))
        rc = -1;
out:
    yaml_parser_delete(&r.parser);
    return rc;
}

int trj_yaml_read(struct trj_yaml *root, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    size_t n = 0;
    int rc = -1;
    *root = (struct trj_yaml){.kind = TRJ_YAML_TEXT};
    char *text = trj_alloc(TRJ_YAML_LONGEST + 1, 1, "a recipe", err);
    if (!text || trj_input_open(&in, path, err)) goto out;
    if (trj_input_read_some(in, text, TRJ_YAML_LONGEST + 1, &n, err))
        trj_fail_at(err, "%s", path);
    else if (n > TRJ_YAML_LONGEST)
        trj_fail(err, TRJ_BAD_DATA, "%s: more than %d bytes, the limit for a recipe", path, TRJ_YAML_LONGEST);
    else
        rc = trj_yaml_parse(root, path, text, n, err);
out:
    trj_input_close(in);
    free(text);
    return rc;
}
