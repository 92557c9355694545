// SPDX-License-Identifier: MIT
// Expands host lists. The number of names is checked before a range is expanded, so that "n[1-999999999]" in a file
// needs neither memory nor time.
#include "net_host_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "net_topology.h"

enum { MAX_BRACKETS = 8, MAX_DIGITS = 9 };

struct expansion {
    char name[NET_NAME_MAX + 1];
    int (*each)(void *arg, const char *name, struct trj_error *err);
    void *arg;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Returns whether a name may contain the character.
static bool is_allowed(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("._-:@", c);
}

bool net_host_name_is_valid(const char *name) {
    while (*name && is_allowed(*name)) name++;
    return !*name;
}

static int fail(struct trj_error *err, const char *why, const char *at) {
    return trj_fail(err, TRJ_BAD_DATA, "invalid host list: %s at '%.40s'; example: n[001-500,507],login1", why, at);
}

// Reads a number of a range, and returns the text after it; NULL if there is none. *digits: with leading zeros.
static const char *read_number(const char *text, uint64_t *value, size_t *digits) {
    *value = 0;
    for (*digits = 0; is_digit(*text) && *digits <= MAX_DIGITS; text++, ++*digits)
        *value = *value * 10 + (uint64_t)(*text - '0');
    return *digits && *digits <= MAX_DIGITS ? text : NULL;
}

static int fail_many(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "host list: more than %d names; correct its ranges", NET_HOSTS_MAX);
}

struct range {
    uint64_t first, last;
    size_t digits;
};

// Reads the range at *text, and moves it after the ',' that follows, or to the ']'.
static int read_range(const char **text, struct range *r, struct trj_error *err) {
    size_t digits;
    const char *after = read_number(*text, &r->first, &r->digits);
    if (!after) return fail(err, "expected a number of up to 9 digits", *text);
    r->last = r->first;
    *text = after;
    if (*after == '-') {
        *text = read_number(after + 1, &r->last, &digits);
        if (!*text) return fail(err, "expected a number of up to 9 digits", after + 1);
        if (r->last < r->first) return fail(err, "range that ends before it begins", after);
    }
    if (**text != ',' && **text != ']') return fail(err, "expected ',' or ']'", *text);
    if (**text == ',') ++*text;
    return 0;
}

// Checks one name, and sets *count to the number of names that its ranges contain, or to SIZE_MAX if that is too large.
static int count_names(const char *text, const char *end, size_t *count, struct trj_error *err) {
    size_t length = 0;
    unsigned brackets = 0;
    *count = 1;
    for (const char *at = text; at < end; at++) {
        uint64_t names = 0;
        if (*at != '[') {
            if (!is_allowed(*at)) return fail(err, "invalid character", at);
            length++;
            continue;
        }
        if (++brackets > MAX_BRACKETS) return fail(err, "more than 8 brackets", at);
        for (at++; at < end && *at != ']';) {
            struct range r;
            if (read_range(&at, &r, err)) return -1;
            names += r.last - r.first + 1;
        }
        if (at >= end) return fail(err, "missing ']'", text);
        if (!names) return fail(err, "expected a number of up to 9 digits", at);
        *count = *count > SIZE_MAX / names ? SIZE_MAX : *count * (size_t)names;
        length += MAX_DIGITS;
    }
    if (!length) return fail(err, "missing name", text);
    return length > NET_NAME_MAX ? fail(err, "name of more than 255 characters", text) : 0;
}

// Expands the rest of one name that count_names has accepted; the first `length` characters of x->name are those before
// it.
static int expand(struct expansion *x, size_t length, const char *text, const char *end, struct trj_error *err) {
    while (text < end && *text != '[') x->name[length++] = *text++;
    if (text == end) {
        x->name[length] = 0;
        return x->each(x->arg, x->name, err);
    }
    const char *after = strchr(text, ']') + 1;
    for (text++; *text != ']';) {
        struct range r;
        int rc = read_range(&text, &r, err);
        for (uint64_t i = r.first; !rc && i <= r.last; i++) {
            const int n = snprintf(x->name + length, sizeof x->name - length, "%0*" PRIu64, (int)r.digits, i);
            rc = expand(x, length + (size_t)n, after, end, err);
        }
        if (rc) return rc;
    }
    return 0;
}

int net_host_list(const char *text, size_t *left, int (*each)(void *arg, const char *name, struct trj_error *err),
                  void *arg, struct trj_error *err) {
    struct expansion x = {.each = each, .arg = arg};
    for (int pass = 0; pass < 2; pass++)
        for (const char *from = text, *end;; from = end + 1) {
            bool inside = false;
            size_t count;
            for (end = from; *end && (inside || *end != ','); end++) inside = *end == '[' || (inside && *end != ']');
            if (!pass) {
                if (count_names(from, end, &count, err)) return -1;
                if (count > *left) return fail_many(err);
                *left -= count;
            } else {
                const int rc = expand(&x, 0, from, end, err);
                if (rc) return rc;
            }
            if (!*end) break;
        }
    return 0;
}
