// SPDX-License-Identifier: MIT
// The CUDA stream and the events of one slot, the place of a slice in flight on a GPU. Each slot has a stream of its
// own, so that the upload of one slice overlaps the computation of another.
#ifndef CUDA_STREAM_SLOT_H
#define CUDA_STREAM_SLOT_H

#include <cuda_runtime_api.h>

#include "error.h"

// The caller records the events in the stream.
struct cuda_stream_slot {
    cudaStream_t stream;
    cudaEvent_t upload_begin, upload_end, work_begin, work_end;
};

// For the current device. After a failure cuda_stream_slot_close is required, too.
int cuda_stream_slot_open(struct cuda_stream_slot *s, struct trj_error *err);
// Waits for work_end. Sets *upload to the duration of the upload, and *began and *ended to the times of the work after
// `origin`, in s.
int cuda_stream_slot_wait(const struct cuda_stream_slot *s, cudaEvent_t origin, double *upload, double *began,
                          double *ended, struct trj_error *err);
void cuda_stream_slot_close(struct cuda_stream_slot *s);

#endif
