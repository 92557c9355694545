// SPDX-License-Identifier: MIT
// Reads the words of CIF line by line, so that files of any size need little memory.
#include "cif_records.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"
#include "number.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || !c;
}

int trj_cif_fail(const struct trj_cif *c, struct trj_error *err, const char *format, ...) {
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s", (unsigned long long)c->line, text);
}

static const char *word_end(const char *p) {
    while (!is_space(*p)) p++;
    return p;
}

const char *trj_cif_scan(const char *p, const char **text, size_t *length) {
    if (*p != '\'' && *p != '"') {
        *text = p;
        while ((unsigned char)*p > ' ') p++;
        *length = (size_t)(p - *text);
        return p;
    }
    char quote = *p++;
    *text = p;
    for (; *p; p++)
        if (*p == quote && is_space(p[1])) {
            *length = (size_t)(p - *text);
            return p + 1;
        }
    return NULL;
}

// Returns whether a word may be reserved, by its first character.
static bool may_be_reserved(char c) {
    c |= 'a' ^ 'A';
    return c == 'd' || c == 'l' || c == 's' || c == 'g';
}

// The kind of a word that is not in quotes. Reserved words can be in any case.
static enum trj_cif_kind kind_of(const char *p, size_t n) {
    if (*p == '_') return TRJ_CIF_TAG;
    if (!may_be_reserved(*p)) return TRJ_CIF_VALUE;
    if (n >= 5 && !strncasecmp(p, "data_", 5)) return TRJ_CIF_DATA;
    if (n == 5 && !strncasecmp(p, "loop_", 5)) return TRJ_CIF_LOOP;
    if ((n >= 5 && !strncasecmp(p, "save_", 5)) || (n == 5 && !strncasecmp(p, "stop_", 5)) ||
        (n == 7 && !strncasecmp(p, "global_", 7)))
        return TRJ_CIF_OTHER;
    return TRJ_CIF_VALUE;
}

enum trj_cif_line trj_cif_line(const char *line) {
    while (trj_is_blank(*line)) line++;
    if (!*line || *line == '#') return TRJ_CIF_IGNORED;
    if (*line == '_') return TRJ_CIF_NO_ROW;
    return kind_of(line, (size_t)(word_end(line) - line)) == TRJ_CIF_VALUE ? TRJ_CIF_ROW : TRJ_CIF_NO_ROW;
}

// Reads a value of several lines, the first of which is the current one, after its ';'.
static int read_text(struct trj_cif *c, struct trj_error *err) {
    const char *from = c->lines->text + 1;
    size_t n = 0;
    int got = 1;
    for (; got > 0; got = trj_lines_next(c->lines, err), from = c->lines->text) {
        if (n && *from == ';') break;
        size_t length = strlen(from);
        if (trj_grow(&c->buffer, &c->capacity, n + length + 2, 1, "a value", err)) return -1;
        memcpy(c->buffer + n, from, length);
        n += length;
        c->buffer[n++] = '\n';
    }
    if (got < 0) return -1;
    if (!got) return trj_cif_fail(c, err, "a value that begins with ';' is not closed");
    c->kind = TRJ_CIF_VALUE;
    c->quoted = true;
    c->text = c->buffer;
    c->length = n - 1;
    c->next = c->lines->text + 1;
    return 0;
}

