// SPDX-License-Identifier: MIT
// Finds provenance in every kind of output, so that outputs that are up to date are not computed again.
#include "provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block_stream.h"
#include "bytes.h"
#include "common_blocks.h"
#include "digest.h"
#include "input.h"
#include "memory.h"
#include "table_reader.h"
#include "table_writer.h"

struct trj_file_digest {
    char *path, digest[TRJ_DIGEST_ROOM];
};

void trj_digests_free(struct trj_digests *d) {
    for (size_t i = 0; i < d->count; i++) free(d->files[i].path);
    free(d->files);
    *d = (struct trj_digests){.count = 0};
}

int trj_digests_find(struct trj_digests *d, const char *path, const char **digest, struct trj_error *err) {
    for (size_t i = 0; i < d->count; i++) {
        *digest = d->files[i].digest;
        if (!strcmp(d->files[i].path, path)) return 0;
    }
    if (trj_grow(&d->files, &d->capacity, d->count + 1, sizeof *d->files, "digests", err)) return -1;
    struct trj_file_digest *f = &d->files[d->count];
    if (trj_digest_file(f->digest, path, err) || !(f->path = trj_copy_text(path, err))) return -1;
    d->count++;
    *digest = f->digest;
    return 0;
}

// Block PROV of schemas/block_stream.md.
static int take_block(struct trj_string_list *lines, struct trj_cursor *c, struct trj_error *err) {
    uint32_t n = trj_get_u32(c);
    for (uint32_t i = 0; i < n && !c->failed; i++) {
        char *line;
        int rc = trj_get_text(c, &line, err) || trj_string_list_add(lines, line, err) ? -1 : 0;
        free(line);
        if (rc && !c->failed) return -1;
    }
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "damaged provenance") : 0;
}

static int read_blocks(struct trj_string_list *lines, struct trj_input *in, const unsigned char *magic,
                       struct trj_error *err) {
    struct trj_stream_kind kind = {.name = "stream", .major = 1};
    struct trj_block_reader *r = NULL;
    struct trj_block b;
    uint64_t taken = 0; // bytes of provenance read so far
    bool ended = false;
    memcpy(kind.magic, magic, sizeof kind.magic);
    int rc = trj_block_reader_open(&r, in, &kind, err);
    while (!rc && (rc = trj_block_next(r, &b, err)) > 0) {
        ended = !strcmp(b.type, "END!");
        if (strcmp(b.type, "PROV") != 0) {
            rc = trj_block_skip(r, &b, err);
            continue;
        }
        rc = trj_block_load(r, &b, TRJ_PROVENANCE_MAX - taken, err) || take_block(lines, &b.payload, err) ? -1 : 0;
        taken += b.raw;
    }
    trj_block_reader_close(r);
    return rc ? -1 : ended ? 0 : trj_fail(err, TRJ_BAD_DATA, "truncated: END block missing");
}

static void replace(char *text, const char *name, char c) {
    for (char *p = text; (p = strstr(p, name)); p++) {
        *p = c;
        memmove(p + 1, p + strlen(name), strlen(p + strlen(name)) + 1);
    }
}

// Tables contain lines "# provenance: LINE" in their first comments.
static int read_table(struct trj_string_list *lines, struct trj_input *in, struct trj_error *err) {
    char *line;
    const char *text;
    size_t length;
    int rc;
    while ((rc = trj_input_line(in, &line, &length, err)) > 0 && line[0] == '#')
        if ((text = trj_table_after(line, TRJ_PROVENANCE_MARK)) && trj_string_list_add(lines, text, err)) return -1;
    return rc < 0 ? -1 : 0;
}

// SVG files contain lines "provenance: LINE" in the element metadata.
static int read_svg(struct trj_string_list *lines, struct trj_input *in, struct trj_error *err) {
    static const char mark[] = "provenance: ";
    char *line;
    size_t length;
    bool inside = false;
    int rc;
    while ((rc = trj_input_line(in, &line, &length, err)) > 0) {
        inside = (inside || !strcmp(line, "<metadata>")) && strcmp(line, "</metadata>");
        if (!inside || strncmp(line, mark, sizeof mark - 1)) continue;
        replace(line, "&lt;", '<');
        replace(line, "&gt;", '>');
        replace(line, "&amp;", '&');
        if (trj_string_list_add(lines, line + sizeof mark - 1, err)) return -1;
    }
    return rc;
}

