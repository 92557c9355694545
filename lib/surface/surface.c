// SPDX-License-Identifier: MIT
// Builds surfaces plane by plane. Vertices of a plane are made when the next two planes are known, because normals need
// the differences of values on both sides. Normals of the first plane of a periodic axis 2 need the last plane: these
// vertices are made again at the end.
#include "surface.h"

#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "memory.h"
#include "surface_arithmetic.h"
#include "surface_lattice.h"
#include "surface_table.h"

enum { RING = 4, KEPT = 4, OUTSIDE = -1, BATCH = 1024 };

// A plane of points of the extended lattice.
struct plane {
    const unsigned char *values, *colours; // of the map
    unsigned char *memory;                 // of both, unless the caller keeps them
    bool known;                            // values are those of the map, and not only outside points
    uint64_t *inside;                      // [rows][words]
};

// Where an edge is cut.
struct cut {
    double fraction; // fraction of its length
    uint32_t label;
};

// The cuts of the edges that start in a plane.
struct layer {
    uint32_t *number; // [3][points] index in `cut` of the edge along an axis; only of edges that are cut
    struct cut *cut;  // [count]
    size_t count, capacity;
    uint64_t first; // number of the first vertex in the mesh
};

struct surf_builder {
    struct surf_setup setup;
    struct surf_threshold threshold;
    struct surf_table table;
    struct surf_lattice lattice; // the extended lattice
    size_t points;               // of its plane
    size_t plane_size, colour_size;
    int64_t *index[2]; // [lattice.n[axis]] index in the map, or OUTSIDE
    size_t given, fed; // planes of the map, and of the extended lattice
    struct plane plane[RING];
    struct plane kept[KEPT]; // planes 0, 1, 2 and the last one of the map, if axis 2 is periodic
    struct layer layer[2];
    uint32_t *first_label; // [2][points] labels of the edges in the first plane, if image[2]
    uint64_t *row;         // [words] of a row of the map
    struct surf_labels labels;
    surf_sum top; // inside area of the last plane, if image[2]
    bool again;   // the vertices of the first plane are being made again
    struct surf_vertex vertex[BATCH];
    uint32_t triangle[BATCH][3];
    size_t vertex_batch, triangle_batch;
    uint64_t vertex_at; // number of the first vertex of the batch
};

// ---- meshes

void surf_mesh_start(struct surf_mesh *m) {
    *m = (struct surf_mesh){0};
    surf_store_start(&m->vertices, SURF_STORE_MEMORY);
    surf_store_start(&m->triangles, SURF_STORE_MEMORY);
}

void surf_mesh_clear(struct surf_mesh *m) {
    m->vertex_count = m->triangle_count = 0;
    surf_store_clear(&m->vertices);
    surf_store_clear(&m->triangles);
}

void surf_mesh_free(struct surf_mesh *m) {
    surf_store_free(&m->vertices);
    surf_store_free(&m->triangles);
}

int surf_mesh_append(struct surf_mesh *to, const struct surf_mesh *from, const float *colour, struct trj_error *err) {
    struct surf_vertex vertex[BATCH];
    uint32_t triangle[BATCH][3];
    if (to->vertex_count + from->vertex_count > SURF_VERTICES_MAX) return surf_lattice_fail_large(err);
    for (uint64_t i = 0, some; i < from->vertex_count; i += some) {
        some = from->vertex_count - i < BATCH ? from->vertex_count - i : BATCH;
        if (surf_store_read(&from->vertices, i * sizeof *vertex, vertex, some * sizeof *vertex, err)) return -1;
        for (uint64_t k = 0; colour && k < some; k++) vertex[k].colour = *colour;
        if (surf_store_add(&to->vertices, vertex, some * sizeof *vertex, err)) return -1;
    }
    for (uint64_t i = 0, some; i < from->triangle_count; i += some) {
        some = from->triangle_count - i < BATCH ? from->triangle_count - i : BATCH;
        if (surf_store_read(&from->triangles, i * sizeof *triangle, triangle, some * sizeof *triangle, err)) return -1;
        for (uint64_t k = 0; k < 3 * some; k++) triangle[k / 3][k % 3] += (uint32_t)to->vertex_count;
        if (surf_store_add(&to->triangles, triangle, some * sizeof *triangle, err)) return -1;
    }
    to->vertex_count += from->vertex_count;
    to->triangle_count += from->triangle_count;
    return 0;
}

