// SPDX-License-Identifier: MIT
// Reads and verifies the sums of a segment.
#include "partial_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "input.h"
#include "lag_grid.h"
#include "memory.h"
#include "number.h"
#include "partial_sums.h"
#include "table_reader.h"
#include "table_writer.h"

static const char what[] = "sums of segments";

enum { TEXTS = 2 + 5 + 6 * TCF_COLUMNS_MAX };

// What an expression that is read from a file refers to.
struct restored {
    struct obs_function function;
    char *text[TEXTS];
    size_t texts;
};

struct reader {
    struct tcf_part *part;
    struct trj_lines lines;
    struct trj_hash_state hash;
    char **field; // [fields] of the current row
    size_t fields, next;
    char *own;      // memory of the fields
    bool described; // rows are compared with those of other segments
    struct trj_error *err;
};

static int fail(const struct reader *r, const char *why) {
    return trj_lines_fail(&r->lines, r->err, "damaged: %s; run trjcorr --sums again", why);
}

// -------------------------------------------------------------------------------------------------------------- fields

static int next_line(struct reader *r) {
    free(r->field);
    free(r->own);
    r->field = NULL;
    r->own = NULL;
    r->next = 1;
    const int got = trj_table_next_line(&r->lines, r->err);
    if (got < 0) return -1;
    if (!got || !trj_lines_has_newline(&r->lines))
        return trj_fail(r->err, TRJ_BAD_DATA, "truncated after line %" PRIu64 "; run trjcorr --sums again",
                        r->lines.number);
    return 0;
}

static int describe(struct reader *r) {
    struct tcf_part *p = r->part;
    const size_t n = r->lines.length;
    if (trj_grow(&p->description, &p->description_capacity, p->described + n + 2, 1, what, r->err)) return -1;
    memcpy(p->description + p->described, r->lines.text, n);
    memcpy(p->description + p->described + n, "\n", 2);
    p->described += n + 1;
    return 0;
}

// Splits the current line.
static int split(struct reader *r) {
    if (r->lines.text[0] != 'e' || strncmp(r->lines.text, "end\t", 4) != 0) {
        trj_hash_add(&r->hash, r->lines.text, r->lines.length);
        trj_hash_add(&r->hash, "\n", 1);
    }
    if (r->described && describe(r)) return -1;
    return (r->own = trj_copy_text(r->lines.text, r->err)) ? trj_table_split(r->own, &r->field, &r->fields, r->err)
                                                           : -1;
}

static bool is_row(const struct reader *r, const char *keyword) {
    return r->fields && !strcmp(r->field[0], keyword);
}

static int next_row(struct reader *r) {
    return next_line(r) ? -1 : split(r);
}

// Reads a row with this keyword and number of fields after it.
static int read_row(struct reader *r, const char *keyword, size_t fields) {
    if (next_row(r)) return -1;
    if (!is_row(r, keyword))
        return trj_lines_fail(&r->lines, r->err, "damaged: expected a row '%s'; run trjcorr --sums again", keyword);
    return r->fields == fields + 1 ? 0 : fail(r, "wrong number of fields");
}

static int get_count(struct reader *r, uint64_t max, uint64_t *value) {
    const char *text = r->field[r->next++];
    return trj_parse_u64(text, value) && *value <= max ? 0 : fail(r, "invalid number");
}

static int get_size(struct reader *r, size_t max, size_t *value) {
    uint64_t number = 0;
    const int rc = get_count(r, max, &number);
    *value = (size_t)number;
    return rc;
}

static int get_flag(struct reader *r, bool *value) {
    uint64_t number = 0;
    const int rc = get_count(r, 1, &number);
    *value = number != 0;
    return rc;
}

// "-" is NaN.
static int get_real(struct reader *r, double *value) {
    const char *text = r->field[r->next++];
    *value = NAN;
    return !strcmp(text, "-") || trj_parse_real(text, value) ? 0 : fail(r, "invalid number");
}

static int get_known(struct reader *r, double *value) {
    return get_real(r, value) ? -1 : isnan(*value) ? fail(r, "missing number") : 0;
}

static int get_wide(struct reader *r, trj_wide *value) {
    return trj_wide_parse(r->field[r->next++], value) && *value >= 0 && *value <= (trj_wide)1 << 120
               ? 0
               : fail(r, "invalid sum");
}

