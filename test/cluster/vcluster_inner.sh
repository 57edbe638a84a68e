# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# The part of vcluster that runs inside a cluster's namespaces; vcluster reads this file and calls
# inner_supervise, inner_node, inner_limit and inner_stacks there. Pids here are the cluster's own.

quiet_ipv6() {
    local off=/proc/sys/net/ipv6/conf/all/disable_ipv6
    [[ ! -e $off ]] || printf 1 >"$off"
}

cable() { # cable NODE BRIDGE INTERFACE ADDRESS MTU
    local pid
    pid=$(<"$STATE/pid.$1")
    ip link add "$2.${1#node}" mtu "$5" type veth peer name "$3" mtu "$5" netns "$pid"
    if [[ $2 == data ]] && is_slow; then
        ip link set "$2.${1#node}" up
    else
        ip link set "$2.${1#node}" master "$2" up
    fi
    nsenter -t "$pid" -n -- ip addr add "$4" dev "$3"
    nsenter -t "$pid" -n -- ip link set "$3" up
    [[ $2 != data ]] || ! is_slow || nsenter -t "$pid" -n -- "$SELF" _patient "${4%.*.*}.0.0/16"
}

is_slow() { [[ -n $(get latency)$(get message) ]]; }

# Nothing is lost in the slow switch, however long it takes: TCP must not send anything twice.
inner_patient() { # inner_patient NETWORK: in a node's net namespace
    ip route change "$1" dev eth0 rto_min 20s
    printf 0 >/proc/sys/net/ipv4/tcp_early_retrans
    printf 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle
}

# The switch with costs takes the place of the data bridge.
start_slownet() { # uses names and keepers of inner_supervise
    local node ports=()
    for node in "${names[@]}"; do
        ports+=("data.${node#node}:$(($(bits_per_second "$(get rate)") / 8))")
    done
    if [[ $(get network_fs) != none ]]; then
        node=$(get store_rate)
        ports+=("data.store:$(($(bits_per_second "${node:-1000gbit}") / 8))")
    fi
    # It stands for cards and wires, which no process delays.
    nice -n -20 "$(find_built slownet "")" "$STATE/costs" "$(get latency | grep . || echo 0)" \
        "$(get message | grep . || echo 0)" "${ports[@]}" &
    keepers+=("$!")
}

# address NETWORK INDEX: ends in .3 for the head (index -1), .2 for the store, .4 for node0, ...
address() {
    local host=$(($2 + 3))
    printf '10.%d.%d.%d' "$1" $((host / 250)) $((host % 250 + 1))
}
readonly STORE=-2
readonly CTL_NET=78 DATA_NET=79 # used only inside the cluster's own namespaces

inner_limit() { # inner_limit RATE NODE...
    local rate=$1 burst node pid
    shift
    burst=$(get burst)
    [[ $rate == off || -n $burst ]] || burst=$(default_burst "$rate")
    for node; do
        pid=$(<"$STATE/pid.$node")
        if [[ $rate == off ]]; then
            tc qdisc del dev "data.${node#node}" root 2>/dev/null || true
            nsenter -t "$pid" -n -- tc qdisc del dev eth0 root 2>/dev/null || true
        else # the switch's side limits what the node receives, the node's side what it sends
            tc qdisc replace dev "data.${node#node}" root tbf \
                rate "$rate" burst "$burst" latency 20ms
            nsenter -t "$pid" -n -- tc qdisc replace dev eth0 root tbf \
                rate "$rate" burst "$burst" latency 20ms
        fi
    done
}

bits_per_second() {
    local unit
    [[ $1 =~ ^([1-9][0-9]*)([kmg]?)bit$ ]] ||
        die "rate '$1': want a number and bit, kbit, mbit or gbit"
    case ${BASH_REMATCH[2]} in
    k) unit=1000 ;;
    m) unit=1000000 ;;
    g) unit=1000000000 ;;
    *) unit=1 ;;
    esac
    printf '%d' $((BASH_REMATCH[1] * unit))
}

# A bucket that is too small loses rate whenever the machine is busy for a moment.
default_burst() {
    local bytes=$(($(bits_per_second "$1") / 8 / 250))
    printf '%d' $((bytes > 65536 ? bytes : 65536))
}

start_keeper() { # start_keeper NODE UNSHARE-OPTION...
    local node=$1
    shift
    unshare --net --uts --mount --ipc "$@" -- "$SELF" _node "$node" </dev/null &
    printf '%d\n' "$!" >"$STATE/pid.$node"
    keepers+=("$!")
}

await_node() {
    local tries
    for ((tries = 0; tries < 1500; tries++)); do
        [[ ! -e $STATE/ready.$1 ]] || return 0
        kill -0 "$(<"$STATE/pid.$1")" 2>/dev/null || break
        sleep 0.02
    done
    echo "$1 did not start" >&2
    return 1
}