static int flush_vertices(struct surf_builder *b, struct trj_error *err) {
    struct surf_mesh *m = b->setup.mesh;
    size_t bytes = b->vertex_batch * sizeof *b->vertex;
    if (!b->vertex_batch) return 0;
    int rc = b->again ? surf_store_patch(&m->vertices, b->vertex_at * sizeof *b->vertex, b->vertex, bytes, err)
                      : surf_store_add(&m->vertices, b->vertex, bytes, err);
    b->vertex_at += b->vertex_batch;
    if (!b->again) m->vertex_count += b->vertex_batch;
    b->vertex_batch = 0;
    return rc;
}

static int flush_triangles(struct surf_builder *b, struct trj_error *err) {
    struct surf_mesh *m = b->setup.mesh;
    if (!b->triangle_batch) return 0;
    m->triangle_count += b->triangle_batch;
    int rc = surf_store_add(&m->triangles, b->triangle, b->triangle_batch * sizeof *b->triangle, err);
    b->triangle_batch = 0;
    return rc;
}

// ---- points

// Returns whether planes are kept, because axis 2 is periodic.
static bool is_periodic(const struct surf_builder *b) {
    return b->setup.map->lattice.periodic & TRJ_PERIODIC_C;
}

static struct plane *plane_at(struct surf_builder *b, size_t k) {
    return &b->plane[k % RING];
}

static bool is_inside(const struct surf_builder *b, const struct plane *p, size_t i, size_t j) {
    return p->inside[j * b->lattice.words + i / 64] >> i % 64 & 1;
}

static double value_of(const struct trj_map *m, const unsigned char *values, size_t point) {
    switch (m->kind) {
    case TRJ_MAP_FLOAT32:
        return (double)((const float *)(const void *)values)[point];
    case TRJ_MAP_QUANTA:
        return (double)((const int64_t *)(const void *)values)[point] * m->quantum;
    case TRJ_MAP_COUNTS:
        return (double)((const uint64_t *)(const void *)values)[point];
    default:
        return ((const double *)(const void *)values)[point];
    }
}

// Returns half of the difference between both neighbours along an axis, or the difference to the only one. `low` and
// `high` are NULL or the values of planes.
static double slope(const struct trj_map *m, const unsigned char *low, size_t at_low, const unsigned char *middle,
                    size_t point, const unsigned char *high, size_t at_high) {
    if (low && high) return (value_of(m, high, at_high) - value_of(m, low, at_low)) * 0.5;
    if (high) return value_of(m, high, at_high) - value_of(m, middle, point);
    return low ? value_of(m, middle, point) - value_of(m, low, at_low) : 0;
}

// Computes the gradient along the indices at a point of the map in plane k.
static void gradient_at(struct surf_builder *b, const size_t index[2], size_t k, double gradient[3]) {
    const struct trj_map *m = b->setup.map;
    const uint64_t *n = m->lattice.n;
    const unsigned char *v = plane_at(b, k)->values;
    const struct plane *below = plane_at(b, k + RING - 1), *above = plane_at(b, k + 1);
    size_t point = index[0] + n[0] * index[1], stride = 1;
    for (unsigned axis = 0; axis < 2; axis++, stride *= n[0]) {
        bool wraps = m->lattice.periodic & 1u << axis, first = !index[axis], last = index[axis] == n[axis] - 1;
        size_t back = first ? point + (n[axis] - 1) * stride : point - stride;
        size_t next = last ? point - (n[axis] - 1) * stride : point + stride;
        gradient[axis] = slope(m, first && !wraps ? NULL : v, back, v, point, last && !wraps ? NULL : v, next);
    }
    gradient[2] =
        slope(m, below->known ? below->values : NULL, point, v, point, above->known ? above->values : NULL, point);
}

// ---- vertices

