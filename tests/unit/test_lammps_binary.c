// SPDX-License-Identifier: MIT
// Tests binary dumps of LAMMPS: small files made here in every layout, read, skipped, by random access, from pipes,
// truncated at every byte and damaged. tests/cli/binary_formats.bats compares dumps of LAMMPS with its text dumps.
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "reader.h"
#include "tap.h"

enum { ROOM = 1 << 16, FRAMES = 4, ATOMS = 5 };

struct spec {
    const char *magic; // NULL: as before 2020
    int revision;
    bool big;       // byte order
    unsigned large; // bytes of large integers
    int tilted;     // 2: general
    const char *units, *columns;
    bool time, open; // open: not periodic along y
};

static struct {
    unsigned char data[ROOM];
    size_t size, border[FRAMES + 1], box[FRAMES], count[FRAMES], columns[FRAMES], chunk[FRAMES];
    struct {
        float x[ATOMS][3];
        double time;
    } want[FRAMES];
    struct spec s;
} made;
static struct trj_error err;
static char made_path[64];

static void put(uint64_t v, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        made.data[made.size++] = (unsigned char)(v >> 8 * (made.s.big ? bytes - 1 - i : i));
}

static void put_double(double v) {
    uint64_t bits;
    memcpy(&bits, &v, 8);
    put(bits, 8);
}

static void put_text(const char *text) {
    size_t n = text ? strlen(text) : 0;
    put(n, 4);
    for (size_t i = 0; i < n; i++) made.data[made.size++] = (unsigned char)text[i];
}

static void poke(size_t at, uint64_t v, size_t bytes) {
    size_t size = made.size;
    made.size = at;
    put(v, bytes);
    made.size = size;
}

static const double low[3] = {-1, 2, 0.25};
static const double cells[3][9] = {{10, 0, 0, 0, 11, 0, 0, 0, 12}, // orthogonal, triclinic, general
                                   {10, 0, 0, 2, 11, 0, -1, 3, 12},
                                   {1, 9, 2, -8, 2, 1, 0.5, 1, 12}};

// Position of atom `id` of a frame in the cell: multiples of 1/8, so that scaled coordinates are exact.
static double place(unsigned frame, unsigned id, int k) {
    return (double)((id * 3 + frame * 5 + (unsigned)k * 2) % 8) / 8;
}

static void value_of(const char *column, size_t n, unsigned frame, unsigned id) {
    const double *h = cells[made.s.tilted];
    int k = column[0] - 'x';
    if (n == 2 && !memcmp(column, "id", 2)) {
        put_double(10 * id);
    } else if (n == 4) { // type
        put_double(1 + id % 2);
    } else if (k >= 0 && k < 3) {
        bool scaled = n > 1 && column[1] == 's';
        double x = low[k], s[3];
        for (int j = 0; j < 3; j++) {
            s[j] = place(frame, id, j);
            x += s[j] * h[3 * j + k];
        }
        made.want[frame].x[id - 1][k] = (float)x;
        put_double(scaled ? s[k] : x);
    } else {
        put_double(0); // image flags
    }
}

