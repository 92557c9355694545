// SPDX-License-Identifier: MIT
// Joins the sums of segments to those of the trajectory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "partial_reader.h"
#include "partial_sums.h"
#include "start_tree.h"

static int compare_parts(const void *a, const void *b) {
    const struct tcf_part *x = a, *y = b;
    return (x->segment.first > y->segment.first) - (x->segment.first < y->segment.first);
}

// Reports the first difference between rows of n and k bytes: the option, or the expression, or the whole rows.
static int fail_rows(const struct tcf_part *a, const struct tcf_part *b, const char *x, size_t n, const char *y,
                     size_t k, struct trj_error *err) {
    static const char *const options[] = {"lags", "per-octave", "spectrum",   "summary",
                                          "fit",  "viscosity",  "temperature"}; // in the order of the row
    const char *const end = x + n, *const other = y + k;
    size_t field = 0;
    const bool of_options = !strncmp(x, "options\t", 8) && !strncmp(y, "options\t", 8),
               of_expression = !strncmp(x, "expression\t", 11) && !strncmp(y, "expression\t", 11);
    const char *u = x, *v = y;
    size_t i = 0, j = 0;
    for (;; field++) {
        i = strcspn(u, "\t\n");
        j = strcspn(v, "\t\n");
        if (i != j || memcmp(u, v, i) != 0 || u + i >= end || v + j >= other) break;
        u += i + 1;
        v += j + 1;
    }
    if (of_options && field && field <= sizeof options / sizeof *options)
        return trj_fail(err, TRJ_BAD_DATA, "%s: another --%s than %s; run trjcorr --sums with the same options",
                        b->path, options[field - 1], a->path);
    if (of_expression && field == 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: the expression is '%.*s', but '%.*s' in %s; run trjcorr --sums with the same expressions",
                        b->path, (int)(j < 200 ? j : 200), v, (int)(i < 200 ? i : 200), u, a->path);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: a row is '%.*s', but '%.*s' in %s; give segments with the same expressions, atoms and "
                    "options",
                    b->path, (int)(k < 200 ? k : 200), y, (int)(n < 200 ? n : 200), x, a->path);
}

// Fails if the rows that all segments have in common differ.
static int compare_descriptions(const struct tcf_part *a, const struct tcf_part *b, struct trj_error *err) {
    const char *x = a->description, *y = b->description;
    while (*x && *y) {
        const size_t n = strcspn(x, "\n"), k = strcspn(y, "\n");
        if (n != k || memcmp(x, y, n) != 0) return fail_rows(a, b, x, n, y, k, err);
        x += n + 1;
        y += k + 1;
    }
    if (!*x && !*y) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: the expressions differ from those of %s; run all segments with the same expressions", b->path,
                    a->path);
}

// The parts are sorted.
static int check_parts(const struct tcf_part *part, size_t count, struct trj_error *err) {
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trj_stream_segment *s = &part[i].segment;
        if (s->total != part->segment.total)
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s: the trajectory has %llu frames, but %llu in %s; give the segments of one trajectory",
                            part[i].path, (unsigned long long)s->total, (unsigned long long)part->segment.total,
                            part->path);
        if (compare_descriptions(part, &part[i], err)) return -1;
        if (s->first > next)
            return trj_fail(err, TRJ_BAD_DATA, "frames %llu to %llu of %llu are missing; give the sums of all segments",
                            (unsigned long long)next, (unsigned long long)s->first - 1, (unsigned long long)s->total);
        if (s->first < next)
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s: its frames from %llu on are also in %s; give each segment once, of one division",
                            part[i].path, (unsigned long long)s->first, part[i - 1].path);
        if (i && part[i - 1].border[1] != part[i].border[0])
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s: its first frame is not the one that follows those of %s; give the segments of one "
                            "trajectory, which trjcat has read with the same options",
                            part[i].path, part[i - 1].path);
        const struct trj_frame last = {.time = part[i].last_time};
        if (part->interval.unit != part[i].interval.unit && part[i].interval.unit != TRJ_GAP_UNKNOWN)
            return trj_fail(err, TRJ_BAD_DATA, "%s: the intervals between frames are not known as in %s", part[i].path,
                            part->path);
        if (part[i].interval.unit != TRJ_GAP_UNKNOWN && !trj_gap_same(&part->interval, &part[i].interval, &last))
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s: frames are compared at an interval of %.9g, but of %.9g in %s; use one run over all "
                            "frames",
                            part[i].path, part[i].interval.length, part->interval.length, part->path);
        next += s->count;
    }
    if (next == part->segment.total) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "frames %llu to %llu are missing; give the sums of all segments",
                    (unsigned long long)next, (unsigned long long)part->segment.total - 1);
}

