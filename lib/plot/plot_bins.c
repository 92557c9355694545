// SPDX-License-Identifier: MIT
// Writes units of tables with the symbols that figures use, and their inverses.
#include "plot_bins.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "plot_quantity.h"

enum { UNIT = PLOT_UNIT };

void plot_unit_print(char to[PLOT_UNIT], const char *unit) {
    static const char *const symbols[][2] = {{"Angstrom", "Å"}, {"degrees", "°"}, {"debye", "D"}, {"^2", "²"},
                                             {"^3", "³"},       {"^4", "⁴"},      {"^6", "⁶"}};
    size_t n = 0;
    to[0] = 0;
    if (!strcmp(unit, "1")) return;
    while (*unit && n + 8 < UNIT) {
        size_t length = 1;
        const char *symbol = NULL;
        for (size_t i = 0; i < sizeof symbols / sizeof *symbols && !symbol; i++)
            if (!strncmp(unit, symbols[i][0], strlen(symbols[i][0]))) {
                symbol = symbols[i][1];
                length = strlen(symbols[i][0]);
            }
        n += (size_t)(symbol ? snprintf(to + n, UNIT - n, "%s", symbol) : snprintf(to + n, UNIT - n, "%c", *unit));
        unit += length;
    }
}

char *plot_bins_label(const struct curve_bin_axis *a, struct trj_error *err) {
    char column[200], unit[UNIT], label[400];
    const char *pair;
    size_t length;
    snprintf(column, sizeof column, "%s()", a->name);
    const struct plot_quantity *q = plot_quantity_find(column, &pair, &length);
    plot_unit_print(unit, a->unit);
    snprintf(label, sizeof label, "%s%s%s", q ? q->symbol : a->name, *unit ? " / " : "", unit);
    return trj_copy_text(label, err);
}

char *plot_density_unit(const struct plot_bins *bins, size_t axes, struct trj_error *err) {
    char unit[2][UNIT] = {"", ""}, text[3 * UNIT] = "";
    for (size_t i = 0; i < axes; i++) plot_unit_print(unit[i], bins[i].axis.unit);
    bool same = axes == 2 && !strcmp(unit[0], unit[1]);
    for (size_t i = 0; i < (same ? 1 : axes); i++) {
        // A unit with an exponent or a product needs parentheses.
        bool simple = !strstr(unit[i], "²") && !strstr(unit[i], "³") && !strpbrk(unit[i], "/ ");
        size_t n = strlen(text);
        if (*unit[i])
            snprintf(text + n, sizeof text - n, "%s%s%s%s%s", n ? " " : "", simple ? "" : "(", unit[i],
                     simple ? "" : ")", same ? "⁻²" : "⁻¹");
    }
    return trj_copy_text(text, err);
}
