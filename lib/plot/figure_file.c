// SPDX-License-Identifier: MIT
// Runs gnuplot, checks its output and adds provenance, because gnuplot can fail without an error status.
#include "figure_file.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PNG_END = 12 }; // bytes of the chunk IEND, which ends a PNG

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

// Environment variables that change what gnuplot draws. Fonts are those of fontconfig, as in other programs of the
// user.
static const char *const settings[] = {"GNUTERM", "GNUPLOT_LIB", "GNUPLOT_FONTPATH", "GNUPLOT_DEFAULT_GDFONT",
                                       "GDFONTPATH"};

// A running gnuplot. `script` is its standard input and `messages` its standard error; both are temporary files,
// because pipes could fill up while no process reads them. `from` is the pipe of its standard output.
struct gnuplot {
    FILE *script, *messages;
    pid_t child;
    int from;
};

static int spawn(struct gnuplot *g, int to) {
    // -d: gnuplot reads neither ~/.gnuplot nor the gnuplotrc of the system, which may change the figure.
    static char name[] = "gnuplot", defaults[] = "-d", dash[] = "-";
    char *const argv[] = {name, defaults, dash, NULL};
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc) return rc;
    rc = posix_spawn_file_actions_adddup2(&actions, fileno(g->script), STDIN_FILENO);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&actions, fileno(g->messages), STDERR_FILENO);
    if (!rc) rc = posix_spawn_file_actions_addclose(&actions, g->from);
    if (!rc) rc = posix_spawn_file_actions_addclose(&actions, to);
    if (!rc) rc = posix_spawnp(&g->child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static int start_gnuplot(struct gnuplot *g, const struct trj_bytes *script, struct trj_error *err) {
    int ends[2];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) unsetenv(settings[i]);
    // The labels are UTF-8, which gnuplot rejects in the C locale.
    if (setenv("LC_ALL", "C.UTF-8", 1)) return trj_fail_errno(err, "cannot set the locale");
    g->script = tmpfile();
    g->messages = tmpfile();
    if (!g->script || !g->messages || fwrite(script->data, 1, script->size, g->script) != script->size ||
        fflush(g->script) || fseek(g->script, 0, SEEK_SET) || pipe(ends))
        return trj_fail_errno(err, "cannot pass a script to gnuplot");
    g->from = ends[0];
    int number = spawn(g, ends[1]);
    close(ends[1]);
    if (!number) return 0;
    return trj_fail(err, TRJ_FAILED, "cannot run gnuplot: %s; on Debian it is in the package gnuplot-nox",
                    strerror(number));
}

// Returns the offset of the last occurrence of the text; b->size if there is none.
static size_t find_last(const struct trj_bytes *b, const char *text) {
    size_t n = strlen(text), position = b->size;
    while (position >= n && memcmp(b->data + position - n, text, n) != 0) position--;
    return position < n ? b->size : position - n;
}

static void put_svg_text(struct trj_bytes *b, const char *text) {
    put(b, "<metadata>\n");
    for (bool starts = true; *text; starts = *text++ == '\n') {
        if (starts) put(b, "provenance: ");
        put(b, *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : (char[]){*text, 0});
    }
    put(b, "</metadata>\n");
}

static void put_big_endian(struct trj_bytes *b, uint32_t v) {
    trj_put_raw(b,
                (unsigned char[]){(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
                                  (unsigned char)v},
                4);
}

// Returns the CRC-32 of ISO 3309, which the PNG specification describes in its annex D.
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
        "iTXtprovenance\0\0\0\0"; // no compression, no language; the final NUL of the literal ends the last field
    put_big_endian(b, (uint32_t)(sizeof head - 4 + text->size));
    size_t start = b->size;
    trj_put_raw(b, head, sizeof head);
    trj_put_raw(b, text->data, text->size);
    if (!b->failed) put_big_endian(b, crc32(b->data + start, b->size - start));
}

