// SPDX-License-Identifier: MIT
// Reads the hosts of a job, which are some or all of those of a topology.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"
#include "net_host_list.h"
#include "net_read.h"
#include "number.h"

struct reading {
    struct net_hosts *hosts;
    const struct net_topology *t;
    size_t capacity, slots_capacity;
    uint64_t *line; // [hosts of the topology] in which a host occurs; 0: not yet
    uint64_t number;
    uint32_t slots;
};

static int take(void *arg, const char *name, struct trj_error *err) {
    struct reading *r = arg;
    struct net_hosts *h = r->hosts;
    uint32_t host;
    if (!trj_text_index_find(&r->t->index, name, strlen(name), &host))
        return trj_fail(err, TRJ_BAD_DATA, "host %.60s is not in the topology; add it there, or remove it here", name);
    if (r->line[host])
        return trj_fail(err, TRJ_BAD_DATA,
                        "host %.60s is also in line %" PRIu64 "; for several ranks, use 'NAME slots=N'", name,
                        r->line[host]);
    if (trj_grow(&h->host, &r->capacity, h->count + 1, sizeof *h->host, "hosts", err) ||
        trj_grow(&h->slots, &r->slots_capacity, h->count + 1, sizeof *h->slots, "hosts", err))
        return -1;
    r->line[host] = r->number;
    h->host[h->count] = host;
    h->slots[h->count++] = r->slots;
    h->ranks += r->slots;
    return h->ranks <= NET_RANKS_MAX
               ? 0
               : trj_fail(err, TRJ_BAD_DATA, "more than %d ranks; use fewer slots", NET_RANKS_MAX);
}

static int read_line(struct reading *r, const struct trj_lines *l, uint32_t slots, size_t *left,
                     struct trj_error *err) {
    char *rest = l->text, *word;
    l->text[strcspn(l->text, "#")] = 0;
    r->number = l->number;
    r->slots = slots;
    char *equals = strstr(l->text, "slots=");
    if (equals && equals != l->text && trj_is_blank(equals[-1])) {
        uint64_t number;
        char *after = equals + strlen("slots="), *value = trj_next_word(&after);
        if (!value || trj_next_word(&after) || !trj_parse_u64(value, &number) || !number || number > NET_RANKS_MAX)
            return trj_lines_fail(l, err, "invalid slots; expected: NAME slots=N, N from 1 to %d", NET_RANKS_MAX);
        r->slots = (uint32_t)number;
        *equals = 0;
    }
    while ((word = trj_next_word(&rest)))
        if (net_host_list(word, left, take, r, err)) return trj_fail_at(err, "line %" PRIu64, l->number);
    return 0;
}

int net_read_hosts(struct net_hosts *h, const struct net_topology *t, const char *path, uint32_t slots,
                   struct trj_error *err) {
    struct reading r = {.hosts = h, .t = t};
    struct trj_input *in;
    size_t left = NET_HOSTS_MAX;
    int got, rc = 0;
    *h = (struct net_hosts){.count = 0};
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines l = {.in = in};
    r.line = trj_alloc(t->names.count, sizeof *r.line, "hosts", err);
    if (!r.line) rc = -1;
    while (!rc && (got = trj_lines_next(&l, err))) rc = got < 0 ? -1 : read_line(&r, &l, slots, &left, err);
    if (!rc && !h->count)
        rc = trj_fail(err, TRJ_BAD_DATA, "no hosts; to use all hosts of the topology, add --all-hosts");
    if (rc) trj_error_set_place(err, "%s", trj_input_name(in));
    free(r.line);
    trj_input_close(in);
    return rc;
}

int net_all_hosts(struct net_hosts *h, const struct net_topology *t, uint32_t slots, struct trj_error *err) {
    const size_t n = t->names.count;
    *h = (struct net_hosts){.count = n, .ranks = n * slots};
    if (h->ranks > NET_RANKS_MAX)
        return trj_fail(err, TRJ_USAGE, "%zu hosts with %u slots: more than %d ranks; use fewer --slots", n, slots,
                        NET_RANKS_MAX);
    h->host = trj_alloc(n, sizeof *h->host, "hosts", err);
    h->slots = h->host ? trj_alloc(n, sizeof *h->slots, "hosts", err) : NULL;
    for (size_t i = 0; h->slots && i < n; i++) {
        h->host[i] = (uint32_t)i;
        h->slots[i] = slots;
    }
    return h->slots ? 0 : -1;
}

void net_hosts_free(struct net_hosts *h) {
    free(h->host);
    free(h->slots);
    *h = (struct net_hosts){.count = 0};
}
