// SPDX-License-Identifier: MIT
// Tests DCD: real files compared with what other programs decode (shared/reference/decode.tsv), and small files made
// here in every dialect, truncated at every byte and with every marker damaged.
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode_table.h"

static char folder[] = "/tmp/test_dcd.XXXXXX", path[64];

// ---- small files made here

enum { ROOM = 1 << 14 };

struct spec {
    uint32_t atoms, frames, fixed, version, nset, every, ntitle;
    bool big, cell, w, charges;
    unsigned marker;
    float delta;
    double v[6];
    const char *title;
};

static const struct spec plain = {.atoms = 3,
                                  .frames = 3,
                                  .version = 24,
                                  .nset = 3,
                                  .every = 5,
                                  .ntitle = 1,
                                  .marker = 4,
                                  .delta = 2,
                                  .title = "REMARKS"};

static struct {
    unsigned char data[ROOM];
    size_t size, header;
    size_t border[8]; // where frame i starts; border[frames] is the size
    size_t markers[200], marker_count;
    size_t atoms_at, free_at, cell_at[8], x_at[8];
} made;

static float value(uint32_t frame, uint32_t atom, unsigned axis) {
    return (float)(1000 * (frame + 1) + 4 * atom + axis) + 0.25f;
}

static void put(const struct spec *s, uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        made.data[made.size + (s->big ? bytes - 1 - i : i)] = (unsigned char)(v >> 8 * i);
    made.size += bytes;
}

static void put_float(const struct spec *s, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    put(s, bits, 4);
}

static void put_double(const struct spec *s, double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    put(s, bits, 8);
}

static void mark(const struct spec *s, uint64_t bytes) {
    made.markers[made.marker_count++] = made.size;
    put(s, bytes, s->marker);
}

// Fixes every other atom, up to the number of fixed atoms.
static bool is_fixed(const struct spec *s, uint32_t atom) {
    return atom % 2 == 0 && atom / 2 < s->fixed;
}

static void make(const struct spec *s) {
    memset(&made, 0, sizeof made);
    mark(s, 84);
    memcpy(made.data + made.size, "CORD", 4);
    made.size += 4;
    uint32_t icntrl[20] = {s->nset, 10, s->every};
    icntrl[8] = s->fixed;
    icntrl[10] = s->cell;
    icntrl[11] = s->w;
    icntrl[12] = s->charges;
    icntrl[19] = s->version;
    size_t at = made.size;
    for (int i = 0; i < 20; i++) put(s, icntrl[i], 4);
    made.size = at + 36;
    if (s->version)
        put_float(s, s->delta);
    else
        put_double(s, (double)s->delta);
    made.size = at + 80;
    mark(s, 84);
    mark(s, 4 + 80 * s->ntitle);
    put(s, s->ntitle, 4);
    snprintf((char *)made.data + made.size, 80, "%s", s->title);
    made.size += (size_t)80 * s->ntitle;
    mark(s, 4 + 80 * s->ntitle);
    mark(s, 4);
    made.atoms_at = made.size;
    put(s, s->atoms, 4);
    mark(s, 4);
    if (s->fixed) {
        mark(s, 4 * (s->atoms - s->fixed));
        made.free_at = made.size;
        for (uint32_t i = 0; i < s->atoms; i++)
            if (!is_fixed(s, i)) put(s, i + 1, 4);
        mark(s, 4 * (s->atoms - s->fixed));
    }
    made.header = made.size;
    for (uint32_t f = 0; f < s->frames; f++) {
        made.border[f] = made.size;
        if (s->cell) {
            mark(s, 48);
            made.cell_at[f] = made.size;
            for (int k = 0; k < 6; k++) put_double(s, s->v[k]);
            mark(s, 48);
        }
        uint32_t n = f ? s->atoms - s->fixed : s->atoms;
        for (unsigned k = 0; k < 3u + s->w; k++) {
            mark(s, 4 * n);
            if (!k) made.x_at[f] = made.size;
            for (uint32_t i = 0; i < s->atoms; i++)
                if (!f || !is_fixed(s, i)) put_float(s, k < 3 ? value(f, i, k) : NAN);
            mark(s, 4 * n);
        }
        if (s->charges) {
            mark(s, 4 * s->atoms);
            for (uint32_t i = 0; i < s->atoms; i++) put_float(s, -1);
            mark(s, 4 * s->atoms);
        }
    }
    made.border[s->frames] = made.size;
}

static void save(size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(made.data, 1, size, f) != size || fclose(f)) abort();
}

