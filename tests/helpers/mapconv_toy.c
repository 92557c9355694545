// SPDX-License-Identifier: MIT
// Adds a format of maps outside of the library: the tool mapconv with the formats trjg, dx and toy. It tests that a
// format is one struct and its registration, and that options, help and messages follow. A toy file contains the line
// "toy NX NY NZ" and then one value on each line; the origin is 0, and the steps are 1 Å.
#include <stdlib.h>
#include <string.h>

#include "map_format_parts.h"
#include "number.h"

// The filter finds the list of formats below instead of lib/grid/map_formats.c, which is linked only if it is missing.
#include "../../filters/mapconv.c" // NOLINT(bugprone-suspicious-include)

static bool is_toy(const unsigned char *head, size_t n, const struct trj_input *in) {
    (void)in;
    return n > 4 && !memcmp(head, "toy ", 4);
}

static int open_toy(struct trj_map_reader *r, struct trj_error *err) {
    struct trj_map_lattice *l = &r->map.lattice;
    char *line, *word;
    size_t length;
    if (trj_input_line(r->in, &line, &length, err) <= 0) return -1;
    word = line + 4;
    for (int k = 0; k < 3; k++) {
        l->n[k] = strtoull(word, &word, 10);
        l->step[k][k] = 1;
    }
    r->map.kind = TRJ_MAP_FLOAT64;
    return 0;
}

static int read_toy(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    double *to = values;
    char *line;
    size_t length;
    for (uint64_t i = 0; i < planes * trj_map_plane_values(&r->map); i++)
        if (trj_input_line(r->in, &line, &length, err) <= 0 || !trj_parse_real(line, &to[i]))
            return trj_fail(err, TRJ_BAD_DATA, "value %llu: expected a number", (unsigned long long)i);
    return 0;
}

static int create_toy(struct trj_map_writer *w, struct trj_error *err) {
    const uint64_t *n = w->map->lattice.n;
    return trj_output_print(w->out, err, "toy %llu %llu %llu\n", (unsigned long long)n[0], (unsigned long long)n[1],
                            (unsigned long long)n[2]);
}

static int write_toy(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    uint64_t n = trj_map_plane_values(w->map);
    int rc = 0;
    for (uint64_t k = 0; k < planes; k++)
        for (uint64_t i = 0; !rc && i < n; i++) {
            double v;
            trj_map_to_real(
                w->map, (const char *)values + k * trj_map_plane_size(w->map) + i * trj_map_point_size(w->map), 1, &v);
            rc = trj_output_print(w->out, err, "%.17g\n", v);
        }
    return rc;
}

static const struct trj_map_format toy = {
    .name = "toy",
    .title = "toy",
    .help = "numbers, for a test",
    .endings = {".toy"},
    .kind = TRJ_OUTPUT_TEXT,
    .order = {{0, 1, 2}},
    .reader_state = 1,
    .writer_state = 1,
    .is = is_toy,
    .open = open_toy,
    .read = read_toy,
    .create = create_toy,
    .write = write_toy,
};

const struct trj_map_format *const trj_map_formats[] = {&trj_map_trjg, &trj_map_dx, &toy, NULL};
