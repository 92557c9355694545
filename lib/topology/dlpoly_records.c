// SPDX-License-Identifier: MIT
// Parses headers, cells and atom records of DL_POLY files, whose dialects differ in the numbers that a record has.
#include "dlpoly_records.h"

#include <math.h>
#include <string.h>

#include "cell_solids.h"
#include "number.h"

enum { MAX_LEVEL = 2, MAX_IMCON = 7, SLAB = 6 };

static bool is_number(const char *word) {
    double value;
    const char *end = word ? trj_scan_real(word, &value) : NULL;
    return end && !*end;
}

// Parses the words of the second line. Returns false if they are not those of a header.
static bool parse_header(char *text, struct trj_dlpoly_header *h) {
    char *rest = text, *word;
    uint64_t number[2], frames;
    for (int k = 0; k < 2; k++)
        if (!(word = trj_next_word(&rest)) || !trj_parse_u64(word, &number[k])) return false;
    if (number[0] > MAX_LEVEL || number[1] > MAX_IMCON) return false;
    *h = (struct trj_dlpoly_header){
        .level = (int)number[0], .imcon = (int)number[1], .third = UINT64_MAX, .time_step = NAN};
    if ((word = trj_next_word(&rest)) && !trj_parse_u64(word, &h->third)) return false;
    if (word && (word = trj_next_word(&rest))) {
        if (trj_parse_u64(word, &frames))
            h->frames = frames;
        else if (!trj_parse_real(word, &h->time_step))
            return false;
    }
    while (word && (word = trj_next_word(&rest)))
        if (!is_number(word)) return false;
    return true;
}

static bool is_timestep(const char *line) {
    static const char word[] = "timestep";
    line += strspn(line, " \t");
    return !strncmp(line, word, sizeof word - 1) && trj_is_blank(line[sizeof word - 1]);
}

// ---- detection

enum { LINE = 256 };

// Copies the next complete line. Returns false if there is none, or it is too long.
static bool next_line(const char **rest, const char *end, char line[LINE]) {
    const char *newline = memchr(*rest, '\n', (size_t)(end - *rest));
    size_t length = newline ? (size_t)(newline - *rest) : LINE;
    if (length >= LINE || memchr(*rest, 0, length)) return false;
    memcpy(line, *rest, length);
    line[length - (length && line[length - 1] == '\r')] = 0;
    *rest = newline + 1;
    return true;
}

static bool are_three_numbers(char *line) {
    char *rest = line;
    for (int k = 0; k < 3; k++)
        if (!is_number(trj_next_word(&rest))) return false;
    return !trj_next_word(&rest);
}

// Returns whether a line is the record of an atom of a CONFIG: a name, and only numbers.
static bool is_atom(char *line) {
    char *rest = line, *word = trj_next_word(&rest);
    if (!word || is_number(word)) return false;
    while ((word = trj_next_word(&rest)))
        if (!is_number(word)) return false;
    return true;
}

bool trj_dlpoly_is(const char *head, size_t n) {
    const char *end = head + n;
    char line[LINE];
    struct trj_dlpoly_header h;
    for (int k = 0; k < 2; k++) // the title and the header
        if (!next_line(&head, end, line)) return false;
    if (!parse_header(line, &h)) return false;
    if (!next_line(&head, end, line)) return false;
    if (is_timestep(line)) return h.third != UINT64_MAX;
    for (int k = 0; k < 3 && h.imcon; k++)
        if (!are_three_numbers(line) || !next_line(&head, end, line)) return false;
    return is_atom(line) && next_line(&head, end, line) && are_three_numbers(line);
}

// ---- records

static int next_required(struct trj_lines *l, const char *what, struct trj_error *err) {
    int got = trj_lines_next(l, err);
    if (got < 0) return -1;
    return got ? 0 : trj_lines_fail(l, err, "the file ends after this line, before %s", what);
}

int trj_dlpoly_header(struct trj_lines *l, struct trj_dlpoly_header *header, struct trj_error *err) {
    if (next_required(l, "the title", err) || next_required(l, "the header", err)) return -1;
    if (!parse_header(l->text, header))
        return trj_lines_fail(l, err, "invalid header: expected the level (0 to 2), imcon (0 to 7) and numbers");
    if (next_required(l, "the first frame", err)) return -1;
    header->history = is_timestep(l->text);
    trj_lines_repeat(l);
    return 0;
}

