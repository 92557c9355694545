// SPDX-License-Identifier: MIT
#include "stream_slot.h"

#include "check.cuh"
#include "gpu.h"

int cuda_stream_slot_open(struct cuda_stream_slot *s, struct trj_error *err) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&s->upload_begin));
    CUDA_CHECK(cudaEventCreate(&s->upload_end));
    CUDA_CHECK(cudaEventCreate(&s->work_begin));
    CUDA_CHECK(cudaEventCreateWithFlags(&s->work_end, cudaEventBlockingSync));
    return 0;
}

int cuda_stream_slot_wait(const struct cuda_stream_slot *s, cudaEvent_t origin, double *upload, double *began,
                          double *ended, struct trj_error *err) {
    CUDA_CHECK(cudaEventSynchronize(s->work_end));
    return cuda_seconds_between(s->upload_begin, s->upload_end, upload, err) ||
                   cuda_seconds_between(origin, s->work_begin, began, err) ||
                   cuda_seconds_between(origin, s->work_end, ended, err)
               ? -1
               : 0;
}

void cuda_stream_slot_close(struct cuda_stream_slot *s) {
    const cudaEvent_t events[] = {s->upload_begin, s->upload_end, s->work_begin, s->work_end};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        if (events[k]) CUDA_RELEASE(cudaEventDestroy(events[k]));
    if (s->stream) CUDA_RELEASE(cudaStreamDestroy(s->stream));
    *s = (struct cuda_stream_slot){.stream = NULL};
}
