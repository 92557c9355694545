// SPDX-License-Identifier: MIT
// Reads and writes maps of ranks and domains to hosts.
#include "net_map_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"
#include "net_domains.h"
#include "number.h"
#include "table_reader.h"

void net_map_free(struct net_map *m) {
    free(m->host);
    free(m->part);
    free(m->number);
    free(m->slot);
    *m = (struct net_map){.count = 0};
}

// ---- reading

struct row {
    uint64_t key; // part and rank, or domain
    uint32_t host, number;
    uint64_t line;
};

struct rows {
    struct row *row;
    size_t count, capacity;
    bool named, domains; // the names of the columns were read; they are those of domains
};

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int read_number(const struct trj_lines *l, const char *word, const char *what, uint64_t *value,
                       struct trj_error *err) {
    if (trj_parse_u64(word, value) && *value < NET_RANKS_MAX) return 0;
    return trj_lines_fail(l, err, "%s is '%.40s'; expected an integer from 0 to %d", what, word, NET_RANKS_MAX - 1);
}

static void read_names(struct rows *r, const char *line) {
    static const char parts[] = "# host\tpart\trank", domains[] = "# x\ty\tz\thost\trank";
    const bool of_parts = !strncmp(line, parts, sizeof parts - 1), of_domains = !strcmp(line, domains);
    if (!of_parts && !of_domains) return;
    r->named = true;
    r->domains = of_domains;
}

static int read_row(struct rows *r, struct net_map *m, const struct net_topology *t, const struct trj_lines *l,
                    struct trj_error *err) {
    static const char *const parts[] = {NULL, "part", "rank"}, *const domains[] = {"x", "y", "z", NULL, "rank"};
    const char *const *names = r->domains ? domains : parts;
    char *rest = l->text, *word;
    uint64_t value[5] = {0};
    struct row row = {.line = l->number};
    for (unsigned k = 0; k < (r->domains ? 5 : 3); k++) {
        if (!(word = trj_next_word(&rest)))
            return trj_lines_fail(l, err, "%u fields, expected %s", k,
                                  r->domains ? "X Y Z HOST RANK" : "HOST PART RANK");
        if (names[k]) {
            if (read_number(l, word, names[k], &value[k], err)) return -1;
        } else if (!trj_text_index_find(&t->index, word, strlen(word), &row.host)) {
            return trj_lines_fail(l, err, "host %.60s is not in the topology; use that of the map", word);
        }
    }
    row.number = (uint32_t)value[r->domains ? 4 : 2];
    row.key = r->domains ? (value[0] << 40) | (value[1] << 20) | value[2] : value[1] << 32 | value[2];
    for (int k = 0; k < 3 && r->domains; k++) {
        if (value[k] >= 1 << 20) return trj_lines_fail(l, err, "%s is more than %d", names[k], (1 << 20) - 1);
        if (value[k] >= m->n[k]) m->n[k] = (uint32_t)value[k] + 1;
    }
    if (r->count == NET_RANKS_MAX) return trj_lines_fail(l, err, "more than %d ranks", NET_RANKS_MAX);
    if (trj_grow(&r->row, &r->capacity, r->count + 1, sizeof *r->row, "the map", err)) return -1;
    r->row[r->count++] = row;
    return 0;
}

static int read_rows(struct rows *r, struct net_map *m, const struct net_topology *t, struct trj_lines *l,
                     struct trj_error *err) {
    int got;
    while ((got = trj_table_next_line(l, err)) > 0) {
        if (*l->text == '#') read_names(r, l->text);
        if (*l->text == '#' || !*l->text) continue;
        if (!r->named)
            return trj_lines_fail(l, err,
                                  "no names of columns before the first row; expected a table of trjmap, with the "
                                  "line '# host part rank' or '# x y z host rank', and tabs between the names");
        if (read_row(r, m, t, l, err)) return -1;
    }
    if (got < 0) return -1;
    return r->count ? 0 : trj_fail(err, TRJ_BAD_DATA, "no rows; expected a table of trjmap");
}

// Checks that all ranks and domains occur once.
static int check(const struct rows *r, const struct net_map *m, struct trj_error *err) {
    const uint64_t n[3] = {m->n[0], m->n[1], m->n[2]};
    for (size_t i = 0; i < r->count; i++) {
        const struct row *row = &r->row[i];
        if (i && row->key == row[-1].key)
            return trj_fail(err, TRJ_BAD_DATA, "line %" PRIu64 ": %s is also in line %" PRIu64 "; remove one of them",
                            row->line, m->domains ? "the domain" : "the rank of this part", row[-1].line);
        if (m->domains) continue;
        const uint64_t expected = !i                                    ? 0
                                  : row->key >> 32 == row[-1].key >> 32 ? row[-1].key + 1
                                                                        : ((row[-1].key >> 32) + 1) << 32;
        if (row->key != expected)
            return trj_fail(err, TRJ_BAD_DATA,
                            "line %" PRIu64 ": part %" PRIu64 ", rank %" PRIu64 " follows after a gap: part %" PRIu64
                            ", rank %" PRIu64 " is missing",
                            row->line, row->key >> 32, row->key & UINT32_MAX, expected >> 32, expected & UINT32_MAX);
    }
    if (m->domains && (n[0] * n[1] > r->count || n[0] * n[1] * n[2] != r->count))
        return trj_fail(err, TRJ_BAD_DATA, "%zu domains, expected %ux%ux%u; write the map again", r->count, m->n[0],
                        m->n[1], m->n[2]);
    return 0;
}

