// SPDX-License-Identifier: MIT
// Tests GROMACS top and itp files: the preprocessor, molecules, bonds, Lennard-Jones parameters, errors, and the values
// of strangers' files in ../shared/data-formats. formats_gromacs.bats compares them with TPR files made by grompp.
#include <math.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology_file.h"

// Opens a text with macros and folders of --define and --include.
static struct trj_topology *open_with(const char *text, const struct trj_topology_options *options,
                                      struct trj_error *err) {
    const char *path = put("x.top", text, strlen(text));
    struct trj_topology *t = NULL;
    *err = (struct trj_error){.text = ""};
    if (trj_topology_open_with(&t, path, options, err)) {
        printf("# %s\n", err->text);
        t = NULL;
    }
    remove(path);
    return t;
}

static void put_text(const char *name, const char *text) {
    put(name, text, strlen(text));
}

#define TYPES                                                                                                          \
    "[ defaults ]\n1 2 yes 0.5 0.8333\n[ atomtypes ]\nOW 8 15.9994 -0.8 A 0.3 0.5\nHW H 1.008 0.4 A 0.0 0.0\nMW 0 0 "  \
    "D 0 "                                                                                                             \
    "0\nNA Na 11 22.99 1.0 A 0.25 0.1\n"
#define WATER                                                                                                          \
    "[moleculetype]\nSOL 2\n[ Atoms ]\n1 OW 1 SOL OW 1\n2 HW 1 SOL HW1 1 0.4\n3 HW 1 SOL HW2 1.0 0.4 2.016 HW 0.4 1 "  \
    "; heavy\n"
#define LONE_WATER                                                                                                     \
    "[ moleculetype ]\nSOL 2\n[ atoms ]\n1 OW 1 SOL OW 1 -0.8\n2 HW 1 SOL HW1 1 0.4\n3 HW 1 SOL HW2 1 0.4 2.016\n"
#define END "[ system ]\nwater\n[ molecules ]\n"

static void molecules(void) {
    struct trj_topology *t = open_text("x.top", TYPES WATER "[ settles ]\n1 1 0.1 0.16\n"
                                                            "[ molecule-type ]\nNa 1\n[ atoms ]\n1 NA 7A NA NA 1\n" END
                                                            "Na 1\nsol 2\nSOL 1\n");
    ok(t && !strcmp(t->format, "GROMACS top") && t->atoms == 10 && t->bonds == 6 && !t->no_bonds && !t->note,
       "molecules in order; names of molecule types in another case");
    is_atom(t, 0, "NA/NA/NA/Na/Na/1/0/0");
    is_atom(t, 1, "OW/OW/SOL/SOL/O/2/1/1");
    is_atom(t, 9, "HW2/HW/SOL/SOL/H/4/3/3");
    ok(t->mass[1] == 15.9994 && t->mass[2] == 1.008 && t->mass[3] == 2.016 && t->charge[1] == -0.8 &&
           t->charge[0] == 1 && t->charge[2] == 0.4,
       "masses and charges that are missing are those of the type");
    ok(t->bond[0][0] == 1 && t->bond[0][1] == 2 && t->bond[5][0] == 7 && t->bond[5][1] == 9, "bonds of SETTLE");
    ok(!t->sigma, "sigma is not read unless requested");
    trj_topology_close(t);

    t = open_text("x.itp", "; a molecule\n" LONE_WATER "[ bonds ]\n1 2 1 0.1 1000\n1 3\n2 3 6 0.1 5\n");
    ok(t && t->atoms == 3 && t->bonds == 2 && isnan(t->mass[0]) && t->mass[2] == 2.016 && t->note &&
           has_text(t->note, "contains no section [ molecules ]: one molecule of each type is taken"),
       "an itp file: one molecule of each type; masses without a type are unknown");
    trj_topology_close(t);

    t = open_text("x.top",
                  TYPES "[ moleculetype ]\nM 3\n[ atoms ]\n1 MW 1 A A 1\n2 MW 1 A A 1\n3 MW 1 A A 1\n4 MW 1 A "
                        "A 1\n5 MW 2 A A 1\n[ bonds ]\n1 2 5\n1 3 7\n1 4 8\n1 5 9 0 5\n2 3 10\n2 4 6.0\n2 5 "
                        "gb_7\n[ constraints ]\n3 4 1 0.1\n3 5 2 0.1\n[ Virtual_Sites3 ]\n5 1 2 3 1 0.1 0.1\n[ "
                        "dummies2 ]\n[ intermolecular_interactions ]\n[ bonds ]\n1 9 6 1 1\n" END "M 1");
    ok(t && t->bonds == 5 && t->bond[4][0] == 2 && t->bond[4][1] == 3,
       "bonds of types 1 to 5, 7 and 8, constraints of type 1; none between molecules");
    is_atom(t, 4, "A/MW/A/M//2/1/0");
    ok(t && t->note && has_text(t->note, "ends without a newline"), "a number without a newline gets a note");
    trj_topology_close(t);
}

