// SPDX-License-Identifier: MIT
// A fleet of devices that count frames side by side: what a multi-GPU engine does that is not about GPUs. Frames are collected into
// batches (small frames) or cut into slices (large ones), handed out dynamically (tile/schedule.h), one thread a device; results count
// only when they have arrived whole, so that a device may fail at any time and others do its work again.
#ifndef RDF_FLEET_H
#define RDF_FLEET_H

#include <stdbool.h>
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
    const uint64_t *counts; // [pairs][bins], the device's memory, valid until the slot is used again
    uint64_t evaluated, resolved;
    uint64_t order; // digest of how the device cut the work; slices of one batch must agree, or their sum means nothing
    double began,
        ended;     // of counting, in seconds of the device's own clock; intervals may overlap those of other slots
    double upload; // seconds
};

// One kind of device. Devices are opened and closed by their owner; all functions with a device are called by that device's thread
// only. On failure the device is given nothing more.
struct rdf_device_ops {
    unsigned slots; // slices a device can have in flight, at least 1
    // Memory for the coordinates of frames, which the device reads fast. May be called from any thread. NULL: none left.
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
    int (*attach)(void *device, struct trj_error *err); // once, first
    // Begins with a slice; returns while it is worked on. The batch stays as it is until `end` was called.
    int (*begin)(void *device, unsigned slot, const struct rdf_batch *batch, unsigned slice, struct trj_error *err);
    int (*end)(void *device, unsigned slot, struct rdf_slice_result *result, struct trj_error *err); // waits
    double (*joules)(void *device); // taken since some fixed time, or NAN
    const char *(*name)(void *device);
};

struct rdf_fleet_plan {
    const struct rdf_device_ops *ops;
    void *const *devices;
    unsigned device_count;
    unsigned batch;  // frames
    unsigned slices; // of a batch
};

struct rdf_fleet;

// The job must outlive the fleet; the plan and its array of devices need not, the devices must.
// TRJPIPE_FAULT in the environment makes devices fail, for tests: "1:5" the second device when the result of the sixth slice it was given
// should arrive; several, separated by commas.
int rdf_fleet_open(struct rdf_fleet **fleet, const struct rdf_job *job, const struct rdf_fleet_plan *plan,
                   struct trj_error *err);
void rdf_fleet_close(struct rdf_fleet *fleet); // NULL is allowed

// As in struct rdf_engine. When no device is left the rest is done by the cpu engine if job->cpu_may_finish, else this fails with
// TRJ_NO_ENGINE. Either is told to job->note, as is every device that fails.
int rdf_fleet_add(struct rdf_fleet *fleet, struct trj_frame *frame, struct trj_error *err);
int rdf_fleet_finish(struct rdf_fleet *fleet, uint64_t *counts, struct trj_error *err);
void rdf_fleet_stats(struct rdf_fleet *fleet, struct rdf_engine_stats *stats);

#endif
