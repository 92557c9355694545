// SPDX-License-Identifier: MIT
// Makes maps of ranks and domains, and measures maps.
#include "net_map_make.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static int map_start(struct net_map *m, size_t count, struct trj_error *err) {
    *m = (struct net_map){.count = count};
    m->host = trj_alloc(count, sizeof *m->host, "the map", err);
    m->part = m->host ? trj_alloc(count, sizeof *m->part, "the map", err) : NULL;
    m->number = m->part ? trj_alloc(count, sizeof *m->number, "the map", err) : NULL;
    m->slot = m->number ? trj_alloc(count, sizeof *m->slot, "the map", err) : NULL;
    return m->slot ? 0 : -1;
}

// ---- parts

// Returns whether all hosts have the same number of slots, and the parts consist of whole hosts.
static bool divides_hosts(const struct net_hosts *h, uint64_t parts) {
    for (size_t i = 1; i < h->count; i++)
        if (h->slots[i] != h->slots[0]) return false;
    return h->count % parts == 0 || h->slots[0] == 1;
}

// Numbers the ranks of each host by their order in the map.
static int number_slots(struct net_map *m, size_t hosts, struct trj_error *err) {
    uint32_t *next = trj_alloc(hosts, sizeof *next, "hosts", err);
    for (size_t i = 0; next && i < m->count; i++) m->slot[i] = next[m->host[i]]++;
    free(next);
    return next ? 0 : -1;
}

// Lists the ranks of all hosts: numbers of their hosts in the topology.
static uint32_t *list_ranks(const struct net_hosts *h, struct trj_error *err) {
    uint32_t *list = trj_alloc(h->ranks, sizeof *list, "ranks", err);
    for (size_t i = 0, rank = 0; list && i < h->count; i++)
        for (uint32_t k = 0; k < h->slots[i]; k++) list[rank++] = h->host[i];
    return list;
}

int net_map_parts(struct net_map *m, const struct net_topology *t, const struct net_hosts *h,
                  const struct net_options *o, enum net_method *taken, struct net_diameters *diameters,
                  struct trj_error *err) {
    const bool whole = divides_hosts(h, o->parts);
    struct net_points points = {.at = NULL};
    struct net_parts parts = {.parts = 0};
    enum net_method how = o->how;
    *m = (struct net_map){.count = 0};
    if (o->parts > h->ranks)
        return trj_fail(err, TRJ_USAGE, "--parts: %llu parts of %zu ranks; use at most one part for each rank",
                        (unsigned long long)o->parts, h->ranks);
    if (!whole && how == NET_KMEANS)
        return trj_fail(err, TRJ_USAGE,
                        "--method kmeans requires whole hosts: equal slots, and a multiple of %llu hosts for as many "
                        "parts; use bisect",
                        (unsigned long long)o->parts);
    if (!whole && how == NET_BEST) how = NET_WHOLE;
    uint32_t *ranks = whole ? NULL : list_ranks(h, err);
    int rc =
        !whole && !ranks ? -1 : net_points_make(&points, t, whole ? h->host : ranks, whole ? h->count : h->ranks, err);
    if (!rc) rc = net_parts_divide(&parts, &points, (size_t)o->parts, how, !strcmp(o->goal, "hops"), taken, err);
    if (!rc) rc = map_start(m, h->ranks, err);
    const uint32_t repeat = whole ? h->slots[0] : 1;
    for (size_t k = 0, rank = 0; !rc && k < parts.parts; k++)
        for (size_t i = parts.start[k], first = rank; i < parts.start[k + 1]; i++)
            for (uint32_t slot = 0; slot < repeat; slot++, rank++) { // all ranks of a host
                m->host[rank] = whole ? h->host[parts.order[i]] : ranks[parts.order[i]];
                m->part[rank] = (uint32_t)k;
                m->number[rank] = (uint32_t)(rank - first);
            }
    if (!rc) rc = number_slots(m, t->names.count, err);
    if (!rc) *diameters = net_parts_diameters(&parts, &points);
    net_parts_free(&parts);
    net_points_free(&points);
    free(ranks);
    return rc;
}

// ---- domains

struct ranks {
    struct net_points points;
    uint32_t *topology_host; // [ranks] number in the topology
    uint32_t *host;          // [ranks] number in the list of hosts
    bool *excluded;          // [ranks]
    uint32_t *list;          // [used] ranks that get domains
    size_t used;
};

