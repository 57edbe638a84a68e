# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Programs that a study starts. What ends the study ends them first, by their process group."""

import contextlib
import os
import signal
import subprocess

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE = 30  # seconds between SIGTERM and SIGKILL


def unwind_on_signals():
    """The first signal raises SystemExit, so that every `with` of the study ends what it started;
    later signals do not interrupt that."""
    def unwind(number, _):
        for each in SIGNALS:
            signal.signal(each, lambda *_: None)
        raise SystemExit(128 + number)

    for each in SIGNALS:
        signal.signal(each, unwind)


def _end(job):
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(GRACE)
            return


@contextlib.contextmanager
def start(command, **options):
    """A program in a process group of its own; its standard output is job.stdout."""
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, start_new_session=True,
                          **options) as job:
        try:
            yield job
        except BaseException:
            _end(job)
            raise


def output(command, **options):
    """What a program prints; CalledProcessError if it fails."""
    with start(command, **options) as job:
        text = job.stdout.read()
    if job.returncode != 0:
        raise subprocess.CalledProcessError(job.returncode, command)
    return text
