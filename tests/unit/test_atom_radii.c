// SPDX-License-Identifier: MIT
// Tests radii of atoms from each source, and PQR files: what is written reads as the same numbers.
#include <unistd.h>

#include "atom_radii.h"
#include "lines.h"
#include "memory.h"
#include "number.h"
#include "pqr_records.h"
#include "pqr_writer.h"
#include "property.h"
#include "tap.h"

static struct trj_error err;
static char path[] = "/tmp/test_atom_radii.XXXXXX";

// Water, methane with one H, a thiol hydrogen, H2, a silane hydrogen, and sodium. Atom 13 is bonded to an atom that
// is not in the stream.
enum { ATOMS = 14 };
static uint32_t elements[ATOMS] = {8, 1, 1, 6, 1, 16, 1, 1, 1, 14, 1, 7, 1, 1};
static uint32_t bonds[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {12, 11}, {13, ATOMS}};
static const char *const names[ATOMS] = {"OW", "HW", "HW", "CA", "HA", "SG", "HG",
                                         "H1", "H2", "SI", "H",  "N",  "HN", "HX"};
static const double mbondi[ATOMS] = {1.5, 0.8, 0.8, 1.7, 1.3, 1.8, 0.8, 1.2, 1.2, 2.1, 1.2, 1.55, 1.3, 0};
static uint32_t atoms[ATOMS], residues[ATOMS];
static struct trj_group group;
static struct trj_stream_header header;

static void make_header(void) {
    header = (struct trj_stream_header){.atoms = ATOMS,
                                        .group_count = 1,
                                        .groups = &group,
                                        .element = elements,
                                        .bond = bonds,
                                        .bond_count = sizeof bonds / sizeof *bonds,
                                        .between = 1};
    for (uint32_t i = 0; i < ATOMS; i++) {
        atoms[i] = i;
        residues[i] = i / 3;
    }
    group = (struct trj_group){.name = path, .count = ATOMS - 1, .atoms = atoms};
}

static void add_names(void) {
    struct trj_property *p = trj_property_add(&header, "name", "", "a file", TRJ_PROPERTY_TEXT, &err);
    struct trj_text_index index = {.texts = p ? &p->text : NULL};
    uint32_t id;
    if (!p || trj_text_index_add(&index, "", &id, &err)) abort();
    for (size_t i = 0; i < ATOMS; i++)
        if (trj_text_index_add(&index, names[i], &p->text.id[i], &err)) abort();
    trj_text_index_free(&index);
}

static void add_radii(double last) {
    struct trj_property *p = trj_property_add(&header, "radius", "A", "a file", TRJ_PROPERTY_REAL, &err);
    if (!p) abort();
    for (size_t i = 0; i < ATOMS; i++) p->real[i] = 1 + 0.125 * (double)i;
    p->real[ATOMS - 1] = last;
}

static void free_properties(void) {
    for (size_t i = 0; i < header.property_count; i++) trj_property_free(&header.properties[i]);
    free(header.properties);
    header.properties = NULL;
    header.property_count = 0;
}

static bool are(const double *radius, const double *expected, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (fabs(radius[i] - expected[i]) > 1e-15) return false;
    return true;
}

static void save(const char *text) {
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) abort();
}

static void test_tables(void) {
    double radius[ATOMS];
    ok(!pot_radii_set(radius, "mbondi", &header, &group, &err) && are(radius, mbondi, ATOMS - 1), "mbondi %s",
       err.text);
    group.count = ATOMS;
    ok(pot_radii_set(radius, "mbondi", &header, &group, &err) && has_text(err.text, "to which atom 13 (H) is bonded"),
       "mbondi: a bond to an atom that is not in the stream: %s", err.text);
    ok(!pot_radii_set(radius, "bondi", &header, &group, &err) && radius[0] == 1.52 && radius[1] == 1.2 &&
           radius[9] == 2.1,
       "bondi");
    elements[0] = 11;
    ok(pot_radii_set(radius, "mbondi", &header, &group, &err) && has_text(err.text, "element of atom 0 (Na)"),
       "mbondi: %s", err.text);
    elements[0] = 26;
    ok(pot_radii_set(radius, "bondi", &header, &group, &err) && has_text(err.text, "atom 0 (Fe)"), "bondi: %s",
       err.text);
    elements[0] = 0;
    ok(pot_radii_set(radius, "bondi", &header, &group, &err) && has_text(err.text, "element of atom 0 is"),
       "bondi: unknown element");
    elements[0] = 8;
    header.bond = NULL;
    ok(pot_radii_set(radius, "mbondi", &header, &group, &err) && has_text(err.text, "contains no bonds; give"),
       "mbondi without bonds: %s", err.text);
    header.bond = bonds;
    header.element = NULL;
    ok(pot_radii_set(radius, "mbondi", &header, &group, &err) && has_text(err.text, "contains no elements"),
       "mbondi without elements");
    ok(pot_radii_set(radius, "bondi", &header, &group, &err) && has_text(err.text, "atom 0"), "bondi without elements");
    header.element = elements;
}

