// SPDX-License-Identifier: MIT
// Compares names and residues as far as both topologies have them, because files name the same atoms differently.
#include "atom_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "residue_names.h"
#include "topology_parts.h"

enum { NUMBERS_WRAP = 10000 }; // in PDB; in GRO at 100000, which is a multiple of it

static const char remedy[] =
    "select residues that both have; if the order of the selected atoms is right, write them to a frame stream, which "
    "has no names, and give it as the reference: trjcat -g 'A=SELECTION' REFERENCE -o ref.trjf";

// Two topologies, and the lists of their corresponding atoms.
struct pairs {
    const struct trj_topology *file, *top;
    const uint32_t *selected, *atoms;
};

enum { ATOM_TEXT = 160 };

// Writes a text such as "CA of ALA 5", and omits what the topology lacks.
static const char *describe(const struct trj_topology *top, uint32_t atom, char text[ATOM_TEXT]) {
    char number[24] = "";
    const char *resname = trj_topology_text(&top->resname, atom);
    if (top->resid) snprintf(number, sizeof number, " %lld", (long long)top->resid[atom]);
    snprintf(text, ATOM_TEXT, "%.60s%s%.60s%s", trj_topology_text(&top->name, atom), *resname ? " of " : "", resname,
             *resname ? number : "");
    return text;
}

static int fail_pair(const struct pairs *p, size_t i, const char *why, struct trj_error *err) {
    char a[ATOM_TEXT], b[ATOM_TEXT];
    trj_fail(err, TRJ_BAD_DATA,
             "atom %u (counted from 0) is %s, but the corresponding atom %u of the trajectory is %s%s", p->selected[i],
             describe(p->file, p->selected[i], a), p->atoms[i], describe(p->top, p->atoms[i], b), why);
    return trj_fail_remedy(err, remedy);
}

static bool changes(const uint32_t *id, uint32_t before, uint32_t atom) {
    return id && id[before] != id[atom];
}

static bool is_polymer(const struct trj_topology *top, uint32_t atom) {
    const char *resname = trj_topology_text(&top->resname, atom);
    return trj_residue_is_protein(resname) || trj_residue_is_nucleic(resname);
}

// Returns whether the numbers of residues may start again between two atoms. A change of molecule counts only at a
// polymer; otherwise they could start again at each water molecule.
static bool begins_chain(const struct trj_topology *top, uint32_t before, uint32_t atom) {
    return changes(top->chain.id, before, atom) || changes(top->segid.id, before, atom) ||
           (changes(top->molecule, before, atom) && (is_polymer(top, before) || is_polymer(top, atom)));
}

static int compare_names(const struct pairs *p, size_t count, struct trj_error *err) {
    if (!p->file->name.id || !p->top->name.id) return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(trj_topology_text(&p->file->name, p->selected[i]), trj_topology_text(&p->top->name, p->atoms[i])))
            return fail_pair(p, i, "", err);
    return 0;
}

static int compare_residues(const struct pairs *p, size_t count, struct trj_error *err) {
    bool numbers = p->file->resid && p->top->resid, only_file = false, only_top = false;
    int64_t first = 0; // difference of the numbers in a chain
    for (size_t i = 0; i < count; i++) {
        uint32_t f = p->selected[i], t = p->atoms[i];
        bool begins = !i, ends = !i; // whether a residue begins here; whether a chain begins here
        if (i) {
            uint32_t f0 = p->selected[i - 1], t0 = p->atoms[i - 1];
            begins = changes(p->file->residue, f0, f);
            if (begins != changes(p->top->residue, t0, t))
                return fail_pair(p, i, begins ? ", which does not begin a residue" : ", which begins a residue", err);
            bool in_file = begins_chain(p->file, f0, f), in_top = begins_chain(p->top, t0, t);
            ends = in_file || in_top;
            only_file = only_file || (in_file && !in_top);
            only_top = only_top || (in_top && !in_file);
        }
        if (!begins) continue;
        const char *a = trj_topology_text(&p->file->resname, f), *b = trj_topology_text(&p->top->resname, t);
        if (*a && *b && !trj_residue_names_agree(a, b)) return fail_pair(p, i, "", err);
        int64_t difference = numbers ? (int64_t)((uint64_t)p->file->resid[f] - (uint64_t)p->top->resid[t]) : 0;
        if (ends) first = difference;
        if ((int64_t)((uint64_t)difference - (uint64_t)first) % NUMBERS_WRAP)
            return fail_pair(p, i, ": the shift of the residue numbers differs from that of the preceding residues",
                             err);
        if (ends && only_file && only_top)
            return fail_pair(p, i, ": the chains of the two files begin at different atoms", err);
    }
    return 0;
}

int trj_atom_pairs_check(const struct trj_topology *file, const uint32_t *selected, const struct trj_topology *top,
                         const uint32_t *atoms, size_t count, struct trj_error *err) {
    const struct pairs p = {file, top, selected, atoms};
    if (compare_names(&p, count, err)) return -1;
    bool residues = file->resname.id && top->resname.id && file->residue && top->residue;
    return residues ? compare_residues(&p, count, err) : 0;
}
