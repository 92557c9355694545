// SPDX-License-Identifier: MIT
// Divides points into blocks of neighbours, whose boxes bound the distance of a charge from all of their points.
#include "pair_blocks.h"

#include <stdio.h>
#include <string.h>

#include "pair_block_shape.h"

static void add_region(struct pot_blocks *b, const uint64_t low[3], const uint64_t n[3]) {
    static const uint64_t sizes[4] = {1, 64, 16, 8};
    struct pot_region *r = &b->region[b->regions++];
    int thick = 0;
    size_t blocks = 1;
    for (int k = 0; k < 3; k++) thick += n[k] >= POT_BLOCK_THIN;
    for (int k = 0; k < 3; k++) {
        uint64_t size = n[k] && n[k] < sizes[thick] ? n[k] : sizes[thick];
        r->low[k] = low[k];
        r->n[k] = n[k];
        r->size[k] = size;
        r->blocks[k] = n[k] / size + (2 * (n[k] % size) >= size && n[k] % size);
        blocks *= (size_t)r->blocks[k];
    }
    r->first = b->count;
    b->count += blocks;
}

static void add_faces(struct pot_blocks *b, const uint64_t n[3]) {
    uint64_t low[3] = {0, 0, 0}, size[3] = {n[0], n[1], n[2]};
    for (int k = 2; k >= 0; k--) {
        uint64_t all = size[k];
        size[k] = 1;
        low[k] = 0;
        add_region(b, low, size);
        if (all > 1) {
            low[k] = n[k] - 1;
            add_region(b, low, size);
        }
        if (all <= 2) return; // no other points
        low[k] = 1;
        size[k] = all - 2;
    }
}

void pot_blocks_set(struct pot_blocks *b, const struct pot_job *job, const struct trj_map_lattice *lattice) {
    b->regions = 0;
    b->count = 0;
    b->scale = 1;
    b->points = job->point_count;
    b->point = job->point_count ? job->point : NULL;
    if (b->point) {
        b->count = (b->points + POT_BLOCK_OF_LIST - 1) / POT_BLOCK_OF_LIST;
        return;
    }
    b->lattice = *lattice;
    if (job->faces)
        add_faces(b, lattice->n);
    else
        add_region(b, (const uint64_t[3]){0, 0, 0}, lattice->n);
}

static void add_point(struct pot_block *block, uint64_t number, const double position[3]) {
    block->number[block->count] = number;
    for (int k = 0; k < 3; k++) {
        block->position[k][block->count] = position[k];
        if (!block->count || position[k] < block->low[k]) block->low[k] = position[k];
        if (!block->count || position[k] > block->high[k]) block->high[k] = position[k];
    }
    block->count++;
}

static void get_box(const struct pot_blocks *b, size_t number, struct pot_block *block) {
    const struct trj_map_lattice *l = &b->lattice;
    uint64_t from[3], to[3];
    pot_block_find_box(b, number, from, to);
    for (uint64_t z = from[2]; z < to[2]; z++)
        for (uint64_t y = from[1]; y < to[1]; y++)
            for (uint64_t x = from[0]; x < to[0]; x++) {
                double position[3];
                trj_map_lattice_position(l, (const double[3]){(double)x, (double)y, (double)z}, position);
                add_point(block, x + l->n[0] * (y + l->n[1] * z), position);
            }
}

void pot_blocks_get(const struct pot_blocks *b, size_t number, struct pot_block *block) {
    block->count = 0;
    if (!b->point) {
        get_box(b, number, block);
    } else {
        size_t begin = number * POT_BLOCK_OF_LIST;
        for (size_t i = begin; i < begin + POT_BLOCK_OF_LIST && i < b->points; i++) add_point(block, i, b->point[i]);
    }
    size_t filled = (block->count + POT_BLOCK_LANES - 1) / POT_BLOCK_LANES * POT_BLOCK_LANES;
    pot_block_measure(block->low, block->high, block->centre, &block->half_diagonal, &block->near);
    for (int k = 0; k < 3; k++) {
        for (size_t i = block->count; i < filled; i++) block->position[k][i] = block->position[k][block->count - 1];
        for (size_t i = 0; i < filled; i++)
            block->local[k][i] = (float)((block->position[k][i] - block->centre[k]) * b->scale);
    }
    block->filled = filled;
}

void pot_point_position(const struct pot_job *job, const struct trj_map_lattice *l, uint64_t number,
                        double position[3]) {
    if (job->point_count)
        memcpy(position, job->point[number], 3 * sizeof *position);
    else
        trj_map_lattice_point(l, number, position);
}

uint64_t pot_point_count(const struct pot_job *job) {
    uint64_t inside = 1;
    if (!job->faces || job->point_count) return job->values;
    for (int k = 0; k < 3; k++) inside *= job->lattice.n[k] > 2 ? job->lattice.n[k] - 2 : 0;
    return job->values - inside;
}

void pot_point_text(const struct pot_job *job, const struct trj_map_lattice *l, uint64_t number, char *text,
                    size_t size) {
    uint64_t i[3];
    if (job->point_count) {
        snprintf(text, size, "point %llu", (unsigned long long)number);
        return;
    }
    trj_map_lattice_indices(l, number, i);
    snprintf(text, size, "point %llu %llu %llu", (unsigned long long)i[0], (unsigned long long)i[1],
             (unsigned long long)i[2]);
}
