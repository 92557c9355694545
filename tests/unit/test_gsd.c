// SPDX-License-Identifier: MIT
// Tests GSD: small files made here in both versions, truncated at every byte and damaged, and real files compared with
// what other programs decode. tests/cli/binary_formats.bats compares with gsd.hoomd.
#include <fcntl.h>
#include <unistd.h>

#include "decode_table.h"

enum { UINT8 = 1, UINT32 = 3, UINT64 = 4, INT32 = 7, FLOAT = 9, DOUBLE = 10 };
enum { ROOM = 1 << 16, ENTRIES = 64, NAMES = 16, INDEX = 256, LIST = INDEX + 32 * ENTRIES, DATA = LIST + 64 * NAMES };

static struct {
    unsigned char data[ROOM];
    size_t size, entries, names, list;
    char name[NAMES][64];
    uint32_t version;
} made;
static char made_path[64];

static void put(size_t at, uint64_t v, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) made.data[at + i] = (unsigned char)(v >> 8 * i);
}

// A file: header, index, names; then data, which are appended.
static void begin(uint32_t version) {
    memset(&made, 0, sizeof made);
    made.version = version;
    made.size = DATA;
    put(0, 0x65df65df65df65df, 8);
    put(8, INDEX, 8);
    put(16, ENTRIES, 8);
    put(24, LIST, 8);
    put(32, NAMES, 8);
    put(40, 1 << 16 | 4, 4);
    put(44, version, 4);
    memcpy(made.data + 112, "hoomd", 5);
}

static uint32_t id_of(const char *name) {
    uint32_t id = 0;
    while (id < made.names && strcmp(made.name[id], name)) id++;
    if (id < made.names) return id;
    snprintf(made.name[made.names++], 64, "%s", name);
    memcpy(made.data + LIST + made.list, name, strlen(name));
    made.list += made.version >> 16 > 1 ? strlen(name) + 1 : 64;
    return id;
}

static size_t entry(uint64_t frame, const char *name, uint32_t type, uint64_t rows, uint32_t columns) {
    size_t at = INDEX + 32 * made.entries++;
    put(at, frame, 8);
    put(at + 8, rows, 8);
    put(at + 16, made.size, 8);
    put(at + 24, columns, 4);
    put(at + 28, id_of(name), 2);
    put(at + 30, type, 1);
    return at;
}

static size_t whole(uint64_t frame, const char *name, uint32_t type, uint64_t v) {
    static const size_t bytes[] = {[UINT8] = 1, [UINT32] = 4, [UINT64] = 8};
    size_t at = entry(frame, name, type, 1, 1);
    put(made.size, v, bytes[type]);
    made.size += bytes[type];
    return at;
}

static size_t floats(uint64_t frame, const char *name, uint64_t rows, uint32_t columns, const float *v) {
    size_t at = entry(frame, name, FLOAT, rows, columns);
    for (uint64_t i = 0; i < rows * columns; i++, made.size += 4) {
        uint32_t bits;
        memcpy(&bits, v + i, 4);
        put(made.size, bits, 4);
    }
    return at;
}

static const char step_name[] = "configuration/step", box_name[] = "configuration/box", atoms_name[] = "particles/N",
                  x_name[] = "particles/position", dimensions_name[] = "configuration/dimensions";
static const float x0[6] = {-1, 2, -3, 1.5f, 0.1f, 4}, x3[6] = {7, 8, 9, -7, -8, -9};
static const float box0[6] = {10, 11, 12, 0.5f, -0.25f, 0.125f}, box2[6] = {5, 6, 0, 0, 0, 0};

// Frame 1 uses all chunks of frame 0, frame 2 has two dimensions, frame 3 has other positions.
static void make(uint32_t version) {
    begin(version);
    whole(0, step_name, UINT64, 100);
    whole(0, atoms_name, UINT32, 2);
    floats(0, box_name, 6, 1, box0);
    floats(0, x_name, 2, 3, x0);
    floats(0, "particles/velocity", 2, 3, x3);
    whole(1, "log/something", UINT8, 1);
    whole(2, step_name, UINT64, 1ULL << 40);
    whole(2, dimensions_name, UINT8, 2);
    floats(2, box_name, 6, 1, box2);
    whole(3, step_name, UINT64, 300);
    floats(3, x_name, 2, 3, x3);
}

