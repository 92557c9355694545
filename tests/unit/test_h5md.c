// SPDX-License-Identifier: MIT
// Tests H5MD: small files made here with HDF5, with every choice of elements, and real files compared with what other
// programs decode.
#include "decode_table.h"

#ifdef TRJPIPE_HDF5
#include <hdf5.h>
#include <unistd.h>

enum { ATOMS = 4, FRAMES = 3 };

struct spec {
    const char *creator, *group, *other; // other: a second group of particles
    int version, dimensions;             // 0: none; 3
    bool wide, still, fixed,
        no_steps; // float64; positions are a dataset; step and time are increments; both are missing
    const char *unit, *time_unit, *edges_unit, *boundary[3];
    int edges; // 0: none, 1: three numbers, 2: three per frame, 3: 3 x 3, 4: 3 x 3 per frame
    bool foreign_steps, few_edges, moving_ids, ids, unwritten, outside, whole_numbers, nan_edges;
    bool motion, late_velocities; // with velocities and image flags; the velocities are of later steps
    const char *velocity_unit;
    hsize_t promise; // number of atoms in the header, if it is wrong
};

static const struct spec plain = {.creator = "test",
                                  .group = "all",
                                  .version = 1,
                                  .dimensions = 3,
                                  .unit = "nm",
                                  .time_unit = "ps",
                                  .edges_unit = "nm",
                                  .boundary = {"periodic", "periodic", "periodic"},
                                  .edges = 4};
static char path[64];

static void must(int64_t rc) {
    if (rc < 0) abort();
}

static hid_t group(hid_t parent, const char *name) {
    hid_t g = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(g);
    return g;
}

static void attribute(hid_t object, const char *name, hid_t type, hsize_t n, const void *data) {
    hid_t space = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    must(H5Awrite(a, type, data));
    H5Aclose(a);
    H5Sclose(space);
}

static void attribute_text(hid_t object, const char *name, const char *text, bool vary) {
    if (!text) return;
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, vary ? H5T_VARIABLE : strlen(text) + 1);
    attribute(object, name, type, 0, vary ? (const void *)&text : (const void *)text);
    H5Tclose(type);
}

// Writes a dataset. `type`: in the file; `native`: of the data. Rank 0: a single number. chunked: one chunk per frame,
// of which `written` are written.
static hid_t dataset(hid_t parent, const char *name, hid_t type, hid_t native, int rank, const hsize_t *length,
                     const void *data, bool chunked, hsize_t written) {
    hid_t space = rank ? H5Screate_simple(rank, length, NULL) : H5Screate(H5S_SCALAR),
          list = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
        hsize_t chunk[4] = {1};
        for (int k = 1; k < rank; k++) chunk[k] = length[k] < 100 ? length[k] : 100;
        H5Pset_chunk(list, rank, chunk);
    }
    hid_t set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    must(set);
    if (rank && chunked && written < length[0]) {
        hsize_t start[4] = {0}, count[4];
        memcpy(count, length, (size_t)rank * sizeof *count);
        count[0] = written;
        if (written) {
            hid_t memory = H5Screate_simple(rank, count, NULL);
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
            must(H5Dwrite(set, native, memory, space, H5P_DEFAULT, data));
            H5Sclose(memory);
        }
    } else if (data) {
        must(H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    }
    H5Pclose(list);
    H5Sclose(space);
    return set;
}

static double value(unsigned frame, unsigned atom, unsigned axis) {
    return (frame + 1) * 10 + atom / 7.0 - axis;
}

static double edge(unsigned frame, unsigned i, unsigned j) {
    return i == j ? 3 + i + 0.25 * frame : j < i ? 0.5 : 0;
}

static void put_steps(hid_t element, const struct spec *s, int64_t shift) {
    int64_t steps[FRAMES], step = 50, offset = 1000 + shift;
    double times[FRAMES], time = 0.1, first = 2;
    const hsize_t n = FRAMES;
    if (s->no_steps) return;
    for (int f = 0; f < FRAMES; f++) {
        steps[f] = offset + 50 * f;
        times[f] = first + time * f;
    }
    hid_t a =
        dataset(element, "step", H5T_STD_I32LE, H5T_NATIVE_INT64, !s->fixed, &n, s->fixed ? &step : steps, false, n);
    hid_t b =
        dataset(element, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, !s->fixed, &n, s->fixed ? &time : times, false, n);
    if (s->fixed) {
        attribute(a, "offset", H5T_NATIVE_INT64, 0, &offset);
        attribute(b, "offset", H5T_NATIVE_DOUBLE, 0, &first);
    }
    attribute_text(b, "unit", s->time_unit, true);
}

