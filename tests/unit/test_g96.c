// SPDX-License-Identifier: MIT
// Tests GROMOS files: names and residues, boxes of GROMOS, velocities, and the values of the files in
// ../shared/data-formats.
#include <unistd.h>

#include "format_values.h"

#define WATER "    7 SOL   OW         1    0.100000000    0.200000000    0.300000000\n"

static void topologies(void) {
    struct trj_topology *t =
        open_text("x.g96", "TITLE\nEND of a title\nEND\nLATTICESHIFTS\n0 0 0\nEND\nPOSITION\n"
                           "# comment\n" WATER "    8 NA+   NA         2    0.100000000    0.200000000    0.300000000\n"
                           "END\n");
    ok(t && t->atoms == 2 && !strcmp(t->format, "g96") && !t->charge && !t->segid.id, "POSITION after other blocks");
    is_atom(t, 0, "OW/-/SOL/-/O/7/0/-");
    is_atom(t, 1, "NA/-/NA+/-/Na/8/1/-");
    trj_topology_close(t);
    bad("x.g96", "TITLE\nEND\nPOSITION\n" WATER, "the file ends after this line, before END of the block POSITION");
    bad("x.g96", "TITLE\nEND\nPOSITION\nEND\n", "line 4: no atoms in the block POSITION");
    bad("x.g96", "TITLE\nEND\nBOX\n1 1 1\nEND\n", "the file ends without a block POSITION");
}

// Opens a file of one atom with these blocks, and reads a frame.
static bool read_blocks(const char *blocks, unsigned request, struct trj_frame *f, struct trj_error *err) {
    char text[512];
    struct trj_input *in;
    struct trj_reader *r;
    snprintf(text, sizeof text, "TITLE\nEND\nPOSITION\n" WATER "END\n%s", blocks);
    const char *path = put("x.g96", text, strlen(text));
    *err = (struct trj_error){0};
    bool good = !trj_input_open(&in, path, err) && !trj_reader_open_comparing(&r, in, NULL, 0, request, err);
    if (good) {
        good = trj_reader_read(r, f, err) == 1;
        trj_reader_close(r);
    }
    remove(path);
    return good;
}

static void boxes(void) {
    static const struct {
        const char *what, *text;
        double h[9]; // Å
    } good[] = {
        {"a rectangular GENBOX", "1\n1.0 2.0 3.0\n90 90 90\n0 0 0\n", {10, 0, 0, 0, 20, 0, 0, 0, 30}},
        {"a triclinic GENBOX with an origin",
         "# kind\n2\n1.0 2.0 3.0\n90 90 120\n0 0 0\n5 5 5\n",
         {10, 0, 0, -10, 17.320508075688775, 0, 0, 0, 30}},
        {"the GENBOX of a vacuum", "0\n0 0 0\n0 0 0\n0 0 0\n", {0}},
    };
    static const struct {
        const char *text, *message;
    } damaged[] = {
        {"GENBOX\n3\n1 1 1\n90 90 90\n0 0 0\nEND\n", "kind of box 3, expected -1, 0, 1 or 2"},
        {"GENBOX\n1\n1 1 1\n90 90 90\n0 30 0\nEND\n", "a box with Euler angles 0 30 0, which is not supported"},
        {"GENBOX\n1\n1 1 1\n90 90 190\n0 0 0\nEND\n", "GENBOX: an angle of 190 degrees"},
        {"GENBOX\n-1\n1 2 1\n90 90 90\n0 0 0\nEND\n", "GENBOX: "},
        {"GENBOX\n1\n1 1\n", "line 8: no lengths in the block GENBOX"},
        {"GENBOX\n1\nEND\n", "no lengths in the block GENBOX"},
        {"TRICLINICBOX\n1\n1 0 0\n0 1 0\n0 0 1\nEND\n", "line 6: a block TRICLINICBOX, which is not supported"},
        {"BOX\n3 3 3\n0 0 1\n0 1 1\nEND\n", "line 8: '0 0 1' after the line of numbers in the block BOX"},
        {"BOX\n3 3\n3\nEND\n", "line 7: the box has 2 numbers, expected 3 or 9"},
    };
    struct trj_frame f = {0};
    struct trj_error err;
    char text[256];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "GENBOX\n%sEND\n", good[i].text);
        bool same = read_blocks(text, 0, &f, &err) && f.cell.periodic == (good[i].h[0] > 0 ? 7 : 0);
        for (int k = 0; k < 9; k++) same = same && is_near(f.cell.h[k / 3][k % 3], good[i].h[k], 1e-12);
        ok(same, "%s: its cell", good[i].what);
    }
    ok(read_blocks("GENBOX\n-1\n2 2 2\n90 90 90\n0 0 0\nEND\n", 0, &f, &err) &&
           is_near(trj_cell_volume(&f.cell), 4000, 1e-9),
       "GENBOX of a truncated octahedron: half the volume of the cube");
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        ok(!read_blocks(damaged[i].text, 0, &f, &err) && err.status == TRJ_BAD_DATA &&
               has_text(err.text, damaged[i].message),
           "%s", damaged[i].message);
    ok(read_blocks(damaged[1].text, TRJ_CELL_GIVEN, &f, &err) && !f.cell.periodic,
       "Euler angles, and a cell that the user gives: no error");
    for (size_t i = 6; i < sizeof damaged / sizeof *damaged; i++)
        ok(read_blocks(damaged[i].text, TRJ_CELL_GIVEN, &f, &err) && !f.cell.periodic,
           "%s, and a cell that the user gives: no error", damaged[i].message);
    trj_frame_free(&f);
}

static void velocities(void) {
    struct trj_frame f = {0};
    struct trj_error err;
    const char *blocks = "VELOCITY\n    7 SOL   OW         1    0.100000000   -0.200000000    0.300000000\nEND\n";
    ok(read_blocks(blocks, TRJ_READ_VELOCITY, &f, &err) && trj_motion_has(f.motion) == TRJ_HAS_VELOCITY &&
           f.motion->unit == 10 && f.motion->velocity[1][0] == -0.2f,
       "velocities with names, in nm/ps");
    ok(read_blocks(blocks, 0, &f, &err) && !trj_motion_has(f.motion), "velocities that are not requested: not read");
    ok(!read_blocks("VELOCITYRED\n1 2 3\n1 2 3\nEND\n", TRJ_READ_VELOCITY, &f, &err) &&
           has_text(err.text, "line 8: more velocities than the 1 positions"),
       "more velocities than positions: %s", err.text);
    ok(!read_blocks("VELOCITYRED\n1 2 x\nEND\n", TRJ_READ_VELOCITY, &f, &err) &&
           has_text(err.text, "line 7: atom 0: 'x' where a velocity is expected"),
       "invalid velocity: %s", err.text);
    trj_frame_free(&f);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    topologies();
    boxes();
    velocities();
    check_values("gromos-g96", "g96", 17, 7);
    rmdir(folder);
    return done();
}
