// SPDX-License-Identifier: MIT
// Tests CHARMM CARD files: names, residues and segments, and the values of the files in ../shared/data-formats.
#include <unistd.h>

#include "format_values.h"

static void topologies(void) {
    struct trj_topology *t =
        open_text("x.crd", "* WATER\n*\n    3\n"
                           "    1    1 TIP3 OH2    0.10000   0.20000   0.30000 WAT  5      0.00000\n"
                           "    2    1 TIP3 H1     0.10000   0.20000   0.30000 WAT  5      0.00000\n"
                           "    3    2 SOD  SOD    0.10000   0.20000   0.30000 ION  5A     0.00000\n");
    ok(t && t->atoms == 3 && !strcmp(t->format, "CARD") && !t->charge, "CARD with columns of normal width");
    is_atom(t, 0, "OH2/-/TIP3/WAT/O/5/0/-");
    is_atom(t, 2, "SOD/-/SOD/ION/Na/5/1/-");
    trj_topology_close(t);
    t = open_text("x.crd", "* ONE LINE\n    2\n    1    7 TIP3 OH2    0.10000   0.20000   0.30000\n"
                           "    2    7 TIP3 H1     0.10000   0.20000   0.30000\n");
    ok(t && !strcmp(t->format, "CARD"), "lines that end after z, a title of one line: CARD, not GRO");
    is_atom(t, 1, "H1/-/TIP3//H/7/0/-");
    trj_topology_close(t);
    t = open_text("x.gro", "* a title\n    1\n    1SOL     OW    1   0.23000   0.62800   0.11300\n 1.0 1.0 1.0\n");
    ok(t && !strcmp(t->format, "GRO"), "GRO whose title begins with *: GRO, not CARD");
    trj_topology_close(t);
    bad("x.crd", "* x\n    2\n    1    1 TIP3 OH2    0.10000   0.20000   0.30000\n",
        "the file ends after 1 of 2 atoms");
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    topologies();
    check_values("charmm-crd", "card", 6, 6);
    rmdir(folder);
    return done();
}
