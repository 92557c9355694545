// SPDX-License-Identifier: MIT
// reorient: how vectors in molecules turn with time, as the first and second Legendre polynomials of the angle between
// their directions in two frames.
//
// P1 is the product of two unit vectors. P2 = (3 (u.u')^2 - 1)/2, and (u.u')^2 is the product of the tensors u u^T and
// u' u'^T, so that it is 3/2 of the product of their traceless parts, which have five independent components.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "nearest_image.h"
#include "signal.h"
#include "vector_products.h"
#include "vectors.h"

enum { FROM, TO, OF };
enum { ATOM, RESIDUE, MOLECULE };
enum { P1, P2, PARTS };

// The vector of a residue or molecule is from the mean of its `from` atoms to the mean of its `to` atoms, as images
// nearest to the first of them.
struct vectors {
    bool direct;    // positions were unwrapped with whole molecules, so that no images are needed
    size_t count;   // vectors
    size_t members; // atoms of both selections
    struct member {
        uint32_t atom, vector;
        double weight; // -1 / (number of `from` atoms) or 1 / (number of `to` atoms)
        bool first;    // of its vector
    } * member;        // [members]
};

static int compare_members(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->vector != y->vector) return x->vector < y->vector ? -1 : 1;
    if ((x->weight > 0) != (y->weight > 0)) return x->weight > 0 ? 1 : -1;
    return (x->atom > y->atom) - (x->atom < y->atom);
}

// Numbers the vectors by residues or molecules: `key` of each atom. Each must have atoms of both selections.
static int number_vectors(struct vectors *v, const uint32_t *key, const struct obs_selection *from,
                          const struct obs_selection *to, const char *word, struct trj_error *err) {
    for (size_t i = 0; i < v->members; i++) v->member[i].vector = key[v->member[i].atom];
    qsort(v->member, v->members, sizeof *v->member, compare_members);
    for (size_t i = 0, next; i < v->members; i = next, v->count++) {
        const uint32_t number = v->member[i].vector;
        size_t counts[2] = {0, 0};
        for (next = i; next < v->members && v->member[next].vector == number; next++)
            counts[v->member[next].weight > 0]++;
        if (!counts[0] || !counts[1])
            return trj_fail(err, TRJ_USAGE, "the %s of atom %lu of the stream has no atom of '%s'", word,
                            (unsigned long)v->member[i].atom, counts[0] ? to->text : from->text);
        for (size_t k = i; k < next; k++) {
            const bool end = v->member[k].weight > 0;
            v->member[k].vector = (uint32_t)v->count;
            v->member[k].weight = end ? 1 / (double)counts[1] : -1 / (double)counts[0];
            v->member[k].first = k == i;
        }
    }
    return 0;
}

static int list_members(struct vectors *v, const struct obs_observable *o, const struct obs_system *s,
                        struct trj_error *err) {
    const struct obs_selection *from = &s->selection[o->argument[FROM].selection],
                               *to = &s->selection[o->argument[TO].selection];
    const unsigned of = o->argument[OF].choice;
    const uint32_t *key = of == RESIDUE ? s->header->residue : s->header->molecule;
    if (of == ATOM && obs_vectors_check(s, o->argument[FROM].selection, o->argument[TO].selection, err)) return -1;
    if (from->dynamic || to->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones",
                        from->dynamic ? from->text : to->text);
    if (of != ATOM && !key)
        return trj_fail(err, TRJ_BAD_DATA, "the stream does not number %ss; give trjcat a topology that has %s (-t)",
                        of == RESIDUE ? "residue" : "molecule", of == RESIDUE ? "them" : "bonds");
    if (!(v->member = trj_alloc(from->count + to->count, sizeof *v->member, "vectors", err))) return -1;
    if (of == ATOM) {
        for (uint32_t i = 0; i < from->count; i++) {
            v->member[v->members++] = (struct member){from->atoms[i], i, -1, true};
            v->member[v->members++] = (struct member){to->atoms[i], i, 1, false};
        }
        v->count = from->count;
        return 0;
    }
    for (size_t i = 0; i < from->count; i++) v->member[v->members++] = (struct member){from->atoms[i], 0, -1, false};
    for (size_t i = 0; i < to->count; i++) v->member[v->members++] = (struct member){to->atoms[i], 0, 1, false};
    return number_vectors(v, key, from, to, of == RESIDUE ? "residue" : "molecule", err);
}