// Opens the first bytes of the file through a pipe, whose buffer is large enough for them.
static int open_pipe(struct trj_reader **r, size_t size, int fds[2]) {
    char name[32];
    if (pipe(fds) || write(fds[1], made.data, size) != (ssize_t)size) abort();
    close(fds[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    return trj_reader_open(r, name, &err);
}

static bool frame_is(const struct spec *s, const struct trj_frame *f, uint32_t frame) {
    bool good = f->index == frame && f->atoms == s->atoms && f->unit == 1;
    for (uint32_t i = 0; good && i < s->atoms; i++)
        for (unsigned k = 0; k < 3; k++) good = good && f->x[k][i] == value(is_fixed(s, i) ? 0 : frame, i, k);
    return good;
}

// Reads or skips to the end. Returns the number of frames; *end: the last result, 0 or -1.
static uint32_t read_all(struct trj_reader *r, const struct spec *s, bool skip_them, int *end, bool *good) {
    struct trj_frame f = {0};
    uint32_t n = 0;
    while ((*end = skip_them ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err)) == 1) {
        if (!skip_them && s) *good = *good && frame_is(s, &f, n);
        n++;
    }
    trj_frame_free(&f);
    return n;
}

static void check_whole(const struct spec *s, const char *name, const char *dialect) {
    make(s);
    save(made.size);
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    int end, fds[2];
    bool good = true;
    if (!ok(trj_reader_open(&r, path, &err) == 0 && r->atoms == s->atoms && r->can_seek && r->header_frames == s->nset,
            "%s: opens", name)) {
        printf("# %s\n", err.text);
        return;
    }
    ok(!strcmp(r->dialect, dialect), "%s: dialect %s", name, r->dialect);
    uint32_t n = read_all(r, s, false, &end, &good);
    ok(good && end == 0 && n == s->frames, "%s: %u frames are read", name, n);
    ok(trj_reader_read(r, &f, &err) == 0, "%s: a read after the end returns 0", name);
    for (uint32_t k = s->frames; k--;)
        good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(s, &f, k);
    ok(good, "%s: seek backwards", name);
    ok(trj_reader_seek(r, s->frames, &err) == 0 && trj_reader_seek(r, UINT64_MAX, &err) == 0,
       "%s: seek after the last frame returns 0", name);
    trj_reader_close(r);
    for (uint32_t k = 0; k < 2 * s->frames; k++) {
        bool piped = k >= s->frames;
        if (piped ? open_pipe(&r, made.size, fds) : trj_reader_open(&r, path, &err)) abort();
        good = good && r->can_seek == !piped;
        if (!piped)
            good = good && trj_reader_seek(r, k, &err) == 1; // seek before the first read
        else
            for (uint32_t i = 0; i < k - s->frames; i++) good = good && trj_reader_skip(r, &err) == 1;
        good = good && trj_reader_read(r, &f, &err) == 1 && frame_is(s, &f, k % s->frames);
        if (!good) printf("# %s\n", err.text);
        trj_reader_close(r);
        if (piped) close(fds[0]);
    }
    ok(good, "%s: seek before the first read; in a pipe, skip", name);
    if (open_pipe(&r, made.size, fds)) abort();
    n = read_all(r, s, false, &end, &good);
    ok(good && end == 0 && n == s->frames, "%s: read through a pipe", name);
    trj_reader_close(r);
    close(fds[0]);
    if (open_pipe(&r, made.size, fds)) abort();
    n = read_all(r, s, true, &end, &good);
    ok(end == 0 && n == s->frames, "%s: skipped through a pipe", name);
    trj_reader_close(r);
    close(fds[0]);
    trj_frame_free(&f);
}

// Truncated at every byte: TRJ_BAD_DATA with byte and frame; between frames, the frames before.
static void check_cuts(const struct spec *s, const char *name) {
    make(s);
    save(made.size);
    for (int way = 0; way < 3; way++) { // read, skip, read a pipe
        bool good = true;
        for (size_t cut = made.size + 1; cut--;) {
            struct trj_reader *r = NULL;
            int end, fds[2] = {-1, -1};
            char byte[32], frame[32];
            bool same = true;
            uint32_t whole = 0;
            while (whole < s->frames && made.border[whole + 1] <= cut) whole++;
            bool border = cut >= made.header && cut == (whole < s->frames ? made.border[whole] : made.size);
            snprintf(byte, sizeof byte, "byte %zu", cut);
            snprintf(frame, sizeof frame, ": frame %u: ", whole);
            if (truncate(path, (off_t)cut)) abort();
            err = (struct trj_error){0};
            int opened = way == 2 ? open_pipe(&r, cut, fds) : trj_reader_open(&r, path, &err);
            if (opened) {
                const char *want = !cut ? "is empty" : cut < s->marker + 4 ? "not a known trajectory format" : byte;
                good = good && cut < made.header && err.status == TRJ_BAD_DATA && has_text(err.text, want);
            } else {
                uint32_t n = read_all(r, s, way == 1, &end, &same);
                good = good && same && cut >= made.header && n == whole && end == (border ? 0 : -1);
                if (end)
                    good = good && err.status == TRJ_BAD_DATA && has_text(err.text, byte) && has_text(err.text, frame);
                trj_reader_close(r);
            }
            if (!good) {
                printf("# truncated at %zu, %u whole frames: %s\n", cut, whole, err.text);
                cut = 0;
            }
            if (way == 2) close(fds[0]);
        }
        save(made.size);
        ok(good, "%s: truncated at each of %zu bytes, %s", name, made.size,
           (const char *[]){"read", "skipped", "read from a pipe"}[way]);
    }
}

static int try_all(bool skip_them) {
    struct trj_reader *r;
    int end;
    bool good = true;
    err = (struct trj_error){0};
    save(made.size);
    if (trj_reader_open(&r, path, &err)) return -1;
    read_all(r, NULL, skip_them, &end, &good);
    trj_reader_close(r);
    return end;
}

static void check_markers(const struct spec *s, const char *name) {
    make(s);
    bool good = true;
    for (size_t i = 0; i < made.marker_count; i++)
        for (unsigned b = 0; b < s->marker; b++) {
            made.data[made.markers[i] + b] ^= 1;
            bool title = i == 2; // may be wrong: see read_title
            for (int skipped = 0; skipped < 2 && !title; skipped++) {
                int end = try_all(skipped);
                if (end == -1 && err.status == TRJ_BAD_DATA && (has_text(err.text, "byte") || i < 2)) continue;
                printf("# marker %zu byte %u: %d %s\n", i, b, end, err.text);
                good = false;
            }
            made.data[made.markers[i] + b] ^= 1;
        }
    ok(good && try_all(false) == 0, "%s: each of %zu markers damaged in each byte", name, made.marker_count);
}

// Expects an error that contains both words.
static void rejects(const char *what, const char *word, const char *other) {
    int end = try_all(false);
    ok(end == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, word) && has_text(err.text, other), "%s: %s", what,
       err.text);
}

