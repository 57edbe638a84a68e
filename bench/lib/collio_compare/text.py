# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The tables on the terminal."""


def seconds(value):
    """Three digits, whatever the size."""
    if value < 0.001:
        return f"{value * 1e6:.0f} us"
    if value < 1:
        return f"{value * 1e3:.{1 if value < 0.1 else 0}f} ms"
    return f"{value:.2f} s"


def size(kib):
    return f"{kib / 1024:.1f} MiB" if kib >= 1024 else f"{kib:.0f} KiB"


def ratio(value):
    return "-" if value is None else f"{value:.2f}"


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".rstrip("0").rstrip(".")


COLUMNS = (
    ("configuration", lambda r: r["config"]),
    ("median", lambda r: seconds(r["median"])),
    ("min", lambda r: seconds(r["min"])),
    ("first", lambda r: seconds(r["first"])),
    ("later", lambda r: seconds(r["later"])),
    ("vs stock", lambda r: ratio(r["speed"])),
    ("x contiguous", lambda r: ratio(r["limit"])),
    ("memory", lambda r: size(r["rss_kib"])),
    ("extra", lambda r: size(r["rss_extra_kib"])),
    ("messages", lambda r: number(r["messages"])),
)

PARTS = tuple((part, lambda r, part=part: seconds(r["parts"][part]))
              for part in ("open", "call", "close"))  # of one-shot steps

LEGEND = """\
median        seconds of a time step, first rank's start to last rank's end; over repetitions
min           the fastest single time step of all
first, later  the same for the first time step of a run, and for those after it
vs stock      time of the fastest stock configuration (marked *) over this one: above 1 is faster
x contiguous  this time over that of the contiguous baseline: pwrite/pread of the same bytes, one
              block per rank, all ranks at once
memory        peak resident memory of the largest rank; extra: what the I/O added to it
messages      sent by all ranks in a time step, opening and closing the file included
open, call, close   parts of a step that opens and closes its file; each of the slowest rank"""


def align(lines):
    """Columns as wide as their widest cell; the first to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w)
                      for i, (cell, w) in enumerate(zip(line, widths))).rstrip()
            for line in lines]


def _mark(row):
    mark = {"ours": "+ ", "stock": "  ", "other": "  ", "limit": "  "}[row["kind"]]
    return "* " if row["config"] == row["best_stock"] else mark


def tables(rows):
    """All rows, one block per pattern, number of ranks and phase."""
    out = []
    cells = {}
    for row in rows:
        cells.setdefault((row["pattern"], row["ranks"], row["phase"]), []).append(row)
    for (pattern, ranks, phase), cell in cells.items():
        one = cell[0]
        shape = next((r["shape"] for r in cell if r["kind"] != "limit"), one["shape"])
        pieces = max(r["pieces"] for r in cell)
        out.append(f"{pattern}, {phase}, {ranks} ranks: {shape}; {pieces} pieces, "
                   f"{size(one['bytes'] / 1024)} a step")
        columns = COLUMNS + (PARTS if one.get("parts") else ())
        lines = [[name for name, _ in columns]]
        lines[0][0] = "  " + lines[0][0]
        for row in cell:
            values = [get(row) for _, get in columns]
            values[0] = _mark(row) + values[0]
            lines.append(values)
        out += align(lines) + [""]
    return "\n".join(out)


def verdict(found, floor):
    """One line per pattern: how ours stand against the fastest stock configuration."""
    lines = [["pattern", "ranks", "phase", "ours", "vs stock", "later", "x contiguous",
              "fastest stock", ""]]
    for row in found:
        lines.append([row["pattern"], str(row["ranks"]), row["phase"], row["config"],
                      ratio(row["speed"]), ratio(row["speed_later"]), ratio(row["limit"]),
                      row["best_stock"], "slower" if row["speed"] < floor else ""])
    return "\n".join(align(lines)) if len(lines) > 1 else "none of our components was measured"
