// SPDX-License-Identifier: MIT
// Formats of maps: each pitfall that programs disagree about, hostile files, and the real files of the shared folder.
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map_format.h"
#include "map_statistics.h"
#include "tap.h"

static struct trj_error err;
static char folder[] = "/tmp/test_map_formats.XXXXXX";
enum { ROOM = 1 << 16 };
static unsigned char text[ROOM]; // content of a file
static size_t size;
static double values[ROOM]; // of a map: axis 0 fastest
static struct trj_map_notes notes;
static struct trj_map map; // texts are not kept
static char unit[256], quantity_read[256];

static const char *at(const char *name) {
    static char path[4][256];
    static int n;
    n = (n + 1) % 4;
    snprintf(path[n], sizeof path[n], "%s/%s", folder, name);
    return path[n];
}

static void save(const char *name, const void *data, size_t n) {
    FILE *f = fopen(at(name), "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

static void save_text(const char *name, const char *content) {
    save(name, content, strlen(content));
}

static void load(const char *name) {
    FILE *f = fopen(at(name), "rb");
    size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[size] = 0;
    if (f) fclose(f);
}

static bool is_noted(const char *part) {
    for (size_t i = 0; i < notes.count; i++)
        if (strstr(notes.text[i], part)) return true;
    return false;
}

// Reads a map, `portion` planes at a time. Returns 0 or -1.
static int read_path(const char *path, const struct trj_map_reader_setup *setup, uint64_t portion) {
    struct trj_input *in;
    struct trj_map_reader *r;
    static unsigned char raw[8 * ROOM];
    err = (struct trj_error){0};
    if (trj_input_open(&in, path, &err) || trj_map_reader_open(&r, in, setup, &err)) return -1;
    int rc = trj_map_reader_next(r, &err) == 1 ? 0 : -1;
    size_t done = 0;
    map = r->map;
    for (uint64_t z = 0; !rc && z < map.lattice.n[2]; z += portion) {
        uint64_t some = map.lattice.n[2] - z < portion ? map.lattice.n[2] - z : portion;
        size_t n = some * trj_map_plane_values(&map);
        if (some * trj_map_plane_size(&map) > sizeof raw || done + n > ROOM) abort();
        rc = trj_map_reader_read(r, raw, some, &err);
        if (!rc) trj_map_to_real(&map, raw, n, values + done);
        done += n;
    }
    if (!rc) rc = trj_map_reader_next(r, &err);
    notes = r->notes;
    snprintf(unit, sizeof unit, "%s", map.unit);
    snprintf(quantity_read, sizeof quantity_read, "%s", map.quantity);
    trj_map_reader_close(r);
    return rc;
}

static int read_file(const char *name) {
    return read_path(at(name), NULL, 2);
}

static int write_file(const char *name, const struct trj_map *m, const void *from, uint64_t portion) {
    struct trj_output *out = NULL;
    struct trj_map_writer *w = NULL;
    const struct trj_map_format *format;
    char path[256];
    snprintf(path, sizeof path, "%s", at(name));
    err = (struct trj_error){0};
    int rc = trj_map_format_choose(&format, NULL, path, &err) || trj_output_open(&out, path, format->kind, &err) ||
             trj_map_writer_open(&w, format, out, m, &(struct trj_map_writer_setup){.path = path}, &err) ||
             trj_map_writer_begin(w, NULL, &err);
    for (uint64_t z = 0; !rc && z < m->lattice.n[2]; z += portion) {
        uint64_t some = m->lattice.n[2] - z < portion ? m->lattice.n[2] - z : portion;
        rc = trj_map_writer_write(w, (const unsigned char *)from + z * trj_map_plane_size(m), some, &err);
    }
    rc = rc || trj_map_writer_finish(w, &err) || trj_output_commit(out, &err);
    if (w) notes = w->notes;
    trj_map_writer_close(w);
    trj_output_close(out);
    return rc ? -1 : 0;
}

// ---- all formats

// Returns a map with lengths that float32 and six decimals of a Bohr represent well enough.
static struct trj_map map_of(enum trj_map_kind kind) {
    return (struct trj_map){
        .lattice = {.n = {3, 4, 5}, .origin = {-1, 2, 4.5}, .step = {{0.5, 0, 0}, {0, 1, 0}, {0, 0, 1.5}}},
        .kind = kind,
        .components = 1,
        .quantum = kind == TRJ_MAP_QUANTA ? 0.25 : 0};
}

// The value of the point i, j, k is 100 i + 10 j + k, which a transposed map does not have.
static double value_at(size_t point) {
    return (double)(100 * (point % 3) + 10 * (point / 3 % 4) + point / 12);
}

static void fill(const struct trj_map *m, unsigned char *to) {
    for (size_t i = 0; i < 60 * m->components; i++) {
        double v = value_at(i / m->components) + (double)(i % m->components) / 4;
        float f = (float)v;
        uint64_t whole = (uint64_t)(v * 4);
        if (m->kind == TRJ_MAP_FLOAT32)
            memcpy(to + 4 * i, &f, 4);
        else
            memcpy(to + 8 * i, m->kind == TRJ_MAP_FLOAT64 ? (const void *)&v : (const void *)&whole, 8);
    }
}

static bool values_are(const struct trj_map *m) {
    for (size_t i = 0; i < 60 * m->components; i++) {
        double v = value_at(i / m->components) + (double)(i % m->components) / 4;
        if (values[i] != (m->kind == TRJ_MAP_COUNTS ? 4 * v : v)) return false;
    }
    return true;
}

static void test_round_trips(void) {
    static const char *const names[] = {"a.trjg", "a.dx", "a.mrc", "a.cube", "a.npy"};
    static unsigned char from[60 * 8 * 3];
    for (int f = 0; f < 5; f++)
        for (int k = 0; k < TRJ_MAP_KINDS; k++) {
            struct trj_map m = map_of((enum trj_map_kind)k);
            bool exact = f == 0 || f == 4;
            fill(&m, from);
            bool good = !write_file(names[f], &m, from, 2);
            for (uint64_t portion = 1; good && portion < 6; portion++)
                good = !read_path(at(names[f]), NULL, portion) && values_are(&m) &&
                       trj_map_lattice_same(&map.lattice, &m.lattice, f == 3 ? 1e-5 : 0) &&
                       (!exact || (map.kind == m.kind && map.quantum == m.quantum));
            ok(good, "%s, kind %d: written and read: %s", names[f], k, err.text);
        }
    struct trj_map m = map_of(TRJ_MAP_FLOAT64);
    m.components = 3;
    fill(&m, from);
    for (int f = 0; f < 5; f++) {
        int rc = write_file(names[f], &m, from, 5) || read_file(names[f]);
        if (f == 1 || f == 2)
            ok(rc && has_text(err.text, "3 components"), "%s: %s", names[f], err.text);
        else
            ok(!rc && map.components == 3 && values_are(&m), "%s: vectors: %s", names[f], err.text);
    }
}

static void test_skew(void) {
    static unsigned char from[60 * 8];
    struct trj_map m = map_of(TRJ_MAP_FLOAT64);
    fill(&m, from);
    m.lattice.step[1][0] = 0.25, m.lattice.step[2][1] = -0.5;
    ok(!write_file("a.dx", &m, from, 5) && is_noted("many programs ignore"), "dx: a skew lattice is noted");
    ok(!read_file("a.dx") && trj_map_lattice_same(&map.lattice, &m.lattice, 0), "dx: and read again");
    m.lattice.origin[0] = 0.1;
    ok(!write_file("a.mrc", &m, from, 5) && !read_file("a.mrc") && trj_map_lattice_same(&map.lattice, &m.lattice, 1e-6),
       "mrc: a skew lattice");
    ok(!write_file("a.cube", &m, from, 5) && !read_file("a.cube") &&
           trj_map_lattice_same(&map.lattice, &m.lattice, 1e-5),
       "cube: a skew lattice");
    m.lattice.step[0][1] = 0.25;
    ok(write_file("b.mrc", &m, from, 5) && has_text(err.text, "rotated"), "mrc: %s", err.text);
    m = map_of(TRJ_MAP_FLOAT64);
    m.lattice.step[0][0] = -0.5;
    ok(write_file("b.mrc", &m, from, 5) && has_text(err.text, "left-handed"), "mrc: %s", err.text);
}

static void test_choice(void) {
    const struct trj_map_format *f;
    ok(!trj_map_format_choose(&f, NULL, "x.CCP4", &err) && !strcmp(f->name, "mrc"), "format of an ending");
    ok(!trj_map_format_choose(&f, NULL, NULL, &err) && !strcmp(f->name, "trjg"), "the default is the grid stream");
    ok(!trj_map_format_choose(&f, "cube", "x", &err) && !strcmp(f->name, "cube"), "format of a name");
    ok(!trj_map_format_choose(&f, "cube", "x.plt", &err) && !strcmp(f->name, "cube"),
       "unknown ending: the format of the name is written");
    ok(!trj_map_format_choose(&f, NULL, "a.b/x", &err) && !strcmp(f->name, "trjg"), "no ending: the default");
    ok(trj_map_format_choose(&f, NULL, "a/x.plt", &err) && has_text(err.text, "unknown ending '.plt'"), "%s", err.text);
    ok(trj_map_format_choose(&f, "dx", "x.dx.gz", &err) && has_text(err.text, "compressed"), "%s", err.text);
    ok(trj_map_format_choose(&f, "plt", NULL, &err) && err.status == TRJ_USAGE, "%s", err.text);
    ok(trj_map_format_choose(&f, "dx", "x.mrc", &err) && err.status == TRJ_USAGE, "%s", err.text);
    save_text("none", "no map\n");
    ok(read_file("none") && has_text(err.text, "not a map in a known format"), "%s", err.text);
    save_text("none", "");
    ok(read_file("none") && has_text(err.text, "is empty"), "%s", err.text);
}

static void test_second_map(void) {
    struct trj_map m = map_of(TRJ_MAP_FLOAT64);
    static unsigned char from[60 * 8];
    struct trj_output *out;
    struct trj_map_writer *w;
    const struct trj_map_format *format;
    fill(&m, from);
    ok(!trj_map_format_choose(&format, "dx", NULL, &err) && !trj_output_open(&out, at("two.dx"), format->kind, &err) &&
           !trj_map_writer_open(&w, format, out, &m, NULL, &err) && !trj_map_writer_begin(w, NULL, &err) &&
           trj_map_writer_finish(w, &err) && has_text(err.text, "0 of 5 planes"),
       "an incomplete map: %s", err.text);
    ok(!trj_map_writer_write(w, from, 5, &err) && trj_map_writer_begin(w, NULL, &err) && has_text(err.text, "trjg"),
       "a second map: %s", err.text);
    trj_map_writer_close(w);
    trj_output_close(out);
}

#define BAD(name, what, part)                                                                                          \
    ok(read_file(name) && err.status == TRJ_BAD_DATA && has_text(err.text, part) && has_text(err.text, "; "),          \
       "%s: %s: %s", name, what, err.text)

// ---- OpenDX

static const char dx_head[] = "# a comment\n\nobject 1 class gridpositions counts 2 1 3\norigin 1 2 3\ndelta 0.5 0 0\n"
                              "delta 0 0.5 0\ndelta 0 0 0.5\nobject 2 class gridconnections counts 2 1 3\n";

static void save_dx(const char *array, const char *rest) {
    char all[4096];
    snprintf(all, sizeof all, "%s%s%s", dx_head, array, rest);
    save_text("x.dx", all);
}

#define ARRAY "object 3 class array type double rank 0 items 6 data follows\n"

static void test_dx(void) {
    save_dx(ARRAY, "0 1 2 10\n11. 1.2e1\nattribute \"dep\" string \"positions\"\nobject \"a\" class field\n");
    ok(!read_file("x.dx") && map.lattice.n[0] == 2 && map.lattice.n[2] == 3 && values[0] == 0 && values[1] == 10 &&
           values[2] == 1 && values[4] == 2 && values[5] == 12,
       "dx: axis 2 is fastest in the file: %s", err.text);
    ok(map.lattice.origin[0] == 1 && map.lattice.origin[2] == 3, "dx: the origin is the first point");
    save_dx("object 3 class array type float rank 0 items 6 data follows\n", "0 1 2 3 4 5\n");
    ok(!read_file("x.dx"), "dx: type float, nothing after the values: %s", err.text);
    save_dx("object 3 class array type \"double\" rank 0 items 6 data follows\n", "0 1 2 3 4 5\n");
    ok(!read_file("x.dx"), "dx: a type in quotation marks, as GridDataFormats writes it: %s", err.text);
    save_dx(ARRAY, "0 1 2 3 4 5");
    BAD("x.dx", "no line end after the last value", "truncated");
    save_dx(ARRAY, "0 1 2 3 4\n");
    BAD("x.dx", "a value is missing", "expected 6 values, found 5");
    save_dx(ARRAY, "0 1 2 3 4 5 6\n");
    BAD("x.dx", "a value too many", "more values");
    save_dx(ARRAY, "0 1 2 3 4 5\n6\n");
    BAD("x.dx", "a value too many in a line of its own", "line 11: more values");
    save_dx(ARRAY, "0 1 2 3 4 5\n" ARRAY "1\n");
    BAD("x.dx", "two arrays", "second array");
    save_dx(ARRAY, "0 1 x 3 4 5\n");
    BAD("x.dx", "a word among the values", "line 10: value 2 is not a number");
    save_dx(ARRAY, "0 1 nan 3 4 5\n");
    BAD("x.dx", "NaN", "not a number");
    save_dx(ARRAY, "0 1 1e999 3 4 5\n");
    BAD("x.dx", "1e999", "too large");
    save_dx("object 3 class array type double rank 0 items 7 data follows\n", "0 1 2 3 4 5 6\n");
    BAD("x.dx", "other number of items", "'7' items, but the header gives 6 points");
    save_dx("object 3 class array type double rank 0 items 6 lsb ieee data follows\n", "");
    BAD("x.dx", "binary values", "unsupported");
    save_dx("object 3 class array type double rank 0 items 6 data file x.bin,0\n", "");
    BAD("x.dx", "values in another file", "unsupported");
    save_dx("object 3 class array type string rank 0 items 6 data follows\n", "");
    BAD("x.dx", "type string", "unsupported type");
    save_dx("object 3 class array type double rank 1 shape 2 items 6 data follows\n", "0 1 2 3 4 5\n6 7 8 9 10 11\n");
    ok(!read_file("x.dx") && map.components == 2 && values[2] == 6 && values[3] == 7, "dx: vectors: %s", err.text);
    save_text("x.dx", dx_head);
    BAD("x.dx", "only the header", "truncated");
    save_text("x.dx", "object 1 class gridpositions counts 100000000 100000000 100000000\n");
    BAD("x.dx", "10^24 points", "truncated");
    save_text("x.dx", "object 1 class gridpositions counts 2 0 2\n");
    BAD("x.dx", "no points", "invalid number of points");
    save_text("x.dx", "object 1 class gridpositions counts 1 2 3\norigin 0 0\n");
    BAD("x.dx", "two coordinates", "expected 3 numbers after 'origin'");
    struct trj_map m = map_of(TRJ_MAP_FLOAT64);
    static double v[60];
    v[1] = -1e-100, v[2] = 1.23456789012;
    m.lattice.step[0][0] = 1 / 3.0;
    ok(!write_file("x.dx", &m, v, 5), "dx: written");
    load("x.dx");
    ok(has_text((char *)text, "delta 3.333333333e-01 0.000000000e+00 0.000000000e+00\n"), "dx: steps have ten digits");
    ok(has_text((char *)text, "type double rank 0 items 60 data follows\n0.000000000e+00 0.000000000e+00 "
                              "0.000000000e+00\n"),
       "dx: three values in a line without trailing blanks");
    ok(has_text((char *)text, "-1.000000000e-100") && has_text((char *)text, "1.234567890e+00"), "dx: digits");
    ok(has_text((char *)text, "\nattribute \"dep\" string \"positions\"\nobject \"regular positions regular "
                              "connections\" class field\ncomponent \"positions\" value 1\ncomponent \"connections\" "
                              "value 2\ncomponent \"data\" value 3\n"),
       "dx: the objects at the end");
    ok(!strchr(strstr((char *)text, "object"), '#'), "dx: no comment after the first object");
    v[5] = NAN;
    ok(write_file("x.dx", &m, v, 5) && has_text(err.text, "nan"), "dx: NaN is rejected: %s", err.text);
}

// ---- MRC

static unsigned char mrc[4096];

static void put(int word, int32_t v) {
    memcpy(mrc + 4 * (word - 1), &v, 4);
}

static void put_real(int word, float v) {
    memcpy(mrc + 4 * (word - 1), &v, 4);
}

// Writes 2 columns, 3 rows and 4 sections of the given mode, with the values 0, 1, 2, ... Returns the size of the file.
static size_t make_mrc(int mode, int extended) {
    memset(mrc, 0, sizeof mrc);
    for (int k = 0; k < 3; k++) {
        put(1 + k, 2 + k);
        put(8 + k, 2 + k);
        put_real(11 + k, (float)(2 + k));
        put_real(14 + k, 90);
        put(17 + k, 1 + k);
    }
    put(4, mode);
    put(23, 1);
    put(24, extended);
    memcpy(mrc + 208, "MAP \x44\x44\0\0", 8);
    size_t bytes = mode == 0 ? 1 : mode == 2 ? 4 : 2, start = 1024 + (size_t)extended;
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    for (size_t i = 0; i < 24; i++) {
        float f = (float)i;
        int16_t s = (int16_t)(mode == 12 ? halves[i % 8] : (int)i - (mode == 1 ? 5 : 0));
        int8_t c = (int8_t)((int)i - 5);
        memcpy(mrc + start + i * bytes, mode == 2 ? (void *)&f : mode == 0 ? (void *)&c : (void *)&s, bytes);
    }
    return start + 24 * bytes;
}

static void swap_mrc(size_t n) {
    for (size_t i = 0; i < n; i += 4) {
        if (i == 208) i += 8;
        unsigned char c[4] = {mrc[i + 3], mrc[i + 2], mrc[i + 1], mrc[i]};
        memcpy(mrc + i, c, 4);
    }
}

static void test_mrc_values(void) {
    for (int mode = 0; mode <= 12; mode++) {
        bool known = mode <= 2 || mode == 6 || mode == 12;
        save("m.mrc", mrc, make_mrc(mode, mode % 3 * 80));
        if (known)
            ok(!read_file("m.mrc") && values[7] == (mode < 2 ? 2 : 7) && map.lattice.n[2] == 4, "mrc: mode %d: %s",
               mode, err.text);
        else
            BAD("m.mrc", "unsupported mode", "unsupported mode");
    }
    size_t n = make_mrc(2, 0);
    swap_mrc(n);
    memcpy(mrc + 212, "\x11\x11\0\0", 4);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && values[23] == 23, "mrc: big-endian: %s", err.text);
    memcpy(mrc + 212, "\0\0\0\0", 4);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && values[23] == 23, "mrc: big-endian without a stamp: %s", err.text);
    n = make_mrc(2, 0);
    memcpy(mrc + 212, "\0\0\x44\x44", 4);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && values[23] == 23, "mrc: the stamp of TEMPy: %s", err.text);
    memcpy(mrc + 212, "\x11\x11\0\0", 4);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && values[23] == 23, "mrc: the wrong stamp: %s", err.text);
    put(23, 0);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc"), "mrc: ISPG 0 is accepted: %s", err.text);
}

