// SPDX-License-Identifier: MIT
// Prepares and checks jobs of the methods direct and mdh.
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "pair_blocks.h"
#include "pair_sum.h"
#include "pair_term.h"

static int check_job(const struct pot_job *job, struct trj_error *err) {
    if (job->soften != POT_SOFTEN_NONE && !(job->soften_length >= TRJ_SHORTEST && job->soften_length <= TRJ_FARTHEST))
        return trj_fail(err, TRJ_BAD_DATA, "softening: invalid length %g Å: expected %g to %g Å", job->soften_length,
                        TRJ_SHORTEST, TRJ_FARTHEST);
    if (job->method == POT_MDH && !(job->kappa >= 0 && job->kappa <= 1 / TRJ_SHORTEST))
        return trj_fail(err, TRJ_BAD_DATA, "invalid kappa %g per Å: expected 0 to %g", job->kappa, 1 / TRJ_SHORTEST);
    if (job->method == POT_MDH && job->distance_dielectric)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the method mdh has a dielectric constant of its own; use the method direct for 4r");
    return 0;
}

// Sets the smallest distance at which a charge is far.
static int find_near(const struct pot_job *job, const struct pot_pair *p, double *near, struct trj_error *err) {
    struct pot_block *block = trj_alloc(1, sizeof *block, "a block of points", err);
    struct pot_blocks blocks;
    if (!block) return -1;
    pot_blocks_set(&blocks, job, &job->lattice);
    *near = INFINITY;
    for (int i = 0; i < blocks.regions; i++) {
        // The first and the last block along each axis have all sizes that occur.
        const struct pot_region *r = &blocks.region[i];
        for (int corner = 0; corner < 8; corner++) {
            size_t offset[3];
            for (int k = 0; k < 3; k++) offset[k] = corner >> k & 1 ? (size_t)r->blocks[k] - 1 : 0;
            pot_blocks_get(&blocks,
                           r->first + offset[0] + (size_t)r->blocks[0] * (offset[1] + (size_t)r->blocks[1] * offset[2]),
                           block);
            *near = fmin(*near, block->near);
        }
    }
    if (job->point_count) *near = POT_NEAR_MIN;
    *near = fmax(*near, p->softened_range);
    free(block);
    return 0;
}

int pot_direct_setup(struct pot_job *job, size_t count, const double *charge, const double *radius,
                     struct trj_error *err) {
    static const double errors[] = {[POT_PAIR_PLAIN] = POT_FAR_ERROR_PLAIN,
                                    [POT_PAIR_DIELECTRIC] = POT_FAR_ERROR_DIELECTRIC,
                                    [POT_PAIR_SCREENED] = POT_FAR_ERROR_SCREENED};
    struct pot_pair p;
    double total = 0, near;
    if (check_job(job, err)) return -1;
    job->quantum = job->exact ? 0x1p-48 : 0x1p-40;
    pot_pair_set(&p, job);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(charge[i]))
            return trj_fail(err, TRJ_BAD_DATA, "atom %zu of the group: invalid charge %g", i, charge[i]);
        if (radius && !(radius[i] >= 0 && radius[i] <= TRJ_FARTHEST && radius[i] * p.kappa <= POT_RADIUS_MAX))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "atom %zu of the group: invalid radius %g Å: expected at most %g Debye lengths of %g Å; increase "
                "--debye, or reduce the concentrations",
                i, radius[i], POT_RADIUS_MAX, 1 / p.kappa);
        total += fabs(pot_pair_charge(&p, charge[i], radius ? radius[i] : 0));
    }
    if (find_near(job, &p, &near, err)) return -1;
    double largest = p.kind == POT_PAIR_DIELECTRIC ? total / (near * near) : total / near;
    job->error_bound = (double)count * job->quantum / 2;
    if (!job->exact) job->error_bound += (errors[p.kind] + 2.1 * 0x1p-23) * largest;
    return 0;
}

// ---- radii

static bool covers(const double centre[3], double radius, const double offset[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) square += (offset[k] - centre[k]) * (offset[k] - centre[k]);
    return square < radius * radius;
}

static bool is_on_face(const struct trj_map_lattice *l, const uint64_t i[3]) {
    for (int k = 0; k < 3; k++)
        if (!i[k] || i[k] == l->n[k] - 1) return true;
    return false;
}

static bool find_in_lattice(const struct pot_job *job, const struct trj_map_lattice *l, double g[3][3],
                            const double centre[3], double radius, uint64_t *point) {
    uint64_t low[3], high[3], i[3];
    for (int k = 0; k < 3; k++) {
        double u = 0, length = 0, n = (double)l->n[k];
        for (int c = 0; c < 3; c++) {
            u += g[k][c] * (centre[c] - l->origin[c]);
            length += g[k][c] * g[k][c];
        }
        double reach = sqrt(length) * radius + TRJ_MAP_NEAR, first = ceil(u - reach), end = floor(u + reach) + 1;
        if (!(end > 0 && first < n)) return false;
        low[k] = first > 0 ? (uint64_t)first : 0;
        high[k] = end < n ? (uint64_t)end : l->n[k];
    }
    for (i[2] = low[2]; i[2] < high[2]; i[2]++)
        for (i[1] = low[1]; i[1] < high[1]; i[1]++)
            for (i[0] = low[0]; i[0] < high[0]; i[0]++) {
                if (job->faces && !is_on_face(l, i)) continue;
                *point = i[0] + l->n[0] * (i[1] + l->n[1] * i[2]);
                double offset[3];
                pot_point_position(job, l, *point, offset);
                if (covers(centre, radius, offset)) return true;
            }
    return false;
}

int pot_direct_find_inside(const struct pot_job *job, const struct pot_frame *f, uint32_t *atom, uint64_t *point) {
    double g[3][3] = {{0}};
    if (!f->radius) return 0;
    if (!job->point_count) trj_map_lattice_inverse(&f->lattice, g);
    for (size_t j = 0; j < f->count; j++) {
        bool found = false;
        if (!job->point_count) found = find_in_lattice(job, &f->lattice, g, f->position[j], f->radius[j], point);
        for (size_t i = 0; i < job->point_count && !found; i++) {
            found = covers(f->position[j], f->radius[j], job->point[i]);
            *point = i;
        }
        if (!found) continue;
        *atom = f->atom[j];
        return 1;
    }
    return 0;
}
