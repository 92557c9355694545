// SPDX-License-Identifier: MIT
// Detects the format of a topology, and derives what the format lacks: residues, molecules and masses.
#include "topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "card_records.h"
#include "cif_records.h"
#include "dlpoly_records.h"
#include "element.h"
#include "element_guess.h"
#include "foreign_format.h"
#include "g96_records.h"
#include "gro_records.h"
#include "lammps_records.h"
#include "memory.h"
#include "pqr_records.h"
#include "residue_names.h"
#include "tinker_records.h"
#include "topology_parts.h"
#include "unpack.h"
#include "vasp_records.h"
#include "xyz_records.h"

static int number_residues(struct trj_topology_builder *b, struct trj_error *err) {
    struct trj_topology *top = b->top;
    const uint32_t *resname = top->resname.id, *segid = top->segid.id, *chain = top->chain.id;
    const char *insertion = b->insertion;
    if (!top->resid || top->residue) return 0;
    top->residue = trj_alloc(top->atoms, sizeof *top->residue, "residues", err);
    if (!top->residue) return -1;
    uint32_t residue = 0;
    for (size_t i = 1; i < top->atoms; i++) {
        bool same = top->resid[i] == top->resid[i - 1] && (!insertion || insertion[i] == insertion[i - 1]) &&
                    (!resname || resname[i] == resname[i - 1]) && (!segid || segid[i] == segid[i - 1]) &&
                    (!chain || chain[i] == chain[i - 1]);
        if (!same) residue++;
        top->residue[i] = residue;
    }
    return 0;
}

// Returns the root of a set, which is its first atom. Path halving keeps the paths short.
static uint32_t root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static int number_molecules(struct trj_topology_builder *b, struct trj_error *err) {
    struct trj_topology *top = b->top;
    bool gaps = false;
    if (!top->bonds || top->molecule) return 0;
    if (b->some_bonds && top->residue &&
        trj_bonds_find_gaps(top->bond, top->bonds, top->residue, top->atoms, &gaps, err))
        return -1;
    if (gaps) return 0;
    uint32_t *parent = trj_alloc(top->atoms, sizeof *parent, "molecules", err);
    if (!parent) return -1;
    for (size_t i = 0; i < top->atoms; i++) parent[i] = (uint32_t)i;
    for (size_t k = 0; k < top->bonds; k++) {
        uint32_t p = root_of(parent, top->bond[k][0]), q = root_of(parent, top->bond[k][1]);
        if (p < q)
            parent[q] = p;
        else
            parent[p] = q;
    }
    // Each parent is before its child, so a single pass replaces parents by molecule numbers.
    uint32_t molecules = 0;
    for (size_t i = 0; i < top->atoms; i++) parent[i] = parent[i] == i ? molecules++ : parent[parent[i]];
    top->molecule = parent;
    return 0;
}

// Sets masses from elements, unless all elements are unknown. Massless sites of water models get 0.
static int guess_masses(struct trj_topology *top, struct trj_error *err) {
    if (top->mass || !top->element.id) return 0;
    bool known = false;
    double *masses = trj_alloc(top->element.count, sizeof *masses, "masses", err); // of each different element
    if (!masses) return -1;
    for (size_t k = 0; k < top->element.count; k++) {
        unsigned z = trj_element_find(top->element.text[k], strlen(top->element.text[k]));
        masses[k] = z ? trj_elements[z].mass : NAN;
        known = known || z;
    }
    if (known) top->mass = trj_alloc(top->atoms, sizeof *top->mass, "masses", err);
    if (top->mass) top->mass_from = "element";
    for (size_t i = 0; i < top->atoms && top->mass; i++) {
        top->mass[i] = masses[top->element.id[i]];
        if (!isnan(top->mass[i]) ||
            !trj_is_massless_site(trj_topology_text(&top->name, i), trj_topology_text(&top->resname, i)))
            continue;
        top->mass[i] = 0;
        top->mass_from = "element, 0 for sites of water";
    }
    free(masses);
    return known && !top->mass ? -1 : 0;
}

const struct trj_texts *trj_topology_segments(const struct trj_topology *top) {
    return top->segid.id ? &top->segid : &top->chain;
}

const struct trj_texts *trj_topology_chains(const struct trj_topology *top) {
    return top->chain.id ? &top->chain : &top->segid;
}

bool trj_topology_is_site(const struct trj_topology *top, size_t atom) {
    const char *name = trj_topology_text(&top->name, atom), *resname = trj_topology_text(&top->resname, atom);
    if (*trj_topology_text(&top->element, atom)) return false;
    if (trj_is_massless_site(name, resname)) return true;
    // "C1" of mass 0 may be an atom whose mass was omitted.
    return top->mass && top->mass[atom] == 0 && !trj_element_by_name(name, resname, TRJ_ELEMENT_NO_COLUMN);
}

