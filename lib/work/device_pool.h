// SPDX-License-Identifier: MIT
// A fleet of devices that count frames side by side: what a multi-GPU engine does that is not about GPUs. Frames are collected into
// batches (small frames) or cut into slices (large ones), handed out dynamically (tile/schedule.h), one thread a device; results count
// only when they have arrived whole, so that a device may fail at any time and others do its work again.
#ifndef RDF_FLEET_H
#define RDF_FLEET_H

#include <stddef.h>
#include <stdint.h>

#include "engine.h"

// Frames that travel together.
struct rdf_batch {
    uint64_t number; // ascending from 1: a device may know by it that it holds the frames already
    struct trj_frame *frames;
    unsigned count;  // frames
    unsigned slices; // the work is cut into so many; their counts add up to those of the frames
};

// What came of one slice.
struct rdf_slice_result {
    // [pairs][bins], the device's memory, valid until the slot is used again. In pairs of groups that overlap, an atom counts against
    // itself too, as any other: the fleet takes that back (rdf_job_subtract_self_images).
    const uint64_t *counts;
    uint64_t evaluated, resolved;
    uint64_t order; // digest of how the device cut the work; slices of one batch must agree, or their sum means nothing
    double began,
        ended;     // of counting, in seconds of the device's own clock; intervals may overlap those of other slots
    double upload; // seconds
};

// One kind of device. Devices are opened and closed by their owner; attach, begin and end are called by the device's own thread only.
// After a failure the slots in flight are ended, their results passed over, and the device is given nothing more.
struct rdf_device_ops {
    unsigned slots; // slices a device can have in flight, at least 1
    // Memory for the coordinates of frames, aligned to 64 bytes, which the device reads fast. May be called from any thread, release also
    // when the fleet is closed. NULL: none left; the fleet then makes do with what it has got.
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
    int (*attach)(void *device, struct trj_error *err); // once, first
    // Begins with a slice; returns while it is worked on. The batch stays as it is until `end` was called. After a failure `end` is not
    // called for the slot, and the batch is not read any more. Slots are begun in turn, 0 to slots - 1, and ended in the same order.
    int (*begin)(void *device, unsigned slot, const struct rdf_batch *batch, unsigned slice, struct trj_error *err);
    // Waits. Afterwards, also after a failure, the batch is not read any more. *result comes zeroed.
    int (*end)(void *device, unsigned slot, struct rdf_slice_result *result, struct trj_error *err);
    double (*joules)(void *device);    // taken since some fixed time, or NAN; from any thread, once attached
    const char *(*name)(void *device); // "GPU 0 (NVIDIA H200)"; from any thread, always; must outlive the fleet
};

struct rdf_fleet_plan {
    const struct rdf_device_ops *ops;
    void *const *devices;
    unsigned device_count;
    unsigned batch;  // frames, at least 1
    unsigned slices; // of a batch, at least 1
};

struct rdf_fleet;

// The job and what ops points to must outlive the fleet, as must the devices; the plan and its array of devices need not.
// TRJPIPE_FAULT in the environment makes devices fail, for tests: "1:5" the second device when the result of the sixth slice it was given
// should arrive; several, separated by commas. What does not read so, or names a device there is not, is refused with TRJ_USAGE.
int rdf_fleet_open(struct rdf_fleet **fleet, const struct rdf_job *job, const struct rdf_fleet_plan *plan,
                   struct trj_error *err);
void rdf_fleet_close(struct rdf_fleet *fleet); // NULL is allowed

// As in struct rdf_engine. The caller's frame is swapped for one of the fleet's, whose memory is ops->allocate's and which outlives the
// fleet; only frames with memory of another kind are copied: the first one, if the caller always passes on what he was given. Once the
// cpu engine does the work frames are swapped for its own.
// When no device is left the rest is done by the cpu engine if job->cpu_may_finish, which job->note is told, else this fails with
// TRJ_NO_ENGINE and each device's reason. job->note is also told of every device that fails while there is somebody to go on.
int rdf_fleet_add(struct rdf_fleet *fleet, struct trj_frame *frame, struct trj_error *err);
// Ends a part of the frames without waiting. A batch contains only frames between two cuts; batches in flight are
// delivered as they complete.
int rdf_fleet_cut(struct rdf_fleet *fleet, uint64_t tag, struct trj_error *err);
int rdf_fleet_finish(struct rdf_fleet *fleet, uint64_t *counts, struct trj_error *err);
// Of the devices, and of the cpu engine where it had to step in; threads: devices.
void rdf_fleet_stats(struct rdf_fleet *fleet, struct rdf_engine_stats *stats);

#endif
