# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The results as one HTML file that needs nothing else: no network, no script, light and dark."""

import html

from . import buffers, buffers_page, machine, patterns, phases, svg, text

STYLE = """
:root { color-scheme: light dark; --bg: #fcfcfb; --panel: #fff; --edge: #e3e5e8; --ink: #1c2126;
  --soft: #5c6670; --overlap: #0b7a75; --tam: #5a4fcf; --ours: #3f9c6b; --stock: #b4bcc6;
  --best: #7b8794; --other: #dcc9b0; --limit: #c2410c; --good: #0b7a75; --bad: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --panel: #1b1f23; --edge: #2d333a;
  --ink: #e4e7ea; --soft: #98a2ad; --overlap: #35b8ae; --tam: #9d94f5; --ours: #64c492;
  --stock: #4b5560; --best: #7f8b98; --other: #6b5b45; --limit: #f08a54; --good: #4fd1c5;
  --bad: #f08a54; } }
* { box-sizing: border-box } body { margin: 0; background: var(--bg); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif } main { max-width: 1320px; margin: auto;
  padding: 24px }
h1 { font-size: 24px; margin: 0 0 4px } h2 { font-size: 18px; margin: 36px 0 4px }
h3 { font-size: 14px; margin: 0 0 2px } h4 { font-size: 12px; margin: 8px 0 2px; color: var(--soft);
  font-weight: 600 } p { margin: 2px 0 10px; color: var(--soft); max-width: 80ch }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 560px), 1fr));
  gap: 14px } .pair { display: grid; grid-template-columns: repeat(auto-fit,
  minmax(min(100%, 250px), 1fr)); gap: 2px 16px } .busy { border: 2px solid var(--bad);
  border-radius: 8px; padding: 10px 14px; color: var(--ink); font-weight: 600; max-width: none }
.panel { background: var(--panel); border: 1px solid var(--edge); border-radius: 8px;
  padding: 12px; overflow-x: auto } .panel small { color: var(--soft); font-size: 12px;
  display: block; min-height: 20px }
svg { display: block; width: 100%; max-width: 460px; height: auto } svg.key1 { width: 12px } svg text { font: 12px system-ui, sans-serif;
  fill: var(--ink) } svg .value { fill: var(--soft) } svg .halo { paint-order: stroke;
  stroke: var(--panel); stroke-width: 4px } .key { display: flex; flex-wrap: wrap;
  gap: 4px 18px; margin: 6px 0 12px; font-size: 13px; color: var(--soft) } .key i { display:
  inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: 6px }
.overlap { fill: var(--overlap); stroke: var(--overlap) } .tam { fill: var(--tam);
  stroke: var(--tam) } .ours { fill: var(--ours); stroke: var(--ours) } .stock { fill:
  var(--stock); stroke: var(--stock) } .best { fill: var(--best); stroke: var(--best) } .other {
  fill: var(--other); stroke: var(--other) } rect { stroke: none !important } .limit { fill:
  var(--limit); stroke: var(--limit) } path.limit { fill: none; stroke-width: 1.5;
  stroke-dasharray: 4 3 } path.gap { stroke: var(--panel); stroke-width: 4 } path.grid { stroke:
  var(--edge) } path.axis { fill: none; stroke: var(--best) } path.line { fill: none; stroke-width: 2 } .line.stock, .line.other, .line.best {
  stroke-width: 1.3 } svg .end { stroke: none; font-size: 11px } svg .end.stock,
  svg .end.best, svg .end.other { fill: var(--soft) }
.panel + .panel { margin-top: 14px } .panels .panel { margin-top: 0 }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-size: 13px;
  font-variant-numeric: tabular-nums } th, td { padding: 3px 10px; text-align: right;
  border-bottom: 1px solid var(--edge); white-space: nowrap } th { color: var(--soft);
  font-weight: 600 } th:first-child, td:first-child { text-align: left } td.good { color:
  var(--good); font-weight: 600 } td.bad { color: var(--bad); font-weight: 600 }
p.lead { color: var(--ink); font-size: 17px } svg .write { fill: var(--overlap); stroke: var(--overlap) }
svg .read { fill: var(--panel); stroke: var(--overlap); stroke-width: 2 } path.one { fill: none; stroke: var(--ink);
  stroke-width: 1.5 } svg.speeds { max-width: 480px } td small { display: block; color: var(--soft); font-size: 11px; font-weight: 400 }
@media (max-width: 600px) { main { padding: 12px } .panel { padding: 10px } th, td { padding: 3px 5px } } details { margin: 10px 0 } summary { cursor: pointer; color: var(--soft) }
""" + phases.style()

KEY = (("overlap", "fcoll/overlap, default settings"), ("tam", "fcoll/tam, default settings"),
       ("ours", "collio, as named"), ("best", "fastest stock configuration"),
       ("stock", "other stock configurations"), ("other", "shown, not compared"))


