// SPDX-License-Identifier: MIT
// Connects switches to a tree, and lists the switches above each host as its coordinates.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "net_host_list.h"
#include "net_read.h"

int net_switches_add(struct net_switches *s, const char *name, const char *nodes, const char *children, uint64_t line,
                     struct trj_error *err) {
    const size_t before = s->names.count;
    uint32_t id;
    s->index.texts = &s->names;
    if (before == NET_HOSTS_MAX) return trj_fail(err, TRJ_BAD_DATA, "more than %d switches", NET_HOSTS_MAX);
    if (trj_grow(&s->list, &s->capacity, before + 1, sizeof *s->list, "switches", err) ||
        trj_text_index_add(&s->index, name, &id, err))
        return -1;
    if (id < before)
        return trj_fail(err, TRJ_BAD_DATA, "switch %.60s is also in line %" PRIu64 "; remove one of them", name,
                        s->list[id].line);
    struct net_switch *added = &s->list[id];
    s->count++;
    *added = (struct net_switch){.line = line, .parent = UINT32_MAX};
    if (nodes && !(added->nodes = trj_copy_text(nodes, err))) return -1;
    return !children || (added->children = trj_copy_text(children, err)) ? 0 : -1;
}

void net_switches_free(struct net_switches *s) {
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].nodes);
        free(s->list[i].children);
    }
    free(s->list);
    trj_text_index_free(&s->index);
    trj_texts_clear(&s->names);
    *s = (struct net_switches){.list = NULL};
}

struct connection {
    struct net_switches *s;
    struct net_topology *t;
    uint32_t at; // the switch whose lists are read
    int32_t path[NET_COORDINATES_MAX];
};

static int set_parent(void *arg, const char *name, struct trj_error *err) {
    struct connection *c = arg;
    uint32_t child;
    if (!trj_text_index_find(&c->s->index, name, strlen(name), &child))
        return trj_fail(err, TRJ_BAD_DATA, "unknown switch %.60s; add a line for it, or remove it from %.60s", name,
                        c->s->names.text[c->at]);
    struct net_switch *s = &c->s->list[child];
    if (s->parent != UINT32_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "switch %.60s is below both %.60s and %.60s; remove it from one of them",
                        name, c->s->names.text[s->parent], c->s->names.text[c->at]);
    s->parent = c->at;
    return 0;
}

static int add_host(void *arg, const char *name, struct trj_error *err) {
    struct connection *c = arg;
    c->path[c->t->dimensions - 1] = (int32_t)c->t->names.count;
    const int rc = net_topology_add(c->t, name, c->path, err);
    if (rc <= 0) return rc;
    return trj_fail(err, TRJ_BAD_DATA, "host %.60s is below two switches; remove it from %.60s or from the other one",
                    name, c->s->names.text[c->at]);
}

static int each_name(struct connection *c, const char *list, int (*each)(void *, const char *, struct trj_error *),
                     size_t *left, struct trj_error *err) {
    if (!list || !net_host_list(list, left, each, c, err)) return 0;
    return trj_fail_at(err, "line %" PRIu64, c->s->list[c->at].line);
}

// Sets the depth of all switches, from 1. Those on the way up that have none yet are counted first, so that the time is
// linear, and a path longer than all switches is a cycle.
static int set_depths(struct net_switches *s, unsigned *deepest, struct trj_error *err) {
    *deepest = 0;
    for (size_t i = 0; i < s->names.count; i++) {
        unsigned above = 0;
        uint32_t at = (uint32_t)i;
        for (; at != UINT32_MAX && !s->list[at].depth; at = s->list[at].parent)
            if (++above > NET_LEVELS_MAX)
                return trj_fail(err, TRJ_BAD_DATA,
                                "line %" PRIu64
                                ": switch %.60s is below itself, or below more than %d switches; correct "
                                "its Switches",
                                s->list[i].line, s->names.text[i], NET_LEVELS_MAX);
        unsigned depth = (at == UINT32_MAX ? 0 : s->list[at].depth) + above;
        if (depth > NET_LEVELS_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "line %" PRIu64 ": more than %d levels of switches", s->list[i].line,
                            NET_LEVELS_MAX);
        if (depth > *deepest) *deepest = depth;
        for (at = (uint32_t)i; at != UINT32_MAX && !s->list[at].depth; at = s->list[at].parent)
            s->list[at].depth = depth--;
    }
    return 0;
}

static int check_roots(const struct net_switches *s, struct trj_error *err) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < s->names.count; i++) {
        if (s->list[i].parent != UINT32_MAX) continue;
        if (first != SIZE_MAX)
            return trj_fail(err, TRJ_BAD_DATA,
                            "line %" PRIu64
                            ": no switch connects %.60s and %.60s; add one above both, or, if this is a "
                            "dragonfly, --dragonfly",
                            s->list[i].line, s->names.text[first], s->names.text[i]);
        first = i;
    }
    return 0;
}

int net_switches_finish(struct net_switches *s, struct net_topology *t, bool dragonfly, struct trj_error *err) {
    struct connection c = {.s = s, .t = t};
    size_t hosts = NET_HOSTS_MAX, switches = NET_HOSTS_MAX;
    unsigned deepest;
    for (size_t i = 0; i < s->names.count; i++) {
        c.at = (uint32_t)i;
        if (each_name(&c, s->list[i].children, set_parent, &switches, err)) return -1;
    }
    if (set_depths(s, &deepest, err) || (!dragonfly && check_roots(s, err))) return -1;
    t->kind = dragonfly ? NET_DRAGONFLY : NET_TREE;
    t->dimensions = dragonfly ? 3 : deepest + 1;
    for (size_t i = 0; i < s->names.count; i++) {
        const struct net_switch *own = &s->list[i];
        uint32_t at = (uint32_t)i;
        c.at = at;
        if (dragonfly) {
            c.path[1] = (int32_t)i;
            c.path[0] = own->parent == UINT32_MAX ? c.path[1] : (int32_t)own->parent;
        }
        for (unsigned k = 0; k < deepest && !dragonfly; k++) c.path[k] = NET_NONE;
        for (unsigned k = own->depth; k-- && !dragonfly; at = s->list[at].parent) c.path[k] = (int32_t)at;
        if (each_name(&c, own->nodes, add_host, &hosts, err)) return -1;
    }
    if (!t->names.count) return trj_fail(err, TRJ_BAD_DATA, "no hosts; expected lines: SwitchName=s0 Nodes=n[0-31]");
    t->switches = s->names; // the network owns the names
    s->names = (struct trj_texts){.count = 0};
    return 0;
}
