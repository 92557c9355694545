// SPDX-License-Identifier: MIT
// Reads Slurm's topology.conf and topology.yaml: manual pages topology.conf(5) and topology.yaml(5) of Slurm.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bytes.h"
#include "lines.h"
#include "memory.h"
#include "net_read.h"
#include "yaml_errors.h"
#include "yaml_tree.h"

// All blocks are below one switch, whose name no block can have.
static const char root_of_blocks[] = "(all blocks)";

// ---- topology.conf

struct conf {
    struct net_switches *s;
    struct trj_bytes blocks; // their names
};

struct conf_line {
    const char *name, *block, *nodes, *children;
};

static int read_fields(struct conf_line *f, const struct trj_lines *l, struct trj_error *err) {
    char *rest = l->text, *word;
    while ((word = trj_next_word(&rest))) {
        const char **value = NULL;
        char *equals = strchr(word, '=');
        if (!equals || !equals[1])
            return trj_lines_fail(l, err, "expected KEY=VALUE, found '%.60s'; example: SwitchName=s0 Nodes=n[0-31]",
                                  word);
        *equals = 0;
        if (!strcasecmp(word, "SwitchName")) value = &f->name;
        if (!strcasecmp(word, "BlockName")) value = &f->block;
        if (!strcasecmp(word, "Nodes")) value = &f->nodes;
        if (!strcasecmp(word, "Switches")) value = &f->children;
        if (!value) {
            if (!strcasecmp(word, "LinkSpeed") || !strcasecmp(word, "BlockSizes")) continue;
            return trj_lines_fail(l, err,
                                  "unknown key '%.60s'; known: SwitchName, Nodes, Switches, LinkSpeed, BlockName, "
                                  "BlockSizes",
                                  word);
        }
        if (*value) return trj_lines_fail(l, err, "%s is given twice", word);
        *value = equals + 1;
    }
    return 0;
}

static int read_conf_line(struct conf *c, const struct trj_lines *l, struct trj_error *err) {
    struct conf_line f = {.name = NULL};
    l->text[strcspn(l->text, "#")] = 0;
    if (read_fields(&f, l, err)) return -1;
    if (!f.name && !f.block) {
        if (f.nodes || f.children) return trj_lines_fail(l, err, "SwitchName is missing");
        return 0;
    }
    if (f.name && f.block) return trj_lines_fail(l, err, "SwitchName and BlockName in one line; use one of them");
    if (!f.nodes && !f.children)
        return trj_lines_fail(l, err, "%.60s has neither Nodes nor %s", f.name ? f.name : f.block,
                              f.name ? "Switches" : "a switch");
    if (net_switches_add(c->s, f.name ? f.name : f.block, f.nodes, f.children, l->number, err))
        return trj_fail_at(err, "line %" PRIu64, l->number);
    if (f.block) {
        if (c->blocks.size) trj_put_raw(&c->blocks, ",", 1);
        trj_put_raw(&c->blocks, f.block, strlen(f.block));
    }
    return 0;
}

static int add_root(struct conf *c, uint64_t line, struct trj_error *err) {
    if (!c->blocks.size) return 0;
    trj_put_raw(&c->blocks, "", 1);
    if (c->blocks.failed) return trj_fail_memory(err, (double)c->blocks.size, "blocks");
    return net_switches_add(c->s, root_of_blocks, NULL, (const char *)c->blocks.data, line, err);
}

static int read_conf(struct net_switches *s, const char *path, struct trj_error *err) {
    struct conf c = {.s = s};
    struct trj_input *in;
    int got, rc = 0;
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines l = {.in = in};
    while (!rc && (got = trj_lines_next(&l, err))) rc = got < 0 ? -1 : read_conf_line(&c, &l, err);
    if (!rc) rc = add_root(&c, l.number, err);
    if (rc) trj_error_set_place(err, "%s", trj_input_name(in));
    trj_bytes_free(&c.blocks);
    trj_input_close(in);
    return rc;
}

// ---- topology.yaml

struct yaml {
    struct conf conf;
    const char *path;
};

static int get_text(const struct yaml *y, const struct trj_yaml *map, const char *key, const char **text,
                    struct trj_error *err) {
    const struct trj_yaml *value = trj_yaml_find(map, key);
    *text = NULL;
    if (!value) return 0;
    if (value->kind != TRJ_YAML_TEXT || !*value->text)
        return trj_yaml_fail(err, y->path, value, "%s must be a text, not %s", key, trj_yaml_kind_name(value));
    *text = value->text;
    return 0;
}

