// SPDX-License-Identifier: MIT
// Tests inputs of APBS: what is read from them, what copies contain, and which errors are reported; screening by ions,
// with values that APBS 3.4.1 prints; and the maps of boundary values.
#include <unistd.h>

#include "apbs_input.h"
#include "debye.h"
#include "face_lattice.h"
#include "tap.h"

static struct trj_error err;
static char input[] = "/tmp/test_apbs_input.XXXXXX", copy[64];

// Reads a text as an input.
static int read_bytes(struct pot_apbs *a, const char *text, size_t size) {
    FILE *f = fopen(input, "wb");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f)) abort();
    err.text[0] = 0;
    return pot_apbs_read(a, input, &err);
}

// Returns the text of a copy; NULL after an error.
static const char *write_numbered(const struct pot_apbs *a, const char *molecule, const char *map, const char *number) {
    static char text[1 << 16];
    struct trj_output *out;
    if (trj_output_open(&out, copy, TRJ_OUTPUT_TEXT, &err)) abort();
    int rc = pot_apbs_write(a, out, molecule, map, number, &err) || trj_output_commit(out, &err);
    trj_output_close(out);
    FILE *f = rc ? NULL : fopen(copy, "rb");
    if (!f) return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static const char *write_copy(const struct pot_apbs *a, const char *molecule, const char *map) {
    return write_numbered(a, molecule, map, "");
}

#define ELEC                                                                                                           \
    "elec name a # the first\n mg-manual\n dime 65 33 97\n glen 90.5 80 7e1\n gcent mol 1\n mol 1\n lpbe\n bcfl mdh\n" \
    " ion charge 1 conc 0.15 radius 2.0\n ion charge -1 conc 0.15 radius 2.0\n pdie 2.0\n sdie 78.54\n chgm spl2\n"    \
    " temp 298.15\n write pot dx mdh\nend\n"

static void test_manual(void) {
    struct pot_apbs a;
    ok(!read_bytes(&a, "read\n  mol pqr in.pqr # a comment\nend\n" ELEC "quit\n garbage",
                   strlen("read\n  mol pqr in.pqr # a comment\nend\n" ELEC "quit\n garbage")),
       "mg-manual: read %s", err.text);
    ok(a.dime[0] == 65 && a.dime[1] == 33 && a.dime[2] == 97, "dime");
    ok(a.glen[0] == 90.5 && a.glen[1] == 80 && a.glen[2] == 70, "glen");
    ok(a.about_molecule && a.pdie == 2 && a.sdie == 78.54 && a.temperature == 298.15, "gcent, pdie, sdie, temp");
    ok(a.ions.count == 2 && a.ions.ion[1].charge == -1 && a.ions.ion[1].concentration == 0.15, "ions");
    ok(!*a.note[0] && !*a.note[1] && a.map == 1, "no notes");
    const char *text = write_copy(&a, "f.pqr", "f.dx");
    ok(text &&
           !strcmp(text, "read\n  mol pqr f.pqr # a comment\n    pot dx f.dx\nend\n"
                         "elec name a # the first\n mg-manual\n    usemap pot 1\n dime 65 33 97\n glen 90.5 80 7e1\n"
                         " gcent mol 1\n mol 1\n lpbe\n bcfl map\n ion charge 1 conc 0.15 radius 2.0\n"
                         " ion charge -1 conc 0.15 radius 2.0\n pdie 2.0\n sdie 78.54\n chgm spl2\n temp 298.15\n"
                         " write pot dx mdh\nend\nquit\n garbage"),
       "copy: four changes, other bytes are kept");
    text = write_copy(&a, "a b/f.pqr", "c d.dx");
    ok(has_text(text, "mol pqr \"a b/f.pqr\" #") && has_text(text, "pot dx \"c d.dx\"\n"), "paths with blanks: quoted");
    static const char *const bad[] = {"",     "a#b",  "a=b",  "a,b", "a;b", "50%",
                                      "a\"b", "a\tb", "a\nb", " a",  "a ",  "a  b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!write_copy(&a, bad[i], "f.dx") && !write_copy(&a, "f.pqr", bad[i]) && err.status == TRJ_USAGE,
           "path %zu that APBS cannot read: rejected", i);
    static char path[1025];
    memset(path, 'p', 1024);
    ok(!write_copy(&a, path, "f.dx"), "path of 1024 characters: rejected");
    path[1023] = 0;
    ok(write_copy(&a, path, "f.dx") != NULL, "path of 1023 characters");
    pot_apbs_free(&a);
}

static void test_automatic(void) {
    struct pot_apbs a;
    const char *text = "READ MOL PQR \"my file.pqr\" POT dx old.dx,DIEL dx x.dx \"y 1.dx\" z.dx END\r\n"
                       "Elec FE-manual whatever END PRINT elecEnergy a - b end\r\n"
                       "ELEC MG-Auto\r\n  DIME=100;60,17 CGLEN 50 50 50 fglen 12 12 12 fgcent mol 2\r\n"
                       "cgcent 1 -2.5 3e0 mol 1 npbe BCFL Map usemap kappa 1 usemap pot 1 ion 2 0.05 1.5\r\n"
                       "ion radius 1 charge -1 conc 0.1 sdie 80 temp 300 write pot dx \"end dime\" end\r\n"
                       "elec mg-para dime end elec mg-auto end";
    bool read = !read_bytes(&a, text, strlen(text));
    ok(read, "mg-auto: read %s", err.text);
    ok(a.dime[0] == 129 && a.dime[1] == 65 && a.dime[2] == 17 &&
           has_text(a.note[0], "dime 100 60 17 is rounded up to 129 65 17"),
       "dime: %s", a.note[0]);
    ok(has_text(a.note[1], "the first of 2 ELEC sections"), "sections: %s", a.note[1]);
    ok(!a.about_molecule && a.center[0] == 1 && a.center[1] == -2.5 && a.center[2] == 3 && a.glen[1] == 50, "box");
    ok(a.ions.count == 2 && a.ions.ion[0].charge == 2 && a.ions.ion[0].concentration == 0.05 &&
           a.ions.ion[0].radius == 1.5 && a.ions.ion[1].radius == 1 && fabs(pot_ionic_strength(&a.ions) - 0.15) < 1e-15,
       "ions in both forms, in any order");
    ok(isnan(a.pdie) && a.map == 2, "no pdie; second map");
    const char *made = write_copy(&a, "f.pqr", "f.dx");
    ok(made && !strcmp(made, "READ MOL PQR f.pqr POT dx old.dx,DIEL dx x.dx \"y 1.dx\" z.dx pot dx f.dx END\r\n"
                             "Elec FE-manual whatever END PRINT elecEnergy a - b end\r\n"
                             "ELEC MG-Auto\r\n  DIME=129;65,17 CGLEN 50 50 50 fglen 12 12 12 fgcent mol 2\r\n"
                             "cgcent 1 -2.5 3e0 mol 1 npbe BCFL map usemap kappa 1 usemap pot 2 ion 2 0.05 1.5\r\n"
                             "ion radius 1 charge -1 conc 0.1 sdie 80 temp 300 write pot dx \"end dime\" end\r\n"
                             "elec mg-para dime end elec mg-auto end"),
       "copy of one line and CR LF");
    pot_apbs_free(&a);
}

static void test_written(void) {
    struct pot_apbs a;
    const char *text = "read mol pqr a end elec name write mg-manual dime 5 9 98 grid 1 0.5 2 gcent 0 0 0 mol 1 bcfl "
                       "zero write pot dx out/pot # write\nWRITE charge uhbd \"a q\"\nwritemat poisson mat sdie 1 "
                       "temp 300 end elec mg-dummy write smol gz,surface end";
    bool read = !read_bytes(&a, text, strlen(text));
    const char *made = read ? write_numbered(&a, "f.pqr", "f.dx", ".007") : NULL;
    ok(has_text(made,
                " write pot dx out/pot.007 # write\nWRITE charge uhbd \"a q.007\"\nwritemat poisson mat.007 sdie"),
       "files that APBS writes: the number of the frame follows their names %s", err.text);
    ok(has_text(made, "elec mg-dummy write smol gz,surface.007 end") && has_text(made, "elec name write mg-manual"),
       "files that other sections write");
    made = read ? write_copy(&a, "f.pqr", "f.dx") : NULL;
    ok(has_text(made, " write pot dx out/pot # write\nWRITE charge uhbd \"a q\"\nwritemat poisson mat sdie"),
       "without a number: the names of the template");
    pot_apbs_free(&a);
    static char many[4096];
    int n = snprintf(many, sizeof many, "read mol pqr a end elec mg-manual");
    for (int i = 0; i <= POT_APBS_STEMS; i++) n += snprintf(many + n, sizeof many - (size_t)n, " write pot dx p");
    ok(read_bytes(&a, many, strlen(many)) && has_text(err.text, "more than 56 files to write"),
       "too many files: rejected");
    pot_apbs_free(&a);
}

static void test_grid(void) {
    struct pot_apbs a;
    const char *text = "read mol pqr a end elec mg-manual dime 5 9 98 grid 1 0.5 2 gcent 0 0 0 mol 1 bcfl zero "
                       "sdie 1 temp 300 end";
    ok(!read_bytes(&a, text, strlen(text)) && a.glen[0] == 4 && a.glen[1] == 4 && a.glen[2] == 194 && a.dime[0] == 17 &&
           a.dime[1] == 17 && a.dime[2] == 129,
       "grid: lengths are those of the given dime %s", err.text);
    ok(a.ions.count == 0 && pot_ionic_strength(&a.ions) == 0, "no ions");
    pot_apbs_free(&a);
}

#define READ "read mol pqr a.pqr end "
#define KEYS "dime 65 65 65 glen 9 9 9 gcent mol 1 mol 1 bcfl mdh sdie 80 temp 300 "

static void test_errors(void) {
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "no ELEC section"},
        {"read mol pqr a.pqr", "truncated: the file ends before the END of the section READ"},
        {"read mol pqr", "truncated: the file ends before the path of a molecule"},
        {"read mol pqr \"a b", "truncated: the file ends before the end of a quoted path"},
        {"read mol pqr a.pqr\nelec mg-manual end", "line 2: 'elec' within the section READ: its END is missing"},
        {READ "elec mg-manual " KEYS, "truncated: the file ends before the END of the section ELEC"},
        {READ "elec mg-manual " KEYS "\n\nprint a end", "line 3: 'print' within the section ELEC: its END is missing"},
        {READ "elec mg-manual " KEYS "quit", "'quit' within the section ELEC"},
        {READ "apolar name x", "truncated: the file ends before the END of the section APOLAR"},
        {READ "print a - b", "truncated: the file ends before the END of the section PRINT"},
        {READ "elec", "truncated"},
        {READ "elec name", "truncated"},
        {READ "elec mg-para " KEYS "end", "no ELEC section of the kind mg-manual or mg-auto"},
        {READ "elec end", "no ELEC section"},
        {"elec mg-manual " KEYS "end", "the section READ is missing"},
        {"read end elec mg-manual " KEYS "end", "mol 1: the section READ has 0 molecules"},
        {"read mol pdb a.pdb end elec mg-manual " KEYS "end", "molecule 1 is not in the format pqr"},
        {"read parm flat p.dat end", "READ parm"},
        {"read mol pqr a.pqr molecule end", "READ: invalid value 'molecule'"},
        {"hello", "section: invalid value 'hello': expected READ, ELEC, APOLAR, PRINT or QUIT"},
        {READ "elec mg-manual " KEYS "\ndime 65 65 65 end", "line 2: 'dime' occurs twice"},
        {READ "elec mg-manual " KEYS "GLEN 9 9 9 end", "'GLEN' occurs twice"},
        {READ "elec mg-manual " KEYS "bcfl mdh end", "'bcfl' occurs twice"},
        {READ "elec mg-manual " KEYS "temp 300 end", "'temp' occurs twice"},
        {READ "elec mg-manual " KEYS "usemap pot 1 usemap pot 2 end", "'pot' occurs twice"},
        {READ "elec mg-manual " KEYS "grid 1 1 1 end", "both glen and grid"},
        {READ "elec mg-auto " KEYS "end", "lacks the keyword"},
        {READ "elec mg-manual dime 65 65 65 end", "lacks the keyword"},
        {READ "elec mg-manual glen 9 9 9 gcent mol 1 mol 1 bcfl mdh sdie 80 temp 300 end", "lacks the keyword dime"},
        {READ "elec mg-manual dime 65 65 end", "dime: invalid value 'end': expected a whole number from 3 to 65536"},
        {READ "elec mg-manual dime 65 65 65.0 end", "dime: invalid value '65.0'"},
        {READ "elec mg-manual dime 65 65 65x end", "dime: invalid value '65x'"},
        {READ "elec mg-manual dime -65 65 65 end", "dime: invalid value '-65'"},
        {READ "elec mg-manual dime 65 65 99999999999999999999 end", "dime: invalid value '99999999999999999999'"},
        {READ "elec mg-manual dime 1 65 65 end", "dime: invalid value '1'"},
        {READ "elec mg-manual dime 60000 60000 60000 glen 9 9 9 gcent mol 1 mol 1 bcfl mdh sdie 80 temp 300 end",
         "APBS computes at most 2^31 - 1 points"},
        {READ "elec mg-manual glen 1 2 nan end", "glen: invalid value 'nan'"},
        {READ "elec mg-manual glen 1 2 inf end", "glen: invalid value 'inf'"},
        {READ "elec mg-manual glen 1 2 0 end", "glen: invalid value '0'"},
        {READ "elec mg-manual glen 1 2 3.0.0 end", "glen: invalid value '3.0.0'"},
        {READ "elec mg-manual glen 1 2 0x10 end", "glen: invalid value '0x10'"},
        {READ "elec mg-manual gcent mole 1 end", "gcent: invalid value 'mole'"},
        {READ "elec mg-manual gcent mol 0 end", "gcent: invalid value '0'"},
        {READ "elec mg-manual gcent 1e30 0 0 end", "gcent: invalid value '1e30'"},
        {READ "elec mg-manual bcfl focus end", "bcfl: invalid value 'focus'"},
        {READ "elec mg-manual bcfl", "truncated"},
        {READ "elec mg-manual sdie 0 end", "sdie: invalid value '0'"},
        {READ "elec mg-manual temp -1 end", "temp: invalid value '-1'"},
        {READ "elec mg-manual ion charge 1 conc 0.1 conc 0.1 end", "ion: invalid value 'conc'"},
        {READ "elec mg-manual ion 1 -0.1 2 end", "conc: invalid value '-0.1'"},
        {READ "elec mg-manual ion charge 1 conc 0.1 radius 2x end", "radius: invalid value '2x'"},
        {READ "elec mg-manual " KEYS "ion 1 0.1 2 end", "the ions have a charge of 0.1 e mol/l"},
        {READ "elec mg-manual " KEYS "ion 0 0 0 ion 0 0 0 ion 0 0 0 ion 0 0 0 ion 0 0 0 ion 0 0 0 ion 0 0 0 ion 0 0 0 "
              "ion 0 0 0 ion 0 0 0 ion 0 0 0 end",
         "at most 10 ions"},
        {READ
         "read mol pqr b.pqr end elec mg-manual dime 5 5 5 glen 9 9 9 gcent mol 2 mol 1 bcfl mdh sdie 80 temp 1 end",
         "the box is about molecule 2, but the charges are those of molecule 1"},
        {"read mol pqr a#b.pqr end", "'#' in a word"},
    };
    struct pot_apbs a;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int rc = read_bytes(&a, bad[i].text, strlen(bad[i].text));
        ok(rc && err.status == TRJ_BAD_DATA && has_text(err.text, input) && has_text(err.text, bad[i].message),
           "error '%s' (%s)", bad[i].message, err.text + sizeof input + 1);
        pot_apbs_free(&a);
    }
}