static void put_frame(unsigned n) {
    const struct spec *s = &made.s;
    const double *h = cells[s->tilted];
    if (s->magic) {
        size_t length = strlen(s->magic);
        put(-(uint64_t)length, s->large);
        memcpy(made.data + made.size, s->magic, length);
        made.size += length;
        put(1, 4);
        put((unsigned)s->revision, 4);
    }
    put(100 * n, s->large);
    made.count[n] = made.size;
    put(ATOMS, s->large);
    made.box[n] = made.size;
    put((unsigned)s->tilted, 4);
    for (int k = 0; k < 6; k++) put(s->open && k / 2 == 1 ? 2u + (unsigned)k % 2 : 0, 4);
    double xy = h[3], xz = h[6], yz = h[7];
    if (s->tilted == 2) {
        for (int k = 0; k < 9; k++) put_double(h[k]);
        for (int k = 0; k < 3; k++) put_double(low[k]);
    } else {
        put_double(low[0] + fmin(fmin(0, xy), fmin(xz, xy + xz)));
        put_double(low[0] + h[0] + fmax(fmax(0, xy), fmax(xz, xy + xz)));
        put_double(low[1] + fmin(0, yz));
        put_double(low[1] + h[4] + fmax(0, yz));
        put_double(low[2]);
        put_double(low[2] + h[8]);
        if (s->tilted) put_double(xy), put_double(xz), put_double(yz);
    }
    unsigned columns = 1;
    for (const char *c = s->columns; *c; c++) columns += *c == ' ';
    made.columns[n] = made.size;
    put(columns, 4);
    if (s->magic && s->revision > 1) {
        put_text(n ? NULL : s->units);
        put(s->time, 1);
        if (s->time) put_double(2.5 * n);
        put_text(s->columns);
    }
    put(3, 4); // chunks of two atoms, none, and the others; the order differs in each frame
    made.want[n].time = s->time && s->units ? 2.5 * n * (strcmp(s->units, "real") ? 1e3 : 1e-3) : NAN;
    for (unsigned i = 0; i < ATOMS; i++) {
        if (!i || i == 2) {
            made.chunk[n] = made.size;
            put(columns * (i ? ATOMS - 2 : 2), 4);
        }
        if (i == 1) continue;
        for (unsigned half = 0; half < (i ? 1 : 2); half++) {
            unsigned id = 1 + (7 * (i + half) + 2 * n) % ATOMS;
            for (const char *c = s->columns; c; c = strchr(c, ' ')) {
                c += *c == ' ';
                value_of(c, strcspn(c, " "), n, id);
            }
        }
        if (!i) put(0, 4);
    }
    made.border[n + 1] = made.size;
}

static void make(const struct spec *s) {
    memset(&made, 0, sizeof made);
    made.s = *s;
    for (unsigned n = 0; n < FRAMES; n++) put_frame(n);
}

static void save(size_t size) {
    int fd = open(made_path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, made.data, size) != (ssize_t)size || ftruncate(fd, (off_t)size) || close(fd)) abort();
}

static int open_made(struct trj_reader **r, size_t size, bool piped, int *fd) {
    int fds[2];
    char name[32];
    *r = NULL;
    *fd = -1;
    err = (struct trj_error){0};
    if (!piped) {
        save(size);
        return trj_reader_open(r, made_path, &err);
    }
    if (pipe(fds) || write(fds[1], made.data, size) != (ssize_t)size || close(fds[1])) abort();
    *fd = fds[0];
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    return trj_reader_open(r, name, &err);
}

static void close_made(struct trj_reader *r, int fd) {
    trj_reader_close(r);
    if (fd >= 0) close(fd);
}

static bool frame_is(const struct trj_frame *f, uint64_t n) {
    double unit = made.s.units && !strcmp(made.s.units, "nano") ? 10 : 1, time = n < FRAMES ? made.want[n].time : 0;
    bool good = n < FRAMES && f->index == n && f->atoms == ATOMS && f->unit == unit && f->step == 100 * (int64_t)n &&
                f->cell.periodic == (made.s.open ? 5 : 7) && (isnan(time) ? isnan(f->time) : f->time == time);
    for (int k = 0; k < 9; k++) good = good && fabs(f->cell.h[k / 3][k % 3] - unit * cells[made.s.tilted][k]) < 1e-12;
    for (size_t i = 0; i < ATOMS && good; i++) // id 10 is atom 0: order of id
        for (int k = 0; k < 3; k++) good = good && f->x[k][i] == made.want[n].x[i][k];
    return good;
}

static unsigned read_all(struct trj_reader *r, bool skip_them, int *end, bool *good) {
    struct trj_frame f = {0};
    unsigned n = 0;
    while ((*end = skip_them ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err)) == 1)
        *good = (skip_them || frame_is(&f, n)) && *good, n++;
    trj_frame_free(&f);
    return n;
}

