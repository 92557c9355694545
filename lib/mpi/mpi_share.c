// SPDX-License-Identifier: MIT
// Combines the sums of ranks. All ranks get the result, so that they take the same decisions afterwards.
#include "mpi_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_sum.h"
#include "memory.h"
#include "mpi_run.h"
#include "wide.h"

static struct {
    struct work_share share;
    uint64_t block;
    uint64_t listed; // frames whose values were exchanged
} state;

static unsigned rank_of(uint64_t frame) {
    return (unsigned)(frame / state.block % trj_mpi_size());
}

static bool computes(const void *unused, uint64_t frame) {
    (void)unused;
    return rank_of(frame) == trj_mpi_rank();
}

static void add_wide(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char *sum = (unsigned char *)to + i * sizeof(trj_wide);
        unsigned long long a[2], b[2]; // the sum is that of unsigned numbers, and the low word is the first
        memcpy(a, sum, sizeof a);
        memcpy(b, (const unsigned char *)from + i * sizeof(trj_wide), sizeof b);
        a[0] += b[0];
        a[1] += b[1] + (a[0] < b[0]);
        memcpy(sum, a, sizeof a);
    }
}

static void add_exact(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        trj_exact_merge((struct trj_exact_sum *)to + i, (const struct trj_exact_sum *)from + i);
}

static void take_largest(void *to, const void *from, size_t count) {
    double *a = to;
    const double *b = from;
    for (size_t i = 0; i < count; i++)
        if (isnan(b[i]) || b[i] > a[i]) a[i] = b[i]; // a NAN stays
}

int trj_mpi_check_sums(const int64_t *values, size_t count, unsigned ranks, struct trj_error *err) {
    const int64_t limit = INT64_MAX / ranks;
    for (size_t i = 0; i < count; i++)
        if (values[i] > limit || values[i] < -limit)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the sum of all ranks may exceed 64 bits at point %zu; end records earlier (--block)", i);
    return 0;
}

// Rank 0 gets the values of the others, one after the other.
static int reduce(void *values, size_t count, size_t size, void (*add)(void *, const void *, size_t),
                  struct trj_error *err) {
    if (trj_mpi_rank()) {
        trj_mpi_exchange(values, count * size, 0, NULL, 0, -1);
        return 0;
    }
    void *other = trj_alloc(count, size, "sums of another rank", err);
    for (unsigned i = 1; other && i < trj_mpi_size(); i++) {
        trj_mpi_exchange(NULL, 0, -1, other, count * size, (int)i);
        add(values, other, count);
    }
    free(other);
    return other ? 0 : -1;
}

// The rank that has computed a frame sends its values to all others.
static void exchange_list(void *values, size_t bytes) {
    const unsigned owner = rank_of(state.listed++);
    if (owner != trj_mpi_rank()) {
        trj_mpi_exchange(NULL, 0, -1, values, bytes, (int)owner);
        return;
    }
    for (unsigned i = 0; i < trj_mpi_size(); i++)
        if (i != owner) trj_mpi_exchange(values, bytes, (int)i, NULL, 0, -1);
}

static int combine(void *unused, void *values, size_t count, enum work_share_kind kind, struct trj_error *err) {
    const size_t size = work_share_words(kind) * sizeof(uint64_t);
    int rc = 0;
    (void)unused;
    switch (kind) {
    case WORK_SHARE_MAP:
        if (trj_mpi_check_sums(values, count, trj_mpi_size(), err)) return -1;
        trj_mpi_sum(values, count);
        break;
    case WORK_SHARE_SUM:
        trj_mpi_sum(values, count);
        break;
    case WORK_SHARE_WIDE:
        rc = reduce(values, count, size, add_wide, err);
        break;
    case WORK_SHARE_EXACT:
        rc = reduce(values, count, size, add_exact, err);
        break;
    case WORK_SHARE_MAX:
        rc = reduce(values, count, size, take_largest, err);
        break;
    case WORK_SHARE_LIST:
        exchange_list(values, count * size);
        return 0;
    }
    if (!rc) trj_mpi_broadcast(values, count * size);
    return rc;
}

const struct work_share *trj_mpi_share(const struct work_share *otherwise, uint64_t block) {
    if (trj_mpi_size() == 1) return otherwise;
    state.share = (struct work_share){.computes = computes, .combine = combine};
    state.block = block;
    return &state.share;
}
