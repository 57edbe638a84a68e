/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NAMES_H
#define COLLIO_NAMES_H

/** Keeps a help text for each parameter in the environment, where mpirun also puts those of its
 *  command line, whose name begins with that of a loaded component of collio but which no component
 *  has: Open MPI ignores such names. Works once per process; call it when a component serves a
 *  file. Local. */
void collio_names_check(void);

#endif /* COLLIO_NAMES_H */
