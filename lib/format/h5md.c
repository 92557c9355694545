// SPDX-License-Identifier: MIT
// Reads H5MD 1.x (https://www.nongnu.org/h5md/h5md.html): HDF5 files that contain, for each group of particles,
// elements such as position or box/edges. An element is a dataset that holds for all frames, or a group of `value`,
// `step` and `time` with an entry for each frame. Step and time may also be a single number, the increment between
// frames.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "reader_parts.h"

#ifdef TRJPIPE_HDF5
#include <errno.h>
#include <hdf5.h>
#include <sys/stat.h>

#include "child_reader.h"
#include "libraries.h"
#include "optional_library.h"
#include "units.h"

// The version is that of the header, because the library is loaded only when a file is opened.
#define DIGITS(x)                     #x
#define DOTTED(major, minor, release) DIGITS(major) "." DIGITS(minor) "." DIGITS(release)
const char *trj_version_of_HDF5(void) {
    return DOTTED(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

// Deflate expands a byte to at most 1032 bytes: a file that gives a larger size is damaged.
enum { MAX_DEFLATE_RATIO = 1032, TEXT = 64, RANK = 3 };

// Chunks may contain many frames. HDF5 caches 1 MiB; larger chunks get a cache of their size up to CACHE_MAX, so that
// each is decompressed once.
static const double CACHE_MIN = 1 << 20, CACHE_MAX = 1 << 28;

struct element {
    hid_t value, step, time; // 0: missing
    bool per_frame;          // `value` has an entry for each frame; else it holds for all frames
    hsize_t count;           // number of frames
    int rank;                // of an entry
    hsize_t length[RANK];    // of an entry
    double unit;             // Å
    bool incomplete;         // some chunks were not written
};

struct h5md {
    hid_t file;
    struct element position, edges, id, velocity, image; // velocity and image: only if they are requested
    unsigned periodic;
    double ps;                  // NaN: unknown
    bool gromacs;               // GROMACS has written the file
    float *x;                   // [atoms][3]
    int32_t *image_row;         // [atoms][3]
    int64_t *ids, *current_ids; // [atoms] of the first frame read, of the current frame; NULL: constant
    bool ids_known;
};

// ---- HDF5. The library is loaded when a file is opened: it brings curl, LDAP and Kerberos in some distributions, with
// which each start of a tool takes 6 to 37 ms instead of 1.

// Macros of the header would call functions of the library before they use a variable or a flag.
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

// The functions, with the types of the header: H5Aclose is HDF5.Aclose. The variable H5E_IO_g, which the macro H5E_IO
// of the header means, is *HDF5.E_IO; H5open() sets the variables.
// clang-format off
#define HDF5_FUNCTIONS(X) \
    X(Aclose) X(Aexists) X(Aget_space) X(Aget_type) X(Aopen) X(Aread) X(Dclose) X(Dget_chunk_info_by_coord) \
    X(Dget_create_plist) X(Dget_num_chunks) X(Dget_space) X(Dget_space_status) X(Dget_type) X(Dopen2) X(Dread) \
    X(Eset_auto2) X(Ewalk2) X(Fopen) X(Gget_info) X(Gopen2) X(Iget_type) X(Lexists) X(Lget_name_by_idx) X(Oopen) \
    X(Pclose) X(Pcreate) X(Pget_chunk) X(Pget_external_count) X(Pget_layout) X(Pset_chunk_cache) X(Pset_fapl_stdio) \
    X(Pset_fclose_degree) X(Sclose) X(Screate_simple) X(Sget_simple_extent_dims) X(Sget_simple_extent_npoints) \
    X(Sselect_hyperslab) X(Tclose) X(Tcopy) X(Tget_class) X(Tget_cset) X(Tget_size) X(Tis_variable_str) X(Tset_cset) \
    X(Tset_size) X(free_memory) X(open)
#define HDF5_VARIABLES(X) \
    X(E_CANTALLOC) X(E_IO) X(E_NOSPACE) X(E_READERROR) X(E_SEEKERROR) X(P_CLS_DATASET_ACCESS_ID) \
    X(P_CLS_FILE_ACCESS_ID) X(T_C_S1) X(T_NATIVE_DOUBLE) X(T_NATIVE_FLOAT) X(T_NATIVE_INT) X(T_NATIVE_INT64)
// clang-format on

#define FUNCTION(name) __typeof__(H5##name) *name; // NOLINT(bugprone-macro-parentheses)
#define VARIABLE(name) const hid_t *name;          // NOLINT(bugprone-macro-parentheses)
static struct {
    HDF5_FUNCTIONS(FUNCTION)
    HDF5_VARIABLES(VARIABLE)
} HDF5;

#define FUNCTION_SYMBOL(name) {"H5" #name, &HDF5.name},
#define VARIABLE_SYMBOL(name) {"H5" #name "_g", &HDF5.name},
static const struct trj_symbol symbols[] = {HDF5_FUNCTIONS(FUNCTION_SYMBOL) HDF5_VARIABLES(VARIABLE_SYMBOL)};

// The last error text of HDF5, which keeps it only until the next call.
static _Thread_local char hdf5_error[256];

// Failures since the start of the last open or read that the file did not cause: memory and input errors. A missing
// attribute or group may be a consequence, so that such a failure is always an error.
static _Thread_local char memory_failure[256], io_failure[256];
static _Thread_local bool lookup_failed; // a lookup failed, so that the name only seems to be missing

static herr_t record_innermost(unsigned n, const H5E_error2_t *e, void *unused) {
    (void)unused;
    const char *text = e->desc ? e->desc : "";
    bool memory = e->min_num == *HDF5.E_NOSPACE || e->min_num == *HDF5.E_CANTALLOC;
    bool io = e->maj_num == *HDF5.E_IO && (e->min_num == *HDF5.E_READERROR || e->min_num == *HDF5.E_SEEKERROR);
    if (!n) snprintf(hdf5_error, sizeof hdf5_error, "%s", text);
    if (!n && memory && !*memory_failure) snprintf(memory_failure, sizeof memory_failure, "%s", text);
    if (!n && io && !*io_failure) snprintf(io_failure, sizeof io_failure, "%s", text);
    return 0;
}

static herr_t record_errors(hid_t stack, void *unused) {
    return HDF5.Ewalk2(stack, H5E_WALK_UPWARD, record_innermost, unused);
}

static int fail(struct trj_error *err, const char *what) {
    return trj_fail(err, TRJ_BAD_DATA, "%s cannot be read: HDF5 reports '%s'", what, hdf5_error);
}

static void forget_failures(void) {
    *hdf5_error = *memory_failure = *io_failure = 0;
    lookup_failed = false;
}

// Returns the result of an open or a read, or -1 if a failure that the file did not cause may have changed it.
static int check_failures(int rc, struct trj_error *err) {
    if (*memory_failure) return trj_fail(err, TRJ_FAILED, "out of memory: HDF5 reports '%s'", memory_failure);
    if (*io_failure) return trj_fail(err, TRJ_FAILED, "cannot read: HDF5 reports '%s'", io_failure);
    return lookup_failed && rc >= 0 ? fail(err, "a name") : rc;
}

static bool exists(hid_t group, const char *name) {
    htri_t is = HDF5.Lexists(group, name, H5P_DEFAULT);
    lookup_failed = lookup_failed || is < 0;
    return is > 0;
}

static bool has_attribute(hid_t object, const char *name) {
    htri_t is = HDF5.Aexists(object, name);
    lookup_failed = lookup_failed || is < 0;
    return is > 0;
}

// Reads a text attribute; empty if it is missing.
static void get_text(hid_t object, const char *name, char text[TEXT]) {
    *text = 0;
    hid_t a = has_attribute(object, name) ? HDF5.Aopen(object, name, H5P_DEFAULT) : -1;
    if (a < 0) return;
    hid_t type = HDF5.Aget_type(a), space = HDF5.Aget_space(a);
    if (HDF5.Tget_class(type) == H5T_STRING && HDF5.Sget_simple_extent_npoints(space) == 1) {
        hid_t to = HDF5.Tcopy(*HDF5.T_C_S1);
        HDF5.Tset_cset(to, HDF5.Tget_cset(type));
        if (HDF5.Tis_variable_str(type) > 0) {
            char *p = NULL;
            HDF5.Tset_size(to, H5T_VARIABLE);
            if (HDF5.Aread(a, to, &p) < 0) lookup_failed = true;
            if (p) snprintf(text, TEXT, "%s", p);
            HDF5.free_memory(p);
        } else {
            HDF5.Tset_size(to, TEXT);
            if (HDF5.Aread(a, to, text) < 0) {
                lookup_failed = true;
                *text = 0;
            }
            text[TEXT - 1] = 0;
        }
        HDF5.Tclose(to);
    }
    HDF5.Sclose(space);
    HDF5.Tclose(type);
    HDF5.Aclose(a);
    for (size_t n = strlen(text); n && text[n - 1] == ' ';) text[--n] = 0;
    trj_replace_control_chars(text);
}

// Reads the attribute `offset` of a step or time; *value is unchanged if it is missing. Returns 0 or -1.
static int get_offset(hid_t set, hid_t type, void *value, struct trj_error *err) {
    if (!has_attribute(set, "offset")) return 0;
    hid_t a = HDF5.Aopen(set, "offset", H5P_DEFAULT), space = HDF5.Aget_space(a);
    bool valid = HDF5.Sget_simple_extent_npoints(space) == 1 && HDF5.Aread(a, type, value) >= 0;
    HDF5.Sclose(space);
    HDF5.Aclose(a);
    return valid ? 0 : fail(err, "an offset");
}

// Returns the rank of a dataset, and sets its lengths; -1 on failure.
static int get_shape(hid_t set, hsize_t length[H5S_MAX_RANK]) {
    hid_t space = HDF5.Dget_space(set);
    int rank = HDF5.Sget_simple_extent_dims(space, length, NULL);
    HDF5.Sclose(space);
    return rank;
}

// Reads the entry of frame n.
static int read_hyperslab(hid_t set, uint64_t n, hid_t type, void *to, const char *what, struct trj_error *err) {
    hsize_t start[H5S_MAX_RANK] = {n}, count[H5S_MAX_RANK];
    hid_t space = HDF5.Dget_space(set), memory = -1;
    int rank = HDF5.Sget_simple_extent_dims(space, count, NULL);
    count[0] = 1;
    bool valid = rank > 0 && HDF5.Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                 (memory = HDF5.Screate_simple(rank, count, NULL)) >= 0 &&
                 HDF5.Dread(set, type, memory, space, H5P_DEFAULT, to) >= 0;
    if (memory >= 0) HDF5.Sclose(memory);
    HDF5.Sclose(space);
    return valid ? 0 : fail(err, what);
}

static int read_element(const struct element *e, uint64_t n, hid_t type, void *to, const char *what,
                        struct trj_error *err) {
    if (e->per_frame) return read_hyperslab(e->value, n, type, to, what, err);
    return HDF5.Dread(e->value, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0 ? fail(err, what) : 0;
}

// ---- elements of the file

// Checks that an element is stored in this file, is not larger than the file can contain, and was written; sets
// `incomplete` if chunks are missing. *cache: bytes of the chunks that contain a frame, if they contain several.
static int check_storage(struct element *e, uint64_t size, const char *name, double *cache, struct trj_error *err) {
    hid_t list = HDF5.Dget_create_plist(e->value), type = HDF5.Dget_type(e->value);
    hsize_t chunk[H5S_MAX_RANK], length[H5S_MAX_RANK], chunks = 0;
    double number = (double)HDF5.Tget_size(type), bytes = number, chunk_bytes = number, total = 1, per_frame_chunks = 1;
    int layout = HDF5.Pget_layout(list), external_files = HDF5.Pget_external_count(list),
        rank = get_shape(e->value, length);
    if (layout == H5D_CHUNKED) {
        HDF5.Pget_chunk(list, rank, chunk);
        for (int k = 0; k < rank; k++) {
            double n = ceil((double)length[k] / (double)chunk[k]);
            chunk_bytes *= (double)chunk[k];
            total *= n;
            if (k || !e->per_frame) per_frame_chunks *= n;
        }
        *cache = chunk[0] > 1 ? per_frame_chunks * chunk_bytes : 0;
    }
    for (int k = 0; k < e->rank; k++) bytes *= (double)e->length[k];
    HDF5.Tclose(type);
    HDF5.Pclose(list);
    if (layout == H5D_VIRTUAL || external_files)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains %s in other files, which is not supported; copy them into this file", name);
    if (fmax(bytes, layout == H5D_CHUNKED ? chunk_bytes : 0) > (double)size * MAX_DEFLATE_RATIO)
        return trj_fail(err, TRJ_BAD_DATA, "its header gives %s of %g bytes per frame, in a file of %llu", name, bytes,
                        (unsigned long long)size);
    if (layout == H5D_CHUNKED) {
        hid_t space = HDF5.Dget_space(e->value);
        herr_t rc = HDF5.Dget_num_chunks(e->value, space, &chunks);
        HDF5.Sclose(space);
        e->incomplete = (double)chunks < total;
        return rc < 0 ? fail(err, name) : 0;
    }
    H5D_space_status_t status = H5D_SPACE_STATUS_NOT_ALLOCATED;
    if (HDF5.Dget_space_status(e->value, &status) < 0) return fail(err, name);
    if (status != H5D_SPACE_STATUS_ALLOCATED && e->count)
        return trj_fail(err, TRJ_BAD_DATA, "has %s that were never written", name);
    return 0;
}

// Opens `value` again with a larger chunk cache, if required.
static int use_cache(hid_t group, struct element *e, double cache, const char *name, struct trj_error *err) {
    if (!(cache > CACHE_MIN)) return 0;
    hid_t access = HDF5.Pcreate(*HDF5.P_CLS_DATASET_ACCESS_ID);
    HDF5.Pset_chunk_cache(access, 10007, (size_t)fmin(cache, CACHE_MAX), 1);
    HDF5.Dclose(e->value);
    e->value = HDF5.Dopen2(group, "value", access);
    HDF5.Pclose(access);
    return e->value < 0 ? fail(err, name) : 0;
}

// HDF5 returns zeros for chunks that were not written. If some are missing, checks the first and the last chunk of a
// frame.
static int check_written(const struct element *e, uint64_t n, const char *name, struct trj_error *err) {
    for (int last = 0; e->incomplete && last < 2; last++) {
        hsize_t chunk[RANK + 1] = {e->per_frame ? n : 0}, bytes = 0;
        int first = e->per_frame ? 1 : 0;
        for (int k = 0; k < e->rank && last; k++) chunk[first + k] = e->length[k] - 1;
        haddr_t place = HADDR_UNDEF;
        unsigned mask;
        if (HDF5.Dget_chunk_info_by_coord(e->value, chunk, &mask, &place, &bytes) < 0) return fail(err, name);
        if (place == HADDR_UNDEF) return trj_fail(err, TRJ_BAD_DATA, "%s were never written", name);
    }
    return 0;
}

// Opens an element. `max`: maximum rank of an entry. Returns 1, 0 if the group lacks the element, -1.
static int open_element(hid_t group, const char *name, H5T_class_t kind, int max, uint64_t size, struct element *e,
                        struct trj_error *err) {
    hsize_t length[H5S_MAX_RANK];
    double cache = 0;
    if (!exists(group, name)) return 0;
    hid_t object = HDF5.Oopen(group, name, H5P_DEFAULT);
    if (object < 0) return fail(err, name);
    e->per_frame = HDF5.Iget_type(object) == H5I_GROUP;
    e->value = object;
    if (e->per_frame) {
        if (!exists(object, "value")) return trj_fail(err, TRJ_BAD_DATA, "has no value of %s", name);
        if ((e->value = HDF5.Dopen2(object, "value", H5P_DEFAULT)) < 0) return fail(err, name);
        if (exists(object, "step") && (e->step = HDF5.Dopen2(object, "step", H5P_DEFAULT)) < 0)
            return fail(err, "step");
        if (exists(object, "time") && (e->time = HDF5.Dopen2(object, "time", H5P_DEFAULT)) < 0)
            return fail(err, "time");
    } else if (HDF5.Iget_type(object) != H5I_DATASET) {
        return trj_fail(err, TRJ_BAD_DATA, "has %s which are neither a dataset nor a group", name);
    }
    hid_t type = HDF5.Dget_type(e->value);
    bool valid = HDF5.Tget_class(type) == kind;
    HDF5.Tclose(type);
    int rank = get_shape(e->value, length);
    e->rank = rank - e->per_frame;
    if (!valid) return trj_fail(err, TRJ_BAD_DATA, "has %s with numbers of an unsupported type", name);
    if (e->rank < 1 || e->rank > max) return trj_fail(err, TRJ_BAD_DATA, "has %s of %d dimensions", name, rank);
    e->count = e->per_frame ? length[0] : 1;
    for (int k = 0; k < e->rank; k++) e->length[k] = length[k + e->per_frame];
    if (check_storage(e, size, name, &cache, err) || (e->per_frame && use_cache(object, e, cache, name, err)))
        return -1;
    return 1;
}

// Returns the only group of particles with positions, or -1.
static hid_t open_particles(hid_t file, struct trj_error *err) {
    H5G_info_t info;
    char found[TEXT * 8] = "", name[256];
    unsigned count = 0;
    hid_t particles = exists(file, "particles") ? HDF5.Gopen2(file, "particles", H5P_DEFAULT) : -1, one = -1;
    if (particles < 0 || HDF5.Gget_info(particles, &info) < 0)
        return trj_fail(err, TRJ_BAD_DATA, "has no group /particles");
    for (hsize_t k = 0; k < info.nlinks; k++) {
        if (HDF5.Lget_name_by_idx(particles, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT) < 0)
            continue;
        hid_t group = HDF5.Gopen2(particles, name, H5P_DEFAULT);
        if (group < 0 || !exists(group, "position")) continue;
        one = group;
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%s", count++ ? ", " : "", name);
    }
    if (!count) return trj_fail(err, TRJ_BAD_DATA, "has no positions in /particles");
    if (count > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "has %u groups of particles, but only one can be read: %s; keep one of them in the file", count,
                        found);
    return one;
}

static int check_version(hid_t file, char creator[TEXT], struct trj_error *err) {
    int version[2] = {0};
    *creator = 0;
    if (!exists(file, "h5md"))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "is HDF5, but not H5MD: group /h5md is missing; if it is NetCDF-4, convert it with nccopy -k classic");
    hid_t group = HDF5.Gopen2(file, "h5md", H5P_DEFAULT);
    hid_t a = group >= 0 && has_attribute(group, "version") ? HDF5.Aopen(group, "version", H5P_DEFAULT) : -1;
    if (a < 0) return trj_fail(err, TRJ_BAD_DATA, "is H5MD without a version");
    hid_t space = HDF5.Aget_space(a);
    bool valid = HDF5.Sget_simple_extent_npoints(space) == 2 && HDF5.Aread(a, *HDF5.T_NATIVE_INT, version) >= 0;
    HDF5.Sclose(space);
    if (!valid || version[0] != 1)
        return trj_fail(err, TRJ_BAD_DATA, "is H5MD of version %d.%d; use 1.0 or 1.1", version[0], version[1]);
    hid_t creator_group = exists(group, "creator") ? HDF5.Gopen2(group, "creator", H5P_DEFAULT) : -1;
    if (creator_group >= 0) get_text(creator_group, "name", creator);
    return 0;
}

// Reads the attribute `boundary`: three words, `periodic` or `none`.
static int get_boundary(hid_t box, unsigned *periodic, struct trj_error *err) {
    *periodic = 0;
    hid_t a = has_attribute(box, "boundary") ? HDF5.Aopen(box, "boundary", H5P_DEFAULT) : -1;
    if (a < 0) return trj_fail(err, TRJ_BAD_DATA, "has a box without a boundary");
    hid_t type = HDF5.Aget_type(a), space = HDF5.Aget_space(a), to = HDF5.Tcopy(*HDF5.T_C_S1);
    char fixed[3][TEXT] = {{0}}, *pointer[3] = {NULL};
    bool variable = HDF5.Tis_variable_str(type) > 0;
    bool valid = HDF5.Tget_class(type) == H5T_STRING && HDF5.Sget_simple_extent_npoints(space) == 3;
    HDF5.Tset_size(to, variable ? H5T_VARIABLE : TEXT);
    HDF5.Tset_cset(to, HDF5.Tget_cset(type));
    valid = valid && HDF5.Aread(a, to, variable ? (void *)pointer : (void *)fixed) >= 0;
    for (unsigned k = 0; k < 3 && valid; k++) {
        const char *word = variable ? pointer[k] : fixed[k];
        if (!variable) fixed[k][TEXT - 1] = 0;
        bool is = word && !strncmp(word, "periodic", 8);
        *periodic |= is ? 1u << k : 0;
        valid = is || (word && !strncmp(word, "none", 4));
    }
    for (int k = 0; k < 3; k++) HDF5.free_memory(pointer[k]);
    HDF5.Tclose(to);
    HDF5.Sclose(space);
    HDF5.Tclose(type);
    HDF5.Aclose(a);
    return valid ? 0 : trj_fail(err, TRJ_BAD_DATA, "has a boundary that is not three times 'periodic' or 'none'");
}

static int get_box(struct trj_reader *r, hid_t particles, uint64_t size, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    struct element *e = &h->edges;
    if (!exists(particles, "box")) return 0;
    hid_t box = HDF5.Gopen2(particles, "box", H5P_DEFAULT);
    if (box < 0) return fail(err, "box");
    if (get_boundary(box, &h->periodic, err)) return -1;
    int got = open_element(box, "edges", H5T_FLOAT, 2, size, e, err);
    if (got < 0) return -1;
    if (!got && h->periodic) return trj_fail(err, TRJ_BAD_DATA, "has a periodic box without edges");
    if (got && (e->length[0] != 3 || (e->rank == 2 && e->length[1] != 3)))
        return trj_fail(err, TRJ_BAD_DATA, "has edges that are neither 3 nor 3 x 3 numbers");
    if (got && e->per_frame && e->count < h->position.count)
        return trj_fail(err, TRJ_BAD_DATA, "has edges of %llu frames, positions of %llu", (unsigned long long)e->count,
                        (unsigned long long)h->position.count);
    return 0;
}

// Sets *unit in Å from the attribute `unit`; `fallback` if it is missing.
static int get_unit(const struct element *e, const char *name, double fallback, double *unit, struct trj_error *err) {
    char text[TEXT];
    get_text(e->value, "unit", text);
    *unit = fallback;
    if (!*text || trj_unit_length(text, unit)) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "unknown unit of %s: '%s'; write it in another unit", name, text);
}

static int get_units(struct trj_reader *r, const char *creator, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    char text[TEXT] = "";
    bool gromacs = h->gromacs = !strncmp(creator, "GROMACS", 7); // GROMACS writes no units; they are nm and ps
    if (get_unit(&h->position, "positions", gromacs ? 10 : NAN, &h->position.unit, err)) return -1;
    if (isnan(h->position.unit)) {
        r->note = "its positions have no unit: they are assumed to be in Angstrom";
        r->note_stays = true;
        h->position.unit = 1;
    }
    if (h->edges.value && get_unit(&h->edges, "edges", h->position.unit, &h->edges.unit, err)) return -1;
    if (h->position.time) get_text(h->position.time, "unit", text);
    h->ps = gromacs ? 1 : NAN;
    if (*text && !trj_unit_time(text, &h->ps)) h->ps = NAN;
    return 0;
}

// Sets unit and origin of the velocities. GROMACS writes no units; its velocities are in nm/ps.
static int describe_velocities(struct trj_reader *r, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    struct trj_motion_source *s = &r->motion_source[TRJ_MOTION_VELOCITY];
    char text[TEXT] = "";
    get_text(h->velocity.value, "unit", text);
    h->velocity.unit = 1;
    bool known = *text && trj_unit_velocity(text, &h->velocity.unit);
    if (!*text && h->gromacs) {
        known = true;
        h->velocity.unit = 10;
    }
    if (*text && !known)
        return trj_fail(err, TRJ_BAD_DATA, "unknown unit of velocities: '%s'; write them in another unit", text);
    if (known) snprintf(s->unit, sizeof s->unit, TRJ_VELOCITY_UNIT);
    snprintf(s->origin, sizeof s->origin, "H5MD, element velocity, %s",
             *text   ? text
             : known ? "nm/ps as GROMACS"
                     : "without a unit");
    return 0;
}

// Opens what is requested besides positions, and sets what the file contains. Rejects a request for what it lacks.
static int open_motion(struct trj_reader *r, hid_t particles, uint64_t size, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    static const char *const names[TRJ_MOTION_KINDS] = {"velocity", "image"};
    struct element *elements[TRJ_MOTION_KINDS] = {&h->velocity, &h->image};
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        struct element *e = elements[k];
        r->holds |= exists(particles, names[k]) ? 1u << k : 0u;
        if (!(r->internals->motion >> k & 1)) continue;
        int got = open_element(particles, names[k], k ? H5T_INTEGER : H5T_FLOAT, 2, size, e, err);
        if (got < 0) return -1;
        if (!got)
            return trj_fail(err, TRJ_BAD_DATA, "--carry %s: the group of particles has no element %s; leave %s out",
                            trj_motion_names[k], names[k], trj_motion_names[k]);
        if (e->rank != 2 || e->length[0] != r->atoms || e->length[1] != 3 || e->per_frame != h->position.per_frame ||
            e->count < h->position.count)
            return trj_fail(err, TRJ_BAD_DATA, "has %s of other atoms or frames than the positions",
                            trj_motion_plurals[k]);
    }
    if (h->image.value && !(h->image_row = trj_alloc(r->atoms, 3 * sizeof *h->image_row, "image flags", err)))
        return -1;
    snprintf(r->motion_source[TRJ_MOTION_IMAGE].origin, sizeof r->motion_source[TRJ_MOTION_IMAGE].origin,
             "H5MD, element image");
    return h->velocity.value ? describe_velocities(r, err) : 0;
}

