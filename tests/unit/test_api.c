// SPDX-License-Identifier: MIT
// The C interface of the library (trjpipe.h): what is written is read back, invalid arguments and damaged files are
// errors, structures of other versions are accepted, and different handles can be used by different threads.
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grid_stream.h"
#include "hist_stream.h"
#include "memory.h"
#include "tap.h"
#include "trjpipe.h"

enum { ATOMS = 70, CENTRES = 1, FRAMES = 5, THREADS = 4, WORDS = 2 };

static struct trjpipe_error error;
static char folder[] = "/tmp/test_api.XXXXXX", path[64], other[64];
static uint32_t all[ATOMS], residue[ATOMS], element[ATOMS], number[ATOMS];
static float coordinates[FRAMES][ATOMS][3];
static const uint32_t some[3] = {1, 5, 68}, bonds[3][2] = {{0, 1}, {1, ATOMS}, {ATOMS, 2}};
static const char *const lines[] = {"first 1.0", "second 2.0"};
static const struct trjpipe_source source = {"made by hand", 0};
static const struct trjpipe_movement movements[] = {{TRJPIPE_WHOLE, "", 0, "", 0, 0},
                                                    {TRJPIPE_CENTRE, "name CA", 7, "", 0, 0},
                                                    {TRJPIPE_FIT, "all", 70, "a.pdb", 5, 2}};
static const struct trjpipe_movement unknown_movement = {.kind = (enum trjpipe_movement_kind)7};
static struct trjpipe_group groups[3];
static struct trjpipe_header header;

static void must(int rc) {
    if (rc >= 0) return;
    printf("# %s\n", error.text);
    abort();
}

static void make_header(void) {
    for (uint32_t i = 0; i < ATOMS; i++) {
        all[i] = i;
        residue[i] = i / 3;
        element[i] = i % 3 ? 1 : 8;
        number[i] = 2 * i;
        for (int f = 0; f < FRAMES; f++)
            for (int k = 0; k < 3; k++) coordinates[f][i][k] = (float)f + (float)i / 7 - (float)k;
    }
    groups[0] = (struct trjpipe_group){"all", ATOMS, all, 0, 0};
    groups[1] = (struct trjpipe_group){"near", 40, all, 1, 0};
    groups[2] = (struct trjpipe_group){"a.b+c-d_1", 3, some, 0, 0};
    header = (struct trjpipe_header){.struct_size = sizeof header,
                                     .atoms = ATOMS,
                                     .centres = CENTRES,
                                     .source_atoms = 2 * ATOMS,
                                     .group_count = 3,
                                     .groups = groups,
                                     .number = number,
                                     .element = element,
                                     .element_from = "mass",
                                     .residue = residue,
                                     .molecule = residue,
                                     .bond_count = 3,
                                     .between = 1,
                                     .bonds = bonds[0],
                                     .provenance_count = 2,
                                     .provenance = lines,
                                     .source_count = 1,
                                     .sources = &source,
                                     .precision = 0.0625,
                                     .movement_count = 3,
                                     .movements = movements};
}

static struct trjpipe_frame frame_of(int f, const uint32_t members[WORDS]) {
    struct trjpipe_frame frame = {.struct_size = sizeof frame,
                                  .index = (uint64_t)f,
                                  .step = f ? 10 * f : TRJPIPE_NO_STEP,
                                  .time = f == 2 ? (double)NAN : 0.5 * f,
                                  .unit = 10,
                                  .cell = {20, 0, 0, 1, 30, 0, 2, 3, 40.0 + f},
                                  .periodic = f ? 7 : 3,
                                  .source = f == 4,
                                  .members = members};
    return frame;
}

static void write_all(const char *to, int level) {
    trjpipe_writer *w;
    const struct trjpipe_writer_options options = {sizeof options, level, 2, "test_api", 0};
    must(trjpipe_writer_open(&w, to, &header, &options, &error));
    must(trjpipe_writer_add_source(w, "second", 77, &error));
    for (int f = 0; f < FRAMES; f++) {
        const uint32_t members[WORDS] = {1u << f | 1u << 31, 0xffffff00u | (unsigned)f};
        struct trjpipe_frame frame = frame_of(f, members);
        must(trjpipe_writer_write(w, &frame, coordinates[f][0], &error));
    }
    must(trjpipe_writer_finish(w, &error));
    ok(trjpipe_writer_finish(w, &error) == -1 && error.status == TRJPIPE_USAGE && has_text(error.text, "is finished"),
       "second call of finish: %s", error.text);
    trjpipe_writer_close(w);
}

static trjpipe_reader *open_reader(const char *file, const struct trjpipe_reader_options *options) {
    trjpipe_reader *r;
    must(trjpipe_reader_open(&r, &file, 1, options, &error));
    return r;
}

static bool same_movements(const struct trjpipe_header *h) {
    bool good = h->movement_count == 3;
    for (size_t i = 0; good && i < 3; i++) {
        const struct trjpipe_movement *a = &h->movements[i], *b = &movements[i];
        good = a->kind == b->kind && !strcmp(a->selection, b->selection) && a->atoms == b->atoms &&
               !strcmp(a->reference, b->reference) && a->fingerprint == b->fingerprint && a->frame == b->frame;
    }
    return good;
}

