// SPDX-License-Identifier: MIT
// Finds pairs in a hash table, and counts in which frames of the window they existed.
#include "pair_history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "start_frames.h"

struct pair {
    uint64_t key;
    uint64_t since;  // first of the frames without a gap up to the last one
    uint64_t *frame; // [count] in which it existed, ascending, with the number 1 for the first frame of the stream
    size_t first, count, capacity; // those before `first` are older than the window
};

struct tcf_pair_history {
    struct tcf_starts starts;
    uint64_t now, run; // numbers of the frame that is added, and of the first one of the run
    struct pair *pair; // [pairs]
    size_t pairs, capacity;
    size_t *table; // [size] number of a pair and 1; 0: empty. size is a power of two
    size_t size;
    uint64_t members, *there; // [lags] of the frame that is added
    uint64_t *stayed;         // [lags] of them, by the lag up to which they stayed
    uint64_t next_cleaning;
};

int tcf_pair_history_open(struct tcf_pair_history **result, uint64_t max_lag, struct trj_error *err) {
    static const char what[] = "windows of pairs";
    struct tcf_pair_history *h = *result = trj_alloc(1, sizeof *h, what, err);
    if (!h) return -1;
    h->now = h->run = 1;
    h->next_cleaning = max_lag + 2;
    h->size = 1024;
    if (tcf_starts_open(&h->starts, max_lag, 0, err) ||
        !(h->there = trj_alloc(h->starts.lags, sizeof *h->there, what, err)) ||
        !(h->stayed = trj_alloc(h->starts.lags, sizeof *h->stayed, what, err)) ||
        !(h->table = trj_alloc(h->size, sizeof *h->table, what, err)))
        return -1;
    return 0;
}

void tcf_pair_history_close(struct tcf_pair_history *h) {
    if (!h) return;
    for (size_t i = 0; i < h->pairs; i++) free(h->pair[i].frame);
    free(h->pair);
    free(h->table);
    free(h->there);
    free(h->stayed);
    tcf_starts_free(&h->starts);
    free(h);
}

// Returns the place of a pair in the table, or the empty one where it belongs.
static size_t find(const struct tcf_pair_history *h, uint64_t key) {
    size_t place = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (h->size - 1);
    while (h->table[place] && h->pair[h->table[place] - 1].key != key) place = (place + 1) & (h->size - 1);
    return place;
}

static void fill_table(struct tcf_pair_history *h) {
    memset(h->table, 0, h->size * sizeof *h->table);
    for (size_t i = 0; i < h->pairs; i++) h->table[find(h, h->pair[i].key)] = i + 1;
}

static struct pair *get_pair(struct tcf_pair_history *h, uint64_t key, struct trj_error *err) {
    size_t place = find(h, key);
    if (h->table[place]) return &h->pair[h->table[place] - 1];
    if (trj_grow(&h->pair, &h->capacity, h->pairs + 1, sizeof *h->pair, "pairs", err)) return NULL;
    if (2 * (h->pairs + 1) > h->size) {
        size_t *table = trj_alloc(2 * h->size, sizeof *table, "pairs", err);
        if (!table) return NULL;
        free(h->table);
        h->table = table;
        h->size *= 2;
        fill_table(h);
        place = find(h, key);
    }
    h->pair[h->pairs] = (struct pair){.key = key};
    h->table[place] = ++h->pairs;
    return &h->pair[h->pairs - 1];
}

// Removes the frames before the window.
static void forget(const struct tcf_pair_history *h, struct pair *p) {
    const uint64_t oldest = h->now - h->run < h->starts.lags ? h->run : h->now + 1 - h->starts.lags;
    while (p->first < p->count && p->frame[p->first] < oldest) p->first++;
    if (p->first < 64 || 2 * p->first < p->count) return;
    p->count -= p->first;
    memmove(p->frame, p->frame + p->first, p->count * sizeof *p->frame);
    p->first = 0;
}

int tcf_pair_history_add(struct tcf_pair_history *h, uint32_t a, uint32_t b, struct trj_error *err) {
    struct pair *p = get_pair(h, (uint64_t)a << 32 | b, err);
    if (!p) return -1;
    const uint64_t last = p->count > p->first ? p->frame[p->count - 1] : 0;
    if (last == h->now) return 0;
    forget(h, p);
    if (trj_grow(&p->frame, &p->capacity, p->count + 1, sizeof *p->frame, "frames of pairs", err)) return -1;
    p->frame[p->count++] = h->now;
    if (last + 1 != h->now || last < h->run) p->since = h->now;
    h->members++;
    for (size_t i = p->first; i < p->count; i++) h->there[h->now - p->frame[i]]++;
    const uint64_t age = h->now - p->since;
    h->stayed[age < h->starts.lags ? age : h->starts.lags - 1]++;
    return 0;
}

// Removes the pairs that did not exist in the window, so that their number does not grow with the number of frames.
static void clean(struct tcf_pair_history *h) {
    size_t kept = 0;
    for (size_t i = 0; i < h->pairs; i++) {
        forget(h, &h->pair[i]);
        if (h->pair[i].first < h->pair[i].count)
            h->pair[kept++] = h->pair[i];
        else
            free(h->pair[i].frame);
    }
    h->pairs = kept;
    fill_table(h);
    h->next_cleaning = h->now + h->starts.lags;
}

void tcf_pair_history_end_frame(struct tcf_pair_history *h) {
    for (size_t k = h->starts.lags - 1; k; k--) h->stayed[k - 1] += h->stayed[k];
    tcf_starts_begin(&h->starts, h->members);
    for (size_t k = 0; k < tcf_starts_lags(&h->starts); k++) tcf_starts_set(&h->starts, k, h->there[k], h->stayed[k]);
    memset(h->there, 0, h->starts.lags * sizeof *h->there);
    memset(h->stayed, 0, h->starts.lags * sizeof *h->stayed);
    h->members = 0;
    h->now++;
    if (h->now >= h->next_cleaning) clean(h);
}

void tcf_pair_history_break(struct tcf_pair_history *h) {
    tcf_starts_break(&h->starts);
    h->run = h->now;
}

const struct tcf_records *tcf_pair_history_records(const struct tcf_pair_history *h) {
    return &h->starts.records;
}
