/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** The component: its parameter, and its query. */
#include "sharedfp_ondemand.h"

#include "ompi/mca/common/collio/core/naming.h"

#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/ompio/named.h"
#include "ompi/mca/common/collio/ompio/open.h"
#include "ompi/mca/common/collio/settings/setting.h"

#include "ompi/mca/sharedfp/base/base.h"

static int parameter_priority;
static const collio_candidate_t candidate = {.framework = &ompi_sharedfp_base_framework,
                                             .name = "ondemand",
                                             .priority = &parameter_priority};

/* True if the component serves files because fcoll/overlap or fcoll/tam serves them. The priority
 * of a user who wants the stock components is 0; a lower one than theirs has no other use. */
static bool is_implied(void)
{
    return 0 < parameter_priority && parameter_priority < COLLIO_PRIORITY_NAMED
           && collio_fcoll_is_chosen();
}

static const collio_setting_t rows[] = {
    {"priority", COLLIO_NUMBER, 0, NULL, COLLIO_PRIORITY_DEFAULT, 3, COLLIO_SETTING_NO_HINT, NULL,
     "Priority of this component; the default selects it with fcoll/overlap and fcoll/tam. "
     "Set it above 30 to use it with every fcoll, or to 0 to use Open MPI's own shared "
     "file pointers (docs/ondemand.md)"}};

static collio_settings_set_t set = {.prefix = "sharedfp_ondemand",
                                    .rows = rows,
                                    .count = 1,
                                    .parameters = &parameter_priority,
                                    .bytes = sizeof(parameter_priority)};

static int ondemand_register_component(void)
{
    int rc = COLLIO_FITS("sharedfp/ondemand");

    return OMPI_SUCCESS != rc ? rc
                              : collio_settings_set_register(
                                  &set, &mca_sharedfp_ondemand_component.sharedfpm_version);
}

/* Declines file systems without descriptors, where io/ompio's individual calls would access the
 * file: they return success after a failed access, and requests that crash MPI_Wait. */
static mca_sharedfp_base_module_t *ondemand_file_query(ompio_file_t *fh, int *priority)
{
    *priority = is_implied() ? COLLIO_PRIORITY_NAMED : collio_candidate_priority(&candidate);
    if (0 >= *priority) {
        collio_candidate_declined(&candidate, fh, NULL);
        return NULL;
    }
    if (!collio_individual_serves(fh)) {
        collio_candidate_declined(&candidate, fh, "the file system has no descriptors");
        return NULL;
    }
    return &mca_sharedfp_ondemand_module;
}

void mca_sharedfp_ondemand_show_selected(const ompio_file_t *fh)
{
    if (is_implied()) {
        COLLIO_SHOW_ROOT(sharedfp, SELECT, fh,
                         "sharedfp/ondemand: %s: selected: a collio fcoll component serves the "
                         "file",
                         fh->f_filename);
    } else {
        collio_candidate_selected(&candidate, fh);
    }
}

static int ondemand_file_unquery(ompio_file_t *fh)
{
    collio_candidate_outranked(&candidate, fh);
    return OMPI_SUCCESS;
}

mca_sharedfp_base_component_t mca_sharedfp_ondemand_component = {
    .sharedfpm_version = COLLIO_COMPONENT(COLLIO_SHAREDFP_VERSION, "ondemand",
                                          ondemand_register_component, collio_open, collio_close),
    .sharedfpm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .sharedfpm_init_query = collio_init_query,
    .sharedfpm_file_query = ondemand_file_query,
    .sharedfpm_file_unquery = ondemand_file_unquery,
};