// Adds the counts of gaps, in the order in which these occur.
static void add_gaps(struct trj_gap_tally *to, const struct tcf_part *p) {
    const struct trj_frame last = {.time = p->last_time};
    for (size_t i = 0; i < p->gaps.count; i++) {
        const struct trj_frame from = {.index = p->gaps.first[i]};
        size_t k = 0;
        if (!p->gaps.times[i]) continue;
        trj_gap_tally_add(to, &p->gaps.gap[i], &from, &last);
        while (k < to->count && !trj_gap_same(&to->gap[k], &p->gaps.gap[i], &last)) k++;
        if (k < to->count) to->times[k] += p->gaps.times[i] - 1;
    }
}

// Sets what the run consists of besides the sums.
static int set_frames(struct tcf_run *r, const struct tcf_part *part, size_t count, struct trj_error *err) {
    for (size_t i = 0; i < count; i++) {
        const struct tcf_part *p = &part[i];
        for (size_t k = 0; k < p->starts; k++) {
            if (trj_grow(&r->start, &r->start_capacity, (size_t)r->breaks + 1, sizeof *r->start, "runs of frames", err))
                return -1;
            if (r->breaks && r->start[r->breaks - 1].frame >= p->start[k].frame)
                return trj_fail(err, TRJ_BAD_DATA, "%s: damaged: starts of runs do not ascend", p->path);
            if (p->start[k].frame < part->segment.total) r->start[r->breaks++] = p->start[k];
        }
        r->steps += p->steps;
        if (!trj_wide_add(&r->volumes, r->volumes, p->volumes) || !trj_wide_add(&r->edges, r->edges, p->edges))
            return trj_fail(err, TRJ_BAD_DATA, "%s: damaged: the sum of the volumes is too large", p->path);
        add_gaps(&r->gaps, p);
    }
    r->frames = part->segment.total;
    r->first_time = part->first_time;
    r->last = (struct trj_frame){.time = part[count - 1].last_time};
    return 0;
}

// Joins the values of all frames.
static int set_kept(struct tcf_run *r, const struct tcf_part *part, size_t count, struct trj_error *err) {
    for (size_t e = 0; e < r->count; e++)
        if (part->sums[e].kind == TCF_SUMS_VALUES) r->kept_values += part->sums[e].columns;
    if (!r->kept_values) return 0;
    if (trj_grow(&r->kept, &r->kept_capacity, (size_t)r->frames * r->kept_values, sizeof *r->kept,
                 "observables of all frames", err))
        return -1;
    double *to = r->kept;
    for (size_t i = 0; i < count; i++)
        for (uint64_t t = 0; t < part[i].segment.count; t++)
            for (size_t e = 0; e < r->count; e++) {
                const struct tcf_part_sums *s = &part[i].sums[e];
                if (s->kind != TCF_SUMS_VALUES) continue;
                memcpy(to, s->value + t * s->columns, s->columns * sizeof *to);
                to += s->columns;
            }
    return 0;
}

static int add_nodes(struct tcf_records *r, const struct tcf_part *p, const struct tcf_part_sums *s,
                     struct trj_error *err) {
    const size_t numbers = r->parts + 1;
    if (!s->nodes) return 0;
    if (r->next != s->first)
        return trj_fail(err, TRJ_BAD_DATA, "%s: damaged: its sums begin at number %llu, expected %llu", p->path,
                        (unsigned long long)s->first, (unsigned long long)r->next);
    double *value = trj_alloc(r->lags, numbers * sizeof *value, "sums of lags", err);
    int rc = value ? 0 : -1;
    for (size_t i = 0; !rc && i < s->nodes; i++) {
        const double *from = s->value + s->node[i].value;
        for (size_t lag = 0; lag < r->lags; lag++)
            for (size_t k = 0; k < numbers; k++) value[k * r->lags + lag] = from[lag * numbers + k];
        rc = tcf_records_add_node(r, s->node[i].level, value, err) ? trj_fail_at(err, "%s: damaged", p->path) : 0;
    }
    free(value);
    if (!rc && r->next != s->next)
        rc = trj_fail(err, TRJ_BAD_DATA, "%s: damaged: its sums end at number %llu, expected %llu", p->path,
                      (unsigned long long)r->next, (unsigned long long)s->next);
    return rc;
}

