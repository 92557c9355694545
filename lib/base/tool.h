// SPDX-License-Identifier: MIT
// Provides what the main function of a filter needs: options, messages, provenance and progress.
//
// Each tool has one option table. It defines the parser, `--help` with the current defaults, and `--options`: the table
// as tab-separated text, which tests compare with the manual page, and from which shell completion and recipe keys
// follow. Only trj_seconds may be called by several threads at the same time.
#ifndef TRJ_TOOL_H
#define TRJ_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum trj_option_kind {
    TRJ_OPTION_FLAG,   // bool *
    TRJ_OPTION_PRINT,  // bool *: a flag that makes the tool print information, without operands; not in recipes
    TRJ_OPTION_COUNT,  // uint64_t *, in [min, max]
    TRJ_OPTION_REAL,   // double *, finite; the tool checks the range
    TRJ_OPTION_TEXT,   // const char **
    TRJ_OPTION_LIST,   // struct trj_text_list *: the option may be repeated
    TRJ_OPTION_CHOICE, // const char **, one of `choices`
};

// What an option means for the files of a tool.
enum trj_option_role {
    TRJ_ROLE_INPUT,  // its argument names no file, or one that the tool reads (file_argument.h)
    TRJ_ROLE_OUTPUT, // its argument names a file that the tool writes
    TRJ_ROLE_SERIES, // the same; a name that contains a number is a series of files (series_name.h)
    TRJ_ROLE_NAMES,  // the same; %s in a name is replaced by names of the results, each of which has a file
    TRJ_ROLE_SHELL,  // not available in recipes, because output files then contain the names of other output files
    TRJ_ROLE_TABLES, // operands are tables of this tool; in recipes, a stage that reads such tables gives it
};

struct trj_text_list {
    const char **texts; // [count] pointers into argv; the tool frees the array
    size_t count;
};

struct trj_choice {
    const char *name, *help;
};

// An option, or all options of another table (`table` is not NULL). A library keeps the options that set members of one
// struct in a table with `offset`, and a filter refers to it with the address of its struct:
//
//     const struct trj_option den_option_table[] = {
//         {.name = "sigma", .kind = TRJ_OPTION_REAL, .offset = offsetof(struct den_options, sigma), ...},
//         {.table = trj_lattice_option_table, .offset = offsetof(struct den_options, lattice)},
//         TRJ_OPTION_END,
//     };
//     static const struct trj_option options[] = {{.table = den_option_table, .value = &options}, TRJ_OPTION_END};
struct trj_option {
    char letter; // 0: none
    const char *name;
    enum trj_option_kind kind;
    void *value;   // holds the default before parsing; in a table of a library NULL, and `offset` is used
    size_t offset; // of the value in the struct whose address the entry with `table` gives
    const struct trj_option *table; // of this entry, only value or offset, choices and subject are used
    const char *subject;            // replaces %s in the help of the options of `table`
    const char *arg;                // name of the argument in the help; NULL: the option is a flag
    // Description. "(default: ...)" is added from *value unless that is 0, TRJ_OPTION_ABSENT, NULL, NaN or empty.
    const char *help;
    uint64_t min, max;
    const char *remedy;                           // end of the error for a value that is no number; NULL: none
    const struct trj_choice *choices;             // ends with a NULL name; with `table`: of its choices that list none
    const struct trj_choice *(*choices_of)(void); // returns the choices, if they follow from another table
    // Atom properties that the option requires in the frame stream that the tool reads; NULL: none. trjrun adds --carry
    // with them to the trjcat that writes the stream. A list such as "mass:mass,vdw:radius=bondi": an item
    // WORD:PROPERTY applies to values of the option that begin with WORD, and an item without a colon to all values.
    // "-radius" means that the option supplies this property, so that trjrun does not request it for this stage, even
    // if another option requires it.
    const char *carry;
    enum trj_option_role role;
    const char *heading; // in --help: heading of this and the following options; NULL: the previous heading applies
};

struct trj_engine;
struct trj_stream_kind;

