// SPDX-License-Identifier: MIT
// Selections and positions that all observables of a frame share, so that each is evaluated and verified once.
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "largest_gap.h"
#include "memory.h"
#include "movement.h"
#include "property.h"

int obs_system_open(struct obs_system *s, const struct trj_stream_header *h, struct trj_error *err) {
    s->header = h;
    if (h->open_system)
        return trj_fail(err, TRJ_BAD_DATA, "the number of atoms changes; observables require a fixed one");
    if (trj_stream_scope_make(&s->scope, h, err)) return -1;
    if (!h->bond) return 0;
    // Bonds to atoms that the stream lacks cannot be verified.
    size_t count = 0;
    uint32_t(*bond)[2] = trj_alloc(h->bond_count, sizeof *bond, "bonds", err);
    if (!bond) return -1;
    for (size_t i = 0; i < h->bond_count; i++) {
        if (h->bond[i][0] >= h->atoms || h->bond[i][1] >= h->atoms) continue;
        memcpy(bond[count++], h->bond[i], sizeof *bond);
    }
    int rc = trj_whole_make(&s->tree, bond, count, h->atoms, err);
    free(bond);
    return rc;
}

void obs_system_open_syntax(struct obs_system *s, const struct trj_selection_scope *scope) {
    *s = (struct obs_system){.syntax = scope};
}

void obs_system_free(struct obs_system *s) {
    for (size_t i = 0; i < s->count; i++) {
        struct obs_selection *one = &s->selection[i];
        trj_selection_free(one->selection);
        free(one->text);
        free(one->atoms);
        free(one->edge);
        free(one->unit);
    }
    free(s->selection);
    trj_whole_free(&s->tree);
    trj_stream_scope_free(&s->scope);
}

// ---------------------------------------------------------------------------------------------------------- selections

static const struct trj_group *dynamic_group(const struct trj_stream_header *h, const char *name) {
    for (size_t i = 0; i < h->group_count; i++)
        if (h->groups[i].dynamic && !strcmp(h->groups[i].name, name)) return &h->groups[i];
    return NULL;
}

// Returns a dynamic group whose name is a word of the text, or NULL.
static const struct trj_group *find_dynamic_word(const struct trj_stream_header *h, const char *text) {
    static const char ends[] = " ()";
    for (size_t i = 0; i < h->group_count; i++) {
        const char *name = h->groups[i].name;
        size_t n = strlen(name);
        for (const char *at = text; h->groups[i].dynamic && (at = strstr(at, name)); at++)
            if ((at == text || strchr(ends, at[-1])) && strchr(ends, at[n])) return &h->groups[i];
    }
    return NULL;
}

