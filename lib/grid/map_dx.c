// SPDX-License-Identifier: MIT
// Reads and writes OpenDX maps, as APBS and VMD write them: a regular lattice with text values, axis 2 fastest
// (Visualization Data Explorer User's Guide, appendix B). The origin is the position of the first point.
//
// Readers in use accept less than the format allows. PyMOL requires the type `double`, APBS steps with many digits, and
// VMD comments only before the first object. Binary values are read by almost no program, and are not supported.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_format_parts.h"
#include "number.h"

enum { HEAD = 4096, BUFFER = 1024, IN_LINE = 3, DIGITS = 10, UNIT = 24 };
static const char WRITTEN_BY[] = ", written by ";

struct reading {
    struct trj_lines lines;
    struct trj_map_numbers numbers;
    uint64_t done, all; // values
    char unit[UNIT];    // from the comment of this file's writer, before the first object; "": none
};

static bool is_dx(const unsigned char *head, size_t n, const struct trj_input *in) {
    char text[HEAD + 1], *p = text;
    if (n > HEAD) n = HEAD;
    memcpy(text, head, n);
    text[n] = 0;
    // Comments and empty lines may precede the first object.
    while (p && (trj_is_blank(*p) || *p == '\r' || *p == '\n' || *p == '#')) p = *p == '#' ? strchr(p, '\n') : p + 1;
    if (!p || strncmp(p, "object ", 7) != 0) return !p && trj_input_ends_in(in, ".dx");
    return strstr(p, "gridpositions") || trj_input_ends_in(in, ".dx");
}

// Finds the unit in "# QUANTITY, UNIT, written by PROGRAM; ...".
static void find_unit(struct reading *d, const char *comment) {
    const char *end = strstr(comment, WRITTEN_BY), *unit = end;
    while (unit && unit > comment && unit[-1] != ' ') unit--;
    if (unit && end - unit < UNIT) snprintf(d->unit, sizeof d->unit, "%.*s", (int)(end - unit), unit);
}

// Reads the next line that is neither empty nor a comment.
static int next_line(struct reading *d, struct trj_error *err) {
    char *p;
    do {
        int rc = trj_lines_next(&d->lines, err);
        if (rc < 0) return -1;
        if (!rc)
            return trj_fail(err, TRJ_BAD_DATA, "line %llu: truncated within the header",
                            (unsigned long long)d->lines.number);
        for (p = d->lines.text; trj_is_blank(*p); p++) {}
        if (*p == '#') find_unit(d, p);
    } while (!*p || *p == '#');
    return 0;
}

// Reads a line that contains a word and then `count` numbers. What precedes the word is ignored: "object 1 class NAME".
static int read_numbers(struct reading *d, const char *word, double *value, size_t count, struct trj_error *err) {
    if (next_line(d, err)) return -1;
    char *rest = strstr(d->lines.text, word);
    if (!rest) return trj_lines_fail(&d->lines, err, "expected '%s', found '%.40s'", word, d->lines.text);
    rest += strlen(word);
    for (size_t i = 0; i < count; i++) {
        const char *text = trj_next_word(&rest);
        if (!text || !trj_parse_real(text, &value[i]))
            return trj_lines_fail(&d->lines, err, "expected %zu numbers after '%s'", count, word);
    }
    return trj_next_word(&rest) ? trj_lines_fail(&d->lines, err, "more than %zu numbers after '%s'", count, word) : 0;
}

static int read_counts(struct reading *d, const char *class, uint64_t n[3], struct trj_error *err) {
    double value[3] = {0};
    if (next_line(d, err)) return -1;
    if (!strstr(d->lines.text, class))
        return trj_lines_fail(&d->lines, err, "expected 'class %s', found '%.40s'", class, d->lines.text);
    trj_lines_repeat(&d->lines);
    if (read_numbers(d, "counts", value, 3, err)) return -1;
    for (int k = 0; k < 3; k++) {
        if (!(value[k] >= 1 && value[k] <= (double)TRJ_MAP_POINTS_MAX && value[k] == floor(value[k])))
            return trj_lines_fail(&d->lines, err, "invalid number of points %g", value[k]);
        n[k] = (uint64_t)value[k];
    }
    return 0;
}