struct trj_tool {
    const char *name, *purpose, *operands; // "trjcat", one phrase, "FILE..."
    size_t min_operands, max_operands;
    // Sets *path to the file that operand number `number` names, or to NULL; the caller frees it. SIZE_MAX: `text` is
    // the argument EXPRESSION of an option. NULL: each operand is the name of a file, and such arguments name none.
    int (*operand_file)(char **path, const char *text, size_t number, struct trj_error *err);
    const struct trj_option *options;        // ends with TRJ_OPTION_END; --help, --options and --version are added
    const struct trj_engine *const *engines; // (work/engine_choice.h) passed to `version`
    // Returns the line that --version adds: the engines. May be NULL.
    const char *(*version)(const struct trj_engine *const *engines);
    // Returns whether the parsed options send the result to standard output. The result is a stream of the kind
    // `stream`, or a table if `stream` is NULL. A failure is then recorded at its end (failure.h). NULL: failures are
    // not recorded.
    bool (*to_stdout)(void);
    const struct trj_stream_kind *stream;
};

// Initial value of a count option whose absence has a meaning that no number has. The `max` of the option must be less.
#define TRJ_OPTION_ABSENT UINT64_MAX

#define TRJ_OPTION_END                                                                                                 \
    { 0 }

// The members that most options have, in the order of their help: "-t, --topology FILE  read names from FILE". `k` is
// the end of the name of the kind; `l` and `a` are 0 and NULL if there are none. Other members may precede or follow.
#define TRJ_OPTION(l, n, k, address, a, what)                                                                          \
    .letter = (l), .name = (n), .kind = TRJ_OPTION_##k, .value = (address), .arg = (a), .help = (what)
// The same in the table of a library, for a member of a struct.
#define TRJ_OPTION_FIELD(l, n, k, type, member, a, what)                                                               \
    .letter = (l), .name = (n), .kind = TRJ_OPTION_##k, .offset = offsetof(type, member), .arg = (a), .help = (what)

// The option that every tool has: where to write (output.h). `what` is the help.
#define TRJ_OPTION_OUTPUT(path, what)        TRJ_OPTION_OUTPUT_AS(TRJ_ROLE_OUTPUT, .value = (path), what)
#define TRJ_OPTION_OUTPUT_SERIES(path, what) TRJ_OPTION_OUTPUT_AS(TRJ_ROLE_SERIES, .value = (path), what)
// The same in the table of a library, with an offset.
#define TRJ_OPTION_OUTPUT_AT(is, bytes, what) TRJ_OPTION_OUTPUT_AS(is, .offset = (bytes), what)
#define TRJ_OPTION_OUTPUT_AS(is, where, what)                                                                          \
    {                                                                                                                  \
        .heading = "Output", .letter = 'o', .name = "output", .kind = TRJ_OPTION_TEXT, where, .arg = "FILE",           \
        .help = (what), .role = (is)                                                                                   \
    }

// The option of tools that write provenance: trj_tool_provenance then adds digests of the input files.
#define TRJ_OPTION_DIGEST                                                                                              \
    {                                                                                                                  \
        .name = "digest", .kind = TRJ_OPTION_FLAG, .value = &trj_tool_digest,                                          \
        .help = "write digests of the input files into the provenance"                                                 \
    }
extern bool trj_tool_digest;

// Runs a tool, and returns its exit status: parses argv, calls `run` and `close`, and reports errors (trj_tool_fail).
// `run` gets the operands and returns 0, another exit status that needs no further message, or -1. It is not called
// after a usage error, --help or a similar option. `close` is always called. It must close all writers and outputs, and
// frees what `state` contains.
int trj_tool_main(const struct trj_tool *tool, int argc, char **argv,
                  int (*run)(void *state, char **operands, int count, struct trj_error *err),
                  void (*close)(void *state), void *state);

// Sets the option values from argv. After an error it parses the remaining options, too, because `to_stdout` depends on
// them. Returns 1 to continue, with the operands in argv[*first .. argc-1]; 0 if --help or a similar option was handled
// and the tool must exit with 0; -1 for a usage error.
int trj_tool_parse(const struct trj_tool *tool, int argc, char **argv, int *first, struct trj_error *err);

// Sets the value of the option `name` in a struct, which the options of a table of a library belong to: `text` is the
// argument, which must stay valid, or unused for a flag. Returns 1; 0 if the table lacks the option; -1 after an error,
// TRJ_USAGE for an invalid value.
int trj_option_set(const struct trj_option *table, void *values, const char *name, const char *text,
                   struct trj_error *err);

