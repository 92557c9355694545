// SPDX-License-Identifier: MIT
// States the widths of Gaussians that programs use for a given resolution, which differ by convention.
#include "resolution.h"

#include <string.h>

#include "number.h"

int den_resolution_factor(double *factor, const char *text, struct trj_error *err) {
    static const struct {
        const char *name;
        double factor;
    } known[] = {
        {"chimerax", 0x1.ccf6429be6621p-3}, {"situs", 0.187}, {"tempy", 0.356}, {"fwhm", 0x1.b2da4e9808a53p-2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, text) != 0) continue;
        *factor = known[i].factor;
        return 0;
    }
    if (trj_parse_real(text, factor) && *factor > 0) return 0;
    return trj_fail(err, TRJ_USAGE, "invalid factor '%s': expected " DEN_RESOLUTION_FACTORS " above 0", text);
}
