// SPDX-License-Identifier: MIT
// Prepares a wave function that was read, and reports whether its orbitals and electrons agree with its basis;
// filters/orbmap.1 explains the keys.
#ifndef ORB_CHECK_H
#define ORB_CHECK_H

#include "error.h"
#include "orbital_rule.h"
#include "report.h"
#include "wave_function.h"

// Finds unknown spins and the rule of normalisation, and adds notes about the rule and the occupations to the wave
// function. Fails as orb_rule_find; the choice then has the rule ORB_RULES, and the deviations of all rules.
int orb_check(struct orb_wave_function *w, struct orb_rule_choice *choice, struct trj_error *err);

// Adds the description of a wave function to a report: format, numbers of functions, orbitals and electrons, deviations
// of each rule, HOMO and LUMO, density matrices, and notes. `damage` is the error of orb_check; NULL: none.
int orb_check_report(struct trj_report *f, const struct orb_wave_function *w, const struct orb_rule_choice *choice,
                     const struct trj_error *damage, struct trj_error *err);

#endif