// An end of an edge: a point in plane k.
struct end {
    size_t k, index[2]; // indices in the map
    size_t point;
    bool real, inside; // real: a point of the map, or its image
};

static struct end end_of(struct surf_builder *b, size_t i, size_t j, size_t k) {
    const struct plane *p = plane_at(b, k);
    int64_t x = b->index[0][i], y = b->index[1][j];
    struct end e = {.k = k, .inside = is_inside(b, p, i, j)};
    e.real = x != OUTSIDE && y != OUTSIDE && k >= b->lattice.lead[2] && k < b->lattice.n[2] - b->lattice.lead[2];
    if (!e.real) return e;
    e.index[0] = (size_t)x;
    e.index[1] = (size_t)y;
    e.point = e.index[0] + b->setup.map->lattice.n[0] * e.index[1];
    return e;
}

static void set_normal(struct surf_builder *b, const struct end end[2], unsigned axis, double t, float normal[3]) {
    double gradient[2][3];
    if (end[0].real && end[1].real) {
        for (int e = 0; e < 2; e++) gradient_at(b, end[e].index, end[e].k, gradient[e]);
        for (int i = 0; i < 3; i++) gradient[0][i] = surf_between(gradient[0][i], gradient[1][i], t);
        if (surf_normal(gradient[0], (const double(*)[3])b->lattice.inverse, normal)) return;
    }
    // Perpendicular to the border or, without a gradient, to the plane of the other two axes.
    for (unsigned i = 0; i < 3; i++) gradient[0][i] = i != axis ? 0 : end[0].inside ? -1 : 1;
    if (!surf_normal(gradient[0], (const double(*)[3])b->lattice.inverse, normal))
        memset(normal, 0, 3 * sizeof *normal);
}

static float colour_of(struct surf_builder *b, const struct end end[2], double t) {
    const struct trj_map *m = b->setup.colour;
    double v[2];
    if (!m) return 0;
    for (int e = 0; e < 2; e++) { // next to a border, the value of the only real point
        const struct end *real = end[e].real ? &end[e] : &end[!e];
        v[e] = value_of(m, plane_at(b, real->k)->colours, real->point);
    }
    return (float)(surf_between(v[0], v[1], t) / b->setup.colour_weight);
}

static int add_vertex(struct surf_builder *b, struct layer *l, const size_t corner[3], unsigned axis,
                      struct trj_error *err) {
    const struct trj_map *m = b->setup.map;
    struct end end[2] = {end_of(b, corner[0], corner[1], corner[2]),
                         end_of(b, corner[0] + (axis == 0), corner[1] + (axis == 1), corner[2] + (axis == 2))};
    double t = !end[0].real ? 1 - SURF_MARGIN : SURF_MARGIN;
    if (end[0].real && end[1].real)
        t = surf_fraction(value_of(m, plane_at(b, end[0].k)->values, end[0].point),
                          value_of(m, plane_at(b, end[1].k)->values, end[1].point), b->setup.level);
    l->number[axis * b->points + corner[0] + b->lattice.n[0] * corner[1]] = (uint32_t)l->count;
    l->cut[l->count++] = (struct cut){t, SURF_NO_LABEL};
    if (!b->setup.mesh) return 0;
    struct surf_vertex *v = &b->vertex[b->vertex_batch++];
    double index[3], position[3];
    for (unsigned i = 0; i < 3; i++) index[i] = (double)corner[i] - (double)b->lattice.lead[i] + (i == axis ? t : 0);
    trj_map_lattice_position(&m->lattice, index, position);
    for (int i = 0; i < 3; i++) v->position[i] = (float)position[i];
    set_normal(b, end, axis, t, v->normal);
    v->colour = colour_of(b, end, t);
    return b->vertex_batch == BATCH ? flush_vertices(b, err) : 0;
}

// The points of a word whose edges along each axis are cut.
struct cut_words {
    uint64_t axis[3];
};

