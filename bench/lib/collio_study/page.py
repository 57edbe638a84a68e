# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""docs/studies/NAME.md and NAME.svg from the results: nothing on the page is written by hand."""

import dataclasses
import os
import statistics

from . import plot
from .study import mean

PHASES = ("write", "read")


def _seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def _cell(results, panel, series, x, phase):
    value = results.time(panel, series, x, phase)
    if value is not None:
        return _seconds(value)
    value = results.busy_time(panel, series, x, phase)
    return f"({_seconds(value)})" if value is not None else ""


def _columns(cases, panels):
    return list(dict.fromkeys(c.series for c in cases if c.panel in panels))


def _table(results, cases, panels, x_name):
    """Rows: panel, x, phase. Columns: series."""
    names = _columns(cases, panels)
    out = [f"| | {x_name} | | " + " | ".join(names) + " |", "|---|---|---|" + "---|" * len(names)]
    points = dict.fromkeys((c.panel, c.x) for c in cases if c.panel in panels)
    for panel, x in points:
        for phase in PHASES:
            cells = [_cell(results, panel, name, x, phase) for name in names]
            if any(cells):
                out.append(f"| {panel} | {x} | {phase} | " + " | ".join(cells) + " |")
    return out + [""]


def _tables(study, results, cases):
    """One table for all panels that have the same columns and the same x."""
    groups = {}
    for panel in dict.fromkeys(c.panel for c in cases):
        where = (tuple(_columns(cases, (panel,))), study.X_NAME.get(panel, ""))
        groups.setdefault(where, []).append(panel)
    out = []
    for (_, x_name), panels in groups.items():
        out += _table(results, cases, panels, x_name)
    return out


def _counters(study, results, cases):
    x, names = study.COUNTED
    out = ["| per step | | " + " | ".join(words for words, *_ in study.COUNTERS) + " |",
           "|---|---|" + "---|" * len(study.COUNTERS)]
    for panel in dict.fromkeys(c.panel for c in cases if c.x == x and c.series in names):
        for phase in PHASES:
            cells = []
            for words, name, part in study.COUNTERS:
                values = [results.counter(panel, n, x, phase, name, part) for n in names]
                unit = 1e9 if words.endswith(", s") else 1
                cells.append(" / ".join("" if v is None else f"{v / unit:.3g}" for v in values))
            if any(cell.strip(" /") for cell in cells):
                out.append(f"| {panel} | {phase} | " + " | ".join(cells) + " |")
    return [f"Counters of {' / '.join(names)}, where x is {x}:", ""] + out + [""]


def _number(value, unit):
    return f"{100 * value:.0f}%" if unit == "%" else f"{value:.1f}x"


def _range(values, unit):
    if not values:
        return "not measured"
    if len(values) == 1:
        return _number(values[0], unit)
    middle = f"mean {_number(mean(values), unit)}" if unit == "x" else (
        f"median {_number(statistics.median(values), unit)}")
    return f"{_number(min(values), unit)} to {_number(max(values), unit)}, {middle}"


def _claims(study, results):
    out = ["| | authors | here |", "|---|---|---|"]
    for claim in study.CLAIMS:
        theirs = _range(sorted({claim.low, claim.high}), claim.unit).split(", ")[0]
        out.append(f"| {claim.text} | {theirs} | {_range(claim.here(results), claim.unit)} |")
    return out + [""]


def _machine(machine):
    m = machine
    return [f"Machine [`{m.name}`](../../bench/machines/{m.name}): {m.text}",
            f"{m.nodes} nodes with up to {m.ranks_per_node} ranks; a link moves "
            f"{m.link_bytes() / 1e6:g} MB/s with a latency of {m.latency_us} us, and a message "
            f"costs {m.message_us} us at each card; {m.servers} servers with "
            f"{m.server_bytes_per_second / 1e6:g} MB/s each, {m.request_us} us per request.", ""]


def _beside(rows, share):
    """What to say if other programs took the cores; `share` is what the runs took."""
    others = statistics.median(row.get("machine_busy", 0) for row in rows)
    if others <= share + 0.2:
        return ""
    return (f" Other programs ran beside them: the cores were {100 * others:.0f}% busy in all, so "
            "single times may be off; means of many points are more reliable.")


def _quality(results, study):
    rows = [row for rows in results.rows.values() for row in rows if row["busy"]]
    busy = sum(len(rows) for rows in results.busy_rows.values())
    share = statistics.median(row["busy"] for row in rows) if rows else 0
    if not rows:
        all_rows = [row for rows in results.rows.values() for row in rows]
        count = len(all_rows)
        return [f"{count} results. All bytes were checked." + _beside(all_rows, 0), ""]
    out = (f"{len(rows) + busy} results, medians of up to {study.REPEAT} repetitions, "
           f"{study.STEPS} calls each, interleaved. All bytes were checked. The ranks used "
           f"{100 * share:.0f}% of the cores (median).")
    out += _beside(rows, share)
    if busy:
        out += f" {busy} results used more than 60%: they are in parentheses and do not count."
    return [out, ""]


def _all_cases(study, results):
    """The study's own, and those that were computed."""
    cases = list(study.cases())
    known = {case.key(): case for case in cases}
    for key, _ in results.rows:
        panel, series, x = key.split("|")
        if key not in known:
            like = next(c for c in cases if c.panel == panel and str(c.x) == x)
            known[key] = dataclasses.replace(like, series=series)
    return list(known.values())


def write(folder, study, results, machines, more):
    """The page and its plot; `more` are lines of the study's own."""
    cases = _all_cases(study, results)
    name = study.NAME
    out = [f"# {study.TITLE}", "",
           f"Made by `make study STUDY={name}` from "
           f"[study.py](../../bench/studies/{name}/study.py). Times are seconds"
           + (" of one call on a [slow-motion cluster](../../bench/studies/README.md)."
              if machines else "."),
           "", "## What the authors did", "", study.AUTHORS, "", "## What is scaled", ""]
    for machine in machines:
        out += _machine(machine)
    out += ["| | authors | here |", "|---|---|---|"]
    out += [f"| {' | '.join(row)} |" for row in study.SCALED]
    out += ["", "## Result", ""] + (_claims(study, results) if study.CLAIMS else [])
    out += [f"**Why they differ.** {study.DIFFERS}", "", f"![{study.TITLE}]({name}.svg)", "",
            f"*{study.CAPTION}*", "", "## All times", ""]
    out += _quality(results, study) + _tables(study, results, cases) + more
    if study.COUNTERS:
        out += ["## Where the time goes", ""] + _counters(study, results, cases)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as page:
        page.write("\n".join(out).rstrip() + "\n")
    with open(os.path.join(folder, f"{name}.svg"), "w", encoding="utf-8") as page:
        page.write(plot.picture(study, results, cases))
