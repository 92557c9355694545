// SPDX-License-Identifier: MIT
// Passes the failure of one program through a pipe, so that the first cause is printed once and not by every later
// program.
#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common_blocks.h"
#include "output.h"

// The stages of a pipeline start within seconds of one another. A FAIL block that was written more than this before the
// start of this process comes from a file, as in `cat old.rdfh | rdfnorm`; its message must then be printed again.
enum { MAX_START_DELAY = 10 };

static int64_t started;

void trj_failure_start(void) {
    started = (int64_t)time(NULL);
}

// Returns the message of an error. If another program has reported it, copies the name of that program to `tool`.
static const char *message_of(const struct trj_error *err, char *tool, size_t capacity) {
    const char *colon = err->origin ? strstr(err->text, ": ") : NULL;
    if (!colon) return err->text;
    snprintf(tool, capacity, "%.*s", (int)(colon - err->text), err->text);
    return colon + 2;
}

void trj_failure_end_stream(const struct trj_stream_kind *kind, const char *tool, const struct trj_error *err) {
    char name[64];
    struct trj_output *out = NULL;
    struct trj_block_writer *w = NULL;
    struct trj_bytes b = {0};
    struct trj_error ignored; // an earlier error is being reported; this one cannot be
    snprintf(name, sizeof name, "%s", tool);
    const char *message = message_of(err, name, sizeof name);
    trj_put_text(&b, name);
    trj_put_u32(&b, err->origin ? (uint32_t)err->origin : (uint32_t)err->status);
    trj_put_i64(&b, (int64_t)time(NULL));
    trj_put_text(&b, message);
    if (!trj_output_open(&out, NULL, TRJ_OUTPUT_BINARY, &ignored) &&
        !trj_block_writer_resume(&w, out, kind, &ignored) && !trj_block_write(w, "FAIL", true, &b, &ignored))
        (void)trj_output_commit(out, &ignored);
    trj_block_writer_close(w);
    trj_output_close(out);
    trj_bytes_free(&b);
}

void trj_failure_end_table(const char *tool, const struct trj_error *err) {
    struct stat st;
    char line[sizeof err->text + 80];
    if (fstat(STDOUT_FILENO, &st) || !S_ISFIFO(st.st_mode)) return;
    snprintf(line, sizeof line - 1, TRJ_FAILURE_MARK "%s%s%s", err->origin ? "" : tool, err->origin ? "" : ": ",
             err->text);
    trj_replace_control_chars(line);
    size_t n = strlen(line);
    line[n++] = '\n';
    while (write(STDOUT_FILENO, line, n) < 0 && errno == EINTR) continue;
}

// Sets the error for a recorded failure with the text "tool: message". `quiet`: that tool has already reported it.
static int set_recorded(const char *text, uint32_t status, bool quiet, const char *what, struct trj_error *err) {
    static const char remedy[] = "; run it again";
    size_t n = strlen(text), k = sizeof remedy - 1;
    bool has_remedy = n > k && !strcmp(text + n - k, remedy);
    if (!quiet)
        return trj_fail(err, TRJ_BAD_DATA, "the program that wrote this %s failed: %s%s", what, text,
                        has_remedy ? "" : remedy);
    trj_error_set(err, TRJ_BAD_DATA, "%s", text);
    err->quiet = true;
    err->origin = status >= TRJ_FAILED && status <= TRJ_STOPPED ? (enum trj_status)status : TRJ_FAILED;
    return trj_failed();
}

int trj_failure_read(struct trj_block *block, const struct trj_input *in, struct trj_error *err) {
    char text[sizeof err->text];
    struct trj_cursor *c = &block->payload;
    char *tool = NULL, *message = NULL;
    int rc = trj_get_text(c, &tool, err);
    uint32_t status = trj_get_u32(c);
    int64_t when = trj_get_i64(c);
    if (!rc) rc = trj_get_text(c, &message, err);
    if (!rc) {
        snprintf(text, sizeof text, "%.60s: %s", tool, message);
        rc = set_recorded(text, status, trj_input_has_writer(in) && when >= started - MAX_START_DELAY, "stream", err);
    } else if (c->failed) {
        rc = trj_fail(err, TRJ_BAD_DATA, "block FAIL at byte %llu: invalid content: stream damaged; create it again",
                      (unsigned long long)block->offset);
    }
    free(tool);
    free(message);
    return rc;
}

int trj_failure_read_line(const char *line, const struct trj_input *in, struct trj_error *err) {
    return set_recorded(line + strlen(TRJ_FAILURE_MARK), TRJ_FAILED, trj_input_has_writer(in), "table", err);
}
