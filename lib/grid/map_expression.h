// SPDX-License-Identifier: MIT
// Arithmetic with the values of maps: parses an expression such as "a - 0.5 * b" and evaluates it point by point.
//
//   operators, from the lowest precedence to the highest: or, and, not, < <= > >= == !=, + -, * /, unary -, ^ (or **)
//   log(x) exp(x) sqrt(x) abs(x) min(x, y, ...) max(x, y, ...) if(condition, x, y) number(x) nan inf
//
// The logarithm is the natural one. Exponents are integers. Conditions are 1 if true and 0 if false; every number but 0
// is true. number(x) is x without its unit. The result is unknown (NaN) if an operand is; only if() ignores the value
// that it does not select.
//
// All operations are those of IEEE 754 in float64, or functions of elementary.h, so that results have the same bytes on
// every machine.
#ifndef TRJ_MAP_EXPRESSION_H
#define TRJ_MAP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "map_unit.h"

struct trj_map_expression;

enum { TRJ_MAP_EXPRESSION_DEPTH = 100, TRJ_MAP_EXPRESSION_STEPS = 10000, TRJ_MAP_POWER_MAX = 64 };

// Parses a text in which the `count` names are variables. Fails with TRJ_USAGE if it is invalid, is nested more than
// TRJ_MAP_EXPRESSION_DEPTH levels deep, or has more than TRJ_MAP_EXPRESSION_STEPS operations. The message gives the
// position of the character, counted from 1.
int trj_map_expression_parse(struct trj_map_expression **e, const char *text, const char *const *names, size_t count,
                             struct trj_error *err);
// Returns whether a name can be a variable: it consists of letters, digits and '_', does not begin with a digit, and is
// no operator, constant or function of the language.
bool trj_map_expression_is_name(const char *name, size_t length);
// Returns whether the expression contains names[variable].
bool trj_map_expression_uses(const struct trj_map_expression *e, size_t variable);
// Returns whether the result is the same quantity as the variables: a sum of them, a multiple, or a choice between
// them, but not a product, a condition, or the value of a function such as log.
bool trj_map_expression_keeps_quantity(const struct trj_map_expression *e);

// Computes the unit of the result from those of the variables [count]. Numbers, and values without a unit, have the
// unit that the operation requires. Fails with TRJ_BAD_DATA if values of different units are added or compared. log()
// and exp() use the number of their operand, whatever its unit, and their result has no unit.
int trj_map_expression_unit(struct trj_map_unit *unit, const struct trj_map_expression *e,
                            const struct trj_map_unit *units, struct trj_error *err);
// Evaluates n points; values[variable] has n values for each variable that the expression uses. `to` may be one of the
// arrays.
void trj_map_expression_evaluate(struct trj_map_expression *e, const double *const *values, size_t n, double *to);
void trj_map_expression_free(struct trj_map_expression *e); // NULL is allowed

#endif
