// SPDX-License-Identifier: MIT
// Small rigid ligands: sites with Lennard-Jones parameters and charges, of published models or from a file, and the
// orientations in which a map of free energies places them.
#ifndef LIG_LIGAND_H
#define LIG_LIGAND_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "tool.h"

enum { LIG_SITES_MAX = 16, LIG_SITE_NAME = 16, LIG_ORIENTATIONS_MAX = 10000 };

// The potential of a site is that of frame/property.h, with sigma in Å and epsilon in kcal/mol.
struct lig_site {
    char name[LIG_SITE_NAME];
    double position[3]; // Å, from the point of the map
    double sigma, epsilon, charge;
};

struct lig_ligand {
    size_t sites;
    struct lig_site site[LIG_SITES_MAX];
};

// LIG_POINT: all sites are at the point of the map. LIG_LINE: they are on a line through it.
enum lig_shape { LIG_POINT, LIG_LINE, LIG_BODY };

extern const struct trj_choice lig_ligand_choices[]; // names and sources of the built-in ligands; ends with a NULL name

// Sets *l to the built-in ligand of this name, one of lig_ligand_choices. Fails with TRJ_USAGE for another name.
int lig_ligand_find(struct lig_ligand *l, const char *name, struct trj_error *err);
// Reads a ligand from a text file: a line for each site, NAME X Y Z SIGMA EPSILON [CHARGE], in Å, kcal/mol and e; '#'
// starts a comment. Fails with TRJ_BAD_DATA, and names the file and the line.
int lig_ligand_read(struct lig_ligand *l, const char *path, struct trj_error *err);

bool lig_ligand_is_charged(const struct lig_ligand *l);
double lig_ligand_radius(const struct lig_ligand *l); // the largest distance of a site from the point, in Å
enum lig_shape lig_ligand_shape(const struct lig_ligand *l);

// Sets position[n][l->sites] to the positions of the sites in n orientations, 1 to LIG_ORIENTATIONS_MAX, in Å relative
// to the point. They are evenly distributed, without random numbers:
//     LIG_LINE  the line has the directions of a spiral on the unit sphere (i = 0 .. n - 1): z = 1 - (2 i + 1) / n, and
//               the azimuth is i times the golden angle, pi (3 - sqrt(5))
//     LIG_BODY  rotations of a super-Fibonacci spiral (M. Alexa, CVPR 2022, p. 8281): with s = i + 1/2, the quaternion
//               (x, y, z, w) = (r sin a, r cos a, R sin b, R cos b), r = sqrt(s/n), R = sqrt(1 - s/n),
//               a = 2 pi s / sqrt(2), b = 2 pi s / psi, psi^4 = psi + 4
// For LIG_POINT, all orientations are equal. Angles are added by multiplication of complex numbers, so that the bytes
// do not depend on libm.
void lig_ligand_orient(const struct lig_ligand *l, unsigned n, float (*position)[3]);

#endif
