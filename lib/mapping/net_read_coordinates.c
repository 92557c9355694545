// SPDX-License-Identifier: MIT
// Reads tables of hosts with coordinates.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"
#include "net_host_list.h"
#include "net_read.h"
#include "number.h"
#include "table_reader.h"

static const char *const default_names[] = {"x", "y", "z", "u", "v", "w"};

// Takes the names of dimensions from "# host x y z".
static int read_names(struct net_topology *t, char *text, struct trj_error *err) {
    char *word = trj_next_word(&text);
    if (!word || strcmp(word, "host") != 0) return 0;
    for (unsigned k = 0; k < NET_DIMENSIONS_MAX && (word = trj_next_word(&text)); k++) {
        free(t->dimension[k]);
        if (!(t->dimension[k] = trj_copy_text(word, err))) return -1;
    }
    return 0;
}

static const char *dimension_name(const struct net_topology *t, unsigned k) {
    if (t->dimension[k]) return t->dimension[k];
    return k < sizeof default_names / sizeof *default_names ? default_names[k] : "";
}

static int check(const struct net_topology *t, const struct trj_lines *l, unsigned k, const char *word, int64_t value,
                 struct trj_error *err) {
    if (t->length[k] != NET_NO_WRAP && (value < 0 || value >= t->length[k]))
        return trj_lines_fail(l, err,
                              "coordinate %u is %.40s, outside of 0 to %d; correct it, or the length of --torus", k + 1,
                              word, t->length[k] - 1);
    if (value < -NET_COORDINATE_MAX || value > NET_COORDINATE_MAX)
        return trj_lines_fail(l, err, "coordinate %u is %.40s, outside of +-%d; number the positions from 0", k + 1,
                              word, NET_COORDINATE_MAX);
    return 0;
}

static int read_line(struct net_topology *t, const struct trj_lines *l, unsigned lengths, struct trj_error *err) {
    char *rest = l->text, *name = trj_next_word(&rest), *word;
    int32_t at[NET_DIMENSIONS_MAX];
    unsigned count = 0;
    if (!name) return 0;
    if (*name == '#') return t->names.count ? 0 : read_names(t, name[1] ? name + 1 : rest, err);
    if (strlen(name) > NET_NAME_MAX)
        return trj_lines_fail(l, err, "host name of more than %d characters", NET_NAME_MAX);
    if (!net_host_name_is_valid(name))
        return trj_lines_fail(l, err, "invalid host name '%.60s'; use letters, digits, and the characters ._-:@", name);
    while ((word = trj_next_word(&rest))) {
        int64_t value;
        if (count == NET_DIMENSIONS_MAX)
            return trj_lines_fail(l, err, "more than %d coordinates; leave out dimensions of length 1",
                                  NET_DIMENSIONS_MAX);
        const char *end = trj_scan_i64(word, &value);
        if (!end || *end) return trj_lines_fail(l, err, "coordinate %u is no integer: '%.40s'", count + 1, word);
        if (check(t, l, count, word, value, err)) return -1;
        at[count++] = (int32_t)value;
    }
    if (!count) return trj_lines_fail(l, err, "host %.60s has no coordinates; expected: HOST X Y ...", name);
    if (!t->names.count) t->dimensions = count;
    if (lengths && count != lengths)
        return trj_lines_fail(l, err, "host %.60s has %u coordinates, but --torus gives %u lengths", name, count,
                              lengths);
    if (count != t->dimensions)
        return trj_lines_fail(l, err, "host %.60s has %u coordinates, but the hosts before have %u", name, count,
                              t->dimensions);
    const int rc = net_topology_add(t, name, at, err);
    if (rc < 0) return trj_fail_at(err, "line %" PRIu64, l->number);
    return rc ? trj_lines_fail(l, err, "host %.60s occurs twice; remove one of the lines", name) : 0;
}

int net_read_coordinates(struct net_topology *t, const char *path, const int32_t *length, unsigned lengths,
                         struct trj_error *err) {
    struct trj_input *in;
    int got, rc = 0;
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines l = {.in = in};
    t->kind = NET_LATTICE;
    for (unsigned k = 0; k < lengths; k++) t->length[k] = length[k];
    while (!rc && (got = trj_table_next_line(&l, err))) rc = got < 0 ? -1 : read_line(t, &l, lengths, err);
    if (!rc && !t->names.count) rc = trj_fail(err, TRJ_BAD_DATA, "no hosts; expected lines: HOST X Y ...");
    if (rc) trj_error_set_place(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return rc;
}

int net_make_mesh(struct net_topology *t, const char *list, struct trj_error *err) {
    while (*list) {
        const size_t length = strcspn(list, ",");
        unsigned k = 0;
        while (k < t->dimensions &&
               (strlen(dimension_name(t, k)) != length || strncmp(dimension_name(t, k), list, length) != 0))
            k++;
        if (k == t->dimensions) {
            uint64_t number;
            char digits[8] = "";
            if (length < sizeof digits) memcpy(digits, list, length);
            if (!trj_parse_u64(digits, &number) || !number || number > t->dimensions)
                return trj_fail(
                    err, TRJ_USAGE,
                    "--mesh: unknown dimension '%.*s'; use the names in the line '# host x y z', or numbers "
                    "from 1 to %u",
                    (int)(length < 40 ? length : 40), list, t->dimensions);
            k = (unsigned)number - 1;
        }
        t->length[k] = NET_NO_WRAP;
        list += length + (list[length] == ',');
    }
    return 0;
}