// Replaces escapes in place.
static int unescape(struct reader *r, char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '\\') {
            from++;
            if (*from != 't' && *from != 'n' && *from != '\\') return fail(r, "invalid text");
            *to++ = *from == 't' ? '\t' : *from == 'n' ? '\n' : '\\';
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return 0;
}

static int get_text(struct reader *r, struct restored *to, const char **value) {
    char *text = r->field[r->next++];
    if (unescape(r, text)) return -1;
    if (to->texts == TEXTS) return fail(r, "too many texts");
    if (!(to->text[to->texts] = trj_copy_text(text, r->err))) return -1;
    *value = to->text[to->texts++];
    return 0;
}

static int get_optional(struct reader *r, struct restored *to, const char **value) {
    const char *text = r->field[r->next];
    *value = NULL;
    if (*text != '+') {
        r->next++;
        return strcmp(text, "-") ? fail(r, "invalid text") : 0;
    }
    if (get_text(r, to, value)) return -1;
    ++*value;
    return 0;
}

// ---------------------------------------------------------------------------------------------------------------- head

static int read_options(struct reader *r) {
    struct tcf_options *o = &r->part->options;
    struct restored texts = {.texts = 0};
    int rc = read_row(r, "options", 7);
    if (!rc) rc = get_count(r, TCF_LAGS_MAX, &o->lags);
    if (!rc) rc = get_count(r, TCF_PER_OCTAVE_MAX, &o->per_octave);
    if (!rc) rc = get_flag(r, &o->spectrum);
    if (!rc) rc = get_flag(r, &o->summary);
    if (!rc) rc = get_optional(r, &texts, &o->fit);
    if (!rc && o->fit) rc = (r->part->fit = trj_copy_text(o->fit, r->err)) ? 0 : -1;
    o->fit = r->part->fit;
    free(texts.text[0]);
    if (!rc) rc = get_real(r, &o->viscosity);
    if (!rc) rc = get_real(r, &o->temperature);
    if (!rc && (!o->lags || (o->per_octave && o->per_octave < TCF_PER_OCTAVE_MIN) || (o->spectrum && o->per_octave)))
        rc = fail(r, "invalid options");
    return rc;
}

static int get_gap(struct reader *r, struct trj_gap *gap) {
    uint64_t unit = 0;
    if (get_count(r, TRJ_GAP_FRAMES, &unit) || get_known(r, &gap->length)) return -1;
    gap->unit = (enum trj_gap_unit)unit;
    return gap->length >= 0 ? 0 : fail(r, "invalid interval");
}

static int read_segment(struct reader *r) {
    struct trj_stream_segment *s = &r->part->segment;
    int rc = read_row(r, "segment", 5);
    if (!rc) rc = get_count(r, TRJ_STREAM_TOTAL_MAX, &s->first);
    if (!rc) rc = get_count(r, TRJ_STREAM_TOTAL_MAX, &s->count);
    if (!rc) rc = get_count(r, TRJ_STREAM_TOTAL_MAX, &s->total);
    for (int k = 0; k < 2 && !rc; k++) rc = get_count(r, UINT64_MAX, &r->part->border[k]);
    if (!rc && !(s->count && s->first < s->total && s->count <= s->total - s->first)) rc = fail(r, "invalid segment");
    return rc;
}

static int read_frames(struct reader *r) {
    struct tcf_part *p = r->part;
    int rc = read_row(r, "frames", 5);
    if (!rc) rc = get_count(r, p->segment.count, &p->steps);
    if (!rc) rc = get_real(r, &p->first_time);
    if (!rc) rc = get_real(r, &p->last_time);
    if (!rc) rc = get_wide(r, &p->volumes);
    if (!rc) rc = get_wide(r, &p->edges);
    return rc;
}

static int read_gap(struct reader *r) {
    struct trj_gap_tally *g = &r->part->gaps;
    if (g->count == TRJ_GAPS || r->fields != 5) return fail(r, "too many intervals or fields");
    if (get_gap(r, &g->gap[g->count]) || get_count(r, r->part->segment.count, &g->times[g->count]) ||
        get_count(r, UINT64_MAX, &g->first[g->count]))
        return -1;
    g->count++;
    return 0;
}

