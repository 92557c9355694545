// SPDX-License-Identifier: MIT
// The parts of the methods pme and fast that an engine supplies. The methods themselves (pme_sum.h, fast_sum.h) do not
// depend on the engine.
#ifndef POT_PME_PARTS_H
#define POT_PME_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
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

// The parts of an engine. The state of `mesh` and `real_space` may take the frame of the stream (pot_frame.stream).
struct pot_parts {
    const struct pot_method *mesh;                       // computes jobs with charge_mesh (charge_mesh.h)
    const struct pot_transform_method *transform;        // pme_transform.h; accepts any cell with n points
    const struct pot_transform_method *smooth_transform; // fast_transform.h; `open` fixes the steps
    // Computes the kernel POT_KERNEL_ERFC within a cutoff; and its set-up.
    const struct pot_method *real_space;
    int (*real_space_setup)(struct pot_job *job, struct trj_error *err);
    // Computes jobs of the method fast with near_part and mesh_part; then the other methods for fast are not used.
    // NULL: there is none.
    const struct pot_method *fast;
};

extern const struct pot_parts pot_parts_cpu;

// A method that computes a part of another method. To be zeroed.
struct pot_part {
    const struct pot_method *method;
    void *state;           // NULL: not open
    uint64_t first;        // number of the frame that is added first
    struct trj_frame copy; // of the frame of the stream
    // [values] Sums of frames before those that the method has; NULL: there are none. `taken`: those that have been
    // returned by pot_part_finish.
    int64_t *carried;
    bool taken;
    bool failed;
    uint64_t bad_frame; // as pot_method.bad_frame, if it has failed
};

enum { POT_PART_DEVICES = 64 };

// The method and the job must outlive the part.
int pot_part_open(struct pot_part *p, const struct pot_method *method, const struct pot_job *job, uint64_t first,
                  struct trj_error *err);
void pot_part_close(struct pot_part *p); // it can be opened again
// Adds frame `number`. With `keep`, the method gets a copy of the frame of the stream.
int pot_part_add(struct pot_part *p, const struct pot_frame *frame, bool keep, uint64_t number, struct trj_error *err);
// Both set *values[count] to the sums of the frames since the last pot_part_finish. pot_part_collect keeps them, so
// that the caller may save or replace them in the middle of a record (work/checkpoint.h). They fail with TRJ_BAD_DATA
// if a sum exceeds int64.
int pot_part_finish(struct pot_part *p, size_t count, const int64_t **values, struct trj_error *err);
int pot_part_collect(struct pot_part *p, size_t count, int64_t **values, struct trj_error *err);
// Returns the frame of the part that has failed; without one, `number`.
uint64_t pot_parts_bad_frame(const struct pot_part *const part[2], uint64_t number);
// Sets *stats to the sums of the times and energies of two parts, in `devices`; `idle` is NAN.
void pot_parts_stats(struct pot_part *const part[2], struct trj_device_stats devices[POT_PART_DEVICES],
                     struct trj_engine_stats *stats);

#endif