static bool same_header(const struct trjpipe_header *h) {
    bool good = h->struct_size == sizeof *h && h->atoms == ATOMS && h->centres == CENTRES &&
                h->source_atoms == 2 * ATOMS && h->group_count == 3 && h->member_words == WORDS && h->bond_count == 3 &&
                h->between == 1 && h->provenance_count == 3 && h->source_count == 1;
    for (size_t i = 0; good && i < 3; i++)
        good = !strcmp(h->groups[i].name, groups[i].name) && h->groups[i].count == groups[i].count &&
               h->groups[i].dynamic == groups[i].dynamic &&
               !memcmp(h->groups[i].atoms, groups[i].atoms, groups[i].count * sizeof *all);
    return good && !memcmp(h->number, number, (ATOMS - CENTRES) * sizeof *number) &&
           !memcmp(h->element, element, sizeof element) && !strcmp(h->element_from, "mass") &&
           !memcmp(h->residue, residue, sizeof residue) && !memcmp(h->molecule, residue, sizeof residue) &&
           !memcmp(h->bonds, bonds, sizeof bonds) && !strcmp(h->provenance[0], lines[0]) &&
           !strcmp(h->provenance[1], lines[1]) && !strcmp(h->provenance[2], "test_api") &&
           !strcmp(h->sources[0].name, source.name) && h->sources[0].fingerprint && h->precision == 0.0625 &&
           same_movements(h);
}

// Reads all frames of write_all. Returns whether they are equal. It is called by several threads.
static bool same_frames(trjpipe_reader *r, bool stored) {
    static const int members_of[] = {2, 2, 2, 2, 2}; // bit f and bit 31; of the second word, bits 0 to 7 are used
    struct trjpipe_error e;
    struct trjpipe_frame got = {.struct_size = sizeof got};
    float x[ATOMS][3];
    bool good = true;
    for (int f = 0; f < FRAMES && good; f++) {
        if (trjpipe_reader_read(r, &got, x[0], &e) != 1) return false;
        struct trjpipe_frame want = frame_of(f, NULL);
        good = got.index == want.index && got.step == want.step && !memcmp(got.cell, want.cell, sizeof want.cell) &&
               (got.time == want.time || (isnan(got.time) && isnan(want.time))) && got.periodic == want.periodic &&
               got.source == want.source && got.unit == (stored ? 10 : 1) && got.struct_size == sizeof got;
        for (int i = 0; i < 3 * ATOMS; i++) {
            float v = coordinates[f][i / 3][i % 3];
            good = good && x[i / 3][i % 3] == (stored ? v : (float)(10 * (double)v));
        }
        const struct trjpipe_group *g = trjpipe_reader_header(r)->groups;
        uint32_t list[ATOMS];
        int bits = 0;
        for (int k = 0; k < 8; k++) bits += (f >> k) & 1;
        good = good && trjpipe_group_members(&g[1], &got, list) == (size_t)(members_of[f] + bits) &&
               list[0] == (uint32_t)f && list[1] == 31 && trjpipe_group_members(&g[1], &got, NULL) >= 2 &&
               trjpipe_group_members(&g[2], &got, list) == 3 && list[2] == 68;
    }
    return good && !trjpipe_reader_read(r, &got, x[0], &e) && !trjpipe_reader_read(r, NULL, NULL, NULL);
}

static void check_round_trip(int level) {
    write_all(path, level);
    for (int stored = 0; stored < 2; stored++) {
        const struct trjpipe_reader_options options = {
            .struct_size = sizeof options, .unit = stored ? TRJPIPE_STORED : TRJPIPE_ANGSTROM, .threads = 2};
        trjpipe_reader *r = open_reader(path, &options);
        ok(same_header(trjpipe_reader_header(r)), "level %d: the header is read back", level);
        ok(same_frames(r, stored), "level %d: the frames are read back, %s", level,
           stored ? "as stored" : "in Angstrom");
        const struct trjpipe_header *h = trjpipe_reader_header(r);
        ok(h->source_count == 2 && !strcmp(h->sources[1].name, "second") && h->sources[1].fingerprint == 77,
           "level %d: the second source is known after its frame", level);
        ok(!trjpipe_reader_label(r, TRJPIPE_NAME, 0), "a stream without topology has no names");
        trjpipe_reader_close(r);
    }
}

// The header of a reader is passed to a writer, with a range of frames of two files.
static void check_copy(void) {
    const char *const files[] = {path, path};
    const struct trjpipe_reader_options options = {
        .struct_size = sizeof options, .frames = "3:7:2", .unit = TRJPIPE_STORED, .threads = 1};
    struct trjpipe_frame frame = {.struct_size = sizeof frame};
    float x[ATOMS][3];
    trjpipe_reader *r;
    trjpipe_writer *w;
    int frames = 0, got;
    must(trjpipe_reader_open(&r, files, 2, &options, &error));
    const struct trjpipe_header *h = trjpipe_reader_header(r);
    size_t sources = h->source_count;
    must(trjpipe_writer_open(&w, other, h, NULL, &error));
    for (; (got = trjpipe_reader_read(r, &frame, x[0], &error)) > 0; frames++) {
        for (; sources < h->source_count; sources++)
            must(trjpipe_writer_add_source(w, h->sources[sources].name, h->sources[sources].fingerprint, &error));
        must(trjpipe_writer_write(w, &frame, x[0], &error));
    }
    must(got);
    must(trjpipe_writer_finish(w, &error));
    trjpipe_writer_close(w);
    trjpipe_reader_close(r);
    r = open_reader(other, NULL);
    bool good = trjpipe_reader_header(r)->member_words == WORDS && trjpipe_reader_read(r, &frame, x[0], &error) == 1 &&
                frame.index == 3 && trjpipe_reader_read(r, &frame, NULL, &error) == 1 && frame.index == 0 &&
                frame.source == 1 && !trjpipe_reader_read(r, &frame, NULL, &error);
    ok(good && frames == 2, "a range of frames of two files is copied");
    trjpipe_reader_close(r);
}