static int open_parts(struct trj_reader *r, struct trj_error *err) {
    struct h5md *h = r->internals->state = trj_alloc(1, sizeof *h, "an H5MD reader", err);
    char path[TRJ_INPUT_PATH], creator[TEXT];
    struct stat file;
    uint64_t size = 0;
    if (!h) return -1;
    trj_input_path(r->in, path);
    trj_input_size(r->in, &size);
    hid_t access = HDF5.Pcreate(*HDF5.P_CLS_FILE_ACCESS_ID);
    HDF5.Pset_fclose_degree(access, H5F_CLOSE_STRONG); // H5Fclose also closes all objects of the file
    // The default driver cannot open a temporary file that has been unlinked, because it requires its name. The stdio
    // driver can, but does not report why a file is invalid.
    if (!stat(path, &file) && !file.st_nlink) HDF5.Pset_fapl_stdio(access);
    h->file = HDF5.Fopen(path, H5F_ACC_RDONLY, access);
    HDF5.Pclose(access);
    if (h->file < 0) return fail(err, "the file");
    if (check_version(h->file, creator, err)) return -1;
    hid_t particles = open_particles(h->file, err);
    if (particles < 0) return -1;
    struct element *x = &h->position;
    if (open_element(particles, "position", H5T_FLOAT, 2, size, x, err) < 0) return -1;
    if (x->rank != 2 || x->length[1] != 3 || !x->length[0])
        return trj_fail(err, TRJ_BAD_DATA, "has positions of %d dimensions, not of atoms times 3", x->rank);
    if (get_box(r, particles, size, err) || get_units(r, creator, err)) return -1;
    r->atoms = (size_t)x->length[0];
    r->header_frames = x->count;
    r->can_seek = true;
    if (!(h->x = trj_alloc(r->atoms, 3 * sizeof *h->x, "coordinates", err))) return -1;
    int got = open_element(particles, "id", H5T_INTEGER, 1, size, &h->id, err);
    if (got < 0) return -1;
    if (got && h->id.per_frame) { // the order of atoms may change
        if (h->id.length[0] != r->atoms || h->id.count < x->count)
            return trj_fail(err, TRJ_BAD_DATA, "has ids of other atoms or frames than the positions");
        if (!(h->ids = trj_alloc(r->atoms, sizeof *h->ids, "ids", err)) ||
            !(h->current_ids = trj_alloc(r->atoms, sizeof *h->current_ids, "ids", err)))
            return -1;
    }
    if (open_motion(r, particles, size, err)) return -1;
    hid_t type = HDF5.Dget_type(x->value);
    snprintf(r->dialect, sizeof r->dialect, "by %.40s, %s precision", *creator ? creator : "an unknown program",
             HDF5.Tget_size(type) > sizeof(float) ? "double" : "single");
    HDF5.Tclose(type);
    return 0;
}

