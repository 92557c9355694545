// SPDX-License-Identifier: MIT
// Moves atoms in the threads that decode frames, with memory for each call, because these run in parallel.
#include "mover.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "file_argument.h"
#include "fit_reference.h"
#include "largest_gap.h"
#include "memory.h"
#include "nearest_image.h"
#include "superpose.h"
#include "unwrap.h"
#include "whole.h"

const struct trj_option trj_mover_option_table[] = {
    {.heading = "Positions",
     TRJ_OPTION_FIELD(0, "whole", FLAG, struct trj_mover_options, whole, NULL,
                      "make molecules whole that are broken across the boundaries of the cell")},
    {TRJ_OPTION_FIELD(0, "unwrap", CHOICE, struct trj_mover_options, unwrap, "WAY",
                      "follow molecules, or atoms if bonds are unknown, across the boundaries of the cell"),
     .choices = trj_unwrap_choices},
    {TRJ_OPTION_FIELD(
        0, "centre", TEXT, struct trj_mover_options, centre, "SELECTION",
        "move the geometric centre of these atoms to the centre of the cell, and the other atoms, or with "
        "--whole molecules, to their images around it")},
    {TRJ_OPTION_FIELD(
        0, "fit", TEXT, struct trj_mover_options, fit, "SELECTION[:FILE]",
        "superpose these atoms on those in the first frame of FILE (default: of the output), and rotate the "
        "cell with all atoms")},
    TRJ_OPTION_END,
};

// Atoms of a selection, ascending.
struct atoms {
    uint32_t *atom; // [count]
    size_t count;
};

// Working memory of one call.
struct space {
    struct space *next;    // in the list of unused ones
    double (*x)[3];        // [atoms] positions, Å
    double (*fitted)[3];   // [fit.count]
    double *fraction;      // [units] fractional coordinates of the centres of the selected units
    double *sorted;        // the same, sorted
    double translation[3]; // Å, by which centre has moved all atoms
};

struct trj_mover {
    size_t atoms;         // of each frame
    const uint32_t *rows; // [row_count]; NULL: all
    size_t row_count;
    char *fit_text, *centre_text, *path; // selections, and the file of the reference; NULL: absent
    bool whole;
    struct trj_unwrap *unwrap; // NULL: positions are not unwrapped
    enum trj_movement_kind unwrap_kind;
    double mean_cell[3][3];
    struct trj_whole molecules; // atoms is 0: the bonds are unknown
    struct atoms fit, centre;
    uint32_t *edges; // [edge_count] indices in molecules.order: bonds on paths between atoms of --fit
    size_t edge_count;
    uint32_t (*bond)[2]; // [bonds] from which molecules and edges were made
    size_t bonds;
    // Units of the centred selection: molecules, or atoms. The atoms of unit u are members[unit_begin[u]] to
    // members[unit_begin[u + 1] - 1].
    size_t units, *unit_begin;
    uint32_t *members;
    bool *centred;          // [atoms] whether the atom is in a unit of the selection
    double (*reference)[3]; // [fit.count]
    bool has_reference;
    uint64_t fingerprint; // of the file of the reference
    unsigned filled;      // TRJ_PERIODIC_ bits: directions that the centred selection filled in some frame
    pthread_mutex_t lock; // protects the following member, and `filled`
    struct space *unused;
};

bool trj_mover_requested(const struct trj_mover_options *o) {
    return o->fit || o->centre || o->whole || o->unwrap;
}

static void free_space(struct space *s) {
    if (!s) return;
    free(s->x);
    free(s->fitted);
    free(s->fraction);
    free(s->sorted);
    free(s);
}

void trj_mover_close(struct trj_mover *m) {
    if (!m) return;
    while (m->unused) {
        struct space *s = m->unused;
        m->unused = s->next;
        free_space(s);
    }
    pthread_mutex_destroy(&m->lock);
    trj_unwrap_close(m->unwrap);
    trj_whole_free(&m->molecules);
    free(m->fit_text);
    free(m->centre_text);
    free(m->path);
    free(m->fit.atom);
    free(m->centre.atom);
    free(m->edges);
    free(m->bond);
    free(m->unit_begin);
    free(m->members);
    free(m->centred);
    free(m->reference);
    free(m);
}

// ---- set-up

