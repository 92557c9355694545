// SPDX-License-Identifier: MIT
// Draws the graph of a plan. Given files are in the first column; a run is in the column after the last of its sources.
// Within a column, nodes are sorted by the mean height of their sources, so that few lines cross.
#include "graph_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { LETTER = 8, LINE = 18, PAD = 10, GAP_X = 60, GAP_Y = 18, LINES = 6 }; // pixels; LINES is a number

struct node {
    const char *lines[LINES]; // the first line is bold; NULL: no line
    const char *title;        // tooltip
    const struct trj_stage_run *run;
    size_t column;
    double source_height; // mean of its sources
    int x, y, width, height;
};

struct drawing {
    const struct trj_plan *plan;
    size_t count, files; // of all nodes; of the files, which are the first nodes
    struct node *nodes;
    struct node **order; // sorted by column, then from top to bottom
    int width, height;
};

__attribute__((format(printf, 2, 3))) static void put(struct trj_bytes *b, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trj_put_raw(b, text, strlen(text));
}

static void put_text(struct trj_bytes *b, const char *text) {
    for (; *text; text++) {
        const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        trj_put_raw(b, as ? as : text, as ? strlen(as) : 1);
    }
}

static struct node *file_node(struct drawing *d, const char *path) {
    for (size_t i = 0; i < d->files; i++)
        if (!strcmp(d->nodes[i].lines[0], path)) return &d->nodes[i];
    d->nodes[d->files] = (struct node){.lines = {path}, .title = path};
    return &d->nodes[d->files++];
}

static struct node *run_node(const struct drawing *d, size_t run) {
    return &d->nodes[d->files + run];
}

static void measure(struct node *n) {
    int lines = 0;
    size_t longest = 0;
    for (; lines < LINES && n->lines[lines]; lines++)
        if (strlen(n->lines[lines]) > longest) longest = strlen(n->lines[lines]);
    n->width = (int)longest * LETTER + 2 * PAD;
    n->height = lines * LINE + PAD;
}

static int make_nodes(struct drawing *d, struct trj_error *err) {
    const struct trj_plan *plan = d->plan;
    size_t capacity = plan->run_count;
    for (size_t i = 0; i < plan->run_count; i++) capacity += plan->runs[i].inputs.count;
    d->nodes = trj_alloc(capacity, sizeof *d->nodes, "a figure", err);
    d->order = d->nodes ? trj_alloc(capacity, sizeof(struct node *), "a figure", err) : NULL;
    if (!d->order) return -1;
    for (size_t i = 0; i < plan->run_count; i++)
        for (size_t k = 0; k < plan->runs[i].inputs.count; k++)
            if (trj_plan_input_is_given(plan, &plan->runs[i], k)) file_node(d, plan->runs[i].inputs.texts[k]);
    d->count = d->files + plan->run_count;
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        struct node *n = run_node(d, i);
        *n = (struct node){.lines = {run->name, run->tool->name}, .title = run->command, .run = run, .column = 1};
        for (size_t k = 0; k < run->output_count && k + 2 < LINES; k++) n->lines[k + 2] = run->outputs[k].path;
        for (size_t k = 0; k < run->source_count; k++) {
            size_t after = run_node(d, run->sources[k])->column + 1;
            if (after > n->column) n->column = after;
        }
    }
    for (size_t i = 0; i < d->count; i++) measure(&d->nodes[i]);
    return 0;
}

static int compare(const void *a, const void *b) {
    const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;
    if (x->source_height != y->source_height) return x->source_height < y->source_height ? -1 : 1;
    return x < y ? -1 : x > y;
}

// Sets the mean height of the node's sources. Nodes in the columns to the left must have been placed.
static void set_source_height(struct drawing *d, struct node *n) {
    double sum = 0;
    size_t count = 0;
    for (size_t k = 0; n->run && k < n->run->inputs.count; k++) {
        if (!trj_plan_input_is_given(d->plan, n->run, k)) continue;
        const struct node *from = file_node(d, n->run->inputs.texts[k]);
        sum += from->y + from->height / 2.0;
        count++;
    }
    for (size_t k = 0; n->run && k < n->run->source_count; k++) {
        const struct node *from = run_node(d, n->run->sources[k]);
        sum += from->y + from->height / 2.0;
        count++;
    }
    n->source_height = count ? sum / (double)count : 0;
}

