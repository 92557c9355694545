// SPDX-License-Identifier: MIT
// Follows the structures of an HDF5 file to a dataset: superblock of version 0, B-tree and heap of the root group, and
// object header of version 1, as in the HDF5 File Format Specification, version 3.0 (sections II.A, III.A to
// III.D, IV.A.1.a and IV.A.2.i; https://docs.hdfgroup.org/hdf5/develop/_f_m_t3.html). All numbers are little-endian.
#include "hdf5_dataset.h"

#include <string.h>

// A root group with more blocks than this is rejected as damaged; in files of MDTraj it has one of each kind.
enum { MAX_BLOCKS = 1000, MAX_LEVEL = 8, NAME = 64 };

enum { SUPERBLOCK = 96, NODE = 24, SYMBOLS = 8, SYMBOL = 40, HEAP = 32, HEADER = 16, MESSAGE = 8 };

// Types of messages in object headers.
enum { LAYOUT = 8, CONTINUATION = 16 };

struct file {
    struct trj_input *in;
    const char *name;
    uint64_t names;  // place of the names of the root group
    unsigned blocks; // that were read
    uint64_t offset; // of the object header; 0: not found
    struct trj_error *err;
};

static uint64_t number(const unsigned char *from, unsigned bytes) {
    uint64_t v = 0;
    while (bytes--) v = v << 8 | from[bytes];
    return v;
}

// Reads n bytes at a place of the file.
static int read_at(struct file *f, uint64_t offset, void *to, size_t n) {
    uint64_t size;
    if (!trj_input_size(f->in, &size) || offset > size || n > size - offset)
        return trj_fail(f->err, TRJ_BAD_DATA, "byte %llu: truncated: a block of HDF5 is beyond the end of the file",
                        (unsigned long long)offset);
    return trj_input_seek(f->in, offset, f->err) || trj_input_read(f->in, to, n, "a block of HDF5", f->err) ? -1 : 0;
}

static int fail_structure(const struct file *f, uint64_t offset, const char *what) {
    return trj_fail(f->err, TRJ_BAD_DATA,
                    "byte %llu: damaged, or written in a newer version of the HDF5 format: expected %s",
                    (unsigned long long)offset, what);
}

// Reads a block that begins with four letters, and counts it.
static int read_block(struct file *f, uint64_t offset, unsigned char *to, size_t n, const char letters[4],
                      const char *what) {
    if (++f->blocks > MAX_BLOCKS)
        return trj_fail(f->err, TRJ_BAD_DATA, "damaged: its root group has more than %d blocks", MAX_BLOCKS);
    if (read_at(f, offset, to, n)) return -1;
    return memcmp(to, letters, 4) != 0 ? fail_structure(f, offset, what) : 0;
}

// Compares the names in a table of symbols with the one that is looked for.
static int read_symbols(struct file *f, uint64_t offset) {
    unsigned char head[SYMBOLS], symbol[SYMBOL];
    char name[NAME];
    size_t length = strlen(f->name) + 1;
    if (read_block(f, offset, head, SYMBOLS, "SNOD", "a table of symbols")) return -1;
    uint64_t count = number(head + 6, 2);
    for (uint64_t i = 0; i < count && !f->offset; i++) {
        if (read_at(f, offset + SYMBOLS + i * SYMBOL, symbol, SYMBOL)) return -1;
        uint64_t at = number(symbol, 8);
        if (at > UINT64_MAX / 2 || read_at(f, f->names + at, name, length)) return -1;
        if (!memcmp(name, f->name, length)) f->offset = number(symbol + 8, 8);
    }
    return 0;
}

// Visits the tables of symbols of a B-tree. `level` is the largest one that a node may have.
static int read_tree(struct file *f, uint64_t offset, int level) {
    unsigned char node[NODE], child[16];
    if (read_block(f, offset, node, NODE, "TREE", "a B-tree")) return -1;
    if (node[4] || node[5] > level) return fail_structure(f, offset, "a B-tree of a group");
    uint64_t count = number(node + 6, 2);
    for (uint64_t i = 0; i < count && !f->offset; i++) {
        if (read_at(f, offset + NODE + 16 * i, child, sizeof child)) return -1; // a key, and the child after it
        uint64_t at = number(child + 8, 8);
        if (node[5] ? read_tree(f, at, node[5] - 1) : read_symbols(f, at)) return -1;
    }
    return 0;
}

static int take_layout(const struct file *f, uint64_t at, const unsigned char *message, uint64_t *offset,
                       uint64_t *size) {
    enum { VERSION = 3, CONTIGUOUS = 1 };
    if (message[0] != VERSION || message[1] != CONTIGUOUS)
        return trj_fail(
            f->err, TRJ_BAD_DATA,
            "byte %llu: the dataset %s is stored in chunks, compressed, or in another layout version, which is "
            "not supported; write the file again with MDTraj",
            (unsigned long long)at, f->name);
    *offset = number(message + 2, 8);
    *size = number(message + 10, 8);
    return 0;
}

// Finds the layout in the messages of an object header, which may continue in other blocks.
static int read_header(struct file *f, uint64_t *offset, uint64_t *size) {
    unsigned char head[HEADER], message[MESSAGE + 18];
    if (read_at(f, f->offset, head, HEADER)) return -1;
    if (head[0] != 1) return fail_structure(f, f->offset, "an object header of version 1");
    uint64_t messages = number(head + 2, 2), at = f->offset + HEADER, end = at + number(head + 8, 4), next = 0,
             next_size = 0;
    for (uint64_t i = 0; i < messages; i++) {
        if (at + MESSAGE > end) { // the other messages are in the continuation
            if (!next) break;
            at = next;
            end = next + next_size;
            next = 0;
        }
        size_t n = end - at < sizeof message ? (size_t)(end - at) : sizeof message;
        memset(message, 0, sizeof message);
        if (end < at || read_at(f, at, message, n)) return end < at ? fail_structure(f, at, "a message") : -1;
        uint64_t type = number(message, 2), bytes = number(message + 2, 2);
        if (type == LAYOUT) return take_layout(f, at, message + MESSAGE, offset, size);
        if (type == CONTINUATION) {
            next = number(message + MESSAGE, 8);
            next_size = number(message + MESSAGE + 8, 8);
            if (next > UINT64_MAX / 2 || next_size > UINT64_MAX / 4) return fail_structure(f, at, "a continuation");
        }
        at += MESSAGE + bytes;
    }
    return fail_structure(f, f->offset, "the layout of the dataset");
}

int trj_hdf5_find_dataset(struct trj_input *in, const char *name, uint64_t *offset, uint64_t *size,
                          struct trj_error *err) {
    struct file f = {.in = in, .name = name, .err = err};
    unsigned char head[SUPERBLOCK], heap[HEAP];
    if (read_at(&f, 0, head, sizeof head)) return -1;
    // Version 0, and 8 bytes for places and lengths; the entry of the root group has the places of its tree and heap.
    if (head[8] != 0 || head[13] != 8 || head[14] != 8 || number(head + 24, 8) || number(head + 72, 4) != 1)
        return fail_structure(&f, 8, "a superblock of version 0");
    if (read_block(&f, number(head + 88, 8), heap, HEAP, "HEAP", "a heap of names")) return -1;
    f.names = number(heap + 24, 8);
    if (f.names > UINT64_MAX / 2) return fail_structure(&f, number(head + 88, 8), "a heap of names");
    if (read_tree(&f, number(head + 80, 8), MAX_LEVEL)) return -1;
    return !f.offset ? 0 : read_header(&f, offset, size) ? -1 : 1;
}