static void check_whole(const char *name, const char *dialect) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    int end, fd;
    bool good = true;
    for (int way = 0; way < 4; way++) {
        if (open_made(&r, made.size, way & 1, &fd)) {
            ok(false, "%s: %s", name, err.text);
            return;
        }
        if (!way)
            ok(!strcmp(r->dialect, dialect) && r->format == trj_format_named("lmpbin", &err), "%s: dialect %s", name,
               r->dialect);
        unsigned n = read_all(r, way & 2, &end, &good);
        if (!ok(good && n == FRAMES && end == 0, "%s: %u frames are %s%s", name, n, way & 2 ? "skipped" : "read",
                way & 1 ? " from a pipe" : ""))
            printf("# %s\n", err.text);
        close_made(r, fd);
    }
    for (uint64_t first = 0; first < FRAMES; first++) { // seek to a frame first, then backwards, and again
        if (open_made(&r, made.size, false, &fd)) abort();
        good = good && trj_reader_seek(r, first, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, first);
        for (uint64_t k = FRAMES; k--;)
            good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k);
        good = good && trj_reader_seek(r, FRAMES, &err) == 0 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, 1);
        close_made(r, fd);
    }
    ok(good, "%s: seek", name);
    trj_frame_free(&f);
}

static void check_cuts(const char *name, size_t known) {
    for (int way = 0; way < 4; way++) {
        bool good = true;
        for (size_t cut = made.size; good && cut-- > known;) {
            struct trj_reader *r;
            int end = -1, fd;
            unsigned whole = 0, n = 0;
            char frame[32];
            while (made.border[whole + 1] && made.border[whole + 1] <= cut) whole++;
            snprintf(frame, sizeof frame, ": frame %u: ", whole);
            if (!open_made(&r, cut, way & 1, &fd)) n = read_all(r, way & 2, &end, &good);
            bool border = cut == made.border[whole] && cut;
            good = good && n == whole && end == (border ? 0 : -1) &&
                   (border ||
                    (err.status == TRJ_BAD_DATA && has_text(err.text, frame) && has_text(err.text, "truncated in ")));
            if (!good) printf("# truncated at %zu, %u of %u frames: %s\n", cut, n, whole, err.text);
            close_made(r, fd);
        }
        ok(good, "%s: truncated at each byte, %s%s", name, way & 2 ? "skipped" : "read", way & 1 ? " from a pipe" : "");
    }
}

static void check_damage(const char *name) {
    static unsigned char before[ROOM];
    unsigned refusals = 0;
    bool good = true, same = true;
    memcpy(before, made.data, made.size);
    for (size_t n = 0; n < 8 * made.border[2]; n++) {
        struct trj_reader *r;
        int end = -1, fd;
        made.data[n / 8] ^= (unsigned char)(1 << n % 8);
        if (!open_made(&r, made.size, n % 3 == 0, &fd)) read_all(r, n % 5 == 0, &end, &same);
        if (end) good = good && ++refusals && err.status == TRJ_BAD_DATA;
        if (!good) printf("# bit %zu: %s\n", n, err.text), n = 8 * ROOM;
        close_made(r, fd);
        memcpy(made.data, before, made.size);
    }
    ok(good && refusals > 500, "%s: each bit changed: %u rejected", name, refusals);
}

static void rejects(const char *what, const char *text) {
    for (int piped = 0; piped < 2; piped++) {
        struct trj_reader *r;
        int end = -1, fd;
        bool good = true;
        if (!open_made(&r, made.size, piped, &fd)) read_all(r, false, &end, &good);
        ok(end == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, text), "%s: %s", what, err.text);
        close_made(r, fd);
    }
}

// Reads the frames for a user who replaces their cells.
static void replaces_cell(bool good, const char *what) {
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    unsigned n = 0;
    bool same = true;
    save(made.size);
    if (trj_input_open(&in, made_path, &err) || trj_reader_open_comparing(&r, in, NULL, 0, TRJ_CELL_GIVEN, &err))
        abort();
    for (; trj_reader_read(r, &f, &err) == 1; n++)
        for (size_t i = 0; i < ATOMS && n < FRAMES; i++)
            for (int k = 0; k < 3; k++) same = same && f.x[k][i] == made.want[n].x[i][k];
    ok(same && (n == FRAMES) == good, "%s: %u frames", what, n);
    trj_frame_free(&f);
    trj_reader_close(r);
}

