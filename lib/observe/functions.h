// SPDX-License-Identifier: MIT
// The functions of observables, each defined in a file of this folder; functions.c lists them.
#ifndef OBS_FUNCTIONS_H
#define OBS_FUNCTIONS_H

#include "observable.h"

extern const struct obs_function obs_rg, obs_rgtensor, obs_shape;                                        // shape.c
extern const struct obs_function obs_com, obs_cog, obs_distance, obs_angle, obs_torsion, obs_end_to_end; // points.c
extern const struct obs_function obs_cell, obs_volume, obs_density;                                      // cells.c
extern const struct obs_function obs_contacts, obs_mindist;                                              // contacts.c
extern const struct obs_function obs_native;                                    // native_contacts.c
extern const struct obs_function obs_hbonds;                                    // hbonds.c
extern const struct obs_function obs_tetrahedrality, obs_steinhardt, obs_shell; // local_order.c
extern const struct obs_function obs_sasa;                                      // accessible_surface.c
extern const struct obs_function obs_dssp;                                      // dssp.c
extern const struct obs_function obs_tilt, obs_p2, obs_scd;                     // orientation.c
extern const struct obs_function obs_area_per_lipid, obs_thickness;             // bilayer.c

extern const struct obs_function obs_phi, obs_psi, obs_omega, obs_chi1, obs_chi2, obs_chi3, obs_chi4,
    obs_chi5; // residue_torsions.c

extern const struct obs_function obs_rmsd;                               // rmsd.c
extern const struct obs_function obs_charge, obs_dipole, obs_box_dipole; // dipole.c

extern const struct obs_function obs_kinetic, obs_temperature; // kinetic.c

#endif