static struct cut_words cuts_of(struct surf_builder *b, size_t w, size_t j, size_t k) {
    const uint64_t *row = plane_at(b, k)->inside + j * b->lattice.words + w;
    size_t left = b->lattice.n[0] - 1 - 64 * w; // points that start an edge along axis 0
    uint64_t next = row[0] >> 1 | (w + 1 < b->lattice.words ? row[1] << 63 : 0);
    struct cut_words c = {{(row[0] ^ next) & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX)}};
    if (j + 1 < b->lattice.n[1]) c.axis[1] = row[0] ^ row[b->lattice.words];
    if (k + 1 < b->lattice.n[2]) c.axis[2] = row[0] ^ plane_at(b, k + 1)->inside[j * b->lattice.words + w];
    return c;
}

static unsigned bits_of(uint64_t word) {
    return (unsigned)__builtin_popcountll(word);
}

static size_t count_vertices(struct surf_builder *b, size_t k) {
    size_t count = 0;
    for (size_t j = 0; j < b->lattice.n[1]; j++)
        for (size_t w = 0; w < b->lattice.words; w++) {
            struct cut_words c = cuts_of(b, w, j, k);
            if (c.axis[0] | c.axis[1] | c.axis[2])
                count += bits_of(c.axis[0]) + bits_of(c.axis[1]) + bits_of(c.axis[2]);
        }
    return count;
}

// Makes the vertices on the edges that start in plane k.
static int make_vertices(struct surf_builder *b, size_t k, struct trj_error *err) {
    struct layer *l = &b->layer[k % 2];
    size_t count = count_vertices(b, k), corner[3] = {0, 0, k};
    l->first = b->vertex_at + b->vertex_batch;
    l->count = 0;
    if (trj_grow(&l->cut, &l->capacity, count, sizeof *l->cut, "vertices", err)) return -1;
    if (b->setup.mesh && l->first + count > SURF_VERTICES_MAX) return surf_lattice_fail_large(err);
    for (corner[1] = 0; corner[1] < b->lattice.n[1]; corner[1]++)
        for (size_t w = 0; w < b->lattice.words; w++) {
            struct cut_words c = cuts_of(b, w, corner[1], k);
            for (uint64_t any = c.axis[0] | c.axis[1] | c.axis[2]; any; any &= any - 1) {
                unsigned bit = (unsigned)__builtin_ctzll(any);
                corner[0] = 64 * w + bit;
                for (unsigned axis = 0; axis < 3; axis++)
                    if (c.axis[axis] >> bit & 1 && add_vertex(b, l, corner, axis, err)) return -1;
            }
        }
    return 0;
}

// ---- triangles

// Returns whether a vertex is the image of another one, so that it is not counted.
static bool is_image(const struct surf_builder *b, const size_t index[3]) {
    for (int i = 0; i < 3; i++)
        if (b->lattice.image[i] && index[i] == b->lattice.n[i] - 1) return true;
    return false;
}

// A vertex of a triangle.
struct corner {
    struct cut *cut;
    uint64_t number;
    size_t origin[3]; // start of its edge
};

static struct corner corner_of(struct surf_builder *b, const size_t cell[3], unsigned edge, double x[3]) {
    unsigned axis = edge / 4, start = surf_edge_corner[edge];
    struct corner c = {NULL, 0, {cell[0] + (start & 1), cell[1] + (start >> 1 & 1), cell[2] + (start >> 2)}};
    struct layer *l = &b->layer[c.origin[2] % 2];
    uint32_t number = l->number[axis * b->points + c.origin[0] + b->lattice.n[0] * c.origin[1]];
    c.cut = &l->cut[number];
    c.number = l->first + number;
    for (unsigned i = 0; i < 3; i++) x[i] = i == axis ? c.cut->fraction : (double)(start >> i & 1);
    return c;
}

// Gives all vertices of a triangle one label, and returns it in *label.
static int join(struct surf_builder *b, const struct corner c[3], uint32_t *label, struct trj_error *err) {
    *label = SURF_NO_LABEL;
    for (int v = 0; v < 3 && *label == SURF_NO_LABEL; v++) *label = c[v].cut->label;
    if (*label == SURF_NO_LABEL && surf_labels_add(&b->labels, label, err)) return -1;
    for (int v = 0; v < 3; v++) {
        if (c[v].cut->label == SURF_NO_LABEL) {
            c[v].cut->label = *label;
            b->labels.label[*label].vertices += !is_image(b, c[v].origin);
        } else if (c[v].cut->label != *label) {
            surf_labels_unite(&b->labels, *label, c[v].cut->label, NULL);
        }
    }
    return 0;
}

