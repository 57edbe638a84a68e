# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The record of a study: conditions, machines and all results in one file. Its page is drawn from
the record alone, so a page can be drawn again without measuring."""

import dataclasses
import datetime
import json
import os
import platform
import re
import subprocess

from . import machine as machines

FIELDS = ("key", "repeat", "phase", "ranks", "bytes", "seconds", "settled", "busy", "machine_busy",
          "bad_bytes", "commit", "answers")


@dataclasses.dataclass
class Record:
    conditions: dict
    machines: list
    rows: list


def commit(source):
    """The commit that is measured. Commits that are not on main may get other names there, so they
    are counted from the last one that is: "bf1a016a+2"; "*": ompi/ has changes beside it."""
    def git(*words):
        done = subprocess.run(["git", "-C", source, *words], text=True, check=False,
                              capture_output=True)
        return done.stdout.strip()

    base = git("merge-base", "HEAD", "main") or git("rev-parse", "HEAD")
    own = git("rev-list", "--count", f"{base}..HEAD")
    return (base[:8] + (f"+{own}" if own not in ("", "0") else "")
            + ("*" if git("status", "--porcelain", "ompi") else ""))


def _processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        found = re.search(r"^model name\s*: (.*)$", lines.read(), re.M)
    return found.group(1) if found else platform.machine()


def _open_mpi():
    done = subprocess.run(["mpirun", "--version"], text=True, check=False, capture_output=True)
    words = done.stdout.split("\n", 1)[0].split()
    return words[-1] if words else ""


def conditions():
    """What the computer was on which the results were measured."""
    return {"day": datetime.date.today().isoformat(), "cores": os.cpu_count(),
            "processor": _processor(), "kernel": platform.release(), "open_mpi": _open_mpi()}


def _counters(study):
    """(name, part) of the counters that the page shows: in tables of all studies, or its own (KEPT)."""
    found = [(name, part) for _, name, part in study.COUNTERS] + list(getattr(study, "KEPT", ()))
    found += [(name, "max") for _, name in getattr(study, "BREAKDOWN", ((), ()))[1]]
    if study.TAKE.startswith("time_"):
        found.append((study.TAKE, "max"))
    return list(dict.fromkeys(found))


def _short(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


def save(path, study, rows, found, of_old=None):
    """rows: of runs.Store; found: the machines; of_old: conditions of a record that is written again."""
    counters = _counters(study)
    fields = [f for f in FIELDS if any(f in row for row in rows)]
    head = {"study": study.NAME, "conditions": of_old or conditions(),
            "machines": [dataclasses.asdict(m) for m in found],
            "columns": fields + [f"{name}.{part}" for name, part in counters]}
    lines = []
    for row in rows:
        cells = [_short(row.get(f)) for f in fields]
        cells += [_short(row["counters"].get(name, {}).get(part)) for name, part in counters]
        lines.append(json.dumps(cells))
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + ",\n".join(lines) + "\n]}\n")


def load(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    rows = []
    for cells in found["rows"]:
        row = {"counters": {}}
        for column, value in zip(found["columns"], cells):
            name, dot, part = column.partition(".")
            if value is None:
                continue
            if dot:
                row["counters"].setdefault(name, {})[part] = value
            else:
                row[name] = value
        rows.append(row)
    return Record(found["conditions"], [machines.Machine(**m) for m in found["machines"]], rows)
