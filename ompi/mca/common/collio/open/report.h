/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REPORT_H
#define COLLIO_REPORT_H

struct collio_file_t;

/** One aligned table about a file, from rank 0, when the user asked for it. Collective. */
void collio_report(struct collio_file_t *file);

#endif /* COLLIO_REPORT_H */
