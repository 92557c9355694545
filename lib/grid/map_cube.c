// SPDX-License-Identifier: MIT
// Reads and writes Gaussian cube files (Gaussian's manual, "cubegen"): two comment lines, a lattice in Bohr, atoms, and
// text values with axis 2 fastest. The origin is the position of the first point. The comments are free: those that
// this file writes, and those of psi4, give quantity and unit when they are read.
//
// A negative number of atoms means that a list of orbitals precedes the values, which are then interleaved. A negative
// number of points means Å in files of many programs, although the manual states the opposite; a note reports this.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_format_parts.h"
#include "memory.h"
#include "number.h"
#include "units.h"

enum { BUFFER = 1024, IN_LINE = 6, DIGITS = 6, WIDTH = 13, COMMENTS = 2, HEAD_NUMBERS = 4, LINE = 200, IN_LIST = 10 };

// The second comment that this file writes is the first text, the program, and the second text.
static const char WRITTEN_BY[] = "Written by ", VALUES_ARE[] = "; values are ", ORBITAL_UNIT[] = "bohr^-3/2";

// Smaller values need a wider field, and are written as 0; larger ones are an error.
static const double SMALLEST = 1e-99, LARGEST = 9.999995e99;

struct reading {
    struct trj_lines lines;
    struct trj_map_numbers numbers;
    uint64_t done, all; // values
    int64_t atoms;
    size_t atom_capacity;
    double unit; // of lengths, in Å
};

// Returns whether a line consists of an integer and at least three other numbers.
static bool is_row(const char *p) {
    double value;
    for (int k = 0; k < 4; k++) {
        while (trj_is_blank(*p)) p++;
        const char *start = p;
        if (!(p = trj_scan_real(p, &value)) || (*p && !trj_is_blank(*p) && *p != '\r')) return false;
        if (!k && (value != floor(value) || memchr(start, '.', (size_t)(p - start)))) return false;
    }
    return true;
}

static bool is_cube(const unsigned char *head, size_t n, const struct trj_input *in) {
    char line[LINE];
    if (n && (trj_input_ends_in(in, ".cube") || trj_input_ends_in(in, ".cub"))) return true;
    const unsigned char *p = head, *end = head + n, *next;
    for (int i = 0; i < COMMENTS + 4; i++, p = next + 1) {
        if (!(next = memchr(p, '\n', (size_t)(end - p)))) return false;
        size_t length = (size_t)(next - p);
        if (i < COMMENTS) continue;
        if (length >= sizeof line || memchr(p, 0, length)) return false;
        memcpy(line, p, length);
        line[length] = 0;
        if (!is_row(line)) return false;
    }
    return true;
}

static int next_line(struct reading *c, struct trj_error *err) {
    int rc = trj_lines_next(&c->lines, err);
    if (rc < 0) return -1;
    return rc ? 0
              : trj_fail(err, TRJ_BAD_DATA, "line %llu: truncated within the header",
                         (unsigned long long)c->lines.number);
}

// Reads a line of an integer and at least three other numbers, and stores at most `max` of these. Returns how many it
// stored, or -1.
static int read_row(struct reading *c, int64_t *first, double *value, int max, struct trj_error *err) {
    int n = 0;
    if (next_line(c, err)) return -1;
    char *rest = c->lines.text;
    const char *word = trj_next_word(&rest);
    if (!word || !trj_parse_i64(word, first) || *first > INT32_MAX || *first < -INT32_MAX)
        return trj_lines_fail(&c->lines, err, "expected an integer below 2^31, found '%.20s'", word ? word : "");
    while (n < max && (word = trj_next_word(&rest))) {
        if (!trj_parse_real(word, &value[n++])) return trj_lines_fail(&c->lines, err, "'%.20s' is not a number", word);
    }
    return n >= 3 ? n : trj_lines_fail(&c->lines, err, "%d numbers, expected at least 4", n + 1);
}