// trjpipe_reader_options.defines and .includes: as --define and --include of trjcat.
static void check_macros(void) {
    static const char top[] = "[ moleculetype ]\nM 1\n[ atoms ]\n#ifdef HEAVY\n#include \"heavy.itp\"\n#else\n"
                              "1 A 1 M LIGHT 1 0 1\n#endif\n",
                      itp[] = "1 A 1 M H4 1 0 HEAVY\n", frames[] = "1\n\nX 0 0 0\n";
    char names[4][100];
    static const char *const parts[] = {"m.top", "itp", "itp/heavy.itp", "m.xyz"};
    for (int i = 0; i < 4; i++) snprintf(names[i], sizeof names[i], "%s/%s", folder, parts[i]);
    if (mkdir(names[1], 0700)) abort();
    const char *const texts[] = {top, NULL, itp, frames};
    for (int i = 0; i < 4; i++) {
        FILE *f = texts[i] ? fopen(names[i], "w") : NULL;
        if (texts[i] && (!f || fputs(texts[i], f) < 0 || fclose(f))) abort();
    }
    const char *const defines[] = {"HEAVY=4"}, *const includes[] = {names[1]}, *const file = names[3];
    struct trjpipe_reader_options options = {.struct_size = sizeof options, .topology = names[0], .cell = "9,9,9"};
    trjpipe_reader *r;
    for (int i = 0; i < 2; i++) {
        if (i) options.defines = defines, options.includes = includes, options.define_count = options.include_count = 1;
        if (!ok(!trjpipe_reader_open(&r, &file, 1, &options, &error) &&
                    !strcmp(trjpipe_reader_label(r, TRJPIPE_NAME, 0), i ? "H4" : "LIGHT"),
                "top file, %s macro and folder: %s", i ? "with a" : "without", error.text))
            continue;
        trjpipe_reader_close(r);
    }
    options.defines = NULL;
    ok(trjpipe_reader_open(&r, &file, 1, &options, &error) && strstr(error.text, "defines[0] is NULL"),
       "a list that is NULL: %s", error.text);
    for (int i = 3; i >= 0; i--)
        if (i != 1) unlink(names[i]);
    rmdir(names[1]);
}

static void *read_in_thread(void *good) {
    const struct trjpipe_reader_options options = {.struct_size = sizeof options, .threads = 2};
    const char *file = path;
    struct trjpipe_error e;
    trjpipe_reader *r;
    for (int i = 0; i < 5; i++) {
        if (trjpipe_reader_open(&r, &file, 1, &options, &e) || !same_frames(r, false)) return NULL;
        trjpipe_reader_close(r);
    }
    return good;
}

static void *write_in_thread(void *name) {
    trjpipe_writer *w;
    struct trjpipe_error e;
    const uint32_t members[WORDS] = {0};
    struct trjpipe_frame frame = frame_of(0, members);
    for (int i = 0; i < 5; i++) {
        if (trjpipe_writer_open(&w, name, &header, NULL, &e)) return NULL;
        int rc = trjpipe_writer_write(w, &frame, coordinates[0][0], &e) || (i % 2 && trjpipe_writer_finish(w, &e));
        trjpipe_writer_close(w);
        if (rc) return NULL;
    }
    return unlink(name) ? NULL : name;
}

static void check_threads(void) {
    pthread_t reader[THREADS], writer[THREADS];
    char names[THREADS][80];
    bool good = true;
    for (int i = 0; i < THREADS; i++) {
        snprintf(names[i], sizeof names[i], "%s/thread%d", folder, i);
        if (pthread_create(&reader[i], NULL, read_in_thread, folder)) abort();
        if (pthread_create(&writer[i], NULL, write_in_thread, names[i])) abort();
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        good &= !pthread_join(reader[i], &result) && result;
        good &= !pthread_join(writer[i], &result) && result;
    }
    ok(good, "%d threads read and %d write at the same time", THREADS, THREADS);
}

// trjpipe_writer_options.precision: coordinates differ by at most this, and the header states it.
static void check_precision(void) {
    const struct trjpipe_writer_options options = {.struct_size = sizeof options, .level = 1, .precision = 0.3};
    const uint32_t members[WORDS] = {0};
    struct trjpipe_frame frame = frame_of(1, members);
    float x[ATOMS][3], max = 0;
    trjpipe_writer *w;
    frame.source = 0;
    for (int i = 0; i < 4; i++) {
        const double wrong[] = {-1, (double)NAN, HUGE_VAL, 0.3};
        struct trjpipe_writer_options o = options;
        o.precision = wrong[i];
        header.precision = i == 3 ? 0.2 : 0;
        ok(trjpipe_writer_open(&w, other, &header, &o, &error) == -1 && !w && error.status == TRJPIPE_USAGE &&
               has_text(error.text, i == 3 ? "have already been rounded, to within 0.2" : "give a length in Angstrom"),
           "%s", error.text);
    }
    header.precision = 0;
    must(trjpipe_writer_open(&w, other, &header, &options, &error));
    must(trjpipe_writer_write(w, &frame, coordinates[1][0], &error));
    must(trjpipe_writer_finish(w, &error));
    trjpipe_writer_close(w);
    make_header();
    trjpipe_reader *r = open_reader(other, NULL);
    ok(trjpipe_reader_header(r)->precision == 0.3, "the precision of rounded coordinates is in the header");
    must(trjpipe_reader_read(r, &frame, x[0], &error));
    for (int i = 0; i < 3 * ATOMS; i++) max = fmaxf(max, fabsf(x[i / 3][i % 3] - 10 * coordinates[1][i / 3][i % 3]));
    ok(max > 0.1F && max < 0.30001F, "coordinates are rounded by at most 0.3 Angstrom (%g)", (double)max);
    trjpipe_reader_close(r);
}

static void rejects_header(const char *text) {
    trjpipe_writer *w = (trjpipe_writer *)(void *)folder;
    int rc = trjpipe_writer_open(&w, other, &header, NULL, &error);
    ok(rc == -1 && !w && error.status == TRJPIPE_USAGE && has_text(error.text, text), "%s", error.text);
    make_header();
}

