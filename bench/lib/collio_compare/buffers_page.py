# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Results against the size of buffers: tables in Markdown and a plot, for docs/low-memory.md."""

import math
import re

from . import patterns, svg

OURS = "overlap-memory"
AGAINST = (("overlap-even", "plain two-phase, the mean on every aggregator"),
           ("overlap-even-least", "plain two-phase, what the poorest node has"),
           ("overlap-even-mean", "plain two-phase, the same memory, spread evenly"),
           ("stock", "the fastest stock component with a buffer (not individual)"))
# name in the table, performance variable, part of it, unit
COUNTERS = (("cycles of the busiest aggregator", "cycles", "max", 1),
            ("messages between nodes", "messages_between_nodes", "sum", 1),
            ("MiB between nodes", "bytes_between_nodes", "sum", 1 << 20),
            ("largest MiB of a rank", "memory_high", "max", 1 << 20))
SHOWN = (32, 2)  # sizes whose counters are shown

STYLE = """text { font: 12px sans-serif; fill: #333 } .value { fill: #666 }
.title { font-weight: bold } path { fill: none } .axis { stroke: #999 } .grid { stroke: #e4e4e4 } .line { stroke-width: 2 }
.end { font-size: 11px } .memory { stroke: #c2410c } circle.memory { fill: #c2410c }
.even { stroke: #0b7a75 } circle.even { fill: #0b7a75 } .least { stroke: #5a4fcf }
circle.least { fill: #5a4fcf } .mean { stroke: #3f9c6b } circle.mean { fill: #3f9c6b }
.stock { stroke: #b4bcc6; stroke-width: 1.2 } circle.stock { fill: #b4bcc6 }
text.memory, text.even, text.least, text.mean, text.stock { stroke: none } .page { fill: #fff }
@media (prefers-color-scheme: dark) { .page { fill: #14171a } text { fill: #ddd } .value { fill: #aaa } .grid { stroke: #3a3a3a }
.memory { stroke: #fb923c } circle.memory, text.memory { fill: #fb923c } .even { stroke: #2dd4bf } circle.even, text.even { fill: #2dd4bf }
.least { stroke: #a5b4fc } circle.least, text.least { fill: #a5b4fc } .mean { stroke: #64c492 } circle.mean, text.mean { fill: #64c492 } }"""


def cells(rows):
    """{(family, phase): {size: {config: row}}} of the patterns that have a size of buffers."""
    known = {p.name: p for p in patterns.GROUPS["buffers"]}
    found = {}
    for row in rows:
        pattern = known.get(row["pattern"])
        if pattern:
            sizes = found.setdefault((pattern.family, row["phase"]), {})
            sizes.setdefault(pattern.buffer, {})[row["config"]] = row
    return found


def _time(configs, name):
    """Seconds of a step; of stock: the fastest that has buffers."""
    if name == "stock":
        return min((r["median"] for n, r in configs.items()
                    if r["kind"] == "stock" and n != "individual"), default=None)
    return configs[name]["median"] if name in configs else None


def _gain(configs, name):
    """Percent that the policy moves more in the same time."""
    mine, other = _time(configs, OURS), _time(configs, name)
    return other / mine - 1 if mine and other else None


def _percent(value):
    return "" if value is None else f"{100 * value:+.0f}%"


def _mean(values):
    values = [v for v in values if v is not None]
    return math.exp(sum(math.log(1 + v) for v in values) / len(values)) - 1 if values else None


def gains(found):
    """One table per opponent: patterns down, sizes across."""
    sizes = sorted({s for by_size in found.values() for s in by_size}, reverse=True)
    out = []
    for name, words in AGAINST:
        out += [f"Against {words}:", "", "| MiB | " + " | ".join(map(str, sizes)) + " | mean |",
                "|---|" + "---|" * (len(sizes) + 1)]
        columns = {s: [] for s in sizes}
        for (family, phase), by_size in found.items():
            values = [_gain(by_size.get(s, {}), name) for s in sizes]
            for s, value in zip(sizes, values):
                columns[s].append(value)
            out.append(f"| {family}, {phase} | " + " | ".join(map(_percent, values))
                       + f" | {_percent(_mean(values))} |")
        means = [_mean(columns[s]) for s in sizes]
        out += ["| mean | " + " | ".join(map(_percent, means)) + f" | {_percent(_mean(means))} |",
                ""]
    return out


def _counter(row, name, part, unit):
    for key, value in row["pvars"].items():
        if key.endswith("_" + name) and re.match(r"fcoll_(overlap|tam)_" + name + "$", key):
            per_step = row["steps"] if not name.endswith("_high") else 1
            return value[part] / unit / per_step
    return None


def _number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def counters(found):
    """Where the difference comes from, per step: policy / plain / plain with the same memory."""
    names = (OURS, "overlap-even", "overlap-even-mean")
    out = ["| MiB | | " + " | ".join(words for words, *_ in COUNTERS) + " |",
           "|---|---|" + "---|" * len(COUNTERS)]
    for size in SHOWN:
        for (family, phase), by_size in found.items():
            configs = by_size.get(size, {})
            if not all(n in configs for n in names):
                continue
            out.append(f"| {size} | {family}, {phase} | " + " | ".join(
                " / ".join(_number(_counter(configs[n], *rest)) for n in names)
                for _, *rest in COUNTERS) + " |")
    return out


def _class(config):
    return {OURS: "memory", "overlap-even": "even", "overlap-even-least": "least",
            "overlap-even-mean": "mean"}.get(config, "stock")


def plot(found):
    """A panel for each pattern and phase: seconds of a step against the size of buffers."""
    width, height, parts = 400, 290, []
    for i, ((family, phase), by_size) in enumerate(found.items()):
        series = {}
        for size in sorted(by_size):
            for config, row in by_size[size].items():
                series.setdefault(config, []).append((size, row["median"]))
        drawn = [(name.replace("overlap-", ""), _class(name), points)
                 for name, points in series.items() if len(points) > 1]
        if not drawn:
            continue
        drawn.sort(key=lambda one: one[1] != "stock")  # ours on top
        x, y = 10 + i % 2 * (width + 20), 10 + i // 2 * (height + 20)
        parts.append(f'<text x="{x + 58}" y="{y + 12}" class="title">{family}, {phase}</text>')
        inner = svg.lines(drawn, f"{family}, {phase}", "MiB an aggregator", width, height - 20)
        parts.append(inner.replace("<svg ", f'<svg x="{x}" y="{y + 18}" ', 1))
    high = 20 + (len(found) + 1) // 2 * (height + 20)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width + 40}" height="{high}" '
            f'viewBox="0 0 {2 * width + 40} {high}"><style>{STYLE}</style>'
            '<rect width="100%" height="100%" class="page"/>' + "\n".join(parts) + "</svg>\n")


def render(rows):
    """(Markdown, SVG), or None where no pattern has a size of buffers."""
    found = cells(rows)
    if not found:
        return None
    return "\n".join(gains(found) + counters(found)) + "\n", plot(found)