// Reads the switches, or the blocks, of a topology.
static int read_items(struct yaml *y, const struct trj_yaml *plugin, const char *list, const char *item,
                      struct trj_error *err) {
    const struct trj_yaml *items = plugin->kind == TRJ_YAML_MAP ? trj_yaml_find(plugin, list) : NULL;
    if (!items || items->kind != TRJ_YAML_LIST)
        return trj_yaml_fail(err, y->path, items ? items : plugin, "expected a list '%s'", list);
    for (size_t i = 0; i < items->count; i++) {
        const struct trj_yaml *entry = &items->items[i];
        const char *name, *nodes, *children;
        if (entry->kind != TRJ_YAML_MAP)
            return trj_yaml_fail(err, y->path, entry, "expected a map with '%s', not %s", item,
                                 trj_yaml_kind_name(entry));
        if (get_text(y, entry, item, &name, err) || get_text(y, entry, "nodes", &nodes, err) ||
            get_text(y, entry, "children", &children, err))
            return -1;
        if (!name || (!nodes && !children))
            return trj_yaml_fail(err, y->path, entry, "expected '%s', and 'nodes' or 'children'", item);
        if (net_switches_add(y->conf.s, name, nodes, children, entry->line, err))
            return trj_fail_at(err, "%s:%u", y->path, entry->line);
        if (*item != 'b') continue;
        if (y->conf.blocks.size) trj_put_raw(&y->conf.blocks, ",", 1);
        trj_put_raw(&y->conf.blocks, name, strlen(name));
    }
    return add_root(&y->conf, plugin->line, err) ? trj_fail_at(err, "%s", y->path) : 0;
}

// Chooses the topology with cluster_default: true, or the only one.
static const struct trj_yaml *choose(const struct yaml *y, const struct trj_yaml *root, struct trj_error *err) {
    if (root->kind != TRJ_YAML_LIST || !root->count) {
        trj_yaml_fail(err, y->path, root, "expected a list of topologies; example: - topology: default");
        return NULL;
    }
    for (size_t i = 0; i < root->count; i++) {
        const char *text;
        if (root->items[i].kind != TRJ_YAML_MAP) {
            trj_yaml_fail(err, y->path, &root->items[i], "expected a map with 'topology'");
            return NULL;
        }
        if (get_text(y, &root->items[i], "cluster_default", &text, err)) return NULL;
        if (text && (!strcasecmp(text, "true") || !strcasecmp(text, "yes"))) return &root->items[i];
    }
    if (root->count == 1) return root->items;
    trj_yaml_fail(err, y->path, root, "%zu topologies, none with 'cluster_default: true'; add this to the one to use",
                  root->count);
    return NULL;
}

static int read_yaml(struct net_switches *s, const char *path, struct trj_error *err) {
    struct yaml y = {.conf = {.s = s}, .path = path};
    struct trj_yaml root = {.kind = TRJ_YAML_TEXT};
    const struct trj_yaml *topology = NULL, *tree, *block;
    int rc = trj_yaml_read(&root, path, err);
    if (!rc && !(topology = choose(&y, &root, err))) rc = -1;
    if (!rc) {
        tree = trj_yaml_find(topology, "tree");
        block = trj_yaml_find(topology, "block");
        if (tree)
            rc = read_items(&y, tree, "switches", "switch", err);
        else if (block)
            rc = read_items(&y, block, "blocks", "block", err);
        else
            rc = trj_yaml_fail(err, path, topology, "topology without 'tree' or 'block'; others list no hosts");
    }
    trj_bytes_free(&y.conf.blocks);
    trj_yaml_free(&root);
    return rc;
}

int net_read_slurm_as(struct net_topology *t, const char *path, bool yaml, bool dragonfly, struct trj_error *err) {
    struct net_switches s = {.list = NULL};
    int rc = yaml ? read_yaml(&s, path, err) : read_conf(&s, path, err);
    if (!rc && net_switches_finish(&s, t, dragonfly, err)) rc = trj_fail_at(err, "%s", path);
    net_switches_free(&s);
    return rc;
}

int net_read_slurm(struct net_topology *t, const char *path, bool dragonfly, struct trj_error *err) {
    const bool yaml = trj_name_ends_in(path, ".yaml") || trj_name_ends_in(path, ".yml");
    return net_read_slurm_as(t, path, yaml, dragonfly, err);
}