int net_map_read(struct net_map *m, const struct net_topology *t, const char *path, struct trj_error *err) {
    struct rows r = {.row = NULL};
    struct trj_input *in;
    *m = (struct net_map){.count = 0};
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines l = {.in = in};
    int rc = read_rows(&r, m, t, &l, err);
    if (!rc) {
        m->domains = r.domains;
        m->count = r.count;
        if (r.count) qsort(r.row, r.count, sizeof *r.row, compare_rows);
        rc = check(&r, m, err);
    }
    if (rc) trj_error_set_place(err, "%s", trj_input_name(in));
    if (!rc) {
        m->host = trj_alloc(r.count, sizeof *m->host, "the map", err);
        m->part = m->host ? trj_alloc(r.count, sizeof *m->part, "the map", err) : NULL;
        m->number = m->part ? trj_alloc(r.count, sizeof *m->number, "the map", err) : NULL;
        if (!m->number) rc = -1;
    }
    for (size_t i = 0; !rc && i < r.count; i++) {
        m->host[i] = r.row[i].host;
        m->part[i] = m->domains ? 0 : (uint32_t)(r.row[i].key >> 32);
        m->number[i] = r.row[i].number;
    }
    free(r.row);
    trj_input_close(in);
    return rc;
}

// ---- writing

int net_map_write_table(const struct net_map *m, const struct net_topology *t, struct trj_table *table) {
    static const struct trj_table_column parts[] = {{"host", "name of the host", NULL},
                                                    {"part", "number of the part", NULL},
                                                    {"rank", "rank in the part", NULL},
                                                    {"slot", "number of the rank on its host", NULL}};
    static const struct trj_table_column domains[] = {{"x", "position of the domain", NULL},
                                                      {"y", NULL, NULL},
                                                      {"z", NULL, NULL},
                                                      {"host", "name of the host", NULL},
                                                      {"rank", "rank that has the domain", NULL}};
    if (trj_table_columns(table, m->domains ? domains : parts, m->domains ? 5 : 4)) return -1;
    for (size_t i = 0; i < m->count; i++) {
        if (m->domains) {
            trj_table_count(table, i / m->n[2] / m->n[1]);
            trj_table_count(table, i / m->n[2] % m->n[1]);
            trj_table_count(table, i % m->n[2]);
        }
        trj_table_text(table, "%s", t->names.text[m->host[i]]);
        if (!m->domains) trj_table_count(table, m->part[i]);
        trj_table_count(table, m->number[i]);
        if (!m->domains) trj_table_count(table, m->slot[i]);
        if (trj_table_end_row(table)) return -1;
    }
    return 0;
}

// Writes a line for each part: its hosts, each once in the order of their first rank.
static int write_hosts(const struct net_map *m, const struct net_topology *t, struct trj_output *out,
                       struct trj_error *err) {
    uint32_t *last = trj_alloc(t->names.count, sizeof *last, "hosts", err); // part of a host + 1, if it was written
    int rc = last ? 0 : -1;
    for (size_t i = 0; !rc && i < m->count; i++) {
        const bool first = !i || m->part[i] != m->part[i - 1];
        if (first && i) rc = trj_output_print(out, err, "\n");
        if (rc || last[m->host[i]] == m->part[i] + 1) continue;
        last[m->host[i]] = m->part[i] + 1;
        rc = trj_output_print(out, err, "%s%s", first ? "" : ",", t->names.text[m->host[i]]);
    }
    free(last);
    return rc ? -1 : trj_output_print(out, err, "\n");
}

int net_map_write(const struct net_map *m, const struct net_topology *t, const char *format, struct trj_output *out,
                  struct trj_error *err) {
    const bool rankfile = !strcmp(format, "openmpi-rankfile"), charm = !strcmp(format, "charm");
    if (!strcmp(format, "hosts")) return write_hosts(m, t, out, err);
    if (charm && trj_output_print(out, err, "group main\n")) return -1;
    for (size_t i = 0; i < m->count; i++) {
        const char *name = t->names.text[m->host[i]];
        int rc;
        if (rankfile)
            rc = trj_output_print(out, err, "rank %zu=%s slot=%" PRIu32 "\n", i, name, m->slot[i]);
        else
            rc = trj_output_print(out, err, charm ? "host %s\n" : "%s\n", name);
        if (rc) return -1;
    }
    return 0;
}