static void test_mrc_imod(void) {
    size_t n = make_mrc(0, 0);
    mrc[1024] = 200;
    put(39, 1146047817), put(40, 1);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && values[0] == -56 && !is_noted("IMOD"), "mrc: bytes of IMOD with the flag 1 are signed");
    put(40, 0);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && values[0] == 200 && is_noted("unsigned"), "mrc: other bytes of IMOD are unsigned");
    put_real(50, 4), put(40, 5);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.origin[0] == -4 && values[0] == -56 && is_noted("inverted"),
       "mrc: the flag 4 of IMOD inverts ORIGIN");
    put(39, 0);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.origin[0] == 4 && values[0] == -56 && !is_noted("IMOD"),
       "mrc: without the stamp of IMOD, there are no flags");
}

static void test_mrc_axes(void) {
    size_t n = make_mrc(2, 0);
    // Columns are z, rows x, sections y: 3 points along x, 4 along y, 2 along z.
    put(17, 3), put(18, 1), put(19, 2);
    put(8, 3), put(9, 4), put(10, 2);
    put(5, 7), put(6, -1), put(7, 0);
    put_real(11, 6), put_real(12, 8), put_real(13, 10);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.n[0] == 3 && map.lattice.n[1] == 4 && map.lattice.n[2] == 2,
       "mrc: axes 3 1 2");
    ok(values[0] == 0 && values[12] == 1 && values[1] == 2 && values[3] == 6, "mrc: values of permuted axes");
    ok(map.lattice.step[0][0] == 2 && map.lattice.step[1][1] == 2 && map.lattice.step[2][2] == 5,
       "mrc: steps are the cell divided by M");
    ok(map.lattice.origin[0] == -2 && map.lattice.origin[1] == 0 && map.lattice.origin[2] == 35,
       "mrc: NSTART belongs to columns, rows and sections");
    put(17, 2), put(18, 1), put(19, 3);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.n[0] == 3 && values[1] == 2 && values[3] == 1 && values[6] == 6,
       "mrc: axes 2 1 3");
    put(8, 6);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.step[0][0] == 1,
       "mrc: M is the sampling of the cell, not the number of points");
    put(17, 1);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "axes 1 1 3", "invalid order of axes");
    put(17, 0), put(18, 0), put(19, 0);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && is_noted("order of the axes"), "mrc: axes 0 0 0 are noted");
}

