// SPDX-License-Identifier: MIT
// Finds the table of atoms in mmCIF, and reads its rows. A row can have several lines; it is then joined to one, in
// which threads find its values.
#include "mmcif_records.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "word_edges.h"

static const char *const names[TRJ_MMCIF_ROLES] = {
    [TRJ_MMCIF_X] = "_atom_site.Cartn_x",
    [TRJ_MMCIF_Y] = "_atom_site.Cartn_y",
    [TRJ_MMCIF_Z] = "_atom_site.Cartn_z",
    [TRJ_MMCIF_MODEL] = "_atom_site.pdbx_PDB_model_num",
    [TRJ_MMCIF_NAME] = "_atom_site.auth_atom_id",
    [TRJ_MMCIF_RESNAME] = "_atom_site.auth_comp_id",
    [TRJ_MMCIF_CHAIN] = "_atom_site.auth_asym_id",
    [TRJ_MMCIF_RESID] = "_atom_site.auth_seq_id",
    [TRJ_MMCIF_LABEL_NAME] = "_atom_site.label_atom_id",
    [TRJ_MMCIF_LABEL_RESNAME] = "_atom_site.label_comp_id",
    [TRJ_MMCIF_LABEL_CHAIN] = "_atom_site.label_asym_id",
    [TRJ_MMCIF_LABEL_RESID] = "_atom_site.label_seq_id",
    [TRJ_MMCIF_INSERTION] = "_atom_site.pdbx_PDB_ins_code",
    [TRJ_MMCIF_ALTLOC] = "_atom_site.label_alt_id",
    [TRJ_MMCIF_ELEMENT] = "_atom_site.type_symbol",
    [TRJ_MMCIF_OCCUPANCY] = "_atom_site.occupancy",
    [TRJ_MMCIF_BFACTOR] = "_atom_site.B_iso_or_equiv",
};

void trj_mmcif_start(struct trj_mmcif *m, struct trj_lines *l) {
    m->cif.lines = l;
    trj_cif_cell_clear(&m->cell);
}

void trj_mmcif_free(struct trj_mmcif *m) {
    trj_cif_free(&m->cif);
    free(m->text);
    m->text = NULL;
}

static enum trj_mmcif_role role_of(const struct trj_cif *c) {
    int k = 0;
    while (k < TRJ_MMCIF_ROLES && !trj_cif_is_tag(c, names[k])) k++;
    return (enum trj_mmcif_role)k;
}

static bool is_in_category(const struct trj_cif *c, const char *category) {
    return c->kind == TRJ_CIF_TAG && c->length > strlen(category) && !strncmp(c->text, category, strlen(category));
}

static void add_block(struct trj_mmcif *m) {
    size_t n = strlen(m->blocks);
    m->tables++;
    snprintf(m->blocks + n, sizeof m->blocks - n, "%s%.40s", n ? ", " : "", *m->block ? m->block : "(without a name)");
}

static void find_ranges(struct trj_mmcif_columns *c) {
    unsigned char first = UCHAR_MAX, last = 0;
    for (int k = 0; k < TRJ_MMCIF_ROLES; k++) {
        if (c->has[k] && c->column[k] < first) first = c->column[k];
        if (c->has[k] && c->column[k] > last) last = c->column[k];
        c->first[k + 1] = first;
        c->last[k + 1] = last;
    }
}

static struct trj_cif_cell *cell_of_block(struct trj_mmcif *m) {
    return m->is_past ? &m->other : &m->cell;
}

// Reads the cell from a table, whose first tag is the current word. Returns 0 or -1.
static int read_cell_table(struct trj_mmcif *m, struct trj_error *err) {
    struct trj_cif *c = &m->cif;
    signed char value[TRJ_MMCIF_COLUMNS];
    size_t count = 0, i = 0;
    for (; c->kind == TRJ_CIF_TAG; count++) {
        if (count == TRJ_MMCIF_COLUMNS) return trj_cif_fail(c, err, "more than %d columns of cells", TRJ_MMCIF_COLUMNS);
        value[count] = (signed char)trj_cif_cell_tag(c);
        if (trj_cif_next(c, err)) return -1;
    }
    for (; c->kind == TRJ_CIF_VALUE; i++) {
        if (i == count) return trj_cif_fail(c, err, "the table of the cell has more than one row");
        if (value[i] >= 0 && trj_cif_put_cell(c, cell_of_block(m), value[i], err)) return -1;
        if (trj_cif_next(c, err)) return -1;
    }
    trj_cif_repeat(c);
    return 0;
}

