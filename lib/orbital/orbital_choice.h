// SPDX-License-Identifier: MIT
// Chooses orbitals by the words of the user: "homo,lumo+1,5:12,homo:b,3a1".
//
//     5           the fifth orbital of the file
//     5:12        the fifth to the twelfth
//     homo, lumo  with offsets: homo-1, lumo+2 (orbital_order.h)
//     somo        all orbitals with one electron, if others have two
//     3a1         a symmetry label of the file; all orbitals that have it. Or the third orbital, by energy, that has
//                 the label a1. Upper and lower case are equal if the file has no label with the same letters.
//     :a, :b      after a word: alpha or beta orbitals. Numbers then count the orbitals of this spin. homo, lumo and
//                 labels without a spin are those of alpha orbitals.
#ifndef ORB_CHOICE_H
#define ORB_CHOICE_H

#include <stddef.h>

#include "error.h"
#include "wave_function.h"

struct orb_chosen {
    size_t orbital; // number from 0 in the file
    // For names of files: "homo-1", "mo5", "lumo+1b" for beta, "3a1". Orbitals that are chosen by a number, or by a
    // label that several orbitals have or that does not suit the name of a file, are named by their number in the file.
    // No two chosen orbitals have the same name.
    char name[40];
    char title[160]; // "homo-1: orbital 20, alpha, occupation 1, energy -0.335674 hartree, label 1e1g"
};

struct orb_choice {
    size_t count;
    struct orb_chosen *chosen;
};

// Fails with TRJ_USAGE if a word is invalid, and with TRJ_BAD_DATA if the file has no such orbital. Messages state the
// word, its position, and what the file has. The caller frees the choice with orb_choice_free, also after a failure.
int orb_choice_make(struct orb_choice *c, const struct orb_wave_function *w, const char *words, struct trj_error *err);
void orb_choice_free(struct orb_choice *c); // frees the members, not the struct

#endif
