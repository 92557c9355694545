// SPDX-License-Identifier: MIT
// Parses and prints units as products of powers, so that mapmath can derive the unit of a product or root.
#include "map_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct trj_map_unit unknown;

// Multiplies by symbol^power. Returns false if the unit would exceed the limits of struct trj_map_unit.
static bool multiply(struct trj_map_unit *u, const char *symbol, size_t length, int power) {
    unsigned i = 0;
    while (i < u->count && (strlen(u->factor[i].symbol) != length || memcmp(u->factor[i].symbol, symbol, length) != 0))
        i++;
    if (i == u->count) {
        if (i == TRJ_MAP_UNIT_FACTORS || length >= TRJ_MAP_UNIT_SYMBOL) return false;
        memcpy(u->factor[i].symbol, symbol, length);
        u->factor[i].symbol[length] = '\0';
        u->factor[i].power = 0;
        u->count++;
    }
    u->factor[i].power += power;
    if (abs(u->factor[i].power) > TRJ_MAP_UNIT_POWER_MAX) return false;
    if (!u->factor[i].power) u->factor[i] = u->factor[--u->count];
    return true;
}

// Reads the power after a symbol: "", "^-3", "-3" or "3". Returns 0 if it is invalid.
static int read_power(const char **at) {
    const char *c = *at;
    bool marked = *c == '^';
    c += marked;
    int sign = *c == '-' ? -1 : 1, value = 0;
    if (*c == '-' || *c == '+') c++;
    const char *digits = c;
    while (*c >= '0' && *c <= '9' && c < digits + 2) value = 10 * value + *c++ - '0';
    if (c == *at) return 1;
    *at = c;
    return sign * value;
}

static bool read_factors(struct trj_map_unit *u, const char *at) {
    int sign = 1;
    for (; *at; sign = 1) {
        at += strspn(at, " *");
        if (*at == '/') {
            sign = -1;
            at++;
        }
        at += strspn(at, " ");
        size_t length = strcspn(at, " */^+-0123456789");
        const char *symbol = at;
        if (!length && sign > 0 && *at == '1') { // as in "1/A^3"
            at++;
        } else if (length) {
            at += length;
            int power = read_power(&at);
            if (!power || !multiply(u, symbol, length, sign * power)) return false;
        } else if (*at || sign < 0) {
            return false;
        }
        if (!strchr(" */", *at)) return false;
    }
    return true;
}

struct trj_map_unit trj_map_unit_parse(const char *text) {
    struct trj_map_unit u = {.count = 0};
    size_t length = text ? strlen(text) : 0;
    if (!length || length > TRJ_MAP_TEXT_MAX) return unknown;
    if (!read_factors(&u, text)) {
        u = unknown;
        if (!multiply(&u, text, length, 1)) return unknown;
    }
    if (u.count) snprintf(u.text, sizeof u.text, "%s", text);
    return u;
}

bool trj_map_unit_same(const struct trj_map_unit *a, const struct trj_map_unit *b) {
    if (a->count != b->count) return false;
    for (unsigned i = 0; i < a->count; i++) {
        unsigned k = 0;
        while (k < b->count && strcmp(a->factor[i].symbol, b->factor[k].symbol) != 0) k++;
        if (k == b->count || a->factor[i].power != b->factor[k].power) return false;
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
            if (f->power * sign < 0) continue;
            char power[8] = "";
            if (f->power != 1) snprintf(power, sizeof power, "^%d", f->power);
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
        if (n && !multiply(&u, a->factor[i].symbol, strlen(a->factor[i].symbol), n * a->factor[i].power))
            return unknown;
    for (unsigned i = 0; i < b->count; i++)
        if (m && !multiply(&u, b->factor[i].symbol, strlen(b->factor[i].symbol), m * b->factor[i].power))
            return unknown;
    if (trj_map_unit_same(&u, a)) return *a;
    if (trj_map_unit_same(&u, b)) return *b;
    print(&u);
    return u;
}

struct trj_map_unit trj_map_unit_root(const struct trj_map_unit *a) {
    struct trj_map_unit u = *a;
    for (unsigned i = 0; i < u.count; i++) {
        if (u.factor[i].power % 2) return unknown;
        u.factor[i].power /= 2;
    }
    print(&u);
    return u;
}
