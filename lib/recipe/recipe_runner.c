// SPDX-License-Identifier: MIT
// Runs processes without threads, in one loop over poll(2), so that signals and failures have one order.
#include "recipe_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "provenance.h"
#include "signal_watch.h"
#include "stage_process.h"
#include "staged_output.h"
#include "stream_splitter.h"

// In seconds. After a failure, trjrun waits for failure_delay: of several processes that fail together, the first one
// in the pipe is the cause. Messages are held back for message_delay, so that the message of the failed process can
// come first. A process that has not ended stop_delay after SIGTERM gets SIGKILL; those of a part, which save their
// state first, get it after save_delay, before Slurm kills all of them (KillWait, 30 s).
static const double failure_delay = 0.1, message_delay = 0.15, stop_delay = 3, save_delay = 20;
static const double status_interval = 0.2, log_interval = 30;

enum group_state { WAITING, RUNNING, DONE, EXCLUDED };

struct group {
    enum group_state state;
    double began;
};

// A run of a stage, with its process.
struct running_stage {
    struct trj_process process;
    struct trj_staged_output *outputs; // of the run
    struct trj_splitter *splitter;     // of its stream; NULL if it has at most one reader
    int in, out;                       // pipe ends for the process, before it starts; -1: none
    bool active;                       // it is started; false if its output is reused
    int reusable;                      // whether its output is reused: 1 yes, 0 no, -1 unknown
};

struct runner {
    struct trj_run_options *options;
    const struct trj_plan *plan;
    struct running_stage *stages; // [plan->run_count]
    struct group *groups;
    struct pollfd *polls;
    struct trj_digests digests;
    double failed_since, stopped_since, last_status; // times; 0: not yet
    bool broken;                                     // an error of trjrun itself is in err
};

// ---- messages

__attribute__((format(printf, 2, 3))) static void report(const struct runner *r, const char *format, ...) {
    char line[1100];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    r->options->report(line);
}

// Reports the messages of a run, with its name before each line. If lines were left out, their number and the last of
// them are reported.
static void report_messages(struct runner *r, size_t run) {
    struct trj_process *p = &r->stages[run].process;
    const char *name = r->plan->runs[run].name;
    trj_put_raw(&p->messages_kept, "", 1);
    for (char *line = (char *)p->messages_kept.data; line && !p->messages_kept.failed && *line;) {
        char *end = strchr(line, '\n');
        *end = 0;
        report(r, "%s: %s", name, line);
        line = end + 1;
    }
    p->messages_kept.size = 0;
    if (p->left_out > 1) report(r, "%s: ... %llu lines left out", name, (unsigned long long)p->left_out - 1);
    if (p->left_out) report(r, "%s: %s", name, p->last_line);
    p->left_out = 0;
}

static void format_outputs(const struct runner *r, size_t group, char *text, size_t capacity) {
    struct trj_bytes b = {0};
    trj_plan_put_outputs(&b, r->plan, group);
    snprintf(text, capacity, "%.*s", b.failed ? 0 : (int)b.size, (const char *)b.data);
    trj_bytes_free(&b);
}

static void format_bytes(char *text, size_t capacity, uint64_t bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t k = 0;
    while (value >= 1000 && k < sizeof units / sizeof *units - 1) {
        value /= 1000;
        k++;
    }
    snprintf(text, capacity, k ? "%.1f %s" : "%.0f %s", value, units[k]);
}

// Writes "counts: 64 of 128 frames, 55.0/s, 1 s left, 3.2 MB", for the last run of the group that reports progress.
static size_t format_status(const struct runner *r, size_t group, char *text, size_t capacity) {
    size_t best = SIZE_MAX;
    uint64_t total = 0;
    for (size_t i = 0; i < r->plan->run_count; i++) {
        const struct trj_process *p = &r->stages[i].process;
        if (r->plan->runs[i].group != group || !p->pid) continue;
        if (p->total > total) total = p->total;
        if (best == SIZE_MAX || (p->running && p->done)) best = i;
    }
    if (best == SIZE_MAX) return 0;
    const struct trj_process *p = &r->stages[best].process;
    double seconds = trj_seconds() - p->began, rate = seconds > 0 ? (double)p->done / seconds : 0;
    char total_text[32] = "", left[48] = "", bytes[32];
    format_bytes(bytes, sizeof bytes, trj_process_bytes(p));
    if (total && p->done <= total && rate > 0) {
        snprintf(total_text, sizeof total_text, " of %llu", (unsigned long long)total);
        snprintf(left, sizeof left, ", %.0f s left", (double)(total - p->done) / rate);
    }
    int n = p->done ? snprintf(text, capacity, "%s: %llu%s %s, %.1f/s%s, %s", r->plan->runs[best].name,
                               (unsigned long long)p->done, total_text, p->unit, rate, left, bytes)
                    : snprintf(text, capacity, "%s: %s", r->plan->runs[best].name, bytes);
    return n < 0 ? 0 : (size_t)n < capacity ? (size_t)n : capacity - 1;
}

