// SPDX-License-Identifier: MIT
// Writes Amber's NetCDF trajectories, convention 1.0, with 64-bit offsets: a header that lists dimensions, attributes
// and variables, the variables that hold for all frames, then a record for each frame. Numbers are big-endian; names,
// values and variables are padded to four bytes. Byte 4 contains the number of records, which is only known at the end.
// NetCDF defines a value for streams, for which the file size gives the number, but neither netcdf-c nor SciPy accept
// it; so pipes are rejected.
//   https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
//   https://ambermd.org/netcdf/nctraj.xhtml
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "writer_parts.h"

enum { CHAR = 2, FLOAT = 5, DOUBLE = 6, DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 }; // tags of the format

enum { FRAME, SPATIAL, ATOM, CELL_SPATIAL, CELL_ANGULAR, LABEL, ALL_DIMENSIONS };

static const struct {
    const char *name;
    uint32_t length; // 0: FRAME: number of frames; ATOM: number of atoms written
} dimensions[] = {[FRAME] = {"frame", 0},
                  [SPATIAL] = {"spatial", 3},
                  [ATOM] = {"atom", 0},
                  [CELL_SPATIAL] = {"cell_spatial", 3},
                  [CELL_ANGULAR] = {"cell_angular", 3},
                  [LABEL] = {"label", 5}};

enum { CELL = 1, MOTION = 2 }; // what a file contains besides coordinates

// Variables with a `part` are written only if the file contains it. Those with `fixed` content hold for all frames.
static const struct variable {
    const char *name, *units, *fixed;
    int type, rank, dimension[3];
    unsigned part;
} variables[] = {
    {"spatial", NULL, "xyz", CHAR, 1, {SPATIAL}, 0},
    {"time", "picosecond", NULL, FLOAT, 1, {FRAME}, 0},
    {"coordinates", "angstrom", NULL, FLOAT, 3, {FRAME, ATOM, SPATIAL}, 0},
    {"velocities", "angstrom/picosecond", NULL, FLOAT, 3, {FRAME, ATOM, SPATIAL}, MOTION},
    {"cell_spatial", NULL, "abc", CHAR, 1, {CELL_SPATIAL}, CELL},
    {"cell_angular", NULL, "alphabeta gamma", CHAR, 2, {CELL_ANGULAR, LABEL}, CELL},
    {"cell_lengths", "angstrom", NULL, DOUBLE, 2, {FRAME, CELL_SPATIAL}, CELL},
    {"cell_angles", "degree", NULL, DOUBLE, 2, {FRAME, CELL_ANGULAR}, CELL},
};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables, BUFFER = 1 << 12 };

// Amber's unit of velocity in Å/ps, which programs assume without reading the attribute scale_factor.
static const double VELOCITY_SCALE = 20.455;

struct netcdf {
    unsigned parts; // bits CELL and MOTION
    uint32_t buffer[3 * BUFFER];
};

