/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_MESSAGES_H
#define T_MESSAGES_H

/* Messages that this process has sent since the first call, whoever sent them: the program, a
 * collective, or the component under test. Counted in Open MPI's point-to-point layer, whose
 * entries the first call replaces. */
long t_messages(void);
/* The same for synchronous sends. */
long t_messages_synchronous(void);

#endif
