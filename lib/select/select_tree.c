// SPDX-License-Identifier: MIT
// Provides the tree of a selection, which select_parse.c builds and select_evaluate.c evaluates.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "select_parts.h"

int trj_selection_vfail(const struct trj_selection *s, struct trj_error *err, enum trj_status status,
                        const char *format, va_list args) {
    char what[600], text[256];
    vsnprintf(what, sizeof what, format, args);
    snprintf(text, sizeof text, "%.240s%s", s->text, strlen(s->text) > 240 ? "..." : "");
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' '; // a message is one line
    return trj_fail(err, status, "selection '%s': %s", text, what);
}

int trj_selection_fail(const struct trj_selection *s, struct trj_error *err, enum trj_status status, const char *format,
                       ...) {
    va_list args;
    va_start(args, format);
    trj_selection_vfail(s, err, status, format, args);
    va_end(args);
    return -1;
}

struct trj_selection *trj_selection_new(const char *text, size_t atoms, struct trj_error *err) {
    struct trj_selection *s = trj_alloc(1, sizeof *s, "a selection", err);
    if (!s) return NULL;
    s->atoms = atoms;
    if ((s->text = trj_copy_text(text, err))) return s;
    free(s);
    return NULL;
}

struct trj_node *trj_node_new(struct trj_selection *s, enum trj_node_kind kind, struct trj_error *err) {
    struct trj_node *n = trj_alloc(1, sizeof *n, "a selection", err);
    if (!n) return NULL;
    n->kind = kind;
    n->made_before = s->nodes;
    s->nodes = n;
    return n;
}

int trj_selection_of_atoms(struct trj_selection **sel, const char *name, const uint32_t *list, size_t count,
                           size_t atoms, struct trj_error *err) {
    struct trj_selection *s = trj_selection_new(name, atoms, err);
    if (!s) return -1;
    s->root = trj_node_new(s, TRJ_NODE_LIST, err);
    if (!s->root || !(s->root->list = trj_alloc(count, sizeof *list, "a selection", err))) {
        trj_selection_free(s);
        return -1;
    }
    memcpy(s->root->list, list, count * sizeof *list);
    s->root->listed = count;
    *sel = s;
    return 0;
}

bool trj_selection_uses_topology(const struct trj_selection *sel) {
    return sel->uses_topology;
}

void trj_selection_properties(const struct trj_selection *sel, char *text, size_t size) {
    size_t n = 0;
    *text = 0;
    for (int p = 0; p <= TRJ_ATOM_BONDS && n < size; p++) {
        const char *name = sel->properties >> p & 1 ? trj_property_carried((enum trj_property)p) : NULL;
        if (name) n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", name);
    }
}

bool trj_selection_is_dynamic(const struct trj_selection *sel) {
    return sel->root->dynamic;
}

void trj_selection_free(struct trj_selection *s) {
    if (!s) return;
    for (struct trj_node *n = s->nodes, *next; n; n = next) {
        next = n->made_before;
        for (size_t i = 0; i < n->count && n->glob; i++) free(n->glob[i]);
        free(n->glob);
        free(n->range);
        free(n->mask);
        free(n->list);
        free(n);
    }
    free(s->note);
    free(s->text);
    free(s);
}
