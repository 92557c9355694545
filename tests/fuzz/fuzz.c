// SPDX-License-Identifier: MIT
// Feeds bytes to all code that reads files. The name of the program selects the target (fuzz.mk makes a link for each).
// It is built with the main of a fuzzer or, for `make check`, with the one below, which runs once for each file given.
//
// Reading must end without a crash, a leak, or more memory than the limit of the fuzzer. Frames that are read in other
// ways than in order (by seeking, from a pipe, ahead in threads, some of the atoms) must be the same; if they are not,
// this aborts.
#define _GNU_SOURCE // memfd_create
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/observe_system.h"
#include "block_stream.h"
#include "charmm_parameters.h"
#include "chunk.h"
#include "correlation_table.h"
#include "frame_range.h"
#include "group_split.h"
#include "grouping.h"
#include "hash.h"
#include "hdf5_children.h"
#include "hist_stream.h"
#include "index_file.h"
#include "map_expression.h"
#include "map_format.h"
#include "map_geometry.h"
#include "measured_pdf.h"
#include "memory.h"
#include "molecule_model.h"
#include "neighbour_norm.h"
#include "net_map_make.h"
#include "norm_curve.h"
#include "observable.h"
#include "open_system.h"
#include "orbital_rule.h"
#include "output.h"
#include "partial_sums.h"
#include "reader.h"
#include "select.h"
#include "surface_norm.h"
#include "system.h"
#include "topology.h"
#include "trjpipe.h"
#include "wave_function.h"
#include "wave_norm.h"
#include "yaml_tree.h"

enum { MAX_FRAMES = 1000, EXPECTED_ATOMS = 3, OPEN_ATOMS = 4000, MAX_UNPACKED = 1 << 22, MAX_GROUPS = 32 };

// The file is in memory, with the name `path`. HDF5 requires a file with a name in a folder: `named`. The target `api`
// writes copies to it.
static int memory_file;
static char path[32], named[] = "/tmp/fuzz.XXXXXX";

struct target {
    const char *name, *of; // `of`: name of the format
    void (*run)(const struct target *t, const unsigned char *data, size_t size);
    const struct trj_format *format; // NULL: detected from the content
    bool blocks;                     // a block stream
};

static void differ(const char *what, unsigned long long frame, const char *a, const char *b) {
    fprintf(stderr, "%s is not what was read first, at frame %llu: \"%s\" and \"%s\"\n", what, frame, a, b);
    abort();
}

static void put_file(const void *data, size_t size) {
    if (ftruncate(memory_file, 0) || pwrite(memory_file, data, size, 0) != (ssize_t)size) abort();
}

static void put_u64(unsigned char *to, uint64_t v) {
    for (int i = 0; i < 8; i++) to[i] = (unsigned char)(v >> 8 * i);
}

// Corrects the checksums of blocks, because a fuzzer cannot guess them. Most often, also reduces the size of a last
// block that is larger than the file, because reading it takes time. Streams may follow each other.
static void repair(unsigned char *data, size_t size) {
    uint64_t n = 0, stored = 0;
    for (size_t at = 0; size - at >= TRJ_BLOCK_HEADER; at += stored) {
        unsigned char *head = data + at;
        if (!at || *head == 0x89) { // header of a stream
            put_u64(head + 16, trj_hash(head, 16, 0));
            at += TRJ_STREAM_HEADER;
            n = stored = 0;
            continue;
        }
        stored = 0;
        for (int i = 8; i--;) stored = stored << 8 | head[8 + i];
        at += TRJ_BLOCK_HEADER;
        if (stored > size - at && stored % 8) {
            put_u64(head + 8, stored = size - at);
            put_u64(head + 16, stored);
        }
        bool whole = stored <= size - at;
        if (whole) put_u64(head + 24, trj_hash(data + at, stored, 0));
        put_u64(head + 32, trj_hash(head, 32, n++));
        if (!whole) break;
    }
}

// ---- trajectories

// The frames read in order.
static struct seen {
    uint64_t frames;
    uint64_t whole[MAX_FRAMES], part[MAX_FRAMES]; // hashes: of all atoms; of the first and the last one
    int end;                                      // result after the frames
    bool maybe_truncated, can_seek;
    bool differ; // a frame has other names than the first
    struct trj_error err;
} seen;

static uint64_t mix(uint64_t hash, const void *data, size_t n) {
    const unsigned char *p = data;
    while (n--) hash = (hash ^ *p++) * 0x100000001b3;
    return hash;
}

static uint64_t hash_frame(const struct trj_reader *r, const struct trj_frame *f, bool part) {
    uint64_t hash = 0xcbf29ce484222325;
    hash = mix(hash, &f->step, sizeof f->step);
    hash = mix(hash, &f->time, sizeof f->time);
    hash = mix(hash, &f->unit, sizeof f->unit);
    hash = mix(hash, f->cell.h, sizeof f->cell.h);
    hash = mix(hash, &f->cell.periodic, sizeof f->cell.periodic);
    hash = mix(hash, r->difference, strlen(r->difference));
    for (size_t i = 0; i < f->atoms; i += part && f->atoms > 1 ? f->atoms - 1 : 1)
        for (int k = 0; k < 3; k++) {
            const struct trj_motion *m = f->motion;
            hash = mix(hash, &f->x[k][i], sizeof *f->x[k]);
            if (trj_motion_has(m) & TRJ_HAS_VELOCITY) hash = mix(hash, &m->velocity[k][i], sizeof *m->velocity[k]);
            if (trj_motion_has(m) & TRJ_HAS_IMAGE) hash = mix(hash, &m->image[k][i], sizeof *m->image[k]);
        }
    return hash;
}

static int open_reader(struct trj_reader **r, const char *name, const struct target *t, struct trj_error *err) {
    struct trj_input *in = NULL;
    // What frame streams contain is requested of them; of other formats, only coordinates.
    unsigned motion = t->format == &trj_format_stream ? TRJ_READ_VELOCITY | TRJ_READ_IMAGE : 0;
    return trj_input_open(&in, name, err)
               ? -1
               : trj_reader_open_comparing(r, in, t->format, EXPECTED_ATOMS, TRJ_COMPARE_CHARGES | motion, err);
}

