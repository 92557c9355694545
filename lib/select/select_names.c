// SPDX-License-Identifier: MIT
// Collects the notes of selections on names: patterns that match nothing, and the existing names if nothing is
// selected.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "select_parts.h"
#include "text_tally.h"

// maximum number of patterns in a note; bytes of a note; maximum number of names in a list; bytes of a list
enum { NOTED = 4, NOTE = 400, LISTED = 12, LIST = 400 };

int trj_selection_note_pattern(struct trj_selection *s, enum trj_property property, const char *glob,
                               struct trj_error *err) {
    const struct trj_texts *texts = trj_property_texts(property, s->top);
    for (size_t k = 0; k < texts->count; k++)
        if (!fnmatch(glob, texts->text[k], 0)) return 0;
    if (!s->note && !(s->note = trj_alloc(NOTE, 1, "a note", err))) return -1;
    size_t used = strlen(s->note);
    if (s->unmatched++ < NOTED)
        snprintf(s->note + used, NOTE - used, "%s the %s %.40s", used ? "," : "no atom has",
                 trj_property_singular(property), glob);
    return 0;
}

const char *trj_selection_note(const struct trj_selection *s) {
    return s->note;
}

void trj_selection_end_note(struct trj_selection *s) {
    if (s->unmatched <= NOTED) return;
    size_t used = strlen(s->note);
    snprintf(s->note + used, NOTE - used, ", and %zu more", s->unmatched - NOTED);
}

// Appends the existing names, as "; names: O, H1, H2", to `list`.
static int list_names(const struct trj_selection *s, enum trj_property property, char list[LIST],
                      struct trj_error *err) {
    const char *what = trj_property_what(property);
    const struct trj_texts *texts = trj_property_texts(property, s->top);
    struct trj_text_tally *t;
    size_t n, used = strlen(list);
    if (trj_text_tally_count(&t, &n, texts, s->atoms, NULL, err)) return -1;
    if (!strncmp(what, "atom ", strlen("atom "))) what += strlen("atom ");
    for (size_t i = 0; i < n && i < LISTED && used < LIST; i++)
        used += (size_t)snprintf(list + used, LIST - used, "%s%s%s%.20s", i ? "" : "; ", i ? ", " : what, i ? "" : ": ",
                                 *t[i].text ? t[i].text : "unknown");
    if (n > LISTED && used < LIST) snprintf(list + used, LIST - used, ", ... (%zu in all)", n);
    free(t);
    return 0;
}

int trj_selection_fail_empty(const struct trj_selection *s, struct trj_error *err) {
    bool used[TRJ_ATOM_BONDS + 1] = {false};
    char list[LIST] = "";
    for (const struct trj_node *n = s->nodes; n; n = n->made_before)
        if (n->glob || n->is) used[n->property] = true;
    // The name of an ion or a ligand is often that of its residue: "name CL" for "resname CL".
    if (used[TRJ_ATOM_NAME] && trj_property_is_available(TRJ_ATOM_RESNAME, s->top)) used[TRJ_ATOM_RESNAME] = true;
    for (enum trj_property p = TRJ_ATOM_NAME; p <= TRJ_ATOM_BONDS; p++)
        if (used[p] && list_names(s, p, list, err)) return -1;
    return trj_selection_fail(s, err, TRJ_BAD_DATA, "selects none of the %zu atoms%s", s->atoms, list);
}
