// SPDX-License-Identifier: MIT
// Runs one job over the frames of a trajectory on several devices side by side.
//
// The pool collects frames into batches, divides the work of large batches into slices, and hands slices out as devices
// become free (slice_schedule.h), with one thread per device. The result of a slice is merged only when it is complete.
// A device may therefore fail at any time: other devices repeat its slices, and if none is left, the job's owner
// processes the remaining frames by other means (struct work_fallback). If a device finds invalid input in a frame, the
// computation ends: other devices do not repeat the work.
//
// The job is opaque. Its owner gives the size of a sum and the functions that add results to it. Sums must not depend
// on the order of additions, as integers do not, or the result would depend on the number and speed of the devices.
#ifndef WORK_DEVICE_POOL_H
#define WORK_DEVICE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "slice_schedule.h"

// The result of a slice that a device has completed.
struct work_result {
    // Results of all parts of the batch: memory of the device, valid until the slot is used again. Its type is known to
    // the job's owner.
    const void *data;
    uint64_t digest;     // of the division of the batch: slices are added only if their digests are equal
    double began, ended; // of the computation, s on the clock of the device; may overlap the intervals of other slots
    double upload;       // s
    unsigned bad_frame;  // the frame of the batch with the error, if `end` fails with TRJ_BAD_DATA
};

// One kind of device. The owner opens and closes the devices. The functions attach, begin and end are called only by
// the thread that the pool starts for the device. After a failure, `end` is called for each slot in flight, the results
// are ignored, and the device gets no more slices. The exception is a failure of `end` with TRJ_BAD_DATA, an error of
// the frame result->bad_frame of the batch: the device has not failed, and the functions of the pool fail with this
// error. `begin` leaves errors of frames to `end`.
struct work_device_ops {
    unsigned slots; // maximum number of slices in flight on one device, at least 1
    // Allocates memory for coordinates that the device reads fast, aligned to 64 bytes. May be called from any thread,
    // `release` also after the pool is closed. Returns NULL if no memory is left; the pool then uses fewer batches.
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
    int (*attach)(void *device, struct trj_error *err); // called once, before all others
    // Starts a slice and returns while the device works. The batch does not change until `end` returns. After a
    // failure, `end` is not called for this slot, and the device must not read the batch. The pool uses slots in turn,
    // from 0 to slots - 1, and ends them in the same order.
    int (*begin)(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err);
    // Waits until the slice is complete. On return, also after a failure, the device does not read the batch any more.
    // All bytes of *result are zero on entry.
    int (*end)(void *device, unsigned slot, struct work_result *result, struct trj_error *err);
    double (*joules)(void *device); // energy used since some fixed time, or NAN; called from any thread, once attached
    const char *(*name)(void *device); // "GPU 0 (NVIDIA H200)"; called from any thread; valid until the pool is closed
};

// One part of a completed slice.
struct work_slice {
    const struct work_batch *batch;
    unsigned part;    // of the batch
    unsigned device;  // its number in the pool
    bool first;       // no other slice of the batch has been added
    const void *data; // of struct work_result
};

// How the owner of a job processes frames when no device is left. Called by the thread that calls the pool.
struct work_fallback {
    const char *name; // for the note: "engine cpu"
    int (*open)(void *owner, struct trj_error *err);
    // Processes a frame; may put another one in its place, as work_pool_add does.
    int (*add)(void *owner, struct trj_frame *frame, struct trj_error *err);
    // Adds to `sum` the results of the frames added since the last call.
    int (*finish)(void *owner, void *sum, struct trj_error *err);
};

