// SPDX-License-Identifier: MIT
// rdfplot: tables from rdfnorm in, a picture out. gnuplot draws; this tool tells it what.
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "input.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "tool.h"

extern char **environ;

static const char *output_path;
static double ymax = NAN;
static struct trj_text_list pairs;

static const struct trj_option options[] = {
    TRJ_OPTION_OUTPUT(&output_path, "draw into FILE, .svg or .png; without it as text on standard output"),
    {.letter = 'y',
     .name = "ymax",
     .kind = TRJ_OPTION_REAL,
     .value = &ymax,
     .arg = "Y",
     .help = "upper end of the vertical axis: bonds make peaks that dwarf the rest"},
    {.letter = 'p',
     .name = "pair",
     .kind = TRJ_OPTION_LIST,
     .value = &pairs,
     .arg = "A:B",
     .help = "draw the curve of this pair; without it those of all"},
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "rdfplot",
    .purpose = "Draws the curves of tables that rdfnorm printed into one picture (needs gnuplot).",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
};

enum { MOST_COLUMNS = 512 };

// Colours that the colour-blind tell apart (Okabe and Ito, https://jfly.uni-koeln.de/color/).
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

// What tables hold: how its columns begin, its name, its axis.
struct quantity {
    const char *column, *name, *axis;
    bool edges; // the first two columns are those of the bin
};

static const struct quantity quantities[] = {{"g(", "g(r)", "g(r)", false},
                                             {"count(", "counts", "pairs", true},
                                             {"number(", "number densities", "ρ g(r) (Å⁻³)", false},
                                             {"radial(", "radial densities", "4πr²ρ g(r) (Å⁻¹)", false},
                                             {"atoms(", "numbers of atoms", "atoms in the bin", false}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

struct table {
    char *file; // its name
    const struct quantity *quantity;
    char *names;                // the line of column names, cut into words
    char *column[MOST_COLUMNS]; // into names
    size_t columns, rows;
    struct trj_bytes data; // the rows as they came
};

struct plot {
    size_t count;
    struct table *tables;
    size_t curves;
    struct trj_bytes script, picture;
    struct trj_bytes provenance; // lines, those of the tables and our own
};

// The last comment before the data names the columns: "# r<TAB>g(A:B)<TAB>n(A:B)".
static int split_names(struct table *t, struct trj_error *err) {
    t->columns = 0;
    for (char *p = t->names; p;) {
        char *tab = strchr(p, '\t');
        if (tab) *tab++ = 0;
        if (t->columns == MOST_COLUMNS) return trj_fail(err, TRJ_BAD_DATA, "more than %d columns", MOST_COLUMNS);
        t->column[t->columns++] = p;
        p = tab;
    }
    return 0;
}

static int check_row(const struct table *t, const char *line, size_t number, struct trj_error *err) {
    size_t n = 0;
    for (const char *p = line; p; n++) {
        size_t length = strcspn(p, "\t");
        char word[64];
        double value;
        snprintf(word, sizeof word, "%.*s", (int)length, p);
        if (!trj_parse_real(word, &value))
            return trj_fail(err, TRJ_BAD_DATA, "line %zu: '%s' is not a number", number, word);
        p = p[length] ? p + length + 1 : NULL;
    }
    if (n != t->columns)
        return trj_fail(err, TRJ_BAD_DATA, "line %zu: %zu columns where %zu are named", number, n, t->columns);
    return 0;
}

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

static int read_rows(struct table *t, struct trj_bytes *provenance, struct trj_input *in, struct trj_error *err) {
    static const char mark[] = "# provenance: ";
    char *line;
    size_t length;
    int rc;
    for (size_t number = 1; (rc = trj_input_line(in, &line, &length, err)) > 0; number++) {
        if (strlen(line) != length) return trj_fail(err, TRJ_BAD_DATA, "line %zu: is not text", number);
        if (line[0] == '#') {
            if (t->rows) continue;
            if (!strncmp(line, mark, strlen(mark))) {
                put(provenance, line + strlen(mark));
                put(provenance, "\n");
            }
            free(t->names);
            if (!(t->names = trj_copy_text(line + 1 + (line[1] == ' '), err)) || split_names(t, err)) return -1;
            continue;
        }
        if (t->columns < 2)
            return trj_fail(err, TRJ_BAD_DATA, "line %zu: no line of column names before it; is it from rdfnorm?",
                            number);
        if (check_row(t, line, number, err)) return -1;
        trj_put_raw(&t->data, line, length);
        trj_put_raw(&t->data, "\n", 1);
        t->rows++;
    }
    if (rc < 0) return -1;
    if (!t->rows) return trj_fail(err, TRJ_BAD_DATA, "holds no rows");
    return t->data.failed ? trj_fail_memory(err, (double)t->data.size, "a table") : 0;
}

static bool holds(const struct table *t, size_t column, const struct quantity *q) {
    return !strncmp(t->column[column], q->column, strlen(q->column));
}

// "A:B" of a column "g(A:B)" or "count(A:B)", with its length; NULL where it is another one.
static const char *curve_of(const struct table *t, size_t column, size_t *length) {
    if (!holds(t, column, t->quantity)) return NULL;
    const char *name = t->column[column] + strlen(t->quantity->column);
    *length = strcspn(name, ")");
    return name;
}

static bool is_pair(const char *pair, const char *curve, size_t length) {
    return strlen(pair) == length && !memcmp(pair, curve, length);
}

static bool has_curve(const struct table *t, const char *pair) {
    size_t length;
    for (size_t i = 1; i < t->columns; i++) {
        const char *curve = curve_of(t, i, &length);
        if (curve && is_pair(pair, curve, length)) return true;
    }
    return false;
}

static int read_table(struct plot *p, struct table *t, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    int rc = (t->file = trj_copy_text(trj_input_name(in), err)) ? read_rows(t, &p->provenance, in, err) : -1;
    trj_input_close(in);
    if (rc) return t->file ? trj_fail_at(err, "%s", t->file) : -1;
    for (size_t i = 1; !t->quantity && i < t->columns; i++)
        for (size_t q = 0; !t->quantity && q < QUANTITIES; q++)
            if (holds(t, i, &quantities[q])) t->quantity = &quantities[q];
    if (!t->quantity) return trj_fail(err, TRJ_BAD_DATA, "%s: no column is called g(A:B) or count(A:B)", t->file);
    if (t->quantity != p->tables[0].quantity)
        return trj_fail(err, TRJ_BAD_DATA, "%s: holds %s, but %s %s; one picture shows one of them", t->file,
                        t->quantity->name, p->tables[0].file, p->tables[0].quantity->name);
    return 0;
}

static int read_tables(struct plot *p, char **paths, size_t count, struct trj_error *err) {
    static char dash[] = "-", *no_paths[] = {dash};
    if (!count) {
        paths = no_paths;
        count = 1;
    }
    if (!(p->tables = trj_alloc(count, sizeof *p->tables, "tables", err))) return -1;
    for (size_t i = 0; i < count; i++)
        if (read_table(p, &p->tables[p->count++], paths[i], err)) return -1;
    for (size_t i = 0; i < pairs.count; i++) {
        bool found = false;
        for (size_t k = 0; k < p->count; k++) found = found || has_curve(&p->tables[k], pairs.texts[i]);
        if (!found)
            return trj_fail(err, TRJ_USAGE, "--pair: no curve '%s' in %s%s", pairs.texts[i], p->tables[0].file,
                            p->count > 1 ? " or in those after it" : "");
    }
    return 0;
}

// A gnuplot string; single quotes are doubled, nothing else is special.
static void put_string(struct trj_bytes *b, const char *text, size_t n) {
    put(b, "'");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'') put(b, "'");
        trj_put_raw(b, text + i, 1);
    }
    put(b, "'");
}

