// SPDX-License-Identifier: MIT
// Tests reading ahead: with any number of threads, the same frames come in the same order, with the same errors at the
// same places.
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frame_stream.h"
#include "hash.h"
#include "output.h"
#include "reader.h"
#include "tap.h"
#include "xtc_pack.h"

static struct trj_error err;
static char path[] = "/tmp/test_read_ahead.XXXXXX", pipe_path[64];

enum { MAX = 1 << 23, STORY = 1 << 16 };
static char made[MAX];
static size_t made_size;

// ---- files

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(made + made_size, sizeof made - made_size, format, args);
    va_end(args);
    if (n < 0 || (made_size += (size_t)n) >= sizeof made) abort();
}

static void add_raw(const void *data, size_t n) {
    if (made_size + n > sizeof made) abort();
    memcpy(made + made_size, data, n);
    made_size += n;
}

static void add_word(uint32_t v) {
    add_raw(&v, sizeof v);
}

static double coordinate(size_t frame, size_t atom, int axis) {
    return (double)((frame * 7919 + atom * 131 + (size_t)axis * 17) % 100000) / 1000 - 30;
}

static void make_xyz(size_t frames, size_t atoms) {
    for (size_t f = 0; f < frames; f++) {
        add("%zu\nLattice=\"%zu 0 0 0 40 0 0 0 40\" Properties=species:S:1:pos:R:3%s\n", atoms, 40 + f,
            f % 2 ? ":q:R:1" : "");
        for (size_t i = 0; i < atoms; i++)
            add("%s %.3f %.4f %.3f%s\n", f % 5 == 4 && i == 2 ? "Kr" : "Ar", coordinate(f, i, 0), coordinate(f, i, 1),
                coordinate(f, i, 2), f % 2 ? " 0.5" : "");
    }
}

// The order of atoms and of columns differs between frames.
static void make_lammps(size_t frames, size_t atoms) {
    add("ITEM: UNITS\nnano\n");
    for (size_t f = 0; f < frames; f++) {
        add("ITEM: TIMESTEP\n%zu\nITEM: NUMBER OF ATOMS\n%zu\nITEM: BOX BOUNDS pp pp ff\n0 1\n0 2\n0 %zu\n", 10 * f,
            atoms, f + 1);
        add(f % 3 ? "ITEM: ATOMS id type xs ys zs\n" : "ITEM: ATOMS type x y z id\n");
        for (size_t i = 0; i < atoms; i++) {
            size_t k = (i * 7 + f) % atoms;
            const double x[3] = {coordinate(f, k, 0), coordinate(f, k, 1), coordinate(f, k, 2)};
            if (f % 3)
                add("%zu %d %.5f %.5f %.5f\n", 3 * k + 1, f % 5 == 4 && k == 2 ? 2 : 1, x[0], x[1], x[2]);
            else
                add("1 %.5f %.5f %.5f %zu\n", x[0], x[1], x[2], 3 * k + 1);
        }
    }
}

static void make_gro(size_t frames, size_t atoms) {
    for (size_t f = 0; f < frames; f++) {
        add("water t= %zu.5 step= %zu\n%zu\n", f, 5 * f, atoms);
        for (size_t i = 0; i < atoms; i++)
            add("%5zuSOL     OW%5zu%8.3f%8.3f%8.3f\n", i % 100000, i % 100000, coordinate(f, i, 0), coordinate(f, i, 1),
                coordinate(f, i, 2));
        add("%10.5f%10.5f%10.5f\n", 4.0 + (double)f, 4.0, 4.0);
    }
}

// Only every third model has a cell; the others have that of the previous model.
static void make_pdb(size_t frames, size_t atoms) {
    for (size_t f = 0; f < frames; f++) {
        if (f % 3 == 0)
            add("CRYST1%9.3f%9.3f%9.3f  90.00  90.00  90.00 P 1           1\n", 30.0 + (double)f, 30.0, 30.0);
        add("MODEL     %4zu\n", f + 1);
        for (size_t i = 0; i < atoms; i++) {
            add("ATOM  %5zu  OW  SOL  %4zu    %8.3f%8.3f%8.3f  1.00  0.00\n", i + 1, i, coordinate(f, i, 0),
                coordinate(f, i, 1), coordinate(f, i, 2));
            if (i % 5 == 2) add("TER\n");
        }
        add("ENDMDL\n");
    }
    add("END\n");
}