// A computation whose result is a sum over frames. A sum is sum_bytes bytes of any layout; all bytes zero is the empty
// sum.
struct work_job {
    void *owner;      // passed to the functions below
    size_t atoms;     // of every frame
    size_t sum_bytes; // at least 1
    // Adds one part of a completed slice to the sum of this part of its batch. Called by the devices' threads: for
    // different batches at the same time, for one batch one call after another. The slice's device has a thread of its
    // own.
    void (*add_slice)(void *owner, void *sum, const struct work_slice *slice);
    // Adds a batch of one part and one slice to `sum`, whose content is undefined if `empty` is true. Called by the
    // devices' threads, one call after another. If it is set, and all batches are such, and without cut, batches have
    // no sums of their own, so that large sums need less memory, and the thread that calls the pool has less to do.
    void (*add_whole)(void *owner, void *sum, bool empty, const struct work_slice *slice);
    // Adds one sum to another. Called by the thread that calls the pool, as is `deliver`.
    void (*add_sum)(void *owner, void *sum, const void *other);
    // Takes a portion of the sum of frames that work_pool_end_record ended with this tag. May modify `sum`. Unused
    // without end_record.
    void (*deliver)(void *owner, uint64_t tag, void *sum);
    const struct work_fallback *fallback;        // NULL: the pool fails if no device is left
    void (*note)(void *owner, const char *text); // reports a failed device to the user; may be NULL
    // Adds what the owner has counted for a device to its statistics. Called by work_pool_stats. May be NULL.
    void (*add_stats)(void *owner, unsigned device, struct trj_device_stats *stats);
};

struct work_pool_plan {
    const struct work_device_ops *ops;
    void *const *devices;
    unsigned device_count;
    unsigned batch;  // maximum number of frames in a batch, at least 1
    unsigned parts;  // maximum number of parts of a batch, 1 to WORK_MAX_PARTS
    unsigned slices; // number of slices in a batch, at least 1
};

struct work_pool;

// The job, the devices and *ops must outlive the pool; the plan and its array of devices need not. For tests, the
// environment variable TRJPIPE_FAULT makes devices fail: "1:5" makes the second device fail after it has completed the
// sixth slice that it got. Commas separate several items. Another form, or a device that does not exist, is rejected
// with TRJ_USAGE.
int work_pool_open(struct work_pool **pool, const struct work_job *job, const struct work_pool_plan *plan,
                   struct trj_error *err);
void work_pool_close(struct work_pool *pool); // waits for the devices; NULL is allowed

// Adds a frame. The pool keeps the caller's frame and puts one of its own in its place, whose memory is from
// ops->allocate and may outlive the pool. A frame with memory of another kind is copied, which happens once if the
// caller always passes the frame that it got. May block until a batch is complete. Failed devices are reported by
// job->note. If no device is left, job->fallback processes the rest; without it the function fails with TRJ_NO_ENGINE
// and the reason of each device. Fails with TRJ_BAD_DATA for an error that a device or the fallback has found in a
// frame, which may be an earlier one (work_pool_bad_frame). The error does not depend on the number and speed of the
// devices: batches in flight are completed, and the first of their frames with an error counts. After a failure only
// work_pool_close, work_pool_bad_frame and work_pool_stats are allowed.
int work_pool_add(struct work_pool *pool, struct trj_frame *frame, struct trj_error *err);
// Ends a part of the frames without waiting. The sum of the frames since the last end_record or finish goes to
// job->deliver with `tag`, in portions, during this call and later calls of add, end_record and finish. A batch is not
// sent before it is full, so that short parts share batches.
int work_pool_end_record(struct work_pool *pool, uint64_t tag, struct trj_error *err);
// Waits until all frames are processed, delivers all portions of ended parts, and sets *sum to the sum of the frames
// since the last end_record or finish, which the caller may modify. It is valid until the next call of add, end_record,
// finish or close.
int work_pool_finish(struct work_pool *pool, void **sum, struct trj_error *err);
// Returns the number of the frame, from 0 in the order of work_pool_add, that contains the error with which a function
// of the pool has failed; UINT64_MAX if the error does not concern a frame.
uint64_t work_pool_bad_frame(const struct work_pool *pool);
// Sets the statistics of the devices, and of all of them together; the other members become 0.
void work_pool_stats(struct work_pool *pool, struct trj_engine_stats *stats);

#endif