static void test_hostile_files(void) {
    static char text[POT_APBS_SIZE_MAX + 1];
    struct pot_apbs a;
    ok(read_bytes(&a, "read\0mol", 8) && has_text(err.text, "zero byte"), "zero byte: rejected");
    pot_apbs_free(&a);
    memset(text, 'x', sizeof text);
    ok(read_bytes(&a, text, sizeof text) && has_text(err.text, "limit"), "too large: rejected");
    pot_apbs_free(&a);
    ok(read_bytes(&a, text, sizeof text - 1) && has_text(err.text, "invalid value 'xxxx"), "one long word: rejected");
    pot_apbs_free(&a);
    size_t n = (size_t)snprintf(text, sizeof text, "%s", READ "elec mg-manual dime ");
    memset(text + n, '1', 5000);
    ok(read_bytes(&a, text, n + 5000) && has_text(err.text, "1111..."), "number of 5000 digits: rejected");
    pot_apbs_free(&a);
    n = (size_t)snprintf(text, sizeof text, "read mol pqr");
    for (int i = 0; i < 30; i++) n += (size_t)snprintf(text + n, sizeof text - n, " aa mol pqr");
    ok(read_bytes(&a, text, n) && has_text(err.text, "more than 20 molecules"), "30 molecules: rejected");
    pot_apbs_free(&a);
    ok(pot_apbs_read(&a, "/nonexistent/a.in", &err) && has_text(err.text, "/nonexistent/a.in"), "no file: rejected");
    pot_apbs_free(&a);
    // Every prefix of a valid input is either valid or rejected.
    static const char whole[] = READ ELEC;
    size_t valid = 0;
    for (n = 0; n < sizeof whole; n++) {
        valid += !read_bytes(&a, whole, n);
        pot_apbs_free(&a);
    }
    ok(valid == 2, "%zu prefixes of an input are valid: with END, and with the new line after it", valid);
}