static int check_bonds(const struct trj_mover_system *system, const char *option, struct trj_error *err) {
    if (!system->bond)
        return trj_fail(
            err, TRJ_USAGE,
            "--%s: the bonds are unknown; give a topology with bonds with -t, such as PSF, PRMTOP, TPR, LAMMPS "
            "data or MOL2",
            option);
    if (system->incomplete)
        return trj_fail(
            err, TRJ_USAGE,
            "--%s: some bonds are missing, because residues of several atoms contain atoms without bonds, as in "
            "PDB files with CONECT only for ligands; give a topology with all bonds with -t, such as PSF, PRMTOP, TPR, "
            "LAMMPS data or MOL2",
            option);
    if (system->between)
        return trj_fail(err, TRJ_USAGE,
                        "--%s: bonds go through %zu atoms that the stream lacks; use it where trjcat reads the "
                        "trajectory",
                        option, system->between);
    return 0;
}

// Lists the bonds on paths between atoms of the fitted selection: the molecule has atoms of the selection on both sides
// of such a bond.
static int list_edges(struct trj_mover *m, struct trj_error *err) {
    const struct trj_whole *w = &m->molecules;
    uint32_t *below = trj_alloc(m->atoms, sizeof *below, "bonds", err); // selected atoms in the branch of an atom
    m->edges = below ? trj_alloc(m->atoms, sizeof *m->edges, "bonds", err) : NULL;
    if (!m->edges) {
        free(below);
        return -1;
    }
    for (size_t i = 0; i < m->fit.count; i++) below[m->fit.atom[i]] = 1;
    for (size_t i = w->atoms; i-- > 0;)
        if (w->reference[i] != w->order[i]) below[w->reference[i]] += below[w->order[i]];
    for (size_t k = 0; k < w->molecules; k++)
        for (size_t i = w->begin[k] + 1; i < w->begin[k + 1]; i++) {
            uint32_t n = below[w->order[i]];
            if (n && n < below[w->order[w->begin[k]]]) m->edges[m->edge_count++] = (uint32_t)i;
        }
    free(below);
    return 0;
}

// Lists the units that contain atoms of the centred selection, and all atoms of these units.
static int list_units(struct trj_mover *m, struct trj_error *err) {
    const struct trj_whole *w = &m->molecules;
    m->unit_begin = trj_alloc(m->atoms + 1, sizeof *m->unit_begin, "atoms", err);
    m->members = trj_alloc(m->atoms, sizeof *m->members, "atoms", err);
    m->centred = trj_alloc(m->atoms, sizeof *m->centred, "atoms", err);
    if (!m->unit_begin || !m->members || !m->centred) return -1;
    for (size_t i = 0; i < m->centre.count; i++) m->centred[m->centre.atom[i]] = true;
    size_t n = 0, all = m->whole ? w->molecules : m->atoms;
    for (size_t u = 0; u < all; u++) {
        size_t begin = m->whole ? w->begin[u] : u, end = m->whole ? w->begin[u + 1] : u + 1;
        bool any = false;
        for (size_t i = begin; i < end; i++) any = any || m->centred[m->whole ? w->order[i] : i];
        if (!any) continue;
        for (size_t i = begin; i < end; i++) m->members[n++] = m->whole ? w->order[i] : (uint32_t)i;
        m->unit_begin[++m->units] = n;
    }
    for (size_t i = 0; i < n; i++) m->centred[m->members[i]] = true;
    return 0;
}

// Copies the selection of --fit, without the name of a file.
static int take_fit(struct trj_mover *m, const char *fit, struct trj_error *err) {
    const char *path = trj_file_argument_after_selection(fit);
    if (!(m->fit_text = trj_copy_text(fit, err)) || (path && !(m->path = trj_copy_text(path, err)))) return -1;
    if (path) m->fit_text[path - fit - 1] = 0;
    return 0;
}

static int select_fit(struct trj_mover *m, const struct trj_mover_system *system, struct trj_error *err) {
    if (trj_mover_select(&m->fit.atom, &m->fit.count, m->fit_text, &system->scope, err)) return -1;
    if (m->fit.count < TRJ_SUPERPOSE_MIN)
        return trj_fail(err, TRJ_BAD_DATA,
                        "'%s' selects %zu atoms, expected at least %d, which do not lie on a line; select more",
                        m->fit_text, m->fit.count, TRJ_SUPERPOSE_MIN);
    if (!(m->reference = trj_alloc(m->fit.count, sizeof *m->reference, "reference coordinates", err))) return -1;
    m->has_reference = m->path;
    return 0;
}

