// SPDX-License-Identifier: MIT
// Selections: the grammar on a small topology written here, every message, and real topologies against MDAnalysis and the reference lists.
#include <unistd.h>

#include "error.h"
#include "select.h"
#include "tap.h"
#include "topology.h"

static struct trj_topology *top; // the one that tests select from; NULL: none
static size_t atoms;

// "0 3 6": what is selected, or the message.
static const char *select_text(const char *expression) {
    static char text[2048];
    struct trj_error err = {.text = ""};
    uint32_t *list = NULL;
    size_t n = 0, used = 0;
    text[0] = 0;
    if (trj_select(expression, top, atoms, &list, &n, &err)) {
        snprintf(text, sizeof text, "%d %s", (int)err.status, err.text);
        return text;
    }
    for (size_t i = 0; i < n && used < sizeof text - 16; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "", list[i]);
    free(list);
    return text;
}

static void selects(const char *expression, const char *expected) {
    const char *found = select_text(expression);
    if (!ok(!strcmp(found, expected), "%.80s: %s", expression, expected)) printf("# %s\n", found);
}

static void refuses(const char *expression, enum trj_status status, const char *message) {
    char expected[1100];
    snprintf(expected, sizeof expected, "%d selection '%s': %s", (int)status, expression, message);
    const char *found = select_text(expression);
    if (!ok(!strcmp(found, expected), "%.80s: %s", expression, message)) printf("# %s\n", found);
}

