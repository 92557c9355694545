// SPDX-License-Identifier: MIT
// Writes meshes in batches as PLY, OBJ or STL, from memory or from temporary files.
#include "mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "colour_scale.h"
#include "decimal.h"
#include "input.h"
#include "memory.h"
#include "table_writer.h"

const struct trj_choice surf_formats[] = {
    [SURF_PLY] = {"ply", "binary PLY, with normals and colours"},
    [SURF_OBJ] = {"obj", "Wavefront OBJ, with normals"},
    [SURF_STL] = {"stl", "binary STL"},
    [SURF_TABLE] = {"tsv", "table of areas, volumes and Euler numbers"},
    {NULL, NULL},
};

enum surf_format surf_format_of(const char *name, const char *path) {
    enum surf_format f = SURF_PLY;
    for (char ending[8]; f < SURF_FORMATS; f++) {
        snprintf(ending, sizeof ending, ".%s", surf_formats[f].name);
        if (name ? !strcmp(name, surf_formats[f].name) : path && trj_name_ends_in(path, ending)) break;
    }
    return f;
}

enum { BATCH = 4096 };

// Vertices or triangles are read and written in batches.
struct writing {
    const struct surf_mesh *mesh;
    const struct surf_mesh_file *file;
    double low, high; // of colours
    struct trj_bytes bytes;
    struct surf_vertex *vertex; // [vertex_capacity] numbered from first_vertex
    size_t vertex_capacity;
    uint64_t first_vertex;
    uint32_t triangle[BATCH][3];
};

static int flush(struct writing *w, struct trj_output *out, struct trj_error *err) {
    if (w->bytes.failed) return trj_fail_memory(err, (double)w->bytes.size, "a mesh");
    int rc = trj_output_write(out, w->bytes.data, w->bytes.size, err);
    w->bytes.size = 0;
    return rc;
}

// Reads vertices with these numbers.
static int load_vertices(struct writing *w, uint64_t first, uint64_t count, struct trj_error *err) {
    size_t size = sizeof *w->vertex;
    if (trj_grow(&w->vertex, &w->vertex_capacity, count, size, "vertices", err)) return -1;
    w->first_vertex = first;
    return surf_store_read(&w->mesh->vertices, first * size, w->vertex, count * size, err);
}

static int load_triangles(struct writing *w, uint64_t first, size_t count, struct trj_error *err) {
    size_t size = sizeof *w->triangle;
    return surf_store_read(&w->mesh->triangles, first * size, w->triangle, count * size, err);
}

static size_t batch(uint64_t done, uint64_t all) {
    return all - done < BATCH ? (size_t)(all - done) : BATCH;
}

static int each_vertex(struct writing *w, void (*put)(struct writing *w, const struct surf_vertex *v),
                       struct trj_output *out, struct trj_error *err) {
    for (uint64_t i = 0, some; i < w->mesh->vertex_count; i += some) {
        some = batch(i, w->mesh->vertex_count);
        if (load_vertices(w, i, some, err)) return -1;
        for (uint64_t k = 0; k < some; k++) put(w, &w->vertex[k]);
        if (flush(w, out, err)) return -1;
    }
    return 0;
}