static void check_replaced_box(void) {
    replaces_cell(true, "an infinite box, which the user replaces");
    poke(made.box[1] + 28, 0x4059000000000000, 8); // 100
    replaces_cell(true, "a box of negative length, which the user replaces");
}

// Frame 0, which determines the order of ids, is read again after it was rejected.
static void check_once_more(void) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    int fd, refusals = 0;
    if (open_made(&r, made.size, false, &fd)) abort();
    for (int i = 0; i < 3; i++)
        refusals += (i % 2 ? trj_reader_seek(r, 1, &err) < 0 : trj_reader_read(r, &f, &err) < 0) &&
                    has_text(err.text, ": frame 0: two atoms have the id 10");
    ok(refusals == 3, "duplicate id in the first frame, read three times: %s", err.text);
    close_made(r, fd);
    trj_frame_free(&f);
}

static const struct spec plain = {"DUMPCUSTOM", 2, false, 8, 0, NULL, "id type x y z", false, false};
static const struct spec old = {NULL, 0, false, 8, 0, NULL, "id type xs ys zs", false, false};

static void check_refused(void) {
    make(&plain);
    poke(made.count[1], 6, 8);
    rejects("another number of atoms", ": frame 1: 6 atoms, but earlier frames have 5");
    make(&plain);
    poke(made.count[0], 4000000000u, 8);
    rejects("atom count of 4e9", ": frame 0: ");
    poke(made.count[0], 1ull << 60, 8);
    rejects("2^60 atoms", ": frame 0: 1152921504606846976 atoms");
    poke(made.count[0], 0, 8);
    rejects("atom count 0", ": frame 0: 0 atoms");
    make(&plain);
    poke(made.count[1], UINT64_MAX, 8);
    rejects("-1 atoms", ": frame 1: byte ");
    make(&plain);
    poke(made.box[1], 3, 4);
    rejects("unknown type of box", ": frame 1: byte ");
    make(&plain);
    poke(made.box[1] + 4, 4, 4);
    rejects("unknown type of boundary", "gives a boundary of the unknown type 4");
    make(&plain);
    poke(made.box[1] + 28, 0x4059000000000000, 8); // 100
    rejects("a box of negative length", ": frame 1: the bounds at byte ");
    poke(made.box[1] + 28, 0x7ff0000000000000, 8);
    rejects("infinite box", "gives a bound of the box, inf, which is not finite");
    check_replaced_box();
    make(&old);
    poke(made.box[1] + 28, 0x7ff0000000000000, 8);
    replaces_cell(false, "fractions of an infinite box, which the user replaces");
    ok(has_text(err.text, "the coordinates xs ys zs are fractions of the box, which is invalid"), "%s", err.text);
    make(&plain);
    poke(made.columns[1], 4, 4);
    rejects("names for other columns", ": frame 1: 5 names for 4 columns");
    make(&plain);
    poke(made.columns[1], 2000, 4);
    rejects("too many columns", ": frame 1: ");
    make(&plain);
    poke(made.chunk[1], 16, 4);
    rejects("part of an atom", "gives a chunk of 16 values, with 5 per atom and 3 atoms left");
    poke(made.chunk[1], 20, 4);
    rejects("more atoms than the header gives", "gives a chunk of 20 values");
    poke(made.chunk[1], 10, 4);
    rejects("fewer atoms than the header gives", ": frame 1: the chunks contain 4 of 5 atoms");
    make(&plain);
    poke(made.chunk[1] + 4, 0x4024000000000000, 8); // 10, a duplicate
    rejects("duplicate id", ": frame 1: atom ");
    poke(made.chunk[0] + 4, 0x4024000000000000, 8);
    poke(made.chunk[0] + 44, 0x4024000000000000, 8);
    check_once_more();
    make(&plain);
    poke(made.chunk[1] + 4, 0x4024800000000000, 8);
    rejects("id that is not an integer", "10.25 is not an id");
    poke(made.chunk[1] + 4, 0x4059000000000000, 8);
    rejects("unknown id", "no atom of frame 0 has the id 100; dump the same atoms in all frames");
    make(&plain);
    poke(made.chunk[1] + 28, 0x7ff8000000000000, 8);
    rejects("coordinate NaN", "y of atom ");
    poke(made.chunk[1] + 28, 0x47f0000000000000, 8); // slightly more than the largest float32
    rejects("coordinate that overflows float32", "is infinite");
    make(&plain);
    made.data[made.border[1] + 9] = 'u';
    rejects("magic string missing", "no DUMPCUSTOM at byte");
    make(&plain);
    poke(made.border[1] + 18, 256, 4);
    rejects("wrong mark of byte order", "should be 1, in the byte order of the file");
    poke(made.border[1] + 18, 1, 4);
    poke(made.border[1] + 22, 3, 4);
    rejects("a later revision", "gives revision 3, which is not supported");
    struct spec s = plain;
    s.units = "imperial";
    make(&s);
    rejects("unknown units", ": frame 0: unknown LAMMPS units 'imperial'");
    s = plain;
    s.columns = "id type x y vz";
    make(&s);
    rejects("coordinates missing", ": frame 0: the columns contain no coordinates; dump x y z");
    s = old;
    s.columns = "id type xs ys zs q";
    make(&s);
    rejects("six columns without names", ": frame 0: 6 columns without names");
    s.columns = "id type x y z";
    make(&s);
    rejects("coordinates that are not scaled", "is 2.75: the columns of this old dump have no names");
    s.magic = "DUMPCUSTOM";
    s.revision = 1;
    make(&s);
    rejects("coordinates that are not scaled, with a magic string",
            "is 2.75: the columns of this old dump have no names");
    s = old;
    s.columns = "id xs ys zs ix";
    make(&s);
    rejects("columns of other content", "the columns of this old dump have no names");
}

