// SPDX-License-Identifier: MIT
// mkgrid KIND[:N] SOURCE FIRST RECORD...: writes a grid stream with a record for each RECORD, which is FRAMES or
// FRAMESxWEIGHT, to standard output. KIND is counts, quanta, float32 or huge (quanta near 2^62). There are 5 x 4 x 3
// points, or N x N x N. SOURCE is the number of the source. Frames are counted from FIRST. In frame f, the value at
// point p is h(f, p) below, times the weight for quanta; tests/helpers/grids.py computes the same values.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid_stream.h"
#include "memory.h"
#include "number.h"

static struct trj_error err;

static int fail(void) {
    fprintf(stderr, "mkgrid: %s\n", err.text);
    return 1;
}

// Returns an integer from 0 to 999.
static uint64_t h(uint64_t frame, uint64_t point) {
    return (frame * 40503 + point * point * 31 + point * 2654435761u) % 4294967291u % 1000;
}

static int write_record(struct trj_grid_writer *w, const struct trj_map *m, const char *kind, uint64_t first,
                        uint64_t frames, double weight) {
    struct trj_grid_record r = {.frames = 0};
    uint64_t points = trj_map_lattice_points(&m->lattice);
    uint64_t *values = trj_alloc(points, sizeof *values, "values", &err);
    if (!values) return -1;
    int rc = 0;
    for (uint64_t f = first; !rc && f < first + frames; f++) {
        rc = trj_grid_record_add_frame(&r, 0, f, weight, &err);
        for (uint64_t p = 0; p < points; p++)
            if (!strcmp(kind, "counts"))
                values[p] += h(f, p);
            else if (!strcmp(kind, "quanta"))
                values[p] += (uint64_t)((int64_t)(weight * 1024 * ((double)h(f, p) - 500)));
            else
                values[p] = (UINT64_C(1) << 62) + h(f, p);
    }
    for (uint64_t p = 0; m->kind == TRJ_MAP_FLOAT32 && p < points; p++)
        ((float *)(void *)values)[p] = (float)h(first, p);
    if (!rc)
        rc = trj_grid_write_record(w, &r, &err) || trj_grid_write_planes(w, values, m->lattice.n[2], &err) ? -1 : 0;
    trj_grid_record_free(&r);
    free(values);
    return rc;
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    char *edge = strchr(argv[1], ':');
    if (edge) *edge++ = '\0';
    bool counts = !strcmp(argv[1], "counts"), single = !strcmp(argv[1], "float32");
    char quantity[] = "number density", unit[] = "A^-3", name[] = "source.dcd";
    struct trj_map m = {
        .lattice = {.n = {5, 4, 3}, .origin = {1, 2, 3}, .step = {{0.5, 0, 0}, {0, 1, 0}, {0, 0, 2}}, .periodic = 7},
        .quantity = quantity,
        .unit = unit,
        .kind = counts   ? TRJ_MAP_COUNTS
                : single ? TRJ_MAP_FLOAT32
                         : TRJ_MAP_QUANTA,
        .meaning = TRJ_MAP_MEANS,
        .components = 1,
        .quantum = counts || single ? 0 : 0x1p-10};
    for (int k = 0; edge && k < 3; k++) m.lattice.n[k] = strtoull(edge, NULL, 10);
    uint64_t number = 0, first = 0;
    if (!trj_parse_u64(argv[2], &number) || !trj_parse_u64(argv[3], &first)) return 2;
    struct trj_source source = {name, number};
    struct trj_stream_header origin = {.source_count = 1, .sources = &source};
    struct trj_output *out;
    struct trj_grid_writer *w;
    if (trj_output_open(&out, NULL, TRJ_OUTPUT_BINARY, &err) || trj_grid_writer_open(&w, out, &m, &origin, 0, 1, &err))
        return fail();
    for (int i = 4; i < argc; i++) {
        char *end;
        uint64_t frames = strtoull(argv[i], &end, 10);
        double weight = *end == 'x' ? strtod(end + 1, NULL) : 1;
        if (write_record(w, &m, argv[1], first, frames, weight)) return fail();
        first += frames;
    }
    if (trj_grid_writer_finish(w, &err) || trj_output_commit(out, &err)) return fail();
    trj_grid_writer_close(w);
    trj_output_close(out);
    return 0;
}