static int each_triangle(struct writing *w, void (*put)(struct writing *w, const uint32_t t[3]), bool vertices,
                         struct trj_output *out, struct trj_error *err) {
    for (uint64_t i = 0, some; i < w->mesh->triangle_count; i += some) {
        some = batch(i, w->mesh->triangle_count);
        if (load_triangles(w, i, some, err)) return -1;
        // The numbers of successive triangles are close together: the vertices are in two planes of the map.
        uint32_t low = UINT32_MAX, high = 0;
        for (uint64_t k = 0; vertices && k < 3 * some; k++) {
            uint32_t v = w->triangle[k / 3][k % 3];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (vertices && load_vertices(w, low, (uint64_t)high - low + 1, err)) return -1;
        for (uint64_t k = 0; k < some; k++) put(w, w->triangle[k]);
        if (flush(w, out, err)) return -1;
    }
    return 0;
}

// ---- PLY

static void put_ply_vertex(struct writing *w, const struct surf_vertex *v) {
    unsigned char rgb[3];
    trj_put_f32s(&w->bytes, v->position, 3);
    trj_put_f32s(&w->bytes, v->normal, 3);
    if (!w->file->scale) return;
    surf_colour(w->file->scale, (double)v->colour, w->low, w->high, rgb);
    trj_put_raw(&w->bytes, rgb, 3);
}

static void put_ply_triangle(struct writing *w, const uint32_t t[3]) {
    trj_put_raw(&w->bytes, "\3", 1);
    trj_put_u32s(&w->bytes, t, 3);
}

// Sets the range of colours to that of the mesh, unless the user gives it.
static int find_range(struct writing *w, struct trj_error *err) {
    w->low = w->file->low;
    w->high = w->file->high;
    if (!w->file->scale || !isnan(w->low)) return 0;
    for (uint64_t i = 0, some; i < w->mesh->vertex_count; i += some) {
        some = batch(i, w->mesh->vertex_count);
        if (load_vertices(w, i, some, err)) return -1;
        for (uint64_t k = 0; k < some; k++) {
            double c = (double)w->vertex[k].colour;
            if (!(c >= w->low)) w->low = isfinite(c) ? c : w->low;
            if (!(c <= w->high)) w->high = isfinite(c) ? c : w->high;
        }
    }
    return 0;
}

static int write_ply(struct writing *w, struct trj_output *out, struct trj_error *err) {
    if (find_range(w, err) || trj_output_print(out, err, "ply\nformat binary_little_endian 1.0\n")) return -1;
    for (char *const *line = w->file->provenance; *line; line++)
        if (trj_output_print(out, err, "comment provenance: %s\n", *line)) return -1;
    if (trj_output_print(out, err, "comment %s\n", w->file->note)) return -1;
    if (w->file->scale &&
        trj_output_print(out, err, "comment colours: %s from %.9g to %.9g\n", w->file->scale, w->low, w->high))
        return -1;
    if (trj_output_print(out, err,
                         "element vertex %llu\nproperty float x\nproperty float y\nproperty float z\n"
                         "property float nx\nproperty float ny\nproperty float nz\n%s"
                         "element face %llu\nproperty list uchar int vertex_indices\nend_header\n",
                         (unsigned long long)w->mesh->vertex_count,
                         w->file->scale ? "property uchar red\nproperty uchar green\nproperty uchar blue\n" : "",
                         (unsigned long long)w->mesh->triangle_count))
        return -1;
    return each_vertex(w, put_ply_vertex, out, err) || each_triangle(w, put_ply_triangle, false, out, err) ? -1 : 0;
}

// ---- OBJ

static void put_obj_vector(struct writing *w, const char *word, const float v[3]) {
    char text[3 * (TRJ_DECIMAL_CAPACITY + 1) + 4];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", word);
    for (int k = 0; k < 3; k++) {
        text[n++] = ' ';
        n += trj_print_float(text + n, v[k]);
    }
    text[n++] = '\n';
    trj_put_raw(&w->bytes, text, n);
}

static void put_obj_position(struct writing *w, const struct surf_vertex *v) {
    put_obj_vector(w, "v", v->position);
}

static void put_obj_normal(struct writing *w, const struct surf_vertex *v) {
    put_obj_vector(w, "vn", v->normal);
}

static void put_obj_triangle(struct writing *w, const uint32_t t[3]) {
    char text[80];
    int n = snprintf(text, sizeof text, "f %u//%u %u//%u %u//%u\n", t[0] + 1, t[0] + 1, t[1] + 1, t[1] + 1, t[2] + 1,
                     t[2] + 1);
    trj_put_raw(&w->bytes, text, (size_t)n);
}

static int write_obj(struct writing *w, struct trj_output *out, struct trj_error *err) {
    struct trj_table t = {.out = out, .err = err};
    trj_table_provenance(&t, w->file->provenance, SIZE_MAX);
    trj_table_comment(&t, "%s", w->file->note);
    return trj_table_status(&t) || each_vertex(w, put_obj_position, out, err) ||
                   each_vertex(w, put_obj_normal, out, err) || each_triangle(w, put_obj_triangle, false, out, err)
               ? -1
               : 0;
}

// ---- STL

static void put_stl_triangle(struct writing *w, const uint32_t t[3]) {
    const float *p[3];
    double e[2][3], n[3];
    float normal[3] = {0};
    for (int v = 0; v < 3; v++) p[v] = w->vertex[t[v] - w->first_vertex].position;
    for (int v = 0; v < 2; v++)
        for (int k = 0; k < 3; k++) e[v][k] = (double)p[v + 1][k] - (double)p[0][k];
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        n[k] = e[0][a] * e[1][b] - e[0][b] * e[1][a];
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3 && length > 0; k++) normal[k] = (float)(n[k] / length);
    trj_put_f32s(&w->bytes, normal, 3);
    for (int v = 0; v < 3; v++) trj_put_f32s(&w->bytes, p[v], 3);
    trj_put_raw(&w->bytes, "\0", 2);
}

static int write_stl(struct writing *w, struct trj_output *out, struct trj_error *err) {
    char head[80] = "binary STL of trjpipe " TRJPIPE_VERSION; // must not begin with "solid", as text files do
    uint64_t count = w->mesh->triangle_count;
    if (count > UINT32_MAX)
        return trj_fail(err, TRJ_FAILED, "%llu triangles are too many for STL; use PLY", (unsigned long long)count);
    trj_put_raw(&w->bytes, head, sizeof head);
    trj_put_u32(&w->bytes, (uint32_t)count);
    return flush(w, out, err) || each_triangle(w, put_stl_triangle, true, out, err) ? -1 : 0;
}

int surf_mesh_write(const struct surf_mesh *m, const struct surf_mesh_file *f, struct trj_output *out,
                    struct trj_error *err) {
    static int (*const write[])(struct writing * w, struct trj_output * out, struct trj_error * err) = {
        [SURF_PLY] = write_ply, [SURF_OBJ] = write_obj, [SURF_STL] = write_stl};
    struct writing *w = trj_alloc(1, sizeof *w, "a mesh", err);
    if (!w) return -1;
    w->mesh = m;
    w->file = f;
    int rc = write[f->format](w, out, err);
    trj_bytes_free(&w->bytes);
    free(w->vertex);
    free(w);
    return rc;
}
