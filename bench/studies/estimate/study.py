# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import csv
import os
import subprocess
import tempfile

from collio_study import facts
from collio_study.study import Case, Claim, hints, ratios

TITLE = "Computed and measured time"
QUESTION = """How far is the time that [bench/scale](../../bench/scale/README.md) computes from the time that a call takes?"""
AUTHORS = """None. The same calls run on a machine whose costs are set, and the computation takes the
costs from the same machine file. What differs is the error of the estimate."""
MACHINE = "messages"
REPEAT = 3
STEPS = 2
TAKE = "settled"
NODES = 8
GRID, WINDOW = 47, 32768
SCALED = (("pattern", "", f"BTIO, {GRID}^3 points"), ("window", "", "32 KiB"),
          ("aggregators", "", "8, one per node"))
RANKS = (16, 25, 36, 49, 64, 100, 121)
WAYS = {"one layer": "two-phase", "two layers": "tam"}
TAM = (("io", "ompio"), ("fcoll", "tam"))
FAR = ((16384, 64), (1000000, 64))  # ranks, ranks per node


def cases():
    for ranks in RANKS:
        used = -(-ranks // -(-ranks // NODES))  # nodes: 25 and 49 ranks fill seven
        for name in WAYS:
            local = ranks if name == "one layer" else used
            settings = hints(exchange="on", schedule="none", buffer_bytes=2 * WINDOW,
                             aggregators=8, local_aggregators=local)
            yield Case("BTIO", name, ranks, ranks,
                       ("--kernel", "btio", "--grid", str(GRID)) + settings, TAM)


def _scale(build, *words):
    """The lines of scale's table, by way."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "scale.csv")
        program = os.path.join(build, "bench", "scale", "scale")
        subprocess.run([program, *map(str, words), "--csv", table], check=True,
                       stdout=subprocess.DEVNULL)
        with open(table, encoding="utf-8", newline="") as lines:
            return {row["way"]: row for row in csv.DictReader(lines)}


def _row(panel, name, ranks, phase, seconds):
    return {"key": f"{panel}|{name}|{ranks}", "phase": phase, "busy": 0, "repeat": 0, TAKE: seconds,
            "counters": {}}


def _seconds(row, *parts):
    return sum(float(row[f"seconds_{part}"]) for part in parts)


def computed(source, build, machine):
    """Rows of results: the estimate for the same calls, whose plans exist, and for large machines."""
    file = os.path.join(source, "bench", "machines", machine.name)
    for ranks in RANKS:
        found = _scale(build, "--machine", file, "--pattern", "btio", "--ranks", ranks,
                       "--per-node", -(-ranks // NODES), "--aggregators", 8, "--local", 1,
                       "--grid", GRID, "--window", WINDOW)
        for name, way in WAYS.items():
            seconds = _seconds(found[way], "layer1", "data", "agree") / int(found[way]["calls"])
            for phase in ("write", "read"):
                yield _row("BTIO", f"{name}, computed", ranks, phase, seconds)
    for ranks, per_node in FAR:
        found = _scale(build, "--pattern", "s3d", "--ranks", ranks, "--per-node", per_node)
        for name, way in WAYS.items():
            yield _row("S3D-IO", name, ranks, "write",
                       _seconds(found[way], "layer1", "lists", "merge", "data", "agree"))


def more(results):
    """The estimate for large machines, times the errors that were seen."""
    errors = {name: ratios(("BTIO",), RANKS, name, f"{name}, computed")(results) for name in WAYS}
    if not all(errors.values()):
        return []
    out = ["## Large machines", "", "Seconds of the exchange of one time step of S3D-IO with the "
           "network of [scale](../../bench/scale/README.md): the estimate times the smallest and the largest error "
           "that was seen here; in parentheses the estimate.", "",
           "| ranks | one layer | two layers |", "|---|---|---|"]
    for ranks, _ in FAR:
        cells = []
        for name in WAYS:
            value = results.time("S3D-IO", name, ranks, "write")
            cells.append(f"{value * min(errors[name]):.2f} to {value * max(errors[name]):.2f} "
                         f"({value:.2f})")
        out.append(f"| {ranks:,} | " + " | ".join(cells) + " |")
    return out + ["", "The error that was seen is that of cards, cycles and agreements. Searching long "
                  "queues of receives and merging lists cost nothing on this machine, so their error "
                  "is not known: with one layer they are most of the time at 1,000,000 ranks.", ""]


LINES = ("BTIO",)
X_NAME = {"BTIO": "ranks"}
COUNTERS = (("messages", "messages", "sum"), ("cycles of an aggregator", "cycles", "max"),
            ("time_agree of the slowest rank, s", "time_agree", "max"),
            ("time_complete of the slowest rank, s", "time_complete", "max"))
COUNTED = (36, ("one layer", "two layers"))
CLAIMS = (Claim("measured over computed, one layer",
                ratios(("BTIO",), RANKS, "one layer", "one layer, computed")),
          Claim("measured over computed, two layers",
                ratios(("BTIO",), RANKS, "two layers", "two layers, computed")))
FACTS = {"error": facts.span(lambda results: [f for name in WAYS for f in ratios(
    ("BTIO",), RANKS, name, f"{name}, computed")(results)])}
CAPTION = "The distance between a measured line and its computed one is the error of the estimate."
DIFFERS = """The estimate counts the messages of the busiest card exactly and keeps the card busy. Here
an aggregator sends its own messages of the next cycle only when a cycle is complete, ranks that wait
sleep for up to two milliseconds, and the file access, about 8 ms of a call, is not in the estimate.
25 and 49 ranks fill seven nodes, so one card serves two of the eight aggregators."""
