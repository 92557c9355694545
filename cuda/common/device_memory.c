// SPDX-License-Identifier: MIT
#include "device_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "memory.h"
#include "number.h"

enum { ROOM_FOR_KERNELS = 64 << 20 };

int cuda_memory_read_limit(struct cuda_memory *m, struct trj_error *err) {
    const char *text = getenv("TRJPIPE_GPU_MEMORY");
    uint64_t value = SIZE_MAX;
    if (text && !trj_parse_u64(text, &value))
        return trj_fail(err, TRJ_USAGE, "TRJPIPE_GPU_MEMORY: invalid value '%s': expected a number of bytes", text);
    m->limit = value;
    return 0;
}

int cuda_memory_fail(struct cuda_memory *m, double bytes, const char *what, struct trj_error *err) {
    m->full = true;
    return trj_fail_memory(err, bytes, what);
}

int cuda_memory_take(struct cuda_memory *m, void *pointer, size_t bytes, const char *what, struct trj_error *err) {
    if (trj_grow(&m->blocks, &m->capacity, m->count + 1, sizeof *m->blocks, "a list", err)) return -1;
    void *block = NULL;
    if (m->bytes + bytes > m->limit) return cuda_memory_fail(m, (double)bytes, what, err);
    cudaError_t malloc_status = cudaMalloc(&block, bytes ? bytes : 1);
    if (malloc_status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); // clears the error, because later calls are not affected by it
        return cuda_memory_fail(m, (double)bytes, what, err);
    }
    CUDA_CHECK(malloc_status);
    m->bytes += bytes;
    m->blocks[m->count++] = block;
    memcpy(pointer, &block, sizeof block);
    return 0;
}

int cuda_memory_take_copy(struct cuda_memory *m, void *pointer, const void *data, size_t bytes, const char *what,
                          struct trj_error *err) {
    void *to;
    if (cuda_memory_take(m, &to, bytes, what, err)) return -1;
    CUDA_CHECK(cudaMemcpy(to, data, bytes, cudaMemcpyHostToDevice));
    memcpy(pointer, &to, sizeof to);
    return 0;
}

int cuda_memory_check_free(struct cuda_memory *m, struct trj_error *err) {
    size_t left, all;
    CUDA_CHECK(cudaMemGetInfo(&left, &all));
    return left >= ROOM_FOR_KERNELS ? 0 : cuda_memory_fail(m, (double)ROOM_FOR_KERNELS, "kernels", err);
}

void cuda_memory_empty(struct cuda_memory *m) {
    for (size_t i = 0; i < m->count; i++) CUDA_RELEASE(cudaFree(m->blocks[i]));
    m->count = m->bytes = 0;
    m->full = false;
}

void cuda_memory_free(struct cuda_memory *m) {
    cuda_memory_empty(m);
    free(m->blocks);
    *m = (struct cuda_memory){.count = 0};
}

void *cuda_buffer_take(struct cuda_buffer *b, size_t bytes, size_t limit, const char *what, struct trj_error *err) {
    if (b->at && b->memory.bytes >= bytes) return b->at;
    cuda_memory_empty(&b->memory);
    b->at = NULL;
    b->memory.limit = limit;
    return cuda_memory_take(&b->memory, &b->at, bytes ? bytes : 1, what, err) ? NULL : b->at;
}

void *cuda_host_allocate(size_t bytes) {
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
    (void)cudaGetLastError(); // clears the error: the caller uses less memory
    return NULL;
}

void cuda_host_release(void *memory) {
    CUDA_RELEASE(cudaFreeHost(memory));
}
