/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
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

const char *ioprof_class_name(uint64_t class)
{
    static const char *const names[IOPROF_CLASSES] = {"MPI-IO collective", "MPI-IO independent",
                                                      "MPI-IO completion", "POSIX", "<POSIX"};

    return class < IOPROF_CLASSES ? names[class] : "unknown";
}

const char *ioprof_kind_name(uint64_t kind)
{
    static const char *const names[IOPROF_KINDS] = {"open", "close", "read", "write",
                                                    "sync", "meta",  "seek", "wait"};

    return kind < IOPROF_KINDS ? names[kind] : "unknown";
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
        "cpu_ns",      "net_received",   "net_sent",     "disk_read",    "disk_written",
        "lustre_read", "lustre_written", "lustre_reads", "lustre_writes"};

    return names[counter];
}