int trj_dlpoly_timestep(const struct trj_lines *l, struct trj_frame *f, char **atoms, int *imcon,
                        struct trj_error *err) {
    enum { STEP, ATOMS, LEVEL, IMCON, TIME_STEP, WORDS };
    char *rest = l->text, *word[WORDS], *time;
    uint64_t number;
    double dt;
    if (!is_timestep(l->text)) return trj_lines_fail(l, err, "'%.40s' found, expected timestep", l->text);
    trj_next_word(&rest);
    for (int k = 0; k < WORDS; k++)
        if (!(word[k] = trj_next_word(&rest)))
            return trj_lines_fail(l, err, "timestep has %d numbers, expected at least %d", k, WORDS);
    if (!trj_parse_i64(word[STEP], &f->step))
        return trj_lines_fail(l, err, "timestep: '%.40s' is not a step", word[STEP]);
    if (!trj_parse_u64(word[IMCON], &number) || number > MAX_IMCON)
        return trj_lines_fail(l, err, "timestep: '%.40s' is not imcon (0 to 7)", word[IMCON]);
    if (!trj_parse_real(word[TIME_STEP], &dt))
        return trj_lines_fail(l, err, "timestep: '%.40s' is not a time step", word[TIME_STEP]);
    *imcon = (int)number;
    *atoms = word[ATOMS];
    f->time = (double)f->step * dt;
    if ((time = trj_next_word(&rest)) && !trj_parse_real(time, &f->time))
        return trj_lines_fail(l, err, "timestep: '%.40s' is not a time", time);
    return 0;
}

static int read_row(const struct trj_lines *l, double row[3], struct trj_error *err) {
    const char *p = l->text;
    for (int k = 0; k < 3; k++) {
        while (trj_is_blank(*p)) p++;
        if (!(p = trj_scan_real(p, &row[k])) || (*p && !trj_is_blank(*p)) || !isfinite(row[k]))
            return trj_lines_fail(l, err, "a row of the cell: expected 3 numbers");
    }
    return 0;
}

static int set_shape(struct trj_cell *cell, int imcon, struct trj_error *err) {
    static const enum trj_cell_solid solids[] = {
        [4] = TRJ_SOLID_OCTAHEDRON, [5] = TRJ_SOLID_DODECAHEDRON, [7] = TRJ_SOLID_PRISM};
    cell->periodic = imcon == SLAB ? TRJ_PERIODIC_A | TRJ_PERIODIC_B : imcon ? TRJ_PERIODIC_ALL : 0;
    if (imcon != 4 && imcon != 5 && imcon != 7) return 0;
    return trj_cell_of_solid(cell, solids[imcon], err);
}

int trj_dlpoly_cell(struct trj_lines *l, int imcon, struct trj_cell *cell, bool *rows, struct trj_error *err) {
    struct trj_error why;
    int rc = 0;
    *cell = (struct trj_cell){0};
    if (next_required(l, "the first atom", err)) return -1;
    double first;
    const char *text = l->text + strspn(l->text, " \t"), *end = trj_scan_real(text, &first);
    *rows = end && (!*end || trj_is_blank(*end));
    if (!*rows) {
        trj_lines_repeat(l);
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        if (i && next_required(l, "a row of the cell", err)) return -1;
        if (read_row(l, cell->h[i], rc ? &why : err)) rc = 1;
    }
    if (rc) return 1;
    if (!set_shape(cell, imcon, &why)) return 0;
    trj_lines_fail(l, err, "imcon %d: %s", imcon, why.text);
    return 1;
}

// Cuts the next word out of a text, in place. Inline, because each atom of a trajectory has two.
static inline char *cut_word(char **rest) {
    char *p = *rest;
    while (trj_is_blank(*p)) p++;
    char *word = p;
    while (*p && !trj_is_blank(*p)) p++;
    *rest = *p ? p + 1 : p;
    *p = 0;
    return *word ? word : NULL;
}

int trj_dlpoly_atom(const struct trj_lines *l, const struct trj_dlpoly_header *header, size_t atom,
                    struct trj_dlpoly_atom *record, struct trj_error *err) {
    char *word[2], *p = l->text;
    for (int k = 0; k < 2; k++) word[k] = cut_word(&p);
    *record = (struct trj_dlpoly_atom){.name = word[0], .index = word[1], .rest = p};
    if (!record->name || (*record->name < 'A' && is_number(record->name)))
        return trj_lines_fail(l, err,
                              "atom %zu: '%.40s' found, expected a name: with level %d of the header, an atom has %d "
                              "line%s of numbers",
                              atom, record->name ? record->name : "", header->level, header->level + 1,
                              header->level ? "s" : "");
    return 0;
}

void trj_dlpoly_properties(const struct trj_dlpoly_atom *record, char **mass, char **charge) {
    char *rest = record->rest;
    *mass = trj_next_word(&rest);
    *charge = *mass ? trj_next_word(&rest) : NULL;
}

int trj_dlpoly_index(const struct trj_lines *l, const struct trj_dlpoly_atom *record, size_t atom, int64_t *index,
                     struct trj_error *err) {
    if (record->index && trj_parse_i64(record->index, index)) return 0;
    return trj_lines_fail(l, err, "atom %zu: '%.40s' is not an index", atom, record->index ? record->index : "");
}
