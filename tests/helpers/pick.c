// SPDX-License-Identifier: MIT
// Evaluates selections in one frame: `pick TOPOLOGY TRAJECTORY FRAME`. It reads one selection per line from standard
// input, and prints a line with the selected atoms, or "! " and the message.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "reader.h"
#include "select.h"
#include "tool.h"

static const struct trj_option options[] = {TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "pick",
                                     .purpose = "print the atoms of selections",
                                     .operands = "TOPOLOGY TRAJECTORY FRAME",
                                     .min_operands = 3,
                                     .max_operands = 3,
                                     .options = options};

static void print_atoms(const char *expression, const struct trj_selection_scope *scope, const struct trj_frame *f) {
    struct trj_error err = {.text = ""};
    struct trj_selection *sel = NULL;
    uint32_t *atoms = NULL;
    size_t n = 0;
    if (trj_selection_parse(&sel, expression, scope, &err) || trj_selection_atoms(sel, f, &atoms, &n, &err))
        printf("! %s", err.text);
    for (size_t i = 0; i < n; i++) printf("%s%u", i ? " " : "", atoms[i]);
    putchar('\n');
    free(atoms);
    trj_selection_free(sel);
}

static int run(char **operand, struct trj_error *err) {
    struct trj_topology *top = NULL;
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    uint64_t skip, passed;
    int rc = -1;
    char line[4096];
    if (!trj_parse_u64(operand[2], &skip)) return trj_fail(err, TRJ_USAGE, "'%s' is not a frame number", operand[2]);
    if (trj_topology_open(&top, operand[0], err) || trj_reader_open_as(&r, operand[1], NULL, top->atoms, err) ||
        (skip && trj_reader_advance(r, skip, &passed, err)) || trj_reader_read(r, &f, err) != 1)
        goto out;
    const struct trj_selection_scope scope = {.top = top, .atoms = f.atoms};
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        print_atoms(line, &scope, &f);
    }
    rc = 0;
out:
    trj_reader_close(r);
    trj_topology_close(top);
    trj_frame_free(&f);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err = {.text = ""};
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    if (rc > 0) rc = run(argv + first, &err);
    return rc < 0 ? trj_tool_fail(&err) : fflush(stdout) != 0;
}
