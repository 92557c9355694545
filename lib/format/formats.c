// SPDX-License-Identifier: MIT
// Lists the formats, and detects the format of a file. A program that reads only one format links neither this file nor
// the other formats.
#include <stdio.h>
#include <string.h>

#include "connection.h"
#include "desmond.h"
#include "foreign_format.h"
#include "reader_parts.h"
#include "topology.h"
#include "unpack.h"

const struct trj_format *const trj_formats[] = {
    &trj_format_stream,  //
    &trj_format_dcd,     //
    &trj_format_xtc,     //
    &trj_format_trr,     //
    &trj_format_imd,     //
    &trj_format_gsd,     //
    &trj_format_namd,    //
    &trj_format_lmpbin,  // after the formats with magic numbers, which old binary dumps lack
    &trj_format_netcdf,  //
    &trj_format_mdtraj,  // before h5md, which is HDF5, too
    &trj_format_h5md,    //
    &trj_format_mmcif,   //
    &trj_format_cif,     //
    &trj_format_xdatcar, // before gro: the second line is a number, too
    &trj_format_poscar,  //
    &trj_format_tinker,  // before xyz, whose lines look like those of its atoms to a reader of types as names
    &trj_format_xyz,     //
    &trj_format_lammps,  //
    &trj_format_dlpoly,  //
    &trj_format_openmm,  //
    &trj_format_g96,     //
    &trj_format_card,    // before gro, for which a title of one line looks like one
    &trj_format_gro,     // before pdb: a title may look like a record
    &trj_format_pdb,     //
    &trj_format_pqr,     // after pdb: a file that may be either is PDB unless its name ends in .pqr
    &trj_format_mdcrd,   //
    &trj_format_rst7,    //
    NULL,
};

// Endings of trajectory files that are not supported.
static const char *const unsupported_endings[] = {".vel", ".vel.old", ".tng", ".rdfh", NULL};

bool trj_format_detects(const unsigned char *head, size_t n) {
    if (trj_foreign_format(head, n)) return false;
    for (const struct trj_format *const *f = trj_formats; *f && n; f++)
        if ((*f)->ops->is && (*f)->ops->is(head, n)) return true;
    return false;
}

static int fail_unknown(const unsigned char *head, size_t n, struct trj_error *err) {
    if (!n) return trj_fail(err, TRJ_BAD_DATA, "is empty; check the program that writes it, and run it again");
    const char *topology = trj_topology_without_frames(head, n);
    if (topology) return trj_fail(err, TRJ_BAD_DATA, "%s", topology);
    const char *compression = trj_compression_name(head, n);
    if (compression) return trj_fail(err, TRJ_BAD_DATA, "is compressed with %s; unpack it first", compression);
    char known[256] = "", start[3 * 8 + 1] = "";
    size_t length = 0;
    for (size_t k = 0; trj_formats[k] && length < sizeof known; k++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", k ? ", " : "", trj_formats[k]->name);
    for (size_t i = 0; i < n && i < 8; i++) snprintf(start + 3 * i, 4, " %02x", head[i]);
    return trj_fail(err, TRJ_BAD_DATA, "not a known trajectory format (%s): starts with%s; convert it to one of these",
                    known, start);
}

// Endings without a point, such as HISTORY, are whole names.
static bool name_ends_in_one(const char *path, const char *const *endings) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (; *endings; endings++)
        if (**endings == '.' ? trj_name_ends_in(path, *endings) : !strcmp(name, *endings)) return true;
    return false;
}

static bool has_ending(const struct trj_format *format, const struct trj_input *in) {
    for (const char *const *ending = format->endings; *ending; ending++)
        if (trj_input_ends_in(in, *ending)) return true;
    return false;
}

