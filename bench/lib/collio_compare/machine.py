# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The machine before anything is timed: its memory is touched, and its idle time is read.

A virtual machine gets its memory from the host when it first writes to it, which takes far longer
than any later write. Without touch_memory the first configuration that uses a page would pay for it.
"""

import mmap
import os
import re
import subprocess
import sys
import time

BUSY = 0.1  # warn above this share of the CPUs' time
CHUNK = 64 << 20


def available_bytes():
    """Memory that can be taken without harm: half of what is available, and of the room that the
    control group leaves."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        rooms = [int(re.search(r"MemAvailable: *(\d+) kB", lines.read()).group(1)) << 10]
    try:
        limits = []
        for name in ("max", "current"):
            with open(f"/sys/fs/cgroup/memory.{name}", encoding="ascii") as value:
                limits.append(int(value.read()))
        rooms.append(limits[0] - limits[1])
    except (OSError, ValueError):
        pass  # no control group here, or no limit
    return max(0, min(rooms)) // 2


def touch_memory(seconds=10.0):
    """Writes to every page of the available memory, for at most so many seconds; returns the bytes.
    A child does it: all of its memory is free again when it ends, and if memory runs short, the
    kernel ends the child and not the run."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            with open("/proc/self/oom_score_adj", "w", encoding="ascii") as adjust:
                adjust.write("1000")
            _touch(available_bytes(), time.monotonic() + seconds, writer)
        finally:
            os._exit(0)
    os.close(writer)
    touched = 0
    with os.fdopen(reader, "rb") as dots:
        while dots.read(1):
            touched += CHUNK
    os.waitpid(child, 0)
    return touched


def _touch(room, end, writer):
    taken = []
    ones = b"\1" * (CHUNK // mmap.PAGESIZE)
    while (len(taken) + 1) * CHUNK <= room and time.monotonic() < end:
        chunk = mmap.mmap(-1, CHUNK)
        chunk[::mmap.PAGESIZE] = ones
        taken.append(chunk)
        os.write(writer, b".")


def read_cpus():
    """(ticks, idle ticks) of all CPUs since the machine started. Ticks that other virtual machines
    took are not idle; those of guests are in the user's already."""
    with open("/proc/stat", encoding="ascii") as lines:
        ticks = [int(word) for word in lines.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def busy_share(before, after):
    """The share of the CPUs' time that was not idle between two results of read_cpus."""
    ticks = after[0] - before[0]
    return 1 - (after[1] - before[1]) / ticks if ticks > 0 else 0.0


def watch(seconds=1.0):
    """The share of the CPUs' time that is in use now, while this program sleeps."""
    before = read_cpus()
    time.sleep(seconds)
    return busy_share(before, read_cpus())


def warning(machine):
    """A sentence if others used the machine in the second before the run, or an empty string."""
    share = machine.get("busy", 0.0)
    if share <= BUSY:
        return ""
    return (f"The machine was busy: {100 * share:.0f}% of the time of {machine['cpus']} CPUs was in "
            "use in the second before the run. These times and ratios are not reliable; measure "
            "again when it is idle.")


def source(root):
    """Which source was measured: its commit, the tree of ompi/ in it, and whether ompi/ has changes
    beside it. Empty texts where there is no git."""
    def git(*words):
        done = subprocess.run(["git", "-C", root, *words], text=True, check=False,
                              capture_output=True)
        return done.stdout.strip()

    return {"commit": git("rev-parse", "HEAD"), "ompi": git("rev-parse", "HEAD:ompi"),
            "changed": bool(git("status", "--porcelain", "ompi"))}


if __name__ == "__main__":
    touch_memory()
    found = warning({"busy": watch(), "cpus": os.cpu_count()})
    if found:
        print("WARNING: " + found, file=sys.stderr)