static void ranks_free(struct ranks *r) {
    net_points_free(&r->points);
    free(r->topology_host);
    free(r->host);
    free(r->excluded);
    free(r->list);
}

static int ranks_make(struct ranks *r, const struct net_topology *t, const struct net_hosts *h,
                      const struct net_options *o, size_t wanted, struct trj_error *err) {
    r->topology_host = list_ranks(h, err);
    r->host = r->topology_host ? trj_alloc(h->ranks, sizeof *r->host, "ranks", err) : NULL;
    r->excluded = r->host ? trj_alloc(h->ranks, sizeof *r->excluded, "ranks", err) : NULL;
    r->list = r->excluded ? trj_alloc(h->ranks, sizeof *r->list, "ranks", err) : NULL;
    if (!r->list || net_options_exclude(o, r->excluded, h->ranks, err)) return -1;
    for (size_t i = 0, rank = 0; i < h->count; i++)
        for (uint32_t k = 0; k < h->slots[i]; k++) r->host[rank++] = (uint32_t)i;
    r->used = net_choose_ranks(r->host, h->ranks, r->excluded, wanted, r->list, err);
    if (!r->used) return -1;
    return t ? net_points_make(&r->points, t, r->topology_host, h->ranks, err) : 0;
}

// Fills in the hosts of a map whose entries have ranks.
static int set_hosts(struct net_map *m, const struct ranks *r, struct trj_error *err) {
    uint32_t largest = 0;
    for (size_t i = 0; i < m->count; i++) {
        m->host[i] = r->topology_host[m->number[i]];
        if (m->host[i] > largest) largest = m->host[i];
    }
    return number_slots(m, (size_t)largest + 1, err);
}

static double find_imbalance(const struct net_domains *d, const struct ranks *r, size_t ranks, struct trj_error *err) {
    double *load = trj_alloc(ranks, sizeof *load, "ranks", err), sum = 0, largest = 0;
    if (!load) return -1;
    for (size_t i = 0; i < net_domains_count(d); i++) load[d->rank[i]] += d->load[i];
    for (size_t i = 0; i < ranks; i++) {
        sum += load[i];
        if (load[i] > largest) largest = load[i];
    }
    free(load);
    return largest * (double)r->used / sum;
}

int net_map_domains(struct net_map *m, struct net_domains *d, const struct net_topology *t, const struct net_hosts *h,
                    const struct net_options *o, enum net_method *taken, double *hops, double *imbalance,
                    struct trj_error *err) {
    struct ranks r = {.list = NULL};
    const size_t domains = net_domains_count(d);
    size_t axes = 0;
    *m = (struct net_map){.count = 0};
    int rc = ranks_make(&r, t, h, o, domains, err);
    if (!rc)
        rc = net_domains_assign(d, &r.points, r.host, r.list, r.used, o->how, !strcmp(o->goal, "links"), taken, err);
    if (!rc) rc = map_start(m, domains, err);
    if (!rc) {
        m->domains = true;
        memcpy(m->n, d->n, sizeof m->n);
        memcpy(m->number, d->rank, domains * sizeof *d->rank);
        rc = set_hosts(m, &r, err);
    }
    if (!rc) {
        for (int k = 0; k < 3; k++) axes += d->n[k] > 1;
        *hops = axes ? (double)net_domains_hops(d, &r.points) / (double)(2 * axes * domains) : 0;
        *imbalance = find_imbalance(d, &r, h->ranks, err);
        if (*imbalance < 0) rc = -1;
    }
    ranks_free(&r);
    return rc;
}

int net_map_pencils(struct net_map *m, const struct net_domains *d, const struct net_hosts *h,
                    const struct net_options *o, struct trj_error *err) {
    struct ranks r = {.list = NULL};
    const size_t pencils = (size_t)o->pencil[0] * o->pencil[1];
    net_map_free(m);
    int rc = ranks_make(&r, NULL, h, o, pencils, err);
    if (!rc) rc = map_start(m, pencils, err);
    if (!rc) {
        m->domains = true;
        m->n[0] = o->pencil[0];
        m->n[1] = o->pencil[1];
        m->n[2] = 1;
        rc = net_pencils_assign(o->pencil, d, r.list, r.used, m->number, err);
    }
    if (!rc) rc = set_hosts(m, &r, err);
    ranks_free(&r);
    return rc;
}

