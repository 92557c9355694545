// SPDX-License-Identifier: MIT
// The kernel of rmsd_kernel.h in terms of vectors (numeric/vector_plain.h). The file of each instruction set includes
// it after the vectors of that set.
#if !defined OBS_RMSD_KERNEL_BODY_H && defined LANES
#define OBS_RMSD_KERNEL_BODY_H

#include "rmsd_kernel.h"

// Sums that a loop over atoms keeps in registers: rows times three coordinates of u, times these numbers of coordinates
// of v and of vectors. AVX2 has 16 registers for 12 sums, and AVX-512 32 for 18, so that there are enough independent
// sums for two units with a latency of four or five cycles.
enum {
    COORDINATES = LANES == OBS_RMSD_COLUMNS ? 3 : 1,
    VECTORS = LANES == OBS_RMSD_COLUMNS / 2 ? 2 : 1,
};

static void add(const float (*const u[OBS_RMSD_ROWS])[3], const float (*v)[3][OBS_RMSD_COLUMNS], size_t atoms,
                double (*sum)[9][OBS_RMSD_COLUMNS]) {
    for (int first = 0; first < 3; first += COORDINATES)
        for (size_t from = 0; from < OBS_RMSD_COLUMNS; from += VECTORS * LANES) {
            reals s[OBS_RMSD_ROWS][3][COORDINATES][VECTORS];
            for (int k = 0; k < OBS_RMSD_ROWS * 3 * COORDINATES * VECTORS; k++) (&s[0][0][0][0])[k] = v_all(0);
            for (size_t i = 0; i < atoms; i++) {
                reals column[COORDINATES][VECTORS];
                for (int c = 0; c < COORDINATES; c++)
                    for (int n = 0; n < VECTORS; n++) column[c][n] = v_load(v[i][first + c] + from + (size_t)n * LANES);
                for (int k = 0; k < OBS_RMSD_ROWS; k++)
                    for (int r = 0; r < 3; r++) {
                        reals row = v_all(u[k][i][r]); // only one at a time, so that no sum leaves its register
                        for (int c = 0; c < COORDINATES; c++)
                            for (int n = 0; n < VECTORS; n++) s[k][r][c][n] = v_fma(row, column[c][n], s[k][r][c][n]);
                    }
            }
            for (int k = 0; k < OBS_RMSD_ROWS; k++)
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < COORDINATES; c++)
                        for (int n = 0; n < VECTORS; n++)
                            v_add_to_doubles(sum[k][3 * r + first + c] + from + (size_t)n * LANES, s[k][r][c][n]);
        }
}

static void squares(const struct obs_rmsd_row *row, const struct obs_rmsd_panel *panel,
                    const double sum[9][OBS_RMSD_COLUMNS], bool rotate, double square[OBS_RMSD_COLUMNS]) {
    enum { N = OBS_RMSD_COLUMNS };
    double half[N], c0[N], c1[N], c2[N], root[N], last[N];
    for (int l = 0; l < N; l++) {
        double m[9], c[3];
        half[l] = (row->square + panel->square[l]) / 2;
        double scale = half[l] > 0 ? 1 / half[l] : 0;
        for (int k = 0; k < 9; k++) m[k] = (row->product[k] + panel->product[k][l] + sum[k][l]) * scale;
        obs_rmsd_set_polynomial(m, c);
        c0[l] = c[0];
        c1[l] = c[1];
        c2[l] = c[2];
        root[l] = rotate ? obs_rmsd_first_root(c[2]) : m[0] + m[4] + m[8];
        last[l] = 1;
    }
    for (int step = 0, more = rotate; more && step < OBS_RMSD_STEPS; step++) {
        more = 0;
        for (int l = 0; l < N; l++) {
            double change = obs_rmsd_step(c0[l], c1[l], c2[l], root[l]);
            last[l] = last[l] > OBS_RMSD_LAST_STEP ? change : 0;
            root[l] -= last[l];
            more |= last[l] > OBS_RMSD_LAST_STEP;
        }
    }
    for (int l = 0; l < N; l++) square[l] = obs_rmsd_square(half[l], root[l]);
}

#endif
