/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_CALL_H
#define T_CALL_H

#include "t_util.h"

/** Which of MPI's calls moves bytes: MPI_File_write, MPI_File_read_at_all, ... */
typedef enum t_how { T_BLOCK, T_START, T_BEGIN } t_how; /* ..., i..., ..._begin */

typedef struct t_call {
    bool write;
    bool collective; /* ..._all; split calls always are */
    bool at;         /* explicit offset, else the file pointer */
    t_how how;
} t_call;

/* Makes the call. `at` is in etypes; *status is set by T_BLOCK, *request by T_START. */
int t_call_start(MPI_File file, const t_call *call, MPI_Offset at, void *buffer, int count,
                 MPI_Datatype type, MPI_Status *status, MPI_Request *request);
/* Waits for T_START, ends T_BEGIN. Returns the error of the transfer itself. */
int t_call_end(MPI_File file, const t_call *call, void *buffer, MPI_Status *status,
               MPI_Request *request);
/* Both. */
int t_call_make(MPI_File file, const t_call *call, MPI_Offset at, void *buffer, int count,
                MPI_Datatype type, MPI_Status *status);

#endif