def _class(row):
    if row["kind"] == "ours":
        return row["config"] if row["config"] in ("overlap", "tam") else "ours"
    return "best" if row["config"] == row["best_stock"] else row["kind"]


def _cells(rows):
    found = {}
    for row in rows:
        found.setdefault((row["pattern"], row["ranks"]), {}).setdefault(row["phase"],
                                                                         []).append(row)
    return found


def _key(rows):
    """What the bars' colours mean; only those that are there."""
    there = {_class(r) for r in rows}
    marks = "".join(f'<span><i style="background:var(--{k})"></i>{v}</span>' for k, v in KEY
                    if k in there)
    limit = ('<span><i style="background:var(--limit)"></i>contiguous baseline</span>'
             if any(r["kind"] == "limit" for r in rows) else "")
    return f'<div class="key">{marks}{limit}</div>'


def _one_layer(data):
    """True if fcoll/tam is fcoll/overlap here: it has one layer on one node."""
    return not data["machine"]["cluster"] and any(r["config"] == "overlap" for r in data["rows"])


def _drawn(data):
    """The rows of charts."""
    return [r for r in data["rows"] if r["config"] != "tam" or not _one_layer(data)]


def _tip(row):
    return (f"{row['config']}: median {text.seconds(row['median'])}, min {text.seconds(row['min'])}"
            f", first step {text.seconds(row['first'])}, later {text.seconds(row['later'])}, "
            f"{text.ratio(row['speed'])} of the fastest stock's speed, "
            f"{text.ratio(row['limit'])} times the contiguous baseline")


def _bars(data):
    rows = [r for r in _drawn(data) if r["pattern"] not in data["sweeps"]]
    known = {p.name for p in patterns.GROUPS["buffers"]}
    rows = [r for r in rows if r["pattern"] not in known]
    if not rows:
        return []
    same = ("fcoll/tam has one layer on one node, as fcoll/overlap: its times are in the table of all figures."
            if any(r["config"] == "tam" for r in data["rows"]) and _one_layer(data) else "")
    out = ["<h2>Time of a step</h2><p>Time of one time step, median over the repetitions; "
           "shorter is better. The dashed line is the contiguous baseline: the same bytes, one "
           "block per rank, by pwrite or pread of all ranks at once. A cut bar is longer than "
           f"drawn. {same}</p>", _key(rows),
           '<div class="panels">']
    for (pattern, ranks), phases in _cells(rows).items():
        some = next(iter(phases.values()))
        shape = next((r["shape"] for r in some if r["kind"] != "limit"), "")
        pieces = max(r["pieces"] for r in some)
        out.append(f'<div class="panel"><h3>{html.escape(pattern)}, {ranks} ranks</h3><small>'
                   f"{html.escape(shape)}; {pieces:,} pieces, "
                   f"{text.size(some[0]['bytes'] / 1024)}</small><div class='pair'>")
        for phase, cell in phases.items():
            limit = next((r["median"] for r in cell if r["kind"] == "limit"), None)
            drawn = [(r["config"], r["median"], _class(r), _tip(r)) for r in cell
                     if r["kind"] != "limit"]
            if drawn:
                out.append(f"<div><h4>{phase}</h4>"
                           + svg.bars(drawn, f"{pattern} {phase}", limit) + "</div>")
        out.append("</div></div>")
    return out + ["</div>"]


MEASURE = ("time of the fastest stock configuration of that pattern divided by that of collio, over all time "
           "steps, the first included; above 1 is faster")
INTRO = ("collio is a set of components for Open MPI that take over the file access of unchanged MPI programs: "
         "ranks exchange their pieces, and a few of them access the file in large parts while the exchange goes on. "
         "It is for programs in which many ranks write or read small pieces of one shared file.")


def _conditions(data):
    """What the figures are about, in one sentence, and what they leave out."""
    m = data["machine"]
    ranks = " and ".join(str(n) for n in dict.fromkeys(r["ranks"] for r in data["rows"]))
    if m["cluster"]:
        return (f"Measured: {ranks} ranks on a virtual cluster on {m['cpus']} CPUs, files on "
                f"{m['file_system']}.")
    cache = "in memory (tmpfs)" if m["file_system"] == "tmpfs" else f"on {m['file_system']}, in the page cache"
    return (f"Measured: {ranks} ranks on the {m['cpus']} CPUs of one machine, files {cache}. There is no network and "
            "no storage in these times: they show what the libraries themselves cost.")


