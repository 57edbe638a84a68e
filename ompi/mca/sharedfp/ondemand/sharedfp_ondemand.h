/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_SHAREDFP_ONDEMAND_H
#define MCA_SHAREDFP_ONDEMAND_H

#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/sharedfp/base/base.h"
#include "ompi/mca/sharedfp/sharedfp.h"

/**
 * sharedfp/ondemand: shared file pointers that cost nothing until a program uses them. The stock
 * components prepare a shared pointer for every file that is opened: test files beside the data, a
 * segment, a semaphore and several barriers, more than half of the time of an open on one node. Few
 * programs use a shared pointer, so this component prepares it at the first use (docs/ondemand.md).
 */
OMPI_DECLSPEC extern mca_sharedfp_base_component_t mca_sharedfp_ondemand_component;
extern mca_sharedfp_base_module_t mca_sharedfp_ondemand_module;
/** Verbose level 1: the component serves the file. */
void mca_sharedfp_ondemand_show_selected(const ompio_file_t *fh);

#endif /* MCA_SHAREDFP_ONDEMAND_H */