static int read_start(struct reader *r) {
    struct tcf_part *p = r->part;
    const uint64_t first = p->segment.first;
    if (r->fields != 4) return fail(r, "wrong number of fields");
    if (trj_grow(&p->start, &p->start_capacity, p->starts + 1, sizeof *p->start, what, r->err)) return -1;
    struct tcf_run_start *s = &p->start[p->starts];
    if (get_count(r, first + p->segment.count, &s->frame) || get_real(r, &s->before) || get_real(r, &s->time))
        return -1;
    if (s->frame <= (p->starts ? s[-1].frame : first)) return fail(r, "invalid start of a run");
    p->starts++;
    return 0;
}

// --------------------------------------------------------------------------------------------------------- expressions

static void close_restored(struct obs_observable *o) {
    struct tcf_signal *s = o->own;
    struct restored *own = s ? s->own : NULL;
    for (size_t i = 0; own && i < own->texts; i++) free(own->text[i]);
    tcf_signal_close(o);
}

static int find_function(struct reader *r, struct restored *own, const char *text) {
    const size_t n = strcspn(text, "(");
    for (size_t i = 0; tcf_functions[i]; i++)
        if (strlen(tcf_functions[i]->name) == n && !strncmp(tcf_functions[i]->name, text, n)) {
            own->function = (struct obs_function){.name = tcf_functions[i]->name, .close = close_restored};
            return 0;
        }
    return fail(r, "unknown function");
}

static int read_column(struct reader *r, struct tcf_signal *s, struct restored *own) {
    struct tcf_column *c = &s->column[s->columns];
    if (read_row(r, "column", 9 + s->parts)) return -1;
    if (!(c->factor = trj_alloc(s->parts, sizeof *c->factor, what, r->err))) return -1;
    s->columns++;
    int rc = get_text(r, own, &c->name);
    if (!rc) rc = get_text(r, own, &c->unit);
    if (!rc) rc = get_known(r, &c->offset);
    if (!rc) rc = get_optional(r, own, &c->integral);
    if (!rc) rc = get_optional(r, own, &c->integral_unit);
    if (!rc) rc = get_known(r, &c->scale);
    if (!rc) rc = get_flag(r, &c->per_volume);
    if (!rc) rc = get_flag(r, &c->response);
    if (!rc) rc = get_optional(r, own, &c->meaning);
    for (size_t p = 0; !rc && p < s->parts; p++) rc = get_known(r, &c->factor[p]);
    if (!rc && c->integral && !(c->integral_unit && c->meaning)) rc = fail(r, "a column without a unit");
    return rc;
}

static int read_signal(struct reader *r, struct obs_observable *o, struct restored *own) {
    struct tcf_signal *s = tcf_signal_of(o);
    size_t columns = 0;
    int rc = read_row(r, "signal", 12);
    if (!rc) rc = get_size(r, TCF_COLUMNS_MAX, &s->parts);
    if (!rc) rc = get_size(r, TCF_COLUMNS_MAX, &columns);
    if (!rc) rc = get_flag(r, &s->differences);
    if (!rc) rc = get_flag(r, &s->fluctuations);
    if (!rc) rc = get_flag(r, &s->normalised);
    if (!rc) rc = get_known(r, &s->polarisability);
    if (!rc) rc = get_optional(r, own, &s->slope.name);
    if (!rc) rc = get_optional(r, own, &s->slope.unit);
    if (!rc) rc = get_known(r, &s->slope.scale);
    if (!rc) rc = get_flag(r, &s->slope.per_volume);
    if (!rc) rc = get_optional(r, own, &s->note);
    if (!rc) rc = get_optional(r, own, &s->warning);
    // The dielectric constant follows from the three components of a vector, a slope from total, x, y and z.
    if (!rc && (!s->parts || !columns || (s->slope.name && !s->slope.unit) ||
                (s->polarisability != 0 && !(s->fluctuations && s->parts == 3))))
        rc = fail(r, "invalid signal");
    if (!rc && !(s->count = trj_alloc(s->parts, sizeof *s->count, what, r->err))) rc = -1;
    for (size_t p = 0; !rc && p < s->parts; p++) s->count[p] = 1;
    while (!rc && s->columns < columns) rc = read_column(r, s, own);
    return rc;
}