static void make_mdcrd(size_t frames, size_t atoms) {
    add("a title\n");
    for (size_t f = 0; f < frames; f++) {
        for (size_t i = 0; i < 3 * atoms; i++)
            add("%8.3f%s", coordinate(f, i / 3, (int)(i % 3)), i % 10 == 9 || i + 1 == 3 * atoms ? "\n" : "");
        add("%8.3f%8.3f%8.3f\n", 40.0 + (double)f, 40.0, 40.0);
    }
}

static void add_record(uint32_t bytes, const void *data) {
    add_word(bytes);
    add_raw(data, bytes);
    add_word(bytes);
}

// The first `fixed` atoms are only in frame 0.
static void make_dcd(size_t frames, size_t atoms, size_t fixed) {
    uint32_t head[21] = {0, (uint32_t)frames, 10, 10, [9] = (uint32_t)fixed, [20] = 24}, title[21] = {1};
    static float x[4096];
    static uint32_t free_atoms[4096];
    memcpy(head, "CORD", 4);
    add_record(sizeof head, head);
    add_record(sizeof title, title);
    add_record(4, &(uint32_t){(uint32_t)atoms});
    for (size_t i = fixed; i < atoms; i++) free_atoms[i - fixed] = (uint32_t)i + 1;
    if (fixed) add_record((uint32_t)(4 * (atoms - fixed)), free_atoms);
    for (size_t f = 0; f < frames; f++)
        for (int k = 0; k < 3; k++) {
            size_t n = 0;
            for (size_t i = f ? fixed : 0; i < atoms; i++) x[n++] = (float)coordinate(f, i, k);
            add_record((uint32_t)(4 * n), x);
        }
}

// Big-endian, in single precision, with a box; every fourth frame has velocities only.
static void add_big(uint32_t v) {
    add_word(__builtin_bswap32(v));
}

static void add_real(double v) {
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    add_big(bits);
}

static void make_trr(size_t frames, size_t atoms) {
    for (size_t f = 0; f < frames; f++) {
        uint32_t bytes = 12 * (uint32_t)atoms, blocks[10] = {[2] = 36, [7] = f % 4 == 3 ? 0 : bytes, [8] = bytes};
        add_big(1993);
        add_big(13);
        add_big(12);
        add_raw("GMX_trn_file", 12);
        for (int k = 0; k < 10; k++) add_big(blocks[k]);
        add_big((uint32_t)atoms);
        add_big((uint32_t)f);
        add_big(0);
        add_real((double)f);
        add_real(0);
        for (int k = 0; k < 9; k++) add_real(k % 4 ? 0 : 3 + (double)f);
        for (size_t i = 0; i < (blocks[7] ? 6 : 3) * atoms; i++) add_real(coordinate(f, i / 3, (int)(i % 3)));
    }
}

// Up to nine atoms, as floats. Compressed coordinates are tested with real files (check_shared).
static void make_xtc(size_t frames, size_t atoms) {
    for (size_t f = 0; f < frames; f++) {
        add_big(1995);
        add_big((uint32_t)atoms);
        add_big((uint32_t)f);
        add_real((double)f);
        for (int k = 0; k < 9; k++) add_real(k % 4 ? 0 : 3 + (double)f);
        add_big((uint32_t)atoms);
        for (size_t i = 0; i < 3 * atoms; i++) add_real(coordinate(f, i / 3, (int)(i % 3)));
    }
}

static void make_dcd_free(size_t frames, size_t atoms) {
    make_dcd(frames, atoms, 0);
}

static void make_dcd_fixed(size_t frames, size_t atoms) {
    make_dcd(frames, atoms, atoms / 3);
}

static void pack(struct trj_packed *p, size_t frame, size_t atoms) {
    static int32_t x[3][4096];
    static unsigned char data[TRJ_XTC_MAX_ATOM_BYTES * 4096 + TRJ_XTC_SLACK];
    *p = (struct trj_packed){.precision = 1000, .low = {-100000, -100000, -100000}, .high = {100000, 100000, 100000}};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < atoms; i++) x[k][i] = (int32_t)(1000 * coordinate(frame, i, k));
    trj_xtc_pack(p, (const int32_t *const[]){x[0], x[1], x[2]}, atoms, data);
}