static void check_headers(void) {
    static const uint32_t unsorted[3] = {5, 1, 6}, beyond[3] = {0, 1, ATOMS}, no_element[ATOMS] = {[3] = 119};
    unlink(other);
    header.struct_size = 0;
    rejects_header("struct_size is 0; set it to sizeof(struct trjpipe_header)");
    header.atoms = 0;
    rejects_header("0 atoms");
    header.centres = ATOMS + 1;
    rejects_header("71 are centres");
    header.source_atoms = 3;
    rejects_header("source_atoms is 3; it must be at least 69");
    header.group_count = 0;
    rejects_header("no group");
    groups[1].name = "a b";
    rejects_header("name of a group");
    groups[1].name = NULL;
    rejects_header("name of a group");
    groups[2].name = "all";
    rejects_header("two groups have the name all");
    groups[2].count = 0;
    rejects_header("has no atoms");
    groups[2].count = ATOMS + 1;
    rejects_header("has 71 atoms, but the frames have 70");
    groups[2].atoms = unsorted;
    rejects_header("group a.b+c-d_1: atoms[1] is not greater");
    groups[2].atoms = beyond;
    rejects_header("atoms[2] is 70; it must be less than 70");
    header.element = no_element;
    rejects_header("element[3] is 119; it must be less than 119");
    header.number = all, header.source_atoms = 69, header.centres = 0;
    rejects_header("source_atoms is 69");
    number[4] = 6;
    rejects_header("number[4] is not greater");
    header.movements = &unknown_movement, header.movement_count = 1;
    rejects_header("movement of kind 7; use TRJPIPE_WHOLE");
    header.precision = -1;
    rejects_header("precision is -1");
    header.between = 0;
    rejects_header("bonds[3] is 70; it must be less than 70");
    header.between = 4;
    rejects_header("between is 4");
    const struct trjpipe_source nameless = {"", 0};
    header.sources = &nameless;
    rejects_header("name of a source");
    trjpipe_writer *w;
    ok(trjpipe_writer_open(&w, NULL, &header, NULL, &error) == -1 && !w && error.status == TRJPIPE_USAGE &&
           trjpipe_writer_open(&w, other, NULL, NULL, NULL) == -1 &&
           trjpipe_writer_open(&w, other, &header, &(struct trjpipe_writer_options){.struct_size = sizeof(size_t)},
                               &error) == 0,
       "path or header NULL: errors; options of an older version: accepted");
    trjpipe_writer_close(w);
    ok(access(other, F_OK), "a stream that is not finished leaves no file");
    ok(trjpipe_writer_open(&w, "/nonexistent/x", &header, NULL, &error) == -1 && error.status == TRJPIPE_FAILED, "%s",
       error.text);
    trjpipe_writer_close(NULL);
}

static void rejects_frame(const struct trjpipe_frame *frame, float *x, int status, const char *text) {
    trjpipe_writer *w;
    must(trjpipe_writer_open(&w, other, &header, NULL, &error));
    ok(trjpipe_writer_write(w, frame, x, &error) == -1 && error.status == status && has_text(error.text, text), "%s",
       error.text);
    ok(trjpipe_writer_finish(w, &error) == -1 && has_text(error.text, "an earlier call failed"), "%s", error.text);
    trjpipe_writer_close(w);
}

static void check_frames(void) {
    const uint32_t members[WORDS] = {0};
    const struct trjpipe_frame right = frame_of(1, members);
    struct trjpipe_frame f;
    float *x = coordinates[1][0], saved = x[100];
    rejects_frame(NULL, x, TRJPIPE_USAGE, "the frame is NULL");
    rejects_frame(&right, NULL, TRJPIPE_USAGE, "coordinates are NULL");
    f = right, f.struct_size = 4;
    rejects_frame(&f, x, TRJPIPE_USAGE, "struct_size is 4");
    f = right, f.source = 1;
    rejects_frame(&f, x, TRJPIPE_USAGE, "source is 1, but there are 1 sources");
    f = right, f.unit = 0;
    rejects_frame(&f, x, TRJPIPE_USAGE, "unit is 0");
    f = right, f.members = NULL;
    rejects_frame(&f, x, TRJPIPE_USAGE, "members is NULL");
    f = right, f.periodic = 8;
    rejects_frame(&f, x, TRJPIPE_USAGE, "periodic");
    f = right, f.cell[4] = (double)INFINITY;
    rejects_frame(&f, x, TRJPIPE_USAGE, "cell[4]");
    f = right, memset(f.cell, 0, sizeof f.cell);
    rejects_frame(&f, x, TRJPIPE_BAD_DATA, "cell");
    x[100] = (float)NAN;
    rejects_frame(&right, x, TRJPIPE_BAD_DATA, "atom 33");
    x[100] = saved;
}

static void rejects_options(const struct trjpipe_reader_options *o, const char *text) {
    const char *file = path;
    trjpipe_reader *r = (trjpipe_reader *)(void *)folder;
    ok(trjpipe_reader_open(&r, &file, 1, o, &error) == -1 && !r && error.status == TRJPIPE_USAGE &&
           has_text(error.text, text),
       "%s", error.text);
}

