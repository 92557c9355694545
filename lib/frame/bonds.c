// SPDX-License-Identifier: MIT
#include "bonds.h"

#include <stdlib.h>

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

enum state { UNREACHED, REACHED, IN_STREAM, DROPPED };

// Marks all atoms that can be reached from stream atoms, with which `queue` begins.
static void reach(const struct trj_bonds *b, unsigned char *state, uint32_t *queue, size_t queued) {
    for (size_t at = 0; at < queued; at++)
        for (size_t k = b->begin[queue[at]]; k < b->begin[queue[at] + 1]; k++) {
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
    for (size_t at = 0; at < queued; at++) {
        state[queue[at]] = DROPPED;
        for (size_t k = b->begin[queue[at]]; k < b->begin[queue[at] + 1]; k++) {
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
