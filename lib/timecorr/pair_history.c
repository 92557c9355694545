// SPDX-License-Identifier: MIT
// Finds pairs in a hash table, and counts in which frames of the window they existed.
#include "pair_history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "start_frames.h"

// Frames without a gap, with the number 1 for the first frame of the stream.
struct stay {
    uint64_t first, last;
};

struct pair {
    uint64_t key;
    struct stay now, *earlier;     // the last one; [count] those before it, ascending
    size_t first, count, capacity; // those before `first` are older than the window
    size_t place;                  // in the order of the last frame in which it existed
};

struct tcf_pair_history {
    struct tcf_starts starts;
    uint64_t now, run; // numbers of the frame that is added, and of the first one of the run
    struct pair *pair; // [pairs]
    size_t pairs, capacity;
    size_t *table; // [size] number of a pair and 1; 0: empty. size is a power of two
    size_t size;
    // Pairs in the order in which they were added: of the frame before, and of this frame.
    size_t *before, *order; // [ordered_before], [ordered]
    size_t ordered_before, ordered, before_capacity, order_capacity;
    size_t expected;                // place in `before` of the pair that is expected next
    uint64_t members, *differences; // of the frame that is added; [lags + 1] counts less those of the lag before
    uint64_t *stayed;               // [lags] of them, by the lag up to which they stayed
    uint64_t next_cleaning;
};

int tcf_pair_history_open(struct tcf_pair_history **result, uint64_t max_lag, struct tcf_range range,
                          struct trj_error *err) {
    static const char what[] = "windows of pairs";
    struct tcf_pair_history *h = *result = trj_alloc(1, sizeof *h, what, err);
    if (!h) return -1;
    h->now = h->run = 1;
    h->next_cleaning = max_lag + 2;
    h->size = 1024;
    if (tcf_starts_open(&h->starts, max_lag, range, err) ||
        !(h->differences = trj_alloc(h->starts.lags + 1, sizeof *h->differences, what, err)) ||
        !(h->stayed = trj_alloc(h->starts.lags, sizeof *h->stayed, what, err)) ||
        !(h->table = trj_alloc(h->size, sizeof *h->table, what, err)))
        return -1;
    return 0;
}