static void refused_cell(const struct spec *s, const char *what, const char *word) {
    make(s);
    rejects(what, ": frame 0: the unit cell before byte", word);
}

// Returns the cell of a file of one frame.
static struct trj_cell cell_of(const struct spec *s) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    make(s);
    save(made.size);
    if (trj_reader_open(&r, path, &err) || trj_reader_read(r, &f, &err) != 1) printf("# %s\n", err.text);
    trj_reader_close(r);
    trj_frame_free(&f);
    return f.cell;
}

static bool cell_is(struct trj_cell c, const double h[9], double tolerance) {
    for (int k = 0; k < 9; k++)
        if (!(fabs(c.h[k / 3][k % 3] - h[k]) <= tolerance)) return false;
    return c.periodic == TRJ_PERIODIC_ALL;
}

static void times(const struct spec *s, const char *what, int64_t step, double time) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    make(s);
    save(made.size);
    bool good =
        trj_reader_open(&r, path, &err) == 0 && trj_reader_skip(r, &err) == 1 && trj_reader_read(r, &f, &err) == 1;
    ok(good && f.step == step && (isnan(time) ? isnan(f.time) : fabs(f.time - time) < 1e-9 * time),
       "%s: step %lld at %.9g ps", what, (long long)f.step, f.time);
    trj_reader_close(r);
    trj_frame_free(&f);
}

