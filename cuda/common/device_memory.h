// SPDX-License-Identifier: MIT
// Memory of one GPU, and page-locked memory of the host, that is freed all at once. The limit of TRJPIPE_GPU_MEMORY
// applies to all memory of a GPU together: memory that can be replaced is a part of that of its GPU.
//
// If an allocation fails because memory is short, `full` is set, so that the caller can free everything and try a
// smaller layout. This is a failure of the GPU (gpu.h).
#ifndef CUDA_DEVICE_MEMORY_H
#define CUDA_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cuda_memory {
    struct cuda_block {
        void *memory;
        bool host; // page-locked memory of the host
    } * blocks;
    size_t count, capacity;    // of `blocks`
    size_t bytes;              // on the GPU
    bool full;                 // an allocation exceeded the limit or the free memory
    struct cuda_memory *whole; // the memory of which this is a part; NULL: it is no part
    // Unless it is a part: bytes on the GPU with those of its parts, their limit, and the parts.
    size_t used, limit;
    struct cuda_memory *parts, *next_part;
};

// Sets the limit from the environment variable TRJPIPE_GPU_MEMORY, a number of bytes; SIZE_MAX if it is not set. Fails
// with TRJ_USAGE if it is not a number.
int cuda_memory_read_limit(struct cuda_memory *m, struct trj_error *err);
// Makes zeroed memory a part of other memory, with which it is freed. It must stay at its address. No effect if it is
// a part already.
void cuda_memory_join(struct cuda_memory *part, struct cuda_memory *whole);

// An array for cuda_memory_alloc_all.
struct cuda_array {
    void *pointer; // address of the pointer to be set, which may be of any pointer type
    size_t bytes;
    const char *what; // its purpose, for the message
    const void *data; // [bytes] content that is copied to it; NULL: undefined content
    bool host;        // page-locked memory of the host
};
// Allocate memory of the current device, and page-locked memory for copies that overlap with computation.
int cuda_memory_alloc_all(struct cuda_memory *m, const struct cuda_array *arrays, size_t count, struct trj_error *err);
#define CUDA_ALLOC(m, arrays, err) cuda_memory_alloc_all(m, arrays, sizeof(arrays) / sizeof *(arrays), err)
// A struct cuda_array of n elements for the pointer p: on the GPU; with a copy of from[n]; in memory of the host. The
// last one has a number of bytes, for pointers to void.
#define CUDA_ARRAY(p, n, purpose)                                                                                      \
    { .pointer = &(p), .bytes = (n) * sizeof *(p), .what = (purpose) }
#define CUDA_ARRAY_COPY(p, n, purpose, from)                                                                           \
    { .pointer = &(p), .bytes = (n) * sizeof *(from), .what = (purpose), .data = (from) }
#define CUDA_ARRAY_HOST(p, n)                                                                                          \
    { .pointer = &(p), .bytes = (n) * sizeof *(p), .host = true }
#define CUDA_ARRAY_BYTES(p, n, purpose)                                                                                \
    { .pointer = &(p), .bytes = (n), .what = (purpose) }
int cuda_memory_alloc(struct cuda_memory *m, void *pointer, size_t bytes, const char *what, struct trj_error *err);
int cuda_memory_alloc_copy(struct cuda_memory *m, void *pointer, const void *data, size_t bytes, const char *what,
                           struct trj_error *err);
// Sets `full` and fails, for limits other than memory.
int cuda_memory_fail(struct cuda_memory *m, double bytes, const char *what, struct trj_error *err);
// Fails, and sets `full`, unless some memory is free for code, which CUDA loads when a kernel is launched for the first
// time.
int cuda_memory_check_free(struct cuda_memory *m, struct trj_error *err);

void cuda_memory_empty(struct cuda_memory *m); // frees all its memory except that of parts, and clears `full`
void cuda_memory_free(struct cuda_memory *m);  // also frees the memory of parts; all of them are zeroed

// Memory that is replaced by a larger block when necessary. Zeroed at first.
struct cuda_buffer {
    struct cuda_memory memory; // a part of that of its GPU
    void *address;
};
// Returns memory of at least `bytes` bytes, whose content is undefined; the memory that was returned before is freed if
// it is smaller. NULL after an error; the message for a lack of memory contains the remedy.
void *cuda_buffer_alloc(struct cuda_buffer *b, struct cuda_memory *whole, size_t bytes, const char *what,
                        struct trj_error *err);

// Page-locked host memory for coordinates, which all devices read fast. Returns NULL if there is none left.
void *cuda_host_allocate(size_t bytes);
void cuda_host_release(void *memory);

#endif
