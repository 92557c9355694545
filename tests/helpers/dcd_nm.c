// SPDX-License-Identifier: MIT
// Reads a DCD whose numbers are nm and writes a frame stream that says so: `dcd_nm < nm.dcd | trjcat -g ... -`.
#include <stdlib.h>

#include "frame_stream.h"
#include "grouping.h"
#include "output.h"
#include "reader.h"
#include "tool.h"

static const struct trj_option options[] = {TRJ_OPTION_END};
static const struct trj_tool tool = {
    .name = "dcd_nm", .purpose = "write a DCD in nm as a frame stream", .operands = "", .options = options};

static int copy(struct trj_reader *in, struct trj_output *out, struct trj_error *err) {
    struct trj_stream_header h = {0};
    struct trj_stream_writer *w = NULL;
    struct trj_frame f = {0};
    uint32_t *travel = NULL;
    int rc = trj_grouping_make(&h, &travel, in->atoms, NULL, 0, NULL, NULL, err);
    if (!rc) rc = trj_stream_header_add_source(&h, "nm", in->fingerprint, err);
    if (!rc) rc = trj_stream_writer_open(&w, out, &h, 0, err);
    while (!rc) {
        int got = trj_reader_read(in, &f, err);
        if (got <= 0) {
            rc = got;
            break;
        }
        f.unit = 10;
        for (int i = 0; i < 9; i++) f.cell.h[i / 3][i % 3] *= 10;
        rc = trj_stream_write(w, &f, err);
    }
    if (!rc) rc = trj_stream_writer_finish(w, err);
    trj_stream_writer_close(w);
    trj_stream_header_free(&h);
    trj_frame_free(&f);
    free(travel);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct trj_output *out = NULL;
    struct trj_reader *in = NULL;
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    if (rc > 0) rc = trj_output_open(&out, NULL, TRJ_OUTPUT_BINARY, &err);
    if (!rc) rc = trj_reader_open(&in, "-", &err);
    if (!rc) rc = copy(in, out, &err);
    if (!rc) rc = trj_output_commit(out, &err);
    trj_reader_close(in);
    trj_output_close(out);
    return rc ? trj_tool_fail(&err) : 0;
}