// Joins the lines of gnuplot's messages by ": ". Blank lines, and lines that only mark the place of an error, are
// omitted.
static void read_messages(char text[PLOT_MESSAGES], FILE *messages) {
    char line[PLOT_MESSAGES];
    size_t n = 0;
    rewind(messages);
    while (n + 1 < PLOT_MESSAGES && fgets(line, sizeof line, messages)) {
        char *start = line + strspn(line, " \t^"), *end = start + strlen(start);
        while (end > start && strchr(" \t\r\n", end[-1])) *--end = 0;
        int more = *start ? snprintf(text + n, PLOT_MESSAGES - n, "%s%s", n ? ": " : "", start) : 0;
        n += more > 0 ? (size_t)more : 0;
    }
    text[n < PLOT_MESSAGES ? n : PLOT_MESSAGES - 1] = 0;
}

static bool begins(const struct trj_bytes *b, const void *start, size_t n) {
    return b->size >= n && !memcmp(b->data, start, n);
}

static bool ends(const struct trj_bytes *b, const void *end, size_t n) {
    size_t size = b->size;
    while (size > n && (b->data[size - 1] == '\n' || b->data[size - 1] == '\r')) size--;
    return size >= n && !memcmp(b->data + size - n, end, n);
}

// Returns whether the file begins and ends with the bytes that its format requires.
static bool is_complete(const struct trj_bytes *b, enum plot_format format) {
    static const unsigned char png[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10},
                               iend[PNG_END] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    switch (format) {
    case PLOT_SVG:
        return begins(b, "<?xml", 5) && ends(b, "</svg>", 6);
    case PLOT_PNG:
        return begins(b, png, sizeof png) && ends(b, iend, sizeof iend);
    case PLOT_PDF:
        return begins(b, "%PDF-", 5) && ends(b, "%%EOF", 5);
    }
    return false;
}

static int check(const struct trj_bytes *file, enum plot_format format, int status, const char *messages,
                 struct trj_error *err) {
    const char *colon = *messages ? ": " : "";
    if (WIFSIGNALED(status))
        return trj_fail(err, TRJ_FAILED, "gnuplot was killed by signal %d (%s)%s%s", WTERMSIG(status),
                        strsignal(WTERMSIG(status)), colon, messages);
    if (WEXITSTATUS(status))
        return trj_fail(err, TRJ_FAILED, "gnuplot ended with status %d%s%s", WEXITSTATUS(status), colon, messages);
    if (!is_complete(file, format))
        return trj_fail(err, TRJ_FAILED, "gnuplot wrote %zu bytes, which are not a complete figure%s%s", file->size,
                        colon, messages);
    return 0;
}

// Adds fonts for viewers that lack Helvetica and would otherwise choose one with serifs. gnuplot takes a single name.
// Only attributes are changed, because the name of a curve may contain any text.
static int add_fallback_fonts(struct trj_bytes *svg, struct trj_error *err) {
    static const char one[] = "font-family=\"Helvetica\"", all[] = "font-family=\"Helvetica, Arial, sans-serif\"";
    struct trj_bytes to = {0};
    bool in_tag = false;
    size_t start = 0, n = strlen(one);
    for (size_t i = 0; i < svg->size; i++) {
        in_tag = svg->data[i] == '<' || (in_tag && svg->data[i] != '>');
        if (!in_tag || svg->size - i < n || memcmp(svg->data + i, one, n) != 0) continue;
        trj_put_raw(&to, svg->data + start, i - start);
        put(&to, all);
        start = i + n;
    }
    trj_put_raw(&to, svg->data + start, svg->size - start);
    trj_bytes_free(svg);
    *svg = to;
    return to.failed ? trj_fail_memory(err, (double)to.size, "a figure") : 0;
}