static void check_options(void) {
    const char *const wrong[] = {"O=nonsense"}, *const null[] = {NULL};
    rejects_options(&(struct trjpipe_reader_options){.struct_size = 1}, "struct_size is 1");
    rejects_options(&(struct trjpipe_reader_options){.struct_size = sizeof(struct trjpipe_reader_options), .unit = 2},
                    "unit: invalid value 2");
    rejects_options(
        &(struct trjpipe_reader_options){.struct_size = sizeof(struct trjpipe_reader_options), .frames = "5:1"},
        "--frames");
    rejects_options(&(struct trjpipe_reader_options){.struct_size = sizeof(struct trjpipe_reader_options),
                                                     .groups = null,
                                                     .group_count = 1},
                    "groups[0] is NULL");
    rejects_options(&(struct trjpipe_reader_options){.struct_size = sizeof(struct trjpipe_reader_options),
                                                     .groups = wrong,
                                                     .group_count = 1},
                    "contains 69 of the 140 atoms");
    struct {
        struct trjpipe_reader_options options;
        int later;
    } newer = {.options = {.struct_size = sizeof newer}};
    trjpipe_reader *r = open_reader(path, &newer.options);
    trjpipe_reader_close(r);
    newer.later = 1;
    rejects_options(&newer.options, "lacks the member at byte");
    // A program that was built with an earlier version, whose structures are shorter.
    struct trjpipe_frame f = {.struct_size = offsetof(struct trjpipe_frame, step), .step = 12345};
    r = open_reader(path, &(struct trjpipe_reader_options){.struct_size = sizeof(size_t)});
    ok(trjpipe_reader_read(r, &f, NULL, &error) == 1 && f.index == 0 && f.step == 12345,
       "only the members within struct_size of a frame are set");
    f.struct_size = 0;
    ok(trjpipe_reader_read(r, &f, NULL, &error) == -1 && has_text(error.text, "struct_size is 0") &&
           trjpipe_reader_read(r, NULL, NULL, &error) == -1 && has_text(error.text, "close the reader"),
       "%s", error.text);
    trjpipe_reader_close(r);
    ok(trjpipe_reader_open(&r, NULL, 0, NULL, &error) == -1 && trjpipe_reader_open(&r, NULL, 1, NULL, &error) == -1 &&
           trjpipe_reader_open(&r, null, 1, NULL, NULL) == -1 && !r,
       "no paths: %s", error.text);
    trjpipe_reader_close(NULL);
}

// Names and notes of an XYZ file.
static void check_labels(void) {
    FILE *f = fopen(other, "w");
    if (!f) abort();
    for (int i = 0; i < 2; i++) fprintf(f, "3\nstep 0\nOW 0 0 %d\nHW 1 0 0\nHW 0 1 0\n", i);
    fclose(f);
    trjpipe_reader *r = open_reader(
        other, &(struct trjpipe_reader_options){.struct_size = sizeof(struct trjpipe_reader_options), .labels = 1});
    ok(!strcmp(trjpipe_reader_label(r, TRJPIPE_NAME, 2), "HW") && !trjpipe_reader_label(r, TRJPIPE_NAME, 3) &&
           !trjpipe_reader_label(r, TRJPIPE_SEGMENT, 0) && !trjpipe_reader_label(r, -1, 0) &&
           !trjpipe_reader_label(r, 6, 0),
       "names of a file that contains them");
    trjpipe_reader_close(r);
    const char *const select[] = {"H=element H"};
    const struct trjpipe_reader_options options = {
        .struct_size = sizeof options, .groups = select, .group_count = 1, .frames = "0:9"};
    r = open_reader(other, &options);
    const char *note = trjpipe_reader_note(r);
    ok(has_text(note, "elements are guessed") && !trjpipe_reader_note(r), "%s", note ? note : "no note");
    ok(trjpipe_reader_header(r)->atoms == 2 && !strcmp(trjpipe_reader_label(r, TRJPIPE_NAME, 1), "HW"),
       "names of the atoms of a group");
    while (trjpipe_reader_read(r, NULL, NULL, &error) > 0) continue;
    note = trjpipe_reader_note(r);
    ok(has_text(note, "frames up to 9 were requested, the input contains 2"), "%s", note ? note : "no note");
    trjpipe_reader_close(r);
}

// Frames of an XYZ file with different numbers of atoms; a copy of the frame stream declares this, too.
static void check_open_system(void) {
    static const int atoms[] = {0, 3, 1};
    FILE *f = fopen(other, "w");
    if (!f) abort();
    for (int k = 0; k < 3; k++) {
        fprintf(f, "%d\nstep %d\n", atoms[k], k);
        for (int i = 0; i < atoms[k]; i++) fprintf(f, "%s %d 0 0\n", i == 1 ? "Kr" : "Ar", 10 * k + i);
    }
    fclose(f);
    const char *const select[] = {"A=name Ar", "all=all"};
    struct trjpipe_reader_options options = {
        .struct_size = sizeof options, .groups = select, .group_count = 2, .open = "auto", .labels = 1};
    trjpipe_reader *r = open_reader(other, &options);
    const struct trjpipe_header *h = trjpipe_reader_header(r);
    trjpipe_writer *w;
    must(trjpipe_writer_open(&w, path, h, NULL, &error));
    float x[3][3];
    struct trjpipe_frame frame = {.struct_size = sizeof frame};
    bool good = h->open_system == 1 && h->atoms == 3 && !h->element && !h->number;
    for (int k = 0; k < 3; k++) {
        must(trjpipe_reader_read(r, &frame, x[0], &error));
        uint32_t members[3] = {9, 9, 9};
        size_t n = trjpipe_group_members(&h->groups[0], &frame, members);
        good = good && trjpipe_group_members(&h->groups[1], &frame, NULL) == (size_t)atoms[k] &&
               n == (k == 1 ? 2 : (size_t)atoms[k]) && (k != 1 || members[1] == 2) &&
               (!atoms[k] || (int)x[0][0] == 10 * k) && (k != 2 || x[1][0] == 0);
        const char *name = trjpipe_reader_label(r, TRJPIPE_NAME, 1);
        good = good && (k == 1 ? name && !strcmp(name, "Kr") : !name);
        must(trjpipe_writer_write(w, &frame, x[0], &error));
    }
    ok(good && !trjpipe_reader_read(r, &frame, x[0], &error), "a system with 0, 3 and 1 atoms");
    must(trjpipe_writer_finish(w, &error));
    trjpipe_writer_close(w);
    trjpipe_reader_close(r);
    rejects_options(NULL, "the number of atoms changes; a program that supports this requests it");
    const struct trjpipe_reader_options of_copy = {.struct_size = sizeof of_copy, .open = "auto"};
    r = open_reader(path, &of_copy);
    ok(trjpipe_reader_header(r)->open_system == 1, "a copy is open, too");
    trjpipe_reader_close(r);
    options.open = "2";
    const char *file = other;
    must(trjpipe_reader_open(&r, &file, 1, &options, &error));
    must(trjpipe_reader_read(r, &frame, x[0], &error));
    ok(trjpipe_reader_read(r, &frame, x[0], &error) == -1 && has_text(error.text, "3 atoms, but at most 2"), "%s",
       error.text);
    trjpipe_reader_close(r);
    header.open_system = 1;
    rejects_header("open_system is 1, but a group is not dynamic");
    make_header();
    write_all(path, 0);
}

