// SPDX-License-Identifier: MIT
// Writes the sums of a segment as rows of text.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "hash.h"
#include "partial_sums.h"
#include "start_tree.h"
#include "wide.h"

struct rows {
    struct trj_output *out;
    struct trj_error *err;
    struct trj_hash_state hash;
    bool failed;
};

static void put(struct rows *w, const char *text, size_t n) {
    trj_hash_add(&w->hash, text, n);
    if (!w->failed) w->failed = trj_output_write(w->out, text, n, w->err) != 0;
}

static void put_word(struct rows *w, const char *word) {
    put(w, word, strlen(word));
}

static void put_escaped(struct rows *w, const char *text) {
    for (; *text; text++) {
        static const char special[] = "\t\n\\", escaped[] = "tn\\";
        const char *found = strchr(special, *text);
        const char pair[2] = {'\\', found ? escaped[found - special] : 0};
        put(w, found ? pair : text, found ? 2 : 1);
    }
}

static void put_text(struct rows *w, const char *text) {
    put(w, "\t", 1);
    put_escaped(w, text);
}

// A text that can be missing, which is a field "-"; otherwise "+" precedes it.
static void put_optional(struct rows *w, const char *text) {
    if (!text) {
        put_word(w, "\t-");
        return;
    }
    put_word(w, "\t+");
    put_escaped(w, text);
}

static void put_count(struct rows *w, uint64_t v) {
    char text[32];
    const int n = snprintf(text, sizeof text, "\t%" PRIu64, v);
    put(w, text, (size_t)n);
}

static void put_real(struct rows *w, double v) {
    char text[TRJ_DECIMAL_CAPACITY + 1] = "\t";
    if (isnan(v))
        put_word(w, "\t-");
    else
        put(w, text, 1 + trj_print_real(text + 1, v));
}

static void put_wide(struct rows *w, trj_wide v) {
    char text[TRJ_WIDE_CAPACITY];
    trj_wide_print(text, v);
    put_text(w, text);
}

static void end_row(struct rows *w) {
    put(w, "\n", 1);
}

// --------------------------------------------------------------------------------------------------------------- parts

static void put_head(struct rows *w, const struct tcf_run *r) {
    const struct tcf_options *o = r->options;
    put_word(w, "format");
    put_count(w, 1);
    end_row(w);
    put_word(w, "options");
    put_count(w, o->lags);
    put_count(w, o->per_octave);
    put_count(w, o->spectrum);
    put_count(w, o->summary);
    put_optional(w, o->fit);
    put_real(w, o->viscosity);
    put_real(w, o->temperature);
    end_row(w);
    put_word(w, "interval");
    put_count(w, r->interval->unit);
    put_real(w, r->interval->length);
    end_row(w);
    put_word(w, "segment");
    put_count(w, r->segment.first);
    put_count(w, r->segment.count);
    put_count(w, r->segment.total);
    put_count(w, r->border[0]);
    put_count(w, r->border[1]);
    end_row(w);
    put_word(w, "frames");
    put_count(w, r->steps);
    put_real(w, r->first_time);
    put_real(w, r->last.time);
    put_wide(w, r->volumes);
    put_wide(w, r->edges);
    end_row(w);
    for (size_t i = 0; i < r->gaps.count; i++) {
        put_word(w, "gap");
        put_count(w, r->gaps.gap[i].unit);
        put_real(w, r->gaps.gap[i].length);
        put_count(w, r->gaps.times[i]);
        put_count(w, r->gaps.first[i]);
        end_row(w);
    }
    for (size_t i = 0; i < r->breaks; i++) {
        put_word(w, "run");
        put_count(w, r->start[i].frame);
        put_real(w, r->start[i].before);
        put_real(w, r->start[i].time);
        end_row(w);
    }
    put_word(w, "expressions");
    put_count(w, r->count);
    end_row(w);
}

