# shellcheck shell=bash disable=SC2034,SC2154 # variables are those of run
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# What is chosen between nodes, read by run for its parts `counters` and `calibrate`.

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
    mpi 120 2,2 slot --mca fcoll tam --mca fcoll_base_verbose 10 \
        -x T_FIRST=local_aggregators=2 "$bin/t_traffic" "$work/traffic.data" tam 100 100
    count_lines
    check "$name, if the first file names local aggregators" holds "world.wrong_ranks == 0" \
        "$(grep -c 'traffic.data.*measured for local aggregators: [1-9][0-9]* ns' "$work/log") == 1" \
        "$(grep -c 'measured for local aggregators' "$work/log") == 1"
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

# The first call of a plan is charged all of it, later ones an eighth: two local aggregators on a
# node, then one. Costs are fixed with keep=off.
reused() {
    local name='counters: tam, local aggregators' piece_bytes=100 pieces=2000 warm
    for warm in 0 9; do
        measure tam 8,8 slot 0 exchange=on schedule=none transport=shm aggregators=2 \
            buffer_bytes=102400 keep=off
        check "$name, $warm calls before" holds "world.wrong_ranks == 0" "write.cycles > 20" \
            "write.messages_between_nodes == ($warm > 0 ? 1 : 2) * write.cycles" \
            "write.plan_misses == 16 * ($warm == 0)"
    done
}

# Ranges are compared on their node: t_interleave writes and reads segments, blocks in turn, distant
# pairs and one rank around all, each in two orders of the ranks. Pairs on two nodes are not found.
interleaving() {
    local map pair said want
    cluster 2
    for map in slot node; do
        [[ $map == slot ]] && pair=interleaved || pair=apart
        want=$(printf '%s\n' {apart,interleaved,"$pair",apart}{,,,})
        mpi 120 4,4 "$map" --mca fcoll overlap --mca fcoll_base_verbose 20 -x T_DIR="$work" \
            "$COLLIO_BUILD/test/mpi/t_interleave" nodes
        check "counters: overlap, 4,4 by $map, interleaving: bytes are right" test $? == 0
        said=$(sed -n 's/.* pieces of all ranks (\([a-z]*\)).*/\1/p' "$work/log")
        check "counters: overlap, 4,4 by $map, interleaving is found" test "$said" == "$want"
    done
}

# Limits that only several nodes with several ranks each have: calibrate runs by mpirun of the cluster.
part_calibrate() {
    local name='calibrate: 2 nodes of 2 ranks' line
    cluster 2
    hosts 2,2
    mkdir -p "$work/calibrate"
    printf '#!/bin/sh\nexec "%s" mpirun "$@"\n' "$vc" >"$work/calibrate/mpirun"
    chmod +x "$work/calibrate/mpirun"
    VCLUSTER_MPIRUN=$(command -v mpirun) PATH=$work/calibrate:$PATH timeout -k 10 900 "$COLLIO_SRC/bench/calibrate" \
        --dir "$work" --size 4m --repeat 1 -- -np 4 --hostfile "$work/hosts" >"$work/params" 2>"$work/log" </dev/null
    cat "$work/params" >>"$work/log"
    for line in '# ranks: 4, nodes: 2,.*' 'fcoll_tam_local_aggregators = [24]' \
        'fcoll_(overlap|tam)_memory_group_bytes = [0-9]+'; do
        grep -q -E -x "$line" "$work/params" || { not_ok "$name: no line $line" "$work/log"; return; }
    done
    check "$name: everything is measured" test "$(grep -c 'not measured' "$work/params")" = 0
}
