// SPDX-License-Identifier: MIT
// Builds the surface of a map at a level, plane by plane: marching cubes (W. E. Lorensen and H. E. Cline, 1987) with
// the table of surface_table.h. Memory is that of eight planes, except for the mesh (mesh_store.h).
//
// Points with values above the level are inside; points with values equal to the level are outside. The surface is
// closed: beyond the borders of axes that are not periodic, all points are taken to be outside. Along periodic axes it
// continues through the boundary: the mesh is cut there, with two copies of each vertex on the boundary, one period
// apart. Topology, area and volume are those of the periodic surface.
#ifndef SURF_SURFACE_H
#define SURF_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "component.h"
#include "error.h"
#include "map.h"
#include "mesh_store.h"

struct surf_vertex {
    float position[3]; // Å
    float normal[3];   // unit vector that points outwards, against the gradient of the map
    float colour;      // value of the second map; 0 if there is none
};

// Vertices are in the order of the point where their edge starts, and then of the axis of the edge; triangles are in
// the order of their cells. The vertices of a triangle are counter-clockwise if seen from outside.
struct surf_mesh {
    uint64_t vertex_count, triangle_count;
    struct surf_store vertices;  // struct surf_vertex
    struct surf_store triangles; // uint32_t[3]: numbers of vertices, from 0
};

enum { SURF_VERTICES_MAX = INT32_MAX }; // of a mesh, because files number vertices with 32 bits

void surf_mesh_start(struct surf_mesh *m);
void surf_mesh_clear(struct surf_mesh *m); // for the next mesh
// Appends a mesh, whose vertices get this colour; NULL: they keep theirs. Fails with TRJ_FAILED if there are more than
// SURF_VERTICES_MAX vertices.
int surf_mesh_append(struct surf_mesh *to, const struct surf_mesh *from, const float *colour, struct trj_error *err);
void surf_mesh_free(struct surf_mesh *m); // frees the members of a mesh that was started or zeroed

struct surf_setup {
    const struct trj_map *map;    // of one component
    const struct trj_map *colour; // values for the vertices, on the same lattice; NULL: none
    double colour_weight;         // colours are values of that map divided by this
    double level;                 // in the unit of the map; finite
    bool close;                   // also close the surface at the boundaries of periodic axes
    bool kept;                    // planes stay valid until the builder is closed, which then has no copies of them
    struct surf_mesh *mesh;       // receives the mesh; NULL: only the summary is computed
    bool only_mesh;               // of the summary, only the number of triangles is needed
};

// A vertex and its periodic images are counted once.
struct surf_summary {
    uint64_t vertices, triangles;
    double area, volume; // Å^2, Å^3: the enclosed volume, in one cell if the map is periodic
    int64_t euler;
    size_t component_count;
    struct surf_component *components; // in the order of their first triangles
};

struct surf_builder;

// Opens a builder; setup, maps and mesh must stay valid.
int surf_builder_open(struct surf_builder **b, const struct surf_setup *setup, struct trj_error *err);
// Adds the next plane of the map, and of the second map (NULL if there is none): values of the kinds of the maps. A NaN
// in the map is TRJ_BAD_DATA.
int surf_builder_add(struct surf_builder *b, const void *values, const void *colours, struct trj_error *err);
// Completes the surface after all planes. The caller frees summary->components.
int surf_builder_finish(struct surf_builder *b, struct surf_summary *summary, struct trj_error *err);
void surf_builder_close(struct surf_builder *b); // NULL is allowed

#endif
