// SPDX-License-Identifier: MIT
// The parts of the methods pme and fast that an engine supplies. The methods themselves (pme_sum.h, fast_sum.h) do not
// depend on the engine.
#ifndef POT_PME_PARTS_H
#define POT_PME_PARTS_H

#include <stdint.h>

#include "error.h"
#include "map_lattice.h"
#include "potential_job.h"

// A potential from the charges on a mesh, by Fourier transforms. States belong to the caller, which closes them.
struct pot_transform_method {
    // Opens a transform of the mesh job->lattice, with job->order, job->alpha, and the GPUs job->devices. The job must
    // outlive the state. Fails with TRJ_NO_ENGINE if the library is not available, and with TRJ_FAILED if memory is not
    // available.
    int (*open)(void **state, const struct pot_job *job, struct trj_error *err);
    // Computes the potential in e/Å of the charges quantum * charge[l->n[2]][l->n[1]][l->n[0]] (in e). Sets
    // *potential[size[2]][size[1]][size[0]], the values at the first points along each axis, with size <= l->n. It
    // belongs to the state, is valid until the next call, and may be changed.
    int (*compute)(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err);
    void (*close)(void *state); // NULL is allowed
};

struct pot_parts {
    const struct pot_method *mesh;                       // computes jobs with charge_mesh (charge_mesh.h)
    const struct pot_transform_method *transform;        // pme_transform.h; accepts any cell with n points
    const struct pot_transform_method *smooth_transform; // fast_transform.h; `open` fixes the steps
    // Computes the kernel POT_KERNEL_ERFC within a cutoff; and its set-up.
    const struct pot_method *real_space;
    int (*real_space_setup)(struct pot_job *job, struct trj_error *err);
};

extern const struct pot_parts pot_parts_cpu;

#endif
