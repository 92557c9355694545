// SPDX-License-Identifier: MIT
// What columns of tables hold, and how that is drawn. A column of a quantity is called COLUMN(A:B), as "g(O:H)"; COLUMN(A) does, too.
#ifndef PLOT_QUANTITY_H
#define PLOT_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

enum plot_reference_line {
    PLOT_NO_LINE,
    PLOT_LINE_AT_ONE, // a line at 1
    PLOT_LINE_AT_ONE_OR_ZERO, // at 1 for a group with itself; for two at 0, unless the table says that they are Faber's and Ziman's
    PLOT_LINE_AT_ZERO,
};

struct plot_quantity {
    const char *column, *of;   // of: the only text between the brackets; NULL: any
    const char *name;          // in messages
    const char *symbol, *unit; // of the axis, unit "" for none; what has both in common shares an axis
    const char *label;         // tells its curve from others of a pair; NULL where there is no other
    enum plot_reference_line limit;
    bool has_spikes; // distances within molecules make peaks that dwarf the rest
    bool start;      // the first rows may be far beyond the rest: S(q) where nothing is resolved
    bool cumulative; // adds up to the upper edge of the bin, and may stand on the second axis
};

// Which one a column is of; NULL: none. *of is the text between the brackets, *length its bytes.
const struct plot_quantity *plot_quantity_find(const char *column, const char **of, size_t *length);
bool plot_quantity_shares_axis(const struct plot_quantity *a,
                               const struct plot_quantity *b); // whether they share an axis

// What the first column is called on the axis: "r / Å". NULL: such a table is not drawn.
const char *plot_axis_find(const char *column);

#endif