static bool frame_is(const struct trj_frame *f, uint64_t n) {
    static const double h0[9] = {10, 0, 0, 5.5, 11, 0, -3, 1.5, 12}, h2[9] = {5, 0, 0, 0, 6};
    static const int64_t steps[] = {100, 100, 1LL << 40, 300};
    const double *h = n == 2 ? h2 : h0;
    const float *x = n == 3 ? x3 : x0;
    bool good = n < 4 && f->index == n && f->atoms == 2 && f->unit == 1 && f->step == steps[n] && isnan(f->time) &&
                f->cell.periodic == (n == 2 ? 3 : 7);
    for (int k = 0; k < 9; k++) good = good && f->cell.h[k / 3][k % 3] == h[k];
    for (int k = 0; k < 6; k++) good = good && f->x[k % 3][k / 3] == x[k];
    return good;
}

static void save(size_t size) {
    int fd = open(made_path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, made.data, size) != (ssize_t)size || ftruncate(fd, (off_t)size) || close(fd)) abort();
}

// Reads or skips all frames. Returns their number; *end: 0, -1, or -2 if the file cannot be opened.
static uint32_t try_all(bool skip_them, int *end, bool *good, char note[96]) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    uint32_t n = 0;
    err = (struct trj_error){0};
    *end = trj_reader_open(&r, made_path, &err) ? -2 : 1;
    while (*end == 1 && (*end = skip_them ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err)) == 1)
        *good = (skip_them || frame_is(&f, n)) && *good, n++;
    if (note) snprintf(note, 96, "%s", r && r->note ? r->note : "");
    trj_reader_close(r);
    trj_frame_free(&f);
    return n;
}

static void check_whole(uint32_t version) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    char note[96];
    int end;
    bool good = true;
    make(version);
    save(made.size);
    uint32_t n = try_all(false, &end, &good, note);
    ok(good && n == 4 && end == 0 && has_text(note, "no unit of length"), "version %u: %u frames: %s", version >> 16, n,
       note);
    n = try_all(true, &end, &good, NULL);
    ok(n == 4 && end == 0, "version %u: %u frames are skipped", version >> 16, n);
    if (trj_reader_open(&r, made_path, &err)) abort();
    ok(r->can_seek && r->atoms == 2 && has_text(r->dialect, "schema hoomd 1.4"), "dialect: %s", r->dialect);
    for (uint64_t k = 4; k--;)
        good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k);
    good = good && trj_reader_seek(r, 4, &err) == 0 && trj_reader_seek(r, UINT64_MAX, &err) == 0 &&
           trj_reader_read(r, &f, &err) == 1 && frame_is(&f, 1);
    ok(good, "version %u: seek to each frame", version >> 16);
    trj_reader_close(r);
    trj_frame_free(&f);
}

// Frames before the end of the file can be read; then there is an error, never a regular end.
static void check_cuts(void) {
    bool good = true;
    make(2 << 16);
    save(made.size);
    for (size_t cut = made.size; good && cut-- > 8;) {
        if (truncate(made_path, (off_t)cut)) abort();
        for (int way = 0; way < 2 && good; way++) {
            int end;
            uint32_t n = try_all(way, &end, &good, NULL);
            good = good && n < 4 && end < 0 && err.status == TRJ_BAD_DATA && has_text(err.text, "truncated in ");
        }
        if (!good) printf("# truncated at %zu: %s\n", cut, err.text);
    }
    ok(good, "truncated at every byte: rejected");
}

static void check_damage(void) {
    static unsigned char before[ROOM];
    unsigned refusals = 0;
    bool good = true, same = true;
    int end;
    make(1 << 16);
    memcpy(before, made.data, made.size);
    for (size_t n = 0; n < 8 * made.size; n++) {
        if (n / 8 >= 64 && n / 8 < 112) continue; // the name of the program
        made.data[n / 8] ^= (unsigned char)(1 << n % 8);
        save(made.size);
        try_all(n % 5 == 0, &end, &same, NULL);
        if (end) good = good && ++refusals && err.status == TRJ_BAD_DATA;
        if (!good) printf("# bit %zu: %d %s\n", n, end, err.text), n = ROOM * 8;
        memcpy(made.data, before, made.size);
    }
    ok(good && refusals > 500, "each bit changed: %u rejected", refusals);
}

