// SPDX-License-Identifier: MIT
// Chooses the properties of atoms that a stream carries, and compares them between inputs.
#include "carry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "element.h"
#include "memory.h"
#include "nearest_name.h"
#include "topology_parts.h"

// Remedies if a topology lacks a property.
static const struct {
    const char *name, *remedy;
} remedies[] = {
    {"element", "give a topology with elements, masses or known names with -t"},
    {"charge", "give a PSF, PRMTOP, TPR, GROMACS top, PQR, MOL2 or LAMMPS data file with -t"},
    {"mass", "give a PSF, PRMTOP, TPR, GROMACS top or LAMMPS data file with -t"},
    {"radius",
     "give a PRMTOP or PQR file with -t, or request van der Waals radii by element with --carry radius=bondi"},
    {"sigma",
     "give a PRMTOP, TPR or GROMACS top file with -t, or a PSF file and its CHARMM parameters with --parameters"},
    {"epsilon",
     "give a PRMTOP, TPR or GROMACS top file with -t, or a PSF file and its CHARMM parameters with --parameters"},
    {"bfactor", "give a PDB file with -t"},
    {"occupancy", "give a PDB file with -t"},
    {"resname", "give a topology with residues with -t, such as PSF, PRMTOP, TPR, PDB or GRO"},
    {"resid", "give a topology with residues with -t, such as PSF, PRMTOP, TPR, PDB or GRO"},
    {"segid", "give a topology with segments or chains with -t, such as PSF, TPR or PDB"},
    {NULL, "give a topology with -t"},
};

static const char element_word[] = "element"; // the elements of a stream are no property, but requested like one

// Returns the bit TRJ_HAS_... of a word; 0: none.
static unsigned motion_of(const char *word) {
    for (unsigned k = 0; k < TRJ_MOTION_KINDS; k++)
        if (!strcmp(word, trj_motion_names[k])) return 1u << k;
    return 0;
}

static const char *remedy_of(const char *name) {
    size_t i = 0;
    while (remedies[i].name && strcmp(remedies[i].name, name) != 0) i++;
    return remedies[i].remedy;
}