def _speeds(data):
    """The chart of the first screen: fcoll/overlap against the fastest stock configuration."""
    mine = [s for s in data["summary"] if s["config"] == "overlap"]
    if not mine:
        return []
    several = len({s["ranks"] for s in mine}) > 1
    rows = {}
    for s in mine:
        name = s["pattern"] + (f", {s['ranks']} ranks" if several else "")
        rows.setdefault(name, []).append((s["phase"], s["speed"], f"{name}, {s['phase']}: {s['speed']:.2f} of "
                                          f"{s['best_stock']}"))
    held = sum(s["speed"] >= data["floor"] for s in mine)
    return ['<div class="panel"><h3>Speed of fcoll/overlap with default settings, against the fastest stock '
            'component or ROMIO for each pattern</h3><div class="key">'
            + "".join(f'<span><svg width="12" height="12" class="key1" style="display:inline-block"><circle cx="6" cy="6" '
                      f'r="4.5" class="{phase}"/></svg> {phase}</span>' for phase in ("write", "read"))
            + "</div>" + svg.speeds(list(rows.items()), "speed against the fastest stock configuration")
            + f"<p>{held} of {len(mine)} at or above {data['floor']}. The measure: {MEASURE}.</p></div>"]


def _summary_cell(found, floor):
    if not found:
        return "<td></td>"
    mark = "good" if found["speed"] >= 1 / floor else "bad" if found["speed"] < floor else ""
    return (f"<td class='{mark}'>{found['speed']:.2f}<small>"
            f"{html.escape(found['best_stock'])}</small></td>")


def _summary(data):
    """A line per pattern, a column per phase and component: narrow enough for a phone."""
    if not data["summary"]:
        return []
    names = list(dict.fromkeys(s["config"] for s in data["summary"]))
    if _one_layer(data):
        names = [name for name in names if name != "tam"]
    columns = [(phase, name) for phase in ("write", "read") for name in names]
    several = len({s["ranks"] for s in data["summary"]}) > 1
    found = {(s["pattern"], s["ranks"], s["phase"], s["config"]): s for s in data["summary"]}
    out = ["<h2>Against the fastest stock configuration</h2><p>The same "
           "numbers. Below each: the stock component (or ROMIO) that "
           "was fastest there.</p>",
           '<div class="scroll"><table><tr><th>pattern</th>'
           + "".join(f"<th>{name}<br>{phase}</th>" for phase, name in columns) + "</tr>"]
    for pattern, ranks in dict.fromkeys((s["pattern"], s["ranks"]) for s in data["summary"]):
        label = html.escape(pattern) + (f"<small>{ranks} ranks</small>" if several else "")
        out.append(f"<tr><td>{label}</td>" + "".join(
            _summary_cell(found.get((pattern, ranks, *column)), data["floor"])
            for column in columns) + "</tr>")
    return out + ["</table></div>"]


def phase_times(row):
    """The timers among a row's performance variables, which are in nanoseconds: (name, seconds of
    a step), mean over the ranks."""
    times = {name.partition("_time_")[2]: value["sum"] for name, value in row["pvars"].items()}
    return [(name, times[name] * 1e-9 / row["steps"] / row["ranks"])
            for name in phases.PHASES if times.get(name, 0) > 0]


def _breakdown(rows):
    out, named = [], set()
    several = len({r["ranks"] for r in rows}) > 1
    for phase in ("write", "read"):
        drawn = [(r["pattern"] + (f" {r['ranks']} ranks" if several else "") + ", " + r["config"], phase_times(r)) for r in rows
                 if r["phase"] == phase and r["kind"] == "ours" and phase_times(r)]
        if not drawn:
            continue
        seen = {part for _, parts in drawn for part, _ in parts}
        named |= seen
        marks = "".join(f'<span><svg width="12" height="12" class="key1" style="display:inline-block"><rect '
                        f'width="12" height="12" rx="2" class="phase-{name}"/></svg> '
                        f"{phases.words(name)}</span>" for name in phases.PHASES if name in seen)
        out.append(f'<div class="panel"><h4>{phase}</h4><div class="key">{marks}</div>'
                   + svg.stacks(drawn, f"phases of {phase}") + "</div>")
    if not out:
        return []
    waiting = [phases.words(name) for name in phases.WAITING if name in named]
    note = f" These include waiting for other ranks: {', '.join(waiting)}." if waiting else ""
    return [f"<h2>Where the time goes</h2><p>Timers of collio's components, per time step, mean over the ranks.{note}</p>",
            '<div class="panels">', *out, "</div>"]


def _line_panel(title, series, x_name):
    return (f'<div class="panel"><h3>{html.escape(title)}</h3>'
            + svg.lines(series, title, x_name) + "</div>")


def _series(rows, x_of):
    """(config, class, points) for every configuration with two or more values of x."""
    found = {}
    for row in sorted(rows, key=x_of):
        found.setdefault(row["config"], []).append(row)
    return [(name, _class(some[0]) if some[0]["kind"] == "ours" else some[0]["kind"],
             [(x_of(r), r["median"]) for r in some])
            for name, some in found.items() if len({x_of(r) for r in some}) > 1]