static void check_made(void) {
    static const double box[6] = {10, 0, 20, 0, 0, 30};
    struct spec s = plain;
    check_whole(&s, "plain", "LE 32-bit version 24, no cell");
    check_cuts(&s, "plain");
    check_markers(&s, "plain");
    s = (struct spec){.atoms = 12,
                      .frames = 4,
                      .version = 24,
                      .nset = 500,
                      .every = 1,
                      .ntitle = 2,
                      .marker = 8,
                      .big = true,
                      .cell = true,
                      .delta = 1,
                      .title = "CREATED BY NAMD"}; // an x record of 48 bytes, as many as a cell
    memcpy(s.v, box, sizeof box);
    check_whole(&s, "big", "BE 64-bit NAMD, lengths and angles");
    check_cuts(&s, "big");
    check_markers(&s, "big");
    s = (struct spec){.atoms = 7,
                      .frames = 4,
                      .fixed = 3,
                      .version = 36,
                      .every = 1,
                      .marker = 4,
                      .cell = true,
                      .w = true,
                      .charges = true,
                      .title = ""};
    memcpy(s.v, box, sizeof box);
    check_whole(&s, "all", "LE 32-bit CHARMM 36, shape matrix, 4D, charges, 3 fixed atoms");
    check_cuts(&s, "all");
    check_markers(&s, "all");
    s.big = true;
    s.marker = 8;
    s.cell = s.w = false;
    check_whole(&s, "fixed", "BE 64-bit CHARMM 36, no cell, charges, 3 fixed atoms");
    s = (struct spec){
        .atoms = 5, .frames = 2, .version = 0, .every = 7, .ntitle = 1, .marker = 4, .big = true, .title = ""};
    s.delta = 1.5f; // a double, whose bits overlap the flags
    check_whole(&s, "X-PLOR", "BE 32-bit X-PLOR, no cell");
    s.frames = 0;
    make(&s);
    ok(try_all(false) == 0, "header without frames: no frames");

    // Titles with a wrong marker, as old versions of MDAnalysis wrote them, end where their closing marker is; any
    // other length is rejected.
    s = plain;
    s.ntitle = 3;
    make(&s);
    made.data[made.markers[2]] = 164;
    ok(try_all(false) == 0, "opening marker of the titles gives 164, closing one 244: read");
    made.data[made.markers[3]] = 164;
    ok(try_all(false) == 0, "both markers give 164: read");
    made.data[made.markers[2]] = 165;
    rejects("neither marker is valid", "titles at byte 92", "closing marker");
    make(&plain);
    made.data[made.markers[2] + 4] = 77; // the number of titles
    ok(try_all(false) == 0, "wrong number of titles, valid markers: read");

    // Steps and times.
    const double AKMA = 0.04888821290839616;
    s = plain;
    times(&s, "as CHARMM has it", 15, 15 * 2 * AKMA);
    s.every = 0;
    times(&s, "no interval", TRJ_NO_STEP, NAN);
    s.every = (uint32_t)-5;
    times(&s, "a negative interval", TRJ_NO_STEP, NAN);
    s = plain;
    s.delta = 0;
    times(&s, "no time step", 15, NAN);
    s.delta = INFINITY;
    times(&s, "an infinite time step", 15, NAN);
    s.delta = 2;
    s.title = "Written by LAMMPS";
    times(&s, "LAMMPS", 15, NAN);
    s.title = "Created by DCD plugin";
    times(&s, "VMD", 15, NAN);
    s.version = 36;
    times(&s, "CHARMM with VMD's title", 15, 15 * 2 * AKMA);
    s = plain;
    s.version = 0;
    times(&s, "X-PLOR", 15, 15 * 2 * AKMA);
    s.delta = 1e8f;
    times(&s, "X-PLOR with a time step of microseconds", 15, NAN);

    // Cells. The same six numbers are a shape matrix in version 26, and contain cosines in version 25.
    s = plain;
    s.frames = 1;
    s.cell = true;
    memcpy(s.v, (double[6]){10, 0.5, 11, -0.25, 0.125, 12}, sizeof s.v);
    s.version = 26;
    ok(cell_is(cell_of(&s), (double[9]){10, 0.5, -0.25, 0.5, 11, 0.125, -0.25, 0.125, 12}, 0),
       "version 26: shape matrix");
    s.version = 25;
    const double sg = sqrt(0.75), cy = (0.125 + 0.125) / sg; // gamma 60 degrees, cos beta -1/4, cos alpha 1/8
    const double cosines[9] = {10, 0, 0, 11 * 0.5, 11 * sg, 0, -3, 12 * cy, 12 * sqrt(1 - 0.0625 - cy * cy)};
    ok(cell_is(cell_of(&s), cosines, 1e-13), "version 25: cosines");
    const double pi = acos(-1.0);
    memcpy(s.v, (double[6]){10, 60, 11, acos(-0.25) * 180 / pi, acos(0.125) * 180 / pi, 12}, sizeof s.v);
    s.version = 24;
    ok(cell_is(cell_of(&s), cosines, 1e-12), "version 24: degrees");
    s.version = 36;
    refused_cell(&s, "degrees of a late version", "no shape matrix");
    memcpy(s.v, (double[6]){10, 1, 20, 0.5, 30, 40}, sizeof s.v);
    refused_cell(&s, "shape matrix that is not positive definite", "no shape matrix");
    s.v[4] = NAN;
    refused_cell(&s, "a shape matrix with a NaN", "no shape matrix");
    memcpy(s.v, (double[6]){10, 1, 20, 0, 0, 0}, sizeof s.v);
    ok(cell_is(cell_of(&s), (double[9]){10, 1, 0, 1, 20, 0, 0, 0, 0}, 0),
       "shape matrix without c: the vector stays unknown");
    s.version = 20;
    refused_cell(&s, "a cell of an old CHARMM", "version 20");
    memset(s.v, 0, sizeof s.v);
    for (s.version = 20; s.version < 40; s.version += 4)
        ok(cell_of(&s).periodic == 0, "version %u, six zeros: no cell", s.version);
    s.version = 24;
    memcpy(s.v, (double[6]){50, 0, 60, 0, 0, 0}, sizeof s.v);
    ok(cell_is(cell_of(&s), (double[9]){50, 0, 0, 0, 60, 0, 0, 0, 0}, 0),
       "length 0 of a direction: its vector stays unknown");
    memcpy(s.v, (double[6]){50, 0, -60, 0, 0, 70}, sizeof s.v);
    refused_cell(&s, "a negative length", "-60");
    memcpy(s.v, (double[6]){50, 0, INFINITY, 0, 0, 70}, sizeof s.v);
    refused_cell(&s, "an infinite length", "inf");
    memcpy(s.v, (double[6]){50, 90, 60, 90, 190, 70}, sizeof s.v);
    refused_cell(&s, "an angle of 190 degrees", "190");
    memcpy(s.v, (double[6]){50, 150, 60, 150, 150, 70}, sizeof s.v);
    refused_cell(&s, "impossible angles", "span no volume");
    make(&s);
    s.big = true;
    made.data[made.markers[6]] = 24;
    rejects("a cell of 24 bytes", "the unit cell at byte", "24 bytes, not 48");

    // Headers.
    make(&plain);
    memcpy(made.data + made.atoms_at, "\xff\xff\xff\x7f", 4);
    rejects("2^31 - 1 atoms", "2147483647 atoms", "byte");
    memcpy(made.data + made.atoms_at, "\0\0\0\0", 4);
    rejects("no atoms", "0 atoms", "byte");
    memcpy(made.data + made.atoms_at, "\4\0\0\0", 4);
    rejects("another number of atoms than in the frames", ": frame 0: ", "gives 12 bytes, not 16");
    make(&plain);
    memcpy(made.data + 4, "VELD", 4);
    rejects("velocities", "VELD", "velocities");
    s = plain;
    s.marker = 8;
    s.frames = 1;
    make(&s);
    memcpy(made.data + made.atoms_at, "\xff\xff\xff\x7f", 4);
    for (unsigned b = 0; b < 8; b++) made.data[made.markers[6] + b] = (unsigned char)(UINT64_C(0x1fffffffc) >> 8 * b);
    rejects("2^31 - 1 atoms with matching markers", ": frame 0: byte ", "truncated in the x record");
    struct trj_reader *r;
    int fds[2], end;
    bool good = true;
    ok(open_pipe(&r, made.size, fds) == 0 && read_all(r, NULL, false, &end, &good) == 0 && end == -1 &&
           err.status == TRJ_BAD_DATA && has_text(err.text, "truncated in the x record"),
       "in a pipe: %s", err.text);
    trj_reader_close(r);
    close(fds[0]);
    s = plain;
    s.fixed = 1;
    make(&s);
    made.data[made.free_at] = 4;
    rejects("index of a free atom out of range", "free atom 4", "3 atoms");
    made.data[made.free_at] = 0;
    rejects("a free atom 0", "free atom 0", "byte");
    made.data[made.free_at] = 3;
    rejects("duplicate free atom", "atom 3 occurs twice", ": frame 0: ");
    s.fixed = 3;
    make(&s);
    rejects("all atoms fixed", "3 fixed atoms of 3", "header");

    // Coordinates.
    make(&plain);
    memcpy(made.data + made.x_at[1] + 4, "\0\0\xc0\x7f", 4);
    rejects("a NaN", ": frame 1: x of atom 1", "not a number");
    ok(try_all(true) == 0, "a NaN in a skipped frame: ignored");
    memcpy(made.data + made.x_at[1] + 4, "\0\0\x80\xff", 4);
    rejects("an infinity", ": frame 1: x of atom 1", "infinite");
    make(&plain);
    memcpy(made.data + made.size, "more", 5);
    made.size += 5;
    rejects("bytes after the last frame", ": frame 3: ", "marker of the x record");
    made.size -= 5;
    save(made.size - 1);
    struct trj_frame f = {0};
    ok(trj_reader_open(&r, path, &err) == 0 && trj_reader_seek(r, 1, &err) == 1 && trj_reader_read(r, &f, &err) == 1 &&
           frame_is(&plain, &f, 1) && trj_reader_seek(r, 7, &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "frame 2"),
       "seek beyond the end of a truncated file: %s", err.text);
    trj_reader_close(r);
    trj_frame_free(&f);

    // Bytes changed at random: an error or other numbers. Sanitizers detect anything else.
    uint64_t random = 1;
    unsigned refusals = 0;
    s = (struct spec){.atoms = 5,
                      .frames = 2,
                      .fixed = 2,
                      .version = 36,
                      .every = 1,
                      .ntitle = 1,
                      .marker = 4,
                      .cell = true,
                      .w = true,
                      .title = ""};
    memcpy(s.v, box, sizeof box);
    for (int n = 0; n < 3000; n++) {
        make(&s);
        for (int k = 0; k < 1 + n % 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            made.data[(random >> 33) % made.size] = (unsigned char)(random >> 25);
        }
        if (try_all(n % 2)) good = good && ++refusals && err.status == TRJ_BAD_DATA;
    }
    ok(good && refusals > 1000, "bytes changed at random: %u of 3000 rejected", refusals);
}

