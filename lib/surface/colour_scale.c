// SPDX-License-Identifier: MIT
// Interpolates colours between a few points of each scale, which suffice because the scales are smooth.
#include "colour_scale.h"

#include <math.h>
#include <string.h>

const struct trj_choice surf_colour_scales[] = {
    {"viridis", "dark blue, green, yellow: perceptually uniform, also for colour-blind readers"},
    {"red-white-blue", "red for small and blue for large values, such as charges and potentials"},
    {"grey", "black to white"},
    {NULL, NULL},
};

enum { POINTS = 9 };

// Colours at equal distances, in the order of the names. viridis: S. van der Walt and N. Smith, 2015 (CC0).
static const struct {
    unsigned count;
    unsigned char rgb[POINTS][3];
} points[] = {
    {9,
     {{68, 1, 84},
      {71, 44, 122},
      {59, 81, 139},
      {44, 113, 142},
      {33, 144, 141},
      {39, 173, 129},
      {92, 200, 99},
      {170, 220, 50},
      {253, 231, 37}}},
    {3, {{255, 0, 0}, {255, 255, 255}, {0, 0, 255}}},
    {2, {{0, 0, 0}, {255, 255, 255}}},
};

void surf_colour(const char *scale, double value, double low, double high, unsigned char rgb[3]) {
    unsigned s = 0, i;
    while (s + 1 < sizeof points / sizeof *points && strcmp(surf_colour_scales[s].name, scale) != 0) s++;
    double u = value <= low && low < high ? 0 : value >= high && low < high ? 1 : (value - low) / (high - low);
    if (low >= high) u = 0.5;
    memset(rgb, 128, 3);
    if (isnan(value) || isnan(u)) return;
    u *= points[s].count - 1;
    i = u < points[s].count - 1 ? (unsigned)u : points[s].count - 2;
    for (int k = 0; k < 3; k++) {
        double a = points[s].rgb[i][k], b = points[s].rgb[i + 1][k];
        rgb[k] = (unsigned char)(a + (u - i) * (b - a) + 0.5);
    }
}
