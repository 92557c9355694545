// SPDX-License-Identifier: MIT
// Derives the parser, --help, --options and the provenance from one table, so that they cannot contradict each other.
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "digest.h"
#include "failure.h"
#include "file_argument.h"
#include "libraries.h"
#include "memory.h"
#include "nearest_name.h"
#include "number.h"
#include "other_programs.h"
#include "output.h"
#include "progress_link.h"
#include "used_files.h"

static const char *tool_name = "trjpipe";
static const struct trj_tool *the_tool;

static const struct trj_option common[] = {
    {.heading = "General", .letter = 'h', .name = "help", .kind = TRJ_OPTION_PRINT, .help = "print this help"},
    {.name = "options", .kind = TRJ_OPTION_PRINT, .help = "print the options as tab-separated text, for programs"},
    {.letter = 'V',
     .name = "version",
     .kind = TRJ_OPTION_PRINT,
     .help = "print the version, the compiler and the libraries of this build"},
    TRJ_OPTION_END,
};

enum { MAX_OPTIONS = 128 }; // of a tool; twice as many as potmap has

// The options of the tool and the common ones, without entries that refer to tables.
static struct trj_option rows[MAX_OPTIONS];
static size_t row_count;

// Returns an option with what it has from the entry `parent`, which refers to its table; NULL: there is none.
static struct trj_option complete(const struct trj_option *o, const struct trj_option *parent) {
    struct trj_option row = *o;
    if (parent && !row.value) row.value = (char *)parent->value + row.offset;
    if (parent && !row.choices && (row.table || row.kind == TRJ_OPTION_CHOICE)) row.choices = parent->choices;
    if (parent && !row.subject) row.subject = parent->subject;
    if (row.choices_of) row.choices = row.choices_of();
    return row;
}

// Adds the options of a table, which the entry `parent` refers to; NULL: the table of the tool, or the common options.
static void add_rows(const struct trj_option *o, const struct trj_option *parent) {
    for (; o->name || o->table; o++) {
        const struct trj_option row = complete(o, parent);
        if (row.table)
            add_rows(row.table, &row);
        else if (row_count < MAX_OPTIONS)
            rows[row_count++] = row;
        else
            abort(); // a mistake in the program, which its first start shows
    }
}

