// SPDX-License-Identifier: MIT
// Generates the table of marching cubes instead of listing it, so that a test can prove that surfaces have no holes.
#include "surface_table.h"

#include <stdbool.h>
#include <string.h>

enum { FACES = 6, LOOP_MAX = SURF_EDGES, NONE = 255 };

const uint8_t surf_edge_corner[SURF_EDGES] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};

static uint8_t edge_between(unsigned a, unsigned b) {
    unsigned axis = (a ^ b) >> 1, e = 4 * axis;
    while (surf_edge_corner[e] != (a & b)) e++;
    return (uint8_t)e;
}

// Lists the corners of a face counter-clockwise, seen from outside the cell.
static void face_corners(unsigned face, unsigned corner[4]) {
    unsigned axis = face / 2, b = 1u << (axis + 1) % 3, c = 1u << (axis + 2) % 3, first = (face & 1) << axis;
    corner[0] = first;
    corner[1] = first | (face & 1 ? b : c);
    corner[2] = first | b | c;
    corner[3] = first | (face & 1 ? c : b);
}

static bool inside(unsigned which, unsigned corner) {
    return which >> corner & 1;
}

// Adds the segments of a face: next[edge] is the edge where the segment that starts at `edge` ends. The segment closes
// the boundary of a run of inside corners, which is passed clockwise, seen from outside the cell.
static void add_segments(unsigned which, unsigned face, uint8_t next[SURF_EDGES]) {
    unsigned c[4];
    face_corners(face, c);
    for (unsigned i = 0; i < 4; i++) {
        if (inside(which, c[i]) || !inside(which, c[(i + 1) % 4])) continue;
        unsigned j = i + 1;
        while (inside(which, c[(j + 1) % 4])) j++;
        next[edge_between(c[i], c[(i + 1) % 4])] = edge_between(c[j % 4], c[(j + 1) % 4]);
    }
}

static bool in_one_face(unsigned e, unsigned f) {
    for (unsigned face = 0; face < FACES; face++) {
        unsigned axis = face / 2, side = face & 1;
        bool has_e = e / 4 != axis && (surf_edge_corner[e] >> axis & 1) == side;
        bool has_f = f / 4 != axis && (surf_edge_corner[f] >> axis & 1) == side;
        if (has_e && has_f) return true;
    }
    return false;
}

// Six times the volume from the origin to a triangle whose vertices are in the middle of their edges, in units of an
// eighth of the cell.
static int volume_to(unsigned a, unsigned b, unsigned c) {
    const unsigned edge[3] = {a, b, c};
    int p[3][3];
    for (int v = 0; v < 3; v++)
        for (unsigned k = 0; k < 3; k++) p[v][k] = edge[v] / 4 == k ? 1 : 2 * (int)(surf_edge_corner[edge[v]] >> k & 1);
    return p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
}

// Divides the loop into triangles such that as few diagonals as possible lie in a face; the unit test checks that none
// does. Of these divisions it chooses the most convex one, which has the largest volume on the side of fewer corners.
// cost[i][j] is the least cost of the vertices i to j, and apex[i][j] the third vertex of the triangle at the side from
// i to j.
static void add_triangles(struct surf_table *t, unsigned which, const uint8_t loop[LOOP_MAX], unsigned n) {
    enum { IN_FACE = 1000 };
    int cost[LOOP_MAX][LOOP_MAX] = {0}, sign = __builtin_popcount(which) > 4 ? 1 : -1;
    unsigned apex[LOOP_MAX][LOOP_MAX] = {0};
    for (unsigned width = 2; width < n; width++)
        for (unsigned i = 0; i + width < n; i++) {
            unsigned j = i + width;
            int min = INT32_MAX;
            for (unsigned k = i + 1; k < j; k++) {
                int in_faces =
                    (k > i + 1 && in_one_face(loop[i], loop[k])) + (j > k + 1 && in_one_face(loop[k], loop[j]));
                int c = cost[i][k] + cost[k][j] + IN_FACE * in_faces + sign * volume_to(loop[i], loop[k], loop[j]);
                if (c >= min) continue;
                min = c;
                apex[i][j] = k;
            }
            cost[i][j] = min;
        }
    unsigned stack[LOOP_MAX][2] = {{0, n - 1}}, depth = 1;
    while (depth) {
        unsigned i = stack[--depth][0], j = stack[depth][1], k = apex[i][j];
        if (j - i < 2) continue;
        uint8_t *edge = t->edge[which][t->count[which]++];
        edge[0] = loop[i];
        edge[1] = loop[k];
        edge[2] = loop[j];
        stack[depth][0] = k;
        stack[depth++][1] = j;
        stack[depth][0] = i;
        stack[depth++][1] = k;
    }
}

void surf_table_make(struct surf_table *t) {
    memset(t, 0, sizeof *t);
    for (unsigned which = 0; which < SURF_CASES; which++) {
        uint8_t next[SURF_EDGES], loop[LOOP_MAX];
        memset(next, NONE, sizeof next);
        for (unsigned face = 0; face < FACES; face++) add_segments(which, face, next);
        for (unsigned e = 0; e < SURF_EDGES; e++) {
            unsigned n = 0;
            for (uint8_t edge = (uint8_t)e; next[edge] != NONE; n++) {
                uint8_t following = next[edge];
                next[edge] = NONE;
                loop[n] = edge;
                edge = following;
            }
            if (n) add_triangles(t, which, loop, n);
        }
    }
}