static int parse_item(struct trj_carry *carry, char *word, struct trj_error *err) {
    const char *names[TRJ_PROPERTIES_MAX + 3] = {element_word, trj_motion_names[0], trj_motion_names[1]};
    char *source = strchr(word, '=');
    if (source) *source++ = 0;
    if (!strcmp(word, element_word)) {
        if (source || carry->elements)
            return trj_fail(err, TRJ_USAGE, "--carry: element occurs twice, or has a source; give this word alone");
        carry->elements = true;
        return 0;
    }
    unsigned motion = motion_of(word);
    if (motion && (source || carry->motion & motion))
        return trj_fail(err, TRJ_USAGE, "--carry: %s occurs twice, or has a source; give this word alone", word);
    carry->motion |= motion;
    if (motion) return 0;
    const struct trj_property_definition *what = trj_property_define(word);
    if (!what) {
        for (size_t i = 0; trj_property_definitions[i].name; i++) names[i + 3] = trj_property_definitions[i].name;
        const char *near = trj_nearest_name(word, names);
        return trj_fail(err, TRJ_USAGE,
                        "--carry: unknown property '%s'%s%s%s (properties: charge, mass, radius, sigma, "
                        "epsilon, bfactor, occupancy, name, resname, resid, segid, element, velocity, image)",
                        word, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (source && (strcmp(word, "radius") != 0 || strcmp(source, "bondi") != 0))
        return trj_fail(err, TRJ_USAGE, "--carry: '%s' is not a source of %s; the only source is radius=bondi", source,
                        word);
    if (trj_carry_requests(carry, what->name))
        return trj_fail(err, TRJ_USAGE, "--carry: %s occurs twice; give each property once", what->name);
    carry->item[carry->count++] = (struct trj_carry_item){.what = what, .bondi = source};
    return 0;
}

static void add_identity(struct trj_carry *carry) {
    static const char *const names[] = {"name", "resname", "resid", "segid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!trj_carry_requests(carry, names[i]))
            carry->item[carry->count++] =
                (struct trj_carry_item){.what = trj_property_define(names[i]), .optional = true};
}

int trj_carry_parse(struct trj_carry *carry, const char *text, struct trj_error *err) {
    *carry = (struct trj_carry){.count = 0};
    if (!text) return 0;
    char *copy = trj_copy_text(text, err), *next = copy;
    int rc = copy ? 0 : -1;
    while (next && !rc) {
        char *word = next;
        next = strchr(word, ',');
        if (next) *next++ = 0;
        rc = parse_item(carry, word, err);
    }
    if (!rc && trj_carry_requests(carry, "mass")) add_identity(carry);
    free(copy);
    return rc;
}

bool trj_carry_has_properties(const struct trj_carry *carry) {
    return carry->count || carry->elements;
}

bool trj_carry_requests(const struct trj_carry *carry, const char *name) {
    for (size_t i = 0; i < carry->count; i++)
        if (!strcmp(carry->item[i].what->name, name)) return true;
    return false;
}

// ---- values of a topology, as a property of all its atoms; the arrays belong to the topology, or to the caller

// The values that a topology has for a property. All members are NULL if it has none.
struct values {
    double *real;
    int64_t *integer;
    const struct trj_texts *text;
    const char *how; // added to the origin; NULL: nothing
};

static struct values find_values(const struct trj_topology *top, const char *name) {
    const struct {
        const char *name;
        struct values values;
    } columns[] = {
        {"charge", {.real = top->charge}},
        {"mass", {.real = top->mass, .how = top->mass_from ? "guessed from the elements" : NULL}},
        {"radius", {.real = top->radius, .how = top->radius_from}},
        {"sigma", {.real = top->sigma, .how = top->lj_from}},
        {"epsilon", {.real = top->epsilon, .how = top->lj_from}},
        {"bfactor", {.real = top->bfactor}},
        {"occupancy", {.real = top->occupancy}},
        {"name", {.text = &top->name}},
        {"resname", {.text = &top->resname}},
        {"segid", {.text = trj_topology_segments(top)}},
        {"resid", {.integer = top->resid}},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(columns[i].name, name)) return columns[i].values;
    return (struct values){NULL, NULL, NULL, NULL};
}

// Makes the texts of a property, the first of which is "", from those of a topology. Control characters are replaced,
// because a stream must not contain them.
static int make_texts(struct trj_texts *to, const struct trj_texts *from, size_t atoms, struct trj_error *err) {
    struct trj_text_index index = {.texts = to};
    uint32_t *number = trj_alloc(from->count, sizeof *number, "names", err), empty;
    int rc = number && (to->id = trj_alloc(atoms, sizeof *to->id, "names", err)) ? 0 : -1;
    if (!rc) rc = trj_text_index_add(&index, "", &empty, err);
    for (size_t i = 0; i < from->count && !rc; i++) {
        char *text = trj_copy_text(from->text[i], err);
        if (text) trj_replace_control_chars(text);
        rc = text ? trj_text_index_add(&index, text, &number[i], err) : -1;
        free(text);
    }
    for (size_t i = 0; i < atoms && !rc; i++) to->id[i] = number[from->id[i]];
    trj_text_index_free(&index);
    free(number);
    return rc;
}

// Returns the radii of the elements of a topology, which the caller frees.
static double *bondi_radii(const struct trj_topology *top, struct trj_error *err) {
    double *radius = trj_alloc(top->atoms, sizeof *radius, "radii", err);
    double *of_element = trj_alloc(top->element.count, sizeof *of_element, "radii", err); // of each symbol
    for (size_t i = 0; i < top->element.count && of_element; i++)
        of_element[i] = trj_bondi_radius(trj_element_find(top->element.text[i], strlen(top->element.text[i])));
    for (size_t i = 0; i < top->atoms && radius && of_element; i++) radius[i] = of_element[top->element.id[i]];
    if (!of_element) {
        free(radius);
        radius = NULL;
    }
    free(of_element);
    return radius;
}

// Sets the values of centres to the sums over their atoms.
static void sum_centres(const struct trj_stream_header *h, struct trj_property *p, const struct trj_property *from,
                        const struct trj_centres *centres) {
    for (size_t i = 0; i < h->centres; i++) {
        double *sum = &p->real[h->atoms - h->centres + i];
        *sum = 0;
        for (size_t k = centres->begin[i]; k < centres->begin[i + 1]; k++)
            if (!centres->outside[k]) *sum += from->real[centres->atom[k]];
        if (!isfinite(*sum)) *sum = NAN;
    }
}

// Adds a property with the values of `from`.
static int add_property(struct trj_stream_header *h, const struct trj_property_definition *what, const char *origin,
                        const struct trj_property *from, const uint32_t *rows, const struct trj_centres *centres,
                        struct trj_error *err) {
    struct trj_property *p = trj_property_add(h, what->name, what->unit, origin, what->kind, err);
    if (!p || trj_property_take(h, p, from, rows, err)) return -1;
    if (what->adds && centres) sum_centres(h, p, from, centres);
    return 0;
}

// Adds a property with the values v of a topology. The origin is the name of its file.
static int add_values(struct trj_stream_header *h, const struct trj_carry_item *item, const struct values *v,
                      const struct trj_topology *top, const char *file, const uint32_t *rows,
                      const struct trj_centres *centres, struct trj_error *err) {
    struct trj_property from = {.real = v->real, .integer = v->integer};
    struct trj_bytes origin = {0};
    int rc = -1;
    if (v->text && make_texts(&from.text, v->text, top->atoms, err)) goto out;
    const char *const words[] = {top->format, " file ", file, v->how ? "; " : "", v->how ? v->how : ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) trj_put_raw(&origin, words[i], strlen(words[i]));
    trj_put_raw(&origin, "", 1);
    rc = origin.failed ? trj_fail_memory(err, (double)origin.size, "properties")
                       : add_property(h, item->what, (const char *)origin.data, &from, rows, centres, err);
out:
    trj_texts_clear(&from.text);
    trj_bytes_free(&origin);
    return rc;
}

static int add_bondi(struct trj_stream_header *h, const struct trj_carry_item *item, const struct trj_topology *top,
                     const char *file, const uint32_t *rows, const struct trj_centres *centres, struct trj_error *err) {
    if (!top->element.id)
        return trj_fail(err, TRJ_USAGE,
                        "--carry radius=bondi: the %s file %s contains no elements; give a topology "
                        "with elements or masses with -t",
                        top->format, file);
    double *radius = bondi_radii(top, err);
    struct values v = {.real = radius,
                       .how = top->element_from ? "Bondi radii of the elements, which are guessed"
                                                : "Bondi radii of the elements"};
    int rc = radius ? add_values(h, item, &v, top, file, rows, centres, err) : -1;
    free(radius);
    return rc;
}

static int fail_missing(const char *name, const struct trj_topology *top, const char *file, struct trj_error *err) {
    if (top)
        return trj_fail(err, TRJ_USAGE, "--carry %s: the %s file %s does not contain it; %s", name, top->format, file,
                        remedy_of(name));
    return trj_fail(err, TRJ_USAGE, "--carry %s: there is no topology; %s", name, remedy_of(name));
}

// Sets the elements of stream atoms that the header lacks; centres have none.
static int add_elements(struct trj_stream_header *h, const struct trj_topology *top, const uint32_t *rows,
                        struct trj_error *err) {
    h->element = trj_alloc(h->atoms, sizeof *h->element, "elements", err);
    h->element_from = h->element && top->element_from ? trj_copy_text(top->element_from, err) : NULL;
    if (!h->element || (top->element_from && !h->element_from)) return -1;
    for (size_t i = 0; i < h->atoms - h->centres; i++) {
        const char *symbol = trj_topology_text(&top->element, rows ? rows[i] : i);
        h->element[i] = trj_element_find(symbol, strlen(symbol));
    }
    return 0;
}

static bool knows_elements(const struct trj_stream_header *h) {
    for (size_t i = 0; h->element && i < h->atoms; i++)
        if (h->element[i]) return true;
    return false;
}

int trj_carry_fill(struct trj_stream_header *h, const struct trj_carry *carry, const struct trj_topology *top,
                   const char *file, const struct trj_stream_header *from, const uint32_t *rows,
                   const struct trj_centres *centres, struct trj_error *err) {
    for (size_t i = 0; i < carry->count; i++) {
        const struct trj_carry_item *item = &carry->item[i];
        const struct values v = top ? find_values(top, item->what->name) : (struct values){.how = NULL};
        bool has = v.real || v.integer || (v.text && v.text->id);
        if (item->bondi && top) {
            if (add_bondi(h, item, top, file, rows, centres, err)) return -1;
        } else if (has) {
            if (add_values(h, item, &v, top, file, rows, centres, err)) return -1;
        } else if (!item->optional && (item->bondi || !from || !trj_property_find(from, item->what->name))) {
            return fail_missing(item->what->name, top, file, err);
        }
    }
    if (carry->elements && !h->element && top && top->element.id && add_elements(h, top, rows, err)) return -1;
    if (carry->elements && !knows_elements(h)) return fail_missing(element_word, top, file, err);
    for (size_t i = 0; from && i < from->property_count; i++) {
        const struct trj_property *p = &from->properties[i];
        const struct trj_property_definition *known = trj_property_define(p->name);
        const struct trj_property_definition what = {p->name, p->unit, p->kind,
                                                     known && known->adds && p->kind == TRJ_PROPERTY_REAL};
        if (!trj_property_find(h, p->name) && add_property(h, &what, p->origin, p, rows, centres, err)) return -1;
    }
    return 0;
}

// Returns whether the values of an atom are equal. An unknown value is equal to any other.
static bool same_value(const struct trj_property *a, const struct trj_property *b, size_t atom) {
    if (!trj_property_known(a, atom) || !trj_property_known(b, atom)) return true;
    if (a->kind == TRJ_PROPERTY_REAL) return a->real[atom] == b->real[atom];
    if (a->kind == TRJ_PROPERTY_INTEGER) return a->integer[atom] == b->integer[atom];
    return !strcmp(a->text.text[a->text.id[atom]], b->text.text[b->text.id[atom]]);
}

int trj_carry_compare(const struct trj_stream_header *first, const struct trj_stream_header *further,
                      struct trj_error *err) {
    for (size_t k = 0; k < first->property_count; k++) {
        const struct trj_property *a = &first->properties[k], *b = trj_property_find(further, a->name);
        if (!b) continue;
        if (a->kind != b->kind || strcmp(a->unit, b->unit) != 0)
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s has the unit '%s', but '%s' in the first input, or values of another kind; join "
                            "streams with the same properties",
                            a->name, b->unit, a->unit);
        for (size_t i = 0; i < first->atoms; i++)
            if (!same_value(a, b, i))
                return trj_fail(err, TRJ_BAD_DATA,
                                "%s of atom %zu of the stream differs from that in the first input; give one topology "
                                "for all inputs with -t",
                                a->name, i);
    }
    return 0;
}
