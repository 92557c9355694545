// SPDX-License-Identifier: MIT
// Words that users of other programs know: what to use here instead.
#ifndef TRJ_OTHER_PROGRAMS_H
#define TRJ_OTHER_PROGRAMS_H

// Returns what to use instead of an option of another program, as the end of a message, or NULL if the option is not
// in the table. `word` is the option without its leading hyphens: "sel", "stride".
const char *trj_other_option(const char *word);

// Returns the name that a value of an option has here, or NULL if the value is not in the table: "gromacs" for "gmx".
const char *trj_other_value(const char *word);

#endif