// Adds a triangle with these corners to the sums of its label.
static int add_to_label(struct surf_builder *b, const size_t cell[3], const struct corner c[3], double x[3][3],
                        struct trj_error *err) {
    uint32_t label;
    if (join(b, c, &label, err)) return -1;
    struct surf_label *l = &b->labels.label[label];
    struct surf_share s = surf_share_of(x, (const double(*)[3])b->setup.map->lattice.step, b->lattice.unit);
    l->triangles++;
    l->area += s.area;
    l->shadow += s.shadow;
    l->content += s.content + (surf_sum)cell[2] * s.shadow;
    return 0;
}

static int add_triangle(struct surf_builder *b, const size_t cell[3], const uint8_t edge[3], struct trj_error *err) {
    struct corner c[3];
    double x[3][3];
    for (int v = 0; v < 3; v++) c[v] = corner_of(b, cell, edge[v], x[v]);
    if (!b->setup.only_mesh && add_to_label(b, cell, c, x, err)) return -1;
    if (!b->setup.mesh) return 0;
    uint32_t *t = b->triangle[b->triangle_batch++];
    t[0] = (uint32_t)c[0].number;
    t[1] = (uint32_t)c[b->lattice.mirrored ? 2 : 1].number;
    t[2] = (uint32_t)c[b->lattice.mirrored ? 1 : 2].number;
    return b->triangle_batch == BATCH ? flush_triangles(b, err) : 0;
}

static int add_cell(struct surf_builder *b, const size_t cell[3], struct trj_error *err) {
    unsigned which = 0;
    for (unsigned c = 0; c < 8; c++)
        which |= (unsigned)is_inside(b, plane_at(b, cell[2] + (c >> 2)), cell[0] + (c & 1), cell[1] + (c >> 1 & 1))
                 << c;
    for (unsigned t = 0; t < b->table.count[which]; t++)
        if (add_triangle(b, cell, b->table.edge[which][t], err)) return -1;
    return 0;
}

// Makes the triangles of the cells between the planes k and k + 1.
static int make_triangles(struct surf_builder *b, size_t k, struct trj_error *err) {
    size_t cell[3] = {0, 0, k};
    for (cell[1] = 0; cell[1] + 1 < b->lattice.n[1]; cell[1]++) {
        const uint64_t *low = plane_at(b, k)->inside + cell[1] * b->lattice.words;
        const uint64_t *high = plane_at(b, k + 1)->inside + cell[1] * b->lattice.words;
        for (size_t w = 0; w < b->lattice.words; w++) {
            const uint64_t *row[4] = {low + w, low + w + b->lattice.words, high + w, high + w + b->lattice.words};
            uint64_t some = 0, all = UINT64_MAX;
            for (int r = 0; r < 4; r++) {
                uint64_t next = row[r][0] >> 1 | (w + 1 < b->lattice.words ? row[r][1] << 63 : 0);
                some |= row[r][0] | next;
                all &= row[r][0] & next;
            }
            size_t left = b->lattice.n[0] - 1 - 64 * w;
            for (uint64_t mixed = some & ~all & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX); mixed;
                 mixed &= mixed - 1) {
                cell[0] = 64 * w + (unsigned)__builtin_ctzll(mixed);
                if (add_cell(b, cell, err)) return -1;
            }
        }
    }
    return 0;
}

// ---- periodic boundaries

static bool is_cut(struct surf_builder *b, size_t i, size_t j, size_t k, unsigned axis) {
    struct cut_words c = cuts_of(b, i / 64, j, k);
    return c.axis[axis] >> i % 64 & 1;
}

static uint32_t label_at(const struct surf_builder *b, size_t i, size_t j, size_t k, unsigned axis) {
    const struct layer *l = &b->layer[k % 2];
    return l->cut[l->number[axis * b->points + i + b->lattice.n[0] * j]].label;
}

