// SPDX-License-Identifier: MIT
// Prints the same properties as a table or as JSON, so that both cannot differ in content.
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "used_files.h"

static void put(struct trj_report *f, const char *text) {
    trj_put_raw(&f->text, text, strlen(text));
}

static void put_plain(struct trj_report *f, const char *text) {
    char escape[8];
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            trj_put_raw(&f->text, escape, (size_t)snprintf(escape, sizeof escape, "\\x%02x", c));
        else
            trj_put_raw(&f->text, text, 1);
    }
}

// Writes the text that precedes a value.
static void lead(struct trj_report *f, const char *key) {
    size_t n = f->members[f->depth]++;
    if (f->json) {
        if (f->depth == 1)
            put(f, n ? ",\n    " : "\n    ");
        else if (n)
            put(f, ", ");
        if (!key) return;
        trj_put_json_text(&f->text, key);
        put(f, ": ");
    } else if (f->depth == 1 || f->open[f->depth] == '[') {
        put(f, key ? key : f->row);
        put(f, "\t");
    } else { // a field of an object; the first one begins the line
        put(f, n ? ", " : f->row);
        if (!n) put(f, "\t");
        if (!n && f->depth == 3) return;
        put_plain(f, key);
        put(f, " ");
    }
}

// Writes the text that follows a value.
static void tail(struct trj_report *f) {
    if (!f->json && (f->depth == 1 || f->open[f->depth] == '[')) put(f, "\n");
}

static void put_text(struct trj_report *f, const char *text) {
    if (f->json)
        trj_put_json_text(&f->text, text);
    else
        put_plain(f, text);
}

void trj_report_unknown(struct trj_report *f, const char *key) {
    if (!f->json) return;
    lead(f, key);
    put(f, "null");
}

void trj_report_text(struct trj_report *f, const char *key, const char *text) {
    if (!text) {
        trj_report_unknown(f, key);
        return;
    }
    lead(f, key);
    put_text(f, text);
    tail(f);
}

static void put_word(struct trj_report *f, const char *key, const char *word) {
    lead(f, key);
    put(f, word);
    tail(f);
}

void trj_report_count(struct trj_report *f, const char *key, uint64_t n) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    put_word(f, key, text);
}

void trj_report_integer(struct trj_report *f, const char *key, int64_t n) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)n);
    put_word(f, key, text);
}

void trj_report_truth(struct trj_report *f, const char *key, bool truth) {
    put_word(f, key, f->json ? truth ? "true" : "false" : truth ? "yes" : "no");
}

void trj_report_real(struct trj_report *f, const char *key, double v) {
    if (!isfinite(v)) {
        trj_report_unknown(f, key);
        return;
    }
    lead(f, key);
    trj_put_json_real(&f->text, v);
    tail(f);
}

void trj_report_reals(struct trj_report *f, const char *key, const double *v, size_t n) {
    lead(f, key);
    if (f->json) put(f, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) put(f, f->json ? ", " : " ");
        trj_put_json_real(&f->text, v[i]);
    }
    if (f->json) put(f, "]");
    tail(f);
}

void trj_report_words(struct trj_report *f, const char *key, const char *const *word, size_t n) {
    if (!n && !f->json) return;
    lead(f, key);
    if (f->json) put(f, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) put(f, f->json ? ", " : " ");
        put_text(f, word[i]);
    }
    if (f->json) put(f, "]");
    tail(f);
}

static void begin(struct trj_report *f, const char *key, char bracket) {
    const char text[] = {bracket, 0};
    if (f->json) {
        lead(f, key);
        put(f, text);
    }
    if (f->depth == 1) f->row = key;
    f->open[++f->depth] = bracket;
    f->members[f->depth] = 0;
}

void trj_report_begin_object(struct trj_report *f, const char *key) {
    begin(f, key, '{');
}

void trj_report_begin_list(struct trj_report *f, const char *key) {
    begin(f, key, '[');
}

void trj_report_end(struct trj_report *f) {
    bool object = f->open[f->depth] == '{';
    if (f->json)
        put(f, object ? "}" : "]");
    else if (object && f->members[f->depth])
        put(f, "\n");
    f->depth--;
}

void trj_report_texts(struct trj_report *f, const char *key, char *const *text, size_t n) {
    trj_report_begin_list(f, key);
    for (size_t i = 0; i < n; i++) trj_report_text(f, NULL, text[i]);
    trj_report_end(f);
}

void trj_report_count_if(struct trj_report *f, const char *key, bool known, uint64_t n) {
    if (known)
        trj_report_count(f, key, n);
    else
        trj_report_unknown(f, key);
}

void trj_report_fingerprint(struct trj_report *f, uint64_t fingerprint) {
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)fingerprint);
    trj_report_text(f, "fingerprint", text);
}

void trj_report_check(struct trj_report *f, bool complete, const struct trj_error *damage) {
    bool invalid = damage && (damage->status == TRJ_BAD_DATA || damage->status == TRJ_USAGE);
    f->unreadable = f->unreadable || (damage && !invalid);
    trj_report_text(f, "check", invalid ? "failed" : damage ? "unreadable" : complete ? "ok" : NULL);
    trj_report_text(f, "error", damage ? damage->text : NULL);
}

double trj_report_rounded(double v) {
    char text[32];
    snprintf(text, sizeof text, "%.7g", v);
    return isfinite(v) ? strtod(text, NULL) : v;
}

void trj_report_begin_file(struct trj_report *f) {
    if (f->json)
        put(f, f->files ? ",\n  {" : "[\n  {");
    else if (f->files)
        put(f, "\n");
    f->files++;
    f->depth = 1;
    f->members[1] = 0;
}

void trj_report_end_file(struct trj_report *f) {
    f->depth = 0;
    if (f->json) put(f, "\n  }");
}

int trj_report_write(struct trj_report *f, struct trj_output *out, bool last, struct trj_error *err) {
    if (f->json && last) put(f, f->files ? "\n]\n" : "[]\n");
    if (f->text.failed) return trj_fail_memory(err, (double)f->text.size, "a report");
    int rc = trj_output_write(out, f->text.data, f->text.size, err);
    f->text.size = 0;
    return rc;
}

int trj_report_commit(const struct trj_report *f, struct trj_output *out, struct trj_error *err) {
    if (!f->unreadable || trj_output_goes_to_stdout(out)) return trj_output_commit(out, err);
    return trj_fail(err, TRJ_FAILED, "%s: not written, because a file could not be read", trj_output_name(out));
}

bool trj_report_is_output(const char *path, const struct trj_output *out) {
    struct stat input, output;
    if (trj_output_goes_to_stdout(out) || stat(path, &input) || stat(trj_output_name(out), &output)) return false;
    return trj_file_is(trj_file_id(&input), trj_file_id(&output));
}
