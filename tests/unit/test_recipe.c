// SPDX-License-Identifier: MIT
// Tests the parts of recipes that need no tools: YAML, name suggestions, the stream splitter, provenance, staged
// outputs and messages.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "nearest_name.h"
#include "provenance.h"
#include "stage_process.h"
#include "staged_output.h"
#include "stream_splitter.h"
#include "tap.h"
#include "yaml_tree.h"

static int parse(struct trj_yaml *root, const char *text, struct trj_error *err) {
    return trj_yaml_parse(root, "r.yaml", text, strlen(text), err);
}

static void test_tree(void) {
    struct trj_error err;
    struct trj_yaml root;
    const char *text = "a: 1\n'b c': [x, {y: \"z\"}]\nd:\n";
    bool good = !parse(&root, text, &err) && root.kind == TRJ_YAML_MAP && root.count == 3;
    ok(good, "a map with a text, a list and a missing value");
    const struct trj_yaml *list = trj_yaml_find(&root, "b c");
    ok(list && list->kind == TRJ_YAML_LIST && list->count == 2 && list->line == 2 && list->column == 8,
       "a list with its line and column");
    ok(list && list->items[1].kind == TRJ_YAML_MAP && !strcmp(list->items[1].items[0].text, "z"),
       "a map as an item of a list");
    const struct trj_yaml *nothing = trj_yaml_find(&root, "d");
    ok(nothing && nothing->kind == TRJ_YAML_TEXT && !*nothing->text &&
           !strcmp(trj_yaml_kind_name(nothing), "nothing") && !trj_yaml_find(&root, "e"),
       "a missing value is an empty text, a missing key is NULL");
    trj_yaml_free(&root);
}

static void test_nothing(void) {
    struct trj_error err;
    struct trj_yaml root;
    bool good = !parse(&root, "[~, null, Null, NULL, '', '~', \"null\", nULL, nulls]", &err) && root.count == 9;
    for (size_t i = 0; good && i < 9; i++) good = (i < 5) == !*root.items[i].text;
    ok(good, "null is an empty text, unless it is in quotes");
    trj_yaml_free(&root);
}

static void test_rejected(void) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a: &x 1", "r.yaml:1:4: unsupported anchor &x;"},
        {"- a\n- *x\n", "r.yaml:2:3: unsupported alias *x;"},
        {"a: !t 1", "r.yaml:1:4: unsupported tag !t;"},
        {"a: 1\nb: 2\na: 3\n", "r.yaml:3:1: key 'a' is given twice; remove one"},
        {"[x]: 1", "r.yaml:1:1: a key is a list"},
        {"a: \"\\x01\"", "r.yaml:1:4: control character 0x01"},
        {"a: 1\n---\nb: 1\n", "r.yaml:2:1: second document"},
        {"~: 1", "r.yaml:1:1: a key is nothing, expected a text"},
        {"? ''\n: 1", "r.yaml:1:3: a key is nothing"},
        {"a: [1", "r.yaml:2:1: the list of line 1 is not closed here"},
        {"a: 'x", "r.yaml:1:4: the quote is not closed"},
        {"", "r.yaml:1:1: is empty"},
        {"a: \xff", "r.yaml: byte 3: "},
    };
    struct trj_error err;
    struct trj_yaml root;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rc = parse(&root, cases[i].text, &err);
        ok(rc == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, cases[i].message), "rejected: %s",
           cases[i].message);
        trj_yaml_free(&root);
    }
    char deep[2 * TRJ_YAML_DEEPEST + 3] = "";
    for (int n = TRJ_YAML_DEEPEST; n <= TRJ_YAML_DEEPEST + 1; n++) {
        memset(deep, '[', (size_t)n);
        memset(deep + n, ']', (size_t)n);
        deep[2 * n] = 0;
        int rc = parse(&root, deep, &err);
        ok(n == TRJ_YAML_DEEPEST ? rc == 0 : rc == -1 && has_text(err.text, "r.yaml:1:33: more than 32 levels"),
           "%d nested levels: %s", n, rc ? "rejected" : "accepted");
        trj_yaml_free(&root);
    }
}

static void test_names(void) {
    static const char *const names[] = {"bins", "block", "rmax", "rmin", "engine", NULL};
    ok(!strcmp(trj_nearest_name("bin", names), "bins") && !strcmp(trj_nearest_name("blokc", names), "block") &&
           !strcmp(trj_nearest_name("engin", names), "engine"),
       "suggestions for similar names");
    ok(!trj_nearest_name("threads", names) && !trj_nearest_name("x", names),
       "no suggestion for names that are not similar");
}

