// SPDX-License-Identifier: MIT
// copy_map IN OUT [ORIGIN]: copies maps from a format to another one, slab by slab, prints the lattice and the
// statistics of the first map, and prints notes on standard error. ORIGIN is auto, nstart, origin or sum.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_format.h"
#include "map_statistics.h"
#include "memory.h"

static struct trj_error err;

static int fail(const char *path) {
    fprintf(stderr, "copy_map: %s: %s\n", path, err.text);
    return (int)err.status;
}

static void print(const struct trj_map *m, const struct trj_map_summary *s) {
    const struct trj_map_lattice *l = &m->lattice;
    printf("points %llu %llu %llu\n", (unsigned long long)l->n[0], (unsigned long long)l->n[1],
           (unsigned long long)l->n[2]);
    printf("origin %.17g %.17g %.17g\n", l->origin[0], l->origin[1], l->origin[2]);
    for (int k = 0; k < 3; k++) printf("step %.17g %.17g %.17g\n", l->step[k][0], l->step[k][1], l->step[k][2]);
    printf("components %u\nkind %d\n", m->components, (int)m->kind);
    printf("min %.17g\nmax %.17g\nmean %.17g\nsigma %.17g\n", s->min, s->max, s->mean, s->sigma);
    printf("min_at %llu\nmax_at %llu\n", (unsigned long long)s->min_at, (unsigned long long)s->max_at);
}

static void print_notes(const struct trj_map_notes *notes) {
    for (size_t i = 0; i < notes->count; i++) fprintf(stderr, "copy_map: note: %s\n", notes->text[i]);
}

static int copy(struct trj_map_reader *r, struct trj_map_writer *w) {
    uint64_t most = trj_map_slab_planes(&r->map), all = r->map.lattice.n[2];
    unsigned char *slab = trj_alloc(most, trj_map_plane_size(&r->map), "a slab", &err);
    struct trj_map_statistics *s = slab ? trj_map_statistics_open(&r->map, &err) : NULL;
    int rc = s ? 0 : -1;
    while (!rc && (rc = trj_map_reader_next(r, &err)) > 0) {
        rc = trj_map_writer_begin(w, &r->record, &err);
        for (uint64_t z = 0, some; !rc && z < all; z += some) {
            some = all - z < most ? all - z : most;
            rc = trj_map_reader_read(r, slab, some, &err) || trj_map_writer_write(w, slab, some, &err) ? -1 : 0;
            if (!rc && r->maps == 1) trj_map_statistics_add(s, slab, some * trj_map_plane_values(&r->map));
        }
    }
    if (!rc) rc = trj_map_writer_finish(w, &err);
    if (!rc) {
        struct trj_map_summary summary = trj_map_statistics_summary(s);
        print(&r->map, &summary);
    }
    trj_map_statistics_close(s);
    free(slab);
    return rc;
}

int main(int argc, char **argv) {
    static const char *const origins[] = {"auto", "nstart", "origin", "sum"};
    struct trj_map_reader_setup setup = {.format = NULL};
    const struct trj_map_format *format;
    struct trj_input *in;
    struct trj_map_reader *r = NULL;
    struct trj_map_writer *w = NULL;
    struct trj_output *out = NULL;
    if (argc < 3) return TRJ_USAGE;
    for (int k = 0; argc > 3 && k < 4; k++)
        if (!strcmp(argv[3], origins[k])) setup.origin = (enum trj_map_origin)k;
    if (trj_input_open(&in, argv[1], &err) || trj_map_reader_open(&r, in, &setup, &err)) return fail(argv[1]);
    struct trj_map_writer_setup to = {.origin = r->origin, .level = 3, .threads = 2, .path = argv[2]};
    int rc = trj_map_format_choose(&format, NULL, argv[2], &err) ||
             trj_output_open(&out, argv[2], format->kind, &err) ||
             trj_map_writer_open(&w, format, out, &r->map, &to, &err) || copy(r, w) || trj_output_commit(out, &err);
    print_notes(&r->notes);
    if (w) print_notes(&w->notes);
    if (rc) rc = fail(argv[1]);
    trj_map_writer_close(w);
    trj_output_close(out);
    trj_map_reader_close(r);
    return rc;
}