static void test_property(void) {
    double radius[ATOMS];
    ok(pot_radii_set(radius, NULL, &header, &group, &err) && has_text(err.text, "--carry radius"), "no radius: %s",
       err.text);
    add_radii(0);
    ok(!pot_radii_set(radius, NULL, &header, &group, &err) && radius[2] == 1.25 && radius[ATOMS - 1] == 0,
       "radii of the stream; 0 is allowed");
    free_properties();
    add_radii(NAN);
    ok(pot_radii_set(radius, NULL, &header, &group, &err) && has_text(err.text, "13"), "unknown radius: %s", err.text);
    free_properties();
    add_radii(-1);
    ok(pot_radii_set(radius, NULL, &header, &group, &err) && has_text(err.text, "atom 13 (H) is -1"),
       "negative radius: %s", err.text);
    free_properties();
}

static void test_files(void) {
    static const char elements_only[] = "# a comment\nH 1.1 # another\n\n\tO  1.4\r\nC 2\nS 2\nSi 3\nN 1e0\n";
    static const struct {
        const char *text, *message;
    } bad[] = {{"", "contains no radii"},
               {"# none\n", "contains no radii"},
               {"H\n", "line 1"},
               {"H 1\nO 1 2\n", "line 2"},
               {"H 1.2x\n", "line 1"},
               {"H -1\n", "line 1"},
               {"H nan\n", "line 1"},
               {"H 1e9\n", "line 1"},
               {"H 1\nO 2\nH 1\n", "line 3: 'H' occurs twice"},
               {"1.2 H\n", "line 1"},
               {"H 1\nO 2\nC 2\n", "no line for atom 5"}};
    double radius[ATOMS];
    save(elements_only);
    ok(!pot_radii_set(radius, path, &header, &group, &err) && radius[0] == 1.4 && radius[13] == 1.1 && radius[9] == 3,
       "file of elements %s", err.text);
    add_names();
    ok(!pot_radii_set(radius, path, &header, &group, &err) && radius[3] == 2, "the same, with names in the stream");
    save("CA 5\nO 1.4\nH 1\nHW 0.5\nC 2\nS 2\nSi 3\nN 1");
    ok(!pot_radii_set(radius, path, &header, &group, &err) && radius[3] == 5 && radius[2] == 0.5 && radius[4] == 1 &&
           radius[11] == 1,
       "names take precedence over elements; last line without a new line");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        save(bad[i].text);
        ok(pot_radii_set(radius, path, &header, &group, &err) && err.status == TRJ_BAD_DATA &&
               has_text(err.text, bad[i].message) && has_text(err.text, path),
           "broken file %zu: %s", i, bad[i].message);
    }
    ok(pot_radii_set(radius, "/nonexistent/radii", &header, &group, &err) && has_text(err.text, "/nonexistent/radii"),
       "no file: %s", err.text);
    free_properties();
}

// Reads atom i of the file, and compares its numbers.
static bool is_atom(char *line, const char *name, const char *residue, const double value[5]) {
    struct trj_pqr_atom atom;
    const struct trj_lines l = {.text = line, .length = strlen(line)};
    double number;
    if (trj_pqr_atom(&l, 0, &atom, &err) || strcmp(atom.name, name) != 0 || strcmp(atom.resname, residue) != 0)
        return false;
    for (int k = 0; k < 5; k++) {
        const char *text = k < 3 ? atom.x[k] : k == 3 ? atom.charge : atom.radius;
        if (!trj_parse_real(text, &number) || number != value[k]) return false;
    }
    return true;
}

static void test_pqr(void) {
    static const double position[2][3] = {{1.0 / 3, -1e-7, 12345.678901234567}, {(double)0.1F, 1e5, -0.0}};
    static const double charge[2] = {-0.8340000000000001, 1e-17}, radius[2] = {1.55, 0};
    const struct pot_pqr p = {&header, 2, (const uint32_t[]){1, 4}, position, charge, radius};
    struct trj_output *out;
    char line[256];
    header.residue = residues;
    for (int named = 0; named < 2; named++) {
        if (named) add_names();
        if (trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err) || pot_pqr_write(out, &p, &err) ||
            trj_output_commit(out, &err))
            abort();
        trj_output_close(out);
        FILE *f = fopen(path, "r");
        bool good = f != NULL;
        for (int i = 0; good && i < 2; i++) {
            // The float32 nearest to 0.1 is printed as 0.1.
            const double value[5] = {i ? 0.1 : position[i][0], position[i][1], position[i][2], charge[i], radius[i]};
            good = fgets(line, sizeof line, f) && strchr(line, '\n');
            if (good) *strchr(line, '\n') = 0;
            good = good && is_atom(line, named ? i ? "HA" : "HW" : "H", "UNK", value);
        }
        ok(good && fgets(line, sizeof line, f) && !strcmp(line, "END\n"), "PQR %s names: the same numbers",
           named ? "with" : "without");
        if (f) fclose(f);
    }
    free_properties();
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0 || close(fd)) return 1;
    make_header();
    test_tables();
    test_property();
    test_files();
    test_pqr();
    unlink(path);
    return done();
}
