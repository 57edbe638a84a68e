# shellcheck shell=bash disable=SC2034,SC2154 # variables are those of run
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# What fcoll/tam chooses between nodes, read by run for its part `counters`.

# The costs of messages between and inside nodes are measured where no node has more ranks than cores.
costs() {
    local name='counters: tam, costs of messages are measured'
    if (($(nproc) < 2)); then
        skip "$name # one core"
        return
    fi
    cluster 2
    mpi 120 2,2 slot --mca fcoll tam --mca fcoll_base_verbose 10 "$bin/t_traffic" \
        "$work/traffic.data" tam 100 100
    count_lines
    check "$name" holds "world.wrong_ranks == 0" \
        "$(grep -c 'measured for local aggregators: [1-9][0-9]* ns for a message between' "$work/log") == 1"
}

# Nothing is set: pieces that are too small for direct access are exchanged, in two layers where many
# ranks of a node send in every cycle. Larger pieces go direct (the nodes share a page cache).
chosen() {
    local name='counters: tam, exchange=auto' piece_bytes=100
    measure tam 8,8,8,8 slot 0 exchange=auto
    check "$name, 4 nodes of 8 ranks, tiny pieces: two layers" holds "world.wrong_ranks == 0" \
        "write.requests_gathered > 0" "write.seen_senders_between < world.ranks" \
        "write.calls_direct + read.calls_direct == 0"
    measure tam 1,1 slot 0 exchange=auto
    check "$name, 2 nodes of 1 rank, tiny pieces: one layer" holds "world.wrong_ranks == 0" \
        "write.requests_gathered == 0" "write.calls_direct + read.calls_direct == 0"
    piece_bytes=4000
    measure tam 8,8,8,8 slot 0 exchange=auto
    check "$name, larger pieces: direct" holds "world.wrong_ranks == 0" \
        "write.calls_direct + read.calls_direct == 2 * world.ranks"
}
