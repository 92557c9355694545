// SPDX-License-Identifier: MIT
// Divides memory from mmap(2) into allocations that are never reused, because a pipe may still refer to their pages.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): madvise
#include "pipe_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Memory is taken from chunks of large pages: a fault for each page of 4 KiB would take longer than the copy that is
// saved. A chunk is unmapped when all memory in it was freed. Its first page contains this header and is never given.
enum { CHUNK = 1 << 23 }; // bytes

struct chunk {
    atomic_size_t users; // pieces of memory that were not freed; one more while memory is taken from the chunk
    size_t bytes, used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects `current` and its `used`
static struct chunk *current;

static size_t page(void) {
    return (size_t)sysconf(_SC_PAGESIZE); // 4 KiB, or 16 or 64 KiB on ARM
}

static void drop(struct chunk *c) {
    if (c && atomic_fetch_sub(&c->users, 1) == 1) munmap(c, c->bytes);
}

// The chunk of a piece of memory is found by its address: chunks begin at multiples of CHUNK, and memory in the first
// CHUNK bytes.
static struct chunk *chunk_of(void *memory) {
    unsigned char *p = memory;
    return (void *)(p - (uintptr_t)p % CHUNK);
}

static struct chunk *make_chunk(size_t bytes) {
    if (bytes > SIZE_MAX - CHUNK) return NULL;
    unsigned char *p =
        mmap(NULL, bytes + CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    size_t before = (CHUNK - (uintptr_t)p % CHUNK) % CHUNK;
    if (before) munmap(p, before);
    munmap(p + before + bytes, CHUNK - before);
    struct chunk *c = (void *)(p + before);
    (void)madvise(c, bytes, MADV_HUGEPAGE);
    c->bytes = bytes;
    c->used = page();
    atomic_init(&c->users, 1);
    return c;
}

static size_t whole_pages(size_t bytes) {
    return bytes > SIZE_MAX - 2 * page() ? 0 : (bytes + page() - 1) / page() * page();
}

void *trj_pipe_alloc(size_t bytes) {
    size_t need = whole_pages(bytes);
    if (!need) return NULL;
    if (need > CHUNK / 4) {
        struct chunk *own = make_chunk(need + page());
        return own ? (unsigned char *)own + page() : NULL;
    }
    void *memory = NULL;
    pthread_mutex_lock(&lock);
    if (!current || current->used + need > CHUNK) {
        drop(current);
        current = make_chunk(CHUNK);
    }
    if (current) {
        memory = (unsigned char *)current + current->used;
        current->used += need;
        atomic_fetch_add(&current->users, 1);
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

void trj_pipe_shrink(void *memory, size_t bytes, size_t used) {
    pthread_mutex_lock(&lock);
    size_t end = (size_t)((unsigned char *)memory - (unsigned char *)chunk_of(memory)) + whole_pages(bytes);
    if (chunk_of(memory) == current && current->used == end)
        current->used = end - whole_pages(bytes) + whole_pages(used);
    pthread_mutex_unlock(&lock);
}

void trj_pipe_free(void *memory) {
    if (memory) drop(chunk_of(memory));
}
