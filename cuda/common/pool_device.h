// SPDX-License-Identifier: MIT
// The GPUs of an engine, as devices of a pool (lib/work/device_pool.h). An analysis fills in a struct cuda_analysis:
// what it allocates, what it enqueues for a slice, and what the result is. Everything else about GPUs is done here:
// their choice, threads, CUDA streams, events, the limit of memory, and slices that must be computed again.
//
// gpu.h states what happens when a GPU fails.
#ifndef CUDA_POOL_DEVICE_H
#define CUDA_POOL_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "device_memory.h"
#include "device_pool.h"
#include "error.h"
#include "gpu.h"
#include "map_engine.h"

enum { CUDA_SLOTS = 2 };

// The place of a slice in flight, with a CUDA stream of its own, so that the upload of one slice overlaps the
// computation of another. First member of the slot of an analysis.
struct cuda_slot {
    cudaStream_t stream;
    cudaEvent_t upload_begin, upload_end, work_begin, work_end;
    const struct work_batch *batch; // the slice in flight
    unsigned slice;
    unsigned frame;       // `enqueue` sets it to the frame of the batch with which it begins
    bool is_bad;          // the data of this frame are invalid,
    struct trj_error bad; // for this reason
};

// First member of the device of an analysis.
struct cuda_device {
    struct cuda_gpu gpu; // first, for cuda_gpu_joules and cuda_gpu_name
    const struct cuda_analysis *analysis;
    const void *job;
    unsigned gpus;  // expected number of GPUs of the engine
    unsigned batch; // frames of a batch, at most
    struct cuda_memory memory;
    struct cuda_slot *slots[CUDA_SLOTS];
};

// The functions get the device and the slot of the analysis, which are zeroed at first. All but choose_batch run with
// the GPU as the current device. After a failure of `open` or `open_slot`, close_slot and close are called, too, and
// free what has been allocated.
struct cuda_analysis {
    size_t device_bytes, slot_bytes; // of the structures that begin with a struct cuda_device, a struct cuda_slot
    unsigned (*choose_batch)(const void *job, unsigned gpus); // returns the maximum number of frames of a batch
    // Allocate memory from device->memory: what slots share, and then that of each slot. Copies may be in the default
    // stream: the streams of slots begin after them.
    int (*open)(void *device, struct trj_error *err);
    int (*open_slot)(void *device, void *slot, struct trj_error *err);
    // Enqueues the slice slot->slice of slot->batch in slot->stream: upload, cuda_slot_uploaded, kernels, and the copy
    // of results to the host. A failure with TRJ_BAD_DATA is an error of the frame slot->frame, and not of the GPU.
    int (*enqueue)(void *device, void *slot, struct trj_error *err);
    // Sets result->data, and result->digest or bad_frame if there is one, after the slice is complete. If memory was
    // too small for it, enlarges the memory and sets *again, which is false on entry: the slice is then enqueued again.
    int (*complete)(void *device, void *slot, bool *again, struct work_result *result, struct trj_error *err);
    void (*close_slot)(void *device, void *slot); // NULL: nothing to free but memory
    void (*close)(void *device);                  // NULL: as close_slot
};

// Records that the upload ends and the computation begins.
int cuda_slot_uploaded(const struct cuda_slot *slot, struct trj_error *err);

extern const struct work_device_ops cuda_device_ops;

struct cuda_gpus {
    // For cuda_gpus_open. The analysis and the job must outlive the GPUs.
    const struct cuda_analysis *analysis;
    const void *job; // passed on in struct cuda_device
    struct work_resources resources;
    // Set by cuda_gpus_open:
    void **device; // [count] devices of the analysis
    unsigned count;
    unsigned expected; // number of GPUs if all can be used
    unsigned batch;    // frames of a batch, at most
};

// Opens the GPUs by the rule in gpu.h. After a failure cuda_gpus_close is required, too.
int cuda_gpus_open(struct cuda_gpus *gpus, struct trj_error *err);
void cuda_gpus_close(struct cuda_gpus *gpus);
// Returns the plan of a pool of these GPUs, for batches of one part and `slices` slices.
struct work_pool_plan cuda_gpus_plan(const struct cuda_gpus *gpus, unsigned slices);

#endif
