# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""docs/studies/NAME.md and NAME.svg from the results: nothing on the page is written by hand."""

import dataclasses
import os
import statistics

from collio_compare import phases

from . import authors, plot
from .study import mean

PHASES = ("write", "read")


def _seconds(value):
    """Three digits; two below a tenth of a second."""
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}" if value >= 0.1 else f"{value:.2g}"


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
    return out + [""] if len(out) > 2 else []  # nothing was measured


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
    if unit == "%":
        return f"{100 * value:.0f}%"
    return f"{value:.2f}x" if value < 2 else f"{value:.1f}x"


def _range(values, unit):
    if not values:
        return "not measured"
    if len(values) == 1:
        return _number(values[0], unit)
    middle = f"mean {_number(mean(values), unit)}" if unit == "x" else (
        f"median {_number(statistics.median(values), unit)}")
    return f"{_number(min(values), unit)} to {_number(max(values), unit)}, {middle}"


def _claims(study, results):
    """A column of authors and one of targets, if a claim has one."""
    columns = [("", lambda c: c.text)]
    if any(claim.authors for claim in study.CLAIMS):
        columns.append(("authors", lambda c: authors.value(c.authors)["text"] if c.authors else ""))
    if any(claim.target for claim in study.CLAIMS):
        columns.append(("target set beforehand", lambda c: c.target))
    columns.append(("here", lambda c: _range(c.here(results), c.unit)
                    + (c.words(results) if c.words else "")))
    out = ["| " + " | ".join(name for name, _ in columns) + " |", "|---" * len(columns) + "|"]
    out += ["| " + " | ".join(cell(claim) for _, cell in columns) + " |" for claim in study.CLAIMS]
    return out + [""]


def _machine(machine):
    m = machine
    inside = (f"; a message inside a node costs {m.node_message_us} us and "
              f"{1e9 / m.node_bytes_per_second:g} ns per byte at each rank"
              if "node_message_us" in m.values else "")
    return [f"[`{m.name}`](../../bench/machines/{m.name}): {m.nodes} nodes with up to "
            f"{m.ranks_per_node} ranks; a link moves {m.link_bytes() / 1e6:g} MB/s, latency "
            f"{m.latency_us} us; a message costs {m.message_us} us at each card; {m.servers} servers "
            f"with {m.server_bytes_per_second / 1e6:g} MB/s each, {m.request_us} us per request{inside}.", ""]


def _beside(rows, share):
    """Whether other programs took the cores; `share` is the share that the runs took."""
    all_programs = statistics.median(row.get("machine_busy", 0) for row in rows)
    if all_programs <= max(share + 0.2, 0.5):  # below half: the start of jobs, and the switch
        return " No other program took much of the cores."
    return (f" Other programs ran beside them: the cores were {100 * all_programs:.0f}% busy in all, "
            "so single times may be off.")


def _conditions(results, study, found):
    rows = [row for rows in results.rows.values() for row in rows if "seconds" in row]
    busy = sum(len(rows) for rows in results.busy_rows.values())
    commits = sorted({row.get("commit", "") for row in rows} - {""})
    most = max((row["repeat"] for row in rows), default=0) + 1
    c = found.conditions
    out = [f"[Record](../../bench/records/studies/{study.NAME}.json), {c['day']}: "
           f"{len(rows) + busy} results, " + (
               f"medians of up to {most} repetitions" if most > 1
               else "one repetition") + f"; {c['cores']} "
           f"cores ({c['processor']}), Linux {c['kernel']}, Open MPI {c['open_mpi']}"
           + (f", commit {', '.join(commits)}" if commits else "") + ". All bytes were checked."]
    shares = [row["busy"] for row in rows if row["busy"]]
    if shares:
        share = statistics.median(shares)
        out[0] += (f" The ranks used {100 * share:.0f}% of the cores (median; at most "
                   f"{100 * max(shares):.0f}%)." + _beside(rows, share))
    if busy:
        out[0] += f" {busy} results used more than 75%: they are in parentheses and do not count."
    return out + [""]


def _all_cases(study, results):
    """The study's own, and those that were computed for the same points."""
    cases = list(study.cases())
    known = {case.key(): case for case in cases}
    for key, _ in results.rows if hasattr(study, "computed") else ():
        panel, series, x = key.split("|")
        like = next((c for c in cases if c.panel == panel and str(c.x) == x), None)
        if key not in known and like:
            known[key] = dataclasses.replace(like, series=series)
    return list(known.values())


def _breakdown(study, results, cases):
    """Where the time goes, of the slowest rank in each part."""
    series, parts = study.BREAKDOWN
    names = [phases.words(part.removeprefix("time_")) for _, part in parts]
    out = ["| s | ranks | | " + " | ".join(names) + " |",
           "|---|---|---|" + "---|" * len(parts)]
    for panel in dict.fromkeys(c.panel for c in cases if c.series in series):
        x = results.largest(panel, series)
        for phase in PHASES:
            for name in series:
                found = [results.counter(panel, name, x, phase, part, "max") for _, part in parts]
                if any(found):
                    out.append(f"| {panel}, {phase} | {x} | {name} | "
                               + " | ".join(f"{(v or 0) / 1e9:.3f}" for v in found) + " |")
    return ["## Where the time goes", "", study.BREAKDOWN_TEXT, ""] + out + [""]


def write(folder, study, results, found):
    """The page and its plot from a record."""
    cases = _all_cases(study, results)
    name = study.NAME
    out = [f"# {study.TITLE}", "", f"**Question.** {study.QUESTION}", "",
           authors.paragraph(f"**Authors.** {study.AUTHORS}"), "", "## Machine", ""]
    for machine in found.machines:
        out += _machine(machine)
    theirs = any(row[1] for row in study.SCALED)
    out += ["| | authors | here |", "|---|---|---|"] if theirs else ["| | |", "|---|---|"]
    out += [f"| {authors.fill(' | '.join(row if theirs else (row[0], row[2])))} |"
            for row in study.SCALED]
    out += ["", "## Result", "", f"![{study.TITLE}]({name}.svg)", "", f"*{study.CAPTION}*", ""]
    out += _claims(study, results) if study.CLAIMS else []
    out += [authors.paragraph(f"**Why they differ.** {study.DIFFERS}"), "", "## Times", "",
            "Seconds of one call. "
            f"`bench/study --draw {name}` draws this page from its record; `make study STUDY={name}` "
            "measures again.", ""]
    out += _conditions(results, study, found) + _tables(study, results, cases)
    out += study.more(results) if hasattr(study, "more") else []
    if hasattr(study, "BREAKDOWN"):
        out += _breakdown(study, results, cases)
    if study.COUNTERS:
        out += ["## Counters", ""] + _counters(study, results, cases)
    with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as page:
        page.write("\n".join(out).rstrip() + "\n")
    with open(os.path.join(folder, f"{name}.svg"), "w", encoding="utf-8") as page:
        page.write(plot.picture(study, results, cases))
