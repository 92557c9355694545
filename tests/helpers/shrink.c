// SPDX-License-Identifier: MIT
// Reads copies of a trajectory that change while they are read: `shrink FILE`. Each copy is truncated to one of several
// sizes at one of several moments. Every frame that is read must be equal to that of the whole file, and the reader may
// report the end of the data only after the last frame. With --replace the copies get other contents instead, and only
// crashes are failures.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "memory.h"
#include "reader.h"
#include "tool.h"

static uint64_t threads = 1, atoms = 0;
static const char *format_name;
static bool replace;
static const struct trj_option options[] = {
    {TRJ_OPTION(0, "threads", COUNT, &threads, "N", "threads"), .max = 64},
    {TRJ_OPTION(0, "atoms", COUNT, &atoms, "N", "number of atoms"), .max = UINT32_MAX},
    {TRJ_OPTION(0, "format", TEXT, &format_name, "NAME", "format")},
    {TRJ_OPTION(0, "replace", FLAG, &replace, NULL, "replace the contents")},
    TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "shrink",
                                     .purpose = "read files that change while they are read",
                                     .operands = "FILE",
                                     .min_operands = 1,
                                     .max_operands = 1,
                                     .options = options};

enum { MAX_FRAMES = 4096, SIZES = 12 };
enum way { READ, SKIP, ADVANCE, WAYS };

struct file {
    const struct trj_format *format;
    char path[64];
    unsigned char *data;
    size_t size;
    uint64_t frame[MAX_FRAMES]; // hashes of the frames
    size_t frames;
    unsigned cases, errors;
};

static uint64_t hash_of(const struct trj_frame *f) {
    uint64_t h = trj_hash(&f->cell.h, sizeof f->cell.h, f->cell.periodic);
    h = trj_hash(&f->step, sizeof f->step, h);
    h = trj_hash(&f->time, sizeof f->time, h);
    for (int k = 0; k < 3; k++) h = trj_hash(f->x[k], f->atoms * sizeof *f->x[k], h);
    return h;
}

static void save(const char *path, const unsigned char *data, size_t n) {
    FILE *f = fopen(path, "r+");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f) || truncate(path, (off_t)n)) abort();
}

// Kinds: other contents of about the same size, and a file that has grown.
static void change(const struct file *s, size_t size) {
    unsigned kind = (unsigned)(size % 4);
    unsigned char *other = malloc(2 * s->size);
    if (!other) abort();
    for (size_t i = 0; i < 2 * s->size; i++)
        other[i] = kind == 0   ? 0
                   : kind == 1 ? (unsigned char)(i * 2654435761u >> 13)
                   : kind == 2 ? s->data[(i + 1000) % s->size]
                               : (unsigned char)(s->data[i % s->size] ^ (i % 97 == 5));
    save(s->path, other, kind == 2 ? 2 * s->size : s->size);
    free(other);
}

// Reads one copy, which is changed after `moment` frames. Returns false if the result is wrong.
static bool try_one(struct file *s, size_t moment, size_t size, enum way way) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    struct trj_error err = {.text = ""};
    size_t n = 0;
    bool same = true;
    save(s->path, s->data, s->size);
    int got = trj_reader_open_as(&r, s->path, s->format, (size_t)atoms, &err) ? -1 : 1;
    for (bool changed = false; got > 0;) {
        if (n >= moment && !changed) {
            changed = true;
            if (replace)
                change(s, size);
            else if (truncate(s->path, (off_t)size))
                abort();
        }
        uint64_t passed = 1;
        if (way == READ || !changed)
            got = trj_reader_read(r, &f, &err);
        else if (way == SKIP)
            got = trj_reader_skip(r, &err);
        else
            got = trj_reader_advance(r, 3, &passed, &err) ? -1 : passed == 3;
        if (got > 0 && (way == READ || !changed)) same = same && n < s->frames && hash_of(&f) == s->frame[n];
        n += got >= 0 && (got || way == ADVANCE) ? passed : 0;
        if (n == 1 && got > 0 && trj_reader_read_ahead(r, (unsigned)threads, 1, MAX_FRAMES, &err)) got = -1;
    }
    trj_reader_close(r);
    trj_frame_free(&f);
    s->cases++;
    s->errors += got < 0;
    bool right = got < 0 ? err.status == TRJ_BAD_DATA || err.status == TRJ_FAILED : n == s->frames;
    if (replace || (same && right)) return true;
    printf("after %zu frames truncated to %zu of %zu bytes, %s: %zu of %zu frames, %s, then %d, status %d: %s\n",
           moment, size, s->size, (const char *[]){"read", "skipped", "advanced"}[way], n, s->frames,
           same ? "the same" : "others", got, err.status, err.text);
    return false;
}

static int load(struct file *s, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    uint64_t size;
    int got = -1;
    if (format_name && !(s->format = trj_format_named(format_name, err))) return -1;
    if (trj_input_open_raw(&in, path, err) || !trj_input_size(in, &size)) goto out;
    s->size = (size_t)size;
    if (!(s->data = trj_alloc(s->size, 1, "a file", err)) || trj_input_read(in, s->data, s->size, "a file", err))
        goto out;
    if (trj_reader_open_as(&r, path, s->format, (size_t)atoms, err)) goto out;
    while ((got = trj_reader_read(r, &f, err)) > 0 && s->frames < MAX_FRAMES) s->frame[s->frames++] = hash_of(&f);
    s->format = r->format;
out:
    trj_reader_close(r);
    trj_input_close(in);
    trj_frame_free(&f);
    return got;
}

int main(int argc, char **argv) {
    struct trj_error err = {.text = ""};
    struct file s = {.path = "/tmp/shrink.XXXXXX"};
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    if (rc < 0 || load(&s, argv[first], &err)) return trj_tool_fail(&err);
    int fd = mkstemp(s.path);
    if (fd < 0) abort();
    close(fd);
    bool good = true;
    for (size_t moment = 0; moment < s.frames;) {
        for (int k = 0; k < SIZES; k++)
            for (enum way way = READ; way < WAYS; way++)
                good = try_one(&s, moment, s.size * (size_t)k / SIZES + (size_t)(k % 3), way) && good;
        moment = moment < 2 ? moment + 1 : moment + (s.frames - moment) / 2 + 1;
    }
    unlink(s.path);
    free(s.data);
    printf("%zu frames: %u cases, %u errors\n", s.frames, s.cases, s.errors);
    return good ? 0 : 1;
}