// Makes molecules of the reference frame whole, or verifies that they are, as for other frames. The bonds apply only to
// a frame with the atoms of the system.
static int repair_reference(const struct trj_mover *m, const struct trj_frame *f, const uint32_t *selected,
                            double (*x)[3], struct trj_error *err) {
    struct trj_lattice l;
    bool same = f->atoms == m->atoms && !memcmp(selected, m->fit.atom, m->fit.count * sizeof *selected);
    if (!same || !f->cell.periodic || !(m->whole || m->edge_count)) return 0;
    if (trj_lattice_make(&l, &f->cell, err)) return -1;
    return m->whole ? trj_whole_apply(&m->molecules, &l, x, err)
                    : trj_whole_check(&m->molecules, m->edges, m->edge_count, &l, x, err);
}

static int read_reference(struct trj_mover *m, const struct trj_mover_system *system, struct trj_error *err) {
    struct trj_frame f = {.atoms = 0};
    uint32_t *selected = NULL;
    double(*x)[3] = NULL;
    int rc = -1;
    if (trj_fit_reference_read(&f, &selected, m->fit.atom, m->fit.count, m->path, m->fit_text, system, &m->fingerprint,
                               err) ||
        !(x = trj_alloc(f.atoms, sizeof *x, "reference coordinates", err)))
        goto out;
    for (size_t i = 0; i < f.atoms; i++)
        for (int k = 0; k < 3; k++) x[i][k] = (double)f.x[k][i] * f.unit;
    if (repair_reference(m, &f, selected, x, err)) {
        trj_fail_at(err, "%s", m->path);
        goto out;
    }
    for (size_t i = 0; i < m->fit.count; i++) memcpy(m->reference[i], x[selected[i]], sizeof *x);
    rc = 0;
out:
    free(x);
    free(selected);
    trj_frame_free(&f);
    return rc;
}

static int select_centre(struct trj_mover *m, const char *selection, const struct trj_mover_system *system,
                         struct trj_error *err) {
    m->centre_text = trj_copy_text(selection, err);
    return m->centre_text ? trj_mover_select(&m->centre.atom, &m->centre.count, selection, &system->scope, err) : -1;
}

// Returns whether two adjacent atoms belong to one residue of a molecule.
static bool shares_residue(const struct trj_mover_system *system, size_t a, size_t b) {
    return system->residue[a] == system->residue[b] &&
           (!system->molecule || system->molecule[a] == system->molecule[b]);
}

// Links each atom without bonds to the adjacent atom before or after it in its residue, if that one has bonds or is
// linked: such atoms are virtual sites, to which some files list no bonds. Appends the links to the bonds, and returns
// their number.
static size_t add_links(const struct trj_mover_system *system, uint32_t (*bond)[2], size_t bonds, bool *bonded) {
    size_t links = 0, n = system->scope.atoms;
    for (size_t k = 0; k < bonds; k++) bonded[bond[k][0]] = bonded[bond[k][1]] = true;
    for (size_t k = 1; k < 2 * n && system->residue; k++) { // forwards, then backwards
        size_t i = k < n ? k : 2 * n - 1 - k, to = k < n ? k - 1 : i + 1;
        if (to == n || bonded[i] || !bonded[to] || !shares_residue(system, i, to)) continue;
        bond[bonds + links][0] = (uint32_t)to;
        bond[bonds + links++][1] = (uint32_t)i;
        bonded[i] = true;
    }
    return links;
}

static int find_molecules(struct trj_mover *m, const struct trj_mover_system *system, struct trj_error *err) {
    bool *bonded = trj_alloc(m->atoms, sizeof *bonded, "bonds", err);
    int rc = -1;
    if (bonded && (m->bond = trj_alloc(system->bonds + m->atoms, sizeof *m->bond, "bonds", err))) {
        m->bonds = system->bonds;
        if (system->bond) memcpy(m->bond, system->bond, m->bonds * sizeof *m->bond);
        size_t links = add_links(system, m->bond, m->bonds, bonded);
        rc = trj_whole_make(&m->molecules, m->bond, m->bonds + links, m->atoms, err);
    }
    free(bonded);
    return rc;
}