// Unites the labels of vertices in the last rows and columns of plane k with those of the vertices whose images they
// are.
static void unite_sides(struct surf_builder *b, size_t k) {
    static const int32_t along[2][3] = {{1, 0, 0}, {0, 1, 0}};
    size_t last[2] = {b->lattice.n[0] - 1, b->lattice.n[1] - 1};
    for (size_t j = 0; b->lattice.image[0] && j < b->lattice.n[1]; j++)
        for (unsigned axis = 1; axis < 3; axis++)
            if (is_cut(b, 0, j, k, axis))
                surf_labels_unite(&b->labels, label_at(b, last[0], j, k, axis), label_at(b, 0, j, k, axis), along[0]);
    for (size_t i = 0; b->lattice.image[1] && i < b->lattice.n[0]; i++)
        for (unsigned axis = 0; axis < 3; axis += 2)
            if (is_cut(b, i, 0, k, axis))
                surf_labels_unite(&b->labels, label_at(b, i, last[1], k, axis), label_at(b, i, 0, k, axis), along[1]);
}

// For k = 0, keeps the labels of the first plane; otherwise unites them with those of its image, plane k.
static void unite_ends(struct surf_builder *b, size_t k) {
    static const int32_t along[3] = {0, 0, 1};
    for (size_t j = 0; j < b->lattice.n[1]; j++)
        for (size_t i = 0; i < b->lattice.n[0]; i++)
            for (unsigned axis = 0; axis < 2; axis++) {
                uint32_t *kept = &b->first_label[axis * b->points + i + b->lattice.n[0] * j];
                if (!is_cut(b, i, j, k, axis)) continue;
                if (k)
                    surf_labels_unite(&b->labels, label_at(b, i, j, k, axis), *kept, along);
                else
                    *kept = label_at(b, i, j, k, axis);
            }
}

// Returns the inside area of the square from point i, j to i + 1, j + 1 of plane k.
static surf_sum area_inside(struct surf_builder *b, size_t i, size_t j, size_t k) {
    const struct plane *p = plane_at(b, k);
    const struct layer *l = &b->layer[k % 2];
    double cut[4] = {0, 0, 0, 0};
    bool in[4] = {is_inside(b, p, i, j), is_inside(b, p, i + 1, j), is_inside(b, p, i + 1, j + 1),
                  is_inside(b, p, i, j + 1)};
    for (unsigned c = 0; c < 4; c++) { // the side from corner c to the next one
        if (in[c] == in[(c + 1) % 4]) continue;
        cut[c] = l->cut[l->number[c % 2 * b->points + i + (c == 1) + b->lattice.n[0] * (j + (c == 2))]].fraction;
    }
    return surf_area_inside(in, cut);
}

static void sum_top(struct surf_builder *b, size_t k) {
    for (size_t j = 0; j + 1 < b->lattice.n[1]; j++)
        for (size_t i = 0; i + 1 < b->lattice.n[0]; i++) b->top += area_inside(b, i, j, k);
}

// ---- planes

static void set_plane(const struct surf_builder *b, struct plane *p, const void *values, const void *colours) {
    if (b->setup.kept) {
        p->values = values;
        p->colours = colours;
        return;
    }
    if (values) memcpy(p->memory, values, b->plane_size);
    if (colours) memcpy(p->memory + b->plane_size, colours, b->colour_size);
}