// ---- real files

// The table also contains their sum.
static double sum_of(const struct trj_frame *f) {
    double sum = 0;
    for (size_t i = 0; i < f->atoms; i++) sum += (double)f->x[0][i] + (double)f->x[1][i] + (double)f->x[2][i];
    return sum;
}

enum { FRAMES = 600 };
static struct {
    uint32_t crc[FRAMES];
    struct trj_frame frame[FRAMES]; // without coordinates
    float ends[FRAMES][6];
    double sum[FRAMES];
    uint32_t frames;
    size_t atoms;
    char dialect[96];
} real;

static bool load(const char *file) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    int got;
    memset(&real, 0, sizeof real);
    if (trj_reader_open(&r, file, &err)) return false;
    while ((got = trj_reader_read(r, &f, &err)) == 1 && real.frames < FRAMES) {
        uint32_t n = real.frames++;
        real.frame[n] = f;
        real.crc[n] = print_of(&f, 1);
        real.sum[n] = sum_of(&f);
        for (int k = 0; k < 3; k++) {
            real.ends[n][k] = f.x[k][0];
            real.ends[n][3 + k] = f.x[k][f.atoms - 1];
        }
    }
    real.atoms = r->atoms;
    snprintf(real.dialect, sizeof real.dialect, "%s", r->dialect);
    trj_reader_close(r);
    trj_frame_free(&f);
    return got == 0;
}

