// SPDX-License-Identifier: MIT
// Finds the bonds that connect selected atoms through others, so that a stream of a few atoms can still be made whole.
#include "bonds.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

int trj_bonds_list(struct trj_bonds *b, uint32_t (*const bond)[2], size_t count, size_t atoms, struct trj_error *err) {
    b->begin = trj_alloc(atoms + 2, sizeof *b->begin, "bonds", err);
    b->to = b->begin ? trj_alloc(2 * count, sizeof *b->to, "bonds", err) : NULL;
    if (!b->to) return -1;
    size_t *end = b->begin + 1; // while the lists fill, each end moves to the start of the next atom
    for (size_t k = 0; k < 2 * count; k++) end[bond[k / 2][k % 2] + 1]++;
    for (size_t i = 1; i <= atoms; i++) end[i] += end[i - 1];
    for (size_t k = 0; k < 2 * count; k++) b->to[end[bond[k / 2][k % 2]]++] = bond[k / 2][!(k % 2)];
    return 0;
}

void trj_bonds_free(struct trj_bonds *b) {
    free(b->begin);
    free(b->to);
    *b = (struct trj_bonds){.begin = NULL};
}

// Returns whether `b` contains a bond that is not in `a`, and sets the pair to the first one. mark[atoms] must be
// zeroed.
static bool finds_other(const struct trj_bonds *a, const struct trj_bonds *b, size_t atoms, uint32_t *mark,
                        uint32_t pair[2]) {
    for (size_t i = 0; i < atoms; i++) {
        for (size_t k = a->begin[i]; k < a->begin[i + 1]; k++) mark[a->to[k]] = (uint32_t)i + 1;
        for (size_t k = b->begin[i]; k < b->begin[i + 1]; k++) {
            if (mark[b->to[k]] == (uint32_t)i + 1) continue;
            pair[0] = (uint32_t)i;
            pair[1] = b->to[k];
            return true;
        }
    }
    return false;
}

int trj_bonds_compare(uint32_t (*const a)[2], size_t count_of_a, uint32_t (*const b)[2], size_t count_of_b,
                      size_t atoms, uint32_t pair[2], struct trj_error *err) {
    struct trj_bonds of_a = {.begin = NULL}, of_b = {.begin = NULL};
    uint32_t *mark = trj_alloc(atoms, sizeof *mark, "bonds", err);
    int rc = -1;
    if (!mark || trj_bonds_list(&of_a, a, count_of_a, atoms, err) || trj_bonds_list(&of_b, b, count_of_b, atoms, err))
        goto out;
    rc = finds_other(&of_a, &of_b, atoms, mark, pair);
    if (rc) goto out;
    memset(mark, 0, atoms * sizeof *mark);
    rc = finds_other(&of_b, &of_a, atoms, mark, pair);
out:
    trj_bonds_free(&of_a);
    trj_bonds_free(&of_b);
    free(mark);
    return rc;
}

int trj_bonds_find_gaps(uint32_t (*const bond)[2], size_t count, const uint32_t *residue, size_t atoms, bool *gaps,
                        struct trj_error *err) {
    unsigned char *bonded = trj_alloc(atoms, 1, "bonds", err);
    *gaps = false;
    if (!bonded) return -1;
    for (size_t k = 0; k < count; k++) bonded[bond[k][0]] = bonded[bond[k][1]] = 1;
    for (size_t i = 1; i < atoms; i++) *gaps = *gaps || (residue[i] == residue[i - 1] && !(bonded[i] && bonded[i - 1]));
    free(bonded);
    return 0;
}

enum state { UNREACHED, REACHED, IN_STREAM, DROPPED };

// Marks all atoms that can be reached from stream atoms, with which `queue` begins.
static void reach(const struct trj_bonds *b, unsigned char *state, uint32_t *queue, size_t queued) {
    for (size_t position = 0; position < queued; position++)
        for (size_t k = b->begin[queue[position]]; k < b->begin[queue[position] + 1]; k++) {
            if (state[b->to[k]] != UNREACHED) continue;
            state[b->to[k]] = REACHED;
            queue[queued++] = b->to[k];
        }
}

// Repeatedly drops the ends of chains.
static void drop_ends(const struct trj_bonds *b, unsigned char *state, uint32_t *queue, uint32_t *bonds_left,
                      size_t atoms) {
    size_t queued = 0;
    for (uint32_t i = 0; i < atoms; i++) {
        bonds_left[i] = (uint32_t)(b->begin[i + 1] - b->begin[i]);
        if (state[i] == REACHED && bonds_left[i] < 2) queue[queued++] = i;
    }
    for (size_t position = 0; position < queued; position++) {
        state[queue[position]] = DROPPED;
        for (size_t k = b->begin[queue[position]]; k < b->begin[queue[position] + 1]; k++) {
            uint32_t other = b->to[k];
            if (--bonds_left[other] == 1 && state[other] == REACHED) queue[queued++] = other;
        }
    }
}

int trj_bonds_between(uint32_t (*const bond)[2], size_t count, size_t atoms, const uint32_t *rows, size_t stream_atoms,
                      size_t first_between, uint32_t (**result)[2], size_t *result_count, size_t *between,
                      struct trj_error *err) {
    struct trj_bonds b = {.begin = NULL};
    unsigned char *state = trj_alloc(atoms, sizeof *state, "bonds", err);
    uint32_t *queue = trj_alloc(atoms, sizeof *queue, "bonds", err);
    uint32_t *number = trj_alloc(atoms, sizeof *number, "bonds", err);
    int rc = -1;
    *result = NULL;
    if (!state || !queue || !number || trj_bonds_list(&b, bond, count, atoms, err)) goto out;
    for (size_t i = 0; i < stream_atoms; i++) {
        state[rows[i]] = IN_STREAM;
        queue[i] = rows[i];
    }
    reach(&b, state, queue, stream_atoms);
    drop_ends(&b, state, queue, number, atoms);
    size_t next = first_between, kept = 0;
    for (uint32_t i = 0; i < stream_atoms; i++) number[rows[i]] = i;
    for (size_t i = 0; i < atoms; i++)
        if (state[i] == REACHED) number[i] = (uint32_t)next++;
    if (next > UINT32_MAX) {
        rc = trj_fail(err, TRJ_BAD_DATA, "%zu atoms, centres and atoms between them are too many", next);
        goto out;
    }
    *between = next - first_between;
    *result = trj_alloc(count, sizeof **result, "bonds", err);
    if (!*result) goto out;
    for (size_t k = 0; k < count; k++) {
        unsigned char i = state[bond[k][0]], j = state[bond[k][1]];
        if ((i != REACHED && i != IN_STREAM) || (j != REACHED && j != IN_STREAM)) continue;
        for (int e = 0; e < 2; e++) (*result)[kept][e] = number[bond[k][e]];
        kept++;
    }
    *result_count = kept;
    rc = 0;
out:
    trj_bonds_free(&b);
    free(state);
    free(queue);
    free(number);
    return rc;
}