// Adds a plane of the extended lattice; `values` is NULL if there is none.
static int feed(struct surf_builder *b, const void *values, const void *colours, bool outside, struct trj_error *err) {
    const uint64_t *n = b->setup.map->lattice.n;
    struct plane *p = plane_at(b, b->fed);
    p->known = values;
    memset(p->inside, 0, b->lattice.n[1] * b->lattice.words * sizeof *p->inside);
    set_plane(b, p, values, colours);
    for (size_t j = 0; j < n[1] && !outside; j++) {
        uint64_t *to = p->inside + (j + b->lattice.lead[1]) * b->lattice.words;
        const unsigned char *from = p->values + j * n[0] * trj_map_value_size(b->setup.map->kind);
        if (surf_classify(&b->threshold, from, n[0], b->row))
            for (size_t i = 0;; i++)
                if (isnan(value_of(b->setup.map, from, i)))
                    return surf_lattice_fail_nan((const uint64_t[3]){i, j, b->given}, err);
        for (size_t w = 0; w < (n[0] + 63) / 64; w++) {
            to[w] |= b->row[w] << b->lattice.lead[0];
            if (b->lattice.lead[0] && w + 1 < b->lattice.words) to[w + 1] = b->row[w] >> 63;
        }
        size_t image = n[0] + b->lattice.lead[0];
        if (b->setup.map->lattice.periodic & TRJ_PERIODIC_A) to[image / 64] |= (b->row[0] & 1) << image % 64;
    }
    if (b->setup.map->lattice.periodic & TRJ_PERIODIC_B)
        memcpy(p->inside + (n[1] + b->lattice.lead[1]) * b->lattice.words,
               p->inside + b->lattice.lead[1] * b->lattice.words, b->lattice.words * sizeof *p->inside);
    b->fed++;
    return 0;
}

// Makes the vertices of the plane that is two before the last one fed, and the triangles below this plane.
static int advance(struct surf_builder *b, struct trj_error *err) {
    if (b->fed < 3 || b->fed > b->lattice.n[2] + 2) return 0;
    size_t k = b->fed - 3;
    if (make_vertices(b, k, err)) return -1;
    if (!k) return 0;
    if (make_triangles(b, k - 1, err)) return -1;
    if (b->setup.only_mesh) return 0;
    unite_sides(b, k - 1);
    if (k == 1 && b->lattice.image[2]) unite_ends(b, 0);
    if (k + 1 < b->lattice.n[2]) return 0;
    unite_sides(b, k);
    if (b->lattice.image[2]) {
        unite_ends(b, k);
        sum_top(b, k);
    }
    return 0;
}

static int add_plane(struct surf_builder *b, const void *values, const void *colours, bool outside,
                     struct trj_error *err) {
    return feed(b, values, colours, outside, err) || advance(b, err) ? -1 : 0;
}

int surf_builder_add(struct surf_builder *b, const void *values, const void *colours, struct trj_error *err) {
    uint64_t n = b->setup.map->lattice.n[2];
    if (b->given == n) return trj_fail(err, TRJ_FAILED, "more planes than the map has");
    for (size_t q = 0; is_periodic(b) && q < KEPT; q++) {
        if (b->given != (q + 1 < KEPT ? q % n : n - 1)) continue;
        set_plane(b, &b->kept[q], values, colours);
    }
    if (!b->given && b->lattice.lead[2] && add_plane(b, NULL, NULL, true, err)) return -1;
    if (add_plane(b, values, colours, false, err)) return -1;
    b->given++;
    return 0;
}

// Makes the vertices of the first plane of the map again, with the last plane as neighbour.
static int make_first_again(struct surf_builder *b, struct trj_error *err) {
    size_t k = b->lattice.lead[2];
    uint64_t first = 0;
    if (flush_vertices(b, err)) return -1;
    for (size_t q = 0; q < KEPT; q++) {
        b->fed = k + q + RING - 1;
        const struct plane *from = &b->kept[(q + KEPT - 1) % KEPT];
        if (feed(b, from->values, from->colours, false, err)) return -1;
    }
    if (k) { // vertices between the border and the first plane come first
        memset(plane_at(b, 0)->inside, 0, b->lattice.n[1] * b->lattice.words * sizeof(uint64_t));
        first = count_vertices(b, 0);
    }
    b->again = true;
    b->vertex_at = first;
    return make_vertices(b, k, err) || flush_vertices(b, err) ? -1 : 0;
}

static int feed_rest(struct surf_builder *b, struct trj_error *err) {
    const struct plane *kept = b->kept;
    if (is_periodic(b) && add_plane(b, kept[0].values, kept[0].colours, false, err)) return -1;
    if (is_periodic(b) && add_plane(b, kept[1].values, kept[1].colours, true, err)) return -1;
    while (b->fed < b->lattice.n[2] + 2)
        if (add_plane(b, NULL, NULL, true, err)) return -1;
    return 0;
}

