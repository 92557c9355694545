// SPDX-License-Identifier: MIT
// The kernel of contact_search.c for any CPU.
#include "contact_kernel.h"

size_t obs_contact_kernel_plain(const float *const x[3], const struct obs_contact_run *run, size_t runs, float inner2,
                                float outer2, struct obs_contact_near *near, size_t *found) {
    size_t inside = 0;
    *found = 0;
    for (size_t r = 0; r < runs; r++)
        for (uint32_t q = 0; q < OBS_CONTACT_ROWS; q++) {
            const float at[3] = {run[r].at[0][q], run[r].at[1][q], run[r].at[2][q]};
            uint32_t begin = run[r].begin + (run[r].triangle ? q : 0);
            for (uint32_t j = begin; j < run[r].end; j += OBS_CONTACT_LANES) {
                float r2[OBS_CONTACT_LANES];
                uint32_t n = run[r].end - j < OBS_CONTACT_LANES ? run[r].end - j : OBS_CONTACT_LANES;
                unsigned between = 0;
                for (uint32_t i = 0; i < OBS_CONTACT_LANES; i++) {
                    float dx = x[0][j + i] - at[0], dy = x[1][j + i] - at[1], dz = x[2][j + i] - at[2];
                    r2[i] = dx * dx + dy * dy + dz * dz;
                }
                for (uint32_t i = 0; i < n; i++) {
                    inside += r2[i] < inner2;
                    between |= (unsigned)(r2[i] < outer2 && !(r2[i] < inner2)) << i;
                }
                for (; between; between &= between - 1)
                    near[(*found)++] = (struct obs_contact_near){(uint32_t)r, q, j + (uint32_t)__builtin_ctz(between)};
            }
        }
    return inside;
}