// Returns whether a text is one word, which may be the name of a group.
static bool is_word(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t n = strspn(text, letters);
    return n && !text[n + strspn(text + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

static int find_atoms(struct obs_selection *one, const struct obs_system *s, struct trj_error *err) {
    if (s->syntax) return trj_selection_parse(&one->selection, one->text, s->syntax, err);
    const struct trj_selection_scope scope = trj_stream_scope_all(&s->scope);
    if ((one->group = dynamic_group(s->header, one->text))) {
        one->dynamic = true;
        one->count = one->group->count;
        if (!(one->atoms = trj_alloc(one->count, sizeof *one->atoms, "a group", err))) return -1;
        memcpy(one->atoms, one->group->atoms, one->count * sizeof *one->atoms);
        return 0;
    }
    if (trj_selection_parse(&one->selection, one->text, &scope, err)) {
        const struct trj_group *group = err->status == TRJ_USAGE ? find_dynamic_word(s->header, one->text) : NULL;
        if (group)
            trj_error_append(err,
                             "; '%s' is a dynamic group, which can only be given alone; define another one: "
                             "trjcat -g '%s=...' -g 'NEW=%s and ...'",
                             group->name, group->name, group->name);
        else if (strstr(err->text, "unknown keyword") && is_word(one->text))
            trj_error_append(err, "; if it is a group, define it: trjcat -g %s=SELECTION", one->text);
        return -1;
    }
    one->dynamic = trj_selection_is_dynamic(one->selection);
    if (one->dynamic) return trj_selection_candidates(one->selection, &one->atoms, &one->count, err);
    if (!trj_selection_atoms(one->selection, NULL, &one->atoms, &one->count, err)) return 0;
    if (err->status == TRJ_BAD_DATA) err->status = TRJ_USAGE; // it selects nothing
    return -1;
}

// A selection such as `all` of atoms and of the centres that were computed from them would count their masses twice.
static int parse(struct obs_selection *one, const struct obs_system *s, struct trj_error *err) {
    if (find_atoms(one, s, err)) return -1;
    if (s->syntax) return 0;
    size_t atoms = s->header->atoms - s->header->centres;
    if (!one->count || one->atoms[0] >= atoms || one->atoms[one->count - 1] < atoms) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "'%s' selects atoms, and centres that were computed from atoms; select only one of them, such as "
                    "a group of the stream, or index 0 to %zu",
                    one->text, atoms - 1);
}

int obs_system_select(struct obs_system *s, const char *text, size_t *number, struct trj_error *err) {
    for (*number = 0; *number < s->count; ++*number)
        if (!strcmp(s->selection[*number].text, text)) return 0;
    if (trj_grow(&s->selection, &s->capacity, s->count + 1, sizeof *s->selection, "selections", err)) return -1;
    struct obs_selection *one = &s->selection[s->count++];
    *one = (struct obs_selection){.text = trj_copy_text(text, err)};
    return one->text ? parse(one, s, err) : -1;
}

int obs_system_need_property(const struct obs_system *s, const char *name, size_t selection, const double **values,
                             struct trj_error *err) {
    const struct obs_selection *one = &s->selection[selection];
    const struct trj_group group = {.name = one->text, .count = one->count, .atoms = one->atoms};
    return trj_property_require(s->header, name, &group, values, err);
}

// --------------------------------------------------------------------------------------------------------------- units

// Finds the bonds of the tree that connect the atoms of a selection, possibly through other atoms. An atom needs the
// bond to its reference atom if the part of the molecule behind it contains some, but not all, of the selected ones.
static int list_edges(struct obs_selection *one, const struct obs_system *s, struct trj_error *err) {
    const struct trj_whole *t = &s->tree;
    uint32_t *behind = trj_alloc(s->header->atoms, sizeof *behind, "atoms", err);
    if (!behind || !(one->edge = trj_alloc(t->atoms, sizeof *one->edge, "bonds", err))) {
        free(behind);
        return -1;
    }
    for (size_t i = 0; i < one->count; i++) behind[one->atoms[i]] = 1;
    for (size_t m = 0; m < t->molecules; m++) {
        uint32_t first = t->order[t->begin[m]];
        for (size_t i = t->begin[m + 1]; i-- > t->begin[m] + 1;) behind[t->reference[i]] += behind[t->order[i]];
        for (size_t i = t->begin[m] + 1; i < t->begin[m + 1]; i++)
            if (behind[t->order[i]] && behind[t->order[i]] < behind[first]) one->edge[one->edges++] = (uint32_t)i;
    }
    free(behind);
    return 0;
}

// Sets the units: if molecules were made whole and the stream numbers them, these, because sites without bonds were
// moved with them; otherwise what bonds connect.
static int number_units(struct obs_selection *one, const struct obs_system *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    uint32_t *molecule = trj_alloc(h->atoms, sizeof *molecule, "molecules", err),
             *unit = trj_alloc(h->atoms, sizeof *unit, "units", err);
    one->unit = trj_alloc(one->count, sizeof *one->unit, "units", err);
    if (molecule && unit && one->unit) {
        for (size_t i = 0; i < h->atoms; i++) molecule[i] = (uint32_t)i;
        for (size_t m = 0; m < s->tree.molecules; m++)
            for (size_t i = s->tree.begin[m]; i < s->tree.begin[m + 1]; i++)
                molecule[s->tree.order[i]] = s->tree.order[s->tree.begin[m]];
        if (h->molecule && trj_movement_find(h, TRJ_MOVED_WHOLE)) {
            uint32_t *first = trj_alloc(h->atoms, sizeof *first, "molecules", err);
            for (size_t i = h->atoms; first && i-- > 0;)
                if (h->molecule[i] < h->atoms) first[h->molecule[i]] = (uint32_t)i;
            for (size_t i = 0; first && i < h->atoms; i++)
                if (h->molecule[i] < h->atoms) molecule[i] = first[h->molecule[i]];
            free(first);
        }
        for (size_t i = 0; i < one->count; i++) {
            uint32_t *number = &unit[molecule[one->atoms[i]]];
            if (!*number) *number = (uint32_t)++one->units;
            one->unit[i] = *number - 1;
        }
    }
    bool done = molecule && unit && one->unit;
    free(molecule);
    free(unit);
    return done ? 0 : -1;
}

int obs_system_need_whole(struct obs_system *s, size_t selection, struct trj_error *err) {
    struct obs_selection *one = &s->selection[selection];
    if (one->has_units || s->syntax) return 0;
    one->has_units = true;
    if (s->header->bond && list_edges(one, s, err)) return -1;
    return number_units(one, s, err);
}

// --------------------------------------------------------------------------------------------------------------- views

struct member {
    struct obs_positions p;
    uint32_t *own; // the atoms of a dynamic selection in this frame
    size_t capacity, own_capacity;
    bool placed, bonds_verified, units_verified;
    const uint32_t *restricted; // numbers of the atoms of `part` in the selection; NULL: it is not restricted
    struct obs_positions part;
    uint32_t *part_atoms;
    size_t part_capacity, part_atoms_capacity;
};

struct scratch {
    const void *owner;
    void *memory;
    void (*release)(void *memory);
};

struct obs_view {
    const struct obs_system *system;
    const struct trj_frame *frame;
    struct trj_lattice lattice;
    bool has_lattice, has_all;
    double (*all)[3];        // [header->atoms] positions, for bonds through atoms that are not selected
    double (*centre)[4];     // [header->atoms] of units with members: sum of positions, and number
    double *fraction;        // [header->atoms] of units
    uint32_t *unit, *place;  // [header->atoms] the unit of each centre; the centre of each unit, if it has one
    struct member *member;   // [system->count]
    struct scratch *scratch; // [scratches]
    size_t scratches, scratch_capacity;
};

int obs_view_open(struct obs_view **view, const struct obs_system *s, struct trj_error *err) {
    struct obs_view *v = *view = trj_alloc(1, sizeof *v, "a frame", err);
    if (!v) return -1;
    v->system = s;
    if (!(v->member = trj_alloc(s->count, sizeof *v->member, "selections", err)) ||
        !(v->all = trj_alloc(s->header->atoms, sizeof *v->all, "positions", err)) ||
        !(v->centre = trj_alloc(s->header->atoms, sizeof *v->centre, "centres", err)) ||
        !(v->fraction = trj_alloc(s->header->atoms, sizeof *v->fraction, "centres", err)) ||
        !(v->unit = trj_alloc(s->header->atoms, sizeof *v->unit, "centres", err)) ||
        !(v->place = trj_alloc(s->header->atoms, sizeof *v->place, "centres", err)))
        return -1;
    return 0;
}

void obs_view_close(struct obs_view *v) {
    if (!v) return;
    for (size_t i = 0; v->member && i < v->system->count; i++) {
        free(v->member[i].p.x);
        free(v->member[i].own);
        free(v->member[i].part.x);
        free(v->member[i].part_atoms);
    }
    for (size_t i = 0; i < v->scratches; i++) {
        if (v->scratch[i].release) v->scratch[i].release(v->scratch[i].memory);
        free(v->scratch[i].memory);
    }
    free(v->scratch);
    free(v->member);
    free(v->all);
    free(v->centre);
    free(v->fraction);
    free(v->unit);
    free(v->place);
    free(v);
}

void obs_view_begin(struct obs_view *v, const struct trj_frame *f) {
    v->frame = f;
    v->has_lattice = v->has_all = false;
    for (size_t i = 0; i < v->system->count; i++)
        v->member[i].placed = v->member[i].bonds_verified = v->member[i].units_verified = false;
}

const struct trj_frame *obs_view_frame(const struct obs_view *v) {
    return v->frame;
}

const struct obs_system *obs_view_system(const struct obs_view *v) {
    return v->system;
}

void *obs_view_scratch(struct obs_view *v, const void *owner, size_t size, void (*release)(void *memory),
                       struct trj_error *err) {
    for (size_t i = 0; i < v->scratches; i++)
        if (v->scratch[i].owner == owner) return v->scratch[i].memory;
    if (trj_grow(&v->scratch, &v->scratch_capacity, v->scratches + 1, sizeof *v->scratch, "a frame", err)) return NULL;
    void *memory = trj_alloc(1, size, "a frame", err);
    if (memory) v->scratch[v->scratches++] = (struct scratch){owner, memory, release};
    return memory;
}

int obs_view_property(const struct obs_view *v, const char *name, const double **values, struct trj_error *err) {
    const struct trj_group none = {.count = 0};
    return trj_property_require(v->system->header, name, &none, values, err);
}

int obs_view_lattice(struct obs_view *v, const struct trj_lattice **l, struct trj_error *err) {
    if (!v->has_lattice && trj_lattice_make(&v->lattice, &v->frame->cell, err)) return -1;
    v->has_lattice = true;
    *l = &v->lattice;
    return 0;
}

static int find_members(struct member *m, const struct obs_selection *one, const struct trj_frame *f,
                        struct trj_error *err) {
    if (!one->dynamic) {
        m->p.atoms = one->atoms;
        m->p.count = one->count;
    } else if (one->group) {
        if (trj_grow(&m->own, &m->own_capacity, one->count, sizeof *m->own, "a group", err)) return -1;
        m->p.count = trj_group_list(one->group, f, m->own);
        m->p.atoms = m->own;
    } else {
        free(m->own);
        m->own = NULL;
        m->own_capacity = 0;
        if (trj_selection_atoms(one->selection, f, &m->own, &m->p.count, err)) return -1;
        m->p.atoms = m->own;
    }
    return 0;
}

int obs_view_positions(struct obs_view *v, size_t selection, const struct obs_positions **p, struct trj_error *err) {
    struct member *m = &v->member[selection];
    const struct trj_frame *f = v->frame;
    *p = m->restricted ? &m->part : &m->p;
    if (m->placed) return 0;
    if (find_members(m, &v->system->selection[selection], f, err) ||
        trj_grow(&m->p.x, &m->capacity, m->p.count, sizeof *m->p.x, "positions", err))
        return -1;
    for (size_t i = 0; i < m->p.count; i++)
        for (int k = 0; k < 3; k++) {
            m->p.x[i][k] = (double)f->x[k][m->p.atoms[i]] * f->unit;
            if (!(fabs(m->p.x[i][k]) <= TRJ_FARTHEST)) return trj_frame_check_far(f, m->p.atoms[i], err);
        }
    m->placed = true;
    return 0;
}

int obs_view_restrict(struct obs_view *v, size_t selection, const uint32_t *member, size_t count,
                      struct trj_error *err) {
    struct member *m = &v->member[selection];
    const struct obs_positions *all;
    m->restricted = NULL;
    if (obs_view_positions(v, selection, &all, err) ||
        trj_grow(&m->part.x, &m->part_capacity, count, sizeof *m->part.x, "positions", err) ||
        trj_grow(&m->part_atoms, &m->part_atoms_capacity, count, sizeof *m->part_atoms, "positions", err))
        return -1;
    for (size_t i = 0; i < count; i++) {
        m->part_atoms[i] = all->atoms[member[i]];
        memcpy(m->part.x[i], all->x[member[i]], sizeof m->part.x[i]);
    }
    m->part.atoms = m->part_atoms;
    m->part.count = count;
    m->restricted = member;
    return 0;
}

void obs_view_release(struct obs_view *v, size_t selection) {
    v->member[selection].restricted = NULL;
}

// ----------------------------------------------------------------------------------------------------- divided groups

static int verify_bonds(struct obs_view *v, const struct obs_selection *one, const struct trj_lattice *l,
                        struct trj_error *err) {
    const struct trj_frame *f = v->frame;
    if (!one->edges || trj_movement_find(v->system->header, TRJ_MOVED_WHOLE)) return 0;
    for (size_t i = 0; !v->has_all && i < f->atoms; i++)
        for (int k = 0; k < 3; k++) v->all[i][k] = (double)f->x[k][i] * f->unit;
    v->has_all = true;
    return trj_whole_check(&v->system->tree, one->edge, one->edges, l, v->all, err);
}

// Returns whether trjcat --centre would leave the units of a selection where they are: along each vector of the cell,
// the largest gap is outside of them. Units that were moved around another selection can be on different sides of it.
// Units without a wide gap fill the cell, of which trjcat prints a note.
static bool is_gathered(struct obs_view *v, size_t units) {
    const struct trj_cell *cell = &v->frame->cell;
    double g[3][3], middle;
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        size_t count = 0;
        if (!(cell->periodic >> k & 1)) continue;
        for (size_t u = 0; u < units; u++) {
            const double *c = v->centre[u];
            double fraction = v->fraction[count++] = trj_dot(g[k], c) / c[3];
            low = fmin(low, fraction);
            high = fmax(high, fraction);
        }
        if (trj_largest_gap(v->fraction, count, 1 / sqrt(trj_dot(g[k], g[k])), &middle) &&
            floor(low - middle) != floor(high - middle))
            return false;
    }
    return true;
}

// Sets the centres of the units that have members among the positions. Returns how many there are.
static size_t sum_units(struct obs_view *v, const struct obs_selection *one, const struct member *m,
                        const struct obs_positions *p) {
    size_t from = 0, units = 0;
    for (size_t i = 0; i < p->count; i++) {
        while (!m->restricted && one->atoms[from] != p->atoms[i]) from++;
        uint32_t unit = one->unit[m->restricted ? m->restricted[i] : from];
        // Places of other frames and selections can be anything, so that the centre must confirm them.
        if (v->place[unit] >= units || v->unit[v->place[unit]] != unit) {
            v->place[unit] = (uint32_t)units;
            v->unit[units] = unit;
            memset(v->centre[units++], 0, sizeof *v->centre);
        }
        double *c = v->centre[v->place[unit]];
        for (int k = 0; k < 3; k++) c[k] += p->x[i][k];
        c[3]++;
    }
    return units;
}

// Fails if the centres of two units differ by more than half of a periodic vector of the reduced cell; in a centred
// stream, only if they are not gathered.
static int verify_units(struct obs_view *v, const struct obs_selection *one, const struct member *m,
                        const struct obs_positions *p, const struct trj_lattice *l, struct trj_error *err) {
    const size_t units = sum_units(v, one, m, p);
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t u = 0; u < units; u++) {
            const double *c = v->centre[u];
            double fraction = trj_dot(l->g[k], c) / c[3];
            low = fmin(low, fraction);
            high = fmax(high, fraction);
        }
        if (high - low <= 0.5) continue;
        const struct trj_stream_header *h = v->system->header;
        if (trj_movement_find(h, TRJ_MOVED_CENTRE) && is_gathered(v, units)) return 0;
        return trj_fail(
            err, TRJ_BAD_DATA,
            "%s'%s' consists of %zu molecules, as far as bonds are known, that are more than half of the cell apart, "
            "so that it is unknown which of their periodic images belong together; %s",
            m->restricted ? "this part of " : "", one->text, units,
            h->bond || trj_movement_find(h, TRJ_MOVED_WHOLE)
                ? "gather them: trjcat --whole --centre SELECTION, with this selection"
                : "make molecules whole, with a topology that has bonds: trjcat -t FILE --whole, and --centre "
                  "SELECTION for several molecules");
    }
    return 0;
}