static void show_status(struct runner *r, double now) {
    bool live = r->options->show_status;
    if (now - r->last_status < (live ? status_interval : log_interval)) return;
    r->last_status = now;
    char line[400] = "";
    size_t n = 0;
    for (size_t g = 0; g < r->plan->group_count; g++) {
        if (r->groups[g].state != RUNNING) continue;
        if (n && n + 4 < sizeof line) n += (size_t)snprintf(line + n, sizeof line - n, " | ");
        n += format_status(r, g, line + n, sizeof line - n);
    }
    if (n) live ? r->options->show_status(line) : r->options->report(line);
}

// "gr.tsv: done: 128 frames, 0.8 s, 55.0/s, 25.1 kB"; for a series "%s.cube: done: 3 files, 0.8 s, 12.0 MB"
static void report_done(const struct runner *r, size_t group, const struct trj_staged_size *size) {
    char outputs[600], bytes[32], frames[80] = "", files[48] = "";
    double seconds = trj_seconds() - r->groups[group].began;
    for (size_t i = 0; i < r->plan->run_count; i++) {
        const struct trj_process *p = &r->stages[i].process;
        if (r->plan->runs[i].group == group && p->pid && p->done)
            snprintf(frames, sizeof frames, "%llu %s, %.1f/s, ", (unsigned long long)p->done, p->unit,
                     (double)p->done / seconds);
    }
    format_outputs(r, group, outputs, sizeof outputs);
    format_bytes(bytes, sizeof bytes, size->bytes);
    if (size->series)
        snprintf(files, sizeof files, "%llu file%s, ", (unsigned long long)size->series, size->series > 1 ? "s" : "");
    report(r, "%s: done: %s%s%.1f s, %s", outputs, frames, files, seconds, bytes);
}

// ---- groups

static bool in_group(const struct runner *r, size_t run, size_t group) {
    return r->plan->runs[run].group == group;
}

static bool reads_stream(const struct runner *r, size_t run, size_t source) {
    return r->stages[run].active && r->plan->runs[run].piped && r->plan->runs[run].sources[0] == source;
}

static bool is_ready(const struct runner *r, size_t group) {
    if (r->groups[group].state != WAITING) return false;
    for (size_t i = 0; i < r->plan->run_count; i++) {
        const struct trj_stage_run *run = &r->plan->runs[i];
        for (size_t k = run->piped; run->group == group && k < run->source_count; k++) {
            enum group_state source = r->groups[r->plan->runs[run->sources[k]].group].state;
            if (source == WAITING || source == RUNNING) return false;
        }
    }
    return true;
}

// Determines once whether the outputs of the run exist and can be reused; this reads them and its inputs.
static int check_reuse(struct runner *r, size_t run, struct trj_error *err) {
    struct running_stage *s = &r->stages[run];
    if (s->reusable < 0) s->reusable = trj_provenance_matches(r->plan, &r->plan->runs[run], &r->digests, err);
    return s->reusable < 0 ? trj_fail_at(err, "%s", r->plan->runs[run].name) : 0;
}

// make compares times: the outputs must be newer than their inputs. This fails for a file of another user. Parts keep
// their time, which is that of their content.
static int reuse_outputs(const struct runner *r, const struct trj_stage_run *run, struct trj_error *err) {
    for (size_t k = 0; k < run->output_count; k++) {
        const char *path = run->outputs[k].path;
        report(r, "%s: reused: commands, versions and inputs have not changed", path);
        if (!r->plan->part && utimensat(AT_FDCWD, path, NULL, 0) && errno != EACCES && errno != EPERM && errno != EROFS)
            return trj_fail_errno(err, "%s", path);
    }
    return 0;
}