static void put_box(hid_t particles, const struct spec *s) {
    hid_t box = group(particles, "box"), element = box;
    bool moves = s->edges == 2 || s->edges == 4;
    int matrix = s->edges >= 3;
    double v[FRAMES][9];
    hsize_t length[3] = {s->few_edges ? 2 : FRAMES, 3, 3};
    char words[3][16] = {{0}};
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 16);
    for (int k = 0; k < 3; k++) snprintf(words[k], sizeof words[k], "%s", s->boundary[k]);
    attribute(box, "boundary", type, 3, words);
    H5Tclose(type);
    if (!s->edges) return;
    double *to = v[0];
    for (unsigned f = 0; f < FRAMES; f++)
        for (unsigned i = 0; i < 3; i++)
            for (unsigned j = 0; j < 3; j++)
                if (matrix || i == j) *to++ = s->nan_edges ? NAN : edge(moves ? f : 0, i, j);
    if (moves) {
        element = group(box, "edges");
        put_steps(element, s, s->foreign_steps ? 1 : 0);
    }
    hid_t set = dataset(element, moves ? "value" : "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1 + matrix + moves,
                        length + !moves, v, false, length[0]);
    attribute_text(set, "unit", s->edges_unit, false);
}

static double velocity(unsigned frame, unsigned atom, unsigned axis) {
    return 0.125 * frame - atom + 0.5 * axis;
}

static int image(unsigned frame, unsigned atom, unsigned axis) {
    return (int)(frame * 3 + axis) - (int)atom;
}

static void put_motion(hid_t particles, const struct spec *s) {
    const hsize_t length[3] = {FRAMES, ATOMS, 3};
    double v[FRAMES][ATOMS][3];
    int flags[FRAMES][ATOMS][3];
    for (unsigned f = 0; f < FRAMES; f++)
        for (unsigned i = 0; i < ATOMS; i++)
            for (unsigned k = 0; k < 3; k++) {
                v[f][i][k] = velocity(f, i, k);
                flags[f][i][k] = image(f, i, k);
            }
    hid_t element = group(particles, "velocity");
    put_steps(element, s, s->late_velocities ? 1 : 0);
    hid_t set = dataset(element, "value", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, length, v, true, FRAMES);
    if (s->velocity_unit) attribute_text(set, "unit", s->velocity_unit, false);
    element = group(particles, "image");
    put_steps(element, s, 0);
    dataset(element, "value", H5T_STD_I32LE, H5T_NATIVE_INT, 3, length, flags, true, FRAMES);
}

static void put_particles(hid_t all, const struct spec *s, const char *name) {
    hid_t particles = group(all, name), element = particles;
    double x[FRAMES][ATOMS][3];
    int ids[FRAMES][ATOMS];
    for (unsigned f = 0; f < FRAMES; f++)
        for (unsigned i = 0; i < ATOMS; i++) {
            ids[f][i] = (int)(s->moving_ids && f == 2 ? ATOMS - i : 10 * i);
            for (unsigned k = 0; k < 3; k++) x[f][i][k] = value(f, i, k);
        }
    hsize_t length[3] = {FRAMES, s->promise ? s->promise : ATOMS, (hsize_t)s->dimensions};
    if (!s->still) {
        element = group(particles, "position");
        put_steps(element, s, 0);
    }
    hid_t type = s->whole_numbers ? H5T_STD_I32LE : s->wide ? H5T_IEEE_F64BE : H5T_IEEE_F32LE, set;
    if (s->outside) {
        hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, length, NULL);
        H5Pset_external(list, "/etc/passwd", 0, H5F_UNLIMITED);
        set = H5Dcreate2(element, "value", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        H5Pclose(list);
        H5Sclose(space);
    } else {
        set = dataset(element, s->still ? "position" : "value", type, H5T_NATIVE_DOUBLE, 3 - s->still,
                      length + s->still, s->promise ? NULL : x, !s->still,
                      s->promise     ? 0
                      : s->unwritten ? 2
                                     : FRAMES);
    }
    attribute_text(set, "unit", s->unit, false);
    if (s->ids) dataset(group(particles, "id"), "value", H5T_STD_I32LE, H5T_NATIVE_INT, 2, length, ids, false, FRAMES);
    if (s->motion) put_motion(particles, s);
    if (s->boundary[0]) put_box(particles, s);
}

