# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""From runs to rows: medians, and the ratios that the comparison is about."""

import statistics


def rows(found, configs):
    """One row per pattern, number of ranks, phase and configuration, in that order."""
    kinds = {c.name: c.kind for c in configs}
    table = []
    for (pattern, ranks, phase, config), runs in found["results"].items():
        seconds = [r["seconds"] for r in runs]
        last = runs[-1]
        count, size = found["messages"].get((pattern, ranks, phase, config)) or (None, None)
        table.append({
            "pattern": pattern, "ranks": ranks, "phase": phase, "config": config,
            "kind": kinds[config], "runs": len(runs),
            "median": statistics.median(seconds),
            "min": min(min(r["step_seconds"]) for r in runs), "max": max(seconds),
            "first": statistics.median(r["first_seconds"] for r in runs),
            "later": statistics.median(r["later_seconds"] for r in runs),
            "bytes": last["bytes"], "pieces": last["pieces"], "shape": last["shape"],
            "nodes": last["nodes"], "steps": last["steps"], "calls": last["calls"],
            "rss_kib": max(r["rss_kib"] for r in runs),
            "rss_extra_kib": max(r["rss_extra_kib"] for r in runs),
            "messages": count, "message_bytes": size,
            "pvars": _medians(runs), "seconds": seconds,
            "parts": _parts(runs),
        })
    add_ratios(table)
    failed = [{"pattern": p, "ranks": n, "config": c, "reason": reason}
              for (p, n, c), reason in found["failures"].items()]
    order = {c.name: i for i, c in enumerate(configs)}
    places = {}
    for row in table:
        places.setdefault((row["pattern"], row["ranks"]), len(places))
    table.sort(key=lambda r: (places[r["pattern"], r["ranks"]], r["phase"] != "write",
                              order[r["config"]]))
    return table, failed


def _parts(runs):
    """Of one-shot steps, whose time is the sum of these; None for others."""
    if "call_seconds" not in runs[0]:
        return None
    return {part: statistics.median(run[f"{part}_seconds"] for run in runs)
            for part in ("open", "call", "close")}


def _medians(runs):
    """Each performance variable: the largest rank and the sum over ranks, median over runs."""
    names = {name for run in runs for name in run["pvars"]}
    return {name: {part: statistics.median(run["pvars"][name][part] for run in runs
                                           if name in run["pvars"])
                   for part in ("max", "sum")} for name in sorted(names)}


def add_ratios(table):
    """speed: time of the fastest stock configuration over mine (above 1: I am faster); over all
    steps (speed), over those after the first (speed_later), of the fastest step (speed_min).
    limit: my time over the limit's (1: as fast as contiguous access)."""
    cells = {}
    for row in table:
        cells.setdefault((row["pattern"], row["ranks"], row["phase"]), []).append(row)
    for cell in cells.values():
        stock = [r for r in cell if r["kind"] == "stock"]
        limit = [r for r in cell if r["kind"] == "limit"]
        best = min(stock, key=lambda r: r["median"], default=None)
        for row in cell:
            row["best_stock"] = best["config"] if best else None
            for name, key in (("speed", "median"), ("speed_later", "later"), ("speed_min", "min")):
                row[name] = min(r[key] for r in stock) / row[key] if stock else None
            row["speed_low"], row["speed_high"] = _spread(best, row)
            row["limit"] = row["median"] / limit[0]["median"] if limit else None


def _spread(best, row):
    """The smallest and the largest ratio of a repetition, against the stock configuration that is
    fastest by its median."""
    found = [a / b for a, b in zip(best["seconds"], row["seconds"])] if best else []
    return (min(found), max(found)) if len(found) > 1 else (None, None)


def summary(table):
    """Ours against the fastest stock configuration, per pattern, ranks and phase."""
    found = []
    for row in table:
        if (row["kind"] == "ours" and row["speed"] is not None
                and row["config"] in ("tam", "overlap", "overlap-mtpwrite")):
            found.append({k: row[k] for k in ("pattern", "ranks", "phase", "config", "speed",
                                              "speed_later", "speed_min", "speed_low", "speed_high",
                                              "runs", "shape", "limit", "best_stock")})
    return found