// Reads the tags of a loop. Returns 1 if it is the table of atoms, 0 or -1.
static int read_columns(struct trj_mmcif *m, struct trj_error *err) {
    struct trj_cif *c = &m->cif;
    struct trj_mmcif_columns columns = {.count = 0};
    for (;; columns.count++) {
        if (trj_cif_next(c, err)) return -1;
        if (!columns.count && is_in_category(c, "_cell.")) return read_cell_table(m, err);
        if (c->kind != TRJ_CIF_TAG || (!columns.count && !is_in_category(c, "_atom_site."))) break;
        if (columns.count == TRJ_MMCIF_COLUMNS)
            return trj_cif_fail(c, err, "more than %d columns of atoms", TRJ_MMCIF_COLUMNS);
        enum trj_mmcif_role role = role_of(c);
        if (role != TRJ_MMCIF_ROLES && columns.has[role])
            return trj_cif_fail(c, err, "a second column %s", names[role]);
        columns.role[columns.count] = (unsigned char)role;
        columns.column[role] = (unsigned char)columns.count;
        columns.has[role] = true;
    }
    trj_cif_repeat(c);
    if (!columns.has[TRJ_MMCIF_X] || c->kind != TRJ_CIF_VALUE) return 0;
    if (!columns.has[TRJ_MMCIF_Y] || !columns.has[TRJ_MMCIF_Z])
        return trj_cif_fail(c, err, "the table of atoms has no column %s",
                            names[columns.has[TRJ_MMCIF_Y] ? TRJ_MMCIF_Z : TRJ_MMCIF_Y]);
    find_ranges(&columns);
    columns.isa = trj_isa_of_process();
    if (!m->tables) m->columns = columns;
    add_block(m);
    return 1;
}

int trj_mmcif_find(struct trj_mmcif *m, struct trj_error *err) {
    struct trj_cif *c = &m->cif;
    for (;;) {
        if (trj_cif_next(c, err)) return -1;
        int got = 0;
        switch (c->kind) {
        case TRJ_CIF_END:
            return 0;
        case TRJ_CIF_DATA:
            trj_cif_copy(c, m->block, sizeof m->block);
            m->is_past = m->tables;
            trj_cif_cell_clear(cell_of_block(m));
            break;
        case TRJ_CIF_LOOP:
            if ((got = read_columns(m, err))) return got;
            break;
        case TRJ_CIF_TAG:
            if (trj_cif_is_tag(c, names[TRJ_MMCIF_X]))
                return trj_cif_fail(c, err,
                                    "an atom that is not in a table (loop_) is not supported; write loop_, the tags of "
                                    "_atom_site, and then their values");
            if (trj_cif_read_cell(c, cell_of_block(m), err) < 0) return -1;
            break;
        default:
            break;
        }
    }
}

// Appends the current word to the row, in its quotes. A value of several lines is joined.
static int append_value(struct trj_mmcif *m, struct trj_error *err) {
    const struct trj_cif *c = &m->cif;
    if (trj_grow(&m->text, &m->capacity, m->length + c->length + 4, 1, "a row", err)) return -1;
    char *to = m->text + m->length, quote = 0;
    if (c->quoted && c->text != c->buffer) quote = c->text[-1];
    if (c->quoted && c->text == c->buffer) quote = memchr(c->text, '\'', c->length) ? '"' : '\'';
    if (m->length) *to++ = ' ';
    if (quote) *to++ = quote;
    memcpy(to, c->text, c->length);
    for (size_t i = 0; i < c->length; i++)
        if (to[i] == '\n') to[i] = ' ';
    to += c->length;
    if (quote) *to++ = quote;
    *to = 0;
    m->length = (size_t)(to - m->text);
    return 0;
}

// Takes the current line as a row if its words are exactly the values of one, as in most files. The first of them is
// the current word. Returns 1, 0 if the line must be read word by word, -1.
static int take_line(struct trj_mmcif *m, struct trj_error *err) {
    struct trj_cif *c = &m->cif;
    const struct trj_lines *l = c->lines;
    uint32_t edge[2 + TRJ_WORD_EDGES_MORE];
    if (memchr(l->text, '_', l->length)) return 0; // as in tags and reserved words
    if (c->text != l->text || !trj_word_edges(l->text, l->length, m->columns.count, 0, 1, edge, m->columns.isa))
        return 0;
    if (trj_grow(&m->text, &m->capacity, l->length + 1, 1, "a row", err)) return -1;
    memcpy(m->text, l->text, l->length + 1);
    m->length = l->length;
    c->next = l->text + l->length;
    return 1;
}

int trj_mmcif_next_row(struct trj_mmcif *m, struct trj_error *err) {
    struct trj_cif *c = &m->cif;
    if (trj_cif_next(c, err)) return -1;
    if (c->kind != TRJ_CIF_VALUE) {
        trj_cif_repeat(c);
        return 0;
    }
    uint64_t before = m->line ? m->last : 0;
    m->line = c->line;
    m->length = 0;
    m->own_line = m->line > before;
    m->last = m->line;
    int got = take_line(m, err);
    if (got) return got;
    for (size_t i = 0; i < m->columns.count; i++) {
        if (i && trj_cif_next(c, err)) return -1;
        if (c->kind != TRJ_CIF_VALUE) {
            if (c->kind == TRJ_CIF_END) err->truncated = true;
            return trj_cif_fail(c, err, "the row of an atom has %zu values, expected %zu", i, m->columns.count);
        }
        m->own_line = m->own_line && c->line == m->line && (!c->quoted || c->text != c->buffer);
        if (append_value(m, err)) return -1;
    }
    m->last = c->lines->number;
    m->own_line = m->own_line && m->last == m->line && trj_cif_line(c->next) == TRJ_CIF_IGNORED;
    return 1;
}

