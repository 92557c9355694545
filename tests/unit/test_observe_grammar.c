// SPDX-License-Identifier: MIT
// The grammar of observables: valid expressions, random changes of them, and hostile ones, of which each is opened and
// computed, or rejected with a message that names it.
#include <ctype.h>

#include "bytes.h"
#include "functions.h"
#include "observe_system.h"
#include "system.h"
#include "tap.h"
#include "uniform.h"
#include "utf8.h"

static const char *const seeds[] = {
    "rg(P)",
    "rg(P and name CA, weights=none)",
    "rgtensor(P)",
    "shape(group=P)",
    "com(P)",
    "cog(D)",
    "distance(com(P), cog(resname SOL and resid 3))",
    "angle(1-2-4)",
    "torsion(0, 2, 4, index 6)",
    "end_to_end(P)",
    "phi(P)",
    "psi(P)",
    "omega(P)",
    "chi1(P)",
    "chi2(all)",
    "chi3(P)",
    "chi4(P)",
    "chi5(P)",
    "cell",
    "dipole.total(P)",
    "p2.x(name CA, name C, director)",
    "volume()",
    "density",
    "rmsd(P, fit=name CA C N, weights=mass)",
    "rmsd(P, fit=none, reference=first)",
    "charge(within 3 of P)",
    "dipole(P, origin=zero)",
    "box_dipole(P or resname SOL)",
    "contacts(P, not P, 4.5, kind=soft)",
    "contacts(P, P, radius=3)",
    "mindist(P, resname 'SOL')",
    "native(P, kind=hard, radius=6.5)",
    "hbonds(P, all, 3.5:30)",
    "hbonds(a=P, b=all, criterion=baker-hubbard)",
    "tetrahedrality(element O N)",
    "steinhardt(all, 4)",
    "shell(P, name \"OW\", 3.5)",
    "kinetic(mass > 10)",
    "temperature(all, 30)",
    "sasa(P, in=all, points=20, probe=1.4, radii=stream)",
    "dssp(P)",
    "tilt(P, axis=x)",
    "p2(name CA, name C, axis=director)",
    "scd(P, z)",
    "area_per_lipid(name OW, resname SOL)",
    "thickness(index 0 12, P)",
};
enum { SEEDS = sizeof seeds / sizeof *seeds, LONGEST = 600 };

static struct trj_stream_header header;
static struct trj_frame frame;
static struct trj_error err;
static char what[300]; // why the last expression failed the test

// Returns whether the message is that of an expression.
static bool names_it(const char *text) {
    size_t n = strlen(text) < 100 ? strlen(text) : 100;
    return !strncmp(err.text, text, n) && strlen(err.text) > n + 4 && err.text[strlen(err.text) - 1] != ' ';
}

static bool computes(struct obs_observable *o, struct obs_system *s) {
    struct obs_view *v;
    double value[32] = {0};
    bool good = true;
    if (!obs_view_open(&v, s, &err)) {
        obs_view_begin(v, &frame);
        if (obs_observable_begin(o, v, &err) || obs_observable_compute(o, v, value, &err)) {
            good = names_it(obs_observable_whole(o)->text);
            if (!good) snprintf(what, sizeof what, "message of a frame: %.200s", err.text);
        }
        for (size_t c = 0; good && c < o->columns; c++)
            if (isinf(value[c]) && (good = false)) snprintf(what, sizeof what, "infinite: %.200s", o->text);
    }
    obs_view_close(v);
    return good;
}

// Large distances have very many images, and many points take long.
static bool is_quick(const struct obs_observable *o) {
    o = obs_observable_whole(o);
    for (size_t i = 0; o->function->parameter[i].name; i++)
        if (o->function->parameter[i].kind == OBS_NUMBER && fabs(o->argument[i].number) > 100) return false;
    return !strchr(o->text, ':'); // limits of hydrogen bonds
}

static bool has_clean_names(const struct obs_observable *o) {
    for (size_t c = 0; c < o->columns; c++)
        for (const char *p = o->names[c]; *p; p += trj_utf8_length(p))
            if (!trj_utf8_length(p) || trj_utf8_forbidden(p)) {
                snprintf(what, sizeof what, "name of a column");
                return false;
            }
    return true;
}

static bool survives(const char *text, bool computed) {
    struct obs_system s = {.header = NULL};
    struct obs_observable o = {.text = NULL};
    bool good = !obs_system_open(&s, &header, &err);
    if (obs_observable_open(&o, text, &s, &err)) {
        good = good && err.status != TRJ_OK && names_it(o.text ? o.text : "");
        if (!good) snprintf(what, sizeof what, "message: %.200s", err.text);
    } else {
        good = good && o.columns && has_clean_names(&o) && (!computed || !is_quick(&o) || computes(&o, &s));
    }
    obs_observable_free(&o);
    obs_system_free(&s);
    return good;
}

static void test_seeds(void) {
    for (size_t i = 0; obs_functions[i]; i++) {
        size_t n = strlen(obs_functions[i]->name), k = 0;
        while (k < SEEDS && (strncmp(seeds[k], obs_functions[i]->name, n) != 0 || isalpha((unsigned char)seeds[k][n])))
            k++;
        if (k == SEEDS) ok(false, "the list of expressions contains %s", obs_functions[i]->name);
    }
    for (size_t k = 0; k < SEEDS; k++) {
        struct obs_system s = {.header = NULL};
        struct obs_observable o;
        bool good =
            !obs_system_open(&s, &header, &err) && !obs_observable_open(&o, seeds[k], &s, &err) && computes(&o, &s);
        if (!strncmp(seeds[k], "chi", 3)) good = names_it(seeds[k]); // the peptide has no side chains
        if (!good) printf("# %s\n", err.text);
        if (!good) ok(false, "%s: computed", seeds[k]);
        obs_observable_free(&o);
        obs_system_free(&s);
    }
    ok(!tap_failed, "an expression of each function: computed");
}

