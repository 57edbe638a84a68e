# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""What happens to a program that has not ended at its limit: it hangs, or other programs leave it no time.

Ranks that wait for each other use the processors, too, so that time used is no proof of progress. But a
job that got half of a machine is not slow because of others: it hangs. So does one that used nothing.
"""
import os

HANG, EXTEND, GIVE_UP = 'hang', 'extend', 'give up'
EXTENSIONS = 3
BUSY = 2            # load average for each core, above which the limit may be extended
LEAST = 0.01        # a job that runs has used so much of a window, in seconds per second
SHARE = 0.5         # of the machine: the job itself is the load


def decide(window, used, load, cores, extended):
    """HANG, EXTEND or GIVE_UP, for a job whose processes used this many seconds of the processors in the
    last `window` seconds, and whose limit was extended so many times."""
    if load <= BUSY * cores or used < LEAST * window or used > SHARE * cores * window:
        return HANG
    return EXTEND if extended < EXTENSIONS else GIVE_UP


def seconds_of(stat):
    """Seconds of the processors in a line of /proc/PID/stat: the process and its children that have ended."""
    fields = stat.rsplit(')', 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf('SC_CLK_TCK')


def used_by(pids):
    """Seconds that these processes have used. One that has ended counts through its parent."""
    seconds = 0.0
    for pid in pids:
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as stat:
                seconds += seconds_of(stat.read())
        except (OSError, IndexError):
            continue
    return seconds


def machine():
    """Load average, and the number of cores."""
    return os.getloadavg()[0], os.cpu_count() or 1


class Limit:
    """The limit of one run, in seconds: look at it often, and start it again when the program shows
    progress. processes() has the ids of the job's processes."""

    def __init__(self, seconds, now, processes, where=machine):
        self.seconds, self.processes, self.machine = seconds, processes, where
        self.begin = now
        self.start(now)

    def start(self, now):
        self.half, self.end = now + self.seconds / 2, now + self.seconds
        self.since, self.used, self.extended = None, 0.0, 0

    def look(self, now):
        """None before the limit, else what decide returns. EXTEND: a new limit has begun."""
        if self.since is None and now >= self.half:
            self.since, self.used = now, used_by(self.processes())
        if now <= self.end:
            return None
        used, begin = used_by(self.processes()), self.half if self.since is None else self.since
        verdict = decide(now - begin, used - self.used, *self.machine(), self.extended)
        if verdict == EXTEND:
            self.extended += 1
            self.end, self.since, self.used = now + self.seconds, now, used
        return verdict

    def reason(self, now):
        """Why a test is skipped, in the form that .ci/skips knows."""
        return f'gave up after {now - self.begin:.0f} s, load {self.machine()[0]:.0f}'