static struct trj_topology *open_text(const char *content) {
    char path[] = "/tmp/trjpipe-select-XXXXXX";
    struct trj_error err;
    struct trj_topology *t = NULL;
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f || fputs(content, f) < 0 || fclose(f)) {
        perror(path);
        exit(1);
    }
    if (trj_topology_open(&t, path, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    remove(path);
    return t;
}

static const char molecule[] = "PSF NAMD\n\n10 !NATOM\n"
                               "1 P -2 ALA N NH1 0 14.007\n"   // 0
                               "2 P -2 ALA CA CT1 0 12.011\n"  // 1
                               "3 P -2 ALA HA HB 0 1.008\n"    // 2
                               "4 P 5 GLY CA CT2 0 12.011\n"   // 3
                               "5 P 5 GLY O5' O 0 15.999\n"    // 4
                               "6 W 10 TIP3 OH2 OT 0 15.999\n" // 5
                               "7 W 10 TIP3 H1 HT 0 1.008\n"   // 6
                               "8 W 10 TIP3 LP LP 0 0\n"       // 7
                               "9 I 11 all CLA CLA 0 35.45\n"  // 8
                               "10 I 12 CA CA CAL 0 40.08\n"   // 9
                               "0 !NBOND\n";

static void grammar(void) {
    selects("all", "0 1 2 3 4 5 6 7 8 9");
    selects(" all and not none ", "0 1 2 3 4 5 6 7 8 9");
    selects("name CA", "1 3 9");
    selects("name CA O* H?", "1 2 3 4 5 6 9");
    selects("name [!CH]*", "0 4 5 7");
    selects("name O5'", "4");
    selects("name \"O5'\"", "4");
    selects("name 'C?'", "1 3 9");
    selects("resname 'all'", "8");
    selects("resname \"all\" CA", "8 9");
    selects("type CT*", "1 3");
    selects("segid W I", "5 6 7 8 9");
    selects("name CA and resname ALA or resname 'all' TIP3 and name H1 CLA", "1 6 8");
    selects("name CA and (resname ALA or resname CA)", "1 9");
    selects("(name CA)and(resname CA)", "9");
    selects("not name CA and segid P", "0 2 4");
    selects("not (name CA and segid P)", "0 2 4 5 6 7 8 9");
    selects("not not name LP", "7");
    selects("none or index 4", "4");
    selects("resid 5", "3 4");
    selects("resid -2", "0 1 2");
    selects("resid -5:-1 12", "0 1 2 9");
    selects("resid -5--1", "0 1 2");
    selects("resid -5 to 5", "0 1 2 3 4");
    selects("resid 10 - 12", "5 6 7 8 9");
    selects("resid 10-11 12", "5 6 7 8 9");
    selects("resid 5 : 10", "3 4 5 6 7");
    selects("resid < 5", "0 1 2");
    selects("resid<=5", "0 1 2 3 4");
    selects("(resid>10)", "8 9");
    selects("resid >= 11", "8 9");
    selects("resid == 10 and not name LP", "5 6");
    selects("resid != 10", "0 1 2 3 4 8 9");
    selects("index 0", "0");
    selects("index 9 0-2", "0 1 2 9");
    selects("index > 7", "8 9");
    selects("index < 100", "0 1 2 3 4 5 6 7 8 9");
    selects("mass 12.011", "1 3");
    selects("mass 1-12.1", "1 2 3 6");
    selects("mass > 1.4e1 and mass < 16", "0 4 5");
    selects("mass 35.45 to 41 1.008", "2 6 8 9");
    selects("mass == 0", "7");
    selects("mass 1e-3:.5e1", "2 6");
    selects("segid I and element Ca Cl", "8 9");
    selects("not name LP and element O", "4 5");
    selects("not name LP and element cl H*", "2 6 8");
    selects("name\tOH2\nor\r\nname LP", "5 7");
    // A chain without parentheses may be long; it needs no stack.
    enum { LINKS = 20000, LINK = 11 };
    char *chain = malloc(LINKS * LINK + 8);
    for (size_t i = 0; i < LINKS; i++) memcpy(chain + i * LINK, i % 2 ? "index 3 or " : "index 5 or ", LINK);
    snprintf(chain + LINKS * LINK, 8, "index 5");
    selects(chain, "3 5");
    free(chain);
}

static void messages(void) {
    refuses("name OW and", TRJ_USAGE, "expected an expression at character 12");
    refuses("", TRJ_USAGE, "expected an expression at character 1");
    refuses("   ", TRJ_USAGE, "expected an expression at character 4");
    refuses("or name CA", TRJ_USAGE, "expected an expression at character 1");
    refuses("name CA and and name CB", TRJ_USAGE, "expected an expression at character 13");
    refuses("()", TRJ_USAGE, "expected an expression at character 2");
    refuses("not", TRJ_USAGE, "expected an expression at character 4");
    refuses("(name CA", TRJ_USAGE, "expected ')' at character 9 for the '(' at character 1");
    refuses("name CA)", TRJ_USAGE, "expected 'and', 'or' or the end at character 8");
    refuses("name CA (name CB)", TRJ_USAGE, "expected 'and', 'or' or the end at character 9");
    refuses("all none", TRJ_USAGE, "expected 'and', 'or' or the end at character 5");
    refuses("name", TRJ_USAGE, "expected a name behind 'name' at character 5");
    refuses("resname and name CA", TRJ_USAGE, "expected a name behind 'resname' at character 9");
    refuses("resname all", TRJ_USAGE, "'all' at character 9 is a keyword: quote it where it is a name");
    refuses("name CA not name CB", TRJ_USAGE, "'not' at character 9 is a keyword: quote it where it is a name");
    refuses("name 'CA", TRJ_USAGE, "the quote at character 6 is not closed");
    refuses("name 'CA'CB", TRJ_USAGE, "expected a blank behind the quote at character 10");
    refuses("name == CA", TRJ_USAGE, "a name cannot be compared, at character 6: list names");
    refuses("element Xx", TRJ_USAGE, "'Xx' at character 9 is not an element");
    refuses("resid", TRJ_USAGE, "expected an integer at character 6");
    refuses("resid A", TRJ_USAGE, "expected an integer at character 7");
    refuses("resid 1.5", TRJ_USAGE, "expected an integer at character 7");
    refuses("resid 1,2", TRJ_USAGE, "expected an integer at character 7");
    refuses("resid 5A", TRJ_USAGE, "expected an integer at character 7");
    refuses("resid 1-", TRJ_USAGE, "expected an integer at character 9");
    refuses("resid 1 to", TRJ_USAGE, "expected an integer at character 11");
    refuses("resid 1 not name CA", TRJ_USAGE, "expected an integer at character 9");
    refuses("resid 99999999999999999999", TRJ_USAGE, "expected an integer at character 7");
    refuses("resid > ", TRJ_USAGE, "expected an integer at character 9");
    refuses("resid > 5 6", TRJ_USAGE, "expected 'and', 'or' or the end at character 11");
    refuses("mass > 1.2.3", TRJ_USAGE, "expected a number at character 8");
    refuses("mass nan", TRJ_USAGE, "expected a number at character 6");
    refuses("resid 10-1", TRJ_USAGE, "the range at character 7 is reversed");
    refuses("resid -1:-5", TRJ_USAGE, "the range at character 7 is reversed");
    refuses("mass 2:1.5", TRJ_USAGE, "the range at character 6 is reversed");
    refuses("resid 1 -5", TRJ_USAGE, "the '-' at character 9 is ambiguous: write a range with ':'");
    refuses("index 5:2000", TRJ_USAGE, "index 2000 at character 7: there are 10 atoms, counted from 0");
    refuses("index 10", TRJ_USAGE, "index 10 at character 7: there are 10 atoms, counted from 0");
    refuses("index -1", TRJ_USAGE, "index -1 at character 7: there are 10 atoms, counted from 0");
#define KEYWORDS " (all, none, name, type, resname, segid, element, resid, index, mass; and, or, not)"
    refuses("resnme ALA", TRJ_USAGE, "unknown keyword 'resnme' at character 1, did you mean 'resname'?" KEYWORDS);
    refuses("name CA and Resid 5", TRJ_USAGE,
            "unknown keyword 'Resid' at character 13, did you mean 'resid'?" KEYWORDS);
    refuses("NAME CA", TRJ_USAGE, "unknown keyword 'NAME' at character 1, did you mean 'name'?" KEYWORDS);
    refuses("protein", TRJ_USAGE, "unknown keyword 'protein' at character 1" KEYWORDS);
    refuses("&", TRJ_USAGE, "unknown keyword '&' at character 1" KEYWORDS);
    refuses("none", TRJ_BAD_DATA, "selects none of the 10 atoms");
    refuses("name XX", TRJ_BAD_DATA, "selects none of the 10 atoms");
    refuses("element O", TRJ_BAD_DATA,
            "the element of the atom with index 7 (name LP, residue TIP3 10) is not known: select by name");
    refuses("resname TIP3 and element O", TRJ_BAD_DATA,
            "the element of the atom with index 7 (name LP, residue TIP3 10) is not known: select by name");

    // Depth: 199 parentheses are read, more are not, however many.
    enum { MANY = 1000000 };
    static char deep[MANY + 1000];
    memset(deep, '(', 199);
    snprintf(deep + 199, 16, "name LP");
    memset(deep + 199 + 7, ')', 199);
    deep[2 * 199 + 7] = 0;
    ok(!strcmp(select_text(deep), "7"), "199 parentheses");
    memset(deep, '(', MANY);
    const char *found = select_text(deep);
    ok(has_text(found, "more than 200 levels of parentheses at character 201"), "a million parentheses");
    ok(has_text(found, "(((...': "), "a long expression is cut in the message");
    for (size_t i = 0; i < 250; i++) memcpy(deep + 4 * i, "not ", 4);
    snprintf(deep + 1000, 100, "name LP");
    ok(has_text(select_text(deep), "more than 200 levels of parentheses at character 801"), "250 times not");

    struct trj_error err;
    uint32_t *list;
    size_t n;
    ok(trj_select("all", top, 12, &list, &n, &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "the topology has 10 atoms, the frames have 12"),
       "topology and frames of different size");
}

static void without(void) {
    struct trj_topology *kept = top;
    top = NULL;
    selects("all", "0 1 2 3 4 5 6 7 8 9");
    selects("index 3 5:6 and not index 5", "3 6");
    refuses("name CA", TRJ_USAGE, "'name' at character 1 needs a topology file");
    refuses("index 3 and mass > 5", TRJ_USAGE, "'mass' at character 13 needs a topology file");
    top = open_text("title\n2\n    1SOL     OW    1   0.230   0.628   0.113\n    1SOL     MW    1   0.230   0.628   "
                    "0.113\n 1 1 1\n");
    atoms = 2;
    selects("resname SOL and name OW", "0");
    selects("name OW and element O", "0");
    refuses("type OT", TRJ_USAGE, "'type' at character 1: the GRO file has no atom types");
    refuses("name OW and segid A", TRJ_USAGE, "'segid' at character 13: the GRO file has no segments");
    selects("mass > 5", "0"); // told by element
    trj_topology_close(top);
    top = kept;
    atoms = 10;
}

// Counts and sums of 0-based indices as MDAnalysis 2.4.2 gives them for these selections, in its own words where its grammar differs
// (comparisons of resid and index, [..] classes, masses as "prop mass", and parentheses, since it gives `and` and `or` one rank).
static const struct {
    const char *file, *expression;
    size_t count;
    unsigned long long sum;
} real[] = {
    {"dcd/adk.psf", "all", 3341, 5579470},
    {"dcd/adk.psf", "name CA", 214, 353084},
    {"dcd/adk.psf", "name CA C N O", 855, 1413685},
    {"dcd/adk.psf", "not name H*", 1656, 2784639},
    {"dcd/adk.psf", "resname ALA GLY and name CB HA*", 78, 115717},
    {"dcd/adk.psf", "resid 1-10", 157, 12246},
    {"dcd/adk.psf", "resid 1:10 20 30 to 40 and not name H*", 157, 49203},
    {"dcd/adk.psf", "resid <= 5 or resid > 210", 168, 229792},
    {"dcd/adk.psf", "mass > 15", 327, 556971},
    {"dcd/adk.psf", "mass >= 12 and mass < 14.5", 1329, 2227668},
    {"dcd/adk.psf", "mass == 12.011", 1040, 1743723},
    {"dcd/adk.psf", "mass != 1.008", 1656, 2784639},
    {"dcd/adk.psf", "mass 13:16.5", 609, 1033940},
    {"dcd/adk.psf", "type 22 54", 447, 742547},
    {"dcd/adk.psf", "type 2*", 1084, 1818473},
    {"dcd/adk.psf", "segid 4AKE", 3341, 5579470},
    {"dcd/adk.psf", "index 0-99", 100, 4950},
    {"dcd/adk.psf", "index 10 20:30 3340", 13, 3625},
    {"dcd/adk.psf", "index >= 3000 and index != 3100", 340, 1077870},
    {"dcd/adk.psf", "(name CA or name CB) and not (resname ALA or resname LEU)", 338, 570513},
    {"dcd/adk.psf", "name CA or name CB and resname ALA", 233, 382709},
    {"dcd/adk.psf", "not name CA and resid 7", 6, 733},
    {"dcd/adk.psf", "not (name CA and resid 7)", 3340, 5579349},
    {"dcd/adk.psf", "name ?E?", 163, 281562},
    {"dcd/adk.psf", "name [CN]A", 214, 353084},
    {"dcd/adk.psf", "name H[AB]?", 359, 587370},
    {"dcd/adk.psf", "resname ??S", 407, 733425},
    {"dcd/adk.psf", "not not not name HA", 3147, 5254405},
    {"xtc/adk_oplsaa.gro", "name OW", 11084, 282719588},
    {"xtc/adk_oplsaa.gro", "resname SOL and name OW HW?", 33252, 848192016},
    {"xtc/adk_oplsaa.gro", "resname NA+", 4, 190714},
    {"xtc/adk_oplsaa.gro", "not resname SOL and not name H*", 1660, 2975334},
    {"xtc/adk_oplsaa.gro", "resid 215:300 and name OW", 86, 301946},
    {"xtc/adk_oplsaa.gro", "index 47680", 1, 47680},
    {"xtc/adk_oplsaa.gro", "name *W*", 44336, 1130944856},
    {"multi/cobrotoxin.pdb", "name CA", 62, 28124},
    {"multi/cobrotoxin.pdb", "name NA CL", 19, 368125},
    {"multi/cobrotoxin.pdb", "resid 62 or resname CL", 26, 226819},
    {"multi/cobrotoxin.pdb", "name ?H*", 106, 52462},
    {"multi/cobrotoxin.pdb", "not resname SOL", 937, 789028},
    {"multi/cobrotoxin.pdb", "resname SOL and resid > 4000", 2696, 48575180},
    {"xtc/tip3p_300K_1ATM.pdb", "name O", 258, 99459},
    {"xtc/tip3p_300K_1ATM.pdb", "name H1 H2", 516, 199692},
    {"xtc/tip3p_300K_1ATM.pdb", "element O", 258, 99459},
    {"xtc/tip3p_300K_1ATM.pdb", "element H and resid 100-200", 202, 90597},
    {"xtc/tip3p_300K_1ATM.pdb", "segid A and resid < 3", 6, 15},
    {"xtc/tip3p_300K_1ATM.pdb", "not element H and index < 100", 34, 1683},
    {"dcd/tip125_tric_C36.psf", "name OH2", 125, 23250},
    {"dcd/tip125_tric_C36.psf", "segid SOLV and name H?", 250, 46875},
    {"dcd/tip125_tric_C36.psf", "mass > 10 or resid 125", 127, 23997},
    {"gro/1vln-triclinic.gro", "name CA and not resname CA", 1896, 13728364},
    {"gro/1vln-triclinic.gro", "resname CA MN", 16, 231672},
    {"gro/1vln-triclinic.gro", "name \"CA\" and resname \"CA\"", 8, 115840},
};

static void real_files(const char *shared) {
    char path[4096];
    const char *file = "";
    trj_topology_close(top);
    top = NULL;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        struct trj_error err = {.text = ""};
        if (strcmp(file, real[i].file)) {
            file = real[i].file;
            trj_topology_close(top);
            snprintf(path, sizeof path, "%s/data/%s", shared, file);
            if (trj_topology_open(&top, path, &err)) {
                ok(false, "%s", err.text);
                exit(1);
            }
        }
        uint32_t *list = NULL;
        size_t n = 0;
        unsigned long long sum = 0;
        bool ascends = true;
        int rc = trj_select(real[i].expression, top, top->atoms, &list, &n, &err);
        for (size_t k = 0; k < n; k++) {
            sum += list[k];
            ascends = ascends && (!k || list[k - 1] < list[k]);
        }
        if (!ok(!rc && n == real[i].count && sum == real[i].sum && ascends, "%s: %s: %zu atoms, sum %llu", file,
                real[i].expression, real[i].count, real[i].sum))
            printf("# %zu, %llu %s\n", n, sum, err.text);
        free(list);
    }
}