static void test_mrc_origin(void) {
    size_t n = make_mrc(2, 0);
    struct trj_map_reader_setup setup = {.origin = TRJ_MAP_ORIGIN_AUTO};
    put(5, 3);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.origin[0] == 3 && is_noted("NSTART"), "mrc: only NSTART");
    put_real(51, 0.25f);
    save("m.mrc", mrc, n);
    ok(!read_file("m.mrc") && map.lattice.origin[0] == 0 && map.lattice.origin[1] == 0.25 &&
           is_noted("ORIGIN; NSTART gives a different one"),
       "mrc: ORIGIN wins");
    setup.origin = TRJ_MAP_ORIGIN_SUM;
    ok(!read_path(at("m.mrc"), &setup, 4) && map.lattice.origin[0] == 3 && map.lattice.origin[1] == 0.25,
       "mrc: the sum");
    setup.origin = TRJ_MAP_ORIGIN_NSTART;
    ok(!read_path(at("m.mrc"), &setup, 4) && map.lattice.origin[0] == 3 && map.lattice.origin[1] == 0, "mrc: NSTART");
    struct trj_map m = map_of(TRJ_MAP_FLOAT32);
    static float v[60];
    v[7] = 6;
    ok(!write_file("m.mrc", &m, v, 1), "mrc: written");
    load("m.mrc");
    int32_t start[3], group, version;
    float origin[3], range[3], rms;
    memcpy(start, text + 16, 12);
    memcpy(origin, text + 196, 12);
    memcpy(range, text + 76, 12);
    memcpy(&rms, text + 216, 4);
    memcpy(&group, text + 88, 4);
    memcpy(&version, text + 108, 4);
    ok(start[0] == -2 && start[1] == 2 && start[2] == 3 && origin[0] == -1 && origin[1] == 2 && origin[2] == 4.5f,
       "mrc: NSTART and ORIGIN agree where the origin is a whole number of steps");
    ok(range[0] == 0 && range[1] == 6 && range[2] == 0.1f && fabsf(rms - sqrtf(36 / 60.0f - 0.01f)) < 1e-6f,
       "mrc: minimum, maximum, mean and sigma");
    double far[60];
    for (int i = 0; i < 60; i++) far[i] = 1e6 + 1e-3 * i;
    m.kind = TRJ_MAP_FLOAT64;
    ok(!write_file("m.mrc", &m, far, 1) && is_noted("but sigma is 0.017"), "mrc: rounding of a large mean is noted");
    load("m.mrc");
    m.kind = TRJ_MAP_FLOAT32;
    ok(group == 1 && version == 20140 && !memcmp(text + 208, "MAP \x44\x44\0\0", 8), "mrc: ISPG 1, version, stamp");
    m.lattice.origin[0] = -0.9;
    ok(!write_file("m.mrc", &m, v, 1), "mrc: written");
    load("m.mrc");
    memcpy(start, text + 16, 12);
    ok(!start[0] && !start[1] && !start[2], "mrc: otherwise NSTART is 0");
    uint64_t large[60] = {(1 << 24) + 1};
    m.kind = TRJ_MAP_COUNTS;
    ok(!write_file("m.mrc", &m, large, 5) && is_noted("24 bits"), "mrc: rounded counts are noted");
    double huge[60] = {1e39};
    m.kind = TRJ_MAP_FLOAT64;
    ok(write_file("m.mrc", &m, huge, 5) && has_text(err.text, "1e+39"), "mrc: values above float32: %s", err.text);
}

