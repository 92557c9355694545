// SPDX-License-Identifier: MIT
// Writes and reads the comment on the blocks of an error in one place, because rdfcmp relies on what rdfnorm prints.
#include "error_blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions.h"

static const char joined[] = "blocks of ", inefficiency[] = "statistical inefficiency ",
                  independent[] = " independent blocks", too_few[] = "too few", assumed[] = "assumed",
                  exact[] = "taken as exact";

const struct curve_error_blocks curve_error_blocks_exact = {CURVE_BLOCKS_EXACT, INFINITY, 1};

static enum curve_blocks_state state_of(const struct curve_mean_error *e) {
    if (!e->error || e->too_few) return CURVE_BLOCKS_TOO_FEW;
    if (!e->block) return CURVE_BLOCKS_ASSUMED;
    return e->joined || e->tested ? CURVE_BLOCKS_INDEPENDENT : CURVE_BLOCKS_TOO_FEW;
}

void curve_error_blocks_text(char text[CURVE_ERROR_BLOCKS_TEXT], const char *how, const struct curve_mean_error *e) {
    enum curve_blocks_state state = state_of(e);
    char subject[80] = "records";
    int n;
    if (e->joined)
        snprintf(subject, sizeof subject, "%s%llu record%s", joined, (unsigned long long)e->block,
                 e->block > 1 ? "s" : "");
    n = snprintf(text, CURVE_ERROR_BLOCKS_TEXT, "%.120s, ", how ? how : subject);
    if (e->joined)
        n += snprintf(text + n, CURVE_ERROR_BLOCKS_TEXT - (size_t)n, "%s%.4g records%s", inefficiency, e->inefficiency,
                      e->too_few ? ", of too few records" : "");
    else
        n += snprintf(text + n, CURVE_ERROR_BLOCKS_TEXT - (size_t)n, "%s",
                      state == CURVE_BLOCKS_ASSUMED ? "assumed to be independent"
                      : e->tested                   ? "which show no correlation"
                                                    : "too few to detect correlation");
    snprintf(text + n, CURVE_ERROR_BLOCKS_TEXT - (size_t)n, "; %.6g%s", e->blocks,
             state == CURVE_BLOCKS_INDEPENDENT ? independent : " blocks");
}

// Returns sqrt(s / s_B) for blocks of B records with the inefficiency s_B.
static double bias_of(double block, double of_block) {
    if (!(block > 1 && of_block > 1)) return 1;
    double root = block * block - 2 * block * of_block + 1;
    return sqrt((root > 0 ? block - sqrt(root) : block) / of_block);
}

static double number_after(const char *text, const char *mark) {
    const char *found = strstr(text, mark);
    return found ? strtod(found + strlen(mark), NULL) : NAN;
}

struct curve_error_blocks curve_error_blocks_read(const char *text) {
    struct curve_error_blocks b = {.state = CURVE_BLOCKS_UNSTATED, .bias = 1};
    const char *last = strstr(text, "; ");
    for (const char *next = last; next; next = strstr(next + 1, "; ")) last = next;
    if (last && strstr(last, independent)) {
        b.number = strtod(last + 2, NULL);
        b.bias = bias_of(number_after(text, joined), number_after(text, inefficiency));
        b.state = b.number > 1 && isfinite(b.number) ? CURVE_BLOCKS_INDEPENDENT : CURVE_BLOCKS_TOO_FEW;
    } else if (strstr(text, too_few)) {
        b.state = CURVE_BLOCKS_TOO_FEW;
    } else if (strstr(text, assumed)) {
        b.state = CURVE_BLOCKS_ASSUMED;
    } else if (strstr(text, exact)) {
        b = curve_error_blocks_exact;
    }
    return b;
}

const char *curve_error_blocks_comment(const char *line, const char **name, size_t *length) {
    static const char one[] = "# error ", all[] = "# errors: ", longest[] = ", longest of ";
    *length = 0;
    if (!strncmp(line, all, strlen(all))) return line + strlen(all);
    const char *end = strncmp(line, one, strlen(one)) ? NULL : strstr(line, ": ");
    if (!end) return NULL;
    *name = line + strlen(one);
    const char *comma = strstr(*name, longest);
    *length = (size_t)((comma && comma < end ? comma : end) - *name);
    return end + 2;
}

struct curve_error_blocks curve_error_blocks_of(const struct curve_mean_error *e) {
    return (struct curve_error_blocks){
        .state = state_of(e), .number = e->blocks, .bias = e->joined ? bias_of((double)e->block, e->inefficiency) : 1};
}

bool curve_error_blocks_are_known(const struct curve_error_blocks *b) {
    return b->state == CURVE_BLOCKS_INDEPENDENT || b->state == CURVE_BLOCKS_ASSUMED;
}

double curve_error_blocks_interval(const struct curve_mean_error *e, double percent) {
    const struct curve_error_blocks blocks = curve_error_blocks_of(e);
    return curve_error_blocks_are_known(&blocks) ? curve_student_quantile(percent, e->blocks - 1) : NAN;
}

int curve_interval_check(double percent, struct trj_error *err) {
    if (isnan(percent) || (percent >= 1 && percent < 100)) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--interval: invalid value %g: expected a percentage from 1 to below 100, such as 95", percent);
}

int curve_interval_fail_single(struct trj_error *err) {
    return trj_fail(
        err, TRJ_BAD_DATA,
        "--interval: one record has no errors; count more frames, or several records (-B of rdfhist or skhist)");
}

void curve_interval_name(char name[CURVE_INTERVAL_NAME], double percent) {
    snprintf(name, CURVE_INTERVAL_NAME, "ci%g", percent);
}

const char curve_interval_unknown[] =
    "note: --interval: too few records to find their correlation: confidence intervals are nan; count more frames, or "
    "shorter records if they have several frames each (-B of rdfhist or skhist)";

const struct trj_option curve_interval_option[] = {
    {.name = "interval",
     .kind = TRJ_OPTION_REAL,
     .arg = "PERCENT",
     .help = "also print the half-width of confidence intervals of this probability in percent, such as 95, by "
             "Student's t for the "
             "number of independent blocks"},
    TRJ_OPTION_END,
};

const struct curve_mean_error *curve_error_blocks_longer(const struct curve_mean_error *a,
                                                         const struct curve_mean_error *b) {
    bool few = state_of(a) == CURVE_BLOCKS_TOO_FEW, other_few = state_of(b) == CURVE_BLOCKS_TOO_FEW;
    if (few != other_few) return few ? a : b;
    return b->block > a->block ? b : a;
}
