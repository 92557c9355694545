// SPDX-License-Identifier: MIT
// Lists the functions whose values are correlated, in the order of --list.
#include "signal.h"

const struct obs_function *const tcf_functions[] = {
    &tcf_msd, &tcf_vacf,       &tcf_reorient,     &tcf_survival, &tcf_hbond_lifetime, &tcf_contact_lifetime,
    &tcf_acf, &tcf_dielectric, &tcf_conductivity, NULL};
