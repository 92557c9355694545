// SPDX-License-Identifier: MIT
// Reads the XML that hwloc's lstopo writes (versions 1 and 2): the objects above each core. Only elements `object` with
// their types, numbers and the set of allowed processing units are used; definitions of entities are rejected.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "memory.h"
#include "net_read.h"
#include "number.h"

enum { MAX_BYTES = 1 << 24, MAX_DEPTH = 64, MAX_NAME = 64, NO_OBJECT = -1 };

struct object {
    int32_t parent;    // NO_OBJECT: none
    uint32_t branches; // children with cores
    uint64_t os_index;
    bool core, unit; // of type Core, PU
    bool used;       // contains an allowed processing unit
};

struct xml {
    const char *text, *at;
    struct object *object;
    size_t count, capacity;
    int32_t open[MAX_DEPTH]; // object of each open element, or that around it
    const char *name[MAX_DEPTH];
    size_t length[MAX_DEPTH];
    size_t depth;
    const char *allowed; // set of the machine, ended by a quote; NULL: all
};

static int fail(const struct xml *x, struct trj_error *err, const char *why) {
    size_t line = 1;
    for (const char *c = x->text; c < x->at; c++) line += *c == '\n';
    return trj_fail(err, TRJ_BAD_DATA, "line %zu: %s; write the file with: lstopo --of xml FILE", line, why);
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t name_length(const char *text) {
    size_t n = 0;
    while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') || text[n] == '_' ||
           text[n] == '-' || (n && ((text[n] >= '0' && text[n] <= '9') || text[n] == '.' || text[n] == ':')))
        n++;
    return n;
}

static bool is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && !strncmp(text, word, length);
}

// Returns whether a set, as "0x0000000f,,0xffffffff" with the highest word first, contains a number.
static bool set_has(const char *set, uint64_t number) {
    const char *end = set + strcspn(set, "\"'");
    const bool infinite = !strncmp(set, "0xf...f", 7);
    if (infinite) set += set[7] == ',' ? 8 : 7;
    for (; number >= 32; number -= 32) {
        while (end > set && end[-1] != ',') end--;
        if (end == set) return infinite;
        end--;
    }
    while (end > set && end[-1] != ',') end--;
    if (infinite && end == set && (*set == '"' || *set == '\'')) return true;
    return strtoul(end, NULL, 16) >> number & 1;
}

static int read_attributes(struct xml *x, struct object *o, struct trj_error *err) {
    for (;;) {
        while (is_space(*x->at)) x->at++;
        const char *name = x->at;
        const size_t length = name_length(name);
        if (!length) return 0;
        x->at += length;
        if (x->at[0] != '=' || (x->at[1] != '"' && x->at[1] != '\'')) return fail(x, err, "expected NAME=\"VALUE\"");
        const char *value = x->at + 2, *end = strchr(value, x->at[1]);
        if (!end) return fail(x, err, "missing quote");
        const size_t size = (size_t)(end - value);
        if (memchr(value, '<', size)) return fail(x, err, "'<' in a value");
        x->at = end + 1;
        if (!o) continue;
        if (is(name, length, "type")) {
            o->core = is(value, size, "Core");
            o->unit = is(value, size, "PU");
        }
        if (is(name, length, "os_index")) {
            char digits[24] = "";
            if (size < sizeof digits) memcpy(digits, value, size);
            if (!trj_parse_u64(digits, &o->os_index) || o->os_index > NET_HOSTS_MAX)
                return fail(x, err, "invalid os_index");
        }
        if (is(name, length, "allowed_cpuset") && o->parent == NO_OBJECT) x->allowed = value;
    }
}

static int open_element(struct xml *x, struct trj_error *err) {
    const char *name = ++x->at;
    const size_t length = name_length(name);
    if (!length || length > MAX_NAME) return fail(x, err, "invalid element");
    if (x->depth == MAX_DEPTH) return fail(x, err, "more than 64 levels");
    x->at += length;
    const int32_t around = x->depth ? x->open[x->depth - 1] : NO_OBJECT;
    struct object read = {.parent = around, .os_index = UINT64_MAX};
    const bool object = is(name, length, "object");
    if (read_attributes(x, object ? &read : NULL, err)) return -1;
    int32_t number = around;
    if (object) {
        if (x->count == NET_HOSTS_MAX) return fail(x, err, "too many objects");
        if (trj_grow(&x->object, &x->capacity, x->count + 1, sizeof *x->object, "objects", err)) return -1;
        if (read.unit && read.os_index == UINT64_MAX) return fail(x, err, "PU without os_index");
        number = (int32_t)x->count;
        x->object[x->count++] = read;
    }
    const bool empty = *x->at == '/';
    x->at += empty;
    if (*x->at != '>') return fail(x, err, "expected '>'");
    x->at++;
    if (empty) return 0;
    x->name[x->depth] = name;
    x->length[x->depth] = length;
    x->open[x->depth++] = number;
    return 0;
}

static int close_element(struct xml *x, struct trj_error *err) {
    x->at += 2;
    const size_t length = name_length(x->at);
    if (!x->depth || length != x->length[x->depth - 1] || strncmp(x->at, x->name[x->depth - 1], length) != 0)
        return fail(x, err, "end of an element that is not open");
    x->at += length;
    while (is_space(*x->at)) x->at++;
    if (*x->at != '>') return fail(x, err, "expected '>'");
    x->at++;
    x->depth--;
    return 0;
}

