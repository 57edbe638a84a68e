/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_REPORT_H
#define MCA_COMMON_COLLIO_REPORT_H

struct mca_common_collio_file_t;

/** One aligned table about a file, from rank 0, when the user asked for it. Collective. */
void mca_common_collio_report(struct mca_common_collio_file_t *file);

#endif /* MCA_COMMON_COLLIO_REPORT_H */