static int open_file(struct trj_reader *r, struct trj_error *err) {
    forget_failures();
    return check_failures(open_parts(r, err), err);
}

// Loads the library. Plugins that decompress chunks may need its symbols.
static int load_library(struct trj_error *err) {
    if (trj_library_load(TRJPIPE_HDF5, RTLD_GLOBAL, symbols, sizeof symbols / sizeof *symbols)) return 0;
    const char *reason = dlerror();
    if (reason && strstr(reason, strerror(ENOENT)))
        return trj_fail(err, TRJ_NO_ENGINE,
                        "cannot read h5md: HDF5 is missing: %s; install it (Debian, Ubuntu: libhdf5-dev; Fedora, "
                        "conda: hdf5), or compile trjpipe again if its version has changed",
                        reason);
    return trj_fail(err, TRJ_FAILED, "HDF5 cannot be loaded: %s; out of memory, or it is not installed properly",
                    reason ? reason : "no reason is given");
}

static int start_library(struct trj_error *err) {
    if (load_library(err)) return -1;
    // HDF5 calls record_errors instead of printing.
    if (HDF5.open() < 0 || HDF5.Eset_auto2(H5E_DEFAULT, record_errors, NULL) < 0)
        return trj_fail(err, TRJ_FAILED, "HDF5 cannot be started: out of memory, or it is not installed properly");
    return 0;
}

