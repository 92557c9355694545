// SPDX-License-Identifier: MIT
// Reads trajectories and restarts of Amber in NetCDF (AMBER convention 1.0, https://ambermd.org/netcdf/nctraj.xhtml),
// in the three classic encodings: big-endian arrays whose positions a header gives; the arrays of a frame are adjacent
// in a record.
//
// libnetcdf is not used, because it returns zeros, and no error, after the end of a truncated file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "units.h"
#include "xdr_frames.h"

enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 }; // tags of the lists in a header
enum { CHAR = 2, FLOAT = 5, DOUBLE = 6 };                  // types
enum {
    MAX_DIMENSIONS = 1024,
    MAX_ENTRIES = 8192,
    NAME = 256,
    TEXT = 128
}; // limits of libnetcdf; TEXT: stored bytes of a text
enum { COORDINATES, LENGTHS, ANGLES, TIME, VELOCITIES, USED, OTHER = USED };

static const size_t type_size[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
static const double FILL = 9.9692099683868690e+36; // value of numbers that were never written

static const struct {
    const char *name, *unit; // unit: default if the attribute is missing
    int rank;                // dimensions, without that of the frames
    bool (*parse_unit)(const char *name, double *value);
} used[USED] = {{"coordinates", "angstrom", 2, trj_unit_length},
                {"cell_lengths", "angstrom", 1, trj_unit_length},
                {"cell_angles", "degree", 1, trj_unit_angle},
                {"time", "picosecond", 0, trj_unit_time},
                {"velocities", "", 2, trj_unit_velocity}}; // if requested; see find_velocities

struct variable {
    uint32_t type;
    size_t rank;
    uint64_t length[3];     // of the first three dimensions
    bool record;            // its outer dimension is that of the records
    uint64_t begin, stride; // position of the first frame; bytes from frame to frame
    uint64_t bytes;         // of a frame; before check_variable, of all frames of a variable without records
    double scale, unit;
    char units[TEXT];
};

struct netcdf {
    int version;
    uint64_t records, frames; // UINT64_MAX: the header does not give it
    uint64_t *dimension;      // [dimensions] lengths; 0: records
    size_t dimensions;
    uint64_t record, first;    // bytes of a record; position of the first one
    uint64_t last;             // bytes of the last record variable
    uint64_t ends[2];          // end of the fixed variables, and of the first record, without padding
    uint64_t end;              // end of all variables: a shorter file is truncated
    unsigned record_variables; // their number
    struct variable v[USED];   // type 0: missing
    int order[USED];           // the variables in the order of their positions
    bool restart;
    char convention[TEXT], convention_version[TEXT], program[TEXT];
};

static const char header_name[] = "the header";

static bool netcdf_is(const unsigned char *head, size_t n) {
    return n >= 4 && !memcmp(head, "CDF", 3) && (head[3] == 1 || head[3] == 2 || head[3] == 5);
}

// ---- the header

static int fail_header(struct trj_reader *r, struct trj_error *err, const char *what) {
    return trj_fail(err, TRJ_BAD_DATA, "%s before byte %llu of the header is invalid", what,
                    (unsigned long long)trj_input_offset(r->in));
}

static int get32(struct trj_reader *r, uint32_t *v, struct trj_error *err) {
    unsigned char raw[4];
    if (trj_input_read(r->in, raw, sizeof raw, header_name, err)) return -1;
    *v = trj_xdr_u32(raw);
    return 0;
}

// Reads a number of 4 bytes, or 8 if `wide`.
static int get(struct trj_reader *r, bool wide, uint64_t *v, struct trj_error *err) {
    unsigned char raw[8];
    if (trj_input_read(r->in, raw, wide ? 8 : 4, header_name, err)) return -1;
    *v = wide ? trj_xdr_u64(raw) : trj_xdr_u32(raw);
    return 0;
}

static int get_count(struct trj_reader *r, uint64_t max_value, uint64_t *v, const char *what, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    if (get(r, c->version == 5, v, err)) return -1;
    return *v > max_value ? fail_header(r, err, what) : 0;
}

// Reads tag and length of a list; a list that is absent has length 0.
static int get_list(struct trj_reader *r, uint32_t tag, uint64_t max_value, uint64_t *count, struct trj_error *err) {
    uint32_t found;
    if (get32(r, &found, err) || get_count(r, max_value, count, "the length of a list", err)) return -1;
    return found == tag || (!found && !*count) ? 0 : fail_header(r, err, "the tag of a list");
}

static uint64_t padded(uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}

// Reads a text of n bytes and its padding; texts longer than `capacity` are shortened.
static int get_text(struct trj_reader *r, uint64_t n, char *text, size_t capacity, struct trj_error *err) {
    size_t keep = n < capacity ? (size_t)n : capacity - 1;
    if (trj_input_read(r->in, text, keep, header_name, err) ||
        trj_input_skip(r->in, padded(n) - keep, header_name, err))
        return -1;
    text[keep] = 0;
    while (keep && (!text[keep - 1] || text[keep - 1] == ' ')) text[--keep] = 0;
    trj_replace_control_chars(text);
    return 0;
}

static int get_name(struct trj_reader *r, char name[NAME + 1], struct trj_error *err) {
    uint64_t n;
    return get_count(r, NAME, &n, "the length of a name", err) || get_text(r, n, name, NAME + 1, err) ? -1 : 0;
}

static int get_dimensions(struct trj_reader *r, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    char name[NAME + 1];
    uint64_t n;
    if (get_list(r, DIMENSIONS, MAX_DIMENSIONS, &n, err)) return -1;
    if (!(c->dimension = trj_alloc((size_t)n, sizeof *c->dimension, "dimensions", err))) return -1;
    for (c->dimensions = 0; c->dimensions < n; c->dimensions++)
        if (get_name(r, name, err) ||
            get_count(r, INT64_MAX, &c->dimension[c->dimensions], "the length of a dimension", err))
            return -1;
    return 0;
}

// Reads a list of attributes, of the variable *v, or of the file if v is NULL.
static int get_attributes(struct trj_reader *r, struct variable *v, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    const struct {
        const char *name;
        char *text;
    } texts[] = {{"Conventions", v ? NULL : c->convention},
                 {"ConventionVersion", v ? NULL : c->convention_version},
                 {"program", v ? NULL : c->program},
                 {"units", v ? v->units : NULL}};
    uint64_t entries;
    if (get_list(r, ATTRIBUTES, MAX_ENTRIES, &entries, err)) return -1;
    for (; entries; entries--) {
        char name[NAME + 1], *text = NULL;
        unsigned char raw[8];
        uint32_t type;
        uint64_t n;
        if (get_name(r, name, err) || get32(r, &type, err)) return -1;
        if (!type || type >= sizeof type_size / sizeof *type_size)
            return fail_header(r, err, "the type of an attribute");
        if (get_count(r, INT64_MAX / 16, &n, "the length of an attribute", err)) return -1;
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (!strcmp(name, texts[k].name)) text = texts[k].text;
        if (v && !strcmp(name, "scale_factor")) {
            if (n != 1 || (type != FLOAT && type != DOUBLE)) return fail_header(r, err, "a scale_factor");
            if (trj_input_read(r->in, raw, type_size[type], header_name, err)) return -1;
            v->scale = trj_xdr_real(raw, type_size[type]);
        } else if (text && type == CHAR) {
            if (get_text(r, n, text, TEXT, err)) return -1;
        } else if (trj_input_skip(r->in, padded(n * type_size[type]), header_name, err)) {
            return -1;
        }
    }
    return 0;
}

static int get_shape(struct trj_reader *r, struct variable *v, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    uint64_t rank, id;
    v->bytes = 1;
    if (get_count(r, MAX_DIMENSIONS, &rank, "the rank of a variable", err)) return -1;
    v->rank = (size_t)rank;
    for (size_t k = 0; k < v->rank; k++) {
        if (get_count(r, MAX_DIMENSIONS, &id, "a dimension of a variable", err)) return -1;
        if (id >= c->dimensions) return fail_header(r, err, "a dimension of a variable");
        uint64_t n = c->dimension[id];
        if (k < 3) v->length[k] = n;
        if (!n && k) return fail_header(r, err, "a variable whose inner dimension is that of the records");
        if (!n)
            v->record = true;
        else if (__builtin_mul_overflow(v->bytes, n, &v->bytes))
            return fail_header(r, err, "the size of a variable");
    }
    return 0;
}

static int get_variable(struct trj_reader *r, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    struct variable v = {.scale = 1};
    char name[NAME + 1];
    uint64_t given_size; // ignored, because it overflows for large variables
    int which = 0;
    if (get_name(r, name, err) || get_shape(r, &v, err) || get_attributes(r, &v, err) || get32(r, &v.type, err))
        return -1;
    if (!v.type || v.type >= sizeof type_size / sizeof *type_size) return fail_header(r, err, "the type of a variable");
    if (get(r, c->version == 5, &given_size, err) || get(r, c->version != 1, &v.begin, err)) return -1;
    if (__builtin_mul_overflow(v.bytes, type_size[v.type], &v.bytes) || v.bytes > INT64_MAX / 16 ||
        v.begin > INT64_MAX / 2)
        return fail_header(r, err, "the size of a variable");
    if (v.begin + v.bytes > c->ends[v.record]) c->ends[v.record] = v.begin + v.bytes;
    if (v.record) {
        c->record += padded(v.bytes); // cannot overflow, with at most MAX_ENTRIES variables
        if (c->record > INT64_MAX / 8) return fail_header(r, err, "the size of a record");
        c->last = v.bytes;
        c->record_variables++;
        if (v.begin < c->first) c->first = v.begin;
    }
    while (which < USED && strcmp(name, used[which].name)) which++;
    if (which == OTHER) return 0;
    if (c->v[which].type) return fail_header(r, err, "the name of a variable");
    c->v[which] = v;
    return 0;
}

static int get_header(struct trj_reader *r, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    unsigned char magic[4];
    uint64_t variables;
    if (trj_input_read(r->in, magic, sizeof magic, header_name, err)) return -1;
    c->version = magic[3];
    if (get(r, c->version == 5, &c->records, err)) return -1;
    if (c->records == (c->version == 5 ? UINT64_MAX : UINT32_MAX))
        c->records = UINT64_MAX; // the writer could not update the number
    if (get_dimensions(r, err) || get_attributes(r, NULL, err) || get_list(r, VARIABLES, MAX_ENTRIES, &variables, err))
        return -1;
    c->first = UINT64_MAX;
    for (; variables; variables--)
        if (get_variable(r, err)) return -1;
    if (!c->records && c->record_variables) c->records = UINT64_MAX; // the writer did not close the file
    if (c->record_variables == 1) c->record = c->last;               // a single record variable is not padded
    return 0;
}

// ---- the AMBER convention

static bool has_token(const char *list, const char *token) {
    size_t n = strlen(token);
    for (const char *p = list; (p = strstr(p, token)); p += n)
        if ((p == list || strchr(", ", p[-1])) && (!p[n] || strchr(", ", p[n]))) return true;
    return false;
}

static int check_convention(struct netcdf *c, struct trj_error *err) {
    c->restart = has_token(c->convention, "AMBERRESTART");
    if (!c->restart && !has_token(c->convention, "AMBER"))
        return trj_fail(err, TRJ_BAD_DATA, "is NetCDF with the Conventions '%s'; convert it to those of AMBER",
                        c->convention);
    if (*c->convention_version && strcmp(c->convention_version, "1.0"))
        return trj_fail(err, TRJ_BAD_DATA, "has the convention AMBER %s; use 1.0", c->convention_version);
    return 0;
}

// Checks a variable: its rank is that of the table, plus one if it has an entry for each frame. Sets stride, bytes and
// unit.
static int check_variable(struct netcdf *c, int which, struct trj_error *err) {
    struct variable *v = &c->v[which];
    const char *name = used[which].name;
    size_t rank = (size_t)used[which].rank;
    bool frames = v->rank == rank + 1;
    if (!frames && v->rank != rank) return trj_fail(err, TRJ_BAD_DATA, "%s has %zu dimensions", name, v->rank);
    if (v->type != FLOAT && v->type != DOUBLE)
        return trj_fail(err, TRJ_BAD_DATA, "the numbers of %s are not real", name);
    if (rank && v->length[v->rank - 1] != 3)
        return trj_fail(err, TRJ_BAD_DATA, "%s has %llu numbers, expected 3", name,
                        (unsigned long long)v->length[v->rank - 1]);
    uint64_t count = !frames ? 1 : v->record ? c->records : v->length[0];
    v->stride = v->record ? c->record : v->bytes;
    if (frames && !v->record) v->bytes = v->stride = v->bytes / v->length[0];
    if (which == COORDINATES)
        c->frames = count;
    else if (count < c->frames)
        return trj_fail(err, TRJ_BAD_DATA, "%s: %llu frames, but coordinates: %llu", name, (unsigned long long)count,
                        (unsigned long long)c->frames);
    if (!(v->scale > 0) || !isfinite(v->scale))
        return trj_fail(err, TRJ_BAD_DATA, "the scale_factor of %s is %g", name, v->scale);
    if (c->frames != UINT64_MAX && c->frames > INT64_MAX / 2 / v->stride)
        return trj_fail(err, TRJ_BAD_DATA, "its header gives %llu frames", (unsigned long long)c->frames);
    if (!*v->units) snprintf(v->units, sizeof v->units, "%s", used[which].unit);
    if (!used[which].parse_unit(v->units, &v->unit)) {
        if (which != TIME)
            return trj_fail(err, TRJ_BAD_DATA, "%s are in the unknown unit '%s'; write them in another unit", name,
                            v->units);
        v->unit = NAN;
    }
    return 0;
}

// A file without the unit but with the scale_factor of the convention also means the unit of the convention.
// Drops velocities that are not requested, and rejects a request for velocities that the file does not contain.
static int find_velocities(struct trj_reader *r, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    struct variable *v = &c->v[VELOCITIES];
    struct trj_motion_source *source = &r->motion_source[TRJ_MOTION_VELOCITY];
    bool by_convention = v->type && !*v->units && fabs(v->scale - 20.455) < 1e-3;
    if (by_convention) snprintf(v->units, sizeof v->units, "angstrom/picosecond");
    if (v->type) r->holds = TRJ_HAS_VELOCITY;
    snprintf(source->unit, sizeof source->unit, TRJ_VELOCITY_UNIT);
    snprintf(source->origin, sizeof source->origin,
             "AMBER NetCDF, %.40s%s, scale_factor %g; the file does not give their time", v->units,
             by_convention ? " by the convention" : "", v->scale);
    if (!r->internals->motion) *v = (struct variable){.type = 0};
    if (!r->internals->motion || v->type) return 0;
    return trj_fail(err, TRJ_USAGE, "--carry velocity: the file has no variable velocities; leave velocity out");
}

static int check_variables(struct trj_reader *r, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    struct variable *x = &c->v[COORDINATES];
    if (find_velocities(r, err)) return -1;
    if (!x->type) return trj_fail(err, TRJ_BAD_DATA, "has no coordinates");
    if (!c->v[LENGTHS].type != !c->v[ANGLES].type)
        return trj_fail(err, TRJ_BAD_DATA, "has only one of cell_lengths and cell_angles");
    for (int k = 0; k < USED; k++)
        if (c->v[k].type && check_variable(c, k, err)) return -1;
    uint64_t atoms = x->length[x->rank - 2];
    const struct variable *v = &c->v[VELOCITIES];
    if (v->type && v->length[v->rank - 2] != atoms)
        return trj_fail(err, TRJ_BAD_DATA, "velocities: %llu atoms, but coordinates: %llu",
                        (unsigned long long)v->length[v->rank - 2], (unsigned long long)atoms);
    if (!atoms || atoms > SIZE_MAX / (3 * sizeof(double)))
        return trj_fail(err, TRJ_BAD_DATA, "its header gives %llu atoms", (unsigned long long)atoms);
    r->atoms = (size_t)atoms;
    for (int k = 0; k < USED; k++) { // sort by position in a frame
        int position = k;
        for (; position && c->v[c->order[position - 1]].begin > c->v[k].begin; position--)
            c->order[position] = c->order[position - 1];
        c->order[position] = k;
    }
    return 0;
}

// Sets the number of frames, if the header does not give it, and the end of the last variable, which may be one that is
// not read.
static int count_frames(struct trj_reader *r, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    uint64_t size = 0, first = c->first, last_record = 0;
    r->can_seek = trj_input_size(r->in, &size);
    if (c->records == UINT64_MAX && c->record_variables) {
        // An incomplete record counts as one: reading it reports where the file is truncated.
        c->records = size > first ? (size - first + c->record - 1) / c->record : 0;
        if (c->frames == UINT64_MAX) c->frames = c->records;
    }
    if (c->record_variables && c->records &&
        (__builtin_mul_overflow(c->records - 1, c->record, &last_record) || last_record > INT64_MAX / 4))
        return trj_fail(err, TRJ_BAD_DATA, "its header gives %llu records", (unsigned long long)c->records);
    c->end = c->ends[false];
    if (c->records && last_record + c->ends[true] > c->end) c->end = last_record + c->ends[true];
    return 0;
}

// Returns whether the variables follow the header in the order in which frames are read.
static bool is_sequential(const struct netcdf *c, uint64_t header) {
    const struct variable *first = NULL;
    uint64_t end = header;
    for (int k = 0; k < USED; k++) {
        const struct variable *v = &c->v[c->order[k]];
        if (!v->type) continue;
        if (!first) first = v;
        if (v->begin < end || (c->frames > 1 && v->stride != first->stride)) return false;
        end = v->begin + v->bytes;
    }
    return c->records != UINT64_MAX && (c->frames < 2 || end <= first->begin + first->stride);
}

// Copies a pipe to a temporary file if it cannot be read in order. The header, which decides this, was buffered.
static int copy_if_needed(struct trj_reader *r, struct trj_error *err) {
    uint64_t header = trj_input_offset(r->in);
    if (trj_input_rewind(r->in, err)) return -1;
    if (!is_sequential(r->internals->state, header) &&
        (trj_input_spool(r->in, err) || trj_input_fingerprint(r->in, &r->fingerprint, err)))
        return -1;
    return trj_input_skip(r->in, header, header_name, err);
}

static int netcdf_open(struct trj_reader *r, struct trj_error *err) {
    // The number of frames is at the start of the file, and includes a frame before all of its variables are written.
    if (trj_input_is_live(r->in))
        return trj_fail(err, TRJ_USAGE,
                        "a growing file of the format netcdf cannot be read; read it when it is complete");
    struct netcdf *c = r->internals->state = trj_alloc(1, sizeof *c, "a NetCDF reader", err);
    if (!c) return -1;
    if (trj_input_mark(r->in, err)) return -1;
    if (get_header(r, err)) return -1;
    if (check_convention(c, err)) return -1;
    if (check_variables(r, err)) return -1;
    if (copy_if_needed(r, err)) return -1;
    if (count_frames(r, err)) return -1;
    r->header_frames = c->frames;
    snprintf(r->dialect, sizeof r->dialect, "%s, CDF-%d%s%.40s, %s precision", c->restart ? "restart" : "trajectory",
             c->version, *c->program ? " by " : "", c->program, c->v[COORDINATES].type == DOUBLE ? "double" : "single");
    return 0;
}

// ---- frames

// Moves to a position in frame r->next.
static int move_to(struct trj_reader *r, uint64_t position, const char *what, struct trj_error *err) {
    uint64_t here = trj_input_offset(r->in);
    return position >= here ? trj_input_skip(r->in, position - here, what, err) : trj_input_seek(r->in, position, err);
}

// After the last frame, skips to the end of the variables that are not read, such as velocities, so that a file
// truncated within them is detected.
static int move_to_end(struct trj_reader *r, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    uint64_t here = trj_input_offset(r->in);
    if (r->next + 1 < c->frames || here >= c->end) return 0;
    return trj_input_skip(r->in, c->end - here, "the variables that are not read", err);
}

static uint64_t position_of(const struct trj_reader *r, int which) {
    const struct netcdf *c = r->internals->state;
    return c->v[which].begin + r->next * c->v[which].stride;
}

static int read_numbers(struct trj_reader *r, int which, double v[3], struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    const struct variable *from = &c->v[which];
    unsigned char raw[3 * 8];
    if (trj_input_read(r->in, raw, (size_t)from->bytes, used[which].name, err)) return -1;
    size_t size = type_size[from->type];
    for (size_t k = 0; k < from->bytes / size; k++) {
        v[k] = trj_xdr_real(raw + k * size, size);
        if ((float)v[k] != (float)FILL)
            v[k] *= from->scale * from->unit;
        else if (which == TIME)
            v[k] = NAN;
        else
            return trj_fail(err, TRJ_BAD_DATA, "%s were never written", used[which].name);
    }
    return 0;
}

// A direction of length zero is not periodic. Angles with it are ignored.
static int set_cell(struct trj_cell *cell, const double length[3], const double angle[3], struct trj_error *err) {
    double cosine[3];
    unsigned none = 0;
    for (int k = 0; k < 3; k++) none |= length[k] == 0 ? 1u << k : 0;
    for (int k = 0; k < 3; k++) { // an angle is between the other two
        if (!(none & ~(1u << k)) && !(angle[k] > 0 && angle[k] < 180))
            return trj_fail(err, TRJ_BAD_DATA, "cell_angles has an angle of %g degrees", angle[k]);
        cosine[k] = none & ~(1u << k) ? 0 : trj_cosine(angle[k]);
    }
    if (trj_cell_set(cell, length, cosine, err)) return -1;
    cell->periodic &= ~none;
    return 0;
}

static int netcdf_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct netcdf *c = r->internals->state;
    const struct variable *x = &c->v[COORDINATES];
    struct trj_frame *f = &p->frame;
    double length[3] = {0}, angle[3] = {0}, time = NAN;
    double *to[USED] = {[LENGTHS] = length, [ANGLES] = angle, [TIME] = &time};
    if (r->next >= c->frames) return 0;
    for (int k = 0; k < USED; k++) {
        int which = c->order[k];
        struct trj_input_bytes *bytes = which == VELOCITIES ? &p->scratch : &p->bytes;
        if (!c->v[which].type) continue;
        if (move_to(r, position_of(r, which), used[which].name, err) ||
            (to[which] ? read_numbers(r, which, to[which], err)
                       : trj_xdr_read(r, bytes, c->v[which].bytes, 0, used[which].name, err)))
            return -1;
    }
    if (move_to_end(r, err)) return -1;
    if (set_cell(&f->cell, length, angle, err) && !trj_reader_ignores_cell(r, &f->cell)) return -1;
    f->step = TRJ_NO_STEP;
    f->time = time;
    f->unit = x->unit * x->scale;
    return 1;
}

