// SPDX-License-Identifier: MIT
// Decides which bytes of a text are UTF-8 characters, and which of these a terminal or an XML file must not contain.
#ifndef TRJ_UTF8_H
#define TRJ_UTF8_H

#include <stdbool.h>
#include <stddef.h>

// Returns the number of bytes of the character at `text`, which ends with a NUL; 0 for the NUL and for a byte that
// begins no valid character (table 3-7 of the Unicode standard, version 15).
size_t trj_utf8_length(const char *text);

// Returns whether the character at `text`, which is valid, is a control character (U+0001 to U+001F, U+007F to U+009F)
// or a noncharacter that XML forbids (U+FFFE, U+FFFF).
bool trj_utf8_forbidden(const char *text);

#endif
