// SPDX-License-Identifier: MIT
// Opens one GPU for an engine whose work cannot be divided, or is too little to occupy several.
#include "single_gpu.h"

#include <stdlib.h>

#include "check.cuh"
#include "gpu_list.h"
#include "memory.h"

// Releases the GPU, so that another one can be opened.
static void release(void *engine) {
    struct cuda_single *s = engine;
    if (s->open) CUDA_RELEASE(cudaSetDevice(s->gpu.number));
    if (s->ops && s->ops->release) s->ops->release(engine);
    cuda_memory_free(&s->memory);
    for (int i = 0; i < CUDA_SINGLE_EVENTS; i++) {
        if (s->event[i]) CUDA_RELEASE(cudaEventDestroy(s->event[i]));
        s->event[i] = NULL;
    }
    if (s->stream) CUDA_RELEASE(cudaStreamDestroy(s->stream));
    s->stream = NULL;
    cuda_gpu_close(&s->gpu); // also after a failure of cuda_gpu_open
    s->open = false;
}

static int prepare(struct cuda_single *s, struct trj_error *err) {
    if (cuda_memory_read_limit(&s->memory, err)) return -1;
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    for (int i = 0; i < CUDA_SINGLE_EVENTS; i++) CUDA_CHECK(cudaEventCreate(&s->event[i]));
    if (s->ops->prepare && s->ops->prepare(s, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for the copies so far
    return 0;
}

static int add_gpu(void *owner, int number, unsigned count, struct trj_error *err) {
    struct cuda_single *s = owner;
    unsigned place = s->listed++;
    (void)count;
    if (s->open || place < s->from) return 0;
    s->next = place + 1;
    if (!cuda_gpu_open(&s->gpu, number, err)) {
        s->open = true;
        if (!prepare(s, err)) return 0;
        trj_fail_at(err, "%s", s->gpu.name);
    }
    release(s);
    return -1;
}

static void ignore(void *owner, const char *text) {
    (void)owner, (void)text; // a GPU that is not used is no loss: the engine uses only one
}

int cuda_single_open(void *engine, const struct cuda_single_ops *ops, const char *devices, struct trj_error *err) {
    struct cuda_single *s = engine;
    const struct cuda_gpu_list list = {.owner = s, .devices = devices, .add = add_gpu, .note = ignore};
    s->ops = ops;
    return cuda_gpu_list_open(&list, err);
}

int cuda_single_create(void **engine, size_t bytes, const void *job, const struct cuda_single_ops *ops,
                       const char *devices, struct trj_error *err) {
    struct cuda_single *s = trj_alloc(1, bytes, "an engine", err);
    if (!s) return -1;
    s->job = job;
    if (cuda_single_open(s, ops, devices, err)) {
        cuda_single_close(s);
        return -1;
    }
    *engine = s;
    return 0;
}

void cuda_single_close(void *engine) {
    struct cuda_single *s = engine;
    if (!s) return;
    release(s);
    if (s->ops && s->ops->close) s->ops->close(s);
    free(s);
}

int cuda_single_use(const struct cuda_single *s, struct trj_error *err) {
    CUDA_CHECK(cudaSetDevice(s->gpu.number));
    return 0;
}

int cuda_single_fetch(const struct cuda_single *s, void *to, const void *from, size_t bytes, struct trj_error *err) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s->stream));
    return cuda_single_wait(s, err);
}

int cuda_single_wait(const struct cuda_single *s, struct trj_error *err) {
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    return 0;
}