// Reads the three axes, and converts lengths to Å.
static int read_lattice(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *c = r->state;
    struct trj_map_lattice *l = &r->map.lattice;
    double head[HEAD_NUMBERS] = {0}, values = 1;
    int negative = 0, found = read_row(c, &c->atoms, head, HEAD_NUMBERS, err);
    if (found < 0) return -1;
    if (found == HEAD_NUMBERS) values = head[3];
    if (!(values >= 1 && values <= TRJ_MAP_COMPONENTS_MAX && values == floor(values)))
        return trj_lines_fail(&c->lines, err, "%g values for each point, expected 1 to %d", values,
                              TRJ_MAP_COMPONENTS_MAX);
    r->map.components = (uint32_t)values;
    memcpy(l->origin, head, sizeof l->origin);
    for (int k = 0; k < 3; k++) {
        int64_t n;
        if (read_row(c, &n, l->step[k], 3, err) < 0) return -1;
        negative += n < 0;
        l->n[k] = (uint64_t)(n < 0 ? -n : n);
    }
    if (negative % 3) return trj_lines_fail(&c->lines, err, "some numbers of points are negative, but not all");
    c->unit = negative ? 1 : TRJ_BOHR;
    for (int k = 0; k < 3; k++) {
        l->origin[k] *= c->unit;
        for (int i = 0; i < 3; i++) l->step[k][i] *= c->unit;
    }
    if (negative)
        trj_map_note(&r->notes, "negative numbers of points: lengths are taken as Å, as most programs write them, "
                                "although Gaussian's manual specifies Bohr");
    return trj_map_lattice_check(l, err);
}

static int set_texts(struct trj_map *m, const char *quantity, const char *unit, struct trj_error *err) {
    trj_map_free(m);
    m->quantity = trj_copy_text(quantity, err);
    m->unit = trj_copy_text(unit, err);
    return m->quantity && m->unit ? 0 : -1;
}

// Sets quantity, unit and meaning from the comments of this file's writer: "QUANTITY, UNIT", and "Written by PROGRAM;
// values are MEANING".
static int read_own_comments(struct trj_map *m, char *title, const char *values, struct trj_error *err) {
    char *unit = title, none[] = "";
    for (char *c = title; (c = strstr(c, ", "));) unit = c += 2;
    if (unit > title) unit[-2] = 0;
    for (enum trj_map_meaning k = TRJ_MAP_SAMPLES; k < TRJ_MAP_MEANINGS; k++)
        if (!strncmp(values, trj_map_meaning_text(k), strlen(trj_map_meaning_text(k)))) m->meaning = k;
    return set_texts(m, strcmp(title, "map") != 0 ? title : "", unit > title ? unit : none, err);
}

static int read_comments(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *c = r->state;
    char title[TRJ_MAP_TITLE];
    if (next_line(c, err)) return -1;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(c->lines.text, "\r"), c->lines.text);
    if (next_line(c, err)) return -1;
    const char *second = c->lines.text, *values = strstr(second, VALUES_ARE);
    if (!strncmp(second, WRITTEN_BY, sizeof WRITTEN_BY - 1) && values)
        return read_own_comments(&r->map, title, values + sizeof VALUES_ARE - 1, err);
    bool psi4 = !strncmp(title, "Psi4 Gaussian Cube File", 23);
    if (psi4 && !strncmp(second, "Property: Psi_", 14)) return set_texts(&r->map, "orbital", ORBITAL_UNIT, err);
    return psi4 && strstr(second, "[e/a0^3]") ? set_texts(&r->map, "density", "bohr^-3", err) : 0;
}

static int read_atoms(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *c = r->state;
    struct trj_map_atoms *a = &r->record.atoms;
    double value[4] = {0};
    int64_t number;
    for (int64_t i = 0, all = c->atoms < 0 ? -c->atoms : c->atoms; i < all; i++) {
        int found = read_row(c, &number, value, 4, err);
        if (found < 0 || trj_grow(&a->atom, &c->atom_capacity, a->count + 1, sizeof *a->atom, "atoms", err)) return -1;
        struct trj_map_atom *atom = &a->atom[a->count++];
        // Without a charge, the three numbers are the position.
        *atom = (struct trj_map_atom){.number = (int32_t)number, .charge = found == 4 ? value[0] : (double)number};
        for (int k = 0; k < 3; k++) atom->position[k] = value[found - 3 + k] * c->unit;
    }
    return 0;
}

