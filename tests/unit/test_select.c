// SPDX-License-Identifier: MIT
// Tests selections: the grammar and all messages with a small topology written here, and real topologies against
// MDAnalysis and reference lists.
#include <unistd.h>

#include "error.h"
#include "select.h"
#include "tap.h"
#include "topology.h"
#include "uniform.h"

static struct trj_topology *top; // the one that tests select from; NULL: none
static size_t atoms;
static const struct trj_frame *frame; // for dynamic selections; NULL: none
static struct trj_named_selection groups[260];
static size_t group_count;
static struct trj_texts names; // names of the groups
static struct trj_text_index index_of_names = {.texts = &names};

static int parse(struct trj_selection **sel, const char *expression, struct trj_error *err) {
    const struct trj_selection_scope scope = {
        .top = top, .atoms = atoms, .earlier = groups, .earlier_count = group_count, .names = &index_of_names};
    return trj_selection_parse(sel, expression, &scope, err);
}

static int select_atoms(const char *expression, uint32_t **list, size_t *n, struct trj_error *err) {
    struct trj_selection *sel = NULL;
    if (parse(&sel, expression, err)) return -1;
    int rc = trj_selection_atoms(sel, frame, list, n, err);
    trj_selection_free(sel);
    return rc;
}

// Returns the selected atoms, "0 3 6", or the message.
static const char *select_text(const char *expression) {
    static char text[2048];
    struct trj_error err = {.text = ""};
    uint32_t *list = NULL;
    size_t n = 0, used = 0;
    text[0] = 0;
    if (select_atoms(expression, &list, &n, &err)) {
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

static void rejects(const char *expression, enum trj_status status, const char *message) {
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
    selects("element O", "4 5"); // a massless lone pair has no element
    selects("element cl H*", "2 6 8");
    selects("element *", "0 1 2 3 4 5 6 8 9");
    selects("segid W and not element O", "6 7");
    selects("name\tOH2\nor\r\nname LP", "5 7");
    // A long chain without parentheses is accepted, because it needs no recursion.
    enum { LINKS = 20000, LINK = 11 };
    char *chain = malloc(LINKS * LINK + 8);
    for (size_t i = 0; i < LINKS; i++) memcpy(chain + i * LINK, i % 2 ? "index 3 or " : "index 5 or ", LINK);
    snprintf(chain + LINKS * LINK, 8, "index 5");
    selects(chain, "3 5");
    free(chain);
}

static void messages(void) {
    rejects("name OW and", TRJ_USAGE, "expected an expression at character 12");
    rejects("", TRJ_USAGE, "expected an expression at character 1");
    rejects("   ", TRJ_USAGE, "expected an expression at character 4");
    rejects("or name CA", TRJ_USAGE, "expected an expression at character 1");
    rejects("name CA and and name CB", TRJ_USAGE, "expected an expression at character 13");
    rejects("()", TRJ_USAGE, "expected an expression at character 2");
    rejects("not", TRJ_USAGE, "expected an expression at character 4");
    rejects("(name CA", TRJ_USAGE, "expected ')' at character 9 for the '(' at character 1");
    rejects("name CA)", TRJ_USAGE, "expected 'and', 'or' or the end at character 8");
    rejects("name CA (name CB)", TRJ_USAGE, "expected 'and', 'or' or the end at character 9");
    rejects("all none", TRJ_USAGE, "expected 'and', 'or' or the end at character 5");
    rejects("name", TRJ_USAGE, "expected a name after 'name' at character 5");
    rejects("resname and name CA", TRJ_USAGE, "expected a name after 'resname' at character 9");
    rejects("resname all", TRJ_USAGE, "'all' at character 9 is a keyword; quote it if it is a name");
    rejects("name CA not name CB", TRJ_USAGE, "'not' at character 9 is a keyword; quote it if it is a name");
    rejects("name 'CA", TRJ_USAGE, "the quote at character 6 is not closed; add the second one");
    rejects("name 'CA'CB", TRJ_USAGE, "expected a blank after the quote at character 10");
    rejects("name == CA", TRJ_USAGE, "a name cannot be compared, at character 6; list names");
    rejects("element Xx", TRJ_USAGE, "'Xx' at character 9 is not an element");
    rejects("resid", TRJ_USAGE, "expected an integer at character 6");
    rejects("resid A", TRJ_USAGE, "expected an integer at character 7");
    rejects("resid 1.5", TRJ_USAGE, "expected an integer at character 7");
    rejects("resid 1,2", TRJ_USAGE, "unexpected ',' at character 8; separate numbers by blanks");
    rejects("resid 5A", TRJ_USAGE, "expected an integer at character 7");
    rejects("resid 1-", TRJ_USAGE, "expected an integer at character 9");
    rejects("resid 1 to", TRJ_USAGE, "expected an integer at character 11");
    rejects("resid 1 not name CA", TRJ_USAGE, "expected an integer at character 9");
    rejects("resid 99999999999999999999", TRJ_USAGE, "expected an integer at character 7");
    rejects("resid > ", TRJ_USAGE, "expected an integer at character 9");
    rejects("resid > 5 6", TRJ_USAGE, "expected 'and', 'or' or the end at character 11");
    rejects("mass > 1.2.3", TRJ_USAGE, "expected a number at character 8");
    rejects("mass nan", TRJ_USAGE, "expected a number at character 6");
    rejects("resid 10-1", TRJ_USAGE, "the range at character 7 is reversed; write the smaller number first");
    rejects("resid -1:-5", TRJ_USAGE, "the range at character 7 is reversed; write the smaller number first");
    rejects("mass 2:1.5", TRJ_USAGE, "the range at character 6 is reversed; write the smaller number first");
    rejects("resid 1 -5", TRJ_USAGE, "the '-' at character 9 is ambiguous; write a range with ':'");
    rejects("index 5:2000", TRJ_USAGE, "index 2000 at character 7: there are 10 atoms; give numbers from 0 to 9");
    rejects("index 10", TRJ_USAGE, "index 10 at character 7: there are 10 atoms; give numbers from 0 to 9");
    rejects("index -1", TRJ_USAGE, "index -1 at character 7: there are 10 atoms; give numbers from 0 to 9");
    rejects("resnme ALA", TRJ_USAGE, "unknown keyword 'resnme' at character 1, did you mean 'resname'?");
    rejects("name CA and Resid 5", TRJ_USAGE, "unknown keyword 'Resid' at character 13, did you mean 'resid'?");
    rejects("NAME CA", TRJ_USAGE, "unknown keyword 'NAME' at character 1, did you mean 'name'?");
    rejects("sidechain", TRJ_USAGE,
            "unknown keyword 'sidechain' at character 1, did you mean 'protein and not backbone'?");
    // Syntax of other languages.
    rejects("&", TRJ_USAGE, "unknown keyword '&' at character 1, did you mean 'and'?");
    rejects("!protein", TRJ_USAGE, "unknown keyword '!protein' at character 1, did you mean 'not'?");
    rejects("all and ! protein", TRJ_USAGE, "unknown keyword '!' at character 9, did you mean 'not'?");
    rejects("NOT all", TRJ_USAGE, "unknown keyword 'NOT' at character 1, did you mean 'not'?");
    rejects("index 1 && all", TRJ_USAGE, "'&&' at character 9 is unknown; write 'and', or quote it if it is a name");
    rejects("all && none", TRJ_USAGE, "'&&' at character 5 is unknown; write 'and', or quote it if it is a name");
    rejects("(all OR none)", TRJ_USAGE, "'OR' at character 6 is unknown; write 'or', or quote it if it is a name");
    rejects("all !none", TRJ_USAGE, "'!none' at character 5 is unknown; write 'not', or quote it if it is a name");
    rejects("name CA AND CB", TRJ_USAGE, "'AND' at character 9 is unknown; write 'and', or quote it if it is a name");
    rejects("name CA || resid 5", TRJ_USAGE, "'||' at character 9 is unknown; write 'or', or quote it if it is a name");
    rejects("name AND", TRJ_USAGE, "expected a name after 'name' at character 6");
    selects("name CA 'AND'", "1 3 9");
    rejects("ALA", TRJ_USAGE, "unknown keyword 'ALA' at character 1, did you mean 'resname ALA'?");
    rejects("all and TIP3", TRJ_USAGE, "unknown keyword 'TIP3' at character 9, did you mean 'resname TIP3'?");
    rejects("prop x > 10", TRJ_USAGE, "unknown keyword 'prop' at character 1, did you mean 'x > 10'?");
    rejects("(prop mass<5)", TRJ_USAGE, "unknown keyword 'prop' at character 2, did you mean 'mass<5'?");
    // Commas.
#define BLANKS " in a name without quotes; separate names by blanks, or quote the name if it contains ','"
    rejects("resname ALA, GLY", TRJ_USAGE, "',' at character 12" BLANKS);
    rejects("resname ALA,GLY TIP3", TRJ_USAGE, "',' at character 12" BLANKS);
    rejects("resname ALA ,GLY", TRJ_USAGE, "',' at character 13" BLANKS);
    selects("resname ALA 'GLY,'", "0 1 2");
    rejects("index 0,1,2", TRJ_USAGE, "unexpected ',' at character 8; separate numbers by blanks");
    rejects("resid -2:5, 10", TRJ_USAGE, "unexpected ',' at character 11; separate numbers by blanks");
    rejects("mass 12.011, 1.008", TRJ_USAGE, "unexpected ',' at character 12; separate numbers by blanks");
    rejects("none", TRJ_BAD_DATA, "selects none of the 10 atoms");
    rejects("name XX", TRJ_BAD_DATA,
            "selects none of the 10 atoms; names: CA, CLA, H1, HA, LP, N, O5', OH2; residue "
            "names: ALA, TIP3, GLY, CA, all");

    // Depth: 199 parentheses are accepted, and any larger number is rejected.
    enum { MANY = 1000000 };
    static char deep[MANY + 1000];
    memset(deep, '(', 199);
    snprintf(deep + 199, 16, "name LP");
    memset(deep + 199 + 7, ')', 199);
    deep[2 * 199 + 7] = 0;
    ok(!strcmp(select_text(deep), "7"), "199 parentheses: accepted");
    memset(deep, '(', MANY);
    const char *found = select_text(deep);
    ok(has_text(found, "more than 200 levels of parentheses at character 201"), "a million parentheses: rejected");
    ok(has_text(found, "(((...': "), "long expression: truncated in the message");
    for (size_t i = 0; i < 250; i++) memcpy(deep + 4 * i, "not ", 4);
    snprintf(deep + 1000, 100, "name LP");
    ok(has_text(select_text(deep), "more than 200 levels of parentheses at character 801"), "250 times not: rejected");

    atoms = 12;
    rejects("all", TRJ_BAD_DATA,
            "the topology has 10 atoms, but the frames have 12; give one of the same atoms with -t");
    atoms = 10;
}

// ------------------------------------------------------------------------------- classes, relations, coordinates,
// groups

static const char mixture[] = "PSF NAMD\n\n14 !NATOM\n"
                              "1 P 1 ALA N NH1 -0.5 14.007\n"
                              "2 P 1 ALA CA CT1 0.1 12.011\n"
                              "3 P 1 ALA C C 0.5 12.011\n"
                              "4 P 1 ALA O O -0.5 15.999\n"
                              "5 P 1 ALA HA HB 0.1 1.008\n"
                              "6 W 2 TIP3 OH2 OT -0.834 15.999\n"
                              "7 W 2 TIP3 H1 HT 0.417 1.008\n"
                              "8 W 2 TIP3 H2 HT 0.417 1.008\n"
                              "9 W 3 TIP3 OH2 OT -0.834 15.999\n"
                              "10 W 3 TIP3 H1 HT 0.417 1.008\n"
                              "11 W 3 TIP3 LP LP 0 0\n"
                              "12 I 2 SOD SOD SOD 1.0 22.99\n"
                              "13 I 3 CLA CLA CLA -1.0 35.45\n"
                              "14 D 4 ADE P P 1.5 30.974\n"
                              "8 !NBOND\n1 2 2 3 3 4 2 5\n6 7 6 8 9 10 9 11\n";

static struct trj_frame line; // atom i at x = 2 i in a cube of 30 Å

static void make_line(size_t n) {
    struct trj_error err;
    if (trj_frame_resize(&line, n, &err)) exit(1);
    line.unit = 1;
    line.cell = (struct trj_cell){.h = {{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}, .periodic = TRJ_PERIODIC_ALL};
    for (size_t i = 0; i < n; i++) {
        line.x[0][i] = (float)(2 * i);
        line.x[1][i] = line.x[2][i] = 0;
    }
}

static void classes(void) {
    selects("protein", "0 1 2 3 4");
    selects("backbone", "0 1 2 3");
    selects("water", "5 6 7 8 9 10");
    selects("ion", "11 12");
    selects("nucleic", "13");
    selects("protein and hydrogen", "4");
    selects("protein and heavy", "0 1 2 3");
    selects("heavy", "0 1 2 3 5 8 11 12 13");
    selects("hydrogen", "4 6 7 9");
    selects("water and not hydrogen", "5 8 10");
    selects("not (protein or water or ion)", "13");
    selects("chain W and serial 6 9:10", "5 8 9");
    selects("bynum 1 to 3", "0 1 2");
    selects("serial < 3 or bynum>=14", "0 1 13");
    selects("charge < 0", "0 3 5 8 12");
    selects("charge<-0.6 or charge == 1.5", "5 8 12 13");
    selects("charge -1:-0.834", "5 8 12");
    selects("charge -1--0.9", "12");
    rejects("serial 0", TRJ_USAGE, "serial 0 at character 8: there are 14 atoms; give numbers from 1 to 14");
    rejects("bynum 3 15", TRJ_USAGE, "serial 15 at character 9: there are 14 atoms; give numbers from 1 to 14");
    rejects("protein water", TRJ_USAGE, "expected 'and', 'or' or the end at character 9");
    rejects("resname water", TRJ_USAGE, "'water' at character 9 is a keyword; quote it if it is a name");
    rejects("charge > much", TRJ_USAGE, "expected a number at character 10");
}

static void names_of_residues(void) {
    static const char *const words[][2] = {
        {"protein", "ALA GLY HSD HSP CYX NALA CVAL NCYX CHIE ACE NME MSE LYSH ASPH SEP DAL MED DVA DHSD"},
        {"nucleic", "A DA DT5 RU3 ADE URA"},
        {"water", "HOH SOL WAT TIP3 TIP4 T4P SPC H2O DOD SPCE TIP4P"},
        {"ion", "NA Na+ NA+ CL Cl- CLA SOD POT CAL MG Mg2+ MG2+ ZN2 ZN K K+ I- F- CES Br-"},
        {"none", "POPC NALX XALA ALAX DGLY DPPC UNK CO2 CS2 I F C60 NAG CLAY ION12345 MOL CH3 + -"},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        char list[200], psf[1200] = "", *rest = list;
        size_t n = 0, used = 0;
        snprintf(list, sizeof list, "%s", words[k][1]);
        for (char *word; (word = strtok(n ? NULL : rest, " ")); n++)
            used += (size_t)snprintf(psf + used, sizeof psf - used, "%zu S %zu %s X X 0 12\n", n + 1, n + 1, word);
        char file[1300], all[300] = "";
        snprintf(file, sizeof file, "PSF NAMD\n\n%zu !NATOM\n%s0 !NBOND\n", n, psf);
        top = open_text(file);
        atoms = top->atoms;
        for (size_t i = 0, at = 0; i < n; i++)
            at += (size_t)snprintf(all + at, sizeof all - at, "%s%zu", i ? " " : "", i);
        for (size_t c = 0; c + 1 < sizeof words / sizeof *words; c++) {
            const char *found = select_text(words[c][0]);
            bool right = c == k ? !strcmp(found, all) : has_text(found, "selects none of the");
            if (!ok(right, "%s is%s %s", words[c][0], c == k ? "" : " none of", words[k][1])) printf("# %s\n", found);
        }
        trj_topology_close(top);
    }
}

static void relations(void) {
    selects("same residue as name CA", "0 1 2 3 4");
    selects("same residue as index 6 12", "5 6 7 12");
    selects("same resid as name CLA", "8 9 10 12");
    selects("same resname as index 6", "5 6 7 8 9 10");
    selects("same name as index 6", "6 9");
    selects("same type as index 6", "6 7 9");
    selects("same segid as index 6", "5 6 7 8 9 10");
    selects("same chain as index 12", "11 12");
    selects("same molecule as index 4 11", "0 1 2 3 4 11");
    selects("same fragment as name LP", "8 9 10");
    selects("same mass as name CA", "1 2");
    selects("same charge as index 0", "0 3");
    selects("same element as name OH2", "3 5 8");
    selects("same element as name OH2 LP", "3 5 8");
    selects("bonded to name CA", "0 2 4");
    selects("bonded name OH2", "6 7 9 10");
    selects("name H* and bonded to name OH2", "6 7 9");
    selects("bonded to (name C and protein)", "1 3");
    selects("same residue as bonded to name C", "0 1 2 3 4");
    selects("not same residue as (protein or water)", "11 12 13");
    selects("(same residue as name CA) or name P", "0 1 2 3 4 13");
    rejects("same element as name LP", TRJ_BAD_DATA,
            "selects none of the 14 atoms; names: H1, OH2, C, CA, CLA, H2, HA, LP, N, O, P, SOD; residue names: TIP3, "
            "ALA, ADE, CLA, SOD");
    rejects("same residue as name XX", TRJ_BAD_DATA,
            "selects none of the 14 atoms; names: H1, OH2, C, CA, CLA, H2, HA, LP, N, O, P, SOD; residue names: TIP3, "
            "ALA, ADE, CLA, SOD");
    rejects("bonded to ion", TRJ_BAD_DATA, "selects none of the 14 atoms; residue names: TIP3, ALA, ADE, CLA, SOD");
#define KEYS "residue, molecule, fragment, name, type, resname, segid, chain, element, resid, mass or charge"
    rejects("same", TRJ_USAGE, "expected " KEYS " at character 5");
    rejects("same x as name CA", TRJ_USAGE, "expected " KEYS " at character 6");
    rejects("same residue name CA", TRJ_USAGE, "expected 'as' at character 14");
    rejects("same residue as", TRJ_USAGE, "expected an expression at character 16");
    rejects("same residue as and all", TRJ_USAGE, "expected an expression at character 17");
    rejects("bonded to", TRJ_USAGE, "expected an expression at character 10");
    rejects("to name CA", TRJ_USAGE, "expected an expression at character 1");
    rejects("same residue as name CA and name P", TRJ_USAGE,
            "'and' at character 25 is ambiguous; add parentheses that show whether 'same' ends before it");
    rejects("not bonded to (protein) or name P", TRJ_USAGE,
            "'or' at character 25 is ambiguous; add parentheses that show whether 'bonded' ends before it");
}

static void coordinates(void) {
    rejects("x > 5", TRJ_USAGE, "depends on coordinates; use names, residues or indices here");
    frame = &line;
    selects("x > 21", "11 12 13");
    selects("x<=2 or x 10 20:22", "0 1 5 10 11");
    selects("y 0 and z == 0 and x<3", "0 1");
    selects("name OH2 and x != 10", "8");
    selects("within 2 of index 0", "0 1");
    selects("within 4 of index 0", "0 1 2 13");
    selects("exwithin 4 of index 0", "1 2 13");
    selects("around 4 index 0", "1 2 13");
    selects("around 4.0(index 0 1)", "2 3 13");
    selects("within 0 of protein", "0 1 2 3 4");
    selects("exwithin 0 of protein", "");
    selects("water and exwithin 2.5 of protein", "5");
    selects("water and within 2 of (ion or protein)", "5 10");
    selects("(within 2 of ion) and water", "10");
    selects("name OH2 and not within 2.1 of protein", "8");
    selects("same residue as (water and within 2 of protein)", "5 6 7");
    selects("same residue as within 2 of index 0", "0 1 2 3 4");
    selects("bonded to x < 3", "0 1 2 4");
    selects("within 2 of within 2 of index 6", "4 5 6 7 8");
    selects("ion and within 1e300 of index 3", "11 12");
    selects("heavy and x > 9", "5 8 11 12 13");
    selects("x > 100", "");
    selects("ion and around 3 water", "11");
    selects("protein or within 2 of name XX", "0 1 2 3 4");
    selects("index 1 and not within 2 of name XX", "1");
    selects("not (within 5 of protein) and not (x < 12)", "7 8 9 10 11 12");
    rejects("ion and within 2 of name XX", TRJ_BAD_DATA,
            "selects none of the 14 atoms; names: H1, OH2, C, CA, CLA, H2, HA, LP, N, O, P, SOD; residue names: TIP3, "
            "ALA, ADE, CLA, SOD");
    rejects("name XX and x > 1", TRJ_BAD_DATA,
            "selects none of the 14 atoms; names: H1, OH2, C, CA, CLA, H2, HA, LP, N, O, P, SOD; residue names: TIP3, "
            "ALA, ADE, CLA, SOD");
    rejects("x > 1 and not all", TRJ_BAD_DATA, "selects none of the 14 atoms");
    line.cell.periodic = 0;
    selects("within 4 of index 0", "0 1 2");
    line.cell.periodic = TRJ_PERIODIC_B | TRJ_PERIODIC_C;
    selects("within 4 of index 0", "0 1 2");
    line.cell.periodic = TRJ_PERIODIC_A;
    selects("within 4 of index 0", "0 1 2 13");
    line.cell.periodic = TRJ_PERIODIC_ALL;
    line.unit = 10;
    selects("within 9 of index 0", "0 3 6 9 12");
    line.unit = 1;
    rejects("within of index 0", TRJ_USAGE, "expected a number at character 8");
    rejects("within 5A of index 0", TRJ_USAGE, "expected a number at character 8");
    rejects("within -1 of index 0", TRJ_USAGE, "the distance at character 8 is negative; give one of 0 or more");
    rejects("exwithin nan of index 0", TRJ_USAGE, "expected a number at character 10");
    rejects("within 5 index 0", TRJ_USAGE, "expected 'of' at character 10");
    rejects("within 5", TRJ_USAGE, "expected 'of' at character 9");
    rejects("around 5 of index 0", TRJ_USAGE, "expected an expression at character 10");
    rejects("around 5", TRJ_USAGE, "expected an expression at character 9");
    rejects("within 5 of", TRJ_USAGE, "expected an expression at character 12");
    rejects("within 5 of protein and water", TRJ_USAGE,
            "'and' at character 21 is ambiguous; add parentheses that show whether 'within' ends before it");
    rejects("(around 5 (protein) or water)", TRJ_USAGE,
            "'or' at character 21 is ambiguous; add parentheses that show whether 'around' ends before it");
    line.x[0][3] = NAN;
    ok(has_text(select_text("within 3 of index 3"), "3 atom 3: coordinate x is nan"), "coordinate NaN");
    line.x[0][3] = 6;
    line.atoms--;
    rejects("x > 1", TRJ_BAD_DATA, "is a selection of 14 atoms, but the frame has 13");
    line.atoms++;
    frame = NULL;
}

static void define(const char *name, const char *expression) {
    struct trj_error err = {.text = ""};
    char *copy = malloc(strlen(name) + 1);
    if (!copy) exit(1);
    memcpy(copy, name, strlen(name) + 1);
    groups[group_count].name = copy;
    if (parse(&groups[group_count].selection, expression, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    uint32_t number;
    if (trj_text_index_add(&index_of_names, name, &number, &err)) exit(1);
    group_count++;
}

static void forget(void) {
    trj_text_index_free(&index_of_names);
    trj_texts_clear(&names);
    names = (struct trj_texts){.count = 0};
    index_of_names = (struct trj_text_index){.texts = &names};
    while (group_count) {
        free(groups[--group_count].name);
        trj_selection_free(groups[group_count].selection);
    }
}

static void earlier_groups(void) {
    frame = &line;
    define("solute", "protein or nucleic");
    define("shell", "water and within 2 of solute");
    define("water", "name OH2");
    define("ion", "ion");
    define("Na+", "name SOD");
    define("OW", "name OH2");
    selects("solute", "0 1 2 3 4 13");
    selects("not solute and not group water", "6 7 9 10 11 12");
    selects("shell", "5");
    selects("same residue as shell", "5 6 7");
    selects("shell or shell or not not shell", "5");
    selects("name OH2 and not shell", "8");
    selects("ion and not Na+", "12");
    selects("group Na+", "11");
    selects("(Na+)", "11");
    selects("within 2 of Na+", "10 11 12");
    selects("name OW OH2", "5 8"); // in a list of names it is a name
    rejects("water", TRJ_USAGE,
            "'water' at character 1 is a keyword and a group; write 'group water', or rename the group");
    rejects("all and shells", TRJ_USAGE, "unknown keyword 'shells' at character 9, did you mean 'shell'?");
    rejects("group", TRJ_USAGE, "expected the name of a group after 'group' at character 6");
    rejects("group shells", TRJ_USAGE, "unknown group 'shells' at character 7; define it with an earlier -g");
    forget();

    // Groups that use the previous group twice must not double the work, and their depth is limited.
    define("g0", "x > 3");
    struct trj_error err = {.text = ""};
    struct trj_selection *sel = NULL;
    bool rejected = false;
    for (int i = 1; i < 250 && !rejected; i++) {
        char name[16], expression[64];
        snprintf(name, sizeof name, "g%d", i);
        snprintf(expression, sizeof expression, "g%d and not not g%d", i - 1, i - 1);
        rejected = parse(&sel, expression, &err);
        if (rejected) break;
        trj_selection_free(sel);
        define(name, expression);
    }
    ok(rejected && has_text(err.text, "more than 200 levels of groups within groups at character "),
       "deeply nested groups: %s", err.text);
    char last[16];
    snprintf(last, sizeof last, "g%zu", group_count - 1);
    selects(last, "2 3 4 5 6 7 8 9 10 11 12 13");
    forget();
    frame = NULL;
}

// Random text gives a selection or a message.
static void random_texts(void) {
    static const char *const words[] = {"(",
                                        ")",
                                        " and ",
                                        " or ",
                                        " not ",
                                        "all",
                                        "none",
                                        "protein",
                                        "within 3 of ",
                                        "around 2 ",
                                        "same ",
                                        "residue as ",
                                        "bonded ",
                                        "to ",
                                        "name ",
                                        "CA ",
                                        "resid ",
                                        "5",
                                        "-",
                                        ":",
                                        "1.5 ",
                                        "x ",
                                        "< ",
                                        ">=",
                                        "'",
                                        "\"",
                                        "*",
                                        "[",
                                        "]",
                                        "\\",
                                        "index ",
                                        "3 ",
                                        "charge ",
                                        "e",
                                        "mass>",
                                        "group ",
                                        "solute ",
                                        "exwithin ",
                                        "of ",
                                        "as ",
                                        " ",
                                        "\t",
                                        "\xff",
                                        "as",
                                        "element ",
                                        "O ",
                                        "heavy ",
                                        "serial ",
                                        "same mass as ",
                                        "same molecule as ",
                                        "water "};
    size_t right = 0, wrong = 0, other = 0, rounds = SANITIZED ? 40000 : 100000;
    frame = &line;
    define("solute", "x > 3 or protein");
    for (size_t round = 0; round < rounds; round++) {
        char text[400] = "";
        size_t used = 0, parts = 1 + (size_t)(uniform() * 12);
        for (size_t i = 0; i < parts; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                     words[(size_t)(uniform() * (double)(sizeof words / sizeof *words))]);
        if (round % 3 == 0) text[(size_t)(uniform() * (double)used)] = (char)(1 + uniform() * 254);
        struct trj_error err = {.text = ""};
        uint32_t *list = NULL;
        size_t n = 0;
        if (!select_atoms(text, &list, &n, &err)) {
            right++;
            for (size_t i = 0; i < n; i++) other += list[i] >= atoms || (i && list[i] <= list[i - 1]);
        } else {
            wrong++;
            other += (err.status != TRJ_USAGE && err.status != TRJ_BAD_DATA) || !has_text(err.text, "selection '");
        }
        free(list);
    }
    if (!ok(!other && right > rounds / 200 && wrong > rounds / 2, "%zu random texts: a selection or a message", rounds))
        printf("# %zu right, %zu wrong, %zu neither\n", right, wrong, other);
    forget();
    frame = NULL;
}

// Atoms without an element, and atoms of unknown element.
static void elements(void) {
    struct trj_topology *kept = top;
    size_t kept_atoms = atoms;
#define UNKNOWN                                                                                                        \
    "the element of the atom with index 3 (name QX1, residue LIG 2) is unknown; exclude it, "                          \
    "as in 'protein and heavy', or select by name"
    top = open_text("PSF NAMD\n\n6 !NATOM\n"
                    "1 S 1 ALA CA CT1 0 12.011\n"
                    "2 S 1 ALA HA HB 0 1.008\n"
                    "3 S 1 ALA MNH M 0 0\n" // a dummy
                    "4 S 2 LIG QX1 Q 0 33\n"
                    "5 S 2 LIG H1 H 0 1.008\n"
                    "6 S 3 LIG C1 C 0 0\n" // perhaps a carbon whose mass was omitted
                    "0 !NBOND\n");
    atoms = 6;
    rejects("heavy", TRJ_BAD_DATA, UNKNOWN);
    rejects("hydrogen and resid 1 2", TRJ_BAD_DATA, UNKNOWN);
    rejects("resid 1 2 and not hydrogen", TRJ_BAD_DATA, UNKNOWN);
    rejects("same element as index 3", TRJ_BAD_DATA, UNKNOWN);
    selects("protein and heavy", "0");
    selects("heavy and protein", "0"); // in any order
    selects("hydrogen and (resid 1 or name H1)", "1 4");
    selects("not (heavy or element H) and protein", "2");
    selects("hydrogen and protein or name QX1", "1 3");
    rejects("name C1 and heavy", TRJ_BAD_DATA,
            "the element of the atom with index 5 (name C1, residue LIG 3) is unknown; exclude it, "
            "as in 'protein and heavy', or select by name");
    trj_topology_close(top);
    top = kept;
    atoms = kept_atoms;
}

static void without(void) {
    struct trj_topology *kept = top;
    top = NULL;
    selects("all", "0 1 2 3 4 5 6 7 8 9");
    selects("index 3 5:6 and not index 5", "3 6");
    rejects("name CA", TRJ_USAGE, "'name' at character 1 requires a topology; give one with -t");
    rejects("index 3 and mass > 5", TRJ_USAGE, "'mass' at character 13 requires a topology; give one with -t");
    top = open_text("title\n2\n    1SOL     OW    1   0.230   0.628   0.113\n    1SOL     MW    1   0.230   0.628   "
                    "0.113\n 1 1 1\n");
    atoms = 2;
    selects("resname SOL and name OW", "0");
    selects("name OW and element O", "0");
    rejects("type OT", TRJ_USAGE,
            "'type' at character 1: the GRO file has no atom types; give a topology that has them with -t");
    rejects("name OW and segid A", TRJ_USAGE,
            "'segid' at character 13: the GRO file has no segments; give a topology that has them with -t");
    selects("name OW and mass > 5", "0"); // mass of the element
    selects("mass > 5", "0");
    selects("mass == 0", "1"); // a site of TIP4P
    trj_topology_close(top);
    top = open_text("title\n2\n    1LIG     OW    1   0.230   0.628   0.113\n    1LIG     MW    1   0.230   0.628   "
                    "0.113\n 1 1 1\n");
#define NO_MASS                                                                                                        \
    "the mass of the atom with index 1 (name MW) is unknown; exclude it, as in "                                       \
    "'protein and mass > 2'"
    rejects("mass > 5", TRJ_BAD_DATA, NO_MASS);
    selects("mass > 5 and name OW", "0");
    rejects("same mass as index 0", TRJ_BAD_DATA, NO_MASS);
    trj_topology_close(top);
    top = kept;
    atoms = 10;
}

// Counts and sums of 0-based indices from MDAnalysis 2.4.2 for the same selections. They were translated where its
// grammar differs: comparisons of resid and index, [..] classes, "prop mass", and parentheses, since `and` and `or`
// have equal precedence there.
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
        atoms = top->atoms;
        int rc = select_atoms(real[i].expression, &list, &n, &err);
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

// Compares with the reference lists, which have one index in each line.
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
    char path[4096], row[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trj_error err = {.text = ""};
        uint32_t *list = NULL;
        size_t n = 0, k = 0, different = 0;
        trj_topology_close(top);
        top = NULL;
        snprintf(path, sizeof path, "%s/data/%s", shared, cases[i].file);
        int rc = trj_topology_open(&top, path, &err);
        atoms = rc ? 0 : top->atoms;
        if (rc || select_atoms(cases[i].expression, &list, &n, &err)) {
            ok(false, "%s", err.text);
            continue;
        }
        snprintf(path, sizeof path, "%s/reference/%s.txt", shared, cases[i].list);
        FILE *f = fopen(path, "r");
        for (; f && fgets(row, sizeof row, f); k++) different += k >= n || strtoul(row, NULL, 10) != list[k];
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
    elements();
    without();
    trj_topology_close(top);
    top = open_text(mixture);
    atoms = top->atoms;
    make_line(atoms);
    classes();
    relations();
    coordinates();
    earlier_groups();
    random_texts();
    trj_topology_close(top);
    names_of_residues();
    top = NULL;
    const char *shared = shared_folder();
    if (shared) {
        real_files(shared);
        lists(shared);
    } else {
        skip("real selections", "no ../shared");
    }
    trj_topology_close(top);
    trj_frame_free(&line);
    return done();
}
