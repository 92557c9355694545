// SPDX-License-Identifier: MIT
// Prints the mean position of each group of a frame stream in Å. It is the smallest filter with engines, and tests the
// parts that such filters share: the option macro, the choice of an engine and its fall back, and the input.
#include <stdlib.h>

#include "engine_choice.h"
#include "memory.h"
#include "output.h"
#include "stream_input.h"
#include "tool.h"

static struct trj_engine_options engine_options = TRJ_ENGINE_OPTIONS_DEFAULT;
static const struct trj_choice engine_names[] = {
    {"auto", "the first that can run"}, {"cuda", "always busy"}, {"cpu", "one thread"}, {NULL, NULL}};
static const struct trj_option options[] = {
    {.table = trj_engine_option_table, .value = &engine_options, .choices = engine_names}, TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "mean_position",
                                     .purpose = "Prints the mean position of each group of a frame stream.",
                                     .operands = "[FILE]",
                                     .max_operands = 1,
                                     .options = options};

struct mean_engine {
    struct trj_engine kind;
    int (*open)(struct trj_error *err);
    void (*add)(double sum[4], const struct trj_group *g, const struct trj_frame *f); // x, y, z, atoms
};

static int succeed(struct trj_error *err) {
    (void)err;
    return 0;
}

static int fail_busy(struct trj_error *err) {
    return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: the GPU is busy; use -e cpu");
}

static void add(double sum[4], const struct trj_group *g, const struct trj_frame *f) {
    for (size_t i = 0; i < g->count; i++) {
        if (!trj_group_has(g, f, i)) continue;
        for (int k = 0; k < 3; k++) sum[k] += f->x[k][g->atoms[i]] * f->unit;
        sum[3]++;
    }
}

static const struct mean_engine busy = {{.name = "cuda", .workers = "GPUs"}, fail_busy, add},
                                cpu = {{.name = "cpu", .workers = "threads"}, succeed, add};
static const struct trj_engine *const engines[] = {&busy.kind, &cpu.kind, NULL};

static const struct mean_engine *engine_of(const struct trj_engine *kind) {
    return (const struct mean_engine *)(const void *)kind;
}

static int open_engine(const struct trj_engine **kind, struct trj_error *err) {
    char text[TRJ_ENGINE_TEXT];
    if (trj_engine_find(kind, engines, engine_options.engine, err)) return -1;
    while (engine_of(*kind)->open(err)) {
        if (!trj_engine_fall_back(kind, engines, engine_options.engine, err)) return -1;
        trj_tool_message("note: %s", err->text);
    }
    trj_engine_describe(text, *kind, 1);
    if (trj_engine_is_auto(&engine_options) || engine_options.stats) trj_tool_message("%s", text);
    return 0;
}

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    double (*sums)[4]; // [groups]
    struct trj_output *out;
};

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    const struct trj_engine *kind;
    int got;
    if (trj_engine_check_options(&engine_options, err) || trj_stream_input_open(&r->in, count ? *operands : "-", err) ||
        trj_output_open(&r->out, NULL, TRJ_OUTPUT_TEXT, err))
        return -1;
    const struct trj_stream_header *h = r->in->header;
    r->sums = trj_alloc(h->group_count, sizeof *r->sums, "sums", err);
    if (!r->sums || open_engine(&kind, err)) return -1;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0)
        for (size_t g = 0; g < h->group_count; g++) engine_of(kind)->add(r->sums[g], &h->groups[g], &r->frame);
    for (size_t g = 0; !got && g < h->group_count; g++) {
        const double *s = r->sums[g];
        got = trj_output_print(r->out, err, "%s\t%.5f\t%.5f\t%.5f\n", h->groups[g].name, s[0] / s[3], s[1] / s[3],
                               s[2] / s[3]);
    }
    return got ? -1 : trj_output_commit(r->out, err);
}

static void close_all(void *state) {
    struct run *r = state;
    free(r->sums);
    trj_frame_free(&r->frame);
    trj_output_close(r->out);
    trj_reader_close(r->in);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