static int decode_velocities(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    const struct variable *v = &c->v[VELOCITIES];
    struct trj_frame *f = &p->frame;
    if (trj_motion_resize(&f->motion, TRJ_HAS_VELOCITY, r->atoms, err)) return -1;
    f->motion->unit = v->unit * v->scale;
    trj_xdr_vectors(p->scratch.data, type_size[v->type], r->atoms, f->motion->velocity);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < r->atoms; i++)
            if (f->motion->velocity[k][i] == (float)FILL)
                return trj_fail(err, TRJ_BAD_DATA, "v%c of atom %zu (counted from 0) was never written", 'x' + k, i);
    return 0;
}

static int netcdf_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    const struct trj_frame *f = &p->frame;
    if (trj_xdr_decode(r, p, type_size[c->v[COORDINATES].type], err)) return -1;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < f->atoms; i++)
            if (f->x[k][i] == (float)FILL)
                return trj_fail(err, TRJ_BAD_DATA, "%c of atom %zu (counted from 0) was never written", 'x' + k, i);
    return c->v[VELOCITIES].type ? decode_velocities(r, p, err) : 0;
}

// Moves to the end of each variable of the frame, so that a file truncated within it is detected.
static int netcdf_skip(struct trj_reader *r, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    if (r->next >= c->frames) return 0;
    for (int k = 0; k < USED; k++) {
        int which = c->order[k];
        if (c->v[which].type && move_to(r, position_of(r, which) + c->v[which].bytes, used[which].name, err)) return -1;
    }
    return move_to_end(r, err) ? -1 : 1;
}

