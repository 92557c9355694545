// SPDX-License-Identifier: MIT
// Detects the format of a wave function, and checks what its reader gives.
#include "wave_function.h"

#include <math.h>
#include <stdlib.h>

#include "input.h"
#include "lines.h"
#include "unpack.h"
#include "wave_function_parts.h"

static int check(const struct orb_wave_function *w, struct trj_error *err) {
    size_t of_spin[2] = {0, 0};
    if (!w->atoms) return trj_fail(err, TRJ_BAD_DATA, "the file contains no atoms");
    if (!w->functions) return trj_fail(err, TRJ_BAD_DATA, "the file contains no basis functions");
    if (!w->orbitals) return trj_fail(err, TRJ_BAD_DATA, "the file contains no orbitals");
    if (w->functions > ORB_FUNCTIONS_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "%zu basis functions: at most %d are supported", w->functions,
                        ORB_FUNCTIONS_MAX);
    for (size_t i = 0; i < w->orbitals; i++) of_spin[w->orbital[i].spin]++;
    for (size_t s = 0; s < 2; s++)
        if (of_spin[s] > (w->spin_unknown ? 2 : 1) * w->functions)
            return trj_fail(err, TRJ_BAD_DATA, "%zu orbitals of one spin, but only %zu basis functions", of_spin[s],
                            w->functions);
    return 0;
}

// Returns whether the energies are the occupations, or half of them (psi4), or 0, and some occupation is fractional.
static bool has_natural_energies(const struct orb_wave_function *w) {
    static const double factors[] = {1, 0.5, 0};
    bool fractional = false;
    for (size_t i = 0; i < w->orbitals; i++) {
        double o = w->orbital[i].occupation;
        fractional = fractional || fabs(o - round(o)) > 1e-6;
    }
    for (size_t k = 0; k < sizeof factors / sizeof *factors && fractional; k++) {
        size_t i = 0;
        while (i < w->orbitals && fabs(w->orbital[i].energy - factors[k] * w->orbital[i].occupation) <= 1e-6) i++;
        if (i == w->orbitals) return true;
    }
    return false;
}

struct format {
    const char *name;
    bool (*is)(const char *head, size_t n);
    int (*read)(struct orb_reader *r, struct trj_error *err);
};

static const struct format formats[] = {
    {"molden", orb_molden_is, orb_molden_read},
    {"fchk", orb_fchk_is, orb_fchk_read},
    {"wfn", orb_wfn_is, orb_wfn_read},
    {"wfx", orb_wfx_is, orb_wfx_read},
};

// Endings of files that only the programs which write them can convert.
static const struct {
    const char *ending, *remedy;
} convertible[] = {
    {".gbw", "is a file of ORCA; convert it with 'orca_2mkl NAME -molden'"},
    {".chk", "is a checkpoint of Gaussian; convert it with formchk"},
    {".movecs", "is a file of NWChem; add 'property; moldenfile; molden_norm none; end' and 'task scf property' (or "
                "dft) to the input"},
};

// The line before the wfn file in a punch file of GAMESS.
static const char punch[] = "----- TOP OF INPUT FILE FOR BADER'S AIMPAC PROGRAM";

static const struct format *find_format(struct trj_input *in, struct trj_error *err) {
    const char *file = trj_input_name(in);
    const unsigned char *data;
    size_t n;
    if (trj_input_peek(in, &data, TRJ_INPUT_PEEK, &n, err)) {
        trj_fail_at(err, "%s", file);
        return NULL;
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats && n; i++)
        if (formats[i].is((const char *)data, n)) return &formats[i];
    const char *compression = trj_compression_name(data, n);
    if (!n) {
        trj_fail(err, TRJ_BAD_DATA, "%s: is empty; check the program that writes it, and run it again", file);
        return NULL;
    }
    if (compression) {
        trj_fail(err, TRJ_BAD_DATA, "%s: is compressed with %s; unpack it first", file, compression);
        return NULL;
    }
    if (orb_has_line((const char *)data, n, punch)) {
        trj_fail(err, TRJ_BAD_DATA,
                 "%s: is a punch file of GAMESS, which contains a wfn file among other data; copy the lines between "
                 "'%s' and 'END OF INPUT FILE' to a file",
                 file, punch);
        return NULL;
    }
    if (orb_has_line((const char *)data, n, "$DATA") || orb_has_line((const char *)data, n, "$VEC")) {
        trj_fail(err, TRJ_BAD_DATA,
                 "%s: is a punch file of GAMESS; for orbitals, run it again with AIMPAC=.TRUE. in "
                 "$CONTRL, and copy the wfn file from the new punch file",
                 file);
        return NULL;
    }
    for (size_t i = 0; i < sizeof convertible / sizeof *convertible; i++) {
        if (!trj_input_ends_in(in, convertible[i].ending)) continue;
        trj_fail(err, TRJ_BAD_DATA, "%s: %s", file, convertible[i].remedy);
        return NULL;
    }
    trj_fail(err, TRJ_BAD_DATA, "%s: not a known format of wave functions; give a Molden, fchk, wfn or wfx file", file);
    return NULL;
}

static int read_input(struct orb_wave_function *w, struct trj_input *in, struct trj_error *err) {
    struct trj_number_style style = {0};
    struct trj_lines lines = {.in = in, .style = &style};
    struct orb_reader r = {.w = w, .lines = &lines};
    const struct format *format = find_format(in, err);
    if (!format) return -1;
    w->format = format->name;
    int rc = format->read(&r, err) ? -1 : check(w, err);
    if (!rc && !w->title) rc = orb_set_text(&w->title, "", err);
    if (!rc && !w->program) rc = orb_set_text(&w->program, "", err);
    if (!rc) {
        w->natural = w->natural || has_natural_energies(w);
        return 0;
    }
    trj_error_set_remedy(err, "correct the file, or write it again with the program that made it");
    return trj_fail_at(err, "%s", trj_input_name(in));
}

int orb_wave_function_read(struct orb_wave_function *w, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    *w = (struct orb_wave_function){.electrons = NAN};
    if (trj_input_open(&in, path, err)) return -1;
    int rc = read_input(w, in, err);
    trj_input_close(in);
    return rc;
}

void orb_wave_function_free(struct orb_wave_function *w) {
    for (size_t i = 0; i < w->densities; i++) {
        free(w->density[i].name);
        free(w->density[i].matrix);
    }
    free(w->density);
    free(w->title);
    free(w->program);
    free(w->atom);
    free(w->shell);
    free(w->exponent);
    free(w->contraction);
    free(w->bare_function);
    free(w->orbital);
    free(w->coefficient);
    *w = (struct orb_wave_function){.atoms = 0};
}
