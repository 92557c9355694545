// SPDX-License-Identifier: MIT
// One GPU of the engine `cuda` of potmap: a device of the pool of lib/potential/potential_pool.h. It holds the charges
// of the group, uploads frames, and sums the values of a batch; a struct cuda_potential_method computes the values of
// one frame. Values are the integers of potential_job.h, so that sums do not depend on their order.
#ifndef CUDA_POTENTIAL_DEVICE_H
#define CUDA_POTENTIAL_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_memory.h"
#include "pool_device.h"
#include "potential_job.h"

// The members of the group in a frame, in device memory, and the geometry of the frame in host memory, which is valid
// during a call.
struct cuda_potential_frame {
    unsigned count;
    const double *position[3];               // [count] Å
    const double *charge, *radius, *epsilon; // [count] as in struct pot_frame; NULL where it has NULL
    // [count] places of the members in the group, in device memory and in host memory; NULL: all atoms are members. The
    // host memory does not change before the stream has completed the frame.
    const uint32_t *place, *host_place;
    struct trj_cell cell;
    struct trj_map_lattice lattice;
};

// Some planes of the lattice along axis 2, or with a list of points, some points: first <= i < end.
struct cuda_potential_range {
    size_t first, end;
    size_t first_value; // number of the point of values[0]
};

// Flags on the device, which kernels set to 1.
enum cuda_potential_flag {
    // The engine cpu must compute the batch: a contribution is infinite, or a sum may be too large.
    CUDA_POTENTIAL_BY_CPU,
    CUDA_POTENTIAL_FLAGS,
};

// How GPUs compute a method. A state belongs to one slot of one GPU, and its calls are from one thread, with this GPU
// as the current device.
struct cuda_potential_method {
    const struct pot_method *cpu; // computes frames that the GPU cannot, and all frames if no GPU is left
    // Slices begin at multiples of this number of planes (of points of a list); 0: frames are not divided.
    unsigned multiple;
    // The job must outlive the state, and its quantum must be set. Memory is taken from *memory, which the caller
    // frees.
    int (*open)(void **state, const struct pot_job *job, struct cuda_memory *memory, struct trj_error *err);
    // Enqueues the addition of a frame to values[job->values] in device memory, for the points of a range. `flags` is
    // [CUDA_POTENTIAL_FLAGS] in device memory. The stream may still work on this frame and those before it when the
    // function has returned: host memory that the stream reads must not be changed. After a failure with TRJ_BAD_DATA,
    // the engine cpu computes the batch, and finds the message.
    int (*add)(void *state, const struct cuda_potential_frame *frame, const struct cuda_potential_range *range,
               unsigned long long *values, unsigned *flags, cudaStream_t stream, struct trj_error *err);
    // Called when the stream has completed all frames that were added for a batch. Sets *again to whether memory was
    // too small for them: then it has been enlarged, and the caller adds all of them again, to values of 0. Sets *error
    // to the bound of pot_method.error for these frames, if there is one. NULL: memory always suffices, and there is no
    // bound.
    int (*end)(void *state, bool *again, double *error, struct trj_error *err);
    void (*close)(void *state); // NULL is allowed
};

// A job for cuda_potential_analysis (pool_device.h). The results of its devices are struct pot_slice.
struct cuda_potential_job {
    const struct pot_job *job;
    const struct cuda_potential_method *method;
};
extern const struct cuda_analysis cuda_potential_analysis;

// Returns whether every charge contributes to every point, so that a part of the points is the same part of the work.
static inline bool cuda_potential_is_direct(const struct pot_job *job) {
    return job->method == POT_DIRECT || job->method == POT_MDH;
}

// Computes jobs by a pool of GPUs: those of the methods direct, mdh and cutoff, of fast with near_part and mesh_part,
// and those with charge_mesh (potential_cuda.c).
extern const struct pot_method cuda_potential_on_gpus;

extern const struct cuda_potential_method cuda_potential_pair;   // direct, mdh: pair_device.c
extern const struct cuda_potential_method cuda_potential_cutoff; // cutoff_device.c
// The method fast with near_part and mesh_part; requires cuda_fourier_available: fast_device.c
extern const struct cuda_potential_method cuda_potential_fast_frames;
extern const struct cuda_potential_method cuda_potential_mesh; // the charges on the mesh: mesh_device.c

#endif
