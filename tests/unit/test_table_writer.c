// SPDX-License-Identifier: MIT
// Compares written tables with literal text, and checks that the first failure is kept.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table_writer.h"
#include "tap.h"

static void write_table(struct trj_output *out, struct trj_error *err) {
    static char first[] = "a 1: a", second[] = "b 1: b -x 'c d'";
    char *lines[] = {first, second, NULL};
    struct trj_table t = {.out = out, .err = err};
    trj_table_provenance(&t, lines, 1);
    trj_table_provenance(&t, lines, SIZE_MAX);
    trj_table_provenance(&t, NULL, 0);
    trj_table_comment(&t, "columns: %s", "an index; numbers");
    trj_table_name(&t, "frame");
    trj_table_names(&t, (const char *const[]){"x", "y", NULL});
    trj_table_name(&t, "g(%s:%s)", "A", "B");
    int rc = trj_table_end_row(&t);
    trj_table_count(&t, UINT64_MAX);
    trj_table_real(&t, 10, 1.0 / 3);
    trj_table_real(&t, 4, -2.0 / 3);
    trj_table_text(&t, "%d %s", -1, "one field");
    rc |= trj_table_end_row(&t);
    trj_table_real(&t, 10, -NAN);
    trj_table_real(&t, 10, INFINITY);
    trj_table_real(&t, 10, -0.0);
    trj_table_real(&t, 3, 1234567);
    rc |= trj_table_end_row(&t);
    const struct trj_table_column columns[] = {
        {"time", "time of the frame", "ps"}, {"x", "position", "Angstrom"}, {"y", NULL, NULL}, {"n", "number", NULL}};
    rc |= trj_table_columns(&t, columns, 4);
    ok(!rc && !trj_table_status(&t), "rows without a failure return 0");
}

int main(void) {
    struct trj_error err;
    struct trj_output *out = NULL;
    char path[] = "/tmp/test_table_writer.XXXXXX", text[512];
    int fd = mkstemp(path);
    if (fd < 0 || close(fd) || trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err)) return 1;
    write_table(out, &err);
    if (trj_output_commit(out, &err)) return 1;
    trj_output_close(out);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f) fclose(f);
    remove(path);
    ok(!strcmp(text, "# provenance: a 1: a\n# provenance: a 1: a\n# provenance: b 1: b -x 'c d'\n"
                     "# columns: an index; numbers\n# frame\tx\ty\tg(A:B)\n"
                     "18446744073709551615\t0.3333333333\t-0.6667\t-1 one field\nnan\tinf\t-0\t1.23e+06\n"
                     "# columns: time of the frame in ps; position in Angstrom; number\n# time\tx\ty\tn\n"),
       "comments, names and rows");

    out = NULL;
    if (trj_output_open(&out, "/dev/full", TRJ_OUTPUT_TEXT, &err)) return 1;
    struct trj_table t = {.out = out, .err = &err};
    for (int i = 0; i < 1 << 20 && !t.failed; i++) trj_table_count(&t, 1234567890);
    ok(t.failed && strstr(err.text, "/dev/full"), "a failed write sets the error");
    err.text[0] = 0;
    trj_table_comment(&t, "more");
    trj_table_real(&t, 10, 1);
    ok(trj_table_end_row(&t) == -1 && trj_table_status(&t) == -1 && !*err.text,
       "after a failure, rows fail without another write");
    trj_output_close(out);
    return done();
}
