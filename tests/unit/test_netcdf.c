// SPDX-License-Identifier: MIT
// Tests NetCDF of Amber: small files made here in the three encodings, with every choice of variables, and real files
// compared with what other programs decode.
#include "xdr_file.h"

enum { CHAR = 2, INT = 4, FLOAT = 5, DOUBLE = 6 };
enum { RECORDS, FIXED, SINGLE }; // layout of the frames

struct spec {
    int version, shape;
    uint32_t type, atoms, frames;
    bool cell, stream, velocities;
    double length[3], angle[3], scale; // 0: no scale_factor
    const char *conventions, *edition, *units, *angle_units, *time_units;
};

static const struct spec plain = {.version = 2,
                                  .type = FLOAT,
                                  .atoms = 5,
                                  .frames = 3,
                                  .cell = true,
                                  .length = {30, 40, 50},
                                  .angle = {90, 90, 90},
                                  .conventions = "AMBER",
                                  .edition = "1.0",
                                  .units = "angstrom",
                                  .angle_units = "degree",
                                  .time_units = "picosecond"};

static size_t records_at, atoms_at, begin_at, rank_at, data_at, angles_at;
static int wide; // the version

static void put(uint64_t v) {
    if (wide == 5) put32((uint32_t)(v >> 32));
    put32((uint32_t)v);
}

static void put_text(const char *text) {
    size_t n = strlen(text);
    memset(made.data + made.size, 0, n + 3);
    memcpy(made.data + made.size, text, n);
    made.size += (n + 3) / 4 * 4;
}

static void put_name(const char *name) {
    put(strlen(name));
    put_text(name);
}

static void put_attribute(const char *name, const char *text) {
    put_name(name);
    put32(CHAR);
    put_name(text);
}

static void put_list(uint32_t tag, unsigned n) {
    put32(n ? tag : 0);
    put(n);
}

static float value(uint32_t frame, uint32_t atom, int axis) {
    return (float)(frame + 1) * 10 + (float)atom * 3 - (float)axis + 0.25f;
}

static void put_real(uint32_t type, double v) {
    if (type == DOUBLE)
        put_double(v);
    else
        put_float((float)v);
}

static const struct variable {
    const char *name;
    int dimensions[2], rank; // besides that of the frames
} variables[] = {{"time", {0}, 0},         {"velocities", {1, 2}, 2}, {"coordinates", {1, 2}, 2}, {"id", {1}, 1},
                 {"cell_lengths", {2}, 1}, {"cell_angles", {2}, 1},   {"forces", {1, 2}, 2}};
enum { TIME, VELOCITIES, COORDINATES, ID, LENGTHS, ANGLES, FORCES, VARIABLES };

static bool is_cell(int v) {
    return v == LENGTHS || v == ANGLES;
}

static bool is_there(const struct spec *s, int v) {
    return v == TIME || v == COORDINATES || ((v == VELOCITIES || v == FORCES) && s->velocities) ||
           (v == ID && s->version != 1) || (is_cell(v) && s->cell);
}

static uint32_t type_of(const struct spec *s, int v) {
    return v == ID ? INT : is_cell(v) ? DOUBLE : v == TIME ? FLOAT : s->type;
}

static size_t bytes_of(const struct spec *s, int v) {
    size_t n = v == TIME ? 1 : v == ID ? s->atoms : is_cell(v) ? 3 : 3 * s->atoms;
    return n * (type_of(s, v) == DOUBLE ? 8 : 4);
}

static void put_data(const struct spec *s, int v, uint32_t f) {
    if (v == TIME) put_float(0.5f * (float)f);
    for (int k = 0; k < 3 && is_cell(v); k++) put_double(v == LENGTHS ? s->length[k] : s->angle[k]);
    for (uint32_t i = 0; i < s->atoms && (v == COORDINATES || v == VELOCITIES || v == FORCES); i++)
        for (int k = 0; k < 3; k++) {
            if (v == COORDINATES) made.want[f].x[i][k] = value(f, i, k);
            put_real(s->type, v == COORDINATES ? (double)value(f, i, k) + (s->type == DOUBLE ? 1e-9 : 0) : 1e9);
        }
    for (uint32_t i = 0; i < s->atoms && v == ID; i++) put32(i);
}