// APBS prints xkappa = 0.127282 and 7.8566 A for the first, and 5.49862 A for the second.
static void test_screening(void) {
    ok(fabs(1 / pot_debye_kappa(0.15, 78.54, 298.15) - 7.856597073025915) < 1e-13 &&
           fabs(pot_debye_kappa(0.15, 78.54, 298.15) - 0.127282) < 5e-7,
       "Debye length of 0.15 M");
    ok(fabs(1 / pot_debye_kappa(0.3, 74, 310) - 5.49862) < 5e-5, "Debye length of 0.3 M, 310 K");
    ok(pot_debye_kappa(0, 78.54, 298.15) == 0, "no ions: 0");
    ok(fabs(pot_apbs_kt_factor(298.15) / 78.54 - 7.135931944008458) < 1e-13, "Bjerrum length of APBS");
    struct pot_ions ions;
    ok(!pot_ions_parse(&ions, "1:0.15:2.0,-1:0.15", &err) && ions.count == 2 && ions.ion[1].radius == 2 &&
           pot_ionic_strength(&ions) == 0.15,
       "1:0.15:2.0,-1:0.15");
    ok(!pot_ions_parse(&ions, "2:0.1:1,-1:0.2:1.8", &err) && fabs(pot_ionic_strength(&ions) - 0.3) < 1e-15, "2:1 salt");
    static const char *const bad[] = {"",         "1",      "1:0.1",           "1:x:2", "1:0.1:2:3",
                                      "1:0.1:2,", "1:-1:2", "1:0.1,-1:0.1:-2", ":",     "1:0.1:2;-1:0.1:2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(pot_ions_parse(&ions, bad[i], &err) && err.status == TRJ_USAGE, "ions '%s': %s", bad[i], err.text);
    ok(pot_ions_parse(&ions, "1:0,1:0,1:0,1:0,1:0,1:0,1:0,1:0,1:0,1:0,1:0", &err) && has_text(err.text, "more than 10"),
       "11 ions: rejected");
}

static void test_faces(void) {
    static const uint64_t dime[3] = {4, 5, 3}, flat[3] = {2, 5, 5};
    static const double glen[3] = {3, 8, 1}, center[3] = {1, -1, 0.5}, atoms[3][3] = {{1, 2, 3}, {-2, 5, 3}, {0, 9, 1}};
    double values[60], plane[42], middle[3];
    struct trj_map_lattice l, m;
    ok(!pot_face_lattice(dime, glen, center, &l, &err) && l.step[0][0] == 1 && l.step[1][1] == 2 &&
           l.step[2][2] == 0.5 && l.origin[0] == -0.5 && l.origin[1] == -5 && l.origin[2] == 0 && !l.periodic,
       "lattice of the solver");
    ok(pot_face_lattice(flat, glen, center, &l, &err) == -1, "2 points along an axis: rejected");
    if (pot_face_lattice(dime, glen, center, &l, &err)) abort();
    m = pot_face_map_lattice(&l);
    ok(m.n[0] == 6 && m.n[1] == 7 && m.n[2] == 5 && m.origin[0] == -1.5 && m.origin[1] == -7 && m.origin[2] == -0.5,
       "lattice of the map");
    for (int i = 0; i < 60; i++) values[i] = i + 1;
    bool good = true;
    for (uint64_t k = 0; k < 5; k++) {
        pot_face_map_plane(&l, values, k, plane);
        for (int j = 0; j < 7; j++)
            for (int i = 0; i < 6; i++) {
                int a = i < 1 ? 0 : i > 4 ? 3 : i - 1, b = j < 1 ? 0 : j > 5 ? 4 : j - 1;
                int c = k < 1 ? 0 : k > 3 ? 2 : (int)k - 1;
                bool inside = a > 0 && a < 3 && b > 0 && b < 4 && c == 1;
                good = good && plane[i + 6 * j] == (inside ? 0 : values[a + 4 * (b + 5 * c)]);
            }
    }
    ok(good, "map: values on the faces, those of the nearest point outside, 0 inside");
    pot_apbs_center(atoms, 3, middle);
    ok(middle[0] == -0.5 && middle[1] == 5.5 && middle[2] == 2, "centre of a molecule");
}

int main(void) {
    int fd = mkstemp(input);
    if (fd < 0 || close(fd)) return 1;
    snprintf(copy, sizeof copy, "%s.copy", input);
    test_manual();
    test_automatic();
    test_written();
    test_grid();
    test_errors();
    test_hostile_files();
    test_screening();
    test_faces();
    unlink(input);
    unlink(copy);
    return done();
}