// Returns the next word without quotation marks, in which GridDataFormats writes the type.
static const char *next_unquoted(char **rest) {
    char *word = trj_next_word(rest);
    size_t n = word ? strlen(word) : 0;
    if (n < 2 || *word != '"' || word[n - 1] != '"') return word;
    word[n - 1] = 0;
    return word + 1;
}

// Reads "object 3 class array type double rank 0 items N data follows".
static int read_array(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *d = r->state;
    const char *word, *type = "", *rank = "0", *shape = "1", *items = "", *last = "";
    bool binary = false;
    uint64_t n = 0, components = 1;
    if (next_line(d, err)) return -1;
    if (!strstr(d->lines.text, "class array"))
        return trj_lines_fail(&d->lines, err, "expected 'class array', found '%.40s'", d->lines.text);
    for (char *rest = d->lines.text; (word = next_unquoted(&rest)); last = word) {
        if (!strcmp(last, "type")) type = word;
        if (!strcmp(last, "rank")) rank = word;
        if (!strcmp(last, "shape")) shape = word;
        if (!strcmp(last, "items")) items = word;
        binary = binary || !strcmp(word, "binary") || !strcmp(word, "ieee") || !strcmp(last, "file");
    }
    if (binary || strcmp(last, "follows") != 0)
        return trj_lines_fail(&d->lines, err, "unsupported: values are binary or in another file; write them as text");
    if (strcmp(type, "double") != 0 && strcmp(type, "float") != 0 && strcmp(type, "int") != 0)
        return trj_lines_fail(&d->lines, err, "unsupported type '%.20s' of values: expected double, float or int",
                              type);
    if (strcmp(rank, "0") != 0 && (strcmp(rank, "1") != 0 || !trj_parse_u64(shape, &components)))
        return trj_lines_fail(&d->lines, err, "unsupported rank '%.20s' or shape '%.20s' of values", rank, shape);
    if (!components || components > TRJ_MAP_COMPONENTS_MAX)
        return trj_lines_fail(&d->lines, err, "%llu components of a value, expected 1 to %d",
                              (unsigned long long)components, TRJ_MAP_COMPONENTS_MAX);
    r->map.components = (uint32_t)components;
    if (!trj_parse_u64(items, &n) || n != trj_map_lattice_points(&r->map.lattice))
        return trj_lines_fail(&d->lines, err, "'%.20s' items, but the header gives %llu points", items,
                              (unsigned long long)trj_map_lattice_points(&r->map.lattice));
    d->all = n * components;
    return trj_map_numbers_check(r->in, d->all, err);
}

static int open_dx(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *d = r->state;
    struct trj_map_lattice *l = &r->map.lattice;
    uint64_t connections[3];
    d->lines.in = r->in;
    d->numbers.lines = &d->lines;
    r->order = trj_map_order_reversed;
    r->map.kind = TRJ_MAP_FLOAT64;
    if (read_counts(d, "gridpositions", l->n, err) || read_numbers(d, "origin", l->origin, 3, err)) return -1;
    for (int k = 0; k < 3; k++)
        if (read_numbers(d, "delta", l->step[k], 3, err)) return -1;
    if (read_counts(d, "gridconnections", connections, err)) return -1;
    if (memcmp(connections, l->n, sizeof connections) != 0)
        return trj_lines_fail(&d->lines, err, "numbers of positions and connections differ");
    return trj_map_lattice_check(l, err) || read_array(r, err) ? -1 : trj_map_set_orbital(&r->map, d->unit, err);
}

static int read_dx(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    struct reading *d = r->state;
    double *to = values;
    size_t n = planes * r->map.lattice.n[1] * r->map.lattice.n[2] * r->map.components;
    for (size_t i = 0; i < n; i++, d->done++)
        if (trj_map_numbers_next(&d->numbers, &to[i], d->done, d->all, err)) return -1;
    return 0;
}

