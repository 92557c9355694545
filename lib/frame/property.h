// SPDX-License-Identifier: MIT
// Properties of stream atoms, such as charges and radii, that a frame stream contains on request (block PROP of
// schemas/frame_stream.md).
//
// Names with a defined meaning and unit: charge (e), mass (u), radius (Å), sigma (Å) and epsilon (kcal/mol) of the
// Lennard-Jones potential 4 epsilon ((sigma/r)^12 - (sigma/r)^6), bfactor (Å^2), occupancy, name, resname, resid and
// segid. A stream may contain properties of other names.
#ifndef TRJ_PROPERTY_H
#define TRJ_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "group.h"
#include "text_index.h"

struct trj_stream_header;

// The values are those stored in the stream.
enum trj_property_kind { TRJ_PROPERTY_REAL = 1, TRJ_PROPERTY_INTEGER = 2, TRJ_PROPERTY_TEXT = 3 };

#define TRJ_PROPERTY_NO_INTEGER INT64_MIN // an unknown integer

enum { TRJ_PROPERTIES_MAX = 16 }; // in a stream

struct trj_property {
    char *name;   // unique in the stream; the rules for names of groups apply (trj_group_name_fits)
    char *unit;   // "e"; "": a text, or a number without a unit
    char *origin; // how or from where the values were obtained: "PSF file sys.psf"
    enum trj_property_kind kind;
    // [atoms] Only the array of this kind is used; the others are empty. Unknown values are NaN,
    // TRJ_PROPERTY_NO_INTEGER and "".
    double *real;
    int64_t *integer;
    struct trj_texts text; // the first text is ""
};

// The unit, kind and meaning of a name that is defined above.
struct trj_property_definition {
    const char *name, *unit;
    enum trj_property_kind kind;
    bool adds; // the value of a centre is the sum over its atoms; otherwise it is unknown
};
extern const struct trj_property_definition trj_property_definitions[]; // ends with a NULL name
// Returns the definition of a name, or NULL.
const struct trj_property_definition *trj_property_define(const char *name);

// Returns the property of this name, or NULL.
const struct trj_property *trj_property_find(const struct trj_stream_header *h, const char *name);
// Returns whether the value of a stream atom is known.
bool trj_property_known(const struct trj_property *p, size_t atom);

// Writes the name of the residue of a stream atom with what the stream contains of it: "A:LYS12", "LYS12", or else
// "residue12", where the number counts residues from 1. The stream must number residues.
enum { TRJ_RESIDUE_NAME = 200 };
void trj_residue_name(char name[TRJ_RESIDUE_NAME], const struct trj_stream_header *h, size_t atom);

// Sets *values to the real numbers [atoms] of the property `name`, which belong to the header, and verifies that those
// of the group (NULL: of all stream atoms) are known. Fails with TRJ_BAD_DATA if the stream lacks the property, if its
// values are not real numbers, or if the value of an atom of the group is unknown; the message gives the remedy, and
// the number and name of the first such atom.
int trj_property_require(const struct trj_stream_header *h, const char *name, const struct trj_group *group,
                         const double **values, struct trj_error *err);

// Appends a property with copies of the texts, and allocates its values [atoms], all of them unknown. The list of texts
// of a text property is empty: the caller must add "" first. Returns the property, which is valid until the next call,
// or NULL. Fails with TRJ_BAD_DATA if the name is invalid, if it is defined with another unit or kind, or if the header
// already contains a property of this name or TRJ_PROPERTIES_MAX properties.
struct trj_property *trj_property_add(struct trj_stream_header *h, const char *name, const char *unit,
                                      const char *origin, enum trj_property_kind kind, struct trj_error *err);
// Sets the values of a property that trj_property_add has returned: stream atom i gets the value of atom rows[i] of
// `from` (rows is NULL: of atom i). Of `from`, only the values are used; those that are not finite become unknown. If
// rows are given, the values of centres, which have no rows, stay unknown.
int trj_property_take(const struct trj_stream_header *h, struct trj_property *p, const struct trj_property *from,
                      const uint32_t *rows, struct trj_error *err);
void trj_property_free(struct trj_property *p); // frees the members, not the struct

#endif
