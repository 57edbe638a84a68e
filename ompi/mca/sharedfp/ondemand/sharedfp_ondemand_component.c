/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** The component: its parameter, and its query. */
#include "sharedfp_ondemand.h"

#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/ompio/named.h"
#include "ompi/mca/common/collio/ompio/open.h"

#include "ompi/mca/sharedfp/base/base.h"

enum {
    PRIORITY_DEFAULT = 5, /* below the stock components, which have 10 to 30 */
    PRIORITY_WITH_COLLIO = 60
};

static int parameter_priority = PRIORITY_DEFAULT;

/* Returns the priority; 0: declines. The component serves the files of fcoll/overlap and fcoll/tam,
 * and files of other fcolls only if it is named or has a priority above the default. */
static int priority_now(void)
{
    if (0 < parameter_priority && parameter_priority < PRIORITY_WITH_COLLIO
        && collio_fcoll_is_chosen()) {
        return PRIORITY_WITH_COLLIO;
    }
    if (collio_is_requested(&ompi_sharedfp_base_framework, "ondemand", parameter_priority,
                            PRIORITY_DEFAULT)) {
        return parameter_priority;
    }
    return 0;
}

static int register_component(void)
{
    int rc = COLLIO_FITS("sharedfp/ondemand");

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_base_component_var_register(
        &mca_sharedfp_ondemand_component.sharedfpm_version, "priority",
        "Priority of this component. With fcoll/overlap or fcoll/tam the default selects it. Set "
        "it above 30, the highest of the stock components, to use it with every fcoll; set it to 0 "
        "to use Open MPI's own shared file pointers with fcoll/overlap and fcoll/tam",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_ALL,
        &parameter_priority);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

static mca_sharedfp_base_module_t *file_query(ompio_file_t *fh, int *priority)
{
    *priority = priority_now();
    COLLIO_SHOW_ROOT(sharedfp, SELECT, fh, "sharedfp/ondemand: %s: %s, priority %d", fh->f_filename,
                     *priority <= 0 ? "not available" : "available", *priority);
    return *priority <= 0 ? NULL : &mca_sharedfp_ondemand_module;
}

mca_sharedfp_base_component_t mca_sharedfp_ondemand_component = {
    .sharedfpm_version = COLLIO_COMPONENT(COLLIO_SHAREDFP_VERSION, "ondemand", register_component,
                                          collio_open, collio_close),
    .sharedfpm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .sharedfpm_init_query = collio_init_query,
    .sharedfpm_file_query = file_query,
    .sharedfpm_file_unquery = collio_file_unquery,
};