struct format {
    const char *name, *endings[4]; // the last is NULL
    bool (*is)(const char *head, size_t n);
    int (*read)(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
};

// The order matters: the first lines of the first formats are unambiguous, while titles and comments can be any text.
static const struct format formats[] = {
    {"PSF", {".psf"}, trj_psf_is, trj_psf_read},
    {"PRMTOP", {".prmtop", ".parm7"}, trj_prmtop_is, trj_prmtop_read},
    {"MDTraj", {NULL}, trj_mdtraj_is, trj_mdtraj_read},
    {"DL_POLY FIELD", {"FIELD", ".field"}, trj_dlpoly_field_is, trj_dlpoly_field_read},
    {"mmCIF", {".mmcif", ".pdbx"}, trj_mmcif_is, trj_mmcif_read},
    {"CIF", {".cif"}, trj_small_cif_is, trj_small_cif_read},
    {"XDATCAR", {".xdatcar"}, trj_xdatcar_is, trj_xdatcar_read}, // before GRO: the second line is a number, too
    {"POSCAR", {".poscar", ".contcar", ".vasp"}, trj_poscar_is, trj_poscar_read},
    {"g96", {".g96", ".cnf"}, trj_g96_is, trj_g96_read},
    {"CARD", {".cor", ".card"}, trj_card_is, trj_card_read}, // before GRO, for which a title of one line looks like one
    {"GRO", {".gro"}, trj_gro_is, trj_gro_read},
    {"TPR", {".tpr"}, trj_tpr_is, trj_tpr_read},
    {"GROMACS top", {".top", ".itp"}, trj_top_is, trj_top_read},
    {"MOL2", {".mol2"}, trj_mol2_is, trj_mol2_read},
    {"DL_POLY", {NULL}, trj_dlpoly_is, trj_dlpoly_read},
    {"LAMMPS dump", {".lammpstrj", ".dump"}, trj_lammps_dump_is, trj_lammps_dump_read},
    {"LAMMPS data", {".data", ".lmp"}, trj_lammps_data_is, trj_lammps_data_read},
    {"PDB", {".pdb", ".ent"}, trj_pdb_is, trj_pdb_read},
    {"PQR", {".pqr"}, trj_pqr_is, trj_pqr_read}, // after PDB: a file that may be either is PDB, unless it is named .pqr
    {"Tinker", {".arc", ".txyz"}, trj_tinker_is, trj_tinker_read},
    {"XYZ", {".xyz", ".extxyz"}, trj_xyz_is, trj_xyz_read},
};

enum { FORMATS = sizeof formats / sizeof *formats };

// "PSF, GRO, PDB"
static const char *known_formats(char *text, size_t capacity) {
    size_t length = 0;
    for (size_t i = 0; i < FORMATS && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", i ? ", " : "", formats[i].name);
    return text;
}

static bool has_ending(const struct format *format, const struct trj_input *in) {
    for (const char *const *ending = format->endings; *ending; ending++)
        if (trj_input_ends_in(in, *ending)) return true;
    return false;
}

int trj_topology_peek_head(struct trj_input *in, const unsigned char **head, size_t *n, struct trj_error *err) {
    size_t want = TRJ_INPUT_PEEK;
    int rc = trj_input_peek(in, head, want, n, err);
    while (!rc && *n == want && want < TRJ_INPUT_PEEK_FAR && trj_vasp_is_cut((const char *)*head, *n))
        rc = trj_input_peek_far(in, head, want *= 2, n, err);
    return rc;
}

static const struct format *find_format(struct trj_input *in, struct trj_error *err) {
    const char *file = trj_input_name(in);
    const unsigned char *data;
    char known[256];
    size_t n;
    if (trj_topology_peek_head(in, &data, &n, err)) return NULL;
    const char *foreign = trj_foreign_format(data, n);
    const struct format *found = NULL;
    for (size_t i = 0; i < FORMATS && n && !foreign; i++)
        if (formats[i].is((const char *)data, n) && (!found || has_ending(&formats[i], in))) found = &formats[i];
    // A PDB file with misplaced columns may look like PQR, but must not be read as such: occupancies would become
    // charges.
    if (found && found->read == trj_pqr_read)
        for (size_t i = 0; i < FORMATS; i++)
            if (formats[i].read == trj_pdb_read && has_ending(&formats[i], in)) return &formats[i];
    if (found) return found;
    if (!foreign) foreign = trj_foreign_text(data, n);
    if (foreign) {
        trj_fail(err, TRJ_BAD_DATA, "%s: %s", file, foreign);
        return NULL;
    }
    const char *compression = trj_compression_name(data, n);
    if (!n) {
        trj_fail(err, TRJ_BAD_DATA, "%s: is empty; check the program that writes it, and run it again", file);
        return NULL;
    }
    if (compression) {
        trj_fail(err, TRJ_BAD_DATA, "%s: is compressed with %s; unpack it first", file, compression);
        return NULL;
    }
    // A damaged file is found by its name, so that the reader of its format reports the line.
    for (size_t i = 0; i < FORMATS; i++)
        if (has_ending(&formats[i], in)) return &formats[i];
    trj_fail(err, TRJ_BAD_DATA, "%s: not a known topology format; give one of %s", file,
             known_formats(known, sizeof known));
    return NULL;
}

static const struct format *named_format(const char *name, struct trj_error *err) {
    for (size_t i = 0; i < FORMATS; i++)
        if (!strcmp(formats[i].name, name)) return &formats[i];
    trj_fail(err, TRJ_FAILED, "'%s' is not a topology format", name);
    return NULL;
}

static void keep_insertion_codes(struct trj_topology_builder *b) {
    size_t i = 0;
    while (b->insertion && i < b->top->atoms && !b->insertion[i]) i++;
    if (!b->insertion || i == b->top->atoms) return;
    b->top->insertion = b->insertion;
    b->insertion = NULL;
}

static int complete(struct trj_topology_builder *b, struct trj_error *err) {
    return number_residues(b, err) || number_molecules(b, err) || guess_masses(b->top, err) ? -1 : 0;
}

static int read_lines(struct trj_topology **out, struct trj_lines *l, const struct format *format,
                      const struct trj_topology_options *options, struct trj_error *err) {
    struct trj_topology *top = trj_alloc(1, sizeof *top, "a topology", err);
    if (!top) return -1;
    struct trj_topology_builder b = {.top = top,
                                     .has_resid = true,
                                     .atom_style = options ? options->atom_style : NULL,
                                     .properties = options && options->properties,
                                     .defines = options ? &options->defines : NULL,
                                     .includes = options ? &options->includes : NULL,
                                     .name = {.texts = &top->name},
                                     .type = {.texts = &top->type},
                                     .resname = {.texts = &top->resname},
                                     .segid = {.texts = &top->segid},
                                     .chain = {.texts = &top->chain}};
    top->format = format->name;
    int rc = format->read(&b, l, err) || complete(&b, err) ? -1 : 0;
    keep_insertion_codes(&b);
    if (!rc) {
        *out = top;
        top = NULL;
    }
    trj_text_index_free(&b.name);
    trj_text_index_free(&b.type);
    trj_text_index_free(&b.resname);
    trj_text_index_free(&b.segid);
    trj_text_index_free(&b.chain);
    free(b.insertion);
    trj_topology_close(top);
    return rc;
}

static int read_input(struct trj_topology **out, struct trj_input *in, const struct trj_topology_options *options,
                      struct trj_error *err) {
    const char *name = options ? options->format : NULL;
    struct trj_lines lines = {.in = in};
    const struct format *format = name ? named_format(name, err) : find_format(in, err);
    if (!format) return -1;
    if (!read_lines(out, &lines, format, options, err)) return 0;
    trj_error_set_remedy(err, "correct the file or create it again, or give another topology");
    return trj_fail_at(err, "%s", trj_input_name(in));
}

int trj_topology_of_lines(struct trj_topology **top, struct trj_lines *l, const struct trj_topology_options *options,
                          struct trj_error *err) {
    const struct format *named = named_format(options->format, err);
    return named ? read_lines(top, l, named, options, err) : -1;
}

int trj_topology_of_types(struct trj_topology **out, const char *format, const char *const *name, const uint32_t *type,
                          size_t atoms, struct trj_error *err) {
    struct trj_topology *top = trj_alloc(1, sizeof *top, "a topology", err);
    if (!top) return -1;
    struct trj_topology_builder b = {.top = top, .name = {.texts = &top->name}, .type = {.texts = &top->type}};
    int rc = 0;
    top->format = format;
    for (size_t i = 0; i < atoms && !rc; i++)
        rc = trj_topology_add(&b, &(struct trj_topology_atom){.name = name[type[i]], .type = name[type[i]]}, err);
    trj_text_index_free(&b.name);
    trj_text_index_free(&b.type);
    if (rc)
        trj_topology_close(top);
    else
        *out = top;
    return rc;
}

int trj_topology_open_input(struct trj_topology **top, struct trj_input *in, const struct trj_topology_options *options,
                            struct trj_error *err) {
    int rc = read_input(top, in, options, err);
    trj_input_close(in);
    return rc;
}

int trj_topology_open_first(struct trj_topology **top, struct trj_input *in, const struct trj_topology_options *options,
                            struct trj_error *why, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    *top = NULL;
    if (!trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err) && trj_mdtraj_is((const char *)head, n) &&
        trj_input_spool(in, err)) // it requires random access
        return trj_fail_at(err, "%s", trj_input_name(in));
    bool marked = !trj_input_mark(in, err);
    if (marked) read_input(top, in, options, why); // *top stays NULL if it fails
    return marked && !trj_input_rewind(in, err) ? 0 : trj_fail_at(err, "%s", trj_input_name(in));
}

int trj_topology_open_with(struct trj_topology **top, const char *path, const struct trj_topology_options *options,
                           struct trj_error *err) {
    struct trj_input *in = NULL;
    return trj_input_open(&in, path, err) ? -1 : trj_topology_open_input(top, in, options, err);
}

int trj_topology_open(struct trj_topology **top, const char *path, struct trj_error *err) {
    return trj_topology_open_with(top, path, NULL, err);
}

const char *trj_topology_format(size_t i, const char *const **endings) {
    if (i >= FORMATS) return NULL;
    *endings = formats[i].endings;
    return formats[i].name;
}

bool trj_topology_has_name(const char *path) {
    for (size_t i = 0; i < FORMATS; i++)
        for (const char *const *ending = formats[i].endings; *ending; ending++)
            if (trj_name_ends_in(path, *ending)) return true;
    return false;
}

bool trj_topology_is_named(const struct trj_input *in) {
    for (size_t i = 0; i < FORMATS; i++)
        if (has_ending(&formats[i], in)) return true;
    return false;
}

static const struct format *format_of(const unsigned char *head, size_t n) {
    if (trj_foreign_format(head, n)) return NULL;
    for (size_t i = 0; i < FORMATS; i++)
        if (n && formats[i].is((const char *)head, n)) return &formats[i];
    return NULL;
}

bool trj_topology_is(const unsigned char *head, size_t n) {
    return format_of(head, n);
}

#define NOT_READ "is a topology, whose coordinates are not read; give a trajectory, and this file with -t, or "

const char *trj_topology_without_frames(const unsigned char *head, size_t n) {
    // Topologies that contain coordinates, but are not read as trajectories.
    static const struct {
        const char *format, *why;
    } not_read[] = {{"TPR", NOT_READ "convert it with gmx editconf -f in.tpr -o out.gro"},
                    {"MOL2", NOT_READ "convert it with obabel in.mol2 -O out.xyz"},
                    {"LAMMPS data", NOT_READ "write a dump with the commands of LAMMPS read_data in.data and "
                                             "write_dump all custom out.dump id type x y z"}};
    const struct format *format = format_of(head, n);
    if (!format) return NULL;
    for (size_t i = 0; i < sizeof not_read / sizeof *not_read; i++)
        if (!strcmp(format->name, not_read[i].format)) return not_read[i].why;
    return "is a topology, which has no frames; give a trajectory, and this file with -t";
}

void trj_topology_close(struct trj_topology *top) {
    if (!top) return;
    trj_texts_clear(&top->name);
    trj_texts_clear(&top->type);
    trj_texts_clear(&top->resname);
    trj_texts_clear(&top->segid);
    trj_texts_clear(&top->chain);
    trj_texts_clear(&top->element);
    free(top->ambiguous);
    free(top->own_note);
    free(top->resid);
    free(top->insertion);
    free(top->mass);
    free(top->charge);
    free(top->radius);
    free(top->sigma);
    free(top->epsilon);
    free(top->parameters);
    free(top->bfactor);
    free(top->occupancy);
    free(top->residue);
    free(top->molecule);
    free(top->bond);
    free(top);
}

static bool same_text(const struct trj_texts *a, const struct trj_texts *b, size_t atom) {
    return !a->id || !b->id || !strcmp(a->text[a->id[atom]], b->text[b->id[atom]]);
}

size_t trj_topology_differ(const struct trj_topology *a, const struct trj_topology *b, const uint32_t *rows, size_t n) {
    const struct trj_texts *const columns[][2] = {{&a->name, &b->name},
                                                  {&a->element, &b->element},
                                                  {&a->segid, &b->segid},
                                                  {&a->chain, &b->chain},
                                                  {&a->resname, &b->resname}};
    for (size_t i = 0; i < n; i++) {
        size_t atom = rows ? rows[i] : i;
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            if (!same_text(columns[k][0], columns[k][1], atom)) return i;
        if (a->resid && b->resid && a->resid[atom] != b->resid[atom]) return i;
    }
    return n;
}
