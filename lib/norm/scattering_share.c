// SPDX-License-Identifier: MIT
// Computes the share of the atoms of a trajectory that no total contains, and reports it by a note or an error.
#include <stdio.h>
#include <string.h>

#include "element.h"
#include "scattering.h"

enum { NAMED = 200, ENTRY = 160 };

// Writes "H (686 atoms of H)", with the elements that are known.
static size_t describe(char *text, size_t size, const struct rdf_hist_group *group) {
    size_t position = (size_t)snprintf(text, size, "%s (%llu atoms", group->name, (unsigned long long)group->atoms);
    bool any = false;
    for (size_t k = 0; k < group->element_count && position < size; k++) {
        if (!group->elements[k].number) continue;
        position += (size_t)snprintf(text + position, size - position, "%s %s", any ? "," : " of",
                                     trj_elements[group->elements[k].number].symbol);
        any = true;
    }
    if (position < size) position += (size_t)snprintf(text + position, size - position, ")");
    return position;
}

// Lists the groups of the stream that no pair counts: "; groups without a pair: H (686 atoms of H), ...". If groups do
// not fit, the list ends with their number.
static void list_uncounted(char text[NAMED + ENTRY], const struct rdf_scattering *s) {
    size_t position = 0, left = 0;
    text[0] = 0;
    for (size_t g = 0; g < s->setup->group_count; g++) {
        char entry[ENTRY];
        if (s->scatterer[g].used) continue;
        size_t length = describe(entry, sizeof entry, &s->setup->groups[g]);
        if (left || length >= sizeof entry || position + length > NAMED - 30) {
            left++;
            continue;
        }
        position += (size_t)sprintf(text + position, "%s%s", position ? ", " : "; groups without a pair: ", entry);
    }
    if (left && position) snprintf(text + position, ENTRY, ", and %zu more", left);
    if (left && !position) snprintf(text, ENTRY, "; %zu groups are without a pair", left);
}

int rdf_scattering_check_share(struct rdf_scattering *s, const uint64_t *group_atoms, uint64_t frames,
                               const struct rdf_total *totals, size_t count, bool partial, char note[RDF_SHARE_NOTE],
                               struct trj_error *err) {
    const struct rdf_setup *setup = s->setup;
    uint64_t system = setup->trajectory_atoms ? setup->trajectory_atoms : setup->system_atoms, all = system,
             counted = 0;
    char uncounted[NAMED + ENTRY], share[NAMED + ENTRY + 120];
    note[0] = 0;
    s->system = (double)system;
    // Sums over the frames are compared as integers: the means of three groups that hold all atoms, rounded, need not
    // add up to their number.
    if (group_atoms && __builtin_mul_overflow(system, frames, &all)) all = UINT64_MAX;
    for (size_t g = 0; g < setup->group_count; g++)
        if (s->scatterer[g].used) counted += group_atoms ? group_atoms[g] : setup->groups[g].atoms;
    if (group_atoms) s->atoms = (double)counted / (double)frames;
    s->missing = setup->centres || counted > all ? 0 : (double)(all - counted) / (group_atoms ? (double)frames : 1);
    if (!(s->missing > 0)) return 0;
    list_uncounted(uncounted, s);
    snprintf(share, sizeof share, "%.10g of %.10g atoms of the trajectory (%.3g %%) are in no group that is counted%s",
             s->missing, s->system, 100 * s->missing / s->system, uncounted);
    for (size_t t = 0; t < count && !partial; t++)
        if (totals[t].probe != RDF_NUMBER)
            return trj_fail(err, TRJ_BAD_DATA,
                            "total %s: %s; count all atoms (trjcat --by element, %s -p '*:*'), or give --partial for "
                            "the total of the counted ones",
                            totals[t].name, share, rdf_setup_tool(setup));
    snprintf(note, RDF_SHARE_NOTE, "note: total: %s: the total includes only the others", share);
    return 0;
}
