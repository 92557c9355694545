// SPDX-License-Identifier: MIT
// Splits text by the rules of APBS, which differ from those of other text files here: '=', ',' and ';' are blanks, too.
#include "apbs_words.h"

#include <string.h>
#include <strings.h>

#include "number.h"

enum { NUMBER = 64 }; // bytes of a number

int pot_apbs_fail(const struct pot_apbs_words *w, struct trj_error *err) {
    unsigned long long line = 1;
    for (size_t i = 0; i < w->begin; i++) line += w->text[i] == '\n';
    return trj_fail_at(err, "line %llu", line);
}

int pot_apbs_next(struct pot_apbs_words *w, struct trj_error *err) {
    const char *p = w->text + w->offset;
    for (p += strspn(p, POT_APBS_BLANKS); *p && strchr(POT_APBS_COMMENTS, *p); p += strspn(p, POT_APBS_BLANKS))
        p += strcspn(p, "\n");
    w->begin = (size_t)(p - w->text);
    w->length = strcspn(p, POT_APBS_BLANKS POT_APBS_COMMENTS);
    w->offset = w->begin + w->length;
    if (!w->length) return 0;
    if (!w->text[w->offset] || !strchr(POT_APBS_COMMENTS, w->text[w->offset])) return 1;
    trj_error_set(err, TRJ_BAD_DATA, "'%c' in a word; put a blank before a comment, or rename the file",
                  w->text[w->offset]);
    return pot_apbs_fail(w, err);
}

int pot_apbs_require(struct pot_apbs_words *w, const char *what, struct trj_error *err) {
    int got = pot_apbs_next(w, err);
    if (got) return got < 0 ? -1 : 0;
    trj_error_set(err, TRJ_BAD_DATA, "truncated: the file ends before %s", what);
    return pot_apbs_fail(w, err);
}

int pot_apbs_require_path(struct pot_apbs_words *w, const char *what, struct trj_error *err) {
    if (pot_apbs_require(w, what, err)) return -1;
    size_t begin = w->begin;
    bool quoted = w->text[begin] == '"';
    while (quoted && w->text[w->offset - 1] != '"')
        if (pot_apbs_require(w, "the end of a quoted path", err)) return -1;
    w->begin = begin;
    w->length = w->offset - begin;
    return 0;
}

bool pot_apbs_is(const struct pot_apbs_words *w, const char *keyword) {
    return strlen(keyword) == w->length && !strncasecmp(w->text + w->begin, keyword, w->length);
}

// Copies the next word. A word that is too long for a number is copied in part, and is then no number.
static int copy_next(struct pot_apbs_words *w, const char *keyword, char text[NUMBER], struct trj_error *err) {
    if (pot_apbs_require(w, keyword, err)) return -1;
    bool fits = w->length < NUMBER;
    size_t n = fits ? w->length : NUMBER - 4;
    memcpy(text, w->text + w->begin, n);
    memcpy(text + n, "...", fits ? 0 : 3);
    text[fits ? n : n + 3] = 0;
    return 0;
}

int pot_apbs_real(struct pot_apbs_words *w, const char *keyword, double low, double high, double *value,
                  struct trj_error *err) {
    char text[NUMBER];
    if (copy_next(w, keyword, text, err)) return -1;
    if (trj_parse_real(text, value) && *value >= low && *value <= high) return 0;
    trj_error_set(err, TRJ_BAD_DATA, "%s: invalid value '%s': expected a number from %g to %g", keyword, text, low,
                  high);
    return pot_apbs_fail(w, err);
}

int pot_apbs_count(struct pot_apbs_words *w, const char *keyword, uint64_t low, uint64_t high, uint64_t *value,
                   struct trj_error *err) {
    char text[NUMBER];
    if (copy_next(w, keyword, text, err)) return -1;
    if (trj_parse_u64(text, value) && *value >= low && *value <= high) return 0;
    trj_error_set(err, TRJ_BAD_DATA, "%s: invalid value '%s': expected a whole number from %llu to %llu", keyword, text,
                  (unsigned long long)low, (unsigned long long)high);
    return pot_apbs_fail(w, err);
}