// Frames of one source after the other. The first source has frames of floats only, and each later one packed frames,
// too. Level 0: the floats are stored raw, so that the pool starts when the first frame is packed.
static void make_stream(size_t frames, size_t atoms, int level) {
    enum { SOURCES = 4 };
    struct trj_output *out;
    struct trj_stream_writer *w;
    struct trj_stream_header h = {.atoms = atoms, .source_atoms = atoms, .group_count = 1};
    uint32_t all[4096];
    for (uint32_t i = 0; i < atoms; i++) all[i] = i;
    h.groups = &(struct trj_group){.name = (char[]){"all"}, .atoms = all, .count = atoms};
    h.sources = NULL;
    if (trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) || trj_stream_writer_open(&w, out, &h, level, 1, &err))
        abort();
    for (size_t f = 0; f < frames; f++) {
        struct trj_frame frame = {.index = f, .unit = 1, .source = (uint32_t)(f * SOURCES / frames)};
        char name[16];
        snprintf(name, sizeof name, "%u", frame.source);
        if ((frame.source == h.source_count && trj_stream_header_add_source(&h, name, frame.source, &err)) ||
            trj_frame_resize(&frame, atoms, &err))
            abort();
        if (frame.source && f % 3) pack(&frame.packed, f, atoms);
        for (int k = 0; k < 3; k++)
            for (size_t i = 0; i < atoms; i++) frame.x[k][i] = (float)coordinate(f, i, k);
        if (trj_stream_write(w, &frame, &err)) abort();
        frame.packed = (struct trj_packed){.data = NULL};
        trj_frame_free(&frame);
    }
    if (trj_stream_writer_finish(w, &err) || trj_output_commit(out, &err)) abort();
    trj_stream_writer_close(w);
    trj_output_close(out);
    while (h.source_count) free(h.sources[--h.source_count].name);
    free(h.sources);
    FILE *in = fopen(path, "rb");
    if (!in) abort();
    made_size = fread(made, 1, sizeof made, in);
    fclose(in);
}

static void make_raw_stream(size_t frames, size_t atoms) {
    make_stream(frames, atoms, 0);
}

static void make_compressed_stream(size_t frames, size_t atoms) {
    make_stream(frames, atoms, 1);
}

static const struct format {
    const char *name, *ending;
    void (*make)(size_t frames, size_t atoms);
    size_t frames, atoms;
} formats[] = {
    {"xyz", "xyz", make_xyz, 40, 50},
    {"xyz, large", "xyz", make_xyz, 4, 20000},
    {"lammps", "dump", make_lammps, 40, 50},
    {"lammps, large", "dump", make_lammps, 5, 12000},
    {"gro", "gro", make_gro, 40, 50},
    {"pdb", "pdb", make_pdb, 40, 50},
    {"mdcrd", "mdcrd", make_mdcrd, 40, 50},
    {"dcd", "dcd", make_dcd_free, 200, 50},
    {"dcd, large", "dcd", make_dcd_free, 60, 4000},
    {"dcd, fixed atoms", "dcd", make_dcd_fixed, 60, 50},
    {"trr", "trr", make_trr, 60, 50},
    {"xtc", "xtc", make_xtc, 3000, 9},
    {"stream", "trjf", make_raw_stream, 80, 50},
    {"stream, large", "trjf", make_raw_stream, 160, 4000},
    {"stream, compressed", "trjf", make_compressed_stream, 80, 50},
    {"stream, compressed, large", "trjf", make_compressed_stream, 160, 4000},
};

static void save(const char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

// ---- the transcript of a reader

struct way {
    unsigned threads;
    uint64_t every, max;
    uint32_t first, step; // picked atoms: from `first` in steps of `step`; 0: all
    size_t skips;         // frames skipped before the third one
    bool pipe;
};

static char actual[STORY], expected[STORY];

static size_t append_frame(char *story, size_t at, const struct trj_reader *r, const struct trj_frame *f) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) hash = trj_hash(f->x[k], f->atoms * sizeof(float), hash);
    hash = trj_hash(f->cell.h, sizeof f->cell.h, hash + f->cell.periodic);
    return at + (size_t)snprintf(story + at, STORY - at, "%llu %zu %llx %lld %g %g %llu %llu %s%s\n",
                                 (unsigned long long)f->index, f->atoms, (unsigned long long)hash, (long long)f->step,
                                 f->time, f->unit, (unsigned long long)r->next, (unsigned long long)r->empty,
                                 r->difference, r->header ? r->header->sources[f->source].name : "");
}

