// SPDX-License-Identifier: MIT
// Reads the options of each tool from `TOOL --options`, so that recipes need no second list of options.
#include "known_tools.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "memory.h"
#include "missing_file.h"
#include "nearest_name.h"
#include "number.h"

extern char **environ;

const char *const trj_tool_names[] = {TRJPIPE_TOOLS NULL}; // lib/recipe/recipe.mk
enum { TOOLS = sizeof trj_tool_names / sizeof *trj_tool_names - 1 };

// What the tools exchange. Options decide which of several kinds a tool writes.
enum { FRAMES = 1, HISTOGRAMS = 2, MAPS = 4, TABLES = 8, FIGURES = 16, MESHES = 32, ATOMS = 64, WAVES = 128 };

static const struct {
    const char *tool;
    unsigned reads, writes;
    const char *written;
} flows[] = {
    {"trjcat", FRAMES | ATOMS, FRAMES, "a frame stream or a trajectory"},
    {"trjstat", FRAMES, TABLES, "a table"},
    {"trjcorr", FRAMES, TABLES, "a table"},
    {"rdfhist", FRAMES, HISTOGRAMS, "a histogram stream"},
    {"skhist", FRAMES, HISTOGRAMS, "a histogram stream"},
    {"rdfnorm", HISTOGRAMS, TABLES, "a table"},
    {"rdfderive", HISTOGRAMS | TABLES, TABLES, "a table"},
    {"rdfcmp", HISTOGRAMS | TABLES, TABLES, "a table"},
    {"rdfplot", TABLES, FIGURES, "a figure"},
    {"densmap", FRAMES, MAPS, "a map"},
    {"ligmap", FRAMES, MAPS, "a map"},
    {"potmap", FRAMES, MAPS | TABLES, "a map or a table"},
    {"orbmap", WAVES, MAPS | TABLES, "a map or a table"},
    {"mapcc", FRAMES, TABLES, "a table"},
    {"mapsum", MAPS, MAPS, "a map"},
    {"mapmath", MAPS, MAPS | TABLES, "a map or a profile"},
    {"mapconv", MAPS, MAPS, "a map"},
    {"surf", MAPS, MESHES | TABLES, "a mesh or a table"},
    {"ionplace", MAPS, ATOMS | TABLES, "positions of ions"},
};

enum { LONGEST = 1 << 20 }; // bytes read of the output of a tool

// Returns whether access() has failed because a folder of PATH contains no such program.
static bool is_skipped(void) {
    return trj_file_is_missing() || errno == EACCES || errno == ELOOP || errno == ENAMETOOLONG;
}

// Sets *found to "FOLDER/NAME", which the caller frees, and returns 1 if it is executable. Otherwise returns 0, or -1.
static int executable_in(char **found, const char *folder, size_t length, const char *name, struct trj_error *err) {
    size_t capacity = length + strlen(name) + 2;
    char *path = trj_alloc(capacity, 1, "a path", err);
    if (!path) return -1;
    snprintf(path, capacity, "%.*s/%s", (int)length, folder, name);
    if (!access(path, X_OK)) {
        *found = path;
        return 1;
    }
    int rc = is_skipped() ? 0 : trj_fail_errno(err, "tool %s: %s", name, path);
    free(path);
    return rc;
}

char *trj_find_executable(const char *name, struct trj_error *err) {
    char own[4096], *found = NULL;
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n < 0 && !is_skipped()) return trj_fail_errno(err, "tool %s: the folder of trjrun", name), NULL;
    own[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(own, '/'), *list = getenv("PATH");
    int got = slash ? executable_in(&found, own, (size_t)(slash - own), name, err) : 0;
    for (const char *p = list ? list : "/usr/bin:/bin"; !got && *p;) {
        size_t length = strcspn(p, ":");
        got = length ? executable_in(&found, p, length, name, err) : executable_in(&found, ".", 1, name, err);
        p += length + (p[length] == ':');
    }
    if (!got)
        trj_fail(err, TRJ_FAILED, "tool %s: neither in the folder of trjrun nor in PATH; install it, or set PATH",
                 name);
    return found;
}

