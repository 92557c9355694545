// SPDX-License-Identifier: MIT
// Hands out the slices of batches to workers (threads that drive one device each), and hands them out again if a worker
// fails.
//
// A batch is divided into slices 0 to slices - 1. Any worker may process any slice at any time. A worker that takes a
// slice gets the first of the following that exists:
//   1. a slice that a failed worker has not completed, of the oldest batch that has one;
//   2. a slice of the batch from which the worker got its last one, since the device holds its data;
//   3. a slice of the oldest batch of which no slice has been handed out;
//   4. a slice of the batch with the most slices left.
// Small batches are therefore distributed whole, large ones by slices, and fast workers get more of both.
//
// All functions may be called from any thread. The caller allocates and frees batches. A batch belongs to the schedule
// from work_schedule_put until work_schedule_completed or work_schedule_unfinished returns it. Handing out a slice
// takes time proportional to the number of batches in the schedule, which should be a few per worker, not thousands.
#ifndef WORK_SLICE_SCHEDULE_H
#define WORK_SLICE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct trj_frame;
struct work_schedule_entry;

enum { WORK_MAX_PARTS = 64 };

// Frames that go to a device together. The schedule reads `slices` and uses `entry`; the rest is for devices.
struct work_batch {
    unsigned slices; // number of parts of the work, at least 1; set before work_schedule_put
    struct work_schedule_entry *entry;
    uint64_t number; // ascending from 1; a device that still holds this batch need not load it again
    struct trj_frame *frames;
    uint64_t first;               // number of frames that the pool got before frames[0]
    unsigned count;               // of frames
    unsigned parts;               // ranges of consecutive frames, at least 1, whose results are kept apart
    unsigned end[WORK_MAX_PARTS]; // [parts] number of the first frame after each part
};

// Returns the number of the first frame of a part.
static inline unsigned work_part_begin(const struct work_batch *b, unsigned part) {
    return part ? b->end[part - 1] : 0;
}

struct work_schedule;

// Workers are numbered from 0.
int work_schedule_open(struct work_schedule **s, unsigned workers, struct trj_error *err);
// Must not be called while another thread uses the schedule. Batches in it belong to the caller again. NULL is allowed.
void work_schedule_close(struct work_schedule *s);

int work_schedule_put(struct work_schedule *s, struct work_batch *batch, struct trj_error *err);

// For workers. Sets *batch and *slice and returns 1, or returns 0 if no slice is available and `wait` is false, if the
// schedule has ended, or if the worker has failed. With `wait`, for a worker with nothing in flight, it sleeps until a
// slice is available; waking up takes some microseconds. Without `wait`, for a worker that only adds to its queue, it
// returns 0 if no more slices are available than workers sleep.
int work_schedule_take(struct work_schedule *s, unsigned worker, bool wait, struct work_batch **batch, unsigned *slice);
// Marks a slice as completed, after its result has been merged. Returns true if it is the last one of its batch, which
// is then complete. Must not be called for a worker that has failed.
bool work_schedule_done(struct work_schedule *s, struct work_batch *batch, unsigned slice);
// Marks a worker as failed. Slices that it took and did not complete are handed out again; it gets no more.
void work_schedule_fail(struct work_schedule *s, unsigned worker);

// For the thread that puts batches in. Removes and returns the oldest complete batch; with `wait` it sleeps until there
// is one. Returns NULL if no batch is complete (without `wait`, or after the end), if the schedule is empty, or if no
// worker is left to complete a batch.
struct work_batch *work_schedule_completed(struct work_schedule *s, bool wait);
// Returns the number of workers that have not failed.
unsigned work_schedule_workers_left(struct work_schedule *s);
// Removes and returns the oldest batch that is not complete, if no worker is left. Some of its slices may be completed.
// Returns NULL if a worker is left, or if there is no such batch.
struct work_batch *work_schedule_unfinished(struct work_schedule *s);
// Ends the schedule: work_schedule_take returns 0 from now on, so that workers stop.
void work_schedule_end(struct work_schedule *s);

#endif