// ---- frames

// get_step and get_time read step and time of frame n: an entry, or a multiple of the increment.
static int get_step(hid_t set, uint64_t n, int64_t *step, struct trj_error *err) {
    hsize_t length[H5S_MAX_RANK];
    int64_t offset = 0;
    *step = TRJ_NO_STEP;
    if (set <= 0) return 0;
    int rank = get_shape(set, length);
    if (rank == 1 && length[0] > n) return read_hyperslab(set, n, *HDF5.T_NATIVE_INT64, step, "step", err);
    if (rank) return trj_fail(err, TRJ_BAD_DATA, "the step is missing");
    if (HDF5.Dread(set, *HDF5.T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, step) < 0) return fail(err, "step");
    if (get_offset(set, *HDF5.T_NATIVE_INT64, &offset, err)) return -1;
    if (n > INT64_MAX || __builtin_mul_overflow(*step, (int64_t)n, step) || __builtin_add_overflow(*step, offset, step))
        return trj_fail(err, TRJ_BAD_DATA, "the step is too large");
    return 0;
}

static int get_time(hid_t set, uint64_t n, double ps, double *time, struct trj_error *err) {
    hsize_t length[H5S_MAX_RANK];
    double offset = 0;
    *time = NAN;
    if (set <= 0) return 0;
    int rank = get_shape(set, length);
    if (rank > 1 || (rank == 1 && length[0] <= n)) return trj_fail(err, TRJ_BAD_DATA, "the time is missing");
    if (rank) {
        if (read_hyperslab(set, n, *HDF5.T_NATIVE_DOUBLE, time, "time", err)) return -1;
    } else {
        if (HDF5.Dread(set, *HDF5.T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) < 0) return fail(err, "time");
        if (get_offset(set, *HDF5.T_NATIVE_DOUBLE, &offset, err)) return -1;
        *time = offset + *time * (double)n;
    }
    *time *= ps;
    return 0;
}