static void put_be32(struct trj_bytes *b, uint32_t v) {
    trj_put_raw(b,
                (unsigned char[]){(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
                                  (unsigned char)v},
                4);
}

static void put_be64(struct trj_bytes *b, uint64_t v) {
    put_be32(b, (uint32_t)(v >> 32));
    put_be32(b, (uint32_t)v);
}

static void put_f64(struct trj_bytes *b, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_be64(b, bits);
}

static uint32_t float_bits(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t padded(uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}

static void put_padded(struct trj_bytes *b, const char *text) {
    size_t n = strlen(text);
    trj_put_raw(b, text, n);
    trj_put_raw(b, "\0\0\0", -n & 3);
}

static void put_name(struct trj_bytes *b, const char *text) {
    put_be32(b, (uint32_t)strlen(text));
    put_padded(b, text);
}

static void put_attribute(struct trj_bytes *b, const char *name, const char *value) {
    put_name(b, name);
    put_be32(b, CHAR);
    put_name(b, value);
}

static void put_attributes(struct trj_bytes *b) {
    static const char *const of_file[][2] = {{"Conventions", "AMBER"},
                                             {"ConventionVersion", "1.0"},
                                             {"application", "trjpipe"},
                                             {"program", "trjcat"},
                                             {"programVersion", TRJPIPE_VERSION}};
    enum { COUNT = sizeof of_file / sizeof *of_file };
    put_be32(b, ATTRIBUTES);
    put_be32(b, COUNT);
    for (size_t i = 0; i < COUNT; i++) put_attribute(b, of_file[i][0], of_file[i][1]);
}

// Returns the bytes of a variable, with padding; of one frame, if it has frames.
static uint64_t variable_bytes(const struct variable *v, size_t atoms) {
    uint64_t n = v->type == CHAR ? 1 : v->type == FLOAT ? 4 : 8;
    for (int k = 0; k < v->rank; k++)
        if (v->dimension[k] != FRAME) n *= v->dimension[k] == ATOM ? atoms : dimensions[v->dimension[k]].length;
    return padded(n);
}

static void put_variable(struct trj_bytes *b, const struct variable *v, size_t atoms, uint64_t begin) {
    put_name(b, v->name);
    put_be32(b, (uint32_t)v->rank);
    for (int k = 0; k < v->rank; k++) put_be32(b, (uint32_t)v->dimension[k]);
    bool scaled = v->part == MOTION;
    put_be32(b, v->units ? ATTRIBUTES : 0);
    put_be32(b, v->units ? 1 + scaled : 0);
    if (v->units) put_attribute(b, "units", v->units);
    if (scaled) {
        put_name(b, "scale_factor");
        put_be32(b, DOUBLE);
        put_be32(b, 1);
        put_f64(b, VELOCITY_SCALE);
    }
    put_be32(b, (uint32_t)v->type);
    put_be32(b, (uint32_t)variable_bytes(v, atoms));
    put_be64(b, begin);
}

static bool is_written(int variable, unsigned parts) {
    return !(variables[variable].part & ~parts);
}

// Appends the header, for variables that begin at byte `data` of the file.
static void put_header(struct trj_bytes *b, size_t atoms, unsigned parts, uint64_t data) {
    int count = 0, last = parts & CELL ? ALL_DIMENSIONS : CELL_SPATIAL;
    for (int i = 0; i < VARIABLE_COUNT; i++) count += is_written(i, parts);
    trj_put_raw(b, "CDF\2", 4);
    put_be32(b, 0); // frames so far
    put_be32(b, DIMENSIONS);
    put_be32(b, (uint32_t)last);
    for (int k = 0; k < last; k++) {
        put_name(b, dimensions[k].name);
        put_be32(b, k == ATOM ? (uint32_t)atoms : dimensions[k].length);
    }
    put_attributes(b);
    put_be32(b, VARIABLES);
    put_be32(b, (uint32_t)count);
    uint64_t fixed = data, record = data;
    for (int i = 0; i < VARIABLE_COUNT; i++)
        if (variables[i].fixed && is_written(i, parts)) record += variable_bytes(&variables[i], atoms);
    for (int i = 0; i < VARIABLE_COUNT; i++) {
        if (!is_written(i, parts)) continue;
        uint64_t *place = variables[i].fixed ? &fixed : &record;
        put_variable(b, &variables[i], atoms, *place);
        *place += variable_bytes(&variables[i], atoms);
    }
}

static int write_bytes(struct trj_writer *w, struct trj_bytes *b, struct trj_error *err) {
    int rc =
        b->failed ? trj_fail_memory(err, (double)b->size, "a header") : trj_output_write(w->out, b->data, b->size, err);
    trj_bytes_free(b);
    return rc;
}

static int write_header(struct trj_writer *w, unsigned parts, struct trj_error *err) {
    struct trj_bytes b = {0};
    size_t atoms = w->setup.header->atoms;
    put_header(&b, atoms, parts, 0); // first call: only for its length
    uint64_t length = b.size;
    b.size = 0;
    put_header(&b, atoms, parts, length);
    for (int i = 0; i < VARIABLE_COUNT; i++)
        if (variables[i].fixed && is_written(i, parts)) put_padded(&b, variables[i].fixed);
    return write_bytes(w, &b, err);
}

// Interleaves x, y, z, converted from unit `from` to unit `to`, as many atoms at a time as fit into the buffer.
static int write_vectors(struct trj_writer *w, float *const v[3], size_t atoms, double from, double to,
                         struct trj_error *err) {
    struct netcdf *s = w->state;
    for (size_t i = 0, n; i < atoms; i += n) {
        n = atoms - i < BUFFER ? atoms - i : BUFFER;
        for (int k = 0; k < 3; k++) {
            float x[BUFFER];
            trj_writer_convert(x, v[k] + i, n, from, to);
            for (size_t j = 0; j < n; j++) {
                uint32_t bits = float_bits(x[j]);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                bits = __builtin_bswap32(bits);
#endif
                s->buffer[3 * j + (size_t)k] = bits;
            }
        }
        if (trj_output_write(w->out, s->buffer, 12 * n, err)) return -1;
    }
    return 0;
}

static int netcdf_open(struct trj_writer *w, struct trj_error *err) {
    const size_t max_atoms = (UINT32_MAX - 3) / 12;
    if (w->setup.header->atoms > max_atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but a frame of a NetCDF has at most %zu; write xyz or trjf",
                        w->setup.header->atoms, max_atoms);
    if (trj_writer_check_velocities(w, err)) return -1;
    struct netcdf *s = w->state = trj_alloc(1, sizeof *s, "a NetCDF", err);
    if (!s) return -1;
    s->parts = w->setup.header->motion & TRJ_HAS_VELOCITY ? MOTION : 0;
    return 0;
}

static int netcdf_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    struct netcdf *s = w->state;
    struct trj_bytes b = {0};
    double length[3] = {0, 0, 0}, cosine[3] = {0, 0, 0};
    int cell = trj_writer_cell(w, f, err);
    if (cell < 0) return -1;
    if (!w->frames && cell) s->parts |= CELL;
    if (cell && !(s->parts & CELL))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "has a cell, but the first frame has none; write xyz or trjf, or remove the cells with -P none");
    if (w->frames == UINT32_MAX - 1)
        return trj_fail(err, TRJ_BAD_DATA, "a NetCDF has at most %u frames; write several files", UINT32_MAX - 1);
    if (!w->frames && write_header(w, s->parts, err)) return -1;
    if (!isfinite(f->time)) trj_writer_note(w, "the times of the frames are unknown: the NetCDF contains none");
    if (cell) trj_cell_shape(&f->cell, length, cosine);
    put_be32(&b, float_bits((float)f->time));
    if (write_bytes(w, &b, err) || write_vectors(w, f->x, f->atoms, f->unit, 1, err)) return -1;
    const struct trj_motion *m = f->motion;
    if (s->parts & MOTION && write_vectors(w, m->velocity, f->atoms, m->unit, VELOCITY_SCALE, err)) return -1;
    for (int k = 0; k < 3; k++) put_f64(&b, length[k]);
    for (int k = 0; k < 3; k++) put_f64(&b, cell ? trj_degrees(cosine[k]) : 0);
    if (!(s->parts & CELL)) b.size = 0;
    return write_bytes(w, &b, err);
}

static int netcdf_finish(struct trj_writer *w, struct trj_error *err) {
    struct trj_bytes b = {0};
    put_be32(&b, (uint32_t)w->frames);
    int rc = b.failed ? trj_fail_memory(err, 4, "a header") : trj_output_patch(w->out, 4, b.data, b.size, err);
    trj_bytes_free(&b);
    return rc;
}

const struct trj_writer_format trj_writer_netcdf = {
    .name = "nc",
    .help = "Amber NetCDF",
    .endings = {".nc", ".ncdf", ".netcdf"},
    .kind = TRJ_OUTPUT_BINARY,
    .patches = true,
    .motion = TRJ_HAS_VELOCITY,
    .open = netcdf_open,
    .write = netcdf_write,
    .finish = netcdf_finish,
};
