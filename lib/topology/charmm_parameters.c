// SPDX-License-Identifier: MIT
#include "charmm_parameters.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bytes.h"
#include "input.h"
#include "lines.h"
#include "memory.h"
#include "number.h"
#include "text_index.h"

enum { MAX_WORDS = 8 };

struct lj {
    double epsilon, half_rmin;
};

struct parameters {
    struct trj_texts types;
    struct trj_text_index index; // of types
    struct lj *lj;               // [types.count]
    size_t room;
};

// Returns whether a word is a keyword, of which CHARMM compares the first four letters.
static bool is_keyword(const char *word, const char *keyword) {
    return !strncasecmp(word, keyword, 4);
}

static bool ends_section(const char *word) {
    static const char *const keywords[] = {"NBFI", "HBON", "BOND", "ANGL", "THET", "DIHE", "PHI",  "IMPR", "IMPH",
                                           "CMAP", "ATOM", "MASS", "THOL", "EQUI", "PRIN", "READ", "RETU", "END"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (is_keyword(word, keywords[i])) return true;
    return false;
}

// Splits a line into words, without its comment. Returns their number; only the first MAX_WORDS are stored. Sets
// *continued to whether the last word ends with '-'.
static size_t find_words(char *line, char *word[MAX_WORDS], bool *continued) {
    size_t n = 0;
    line[strcspn(line, "!")] = 0;
    *continued = false;
    for (char *next; (next = trj_next_word(&line)); n++) {
        if (n < MAX_WORDS) word[n] = next;
        *continued = next[strlen(next) - 1] == '-';
    }
    return n;
}

static int add_type(struct parameters *p, char *const word[], size_t n, const struct trj_lines *l,
                    struct trj_error *err) {
    struct lj lj;
    double ignored;
    uint32_t type;
    if (strpbrk(word[0], "*%#+"))
        return trj_lines_fail(l, err, "type %.40s has a wildcard, which is not supported; list the types", word[0]);
    if (n < 4 || !trj_parse_real(word[1], &ignored) || !trj_parse_real(word[2], &lj.epsilon) ||
        !trj_parse_real(word[3], &lj.half_rmin))
        return trj_lines_fail(l, err, "NONBONDED: '%.40s' is not followed by a number, epsilon and Rmin/2", word[0]);
    if (lj.epsilon > 0 || lj.half_rmin < 0)
        return trj_lines_fail(l, err,
                              "NONBONDED: type %.40s: epsilon of %g and Rmin/2 of %g, expected at most 0 and at "
                              "least 0",
                              word[0], lj.epsilon, lj.half_rmin);
    if (trj_text_index_add(&p->index, word[0], &type, err) ||
        trj_grow(&p->lj, &p->room, p->types.count, sizeof *p->lj, "parameters", err))
        return -1;
    p->lj[type] = lj;
    return 0;
}

// Reads the sections NONBONDED. The first line of a section contains options; a '-' at its end continues them on the
// next line.
static int read_lines(struct parameters *p, struct trj_lines *l, bool *found, struct trj_error *err) {
    bool inside = false, continued = false, more;
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        char *word[MAX_WORDS];
        double number;
        size_t n = *l->text == '*' ? 0 : find_words(l->text, word, &more); // lines with * are the title
        if (!n) continue;
        if (is_keyword(word[0], "NONB") || is_keyword(word[0], "NBON")) {
            if (n > 3 && trj_parse_real(word[2], &number) && trj_parse_real(word[3], &number))
                return trj_lines_fail(l, err, "is in X-PLOR format; give a CHARMM parameter file");
            inside = *found = true;
            continued = more;
        } else if (continued) {
            continued = more;
        } else if (inside && ends_section(word[0]) && !(n > 1 && trj_parse_real(word[1], &number))) {
            inside = false;
        } else if (inside && add_type(p, word, n, l, err)) {
            return -1;
        }
    }
    return got;
}

static int read_file(struct parameters *p, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    bool found = false;
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines lines = {.in = in};
    int rc = read_lines(p, &lines, &found, err);
    if (!rc && !found) rc = trj_fail(err, TRJ_BAD_DATA, "has no section NONBONDED; give a CHARMM parameter file");
    if (rc) {
        trj_error_set_remedy(err, "correct the file, or give another one with --parameters");
        trj_fail_at(err, "%s", path);
    }
    trj_input_close(in);
    return rc;
}

static int set_values(struct trj_topology *top, const struct parameters *p, struct trj_error *err) {
    const double half_rmin_to_sigma = 1.78179743628067860948;             // 2^(5/6)
    struct lj *of = trj_alloc(top->type.count, sizeof *of, "types", err); // of each type of the topology
    top->sigma = trj_alloc(top->atoms, sizeof *top->sigma, "atoms", err);
    top->epsilon = trj_alloc(top->atoms, sizeof *top->epsilon, "atoms", err);
    size_t known = 0;
    for (size_t i = 0; of && i < top->type.count; i++) {
        uint32_t type;
        const char *name = top->type.text[i];
        bool found = p->lj && trj_text_index_find(&p->index, name, strlen(name), &type);
        of[i] = found ? p->lj[type] : (struct lj){NAN, NAN};
        known += found;
    }
    for (size_t i = 0; of && top->sigma && top->epsilon && i < top->atoms; i++) {
        top->sigma[i] = of[top->type.id[i]].half_rmin * half_rmin_to_sigma;
        top->epsilon[i] = -of[top->type.id[i]].epsilon + 0; // 0, not -0
    }
    bool complete = of && top->sigma && top->epsilon;
    free(of);
    if (!complete) return -1;
    if (known) return 0;
    const char *first = top->type.text[0];
    return trj_fail(err, TRJ_BAD_DATA,
                    "none of the %zu atom types of the topology, such as %.40s, is in the parameter "
                    "files; %s",
                    top->type.count, first,
                    isdigit((unsigned char)*first)
                        ? "the PSF file contains numbers of types instead of names; write one with names "
                          "with CHARMM's command 'write psf card xplor'"
                        : "give those of its force field");
}

// Sets the origin of the values: the names of the files.
static int set_origin(struct trj_topology *top, const char *const *paths, size_t count, struct trj_error *err) {
    struct trj_bytes text = {0};
    for (size_t i = 0; i < count; i++) {
        const char *before = i ? ", " : "CHARMM parameters ";
        trj_put_raw(&text, before, strlen(before));
        trj_put_raw(&text, paths[i], strlen(paths[i]));
    }
    trj_put_raw(&text, "", 1);
    top->parameters = text.failed ? NULL : trj_copy_text((const char *)text.data, err);
    if (text.failed) trj_fail_memory(err, (double)text.size, "file names");
    top->lj_from = top->parameters;
    trj_bytes_free(&text);
    return top->parameters ? 0 : -1;
}

int trj_charmm_parameters(struct trj_topology *top, const char *const *paths, size_t count, struct trj_error *err) {
    struct parameters p = {.lj = NULL};
    int rc = 0;
    p.index.texts = &p.types;
    if (strcmp(top->format, "PSF") != 0 || !top->type.id)
        return trj_fail(err, TRJ_USAGE,
                        "--parameters: the topology is a %s file; CHARMM parameters apply to the atom "
                        "types of a PSF file",
                        top->format);
    for (size_t i = 0; i < count && !rc; i++) rc = read_file(&p, paths[i], err);
    if (!rc) rc = set_values(top, &p, err) || set_origin(top, paths, count, err) ? -1 : 0;
    trj_text_index_free(&p.index);
    trj_texts_clear(&p.types);
    free(p.lj);
    return rc;
}
