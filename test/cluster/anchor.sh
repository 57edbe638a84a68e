# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # the programs set SELF, NAME, ROOT, STATE and SKIP
#
# What vcluster and kcluster share: messages, the state of a cluster, and its anchor, the process on
# the host that everything of a cluster descends from.

die() {
    printf '%s: %s\n' "${SELF##*/}" "$*" >&2
    exit 1
}

skip() {
    printf '%s: skipped: %s\n' "${SELF##*/}" "$*" >&2
    exit "$SKIP"
}

# One small file per value: $STATE/conf/<key>.
get() { [[ -e $STATE/conf/$1 ]] && printf '%s' "$(<"$STATE/conf/$1")"; }
put() { printf '%s\n' "$2" >"$STATE/conf/$1"; }

# The start time tells a process from a later one with the same pid.
born() {
    local line
    { line=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
    read -ra line <<<"${line##*) }"
    [[ ${line[0]} != Z ]] || return 1
    printf '%s' "${line[19]}"
}

anchor() { # pid of the anchor; fails if the cluster is not up
    local pid start
    [[ -e $STATE/anchor ]] || return 1
    read -r pid start <"$STATE/anchor" || return 1
    [[ $(born "$pid") == "$start" ]] || return 1
    printf '%s' "$pid"
}

need_up() { anchor >/dev/null || die "cluster '$NAME' is not up"; }

node_names() { local i; for ((i = 0; i < $(get nodes); i++)); do printf 'node%d\n' "$i"; done; }

lock() { # one "up" or "down" at a time
    exec 9<"$ROOT"
    flock -w 120 9 || die "another 'up' or 'down' does not end"
}

supervisor_pid() { # as the host sees it
    local stat fields
    for stat in /proc/[0-9]*/stat; do
        { fields=$(<"$stat"); } 2>/dev/null || continue
        read -ra fields <<<"${fields##*) }"
        [[ ${fields[1]} != "$1" ]] || { stat=${stat#/proc/}; printf '%s' "${stat%/stat}"; return; }
    done
}

# Ending the supervisor ends all; the anchor returns when the last process is gone. before_removal is the
# program's: what it has made outside of the cluster's namespaces.
take_down() {
    local pid child tries
    if pid=$(anchor); then
        child=$(supervisor_pid "$pid")
        [[ -z $child ]] || kill -KILL "$child" 2>/dev/null || true
        for ((tries = 0; tries < 500; tries++)); do
            anchor >/dev/null || break
            ((tries != 400)) || kill -KILL "$pid" 2>/dev/null || true
            sleep 0.02
        done
    fi
    before_removal
    rm -rf --one-file-system -- "$STATE"
    rmdir -- "$ROOT" 2>/dev/null || true # other clusters may be in it
}

cmd_down() {
    [[ -d $STATE ]] || { echo "cluster '$NAME' is not up"; return 0; }
    lock
    take_down
    echo "cluster '$NAME' is down"
}

cmd_list() {
    local dir
    for dir in "$ROOT"/*/; do
        NAME=$(basename "$dir") STATE=${dir%/}
        ! anchor >/dev/null || printf '%s\n' "$NAME"
    done
}

cmd_env() { # the settings of mpirun as export lines
    local line
    need_up
    while IFS= read -r line; do
        printf 'export %s=%q\n' "${line%%=*}" "${line#*=}"
    done < <(settings "${1:-ob1}")
}

status_of() { # KEY...
    local key pid
    if ! pid=$(anchor); then
        echo "cluster '$NAME' is not up"
        return 1
    fi
    printf "cluster '%s', anchor %s\n" "$NAME" "$pid"
    for key; do printf '  %-10s %s\n' "$key" "$(get "$key")"; done
}
