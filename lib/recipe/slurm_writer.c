// SPDX-License-Identifier: MIT
// Writes a shell script with both jobs, so that users can read, change and submit what trjrun would submit.
#include "slurm_writer.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "tool.h"
#include "workflow_command.h"

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

static bool has_option(const struct trj_string_list *options, const char *name) {
    const size_t n = strlen(name);
    for (size_t i = 0; i < options->count; i++)
        if (!strncmp(options->texts[i], name, n) && strchr("=", options->texts[i][n])) return true;
    return false;
}

// Slurm sends SIGUSR1 to the script before the time limit. It ends trjrun, whose filters save their state, and requeues
// the task. A limit so short that the signal comes at once must not requeue it for ever. SIGTERM, when Slurm itself
// requeues the task, must end trjrun, too. A signal ends `wait`, which is then called again for the status.
static const char before_task[] = "trap 'again=1; kill -TERM \"$run\"' USR1\ntrap 'kill -TERM \"$run\"' TERM\n",
                  after_task[] =
                      " &\nrun=$!\nstatus=1\n"
                      "while kill -0 \"$run\" 2>/dev/null; do\n    wait \"$run\"\n    status=$?\ndone\n"
                      "[ \"${again-}\" = '' ] || [ $status = 0 ] || [ \"${SLURM_RESTART_COUNT:-0}\" -ge 50 ] "
                      "||\n    scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
                      "exit $status\nEND_OF_JOB\n}\n";

// Writes a function that passes a job to sbatch, with further options. `array`: the list of segments; NULL: the merge.
static int put_job(struct trj_bytes *b, const struct trj_segments *s, const char *trjrun, const char *array,
                   const struct trj_definition *definitions, size_t count, struct trj_error *err) {
    const struct trj_string_list *options = array ? &s->plan->jobs : &s->plan->merge_job;
    char *folder = trj_plan_path(s->plan, s->folder, err);
    if (!folder) return -1;
    put(b, array ? "segments() {\n    sbatch --job-name=" : "merge() {\n    sbatch --job-name=");
    struct trj_bytes name = {0};
    trj_put_raw(&name, s->folder, (size_t)(strrchr(s->folder, '.') - s->folder)); // without ".segments"
    put(&name, array ? "" : ".merge");
    trj_put_raw(&name, "", 1);
    trj_put_quoted(b, name.failed ? "" : (const char *)name.data);
    b->failed = b->failed || name.failed;
    trj_bytes_free(&name);
    if (array) {
        put(b, " --array=");
        put(b, array);
        put(b, " --requeue");
        if (!has_option(options, "--signal")) put(b, " --signal=B:USR1@60");
    }
    if (!has_option(options, "--cpus-per-task")) put(b, " --cpus-per-task=1");
    put(b, " --open-mode=append \\\n        --output=");
    trj_put_quoted(b, folder);
    put(b, array ? "/segment.%a.log" : "/merge.log");
    for (size_t i = 0; i < options->count; i++) {
        put(b, " ");
        trj_put_quoted(b, options->texts[i]);
    }
    put(b, " \"$@\" <<'END_OF_JOB'\n#!/bin/sh\n");
    put(b, array ? before_task : "exec ");
    trj_workflow_put_command(b, trj_put_quoted, trjrun, definitions, count);
    put(b, array ? " --segment \"$SLURM_ARRAY_TASK_ID\" -- " : " --merge -- ");
    trj_put_quoted(b, s->plan->recipe);
    put(b, array ? after_task : "\nEND_OF_JOB\n}\n");
    free(folder);
    return 0;
}

int trj_segments_put_slurm(struct trj_bytes *b, const struct trj_segments *s, const bool *missing, const char *folder,
                           const struct trj_definition *definitions, size_t count, struct trj_error *err) {
    char *trjrun = trj_find_executable("trjrun", err);
    struct trj_bytes array = {0};
    int rc = -1;
    if (!trjrun) goto out;
    trj_segments_put_list(&array, missing, s->count, SIZE_MAX);
    const bool any = array.size;
    trj_put_raw(&array, "", 1);
    if (array.failed) {
        trj_fail_memory(err, (double)array.size, "a list of segments");
        goto out;
    }
    put(b, "#!/bin/sh\n# Made by `trjrun --slurm`, trjrun " TRJPIPE_VERSION
           ": submits the segments that are missing, and their merge.\ncd -- ");
    trj_put_quoted(b, folder);
    put(b, " || exit\ncommand -v sbatch >/dev/null || { echo 'trjrun: --slurm: sbatch is not in PATH; run this where "
           "jobs are submitted' >&2; exit 1; }\n");
    if (any && put_job(b, s, trjrun, (const char *)array.data, definitions, count, err)) goto out;
    if (put_job(b, s, trjrun, NULL, definitions, count, err)) goto out;
    put(b, "# Nothing is submitted unless Slurm accepts all jobs.\nfor job in");
    put(b, any ? " segments" : "");
    put(b, " merge; do\n    text=$($job --test-only 2>&1) || { printf '%s\\n' \"$text\" >&2; exit 1; }\ndone\n");
    if (any)
        put(b, "id=$(segments --parsable) || exit\nid=${id%%;*}\n"
               "merge=$(merge --parsable --dependency=afterok:\"$id\" --kill-on-invalid-dep=yes) || {\n"
               "    scancel \"$id\"\n    exit 1\n}\necho \"segments ");
    else
        put(b, "merge=$(merge --parsable) || exit\necho \"no segment is missing");
    put(b, (const char *)array.data);
    put(b, any ? ": job $id; merge: job ${merge%%;*}\"\n" : "; merge: job ${merge%%;*}\"\n");
    rc = 0;
out:
    free(trjrun);
    trj_bytes_free(&array);
    return rc;
}