// Foreign files come first, because some of them look like a format that is read. The content determines the format; if
// several formats match, the ending of the name decides. If none matches, the ending is used, so that the reader
// reports the line at which a text is damaged.
const struct trj_format *trj_format_of(struct trj_input *in, struct trj_error *err) {
    const struct trj_format *found = NULL, *named = NULL;
    const unsigned char *head;
    size_t n;
    if (trj_connection_is(trj_input_name(in))) return &trj_format_imd;
    if (trj_topology_peek_head(in, &head, &n, err)) return NULL;
    const char *foreign = trj_foreign_format(head, n);
    if (!n && trj_input_ends_in(in, TRJ_DESMOND_FILE)) foreign = trj_desmond;
    for (const struct trj_format *const *f = trj_formats; *f && n && !foreign; f++) {
        bool ending = has_ending(*f, in);
        if (ending) named = *f;
        if (trj_format_is(*f, in, head, n) && (!found || ending)) found = *f;
    }
    if (!found && !foreign) foreign = trj_foreign_text(head, n);
    if (foreign) {
        trj_fail(err, TRJ_BAD_DATA, "%s", foreign);
        return NULL;
    }
    if (!found && n && !trj_compression_name(head, n)) found = named;
    // A PDB file with misplaced columns may look like PQR, but must not be read as such: occupancies would become
    // charges.
    if (found == &trj_format_pqr && named == &trj_format_pdb) found = named;
    if (!found) fail_unknown(head, n, err);
    return found;
}

bool trj_format_is_named(const struct trj_input *in) {
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (has_ending(*f, in)) return true;
    return false;
}

bool trj_format_has_name(const char *path) {
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (name_ends_in_one(path, (*f)->endings) || name_ends_in_one(path, (*f)->listed_endings)) return true;
    return name_ends_in_one(path, unsupported_endings);
}

const struct trj_format *trj_format_named(const char *name, struct trj_error *err) {
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (!strcmp((*f)->name, name)) return *f;
    trj_fail(err, TRJ_USAGE, "'%s' is not a known format; --formats lists them", name);
    return NULL;
}

// Lists the formats that can hold velocities or image flags: "trr, gro".
static void list_formats(unsigned what, char *text, size_t capacity) {
    size_t n = 0;
    *text = 0;
    for (const struct trj_format *const *f = trj_formats; *f && n < capacity; f++)
        if (((*f)->ops->motion & what) == what)
            n += (size_t)snprintf(text + n, capacity - n, "%s%s", n ? ", " : "", (*f)->name);
}

// Rejects a request for velocities or image flags that are not read from the format.
static int check_motion(const struct trj_format *format, unsigned compare, struct trj_error *err) {
    static const unsigned requests[TRJ_MOTION_KINDS] = {TRJ_READ_VELOCITY, TRJ_READ_IMAGE};
    char formats[200];
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        if (!(compare & requests[k]) || format->ops->motion >> k & 1) continue;
        list_formats(1u << k, formats, sizeof formats);
        return trj_fail(err, TRJ_USAGE,
                        "--carry %s: %s are not read from files of the format %s, only from %s; leave %s out, or give "
                        "a file of one of these formats",
                        trj_motion_names[k], trj_motion_plurals[k], format->name, formats, trj_motion_names[k]);
    }
    return 0;
}

int trj_reader_open_comparing(struct trj_reader **r, struct trj_input *in, const struct trj_format *format,
                              size_t atoms, unsigned compare, struct trj_error *err) {
    const struct trj_format *detected = format ? format : trj_format_of(in, err);
    if (detected && !check_motion(detected, compare, err))
        return trj_reader_start(r, in, detected, format, atoms, compare, err);
    trj_error_set_remedy(err, "create the file again");
    trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return -1;
}

int trj_reader_open_input(struct trj_reader **r, struct trj_input *in, const struct trj_format *format, size_t atoms,
                          struct trj_error *err) {
    return trj_reader_open_comparing(r, in, format, atoms, TRJ_COMPARE_NOTHING, err);
}

int trj_reader_open_as(struct trj_reader **r, const char *path, const struct trj_format *format, size_t atoms,
                       struct trj_error *err) {
    struct trj_input *in = NULL;
    return trj_input_open(&in, path, err) ? -1 : trj_reader_open_input(r, in, format, atoms, err);
}

int trj_reader_open(struct trj_reader **r, const char *path, struct trj_error *err) {
    return trj_reader_open_as(r, path, NULL, 0, err);
}
