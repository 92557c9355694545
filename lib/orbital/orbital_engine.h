// SPDX-License-Identifier: MIT
// The table of functions that every engine of orbitals implements. An engine computes a job slab by slab, so that the
// memory is limited (orbital_run.h). Values do not depend on the slabs, the number of threads or GPUs, or the
// instruction set, and `cuda` gives the bytes of `cpu`.
//
// If the steps of the lattice are parallel to x, y and z, `cpu` computes orbitals as matrix products of tables along
// the axes, without exponentials in the inner loop. On other lattices, and for lists of points, it evaluates the
// functions at each point, which `direct` does for all jobs. All leave out what is small (ORB_SCREEN).
#ifndef ORB_ENGINE_H
#define ORB_ENGINE_H

#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "map_engine.h"
#include "orbital_job.h"
#include "tool.h"

// A slab consists of planes of a lattice, first <= k < first + count, or of points of a list. Slabs of a lattice are
// fastest if `first` and `count` are multiples of ORB_SLAB_PLANES.
struct orb_slab {
    uint64_t first, count; // planes or points
    double *value;         // [orb_job_values][points]; points of a lattice are in the order [count][n[1]][n[0]]
};
enum { ORB_SLAB_PLANES = 8 };

struct orb_engine {
    struct trj_engine kind;
    // *resources is copied. Fails with TRJ_NO_ENGINE if the engine cannot run here.
    int (*open)(void **engine, const struct work_resources *resources, struct trj_error *err);
    // Prepares a job, in place of the previous one. The caller owns the job, which must not change until the next call
    // of this function or of `close`. Fails with TRJ_NO_ENGINE if the memory of a device is too small, with TRJ_FAILED
    // if that of the host is, and with TRJ_BAD_DATA if orb_job_check rejects the job.
    int (*start)(void *engine, const struct orb_job *job, struct trj_error *err);
    // Computes a slab of the job, in any order of slabs. Waits until all values have been written. A failure with
    // TRJ_NO_ENGINE leaves the values undefined; another engine can compute the slab.
    int (*compute)(void *engine, const struct orb_slab *slab, struct trj_error *err);
    // Returns memory for the values of slabs to which the engine copies fast. It belongs to the engine, until the next
    // call of this function or of `close`. NULL if there is none. A member NULL means that any memory is as fast.
    double *(*memory)(void *engine, size_t values, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *stats); // `frames` is the number of slabs
    void (*close)(void *engine);                                 // NULL is allowed
};

extern const struct orb_engine orb_engine_cuda;   // cuda/orbital: GPUs, in builds with CUDA
extern const struct orb_engine orb_engine_cpu;    // orbital_cpu.c: threads
extern const struct orb_engine orb_engine_direct; // orbital_cpu.c: threads

extern const struct trj_choice orb_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name

// The list of trj_engine_find, fastest first; each is a struct orb_engine.
extern const struct trj_engine *const orb_engines[];

#endif
