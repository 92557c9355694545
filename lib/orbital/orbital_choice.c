// SPDX-License-Identifier: MIT
// Parses the words with which users choose orbitals.
#include "orbital_choice.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"
#include "nearest_name.h"
#include "number.h"
#include "orbital_order.h"

enum { WORD_CAPACITY = 48, LABELS_LISTED = 12 };

struct parser {
    const struct orb_wave_function *w;
    struct orb_choice *choice;
    size_t capacity;
    bool has_energies;
    bool *numbered;            // [w->orbitals] already chosen by number
    struct orb_order order[2]; // of alpha and beta orbitals
    // The current word.
    char word[WORD_CAPACITY];
    size_t position;          // of its first character, from 1
    char core[WORD_CAPACITY]; // without the spin
    bool has_spin;
    enum orb_spin spin;
};

#define fail_word(p, err, status, ...)                                                                                 \
    (trj_error_set((err), (status), "'%s' at character %zu: ", (p)->word, (p)->position),                              \
     trj_error_append((err), __VA_ARGS__), trj_failed())

static const char *spin_name(const struct parser *p, enum orb_spin spin) {
    return spin == ORB_BETA ? "beta " : p->w->has_beta ? "alpha " : "";
}

static void set_title(const struct parser *p, struct orb_chosen *c) {
    const struct orb_orbital *o = &p->w->orbital[c->orbital];
    int n = snprintf(c->title, sizeof c->title, "%s: orbital %zu", c->name, c->orbital + 1);
    if (p->w->has_beta)
        n += snprintf(c->title + n, sizeof c->title - (size_t)n, ", %s", o->spin == ORB_BETA ? "beta" : "alpha");
    n += snprintf(c->title + n, sizeof c->title - (size_t)n, ", occupation %.6g", o->occupation);
    if (p->has_energies) n += snprintf(c->title + n, sizeof c->title - (size_t)n, ", energy %.6g hartree", o->energy);
    if (*o->label) snprintf(c->title + n, sizeof c->title - (size_t)n, ", label %s", o->label);
}