// Must be the first call of a tool: sets its name in messages, and ignores SIGPIPE, so that writes fail with EPIPE and
// temporary files are removed.
void trj_tool_start(const struct trj_tool *tool);

// Prints "tool: text" to stderr as one line, in one write.
void trj_tool_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

// From this call on, the tool prints nothing but its error: another process of the same work prints notes and progress.
// `name` replaces its name in the message; `before_error` is called before the error is printed. A failure is not
// recorded in the output.
void trj_tool_mute(const char *name, void (*before_error)(void));

// Functions that libraries are given to report something. They print "tool: text" or "tool: note: text", unless the
// text is empty. `unused` may be anything.
void trj_tool_print_line(const char *text);
void trj_tool_print_note(const char *text);
void trj_tool_print_line_of(void *unused, const char *text);
void trj_tool_print_note_of(void *unused, const char *text);

// Prints the error unless it is quiet, records it in the output of a tool with `to_stdout`, and returns the exit
// status. The caller must have closed all writers and outputs.
int trj_tool_fail(const struct trj_error *err);

// Returns the provenance lines of this process, which end with NULL, or NULL after an error. They are valid until
// trj_tool_main returns, and this function works only inside of it. The first line is the command line, quoted for a
// shell: "trjcat 0.1.0: trjcat -f 0:10 run.dcd".
// Options have the order of argv, and their letter instead of their name if they have one. Names of files that the tool
// writes are recorded without a folder, which does not affect the result. With --digest, a line "input xxh3:... FILE"
// follows for each regular file that is an operand or that an option reads (file_argument.h).
char **trj_tool_provenance(struct trj_error *err);

// Returns lines that are equal if two runs with the same input compute the same: the version, the command line as in
// the provenance but without the engine and its devices, and the digests of the files that options and expressions
// read. The caller frees them with trj_text_array_free. NULL after an error. It works only inside of trj_tool_main.
char **trj_tool_computation(struct trj_error *err);

// Returns whether provenance lines contain this option with this argument (NULL: a flag). They omit --output,
// --threads, --mpi, --divide, --checkpoint, and --every with a time, which do not affect the result.
bool trj_tool_option_recorded(const char *option, const char *argument);

// Returns the part of the path of an output file that the provenance records: what follows the last '/'.
const char *trj_tool_recorded_name(const char *path);

struct trj_bytes;
// Appends a word, quoted for a POSIX shell if necessary. Line ends become blanks.
void trj_put_quoted(struct trj_bytes *b, const char *word);

// Shows progress as one line on stderr that is rewritten: only on a terminal, after one second, at most ten times a
// second. `what` is the plural name of the counted items, such as "frames", and must stay valid; total 0: unknown. If
// TRJPIPE_PROGRESS is set, the tool instead prints lines of TRJ_PROGRESS_MARK, what, done and total, for the program
// that reads its stderr. TRJ_PROGRESS_MARK TRJ_PROGRESS_LEFT is the last line of a tool whose reader has closed the
// pipe.
#define TRJ_PROGRESS_MARK "\036" // the record separator of ASCII
#define TRJ_PROGRESS_LEFT "left"
// TRJ_PROGRESS_MARK TRJ_PROGRESS_INPUT_FAILED is the last line of a tool whose input ends with a failure that another
// tool has reported.
#define TRJ_PROGRESS_INPUT_FAILED "input failed"
void trj_tool_progress(const char *what, uint64_t done, uint64_t total);
// As trj_tool_progress, with a total that is estimated: the line says "about", and a total below `done` counts as
// unknown. While the total is shown, it is sent to the program that reads the output through a pipe (progress_link.h).
// If it is 0, the total is shown that the writer of the pipe of trj_tool_progress_from has sent.
void trj_tool_progress_estimated(const char *what, uint64_t done, uint64_t total);
// Receives totals from the writer of the pipe `fd` if the progress is shown; has no effect if `fd` is not a pipe. It is
// called before the first item.
void trj_tool_progress_from(int fd);
void trj_tool_progress_end(void); // removes the line

// Returns the time of a monotonic clock in seconds, for durations.
double trj_seconds(void);

#endif