static void make(const struct spec *s) {
    static const char *const names[] = {"frame", "atom", "spatial"};
    size_t begin[VARIABLES];
    memset(&made, 0, sizeof made);
    made.atoms = s->atoms;
    made.frames = s->frames;
    wide = s->version;
    memcpy(made.data, "CDF", 3);
    made.data[3] = (unsigned char)s->version;
    made.size = records_at = 4;
    if (s->stream)
        put(UINT64_MAX);
    else
        put(s->shape == RECORDS ? s->frames : 0);
    put_list(10, 3);
    for (unsigned d = 0; d < 3; d++) {
        put_name(names[d]);
        if (d == 1) atoms_at = made.size;
        put(d == 2 ? 3 : d == 1 ? s->atoms : s->shape == RECORDS ? 0 : s->shape == FIXED ? s->frames : 1);
    }
    put_list(12, 2u + (s->conventions != NULL) + (s->edition != NULL));
    put_attribute("title", "of a file");
    if (s->conventions) put_attribute("Conventions", s->conventions);
    if (s->edition) put_attribute("ConventionVersion", s->edition);
    put_attribute("program", "test");
    unsigned n = 0;
    for (int v = 0; v < VARIABLES; v++) n += is_there(s, v);
    put_list(11, n);
    for (int v = 0; v < VARIABLES; v++) {
        if (!is_there(s, v)) continue;
        const struct variable *var = &variables[v];
        put_name(var->name);
        if (v == COORDINATES) rank_at = made.size;
        put((unsigned)(var->rank + (s->shape != SINGLE)));
        if (s->shape != SINGLE) put(0);
        for (int k = 0; k < var->rank; k++) put((unsigned)var->dimensions[k]);
        const char *units = v == COORDINATES || v == LENGTHS ? s->units
                            : v == ANGLES                    ? s->angle_units
                            : v == TIME                      ? s->time_units
                                                             : NULL;
        bool scale = v == COORDINATES && s->scale != 0;
        put_list(12, 0u + (units != NULL) + scale);
        if (units) put_attribute("units", units);
        if (scale) {
            put_name("scale_factor");
            put32(DOUBLE);
            put(1);
            put_double(s->scale);
        }
        put32(type_of(s, v));
        put(bytes_of(s, v));
        begin[v] = made.size; // filled in below
        made.size += s->version == 1 ? 4 : 8;
    }
    size_t at = made.size, rounds = s->shape == FIXED ? s->frames : 1;
    for (int v = 0; v < VARIABLES; v++) {
        if (!is_there(s, v)) continue;
        poke32(begin[v] + (s->version == 1 ? 0 : 4), (uint32_t)at);
        if (v == COORDINATES) begin_at = begin[v] + (s->version == 1 ? 0 : 4), data_at = at;
        if (v == ANGLES) angles_at = at;
        at += rounds * bytes_of(s, v);
    }
    if (s->shape == FIXED) {
        for (int v = 0; v < VARIABLES; v++)
            for (uint32_t f = 0; f < s->frames && is_there(s, v); f++) {
                put_data(s, v, f);
                made.border[f] = made.size; // the end of the last variable
            }
    } else {
        for (uint32_t f = 0; f < s->frames; f++) {
            for (int v = 0; v < VARIABLES; v++) {
                if (is_there(s, v)) put_data(s, v, f);
                if (v < FORCES || f + 1 == s->frames)
                    made.border[f] = made.size; // truncation within it is only detected in the last frame
            }
        }
    }
    made.clean[made.cleans++] = made.size;
    for (uint32_t f = 0; f < s->frames; f++) {
        made.want[f].step = TRJ_NO_STEP;
        made.want[f].time = 0.5 * f * (s->time_units && !strcmp(s->time_units, "femtosecond") ? 1e-3 : 1);
        for (size_t k = 0; k < 3; k++) made.want[f].h[4 * k] = s->cell ? s->length[k] : 0;
    }
    made_unit = s->scale != 0 ? s->scale : 1;
}

static bool first_is(struct trj_frame *f) {
    struct trj_reader *r = NULL;
    save(made.size);
    bool good = !trj_reader_open(&r, made_path, &err) && trj_reader_read(r, f, &err) == 1;
    trj_reader_close(r);
    if (!good) printf("# %s\n", err.text);
    return good;
}