// Neither runs whose outputs are reused nor runs that no started run reads have to be started.
static int choose_runs(struct runner *r, size_t group, struct trj_error *err) {
    const struct trj_plan *plan = r->plan;
    for (size_t i = plan->run_count; i-- > 0;) {
        const struct trj_stage_run *run = &plan->runs[i];
        if (run->group != group) continue;
        if (run->output_count && check_reuse(r, i, err)) return -1;
        bool active = run->output_count && !r->stages[i].reusable;
        for (size_t k = i + 1; k < plan->run_count; k++) active = active || reads_stream(r, k, i);
        r->stages[i].active = active;
        if (!active && reuse_outputs(r, run, err)) return -1;
    }
    return 0;
}

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// Opens the pipe from a run to its reader; if it has several readers, a pipe to each of them and a splitter.
static int connect_run(struct runner *r, size_t run, struct trj_error *err) {
    size_t readers = 0, last = 0, n = 0;
    int ends[2];
    for (size_t k = run + 1; k < r->plan->run_count; k++)
        if (reads_stream(r, k, run)) {
            readers++;
            last = k;
        }
    if (!readers) return 0;
    if (trj_pipe(ends, readers > 1 ? 1 : 0, err)) return -1;
    r->stages[run].out = ends[1];
    if (readers == 1) {
        r->stages[last].in = ends[0];
        return 0;
    }
    int from = ends[0], *to = trj_alloc(readers, sizeof *to, "pipes", err), rc = to ? 0 : -1;
    for (size_t k = run + 1; !rc && k < r->plan->run_count; k++) {
        if (!reads_stream(r, k, run) || (rc = trj_pipe(ends, 2, err))) continue;
        r->stages[k].in = ends[0];
        to[n++] = ends[1];
    }
    if (!rc) rc = trj_splitter_open(&r->stages[run].splitter, from, to, n, err);
    if (rc) {
        while (n) close(to[--n]);
        close(from);
    }
    free(to);
    return rc;
}

static int start_run(struct runner *r, size_t i, struct trj_error *err) {
    const struct trj_stage_run *run = &r->plan->runs[i];
    static char output[] = "--output";
    size_t n = run->argv.count, args = 0;
    char **argv = trj_alloc(n + 3, sizeof *argv, "arguments", err);
    int rc = argv ? 0 : -1;
    for (size_t k = 0; !rc && k < run->output_count; k++)
        rc = trj_staged_output_open(&r->stages[i].outputs[k], run->outputs[k].path,
                                    run->series && !run->outputs[k].argument, err);
    for (size_t k = 0; !rc && k <= n; k++) {
        size_t named = 0; // the output that this argument, or --output before it, names
        while (named < run->output_count && run->outputs[named].argument != (k == run->operands ? 0 : k)) named++;
        bool names = k && named < run->output_count;
        if (names && k == run->operands) argv[args++] = output;
        if (names) argv[args++] = r->stages[i].outputs[named].path;
        if (!names || k == run->operands) argv[args++] = run->argv.texts[k];
    }
    if (!rc)
        rc = trj_process_start(&r->stages[i].process, run->tool->path, argv, r->stages[i].in, r->stages[i].out, err);
    free(argv);
    close_end(&r->stages[i].in);
    close_end(&r->stages[i].out);
    return rc ? trj_fail_at(err, "%s", run->name) : 0;
}

static int start_group(struct runner *r, size_t group, struct trj_error *err) {
    const struct trj_plan *plan = r->plan;
    bool any = false;
    if (choose_runs(r, group, err)) return -1;
    r->groups[group] = (struct group){RUNNING, trj_seconds()};
    for (size_t i = 0; i < plan->run_count; i++) {
        any = any || (in_group(r, i, group) && r->stages[i].active);
        if (in_group(r, i, group) && r->stages[i].active && connect_run(r, i, err)) return -1;
    }
    for (size_t i = 0; i < plan->run_count; i++)
        if (in_group(r, i, group) && r->stages[i].active && start_run(r, i, err)) return -1;
    if (!any) r->groups[group].state = DONE;
    return 0;
}

