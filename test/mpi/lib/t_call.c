/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI's calls that move bytes; see t_call.h. */
#include "t_call.h"

/* MPI_File_write<suffix> or MPI_File_read<suffix>; i: the nonblocking ones. */
#define MOVE(i, suffix, ...)                                \
    (call->write ? MPI_File_##i##write##suffix(__VA_ARGS__) \
                 : MPI_File_##i##read##suffix(__VA_ARGS__))

int t_call_start(MPI_File file, const t_call *call, MPI_Offset at, void *buffer, int count,
                 MPI_Datatype type, MPI_Status *status, MPI_Request *request)
{
    if (T_BEGIN == call->how) {
        return call->at ? MOVE(, _at_all_begin, file, at, buffer, count, type)
                        : MOVE(, _all_begin, file, buffer, count, type);
    }
    if (T_START == call->how && call->collective) {
        return call->at ? MOVE(i, _at_all, file, at, buffer, count, type, request)
                        : MOVE(i, _all, file, buffer, count, type, request);
    }
    if (T_START == call->how) {
        return call->at ? MOVE(i, _at, file, at, buffer, count, type, request)
                        : MOVE(i, , file, buffer, count, type, request);
    }
    if (call->collective) {
        return call->at ? MOVE(, _at_all, file, at, buffer, count, type, status)
                        : MOVE(, _all, file, buffer, count, type, status);
    }
    return call->at ? MOVE(, _at, file, at, buffer, count, type, status)
                    : MOVE(, , file, buffer, count, type, status);
}

int t_call_end(MPI_File file, const t_call *call, void *buffer, MPI_Status *status,
               MPI_Request *request)
{
    int rc;

    if (T_BLOCK == call->how) {
        return MPI_SUCCESS;
    }
    if (T_BEGIN == call->how) {
        return call->at ? MOVE(, _at_all_end, file, buffer, status)
                        : MOVE(, _all_end, file, buffer, status);
    }
    rc = MPI_Wait(request, status);
    return MPI_ERR_IN_STATUS == t_class(rc) ? status->MPI_ERROR : rc;
}

int t_call_make(MPI_File file, const t_call *call, MPI_Offset at, void *buffer, int count,
                MPI_Datatype type, MPI_Status *status)
{
    MPI_Request request;
    int rc = t_call_start(file, call, at, buffer, count, type, status, &request);

    return MPI_SUCCESS == rc ? t_call_end(file, call, buffer, status, &request) : rc;
}
