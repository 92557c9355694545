// SPDX-License-Identifier: MIT
// Prints the exact contents of a trajectory or a frame stream: `trjdump < x.trjf`. The velocities and image flags of a
// stream follow the coordinates of the frame.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frame_stream.h"
#include "reader.h"
#include "tool.h"

static const struct trj_option options[] = {TRJ_OPTION_END};
static const struct trj_tool tool = {
    .name = "trjdump", .purpose = "print a trajectory", .operands = "", .options = options};

static void print_header(const struct trj_stream_header *h) {
    printf("atoms %zu of %zu\n", h->atoms, h->source_atoms);
    if (h->centres) printf("centres %zu\n", h->centres);
    for (size_t i = 0; i < h->group_count; i++) {
        printf("group %s%s", h->groups[i].name, h->groups[i].dynamic ? " changes" : "");
        for (size_t k = 0; k < h->groups[i].count; k++) printf(" %" PRIu32, h->groups[i].atoms[k]);
        putchar('\n');
    }
    for (size_t i = 0; i < h->provenance_count; i++) printf("provenance %s\n", h->provenance[i]);
}

static void print_members(const struct trj_stream_header *h, const struct trj_frame *f) {
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        if (!g->dynamic) continue;
        printf("in %s", g->name);
        for (size_t k = 0; k < g->count; k++)
            if (trj_group_has(g, f, k)) printf(" %" PRIu32, g->atoms[k]);
        putchar('\n');
    }
}

static void print_motion(const struct trj_motion *m, size_t atoms) {
    if (trj_motion_has(m) & TRJ_HAS_VELOCITY) printf("velocities unit %.17g\n", m->unit);
    for (size_t i = 0; trj_motion_has(m) & TRJ_HAS_VELOCITY && i < atoms; i++) {
        uint32_t bits[3];
        for (int k = 0; k < 3; k++) memcpy(&bits[k], &m->velocity[k][i], sizeof bits[k]);
        printf("%08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n", bits[0], bits[1], bits[2]);
    }
    if (trj_motion_has(m) & TRJ_HAS_IMAGE) puts("images");
    for (size_t i = 0; trj_motion_has(m) & TRJ_HAS_IMAGE && i < atoms; i++)
        printf("%" PRId32 " %" PRId32 " %" PRId32 "\n", m->image[0][i], m->image[1][i], m->image[2][i]);
}

static int open_reader(struct trj_reader **r, struct trj_error *err) {
    struct trj_input *in;
    if (trj_input_open(&in, "-", err)) return -1;
    bool stream = trj_format_of(in, err) == &trj_format_stream;
    return trj_reader_open_comparing(r, in, NULL, 0, stream ? TRJ_READ_VELOCITY | TRJ_READ_IMAGE : 0, err);
}

static void print_frame(const struct trj_reader *r, const struct trj_frame *f) {
    printf("frame %" PRIu64 " of %s step %" PRId64 " time %.17g unit %g periodic %u cell", f->index,
           r->header ? r->header->sources[f->source].name : "file", f->step, f->time, f->unit, f->cell.periodic);
    for (int i = 0; i < 9; i++) printf(" %.17g", f->cell.h[i / 3][i % 3]);
    putchar('\n');
    for (size_t i = 0; i < f->atoms; i++) {
        uint32_t bits[3];
        for (int k = 0; k < 3; k++) memcpy(&bits[k], &f->x[k][i], sizeof bits[k]);
        printf("%08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n", bits[0], bits[1], bits[2]);
    }
    print_motion(f->motion, f->atoms);
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    if (rc > 0) rc = open_reader(&r, &err);
    if (!rc && r->header) print_header(r->header);
    while (!rc && (rc = trj_reader_read(r, &f, &err)) > 0) {
        print_frame(r, &f);
        if (r->header) print_members(r->header, &f);
        rc = 0;
    }
    trj_reader_close(r);
    trj_frame_free(&f);
    return rc < 0 ? trj_tool_fail(&err) : fflush(stdout) != 0;
}