static void test_words(void) {
    static const char *const words[] = {"trjcat", "-g", "O=name OW and 'x'", "", "$HOME; `x`", "-", NULL};
    struct trj_bytes b = {0};
    struct trj_string_list got = {.texts = NULL};
    struct trj_error err;
    char version[64];
    trj_put_raw(&b, "trjcat 1.2: ", 12);
    for (int i = 0; words[i]; i++) {
        if (i) trj_put_raw(&b, " ", 1);
        trj_put_quoted(&b, words[i]);
    }
    trj_put_raw(&b, "", 1);
    bool good = !trj_provenance_split(&got, version, (char *)b.data, &err) && !strcmp(version, "1.2") && got.count == 6;
    for (size_t i = 0; good && i < 6; i++) good = !strcmp(got.texts[i], words[i]);
    ok(good, "a command of the provenance is split into its words");
    trj_string_list_free(&got);
    trj_bytes_free(&b);
    good = !trj_provenance_split(&got, version, "input xxh3:00 'a b'", &err) && !*version && got.count == 3 &&
           !strcmp(got.texts[2], "a b");
    ok(good, "an input line of the provenance is split into three words");
    trj_string_list_free(&got);
    ok(trj_provenance_split(&got, version, "made by hand", &err) == -1 && err.status == TRJ_BAD_DATA,
       "line of another form: rejected");
    trj_string_list_free(&got);
}

static char *write_file(const char *folder, const char *name, const char *text) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) perror(path);
    return path;
}

static void test_digest(const char *folder) {
    struct trj_error err;
    char digest[TRJ_DIGEST_ROOM];
    // The value in the XXH3 specification for empty input.
    ok(!trj_digest_file(digest, write_file(folder, "empty", ""), &err) &&
           !strcmp(digest, "xxh3:99aa06d3014798d86001c324468d497f"),
       "the digest of an empty file");
    ok(trj_digest_file(digest, "/dev/null", &err) == -1 && has_text(err.text, "/dev/null: is not a regular file"),
       "the digest of a device is an error");
    ok(trj_digest_file(digest, "/none/such", &err) == -1 && has_text(err.text, "/none/such: No such file"),
       "the digest of a missing file is an error");
}

static void test_staged_output(const char *folder) {
    struct trj_error err;
    struct trj_staged_output a;
    struct stat st;
    char path[256];
    snprintf(path, sizeof path, "%s/out.svg", folder);
    bool good = !trj_staged_output_open(&a, path, false, &err) && strstr(a.path, "/out.svg") && strcmp(a.path, path);
    ok(good, "the temporary path ends in the name of the output");
    write_file(a.folder, "out.svg", "x");
    write_file(a.folder, ".left", "x");
    trj_staged_output_close(&a);
    ok(stat(path, &st) && !trj_staged_output_open(&a, path, false, &err) && !stat(a.folder, &st),
       "without a commit, the output does not appear");
    char temporary[256];
    snprintf(temporary, sizeof temporary, "%s", a.folder);
    write_file(a.folder, "out.svg", "y");
    write_file(a.folder, ".left", "x");
    good = !trj_staged_output_commit(&a, &err) && !stat(path, &st) && st.st_size == 1;
    trj_staged_output_close(&a);
    ok(good && stat(temporary, &st),
       "after a commit, the output exists and the temporary folder is removed with its content");
    ok(trj_staged_output_open(&a, "/none/such/out", false, &err) == -1 &&
           has_text(err.text, "/none/such/out: cannot write into"),
       "a missing folder is an error");
    trj_staged_output_close(&a);
}

// A reader of a pipe that pauses after a number of bytes, or closes the pipe after a number of bytes.
struct reader {
    int fd;
    size_t pace, max, got;
    uint64_t sum;
    pthread_t thread;
};

static void *read_all(void *arg) {
    struct reader *r = arg;
    unsigned char chunk[4096];
    ssize_t n;
    while (r->got < r->max && (n = read(r->fd, chunk, r->pace < sizeof chunk ? r->pace : sizeof chunk)) > 0) {
        for (ssize_t i = 0; i < n; i++) r->sum = r->sum * 31 + chunk[i];
        r->got += (size_t)n;
    }
    close(r->fd);
    return NULL;
}