// An element with steps must have the step of the positions.
static int check_step(const struct element *e, uint64_t n, int64_t step, const char *name, struct trj_error *err) {
    int64_t own = TRJ_NO_STEP;
    if (!e->per_frame || get_step(e->step, n, &own, err)) return e->per_frame ? -1 : 0;
    if (own == TRJ_NO_STEP || step == TRJ_NO_STEP || own == step) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the %s are of step %lld, the positions of step %lld", name, (long long)own,
                    (long long)step);
}

static int get_cell(const struct trj_reader *r, uint64_t n, struct trj_cell *cell, struct trj_error *err) {
    const struct h5md *h = r->internals->state;
    const struct element *e = &h->edges;
    double v[9] = {0}, max = 0;
    *cell = (struct trj_cell){0};
    if (!e->value) return 0;
    if (check_written(e, n, "edges", err) || read_element(e, n, *HDF5.T_NATIVE_DOUBLE, v, "edges", err)) return -1;
    if (e->rank == 1) v[4] = v[1], v[8] = v[2], v[1] = v[2] = 0;
    for (int k = 0; k < 9; k++) {
        if (!isfinite(v[k])) {
            if (!(h->periodic & 1u << k / 3)) continue; // the vector has no meaning, and is unknown
            if (trj_reader_ignores_cell(r, cell)) return 0;
            return trj_fail(err, TRJ_BAD_DATA, "cell vector %c has a component of %g", 'a' + k / 3, v[k]);
        }
        cell->h[k / 3][k % 3] = v[k] * e->unit;
        max = fmax(max, fabs(v[k]));
    }
    cell->periodic = max > 0 ? h->periodic : 0; // nine zeros: no cell
    return 0;
}