static void test_mrc_hostile(void) {
    size_t n = make_mrc(2, 80);
    save("m.mrc", mrc, n - 1);
    BAD("m.mrc", "a byte is missing", "truncated");
    save("m.mrc", mrc, n + 1);
    BAD("m.mrc", "a byte too many", "longer than its header states");
    save("m.mrc", mrc, 1000);
    BAD("m.mrc", "half of a header", "not a map in a known format");
    put(24, INT32_MAX);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "extended header of 2^31 bytes", "extended header");
    put(24, -1);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "extended header of -1 bytes", "extended header");
    n = make_mrc(2, 0);
    put(1, 1 << 20), put(2, 1 << 19);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "2^41 points", "at most 2^40");
    put(1, 1 << 14), put(2, 1 << 14);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "2^30 points that are missing", "truncated");
    n = make_mrc(2, 0);
    put_real(11, 0);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "a length of 0", "lengths of the cell");
    put_real(11, NAN);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "a length of NaN", "cell length");
    n = make_mrc(2, 0);
    put_real(14, 30), put_real(15, 30);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "impossible angles", "span no volume");
    n = make_mrc(2, 0);
    put_real(50, INFINITY);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "an infinite ORIGIN", "origin");
    n = make_mrc(2, 0);
    put(9, -3);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "negative sampling", "sampling");
    n = make_mrc(2, 0);
    put(23, 401);
    save("m.mrc", mrc, n);
    BAD("m.mrc", "a stack of volumes", "stack of volumes");
}