static int use(struct trj_reader *r, const struct way *w) {
    if (w->step) {
        static uint32_t atoms[1 << 16];
        size_t n = 0;
        for (uint32_t i = w->first; i < r->atoms; i += w->step) atoms[n++] = i;
        if (trj_reader_pick(r, atoms, n, &err)) return -1;
    }
    return trj_reader_read_ahead(r, w->threads, w->every, w->max, &err);
}

// Reads to the end. Prints a line for each frame, then the error or the state of the reader.
static void read_all(char *story, const char *name, size_t atoms, const struct way *w) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    size_t at = 0, n = 0;
    struct trj_input *in = NULL;
    int got = trj_input_open(&in, name, &err) ||
                      trj_reader_open_comparing(&r, in, NULL, atoms, TRJ_COMPARE_NAMES, &err) || use(r, w)
                  ? -1
                  : 1;
    while (got > 0 && at < STORY - 256) {
        for (size_t k = 0; n == 2 && k < w->skips && got > 0; k++) got = trj_reader_skip(r, &err);
        if (got > 0) got = trj_reader_read(r, &f, &err);
        if (got > 0) at = append_frame(story, at, r, &f);
        n++;
    }
    if (got < 0)
        snprintf(story + at, STORY - at, "%s", err.text);
    else
        snprintf(story + at, STORY - at, "end: %llu %llu %llu %s again %d", (unsigned long long)r->next,
                 (unsigned long long)r->offset, (unsigned long long)r->empty, r->note ? r->note : "-",
                 trj_reader_read(r, &f, &err));
    trj_frame_free(&f);
    trj_reader_close(r);
}

// As above, through a named pipe that a child process fills.
static void read_pipe(char *story, size_t atoms, const struct way *w, const char *data, size_t size) {
    if (mkfifo(pipe_path, 0600)) abort();
    fflush(stdout); // otherwise the child prints it, too
    pid_t child = fork();
    if (!child) {
        int fd = open(pipe_path, O_WRONLY);
        for (ssize_t n; size && (n = write(fd, data, size)) > 0; data += n) size -= (size_t)n;
        _exit(0);
    }
    read_all(story, pipe_path, atoms, w);
    waitpid(child, NULL, 0);
    unlink(pipe_path);
}