int trj_cif_next(struct trj_cif *c, struct trj_error *err) {
    if (c->again) {
        c->again = false;
        return 0;
    }
    for (;;) {
        while (c->next && trj_is_blank(*c->next)) c->next++;
        if (c->next && *c->next && *c->next != '#') break;
        int got = trj_lines_next(c->lines, err);
        if (got < 0) return -1;
        c->kind = TRJ_CIF_END;
        c->length = 0;
        if (!got) return 0;
        c->line = c->lines->number;
        c->next = c->lines->text;
        if (c->line == 1 && !strncmp(c->next, byte_order_mark, 3)) c->next += 3;
        if (*c->next == ';') return read_text(c, err);
    }
    c->line = c->lines->number;
    c->quoted = *c->next == '\'' || *c->next == '"';
    const char *end = trj_cif_scan(c->next, &c->text, &c->length);
    if (!end) return trj_cif_fail(c, err, "a quote is not closed: %.40s", c->next);
    if (!c->quoted && !c->length) return trj_cif_fail(c, err, "a control character, 0x%02x", (unsigned char)*c->next);
    c->next = end;
    c->kind = c->quoted ? TRJ_CIF_VALUE : kind_of(c->text, c->length);
    if (c->kind == TRJ_CIF_DATA) {
        c->text += strlen("data_");
        c->length -= strlen("data_");
    }
    return 0;
}

void trj_cif_repeat(struct trj_cif *c) {
    c->again = true;
}

void trj_cif_free(struct trj_cif *c) {
    free(c->buffer);
    c->buffer = NULL;
    c->capacity = 0;
}

static bool same_name(const char *text, size_t length, const char *name) {
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++) {
        char a = (char)tolower((unsigned char)text[i]), b = (char)tolower((unsigned char)name[i]);
        if (a != b && !(strchr("._", a) && strchr("._", b))) return false;
    }
    return true;
}

bool trj_cif_is_tag(const struct trj_cif *c, const char *name) {
    return c->kind == TRJ_CIF_TAG && same_name(c->text, c->length, name);
}

bool trj_cif_is_missing(const struct trj_cif *c) {
    return !c->quoted && c->length == 1 && (*c->text == '?' || *c->text == '.');
}

bool trj_cif_ends_file(const struct trj_cif *c) {
    return !c->quoted && !*c->next && !trj_lines_has_newline(c->lines);
}

void trj_cif_copy(const struct trj_cif *c, char *to, size_t capacity) {
    size_t n = c->length < capacity ? c->length : capacity - 1;
    if (c->kind == TRJ_CIF_VALUE && trj_cif_is_missing(c)) n = 0;
    if (n) memcpy(to, c->text, n);
    to[n] = 0;
}

bool trj_cif_number(const char *text, size_t length, double *value) {
    char number[64];
    if (!length || length >= sizeof number) return false;
    memcpy(number, text, length);
    number[length] = 0;
    const char *end = trj_scan_real(number, value);
    if (!end || !isfinite(*value)) return false;
    if (*end != '(') return !*end;
    end++;
    size_t digits = strspn(end, "0123456789.");
    return digits && end[digits] == ')' && !end[digits + 1];
}

// ---- cells

static const char *const cell_tags[6] = {"_cell.length_a",    "_cell.length_b",   "_cell.length_c",
                                         "_cell.angle_alpha", "_cell.angle_beta", "_cell.angle_gamma"};

void trj_cif_cell_clear(struct trj_cif_cell *cell) {
    for (int k = 0; k < 3; k++) cell->length[k] = cell->angle[k] = NAN;
}

int trj_cif_cell_tag(const struct trj_cif *c) {
    int k = 0;
    while (k < 6 && !trj_cif_is_tag(c, cell_tags[k])) k++;
    return k < 6 ? k : -1;
}

const char *trj_cif_cell_missing(const struct trj_cif_cell *cell) {
    for (int k = 0; k < 6; k++)
        if (isnan(k < 3 ? cell->length[k] : cell->angle[k - 3])) return cell_tags[k] + strlen("_cell.");
    return NULL;
}

int trj_cif_put_cell(const struct trj_cif *c, struct trj_cif_cell *cell, int k, struct trj_error *err) {
    double *value = k < 3 ? &cell->length[k] : &cell->angle[k - 3], number;
    if (trj_cif_is_missing(c) || !c->length) return 0;
    if (!trj_cif_number(c->text, c->length, &number))
        return trj_cif_fail(c, err, "'%.*s' is not a value of %s", (int)(c->length < 40 ? c->length : 40), c->text,
                            cell_tags[k]);
    if (k < 3 ? number < 0 : !(number >= 0 && number < 180))
        return trj_cif_fail(c, err, "%g is not a value of %s", number, cell_tags[k]);
    if (islessgreater(*value, number))
        return trj_cif_fail(c, err, "%s of the cell is %g, but was %g before in this block; remove one of the two",
                            cell_tags[k] + sizeof "_cell." - 1, number, *value);
    *value = number;
    return 0;
}