static int put_terminal(struct trj_bytes *b, struct trj_error *err) {
    const char *dot = output_path ? strrchr(output_path, '.') : NULL;
    char line[128];
    struct winsize w = {.ws_col = 0};
    if (!output_path) {
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < 40 || w.ws_row < 12)
            w = (struct winsize){.ws_col = 79, .ws_row = 25};
        snprintf(line, sizeof line, "set terminal dumb noenhanced size %d,%d\n", w.ws_col, w.ws_row - 1);
        put(b, line);
        return 0;
    }
    if (dot && !strcmp(dot, ".svg"))
        put(b, "set terminal svg noenhanced size 720,450 font 'Helvetica,14' background rgb 'white'\n");
    else if (dot && !strcmp(dot, ".png"))
        put(b, "set terminal pngcairo noenhanced size 1080,675 font 'Sans,16' linewidth 1.5\n");
    else
        return trj_fail(err, TRJ_USAGE, "--output: '%s' ends neither in .svg nor in .png", output_path);
    return 0;
}

// The pair; where another table has it too, with the name of the file but for its folder and its ending.
static void put_title(struct trj_bytes *b, const struct plot *p, const struct table *t, const char *curve,
                      size_t length) {
    char pair[256], title[512];
    bool shared = false;
    snprintf(pair, sizeof pair, "%.*s", (int)length, curve);
    for (size_t i = 0; i < p->count; i++) shared = shared || (&p->tables[i] != t && has_curve(&p->tables[i], pair));
    const char *slash = strrchr(t->file, '/'), *name = slash ? slash + 1 : t->file, *dot = strrchr(name, '.');
    snprintf(title, sizeof title, "%s, %.*s", pair, dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
    put_string(b, shared ? title : pair, strlen(shared ? title : pair));
}

// Each pair's column is a curve; with its errors, "se", as a band behind it.
static void put_curves(struct trj_bytes *b, struct plot *p, const struct table *t) {
    size_t number = (size_t)(t - p->tables), length;
    for (size_t i = 1; i < t->columns; i++) {
        const char *curve = curve_of(t, i, &length), *colour = colours[p->curves % COLOURS];
        char text[256];
        bool wanted = curve && !pairs.count;
        for (size_t k = 0; curve && k < pairs.count; k++) wanted = wanted || is_pair(pairs.texts[k], curve, length);
        if (!wanted) continue;
        if (i + 1 < t->columns && !strncmp(t->column[i + 1], "se(", 3) && !strcmp(t->column[i + 1] + 3, curve)) {
            snprintf(text, sizeof text,
                     ", $table%zu using 1:($%zu-$%zu):($%zu+$%zu) with filledcurves fc rgb '%s' fs transparent solid "
                     "0.25 noborder notitle",
                     number, i + 1, i + 2, i + 1, i + 2, colour);
            if (output_path) put(b, text);
        }
        snprintf(text, sizeof text, ", $table%zu using %s:%zu with lines lw 2 lc rgb '%s' title ", number,
                 t->quantity->edges ? "(($1+$2)/2)" : "1", i + 1, colour);
        put(b, text);
        put_title(b, p, t, curve, length);
        p->curves++;
    }
}

static int make_script(struct plot *p, struct trj_error *err) {
    struct trj_bytes *b = &p->script;
    char text[64] = "set yrange [0:]\n";
    put(b, "set encoding utf8\n");
    if (put_terminal(b, err)) return -1;
    for (size_t i = 0; i < p->count; i++) {
        char head[64];
        snprintf(head, sizeof head, "$table%zu << END_OF_TABLE\n", i);
        put(b, head);
        trj_put_raw(b, p->tables[i].data.data, p->tables[i].data.size);
        put(b, "END_OF_TABLE\n");
    }
    put(b, "set datafile separator tab\n"
           "set border 3\nset tics nomirror\nset xlabel 'r (Å)'\nset key top right\n");
    if (!isnan(ymax)) snprintf(text, sizeof text, "set yrange [0:%.10g]\n", ymax);
    put(b, text);
    const struct quantity *quantity = p->tables[0].quantity;
    put(b, "set ylabel '");
    put(b, quantity->axis);
    // The ideal gas as a reference line.
    put(b, quantity == &quantities[0] ? "'\nplot 1 notitle dashtype 2 lc rgb '#999999'"
                                      : "'\nplot 0 notitle lc rgb '#999999'");
    for (size_t i = 0; i < p->count; i++) put_curves(b, p, &p->tables[i]);
    put(b, "\n");
    return b->failed ? trj_fail_memory(err, (double)b->size, "a script") : 0;
}

// Starts gnuplot with the script as its standard input and a pipe as its standard output, of which *from is the end to read.
static int start_gnuplot(const struct trj_bytes *script, pid_t *child, int *from, struct trj_error *err) {
    static char name[] = "gnuplot", dash[] = "-";
    char *const argv[] = {name, dash, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], started;
    // A file, not a pipe: gnuplot may be drawing, and nobody reading what it draws, while it is still being told.
    FILE *file = tmpfile();
    if (!file || fwrite(script->data, 1, script->size, file) != script->size || fflush(file) ||
        fseek(file, 0, SEEK_SET) || pipe(ends)) {
        trj_fail_errno(err, "cannot hand a script to gnuplot");
        if (file) fclose(file);
        return -1;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(file), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    started = posix_spawnp(child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    fclose(file);
    close(ends[1]);
    *from = ends[0];
    if (!started) return 0;
    close(ends[0]);
    return trj_fail(err, TRJ_FAILED, "cannot run gnuplot: %s; on Debian it is in the package gnuplot-nox",
                    strerror(started));
}

// The text, as an element of the picture before its end.
static size_t find_svg_end(const struct trj_bytes *svg) {
    static const char end[] = "</svg>";
    size_t n = sizeof end - 1, at = svg->size;
    while (at >= n && memcmp(svg->data + at - n, end, n)) at--;
    return at < n ? svg->size : at - n;
}

static void put_svg_text(struct trj_bytes *b, const struct trj_bytes *text) {
    put(b, "<metadata>\n");
    for (size_t i = 0; i < text->size; i++) {
        char c = (char)text->data[i];
        if (!i || text->data[i - 1] == '\n') put(b, "provenance: ");
        put(b, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : (char[]){c, 0});
    }
    put(b, "</metadata>\n");
}

static void put_big_endian(struct trj_bytes *b, uint32_t v) {
    trj_put_raw(b,
                (unsigned char[]){(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
                                  (unsigned char)v},
                4);
}

// CRC-32 of ISO 3309, as the PNG specification has it in its annex D.
static uint32_t crc32(const unsigned char *p, size_t n) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static void put_png_text(struct trj_bytes *b, const struct trj_bytes *text) {
    static const char head[] =
        "iTXtprovenance\0\0\0\0"; // not compressed, of no language; a NUL more ends the last field
    put_big_endian(b, (uint32_t)(sizeof head - 4 + text->size));
    size_t start = b->size;
    trj_put_raw(b, head, sizeof head);
    trj_put_raw(b, text->data, text->size);
    if (!b->failed) put_big_endian(b, crc32(b->data + start, b->size - start));
}

// What gnuplot draws, into memory: it does not tell when a write fails, and the provenance is yet to be put in.
static int draw(struct trj_bytes *picture, const struct trj_bytes *script, struct trj_error *err) {
    unsigned char buffer[1 << 14];
    pid_t child;
    int from, status;
    ssize_t n;
    // The labels are UTF-8; in the C locale gnuplot would complain of them.
    if (setenv("LC_ALL", "C.UTF-8", 1)) return trj_fail_errno(err, "cannot set the locale");
    if (start_gnuplot(script, &child, &from, err)) return -1;
    while ((n = read(from, buffer, sizeof buffer)) > 0) trj_put_raw(picture, buffer, (size_t)n);
    close(from);
    if (waitpid(child, &status, 0) < 0) return trj_fail_errno(err, "gnuplot");
    if (n < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) return trj_fail(err, TRJ_FAILED, "gnuplot failed");
    return picture->failed ? trj_fail_memory(err, (double)picture->size, "a picture") : 0;
}

static int write_picture(struct trj_output *out, const struct trj_bytes *picture, const struct trj_bytes *text,
                         struct trj_error *err) {
    enum { PNG_END = 12 }; // bytes of the chunk IEND
    struct trj_bytes extra = {0};
    size_t at = picture->size;
    if (output_path && picture->size > PNG_END && picture->data[0] == 0x89) {
        at -= PNG_END;
        put_png_text(&extra, text);
    } else if (output_path) {
        at = find_svg_end(picture);
        put_svg_text(&extra, text);
    }
    int rc = extra.failed ? trj_fail_memory(err, (double)extra.size, "a picture") : 0;
    if (!rc && (trj_output_write(out, picture->data, at, err) || trj_output_write(out, extra.data, extra.size, err) ||
                trj_output_write(out, picture->data + at, picture->size - at, err)))
        rc = -1;
    trj_bytes_free(&extra);
    return rc;
}

static int run(struct plot *p, struct trj_output **out, int argc, char **argv, int first, struct trj_error *err) {
    if (!isnan(ymax) && !(ymax > 0)) return trj_fail(err, TRJ_USAGE, "--ymax: %g is not above 0", ymax);
    if (read_tables(p, argv + first, (size_t)(argc - first), err)) return -1;
    char **provenance = trj_tool_provenance(&tool, argc, argv, err);
    for (char **line = provenance; line && *line; line++) {
        put(&p->provenance, *line);
        put(&p->provenance, "\n");
    }
    trj_texts_free(provenance);
    return !provenance || make_script(p, err) ||
                   trj_output_open(out, output_path, output_path ? TRJ_OUTPUT_BINARY : TRJ_OUTPUT_TEXT, err) ||
                   draw(&p->picture, &p->script, err) || write_picture(*out, &p->picture, &p->provenance, err) ||
                   trj_output_commit(*out, err)
               ? -1
               : 0;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct plot p = {.count = 0};
    struct trj_output *out = NULL;
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&p, &out, argc, argv, first, &err);
    trj_output_close(out);
    for (size_t i = 0; i < p.count; i++) {
        free(p.tables[i].file);
        free(p.tables[i].names);
        trj_bytes_free(&p.tables[i].data);
    }
    free(p.tables);
    free(pairs.texts);
    trj_bytes_free(&p.script);
    trj_bytes_free(&p.picture);
    trj_bytes_free(&p.provenance);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