static void place(struct drawing *d) {
    int x = GAP_Y;
    size_t placed = 0;
    for (size_t column = 0; placed < d->count; column++) {
        size_t n = 0;
        int y = GAP_Y, width = 0;
        for (size_t i = 0; i < d->count; i++)
            if (d->nodes[i].column == column) {
                set_source_height(d, &d->nodes[i]);
                d->order[placed + n++] = &d->nodes[i];
            }
        qsort(d->order + placed, n, sizeof *d->order, compare);
        for (size_t i = 0; i < n; i++) {
            struct node *node = d->order[placed + i];
            int middle = (int)node->source_height - node->height / 2; // y is the end of the node above
            node->x = x;
            node->y = middle > y ? middle : y;
            y = node->y + node->height + GAP_Y;
            if (node->width > width) width = node->width;
        }
        if (y > d->height) d->height = y;
        if (n) x += width + GAP_X;
        placed += n;
    }
    d->width = x - GAP_X + GAP_Y;
}

static void put_arrow(struct trj_bytes *b, const struct node *from, const struct node *to, bool stream) {
    int x0 = from->x + from->width, y0 = from->y + from->height / 2, x1 = to->x, y1 = to->y + to->height / 2;
    int bend = (x1 - x0) / 2;
    put(b, "<path class=\"%s\" d=\"M%d %dC%d %d %d %d %d %d\" marker-end=\"url(#head)\"/>\n", stream ? "pipe" : "file",
        x0, y0, x0 + bend, y0, x1 - bend, y1, x1 - 6, y1);
}

static void put_node(struct trj_bytes *b, const struct node *n) {
    put(b, "<g class=\"%s\"><title>", n->run ? "job" : "given");
    put_text(b, n->title);
    put(b, "</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>", n->x, n->y, n->width, n->height,
        n->run ? 4 : n->height / 2);
    for (int i = 0; i < LINES && n->lines[i]; i++) {
        put(b, "<text x=\"%d\" y=\"%d\"%s>", n->x + n->width / 2, n->y + PAD / 2 + LINE * i + 13,
            i == 0 && n->run ? " class=\"name\""
            : i > 1          ? " class=\"output\""
                             : "");
        put_text(b, n->lines[i]);
        put(b, "</text>");
    }
    put(b, "</g>\n");
}

int trj_plan_put_graph(struct trj_bytes *b, const struct trj_plan *plan, struct trj_error *err) {
    struct drawing d = {.plan = plan};
    int rc = make_nodes(&d, err);
    if (rc) goto out;
    place(&d);
    put(b,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>"
        "text{font:13px sans-serif;text-anchor:middle}.name{font-weight:bold}.output{font-family:monospace}",
        d.width, d.height, d.width, d.height);
    put(b, "rect{stroke:#444;fill:#e8f1fa}.given rect{fill:#fff5dc}path{fill:none;stroke:#444;stroke-width:1.5}"
           ".file{stroke-dasharray:5 4}marker path{fill:#444;stroke:none}</style>\n"
           "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"2\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" "
           "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n");
    put(b, "<rect width=\"100%%\" height=\"100%%\" style=\"fill:#fff;stroke:none\"/>\n");
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        for (size_t k = 0; k < run->inputs.count; k++)
            if (trj_plan_input_is_given(plan, run, k))
                put_arrow(b, file_node(&d, run->inputs.texts[k]), run_node(&d, i), false);
        for (size_t k = 0; k < run->source_count; k++)
            put_arrow(b, run_node(&d, run->sources[k]), run_node(&d, i), run->piped && !k);
    }
    for (size_t i = 0; i < d.count; i++) put_node(b, &d.nodes[i]);
    put(b, "</svg>\n");
out:
    free(d.nodes);
    free(d.order);
    return rc;
}