// Call it after the molecules were found.
static int open_unwrap(struct trj_mover *m, const char *way, const struct trj_mover_system *system,
                       struct trj_error *err) {
    struct trj_unwrap_setup setup = {.kind = trj_unwrap_kind(way),
                                     .atoms = m->atoms,
                                     .molecules = m->whole ? &m->molecules : NULL,
                                     .rows = m->fit_text ? NULL : system->rows,
                                     .row_count = system->row_count};
    if (trj_unwrap_needs_mean_cell(setup.kind)) memcpy(setup.mean_cell, system->mean_cell, sizeof setup.mean_cell);
    memcpy(m->mean_cell, setup.mean_cell, sizeof m->mean_cell);
    m->unwrap_kind = setup.kind;
    return trj_unwrap_open(&m->unwrap, &setup, err);
}

static int open_mover(struct trj_mover *m, const struct trj_mover_options *o, const struct trj_mover_system *system,
                      struct trj_error *err) {
    bool bonds = system->bond && !system->between;
    if (m->whole && check_bonds(system, "whole", err)) return -1;
    if (o->fit && (take_fit(m, o->fit, err) || select_fit(m, system, err))) return trj_fail_at(err, "--fit");
    if (o->centre && select_centre(m, o->centre, system, err)) return trj_fail_at(err, "--centre");
    if ((m->whole || (o->fit && bonds)) && find_molecules(m, system, err)) return -1;
    if (o->fit && bonds && !m->whole && list_edges(m, err)) return -1;
    if (o->unwrap && open_unwrap(m, o->unwrap, system, err)) return -1;
    if (m->path && read_reference(m, system, err)) return trj_fail_at(err, "--fit");
    return o->centre && list_units(m, err) ? -1 : 0;
}

int trj_mover_open(struct trj_mover **mover, const struct trj_mover_options *o, const struct trj_mover_system *system,
                   struct trj_error *err) {
    struct trj_mover *m = trj_alloc(1, sizeof *m, "moving atoms", err);
    if (!m) return -1;
    pthread_mutex_init(&m->lock, NULL);
    m->atoms = system->scope.atoms;
    m->rows = system->rows;
    m->row_count = system->row_count;
    m->whole = o->whole || (o->unwrap && system->bond && !system->incomplete && !system->between);
    if (open_mover(m, o, system, err)) {
        trj_mover_close(m);
        return -1;
    }
    *mover = m;
    return 0;
}

static int compare_atoms(const struct atoms *mine, const char *option, const char *selection,
                         const struct trj_mover_system *system, struct trj_error *err) {
    struct atoms other = {.count = 0};
    if (!selection) return 0;
    int rc = trj_mover_select(&other.atom, &other.count, selection, &system->scope, err);
    if (!rc && (other.count != mine->count || memcmp(other.atom, mine->atom, mine->count * sizeof *mine->atom) != 0))
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "'%s' does not select the same atoms as in the first input; give trajectories of one system",
                      selection);
    free(other.atom);
    return rc ? trj_fail_at(err, "%s", option) : 0;
}

static int compare_bonds(const struct trj_mover *m, const struct trj_mover_system *system, struct trj_error *err) {
    uint32_t pair[2];
    if (m->whole && check_bonds(system, m->unwrap ? "unwrap" : "whole", err)) return -1;
    if (!(m->whole || m->edge_count) || !system->bond || system->between) return 0;
    int differ = trj_bonds_compare(m->bond, m->bonds, system->bond, system->bonds, m->atoms, pair, err);
    if (differ <= 0) return differ;
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: atoms %u and %u (counted from 0) are bonded either in this input or in the first one, but not "
                    "in both; give one topology for all inputs with -t",
                    m->unwrap  ? "--unwrap"
                    : m->whole ? "--whole"
                               : "--fit",
                    pair[0], pair[1]);
}

int trj_mover_compare(const struct trj_mover *m, const struct trj_mover_system *system, struct trj_error *err) {
    if (system->scope.atoms != m->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but the first input has %zu; give trajectories of one system",
                        system->scope.atoms, m->atoms);
    return compare_atoms(&m->fit, "--fit", m->fit_text, system, err) ||
                   compare_atoms(&m->centre, "--centre", m->centre_text, system, err) || compare_bonds(m, system, err)
               ? -1
               : 0;
}

