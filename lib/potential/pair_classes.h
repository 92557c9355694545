// SPDX-License-Identifier: MIT
// Sorts charges by how their contributions to a block of points are computed. The class of a charge is a function of
// the charge and the block alone, and has the same value on every machine.
#ifndef POT_PAIR_CLASSES_H
#define POT_PAIR_CLASSES_H

#include "pair_blocks.h"
#include "pair_term.h"

// By its distance from the block (struct pot_pair_ranges), a charge is near, far or distant. Class k < POT_MAGNITUDES
// is far, class POT_DISTANT + k is distant; in both, the magnitude of a contribution is at most 2^(22 + k) quanta of
// 2^-40 e/Å.
enum {
    POT_MAGNITUDES = 32, // the sum of POT_FAR_PARTIAL contributions is below 2^62 quanta
    POT_DISTANT = POT_MAGNITUDES,
    POT_FLOAT32_CLASSES = 2 * POT_MAGNITUDES, // far and distant
    POT_NEAR = POT_FLOAT32_CLASSES,
    POT_SOFTENED, // near, and a Gaussian softens it
    POT_NOTHING,  // all contributions are below half a quantum
    POT_CLASSES,
};
// log2 of contributions, in e/Å, that are rounded to 0: they are below half of 2^-40 by more than any error.
#define POT_MIN (-42)

struct pot_pair_ranges {
    double near2;    // square of the distance within which charges are near, Å^2
    double gauss2;   // the same for POT_SOFTENED
    double distant2; // square of the least distance of distant charges; infinite if there are none
    bool only_near;  // no charge is far or distant
};

// `radius` is that of the groups of points, in Å; infinite without groups.
void pot_pair_ranges_set(struct pot_pair_ranges *r, const struct pot_pair *p, const struct pot_block *block,
                         double radius, bool exact);
// Computes the squares of the distances of n charges at at[3][n] from the box of a block, in Å^2.
void pot_pair_squares(const struct pot_block *block, const double *const position[3], size_t n, double *square);
// Sets the class of n charges that are not 0, and counts them.
void pot_pair_classify(const struct pot_pair *p, const struct pot_pair_ranges *r, const double *charge,
                       const double *square, size_t n, unsigned char *class_of, size_t count[POT_CLASSES]);
// Returns the error bound of the values of a block from the numbers of charges in each class, of which none is larger
// than `largest`, in e/Å.
double pot_pair_error(const struct pot_pair *p, double largest, const size_t count[POT_CLASSES]);
// Sets the bounds, in e/Å, of the error of one contribution of each far and distant class, for pot_pair_sum_error of
// pair_class_rule.h.
void pot_pair_error_terms(const struct pot_pair *p, double largest, double term[POT_FLOAT32_CLASSES]);

#endif
