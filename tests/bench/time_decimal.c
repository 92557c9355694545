// SPDX-License-Identifier: MIT
// Times how lib/base writes and reads decimal numbers, and how the C library does the same: `time_decimal`. It prints a
// line of tab-separated columns for each function, from the fastest of several rounds in which both take turns:
//
//     1 function   2 C library   3 its nanoseconds a number   4 ours   5 how many times as fast ours is
//
// Both must give the same characters or values; a difference is an error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "memory.h"
#include "number.h"
#include "tool.h"

enum { NUMBERS = 100000, ROOM = 32, WIDTH = 8 };

static uint64_t rounds = 15;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "rounds", COUNT, &rounds, "N", "number of rounds"), .min = 1, .max = 1 << 20}, TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "time_decimal",
                                     .purpose = "time decimal numbers, compared with the C library",
                                     .operands = "",
                                     .options = options};

// Numbers as trajectories and tables contain them, and buffers for the results of both sides.
struct numbers {
    float coordinate[NUMBERS]; // of atoms in a cell of 100 Å
    double value[NUMBERS];     // of a table, as g(r)
    char fixed[NUMBERS][ROOM], general[NUMBERS][ROOM], integer[NUMBERS][ROOM];
    struct result {
        char text[NUMBERS][ROOM];
        double value[NUMBERS];
    } ours, theirs;
};

static void end_text(char *text, size_t length) {
    text[length] = 0;
}

static void print_fixed(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        if (!ours)
            snprintf(r->text[i], ROOM, "%*.*f", WIDTH, 3, (double)x->coordinate[i]);
        else if (trj_print_fixed(r->text[i], WIDTH, 3, (double)x->coordinate[i]))
            end_text(r->text[i], WIDTH);
    }
}

static void print_general(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        if (ours)
            end_text(r->text[i], trj_print_general(r->text[i], 10, x->value[i]));
        else
            snprintf(r->text[i], ROOM, "%.*g", 10, x->value[i]);
    }
}

// The C library has no function that prints the fewest digits.
static void print_float(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        if (ours) {
            end_text(r->text[i], trj_print_float(r->text[i], x->coordinate[i]));
            continue;
        }
        for (int digits = 6; digits <= 9; digits++) {
            snprintf(r->text[i], ROOM, "%.*g", digits, (double)x->coordinate[i]);
            if (strtof(r->text[i], NULL) == x->coordinate[i]) break;
        }
    }
}

static void scan_columns(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        float v = 0;
        if (!ours || !trj_scan_columns(x->fixed[i], WIDTH, &v)) v = strtof(x->fixed[i], NULL);
        r->value[i] = (double)v;
    }
}

static void scan_float(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        float v = 0;
        const char *text = x->fixed[i] + strspn(x->fixed[i], " ");
        if (ours)
            trj_scan_float(text, &v);
        else
            v = strtof(text, NULL);
        r->value[i] = (double)v;
    }
}

static void scan_real(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        if (ours)
            trj_scan_real(x->general[i], &r->value[i]);
        else
            r->value[i] = strtod(x->general[i], NULL);
    }
}

static void scan_i64(struct numbers *x, struct result *r, bool ours) {
    for (size_t i = 0; i < NUMBERS; i++) {
        int64_t v = 0;
        if (ours)
            trj_scan_i64(x->integer[i], &v);
        else
            v = strtoll(x->integer[i], NULL, 10);
        r->value[i] = (double)v;
    }
}

static const struct {
    const char *name, *library;
    void (*run)(struct numbers *x, struct result *r, bool ours);
} functions[] = {
    {"trj_print_fixed", "snprintf %8.3f", print_fixed},
    {"trj_print_general", "snprintf %.10g", print_general},
    {"trj_print_float", "snprintf %.6g ... %.9g, strtof", print_float},
    {"trj_scan_columns", "strtof, 8.3f", scan_columns},
    {"trj_scan_float", "strtof, 8.3f", scan_float},
    {"trj_scan_real", "strtod, .10g", scan_real},
    {"trj_scan_i64", "strtoll", scan_i64},
};

static void make_numbers(struct numbers *x) {
    uint64_t state = 1;
    for (size_t i = 0; i < NUMBERS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u; // D. E. Knuth, MMIX
        double u = (double)(state >> 11) * 0x1p-53;
        x->coordinate[i] = (float)(100 * u);
        x->value[i] = 3 * u * u;
        snprintf(x->fixed[i], ROOM, "%*.*f", WIDTH, 3, (double)x->coordinate[i]);
        snprintf(x->general[i], ROOM, "%.10g", x->value[i]);
        snprintf(x->integer[i], ROOM, "%zu", i);
    }
}

static int time_functions(struct numbers *x, struct trj_error *err) {
    make_numbers(x);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        double best[2] = {0};
        memset(&x->ours, 0, sizeof x->ours);
        memset(&x->theirs, 0, sizeof x->theirs);
        for (uint64_t i = 0; i < 2 * rounds; i++) {
            bool ours = i % 2;
            double start = trj_seconds();
            functions[k].run(x, ours ? &x->ours : &x->theirs, ours);
            double seconds = trj_seconds() - start;
            if (i < 2 || seconds < best[ours]) best[ours] = seconds;
        }
        for (size_t i = 0; i < NUMBERS; i++)
            if (strcmp(x->ours.text[i], x->theirs.text[i]) || x->ours.value[i] != x->theirs.value[i])
                return trj_fail(err, TRJ_FAILED, "%s: number %zu differs from the C library", functions[k].name, i);
        printf("%s\t%s\t%.1f\t%.1f\t%.1f\n", functions[k].name, functions[k].library, 1e9 * best[0] / NUMBERS,
               1e9 * best[1] / NUMBERS, best[0] / best[1]);
    }
    return fflush(stdout) ? trj_fail_errno(err, "stdout") : 0;
}

int main(int argc, char **argv) {
    struct trj_error err;
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    struct numbers *x = rc > 0 ? trj_alloc(1, sizeof *x, "numbers", &err) : NULL;
    rc = x ? time_functions(x, &err) : -1;
    free(x);
    return rc ? trj_tool_fail(&err) : 0;
}