static int check_ids(struct h5md *h, uint64_t n, size_t atoms, struct trj_error *err) {
    if (!h->ids) return 0;
    int64_t *to = h->ids_known ? h->current_ids : h->ids;
    if (read_element(&h->id, n, *HDF5.T_NATIVE_INT64, to, "id", err)) return -1;
    for (size_t i = 0; i < atoms && h->ids_known; i++)
        if (h->current_ids[i] != h->ids[i])
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %zu (counted from 0) has the id %lld, and %lld in the first frame read; write the "
                            "atoms in a constant order",
                            i, (long long)h->current_ids[i], (long long)h->ids[i]);
    h->ids_known = true;
    return 0;
}

// Reads the velocities and image flags that are requested.
static int read_motion(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    struct element *v = &h->velocity, *i = &h->image;
    if (trj_motion_resize(&f->motion, r->internals->motion, r->atoms, err)) return -1;
    f->motion->unit = v->unit;
    if (v->value) {
        if (check_step(v, r->next, f->step, "velocities", err) || check_written(v, r->next, "velocities", err) ||
            read_element(v, r->next, *HDF5.T_NATIVE_FLOAT, h->x, "velocities", err))
            return -1;
        for (size_t n = 0; n < r->atoms; n++)
            for (size_t k = 0; k < 3; k++) f->motion->velocity[k][n] = h->x[3 * n + k];
    }
    if (i->value) {
        if (check_step(i, r->next, f->step, "image flags", err) || check_written(i, r->next, "image flags", err) ||
            read_element(i, r->next, *HDF5.T_NATIVE_INT, h->image_row, "image flags", err))
            return -1;
        for (size_t n = 0; n < r->atoms; n++)
            for (size_t k = 0; k < 3; k++) f->motion->image[k][n] = h->image_row[3 * n + k];
    }
    return 0;
}

