// SPDX-License-Identifier: MIT
// Reads datasets of HDF5 files, for formats that are such files. The functions run in the child of child_reader.h.
#ifndef TRJ_HDF5_FILE_H
#define TRJ_HDF5_FILE_H
#ifdef H5_VERS_MAJOR // defined only if <hdf5.h> was included first, in builds with HDF5

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "input.h"

// Macros of the header would call functions of the library before they use a variable or a flag.
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

// The library is loaded when a file is opened: it brings curl, LDAP and Kerberos in some distributions, with which each
// start of a tool takes 6 to 37 ms instead of 1. The functions have the types of the header: H5Aclose is
// trj_hdf5.Aclose. The variable H5E_IO_g, which the macro H5E_IO of the header means, is *trj_hdf5.E_IO; H5open() sets
// the variables.
// clang-format off
#define TRJ_HDF5_FUNCTIONS(X) \
    X(Aclose) X(Aexists) X(Aget_space) X(Aget_type) X(Aopen) X(Aread) X(Dclose) X(Dget_chunk_info_by_coord) \
    X(Dget_create_plist) X(Dget_num_chunks) X(Dget_space) X(Dget_space_status) X(Dget_type) X(Dopen2) X(Dread) \
    X(Eset_auto2) X(Ewalk2) X(Fopen) X(Gget_info) X(Gopen2) X(Iget_type) X(Lexists) X(Lget_name_by_idx) X(Oopen) \
    X(Pclose) X(Pcreate) X(Pget_chunk) X(Pget_external_count) X(Pget_layout) X(Pset_chunk_cache) X(Pset_fapl_stdio) \
    X(Pset_fclose_degree) X(Sclose) X(Screate_simple) X(Sget_simple_extent_dims) X(Sget_simple_extent_npoints) \
    X(Sselect_hyperslab) X(Tclose) X(Tcopy) X(Tget_class) X(Tget_cset) X(Tget_size) X(Tis_variable_str) X(Tset_cset) \
    X(Tset_size) X(free_memory) X(open)
#define TRJ_HDF5_VARIABLES(X) \
    X(E_CANTALLOC) X(E_IO) X(E_NOSPACE) X(E_READERROR) X(E_SEEKERROR) X(P_CLS_DATASET_ACCESS_ID) \
    X(P_CLS_FILE_ACCESS_ID) X(T_C_S1) X(T_NATIVE_DOUBLE) X(T_NATIVE_FLOAT) X(T_NATIVE_INT) X(T_NATIVE_INT64)
// clang-format on

#define TRJ_HDF5_FUNCTION(name) __typeof__(H5##name) *name; // NOLINT(bugprone-macro-parentheses)
#define TRJ_HDF5_VARIABLE(name) const hid_t *name;          // NOLINT(bugprone-macro-parentheses)
extern struct trj_hdf5 {
    TRJ_HDF5_FUNCTIONS(TRJ_HDF5_FUNCTION)
    TRJ_HDF5_VARIABLES(TRJ_HDF5_VARIABLE)
} trj_hdf5; // set by trj_hdf5_start

enum { TRJ_HDF5_TEXT = 64, TRJ_HDF5_RANK = 3 };

// Values for each frame, or one set of values for all frames.
struct trj_hdf5_element {
    hid_t value, step, time;       // 0: missing
    bool per_frame;                // `value` has an entry for each frame; else it holds for all frames
    hsize_t count;                 // number of frames
    int rank;                      // of an entry
    hsize_t length[TRJ_HDF5_RANK]; // of an entry
    double unit;                   // Å
    bool incomplete;               // some chunks were not written
};

// Loads and starts the library. Returns 0; -1, with TRJ_NO_ENGINE if it is missing.
int trj_hdf5_start(struct trj_error *err);
// Opens the file of an input. Returns 0 or -1.
int trj_hdf5_open(struct trj_input *in, hid_t *file, struct trj_error *err);

// Failures of the library are collected from trj_hdf5_forget_failures on. trj_hdf5_check_failures returns the result
// of an open or a read, or -1 if a failure that the file did not cause may have changed it.
void trj_hdf5_forget_failures(void);
int trj_hdf5_check_failures(int rc, struct trj_error *err);
// Fails with the last error text of the library: "WHAT cannot be read".
int trj_hdf5_fail(struct trj_error *err, const char *what);

bool trj_hdf5_exists(hid_t group, const char *name);
bool trj_hdf5_has_attribute(hid_t object, const char *name);
// Reads a text attribute; empty if it is missing.
void trj_hdf5_get_text(hid_t object, const char *name, char text[TRJ_HDF5_TEXT]);
// Returns the rank of a dataset, and sets its lengths; -1 on failure.
int trj_hdf5_get_shape(hid_t set, hsize_t length[H5S_MAX_RANK]);

// Completes an element whose `value` is open and whose `per_frame` is set: shape, storage and cache. `group` contains
// the dataset `value_name`; `max` is the largest rank of an entry, which has at least rank 1 unless `max` is 0; `size`
// is that of the file in bytes. Returns 0 or -1.
int trj_hdf5_describe(struct trj_hdf5_element *e, hid_t group, const char *value_name, const char *name,
                      H5T_class_t kind, int max, uint64_t size, struct trj_error *err);
// Checks that the entry of frame n was written: HDF5 returns zeros for chunks that were not. Returns 0 or -1.
int trj_hdf5_check_written(const struct trj_hdf5_element *e, uint64_t n, const char *name, struct trj_error *err);
// Reads the entry of frame n, of an element or of a dataset with an entry for each frame. Returns 0 or -1.
int trj_hdf5_read(const struct trj_hdf5_element *e, uint64_t n, hid_t type, void *to, const char *what,
                  struct trj_error *err);
int trj_hdf5_read_entry(hid_t set, uint64_t n, hid_t type, void *to, const char *what, struct trj_error *err);

#endif
#endif