static int skip_to(struct xml *x, const char *end, struct trj_error *err) {
    const char *found = strstr(x->at, end);
    if (!found) return fail(x, err, "unexpected end");
    x->at = found + strlen(end);
    return 0;
}

static int parse(struct xml *x, struct trj_error *err) {
    int rc = 0;
    while (!rc) {
        x->at += strcspn(x->at, "<");
        if (!*x->at) break;
        if (!strncmp(x->at, "<!--", 4))
            rc = skip_to(x, "-->", err);
        else if (!strncmp(x->at, "<?", 2))
            rc = skip_to(x, "?>", err);
        else if (!strncmp(x->at, "<!", 2)) {
            const size_t n = strcspn(x->at, "[>");
            rc = x->at[n] == '>' ? 0 : fail(x, err, "unsupported declaration");
            x->at += n;
        } else if (x->at[1] == '/')
            rc = close_element(x, err);
        else
            rc = open_element(x, err);
    }
    if (rc) return rc;
    if (x->depth) return fail(x, err, "unexpected end");
    return x->count ? 0 : fail(x, err, "no element 'object'");
}

// Marks objects with allowed processing units, and counts the branches of each.
static void mark_used(struct xml *x) {
    for (size_t i = 0; i < x->count; i++) {
        if (!x->object[i].unit || (x->allowed && !set_has(x->allowed, x->object[i].os_index))) continue;
        for (int32_t at = (int32_t)i; at != NO_OBJECT && !x->object[at].used; at = x->object[at].parent) {
            x->object[at].used = true;
            if (x->object[at].parent != NO_OBJECT) x->object[x->object[at].parent].branches++;
        }
    }
}

// Sets path [MAX_DEPTH] to the objects above one, from the root down, of those that branch. Returns their number.
static unsigned path_of(const struct xml *x, size_t i, int32_t *path) {
    unsigned levels = 0;
    for (int32_t at = x->object[i].parent; at != NO_OBJECT; at = x->object[at].parent)
        if (x->object[at].branches > 1) path[levels++] = at;
    for (unsigned k = 0; k < levels / 2; k++) {
        const int32_t first = path[k];
        path[k] = path[levels - 1 - k];
        path[levels - 1 - k] = first;
    }
    return levels;
}

static int add_cores(const struct xml *x, struct net_topology *t, struct trj_error *err) {
    bool cores = false;
    unsigned deepest = 0;
    for (size_t i = 0; i < x->count; i++) cores = cores || (x->object[i].core && x->object[i].used);
    for (int pass = 0; pass < 2; pass++) {
        if (pass) t->dimensions = deepest + 1;
        size_t number = 0;
        for (size_t i = 0; i < x->count; i++) {
            int32_t path[MAX_DEPTH];
            const struct object *o = &x->object[i];
            if (!(cores ? o->core : o->unit)) continue;
            if (!o->used) continue; // hwloc-bind numbers only what may be used
            char name[32];
            snprintf(name, sizeof name, "%s:%zu", cores ? "core" : "pu", number++);
            const unsigned levels = path_of(x, i, path);
            if (levels > NET_LEVELS_MAX)
                return trj_fail(err, TRJ_BAD_DATA, "more than %d levels above %s", NET_LEVELS_MAX, name);
            if (levels > deepest) deepest = levels;
            if (!pass) continue;
            for (unsigned k = levels; k < deepest; k++) path[k] = NET_NONE;
            path[deepest] = (int32_t)t->names.count;
            if (net_topology_add(t, name, path, err)) return -1;
        }
    }
    return t->names.count ? 0 : trj_fail(err, TRJ_BAD_DATA, "no core or processing unit that may be used");
}

static int read_all(struct trj_input *in, char **text, struct trj_error *err) {
    size_t capacity = 0, size = 0, got = 1;
    while (got) {
        if (size == MAX_BYTES)
            return trj_fail(err, TRJ_BAD_DATA, "more than %d bytes; not the XML of lstopo", MAX_BYTES);
        if (trj_grow(text, &capacity, size + 4096, 1, "the file", err)) return -1;
        const size_t room = capacity - size - 1 < MAX_BYTES - size ? capacity - size - 1 : MAX_BYTES - size;
        if (trj_input_read_some(in, *text + size, room, &got, err)) return -1;
        size += got;
    }
    (*text)[size] = 0;
    return strlen(*text) == size ? 0 : trj_fail(err, TRJ_BAD_DATA, "zero byte; not the XML of lstopo");
}

int net_read_hwloc(struct net_topology *t, const char *path, struct trj_error *err) {
    struct xml x = {.text = NULL};
    struct trj_input *in;
    char *text = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    t->kind = NET_TREE;
    int rc = read_all(in, &text, err);
    if (!rc) {
        x.text = x.at = text;
        rc = parse(&x, err);
    }
    if (!rc) {
        mark_used(&x);
        rc = add_cores(&x, t, err);
    }
    if (rc) trj_error_set_place(err, "%s", trj_input_name(in));
    free(x.object);
    free(text);
    trj_input_close(in);
    return rc;
}