static int read_one(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    const struct element *x = &h->position;
    if (r->next >= x->count) return 0;
    if (check_written(x, r->next, "positions", err)) return -1;
    if (read_element(x, r->next, *HDF5.T_NATIVE_FLOAT, h->x, "positions", err)) return -1;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    if (get_step(x->step, r->next, &f->step, err)) return -1;
    if (get_time(x->time, r->next, h->ps, &f->time, err)) return -1;
    if (check_step(&h->edges, r->next, f->step, "edges", err)) return -1;
    if (get_cell(r, r->next, &f->cell, err)) return -1;
    if (check_ids(h, r->next, r->atoms, err)) return -1;
    if (trj_input_check_size(r->in, err)) return -1; // HDF5 reads zeros after the end
    for (size_t i = 0; i < f->atoms; i++)
        for (size_t k = 0; k < 3; k++) f->x[k][i] = h->x[3 * i + k];
    if (r->internals->motion && read_motion(r, f, err)) return -1;
    f->index = r->next;
    f->unit = x->unit;
    return 1;
}

static int read_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    forget_failures();
    return check_failures(read_one(r, f, err), err);
}

// ---- the format. HDF5 crashes or hangs on some damaged files, and so runs in a child process.

static int h5md_open(struct trj_reader *r, struct trj_error *err) {
    static const struct trj_child_reader_ops child_ops = {"HDF5", start_library, open_file, read_frame};
    return trj_child_reader_open(r, &child_ops, err);
}

static int h5md_skip(struct trj_reader *r, struct trj_error *err) {
    (void)err;
    return r->next < r->header_frames;
}

static int h5md_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    (void)err;
    return frame < r->header_frames;
}
#endif

static bool h5md_is(const unsigned char *head, size_t n) {
    return n >= 8 && !memcmp(head, "\x89HDF\r\n\x1a\n", 8);
}

static const struct trj_format_ops ops = {
    .seeks = true,
    .is = h5md_is,
#ifdef TRJPIPE_HDF5
    .open = h5md_open,
    .read = trj_child_reader_read,
    .motion = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE,
    .skip = h5md_skip,
    .seek = h5md_seek,
    .close = trj_child_reader_close,
#endif
};

const struct trj_format trj_format_h5md = {
    .name = "h5md",
    .help = "H5MD 1.0 and 1.1, of one group of particles",
    .listed_endings = {".h5md", ".h5", ".hdf5"},
#ifndef TRJPIPE_HDF5
    .lacks = "HDF5 (make HDF5=yes)",
#endif
    .ops = &ops,
};