// ---- metrics

static int list_hosts(struct net_points *p, const struct net_topology *t, struct trj_error *err) {
    uint32_t *all = trj_alloc(t->names.count, sizeof *all, "hosts", err);
    if (!all) return -1;
    for (size_t i = 0; i < t->names.count; i++) all[i] = (uint32_t)i;
    const int rc = net_points_make(p, t, all, t->names.count, err);
    free(all);
    return rc;
}

int net_map_measure(struct net_metrics *x, const struct net_map *m, const struct net_topology *t,
                    enum net_pattern pattern, struct trj_error *err) {
    *x = (struct net_metrics){.parts = 0};
    uint64_t sum = 0;
    if (list_hosts(&x->points, t, err) || net_traffic_start(&x->traffic, &x->points, err)) return -1;
    if (m->domains) return net_traffic_add(&x->traffic, pattern, m->n, m->host, err);
    for (size_t from = 0, to; from < m->count; from = to, x->parts++) {
        uint32_t n[3];
        for (to = from + 1; to < m->count && m->part[to] == m->part[from];) to++;
        const uint32_t diameter = net_part_diameter(&x->points, m->host + from, to - from);
        sum += diameter;
        if (diameter > x->diameters.max) x->diameters.max = diameter;
        net_grid_of(to - from, n);
        if (net_traffic_add(&x->traffic, pattern, n, m->host + from, err)) return -1;
    }
    x->diameters.mean = (double)sum / (double)x->parts;
    return 0;
}

void net_metrics_free(struct net_metrics *x) {
    net_traffic_free(&x->traffic);
    net_points_free(&x->points);
}

int net_metrics_write(const struct net_metrics *x, const char *pattern, struct trj_table *table) {
    const struct net_traffic *t = &x->traffic;
    double mean;
    const double largest = net_traffic_largest(t, &mean);
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"parts", (double)x->parts},
        {"diameter_mean", x->diameters.mean},
        {"diameter_max", x->diameters.max},
        {"messages", t->messages},
        {"hop_bytes", t->hops},
        {"hops_mean", t->messages > 0 ? t->hops / t->messages : 0},
        {"links", (double)t->links},
        {"link_load_mean", mean},
        {"link_load_max", largest},
    };
    static const struct trj_table_column columns[] = {{"quantity", "name of the quantity", NULL},
                                                      {"value", "value", NULL}};
    trj_table_comment(table, "pattern: %s; messages of size 1; loads of links with any", pattern);
    if (trj_table_columns(table, columns, 2)) return -1;
    for (size_t i = x->parts ? 0 : 3; i < sizeof rows / sizeof *rows; i++) {
        trj_table_text(table, "%s", rows[i].name);
        trj_table_real(table, 10, rows[i].value);
        if (trj_table_end_row(table)) return -1;
    }
    return 0;
}

int net_metrics_write_links(struct net_metrics *x, const struct net_topology *t, struct trj_table *table) {
    struct net_traffic *traffic = &x->traffic;
    const bool lattice = t->kind == NET_LATTICE;
    net_traffic_sort(traffic);
    for (unsigned k = 0; lattice && k < t->dimensions; k++) trj_table_name(table, "from_%u", k + 1);
    if (!lattice) trj_table_name(table, "link");
    trj_table_name(table, lattice ? "dimension" : "end");
    trj_table_name(table, "direction");
    trj_table_name(table, "load");
    if (trj_table_end_row(table)) return -1;
    for (size_t i = 0; i < traffic->links; i++) {
        const struct net_link *l = &traffic->link[i];
        if (lattice) {
            int32_t at[NET_DIMENSIONS_MAX];
            unsigned dimension;
            bool up;
            net_traffic_position(traffic, l->id - 1, at, &dimension, &up);
            for (unsigned k = 0; k < t->dimensions; k++) trj_table_text(table, "%d", (int)at[k]);
            trj_table_count(table, dimension + 1);
            trj_table_text(table, up ? "+" : "-");
        } else {
            net_traffic_describe(t, l->id - 1, table);
        }
        trj_table_real(table, 10, l->load);
        if (trj_table_end_row(table)) return -1;
    }
    return 0;
}
