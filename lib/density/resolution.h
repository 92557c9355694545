// SPDX-License-Identifier: MIT
// Widths of Gaussians from the resolution of a map: sigma = factor * resolution. Programs use different factors; those
// with a name are
//
//     chimerax  1 / (pi sqrt 2) = 0.225    the Fourier transform falls to 1/e at 1 / resolution: ChimeraX molmap, EMAN
//     situs     0.187                      the Fourier transform falls to 1/2 at 1 / resolution: Situs
//     tempy     0.356                      the width at 1/e of the height is the resolution (rounded): TEMPy
//     fwhm      1 / sqrt(8 ln 2) = 0.425   the full width at half maximum is the resolution: MODELLER
//
// Sources: documentation of the command molmap of ChimeraX; documentation of StructureBlurrer.gaussian_blur of TEMPy,
// which lists all four.
#ifndef DEN_RESOLUTION_H
#define DEN_RESOLUTION_H

#include "error.h"

#define DEN_RESOLUTION_FACTORS "chimerax, situs, tempy, fwhm or a number"

// Sets *factor from the name of a convention or a number above 0. Fails with TRJ_USAGE; the caller adds the option.
int den_resolution_factor(double *factor, const char *text, struct trj_error *err);

#endif
