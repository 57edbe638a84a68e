/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/functions.h"
#include "profile/profile.h"

const uint64_t ioprof_size_from[IOPROF_SIZES] = {
    0, 1, 512, 4096, 32768, 262144, 1 << 20, 4U << 20, 16U << 20, 128U << 20, 1U << 30};

int ioprof_size_bucket(uint64_t bytes)
{
    int bucket = 0;

    while (bucket + 1 < IOPROF_SIZES && bytes >= ioprof_size_from[bucket + 1]) {
        bucket++;
    }
    return bucket;
}

#define MPI_NAME(name, kind, class) "MPI_" #name,

const char *ioprof_data_function(int bit)
{
    static const char *const names[] = {IOPROF_MPI_FUNCTIONS(MPI_NAME)};
    int id = IOPROF_ID_File_read_at + bit;

    if (id > IOPROF_ID_File_write_ordered_begin) {
        return NULL;
    }
    return names[id - IOPROF_POSIX_IDS];
}

const char *ioprof_class_name(uint64_t class)
{
    static const char *const names[IOPROF_CLASSES] = {"MPI-IO collective", "MPI-IO individual",
                                                      "MPI-IO completion", "POSIX", "<POSIX"};

    if (class < IOPROF_CLASSES) {
        return names[class];
    }
    return "unknown";
}

const char *ioprof_kind_name(uint64_t kind)
{
    static const char *const names[IOPROF_KINDS] = {"open", "close", "read", "write",
                                                    "sync", "meta",  "seek", "wait"};

    if (kind < IOPROF_KINDS) {
        return names[kind];
    }
    return "unknown";
}

int ioprof_bin_kind(uint64_t kind)
{
    return kind < IOPROF_SPAN_KINDS ? (int) kind : (IOPROF_META == kind ? IOPROF_SPAN_KINDS : -1);
}

const char *ioprof_bin_name(int row)
{
    return ioprof_kind_name(IOPROF_SPAN_KINDS == row ? IOPROF_META : (uint64_t) row);
}

const char *ioprof_node_name(int counter)
{
    static const char *const names[IOPROF_NODE_COUNTERS] = {
        "cpu_ns",        "net_received",   "net_sent",     "disk_read",     "disk_written",
        "lustre_read",   "lustre_written", "lustre_reads", "lustre_writes", "lnet_sends",
        "lnet_receives", "lnet_sent",      "lnet_received"};

    return names[counter];
}