static int read_first(const struct target *t, struct trj_frame *f) {
    struct trj_reader *r;
    seen.frames = 0;
    seen.end = -1;
    seen.differ = false;
    if (open_reader(&r, path, t, &seen.err)) return -1;
    while (seen.frames < MAX_FRAMES && (seen.end = trj_reader_read(r, f, &seen.err)) > 0) {
        seen.whole[seen.frames] = hash_frame(r, f, false);
        seen.part[seen.frames++] = hash_frame(r, f, true);
        seen.differ = seen.differ || *r->difference;
    }
    seen.maybe_truncated = r->maybe_truncated;
    seen.can_seek = r->can_seek;
    trj_reader_close(r);
    return 0;
}

// Compares the last frame read.
static void compare(const struct trj_reader *r, const struct trj_frame *f, const uint64_t *hashes, const char *what) {
    uint64_t n = r->next - 1;
    if (hashes && n < seen.frames && hash_frame(r, f, false) != hashes[n]) differ(what, n, "", "");
}

static void compare_end(const char *what, uint64_t frames, int end, const struct trj_error *err) {
    if (frames != seen.frames || end != seen.end || (end && strcmp(err->text, seen.err.text)))
        differ(what, frames, end ? err->text : "end", seen.end ? seen.err.text : "end");
}

static void read_ahead(const struct target *t, struct trj_frame *f) {
    struct trj_error err;
    struct trj_reader *r;
    uint64_t n = 0;
    int end = 0;
    if (open_reader(&r, path, t, &err) || trj_reader_read_ahead(r, 2, 1, UINT64_MAX, &err))
        differ("reading ahead", 0, err.text, "opened");
    for (; n < MAX_FRAMES && (end = trj_reader_read(r, f, &err)) > 0; n++) compare(r, f, seen.whole, "reading ahead");
    compare_end("reading ahead", n, end, &err);
    if (!end && r->maybe_truncated != seen.maybe_truncated) differ("doubt", n, "", ""); // not compared after an error
    if (seen.can_seek && trj_reader_seek(r, 0, &err) > 0)
        for (n = 0; n < 2 && trj_reader_read(r, f, &err) > 0; n++)
            compare(r, f, t->blocks ? NULL : seen.whole, "going back ahead");
    trj_reader_close(r);
}

// Reads two atoms of every second frame, at most two frames ahead. Damage in other atoms and frames need not be
// detected.
static void read_picked(const struct target *t, struct trj_frame *f) {
    struct trj_error err;
    struct trj_reader *r;
    uint64_t n = 0;
    int end = 0;
    if (open_reader(&r, path, t, &err)) differ("picking", 0, err.text, "opened");
    if (r->atoms) {
        uint32_t atoms[2] = {0, (uint32_t)(r->atoms - 1)};
        if (trj_reader_pick(r, atoms, r->atoms > 1 ? 2 : 1, &err) || trj_reader_read_ahead(r, 2, 2, 2, &err))
            differ("picking", 0, err.text, "opened");
        for (; n < MAX_FRAMES / 2 && (end = trj_reader_read(r, f, &err)) > 0; n++) compare(r, f, seen.part, "picking");
        if (!seen.end && (end || n != seen.frames / 2)) differ("picking", 2 * n, end ? err.text : "end", "end");
    }
    trj_reader_close(r);
}

// Damage after the frames may only be detected now. The index of a stream with corrected checksums may have any
// positions, so that its frames are not compared.
static void seek(const struct target *t, struct trj_frame *f) {
    struct trj_error err;
    struct trj_reader *r;
    uint64_t passed, frames;
    bool whole = !seen.end && !t->blocks;
    if (open_reader(&r, path, t, &err)) differ("seeking", 0, err.text, "opened");
    if (!trj_reader_advance(r, 2, &passed, &err) && trj_reader_read(r, f, &err) > 0)
        compare(r, f, t->blocks ? NULL : seen.whole, "advancing");
    else if (whole && seen.frames > 2)
        differ("advancing", 2, err.text, "");
    if (seen.can_seek && trj_reader_seek(r, 1, &err) > 0 && trj_reader_read(r, f, &err) > 0)
        compare(r, f, t->blocks ? NULL : seen.whole, "seeking");
    else if (seen.can_seek && whole && seen.frames > 1)
        differ("seeking", 1, err.text, "");
    if (seen.can_seek) {
        int rc = trj_reader_count(r, &frames, &err);
        if (whole && (rc || frames != seen.frames)) differ("counting", frames, rc ? err.text : "end", "end");
    }
    trj_reader_close(r);
}