// Properties of the atoms of a PQR file, and of a centre.
static void check_properties(void) {
    FILE *f = fopen(other, "w");
    if (!f) abort();
    fprintf(f, "ATOM 1 OW HOH 1 0 0 0 -0.8 1.5\nATOM 2 HW HOH 1 1 0 0 0.4 1.2\nATOM 3 HW HOH 1 0 1 0 0.4 1.2\n");
    fclose(f);
    const char *const select[] = {"H=name HW", "W=com(all)"};
    struct trjpipe_reader_options options = {
        .struct_size = sizeof options, .groups = select, .group_count = 2, .carry = "charge,radius,resid,name"};
    trjpipe_reader *r = open_reader(other, &options);
    struct trjpipe_property p = {.struct_size = sizeof p};
    ok(!trjpipe_reader_property(r, "charge", &p, &error) && !strcmp(p.unit, "e") && has_text(p.origin, "PQR file ") &&
           p.values[0] == 0.4 && p.values[1] == 0.4 && fabs(p.values[2]) < 1e-15,
       "charges of atoms and of a centre");
    ok(!trjpipe_reader_property(r, "radius", &p, &error) && p.values[1] == 1.2 && isnan(p.values[2]),
       "the radius of a centre is unknown");
    ok(trjpipe_reader_property(r, "mass", &p, &error) == -1 && error.status == TRJPIPE_USAGE &&
           trjpipe_reader_property(r, NULL, &p, &error) == -1,
       "other properties: %s", error.text);
    ok(!trjpipe_reader_property(r, "resid", &p, &error) && !p.values && !p.text && p.integers[0] == 1 &&
           p.integers[2] == TRJPIPE_NO_INTEGER,
       "integers");
    ok(!trjpipe_reader_property(r, "name", &p, &error) && !p.values && !p.integers &&
           !strcmp(p.texts[p.text[1]], "HW") && !*p.texts[p.text[2]] && p.text[1] < p.text_count,
       "texts");
    ok(!strcmp(trjpipe_reader_property_name(r, 0), "charge") && !strcmp(trjpipe_reader_property_name(r, 3), "name") &&
           !trjpipe_reader_property_name(r, 4),
       "names of properties");
    struct trjpipe_property earlier = {.struct_size = offsetof(struct trjpipe_property, integers)};
    ok(!trjpipe_reader_property(r, "charge", &earlier, &error) && earlier.values[0] == 0.4 && !earlier.integers &&
           trjpipe_reader_property(r, "name", &earlier, &error) == -1 && has_text(error.text, "has no real numbers"),
       "structure of an earlier version: %s", error.text);
    trjpipe_reader_close(r);
}

static void write_histogram(void) {
    struct trj_error err;
    struct trj_output *out;
    struct rdf_hist_writer *w;
    char name[] = "O", file[] = "run.dcd";
    struct rdf_hist_group group = {.name = name, .atoms = 10};
    struct rdf_pair pair = {0, 0, 45};
    const struct rdf_setup setup = {
        .bins = {1, 3, 4}, .group_count = 1, .pair_count = 1, .groups = &group, .pairs = &pair};
    struct trj_source from = {file, 5};
    const struct trj_stream_header origin = {.source_count = 1, .sources = &from};
    bool good =
        !trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) && !rdf_hist_writer_open(&w, out, &setup, &origin, &err);
    for (uint64_t i = 0; good && i < 3; i++) {
        uint64_t counts[4] = {i, 1, 2, 3};
        struct trj_frame_run run = {0, i, 1, 1};
        struct rdf_record r = {.frames = 1,
                               .volume_frames = 1,
                               .volume_min = 1000,
                               .volume_max = 1000,
                               .periodic_all = 7,
                               .periodic_any = 7,
                               .spacing_min = {10, 10, 10},
                               .spacing_max = {10, 10, 10},
                               .run_count = 1,
                               .runs = &run,
                               .counts = counts};
        trj_exact_add(&r.volume, 1000);
        trj_exact_add(&r.inverse_volume, 0.001);
        good = !rdf_hist_write(w, &r, &err);
    }
    if (!good || rdf_hist_writer_finish(w, &err) || trj_output_commit(out, &err)) abort();
    rdf_hist_writer_close(w);
    trj_output_close(out);
}

