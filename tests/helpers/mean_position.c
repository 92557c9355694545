// SPDX-License-Identifier: MIT
// Prints the mean position of each group of a frame stream in Å. It is the smallest filter with engines, and tests the
// parts that such filters share: the option macro, the choice of an engine and its fall back, and the input.
#include <stdio.h>
#include <stdlib.h>

#include "engine_choice.h"
#include "memory.h"
#include "stream_input.h"
#include "tool.h"

static struct trj_engine_options engine_options = TRJ_ENGINE_OPTIONS_DEFAULT;
static const struct trj_choice engine_names[] = {
    {"auto", "the first that can run"}, {"cuda", "always busy"}, {"cpu", "one thread"}, {NULL, NULL}};
static const struct trj_option options[] = {TRJ_OPTIONS_ENGINE(&engine_options, engine_names), TRJ_OPTION_END};
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

static int run(const char *path, struct trj_error *err) {
    struct trj_reader *in = NULL;
    struct trj_frame f = {.atoms = 0};
    const struct trj_engine *kind;
    double(*sums)[4] = NULL;
    int got = -1;
    if (trj_engine_check_options(&engine_options, err) || trj_stream_input_open(&in, path, err)) return -1;
    const struct trj_stream_header *h = in->header;
    sums = trj_alloc(h->group_count, sizeof *sums, "sums", err);
    if (!sums || open_engine(&kind, err)) goto out;
    while ((got = trj_stream_input_read(in, &f, err)) > 0)
        for (size_t g = 0; g < h->group_count; g++) engine_of(kind)->add(sums[g], &h->groups[g], &f);
    for (size_t g = 0; !got && g < h->group_count; g++)
        printf("%s\t%.5f\t%.5f\t%.5f\n", h->groups[g].name, sums[g][0] / sums[g][3], sums[g][1] / sums[g][3],
               sums[g][2] / sums[g][3]);
out:
    free(sums);
    trj_frame_free(&f);
    trj_reader_close(in);
    return got;
}

int main(int argc, char **argv) {
    struct trj_error err;
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(first < argc ? argv[first] : "-", &err);
    return rc < 0 ? trj_tool_fail(&err) : fflush(stdout) != 0;
}