static int describe_unwrap(const struct trj_mover *m, struct trj_stream_header *h, struct trj_error *err) {
    const struct trj_movement unwrap = {.kind = m->unwrap_kind};
    char cell[9 * 26] = "", *to = cell;
    for (int k = 0; k < 9 && trj_unwrap_needs_mean_cell(m->unwrap_kind); k++)
        to += snprintf(to, 26, "%s%.17g", k ? " " : "", m->mean_cell[k / 3][k % 3]);
    return trj_movement_add(h, &unwrap, m->whole ? "molecules" : "atoms", cell, err);
}

int trj_mover_describe(const struct trj_mover *m, struct trj_stream_header *h, const char *source, uint64_t fingerprint,
                       uint64_t frame, struct trj_error *err) {
    const struct trj_movement whole = {.kind = TRJ_MOVED_WHOLE};
    const struct trj_movement centre = {.kind = TRJ_MOVED_CENTRE, .atoms = m->centre.count};
    const struct trj_movement fit = {.kind = TRJ_MOVED_FIT,
                                     .atoms = m->fit.count,
                                     .fingerprint = m->path ? m->fingerprint : fingerprint,
                                     .frame = m->path ? 0 : frame};
    return (m->whole && trj_movement_add(h, &whole, "", "", err)) || (m->unwrap && describe_unwrap(m, h, err)) ||
                   (m->centre_text && trj_movement_add(h, &centre, m->centre_text, "", err)) ||
                   (m->fit_text && trj_movement_add(h, &fit, m->fit_text, m->path ? m->path : source, err))
               ? -1
               : 0;
}

// ---- frames

bool trj_mover_is_sequential(const struct trj_mover *m) {
    return m->unwrap;
}

bool trj_mover_is_ready(const struct trj_mover *m) {
    return !m->fit_text || m->has_reference;
}

static struct space *take_space(struct trj_mover *m, struct trj_error *err) {
    pthread_mutex_lock(&m->lock);
    struct space *s = m->unused;
    if (s) m->unused = s->next;
    pthread_mutex_unlock(&m->lock);
    if (s || !(s = trj_alloc(1, sizeof *s, "positions", err))) return s;
    s->x = trj_alloc(m->atoms, sizeof *s->x, "positions", err);
    s->fitted = s->x ? trj_alloc(m->fit.count, sizeof *s->fitted, "positions", err) : NULL;
    s->fraction = s->fitted ? trj_alloc(m->units, sizeof *s->fraction, "positions", err) : NULL;
    s->sorted = s->fraction ? trj_alloc(m->units, sizeof *s->sorted, "positions", err) : NULL;
    if (s->sorted) return s;
    free_space(s);
    return NULL;
}

static void give_space(struct trj_mover *m, struct space *s) {
    pthread_mutex_lock(&m->lock);
    s->next = m->unused;
    m->unused = s;
    pthread_mutex_unlock(&m->lock);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void shift(double (*x)[3], const uint32_t *atoms, size_t count, const double by[3]) {
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) x[atoms[i]][k] += by[k];
}

// Wraps the selected units along a periodic vector, whose reciprocal vector is g, so that they are contiguous. Returns
// whether they have a gap; without one, they are wrapped into the cell.
static bool gather_units(const struct trj_mover *m, struct space *s, const double g[3], const double vector[3]) {
    if (m->units == 1) return true;
    for (size_t u = 0; u < m->units; u++) {
        double centre[3];
        const uint32_t *atoms = m->members + m->unit_begin[u];
        trj_geometric_centre(s->x, atoms, m->unit_begin[u + 1] - m->unit_begin[u], centre);
        s->fraction[u] = s->sorted[u] = dot(g, centre);
    }
    double middle;
    bool gap = trj_largest_gap(s->sorted, m->units, 1 / sqrt(dot(g, g)), &middle);
    for (size_t u = 0; u < m->units; u++) {
        double n = -floor(s->fraction[u] - (gap ? middle : 0));
        const double by[3] = {n * vector[0], n * vector[1], n * vector[2]};
        if (n != 0) shift(s->x, m->members + m->unit_begin[u], m->unit_begin[u + 1] - m->unit_begin[u], by);
    }
    return gap;
}

