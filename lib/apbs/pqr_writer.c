// SPDX-License-Identifier: MIT
// Prints coordinates with the fewest digits that give the same number again, so that APBS places charges where potmap
// did.
#include "pqr_writer.h"

#include <string.h>

#include "decimal.h"
#include "element.h"
#include "property.h"

enum { NAME_MAX_PQR = 16 }; // characters of a name; longer ones are truncated

// Returns a text property of an atom, "" if it is unknown.
static const char *text_of(const struct trj_property *p, uint32_t atom) {
    return p && p->kind == TRJ_PROPERTY_TEXT && trj_property_known(p, atom) ? p->text.text[p->text.id[atom]] : "";
}

static void copy_name(char to[NAME_MAX_PQR + 1], const char *name, const char *other) {
    if (!*name) name = *other ? other : "X";
    size_t n = 0;
    for (; n < NAME_MAX_PQR && name[n]; n++) to[n] = name[n] <= ' ' || strchr("#%\"\x7f", name[n]) ? '_' : name[n];
    to[n] = 0;
}

// Writes a coordinate. One that is a float32, as frames store them, is written as such: its digits are those of the
// file.
static size_t print_coordinate(char *to, double x) {
    float stored = (float)x;
    return (double)stored < x || (double)stored > x ? trj_print_real(to, x) : trj_print_float(to, stored);
}

static int write_atom(struct trj_output *out, const struct pot_pqr *p, size_t i,
                      const struct trj_property *const property[3], struct trj_error *err) {
    const struct trj_stream_header *h = p->header;
    uint32_t atom = p->atom[i];
    char name[NAME_MAX_PQR + 1], resname[NAME_MAX_PQR + 1], number[5][TRJ_DECIMAL_CAPACITY + 1];
    const struct trj_property *resid = property[2];
    long long residue = h->residue ? (long long)h->residue[atom] + 1 : 1;
    copy_name(name, text_of(property[0], atom), h->element ? trj_elements[h->element[atom]].symbol : "");
    copy_name(resname, text_of(property[1], atom), "UNK");
    if (resid && resid->kind == TRJ_PROPERTY_INTEGER && trj_property_known(resid, atom)) residue = resid->integer[atom];
    for (int k = 0; k < 3; k++) number[k][print_coordinate(number[k], p->position[i][k])] = 0;
    number[3][trj_print_real(number[3], p->charge[i])] = 0;
    number[4][trj_print_real(number[4], p->radius[i])] = 0;
    return trj_output_print(out, err, "ATOM %zu %s %s %lld %s %s %s %s %s\n", i + 1, name, resname, residue, number[0],
                            number[1], number[2], number[3], number[4]);
}

int pot_pqr_write(struct trj_output *out, const struct pot_pqr *p, struct trj_error *err) {
    const struct trj_property *const property[3] = {trj_property_find(p->header, "name"),
                                                    trj_property_find(p->header, "resname"),
                                                    trj_property_find(p->header, "resid")};
    for (size_t i = 0; i < p->count; i++)
        if (write_atom(out, p, i, property, err)) return -1;
    return trj_output_print(out, err, "END\n");
}
