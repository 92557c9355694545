// SPDX-License-Identifier: MIT
// Allocates memory for one GPU and lists all allocations, so that an engine frees up to thirty arrays with one call,
// also if one of the allocations has failed.
#include "device_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "memory.h"
#include "number.h"

enum { KERNEL_BYTES = 64 << 20 }; // for code

int cuda_memory_read_limit(struct cuda_memory *m, struct trj_error *err) {
    const char *text = getenv("TRJPIPE_GPU_MEMORY");
    uint64_t value = SIZE_MAX;
    if (text && !trj_parse_u64(text, &value))
        return trj_fail(err, TRJ_USAGE, "TRJPIPE_GPU_MEMORY: invalid value '%s': expected a number of bytes", text);
    m->limit = value;
    return 0;
}

void cuda_memory_join(struct cuda_memory *part, struct cuda_memory *whole) {
    if (part->whole) return;
    part->whole = whole;
    part->next_part = whole->parts;
    whole->parts = part;
}

static struct cuda_memory *whole_of(struct cuda_memory *m) {
    return m->whole ? m->whole : m;
}

int cuda_memory_fail(struct cuda_memory *m, double bytes, const char *what, struct trj_error *err) {
    m->full = true;
    trj_error_set_memory(err, bytes, what);
    err->status = TRJ_NO_ENGINE;
    return -1;
}

static int alloc(struct cuda_memory *m, const struct cuda_array *a, struct trj_error *err) {
    struct cuda_memory *whole = whole_of(m);
    struct cuda_block block = {.host = a->host};
    if (trj_grow(&m->blocks, &m->capacity, m->count + 1, sizeof *m->blocks, "a list", err)) return -1;
    if (a->host) {
        CUDA_CHECK(cudaMallocHost(&block.memory, a->bytes ? a->bytes : 1));
    } else {
        if (a->bytes > whole->limit || whole->used > whole->limit - a->bytes)
            return cuda_memory_fail(m, (double)a->bytes, a->what, err);
        cudaError_t malloc_status = cudaMalloc(&block.memory, a->bytes ? a->bytes : 1);
        if (malloc_status == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError(); // clears the error, because later calls are not affected by it
            return cuda_memory_fail(m, (double)a->bytes, a->what, err);
        }
        CUDA_CHECK(malloc_status);
        m->bytes += a->bytes;
        whole->used += a->bytes;
    }
    m->blocks[m->count++] = block;
    memcpy(a->pointer, &block.memory, sizeof block.memory);
    if (a->data && a->bytes) CUDA_CHECK(cudaMemcpy(block.memory, a->data, a->bytes, cudaMemcpyHostToDevice));
    return 0;
}

int cuda_memory_alloc_all(struct cuda_memory *m, const struct cuda_array *arrays, size_t count, struct trj_error *err) {
    for (size_t i = 0; i < count; i++)
        if (alloc(m, &arrays[i], err)) return -1;
    return 0;
}

int cuda_memory_alloc(struct cuda_memory *m, void *pointer, size_t bytes, const char *what, struct trj_error *err) {
    return alloc(m, &(struct cuda_array){.pointer = pointer, .bytes = bytes, .what = what}, err);
}

int cuda_memory_alloc_copy(struct cuda_memory *m, void *pointer, const void *data, size_t bytes, const char *what,
                           struct trj_error *err) {
    return alloc(m, &(struct cuda_array){pointer, bytes, what, .data = data}, err);
}

int cuda_memory_check_free(struct cuda_memory *m, struct trj_error *err) {
    size_t left, all;
    CUDA_CHECK(cudaMemGetInfo(&left, &all));
    return left >= KERNEL_BYTES ? 0 : cuda_memory_fail(m, (double)KERNEL_BYTES, "kernels", err);
}

void cuda_memory_empty(struct cuda_memory *m) {
    for (size_t i = 0; i < m->count; i++)
        CUDA_RELEASE(m->blocks[i].host ? cudaFreeHost(m->blocks[i].memory) : cudaFree(m->blocks[i].memory));
    whole_of(m)->used -= m->bytes;
    m->count = m->bytes = 0;
    m->full = false;
}

static void leave_whole(struct cuda_memory *part) {
    struct cuda_memory **link = &part->whole->parts;
    while (*link != part) link = &(*link)->next_part;
    *link = part->next_part;
}

void cuda_memory_free(struct cuda_memory *m) {
    while (m->parts) cuda_memory_free(m->parts);
    cuda_memory_empty(m);
    if (m->whole) leave_whole(m);
    free(m->blocks);
    *m = (struct cuda_memory){.count = 0};
}

void *cuda_buffer_alloc(struct cuda_buffer *b, struct cuda_memory *whole, size_t bytes, const char *what,
                        struct trj_error *err) {
    if (b->memory.count && b->memory.bytes >= bytes) return b->address;
    cuda_memory_join(&b->memory, whole);
    cuda_memory_empty(&b->memory);
    b->address = NULL;
    if (!cuda_memory_alloc(&b->memory, &b->address, bytes ? bytes : 1, what, err)) return b->address;
    if (b->memory.full)
        trj_error_set(err, TRJ_NO_ENGINE, "engine cuda: out of memory: %zu bytes for %s; use -e cpu", bytes, what);
    return NULL;
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