static void rejects(const char *what, const char *text) {
    int end;
    bool good = true;
    save(made.size);
    try_all(false, &end, &good, NULL);
    ok(end < 0 && err.status == TRJ_BAD_DATA && has_text(err.text, text), "%s: %s", what, err.text);
}

// Starts a file of one frame, to which the test adds.
static void one(bool box, uint32_t atoms, bool x) {
    begin(2 << 16);
    if (atoms) whole(0, atoms_name, UINT32, atoms);
    if (box) floats(0, box_name, 6, 1, box0);
    if (x) floats(0, x_name, 2, 3, x0);
}

static void check_refused(void) {
    one(true, 2, true);
    whole(1, atoms_name, UINT32, 3);
    rejects("another number of atoms", ": frame 1: 3 atoms, but frame 0 has 2");
    one(true, 2, false);
    rejects("positions missing", ": frame 0: no positions, neither here nor in frame 0");
    one(true, 3, true);
    rejects("positions of other atoms", ": frame 0: positions of 2 atoms, but there are 3");
    one(true, 0, true);
    rejects("number of atoms missing", ": frame 0: no particles");
    one(true, 2, true);
    whole(1, dimensions_name, UINT8, 4);
    rejects("four dimensions", ": frame 1: 4 dimensions, not 2 or 3");
    one(true, 2, true);
    whole(1, step_name, UINT64, UINT64_MAX);
    rejects("a negative step", ": frame 1: step 18446744073709551615");
    one(true, 2, true);
    put(entry(1, x_name, DOUBLE, 2, 3), 1, 8);
    rejects("positions in float64", ": frame 1: particles/position has 2 x 3 numbers of type 10");
    one(true, 2, true);
    floats(1, x_name, 3, 2, x0);
    rejects("positions of two columns", ": frame 1: particles/position has 3 x 2 numbers");
    one(true, 2, true);
    floats(0, x_name, 2, 3, x3);
    rejects("positions twice", ": frame 0: particles/position occurs twice");
    one(true, 2, true);
    floats(5, x_name, 2, 3, x3);
    whole(4, step_name, UINT64, 4);
    rejects("decreasing frame numbers", "byte 384 is of frame 4, but follows frame 5; create the file again");
    one(true, 2, true);
    floats(1ull << 60, x_name, 2, 3, x3);
    rejects("more frames than the index can contain", "is of frame 1152921504606846976, but follows frame 0");
    static const float wild[6] = {1, NAN, 3, 4, 5, 6};
    one(true, 2, true);
    floats(1, x_name, 2, 3, wild);
    rejects("coordinate NaN", ": frame 1: y of atom 0 (counted from 0) is not a number");
    one(false, 2, true);
    floats(1, box_name, 6, 1, wild);
    made.data[made.size - 12] = 0; // of xy, which keeps its value
    rejects("invalid box", ": frame 1: Ly of the box is nan");
    one(true, 4000000000u, false);
    put(entry(0, x_name, FLOAT, 4000000000u, 3), 0, 8);
    rejects("atom count of 4e9 in a tiny file", "truncated in particles/position");
    one(true, 2, false);
    put(entry(0, x_name, FLOAT, UINT64_MAX / 4, 3), 0, 8);
    rejects("a size over 64 bits", ": frame 0: positions of 4611686018427387903 atoms, but there are 2");
    one(true, 2, true);
    put(INDEX + 32 * 2 + 16, UINT64_MAX, 8);
    rejects("position beyond any file", "truncated in particles/position");
    one(true, 2, true);
    put(16, UINT64_MAX / 8, 8);
    rejects("an endless index", "truncated in the index");
    put(16, 0, 8);
    rejects("index missing", "contains no frames");
    one(true, 2, true);
    put(32, 1 << 16 | 1, 8);
    rejects("endless names", "header gives 65537 names");
    put(32, 1 << 16, 8);
    rejects("names beyond the end", "truncated in the list of names");
    one(true, 2, true);
    put(44, 3 << 16, 4);
    rejects("a later version", "GSD of version 3.0 is not supported; convert it with the gsd package");
    one(true, 2, true);
    put(40, 2 << 16 | 5, 4);
    rejects("a later schema", "GSD of schema 'hoomd' 2.5 is not supported; use one of schema hoomd 1");
    made.data[112] = 'f';
    rejects("another schema", "GSD of schema 'foomd'");
}