// PNG files contain the lines in an iTXt chunk "provenance", uncompressed and without a language.
static int read_png(struct trj_string_list *lines, struct trj_input *in, struct trj_error *err) {
    enum { MAX = 1 << 24 };
    static const char mark[] = "provenance\0\0\0\0"; // the NUL at the end of the literal is part of it
    unsigned char head[8], *text = NULL;
    int rc = trj_input_skip(in, 8, "the signature", err);
    while (!rc && !text) {
        size_t got;
        if ((rc = trj_input_read_some(in, head, sizeof head, &got, err)) || got < sizeof head) break;
        size_t n = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (memcmp(head + 4, "iTXt", 4) || n < sizeof mark || n > MAX) {
            rc = trj_input_skip(in, n + 4, "a chunk", err);
            continue;
        }
        if (!(text = trj_alloc(n + 1, 1, "provenance", err)) || trj_input_read(in, text, n, "a chunk", err)) rc = -1;
        if (rc || memcmp(text, mark, sizeof mark)) {
            free(text);
            text = NULL;
            if (!rc) rc = trj_input_skip(in, 4, "a chunk", err);
        }
    }
    for (char *p = text ? (char *)text + sizeof mark : NULL; !rc && p && *p;) {
        size_t n = strcspn(p, "\n");
        bool last = !p[n];
        p[n] = 0;
        rc = trj_string_list_add(lines, p, err);
        p += n + !last;
    }
    free(text);
    return rc;
}

// PDF files contain comments "% provenance: LINE" after their end.
static int read_pdf(struct trj_string_list *lines, struct trj_input *in, struct trj_error *err) {
    static const char mark[] = "% provenance: ";
    char *line;
    size_t length;
    int rc;
    while ((rc = trj_input_line(in, &line, &length, err)) > 0)
        if (!strncmp(line, mark, sizeof mark - 1) && trj_string_list_add(lines, line + sizeof mark - 1, err)) return -1;
    return rc;
}

// PLY files contain lines "comment provenance: LINE" in their header.
static int read_ply(struct trj_string_list *lines, struct trj_input *in, struct trj_error *err) {
    static const char mark[] = "comment provenance: ";
    char *line;
    size_t length;
    int rc;
    while ((rc = trj_input_line(in, &line, &length, err)) > 0 && strcmp(line, "end_header") != 0)
        if (!strncmp(line, mark, sizeof mark - 1) && trj_string_list_add(lines, line + sizeof mark - 1, err)) return -1;
    return rc < 0 ? -1 : 0;
}

static const char png[] = "\x89PNG\r\n\x1a\n"; // of the PNG specification

// The magic number of streams (schemas/block_stream.md) resembles that of PNG.
static bool is_stream(const unsigned char *head, size_t n) {
    return n >= 8 && head[0] == 0x89 && !memcmp(head + 4, png + 4, 4) && memcmp(head, png, 4) != 0;
}

bool trj_provenance_is_stream(const char *path) {
    struct trj_input *in = NULL;
    struct trj_error err;
    const unsigned char *head;
    size_t n;
    bool is = !trj_input_open(&in, path, &err) && !trj_input_peek(in, &head, 8, &n, &err) && is_stream(head, n);
    trj_input_close(in);
    return is;
}

int trj_provenance_read(struct trj_string_list *lines, const char *path, bool *stream, struct trj_error *err) {
    struct trj_input *in = NULL;
    const unsigned char *head;
    size_t n;
    if (trj_input_open(&in, path, err)) return -1;
    *stream = false;
    int rc = trj_input_peek(in, &head, 8, &n, err);
    if (!rc && n == 8 && !memcmp(head, png, 8)) {
        rc = read_png(lines, in, err);
    } else if (!rc && is_stream(head, n)) {
        *stream = true;
        rc = read_blocks(lines, in, head, err);
    } else if (!rc && n && head[0] == '#') {
        rc = read_table(lines, in, err);
    } else if (!rc && n && head[0] == '<') {
        rc = read_svg(lines, in, err);
    } else if (!rc && n >= 5 && !memcmp(head, "%PDF-", 5)) {
        rc = read_pdf(lines, in, err);
    } else if (!rc && n >= 4 && !memcmp(head, "ply\n", 4)) {
        rc = read_ply(lines, in, err);
    }
    if (rc) trj_error_set_remedy(err, "create the file again");
    if (rc) trj_fail_at(err, "%s", path);
    trj_input_close(in);
    return rc;
}

static int add_line(struct trj_string_list *lines, struct trj_bytes *b, struct trj_error *err) {
    trj_put_raw(b, "", 1);
    int rc = b->failed ? trj_fail_memory(err, (double)b->size, "provenance")
                       : trj_string_list_add(lines, (const char *)b->data, err);
    trj_bytes_free(b);
    return rc;
}

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