// Renames the outputs of the group. All checks precede the first rename, so that outputs appear together.
static int finish_group(struct runner *r, size_t group, struct trj_error *err) {
    struct trj_staged_size size = {.bytes = 0};
    const char *placed = NULL;
    for (size_t i = 0; i < r->plan->run_count; i++) {
        for (size_t k = 0; in_group(r, i, group) && k < r->plan->runs[i].output_count; k++) {
            const struct trj_staged_output *o = &r->stages[i].outputs[k];
            if (!o->path) continue;
            if (trj_staged_output_check_ready(o, &size, err)) return trj_fail_at(err, "%s", r->plan->runs[i].name);
        }
    }
    for (size_t i = 0; i < r->plan->run_count; i++) {
        for (size_t k = 0; in_group(r, i, group) && k < r->plan->runs[i].output_count; k++) {
            struct trj_staged_output *o = &r->stages[i].outputs[k];
            if (o->path && trj_staged_output_commit(o, err))
                return placed
                           ? trj_fail_at(err, "%s was written, but the other outputs of its pipeline were not", placed)
                           : -1;
            if (o->path) placed = r->plan->runs[i].outputs[k].path;
            trj_staged_output_close(o);
        }
    }
    r->groups[group].state = DONE;
    report_done(r, group, &size);
    return 0;
}

// ---- failures

// Returns whether the process ended only because all readers of its stream ended before it, with success.
static bool ended_early_without_fault(const struct runner *r, size_t run) {
    if (!trj_process_reader_closed(&r->stages[run].process) || r->plan->runs[run].output_count) return false;
    for (size_t k = run + 1; k < r->plan->run_count; k++)
        if (reads_stream(r, k, run) && (r->stages[k].process.running || trj_process_failed(&r->stages[k].process)))
            return false;
    return true;
}

// Returns whether the process failed for a reason of its own: not because its input failed or its reader ended.
static bool is_cause(const struct runner *r, size_t run) {
    const struct trj_process *p = &r->stages[run].process;
    if (!trj_process_failed(p) || p->stopped || trj_process_input_failed(p)) return false;
    return !trj_process_reader_closed(p) || r->plan->runs[run].output_count;
}

static bool group_runs(const struct runner *r, size_t group) {
    for (size_t i = 0; i < r->plan->run_count; i++)
        if (in_group(r, i, group) && r->stages[i].process.running) return true;
    return false;
}

// Returns the first run that failed for a reason of its own, or SIZE_MAX; a run comes after its sources.
static size_t find_cause(const struct runner *r) {
    size_t n = r->plan->run_count;
    for (size_t i = 0; i < n; i++)
        if (is_cause(r, i)) return i;
    // Otherwise a run that lost its reader, if no process is left that could still fail and explain this.
    for (size_t i = 0; i < n; i++)
        if (trj_process_failed(&r->stages[i].process) && !r->stages[i].process.stopped &&
            !ended_early_without_fault(r, i) && !group_runs(r, r->plan->runs[i].group))
            return i;
    return SIZE_MAX;
}

static void stop_all(struct runner *r, int number, double now) {
    if (r->stopped_since == 0) r->stopped_since = now;
    for (size_t i = 0; i < r->plan->run_count; i++) {
        trj_process_stop(&r->stages[i].process, number);
        trj_splitter_close(r->stages[i].splitter);
        r->stages[i].splitter = NULL;
    }
}

// Reports the messages of the failed run, then those of the others. The error lists all runs that failed.
static int report_failure(struct runner *r, size_t cause, struct trj_error *err) {
    char how[128];
    const struct trj_process *p = &r->stages[cause].process;
    int status = WIFEXITED(p->status) ? WEXITSTATUS(p->status) : 0;
    report_messages(r, cause);
    trj_process_describe_end(p, how, sizeof how);
    if (!trj_process_explained(p))
        report(r, "%s: %s %s", r->plan->runs[cause].name, r->plan->runs[cause].tool->name, how);
    trj_error_set(err, status >= TRJ_FAILED && status <= TRJ_STOPPED ? (enum trj_status)status : TRJ_FAILED,
                  "stage '%s': %s %s", r->plan->runs[cause].name, r->plan->runs[cause].tool->name, how);
    for (size_t i = 0; i < r->plan->run_count; i++) {
        report_messages(r, i);
        if (i == cause || !is_cause(r, i)) continue;
        size_t n = strlen(err->text);
        trj_process_describe_end(&r->stages[i].process, how, sizeof how);
        snprintf(err->text + n, sizeof err->text - n, "; then '%s' %s", r->plan->runs[i].name, how);
    }
    return -1;
}

// ---- the loop

static size_t count_running(const struct runner *r) {
    size_t n = 0;
    for (size_t g = 0; g < r->plan->group_count; g++) n += r->groups[g].state == RUNNING;
    return n;
}

static bool any_process(const struct runner *r) {
    for (size_t i = 0; i < r->plan->run_count; i++)
        if (r->stages[i].process.running) return true;
    return false;
}

