// SPDX-License-Identifier: MIT
// Contains the units of lengths, times and angles that files name, with their synonyms.
#include "units.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name; // also with a plural s
    double value;
};

static const struct unit lengths[] = {
    {"angstrom", 1},     {"A", 1},          {"\xc3\x85", 1},     {"\xe2\x84\xab", 1}, // the letter Å, and the sign
    {"nm", 10},          {"nanometer", 10}, {"nanometre", 10},   {"pm", 0.01},
    {"picometer", 0.01}, {"um", 1e4},       {"micrometer", 1e4}, {"cm", 1e8},
    {"centimeter", 1e8}, {"m", 1e10},       {"meter", 1e10},     {"bohr", TRJ_BOHR},
    {"lj", 1},           {"sigma", 1}, // a reduced unit is used as if it were 1 Å
    {NULL, 0},
};

static const struct unit times[] = {
    {"ps", 1},           {"picosecond", 1}, {"fs", 1e-3},         {"femtosecond", 1e-3}, {"ns", 1e3},
    {"nanosecond", 1e3}, {"us", 1e6},       {"microsecond", 1e6}, {"ms", 1e9},           {"millisecond", 1e9},
    {"s", 1e12},         {"second", 1e12},  {"as", 1e-6},         {"attosecond", 1e-6},  {NULL, 0},
};

static const struct unit angles[] = {
    {"degree", 1}, {"deg", 1}, {"radian", 57.29577951308232}, {"rad", 57.29577951308232}, {NULL, 0}};

static bool find(const struct unit *units, const char *name, double *value) {
    for (const struct unit *u = units; u->name; u++) {
        size_t n = strlen(u->name);
        bool same = n <= 2 ? !strcmp(name, u->name) : !strncasecmp(name, u->name, n) && !name[n + (name[n] == 's')];
        if (!same) continue;
        *value = u->value;
        return true;
    }
    return false;
}

bool trj_unit_length(const char *name, double *angstrom) {
    return find(lengths, name, angstrom);
}

bool trj_unit_time(const char *name, double *ps) {
    return find(times, name, ps);
}

bool trj_unit_angle(const char *name, double *degrees) {
    return find(angles, name, degrees);
}

bool trj_unit_velocity(const char *name, double *angstrom_per_ps) {
    char length[32], time[32];
    size_t n = strcspn(name, "/ ");
    const char *second = name + n + strspn(name + n, "/ ");
    bool quotient = memchr(name + n, '/', (size_t)(second - name) - n);
    size_t m = quotient ? strcspn(second, " ") : strcspn(second, "-^ ");
    const char *power = second + m;
    double angstrom, ps;
    if (!quotient && strcmp(power, "-1") && strcmp(power, "^-1")) return false;
    if ((quotient && *power) || !n || !m || n >= sizeof length || m >= sizeof time) return false;
    memcpy(length, name, n);
    length[n] = 0;
    memcpy(time, second, m);
    time[m] = 0;
    if (!strcmp(length, "lj") || !strcmp(length, "sigma") || !trj_unit_length(length, &angstrom) ||
        !trj_unit_time(time, &ps))
        return false;
    *angstrom_per_ps = angstrom / ps;
    return true;
}