// Reads the number of orbitals and their numbers, which may continue on the next lines.
static int read_orbitals(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *c = r->state;
    struct trj_map_atoms *a = &r->record.atoms;
    struct trj_map_numbers t = {.lines = &c->lines};
    double count, number;
    if (trj_map_numbers_next(&t, &count, 0, 1, err)) return -1;
    if (!(count >= 1 && count <= TRJ_MAP_COMPONENTS_MAX && count == floor(count)))
        return trj_lines_fail(&c->lines, err, "%g orbitals, expected 1 to %d", count, TRJ_MAP_COMPONENTS_MAX);
    if (!(a->orbital = trj_alloc((size_t)count, sizeof *a->orbital, "orbitals", err))) return -1;
    for (; a->orbitals < (size_t)count; a->orbitals++) {
        if (trj_map_numbers_next(&t, &number, a->orbitals, (uint64_t)count, err)) return -1;
        a->orbital[a->orbitals] = fabs(number) <= INT32_MAX ? (int32_t)number : 0;
    }
    if (t.rest && *t.rest) return trj_lines_fail(&c->lines, err, "more than %d orbital numbers", (int)count);
    if (r->map.components > 1 && r->map.components != (uint32_t)count)
        return trj_lines_fail(&c->lines, err, "%d orbitals, but %u values for each point", (int)count,
                              r->map.components);
    r->map.components = (uint32_t)count;
    return r->map.unit && *r->map.unit ? 0 : set_texts(&r->map, "orbital", ORBITAL_UNIT, err);
}

static int open_cube(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *c = r->state;
    c->lines.in = r->in;
    c->numbers.lines = &c->lines;
    r->order = trj_map_order_reversed;
    r->map.kind = TRJ_MAP_FLOAT64;
    if (read_comments(r, err) || read_lattice(r, err) || read_atoms(r, err)) return -1;
    if (c->atoms < 0 && read_orbitals(r, err)) return -1;
    c->all = trj_map_lattice_points(&r->map.lattice) * r->map.components;
    return trj_map_numbers_check(r->in, c->all, err);
}

static int read_cube(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    struct reading *c = r->state;
    double *to = values;
    size_t n = planes * r->map.lattice.n[1] * r->map.lattice.n[2] * r->map.components;
    for (size_t i = 0; i < n; i++, c->done++)
        if (trj_map_numbers_next(&c->numbers, &to[i], c->done, c->all, err)) return -1;
    return 0;
}

static int end_cube(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *c = r->state;
    int rc = trj_map_numbers_end(&c->numbers, err) ? -1 : 1;
    while (rc > 0 && (rc = trj_lines_next(&c->lines, err)) > 0) {
        char *rest = c->lines.text;
        const char *word = trj_next_word(&rest);
        if (word) return trj_lines_fail(&c->lines, err, "more values than the header gives: '%.20s'", word);
    }
    return rc;
}

static void close_cube(struct trj_map_reader *r) {
    trj_grid_record_free(&r->record);
}

struct writing {
    uint64_t in_run, in_line; // values of the current run along axis 2, and of the line
};

// Returns whether `text`, the coordinate v of a step of this length as it is printed, is so accurate that n steps
// displace the last point by at most a tenth of a step.
static bool is_accurate(const char *text, double v, unsigned long long n, double length) {
    double printed = 0;
    while (trj_is_blank(*text)) text++;
    return trj_parse_real(text, &printed) && fabs(printed * TRJ_BOHR - v) * (double)n <= 0.1 * length;
}

// Prints blanks and numbers in the 12 columns of Gaussian's format, of which the first is a blank, because many
// programs read words. v is in Å; with n > 0, it is the step of an axis with n points, which must be accurate.
static int print_vector(struct trj_map_writer *w, unsigned long long n, const double v[3], struct trj_error *err) {
    char text[3][TRJ_DECIMAL_CAPACITY] = {{0}}; // of 11 characters
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++)
        if ((!trj_print_fixed(text[k], 11, 6, v[k] / TRJ_BOHR) && !trj_print_fixed(text[k], 11, 3, v[k] / TRJ_BOHR)) ||
            (n && !is_accurate(text[k], v[k], n, length)))
            return trj_fail(err, TRJ_BAD_DATA, "a length of %g Å does not fit into a cube file; write mrc, dx or trjg",
                            v[k]);
    return trj_output_print(w->out, err, " %s %s %s", text[0], text[1], text[2]);
}

// Prints the lattice. A negative number of atoms states that a list of orbitals follows them.
static int print_lattice(struct trj_map_writer *w, const struct trj_map_atoms *a, struct trj_error *err) {
    const struct trj_map_lattice *l = &w->map->lattice;
    uint32_t values = a->orbitals ? 1 : w->map->components;
    if (trj_output_print(w->out, err, "%5lld", a->orbitals ? -(long long)a->count : (long long)a->count) ||
        print_vector(w, 0, l->origin, err) || (values > 1 && trj_output_print(w->out, err, "%5u", values)))
        return -1;
    for (int k = 0; k < 3; k++)
        if (trj_output_print(w->out, err, "\n%5llu", (unsigned long long)l->n[k]) ||
            print_vector(w, (unsigned long long)l->n[k], l->step[k], err))
            return -1;
    return trj_output_print(w->out, err, "\n");
}

