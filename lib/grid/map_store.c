// SPDX-License-Identifier: MIT
// Keeps planes in memory or in a temporary file, whose space is checked first, because formats differ in the order of
// axes.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): madvise
#include "map_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "memory.h"
#include "temporary_file.h"

// Reserves disk space. It checks the free space first, so that a huge size from a damaged file does not fill the disk
// before the error. Returns an errno, or 0.
static int reserve(int fd, uint64_t size) {
    struct statvfs disk;
    if (size > INT64_MAX) return EFBIG;
    if (!fstatvfs(fd, &disk) && disk.f_frsize && size / disk.f_frsize >= disk.f_bavail) return ENOSPC;
    return posix_fallocate(fd, 0, (off_t)size);
}

int trj_map_store_open(struct trj_map_store *s, uint64_t size, uint64_t limit, struct trj_error *err) {
    *s = (struct trj_map_store){.size = size, .file = -1};
    if (size <= limit) return (s->bytes = trj_alloc(size, 1, "a map", err)) ? 0 : -1;
    const char *folder;
    void *bytes = MAP_FAILED;
    int fd = trj_temporary_file(&folder), rc = fd < 0 ? errno : reserve(fd, size);
    if (!rc) {
        bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (bytes == MAP_FAILED) rc = errno;
    }
    if (!rc) {
        s->file = fd;
        s->bytes = bytes;
        return 0;
    }
    if (fd >= 0) close(fd);
    errno = rc;
    return trj_fail_errno(err, "a map requires a temporary file of %.3g GiB in the folder %s (TMPDIR)",
                          (double)size / (1 << 30), folder);
}

void trj_map_store_release(const struct trj_map_store *s, uint64_t offset, uint64_t n) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = (offset + page - 1) / page * page,
             end = (offset + n) / page * page;
    if (s->bytes && s->file >= 0 && end > first) madvise(s->bytes + first, end - first, MADV_DONTNEED);
}

void trj_map_store_close(struct trj_map_store *s) {
    if (s->bytes && s->file >= 0) {
        munmap(s->bytes, s->size);
        close(s->file);
    } else {
        free(s->bytes);
    }
    s->bytes = NULL;
}
