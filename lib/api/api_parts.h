// SPDX-License-Identifier: MIT
// Functions that the parts of the C interface (trjpipe.h) share: errors, structures of other versions, copies of texts.
#ifndef API_PARTS_H
#define API_PARTS_H

#include <stddef.h>

#include "error.h"
#include "trjpipe.h"

// Copies an error to the caller, unless `to` is NULL. Returns -1.
int api_fail(struct trjpipe_error *to, struct trj_error *err);

// Copies the structure `from`, which begins with its struct_size, to *to, which is zeroed and has `size` bytes. Members
// that `from` lacks stay 0. Fails with TRJ_USAGE if struct_size is not set, or if a member that this version
// lacks is not 0. `from` may be NULL.
int api_take_struct(void *to, size_t size, const void *from, const char *name, struct trj_error *err);

// Copies the structure `from` of `size` bytes to *to, up to the struct_size of *to, which stays.
int api_give_struct(void *to, const void *from, size_t size, const char *name, struct trj_error *err);

// Texts that a handle owns. A zeroed list is empty.
struct api_texts {
    char **text; // [count]
    size_t count, capacity;
};

// Appends a copy, and sets *copy to it, unless `copy` is NULL. A text that is NULL is not appended, and *copy is NULL.
int api_texts_add(struct api_texts *texts, const char *text, const char **copy, struct trj_error *err);
void api_texts_free(struct api_texts *texts);

#endif