// ---- cube

static void test_cube(void) {
    save_text("c.cube", "title\ncomment\n1 1.0 0 0\n2 1.0 0 0\n1 0 2.0 0\n3 0 0 1\n8 8.0 0 0 0\n0 1 2\n10 11 12\n");
    ok(!read_file("c.cube") && values[0] == 0 && values[1] == 10 && values[2] == 1 && values[5] == 12,
       "cube: axis 2 is fastest: %s", err.text);
    ok(map.lattice.origin[0] == 0.529177210903 && map.lattice.step[1][1] == 2 * 0.529177210903,
       "cube: lengths in Bohr");
    load("c.cube");
    save("c", text, size);
    ok(!read_file("c") && values[1] == 10, "cube: detected by its content: %s", err.text);
    save_text("c", "t\nc\n1.5 1.0 0 0\n2 1.0 0 0\n1 0 2.0 0\n3 0 0 1\n0 1 2\n10 11 12\n");
    BAD("c", "a number of atoms that is not whole", "not a map in a known format");
    save_text("c.cube", "t\nc\n0 1 0 0\n-2 1 0 0\n-1 0 2 0\n-3 0 0 1\n0 1 2 10 11 12\n");
    ok(!read_file("c.cube") && map.lattice.origin[0] == 1 && map.lattice.n[0] == 2 && is_noted("taken as Å"),
       "cube: negative numbers of points: Å, with a note");
    save_text("c.cube", "t\nc\n-1 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1 1 0 0 0\n2 5\n7\n0.5 1.5\n2.5 3.5\n");
    ok(!read_file("c.cube") && map.components == 2 && values[1] == 1.5 && values[2] == 2.5,
       "cube: a negative number of atoms: a list of orbitals, in several lines, and interleaved values: %s", err.text);
    save_text("c.cube", "t\nc\n0 0 0 0 3\n1 1 0 0\n1 0 1 0\n2 0 0 1\n0 1 2 3 4 5\n");
    ok(!read_file("c.cube") && map.components == 3 && values[5] == 5, "cube: several values for each point: %s",
       err.text);
    save_text("c.cube", "t\nc\n0 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n0.12345-100 1.5D+01\n");
    ok(!read_file("c.cube") && values[0] == 0.12345e-100 && values[1] == 15, "cube: exponents of Fortran: %s",
       err.text);
    save_text("c.cube", "t\nc\n0 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1.0 *****\n");
    BAD("c.cube", "stars", "not a number");
    save_text("c.cube", "t\nc\n0 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1.0 2.5 ");
    ok(!read_file("c.cube") && values[1] == 2.5, "cube: the last value is followed by a blank, as by psi4: %s",
       err.text);
    save_text("c.cube", "t\nc\n0 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1.0 2.5");
    BAD("c.cube", "the last value may lack digits", "no line end");
    save_text("c.cube", "t\nc\n0 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1.0\n");
    BAD("c.cube", "a value is missing", "expected 2 values, found 1");
    save_text("c.cube", "t\nc\n0 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1.0 2.0\n3.0\n");
    BAD("c.cube", "a value too many", "line 8: more values");
    save_text("c.cube", "t\nc\n0 0 0 0\n-1 1 0 0\n1 0 1 0\n2 0 0 1\n1.0 2.0\n");
    BAD("c.cube", "one negative number of points", "negative");
    save_text("c.cube", "t\nc\n0 0 0 0\n99999999999 1 0 0\n");
    BAD("c.cube", "10^11 points", "expected an integer below 2^31");
    save_text("c.cube", "t\nc\n-2147483647 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1 1 0 0 0\n");
    BAD("c.cube", "2^31 atoms that are missing", "truncated");
    save_text("c.cube", "t\nc\n-1 0 0 0\n1 1 0 0\n1 0 1 0\n2 0 0 1\n1 1 0 0 0\n99999 1\n");
    BAD("c.cube", "99999 orbitals", "orbitals");
    save_text("c.cube", "t\nc\n0 0 0 0\n1 0 0 0\n1 0 1 0\n2 0 0 1\n1.0 2.0\n");
    BAD("c.cube", "a step of 0", "invalid lattice");
    struct trj_map m = map_of(TRJ_MAP_FLOAT64);
    static double v[80];
    m.lattice.n[2] = 7, m.lattice.n[1] = 1;
    v[0] = -1.23456e-7, v[3] = 1e-120;
    ok(!write_file("c.cube", &m, v, 7), "cube: written: %s", err.text);
    load("c.cube");
    ok(has_text((char *)text, "\n    0   -1.889726    3.779452    8.503768\n    3    0.944863    0.000000"),
       "cube: lengths in Bohr, positive numbers of points");
    ok(has_text((char *)text, "\n -1.23456E-07  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00\n  "
                              "0.00000E+00\n  0.00000E+00"),
       "cube: six values in a line, and a new line after each run along axis 2");
    v[2] = -9.99999e99;
    ok(!write_file("c.cube", &m, v, 7) && !read_file("c.cube") && values[2] == -9.99999e99, "cube: -9.99999E+99 fits");
    m.lattice.origin[0] = -529.5;
    ok(!write_file("c.cube", &m, v, 7) && !read_file("c.cube") && fabs(map.lattice.origin[0] + 529.5) < 1e-3,
       "cube: lengths of twelve characters remain words: %s", err.text);
    m.lattice.step[0][0] = 2e-6;
    ok(write_file("c.cube", &m, v, 7) && has_text(err.text, "2e-06"), "cube: a step of few digits: %s", err.text);
    m.lattice.step[0][0] = 0.5;
    v[2] = 1e100;
    ok(write_file("c.cube", &m, v, 7) && has_text(err.text, "1e+100"), "cube: %s", err.text);
}

