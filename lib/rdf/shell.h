// SPDX-License-Identifier: MIT
// The volume of a spherical shell, and of what is left of it around a point of a finite body, outside of which there is nothing.
//
// Points spread evenly in a body B of volume V find, averaged over where they stand, the part of the shell low <= r < high that is
//     s = integral over the shell of |B and B + r| / V,
// |B and B + r| the overlap of the body with itself shifted by r (its set covariance): two such points are that far from each other with the
// probability s / V. Results are in Å^3, without the digits that a difference of two volumes would lose.
#ifndef RDF_SHELL_H
#define RDF_SHELL_H

// 4/3 pi (high^3 - low^3)
double rdf_shell_full(double low, double high);

// 2 pi r dr: the ring in a plane, Å^2.
double rdf_shell_ring(double low, double high);

// A slab of thickness h, without end in two directions: the overlap is 1 - |z|/h of it, so that with f(r) = 1 - r/(2h) (r <= h), h/(2r) (r > h)
//     s = integral of 4 pi r^2 f dr = S(high) - S(low),  S(r) = 4 pi (r^3/3 - r^4/(8h)) (r <= h),  5/6 pi h^3 + pi h (r^2 - h^2) (r > h)
double rdf_shell_slab(double low, double high, double h);

// A sphere of radius R: s = V (C(high) - C(low)) with C(r) = x^3 - 9/16 x^4 + 1/32 x^6, x = r/R <= 2.
// J. M. Hammersley, Ann. Math. Stat. 21, 447 (1950), for three dimensions.
double rdf_shell_sphere(double low, double high, double radius);

// A box of three sides. |B and B + r| / V = (1 - |x|/a) (1 - |y|/b) (1 - |z|/c), and nothing where a factor is negative, so that
//     s = 8 integral dr r^2 integral dt sin t (1 - r cos t / c) Q(r sin t),
//     Q(q) = integral dp (1 - q cos p / a) (1 - q sin p / b) over cos p < a/q, sin p < b/q
// over an eighth of the directions, polar angle t, azimuth p. Q has a closed form, and where r is below all sides the whole has (J. Philip, The
// probability distribution of the distance between two random points in a box, KTH Stockholm, 2007, has all of it). Else it is integrated by
// Gauss' rule, in pieces between the radii and angles where a side begins to cut. There the integrand may be as a square root, which a change of
// variable makes smooth. All terms are positive: nothing cancels, as the closed form does. Off by less than 1e-12 of the full shell.
enum { RDF_SHELL_NODES = 16, RDF_SHELL_FEW = 4 };

struct rdf_shell_rule {
    double at[RDF_SHELL_NODES], weight[RDF_SHELL_NODES]; // from 0 to 1
};

struct rdf_shell_box {
    double side[3], cut[7]; // Å, ascending: sides, and the radii at which they, and edges, and corners begin to cut
    struct rdf_shell_rule ends,
        few; // for pieces at whose ends the integrand may be as a square root; for smooth ones, of RDF_SHELL_FEW nodes
};

void rdf_shell_box_open(struct rdf_shell_box *b,
                        const double side[3]); // Å, positive and finite; there is nothing to free
double rdf_shell_box(const struct rdf_shell_box *b, double low, double high);
double rdf_shell_box_farthest(const struct rdf_shell_box *b); // the diagonal

#endif
