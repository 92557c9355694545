// SPDX-License-Identifier: MIT
// Memory whose pages can be given to a pipe, so that large data are not copied into it.
//
// A page that was given (vmsplice(2)) must never be written again: after tee(2) or splice(2), a writer cannot detect
// when the last reader has finished. The memory is therefore freed, never reused; the kernel keeps each page until it
// has been read. All functions are callable from any thread.
#ifndef TRJ_PIPE_MEMORY_H
#define TRJ_PIPE_MEMORY_H

#include <stddef.h>

// Less memory than this is not worth the work of giving it: copying is as fast.
enum { TRJ_PIPE_MEMORY_MIN = 1 << 16 }; // bytes

// Returns zeroed memory that starts a page, and shares none; NULL if there is none. Large pages are used if possible.
void *trj_pipe_alloc(size_t bytes);
// Reduces memory of trj_pipe_alloc from `bytes` to `used` bytes.
void trj_pipe_shrink(void *memory, size_t bytes, size_t used);
void trj_pipe_free(void *memory); // NULL is allowed

#endif