static void check_histogram(void) {
    const char *const files[] = {path, path};
    trjpipe_histogram *h;
    write_histogram();
    must(trjpipe_histogram_open(&h, files, 1, &error));
    ok(h->struct_size == sizeof *h && h->bin_count == 4 && h->edges[0] == 1 && h->edges[1] == 1.5 && h->edges[4] == 3 &&
           h->group_count == 1 && !strcmp(h->groups[0].name, "O") && h->groups[0].atoms == 10 && h->pair_count == 1 &&
           h->pairs[0].pairs == 45 && !h->pairs[0].ordered && h->record_count == 3 && h->records[2].counts[0] == 2 &&
           !h->records[2].excluded && h->total.counts[0] == 3 && h->total.counts[3] == 9 && h->total.frames == 3 &&
           h->total.volume == 3000 && h->total.inverse_volume == 0.001 + 0.001 + 0.001 && h->total.periodic == 7 &&
           !h->total.frame_pairs && h->source_count == 1 && h->sources[0].fingerprint == 5,
       "a histogram stream is read");
    trjpipe_histogram_close(h);
    ok(trjpipe_histogram_open(&h, files, 2, &error) == -1 && !h && error.status == TRJPIPE_BAD_DATA &&
           has_text(error.text, "counted twice"),
       "%s", error.text);
    ok(trjpipe_histogram_open(&h, NULL, 0, &error) == -1 && error.status == TRJPIPE_USAGE, "%s", error.text);
    const char *const waves = "tests/data/golden/waves.rdfh";
    ok(trjpipe_histogram_open(&h, &waves, 1, &error) == -1 && !h && has_text(error.text, "print them with rdfnorm"),
       "%s", error.text);
    trjpipe_histogram_close(NULL);
}

enum { POINTS = 2 * 3 * 4 };

// Writes a map of numbers of atoms, in voxels of 2 A^3: record r has r + 1 frames of weight 2, and the sum 10 r + p at
// point p.
static void write_map(void) {
    struct trj_error err;
    struct trj_output *out;
    struct trj_grid_writer *w;
    char quantity[] = "number of atoms", unit[] = "", file[] = "run.dcd", line[] = "densmap";
    char *provenance[] = {line};
    struct trj_source from = {file, 5};
    const struct trj_stream_header origin = {
        .source_count = 1, .sources = &from, .provenance_count = 1, .provenance = provenance};
    const struct trj_map m = {
        .lattice = {{2, 3, 4}, {1, 2, 3}, {{1, 0, 0}, {0.5, 1, 0}, {0, 0, 2}}, 5},
        .quantity = quantity,
        .unit = unit,
        .kind = TRJ_MAP_COUNTS,
        .meaning = TRJ_MAP_TOTALS,
        .components = 1,
        .error_bound = 0.5,
    };
    bool good = !trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) &&
                !trj_grid_writer_open(&w, out, &m, &origin, 0, 1, &err);
    for (uint64_t r = 0, frame = 0; good && r < 2; r++) {
        struct trj_grid_record record = {.frames = 0};
        uint64_t values[POINTS];
        for (uint64_t p = 0; p < POINTS; p++) values[p] = 10 * r + p;
        for (uint64_t f = 0; good && f <= r; f++) good = !trj_grid_record_add_frame(&record, 0, frame++, 2, &err);
        good = good && !trj_grid_write_record(w, &record, &err) && !trj_grid_write_planes(w, values, 4, &err);
        trj_grid_record_free(&record);
    }
    if (!good || trj_grid_writer_finish(w, &err) || trj_output_commit(out, &err)) abort();
    trj_grid_writer_close(w);
    trj_output_close(out);
}

static void check_map_records(bool totals) {
    const struct trjpipe_map_options options = {.struct_size = sizeof options, .totals = totals};
    const double voxel = totals ? 1 : 2;
    trjpipe_map *m;
    must(trjpipe_map_open(&m, path, &options, &error));
    const struct trjpipe_map_header *h = trjpipe_map_header(m);
    ok(h->struct_size == sizeof *h && h->points[0] == 2 && h->points[1] == 3 && h->points[2] == 4 &&
           h->origin[2] == 3 && h->step[3] == 0.5 && h->step[8] == 2 && h->periodic == 5 && h->components == 1 &&
           h->kind == TRJPIPE_MAP_COUNTS && h->quantum == 0 && !strcmp(h->stored.quantity, "number of atoms") &&
           !*h->stored.unit && h->stored.meaning == TRJPIPE_MAP_TOTALS && h->stored.error_bound == 0.5 &&
           h->provenance_count == 1 && !strcmp(h->provenance[0], "densmap"),
       "header of a map");
    ok(totals ? !strcmp(h->mean.quantity, "number of atoms") && h->mean.meaning == TRJPIPE_MAP_TOTALS &&
                    h->mean.error_bound == 0.5
              : !strcmp(h->mean.quantity, "number density") && !strcmp(h->mean.unit, "A^-3") &&
                    h->mean.meaning == TRJPIPE_MAP_MEANS && h->mean.error_bound == 0.25,
       "the mean is %s of unit %s", h->mean.quantity, h->mean.unit);
    struct trjpipe_map_record record = {.struct_size = sizeof record};
    for (unsigned r = 0; r < 2; r++) {
        uint64_t values[POINTS];
        double means[POINTS];
        bool good = trjpipe_map_next(m, &record, &error) == 1 && record.frames == r + 1 && record.sum &&
                    record.weight == 2 * (r + 1);
        must(trjpipe_map_read(m, values, means, 1, &error));
        must(trjpipe_map_read(m, NULL, means + 6, 2, &error));
        must(trjpipe_map_read(m, values + 18, means + 18, 1, &error));
        for (unsigned p = 0; p < POINTS; p++)
            good = good && (p / 6 == 1 || p / 6 == 2 || values[p] == 10 * r + p) &&
                   means[p] == (10 * r + p) / record.weight / voxel;
        ok(good && h->source_count == 1 && h->sources[0].fingerprint == 5 && !strcmp(h->sources[0].name, "run.dcd"),
           "values and means of record %u", r);
    }
    ok(!trjpipe_map_next(m, &record, &error) && !trjpipe_map_next(m, NULL, &error) && !trjpipe_map_note(m), "the end");
    trjpipe_map_close(m);
}