static bool as_loaded(const struct trj_frame *f, uint32_t n) {
    const struct trj_frame *want = &real.frame[n];
    return f->index == n && print_of(f, 1) == real.crc[n] && f->step == want->step &&
           !memcmp(&f->time, &want->time, sizeof f->time) && !memcmp(&f->cell, &want->cell, sizeof f->cell);
}

// Skipping, seeking and reading a pipe return the same frames.
static void check_ways(const char *file, const char *name) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    bool skipped = true, sought = true, piped = true;
    const uint32_t picks[] = {0, 1, 2, real.frames / 2, real.frames - 1};
    for (size_t i = 0; i < sizeof picks / sizeof *picks; i++) {
        uint32_t n = picks[i];
        if (n >= real.frames || trj_reader_open(&r, file, &err)) continue;
        for (uint32_t k = 0; k < n; k++) skipped = skipped && trj_reader_skip(r, &err) == 1;
        skipped = skipped && trj_reader_read(r, &f, &err) == 1 && as_loaded(&f, n);
        sought = sought && trj_reader_seek(r, real.frames - 1 - n, &err) == 1 && trj_reader_read(r, &f, &err) == 1 &&
                 as_loaded(&f, real.frames - 1 - n);
        trj_reader_close(r);
        if (trj_reader_open(&r, file, &err)) continue;
        sought = sought && trj_reader_seek(r, n, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && as_loaded(&f, n) &&
                 trj_reader_seek(r, real.frames, &err) == 0;
        trj_reader_close(r);
    }
    int fds[2];
    if (pipe(fds)) abort();
    pid_t child = fork();
    if (!child) {
        dup2(fds[1], STDOUT_FILENO);
        close(fds[0]);
        close(fds[1]);
        execlp("cat", "cat", file, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    char fd_name[32];
    snprintf(fd_name, sizeof fd_name, "/dev/fd/%d", fds[0]);
    if (trj_reader_open(&r, fd_name, &err)) abort();
    for (uint32_t n = 0; n < real.frames; n++) piped = piped && trj_reader_read(r, &f, &err) == 1 && as_loaded(&f, n);
    piped = piped && !r->can_seek && trj_reader_read(r, &f, &err) == 0;
    trj_reader_close(r);
    close(fds[0]);
    waitpid(child, NULL, 0);
    ok(skipped && sought && piped, "%s: skip, seek and a pipe return the same frames", name);
    trj_frame_free(&f);
}

static int split(char *line, char *column[], int max) {
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *p = line; p && n < max;) {
        column[n++] = p;
        if ((p = strchr(p, '\t'))) *p++ = 0;
    }
    return n;
}

static void check_row(char *column[], int columns, const char *name) {
    uint32_t n = (uint32_t)strtoul(column[1], NULL, 10);
    // For files with a fourth dimension, sum and CRC-32 of the table include it, and cannot be compared.
    int w = columns - 21, last = 7 + w / 2, after = 10 + w;
    bool good =
        n < real.frames && strtoul(column[2], NULL, 10) == real.frames && strtoul(column[3], NULL, 10) == real.atoms;
    for (int k = 0; k < 3 && good; k++)
        good = good && strtof(column[4 + k], NULL) == real.ends[n][k] &&
               strtof(column[last + k], NULL) == real.ends[n][3 + k];
    if (good && !w) {
        double sum = strtod(column[after], NULL);
        good =
            fabs(sum - real.sum[n]) <= 1e-10 * (fabs(sum) + 1e3) && strtoul(column[after + 1], NULL, 16) == real.crc[n];
    }
    const struct trj_cell *cell = &real.frame[n < FRAMES ? n : 0].cell;
    if (column[after + 2][0] == '-' && !column[after + 2][1]) {
        good = good && cell->periodic == 0;
    } else {
        double h[9];
        for (int k = 0; k < 9; k++) h[k] = strtod(column[after + 2 + k], NULL);
        good = good && cell_is(*cell, h, 1e-5);
    }
    ok(good, "%s: frame %u of %u: as other programs decode it", name, n, real.frames);
}

static void check_real(const char *shared) {
    char table[4096], file[4096], line[4096], last[256] = "";
    char *column[32];
    unsigned files = 0;
    snprintf(table, sizeof table, "%s/reference/decode.tsv", shared);
    FILE *f = fopen(table, "r");
    if (!f) abort();
    while (fgets(line, sizeof line, f)) {
        int n = split(line, column, 32);
        if (n < 21 || !strstr(column[0], ".dcd") || strncmp(column[0], "shared/", 7)) continue;
        const char *name = column[0] + 7;
        snprintf(file, sizeof file, "%s/data/%s", shared, name);
        if (strcmp(name, last)) {
            snprintf(last, sizeof last, "%s", name);
            bool loaded = load(file);
            if (!ok(loaded, "%s: %zu atoms, %u frames, %s", name, real.atoms, real.frames, real.dialect))
                printf("# %s\n", err.text);
            else
                check_ways(file, name);
            files++;
        }
        check_row(column, n, name);
    }
    fclose(f);
    ok(files == 23, "%u DCD files compared", files);
}

static void check_real_traps(const char *shared) {
    static const struct {
        const char *file, *dialect;
        double time; // of the last frame
        int64_t step;
    } rows[] = {
        {"dcd/withpbc.dcd", "LE 32-bit NAMD, lengths and angles", 1460 * 0.002, 1460},
        {"dcd/water.dcd", "LE 32-bit VMD, lengths and angles", NAN, 99},
        {"dcd/lj.dcd", "LE 32-bit HOOMD, lengths and angles", NAN, 19000},
        {"dcd/ifabp_apo_100mM.dcd", "LE 32-bit LAMMPS, lengths and angles", NAN, 1000},
        {"dcd/alanin.dcd", "BE 32-bit X-PLOR, no cell", NAN, 100000},
        {"dcd/4d-dynamic.dcd", "LE 32-bit CHARMM 46, no cell, 4D", 5 * 0.001, 5},
        {"dcd/fixed-atoms.dcd", "LE 32-bit CHARMM 46, no cell, 6 fixed atoms", 100 * 1e-5, 100},
        {"dcd/mrmd_h2so4-32bit-be.dcd", "BE 32-bit CHARMM 46, no cell", 1000 * 1e-4, 1000},
        {"dcd/mrmd_h2so4-64bit-le.dcd", "LE 64-bit CHARMM 46, no cell", 1000 * 1e-4, 1000},
        {"dcd/tip125_tric_C36.dcd", "LE 32-bit CHARMM 36, shape matrix", 10000 * 0.001, 10000},
        {"dcd/triclinic-octane-vectors.dcd", "LE 32-bit CHARMM 46, shape matrix", 10 * 0.001, 10},
        {"dcd/triclinic-octane-cos.dcd", "LE 32-bit version 24, lengths and angles", 10 * 0.001, 10},
        {"multi/cobrotoxin.dcd", "LE 32-bit version 24, lengths and angles", 2, 2},
    };
    char file[4096];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(file, sizeof file, "%s/data/%s", shared, rows[i].file);
        bool good = load(file) && real.frames;
        const struct trj_frame *f = &real.frame[good ? real.frames - 1 : 0];
        ok(good && !strcmp(real.dialect, rows[i].dialect), "%s: %s", rows[i].file, real.dialect);
        ok(good && f->step == rows[i].step &&
               (isnan(rows[i].time) ? isnan(f->time) : fabs(f->time - rows[i].time) < 1e-6 * rows[i].time),
           "%s: last step %lld at %.9g ps", rows[i].file, (long long)f->step, f->time);
    }
    struct trj_reader *r;
    snprintf(file, sizeof file, "%s/data/dcd/adk_dims.dcd", shared);
    ok(trj_reader_open(&r, file, &err) == 0 && r->header_frames == 500, "adk_dims.dcd: its header gives 500 frames");
    trj_reader_close(r);

    // The cell is not rotated: the nearest oxygens of the skew water box, across its faces, are 2.53 Å apart. In a
    // rotated cell they would be 0.6 Å apart.
    struct trj_frame f = {0};
    double min = INFINITY;
    snprintf(file, sizeof file, "%s/data/dcd/tip125_tric_C36.dcd", shared);
    if (trj_reader_open(&r, file, &err)) abort();
    while (trj_reader_read(r, &f, &err) == 1)
        for (size_t i = 0; i < f.atoms; i += 3)
            for (size_t j = 0; j < i; j += 3)
                for (int n = 0; n < 125; n++) {
                    double s = 0;
                    for (int k = 0; k < 3; k++) {
                        double d = (double)f.x[k][i] - (double)f.x[k][j] + (n / 25 - 2) * f.cell.h[0][k] +
                                   (n / 5 % 5 - 2) * f.cell.h[1][k] + (n % 5 - 2) * f.cell.h[2][k];
                        s += d * d;
                    }
                    min = fmin(min, sqrt(s));
                }
    trj_reader_close(r);
    trj_frame_free(&f);
    ok(min > 2.5 && min < 2.6, "tip125_tric_C36.dcd: nearest oxygens at %.3f Å", min);
}