int obs_view_whole(struct obs_view *v, size_t selection, bool molecules_only, const struct obs_positions **p,
                   struct trj_error *err) {
    const struct obs_selection *one = &v->system->selection[selection];
    struct member *m = &v->member[selection];
    const struct trj_lattice *l;
    if (obs_view_positions(v, selection, p, err)) return -1;
    if (!v->frame->cell.periodic) return 0;
    if (!m->bonds_verified) {
        if (obs_view_lattice(v, &l, err) || verify_bonds(v, one, l, err)) return -1;
        m->bonds_verified = true;
    }
    if (m->units_verified || molecules_only || one->units < 2) return 0;
    if (obs_view_lattice(v, &l, err) || verify_units(v, one, m, *p, l, err)) return -1;
    m->units_verified = !m->restricted;
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- points

bool obs_centre(const struct obs_positions *p, const double *mass, double x[3]) {
    double sum[3] = {0, 0, 0}, total = 0;
    for (size_t i = 0; i < p->count; i++) {
        double w = mass ? mass[p->atoms[i]] : 1;
        for (int k = 0; k < 3; k++) sum[k] += w * p->x[i][k];
        total += w;
    }
    for (int k = 0; k < 3; k++) x[k] = sum[k] / total;
    return total > 0;
}

int obs_view_point(struct obs_view *v, const struct obs_point *point, double x[3], struct trj_error *err) {
    const struct obs_positions *p;
    const double *mass = NULL;
    if (obs_view_whole(v, point->selection, false, &p, err)) return -1;
    if (point->of_mass && obs_view_property(v, "mass", &mass, err)) return -1;
    if (obs_centre(p, mass, x)) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "'%s' has no %s in this frame", v->system->selection[point->selection].text,
                    p->count ? "mass" : "atom");
}