// Molecules that were unwrapped as a whole need no images, and images in the cell of the frame would be wrong ones.
static int check_images(struct vectors *v, const struct trj_stream_header *h, struct trj_error *err) {
    for (size_t i = 0; i < h->movement_count; i++) {
        if (!trj_movement_way(h->movements[i].kind)) continue;
        v->direct = !strcmp(h->movements[i].selection, "molecules");
        if (!v->direct)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "atoms were unwrapped one by one, so that vectors between them can be those of different "
                "periodic images; unwrap molecules: trjcat -t FILE --whole --unwrap, or leave --unwrap out");
    }
    return 0;
}

static int open_reorient(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    struct tcf_signal *signal = tcf_signal_open(o, PARTS, 0, err);
    struct vectors *v = signal ? signal->own = trj_alloc(1, sizeof *v, "vectors", err) : NULL;
    if (!v || check_images(v, s->header, err) || list_members(v, o, s, err)) return -1;
    const double n = (double)v->count;
    struct tcf_column *c1 = tcf_signal_add_column(signal, "C1", "", P1, P1, 1 / n, err),
                      *c2 = c1 ? tcf_signal_add_column(signal, "C2", "", P2, P2, 1 / n, err) : NULL;
    if (!c2) return -1;
    signal->count[P1] = 3 * v->count;
    signal->count[P2] = 5 * v->count;
    signal->normalised = true;
    c1->integral = "tau1";
    c2->integral = "tau2";
    c1->integral_unit = c2->integral_unit = "ps";
    c1->scale = c2->scale = 1;
    c1->meaning = "integral of C1 up to the lag";
    c2->meaning = "integral of C2 up to the lag";
    return 0;
}

// Sets P1 and P2 of a unit vector. The products of two such P2 sum up to (3 (u.u')^2 - 1)/2.
static void set_tensors(const double u[3], double *first, double *second) {
    const double root3 = 1.7320508075688772;
    for (int k = 0; k < 3; k++) first[k] = u[k];
    second[0] = (2 * u[2] * u[2] - u[0] * u[0] - u[1] * u[1]) / 2;
    second[1] = root3 / 2 * (u[0] * u[0] - u[1] * u[1]);
    second[2] = root3 * u[0] * u[1];
    second[3] = root3 * u[0] * u[2];
    second[4] = root3 * u[1] * u[2];
}

static int compute_reorient(const struct obs_observable *o, struct obs_view *view, double *value,
                            struct trj_error *err) {
    const struct vectors *v = tcf_signal_of(o)->own;
    const struct trj_frame *f = obs_view_frame(view);
    const struct trj_lattice *lattice;
    double d[3] = {0, 0, 0}, origin[3] = {0, 0, 0};
    if (obs_view_lattice(view, &lattice, err)) return -1;
    for (size_t i = 0; i < v->members; i++) {
        const struct member *m = &v->member[i];
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = (double)f->x[k][m->atom] * f->unit;
        if (m->first) memset(d, 0, sizeof d);
        if (m->first) memcpy(origin, x, sizeof x);
        for (int k = 0; k < 3; k++) x[k] -= origin[k];
        if (!v->direct) trj_nearest_image(lattice, x);
        for (int k = 0; k < 3; k++) d[k] += m->weight * x[k];
        if (i + 1 < v->members && !v->member[i + 1].first) continue;
        const double length = trj_norm(d);
        if (!(length > 0 && isfinite(length)))
            return trj_fail(err, TRJ_BAD_DATA, "vector %lu, which atom %lu ends, has no direction; leave the frame out",
                            (unsigned long)m->vector, (unsigned long)m->atom);
        for (int k = 0; k < 3; k++) d[k] /= length;
        set_tensors(d, value + 3 * (size_t)m->vector, value + 3 * v->count + 5 * (size_t)m->vector);
    }
    return 0;
}

static void close_reorient(struct obs_observable *o) {
    struct tcf_signal *signal = tcf_signal_of(o);
    struct vectors *v = signal ? signal->own : NULL;
    if (v) free(v->member);
    tcf_signal_close(o);
}

static const struct obs_column columns[] = {{"C1", ""}, {"tau1", "ps"}, {"C2", ""}, {"tau2", "ps"}};

const struct obs_function tcf_reorient = {
    .name = "reorient",
    .parameter = {{.name = "from", .kind = OBS_ATOMS},
                  {.name = "to", .kind = OBS_ATOMS},
                  {.name = "of", .kind = OBS_CHOICE, .standard = "atom", .choices = TCF_UNITS}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "reorientation: means of cos a and of (3 cos^2 a - 1)/2, where a is the angle between the directions of "
        "a vector at t and t + lag; vectors are from each atom of the first group to that of the second one, or, "
        "in each residue or molecule, from the mean of its atoms in the first group to that in the second one",
    .tool = "trjcorr",
    .open = open_reorient,
    .compute = compute_reorient,
    .close = close_reorient,
};