// Changes a text at a random place.
static void change(char *text) {
    static const char *const pieces[] = {"(",
                                         ")",
                                         "((",
                                         ",",
                                         "=",
                                         "'",
                                         "\"",
                                         "-",
                                         ":",
                                         " ",
                                         "\t",
                                         "\n",
                                         "\1",
                                         "\177",
                                         "\xff",
                                         "\xc3\xa9",
                                         "\xe2\x82",
                                         "\xf0\x9f\x98\x80",
                                         "0",
                                         "1e999",
                                         "-1",
                                         "nan",
                                         "inf",
                                         "1e30",
                                         "1e-320",
                                         "99999999999999999999",
                                         "4294967296",
                                         "D",
                                         "P",
                                         "and",
                                         "not not",
                                         "none",
                                         "all",
                                         "com(",
                                         "cog(",
                                         "within 2 of ",
                                         "same residue as ",
                                         "%s%n",
                                         "first",
                                         "group=",
                                         "..",
                                         "\\0"};
    enum { PIECES = sizeof pieces / sizeof *pieces };
    size_t n = strlen(text), at = (size_t)(uniform() * (double)(n + 1)), end = at + (size_t)(uniform() * 8), length;
    char rest[LONGEST + 1], one[2] = {0};
    const char *piece = one;
    if (end > n) end = n;
    switch ((int)(uniform() * 5)) {
    case 0: // deletes
        piece = "";
        break;
    case 1: // inserts
        piece = pieces[(size_t)(uniform() * PIECES)];
        end = at;
        break;
    case 2: // replaces
        piece = pieces[(size_t)(uniform() * PIECES)];
        break;
    case 3: // inserts a part of another expression
        piece = seeds[(size_t)(uniform() * SEEDS)];
        piece += (size_t)(uniform() * (double)strlen(piece));
        end = at;
        break;
    default:
        one[0] = (char)(1 + (int)(uniform() * 255));
        end = at < n ? at + 1 : n;
    }
    memcpy(rest, text + end, n - end + 1);
    length = strlen(piece);
    if (at + length + strlen(rest) > LONGEST) return;
    memcpy(text + at, piece, length);
    memcpy(text + at + length, rest, n - end + 1);
}

static void test_changes(void) {
    enum { TRIALS = SANITIZED ? 20000 : 60000 };
    char text[LONGEST + 1] = "";
    int bad = 0;
    for (int i = 0; i < TRIALS; i++) {
        if (i % 6 == 0) snprintf(text, sizeof text, "%s", seeds[(size_t)(uniform() * SEEDS)]);
        change(text);
        if (survives(text, true)) continue;
        if (!bad++) printf("# %s: %s\n", text, what);
    }
    ok(!bad, "%d random changes of expressions: computed, or rejected with a message that names the expression",
       TRIALS);
}

// Returns `head`, `count` times `part`, and `tail`.
static char *repeat(const char *head, const char *part, size_t count, const char *tail) {
    struct trj_bytes b = {0};
    trj_put_raw(&b, head, strlen(head));
    for (size_t i = 0; i < count; i++) trj_put_raw(&b, part, strlen(part));
    trj_put_raw(&b, tail, strlen(tail) + 1);
    return (char *)b.data;
}

static void test_hostile(void) {
    static const struct {
        const char *head, *part, *tail;
    } forms[] = {{"rg(", "(", ""},
                 {"rg", "(", ""},
                 {"rg(P", ")", ""},
                 {"", "r", "(P)"},
                 {"rg(", "P", ")"},
                 {"rg(", "P,", "P)"},
                 {"rg(", "not ", "P)"},
                 {"rg(", "com(", "P)"},
                 {"distance(", "cog(", "P), 1)"},
                 {"rg(P", " or P", ", none)"},
                 {"rg(name", " CA", ", none)"},
                 {"torsion(", "1-", "2)"},
                 {"contacts(P, P, ", "9", ")"},
                 {"contacts(P, P, 0.", "0", "1)"},
                 {"temperature(P, 1", "0", "e-1)"},
                 {"rmsd(P, reference=", "x", ")"},
                 {"rg(P, ", "'", "')"},
                 {"rg(P", "\xc3\xa9", ")"},
                 {"", " ", "rg(P)"},
                 {"cell(", " ", ")"}};
    int bad = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t count = 100; count <= 1000000; count *= 100) {
            char *text = repeat(forms[i].head, forms[i].part, count, forms[i].tail);
            if (!text || !survives(text, false)) {
                printf("# %s, %zu times %s, %s: %s\n", forms[i].head, count, forms[i].part, forms[i].tail, what);
                bad++;
            }
            free(text);
        }
    ok(!bad, "long and deeply nested expressions: opened, or rejected with a message that names the expression");
    char *text = repeat("rg(P and index", " 1 3:7", 500000, ", none)");
    ok(text && survives(text, true), "a list of a million numbers");
    free(text);
}

int main(void) {
    bool made = freopen("/dev/null", "r", stdin) && !observe_make(&header, &frame, &err);
    if (ok(made, "a stream with all properties")) {
        test_seeds();
        test_changes();
        test_hostile();
    } else {
        printf("# %s\n", err.text);
    }
    trj_stream_header_free(&header);
    trj_frame_free(&frame);
    return done();
}