// Writes the map of a file to another one, with its atoms.
static int convert(const char *from, const char *to) {
    struct trj_input *in;
    struct trj_map_reader *r;
    if (trj_input_open(&in, at(from), &err) || trj_map_reader_open(&r, in, NULL, &err)) return -1;
    static unsigned char raw[8 * ROOM];
    struct trj_output *out = NULL;
    struct trj_map_writer *w = NULL;
    const struct trj_map_format *format;
    char path[256];
    snprintf(path, sizeof path, "%s", at(to));
    int rc =
        trj_map_reader_next(r, &err) != 1 || trj_map_reader_read(r, raw, r->map.lattice.n[2], &err) ||
        trj_map_format_choose(&format, NULL, path, &err) || trj_output_open(&out, path, format->kind, &err) ||
        trj_map_writer_open(&w, format, out, &r->map, &(struct trj_map_writer_setup){.program = "trjpipe X"}, &err) ||
        trj_map_writer_begin(w, &r->record, &err) || trj_map_writer_write(w, raw, r->map.lattice.n[2], &err) ||
        trj_map_writer_finish(w, &err) || trj_output_commit(out, &err);
    trj_map_writer_close(w);
    trj_output_close(out);
    trj_map_reader_close(r);
    return rc ? -1 : 0;
}