static void make(const struct spec *s) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    must(file);
    H5Pclose(access);
    if (s->version) {
        hid_t h5md = group(file, "h5md"), creator = group(h5md, "creator");
        const int version[2] = {s->version, 1};
        attribute(h5md, "version", H5T_NATIVE_INT, 2, version);
        attribute_text(creator, "name", s->creator, true);
    }
    hid_t all = group(file, "particles");
    if (s->group) put_particles(all, s, s->group);
    if (s->other) put_particles(all, s, s->other);
    H5Fclose(file);
}

static bool frame_is(const struct trj_frame *f, const struct spec *s, unsigned n, double unit, unsigned periodic) {
    bool moves = s->edges == 2 || s->edges == 4, steps = !s->no_steps && !s->still;
    bool good = f->index == n && f->atoms == ATOMS && f->unit == unit && f->cell.periodic == periodic;
    good = good && f->step == (steps ? 1000 + 50 * (int64_t)n : TRJ_NO_STEP);
    good = good && (steps && s->time_unit ? fabs(f->time - (2 + 0.1 * n)) < 1e-12 : isnan(f->time));
    for (unsigned i = 0; i < ATOMS; i++)
        for (unsigned k = 0; k < 3; k++) good = good && f->x[k][i] == (float)value(n, i, k);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++) {
            double h = !s->edges || s->nan_edges ? 0 : i == j || s->edges >= 3 ? unit * edge(moves ? n : 0, i, j) : 0;
            good = good && f->cell.h[i][j] == h;
        }
    return good;
}

static void check_whole(const char *name, const struct spec *s, double unit, unsigned periodic) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    unsigned frames = s->still ? 1 : FRAMES, n = 0;
    make(s);
    if (!ok(!trj_reader_open(&r, path, &err) && r->atoms == ATOMS && r->can_seek && r->header_frames == frames,
            "%s: opens", name)) {
        printf("# %s\n", err.text);
        return;
    }
    int got;
    bool good = true;
    while ((got = trj_reader_read(r, &f, &err)) == 1) {
        good = good && frame_is(&f, s, n, unit, periodic);
        n++;
    }
    if (!ok(good && !got && n == frames && (s->unit || r->note), "%s: %u frames", name, n))
        printf("# %d %s\n", got, err.text);
    for (unsigned k = frames; k--;)
        good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 &&
               frame_is(&f, s, k, unit, periodic);
    good = good && trj_reader_seek(r, frames, &err) == 0 && trj_reader_seek(r, 0, &err) == 1;
    for (unsigned k = 0; k < frames; k++) good = good && trj_reader_skip(r, &err) == 1;
    ok(good && trj_reader_skip(r, &err) == 0, "%s: seek and skip", name);
    trj_reader_close(r);
    trj_frame_free(&f);
}

// Expects an error with these words, after `frames` frames.
static void rejects(const char *what, const struct spec *s, unsigned frames, const char *words) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    unsigned n = 0;
    make(s);
    int rc = trj_reader_open(&r, path, &err);
    while (!rc && (rc = trj_reader_read(r, &f, &err)) == 1) {
        n++;
        rc = 0;
    }
    ok(rc == -1 && n == frames && err.status == TRJ_BAD_DATA && has_text(err.text, words), "%s: %s", what, err.text);
    trj_reader_close(r);
    trj_frame_free(&f);
}

