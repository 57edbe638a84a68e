# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs what is not in the results file yet. Cases of the same machine, ranks and MCA parameters
share a job; the repetitions of all jobs take turns, so that a disturbance meets all of them."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from . import child, record
from . import machine as machines

TIMEOUT = 240  # seconds for a job, and as much again for each ten cases
PER_JOB = 24  # cases


class Store:
    """One JSON object per line: a phase of a case in one repetition."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.commit = ""  # of the build that is measured
        if os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                self.rows = [json.loads(line) for line in lines]

    def done(self):
        return {(row["key"], row["repeat"]) for row in self.rows}

    def add(self, row):
        self.rows.append(row)
        with open(self.path, "a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")


def jobs(study, store, most_ranks):
    """(repeat, machine, ranks, mca, cases), in the order in which they run."""
    done, found = store.done(), {}
    for repeat in range(study.REPEAT):
        for case in study.cases():
            if (case.key(), repeat) not in done and case.ranks <= most_ranks:
                where = (repeat, case.machine or study.MACHINE, case.ranks, case.mca)
                found.setdefault(where, []).append(case)
    return [(*where, cases[at:at + PER_JOB]) for where, cases in found.items()
            for at in range(0, len(cases), PER_JOB)]


def _settled(seconds):
    """The median of the second half: plans are made, and `auto` has chosen."""
    return statistics.median(seconds[len(seconds) // 2:])


def ticks():
    """Processor time of all cores so far: all of it, and what was idle."""
    with open("/proc/stat", encoding="utf-8") as stat:
        fields = [int(word) for word in stat.readline().split()[1:9]]
    return sum(fields), fields[3] + fields[4]


def machine_busy(since):
    """The share of the cores that all processes of this computer took since then."""
    total, idle = (now - then for now, then in zip(ticks(), since))
    return 1 - idle / total if total else 0


def row_of(repeat, line):
    """A line that collio_bench printed."""
    found = json.loads(line)
    steps = found["steps"]
    return {"key": found["label"], "repeat": repeat, "phase": found["phase"],
            "seconds": found["seconds"], "settled": _settled(found["step_seconds"]),
            "busy": found["cpu_seconds"] / (steps * found["seconds"] * os.cpu_count()),
            "bytes": found["bytes"], "ranks": found["ranks"], "bad_bytes": found["bad_bytes"],
            "counters": {name.split("_", 2)[2]: {part: value / steps for part, value in v.items()}
                         for name, v in found["pvars"].items()
                         if name.startswith("fcoll_") and v["max"]}}


def _run(build, cluster, study, repeat, ranks, mca, cases, store):
    command = cluster.command(ranks)
    for name, value in mca:
        command += ["--mca", name, value]
    command.append(os.path.join(build, "bench", "collio_bench"))
    for case in cases:
        command += ["--then"] * (case is not cases[0])
        command += ["--steps", str(study.STEPS), *case.args, "--dir", cluster.folder,
                    "--label", case.key()]
    limit = TIMEOUT * (1 + len(cases) / 10)
    begin, count = ticks(), 0
    with tempfile.TemporaryFile("w+") as errors, child.start(
            ["timeout", "-k", "20", str(int(limit)), *command], env=cluster.env,
            stderr=errors) as job:
        for line in job.stdout:
            if line.startswith("{"):
                store.add(dict(row_of(repeat, line), machine_busy=machine_busy(begin),
                               commit=store.commit))
                begin, count = ticks(), count + 1
        if job.wait() != 0:
            errors.seek(0)
            print(f"  {count} of {2 * len(cases)} results, exit status {job.returncode}: "
                  + " ".join(errors.read().split()[-40:]), file=sys.stderr)
    return job.returncode == 0


def _left(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _environment(build):
    """Lets Open MPI find the built components."""
    text = subprocess.run(["sh", "-c", f'eval "$({build}/ompi-env)"; env'], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.startswith(("OMPI_", "PMIX_", "PRTE_", "LD_LIBRARY_PATH")):
            os.environ[name] = value
    os.environ["COLLIO_BUILD"] = build


def run(source, build, study, store, most_ranks):
    """Everything that is missing; False if something failed."""
    _environment(build)
    store.commit = record.commit(source)
    if hasattr(study, "gather"):  # not collio_bench on a cluster: the study runs it, as a whole
        if not store.rows:
            print(f"{study.NAME}: {len(list(study.cases()))} runs", flush=True)
            for row in list(study.gather(source, build)):
                store.add(dict(row, commit=store.commit))
        return True
    todo, good = jobs(study, store, most_ranks), True
    begin, cases_done = time.time(), 0
    cases_all = sum(len(job[-1]) for job in todo)
    for name in dict.fromkeys(job[1] for job in todo):
        machine = machines.read(os.path.join(source, "bench", "machines", name))
        with machines.Cluster(source, machine) as cluster:
            for repeat, _, ranks, mca, cases in (job for job in todo if job[1] == name):
                words = " ".join(value for _, value in mca)
                spent, rest = time.time() - begin, cases_all - cases_done
                left = spent / cases_done * rest if cases_done else 0
                print(f"{study.NAME}: {cases_done} of {cases_all} runs"
                      + (f", about {_left(left)} left" if left else "")
                      + f"; now {len(cases)} with {ranks} ranks on {name}, {words}, "
                      f"repetition {repeat + 1} of {study.REPEAT}", flush=True)
                good &= _run(build, cluster, study, repeat, ranks, mca, cases, store)
                cases_done += len(cases)
    return good