static void check_damaged(const char *shared) {
    static const struct {
        const char *file, *words[3];
        uint32_t frames; // before it
    } rows[] = {
        {"empty.dcd", {"empty.dcd: is empty; check the program that writes it, and run it again"}, 0},
        {"fake_dcd.dcd", {"fake_dcd.dcd: not a known trajectory format ("}, 0},
        {"dcd_cut_header.dcd", {"byte 60: truncated in the header"}, 0},
        {"dcd_cut_in_y.dcd", {": frame 2: ", "y record", "byte 9416"}, 2},
        {"dcd_bad_marker.dcd", {": frame 1: ", "x record", "gives 1187 bytes, the opening one 1188"}, 1},
        {"dcd_huge_natom.dcd", {"byte 268", "2147483647 atoms"}, 0},
        {"dcd_nan_inf.dcd", {": frame 0: x of atom 0", "not a number"}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/data/damaged/%s", shared, rows[i].file);
        err = (struct trj_error){0};
        bool good = !load(file) && err.status == TRJ_BAD_DATA && real.frames == rows[i].frames;
        for (int k = 0; k < 3 && rows[i].words[k]; k++) good = good && has_text(err.text, rows[i].words[k]);
        ok(good, "%s: %s", rows[i].file, err.text);
    }
}

static void check_fingerprint(void) {
    struct trj_reader *r;
    uint64_t print[4];
    const struct spec *s = &plain;
    make(s);
    for (int i = 0; i < 4; i++) {
        if (i == 1) made.data[made.size - 30] ^= 1; // one bit in the last frame
        if (i == 2) made.data[made.size - 30] ^= 1;
        save(i == 3 ? made.border[2] : made.size);
        if (trj_reader_open(&r, path, &err)) abort();
        print[i] = r->fingerprint;
        trj_reader_close(r);
    }
    ok(print[0] == print[2] && print[0] != print[1] && print[0] != print[3], "fingerprints: differ between files");
    // For files of more than 128 KiB, the fingerprint depends on both ends and the size.
    struct spec one = plain;
    one.frames = 1;
    make(&one);
    for (int i = 0; i < 4; i++) {
        save(made.size);
        FILE *f = fopen(path, "ab");
        static unsigned char zeros[200000];
        zeros[199990] = i == 1;
        if (!f || fwrite(zeros, 1, i == 3 ? 199999 : 200000, f) < 199999 || fclose(f)) abort();
        if (trj_reader_open(&r, path, &err)) abort();
        struct trj_frame frame = {0};
        if (i == 0)
            ok(trj_reader_read(r, &frame, &err) == 1 && frame_is(&one, &frame, 0),
               "fingerprint: reading still starts at frame 0");
        trj_frame_free(&frame);
        print[i] = r->fingerprint;
        trj_reader_close(r);
    }
    ok(print[0] == print[2] && print[0] != print[1] && print[0] != print[3], "fingerprints of larger files: differ");
}

int main(void) {
    if (!mkdtemp(folder)) abort();
    snprintf(path, sizeof path, "%s/x.dcd", folder);
    check_made();
    check_fingerprint();
    const char *shared = shared_folder();
    if (shared) {
        check_real(shared);
        check_real_traps(shared);
        check_damaged(shared);
    } else {
        skip("real DCD files", "no shared folder");
    }
    remove(path);
    rmdir(folder);
    return done();
}