int main(void) {
    static const struct {
        const char *name, *dialect;
        struct spec s;
    } good[] = {
        {"custom",
         "LE 64-bit LAMMPS binary dump, DUMPCUSTOM",
         {"DUMPCUSTOM", 2, false, 8, 0, NULL, "id type x y z", false, false}},
        {"big-endian, tilted, units, times",
         "BE 64-bit LAMMPS binary dump, DUMPATOM",
         {"DUMPATOM", 2, true, 8, 1, "nano", "id type xs ys zs ix iy iz", true, false}},
        {"32-bit, open, times in real units",
         "LE 32-bit LAMMPS binary dump, DUMPCUSTOM",
         {"DUMPCUSTOM", 2, false, 4, 1, "real", "zsu type id ysu xsu", true, true}},
        {"general box, unwrapped",
         "LE 64-bit LAMMPS binary dump, DUMPCUSTOM",
         {"DUMPCUSTOM", 2, false, 8, 2, NULL, "xu yu zu id", true, false}},
        {"revision 1",
         "BE 32-bit LAMMPS binary dump, DUMPATOM",
         {"DUMPATOM", 1, true, 4, 0, NULL, "id type xs ys zs", false, false}},
        {"before 2020",
         "LE 64-bit LAMMPS binary dump, columns without names",
         {NULL, 0, false, 8, 1, NULL, "id type xs ys zs", false, false}},
        {"before 2020, big-endian, image flags",
         "BE 32-bit LAMMPS binary dump, columns without names",
         {NULL, 0, true, 4, 0, NULL, "id type xs ys zs ix iy iz", false, true}},
    };
    snprintf(made_path, sizeof made_path, "/tmp/test_lammps_binary.%ld", (long)getpid());
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        make(&good[i].s);
        check_whole(good[i].name, good[i].dialect);
        check_cuts(good[i].name, 160);
        check_damage(good[i].name);
    }
    check_refused();
    unlink(made_path);
    return done();
}
