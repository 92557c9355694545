// SPDX-License-Identifier: MIT
// Removes the words that all names have in common, because paths in a key would be too long.
#include "short_names.h"

#include <stdbool.h>
#include <string.h>

#include "memory.h"

static bool ends_word(char c) {
    return strchr("/._-", c) != NULL; // true for the NUL, too
}

static const char *base(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static size_t stem(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - name) : strlen(name);
}

// Returns the number of bytes, up to the end of a word, that all names begin with.
static size_t common_start(const char *const *names, size_t count) {
    size_t whole = 0;
    for (size_t n = 0;; n++) {
        char c = names[0][n];
        for (size_t i = 1; i < count; i++)
            if (names[i][n] != c) return whole;
        if (!c) return whole;
        if (ends_word(c)) whole = n + 1;
    }
}

// Returns the number of bytes that all names end with. At least one byte after the common start remains.
static size_t common_end(const char *const *names, size_t count, size_t start) {
    size_t whole = 0;
    for (size_t n = 1;; n++) {
        char c = 0;
        for (size_t i = 0; i < count; i++) {
            size_t length = strlen(names[i]);
            if (length <= start + n || (i && names[i][length - n] != c)) return whole;
            c = names[i][length - n];
        }
        if (ends_word(c)) whole = n;
    }
}

char **plot_short_names(const char *const *names, size_t count, struct trj_error *err) {
    char **shorts = trj_alloc(count + 1, sizeof *shorts, "names", err);
    bool differ = false;
    for (size_t i = 1; i < count; i++) differ = differ || strcmp(names[i], names[0]) != 0;
    size_t start = shorts && differ ? common_start(names, count) : 0;
    size_t end = shorts && differ ? common_end(names, count, start) : 0;
    for (size_t i = 0; shorts && i < count; i++) {
        const char *name = differ ? names[i] + start : base(names[i]);
        if (!(shorts[i] = trj_copy_text(name, err))) {
            trj_text_array_free(shorts);
            return NULL;
        }
        size_t length = differ ? strlen(name) - end : stem(name);
        // The name consists of words that the others contain, too.
        if (!length || (differ && length == strlen(name) && !end)) length = stem(name);
        shorts[i][length] = 0;
    }
    return shorts;
}