void trj_tool_start(const struct trj_tool *tool) {
    tool_name = tool->name;
    the_tool = tool;
    row_count = 0;
    add_rows(tool->options, NULL);
    add_rows(common, NULL);
    trj_failure_start();
    trj_output_remove_on_signals();
    trj_used_files_start();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // write() then fails with EFBIG, and the error is reported
    signal(SIGCHLD, SIG_DFL); // if a parent process ignores SIGCHLD, waitpid() returns no status
    // A file that is opened later must not get the number of a closed standard stream. The streams are opened in the
    // wrong direction, so that reading or writing them is still an error.
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

// The tools of a pipeline share stderr. A line that is written in one call is not mixed with other lines.
__attribute__((format(printf, 1, 0))) static void print_message(const char *format, va_list args) {
    char line[1200];
    int n = snprintf(line, sizeof line, "%s: ", tool_name);
    vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    trj_replace_control_chars(line);
    size_t end = strlen(line);
    line[end++] = '\n';
    trj_tool_progress_end();
    if (write(STDERR_FILENO, line, end) < 0) return; // an error of stderr cannot be reported
}

static void (*muted)(void); // before the error of a muted tool

void trj_tool_mute(const char *name, void (*before_error)(void)) {
    tool_name = name;
    muted = before_error;
}

void trj_tool_message(const char *format, ...) {
    va_list args;
    if (muted) return;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

void trj_tool_print_line(const char *text) {
    if (*text) trj_tool_message("%s", text);
}

void trj_tool_print_note(const char *text) {
    if (*text) trj_tool_message("note: %s", text);
}

void trj_tool_print_line_of(void *unused, const char *text) {
    (void)unused;
    trj_tool_print_line(text);
}

void trj_tool_print_note_of(void *unused, const char *text) {
    (void)unused;
    trj_tool_print_note(text);
}

int trj_tool_fail(const struct trj_error *err) {
    const char *mark =
        err->origin ? TRJ_PROGRESS_MARK TRJ_PROGRESS_INPUT_FAILED "\n" : TRJ_PROGRESS_MARK TRJ_PROGRESS_LEFT "\n";
    if (muted) {
        void (*before_error)(void) = muted;
        muted = NULL;
        before_error();
        if (!err->quiet) trj_tool_message("%s", err->text);
        return (int)err->status;
    }
    if (!err->quiet)
        trj_tool_message("%s", err->text);
    else if (getenv("TRJPIPE_PROGRESS") && write(STDERR_FILENO, mark, strlen(mark)) < 0)
        return TRJ_FAILED;
    if ((err->quiet && !err->origin) || !the_tool || !the_tool->to_stdout || !the_tool->to_stdout())
        return (int)err->status;
    if (the_tool->stream)
        trj_failure_end_stream(the_tool->stream, tool_name, err);
    else
        trj_failure_end_table(tool_name, err);
    return (int)err->status;
}

double trj_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct {
    double began, last;
    bool on_screen, estimated; // estimated: the total is not exact
    const char *what;
    uint64_t done, total, shown;       // shown: the total that was shown last
    uint64_t reported, reported_total; // `done` and `total` at the last line for TRJPIPE_PROGRESS
} progress;

// Returns the total to show, 0: unknown. An estimate that the items exceed is wrong, and not shown.
static uint64_t choose_total(void) {
    uint64_t total = progress.total;
    if (progress.estimated && total)
        trj_progress_send(STDOUT_FILENO, progress.what, total);
    else if (progress.estimated)
        total = trj_progress_received(progress.what);
    return progress.shown = total < progress.done ? 0 : total;
}

void trj_tool_progress_from(int fd) {
    if (getenv("TRJPIPE_PROGRESS") || isatty(STDERR_FILENO)) trj_progress_listen(fd);
}

static void report_progress(void) {
    char line[96];
    uint64_t total = choose_total();
    int n = snprintf(line, sizeof line, TRJ_PROGRESS_MARK "%s %llu %llu\n", progress.what,
                     (unsigned long long)progress.done, (unsigned long long)total);
    progress.reported = progress.done;
    progress.reported_total = progress.total;
    if (write(STDERR_FILENO, line, (size_t)n) < 0 && errno == EPIPE) raise(SIGTERM); // the parent process has ended
}

void trj_tool_progress(const char *what, uint64_t done, uint64_t total) {
    double now = trj_seconds();
    if (muted) return;
    if (progress.began == 0) progress.began = progress.last = now;
    progress.what = what;
    progress.done = done;
    progress.total = total;
    if (getenv("TRJPIPE_PROGRESS") && (progress.reported == 0 || now - progress.last >= 0.1)) {
        progress.last = now;
        report_progress();
        return;
    }
    if (now - progress.began < 1 || now - progress.last < 0.1 || !isatty(STDERR_FILENO)) return;
    progress.last = now;
    progress.on_screen = true;
    char line[160], rest[64] = "";
    const char *about = progress.estimated ? "about " : "";
    uint64_t shown = choose_total();
    double rate = (double)done / (now - progress.began);
    if (shown && rate > 0)
        snprintf(rest, sizeof rest, " of %s%llu, %s%.0f s left", about, (unsigned long long)shown, about,
                 (double)(shown - done) / rate);
    int n = snprintf(line, sizeof line, "\r\033[K%s: %llu %s%s, %.1f/s", tool_name, (unsigned long long)done, what,
                     rest, rate);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0) return;
}

void trj_tool_progress_estimated(const char *what, uint64_t done, uint64_t total) {
    progress.estimated = true;
    trj_tool_progress(what, done, total);
}

// After success, replaces the estimate by the number of items, also for the program that reads the output.
static void settle_total(void) {
    if (!progress.estimated || !progress.shown) return;
    progress.total = progress.done;
    choose_total();
}

void trj_tool_progress_end(void) {
    bool changed = progress.done != progress.reported || progress.total != progress.reported_total;
    if (changed && getenv("TRJPIPE_PROGRESS")) report_progress();
    if (progress.on_screen && write(STDERR_FILENO, "\r\033[K", 4) > 0) progress.on_screen = false;
}

// Sets `text` to the default in --help; it is empty if there is none (tool.h).
static void default_text(const struct trj_option *o, char *text, size_t capacity) {
    text[0] = 0;
    if (!o->value) return; // --help, --options and --version set no variable
    switch (o->kind) {
    case TRJ_OPTION_COUNT:
        if (*(uint64_t *)o->value && *(uint64_t *)o->value != TRJ_OPTION_ABSENT)
            snprintf(text, capacity, "%llu", (unsigned long long)*(uint64_t *)o->value);
        break;
    case TRJ_OPTION_REAL:
        if (!isnan(*(double *)o->value)) snprintf(text, capacity, "%g", *(double *)o->value);
        break;
    case TRJ_OPTION_TEXT:
    case TRJ_OPTION_CHOICE:
        if (*(const char **)o->value) snprintf(text, capacity, "%s", *(const char **)o->value);
        break;
    case TRJ_OPTION_FLAG:
    case TRJ_OPTION_PRINT:
    case TRJ_OPTION_LIST:
        break;
    }
}

static void print_help_text(const struct trj_option *o) {
    const char *gap = o->subject ? strstr(o->help, "%s") : NULL;
    if (gap)
        printf("%.*s%s%s", (int)(gap - o->help), o->help, o->subject, gap + 2);
    else
        printf("%s", o->help);
}

static void print_help(const struct trj_tool *tool) {
    const char *heading = "";
    printf("usage: %s [OPTION]... %s\n%s\n%s", tool->name, tool->operands, tool->purpose, rows->heading ? "" : "\n");
    for (const struct trj_option *o = rows; o < rows + row_count; o++) {
        char left[64], value[64], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        default_text(o, value, sizeof value);
        if (o->heading && strcmp(o->heading, heading) != 0) printf("\n%s:\n", heading = o->heading);
        printf("%-30s ", left);
        print_help_text(o);
        printf("%s%s%s%s\n", o->kind == TRJ_OPTION_LIST ? "; may be repeated" : "", *value ? " (default: " : "", value,
               *value ? ")" : "");
        for (const struct trj_choice *c = o->choices; c && c->name; c++) printf("%34s%-14s %s\n", "", c->name, c->help);
    }
    bool stops = false;
    for (const struct trj_option *o = rows; o < rows + row_count; o++) stops = stops || !strcmp(o->name, "checkpoint");
    printf("\nExit status: 0 success, 1 failure, 2 usage, 3 invalid input, 4 engine or library not available%s.\n",
           stops ? ",\n5 ended by a signal, and can continue" : "");
}

static void print_version(const struct trj_tool *tool) {
#ifdef __clang__
    printf("%s %s (clang %d.%d.%d)\n", tool->name, TRJPIPE_VERSION, __clang_major__, __clang_minor__,
           __clang_patchlevel__);
#else
    printf("%s %s (gcc %d.%d.%d)\n", tool->name, TRJPIPE_VERSION, __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#define ROW(name) {#name, trj_version_of_##name},
    static const struct { const char *name, *(*version)(void); } library[] = {TRJ_LIBRARIES(ROW)};
#undef ROW
    const char *separator = "libraries: ";
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (library[i].version) {
            printf("%s%s %s", separator, library[i].name, library[i].version());
            separator = ", ";
        }
    printf("\n%s", tool->version ? tool->version(tool->engines) : "");
}

// Columns: letter, name, kind, argument, default, choices, help, range, carry, role.
static void print_table(void) {
    static const char *const kind[] = {"flag", "print", "count", "real", "text", "list", "choice"};
    static const char *const role[] = {"", "output", "series", "names", "shell", "tables"};
    for (const struct trj_option *o = rows; o < rows + row_count; o++) {
        char value[64];
        default_text(o, value, sizeof value);
        printf("%c\t%s\t%s\t%s\t%s\t", o->letter ? o->letter : '-', o->name, kind[o->kind], o->arg ? o->arg : "",
               value);
        for (const struct trj_choice *c = o->choices; c && c->name; c++)
            printf("%s%s", c == o->choices ? "" : ",", c->name);
        printf("\t");
        print_help_text(o);
        printf("\t");
        if (o->kind == TRJ_OPTION_COUNT) printf("%llu-%llu", (unsigned long long)o->min, (unsigned long long)o->max);
        printf("\t%s\t%s\n", o->carry ? o->carry : "", role[o->role]);
    }
}

enum { MAX_CHOICES = 64 };

static const char *nearest_choice(const struct trj_choice *choices, const char *text) {
    const char *names[MAX_CHOICES + 1], *here = trj_other_value(text);
    size_t n = 0;
    for (; n < MAX_CHOICES && choices[n].name; n++) {
        if (here && !strcmp(here, choices[n].name)) return here;
        names[n] = choices[n].name;
    }
    names[n] = NULL;
    return trj_nearest_name(text, names);
}

static int take_value(const struct trj_option *o, const char *text, struct trj_error *err) {
    switch (o->kind) {
    case TRJ_OPTION_FLAG:
    case TRJ_OPTION_PRINT:
        *(bool *)o->value = true;
        return 0;
    case TRJ_OPTION_COUNT: {
        uint64_t v;
        if (!trj_parse_u64(text, &v) || v < o->min || v > o->max)
            return trj_fail(err, TRJ_USAGE, "--%s: '%s' is not a whole number from %llu to %llu%s%s", o->name, text,
                            (unsigned long long)o->min, (unsigned long long)o->max, o->remedy ? "; " : "",
                            o->remedy ? o->remedy : "");
        *(uint64_t *)o->value = v;
        return 0;
    }
    case TRJ_OPTION_REAL:
        if (!trj_parse_real(text, o->value))
            return trj_fail(err, TRJ_USAGE, "--%s: '%s' is not a number", o->name, text);
        return 0;
    case TRJ_OPTION_TEXT:
        *(const char **)o->value = text;
        return 0;
    case TRJ_OPTION_LIST: {
        struct trj_text_list *list = o->value;
        size_t capacity = list->count; // reallocated for each element, because such lists are short
        if (trj_grow(&list->texts, &capacity, list->count + 1, sizeof *list->texts, "options", err)) return -1;
        list->texts[list->count++] = text;
        return 0;
    }
    case TRJ_OPTION_CHOICE: {
        char names[256] = "";
        for (const struct trj_choice *c = o->choices; c->name; c++) {
            if (!strcmp(c->name, text)) {
                *(const char **)o->value = c->name;
                return 0;
            }
            size_t n = strlen(names);
            snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", c->name);
        }
        const char *near = nearest_choice(o->choices, text);
        return trj_fail(err, TRJ_USAGE, "--%s: '%s' is not one of %s%s%s%s", o->name, text, names,
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    }
    return 0;
}

static int set_option(const struct trj_option *parent, const char *name, const char *text, struct trj_error *err) {
    for (const struct trj_option *o = parent->table; o->name || o->table; o++) {
        const struct trj_option row = complete(o, parent);
        int rc = 0;
        if (row.table)
            rc = set_option(&row, name, text, err);
        else if (!strcmp(row.name, name))
            rc = take_value(&row, text, err) ? -1 : 1;
        if (rc) return rc;
    }
    return 0;
}

int trj_option_set(const struct trj_option *table, void *values, const char *name, const char *text,
                   struct trj_error *err) {
    const struct trj_option parent = {.table = table, .value = values};
    return set_option(&parent, name, text, err);
}

// The value that getopt returns is the letter of an option or, if it has none, FIRST_LONG + its index.
enum { FIRST_LONG = 256 };

static int value_at(size_t i) {
    return rows[i].letter ? rows[i].letter : FIRST_LONG + (int)i;
}

static const struct trj_option *find(int value) {
    size_t i = 0;
    while (value_at(i) != value) i++; // getopt returns only values from build_getopt
    return &rows[i];
}

static int build_getopt(struct option **long_options, char **letters, struct trj_error *err) {
    size_t n = row_count;
    *long_options = trj_alloc(n + 1, sizeof **long_options, "options", err);
    *letters = *long_options ? trj_alloc(2 * n + 2, 1, "options", err) : NULL;
    if (!*letters) return -1;
    char *s = *letters;
    *s++ = ':'; // getopt then prints no messages, and returns ':' for a missing argument and '?' for an unknown option
    for (size_t i = 0; i < n; i++) {
        const struct trj_option *o = &rows[i];
        (*long_options)[i] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL, value_at(i)};
        if (o->letter) *s++ = o->letter;
        if (o->letter && o->arg) *s++ = ':';
    }
    return 0;
}

// Lists the options whose names begin with the n characters, as "--repeated, --reference". Returns their number.
static size_t list_options(const char *name, size_t n, char *text, size_t capacity) {
    size_t found = 0, length = 0;
    for (size_t i = 0; i < row_count; i++) {
        const char *other = rows[i].name;
        if (strncmp(other, name, n) != 0) continue;
        if (length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, "%s--%s", found ? ", " : "", other);
        found++;
    }
    return found;
}

static const char *nearest_option(const char *name) {
    const char *names[MAX_OPTIONS + 1];
    for (size_t i = 0; i < row_count; i++) names[i] = rows[i].name;
    names[row_count] = NULL;
    return trj_nearest_name(name, names);
}

// Sets the error for a long option, "--name" or "--name=value", that getopt does not accept.
static void fail_long_option(const struct trj_tool *tool, const char *word, struct trj_error *err) {
    char name[64], listed[256] = "";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    size_t found = list_options(name, strlen(name), listed, sizeof listed);
    const char *near = nearest_option(name), *other = trj_other_option(name);
    if (found > 1)
        trj_fail(err, TRJ_USAGE, "--%s: ambiguous: %s; give one of them", name, listed);
    else if (found)
        trj_fail(err, TRJ_USAGE, "%s: %s takes no argument", word, listed);
    else if (other)
        trj_fail(err, TRJ_USAGE, "--%s: unknown option; %s", name, other);
    else if (near)
        trj_fail(err, TRJ_USAGE, "--%s: unknown option; did you mean --%s?", name, near);
    else
        trj_fail(err, TRJ_USAGE, "--%s: unknown option; see %s --help", name, tool->name);
}

// Sets the error for an option that getopt does not accept: `word` is the argument before optind, `value` is optopt.
static void fail_option(const struct trj_tool *tool, const char *word, bool lacks_argument, int value,
                        struct trj_error *err) {
    bool is_long = !strncmp(word, "--", 2), known = value >= FIRST_LONG;
    if (!is_long && trj_other_option(word + 1)) {
        trj_fail(err, TRJ_USAGE, "%s: unknown option; %s", word, trj_other_option(word + 1));
        return;
    }
    // For "--name=value" of an option without an argument, optopt is the letter of that option.
    for (size_t i = 0; !known && is_long && i < row_count; i++) known = value_at(i) == value;
    if (lacks_argument && is_long)
        trj_fail(err, TRJ_USAGE, "%s: missing argument %s; see %s --help", word, find(value)->arg, tool->name);
    else if (lacks_argument)
        trj_fail(err, TRJ_USAGE, "-%c: missing argument %s; see %s --help", value, find(value)->arg, tool->name);
    else if (is_long && (!value || known))
        fail_long_option(tool, word, err);
    else if (trj_other_option((char[]){(char)value, 0}))
        trj_fail(err, TRJ_USAGE, "-%c: unknown option; %s", value, trj_other_option((char[]){(char)value, 0}));
    else
        trj_fail(err, TRJ_USAGE, "-%c: unknown option; see %s --help", value, tool->name);
}

int trj_tool_parse(const struct trj_tool *tool, int argc, char **argv, int *first, struct trj_error *err) {
    struct option *long_options = NULL;
    char *letters = NULL;
    int rc = -1, c;
    if (build_getopt(&long_options, &letters, err)) goto out;
    opterr = 0;
    bool prints = false;               // an option that prints information and needs no operand
    struct trj_error later, *to = err; // only the first error is reported
    while ((c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        if (c == '?' || c == ':') {
            // getopt proceeds to the next argument only after the last letter of this one.
            const char *next = argv[optind], *word = argv[optind - 1];
            if (next && next[0] == '-' && next[1] == optopt && next[2]) word = next;
            fail_option(tool, word, c == ':', optopt, to);
            to = &later;
            continue;
        }
        const struct trj_option *o = find(c);
        prints = prints || o->kind == TRJ_OPTION_PRINT;
        if (o->value) {
            const char *word = argv[optind - 1]; // -ref of another program is taken for -r with the value "ef"
            bool joined = optarg == word + 2 && *word == '-' && word[1] != '-';
            if (take_value(o, optarg, to)) {
                const char *other = joined ? trj_other_option(word + 1) : NULL;
                if (other) trj_fail(to, TRJ_USAGE, "%s: unknown option; %s", word, other);
                to = &later;
            }
            continue;
        }
        if (to == &later) continue;
        if (o->name[0] == 'h') print_help(tool); // an option that all tools have
        if (o->name[0] == 'o') print_table();
        if (o->name[0] == 'v') print_version(tool);
        rc = fflush(stdout) || ferror(stdout) ? trj_fail_errno(err, "stdout") : 0;
        goto out;
    }
    if (to == &later) goto out;
    *first = optind;
    size_t operands = (size_t)(argc - optind);
    if ((operands < tool->min_operands && !prints) || operands > tool->max_operands) {
        trj_fail(err, TRJ_USAGE, "%s; usage: %s [OPTION]... %s",
                 operands < tool->min_operands ? "no input file given" : "too many operands", tool->name,
                 tool->operands);
        goto out;
    }
    rc = 1;
out:
    free(long_options);
    free(letters);
    return rc;
}

void trj_put_quoted(struct trj_bytes *b, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    bool quote = !*word || word[strspn(word, plain)];
    if (quote) trj_put_raw(b, "'", 1);
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            trj_put_raw(b, "'\\''", 4);
        else
            trj_put_raw(b, *p == '\n' || *p == '\r' ? " " : p, 1); // provenance consists of lines
    }
    if (quote) trj_put_raw(b, "'", 1);
}

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

bool trj_tool_digest;

// Appends the line in `b` to the list of *count lines, which takes over its memory.
static int add_line(char ***lines, size_t *count, struct trj_bytes *b, struct trj_error *err) {
    size_t capacity = *count;
    trj_put_raw(b, "", 1);
    if (b->failed) {
        trj_bytes_free(b);
        return trj_fail_memory(err, (double)b->size, "the provenance");
    }
    if (trj_grow(lines, &capacity, *count + 2, sizeof **lines, "the provenance", err)) {
        trj_bytes_free(b);
        return -1;
    }
    (*lines)[(*count)++] = (char *)b->data;
    (*lines)[*count] = NULL;
    return 0;
}

static int add_input(char ***lines, size_t *count, const char *path, struct trj_error *err) {
    char digest[TRJ_DIGEST_ROOM];
    struct trj_bytes b = {0};
    struct stat st;
    if (!trj_tool_digest || (!stat(path, &st) && !S_ISREG(st.st_mode)) || !strcmp(path, "-")) return 0;
    if (trj_digest_file(digest, path, err)) return -1;
    put(&b, "input ");
    put(&b, digest);
    put(&b, " ");
    trj_put_quoted(&b, path);
    return add_line(lines, count, &b, err);
}

static int add_operand(const struct trj_tool *tool, char ***lines, size_t *count, const char *operand, size_t number,
                       struct trj_error *err) {
    char *path = NULL;
    if (!tool->operand_file) return add_input(lines, count, operand, err);
    int rc = tool->operand_file(&path, operand, number, err);
    if (path) rc = add_input(lines, count, path, err);
    free(path);
    return rc;
}

bool trj_tool_option_recorded(const char *option, const char *argument) {
    static const char *const unrecorded[] = {"output", "threads", "mpi", "divide", "hosts", "checkpoint"};
    for (size_t i = 0; i < sizeof unrecorded / sizeof *unrecorded; i++)
        if (!strcmp(option, unrecorded[i])) return false;
    // A time such as 10m is that between checkpoints; a number is one of frames.
    return strcmp(option, "every") != 0 ||
           (argument && *argument && strchr("0123456789", argument[strlen(argument) - 1]));
}

const char *trj_tool_recorded_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_output(const struct trj_option *o) {
    return o->role == TRJ_ROLE_OUTPUT || o->role == TRJ_ROLE_SERIES || o->role == TRJ_ROLE_NAMES;
}

// The words of a command line that was parsed before without an error.
struct command_words {
    const struct trj_tool *tool;
    int argc;
    char **argv;
    struct option *long_options;
    char *letters;
};

// Returns the next option, and sets optarg, or NULL after the last one. optind must be 1 before the first one.
static const struct trj_option *next_option(const struct command_words *w) {
    int c = getopt_long(w->argc, w->argv, w->letters, w->long_options, NULL);
    return c == -1 ? NULL : find(c);
}

// Appends the command line. `full`: as the provenance has it; otherwise only what affects the counts and sums: without
// the choice of the engine, too.
static void put_command(struct trj_bytes *b, const struct command_words *w, bool full) {
    const struct trj_option *o;
    put(b, w->tool->name);
    put(b, " " TRJPIPE_VERSION ": ");
    put(b, w->tool->name);
    optind = 1; // getopt has moved the operands to the end of argv
    while ((o = next_option(w))) {
        char letter[] = {'-', o->letter, 0};
        if (!trj_tool_option_recorded(o->name, optarg)) continue;
        if (!full && (!strcmp(o->name, "engine") || !strcmp(o->name, "devices") || !strcmp(o->name, "stats"))) continue;
        put(b, o->letter ? " " : " --");
        put(b, o->letter ? letter : o->name);
        if (!o->arg) continue;
        put(b, " ");
        trj_put_quoted(b, is_output(o) ? trj_tool_recorded_name(optarg) : optarg);
    }
    if (!strcmp(w->argv[optind - 1], "--")) put(b, " --"); // operands can begin with a hyphen
    for (int i = optind; i < w->argc; i++) {
        put(b, " ");
        trj_put_quoted(b, w->argv[i]);
    }
}

// Appends lines with the digests of the files that options read; unless `full`, not of the stream, as for operands.
static int add_option_files(const struct command_words *w, bool full, char ***lines, size_t *count,
                            struct trj_error *err) {
    const struct trj_option *o;
    int rc = 0;
    optind = 1;
    while (!rc && (o = next_option(w))) {
        char *path = NULL;
        if (!full && !strcmp(o->name, "input")) continue;
        if (o->arg && w->tool->operand_file && !strcmp(o->arg, "EXPRESSION"))
            rc = w->tool->operand_file(&path, optarg, SIZE_MAX, err);
        else if (o->arg && !is_output(o))
            rc = trj_file_argument_path(&path, o->arg, optarg, err);
        if (path) rc = add_input(lines, count, path, err);
        free(path);
    }
    return rc;
}

static char **make_provenance(struct command_words *w, bool full, struct trj_error *err) {
    char **lines = NULL;
    size_t count = 0;
    struct trj_bytes b = {0};
    int rc = build_getopt(&w->long_options, &w->letters, err);
    if (!rc) {
        put_command(&b, w, full);
        rc = add_line(&lines, &count, &b, err);
    }
    if (!rc) rc = add_option_files(w, full, &lines, &count, err);
    for (int i = optind; !rc && i < w->argc && (full || w->tool->operand_file); i++)
        rc = add_operand(w->tool, &lines, &count, w->argv[i], (size_t)(i - optind), err);
    free(w->long_options);
    free(w->letters);
    if (!rc) return lines;
    trj_text_array_free(lines);
    return NULL;
}

// The command line of trj_tool_main.
static struct {
    int argc;
    char **argv, **provenance; // provenance: NULL before it is needed
} command;

char **trj_tool_provenance(struct trj_error *err) {
    struct command_words words = {.tool = the_tool, .argc = command.argc, .argv = command.argv};
    if (!command.provenance) command.provenance = make_provenance(&words, true, err);
    return command.provenance;
}

char **trj_tool_computation(struct trj_error *err) {
    struct command_words words = {.tool = the_tool, .argc = command.argc, .argv = command.argv};
    bool digest = trj_tool_digest;
    trj_tool_digest = true;
    char **lines = make_provenance(&words, false, err);
    trj_tool_digest = digest;
    return lines;
}

int trj_tool_main(const struct trj_tool *tool, int argc, char **argv,
                  int (*run)(void *state, char **operands, int count, struct trj_error *err),
                  void (*close)(void *state), void *state) {
    struct trj_error err;
    int first, rc;
    trj_tool_start(tool);
    command.argc = argc;
    command.argv = argv;
    rc = trj_tool_parse(tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(state, argv + first, argc - first, &err);
    if (!rc) settle_total();
    trj_tool_progress_end();
    close(state);
    trj_text_array_free(command.provenance);
    return rc < 0 ? trj_tool_fail(&err) : rc;
}