// The numbers are those of the TPR of grompp, and of the GRO that editconf makes from it.
static void residue_numbers(void) {
    static const struct {
        const char *molecules, *numbers;
    } rows[] = {
        {"N 1", "9"},
        {"N 1\nK 0", "9"},
        {"K 0\nN 1\nK 0", "9"},
        {"N 2", "1 2"},
        {"N 1\nK 0\nN 1", "1 2"},
        {"N 1\nK 1", "102 100 101"},
        {"K 1\nN 2", "100 101 102 103"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512], numbers[64] = "";
        snprintf(text, sizeof text,
                 "[ moleculetype ]\nK 1\n[ atoms ]\n1 X 100 K X 1 0\n2 X 101 K X 1 0\n"
                 "[ moleculetype ]\nN 1\n[ atoms ]\n1 X 9 N X 1 0\n" END "%s\n",
                 rows[i].molecules);
        struct trj_topology *t = open_text("x.top", text);
        for (size_t a = 0, n = 0; t && a < t->atoms; a++)
            n += (size_t)snprintf(numbers + n, sizeof numbers - n, "%s%d", a ? " " : "", (int)t->resid[a]);
        ok(!strcmp(numbers, rows[i].numbers), "row %zu of molecules: residue numbers %s", i, numbers);
        trj_topology_close(t);
    }
}