static void check_made(void) {
    struct spec s = plain;
    check_whole("3 x 3 of each frame", &s, 10, 7);
    s.wide = true;
    s.edges = 2;
    check_whole("three of each frame, double, big-endian", &s, 10, 7);
    s.fixed = true;
    s.edges = 3;
    s.boundary[2] = "none";
    check_whole("a slab in 3 x 3 for all, steps of one size", &s, 10, 3);
    s.unit = s.edges_unit = "Angstrom";
    s.edges = 1;
    check_whole("three for all, in Angstrom", &s, 1, 3);
    s.edges_unit = NULL;
    s.boundary[0] = s.boundary[1] = "none";
    check_whole("edges of a non-periodic direction", &s, 1, 0);
    s.nan_edges = true;
    check_whole("edges of NaN without periodicity", &s, 1, 0);
    s.nan_edges = false;
    s.edges = 0;
    s.no_steps = true;
    check_whole("edges and steps missing", &s, 1, 0);
    s = plain;
    s.creator = "GROMACS";
    s.unit = s.edges_unit = NULL;
    s.ids = true;
    make(&s);
    struct trj_reader *r;
    ok(!trj_reader_open(&r, path, &err) && !r->note, "file of GROMACS: units missing");
    trj_reader_close(r);
    s.creator = "LAMMPS";
    s.time_unit = NULL;
    check_whole("units missing", &s, 1, 7);
    s = plain;
    s.still = true;
    s.edges = 3;
    check_whole("single frame that is not a group", &s, 10, 7);
}

static void check_refused(void) {
    struct spec s = plain;
    s.version = 0;
    rejects("not H5MD", &s, 0, "is HDF5, but not H5MD: group /h5md is missing");
    s.version = 2;
    rejects("another version", &s, 0, "is H5MD of version 2.1; use 1.0 or 1.1");
    s = plain;
    s.group = NULL;
    rejects("particles missing", &s, 0, "has no positions in /particles");
    s = plain;
    s.other = "water";
    rejects("two groups", &s, 0,
            "has 2 groups of particles, but only one can be read: all, water; keep one of them in the file");
    s = plain;
    s.dimensions = 2;
    rejects("positions in two dimensions", &s, 0, "not of atoms times 3");
    s = plain;
    s.whole_numbers = true;
    rejects("positions are integers", &s, 0, "has position with numbers of an unsupported type");
    s = plain;
    s.unit = "furlong";
    rejects("unknown unit", &s, 0, "unknown unit of positions: 'furlong'; write it in another unit");
    s = plain;
    s.boundary[1] = "open";
    rejects("invalid boundary", &s, 0, "has a boundary that is not three times");
    s = plain;
    s.edges = 0;
    rejects("edges missing", &s, 0, "has a periodic box without edges");
    s = plain;
    s.nan_edges = true;
    rejects("periodic edges of NaN", &s, 0, "cell vector a has a component of nan");
    s = plain;
    s.few_edges = true;
    s.no_steps = true;
    rejects("less edges than frames", &s, 0, "has edges of 2 frames, positions of 3");
    s = plain;
    s.foreign_steps = true;
    rejects("edges of other frames", &s, 0, "frame 0: the edges are of step 1001, the positions of step 1000");
    s = plain;
    s.ids = s.moving_ids = true;
    rejects("atoms in varying order", &s, 2,
            "frame 2: atom 0 (counted from 0) has the id 4, and 0 in the first frame read; write the atoms in a "
            "constant order");
    s = plain;
    s.unwritten = true;
    rejects("frame that was never written", &s, 2, "frame 2: positions were never written");
    s = plain;
    s.outside = true;
    rejects("another file", &s, 0,
            "contains position in other files, which is not supported; copy them into this file");
    s = plain;
    s.promise = (hsize_t)1 << 40;
    rejects("10^12 atoms", &s, 0, "its header gives position of");
    s.promise = 100000;
    rejects("100,000 atoms that were never written", &s, 0, "frame 0: positions were never written");
}

