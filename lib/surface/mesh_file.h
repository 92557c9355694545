// SPDX-License-Identifier: MIT
// Writes meshes as files: PLY (binary, little-endian), OBJ and STL (binary).
#ifndef SURF_MESH_FILE_H
#define SURF_MESH_FILE_H

#include <stdbool.h>

#include "error.h"
#include "output.h"
#include "surface.h"
#include "tool.h"

enum surf_format { SURF_PLY, SURF_OBJ, SURF_STL, SURF_TABLE, SURF_FORMATS };

extern const struct trj_choice surf_formats[]; // names and descriptions; ends with a NULL name
// Returns the format with this name or, if it is NULL, that of the ending of a path, which may be NULL. SURF_FORMATS:
// none.
enum surf_format surf_format_of(const char *name, const char *path);

struct surf_mesh_file {
    enum surf_format format; // not SURF_TABLE
    char *const *provenance; // lines for comments; ends with NULL
    const char *note;        // a comment after the provenance, of one line
    const char *scale;       // of colours (colour_scale.h), for PLY; NULL: without colours
    double low, high;        // range of the scale; NaN: that of the mesh
};

// Writes a mesh, with comments unless the format is STL. PLY: positions, normals and colours of vertices. OBJ:
// positions and normals, each with the fewest digits that read as the same float32. STL: positions of triangles, with
// their normals.
int surf_mesh_write(const struct surf_mesh *m, const struct surf_mesh_file *f, struct trj_output *out,
                    struct trj_error *err);

#endif
