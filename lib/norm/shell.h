// SPDX-License-Identifier: MIT
// Computes the volume of a spherical shell, and the mean volume of its part inside a finite body.
//
// For points distributed evenly in a body B of volume V, the mean volume of the part of the shell low <= r < high
// around a point that is inside the body is
//     s = integral over the shell of |B and B + r| / V,
// where |B and B + r| is the volume of the overlap of the body with itself shifted by r (its set covariance). s / V is
// the probability that two points have a distance in the shell. Results are in Å^3 and accurate for thin shells, too,
// because no difference of two volumes is computed.
#ifndef RDF_SHELL_H
#define RDF_SHELL_H

// Returns 4/3 pi (high^3 - low^3).
double rdf_shell_full(double low, double high);

// Returns the area of the ring in a plane, pi (high^2 - low^2), in Å^2.
double rdf_shell_ring(double low, double high);

// A slab of thickness h that is infinite in two directions: the overlap is the fraction 1 - |z|/h of it. With its mean
// over directions, f(r) = 1 - r/(2h) (r <= h), h/(2r) (r > h),
//     s = integral of 4 pi r^2 f dr = S(high) - S(low)
//     S(r) = 4 pi (r^3/3 - r^4/(8h)) (r <= h),  5/6 pi h^3 + pi h (r^2 - h^2) (r > h)
double rdf_shell_slab(double low, double high, double h);

// A sphere of radius R: s = V (C(high) - C(low)) with C(r) = x^3 - 9/16 x^4 + 1/32 x^6, x = r/R <= 2.
// J. M. Hammersley, Ann. Math. Stat. 21, 447 (1950), for three dimensions.
double rdf_shell_sphere(double low, double high, double radius);

// A box of three sides: |B and B + r| / V = (1 - |x|/a) (1 - |y|/b) (1 - |z|/c), and 0 if a factor is negative, so that
//     s = 8 integral dr r^2 integral dt sin t (1 - r cos t / c) Q(r sin t),
//     Q(q) = integral dp (1 - q cos p / a) (1 - q sin p / b) over cos p < a/q, sin p < b/q
// over an eighth of the directions, with polar angle t and azimuth p. Q has a closed form. If r is less than all sides,
// the integral has one, too; otherwise it is computed by Gauss' rule, in intervals between the radii and angles at
// which a side begins to cut the sphere. At these the integrand may behave as a square root, which a substitution makes
// smooth. All terms are positive, so that no digits cancel, as they do in the closed form for all r (J. Philip, The
// probability distribution of the distance between two random points in a box, KTH Stockholm, 2007). The error is less
// than 1e-12 of the full shell.
enum { RDF_SHELL_NODES = 16, RDF_SHELL_FEW = 4 };

struct rdf_shell_rule {
    double node[RDF_SHELL_NODES], weight[RDF_SHELL_NODES]; // from 0 to 1
};

struct rdf_shell_box {
    double side[3], cut[7]; // Å, ascending: sides; radii at which faces, edges and corners begin to cut the sphere
    struct rdf_shell_rule ends,
        few; // the rule for intervals with a square root at their ends; for smooth ones, with RDF_SHELL_FEW nodes
};

void rdf_shell_box_open(struct rdf_shell_box *b,
                        const double side[3]); // Å, positive and finite; nothing has to be freed
double rdf_shell_box(const struct rdf_shell_box *b, double low, double high);
double rdf_shell_box_farthest(const struct rdf_shell_box *b); // the diagonal, Å

#endif
