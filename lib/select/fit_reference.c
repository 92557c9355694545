// SPDX-License-Identifier: MIT
// Reads a reference structure and finds the atoms that correspond, by names or, without names, by order.
#include "fit_reference.h"

#include <stdlib.h>
#include <string.h>

#include "atom_pairs.h"
#include "element.h"
#include "group_list.h"
#include "memory.h"
#include "reader.h"
#include "select.h"
#include "topology_parts.h"

enum { LONGEST = 30000 }; // selections; a block MOVE of a frame stream has at most 65536 bytes

int trj_mover_select(uint32_t **atoms, size_t *count, const char *selection, const struct trj_selection_scope *scope,
                     struct trj_error *err) {
    struct trj_selection *parsed;
    int rc = -1;
    *atoms = NULL;
    if (strlen(selection) > LONGEST)
        return trj_fail(
            err, TRJ_USAGE,
            "the selection has %zu characters, expected at most %d; use ranges such as 'index 0 to 99', or define "
            "a group with --group and give its name",
            strlen(selection), LONGEST);
    if (trj_selection_parse(&parsed, selection, scope, err)) return -1;
    if (trj_selection_is_dynamic(parsed))
        trj_error_set(err, TRJ_USAGE,
                      "'%s' depends on coordinates; select atoms that are the same in each frame, by names or numbers",
                      selection);
    else
        rc = trj_selection_atoms(parsed, NULL, atoms, count, err);
    trj_selection_free(parsed);
    return rc;
}

// Does the same as trj_mover_select, with the names in the file. If that fails, the selection may refer to groups:
// these are then evaluated with the names in the file, too.
static int select_in_file(uint32_t **atoms, size_t *count, const char *selection, const struct trj_topology *top,
                          const struct trj_mover_system *system, struct trj_error *err) {
    struct trj_selection_scope scope = {.top = top, .atoms = top->atoms};
    struct trj_group_list list = {.count = 0};
    struct trj_error with_groups;
    int rc = trj_mover_select(atoms, count, selection, &scope, err);
    if (!rc || !system->group_count) return rc;
    if (!trj_group_list_make(&list, system->groups, system->group_count, top, top->atoms, &with_groups)) {
        scope.earlier = list.groups;
        scope.earlier_count = list.count;
        scope.names = &list.index;
        rc = trj_mover_select(atoms, count, selection, &scope, err);
    }
    trj_group_list_free(&list);
    return rc;
}

// Returns the atomic number of an atom of the trajectory; 0: unknown.
static unsigned element_of(const struct trj_mover_system *system, uint32_t atom) {
    const struct trj_topology *top = system->identity;
    if (!top || !top->element.id) return system->element ? system->element[atom] : 0;
    const char *symbol = trj_topology_text(&top->element, atom);
    return trj_element_find(symbol, strlen(symbol));
}

// Pairs the atoms of a file without names, which must contain either all atoms of the trajectory, or only the selected
// ones. If the file is a frame stream with elements, these are compared.
static int match_by_order(uint32_t *selected, const struct trj_reader *r, const uint32_t *atoms, size_t count,
                          const char *selection, const struct trj_mover_system *system, struct trj_error *err) {
    if (r->atoms != system->scope.atoms && r->atoms != count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%zu atoms without names, but the trajectory has %zu, and '%s' selects %zu of them; give a PDB "
                        "or GRO file, whose atoms are selected by name",
                        r->atoms, system->scope.atoms, selection, count);
    for (size_t i = 0; i < count; i++) {
        selected[i] = r->atoms == count ? (uint32_t)i : atoms[i];
        unsigned a = r->header && r->header->element ? r->header->element[selected[i]] : 0,
                 b = element_of(system, atoms[i]);
        if (a && b && a != b)
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %u (counted from 0) is %s, but the corresponding atom %u of the trajectory is %s; "
                            "give the same atoms in the same order",
                            selected[i], trj_elements[a].symbol, atoms[i], trj_elements[b].symbol);
    }
    return 0;
}

// Sets *selected to the atoms of the file that correspond to `atoms`; the caller frees it.
static int match_atoms(uint32_t **selected, const struct trj_topology *of_file, const struct trj_reader *r,
                       const uint32_t *atoms, size_t count, const char *selection,
                       const struct trj_mover_system *system, struct trj_error *err) {
    size_t found;
    if (!of_file)
        return (*selected = trj_alloc(count, sizeof **selected, "atoms", err))
                   ? match_by_order(*selected, r, atoms, count, selection, system, err)
                   : -1;
    if (select_in_file(selected, &found, selection, of_file, system, err)) return -1;
    if (found != count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "'%s' selects %zu atoms here, but %zu in the trajectory; select atoms that both contain",
                        selection, found, count);
    const struct trj_topology *top = system->identity;
    return top ? trj_atom_pairs_check(of_file, *selected, top, atoms, count, err) : 0;
}

static int read_frame(struct trj_frame *f, struct trj_reader *r, const uint32_t *selected, size_t count,
                      struct trj_error *err) {
    int got = trj_reader_read(r, f, err);
    if (!got) trj_fail(err, TRJ_BAD_DATA, "contains no frame");
    for (size_t i = 0; got > 0 && i < count; i++)
        if (trj_frame_check_far(f, selected[i], err)) got = -1;
    return got > 0 ? 0 : -1;
}

int trj_fit_reference_read(struct trj_frame *f, uint32_t **selected, const uint32_t *atoms, size_t count,
                           const char *path, const char *selection, const struct trj_mover_system *system,
                           uint64_t *fingerprint, struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    struct trj_topology *of_file = NULL;
    struct trj_error why;
    int rc = -1;
    if (trj_input_open(&in, path, err)) return -1;
    const struct trj_format *format = trj_format_of(in, err);
    if (format && format->topology &&
        trj_topology_open_first(&of_file, in, &(struct trj_topology_options){.format = format->topology}, &why, err)) {
        trj_input_close(in);
        return -1;
    }
    if (trj_reader_open_input(&r, in, NULL, system->scope.atoms, err)) goto out; // closes the input
    *fingerprint = r->fingerprint;
    if (match_atoms(selected, of_file, r, atoms, count, selection, system, err))
        trj_fail_at(err, "%s", path);
    else
        rc = read_frame(f, r, *selected, count, err);
out:
    trj_topology_close(of_file);
    trj_reader_close(r);
    return rc;
}
