// SPDX-License-Identifier: MIT
// Device memory that is freed all at once. If an allocation fails because memory is short, `full` is set, so that the
// caller can free everything and try a smaller layout.
#ifndef CUDA_DEVICE_MEMORY_H
#define CUDA_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cuda_memory {
    void **blocks;
    size_t count, capacity; // of `blocks`
    size_t bytes, limit;
    bool full; // an allocation exceeded the limit or the free memory
};

// Sets the limit from the environment variable TRJPIPE_GPU_MEMORY, a number of bytes; SIZE_MAX if it is not set. Fails
// with TRJ_USAGE if it is not a number.
int cuda_memory_read_limit(struct cuda_memory *m, struct trj_error *err);

// Allocates memory of the current device and stores its address in the pointer at `pointer`, which may be of any
// pointer type. `what` is its purpose, for the message.
int cuda_memory_take(struct cuda_memory *m, void *pointer, size_t bytes, const char *what, struct trj_error *err);
// As cuda_memory_take, and copies `data` to it.
int cuda_memory_take_copy(struct cuda_memory *m, void *pointer, const void *data, size_t bytes, const char *what,
                          struct trj_error *err);
// Sets `full` and fails, for limits other than memory.
int cuda_memory_fail(struct cuda_memory *m, double bytes, const char *what, struct trj_error *err);
// Fails, and sets `full`, unless some memory is free for code, which CUDA loads when a kernel is launched for the first
// time.
int cuda_memory_check_free(struct cuda_memory *m, struct trj_error *err);

void cuda_memory_empty(struct cuda_memory *m); // frees all device memory and clears `full`
void cuda_memory_free(struct cuda_memory *m);  // also frees its list of blocks

// Memory that is replaced by a larger block when necessary. Zeroed at first; cuda_memory_free frees `memory`.
struct cuda_buffer {
    struct cuda_memory memory;
    void *at;
};
// Returns memory of at least `bytes` bytes, whose content is undefined; the memory that was returned before is freed if
// it is smaller. With `limit`, which allows for everything but this buffer. NULL after an error.
void *cuda_buffer_take(struct cuda_buffer *b, size_t bytes, size_t limit, const char *what, struct trj_error *err);

// Page-locked host memory for coordinates, which all devices read fast. Returns NULL if there is none left.
void *cuda_host_allocate(size_t bytes);
void cuda_host_release(void *memory);

#endif