static int print_atoms(struct trj_map_writer *w, const struct trj_map_atoms *a, struct trj_error *err) {
    char charge[TRJ_DECIMAL_CAPACITY] = {0}; // of 11 characters
    for (size_t i = 0; i < a->count; i++) {
        const struct trj_map_atom *atom = &a->atom[i];
        if (!trj_print_fixed(charge, 11, 6, atom->charge))
            return trj_fail(err, TRJ_BAD_DATA, "a nuclear charge of %g does not fit into a cube file; write trjg",
                            atom->charge);
        if (trj_output_print(w->out, err, "%5d %s", atom->number, charge) || print_vector(w, 0, atom->position, err) ||
            trj_output_print(w->out, err, "\n"))
            return -1;
    }
    for (size_t i = 0; i < a->orbitals; i++)
        if ((!i && trj_output_print(w->out, err, "%5zu", a->orbitals)) ||
            trj_output_print(w->out, err, "%s%5d", (i + 1) % IN_LIST ? "" : "\n", a->orbital[i]))
            return -1;
    return a->orbitals ? trj_output_print(w->out, err, "\n") : 0;
}

static int create_cube(struct trj_map_writer *w, struct trj_error *err) {
    for (int k = 0; k < 3; k++)
        if (w->map->lattice.n[k] > INT32_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "too many points for a cube file; write trjg");
    return 0;
}

// The header contains the atoms, which the record gives.
static int begin_cube(struct trj_map_writer *w, const struct trj_grid_record *record, struct trj_error *err) {
    const struct trj_map *m = w->map;
    struct trj_map_atoms atoms = record->atoms;
    char bound[TRJ_MAP_BOUND_TEXT], title[TRJ_MAP_TITLE];
    if (!atoms.count || atoms.orbitals != m->components) atoms.orbitals = 0;
    if (trj_output_print(w->out, err, "%s\n%s%s%s%s; lengths are in bohr%s\n", trj_map_title(title, m), WRITTEN_BY,
                         w->setup.program, VALUES_ARE, trj_map_meaning_text(m->meaning), trj_map_bound_text(bound, m)))
        return -1;
    return print_lattice(w, &atoms, err) || print_atoms(w, &atoms, err) ? -1 : 0;
}

// A line ends after six values, and after the last point along axis 2.
static int print_value(struct trj_map_writer *w, double v, struct trj_error *err) {
    struct writing *c = w->state;
    char text[WIDTH + TRJ_DECIMAL_CAPACITY];
    if (!(fabs(v) < LARGEST)) return trj_map_fail_value("cube", v, err);
    char number[TRJ_DECIMAL_CAPACITY];
    size_t n = trj_print_scientific(number, DIGITS, 'E', fabs(v) < SMALLEST ? 0.0 : v), blanks = WIDTH - n;
    memset(text, ' ', blanks);
    memcpy(text + blanks, number, n);
    n += blanks;
    c->in_run++;
    c->in_line++;
    bool last = c->in_run == w->map->lattice.n[2] * w->map->components;
    if (last || c->in_line == IN_LINE) {
        text[n++] = '\n';
        c->in_line = 0;
    }
    if (last) c->in_run = 0;
    return trj_output_write(w->out, text, n, err);
}

static int write_cube(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    double real[BUFFER];
    const unsigned char *from = values;
    uint64_t left = planes * w->map->lattice.n[1] * w->map->lattice.n[2] * w->map->components;
    for (size_t some; left; left -= some, from += some * trj_map_value_size(w->map->kind)) {
        some = left < BUFFER ? left : BUFFER;
        trj_map_to_real(w->map, from, some, real);
        for (size_t i = 0; i < some; i++)
            if (print_value(w, real[i], err)) return -1;
    }
    return 0;
}

const struct trj_map_format trj_map_cube = {
    .name = "cube",
    .title = "Gaussian cube",
    .help = "Gaussian cube",
    .endings = {".cube", ".cub"},
    .kind = TRJ_OUTPUT_TEXT,
    .order = {{2, 1, 0}},
    .reader_state = sizeof(struct reading),
    .writer_state = sizeof(struct writing),
    .is = is_cube,
    .open = open_cube,
    .read = read_cube,
    .end = end_cube,
    .close = close_cube,
    .create = create_cube,
    .begin = begin_cube,
    .write = write_cube,
};