static void check_boxes(void) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    for (int way = 0; way < 2; way++) {
        static const float zeros[6];
        one(false, 2, true);
        if (way) floats(0, box_name, 6, 1, zeros);
        save(made.size);
        bool good = !trj_reader_open(&r, made_path, &err) && trj_reader_read(r, &f, &err) == 1;
        if (!way)
            good = good && f.cell.periodic == 7 && f.cell.h[2][2] == 1 && has_text(r->note, "a cube of length 1");
        else
            good = good && f.cell.periodic == 0 && has_text(r->note, "Angstrom");
        ok(good, way ? "six zeros: no cell" : "box missing: a cube of length 1, with a note");
        trj_reader_close(r);
    }
    trj_frame_free(&f);
}

// Velocities and image flags of a frame are those that it contains, not those of frame 0.
static void check_motion(void) {
    struct trj_reader *r;
    struct trj_input *in;
    struct trj_frame f = {0};
    make(2 << 16);
    entry(3, "particles/image", INT32, 2, 3);
    for (int k = 0; k < 6; k++, made.size += 4) put(made.size, (uint64_t)(int64_t)(k - 2), 4);
    floats(3, "particles/velocity", 2, 3, x0);
    save(made.size);
    if (trj_input_open(&in, made_path, &err) ||
        trj_reader_open_comparing(&r, in, NULL, 0, TRJ_READ_VELOCITY | TRJ_READ_IMAGE, &err))
        abort();
    ok(r->holds == (TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE) && !*r->motion_source[TRJ_MOTION_VELOCITY].unit,
       "velocities and image flags: %s", r->motion_source[TRJ_MOTION_VELOCITY].origin);
    bool good = trj_reader_seek(r, 3, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, 3);
    for (int k = 0; k < 6 && good; k++)
        good = f.motion->velocity[k % 3][k / 3] == x0[k] && f.motion->image[k % 3][k / 3] == k - 2;
    ok(good, "a frame with both");
    good = trj_reader_seek(r, 0, &err) == 1 && trj_reader_read(r, &f, &err) == -1;
    ok(good && has_text(err.text, "frame 0: contains no image flags; select frames"), "one of them: %s", err.text);
    trj_reader_close(r);
    if (trj_input_open(&in, made_path, &err) || trj_reader_open_comparing(&r, in, NULL, 0, TRJ_READ_VELOCITY, &err))
        abort();
    good = trj_reader_read(r, &f, &err) == 1 && f.motion->velocity[2][1] == x3[5] && trj_reader_read(r, &f, &err) == -1;
    ok(good && has_text(err.text, "frame 1: contains no velocities"), "only in frame 0: %s", err.text);
    trj_reader_close(r);
    trj_frame_free(&f);
}

int main(void) {
    struct trj_reader *r;
    int fds[2];
    char name[32];
    snprintf(made_path, sizeof made_path, "/tmp/test_gsd.%ld", (long)getpid());
    check_whole(1 << 16);
    check_whole(2 << 16 | 1);
    check_boxes();
    check_cuts();
    check_damage();
    check_refused();
    check_motion();
    make(1 << 16);
    if (pipe(fds) || write(fds[1], made.data, made.size) != (ssize_t)made.size || close(fds[1])) abort();
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    struct trj_frame f = {0};
    if (ok(!trj_reader_open(&r, name, &err) && r->can_seek && trj_reader_seek(r, 3, &err) == 1 &&
               trj_reader_read(r, &f, &err) == 1 && frame_is(&f, 3),
           "from a pipe"))
        trj_reader_close(r);
    trj_frame_free(&f);
    close(fds[0]);
    check_table(".gsd", 21);
    unlink(made_path);
    return done();
}