// Starts the tool. It reads nothing, and writes to the second end of the pipe. Returns 0 or the number of an error.
static int start_tool(pid_t *child, const char *path, char *const argv[], const int ends[2]) {
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc) return rc;
    rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!rc) rc = posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (!rc) rc = posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (!rc) rc = posix_spawn(child, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

// Runs the tool with one option and collects its output.
static int run_with_option(struct trj_bytes *output, const struct trj_known_tool *tool, const char *option,
                           struct trj_error *err) {
    char *name = trj_copy_text(tool->name, err), *word = trj_copy_text(option, err);
    char *const argv[] = {name, word, NULL};
    char buffer[4096];
    int ends[2], status, rc = -1;
    pid_t child;
    ssize_t n = 0;
    if (!name || !word) goto out;
    if (pipe(ends)) {
        trj_fail_errno(err, "a pipe");
        goto out;
    }
    int failed = start_tool(&child, tool->path, argv, ends);
    close(ends[1]);
    while (!failed && output->size < LONGEST && (n = read(ends[0], buffer, sizeof buffer)) > 0)
        trj_put_raw(output, buffer, (size_t)n);
    close(ends[0]);
    trj_put_raw(output, "", 1);
    if (failed)
        trj_fail(err, TRJ_FAILED, "tool %s: cannot run %s: %s", tool->name, tool->path, strerror(failed));
    else if (waitpid(child, &status, 0) < 0 || n < 0)
        trj_fail_errno(err, "tool %s", tool->name);
    else if (!WIFEXITED(status) || WEXITSTATUS(status))
        trj_fail(err, TRJ_FAILED, "tool %s: '%s %s' failed; install all tools from one version", tool->name, tool->path,
                 option);
    else if (output->failed)
        trj_fail_memory(err, (double)output->size, "the output of a tool");
    else
        rc = 0;
out:
    free(name);
    free(word);
    return rc;
}

// Returns the text up to the next `mark` or the end, and moves *line after it.
static char *cut(char **line, char mark) {
    char *start = *line, *end = start + strcspn(start, (char[]){mark, 0});
    *line = *end ? end + 1 : end;
    *end = 0;
    return start;
}

// Returns whether trjrun itself gives this option.
static bool is_given_by_trjrun(const char *name) {
    static const char *const names[] = {"output", "digest"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

static int add_option(struct trj_known_tool *tool, char *line, struct trj_error *err) {
    static const char *const kinds[] = {"flag", "print", "count", "real", "text", "list", "choice"};
    enum { LETTER, NAME, KIND, ARGUMENT, DEFAULT, CHOICES, HELP, RANGE, CARRY, ROLE, FIELDS };
    char *field[FIELDS], *high;
    struct trj_known_option o = {.letter = line[0]};
    size_t capacity = tool->option_count, kind = 0;
    for (size_t i = 0; i < FIELDS; i++) field[i] = cut(&line, '\t');
    while (kind < sizeof kinds / sizeof *kinds && strcmp(kinds[kind], field[KIND])) kind++;
    o.kind = (enum trj_option_kind)kind;
    high = field[RANGE];
    if (!*field[NAME] || kind > TRJ_OPTION_CHOICE ||
        (kind == TRJ_OPTION_COUNT && (!trj_parse_u64(cut(&high, '-'), &o.min) || !trj_parse_u64(high, &o.max))))
        return trj_fail(err, TRJ_FAILED, "tool %s: unexpected output of --options; install all tools from one version",
                        tool->name);
    if (!strcmp(field[NAME], "digest")) tool->has_digest = true;
    if (!strcmp(field[ROLE], "names")) tool->writes_names = true;
    if (!strcmp(field[ROLE], "series") || tool->writes_names) tool->writes_series = true;
    if (kind == TRJ_OPTION_PRINT || is_given_by_trjrun(field[NAME]) || !strcmp(field[ROLE], "shell")) return 0;
    o.output = !strcmp(field[ROLE], "output");
    struct trj_known_option *to = strcmp(field[ROLE], "tables") ? &tool->input : &tool->tables;
    if (to == &tool->input && strcmp(field[NAME], "input") != 0) {
        if (trj_grow(&tool->options, &capacity, capacity + 1, sizeof *tool->options, "options", err)) return -1;
        to = &tool->options[tool->option_count++];
    }
    *to = o;
    if (!(to->name = trj_copy_text(field[NAME], err))) return -1;
    if (!(to->argument = trj_copy_text(field[ARGUMENT], err))) return -1;
    if (!(to->standard = trj_copy_text(field[DEFAULT], err))) return -1;
    if (!(to->choices = trj_copy_text(field[CHOICES], err))) return -1;
    if (!(to->help = trj_copy_text(field[HELP], err))) return -1;
    return (to->carry = trj_copy_text(field[CARRY], err)) ? 0 : -1;
}

// Reads "usage: trjcat [OPTION]... FILE..." and the purpose, which is the second line.
static int read_help(struct trj_known_tool *tool, char *help, struct trj_error *err) {
    char *usage = cut(&help, '\n'), *operands = strstr(usage, "... ");
    if (!operands)
        return trj_fail(err, TRJ_FAILED,
                        "tool %s: no usage line in the output of --help; install all tools from one version",
                        tool->name);
    operands += strlen("... ");
    bool pair = *operands != '[' && strchr(operands, ' '); // "FILE REFERENCE"
    tool->min = pair ? 2 : *operands != '[';
    tool->max = strstr(operands, "...") ? SIZE_MAX : pair ? 2 : 1;
    tool->purpose = trj_copy_text(cut(&help, '\n'), err);
    return tool->purpose ? 0 : -1;
}

static int read_options(struct trj_known_tool *tool, struct trj_error *err) {
    struct trj_bytes help = {0}, version = {0}, options = {0};
    int rc = -1;
    if (!(tool->path = trj_find_executable(tool->name, err))) return -1;
    if (run_with_option(&help, tool, "--help", err) || run_with_option(&version, tool, "--version", err) ||
        run_with_option(&options, tool, "--options", err) || read_help(tool, (char *)help.data, err))
        goto out;
    char *words = (char *)version.data, *lines = (char *)options.data;
    cut(&words, ' ');
    if (!(tool->version = trj_copy_text(cut(&words, ' '), err))) goto out;
    while (*lines)
        if (add_option(tool, cut(&lines, '\n'), err)) goto out;
    if (tool->input.name) {
        tool->min = 0;
        tool->max = 1;
    }
    rc = 0;
out:
    trj_bytes_free(&help);
    trj_bytes_free(&version);
    trj_bytes_free(&options);
    return rc;
}

static void list_tools(char *text, size_t capacity) {
    text[0] = 0;
    for (size_t i = 0, n = 0; i < TOOLS && n < capacity; i++)
        n += (size_t)snprintf(text + n, capacity - n, "%s%s", i ? ", " : "", trj_tool_names[i]);
}

const struct trj_known_tool *trj_known_tool_find(struct trj_known_tools *known, const char *name,
                                                 struct trj_error *err) {
    size_t i = 0;
    if (!known->tools && !(known->tools = trj_alloc(TOOLS, sizeof *known->tools, "tools", err))) return NULL;
    while (i < TOOLS && strcmp(trj_tool_names[i], name)) i++;
    if (i == TOOLS) {
        char list[256];
        const char *near = trj_nearest_name(name, trj_tool_names);
        list_tools(list, sizeof list);
        trj_fail(err, TRJ_BAD_DATA, "unknown tool '%s'%s%s%s (tools: %s)", name, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "", list);
        return NULL;
    }
    struct trj_known_tool *tool = &known->tools[i];
    tool->name = trj_tool_names[i];
    return tool->version || !read_options(tool, err) ? tool : NULL;
}

static void free_option(struct trj_known_option *o) {
    free(o->name);
    free(o->argument);
    free(o->standard);
    free(o->choices);
    free(o->help);
    free(o->carry);
}

void trj_known_tools_free(struct trj_known_tools *known) {
    for (size_t i = 0; known->tools && i < TOOLS; i++) {
        struct trj_known_tool *t = &known->tools[i];
        for (size_t k = 0; k < t->option_count; k++) free_option(&t->options[k]);
        free_option(&t->input);
        free_option(&t->tables);
        free(t->options);
        free(t->path);
        free(t->version);
        free(t->purpose);
    }
    free(known->tools);
    known->tools = NULL;
}

static size_t find_flow(const char *tool) {
    size_t i = 0;
    while (i < sizeof flows / sizeof *flows && strcmp(flows[i].tool, tool) != 0) i++;
    return i;
}

bool trj_known_tools_fit(const struct trj_known_tool *reader, const struct trj_known_tool *writer,
                         const char **written) {
    const size_t from = find_flow(writer->name), to = find_flow(reader->name), n = sizeof flows / sizeof *flows;
    if (reader == writer && reader->tables.name) return true;
    if (from == n || to == n || flows[from].writes & flows[to].reads) return true;
    *written = flows[from].written;
    return false;
}

bool trj_known_tool_reads_frames(const struct trj_known_tool *tool) {
    const size_t i = find_flow(tool->name);
    return i < sizeof flows / sizeof *flows && flows[i].reads & FRAMES;
}

const struct trj_known_option *trj_known_option_find(const struct trj_known_tool *tool, const char *name) {
    for (size_t i = 0; i < tool->option_count; i++)
        if (!strcmp(tool->options[i].name, name)) return &tool->options[i];
    return NULL;
}

bool trj_known_option_reads_file(const struct trj_known_option *option) {
    return option->kind == TRJ_OPTION_TEXT && !option->output && !strcmp(option->argument, "FILE");
}
