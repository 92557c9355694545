// SPDX-License-Identifier: MIT
// Parses and prints units as products of powers, so that mapmath can derive the unit of a product or root.
#include "map_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

static const struct trj_map_unit unknown;

// Multiplies by symbol^(halves/2). Returns false if the unit would exceed the limits of struct trj_map_unit.
static bool multiply(struct trj_map_unit *u, const char *symbol, size_t length, int halves) {
    unsigned i = 0;
    while (i < u->count && (strlen(u->factor[i].symbol) != length || memcmp(u->factor[i].symbol, symbol, length) != 0))
        i++;
    if (i == u->count) {
        if (i == TRJ_MAP_UNIT_FACTORS || length >= TRJ_MAP_UNIT_SYMBOL) return false;
        memcpy(u->factor[i].symbol, symbol, length);
        u->factor[i].symbol[length] = '\0';
        u->factor[i].halves = 0;
        u->count++;
    }
    u->factor[i].halves += halves;
    if (abs(u->factor[i].halves) > 2 * TRJ_MAP_UNIT_POWER_MAX) return false;
    if (!u->factor[i].halves) u->factor[i] = u->factor[--u->count];
    return true;
}

// Reads the power after a symbol: "", "^-3", "-3", "3" or "^-3/2". Returns twice the power, or 0 if it is invalid.
static int read_power(const char **text) {
    const char *c = *text;
    bool marked = *c == '^';
    c += marked;
    int sign = *c == '-' ? -1 : 1, value = 0;
    if (*c == '-' || *c == '+') c++;
    const char *digits = c;
    while (*c >= '0' && *c <= '9' && c < digits + 2) value = 10 * value + *c++ - '0';
    if (c == *text) return 2;
    bool half = value % 2 && c[0] == '/' && c[1] == '2' && strchr(" */", c[2]);
    *text = half ? c + 2 : c;
    return sign * value * (half ? 1 : 2);
}

static bool read_factors(struct trj_map_unit *u, const char *text) {
    int sign = 1;
    for (; *text; sign = 1) {
        text += strspn(text, " *");
        if (*text == '/') {
            sign = -1;
            text++;
        }
        text += strspn(text, " ");
        size_t length = strcspn(text, " */^+-0123456789");
        const char *symbol = text;
        if (!length && sign > 0 && *text == '1') { // as in "1/A^3"
            text++;
        } else if (length) {
            text += length;
            int halves = read_power(&text);
            if (!halves || !multiply(u, symbol, length, sign * halves)) return false;
        } else if (*text || sign < 0) {
            return false;
        }
        if (!strchr(" */", *text)) return false;
    }
    return true;
}

struct trj_map_unit trj_map_unit_parse(const char *text) {
    struct trj_map_unit u = {.count = 0};
    size_t length = text ? strlen(text) : 0;
    if (!length || length > TRJ_MAP_TEXT_MAX) return unknown;
    if (!read_factors(&u, text)) {
        u = unknown;
        if (!multiply(&u, text, length, 2)) return unknown;
    }
    if (u.count) snprintf(u.text, sizeof u.text, "%s", text);
    return u;
}

bool trj_map_unit_same(const struct trj_map_unit *a, const struct trj_map_unit *b) {
    if (a->count != b->count) return false;
    for (unsigned i = 0; i < a->count; i++) {
        unsigned k = 0;
        while (k < b->count && strcmp(a->factor[i].symbol, b->factor[k].symbol) != 0) k++;
        if (k == b->count || a->factor[i].halves != b->factor[k].halves) return false;
    }
    return true;
}

// Sets the text of a unit, with positive powers first: "e A^-3".
static void print(struct trj_map_unit *u) {
    size_t used = 0;
    u->text[0] = '\0';
    for (int sign = 1; sign >= -1; sign -= 2)
        for (unsigned i = 0; i < u->count; i++) {
            const struct trj_map_unit_factor *f = &u->factor[i];
            if (f->halves * sign < 0) continue;
            char power[16] = "";
            if (f->halves % 2)
                snprintf(power, sizeof power, "^%d/2", f->halves);
            else if (f->halves != 2)
                snprintf(power, sizeof power, "^%d", f->halves / 2);
            int n = snprintf(u->text + used, sizeof u->text - used, "%s%s%s", used ? " " : "", f->symbol, power);
            if (n < 0 || (used += (size_t)n) >= sizeof u->text) {
                *u = unknown;
                return;
            }
        }
}

struct trj_map_unit trj_map_unit_product(const struct trj_map_unit *a, int n, const struct trj_map_unit *b, int m) {
    struct trj_map_unit u = {.count = 0};
    for (unsigned i = 0; i < a->count; i++)
        if (n && !multiply(&u, a->factor[i].symbol, strlen(a->factor[i].symbol), n * a->factor[i].halves))
            return unknown;
    for (unsigned i = 0; i < b->count; i++)
        if (m && !multiply(&u, b->factor[i].symbol, strlen(b->factor[i].symbol), m * b->factor[i].halves))
            return unknown;
    if (trj_map_unit_same(&u, a)) return *a;
    if (trj_map_unit_same(&u, b)) return *b;
    print(&u);
    return u;
}

struct trj_map_unit trj_map_unit_root(const struct trj_map_unit *a) {
    struct trj_map_unit u = *a;
    for (unsigned i = 0; i < u.count; i++) {
        if (u.factor[i].halves % 2) return unknown;
        u.factor[i].halves /= 2;
    }
    print(&u);
    return u;
}

bool trj_map_unit_is_of_orbital(const struct trj_map_unit *u) {
    double length;
    return u->count == 1 && u->factor->halves == -3 && trj_unit_length(u->factor->symbol, &length);
}

double trj_map_unit_length(const char *unit, const char **name) {
    static const char bohr[] = "bohr";
    struct trj_map_unit u = trj_map_unit_parse(unit);
    unsigned i = 0;
    while (i < u.count && strcmp(u.factor[i].symbol, bohr) != 0) i++;
    *name = i < u.count ? bohr : "A";
    return i < u.count ? TRJ_BOHR : 1;
}