int trj_cif_read_cell(struct trj_cif *c, struct trj_cif_cell *cell, struct trj_error *err) {
    int k = trj_cif_cell_tag(c);
    if (k < 0) return 0;
    if (trj_cif_next(c, err)) return -1;
    if (c->kind == TRJ_CIF_VALUE) return trj_cif_put_cell(c, cell, k, err) ? -1 : 1;
    trj_cif_repeat(c);
    return 1;
}

int trj_cif_set_cell(const struct trj_cif_cell *cell, struct trj_cell *to, struct trj_error *err) {
    double cosine[3];
    *to = (struct trj_cell){.periodic = 0};
    bool ones = true;
    for (int k = 0; k < 3; k++) {
        if (isnan(cell->length[k]) || isnan(cell->angle[k])) return 0;
        cosine[k] = trj_cosine(cell->angle[k]);
        ones = ones && cell->length[k] == 1;
    }
    return ones ? 0 : trj_cell_set(to, cell->length, cosine, err);
}

// ---- detection

enum cif_kind { NO_CIF, MMCIF, SMALL_CIF };

// Returns the kind by the tags of coordinates, as far as the head reaches, or else `kind`. The first tag can be of the
// other kind: dictionaries of small crystals may be written with points, and programs mix tags of both kinds.
static enum cif_kind kind_of_sites(const char *head, size_t n, enum cif_kind kind) {
    static const char *const tags[] = {"_atom_site.Cartn_x", "_atom_site.fract_x", "_atom_site_fract_x"};
    const char *end = head + n;
    bool found[3] = {false};
    for (const char *p = head; (p = memchr(p, '_', (size_t)(end - p))); p++)
        for (int k = 0; k < 3; k++) {
            const size_t length = strlen(tags[k]);
            if (length < (size_t)(end - p) && is_space(p[length]) && (p == head || is_space(p[-1])) &&
                !strncasecmp(p, tags[k], length))
                found[k] = true;
        }
    const bool fractions = found[1] || found[2];
    return found[0] == fractions ? kind : fractions ? SMALL_CIF : MMCIF;
}

// The first word is data_NAME, loop_ or a tag. The next one may not be a value: "data_1 a" may be a title.
static enum cif_kind kind_of_file(const char *head, size_t n) {
    size_t at = n >= 3 && !memcmp(head, byte_order_mark, 3) ? 3 : 0;
    bool data = false;
    for (int words = 0; at < n;) {
        while (at < n && head[at] && is_space(head[at])) at++;
        size_t end = at;
        if (at < n && head[at] == '#') {
            while (at < n && head[at] != '\n') at++;
            continue;
        }
        while (end < n && !is_space(head[end])) end++;
        size_t length = end - at;
        if (end == n || !length) break;
        enum trj_cif_kind kind = kind_of(head + at, length);
        if (kind == TRJ_CIF_VALUE) return NO_CIF;
        if (kind == TRJ_CIF_TAG && length > 1) {
            const bool dotted = memchr(head + at, '.', length);
            return !dotted && !data && !words ? NO_CIF : kind_of_sites(head, n, dotted ? MMCIF : SMALL_CIF);
        }
        data = data || kind == TRJ_CIF_DATA;
        words++;
        at = end;
    }
    return NO_CIF;
}

bool trj_mmcif_is(const char *head, size_t n) {
    return kind_of_file(head, n) == MMCIF;
}

bool trj_small_cif_is(const char *head, size_t n) {
    return kind_of_file(head, n) == SMALL_CIF;
}