static int start_ready(struct runner *r, struct trj_error *err) {
    for (size_t g = 0; g < r->plan->group_count && !trj_signals_received(); g++) {
        if (r->options->at_once && count_running(r) >= r->options->at_once) break;
        if (is_ready(r, g) && start_group(r, g, err)) return -1;
    }
    return 0;
}

static int finish_ended(struct runner *r, struct trj_error *err) {
    for (size_t g = 0; g < r->plan->group_count; g++) {
        if (r->groups[g].state != RUNNING || group_runs(r, g)) continue;
        bool good = true;
        for (size_t i = 0; i < r->plan->run_count; i++)
            good = good && (!in_group(r, i, g) || !trj_process_failed(&r->stages[i].process) ||
                            ended_early_without_fault(r, i));
        for (size_t i = 0; good && i < r->plan->run_count; i++)
            if (in_group(r, i, g)) report_messages(r, i);
        if (good && finish_group(r, g, err)) return -1;
    }
    return 0;
}

// Waits for a signal, a message or a stream, at most 50 ms; then copies streams and reads messages.
static int wait_and_transfer(struct runner *r, struct trj_error *err) {
    size_t n = 0;
    r->polls[n++] = (struct pollfd){.fd = trj_signals_wait_fd(), .events = POLLIN};
    for (size_t i = 0; i < r->plan->run_count; i++) {
        if (r->stages[i].process.message_fd >= 0)
            r->polls[n++] = (struct pollfd){.fd = r->stages[i].process.message_fd, .events = POLLIN};
        if (r->stages[i].splitter) n += trj_splitter_poll(r->stages[i].splitter, r->polls + n);
    }
    if (poll(r->polls, n, 50) < 0 && errno != EINTR) return trj_fail_errno(err, "cannot wait for the stages");
    trj_signals_drain();
    for (size_t i = 0; i < r->plan->run_count; i++) {
        struct trj_process *p = &r->stages[i].process;
        if (p->message_fd >= 0 && !trj_process_read_messages(p)) close_end(&p->message_fd);
        if (r->stages[i].splitter && trj_splitter_transfer(r->stages[i].splitter, err)) return -1;
    }
    return 0;
}

// Fails if the messages of a process could not be read: it may have failed for want of a reader.
static int check_messages(const struct runner *r, struct trj_error *err) {
    for (size_t i = 0; i < r->plan->run_count; i++) {
        if (!r->stages[i].process.message_errno) continue;
        errno = r->stages[i].process.message_errno;
        return trj_fail_errno(err, "stage '%s': cannot read its messages", r->plan->runs[i].name);
    }
    return 0;
}

// Stops all processes after a failure, with the delays described at failure_delay.
static void check_processes(struct runner *r, double now, struct trj_error *err) {
    bool failed = false;
    for (size_t i = 0; i < r->plan->run_count; i++) trj_process_reap(&r->stages[i].process);
    if (!r->broken && check_messages(r, err)) r->broken = true;
    failed = find_cause(r) != SIZE_MAX || r->broken || trj_signals_received();
    if (failed && r->failed_since == 0) r->failed_since = now;
    if (r->failed_since > 0 && r->stopped_since == 0 &&
        (now - r->failed_since > failure_delay || trj_signals_received() || r->broken))
        stop_all(r, SIGTERM, now);
    if (r->stopped_since > 0 && now - r->stopped_since > (r->plan->part ? save_delay : stop_delay))
        stop_all(r, SIGKILL, now);
    for (size_t i = 0; r->failed_since == 0 && i < r->plan->run_count; i++)
        if (r->stages[i].process.messages_kept.size && now - r->stages[i].process.kept_since > message_delay)
            report_messages(r, i);
    if (r->failed_since == 0) show_status(r, now);
}

static int loop(struct runner *r, struct trj_error *err) {
    struct trj_error later;
    for (;;) {
        if (r->failed_since == 0 && (finish_ended(r, err) || start_ready(r, err))) r->broken = true;
        if (r->failed_since == 0 && !r->broken && !count_running(r)) {
            bool more = false;
            for (size_t g = 0; g < r->plan->group_count; g++) more = more || r->groups[g].state == WAITING;
            if (!more) break;
            if (!trj_signals_received()) continue;
        }
        if (r->failed_since > 0 && !any_process(r)) break;
        if (wait_and_transfer(r, r->broken ? &later : err)) r->broken = true;
        check_processes(r, trj_seconds(), err);
    }
    if (r->options->show_status) r->options->show_status("");
    if ((r->options->signal = trj_signals_received())) {
        bool making = false;
        for (size_t i = 0; i < r->plan->run_count; i++)
            for (size_t k = 0; k < r->plan->runs[i].output_count; k++)
                making = making || r->stages[i].outputs[k].folder;
        return trj_signals_fail(err, making ? "; incomplete outputs are removed" : "");
    }
    size_t cause = find_cause(r);
    if (r->broken) return -1;
    return cause == SIZE_MAX ? 0 : report_failure(r, cause, err);
}

