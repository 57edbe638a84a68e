# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The picture of a study: the authors' results beside those here, and a panel for each pattern."""

import html
import math
import re
import statistics

from collio_compare import phases, svg

from .study import mean

COLORS = ("#c2410c", "#0b7a75", "#5a4fcf", "#a16207", "#64748b", "#be185d")
DARK = ("#fb923c", "#2dd4bf", "#a5b4fc", "#facc15", "#94a3b8", "#f472b6")
STYLE = """text { font: 12px sans-serif; fill: #333 } .value { fill: #666 } .end { font-size: 11px }
.page { fill: #fff } .title { font-weight: bold } path { fill: none } .axis { stroke: #999 } .grid { stroke: #e4e4e4 } .line { stroke-width: 2 }
path.computed { stroke-dasharray: 5 4 }
.theirs { fill: #b4bcc6 }
.here { stroke: #c2410c; fill: #c2410c; stroke-width: 2 }
"""
STYLE_DARK = """.page { fill: #14171a } .axis { stroke: #777 } text { fill: #ddd } .value { fill: #aaa } .grid { stroke: #3a3a3a }
.theirs { fill: #5b6470 }
.here { stroke: #fb923c; fill: #fb923c }
"""
WIDTH, CLAIM = 800, 40


def _style(study):
    def colors(found):
        return "".join(f".c{i} {{ stroke: {c} }} circle.c{i} {{ fill: {c} }} "
                       f"text.c{i} {{ fill: {c}; stroke: none }}\n" for i, c in enumerate(found))
    shades = phases.style() + "\n" if hasattr(study, "BREAKDOWN") else ""
    return (f"<style>{STYLE}{shades}{colors(COLORS)}@media (prefers-color-scheme: dark) {{\n"
            f"{STYLE_DARK}{colors(DARK)}}}</style>")


def _text(x, y, words, klass="", anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" class="{klass}" text-anchor="{anchor}">'
            f"{html.escape(words)}</text>")


def _claims(study, results):
    """A gray bar for the authors' range, a line with a dot (the mean) for what was measured."""
    found = [(c, c.here(results)) for c in study.CLAIMS]
    ends = [v for c, here in found for v in c.published() + tuple(here)]
    ends += [1] if found[0][0].unit == "x" else [0]
    log = all(c.unit == "x" for c, _ in found)
    low, high = min(ends) * (0.9 if log else 1), max(ends) * 1.1
    low = low if log else min(0, low)

    def px(v):
        share = math.log(v / low) / math.log(high / low) if log else (v - low) / (high - low)
        return 20 + (WIDTH - 60) * share

    def number(v):
        return f"{v:.3g}x" if log else f"{100 * v:.0f}%"

    words = f"line and dot: measured here, all points and their {'mean' if log else 'median'}"
    if any(claim.published() for claim, _ in found):
        words = "gray: authors; " + words
    parts, y = [_text(20, 16, words, "value")], 24
    for claim, here in found:
        parts.append(_text(20, y + 14, claim.text.replace("`", ""), "title"))
        if claim.published():
            low_end, high_end = claim.published()
            left, right = px(low_end), max(px(high_end), px(low_end) + 4)
            parts.append(f'<rect x="{left:.1f}" y="{y + 20}" width="{right - left:.1f}" '
                         'height="12" class="theirs"/>')
        if here:
            middle = mean(here) if log else statistics.median(here)
            parts.append(f'<path d="M{px(min(here)):.1f} {y + 26}H{px(max(here)):.1f}" '
                         'class="here"/>'
                         f'<circle cx="{px(middle):.1f}" cy="{y + 26}" r="5" class="here"/>')
            parts.append(_text(px(max(here)) + 10, y + 30, number(middle), "value"))
        y += CLAIM
    lines = [f'<path d="M20 {y}H{WIDTH - 40}" class="axis"/>']
    for tick in svg.ticks(low, high) if log else svg.steps(low, high):
        one = "axis" if log and tick == 1 else "grid"
        lines.append(f'<path d="M{px(tick):.1f} 24V{y}" class="{one}"/>')
        parts.append(_text(px(tick), y + 14, number(tick), "value", "middle"))
    return lines + parts, y + 24


def _class(series, names):
    """The color of a line; what was computed has the color of what was measured, and is dashed."""
    of = series.removesuffix(", computed")
    number = names.index(of) if of in names else names.index(series)
    return f"c{number % len(COLORS)}" + (" computed" if series != of else "")


def _panels(study, results, cases):
    """(title, svg) of each panel and phase with lines to draw."""
    names = list(dict.fromkeys(c.series for c in cases))
    height = 200 if len(study.LINES) < 6 else 150  # many panels still fit a screen or two
    for panel in study.LINES:
        for phase in ("write", "read"):
            lines = []
            for series in dict.fromkeys(c.series for c in cases if c.panel == panel):
                xs = sorted(c.x for c in cases if c.panel == panel and c.series == series)
                points = [(x, results.time(panel, series, x, phase)) for x in xs]
                points = [(x, y) for x, y in points if y]
                if len(points) > 1:
                    lines.append((series, _class(series, names), points))
            if lines:
                title = f"{panel}, {phase}"
                yield title, svg.lines(lines, title, study.X_NAME[panel], height=height)


def _parts(study):
    """The phases that a study has counted."""
    return [counter.removeprefix("time_") for _, counter in study.BREAKDOWN[1]]


def _breakdowns(study, results):
    """(title, svg) of the parts of the time, for each phase."""
    series = study.BREAKDOWN[0]
    for phase in ("write", "read"):
        rows = []
        for panel in study.BREAKDOWN_PANELS:
            x = results.largest(panel, series)
            for name in series:
                parts = [(part, (results.counter(panel, name, x, phase, f"time_{part}", "max") or 0) / 1e9)
                         for part in _parts(study)]
                if any(value for _, value in parts):
                    rows.append((f"{panel}, {name}", parts))
        if rows:
            yield f"parts of the time, {phase}", svg.stacks(rows, phase)


def _legend(study, y):
    """The boxes, in as many lines as they need, and where they end."""
    out, x = [], 20
    for part in _parts(study):
        words = phases.words(part)
        if x > 20 and x + 24 + 7 * len(words) > WIDTH:
            x, y = 20, y + 18
        out.append(f'<rect x="{x}" y="{y + 4}" width="10" height="10" class="phase-{part}"/>')
        out.append(_text(x + 14, y + 13, words, "value"))
        x += 24 + 7 * len(words)
    return out, y + 20


def picture(study, results, cases):
    parts, y = _claims(study, results) if study.CLAIMS else ([], 0)
    found = list(_panels(study, results, cases))
    if hasattr(study, "BREAKDOWN"):
        legend, y = _legend(study, y)
        parts += legend
        found = list(_breakdowns(study, results)) + found
    for row in (found[i:i + 2] for i in range(0, len(found), 2)):
        for left, (title, inner) in zip((0, 400), row):
            parts.append(_text(left + 20, y + 20, title, "title"))
            parts.append(f'<g transform="translate({left},{y + 26})">{inner}</g>')
        y += 36 + max(int(re.search(r' height="(\d+)"', inner).group(1)) for _, inner in row)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" '
            f'aria-label="{html.escape(study.TITLE + ": " + study.CAPTION)}">{_style(study)}\n'
            '<rect width="100%" height="100%" class="page"/>\n' + "\n".join(parts) + "</svg>\n")
