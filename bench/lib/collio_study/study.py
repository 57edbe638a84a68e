# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""What a study.py is made of, and the questions that it asks of its results."""

import dataclasses
import importlib.util
import math
import os
import statistics

from . import authors

BUSY = 0.75  # a run whose cores were busier does not count


@dataclasses.dataclass(frozen=True)
class Case:
    """One thing that is measured: a point `x` of the line `series` in the picture `panel`."""

    panel: str
    series: str
    x: object
    ranks: int
    args: tuple  # of collio_bench
    mca: tuple = ()  # (name, value) pairs
    machine: str = ""  # the study's, unless it is named

    def key(self):
        return f"{self.panel}|{self.series}|{self.x}"


@dataclasses.dataclass
class Claim:
    """A result, beside the authors' where they measured the same thing: a factor or a share."""

    text: str
    here: object  # function: Results -> [values]
    unit: str = "x"  # x: a factor; %: a share
    target: str = ""  # set before it was measured
    authors: str = ""  # a name in authors.json
    words: object = None  # function: Results -> text after the values

    def published(self):
        """The authors' range as numbers; () if they did not measure it."""
        found = authors.value(self.authors) if self.authors else {}
        return (found["low"], found["high"]) if "low" in found else ()


def hints(**values):
    return tuple(word for key, value in values.items()
                 for word in ("--hint", f"collio_{key}={value}"))


def load(path):
    """The module bench/studies/NAME/study.py."""
    spec = importlib.util.spec_from_file_location("study", os.path.join(path, "study.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.NAME = os.path.basename(path.rstrip("/"))
    return module


class Results:
    """Rows of the results file, by case and phase. Busy runs are kept apart."""

    def __init__(self, rows, take="seconds"):
        """take: `seconds`, the mean of all calls of a run, `settled` (runs.py), or a counter of
        time, of the slowest rank."""
        self.rows, self.busy_rows, self.take = {}, {}, take
        for row in rows:
            where = self.rows if row["busy"] <= BUSY else self.busy_rows
            where.setdefault((row["key"], row["phase"]), []).append(row)

    def _value(self, row):
        return (row["counters"][self.take]["max"] / 1e9 if self.take.startswith("time_")
                else row[self.take])

    def _median(self, rows):
        return statistics.median(map(self._value, rows)) if rows else None

    def time(self, panel, series, x, phase):
        """Median seconds of a call, or None."""
        return self._median(self.rows.get((f"{panel}|{series}|{x}", phase)))

    def busy_time(self, panel, series, x, phase):
        return self._median(self.busy_rows.get((f"{panel}|{series}|{x}", phase)))

    def counter(self, panel, series, x, phase, name, part="sum"):
        """Of one step, or None."""
        rows = (self.rows.get((f"{panel}|{series}|{x}", phase))
                or self.busy_rows.get((f"{panel}|{series}|{x}", phase), []))
        values = [r["counters"][name][part] for r in rows if name in r["counters"]]
        return statistics.median(values) if values else None

    def largest(self, panel, series):
        """The largest x of the panel at which all these series were measured."""
        found = [{int(key.split("|")[2]) for key, _ in self.rows
                  if key.startswith(f"{panel}|{name}|")} for name in series]
        return max(set.intersection(*found), default=None)

    def ratio(self, panel, x, phase, slow, fast):
        """How many times `slow` takes as long as `fast`, or None."""
        a, b = self.time(panel, slow, x, phase), self.time(panel, fast, x, phase)
        return a / b if a and b else None


def ratios(panels, xs, slow, fast, phases=("write", "read")):
    """A function for Claim.here: the ratios of all these points."""
    def here(results):
        found = [results.ratio(panel, x, phase, slow, fast)
                 for panel in panels for x in xs for phase in phases]
        return [f for f in found if f]
    return here


def ratios_at_most(panels, xs, slow, fast, phases=("write", "read")):
    """The same at the largest x that was measured, for each panel."""
    def here(results):
        found = []
        for panel in panels:
            for x in sorted(xs, reverse=True):
                at_x = ratios((panel,), (x,), slow, fast, phases)(results)
                if at_x:
                    found += at_x
                    break
        return found
    return here


def mean(values):
    """Geometric."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
