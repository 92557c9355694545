// SPDX-License-Identifier: MIT
// Host interface of the surface kernels, which produce the same bytes as lib/surface: meshes and sums. All pointers are
// to device memory.
//
// The points of the extended lattice (lib/surface/surface_lattice.h) are classified, with one bit for each. To each
// word of 64 bits belong the vertices on the edges that start at its points, and the triangles of the cells that start
// there. They are counted, and a prefix sum of the counts numbers them. Any thread can then compute the number of a
// vertex from the bits near it, so that all vertices and triangles are made in parallel. The fragments of a surface are
// found with a union-find algorithm, which unites the vertices of each triangle.
#ifndef CUDA_SURFACE_KERNELS_H
#define CUDA_SURFACE_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

struct trj_error;

#ifdef __cplusplus
extern "C" {
#endif

// Values of a map: enum trj_map_kind.
typedef struct cuda_surface_values {
    int kind;
    double quantum;
    const void *values; // [n[2]][n[1]][n[0]]; NULL: no map
} cuda_surface_values;

// struct surf_vertex.
typedef struct cuda_surface_vertex {
    float position[3], normal[3], colour;
} cuda_surface_vertex;

// A fragment of a surface: vertices that triangles connect. A sum of 128 bits consists of two words, the low one first.
typedef struct cuda_surface_fragment {
    unsigned long long first; // number of its first triangle
    unsigned long long vertices, triangles;
    unsigned long long area[2], shadow[2], content[2];
} cuda_surface_fragment;

// A vertex of fragment `last` is the image, one period along an axis, of a vertex of fragment `first`.
typedef struct cuda_surface_image {
    unsigned last, first, axis;
} cuda_surface_image;

typedef struct cuda_surface_args {
    cuda_surface_values map, colour;
    double colour_weight, level;
    int none; // 1: no value is inside
    float min_f32;
    double min_f64;
    long long min_quanta;
    unsigned long long min_counts;
    int n[3];          // points of the map
    unsigned periodic; // axes of the map
    double origin[3], step[3][3];
    // struct surf_lattice:
    int size[3], lead[3], image[3], mirrored;
    unsigned words;
    double inverse[3][3], unit;
    // struct surf_table:
    const uint8_t *count;        // [256]
    const uint8_t (*edge)[5][3]; // [256]
    unsigned long long *inside;  // [size[2]][size[1]][words]
    // [size[2] size[1] words + 1], fewer than 2^31: number of vertices of each word; after the scan, its first vertex
    unsigned long long *vertex;
    unsigned long long *triangle; // as `vertex`
    unsigned long long *nan;      // [1] lowest number of a point whose value is NaN
    // Results of cuda_surface_make:
    cuda_surface_vertex *vertices;
    unsigned (*triangles)[3];
    // Results of cuda_surface_join and cuda_surface_sum:
    unsigned *parent;                 // [vertices] lowest vertex of the fragment
    unsigned *fragment;               // [vertices + 1] at the lowest vertex of a fragment: number of the fragment
    cuda_surface_fragment *fragments; // [fragments]
    cuda_surface_image *images;
    unsigned long long *image_count; // [1]
    unsigned long long *top;         // [2] sum of surf_area_inside
} cuda_surface_args;

// Loads the kernels, which takes about 1 ms. CUDA would otherwise load them at the first launch, while its time is
// measured.
int cuda_surface_load(struct trj_error *err);
// Sets *bytes to the size of the scratch memory for scans of `items` numbers.
int cuda_surface_scratch(size_t items, size_t *bytes, struct trj_error *err);
// Enqueues the classification, the counts and their scans.
int cuda_surface_count(const cuda_surface_args *a, void *scratch, size_t bytes, cudaStream_t stream,
                       struct trj_error *err);
// Enqueues the kernels that make the vertices and triangles.
int cuda_surface_make(const cuda_surface_args *a, cudaStream_t stream, struct trj_error *err);
// Enqueues the search for fragments. Afterwards, fragment[vertices] is the number of fragments.
int cuda_surface_join(const cuda_surface_args *a, unsigned vertices, void *scratch, size_t bytes, cudaStream_t stream,
                      struct trj_error *err);
// Enqueues the sums of the fragments, and the list of images.
int cuda_surface_sum(const cuda_surface_args *a, unsigned fragments, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
