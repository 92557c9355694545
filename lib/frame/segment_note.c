// SPDX-License-Identifier: MIT
// Reads the option --segment from command lines, because streams contain it nowhere else.
#include "segment_note.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frame_range.h"

// The next word of a command line; length 0 at its end.
struct word {
    const char *text;
    size_t length;
};

static struct word next_word(const char **line) {
    *line += strspn(*line, " ");
    struct word w = {*line, strcspn(*line, " ")};
    *line += w.length;
    return w;
}

// Returns whether a word is the option, possibly abbreviated. *value: it contains the value, after '='.
static bool is_option(struct word w, const char *name, bool *value) {
    const char *equals = memchr(w.text, '=', w.length);
    size_t n = equals ? (size_t)(equals - w.text) : w.length;
    *value = equals != NULL;
    return n >= 4 && n <= strlen(name) && !strncmp(w.text, name, n);
}

// Returns the next word other than --segment and --output with their values. A valid value of --segment is copied to
// *segment.
static struct word next_common(const char **line, struct trj_segment *segment) {
    for (;;) {
        struct word w = next_word(line);
        bool within = false, output = w.length >= 2 && !strncmp(w.text, "-o", 2);
        bool of_segment = is_option(w, "--segment", &within);
        if (!of_segment && !output) output = is_option(w, "--output", &within);
        if (!of_segment && !output) return w;
        if (output && w.text[1] == 'o' && w.length > 2) continue;
        struct word value = within ? w : next_word(line);
        if (!of_segment) continue;
        char text[64];
        const char *from = within ? (const char *)memchr(w.text, '=', w.length) + 1 : value.text;
        size_t n = (size_t)(value.text + value.length - from);
        snprintf(text, sizeof text, "%.*s", n < sizeof text ? (int)n : 0, from);
        struct trj_segment s;
        if (!trj_segment_parse(&s, text, &(struct trj_error){.status = 0})) *segment = s;
    }
}

static struct trj_segment segment_of(const char *line) {
    struct trj_segment s = {.count = 0};
    if (strncmp(line, "trjcat ", strlen("trjcat ")) != 0) return s;
    while (next_common(&line, &s).length) continue;
    return s;
}

static bool same_command(const char *a, const char *b) {
    struct trj_segment ignored;
    for (;;) {
        struct word x = next_common(&a, &ignored), y = next_common(&b, &ignored);
        if (x.length != y.length || memcmp(x.text, y.text, x.length) != 0) return false;
        if (!x.length) return true;
    }
}

// Returns whether both lines are segments of one division of the frames.
static bool same_division(const char *a, const char *b) {
    const struct trj_segment x = segment_of(a), y = segment_of(b);
    return x.count && x.count == y.count && x.unit == y.unit && same_command(a, b);
}

// Returns whether one of the lines up to `last` is the command of that line with segment `number`.
static bool has_segment(char *const *lines, size_t last, const char *line, uint64_t number) {
    for (size_t i = 0; i < last; i++) {
        if (segment_of(lines[i]).number == number && same_division(lines[i], line)) return true;
    }
    return false;
}

const char *trj_segment_note(char text[TRJ_SEGMENT_NOTE], char *const *lines, size_t count) {
    enum { NAMED = 5 };
    *text = 0;
    for (size_t i = 0; i < count && !*text; i++) {
        struct trj_segment s = segment_of(lines[i]);
        uint64_t present = 0, missing = 0;
        bool first = s.count > 0;
        for (size_t k = 0; k < i && first; k++) first = !same_division(lines[k], lines[i]);
        if (!first) continue;
        // Lines differ, and a frame is not added twice: each line is another segment.
        for (size_t k = i; k < count; k++) present += same_division(lines[k], lines[i]);
        if (present >= s.count) continue;
        bool several = s.count - present > 1;
        size_t n = (size_t)snprintf(text, TRJ_SEGMENT_NOTE, "note: segment%s ", several ? "s" : "");
        for (uint64_t number = 1; number <= s.count && missing < NAMED; number++) {
            if (has_segment(lines, count, lines[i], number)) continue;
            n += (size_t)snprintf(text + n, TRJ_SEGMENT_NOTE - n, "%s%llu", missing++ ? ", " : "",
                                  (unsigned long long)number);
        }
        uint64_t more = s.count - present - missing;
        if (more) n += (size_t)snprintf(text + n, TRJ_SEGMENT_NOTE - n, " and %llu more", (unsigned long long)more);
        snprintf(text + n, TRJ_SEGMENT_NOTE - n,
                 " of %llu %s missing (trjcat --segment); add the results of all segments", (unsigned long long)s.count,
                 several ? "are" : "is");
    }
    return text;
}

bool trj_segments_of_one_run(char *const *lines, size_t count, char *const *others, size_t other_count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < other_count; k++)
            if (same_division(lines[i], others[k])) return true;
    return false;
}