def _against_ranks(data):
    out = []
    for pattern in dict.fromkeys(r["pattern"] for r in data["rows"]):
        for phase in ("write", "read"):
            series = _series([r for r in data["rows"] if r["pattern"] == pattern
                              and r["phase"] == phase], lambda r: r["ranks"])
            if series and pattern not in data["sweeps"]:
                out.append(_line_panel(f"{pattern}, {phase}", series, "ranks"))
    if not out:
        return []
    return ["<h2>Cost against ranks</h2><p>The same bytes in all, dealt to more ranks; flat is "
            "good. Both axes are logarithmic.</p>", '<div class="panels">', *out, "</div>"]


def _against_pieces(data):
    out = []
    for sweep in dict.fromkeys(data["sweeps"].values()):
        rows = [r for r in data["rows"] if data["sweeps"].get(r["pattern"]) == sweep]
        pieces = {}
        for r in rows:  # the limit has no pieces of its own: it stands where its pattern does
            pieces[r["pattern"]] = max(pieces.get(r["pattern"], 0), r["pieces"])
        for ranks in dict.fromkeys(r["ranks"] for r in rows):
            for phase in ("write", "read"):
                series = _series([r for r in rows if r["phase"] == phase and r["ranks"] == ranks],
                                 lambda r: pieces[r["pattern"]])
                if series:
                    out.append(_line_panel(f"{ranks} ranks, {phase}", series, "pieces in all"))
    if not out:
        return []
    return ["<h2>Cost against the number of pieces</h2><p>The same bytes in smaller and smaller "
            "pieces, dealt to the ranks at random.</p>", '<div class="panels">', *out, "</div>"]


def _against_buffers(data):
    found = buffers_page.cells(data["rows"])
    out = []
    for (family, phase), by_size in found.items():
        rows = [(size, row) for size in sorted(by_size) for row in by_size[size].values()]
        series = {}
        for size, row in rows:
            series.setdefault(row["config"], (row, []))[1].append((size, row["median"]))
        drawn = [(name, "overlap" if name == buffers_page.OURS else row["kind"], points)
                 for name, (row, points) in series.items() if len(points) > 1]
        if drawn:
            out.append(_line_panel(f"{family}, {phase}", drawn, "MiB an aggregator"))
    if not out:
        return []
    return ["<h2>Cost against buffers</h2><p>MiB of an aggregator before all sizes are divided by "
            f"{buffers.FACTOR}.</p>", '<div class="panels">', *out, "</div>"]


def _table(rows):
    head = ["pattern", "ranks", "phase"] + [name for name, _ in text.COLUMNS]
    out = ["<h2>All figures</h2><details><summary>Show the table</summary><div class='scroll'>"
           "<table><tr>" + "".join(f"<th>{h}</th>" for h in head) + "</tr>"]
    for row in rows:
        values = [row["pattern"], row["ranks"], row["phase"]]
        values += [get(row) for _, get in text.COLUMNS]
        out.append("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in values) + "</tr>")
    legend = html.escape(text.LEGEND)
    return out + [f"</table></div><pre>{legend}</pre></details>"]


def _failures(data):
    if not data["failed"] and not data["missing"]:
        return []
    out = ["<h2>Not measured</h2><ul>"]
    for f in data["failed"]:
        out.append(f"<li>{f['pattern']}, {f['ranks']} ranks, {f['config']}: "
                   f"{html.escape(f['reason'])}</li>")
    out += [f"<li>{name}: {html.escape(reason)}</li>" for name, reason in data["missing"].items()]
    return out + ["</ul>"]


def render(data):
    m = data["machine"]
    where = "virtual cluster, " if m["cluster"] else ""
    about = (f"{m['date']} · Open MPI {m['openmpi']} · {where}{m['file_system']} · "
             f"{m['cpus']} cpus ({m['cpu']}), Linux {m['kernel']} · {m['repeat']} repetitions of "
             f"{m['steps']} time steps, interleaved · "
             f"CPUs {100 * m.get('busy', 0):.0f}% in use before the run")
    busy = machine.warning(m)
    drawn = dict(data, rows=_drawn(data))
    body = [f"<h1>{html.escape(m['title'])}</h1><p class='lead'>{html.escape(INTRO)}</p>"
            f"<p>{html.escape(_conditions(data))}</p>",
            *([f'<p class="busy">{html.escape(busy)}</p>'] if busy else []), *_speeds(data),
            *_summary(data), *_bars(data), *_breakdown(drawn["rows"]), *_against_ranks(drawn),
            *_against_pieces(drawn), *_against_buffers(drawn), *_table(data["rows"]), *_failures(data),
            f"<p>{html.escape(about)}</p>"]
    return ('<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(m['title'])}</title><style>{STYLE}</style></head><body><main>"
            + "\n".join(body) + "</main></body></html>\n")