static void lennard_jones(void) {
    static const struct {
        const char *defaults, *type, *more;
        double sigma, epsilon;
    } rows[] = {
        {"1 1", "4e-3 4e-6", "", 10 * 0.31622776601683794, 1 / 4.184},
        {"1 2", "0.3 0.5", "", 3, 0.5 / 4.184},
        {"LJ GeomSigEps", "0.3 -0.5", "", 3, 0.5 / 4.184}, // only the square root of the product enters
        {"1 3", "0.3 0", "", 0, 0},
        {"1 2", "-0.3 0.5", "", NAN, NAN},
        {"1 2", "0.3 0.5", "[ nonbond_params ]\nX Y 1 0.5 9\nX X 1 0.4 0.8\n", 4, 0.8 / 4.184},
        {"1 1", "4e-3 4e-6", "[ nonbond_params ]\nX X 1 0 0\n", 0, 0},
        {"2 1", "4e-3 4e-6 1", "[ nonbond_params ]\nX Y 2 1 1 1\nX X 3 1 1 1\n", NAN, NAN},
        {"1 1 no 1 1 9", "4e-3 4e-6", "", NAN, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct trj_error err;
        snprintf(
            text, sizeof text,
            "[ defaults ]\n%s\n[ atomtypes ]\nX 6 12.011 0 A %s\n%s[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M C 1\n2 "
            "Z 1 M C 1 0 1 X 0 words that grompp ignores\n" END "M 1\n",
            rows[i].defaults, rows[i].type, rows[i].more);
        struct trj_topology *t = open_with(text, &(struct trj_topology_options){.properties = true}, &err);
        bool good = t && isnan(t->sigma[1]) && isnan(t->epsilon[1]);
        double sigma = t ? t->sigma[0] : 0, epsilon = t ? t->epsilon[0] : 0;
        good = good &&
               (isnan(rows[i].sigma) ? isnan(sigma) && isnan(epsilon)
                                     : fabs(sigma - rows[i].sigma) < 1e-12 && fabs(epsilon - rows[i].epsilon) < 1e-12);
        ok(good, "defaults %s, type %s: sigma %g, epsilon %g", rows[i].defaults, rows[i].type, sigma, epsilon);
        trj_topology_close(t);
    }
}

// The names of the atoms show which lines were read.
static const char *names(const struct trj_topology *t) {
    static char text[256];
    size_t n = 0;
    *text = 0;
    for (size_t i = 0; t && i < t->atoms; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? " " : "", text_of(&t->name, i));
    return text;
}

static void preprocessor(void) {
    static const char *const defined[] = {"A", "NAME=Given", "UNUSED"};
    const struct trj_topology_options options = {.defines = {(const char **)defined, 3}};
    struct trj_error err;
    struct trj_topology *t =
        open_with("#define Q 0.5\n#define OTHER Word\n#define A-B dash\n* a comment\n"
                  "[ moleculetype ]\nM 1\n[ ATOMS ] ; comment\n"
                  "#ifdef A\n1 X 1 M 1st 1 Q\n#ifdef NO\n9 X\n#else\n2 X 1 M 2nd 1 \\\n Q\n#endif\n#else\n9 X\n"
                  "#if unknown directives are ignored where they are left out\n#ifndef B\n9\n#else\n9\n#endif\n#endif\n"
                  "#ifndef NO\n3 X 1 M NAME 1 0\n#endif\n#undef NAME\n4 X 1 M NAME 1 0\n"
                  "#define NAME OTHER\n5 X 1 M NAME 1 0\n#define OTHER Second\n#define THIRD NAME\n6 X 1 M THIRD 1 0\n"
                  "7 X 1 M OTHER_NAME 1 0\n8 X 1 M A-B 1 0\n",
                  &options, &err);
    // grompp gives the same: macros are replaced once each, in the order in which they were defined.
    ok(!strcmp(names(t), "1st 2nd Given NAME OTHER NAME OTHER_NAME dash"), "macros and conditions: %s", names(t));
    ok(t && t->charge[0] == 0.5 && t->charge[1] == 0.5, "macros as numbers; a continued line");
    ok(t && has_text(t->note, "the macro UNUSED of --define is not used"), "a macro without effect gets a note");
    trj_topology_close(t);

    t = open_with("[ moleculetype ]\nM 1 ; comment \\ \n2\n[ atoms ]\n1 X 1 M A 1 \\\r\n0.5\n[ angles ]\n1 2 3 \\ \n"
                  "1\n",
                  &options, &err);
    ok(t && t->charge[0] == 0.5, "blanks after a '\\' in a comment or in a section that is not read: accepted");
    trj_topology_close(t);

    t = open_with("[ moleculetype ]\nM 1 \\ \n\n[ atoms ]\n1 X 1 M A 1 0.5 \\ \n \\\t\n ; comment\n"
                  "[ molecules ]\nM 2 \\ ",
                  &options, &err);
    ok(t && t->atoms == 2 && t->charge[0] == 0.5, "blanks after a '\\' that no words follow: accepted");
    trj_topology_close(t);
}

static void includes(void) {
    char lib[300], data[300], given[300], folders[1000];
    snprintf(lib, sizeof lib, "%s/lib", folder);
    snprintf(data, sizeof data, "%s/data", folder);
    snprintf(given, sizeof given, "%s/given", folder);
    snprintf(folders, sizeof folders, "%s/none::%s", folder, lib);
    char top[320], ff[320];
    snprintf(top, sizeof top, "%s/top", data);
    snprintf(ff, sizeof ff, "%s/ff", folder);
    if (mkdir(lib, 0700) || mkdir(data, 0700) || mkdir(given, 0700) || mkdir(top, 0700) || mkdir(ff, 0700)) abort();
    setenv("GMXLIB", folders, 1);
    setenv("GMXDATA", data, 1);
#define ONE(name) "[ moleculetype ]\n" name " 1\n[ atoms ]\n1 X 1 M " name " 1 0\n"
    put_text("ff/ff.itp", "#include \"own.itp\"\n#include <lib.itp>\n");
    put_text("ff/own.itp", ONE("ffown"));
    put_text("own.itp", ONE("own"));
    put_text("lib/lib.itp", ONE("lib"));
    put_text("data/top/lib.itp", ONE("notlib"));
    put_text("data/top/data.itp", ONE("data"));
    put_text("lib/given.itp", ONE("notgiven"));
    put_text("given/given.itp", "#define GIVEN\n" ONE("given"));
    const char *const include[] = {given};
    const struct trj_topology_options options = {.includes = {(const char **)include, 1}};
    struct trj_error err;
    struct trj_topology *t = open_with("#include \"ff/ff.itp\"\n#include \"own.itp\"\n#include \"data.itp\"\n#include "
                                       "\"given.itp\"\n#ifndef GIVEN\n#include \"posre.itp\"\n#endif\n",
                                       &options, &err);
    ok(!strcmp(names(t), "ffown lib own data given"), "folders of included files, in order: %s", names(t));
    trj_topology_close(t);
    put_text("own.itp", "[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M A 1 0");
    put_text("ff/own.itp", "[ bondtypes ]\nX X 1 0.1 10");
    t = open_with("#include \"ff/own.itp\"\n#include \"own.itp\"\n", &(struct trj_topology_options){0}, &err);
    ok(t && has_text(t->note, "/own.itp ends without a newline: it may be truncated") && !has_text(t->note, "ff/own"),
       "an included file without a newline is named, if its last line is read: %s", t ? t->note : "");
    trj_topology_close(t);
    bad("x.top", "[ moleculetype ]\nM 1\n#include \"posre.itp\"\n",
        "x.top: line 3: cannot find the included file 'posre.itp'; give the folder");
    put_text("ff/bad.itp", "\n[ moleculetype ]\n M\n");
    bad("x.top", "#include \"ff/bad.itp\"\n", "x.top: line 1: ");
    bad("x.top", "#include \"ff/bad.itp\"\n", "/ff/bad.itp: line 3: [ moleculetype ]: expected a name and the number");
    put_text("ff/open.itp", "#ifdef X\n");
    bad("x.top", "#include \"ff/open.itp\"\n#endif\n", "line 1: the file ends here, without the #endif of line 1");
    bad("x.top", "#ifdef X\n[ moleculetype ]\n", "x.top: line 2: the file ends here, without the #endif of line 1");
    bad("x.top", "#include \"x.top\"\n",
        "more than 100 files are included, each by another one; a file includes itself");
    put_text("two.itp", "#include \"empty.itp\"\n#include \"empty.itp\"\n#include \"empty.itp\"\n");
    put_text("empty.itp", "");
    put_text("many.itp",
             "#include \"two.itp\"\n#include \"two.itp\"\n#include \"many2.itp\"\n#include \"many2.itp\"\n");
    put_text("many2.itp", "#include \"two.itp\"\n#include \"many3.itp\"\n#include \"many3.itp\"\n");
    put_text("many3.itp", "#ifdef N1\n#ifdef N2\n#define N3\n#endif\n#define N2\n#endif\n#define N1\n"
                          "#include \"two.itp\"\n#include \"many2.itp\"\n");
    bad("x.top", "#include \"many.itp\"\n", "files are included");
    unsetenv("GMXLIB");
    unsetenv("GMXDATA");
    bad("x.top", "#include \"data.itp\"\n", "cannot find the included file 'data.itp'");
    static const char *const made[] = {"ff/ff.itp",
                                       "ff/own.itp",
                                       "own.itp",
                                       "lib/lib.itp",
                                       "data/top/lib.itp",
                                       "lib/given.itp",
                                       "data/top/data.itp",
                                       "given/given.itp",
                                       "ff/bad.itp",
                                       "ff/open.itp",
                                       "two.itp",
                                       "empty.itp",
                                       "many.itp",
                                       "many2.itp",
                                       "many3.itp",
                                       "ff",
                                       "lib",
                                       "data/top",
                                       "data",
                                       "given"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        if (remove(path)) perror(path);
    }
}

static void errors(void) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"#if X\n",
         "line 1: '#if' is no directive of GROMACS' preprocessor: it knows #include, #define, #undef, #ifdef"},
        {"#include x.itp\n", "line 1: #include x.itp: expected a name in \"quotes\""},
        {"#ifdef\n", "line 1: #ifdef or #ifndef without a name"},
        {"#define\n", "line 1: #define without a name"},
        {"#endif\n", "line 1: #endif without #ifdef or #ifndef"},
        {"#else\n", "line 1: #else without #ifdef or #ifndef"},
        {"[ atomstyles ]\n", "line 1: unknown section '[ atomstyles ]'"},
        {"[ atoms ]\n", "line 1: section '[ atoms ]' before the first [ moleculetype ]"},
        {"[ defaults ]\n1\n", "line 2: [ defaults ]: 1 fields, expected potential and combination rule"},
        {"[ defaults ]\n3 1\n", "'3' is no potential"},
        {"[ defaults ]\n1 4\n", "'4' is no combination rule"},
        {"[ defaults ]\n1 1\n1 1\n", "line 3: second [ defaults ]"},
        {"[ atomtypes ]\nX 1 2 3 4 5\n",
         "line 2: [ atomtypes ]: no letter of a particle (A, D, S, V) in column 4, 5 or 6"},
        {"[ atomtypes ]\nX 12 0 Q 1 1\n", "[ atomtypes ]: 'Q' is no particle"},
        {"[ atomtypes ]\nX 12 0 A 1\n", "[ atomtypes ]: 5 fields, expected 6"},
        {"[ atomtypes ]\nX 12 0 A 1 c12\n", "'c12' is not a number; if it is a macro, set it with --define"},
        {"[ atomtypes ]\nX -12 0 A 1 1\n", "invalid mass or charge of X"},
        {"[ nonbond_params ]\nX X 1\n", "[ nonbond_params ]: 3 fields, expected 5"},
        {TYPES "[ nonbond_params ]\nOW HW 0.3 0.5\n",
         "[ nonbond_params ]: potential 0, expected that of [ defaults ], 1"},
        {TYPES "[ nonbond_params ]\nOW HW 2 0.3 0.5 1\n", "[ nonbond_params ]: potential 2, expected that of"},
        {"[ nonbond_params ]\nX Y sigma 0.3 0.5\n", "[ nonbond_params ]: the potential 'sigma' is not a whole number"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M M C 1 0.5 12\n",
         "line 4: [ atoms ]: charge group 'C' in column 6, expected an integer"},
        {TYPES WATER "4 HW 1 SOL X 1 0.5 1 0.5 1\n",
         "[ atoms ]: the type '0.5' of state B is in no section [ atomtypes ]"},
        {WATER "4 HW 1 SOL X 1 0.5 1 HW 1 1 1\n", "[ atoms ]: 12 fields, expected 11 or fewer"},
        {"[ moleculetype ]\nM 1\nM 1\n", "line 3: second molecule type 'M'"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M C\n", "line 4: [ atoms ]: 5 fields, expected 6 or more"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n2 X 1 M C 1\n", "line 4: [ atoms ]: atom number '2', expected 1"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X A M C 1\n", "'A' is no residue number"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M C 1 Q\n", "'Q' is not a number; if it is a macro"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M C 1 0 -1\n", "[ atoms ]: invalid mass or charge"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M C 1\n",
         "molecule type 'M', atom 1: has no charge, and its type 'X' is in no section [ atomtypes ]; include"},
        {"[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M \\\nC 1 \\ \n0 1\n",
         "line 6: blanks after the '\\' at the end of an earlier line: grompp would not read the words that follow; "
         "remove"},
        {WATER "[ bonds ]\n1 4 1\n", "'4' is none of the 3 atoms of the molecule type 'SOL'"},
        {WATER "[ bonds ]\n1 1 1\n", "bond of atom 1 with itself"},
        {WATER "[ bonds ]\n1 2 11\n", "[ bonds ]: function 11, expected 1 to 10"},
        {WATER "[ settles ]\n2 1 0.1 0.2\n", "the molecule type 'SOL' has no two atoms after atom 2"},
        {WATER "[ molecules ]\nSOLV 1\n", "[ molecules ]: no molecule type is called 'SOLV'"},
        {WATER "[ moleculetype ]\nsol 1\n[ molecules ]\nSol 1\n",
         "several molecule types are called 'Sol' in other case"},
        {WATER "[ moleculetype ]\nsol 1\n[ molecules ]\nsol 1\n", "the molecule type 'sol' has no atoms"},
        {WATER "[ molecules ]\nSOL -1\n", "'-1' is no number of molecules"},
        {WATER "[ molecules ]\nSOL 0\n", "[ molecules ] lists no molecules"},
        {WATER "[ molecules ]\nSOL 1000000000\n", "more than 268435456 atoms or 536870912 bonds"},
        {WATER "[ molecules ]\nSOL 9223372036854775807\n", "more than 268435456 atoms"},
        {WATER "[ molecules ]\nSOL 89000000\nSOL 89000000\n", "more than 268435456 atoms"},
        {WATER "[ molecules ]\nSOL 18446744073709551617\n", "is no number of molecules"},
        {"[ moleculetype ]\nM 1\n", "the molecule types have no atoms"},
        {"[ position_restraints ]\n1 1 1000 1000 1000\n", "line 1: section '[ position_restraints ]' before the first"},
        {"* charmm\n*\n36 1\nMASS 1 H 1.008\n", "contains no section [ moleculetype ]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) bad("x.top", rows[i].text, rows[i].message);
    char bomb[4096] = "#define M0 0123456789\n";
    size_t n = strlen(bomb);
    for (int i = 1; i < 30; i++)
        n += (size_t)snprintf(bomb + n, sizeof bomb - n, "#define N%d N%d N%d N%d\n", 30 - i, 29 - i, 29 - i, 29 - i);
    snprintf(bomb + n, sizeof bomb - n, "N29\n");
    bad("x.top", bomb, "is longer than 1048576 characters, with its macros and continuations");
    static const char *const defines[] = {"-DPOSRES"};
    struct trj_error err;
    struct trj_topology *t =
        open_with(WATER, &(struct trj_topology_options){.defines = {(const char **)defines, 1}}, &err);
    ok(!t && err.status == TRJ_USAGE && has_text(err.text, "--define: invalid macro '-DPOSRES'"), "invalid --define");
}