void tcf_pair_history_close(struct tcf_pair_history *h) {
    if (!h) return;
    for (size_t i = 0; i < h->pairs; i++) free(h->pair[i].earlier);
    free(h->pair);
    free(h->before);
    free(h->order);
    free(h->table);
    free(h->differences);
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

// Pairs are found in similar orders in consecutive frames. Returns the one that is expected, or NULL for another one.
// The memory of those after it is requested early, because each is read for the first time in a frame.
static struct pair *get_expected(struct tcf_pair_history *h, uint64_t key) {
    enum { TRIED = 4, STAYS_AHEAD = 6, PAIRS_AHEAD = 12 };
    for (size_t i = h->expected; i < h->ordered_before && i < h->expected + TRIED; i++) {
        struct pair *p = &h->pair[h->before[i]];
        if (p->key != key) continue;
        h->expected = i + 1;
        if (i + PAIRS_AHEAD < h->ordered_before) __builtin_prefetch(&h->pair[h->before[i + PAIRS_AHEAD]]);
        if (i + STAYS_AHEAD < h->ordered_before) {
            const struct pair *ahead = &h->pair[h->before[i + STAYS_AHEAD]];
            __builtin_prefetch(ahead->earlier + ahead->first);
        }
        return p;
    }
    return NULL;
}

static struct pair *get_pair(struct tcf_pair_history *h, uint64_t key, struct trj_error *err) {
    struct pair *p = get_expected(h, key);
    if (p) return p;
    size_t place = find(h, key);
    if (h->table[place]) {
        p = &h->pair[h->table[place] - 1];
        if (p->now.last + 1 == h->now) h->expected = p->place + 1;
        return p;
    }
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

static uint64_t oldest_frame(const struct tcf_pair_history *h) {
    return h->now - h->run < h->starts.lags ? h->run : h->now + 1 - h->starts.lags;
}

// Removes the stays before the window.
static void forget(const struct tcf_pair_history *h, struct pair *p) {
    const uint64_t oldest = oldest_frame(h);
    while (p->first < p->count && p->earlier[p->first].last < oldest) p->first++;
    if (p->first < 64 || 2 * p->first < p->count) return;
    p->count -= p->first;
    memmove(p->earlier, p->earlier + p->first, p->count * sizeof *p->earlier);
    p->first = 0;
}

// Begins a stay of a pair.
static int begin_stay(const struct tcf_pair_history *h, struct pair *p, struct trj_error *err) {
    if (p->now.last >= oldest_frame(h)) {
        if (trj_grow(&p->earlier, &p->capacity, p->count + 1, sizeof *p->earlier, "frames of pairs", err)) return -1;
        p->earlier[p->count++] = p->now;
    }
    p->now = (struct stay){h->now, h->now};
    return 0;
}

// Counts the lags between the last frame and those of a stay.
static void count_stay(struct tcf_pair_history *h, const struct stay *s) {
    const uint64_t end = h->now - s->first + 1;
    h->differences[h->now - s->last]++;
    h->differences[end < h->starts.lags ? end : h->starts.lags]--;
}

int tcf_pair_history_add(struct tcf_pair_history *h, uint32_t a, uint32_t b, struct trj_error *err) {
    struct pair *p = get_pair(h, (uint64_t)a << 32 | b, err);
    if (!p) return -1;
    if (p->now.last == h->now) return 0;
    if (trj_grow(&h->order, &h->order_capacity, h->ordered + 1, sizeof *h->order, "pairs", err)) return -1;
    p->place = h->ordered;
    h->order[h->ordered++] = (size_t)(p - h->pair);
    forget(h, p);
    if (p->now.last >= h->run && p->now.last + 1 == h->now)
        p->now.last = h->now;
    else if (begin_stay(h, p, err))
        return -1;
    h->members++;
    count_stay(h, &p->now);
    for (size_t i = p->first; i < p->count; i++) count_stay(h, &p->earlier[i]);
    const uint64_t age = h->now - p->now.first;
    h->stayed[age < h->starts.lags ? age : h->starts.lags - 1]++;
    return 0;
}

int tcf_pair_history_add_set(struct tcf_pair_history *h, const double *member, size_t possible, struct trj_error *err) {
    for (size_t i = 0; i < possible; i++)
        if (member[i] != 0 && tcf_pair_history_add(h, (uint32_t)i, 0, err)) return -1;
    return 0;
}

// Removes the pairs that did not exist in the window, so that their number does not grow with the number of frames.
static void clean(struct tcf_pair_history *h) {
    size_t kept = 0;
    for (size_t i = 0; i < h->pairs; i++) {
        forget(h, &h->pair[i]);
        if (h->pair[i].now.last >= oldest_frame(h))
            h->pair[kept++] = h->pair[i];
        else
            free(h->pair[i].earlier);
    }
    h->pairs = kept;
    h->ordered_before = 0; // pairs have other places
    fill_table(h);
    h->next_cleaning = h->now + h->starts.lags;
}

// Makes the order of this frame that of the frame before.
static void exchange_orders(struct tcf_pair_history *h) {
    size_t *order = h->before;
    const size_t capacity = h->before_capacity;
    h->before = h->order;
    h->before_capacity = h->order_capacity;
    h->ordered_before = h->ordered;
    h->order = order;
    h->order_capacity = capacity;
    h->ordered = h->expected = 0;
}

int tcf_pair_history_end_frame(struct tcf_pair_history *h, struct trj_error *err) {
    for (size_t k = 1; k < h->starts.lags; k++) h->differences[k] += h->differences[k - 1];
    for (size_t k = h->starts.lags - 1; k; k--) h->stayed[k - 1] += h->stayed[k];
    if (tcf_starts_begin(&h->starts, h->members, err)) return -1;
    for (size_t k = 0; k < tcf_starts_lags(&h->starts); k++)
        tcf_starts_set(&h->starts, k, h->differences[k], h->stayed[k]);
    memset(h->differences, 0, (h->starts.lags + 1) * sizeof *h->differences);
    memset(h->stayed, 0, h->starts.lags * sizeof *h->stayed);
    h->members = 0;
    exchange_orders(h);
    h->now++;
    if (h->now >= h->next_cleaning) clean(h);
    return 0;
}

int tcf_pair_history_break(struct tcf_pair_history *h, struct trj_error *err) {
    h->run = h->now;
    return tcf_starts_break(&h->starts, err);
}

int tcf_pair_history_finish(struct tcf_pair_history *h, struct trj_error *err) {
    return tcf_starts_finish(&h->starts, err);
}

size_t tcf_pair_history_pairs(const struct tcf_pair_history *h) {
    return h->pairs;
}

const struct tcf_records *tcf_pair_history_records(const struct tcf_pair_history *h) {
    return &h->starts.records;
}