int surf_builder_finish(struct surf_builder *b, struct surf_summary *s, struct trj_error *err) {
    *s = (struct surf_summary){0};
    if (b->given < b->setup.map->lattice.n[2]) return trj_fail(err, TRJ_FAILED, "the map is incomplete");
    if (feed_rest(b, err)) return -1;
    if (b->setup.mesh &&
        (flush_triangles(b, err) || flush_vertices(b, err) || (is_periodic(b) && make_first_again(b, err))))
        return -1;
    if (b->setup.mesh && b->setup.only_mesh) {
        s->triangles = b->setup.mesh->triangle_count;
        return 0;
    }
    return surf_lattice_sum(&b->lattice, &b->labels, b->top, s, err);
}

// ---- opening

static int alloc_plane(const struct surf_builder *b, struct plane *p, struct trj_error *err) {
    if (b->setup.kept) return 0;
    if (!(p->memory = trj_alloc(b->plane_size + b->colour_size, 1, "a plane", err))) return -1;
    p->values = p->memory;
    p->colours = b->colour_size ? p->memory + b->plane_size : NULL;
    return 0;
}

static int alloc_all(struct surf_builder *b, struct trj_error *err) {
    for (int i = 0; i < RING; i++)
        if (alloc_plane(b, &b->plane[i], err) ||
            !(b->plane[i].inside = trj_alloc(b->lattice.n[1] * b->lattice.words, sizeof(uint64_t), "a plane", err)))
            return -1;
    for (int i = 0; is_periodic(b) && i < KEPT; i++)
        if (alloc_plane(b, &b->kept[i], err)) return -1;
    for (int i = 0; i < 2; i++)
        if (!(b->layer[i].number = trj_alloc(3 * b->points, sizeof(uint32_t), "vertices", err))) return -1;
    if (b->lattice.image[2] && !(b->first_label = trj_alloc(2 * b->points, sizeof(uint32_t), "vertices", err)))
        return -1;
    return (b->row = trj_alloc(b->lattice.words, sizeof *b->row, "a row", err)) ? 0 : -1;
}

static int set_index(struct surf_builder *b, struct trj_error *err) {
    const struct surf_lattice *e = &b->lattice;
    for (unsigned axis = 0; axis < 2; axis++) {
        if (!(b->index[axis] = trj_alloc(e->n[axis], sizeof(int64_t), "a row", err))) return -1;
        for (size_t i = 0; i < e->n[axis]; i++) {
            bool real = i >= e->lead[axis] && i < e->n[axis] - e->lead[axis];
            b->index[axis][i] = real ? (int64_t)((i - e->lead[axis]) % b->setup.map->lattice.n[axis]) : OUTSIDE;
        }
    }
    return 0;
}

int surf_builder_open(struct surf_builder **result, const struct surf_setup *setup, struct trj_error *err) {
    const struct trj_map *m = setup->map, *c = setup->colour;
    if (surf_lattice_check(setup, err)) return -1;
    struct surf_builder *b = trj_alloc(1, sizeof *b, "a surface", err);
    if (!b) return -1;
    b->setup = *setup;
    b->threshold = surf_threshold_of(m, setup->level);
    b->plane_size = trj_map_plane_size(m);
    b->colour_size = c ? trj_map_plane_size(c) : 0;
    surf_table_make(&b->table);
    surf_lattice_set(&b->lattice, m, setup->close);
    b->points = b->lattice.n[0] * b->lattice.n[1];
    if (set_index(b, err) || alloc_all(b, err)) {
        surf_builder_close(b);
        return -1;
    }
    *result = b;
    return 0;
}

static void free_plane(struct plane *p) {
    free(p->memory);
    free(p->inside);
}

void surf_builder_close(struct surf_builder *b) {
    if (!b) return;
    for (int i = 0; i < RING; i++) free_plane(&b->plane[i]);
    for (int i = 0; i < KEPT; i++) free_plane(&b->kept[i]);
    for (int i = 0; i < 2; i++) {
        free(b->layer[i].number);
        free(b->layer[i].cut);
        free(b->index[i]);
    }
    free(b->first_label);
    free(b->row);
    free(b->labels.label);
    free(b);
}