static void test_atoms(void) {
    static const char two[] = "a title\ncomment\n"
                              "   -2   -1.000000    0.000000    0.500000\n    1    1.000000    0.000000    0.000000\n"
                              "    1    0.000000    1.000000    0.000000\n    2    0.000000    0.000000    1.000000\n"
                              "   14    4.000000    0.123456   -1.234567   12.345678\n"
                              "    1    1.000000    0.000000    0.000000    3.000000\n"
                              "    2    5    7\n  5.00000E-01  1.50000E+00  2.50000E+00  3.50000E+00\n";
    static const char *const way[] = {"t.cube", "t.trjg", "u.cube", "v.cube"};
    save_text("t.cube", two);
    for (int i = 0; i < 3; i++) ok(!convert(way[i], way[i + 1]), "%s to %s: %s", way[i], way[i + 1], err.text);
    load("u.cube");
    ok(has_text((char *)text,
                "orbital, bohr^-3/2\nWritten by trjpipe X; values are samples at the points; lengths are in "
                "bohr\n") &&
           !strcmp(strchr(strchr((char *)text, '\n') + 1, '\n'), strchr(strchr(two, '\n') + 1, '\n')),
       "cube: atoms, orbitals and values through a grid stream: each byte after the comments");
    ok(!read_file("v.cube") && !strcmp(unit, "bohr^-3/2") && !strcmp(quantity_read, "orbital"),
       "cube: quantity and unit are read again: %s, %s", quantity_read, unit);
    char many[2000] = "t\nc\n-1 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1 1 0 0 0\n12";
    for (int i = 1; i <= 12; i++) snprintf(many + strlen(many), 20, " %d", i);
    strcat(many, "\n");
    for (int i = 1; i <= 12; i++) snprintf(many + strlen(many), 20, " %d.5", i);
    strcat(many, "\n");
    save_text("t.cube", many);
    ok(!convert("t.cube", "u.cube"), "12 orbitals: %s", err.text);
    load("u.cube");
    ok(has_text((char *)text, "\n   12    1    2    3    4    5    6    7    8    9\n   10   11   12\n  1.50000E+00"),
       "cube: ten numbers in a line of the list of orbitals");
    ok(!read_file("u.cube") && map.components == 12 && values[11] == 12.5, "and read again");
    save_text("t.cube",
              "Psi4 Gaussian Cube File.\nProperty: Psi_a_5_1-B1. Isocontour\n0 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1\n");
    ok(!read_file("t.cube") && !strcmp(unit, "bohr^-3/2"), "cube of psi4: an orbital");
    save_text("t.cube",
              "Psi4 Gaussian Cube File.\nProperty: Dt [e/a0^3]. Iso\n0 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1\n");
    ok(!read_file("t.cube") && !strcmp(unit, "bohr^-3"), "cube of psi4: a density");
    save_text("t.cube", "number density, of water, A^-3\nWritten by trjpipe 0.1.0; values are totals over the voxels\n"
                        "0 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1\n");
    ok(!read_file("t.cube") && !strcmp(unit, "A^-3") && !strcmp(quantity_read, "number density, of water") &&
           map.meaning == TRJ_MAP_TOTALS,
       "cube: own comments: %s, %s", quantity_read, unit);
    save_text("t.cube", "t\nc\n1 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n8 1e9 0 0 0\n1\n");
    ok(convert("t.cube", "u.cube") && has_text(err.text, "nuclear charge"), "%s", err.text);
}

// ---- NumPy

static void save_npy(const char *name, const char *head, const void *data, size_t n) {
    unsigned char all[1024] = "\x93NUMPY\1";
    size_t length = strlen(head);
    all[8] = (unsigned char)length;
    memcpy(all + 10, head, length);
    memcpy(all + 10 + length, data, n);
    save(name, all, 10 + length + n);
}

#define HEAD(type, order, shape) "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"
#define GEOMETRY                 "{\"origin\": [1, 2, 3], \"steps\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"

