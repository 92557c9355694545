// SPDX-License-Identifier: MIT
// Opens GPUs and runs slices on them for all analyses that compute batches of frames, because a failure must be handled
// in the same way by each of them.
#include "pool_device.h"

#include <stdlib.h>

#include "check.cuh"
#include "gpu_list.h"
#include "memory.h"

// ---- slots

static int open_stream(struct cuda_slot *s, struct trj_error *err) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&s->upload_begin));
    CUDA_CHECK(cudaEventCreate(&s->upload_end));
    CUDA_CHECK(cudaEventCreate(&s->work_begin));
    CUDA_CHECK(cudaEventCreateWithFlags(&s->work_end, cudaEventBlockingSync));
    return 0;
}

static void close_stream(struct cuda_slot *s) {
    const cudaEvent_t events[] = {s->upload_begin, s->upload_end, s->work_begin, s->work_end};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        if (events[k]) CUDA_RELEASE(cudaEventDestroy(events[k]));
    if (s->stream) CUDA_RELEASE(cudaStreamDestroy(s->stream));
}

int cuda_slot_uploaded(const struct cuda_slot *s, struct trj_error *err) {
    CUDA_CHECK(cudaEventRecord(s->upload_end, s->stream));
    CUDA_CHECK(cudaEventRecord(s->work_begin, s->stream));
    return 0;
}

// ---- work

static int enqueue(struct cuda_device *d, struct cuda_slot *s, struct trj_error *err) {
    CUDA_CHECK(cudaEventRecord(s->upload_begin, s->stream));
    if (d->analysis->enqueue(d, s, err)) return -1;
    CUDA_CHECK(cudaEventRecord(s->work_end, s->stream));
    return 0;
}

// An error of a frame is kept for `end`, because a failure of `begin` is one of the GPU, whose work others repeat.
static int start(struct cuda_device *d, struct cuda_slot *s, struct trj_error *err) {
    s->frame = 0;
    s->is_bad = false;
    if (!enqueue(d, s, err)) return 0;
    CUDA_RELEASE(cudaStreamSynchronize(s->stream)); // the device must no longer read the batch
    s->is_bad = err->status == TRJ_BAD_DATA;
    s->bad = *err;
    return s->is_bad ? 0 : -1;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct cuda_device *d = device;
    struct cuda_slot *s = d->slots[slot];
    s->batch = batch;
    s->slice = slice;
    return start(d, s, err);
}

static int wait_for(const struct cuda_device *d, const struct cuda_slot *s, struct work_result *result,
                    struct trj_error *err) {
    CUDA_CHECK(cudaEventSynchronize(s->work_end));
    if (cuda_seconds_between(s->upload_begin, s->upload_end, &result->upload, err)) return -1;
    if (cuda_seconds_between(d->gpu.origin, s->work_begin, &result->began, err)) return -1;
    return cuda_seconds_between(d->gpu.origin, s->work_end, &result->ended, err);
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    struct cuda_device *d = device;
    struct cuda_slot *s = d->slots[slot];
    for (;;) {
        bool again = false;
        if (s->is_bad) {
            result->bad_frame = s->frame;
            *err = s->bad;
            return -1;
        }
        if (wait_for(d, s, result, err) || d->analysis->complete(d, s, &again, result, err)) return -1;
        if (!again) return 0;
        if (start(d, s, err)) return -1;
    }
}

static int attach(void *device, struct trj_error *err) {
    struct cuda_device *d = device;
    return cuda_gpu_attach(&d->gpu, d->slots[0]->stream, err);
}

const struct work_device_ops cuda_device_ops = {
    .slots = CUDA_SLOTS,
    .allocate = cuda_host_allocate,
    .release = cuda_host_release,
    .attach = attach,
    .begin = begin,
    .end = end,
    .joules = cuda_gpu_joules,
    .name = cuda_gpu_name,
};

// ---- open and close

static void close_device(struct cuda_device *d) {
    const struct cuda_analysis *a = d->analysis;
    CUDA_RELEASE(cudaSetDevice(d->gpu.number));
    for (int i = 0; i < CUDA_SLOTS && d->slots[i] && a->close_slot; i++) a->close_slot(d, d->slots[i]);
    if (a->close) a->close(d);
    cuda_memory_free(&d->memory); // before its parts in slots
    for (int i = 0; i < CUDA_SLOTS && d->slots[i]; i++) {
        close_stream(d->slots[i]);
        free(d->slots[i]);
    }
    cuda_gpu_close(&d->gpu);
    free(d);
}

static int prepare(struct cuda_device *d, struct trj_error *err) {
    const struct cuda_analysis *a = d->analysis;
    if (cuda_memory_read_limit(&d->memory, err)) return -1;
    if (a->open(d, err)) return -1;
    for (int i = 0; i < CUDA_SLOTS; i++) {
        if (open_stream(d->slots[i], err)) return -1;
        if (a->open_slot(d, d->slots[i], err)) return -1;
    }
    if (cuda_memory_check_free(&d->memory, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the streams of the slots do not wait for the copies so far
    return 0;
}

static int open_device(struct cuda_device *d, int number, struct trj_error *err) {
    for (int i = 0; i < CUDA_SLOTS; i++)
        if (!(d->slots[i] = trj_alloc(1, d->analysis->slot_bytes, "a GPU", err))) return -1;
    if (cuda_gpu_open(&d->gpu, number, err)) return -1;
    return prepare(d, err) ? trj_fail_at(err, "%s", d->gpu.name) : 0;
}

static int add_gpu(void *owner, int number, unsigned count, struct trj_error *err) {
    struct cuda_gpus *g = owner;
    if (!g->device && !(g->device = trj_alloc(count, sizeof *g->device, "GPUs", err))) return -1;
    struct cuda_device *d = trj_alloc(1, g->analysis->device_bytes, "a GPU", err);
    if (!d) return -1;
    g->expected = count;
    g->batch = g->analysis->choose_batch(g->job, count);
    d->analysis = g->analysis;
    d->job = g->job;
    d->gpus = count;
    d->batch = g->batch;
    if (open_device(d, number, err)) {
        close_device(d);
        return -1;
    }
    g->device[g->count++] = d;
    return 0;
}

static void note(void *owner, const char *text) {
    const struct cuda_gpus *g = owner;
    if (g->resources.note) g->resources.note(g->resources.note_arg, text);
}

int cuda_gpus_open(struct cuda_gpus *g, struct trj_error *err) {
    const struct cuda_gpu_list list = {.owner = g, .devices = g->resources.devices, .add = add_gpu, .note = note};
    return cuda_gpu_list_open(&list, err);
}

void cuda_gpus_close(struct cuda_gpus *g) {
    for (unsigned i = 0; i < g->count; i++) close_device(g->device[i]);
    free(g->device);
}

struct work_pool_plan cuda_gpus_plan(const struct cuda_gpus *g, unsigned slices) {
    return (struct work_pool_plan){.ops = &cuda_device_ops,
                                   .devices = g->device,
                                   .device_count = g->count,
                                   .batch = g->batch,
                                   .parts = 1,
                                   .slices = slices};
}