static const unsigned threads[] = {2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static bool same_by_threads(size_t atoms, struct way w) {
    bool good = true;
    w.threads = 1;
    read_all(expected, path, atoms, &w);
    for (size_t k = 0; k < THREADS; k++) {
        w.threads = threads[k];
        read_all(actual, path, atoms, &w);
        if (strcmp(actual, expected))
            printf("# %u threads:\n# %.600s\n# instead of\n# %.600s\n", w.threads, actual, expected);
        good = good && !strcmp(actual, expected);
    }
    return good;
}

// ---- checks

static const struct way plain = {.threads = 1, .every = 1, .max = UINT64_MAX};

static size_t lines_in(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

static void check_format(const struct format *m) {
    struct way w = plain;
    made_size = 0;
    m->make(m->frames, m->atoms);
    save(made, made_size);
    bool good = same_by_threads(m->atoms, w);
    size_t frames = m->make == make_trr ? m->frames - m->frames / 4 : m->frames, n = lines_in(expected);
    ok(good && strstr(expected, "end: ") && (n == frames || strlen(expected) > STORY - 512), "%s: %zu frames", m->name,
       n);
    for (w.every = 2; w.every <= 7; w.every += 5) {
        good = same_by_threads(m->atoms, w);
        ok(good && (lines_in(expected) == frames / w.every || strlen(expected) > STORY - 512), "%s: every %d. frame",
           m->name, (int)w.every);
    }
    w.every = 1;
    w.skips = 3;
    ok(same_by_threads(m->atoms, w), "%s: some frames are skipped", m->name);
    w.skips = 0;
    w.max = 5;
    ok(same_by_threads(m->atoms, w), "%s: at most 5 frames ahead", m->name);
    w.max = UINT64_MAX;
    static const uint32_t picks[][2] = {{0, 1}, {0, 3}, {7, 40}, {2, 1}};
    for (size_t k = 0; k < sizeof picks / sizeof *picks; k++) {
        w.first = picks[k][0];
        w.step = picks[k][1];
        if (w.first >= m->atoms) continue;
        ok(same_by_threads(m->atoms, w), "%s: atoms from %u on by %u", m->name, w.first, w.step);
    }
}

// Names are compared for all atoms, even if only some are picked.
static void check_labels(const struct format *m, const char *other) {
    struct way w = plain;
    made_size = 0;
    m->make(m->frames, m->atoms);
    save(made, made_size);
    for (w.step = 0; w.step <= 3; w.step += 3) {
        bool good = same_by_threads(m->atoms, w);
        size_t n = 0;
        for (const char *p = expected; (p = strstr(p, other)); p++) n++;
        const char *fourth = strstr(expected, "\n4 "), *fifth = fourth ? strchr(fourth + 1, '\n') : NULL,
                   *first = strstr(expected, other);
        ok(good && n && first && fourth && first > fourth && first < fifth, "%s: frame 4 differs: %s", m->name, other);
    }
}

// Picked atoms have the coordinates of the whole frame.
static void check_picked(const struct format *m) {
    static const uint32_t atoms[] = {1, 2, 5, 6, 8};
    enum { ATOMS = sizeof atoms / sizeof *atoms };
    struct trj_reader *a = NULL, *b = NULL;
    struct trj_frame f = {0}, g = {0};
    bool good = true;
    made_size = 0;
    m->make(m->frames, m->atoms);
    save(made, made_size);
    if (trj_reader_open_as(&a, path, NULL, m->atoms, &err) || trj_reader_open_as(&b, path, NULL, m->atoms, &err) ||
        trj_reader_pick(b, atoms, ATOMS, &err) || trj_reader_read_ahead(b, 2, 1, UINT64_MAX, &err))
        abort();
    while (good && trj_reader_read(a, &f, &err) > 0) {
        good = trj_reader_read(b, &g, &err) == 1 && g.atoms == ATOMS && f.atoms == m->atoms && g.index == f.index;
        for (int k = 0; k < 3; k++)
            for (size_t i = 0; good && i < ATOMS; i++) good = g.x[k][i] == f.x[k][atoms[i]];
    }
    ok(good && trj_reader_read(b, &g, &err) == 0, "%s: picked atoms are those of the whole frame", m->name);
    trj_frame_free(&f);
    trj_frame_free(&g);
    trj_reader_close(a);
    trj_reader_close(b);
}

// Files that are truncated or changed at many places: any number of threads reports the same, from a file and from a
// pipe.
static void check_damage(const struct format *m) {
    struct way w = plain;
    size_t frames = m->frames < 12 ? m->frames : 12, bad = 0, tried = 0, errors = 0;
    if (m->atoms > 50) return;
    made_size = 0;
    m->make(frames, m->atoms);
    size_t size = made_size;
    for (size_t k = 1; k <= 40; k++) {
        size_t cut = size - size * k / 43 - k % 5, at = (size / 41) * k;
        for (int way = 0; way < 2; way++) {
            char old = made[at];
            if (way) made[at] = (char)(k % 3 ? 'x' : 0x7f);
            save(made, way ? size : cut);
            bad += !same_by_threads(m->atoms, w);
            errors += !strstr(expected, "end: ");
            w.step = 3;
            bad += !same_by_threads(m->atoms, w);
            w.step = 0;
            made[at] = old;
            tried += 2;
        }
    }
    ok(!bad && errors > 10, "%s: damaged in %zu ways, %zu are errors", m->name, tried, errors);
    bad = 0;
    for (size_t k = 0; k < 3; k++) {
        size_t n = size - k * size / 5;
        w.threads = 1;
        read_pipe(expected, m->atoms, &w, made, n);
        w.threads = 3;
        read_pipe(actual, m->atoms, &w, made, n);
        bad += strcmp(actual, expected) != 0;
        w.every = 1 + k;
    }
    ok(!bad, "%s: damaged, from a pipe: the same errors", m->name);
}

// A seek drops the frames that were read ahead.
static void check_seek(const struct format *m) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    bool good = true;
    made_size = 0;
    m->make(m->frames, m->atoms);
    save(made, made_size);
    if (trj_reader_open(&r, path, &err) || trj_reader_read_ahead(r, 3, 1, UINT64_MAX, &err)) abort();
    static const uint64_t places[] = {0, 7, 3, 39, 38, 20, 1};
    for (size_t k = 0; good && k < sizeof places / sizeof *places; k++) {
        good = trj_reader_seek(r, places[k], &err) == 1 && r->next == places[k];
        for (uint64_t i = places[k]; good && i < places[k] + 3 && i < 40; i++)
            good = trj_reader_read(r, &f, &err) == 1 && f.index == i && r->next == i + 1 &&
                   f.x[1][8] == (float)coordinate(i, 8, 1);
        good = good && trj_reader_seek(r, m->frames, &err) == 0;
    }
    uint64_t passed;
    good = good && trj_reader_advance(r, m->frames, &passed, &err) == 0 && trj_reader_read(r, &f, &err) == 0 &&
           trj_reader_seek(r, 5, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && f.index == 5;
    ok(good, "%s: seeking while frames are read ahead", m->name);
    trj_frame_free(&f);
    trj_reader_close(r);
}

// Readers are closed while their threads work.
static void check_close(const struct format *m) {
    made_size = 0;
    m->make(m->frames, m->atoms);
    save(made, made_size);
    bool good = true;
    for (int k = 0; k < 20; k++) {
        struct trj_reader *r = NULL;
        struct trj_frame f = {0};
        if (trj_reader_open(&r, path, &err) || trj_reader_read_ahead(r, 4, 1, UINT64_MAX, &err)) abort();
        for (int i = 0; i < k % 4; i++) good = good && trj_reader_read(r, &f, &err) == 1;
        trj_frame_free(&f);
        trj_reader_close(r);
    }
    ok(good, "%s: close before the end", m->name);
}

// A reader is closed while its thread waits for more data of a pipe whose writer gives none. The pipe must contain the
// bytes from which formats are detected.
static void check_close_waiting(const struct format *m) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    made_size = 0;
    m->make(m->frames, m->atoms);
    if (mkfifo(pipe_path, 0600)) abort();
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int fd = open(pipe_path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || write(fd, made, made_size) != (ssize_t)made_size) _exit(1);
        pause(); // the pipe has a writer until the parent process ends this one
        _exit(0);
    }
    bool good = !trj_reader_open(&r, pipe_path, &err) && !trj_reader_read_ahead(r, 4, 1, UINT64_MAX, &err) &&
                trj_reader_read(r, &f, &err) == 1 && trj_reader_read(r, &f, &err) == 1;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // most likely, the thread waits after this time
    trj_frame_free(&f);
    trj_reader_close(r);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    unlink(pipe_path);
    ok(good, "%s: close while the thread waits for a pipe", m->name);
}