// Lists the lines that the run and the runs before it in the pipe record. Without digests, input lines are empty; runs
// of a part record none.
static int expect(struct trj_string_list *lines, const struct trj_plan *plan, const struct trj_stage_run *run,
                  struct trj_digests *digests, struct trj_error *err) {
    struct trj_bytes b = {0};
    const char *digest;
    if (run->piped && expect(lines, plan, &plan->runs[run->sources[0]], digests, err)) return -1;
    put(&b, run->tool->name);
    put(&b, " ");
    put(&b, run->tool->version);
    put(&b, ": ");
    put(&b, run->command);
    if (add_line(lines, &b, err)) return -1;
    for (size_t i = 0; i < run->inputs.count && !plan->part; i++) {
        if (!digests && trj_string_list_add(lines, "", err)) return -1;
        if (!digests) continue;
        if (trj_digests_find(digests, run->inputs.texts[i], &digest, err)) return -1;
        put(&b, "input ");
        put(&b, digest);
        put(&b, " ");
        trj_put_quoted(&b, run->inputs.texts[i]);
        if (add_line(lines, &b, err)) return -1;
    }
    return 0;
}

// Returns whether the last lines are those expected; an empty expected line matches any line.
static bool ends_in(const struct trj_string_list *there, const struct trj_string_list *expected) {
    bool same = there->count >= expected->count;
    for (size_t i = 0; same && i < expected->count; i++)
        same = !*expected->texts[i] || !strcmp(there->texts[there->count - expected->count + i], expected->texts[i]);
    return same;
}

// Returns whether no file that the run, and the runs before it in the pipe, read is newer than the output.
static bool is_newest(const struct trj_plan *plan, const struct trj_stage_run *run, const struct timespec *output) {
    struct stat st;
    for (size_t i = 0; i < run->inputs.count; i++)
        if (stat(run->inputs.texts[i], &st) || st.st_mtim.tv_sec > output->tv_sec ||
            (st.st_mtim.tv_sec == output->tv_sec && st.st_mtim.tv_nsec > output->tv_nsec))
            return false;
    return !run->piped || is_newest(plan, &plan->runs[run->sources[0]], output);
}

static int matches(const struct trj_plan *plan, const struct trj_stage_run *run, const char *output,
                   struct trj_digests *digests, struct trj_error *err) {
    struct trj_string_list there = {.texts = NULL}, commands = {.texts = NULL}, all = {.texts = NULL};
    struct stat st;
    bool stream = false;
    int rc = 0;
    if (plan->part && (stat(output, &st) || !is_newest(plan, run, &st.st_mtim))) return 0;
    // A file that cannot be read or is damaged is written again.
    if (access(output, R_OK) || trj_provenance_read(&there, output, &stream, err) || (!stream && !plan->part)) goto out;
    // Digests of inputs, which may be long, are computed only if everything else matches.
    if (expect(&commands, plan, run, NULL, err))
        rc = -1;
    else if (ends_in(&there, &commands))
        rc = expect(&all, plan, run, digests, err) ? -1 : ends_in(&there, &all);
out:
    trj_string_list_free(&there);
    trj_string_list_free(&commands);
    trj_string_list_free(&all);
    return rc;
}

int trj_provenance_matches(const struct trj_plan *plan, const struct trj_stage_run *run, struct trj_digests *digests,
                           struct trj_error *err) {
    int same = 1;
    for (size_t k = 0; same > 0 && k < run->output_count; k++)
        same = matches(plan, run, run->outputs[k].path, digests, err);
    return same;
}

int trj_provenance_split(struct trj_string_list *words, char version[64], const char *line, struct trj_error *err) {
    const char *p = line, *colon = strstr(line, ": "), *space = strchr(line, ' ');
    version[0] = 0;
    if (strncmp(line, "input ", 6)) {
        if (!colon || !space || space > colon || colon - space > 60)
            return trj_fail(err, TRJ_BAD_DATA, "invalid line in its provenance: expected a command, found '%s'", line);
        snprintf(version, 64, "%.*s", (int)(colon - space - 1), space + 1);
        p = colon + 2;
    }
    while (*p) {
        struct trj_bytes b = {0};
        for (bool quoted = false; *p && (quoted || *p != ' '); p++) {
            if (*p == '\'')
                quoted = !quoted;
            else if (!quoted && *p == '\\' && p[1])
                trj_put_raw(&b, ++p, 1);
            else
                trj_put_raw(&b, p, 1);
        }
        if (add_line(words, &b, err)) return -1;
        p += *p == ' ';
    }
    return words->count ? 0 : trj_fail(err, TRJ_BAD_DATA, "invalid line in its provenance: the line is empty");
}
