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

const struct rdf_error_blocks rdf_error_blocks_exact = {RDF_BLOCKS_EXACT, INFINITY, 1};

static enum rdf_blocks_state state_of(const struct rdf_mean_error *e) {
    if (!e->error || e->too_few) return RDF_BLOCKS_TOO_FEW;
    if (!e->block) return RDF_BLOCKS_ASSUMED;
    return e->joined || e->tested ? RDF_BLOCKS_INDEPENDENT : RDF_BLOCKS_TOO_FEW;
}

void rdf_error_blocks_text(char text[RDF_ERROR_BLOCKS_TEXT], const char *how, const struct rdf_mean_error *e) {
    enum rdf_blocks_state state = state_of(e);
    char subject[80] = "records";
    int n;
    if (e->joined)
        snprintf(subject, sizeof subject, "%s%llu record%s", joined, (unsigned long long)e->block,
                 e->block > 1 ? "s" : "");
    n = snprintf(text, RDF_ERROR_BLOCKS_TEXT, "%.120s, ", how ? how : subject);
    if (e->joined)
        n += snprintf(text + n, RDF_ERROR_BLOCKS_TEXT - (size_t)n, "%s%.4g records%s", inefficiency, e->inefficiency,
                      e->too_few ? ", of too few records" : "");
    else
        n += snprintf(text + n, RDF_ERROR_BLOCKS_TEXT - (size_t)n, "%s",
                      state == RDF_BLOCKS_ASSUMED ? "assumed to be independent"
                      : e->tested                 ? "which show no correlation"
                                                  : "too few to detect correlation");
    snprintf(text + n, RDF_ERROR_BLOCKS_TEXT - (size_t)n, "; %.6g%s", e->blocks,
             state == RDF_BLOCKS_INDEPENDENT ? independent : " blocks");
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

struct rdf_error_blocks rdf_error_blocks_read(const char *text) {
    struct rdf_error_blocks b = {.state = RDF_BLOCKS_UNSTATED, .bias = 1};
    const char *last = strstr(text, "; ");
    for (const char *next = last; next; next = strstr(next + 1, "; ")) last = next;
    if (last && strstr(last, independent)) {
        b.number = strtod(last + 2, NULL);
        b.bias = bias_of(number_after(text, joined), number_after(text, inefficiency));
        b.state = b.number > 1 && isfinite(b.number) ? RDF_BLOCKS_INDEPENDENT : RDF_BLOCKS_TOO_FEW;
    } else if (strstr(text, too_few)) {
        b.state = RDF_BLOCKS_TOO_FEW;
    } else if (strstr(text, assumed)) {
        b.state = RDF_BLOCKS_ASSUMED;
    } else if (strstr(text, exact)) {
        b = rdf_error_blocks_exact;
    }
    return b;
}

const char *rdf_error_blocks_comment(const char *line, const char **name, size_t *length) {
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

struct rdf_error_blocks rdf_error_blocks_of(const struct rdf_mean_error *e) {
    return (struct rdf_error_blocks){
        .state = state_of(e), .number = e->blocks, .bias = e->joined ? bias_of((double)e->block, e->inefficiency) : 1};
}

double rdf_error_blocks_interval(const struct rdf_mean_error *e, double percent) {
    enum rdf_blocks_state state = state_of(e);
    bool known = state == RDF_BLOCKS_INDEPENDENT || state == RDF_BLOCKS_ASSUMED;
    return known ? rdf_student_quantile(percent, e->blocks - 1) : NAN;
}

int rdf_interval_check(double percent, struct trj_error *err) {
    if (isnan(percent) || (percent >= 1 && percent < 100)) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--interval: invalid value %g: expected a percentage from 1 to below 100, such as 95", percent);
}

void rdf_interval_name(char name[RDF_INTERVAL_NAME], double percent) {
    snprintf(name, RDF_INTERVAL_NAME, "ci%g", percent);
}

const char rdf_interval_unknown[] =
    "note: --interval: too few records to find their correlation: confidence intervals are nan; count more frames, or "
    "shorter records if they have several frames each (-B of rdfhist or skhist)";

const struct trj_option rdf_interval_option[] = {
    {.name = "interval",
     .kind = TRJ_OPTION_REAL,
     .arg = "PERCENT",
     .help = "also print the half-width of confidence intervals of this probability in percent, such as 95, by "
             "Student's t for the "
             "number of independent blocks"},
    TRJ_OPTION_END,
};

const struct rdf_mean_error *rdf_error_blocks_longer(const struct rdf_mean_error *a, const struct rdf_mean_error *b) {
    bool few = state_of(a) == RDF_BLOCKS_TOO_FEW, other_few = state_of(b) == RDF_BLOCKS_TOO_FEW;
    if (few != other_few) return few ? a : b;
    return b->block > a->block ? b : a;
}