// The reference lists, one index a line.
static void lists(const char *shared) {
    static const struct {
        const char *list, *file, *expression;
    } cases[] = {
        {"tip3p_OO.selA", "xtc/tip3p_300K_1ATM.pdb", "name O"},
        {"tip3p_OH.selA", "xtc/tip3p_300K_1ATM.pdb", "element O"},
        {"tip3p_OH.selB", "xtc/tip3p_300K_1ATM.pdb", "name H1 H2"},
        {"tip3p_OH.selB", "xtc/tip3p_300K_1ATM.pdb", "element H"},
        {"adk_OWOW.selA", "xtc/adk_oplsaa.gro", "name OW"},
        {"adk_OWOW_24.selA", "xtc/adk_oplsaa.gro", "resname SOL and name O*"},
        {"cobro_CA_OW.selA", "multi/cobrotoxin.pdb", "name CA"},
        {"cobro_CA_OW.selB", "multi/cobrotoxin.pdb", "name OW"},
        {"tip125_OO.selA", "dcd/tip125_tric_C36.psf", "name OH2"},
        {"tip125_OO.selA", "dcd/tip125_tric_C36.psf", "element O"},
        {"tip125_OO.selA", "dcd/tip125_tric_C36.psf", "mass > 5"},
    };
    char path[4096], line[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trj_error err = {.text = ""};
        uint32_t *list = NULL;
        size_t n = 0, k = 0, different = 0;
        trj_topology_close(top);
        top = NULL;
        snprintf(path, sizeof path, "%s/data/%s", shared, cases[i].file);
        if (trj_topology_open(&top, path, &err) || trj_select(cases[i].expression, top, top->atoms, &list, &n, &err)) {
            ok(false, "%s", err.text);
            continue;
        }
        snprintf(path, sizeof path, "%s/reference/%s.txt", shared, cases[i].list);
        FILE *f = fopen(path, "r");
        for (; f && fgets(line, sizeof line, f); k++) different += k >= n || strtoul(line, NULL, 10) != list[k];
        ok(f && k == n && !different, "%s: %s is %s", cases[i].file, cases[i].expression, cases[i].list);
        if (f) fclose(f);
        free(list);
    }
}

int main(void) {
    top = open_text(molecule);
    atoms = top->atoms;
    grammar();
    messages();
    without();
    const char *shared = shared_folder();
    if (shared) {
        real_files(shared);
        lists(shared);
    } else {
        skip("real selections", "no ../shared");
    }
    trj_topology_close(top);
    return done();
}