// Data that do not fit into the buffer of a pipe are not tested, because the write would block. Formats that require a
// file fail.
static void read_pipe(const struct target *t, struct trj_frame *f, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_reader *r;
    int fds[2], end = 0;
    char name[32];
    uint64_t n = 0;
    if (pipe(fds)) abort();
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    ssize_t put = write(fds[1], data, size);
    close(fds[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    if (put == (ssize_t)size && !open_reader(&r, name, t, &err)) {
        for (; n < MAX_FRAMES && (end = trj_reader_read(r, f, &err)) > 0; n++) compare(r, f, seen.whole, "a pipe");
        if (!seen.end && !end && n != seen.frames) differ("a pipe", n, end ? err.text : "end", "end");
        trj_reader_close(r);
    }
    close(fds[0]);
}

// Reads the file as an open system, in which groups are evaluated in each frame, and compares it with the frames that
// were read before.
static void read_open(const struct target *t, struct trj_frame *f) {
    static const char *const groups[] = {"a=name O* or type 1", "b=x > 1 and not a", "c=index 0 or within 2 of a"};
    struct trj_error err;
    struct trj_reader *r = NULL;
    struct trj_input *in = NULL;
    struct trj_stream_header h = {.atoms = 0};
    struct trj_open_system *system = NULL;
    struct trj_frame to = {.atoms = 0};
    if (trj_input_open(&in, path, &err) ||
        trj_reader_open_comparing(&r, in, t->format, OPEN_ATOMS, TRJ_OPEN_SYSTEM, &err) ||
        trj_open_system_open(&system, &h, groups, r->header ? 0 : 3, OPEN_ATOMS, r->header, true, &err))
        goto out;
    if (r->header && trj_open_system_compare(system, r->header, &err)) goto out;
    for (uint64_t n = 0; n < MAX_FRAMES && trj_reader_read(r, f, &err) > 0; n++) {
        if (!seen.differ && !r->header) compare(r, f, seen.whole, "an open system");
        if (!trj_open_system_apply(system, r, f, &to, &err) && trj_open_system_present(system) > f->atoms) abort();
    }
out:
    trj_open_system_close(system);
    trj_stream_header_free(&h);
    trj_frame_free(&to);
    trj_reader_close(r);
}

static void run_trajectory(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_frame f = {.atoms = 0};
    if (!read_first(t, &f)) {
        seek(t, &f);
        if (seen.frames) read_picked(t, &f);
        if (seen.frames > 1) read_ahead(t, &f); // a single frame starts no threads
    }
    read_open(t, &f);
    read_pipe(t, &f, data, size);
    trj_frame_free(&f);
}

// ---- damaged streams

struct losses {
    uint64_t notes;
    struct trj_losses sum;
};

static void count_note(void *arg, const char *text) {
    struct losses *l = arg;
    if (!*text) abort();
    l->notes++;
}

// Salvages the file. `undamaged`: it is a copy of a stream without errors, whose frames were read first.
static int salvage(const struct target *t, unsigned threads, bool undamaged, uint64_t *hash, struct trj_error *err) {
    struct trj_frame f = {.atoms = 0};
    struct trj_reader *r = NULL;
    struct trj_input *in = NULL;
    struct losses l = {.notes = 0};
    int end = -1;
    uint64_t n = 0;
    *hash = 0;
    const unsigned compare = TRJ_SALVAGE | TRJ_READ_VELOCITY | TRJ_READ_IMAGE;
    if (trj_input_open(&in, path, err) || trj_reader_open_comparing(&r, in, t->format, 0, compare, err)) return -1;
    if (threads > 1 && trj_reader_read_ahead(r, threads, 1, UINT64_MAX, err)) abort();
    for (; n < MAX_FRAMES && (end = trj_reader_read(r, &f, err)) > 0; n++) {
        uint64_t one = hash_frame(r, &f, false), k = 0;
        while (undamaged && k < seen.frames && seen.whole[k] != one) k++;
        if (undamaged && k == seen.frames) differ("a salvaged frame", n, "", "");
        *hash = mix(*hash, &one, sizeof one);
    }
    if (!end) trj_reader_losses(r, count_note, &l, &l.sum);
    if (undamaged && !end && n < seen.frames && !l.sum.any) differ("a loss", n, "not reported", "");
    if (l.sum.any && !l.notes) differ("a loss", n, "no note", "");
    trj_reader_close(r);
    trj_frame_free(&f);
    return end;
}

// Salvages a stream as it is, and with one wrong byte, whose place depends on all bytes, with and without threads.
static void run_salvage(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_frame f = {.atoms = 0};
    struct trj_error err, other;
    uint64_t hash, again;
    unsigned char *copy = malloc(size + 1);
    if (!copy) abort();
    memcpy(copy, data, size);
    bool whole = !read_first(t, &f) && !seen.end;
    trj_frame_free(&f);
    for (int way = 0; way < 2 && size; way++) {
        if (way) copy[mix(0xcbf29ce484222325, data, size) % size] ^= 1;
        put_file(copy, size);
        int end = salvage(t, 1, whole, &hash, &err);
        if (salvage(t, 2, whole, &again, &other) != end || hash != again || (end < 0 && strcmp(err.text, other.text)))
            differ("salvaging ahead", 0, end < 0 ? other.text : "end", end < 0 ? err.text : "end");
    }
    free(copy);
}

// ---- the C library

static uint64_t hash_api_frame(const struct trjpipe_header *h, const struct trjpipe_frame *f, const float *x) {
    uint64_t hash = mix(0xcbf29ce484222325, x, 3 * sizeof *x * h->atoms);
    hash = mix(hash, &f->index, sizeof f->index);
    hash = mix(hash, &f->step, sizeof f->step);
    hash = mix(hash, &f->unit, sizeof f->unit);
    hash = mix(hash, f->cell, sizeof f->cell);
    hash = mix(hash, &f->source, sizeof f->source);
    hash = mix(hash, &f->periodic, sizeof f->periodic);
    return f->members ? mix(hash, f->members, h->member_words * sizeof *f->members) : hash;
}

// Reads the frames and, unless `to` is NULL, writes them there: what can be read can be written.
static int read_by_api(const char *name, const struct trjpipe_reader_options *options, const char *to, int level,
                       uint64_t *hash) {
    struct trjpipe_error err;
    struct trjpipe_frame f = {.struct_size = sizeof f};
    trjpipe_reader *r;
    trjpipe_writer *w = NULL;
    const char *const paths[] = {name};
    int end = -1;
    *hash = 0;
    if (trjpipe_reader_open(&r, paths, 1, options, &err)) return -1;
    const struct trjpipe_header *h = trjpipe_reader_header(r);
    const struct trjpipe_writer_options writer = {.struct_size = sizeof writer, .level = level, .threads = 1};
    float *x = malloc(3 * sizeof *x * h->atoms);
    if (!x) abort();
    if (to && trjpipe_writer_open(&w, to, h, &writer, &err)) differ("the header", 0, err.text, "");
    size_t sources = h->source_count;
    for (uint64_t n = 0; n < MAX_FRAMES && (end = trjpipe_reader_read(r, &f, x, &err)) > 0; n++) {
        uint64_t one = hash_api_frame(h, &f, x);
        *hash = mix(*hash, &one, sizeof one);
        for (; w && sources < h->source_count; sources++)
            if (trjpipe_writer_add_source(w, h->sources[sources].name, h->sources[sources].fingerprint, &err))
                differ("a source", n, err.text, "");
        if (w && trjpipe_writer_write(w, &f, x, &err)) differ("a frame", n, err.text, "");
        for (size_t i = 0; i < h->group_count; i++) trjpipe_group_members(&h->groups[i], &f, NULL);
        trjpipe_reader_label(r, TRJPIPE_NAME, n % h->atoms);
    }
    trjpipe_reader_property(r, "charge", &(struct trjpipe_property){.struct_size = sizeof(struct trjpipe_property)},
                            &err);
    while (trjpipe_reader_note(r)) continue;
    trjpipe_reader_losses(r, &err);
    if (w && end >= 0 && trjpipe_writer_finish(w, &err)) differ("the end", 0, err.text, "");
    trjpipe_writer_close(w);
    trjpipe_reader_close(r);
    free(x);
    return end;
}

// Reads a histogram stream, or a frame stream, which is copied and read again.
static void run_api(const struct target *t, const unsigned char *data, size_t size) {
    const struct trjpipe_reader_options options = {
        .struct_size = sizeof options, .threads = 1 + size % 2, .unit = TRJPIPE_STORED, .salvage = size % 3 == 0};
    const struct trjpipe_reader_options again = {
        .struct_size = sizeof again, .threads = 2 - size % 2, .unit = TRJPIPE_STORED};
    struct trjpipe_error err;
    trjpipe_histogram *histogram;
    const char *const paths[] = {path};
    uint64_t first, second;
    (void)t, (void)data;
    if (!trjpipe_histogram_open(&histogram, paths, 1, &err)) trjpipe_histogram_close(histogram);
    if (!read_by_api(path, &options, named, (int)(size % 4), &first) &&
        (read_by_api(named, &again, NULL, 0, &second) || first != second))
        differ("a copy", 0, "", "");
}

// ---- other files

static void run_topology(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_topology *top;
    (void)data, (void)size;
    for (int properties = 0; properties < 2; properties++)
        if (!trj_topology_open_with(&top, path,
                                    &(struct trj_topology_options){.format = t->of, .properties = properties}, &err))
            trj_topology_close(top);
}

// A number of molecules in a top file may be valid and require gigabytes.
static void run_top(const struct target *t, const unsigned char *data, size_t size) {
    static const char *defines[] = {"DEFINED", "OW=7"};
    struct trj_error err;
    struct trj_topology *top;
    for (size_t i = 0, digits = 0; i < size; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
        if (digits > 4 && digits < 9) return;
    }
    const struct trj_topology_options options = {.format = t->of, .properties = true, .defines = {defines, size % 3}};
    if (!trj_topology_open_with(&top, path, &options, &err)) trj_topology_close(top);
}

// Reads parameters of the types OT and HT.
static void run_charmm_parameters(const struct target *t, const unsigned char *data, size_t size) {
    static const char *const types[] = {"OT", "HT"};
    const char *const paths[] = {path, path};
    struct trj_error err;
    struct trj_topology *top = trj_alloc(1, sizeof *top, "a topology", &err);
    struct trj_text_index index = {.texts = &top->type};
    (void)t, (void)data, (void)size;
    top->atoms = 2;
    top->format = "PSF";
    top->type.id = trj_alloc(top->atoms, sizeof *top->type.id, "types", &err);
    for (size_t i = 0; i < top->atoms; i++)
        if (trj_text_index_add(&index, types[i], &top->type.id[i], &err)) abort();
    trj_charmm_parameters(top, paths, 2, &err);
    trj_text_index_free(&index);
    trj_topology_close(top);
}

// A request of rdfnorm without options
static struct rdf_norm_options no_options(void) {
    return (struct rdf_norm_options){.norm = rdf_norms[0].name,
                                     .excluded = "out",
                                     .error = curve_errors[0].name,
                                     .form = rdf_forms[0].name,
                                     .volume = NAN,
                                     .density = NAN,
                                     .droplet = NAN,
                                     .thickness = NAN,
                                     .interval = NAN,
                                     .merge = 1};
}

// Prints the table of `around`, or of waves if it requests none.
static void print_table(struct rdf_neighbour_norm around) {
    char *no_lines[] = {NULL};
    const struct rdf_norm_options fuzz_options = no_options();
    struct wav_norm waves = {.options = &fuzz_options};
    struct rdf_hist h = {.take = wav_norm_take, .take_arg = &waves};
    struct trj_output *out = NULL;
    struct trj_input *in;
    struct trj_error err;
    if (trj_input_open(&in, path, &err)) return;
    bool other = rdf_neighbour_norm_requested(&around);
    if ((!other || !rdf_neighbour_norm_open(&around, &fuzz_options, &h, &err)) && !rdf_hist_read(&h, in, &err) &&
        !trj_output_open(&out, "/dev/null", TRJ_OUTPUT_TEXT, &err) &&
        !(other ? rdf_neighbour_norm_print(out, &around, &h, no_lines, &err)
                : wav_norm_print(out, &waves, &h, no_lines, &err)))
        trj_output_commit(out, &err);
    trj_output_close(out);
    trj_input_close(in);
    rdf_neighbour_norm_free(&around);
    wav_norm_free(&waves);
    rdf_hist_free(&h);
}

static void print_surfaces(void) {
    char *no_lines[] = {NULL};
    const struct rdf_norm_options fuzz_options = no_options();
    struct rdf_surface_norm surface = {.requested = true};
    struct rdf_hist h = {.record_count = 0};
    struct trj_output *out = NULL;
    struct trj_input *in;
    struct trj_error err;
    if (trj_input_open(&in, path, &err)) return;
    if (!rdf_surface_norm_open(&surface, &fuzz_options, &h, &err) && !rdf_hist_read(&h, in, &err) &&
        !trj_output_open(&out, "/dev/null", TRJ_OUTPUT_TEXT, &err) &&
        !rdf_surface_norm_print(out, &surface, &h, no_lines, &err))
        trj_output_commit(out, &err);
    trj_output_close(out);
    trj_input_close(in);
    rdf_surface_norm_free(&surface);
    rdf_hist_free(&h);
}

static void read_histograms(bool self) {
    struct trj_error err;
    struct trj_input *in;
    struct rdf_sums sums = {.norm = "density", .self = self};
    struct rdf_hist h = {.self = self, .take = rdf_sums_take, .take_arg = &sums};
    struct rdf_curve curve;
    if (trj_input_open(&in, path, &err)) return;
    if (!rdf_hist_read(&h, in, &err) && !rdf_hist_check_frames(&h, &err) && !rdf_norm_curve(&curve, &h, &sums, 0, &err))
        rdf_curve_free(&curve);
    trj_input_close(in);
    const struct rdf_setup *s = &h.setup;
    for (const struct trj_choice *t = rdf_neighbour_tables; !self && s->neighbours.radius > 0 && t->name; t++)
        print_table((struct rdf_neighbour_norm){.neighbours = t->name});
    for (const struct trj_choice *t = rdf_triplet_tables; !self && s->triplets.count && t->name; t++)
        print_table((struct rdf_neighbour_norm){.triplets = t->name});
    if (!self && s->surface.kind) print_surfaces();
    if (!self && s->waves.shells.count) print_table((struct rdf_neighbour_norm){.neighbours = NULL});
    rdf_sums_free(&sums);
    rdf_hist_free(&h);
}

static void run_histograms(const struct target *t, const unsigned char *data, size_t size) {
    (void)t, (void)data, (void)size;
    read_histograms(false);
    read_histograms(true);
}

static void run_yaml(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_yaml root = {.text = NULL};
    (void)t, (void)data, (void)size;
    trj_yaml_read(&root, path, &err);
    trj_yaml_free(&root);
}

// Networks of hosts. What was read is divided, and measured where this takes little time.
static void run_network(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct net_topology network;
    struct net_hosts hosts = {.count = 0};
    struct net_map map = {.count = 0};
    struct net_metrics metrics = {.parts = 0};
    static const int32_t torus[] = {8, 8, 8};
    const char *name = t->name + strlen("network-");
    int rc;
    (void)data, (void)size;
    net_topology_start(&network);
    if (!strcmp(name, "hwloc")) {
        rc = net_read_hwloc(&network, path, &err);
    } else if (!strcmp(name, "coordinates")) {
        rc = net_read_coordinates(&network, path, torus, 0, &err);
    } else if (!strcmp(name, "conf") || !strcmp(name, "yaml")) {
        rc = net_read_slurm_as(&network, path, *name == 'y', false, &err);
        net_topology_free(&network);
        net_topology_start(&network);
        if (rc) rc = net_read_slurm_as(&network, path, *name == 'y', true, &err);
    } else { // hosts or a map, in a network of 512 hosts
        network.dimensions = 3;
        memcpy(network.length, torus, sizeof torus);
        for (int32_t i = 0; i < 512; i++) {
            char host[8];
            snprintf(host, sizeof host, "n%d", (int)i);
            if (net_topology_add(&network, host, (int32_t[]){i / 64, i / 8 % 8, i % 8}, &err)) abort();
        }
        rc = *name == 'h' ? net_read_hosts(&hosts, &network, path, 1, &err) : net_map_read(&map, &network, path, &err);
        if (!rc && map.count && map.count <= 512) net_map_measure(&metrics, &map, &network, NET_STENCIL, &err);
    }
    if (!rc && !map.count && !hosts.count && network.names.count) rc = net_all_hosts(&hosts, &network, 1, &err);
    if (!rc && hosts.count && hosts.count <= 512) {
        struct net_options options = NET_OPTIONS_DEFAULT;
        struct net_diameters diameters;
        enum net_method taken;
        options.goal = "diameter";
        options.parts = hosts.count / 2 + 1;
        if (net_map_parts(&map, &network, &hosts, &options, &taken, &diameters, &err)) abort();
        if (diameters.max < 1000) net_map_measure(&metrics, &map, &network, NET_ALLREDUCE, &err);
    }
    net_metrics_free(&metrics);
    net_map_free(&map);
    net_hosts_free(&hosts);
    net_topology_free(&network);
}

static void run_index_file(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_index_file *file;
    const struct trj_index_group *found;
    (void)t, (void)data, (void)size;
    if (trj_index_file_open(&file, path, &err)) return;
    for (size_t i = 0; i < file->count; i++) {
        trj_index_group_check(file, &file->groups[i], 100, &err);
        trj_index_file_find(file, file->groups[i].name, &found, &err);
    }
    trj_index_file_close(file);
}

// Reads a measured table and transforms it.
static void run_measured(const struct target *t, const unsigned char *data, size_t size) {
    const struct rdf_pdf_options fuzz_options = {.rmax = NAN, .dr = 0.5, .form = "pdf"};
    struct trj_measured_curve curve;
    struct rdf_pdf pdf = {.value = NULL};
    struct trj_error err;
    (void)t, (void)data, (void)size;
    if (!rdf_pdf_of_table(&pdf, &curve, path, &fuzz_options, "lorch", 0, NAN, NAN, &err))
        for (size_t i = 0; i < curve.rows; i++)
            if (!isfinite(curve.x[i]) || (i && !(curve.x[i] > curve.x[i - 1]))) abort();
    rdf_pdf_free(&pdf);
    trj_measured_free(&curve);
}

// Decompresses files of any compression.
static void run_packed(const struct target *t, const unsigned char *data, size_t size) {
    static unsigned char buffer[1 << 16];
    struct trj_error err;
    struct trj_input *in;
    size_t got = 1;
    (void)t, (void)data, (void)size;
    if (trj_input_open(&in, path, &err)) return;
    for (size_t n = 0; n < MAX_UNPACKED && got; n += got)
        if (trj_input_read_some(in, buffer, sizeof buffer, &got, &err)) break;
    trj_input_close(in);
}

// ---- maps

static const struct trj_map_format *map_format(const char *name) {
    const struct trj_map_format *f;
    struct trj_error err;
    return trj_map_format_choose(&f, name, NULL, &err) ? NULL : f;
}

// Reads all maps of the file, `portion` planes at a time, and hashes the values. Returns the
// result after the last map.
static int read_maps(const struct trj_map_reader_setup *setup, uint64_t portion, uint64_t *hash,
                     struct trj_error *err) {
    enum { MAX_SLAB = 1 << 24, MAX_MAPS = 100 };
    struct trj_input *in;
    struct trj_map_reader *r;
    int rc = -1;
    *hash = 0;
    if (trj_input_open(&in, path, err) || trj_map_reader_open(&r, in, setup, err)) return -1;
    size_t plane = trj_map_plane_size(&r->map);
    uint64_t all = plane <= MAX_SLAB / portion ? r->map.lattice.n[2] : 0;
    unsigned char *slab = malloc(all ? portion * plane : 1);
    if (!slab) abort();
    for (int maps = 0; maps < MAX_MAPS && (rc = trj_map_reader_next(r, err)) > 0; maps++)
        for (uint64_t z = 0, some; rc > 0 && z < all; z += some) {
            some = all - z < portion ? all - z : portion;
            rc = trj_map_reader_read(r, slab, some, err) ? -1 : 1;
            if (rc > 0) *hash = mix(*hash, slab, some * plane);
            if (rc < 0) maps = MAX_MAPS;
        }
    free(slab);
    trj_map_reader_close(r);
    return rc;
}

static void run_map(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_map_reader_setup setup = {.format = map_format(t->of), .geometry = named};
    struct trj_error first, second;
    uint64_t a, b;
    (void)data, (void)size;
    int rc = read_maps(&setup, 1, &a, &first);
    if (read_maps(&setup, 3, &b, &second) != rc || (rc >= 0 && a != b)) differ("a map", 0, second.text, first.text);
}

// Writes the lattice of .npy files.
static void write_lattice(int fd) {
    static const char lattice[] = "{\"origin\": [0,0,0], \"steps\": [1,0,0, 0,1,0, 0,0,1]}";
    if (fd < 0 || write(fd, lattice, sizeof lattice - 1) != (ssize_t)sizeof lattice - 1 || close(fd)) abort();
}

static void run_map_geometry(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_map m = {.quantity = NULL};
    struct trj_error err;
    (void)t, (void)data, (void)size;
    trj_map_geometry_read(&m, path, &err);
    trj_map_free(&m);
}

// ---- wave functions

// Checks what later code relies on.
static bool is_consistent(const struct orb_wave_function *w) {
    size_t functions = 0, primitives = 0;
    bool good = w->atoms && w->orbitals && !w->shells == !!w->bare_functions && w->title && w->program;
    for (size_t s = 0; s < w->shells; s++) {
        const struct orb_shell *shell = &w->shell[s];
        good = good && shell->atom < w->atoms && shell->l <= ORB_L_MAX && shell->function == functions &&
               shell->primitive == primitives && shell->primitives;
        functions += orb_shell_functions(shell->l, shell->pure);
        primitives += shell->primitives;
    }
    for (size_t i = 0; i < w->primitives; i++)
        good = good && w->exponent[i] > 0 && isfinite(w->exponent[i]) && isfinite(w->contraction[i]);
    for (size_t i = 0; i < w->bare_functions; i++)
        good = good && w->bare_function[i].atom < w->atoms && w->bare_function[i].exponent > 0;
    for (size_t i = 0; i < w->orbitals * w->functions; i++) good = good && isfinite(w->coefficient[i]);
    return good && w->functions == functions + w->bare_functions && primitives == w->primitives;
}

static void run_wave_function(const struct target *t, const unsigned char *data, size_t size) {
    enum { MAX_FUNCTIONS = 64 }; // finding the rule of more takes long
    struct orb_wave_function w;
    struct orb_rule_choice choice;
    struct trj_error err;
    (void)t, (void)data, (void)size;
    if (!orb_wave_function_read(&w, path, &err)) {
        if (!is_consistent(&w)) differ("a wave function", 0, "", "");
        if (w.functions <= MAX_FUNCTIONS && w.orbitals <= MAX_FUNCTIONS) orb_rule_find(&choice, &w, &err);
    }
    orb_wave_function_free(&w);
}

// ---- texts of the command line

static void run_map_expression(const struct target *t, const unsigned char *data, size_t size) {
    static const char *const names[] = {"a", "b"};
    static const double a[] = {1, -2, 0}, b[] = {NAN, 3, INFINITY}, *const values[] = {a, b};
    struct trj_map_unit unit, units[] = {trj_map_unit_parse("A^-3"), {.count = 0}};
    struct trj_map_expression *e;
    struct trj_error err;
    double result[3];
    char *text = malloc(size + 1);
    (void)t;
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    units[1] = trj_map_unit_parse(text);
    if (!trj_map_expression_parse(&e, text, names, 2, &err)) {
        trj_map_expression_evaluate(e, values, 3, result);
        trj_map_expression_unit(&unit, e, units, &err);
        trj_map_expression_free(e);
    }
    free(text);
}

static const char molecules[] =
    "PSF\n\n12 !NATOM\n"
    "1 P -2 ALA N NH1 -0.3 14.007\n2 P -2 ALA CA CT1 0.1 12.011\n3 P -2 ALA C C 0 12.011\n"
    "4 P 5 GLY CA CT2 0 12.011\n5 P 5 GLY O5' O 0 15.999\n"
    "6 W 10 TIP3 OH2 OT -0.8 15.999\n7 W 10 TIP3 H1 HT 0.4 1.008\n"
    "8 W 10 TIP3 H2 HT 0.4 1.008\n9 W 11 SOL OW OT -0.8 15.999\n10 I 12 CLA CLA CLA -1 35.45\n"
    "11 I 13 CA CA CAL 2 40.08\n12 N 14 ADE P P 0 30.974\n"
    "6 !NBOND\n1 2 2 3 3 4 4 5 6 7 6 8\n";
static const char groups_of_file[] = "[ Water ]\n6 7 8 9\n[ Ions ]\n10 11\n[ two words ]\n1\n";

static struct trj_topology *top;
static struct trj_frame frame;

// Makes a topology, and a frame with a triclinic cell.
static void make_system(void) {
    struct trj_error err;
    put_file(molecules, sizeof molecules - 1);
    if (trj_topology_open_with(&top, path, &(struct trj_topology_options){.format = "PSF"}, &err) ||
        trj_frame_resize(&frame, top->atoms, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    frame.unit = 1;
    frame.cell = (struct trj_cell){.h = {{10, 0, 0}, {4, 9, 0}, {-3, 2, 8}}, .periodic = TRJ_PERIODIC_ALL};
    for (size_t i = 0; i < top->atoms; i++)
        for (size_t k = 0; k < 3; k++) frame.x[k][i] = (float)((i * 7 + k * 5) % 12) * 1.75f - 6;
}

// Checks that selected atoms are among those that can be selected.
static void check_candidates(const struct trj_selection *s) {
    struct trj_error err;
    uint32_t *atoms, *all;
    size_t count, all_count, k = 0;
    if (trj_selection_atoms(s, trj_selection_is_dynamic(s) ? &frame : NULL, &atoms, &count, &err)) return;
    if (trj_selection_candidates(s, &all, &all_count, &err)) abort();
    for (size_t i = 0; i < count; i++) {
        while (k < all_count && all[k] < atoms[i]) k++;
        if (k == all_count || all[k] != atoms[i]) abort();
    }
    free(atoms);
    free(all);
}

static char *copy_text(const unsigned char *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static void run_selection(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_selection *water = NULL, *s = NULL;
    struct trj_named_selection earlier;
    struct trj_selection_scope scope = {.top = top, .atoms = top->atoms, .earlier = &earlier, .earlier_count = 1};
    char *text = copy_text(data, size);
    (void)t;
    earlier.name = (char[]){"OW"};
    if (trj_selection_parse(&water, "name OH2 OW and around 5 ion", &scope, &err)) abort();
    earlier.selection = water;
    if (!trj_selection_parse(&s, text, &scope, &err)) check_candidates(s);
    trj_selection_free(s);
    s = NULL;
    scope.top = NULL;
    if (!trj_selection_parse(&s, text, &scope, &err)) check_candidates(s);
    trj_selection_free(s);
    trj_selection_free(water);
    free(text);
}

// test_observe_grammar.c computes expressions, too. A reference would be read from the standard input or from any file.
static void run_observable(const struct target *t, const unsigned char *data, size_t size) {
    static struct trj_stream_header header;
    static struct trj_frame of_header;
    struct obs_system s = {.header = NULL};
    struct obs_observable o;
    struct trj_error err;
    char *text = copy_text(data, size);
    bool opens = !strstr(text, "rmsd") && !strstr(text, "native");
    (void)t;
    if (!header.atoms && observe_make(&header, &of_header, &err)) abort();
    if (obs_system_open(&s, &header, &err)) abort();
    if (opens && obs_observable_open(&o, text, &s, &err) && strlen(err.text) < 4) abort();
    if (opens) obs_observable_free(&o);
    obs_system_free(&s);
    free(text);
}

// Corrects the checksum of the sums of a segment, in the last line.
static char *correct_sums(const unsigned char *data, size_t size) {
    char *text = copy_text(data, size), *whole = malloc(strlen(text) + 64);
    struct trj_hash_state hash;
    if (!whole) abort();
    *whole = 0;
    trj_hash_begin(&hash);
    size_t n = 0;
    for (const char *line = text; *line && strncmp(line, "end\t", 4) != 0;) {
        const size_t length = strcspn(line, "\n"), next = length + (line[length] == '\n');
        if (*line != '#') {
            trj_hash_add(&hash, line, length);
            trj_hash_add(&hash, "\n", 1);
        }
        memcpy(whole + n, line, next);
        n += next;
        line += next;
    }
    snprintf(whole + n, 64, "end\t%016" PRIx64 "\n", trj_hash_end(&hash));
    free(text);
    return whole;
}

static void ignore_note(const char *line) {
    (void)line;
}

// Reads the sums of the only segment, and writes their table.
static void run_sums(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err = {.status = 0};
    struct trj_times fit = {0, 0};
    struct tcf_merged merged;
    struct trj_output *out = NULL;
    char *text = correct_sums(data, size), *files[] = {path};
    (void)t;
    put_file(text, strlen(text));
    int rc = tcf_merged_read(&merged, files, 1, 1, &err);
    if (!rc && merged.fit) rc = trj_times_parse(&fit, merged.fit, &err);
    if (!rc) rc = trj_output_open(&out, "/dev/null", TRJ_OUTPUT_TEXT, &err);
    if (!rc) {
        struct trj_table table = {.out = out, .err = &err};
        rc = tcf_table_write(&merged.run, &fit, &table, ignore_note, &err);
    }
    if (rc && strlen(err.text) < 4) abort();
    trj_output_close(out);
    tcf_merged_free(&merged);
    free(text);
}

// Each line is a group; '@' is replaced by the index file above.
static void run_groups(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_grouping *g;
    struct trj_stream_header h = {.atoms = 0};
    struct trj_frame to = {.atoms = 0};
    char *text = copy_text(data, size), *texts[MAX_GROUPS], *next = text, *line;
    size_t count = 0;
    (void)t;
    put_file(groups_of_file, sizeof groups_of_file - 1);
    while (count < MAX_GROUPS && (line = strsep(&next, "\n"))) {
        char *at = strchr(line, '@');
        size_t before = at ? (size_t)(at - line) : strlen(line), capacity = strlen(line) + sizeof path + 1;
        if (!(texts[count] = malloc(capacity))) abort();
        snprintf(texts[count++], capacity, "%.*s%s%s%s", (int)before, line, at ? "@" : "", at ? path : "",
                 at && at[1] ? at + 1 : "");
    }
    for (const struct trj_choice *by = NULL; !by || by->name; by = by ? by + 1 : trj_group_splits) {
        const struct trj_grouping_options options = {.groups = (const char *const *)texts,
                                                     .count = count,
                                                     .by = by ? by->name : NULL,
                                                     .own_topologies = count % 2};
        if (!trj_grouping_make(&g, &h, top->atoms, &options, top, NULL, &err)) {
            trj_grouping_apply(g, &frame, &to, &err);
            trj_grouping_free(g);
        }
        trj_stream_header_free(&h);
    }
    trj_frame_free(&to);
    while (count) free(texts[--count]);
    free(text);
}

// Ranges of frames, segments, times.
static void run_range(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_range r;
    struct trj_segment s;
    struct trj_times times;
    char *text = copy_text(data, size), *segment = strchr(text, '\n');
    (void)t;
    if (segment) *segment++ = 0;
    if (!trj_range_parse(&r, text, &err) && !trj_range_resolve(&r, 100, &err)) {
        uint64_t gap = trj_range_gap(&r, 0);
        if (gap >= 100) abort(); // a resolved range selects a frame
        if (segment && !trj_segment_parse(&s, segment, &err) && !trj_segment_take(&s, &r, 100, &err) &&
            trj_range_gap(&r, 0) >= 100)
            abort();
    }
    if (!trj_times_parse(&times, text, &err)) trj_times_compare(&times, 3);
    free(text);
}

// ---- targets

// Targets other than the formats of trajectories.
// Reads the model of a chunk, and joins arbitrary residuals. The first two bytes give the numbers of frames and atoms.
static void run_chunk_model(const struct target *t, const unsigned char *data, size_t size) {
    struct trj_error err;
    struct trj_codec_model m;
    (void)t;
    if (size < 2 || !(data[0] % 16) || !data[1]) return;
    struct trj_cursor c = {.data = data, .size = size, .offset = 2};
    if (!trj_codec_model_get(&m, data[0] % 16, data[1], &c, &err)) {
        // Of the exact size, so that sanitizers detect an access after them.
        uint32_t *value = calloc(trj_codec_block_values(&m), sizeof *value);
        int32_t *history = calloc(3 * m.atoms, sizeof *history);
        bool good = value && history;
        for (size_t f = 0, frames; good && f < m.frames; f += frames) {
            frames = trj_codec_part_frames(&m, f);
            struct trj_codec_block b = {.frame = f, .frames = frames};
            while (good && trj_codec_block_next(&m, &b)) {
                size_t n = 3 * b.frames * b.units * b.run->size;
                for (size_t i = 0; i < n; i++) value[i] = trj_cursor_left(&c) < 4 ? (uint32_t)(i % 5) : trj_get_u32(&c);
                good = !trj_codec_block_join(&m, &b, value, history, &err);
            }
        }
        free(value);
        free(history);
    }
    trj_codec_model_free(&m);
}

// Decodes compressed coordinates. The first two bytes give the numbers of frames and atoms.
static void run_chunk(const struct target *t, const unsigned char *data, size_t size) {
    enum { MAX_ATOMS = 255 };
    struct trj_error err;
    struct trj_codec_decoder *d;
    float x[3][MAX_ATOMS];
    float *const to[3] = {x[0], x[1], x[2]};
    (void)t;
    if (size < 2) return;
    size_t frames = data[0] % 16, atoms = data[1];
    if (trj_codec_decoder_open(&d, data + 2, size - 2, frames, atoms, &err)) return;
    while (trj_codec_decoder_next(d) < frames && !trj_codec_decode(d, to, &err)) continue;
    trj_codec_decoder_close(d);
}

static const struct target others[] = {
    {"any", NULL, run_trajectory, NULL, false},
    {"topology-any", NULL, run_topology, NULL, false},
    {"topology-psf", "PSF", run_topology, NULL, false},
    {"topology-prmtop", "PRMTOP", run_topology, NULL, false},
    {"topology-tpr", "TPR", run_topology, NULL, false},
    {"topology-gromacs-top", "GROMACS top", run_top, NULL, false},
    {"topology-lammps-data", "LAMMPS data", run_topology, NULL, false},
    {"topology-lammps-dump", "LAMMPS dump", run_topology, NULL, false},
    {"topology-mol2", "MOL2", run_topology, NULL, false},
    {"topology-pdb", "PDB", run_topology, NULL, false},
    {"topology-pqr", "PQR", run_topology, NULL, false},
    {"topology-g96", "g96", run_topology, NULL, false},
    {"topology-card", "CARD", run_topology, NULL, false},
    {"topology-gro", "GRO", run_topology, NULL, false},
    {"topology-xyz", "XYZ", run_topology, NULL, false},
    {"topology-dl_poly", "DL_POLY", run_topology, NULL, false},
    {"topology-tinker", "Tinker", run_topology, NULL, false},
    {"topology-dl_poly-field", "DL_POLY FIELD", run_topology, NULL, false},
    {"topology-mdtraj", "MDTraj", run_topology, NULL, false},
    {"topology-mmcif", "mmCIF", run_topology, NULL, false},
    {"topology-cif", "CIF", run_topology, NULL, false},
    {"topology-poscar", "POSCAR", run_topology, NULL, false},
    {"topology-xdatcar", "XDATCAR", run_topology, NULL, false},
    {"charmm-parameters", NULL, run_charmm_parameters, NULL, false},
    {"packed-gzip", NULL, run_packed, NULL, false},
    {"packed-zstd", NULL, run_packed, NULL, false},
    {"packed-bzip2", NULL, run_packed, NULL, false},
    {"packed-xz", NULL, run_packed, NULL, false},
    {"rdfh", NULL, run_histograms, NULL, true},
    {"trjg", "trjg", run_map, NULL, true},
    {"map-dx", "dx", run_map, NULL, false},
    {"map-mrc", "mrc", run_map, NULL, false},
    {"map-cube", "cube", run_map, NULL, false},
    {"map-npy", "npy", run_map, NULL, false},
    {"map-geometry", NULL, run_map_geometry, NULL, false},
    {"wave-molden", NULL, run_wave_function, NULL, false},
    {"wave-fchk", NULL, run_wave_function, NULL, false},
    {"wave-wfn", NULL, run_wave_function, NULL, false},
    {"wave-wfx", NULL, run_wave_function, NULL, false},
    {"yaml", NULL, run_yaml, NULL, false},
    {"network-conf", NULL, run_network, NULL, false},
    {"network-coordinates", NULL, run_network, NULL, false},
    {"network-hosts", NULL, run_network, NULL, false},
    {"network-hwloc", NULL, run_network, NULL, false},
    {"network-map", NULL, run_network, NULL, false},
    {"network-yaml", NULL, run_network, NULL, false},
    {"index", NULL, run_index_file, NULL, false},
    {"measured", NULL, run_measured, NULL, false},
    {"selection", NULL, run_selection, NULL, false},
    {"observable", NULL, run_observable, NULL, false},
    {"correlation-sums", NULL, run_sums, NULL, false},
    {"map-expression", NULL, run_map_expression, NULL, false},
    {"groups", NULL, run_groups, NULL, false},
    {"range", NULL, run_range, NULL, false},
    {"salvage", NULL, run_salvage, &trj_format_stream, true},
    {"api", NULL, run_api, NULL, true},
    {"chunk", NULL, run_chunk, NULL, false},
    {"chunk-model", NULL, run_chunk_model, NULL, false},
};

static struct target target;

static int find_target(const char *name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].name, name)) target = others[i];
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (!strcmp((*f)->name, name))
            target = (struct target){name, NULL, run_trajectory, *f, *f == &trj_format_stream};
    return target.name ? 0 : -1;
}

static void remove_named(void) {
    unlink(named);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *slash = strrchr((*argv)[0], '/');
    (void)argc;
    int unknown = find_target(slash ? slash + 1 : (*argv)[0]);
    bool by_name = target.format && (!strcmp(target.format->name, "h5md") || !strcmp(target.format->name, "mdtraj"));
    memory_file = unknown ? -1 : by_name ? mkstemp(named) : memfd_create("fuzz", 0);
    if (memory_file < 0) {
        fprintf(stderr, "%s: no such target, or no place for a file\n", (*argv)[0]);
        exit(2);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory_file);
    if (target.run == run_api && mkstemp(named) < 0) abort();
    if (target.run == run_map) write_lattice(mkstemp(named));
    if (by_name || target.run == run_api || target.run == run_map) atexit(remove_named);
    if (by_name) prepare_hdf5_children();
    make_system();
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    unsigned char *copy = malloc(size + 1);
    if (!copy) return -1;
    memcpy(copy, data, size);
    if (target.blocks) repair(copy, size);
    put_file(copy, size);
    target.run(&target, copy, size);
    free(copy);
    return 0;
}

#ifndef FUZZER
int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        unsigned char *data = NULL;
        long size = -1;
        if (in && !fseek(in, 0, SEEK_END) && (size = ftell(in)) >= 0) data = malloc((size_t)size + 1);
        if (in) rewind(in);
        if (!data || fread(data, 1, (size_t)size, in) != (size_t)size) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        fclose(in);
        printf("%s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
    }
    trj_frame_free(&frame);
    trj_topology_close(top);
    return 0;
}
#endif