static void check_cuts(void) {
    struct spec s = plain;
    struct trj_reader *r = NULL;
    make(&s);
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) abort();
    long size = ftell(f);
    fclose(f);
    bool good = true;
    for (long cut = size - 1; cut >= 8 && good; cut -= 61) {
        if (truncate(path, cut)) abort();
        good =
            trj_reader_open(&r, path, &err) == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, "HDF5 reports '");
        if (!good) printf("# truncated at %ld: %s\n", cut, err.text);
    }
    ok(good, "truncated at any byte: rejected: %s", err.text);
    int fds[2];
    char name[32];
    if (pipe(fds) || write(fds[1], "\x89HDF\r\n\x1a\n more", 13) != 13) abort();
    close(fds[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    ok(trj_reader_open(&r, name, &err) == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, "HDF5 reports '"),
       "closed pipe: %s", err.text);
    close(fds[0]);
}

static int open_motion(struct trj_reader **r, const struct spec *s, unsigned request) {
    struct trj_input *in;
    make(s);
    must(trj_input_open(&in, path, &err));
    return trj_reader_open_comparing(r, in, NULL, 0, request, &err);
}

// Velocities and image flags are read if they are requested, in any order of frames.
static void check_motion(void) {
    static const struct {
        const char *creator, *unit;
        double angstrom_per_ps; // 0: unknown
    } units[] = {{"test", "nm ps-1", 10}, {"test", "Angstrom/fs", 1000}, {"GROMACS", NULL, 10}, {"test", NULL, 0}};
    const unsigned both = TRJ_READ_VELOCITY | TRJ_READ_IMAGE, requests[] = {both, TRJ_READ_VELOCITY, TRJ_READ_IMAGE, 0};
    struct trj_reader *r;
    struct trj_frame f = {0};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (size_t q = 0; q < 4; q++) {
            struct spec s = plain;
            s.motion = true;
            s.creator = units[u].creator;
            s.velocity_unit = units[u].unit;
            must(open_motion(&r, &s, requests[q]));
            bool good = r->holds == (TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE), v = requests[q] & TRJ_READ_VELOCITY;
            if (v) good = good && !strcmp(r->motion_source[0].unit, units[u].angstrom_per_ps > 0 ? "A/ps" : "");
            for (unsigned k = 0; k < 2 * FRAMES && good; k++) {
                unsigned n = k < FRAMES ? k : 2 * FRAMES - 1 - k;
                good = (k < FRAMES || trj_reader_seek(r, n, &err) == 1) && trj_reader_read(r, &f, &err) == 1;
                unsigned has = trj_motion_has(f.motion), image_requested = requests[q] & TRJ_READ_IMAGE;
                good = good && has == (v ? TRJ_HAS_VELOCITY : 0u) + (image_requested ? TRJ_HAS_IMAGE : 0u);
                good = good && (!v || f.motion->unit == fmax(units[u].angstrom_per_ps, 0) + !units[u].angstrom_per_ps);
                for (unsigned i = 0; i < ATOMS && good; i++)
                    for (unsigned a = 0; a < 3 && good; a++)
                        good = f.x[a][i] == (float)value(n, i, a) &&
                               (!v || f.motion->velocity[a][i] == (float)velocity(n, i, a)) &&
                               (!image_requested || f.motion->image[a][i] == image(n, i, a));
            }
            ok(good, "velocities in %s, request %zu", units[u].unit ? units[u].unit : "no unit", q);
            trj_reader_close(r);
        }
    struct spec s = plain;
    ok(open_motion(&r, &s, TRJ_READ_VELOCITY) == -1 &&
           has_text(err.text, "has no element velocity; leave velocity out"),
       "no velocities: %s", err.text);
    s.motion = true;
    s.velocity_unit = "furlong/week";
    ok(open_motion(&r, &s, both) == -1 && has_text(err.text, "unknown unit of velocities: 'furlong/week'"),
       "unknown unit: %s", err.text);
    s.velocity_unit = "nm/ps";
    s.late_velocities = true;
    must(open_motion(&r, &s, both));
    ok(trj_reader_read(r, &f, &err) == -1 && has_text(err.text, "the velocities are of step 1001, the positions of"),
       "other steps: %s", err.text);
    trj_reader_close(r);
    trj_frame_free(&f);
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/test_h5md.%ld", (long)getpid());
    check_made();
    check_refused();
    check_cuts();
    check_motion();
    check_table(".h5md", 10);
    unlink(path);
    return done();
}
#else
int main(void) {
    skip("H5MD", "this build has no HDF5");
    return done();
}
#endif
