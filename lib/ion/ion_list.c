// SPDX-License-Identifier: MIT
// Parses ions, salts and neutralisation into one list of kinds, with all arithmetic of charges in one place.
#include "ion_list.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

uint64_t pot_ion_list_total(const struct pot_ion_list *l) {
    uint64_t total = 0;
    for (size_t i = 0; i < l->kinds; i++) total += l->kind[i].count;
    return total;
}

double pot_ion_list_charge(const struct pot_ion_list *l) {
    double charge = 0;
    for (size_t i = 0; i < l->kinds; i++) charge += (double)l->kind[i].count * l->kind[i].charge;
    return charge;
}

static int fail_item(struct trj_error *err, const char *item, const char *why) {
    return trj_fail(err, TRJ_USAGE, "invalid ion '%.40s': %s; example: SOD:+1:10,CLA:-1:10", item, why);
}

// Fails if there are more than POT_IONS_MAX ions after `count` were added to a kind.
static int add(struct pot_ion_list *l, size_t kind, double count, struct trj_error *err) {
    if (count + (double)pot_ion_list_total(l) > POT_IONS_MAX)
        return trj_fail(err, TRJ_USAGE, "%.0f ions of the kind %s are too many: at most %d ions can be placed", count,
                        l->kind[kind].name, POT_IONS_MAX);
    l->kind[kind].count += (uint64_t)count;
    return 0;
}

static int parse_name(struct pot_ion_list *l, const char *item, size_t length, struct trj_error *err) {
    struct pot_ion_kind *k = &l->kind[l->kinds];
    if (!length || length > POT_ION_NAME) return fail_item(err, item, "the name must have 1 to 4 characters");
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)item[i]) && item[i] != '+' && item[i] != '-')
            return fail_item(err, item, "the name may contain letters, digits, '+' and '-' only");
    snprintf(k->name, sizeof k->name, "%.*s", (int)length, item);
    for (size_t i = 0; i < l->kinds; i++)
        if (!strcmp(l->kind[i].name, k->name)) return fail_item(err, item, "the name occurs twice");
    return 0;
}

static int parse_item(struct pot_ion_list *l, char *item, struct trj_error *err) {
    char *colon = strchr(item, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
    if (l->kinds == POT_ION_KINDS)
        return trj_fail(err, TRJ_USAGE, "more than %d kinds of ions; run the program twice", POT_ION_KINDS);
    struct pot_ion_kind *k = &l->kind[l->kinds];
    uint64_t count = 0;
    if (!colon) return fail_item(err, item, "the charge is missing");
    if (parse_name(l, item, (size_t)(colon - item), err)) return -1;
    if (second && !trj_parse_u64(second + 1, &count))
        return fail_item(err, item, "the number of ions is not a whole number");
    if (second) *second = '\0';
    // Without the sign, a charge could be confused with a number of ions.
    bool sign = colon[1] == '+' || colon[1] == '-';
    if (!sign || !trj_parse_real(colon + 1, &k->charge))
        return fail_item(err, item, "the charge must be a number with a sign");
    if (k->charge == 0 || fabs(k->charge) > POT_ION_CHARGE_MAX)
        return fail_item(err, item, "the magnitude of the charge must be above 0, and at most 100 e");
    k->open = !second;
    l->kinds++;
    return add(l, l->kinds - 1, (double)count, err);
}

int pot_ion_list_parse(struct pot_ion_list *l, const char *text, struct trj_error *err) {
    char copy[1024];
    *l = (struct pot_ion_list){.kinds = 0};
    if (strlen(text) >= sizeof copy) return trj_fail(err, TRJ_USAGE, "the list of ions is too long");
    snprintf(copy, sizeof copy, "%s", text);
    for (char *item = copy, *comma; item; item = comma) {
        comma = strchr(item, ',');
        if (comma) *comma++ = '\0';
        if (parse_item(l, item, err)) return -1;
    }
    return 0;
}

// Returns how many ions of charge b cancel n ions of charge a; 0 if no whole number does. The quotient of charges such
// as 0.3 and 0.1 e has a rounding error.
static double partners(int n, double a, double b) {
    double exact = n * fabs(a) / fabs(b), whole = rint(exact);
    return fabs(exact - whole) <= 1e-9 * whole ? whole : 0;
}

int pot_ion_list_add_salt(struct pot_ion_list *l, double concentration, double volume, struct trj_error *err) {
    static const double per_mole_and_litre = 6.02214076e-4; // N_A 1e-27 l/Å^3
    size_t open[2] = {0, 0}, count = 0;
    for (size_t i = 0; i < l->kinds; i++)
        if (l->kind[i].open && count++ < 2) open[count - 1] = i;
    double a = l->kind[open[0]].charge, b = l->kind[open[1]].charge;
    if (count != 2 || !(a * b < 0))
        return trj_fail(err, TRJ_USAGE,
                        "a concentration requires two kinds of ions without a number, with charges of opposite signs, "
                        "such as SOD:+1,CLA:-1");
    // The smallest numbers of ions whose charges cancel.
    int n = 1;
    while (n <= 8 && !(partners(n, a, b) > 0)) n++;
    if (n > 8)
        return trj_fail(err, TRJ_USAGE,
                        "up to 8 ions of charge %g e cannot be neutralised by ions of charge %g e; give the numbers "
                        "of ions",
                        a, b);
    double units = rint(concentration * volume * per_mole_and_litre);
    return add(l, open[0], units * n, err) || add(l, open[1], units * partners(n, a, b), err) ? -1 : 0;
}

int pot_net_charge_round(double *net, struct trj_error *err) {
    double whole = rint(*net);
    if (!(fabs(*net - whole) <= POT_NET_CHARGE_ERROR))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the net charge is %.6f e, which is not within %g e of an integer; check the charges, or give "
                        "the number of ions",
                        *net, POT_NET_CHARGE_ERROR);
    *net = whole + 0.0; // not -0
    return 0;
}

int pot_ion_list_neutralise(struct pot_ion_list *l, double net, struct trj_error *err) {
    static const double rounding = 1e-9; // of sums of charges such as 0.1 e
    double left = net + pot_ion_list_charge(l);
    bool found = false;
    for (size_t i = 0; i < l->kinds && fabs(left) > rounding; i++) {
        const struct pot_ion_kind *k = &l->kind[i];
        if (!k->open || k->charge * left > 0) continue;
        double count = floor(fabs(left / k->charge) + rounding);
        if (add(l, i, count, err)) return -1;
        left += count * k->charge;
        found = true;
    }
    if (fabs(left) <= rounding) return 0;
    if (!found)
        return trj_fail(err, TRJ_USAGE, "a charge of %+g e is left, but no ion of a %s charge is without a number",
                        left, left > 0 ? "negative" : "positive");
    return trj_fail(err, TRJ_USAGE,
                    "a charge of %+g e is left, which no whole number of ions cancels; add another kind", left);
}