// Moves the units outside the selection to their images nearest to the centre of the cell.
static void wrap_others(const struct trj_mover *m, double (*x)[3], const struct trj_lattice *l,
                        const double centre[3]) {
    const struct trj_whole *w = &m->molecules;
    size_t units = m->whole ? w->molecules : m->atoms;
    for (size_t u = 0; u < units; u++) {
        uint32_t atom = (uint32_t)u;
        const uint32_t *atoms = m->whole ? w->order + w->begin[u] : &atom;
        size_t count = m->whole ? w->begin[u + 1] - w->begin[u] : 1;
        double middle[3], d[3], by[3];
        if (m->centred[atoms[0]]) continue;
        trj_geometric_centre(x, atoms, count, middle);
        for (int k = 0; k < 3; k++) d[k] = middle[k] - centre[k];
        if (trj_is_short(l, d)) continue;
        trj_nearest_image_of_long(l, d);
        for (int k = 0; k < 3; k++) by[k] = centre[k] + d[k] - middle[k];
        // Different images are at least 2 l->half apart; a smaller shift is a rounding error.
        if (dot(by, by) > l->half * l->half) shift(x, atoms, count, by);
    }
}

static void move_to_centre(struct trj_mover *m, struct space *s, const struct trj_cell *cell,
                           const struct trj_lattice *l) {
    double g[3][3], place[3], inside[3], by[3] = {0}, middle[3] = {0};
    unsigned filled = 0;
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++)
        if (cell->periodic & 1u << k && !gather_units(m, s, g[k], cell->h[k])) filled |= 1u << k;
    trj_geometric_centre(s->x, m->centre.atom, m->centre.count, place);
    // Nothing is shifted along periodic vectors along which the selection fills the cell.
    for (int c = 0; c < 3; c++) inside[c] = 0;
    for (int k = 0; k < 3; k++) {
        if (!(cell->periodic & 1u << k)) continue;
        double fraction = dot(g[k], place);
        for (int c = 0; c < 3; c++) {
            inside[c] += fraction * cell->h[k][c];
            middle[c] += cell->h[k][c] / 2;
            if (!(filled & 1u << k)) by[c] += (0.5 - fraction) * cell->h[k][c];
        }
    }
    for (int c = 0; c < 3; c++) by[c] -= place[c] - inside[c];
    for (size_t i = 0; i < m->atoms; i++)
        for (int c = 0; c < 3; c++) s->x[i][c] += by[c];
    memcpy(s->translation, by, sizeof by);
    if (cell->periodic) wrap_others(m, s->x, l, middle);
    if (!filled) return;
    pthread_mutex_lock(&m->lock);
    m->filled |= filled;
    pthread_mutex_unlock(&m->lock);
}

static int superpose(struct trj_mover *m, struct space *s, struct trj_frame *f, struct trj_error *err) {
    struct trj_superposition best;
    double(*to)[3] = m->has_reference ? s->fitted : m->reference;
    for (size_t i = 0; i < m->fit.count; i++) memcpy(to[i], s->x[m->fit.atom[i]], sizeof *to);
    if (trj_superpose(&best, m->reference, to, NULL, m->fit.count, err)) return trj_fail_at(err, "--fit");
    if (!m->has_reference) { // the reference is its own best superposition, and stays as it is
        m->has_reference = true;
        return 0;
    }
    trj_superpose_points(&best, s->x, m->atoms);
    trj_superpose_cell(&best, &f->cell);
    trj_motion_rotate(f->motion, (const double(*)[3])best.rotation, m->atoms);
    return 0;
}

// Subtracts from the image flags the periods by which whole and centre have moved the atoms, so that the position
// without periodic boundaries, x + flags, is only translated.
static int update_images(const struct trj_mover *m, const struct space *s, const struct trj_frame *f,
                         struct trj_error *err) {
    double g[3][3];
    if (!(trj_motion_has(f->motion) & TRJ_HAS_IMAGE) || !(m->whole || m->centre_text)) return 0;
    trj_cell_reciprocal(&f->cell, g);
    for (size_t i = 0; i < m->atoms; i++) {
        double by[3];
        for (int c = 0; c < 3; c++) by[c] = s->x[i][c] - s->translation[c] - (double)f->x[c][i] * f->unit;
        for (int k = 0; k < 3; k++) {
            double periods = f->cell.periodic >> k & 1 ? rint(dot(g[k], by)) : 0;
            double flag = f->motion->image[k][i] - periods;
            if (!(fabs(flag) <= INT32_MAX))
                return trj_fail(err, TRJ_BAD_DATA, "the image flags of atom %zu exceed 2^31; leave image out", i);
            f->motion->image[k][i] = (int32_t)flag;
        }
    }
    return 0;
}

