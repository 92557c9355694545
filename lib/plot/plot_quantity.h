// SPDX-License-Identifier: MIT
// Quantities in columns of tables, and how each of them is drawn. The name of a column is COLUMN(A:B), as g(O:H), or
// COLUMN(A); values of a residue are COLUMN(A)[RESIDUE].
#ifndef PLOT_QUANTITY_H
#define PLOT_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

enum plot_reference_line {
    PLOT_NO_LINE,
    PLOT_LINE_AT_ONE,
    PLOT_LINE_AT_ONE_OR_ZERO, // at 1 for a group with itself or by the definition of Faber and Ziman, else at 0
    PLOT_LINE_AT_ZERO,
};

struct plot_quantity {
    const char *column, *bracket; // "*" in column: any text; bracket: that between the brackets; NULL: any
    const char *name;             // for messages
    const char *symbol, *unit;    // for the label of the axis; unit "" if it has none
    const char *label;            // distinguishes several curves of one pair; NULL if there is only one
    enum plot_reference_line line;
    bool has_spikes;        // distances within molecules cause peaks that are far higher than the rest
    bool diverges_at_start; // the first rows may be far beyond the others, as S(q) where it is not resolved
    bool per_bin;           // the unit is the inverse of that of the axes
    bool is_angle;          // in degrees, from -180 to 180
    const char *classes;    // the values are numbers of classes, from 0: their names, separated by blanks; NULL: none
    bool cumulative;        // a sum up to the upper edge of the bin, which may be on the right axis
    bool integral;          // the integral of the column before it, up to the row; it is on the right axis
    bool log_axes;          // drawn on logarithmic axes, with the line of plot_correlation_fit
    bool on_request;        // drawn if an option names the whole column, or if the table has no other columns
    bool from_table;        // a comment of the table gives the unit, and the text of "*" is the label
};

// Returns the quantity of a column; NULL if the name is unknown. *group_pair is the text between the brackets, of
// *length bytes, and points into `column`. Of two rows that fit, the first one counts.
const struct plot_quantity *plot_quantity_find(const char *column, const char **group_pair, size_t *length);
// Returns the quantity of a column of trjcorr conductivity(...), which has the same name for displacements and for the
// current, but another unit (NULL: unknown). Returns q for all others.
const struct plot_quantity *plot_quantity_of_current(const struct plot_quantity *q, const char *unit);
// Returns the name of the residue of a column, as "A:LYS12]"; NULL if it is of none.
const char *plot_residue_find(const char *column);
// Returns whether symbol and unit are equal, so that both can be on one axis.
bool plot_quantity_shares_axis(const struct plot_quantity *a, const struct plot_quantity *b);

// Returns the label of the horizontal axis for the name of the first column, "r / Å" for r; NULL if it is unknown.
const char *plot_axis_find(const char *column);

#endif
