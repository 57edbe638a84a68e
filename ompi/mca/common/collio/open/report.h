/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REPORT_H
#define COLLIO_REPORT_H

struct collio_file_t;

/** Prints the report of a file on rank 0, if the setting `report` is not off. Collective. */
void collio_report(struct collio_file_t *file);

#endif /* COLLIO_REPORT_H */