int trj_mmcif_finish(struct trj_mmcif *m, struct trj_error *err) {
    int got = trj_mmcif_find(m, err);
    if (got <= 0) return got;
    while ((got = trj_mmcif_find(m, err)) > 0)
        if (m->tables > 1000) break; // the message lists only the first ones
    if (got < 0) return -1;
    return trj_fail(err, TRJ_BAD_DATA,
                    "%zu tables of atoms, in the blocks %s: which one is to be read is not known; write the block with "
                    "the name NAME to a file with awk '{sub(/\\r$/, \"\")} /^data_/ {on = $1 == \"data_NAME\"} "
                    "on' FILE",
                    m->tables, m->blocks);
}

int trj_mmcif_fail_empty(const struct trj_mmcif *m, struct trj_error *err) {
    return trj_lines_fail(
        m->cif.lines, err,
        "the file ends without a table of atoms with positions (_atom_site.Cartn_x); give the file of "
        "a structure, not that of a component or of structure factors");
}

static void put_value(struct trj_mmcif_row *row, size_t role, const char *text, size_t length) {
    bool missing = length == 1 && (*text == '?' || *text == '.');
    row->value[role].text = text;
    row->value[role].length = missing ? 0 : length;
}

// Finds the values of any row, byte by byte.
static size_t scan_any(const struct trj_mmcif_columns *c, const char *line, size_t length, struct trj_mmcif_row *row) {
    const char *p = line, *end = line + length;
    for (size_t n = 0;; n++) {
        while (p < end && trj_is_blank(*p)) p++;
        if (p == end || *p == '#') return n;
        size_t role = n < c->count ? c->role[n] : TRJ_MMCIF_ROLES;
        const char *from = p;
        if (*p == '\'' || *p == '"') {
            if (!(p = trj_cif_scan(p, &row->value[role].text, &row->value[role].length))) return n;
            continue;
        }
        while (p < end && (unsigned char)*p > ' ') p++;
        if (p == from) return n; // a control character
        put_value(row, role, from, (size_t)(p - from));
    }
}

// Most rows have neither quotes nor tabs. For them, all words are found first, without a branch for each byte, and then
// only those that are needed are looked at.
size_t trj_mmcif_scan(const struct trj_mmcif_columns *c, int roles, const char *line, size_t length,
                      struct trj_mmcif_row *row) {
    uint32_t edge[2 * TRJ_MMCIF_COLUMNS + TRJ_WORD_EDGES_MORE];
    const size_t first = c->first[roles];
    if (!trj_word_edges(line, length, c->count, first, c->last[roles] + 1u, edge, c->isa))
        return scan_any(c, line, length, row);
    for (int k = 0; k < roles; k++) {
        if (!c->has[k]) continue;
        const uint32_t *word = edge + 2 * (c->column[k] - first);
        put_value(row, (size_t)k, line + word[0], word[1] - word[0]);
    }
    return c->count;
}

enum trj_mmcif_role trj_mmcif_source(const struct trj_mmcif_row *row, enum trj_mmcif_role role) {
    int label = (int)role + TRJ_MMCIF_LABEL_NAME - TRJ_MMCIF_NAME;
    return row->value[role].length ? role : (enum trj_mmcif_role)label;
}

void trj_mmcif_model(const struct trj_mmcif_columns *c, const char *line, size_t length,
                     char model[TRJ_MMCIF_MODEL_NAME]) {
    const char *text = line;
    size_t n = 0;
    memset(model, 0, TRJ_MMCIF_MODEL_NAME);
    if (!c->has[TRJ_MMCIF_MODEL]) return;
    if (c->role[c->count - 1] == TRJ_MMCIF_MODEL && !memchr(line, '#', length)) { // as in most files
        const char *end = line + length;
        while (end > line && trj_is_blank(end[-1])) end--;
        text = end;
        while (text > line && !trj_is_blank(text[-1])) text--;
        n = (size_t)(end - text);
    } else {
        struct trj_mmcif_row row = {.value = {{NULL, 0}}};
        trj_mmcif_scan(c, TRJ_MMCIF_MODEL + 1, line, length, &row);
        text = row.value[TRJ_MMCIF_MODEL].text;
        n = row.value[TRJ_MMCIF_MODEL].length;
    }
    if (n >= TRJ_MMCIF_MODEL_NAME) n = TRJ_MMCIF_MODEL_NAME - 1;
    if (n) memcpy(model, text, n);
}
