// SPDX-License-Identifier: MIT
// Loads HDF5, collects its errors, and reads datasets, so that each format that is HDF5 contains only its own names.
#ifdef TRJPIPE_HDF5
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hdf5_file.h"
#include "libraries.h"
#include "optional_library.h"

// The version is that of the header, because the library is loaded only when a file is opened.
#define DIGITS(x)                     #x
#define DOTTED(major, minor, release) DIGITS(major) "." DIGITS(minor) "." DIGITS(release)
const char *trj_version_of_HDF5(void) {
    return DOTTED(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

// Deflate expands a byte to at most 1032 bytes: a file that gives a larger size is damaged.
enum { MAX_DEFLATE_RATIO = 1032 };

// Chunks may contain many frames. HDF5 caches 1 MiB; larger chunks get a cache of their size up to CACHE_MAX, so that
// each is decompressed once.
static const double CACHE_MIN = 1 << 20, CACHE_MAX = 1 << 28;

struct trj_hdf5 trj_hdf5;

#define FUNCTION_SYMBOL(name) {"H5" #name, &trj_hdf5.name},
#define VARIABLE_SYMBOL(name) {"H5" #name "_g", &trj_hdf5.name},
static const struct trj_symbol symbols[] = {TRJ_HDF5_FUNCTIONS(FUNCTION_SYMBOL) TRJ_HDF5_VARIABLES(VARIABLE_SYMBOL)};

// The last error text of HDF5, which keeps it only until the next call.
static _Thread_local char hdf5_error[256];

// Failures since the start of the last open or read that the file did not cause: memory and input errors. A missing
// attribute or group may be a consequence, so that such a failure is always an error.
static _Thread_local char memory_failure[256], io_failure[256];
static _Thread_local bool lookup_failed; // a lookup failed, so that the name only seems to be missing

static herr_t record_innermost(unsigned n, const H5E_error2_t *e, void *unused) {
    (void)unused;
    const char *text = e->desc ? e->desc : "";
    bool memory = e->min_num == *trj_hdf5.E_NOSPACE || e->min_num == *trj_hdf5.E_CANTALLOC;
    bool io =
        e->maj_num == *trj_hdf5.E_IO && (e->min_num == *trj_hdf5.E_READERROR || e->min_num == *trj_hdf5.E_SEEKERROR);
    if (!n) snprintf(hdf5_error, sizeof hdf5_error, "%s", text);
    if (!n && memory && !*memory_failure) snprintf(memory_failure, sizeof memory_failure, "%s", text);
    if (!n && io && !*io_failure) snprintf(io_failure, sizeof io_failure, "%s", text);
    return 0;
}

static herr_t record_errors(hid_t stack, void *unused) {
    return trj_hdf5.Ewalk2(stack, H5E_WALK_UPWARD, record_innermost, unused);
}

int trj_hdf5_fail(struct trj_error *err, const char *what) {
    return trj_fail(err, TRJ_BAD_DATA, "%s cannot be read: HDF5 reports '%s'", what, hdf5_error);
}

void trj_hdf5_forget_failures(void) {
    *hdf5_error = *memory_failure = *io_failure = 0;
    lookup_failed = false;
}

// Returns the result of an open or a read, or -1 if a failure that the file did not cause may have changed it.
int trj_hdf5_check_failures(int rc, struct trj_error *err) {
    if (*memory_failure) return trj_fail(err, TRJ_FAILED, "out of memory: HDF5 reports '%s'", memory_failure);
    if (*io_failure) return trj_fail(err, TRJ_FAILED, "cannot read: HDF5 reports '%s'", io_failure);
    return lookup_failed && rc >= 0 ? trj_hdf5_fail(err, "a name") : rc;
}

bool trj_hdf5_exists(hid_t group, const char *name) {
    htri_t is = trj_hdf5.Lexists(group, name, H5P_DEFAULT);
    lookup_failed = lookup_failed || is < 0;
    return is > 0;
}

bool trj_hdf5_has_attribute(hid_t object, const char *name) {
    htri_t is = trj_hdf5.Aexists(object, name);
    lookup_failed = lookup_failed || is < 0;
    return is > 0;
}

// Reads a text attribute; empty if it is missing.
void trj_hdf5_get_text(hid_t object, const char *name, char text[TRJ_HDF5_TEXT]) {
    *text = 0;
    hid_t a = trj_hdf5_has_attribute(object, name) ? trj_hdf5.Aopen(object, name, H5P_DEFAULT) : -1;
    if (a < 0) return;
    hid_t type = trj_hdf5.Aget_type(a), space = trj_hdf5.Aget_space(a);
    if (trj_hdf5.Tget_class(type) == H5T_STRING && trj_hdf5.Sget_simple_extent_npoints(space) == 1) {
        hid_t to = trj_hdf5.Tcopy(*trj_hdf5.T_C_S1);
        trj_hdf5.Tset_cset(to, trj_hdf5.Tget_cset(type));
        if (trj_hdf5.Tis_variable_str(type) > 0) {
            char *p = NULL;
            trj_hdf5.Tset_size(to, H5T_VARIABLE);
            if (trj_hdf5.Aread(a, to, &p) < 0) lookup_failed = true;
            if (p) snprintf(text, TRJ_HDF5_TEXT, "%s", p);
            trj_hdf5.free_memory(p);
        } else {
            trj_hdf5.Tset_size(to, TRJ_HDF5_TEXT);
            if (trj_hdf5.Aread(a, to, text) < 0) {
                lookup_failed = true;
                *text = 0;
            }
            text[TRJ_HDF5_TEXT - 1] = 0;
        }
        trj_hdf5.Tclose(to);
    }
    trj_hdf5.Sclose(space);
    trj_hdf5.Tclose(type);
    trj_hdf5.Aclose(a);
    for (size_t n = strlen(text); n && text[n - 1] == ' ';) text[--n] = 0;
    trj_replace_control_chars(text);
}

// Returns the rank of a dataset, and sets its lengths; -1 on failure.
int trj_hdf5_get_shape(hid_t set, hsize_t length[H5S_MAX_RANK]) {
    hid_t space = trj_hdf5.Dget_space(set);
    int rank = trj_hdf5.Sget_simple_extent_dims(space, length, NULL);
    trj_hdf5.Sclose(space);
    return rank;
}

// Reads the entry of frame n.
int trj_hdf5_read_entry(hid_t set, uint64_t n, hid_t type, void *to, const char *what, struct trj_error *err) {
    hsize_t start[H5S_MAX_RANK] = {n}, count[H5S_MAX_RANK];
    hid_t space = trj_hdf5.Dget_space(set), memory = -1;
    int rank = trj_hdf5.Sget_simple_extent_dims(space, count, NULL);
    count[0] = 1;
    bool valid = rank > 0 && trj_hdf5.Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                 (memory = trj_hdf5.Screate_simple(rank, count, NULL)) >= 0 &&
                 trj_hdf5.Dread(set, type, memory, space, H5P_DEFAULT, to) >= 0;
    if (memory >= 0) trj_hdf5.Sclose(memory);
    trj_hdf5.Sclose(space);
    return valid ? 0 : trj_hdf5_fail(err, what);
}

int trj_hdf5_read(const struct trj_hdf5_element *e, uint64_t n, hid_t type, void *to, const char *what,
                  struct trj_error *err) {
    if (e->per_frame) return trj_hdf5_read_entry(e->value, n, type, to, what, err);
    return trj_hdf5.Dread(e->value, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0 ? trj_hdf5_fail(err, what) : 0;
}

// ---- elements of the file

// Checks that an element is stored in this file, is not larger than the file can contain, and was written; sets
// `incomplete` if chunks are missing. *cache: bytes of the chunks that contain a frame, if they contain several.
static int check_storage(struct trj_hdf5_element *e, uint64_t size, const char *name, double *cache,
                         struct trj_error *err) {
    hid_t list = trj_hdf5.Dget_create_plist(e->value), type = trj_hdf5.Dget_type(e->value);
    hsize_t chunk[H5S_MAX_RANK], length[H5S_MAX_RANK], chunks = 0;
    double number = (double)trj_hdf5.Tget_size(type), bytes = number, chunk_bytes = number, total = 1,
           per_frame_chunks = 1;
    int layout = trj_hdf5.Pget_layout(list), external_files = trj_hdf5.Pget_external_count(list),
        rank = trj_hdf5_get_shape(e->value, length);
    if (layout == H5D_CHUNKED) {
        trj_hdf5.Pget_chunk(list, rank, chunk);
        for (int k = 0; k < rank; k++) {
            double n = ceil((double)length[k] / (double)chunk[k]);
            chunk_bytes *= (double)chunk[k];
            total *= n;
            if (k || !e->per_frame) per_frame_chunks *= n;
        }
        *cache = chunk[0] > 1 ? per_frame_chunks * chunk_bytes : 0;
    }
    for (int k = 0; k < e->rank; k++) bytes *= (double)e->length[k];
    trj_hdf5.Tclose(type);
    trj_hdf5.Pclose(list);
    if (layout == H5D_VIRTUAL || external_files)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains %s in other files, which is not supported; copy them into this file", name);
    if (fmax(bytes, layout == H5D_CHUNKED ? chunk_bytes : 0) > (double)size * MAX_DEFLATE_RATIO)
        return trj_fail(err, TRJ_BAD_DATA, "its header gives %s of %g bytes per frame, in a file of %llu", name, bytes,
                        (unsigned long long)size);
    if (layout == H5D_CHUNKED) {
        hid_t space = trj_hdf5.Dget_space(e->value);
        herr_t rc = trj_hdf5.Dget_num_chunks(e->value, space, &chunks);
        trj_hdf5.Sclose(space);
        e->incomplete = (double)chunks < total;
        return rc < 0 ? trj_hdf5_fail(err, name) : 0;
    }
    H5D_space_status_t status = H5D_SPACE_STATUS_NOT_ALLOCATED;
    if (trj_hdf5.Dget_space_status(e->value, &status) < 0) return trj_hdf5_fail(err, name);
    if (status != H5D_SPACE_STATUS_ALLOCATED && e->count)
        return trj_fail(err, TRJ_BAD_DATA, "has %s that were never written", name);
    return 0;
}

// Opens the dataset again with a larger chunk cache, if required.
static int use_cache(hid_t group, const char *value_name, struct trj_hdf5_element *e, double cache, const char *name,
                     struct trj_error *err) {
    if (!(cache > CACHE_MIN)) return 0;
    hid_t access = trj_hdf5.Pcreate(*trj_hdf5.P_CLS_DATASET_ACCESS_ID);
    trj_hdf5.Pset_chunk_cache(access, 10007, (size_t)fmin(cache, CACHE_MAX), 1);
    trj_hdf5.Dclose(e->value);
    e->value = trj_hdf5.Dopen2(group, value_name, access);
    trj_hdf5.Pclose(access);
    return e->value < 0 ? trj_hdf5_fail(err, name) : 0;
}

// HDF5 returns zeros for chunks that were not written. If some are missing, checks the first and the last chunk of a
// frame.
int trj_hdf5_check_written(const struct trj_hdf5_element *e, uint64_t n, const char *name, struct trj_error *err) {
    for (int last = 0; e->incomplete && last < 2; last++) {
        hsize_t chunk[TRJ_HDF5_RANK + 1] = {e->per_frame ? n : 0}, bytes = 0;
        int first = e->per_frame ? 1 : 0;
        for (int k = 0; k < e->rank && last; k++) chunk[first + k] = e->length[k] - 1;
        haddr_t place = HADDR_UNDEF;
        unsigned mask;
        if (trj_hdf5.Dget_chunk_info_by_coord(e->value, chunk, &mask, &place, &bytes) < 0)
            return trj_hdf5_fail(err, name);
        if (place == HADDR_UNDEF) return trj_fail(err, TRJ_BAD_DATA, "%s were never written", name);
    }
    return 0;
}

int trj_hdf5_describe(struct trj_hdf5_element *e, hid_t group, const char *value_name, const char *name,
                      H5T_class_t kind, int max, uint64_t size, struct trj_error *err) {
    hsize_t length[H5S_MAX_RANK];
    double cache = 0;
    hid_t type = trj_hdf5.Dget_type(e->value);
    bool valid = trj_hdf5.Tget_class(type) == kind;
    trj_hdf5.Tclose(type);
    int rank = trj_hdf5_get_shape(e->value, length);
    e->rank = rank - e->per_frame;
    if (!valid) return trj_fail(err, TRJ_BAD_DATA, "has %s with numbers of an unsupported type", name);
    if (e->rank < (max > 0) || e->rank > max) return trj_fail(err, TRJ_BAD_DATA, "has %s of %d dimensions", name, rank);
    e->count = e->per_frame ? length[0] : 1;
    for (int k = 0; k < e->rank; k++) e->length[k] = length[k + e->per_frame];
    if (check_storage(e, size, name, &cache, err)) return -1;
    return e->per_frame ? use_cache(group, value_name, e, cache, name, err) : 0;
}

int trj_hdf5_open(struct trj_input *in, hid_t *file, struct trj_error *err) {
    char path[TRJ_INPUT_PATH];
    struct stat status;
    trj_input_path(in, path);
    hid_t access = trj_hdf5.Pcreate(*trj_hdf5.P_CLS_FILE_ACCESS_ID);
    trj_hdf5.Pset_fclose_degree(access, H5F_CLOSE_STRONG); // H5Fclose also closes all objects of the file
    // The default driver cannot open a temporary file that has been unlinked, because it requires its name. The stdio
    // driver can, but does not report why a file is invalid.
    if (!stat(path, &status) && !status.st_nlink) trj_hdf5.Pset_fapl_stdio(access);
    *file = trj_hdf5.Fopen(path, H5F_ACC_RDONLY, access);
    trj_hdf5.Pclose(access);
    return *file < 0 ? trj_hdf5_fail(err, "the file") : 0;
}

// Loads the library. Plugins that decompress chunks may need its symbols.
static int load_library(struct trj_error *err) {
    if (trj_library_load(TRJPIPE_HDF5, RTLD_GLOBAL, symbols, sizeof symbols / sizeof *symbols)) return 0;
    const char *reason = dlerror();
    if (reason && strstr(reason, strerror(ENOENT)))
        return trj_fail(err, TRJ_NO_ENGINE,
                        "cannot read this file: HDF5 is missing: %s; install it (Debian, Ubuntu: libhdf5-dev; Fedora, "
                        "conda: hdf5), or compile trjpipe again if its version has changed",
                        reason);
    return trj_fail(err, TRJ_FAILED, "HDF5 cannot be loaded: %s; out of memory, or it is not installed properly",
                    reason ? reason : "no reason is given");
}

int trj_hdf5_start(struct trj_error *err) {
    if (load_library(err)) return -1;
    // HDF5 calls record_errors instead of printing.
    if (trj_hdf5.open() < 0 || trj_hdf5.Eset_auto2(H5E_DEFAULT, record_errors, NULL) < 0)
        return trj_fail(err, TRJ_FAILED, "HDF5 cannot be started: out of memory, or it is not installed properly");
    return 0;
}

#endif
