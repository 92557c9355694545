// SPDX-License-Identifier: MIT
// Copies structures of the C interface by the size that the caller gives, so that programs built with an earlier
// version work.
#include "api_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

const char *trjpipe_version(void) {
    return TRJPIPE_VERSION;
}

int api_fail(struct trjpipe_error *to, struct trj_error *err) {
    if (!to) return -1;
    trj_replace_control_chars(err->text);
    to->status = (int)(err->origin ? err->origin : err->status);
    snprintf(to->text, sizeof to->text, "%s", err->text);
    return -1;
}

static int take_size(size_t *size, const void *field, const char *name, struct trj_error *err) {
    memcpy(size, field, sizeof *size);
    if (*size >= sizeof *size) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: struct_size is %zu; set it to sizeof(struct %s)", name, *size, name);
}

int api_take_struct(void *to, size_t size, const void *from, const char *name, struct trj_error *err) {
    size_t given;
    if (!from) return 0;
    if (take_size(&given, from, name, err)) return -1;
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)from)[i])
            return trj_fail(err, TRJ_USAGE, "%s: libtrjpipe %s lacks the member at byte %zu; install a newer version",
                            name, TRJPIPE_VERSION, i);
    memcpy(to, from, given < size ? given : size);
    return 0;
}

int api_give_struct(void *to, const void *from, size_t size, const char *name, struct trj_error *err) {
    size_t given;
    if (take_size(&given, to, name, err)) return -1;
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &given, sizeof given);
    return 0;
}

int api_texts_add(struct api_texts *texts, const char *text, const char **copy, struct trj_error *err) {
    char *added = NULL;
    if (text && (trj_grow(&texts->text, &texts->capacity, texts->count + 1, sizeof *texts->text, "texts", err) ||
                 !(added = trj_copy_text(text, err))))
        return -1;
    if (added) texts->text[texts->count++] = added;
    if (copy) *copy = added;
    return 0;
}

void api_texts_free(struct api_texts *texts) {
    for (size_t i = 0; i < texts->count; i++) free(texts->text[i]);
    free(texts->text);
}