static void check_shared(void) {
    static const char *const files[] = {"xtc/tip3p_300K_1ATM.xtc", "xtc/adk_oplsaa.xtc", "multi/cobrotoxin.trr",
                                        "dcd/adk_dims.dcd", "lammps/spce_all_coords.lammpstrj"};
    char name[4200];
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(name, sizeof name, "%s/data/%s", shared_folder() ? shared_folder() : ".", files[k]);
        FILE *f = fopen(name, "rb");
        if (!f) {
            skip(files[k], "file missing");
            continue;
        }
        made_size = fread(made, 1, sizeof made, f);
        fclose(f);
        save(made, made_size);
        struct way w = plain;
        bool good = same_by_threads(0, w);
        w.step = 5;
        good = same_by_threads(0, w) && good;
        w.every = 3;
        ok(same_by_threads(0, w) && good, "%s", files[k]);
    }
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) abort();
    close(fd);
    snprintf(pipe_path, sizeof pipe_path, "%s.pipe", path);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        check_format(&formats[k]);
        check_damage(&formats[k]);
        if (formats[k].atoms >= 9) check_picked(&formats[k]);
    }
    check_labels(&formats[0], "atom 2: the name is Kr, and Ar in the first frame");
    check_labels(&formats[2], "atom 2: the type is 2, and 1 in the first frame");
    check_seek(&formats[8]);
    check_seek(&formats[11]);
    check_close(&formats[8]);
    check_close(&formats[0]);
    check_close(&formats[13]);
    check_close(&formats[15]);
    check_close_waiting(&formats[8]);
    check_close_waiting(&formats[1]);
    check_close_waiting(&formats[13]);
    check_shared();
    unlink(path);
    return done();
}