static void check_made(void) {
    static const struct {
        const char *name, *dialect;
        struct spec s;
    } rows[] = {
        {"CDF-1", "trajectory, CDF-1 by test, single precision", {.version = 1}},
        {"CDF-2", "trajectory, CDF-2 by test, single precision", {.version = 2}},
        {"CDF-5", "trajectory, CDF-5 by test, single precision", {.version = 5}},
        {"double", "trajectory, CDF-2 by test, double precision", {.version = 2, .type = DOUBLE}},
        {"with velocities",
         "trajectory, CDF-5 by test, double precision",
         {.version = 5, .type = DOUBLE, .velocities = true}},
        {"scaled", "trajectory, CDF-2 by test, single precision", {.version = 2, .scale = 0.455}},
        {"a restart",
         "restart, CDF-2 by test, double precision",
         {.version = 2, .type = DOUBLE, .shape = SINGLE, .frames = 1, .conventions = "AMBERRESTART"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spec s = plain;
        s.version = rows[i].s.version;
        s.shape = rows[i].s.shape;
        s.velocities = rows[i].s.velocities;
        s.scale = rows[i].s.scale;
        if (rows[i].s.type) s.type = rows[i].s.type;
        if (rows[i].s.frames) s.frames = rows[i].s.frames;
        if (rows[i].s.conventions) s.conventions = rows[i].s.conventions;
        make(&s);
        check_whole(rows[i].name, rows[i].dialect);
        check_cuts(rows[i].name);
        if (i == 2 || i == 6) check_damage(rows[i].name, 1000, 100);
    }
    // By the specification of the format, a single record variable is not padded, which floats never need; a stream
    // gives no number of frames.
    struct spec s = plain;
    s.stream = true;
    make(&s);
    ok(try_all(false) == 0 && try_all(true) == 0 && try_pipe() == 0,
       "number of frames left open, as in a stream: read to the end");
    made.size -= 8;
    ok(try_all(false) == -1 && has_text(err.text, "truncated in cell_angles"), "%s", err.text);
    // Variables after the coordinates that are not read must be complete, too.
    for (int shape = RECORDS; shape <= SINGLE; shape++) {
        s = plain;
        s.shape = shape;
        s.velocities = true;
        if (shape == SINGLE) s.frames = 1;
        make(&s);
        ok(try_all(false) == 0 && try_all(true) == 0, "with forces after the coordinates");
        made.size--;
        ok(try_all(false) == -1 && try_all(true) == -1 &&
               has_text(err.text, "truncated in the variables that are not read"),
           "%s", err.text);
    }
    s = plain;
    s.shape = FIXED;
    make(&s);
    ok(try_all(false) == 0 && try_all(true) == 0 && try_pipe() == 0,
       "frame dimension that is not the record dimension");
    s = plain;
    s.cell = false;
    s.conventions = "CF-1.6, AMBER";
    s.time_units = "femtosecond";
    make(&s);
    check_whole("cell missing", "trajectory, CDF-2 by test, single precision");
}

static void check_cells(void) {
    struct trj_frame f = {0};
    struct spec s = plain;
    s.length[2] = 0;
    s.angle[0] = s.angle[1] = 0;
    make(&s);
    ok(first_is(&f) && f.cell.periodic == (TRJ_PERIODIC_A | TRJ_PERIODIC_B) && f.cell.h[1][1] == 40 &&
           f.cell.h[1][0] == 0,
       "length of zero: not periodic");
    s.angle[2] = 60;
    s.angle[0] = s.angle[1] = 90;
    make(&s);
    ok(first_is(&f) && fabs(f.cell.h[1][0] - 20) < 1e-12, "two periodic directions: their angle is used");
    s.length[0] = s.length[1] = 0;
    make(&s);
    ok(first_is(&f) && f.cell.periodic == 0, "three lengths of zero: no cell");
    s = plain;
    s.units = "nanometer";
    s.angle_units = "radian";
    for (int k = 0; k < 3; k++) s.angle[k] = acos(0);
    make(&s);
    ok(first_is(&f) && f.unit == 10 && f.cell.h[2][2] == 500 && f.cell.h[2][0] == 0 && f.cell.h[1][0] == 0,
       "nm and radians");
    static const struct {
        const char *name;
        double unit;
    } units[] = {{"Angstrom", 1},          {"angstroms", 1}, {"\xc3\x85", 1}, {"nm", 10},
                 {"Bohr", 0.529177210903}, {"lj", 1},        {NULL, 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        s = plain;
        s.units = units[i].name;
        s.scale = 2;
        make(&s);
        ok(first_is(&f) && f.unit == 2 * units[i].unit && f.cell.h[0][0] == 30 * units[i].unit, "in %s",
           units[i].name ? units[i].name : "nothing");
    }
    s = plain;
    s.time_units = "lj";
    make(&s);
    ok(first_is(&f) && isnan(f.time), "time without a unit of time: unknown");
    trj_frame_free(&f);
}

static void check_refused(void) {
    struct spec s = plain;
    s.conventions = "CF-1.6";
    make(&s);
    rejects("another convention", "is NetCDF with the Conventions 'CF-1.6'; convert it to those of AMBER", "");
    s.conventions = "XAMBER";
    make(&s);
    rejects("a word that contains AMBER", "'XAMBER'", "");
    s = plain;
    s.edition = "2.0";
    make(&s);
    rejects("another version", "has the convention AMBER 2.0", "1.0");
    s = plain;
    s.units = "parsec";
    make(&s);
    rejects("unknown unit of length", "coordinates are in the unknown unit 'parsec'; write them in another unit", "");
    s = plain;
    s.angle_units = "grad";
    make(&s);
    rejects("unknown unit of angle", "cell_angles are in the unknown unit 'grad'; write them in another unit", "");
    s = plain;
    s.scale = -1;
    make(&s);
    rejects("a scale below zero", "the scale_factor of coordinates is -1", "");
    s = plain;
    s.angle[1] = 180;
    make(&s);
    rejects("a flat angle", "frame 0: cell_angles has an angle of 180 degrees", "");
    s = plain;
    s.type = INT;
    make(&s);
    rejects("coordinates are integers", "the numbers of coordinates are not real", "");
    make(&plain);
    poke32(records_at, 0x7fffffff);
    rejects("frames missing", "frame 3: byte ", "truncated in ");
    make(&plain);
    poke32(begin_at, 0x7ffffff0);
    rejects("position beyond the file", "frame 0: byte ", "truncated in ");
    make(&plain);
    poke32(rank_at, 1025);
    rejects("invalid rank", "the rank of a variable before byte", "of the header is invalid; create the file again");
    make(&plain);
    poke32(rank_at + 8, 7);
    rejects("dimension out of range", "a dimension of a variable before byte",
            "of the header is invalid; create the file again");
    make(&plain);
    poke32(rank_at + 8, 0);
    rejects("inner dimension is that of the records", "inner dimension is that of the records", "");
    make(&plain);
    poke32(data_at + 4, 0x7cf00000);
    rejects("fill value in place of a number", "frame 0: y of atom 0 (counted from 0) was never written", "");
    s = plain;
    s.type = DOUBLE;
    make(&s);
    poke32(data_at, 0x7fe00000);
    rejects("double that overflows float32", "frame 0: x of atom 0", "infinite");
    make(&plain);
    poke32(angles_at, 0x7ff80000);
    rejects("angle NaN", "frame 0: cell_angles has an angle of nan", "");
    make(&plain);
    poke32(atoms_at, 0x7fffffff);
    rejects("atom count of 2e9", "frame 0: byte ", "truncated in ");
    s = plain;
    s.version = 5;
    make(&s);
    poke32(atoms_at, 0x0fffffff);
    rejects("atom count too large", "", "of the header is invalid; create the file again");
    make(&s);
    poke32(records_at, 0x70000000);
    rejects("frame count too large", "its header gives ", "frames");
}

int main(void) {
    snprintf(made_path, sizeof made_path, "/tmp/test_netcdf.%ld", (long)getpid());
    check_made();
    check_cells();
    check_refused();
    table_tolerance = 2e-6; // these files store cells as float32
    check_table(".nc", 64);
    check_table(".ncdf", 8);
    unlink(made_path);
    return done();
}