static void detection(void) {
    static const struct {
        const char *text;
        bool is;
    } rows[] = {{"; comment\n\n* title\n[moleculetype]\n", true},
                {"#include \"amber99.ff/forcefield.itp\"\n\n[ system ]\n", true},
                {"#include \"a.itp\"\n#include \"b.itp\"", true},
                {"#ifdef X\n[ atomtypes ]\n", true},
                {"[ System ]\n   1    2    3\n", false},
                {"[ Protein ]\n   1    2    3\n", false},
                {"#include <stdio.h>\n", false},
                {"#! FIELDS time x\n", false},
                {"; mdp file\nintegrator = md\n", false},
                {"* CHARMM\n    3\n", false},
                {"* CHARMM\n", false},
                {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok(trj_topology_is((const unsigned char *)rows[i].text, strlen(rows[i].text)) == rows[i].is,
           "detected by content: %d", rows[i].is);
}

// ---- files of strangers

#define SHARED "../shared/data-formats"

struct row {
    char file[200], atoms[200], mass[40], charge[40], bonds[40], molecules[300], first[40], last[40], massless[40],
        missing[100], flexible[40];
};

static void read_row(struct row *r, char *line) {
    struct {
        int column;
        char *to;
        size_t size;
    } columns[] = {{0, r->file, sizeof r->file},         {1, r->atoms, sizeof r->atoms},
                   {2, r->mass, sizeof r->mass},         {3, r->charge, sizeof r->charge},
                   {4, r->bonds, sizeof r->bonds},       {6, r->molecules, sizeof r->molecules},
                   {7, r->first, sizeof r->first},       {8, r->last, sizeof r->last},
                   {9, r->massless, sizeof r->massless}, {12, r->missing, sizeof r->missing},
                   {13, r->flexible, sizeof r->flexible}};
    size_t k = 0;
    for (int column = 0; k < sizeof columns / sizeof *columns && line; column++) {
        char *tab = strchr(line, '\t');
        if (tab) *tab++ = 0;
        if (columns[k].column == column) snprintf(columns[k].to, columns[k].size, "%s", line);
        k += columns[k].column == column;
        line = tab;
    }
}

// Prints the runs of molecules of one type: "Na:2 SOL:100".
static const char *molecules_of(const struct trj_topology *t) {
    static char text[300];
    size_t n = 0, count = 0;
    for (size_t i = 0; i < t->atoms; i++) {
        bool last = i + 1 == t->atoms;
        count += last || t->molecule[i] != t->molecule[i + 1];
        if (!last && t->segid.id[i] == t->segid.id[i + 1]) continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%zu", n ? " " : "", text_of(&t->segid, i), count);
        count = 0;
    }
    return text;
}

static bool equals_row(const struct trj_topology *t, const struct row *r) {
    double mass = 0, charge = 0;
    size_t massless = 0;
    for (size_t i = 0; i < t->atoms; i++) {
        mass += isnan(t->mass[i]) ? 0 : t->mass[i];
        massless += isnan(t->mass[i]);
        charge += t->charge[i];
    }
    return t->atoms == strtoul(r->atoms, NULL, 10) && fabs(mass - strtod(r->mass, NULL)) <= 1e-9 * mass + 5e-5 &&
           fabs(charge - strtod(r->charge, NULL)) <= 1e-6 && t->bonds == strtoul(r->bonds, NULL, 10) &&
           massless == strtoul(r->massless, NULL, 10) && !strcmp(text_of(&t->name, 0), r->first) &&
           !strcmp(text_of(&t->name, t->atoms - 1), r->last) &&
           !strcasecmp(molecules_of(t), r->molecules); // grompp ignores case, too
}

static void check_row(const struct row *r) {
    static const char *const macros[] = {"FLEXIBLE", "POSRES"};
    char path[300], beside[300], names[300];
    snprintf(path, sizeof path, SHARED "/gromacs-top/%s", r->file);
    snprintf(beside, sizeof beside, "%s", path);
    snprintf(strrchr(beside, '/'), 20, "/gromacs");
    const char *const folders[] = {beside, "/usr/share/gromacs/top"};
    struct trj_topology_options options = {.includes = {(const char **)folders, 2}};
    struct trj_topology *t = NULL;
    struct trj_error err = {.text = ""};
    snprintf(names, sizeof names, "'%s'", r->missing);
    int rc = trj_topology_open_with(&t, path, &options, &err);
    if (rc && has_text(err.text, ".ff/") && access(folders[1], R_OK)) {
        ok(true, "%s # SKIP no force fields of GROMACS", r->file);
    } else if (!strncmp(r->atoms, "refuse", strlen("refuse"))) {
        ok(rc && has_text(err.text, "without the #endif of line 7"), "%s: rejected", r->file);
    } else if (strcmp(r->missing, "-") != 0) { // an error, unless the macro that requires it is defined
        ok(rc && has_text(err.text, names), "%s: the missing file is named", r->file);
    } else if (!strcmp(r->file, "argon4/argon4.top")) {
        // The reference lacks [ molecule_type ], which is [ moleculetype ] for GROMACS: grompp reads four molecules.
        ok(!rc && t->atoms == 4 && !strcmp(molecules_of(t), r->molecules), "%s: as grompp reads it", r->file);
    } else if (!strtoul(r->atoms, NULL, 10)) {
        ok(rc && has_text(err.text, "contains no section [ moleculetype ]"), "%s: no atoms", r->file);
    } else {
        if (!ok(!rc && equals_row(t, r), "%s: as the reference", r->file) && !rc)
            printf("# %zu atoms, %zu bonds, %s\n", t->atoms, t->bonds, molecules_of(t));
        if (rc) printf("# %s\n", err.text);
    }
    size_t atoms = t ? t->atoms : 0, bonds = t ? t->bonds : 0;
    trj_topology_close(t);
    if (!atoms) return;
    options.defines = (struct trj_text_list){(const char **)macros, 2};
    if (sscanf(r->flexible, "(%zu, %zu)", &atoms, &bonds) != 2 && strcmp(r->flexible, "same") != 0) abort();
    rc = trj_topology_open_with(&t, path, &options, &err);
    if (rc && has_text(err.text, "cannot find the included file 'posre.itp'"))
        ok(true, "%s with POSRES: the missing file is named", r->file);
    else
        ok(!rc && t->atoms == atoms && t->bonds == bonds, "%s with FLEXIBLE and POSRES: %s", r->file, err.text);
    if (!rc) trj_topology_close(t);
}

static void strangers(void) {
    static char line[4096];
    struct row row;
    FILE *f = fopen(SHARED "/topology.tsv", "r");
    if (!f) {
        ok(true, "files of strangers # SKIP no folder shared/ beside the checkout");
        return;
    }
    size_t rows = 0;
    while (fgets(line, sizeof line, f)) {
        if (*line == '#' || !strncmp(line, "file\t", strlen("file\t"))) continue;
        row = (struct row){.file = ""};
        read_row(&row, line);
        check_row(&row);
        rows++;
    }
    fclose(f);
    ok(rows == 31, "%zu rows", rows);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    molecules();
    residue_numbers();
    lennard_jones();
    preprocessor();
    includes();
    errors();
    detection();
    strangers();
    rmdir(folder);
    return done();
}