static int choose_groups(struct runner *r, struct trj_error *err) {
    if (!r->options->only) return 0;
    const struct trj_stage_run *run = trj_plan_find_output(r->plan, r->options->only);
    if (!run)
        return trj_fail(err, TRJ_USAGE, "--only: no stage of %s writes '%s'; trjrun --dry-run lists the outputs",
                        r->plan->recipe, r->options->only);
    for (size_t g = 0; g < r->plan->group_count; g++)
        if (g != run->group) r->groups[g].state = EXCLUDED;
    return 0;
}

// Returns whether the run, or one before it in the pipe, reads outputs of other runs as files.
static bool reads_outputs(const struct trj_plan *plan, const struct trj_stage_run *run) {
    for (; run->piped && run->source_count == 1; run = &plan->runs[run->sources[0]]) continue;
    return run->source_count;
}

// Computes the digests of given files and checks outputs before the first process starts. This can take long, and a
// signal may end trjrun, since nothing has to be removed yet.
static int read_inputs(struct runner *r, struct trj_error *err) {
    char line[1100];
    for (size_t i = 0; i < r->plan->run_count; i++) {
        const struct trj_stage_run *run = &r->plan->runs[i];
        if (!run->output_count || reads_outputs(r->plan, run) || r->groups[run->group].state == EXCLUDED) continue;
        snprintf(line, sizeof line, "%s: checking whether it can be reused", run->outputs[0].path);
        if (r->options->show_status) r->options->show_status(line);
        if (check_reuse(r, i, err)) return -1;
        for (size_t k = 0; !r->stages[i].reusable && k < run->output_count; k++)
            if (trj_staged_output_check(run->outputs[k].path, err)) return trj_fail_at(err, "%s", run->name);
    }
    if (r->options->show_status) r->options->show_status("");
    return 0;
}

static void free_runner(struct runner *r) {
    for (size_t i = 0; r->stages && i < r->plan->run_count; i++) {
        struct running_stage *s = &r->stages[i];
        trj_bytes_free(&s->process.messages_kept);
        trj_bytes_free(&s->process.partial_line);
        close_end(&s->process.message_fd);
        close_end(&s->in);
        close_end(&s->out);
        trj_splitter_close(s->splitter);
        for (size_t k = 0; s->outputs && k < r->plan->runs[i].output_count; k++)
            trj_staged_output_close(&s->outputs[k]);
        free(s->outputs);
    }
    free(r->stages);
    free(r->groups);
    free(r->polls);
    trj_digests_free(&r->digests);
}

int trj_plan_run(struct trj_run_options *options, const struct trj_plan *plan, struct trj_error *err) {
    struct runner r = {.options = options, .plan = plan, .last_status = trj_seconds()};
    size_t n = plan->run_count;
    int rc = -1;
    options->signal = 0;
    r.stages = trj_alloc(n, sizeof *r.stages, "stages", err);
    for (size_t i = 0; r.stages && i < n; i++)
        r.stages[i] = (struct running_stage){.process.message_fd = -1, .in = -1, .out = -1, .reusable = -1};
    for (size_t i = 0; r.stages && i < n; i++)
        if (!(r.stages[i].outputs = trj_alloc(plan->runs[i].output_count, sizeof *r.stages[i].outputs, "outputs", err)))
            goto out;
    // Each run has at most three descriptors: its messages, its input from a splitter, and the input of its splitter.
    if (!r.stages) goto out;
    if (!(r.groups = trj_alloc(plan->group_count, sizeof *r.groups, "stages", err))) goto out;
    if (!(r.polls = trj_alloc(3 * n + 1, sizeof *r.polls, "pipes", err))) goto out;
    if (choose_groups(&r, err)) goto out;
    if (read_inputs(&r, err)) goto out;
    if (trj_signals_watch(err)) goto out;
    rc = loop(&r, err);
    free_runner(&r); // removes incomplete files before a signal can end trjrun again
    trj_signals_unwatch();
    return rc;
out:
    free_runner(&r);
    return rc;
}
