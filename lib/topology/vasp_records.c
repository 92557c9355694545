// SPDX-License-Identifier: MIT
// Reads lines of POSCAR and XDATCAR for topologies and trajectories. As VASP does, it ignores what follows the numbers
// of a line.
#include "vasp_records.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "element.h"
#include "frame.h"
#include "memory.h"
#include "number.h"

const char *trj_vasp_scan(const char *line, double value[3], const char *number[3]) {
    for (int k = 0; k < 3; k++) {
        while (trj_is_blank(*line)) line++;
        number[k] = line;
        if (!(line = trj_scan_real(line, &value[k]))) return NULL;
        if (*line && !trj_is_blank(*line) && (k == 2 || (*line != '-' && *line != '+'))) return NULL;
    }
    return line;
}

static int next_line(struct trj_lines *l, const char *what, struct trj_error *err) {
    int got = trj_lines_next(l, err);
    if (got < 0) return -1;
    return got ? 0 : trj_lines_fail(l, err, "the file ends after this line, before %s", what);
}

// The current line contains one factor, or three (since VASP 6). Returns their number, or -1.
static int read_scale(const struct trj_lines *l, double scale[3], struct trj_error *err) {
    const char *number[3], *p = l->text;
    if (trj_vasp_scan(l->text, scale, number)) {
        if (scale[0] > 0 && scale[1] > 0 && scale[2] > 0) return 3;
        return trj_lines_fail(l, err, "three factors of the cell vectors must be positive");
    }
    while (trj_is_blank(*p)) p++;
    const char *end = trj_scan_real(p, &scale[0]);
    if (!end || (*end && !trj_is_blank(*end)) || scale[0] == 0 || !isfinite(scale[0]))
        return trj_lines_fail(l, err, "'%.40s' where the factor of the cell vectors is expected", l->text);
    scale[1] = scale[2] = scale[0];
    return 1;
}

static int read_cell(struct trj_vasp_head *h, struct trj_lines *l, struct trj_error *err) {
    const char *number[3];
    int factors = read_scale(l, h->scale, err);
    if (factors < 0) return -1;
    h->cell = (struct trj_cell){.periodic = TRJ_PERIODIC_ALL};
    for (int k = 0; k < 3; k++) {
        if (next_line(l, "the cell vectors", err)) return -1;
        if (!trj_vasp_scan(l->text, h->cell.h[k], number))
            return trj_lines_fail(l, err, "'%.40s' where cell vector %d of 3 is expected", l->text, k + 1);
    }
    if (h->scale[0] < 0) { // it is the volume, with a minus sign
        double volume = trj_cell_volume(&h->cell);
        if (!(volume > 0) || !isfinite(volume))
            return trj_lines_fail(l, err, "the cell vectors span no volume, but the factor gives one");
        double factor = cbrt(-h->scale[0] / volume);
        for (int k = 0; k < 3; k++) h->scale[k] = factor;
    }
    for (int k = 0; k < 9; k++) {
        double *v = &h->cell.h[k / 3][k % 3];
        *v = *v * h->scale[k % 3] + 0.0; // not -0
    }
    return 0;
}

static const char *skip_blanks(const char *p) {
    while (trj_is_blank(*p)) p++;
    return p;
}

static const char *word_end(const char *p) {
    while (*p && !trj_is_blank(*p)) p++;
    return p;
}

// Returns the length of the name of a species in a word: "Cr" of Cr_pv/0a1b2c3d and Cr/0a1b2c3d, "H" of H.75.
static size_t name_length(const char *word) {
    size_t n = 0;
    while (isalpha((unsigned char)word[n])) n++;
    return n;
}

static int add_species(struct trj_vasp_head *h, const struct trj_lines *l, struct trj_error *err) {
    enum { MOST = 1 << 20 }; // limits the memory for a file that consists of names or numbers
    if (h->count == MOST) return trj_lines_fail(l, err, "more than %d species, which cannot be read", MOST);
    if (trj_grow(&h->species, &h->capacity, h->count + 1, sizeof *h->species, "names of species", err)) return -1;
    h->species[h->count++] = (struct trj_vasp_species){.atoms = 0};
    return 0;
}

// Adds the words of the current line as species. Returns 0 or -1.
static int add_names(struct trj_vasp_head *h, const struct trj_lines *l, struct trj_error *err) {
    const char *p = skip_blanks(l->text);
    if (!name_length(p))
        return trj_lines_fail(l, err, "'%.40s' where the names of the species or their numbers of atoms are expected",
                              l->text);
    for (; *p; p = skip_blanks(word_end(p))) {
        if (add_species(h, l, err)) return -1;
        struct trj_vasp_species *s = &h->species[h->count - 1];
        size_t n = name_length(p);
        memcpy(s->name, p, n < sizeof s->name ? n : sizeof s->name - 1);
    }
    return 0;
}