static void test_npy(void) {
    double v[6] = {0, 1, 2, 10, 11, 12};
    save_npy("n.npy", HEAD("<f8", "False", "(2, 1, 3)"), v, sizeof v);
    unlink(at("n.json"));
    ok(read_file("n.npy") && has_text(err.text, "n.json") && has_text(err.text, "requires a second file"),
       "npy: no lattice: %s", err.text);
    save_text("n.json", GEOMETRY "}");
    ok(!read_file("n.npy") && values[1] == 10 && values[2] == 1 && map.lattice.origin[2] == 3 &&
           map.kind == TRJ_MAP_FLOAT64,
       "npy: C order, lattice from the second file: %s", err.text);
    save_npy("n.npy", HEAD("<f8", "True", "(2, 1, 3)"), v, sizeof v);
    ok(!read_file("n.npy") && values[1] == 1 && values[2] == 2, "npy: Fortran order: %s", err.text);
    save_npy("n.npy", HEAD(">i2", "False", "(2, 1, 3)"), "\xff\xfe\0\1\0\2\0\3\0\4\0\5", 12);
    ok(!read_file("n.npy") && values[0] == -2 && values[1] == 3 && map.kind == TRJ_MAP_QUANTA && map.quantum == 1,
       "npy: big-endian integers: %s", err.text);
    save_npy("n.npy", HEAD("|u1", "False", "(2, 1, 3)"), "\xff\1\2\3\4\5", 6);
    ok(!read_file("n.npy") && values[0] == 255 && map.kind == TRJ_MAP_COUNTS, "npy: bytes: %s", err.text);
    save_npy("n.npy", HEAD("<f2", "False", "(2, 1, 3)"), "\0\x3c\0\0\0\xc0\0\x7c\1\0\0\0", 12);
    ok(!read_file("n.npy") && values[0] == 1 && values[4] == -2 && isinf(values[1]) && values[3] == 0x1p-24,
       "npy: float16: %s", err.text);
    save_npy("n.npy", HEAD("<c8", "False", "(2, 1, 3)"), v, 48);
    BAD("n.npy", "complex values", "unsupported type");
    save_npy("n.npy", HEAD("<f8", "False", "(2, 3)"), v, 48);
    BAD("n.npy", "two axes", "shape");
    save_npy("n.npy", HEAD("<f8", "False", "(2, 0, 3)"), v, 48);
    BAD("n.npy", "an axis of 0", "shape");
    save_npy("n.npy", HEAD("<f8", "False", "(2, 1, 3, 1)"), v, 48);
    BAD("n.npy", "four axes without components", "components");
    save_npy("n.npy", HEAD("<f8", "False", "(1048576, 1048576, 1048576)"), v, 48);
    BAD("n.npy", "2^60 points", "at most 2^40");
    save_npy("n.npy", HEAD("<f8", "False", "(2, 1, 3)"), v, 47);
    BAD("n.npy", "a byte is missing", "truncated");
    save_npy("n.npy", HEAD("<f8", "False", "(2, 1, 3)"), (char[49]){0}, 49);
    BAD("n.npy", "a byte too many", "longer");
    save_npy("n.npy", "{'descr': '<f8'}", v, 48);
    BAD("n.npy", "no shape", "missing");
    save_npy("n.npy", HEAD("<f8", "False", "(2, 1, 3)"), v, 48);
    load("n.npy");
    save("n.npy.x", text, size);
    ok(!read_file("n.npy.x"), "npy: a suffix after the ending is not part of the name of the second file: %s",
       err.text);
    static const char *const bad[][2] = {
        {GEOMETRY ", \"unit\": \"a\x7f\"}", "control characters"},
        {GEOMETRY ", \"unit\": \"\\ud800\"}", "expected \"NAME\""},
        {GEOMETRY ", \"unit\": \"\\u00", "expected \"NAME\""},
        {"[1]", "expected '{'"},
        {"{\"origin\": [1, 2, 3]}", "missing"},
        {"{\"origin\": [1, 2], \"steps\": 1}", "\"origin\": expected three"},
        {"{\"origin\": [1, 2, 3", "byte 1"},
        {GEOMETRY ", \"shape\": [2, 1, 4]}", "shape"},
        {GEOMETRY ", \"shape\": [2, 1.5, 4]}", "\"shape\""},
        {GEOMETRY ", \"values\": \"other\"}", "\"values\""},
        {GEOMETRY ", \"components\": -1}", "\"components\""},
        {GEOMETRY "} x", "expected the end"},
        {GEOMETRY ", \"quantity\": 1}", "\"quantity\": expected a text"},
        {"{\"steps\": [[[[[[[[[[1]]]]]]]]]], \"x\": [1,2,3,4,5,6,7,8,9,10]}", "\"steps\""},
        {"{\"origin\": [1e999, 0, 0], \"steps\": [1,0,0,0,1,0,0,0,1]}", "origin"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        save_text("n.json", bad[i][0]);
        ok(read_file("n.npy") && err.status == TRJ_BAD_DATA && has_text(err.text, bad[i][1]), "npy: %s: %s", bad[i][0],
           err.text);
    }
    save_text("n.json", GEOMETRY ", \"unit\": \"\\u00c5^3 \\u2074\\u0041\", \"quantity\": \"x\\\\\\\"y\"}");
    ok(!read_file("n.npy") && !strcmp(unit, "\u00c5^3 \u2074A") && !strcmp(quantity_read, "x\\\"y"),
       "npy: escapes in texts, as Python writes them: %s %s", unit, err.text);
    struct trj_map m = map_of(TRJ_MAP_QUANTA);
    char quantity[] = "a \"b\" \\";
    m.quantity = quantity;
    m.meaning = TRJ_MAP_TOTALS;
    m.lattice.periodic = 5;
    m.lattice.origin[0] = 1 / 3.0;
    static int64_t quanta[60];
    ok(!write_file("q.npy", &m, quanta, 2) && is_noted("q.json"), "npy: a note names the second file");
    load("q.npy");
    ok(size == 128 + 480 && text[127] == '\n' && text[8] == 118 && has_text((char *)text + 10, "'<i8'"),
       "npy: the header has a multiple of 64 bytes");
    ok(!read_file("q.npy") && trj_map_lattice_same(&map.lattice, &m.lattice, 0) && map.meaning == TRJ_MAP_TOTALS &&
           map.quantum == 0.25,
       "npy: lattice, periods and meaning are read again: %s", err.text);
}

// ---- real files

static struct real_map {
    const char *name;
    uint64_t n[3];
    double origin[3], sum; // computed with mrcfile and numpy; see tests/helpers/maps.py
} const real_maps[] = {
    {"1akeA_10A.mrc", {22, 22, 22}, {-6.494, 13.381, -5.41}, 403.7},
};

static struct trj_map_summary summary;

static int summarise(const char *path) {
    struct trj_input *in;
    struct trj_map_reader *r;
    if (trj_input_open(&in, path, &err) || trj_map_reader_open(&r, in, NULL, &err)) return -1;
    struct trj_map_statistics *s = trj_map_statistics_open(&r->map, &err);
    unsigned char *plane = malloc(trj_map_plane_size(&r->map));
    int rc = trj_map_reader_next(r, &err) == 1 ? 0 : -1;
    for (uint64_t z = 0; !rc && z < r->map.lattice.n[2]; z++) {
        rc = trj_map_reader_read(r, plane, 1, &err);
        trj_map_statistics_add(s, plane, trj_map_plane_values(&r->map));
    }
    if (!rc) rc = trj_map_reader_next(r, &err);
    map = r->map;
    summary = trj_map_statistics_summary(s);
    trj_map_statistics_close(s);
    free(plane);
    trj_map_reader_close(r);
    return rc;
}

static void test_real(void) {
    char path[4096];
    const char *shared = shared_folder();
    snprintf(path, sizeof path, "%s/data-maps/map/1akeA_10A.mrc", shared ? shared : "");
    if (!shared || access(path, R_OK)) {
        skip("real maps", "shared folder is absent");
        return;
    }
    for (size_t i = 0; i < sizeof real_maps / sizeof *real_maps; i++) {
        const struct real_map *m = &real_maps[i];
        snprintf(path, sizeof path, "%s/data-maps/map/%s", shared, m->name);
        ok(!summarise(path) && !memcmp(map.lattice.n, m->n, sizeof m->n) &&
               fabs(map.lattice.origin[0] - m->origin[0]) < 1e-4 && fabs(summary.sum - m->sum) < 0.1,
           "%s: %s %.10g", m->name, err.text, summary.sum);
    }
    // One map in two formats.
    snprintf(path, sizeof path, "%s/data-maps/map/fav8.guv.O.1.ccp4", shared);
    struct trj_map_lattice ccp4 = {.periodic = !summarise(path) ? 0 : 8};
    if (!ccp4.periodic) ccp4 = map.lattice;
    struct trj_map_summary first = summary;
    snprintf(path, sizeof path, "%s/data-maps/map/fav8.dx.save", shared);
    ok(!summarise(path) && trj_map_lattice_same(&map.lattice, &ccp4, 0.01) &&
           fabs(first.sum - summary.sum) < 1e-5 * first.sum && first.max_at == summary.max_at &&
           first.min_at == summary.min_at,
       "fav8: the ccp4 and the dx file contain the same map: %.8g %.8g %s", first.sum, summary.sum, err.text);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    test_round_trips();
    test_skew();
    test_choice();
    test_second_map();
    test_dx();
    test_mrc_values();
    test_mrc_imod();
    test_mrc_axes();
    test_mrc_origin();
    test_mrc_hostile();
    test_cube();
    test_atoms();
    test_npy();
    test_real();
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) ? 1 : done();
}