int plot_file_draw(struct trj_bytes *file, char messages[PLOT_MESSAGES], const struct trj_bytes *script,
                   enum plot_format format, struct trj_error *err) {
    unsigned char buffer[1 << 14];
    struct gnuplot g = {.from = -1};
    int status = 0, rc = start_gnuplot(&g, script, err);
    ssize_t n = 0;
    while (!rc && ((n = read(g.from, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) trj_put_raw(file, buffer, (size_t)n);
    if (n < 0) rc = trj_fail_errno(err, "gnuplot");
    if (g.from >= 0) close(g.from);
    while (g.child > 0 && waitpid(g.child, &status, 0) < 0)
        if (errno != EINTR) {
            rc = trj_fail_errno(err, "gnuplot");
            g.child = 0;
        }
    if (!rc && file->failed) rc = trj_fail_memory(err, (double)file->size, "a figure");
    if (!rc) {
        read_messages(messages, g.messages);
        rc = check(file, format, status, messages, err);
        if (!rc && format == PLOT_SVG) rc = add_fallback_fonts(file, err);
    }
    if (g.script) fclose(g.script);
    if (g.messages) fclose(g.messages);
    return rc;
}

// Appends comments after the end of the file. The position of the table of objects is repeated after them, because
// readers begin with the last line.
static void put_pdf_text(struct trj_bytes *b, const struct trj_bytes *pdf, const struct trj_bytes *text) {
    static const char tables[] = "startxref\n";
    for (size_t i = 0; i < text->size; i++) {
        if (!i || text->data[i - 1] == '\n') put(b, "% provenance: ");
        trj_put_raw(b, text->data + i, 1);
    }
    trj_put_raw(b, pdf->data + find_last(pdf, tables), pdf->size - find_last(pdf, tables));
}

// Replaces the date, which is optional in a PDF, by blanks, so that the same tables give the same bytes.
static void blank_date(struct trj_bytes *pdf) {
    static const char key[] = "/CreationDate (D:";
    for (size_t position = find_last(pdf, key); position < pdf->size && pdf->data[position] != '\n'; position++)
        pdf->data[position] = ' ';
}

// Appends the lines as valid UTF-8 without control characters, as SVG and PNG require, and a NUL that is not counted.
static void put_lines(struct trj_bytes *to, const struct trj_bytes *lines) {
    for (size_t position = 0, n; position < lines->size; position += n + 1) {
        const unsigned char *line = lines->data + position, *end = memchr(line, '\n', lines->size - position);
        size_t start = to->size;
        n = end ? (size_t)(end - line) : lines->size - position;
        trj_put_raw(to, line, n);
        trj_put_raw(to, "", 1);
        if (to->failed) return;
        trj_replace_control_chars((char *)to->data + start);
        to->size = start + strlen((const char *)to->data + start);
        trj_put_raw(to, "\n", 1);
    }
    trj_put_raw(to, "", 1);
    if (!to->failed) to->size--;
}

int plot_file_add_provenance(struct trj_bytes *file, enum plot_format format, const struct trj_bytes *provenance,
                             struct trj_error *err) {
    struct trj_bytes all = {0}, extra = {0}, lines = {0};
    size_t position = file->size;
    put_lines(&lines, provenance);
    bool failed = provenance->failed || lines.failed;
    switch (format) {
    case PLOT_SVG:
        position = find_last(file, "</svg>");
        if (!failed) put_svg_text(&extra, (const char *)lines.data);
        break;
    case PLOT_PNG:
        position = file->size > PNG_END ? file->size - PNG_END : 0;
        if (!failed) put_png_text(&extra, &lines);
        break;
    case PLOT_PDF:
        blank_date(file);
        if (!failed) put_pdf_text(&extra, file, &lines);
        break;
    }
    failed = failed || extra.failed;
    if (!failed) {
        trj_put_raw(&all, file->data, position);
        trj_put_raw(&all, extra.data, extra.size);
        trj_put_raw(&all, file->data + position, file->size - position);
    }
    failed = failed || all.failed;
    trj_bytes_free(&lines);
    trj_bytes_free(&extra);
    trj_bytes_free(file);
    *file = all;
    return failed ? trj_fail_memory(err, (double)all.size, "a figure") : 0;
}