// Returns the text after a whole number, which is the word at p; NULL if that is none.
static const char *scan_whole(const char *p, int64_t *value) {
    const char *end = isdigit((unsigned char)*p) ? trj_scan_i64(p, value) : NULL;
    return end && (!*end || trj_is_blank(*end)) ? skip_blanks(end) : NULL;
}

// Returns the text after the whole numbers at the start of a line, which is the whole line if it has none.
static const char *skip_whole(const char *line) {
    int64_t value;
    line = skip_blanks(line);
    for (const char *end; (end = scan_whole(line, &value));) line = end;
    return line;
}

// VASP 4 writes no names. Many files then have them in the title, "Si O", but not "Si2 O4". Returns whether the title
// has the symbol of an element for each species and no other words. Sets the names.
static bool name_by_title(struct trj_vasp_head *h, const char *title) {
    size_t n = 0;
    for (const char *p = skip_blanks(title), *end; *p; p = skip_blanks(end), n++) {
        end = word_end(p);
        if (n == h->count || !trj_element_find_exact(p, (size_t)(end - p))) return false;
        memcpy(h->species[n].name, p, (size_t)(end - p));
    }
    return n == h->count;
}

static void name_by_number(struct trj_vasp_head *h) {
    for (size_t i = 0; i < h->count; i++) {
        char digits[TRJ_VASP_NAME], *name = h->species[i].name;
        size_t n = 0, number = i + 1; // at most MOST
        do digits[n++] = (char)('0' + number % 10);
        while (number /= 10);
        name[n] = 0;
        while (n) *name++ = digits[--n];
    }
}

// Adds the numbers of atoms in the current line, before which *n were read. Returns the text after them; NULL: error.
static const char *add_counts(struct trj_vasp_head *h, const struct trj_lines *l, size_t *n, struct trj_error *err) {
    const char *p = skip_blanks(l->text), *end;
    int64_t value;
    double real;
    for (; (end = scan_whole(p, &value)); p = end) {
        if (h->named && *n == h->count) {
            trj_lines_fail(l, err, "more numbers of atoms than the %zu names before them", h->count);
            return NULL;
        }
        if (!h->named && add_species(h, l, err)) return NULL;
        h->species[(*n)++].atoms = (uint64_t)value;
        h->atoms += (uint64_t)value;
        if (h->atoms > UINT32_MAX) {
            trj_lines_fail(l, err, "more than %u atoms, which cannot be read", UINT32_MAX);
            return NULL;
        }
    }
    end = trj_scan_real(p, &real);
    if (!end || (*end && !trj_is_blank(*end)) || (h->named && *n == h->count)) return p; // a comment
    trj_lines_fail(l, err, "'%.40s' where numbers of atoms are expected", p);
    return NULL;
}

// Reads the numbers of atoms from the current line on: one for each name, or, without names, those of all lines that
// have nothing else.
static int read_counts(struct trj_vasp_head *h, struct trj_lines *l, struct trj_error *err) {
    size_t n = 0;
    h->atoms = 0;
    for (int got = 1; got;) {
        const char *rest = add_counts(h, l, &n, err);
        if (!rest) return -1;
        if (*rest || (h->named && n == h->count)) break;
        if ((got = trj_lines_next(l, err)) < 0) return -1;
        const char *after = skip_whole(l->text);
        if (!got || (!trj_vasp_is_blank(l->text) && (h->named ? after != skip_blanks(l->text) : !*after))) continue;
        if (h->named)
            return trj_lines_fail(l, err, "'%.40s' after %zu numbers of atoms, expected %zu, one for each name",
                                  l->text, n, h->count);
        trj_lines_repeat(l);
        break;
    }
    if (n < h->count)
        return trj_lines_fail(l, err, "%zu numbers of atoms, expected %zu, one for each name", n, h->count);
    return h->atoms ? 0 : trj_lines_fail(l, err, "no atoms");
}

// VASP writes names and numbers in lines of 20, other programs in one line.
int trj_vasp_read_rest(struct trj_vasp_head *h, struct trj_lines *l, const char *title, struct trj_error *err) {
    h->count = 0;
    if (read_cell(h, l, err) || next_line(l, "the names of the species", err)) return -1;
    while (skip_whole(l->text) == skip_blanks(l->text))
        if (add_names(h, l, err) || next_line(l, "the numbers of atoms", err)) return -1;
    h->named = h->count;
    if (read_counts(h, l, err)) return -1;
    if (!h->named && !(h->named = name_by_title(h, title))) name_by_number(h);
    return 0;
}

int trj_vasp_read_head(struct trj_vasp_head *h, struct trj_lines *l, struct trj_error *err) {
    if (next_line(l, "the title", err)) return -1;
    char *title = trj_copy_text(l->text, err);
    int rc = !title || next_line(l, "the factor of the cell vectors", err) ? -1 : trj_vasp_read_rest(h, l, title, err);
    free(title);
    return rc;
}

