// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "element.h"
#include "scattering.h"

// Groups of the stream that no pair counts, with their elements where these are known: "H (686 atoms of H)", ...
static void list_uncounted(char *text, size_t size, const struct rdf_scattering *s) {
    size_t at = 0;
    text[0] = 0;
    for (size_t g = 0; g < s->setup->group_count && at < size; g++) {
        const struct rdf_hist_group *group = &s->setup->groups[g];
        if (s->of[g].used) continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s (%llu atoms",
                               at ? ", " : "; groups without a pair: ", group->name, (unsigned long long)group->atoms);
        for (size_t k = 0; k < group->element_count && at < size; k++)
            if (group->elements[k].number)
                at += (size_t)snprintf(text + at, size - at, "%s %s", k ? "," : " of",
                                       trj_elements[group->elements[k].number].symbol);
        if (at < size) at += (size_t)snprintf(text + at, size - at, ")");
    }
}

int rdf_scattering_check_share(struct rdf_scattering *s, const uint64_t *group_atoms, uint64_t frames,
                               const struct rdf_total *totals, size_t count, bool partial, char note[RDF_SHARE_NOTE],
                               struct trj_error *err) {
    const struct rdf_setup *setup = s->setup;
    double counted = 0;
    char uncounted[200], share[400];
    note[0] = 0;
    s->system = setup->trajectory_atoms ? (double)setup->trajectory_atoms : (double)setup->system_atoms;
    for (size_t g = 0; g < setup->group_count; g++)
        if (s->of[g].used)
            counted += group_atoms ? (double)group_atoms[g] / (double)frames : (double)setup->groups[g].atoms;
    s->missing = setup->centres || counted > s->system ? 0 : s->system - counted;
    if (!(s->missing > 0)) return 0;
    list_uncounted(uncounted, sizeof uncounted, s);
    snprintf(share, sizeof share, "%.10g of %.10g atoms of the trajectory (%.3g %%) are in no group that is counted%s",
             s->missing, s->system, 100 * s->missing / s->system, uncounted);
    for (size_t t = 0; t < count && !partial; t++)
        if (totals[t].probe != RDF_NUMBER)
            return trj_fail(err, TRJ_BAD_DATA,
                            "total %s: %s; count all atoms (trjcat --by element, rdfhist -p '*:*'), or give --partial "
                            "for the total of the counted ones",
                            totals[t].name, share);
    snprintf(note, RDF_SHARE_NOTE, "note: total: %s: the total is that of the others", share);
    return 0;
}
