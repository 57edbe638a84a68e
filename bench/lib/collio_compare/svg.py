# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Three kinds of plots as SVG text; colours are CSS classes of the page."""

import html
import math

from . import phases, text

LETTER = 7.4  # width of a letter at 12 pixels, about


def _label(x, y, words, klass="", anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{klass}">'
            f"{html.escape(words)}</text>")


def _svg(width, height, parts, name):
    return (f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" role="img" aria-label="{html.escape(name)}">'
            + "".join(parts) + "</svg>")


def _time_axis(left, room, top, y):
    """From 0 to `top` seconds, below marks that end at `y`."""
    parts = [f'<path d="M{left:.1f} {y}H{left + room:.1f}" class="axis"/>']
    for value in (0, top / 2, top):
        x = left + room * value / top
        parts.append(f'<path d="M{x:.1f} 2V{y}" class="grid"/>')
        parts.append(_label(x, y + 15, text.seconds(value) if value else "0", "value", "middle"))
    return parts


def bars(rows, name, limit=None):
    """One bar per row: (name, seconds, class, tip). Bars beyond four times the median of the
    rows are cut, with a gap that shows it; their number stays. limit, the contiguous baseline, is a dashed line."""
    ordered = sorted(row[1] for row in rows)
    top = min(ordered[-1], 4 * ordered[len(ordered) // 2])
    left = max(len(row[0]) for row in rows) * LETTER + 8
    room = max(300 - left - 66, 130)
    width = left + room + 66
    parts, values, y = [], [], 4
    for label, value, klass, tip in rows:
        long = room * min(value, top) / top
        parts.append(f"<g><title>{html.escape(tip)}</title>")
        parts.append(_label(left - 8, y + 12, label, "name", "end"))
        parts.append(f'<rect x="{left:.1f}" y="{y}" width="{max(long, 1):.1f}" height="15" rx="2"'
                     f' class="{klass}"/>')
        if value > top:
            parts.append(f'<path d="M{left + room - 14:.1f} {y - 1}l6 17" class="gap"/>')
        parts.append("</g>")
        values.append(_label(left + long + 6, y + 12, text.seconds(value), "value halo"))
        y += 19
    if limit is not None and limit <= top:
        x = left + room * limit / top
        parts.append(f'<g><title>contiguous baseline: {text.seconds(limit)}</title>'
                     f'<path d="M{x:.1f} 0V{y}" class="limit"/></g>')
    return _svg(width, y + 20, _time_axis(left, room, top, y) + parts + values, name)


def stacks(rows, name):
    """One bar per row: (name, [(phase, seconds)])."""
    top = max((sum(v for _, v in parts) for _, parts in rows), default=0) or 1
    left = max(len(row[0]) for row in rows) * LETTER + 8
    room = 180
    width = left + room + 72
    out, y = [], 4
    for label, parts in rows:
        out.append(_label(left - 8, y + 12, label, "name", "end"))
        x = left
        for part, value in parts:
            long = room * value / top
            out.append(f"<g><title>{phases.words(part)}: {text.seconds(value)}</title>"
                       f'<rect x="{x:.1f}" y="{y}" width="{long:.2f}" height="15" '
                       f'class="phase-{part}"/></g>')
            x += long
        out.append(_label(x + 6, y + 12, text.seconds(sum(v for _, v in parts)), "value"))
        y += 20
    return _svg(width, y + 20, _time_axis(left, room, top, y) + out, name)


def speeds(rows, name):
    """A row of marks for each (name, [(class, speed, tip)]) on a logarithmic axis with a line at 1."""
    values = [speed for _, marks in rows for _, speed, _ in marks]
    low, high = min(0.5, *values) / 1.05, max(2, *values) * 1.05
    left, room, top = max(len(label) for label, _ in rows) * LETTER + 12, 300, 6
    bottom = top + 24 * len(rows)
    out = []

    def px(speed):
        return left + room * math.log(speed / low) / math.log(high / low)

    for tick in ticks(low, high):
        out.append(f'<path d="M{px(tick):.1f} {top}V{bottom}" class="{"one" if tick == 1 else "grid"}"/>')
        out.append(_label(px(tick), bottom + 16, f"{tick:g}", "value", "middle"))
    out.append(f'<path d="M{left:.1f} {bottom}H{left + room:.1f}" class="axis"/>')
    out.append(_label(left + room, bottom + 32, "times as fast", "value", "end"))
    for i, (label, marks) in enumerate(rows):
        y = top + 24 * i + 12
        out.append(_label(left - 10, y + 4, label, "name", "end"))
        for klass, speed, tip in marks:
            out.append(f'<g><title>{html.escape(tip)}</title><circle cx="{px(speed):.1f}" cy="{y}" r="5" '
                       f'class="{klass}"/></g>')
    return _svg(left + room + 16, bottom + 40, out, name).replace("<svg ", '<svg class="speeds" ', 1)


def ticks(low, high):
    """1, 2, 5 times powers of ten between low and high; powers only if there are many, more digits if
    there are fewer than three."""
    def between(digits):
        some = [m * 10**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                for m in digits]
        return [t for t in some if low * 0.999 <= t <= high * 1.001]

    found = between((1, 2, 5))
    if len(found) < 3:
        found = between((1, 1.5, 2, 3, 4, 5, 7))
    if len(found) < 2:
        found = [low * (high / low) ** (i / 3) for i in (0.3, 1.5, 2.7)]
    powers = [t for t in found if abs(math.log10(t) - round(math.log10(t))) < 1e-9]
    return powers if len(found) > 7 and len(powers) > 1 else found


def steps(low, high):
    """Four or five round numbers between low and high, 0 included."""
    size = 10 ** math.floor(math.log10(high - low))
    step = next(size * m for m in (0.2, 0.5, 1, 2) if (high - low) / (size * m) <= 6)
    return [step * i for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _tick(value):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 0.999:
            break
    return f"{value * factor:.3g} {unit}"


def lines(series, name, x_name, width=384, height=250):
    """Both axes logarithmic. series: (name, class, [(x, seconds)])."""
    xs = sorted({x for _, _, points in series for x, _ in points})
    ys = [y for _, _, points in series for _, y in points]
    low, high = min(ys) / 1.15, max(ys) * 1.15
    right = max(96, 16 + 0.9 * LETTER * max(len(label) for label, _, _ in series))
    left, top, bottom = 58, 8, height - 40
    spread = math.log(xs[-1] / xs[0]) or 1

    def px(x):
        return left + (width - left - right) * math.log(x / xs[0]) / spread

    def py(y):
        return bottom - (bottom - top) * math.log(y / low) / math.log(high / low)

    parts = []
    for tick in ticks(low, high):
        parts.append(f'<path d="M{left} {py(tick):.1f}H{width - right}" class="grid"/>')
        parts.append(_label(left - 6, py(tick) + 4, _tick(tick), "value", "end"))
    taken = -math.inf  # labels that would run into the one before are left out
    for x in xs:
        parts.append(f'<path d="M{px(x):.1f} {top}V{bottom}" class="grid"/>')
        if px(x) - taken > LETTER * (len(_short(x)) + 0.5):
            parts.append(_label(px(x), bottom + 16, _short(x), "value", "middle"))
            taken = px(x)
    parts.append(f'<path d="M{left} {top}V{bottom}H{width - right}" class="axis"/>')
    parts.append(_label((left + width - right) / 2, height - 6, x_name, "value", "middle"))
    ends = []
    for label, klass, points in series:
        path = "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in points)
        parts.append(f'<path d="M{path}" class="line {klass}"/>')
        for x, y in points:
            parts.append(f"<g><title>{html.escape(label)}, {_short(x)}: {text.seconds(y)}</title>"
                         f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" class="dot {klass}"/>'
                         "</g>")
        ends.append([py(points[-1][1]), label, klass])
    parts += _end_labels(ends, width - right + 8, top + 4, bottom)
    return _svg(width, height, parts, name)


def _short(x):
    if x >= 1e6:
        return f"{x / 1e6:.3g}M"
    return f"{x / 1e3:.3g}k" if x >= 1e4 else f"{x:.4g}"


def _end_labels(ends, x, top, bottom):
    """Names at the lines' ends, pushed apart where they would meet."""
    ends.sort()
    for i, end in enumerate(ends):
        end[0] = max(end[0], top if i == 0 else ends[i - 1][0] + 13)
    over = ends[-1][0] - bottom if ends else 0
    for i in range(len(ends) - 1, -1, -1):
        if over > 0:
            ends[i][0] = min(ends[i][0], bottom - 13 * (len(ends) - 1 - i))
    return [_label(x, y + 4, label, f"end {klass}") for y, label, klass in ends]