static void check_map(void) {
    trjpipe_map *m;
    write_map();
    check_map_records(false);
    check_map_records(true);
    must(trjpipe_map_open(&m, path, NULL, &error));
    must(trjpipe_map_next(m, NULL, &error));
    ok(trjpipe_map_next(m, NULL, &error) == 1 && trjpipe_map_read(m, NULL, NULL, 5, &error) == -1 &&
           error.status == TRJPIPE_USAGE && has_text(error.text, "5 planes requested, but the record has 4 left"),
       "%s", error.text);
    ok(trjpipe_map_next(m, NULL, &error) == -1 && has_text(error.text, "an earlier part"), "%s", error.text);
    trjpipe_map_close(m);
    ok(trjpipe_map_open(&m, NULL, NULL, &error) == -1 && !m && error.status == TRJPIPE_USAGE, "%s", error.text);
    ok(trjpipe_map_open(&m, "/nonexistent", NULL, &error) == -1 && !m && has_text(error.text, "/nonexistent: No such"),
       "%s", error.text);
    trjpipe_map_close(NULL);
}

static int read_to_end(const char *file, struct trjpipe_error *e) {
    trjpipe_map *m;
    if (!trjpipe_map_open(&m, file, NULL, e)) {
        int left = 1;
        while (left > 0) left = trjpipe_map_next(m, NULL, e);
        trjpipe_map_close(m);
        return left;
    }
    trjpipe_histogram *h;
    trjpipe_reader *r;
    float x[ATOMS + 1][3];
    struct trjpipe_frame frame = {.struct_size = sizeof frame};
    if (!trjpipe_histogram_open(&h, &file, 1, e)) {
        trjpipe_histogram_close(h);
        return 0;
    }
    const struct trjpipe_reader_options one = {.struct_size = sizeof one, .threads = 1};
    if (trjpipe_reader_open(&r, &file, 1, &one, e)) return -1;
    bool fits = trjpipe_reader_header(r)->atoms <= ATOMS;
    int got = 1;
    while (got > 0) got = trjpipe_reader_read(r, &frame, fits ? x[0] : NULL, e);
    trjpipe_reader_close(r);
    return got;
}

// Each byte of a stream is changed, and the stream is truncated at each byte.
static void check_damage(const char *what) {
    static unsigned char data[1 << 16];
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(data, 1, sizeof data, f) : 0, accepted = 0, cut = 0, other_status = 0;
    if (!size || size == sizeof data || fclose(f)) abort();
    for (size_t i = 0; i < 2 * size; i++) {
        bool change = i < size;
        if (change) data[i] ^= 0xff;
        f = fopen(other, "wb");
        if (!f || fwrite(data, 1, change ? size : i - size, f) != (change ? size : i - size) || fclose(f)) abort();
        if (change) data[i] ^= 0xff;
        struct trjpipe_error e = {.status = 99};
        if (!read_to_end(other, &e))
            *(change ? &accepted : &cut) += 1;
        else
            other_status += e.status != TRJPIPE_BAD_DATA || !*e.text;
    }
    ok(!accepted && !cut && !other_status, "%s: damage at each of %zu bytes is an error (%zu, %zu, %zu)", what, size,
       accepted, cut, other_status);
}

enum { MANY = 1000, BYTE = 300000 }; // frames in several blocks; a byte of the first or second of them

// Writes many frames to path, and changes a byte if `damaged`.
static void write_many(bool damaged) {
    trjpipe_writer *w;
    const uint32_t members[WORDS] = {0};
    must(trjpipe_writer_open(&w, path, &header, NULL, &error));
    for (int f = 0; f < MANY; f++) {
        struct trjpipe_frame frame = frame_of(1, members);
        frame.index = (uint64_t)f;
        must(trjpipe_writer_write(w, &frame, coordinates[1][0], &error));
    }
    must(trjpipe_writer_finish(w, &error));
    trjpipe_writer_close(w);
    FILE *f = damaged ? fopen(path, "r+b") : NULL;
    if (damaged && (!f || fseek(f, BYTE, SEEK_SET) || fwrite("\1\2\3\4", 1, 4, f) != 4 || fclose(f))) abort();
}

static void check_salvage(void) {
    struct trjpipe_reader_options options = {.struct_size = sizeof options, .salvage = 1};
    for (int damaged = 0; damaged < 2; damaged++) {
        write_many(damaged);
        int frames = 0, dropped = 0, got;
        trjpipe_reader *r = open_reader(path, &options);
        while ((got = trjpipe_reader_read(r, NULL, NULL, &error)) > 0) frames++;
        must(got);
        for (const char *note; (note = trjpipe_reader_note(r));) dropped += has_text(note, "dropped: bytes ");
        int rc = trjpipe_reader_losses(r, &error);
        ok((damaged ? frames > MANY / 2 && frames < MANY : frames == MANY) && dropped == damaged && rc == -damaged,
           "salvage: %d of %d frames are read, %d notes name a dropped part", frames, MANY, dropped);
        if (damaged) ok(error.status == TRJPIPE_BAD_DATA && has_text(error.text, " in 1 part, and "), "%s", error.text);
        trjpipe_reader_close(r);
    }
    options.frames = "1:";
    rejects_options(&options, "--salvage");
    write_all(path, 0);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/a.trjf", folder);
    snprintf(other, sizeof other, "%s/b.trjf", folder);
    make_header();
    ok(!strcmp(trjpipe_version(), TRJPIPE_VERSION), "version %s", trjpipe_version());
    check_round_trip(3);
    check_round_trip(0);
    check_copy();
    check_macros();
    check_threads();
    check_precision();
    check_options();
    check_salvage();
    check_damage("frame stream");
    check_headers();
    check_frames();
    check_labels();
    check_open_system();
    check_properties();
    check_histogram();
    check_damage("histogram stream");
    check_map();
    check_damage("grid stream");
    unlink(path);
    unlink(other);
    ok(!rmdir(folder), "no other file remains");
    return done();
}