void trj_vasp_head_free(struct trj_vasp_head *h) {
    free(h->species);
    *h = (struct trj_vasp_head){.atoms = 0};
}

int trj_vasp_read_mode(struct trj_lines *l, bool *direct, bool *flags, struct trj_error *err) {
    *flags = false;
    for (;;) {
        if (next_line(l, "the positions", err)) return -1;
        const char *p = l->text;
        int64_t step;
        if (trj_vasp_is_configuration(p, &step))
            return trj_lines_fail(l, err, "'%.40s' is a line of an XDATCAR; add --format xdatcar", p);
        while (trj_is_blank(*p)) p++;
        int first = toupper((unsigned char)*p);
        if (first == 'S' && !*flags) {
            *flags = true;
            continue;
        }
        *direct = first != 'C' && first != 'K'; // "Reciprocal" is direct for VASP, as any other word
        if (isalpha(first)) return 0;
        return trj_lines_fail(l, err, "'%.40s' where Direct or Cartesian is expected", l->text);
    }
}

bool trj_vasp_is_configuration(const char *line, int64_t *step) {
    static const char direct[] = "Direct", configuration[] = "configuration";
    while (trj_is_blank(*line)) line++;
    *step = TRJ_NO_STEP;
    if (strncmp(line, direct, strlen(direct)) != 0) return false;
    line += strlen(direct);
    while (trj_is_blank(*line)) line++;
    if (strncmp(line, configuration, strlen(configuration)) != 0) return false;
    line += strlen(configuration);
    while (trj_is_blank(*line) || *line == '=') line++;
    int64_t value;
    const char *end = trj_scan_i64(line, &value);
    if (end && trj_vasp_is_blank(end)) *step = value;
    return true;
}

// ---- detection

enum vasp_kind { NEITHER, POSCAR, XDATCAR, CUT }; // CUT: the bytes end before the lines that decide

// What follows the head in a POSCAR: Selective dynamics, Direct, Cartesian, or another word with the same first letter.
// For VASP, all other words are Direct, too, but most of them could be the name of an atom in another format.
static bool is_mode(const char *line) {
    line = skip_blanks(line);
    return *line && (strchr("SsDdCcKk", *line) || !strncasecmp(line, "rec", 3) || !strncasecmp(line, "frac", 4));
}

// Returns whether the second line begins with a number. Most files of other formats differ there.
static bool has_factor(const char *head, size_t n) {
    const char *second = memchr(head, '\n', n), *end;
    char text[64];
    double value;
    if (!second) return false;
    second++;
    size_t size = (size_t)(head + n - second);
    if (!trj_field(second, size < sizeof text - 1 ? size : sizeof text - 1, 0, sizeof text - 1, text)) return false;
    text[strcspn(text, "\r\n")] = 0;
    return (end = trj_scan_real(text, &value)) && (!*end || trj_is_blank(*end));
}

static enum vasp_kind kind_of_lines(struct trj_lines *l, struct trj_vasp_head *h) {
    struct trj_error ignored;
    double value[3];
    const char *number[3];
    int64_t step;
    if (trj_vasp_read_head(h, l, &ignored) || trj_lines_next(l, &ignored) != 1) return NEITHER;
    bool configuration = trj_vasp_is_configuration(l->text, &step), blank = trj_vasp_is_blank(l->text);
    bool mode = !configuration && is_mode(l->text), more = trj_lines_next(l, &ignored) == 1;
    bool positions = more && trj_vasp_scan(l->text, value, number);
    if (configuration || (h->named && blank && positions)) return XDATCAR;
    return mode && (positions || (more && is_mode(l->text))) ? POSCAR : NEITHER;
}

static enum vasp_kind kind_of(const char *head, size_t n) {
    struct trj_error ignored;
    struct trj_vasp_head h = {.atoms = 0};
    char *text = has_factor(head, n) ? trj_alloc(n + 1, 1, "a line", &ignored) : NULL;
    if (!text) return NEITHER;
    memcpy(text, head, n);
    struct trj_lines l = trj_lines_in_memory(text, n, 0);
    enum vasp_kind kind = kind_of_lines(&l, &h);
    if (kind == NEITHER && h.count && l.next == l.end) kind = CUT;
    trj_vasp_head_free(&h);
    free(text);
    return kind;
}

bool trj_poscar_is(const char *head, size_t n) {
    return kind_of(head, n) == POSCAR;
}

bool trj_xdatcar_is(const char *head, size_t n) {
    return kind_of(head, n) == XDATCAR;
}

bool trj_vasp_is_cut(const char *head, size_t n) {
    return kind_of(head, n) == CUT;
}