# The file server is one more node on the data network, without slots. Its link is not limited: a
# storage system takes more than one node can send.
start_network_fs() { # uses names and keepers of inner_supervise
    start_keeper store --pid --fork --kill-child
    await_node store
    cable store data eth0 "$(address $DATA_NET "$STORE")/16" "$(get mtu)"
    ! is_slow || start_slownet
    gluster_start "$(get network_fs)" "${names[@]}"
}

inner_supervise() {
    local keepers=() i node names
    trap 'exit 1' ERR
    trap 'exit 0' TERM
    mount --make-rprivate /
    mount -t proc proc /proc
    ip link set lo up
    quiet_ipv6
    ip link add ctl type bridge mcast_snooping 0
    ip link set ctl up
    ip link add data type bridge mcast_snooping 0
    ip link set data up

    [[ -z $(get storage) ]] || mount -t tmpfs -o size=50%,mode=1777 tmpfs "$STATE/disk"
    mapfile -t names < <(node_names)
    start_keeper head
    for node in "${names[@]}"; do start_keeper "$node" --pid --fork --kill-child; done
    await_node head
    cable head ctl ctl0 "$(address $CTL_NET -1)/16" 1500
    for ((i = 0; i < ${#names[@]}; i++)); do
        await_node "${names[i]}"
        cable "${names[i]}" ctl ctl0 "$(address $CTL_NET "$i")/16" 1500
        cable "${names[i]}" data eth0 "$(address $DATA_NET "$i")/16" "$(get mtu)"
    done
    [[ $(get rate) == off ]] || is_slow || inner_limit "$(get rate)" "${names[@]}"
    if [[ $(get network_fs) != none ]]; then
        start_network_fs
    elif is_slow; then
        start_slownet
    fi
    : >"$STATE/up"

    # From here on the shell only collects orphans.  The first of these processes to end (the
    # clock, a node or a file server that broke) ends the cluster.
    sleep "$(get ttl)" &
    wait -n "$!" "${keepers[@]}" || true
    echo "the time is up, or a node is gone: ending"
}

# The host's /sys is hidden in a node, and with it the cgroups that limit the node's memory.
mount_memory_cgroups() {
    mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory &&
        mount -t cgroup -o memory cgroup /sys/fs/cgroup/memory
}

inner_node() { # what a node's first process does
    local node=$1 cgroups=no
    trap 'exit 1' ERR
    mount --make-rprivate /
    [[ ! -e /sys/fs/cgroup/memory/cgroup.procs ]] || cgroups=yes
    if [[ $node != head ]]; then
        mount -t proc proc /proc
        mount -t tmpfs -o "size=$(get shm),mode=1777" tmpfs /dev/shm
    fi
    mount -t sysfs sysfs /sys || echo "$node: /sys stays the host's" >&2
    if [[ $cgroups == yes ]] && mount_memory_cgroups 2>/dev/null; then
        : >"$STATE/mounted.$node"
    fi
    mount -t tmpfs -o size=50%,mode=1777 tmpfs "$STATE/scratch"
    mount --bind "$STATE/hosts" /etc/hosts
    hostname "$node"
    ip link set lo up
    quiet_ipv6
    : >"$STATE/ready.$node"
    while :; do
        sleep 3600 &
        wait "$!" || true # orphans of the node are collected here
    done
}

# Open MPI's own helper threads tell nothing.
without_event_loops() {
    awk 'function flush() { if (!dull) printf "%s", text; text = ""; dull = 0 }
        /^Thread/ { flush() }
        /^(#|Thread)/ { text = text $0 "\n"; dull = dull || /event_base_loop/ }
        END { flush() }'
}

inner_stacks() { # inner_stacks PROGRAM: in a node
    local proc name show='thread apply all backtrace 24'
    for proc in /proc/[0-9]*; do
        name=$(readlink "$proc/exe" 2>/dev/null) || continue
        [[ ${name##*/} == "$1" || ${name##*/} == "lt-$1" ]] || continue
        printf -- '--- %s pid %s rank %s\n' "$(</proc/sys/kernel/hostname)" "${proc#/proc/}" \
            "$(tr '\0' '\n' <"$proc/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')"
        if command -v gdb >/dev/null; then
            # KILL: gdb waits for a process that is inside the kernel, and does not end by TERM
            timeout -s KILL 30 gdb -p "${proc#/proc/}" -batch -ex "$show" 2>/dev/null |
                without_event_loops
            grep -q '^State:.D' "$proc/status" && cat "$proc/stack"
        else
            cat "$proc/wchan" && echo
        fi
    done
}
