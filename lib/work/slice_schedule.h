// SPDX-License-Identifier: MIT
// Work handed out to workers (threads that drive a device each) as they become free, and given to others when one fails.
//
// Work comes as jobs, a job as slices, 0 to slices - 1, that any worker may do in any order, at the same time as others do the rest.
// A worker is given, in this order: what failed workers left behind, of the oldest job first; slices of the job it was last given one of,
// whose data it holds; slices of the oldest job nobody has begun; slices of the job with the most left to give. So small jobs spread by
// jobs, large ones by slices, and fast workers get more of both.
//
// All functions may be called from any thread. A job is the caller's memory; from put until it is completed or orphaned it is the
// schedule's. To give a slice all jobs are looked at: meant for as many as the workers have in flight, not for thousands.
#ifndef TILE_SCHEDULE_H
#define TILE_SCHEDULE_H

#include <stdbool.h>

#include "error.h"

struct tile_job {
    unsigned slices;                 // at least 1; set before put
    struct tile_schedule_part *part; // the schedule's own
};

struct tile_schedule;

// Workers are numbered from 0.
int tile_schedule_open(struct tile_schedule **s, unsigned workers, struct trj_error *err);
// No thread may be in a function of it any more. Jobs that are still in it are the caller's again. NULL is allowed.
void tile_schedule_close(struct tile_schedule *s);

int tile_schedule_put(struct tile_schedule *s, struct tile_job *job, struct trj_error *err);

// For workers. take: gives a slice, 1; or 0, where there is none now and `wait` is false, where the schedule is ended, or where the worker
// has failed. With wait it sleeps until there is one: a worker that has nothing in flight. Wake-up is one condition variable's: some
// microseconds. Without wait (a worker that would only queue the slice up) it leaves to the sleeping what they are about to take.
int tile_schedule_take(struct tile_schedule *s, unsigned worker, bool wait, struct tile_job **job, unsigned *slice);
// The slice is done and its result delivered. True for the last one of a job: it is now completed. Not for a worker that has failed.
bool tile_schedule_done(struct tile_schedule *s, struct tile_job *job, unsigned slice);
// The worker failed for good: what it took and has not reported done is given to others; it is given nothing any more.
void tile_schedule_fail(struct tile_schedule *s, unsigned worker);

// For who puts the jobs in. Of the completed jobs the one put first, which is the caller's again; with `wait` sleeps until there is one.
// NULL: none now (without wait, or where the schedule is ended), none in the schedule at all, or no worker is left to complete any.
struct tile_job *tile_schedule_completed(struct tile_schedule *s, bool wait);
unsigned tile_schedule_workers(struct tile_schedule *s); // that have not failed
// When no worker is left: takes a job out that was not completed; some of its slices may have been done. NULL: no more.
struct tile_job *tile_schedule_orphan(struct tile_schedule *s);
void tile_schedule_end(struct tile_schedule *s); // take returns 0 from now on: workers go home

#endif
