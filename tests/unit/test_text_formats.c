// SPDX-License-Identifier: MIT
// Tests text formats: small files in every dialect, truncated at every byte and invalid; real files compared with what
// other programs decode (shared/reference/decode.tsv); and damaged files.
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode_table.h"

static size_t expected; // number of atoms of a topology
static char folder[] = "/tmp/test_text.XXXXXX", path[64];

static void save(const char *text, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f)) abort();
}

static const struct trj_format *named(const char *name) {
    const struct trj_format *format = trj_format_named(name, &err);
    if (!format) abort();
    return format;
}

// Opens a text through a pipe, whose buffer is large enough for it.
static int open_pipe(struct trj_reader **r, const char *text, size_t size, const char *format, int *fd) {
    int fds[2];
    char name[32];
    if (pipe(fds) || write(fds[1], text, size) != (ssize_t)size || close(fds[1])) abort();
    *fd = fds[0];
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    return trj_reader_open_as(r, name, named(format), expected, &err);
}

// ---- valid files

enum { ATOMS = 4, FRAMES = 4 };
struct want {
    double unit, time;
    int64_t step;
    unsigned periodic;
    double h[9];
    float x[ATOMS][3];
};

static bool near(double a, double b) {
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static bool frame_is(const struct trj_frame *f, const struct want *w, uint64_t index, size_t atoms) {
    bool good = f->index == index && f->atoms == atoms && f->unit == (w->unit ? w->unit : 1) && f->step == w->step &&
                near(f->time, w->time) && f->cell.periodic == w->periodic;
    for (int k = 0; k < 9; k++) good = good && near(f->cell.h[k / 3][k % 3], w->h[k]);
    for (size_t i = 0; i < atoms && good; i++)
        for (int k = 0; k < 3; k++) good = good && f->x[k][i] == w->x[i][k];
    return good;
}

static void print_frame(const struct trj_frame *f) {
    printf("# frame %llu: unit %g step %lld time %g periodic %u cell", (unsigned long long)f->index, f->unit,
           (long long)f->step, f->time, f->cell.periodic);
    for (int k = 0; k < 9; k++) printf(" %g", f->cell.h[k / 3][k % 3]);
    for (size_t i = 0; i < f->atoms && i < ATOMS; i++)
        printf(" (%.9g %.9g %.9g)", (double)f->x[0][i], (double)f->x[1][i], (double)f->x[2][i]);
    putchar('\n');
}

struct text {
    const char *what, *format;
    const char *frames[FRAMES]; // parts of the file, one per frame
    size_t atoms;
    struct want want[FRAMES];
};

static size_t join(const struct text *t, char *all, size_t capacity, size_t border[FRAMES + 1]) {
    size_t n = 0, at = 0;
    border[0] = 0;
    for (; n < FRAMES && t->frames[n]; n++) {
        at += (size_t)snprintf(all + at, capacity - at, "%s", t->frames[n]);
        border[n + 1] = at;
    }
    return n;
}

// Reads or skips to the end, and checks the frames. Returns their number; *end: 0 or -1.
static size_t run_through(struct trj_reader *r, const struct text *t, bool skipped, int *end, bool *good) {
    struct trj_frame f = {0};
    size_t n = 0;
    while ((*end = skipped ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err)) == 1) {
        if (!skipped && !(n < FRAMES && frame_is(&f, &t->want[n], n, t->atoms))) {
            if (*good) print_frame(&f);
            *good = false;
        }
        n++;
    }
    trj_frame_free(&f);
    return n;
}

static void check_whole(const struct text *t) {
    char all[4096];
    size_t border[FRAMES + 1], frames = join(t, all, sizeof all, border), size = border[frames];
    struct trj_reader *r;
    struct trj_frame f = {0};
    int end, fd;
    bool good = true;
    save(all, size);
    if (!ok(trj_reader_open_as(&r, path, NULL, expected, &err) == 0, "%s: opens, detected from content", t->what)) {
        printf("# %s\n", err.text);
        return;
    }
    good = !strcmp(r->format->name, t->format) && r->atoms == t->atoms && !r->can_seek && r->dialect[0];
    size_t n = run_through(r, t, false, &end, &good);
    if (end) printf("# %s\n", err.text);
    ok(good && n == frames && end == 0 && trj_reader_read(r, &f, &err) == 0, "%s: %zu frames", t->what, n);
    trj_reader_close(r);
    for (size_t first = 0; first < frames; first++) { // skip some frames, read the next one
        if (trj_reader_open_as(&r, path, NULL, expected, &err)) abort();
        for (size_t k = 0; k < first; k++) good = good && trj_reader_skip(r, &err) == 1;
        good = good && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, &t->want[first], first, t->atoms);
        trj_reader_close(r);
    }
    trj_frame_free(&f);
    if (open_pipe(&r, all, size, t->format, &fd)) abort();
    n = run_through(r, t, false, &end, &good);
    ok(good && n == frames && end == 0, "%s: skip frames, read a pipe", t->what);
    trj_reader_close(r);
    close(fd);
}

static bool is_white(const char *from, const char *to) {
    while (from < to && strchr(" \r\n", *from)) from++;
    return from == to;
}

static bool in_last_line(const char *from, const char *end) {
    while (end > from && strchr(" \r\n", end[-1])) end--;
    return !memchr(from, '\n', (size_t)(end - from));
}

// Returns whether a PDB that ends at `cut` contains all atoms of the frame from `from` to `end`. The end of the file
// then closes the frame.
static bool has_atoms(const struct text *t, const char *from, const char *end, const char *cut) {
    const char *last = NULL;
    for (const char *p = from; !strcmp(t->format, "pdb") && p < end; p++)
        if ((p == from || p[-1] == '\n') && (!strncmp(p, "ATOM", 4) || !strncmp(p, "HETATM", 6))) last = p;
    return last && cut >= last + 54;
}

// Truncated at every byte: all frames read are valid, and the file ends regularly only between frames. The last newline
// may be missing, and text after the coordinates.
static void check_cuts(const struct text *t) {
    char all[4096];
    size_t border[FRAMES + 1], frames = join(t, all, sizeof all, border), ends = 0;
    for (int way = 0; way < 3; way++) { // read, skip, read a pipe
        bool good = true;
        for (size_t cut = 1; cut <= border[frames] && good; cut++) {
            struct trj_reader *r;
            int end = -1, fd = -1;
            size_t n = 0, whole = 0;
            while (whole < frames && (border[whole + 1] <= cut || is_white(all + cut, all + border[whole + 1])))
                whole++;
            err = (struct trj_error){0};
            save(all, cut);
            bool opened = !(way == 2 ? open_pipe(&r, all, cut, t->format, &fd)
                                     : trj_reader_open_as(&r, path, named(t->format), expected, &err));
            if (opened) n = run_through(r, t, way == 1, &end, &good);
            if (opened) trj_reader_close(r);
            if (fd >= 0) close(fd);
            if (end < 0)
                good = good && err.status == TRJ_BAD_DATA &&
                       (has_text(err.text, ": line ") || has_text(err.text, "contains no frames"));
            else
                good = good && ((n == whole && (cut <= border[n] || is_white(all + border[n], all + cut))) ||
                                (n == whole + 1 && in_last_line(all + cut, all + border[n])) ||
                                (n == whole + 1 && has_atoms(t, all + border[whole], all + border[n], all + cut)));
            good = good && n <= whole + (end == 0) && n + 1 >= whole;
            ends += end == 0;
            if (!good) printf("# truncated at %zu: %zu frames of %zu, end %d %s\n", cut, n, whole, end, err.text);
        }
        ok(good, "%s: truncated at each of %zu bytes, %s", t->what, border[frames],
           (const char *[]){"read", "skipped", "read from a pipe"}[way]);
    }
    ok(ends >= 3 * frames, "%s: complete frames before the truncation are read", t->what);
}

#define BOX_10                                                                                                         \
    { 10, 0, 0, 0, 10, 0, 0, 0, 10 }
#define HEAD(step) "ITEM: TIMESTEP\n" step "\nITEM: NUMBER OF ATOMS\n2\n"
#define BOX        "ITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\n"

#define VASP_HEAD "x\n2.0\n5 0 0\n0 5 0\n0 0 5\nO H\n1 1\n"
#define MMCIF_HEAD                                                                                                     \
    "data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.pdbx_PDB_model_num\n"
#define CIF_CELL                                                                                                       \
    "data_x\n_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\n_cell_angle_alpha 90\n_cell_angle_beta 90\n"        \
    "_cell_angle_gamma 90\n"
#define CIF_SITES "loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"