static void *write_all(void *arg) {
    int fd = *(int *)arg;
    unsigned char chunk[1000];
    for (size_t i = 0; i < 1000; i++) {
        for (size_t k = 0; k < sizeof chunk; k++) chunk[k] = (unsigned char)(i * 7 + k * 13);
        for (size_t at = 0; at < sizeof chunk;) {
            ssize_t n = write(fd, chunk + at, sizeof chunk - at);
            if (n < 0) break;
            at += (size_t)n;
        }
    }
    close(fd);
    return NULL;
}

static void test_splitter(void) {
    enum { READERS = 3, BYTES = 1000000 };
    struct reader readers[READERS] = {
        {.pace = 4096, .max = SIZE_MAX}, {.pace = 7, .max = SIZE_MAX}, {.pace = 100, .max = 5000}};
    struct trj_error err;
    struct trj_splitter *s = NULL;
    struct pollfd polls[READERS];
    int source[2], ends[2], to[READERS], rc = trj_pipe(source, 1, &err);
    uint64_t expected = 0;
    pthread_t writer;
    for (int i = 0; i < READERS && !rc; i++) {
        rc = trj_pipe(ends, 2, &err);
        readers[i].fd = ends[0];
        to[i] = ends[1];
    }
    if (!ok(!rc && !trj_splitter_open(&s, source[0], to, READERS, &err), "pipes")) return;
    pthread_create(&writer, NULL, write_all, &source[1]);
    for (int i = 0; i < READERS; i++) pthread_create(&readers[i].thread, NULL, read_all, &readers[i]);
    for (size_t n; (n = trj_splitter_poll(s, polls)) && !rc;) {
        poll(polls, (nfds_t)n, 1000);
        rc = trj_splitter_transfer(s, &err);
    }
    trj_splitter_close(s);
    pthread_join(writer, NULL);
    for (int i = 0; i < READERS; i++) pthread_join(readers[i].thread, NULL);
    for (size_t i = 0; i < 1000; i++)
        for (size_t k = 0; k < 1000; k++) expected = expected * 31 + (unsigned char)(i * 7 + k * 13);
    ok(!rc && readers[0].got == BYTES && readers[0].sum == expected, "a fast reader gets every byte");
    ok(readers[1].got == BYTES && readers[1].sum == expected, "a slow reader gets every byte");
    ok(readers[2].got >= 5000 && readers[2].got < BYTES, "a reader that closes its pipe does not affect the others");
}

static bool run_script(struct trj_process *p, const char *script) {
    struct trj_error err;
    char shell[] = "sh", option[] = "-c", text[128];
    char *const argv[] = {shell, option, text, NULL};
    snprintf(text, sizeof text, "%s", script);
    if (trj_process_start(p, "/bin/sh", argv, -1, -1, &err)) return false;
    while (!trj_process_reap(p)) {
        poll(&(struct pollfd){.fd = p->message_fd, .events = POLLIN}, 1, 10);
        trj_process_read_messages(p);
    }
    return !trj_process_failed(p);
}

static void test_flood(void) {
    struct trj_process p = {.message_fd = -1};
    bool good = run_script(&p, "seq -f '%050.0f' 1 20000 >&2; printf '%02000d\\n%0500d' 1 2 >&2");
    size_t lines = 0;
    for (size_t i = 0; i < p.messages_kept.size; i++) lines += p.messages_kept.data[i] == '\n';
    ok(good && p.messages_kept.size < TRJ_PROCESS_KEPT + TRJ_PROCESS_LINE + 5 && lines + p.left_out == 20002 &&
           strlen(p.last_line) == 500,
       "lines beyond the limit are counted, and the last one is kept");
    trj_bytes_free(&p.messages_kept);
    trj_bytes_free(&p.partial_line);
    p = (struct trj_process){.message_fd = -1};
    good = run_script(&p, "printf '%02000d\\n' 1 >&2") && p.messages_kept.size == TRJ_PROCESS_LINE - 1 + 5;
    ok(good && !memcmp(p.messages_kept.data + p.messages_kept.size - 5, " ...\n", 5),
       "a long line is shortened and ends in ' ...'");
    trj_bytes_free(&p.messages_kept);
    trj_bytes_free(&p.partial_line);
}

int main(void) {
    char folder[] = "/tmp/test_recipe.XXXXXX", command[64];
    if (!mkdtemp(folder)) return 1;
    signal(SIGPIPE, SIG_IGN);
    test_tree();
    test_nothing();
    test_rejected();
    test_names();
    test_words();
    test_digest(folder);
    test_staged_output(folder);
    test_splitter();
    test_flood();
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command)) return 1;
    return done();
}
