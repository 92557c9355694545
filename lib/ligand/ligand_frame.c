// SPDX-License-Identifier: MIT
// Prepares the atoms of a frame in the form that kernels need, once for all blocks of points.
#include "ligand_frame.h"

#include <math.h>
#include <stdlib.h>

#include "cell.h"
#include "elementary.h"
#include "memory.h"

static const double LARGE_BLOCK = 8, SMALL_BLOCK = 2; // Å

double lig_frame_reach(const struct lig_frame *f) {
    return f->job->cutoff + f->job->radius + 1e-3;
}

// Sets the sizes of blocks, and the reach of each kind.
static int set_blocks(struct lig_frame *f, struct trj_error *err) {
    struct lig_blocks *b = &f->blocks;
    double g[3][3], max = lig_frame_reach(f);
    trj_map_lattice_inverse(&f->lattice, g);
    for (int k = 0; k < 3; k++) {
        const double *s = f->lattice.step[k], *r = g[k], step = sqrt((s[0] * s[0] + s[1] * s[1]) + s[2] * s[2]);
        double reach = max * sqrt((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) + 1e-3;
        if (!(reach < TILE_LATTICE_REACH_MAX))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the cutoff reaches %g points along axis %d, expected at most 2^20; use a coarser lattice",
                            reach, k);
        for (unsigned i = 0; i < f->job->kinds; i++) f->reach[i][k] = (float)reach;
        b->n[k] = (int64_t)f->lattice.n[k];
        b->small[k] = (int64_t)fmax(1, fmin(16, rint(SMALL_BLOCK / step)));
        b->large[k] = b->small[k] * (int64_t)fmax(1, fmin(16, rint(LARGE_BLOCK / (step * (double)b->small[k]))));
        b->count[k] = (b->n[k] + b->large[k] - 1) / b->large[k];
    }
    return 0;
}

// Sets the atoms: those of a dynamic group are copied.
static void set_atoms(struct lig_frame *f, const struct trj_frame *frame) {
    const struct lig_job *job = f->job;
    size_t n = 0;
    f->atoms = (struct tile_lattice_atoms){.frame = frame,
                                           .list = job->atom,
                                           .count = job->members,
                                           .value = job->value,
                                           .kind = job->kind,
                                           .kinds = job->kinds,
                                           .reach = (const float(*)[3])f->reach};
    if (!job->group->dynamic) return;
    for (size_t i = 0; i < job->members; i++) {
        if (!trj_group_has(job->group, frame, job->place[i])) continue;
        f->list[n] = job->atom[i];
        f->kind[n] = job->kind[i];
        f->value[n++] = job->value[i];
    }
    f->atoms.list = f->list;
    f->atoms.kind = f->kind;
    f->atoms.value = f->value;
    f->atoms.count = n;
}

// Sets the factor of the correction. (The sum has the order of the atoms, so that its bytes are always the same.)
static int set_factor(struct lig_frame *f, const struct trj_cell *cell, struct trj_error *err) {
    double sum = 0;
    f->factor = 1;
    if (!f->job->tail || !f->atoms.count) return 0;
    if (cell->periodic != TRJ_PERIODIC_ALL)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "--tail requires the density of the atoms, but the cell is not periodic in three directions; leave "
            "it out");
    for (size_t i = 0; i < f->atoms.count; i++) sum += f->job->tail_energy[f->atoms.kind[i]];
    f->factor = trj_exp(-sum / trj_cell_volume(cell));
    return 0;
}

int lig_frame_set(struct lig_frame *f, const struct trj_frame *frame, struct trj_error *err) {
    const struct lig_job *job = f->job;
    if (frame->atoms != job->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but earlier frames have %zu", frame->atoms, job->atoms);
    if (trj_map_lattice_in_cell(&f->lattice, &job->lattice, job->fractional, &frame->cell, err) || set_blocks(f, err))
        return -1;
    set_atoms(f, frame);
    return set_factor(f, &frame->cell, err) || tile_lattice_check_atoms(&f->atoms, err) ? -1 : 0;
}

int lig_frame_open(struct lig_frame *f, const struct lig_job *job, struct trj_error *err) {
    size_t n = job->group->dynamic && job->members ? job->members : 1;
    f->job = job;
    f->reach = trj_alloc(job->kinds ? job->kinds : 1, sizeof *f->reach, "kinds of atoms", err);
    f->list = f->reach ? trj_alloc(n, sizeof *f->list, "members of a group", err) : NULL;
    f->kind = f->list ? trj_alloc(n, sizeof *f->kind, "members of a group", err) : NULL;
    f->value = f->kind ? trj_alloc(n, sizeof *f->value, "members of a group", err) : NULL;
    return f->value ? 0 : -1;
}

void lig_frame_close(struct lig_frame *f) {
    free(f->reach);
    free(f->list);
    free(f->kind);
    free(f->value);
}