static void put_signal(struct rows *w, const struct obs_observable *o) {
    const struct tcf_signal *s = tcf_signal_of(o);
    put_word(w, "expression");
    put_text(w, o->text);
    put_text(w, o->formula);
    end_row(w);
    put_word(w, "signal");
    put_count(w, s->parts);
    put_count(w, s->columns);
    put_count(w, s->differences);
    put_count(w, s->fluctuations);
    put_count(w, s->normalised);
    put_real(w, s->polarisability);
    put_optional(w, s->slope.name);
    put_optional(w, s->slope.unit);
    put_real(w, s->slope.scale);
    put_count(w, s->slope.per_volume);
    put_optional(w, s->note);
    put_optional(w, s->warning);
    end_row(w);
    for (size_t i = 0; i < s->columns; i++) {
        const struct tcf_column *c = &s->column[i];
        put_word(w, "column");
        put_text(w, c->name);
        put_text(w, c->unit);
        put_real(w, c->offset);
        put_optional(w, c->integral);
        put_optional(w, c->integral_unit);
        put_real(w, c->scale);
        put_count(w, c->per_volume);
        put_count(w, c->response);
        put_optional(w, c->meaning);
        for (size_t p = 0; p < s->parts; p++) put_real(w, c->factor[p]);
        end_row(w);
    }
}

// The numbers of frames from number `first` of those that are kept on.
static void put_values(struct rows *w, const struct tcf_run *r, size_t first, size_t columns) {
    put_word(w, "values");
    put_count(w, columns);
    end_row(w);
    for (uint64_t t = 0; t < r->frames; t++) {
        put_word(w, "v");
        for (size_t c = 0; c < columns; c++) put_real(w, r->kept[t * r->kept_values + first + c]);
        end_row(w);
    }
}

static void put_nodes(struct rows *w, const struct tcf_records *r) {
    put_word(w, "nodes");
    put_count(w, r ? r->range.first : 0);
    put_count(w, r ? r->next : 0);
    put_count(w, r ? r->nodes : 0);
    end_row(w);
    for (size_t i = 0; r && i < r->nodes; i++) {
        put_word(w, "node");
        put_count(w, r->node[i].level);
        end_row(w);
        for (size_t lag = 0; lag < r->lags; lag++) {
            put_word(w, "v");
            for (size_t p = 0; p <= r->parts; p++) put_real(w, r->node[i].value[p * r->lags + lag]);
            end_row(w);
        }
    }
}

static void put_leaves(struct rows *w, const struct tcf_tree *tree, size_t parts) {
    size_t count;
    const struct tcf_tree_node *node = tcf_tree_nodes(tree, &count);
    put_word(w, "leaves");
    put_count(w, count);
    end_row(w);
    for (size_t i = 0; i < count; i++) {
        put_word(w, "leaf");
        put_count(w, node[i].lag);
        put_count(w, node[i].height);
        put_count(w, node[i].number);
        for (size_t p = 0; p <= parts; p++) put_real(w, node[i].sum[p]);
        end_row(w);
    }
}

int tcf_partial_write(const struct tcf_run *r, struct trj_output *out, struct trj_error *err) {
    struct rows w = {.out = out, .err = err};
    trj_hash_begin(&w.hash);
    put_head(&w, r);
    for (size_t i = 0, kept = 0; i < r->count; i++) {
        const struct obs_observable *o = &r->observable[i];
        const struct tcf_signal *s = tcf_signal_of(o);
        put_signal(&w, o);
        switch (tcf_sums_kind(s, r->options)) {
        case TCF_SUMS_VALUES:
            put_values(&w, r, kept, o->columns);
            kept += o->columns;
            break;
        case TCF_SUMS_NODES:
            put_nodes(&w, tcf_lag_sums_records(&r->sums[i]));
            break;
        case TCF_SUMS_LEAVES:
            put_leaves(&w, tcf_octaves_tree(r->sums[i].octaves), s->parts);
            break;
        }
    }
    if (w.failed) return -1;
    return trj_output_print(out, err, "end\t%016" PRIx64 "\n", trj_hash_end(&w.hash));
}
