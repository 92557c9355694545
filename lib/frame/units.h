// SPDX-License-Identifier: MIT
// Converts names of units in NetCDF and H5MD attributes and extended XYZ comments, in the spellings that programs
// write. Also gives constants.
#ifndef TRJ_UNITS_H
#define TRJ_UNITS_H

#include <stdbool.h>

#define TRJ_GAS_CONSTANT 8.31446261815324e-3 // kJ/(mol K), exact in the SI of 2019
#define TRJ_BOLTZMANN    1.380649e-23        // J/K, exact in the SI of 2019
#define TRJ_DENSITY_OF_U 1.66053906660       // g/cm^3, of 1 u/Å^3 (CODATA 2018)
#define TRJ_BOHR         0.529177210903      // Å (CODATA 2018)
#define TRJ_ASE_VELOCITY 98.2269475025       // Å/ps, of sqrt(eV/u), the unit of velocities in ASE (CODATA 2018)

// Set one unit in Å, ps or degrees. Return false if the name is unknown. Case matters only for names of one or two
// letters.
bool trj_unit_length(const char *name, double *angstrom);
bool trj_unit_time(const char *name, double *ps);
bool trj_unit_angle(const char *name, double *degrees);
// Sets a unit of velocity in Å/ps, from "LENGTH/TIME" or "LENGTH TIME-1". Reduced units are unknown.
bool trj_unit_velocity(const char *name, double *angstrom_per_ps);

#endif
