// SPDX-License-Identifier: MIT
#include "picture.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
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

// Where the text was found last; the size where it was not.
static size_t find_last(const struct trj_bytes *b, const char *text) {
    size_t n = strlen(text), at = b->size;
    while (at >= n && memcmp(b->data + at - n, text, n) != 0) at--;
    return at < n ? b->size : at - n;
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
int plot_picture_draw(struct trj_bytes *picture, const struct trj_bytes *script, struct trj_error *err) {
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

// A comment behind the end of the file, and once more where its table of objects is: readers begin with the last line.
static void put_pdf_text(struct trj_bytes *b, const struct trj_bytes *pdf, const struct trj_bytes *text) {
    static const char tables[] = "startxref\n";
    for (size_t i = 0; i < text->size; i++) {
        if (!i || text->data[i - 1] == '\n') put(b, "% provenance: ");
        trj_put_raw(b, text->data + i, 1);
    }
    trj_put_raw(b, pdf->data + find_last(pdf, tables), pdf->size - find_last(pdf, tables));
}

// The same tables give the same bytes: the date of a PDF, which need not be told, becomes blanks.
static void blank_date(struct trj_bytes *pdf) {
    static const char key[] = "/CreationDate (D:";
    for (size_t at = find_last(pdf, key); at < pdf->size && pdf->data[at] != '\n'; at++) pdf->data[at] = ' ';
}

int plot_picture_tell(struct trj_bytes *picture, enum plot_format format, const struct trj_bytes *provenance,
                      struct trj_error *err) {
    enum { PNG_END = 12 }; // bytes of the chunk IEND
    struct trj_bytes all = {0}, extra = {0};
    size_t at = picture->size;
    switch (format) {
    case PLOT_SVG:
        at = find_last(picture, "</svg>");
        put_svg_text(&extra, provenance);
        break;
    case PLOT_PNG:
        at = picture->size > PNG_END ? picture->size - PNG_END : 0;
        put_png_text(&extra, provenance);
        break;
    case PLOT_PDF:
        blank_date(picture);
        put_pdf_text(&extra, picture, provenance);
        break;
    }
    if (!extra.failed) {
        trj_put_raw(&all, picture->data, at);
        trj_put_raw(&all, extra.data, extra.size);
        trj_put_raw(&all, picture->data + at, picture->size - at);
    }
    bool failed = extra.failed || all.failed;
    trj_bytes_free(&extra);
    trj_bytes_free(picture);
    *picture = all;
    return failed ? trj_fail_memory(err, (double)all.size, "a picture") : 0;
}