// Moves the atoms to the images that their flags give.
static void add_flags(const struct trj_mover *m, struct space *s, const struct trj_frame *f) {
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < m->atoms && f->cell.periodic >> k & 1; i++)
            for (int c = 0; c < 3; c++) s->x[i][c] += f->motion->image[k][i] * f->cell.h[k][c];
}

static int move(struct trj_mover *m, struct space *s, struct trj_frame *f, struct trj_error *err) {
    struct trj_cell *cell = &f->cell;
    struct trj_lattice l;
    if (trj_lattice_make(&l, cell, err)) return -1;
    if (m->whole && !m->unwrap && !cell->periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--whole: no cell vector is periodic; give the cell with --cell, or leave --whole out");
    if (m->unwrap && m->unwrap_kind == TRJ_UNWRAPPED_FLAGS) add_flags(m, s, f);
    if (m->whole && trj_whole_apply(&m->molecules, &l, s->x, err)) return -1;
    if (m->unwrap && trj_unwrap_apply(m->unwrap, cell, &l, s->x, err)) return -1;
    if (m->unwrap && f->motion) f->motion->has &= ~(unsigned)TRJ_HAS_IMAGE;
    for (int k = 0; k < 3; k++) s->translation[k] = 0;
    if (m->centre_text) move_to_centre(m, s, cell, &l);
    if (update_images(m, s, f, err)) return -1;
    if (m->edge_count && trj_whole_check(&m->molecules, m->edges, m->edge_count, &l, s->x, err))
        return trj_fail_at(err, "--fit");
    return m->fit_text ? superpose(m, s, f, err) : 0;
}

static int check_far(const struct trj_frame *f, struct trj_error *err) {
    if ((double)trj_frame_farthest(f) * f->unit <= TRJ_FARTHEST) return 0;
    for (size_t i = 0; i < f->atoms; i++)
        if (trj_frame_check_far(f, i, err)) return -1;
    return 0;
}

int trj_mover_apply(struct trj_mover *m, struct trj_frame *f, struct trj_error *err) {
    if (f->atoms != m->atoms) return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, expected %zu", f->atoms, m->atoms);
    if (check_far(f, err)) return -1;
    struct space *s = take_space(m, err);
    if (!s) return -1;
    for (size_t i = 0; i < f->atoms; i++)
        for (int k = 0; k < 3; k++) s->x[i][k] = (double)f->x[k][i] * f->unit;
    int rc = move(m, s, f, err);
    size_t count = m->rows ? m->row_count : f->atoms;
    for (size_t i = 0; !rc && i < count; i++)
        for (int k = 0; k < 3; k++) f->x[k][i] = (float)(s->x[m->rows ? m->rows[i] : i][k] / f->unit);
    if (!rc && m->rows) trj_motion_pick(f->motion, m->rows, count);
    f->atoms = count;
    f->stored.known = false;
    f->farthest = 0;
    give_space(m, s);
    return rc;
}

// Displacements that are this large suggest that larger ones occur, which cannot be recognised.
#define LARGE_STEP 0.35

static void note_unwrap(const struct trj_mover *m, char *text) {
    double step = trj_unwrap_largest_step(m->unwrap);
    char large[TRJ_MOVER_NOTE / 2] = "";
    if (step > LARGE_STEP)
        snprintf(
            large, sizeof large,
            "the largest displacement from frame to frame is %.2g of a cell vector; if displacements beyond a half "
            "are possible, read more frames",
            step);
    if (!m->whole)
        snprintf(text, TRJ_MOVER_NOTE,
                 "--unwrap: atoms are unwrapped one by one, because not all bonds are known; a topology with all bonds "
                 "(-t) gives molecules%s%s",
                 *large ? "; " : "", large);
    else if (*large)
        snprintf(text, TRJ_MOVER_NOTE, "--unwrap: %s", large);
}

void trj_mover_note(const struct trj_mover *m, char *text) {
    static const char *const directions[] = {"", "a", "b", "a and b", "c", "a and c", "b and c", "a, b and c"};
    *text = 0;
    if (m->filled)
        snprintf(text, TRJ_MOVER_NOTE,
                 "--centre: the selected %s fill the cell along %s, and are therefore not centred in this direction%s",
                 m->whole ? "molecules" : "atoms", directions[m->filled],
                 m->whole ? "" : "; with --whole, molecules are centred instead of atoms");
    if (m->unwrap) note_unwrap(m, text);
}