// Attributes and the object that joins the parts may follow the values.
static int end_dx(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *d = r->state;
    int rc = trj_map_numbers_end(&d->numbers, err) ? -1 : 1;
    double ignored;
    while (rc > 0 && (rc = trj_lines_next(&d->lines, err)) > 0) {
        char *rest = d->lines.text;
        const char *word = trj_next_word(&rest);
        if (word && trj_scan_real(word, &ignored))
            return trj_lines_fail(&d->lines, err, "more values than the header gives: '%.20s'", word);
        if (word && !strcmp(word, "object") && rest && strstr(rest, "class array"))
            return trj_lines_fail(&d->lines, err, "unsupported: the file contains a second array of values");
    }
    return rc;
}

static int print_vector(struct trj_map_writer *w, const char *word, const double v[3], struct trj_error *err) {
    char line[4 * TRJ_DECIMAL_CAPACITY];
    size_t n = (size_t)snprintf(line, sizeof line, "%s", word);
    for (int k = 0; k < 3; k++) {
        line[n++] = ' ';
        n += trj_print_scientific(line + n, DIGITS, 'e', v[k]);
    }
    line[n++] = '\n';
    return trj_output_write(w->out, line, n, err);
}

struct writing {
    uint64_t done; // values
};

static int create_dx(struct trj_map_writer *w, struct trj_error *err) {
    const struct trj_map *m = w->map;
    const struct trj_map_lattice *l = &m->lattice;
    unsigned long long n[3] = {l->n[0], l->n[1], l->n[2]};
    char bound[TRJ_MAP_BOUND_TEXT], title[TRJ_MAP_TITLE];
    if (!trj_map_lattice_is_aligned(l))
        trj_map_note(&w->notes, "the steps are not along x, y and z: many programs ignore this in a dx file, and "
                                "display a distorted map");
    if (trj_output_print(w->out, err, "# %s%s%s; values are %s%s\n", trj_map_title(title, m), WRITTEN_BY,
                         w->setup.program, trj_map_meaning_text(m->meaning), trj_map_bound_text(bound, m)) ||
        trj_output_print(w->out, err, "object 1 class gridpositions counts %llu %llu %llu\n", n[0], n[1], n[2]) ||
        print_vector(w, "origin", l->origin, err))
        return -1;
    for (int k = 0; k < 3; k++)
        if (print_vector(w, "delta", l->step[k], err)) return -1;
    return trj_output_print(w->out, err,
                            "object 2 class gridconnections counts %llu %llu %llu\n"
                            "object 3 class array type double rank 0 items %llu data follows\n",
                            n[0], n[1], n[2], (unsigned long long)trj_map_lattice_points(l));
}

static int write_dx(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    struct writing *d = w->state;
    double real[BUFFER];
    char text[TRJ_DECIMAL_CAPACITY + 1];
    const unsigned char *from = values;
    uint64_t left = planes * w->map->lattice.n[1] * w->map->lattice.n[2],
             all = trj_map_lattice_points(&w->map->lattice);
    for (size_t some; left; left -= some, from += some * trj_map_value_size(w->map->kind)) {
        some = left < BUFFER ? left : BUFFER;
        trj_map_to_real(w->map, from, some, real);
        for (size_t i = 0; i < some; i++) {
            if (!isfinite(real[i])) return trj_map_fail_value("dx", real[i], err);
            size_t n = trj_print_scientific(text, DIGITS, 'e', real[i]);
            d->done++;
            text[n++] = d->done % IN_LINE && d->done < all ? ' ' : '\n';
            if (trj_output_write(w->out, text, n, err)) return -1;
        }
    }
    return 0;
}

static int finish_dx(struct trj_map_writer *w, struct trj_error *err) {
    return trj_output_print(w->out, err,
                            "attribute \"dep\" string \"positions\"\n"
                            "object \"regular positions regular connections\" class field\n"
                            "component \"positions\" value 1\n"
                            "component \"connections\" value 2\n"
                            "component \"data\" value 3\n");
}

const struct trj_map_format trj_map_dx = {
    .name = "dx",
    .title = "OpenDX",
    .help = "OpenDX",
    .endings = {".dx"},
    .kind = TRJ_OUTPUT_TEXT,
    .scalar = true,
    .order = {{2, 1, 0}},
    .reader_state = sizeof(struct reading),
    .writer_state = sizeof(struct writing),
    .is = is_dx,
    .open = open_dx,
    .read = read_dx,
    .end = end_dx,
    .create = create_dx,
    .write = write_dx,
    .finish = finish_dx,
};