// The offset of a frame follows from its number. A truncated file may end before it.
static int netcdf_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    const struct netcdf *c = r->internals->state;
    uint64_t size;
    if (frame >= c->frames) return 0;
    for (int k = 0; k < USED && trj_input_size(r->in, &size); k++) {
        const struct variable *v = &c->v[k];
        uint64_t position = v->begin + frame * v->stride;
        if (!v->type || (position <= size && v->bytes <= size - position)) continue;
        trj_input_set_end_error(r->in, size, v->bytes, size > position ? size - position : 0, used[k].name, err);
        return trj_fail_at(err, "frame %llu", (unsigned long long)frame);
    }
    return 1;
}

static void netcdf_close(struct trj_reader *r) {
    struct netcdf *c = r->internals->state;
    if (!c) return;
    free(c->dimension);
    free(c);
}

static const struct trj_format_ops ops = {
    .is = netcdf_is,
    .open = netcdf_open,
    .read_raw = netcdf_read_raw,
    .decode = netcdf_decode,
    .motion = TRJ_HAS_VELOCITY,
    .skip = netcdf_skip,
    .seek = netcdf_seek,
    .close = netcdf_close,
};

const struct trj_format trj_format_netcdf = {
    .name = "netcdf",
    .help = "trajectories and restarts of Amber, AMBER convention 1.0, classic NetCDF",
    .listed_endings = {".nc", ".ncdf", ".netcdf", ".ncrst"},
    .ops = &ops,
};
