# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# The part of kcluster that runs inside a cluster's namespaces; kcluster reads this file and calls
# inner_supervise and inner_exec there.

# One connection to each guest stays open, so that a command takes milliseconds to start.
ssh_options() { # NODE
    printf '%s\n' -F none -i "$STATE/key" -o ControlPath="$STATE/mem/c.$1" -o BatchMode=yes \
        -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
        -o GSSAPIAuthentication=no -o ServerAliveInterval=0
}

address_of() { sed -n "s/ $1\$//p" "$STATE/hosts"; }

to_guest() { # NODE WORDS-FOR-A-SHELL
    local options
    mapfile -t options < <(ssh_options "$1")
    exec ssh "${options[@]}" "root@$(address_of "$1")" "$2"
}

inner_exec() { # NODE CMD...
    local node=$1
    shift
    to_guest "$node" "cd $(printf '%q' "$PWD") 2>/dev/null; $(printf '%q ' "$@")"
}

start_guest() { # NODE INDEX KERNEL-ARGUMENT...
    local node=$1 index=$2 tap=tap-$1 full=$STATE/ptrace_full.so
    [[ -e $full ]] || full=
    shift 2
    ip tuntap add "$tap" mode tap
    ip link set "$tap" master lan up
    TMPDIR=$STATE/mem LD_PRELOAD=$full linux.uml "mem=$(get memory)M" "umid=$node" "uml_dir=$STATE/mem" \
        root=/dev/root rootfstype=hostfs "rootflags=$(get image)" ro panic=-1 quiet \
        con=null con0=null,fd:1 "NODE=$node" "STATE=$STATE" "ADDRESS=$NET.$index/24" "FS=$(get fs)" \
        "vec0:transport=tap,ifname=$tap,depth=128,gro=1,mac=02:00:00:77:00:0$index" "$@" \
        init=/bin/sh -- -c "\"mount -t hostfs -o $STATE none /mnt && exec /mnt/guest_init\"" \
        </dev/null >"$STATE/console.$node" 2>&1 &
    guests+=("$!")
}

await_guest() { # NODE
    local tries options
    for ((tries = 0; tries < 4500; tries++)); do
        [[ ! -e $STATE/ready.$1 ]] || break
        [[ ! -e $STATE/failed.$1 ]] || return 1
        kill -0 "${guests[@]}" || return 1
        sleep 0.02
    done
    [[ -e $STATE/ready.$1 ]] || return 1
    mapfile -t options < <(ssh_options "$1")
    ssh "${options[@]}" -M -N -f "root@$(address_of "$1")"
}

# The host's pids are in the host's /proc only: entered before this namespace has its own.
watch_process() { # PID; adds to others
    cd "/proc/$1"
    while [[ -e stat ]]; do sleep 1; done &
    others+=("$!")
    cd /
}

inner_supervise() {
    local guests=() i others=()
    trap 'exit 1' ERR
    trap 'exit 0' TERM
    mount --make-rprivate /
    [[ -z $(get with) ]] || watch_process "$(get with)"
    mount -t proc proc /proc
    mount -t tmpfs -o size=5g,mode=755 tmpfs "$STATE/mem" # the guests' memory
    mount --bind "$STATE/hosts" /etc/hosts
    ip link set lo up
    ip link add lan type bridge mcast_snooping 0
    ip addr add "$NET.1/24" dev lan
    ip link set lan up
    [[ $(get fs) != nfs ]] || start_guest store 2 "ubd0=$STATE/disk.img"
    for ((i = 0; i < $(get nodes); i++)); do start_guest "node$i" $((i + 3)); done
    [[ $(get fs) != ceph ]] || "$HERE/ceph_servers" "$NET.1" "$STATE/mem/ceph" ||
        { : >"$STATE/failed.servers" && exit 1; }
    for i in $(guest_names); do await_guest "$i"; done
    if [[ $(get nfs) != none ]]; then
        for i in $(node_names); do
            (inner_exec "$i" "$STATE/guest_$(get fs)" mount "$(get nfs)" "$(get options)")
        done
    fi
    : >"$STATE/up"
    # The first of these to end ends the cluster: the clock, the process it belongs to, a guest.
    sleep "$(get ttl)" &
    wait -n "$!" "${others[@]}" "${guests[@]}" || true
    echo "the time is up, or a guest is gone: ending"
}