// Adds an orbital. Without a name, it is named by its number.
static int add(struct parser *p, size_t orbital, const char *name, struct trj_error *err) {
    struct orb_choice *choice = p->choice;
    if (trj_grow(&choice->chosen, &p->capacity, choice->count + 1, sizeof *choice->chosen, "chosen orbitals", err))
        return -1;
    struct orb_chosen *c = &choice->chosen[choice->count];
    bool is_repeated = !name && p->numbered[orbital];
    *c = (struct orb_chosen){.orbital = orbital};
    if (name)
        snprintf(c->name, sizeof c->name, "%.30s%s", name, p->has_spin && p->spin == ORB_BETA ? "b" : "");
    else
        snprintf(c->name, sizeof c->name, "mo%zu", orbital + 1);
    for (size_t k = 0; name && k < choice->count; k++)
        if (!strcmp(choice->chosen[k].name, c->name)) is_repeated = true;
    if (is_repeated)
        return fail_word(p, err, TRJ_USAGE, "orbital %zu is already chosen; give each orbital once", orbital + 1);
    if (!name) p->numbered[orbital] = true;
    set_title(p, c);
    choice->count++;
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- numbers

// Returns the number of the k-th orbital, or of the k-th one of the spin; both are from 0. SIZE_MAX: none.
static size_t orbital_of_number(const struct parser *p, uint64_t k) {
    if (!p->has_spin) return k < p->w->orbitals ? (size_t)k : SIZE_MAX;
    for (size_t o = 0; o < p->w->orbitals; o++)
        if (p->w->orbital[o].spin == p->spin && !k--) return o;
    return SIZE_MAX;
}

static int add_numbers(struct parser *p, uint64_t first, uint64_t last, struct trj_error *err) {
    const size_t count = p->has_spin ? p->order[p->spin].count : p->w->orbitals;
    if (first > last) return fail_word(p, err, TRJ_USAGE, "invalid range: START must not be greater than END");
    if (first == 0) return fail_word(p, err, TRJ_USAGE, "orbitals are counted from 1");
    if (last > count)
        return fail_word(p, err, TRJ_BAD_DATA, "the file has the %sorbitals 1 to %zu",
                         p->has_spin ? spin_name(p, p->spin) : "", count);
    for (uint64_t k = first; k <= last; k++)
        if (add(p, orbital_of_number(p, k - 1), NULL, err)) return -1;
    return 0;
}

// ------------------------------------------------------------------------------------------------------- HOMO and LUMO

// Adds the orbital at a position of the order, which is relative to the LUMO.
static int add_frontier(struct parser *p, int64_t offset, struct trj_error *err) {
    const struct orb_order *o = &p->order[p->spin];
    const int64_t occupied = (int64_t)o->occupied, others = (int64_t)(o->count - o->occupied);
    for (size_t k = 0; k < 4; k++) p->core[k] = (char)tolower((unsigned char)p->core[k]);
    if (offset >= -occupied && offset < others) return add(p, o->orbital[(size_t)(occupied + offset)], p->core, err);
    const char *spin = spin_name(p, p->spin), *kind = offset < 0 ? "occupied" : "unoccupied";
    const char *name = offset < 0 ? "homo" : "lumo";
    const int64_t n = offset < 0 ? occupied : others;
    if (n < 1) return fail_word(p, err, TRJ_BAD_DATA, "the file has no %s %sorbitals", kind, spin);
    (void)fail_word(p, err, TRJ_BAD_DATA, "the file has %lld %s %sorbitals: %s", (long long)n, kind, spin, name);
    if (n > 1) trj_error_append(err, " to %s%c%lld", name, offset < 0 ? '-' : '+', (long long)n - 1);
    return -1;
}

// Reads "+2", "-1" or nothing.
static bool read_offset(const char *text, int64_t *offset) {
    *offset = 0;
    if (!*text) return true;
    return (*text == '+' || *text == '-') && isdigit((unsigned char)text[1]) &&
           trj_parse_i64(text + (*text == '+'), offset) && *offset > -INT32_MAX && *offset < INT32_MAX;
}

// -------------------------------------------------------------------------------------------- singly occupied orbitals

static bool is_singly_occupied(const struct orb_orbital *o) {
    return fabs(o->occupation - 1) < ORB_WHOLE;
}

// Adds the orbitals with one electron beside those with two. Where each orbital has at most one electron, in files with
// beta orbitals or without occupations of two, the word has no meaning.
static int add_singly_occupied(struct parser *p, struct trj_error *err) {
    const struct orb_wave_function *w = p->w;
    size_t count = 0;
    for (size_t k = 0; k < w->orbitals; k++) count += is_singly_occupied(&w->orbital[k]);
    if (w->has_beta)
        return fail_word(p, err, TRJ_BAD_DATA,
                         "the file has alpha and beta orbitals, each for one electron; the highest occupied ones are "
                         "homo:a and homo:b");
    if (!count || orb_full_occupation(w) < 2)
        return fail_word(p, err, TRJ_BAD_DATA,
                         "the file has no orbital with one electron beside orbitals with two; give homo");
    for (size_t k = 0; k < w->orbitals; k++)
        if (is_singly_occupied(&w->orbital[k]) && add(p, k, count == 1 ? "somo" : NULL, err)) return -1;
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- labels

static size_t count_labels(const struct parser *p, const char *label, int (*compare)(const char *, const char *)) {
    size_t n = 0;
    for (size_t o = 0; o < p->w->orbitals; o++)
        n += p->w->orbital[o].spin == p->spin && !compare(p->w->orbital[o].label, label);
    return n;
}

static int fail_label(const struct parser *p, struct trj_error *err) {
    static const char *const names[] = {"homo", "lumo", "somo", NULL};
    const char *nearest = trj_nearest_name(p->core, names);
    size_t listed = 0;
    (void)fail_word(p, err, TRJ_BAD_DATA, "the file has no such symmetry label");
    for (size_t o = 0; o < p->w->orbitals && listed < LABELS_LISTED; o++) {
        const struct orb_orbital *orbital = &p->w->orbital[o];
        bool is_new = *orbital->label && orbital->spin == p->spin;
        for (size_t k = 0; k < o && is_new; k++) is_new = strcmp(p->w->orbital[k].label, orbital->label) != 0;
        if (is_new) trj_error_append(err, "%s%s", listed++ ? ", " : "; those of its orbitals are ", orbital->label);
    }
    if (listed == LABELS_LISTED) trj_error_append(err, ", ...");
    if (nearest)
        trj_error_append(err, "; did you mean %s?", nearest);
    else
        trj_error_append(err, "; give homo, lumo, a number, a range such as 5:12%s", listed ? ", or a label" : "");
    return -1;
}

// Returns whether a label can be part of the name of a file, and differs from those that consist of "mo" and a number.
static bool is_good_name(const char *label) {
    for (const char *c = label; *c; c++)
        if (!isalnum((unsigned char)*c) && (c == label || !strchr("+-.", *c))) return false;
    return strncasecmp(label, "mo", 2) != 0;
}

// Adds the n-th orbital with a label, n from 1, in the order of energies.
static int add_nth_of_label(struct parser *p, uint64_t n, const char *label, struct trj_error *err) {
    const struct orb_order *o = &p->order[p->spin];
    for (size_t k = 0; k < o->count; k++)
        if (!strcasecmp(p->w->orbital[o->orbital[k]].label, label) && !--n)
            return add(p, o->orbital[k], is_good_name(p->core) ? p->core : NULL, err);
    return fail_word(p, err, TRJ_BAD_DATA, "the file has %zu %sorbitals with the label %s",
                     count_labels(p, label, strcasecmp), spin_name(p, p->spin), label);
}

static int add_label(struct parser *p, struct trj_error *err) {
    int (*compare)(const char *, const char *) = count_labels(p, p->core, strcmp) ? strcmp : strcasecmp;
    const size_t n = count_labels(p, p->core, compare);
    const size_t digits = strspn(p->core, "0123456789");
    uint64_t number = 0;
    if (!n && digits && digits < 9 && p->core[digits] && count_labels(p, p->core + digits, strcasecmp)) {
        for (size_t k = 0; k < digits; k++) number = 10 * number + (uint64_t)(p->core[k] - '0');
        if (!number) return fail_word(p, err, TRJ_USAGE, "orbitals are counted from 1");
        return add_nth_of_label(p, number, p->core + digits, err);
    }
    if (!n) return fail_label(p, err);
    bool has_name = n == 1 && is_good_name(p->core);
    for (size_t o = 0; o < p->w->orbitals; o++)
        if (p->w->orbital[o].spin == p->spin && !compare(p->w->orbital[o].label, p->core) &&
            add(p, o, has_name ? p->core : NULL, err))
            return -1;
    return 0;
}

// --------------------------------------------------------------------------------------------------------------- words

// Removes ":a" or ":b" from the end of the word.
static int take_spin(struct parser *p, struct trj_error *err) {
    size_t n = strlen(p->word);
    snprintf(p->core, sizeof p->core, "%s", p->word);
    p->has_spin = n > 2 && p->word[n - 2] == ':' && strchr("aAbB", p->word[n - 1]);
    p->spin = ORB_ALPHA;
    if (!p->has_spin) return 0;
    p->core[n - 2] = '\0';
    if (tolower((unsigned char)p->word[n - 1]) == 'b') p->spin = ORB_BETA;
    if (p->spin == ORB_BETA && !p->w->has_beta)
        return fail_word(p, err, TRJ_BAD_DATA, "the file has no beta orbitals; give '%s'", p->core);
    return 0;
}

static int add_word(struct parser *p, struct trj_error *err) {
    uint64_t first, last;
    int64_t offset;
    char *colon;
    if (take_spin(p, err)) return -1;
    if (trj_parse_u64(p->core, &first)) return add_numbers(p, first, first, err);
    colon = strchr(p->core, ':');
    if (colon) {
        *colon = '\0';
        if (trj_parse_u64(p->core, &first) && trj_parse_u64(colon + 1, &last)) return add_numbers(p, first, last, err);
        return fail_word(p, err, TRJ_USAGE, "expected numbers, such as 5:12, or a spin, as in homo:b");
    }
    if (!strcasecmp(p->core, "somo")) return add_singly_occupied(p, err);
    bool homo = !strncasecmp(p->core, "homo", 4), lumo = !strncasecmp(p->core, "lumo", 4);
    if ((homo || lumo) && read_offset(p->core + 4, &offset)) return add_frontier(p, offset - homo, err);
    return add_label(p, err);
}

static int add_words(struct parser *p, const char *words, struct trj_error *err) {
    for (const char *from = words, *end; from; from = *end ? end + 1 : NULL) {
        end = from + strcspn(from, ",");
        p->position = (size_t)(from - words) + 1;
        size_t n = (size_t)(end - from);
        if (!n)
            return trj_fail(err, TRJ_USAGE, "missing word at character %zu; example: homo,lumo+1,5:12", p->position);
        if (n >= WORD_CAPACITY)
            return trj_fail(err, TRJ_USAGE, "word at character %zu: longer than %d characters", p->position,
                            WORD_CAPACITY - 1);
        memcpy(p->word, from, n);
        p->word[n] = '\0';
        if (add_word(p, err)) return -1;
    }
    return 0;
}

int orb_choice_make(struct orb_choice *c, const struct orb_wave_function *w, const char *words, struct trj_error *err) {
    struct parser p = {.w = w, .choice = c, .has_energies = orb_has_energies(w)};
    *c = (struct orb_choice){0};
    int rc = orb_order_make(&p.order[ORB_ALPHA], w, ORB_ALPHA, err);
    if (!rc) rc = orb_order_make(&p.order[ORB_BETA], w, ORB_BETA, err);
    if (!rc && !(p.numbered = trj_alloc(w->orbitals, sizeof *p.numbered, "chosen orbitals", err))) rc = -1;
    if (!rc) rc = add_words(&p, words, err);
    free(p.numbered);
    orb_order_free(&p.order[ORB_ALPHA]);
    orb_order_free(&p.order[ORB_BETA]);
    return rc;
}

void orb_choice_free(struct orb_choice *c) {
    free(c->chosen);
    *c = (struct orb_choice){0};
}