static int read_expression(struct reader *r, struct obs_observable *o) {
    const char *text = "";
    if (read_row(r, "expression", 2)) return -1;
    struct tcf_signal *s = o->own = trj_alloc(1, sizeof *s, what, r->err);
    if (!s) return -1;
    struct restored *own = s->own = trj_alloc(1, sizeof *own, what, r->err);
    if (!own) {
        free(s);
        o->own = NULL;
        return -1;
    }
    own->function.close = close_restored;
    o->function = &own->function;
    if (get_text(r, own, &text) || get_text(r, own, &o->formula) || find_function(r, own, text) ||
        !(o->text = trj_copy_text(text, r->err)))
        return -1;
    return read_signal(r, o, own);
}

// ---------------------------------------------------------------------------------------------------------------- sums

// Appends the remaining fields of a row, `count` numbers.
static int append(struct reader *r, struct tcf_part_sums *s, size_t count) {
    if (r->fields - r->next != count) return fail(r, "wrong number of fields");
    if (trj_grow(&s->value, &s->value_capacity, s->values + count, sizeof *s->value, what, r->err)) return -1;
    for (size_t i = 0; i < count; i++)
        if (get_known(r, &s->value[s->values++])) return -1;
    return 0;
}

static struct tcf_part_node *add_node(struct reader *r, struct tcf_part_sums *s) {
    if (trj_grow(&s->node, &s->node_capacity, s->nodes + 1, sizeof *s->node, what, r->err)) return NULL;
    s->node[s->nodes] = (struct tcf_part_node){.value = s->values};
    return &s->node[s->nodes++];
}

static int read_values(struct reader *r, struct tcf_part_sums *s, size_t parts) {
    if (read_row(r, "values", 1) || get_size(r, parts, &s->columns)) return -1;
    if (s->columns != parts) return fail(r, "wrong number of columns");
    for (uint64_t t = 0; t < r->part->segment.count; t++)
        if (read_row(r, "v", s->columns) || append(r, s, s->columns)) return -1;
    return 0;
}

static int read_nodes(struct reader *r, struct tcf_part_sums *s, size_t parts) {
    uint64_t count = 0, level = 0;
    int rc = read_row(r, "nodes", 3);
    if (!rc) rc = get_count(r, TRJ_STREAM_TOTAL_MAX, &s->first);
    if (!rc) rc = get_count(r, TRJ_STREAM_TOTAL_MAX, &s->next);
    if (!rc) rc = get_count(r, TRJ_STREAM_TOTAL_MAX, &count);
    for (uint64_t i = 0; !rc && i < count; i++) {
        if (read_row(r, "node", 1) || get_count(r, 47, &level)) return -1;
        struct tcf_part_node *node = add_node(r, s);
        if (!node) return -1;
        node->level = (unsigned)level;
        for (uint64_t lag = 0; !rc && lag <= r->part->options.lags; lag++)
            rc = read_row(r, "v", parts + 1) || append(r, s, parts + 1);
    }
    return rc;
}

static int read_leaves(struct reader *r, struct tcf_part_sums *s, size_t parts) {
    const struct tcf_options *o = &r->part->options;
    const size_t lags = tcf_lag_count(o->per_octave, o->lags);
    const uint64_t total = r->part->segment.total;
    uint64_t count = 0, height = 0;
    int rc = read_row(r, "leaves", 1) || get_count(r, TRJ_STREAM_TOTAL_MAX, &count);
    for (uint64_t i = 0; !rc && i < count; i++) {
        struct tcf_part_node *node = add_node(r, s);
        if (!node) return -1;
        rc = read_row(r, "leaf", 3 + parts + 1);
        if (!rc) rc = get_size(r, lags - 1, &node->lag);
        if (!rc) rc = get_count(r, 53, &height);
        if (!rc) rc = get_count(r, (total - 1) >> height, &node->number);
        node->level = (unsigned)height;
        if (!rc) rc = append(r, s, parts + 1);
    }
    return rc;
}

static int read_sums(struct reader *r, struct tcf_part_sums *s, const struct tcf_signal *signal) {
    s->kind = tcf_sums_kind(signal, &r->part->options);
    if (s->kind == TCF_SUMS_VALUES) return read_values(r, s, signal->parts);
    return s->kind == TCF_SUMS_NODES ? read_nodes(r, s, signal->parts) : read_leaves(r, s, signal->parts);
}