static int add_leaves(struct tcf_tree *tree, const struct tcf_part *p, const struct tcf_part_sums *s,
                      struct trj_error *err) {
    uint64_t next = 0;
    for (size_t i = 0; i < s->nodes; i++) {
        const struct tcf_part_node *from = &s->node[i];
        const struct tcf_tree_node node = {from->lag, from->level, from->number, s->value + from->value};
        const uint64_t first = from->number << from->level, end = first + (UINT64_C(1) << from->level);
        if (i && from->lag < s->node[i - 1].lag) return trj_fail(err, TRJ_BAD_DATA, "%s: damaged: unsorted", p->path);
        if (i && from->lag != s->node[i - 1].lag) next = 0;
        if (first < next || first < p->segment.first || first >= p->segment.first + p->segment.count)
            return trj_fail(err, TRJ_BAD_DATA, "%s: damaged: sums of start frame %llu", p->path,
                            (unsigned long long)first);
        next = end;
        if (tcf_tree_add(tree, &node, err)) return -1;
    }
    return 0;
}

// Opens and joins the sums of an expression.
static int join(struct tcf_run *r, const struct tcf_part *part, size_t count, size_t e, unsigned threads,
                struct trj_error *err) {
    static const struct trj_stream_segment whole = {0, 0, 0, 0};
    const struct tcf_signal *signal = tcf_signal_of(&r->observable[e]);
    const enum tcf_sums_kind kind = part->sums[e].kind;
    struct tcf_lag_sums *sums = &r->sums[e];
    if (kind == TCF_SUMS_VALUES) return tcf_lag_sums_open(sums, signal, r->options, &whole, threads, err);
    if (tcf_lag_sums_open_joined(sums, kind, signal->parts, r->options, part->segment.total, err)) return -1;
    for (size_t i = 0; i < count; i++)
        if (kind == TCF_SUMS_NODES ? add_nodes(sums->records, &part[i], &part[i].sums[e], err)
                                   : add_leaves(sums->tree, &part[i], &part[i].sums[e], err))
            return -1;
    return 0;
}

static int merge(struct tcf_merged *m, struct tcf_part *part, size_t count, unsigned threads, struct trj_error *err) {
    struct tcf_run *r = &m->run;
    qsort(part, count, sizeof *part, compare_parts);
    if (check_parts(part, count, err)) return -1;
    m->options = part->options;
    m->interval = part->interval;
    m->fit = part->fit;
    *r = (struct tcf_run){.options = &m->options, .interval = &m->interval, .count = part->expressions};
    r->observable = part->observable;
    part->fit = NULL;
    part->observable = NULL;
    if (!(r->sums = trj_alloc(r->count, sizeof *r->sums, "sums of lags", err))) return -1;
    for (size_t e = 0; e < r->count; e++)
        r->observable[e].columns = part->sums[e].kind == TCF_SUMS_VALUES ? part->sums[e].columns : 0;
    if (set_frames(r, part, count, err) || set_kept(r, part, count, err)) return -1;
    for (size_t e = 0; e < r->count; e++)
        if (join(r, part, count, e, threads, err)) return -1;
    return tcf_run_finish(r, err);
}

int tcf_merged_read(struct tcf_merged *m, char *const *files, size_t count, unsigned threads, struct trj_error *err) {
    struct trj_text_index index = {.texts = &m->lines};
    *m = (struct tcf_merged){.fit = NULL};
    if (!count) return trj_fail(err, TRJ_USAGE, "--merge: no file given; give the sums of all segments");
    struct tcf_part *part = trj_alloc(count, sizeof *part, "files", err);
    int rc = part ? 0 : -1;
    size_t n = 0;
    while (!rc && n < count) rc = tcf_part_read(&part[n], files[n], &index, err), n++;
    if (!rc) rc = merge(m, part, count, threads, err);
    for (size_t i = 0; i < n; i++) tcf_part_free(&part[i]);
    free(part);
    trj_text_index_free(&index);
    return rc;
}

void tcf_merged_free(struct tcf_merged *m) {
    tcf_run_free(&m->run);
    free(m->fit);
    trj_texts_clear(&m->lines);
}
