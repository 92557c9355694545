// SPDX-License-Identifier: MIT
// Prints the number of members of each group in each frame of a frame stream. It is the smallest filter that prints a
// table, and tests the parts that such filters share: the main function, the provenance, and the writer of tables.
#include "output.h"
#include "stream_input.h"
#include "table_writer.h"
#include "tool.h"

static const char *output_path;
static const struct trj_option options[] = {TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
                                            TRJ_OPTION_DIGEST, TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "group_sizes",
                                     .purpose = "Prints the number of members of each group in each frame.",
                                     .operands = "[FILE]",
                                     .max_operands = 1,
                                     .options = options};

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    struct trj_output *out;
};

static int print_head(struct trj_table *t, const struct trj_stream_header *h) {
    trj_table_provenance(t, h->provenance, h->provenance_count);
    trj_table_provenance(t, trj_tool_provenance(t->err), SIZE_MAX);
    trj_table_comment(t, "columns: number of the frame; time in ps; for each group: its members");
    trj_table_name(t, "frame");
    trj_table_name(t, "time");
    for (size_t g = 0; g < h->group_count; g++) trj_table_name(t, "members(%s)", h->groups[g].name);
    return trj_table_end_row(t);
}

static int print_frame(struct trj_table *t, const struct trj_stream_header *h, const struct trj_frame *f) {
    trj_table_count(t, f->index);
    trj_table_real(t, 10, f->time);
    for (size_t g = 0; g < h->group_count; g++) {
        uint64_t members = 0;
        for (size_t i = 0; i < h->groups[g].count; i++) members += trj_group_has(&h->groups[g], f, i);
        trj_table_count(t, members);
    }
    return trj_table_end_row(t);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    int got;
    if (!trj_tool_provenance(err) || trj_stream_input_open(&r->in, count ? *operands : "-", err) ||
        trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err))
        return -1;
    struct trj_table t = {.out = r->out, .err = err};
    if (print_head(&t, r->in->header)) return -1;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0)
        if (print_frame(&t, r->in->header, &r->frame)) return -1;
    return got < 0 ? -1 : trj_output_commit(r->out, err);
}

static void close_all(void *state) {
    struct run *r = state;
    trj_output_close(r->out);
    trj_frame_free(&r->frame);
    trj_reader_close(r->in);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