// ---------------------------------------------------------------------------------------------------------------- file

static int read_comments(struct reader *r, struct trj_text_index *provenance) {
    uint32_t unused;
    bool noted = false;
    for (;;) {
        if (next_line(r)) return -1;
        if (r->lines.text[0] != '#') break;
        const char *line = trj_table_after(r->lines.text, TRJ_PROVENANCE_MARK);
        noted = noted || trj_table_after(r->lines.text, "# " TCF_PARTIAL_NOTE);
        if (line && trj_text_index_add(provenance, line, &unused, r->err)) return -1;
    }
    if (noted) return 0;
    return trj_fail(r->err, TRJ_BAD_DATA,
                    "does not contain sums of a segment; give complete files of trjcorr --sums, with all comments");
}

static int read_head(struct reader *r) {
    uint64_t version = 0, expressions = 0;
    r->described = true;
    if (split(r)) return -1;
    if (!is_row(r, "format") || r->fields != 2) return fail(r, "no format");
    if (get_count(r, UINT64_MAX, &version)) return -1;
    if (version != 1)
        return trj_fail(r->err, TRJ_BAD_DATA, "format %llu, expected 1; use the version of trjcorr that wrote it",
                        (unsigned long long)version);
    if (read_options(r)) return -1;
    r->described = false;
    if (read_row(r, "interval", 2) || get_gap(r, &r->part->interval) || read_segment(r) || read_frames(r)) return -1;
    int rc = next_row(r);
    while (!rc && is_row(r, "gap")) rc = read_gap(r) || next_row(r);
    while (!rc && is_row(r, "run")) rc = read_start(r) || next_row(r);
    if (rc) return -1;
    if (!is_row(r, "expressions") || r->fields != 2) return fail(r, "expected a row 'expressions'");
    if (get_count(r, TRJ_STREAM_TOTAL_MAX, &expressions)) return -1;
    if (!expressions) return fail(r, "no expressions");
    struct tcf_part *p = r->part;
    while (p->expressions < expressions) {
        const size_t n = p->expressions;
        if (trj_grow(&p->observable, &p->capacity, n + 1, sizeof *p->observable, what, r->err) ||
            trj_grow(&p->sums, &p->sums_capacity, n + 1, sizeof *p->sums, what, r->err))
            return -1;
        p->observable[n] = (struct obs_observable){.own = NULL};
        p->sums[n] = (struct tcf_part_sums){.node = NULL};
        p->expressions++;
        r->described = true;
        if (read_expression(r, &p->observable[n])) return -1;
        r->described = false;
        if (read_sums(r, &p->sums[n], tcf_signal_of(&p->observable[n]))) return -1;
    }
    return 0;
}

static int read_end(struct reader *r) {
    char expected[32];
    if (read_row(r, "end", 1)) return -1;
    snprintf(expected, sizeof expected, "%016" PRIx64, trj_hash_end(&r->hash));
    if (strcmp(r->field[1], expected) != 0) return fail(r, "wrong checksum");
    const int got = trj_table_next_line(&r->lines, r->err);
    return got > 0 ? fail(r, "text after the last row") : got;
}

int tcf_part_read(struct tcf_part *p, const char *path, struct trj_text_index *provenance, struct trj_error *err) {
    struct trj_input *in = NULL;
    struct reader r = {.part = p, .err = err};
    *p = (struct tcf_part){.path = path};
    if (trj_input_open(&in, path, err)) return -1;
    r.lines.in = in;
    trj_hash_begin(&r.hash);
    int rc = read_comments(&r, provenance) || read_head(&r) || read_end(&r) ? -1 : 0;
    if (rc) trj_fail_at(err, "%s", trj_input_name(in));
    free(r.field);
    free(r.own);
    trj_input_close(in);
    return rc;
}

void tcf_part_free(struct tcf_part *p) {
    for (size_t i = 0; i < p->expressions; i++) {
        if (p->observable) obs_observable_free(&p->observable[i]);
        free(p->sums[i].node);
        free(p->sums[i].value);
    }
    free(p->observable);
    free(p->sums);
    free(p->start);
    free(p->description);
    free(p->fit);
    *p = (struct tcf_part){.path = NULL};
}