static const struct text texts[] = {
    {"XYZ",
     "xyz",
     {"2\na comment\nO 0.10 0.20 0.30\nH 1.00 -1.00 1e1\n", "  2  \n\n O\t3.14 0.00 0.50  7.0 x\nH .25 -.5 +1.00\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .x = {{0.1f, 0.2f, 0.3f}, {1, -1, 10}}},
      {.step = TRJ_NO_STEP, .time = NAN, .x = {{3.14f, 0, 0.5f}, {0.25f, -0.5f, 1}}}}},
    {"XYZ with CR LF and blank lines at the end",
     "xyz",
     {"1\r\n\r\nAr 0.10 0.20 0.30\r\n\r\n\r\n"},
     1,
     {{.step = TRJ_NO_STEP, .time = NAN, .x = {{0.1f, 0.2f, 0.3f}}}}},
    {"extended XYZ",
     "xyz",
     {"2\nLattice=\"10 0 0 1 11 0 2 3 12\" Properties=species:S:1:pos:R:3 IsStrange energy=-1.5\nO 0.10 0.20 0.30\nH "
      "1.00 "
      "2.00 3.00\n",
      "2\nname=\"a \\\" b\" pbc = \"T F T\" Properties=id:I:1:forces:R:2:on:L:1:pos:R:3 forces={1 2} "
      "Lattice=\"10 0 0 0 10 0 0 0 10\" m=[[1, 2], [3, 4]]\n7 0.1 nan T 0.10 0.20 0.30\n8 -1 2e5 F 1.00 2.00 3.00\n",
      "2\nProperties=pos:R:3:species:S:1 Lattice=\"0 0 0 0 0 0 0 0 0\"\n0.10 0.20 0.30 O\n1.00 2.00 3.00 H\n"},
     2,
     {{.step = TRJ_NO_STEP,
       .time = NAN,
       .periodic = 7,
       .h = {10, 0, 0, 1, 11, 0, 2, 3, 12},
       .x = {{0.1f, 0.2f, 0.3f}, {1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 5, .h = BOX_10, .x = {{0.1f, 0.2f, 0.3f}, {1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .x = {{0.1f, 0.2f, 0.3f}, {1, 2, 3}}}}},
    {"extended XYZ with steps and times",
     "xyz",
     {"1\nProperties=species:S:1:pos:R:3 step=-7 time=0.1 time_unit=ps\nO 1.00 2.00 3.00\n",
      "1\nProperties=species:S:1:pos:R:3 time_unit=\"fs\" time=\"25\" step=10\nO 1.00 2.00 3.00\n",
      // A time without a unit, an unknown unit, and an invalid step are ignored.
      "1\nProperties=species:S:1:pos:R:3 step=first time=25\nO 1.00 2.00 3.00\n",
      "1\nProperties=species:S:1:pos:R:3 step=1.5 time=2 time_unit=fortnight\nO 1.00 2.00 3.00\n"},
     1,
     {{.step = -7, .time = 0.1, .x = {{1, 2, 3}}},
      {.step = 10, .time = 0.025, .x = {{1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .x = {{1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .x = {{1, 2, 3}}}}},
    {"i-PI",
     "xyz",
     {"1\n# CELL(abcABC): 10 20 30 90 90 90 Step: 7 Bead: 0 positions{atomic_unit} cell{atomic_unit}\nH 1.00 2.00 "
      "3.00\n",
      "1\n# CELL(abcABC): 10 20 30 90 90 90 Step: 8 Bead: 0 x_centroid{angstrom} cell{nanometer}\nH 1.00 2.00 3.00\n",
      "1\n# CELL{abcABC}: 10 20 30 90 90 90\nH 1.00 2.00 3.00\n"},
     1,
     {{.unit = 0.529177210903,
       .step = 7,
       .time = NAN,
       .periodic = 7,
       .h = {5.29177210903, 0, 0, 0, 10.58354421806, 0, 0, 0, 15.87531632709},
       .x = {{1, 2, 3}}},
      {.unit = 1, .step = 8, .time = NAN, .periodic = 7, .h = {100, 0, 0, 0, 200, 0, 0, 0, 300}, .x = {{1, 2, 3}}},
      {.unit = 0.529177210903,
       .step = TRJ_NO_STEP,
       .time = NAN,
       .periodic = 7,
       .h = {5.29177210903, 0, 0, 0, 10.58354421806, 0, 0, 0, 15.87531632709},
       .x = {{1, 2, 3}}}}},
    {"LAMMPS",
     "lammps",
     {HEAD("5") BOX "ITEM: ATOMS id type x y z\n2 1 1.00 2.00 3.00\n1 1 0.10 0.20 0.30\n",
      HEAD("6") "ITEM: BOX BOUNDS pp ff ss\n0 10\n0 10\n0 1e1\nITEM: ATOMS z q x element y id \n0.30 -1 0.10 O 0.20 1 "
                "\n3.00 -1 1.00 O 2.00 2 \n"},
     2,
     {{.step = 5, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{0.1f, 0.2f, 0.3f}, {1, 2, 3}}},
      {.step = 6, .time = NAN, .periodic = 1, .h = BOX_10, .x = {{0.1f, 0.2f, 0.3f}, {1, 2, 3}}}}},
    {"LAMMPS, scaled, units and times",
     "lammps",
     {"ITEM: UNITS\nmetal\nITEM: TIME\n1.5\n" HEAD("0") "ITEM: BOX BOUNDS pp pp pp\n-1 9\n-2 18\n-3 27\nITEM: ATOMS id "
                                                        "xs ys zs\n70000 0.10 0.20 0.30\n-5 0.00 1.00 -1.00\n",
      "ITEM: TIME\n2.5\n" HEAD("1") "ITEM: BOX BOUNDS\n-1 9\n-2 18\n-3 27\nITEM: ATOMS id xsu xu xs yu ysu zu zsu ys "
                                    "zs\n-5 2 0.00 2 1.00 2 -1.00 2 2 2.00\n70000 2 0.50 2 1.00 2 2.00 2 2 2.00\n"},
     2,
     {{.step = 0, .time = 1.5, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{-1, 18, -33}, {0, 2, 6}}},
      {.step = 1, .time = 2.5, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{19, 38, 57}, {19, 38, 57}}}}},
    {"LAMMPS, tilted, without ids",
     "lammps",
     {HEAD("1") "ITEM: BOX BOUNDS xy xz yz pp pp pp\n-1 13 2\n-0.5 20 -1\n0 30 -0.5\nITEM: ATOMS xs ys zs\n0.00 0.00 "
                "0.00\n1.00 1.00 1.00\n",
      HEAD("2") "ITEM: BOX BOUNDS abc origin pp pp pp\n10 1 2 -1\n3 20 4 -2\n5 6 30 -3\nITEM: ATOMS type xs ys zs\n1 "
                "0.00 0.00 0.00\n1 1.00 1.00 1.00\n",
      HEAD("3") "ITEM: BOX BOUNDS abc origin pp fm pp\n10 1 2 -1\n3 20 4 -2\n5 6 30 -3\nITEM: ATOMS x y z type\n1 2 3 "
                "1\n-1.5 2e-1 1 1\n"},
     2,
     // lower bounds less the smallest, upper ones less the largest sum of tilts
     {{.step = 1,
       .time = NAN,
       .periodic = 7,
       .h = {11, 0, 0, 2, 20, 0, -1, -0.5, 30},
       .x = {{0, 0, 0}, {12, 19.5f, 30}}},
      {.step = 2, .time = NAN, .periodic = 7, .h = {10, 1, 2, 3, 20, 4, 5, 6, 30}, .x = {{-1, -2, -3}, {17, 25, 33}}},
      {.step = 3,
       .time = NAN,
       .periodic = 5,
       .h = {10, 1, 2, 3, 20, 4, 5, 6, 30},
       .x = {{1, 2, 3}, {-1.5f, 0.2f, 1}}}}},
    {"LAMMPS in units nano",
     "lammps",
     {"ITEM: UNITS\nnano\nITEM: TIME\n2\n" HEAD("0") BOX
      "ITEM: ATOMS id xs ys zs\n1 0.50 0.00 0.25\n2 0.00 0.00 0.00\n"},
     2,
     {{.unit = 10,
       .step = 0,
       .time = 2000,
       .periodic = 7,
       .h = {100, 0, 0, 0, 100, 0, 0, 0, 100},
       .x = {{5, 0, 2.5f}, {0, 0, 0}}}}},
    {"XDATCAR",
     "xdatcar",
     {VASP_HEAD "Direct configuration=     1\n  0.10000000  0.20000000  0.30000000\n  0.50000000-0.50000000  "
                "1.00000000\n",
      "Direct configuration=     3\n  0.00000000  0.00000000  0.00000000\n  0.25000000  0.50000000  0.75000000\n"},
     2,
     {{.step = 1, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, -5, 10}}},
      {.step = 3, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{0, 0, 0}, {2.5f, 5, 7.5f}}}}},
    {"XDATCAR of VASP 5.2",
     "xdatcar",
     {VASP_HEAD "\n  0.10000000  0.20000000  0.30000000\n  0.50000000  0.50000000  1.00000000\n",
      "\n  0.00000000  0.00000000  0.00000000\n  0.25000000  0.50000000  0.75000000\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, 5, 10}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{0, 0, 0}, {2.5f, 5, 7.5f}}}}},
    {"XDATCAR with a variable cell that is general",
     "xdatcar",
     {VASP_HEAD "Direct configuration=     1\n  0.10000000  0.20000000  0.30000000\n  0.50000000  0.50000000  "
                "1.00000000\n",
      "x\n2.0\n0 5 0\n5 0 0\n1 0 -5\nO H\n1 1\nDirect configuration=     2\n  0.10000000  0.20000000  0.30000000\n"
      "  0.50000000  0.50000000  1.00000000\n"},
     2,
     {{.step = 1, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, 5, 10}}},
      {.step = 2,
       .time = NAN,
       .periodic = 7,
       .h = {0, 10, 0, 10, 0, 0, 2, 0, -10},
       .x = {{2.6f, 1, -3}, {7, 5, -10}}}}},
    {"POSCAR",
     "poscar",
     {VASP_HEAD "Selective dynamics\nDirect\n  0.10000000  0.20000000  0.30000000 T T F\n  0.50000000  0.50000000  "
                "1.00000000 F F F\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, 5, 10}}}}},
    {"POSCAR with names and numbers of atoms in several lines",
     "poscar",
     {"x\n2.0\n5 0 0\n0 5 0\n0 0 5\nO\nH\n0\n2\nDirect\n  0.10000000  0.20000000  0.30000000\n  0.50000000  "
      "0.50000000  1.00000000\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, 5, 10}}}}},
    {"POSCAR of VASP 4 with numbers of atoms in two lines",
     "poscar",
     {"x\n2.0\n5 0 0\n0 5 0\n0 0 5\n1\n0 1\nDirect\n  0.10000000  0.20000000  0.30000000\n  0.50000000  "
      "0.50000000  1.00000000\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, 5, 10}}}}},
    {"XDATCAR with names and numbers of atoms in two lines",
     "xdatcar",
     {"x\n2.0\n5 0 0\n0 5 0\n0 0 5\nO\nH\n1\n1\n\n  0.10000000  0.20000000  0.30000000\n  0.50000000  0.50000000  "
      "1.00000000\n",
      "\n  0.00000000  0.00000000  0.00000000\n  0.25000000  0.50000000  0.75000000\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}, {5, 5, 10}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{0, 0, 0}, {2.5f, 5, 7.5f}}}}},
    {"POSCAR of VASP 4 with a volume and Cartesian positions",
     "poscar",
     {"O H\n-1000.0\n1 0 0\n0 2 0\n0 0 4\n1 1\nkartesian\n  0.10000000  0.20000000  0.30000000\n  0.50000000  "
      "0.50000000  1.00000000\n"},
     2,
     {{.step = TRJ_NO_STEP,
       .time = NAN,
       .periodic = 7,
       .h = {5, 0, 0, 0, 10, 0, 0, 0, 20},
       .x = {{0.5f, 1, 1.5f}, {2.5f, 2.5f, 5}}}}},
    {"mmCIF",
     "mmcif",
     {"data_x\n_cell.length_a 10\n_cell.length_b 10.0(1)\n_cell.length_c 10\n_cell.angle_alpha 90\n_cell.angle_beta "
      "90\n_cell.angle_gamma 90\n_struct.title\n;two\nlines\n;\nloop_\n_atom_site.label_atom_id\n_atom_site.Cartn_z\n"
      "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.pdbx_PDB_model_num\n\"O'\" 3.00 1.00 2.00 1\n",
      "O 0.30 0.10 2e-1 2 \n", "O 6 4.00 5.0(3) 3\n"},
     1,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{0.1f, 0.2f, 0.3f}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = BOX_10, .x = {{4, 5, 6}}}}},
    {"GRO",
     "gro",
     {"Water t=   1.500 step= 750\n    2\n    1SOL     OW    1   0.230  10.628-100.113\n99999SOL    HW1    2   0.137   "
      "0.626   0.150\n   1.00000   2.00000   3.00000\n",
      "\n 2\n    1SOL     OW    1   0.2300  10.6280-100.1130  0.1000 -0.1 7\n    1SOL    HW1    2   0.1370   0.6260   "
      "0.1500\n"
      " 1.0 2.0 3.0\n"},
     2,
     {{.unit = 10,
       .step = 750,
       .time = 1.5,
       .periodic = 7,
       .h = {10, 0, 0, 0, 20, 0, 0, 0, 30},
       .x = {{0.23f, 10.628f, -100.113f}, {0.137f, 0.626f, 0.15f}}},
      {.unit = 10,
       .step = TRJ_NO_STEP,
       .time = NAN,
       .periodic = 7,
       .h = {10, 0, 0, 0, 20, 0, 0, 0, 30},
       .x = {{0.23f, 10.628f, -100.113f}, {0.137f, 0.626f, 0.15f}}}}},
    {"GRO without a cell",
     "gro",
     {"x\n1\n    1SOL     OW    1   0.230  10.628-100.113\n   0.00000   0.00000   0.00000\n"},
     1,
     {{.unit = 10, .step = TRJ_NO_STEP, .time = NAN, .x = {{0.23f, 10.628f, -100.113f}}}}},
    {"GROMOS without names",
     "g96",
     {"TITLE\nx\nEND\nTIMESTEP\n   750   1.5\nEND\n#\nPOSITIONRED\n# x y z\n 0.23 10.628 "
      "-1.00113e2\n#\n"
      " 0.137 6.26e-1 0.15\nEND\n",
      "TIMESTEP\n# step\n 760 2.5\nEND\nENERGY\n1 2 3\nEND\nPOSITIONRED\n1.5 2.5 3.5\n4.5 5.5 6.5\nEND\n"},
     2,
     {{.unit = 10, .step = 750, .time = 1.5, .x = {{0.23f, 10.628f, -100.113f}, {0.137f, 0.626f, 0.15f}}},
      {.unit = 10, .step = 760, .time = 2.5, .x = {{1.5f, 2.5f, 3.5f}, {4.5f, 5.5f, 6.5f}}}}},
    {"GROMOS with names, and columns that touch",
     "g96",
     {"POSITION\n    1 SOL   OW         1    0.23000000010000.628000000-1000.113000000\nEND\n",
      "POSITION\n    1 SOL   OW         1    0.250000000    0.500000000    0.750000000\nEND\n"},
     1,
     {{.unit = 10, .step = TRJ_NO_STEP, .time = NAN, .x = {{0.23f, 10000.628f, -1000.113f}}},
      {.unit = 10, .step = TRJ_NO_STEP, .time = NAN, .x = {{0.25f, 0.5f, 0.75f}}}}},
    {"CARD",
     "card",
     {"* WATER\n*\n    2\n    1    1 TIP3 OH2 -999.500002211.87800-123.45678 WAT  5      0.00000\n*****    1 TIP3 H1   "
      "  "
      "1.00000  -2.00000   3.00000\n",
      "* ONE LINE OF TITLE\n  2\n    1    1 TIP3 OH2    0.10000   0.20000   0.30000 WAT  5      0.00000\n    2    1 "
      "TIP3 H1     1.00000   0.20000   0.30000\n"},
     2,
     {{.step = TRJ_NO_STEP, .time = NAN, .x = {{-999.5f, 2211.878f, -123.45678f}, {1, -2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .x = {{0.1f, 0.2f, 0.3f}, {1, 0.2f, 0.3f}}}}},
    {"CARD with extended columns",
     "card",
     {"*\n         1  EXT\n         1         1  LONGNAME  OH2          -999.5000000000     2211.8780000000     "
      "-123.4567800000  SEGMENT   5               0.0000000000\n"},
     1,
     {{.step = TRJ_NO_STEP, .time = NAN, .x = {{-999.5f, 2211.878f, -123.45678f}}}}},
#define ATOM(x) "ATOM      1  OW  SOL     1    " x "  1.00  0.00           O\n"
#define CRYST1  "CRYST1   10.000   20.000   30.000  90.00  90.00  90.00 P 1           1\n"
    {"PDB",
     "pdb",
     {"REMARK\nTITLE     water t=   0.50000 step= 3\n" CRYST1
      "MODEL        1\n" ATOM("  15.330   9.890-100.320") "TER\nENDMDL\n",
      "MODEL        2\nHETATM    1  OW  SOL     1       1.000   2.000   3.000\nENDMDL\n",
      "MODEL\nCRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1\n" ATOM(
          "   1.000   2.000   3.000") "END\n"},
     1,
     {{.step = 3, .time = 0.5, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{15.33f, 9.89f, -100.32f}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .x = {{1, 2, 3}}}}},
    {"PDB without MODEL",
     "pdb",
     {CRYST1 ATOM("   1.000   2.000   3.000") "END\n", ATOM("   4.000   5.000   6.000") "END\n"},
     1,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{4, 5, 6}}}}},
};

// A truncation that removes a cell after a model or positions, or six of nine numbers of a box, cannot be detected.
static const struct text uncut[] = {
    {"PDB with cells after the models",
     "pdb",
     {"MODEL        1\n" ATOM("   1.000   2.000   3.000") "ENDMDL\n" CRYST1,
      "MODEL        2\n" ATOM(
          "   4.000   5.000   6.000") "ENDMDL\nCRYST1   11.000   20.000   30.000  90.00  90.00  90.00 P 1\n"},
     1,
     {{.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = {10, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{1, 2, 3}}},
      {.step = TRJ_NO_STEP, .time = NAN, .periodic = 7, .h = {11, 0, 0, 0, 20, 0, 0, 0, 30}, .x = {{4, 5, 6}}}}},
    {"GROMOS with boxes of three and of nine numbers",
     "g96",
     {"TITLE\nEND\nPOSITIONRED\n0.25 0.5 0.75\nEND\nVELOCITYRED\n1 2 3\nEND\nBOX\n 1 2 3\nEND\n",
      "TITLE\nEND\nTIMESTEP\n7 0\nEND\nPOSITIONRED\n0.25 0.5 0.75\nEND\nBOX\n1 2 3 0 0 0.5 0 0.25 -0.5\nEND\n"},
     1,
     {{.unit = 10,
       .step = TRJ_NO_STEP,
       .time = NAN,
       .periodic = 7,
       .h = {10, 0, 0, 0, 20, 0, 0, 0, 30},
       .x = {{0.25f, 0.5f, 0.75f}}},
      {.unit = 10,
       .step = 7,
       .time = 0,
       .periodic = 7,
       .h = {10, 0, 0, 5, 20, 0, 2.5, -5, 30},
       .x = {{0.25f, 0.5f, 0.75f}}}}},
    {"GRO with nine numbers",
     "gro",
     {"\n 2\n    1SOL     OW    1   0.2300  10.6280-100.1130  0.1000 -0.1 7\n    1SOL    HW1    2   0.1370   0.6260   "
      "0.1500\n"
      " 1.0 2.0 3.0 0.0 0.0 0.5 0.0 0.25 -0.5\n"},
     2,
     {{.unit = 10,
       .step = TRJ_NO_STEP,
       .time = NAN,
       .periodic = 7,
       .h = {10, 0, 0, 5, 20, 0, 2.5, -5, 30},
       .x = {{0.23f, 10.628f, -100.113f}, {0.137f, 0.626f, 0.15f}}}}},
};

// ---- invalid files

// Reads a file to the end as a format. Expects TRJ_BAD_DATA with both words.
static void bad(const char *format, const char *text, size_t size, const char *word, const char *other) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    int got = -1;
    err = (struct trj_error){0};
    save(text, size);
    if (!trj_reader_open_as(&r, path, named(format), expected, &err)) {
        while ((got = trj_reader_read(r, &f, &err)) == 1) continue;
        trj_reader_close(r);
    }
    trj_frame_free(&f);
    ok(got == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, word) && has_text(err.text, other), "%s: %s",
       format, got ? err.text : word);
}

static void check_bad(void) {
#define DUMP(atoms) "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n" atoms "\n" BOX
#define TWO         "1\n\nO 0 0 0\n"
#define G96_FIRST   "TITLE\nEND\nPOSITIONRED\n    0.100000000    0.200000000    0.300000000\n"
#define CARD_ATOM   "    1    1 TIP3 OH2    0.10000   0.20000   0.30000 WAT  5      0.00000\n"
#define GRO_ATOM    "    1SOL     OW    1   0.230   0.628   0.113\n"
    static const struct {
        const char *format, *text, *word, *other;
    } rows[] = {
        {"xyz", "\n\n", "contains no frames", ""},
        {"xyz", "1000000000000\n\nO 1 2 3\n", "frame 0: line 1: ", "1000000000000 atoms: at most"},
        {"xyz", "4000000000\n\nO 1 2 3\n", "frame 0: line 1: ", "4000000000 atoms are expected, but only 9 bytes"},
        {"xyz", "0\n\n", "line 1: no atoms", ""},
        {"xyz", "-1\n\n", "line 1: '-1' is not a number of atoms", ""},
        {"xyz", "2 3\n\nO 0 0 0\n", "line 1: '3' after the number", ""},
        {"xyz", TWO "2\n\nO 0 0 0\nO 0 0 0\n", "frame 1: line 4: 2 atoms, but earlier frames have 1", ""},
        {"xyz", TWO "O 0 0 0\n", "frame 1: line 4: 'O' is not a number of atoms", ""},
        {"xyz", TWO "1\n\nO 0 0\n", "frame 1: line 6: atom 0: 3 columns, expected 4 or more", ""},
        {"xyz", "1\n\nO 0 0 nan\n", "'nan' in column 4 is not a number", "line 3: atom 0"},
        {"xyz", "1\n\nO 0 0x1 1\n", "'0x1' in column 3 is not a number", ""},
        {"xyz", "1\n\nO 0 1e 1\n", "'1e' in column 3 is not a number", ""},
        {"xyz", "1\n\nO 0 1-2 1\n", "'1-2' in column 3 is not a number", ""},
        {"xyz", "1\n\nO 0 1e999 1\n", "frame 0: y of atom 0", "infinite"},
        {"xyz", "2\n\nO 0.123 1.234 1.234\nO 1.234 1.234 1.23", "line 4: the file ends here", "may be truncated"},
        {"xyz", "2\n\nO 0.123 1.234 1.234\nO 1.5e-10 1.5e-10 1.5e-1", "line 4: the file ends here", "may be truncated"},
        {"xyz", "1\n\nO 1.5e-10 1.5e-10 1.5", "line 3: the file ends here", "may be truncated"},
        {"xyz", "1\nLattice=\"1 2 3\"\nO 0 0 0\n", "line 2: Lattice has 3 numbers", ""},
        {"xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 x\"\nO 0 0 0\n", "Lattice: 'x'", ""},
        {"xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1 7\"\nO 0 0 0\n", "Lattice: '7'", ""},
        {"xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1\" Lattice=\"2 0 0 0 2 0 0 0 2\"\nO 0 0 0\n", "Lattice twice", ""},
        {"xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1\nO 0 0 0\n", "is not closed", ""},
        {"xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"T T\"\nO 0 0 0\n", "pbc has 2 values", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3 time=soon time_unit=ps\nO 0 0 0\n", "time: 'soon' is not a number",
         ""},
        {"xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"T T y\"\nO 0 0 0\n", "pbc: 'y'", ""},
        {"xyz", "1\nProperties=species:S:1\nO\n", "Properties without pos", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:2\nO 0 0\n", "pos:R:2, not pos:R:3", ""},
        {"xyz", "1\nProperties=pos:S:3\n0 0 0\n", "pos:S:3, not pos:R:3", ""},
        {"xyz", "1\nProperties=pos:R:3:pos:R:3\n0 0 0 0 0 0\n", "once more", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:R:\nH 0 0 0\n", "bad: invalid number of columns ''", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:F:1\nH 0 0 0 5\n", "bad has the type 'F'", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:R:ff\nH 0 0 0 5\n", "bad: invalid number of columns 'ff'", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:R:0\nH 0 0 0 5\n", "bad: invalid number of columns '0'", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad\nH 0 0 0 5\n", "bad has the type ''", ""},
        {"xyz", "1\nProperties=pos:R:3:bad:R:99999999999\nH 0 0 0 5\n", "more than 1024 columns", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:R:1\nH 0 0 0 ff\n", "'ff' in column 5 is not a number", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:I:1\nH 0 0 0 ze\n", "'ze' in column 5 is not an integer", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3:bad:L:1\nH 0 0 0 ok\n", "'ok' in column 5 is not a truth value", ""},
        {"xyz", "1\nProperties=species:S:1:pos:R:3\nH 0 0 0 7\n", "5 columns, expected 4", ""},
        {"xyz", "1\n# CELL(H): 1 0 0 0 1 0 0 0 1\nH 0 0 0\n", "only CELL(abcABC)", ""},
        {"xyz", "1\n# CELL(abcABC): 1 1 1 90 90\nH 0 0 0\n", "number 6 of 6", ""},
        {"xyz", "1\n# CELL(abcABC): 1 1 1 90 90 90 positions{furlong}\nH 0 0 0\n", "'furlong' is not a known unit", ""},
        {"xyz", "1\n# CELL(abcABC): 1 1 1 90 90 90 velocities{atomic_unit}\nH 0 0 0\n", "these are velocities", ""},
        {"xyz", "1\n# CELL(abcABC): 1 1 -1 90 90 90\nH 0 0 0\n", "line 2: cell length c is", ""},
        {"lammps", DUMP("2") "ITEM: ATOMS id x y z\n1 0 0 0\n1 0 0 0\n", "frame 0: line 11: two atoms have the id 1",
         ""},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y z\n1 0 0 0\n" DUMP("1") "ITEM: ATOMS id x y z\n2 0 0 0\n",
         "frame 1: line 20: ", "no atom of frame 0 has the id 2"},
        {"lammps",
         DUMP("2") "ITEM: ATOMS id x y z\n1 0 0 0\n2 0 0 0\n" DUMP("2") "ITEM: ATOMS id x y z\n2 0 0 0\n2 0 0 0\n",
         "frame 1: line 22: ", "two atoms have the id 2"},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y z\n1 0 0 0\n" DUMP("1") "ITEM: ATOMS x y z\n0 0 0\n",
         "frame 1: line 19: ", "without ids after frames with; dump all frames with ids"},
        {"lammps", DUMP("1") "ITEM: ATOMS x y z\n0 0 0\n" DUMP("1") "ITEM: ATOMS id x y z\n1 0 0 0\n",
         "frame 1: line 19: ", "with ids after frames without; dump all frames with ids"},
        {"lammps", DUMP("1000000000000") "ITEM: ATOMS id x y z\n1 0 0 0\n", "frame 0: line 4: ", "at most"},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y vz\n1 0 0 0\n", "the columns contain no coordinates; dump x y z",
         "line 9"},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y zs\n1 0 0 0\n", "the columns contain no coordinates; dump x y z", ""},
        {"lammps", DUMP("1") "ITEM: ATOMS\n1 0 0 0\n", "the columns contain no coordinates; dump x y z", ""},
        {"lammps", DUMP("1") "ITEM: ATOMS id x x y z\n1 0 0 0 0\n", "duplicate column x; dump it once", ""},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y z\n1.5 0 0 0\n", "'1.5' in column 1 is not an integer", ""},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y z\n99999999999999999999 0 0 0\n", "in column 1 is not an integer", ""},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y z\n1 0 0\n", "3 columns, expected 4", ""},
        {"lammps", DUMP("1") "ITEM: ATOMS id x y z\n1 0 0 0 0\n", "5 columns, expected 4", ""},
        {"lammps", DUMP("2") "ITEM: ATOMS id x y z\n1 0 0 0\n" DUMP("2"),
         "frame 0: line 11: atom 1: 'ITEM:' in column 1", ""},
        {"lammps", BOX "ITEM: ATOMS id x y z\n1 0 0 0\n", "no ITEM: TIMESTEP before the atoms", ""},
        {"lammps", "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y z\n1 0 0 0\n",
         "no ITEM: BOX BOUNDS before the atoms", ""},
        {"lammps", "ITEM: TIMESTEP\n0\nITEM: TIMESTEP\n0\n", "ITEM: TIMESTEP occurs twice", ""},
        {"lammps", "ITEM: TIMESTEP\nx\n", "'x' is not a time step", "line 2"},
        {"lammps", "ITEM: TIME\nx\n", "'x' is not a time", "line 2"},
        {"lammps", "ITEM: UNITS\nparsec\n", "unknown LAMMPS units 'parsec'", "line 2"},
        {"lammps", "ITEM: DUMMY\n", "unknown item 'ITEM: DUMMY'", "line 1"},
        {"lammps", "ITEM: BOX BOUNDS pp pp\n0 1\n0 1\n0 1\n", "2 boundaries", ""},
        {"lammps", "ITEM: BOX BOUNDS pp pp xx\n0 1\n0 1\n0 1\n", "'xx' found, expected three boundaries", ""},
        {"lammps", "ITEM: BOX BOUNDS pp pp pf\n0 1\n0 1\n0 1\n", "'pf' found, expected three boundaries", ""},
        {"lammps", "ITEM: BOX BOUNDS pp pp pp\n0 1 0\n0 1\n0 1\n", "line 2: a bound of the box: expected 2 numbers",
         ""},
        {"lammps", "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 1\n0 1\n0 1\n",
         "line 2: a bound of the box: expected 3 numbers", ""},
        {"lammps", "ITEM: BOX BOUNDS abc origin pp pp pp\n0 1\n0 1\n0 1\n",
         "line 2: a bound of the box: expected 4 numbers", ""},
        {"lammps", "ITEM: BOX BOUNDS pp pp pp\n0 1\n1 0\n0 1\n", "line 3: invalid box: from 1 to 0 along y", ""},
        {"lammps", "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 1 2\n0 1 0\n0 1 0\n",
         "line 2: invalid box: from 0 to -1 along x", ""},
        {"g96", "TITLE\nEND\nBOX\n1 1 1\nEND\n", "line 5: the file ends after this line, before positions", ""},
        {"g96", "TITLE\nEND\nTIMESTEP\n1 1\nEND\nTIMESTEP\n", "line 6: no positions (POSITION or POSITIONRED) in", ""},
        {"g96", "TITLE\nEND\nTIMESTEP\n1\nEND\n", "line 4: no step and time in the block TIMESTEP", ""},
        {"g96", "TITLE\nEND\nPOSITIONRED\nEND\n", "line 4: no atoms in the block of positions", ""},
        {"g96", "TITLE\nEND\nPOSITIONRED\n1 2\nEND\n", "line 4: atom 0: '' where a coordinate is expected", ""},
        {"g96", "TITLE\nEND\nPOSITIONRED\n1 2 3 4\nEND\n", "line 4: atom 0: '4' after the last coordinate", ""},
        {"g96", "TITLE\nEND\nPOSITIONRED\n1 2 nan\nEND\n", "line 4: atom 0: 'nan' where a coordinate is", ""},
        {"g96", G96_FIRST "    0.10000000    0.200000000    0.300000000\nEND\n", "line 5: atom 1: no coordinate with 9",
         "decimals in columns 1-15"},
        {"g96", G96_FIRST "END\nBOX\n1 1 x\nEND\n", "line 7: 'x' in the box is not a number", ""},
        {"g96", G96_FIRST "END\nBOX\nEND\n", "line 7: no numbers in the block BOX", ""},
        {"g96", G96_FIRST "END\nbox\n1 1 1\nEND\n", "line 6: 'box' where the name of a block is expected", ""},
        {"g96", G96_FIRST "END\nPOSITIONRED\n1 1 1\n2 2 2\nEND\n", "frame 1: line 8: more than 1 atoms", ""},
        {"g96", "TITLE\nEND\nPOSITIONRED\n1 1 1\n2 2 2\nEND\nPOSITIONRED\n1 1 1\nEND\n",
         "frame 1: line 9: END after 1 of 2 atoms", ""},
        {"g96", G96_FIRST "END\nFORCES\n1 1 1\n",
         "line 7: the file ends after this line, before END of the block FORCES", ""},
        {"card", "* x\n1000000000000\n" CARD_ATOM, "frame 0: line 2: 1000000000000 atoms", ""},
        {"card", "* x\n2 3\n" CARD_ATOM, "line 2: 'several numbers' is not a number of atoms", ""},
        {"card", "x\n1\n" CARD_ATOM, "line 1: 'x' where a title line, which begins with *, is expected", ""},
        {"card", "* x\n", "line 1: the file ends after this line, before the number of atoms", ""},
        {"card", "* x\n1\n    1   x TIP3 OH2    0.10000   0.20000   0.30000\n", "atom 0: no numbers of atom and", ""},
        {"card", "* x\n1\n    1    1 TIP3         0.10000   0.20000   0.30000\n", "atom 0: no name in columns 17-20",
         ""},
        {"card", "* x\n1\n    1    1 TIP3 OH2    0.10000  0.20000   0.30000\n",
         "line 3: atom 0: no coordinate with 5 decimals in columns 31-40", ""},
        {"card", "* x\n1\n    1    1 TIP3 OH2    0.10000   0.20000       nan\n", "in columns 41-50", ""},
        {"card", "* x\n1\n    1    1 TIP3 OH2    0.10000   0.20000   0.30x00\n", "'0.30x00' is not a coordinate", ""},
        {"card", "* x\n1 EXT\n" CARD_ATOM, "no numbers of atom and residue in columns 1-20", ""},
        {"card", "* x\n2\n" CARD_ATOM CARD_ATOM "* x\n1\n" CARD_ATOM,
         "1 atoms, but earlier frames have 2; frames of different numbers of atoms can be read from XYZ", ""},
        {"gro", "x\n1000000000000\n" GRO_ATOM, "frame 0: line 2: 1000000000000 atoms", ""},
        {"gro", "x\n2\n" GRO_ATOM "   1.0 1.0 1.0\n", "line 4: atom 1: residue number '1.'", ""},
        {"gro", "x\n1\n" GRO_ATOM GRO_ATOM "   1.0 1.0 1.0\n", "line 4: '    1SOL", "where the box is expected, or"},
        {"gro", "x\n1\n" GRO_ATOM "   1.0 1.0\n", "line 4: the box has 2 numbers, expected 3 or 9", ""},
        {"gro", "x\n1\n" GRO_ATOM "   1.0 nan 1.0\n", "line 4: 'nan' in the box", ""},
        {"gro", "x\n1\n" GRO_ATOM "   1.00 1.00 1.0", "line 4: the file ends here", "may be truncated"},
        {"gro", "x\n2\n" GRO_ATOM "    1SOL     OW    1     NaN   0.628   0.113\n 1 1 1\n",
         "line 4: atom 1: 'NaN' is not a coordinate", ""},
        {"gro", "x\n1\n    1SOL     OW    1   0.230   0.628\n 1 1 1\n",
         "line 3: atom 0: no coordinate in columns 37-44", ""},
        {"gro", "x\n1\n    1SOL           1   0.230   0.628   0.113\n 1 1 1\n", "line 3: atom 0: no name", ""},
        {"gro", "x\n1\n" GRO_ATOM " 1 1 1\nx\n2\n" GRO_ATOM GRO_ATOM " 1 1 1\n",
         "frame 1: line 6: 2 atoms, but earlier frames have 1", ""},
        {"xdatcar", "x\nO\n", "line 2: 'O' where the factor of the cell vectors is expected", ""},
        {"xdatcar", "x\n0\n", "line 2: '0' where the factor", ""},
        {"xdatcar", "x\n1 1 -1\n", "line 2: three factors of the cell vectors must be positive", ""},
        {"xdatcar", "x\n1.0\n5 0 0\n0 5\n", "line 4: '0 5' where cell vector 2 of 3", ""},
        {"xdatcar", "x\n-5\n5 0 0\n5 0 0\n0 0 5\n", "line 5: the cell vectors span no volume", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\n?\n1\n", "line 6: '?' where the names of the species", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO H\n1\n", "line 7: 1 numbers of atoms, expected 2", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO\nH\n1\n\n", "line 9: '' after 1 numbers of atoms, expected 2", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO H\n1 x\n1", "line 7: 1 numbers of atoms, expected 2", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO\n\n1\n", "line 7: '' where the names of the species", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO H\n1 0.5\n", "line 7: '0.5' where numbers of atoms", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO\nH\n1\n2 3\n", "line 9: more numbers of atoms than the 2 names", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO H\n1 2 3\n", "line 7: more numbers of atoms than the 2 names", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO H\n0 0\n", "line 7: no atoms", ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO H\n3000000000 3000000000\n", "line 7: more than 4294967295 atoms",
         ""},
        {"xdatcar", "x\n1\n5 0 0\n0 5 0\n0 0 5\nO\n1000000000\nDirect configuration= 1\n0 0 0\n",
         "line 8: 1000000000 atoms are expected, but only 6 bytes follow", ""},
        {"xdatcar", VASP_HEAD "Direct\n0 0 0\n0 0 0\n", "line 8: 'Direct' where Direct configuration= is expected", ""},
        {"xdatcar", VASP_HEAD "Direct configuration= 1\n0 0 0\n0 x 0\n", "line 10: atom 1: '0 x 0' where three", ""},
        {"xdatcar",
         VASP_HEAD "Direct configuration= 1\n0 0 0\n0 0 0\nx\n1\n5 0 0\n0 5 0\n0 0 5\nO\n1\nDirect "
                   "configuration= 2\n0 0 0\n",
         "frame 1: line 18: 1 atoms, but earlier frames have 2", ""},
        {"poscar", VASP_HEAD "0 0 0\n0 0 0\n", "line 8: '0 0 0' where Direct or Cartesian is expected", ""},
        {"poscar", VASP_HEAD "Direct\n0 0 0\n0 0\n", "line 10: atom 1: '0 0' where three numbers of a position", ""},
        {"poscar", VASP_HEAD "Direct\n0 0 0\n0 0 0\n\n0 0 0\n", "line 12: the file ends after this line, after",
         "velocities of 1 of 2 atoms"},
        {"poscar", VASP_HEAD "Direct\n0 0 0\n0 0 0\n\n0 0 0\n0 0\n", "line 13: atom 1: '0 0' where three numbers of a",
         "velocity"},
        {"mmcif", "data_x\n_entry.id x\n", "line 2: the file ends without a table of atoms", ""},
        {"mmcif", "data_x\n_entry.id 'x\n", "line 2: a quote is not closed: 'x", ""},
        {"mmcif", "data_x\n_entry.id\n;x\n", "line 3: a value that begins with ';' is not closed", ""},
        {"mmcif", "data_x\n_atom_site.Cartn_x 1\n", "line 2: an atom that is not in a table", ""},
        {"mmcif", "data_x\nloop_\n_atom_site.Cartn_x\n1\n", "the table of atoms has no column _atom_site.Cartn_y", ""},
        {"mmcif", "data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_x\n1 1\n", "line 4: a second column", ""},
        {"mmcif", "data_x\n_cell.length_a x\n", "line 2: 'x' is not a value of _cell.length_a", ""},
        {"mmcif", "data_x\n_cell.angle_beta 180\n", "line 2: 180 is not a value of _cell.angle_beta", ""},
        {"mmcif", MMCIF_HEAD "1 2 3 1\n1 2 3\n", "the row of an atom has 3 values, expected 4", ""},
        {"mmcif", MMCIF_HEAD "1 2 ? 1\n", "line 7: atom 0: '?' is not a coordinate", ""},
        {"mmcif", MMCIF_HEAD "1 2 3x 1\n", "line 7: atom 0: '3x' is not a coordinate", ""},
        {"mmcif", MMCIF_HEAD "1 2 3 1\n1 2 3 2\n1 2 3 2\n", "frame 1: line 9: the model before this line has 2 atoms",
         ""},
        {"mmcif", MMCIF_HEAD "1 2 3 1\n1 2 3 2\n1 2 3 1\n", "frame 1: line 9: model 1 again", ""},
        {"mmcif", MMCIF_HEAD "1 2 3 1\n# next\n1 2 3 2\n\n1 2 3\n", "frame 2: line 11: 3 values, expected 4", ""},
        {"mmcif",
         MMCIF_HEAD "1 2 3 1\n1 2 3 2\n_cell.length_a 5\n_cell.length_b 5\n_cell.length_c 5\n_cell.angle_alpha "
                    "90\n_cell.angle_beta 90\n_cell.angle_gamma 90\n",
         "follows the atoms of several models", ""},
        {"mmcif",
         MMCIF_HEAD "1 2 3 1\ndata_y\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n1 2 3\n",
         "2 tables of atoms, in the blocks x, y: which one is to be read is not known; write the block", ""},
        {"cif", "data_x\n_cell_length_a 5\n", "line 2: the file ends without a table of sites", ""},
        {"cif", "data_x\n" CIF_SITES "C 0 0 0\n", "line 7: fractional coordinates, but _cell_length_a is missing", ""},
        {"cif", CIF_CELL CIF_SITES "C 0 0\n", "the row of a site has 3 values, expected 4", ""},
        {"cif", CIF_CELL CIF_SITES "C 0 0 0x\n", "line 13: '0x' is not a value of _atom_site_fract_z", ""},
        {"cif", CIF_CELL CIF_SITES "C 0 0 ?\n", "no site has coordinates", ""},
        {"cif", CIF_CELL "_symmetry_space_group_name_H-M 'P -1'\n" CIF_SITES "C 0 0 0\n",
         "space group P-1, but no symmetry operations", ""},
        {"cif", CIF_CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y\n" CIF_SITES "C 0 0 0\n",
         "line 10: 'x,y' is not a symmetry operation", ""},
        {"cif", CIF_CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,w\n", "line 10: 'x,y,w' is not a symmetry operation",
         ""},
        {"cif", CIF_CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z+1/0\n", "'x,y,z+1/0' is not a symmetry operation",
         ""},
        {"cif", CIF_CELL CIF_SITES "C 0 0 0\ndata_y\n_cell_length_a 5\n" CIF_SITES "C 0 0 0\n",
         "fractional coordinates, but _cell_length_b is missing", ""},
        {"cif", CIF_CELL CIF_SITES "C 0 0 0\n" CIF_CELL CIF_SITES "C 0 0 0\nC 0.5 0 0\n",
         "line 27: the block before this", "has 2 atoms, but the first one 1"},
        {"pdb", "REMARK\n", "contains no frames", ""},
        {"pdb", "MODEL\nENDMDL\n", "frame 0: line 2: a MODEL without atoms", ""},
        {"pdb", "MODEL\nMODEL\n", "frame 0: line 2: a MODEL without atoms before", ""},
        {"pdb", ATOM("   1.000   2.000   3.000") "ATOM      2  OW  SOL     2       4.000   5.000   6.00",
         "frame 0: line 2: the file ends within this line, without a newline", ""},
        {"pdb", ATOM("   1.000   2.000   3.000") "HETA", "frame 0: line 2: the file ends within this line", ""},
        {"pdb",
         ATOM("   1.000   2.000   3.000") ATOM("   1.000   2.000   3.000") "END\n" ATOM("   1.000   2.000   3.000"),
         "frame 1: line 4: the file ends in a model, after 1 of 2 atoms: it may be truncated", ""},
        {"pdb",
         ATOM("   1.000   2.000   3.000") "END\n" ATOM("   1.000   2.000   3.000") ATOM("   1.000   2.000   3.000"),
         "frame 1: line 4: 2 atoms, but earlier frames have 1", ""},
        {"pdb", ATOM("   1.000   2.000   3.000") "END\nMODEL",
         "frame 1: line 3: the file ends after this line, in a MODEL without", ""},
        {"pdb", ATOM("   1.000   2.000   x.000") "END\n", "line 1: atom 0: 'x.000' is not a coordinate", ""},
        {"pdb", "ATOM      1  OW  SOL     1       1.000   2.000\nEND\n",
         "line 1: atom 0: no coordinate in columns 47-54", ""},
        {"pdb", "CRYST1   10.000   20.000   xx.000  90.00  90.00  90.00\n", "line 1: CRYST1: 'xx.000' in columns 25-33",
         ""},
        {"pdb", "CRYST1   10.000   20.000   30.000  90.00  90.00 190.00\n" ATOM("   1.000   2.000   3.000") "END\n",
         "line 1: CRYST1: angle of 190 degrees", ""},
        {"pdb",
         ATOM("   1.000   2.000   3.000") "END\n" ATOM("   1.000   2.000   3.000")
             ATOM("   1.000   2.000   3.000") "END\n",
         "frame 1: line 5: 2 atoms, but earlier frames have 1", ""},
        {"pdb",
         "MODEL\n" ATOM("   1.000   2.000   3.000") "ENDMDL\n" CRYST1
                                                    "MODEL\n" ATOM("   1.000   2.000   3.000") "ENDMDL\n",
         "frame 1: ", "no CRYST1 after the model"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bad(rows[i].format, rows[i].text, strlen(rows[i].text), rows[i].word, rows[i].other);
    static const char zero[] = "1\n\nO 0 0\0 0\n";
    bad("xyz", zero, sizeof zero - 1, "frame 0: line 3: a zero byte", "");

    // Very long lines and wrong numbers of atoms, also in a pipe: rejected without allocating memory for them.
    enum { LONG = 3 << 20 };
    char *line = malloc(LONG);
    if (!line) abort();
    static const char *const names[] = {"xyz", "lammps", "gro", "pdb", "poscar", "xdatcar", "mmcif", "cif", "g96"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        memset(line, ' ', LONG);
        bad(names[i], line, LONG, "line longer than 1048576 bytes", "frame 0");
        memset(line, '7', LONG);
        bad(names[i], line, LONG, "line longer than 1048576 bytes", "frame 0");
    }
    free(line);
    struct trj_reader *r;
    int fd;
    static const char many[] = "4000000000\n\nO 0 0 0\nO 0 0 0\n";
    ok(open_pipe(&r, many, strlen(many), "xyz", &fd) == -1 && has_text(err.text, "after 2 of 4000000000 atoms"),
       "a pipe: %s", err.text);
    close(fd);
}

// Files that end without a newline: whether the reader reports that they may be truncated.
static void check_unsure(void) {
    static const struct {
        const char *format, *text;
        bool unsure;
    } rows[] = {
        {"xyz", "1\n\nO 0.12345 1.2345 123.4", true}, // decimals vary: a digit may be missing
        {"xyz", "1\n\nO 0.12345 1.2345 123.45", false},
        {"xyz", "1\n\nO 0.12345 1.2345 123.4\n", false},
        {"xyz", "1\n\nO 1 2 3", false},
        {"xyz", "1\n\nO 10 20 3", true},
        {"xyz", "1\n\nO 1.25 2 1.5e-05", true},
        {"xyz", "2\n\nO 1.125 2.125 3.125\nO 1.125 2.125 4.125", false},
        {"xyz", "2\n\nO 1.125 2.125 0.5\nO 1.125 2.125 4.12", true},      // decimals vary in the first line
        {"xyz", "1\n\nO 1.125 2.125 0.5\n1\n\nO 1.125 2.125 4.12", true}, // decimals vary in the first frame
        {"xyz", "1\n\nO 1.25 2.5 3 7", false},
        {"lammps", HEAD("0") BOX "ITEM: ATOMS id x y z\n1 0.25 0.5 0.125\n2 1 2.5 3", true},
        {"gro", "x\n1\n    1SOL     OW    1   0.230   0.628   0.113\n 10.5 11 9", true},
        {"gro", "x\n1\n    1SOL     OW    1   0.230   0.628   0.113\n 10.5 11.5 9.5", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int skip_them = 0; skip_them < 2; skip_them++) {
            struct trj_reader *r;
            struct trj_frame f = {0};
            int got = 1;
            save(rows[i].text, strlen(rows[i].text));
            bool good = !trj_reader_open_as(&r, path, named(rows[i].format), 0, &err);
            while (good && got == 1) got = skip_them ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err);
            ok(good && got == 0 && r->maybe_truncated == rows[i].unsure, "%s '%s', %s: %s", rows[i].format,
               strrchr(rows[i].text, '\n') + 1, skip_them ? "skipped" : "read",
               r && r->maybe_truncated ? "unsure" : "whole");
            if (good) trj_reader_close(r);
            trj_frame_free(&f);
        }
}

static void check_random(void) {
    uint64_t random = 1;
    unsigned refusals = 0;
    bool good = true;
    for (size_t n = 0; n < 4000; n++) {
        const struct text *t = &texts[n % (sizeof texts / sizeof *texts)];
        char all[4096];
        size_t border[FRAMES + 1], size = border[join(t, all, sizeof all, border)];
        for (size_t k = 0; k < 1 + n % 4; k++) {
            static const char other[] = " \n\r\t\"=:.-+0123456789eExyzis{[";
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (random >> 40) % size, what = (random >> 20) % (3 * sizeof other);
            all[at] = (char)(what < sizeof other       ? other[what]
                             : what < 2 * sizeof other ? all[(at + 7) % size]
                                                       : (int)(random >> 32 & 127));
        }
        struct trj_reader *r;
        struct trj_frame f = {0};
        int got = -1;
        err = (struct trj_error){0};
        save(all, size);
        if (!trj_reader_open_as(&r, path, named(t->format), expected, &err)) {
            while ((got = n % 2 ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err)) == 1) continue;
            trj_reader_close(r);
        }
        trj_frame_free(&f);
        refusals += got < 0;
        good = good && (got == 0 || err.status == TRJ_BAD_DATA);
    }
    ok(good && refusals > 1000 && refusals < 4000, "bytes changed at random: %u of 4000 rejected", refusals);
}

// mdcrd: the number of atoms comes from the topology.
static void check_mdcrd(void) {
#define LINE "   1.000   2.000   3.000   4.000   5.000   6.000"
    static const struct text boxes = {
        "mdcrd",
        "mdcrd",
        {"title\n" LINE "\n  10.000  20.000  30.000\n", LINE "\n  11.000  20.000  30.000\n"},
        2,
        {{.step = TRJ_NO_STEP,
          .time = NAN,
          .periodic = 7,
          .h = {10, 0, 0, 0, 20, 0, 0, 0, 30},
          .x = {{1, 2, 3}, {4, 5, 6}}},
         {.step = TRJ_NO_STEP,
          .time = NAN,
          .periodic = 7,
          .h = {11, 0, 0, 0, 20, 0, 0, 0, 30},
          .x = {{1, 2, 3}, {4, 5, 6}}}}};
    static const struct text none = {
        "mdcrd without a cell",
        "mdcrd",
        {"title\n" LINE " -70.0001000.125-999.125  -1.000\n   0.500   0.250\n",
         LINE "   7.000   8.000   9.000  -1.000\n   0.500   0.250\n"},
        4,
        {{.step = TRJ_NO_STEP,
          .time = NAN,
          .x = {{1, 2, 3}, {4, 5, 6}, {-70, 1000.125f, -999.125f}, {-1, 0.5f, 0.25f}}},
         {.step = TRJ_NO_STEP, .time = NAN, .x = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, 0.5f, 0.25f}}}}};
    expected = 2;
    check_whole(&boxes); // truncated before the first box, it would have no boxes
    bad("mdcrd", "t\n" LINE "   7.000\n", 59, "frame 0: line 2: 56 columns, expected 48 for 6 numbers", "");
    bad("mdcrd", "t\n   1.000   2.000   3.000 *******   5.000   6.000\n", 51, "line 2: '*******' in columns 25-32", "");
    bad("mdcrd", "t\n" LINE "\n  10.000  20.000  30.000\n" LINE "\n" LINE "\n", 2 + 49 + 25 + 98,
        "frame 1: line 5: 48 columns, expected 24 for 3", "");
    expected = 4;
    check_whole(&none);
    check_cuts(&none);
    expected = 0;
    struct trj_reader *r;
    ok(trj_reader_open(&r, path, &err) == -1 && err.status == TRJ_USAGE && has_text(err.text, "give a topology"), "%s",
       err.text);
}

// Files of Amber, one of them truncated.
static void check_real_mdcrd(const char *shared) {
    static const struct {
        const char *file, *end; // result after the frames
        size_t atoms;
        unsigned frames;
        float x, z; // of the first and the last atom of frame 0
    } rows[] = {{"amber/bala.trj", NULL, 2661, 30, 14.282f, 4.143f},
                {"amber/tz2.truncoct.crd", NULL, 5827, 10, 0, 8.991f},
                {"amber/ache.mdcrd", NULL, 252, 11, 32.555f, -14.261f},
                {"damaged/broken.tz2.crd", "frame 100: line ", 223, 100, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[4096];
        struct trj_reader *r;
        struct trj_frame f = {0};
        unsigned n = 0;
        int got = -1;
        bool good = true;
        snprintf(file, sizeof file, "%s/data/%s", shared, rows[i].file);
        err = (struct trj_error){0};
        if (!trj_reader_open_as(&r, file, NULL, rows[i].atoms, &err)) {
            good = !strcmp(r->format->name, "mdcrd");
            while ((got = trj_reader_read(r, &f, &err)) == 1) {
                if (!n++ && rows[i].x != 0)
                    good = good && f.x[0][0] == rows[i].x && f.x[2][rows[i].atoms - 1] == rows[i].z;
            }
            trj_reader_close(r);
        }
        trj_frame_free(&f);
        ok(good && n == rows[i].frames && got == (rows[i].end ? -1 : 0) &&
               (!rows[i].end || has_text(err.text, rows[i].end)),
           "%s: %u frames %s", rows[i].file, n, err.text);
    }
}

// ---- detection of the format

static void detects(const char *name, const char *text, const char *format) {
    struct trj_reader *r = NULL;
    char file[128];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    FILE *f = fopen(file, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f)) abort();
    err = (struct trj_error){0};
    int rc = trj_reader_open(&r, file, &err);
    ok(format ? !rc && !strcmp(r->format->name, format) : rc && err.status == TRJ_BAD_DATA, "%s: %s", name,
       rc ? err.text : r->format->name);
    trj_reader_close(r);
    unlink(file);
}

static void check_told(void) {
    // An XYZ whose comment and names are numbers also has the form of a GRO.
    static const char both[] = "1\n1\n   8  0.1 0.2 0.3\n";
    detects("a", TWO, "xyz");
    detects("a", both, "xyz");
    detects("a.xyz", both, "xyz");
    detects("a.gro", TWO, "xyz"); // the content decides
    detects("a.xyz", "x\n1\n" GRO_ATOM " 1 1 1\n", "gro");
    detects("a", "TITLE  of a GRO\n1\n" GRO_ATOM " 1 1 1\n", "gro");
    detects("a", "1\nProperties=pos:R:3\n0 0 0\n", "xyz");
    detects("a", "hello\n", NULL);
    detects("a.XYZ", "hello\n", NULL);
    ok(has_text(err.text, "frame 0: line 1: 'hello' is not a number of atoms"),
       "unknown content: the ending of the name decides");
    detects("a.xyz", "BZh91", NULL);
    ok(has_text(err.text, "bzip2"), "compressed file: its content decides, not its name: %s", err.text);
    ok(!trj_format_named("nothing", &err) && err.status == TRJ_USAGE, "%s", err.text);
    save(TWO, strlen(TWO));
    struct trj_reader *r;
    ok(trj_reader_open_as(&r, path, named("dcd"), 0, &err) == -1 && err.status == TRJ_BAD_DATA, "%s", err.text);
}

// ---- real files

static void check_pdb(const char *shared) {
    static const struct {
        const char *file;
        unsigned frames;
        float x, y;      // of the first atom in the last frame
        double a, b;     // of its cell
        const char *end; // result after the last frame
    } rows[] = {
        {"pdb/spc5.pdb", 26, 0, 0, 0, 0, NULL},
        {"pdb/cryst_then_model.pdb", 3, 30, 44.891f, 60, 80.017, NULL},
        {"pdb/model_then_cryst.pdb", 3, 30, 44.891f, 60, 80.017, NULL},
        {"pdb/short-cryst1.pdb", 1, 0.417f, 8.303f, 15, 15, NULL},
        {"pdb/end-endmdl.pdb", 1, 1, 2, 22, 22, "frame 1: line 30: 7 atoms"},
        {"pdb/ase.pdb", 1, 1.101f, 2.338f, 4.725, 9.593, "frame 1: line 186: 60 atoms"},
        {"multi/cobrotoxin.pdb", 1, 32.221f, 17.012f, 52.84, 52.84, NULL},
        {"xtc/tip3p_300K_1ATM.pdb", 1, 0.656f, 14.276f, 20, 20, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[4096];
        struct trj_reader *r;
        struct trj_frame f = {0};
        unsigned n = 0;
        int got;
        snprintf(file, sizeof file, "%s/data/%s", shared, rows[i].file);
        if (!ok(trj_reader_open(&r, file, &err) == 0, "%s: opens", rows[i].file)) continue;
        bool good = true;
        while ((got = trj_reader_read(r, &f, &err)) == 1 && ++n == rows[i].frames && rows[i].a != 0)
            good = f.x[0][0] == rows[i].x && f.x[1][0] == rows[i].y && near(f.cell.h[0][0], rows[i].a) &&
                   near(f.cell.h[1][1], rows[i].b);
        while (got == 1) got = trj_reader_read(r, &f, &err), n += got == 1;
        ok(good && n == rows[i].frames && got == (rows[i].end ? -1 : 0) &&
               (!rows[i].end || has_text(err.text, rows[i].end)),
           "%s: %u frames", rows[i].file, n);
        trj_reader_close(r);
        trj_frame_free(&f);
    }
}

static void check_damaged(const char *shared) {
    static const struct {
        const char *file, *words;
        unsigned frames; // before it
    } rows[] = {
        {"bad-extended.xyz", "frame 0: line 3: atom 0: 4 columns, expected 5", 0},
        {"extended-bad-properties.xyz", "frame 0: line 3: atom 0: 'H' in column 1 is not a number", 0},
        {"bad-helium.xyz", "frame 0: line 6: the file ends after this line, after 4 of 8 atoms", 0},
        {"atom-duplicated-id.lammpstrj", "frame 0: line 11: two atoms have the id 2", 0},
        {"atom-item-name.lammpstrj", "frame 0: line 9: unknown item 'ITEM: DUMMY'", 0},
        {"atom-no-item.lammpstrj", "frame 0: line 9: unknown item 'DUMMY'", 0},
        {"atom-not-enough-lines.lammpstrj", "frame 0: line 11: the file ends after this line, after 2 of 3 atoms", 0},
        {"atom-too-many-fields.lammpstrj", "frame 0: line 10: atom 0: 6 columns, expected 5", 0},
        {"box-item-name.lammpstrj", "frame 0: line 5: unknown item 'ITEM: DUMMY'", 0},
        {"box-not-item.lammpstrj", "frame 0: line 5: unknown item 'DUMMY'", 0},
        {"box-not-numbers.lammpstrj", "frame 0: line 6: a bound of the box", 0},
        {"box-wrong-size.lammpstrj", "frame 0: line 6: a bound of the box", 0},
        {"items-after-atoms.lammpstrj", "frame 1: line 15: the file ends after this line, before ITEM: ATOMS", 1},
        {"lammps_cut_line.lammpstrj", "frame 1: line 6000: atom 1481: 12 columns, expected 14", 1},
        {"timestep-item-name.lammpstrj", "frame 0: line 1: unknown item 'ITEM: DUMMY'", 0},
        {"timestep-no-item.lammpstrj", "frame 0: line 1: unknown item 'DUMMY'", 0},
        {"missing_atomname.gro", "frame 0: line 3: atom 0: no name in columns 11-15", 0},
        {"nan_trajectory.gro", "frame 3: line 241: atom 46: 'NaN' is not a coordinate", 3},
        {"protein_trajectory_incomplete_line.gro", "frame 1: line 94: atom 27: no coordinate", 1},
        {"truncated.gro", "frame 0: line 558: atom 555: residue number '5.'", 0},
#ifdef TRJPIPE_ZLIB
        {"cryst_then_model.pdb.gz", "not a known trajectory format", 0}, // a tar archive
        {"gz_cut.xyz.gz", "frame 21: truncated: its gzip data end too early, at byte 100000 of the compressed file",
         21},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[4096];
        struct trj_reader *r;
        struct trj_frame f = {0};
        unsigned n = 0;
        int got = -1;
        err = (struct trj_error){0};
        snprintf(file, sizeof file, "%s/data/damaged/%s", shared, rows[i].file);
        if (!trj_reader_open(&r, file, &err)) {
            while ((got = trj_reader_read(r, &f, &err)) == 1) n++;
            trj_reader_close(r);
        }
        trj_frame_free(&f);
        ok(got == -1 && n == rows[i].frames && err.status == TRJ_BAD_DATA && has_text(err.text, rows[i].words), "%s",
           strrchr(err.text, '/') ? strrchr(err.text, '/') + 1 : err.text);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!mkdtemp(folder)) abort();
    snprintf(path, sizeof path, "%s/file", folder);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_whole(&texts[i]);
        check_cuts(&texts[i]);
    }
    for (size_t i = 0; i < sizeof uncut / sizeof *uncut; i++) check_whole(&uncut[i]);
    check_bad();
    check_unsure();
    check_random();
    check_mdcrd();
    check_told();
    table_tolerance = 1e-5;
    check_table(".xyz", 22);
    check_table(".extxyz", 5);
    check_table(".lammpstrj", 52);
    check_table(".dump", 1);
    check_table(".gro", 15);
    const char *shared = shared_folder();
    if (shared) {
        check_pdb(shared);
        check_real_mdcrd(shared);
        check_damaged(shared);
    } else {
        skip("real files", "no folder shared/ beside the checkout");
    }
    unlink(path);
    ok(rmdir(folder) == 0, "no temporary file remains");
    return done();
}
